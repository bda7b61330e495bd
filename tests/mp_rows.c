#include "mp_rows.h"

int mp_row_small(const mp_int *b)
{
    return (int)(mp_get_mag_u32(b) % 150);
}

unsigned long mp_row_small_z(const mpz_t b)
{
    return (mpz_get_ui(b) & 0xffffffff) % 150;
}

static int want_add(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_add(r, a, b);
    return MP_OKAY;
}

static int want_sub(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_sub(r, a, b);
    return MP_OKAY;
}

static int want_mul(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_mul(r, a, b);
    return MP_OKAY;
}

static int want_sqr(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)b;
    return want_mul(r, s, a, a, c);
}

static int want_div(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)c;
    if (mpz_sgn(b) == 0)
        return MP_VAL;
    mpz_tdiv_qr(r, s, a, b);
    return MP_OKAY;
}

static int want_mod(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    if (mpz_sgn(b) == 0)
        return MP_VAL;
    mpz_fdiv_r(r, a, b);
    return MP_OKAY;
}

static int want_neg(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)b, (void)c;
    mpz_neg(r, a);
    return MP_OKAY;
}

static int want_abs(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)b, (void)c;
    mpz_abs(r, a);
    return MP_OKAY;
}

static int want_com(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)b, (void)c;
    mpz_com(r, a);
    return MP_OKAY;
}

static int want_and(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_and(r, a, b);
    return MP_OKAY;
}

static int want_or(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_ior(r, a, b);
    return MP_OKAY;
}

static int want_xor(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_xor(r, a, b);
    return MP_OKAY;
}

static int want_double(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)b, (void)c;
    mpz_mul_2exp(r, a, 1);
    return MP_OKAY;
}

static int want_half(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)b, (void)c;
    mpz_tdiv_q_2exp(r, a, 1);
    return MP_OKAY;
}

static int mul_2d(const mp_int *a, const mp_int *b, mp_int *r)
{
    return mp_mul_2d(a, mp_row_small(b), r);
}

static int want_mul_2d(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_mul_2exp(r, a, mp_row_small_z(b));
    return MP_OKAY;
}

static int div_2d(const mp_int *a, const mp_int *b, mp_int *q, mp_int *r)
{
    return mp_div_2d(a, mp_row_small(b), q, r);
}

static int want_div_2d(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)c;
    mpz_tdiv_q_2exp(r, a, mp_row_small_z(b));
    mpz_tdiv_r_2exp(s, a, mp_row_small_z(b));
    return MP_OKAY;
}

static int mod_2d(const mp_int *a, const mp_int *b, mp_int *r)
{
    return mp_mod_2d(a, mp_row_small(b), r);
}

static int want_mod_2d(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_tdiv_r_2exp(r, a, mp_row_small_z(b));
    return MP_OKAY;
}

static int signed_rsh(const mp_int *a, const mp_int *b, mp_int *r)
{
    return mp_signed_rsh(a, mp_row_small(b), r);
}

static int want_signed_rsh(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_fdiv_q_2exp(r, a, mp_row_small_z(b));
    return MP_OKAY;
}

static int add_d(const mp_int *a, const mp_int *b, mp_int *r)
{
    return mp_add_d(a, (mp_digit)mp_row_small(b), r);
}

static int want_add_d(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_add_ui(r, a, mp_row_small_z(b));
    return MP_OKAY;
}

static int sub_d(const mp_int *a, const mp_int *b, mp_int *r)
{
    return mp_sub_d(a, (mp_digit)mp_row_small(b), r);
}

static int want_sub_d(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_sub_ui(r, a, mp_row_small_z(b));
    return MP_OKAY;
}

static int mul_d(const mp_int *a, const mp_int *b, mp_int *r)
{
    return mp_mul_d(a, (mp_digit)mp_row_small(b), r);
}

static int want_mul_d(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_mul_ui(r, a, mp_row_small_z(b));
    return MP_OKAY;
}

/* The remainder is |a| mod b, as a second output. */
static int div_d(const mp_int *a, const mp_int *b, mp_int *q, mp_int *r)
{
    mp_digit d = 0;
    int err = mp_div_d(a, (mp_digit)mp_row_small(b), q, &d);
    if (err == MP_OKAY)
        mp_set(r, d);
    return err;
}

static int want_div_d(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)c;
    if (mp_row_small_z(b) == 0)
        return MP_VAL;
    mpz_set_ui(s, mpz_tdiv_q_ui(r, a, mp_row_small_z(b)));
    return MP_OKAY;
}

static int mod_d(const mp_int *a, const mp_int *b, mp_int *r)
{
    mp_digit d = 0;
    int err = mp_mod_d(a, (mp_digit)mp_row_small(b), &d);
    if (err == MP_OKAY)
        mp_set(r, d);
    return err;
}

static int want_mod_d(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    if (mp_row_small_z(b) == 0)
        return MP_VAL;
    mpz_fdiv_r_ui(r, a, mp_row_small_z(b));
    return MP_OKAY;
}

