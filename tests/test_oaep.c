/* OAEP against OpenSSL, and ciphertexts made to be refused. */
#include "bn.h"
#include "rsa_ssl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/rsa.h>

/* --- Against OpenSSL --- */

static struct rsa_private *key; /* 2048 bits, the same as pkey */
static EVP_PKEY *pkey;

static EVP_PKEY_CTX *evp_oaep(const struct oaep *oaep, int decrypt)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pkey, NULL);
    const struct hash *mgf1 = oaep->mgf1_hash ? oaep->mgf1_hash : oaep->hash;
    assert_ssl(decrypt ? EVP_PKEY_decrypt_init(ctx) : EVP_PKEY_encrypt_init(ctx));
    assert_ssl(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING));
    assert_ssl(EVP_PKEY_CTX_set_rsa_oaep_md(ctx, ssl_digest(oaep->hash)));
    assert_ssl(EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, ssl_digest(mgf1)));
    if (oaep->label.len > 0) {
        void *copy = OPENSSL_memdup(oaep->label.p, oaep->label.len);
        assert_ssl(EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, copy, (int)oaep->label.len));
    }
    return ctx;
}

/* m of mlen bytes, there and back, ours and OpenSSL's each way. */
static void check_both_ways(const uint8_t *m, size_t mlen, const struct oaep *oaep)
{
    uint8_t c[RSA_MAX_LEN], out[RSA_MAX_LEN];
    size_t k = rsa_len(&key->pub), len = k;

    assert_null(rsa_oaep_encrypt(c, m, mlen, oaep, &key->pub));
    EVP_PKEY_CTX *ctx = evp_oaep(oaep, 1);
    assert_ssl(EVP_PKEY_decrypt(ctx, out, &len, c, k));
    EVP_PKEY_CTX_free(ctx);
    assert_int_equal(len, mlen);
    assert_memory_equal(out, m, mlen);

    ctx = evp_oaep(oaep, 0);
    len = k;
    assert_ssl(EVP_PKEY_encrypt(ctx, c, &len, m, mlen));
    EVP_PKEY_CTX_free(ctx);
    assert_null(rsa_oaep_decrypt(out, &len, c, k, oaep, key));
    assert_int_equal(len, mlen);
    assert_memory_equal(out, m, mlen);
    memset(out, 0, sizeof out);
    assert_null(rsa_oaep_decrypt_fixed(out, mlen, c, k, oaep, key));
    assert_memory_equal(out, m, mlen);
}

static void both_ways(void **state)
{
    (void)state;
    static const struct bytes labels[] = {{"", 0}, {"age-encryption.org/v1/ssh-rsa", 29}};
    uint8_t m[RSA_MAX_LEN];
    secret_random(m, sizeof m);
    m[0] = 1; /* what looks like the separator is part of the message */
    for (int i = 0; i < SSL_HASHES * SSL_HASHES; i++) {
        struct oaep oaep = {ssl_hashes[i / SSL_HASHES], ssl_hashes[i % SSL_HASHES], labels[i % 2]};
        if (i / SSL_HASHES == i % SSL_HASHES)
            oaep.mgf1_hash = NULL;
        size_t max = rsa_len(&key->pub) - 2 * oaep.hash->len - 2;
        const size_t lengths[] = {0, 1, 16, max - 1, max};
        for (int j = 0; j < 5; j++)
            check_both_ways(m, lengths[j], &oaep);
        uint8_t c[RSA_MAX_LEN];
        tahr_err err = rsa_oaep_encrypt(c, m, max + 1, &oaep, &key->pub);
        assert_non_null(err);
        assert_int_equal(err->code, TAHR_BAD_CALL);
    }
}

static void encryption_is_random(void **state)
{
    (void)state;
    struct oaep oaep = {&hash_sha256, NULL, {"", 0}};
    uint8_t c[2][RSA_MAX_LEN], m[16] = {0};
    for (int i = 0; i < 2; i++)
        assert_null(rsa_oaep_encrypt(c[i], m, sizeof m, &oaep, &key->pub));
    assert_memory_not_equal(c[0], c[1], rsa_len(&key->pub));
}

/* --- Ciphertexts that are refused --- */

static const struct oaep age = {&hash_sha256, NULL, {"age-encryption.org/v1/ssh-rsa", 29}};
#define H  32
#define K  256
#define DB (1 + H)  /* where DB begins in EM */
#define PS (DB + H) /* and the zeros */
#define M  (K - 16) /* and the message */

