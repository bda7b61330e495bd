/* Powers, once for all engines: fixed windows for secret exponents, sliding ones for public ones.
 *
 * Table entries are packed at the engine's width, so that the first-level cache holds them. */
#include "engine.h"

#define WINDOW_MAX  5 /* six bits save 1 % of the products and double the table */
#define NUMBERS_MAX 2 /* of a pair */
#define BLOCK       4 /* limbs that gather keeps in registers */
_Static_assert(ELEM_MAX % BLOCK == 0, "an elem is whole blocks");

/* From one table entry to the next: the engine's width in whole blocks. */
static int stride_of(const struct mod *m)
{
    return (m->width + BLOCK - 1) / BLOCK * BLOCK;
}

/* r = table[index], reading all of the count entries.
 * Secret: table, index.  Leaks: stride, count. */
static void gather_blocks(elem *r, const limb_t *table, unsigned index, int count, int stride)
{
    limb_t mask[1 << WINDOW_MAX];
    for (int i = 0; i < count; i++)
        mask[i] = choice_eq((limb_t)i, (limb_t)index).mask;
    for (int j = 0; j < stride; j += BLOCK) {
        const limb_t *t = table + j;
        limb_t r0 = 0, r1 = 0, r2 = 0, r3 = 0;
        for (int i = 0; i < count; i++, t += stride) {
            r0 |= t[0] & mask[i];
            r1 |= t[1] & mask[i];
            r2 |= t[2] & mask[i];
            r3 |= t[3] & mask[i];
        }
        r->d[j] = r0, r->d[j + 1] = r1, r->d[j + 2] = r2, r->d[j + 3] = r3;
    }
    nat_wipe(mask, count);
}

/* The same by the engine if it can; index[h] is for number h of a pair. */
static void gather(elem *r, const limb_t *table, const unsigned *index, int count,
                   const struct mod *m)
{
    if (m->eng->gather)
        m->eng->gather(r, table, index, count, m);
    else
        gather_blocks(r, table, *index, count, stride_of(m));
}

/* r = 1, or a pair of them. */
static void set_one(elem *r, const struct mod *m, int numbers)
{
    limb_t one[NAT_MAX];
    for (int h = 0; h < numbers; h++)
        nat_set(one + h * m->n, m->n, 1);
    mod_enter(r, one, m);
}

/* table[i] = first factor^i, 0 <= i < count; first is overwritten. */
static void fill(limb_t *table, elem *first, const elem *factor, int count, const struct mod *m)
{
    for (int i = 0; i < count; i++, table += stride_of(m)) {
        if (i > 0)
            mod_mul(first, first, factor, m);
        nat_resize(table, stride_of(m), first->d, m->width);
    }
}

/* The window for a secret exponent: fewest products, 2^w - 2 for the table and one a window. */
static int fixed_window(int ebits)
{
    return ebits > 300 ? 5 : ebits > 64 ? 4 : ebits > 16 ? 3 : ebits > 4 ? 2 : 1;
}

/* index[h] = the window of e[h] at pos. */
static void windows_at(unsigned *index, const limb_t *const *e, int ebits, int pos, int w,
                       int numbers)
{
    for (int h = 0; h < numbers; h++)
        index[h] = nat_window(e[h], LIMBS_OF_BITS(ebits), pos, w);
}

/* x = the residues a[h] as one element. */
static void enter_all(elem *x, const limb_t *const *a, const struct mod *m, int numbers)
{
    limb_t t[NAT_MAX] = {0}; /* gcc -O1 does not see that numbers > 0 */
    for (int h = 0; h < numbers; h++)
        nat_copy(t + h * m->n, a[h], m->n);
    mod_enter(x, t, m);
    nat_wipe(t, numbers * m->n);
}

static void leave_all(limb_t *const *r, const elem *x, const struct mod *m, int numbers)
{
    limb_t t[NAT_MAX];
    mod_leave(t, x, m);
    for (int h = 0; h < numbers; h++)
        nat_copy(r[h], t + h * m->n, m->n);
    nat_wipe(t, numbers * m->n);
}

