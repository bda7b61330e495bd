/* Powers against OpenSSL's BN: every edge length, base and exponent edges, random ones, every
 * alias, in each engine. */
#include "bn.h"
#include "edges.h"
#include "engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Time goes with the cube of the length over the limb: keep each limb size within seconds. */
#define BITS_MAX (LIMB_BITS == 8 ? 260 : LIMB_BITS == 16 ? 530 : 1025)

static limb_t p[NAT_MAX], a[NAT_MAX], e[NAT_MAX], r[NAT_MAX];
static BIGNUM *bp, *ba, *be, *br;

/* r = a^e mod p both ways, and in place. */
static void check_powers(const struct mod *m, int ebits)
{
    int n = m->n, en = LIMBS_OF_BITS(ebits);
    bn_set_nat(bp, p, n);
    bn_set_nat(ba, a, n);
    bn_set_nat(be, e, en);
    assert_ssl(BN_mod_exp(br, ba, be, bp, bn_ctx()));
    mod_exp(r, a, e, ebits, m);
    assert_nat_bn(r, n, br);
    memset(r, 0x55, sizeof r);
    mod_exp_vartime(r, a, e, ebits, m);
    assert_nat_bn(r, n, br);
    nat_copy(r, a, n);
    mod_exp(r, r, e, ebits, m);
    assert_nat_bn(r, n, br);
    nat_copy(r, a, n);
    mod_exp_vartime(r, r, e, ebits, m);
    assert_nat_bn(r, n, br);
}

static void check_modulus(const struct mod *m)
{
    int bits = m->bits;
    for (int i = 0; i < EDGES; i++) {
        edge_residue(a, p, bits, i);
        int ebits = 1 + (int)(test_random() % 24);
        random_nat(e, LIMBS_OF_BITS(ebits), ebits);
        check_powers(m, ebits);
    }
    for (int i = 0; i < 2; i++) {
        random_residue(a, p, bits);
        random_nat(e, m->n, bits);
        check_powers(m, bits);
        check_powers(m, 0);
    }
}

static void powers_of_edges(void **state)
{
    const struct engine *eng = *state;
    struct mod m;
    for (const int *bits = edge_lengths; *bits && *bits <= BITS_MAX; bits++) {
        for (int i = 0; i < 3; i++) {
            if (i == 0)
                random_modulus(p, *bits);
            else
                edge_modulus(p, *bits, (int)(test_random() % EDGES));
            if (!eng->usable(*bits, 1))
                continue;
            assert_int_equal(mod_init_engine(&m, p, *bits, eng->name), 0);
            check_modulus(&m);
        }
    }
}

/* Full exponents at the sizes of keys. */
static void powers_of_keys(void **state)
{
    static const int some[] = {2047, 2048, 3072, 4095, 8192};
    const struct engine *eng = *state;
    struct mod m;
    for (int i = 0; i < (LIMB_BITS == 64 ? 5 : LIMB_BITS == 32 ? 2 : 0); i++) {
        if (!eng->usable(some[i], 1))
            continue;
        random_modulus(p, some[i]);
        assert_int_equal(mod_init_engine(&m, p, some[i], eng->name), 0);
        random_residue(a, p, some[i]);
        int ebits = some[i] > 2048 ? 320 : some[i];
        random_nat(e, LIMBS_OF_BITS(ebits), ebits);
        check_powers(&m, ebits);
    }
}

/* All exponents of up to 11 bits: every window, also where it is the short top one; bits of e above
 * ebits do not count. */
static void small_exponents(void **state)
{
    const struct engine *eng = *state;
    struct mod m;
    if (!eng->usable(8, 1))
        skip();
    p[0] = 251;
    assert_int_equal(mod_init_engine(&m, p, 8, eng->name), 0);
    for (int ebits = 0; ebits <= 11; ebits++) {
        unsigned want = 1;
        a[0] = 6; /* generates the group mod 251 */
        for (unsigned i = 0; i < 1u << ebits; i++, want = want * 6 % 251) {
            nat_set_word(e, LIMBS_OF_BITS(11), i | (unsigned)test_random() % 2 << ebits);
            mod_exp(r, a, e, ebits, &m);
            assert_int_equal(r[0], want);
            mod_exp_vartime(r, a, e, ebits, &m);
            assert_int_equal(r[0], want);
        }
    }
}

/* Two powers at once, of moduli of one length and of two, in place and not. */
static void check_pair(const struct mod *m0, const struct mod *m1, int ebits)
{
    static limb_t b[NAT_MAX], f[NAT_MAX], s[NAT_MAX], want[2][NAT_MAX];
    const struct mod *m[] = {m0, m1};
    const limb_t *in[] = {a, b}, *exponents[] = {e, f};
    limb_t *out[] = {r, s}, *in_place[] = {a, b};
    random_residue(a, m0->m, m0->bits);
    edge_residue(b, m1->m, m1->bits, (int)(test_random() % EDGES));
    random_nat(e, LIMBS_OF_BITS(ebits), ebits);
    random_nat(f, LIMBS_OF_BITS(ebits), ebits);
    for (int h = 0; h < 2; h++)
        mod_exp_vartime(want[h], in[h], exponents[h], ebits, m[h]);
    mod_exp2(out, in, exponents, ebits, m);
    assert_memory_equal(r, want[0], (size_t)m0->n * LIMB_BYTES);
    assert_memory_equal(s, want[1], (size_t)m1->n * LIMB_BYTES);
    mod_exp2(in_place, in, exponents, ebits, m);
    assert_memory_equal(a, want[0], (size_t)m0->n * LIMB_BYTES);
    assert_memory_equal(b, want[1], (size_t)m1->n * LIMB_BYTES);
}

static void pairs(void **state)
{
    const struct engine *eng = *state;
    struct mod m0, m1, m2;
    for (const int *bits = edge_lengths; *bits && *bits <= BITS_MAX; bits++) {
        if (!eng->usable(*bits, 1) || !eng->usable(*bits + 1, 1))
            continue;
        random_modulus(p, *bits);
        assert_int_equal(mod_init_engine(&m0, p, *bits, eng->name), 0);
        edge_modulus(p, *bits, (int)(test_random() % EDGES));
        assert_int_equal(mod_init_engine(&m1, p, *bits, eng->name), 0);
        random_modulus(p, *bits + 1);
        assert_int_equal(mod_init_engine(&m2, p, *bits + 1, eng->name), 0);
        check_pair(&m0, &m1, 1 + (int)(test_random() % 400));
        check_pair(&m1, &m2, 1 + (int)(test_random() % 24));
        check_pair(&m0, &m0, 0);
        assert_int_equal(mod_init_engine(&m2, m1.m, *bits, "mont"), 0);
        check_pair(&m0, &m2, 5);
    }
}

int main(void)
{
    bp = BN_new(), ba = BN_new(), be = BN_new(), br = BN_new();
    int failed = 0;
    for (int i = 0; engines[i]; i++) {
        void *eng = (void *)(uintptr_t)engines[i];
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(powers_of_edges, eng),
            cmocka_unit_test_prestate(powers_of_keys, eng),
            cmocka_unit_test_prestate(small_exponents, eng),
            cmocka_unit_test_prestate(pairs, eng),
        };
        failed += cmocka_run_group_tests_name(engines[i]->name, tests, NULL, NULL);
    }
    BN_free(bp), BN_free(ba), BN_free(be), BN_free(br);
    return failed;
}
