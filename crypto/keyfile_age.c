/* Keys as age strings: Bech32 of the payloads of formats 1.2. */
#include "bech32.h"
#include "keyfile.h"

#define IDENTITY_ELGAMAL 1
#define IDENTITY_RSA     2

static const struct tahr_error unknown_type = {
    TAHR_BAD_KEY, "the identity is of a type that is not known here", NULL};
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

tahr_err keyfile_age_payload(struct bytes *payload, uint8_t *buf, const tahr_key *key)
{
    static const uint8_t rsa = IDENTITY_RSA;
    struct der_out out;

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
