/* Printable integers: signs, comparison, the four operations, powers and roots. */
#include "mp.h"
#include "mp_long.h"

#include "nat.h"

#include <stdlib.h>
#include <string.h>

int mp_neg(const mp_int *a, mp_int *b)
{
    int err = mp_copy(a, b);
    if (err == MP_OKAY)
        b->sign = b->used == 0 || b->sign == MP_NEG ? MP_ZPOS : MP_NEG;
    return err;
}

int mp_abs(const mp_int *a, mp_int *b)
{
    int err = mp_copy(a, b);
    if (err == MP_OKAY)
        b->sign = MP_ZPOS;
    return err;
}

int mp_cmp_mag(const mp_int *a, const mp_int *b)
{
    if (a->used != b->used)
        return a->used < b->used ? MP_LT : MP_GT;
    for (int i = a->used; i-- > 0;)
        if (a->dp[i] != b->dp[i])
            return a->dp[i] < b->dp[i] ? MP_LT : MP_GT;
    return MP_EQ;
}

int mp_cmp(const mp_int *a, const mp_int *b)
{
    if (a->sign != b->sign)
        return a->sign == MP_NEG ? MP_LT : MP_GT;
    return a->sign == MP_NEG ? mp_cmp_mag(b, a) : mp_cmp_mag(a, b);
}

/* |c| = |a| + |b|. */
static int add_magnitudes(const mp_int *a, const mp_int *b, mp_int *c)
{
    if (a->used < b->used) {
        const mp_int *t = a;
        a = b;
        b = t;
    }
    int n = a->used, bn = b->used;
    int err = mp_grow(c, n + 1);
    if (err != MP_OKAY)
        return err;
    limb_t carry = nat_add(c->dp, a->dp, b->dp, bn);
    c->dp[n] = nat_add_limb(c->dp + bn, a->dp + bn, carry, n - bn);
    c->used = n + 1;
    return MP_OKAY;
}

/* |c| = |a| - |b|, for |a| >= |b|. */
static int sub_magnitudes(const mp_int *a, const mp_int *b, mp_int *c)
{
    int n = a->used, bn = b->used;
    int err = mp_grow(c, n);
    if (err != MP_OKAY)
        return err;
    limb_t borrow = nat_sub(c->dp, a->dp, b->dp, bn);
    nat_sub_limb(c->dp + bn, a->dp + bn, borrow, n - bn);
    c->used = n;
    return MP_OKAY;
}

/* c = a + s |b|, s being +1 or -1 as b_sign says. */
static int add_signed(const mp_int *a, const mp_int *b, int b_sign, mp_int *c)
{
    int err, sign = a->sign;
    if (sign == b_sign) {
        err = add_magnitudes(a, b, c);
    } else if (mp_cmp_mag(a, b) != MP_LT) {
        err = sub_magnitudes(a, b, c);
    } else {
        sign = b_sign;
        err = sub_magnitudes(b, a, c);
    }
    if (err == MP_OKAY) {
        c->sign = sign;
        mp_clamp(c);
    }
    return err;
}

int mp_add(const mp_int *a, const mp_int *b, mp_int *c)
{
    return add_signed(a, b, b->sign, c);
}

int mp_sub(const mp_int *a, const mp_int *b, mp_int *c)
{
    return add_signed(a, b, b->sign == MP_NEG ? MP_ZPOS : MP_NEG, c);
}

/* An mp_int that reads a digit where it lies; never grown or cleared. */
static mp_int digit_view(mp_digit *d)
{
    return (mp_int){.used = *d != 0, .alloc = 1, .sign = MP_ZPOS, .dp = d};
}

int mp_cmp_d(const mp_int *a, mp_digit b)
{
    mp_int v = digit_view(&b);
    return mp_cmp(a, &v);
}

int mp_add_d(const mp_int *a, mp_digit b, mp_int *c)
{
    mp_int v = digit_view(&b);
    return mp_add(a, &v, c);
}

int mp_sub_d(const mp_int *a, mp_digit b, mp_int *c)
{
    mp_int v = digit_view(&b);
    return mp_sub(a, &v, c);
}

int mp_incr(mp_int *a)
{
    return mp_add_d(a, 1, a);
}

int mp_decr(mp_int *a)
{
    return mp_sub_d(a, 1, a);
}

int mp_mul_d(const mp_int *a, mp_digit b, mp_int *c)
{
    int n = a->used;
    int err = mp_grow(c, n + 1);
    if (err != MP_OKAY)
        return err;
    c->dp[n] = nat_mul_limb(c->dp, a->dp, b, n);
    c->used = n + 1;
    c->sign = a->sign;
    mp_clamp(c);
    return MP_OKAY;
}

