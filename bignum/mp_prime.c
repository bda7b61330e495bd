/* Printable integers: prime tests, the next prime, square roots modulo a prime. */
#include "mp.h"

#include "limb.h"

static const mp_digit small_primes[] = {
    2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,  59,  61,
    67,  71,  73,  79,  83,  89,  97,  101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151,
    157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239, 241, 251};
#define SMALL_PRIMES ((int)(sizeof small_primes / sizeof *small_primes))

/* A random base passes a composite with probability at most 1/4, whoever chose it: at least this
 * many are tried, so that 2^-80 bounds the error even for numbers made to deceive. */
#define MIN_ROUNDS   40

/* *result = MP_YES iff r = 1, or one of r, r^2, ... r^(2^(s-1)) is a - 1 (HAC 4.24). */
static int reaches_minus_one(mp_int *r, int s, const mp_int *a, const mp_int *minus_one,
                             int *result)
{
    int err = MP_OKAY;
    *result = mp_cmp_d(r, 1) == MP_EQ || mp_cmp(r, minus_one) == MP_EQ ? MP_YES : MP_NO;
    for (int i = 1; err == MP_OKAY && i < s && *result == MP_NO; i++) {
        err = mp_sqrmod(r, a, r);
        *result = err == MP_OKAY && mp_cmp(r, minus_one) == MP_EQ ? MP_YES : MP_NO;
    }
    return err;
}

int mp_prime_miller_rabin(const mp_int *a, const mp_int *b, int *result)
{
    if (mp_cmp_d(b, 1) != MP_GT)
        return MP_VAL;
    *result = MP_NO;
    if (mp_cmp_d(a, 1) != MP_GT || mp_iseven(a))
        return MP_OKAY;
    mp_int minus_one, d, r;
    int err = mp_init_multi(&minus_one, &d, &r, NULL);
    if (err != MP_OKAY)
        return err;
    err = mp_sub_d(a, 1, &minus_one);
    int s = mp_cnt_lsb(&minus_one);
    if (err == MP_OKAY && (err = mp_div_2d(&minus_one, s, &d, NULL)) == MP_OKAY &&
        (err = mp_exptmod(b, &d, a, &r)) == MP_OKAY)
        err = reaches_minus_one(&r, s, a, &minus_one, result);
    mp_clear_multi(&minus_one, &d, &r, NULL);
    return err;
}

/* b = a random number in [2, a - 2], for a > 4. */
static int random_base(const mp_int *a, mp_int *b)
{
    mp_int range;
    int err = mp_init(&range);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_sub_d(a, 3, &range)) == MP_OKAY && (err = mp_rand(b, a->used + 1)) == MP_OKAY &&
        (err = mp_mod(b, &range, b)) == MP_OKAY)
        err = mp_add_d(b, 2, b);
    mp_clear(&range);
    return err;
}

/* *result = MP_YES iff odd a > 4 passes the strong test to base 2 and to `rounds` random bases. */
static int strong_tests(const mp_int *a, int rounds, int *result)
{
    mp_int b;
    int err = mp_init_set(&b, 2);
    if (err != MP_OKAY)
        return err;
    err = mp_prime_miller_rabin(a, &b, result);
    for (int i = 0; err == MP_OKAY && *result == MP_YES && i < rounds; i++)
        if ((err = random_base(a, &b)) == MP_OKAY)
            err = mp_prime_miller_rabin(a, &b, result);
    mp_clear(&b);
    return err;
}

int mp_prime_is_prime(const mp_int *a, int t, int *result)
{
    int prime = MP_NO;
    if (mp_cmp_d(a, 1) == MP_GT) {
        for (int i = 0; i < SMALL_PRIMES; i++) {
            mp_digit r;
            int err = mp_mod_d(a, small_primes[i], &r);
            if (err != MP_OKAY)
                return err;
            if (r == 0) {
                *result = mp_cmp_d(a, small_primes[i]) == MP_EQ ? MP_YES : MP_NO;
                return MP_OKAY;
            }
        }
        /* Composites without a prime factor up to 251 begin at 257^2. */
        int err = MP_OKAY;
        if (mp_count_bits(a) <= 16)
            prime = MP_YES;
        else
            err = strong_tests(a, t > MIN_ROUNDS ? t : MIN_ROUNDS, &prime);
        if (err != MP_OKAY)
            return err;
    }
    *result = prime;
    return MP_OKAY;
}

int mp_prime_next_prime(mp_int *a, int t, int bbs)
{
    mp_int c;
    mp_digit step = bbs ? 4 : 2;
    int err = mp_init(&c), prime = MP_NO;
    if (err != MP_OKAY)
        return err;
    if (mp_cmp_d(a, 2) == MP_LT || (bbs && mp_cmp_d(a, 3) == MP_LT)) {
        mp_set(&c, bbs ? 3 : 2);
        prime = MP_YES;
    } else {
        err = mp_add_d(a, 1, &c);
        while (err == MP_OKAY && (mp_iseven(&c) || (bbs && (c.dp[0] & 3) != 3)))
            err = mp_add_d(&c, 1, &c);
    }
    while (err == MP_OKAY && prime == MP_NO) {
        err = mp_prime_is_prime(&c, t, &prime);
        if (err == MP_OKAY && prime == MP_NO)
            err = mp_add_d(&c, step, &c);
    }
    if (err == MP_OKAY)
        mp_exch(&c, a);
    mp_clear(&c);
    return err;
}

