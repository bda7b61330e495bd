/* RSAES-OAEP (RFC 8017 7.1).
 *
 *   EM = 00 || maskedSeed || maskedDB,   DB = lHash || 00 .. 00 || 01 || M
 *   maskedDB = DB xor MGF1(seed),  maskedSeed = seed xor MGF1(maskedDB)
 *
 * Whoever learns at which step a decryption failed can decrypt (Manger, CRYPTO 2001): there is one
 * error, and until the verdict is known nothing depends on the contents, addresses included. */
#include "rsa.h"

#include <string.h>

static const struct tahr_error too_long = {
    TAHR_BAD_CALL, "the message is too long for this RSA key and hash", NULL};
static const struct tahr_error bad_message = {
    TAHR_BAD_MESSAGE, "RSA decryption failed: another key, or a corrupt message", NULL};

static const struct hash *mgf1_hash(const struct oaep *oaep)
{
    return oaep->mgf1_hash != NULL ? oaep->mgf1_hash : oaep->hash;
}

/* out ^= MGF1(seed) (RFC 8017 B.2.1): Hash(seed || 0) || Hash(seed || 1) || ..., counters of four
 * big-endian bytes, which stay below 256 for an out of RSA_MAX_LEN bytes. */
static void mgf1_xor(uint8_t *out, size_t len, const uint8_t *seed, size_t seed_len,
                     const struct hash *hash)
{
    uint8_t in[RSA_MAX_LEN + 4] = {0}, digest[HASH_MAX];

    memcpy(in, seed, seed_len);
    for (size_t i = 0; i < len; i++) {
        if (i % hash->len == 0) {
            in[seed_len + 3] = (uint8_t)(i / hash->len);
            hash->digest(digest, in, seed_len + 4);
        }
        out[i] ^= digest[i % hash->len];
    }
    secret_wipe(in, sizeof in);
    secret_wipe(digest, sizeof digest);
}

tahr_err rsa_oaep_encrypt(uint8_t *c, const uint8_t *m, size_t mlen, const struct oaep *oaep,
                          const struct rsa_public *pub)
{
    uint8_t em[RSA_MAX_LEN] = {0};
    size_t k = rsa_len(pub), h = oaep->hash->len, db_len = k - h - 1;
    uint8_t *seed = em + 1, *db = em + 1 + h;

    if (k < 2 * h + 2 || mlen > k - 2 * h - 2)
        return &too_long;
    secret_random(seed, h);
    oaep->hash->digest(db, oaep->label.p, oaep->label.len);
    db[db_len - mlen - 1] = 1;
    if (mlen > 0)
        memcpy(db + db_len - mlen, m, mlen);
    mgf1_xor(db, db_len, seed, h, mgf1_hash(oaep));
    mgf1_xor(seed, h, db, db_len, mgf1_hash(oaep));
    tahr_err err = rsa_public_op(c, em, pub);
    secret_wipe(em, sizeof em);
    return err;
}

/* em = EM with its masks taken off.  Returns 0, or -1 for a c that is no ciphertext of this key. */
static int unmask(uint8_t *em, const uint8_t *c, size_t clen, const struct oaep *oaep,
                  const struct rsa_private *key)
{
    size_t k = rsa_len(&key->pub), h = oaep->hash->len, db_len = k - h - 1;
    uint8_t *seed = em + 1, *db = em + 1 + h;

    if (clen != k || k < 2 * h + 2 || rsa_private_op(em, c, key) != NULL)
        return -1;
    mgf1_xor(seed, h, db, db_len, mgf1_hash(oaep));
    mgf1_xor(db, db_len, seed, h, mgf1_hash(oaep));
    return 0;
}

/* Where M begins in db: after the first 01 behind lHash, which only zeros precede; *ok becomes no
 * if there is no such place.  Secret: db, the answer.  Leaks: len, h. */
static size_t find_message(choice *ok, const uint8_t *db, size_t len, size_t h)
{
    choice found = choice_of_bit(0), bad = choice_of_bit(0);
    size_t start = h;

    for (size_t i = h; i < len; i++) {
        choice zero = choice_eq(db[i], 0), one = choice_eq(db[i], 1);
        bad = choice_or(bad, choice_not(choice_or(found, choice_or(zero, one))));
        found = choice_or(found, one);
        start += choice_not(found).mask & 1; /* counts the zeros */
    }
    *ok = choice_and(*ok, choice_and(found, choice_not(bad)));
    return start + 1;
}

tahr_err rsa_oaep_decrypt(uint8_t *m, size_t *mlen, const uint8_t *c, size_t clen,
                          const struct oaep *oaep, const struct rsa_private *key)
{
    uint8_t em[RSA_MAX_LEN], label_hash[HASH_MAX];
    size_t k = rsa_len(&key->pub), h = oaep->hash->len, db_len = k - h - 1;
    const uint8_t *db = em + 1 + h;
    tahr_err err = &bad_message;

    if (unmask(em, c, clen, oaep, key) != 0)
        goto done;
    oaep->hash->digest(label_hash, oaep->label.p, oaep->label.len);
    choice ok = choice_of_bit((limb_t)secret_equal(db, label_hash, h));
    ok = choice_and(ok, choice_eq(em[0], 0));
    size_t start = find_message(&ok, db, db_len, h);
    if (declassify(ok)) {                       /* public: success, and then the message's length */
        declassify_bytes(&start, sizeof start); /* as just said */
        *mlen = db_len - start;
        memcpy(m, db + start, *mlen);
        err = NULL;
    }
done:
    secret_wipe(em, sizeof em);
    return err;
}

tahr_err rsa_oaep_decrypt_fixed(uint8_t *m, size_t mlen, const uint8_t *c, size_t clen,
                                const struct oaep *oaep, const struct rsa_private *key)
{
    uint8_t em[RSA_MAX_LEN], want[RSA_MAX_LEN] = {0};
    size_t k = rsa_len(&key->pub), h = oaep->hash->len, prefix = k - h - mlen;
    tahr_err err = &bad_message;

    if (k < 2 * h + 2 || mlen > k - 2 * h - 2 || unmask(em, c, clen, oaep, key) != 0)
        goto done;
    /* The leading 00 goes over the seed's last byte: 00 || lHash || 00 .. 00 || 01 in one piece. */
    em[h] = em[0];
    oaep->hash->digest(want + 1, oaep->label.p, oaep->label.len);
    want[prefix - 1] = 1;
    choice ok = choice_of_bit((limb_t)secret_equal(em + h, want, prefix));
    if (declassify(ok)) { /* public: success */
        memcpy(m, em + k - mlen, mlen);
        err = NULL;
    }
done:
    secret_wipe(em, sizeof em);
    return err;
}
