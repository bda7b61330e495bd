/* Naturals of fixed width: add, subtract, compare, select, shift, bytes in and out, wipe.
 *
 * Each loop runs over the public width; what is secret becomes a mask and never a branch. */
#include "nat.h"

#include <string.h>

#if LIMB_BITS == 64 && defined __x86_64__ && defined __GNUC__
#include <immintrin.h>
#define CARRY_FLAG
typedef unsigned long long __attribute__((may_alias)) word; /* a limb by the name it has there */
#endif

/* Holds a limb times a 32-bit word. */
#if LIMB_BITS == 64
typedef dlimb_t wide_t;
#else
typedef uint64_t wide_t;
#endif

void nat_zero(limb_t *r, int n)
{
    for (int i = 0; i < n; i++)
        r[i] = 0;
}

void nat_set(limb_t *r, int n, limb_t w)
{
    nat_zero(r, n);
    r[0] = w;
}

void nat_set_word(limb_t *r, int n, uint32_t w)
{
    uint64_t rest = w; /* below 2^32: a shift by 32 ends it where limbs are wider */

    for (int i = 0; i < n; i++) {
        r[i] = (limb_t)rest;
        rest >>= LIMB_BITS < 64 ? LIMB_BITS : 32;
    }
}

void nat_copy(limb_t *r, const limb_t *a, int n)
{
    memmove(r, a, (size_t)n * sizeof *r);
}

void nat_resize(limb_t *r, int rn, const limb_t *a, int an)
{
    nat_copy(r, a, rn < an ? rn : an);
    if (rn > an)
        nat_zero(r + an, rn - an);
}

void nat_wipe_bytes(void *p, size_t len)
{
#ifdef __GNUC__
    memset(p, 0, len);
    __asm__ volatile("" : : "r"(p) : "memory");
#else
    volatile unsigned char *q = p;
    while (len--)
        *q++ = 0;
#endif
}

void nat_wipe(limb_t *r, int n)
{
    nat_wipe_bytes(r, (size_t)n * sizeof *r);
}

/* r = a + (b & mask) + carry and r = a - (b & mask) - borrow, carry and borrow being 0 or 1: by
 * four limbs, through which the processor's flag carries. */
#ifdef CARRY_FLAG
static inline limb_t add_masked(limb_t *r, const limb_t *a, const limb_t *b, limb_t mask,
                                limb_t carry, int n)
{
    unsigned char c = (unsigned char)carry;
    word *t = (word *)r;
    for (; n >= 4; n -= 4, t += 4, a += 4, b += 4) {
        c = _addcarry_u64(c, a[0], b[0] & mask, &t[0]);
        c = _addcarry_u64(c, a[1], b[1] & mask, &t[1]);
        c = _addcarry_u64(c, a[2], b[2] & mask, &t[2]);
        c = _addcarry_u64(c, a[3], b[3] & mask, &t[3]);
    }
    for (int i = 0; i < n; i++)
        c = _addcarry_u64(c, a[i], b[i] & mask, &t[i]);
    return c;
}

static inline limb_t sub_masked(limb_t *r, const limb_t *a, const limb_t *b, limb_t mask,
                                limb_t borrow, int n)
{
    unsigned char c = (unsigned char)borrow;
    word *t = (word *)r;
    for (; n >= 4; n -= 4, t += 4, a += 4, b += 4) {
        c = _subborrow_u64(c, a[0], b[0] & mask, &t[0]);
        c = _subborrow_u64(c, a[1], b[1] & mask, &t[1]);
        c = _subborrow_u64(c, a[2], b[2] & mask, &t[2]);
        c = _subborrow_u64(c, a[3], b[3] & mask, &t[3]);
    }
    for (int i = 0; i < n; i++)
        c = _subborrow_u64(c, a[i], b[i] & mask, &t[i]);
    return c;
}
#else
static inline limb_t add_masked(limb_t *r, const limb_t *a, const limb_t *b, limb_t mask,
                                limb_t carry, int n)
{
    for (int i = 0; i < n; i++)
        r[i] = limb_add(a[i], b[i] & mask, &carry);
    return carry;
}

static inline limb_t sub_masked(limb_t *r, const limb_t *a, const limb_t *b, limb_t mask,
                                limb_t borrow, int n)
{
    for (int i = 0; i < n; i++)
        r[i] = limb_sub(a[i], b[i] & mask, &borrow);
    return borrow;
}
#endif