static int expt_d(const mp_int *a, const mp_int *b, mp_int *r)
{
    return mp_expt_d(a, (mp_digit)(mp_row_small(b) % 6), r);
}

static int want_expt_d(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_pow_ui(r, a, mp_row_small_z(b) % 6);
    return MP_OKAY;
}

static int n_root(const mp_int *a, const mp_int *b, mp_int *r)
{
    return mp_n_root(a, (mp_digit)(mp_row_small(b) % 12), r);
}

static int want_n_root(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    unsigned long k = mp_row_small_z(b) % 12;
    if (k == 0 || (k % 2 == 0 && mpz_sgn(a) < 0))
        return MP_VAL;
    mpz_root(r, a, k);
    return MP_OKAY;
}

static int want_sqrt(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)b, (void)c;
    if (mpz_sgn(a) < 0)
        return MP_VAL;
    mpz_sqrt(r, a);
    return MP_OKAY;
}

static int want_gcd(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_gcd(r, a, b);
    return MP_OKAY;
}

static int want_lcm(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_lcm(r, a, b);
    return MP_OKAY;
}

static int want_invmod(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    if (mpz_sgn(b) <= 0)
        return MP_VAL;
    if (mpz_cmp_ui(b, 1) == 0) {
        mpz_set_ui(r, 0);
        return MP_OKAY;
    }
    return mpz_invert(r, a, b) ? MP_OKAY : MP_VAL;
}

/* u and v are not unique: a u + b v must be the gcd, twice. */
static int exteuclid(const mp_int *a, const mp_int *b, mp_int *r, mp_int *s)
{
    mp_int u, v, d;
    int err = mp_init_multi(&u, &v, &d, NULL);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_exteuclid(a, b, &u, &v, &d)) == MP_OKAY && (err = mp_mul(a, &u, &u)) == MP_OKAY &&
        (err = mp_mul(b, &v, &v)) == MP_OKAY && (err = mp_add(&u, &v, &u)) == MP_OKAY) {
        mp_exch(&u, r);
        mp_exch(&d, s);
    }
    mp_clear_multi(&u, &v, &d, NULL);
    return err;
}

static int want_exteuclid(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)c;
    mpz_gcd(r, a, b);
    mpz_set(s, r);
    return MP_OKAY;
}

static int jacobi(const mp_int *a, const mp_int *b, mp_int *r)
{
    int j = 0, err = mp_jacobi(a, b, &j);
    if (err == MP_OKAY)
        mp_set_i32(r, j);
    return err;
}

static int want_jacobi(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    if (mpz_sgn(b) <= 0 || mpz_even_p(b))
        return MP_VAL;
    mpz_set_si(r, mpz_jacobi(a, b));
    return MP_OKAY;
}

static int kronecker(const mp_int *a, const mp_int *b, mp_int *r)
{
    int j = 0, err = mp_kronecker(a, b, &j);
    if (err == MP_OKAY)
        mp_set_i32(r, j);
    return err;
}

static int want_kronecker(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_set_si(r, mpz_kronecker(a, b));
    return MP_OKAY;
}

static int want_addmod(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    want_add(r, s, a, b, c);
    return want_mod(r, s, r, c, c);
}

static int want_submod(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    want_sub(r, s, a, b, c);
    return want_mod(r, s, r, c, c);
}

static int want_mulmod(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    want_mul(r, s, a, b, c);
    return want_mod(r, s, r, c, c);
}

static int want_sqrmod(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    want_mul(r, s, a, a, c);
    return want_mod(r, s, r, b, c);
}

/* Exponents are cut to 64 bits with their sign, to keep the time down. */
static int exptmod(const mp_int *a, const mp_int *b, const mp_int *c, mp_int *r)
{
    mp_int e;
    int err = mp_init(&e);
    if (err != MP_OKAY)
        return err;
    mp_set_u64(&e, mp_get_mag_u64(b));
    e.sign = e.used > 0 ? b->sign : MP_ZPOS;
    err = mp_exptmod(a, &e, c, r);
    mp_clear(&e);
    return err;
}

static int want_exptmod(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    if (mpz_sgn(c) <= 0)
        return MP_VAL;
    mpz_tdiv_r_2exp(s, b, 64);
    if (mpz_cmp_ui(c, 1) != 0 && mpz_sgn(s) < 0 && !mpz_invert(r, a, c))
        return MP_VAL;
    mpz_powm(r, a, s, c);
    return MP_OKAY;
}

/* |a| mod b^2, so that the reductions may be asked. */
static int barrett(const mp_int *a, const mp_int *b, mp_int *r)
{
    mp_int mu, x;
    int err = mp_init_multi(&mu, &x, NULL);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_reduce_setup(&mu, b)) == MP_OKAY && (err = mp_sqr(b, &x)) == MP_OKAY &&
        (err = mp_mod(a, &x, &x)) == MP_OKAY && (err = mp_reduce(&x, b, &mu)) == MP_OKAY)
        mp_exch(&x, r);
    mp_clear_multi(&mu, &x, NULL);
    return err;
}

static int want_barrett(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    return mpz_sgn(b) <= 0 ? MP_VAL : want_mod(r, s, a, b, c);
}

