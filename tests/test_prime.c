/* Prime tests against a sieve, their definitions, BN, and composites made to fool them; and what
 * the searches find. */
#include "bn.h"
#include "edges.h"
#include "near_power.h"
#include "prime.h"
#include "secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS    LIMBS_OF_BITS(64)

/* The width of everything that came from a BIGNUM here. */
#define BITS_MAX 2048
#define WIDTH    LIMBS_OF_BITS(BITS_MAX)

static int width(const BIGNUM *b)
{
    return LIMBS_OF_BITS(BN_num_bits(b));
}

static BIGNUM *decimal(const char *s)
{
    BIGNUM *b = NULL;
    assert_true(BN_dec2bn(&b, s) > 0);
    return b;
}

/* m = the modulus b, odd. */
static void modulus(struct mod *m, const BIGNUM *b)
{
    limb_t a[WIDTH];
    nat_of_bn(a, width(b), b);
    assert_int_equal(mod_init(m, a, BN_num_bits(b)), 0);
}

static int miller_rabin(limb_t base, const struct mod *m)
{
    limb_t a[NAT_MAX];
    nat_set(a, m->n, base);
    return declassify(prime_miller_rabin(a, m));
}

static int bn_is_prime(const BIGNUM *b)
{
    int answer = BN_check_prime(b, bn_ctx(), NULL);
    assert_true(answer >= 0);
    return answer;
}

/* Every way of asking says that b is prime, or not. */
static void check_verdict(const BIGNUM *b, int prime)
{
    limb_t a[WIDTH];
    struct mod m;
    nat_of_bn(a, WIDTH, b);
    assert_int_equal(prime_check_vartime(a, WIDTH, 4), prime);
    modulus(&m, b);
    assert_int_equal(prime_baillie_psw_vartime(&m), prime);
    assert_int_equal(prime_check(a, BN_num_bits(b), 24), prime);
}

/* --- Small numbers, every one --- */

#define SMALL (1 << 20)
static uint8_t composite[SMALL];

static void fill_composite(void)
{
    composite[0] = composite[1] = 1;
    for (uint32_t i = 2; i * i < SMALL; i++)
        for (uint32_t j = 2 * i; j < SMALL; j += i)
            composite[j] = 1;
}

static void numbers_below_a_million(void **state)
{
    (void)state;
    limb_t a[WORDS];
    for (uint32_t v = 0; v < SMALL; v++) {
        nat_set_word(a, WORDS, v);
        if (prime_check_vartime(a, WORDS, 1) != !composite[v])
            fail_msg("%u", v);
    }
}

static void secret_numbers_below_4096(void **state)
{
    (void)state;
    limb_t a[WORDS];
    for (uint32_t v = 0; v < 4096; v++) {
        nat_set_word(a, WORDS, v);
        if (prime_check(a, nat_bits_vartime(a, WORDS), 40) != !composite[v])
            fail_msg("%u", v);
    }
}

static void baillie_psw_below_100000(void **state)
{
    (void)state;
    limb_t a[WORDS];
    struct mod m;
    for (uint32_t v = 3; v < 100000; v += 2) {
        nat_set_word(a, WORDS, v);
        assert_int_equal(mod_init(&m, a, nat_bits_vartime(a, WORDS)), 0);
        if (prime_baillie_psw_vartime(&m) != !composite[v])
            fail_msg("%u", v);
    }
}

static void safe_primes_below_100000(void **state)
{
    (void)state;
    limb_t a[WORDS];
    for (uint32_t v = 0; v < 100000; v++) {
        nat_set_word(a, WORDS, v);
        if (prime_safe_check_vartime(a, WORDS, 1) != (!composite[v] && !composite[v / 2] && v % 2))
            fail_msg("%u", v);
    }
}

/* --- One round, by its definition --- */

static uint64_t power(uint64_t a, uint64_t e, uint64_t n)
{
    uint64_t r = 1 % n;
    for (; e > 0; e >>= 1, a = a * a % n)
        if (e & 1)
            r = r * a % n;
    return r;
}

