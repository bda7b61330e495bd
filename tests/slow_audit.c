/* A hundred good keys from OpenSSL pass the auditor, and ten thousand moduli are compared within a
 * minute on two cores. */
#include "bn.h"
#include "keys.h"
#include "weak_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static void test_good_keys(void **state)
{
    static const int bits[] = {2048, 2048, 3072, 2048, 4096};
    tahr_audit *audit;

    (void)state;
    assert_null(tahr_audit_new(&audit));
    for (int i = 0; i < 100; i++) {
        EVP_PKEY *ssl = openssl_key("RSA", bits[i % 5], NULL);
        struct bytes der = openssl_write(ssl, EVP_PKEY_KEYPAIR, "PrivateKeyInfo", "DER");

        assert_null(tahr_audit_add(audit, der.p, der.len));
        free((void *)der.p);
        EVP_PKEY_free(ssl);
    }
    assert_null(tahr_audit_run(audit, 1, NULL));
    for (size_t i = 0; i < 100; i++)
        if (tahr_audit_result(audit, i)->count > 0)
            fail_msg("%s", tahr_audit_result(audit, i)->finding[0]->name);
    tahr_audit_free(audit);
}

/* A random number without factors below 2^16 does for a modulus: no test of the auditor ends early.
 * The last one shares a prime with the first. */
#define MODULI 10000

static int has_small_factor(const BIGNUM *n)
{
    static BN_ULONG prime[6541]; /* odd, below 2^16 */
    static size_t count;

    for (BN_ULONG p = 3; count < 6541; p += 2) {
        size_t i = 0;
        while (i < count && prime[i] * prime[i] <= p && p % prime[i] != 0)
            i++;
        if (i == count || prime[i] * prime[i] > p)
            prime[count++] = p;
    }
    for (size_t i = 0; i < count; i++)
        if (BN_mod_word(n, prime[i]) == 0)
            return 1;
    return 0;
}

static void add(tahr_audit *audit, const BIGNUM *n)
{
    BIGNUM *e = BN_new();

    assert_ssl(BN_set_word(e, 65537));
    struct bytes der = weak_rsa(n, e);
    assert_null(tahr_audit_add(audit, der.p, der.len));
    BN_free(e);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void test_many_moduli(void **state)
{
    BIGNUM *p = weak_prime(1024), *q = weak_prime(1024), *r = weak_prime(1024), *n = BN_new();
    tahr_audit *audit;
    size_t shared = 0;
    double start;

    (void)state;
    assert_null(tahr_audit_new(&audit));
    assert_ssl(BN_mul(n, p, q, bn_ctx()));
    add(audit, n);
    for (int i = 2; i < MODULI; i++) {
        do
            assert_ssl(BN_rand(n, 2048, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD));
        while (has_small_factor(n));
        add(audit, n);
    }
    assert_ssl(BN_mul(n, p, r, bn_ctx()));
    add(audit, n);
    start = now();
    assert_null(tahr_audit_run(audit, 1, NULL));
    print_message("%d moduli in %.1f s\n", MODULI, now() - start);
    for (size_t i = 0; i < MODULI; i += MODULI - 1) {
        const struct tahr_checked *key = tahr_audit_result(audit, i);
        assert_int_equal(key->count, 1);
        assert_string_equal(key->finding[0]->name, "rsa-shared-prime");
        shared++;
    }
    assert_int_equal(shared, 2);
    tahr_audit_free(audit);
    BN_free(p);
    BN_free(q);
    BN_free(r);
    BN_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_keys),
        cmocka_unit_test(test_many_moduli),
    };

    return secret_init() == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
