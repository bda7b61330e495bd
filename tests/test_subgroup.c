/* Raw ElGamal in subgroups: every element of a tiny group, a group with a short q against OpenSSL's
 * numbers, and groups that are refused. */
#include "bn.h"
#include "subgroup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LEN   256 /* bytes of the large group's p */
#define Q_LEN 32

/* p = 2 q (k + 1282) + 1, q = 2^256 - 189, k = ceil(2^2047 / 2 q); g = 2^((p - 1)/q). */
static BIGNUM *p, *q, *g;
static uint8_t p_bytes[LEN], q_bytes[Q_LEN], g_bytes[LEN];
static tahr_group *group;

static int make_group(void **state)
{
    BIGNUM *k = BN_new(), *e = BN_new(), *two = BN_new();

    (void)state;
    p = BN_new(), q = BN_new(), g = BN_new();
    BN_set_word(two, 2);
    assert_ssl(BN_set_bit(q, 256) && BN_sub_word(q, 189));
    assert_ssl(BN_set_bit(p, 2047) && BN_lshift1(e, q));
    assert_ssl(BN_div(k, NULL, p, e, bn_ctx()) && BN_add_word(k, 1 + 1282));
    assert_ssl(BN_mul(p, e, k, bn_ctx()) && BN_add_word(p, 1));
    assert_ssl(BN_lshift1(e, k));
    assert_ssl(BN_mod_exp(g, two, e, p, bn_ctx()));
    BN_bn2binpad(p, p_bytes, LEN);
    BN_bn2binpad(q, q_bytes, Q_LEN);
    BN_bn2binpad(g, g_bytes, LEN);
    BN_free(k), BN_free(e), BN_free(two);
    return tahr_group_new(&group, p_bytes, LEN, q_bytes, Q_LEN, g_bytes, LEN) != NULL;
}

static int free_group(void **state)
{
    (void)state;
    tahr_group_free(group);
    BN_free(p), BN_free(q), BN_free(g);
    return 0;
}

/* --- p = 23, q = 11: {1, 2, 3, 4, 6, 8, 9, 12, 13, 16, 18} --- */

static int tiny_element(unsigned a)
{
    unsigned r = 1;

    for (int i = 0; i < 11; i++)
        r = r * a % 23;
    return a < 23 && r == 1;
}

static tahr_err tiny(struct tahr_group *t, uint8_t tiny_p, uint8_t tiny_q, uint8_t tiny_g)
{
    return subgroup_init(t, (struct bytes){&tiny_p, 1}, (struct bytes){&tiny_q, 1},
                         (struct bytes){&tiny_g, 1}, 3, 2);
}

static void test_tiny(void **state)
{
    static struct tahr_group t;

    (void)state;
    for (unsigned base = 2; base < 23; base++) {
        uint8_t x, y, m, c[2], d[2], found;
        uint64_t sum;

        assert_int_equal(tiny(&t, 23, 11, (uint8_t)base) == NULL, tiny_element(base));
        if (!tiny_element(base))
            continue;
        for (unsigned a = 0; a < 256; a++) {
            m = (uint8_t)a;
            assert_int_equal(tahr_group_check(&m, &t) == NULL, tiny_element(a));
        }
        for (x = 1; x < 11; x++)
            for (unsigned a = 0; a < 32; a++) {
                m = (uint8_t)a;
                assert_null(tahr_elgamal_public(&y, &x, &t));
                if (!tiny_element(a)) {
                    assert_non_null(tahr_elgamal_encrypt(c, &m, &y, &t));
                    continue;
                }
                assert_null(tahr_elgamal_encrypt(c, &m, &y, &t));
                assert_null(tahr_elgamal_decrypt(&found, c, &x, &t));
                assert_int_equal(found, m);
                assert_null(tahr_elgamal_rerandomize(d, c, &y, &t));
                assert_null(tahr_elgamal_multiply(c, c, d, &t));
                assert_null(tahr_elgamal_decrypt(&found, c, &x, &t));
                assert_int_equal(found, m * m % 23);
            }
        for (uint64_t a = 0; a < 11; a++) {
            assert_null(tahr_elgamal_new(&x, &y, &t));
            assert_in_range(x, 1, 10);
            assert_null(tahr_elgamal_encrypt_exponent(c, a, &y, &t));
            assert_null(tahr_elgamal_decrypt_exponent(&sum, c, &x, 10, &t));
            assert_int_equal(sum, a);
            assert_int_equal(tahr_elgamal_decrypt_exponent(&sum, c, &x, 5, &t) == NULL, a <= 5);
        }
    }
}

