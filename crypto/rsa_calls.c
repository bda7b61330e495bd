/* RSA for other programs: tahr.h's calls, which take keys as they come from files. */
#include "key.h"

static const struct tahr_error not_rsa = {TAHR_BAD_KEY, "this is not an RSA key", NULL};
static const struct tahr_error not_private = {TAHR_BAD_KEY, "a public key cannot decrypt",
                                              "give the private key that belongs to it"};
static const struct tahr_error no_hash = {TAHR_BAD_CALL, "there is no such hash function", NULL};

static tahr_err check_key(const tahr_key *key, int private)
{
    if (key->type != TAHR_RSA)
        return &not_rsa;
    return private && !key->is_private ? &not_private : NULL;
}

static const struct hash *hash_of(enum tahr_hash hash)
{
    return hash == TAHR_SHA256 ? &hash_sha256 : hash == TAHR_SHA512 ? &hash_sha512 : NULL;
}

static tahr_err parameters(struct oaep *out, const struct tahr_oaep *oaep)
{
    *out = (struct oaep){
        hash_of(oaep->hash), hash_of(oaep->mgf1_hash), {oaep->label, oaep->label_len}};
    return out->hash != NULL && out->mgf1_hash != NULL ? NULL : &no_hash;
}

size_t tahr_rsa_len(const tahr_key *key)
{
    return key->type == TAHR_RSA ? rsa_len(key_rsa_public(key)) : 0;
}

tahr_err tahr_rsa_raw_public(unsigned char *c, const unsigned char *m, const tahr_key *key)
{
    tahr_err err = check_key(key, 0);

    return err != NULL ? err : rsa_public_op(c, m, key_rsa_public(key));
}

tahr_err tahr_rsa_raw_private(unsigned char *m, const unsigned char *c, const tahr_key *key)
{
    tahr_err err = check_key(key, 1);

    return err != NULL ? err : rsa_private_op(m, c, &key->u.rsa);
}

tahr_err tahr_rsa_encrypt(unsigned char *c, const void *m, size_t len, const struct tahr_oaep *oaep,
                          const tahr_key *key)
{
    struct oaep inner;
    tahr_err err = check_key(key, 0);

    if (err == NULL)
        err = parameters(&inner, oaep);
    return err != NULL ? err : rsa_oaep_encrypt(c, m, len, &inner, key_rsa_public(key));
}

tahr_err tahr_rsa_decrypt(unsigned char *m, size_t *len, const unsigned char *c, size_t c_len,
                          const struct tahr_oaep *oaep, const tahr_key *key)
{
    struct oaep inner;
    tahr_err err = check_key(key, 1);

    if (err == NULL)
        err = parameters(&inner, oaep);
    return err != NULL ? err : rsa_oaep_decrypt(m, len, c, c_len, &inner, &key->u.rsa);
}
