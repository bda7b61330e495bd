/* Products and squares against BN and against each other; products with a limb and with a word. */
#include "bn.h"
#include "edges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WIDTH (2 * NAT_MAX)

static limb_t a[WIDTH], b[WIDTH], r[2 * WIDTH], s[2 * WIDTH];
static BIGNUM *ba, *bb, *br;

static void one_limb(void **state)
{
    (void)state;
    int count = LIMB_BITS == 8 ? 256 : EDGES;
    for (int i = 0; i < count * count; i++) {
        limb_t x = (limb_t)(i / count), y = (limb_t)(i % count), z[2];
        if (LIMB_BITS > 8) {
            edge_nat(&x, 1, LIMB_BITS, i / count);
            edge_nat(&y, 1, LIMB_BITS, i % count);
        }
        dlimb_t want = (dlimb_t)((dlimb_t)x * y);
        nat_mul(z, &x, 1, &y, 1);
        assert_int_equal(z[0], (limb_t)want);
        assert_int_equal(z[1], (limb_t)(want >> LIMB_BITS));
        nat_sqr(z, &x, 1);
        want = (dlimb_t)((dlimb_t)x * x);
        assert_int_equal(z[0], (limb_t)want);
        assert_int_equal(z[1], (limb_t)(want >> LIMB_BITS));
    }
}

static void check_product(int an, int bn)
{
    bn_set_nat(ba, a, an);
    bn_set_nat(bb, b, bn);
    assert_ssl(BN_mul(br, ba, bb, bn_ctx()));
    memset(r, 0x55, sizeof r);
    nat_mul(r, a, an, b, bn);
    assert_nat_bn(r, an + bn, br);
    nat_mul(s, b, bn, a, an);
    assert_memory_equal(r, s, (size_t)(an + bn) * sizeof *r);
    nat_mul(r, a, an, a, an);
    memset(s, 0x55, sizeof s);
    nat_sqr(s, a, an);
    assert_memory_equal(r, s, 2 * (size_t)an * sizeof *r);
}

static void edges(void **state)
{
    (void)state;
    for (int an = 1; an <= 9; an++) {
        for (int bn = 1; bn <= 9; bn++) {
            for (int i = 0; i < EDGES * EDGES; i++) {
                edge_nat(a, an, an * LIMB_BITS, i / EDGES);
                edge_nat(b, bn, bn * LIMB_BITS, i % EDGES);
                check_product(an, bn);
            }
        }
    }
}

static void widths(void **state)
{
    (void)state;
    static const int some[] = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 40, 48, 63, 64};
    int count = (int)(sizeof some / sizeof *some);
    for (int i = 0; i < count * count; i++) {
        int an = some[i / count], bn = some[i % count];
        random_nat(a, an, an * LIMB_BITS);
        random_nat(b, bn, bn * LIMB_BITS);
        check_product(an, bn);
    }
}

/* All ones at the largest widths: the column sums are as large as they can be. */
static void largest(void **state)
{
    (void)state;
    memset(a, 0xff, sizeof a);
    memset(b, 0xff, sizeof b);
    nat_mul(r, a, WIDTH, b, WIDTH);
    nat_sqr(s, a, WIDTH);
    assert_memory_equal(r, s, sizeof r);
    /* (B^n - 1)^2 = B^2n - 2 B^n + 1. */
    for (int i = 0; i < 2 * WIDTH; i++)
        assert_int_equal(r[i], i == 0 ? 1 : i < WIDTH ? 0 : i == WIDTH ? LIMB_MAX - 1 : LIMB_MAX);
}

static void by_limb_and_word(void **state)
{
    (void)state;
    for (int i = 0; i < 20 * EDGES; i++) {
        int n = 1 + i % 19;
        limb_t w = i % 3 ? (limb_t)test_random() : LIMB_MAX;
        uint32_t d = i % 5 ? (uint32_t)test_random() : UINT32_MAX;
        uint32_t c = i % 4 ? (uint32_t)test_random() : UINT32_MAX;
        edge_nat(a, n, n * LIMB_BITS, i % EDGES);
        random_nat(b, n, n * LIMB_BITS);
        nat_mul(r, a, n, &w, 1);
        assert_int_equal(nat_mul_limb(s, a, w, n), r[n]);
        assert_memory_equal(s, r, (size_t)n * sizeof *r);
        limb_t carry = (limb_t)(r[n] + nat_add(r, r, b, n));
        assert_int_equal(nat_mul_add_limb(b, a, w, n), carry);
        assert_memory_equal(b, r, (size_t)n * sizeof *r);
        bn_set_nat(ba, a, n);
        assert_ssl(BN_mul_word(ba, d));
        assert_ssl(BN_add_word(ba, c));
        uint32_t out = nat_mul_word(a, a, d, c, n);
        bn_set_nat(br, a, n);
        assert_ssl(BN_set_word(bb, out));
        assert_ssl(BN_lshift(bb, bb, n * LIMB_BITS));
        assert_ssl(BN_add(br, br, bb));
        assert_int_equal(BN_cmp(br, ba), 0);
    }
}

int main(void)
{
    ba = BN_new(), bb = BN_new(), br = BN_new();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_limb),         cmocka_unit_test(edges),
        cmocka_unit_test(widths),           cmocka_unit_test(largest),
        cmocka_unit_test(by_limb_and_word),
    };
    int failed = cmocka_run_group_tests_name("nat_mul", tests, NULL, NULL);
    BN_free(ba), BN_free(bb), BN_free(br);
    return failed;
}