static int is_strong_liar(uint64_t a, uint64_t n)
{
    uint64_t t = n - 1;
    int s = 0;
    for (; t % 2 == 0; t /= 2)
        s++;
    if (power(a, t, n) == 1)
        return 1;
    for (int i = 0; i < s; i++, t *= 2)
        if (power(a, t, n) == n - 1)
            return 1;
    return 0;
}

static int jacobi(uint64_t a, uint64_t n)
{
    int j = 1;
    while (a %= n) {
        for (; a % 2 == 0; a /= 2)
            if (n % 8 == 3 || n % 8 == 5)
                j = -j;
        uint64_t t = a;
        if (a % 4 == 3 && n % 4 == 3)
            j = -j;
        a = n, n = t;
    }
    return n == 1 ? j : 0;
}

static int is_euler_liar(uint64_t a, uint64_t n)
{
    int j = jacobi(a, n);
    return j != 0 && power(a, (n - 1) / 2, n) == (j < 0 ? n - 1 : 1);
}

static void rounds_by_definition(void **state)
{
    (void)state;
    limb_t a[WORDS];
    struct mod m;
    for (uint32_t n = 3; n < 420; n += 2) {
        nat_set_word(a, WORDS, n);
        assert_int_equal(mod_init(&m, a, nat_bits_vartime(a, WORDS)), 0);
        for (uint32_t v = 1; v < n; v++) {
            nat_set_word(a, WORDS, v);
            if (declassify(prime_miller_rabin(a, &m)) != is_strong_liar(v, n) ||
                declassify(prime_solovay_strassen(a, &m)) != is_euler_liar(v, n))
                fail_msg("%u to base %u", n, v);
        }
    }
}

/* Primes k 2^s + 1 whose s is beyond what a random prime has, and composites of that form. */
static void many_twos(void **state)
{
    (void)state;
    BIGNUM *b = BN_new();
    int primes = 0;
    for (int s = 60; s < 140; s += 4)
        for (BN_ULONG k = 1; k < 60; k += 2) {
            assert_ssl(BN_set_word(b, k) && BN_lshift(b, b, s) && BN_add_word(b, 1));
            int prime = bn_is_prime(b);
            check_verdict(b, prime);
            primes += prime;
        }
    assert_true(primes > 10);
    BN_free(b);
}

/* --- Composites made to fool --- */

/* psi_k, the smallest strong pseudoprime to the first k prime bases at once: Jaeschke (Math. Comp.
 * 1993) for k <= 8, Jiang and Deng (2014) for 9 to 11, Sorenson and Webster (2017) for 12, 13. */
static void strong_pseudoprimes(void **state)
{
    (void)state;
    static const limb_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43};
    static const char *const psi[] = {"2047",
                                      "1373653",
                                      "25326001",
                                      "3215031751",
                                      "2152302898747",
                                      "3474749660383",
                                      "341550071728321",
                                      "341550071728321",
                                      "3825123056546413051",
                                      "3825123056546413051",
                                      "3825123056546413051",
                                      "318665857834031151167461",
                                      "3317044064679887385961981"};
    for (int k = 1; k <= 13; k++) {
        BIGNUM *b = decimal(psi[k - 1]);
        struct mod m;
        modulus(&m, b);
        for (int i = 0; i < k; i++)
            assert_true(miller_rabin(bases[i], &m));
        assert_false(k != 7 && k != 9 && k != 10 && miller_rabin(bases[k], &m));
        check_verdict(b, 0);
        BN_free(b);
    }
}

/* Arnault (J. Symbolic Computation 20, 1995): p1 (313 (p1 - 1) + 1) (353 (p1 - 1) + 1), a
 * Carmichael number of 397 digits that is a strong pseudoprime to every prime base below 307. */
static void arnault(void **state)
{
    (void)state;
    BIGNUM *p = decimal("29674495668685510550154174642905332730771991799853043350995075531276838753"
                        "171770199594238596428121188033664754218345562493168782883");
    BIGNUM *n = BN_dup(p), *f = BN_new();
    for (BN_ULONG k = 313; k <= 353; k += 40) {
        assert_ssl(BN_sub(f, p, BN_value_one()) && BN_mul_word(f, k) && BN_add_word(f, 1));
        assert_true(bn_is_prime(f));
        assert_ssl(BN_mul(n, n, f, bn_ctx()));
    }
    struct mod m;
    modulus(&m, n);
    for (limb_t base = 2; base < 100; base++)
        assert_true(composite[base] || miller_rabin(base, &m));
    check_verdict(n, 0);
    BN_free(p), BN_free(n), BN_free(f);
}

