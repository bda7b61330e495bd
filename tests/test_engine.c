/* Every engine on every modulus it takes, even ones too: all residues of small moduli, edges of all
 * lengths, numbers whose top bits are 1000...0, against BN. */
#include "engine.h"

#include "bn.h"
#include "edges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static limb_t p[NAT_MAX], a[NAT_MAX], b[NAT_MAX], r[2 * NAT_MAX + 1];
static BIGNUM *bp, *ba, *bb, *br;

/* a b mod m in the three ways an engine can be asked. */
static void products(limb_t *by_mul, limb_t *by_sqr, limb_t *by_leave, const struct mod *m)
{
    elem x, y;
    mod_enter(&x, a, m);
    mod_enter(&y, b, m);
    m->eng->mul_leave(by_leave, &x, b, m);
    mod_sqr(&y, &y, m);
    mod_leave(by_sqr, &y, m);
    mod_enter(&y, b, m);
    mod_mul(&y, &x, &y, m);
    mod_leave(by_mul, &y, m);
}

/* All a, b below every modulus of one 8-bit limb; at wider limbs the same small numbers. */
static void small_moduli(void **state)
{
    const struct engine *eng = *state;
    for (unsigned w = 2; w < 256; w++) {
        struct mod m;
        int bits = 0;
        while (w >> bits != 0)
            bits++;
        limb_t n = (limb_t)w;
        if (!eng->usable(bits, (int)(w & 1)))
            continue;
        assert_int_equal(mod_init_engine(&m, &n, bits, eng->name), 0);
        for (unsigned i = 0; i < w; i++) {
            for (unsigned j = 0; j < w; j++) {
                limb_t s, t, u;
                a[0] = (limb_t)i;
                b[0] = (limb_t)j;
                products(&s, &t, &u, &m);
                if (s != i * j % w || t != j * j % w || u != i * j % w)
                    fail_msg("%s: %u %u mod %u", eng->name, i, j, w);
            }
        }
    }
}

static void check_pair(const struct mod *m)
{
    limb_t s[NAT_MAX], t[NAT_MAX];
    bn_set_nat(ba, a, m->n);
    bn_set_nat(bb, b, m->n);
    products(r, s, t, m);
    assert_ssl(BN_mod_mul(br, ba, bb, bp, bn_ctx()));
    assert_nat_bn(r, m->n, br);
    assert_nat_bn(t, m->n, br);
    assert_ssl(BN_mod_sqr(br, bb, bp, bn_ctx()));
    assert_nat_bn(s, m->n, br);
}

/* mul_leave and mod_reduce take what is not below m. */
static void check_wide(const struct mod *m)
{
    elem x;
    int wide = 2 * m->n + 1;
    mod_enter(&x, a, m);
    for (int i = 0; i < m->n; i++)
        b[i] = LIMB_MAX;
    bn_set_nat(ba, a, m->n);
    bn_set_nat(bb, b, m->n);
    m->eng->mul_leave(r, &x, b, m);
    assert_ssl(BN_mod_mul(br, ba, bb, bp, bn_ctx()));
    assert_nat_bn(r, m->n, br);
    random_nat(r, wide, wide * LIMB_BITS);
    bn_set_nat(ba, r, wide);
    assert_ssl(BN_nnmod(br, ba, bp, bn_ctx()));
    mod_reduce(r, r, wide, m);
    assert_nat_bn(r, m->n, br);
}

static void check_modulus(const struct engine *eng, int bits)
{
    struct mod m;
    if (!eng->usable(bits, (int)(p[0] & 1)))
        return;
    assert_int_equal(mod_init_engine(&m, p, bits, eng->name), 0);
    bn_set_nat(bp, p, m.n);
    for (int i = 0; i < EDGES; i++) {
        edge_residue(a, p, bits, i);
        edge_residue(b, p, bits, (int)(test_random() % EDGES));
        check_pair(&m);
    }
    for (int i = 0; i < 8; i++) {
        random_residue(a, p, bits);
        random_residue(b, p, bits);
        check_pair(&m);
    }
    check_wide(&m);
}

/* Odd and even edges, random ones, and 2^(bits-1) + small, whose top bits are 1000...0. */
static void moduli_of_all_lengths(void **state)
{
    const struct engine *eng = *state;
    for (const int *bits = edge_lengths; *bits && *bits <= 16 * LIMB_BITS + 1000; bits++) {
        int n = LIMBS_OF_BITS(*bits);
        for (int i = 0; i < EDGES; i += LIMB_BITS < 32 ? 3 : 1) {
            edge_modulus(p, *bits, i);
            check_modulus(eng, *bits);
            p[0] &= (limb_t)~1;
            check_modulus(eng, *bits);
        }
        for (unsigned low = 0; low < 4 && *bits > 2; low++) {
            nat_zero(p, n);
            p[n - 1] = (limb_t)((limb_t)1 << (*bits - 1) % LIMB_BITS);
            p[0] |= (limb_t)low;
            check_modulus(eng, *bits);
        }
        random_modulus(p, *bits);
        p[0] ^= (limb_t)(test_random() & 1);
        check_modulus(eng, *bits);
    }
}

int main(void)
{
    bp = BN_new(), ba = BN_new(), bb = BN_new(), br = BN_new();
    int failed = 0;
    for (int i = 0; engines[i]; i++) {
        void *eng = (void *)(uintptr_t)engines[i];
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(small_moduli, eng),
            cmocka_unit_test_prestate(moduli_of_all_lengths, eng),
        };
        failed += cmocka_run_group_tests_name(engines[i]->name, tests, NULL, NULL);
    }
    BN_free(bp), BN_free(ba), BN_free(bb), BN_free(br);
    return failed;
}