/* The residue goes into Montgomery's form by the normalisation and comes back by the reduction. */
static int montgomery(const mp_int *a, const mp_int *b, mp_int *r)
{
    mp_digit rho;
    mp_int x;
    int err = mp_montgomery_setup(b, &rho);
    if (err != MP_OKAY || (err = mp_init(&x)) != MP_OKAY)
        return err;
    if ((err = mp_montgomery_calc_normalization(&x, b)) == MP_OKAY &&
        (err = mp_mulmod(&x, a, b, &x)) == MP_OKAY &&
        (err = mp_montgomery_reduce(&x, b, rho)) == MP_OKAY)
        mp_exch(&x, r);
    mp_clear(&x);
    return err;
}

static int want_montgomery(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    return mpz_sgn(b) <= 0 || mpz_even_p(b) ? MP_VAL : want_mod(r, s, a, b, c);
}

/* A copy, for the functions that work in place or only show. */
static int shift_digits(const mp_int *a, const mp_int *b, mp_int *r)
{
    mp_int t;
    int err = mp_init_copy(&t, a);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_lshd(&t, mp_row_small(b) % 5)) == MP_OKAY) {
        mp_rshd(&t, mp_row_small(b) % 7);
        mp_exch(&t, r);
    }
    mp_clear(&t);
    return err;
}

static int want_shift_digits(mpz_t r, mpz_t s, const mpz_t a, const mpz_t b, const mpz_t c)
{
    (void)s, (void)c;
    mpz_mul_2exp(r, a, DIGIT_BIT * (mp_row_small_z(b) % 5));
    mpz_tdiv_q_2exp(r, r, DIGIT_BIT * (mp_row_small_z(b) % 7));
    return MP_OKAY;
}

const struct row mp_rows[] = {
    {.name = "add", .f2 = mp_add, .want = want_add},
    {.name = "sub", .f2 = mp_sub, .want = want_sub},
    {.name = "mul", .f2 = mp_mul, .want = want_mul},
    {.name = "sqr", .f1 = mp_sqr, .want = want_sqr},
    {.name = "div", .f22 = mp_div, .want = want_div},
    {.name = "mod", .f2 = mp_mod, .want = want_mod},
    {.name = "copy", .f1 = mp_copy, .want = NULL},
    {.name = "neg", .f1 = mp_neg, .want = want_neg},
    {.name = "abs", .f1 = mp_abs, .want = want_abs},
    {.name = "complement", .f1 = mp_complement, .want = want_com},
    {.name = "and", .f2 = mp_and, .want = want_and},
    {.name = "or", .f2 = mp_or, .want = want_or},
    {.name = "xor", .f2 = mp_xor, .want = want_xor},
    {.name = "mul_2", .f1 = mp_mul_2, .want = want_double},
    {.name = "div_2", .f1 = mp_div_2, .want = want_half},
    {.name = "mul_2d", .f2 = mul_2d, .want = want_mul_2d},
    {.name = "div_2d", .f22 = div_2d, .want = want_div_2d},
    {.name = "mod_2d", .f2 = mod_2d, .want = want_mod_2d},
    {.name = "signed_rsh", .f2 = signed_rsh, .want = want_signed_rsh},
    {.name = "shift_digits", .f2 = shift_digits, .want = want_shift_digits},
    {.name = "add_d", .f2 = add_d, .want = want_add_d},
    {.name = "sub_d", .f2 = sub_d, .want = want_sub_d},
    {.name = "mul_d", .f2 = mul_d, .want = want_mul_d},
    {.name = "div_d", .f22 = div_d, .want = want_div_d},
    {.name = "mod_d", .f2 = mod_d, .want = want_mod_d},
    {.name = "expt_d", .f2 = expt_d, .want = want_expt_d},
    {.name = "n_root", .f2 = n_root, .want = want_n_root},
    {.name = "sqrt", .f1 = mp_sqrt, .want = want_sqrt},
    {.name = "gcd", .f2 = mp_gcd, .want = want_gcd},
    {.name = "lcm", .f2 = mp_lcm, .want = want_lcm},
    {.name = "invmod", .f2 = mp_invmod, .want = want_invmod},
    {.name = "exteuclid", .f22 = exteuclid, .want = want_exteuclid},
    {.name = "jacobi", .f2 = jacobi, .want = want_jacobi},
    {.name = "kronecker", .f2 = kronecker, .want = want_kronecker},
    {.name = "addmod", .f3 = mp_addmod, .want = want_addmod},
    {.name = "submod", .f3 = mp_submod, .want = want_submod},
    {.name = "mulmod", .f3 = mp_mulmod, .want = want_mulmod},
    {.name = "sqrmod", .f2 = mp_sqrmod, .want = want_sqrmod},
    {.name = "exptmod", .f3 = exptmod, .want = want_exptmod},
    {.name = "reduce", .f2 = barrett, .want = want_barrett},
    {.name = "montgomery_reduce", .f2 = montgomery, .want = want_montgomery},
    {.name = NULL},
};
