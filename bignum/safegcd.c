/* Safegcd: batches of divsteps on low words, and what they do to the whole numbers.
 *
 * A divstep takes (delta, f, g), f odd, to
 *     (1 - delta, g, (g - f) / 2)             if delta > 0 and g is odd,
 *     (1 + delta, f, (g + (g mod 2) f) / 2)   otherwise,
 * which keeps gcd(f, g) and brings g to 0 (Bernstein, Yang, "Fast constant-time gcd computation and
 * modular inversion", TCHES 2019).  W divsteps depend on the low W bits of f and g alone, so they
 * are done on one word each and then applied to all digits at once, as a matrix.
 *
 * Bounds.  In units of 1 / 2^i after i steps, (u, v) begins as (1, 0) and (q, r) as (0, 1); a step
 * makes (u, v) twice (u, v) or twice (q, r), and (q, r) becomes (q, r) + {-1, 0, 1} (u, v).  By
 * induction |u| + |v| <= 2^i and |q| + |r| <= 2^i: entries fit slimb_t, for 2^W < B/2.  A column
 * sum u f_j + v g_j is then at most 2^W times the larger digit, 2^(2W+1) at the top, and what is
 * carried into it less than 2^(W+2): far below 2^(2W+3) = B^2 / 2. */
#include "safegcd.h"

#include "nat.h"

/* For a function of two callers, one of which passes NULL: what it asks for vanishes in each. */
#ifdef __GNUC__
#define SPECIALISED __attribute__((always_inline)) static inline
#else
#define SPECIALISED static inline
#endif

void safegcd_load(slimb_t *d, int len, const limb_t *a, int n)
{
    dlimb_t acc = 0;
    for (int i = 0, j = 0, have = 0; i < len; i++, have -= DIGIT_BITS) {
        if (have < DIGIT_BITS) { /* acc < 2^(W - 1 + LIMB_BITS) */
            acc |= (dlimb_t)((dlimb_t)(j < n ? a[j] : 0) << have);
            j++;
            have += LIMB_BITS;
        }
        d[i] = (slimb_t)((limb_t)acc & DIGIT_MASK);
        acc = (dlimb_t)(acc >> DIGIT_BITS);
    }
}

void safegcd_store(limb_t *r, int n, const slimb_t *d, int len)
{
    dlimb_t acc = 0;
    for (int i = 0, j = 0, have = 0; i < n; i++, have -= LIMB_BITS) {
        while (have < LIMB_BITS) { /* acc < 2^(LIMB_BITS - 1 + W) */
            acc |= (dlimb_t)((dlimb_t)(limb_t)(j < len ? d[j] : 0) << have);
            j++;
            have += DIGIT_BITS;
        }
        r[i] = (limb_t)acc;
        acc = (dlimb_t)(acc >> LIMB_BITS);
    }
}

void safegcd_negate_if(slimb_t *a, int len, limb_t mask)
{
    slimb_t m = (slimb_t)mask, c = 0;
    for (int i = 0; i < len - 1; i++) { /* |c| <= 1 */
        c = (slimb_t)(c + (slimb_t)((a[i] ^ m) - m));
        a[i] = (slimb_t)((limb_t)c & DIGIT_MASK);
        c = (slimb_t)(c >> DIGIT_BITS);
    }
    a[len - 1] = (slimb_t)(c + (slimb_t)((a[len - 1] ^ m) - m));
}

choice safegcd_is_one(const slimb_t *a, int len)
{
    limb_t rest = (limb_t)((limb_t)a[0] ^ 1);
    for (int i = 1; i < len; i++)
        rest |= (limb_t)a[i];
    return choice_not(choice_nonzero(rest));
}

limb_t safegcd_low(const slimb_t *f, int len)
{
    limb_t above = len > 1 ? (limb_t)f[1] : 0;
    return (limb_t)((limb_t)f[0] | (limb_t)(above << DIGIT_BITS));
}

/* c ? a : b for a mask c. */
static inline limb_t pick(limb_t c, limb_t a, limb_t b)
{
    return (limb_t)(b ^ ((a ^ b) & c));
}

/* c ? -a : a. */
static inline limb_t negate_if(limb_t c, limb_t a)
{
    return (limb_t)((a ^ c) - c);
}

