/* Private to bignum: Bernstein and Yang's safegcd on numbers of any length.
 *
 * A number is an array of len digits of W = LIMB_BITS - 2 bits, least significant first.  All
 * digits but the top one lie in [0, 2^W); the top one is signed and may use its two spare bits, so
 * that a number's absolute value may reach 2^(W len + 1) and len = DIGITS_OF_BITS(bits) serves
 * every |x| < 2^(bits+1).  Whoever calls brings the arrays: residues from a stack, longer numbers
 * from a heap.
 *
 * Secret and Leaks: without _vartime, digits are secret and len and batches leak. */
#ifndef TAHR_SAFEGCD_H
#define TAHR_SAFEGCD_H

#include "limb.h"

#define DIGIT_BITS                    (LIMB_BITS - 2)
#define DIGIT_MASK                    ((limb_t)(LIMB_MAX >> 2))
#define DIGITS_OF_BITS(bits)          (((bits) + DIGIT_BITS - 1) / DIGIT_BITS)

/* Batches that reach g = 0 from any odd f and any g with 0 <= g <= f <= 2^bits: divsteps from delta
 * = 1/2 (Wuille, "Bounds on divsteps iterations in safegcd", 2021), and in variable time from delta
 * = 1 (Bernstein, Yang, theorem 11.2; theirs is smaller from 46 bits on). */
#define BATCHES_OF_STEPS(steps)       ((int)(((steps) + DIGIT_BITS - 1) / DIGIT_BITS))
#define BATCHES_OF_BITS(bits)         BATCHES_OF_STEPS((INT64_C(45907) * (bits) + 26313) / 19929)
#define BATCHES_OF_BITS_VARTIME(bits) BATCHES_OF_STEPS((INT64_C(49) * (bits) + 80) / 17)

/* 2^W times what a batch of W divsteps does to (f, g): it becomes (u f + v g, q f + r g) / 2^W.
 * |u| + |v| <= 2^W and |q| + |r| <= 2^W. */
struct matrix {
    slimb_t u, v, q, r;
};

/* What a batch does to the Jacobi symbol: see mod_jacobi.c. */
struct signs {
    limb_t flips; /* bit 1: the parity of the sign changes that low bits tell */
    limb_t turns; /* how often v has changed its sign */
};

/* c + a b.  Every sum here stays below 2^(2W+3), which sdlimb_t holds, see safegcd.c. */
static inline sdlimb_t digit_mul_add(sdlimb_t c, slimb_t a, slimb_t b)
{
    return (sdlimb_t)(c + (sdlimb_t)((sdlimb_t)a * b));
}

/* (digit returned, *c) = (*c mod 2^W, floor(*c / 2^W)): >> of a negative value is arithmetic in
 * every compiler that we know. */
static inline slimb_t digit_of_sum(sdlimb_t *c)
{
    slimb_t low = (slimb_t)((limb_t)*c & DIGIT_MASK);
    *c = (sdlimb_t)(*c >> DIGIT_BITS);
    return low;
}

/* All ones if d is negative, else 0. */
static inline limb_t digit_sign(slimb_t d)
{
    return limb_barrier((limb_t)(d >> (LIMB_BITS - 1)));
}

/* d (len digits) = a (n limbs); a < 2^(W len). */
void safegcd_load(slimb_t *d, int len, const limb_t *a, int n);

/* r (n limbs) = d; 0 <= d < B^n and d < 2^(W len). */
void safegcd_store(limb_t *r, int n, const slimb_t *d, int len);

/* a = -a if mask is all ones; nothing if it is 0. */
void safegcd_negate_if(slimb_t *a, int len, limb_t mask);

/* Is a, which is not negative, 1? */
choice safegcd_is_one(const slimb_t *a, int len);

/* f mod B: the word that a batch of f begins with. */
limb_t safegcd_low(const slimb_t *f, int len);

/* t = the matrix of the next W divsteps for the low words f and g, f odd; returns the new value of
 * zeta = -(delta + 1/2), in variable time -delta, which begins at -1: that is delta = 1/2, which
 * needs fewer steps at worst, or 1, which leaves longer runs to add at once.  The second form also
 * tells the signs. */
int_fast32_t safegcd_divsteps(struct matrix *t, int_fast32_t zeta, limb_t f, limb_t g);
int_fast32_t safegcd_divsteps_signs(struct matrix *t, struct signs *s, int_fast32_t zeta, limb_t f,
                                    limb_t g);
int_fast32_t safegcd_divsteps_vartime(struct matrix *t, int_fast32_t zeta, limb_t f, limb_t g);
int_fast32_t safegcd_divsteps_signs_vartime(struct matrix *t, struct signs *s, int_fast32_t zeta,
                                            limb_t f, limb_t g);

/* (f, g) = (u f + v g, q f + r g) / 2^W, which is exact. */
void safegcd_apply(slimb_t *f, slimb_t *g, int len, const struct matrix *t);

/* The length without the digits that f and g, both, can do without; is a zero.  Public numbers. */
int safegcd_trim_vartime(slimb_t *f, slimb_t *g, int len);
int safegcd_is_zero_vartime(const slimb_t *g, int len);

/* f = gcd(f, g), g = 0, for odd f.  Requires batches >= BATCHES_OF_BITS(bits) for 0 <= g <= f <=
 * 2^bits. */
void safegcd_gcd(slimb_t *f, slimb_t *g, int len, int batches);

/* f = gcd(f, g), g = 0, for odd f and any g; returns the length of f. */
int safegcd_gcd_vartime(slimb_t *f, slimb_t *g, int len);

/* Room for safegcd_inv_vartime, in digits, beside its arguments. */
#define SAFEGCD_INV_SCRATCH(bits) (2 * BATCHES_OF_BITS_VARTIME(bits) + 3 * DIGITS_OF_BITS(bits) + 3)

/* x = x^-1 mod m for odd m, 0 <= x < m < 2^bits, both of DIGITS_OF_BITS(bits) digits; returns 0, or
 * -1 and x is lost, when gcd(x, m) > 1. */
int safegcd_inv_vartime(slimb_t *x, const slimb_t *m, int bits, slimb_t *scratch);

/* The Jacobi symbol (g | f) for odd f > 0; f and g are lost.  Requires batches as safegcd_gcd. */
int safegcd_jacobi(slimb_t *f, slimb_t *g, int len, int batches);
int safegcd_jacobi_vartime(slimb_t *f, slimb_t *g, int len);

#endif
