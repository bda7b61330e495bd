/* Inverses modulo an odd number, by safegcd (safegcd.c).
 *
 * For the inverse of x modulo m the divsteps run on (f, g) = (m, x) beside (d, e) = (0, 1), and
 * d x = f, e x = g modulo m all along: when g is 0, f is +-gcd(m, x), and if that is +-1, +-d is
 * the inverse.  In constant time (d, e) is divided by 2^W modulo m with (f, g), so that all widths
 * are public.  In variable time it grows instead, as plain integers with d x = 2^(W k) f after k
 * batches, from one digit to little more than the length of m, and is divided by 2^(W k) at the
 * end: fewer products in all. */
#include "mod.h"
#include "safegcd.h"

#define DIGITS_MAX       DIGITS_OF_BITS(NAT_MAX_BITS)
#define DIGITS_SIZE(len) ((size_t)(len) * sizeof(slimb_t))

static void zero(slimb_t *d, int len)
{
    for (int i = 0; i < len; i++)
        d[i] = 0;
}

static void copy(slimb_t *d, const slimb_t *a, int len)
{
    for (int i = 0; i < len; i++)
        d[i] = a[i];
}

#ifdef VERIFY
/* Is s d + k m > 0? */
static int is_positive(slimb_t s, const slimb_t *d, slimb_t k, const slimb_t *m, int len)
{
    sdlimb_t c = 0;
    slimb_t digits = 0;
    for (int i = 0; i < len; i++) {
        c = digit_mul_add(digit_mul_add(c, s, d[i]), k, m[i]);
        digits |= digit_of_sum(&c);
    }
    return c > 0 || (c == 0 && digits != 0);
}
#endif

/* a += m, for the mask c; the digits of a may be any that fit with those of m. */
static void add_if(slimb_t *a, const slimb_t *m, int len, limb_t c)
{
    slimb_t sum = 0;
    for (int i = 0; i < len - 1; i++) { /* 0 <= sum < 2^(W+1) */
        sum = (slimb_t)(sum + (slimb_t)(a[i] + (slimb_t)((limb_t)m[i] & c)));
        a[i] = (slimb_t)((limb_t)sum & DIGIT_MASK);
        sum = (slimb_t)(sum >> DIGIT_BITS);
    }
    a[len - 1] = (slimb_t)(sum + (slimb_t)(a[len - 1] + (slimb_t)((limb_t)m[len - 1] & c)));
}

/* d = (negate ? -d : d) mod m in [0, m), for d in (-2m, m) and a mask. */
static void normalise(slimb_t *d, limb_t negate, const slimb_t *m, int len)
{
    add_if(d, m, len, digit_sign(d[len - 1])); /* in (-m, m) */
    safegcd_negate_if(d, len, negate);
    add_if(d, m, len, digit_sign(d[len - 1])); /* in [0, m) */
    verify(!digit_sign(d[len - 1]) && is_positive(-1, d, 1, m, len));
}

/* (d, e) = (u d + v e, q d + r e) / 2^W mod m, d and e in (-2m, m) before and after; m0 = m^-1 mod
 * B.
 *
 * Adding m to a negative d and e, that is u m or v m to the sum, puts them in (-m, m) and the sum
 * in
 * (-2^W m, 2^W m).  From that at most (2^W - 1) m is subtracted to clear its low W bits, which
 * leaves the quotient in (-2m, m).  So the multiple h of m lies in (-2^(W+1), 2^W], a column
 * u d_i + v e_i + h m_i within 2^(2W+1) + 2^(2W+1), and with carries below 2^(2W+3). */
