/* Powers, once for all engines: fixed windows for secret exponents, sliding windows for public
 * ones.
 *
 * A table of powers is packed m->width limbs apart, so that the first-level cache holds it. */
#include "engine.h"

#define WINDOW_MAX 5

/* The window for an exponent of so many bits: fewest products, 2^w - 2 for the table and one for
 * each window. */
static int window_bits(int ebits)
{
    return ebits > 300 ? 5 : ebits > 64 ? 4 : ebits > 16 ? 3 : ebits > 4 ? 2 : 1;
}

/* r = table[index], reading all of count entries.  Secret: table, index.  Leaks: width, count. */
static void gather(elem *r, const limb_t *table, unsigned index, int count, int width)
{
    nat_zero(r->d, width);
    for (int i = 0; i < count; i++, table += width) {
        choice here = choice_eq((limb_t)i, (limb_t)index);
        for (int j = 0; j < width; j++)
            r->d[j] |= table[j] & here.mask;
    }
}

/* table[i] = a^i for i < count. */
static void fill_powers(limb_t *table, const elem *a, int count, const struct mod *m)
{
    elem power;
    limb_t one[NAT_MAX];
    nat_set(one, m->n, 1);
    mod_enter(&power, one, m);
    for (int i = 0; i < count; i++) {
        nat_copy(table + i * m->width, power.d, m->width);
        mod_mul(&power, &power, a, m);
    }
    nat_wipe(power.d, m->width);
}

void mod_exp(limb_t *r, const limb_t *a, const limb_t *e, int ebits, const struct mod *m)
{
    int w = window_bits(ebits), count = 1 << w, width = m->width;
    _Alignas(64) limb_t table[ELEM_MAX << WINDOW_MAX];
    elem x, power;
    mod_enter(&x, a, m);
    fill_powers(table, &x, count, m);
    nat_copy(power.d, table, width);
    /* e = high 2^pos + low: power = a^high. */
    for (int pos = (ebits + w - 1) / w * w - w; pos >= 0; pos -= w) {
        int bits = ebits - pos < w ? ebits - pos : w;
        for (int i = 0; i < bits; i++)
            mod_sqr(&power, &power, m);
        gather(&x, table, nat_window(e, LIMBS_OF_BITS(ebits), pos, bits), count, width);
        mod_mul(&power, &power, &x, m);
    }
    mod_leave(r, &power, m);
    nat_wipe(table, count * width);
    nat_wipe(power.d, width);
    nat_wipe(x.d, width);
}

void mod_exp_vartime(limb_t *r, const limb_t *a, const limb_t *e, int ebits, const struct mod *m)
{
    elem x, power;
    limb_t one[NAT_MAX];
    nat_set(one, m->n, 1);
    mod_enter(&x, a, m);
    mod_enter(&power, one, m);
    for (int pos = ebits - 1; pos >= 0; pos--) {
        mod_sqr(&power, &power, m);
        if (nat_window(e, LIMBS_OF_BITS(ebits), pos, 1))
            mod_mul(&power, &power, &x, m);
    }
    mod_leave(r, &power, m);
    nat_wipe(power.d, m->width);
    nat_wipe(x.d, m->width);
}
