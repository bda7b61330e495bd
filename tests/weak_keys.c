/* Weak keys; see weak_keys.h. */
#include "weak_keys.h"

#include "bn.h"
#include "keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint8_t memory[8192];

static BIGNUM *word(BN_ULONG w)
{
    BIGNUM *b = BN_new();

    assert_ssl(BN_set_word(b, w));
    return b;
}

/* a op b, which are freed. */
static BIGNUM *times(BIGNUM *a, BIGNUM *b)
{
    assert_ssl(BN_mul(a, a, b, bn_ctx()));
    BN_free(b);
    return a;
}

static BIGNUM *plus(BIGNUM *a, BIGNUM *b)
{
    assert_ssl(BN_add(a, a, b));
    BN_free(b);
    return a;
}

static BIGNUM *minus_word(BIGNUM *a, BN_ULONG w)
{
    assert_ssl(BN_sub_word(a, w));
    return a;
}

static int is_prime(const BIGNUM *p)
{
    return BN_check_prime(p, bn_ctx(), NULL) == 1;
}

/* The next prime from p on, which is changed. */
static BIGNUM *next_prime(BIGNUM *p)
{
    assert_ssl(BN_set_bit(p, 0));
    while (!is_prime(p))
        assert_ssl(BN_add_word(p, 2));
    return p;
}

BIGNUM *weak_prime(int bits)
{
    BIGNUM *p = BN_new();

    do
        assert_ssl(BN_generate_prime_ex2(p, bits, 0, NULL, NULL, NULL, bn_ctx()));
    while (BN_mod_word(p, 65537) == 1);
    return p;
}

/* --- Files --- */

static struct bytes end(const struct der_out *out)
{
    struct bytes der;

    assert_null(der_out_end(&der, out));
    return der;
}

struct bytes weak_rsa(const BIGNUM *n, const BIGNUM *e)
{
    struct der_out out;

    der_out_init(&out, memory, sizeof memory);
    put_bn(&out, e);
    put_bn(&out, n);
    der_wrap(&out, DER_SEQUENCE, out.end);
    return end(&out);
}

static struct bytes rsa_of(BIGNUM *n, BIGNUM *e)
{
    struct bytes der = weak_rsa(n, e);

    BN_free(n);
    BN_free(e);
    return der;
}

/* The private key of p and q, after a change. */
static struct bytes rsa_private(BIGNUM *p, BIGNUM *q, void (*change)(struct rsa_numbers *r))
{
    struct rsa_numbers r = rsa_numbers_of(p, q);
    struct bytes der;

    if (change != NULL)
        change(&r);
    der = rsa_numbers_der(memory, sizeof memory, &r, 0);
    rsa_numbers_free(&r);
    BN_free(p);
    BN_free(q);
    return der;
}

/* Parameters p, g, q (q may be NULL), and the key in a BIT STRING or an OCTET STRING. */
static struct bytes elgamal_file(const BIGNUM *p, const BIGNUM *g, const BIGNUM *q,
                                 const BIGNUM *number, int private)
{
    static const char oid[] = "\x2a\x86\x48\xce\x3e\x02\x01";
    struct der_out out;
    const uint8_t *at;

    der_out_init(&out, memory, sizeof memory);
    put_bn(&out, number);
    if (!private)
        der_put_bytes(&out, "\0", 1);
    der_wrap(&out, private ? DER_OCTET_STRING : DER_BIT_STRING, out.end);
    const uint8_t *params = out.p;
    if (q != NULL)
        put_bn(&out, q);
    put_bn(&out, g);
    put_bn(&out, p);
    der_wrap(&out, DER_SEQUENCE, params);
    at = out.p;
    der_put_bytes(&out, oid, 7);
    der_wrap(&out, DER_OID, at);
    der_wrap(&out, DER_SEQUENCE, params);
    if (private)
        der_put_uint(&out, 0);
    der_wrap(&out, DER_SEQUENCE, out.end);
    return end(&out);
}

struct bytes weak_elgamal(const BIGNUM *p, const BIGNUM *g, const BIGNUM *q, const BIGNUM *y)
{
    return elgamal_file(p, g, q, y, 0);
}

static struct bytes elgamal_of(BIGNUM *p, BIGNUM *g, BIGNUM *number, int private)
{
    struct bytes der = elgamal_file(p, g, NULL, number, private);

    BN_free(p);
    BN_free(g);
    BN_free(number);
    return der;
}

/* --- RSA --- */

static struct bytes public(int bits)
{
    return rsa_of(times(weak_prime(bits / 2), weak_prime(bits / 2)), word(65537));
}