static void apply_mod(slimb_t *d, slimb_t *e, const slimb_t *m, limb_t m0, int len,
                      const struct matrix *t)
{
    const slimb_t u = t->u, v = t->v, q = t->q, r = t->r;
    limb_t sd = digit_sign(d[len - 1]), se = digit_sign(e[len - 1]);
    slimb_t hd = (slimb_t)((slimb_t)((limb_t)u & sd) + (slimb_t)((limb_t)v & se));
    slimb_t he = (slimb_t)((slimb_t)((limb_t)q & sd) + (slimb_t)((limb_t)r & se));
    sdlimb_t cd = digit_mul_add(digit_mul_add(0, u, d[0]), v, e[0]);
    sdlimb_t ce = digit_mul_add(digit_mul_add(0, q, d[0]), r, e[0]);
    /* c + h m = 0 mod 2^W */
    hd = (slimb_t)(hd - (slimb_t)((limb_t)(limb_mul((limb_t)cd, m0) + (limb_t)hd) & DIGIT_MASK));
    he = (slimb_t)(he - (slimb_t)((limb_t)(limb_mul((limb_t)ce, m0) + (limb_t)he) & DIGIT_MASK));
    cd = digit_mul_add(cd, hd, m[0]);
    ce = digit_mul_add(ce, he, m[0]);
    slimb_t low_d = digit_of_sum(&cd), low_e = digit_of_sum(&ce);
    verify(low_d == 0 && low_e == 0);
    (void)low_d, (void)low_e;
    for (int i = 1; i < len; i++) {
        const slimb_t x = d[i], y = e[i], z = m[i];
        cd = digit_mul_add(digit_mul_add(digit_mul_add(cd, u, x), v, y), hd, z);
        d[i - 1] = digit_of_sum(&cd);
        ce = digit_mul_add(digit_mul_add(digit_mul_add(ce, q, x), r, y), he, z);
        e[i - 1] = digit_of_sum(&ce);
    }
    verify((slimb_t)cd == cd && (slimb_t)ce == ce);
    d[len - 1] = (slimb_t)cd;
    e[len - 1] = (slimb_t)ce;
    verify(is_positive(1, d, 2, m, len) && is_positive(-1, d, 1, m, len));
    verify(is_positive(1, e, 2, m, len) && is_positive(-1, e, 1, m, len));
}

choice mod_inv(limb_t *r, const limb_t *a, const struct mod *m)
{
    slimb_t room[5 * DIGITS_MAX];
    int len = DIGITS_OF_BITS(m->bits);
    slimb_t *p = room, *f = p + len, *g = f + len, *d = g + len, *e = d + len;
    limb_t m0 = limb_inverse(m->m[0]);
    int_fast32_t zeta = -1;
    struct matrix t;
    safegcd_load(p, len, m->m, m->n);
    safegcd_load(g, len, a, m->n);
    copy(f, p, len);
    zero(d, len);
    zero(e, len);
    e[0] = 1;
    for (int k = BATCHES_OF_BITS(m->bits); k > 0; k--) {
        zeta = safegcd_divsteps(&t, zeta, safegcd_low(f, len), safegcd_low(g, len));
        safegcd_apply(f, g, len, &t);
        apply_mod(d, e, p, m0, len, &t);
    }
    verify(safegcd_is_zero_vartime(g, len));
    limb_t negative = digit_sign(f[len - 1]);
    safegcd_negate_if(f, len, negative);
    normalise(d, negative, p, len);
    choice invertible = safegcd_is_one(f, len);
    safegcd_store(r, m->n, d, len);
    for (int i = 0; i < m->n; i++)
        r[i] &= invertible.mask;
    nat_wipe_bytes(room, 5 * DIGITS_SIZE(len));
    nat_wipe_bytes(&t, sizeof t);
    nat_wipe(&m0, 1);
    return invertible;
}

/* (d, e) = (u d + v e, q d + r e) as integers; returns their length, len or len + 1. */
static int apply_growing(slimb_t *d, slimb_t *e, int len, const struct matrix *t)
{
    const slimb_t u = t->u, v = t->v, q = t->q, r = t->r;
    sdlimb_t cd = 0, ce = 0;
    for (int i = 0; i < len; i++) {
        const slimb_t x = d[i], y = e[i];
        cd = digit_mul_add(digit_mul_add(cd, u, x), v, y);
        d[i] = digit_of_sum(&cd);
        ce = digit_mul_add(digit_mul_add(ce, q, x), r, y);
        e[i] = digit_of_sum(&ce);
    }
    d[len] = (slimb_t)cd;
    e[len] = (slimb_t)ce;
    return safegcd_trim_vartime(d, e, len + 1);
}

