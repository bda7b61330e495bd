/* Montgomery's multiplication on limbs, for odd moduli: the reference (Montgomery, Math. Comp. 44,
 * 1985; HAC 14.36).
 *
 * An element is a R mod m in n limbs, R = B^n, always below m.  The product interleaves the row of
 * the operand and the row of the modulus in one loop (FIOS; Koc, Acar, Kaliski, IEEE Micro 16,
 * 1996). */
#include "engine.h"

/* r = a b / R mod m.  Requires a < m, b < R; r may be a or b.
 * Row i: t = (t + a b[i] + q m) / B, q making the lowest limb vanish.
 * t < 2m after each row, so its top carry is 0 or 1:
 *   (2m + m (B-1) + m (B-1)) / B = 2m. */
static void product(limb_t *r, const limb_t *a, const limb_t *b, const struct mod *m)
{
    int n = m->n;
    limb_t t[NAT_MAX], top = 0;
    verify(nat_lt(a, m->m, n).mask);
    nat_zero(t, n);
    for (int i = 0; i < n; i++) {
        limb_t ca = 0, cm = 0;
        limb_t w = limb_mul_add(a[0], b[i], t[0], &ca);
        limb_t q = limb_mul(w, m->u.mont.k0);
        w = limb_mul_add(m->m[0], q, w, &cm);
        verify(w == 0);
        for (int j = 1; j < n; j++) {
            w = limb_mul_add(a[j], b[i], t[j], &ca);
            t[j - 1] = limb_mul_add(m->m[j], q, w, &cm);
        }
        t[n - 1] = limb_add(ca, cm, &top);
        verify(top <= 1);
    }
    /* t - m, taken back if it is negative: t < 2m. */
    limb_t borrow = 0;
    for (int j = 0; j < n; j++)
        limb_sub(t[j], m->m[j], &borrow);
    verify(top <= borrow);
    nat_sub_if(r, t, m->m, choice_not(choice_of_bit((limb_t)(borrow - top))), n);
    nat_wipe(t, n);
}

static int usable(int bits, int odd)
{
    return odd && bits >= 2 && bits <= NAT_MAX_BITS;
}

/* R^2 mod m without a division: write n LIMB_BITS = o 2^s, o odd; double up to R 2^o mod m, then s
 * squarings, since (R 2^i) (R 2^i) / R = R 2^(2i), end at R 2^(o 2^s) = R R. */
static void setup(struct mod *m)
{
    limb_t *rr = m->u.mont.rr;
    int log_r = m->n * LIMB_BITS, o = log_r, s = 0;
    for (; o % 2 == 0; o /= 2)
        s++;
    m->width = m->n;
    m->u.mont.k0 = (limb_t)(0 - limb_inverse(m->m[0]));
    mod_power_of_two(rr, log_r + o, m);
    while (s--)
        product(rr, rr, rr, m);
}

static void enter(elem *r, const limb_t *a, const struct mod *m)
{
    product(r->d, m->u.mont.rr, a, m);
}

static void leave(limb_t *r, const elem *a, const struct mod *m)
{
    limb_t one[NAT_MAX];
    nat_set(one, m->n, 1);
    product(r, a->d, one, m);
}

static void mul(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    product(r->d, a->d, b->d, m);
}

static void sqr(elem *r, const elem *a, const struct mod *m)
{
    product(r->d, a->d, a->d, m);
}

static void add(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    nat_add_mod(r->d, a->d, b->d, m->m, m->n);
}

static void sub(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    nat_sub_mod(r->d, a->d, b->d, m->m, m->n);
}

/* (a R) b / R. */
static void mul_leave(limb_t *r, const elem *a, const limb_t *b, const struct mod *m)
{
    product(r, a->d, b, m);
}

const struct engine engine_mont = {
    .name = "mont",
    .usable = usable,
    .setup = setup,
    .enter = enter,
    .leave = leave,
    .mul = mul,
    .sqr = sqr,
    .add = add,
    .sub = sub,
    .mul_leave = mul_leave,
};
