/* Products and squares of naturals. */
#include "nat.h"

limb_t nat_mul_add_limb(limb_t *r, const limb_t *a, limb_t w, int n)
{
    limb_t carry = 0;
    for (int i = 0; i < n; i++)
        r[i] = limb_mul_add(a[i], w, r[i], &carry);
    return carry;
}

limb_t nat_mul_limb(limb_t *r, const limb_t *a, limb_t w, int n)
{
    limb_t carry = 0;
    for (int i = 0; i < n; i++)
        r[i] = limb_mul_add(a[i], w, 0, &carry);
    return carry;
}

void nat_mul(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn)
{
    nat_zero(r, an);
    for (int i = 0; i < bn; i++)
        r[an + i] = nat_mul_add_limb(r + i, a, b[i], an);
}

void nat_sqr(limb_t *r, const limb_t *a, int n)
{
    nat_mul(r, a, n, a, n);
}
