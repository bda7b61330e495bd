/* Long products of printable integers against GMP, of widths around those where the rule changes,
 * and of numbers whose halves are equal, zero or all ones. */
#include "mp.h"
#include "mp_long.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#define WIDTH_MAX 2000

static limb_t a[WIDTH_MAX], b[WIDTH_MAX], r[2 * WIDTH_MAX + 1], expected[2 * WIDTH_MAX];

static void fill(limb_t *x, int n, int kind)
{
    for (int i = 0; i < n; i++)
        switch (kind) {
        case 0:
            x[i] = 0;
            break;
        case 1:
            x[i] = LIMB_MAX;
            break;
        case 2:
            x[i] = i < n / 2 ? LIMB_MAX : 0;
            break;
        case 3:
            x[i] = i < n / 2 ? 0 : LIMB_MAX;
            break;
        default:
            for (size_t k = 0; k < sizeof *x; k++)
                x[i] = (limb_t)(x[i] << 4 << 4 | (limb_t)(rand() & 0xff));
        }
}

static void product(limb_t *out, int an, int bn)
{
    mpz_t x, y;
    size_t count = 0;

    mpz_inits(x, y, NULL);
    mpz_import(x, (size_t)an, -1, sizeof *a, 0, 0, a);
    mpz_import(y, (size_t)bn, -1, sizeof *b, 0, 0, b);
    mpz_mul(x, x, y);
    memset(out, 0, (size_t)(an + bn) * sizeof *out);
    mpz_export(out, &count, -1, sizeof *out, 0, 0, x);
    assert_true(count <= (size_t)(an + bn));
    mpz_clears(x, y, NULL);
}

static void check(int an, int bn, int kind_a, int kind_b)
{
    fill(a, an, kind_a);
    fill(b, bn, kind_b);
    r[an + bn] = 0x5a;
    assert_int_equal(mp_long_mul(r, a, an, b, bn), 0);
    product(expected, an, bn);
    assert_memory_equal(r, expected, (size_t)(an + bn) * sizeof *r);
    assert_int_equal(r[an + bn], 0x5a);
}

static void test_widths(void **state)
{
    static const int width[] = {1, 39, 40, 41, 79, 80, 81, 82, 119, 160, 161, 163, 500, 999};

    (void)state;
    for (size_t i = 0; i < sizeof width / sizeof *width; i++)
        for (size_t j = 0; j < sizeof width / sizeof *width; j++)
            check(width[i], width[j], 9, 9);
    for (int n = 38; n < 180; n++) {
        check(n, n, 9, 9);
        check(n, 40 + rand() % n, 9, 9);
    }
}

static void test_halves(void **state)
{
    static const int width[] = {40, 41, 80, 97, 200};

    (void)state;
    for (size_t i = 0; i < sizeof width / sizeof *width; i++)
        for (int x = 0; x < 5; x++)
            for (int y = 0; y < 5; y++) {
                check(width[i], width[i], x, y);
                check(width[i] + 63, width[i], x, y);
            }
}

/* mp_mul goes this way above MP_LONG, in place too. */
static void test_mp_mul(void **state)
{
    mp_int x, y, z;

    (void)state;
    assert_int_equal(mp_init_multi(&x, &y, &z, NULL), MP_OKAY);
    assert_int_equal(mp_2expt(&x, (MP_LONG + 3) * DIGIT_BIT), MP_OKAY);
    assert_int_equal(mp_decr(&x), MP_OKAY); /* 2^k - 1 */
    assert_int_equal(mp_neg(&x, &y), MP_OKAY);
    assert_int_equal(mp_mul(&x, &y, &y), MP_OKAY); /* -(2^2k - 2^(k+1) + 1) */
    assert_int_equal(mp_2expt(&z, 2 * (MP_LONG + 3) * DIGIT_BIT), MP_OKAY);
    assert_int_equal(mp_add(&z, &y, &z), MP_OKAY);
    assert_int_equal(mp_incr(&z), MP_OKAY); /* 2^(k+1) */
    assert_int_equal(mp_cnt_lsb(&z), (MP_LONG + 3) * DIGIT_BIT + 1);
    assert_int_equal(mp_count_bits(&z), (MP_LONG + 3) * DIGIT_BIT + 2);
    mp_clear_multi(&x, &y, &z, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_mp_mul),
    };

    srand(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
