/* Printable integers: the API of LibTomMath v0.12, in the order of its manual, and the later names
 * that its clients use.
 *
 * For numbers you may print, and only for those: time and memory show the values, and nothing is
 * wiped. Secrets belong in nat.h and mod.h.
 *
 * An mp_int is a sign, a length and an array of digits, least significant first; a digit is a limb
 * of DIGIT_BIT bits, all of them used (beta = 2^DIGIT_BIT).  There is no negative zero, and no
 * leading zero digit.  Inputs come first, the output last; any output may be any input.
 *
 * Errors: MP_OKAY, or MP_MEM when memory runs out, or MP_VAL when an argument is outside what a
 * function says it takes; the outputs then still hold what they held.
 *
 * The symbols are tahr_mp_*, so that libtommath itself may be loaded beside this library. */
#ifndef TAHR_MP_H
#define TAHR_MP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The digit is the library's limb; set LIMB_BITS only for a library that was built with it. */
#ifdef LIMB_BITS
#define DIGIT_BIT LIMB_BITS
#elif defined __SIZEOF_INT128__
#define DIGIT_BIT 64
#else
#define DIGIT_BIT 32
#endif

#if DIGIT_BIT == 64
typedef uint64_t mp_digit;
__extension__ typedef unsigned __int128 mp_word;
#elif DIGIT_BIT == 32
typedef uint32_t mp_digit;
typedef uint64_t mp_word;
#elif DIGIT_BIT == 16
typedef uint16_t mp_digit;
typedef uint32_t mp_word;
#else
typedef uint8_t mp_digit;
typedef uint16_t mp_word;
#endif

#define MP_DIGIT_BIT DIGIT_BIT
#define MP_MASK      ((mp_digit) ~(mp_digit)0)
#define MP_DIGIT_MAX MP_MASK
#define MP_PREC      32 /* digits that mp_init allocates */

/* Errors. */
#define MP_OKAY      0
#define MP_ERR       (-1)
#define MP_MEM       (-2)
#define MP_VAL       (-3)
#define MP_RANGE     MP_VAL
#define MP_ITER      (-4)
#define MP_BUF       (-5) /* a caller's buffer is too small */

#define MP_YES       1
#define MP_NO        0
#define MP_LT        (-1)
#define MP_EQ        0
#define MP_GT        1
#define MP_ZPOS      0
#define MP_NEG       1

typedef int mp_err;
typedef int mp_bool;
typedef int mp_ord;
typedef int mp_sign;
typedef enum { MP_LSB_FIRST = -1, MP_MSB_FIRST = 1 } mp_order;
typedef enum { MP_LITTLE_ENDIAN = -1, MP_NATIVE_ENDIAN = 0, MP_BIG_ENDIAN = 1 } mp_endian;

typedef struct {
    int used;     /* digits in use */
    int alloc;    /* digits allocated */
    mp_sign sign; /* MP_ZPOS or MP_NEG; zero is MP_ZPOS */
    mp_digit *dp;
} mp_int;

#define USED(m)                          ((m)->used)
#define DIGIT(m, k)                      ((m)->dp[k])
#define SIGN(m)                          ((m)->sign)

#define mp_iszero(a)                     ((a)->used == 0 ? MP_YES : MP_NO)
#define mp_iseven(a)                     ((a)->used == 0 || ((a)->dp[0] & 1) == 0 ? MP_YES : MP_NO)
#define mp_isodd(a)                      ((a)->used > 0 && ((a)->dp[0] & 1) == 1 ? MP_YES : MP_NO)
#define mp_isneg(a)                      ((a)->sign != MP_ZPOS ? MP_YES : MP_NO)

