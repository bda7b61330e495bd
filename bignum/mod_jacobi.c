/* The Jacobi symbol by signed divsteps (cf. Hamburg, "Computing the Jacobi symbol using
 * Bernstein-Yang", ePrint 2021/1271).
 *
 * J = (g / |f|) changes its sign with each part of a divstep as follows, f odd and of either sign.
 *   g even, g -> g / 2:  iff f = +-3 mod 8.
 *   g -> g + f:          never.
 *   (f, g) -> (g, -f):   iff g = 3 and f = 1 mod 4, and once more iff f > 0 > g: the reciprocity of
 *                        odd g and -f, (g / |f|) (-f / |g|) = (-1)^((g-1)/2 (-f-1)/2), and one more
 *                        sign if both g and -f are negative.
 * Low bits tell all but "f > 0 > g".  That is where f turns negative, and f begins positive, so it
 * happens ceil(T / 2) times if the sign of f changes T times.  Both counts depend on low bits but
 * for the parity of T, which is whether f < 0.
 *
 * How often does f change its sign in a batch that starts at the vector p = (f, g)?  Say f > 0;
 * else take -p.  Lift directions to angles.  Halving g and adding f to it fix the axis f = 0 and
 * its sides, a swap turns by -pi/2 exactly; so an angle never grows from one side of the axis into
 * the next, and the number of sign changes of f is the number of half-planes that the angle goes
 * down. Count the same for c = (0, 1), its half-plane being f > 0 with c itself, the upper end, and
 * write Phi for the batch.  Each part is increasing and commutes with +pi, so angle p < angle c <
 * angle p + pi   gives   Phi(p) < Phi(c) < Phi(p) + pi: p goes down as many half-planes as c, or
 * one more; parity decides which. The image of c is (v, r).  v is even and r odd throughout (v is
 * doubled, r changes by +-v, a swap doubles r into v), so a swap replaces v by r with a change of
 * sign iff v and r differ in sign, v = 0 only as long as c = (0, 1) itself: no zero needs care.
 *
 * Extra steps with g = 0 halve 0: with |f| = 1 no sign changes, and otherwise the answer is 0. */
#include "mod.h"
#include "safegcd.h"

/* Adds the signs of a batch, with which f has come to its present sign: turns stays exact. */
static void count(struct signs *all, const struct signs *s, slimb_t top_of_f)
{
    limb_t negative = digit_sign(top_of_f) & 1;
    all->flips ^= s->flips;
    all->turns = (limb_t)(all->turns + s->turns); /* mod B is enough: mod 4 is needed */
    all->turns = (limb_t)(all->turns + ((all->turns ^ negative) & 1));
}

/* |f| = 1 ? (-1)^(flips + ceil(turns / 2)) : 0 */
static int symbol(const struct signs *all, slimb_t *f, int len)
{
    safegcd_negate_if(f, len, digit_sign(f[len - 1]));
    int odd = (all->flips >> 1 ^ (all->turns + 1) >> 1) & 1;
    return (1 - 2 * odd) & -(int)(safegcd_is_one(f, len).mask & 1);
}

int safegcd_jacobi(slimb_t *f, slimb_t *g, int len, int batches)
{
    struct matrix t;
    struct signs s, all = {0, 0};
    int_fast32_t zeta = -1;
    while (batches-- > 0) {
        zeta = safegcd_divsteps_signs(&t, &s, zeta, safegcd_low(f, len), safegcd_low(g, len));
        safegcd_apply(f, g, len, &t);
        count(&all, &s, f[len - 1]);
    }
    verify(safegcd_is_zero_vartime(g, len));
    int j = symbol(&all, f, len);
    nat_wipe_bytes(&t, sizeof t);
    nat_wipe_bytes(&s, sizeof s);
    nat_wipe_bytes(&all, sizeof all);
    return j;
}

int safegcd_jacobi_vartime(slimb_t *f, slimb_t *g, int len)
{
    struct matrix t;
    struct signs s, all = {0, 0};
    int_fast32_t zeta = -1;
    len = safegcd_trim_vartime(f, g, len);
    while (!safegcd_is_zero_vartime(g, len)) {
        zeta =
            safegcd_divsteps_signs_vartime(&t, &s, zeta, safegcd_low(f, len), safegcd_low(g, len));
        safegcd_apply(f, g, len, &t);
        count(&all, &s, f[len - 1]);
        len = safegcd_trim_vartime(f, g, len);
    }
    return symbol(&all, f, len);
}

#define DIGITS_MAX DIGITS_OF_BITS(NAT_MAX_BITS)

int mod_jacobi(const limb_t *a, const struct mod *m)
{
    slimb_t f[DIGITS_MAX], g[DIGITS_MAX];
    int len = DIGITS_OF_BITS(m->bits);
    safegcd_load(f, len, m->m, m->n);
    safegcd_load(g, len, a, m->n);
    int j = safegcd_jacobi(f, g, len, BATCHES_OF_BITS(m->bits));
    nat_wipe_bytes(f, (size_t)len * sizeof *f);
    nat_wipe_bytes(g, (size_t)len * sizeof *g);
    return j;
}

int mod_jacobi_vartime(const limb_t *a, const struct mod *m)
{
    slimb_t f[DIGITS_MAX], g[DIGITS_MAX];
    int len = DIGITS_OF_BITS(m->bits);
    safegcd_load(f, len, m->m, m->n);
    safegcd_load(g, len, a, m->n);
    return safegcd_jacobi_vartime(f, g, len);
}
