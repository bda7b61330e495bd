/* Weak keys, one class each, made with OpenSSL's BIGNUMs: what the auditor has to find. */
#ifndef TAHR_TESTS_WEAK_KEYS_H
#define TAHR_TESTS_WEAK_KEYS_H

#include "bytes.h"

#include <openssl/bn.h>

/* A class: what the auditor says of its keys, names with blanks between. */
struct weak_key {
    const char *what, *findings;
    struct bytes (*make)(int argument); /* a key in DER, in memory that the next call overwrites */
    int argument;
};
extern const struct weak_key weak_keys[];
extern const size_t weak_key_count;

/* A random prime of those bits, its two top bits set. */
BIGNUM *weak_prime(int bits);

/* RSAPublicKey of n and e, and SubjectPublicKeyInfo with X9.42's parameters; as above. */
struct bytes weak_rsa(const BIGNUM *n, const BIGNUM *e);
struct bytes weak_elgamal(const BIGNUM *p, const BIGNUM *g, const BIGNUM *q, const BIGNUM *y);

#endif