/* The exported symbols. */
#define mp_init                          tahr_mp_init
#define mp_clear                         tahr_mp_clear
#define mp_init_multi                    tahr_mp_init_multi
#define mp_clear_multi                   tahr_mp_clear_multi
#define mp_init_size                     tahr_mp_init_size
#define mp_init_copy                     tahr_mp_init_copy
#define mp_init_set                      tahr_mp_init_set
#define mp_init_set_int                  tahr_mp_init_set_int
#define mp_exch                          tahr_mp_exch
#define mp_shrink                        tahr_mp_shrink
#define mp_grow                          tahr_mp_grow
#define mp_clamp                         tahr_mp_clamp
#define mp_copy                          tahr_mp_copy
#define mp_zero                          tahr_mp_zero
#define mp_set                           tahr_mp_set
#define mp_set_int                       tahr_mp_set_int
#define mp_set_long                      tahr_mp_set_long
#define mp_set_long_long                 tahr_mp_set_long_long
#define mp_get_int                       tahr_mp_get_int
#define mp_get_long                      tahr_mp_get_long
#define mp_get_long_long                 tahr_mp_get_long_long
#define mp_set_i32                       tahr_mp_set_i32
#define mp_set_u32                       tahr_mp_set_u32
#define mp_set_i64                       tahr_mp_set_i64
#define mp_set_u64                       tahr_mp_set_u64
#define mp_set_l                         tahr_mp_set_l
#define mp_set_ul                        tahr_mp_set_ul
#define mp_set_ll                        tahr_mp_set_ll
#define mp_set_ull                       tahr_mp_set_ull
#define mp_init_i32                      tahr_mp_init_i32
#define mp_init_u32                      tahr_mp_init_u32
#define mp_init_i64                      tahr_mp_init_i64
#define mp_init_u64                      tahr_mp_init_u64
#define mp_init_l                        tahr_mp_init_l
#define mp_init_ul                       tahr_mp_init_ul
#define mp_init_ll                       tahr_mp_init_ll
#define mp_init_ull                      tahr_mp_init_ull
#define mp_get_i32                       tahr_mp_get_i32
#define mp_get_u32                       tahr_mp_get_u32
#define mp_get_i64                       tahr_mp_get_i64
#define mp_get_u64                       tahr_mp_get_u64
#define mp_get_l                         tahr_mp_get_l
#define mp_get_ul                        tahr_mp_get_ul
#define mp_get_ll                        tahr_mp_get_ll
#define mp_get_ull                       tahr_mp_get_ull
#define mp_get_mag_u32                   tahr_mp_get_mag_u32
#define mp_get_mag_u64                   tahr_mp_get_mag_u64
#define mp_get_mag_ul                    tahr_mp_get_mag_ul
#define mp_get_mag_ull                   tahr_mp_get_mag_ull
#define mp_error_to_string               tahr_mp_error_to_string
#define mp_rshd                          tahr_mp_rshd
#define mp_lshd                          tahr_mp_lshd
#define mp_div_2d                        tahr_mp_div_2d
#define mp_div_2                         tahr_mp_div_2
#define mp_mul_2d                        tahr_mp_mul_2d
#define mp_mul_2                         tahr_mp_mul_2
#define mp_mod_2d                        tahr_mp_mod_2d
#define mp_2expt                         tahr_mp_2expt
#define mp_rand                          tahr_mp_rand
#define mp_count_bits                    tahr_mp_count_bits
#define mp_cnt_lsb                       tahr_mp_cnt_lsb
#define mp_xor                           tahr_mp_xor
#define mp_or                            tahr_mp_or
#define mp_and                           tahr_mp_and
#define mp_complement                    tahr_mp_complement
#define mp_signed_rsh                    tahr_mp_signed_rsh
#define mp_neg                           tahr_mp_neg
#define mp_abs                           tahr_mp_abs
#define mp_cmp                           tahr_mp_cmp
#define mp_cmp_mag                       tahr_mp_cmp_mag
#define mp_add                           tahr_mp_add
#define mp_sub                           tahr_mp_sub
#define mp_mul                           tahr_mp_mul
#define mp_sqr                           tahr_mp_sqr
#define mp_div                           tahr_mp_div
#define mp_mod                           tahr_mp_mod
#define mp_incr                          tahr_mp_incr
#define mp_decr                          tahr_mp_decr
#define mp_cmp_d                         tahr_mp_cmp_d
#define mp_add_d                         tahr_mp_add_d
#define mp_sub_d                         tahr_mp_sub_d
#define mp_mul_d                         tahr_mp_mul_d
#define mp_div_d                         tahr_mp_div_d
#define mp_div_3                         tahr_mp_div_3
#define mp_mod_d                         tahr_mp_mod_d
#define mp_expt_d                        tahr_mp_expt_d
#define mp_expt_u32                      tahr_mp_expt_u32
#define mp_sqrt                          tahr_mp_sqrt
#define mp_is_square                     tahr_mp_is_square
#define mp_n_root                        tahr_mp_n_root
#define mp_root_u32                      tahr_mp_root_u32
#define mp_log_u32                       tahr_mp_log_u32
#define mp_addmod                        tahr_mp_addmod
#define mp_submod                        tahr_mp_submod
#define mp_mulmod                        tahr_mp_mulmod
#define mp_sqrmod                        tahr_mp_sqrmod
#define mp_invmod                        tahr_mp_invmod
#define mp_gcd                           tahr_mp_gcd
#define mp_exteuclid                     tahr_mp_exteuclid
#define mp_lcm                           tahr_mp_lcm
#define mp_jacobi                        tahr_mp_jacobi
#define mp_kronecker                     tahr_mp_kronecker
#define mp_exptmod                       tahr_mp_exptmod
#define mp_sqrtmod_prime                 tahr_mp_sqrtmod_prime
#define mp_prime_is_prime                tahr_mp_prime_is_prime
#define mp_prime_next_prime              tahr_mp_prime_next_prime
#define mp_prime_miller_rabin            tahr_mp_prime_miller_rabin
#define mp_prime_rabin_miller_trials     tahr_mp_prime_rabin_miller_trials
#define mp_reduce_setup                  tahr_mp_reduce_setup
#define mp_reduce                        tahr_mp_reduce
#define mp_montgomery_setup              tahr_mp_montgomery_setup
#define mp_montgomery_calc_normalization tahr_mp_montgomery_calc_normalization
#define mp_montgomery_reduce             tahr_mp_montgomery_reduce
#define mp_unsigned_bin_size             tahr_mp_unsigned_bin_size
#define mp_read_unsigned_bin             tahr_mp_read_unsigned_bin
#define mp_to_unsigned_bin               tahr_mp_to_unsigned_bin
#define mp_to_unsigned_bin_n             tahr_mp_to_unsigned_bin_n
#define mp_signed_bin_size               tahr_mp_signed_bin_size
#define mp_read_signed_bin               tahr_mp_read_signed_bin
#define mp_to_signed_bin                 tahr_mp_to_signed_bin
#define mp_to_signed_bin_n               tahr_mp_to_signed_bin_n
#define mp_ubin_size                     tahr_mp_ubin_size
#define mp_from_ubin                     tahr_mp_from_ubin
#define mp_to_ubin                       tahr_mp_to_ubin
#define mp_sbin_size                     tahr_mp_sbin_size
#define mp_from_sbin                     tahr_mp_from_sbin
#define mp_to_sbin                       tahr_mp_to_sbin
#define mp_read_radix                    tahr_mp_read_radix
#define mp_toradix                       tahr_mp_toradix
#define mp_toradix_n                     tahr_mp_toradix_n
#define mp_to_radix                      tahr_mp_to_radix
#define mp_radix_size                    tahr_mp_radix_size
#define mp_fread                         tahr_mp_fread
#define mp_fwrite                        tahr_mp_fwrite
#define mp_pack_count                    tahr_mp_pack_count
#define mp_pack                          tahr_mp_pack
#define mp_unpack                        tahr_mp_unpack

