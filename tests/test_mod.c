/* Residues in each engine: every one-limb modulus and pair of residues at 8 bits, then edges and
 * random operands against BN, with every alias; how a modulus is made and refused. */
#include "bn.h"
#include "edges.h"
#include "engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct mod mod;
static limb_t p[NAT_MAX], a[NAT_MAX], b[NAT_MAX], r[NAT_MAX], wide[5 * NAT_MAX];
static elem ea, eb, er;
static BIGNUM *bp, *ba, *bb, *br;

/* Every odd modulus of one limb at 8 bits, every a and b below it. */
static void one_limb(void **state)
{
    const struct engine *eng = *state;
    if (LIMB_BITS != 8)
        skip();
    for (unsigned z = 3; z < 256; z += 2) {
        limb_t lz = (limb_t)z, x, y, prod, sum, diff, square;
        int bits = nat_bits_vartime(&lz, 1);
        if (!eng->usable(bits, 1))
            continue;
        assert_int_equal(mod_init_engine(&mod, &lz, bits, eng->name), 0);
        for (unsigned i = 0; i < z * z; i++) {
            x = (limb_t)(i / z), y = (limb_t)(i % z);
            mod_enter(&ea, &x, &mod);
            mod_enter(&eb, &y, &mod);
            mod_mul(&er, &ea, &eb, &mod);
            mod_leave(&prod, &er, &mod);
            mod_add(&er, &ea, &eb, &mod);
            mod_leave(&sum, &er, &mod);
            mod_sub(&er, &ea, &eb, &mod);
            mod_leave(&diff, &er, &mod);
            mod_sqr(&er, &ea, &mod);
            mod_leave(&square, &er, &mod);
            unsigned u = i / z, v = i % z;
            if (prod != u * v % z || sum != (u + v) % z || diff != (u + z - v) % z ||
                square != u * u % z)
                fail_msg("%u, %u mod %u", u, v, z);
        }
    }
}

static void assert_elem_bn(const elem *x, const BIGNUM *want)
{
    mod_leave(r, x, &mod);
    assert_nat_bn(r, mod.n, want);
}

/* a op b in every alias. */
static void check_binary(void (*op)(elem *, const elem *, const elem *, const struct mod *))
{
    op(&er, &ea, &eb, &mod);
    assert_elem_bn(&er, br);
    er = ea;
    op(&er, &er, &eb, &mod);
    assert_elem_bn(&er, br);
    er = eb;
    op(&er, &ea, &er, &mod);
    assert_elem_bn(&er, br);
}

static void check_residues(void)
{
    int n = mod.n;
    bn_set_nat(ba, a, n);
    bn_set_nat(bb, b, n);
    mod_enter(&ea, a, &mod);
    mod_enter(&eb, b, &mod);
    assert_elem_bn(&ea, ba);
    assert_ssl(BN_mod_mul(br, ba, bb, bp, bn_ctx()));
    check_binary(mod_mul);
    mod_product(r, a, b, &mod);
    assert_nat_bn(r, n, br);
    nat_copy(r, b, n);
    mod_product(r, a, r, &mod);
    assert_nat_bn(r, n, br);
    assert_ssl(BN_mod_add(br, ba, bb, bp, bn_ctx()));
    check_binary(mod_add);
    assert_ssl(BN_mod_sub(br, ba, bb, bp, bn_ctx()));
    check_binary(mod_sub);
    assert_ssl(BN_mod_sqr(br, ba, bp, bn_ctx()));
    mod_sqr(&er, &ea, &mod);
    assert_elem_bn(&er, br);
    er = ea;
    mod_sqr(&er, &er, &mod);
    assert_elem_bn(&er, br);
    er = ea;
    mod_mul(&er, &er, &er, &mod);
    assert_elem_bn(&er, br);
}