/* r[h] = a[h]^e[h] for the one number of m, or the two of a pair. */
static void fixed_windows(limb_t *const *r, const limb_t *const *a, const limb_t *const *e,
                          int ebits, const struct mod *m, int numbers)
{
    int w = fixed_window(ebits), count = 1 << w, stride = stride_of(m);
    int pos = ebits > 0 ? (ebits - 1) / w * w : 0; /* the top window may be short */
    _Alignas(64) limb_t table[ELEM_MAX << WINDOW_MAX];
    unsigned index[NUMBERS_MAX] = {0};
    elem x, power;
    enter_all(&x, a, m, numbers);
    set_one(&power, m, numbers);
    fill(table, &power, &x, count, m);
    if (ebits > 0)
        windows_at(index, e, ebits, pos, ebits - pos, numbers);
    gather(&power, table, index, count, m);
    while (pos > 0) { /* power = a^floor(e / 2^pos) */
        pos -= w;
        for (int i = 0; i < w; i++)
            mod_sqr(&power, &power, m);
        windows_at(index, e, ebits, pos, w, numbers);
        gather(&x, table, index, count, m);
        mod_mul(&power, &power, &x, m);
    }
    leave_all(r, &power, m, numbers);
    nat_wipe(table, count * stride);
    nat_wipe(power.d, stride);
    nat_wipe(x.d, stride);
    nat_wipe_bytes(index, sizeof index);
}

void mod_exp(limb_t *r, const limb_t *a, const limb_t *e, int ebits, const struct mod *m)
{
    fixed_windows(&r, &a, &e, ebits, m, 1);
}

void mod_exp2(limb_t *const r[2], const limb_t *const a[2], const limb_t *const e[2], int ebits,
              const struct mod *const m[2])
{
    const struct engine *eng = m[0]->eng;
    struct mod both;
    if (eng == m[1]->eng && m[0]->bits == m[1]->bits && eng->pair && eng->pair(&both, m) == 0) {
        fixed_windows(r, a, e, ebits, &both, 2);
        mod_wipe(&both);
    } else {
        for (int h = 0; h < 2; h++)
            mod_exp(r[h], a[h], e[h], ebits, m[h]);
    }
}

/* The window for a public exponent: 2^(w-1) - 1 products for the table of odd powers, and one for
 * each w + 1 bits. */
static int sliding_window(int ebits)
{
    return ebits > 240 ? 5 : ebits > 80 ? 4 : ebits > 24 ? 3 : 1;
}

void mod_exp_vartime(limb_t *r, const limb_t *a, const limb_t *e, int ebits, const struct mod *m)
{
    int w = sliding_window(ebits), count = 1 << (w - 1), stride = stride_of(m);
    int en = LIMBS_OF_BITS(ebits), started = 0;
    _Alignas(64) limb_t table[ELEM_MAX << (WINDOW_MAX - 1)]; /* table[i] = a^(2i + 1) */
    elem x, power;
    mod_enter(&x, a, m);
    if (count > 1)
        mod_sqr(&power, &x, m);
    fill(table, &x, &power, count, m);
    set_one(&power, m, 1);
    for (int high = ebits - 1, low; high >= 0; high = low - 1) {
        /* power = a^floor(e / 2^(high + 1)).  A window ends in a 1, or is a single 0. */
        low = high;
        if (nat_window(e, en, high, 1))
            low = high >= w ? high - w + 1 : 0;
        while (low < high && !nat_window(e, en, low, 1))
            low++;
        for (int i = low; i <= high && started; i++)
            mod_sqr(&power, &power, m);
        unsigned digit = nat_window(e, en, low, high - low + 1);
        if (digit == 0)
            continue;
        nat_copy(x.d, table + (int)(digit >> 1) * stride, stride);
        if (started)
            mod_mul(&power, &power, &x, m);
        else
            nat_copy(power.d, x.d, stride);
        started = 1;
    }
    mod_leave(r, &power, m);
    nat_wipe(table, count * stride);
    nat_wipe(power.d, stride);
    nat_wipe(x.d, stride);
}
