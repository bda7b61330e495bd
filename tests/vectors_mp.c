/* Stanzas by the functions of mp.h; see vectors_mp.h. */
#include "vectors_mp.h"

#include "mp.h"

#include <stdlib.h>
#include <string.h>

/* The stanza's numbers: two or three inputs and the answer.  What it lacks is 0. */
struct numbers {
    mp_int a, b, c, want;
};

typedef int unary(const mp_int *a, mp_int *r);
typedef int binary(const mp_int *a, const mp_int *b, mp_int *r);
typedef int ternary(const mp_int *a, const mp_int *b, const mp_int *c, mp_int *r);
typedef int shift(const mp_int *a, int b, mp_int *r);

/* Is r, after a call that returned err, the number wanted? */
static int is(int err, const mp_int *r, const mp_int *want)
{
    return err == MP_OKAY && mp_cmp(r, want) == MP_EQ;
}

/* Every alias in its turn where limbs are so small that all of them would take long; 5 is prime to
 * how many a stanza asks about. */
static int my_turn(void)
{
    static unsigned turn;
    return DIGIT_BIT >= 32 || turn++ % 5 == 0;
}

static int try_unary(unary *f, const mp_int *a, const mp_int *want)
{
    mp_int r;
    int ok = mp_init(&r) == MP_OKAY && is(f(a, &r), &r, want);
    ok = ok && mp_copy(a, &r) == MP_OKAY && is(f(&r, &r), &r, want);
    mp_clear(&r);
    return ok;
}

static int try_binary(binary *f, const mp_int *a, const mp_int *b, const mp_int *want)
{
    mp_int r;
    int ok = mp_init(&r) == MP_OKAY && is(f(a, b, &r), &r, want);
    if (my_turn())
        ok = ok && mp_copy(a, &r) == MP_OKAY && is(f(&r, b, &r), &r, want);
    if (my_turn())
        ok = ok && mp_copy(b, &r) == MP_OKAY && is(f(a, &r, &r), &r, want);
    if (mp_cmp(a, b) == MP_EQ)
        ok = ok && mp_copy(a, &r) == MP_OKAY && is(f(&r, &r, &r), &r, want);
    mp_clear(&r);
    return ok;
}

static int try_ternary(ternary *f, const mp_int *a, const mp_int *b, const mp_int *c,
                       const mp_int *want)
{
    mp_int r;
    int ok = mp_init(&r) == MP_OKAY && is(f(a, b, c, &r), &r, want);
    if (my_turn())
        ok = ok && mp_copy(a, &r) == MP_OKAY && is(f(&r, b, c, &r), &r, want);
    if (my_turn())
        ok = ok && mp_copy(b, &r) == MP_OKAY && is(f(a, &r, c, &r), &r, want);
    if (my_turn())
        ok = ok && mp_copy(c, &r) == MP_OKAY && is(f(a, b, &r, &r), &r, want);
    mp_clear(&r);
    return ok;
}

static int try_shift(shift *f, const mp_int *a, int k, const mp_int *want)
{
    mp_int r;
    int ok = mp_init(&r) == MP_OKAY && is(f(a, k, &r), &r, want);
    ok = ok && mp_copy(a, &r) == MP_OKAY && is(f(&r, k, &r), &r, want);
    mp_clear(&r);
    return ok;
}

/* a + b = Sum, and both ways back; for a = b, Sum is a 2 as well. */
static int sum(struct numbers *n)
{
    int ok = try_binary(mp_add, &n->a, &n->b, &n->want) &&
             try_binary(mp_sub, &n->want, &n->b, &n->a) &&
             try_binary(mp_sub, &n->want, &n->a, &n->b);
    if (mp_cmp(&n->a, &n->b) == MP_EQ)
        ok = ok && try_unary(mp_mul_2, &n->a, &n->want) && try_unary(mp_div_2, &n->want, &n->a);
    return ok;
}

static int lshift1(struct numbers *n)
{
    return try_unary(mp_mul_2, &n->a, &n->want) && try_unary(mp_div_2, &n->want, &n->a) &&
           try_binary(mp_add, &n->a, &n->a, &n->want) && try_binary(mp_sub, &n->want, &n->a, &n->a);
}