static void test_tiny_refused(void **state)
{
    static struct tahr_group t;
    uint8_t c[2] = {1, 1}, m, y;

    (void)state;
    assert_null(tiny(&t, 23, 11, 2));
    for (unsigned x = 0; x < 256; x++) {
        uint8_t b = (uint8_t)x;
        assert_int_equal(tahr_elgamal_public(&y, &b, &t) == NULL, x >= 1 && x < 11);
        assert_int_equal(tahr_elgamal_decrypt(&m, c, &b, &t) == NULL, x >= 1 && x < 11);
        assert_int_equal(tahr_elgamal_encrypt(c, (const uint8_t *)"\2", &b, &t) == NULL,
                         x > 1 && tiny_element(x));
        c[0] = c[1] = 1;
    }
    for (unsigned i = 0; i < 32 * 32; i++) {
        uint8_t pair[2] = {(uint8_t)(i % 32), (uint8_t)(i / 32)};
        int good = tiny_element(pair[0]) && tiny_element(pair[1]);
        uint8_t x = 3;

        y = 8; /* 2^3 */
        assert_int_equal(tahr_elgamal_decrypt(&m, pair, &x, &t) == NULL, good);
        assert_int_equal(tahr_elgamal_multiply(c, pair, (const uint8_t[]){1, 1}, &t) == NULL, good);
        assert_int_equal(tahr_elgamal_multiply(c, (const uint8_t[]){1, 1}, pair, &t) == NULL, good);
        assert_int_equal(tahr_elgamal_rerandomize(c, pair, &y, &t) == NULL, good);
    }
}

static void test_tiny_groups(void **state)
{
    static struct tahr_group t;

    (void)state;
    assert_null(tiny(&t, 31, 5, 2));
    assert_null(tiny(&t, 31, 3, 5));
    assert_non_null(tiny(&t, 31, 5, 5));  /* g of order 3 */
    assert_non_null(tiny(&t, 31, 7, 2));  /* q does not divide p - 1 */
    assert_non_null(tiny(&t, 31, 15, 4)); /* q is composite */
    assert_non_null(tiny(&t, 31, 2, 30)); /* q is even */
    assert_non_null(tiny(&t, 33, 5, 4));  /* p is composite: 4^5 = 1 mod 33 */
    assert_non_null(tiny(&t, 22, 5, 3));
    for (unsigned bad = 0; bad < 256; bad++)
        if (bad != 2 && bad != 4 && bad != 8 && bad != 16)
            assert_non_null(tiny(&t, 31, 5, (uint8_t)bad));
}

/* --- A large group --- */

static BIGNUM *number(const uint8_t *bytes, size_t len)
{
    return BN_bin2bn(bytes, (int)len, NULL);
}

/* r = a^e mod p. */
static BIGNUM *power(const BIGNUM *a, const BIGNUM *e)
{
    BIGNUM *r = BN_new();

    assert_ssl(BN_mod_exp(r, a, e, p, bn_ctx()));
    return r;
}

static void test_against_openssl(void **state)
{
    uint8_t x[Q_LEN], y[LEN], c[2 * LEN], m[LEN], found[LEN];
    BIGNUM *x_bn, *a, *b;

    (void)state;
    assert_int_equal(tahr_group_element_len(group), LEN);
    assert_int_equal(tahr_group_exponent_len(group), Q_LEN);
    assert_null(tahr_elgamal_new(x, y, group));
    x_bn = number(x, Q_LEN);
    a = power(g, x_bn);
    BN_bn2binpad(a, found, LEN);
    assert_memory_equal(y, found, LEN);
    BN_free(a);

    a = power(g, p);
    BN_bn2binpad(a, m, LEN);
    assert_null(tahr_elgamal_encrypt(c, m, y, group));
    b = number(c, LEN); /* m c1^x = c2 */
    BIGNUM *z = power(b, x_bn), *c2 = number(c + LEN, LEN);
    assert_ssl(BN_mod_mul(z, z, a, p, bn_ctx()));
    assert_int_equal(BN_cmp(z, c2), 0);
    assert_null(tahr_elgamal_decrypt(found, c, x, group));
    assert_memory_equal(found, m, LEN);
    BN_free(a), BN_free(b), BN_free(z), BN_free(c2), BN_free(x_bn);
}

static void test_large_elements(void **state)
{
    uint8_t a[LEN], x[Q_LEN], y[LEN], c[2 * LEN];
    BIGNUM *b = BN_dup(p);

    (void)state;
    assert_null(tahr_elgamal_new(x, y, group));
    assert_null(tahr_group_check(g_bytes, group));
    assert_non_null(tahr_group_check(p_bytes, group));
    assert_ssl(BN_sub_word(b, 1)); /* of order 2 */
    BN_bn2binpad(b, a, LEN);
    assert_non_null(tahr_group_check(a, group));
    assert_non_null(tahr_elgamal_encrypt(c, a, y, group));
    assert_int_equal(tahr_elgamal_encrypt(c, g_bytes, a, group)->code, TAHR_BAD_KEY);
    assert_int_equal(tahr_elgamal_public(y, q_bytes, group)->code, TAHR_BAD_KEY);
    BN_mod_sub(b, p, g, p, bn_ctx()); /* -g, of order 2 q */
    BN_bn2binpad(b, a, LEN);
    assert_int_equal(tahr_group_check(a, group)->code, TAHR_BAD_MESSAGE);
    memset(a, 0, LEN);
    assert_non_null(tahr_group_check(a, group));
    a[LEN - 1] = 1;
    assert_null(tahr_group_check(a, group));
    assert_non_null(tahr_elgamal_encrypt(c, g_bytes, a, group)); /* y = 1 */
    a[LEN - 1] = 2;
    assert_non_null(tahr_group_check(a, group));
    BN_free(b);
}

