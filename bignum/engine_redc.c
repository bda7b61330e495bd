/* Montgomery's multiplication as the papers first have it: the whole product, then the reduction.
 *
 * The same form and constants as engine_mont; it gains where a product by halves (Karatsuba) does.
 */
#include "engine.h"

static int usable(int bits, int odd)
{
    return odd && bits >= 2 && bits <= NAT_MAX_BITS;
}

static void setup(struct mod *m)
{
    engine_mont.setup(m);
}

static void product(limb_t *r, const limb_t *a, const limb_t *b, const struct mod *m)
{
    limb_t t[2 * NAT_MAX];
    nat_mul(t, a, m->n, b, m->n);
    nat_redc(r, t, m->m, m->u.mont.k0, m->n);
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
    nat_redc(r, t, m->m, m->u.mont.k0, m->n);
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
    nat_redc(r->d, t, m->m, m->u.mont.k0, m->n);
    nat_wipe(t, 2 * m->n);
}

/* (a R) b / R. */
static void mul_leave(limb_t *r, const elem *a, const limb_t *b, const struct mod *m)
{
    product(r, a->d, b, m);
}

const struct engine engine_redc = {
    .name = "redc",
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
