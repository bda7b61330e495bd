/* Prime numbers: tests with their error bounds, random primes, safe primes. */
#ifndef TAHR_PRIME_H
#define TAHR_PRIME_H

#include "mod.h"
#include "tahr.h"

/* One round of Miller-Rabin (HAC 4.24) to base a, 1 <= a < n: yes for every prime n, and for at
 * most a quarter of the bases when n is composite.  The power of two in n - 1 stays secret for a
 * number that passes; how far a composite one got may show. Secret: a, n.  Leaks: n->bits, the
 * answer's timing for composites. */
choice prime_miller_rabin(const limb_t *a, const struct mod *n);

/* One round of Solovay-Strassen (HAC 4.18): a^((n-1)/2) = (a | n) mod n.  Yes for every prime, and
 * for at most half of the bases when n is composite.  Secret: a, n.  Leaks: n->bits. */
choice prime_solovay_strassen(const limb_t *a, const struct mod *n);

/* Baillie-PSW: strong test to base 2, then the strong Lucas test with Selfridge's parameters,
 * chosen by the Jacobi symbol.  No composite is known to pass, none below 2^64 does.  Variable
 * time. */
int prime_baillie_psw_vartime(const struct mod *n);

/* Is the public number n prime?  Small divisors, Baillie-PSW, then `rounds` Miller-Rabin rounds
 * with random bases: a composite that defeats Baillie-PSW passes with probability at most
 * 4^-rounds. Any n of any size from 0 up to NAT_MAX_BITS.  Variable time.  Returns 1 or 0. */
int prime_check_vartime(const limb_t *n, int nlimbs, int rounds);

/* Is the secret number p of that bit length prime?  The same strength as prime_check_vartime with
 * random Miller-Rabin rounds and one Solovay-Strassen round, in constant time for a prime.
 * Returns 1 or 0.  Secret: p.  Leaks: bits, and about a composite how it was found out. */
int prime_check(const limb_t *p, int bits, int rounds);

/* Rounds of Miller-Rabin for a random candidate of so many bits: FIPS 186-5 table B.1, error at
 * most 2^-112 or better. */
int prime_rounds(int bits);

/* p = a random prime of exactly `bits` bits with its two top bits set, so that it exceeds
 * 2^(bits - 1/2), and gcd(p - 1, e) = 1 if e > 0.  Incremental search from a random start; e is
 * public.  The prime and its residues are handled in constant time; about discarded candidates
 * leaks that and how they were discarded.
 * Requires 16 <= bits <= NAT_MAX_BITS.  p has LIMBS_OF_BITS(bits) limbs.  Secret: p.  Leaks: bits,
 * e, the number of candidates. */
tahr_err prime_random(limb_t *p, int bits, uint32_t e, const struct tahr_watch *watch);

/* p = a random safe prime, q = (p - 1)/2 prime too, for a public group: q by Baillie-PSW and random
 * Miller-Rabin rounds, p then proven by one Pocklington step (HAC 4.40).  p = 7 mod 8, so that 2
 * generates the residues.  Variable time: a group is public.  Requires 16 <= bits <= NAT_MAX_BITS.
 */
tahr_err prime_safe_vartime(limb_t *p, int bits, const struct tahr_watch *watch);

#endif
