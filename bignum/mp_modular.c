/* Printable integers: modular arithmetic, inverses, powers, symbols and prime tests. */
#include "mp.h"

#include "mod.h"
#include "safegcd.h"

#include <stdlib.h>
#include <string.h>

/* c = op(a, b) mod m. */
static int then_mod(int (*op)(const mp_int *, const mp_int *, mp_int *), const mp_int *a,
                    const mp_int *b, const mp_int *m, mp_int *c)
{
    if (m->used == 0)
        return MP_VAL;
    mp_int t;
    int err = mp_init(&t);
    if (err != MP_OKAY)
        return err;
    if ((err = op(a, b, &t)) == MP_OKAY)
        err = mp_mod(&t, m, c);
    mp_clear(&t);
    return err;
}

int mp_addmod(const mp_int *a, const mp_int *b, const mp_int *m, mp_int *c)
{
    return then_mod(mp_add, a, b, m, c);
}

int mp_submod(const mp_int *a, const mp_int *b, const mp_int *m, mp_int *c)
{
    return then_mod(mp_sub, a, b, m, c);
}

int mp_mulmod(const mp_int *a, const mp_int *b, const mp_int *m, mp_int *c)
{
    return then_mod(mp_mul, a, b, m, c);
}

int mp_sqrmod(const mp_int *a, const mp_int *m, mp_int *b)
{
    return then_mod(mp_mul, a, a, m, b);
}

/* Two magnitudes in safegcd's digits, and room beside them. */
struct pair {
    int bits, len;
    slimb_t *f, *g, *scratch;
};

static int pair_init(struct pair *p, const mp_int *f, const mp_int *g)
{
    int fbits = mp_count_bits(f), gbits = mp_count_bits(g);
    p->bits = fbits > gbits ? fbits : gbits;
    p->len = DIGITS_OF_BITS(p->bits);
    p->f = malloc((size_t)(2 * p->len + SAFEGCD_INV_SCRATCH(p->bits)) * sizeof *p->f);
    if (p->f == NULL)
        return MP_MEM;
    p->g = p->f + p->len;
    p->scratch = p->g + p->len;
    safegcd_load(p->f, p->len, f->dp, f->used);
    safegcd_load(p->g, p->len, g->dp, g->used);
    return MP_OKAY;
}

/* c = the number in d's digits, which has at most n limbs; c has room. */
static void assign_digits(mp_int *c, int n, const slimb_t *d, int len)
{
    safegcd_store(c->dp, n, d, len);
    c->used = n;
    c->sign = MP_ZPOS;
    mp_clamp(c);
}

/* b = a^-1 mod m for odd m > 1 and 0 <= a < m. */
static int inverse_odd(const mp_int *a, const mp_int *m, mp_int *b)
{
    struct pair p;
    int n = m->used, err = mp_grow(b, n);
    if (err == MP_OKAY)
        err = pair_init(&p, m, a);
    if (err != MP_OKAY)
        return err;
    if (safegcd_inv_vartime(p.g, p.f, p.bits, p.scratch) == 0)
        assign_digits(b, n, p.g, p.len);
    else
        err = MP_VAL;
    free(p.f);
    return err;
}

/* b = a^-1 mod m for even m and odd a, 1 < a < m: with k = -m^-1 mod a, a divides 1 + m k, and the
 * quotient is below m and is the inverse. */
static int inverse_even(const mp_int *a, const mp_int *m, mp_int *b)
{
    mp_int t;
    int err = mp_init(&t);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_mod(m, a, &t)) == MP_OKAY && (err = inverse_odd(&t, a, &t)) == MP_OKAY &&
        (err = mp_sub(a, &t, &t)) == MP_OKAY && (err = mp_mul(&t, m, &t)) == MP_OKAY &&
        (err = mp_add_d(&t, 1, &t)) == MP_OKAY)
        err = mp_div(&t, a, b, NULL);
    mp_clear(&t);
    return err;
}

int mp_invmod(const mp_int *a, const mp_int *m, mp_int *b)
{
    if (m->used == 0 || m->sign == MP_NEG)
        return MP_VAL;
    mp_int r;
    int err = mp_init(&r);
    if (err != MP_OKAY)
        return err;
    err = mp_mod(a, m, &r);
    if (err == MP_OKAY && mp_cmp_d(m, 1) == MP_EQ)
        mp_zero(b);
    else if (err == MP_OKAY && mp_isodd(m))
        err = inverse_odd(&r, m, b);
    else if (err == MP_OKAY && mp_cmp_d(&r, 1) == MP_EQ)
        err = mp_copy(&r, b);
    else if (err == MP_OKAY)
        err = mp_isodd(&r) ? inverse_even(&r, m, b) : MP_VAL;
    mp_clear(&r);
    return err;
}

