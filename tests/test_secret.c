/* secret.c and base64.c against OpenSSL, published answers, and all texts of two characters. */
#include "secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void fill(uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        p[i] = (uint8_t)(i * i * 7 + i + len);
}

static void test_memory(void **state)
{
    uint8_t *p = secret_alloc(1000), *q = secret_alloc(1000);

    (void)state;
    assert_non_null(p);
    assert_non_null(q);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(p[i], 0);
    secret_random(p, 1000);
    assert_false(secret_equal(p, q, 1000));
    memcpy(q, p, 1000);
    assert_true(secret_equal(p, q, 1000));
    q[999] ^= 1;
    assert_false(secret_equal(p, q, 1000));
    assert_true(secret_equal(p, q, 999));
    secret_wipe(p, 500);
    assert_int_equal(p[0] | p[499], 0);
    assert_memory_equal(p + 500, q + 500, 499);
    secret_free(p);
    secret_free(q);
    secret_free(NULL);
    assert_null(secret_alloc(SIZE_MAX / 2));
}

static void test_base64_lengths(void **state)
{
    uint8_t data[200], back[200];
    char text[300], openssl[300];

    (void)state;
    fill(data, sizeof data);
    for (size_t len = 0; len <= sizeof data; len++)
        for (int padded = 0; padded <= 1; padded++) {
            size_t got = 1, n = base64_len(len, padded);

            base64_encode(text, data, len, padded);
            assert_int_equal(strlen(text), n);
            EVP_EncodeBlock((unsigned char *)openssl, data, (int)len);
            assert_memory_equal(text, openssl, n);
            assert_int_equal(base64_decode(back, len, &got, text, n, padded), 0);
            assert_int_equal(got, len);
            assert_memory_equal(back, data, len);
            if (len > 0)
                assert_int_not_equal(base64_decode(back, len - 1, &got, text, n, padded), 0);
            if (len % 3 != 0) { /* the last digit has bits to spare, which are 0 */
                char *last = text + base64_len(len, 0) - 1;

                *last = strchr(digits, *last)[1];
                assert_int_not_equal(base64_decode(back, len, &got, text, n, padded), 0);
            }
        }
}

static void test_base64_refused(void **state)
{
    static const char *const padded[] = {
        "A",     "AA",    "AAA",   "AA=",    "A===", "=",        "====", "AB==",  "AAB=",
        "AA==A", "AA== ", " AA==", "AAA=\n", "AA-_", "AA==AA==", "AAA*", "AAAA=", "AAAA===="};
    static const char *const bare[] = {
        "A", "AAAAA", "AB", "AAB", "AA==", "AAA=", "AA A", "AA\n", "AA-_", "AA\x80", "="};
    uint8_t out[16];
    size_t len;

    (void)state;
    for (size_t i = 0; i < sizeof padded / sizeof *padded; i++)
        assert_int_not_equal(base64_decode(out, 16, &len, padded[i], strlen(padded[i]), 1), 0);
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        assert_int_not_equal(base64_decode(out, 16, &len, bare[i], strlen(bare[i]), 0), 0);
}

/* Of all two-character texts exactly the canonical ones of one byte are taken. */
static void test_base64_canonical(void **state)
{
    int taken = 0;

    (void)state;
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            char text[2] = {(char)a, (char)b}, again[3];
            uint8_t out[4];
            size_t len;

            if (base64_decode(out, sizeof out, &len, text, 2, 0) != 0)
                continue;
            taken++;
            assert_int_equal(len, 1);
            base64_encode(again, out, 1, 0);
            assert_memory_equal(again, text, 2);
        }
    assert_int_equal(taken, 256);
}

/* Every byte at places in all corners of a block of 64 digits. */
static void test_base64_every_byte(void **state)
{
    char text[193], again[193];
    uint8_t out[144];
    size_t len;

    (void)state;
    for (size_t at = 0; at < 192; at += at % 64 == 0 || at % 64 == 62 ? 1 : 61)
        for (int c = 0; c < 256; c++) {
            int good = c != 0 && strchr(digits, c) != NULL;

            memset(text, 'Z', 192);
            text[at] = (char)c;
            assert_int_equal(base64_decode(out, sizeof out, &len, text, 192, 0), good ? 0 : -1);
            if (!good)
                continue;
            assert_int_equal(len, 144);
            base64_encode(again, out, len, 0);
            assert_memory_equal(again, text, 192);
        }
}