limb_t nat_add_carry(limb_t *r, const limb_t *a, const limb_t *b, limb_t carry, int n)
{
    return add_masked(r, a, b, LIMB_MAX, carry, n);
}

limb_t nat_add(limb_t *r, const limb_t *a, const limb_t *b, int n)
{
    return add_masked(r, a, b, LIMB_MAX, 0, n);
}

limb_t nat_sub(limb_t *r, const limb_t *a, const limb_t *b, int n)
{
    return sub_masked(r, a, b, LIMB_MAX, 0, n);
}

limb_t nat_add_limb(limb_t *r, const limb_t *a, limb_t w, int n)
{
    limb_t carry = w; /* 0 or 1 from the second limb on */
    if (n == 0)
        return w;
    r[0] = limb_add(a[0], 0, &carry);
    return add_masked(r + 1, a + 1, a + 1, 0, carry, n - 1);
}

limb_t nat_sub_limb(limb_t *r, const limb_t *a, limb_t w, int n)
{
    limb_t borrow = w;
    if (n == 0)
        return w;
    r[0] = limb_sub(a[0], 0, &borrow);
    return sub_masked(r + 1, a + 1, a + 1, 0, borrow, n - 1);
}

limb_t nat_add_if(limb_t *r, const limb_t *a, const limb_t *b, choice c, int n)
{
    return add_masked(r, a, b, c.mask, 0, n);
}

limb_t nat_sub_if(limb_t *r, const limb_t *a, const limb_t *b, choice c, int n)
{
    return sub_masked(r, a, b, c.mask, 0, n);
}

void nat_add_mod(limb_t *r, const limb_t *a, const limb_t *b, const limb_t *m, int n)
{
    choice carry = choice_of_bit(nat_add(r, a, b, n));
    nat_sub_if(r, r, m, choice_or(carry, choice_not(nat_lt(r, m, n))), n); /* a + b < 2m */
}

void nat_sub_mod(limb_t *r, const limb_t *a, const limb_t *b, const limb_t *m, int n)
{
    choice borrow = choice_of_bit(nat_sub(r, a, b, n));
    nat_add_if(r, r, m, borrow, n);
}

void nat_select(limb_t *r, choice c, const limb_t *a, const limb_t *b, int n)
{
    for (int i = 0; i < n; i++)
        r[i] = limb_select(c, a[i], b[i]);
}

void nat_swap_if(limb_t *a, limb_t *b, choice c, int n)
{
    for (int i = 0; i < n; i++) {
        limb_t t = (a[i] ^ b[i]) & c.mask;
        a[i] ^= t;
        b[i] ^= t;
    }
}

choice nat_is_zero(const limb_t *a, int n)
{
    return nat_eq_limb(a, 0, n);
}

choice nat_eq_limb(const limb_t *a, limb_t w, int n)
{
    limb_t diff = a[0] ^ w;
    for (int i = 1; i < n; i++)
        diff |= a[i];
    return choice_not(choice_nonzero(diff));
}

choice nat_eq(const limb_t *a, const limb_t *b, int n)
{
    limb_t diff = 0;
    for (int i = 0; i < n; i++)
        diff |= a[i] ^ b[i];
    return choice_not(choice_nonzero(diff));
}

choice nat_lt(const limb_t *a, const limb_t *b, int n)
{
    limb_t borrow = 0;
    for (int i = 0; i < n; i++)
        limb_sub(a[i], b[i], &borrow);
    return choice_of_bit(borrow);
}

/* Limb i of a 2^k, from limbs i and below of a. */
static limb_t limb_of_shl(const limb_t *a, int i, int k)
{
    int j = i - k / LIMB_BITS, s = k % LIMB_BITS;
    limb_t high = j >= 0 ? a[j] : 0, low = j >= 1 ? a[j - 1] : 0;
    dlimb_t t = (dlimb_t)((dlimb_t)((dlimb_t)high << LIMB_BITS) | low);
    return (limb_t)((dlimb_t)(t << s) >> LIMB_BITS);
}

/* Limb i of floor(a / 2^k), from limbs i and above of a, which has n. */
static limb_t limb_of_shr(const limb_t *a, int i, int k, int n)
{
    int j = i + k / LIMB_BITS, s = k % LIMB_BITS;
    limb_t low = j < n ? a[j] : 0, high = j + 1 < n ? a[j + 1] : 0;
    dlimb_t t = (dlimb_t)((dlimb_t)((dlimb_t)high << LIMB_BITS) | low);
    return (limb_t)(t >> s);
}