#define mp_todecimal(a, str)             mp_toradix((a), (str), 10)
#define mp_tohex(a, str)                 mp_toradix((a), (str), 16)
#define mp_tooctal(a, str)               mp_toradix((a), (str), 8)
#define mp_tobinary(a, str)              mp_toradix((a), (str), 2)
#define mp_raw_size(a)                   mp_signed_bin_size(a)
#define mp_toraw(a, b)                   mp_to_signed_bin((a), (b))
#define mp_read_raw(a, b, len)           mp_read_signed_bin((a), (b), (len))
#define mp_mag_size(a)                   mp_unsigned_bin_size(a)
#define mp_tomag(a, b)                   mp_to_unsigned_bin((a), (b))
#define mp_read_mag(a, b, len)           mp_read_unsigned_bin((a), (b), (len))

#ifdef __GNUC__
#define TAHR_MP_API __attribute__((visibility("default")))
#else
#define TAHR_MP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- Initialising and clearing (mp_init.c) --- */

/* a = 0, with room for MP_PREC digits.  MP_MEM. */
TAHR_MP_API int mp_init(mp_int *a);

/* Frees a; clearing it again does no harm. */
TAHR_MP_API void mp_clear(mp_int *a);

/* Initialises each of a NULL-terminated list, or none of them.  MP_MEM. */
TAHR_MP_API int mp_init_multi(mp_int *a, ...);

