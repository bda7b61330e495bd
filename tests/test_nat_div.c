/* Division, constant time and Knuth's D, against BN and against q b + r = a; division by a word. */
#include "bn.h"
#include "edges.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define WIDTH 20

static limb_t a[WIDTH], b[WIDTH], q[WIDTH], r[WIDTH], scratch[2 * WIDTH + 1];
static BIGNUM *ba, *bb, *bq, *br;

/* Both divisions of a by b, with NULL for what is not wanted, and every alias that is allowed. */
static void check_division(int an, int bn)
{
    limb_t a2[WIDTH], b2[WIDTH];
    bn_set_nat(ba, a, an);
    bn_set_nat(bb, b, bn);
    assert_ssl(BN_div(bq, br, ba, bb, bn_ctx()));
    nat_div(q, r, a, an, b, bn);
    assert_nat_bn(q, an, bq);
    assert_nat_bn(r, bn, br);
    nat_copy(a2, a, an);
    nat_div(a2, NULL, a2, an, b, bn);
    assert_nat_bn(a2, an, bq);
    nat_div_vartime(q, r, a, an, b, bn, scratch);
    assert_nat_bn(q, an, bq);
    assert_nat_bn(r, bn, br);
    nat_div_vartime(NULL, r, a, an, b, bn, scratch);
    assert_nat_bn(r, bn, br);
    nat_copy(a2, a, an);
    nat_copy(b2, b, bn);
    nat_div_vartime(a2, b2, a2, an, b2, bn, scratch);
    assert_nat_bn(a2, an, bq);
    assert_nat_bn(b2, bn, br);
    if (an == bn) {
        nat_copy(a2, a, an);
        nat_copy(b2, b, bn);
        nat_div_vartime(b2, a2, a2, an, b2, bn, scratch);
        assert_nat_bn(b2, an, bq);
        assert_nat_bn(a2, bn, br);
    }
}

static void edges_and_random(void **state)
{
    (void)state;
    for (int an = 1; an <= 9; an++) {
        for (int bn = 1; bn <= 5; bn++) {
            for (int i = 0; i < EDGES * EDGES; i++) {
                edge_nat(a, an, an * LIMB_BITS, i / EDGES);
                edge_nat(b, bn, bn * LIMB_BITS, i % EDGES);
                if (!declassify(nat_is_zero(b, bn))) /* a test: nothing is secret */
                    check_division(an, bn);
            }
            for (int i = 0; i < 50; i++) {
                random_nat(a, an, an * LIMB_BITS);
                random_nat(b, bn, 1 + (int)(test_random() % (unsigned)(bn * LIMB_BITS)));
                b[0] |= 1;
                check_division(an, bn);
            }
        }
    }
    random_nat(a, WIDTH, WIDTH * LIMB_BITS);
    random_nat(b, WIDTH, WIDTH / 2 * LIMB_BITS);
    check_division(WIDTH, WIDTH);
}

/* Two limbs by one and two at 8 bits: every b of a sample of a; quotients of every digit. */
static void two_limbs(void **state)
{
    (void)state;
    if (LIMB_BITS != 8)
        skip();
    for (uint32_t x = 0; x < 65536; x += 251) {
        for (uint32_t y = 1; y < 65536; y += y < 512 ? 1 : 17) {
            limb_t lx[2] = {(limb_t)x, (limb_t)(x >> LIMB_BITS % 32)};
            limb_t ly[2] = {(limb_t)y, (limb_t)(y >> LIMB_BITS % 32)}, lq[2], lr[2], lv[2], lw[2];
            nat_div(lq, lr, lx, 2, ly, 2);
            nat_div_vartime(lv, lw, lx, 2, ly, 2, scratch);
            if ((uint32_t)(lq[0] | lq[1] << LIMB_BITS % 32) != x / y ||
                (uint32_t)(lr[0] | lr[1] << LIMB_BITS % 32) != x % y || lv[0] != lq[0] ||
                lv[1] != lq[1] || lw[0] != lr[0] || lw[1] != lr[1])
                fail_msg("%u / %u", x, y);
        }
    }
}

/* Numerators (q b + r) of three by two limbs near the places where Knuth's digit is corrected: all
 * combinations of limbs 0, 1, half, half+1, B-2, B-1. */
static void digit_corrections(void **state)
{
    (void)state;
    limb_t half = (limb_t)1 << (LIMB_BITS - 1);
    const limb_t limb[] = {0, 1, (limb_t)(half - 1), half, LIMB_MAX - 1, LIMB_MAX};
    for (int i = 0; i < 6 * 6 * 6 * 6; i++) {
        for (int j = 1; j < 6 * 6 * 6; j++) {
            for (int k = 0, x = i; k < 4; k++, x /= 6)
                a[k] = limb[x % 6];
            for (int k = 0, x = j; k < 3; k++, x /= 6)
                b[k] = limb[x % 6];
            nat_div(q, r, a, 4, b, 3);
            limb_t v[4], w[3];
            nat_div_vartime(v, w, a, 4, b, 3, scratch);
            assert_int_equal(declassify(choice_and(nat_eq(q, v, 4), nat_eq(r, w, 3))),
                             1); /* test */
        }
    }
}

static void by_word(void **state)
{
    (void)state;
    for (int i = 0; i < 64 * EDGES; i++) {
        int n = 1 + i % WIDTH;
        uint32_t d = i % 3 == 0   ? (uint32_t)0 - 1 - (uint32_t)(i / 100)
                     : i % 3 == 1 ? (uint32_t)(i / 20) + 1
                                  : (uint32_t)(test_random() >> 32) | 1;
        edge_nat(a, n, n * LIMB_BITS, i % EDGES);
        bn_set_nat(bq, a, n);
        BN_ULONG rest = BN_div_word(bq, d);
        assert_int_equal(nat_div_word(q, a, d, n), rest);
        assert_nat_bn(q, n, bq);
        assert_int_equal(nat_div_word(NULL, a, d, n), rest);
        assert_int_equal(nat_div_word(a, a, d, n), rest);
        assert_nat_bn(a, n, bq);
    }
}

int main(void)
{
    ba = BN_new(), bb = BN_new(), bq = BN_new(), br = BN_new();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_and_random),
        cmocka_unit_test(two_limbs),
        cmocka_unit_test(digit_corrections),
        cmocka_unit_test(by_word),
    };
    int failed = cmocka_run_group_tests_name("nat_div", tests, NULL, NULL);
    BN_free(ba), BN_free(bb), BN_free(bq), BN_free(br);
    return failed;
}
