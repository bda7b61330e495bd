/* One key type over RSA, ElGamal and X25519: making, freeing and asking. */
#include "keyfile.h"
#include "recipient.h"

const struct tahr_error keyfile_no_memory = {TAHR_SYSTEM, "out of memory", NULL};

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
    tahr_key *k = key_alloc(key->type, 0);

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
    if (key->type == TAHR_X25519)
        return 255;
    return key->type == TAHR_RSA ? key_rsa_public(key)->n.bits
                                 : key_elgamal_public(key)->group.p.bits;
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
