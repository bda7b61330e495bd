/* The primes just under and over a power of two; see near_power.h. */
#include "near_power.h"

#include "bn.h"
#include "prime.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define WIDTH LIMBS_OF_BITS(2048 + 1)

static void check_from(BIGNUM *b, int (*go)(BIGNUM *, BN_ULONG))
{
    limb_t a[WIDTH];
    int prime = 0;
    for (assert_ssl(go(b, 1)); !prime; assert_ssl(go(b, 2))) {
        prime = BN_check_prime(b, bn_ctx(), NULL);
        assert_in_range(prime, 0, 1);
        nat_of_bn(a, WIDTH, b);
        assert_int_equal(prime_check_vartime(a, WIDTH, 1), prime);
        assert_int_equal(prime_check(a, BN_num_bits(b), prime ? 4 : 24), prime);
    }
}

void check_near_power(int k)
{
    BIGNUM *b = BN_new();
    assert_ssl(BN_one(b) && BN_lshift(b, b, k));
    check_from(b, BN_sub_word);
    assert_ssl(BN_one(b) && BN_lshift(b, b, k));
    check_from(b, BN_add_word);
    BN_free(b);
}