/* p and 2 p - 1 prime: n = p (2 p - 1) has as many strong liars as there can be: a quarter. */
static void many_liars(void **state)
{
    (void)state;
    limb_t a[WIDTH];
    BIGNUM *p = BN_new(), *n = BN_new();
    for (int bits = 20; bits <= 220; bits += 100) {
        do {
            random_nat(a, WIDTH, bits);
            a[0] |= 3;
            bn_set_nat(p, a, WIDTH);
            assert_ssl(BN_lshift1(n, p) && BN_sub_word(n, 1));
        } while (!bn_is_prime(p) || !bn_is_prime(n));
        assert_ssl(BN_mul(n, n, p, bn_ctx()));
        check_verdict(n, 0);
        struct mod m;
        modulus(&m, n);
        int passed = 0;
        for (int i = 0; i < 400; i++) {
            random_residue(a, m.m, m.bits);
            passed += !declassify(nat_is_zero(a, m.n)) && declassify(prime_miller_rabin(a, &m));
        }
        assert_in_range(passed, 40, 160); /* expected 100 of 400 */
    }
    BN_free(p), BN_free(n);
}

/* (6k + 1)(12k + 1)(18k + 1), all three prime (Chernick, 1939). */
static void carmichael_numbers(void **state)
{
    (void)state;
    limb_t a[WIDTH];
    BIGNUM *k = BN_new(), *f = BN_new(), *n = BN_new();
    for (int bits = 10; bits <= 100; bits += 30) {
        int all;
        do {
            random_nat(a, WIDTH, bits);
            bn_set_nat(k, a, WIDTH);
            assert_ssl(BN_one(n));
            all = 1;
            for (BN_ULONG c = 6; c <= 18 && all; c += 6) {
                assert_ssl(BN_copy(f, k) && BN_mul_word(f, c) && BN_add_word(f, 1));
                assert_ssl(BN_mul(n, n, f, bn_ctx()));
                all = bn_is_prime(f);
            }
        } while (!all);
        check_verdict(n, 0);
    }
    BN_free(k), BN_free(f), BN_free(n);
}

/* 1093^2 and 3511^2 are strong pseudoprimes to base 2, so that Lucas has to tell them, for which no
 * parameters exist. */
static void squares_of_primes(void **state)
{
    (void)state;
    static const BN_ULONG wieferich[] = {1093, 3511};
    limb_t a[WIDTH];
    BIGNUM *b = BN_new();
    for (int i = 0; i < 2; i++) {
        struct mod m;
        assert_ssl(BN_set_word(b, wieferich[i] * wieferich[i]));
        modulus(&m, b);
        assert_true(miller_rabin(2, &m));
        check_verdict(b, 0);
    }
    for (int bits = 3; bits <= 515; bits += 8) {
        do {
            random_modulus(a, bits);
            bn_set_nat(b, a, LIMBS_OF_BITS(bits));
        } while (!bn_is_prime(b));
        check_verdict(b, 1);
        assert_ssl(BN_sqr(b, b, bn_ctx()));
        check_verdict(b, 0);
    }
    BN_free(b);
}

/* Primes p = 1 mod 8 and mod every odd prime to 41: (D | p) = 1 for the first 19 of Selfridge's D,
 * so that p is looked at as a square. */
static void primes_without_small_parameters(void **state)
{
    (void)state;
    BIGNUM *step = decimal("1217001054108840"), *b = BN_new();
    int primes = 0;
    for (BN_ULONG k = 1; primes < 5; k++) {
        assert_non_null(BN_copy(b, step));
        assert_ssl(BN_mul_word(b, k) && BN_add_word(b, 1));
        if (bn_is_prime(b)) {
            check_verdict(b, 1);
            primes++;
        }
    }
    BN_free(step), BN_free(b);
}