static struct bytes private(int bits)
{
    return rsa_private(weak_prime(bits / 2), weak_prime(bits / 2), NULL);
}

static struct bytes very_short(int unused)
{
    (void)unused;
    return rsa_of(word(3 * 5), word(3));
}

static struct bytes exponent(int e)
{
    return rsa_of(times(weak_prime(1024), weak_prime(1024)), word((BN_ULONG)e));
}

static struct bytes e_like_n(int unused)
{
    (void)unused;
    return rsa_of(times(weak_prime(1024), weak_prime(1024)), weak_prime(2040));
}

static struct bytes even(int unused)
{
    (void)unused;
    return rsa_of(times(weak_prime(2047), word(2)), word(65537));
}

static struct bytes tiny_factor(int unused)
{
    (void)unused;
    return rsa_of(times(weak_prime(2040), word(65521)), word(65537));
}

static struct bytes prime_modulus(int unused)
{
    (void)unused;
    return rsa_of(weak_prime(2048), word(65537));
}

static struct bytes power(int k)
{
    BIGNUM *p = weak_prime(2080 / k), *n = word(1);

    for (int i = 0; i < k; i++)
        assert_ssl(BN_mul(n, n, p, bn_ctx()));
    BN_free(p);
    return rsa_of(n, word(65537));
}

/* q is the next prime after p + 2^bits.  Fermat takes (p - q)^2 / 8 sqrt(n) steps: some hundreds
 * for 518 bits. */
static struct bytes close_by(int bits)
{
    BIGNUM *p = weak_prime(1024), *q = BN_dup(p), *gap = word(1);

    assert_ssl(BN_lshift(gap, gap, bits));
    return rsa_of(times(next_prime(plus(q, gap)), p), word(65537));
}

/* Fermat's method would take 2^(2 * 920 - 3 - 1024) steps, but FIPS 186-5 forbids it. */
static struct bytes close_private(int unused)
{
    BIGNUM *p = weak_prime(1024), *q = BN_dup(p), *gap = weak_prime(920);

    (void)unused;
    return rsa_private(p, next_prime(plus(q, gap)), NULL);
}

/* p = k M + (65537^a mod M) of 1024 bits; M the product of the first 126 primes (971 bits). */
static BIGNUM *roca_prime(void)
{
    BIGNUM *m = word(1), *p = BN_new(), *k = BN_new(), *a = BN_new(), *f4 = word(65537);
    BN_ULONG n = 2;

    for (int i = 0; i < 126; n++) {
        BIGNUM *b = word(n);
        if (is_prime(b)) {
            assert_ssl(BN_mul_word(m, n));
            i++;
        }
        BN_free(b);
    }
    do {
        assert_ssl(BN_rand(a, 62, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY));
        assert_ssl(BN_rand(k, 1024 - BN_num_bits(m), BN_RAND_TOP_TWO, BN_RAND_BOTTOM_ANY));
        assert_ssl(BN_mod_exp(p, f4, a, m, bn_ctx()));
        assert_ssl(BN_mul(k, k, m, bn_ctx()));
        assert_ssl(BN_add(p, p, k));
    } while (!is_prime(p));
    BN_free(m);
    BN_free(k);
    BN_free(a);
    BN_free(f4);
    return p;
}

static struct bytes roca(int unused)
{
    (void)unused;
    return rsa_of(times(roca_prime(), roca_prime()), word(65537));
}

static int is_small_prime(int n)
{
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return 1;
}

/* p - 1 is 2 times different random primes between 2^9 and 2^11. */
static BIGNUM *smooth_prime(void)
{
    BIGNUM *p = BN_new();

    do {
        char used[1 << 11] = {0};
        assert_ssl(BN_set_word(p, 2));
        while (BN_num_bits(p) < 1024) {
            int r = (1 << 9) + rand() % (3 << 9);
            if (used[r] || !is_small_prime(r))
                continue;
            used[r] = 1;
            assert_ssl(BN_mul_word(p, (BN_ULONG)r));
        }
        assert_ssl(BN_add_word(p, 1));
    } while (!is_prime(p));
    return p;
}

static struct bytes smooth(int unused)
{
    (void)unused;
    return rsa_of(times(smooth_prime(), weak_prime(1024)), word(65537));
}

static struct bytes both_smooth(int unused)
{
    (void)unused;
    return rsa_of(times(smooth_prime(), smooth_prime()), word(65537));
}

/* e = d^-1 modulo (p - 1)(q - 1), for a d of so many bits; modulo lcm(p - 1, q - 1) if negative. */
static struct bytes d_of(int bits)
{
    BIGNUM *p = weak_prime(1024), *q = weak_prime(1024), *n = BN_new(), *d = weak_prime(abs(bits));
    BIGNUM *e = BN_new(), *gcd = BN_new();

