/* A fresh group: a safe prime that OpenSSL takes for one, and that the validation lets in. */
#include "bn.h"
#include "elgamal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void fresh_group(void **state)
{
    (void)state;
    static struct group g, again;
    uint8_t bytes[ELGAMAL_MAX_LEN];
    assert_null(group_generate(&g, 2048, NULL));
    assert_int_equal(g.id, 0);
    assert_null(g.name);
    assert_int_equal(g.xbits, 256);
    assert_int_equal(g.p.bits, 2048);
    assert_true(declassify(nat_eq_limb(g.g, 2, g.p.n)));

    BIGNUM *p = bn_of_nat(g.p.m, g.p.n), *q = BN_new();
    assert_ssl(BN_rshift1(q, p));
    assert_int_equal(BN_check_prime(p, bn_ctx(), NULL), 1);
    assert_int_equal(BN_check_prime(q, bn_ctx(), NULL), 1);
    BN_bn2bin(p, bytes);
    assert_null(group_explicit(&again, bytes, 256, (const uint8_t *)"\2", 1));
    assert_nat_bn(again.p.m, again.p.n, p);
    BN_free(p);
    BN_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_group)};
    if (secret_init())
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
