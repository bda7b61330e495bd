/* Eight lanes of 64 bits, and the few AVX-512 operations on them that C has no operator for.
 *
 * `vec` is a GCC vector: + & >> work lane by lane.  With TAHR_IFMA_MODEL these functions are plain
 * C, so that the kernels can run where AVX-512 cannot: other machines, and Valgrind. */
#ifndef TAHR_IFMA_VEC_H
#define TAHR_IFMA_VEC_H

#include <stdint.h>

typedef uint64_t vec __attribute__((vector_size(64), may_alias));
typedef uint64_t low __attribute__((vector_size(16), may_alias)); /* lanes 0 and 1 of a vec */

#define Q (((uint64_t)1 << 52) - 1) /* 52 bits */

#ifndef TAHR_IFMA_MODEL

#define IFMA_INLINE static inline __attribute__((always_inline))
enum { UNROLL = 64 }; /* of all loops over vectors, so that these are registers */

#include <immintrin.h>

/* c + the low, c + the high 52 bits of a b; bits 52 to 63 of a and b do not count. */
IFMA_INLINE vec madd_lo(vec c, vec a, vec b)
{
    return (vec)_mm512_madd52lo_epu64((__m512i)c, (__m512i)a, (__m512i)b);
}

IFMA_INLINE vec madd_hi(vec c, vec a, vec b)
{
    return (vec)_mm512_madd52hi_epu64((__m512i)c, (__m512i)a, (__m512i)b);
}

IFMA_INLINE low low_madd_lo(low c, low a, low b)
{
    return (low)_mm_madd52lo_epu64((__m128i)c, (__m128i)a, (__m128i)b);
}

IFMA_INLINE low low_madd_hi(low c, low a, low b)
{
    return (low)_mm_madd52hi_epu64((__m128i)c, (__m128i)a, (__m128i)b);
}

/* p[0] in every lane; or p[0], p[1] in turn. */
IFMA_INLINE vec broadcast(const uint64_t *p, int pair)
{
    return pair ? (vec)_mm512_broadcast_i64x2(*(const __m128i *)p)
                : (vec)_mm512_set1_epi64((long long)*p);
}

IFMA_INLINE vec broadcast_low(low a, int pair)
{
    return pair ? (vec)_mm512_broadcast_i64x2((__m128i)a)
                : (vec)_mm512_broadcastq_epi64((__m128i)a);
}

IFMA_INLINE low low_of(vec a)
{
    return (low)_mm512_castsi512_si128((__m512i)a);
}

IFMA_INLINE vec vec_of(low a)
{
    return (vec)_mm512_zextsi128_si512((__m128i)a);
}

/* Lane l + step comes to lane l, or l to l + step, step 2 for a pair and else 1; zero comes in. */
IFMA_INLINE vec lane_down(vec a, int pair)
{
    __m512i zero = _mm512_setzero_si512();
    return pair ? (vec)_mm512_alignr_epi64(zero, (__m512i)a, 2)
                : (vec)_mm512_alignr_epi64(zero, (__m512i)a, 1);
}

IFMA_INLINE vec lane_up(vec a, int pair)
{
    __m512i zero = _mm512_setzero_si512();
    return pair ? (vec)_mm512_alignr_epi64((__m512i)a, zero, 6)
                : (vec)_mm512_alignr_epi64((__m512i)a, zero, 7);
}

/* Lane l: byte p[l]. */
IFMA_INLINE vec lanes_of_bytes(const uint8_t *p)
{
    return (vec)_mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)p));
}

/* Lane l: lane index[l] mod 8 of a; lane index[l] mod 16 of a and, from 8 on, b. */
IFMA_INLINE vec lanes_permute(vec a, vec index)
{
    return (vec)_mm512_permutexvar_epi64((__m512i)index, (__m512i)a);
}

IFMA_INLINE vec lanes_permute2(vec a, vec b, vec index)
{
    return (vec)_mm512_permutex2var_epi64((__m512i)a, (__m512i)index, (__m512i)b);
}

/* Bit l: is a > b, a = b, a & b = 0 in lane l? */
IFMA_INLINE unsigned lanes_above(vec a, vec b)
{
    return _mm512_cmpgt_epu64_mask((__m512i)a, (__m512i)b);
}

