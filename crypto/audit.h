/* Private to the auditor: what one file of it offers the others.
 *
 *     audit.c            the keys of files, and what was found about each
 *     audit_rsa.c        RSA keys: what n and e alone give away, and the private numbers
 *     audit_elgamal.c    ElGamal keys: the group, y, x
 *     audit_batch.c      primes that moduli share
 *
 * Public numbers are mp_int here, for the auditor does to them what anybody may do; the private
 * ones stay in the readers' fields and in rsa.h's and elgamal.h's types. */
#ifndef TAHR_AUDIT_H
#define TAHR_AUDIT_H

#include "keyfile.h"
#include "mp.h"

/* The findings, in the order in which they are told; a set of them is one bit for each. */
enum {
    RSA_SHORT,
    RSA_EXPONENT_ONE,
    RSA_EXPONENT_EVEN,
    RSA_EXPONENT_LARGE,
    RSA_TINY_FACTOR,
    RSA_PRIME_MODULUS,
    RSA_POWER,
    RSA_CLOSE_PRIMES,
    RSA_ROCA,
    RSA_SMOOTH,
    RSA_SMALL_D,
    RSA_SHARED_PRIME,
    RSA_INCONSISTENT,
    RSA_COMPOSITE,
    RSA_UNBALANCED,
    ELGAMAL_SHORT,
    ELGAMAL_LONG,
    ELGAMAL_DSA_GROUP,
    ELGAMAL_COMPOSITE,
    ELGAMAL_UNSAFE,
    ELGAMAL_BAD_GENERATOR,
    ELGAMAL_FULL_GENERATOR,
    ELGAMAL_BAD_Y,
    ELGAMAL_BAD_X,
    ELGAMAL_MISMATCH,
    FINDINGS
};
typedef uint32_t findings;

static inline void find(findings *found, int finding)
{
    *found |= (findings)1 << finding;
}

/* What every RSA key is tested with. */
struct audit_rsa {
    mp_int tiny;   /* the product of the primes below 2^16 */
    mp_int smooth; /* that of the highest powers up to 2^16 of the primes below 2^11 */
};

/* Returns 0 or -1. */
int audit_rsa_start(struct audit_rsa *tables);
void audit_rsa_end(struct audit_rsa *tables);

/* What is wrong with (n, e).  Returns 0, or -1 when memory runs out. */
int audit_rsa_public(findings *found, const mp_int *n, const mp_int *e,
                     const struct audit_rsa *tables);

/* What is wrong with the private numbers, as far as (n, e) allow to ask. */
tahr_err audit_rsa_private(findings *found, const struct key_fields *f);

/* What is wrong with a key; *bits = those of p, *group = the name of a known group, or NULL. */
tahr_err audit_elgamal(findings *found, int *bits, const char **group, const struct key_fields *f);

/* shared[i] = gcd(n[i], the product of the others).  Requires that the n differ and exceed 1. */
tahr_err audit_batch_gcd(mp_int *shared, const mp_int *const *n, size_t count,
                         const struct tahr_watch *watch);

#endif