/* v (2^64 + 1) and v (2^128 + 1) end in the limbs of the prime v, but are none. */
static void multiples_that_look_like_small_primes(void **state)
{
    (void)state;
    BIGNUM *b = BN_new();
    for (BN_ULONG v = 3; v < 32; v += 2)
        for (int bits = 64; bits <= 128; bits += 64) {
            assert_ssl(BN_one(b) && BN_lshift(b, b, bits) && BN_add_word(b, 1));
            assert_ssl(BN_mul_word(b, v));
            check_verdict(b, 0);
        }
    BN_free(b);
}

/* slow_prime.c goes on to 1024. */
static void near_powers_of_two(void **state)
{
    (void)state;
    static const int more[] = {191, 192, 193, 255, 256, 257, 511, 512, 513, 0};
    for (int k = 3; k <= 130; k++)
        check_near_power(k);
    for (int i = 0; more[i]; i++)
        check_near_power(more[i]);
}

/* --- What the searches find --- */

struct log {
    unsigned long calls, last, stop_at;
};

static int note(void *context, unsigned long tried)
{
    struct log *log = context;
    log->calls++;
    log->last = tried;
    return log->stop_at != 0 && tried >= log->stop_at;
}

static void random_primes(void **state)
{
    (void)state;
    static const int sizes[] = {17,  18,  31,  32,  33,  63,  64,  65,  127,
                                128, 129, 255, 256, 257, 512, 521, 768, 1024};
    static const uint32_t exponents[] = {0, 3, 15, 17, 65537, 16777215};
    limb_t p[WIDTH];
    BIGNUM *b = BN_new(), *e = BN_new();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof exponents / sizeof *exponents; j++) {
            int bits = sizes[i];
            if (bits > 257 && j != i % 6)
                continue;
            assert_null(prime_random(p, bits, exponents[j], NULL));
            bn_set_nat(b, p, LIMBS_OF_BITS(bits));
            assert_int_equal(BN_num_bits(b), bits);
            assert_true(BN_is_bit_set(b, bits - 2));
            assert_true(bn_is_prime(b));
            if (exponents[j] == 0)
                continue;
            assert_ssl(BN_sub_word(b, 1) && BN_set_word(e, exponents[j]));
            assert_ssl(BN_gcd(b, b, e, bn_ctx()));
            assert_true(BN_is_one(b));
        }
    BN_free(b), BN_free(e);
}

/* There are 2800 primes of 17 bits with both top bits: 400 draws of equally likely ones repeat less
 * than 40 times; and no residue modulo a small prime is left out. */
static void random_primes_differ(void **state)
{
    (void)state;
    static uint8_t seen[1 << 17];
    int repeated = 0, residue[7] = {0};
    for (int i = 0; i < 400; i++) {
        limb_t p[WORDS];
        assert_null(prime_random(p, 17, 0, NULL));
        uint32_t v = nat_div_word(NULL, p, 1 << 20, LIMBS_OF_BITS(17));
        repeated += seen[v];
        seen[v] = 1;
        residue[v % 7]++;
    }
    assert_in_range(repeated, 1, 80);
    assert_int_equal(residue[0], 0);
    for (int i = 1; i < 7; i++)
        assert_in_range(residue[i], 30, 110);
}

/* One candidate in 512 ln 2/(e^gamma ln 84047) = 17.6 that leave the sieve is prime; and one in
 * (256 ln 2)^2/(3.17 ln(2048)^2) = 171 a safe one. */
static void sieves_are_worth_it(void **state)
{
    (void)state;
    struct log log = {0, 0, 0};
    struct tahr_watch watch = {note, &log};
    limb_t p[WIDTH];
    for (int i = 0; i < 30; i++)
        assert_null(prime_random(p, 512, 65537, &watch));
    assert_in_range(log.calls, 30 * 4, 30 * 45);
    log.calls = 0;
    for (int i = 0; i < 30; i++)
        assert_null(prime_safe_vartime(p, 256, &watch));
    assert_in_range(log.calls, 30 * 45, 30 * 450);
}

