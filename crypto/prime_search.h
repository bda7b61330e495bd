/* Private to crypto: what the two prime searches share. */
#ifndef TAHR_PRIME_SEARCH_H
#define TAHR_PRIME_SEARCH_H

#include "mod.h"
#include "tahr.h"

/* composite[i] = 0 iff 2 i + 1 is an odd prime, else 1, for 2 i + 1 < limit: limit/2 bytes, by the
 * sieve of Eratosthenes.  Requires an even limit, 2 <= limit <= 2^31.  Nothing here is secret. */
void prime_small(uint8_t *composite, uint32_t limit);

/* x = a random number of exactly `bits` bits, the `ones` top bits set.  x has LIMBS_OF_BITS(bits)
 * limbs.  Secret: x.  Leaks: bits, ones. */
void prime_start(limb_t *x, int bits, int ones);

/* 2^((n-1)/2) = 1 or -1 mod n?  Yes for every prime n, and for very few composites: the first test
 * of a candidate, cheaper than a round of Miller-Rabin since its products are doublings.
 * Secret: n, the answer.  Leaks: n->bits. */
choice prime_filter(const struct mod *n);

extern const struct tahr_error prime_no_memory;

/* Tells the watch, if there is one, that so many candidates were tried.  An error if it asks to
 * stop. */
tahr_err prime_tick(const struct tahr_watch *watch, unsigned long tried);

#endif
