/* The kernels of one size; ifma_kernels.c includes this once for each S.  No include guard.
 *
 * Almost Montgomery multiplication by folding from the low end (Gueron and Krasnov, WAIFI 2012;
 * Hasenplaugh, Gaubatz, Gopal, ARITH 2007).  A limb product t m lands in vector t + m of the same
 * lane, so rows of products move nothing between lanes; carries wait until the end.
 *
 *   V = A B_0;   for j = 1 .. L-1:   q = V mod X;   V = (V - q)/X + A B_j + q K,   K = 1/X mod M;
 *   u = V (-1/M) mod X;   Z = (V + u M) / X.
 *
 * Each step divides by X modulo M, so Z = A B / R.  q, u <= X - 1 and K < M give
 *   Z < A B / R + M (X - 1)(1/X + 1/X^2 + ...) + M <= A B / R + 2M.
 * No lane overflows: it receives 2L row sets of S low and S high halves each, so it stays below
 * 4 N (2^52 - 1) + 2^13 < 2^60.4 for N = S L <= 160. */

#define JOIN_(f, s) f##_##s
#define JOIN(f, s)  JOIN_(f, s)
#define NAME(f)     JOIN(f, S)

/* Each accumulator gets a low and a high half in every row of 2S multiplications.  For small S that
 * is too soon: high halves have accumulators of their own until the next fold. */
#define SPLIT       (S <= 5)

/* Rows are cut in blocks of so many vectors, whose accumulators fit the registers. */
#define BLOCK       (S <= 10 ? S : (S + 2) / 3)

/* acc += v w for words w[step t], t < S, of S limbs or of two numbers: products of v[m] and word t
 * have their low halves at t + m, their high halves one above, the latter in high if SPLIT. */
IFMA_INLINE void NAME(rows)(vec *acc, vec *high, const uint64_t *v, const uint64_t *w, int step,
                            int pair)
{
#pragma GCC unroll UNROLL
    for (int begin = 0; begin < S; begin += BLOCK) {
        const int end = begin + BLOCK < S ? begin + BLOCK : S;
#pragma GCC unroll UNROLL
        for (int t = 0; t < S; t++) {
            const vec *a = (const vec *)opaque(v, !SPLIT), wt = broadcast(w + t * step, pair);
#pragma GCC unroll UNROLL
            for (int m = begin; m < end; m++)
                acc[t + m] = madd_lo(acc[t + m], a[m], wt);
#pragma GCC unroll UNROLL
            for (int m = begin; m < end; m++)
                high[t + m + 1] = madd_hi(high[t + m + 1], a[m], wt);
        }
    }
}

/* acc += high, high = 0. */
IFMA_INLINE void NAME(merge)(vec *acc, vec *high)
{
#pragma GCC unroll UNROLL
    for (int i = 1; SPLIT && i < 2 * S; i++) {
        acc[i] += high[i];
        high[i] = (vec){0};
    }
}

/* q = acc mod X + carry in, from lane 0: the words to memory and back through the integer units,
 * because a move between the files would take a slot of the multiplier.  Words of q have junk
 * above 52 bits. */
IFMA_INLINE void NAME(digit)(uint64_t *q, uint64_t *cs, const vec *acc, int pair)
{
#pragma GCC unroll UNROLL
    for (int t = 0; t < S; t++)
        *(low *)(q + 2 * t) = low_of(acc[t]);
    memory_fence(q);
#pragma GCC unroll UNROLL
    for (int t = 0; t < S; t++) {
        for (int h = 0; h <= pair; h++) {
            cs[h] += q[2 * t + h];
            q[2 * t + h] = cs[h];
            cs[h] >>= 52;
        }
    }
    memory_fence(q);
}

/* acc = (acc without lane 0 of its lower half) / X. */
IFMA_INLINE void NAME(shift)(vec *acc, int pair)
{
#pragma GCC unroll UNROLL
    for (int m = 0; m < S; m++) {
        acc[m] = lane_down(acc[m], pair) + acc[m + S];
        acc[m + S] = (vec){0};
    }
}

/* Takes a digit off acc, to be given back as q K; the rows between hide the way through memory. */
IFMA_INLINE void NAME(fold)(vec *acc, vec *high, uint64_t *q, uint64_t *cs, int pair)
{
    NAME(merge)(acc, high);
    verify(lanes_below(acc, 2 * S, 4 * 8 * S));
    NAME(digit)(q, cs, acc, pair);
    verify(cs[0] < 1 << 13 && cs[1] < 1 << 13);
    NAME(shift)(acc, pair);
}