/* Two residues at a time with nothing between, so that sums of sums meet products. */
static void check_chain(void)
{
    mod_add(&er, &ea, &ea, &mod);
    mod_add(&er, &er, &er, &mod);
    mod_sub(&er, &er, &eb, &mod);
    mod_mul(&er, &er, &er, &mod);
    mod_sub(&er, &eb, &er, &mod);
    mod_mul(&er, &er, &ea, &mod);
    assert_ssl(BN_lshift(br, ba, 2));
    assert_ssl(BN_sub(br, br, bb));
    assert_ssl(BN_mod_sqr(br, br, bp, bn_ctx()));
    assert_ssl(BN_sub(br, bb, br));
    assert_ssl(BN_mod_mul(br, br, ba, bp, bn_ctx()));
    assert_elem_bn(&er, br);
}

/* r = a mod p for a of several widths, in place too. */
static void check_reduce(void)
{
    int n = mod.n;
    const int some[] = {1, n - 1, n, n + 1, 2 * n, 2 * n + 1, 3 * n - 1, 5 * n};
    for (int i = 0; i < 8; i++) {
        int an = some[i] > 0 ? some[i] : 1;
        if (an > 2 * NAT_MAX) /* bn_set_nat's room */
            continue;
        if (test_random() % 2)
            random_nat(wide, an, an * LIMB_BITS);
        else
            edge_nat(wide, an, an * LIMB_BITS, (int)(test_random() % EDGES));
        bn_set_nat(ba, wide, an);
        assert_ssl(BN_nnmod(br, ba, bp, bn_ctx()));
        mod_reduce(r, wide, an, &mod);
        assert_nat_bn(r, n, br);
        mod_reduce(wide, wide, an, &mod);
        assert_nat_bn(wide, n, br);
    }
}

/* The engine on p: every `step`th edge. */
static void check_modulus(const struct engine *eng, int bits, int step)
{
    if (!eng->usable(bits, 1))
        return;
    assert_int_equal(mod_init_engine(&mod, p, bits, eng->name), 0);
    assert_ptr_equal(mod.eng, eng);
    bn_set_nat(bp, p, mod.n);
    for (int i = 0; i < EDGES; i += step) {
        edge_residue(a, p, bits, i);
        edge_residue(b, p, bits, (int)(test_random() % EDGES));
        check_residues();
        random_residue(b, p, bits);
        check_residues();
        check_chain();
    }
    check_reduce();
}

static void edges(void **state)
{
    for (const int *bits = edge_lengths; *bits && *bits <= 40 * LIMB_BITS; bits++) {
        for (int i = 0; i < EDGES; i++) {
            edge_modulus(p, *bits, i);
            check_modulus(*state, *bits, 1);
        }
        random_modulus(p, *bits);
        check_modulus(*state, *bits, 1);
    }
}

/* Every pair of edges below edge moduli of two limbs. */
static void two_limbs(void **state)
{
    const struct engine *eng = *state;
    for (int i = 0; i < 4 * EDGES; i++) {
        int bits = LIMB_BITS + 1 + (int)(test_random() % LIMB_BITS);
        if (i < EDGES)
            edge_modulus(p, bits = 2 * LIMB_BITS, i);
        else
            random_modulus(p, bits);
        if (!eng->usable(bits, 1))
            continue;
        assert_int_equal(mod_init_engine(&mod, p, bits, eng->name), 0);
        bn_set_nat(bp, p, mod.n);
        for (int j = 0; j < EDGES * EDGES; j++) {
            edge_residue(a, p, bits, j / EDGES);
            edge_residue(b, p, bits, j % EDGES);
            bn_set_nat(ba, a, mod.n);
            bn_set_nat(bb, b, mod.n);
            assert_ssl(BN_mod_mul(br, ba, bb, bp, bn_ctx()));
            mod_product(r, a, b, &mod);
            assert_nat_bn(r, mod.n, br);
        }
    }
}

static void large(void **state)
{
    static const int some[] = {2047, 2048, 2049, 3072, 4096, 8191, 8192, NAT_MAX_BITS};
    for (int i = 0; i < 8; i++) {
        if (some[i] > 2048 && LIMB_BITS < 32)
            continue;
        random_modulus(p, some[i]);
        check_modulus(*state, some[i], 7);
        edge_modulus(p, some[i], 4);
        check_modulus(*state, some[i], 7);
    }
}

