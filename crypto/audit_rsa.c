/* What is wrong with an RSA key.
 *
 * Most bad keys can be known by n and e alone, as an attacker knows them:
 *
 *     a prime factor below 2^16, n prime, n = a^k
 *     p and q close: n = a^2 - b^2 for an a just above sqrt(n)      Fermat; CVE-2022-26320
 *     p, q = k M + (65537^a mod M), M a product of small primes:
 *         n is a power of 65537 modulo each of them                 ROCA: Nemec et al., CCS 2017
 *     p - 1 without large factors: gcd(3^s - 1, n) > 1, s smooth    Pollard 1974
 *     d < n^(1/4)/3: k/d is a convergent of e/n                     Wiener 1990
 *
 * The first of these that is true is the one that is told. */
#include "audit.h"
#include "prime.h"

#define TINY_END     65536
#define SMOOTH_END   2048
#define FERMAT_STEPS 4096
#define ROCA_END     168

static int is_prime(uint32_t n)
{
    for (uint32_t d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return n > 1;
}

/* The highest power of p up to TINY_END. */
static uint32_t high_power(uint32_t p)
{
    uint32_t power = p;

    while (power <= TINY_END / p)
        power *= p;
    return power;
}

int audit_rsa_start(struct audit_rsa *tables)
{
    mp_int word;

    if (mp_init_multi(&tables->tiny, &tables->smooth, &word, NULL))
        return -1;
    mp_set_u32(&tables->tiny, 1);
    mp_set_u32(&tables->smooth, 1);
    int err = 0;
    for (uint32_t p = 2; p < TINY_END && err == 0; p++) {
        if (!is_prime(p))
            continue;
        mp_set_u32(&word, p);
        err = mp_mul(&tables->tiny, &word, &tables->tiny);
        mp_set_u32(&word, high_power(p));
        if (p < SMOOTH_END && err == 0)
            err = mp_mul(&tables->smooth, &word, &tables->smooth);
    }
    mp_clear(&word);
    if (err != 0)
        audit_rsa_end(tables);
    return err != 0 ? -1 : 0;
}

void audit_rsa_end(struct audit_rsa *tables)
{
    mp_clear_multi(&tables->tiny, &tables->smooth, NULL);
}

/* a mod d, at every digit size: r < d < 2^32, so r 2^PIECE + piece < 2^64. */
#define PIECE (DIGIT_BIT < 32 ? DIGIT_BIT : 32)
static uint32_t mod_word(const mp_int *a, uint32_t d)
{
    uint64_t r = 0;

    for (int i = a->used; i-- > 0;)
        for (int shift = DIGIT_BIT - PIECE; shift >= 0; shift -= PIECE)
            r = (r << PIECE | (uint32_t)(a->dp[i] >> shift)) % d;
    return (uint32_t)r;
}

/* --- The tests of n and e: each sets *yes, and returns 0, or -1 when memory runs out --- */

typedef int test(int *yes, const mp_int *n, const mp_int *e, const struct audit_rsa *tables);

static int has_tiny_factor(int *yes, const mp_int *n, const mp_int *e,
                           const struct audit_rsa *tables)
{
    mp_int g;
    int err;

    (void)e;
    if (mp_init(&g))
        return -1;
    err = mp_mod(&tables->tiny, n, &g) || mp_gcd(&g, n, &g) ? -1 : 0;
    *yes = mp_cmp_d(&g, 1) != MP_EQ;
    mp_clear(&g);
    return err;
}

static int is_prime_modulus(int *yes, const mp_int *n, const mp_int *e,
                            const struct audit_rsa *tables)
{
    (void)e;
    (void)tables;
    *yes = prime_check_vartime(n->dp, n->used, 1);
    return 0;
}

/* a^e mod m for words; m < 2^16. */
static uint32_t power_word(uint32_t a, uint32_t e, uint32_t m)
{
    uint32_t r = 1;

    for (a %= m; e > 0; e >>= 1, a = a * a % m)
        if (e & 1)
            r = r * a % m;
    return r;
}

/* May n be a k-th power?  Modulo a prime r = 1 mod k only one residue in k is; a number that is
 * none passes eight such r with probability k^-8. */
static int may_be_power(const mp_int *n, uint32_t k)
{
    int tried = 0;

    for (uint32_t r = k + 1; tried < 8; r += k)
        if (is_prime(r)) {
            if (power_word(mod_word(n, r), (r - 1) / k, r) > 1)
                return 0;
            tried++;
        }
    return 1;
}

/* n = a^k: without factors below 2^16 there is no k above bits/16. */
static int is_power(int *yes, const mp_int *n, const mp_int *e, const struct audit_rsa *tables)
{
    mp_int a;
    int err = 0;

    (void)e;
    (void)tables;
    *yes = 0;
    if (mp_init(&a))
        return -1;
    for (uint32_t k = 2; k <= (uint32_t)mp_count_bits(n) / 16 && !*yes && err == 0; k++) {
        if (!is_prime(k) || !may_be_power(n, k))
            continue;
        err = mp_root_u32(n, k, &a) || mp_expt_u32(&a, k, &a) ? -1 : 0;
        *yes = err == 0 && mp_cmp(&a, n) == MP_EQ;
    }
    mp_clear(&a);
    return err;
}

/* Is r a square modulo m? */
static int square_mod(uint32_t r, uint32_t m)
{
    for (uint32_t x = 0; x <= m / 2; x++)
        if (x * x % m == r % m)
            return 1;
    return 0;
}

/* Is a >= 0 a square?  Of those that are not, all but one in a hundred end before the root. */
static int is_square(int *yes, const mp_int *a)
{
    uint32_t low = mp_get_u32(a) % 64, r;

    *yes = 0;
    if (!square_mod(low, 64))
        return 0;
    r = mod_word(a, 63 * 65 * 11);
    if (!square_mod(r, 63) || !square_mod(r, 65) || !square_mod(r, 11))
        return 0;
    return mp_is_square(a, yes) ? -1 : 0;
}

/* a = sqrt(n) rounded up, and on; b = a^2 - n goes up by 2a + 1. */
static int has_close_primes(int *yes, const mp_int *n, const mp_int *e,
                            const struct audit_rsa *tables)
{
    mp_int a, b;
    int err = -1;

    (void)e;
    (void)tables;
    *yes = 0;
    if (mp_init_multi(&a, &b, NULL))
        return -1;
    if (mp_sqrt(n, &a) || mp_incr(&a) || mp_sqr(&a, &b) || mp_sub(&b, n, &b))
        goto done; /* n itself is no square: is_power comes first */
    for (int i = 0; i < FERMAT_STEPS && !*yes; i++)
        if (is_square(yes, &b) || mp_add(&b, &a, &b) || mp_incr(&a) || mp_add(&b, &a, &b))
            goto done;
    err = 0;
done:
    mp_clear_multi(&a, &b, NULL);
    return err;
}

/* Is r a power of 65537 modulo the prime m? */
static int is_power_of_65537(uint32_t r, uint32_t m)
{
    uint32_t x = 1;

    do {
        if (x == r)
            return 1;
        x = x * (65537 % m) % m;
    } while (x != 1);
    return 0;
}

/* A random n passes all the primes with probability 2^-28. */
static int is_roca(int *yes, const mp_int *n, const mp_int *e, const struct audit_rsa *tables)
{
    (void)e;
    (void)tables;
    *yes = 1;
    for (uint32_t m = 3; m < ROCA_END && *yes; m++)
        if (is_prime(m))
            *yes = is_power_of_65537(mod_word(n, m), m);
    return 0;
}

static int has_smooth_prime(int *yes, const mp_int *n, const mp_int *e,
                            const struct audit_rsa *tables)
{
    mp_int a;
    int err;

    (void)e;
    if (mp_init(&a))
        return -1;
    mp_set_u32(&a, 3);
    err = mp_exptmod(&a, &tables->smooth, n, &a) || mp_decr(&a) || mp_gcd(&a, n, &a) ? -1 : 0;
    *yes = mp_cmp_d(&a, 1) != MP_EQ;
    mp_clear(&a);
    return err;
}

/* Is k/d the fraction with e d = 1 + k phi?  Then phi = floor((e d - 1)/k), p + q = n + 1 - phi =
 * s, and s^2 - 4 n = (p - q)^2.  phi is scratch. */
static int gives_phi(int *yes, const mp_int *k, const mp_int *d, const mp_int *n, const mp_int *e,
                     mp_int *phi)
{
    mp_int t;
    int err = -1;

    *yes = 0;
    if (mp_iszero(k))
        return 0;
    if (mp_init(&t))
        return -1;
    if (mp_mul(e, d, phi) || mp_decr(phi) || mp_div(phi, k, phi, NULL) || mp_sub(n, phi, &t) ||
        mp_incr(&t) || mp_sqr(&t, phi) || mp_mul_2d(n, 2, &t) || mp_sub(phi, &t, phi))
        goto done;
    err = mp_isneg(phi) ? 0 : is_square(yes, phi);
done:
    mp_clear(&t);
    return err;
}

/* (a, b) = (b, a + q b): a convergent's numerators or denominators. */
static int next_convergent(mp_int *a, mp_int *b, const mp_int *q, mp_int *t)
{
    if (mp_mul(q, b, t) || mp_add(t, a, t))
        return -1;
    mp_exch(a, b);
    mp_exch(b, t);
    return 0;
}

/* The convergents k/d of e/n = x/y, by Euclid: x/y = q + 1/(y/(x - q y)).  An e of less than three
 * quarters of n's bits has no such d: e d > phi. */
static int has_small_d(int *yes, const mp_int *n, const mp_int *e, const struct audit_rsa *tables)
{
    mp_int x, y, q, k0, k, d0, d, t;
    int err = -1, bits = mp_count_bits(n);

    (void)tables;
    *yes = 0;
    if (4 * mp_count_bits(e) < 3 * bits - 8)
        return 0;
    if (mp_init_multi(&x, &y, &q, &k0, &k, &d0, &d, &t, NULL))
        return -1;
    if (mp_mod(e, n, &x) || mp_copy(n, &y))
        goto done;
    mp_set(&k, 1); /* k0/d0 = 0/1, k/d = 1/0 */
    mp_set(&d0, 1);
    while (!mp_iszero(&y) && !*yes && 4 * mp_count_bits(&d) <= bits + 4)
        if (mp_div(&x, &y, &q, &x) || next_convergent(&k0, &k, &q, &t) ||
            next_convergent(&d0, &d, &q, &t) || gives_phi(yes, &k, &d, n, e, &t))
            goto done;
        else
            mp_exch(&x, &y);
    err = 0;
done:
    mp_clear_multi(&x, &y, &q, &k0, &k, &d0, &d, &t, NULL);
    return err;
}

static const struct {
    int finding;
    test *test;
} tests[] = {
    {RSA_TINY_FACTOR, has_tiny_factor},    {RSA_ROCA, is_roca},
    {RSA_PRIME_MODULUS, is_prime_modulus}, {RSA_POWER, is_power},
    {RSA_CLOSE_PRIMES, has_close_primes},  {RSA_SMALL_D, has_small_d},
    {RSA_SMOOTH, has_smooth_prime},
};

static void check_exponent(findings *found, const mp_int *e)
{
    if (mp_iszero(e) || mp_cmp_d(e, 1) == MP_EQ)
        find(found, RSA_EXPONENT_ONE);
    else if (mp_iseven(e))
        find(found, RSA_EXPONENT_EVEN);
    if (mp_count_bits(e) > 24)
        find(found, RSA_EXPONENT_LARGE);
}

int audit_rsa_public(findings *found, const mp_int *n, const mp_int *e,
                     const struct audit_rsa *tables)
{
    int yes = 0;

    check_exponent(found, e);
    if (mp_count_bits(n) < RSA_MIN_BITS)
        find(found, RSA_SHORT);
    if (mp_count_bits(n) < 32) /* there is nothing that such a number is not */
        return 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests && !yes; i++) {
        if (tests[i].test(&yes, n, e, tables))
            return -1;
        if (yes)
            find(found, tests[i].finding);
    }
    return 0;
}