/* Clears each of a NULL-terminated list. */
TAHR_MP_API void mp_clear_multi(mp_int *a, ...);

/* a = 0, with room for at least size digits.  MP_MEM; MP_VAL if size < 0. */
TAHR_MP_API int mp_init_size(mp_int *a, int size);

/* Initialises a (the first argument, on purpose) and sets a = b.  MP_MEM. */
TAHR_MP_API int mp_init_copy(mp_int *a, const mp_int *b);

/* Initialises a and sets a = b. */
TAHR_MP_API int mp_init_set(mp_int *a, mp_digit b);
TAHR_MP_API int mp_init_set_int(mp_int *a, unsigned long b);

/* Exchanges a and b. */
TAHR_MP_API void mp_exch(mp_int *a, mp_int *b);

/* Gives back the room that a does not use.  MP_MEM. */
TAHR_MP_API int mp_shrink(mp_int *a);

/* Room for at least size digits; the value stays.  MP_MEM; MP_VAL if size < 0. */
TAHR_MP_API int mp_grow(mp_int *a, int size);

/* Drops leading zero digits, and the sign of zero. */
TAHR_MP_API void mp_clamp(mp_int *a);

/* b = a.  MP_MEM. */
TAHR_MP_API int mp_copy(const mp_int *a, mp_int *b);

/* a = 0. */
TAHR_MP_API void mp_zero(mp_int *a);

/* a = b. */
TAHR_MP_API void mp_set(mp_int *a, mp_digit b);

/* a = b, at every digit size.  MP_MEM. */
TAHR_MP_API int mp_set_int(mp_int *a, unsigned long b);
TAHR_MP_API int mp_set_long(mp_int *a, unsigned long b);
TAHR_MP_API int mp_set_long_long(mp_int *a, unsigned long long b);

/* The low bits of |a|. */
TAHR_MP_API unsigned long mp_get_int(const mp_int *a);
TAHR_MP_API unsigned long mp_get_long(const mp_int *a);
TAHR_MP_API unsigned long long mp_get_long_long(const mp_int *a);

/* a = b.  An mp_int has room for 64 bits from mp_init on, so these cannot fail. */
TAHR_MP_API void mp_set_i32(mp_int *a, int32_t b);
TAHR_MP_API void mp_set_u32(mp_int *a, uint32_t b);
TAHR_MP_API void mp_set_i64(mp_int *a, int64_t b);
TAHR_MP_API void mp_set_u64(mp_int *a, uint64_t b);
TAHR_MP_API void mp_set_l(mp_int *a, long b);
TAHR_MP_API void mp_set_ul(mp_int *a, unsigned long b);
TAHR_MP_API void mp_set_ll(mp_int *a, long long b);
TAHR_MP_API void mp_set_ull(mp_int *a, unsigned long long b);