/* q = (acc + cs) k0 mod X, carried, from lane 0 alone; junk above 52 bits. */
IFMA_INLINE void NAME(montgomery_digit)(uint64_t *q, const vec *acc, low cs, const uint64_t *k0)
{
    low u[S];
#pragma GCC unroll UNROLL
    for (int t = 0; t < S; t++)
        u[t] = (low){0};
#pragma GCC unroll UNROLL
    for (int i = 0; i < S; i++) {
        low x = low_of(acc[i]) + cs;
        cs = x >> 52;
#pragma GCC unroll UNROLL
        for (int k = 0; k < S - i; k++) {
            low w = *(const low *)(k0 + 2 * k);
            u[i + k] = low_madd_lo(u[i + k], x, w);
            if (i + k + 1 < S)
                u[i + k + 1] = low_madd_hi(u[i + k + 1], x, w);
        }
    }
    *(low *)q = u[0];
#pragma GCC unroll UNROLL
    for (int t = 1; t < S; t++) {
        u[t] += u[t - 1] >> 52;
        *(low *)(q + 2 * t) = u[t];
    }
    memory_fence(q);
}

/* Exact carries.  Lanes of r below 2^61 become limbs of 52 bits with junk above them, the same
 * value mod R; the junk of the top limb is the true carry out of it.
 *
 * After one pass in all lanes at once, a lane sends at most 1 more to the next: it generates it
 * (limb 0 overflowed and the others are all ones) or passes it on (all are).  These exclude each
 * other, so adding the one mask to the other carries through runs of passing lanes. */
IFMA_INLINE void NAME(norm)(vec *r, int pair)
{
    const vec mask = {Q, Q, Q, Q, Q, Q, Q, Q}, one = {1, 1, 1, 1, 1, 1, 1, 1};
    unsigned pass[S], made[S + 1]; /* made[m]: lanes whose own limb 0 sends a carry into limb m */
    vec c = r[0] >> 52;
    r[0] &= mask;
#pragma GCC unroll UNROLL
    for (int m = 1; m < S; m++) {
        r[m] += c;
        c = r[m] >> 52;
        pass[m] = lanes_disjoint(r[m] + one, mask);
    }
    r[0] += lane_up(c, pair); /* < 2^52 + 2^12 */
    pass[0] = lanes_equal(r[0], mask);
    made[1] = lanes_above(r[0], mask);
    unsigned all = pass[0];
#pragma GCC unroll UNROLL
    for (int m = 1; m < S; m++) {
        made[m + 1] = made[m] & pass[m];
        all &= pass[m];
    }
    unsigned in = carry_lanes(made[S], all, pair), passed = in & pass[0];
    r[0] = lanes_select(in, r[0] + one, r[0]);
#pragma GCC unroll UNROLL
    for (int m = 1; m < S; m++) {
        r[m] = lanes_select(made[m] | passed, r[m] + one, r[m]);
        passed &= pass[m];
    }
}

/* The last step: r = (acc + cs + u M) / X.  The lowest digit of that sum is 0, so its words are
 * exact but for a carry below 2^13 into the highest: the carry out is that word / 2^52, rounded up.
 */
IFMA_INLINE void NAME(last)(uint64_t *r, vec *acc, vec *high, uint64_t *q, low cs,
                            const struct ifma *m, int pair)
{
    NAME(montgomery_digit)(q, acc, cs, m->k0);
    NAME(rows)(acc, high, m->m, q, 2, pair);
    NAME(merge)(acc, high);
    verify(digit_is_zero(acc, cs, S, pair));
    low c = (low_of(acc[S - 1]) + (low){Q, Q}) >> 52;
    NAME(shift)(acc, pair);
    acc[0] += vec_of(c & (low){~(uint64_t)0, pair ? ~(uint64_t)0 : 0});
    NAME(norm)(acc, pair);
    verify(low_of(acc[S - 1] >> 52)[0] <= 1 << 9);
#pragma GCC unroll UNROLL
    for (int i = 0; i < S; i++)
        ((vec *)r)[i] = acc[i];
}

IFMA_INLINE void NAME(amm)(uint64_t *r, const uint64_t *a, const uint64_t *b, const struct ifma *m,
                           int pair)
{
    _Alignas(16) uint64_t q[2 * S];
    uint64_t cs[2] = {0, 0};
    vec acc[2 * S], split[2 * S], *high = SPLIT ? split : acc;
#pragma GCC unroll UNROLL
    for (int i = 0; i < 2 * S; i++)
        acc[i] = split[i] = (vec){0};
    NAME(rows)(acc, high, a, b, 8, pair);
    for (int j = 1; j < (pair ? 4 : 8); j++) {
        NAME(fold)(acc, high, q, cs, pair);
        NAME(rows)(acc, high, a, b + (1 + pair) * j, 8, pair);
        NAME(rows)(acc, high, m->k, q, 2, pair);
    }
    NAME(merge)(acc, high);
    NAME(last)(r, acc, high, q, (low){cs[0], cs[1]}, m, pair);
    memory_wipe(q, 2 * S);
}

