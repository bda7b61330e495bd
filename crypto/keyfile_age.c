/* Keys as age strings: Bech32 of the payloads of formats 1.2, and of age's own X25519 keys. */
#include "bech32.h"
#include "keyfile.h"
#include "recipient.h"

#define IDENTITY_ELGAMAL 1
#define IDENTITY_RSA     2

static const struct tahr_error unknown_type = {
    TAHR_BAD_KEY, "the identity is of a type that is not known here", NULL};
static const struct tahr_error unknown_recipient = {
    TAHR_BAD_KEY, "this is an age recipient of a type that is not known here",
    "age1... strings of X25519 keys, age1tahr1... strings and ssh-rsa lines are read"};
static const struct tahr_error wrong_length = {
    TAHR_BAD_KEY, "the age string is not as long as an X25519 key", "it was mistyped or cut short"};
static const struct tahr_error no_payload = {
    TAHR_BAD_KEY, "the identity string has no key in it",
    "give age the file of your identity with -i; -j is for plugins that keep the keys"};
static const struct tahr_error no_string = {TAHR_BAD_CALL, "an RSA public key has no age string",
                                            "its ssh-rsa line is what age takes"};

tahr_err keyfile_age_recipient(tahr_key *key, struct bytes text)
{
    uint8_t payload[KEY_PAYLOAD_MAX];
    size_t len;
    tahr_err err;

    if ((err = bech32_decode(payload, sizeof payload, &len, KEYFILE_RECIPIENT_HRP, text)))
        return err;
    return keyfile_recipient(key, (struct bytes){payload, len});
}

static tahr_err read_identity(tahr_key *key, struct bytes in)
{
    uint32_t type = 0;

    if (in.len == 0)
        return &no_payload;
    if (bytes_uint(&type, &in, 1) == 0 && type == IDENTITY_ELGAMAL)
        return keyfile_identity(key, in);
    return type == IDENTITY_RSA ? keyfile_rsa_private(key, in) : &unknown_type;
}

tahr_err keyfile_age_identity(tahr_key *key, struct bytes text)
{
    uint8_t *payload = secret_alloc(KEYFILE_DER_MAX);
    size_t len;
    tahr_err err;

    if (payload == NULL)
        return &keyfile_no_memory;
    err = bech32_decode(payload, KEYFILE_DER_MAX, &len, KEYFILE_IDENTITY_HRP, text);
    if (err == NULL)
        err = read_identity(key, (struct bytes){payload, len});
    secret_free(payload);
    return err;
}

/* The 32 bytes of age's own strings. */
static tahr_err read_x25519(uint8_t out[X25519_LEN], const char *hrp, struct bytes text)
{
    size_t len;
    tahr_err err = bech32_decode(out, X25519_LEN, &len, hrp, text);

    return err == NULL && len != X25519_LEN ? &wrong_length : err;
}

tahr_err keyfile_x25519_recipient(tahr_key *key, struct bytes text)
{
    uint8_t *u = key->u.x25519_public.u;
    tahr_err err;

    if (memchr((const char *)text.p + 4, '1', text.len - 4) != NULL) /* age1name1...: a plugin's */
        return &unknown_recipient;
    key->type = TAHR_X25519;
    err = read_x25519(u, KEYFILE_X25519_RECIPIENT_HRP, text);
    return err == NULL ? recipient_x25519_check(u) : err;
}

tahr_err keyfile_x25519_identity(tahr_key *key, struct bytes text)
{
    struct x25519_private *x25519 = &key->u.x25519;
    tahr_err err = read_x25519(x25519->k, KEYFILE_X25519_IDENTITY_HRP, text);

    key->type = TAHR_X25519;
    key->is_private = 1;
    if (err == NULL)
        recipient_x25519_public(x25519->pub.u, x25519->k);
    return err;
}

static tahr_err x25519_string(const char **hrp, struct bytes *payload, uint8_t *buf,
                              const tahr_key *key)
{
    *hrp = key->is_private ? KEYFILE_X25519_IDENTITY_HRP : KEYFILE_X25519_RECIPIENT_HRP;
    *payload = (struct bytes){buf, X25519_LEN};
    memcpy(buf, key->is_private ? key->u.x25519.k : key->u.x25519_public.u, X25519_LEN);
    return NULL;
}

tahr_err keyfile_age_string(const char **hrp, struct bytes *payload, uint8_t *buf,
                            const tahr_key *key)
{
    static const uint8_t rsa = IDENTITY_RSA;
    struct der_out out;

    if (key->type == TAHR_X25519)
        return x25519_string(hrp, payload, buf, key);
    *hrp = key->is_private ? KEYFILE_IDENTITY_HRP : KEYFILE_RECIPIENT_HRP;
    if (!key->is_private && key->type == TAHR_RSA)
        return &no_string;
    if (key->is_private && key->type == TAHR_RSA) {
        der_out_init(&out, buf, KEYFILE_DER_MAX);
        keyfile_put_rsa_private(&out, &key->u.rsa);
        der_put_bytes(&out, &rsa, 1);
        return der_out_end(payload, &out);
    }
    *payload = (struct bytes){buf, 0};
    if (key->is_private) {
        buf[0] = IDENTITY_ELGAMAL;
        payload->len = 1 + keyfile_put_identity(buf + 1, &key->u.elgamal);
    } else {
        payload->len = key_elgamal_payload(buf, &key->u.elgamal_public);
    }
    return NULL;
}
