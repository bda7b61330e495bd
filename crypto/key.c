/* One key type over RSA, ElGamal, X25519 and passphrases: making, freeing and asking. */
#include "keyfile.h"
#include "recipient.h"

const struct tahr_error keyfile_no_memory = {TAHR_SYSTEM, "out of memory", NULL};

const struct tahr_error keyfile_passphrase = {TAHR_BAD_CALL,
                                              "a passphrase is neither shown nor written", NULL};

#define LOG_N     18 /* of scrypt's N */
#define MAX_LOG_N 22

static const struct tahr_error no_public = {TAHR_BAD_CALL, "a passphrase has no public half", NULL};
static const struct tahr_error long_passphrase = {TAHR_BAD_CALL, "the passphrase is too long",
                                                  "1024 bytes are allowed"};
static const struct tahr_error no_ask = {TAHR_BAD_CALL, "no function to ask for the passphrase",
                                         NULL};
static const struct tahr_error no_passphrase = {TAHR_BAD_CALL, "the key is not a passphrase", NULL};
static const struct tahr_error bad_factor = {TAHR_BAD_CALL, "there is no such work factor",
                                             "it is the logarithm of scrypt's N, 1 to 30"};
static const struct tahr_error no_group = {
    TAHR_BAD_CALL, "there is no ElGamal group of that name",
    "ffdhe or modp with 2048, 3072, 4096, 6144 or 8192, for example ffdhe3072"};

tahr_key *key_alloc(enum tahr_key_type type, int is_private)
{
    tahr_key *key = secret_alloc(sizeof *key);

    if (key != NULL) {
        key->type = type;
        key->is_private = is_private;
    }
    return key;
}

void tahr_key_free(tahr_key *key)
{
    secret_free(key);
}

/* *out = key if err is NULL; otherwise key is freed and err returned. */
static tahr_err deliver(tahr_key **out, tahr_key *key, tahr_err err)
{
    *out = NULL;
    if (err != NULL)
        tahr_key_free(key);
    else
        *out = key;
    return err;
}

tahr_err tahr_key_new_rsa(tahr_key **key, int bits, const struct tahr_watch *watch)
{
    tahr_key *k = key_alloc(TAHR_RSA, 1);

    return deliver(key, k, k ? rsa_generate(&k->u.rsa, bits, watch) : &keyfile_no_memory);
}

tahr_err tahr_key_new_elgamal(tahr_key **key, const char *group, const struct tahr_watch *watch)
{
    tahr_key *k = key_alloc(TAHR_ELGAMAL, 1);

    (void)watch; /* there is nothing to search for */
    if (k == NULL)
        return deliver(key, k, &keyfile_no_memory);
    if (group_named(&k->u.elgamal.pub.group, group))
        return deliver(key, k, &no_group);
    return deliver(key, k, elgamal_generate(&k->u.elgamal));
}

tahr_err tahr_key_new_group(tahr_key **key, int bits, const struct tahr_watch *watch)
{
    tahr_key *k = key_alloc(TAHR_ELGAMAL, 1);
    tahr_err err = &keyfile_no_memory;

    if (k != NULL && !(err = group_generate(&k->u.elgamal.pub.group, bits, watch)))
        err = elgamal_generate(&k->u.elgamal);
    return deliver(key, k, err);
}

tahr_err tahr_key_new_x25519(tahr_key **key)
{
    tahr_key *k = key_alloc(TAHR_X25519, 1);

    if (k == NULL)
        return deliver(key, k, &keyfile_no_memory);
    secret_random(k->u.x25519.k, X25519_LEN);
    recipient_x25519_public(k->u.x25519.pub.u, k->u.x25519.k);
    return deliver(key, k, NULL);
}

/* A passphrase without its text. */
static tahr_key *passphrase_alloc(void)
{
    tahr_key *k = key_alloc(TAHR_PASSPHRASE, 1);

    if (k != NULL) {
        k->u.passphrase.log_n = LOG_N;
        k->u.passphrase.max_log_n = MAX_LOG_N;
    }
    return k;
}

