/* Montgomery's multiplication for x86-64 with BMI2 and ADX: the product of nat_mul, then the
 * reduction by blocks of nat_mul_adx.c.
 *
 * The same form and constants as engine_mont. */
#include "engine.h"
#include "nat_mul.h"

static int usable(int bits, int odd)
{
    return odd && LIMBS_OF_BITS(bits) >= NAT_ADX_MIN && bits <= NAT_MAX_BITS && nat_adx.usable();
}

static void setup(struct mod *m)
{
    engine_mont.setup(m);
}

/* r = t / R mod m for the 2n limbs of t < m R, which are overwritten. */
static void reduce(limb_t *r, limb_t *t, const struct mod *m)
{
    limb_t top = nat_clear_adx(t, m->m, m->u.mont.k0, m->n);
    nat_sub_once(r, t + m->n, top, m->m, m->n);
}

static void product(limb_t *r, const limb_t *a, const limb_t *b, const struct mod *m)
{
    limb_t t[2 * NAT_MAX];
    nat_mul(t, a, m->n, b, m->n);
    reduce(r, t, m);
    nat_wipe(t, 2 * m->n);
}

static void enter(elem *r, const limb_t *a, const struct mod *m)
{
    product(r->d, m->u.mont.rr, a, m);
}

static void leave(limb_t *r, const elem *a, const struct mod *m)
{
    limb_t t[2 * NAT_MAX];
    nat_resize(t, 2 * m->n, a->d, m->n);
    reduce(r, t, m);
    nat_wipe(t, 2 * m->n);
}

static void mul(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    product(r->d, a->d, b->d, m);
}

static void sqr(elem *r, const elem *a, const struct mod *m)
{
    limb_t t[2 * NAT_MAX];
    nat_sqr(t, a->d, m->n);
    reduce(r->d, t, m);
    nat_wipe(t, 2 * m->n);
}

/* (a R) b / R. */
static void mul_leave(limb_t *r, const elem *a, const limb_t *b, const struct mod *m)
{
    product(r, a->d, b, m);
}

const struct engine engine_adx = {
    .name = "adx",
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