/* An election: the votes' product is their sum, whatever has been re-randomised. */
static void test_tally(void **state)
{
    uint8_t x[Q_LEN], y[LEN], sum[2 * LEN], vote[2 * LEN], before[2 * LEN];
    uint64_t found;

    (void)state;
    assert_null(tahr_elgamal_new(x, y, group));
    assert_null(tahr_elgamal_encrypt_exponent(sum, 0, y, group));
    for (uint64_t v = 0; v < 7; v++) {
        assert_null(tahr_elgamal_encrypt_exponent(vote, v % 2, y, group));
        memcpy(before, vote, sizeof vote);
        assert_null(tahr_elgamal_rerandomize(vote, vote, y, group));
        assert_memory_not_equal(vote, before, LEN);
        assert_memory_not_equal(vote + LEN, before + LEN, LEN);
        assert_null(tahr_elgamal_multiply(sum, sum, vote, group));
    }
    assert_null(tahr_elgamal_decrypt_exponent(&found, sum, x, 7, group));
    assert_int_equal(found, 3);
    assert_null(tahr_elgamal_decrypt_exponent(&found, sum, x, 3, group));
    assert_int_equal(tahr_elgamal_decrypt_exponent(&found, sum, x, 2, group)->code,
                     TAHR_BAD_MESSAGE);
    assert_int_equal(tahr_elgamal_decrypt_exponent(&found, sum, x, (uint64_t)1 << 40, group)->code,
                     TAHR_BAD_CALL);

    static const uint64_t large[] = {999, 1000, 1023999, 1024000, 0xfffff};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        assert_null(tahr_elgamal_encrypt_exponent(sum, large[i], y, group));
        assert_null(tahr_elgamal_decrypt_exponent(&found, sum, x, 0xfffff, group));
        assert_int_equal(found, large[i]);
    }
    assert_null(tahr_elgamal_encrypt_exponent(sum, UINT64_MAX, y, group));
    assert_non_null(tahr_elgamal_decrypt_exponent(&found, sum, x, 0xffff, group));
}

static void test_large_groups(void **state)
{
    static const uint8_t one[1] = {1}, large[LEN + 800] = {1};
    tahr_group *bad = group;
    uint8_t y[LEN], x[LEN];

    (void)state;
    assert_int_equal(tahr_group_new(&bad, p_bytes + 1, LEN - 1, q_bytes, Q_LEN, g_bytes, LEN)->code,
                     TAHR_BAD_KEY);
    assert_null(bad);
    assert_non_null(tahr_group_new(&bad, p_bytes, LEN, q_bytes, Q_LEN, one, 1));
    assert_non_null(tahr_group_new(&bad, p_bytes, LEN, q_bytes, Q_LEN, p_bytes, LEN));
    assert_non_null(tahr_group_new(&bad, p_bytes, LEN, one, 1, g_bytes, LEN));
    assert_non_null(tahr_group_new(&bad, p_bytes, LEN, q_bytes, 27, g_bytes, LEN));
    assert_non_null(tahr_group_new(&bad, p_bytes, LEN, p_bytes, LEN, g_bytes, LEN));
    assert_non_null(tahr_group_new(&bad, large, sizeof large, q_bytes, Q_LEN, g_bytes, LEN));
    assert_non_null(tahr_group_new(&bad, NULL, 0, q_bytes, Q_LEN, g_bytes, LEN));
    assert_int_equal(tahr_group_named(&bad, "ffdhe1024")->code, TAHR_BAD_CALL);
    assert_null(bad);
    tahr_group_free(NULL);

    assert_null(tahr_group_named(&bad, "ffdhe2048"));
    assert_int_equal(tahr_group_exponent_len(bad), LEN);
    assert_null(tahr_elgamal_new(x, y, bad));
    assert_null(tahr_group_check(y, bad));
    tahr_group_free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiny),           cmocka_unit_test(test_tiny_refused),
        cmocka_unit_test(test_tiny_groups),    cmocka_unit_test(test_against_openssl),
        cmocka_unit_test(test_large_elements), cmocka_unit_test(test_tally),
        cmocka_unit_test(test_large_groups),
    };
    assert_null(tahr_init());
    return cmocka_run_group_tests(tests, make_group, free_group);
}