static void mgf1_xor(uint8_t *out, size_t len, const uint8_t *seed, size_t seed_len)
{
    uint8_t in[K + 4] = {0}, digest[H];
    for (size_t i = 0; i < len; i++) {
        memcpy(in, seed, seed_len);
        in[seed_len + 3] = (uint8_t)(i / H);
        if (i % H == 0)
            assert_ssl(EVP_Digest(in, seed_len + 4, digest, NULL, EVP_sha256(), NULL));
        out[i] ^= digest[i % H];
    }
}

/* em = 00 || seed || lHash || 00 .. 00 || 01 || m, not yet masked, with m = 16 random bytes. */
static void encode(uint8_t em[K])
{
    memset(em, 0, K);
    secret_random(em + 1, H);
    assert_ssl(EVP_Digest(age.label.p, age.label.len, em + DB, NULL, EVP_sha256(), NULL));
    em[M - 1] = 1;
    secret_random(em + M, 16);
}

/* c = the masked em, encrypted. */
static void seal(uint8_t c[K], const uint8_t em[K])
{
    uint8_t masked[K];
    memcpy(masked, em, K);
    mgf1_xor(masked + DB, K - DB, masked + 1, H);
    mgf1_xor(masked + 1, H, masked + DB, K - DB);
    assert_null(rsa_public_op(c, masked, &key->pub));
}

static tahr_err the_error; /* the one error of every failure */

static void check_error(tahr_err err)
{
    assert_non_null(err);
    assert_int_equal(err->code, TAHR_BAD_MESSAGE);
    if (the_error == NULL)
        the_error = err;
    assert_ptr_equal(err, the_error);
}

/* Both ways of decrypting give that one error, and nothing else. */
static void check_refused(const uint8_t *c, size_t clen)
{
    uint8_t out[RSA_MAX_LEN], before[RSA_MAX_LEN];
    size_t len = 12345;
    memset(before, 0xa5, sizeof before);
    memcpy(out, before, sizeof out);
    check_error(rsa_oaep_decrypt(out, &len, c, clen, &age, key));
    assert_int_equal(len, 12345);
    check_error(rsa_oaep_decrypt_fixed(out, 16, c, clen, &age, key));
    assert_memory_equal(out, before, sizeof out);
}

/* em is refused by the fixed length of 16, and gives the other call a message of mlen bytes. */
static void check_other_length(const uint8_t em[K], size_t mlen)
{
    uint8_t c[K], out[K];
    size_t len;
    seal(c, em);
    check_error(rsa_oaep_decrypt_fixed(out, 16, c, K, &age, key));
    assert_null(rsa_oaep_decrypt(out, &len, c, K, &age, key));
    assert_int_equal(len, mlen);
    assert_memory_equal(out, em + K - mlen, mlen);
}

static void a_good_one(void **state)
{
    (void)state;
    uint8_t em[K], c[K], out[K];
    size_t len;
    encode(em);
    seal(c, em);
    assert_null(rsa_oaep_decrypt(out, &len, c, K, &age, key));
    assert_int_equal(len, 16);
    assert_memory_equal(out, em + M, 16);
    memset(out, 0xa5, sizeof out);
    assert_null(rsa_oaep_decrypt_fixed(out, 16, c, K, &age, key));
    assert_memory_equal(out, em + M, 16);
    assert_int_equal(out[16], 0xa5);
}

static void first_byte(void **state)
{
    (void)state;
    uint8_t em[K], c[K], n[K];
    nat_to_bytes(n, K, key->pub.n.m, key->pub.n.n);
    for (int y = 1; y < n[0]; y++) { /* so that em < n */
        encode(em);
        em[0] = (uint8_t)y;
        seal(c, em);
        check_refused(c, K);
    }
}

static void label_hash(void **state)
{
    (void)state;
    uint8_t em[K], c[K];
    for (int bit = 0; bit < 8 * H; bit += 5) {
        encode(em);
        em[DB + bit / 8] ^= (uint8_t)(1 << bit % 8);
        seal(c, em);
        check_refused(c, K);
    }
    struct oaep other = {&hash_sha256, NULL, {"another", 7}};
    assert_null(rsa_oaep_encrypt(c, em, 16, &other, &key->pub));
    check_refused(c, K);
    other.label.len = 0;
    assert_null(rsa_oaep_encrypt(c, em, 16, &other, &key->pub));
    check_refused(c, K);
}

