/* Prime numbers: tests with their error bounds, random primes, safe primes. */
#ifndef TAHR_PRIME_H
#define TAHR_PRIME_H

#include "mod.h"
#include "tahr.h"

/* One round of Miller-Rabin (HAC 4.24) to base a: n - 1 = 2^s t, t odd; yes iff a^t = 1 or
 * a^(2^i t) = -1 mod n for some i < s.  Yes for every prime n, and for at most a quarter of the
 * bases 1 <= a < n when n is an odd composite (Monier, Rabin).
 * Requires 0 < a < n.  Secret: a, n, the answer.  Leaks: n->bits, and whether s >= 64. */
choice prime_miller_rabin(const limb_t *a, const struct mod *n);

/* One round of Solovay-Strassen (HAC 4.18): yes iff a^((n-1)/2) = (a | n) != 0 mod n.  Yes for
 * every prime n, and for at most half of the bases 1 <= a < n when n is composite.
 * Requires 0 < a < n.  Secret: a, n, the answer.  Leaks: n->bits. */
choice prime_solovay_strassen(const limb_t *a, const struct mod *n);

/* Baillie-PSW (Baillie and Wagstaff, Math. Comp. 1980): the strong test to base 2, then the strong
 * Lucas test with Selfridge's parameters, chosen by the Jacobi symbol.  No composite is known to
 * pass, none below 2^64 does.  Variable time: n is public.  Returns 1 or 0. */
int prime_baillie_psw_vartime(const struct mod *n);

/* Is the public number n prime?  Small divisors, Baillie-PSW, then `rounds` Miller-Rabin rounds
 * with random bases: no prime is refused; a composite that defeats Baillie-PSW passes with
 * probability at most 4^-rounds.  Any n from 0 up to NAT_MAX_BITS bits, leading zero limbs allowed.
 * Variable time.  Returns 1 or 0. */
int prime_check_vartime(const limb_t *n, int nlimbs, int rounds);

/* Is the public number p a safe prime, p and q = (p - 1)/2 both prime?  q by
 * prime_check_vartime, p then proven by one Pocklington step (HAC 4.40).  Variable time.  Returns 1
 * or 0. */
int prime_safe_check_vartime(const limb_t *p, int nlimbs, int rounds);

/* Is the secret number p of that bit length prime?  `rounds` Miller-Rabin rounds with random bases,
 * then one of Solovay-Strassen: no prime is refused; a composite, however chosen, passes with
 * probability at most 4^-rounds.  Constant time for a prime.  Returns 1 or 0.
 * Secret: p.  Leaks: bits, the answer, and about a composite the number of rounds it passed. */
int prime_check(const limb_t *p, int bits, int rounds);

/* Rounds of Miller-Rabin for a random candidate of so many bits, with error at most 2^-112: FIPS
 * 186-5 table B.1 at its sizes, computed for the others (prime.c). */
int prime_rounds(int bits);

/* p = a random prime of exactly `bits` bits with its two top bits set, so that it exceeds
 * 2^(bits - 1/2), and gcd(p - 1, e) = 1 if e > 0; e is public.  Incremental search from a random
 * start, where FIPS 186-5 A.1.3 draws every candidate afresh (prime_random.c says what that costs).
 * The prime and its residues are handled in constant time.
 * Requires 17 <= bits <= NAT_MAX_BITS.  p has LIMBS_OF_BITS(bits) limbs.
 * Secret: p.  Leaks: bits, e, how many candidates were discarded and by which test.
 * Errors: the watch asked to stop, memory. */
tahr_err prime_random(limb_t *p, int bits, uint32_t e, const struct tahr_watch *watch);

/* p = a random safe prime of exactly `bits` bits for a public group, checked as by
 * prime_safe_check_vartime.  p = 23 mod 24: p = 7 mod 8, so that 2 generates the residues, and
 * neither p nor q is divisible by 3.  Variable time: a group is public.
 * Requires 16 <= bits <= NAT_MAX_BITS.  Errors: the watch asked to stop, memory. */
tahr_err prime_safe_vartime(limb_t *p, int bits, const struct tahr_watch *watch);

#endif
