/* X25519 stanzas, age's own (C2SP age specification, "The X25519 recipient type"):
 *
 *     k      32 random bytes;  share = X25519(k, 9);  z = X25519(k, u) = X25519(own k, share)
 *     wrap = HKDF-SHA-256(ikm z, salt share || u, info "age-encryption.org/v1/X25519")
 *     body = ChaCha20-Poly1305(wrap, nonce 0, file key)
 *     -> X25519 base64(share)
 *
 * with u the public key (RFC 7748).  There is no tag: whether a stanza is for a key is known when
 * its body opens.  A point of small order gives z = 0 with every key, and is refused (RFC
 * 7748 6.1).
 */
#include "recipient.h"

#include <sodium.h>
#include <string.h>

#define INFO         "age-encryption.org/v1/X25519"
#define SHARE_BASE64 43

static const struct tahr_error small_order = {
    TAHR_BAD_KEY, "the X25519 public key is a point of small order, which protects nothing", NULL};

void recipient_x25519_public(uint8_t u[X25519_LEN], const uint8_t k[X25519_LEN])
{
    crypto_scalarmult_base(u, k);
    declassify_bytes(u, X25519_LEN); /* a public key, or a share that is sent */
}

/* z = X25519(k, u).  Returns 0, or -1 if u is a point of small order. */
static int multiply(uint8_t z[X25519_LEN], const uint8_t k[X25519_LEN], const uint8_t u[X25519_LEN])
{
    int result = crypto_scalarmult(z, k, u);

    declassify_bytes(&result, sizeof result); /* u decides it alone, and is public */
    return result;
}

tahr_err recipient_x25519_check(const uint8_t u[X25519_LEN])
{
    static const uint8_t k[X25519_LEN] = {1};
    uint8_t z[X25519_LEN];

    return multiply(z, k, u) != 0 ? &small_order : NULL;
}

static void derive(uint8_t wrap[WRAP_LEN], const uint8_t *z, const uint8_t *share, const uint8_t *u)
{
    const struct bytes salt[2] = {{share, X25519_LEN}, {u, X25519_LEN}};

    secret_hkdf(wrap, WRAP_LEN, (struct bytes){z, X25519_LEN}, salt, 2, INFO);
}

static tahr_err wrap(struct header *header, const uint8_t file_key[FILE_KEY_LEN],
                     const tahr_key *key)
{
    const struct x25519_public *pub = key_x25519_public(key);
    uint8_t k[X25519_LEN], z[X25519_LEN], share[X25519_LEN], seal[WRAP_LEN], body[SEALED_LEN];
    char text[SHARE_BASE64 + 1];
    tahr_err err = &small_order;

    secret_random(k, sizeof k);
    recipient_x25519_public(share, k);
    if (multiply(z, k, pub->u) != 0)
        goto done;
    derive(seal, z, share, pub->u);
    recipient_seal(body, file_key, seal);
    base64_encode(text, share, sizeof share, 0);
    err = header_add(header, &(struct stanza){(const char *const[]){recipient_x25519.name, text}, 2,
                                              body, sizeof body});
done:
    secret_wipe(k, sizeof k);
    secret_wipe(z, sizeof z);
    secret_wipe(seal, sizeof seal);
    return err;
}

static tahr_err unwrap(uint8_t file_key[FILE_KEY_LEN], const struct stanza *stanza,
                       const tahr_key *key)
{
    const struct x25519_private *own = &key->u.x25519;
    uint8_t share[X25519_LEN], z[X25519_LEN], seal[WRAP_LEN];
    size_t len;
    tahr_err err = &recipient_malformed;

    if (stanza->args != 2 || stanza->len != SEALED_LEN ||
        base64_decode(share, sizeof share, &len, stanza->arg[1], strlen(stanza->arg[1]), 0) != 0 ||
        len != sizeof share)
        return err;
    if (multiply(z, own->k, share) != 0)
        goto done;
    derive(seal, z, share, own->pub.u);
    err = recipient_open(file_key, stanza->body, seal) == 0 ? NULL : &recipient_no_match;
done:
    secret_wipe(z, sizeof z);
    secret_wipe(seal, sizeof seal);
    return err;
}

const struct recipient_type recipient_x25519 = {"X25519", TAHR_X25519, wrap, unwrap};