/* s is NULL where nobody asks for signs. */
SPECIALISED int_fast32_t divsteps(struct matrix *t, struct signs *s, int_fast32_t zeta, limb_t f,
                                  limb_t g)
{
    limb_t u = 1, v = 0, q = 0, r = 1, flips = 0, turns = 0;
    for (int i = 0; i < DIGIT_BITS; i++) {
        /* Invariant: 2^i (f, g) = (u, v; q, r) (f, g at the start), in the low W + 2 - i bits. */
        limb_t positive = limb_barrier((limb_t)(zeta >> 31)); /* delta > 0: zeta < 0 */
        limb_t odd = limb_barrier((limb_t)(0 - (g & 1)));
        limb_t swap = positive & odd;
        limb_t x = negate_if(positive, f), y = negate_if(positive, u), z = negate_if(positive, v);
        if (s) {
            flips ^= (limb_t)(g & ~f & swap);
            turns = (limb_t)(turns + ((limb_t)((v ^ r) & swap) >> (LIMB_BITS - 1)));
        }
        f = pick(swap, g, f);
        u = pick(swap, q, u);
        v = pick(swap, r, v);
        g = (limb_t)(g + (x & odd));
        q = (limb_t)(q + (y & odd));
        r = (limb_t)(r + (z & odd));
        zeta = (zeta ^ (int_fast32_t)(slimb_t)swap) - 1;
        if (s)
            flips ^= (limb_t)(f ^ f >> 1);
        g = (limb_t)(g >> 1);
        u = (limb_t)(u << 1);
        v = (limb_t)(v << 1);
    }
    *t = (struct matrix){(slimb_t)u, (slimb_t)v, (slimb_t)q, (slimb_t)r};
    if (s)
        *s = (struct signs){flips, turns};
    return zeta;
}

int_fast32_t safegcd_divsteps(struct matrix *t, int_fast32_t zeta, limb_t f, limb_t g)
{
    return divsteps(t, NULL, zeta, f, g);
}

int_fast32_t safegcd_divsteps_signs(struct matrix *t, struct signs *s, int_fast32_t zeta, limb_t f,
                                    limb_t g)
{
    return divsteps(t, s, zeta, f, g);
}

/* The number of low zero bits of x, which is not zero. */
static inline int trailing_zeros_vartime(limb_t x)
{
#ifdef __GNUC__
    return __builtin_ctzll(x);
#else
    int z = 0;
    for (; !(x & 1); x >>= 1)
        z++;
    return z;
#endif
}

/* The same, a run of halvings at a time and as many additions as the swaps allow. */
SPECIALISED int_fast32_t divsteps_vartime(struct matrix *t, struct signs *s, int_fast32_t zeta,
                                          limb_t f, limb_t g)
{
    limb_t u = 1, v = 0, q = 0, r = 1, flips = 0, turns = 0;
    for (int left = DIGIT_BITS;;) {
        int z = trailing_zeros_vartime((limb_t)(g | (limb_t)(LIMB_MAX << left)));
        g = (limb_t)(g >> z);
        u = (limb_t)(u << z);
        v = (limb_t)(v << z);
        zeta -= z;
        left -= z;
        if (s)
            flips ^= (limb_t)((f ^ f >> 1) & (limb_t)z << 1);
        if (left == 0)
            break;
        if (zeta < 0) { /* (f, g) = (g, -f), the difference that follows is a sum */
            if (s) {
                flips ^= (limb_t)(g & ~f);
                turns = (limb_t)(turns + ((limb_t)(v ^ r) >> (LIMB_BITS - 1)));
            }
            limb_t x = f, y = u, w = v;
            f = g, u = q, v = r;
            g = (limb_t)(0 - x), q = (limb_t)(0 - y), r = (limb_t)(0 - w);
            zeta = -zeta;
        }
        /* No swap for zeta + 1 steps: clear so many low bits of g, at most 6, by adding w f with
         * w = -g / f.  f (2 - f f) = 1 / f mod 2^6, one Newton step from f f = 1 mod 2^3. */
        int k = zeta + 1 < left ? (int)zeta + 1 : left;
        limb_t mask = (limb_t)((limb_t)(LIMB_MAX >> (LIMB_BITS - k)) & 63);
        limb_t w = (limb_t)(limb_mul(limb_mul(f, g), (limb_t)(limb_mul(f, f) - 2)) & mask);
        g = (limb_t)(g + limb_mul(f, w));
        q = (limb_t)(q + limb_mul(u, w)); /* 1 + w <= 2^k: the bounds above hold */
        r = (limb_t)(r + limb_mul(v, w));
        verify((g & mask) == 0);
    }
    *t = (struct matrix){(slimb_t)u, (slimb_t)v, (slimb_t)q, (slimb_t)r};
    if (s)
        *s = (struct signs){flips, turns};
    return zeta;
}

