/* Barrett's reduction (CRYPTO '86; HAC 14.42), for any modulus, even ones too.
 *
 * An element is the residue itself.  mu = floor((B^2n - 1) / m): unlike floor(B^2n / m) it has n +
 * 1 limbs even if m is a power of B, and like it, it is at least B^2n / m - 1, which is what
 * nat_barrett asks. */
#include "engine.h"

static int usable(int bits, int odd)
{
    (void)odd;
    return bits >= 2 && bits <= NAT_MAX_BITS;
}

static void setup(struct mod *m)
{
    limb_t all_ones[2 * NAT_MAX];
    int n = m->n;
    for (int i = 0; i < 2 * n; i++)
        all_ones[i] = LIMB_MAX;
    nat_div(all_ones, NULL, all_ones, 2 * n, m->m, n);
    nat_copy(m->u.barrett.mu, all_ones, n + 1);
    nat_wipe(all_ones, 2 * n);
    m->width = n;
}

/* r = x mod m for the 2n limbs of x, which are wiped. */
static void reduce(limb_t *r, limb_t *x, const struct mod *m)
{
    limb_t scratch[NAT_BARRETT_SCRATCH(NAT_MAX)];
    nat_barrett(r, x, m->m, m->u.barrett.mu, m->n, scratch);
    nat_wipe(scratch, NAT_BARRETT_SCRATCH(m->n));
    nat_wipe(x, 2 * m->n);
}

static void product(limb_t *r, const limb_t *a, const limb_t *b, const struct mod *m)
{
    limb_t t[2 * NAT_MAX];
    nat_mul(t, a, m->n, b, m->n);
    reduce(r, t, m);
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
}

static void mul_leave(limb_t *r, const elem *a, const limb_t *b, const struct mod *m)
{
    product(r, a->d, b, m);
}

const struct engine engine_barrett = {
    .name = "barrett",
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
