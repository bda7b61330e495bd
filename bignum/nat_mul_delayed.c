/* Products and squares by columns with delayed carry: the low and the high halves of a column's
 * products are summed apart, and carries are settled once a column.
 *
 * A sum of 2^31 halves fits in 64 bits, or in 128, so nothing is carried while a column is added
 * up, and the additions of several columns may go side by side: with 32-bit limbs, eight columns in
 * vector lanes where the processor has AVX2.  Without lanes a second addition costs more than the
 * carry that it saves. */
#include "nat_mul.h"

#if LIMB_BITS == 64
typedef dlimb_t sum_t;
#else
typedef uint64_t sum_t;
#endif

/* A column: high B + low. */
struct sums {
    sum_t low, high;
};

static inline void add(struct sums *s, limb_t a, limb_t b)
{
    dlimb_t t = (dlimb_t)((dlimb_t)a * b);
    s->low += (limb_t)t;
    s->high += (sum_t)(t >> LIMB_BITS);
}

/* Returns the column's limb, once the carry into it is added; *carry is what goes on to the next,
 * below B (number of products + 2). */
static inline limb_t settle(struct sums s, sum_t *carry)
{
    s.low += *carry;
    *carry = (s.low >> LIMB_BITS) + s.high;
    return (limb_t)s.low;
}

/* The same of twice the sums and a^2, or less of it for an odd column: a is 0 there. */
static inline limb_t settle_twice(struct sums s, limb_t a, sum_t *carry)
{
    s.low *= 2, s.high *= 2;
    add(&s, a, a);
    return settle(s, carry);
}

static int usable(void)
{
    return 1;
}

static void mul_by_column(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn)
{
    sum_t carry = 0;
    for (int k = 0; k < an + bn; k++) {
        struct sums s = {0, 0};
        int last = k < an ? k : an - 1;
        for (int i = k < bn ? 0 : k - bn + 1; i <= last; i++)
            add(&s, a[i], b[k - i]);
        r[k] = settle(s, &carry);
    }
    verify(carry == 0);
}

static void sqr_by_column(limb_t *r, const limb_t *a, int n)
{
    sum_t carry = 0;
    for (int k = 0; k < 2 * n; k++) {
        struct sums s = {0, 0};
        for (int i = k < n ? 0 : k - n + 1; 2 * i < k; i++)
            add(&s, a[i], a[k - i]);
        r[k] = settle_twice(s, k % 2 == 0 ? a[k / 2] : 0, &carry);
    }
    verify(carry == 0);
}

#if LIMB_BITS == 32 && defined __x86_64__ && defined __GNUC__

#include <immintrin.h>

#define LANES     8
#define LANES_MAX (2 * NAT_MAX) /* widest operand with room in lanes */

/* The limbs of b, one in each lane, between zeros. */
struct lanes {
    uint64_t d[LANES + LANES_MAX + LANES];
};

static void spread(struct lanes *p, const limb_t *b, int n)
{
    for (int i = 0; i < LANES; i++)
        p->d[i] = p->d[LANES + n + i] = 0;
    for (int i = 0; i < n; i++)
        p->d[LANES + i] = b[i];
}

/* Eight column sums; those of the low halves come as sums of whole products mod 2^64, from which
 * the high halves are taken off in the end. */
struct eight {
    __m256i t0, t1, h0, h1;
};

/* s += w b[k + j - i] for the eight columns k + j, w being a[i] in each lane or 0. */
__attribute__((target("avx2"))) static inline void add_row(struct eight *s, __m256i w0, __m256i w1,
                                                           const uint64_t *b)
{
    __m256i p0 = _mm256_mul_epu32(w0, _mm256_loadu_si256((const __m256i *)b));
    __m256i p1 = _mm256_mul_epu32(w1, _mm256_loadu_si256((const __m256i *)(b + 4)));
    s->t0 = _mm256_add_epi64(s->t0, p0);
    s->t1 = _mm256_add_epi64(s->t1, p1);
    s->h0 = _mm256_add_epi64(s->h0, _mm256_srli_epi64(p0, 32));
    s->h1 = _mm256_add_epi64(s->h1, _mm256_srli_epi64(p1, 32));
}