int_fast32_t safegcd_divsteps_vartime(struct matrix *t, int_fast32_t zeta, limb_t f, limb_t g)
{
    return divsteps_vartime(t, NULL, zeta, f, g);
}

int_fast32_t safegcd_divsteps_signs_vartime(struct matrix *t, struct signs *s, int_fast32_t zeta,
                                            limb_t f, limb_t g)
{
    return divsteps_vartime(t, s, zeta, f, g);
}

/* |f| and |g| do not grow beyond the larger of them: |u f + v g| <= 2^W max(|f|, |g|). */
void safegcd_apply(slimb_t *f, slimb_t *g, int len, const struct matrix *t)
{
    const slimb_t u = t->u, v = t->v, q = t->q, r = t->r;
    sdlimb_t cf = digit_mul_add(digit_mul_add(0, u, f[0]), v, g[0]);
    sdlimb_t cg = digit_mul_add(digit_mul_add(0, q, f[0]), r, g[0]);
    slimb_t low_f = digit_of_sum(&cf), low_g = digit_of_sum(&cg);
    verify(low_f == 0 && low_g == 0);
    (void)low_f, (void)low_g;
    for (int i = 1; i < len; i++) {
        const slimb_t x = f[i], y = g[i];
        cf = digit_mul_add(digit_mul_add(cf, u, x), v, y);
        f[i - 1] = digit_of_sum(&cf);
        cg = digit_mul_add(digit_mul_add(cg, q, x), r, y);
        g[i - 1] = digit_of_sum(&cg);
    }
    verify((slimb_t)cf == cf && (slimb_t)cg == cg);
    f[len - 1] = (slimb_t)cf;
    g[len - 1] = (slimb_t)cg;
}

/* A top digit of 0 or -1 is a sign, and the digit below has room for it: 0 or -2^W is added. */
static inline int is_sign(slimb_t d)
{
    return d == 0 || d == -1;
}

int safegcd_trim_vartime(slimb_t *f, slimb_t *g, int len)
{
    while (len > 1 && is_sign(f[len - 1]) && is_sign(g[len - 1])) {
        len--;
        f[len - 1] = (slimb_t)((limb_t)f[len - 1] | (limb_t)((limb_t)f[len] << DIGIT_BITS));
        g[len - 1] = (slimb_t)((limb_t)g[len - 1] | (limb_t)((limb_t)g[len] << DIGIT_BITS));
    }
    return len;
}

int safegcd_is_zero_vartime(const slimb_t *g, int len)
{
    for (int i = 0; i < len; i++) {
        if (g[i])
            return 0;
    }
    return 1;
}

void safegcd_gcd(slimb_t *f, slimb_t *g, int len, int batches)
{
    struct matrix t;
    int_fast32_t zeta = -1;
    while (batches-- > 0) {
        zeta = safegcd_divsteps(&t, zeta, safegcd_low(f, len), safegcd_low(g, len));
        safegcd_apply(f, g, len, &t);
    }
    verify(safegcd_is_zero_vartime(g, len));
    safegcd_negate_if(f, len, digit_sign(f[len - 1]));
    nat_wipe_bytes(&t, sizeof t);
}

int safegcd_gcd_vartime(slimb_t *f, slimb_t *g, int len)
{
    struct matrix t;
    int_fast32_t zeta = -1;
    len = safegcd_trim_vartime(f, g, len);
    while (!safegcd_is_zero_vartime(g, len)) {
        zeta = safegcd_divsteps_vartime(&t, zeta, safegcd_low(f, len), safegcd_low(g, len));
        safegcd_apply(f, g, len, &t);
        len = safegcd_trim_vartime(f, g, len);
    }
    safegcd_negate_if(f, len, digit_sign(f[len - 1]));
    return len;
}