tahr_err tahr_key_new_passphrase(tahr_key **key, const void *text, size_t len)
{
    tahr_key *k = passphrase_alloc();

    if (k == NULL)
        return deliver(key, k, &keyfile_no_memory);
    if (len > TAHR_PASSPHRASE_MAX)
        return deliver(key, k, &long_passphrase);
    if (len > 0)
        memcpy(k->u.passphrase.text, text, len);
    k->u.passphrase.len = len;
    return deliver(key, k, NULL);
}

tahr_err tahr_key_new_prompt(tahr_key **key, const struct tahr_prompt *prompt)
{
    tahr_key *k = passphrase_alloc();

    if (k == NULL)
        return deliver(key, k, &keyfile_no_memory);
    if (prompt->ask == NULL)
        return deliver(key, k, &no_ask);
    k->u.passphrase.prompt = *prompt;
    return deliver(key, k, NULL);
}

tahr_err tahr_key_set_max_work_factor(tahr_key *key, int log_n)
{
    if (key->type != TAHR_PASSPHRASE)
        return &no_passphrase;
    if (log_n < 1 || log_n > 30)
        return &bad_factor;
    key->u.passphrase.max_log_n = log_n;
    return NULL;
}

const struct rsa_public *key_rsa_public(const tahr_key *key)
{
    return key->is_private ? &key->u.rsa.pub : &key->u.rsa_public;
}

const struct elgamal_public *key_elgamal_public(const tahr_key *key)
{
    return key->is_private ? &key->u.elgamal.pub : &key->u.elgamal_public;
}

const struct x25519_public *key_x25519_public(const tahr_key *key)
{
    return key->is_private ? &key->u.x25519.pub : &key->u.x25519_public;
}

tahr_err tahr_key_public(tahr_key **public_key, const tahr_key *key)
{
    tahr_key *k;

    if (key->type == TAHR_PASSPHRASE)
        return deliver(public_key, NULL, &no_public);
    k = key_alloc(key->type, 0);
    if (k == NULL)
        return deliver(public_key, k, &keyfile_no_memory);
    memcpy(k->comment, key->comment, sizeof k->comment);
    if (key->type == TAHR_RSA)
        k->u.rsa_public = *key_rsa_public(key);
    else if (key->type == TAHR_ELGAMAL)
        k->u.elgamal_public = *key_elgamal_public(key);
    else
        k->u.x25519_public = *key_x25519_public(key);
    return deliver(public_key, k, NULL);
}

enum tahr_key_type tahr_key_type(const tahr_key *key)
{
    return key->type;
}

int tahr_key_is_private(const tahr_key *key)
{
    return key->is_private;
}

int tahr_key_bits(const tahr_key *key)
{
    switch (key->type) {
    case TAHR_RSA:
        return key_rsa_public(key)->n.bits;
    case TAHR_ELGAMAL:
        return key_elgamal_public(key)->group.p.bits;
    case TAHR_X25519:
        return 255;
    default:
        return 0;
    }
}

const char *tahr_key_group(const tahr_key *key)
{
    return key->type == TAHR_ELGAMAL ? key_elgamal_public(key)->group.name : NULL;
}

void key_set_comment(tahr_key *key, struct bytes text)
{
    const char *p = text.p;
    size_t len = 0;

    for (size_t i = 0; i < text.len && len < KEY_COMMENT_MAX - 1; i++)
        if (p[i] >= ' ' && p[i] <= '~')
            key->comment[len++] = p[i];
    key->comment[len] = '\0';
}

const char *tahr_key_comment(const tahr_key *key)
{
    return key->comment;
}

const char *tahr_key_warning(const tahr_key *key)
{
    if (key->type == TAHR_RSA && tahr_key_bits(key) > 4096)
        return "other age programs refuse RSA keys above 4096 bits";
    return NULL;
}
