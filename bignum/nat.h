/* Naturals of fixed width, for numbers you must wipe.
 *
 * A natural is an array of n limbs, least significant first; its value is below B^n, B =
 * 2^LIMB_BITS. The width is public and comes from the modulus; the value is secret unless a name
 * ends in _vartime. Nothing here allocates.  Output first, then inputs, then sizes.  n counts
 * limbs, bits bits, len bytes. Unless said otherwise an output may be the same array as an input,
 * but may not overlap it in part. */
#ifndef TAHR_NAT_H
#define TAHR_NAT_H

#include "limb.h"

/* The largest modulus: 16384 bits. */
#define NAT_MAX_BITS 16384
#define NAT_MAX      (NAT_MAX_BITS / LIMB_BITS)

/* r = 0.  Secret: nothing.  Leaks: n. */
void nat_zero(limb_t *r, int n);

/* r = w, zero-extended to n limbs.  Secret: w.  Leaks: n. */
void nat_set(limb_t *r, int n, limb_t w);

/* r = w mod B^n, for a word of 32 bits at every LIMB_BITS.  Secret: w.  Leaks: n. */
void nat_set_word(limb_t *r, int n, uint32_t w);

/* r = a.  Secret: a.  Leaks: n. */
void nat_copy(limb_t *r, const limb_t *a, int n);

/* r (rn limbs) = a (an limbs): zero-extended, or cut to a mod B^rn.  Secret: a.  Leaks: rn, an. */
void nat_resize(limb_t *r, int rn, const limb_t *a, int an);

/* Overwrites n limbs with zeros in a way the compiler keeps.  Leaks: n. */
void nat_wipe(limb_t *r, int n);

/* Overwrites len bytes with zeros in a way the compiler keeps, for structures.  Leaks: len. */
void nat_wipe_bytes(void *p, size_t len);

/* r = a + b mod B^n; returns the carry, 0 or 1.  Secret: a, b, carry.  Leaks: n. */
limb_t nat_add(limb_t *r, const limb_t *a, const limb_t *b, int n);

/* r = a + b + carry mod B^n for a carry of 0 or 1; returns the carry, 0 or 1, which is the one
 * given for n = 0.  Secret: a, b, both carries.  Leaks: n. */
limb_t nat_add_carry(limb_t *r, const limb_t *a, const limb_t *b, limb_t carry, int n);

/* r = a - b mod B^n; returns the borrow, 0 or 1.  Secret: a, b, borrow.  Leaks: n. */
limb_t nat_sub(limb_t *r, const limb_t *a, const limb_t *b, int n);

/* r = a + w, r = a - w mod B^n; return the carry or borrow, which is w for n = 0.
 * Secret: a, w.  Leaks: n. */
limb_t nat_add_limb(limb_t *r, const limb_t *a, limb_t w, int n);
limb_t nat_sub_limb(limb_t *r, const limb_t *a, limb_t w, int n);

/* r = c ? a + b : a, and r = c ? a - b : a, mod B^n; return the carry or borrow of what was done.
 * Secret: a, b, c.  Leaks: n. */
limb_t nat_add_if(limb_t *r, const limb_t *a, const limb_t *b, choice c, int n);
limb_t nat_sub_if(limb_t *r, const limb_t *a, const limb_t *b, choice c, int n);

/* r = a + b mod m, r = a - b mod m.  Require a, b < m; r may be a or b, but not m.
 * Secret: a, b, m.  Leaks: n. */
void nat_add_mod(limb_t *r, const limb_t *a, const limb_t *b, const limb_t *m, int n);
void nat_sub_mod(limb_t *r, const limb_t *a, const limb_t *b, const limb_t *m, int n);

/* r = c ? a : b.  Secret: a, b, c.  Leaks: n. */
void nat_select(limb_t *r, choice c, const limb_t *a, const limb_t *b, int n);

/* If c, exchanges a and b.  Secret: a, b, c.  Leaks: n. */
void nat_swap_if(limb_t *a, limb_t *b, choice c, int n);

/* a == 0, a == w, a == b, a < b.  Secret: a, b, w and the answer.  Leaks: n. */
choice nat_is_zero(const limb_t *a, int n);
choice nat_eq_limb(const limb_t *a, limb_t w, int n);
choice nat_eq(const limb_t *a, const limb_t *b, int n);
choice nat_lt(const limb_t *a, const limb_t *b, int n);

/* r = a 2^k mod B^n, and r = floor(a / 2^k).  Requires 0 <= k <= n LIMB_BITS.
 * Secret: a.  Leaks: n, k. */
void nat_shl(limb_t *r, const limb_t *a, int k, int n);
void nat_shr(limb_t *r, const limb_t *a, int k, int n);

/* The same for a secret k below 2^kbits: one conditional shift for each bit of k.
 * Requires kbits <= 16.  Secret: a, k.  Leaks: n, kbits. */
void nat_shl_secret(limb_t *r, const limb_t *a, unsigned k, int kbits, int n);
void nat_shr_secret(limb_t *r, const limb_t *a, unsigned k, int kbits, int n);

/* The number of low zero bits of a; n LIMB_BITS for a = 0.  Secret: a and the answer.  Leaks: n. */
unsigned nat_trailing_zeros(const limb_t *a, int n);