/* Initialises a and sets a = b.  MP_MEM. */
TAHR_MP_API int mp_init_i32(mp_int *a, int32_t b);
TAHR_MP_API int mp_init_u32(mp_int *a, uint32_t b);
TAHR_MP_API int mp_init_i64(mp_int *a, int64_t b);
TAHR_MP_API int mp_init_u64(mp_int *a, uint64_t b);
TAHR_MP_API int mp_init_l(mp_int *a, long b);
TAHR_MP_API int mp_init_ul(mp_int *a, unsigned long b);
TAHR_MP_API int mp_init_ll(mp_int *a, long long b);
TAHR_MP_API int mp_init_ull(mp_int *a, unsigned long long b);

/* a modulo 2^32 or 2^64 in two's complement, read as signed or unsigned. */
TAHR_MP_API int32_t mp_get_i32(const mp_int *a);
TAHR_MP_API uint32_t mp_get_u32(const mp_int *a);
TAHR_MP_API int64_t mp_get_i64(const mp_int *a);
TAHR_MP_API uint64_t mp_get_u64(const mp_int *a);
TAHR_MP_API long mp_get_l(const mp_int *a);
TAHR_MP_API unsigned long mp_get_ul(const mp_int *a);
TAHR_MP_API long long mp_get_ll(const mp_int *a);
TAHR_MP_API unsigned long long mp_get_ull(const mp_int *a);

/* The low bits of |a|. */
TAHR_MP_API uint32_t mp_get_mag_u32(const mp_int *a);
TAHR_MP_API uint64_t mp_get_mag_u64(const mp_int *a);
TAHR_MP_API unsigned long mp_get_mag_ul(const mp_int *a);
TAHR_MP_API unsigned long long mp_get_mag_ull(const mp_int *a);

/* A sentence for an error code. */
TAHR_MP_API const char *mp_error_to_string(int code);

/* --- Digits and bits (mp_bits.c) --- */

/* a = a / beta^b, truncated; b <= 0 changes nothing. */
TAHR_MP_API void mp_rshd(mp_int *a, int b);

/* a = a beta^b; b <= 0 changes nothing.  MP_MEM. */
TAHR_MP_API int mp_lshd(mp_int *a, int b);

/* c = a / 2^b, truncated towards zero, d = a - c 2^b; c or d may be NULL.  b <= 0: c = a, d = 0. */
TAHR_MP_API int mp_div_2d(const mp_int *a, int b, mp_int *c, mp_int *d);

/* b = a / 2, truncated towards zero. */
TAHR_MP_API int mp_div_2(const mp_int *a, mp_int *b);

/* c = a 2^b. */
TAHR_MP_API int mp_mul_2d(const mp_int *a, int b, mp_int *c);

/* b = 2 a. */
TAHR_MP_API int mp_mul_2(const mp_int *a, mp_int *b);

/* c = sign(a) (|a| mod 2^b); 0 for b <= 0. */
TAHR_MP_API int mp_mod_2d(const mp_int *a, int b, mp_int *c);

/* a = 2^b.  MP_VAL if b < 0. */
TAHR_MP_API int mp_2expt(mp_int *a, int b);

/* a = a random number of exactly so many digits, from getentropy; 0 for digits <= 0.  MP_ERR if
 * there is no entropy. */
TAHR_MP_API int mp_rand(mp_int *a, int digits);

/* The bit length of |a|; 0 for 0. */
TAHR_MP_API int mp_count_bits(const mp_int *a);

/* The number of low zero bits; 0 for 0. */
TAHR_MP_API int mp_cnt_lsb(const mp_int *a);

/* c = a xor b, a or b, a and b; negative numbers are infinite two's complement. */
TAHR_MP_API int mp_xor(const mp_int *a, const mp_int *b, mp_int *c);
TAHR_MP_API int mp_or(const mp_int *a, const mp_int *b, mp_int *c);
TAHR_MP_API int mp_and(const mp_int *a, const mp_int *b, mp_int *c);

/* b = -a - 1. */
TAHR_MP_API int mp_complement(const mp_int *a, mp_int *b);

/* c = floor(a / 2^b). */
TAHR_MP_API int mp_signed_rsh(const mp_int *a, int b, mp_int *c);

/* --- Signs, comparison, arithmetic (mp_arith.c) --- */

