/* The limb: its width, wide products with carry, and secret yes/no values.  Inline, no state.
 *
 * Everything in bignum/ is written once for LIMB_BITS of 8, 16, 32 and 64.  The library ships the
 * widest the compiler has; the 8-bit build exists so that tests can try every operand.
 * B = 2^LIMB_BITS throughout. */
#ifndef TAHR_LIMB_H
#define TAHR_LIMB_H

#include <stddef.h>
#include <stdint.h>

#ifndef LIMB_BITS
#ifdef __SIZEOF_INT128__
#define LIMB_BITS 64
#else
#define LIMB_BITS 32
#endif
#endif

/* limb_t: one limb.  dlimb_t: two.  slimb_t, sdlimb_t: the signed types of those widths. */
#if LIMB_BITS == 64
typedef uint64_t limb_t;
typedef int64_t slimb_t;
__extension__ typedef unsigned __int128 dlimb_t;
__extension__ typedef __int128 sdlimb_t;
#elif LIMB_BITS == 32
typedef uint32_t limb_t;
typedef int32_t slimb_t;
typedef uint64_t dlimb_t;
typedef int64_t sdlimb_t;
#elif LIMB_BITS == 16
typedef uint16_t limb_t;
typedef int16_t slimb_t;
typedef uint32_t dlimb_t;
typedef int32_t sdlimb_t;
#elif LIMB_BITS == 8
typedef uint8_t limb_t;
typedef int8_t slimb_t;
typedef uint16_t dlimb_t;
typedef int16_t sdlimb_t;
#else
#error "LIMB_BITS must be 8, 16, 32 or 64"
#endif

/* States an invariant; a VERIFY build stops where one fails. */
#ifdef VERIFY
#include <assert.h>
#define verify(cond) assert(cond)
#else
#define verify(cond) ((void)0)
#endif

#define LIMB_BYTES          (LIMB_BITS / 8)
#define LIMB_MAX            ((limb_t) ~(limb_t)0)

/* Limbs that hold a number of so many bits, or of so many bytes. */
#define LIMBS_OF_BITS(bits) (((bits) + LIMB_BITS - 1) / LIMB_BITS)
#define LIMBS_OF_BYTES(len) (((len) + LIMB_BYTES - 1) / LIMB_BYTES)

/* (limb_t returned, *carry) = a + b + *carry, least significant first.  Requires *carry <= 1, or b
 * = 0. */
static inline limb_t limb_add(limb_t a, limb_t b, limb_t *carry)
{
    dlimb_t t = (dlimb_t)((dlimb_t)a + b + *carry);
    *carry = (limb_t)(t >> LIMB_BITS);
    return (limb_t)t;
}

/* a - b - *borrow, and the new borrow.  Requires *borrow <= 1, or b = 0. */
static inline limb_t limb_sub(limb_t a, limb_t b, limb_t *borrow)
{
    dlimb_t t = (dlimb_t)((dlimb_t)a - b - *borrow);
    *borrow = (limb_t)((limb_t)(t >> LIMB_BITS) & 1);
    return (limb_t)t;
}

/* a b + c + *carry, and the new carry.  Never overflows: (B-1)^2 + 2(B-1) = B^2 - 1. */
static inline limb_t limb_mul_add(limb_t a, limb_t b, limb_t c, limb_t *carry)
{
    dlimb_t t = (dlimb_t)((dlimb_t)((dlimb_t)a * b) + c + *carry);
    *carry = (limb_t)(t >> LIMB_BITS);
    return (limb_t)t;
}

/* a b mod B. */
static inline limb_t limb_mul(limb_t a, limb_t b)
{
    return (limb_t)((dlimb_t)a * b);
}

/* m^-1 mod B for odd m.  Newton: x m = 1 + e 2^k gives x (2 - x m) m = 1 - e^2 2^(2k), and
 * m m = 1 mod 8. */
static inline limb_t limb_inverse(limb_t m)
{
    limb_t x = m;
    for (int k = 3; k < LIMB_BITS; k *= 2)
        x = limb_mul(x, (limb_t)(2 - limb_mul(x, m)));
    verify(limb_mul(x, m) == 1);
    return x;
}

/* x, which the compiler may no longer reason about: it cannot turn a mask back into a branch. */
static inline limb_t limb_barrier(limb_t x)
{
#ifdef __GNUC__
    __asm__("" : "+r"(x));
    return x;
#else
    volatile limb_t y = x;
    return y;
#endif
}

/* A secret yes or no: all ones or zero.  A struct, so that `if (c)` does not compile. */
typedef struct {
    limb_t mask;
} choice;

/* Yes iff bit (0 or 1) is 1. */
static inline choice choice_of_bit(limb_t bit)
{
    return (choice){limb_barrier((limb_t)(0 - bit))};
}

/* Yes iff x is not zero: for x > 0 the top bit of x | -x is set. */
static inline choice choice_nonzero(limb_t x)
{
    return choice_of_bit((limb_t)((limb_t)(x | (limb_t)(0 - x)) >> (LIMB_BITS - 1)));
}

static inline choice choice_not(choice a)
{
    return (choice){(limb_t)~a.mask};
}

static inline choice choice_and(choice a, choice b)
{
    return (choice){(limb_t)(a.mask & b.mask)};
}

static inline choice choice_or(choice a, choice b)
{
    return (choice){(limb_t)(a.mask | b.mask)};
}

static inline choice choice_eq(limb_t a, limb_t b)
{
    return choice_not(choice_nonzero((limb_t)(a ^ b)));
}

/* Yes iff a < b: the borrow of a - b. */
static inline choice choice_lt(limb_t a, limb_t b)
{
    limb_t borrow = 0;
    limb_sub(a, b, &borrow);
    return choice_of_bit(borrow);
}

/* c ? a : b. */
static inline limb_t limb_select(choice c, limb_t a, limb_t b)
{
    return (limb_t)(b ^ ((a ^ b) & c.mask));
}

/* The constant-time check tells its tool here that a value may now be known. */
#ifdef TAHR_CT
void ct_declassify(const void *p, size_t len);
#else
static inline void ct_declassify(const void *p, size_t len)
{
    (void)p;
    (void)len;
}
#endif

/* The only way to branch on a choice: 1 for yes, 0 for no.  Each use says why on its line. */
static inline int declassify(choice c)
{
    ct_declassify(&c, sizeof c);
    return (int)(c.mask & 1);
}

/* Says that len bytes at p, computed from secrets, are public from here on.  Each use says why. */
static inline void declassify_bytes(const void *p, size_t len)
{
    ct_declassify(p, len);
}

#endif