/* floor(a / 2^pos) mod 2^w: the exponent window at bit pos; bits past the top are zero.
 * Requires 0 <= pos, 1 <= w <= 8.  Secret: a and the answer.  Leaks: n, pos, w. */
unsigned nat_window(const limb_t *a, int n, int pos, int w);

/* The length of a in bits: 0 for 0, else floor(log2 a) + 1.  Variable time: a is public. */
int nat_bits_vartime(const limb_t *a, int n);

/* r = the big-endian integer of len bytes (OS2IP, RFC 8017 4.2), zero-extended.
 * Returns yes iff it is below B^n; otherwise r = that integer mod B^n.
 * Secret: the bytes and the answer.  Leaks: n, len. */
choice nat_from_bytes(limb_t *r, int n, const uint8_t *bytes, size_t len);

/* bytes = a in exactly len big-endian bytes (I2OSP, RFC 8017 4.1).  Returns yes iff a < 256^len;
 * otherwise the bytes are a mod 256^len.  Secret: a and the answer.  Leaks: n, len. */
choice nat_to_bytes(uint8_t *bytes, size_t len, const limb_t *a, int n);

/* r[0..n-1] += a w; returns the limb that is carried out.  Secret: a, w.  Leaks: n. */
limb_t nat_mul_add_limb(limb_t *r, const limb_t *a, limb_t w, int n);

/* r[0..n-1] = a w; returns the limb that is carried out.  Secret: a, w.  Leaks: n. */
limb_t nat_mul_limb(limb_t *r, const limb_t *a, limb_t w, int n);

/* r (an + bn limbs) = a b.  Requires an, bn >= 1; r overlaps neither a nor b.
 * Secret: a, b.  Leaks: an, bn. */
void nat_mul(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn);

/* r (2n limbs) = a^2.  Requires n >= 1; r does not overlap a.  Secret: a.  Leaks: n. */
void nat_sqr(limb_t *r, const limb_t *a, int n);

/* q = floor(a / d), and returns a mod d, for a public word d of up to 32 bits at every LIMB_BITS.
 * q may be NULL.  One step of shift and subtract for each bit of a, without a division instruction.
 * Requires d > 0.  Secret: a, q, the remainder.  Leaks: n, d. */
uint32_t nat_div_word(limb_t *q, const limb_t *a, uint32_t d, int n);

/* r[0..n-1] = a w + c for words of up to 32 bits; returns what is carried out (below 2^32).
 * Secret: a, w, c.  Leaks: n. */
uint32_t nat_mul_word(limb_t *r, const limb_t *a, uint32_t w, uint32_t c, int n);

/* a = q b + r, 0 <= r < b, by shift and subtract: an LIMB_BITS steps of bn limbs each.
 * q (an limbs) may be NULL; r (bn limbs) may be NULL.  q may be a; r may not overlap an input.
 * Requires b > 0, an >= 1, 1 <= bn <= NAT_MAX.  Secret: a, b, q, r.  Leaks: an, bn. */
void nat_div(limb_t *q, limb_t *r, const limb_t *a, int an, const limb_t *b, int bn);

/* a = q b + r, 0 <= r < b, by Knuth's algorithm D (TAOCP 4.3.1).  q (an limbs) may be NULL; r (bn
 * limbs) may be NULL.  scratch: an + bn + 1 limbs, wiped by the caller if it matters.  q and r may
 * be a and b in either order, but not each other.
 * Requires b > 0 (leading zero limbs are allowed), an, bn >= 1.  Variable time: a and b are public.
 */
void nat_div_vartime(limb_t *q, limb_t *r, const limb_t *a, int an, const limb_t *b, int bn,
                     limb_t *scratch);

/* r = t + top B^n less m once, unless it is below m.  Requires that value < 2m; r may be t.
 * Secret: t, top, m.  Leaks: n. */
void nat_sub_once(limb_t *r, const limb_t *t, limb_t top, const limb_t *m, int n);

/* r = t / B^n mod m (Montgomery, Math. Comp. 44, 1985), for the 2n limbs of t, which are
 * overwritten. Requires m odd, t < m B^n, k0 = -m^-1 mod B.  r may be t, or t + n. Secret: t, m.
 * Leaks: n. */
void nat_redc(limb_t *r, limb_t *t, const limb_t *m, limb_t k0, int n);

/* r = x mod m (Barrett, CRYPTO '86; HAC 14.42) for the 2n limbs of x, by half products.  Requires
 * B^(n-1) <= m < B^n, n <= B^2, and mu (n + 1 limbs) with B^2n / m - 1 <= mu <= B^2n / m.  scratch:
 * NAT_BARRETT_SCRATCH(n) limbs, left to the caller to wipe.  r may be x.
 * Secret: x, m, mu.  Leaks: n. */
#define NAT_BARRETT_SCRATCH(n) (2 * (n) + 5)
void nat_barrett(limb_t *r, const limb_t *x, const limb_t *m, const limb_t *mu, int n,
                 limb_t *scratch);

/* r = gcd(a, b); gcd(0, 0) = 0.  Safegcd with a fixed number of steps for the width (safegcd.c).
 * Requires 1 <= n <= NAT_MAX.  Secret: a, b, r.  Leaks: n. */
void nat_gcd(limb_t *r, const limb_t *a, const limb_t *b, int n);

/* The same in variable time, for public a and b. */
void nat_gcd_vartime(limb_t *r, const limb_t *a, const limb_t *b, int n);

#endif
