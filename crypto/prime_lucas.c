/* The Baillie-PSW test of a public number: a strong test to base 2 and a strong Lucas test.
 *
 * For D = P^2 - 4 Q the Lucas sequences are U_0 = 0, U_1 = 1, V_0 = 2, V_1 = P and
 *   U_2k = U_k V_k,           V_2k = V_k^2 - 2 Q^k,
 *   U_(k+1) = (P U_k + V_k)/2, V_(k+1) = (D U_k + P V_k)/2.
 * With Jacobi(D | n) = -1 and n + 1 = 2^s d, d odd, a prime n has U_d = 0 or V_(2^r d) = 0 mod n
 * for some r < s (Baillie and Wagstaff, Math. Comp. 1980, section 3).  Selfridge's parameters: the
 * first D of 5, -7, 9, -11, ... with that symbol, P = 1, Q = (1 - D)/4. */
#include "prime.h"

/* How many D are tried before n is looked at as a square, which has none: a number that is not a
 * square gets so far with probability 2^-16. */
#define SQUARE_AFTER 16

/* r = w mod n. */
static void small_residue(limb_t *r, int32_t w, const struct mod *n)
{
    limb_t a[LIMBS_OF_BITS(32)], zero[NAT_MAX] = {0};

    nat_set_word(a, LIMBS_OF_BITS(32), (uint32_t)(w < 0 ? -w : w));
    mod_reduce(r, a, LIMBS_OF_BITS(32), n);
    if (w < 0)
        nat_sub_mod(r, zero, r, n->m, n->n);
}

/* Is n = s^2?  s grows bit by bit from the top, s^2 <= n throughout. */
static int is_square_vartime(const struct mod *n)
{
    limb_t s[NAT_MAX / 2 + 1] = {0}, t[NAT_MAX / 2 + 1], tt[NAT_MAX + 2], wide[NAT_MAX + 2];
    int h = LIMBS_OF_BITS((n->bits + 1) / 2);

    nat_resize(wide, 2 * h, n->m, n->n); /* n < 2^(2 ceil(bits/2)) */
    for (int bit = (n->bits + 1) / 2 - 1; bit >= 0; bit--) {
        nat_copy(t, s, h);
        t[bit / LIMB_BITS] |= (limb_t)((limb_t)1 << bit % LIMB_BITS);
        nat_sqr(tt, t, h);
        if (!declassify(nat_lt(wide, tt, 2 * h))) /* public, as n is */
            nat_copy(s, t, h);
    }
    nat_sqr(tt, s, h);
    return declassify(nat_eq(tt, wide, 2 * h)); /* public, as n is */
}

/* Selfridge's D, or 0 if the search shows that n is composite. */
static int32_t selfridge_vartime(const struct mod *n)
{
    limb_t a[NAT_MAX];

    for (int32_t i = 0;; i++) {
        int32_t d = i % 2 == 0 ? 5 + 2 * i : -(5 + 2 * i);
        small_residue(a, d, n);
        int j = mod_jacobi_vartime(a, n);
        if (j < 0)
            return d;
        if (j == 0 && !declassify(nat_is_zero(a, n->n))) /* public, as n is */
            return 0;                                    /* a factor in common with n */
        if (i == SQUARE_AFTER && is_square_vartime(n))
            return 0;
    }
}

/* U_k, V_k and Q^k, and what is needed to go on. */
struct lucas {
    elem u, v, qk;
    elem d, q, half; /* D, Q, 1/2 */
};

static void enter_small(elem *r, int32_t w, const struct mod *n)
{
    limb_t a[NAT_MAX];

    small_residue(a, w, n);
    mod_enter(r, a, n);
}

/* k = 1, P = 1. */
static void lucas_start(struct lucas *l, int32_t d, const struct mod *n)
{
    limb_t half[NAT_MAX];

    enter_small(&l->u, 1, n);
    enter_small(&l->v, 1, n);
    enter_small(&l->d, d, n);
    enter_small(&l->q, (1 - d) / 4, n);
    l->qk = l->q;
    nat_shr(half, n->m, 1, n->n);
    nat_add_limb(half, half, 1, n->n); /* (n + 1)/2 */
    mod_enter(&l->half, half, n);
}

static void lucas_double(struct lucas *l, const struct mod *n)
{
    mod_mul(&l->u, &l->u, &l->v, n);
    mod_sqr(&l->v, &l->v, n);
    mod_sub(&l->v, &l->v, &l->qk, n);
    mod_sub(&l->v, &l->v, &l->qk, n);
    mod_sqr(&l->qk, &l->qk, n);
}

static void lucas_add_one(struct lucas *l, const struct mod *n)
{
    elem t;

    mod_mul(&t, &l->d, &l->u, n);
    mod_add(&l->u, &l->u, &l->v, n);
    mod_add(&l->v, &l->v, &t, n);
    mod_mul(&l->u, &l->u, &l->half, n);
    mod_mul(&l->v, &l->v, &l->half, n);
    mod_mul(&l->qk, &l->qk, &l->q, n);
}

static int elem_is_zero_vartime(const elem *a, const struct mod *n)
{
    limb_t r[NAT_MAX];

    mod_leave(r, a, n);
    return declassify(nat_is_zero(r, n->n)); /* public, as n is */
}

static int strong_lucas_vartime(const struct mod *n, int32_t d)
{
    limb_t k[NAT_MAX + 1];
    struct lucas l;

    nat_resize(k, n->n + 1, n->m, n->n);
    nat_add_limb(k, k, 1, n->n + 1); /* n + 1 may be 2^bits */
    int s = (int)nat_trailing_zeros(k, n->n + 1);
    nat_shr(k, k, s, n->n + 1);
    lucas_start(&l, d, n);
    for (int bit = nat_bits_vartime(k, n->n + 1) - 2; bit >= 0; bit--) {
        lucas_double(&l, n);
        if (nat_window(k, n->n + 1, bit, 1))
            lucas_add_one(&l, n);
    }
    if (elem_is_zero_vartime(&l.u, n))
        return 1;
    for (int r = 0; r < s; r++) {
        if (elem_is_zero_vartime(&l.v, n))
            return 1;
        lucas_double(&l, n);
    }
    return 0;
}

int prime_baillie_psw_vartime(const struct mod *n)
{
    limb_t two[NAT_MAX];

    nat_set(two, n->n, 2);
    if (!declassify(prime_miller_rabin(two, n))) /* public, as n is */
        return 0;
    int32_t d = selfridge_vartime(n);
    return d != 0 && strong_lucas_vartime(n, d);
}
