/* Reduction of a double-width product: Montgomery's, after the product; Barrett's, by half
 * products.
 *
 * The loops of the engines that multiply first and reduce afterwards, and of mp_reduce and
 * mp_montgomery_reduce. */
#include "nat.h"

void nat_sub_once(limb_t *r, const limb_t *t, limb_t top, const limb_t *m, int n)
{
    limb_t borrow = 0;
    for (int i = 0; i < n; i++)
        limb_sub(t[i], m[i], &borrow);
    limb_sub(top, 0, &borrow);
    nat_sub_if(r, t, m, choice_not(choice_of_bit(borrow)), n);
}

void nat_redc(limb_t *r, limb_t *t, const limb_t *m, limb_t k0, int n)
{
    limb_t top = 0;
    /* Row i makes t[i] vanish: t + m (q0 + q1 B + ... + qi B^i) is a multiple of B^(i+1).  The
     * carry of a row goes into the limb above at once, and what that carries waits in top: t + m
     * (B^n - 1) < 2 m B^n, so after the last row (top, t[n..2n-1]) < 2m. */
    for (int i = 0; i < n; i++) {
        limb_t q = limb_mul(t[i], k0);
        limb_t carry = nat_mul_add_limb(t + i, m, q, n);
        t[i + n] = limb_add(t[i + n], carry, &top);
    }
    nat_sub_once(r, t + n, top, m, n);
}

/* r = floor(a b / B^from) less what the columns below `from` would carry into it; a and b have n
 * limbs, r has 2n - from. */
static void product_high(limb_t *r, const limb_t *a, const limb_t *b, int n, int from)
{
    nat_zero(r, 2 * n - from);
    for (int j = 0; j < n; j++) {
        int i = j < from ? from - j : 0;
        if (i < n)
            r[j + n - from] = nat_mul_add_limb(r + i + j - from, a + i, b[j], n - i);
    }
}

/* r = a b mod B^(n+1); a has n + 1 limbs, b has n, r has n + 1. */
static void product_low(limb_t *r, const limb_t *a, const limb_t *b, int n)
{
    nat_zero(r, n + 1);
    for (int j = 0; j < n; j++)
        nat_mul_add_limb(r + j, a, b[j], n + 1 - j);
}

/* Let q1 = floor(x / B^(n-1)), Y = q1 mu / B^(n+1).  As q1 > x / B^(n-1) - 1 and mu >= B^2n / m -
 * 1, x / m >= Y > x / m - x / B^2n - B^(n-1) / m > x / m - 2   (HAC 14.43). Leaving out the columns
 * of q1 mu below n - 2 takes sum over k < n-2 of (k+1) (B-1)^2 B^k < n B^(n-1) <= B^(n+1)   for n
 * <= B^2 from q1 mu, less than 1 from Y: q3 = floor of it is in [q - 3, q], q = floor(x / m). Hence
 * x - q3 m < 4m < B^(n+1), and three subtractions do. */
void nat_barrett(limb_t *r, const limb_t *x, const limb_t *m, const limb_t *mu, int n,
                 limb_t *scratch)
{
    int from = n > 2 ? n - 2 : 0;
    limb_t *q2 = scratch, *q3 = q2 + (n + 1 - from), *t = q2 + (2 * (n + 1) - from);
    product_high(q2, x + n - 1, mu, n + 1, from);
    product_low(t, q3, m, n);
    nat_sub(t, x, t, n + 1);
    for (int i = 0; i < 3; i++) {
        limb_t borrow = 0;
        for (int j = 0; j < n; j++)
            limb_sub(t[j], m[j], &borrow);
        limb_sub(t[n], 0, &borrow);
        choice above = choice_not(choice_of_bit(borrow));
        t[n] = (limb_t)(t[n] - nat_sub_if(t, t, m, above, n));
    }
    verify(t[n] == 0 && nat_lt(t, m, n).mask);
    nat_copy(r, t, n);
}