IFMA_INLINE unsigned lanes_equal(vec a, vec b)
{
    return _mm512_cmpeq_epu64_mask((__m512i)a, (__m512i)b);
}

IFMA_INLINE unsigned lanes_disjoint(vec a, vec b)
{
    return _mm512_testn_epi64_mask((__m512i)a, (__m512i)b);
}

/* In lane l: bit l of mask ? a : b. */
IFMA_INLINE vec lanes_select(unsigned mask, vec a, vec b)
{
    return (vec)_mm512_mask_mov_epi64((__m512i)b, (__mmask8)mask, (__m512i)a);
}

#else

#define IFMA_INLINE static inline
enum { UNROLL = 1 };

IFMA_INLINE uint64_t model_lo(uint64_t a, uint64_t b)
{
    return (uint64_t)((dlimb_t)(a & Q) * (b & Q)) & Q;
}

IFMA_INLINE uint64_t model_hi(uint64_t a, uint64_t b)
{
    return (uint64_t)((dlimb_t)(a & Q) * (b & Q) >> 52);
}

IFMA_INLINE vec madd_lo(vec c, vec a, vec b)
{
    for (int l = 0; l < 8; l++)
        c[l] += model_lo(a[l], b[l]);
    return c;
}

IFMA_INLINE vec madd_hi(vec c, vec a, vec b)
{
    for (int l = 0; l < 8; l++)
        c[l] += model_hi(a[l], b[l]);
    return c;
}

IFMA_INLINE low low_madd_lo(low c, low a, low b)
{
    return c + (low){model_lo(a[0], b[0]), model_lo(a[1], b[1])};
}

IFMA_INLINE low low_madd_hi(low c, low a, low b)
{
    return c + (low){model_hi(a[0], b[0]), model_hi(a[1], b[1])};
}

IFMA_INLINE vec broadcast(const uint64_t *p, int pair)
{
    uint64_t x = p[0], y = p[pair];
    return (vec){x, y, x, y, x, y, x, y};
}

IFMA_INLINE vec broadcast_low(low a, int pair)
{
    return broadcast((const uint64_t[]){a[0], a[1]}, pair);
}

IFMA_INLINE low low_of(vec a)
{
    return (low){a[0], a[1]};
}

IFMA_INLINE vec vec_of(low a)
{
    return (vec){a[0], a[1]};
}

IFMA_INLINE vec lane_down(vec a, int pair)
{
    vec r = {0};
    for (int l = 0; l < 7 - pair; l++)
        r[l] = a[l + 1 + pair];
    return r;
}

IFMA_INLINE vec lane_up(vec a, int pair)
{
    vec r = {0};
    for (int l = 0; l < 7 - pair; l++)
        r[l + 1 + pair] = a[l];
    return r;
}

IFMA_INLINE vec lanes_of_bytes(const uint8_t *p)
{
    return (vec){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
}

IFMA_INLINE vec lanes_permute(vec a, vec index)
{
    vec r;
    for (int l = 0; l < 8; l++)
        r[l] = a[index[l] & 7];
    return r;
}

IFMA_INLINE vec lanes_permute2(vec a, vec b, vec index)
{
    vec r;
    for (int l = 0; l < 8; l++)
        r[l] = index[l] & 8 ? b[index[l] & 7] : a[index[l] & 7];
    return r;
}

/* Bit l: the top bit of lane l. */
IFMA_INLINE unsigned model_tops(vec a)
{
    unsigned bits = 0;
    for (int l = 0; l < 8; l++)
        bits |= (unsigned)(a[l] >> 63) << l;
    return bits;
}

/* Here a, b < 2^63. */
IFMA_INLINE unsigned lanes_above(vec a, vec b)
{
    return model_tops(b - a);
}

IFMA_INLINE unsigned lanes_disjoint(vec a, vec b)
{
    vec both = a & b;
    return model_tops(~(both | -both));
}

IFMA_INLINE unsigned lanes_equal(vec a, vec b)
{
    return lanes_disjoint(a ^ b, ~(vec){0});
}

IFMA_INLINE vec lanes_select(unsigned mask, vec a, vec b)
{
    for (int l = 0; l < 8; l++)
        b[l] ^= (a[l] ^ b[l]) & (0 - (uint64_t)(mask >> l & 1));
    return b;
}

#endif
#endif
