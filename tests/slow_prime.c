/* Primes, what takes longer: more powers of two, a safe prime of a real size, many random ones. */
#include "bn.h"
#include "near_power.h"
#include "prime.h"
#include "secret.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void near_powers_of_two(void **state)
{
    (void)state;
    for (int k = 131; k <= 1024; k += k < 512 ? 1 : 8)
        check_near_power(k);
}

static void a_safe_prime_of_1536_bits(void **state)
{
    (void)state;
    limb_t p[LIMBS_OF_BITS(1536)];
    assert_null(prime_safe_vartime(p, 1536, NULL));
    BIGNUM *b = bn_of_nat(p, LIMBS_OF_BITS(1536));
    assert_int_equal(BN_num_bits(b), 1536);
    assert_int_equal(BN_check_prime(b, bn_ctx(), NULL), 1);
    assert_ssl(BN_rshift1(b, b));
    assert_int_equal(BN_check_prime(b, bn_ctx(), NULL), 1);
    BN_free(b);
}

static void a_thousand_random_primes(void **state)
{
    (void)state;
    limb_t p[LIMBS_OF_BITS(512)];
    BIGNUM *b = BN_new();
    for (int i = 0; i < 1000; i++) {
        int bits = 64 + i * 448 / 999;
        assert_null(prime_random(p, bits, 65537, NULL));
        bn_set_nat(b, p, LIMBS_OF_BITS(bits));
        assert_int_equal(BN_num_bits(b), bits);
        assert_int_equal(BN_check_prime(b, bn_ctx(), NULL), 1);
    }
    BN_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_powers_of_two),
        cmocka_unit_test(a_safe_prime_of_1536_bits),
        cmocka_unit_test(a_thousand_random_primes),
    };
    return secret_init() != 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
