/* Naturals as OpenSSL's BIGNUMs, the second opinion.  Every function fails the test on an error. */
#ifndef TAHR_TESTS_BN_H
#define TAHR_TESTS_BN_H

#include "nat.h"

#include <openssl/bn.h>

/* A context for the whole program, made at first use. */
BN_CTX *bn_ctx(void);

/* A new BIGNUM of the same value; the caller frees it. */
BIGNUM *bn_of_nat(const limb_t *a, int n);

/* b = a, for a BIGNUM that exists. */
void bn_set_nat(BIGNUM *b, const limb_t *a, int n);

/* r (n limbs) = b.  Requires 0 <= b < B^n. */
void nat_of_bn(limb_t *r, int n, const BIGNUM *b);

/* Fails the test, showing both, unless a = b. */
#define assert_nat_bn(a, n, b) check_nat_bn(a, n, b, __FILE__, __LINE__)
void check_nat_bn(const limb_t *a, int n, const BIGNUM *b, const char *file, int line);

/* Fails the test unless an OpenSSL call returned success. */
#define assert_ssl(call) check_ssl((call) > 0, #call, __FILE__, __LINE__)
void check_ssl(int ok, const char *call, const char *file, int line);

#endif
