/* A modulus and its residues: choose an engine, go in and out of its form, add, subtract, multiply.
 */
#include "engine.h"

#include <stdlib.h>

/* Is bit bits-1 of a set and none above it? */
static choice has_bits(const limb_t *a, int bits)
{
    limb_t top = a[LIMBS_OF_BITS(bits) - 1];
    return choice_eq((limb_t)(top >> (bits - 1) % LIMB_BITS), 1);
}

int mod_init_engine(struct mod *m, const limb_t *n, int bits, const char *name)
{
    if (bits < 2 || bits > NAT_MAX_BITS)
        return -1;
    if (!declassify(has_bits(n, bits))) /* the length is public, as the caller says */
        return -1;
    int odd = declassify(choice_of_bit(n[0] & 1)); /* public: it decides the engine */
    m->eng = engine_find(name, bits, odd);
    if (!m->eng)
        return -1;
    m->n = LIMBS_OF_BITS(bits);
    m->bits = bits;
    nat_copy(m->m, n, m->n);
    m->eng->setup(m);
    return 0;
}

int mod_init(struct mod *m, const limb_t *n, int bits)
{
    const char *name = getenv("TAHR_ENGINE");
    if (bits < 2 || !declassify(choice_of_bit(n[0] & 1))) /* an even modulus is malformed */
        return -1;
    if (name && mod_init_engine(m, n, bits, name) == 0)
        return 0;
    return mod_init_engine(m, n, bits, NULL);
}

void mod_wipe(struct mod *m)
{
    nat_wipe_bytes(m, sizeof *m);
}

void mod_power_of_two(limb_t *r, int k, const struct mod *m)
{
    int n = m->n;
    verify(k >= m->bits);
    /* 2^bits - m, which is 2^bits mod m because m < 2^bits <= 2m, or m itself for m = 2^(bits-1):
     * the complement of m in bits bits, plus one. */
    for (int i = 0; i < n; i++)
        r[i] = (limb_t)~m->m[i];
    r[n - 1] &= (limb_t)(LIMB_MAX >> (n * LIMB_BITS - m->bits));
    nat_add_limb(r, r, 1, n);
    nat_sub_if(r, r, m->m, nat_eq(r, m->m, n), n);
    while (k-- > m->bits)
        nat_add_mod(r, r, r, m->m, n);
}

/* Horner's rule on the digits of a to base B^n: x = x B^n + digit, both products by mul_leave,
 * which takes any natural of n limbs. */
void mod_reduce(limb_t *r, const limb_t *a, int an, const struct mod *m)
{
    int n = m->n, digits = (an + n - 1) / n;
    elem one, base; /* 1 and B^n */
    limb_t x[NAT_MAX], t[NAT_MAX];
    nat_set(t, n, 1);
    mod_enter(&one, t, m);
    mod_power_of_two(t, n * LIMB_BITS, m);
    mod_enter(&base, t, m);
    nat_zero(x, n);
    for (int i = digits - 1; i >= 0; i--) {
        nat_resize(t, n, a + i * n, i == digits - 1 ? an - i * n : n);
        m->eng->mul_leave(t, &one, t, m);
        if (i < digits - 1)
            m->eng->mul_leave(x, &base, x, m);
        nat_add_mod(x, x, t, m->m, n);
    }
    nat_copy(r, x, n);
    nat_wipe_bytes(&one, sizeof one);
    nat_wipe_bytes(&base, sizeof base);
    nat_wipe(x, n);
    nat_wipe(t, n);
}

void mod_enter(elem *r, const limb_t *a, const struct mod *m)
{
    verify(nat_lt(a, m->m, m->n).mask);
    m->eng->enter(r, a, m);
}

void mod_leave(limb_t *r, const elem *a, const struct mod *m)
{
    m->eng->leave(r, a, m);
    verify(nat_lt(r, m->m, m->n).mask);
}

void mod_mul(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    m->eng->mul(r, a, b, m);
}

void mod_sqr(elem *r, const elem *a, const struct mod *m)
{
    m->eng->sqr(r, a, m);
}

void mod_add(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    m->eng->add(r, a, b, m);
}

void mod_sub(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    m->eng->sub(r, a, b, m);
}

void mod_product(limb_t *r, const limb_t *a, const limb_t *b, const struct mod *m)
{
    elem t;
    mod_enter(&t, a, m);
    m->eng->mul_leave(r, &t, b, m);
    nat_wipe(t.d, m->width);
}
