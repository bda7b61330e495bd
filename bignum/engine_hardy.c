/* Norman Hardy's multiplication: the multiplier in batches, high order first, each product reduced
 * by a precomputed reciprocal of the modulus; for any modulus, even ones too.
 *
 * His batch is 120 bits, four words of 30; here it is two limbs, P = 2 LIMB_BITS bits, so that at
 * 8-bit limbs every case can be tried.  An element is the residue itself.
 *
 *   acc = 0
 *   for each batch d of b, high order first:   acc = acc 2^P + d a;   acc = acc - q m
 *
 * with q = floor(h v / 2^(P + G + H)), where h = floor(acc / 2^(s - G)) is the top of acc,
 * v = floor(2^(s + P + H) / m) the reciprocal, s the bits of m (2^(s-1) <= m < 2^s; nothing is
 * shifted up to normalise m), and G = H = 4 guard bits.  For s < G take s - G as 0.
 *
 * The bound.  Let acc < c m before a step and a < m.  Then t = acc 2^P + d a < (c + 1) 2^P m, and q
 * is below t / m by less than (c + 1) / 2^H     for v, which is less than 1 below 2^(s+P+H) / m,
 * times t / 2^(s+P+H) 2 / 2^G           for h, which is less than 1 below t / 2^(s-G), times v /
 * 2^(P+G+H) <= 2 / 2^G, with equality for m = 2^(s-1), the top bits 1000...0 1                 for
 * the floor, and never above it: 0 <= t - q m < (1 + (c + 1)/16 + 1/8) m, at most c m for c =
 * 19/15.  Without guard bits (G = H = 0) c would double with each batch.  So acc < 2m always, t <
 * 2^(s + P + 2), and one subtraction at the end makes acc < m.  Sizes: v <= 2^(P+5), h < 2^(P+6), q
 * < 2^(P+2): three limbs each. */
#include "engine.h"

#define BATCH 2
#define GUARD 4

/* The bit of acc at which h begins. */
static int h_pos(const struct mod *m)
{
    return m->bits > GUARD ? m->bits - GUARD : 0;
}

static int usable(int bits, int odd)
{
    (void)odd;
    return bits >= 2 && bits <= NAT_MAX_BITS;
}

static void setup(struct mod *m)
{
    limb_t t[NAT_MAX + BATCH + 2];
    int pos = m->bits + BATCH * LIMB_BITS + GUARD, n = pos / LIMB_BITS + 1;
    nat_zero(t, n);
    t[n - 1] = (limb_t)((limb_t)1 << pos % LIMB_BITS);
    nat_div(t, NULL, t, n, m->m, m->n);
    nat_resize(m->u.hardy.v, BATCH + 1, t, n);
    nat_wipe(t, n);
    m->width = m->n;
}

/* r (BATCH + 1 limbs) = floor(a / 2^pos) mod B^(BATCH+1), for the n limbs of a. */
static void bits_from(limb_t *r, const limb_t *a, int n, int pos)
{
    limb_t t[BATCH + 2];
    int i = pos / LIMB_BITS;
    nat_resize(t, BATCH + 2, a + i, n - i);
    nat_shr(t, t, pos % LIMB_BITS, BATCH + 2);
    nat_copy(r, t, BATCH + 1);
}

/* t (n + BATCH + 1 limbs) = t - q m < 2m. */
static void subtract_quotient(limb_t *t, const struct mod *m)
{
    int n = m->n, size = n + BATCH + 1;
    limb_t h[BATCH + 1], hv[2 * (BATCH + 1)], q[BATCH + 1], qm[NAT_MAX + BATCH + 1];
    bits_from(h, t, size, h_pos(m));
    nat_mul(hv, h, BATCH + 1, m->u.hardy.v, BATCH + 1);
    bits_from(q, hv, 2 * (BATCH + 1), m->bits - h_pos(m) + BATCH * LIMB_BITS + GUARD);
    nat_mul(qm, m->m, n, q, BATCH + 1);
    limb_t borrow = nat_sub(t, t, qm, size);
    verify(borrow == 0 && t[n] <= 1 && nat_is_zero(t + n + 1, BATCH).mask);
    (void)borrow;
    nat_wipe(h, BATCH + 1);
    nat_wipe(hv, 2 * (BATCH + 1));
    nat_wipe(q, BATCH + 1);
    nat_wipe(qm, size);
}

static void product(limb_t *r, const limb_t *a, const limb_t *b, const struct mod *m)
{
    int n = m->n, size = n + BATCH + 1;
    limb_t t[NAT_MAX + BATCH + 1];
    nat_zero(t, size);
    for (int i = (n + BATCH - 1) / BATCH - 1; i >= 0; i--) {
        for (int j = n; j >= 0; j--)
            t[j + BATCH] = t[j];
        nat_zero(t, BATCH);
        for (int k = 0; k < BATCH && i * BATCH + k < n; k++) {
            limb_t top = nat_mul_add_limb(t + k, a, b[i * BATCH + k], n);
            nat_add_limb(t + k + n, t + k + n, top, size - n - k);
        }
        subtract_quotient(t, m);
    }
    limb_t borrow = 0;
    for (int j = 0; j < n; j++)
        limb_sub(t[j], m->m[j], &borrow);
    limb_sub(t[n], 0, &borrow);
    nat_sub_if(r, t, m->m, choice_not(choice_of_bit(borrow)), n);
    nat_wipe(t, size);
}

static void mul(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    product(r->d, a->d, b->d, m);
}

static void sqr(elem *r, const elem *a, const struct mod *m)
{
    product(r->d, a->d, a->d, m);
}

static void mul_leave(limb_t *r, const elem *a, const limb_t *b, const struct mod *m)
{
    product(r, a->d, b, m);
}

const struct engine engine_hardy = {
    .name = "hardy",
    .usable = usable,
    .setup = setup,
    .enter = engine_enter_plain,
    .leave = engine_leave_plain,
    .mul = mul,
    .sqr = sqr,
    .add = engine_add,
    .sub = engine_sub,
    .mul_leave = mul_leave,
};
