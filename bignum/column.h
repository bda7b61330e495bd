/* Private to bignum: the running sum of a column of products (Comba, IBM Systems Journal 29, 1990).
 *
 * Column k of a product is the sum of the a[i] b[k-i].  Going from column to column every product
 * is added once where it belongs, and a limb of the result is written once. */
#ifndef TAHR_COLUMN_H
#define TAHR_COLUMN_H

#include "limb.h"

/* over B^2 + low.  At most 2^31 products: each adds at most 1 to over, and B^2 > (B-1)^2 + B. */
struct column {
    dlimb_t low;
    unsigned over;
};

/* c += a b.  The compilers make it a multiplication and three additions with carry: clang from the
 * builtin only, and gcc only while it cannot add up several carries first. */
static inline void column_add(struct column *c, limb_t a, limb_t b)
{
    dlimb_t t = (dlimb_t)((dlimb_t)a * b);
#ifdef __GNUC__
    c->over += __builtin_add_overflow(c->low, t, &c->low);
    __asm__("" : "+r"(c->over));
#else
    c->low = (dlimb_t)(c->low + t);
    c->over += c->low < t;
#endif
}

/* c += the sum of a[i] b[-i] for i < n. */
static inline void column_add_products(struct column *c, const limb_t *a, const limb_t *b, int n)
{
    struct column s = *c; /* in registers, whatever a and b may point to */
    for (; n >= 4; n -= 4, a += 4, b -= 4) {
        column_add(&s, a[0], b[0]);
        column_add(&s, a[1], b[-1]);
        column_add(&s, a[2], b[-2]);
        column_add(&s, a[3], b[-3]);
    }
    if (n & 2) {
        column_add(&s, a[0], b[0]);
        column_add(&s, a[1], b[-1]);
        a += 2, b -= 2;
    }
    if (n & 1)
        column_add(&s, a[0], b[0]);
    *c = s;
}

/* Returns c mod B, and goes to the next column: c = floor(c / B). */
static inline limb_t column_next(struct column *c)
{
    limb_t digit = (limb_t)c->low;
    c->low = (dlimb_t)((dlimb_t)((dlimb_t)c->over << LIMB_BITS) | c->low >> LIMB_BITS);
    c->over = LIMB_BITS < 32 ? c->over >> LIMB_BITS % 32 : 0;
    return digit;
}

#endif
