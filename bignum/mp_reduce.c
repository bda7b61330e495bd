/* Printable integers: Barrett's and Montgomery's reductions, on the loops of nat_reduce.c. */
#include "mp.h"

#include "nat.h"

#include <stdlib.h>
#include <string.h>

/* a = 2^b mod m, or floor(2^b / m). */
static int power_of_two(int b, const mp_int *m, mp_int *quotient, mp_int *remainder)
{
    mp_int t;
    int err = mp_init(&t);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_2expt(&t, b)) == MP_OKAY)
        err = mp_div(&t, m, quotient, remainder);
    mp_clear(&t);
    return err;
}

int mp_reduce_setup(mp_int *mu, const mp_int *m)
{
    if (m->used == 0 || m->sign == MP_NEG)
        return MP_VAL;
    return power_of_two(2 * m->used * DIGIT_BIT, m, mu, NULL);
}

/* Is 0 <= a < beta^(2n) and m > 0? */
static int reducible(const mp_int *a, const mp_int *m)
{
    return m->used > 0 && m->sign != MP_NEG && a->sign != MP_NEG && a->used <= 2 * m->used;
}

int mp_reduce(mp_int *a, const mp_int *m, const mp_int *mu)
{
    int n = m->used;
    if (!reducible(a, m))
        return MP_VAL;
    /* mu has n + 2 digits for a power of beta alone; nat_barrett's bound is for n <= beta^2. */
    if (a == m || mu->used != n + 1 || (DIGIT_BIT == 8 && n > 0xffff))
        return mp_mod(a, m, a);
    limb_t *x = calloc((size_t)(2 * n + NAT_BARRETT_SCRATCH(n)), sizeof *x);
    int err = mp_grow(a, n);
    if (x == NULL || err != MP_OKAY) {
        free(x);
        return MP_MEM;
    }
    memcpy(x, a->dp, (size_t)a->used * sizeof *x);
    nat_barrett(x, x, m->dp, mu->dp, n, x + 2 * n);
    memcpy(a->dp, x, (size_t)n * sizeof *x);
    a->used = n;
    mp_clamp(a);
    free(x);
    return MP_OKAY;
}

int mp_montgomery_setup(const mp_int *m, mp_digit *rho)
{
    if (m->sign == MP_NEG || mp_iseven(m))
        return MP_VAL;
    *rho = (mp_digit)(0 - limb_inverse(m->dp[0]));
    return MP_OKAY;
}

int mp_montgomery_calc_normalization(mp_int *a, const mp_int *m)
{
    if (m->used == 0 || m->sign == MP_NEG)
        return MP_VAL;
    return power_of_two(m->used * DIGIT_BIT, m, NULL, a);
}

int mp_montgomery_reduce(mp_int *a, const mp_int *m, mp_digit rho)
{
    int n = m->used;
    if (!reducible(a, m) || mp_iseven(m))
        return MP_VAL;
    if (a == m) {
        mp_zero(a);
        return MP_OKAY;
    }
    int err = mp_grow(a, 2 * n);
    if (err != MP_OKAY)
        return err;
    nat_zero(a->dp + a->used, 2 * n - a->used);
    nat_redc(a->dp, a->dp, m->dp, rho, n);
    a->used = n;
    mp_clamp(a);
    /* Below m for every a < m beta^n. */
    return mp_cmp_mag(a, m) == MP_LT ? MP_OKAY : mp_mod(a, m, a);
}