static void test_hashes(void **state)
{
    const struct hash *const hashes[] = {&hash_sha256, &hash_sha512};
    const EVP_MD *const md[] = {EVP_sha256(), EVP_sha512()};
    uint8_t data[300], ours[HASH_MAX], theirs[EVP_MAX_MD_SIZE];
    unsigned int n;

    (void)state;
    fill(data, sizeof data);
    for (int h = 0; h < 2; h++)
        for (size_t len = 0; len <= sizeof data; len++) {
            hashes[h]->digest(ours, data, len);
            assert_int_equal(EVP_Digest(data, len, theirs, &n, md[h], NULL), 1);
            assert_int_equal(hashes[h]->len, n);
            assert_memory_equal(ours, theirs, n);
        }
}

/* Any division of the input into parts gives the same. */
static void test_parts(void **state)
{
    uint8_t data[130], ours[32], theirs[EVP_MAX_MD_SIZE];
    unsigned int n;

    (void)state;
    fill(data, sizeof data);
    for (size_t i = 0; i <= sizeof data; i += 13)
        for (size_t key = 0; key <= sizeof data; key += 10) {
            struct bytes parts[] = {{data, i}, {NULL, 0}, {data + i, sizeof data - i}};

            secret_sha256(ours, parts, 3);
            EVP_Digest(data, sizeof data, theirs, &n, EVP_sha256(), NULL);
            assert_memory_equal(ours, theirs, 32);
            secret_hmac(ours, (struct bytes){data, key}, parts, 3);
            HMAC(EVP_sha256(), data, (int)key, data, sizeof data, theirs, &n);
            assert_memory_equal(ours, theirs, 32);
        }
}

static void openssl_hkdf(uint8_t *out, size_t len, const uint8_t *ikm, int ikm_len,
                         const uint8_t *salt, int salt_len, const char *info)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);

    assert_int_equal(EVP_PKEY_derive_init(ctx), 1);
    assert_int_equal(EVP_PKEY_CTX_set_hkdf_md(ctx, EVP_sha256()), 1);
    assert_int_equal(EVP_PKEY_CTX_set1_hkdf_salt(ctx, salt, salt_len), 1);
    assert_int_equal(EVP_PKEY_CTX_set1_hkdf_key(ctx, ikm, ikm_len), 1);
    assert_int_equal(
        EVP_PKEY_CTX_add1_hkdf_info(ctx, (const unsigned char *)info, (int)strlen(info)), 1);
    assert_int_equal(EVP_PKEY_derive(ctx, out, &len), 1);
    EVP_PKEY_CTX_free(ctx);
}

/* Salts around the block of 64 bytes, in one part and in two; outputs to the longest there is. */
static void test_hkdf_openssl(void **state)
{
    static const size_t outs[] = {1, 31, 32, 33, 64, 100, 32 * 255};
    static uint8_t ours[32 * 255], theirs[32 * 255];
    uint8_t data[400];

    (void)state;
    fill(data, sizeof data);
    for (size_t salt = 0; salt <= 300; salt += salt < 60 || salt > 70 ? 20 : 1)
        for (size_t i = 0; i < sizeof outs / sizeof *outs; i++) {
            struct bytes parts[] = {{data + 5, salt / 3}, {data + 5 + salt / 3, salt - salt / 3}};

            secret_hkdf(ours, outs[i], (struct bytes){data, 48}, parts, 2, "some info");
            openssl_hkdf(theirs, outs[i], data, 48, data + 5, (int)salt, "some info");
            assert_memory_equal(ours, theirs, outs[i]);
        }
}

/* RFC 5869 A.3: no salt, no info. */
static void test_hkdf_rfc5869(void **state)
{
    static const uint8_t okm[42] = {
        0x8d, 0xa4, 0xe7, 0x75, 0xa5, 0x63, 0xc1, 0x8f, 0x71, 0x5f, 0x80, 0x2a, 0x06, 0x3c,
        0x5a, 0x31, 0xb8, 0xa1, 0x1f, 0x5c, 0x5e, 0xe1, 0x87, 0x9e, 0xc3, 0x45, 0x4e, 0x5f,
        0x3c, 0x73, 0x8d, 0x2d, 0x9d, 0x20, 0x13, 0x95, 0xfa, 0xa4, 0xb6, 0x1a, 0x96, 0xc8};
    uint8_t ikm[22], out[42];

    (void)state;
    memset(ikm, 0x0b, sizeof ikm);
    secret_hkdf(out, sizeof out, (struct bytes){ikm, sizeof ikm}, NULL, 0, "");
    assert_memory_equal(out, okm, sizeof okm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_base64_lengths),
        cmocka_unit_test(test_base64_refused),
        cmocka_unit_test(test_base64_canonical),
        cmocka_unit_test(test_base64_every_byte),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_hkdf_openssl),
        cmocka_unit_test(test_hkdf_rfc5869),
    };

    if (secret_init() != 0 || secret_init() != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
