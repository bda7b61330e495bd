/* Montgomery's multiplication on limbs, for odd moduli: the reference (Montgomery, Math. Comp. 44,
 * 1985; HAC 14.32).
 *
 * An element is a R mod m in n limbs, R = B^n, always below m.  To divide x by R, add the q m, q <
 * R, that makes it a multiple of R: (x + q m) / R < 2m for x < m R.  Product and reduction go by
 * columns in one pass ("FIPS" in Koc, Acar, Kaliski, IEEE Micro 16, 1996), since in C a column's
 * carries cost less than those of interleaved rows. */
#include "column.h"
#include "engine.h"

/* Digit k of q makes column k, c, vanish; goes to the next column. */
static inline limb_t digit_of_q(struct column *c, const struct mod *m)
{
    limb_t q = limb_mul((limb_t)c->low, m->u.mont.k0);
    column_add(c, q, m->m[0]);
    verify((limb_t)c->low == 0);
    column_next(c);
    return q;
}

/* r = t mod m for t = top B^n + (t[n-1] ... t[0]) < 2m: t - m, unless that is negative. */
static void subtract_once(limb_t *r, const limb_t *t, struct column top, const struct mod *m)
{
    limb_t borrow = nat_sub(r, t, m->m, m->n);
    verify(top.over == 0 && top.low <= borrow);
    nat_select(r, choice_of_bit((limb_t)(borrow - (limb_t)top.low)), t, r, m->n);
    verify(nat_lt(r, m->m, m->n).mask);
}

/* r = a b / R mod m.  Requires a < m, b < R; r may be a or b.
 * t holds q while its digits are needed: column n + k needs those above k. */
static void product(limb_t *r, const limb_t *a, const limb_t *b, const struct mod *m)
{
    int n = m->n;
    limb_t t[NAT_MAX];
    struct column c = {0, 0};
    verify(nat_lt(a, m->m, n).mask);
    for (int k = 0; k < n; k++) {
        column_add_products(&c, a, b + k, k + 1);
        column_add_products(&c, t, m->m + k, k);
        t[k] = digit_of_q(&c, m);
    }
    for (int k = 0; k < n; k++) {
        column_add_products(&c, a + k + 1, b + n - 1, n - 1 - k);
        column_add_products(&c, t + k + 1, m->m + n - 1, n - 1 - k);
        t[k] = column_next(&c);
    }
    subtract_once(r, t, c, m);
    nat_wipe(t, n);
}

/* r = t / R mod m for t < m R of 2n limbs, which is overwritten: the same without the product. */
static void reduce(limb_t *r, limb_t *t, const struct mod *m)
{
    int n = m->n;
    limb_t *high = t + n;
    struct column c = {0, 0};
    for (int k = 0; k < n; k++) {
        column_add(&c, t[k], 1);
        column_add_products(&c, t, m->m + k, k);
        t[k] = digit_of_q(&c, m);
    }
    for (int k = 0; k < n; k++) {
        column_add(&c, high[k], 1);
        column_add_products(&c, t + k + 1, m->m + n - 1, n - 1 - k);
        high[k] = column_next(&c);
    }
    subtract_once(r, high, c, m);
}

/* r = a^2 / R mod m.  Requires a < m; r may be a.  A square saves half its products, and above
 * 16 limbs that is more than a second pass costs (measured: 10 % at 32 limbs, 19 % at 64). */
static void square(limb_t *r, const limb_t *a, const struct mod *m)
{
    limb_t t[2 * NAT_MAX];
    if (m->n <= 16) {
        product(r, a, a, m);
        return;
    }
    nat_sqr(t, a, m->n);
    reduce(r, t, m);
    nat_wipe(t, 2 * m->n);
}

static int usable(int bits, int odd)
{
    return odd && bits >= 2 && bits <= NAT_MAX_BITS;
}

/* R^2 mod m without a division: write n LIMB_BITS = o 2^s; double up to R 2^o mod m, then s
 * squarings, since (R 2^i) (R 2^i) / R = R 2^(2i), end at R 2^(o 2^s) = R R.  A squaring costs
 * about n / 2 doublings, so o need not be odd, but should not be much above n. */
static void setup(struct mod *m)
{
    limb_t *rr = m->u.mont.rr;
    int log_r = m->n * LIMB_BITS, o = log_r, s = 0;
    for (; o % 2 == 0 && o > m->n; o /= 2)
        s++;
    m->width = m->n;
    m->u.mont.k0 = (limb_t)(0 - limb_inverse(m->m[0]));
    mod_power_of_two(rr, log_r + o, m);
    while (s--)
        square(rr, rr, m);
}

static void enter(elem *r, const limb_t *a, const struct mod *m)
{
    product(r->d, m->u.mont.rr, a, m);
}

static void leave(limb_t *r, const elem *a, const struct mod *m)
{
    limb_t x[2 * NAT_MAX];
    nat_resize(x, 2 * m->n, a->d, m->n);
    reduce(r, x, m);
    nat_wipe(x, 2 * m->n);
}

static void mul(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    product(r->d, a->d, b->d, m);
}

static void sqr(elem *r, const elem *a, const struct mod *m)
{
    square(r->d, a->d, m);
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
    .add = engine_add,
    .sub = engine_sub,
    .mul_leave = mul_leave,
};