static void NAME(mul)(uint64_t *r, const uint64_t *a, const uint64_t *b, const struct ifma *m)
{
    NAME(amm)(r, a, b, m, 0);
}

static void NAME(mul_pair)(uint64_t *r, const uint64_t *a, const uint64_t *b, const struct ifma *m)
{
    NAME(amm)(r, a, b, m, 1);
}

/* d = 2a as one carried number, junk above 52 bits.  2a < R. */
IFMA_INLINE void NAME(twice)(vec *d, const vec *a)
{
    const vec one = {1, 1, 1, 1, 1, 1, 1, 1};
    vec bit = lane_up(a[S - 1] >> 51 & one, 0);
#pragma GCC unroll UNROLL
    for (int m = 0; m < S; m++) {
        d[m] = (a[m] << 1) + bit;
        bit = a[m] >> 51 & one;
    }
}

#define HALF ((S + 1) / 2)

/* acc += the products of one set, rows t from begin = 0 or HALF on.  (A loop of fixed length: clang
 * unrolls before it inlines.)  The lowest bit of D_y, y = x + 1, was
 * carried out of A_x, which is not in the sum over y > x: it is cleared. */
IFMA_INLINE void NAME(square_rows)(vec *acc, vec *high, const vec *a, const vec *d,
                                   const uint8_t *set, int begin)
{
    const vec none = {255, 255, 255, 255, 255, 255, 255, 255}, nine = none & 9;
    vec lanes = lanes_of_bytes(set), x = lanes >> 4, v[S];
    unsigned unused = lanes_equal(lanes, none), next = lanes_equal(lanes & (none & 15), x + nine);
#pragma GCC unroll UNROLL
    for (int m = 0; m < S; m++)
        v[m] = lanes_permute2(a[m], d[m], lanes);
    v[0] = lanes_select(next, v[0] & ~(none & 1), v[0]);
#pragma GCC unroll UNROLL
    for (int first = 0; first < S; first += BLOCK) {
        const int last = first + BLOCK < S ? first + BLOCK : S;
#pragma GCC unroll UNROLL
        for (int i = 0; i < HALF; i++) {
            const int t = begin + i;
            if (t == S)
                continue;
            vec w = lanes_select(unused, (vec){0}, lanes_permute(a[t], x));
#pragma GCC unroll UNROLL
            for (int m = first; m < last; m++)
                acc[t + m] = madd_lo(acc[t + m], v[m], w);
#pragma GCC unroll UNROLL
            for (int m = first; m < last; m++)
                high[t + m + 1] = madd_hi(high[t + m + 1], v[m], w);
        }
    }
}

/* amm(a, a) with 27 S^2 multiplications for 33 S^2, and 15 S permutations. */
IFMA_INLINE void NAME(square)(uint64_t *r, const uint64_t *a, const struct ifma *m)
{
    _Alignas(16) uint64_t q[2 * S];
    uint64_t cs[2] = {0, 0};
    vec acc[2 * S], split[2 * S], *high = SPLIT ? split : acc, d[S];
#pragma GCC unroll UNROLL
    for (int i = 0; i < 2 * S; i++)
        acc[i] = split[i] = (vec){0};
    NAME(twice)(d, (const vec *)a);
    NAME(square_rows)(acc, high, (const vec *)a, d, square_low[0], 0);
    NAME(square_rows)(acc, high, (const vec *)a, d, square_high[0], HALF);
    for (int j = 1; j < 7; j += 2) {
        NAME(fold)(acc, high, q, cs, 0);
        NAME(square_rows)(acc, high, (const vec *)a, d, square_high[j], HALF);
        NAME(rows)(acc, high, m->k, q, 2, 0);
        NAME(fold)(acc, high, q, cs, 0);
        NAME(square_rows)(acc, high, (const vec *)a, d, square_low[j + 1], 0);
        NAME(rows)(acc, high, m->k, q, 2, 0);
    }
    NAME(fold)(acc, high, q, cs, 0);
    NAME(square_rows)(acc, high, (const vec *)a, d, square_low[7], 0);
    NAME(square_rows)(acc, high, (const vec *)a, d, square_high[7], HALF);
    NAME(rows)(acc, high, m->k, q, 2, 0);
    NAME(merge)(acc, high);
    NAME(last)(r, acc, high, q, (low){cs[0], cs[1]}, m, 0);
    memory_wipe(q, 2 * S);
}

