/* Division of naturals: by a word, by shift and subtract, and by Knuth's algorithm D. */
#include "nat.h"

uint32_t nat_div_word(limb_t *q, const limb_t *a, uint32_t d, int n)
{
    uint32_t r = 0;
    for (int i = n - 1; i >= 0; i--) {
        limb_t w = a[i], qi = 0;
        for (int bit = LIMB_BITS - 1; bit >= 0; bit--) {
            /* r < d, so t = 2r + bit < 2d: one subtraction, and |s| < 2^33 has its sign in bit 63.
             */
            uint64_t s = ((uint64_t)r << 1 | (uint64_t)(w >> bit & 1)) - d;
            choice under = choice_of_bit((limb_t)(s >> 63));
            qi = (limb_t)(qi << 1 | (~under.mask & 1));
            r = (uint32_t)s + (d & (0u - (uint32_t)(under.mask & 1)));
        }
        if (q)
            q[i] = qi;
    }
    return r;
}

void nat_div(limb_t *q, limb_t *r, const limb_t *a, int an, const limb_t *b, int bn)
{
    limb_t t[NAT_MAX];
    nat_zero(t, bn);
    for (int i = an - 1; i >= 0; i--) {
        limb_t w = a[i], qi = 0;
        for (int bit = LIMB_BITS - 1; bit >= 0; bit--) {
            /* t < b, so 2t + 1 < 2b: one subtraction, and a bit carried out means that it is due.
             */
            limb_t carry = nat_add(t, t, t, bn);
            t[0] |= (limb_t)(w >> bit & 1);
            choice ge = choice_or(choice_of_bit(carry), choice_not(nat_lt(t, b, bn)));
            nat_sub_if(t, t, b, ge, bn);
            qi = (limb_t)(qi << 1 | (ge.mask & 1));
        }
        if (q)
            q[i] = qi;
    }
    if (r)
        nat_copy(r, t, bn);
    nat_wipe(t, bn);
}

/* The quotient digit of u (three limbs, high first) by v (two limbs, high first; v1 >= B/2,
 * u2 <= v1), at most one too large (TAOCP 4.3.1, theorem B and exercise 20). */
static limb_t quotient_digit(limb_t u2, limb_t u1, limb_t u0, limb_t v1, limb_t v0)
{
    dlimb_t u = (dlimb_t)((dlimb_t)((dlimb_t)u2 << LIMB_BITS) | u1);
    dlimb_t q = (dlimb_t)(u2 < v1 ? u / v1 : LIMB_MAX);
    dlimb_t rest = (dlimb_t)(u - (dlimb_t)(q * v1));
    while (rest <= LIMB_MAX && (dlimb_t)(q * v0) > ((dlimb_t)(rest << LIMB_BITS) | u0)) {
        q--;
        rest = (dlimb_t)(rest + v1);
    }
    return (limb_t)q;
}

/* r[0..n-1] -= a w; returns what is borrowed from above. */
static limb_t sub_mul_limb(limb_t *r, const limb_t *a, limb_t w, int n)
{
    limb_t carry = 0, borrow = 0;
    for (int i = 0; i < n; i++)
        r[i] = limb_sub(r[i], limb_mul_add(a[i], w, 0, &carry), &borrow);
    return (limb_t)(carry + borrow); /* a w + B^n - 1 < B^(n+1): no overflow */
}

void nat_div_vartime(limb_t *q, limb_t *r, const limb_t *a, int an, const limb_t *b, int bn,
                     limb_t *scratch)
{
    int bits = nat_bits_vartime(b, bn), n = LIMBS_OF_BITS(bits), shift = n * LIMB_BITS - bits;
    limb_t *u = scratch, *v = scratch + an + 1; /* a and b times 2^shift: v[n-1] >= B/2 */
    u[an] = 0;
    nat_copy(u, a, an);
    nat_shl(u, u, shift, an + 1);
    nat_shl(v, b, shift, n);
    if (q)
        nat_zero(q, an);
    for (int i = an - n; i >= 0; i--) { /* u[i..i+n] < v B */
        limb_t u0 = n > 1 ? u[i + n - 2] : 0, v0 = n > 1 ? v[n - 2] : 0;
        limb_t digit = quotient_digit(u[i + n], u[i + n - 1], u0, v[n - 1], v0);
        limb_t borrow = sub_mul_limb(u + i, v, digit, n);
        if (u[i + n] < borrow) {
            nat_add(u + i, u + i, v, n);
            digit--;
        }
        u[i + n] = 0; /* the remainder u[i..i+n-1] < v */
        if (q)
            q[i] = digit;
    }
    if (r) {
        int low = an < n ? an : n;
        nat_shr(u, u, shift, n <= an ? n : an + 1);
        nat_resize(r, bn, u, low);
    }
}