int mp_prime_rabin_miller_trials(int size)
{
    /* Damgard, Landrock, Pomerance (Math. Comp. 1993): the least t with p_{size,t} <= 2^-96. */
    static const struct {
        int size, rounds;
    } bound[] = {{1730, 2}, {1150, 3}, {865, 4},  {697, 5},  {586, 6},  {507, 7},
                 {448, 8},  {403, 9},  {338, 11}, {294, 13}, {261, 15}, {203, 21},
                 {153, 24}, {127, 28}, {110, 32}, {96, 35},  {83, 38}};
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
        if (size >= bound[i].size)
            return bound[i].rounds;
    return 48;
}

/* z = the least z > 1 with (z | p) = -1.  For an odd p that is no square one is found soon; a p
 * that has none below 10000 is taken for no prime. */
static int non_residue(const mp_int *p, mp_int *z)
{
    for (uint32_t i = 2; i < 10000; i++) {
        int symbol;
        mp_set_u32(z, i);
        int err = mp_jacobi(z, p, &symbol);
        if (err != MP_OKAY || symbol == -1)
            return err;
    }
    return MP_VAL;
}

/* The least i > 0 with t^(2^i) = 1 mod p, or MP_VAL if there is none below m. */
static int order_exponent(const mp_int *t, const mp_int *p, int m, int *i)
{
    mp_int s;
    int err = mp_init_copy(&s, t);
    if (err != MP_OKAY)
        return err;
    for (*i = 0; err == MP_OKAY && mp_cmp_d(&s, 1) != MP_EQ; (*i)++)
        err = *i + 1 < m ? mp_sqrmod(&s, p, &s) : MP_VAL;
    mp_clear(&s);
    return err;
}

/* One step of Tonelli and Shanks (HAC 3.34): r^2 = a t always holds; t's order falls until t = 1.
 */
static int shanks_step(mp_int *r, mp_int *t, mp_int *c, int *m, const mp_int *p)
{
    int i, err = order_exponent(t, p, *m, &i);
    for (int j = *m - i - 1; err == MP_OKAY && j > 0; j--)
        err = mp_sqrmod(c, p, c);
    if (err == MP_OKAY && (err = mp_mulmod(r, c, p, r)) == MP_OKAY &&
        (err = mp_sqrmod(c, p, c)) == MP_OKAY)
        err = mp_mulmod(t, c, p, t);
    *m = i;
    return err;
}

/* r = a^((q+1)/2), t = a^q, c = z^q for p - 1 = 2^*m q, q odd. */
static int shanks_begin(const mp_int *a, mp_int *r, mp_int *t, mp_int *c, int *m, const mp_int *p)
{
    mp_int q;
    int err = mp_init(&q);
    if (err != MP_OKAY)
        return err;
    if ((err = mp_sub_d(p, 1, &q)) == MP_OKAY) {
        *m = mp_cnt_lsb(&q);
        err = mp_div_2d(&q, *m, &q, NULL);
    }
    if (err == MP_OKAY && (err = non_residue(p, c)) == MP_OKAY &&
        (err = mp_exptmod(c, &q, p, c)) == MP_OKAY && (err = mp_exptmod(a, &q, p, t)) == MP_OKAY &&
        (err = mp_incr(&q)) == MP_OKAY && (err = mp_div_2(&q, &q)) == MP_OKAY)
        err = mp_exptmod(a, &q, p, r);
    mp_clear(&q);
    return err;
}

/* The root of 0 < a < p for odd p, checked: a composite p may lead anywhere, but not past this. */
static int square_root(const mp_int *a, const mp_int *p, mp_int *b)
{
    mp_int r, t, c;
    int m = 0, symbol = 0;
    int err = mp_jacobi(a, p, &symbol);
    if (err == MP_OKAY && symbol != 1)
        err = MP_VAL;
    if (err == MP_OKAY)
        err = mp_init_multi(&r, &t, &c, NULL);
    if (err != MP_OKAY)
        return err;
    err = shanks_begin(a, &r, &t, &c, &m, p);
    while (err == MP_OKAY && mp_cmp_d(&t, 1) != MP_EQ)
        err = shanks_step(&r, &t, &c, &m, p);
    if (err == MP_OKAY && (err = mp_sqrmod(&r, p, &t)) == MP_OKAY)
        err = mp_cmp(&t, a) == MP_EQ ? MP_OKAY : MP_VAL;
    if (err == MP_OKAY)
        mp_exch(&r, b);
    mp_clear_multi(&r, &t, &c, NULL);
    return err;
}

int mp_sqrtmod_prime(const mp_int *a, const mp_int *p, mp_int *b)
{
    if (mp_cmp_d(p, 2) == MP_LT || (mp_iseven(p) && mp_cmp_d(p, 2) != MP_EQ))
        return MP_VAL;
    mp_int r;
    int err = mp_init(&r);
    if (err != MP_OKAY)
        return err;
    err = mp_mod(a, p, &r);
    if (err == MP_OKAY)
        err = mp_iszero(&r) || mp_isodd(p) == MP_NO ? mp_copy(&r, b) : square_root(&r, p, b);
    mp_clear(&r);
    return err;
}