static void safe_primes(void **state)
{
    (void)state;
    static const int sizes[] = {16, 17, 24, 31, 32, 33, 63, 64, 65, 66, 128, 129, 256, 512};
    limb_t p[WIDTH];
    BIGNUM *b = BN_new();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int j = 0; j < (sizes[i] < 100 ? 20 : 2); j++) {
            assert_null(prime_safe_vartime(p, sizes[i], NULL));
            assert_int_equal(prime_safe_check_vartime(p, LIMBS_OF_BITS(sizes[i]), 2), 1);
            bn_set_nat(b, p, LIMBS_OF_BITS(sizes[i]));
            assert_int_equal(BN_num_bits(b), sizes[i]);
            assert_int_equal(BN_mod_word(b, 24), 23);
            assert_true(bn_is_prime(b));
            assert_ssl(BN_rshift1(b, b));
            assert_true(bn_is_prime(b));
        }
    BN_free(b);
}

/* A prime p whose q is composite, and a composite p whose q is prime, are refused. */
static void unsafe_primes(void **state)
{
    (void)state;
    limb_t a[WIDTH];
    BIGNUM *p = BN_new(), *q = BN_new();
    int p_only = 0, q_only = 0;
    while (p_only < 5 || q_only < 5) {
        random_modulus(a, 100);
        bn_set_nat(q, a, LIMBS_OF_BITS(100));
        assert_ssl(BN_lshift1(p, q) && BN_add_word(p, 1));
        if (bn_is_prime(p) == bn_is_prime(q))
            continue;
        p_only += bn_is_prime(p);
        q_only += bn_is_prime(q);
        nat_of_bn(a, WIDTH, p);
        assert_int_equal(prime_safe_check_vartime(a, WIDTH, 2), 0);
    }
    BN_free(p), BN_free(q);
}

static void searches_can_be_watched_and_stopped(void **state)
{
    (void)state;
    limb_t p[WIDTH], zero[WIDTH] = {0};
    for (unsigned long stop_at = 1; stop_at <= 3; stop_at++) {
        struct log log = {0, 0, stop_at};
        struct tahr_watch watch = {note, &log};
        tahr_err err = prime_random(p, 2048, 65537, &watch);
        if (err == NULL)
            continue; /* once in fifty times the first candidates are prime */
        assert_int_equal(err->code, TAHR_STOPPED);
        assert_int_equal(log.calls, stop_at);
        assert_int_equal(log.last, stop_at);
        assert_memory_equal(p, zero, sizeof p);
        log = (struct log){0, 0, stop_at};
        err = prime_safe_vartime(p, 1024, &watch);
        assert_non_null(err);
        assert_int_equal(err->code, TAHR_STOPPED);
        assert_int_equal(log.calls, stop_at);
        assert_int_equal(log.last, stop_at);
    }
}

/* Not below FIPS 186-5 table B.1, and never more rounds for longer numbers. */
static void rounds(void **state)
{
    (void)state;
    assert_true(prime_rounds(1024) >= 5);
    assert_true(prime_rounds(1536) >= 4);
    assert_true(prime_rounds(2048) >= 4);
    for (int bits = 17; bits < NAT_MAX_BITS; bits++)
        assert_true(prime_rounds(bits) >= prime_rounds(bits + 1));
    assert_true(prime_rounds(NAT_MAX_BITS) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_below_a_million),
        cmocka_unit_test(secret_numbers_below_4096),
        cmocka_unit_test(baillie_psw_below_100000),
        cmocka_unit_test(safe_primes_below_100000),
        cmocka_unit_test(rounds_by_definition),
        cmocka_unit_test(many_twos),
        cmocka_unit_test(strong_pseudoprimes),
        cmocka_unit_test(arnault),
        cmocka_unit_test(many_liars),
        cmocka_unit_test(carmichael_numbers),
        cmocka_unit_test(squares_of_primes),
        cmocka_unit_test(primes_without_small_parameters),
        cmocka_unit_test(multiples_that_look_like_small_primes),
        cmocka_unit_test(near_powers_of_two),
        cmocka_unit_test(random_primes),
        cmocka_unit_test(random_primes_differ),
        cmocka_unit_test(sieves_are_worth_it),
        cmocka_unit_test(safe_primes),
        cmocka_unit_test(unsafe_primes),
        cmocka_unit_test(searches_can_be_watched_and_stopped),
        cmocka_unit_test(rounds),
    };
    if (secret_init() != 0)
        return 1;
    fill_composite();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
