/* tahr/elgamal stanzas: hashed ElGamal (the DHIES of Abdalla, Bellare and Rogaway, CT-RSA 2001).
 *
 *     k    uniform in [1, 2^L - 1];  c1 = g^k;  z = y^k = c1^x
 *     tag  = HMAC-SHA-256("tahr/elgamal/v1/tag", c1 || pkh)[:4]
 *     wrap = HKDF-SHA-256(ikm z, salt c1 || pkh, info "tahr/elgamal/v1")
 *     body = ChaCha20-Poly1305(wrap, nonce 0, file key)
 *     -> tahr/elgamal base64(tag) base64(c1)
 *
 * with pkh = SHA-256 of the recipient payload.  The tag lets a holder of many keys find the right
 * one without a power. */
#include "recipient.h"

#include <string.h>

#define TAG_LEN  4
#define HASH_LEN 32

/* The longest c1 that is looked at: twice that of any group here, for groups to come. */
#define C1_ROOM  (2 * ELGAMAL_MAX_LEN)

static void hash_payload(uint8_t pkh[HASH_LEN], const struct elgamal_public *pub)
{
    uint8_t payload[KEY_PAYLOAD_MAX];
    struct bytes part = {payload, key_elgamal_payload(payload, pub)};
    secret_sha256(pkh, &part, 1);
}

/* The first TAG_LEN bytes are the tag; bound is c1 || pkh. */
static void make_tag(uint8_t tag[HASH_LEN], const struct bytes bound[2])
{
    static const char label[] = "tahr/elgamal/v1/tag";
    secret_hmac(tag, (struct bytes){label, sizeof label - 1}, bound, 2);
}

static void derive(uint8_t wrap[WRAP_LEN], const uint8_t *z, const struct bytes bound[2])
{
    /* z is as long as c1 */
    secret_hkdf(wrap, WRAP_LEN, (struct bytes){z, bound[0].len}, bound, 2, "tahr/elgamal/v1");
}

static tahr_err add_stanza(struct header *header, const uint8_t *tag, struct bytes c1,
                           const uint8_t body[SEALED_LEN])
{
    char tag_text[8], c1_text[ELGAMAL_MAX_LEN * 4 / 3 + 4];
    const char *const arg[] = {recipient_elgamal.name, tag_text, c1_text};
    base64_encode(tag_text, tag, TAG_LEN, 0);
    base64_encode(c1_text, c1.p, c1.len, 0);
    return header_add(header, &(struct stanza){arg, 3, body, SEALED_LEN});
}

/* Adds the stanza for (c1, z), both as long as p. */
static tahr_err seal(struct header *header, const uint8_t file_key[FILE_KEY_LEN],
                     const struct elgamal_public *pub, const uint8_t *c1, const uint8_t *z)
{
    uint8_t pkh[HASH_LEN], tag[HASH_LEN], wrap[WRAP_LEN], body[SEALED_LEN];
    const struct bytes bound[2] = {{c1, group_len(&pub->group)}, {pkh, HASH_LEN}};
    hash_payload(pkh, pub);
    make_tag(tag, bound);
    derive(wrap, z, bound);
    recipient_seal(body, file_key, wrap);
    secret_wipe(wrap, sizeof wrap);
    return add_stanza(header, tag, bound[0], body);
}

static tahr_err wrap_fresh(struct header *header, const uint8_t file_key[FILE_KEY_LEN],
                           const tahr_key *key)
{
    const struct elgamal_public *pub = key_elgamal_public(key);
    uint8_t c1[ELGAMAL_MAX_LEN], z[ELGAMAL_MAX_LEN];
    tahr_err err = elgamal_encapsulate(c1, z, pub);
    if (!err)
        err = seal(header, file_key, pub, c1, z);
    secret_wipe(z, sizeof z);
    return err;
}

tahr_err recipient_elgamal_wrap_with(struct header *header, const uint8_t file_key[FILE_KEY_LEN],
                                     const tahr_key *key, const uint8_t *k)
{
    const struct elgamal_public *pub = key_elgamal_public(key);
    uint8_t c1[ELGAMAL_MAX_LEN], z[ELGAMAL_MAX_LEN];
    tahr_err err = elgamal_encapsulate_with(c1, z, k, pub);
    if (!err)
        err = seal(header, file_key, pub, c1, z);
    secret_wipe(z, sizeof z);
    return err;
}

/* c1 has room for C1_ROOM bytes.  Returns 0, or -1 for a stanza out of shape. */
static int parse_stanza(uint8_t tag[TAG_LEN], uint8_t *c1, size_t *len, const struct stanza *stanza)
{
    size_t tag_len;
    if (stanza->args != 3 || stanza->len != SEALED_LEN)
        return -1;
    if (base64_decode(tag, TAG_LEN, &tag_len, stanza->arg[1], strlen(stanza->arg[1]), 0))
        return -1;
    if (tag_len != TAG_LEN)
        return -1;
    return base64_decode(c1, C1_ROOM, len, stanza->arg[2], strlen(stanza->arg[2]), 0);
}

static tahr_err unwrap(uint8_t file_key[FILE_KEY_LEN], const struct stanza *stanza,
                       const tahr_key *key)
{
    uint8_t c1[C1_ROOM], z[ELGAMAL_MAX_LEN];
    uint8_t pkh[HASH_LEN], given[TAG_LEN], tag[HASH_LEN], wrap[WRAP_LEN];
    struct bytes bound[2] = {{c1, 0}, {pkh, HASH_LEN}};
    if (parse_stanza(given, c1, &bound[0].len, stanza))
        return &recipient_malformed;
    hash_payload(pkh, key_elgamal_public(key));
    make_tag(tag, bound);
    if (memcmp(tag, given, TAG_LEN) != 0) /* both are public */
        return &recipient_no_match;

    tahr_err err = &recipient_corrupt;
    if (elgamal_decapsulate(z, c1, bound[0].len, &key->u.elgamal))
        goto done;
    derive(wrap, z, bound);
    if (recipient_open(file_key, stanza->body, wrap) == 0)
        err = NULL;
done:
    secret_wipe(z, sizeof z);
    secret_wipe(wrap, sizeof wrap);
    return err;
}

const struct recipient_type recipient_elgamal = {"tahr/elgamal", TAHR_ELGAMAL, wrap_fresh, unwrap};