/* out[j] = the sum of a[i] b[k + j - i] over first <= i < end, and from middle = k / 2 on only of
 * those with i < k + j - i. */
__attribute__((target("avx2"))) static void eight_columns(struct sums *out, const limb_t *a,
                                                          const struct lanes *b, int k, int first,
                                                          int middle, int end)
{
    static const uint64_t above[2 * LANES] = {[LANES] = ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0),
                                              ~UINT64_C(0),           ~UINT64_C(0), ~UINT64_C(0),
                                              ~UINT64_C(0),           ~UINT64_C(0)};
    const __m256i zero = _mm256_setzero_si256();
    struct eight s = {zero, zero, zero, zero};
    int i = first;
    for (; i < middle; i++) {
        __m256i w = _mm256_set1_epi64x((long long)a[i]);
        add_row(&s, w, w, b->d + LANES + k - i);
    }
    for (; i < end; i++) { /* lanes j > 2i - k */
        const uint64_t *mask = above + LANES - (2 * i - k + 1);
        __m256i w = _mm256_set1_epi64x((long long)a[i]);
        add_row(&s, _mm256_and_si256(w, _mm256_loadu_si256((const __m256i *)mask)),
                _mm256_and_si256(w, _mm256_loadu_si256((const __m256i *)(mask + 4))),
                b->d + LANES + k - i);
    }
    uint64_t t[LANES], h[LANES];
    _mm256_storeu_si256((__m256i *)t, s.t0);
    _mm256_storeu_si256((__m256i *)(t + 4), s.t1);
    _mm256_storeu_si256((__m256i *)h, s.h0);
    _mm256_storeu_si256((__m256i *)(h + 4), s.h1);
    for (int j = 0; j < LANES; j++)
        out[j] = (struct sums){t[j] - (h[j] << 32), h[j]};
}

static void wipe(struct lanes *p, struct sums *s, int n)
{
    nat_wipe_bytes(p, (size_t)(n + 2 * LANES) * sizeof *p->d);
    nat_wipe_bytes(s, LANES * sizeof *s);
}

static void mul(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn)
{
    struct lanes p;
    struct sums s[LANES];
    sum_t carry = 0;
    if (!__builtin_cpu_supports("avx2") || bn > LANES_MAX) {
        mul_by_column(r, a, an, b, bn);
        return;
    }
    spread(&p, b, bn);
    for (int k = 0; k < an + bn; k += LANES) {
        int end = k + LANES < an ? k + LANES : an;
        eight_columns(s, a, &p, k, k < bn ? 0 : k - bn + 1, end, end);
        for (int j = 0; j < LANES && k + j < an + bn; j++)
            r[k + j] = settle(s[j], &carry);
    }
    verify(carry == 0);
    wipe(&p, s, bn);
}

static void sqr(limb_t *r, const limb_t *a, int n)
{
    struct lanes p;
    struct sums s[LANES];
    sum_t carry = 0;
    if (!__builtin_cpu_supports("avx2") || n > LANES_MAX) {
        sqr_by_column(r, a, n);
        return;
    }
    spread(&p, a, n);
    for (int k = 0; k < 2 * n; k += LANES) {
        int first = k < n ? 0 : k - n + 1, end = (k + LANES) / 2 < n ? (k + LANES) / 2 : n;
        eight_columns(s, a, &p, k, first, k / 2 > first ? k / 2 : first, end);
        for (int c = k; c < k + LANES && c < 2 * n; c++)
            r[c] = settle_twice(s[c - k], c % 2 == 0 ? a[c / 2] : 0, &carry);
    }
    verify(carry == 0);
    wipe(&p, s, n);
}

#else

static void mul(limb_t *r, const limb_t *a, int an, const limb_t *b, int bn)
{
    mul_by_column(r, a, an, b, bn);
}

static void sqr(limb_t *r, const limb_t *a, int n)
{
    sqr_by_column(r, a, n);
}

#endif

const struct multiplier nat_delayed = {
    .name = "delayed",
    .usable = usable,
    .mul = mul,
    .sqr = sqr,
    .halve_mul = 256,
    .halve_sqr = 256,
};
