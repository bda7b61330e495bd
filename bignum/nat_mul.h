/* Private to bignum: the ways to multiply, one row of a table for each.
 *
 * A row multiplies any widths by itself, in time proportional to an bn; nat_mul and nat_sqr take
 * the first row that the machine has, and halve long operands by Karatsuba's rule until they come
 * to it.  Tests and benchmark walk the table. */
#ifndef TAHR_NAT_MUL_H
#define TAHR_NAT_MUL_H

#include "nat.h"

struct multiplier {
    const char *name;
    int (*usable)(void); /* on this machine? */
    /* As nat_mul and nat_sqr. */
    void (*mul)(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn);
    void (*sqr)(limb_t *r, const limb_t *a, int n);
    /* The limbs, at least 2, from which three half products are faster than one. Measured. */
    int halve_mul, halve_sqr;
};

extern const struct multiplier nat_comba, nat_delayed, nat_adx;

/* The table, fastest first, ended by NULL. */
extern const struct multiplier *const nat_multipliers[];

/* r = a b and r = a^2 on that row, halving from its thresholds on.  scratch: NAT_HALVES_SCRATCH of
 * the smaller width, and of n, limbs; the caller wipes it.  No limit to the widths.
 * Secret: a, b.  Leaks: an, bn. */
#define NAT_HALVES_SCRATCH(n) (8 * (n))
void nat_mul_halves(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn, limb_t *scratch,
                    const struct multiplier *way);
#define NAT_HALVES_SQR_SCRATCH(n) (2 * (n))
void nat_sqr_halves(limb_t *r, const limb_t *a, int n, limb_t *scratch,
                    const struct multiplier *way);

/* t (2n limbs) += q m for the q < B^n that makes the low n limbs vanish; returns the carry out.
 * k0 = -m^-1 mod B.  Requires nat_adx.usable(), n >= NAT_ADX_MIN. */
#define NAT_ADX_MIN 8
limb_t nat_clear_adx(limb_t *t, const limb_t *m, limb_t k0, int n);

#endif