/* r: a destination of n digits for a product whose factors may be c itself. */
static int product_begin(mp_int *r, mp_int *c, const mp_int *a, const mp_int *b, int n)
{
    if (c == a || c == b)
        return mp_init_size(r, n);
    int err = mp_grow(c, n);
    *r = *c;
    return err;
}

static void product_end(mp_int *r, mp_int *c, int n, int sign)
{
    r->used = n;
    r->sign = sign;
    mp_clamp(r);
    if (r->dp != c->dp)
        free(c->dp);
    *c = *r;
}

int mp_mul(const mp_int *a, const mp_int *b, mp_int *c)
{
    if (a->used == 0 || b->used == 0) {
        mp_zero(c);
        return MP_OKAY;
    }
    mp_int r;
    int n = a->used + b->used, sign = a->sign == b->sign ? MP_ZPOS : MP_NEG;
    int err = product_begin(&r, c, a, b, n);
    if (err != MP_OKAY)
        return err;
    if (a->used >= MP_LONG && b->used >= MP_LONG) {
        if (mp_long_mul(r.dp, a->dp, a->used, b->dp, b->used) != 0) {
            if (r.dp != c->dp)
                free(r.dp);
            return MP_MEM;
        }
    } else if (a->used == b->used && a->dp == b->dp)
        nat_sqr(r.dp, a->dp, a->used);
    else
        nat_mul(r.dp, a->dp, a->used, b->dp, b->used);
    product_end(&r, c, n, sign);
    return MP_OKAY;
}

int mp_sqr(const mp_int *a, mp_int *b)
{
    return mp_mul(a, a, b);
}

/* c = the n limbs at p with that sign; c has room. */
static void assign(mp_int *c, const limb_t *p, int n, int sign)
{
    memcpy(c->dp, p, (size_t)n * sizeof *p);
    c->used = n;
    c->sign = sign;
    mp_clamp(c);
}

int mp_div(const mp_int *a, const mp_int *b, mp_int *c, mp_int *d)
{
    if (b->used == 0)
        return MP_VAL;
    int an = a->used > 0 ? a->used : 1, bn = b->used;
    int q_sign = a->sign == b->sign ? MP_ZPOS : MP_NEG, r_sign = a->sign;
    limb_t *q = malloc(((size_t)an + (size_t)bn + ((size_t)an + (size_t)bn + 1)) * sizeof *q);
    if (q == NULL)
        return MP_MEM;
    limb_t *r = q + an, zero = 0;
    int err = c != NULL ? mp_grow(c, an) : MP_OKAY;
    if (err == MP_OKAY && d != NULL)
        err = mp_grow(d, bn);
    if (err == MP_OKAY) {
        nat_div_vartime(q, r, a->used > 0 ? a->dp : &zero, an, b->dp, bn, r + bn);
        if (c != NULL)
            assign(c, q, an, q_sign);
        if (d != NULL)
            assign(d, r, bn, r_sign);
    }
    free(q);
    return err;
}

int mp_mod(const mp_int *a, const mp_int *b, mp_int *c)
{
    mp_int r;
    int err = mp_init_size(&r, b->used);
    if (err != MP_OKAY)
        return err;
    err = mp_div(a, b, NULL, &r);
    if (err == MP_OKAY && r.used > 0 && r.sign != b->sign)
        err = mp_add(&r, b, &r);
    if (err == MP_OKAY)
        mp_exch(&r, c);
    mp_clear(&r);
    return err;
}

int mp_div_d(const mp_int *a, mp_digit b, mp_int *c, mp_digit *d)
{
    mp_int v = digit_view(&b), r;
    int err = mp_init_size(&r, 1);
    if (err != MP_OKAY)
        return err;
    err = mp_div(a, &v, c, &r);
    if (err == MP_OKAY && d != NULL)
        *d = r.used > 0 ? r.dp[0] : 0;
    mp_clear(&r);
    return err;
}

int mp_div_3(const mp_int *a, mp_int *c, mp_digit *d)
{
    return mp_div_d(a, 3, c, d);
}

int mp_mod_d(const mp_int *a, mp_digit b, mp_digit *c)
{
    mp_digit r;
    int err = mp_div_d(a, b, NULL, &r);
    if (err == MP_OKAY)
        *c = a->sign == MP_NEG && r != 0 ? (mp_digit)(b - r) : r;
    return err;
}

