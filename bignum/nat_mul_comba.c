/* Products and squares column by column (Comba, IBM Systems Journal 29, 1990; column.h).
 *
 * A square adds each product of two different limbs once, doubles the sum and adds the squares. */
#include "column.h"
#include "nat_mul.h"

static int usable(void)
{
    return 1;
}

static void mul(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn)
{
    struct column c = {0, 0};
    for (int k = 0; k < an + bn - 1; k++) {
        int first = k < bn ? 0 : k - bn + 1, last = k < an ? k : an - 1;
        column_add_products(&c, a + first, b + k - first, last - first + 1);
        r[k] = column_next(&c);
    }
    r[an + bn - 1] = column_next(&c);
    verify(c.low == 0 && c.over == 0);
}

static void sqr(limb_t *r, const limb_t *a, int n)
{
    struct column c = {0, 0};
    for (int k = 0; k < 2 * n; k++) { /* the a[i] a[k-i] with i < k - i < n */
        int first = k < n ? 0 : k - n + 1;
        column_add_products(&c, a + first, a + k - first, (k + 1) / 2 - first);
        r[k] = column_next(&c);
    }
    limb_t out = 0, carry = 0; /* the bit that doubling moves up; the carry of adding the squares */
    for (int i = 0; i < n; i++) {
        limb_t low = r[2 * i], high = r[2 * i + 1];
        dlimb_t square = (dlimb_t)((dlimb_t)a[i] * a[i]);
        r[2 * i] = limb_add((limb_t)(low << 1 | out), (limb_t)square, &carry);
        out = (limb_t)(low >> (LIMB_BITS - 1));
        r[2 * i + 1] = limb_add((limb_t)(high << 1 | out), (limb_t)(square >> LIMB_BITS), &carry);
        out = (limb_t)(high >> (LIMB_BITS - 1));
    }
    verify(out == 0 && carry == 0);
}

const struct multiplier nat_comba = {
    .name = "comba",
    .usable = usable,
    .mul = mul,
    .sqr = sqr,
    .halve_mul = 32,
    .halve_sqr = 64,
};
