/* Products and squares: which way to take; and products with one limb. */
#include "nat_mul.h"

const struct multiplier *const nat_multipliers[] = {
#if LIMB_BITS == 32
    &nat_delayed,
#endif
    &nat_adx,     &nat_comba,
#if LIMB_BITS != 32
    &nat_delayed,
#endif
    NULL,
};

/* The first row that this machine has: every machine has Comba. */
static const struct multiplier *fastest(void)
{
    int i = 0;
    while (!nat_multipliers[i]->usable())
        i++;
    return nat_multipliers[i];
}
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

/* Operands that the stack has room for. */
#define HALVES_MAX (2 * NAT_MAX)

void nat_mul(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn)
{
    const struct multiplier *way = fastest();
    int n = an < bn ? an : bn;
    if (n < way->halve_mul || n > HALVES_MAX) {
        way->mul(r, a, an, b, bn);
        return;
    }
    limb_t scratch[NAT_HALVES_SCRATCH(HALVES_MAX)];
    nat_mul_halves(r, a, an, b, bn, scratch, way);
    nat_wipe(scratch, an == bn ? NAT_HALVES_SQR_SCRATCH(n) : NAT_HALVES_SCRATCH(n));
}

void nat_sqr(limb_t *r, const limb_t *a, int n)
{
    const struct multiplier *way = fastest();
    if (n < way->halve_sqr || n > HALVES_MAX) {
        way->sqr(r, a, n);
        return;
    }
    limb_t scratch[NAT_HALVES_SQR_SCRATCH(HALVES_MAX)];
    nat_sqr_halves(r, a, n, scratch, way);
    nat_wipe(scratch, NAT_HALVES_SQR_SCRATCH(n));
}