static int shift_right(const mp_int *a, int k, mp_int *r)
{
    return mp_div_2d(a, k, r, NULL);
}

static int lshift(struct numbers *n)
{
    int k = mp_get_i32(&n->b);
    return try_shift(mp_mul_2d, &n->a, k, &n->want) && try_shift(shift_right, &n->want, k, &n->a);
}

static int rshift(struct numbers *n)
{
    return try_shift(shift_right, &n->a, mp_get_i32(&n->b), &n->want);
}

static int quotient_of(const mp_int *a, const mp_int *b, mp_int *r)
{
    return mp_div(a, b, r, NULL);
}

static int remainder_of(const mp_int *a, const mp_int *b, mp_int *r)
{
    return mp_div(a, b, NULL, r);
}

static int square(struct numbers *n)
{
    return try_unary(mp_sqr, &n->a, &n->want) && try_binary(mp_mul, &n->a, &n->a, &n->want) &&
           (mp_iszero(&n->a) || try_binary(quotient_of, &n->want, &n->a, &n->a)) &&
           mp_abs(&n->a, &n->a) == MP_OKAY && try_unary(mp_sqrt, &n->want, &n->a);
}

static int product(struct numbers *n)
{
    return try_binary(mp_mul, &n->a, &n->b, &n->want) &&
           try_binary(mp_mul, &n->b, &n->a, &n->want) &&
           (mp_iszero(&n->b) || try_binary(quotient_of, &n->want, &n->b, &n->a));
}

/* a = Quotient b + Remainder; both outputs at once, into each other's inputs too. */
static int quotient(struct numbers *n)
{
    mp_int q, r;
    int ok = try_binary(quotient_of, &n->a, &n->b, &n->want) &&
             try_binary(remainder_of, &n->a, &n->b, &n->c);
    if (mp_init_multi(&q, &r, NULL) != MP_OKAY)
        return 0;
    ok = ok && is(mp_div(&n->a, &n->b, &q, &r), &q, &n->want) && mp_cmp(&r, &n->c) == MP_EQ;
    ok = ok && mp_mul(&q, &n->b, &q) == MP_OKAY && is(mp_add(&q, &r, &q), &q, &n->a);
    ok = ok && is(mp_div(&n->a, &n->b, &n->a, &n->b), &n->a, &n->want);
    ok = ok && mp_cmp(&n->b, &n->c) == MP_EQ;
    mp_clear_multi(&q, &r, NULL);
    return ok;
}

static int modmul(struct numbers *n)
{
    return try_ternary(mp_mulmod, &n->a, &n->b, &n->c, &n->want);
}

static int modsqr(struct numbers *n)
{
    return try_ternary(mp_mulmod, &n->a, &n->a, &n->c, &n->want) &&
           try_binary(mp_sqrmod, &n->a, &n->c, &n->want);
}

static int modexp(struct numbers *n)
{
    return try_ternary(mp_exptmod, &n->a, &n->b, &n->c, &n->want);
}

static int power(struct numbers *n)
{
    mp_int r;
    uint32_t e = mp_get_u32(&n->b);
    int ok = mp_init(&r) == MP_OKAY && is(mp_expt_u32(&n->a, e, &r), &r, &n->want);
    ok = ok && is(mp_expt_u32(&n->a, e, &n->a), &n->a, &n->want);
    mp_clear(&r);
    return ok;
}

/* want or p - want, whichever the function finds; -1 where there is no root. */
static int modsqrt(struct numbers *n)
{
    mp_int r;
    if (n->want.sign == MP_NEG)
        return mp_sqrtmod_prime(&n->a, &n->c, &n->b) == MP_VAL && mp_iszero(&n->b);
    int ok = mp_init(&r) == MP_OKAY && mp_sqrtmod_prime(&n->a, &n->c, &r) == MP_OKAY;
    if (ok && mp_cmp(&r, &n->want) != MP_EQ)
        ok = mp_sub(&n->c, &n->want, &n->want) == MP_OKAY && mp_cmp(&r, &n->want) == MP_EQ;
    if (my_turn())
        ok = ok && try_binary(mp_sqrtmod_prime, &n->a, &n->c, &r);
    mp_clear(&r);
    return ok;
}