void nat_shl(limb_t *r, const limb_t *a, int k, int n)
{
    for (int i = n - 1; i >= 0; i--)
        r[i] = limb_of_shl(a, i, k);
}

void nat_shr(limb_t *r, const limb_t *a, int k, int n)
{
    for (int i = 0; i < n; i++)
        r[i] = limb_of_shr(a, i, k, n);
}

void nat_shl_secret(limb_t *r, const limb_t *a, unsigned k, int kbits, int n)
{
    nat_copy(r, a, n);
    for (int bit = 0; bit < kbits; bit++) {
        choice c = choice_of_bit((limb_t)(k >> bit & 1));
        for (int i = n - 1; i >= 0; i--)
            r[i] = limb_select(c, limb_of_shl(r, i, 1 << bit), r[i]);
    }
}

void nat_shr_secret(limb_t *r, const limb_t *a, unsigned k, int kbits, int n)
{
    nat_copy(r, a, n);
    for (int bit = 0; bit < kbits; bit++) {
        choice c = choice_of_bit((limb_t)(k >> bit & 1));
        for (int i = 0; i < n; i++)
            r[i] = limb_select(c, limb_of_shr(r, i, 1 << bit, n), r[i]);
    }
}

/* The number of low zero bits of w: the ones of ~w & (w - 1). */
static unsigned limb_trailing_zeros(limb_t w)
{
    limb_t ones = (limb_t)(~w & (limb_t)(w - 1));
    unsigned count = 0;
    for (int i = 0; i < LIMB_BITS; i++)
        count += (unsigned)(ones >> i & 1);
    return count;
}

unsigned nat_trailing_zeros(const limb_t *a, int n)
{
    unsigned count = 0, below = ~0u; /* all ones while the limbs below i are zero */
    for (int i = 0; i < n; i++) {
        count += limb_trailing_zeros(a[i]) & below;
        below &= (unsigned)(choice_nonzero(a[i]).mask & 1) - 1;
    }
    return count;
}

unsigned nat_window(const limb_t *a, int n, int pos, int w)
{
    int i = pos / LIMB_BITS;
    limb_t low = i < n ? a[i] : 0, high = i + 1 < n ? a[i + 1] : 0;
    dlimb_t t = (dlimb_t)((dlimb_t)((dlimb_t)high << LIMB_BITS) | low);
    return (unsigned)(t >> pos % LIMB_BITS) & ((1u << w) - 1);
}

int nat_bits_vartime(const limb_t *a, int n)
{
    while (n > 0 && a[n - 1] == 0)
        n--;
    int bits = n * LIMB_BITS;
    while (bits > 0 && !(a[n - 1] >> (bits - 1) % LIMB_BITS & 1))
        bits--;
    return bits;
}

choice nat_from_bytes(limb_t *r, int n, const uint8_t *bytes, size_t len)
{
    size_t room = (size_t)n * LIMB_BYTES;
    limb_t over = 0;
    nat_zero(r, n);
    for (size_t i = 0; i < len; i++) { /* the byte of weight 256^i */
        limb_t byte = bytes[len - 1 - i];
        if (i < room)
            r[i / LIMB_BYTES] |= (limb_t)(byte << 8 * (i % LIMB_BYTES));
        else
            over |= byte;
    }
    return choice_not(choice_nonzero(over));
}

choice nat_to_bytes(uint8_t *bytes, size_t len, const limb_t *a, int n)
{
    size_t room = (size_t)n * LIMB_BYTES;
    limb_t over = 0;
    for (size_t i = 0; i < len || i < room; i++) { /* the byte of weight 256^i */
        uint8_t byte = 0;
        if (i < room)
            byte = (uint8_t)(a[i / LIMB_BYTES] >> 8 * (i % LIMB_BYTES));
        if (i < len)
            bytes[len - 1 - i] = byte;
        else
            over |= byte;
    }
    return choice_not(choice_nonzero(over));
}

uint32_t nat_mul_word(limb_t *r, const limb_t *a, uint32_t w, uint32_t c, int n)
{
    wide_t t = c;
    for (int i = 0; i < n; i++) {
        /* (B - 1)(2^32 - 1) + 2^32 - 1 = B (2^32 - 1): the carry stays a word. */
        t += (wide_t)a[i] * w;
        r[i] = (limb_t)t;
        t >>= LIMB_BITS;
    }
    return (uint32_t)t;
}
