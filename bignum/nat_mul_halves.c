/* Long products by halves: Karatsuba's rule (Karatsuba and Ofman, Doklady 145, 1962; TAOCP 4.3.3).
 *
 * With a = a1 X + a0, b = b1 X + b0 and X = B^h,
 *     a b = a1 b1 X^2 + (a1 b1 + a0 b0 - (a0 - a1)(b0 - b1)) X + a0 b0,
 * three products of half the width.  The differences are kept as absolute value and sign, the sign
 * as a mask, so that time depends on widths alone.  Toom's rule for thirds needs divisions by 3
 * and gains little below 16384 bits over a fast row. */
#include "nat_mul.h"

/* r (n limbs) = |x - y|; returns yes iff x < y.  t: n limbs. */
static choice abs_difference(limb_t *r, const limb_t *x, const limb_t *y, int n, limb_t *t)
{
    nat_sub(t, y, x, n);
    choice negative = choice_of_bit(nat_sub(r, x, y, n));
    nat_select(r, negative, t, r, n);
    return negative;
}

/* r (4h limbs) holds a0 b0 and above it a1 b1; adds a1 b1 + a0 b0 + s d, which is not negative, at
 * h, s being -1 for yes and 1 for no.  d is lost.  t: h limbs.
 *
 * With a0 b0 = (x, w), a1 b1 = (z, y) in halves, high first, the two halves in the middle become
 * (x + y) + w + s d0 and (x + y) + z + s d1.  -d is its complement and 1, less B^2h. */
static void add_middle(limb_t *r, limb_t *d, choice negative, int h, limb_t *t)
{
    for (int i = 0; i < 2 * h; i++)
        d[i] ^= negative.mask;
    limb_t xy = nat_add(t, r + h, r + 2 * h, h);
    limb_t carry = nat_add(r + h, r, t, h);
    limb_t top = nat_add_carry(r + 2 * h, r + 3 * h, t, carry, h);
    carry = nat_add_carry(r + h, r + h, d, negative.mask & 1, h);
    top = (limb_t)(top + nat_add_carry(r + 2 * h, r + 2 * h, d + h, carry, h));
    /* The carry of x + y counts at 2h and at 3h. */
    top = (limb_t)(top + nat_add_limb(r + 2 * h, r + 2 * h, xy, h));
    limb_t out = nat_add_limb(r + 3 * h, r + 3 * h, (limb_t)(top + xy + negative.mask), h);
    verify(out == 0);
    (void)out;
}

/* r (2n + 2 limbs) = (a + w B^n)(b + v B^n), of which the low 2n limbs, a b, are there. */
static void append_limbs(limb_t *r, const limb_t *a, limb_t w, const limb_t *b, limb_t v, int n)
{
    limb_t carry = 0, high = 0;
    r[2 * n] = nat_mul_add_limb(r + n, a, v, n);
    limb_t more = nat_mul_add_limb(r + n, b, w, n);
    r[2 * n] = limb_add(r[2 * n], more, &carry);
    r[2 * n] = limb_mul_add(w, v, r[2 * n], &high);
    r[2 * n + 1] = (limb_t)(high + carry);
}

/* Scratch S(n) = 2h + max(S(h), h) <= 2n. */
static void mul_even(limb_t *r, const limb_t *a, const limb_t *b, int n, limb_t *scratch,
                     const struct multiplier *way)
{
    int h = n / 2;
    limb_t *d = scratch, *rest = scratch + 2 * h;
    if (n < way->halve_mul) {
        way->mul(r, a, n, b, n);
        return;
    }
    choice sa = abs_difference(r, a, a + h, h, d), sb = abs_difference(r + h, b, b + h, h, d);
    mul_even(d, r, r + h, h, rest, way);
    mul_even(r, a, b, h, rest, way);
    mul_even(r + 2 * h, a + h, b + h, h, rest, way);
    add_middle(r, d, (choice){(limb_t) ~(sa.mask ^ sb.mask)}, h, rest);
    if (n % 2 == 1)
        append_limbs(r, a, a[n - 1], b, b[n - 1], n - 1);
}

void nat_sqr_halves(limb_t *r, const limb_t *a, int n, limb_t *scratch,
                    const struct multiplier *way)
{
    int h = n / 2;
    limb_t *d = scratch, *rest = scratch + 2 * h;
    if (n < way->halve_sqr) {
        way->sqr(r, a, n);
        return;
    }
    abs_difference(r, a, a + h, h, d);
    nat_sqr_halves(d, r, h, rest, way);
    nat_sqr_halves(r, a, h, rest, way);
    nat_sqr_halves(r + 2 * h, a + h, h, rest, way);
    add_middle(r, d, choice_of_bit(1), h, rest);
    if (n % 2 == 1)
        append_limbs(r, a, a[n - 1], a, a[n - 1], n - 1);
}

/* Pieces of a as long as b, each product added where it belongs; the last piece may be shorter,
 * and is then the smaller factor.  t holds a product while the next smaller one is made: lengths
 * fall as in Euclid's algorithm, their sum is at most 3 bn, and 2 3 bn + S(bn) <= 8 bn suffices. */
void nat_mul_halves(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn, limb_t *scratch,
                    const struct multiplier *way)
{
    if (an < bn) {
        nat_mul_halves(r, b, bn, a, an, scratch, way);
        return;
    }
    if (bn < way->halve_mul) {
        way->mul(r, a, an, b, bn);
        return;
    }
    mul_even(r, a, b, bn, scratch, way);
    limb_t *t = scratch, *rest = scratch + 2 * bn;
    for (int i = bn; i < an; i += bn) {
        int m = an - i < bn ? an - i : bn;
        nat_mul_halves(t, b, bn, a + i, m, rest, way);
        limb_t carry = nat_add(r + i, r + i, t, bn);
        nat_add_limb(r + i + bn, t + bn, carry, m);
    }
}