/* b = -a. */
TAHR_MP_API int mp_neg(const mp_int *a, mp_int *b);

/* b = |a|. */
TAHR_MP_API int mp_abs(const mp_int *a, mp_int *b);

/* MP_LT, MP_EQ or MP_GT as a is below, equal to or above b. */
TAHR_MP_API int mp_cmp(const mp_int *a, const mp_int *b);

/* The same for |a| and |b|. */
TAHR_MP_API int mp_cmp_mag(const mp_int *a, const mp_int *b);

/* c = a + b. */
TAHR_MP_API int mp_add(const mp_int *a, const mp_int *b, mp_int *c);

/* c = a - b. */
TAHR_MP_API int mp_sub(const mp_int *a, const mp_int *b, mp_int *c);

/* c = a b. */
TAHR_MP_API int mp_mul(const mp_int *a, const mp_int *b, mp_int *c);

/* b = a^2. */
TAHR_MP_API int mp_sqr(const mp_int *a, mp_int *b);

/* c = a / b truncated towards zero, d = a - b c, which has a's sign; c or d may be NULL.  MP_VAL
 * if b = 0. */
TAHR_MP_API int mp_div(const mp_int *a, const mp_int *b, mp_int *c, mp_int *d);

/* c = a mod b, 0 <= c < b for b > 0 and b < c <= 0 for b < 0.  MP_VAL if b = 0. */
TAHR_MP_API int mp_mod(const mp_int *a, const mp_int *b, mp_int *c);

/* a = a + 1. */
TAHR_MP_API int mp_incr(mp_int *a);

/* a = a - 1. */
TAHR_MP_API int mp_decr(mp_int *a);

/* As mp_cmp. */
TAHR_MP_API int mp_cmp_d(const mp_int *a, mp_digit b);

/* c = a + b. */
TAHR_MP_API int mp_add_d(const mp_int *a, mp_digit b, mp_int *c);

/* c = a - b. */
TAHR_MP_API int mp_sub_d(const mp_int *a, mp_digit b, mp_int *c);

/* c = a b. */
TAHR_MP_API int mp_mul_d(const mp_int *a, mp_digit b, mp_int *c);

/* c = a / b truncated towards zero, *d = |a| mod b; c or d may be NULL.  MP_VAL if b = 0. */
TAHR_MP_API int mp_div_d(const mp_int *a, mp_digit b, mp_int *c, mp_digit *d);

/* mp_div_d with b = 3. */
TAHR_MP_API int mp_div_3(const mp_int *a, mp_int *c, mp_digit *d);

/* *c = a mod b in [0, b).  MP_VAL if b = 0. */
TAHR_MP_API int mp_mod_d(const mp_int *a, mp_digit b, mp_digit *c);

/* c = a^b; a^0 = 1. */
TAHR_MP_API int mp_expt_d(const mp_int *a, mp_digit b, mp_int *c);
TAHR_MP_API int mp_expt_u32(const mp_int *a, uint32_t b, mp_int *c);

/* b = floor(sqrt(a)).  MP_VAL if a < 0. */
TAHR_MP_API int mp_sqrt(const mp_int *a, mp_int *b);

/* *result = MP_YES iff a is a perfect square.  MP_VAL if a < 0. */
TAHR_MP_API int mp_is_square(const mp_int *a, int *result);

/* c = sign(a) floor(|a|^(1/b)).  MP_VAL if b = 0, or b is even and a < 0. */
TAHR_MP_API int mp_n_root(const mp_int *a, mp_digit b, mp_int *c);
TAHR_MP_API int mp_root_u32(const mp_int *a, uint32_t b, mp_int *c);

/* *c = floor(log_base a).  MP_VAL if a <= 0 or base < 2. */
TAHR_MP_API int mp_log_u32(const mp_int *a, uint32_t base, uint32_t *c);

/* --- Modular arithmetic and number theory (mp_modular.c) --- */