/* gcd(a, b) = GCD, and gcd lcm = |a b|. */
static int gcd(struct numbers *n)
{
    mp_int l, p;
    int ok = try_binary(mp_gcd, &n->a, &n->b, &n->want) &&
             try_binary(mp_gcd, &n->b, &n->a, &n->want) && mp_init_multi(&l, &p, NULL) == MP_OKAY;
    if (!ok)
        return 0;
    ok = mp_lcm(&n->a, &n->b, &l) == MP_OKAY && try_binary(mp_lcm, &n->a, &n->b, &l) &&
         mp_mul(&n->a, &n->b, &p) == MP_OKAY && mp_abs(&p, &p) == MP_OKAY &&
         is(mp_mul(&l, &n->want, &l), &l, &p);
    mp_clear_multi(&l, &p, NULL);
    return ok;
}

static int lcm(struct numbers *n)
{
    return try_binary(mp_lcm, &n->a, &n->b, &n->want);
}

static int inverse(struct numbers *n)
{
    return try_binary(mp_invmod, &n->a, &n->c, &n->want);
}

static int no_inverse(struct numbers *n)
{
    mp_int r;
    int ok = mp_init_copy(&r, &n->b) == MP_OKAY && mp_invmod(&n->a, &n->c, &r) == MP_VAL &&
             mp_cmp(&r, &n->b) == MP_EQ;
    mp_clear(&r);
    return ok;
}

static int jacobi(struct numbers *n)
{
    int symbol;
    return mp_jacobi(&n->a, &n->c, &symbol) == MP_OKAY && symbol == mp_get_i32(&n->want) &&
           mp_kronecker(&n->a, &n->c, &symbol) == MP_OKAY && symbol == mp_get_i32(&n->want);
}

/* The answer's name, those of b and c (NULL: none), and the check. */
static const struct {
    const char *want, *b, *c;
    int (*check)(struct numbers *);
} kinds[] = {
    {"Sum", "B", NULL, sum},         {"LShift1", NULL, NULL, lshift1},
    {"LShift", "N", NULL, lshift},   {"RShift", "N", NULL, rshift},
    {"Rshift", "N", NULL, rshift},   {"Square", NULL, NULL, square},
    {"Product", "B", NULL, product}, {"Quotient", "B", "Remainder", quotient},
    {"ModMul", "B", "M", modmul},    {"ModSqr", NULL, "M", modsqr},
    {"ModExp", "E", "M", modexp},    {"Exp", "E", NULL, power},
    {"ModSqrt", NULL, "P", modsqrt}, {"GCD", "B", NULL, gcd},
    {"LCM", "B", NULL, lcm},         {"Inverse", NULL, "M", inverse},
    {"Jacobi", NULL, "M", jacobi},
};

/* r = the stanza's hexadecimal number of that name; 0 for no name; -1 if it is not there. */
static int get(mp_int *r, const struct stanzas *s, const char *name)
{
    const char *value = name != NULL ? stanzas_get(s, name) : "0";
    return value != NULL && mp_read_radix(r, value, 16) == MP_OKAY ? 0 : -1;
}

static int check_kind(const struct stanzas *s, size_t kind)
{
    struct numbers n;
    const char *answer = stanzas_get(s, kinds[kind].want);
    int none = strcmp(answer, "none") == 0, ok;
    if (mp_init_multi(&n.a, &n.b, &n.c, &n.want, NULL) != MP_OKAY)
        return 0;
    ok = get(&n.a, s, "A") == 0 && get(&n.b, s, kinds[kind].b) == 0 &&
         get(&n.c, s, kinds[kind].c) == 0 && (none || get(&n.want, s, kinds[kind].want) == 0);
    ok = ok && (none ? no_inverse : kinds[kind].check)(&n);
    mp_clear_multi(&n.a, &n.b, &n.c, &n.want, NULL);
    return ok;
}

enum verdict vectors_mp(const struct stanzas *s)
{
    enum verdict all = SKIP;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (stanzas_get(s, kinds[i].want) == NULL)
            continue;
        if (!check_kind(s, i)) {
            printf("mp, %s:\n", kinds[i].want);
            return FAIL;
        }
        all = PASS;
    }
    return all;
}
