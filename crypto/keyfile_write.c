/* A key as text, in the formats of formats 2. */
#include "bech32.h"
#include "keyfile.h"
#include "pem.h"

static const struct tahr_error no_pkcs1 = {TAHR_BAD_CALL, "PKCS #1 is a format of RSA keys only",
                                           NULL};
static const struct tahr_error no_pem = {TAHR_BAD_CALL,
                                         "PEM is a format of RSA and ElGamal keys only",
                                         "an X25519 key is written as an age string"};
static const struct tahr_error no_ssh = {
    TAHR_BAD_CALL, "an ssh-rsa line is a format of RSA public keys only", NULL};
static const struct tahr_error no_openssh = {
    TAHR_BAD_CALL, "an OpenSSH key file is a format of RSA private keys only", NULL};
static const struct tahr_error only_elgamal = {
    TAHR_BAD_CALL, "OIW, Botan and PKCS #3 are formats of ElGamal keys only", NULL};
static const struct tahr_error no_format = {TAHR_BAD_CALL, "there is no such key format", NULL};

typedef void writer(struct der_out *out, const tahr_key *key, enum tahr_format format);

static void put_pkcs1_private(struct der_out *out, const tahr_key *key, enum tahr_format format)
{
    (void)format;
    keyfile_put_rsa_private(out, &key->u.rsa);
}

static void put_pkcs1_public(struct der_out *out, const tahr_key *key, enum tahr_format format)
{
    (void)format;
    keyfile_put_rsa_public(out, key_rsa_public(key));
}

static void put_openssh(struct der_out *out, const tahr_key *key, enum tahr_format format)
{
    (void)format;
    keyfile_put_openssh(out, key);
}

/* A PEM block: its label, and who puts what is in it. */
struct block {
    const char *label;
    writer *put;
};
static const struct block pkcs8 = {"PRIVATE KEY", keyfile_put_pkcs8},
                          spki = {"PUBLIC KEY", keyfile_put_spki},
                          pkcs1_private = {"RSA PRIVATE KEY", put_pkcs1_private},
                          pkcs1_public = {"RSA PUBLIC KEY", put_pkcs1_public},
                          openssh = {"OPENSSH PRIVATE KEY", put_openssh};

static tahr_err write_pem(char **text, size_t *len, const tahr_key *key, enum tahr_format format,
                          const struct block *block)
{
    uint8_t *buf = secret_alloc(KEYFILE_DER_MAX);
    struct der_out out;
    struct bytes der;
    tahr_err err = &keyfile_no_memory;

    if (buf == NULL)
        return err;
    der_out_init(&out, buf, KEYFILE_DER_MAX);
    block->put(&out, key, format);
    if ((err = der_out_end(&der, &out)))
        goto done;
    *len = pem_len(block->label, der.len);
    *text = secret_alloc(*len + 1);
    if (*text == NULL) {
        err = &keyfile_no_memory;
        goto done;
    }
    pem_write(*text, block->label, der);
done:
    secret_free(buf);
    return err;
}

static tahr_err write_age(char **text, size_t *len, const tahr_key *key)
{
    const char *hrp;
    uint8_t *buf = secret_alloc(KEYFILE_DER_MAX);
    struct bytes payload;
    tahr_err err = &keyfile_no_memory;

    if (buf == NULL)
        return err;
    if ((err = keyfile_age_string(&hrp, &payload, buf, key)))
        goto done;
    *len = bech32_len(hrp, payload.len) + 1;
    *text = secret_alloc(*len + 1);
    if (*text == NULL) {
        err = &keyfile_no_memory;
        goto done;
    }
    bech32_encode(*text, hrp, payload);
    memcpy(*text + *len - 1, "\n", 2);
done:
    secret_free(buf);
    return err;
}

static tahr_err write_ssh(char **text, size_t *len, const tahr_key *key)
{
    *text = secret_alloc(KEYFILE_SSH_MAX + 2);
    if (*text == NULL)
        return &keyfile_no_memory;
    keyfile_put_ssh(*text, key);
    *len = strlen(strcat(*text, "\n"));
    return NULL;
}

tahr_err tahr_key_write(char **text, size_t *len, const tahr_key *key, enum tahr_format format)
{
    int is_rsa = key->type == TAHR_RSA, is_private = key->is_private;

    *text = NULL;
    if (key->type == TAHR_PASSPHRASE)
        return &keyfile_passphrase;
    switch (format) {
    case TAHR_OIW:
    case TAHR_BOTAN:
    case TAHR_PKCS3:
        if (key->type != TAHR_ELGAMAL)
            return &only_elgamal;
        /* fall through */
    case TAHR_PEM:
        if (key->type == TAHR_X25519)
            return &no_pem;
        return write_pem(text, len, key, format, is_private ? &pkcs8 : &spki);
    case TAHR_PKCS1:
        if (!is_rsa)
            return &no_pkcs1;
        return write_pem(text, len, key, format, is_private ? &pkcs1_private : &pkcs1_public);
    case TAHR_OPENSSH:
        return is_rsa && is_private ? write_pem(text, len, key, format, &openssh) : &no_openssh;
    case TAHR_SSH:
        return is_rsa && !is_private ? write_ssh(text, len, key) : &no_ssh;
    case TAHR_AGE:
        return write_age(text, len, key);
    default:
        return &no_format;
    }
}

void tahr_text_free(char *text)
{
    secret_free(text);
}