/* c = a + b mod m, as mp_mod; likewise a - b, a b, a^2.  MP_VAL if m = 0. */
TAHR_MP_API int mp_addmod(const mp_int *a, const mp_int *b, const mp_int *m, mp_int *c);
TAHR_MP_API int mp_submod(const mp_int *a, const mp_int *b, const mp_int *m, mp_int *c);
TAHR_MP_API int mp_mulmod(const mp_int *a, const mp_int *b, const mp_int *m, mp_int *c);
TAHR_MP_API int mp_sqrmod(const mp_int *a, const mp_int *m, mp_int *b);

/* b = a^-1 mod m in [0, m), for any m > 0, even ones too, and any a; 0 for m = 1.  MP_VAL if m
 * <= 0 or gcd(a, m) > 1. */
TAHR_MP_API int mp_invmod(const mp_int *a, const mp_int *m, mp_int *b);

/* c = gcd(a, b) >= 0; gcd(0, 0) = 0. */
TAHR_MP_API int mp_gcd(const mp_int *a, const mp_int *b, mp_int *c);

/* a u + b v = d = gcd(a, b); u, v, d may be NULL. */
TAHR_MP_API int mp_exteuclid(const mp_int *a, const mp_int *b, mp_int *u, mp_int *v, mp_int *d);

/* c = lcm(a, b) >= 0; 0 if either is 0. */
TAHR_MP_API int mp_lcm(const mp_int *a, const mp_int *b, mp_int *c);

/* *c = (a | n), the Jacobi symbol.  MP_VAL if n is even or n <= 0. */
TAHR_MP_API int mp_jacobi(const mp_int *a, const mp_int *n, int *c);

/* *c = (a | n), the Kronecker symbol, for any a and n. */
TAHR_MP_API int mp_kronecker(const mp_int *a, const mp_int *n, int *c);

/* b = a^e mod m in [0, m), for any m > 0; e < 0 through the inverse.  MP_VAL if m <= 0, or e < 0
 * and gcd(a, m) > 1. */
TAHR_MP_API int mp_exptmod(const mp_int *a, const mp_int *e, const mp_int *m, mp_int *b);

/* b with b^2 = a mod p, for a prime p (Tonelli and Shanks).  MP_VAL if there is none. */
TAHR_MP_API int mp_sqrtmod_prime(const mp_int *a, const mp_int *p, mp_int *b);

/* *result = MP_YES iff a is prime: strong tests to base 2 and to at least t random bases. */
TAHR_MP_API int mp_prime_is_prime(const mp_int *a, int t, int *result);

/* a = the least prime above a (= 3 mod 4 if bbs), as mp_prime_is_prime tests. */
TAHR_MP_API int mp_prime_next_prime(mp_int *a, int t, int bbs);

/* *result = MP_YES iff odd a > 1 passes the strong test to base b > 1.  MP_VAL for b <= 1. */
TAHR_MP_API int mp_prime_miller_rabin(const mp_int *a, const mp_int *b, int *result);

/* Rounds for a random candidate of size bits, for an error below 2^-96. */
TAHR_MP_API int mp_prime_rabin_miller_trials(int size);

/* --- Reduction (mp_reduce.c) --- */

/* mu = floor(beta^(2n) / m) exactly, n = m->used (Barrett).  MP_VAL if m <= 0. */
TAHR_MP_API int mp_reduce_setup(mp_int *mu, const mp_int *m);

/* a = a mod m for 0 <= a < beta^(2n), with mu from mp_reduce_setup. */
TAHR_MP_API int mp_reduce(mp_int *a, const mp_int *m, const mp_int *mu);

/* *rho = -m^-1 mod beta.  MP_VAL if m is even or m <= 0. */
TAHR_MP_API int mp_montgomery_setup(const mp_int *m, mp_digit *rho);

/* a = beta^n mod m, n = m->used. */
TAHR_MP_API int mp_montgomery_calc_normalization(mp_int *a, const mp_int *m);

/* a = a beta^-n mod m for 0 <= a < m beta^n, n = m->used, with rho from mp_montgomery_setup.
 * MP_VAL if m is even or m <= 0. */
TAHR_MP_API int mp_montgomery_reduce(mp_int *a, const mp_int *m, mp_digit rho);

