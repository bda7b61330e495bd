/* The subgroup of prime order q of the integers modulo a prime p: what elections and other
 * protocols do ElGamal in.  It is tahr.h's tahr_group. */
#ifndef TAHR_SUBGROUP_H
#define TAHR_SUBGROUP_H

#include "mod.h"
#include "secret.h"
#include "tahr.h"

#define SUBGROUP_MIN_BITS   2048 /* of p, for the caller; tests have smaller groups */
#define SUBGROUP_MAX_BITS   8192
#define SUBGROUP_MIN_Q_BITS 224

struct tahr_group {
    struct mod p, q;
    limb_t g[NAT_MAX]; /* p.n limbs */
};

/* Fills group from big-endian p, q, g and checks all of it: p of min_bits to SUBGROUP_MAX_BITS, q
 * of min_q_bits or more, both prime and odd, 2 <= g <= p - 1, g^q = 1 mod p, so that q | p - 1.
 * Variable time: public. */
tahr_err subgroup_init(struct tahr_group *group, struct bytes p, struct bytes q, struct bytes g,
                       int min_bits, int min_q_bits);

/* a (p.n limbs) = an element in as many bytes as p has: 1 <= a < p, a^q = 1 mod p.  Returns 1, or 0
 * if it is none.  Secret: a.  Leaks: the group, the answer. */
int subgroup_element(limb_t *a, const uint8_t *bytes, const struct tahr_group *group);

/* *m = the discrete logarithm of a to the base g, 0 <= m <= max < 2^40, if there is one.  Returns
 * NULL or an error.  Requires q > max.  Variable time: a and m are public. */
tahr_err subgroup_log_vartime(uint64_t *m, const limb_t *a, uint64_t max,
                              const struct tahr_group *group);

#endif