/* --- The private numbers --- */

/* |p - q| <= 2^(bits/2 - 100) (FIPS 186-5 A.1.3), for p and q of bits/2 bits. */
static choice primes_are_close(const struct rsa_private *key)
{
    limb_t d[NAT_MAX], minus[NAT_MAX];
    int n = key->p.n, bits = key->pub.n.bits / 2 - 100;

    if (key->p.bits != key->q.bits || bits < 0)
        return choice_of_bit(0);
    nat_sub(d, key->p.m, key->q.m, n);
    nat_sub(minus, key->q.m, key->p.m, n);
    nat_select(d, nat_lt(key->p.m, key->q.m, n), minus, d, n);
    nat_shr(d, d, bits, n);
    choice close = nat_is_zero(d, n);
    nat_wipe(d, n);
    nat_wipe(minus, n);
    return close;
}

tahr_err audit_rsa_private(findings *found, const struct key_fields *f)
{
    struct rsa_private *key;
    const uint8_t *n = f->rsa.n.p;
    uint32_t e = f->rsa.e;
    int smaller;

    if (e % 2 == 0 || e < 3 || e >= 1 << 24 || f->rsa.n.len == 0 || n[f->rsa.n.len - 1] % 2 == 0)
        return NULL; /* that is told of (n, e) */
    if ((key = secret_alloc(sizeof *key)) == NULL)
        return &keyfile_no_memory;
    if (rsa_private_init(key, &f->rsa, 2) != NULL) {
        find(found, RSA_INCONSISTENT);
        goto done;
    }
    smaller = key->p.bits < key->q.bits ? key->p.bits : key->q.bits;
    if (smaller < key->pub.n.bits / 4)
        find(found, RSA_UNBALANCED);
    if (declassify(primes_are_close(key))) /* the answer is what was asked for */
        find(found, RSA_CLOSE_PRIMES);
    if (!rsa_primes_check(key))
        find(found, RSA_COMPOSITE);
done:
    secret_free(key);
    return NULL;
}
