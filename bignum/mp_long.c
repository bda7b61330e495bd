/* Long products by Karatsuba's rule (Karatsuba and Ofman, Doklady 145, 1962; TAOCP 4.3.3), for
 * numbers that are public: with a = a1 X + a0, b = b1 X + b0, X = B^h,
 *
 *     a b = a1 b1 X^2 + (a1 b1 + a0 b0 - (a0 - a1)(b0 - b1)) X + a0 b0,
 *
 * down to products that nat_mul does best.  A longer factor is cut into pieces of the shorter. */
#include "mp_long.h"

#include <stdlib.h>

#define HALVE_FROM 40

/* d (h limbs) = |x - y|, y of m <= h limbs; returns 1 iff x < y. */
static int difference(limb_t *d, const limb_t *x, int h, const limb_t *y, int m)
{
    nat_resize(d, h, y, m);
    int less = declassify(nat_lt(x, d, h)); /* public */
    if (less)
        nat_sub(d, d, x, h);
    else
        nat_sub(d, x, d, h);
    return less;
}

/* r (2n limbs) = a b.  t: SCRATCH(n) limbs, which is 4h + SCRATCH(h) or more. */
#define SCRATCH(n) (4 * (size_t)(n) + 128)
static void halves(limb_t *r, const limb_t *a, const limb_t *b, int n, limb_t *t)
{
    if (n < HALVE_FROM) {
        nat_mul(r, a, n, b, n);
        return;
    }
    int h = (n + 1) / 2, m = n - h; /* m = h or h - 1 */
    limb_t *p = t + 2 * h, *rest = t + 4 * h;
    int negative = difference(t, a, h, a + h, m) != difference(t + h, b, h, b + h, m);
    halves(p, t, t + h, h, rest); /* (a0 - a1)(b0 - b1) but for its sign */
    halves(r, a, b, h, rest);
    halves(r + 2 * h, a + h, b + h, m, rest);

    /* c B^2h + t = a0 b0 + a1 b1 -+ p, which is not negative */
    nat_resize(t, 2 * h, r + 2 * h, 2 * m);
    limb_t c = nat_add(t, t, r, 2 * h);
    if (negative)
        c = (limb_t)(c + nat_add(t, t, p, 2 * h));
    else
        c = (limb_t)(c - nat_sub(t, t, p, 2 * h));
    c = (limb_t)(c + nat_add(r + h, r + h, t, 2 * h));
    nat_add_limb(r + 3 * h, r + 3 * h, c, 2 * n - 3 * h); /* the product has 2n limbs: no carry */
}

/* r (an + bn limbs) = a b for an >= bn.  t: PIECES(bn) limbs; what is left over is shorter than b
 * and takes less than 2 bn limbs for its product, and then, Euclid's way, PIECES of its own width,
 * which halves at the second step at the latest: 2 bn (1 + 1 + 1/2 + 1/2 + ...) + SCRATCH(bn). */
#define PIECES(n) (8 * (size_t)(n) + SCRATCH(n))
static void pieces(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn, limb_t *t)
{
    if (bn < HALVE_FROM) {
        nat_mul(r, a, an, b, bn);
        return;
    }
    nat_zero(r, an + bn);
    for (; an >= bn; a += bn, r += bn, an -= bn) { /* r[0..bn-1] is what the last one carried up */
        halves(t, a, b, bn, t + 2 * bn);
        limb_t c = nat_add(r, r, t, bn);
        nat_add_limb(r + bn, t + bn, c, bn);
    }
    if (an == 0)
        return;
    pieces(t, b, bn, a, an, t + an + bn);
    nat_add(r, r, t, an + bn);
}

int mp_long_mul(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn)
{
    int n = an < bn ? an : bn;
    limb_t *t = malloc(PIECES(n) * sizeof *t);

    if (t == NULL)
        return -1;
    if (an >= bn)
        pieces(r, a, an, b, bn, t);
    else
        pieces(r, b, bn, a, an, t);
    free(t);
    return 0;
}
