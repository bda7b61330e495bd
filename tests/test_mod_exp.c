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

int main(void)
{
    bp = BN_new(), ba = BN_new(), be = BN_new(), br = BN_new();
    int failed = 0;
    for (int i = 0; engines[i]; i++) {
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(powers_of_edges, (void *)(uintptr_t)engines[i]),
        };
        failed += cmocka_run_group_tests_name(engines[i]->name, tests, NULL, NULL);
    }
    return failed;
}