    assert_ssl(BN_mul(n, p, q, bn_ctx()));
    minus_word(p, 1);
    minus_word(q, 1);
    assert_ssl(BN_gcd(gcd, p, q, bn_ctx()));
    if (bits < 0)
        assert_ssl(BN_div(p, NULL, p, gcd, bn_ctx()));
    assert_ssl(BN_mul(p, p, q, bn_ctx()));
    assert_non_null(BN_mod_inverse(e, d, p, bn_ctx()));
    BN_free(p);
    BN_free(q);
    BN_free(d);
    BN_free(gcd);
    return rsa_of(n, e);
}

static void change_dp(struct rsa_numbers *r)
{
    assert_ssl(BN_add_word(r->dp, 2));
}

static struct bytes inconsistent(int unused)
{
    (void)unused;
    return rsa_private(weak_prime(1024), weak_prime(1024), change_dp);
}

static struct bytes composite(int unused)
{
    (void)unused;
    return rsa_private(weak_prime(1024), times(weak_prime(500), weak_prime(524)), NULL);
}

static struct bytes unbalanced(int unused)
{
    (void)unused;
    return rsa_private(weak_prime(1793), weak_prime(256), NULL);
}

static void change_e(struct rsa_numbers *r)
{
    assert_ssl(BN_set_word(r->e, 4));
}

static struct bytes even_private(int unused)
{
    (void)unused;
    return rsa_private(weak_prime(1024), weak_prime(1024), change_e);
}

/* --- ElGamal --- */

static BIGNUM *safe_prime(void)
{
    BIGNUM *p = NULL;

    assert_ssl(BN_hex2bn(&p, keys_safe_prime));
    return p;
}

static struct bytes good_elgamal(int unused)
{
    (void)unused;
    return elgamal_of(safe_prime(), word(2), word(4), 0);
}

static struct bytes good_elgamal_private(int unused)
{
    (void)unused;
    return elgamal_of(safe_prime(), word(2), word(77), 1);
}

static struct bytes short_group(int unused)
{
    (void)unused;
    return elgamal_of(BN_get_rfc3526_prime_1536(NULL), word(2), word(4), 0);
}

static struct bytes short_unsafe_group(int unused)
{
    BIGNUM *p = weak_prime(512), *q = BN_new();

    (void)unused;
    for (;; next_prime(p)) {
        assert_ssl(BN_rshift1(q, p));
        if (!is_prime(q))
            break;
        assert_ssl(BN_add_word(p, 2));
    }
    BN_free(q);
    return elgamal_of(p, word(2), word(4), 0);
}

static struct bytes long_group(int unused)
{
    BIGNUM *p = word(1);

    (void)unused;
    assert_ssl(BN_lshift(p, p, 8192));
    assert_ssl(BN_set_bit(p, 0));
    return elgamal_of(p, word(2), word(4), 0);
}

static struct bytes composite_group(int unused)
{
    (void)unused;
    return elgamal_of(times(weak_prime(1024), weak_prime(1024)), word(2), word(4), 0);
}

/* A DSA-type group: p = 1 mod q for a q of 256 bits; g = 2^((p-1)/q), y = g^2. */
static struct bytes dsa_group(int unused)
{
    BIGNUM *q = weak_prime(256), *p = BN_new(), *k = BN_new(), *g = word(2), *y = BN_new();
    struct bytes der;

    (void)unused;
    do {
        assert_ssl(BN_rand(k, 1792, BN_RAND_TOP_TWO, BN_RAND_BOTTOM_ANY));
        assert_ssl(BN_clear_bit(k, 0) >= 0);
        assert_ssl(BN_mul(p, k, q, bn_ctx()));
        assert_ssl(BN_add_word(p, 1));
    } while (!is_prime(p));
    assert_ssl(BN_mod_exp(g, g, k, p, bn_ctx()));
    assert_ssl(BN_mod_sqr(y, g, p, bn_ctx()));
    der = weak_elgamal(p, g, q, y);
    BN_free(q);
    BN_free(p);
    BN_free(k);
    BN_free(g);
    BN_free(y);
    return der;
}

static struct bytes generator(int g)
{
    return elgamal_of(safe_prime(), word((BN_ULONG)g), word(4), 0);
}

static struct bytes y_is(int y)
{
    return elgamal_of(safe_prime(), word(2), word((BN_ULONG)y), 0);
}

static struct bytes g_minus_1(int unused)
{
    (void)unused;
    return elgamal_of(safe_prime(), minus_word(safe_prime(), 1), word(4), 0);
}

