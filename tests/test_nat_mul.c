/* Products and squares, by each row of the table of multipliers, whole and halved down to one limb,
 * against BN and against each other; products with a limb and with a word. */
#include "nat_mul.h"

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

/* A row of the table, and how it is asked: alone, or from two limbs on by halves. */
struct way {
    struct multiplier row;
    int halves;
};

static limb_t scratch[NAT_HALVES_SCRATCH(WIDTH) + 1];

static void way_mul(limb_t *p, int an, int bn, const struct way *way)
{
    int room = NAT_HALVES_SCRATCH(an < bn ? an : bn);
    scratch[room] = 0x5a;
    if (way->halves)
        nat_mul_halves(p, a, an, b, bn, scratch, &way->row);
    else
        way->row.mul(p, a, an, b, bn);
    assert_int_equal(scratch[room], 0x5a);
}

static void way_sqr(limb_t *p, int n, const struct way *way)
{
    int room = NAT_HALVES_SQR_SCRATCH(n);
    scratch[room] = 0x5a;
    if (way->halves)
        nat_sqr_halves(p, a, n, scratch, &way->row);
    else
        way->row.sqr(p, a, n);
    assert_int_equal(scratch[room], 0x5a);
}

/* a b and a^2 by that way are what BN says, and no limb beside them is written. */
static void check_way(int an, int bn, const struct way *way)
{
    bn_set_nat(ba, a, an);
    bn_set_nat(bb, b, bn);
    memset(r, 0x55, sizeof r);
    way_mul(r + 1, an, bn, way);
    assert_ssl(BN_mul(br, ba, bb, bn_ctx()));
    assert_nat_bn(r + 1, an + bn, br);
    assert_int_equal(r[0], r[an + bn + 1]);
    memset(r, 0x55, sizeof r);
    way_sqr(r + 1, an, way);
    assert_ssl(BN_sqr(br, ba, bn_ctx()));
    assert_nat_bn(r + 1, 2 * an, br);
    assert_int_equal(r[0], r[2 * an + 1]);
}

/* All pairs of edges for small widths; where limbs have 8 bits, all two-limb squares too, and all
 * two-limb numbers by edges. */
static void way_edges(void **state)
{
    const struct way *way = *state;
    for (int an = 1; an <= 7; an++)
        for (int bn = 1; bn <= 7; bn++)
            for (int i = 0; i < EDGES * EDGES; i++) {
                edge_nat(a, an, an * LIMB_BITS, i / EDGES);
                edge_nat(b, bn, bn * LIMB_BITS, i % EDGES);
                check_way(an, bn, way);
            }
    for (unsigned x = 0; LIMB_BITS == 8 && x < 0x10000; x++) {
        a[0] = (limb_t)x, a[1] = (limb_t)(x >> 8);
        edge_nat(b, 2, 16, (int)x % EDGES);
        unsigned y = (unsigned)b[0] + 256U * (unsigned)b[1];
        way_sqr(r, 2, way);
        way_mul(s, 2, 2, way);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(r[i], x * x >> 8 * i & 255);
            assert_int_equal(s[i], x * y >> 8 * i & 255);
        }
    }
}

static void way_widths(int an, int bn, const struct way *way)
{
    random_nat(a, an, an * LIMB_BITS);
    random_nat(b, bn, bn * LIMB_BITS);
    check_way(an, bn, way);
    int i = (int)(test_random() % EDGES), j = (int)(test_random() % EDGES);
    edge_nat(a, an, an * LIMB_BITS, i);
    edge_nat(b, bn, bn * LIMB_BITS, j);
    check_way(an, bn, way);
}

/* Every width to 70, unequal ones, and those beside each threshold. */
static void way_random(void **state)
{
    const struct way *way = *state;
    for (int n = 1; n <= 70; n++) {
        way_widths(n, n, way);
        way_widths(n, 1 + (int)(test_random() % 70), way);
        way_widths(n, 8 * (1 + n % 9), way);
    }
    way_widths(300, 3, way);
    way_widths(3, 300, way);
    way_widths(300, 100, way);
    way_widths(89, 144, way);
    for (int i = 0; nat_multipliers[i]; i++)
        for (int add = -1; add <= 1; add++) {
            way_widths(nat_multipliers[i]->halve_mul + add, nat_multipliers[i]->halve_mul, way);
            way_widths(nat_multipliers[i]->halve_sqr + add, nat_multipliers[i]->halve_mul, way);
        }
}

/* nat_mul and nat_sqr beside their thresholds, and past what they have room to halve. */
static void thresholds(void **state)
{
    (void)state;
    for (int i = 0; nat_multipliers[i]; i++)
        for (int add = -1; add <= 3; add++) {
            int n = nat_multipliers[i]->halve_mul + add, m = nat_multipliers[i]->halve_sqr + add;
            random_nat(a, m, m * LIMB_BITS);
            int wide = 2 * n + 1 > WIDTH ? WIDTH : 2 * n + 1;
            random_nat(b, wide, wide * LIMB_BITS);
            check_product(n, n);
            check_product(m, m);
            check_product(n, wide);
        }
    random_nat(a, WIDTH, WIDTH * LIMB_BITS);
    random_nat(b, WIDTH, WIDTH * LIMB_BITS);
    check_product(WIDTH, WIDTH);
    check_product(WIDTH, WIDTH - 1);
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

#define WAYS 8

/* Every row alone and by halves, with the two tests of a way. */
static int add_ways(struct CMUnitTest *tests, struct way *ways)
{
    int count = 0;
    for (int i = 0; nat_multipliers[i]; i++) {
        if (!nat_multipliers[i]->usable()) {
            if (LIMB_BITS == 64)
                printf("skipped: this machine has no %s\n", nat_multipliers[i]->name);
            continue;
        }
        for (int halves = 0; halves < 2; halves++, count++) {
            ways[count] = (struct way){.row = *nat_multipliers[i], .halves = halves};
            ways[count].row.halve_mul = ways[count].row.halve_sqr = 2;
            tests[2 * count] =
                (struct CMUnitTest)cmocka_unit_test_prestate(way_edges, &ways[count]);
            tests[2 * count + 1] =
                (struct CMUnitTest)cmocka_unit_test_prestate(way_random, &ways[count]);
        }
    }
    return count;
}

int main(void)
{
    ba = BN_new(), bb = BN_new(), br = BN_new();
    struct way ways[WAYS];
    struct CMUnitTest way_tests[2 * WAYS];
    int count = add_ways(way_tests, ways);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_limb),   cmocka_unit_test(edges),   cmocka_unit_test(widths),
        cmocka_unit_test(thresholds), cmocka_unit_test(largest), cmocka_unit_test(by_limb_and_word),
    };
    int failed = cmocka_run_group_tests_name("nat_mul", tests, NULL, NULL);
    failed += _cmocka_run_group_tests("multipliers", way_tests, 2 * (size_t)count, NULL, NULL);
    BN_free(ba), BN_free(bb), BN_free(br);
    return failed;
}