/* c = a^b by squares and products, high bit first. */
static int power(const mp_int *a, uint64_t b, mp_int *c)
{
    mp_int r;
    int err = mp_init_set(&r, 1);
    if (err != MP_OKAY)
        return err;
    int i = 64;
    while (i > 0 && (b >> (i - 1) & 1) == 0)
        i--;
    while (err == MP_OKAY && i-- > 0) {
        err = mp_sqr(&r, &r);
        if (err == MP_OKAY && (b >> i & 1) == 1)
            err = mp_mul(&r, a, &r);
    }
    if (err == MP_OKAY)
        mp_exch(&r, c);
    mp_clear(&r);
    return err;
}

int mp_expt_d(const mp_int *a, mp_digit b, mp_int *c)
{
    return power(a, b, c);
}

int mp_expt_u32(const mp_int *a, uint32_t b, mp_int *c)
{
    return power(a, b, c);
}

/* y = floor(((b - 1) x + floor(a / x^(b-1))) / b): Newton's step for the b-th root of a. */
static int root_step(const mp_int *a, uint32_t b, const mp_int *x, mp_int *y)
{
    mp_int t, w;
    int err = mp_init_multi(&t, &w, NULL);
    if (err != MP_OKAY)
        return err;
    mp_set_u32(&w, b - 1);
    if ((err = power(x, b - 1, &t)) == MP_OKAY && (err = mp_div(a, &t, &t, NULL)) == MP_OKAY &&
        (err = mp_mul(x, &w, y)) == MP_OKAY && (err = mp_add(y, &t, y)) == MP_OKAY) {
        mp_set_u32(&w, b);
        err = mp_div(y, &w, y, NULL);
    }
    mp_clear_multi(&t, &w, NULL);
    return err;
}

/* c = sign(a) floor(|a|^(1/b)).  From a start above the root Newton's iterates fall until they
 * reach its floor, and only then fail to fall (HAC 3.23 for b = 2). */
static int root(const mp_int *a, uint64_t b, mp_int *c)
{
    if (b == 0 || (b % 2 == 0 && a->sign == MP_NEG))
        return MP_VAL;
    mp_int m, x, y;
    int sign = a->sign, bits = mp_count_bits(a);
    int err = mp_init_multi(&m, &x, &y, NULL);
    if (err != MP_OKAY)
        return err;
    if (b >= (uint64_t)bits) {
        mp_set(&x, a->used != 0);
    } else if ((err = mp_abs(a, &m)) == MP_OKAY &&
               (err = mp_2expt(&x, (bits - 1) / (int)b + 1)) == MP_OKAY) {
        while ((err = root_step(&m, (uint32_t)b, &x, &y)) == MP_OKAY && mp_cmp_mag(&y, &x) == MP_LT)
            mp_exch(&x, &y);
    }
    if (err == MP_OKAY) {
        x.sign = x.used > 0 ? sign : MP_ZPOS;
        mp_exch(&x, c);
    }
    mp_clear_multi(&m, &x, &y, NULL);
    return err;
}

int mp_n_root(const mp_int *a, mp_digit b, mp_int *c)
{
    return root(a, b, c);
}

int mp_root_u32(const mp_int *a, uint32_t b, mp_int *c)
{
    return root(a, b, c);
}

int mp_sqrt(const mp_int *a, mp_int *b)
{
    return root(a, 2, b);
}

int mp_is_square(const mp_int *a, int *result)
{
    mp_int r;
    int err = mp_init(&r);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_sqrt(a, &r)) == MP_OKAY && (err = mp_sqr(&r, &r)) == MP_OKAY)
        *result = mp_cmp(&r, a) == MP_EQ ? MP_YES : MP_NO;
    mp_clear(&r);
    return err;
}

/* *c = the largest k with base^k <= a, one bit of k at a time from the top, each try a power of
 * base. */
int mp_log_u32(const mp_int *a, uint32_t base, uint32_t *c)
{
    if (a->used == 0 || a->sign == MP_NEG || base < 2)
        return MP_VAL;
    mp_int b, t;
    int err = mp_init_multi(&b, &t, NULL);
    if (err != MP_OKAY)
        return err;
    mp_set_u32(&b, base);
    uint64_t bits = (uint64_t)mp_count_bits(a), base_bits = (uint64_t)mp_count_bits(&b), k = 0;
    uint64_t bit = 1;
    while (bit * (base_bits - 1) < bits)
        bit *= 2;
    for (; err == MP_OKAY && bit > 0; bit /= 2) {
        if ((k + bit) * (base_bits - 1) >= bits)
            continue;
        err = power(&b, k + bit, &t);
        if (err == MP_OKAY && mp_cmp(&t, a) != MP_GT)
            k += bit;
    }
    if (err == MP_OKAY)
        *c = (uint32_t)k;
    mp_clear_multi(&b, &t, NULL);
    return err;
}