/* -2 is no residue for p = 7 mod 8. */
static struct bytes full_generator(int unused)
{
    (void)unused;
    return elgamal_of(safe_prime(), minus_word(safe_prime(), 2), word(4), 0);
}

static struct bytes y_minus_2(int unused)
{
    (void)unused;
    return elgamal_of(safe_prime(), word(2), minus_word(safe_prime(), 2), 0);
}

static struct bytes y_p(int unused)
{
    (void)unused;
    return elgamal_of(safe_prime(), word(2), safe_prime(), 0);
}

static struct bytes y_long(int unused)
{
    (void)unused;
    return elgamal_of(safe_prime(), word(2), times(safe_prime(), safe_prime()), 0);
}

static struct bytes x_0(int unused)
{
    (void)unused;
    return elgamal_of(safe_prime(), word(2), word(0), 1);
}

static struct bytes x_q(int unused)
{
    BIGNUM *q = safe_prime();

    (void)unused;
    assert_ssl(BN_rshift1(q, q));
    return elgamal_of(safe_prime(), word(2), q, 1);
}

const struct weak_key weak_keys[] = {
    {"a good public key", "", public, 2048},
    {"a good private key", "", private, 2048},
    {"1024 bits", "rsa-short", public, 1024},
    {"1024 bits, private", "rsa-short", private, 1024},
    {"n = 15", "rsa-short", very_short, 0},
    {"e = 0", "rsa-exponent-one", exponent, 0},
    {"e = 1", "rsa-exponent-one", exponent, 1},
    {"e = 2", "rsa-exponent-even", exponent, 2},
    {"e = 2^24 + 1", "rsa-exponent-large", exponent, (1 << 24) + 1},
    {"e of 2040 bits", "rsa-exponent-large", e_like_n, 0},
    {"e = 4, private", "rsa-exponent-even", even_private, 0},
    {"even n", "rsa-tiny-factor", even, 0},
    {"n = 65521 p", "rsa-tiny-factor", tiny_factor, 0},
    {"prime n", "rsa-prime-modulus", prime_modulus, 0},
    {"p^2", "rsa-power", power, 2},
    {"p^3", "rsa-power", power, 3},
    {"p^31", "rsa-power", power, 31},
    {"q next to p", "rsa-close-primes", close_by, 1},
    {"some hundred steps of Fermat", "rsa-close-primes", close_by, 518},
    {"|p - q| of 920 bits", "rsa-close-primes", close_private, 0},
    {"ROCA", "rsa-roca", roca, 0},
    {"smooth p - 1", "rsa-smooth", smooth, 0},
    {"smooth p - 1 and q - 1", "rsa-smooth", both_smooth, 0},
    {"d of 508 bits", "rsa-exponent-large rsa-small-d", d_of, 508},
    {"d of 490 bits, modulo lambda", "rsa-exponent-large rsa-small-d", d_of, -490},
    {"d of 17 bits", "rsa-exponent-large rsa-small-d", d_of, 17},
    {"d of 530 bits, beyond Wiener", "rsa-exponent-large", d_of, 530},
    {"dP + 2", "rsa-inconsistent", inconsistent, 0},
    {"q composite", "rsa-composite", composite, 0},
    {"q of 256 bits", "rsa-unbalanced", unbalanced, 0},
    {"a good ElGamal key", "", good_elgamal, 0},
    {"a good private ElGamal key", "", good_elgamal_private, 0},
    {"p of 1536 bits", "elgamal-short", short_group, 0},
    {"p of 512 bits, not safe", "elgamal-short elgamal-unsafe", short_unsafe_group, 0},
    {"p of 8193 bits", "elgamal-long", long_group, 0},
    {"p composite", "elgamal-composite", composite_group, 0},
    {"a DSA-type group", "elgamal-unsafe", dsa_group, 0},
    {"g = 1", "elgamal-bad-generator", generator, 1},
    {"g = p - 1", "elgamal-bad-generator", g_minus_1, 0},
    {"g = p - 2", "elgamal-full-generator", full_generator, 0},
    {"y = 0", "elgamal-bad-y", y_is, 0},
    {"y = 1", "elgamal-bad-y", y_is, 1},
    {"y = p - 2", "elgamal-bad-y", y_minus_2, 0},
    {"y = p", "elgamal-bad-y", y_p, 0},
    {"y of twice the length", "elgamal-bad-y", y_long, 0},
    {"x = 0", "elgamal-bad-x", x_0, 0},
    {"x = q", "elgamal-bad-x", x_q, 0},
};
const size_t weak_key_count = sizeof weak_keys / sizeof *weak_keys;