/* --- Reading and writing (mp_radix.c) --- */

/* Bytes of |a|; 0 for 0. */
TAHR_MP_API int mp_unsigned_bin_size(const mp_int *a);

/* a = the big-endian number of len bytes at b.  MP_VAL if len < 0. */
TAHR_MP_API int mp_read_unsigned_bin(mp_int *a, const void *b, int len);

/* b = |a| in mp_unsigned_bin_size bytes, big-endian. */
TAHR_MP_API int mp_to_unsigned_bin(const mp_int *a, void *b);

/* The same into *len bytes, set to what was written.  MP_VAL if they are too few. */
TAHR_MP_API int mp_to_unsigned_bin_n(const mp_int *a, void *b, unsigned long *len);

/* One more: a first byte 0 for a >= 0, 1 for a < 0. */
TAHR_MP_API int mp_signed_bin_size(const mp_int *a);
TAHR_MP_API int mp_read_signed_bin(mp_int *a, const void *b, int len);
TAHR_MP_API int mp_to_signed_bin(const mp_int *a, void *b);
TAHR_MP_API int mp_to_signed_bin_n(const mp_int *a, void *b, unsigned long *len);

/* The later names: as above, with sizes; written may be NULL.  MP_BUF if maxlen is too small. */
TAHR_MP_API size_t mp_ubin_size(const mp_int *a);
TAHR_MP_API int mp_from_ubin(mp_int *a, const void *b, size_t len);
TAHR_MP_API int mp_to_ubin(const mp_int *a, void *b, size_t maxlen, size_t *written);
TAHR_MP_API size_t mp_sbin_size(const mp_int *a);
TAHR_MP_API int mp_from_sbin(mp_int *a, const void *b, size_t len);
TAHR_MP_API int mp_to_sbin(const mp_int *a, void *b, size_t maxlen, size_t *written);

/* a = the number that str spells: an optional sign, then digits 0-9A-Za-z+/ of value below
 * radix, letters of either case below radix 36; a trailing newline is accepted.  MP_VAL if radix
 * is outside 2-64, or on any other character. */
TAHR_MP_API int mp_read_radix(mp_int *a, const void *str, int radix);

/* str = a in that radix, with sign and NUL: mp_radix_size bytes. */
TAHR_MP_API int mp_toradix(const mp_int *a, void *str, int radix);

/* The same, the first maxlen - 1 characters at most. */
TAHR_MP_API int mp_toradix_n(const mp_int *a, void *str, int radix, int maxlen);

/* The same; *written, if not NULL, counts the NUL.  MP_BUF if maxlen is too small. */
TAHR_MP_API int mp_to_radix(const mp_int *a, void *str, size_t maxlen, size_t *written, int radix);

/* Bytes that mp_toradix writes, with sign and NUL; 0 if radix is outside 2-64 (or memory runs
 * out). */
TAHR_MP_API int mp_radix_size(const mp_int *a, int radix);

/* a = the number at the stream's position: reads an optional sign and digits, leaves the next
 * character.  MP_VAL if there is no digit. */
TAHR_MP_API int mp_fread(mp_int *a, int radix, FILE *stream);

/* Writes what mp_toradix would, without NUL.  MP_ERR if the stream refuses. */
TAHR_MP_API int mp_fwrite(const mp_int *a, int radix, FILE *stream);

/* Words of size bytes, nails of whose top bits stay 0, that hold |a|. */
TAHR_MP_API size_t mp_pack_count(const mp_int *a, size_t nails, size_t size);

/* |a| in such words.  MP_BUF if there are more than maxcount; MP_VAL if nails >= 8 size. */
TAHR_MP_API int mp_pack(void *out, size_t maxcount, size_t *written, mp_order order, size_t size,
                        mp_endian endian, size_t nails, const mp_int *a);

/* The reverse. */
TAHR_MP_API int mp_unpack(mp_int *a, size_t count, mp_order order, size_t size, mp_endian endian,
                          size_t nails, const void *in);

#ifdef __cplusplus
}
#endif

#endif