/* -2^W < h <= 0 with x + h m = 0 mod 2^W. */
static slimb_t quotient(limb_t x, limb_t m0)
{
    return (slimb_t) - (slimb_t)(limb_mul(x, m0) & DIGIT_MASK);
}

/* d[k..k+len-1] = d / 2^(W k) mod m for even k (Montgomery): adding (h + i 2^W) m 2^(W j) clears
 * digits j and j + 1, a pair at a time since each column waits for the carry of the last.
 * d has k + len digits, m len and a zero.  h, i <= 0 and |d| <= 2^(W k), so the answer lies in
 * [-m, 1]. */
static void divide_mod(slimb_t *d, int k, const slimb_t *m, limb_t m0, int len)
{
    for (slimb_t *x = d; x < d + k; x += 2) {
        slimb_t h = quotient((limb_t)x[0], m0);
        sdlimb_t c = digit_mul_add(x[0], h, m[0]);
        digit_of_sum(&c);
        c = digit_mul_add((sdlimb_t)(c + x[1]), h, m[1]);
        slimb_t i = quotient((limb_t)c, m0);
        c = digit_mul_add(c, i, m[0]);
        digit_of_sum(&c);
        for (int j = 2; j <= len; j++) {
            c = (sdlimb_t)(c + digit_mul_add(digit_mul_add(x[j], h, m[j]), i, m[j - 1]));
            x[j] = digit_of_sum(&c);
        }
        /* By induction -2^W <= c <= 1, for (h + i 2^W) m > -2^(W (len+2)) + 2^(W len); one less
         * where the sign of d went by, and above that there is only 0. */
        x[len + 1] = (slimb_t)(x[len + 1] + (slimb_t)c);
    }
}

int safegcd_inv_vartime(slimb_t *x, const slimb_t *m, int bits, slimb_t *scratch)
{
    int size = DIGITS_OF_BITS(bits), len = size, k = 0, dlen = 1;
    slimb_t *p = scratch, *f = p + size + 1, *g = x, *e = f + size;
    slimb_t *d = e + BATCHES_OF_BITS_VARTIME(bits) + 2;
    limb_t m0 = limb_inverse(safegcd_low(m, size));
    int_fast32_t zeta = -1;
    struct matrix t;
    copy(p, m, size);
    copy(f, m, size);
    p[size] = d[-1] = d[0] = 0;
    e[0] = 1;
    for (; !safegcd_is_zero_vartime(g, len); k++) {
        verify(k < BATCHES_OF_BITS_VARTIME(bits));
        zeta = safegcd_divsteps_vartime(&t, zeta, safegcd_low(f, len), safegcd_low(g, len));
        safegcd_apply(f, g, len, &t);
        len = safegcd_trim_vartime(f, g, len);
        dlen = apply_growing(d, e, dlen, &t); /* |d|, |e| <= 2^(W k): dlen <= k + 1 */
    }
    limb_t negative = digit_sign(f[len - 1]);
    safegcd_negate_if(f, len, negative);
    if (!declassify(safegcd_is_one(f, len))) /* public numbers */
        return -1;
    zero(d + dlen, k + size - dlen);
    divide_mod(d - k % 2, k + k % 2, p, m0, size); /* an odd k takes another zero digit below */
    copy(x, d + k, size);
    normalise(x, negative, m, size);
    return 0;
}

int mod_inv_vartime(limb_t *r, const limb_t *a, const struct mod *m)
{
    slimb_t p[DIGITS_MAX], x[DIGITS_MAX], scratch[SAFEGCD_INV_SCRATCH(NAT_MAX_BITS)];
    int len = DIGITS_OF_BITS(m->bits);
    safegcd_load(p, len, m->m, m->n);
    safegcd_load(x, len, a, m->n);
    if (safegcd_inv_vartime(x, p, m->bits, scratch)) {
        nat_zero(r, m->n);
        return -1;
    }
    safegcd_store(r, m->n, x, len);
    return 0;
}