/* f = gcd(f, g) for odd f and any g, f and g positive. */
static int gcd_odd(mp_int *f, const mp_int *g)
{
    struct pair p;
    int err = pair_init(&p, f, g);
    if (err != MP_OKAY)
        return err;
    p.len = safegcd_gcd_vartime(p.f, p.g, p.len);
    assign_digits(f, f->used, p.f, p.len);
    free(p.f);
    return MP_OKAY;
}

int mp_gcd(const mp_int *a, const mp_int *b, mp_int *c)
{
    if (a->used == 0 || b->used == 0)
        return mp_abs(a->used == 0 ? b : a, c);
    int i = mp_cnt_lsb(a), j = mp_cnt_lsb(b);
    mp_int f, g;
    int err = mp_init_multi(&f, &g, NULL);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_div_2d(a, i, &f, NULL)) == MP_OKAY &&
        (err = mp_div_2d(b, j, &g, NULL)) == MP_OKAY && (err = gcd_odd(&f, &g)) == MP_OKAY)
        err = mp_mul_2d(&f, i < j ? i : j, c);
    mp_clear_multi(&f, &g, NULL);
    return err;
}

/* With d = gcd(a, b): u = (a/d)^-1 mod |b/d|, v = (d - a u) / b. */
static int bezout(const mp_int *a, const mp_int *b, mp_int *u, mp_int *v, mp_int *d)
{
    int err = mp_gcd(a, b, d);
    if (err != MP_OKAY)
        return err;
    if (b->used == 0) {
        mp_zero(v);
        mp_set_i32(u, a->used == 0 ? 0 : a->sign == MP_NEG ? -1 : 1);
        return MP_OKAY;
    }
    if ((err = mp_div(a, d, u, NULL)) == MP_OKAY && (err = mp_div(b, d, v, NULL)) == MP_OKAY &&
        (err = mp_abs(v, v)) == MP_OKAY && (err = mp_invmod(u, v, u)) == MP_OKAY &&
        (err = mp_mul(a, u, v)) == MP_OKAY && (err = mp_sub(d, v, v)) == MP_OKAY)
        err = mp_div(v, b, v, NULL);
    return err;
}

int mp_exteuclid(const mp_int *a, const mp_int *b, mp_int *u, mp_int *v, mp_int *d)
{
    mp_int x, y, g;
    int err = mp_init_multi(&x, &y, &g, NULL);
    if (err != MP_OKAY)
        return err;
    err = bezout(a, b, &x, &y, &g);
    if (err == MP_OKAY) {
        if (u != NULL)
            mp_exch(&x, u);
        if (v != NULL)
            mp_exch(&y, v);
        if (d != NULL)
            mp_exch(&g, d);
    }
    mp_clear_multi(&x, &y, &g, NULL);
    return err;
}

int mp_lcm(const mp_int *a, const mp_int *b, mp_int *c)
{
    if (a->used == 0 || b->used == 0) {
        mp_zero(c);
        return MP_OKAY;
    }
    mp_int t;
    int err = mp_init(&t);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_gcd(a, b, &t)) == MP_OKAY && (err = mp_div(a, &t, &t, NULL)) == MP_OKAY &&
        (err = mp_mul(&t, b, &t)) == MP_OKAY)
        err = mp_abs(&t, c);
    mp_clear(&t);
    return err;
}

int mp_jacobi(const mp_int *a, const mp_int *n, int *c)
{
    if (n->sign == MP_NEG || mp_iseven(n))
        return MP_VAL;
    mp_int r;
    struct pair p;
    int err = mp_init(&r);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_mod(a, n, &r)) == MP_OKAY && (err = pair_init(&p, n, &r)) == MP_OKAY) {
        *c = safegcd_jacobi_vartime(p.f, p.g, p.len);
        free(p.f);
    }
    mp_clear(&r);
    return err;
}

/* (a | 2): 0 for even a, 1 for a = +-1 mod 8, -1 for a = +-3 mod 8.  -a has the same symbol as a.
 */
static int symbol_of_two(const mp_int *a)
{
    mp_digit low = (mp_digit)(mp_iszero(a) ? 0 : a->dp[0] & 7);
    return (low & 1) == 0 ? 0 : low == 1 || low == 7 ? 1 : -1;
}

/* (a | n) for n = s 2^k m, s = +-1, m odd: (a | s) (a | 2)^k (a | m), and (a | -1) is the sign of
 * a. */