/* mul_leave takes any natural of n limbs, also above the modulus. */
static void leave_with_any_natural(void **state)
{
    const struct engine *eng = *state;
    for (const int *bits = edge_lengths; *bits && *bits <= 20 * LIMB_BITS; bits++) {
        random_modulus(p, *bits);
        if (!eng->usable(*bits, 1))
            continue;
        assert_int_equal(mod_init_engine(&mod, p, *bits, eng->name), 0);
        bn_set_nat(bp, p, mod.n);
        for (int i = 0; i < EDGES; i++) {
            edge_residue(a, p, *bits, i);
            edge_nat(b, mod.n, mod.n * LIMB_BITS, i == 0 ? 4 : i);
            bn_set_nat(ba, a, mod.n);
            bn_set_nat(bb, b, mod.n);
            assert_ssl(BN_mod_mul(br, ba, bb, bp, bn_ctx()));
            mod_enter(&ea, a, &mod);
            eng->mul_leave(r, &ea, b, &mod);
            assert_nat_bn(r, mod.n, br);
        }
    }
}

static void refused_moduli(void **state)
{
    (void)state;
    nat_set(p, NAT_MAX, 1);
    assert_int_equal(mod_init(&mod, p, 1), -1);
    assert_int_equal(mod_init(&mod, p, 0), -1);
    assert_int_equal(mod_init(&mod, p, -1), -1);
    assert_int_equal(mod_init(&mod, p, 2), -1); /* bit 1 is not set */
    assert_int_equal(mod_init(&mod, p, NAT_MAX_BITS + 1), -1);
    nat_set(p, 2, 7);
    assert_int_equal(mod_init(&mod, p, 2), -1); /* bit 2 is set */
    assert_int_equal(mod_init(&mod, p, 3), 0);
    assert_int_equal(mod_init_engine(&mod, p, 3, "no such engine"), -1);
    p[1] = 1;
    assert_int_equal(mod_init(&mod, p, LIMB_BITS + 1), 0);
    assert_int_equal(mod_init(&mod, p, LIMB_BITS), -1);
    assert_int_equal(mod_init(&mod, p, LIMB_BITS + 2), -1);
}

static void environment_chooses(void **state)
{
    (void)state;
    nat_set(p, 1, 5);
    for (int i = 0; engines[i]; i++) {
        assert_int_equal(setenv("TAHR_ENGINE", engines[i]->name, 1), 0);
        assert_int_equal(mod_init(&mod, p, 3), 0);
        if (engines[i]->usable(3, 1))
            assert_ptr_equal(mod.eng, engines[i]);
    }
    assert_int_equal(setenv("TAHR_ENGINE", "none", 1), 0);
    assert_int_equal(mod_init(&mod, p, 3), 0);
    assert_ptr_equal(mod.eng, engine_find(NULL, 3, 1));
    assert_int_equal(unsetenv("TAHR_ENGINE"), 0);
    mod_wipe(&mod);
    for (size_t i = 0; i < sizeof mod; i++)
        assert_int_equal(((unsigned char *)&mod)[i], 0);
}

int main(void)
{
    bp = BN_new(), ba = BN_new(), bb = BN_new(), br = BN_new();
    const struct CMUnitTest common[] = {
        cmocka_unit_test(refused_moduli),
        cmocka_unit_test(environment_chooses),
    };
    int failed = cmocka_run_group_tests_name("mod", common, NULL, NULL);
    for (int i = 0; engines[i]; i++) {
        void *eng = (void *)(uintptr_t)engines[i];
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(one_limb, eng),
            cmocka_unit_test_prestate(two_limbs, eng),
            cmocka_unit_test_prestate(edges, eng),
            cmocka_unit_test_prestate(large, eng),
            cmocka_unit_test_prestate(leave_with_any_natural, eng),
        };
        failed += cmocka_run_group_tests_name(engines[i]->name, tests, NULL, NULL);
    }
    BN_free(bp), BN_free(ba), BN_free(bb), BN_free(br);
    return failed;
}