static void padding(void **state)
{
    (void)state;
    uint8_t em[K], c[K];
    for (int at = PS; at < M - 1; at += 7) {
        encode(em);
        em[at] = (uint8_t)(2 + at % 254);
        seal(c, em);
        check_refused(c, K);
        em[at] = 1; /* a longer message */
        check_other_length(em, (size_t)(K - 1 - at));
    }
    static const uint8_t separators[] = {2, 3, 0x80, 0x81, 0xff};
    for (size_t i = 0; i < sizeof separators; i++) {
        encode(em);
        em[M - 1] = separators[i];
        seal(c, em);
        check_refused(c, K);
    }
    encode(em);
    em[M - 1] = 0, em[M] = 1; /* a message shorter by one */
    check_other_length(em, 15);
    memset(em + M - 1, 0, 17);
    em[K - 1] = 1; /* an empty one */
    check_other_length(em, 0);
    em[K - 1] = 0; /* nothing but zeros */
    seal(c, em);
    check_refused(c, K);
    em[K - 1] = 2;
    seal(c, em);
    check_refused(c, K);
}

static void numbers_that_are_no_encoding(void **state)
{
    (void)state;
    uint8_t em[K] = {0}, c[K + 1] = {0}, n[K];
    nat_to_bytes(n, K, key->pub.n.m, key->pub.n.n);
    check_refused(c, K); /* c = m = 0, and 1 */
    c[K - 1] = 1;
    check_refused(c, K);
    memcpy(c, n, K); /* c = n */
    check_refused(c, K);
    c[K - 1]--; /* c = m = n - 1 */
    check_refused(c, K);
    memset(c, 0xff, K);
    check_refused(c, K);
    for (int i = 0; i < 4; i++) {
        secret_random(em + 1, K - 1);
        assert_null(rsa_public_op(c, em, &key->pub));
        check_refused(c, K);
    }
}

static void lengths(void **state)
{
    (void)state;
    uint8_t em[K], c[K + 1] = {0}, out[K];
    encode(em);
    seal(c, em);
    check_refused(c, K - 1);
    check_refused(c + 1, K - 1);
    check_refused(c, K + 1);
    check_refused(c, 0);
    memmove(c + 1, c, K);
    c[0] = 0;
    check_refused(c, K + 1);
    for (size_t len = 0; len <= K; len++)
        if (len != 16)
            check_error(rsa_oaep_decrypt_fixed(out, len, c + 1, K, &age, key));
    check_error(rsa_oaep_decrypt_fixed(out, SIZE_MAX, c + 1, K, &age, key));
    check_error(rsa_oaep_decrypt_fixed(out, SIZE_MAX - 2 * H - 1, c + 1, K, &age, key));
}

/* A key whose modulus has no room for two hashes. */
static void short_key(void **state)
{
    (void)state;
    struct rsa_fixture k = rsa_fixture_new();
    struct rsa_private *small = secret_alloc(sizeof *small);
    struct oaep oaep = {&hash_sha512, NULL, {"", 0}};
    uint8_t c[132] = {0}, out[132];
    size_t len;
    for (int bits = 512; bits <= 1032; bits += 520) {
        rsa_fixture_random(&k, bits / 2, bits / 2, 65537);
        assert_null(rsa_of_fixture(small, &k, 512));
        tahr_err err = rsa_oaep_encrypt(out, c, 0, &oaep, &small->pub);
        assert_non_null(err);
        assert_int_equal(err->code, TAHR_BAD_CALL);
        check_error(rsa_oaep_decrypt(out, &len, c, rsa_len(&small->pub), &oaep, small));
        check_error(rsa_oaep_decrypt_fixed(out, 0, c, rsa_len(&small->pub), &oaep, small));
    }
    secret_free(small);
    rsa_fixture_free(&k);
}

static int make_key(void **state)
{
    (void)state;
    key = secret_alloc(sizeof *key);
    assert_non_null(key);
    assert_null(rsa_generate(key, 8 * K, NULL));
    pkey = evp_of_rsa(key);
    return 0;
}

static int free_key(void **state)
{
    (void)state;
    EVP_PKEY_free(pkey);
    secret_free(key);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(encryption_is_random),
        cmocka_unit_test(a_good_one),
        cmocka_unit_test(first_byte),
        cmocka_unit_test(label_hash),
        cmocka_unit_test(padding),
        cmocka_unit_test(numbers_that_are_no_encoding),
        cmocka_unit_test(lengths),
        cmocka_unit_test(short_key),
    };
    return secret_init() != 0 ? 1 : cmocka_run_group_tests(tests, make_key, free_key);
}