int mp_kronecker(const mp_int *a, const mp_int *n, int *c)
{
    if (n->used == 0) {
        *c = a->used == 1 && a->dp[0] == 1;
        return MP_OKAY;
    }
    mp_int m;
    int k = mp_cnt_lsb(n), symbol = 0;
    int err = mp_init(&m);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_div_2d(n, k, &m, NULL)) == MP_OKAY && (err = mp_abs(&m, &m)) == MP_OKAY)
        err = mp_jacobi(a, &m, &symbol);
    if (err == MP_OKAY) {
        if (k > 0)
            symbol *= k % 2 == 1 ? symbol_of_two(a) : symbol_of_two(a) * symbol_of_two(a);
        *c = n->sign == MP_NEG && a->sign == MP_NEG ? -symbol : symbol;
    }
    mp_clear(&m);
    return err;
}

/* b = a^e mod m by an engine, for 0 <= a < m and an m of 2 to NAT_MAX_BITS bits. */
static int power_by_engine(const mp_int *a, const mp_int *e, const mp_int *m, mp_int *b)
{
    struct mod modulus;
    limb_t r[NAT_MAX];
    int err = mp_grow(b, m->used);
    if (err != MP_OKAY)
        return err;
    if (mod_init_engine(&modulus, m->dp, mp_count_bits(m), NULL) != 0)
        return MP_VAL;
    nat_resize(r, m->used, a->dp, a->used);
    mod_exp_vartime(r, r, e->dp, mp_count_bits(e), &modulus);
    memcpy(b->dp, r, (size_t)m->used * sizeof *r);
    b->used = m->used;
    b->sign = MP_ZPOS;
    mp_clamp(b);
    return MP_OKAY;
}

/* r = r^(2^count) mod m, with Barrett's mu. */
static int squares(mp_int *r, int count, const mp_int *m, const mp_int *mu)
{
    int err = MP_OKAY;
    while (err == MP_OKAY && count-- > 0)
        if ((err = mp_sqr(r, r)) == MP_OKAY)
            err = mp_reduce(r, m, mu);
    return err;
}

static int product(mp_int *r, const mp_int *a, const mp_int *m, const mp_int *mu)
{
    int err = mp_mul(r, a, r);
    return err == MP_OKAY ? mp_reduce(r, m, mu) : err;
}

#define WINDOW 5

/* b = a^e mod m for a modulus past the engines' reach: fixed windows over Barrett's reduction. */
static int power_long(const mp_int *a, const mp_int *e, const mp_int *m, mp_int *b)
{
    mp_int mu, r, t[1 << WINDOW];
    int err = mp_init_multi(&mu, &r, NULL), made = 0;
    if (err != MP_OKAY)
        return err;
    err = mp_reduce_setup(&mu, m);
    for (; err == MP_OKAY && made < 1 << WINDOW; made++) {
        err = made == 0 ? mp_init_set(&t[0], 1) : mp_init_copy(&t[made], &t[made - 1]);
        if (err == MP_OKAY && made > 0)
            if ((err = product(&t[made], a, m, &mu)) != MP_OKAY)
                mp_clear(&t[made]);
        if (err != MP_OKAY)
            break;
    }
    if (err == MP_OKAY)
        err = mp_copy(&t[0], &r);
    int windows = (mp_count_bits(e) + WINDOW - 1) / WINDOW;
    for (int i = windows; err == MP_OKAY && i-- > 0;)
        if ((err = squares(&r, WINDOW, m, &mu)) == MP_OKAY)
            err = product(&r, &t[nat_window(e->dp, e->used, WINDOW * i, WINDOW)], m, &mu);
    if (err == MP_OKAY)
        mp_exch(&r, b);
    while (made-- > 0)
        mp_clear(&t[made]);
    mp_clear_multi(&mu, &r, NULL);
    return err;
}

int mp_exptmod(const mp_int *a, const mp_int *e, const mp_int *m, mp_int *b)
{
    if (m->used == 0 || m->sign == MP_NEG)
        return MP_VAL;
    if (mp_cmp_d(m, 1) == MP_EQ) {
        mp_zero(b);
        return MP_OKAY;
    }
    mp_int r;
    int err = mp_init(&r);
    if (err != MP_OKAY)
        return err;
    err = e->sign == MP_NEG ? mp_invmod(a, m, &r) : mp_mod(a, m, &r);
    if (err == MP_OKAY)
        err = (mp_count_bits(m) <= NAT_MAX_BITS ? power_by_engine : power_long)(&r, e, m, &r);
    if (err == MP_OKAY)
        mp_exch(&r, b);
    mp_clear(&r);
    return err;
}
