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

tahr_err keyfile_age_recipient(struct key_fields *f, struct bytes text)
{
    size_t len;
    tahr_err err;

    if ((err = bech32_decode(f->room, KEY_PAYLOAD_MAX, &len, KEYFILE_RECIPIENT_HRP, text)))
        return err;
    return keyfile_recipient(f, (struct bytes){f->room, len});
}

tahr_err keyfile_age_identity(struct key_fields *f, struct bytes text)
{
    struct bytes in = {f->room, 0};
    uint32_t type = 0;
    tahr_err err;

    if ((err = bech32_decode(f->room, sizeof f->room, &in.len, KEYFILE_IDENTITY_HRP, text)))
        return err;
    if (in.len == 0)
        return &no_payload;
    if (bytes_uint(&type, &in, 1) == 0 && type == IDENTITY_ELGAMAL)
        return keyfile_identity(f, in);
    return type == IDENTITY_RSA ? keyfile_rsa_private(f, in) : &unknown_type;
}

/* The 32 bytes of age's own strings. */
static tahr_err read_x25519(struct key_fields *f, const char *hrp, struct bytes text)
{
    tahr_err err;

    f->type = TAHR_X25519;
    f->x25519.p = f->room;
    err = bech32_decode(f->room, X25519_LEN, &f->x25519.len, hrp, text);
    return err == NULL && f->x25519.len != X25519_LEN ? &wrong_length : err;
}

tahr_err keyfile_x25519_recipient(struct key_fields *f, struct bytes text)
{
    if (memchr((const char *)text.p + 4, '1', text.len - 4) != NULL) /* age1name1...: a plugin's */
        return &unknown_recipient;
    f->is_private = 0;
    return read_x25519(f, KEYFILE_X25519_RECIPIENT_HRP, text);
}

tahr_err keyfile_x25519_identity(struct key_fields *f, struct bytes text)
{
    f->is_private = 1;
    return read_x25519(f, KEYFILE_X25519_IDENTITY_HRP, text);
}

tahr_err keyfile_x25519_key(tahr_key *key, const struct key_fields *f)
{
    if (!f->is_private) {
        memcpy(key->u.x25519_public.u, f->x25519.p, X25519_LEN);
        return recipient_x25519_check(key->u.x25519_public.u);
    }
    memcpy(key->u.x25519.k, f->x25519.p, X25519_LEN);
    recipient_x25519_public(key->u.x25519.pub.u, key->u.x25519.k);
    return NULL;
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