/* Measured: below S = 8 the permutations cost about what they save. */
static void NAME(sqr)(uint64_t *r, const uint64_t *a, const struct ifma *m)
{
    if (S >= 8)
        NAME(square)(r, a, m);
    else
        NAME(mul)(r, a, a, m);
}

static void NAME(sqr_pair)(uint64_t *r, const uint64_t *a, const struct ifma *m)
{
    NAME(mul_pair)(r, a, a, m);
}

/* r = bit of the top limb of t ? t : s, after exact carries. */
IFMA_INLINE void NAME(choose)(uint64_t *r, vec *s, vec *t, uint64_t bit)
{
    NAME(norm)(s, 0);
    NAME(norm)(t, 0);
    vec bits = {bit, bit, bit, bit, bit, bit, bit, bit};
    unsigned yes = ~(0 - (lanes_disjoint(t[S - 1], bits) >> 7 & 1));
#pragma GCC unroll UNROLL
    for (int i = 0; i < S; i++)
        ((vec *)r)[i] = lanes_select(yes, t[i], s[i]);
}

/* s = a + b < 8m <= R;  t = s + 4 (R - m), whose carry out is 4 iff s >= 4m, and otherwise 3. */
static void NAME(add)(uint64_t *r, const uint64_t *a, const uint64_t *b, const struct ifma *m)
{
    const vec mask = {Q, Q, Q, Q, Q, Q, Q, Q}, *x = (const vec *)a, *y = (const vec *)b;
    vec s[S], t[S];
#pragma GCC unroll UNROLL
    for (int i = 0; i < S; i++) {
        s[i] = (x[i] & mask) + (y[i] & mask);
        t[i] = s[i] + ((mask - ((const vec *)m->m)[i]) << 2);
    }
    t[0] += (vec){4};
    NAME(choose)(r, s, t, (uint64_t)4 << 52);
}

/* t = a - b + R, whose carry out is 1 iff a >= b;  s = t + 4m. */
static void NAME(sub)(uint64_t *r, const uint64_t *a, const uint64_t *b, const struct ifma *m)
{
    const vec mask = {Q, Q, Q, Q, Q, Q, Q, Q}, *x = (const vec *)a, *y = (const vec *)b;
    vec s[S], t[S];
#pragma GCC unroll UNROLL
    for (int i = 0; i < S; i++) {
        t[i] = (x[i] & mask) + (mask - (y[i] & mask));
        t[i] += i == 0 ? (vec){1} : (vec){0};
        s[i] = t[i] + (((const vec *)m->m)[i] << 2);
    }
    NAME(choose)(r, s, t, (uint64_t)1 << 52);
}

IFMA_INLINE void NAME(scan)(uint64_t *r, const uint64_t *table, vec index, int count)
{
    const vec one = {1, 1, 1, 1, 1, 1, 1, 1};
    vec out[S];
#pragma GCC unroll UNROLL
    for (int m = 0; m < S; m++)
        out[m] = (vec){0};
    for (const vec *t = (const vec *)table; count--; t += S) {
        unsigned here = lanes_equal(index, (vec){0});
        index -= one;
#pragma GCC unroll UNROLL
        for (int m = 0; m < S; m++)
            out[m] = lanes_select(here, t[m], out[m]);
    }
#pragma GCC unroll UNROLL
    for (int m = 0; m < S; m++)
        ((vec *)r)[m] = out[m];
}

static void NAME(gather)(uint64_t *r, const uint64_t *table, const unsigned *index, int count)
{
    NAME(scan)(r, table, broadcast_low((low){index[0], 0}, 0), count);
}

static void NAME(gather_pair)(uint64_t *r, const uint64_t *table, const unsigned *index, int count)
{
    NAME(scan)(r, table, broadcast_low((low){index[0], index[1]}, 1), count);
}

static void NAME(norm_single)(uint64_t *r)
{
    NAME(norm)((vec *)r, 0);
}

static void NAME(norm_pair)(uint64_t *r)
{
    NAME(norm)((vec *)r, 1);
}

static const struct ifma_kernel NAME(kernel) = {
    .s = S,
    .mul = NAME(mul),
    .mul_pair = S <= PAIR_S_MAX ? NAME(mul_pair) : NULL,
    .sqr = NAME(sqr),
    .sqr_pair = S <= PAIR_S_MAX ? NAME(sqr_pair) : NULL,
    .add = NAME(add),
    .sub = NAME(sub),
    .gather = NAME(gather),
    .gather_pair = NAME(gather_pair),
    .norm = NAME(norm_single),
    .norm_pair = NAME(norm_pair),
};

#undef JOIN_
#undef JOIN
#undef NAME
#undef SPLIT
#undef BLOCK
#undef HALF
#undef S
