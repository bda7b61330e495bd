/* RSA keys between our structs and OpenSSL's, and OpenSSL's hashes as rows of ours.  Every function
 * fails the test on an error. */
#ifndef TAHR_TESTS_RSA_SSL_H
#define TAHR_TESTS_RSA_SSL_H

#include "rsa.h"

#include <openssl/bn.h>
#include <openssl/evp.h>

/* The numbers of a private key: what struct rsa_fields points to. */
enum { RSA_N, RSA_D, RSA_P, RSA_Q, RSA_DP, RSA_DQ, RSA_QINV, RSA_NUMBERS };

struct rsa_fixture {
    BIGNUM *number[RSA_NUMBERS];
    uint32_t e;
};

struct rsa_fixture rsa_fixture_new(void);
void rsa_fixture_free(struct rsa_fixture *k);

/* A random prime of exactly that many bits, its two top bits set, gcd(p - 1, e) = 1. */
void random_prime(BIGNUM *p, int bits, uint32_t e);

/* n, d (modulo lambda), dp, dq and qinv from p, q and e. */
void rsa_fixture_complete(struct rsa_fixture *k);

/* The same from random primes of those sizes; n has p_bits + q_bits. */
void rsa_fixture_random(struct rsa_fixture *k, int p_bits, int q_bits, uint32_t e);

void rsa_fixture_of_evp(struct rsa_fixture *k, EVP_PKEY *pkey);

/* rsa_private_init of those numbers, each minimal, and its answer. */
tahr_err rsa_of_fixture(struct rsa_private *key, const struct rsa_fixture *k, int min_bits);

/* A key in guarded memory from OpenSSL's, of any size from 512 bits; free it with secret_free. */
struct rsa_private *rsa_of_evp(EVP_PKEY *pkey);

/* The same key as OpenSSL's, which finds it good (EVP_PKEY_check). */
EVP_PKEY *evp_of_rsa(const struct rsa_private *key);

/* SHA-1, SHA-224, SHA-256, SHA-384, SHA-512; two of the rows are the library's own. */
#define SSL_HASHES 5
extern const struct hash *const ssl_hashes[SSL_HASHES];

/* The row of "sha256", in any case, with or without something behind a blank. */
const struct hash *ssl_hash(const char *name);
const EVP_MD *ssl_digest(const struct hash *hash);

#endif
