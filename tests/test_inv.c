/* Inverse, Jacobi symbol and gcd, in constant and in variable time: batches of divsteps against
 * their definition, every operand of one small limb, two small limbs against Euclid, then OpenSSL's
 * BN. */
#include "bn.h"
#include "edges.h"
#include "mod.h"
#include "safegcd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Time goes with the square of the length over the limb: keep each limb size within seconds. */
#define BITS_MAX (LIMB_BITS == 8 ? 1025 : LIMB_BITS == 16 ? 2048 : LIMB_BITS == 32 ? 4096 : 8192)

static struct mod m;
static limb_t p[NAT_MAX], a[NAT_MAX], b[NAT_MAX], r[NAT_MAX], z[NAT_MAX];
static BIGNUM *bp, *ba, *br;

/* r = garbage, so that what a function leaves alone is seen. */
static void spoil(int n)
{
    memset(r, 0x55, (size_t)n * sizeof *r);
}

/* want (m.n limbs) is a^-1, or 0 if there is none: all four calls say so. */
static void check_inverse(const limb_t *want)
{
    int exists = !declassify(nat_is_zero(want, m.n)); /* a test has no secrets */
    size_t size = (size_t)m.n * sizeof *r;
    spoil(m.n);
    assert_int_equal(declassify(mod_inv(r, a, &m)), exists);
    assert_memory_equal(r, want, size);
    spoil(m.n);
    assert_int_equal(mod_inv_vartime(r, a, &m), exists - 1);
    assert_memory_equal(r, want, size);
    nat_copy(r, a, m.n);
    assert_int_equal(declassify(mod_inv(r, r, &m)), exists);
    assert_memory_equal(r, want, size);
    nat_copy(r, a, m.n);
    assert_int_equal(mod_inv_vartime(r, r, &m), exists - 1);
    assert_memory_equal(r, want, size);
}

static void check_jacobi(int want)
{
    assert_int_equal(mod_jacobi(a, &m), want);
    assert_int_equal(mod_jacobi_vartime(a, &m), want);
}

/* want = gcd(a, b), for both orders and both aliases. */
static void check_gcd(const limb_t *want, int n)
{
    size_t size = (size_t)n * sizeof *r;
    spoil(n);
    nat_gcd(r, a, b, n);
    assert_memory_equal(r, want, size);
    nat_copy(r, a, n);
    nat_gcd(r, b, r, n);
    assert_memory_equal(r, want, size);
    spoil(n);
    nat_gcd_vartime(r, a, b, n);
    assert_memory_equal(r, want, size);
    nat_copy(r, a, n);
    nat_gcd_vartime(r, b, r, n);
    assert_memory_equal(r, want, size);
}

/* --- Batches --- */

/* W divsteps by definition, delta = -zeta - shift / 2; returns the last zeta. */
static int_fast32_t plain_divsteps(struct matrix *t, int shift, int_fast32_t zeta, sdlimb_t f,
                                   sdlimb_t g)
{
    sdlimb_t u = 1, v = 0, q = 0, w = 1;
    for (int i = 0; i < DIGIT_BITS; i++) {
        if (zeta < 0 && g & 1) {
            sdlimb_t f0 = f, u0 = u, v0 = v;
            f = g, g = (sdlimb_t)((g - f0) / 2);
            u = (sdlimb_t)(2 * q), q = (sdlimb_t)(q - u0);
            v = (sdlimb_t)(2 * w), w = (sdlimb_t)(w - v0);
            zeta = -zeta - 1 - shift;
        } else {
            sdlimb_t odd = g & 1;
            g = (sdlimb_t)((g + odd * f) / 2);
            q = (sdlimb_t)(q + odd * u), w = (sdlimb_t)(w + odd * v);
            u = (sdlimb_t)(2 * u), v = (sdlimb_t)(2 * v);
            zeta--;
        }
    }
    *t = (struct matrix){(slimb_t)u, (slimb_t)v, (slimb_t)q, (slimb_t)w};
    return zeta;
}

static void check_batch(int_fast32_t zeta, limb_t f, limb_t g)
{
    struct matrix want, got;
    struct signs s;
    int_fast32_t next = plain_divsteps(&want, 1, zeta, f, g);
    assert_int_equal(safegcd_divsteps(&got, zeta, f, g), next);
    assert_memory_equal(&got, &want, sizeof got);
    assert_int_equal(safegcd_divsteps_signs(&got, &s, zeta, f, g), next);
    assert_memory_equal(&got, &want, sizeof got);
    next = plain_divsteps(&want, 0, zeta, f, g);
    assert_int_equal(safegcd_divsteps_vartime(&got, zeta, f, g), next);
    assert_memory_equal(&got, &want, sizeof got);
    assert_int_equal(safegcd_divsteps_signs_vartime(&got, &s, zeta, f, g), next);
    assert_memory_equal(&got, &want, sizeof got);
}

/* With limbs of 8 bits, every low word. */
static void batches(void **state)
{
    (void)state;
    for (int_fast32_t zeta = -DIGIT_BITS - 2; zeta <= DIGIT_BITS + 2; zeta++) {
        for (unsigned i = 0; i < (LIMB_BITS == 8 ? 128u * 256u : 500); i++) {
            uint64_t x = LIMB_BITS == 8 ? i : test_random(),
                     y = LIMB_BITS == 8 ? i / 128 : test_random();
            check_batch(zeta, (limb_t)(2 * x + 1), (limb_t)y);
        }
    }
}

/* --- Words: the definitions themselves --- */

static unsigned word_gcd(unsigned x, unsigned y)
{
    return y == 0 ? x : word_gcd(y, x % y);
}

/* x^-1 mod n, or 0: the extended Euclidean algorithm. */
static unsigned word_inverse(unsigned x, unsigned n)
{
    long r0 = n, r1 = x, t0 = 0, t1 = 1;
    while (r1 != 0) {
        long quot = r0 / r1, r2 = r0 - quot * r1, t2 = t0 - quot * t1;
        r0 = r1, r1 = r2, t0 = t1, t1 = t2;
    }
    return r0 != 1 ? 0 : (unsigned)(t0 < 0 ? t0 + (long)n : t0);
}

/* (x | n) for odd n: the product over the primes q of n of x^((q-1)/2) mod q. */
static int word_jacobi(unsigned x, unsigned n)
{
    int j = 1;
    for (unsigned q = 3; n > 1; q += 2) {
        q = q * q > n ? n : q;
        for (; n % q == 0; n /= q) {
            uint64_t power = 1, base = x % q;
            for (unsigned e = (q - 1) / 2; e > 0; e /= 2, base = base * base % q)
                power = e % 2 ? power * base % q : power;
            j *= power == q - 1 ? -1 : (int)power;
        }
    }
    return j;
}

static void limbs_of_word(limb_t *x, int n, unsigned w)
{
    for (int i = 0; i < n; i++)
        x[i] = (limb_t)((uint64_t)w >> (i * LIMB_BITS < 63 ? i * LIMB_BITS : 63));
}

static void modulus_of_word(unsigned n)
{
    int bits = 0;
    while (n >> bits)
        bits++;
    limbs_of_word(p, LIMBS_OF_BITS(bits), n);
    assert_int_equal(mod_init(&m, p, bits), 0);
}

static void check_words(unsigned x, unsigned n)
{
    limb_t want[2] = {0};
    limbs_of_word(a, m.n, x);
    limbs_of_word(want, m.n, word_inverse(x, n));
    check_inverse(want);
    check_jacobi(word_jacobi(x, n));
}

/* Every a below every odd modulus of a byte. */
static void every_byte(void **state)
{
    (void)state;
    for (unsigned n = 3; n < 256; n += 2) {
        modulus_of_word(n);
        for (unsigned x = 0; x < n; x++)
            check_words(x, n);
    }
}

static void every_gcd_of_bytes(void **state)
{
    (void)state;
    limb_t want[1];
    for (unsigned x = 0; x < 256; x++) {
        for (unsigned y = 0; y < 256; y++) {
            limbs_of_word(a, 1, x);
            limbs_of_word(b, 1, y);
            limbs_of_word(want, 1, word_gcd(x, y));
            check_gcd(want, 1);
        }
    }
}

/* Moduli of 16 bits with long runs, or many divisors, or none: every 7th a, or thereabouts. */
static void two_bytes(void **state)
{
    (void)state;
    static const unsigned moduli[] = {257,   511,   513,   1023,  4095,  32767, 32769, 32771,
                                      45045, 43691, 61681, 65025, 65279, 65521, 65533, 65535};
    for (size_t i = 0; i < sizeof moduli / sizeof *moduli; i++) {
        unsigned n = moduli[i];
        modulus_of_word(n);
        check_words(0, n);
        check_words(n - 1, n);
        for (unsigned x = 1; x < n; x += 1 + (unsigned)(test_random() % 13))
            check_words(x, n);
    }
    for (int i = 0; i < 60000; i++) {
        unsigned n = (unsigned)(test_random() >> 48) | 1, x = (unsigned)(test_random() >> 48);
        n = n < 3 ? 3 : n;
        modulus_of_word(n);
        check_words(x % n, n);
    }
}

static void two_byte_gcds(void **state)
{
    (void)state;
    int n = LIMBS_OF_BITS(16);
    limb_t want[2];
    for (int i = 0; i < 60000; i++) {
        unsigned x = (unsigned)(test_random() >> 48), y = (unsigned)(test_random() >> 48);
        if (i % 2) { /* a common factor, often even */
            unsigned d = (unsigned)(test_random() >> 57) + 1;
            x -= x % d, y -= y % d;
        }
        limbs_of_word(a, n, x);
        limbs_of_word(b, n, y);
        limbs_of_word(want, n, word_gcd(x, y));
        check_gcd(want, n);
    }
}

/* --- OpenSSL --- */

/* a modulo m, against BN. */
static void check_residue(void)
{
    bn_set_nat(ba, a, m.n);
    nat_zero(z, m.n);
    assert_ssl(BN_gcd(br, ba, bp, bn_ctx()));
    if (BN_is_one(br)) {
        assert_non_null(BN_mod_inverse(br, ba, bp, bn_ctx()));
        nat_of_bn(z, m.n, br);
    }
    check_inverse(z);
    check_jacobi(BN_kronecker(ba, bp, bn_ctx()));
}

/* The modulus p of exactly so many bits. */
static void use_modulus(int bits)
{
    assert_int_equal(mod_init(&m, p, bits), 0);
    bn_set_nat(bp, p, m.n);
}

/* a = a random multiple of a random odd divisor d, and p = another, of that many bits about. */
static void share_factor(int bits)
{
    int n = LIMBS_OF_BITS(bits), half = bits / 2;
    BIGNUM *d = BN_new();
    random_nat(z, n, half);
    z[0] |= 3;
    bn_set_nat(d, z, n);
    random_nat(z, n, bits - half);
    z[0] |= 1;
    bn_set_nat(ba, z, n);
    assert_ssl(BN_mul(bp, d, ba, bn_ctx()));
    random_nat(z, n, bits - half);
    bn_set_nat(ba, z, n);
    assert_ssl(BN_mul(ba, d, ba, bn_ctx()));
    assert_ssl(BN_mod(ba, ba, bp, bn_ctx()));
    nat_of_bn(p, n, bp);
    nat_of_bn(a, n, ba);
    BN_free(d);
}

static void residues_of_length(int bits, int moduli, int residues)
{
    for (int i = 0; i < moduli; i++) {
        if (i < EDGES)
            edge_modulus(p, bits, i);
        else
            random_modulus(p, bits);
        use_modulus(bits);
        for (int j = 0; j<EDGES; j += moduli> EDGES ? 1 : 5) {
            edge_residue(a, p, bits, j);
            check_residue();
        }
        for (int j = 0; j < residues; j++) {
            random_residue(a, p, bits);
            check_residue();
        }
    }
}

static void edges_and_random(void **state)
{
    (void)state;
    for (const int *bits = edge_lengths; *bits && *bits <= BITS_MAX; bits++)
        residues_of_length(*bits, *bits <= 130 ? EDGES + 6 : 8, 4);
}

static void shared_factors(void **state)
{
    (void)state;
    for (const int *bits = edge_lengths; *bits && *bits <= BITS_MAX; bits++) {
        if (*bits < 8)
            continue;
        share_factor(*bits);
        use_modulus(nat_bits_vartime(p, LIMBS_OF_BITS(*bits)));
        check_residue();
    }
}

/* Many random pairs of a few digits, where a batch ends anywhere and signs meet in every way. */
static void many_random(void **state)
{
    (void)state;
    for (int i = 0; i < 10000; i++) {
        int bits = 2 + (int)(test_random() % (6 * LIMB_BITS));
        random_modulus(p, bits);
        use_modulus(bits);
        random_residue(a, p, bits);
        check_residue();
    }
}

static void long_numbers(void **state)
{
    (void)state;
    for (int bits = 1024; bits <= BITS_MAX; bits *= 2) {
        random_modulus(p, bits);
        use_modulus(bits);
        random_residue(a, p, bits);
        check_residue();
    }
    int most = LIMB_BITS < 32 ? NAT_MAX_BITS / 4 : NAT_MAX_BITS;
    random_modulus(p, most);
    use_modulus(most);
    edge_residue(a, p, most, (int)(test_random() % EDGES));
    check_residue();
}

/* gcd(a, b) against BN. */
static void check_gcd_bn(int n)
{
    bn_set_nat(ba, a, n);
    bn_set_nat(bp, b, n);
    assert_ssl(BN_gcd(br, ba, bp, bn_ctx()));
    nat_of_bn(z, n, br);
    check_gcd(z, n);
}

static void gcds(void **state)
{
    (void)state;
    for (const int *bits = edge_lengths; *bits && *bits <= BITS_MAX; bits++) {
        int n = LIMBS_OF_BITS(*bits);
        for (int i = 0; i < EDGES; i++) {
            edge_nat(a, n, *bits, i);
            for (int j = *bits <= 130 ? 0 : EDGES - 2; j < EDGES; j++) {
                edge_nat(b, n, *bits, j);
                check_gcd_bn(n);
            }
            random_nat(b, n, *bits);
            check_gcd_bn(n);
        }
        if (*bits >= 8) {
            share_factor(*bits);
            nat_shl(b, p, 1, n);
            nat_shl(a, a, *bits % 4, n);
            check_gcd_bn(n);
        }
    }
}

static void longest_gcd(void **state)
{
    (void)state;
    int most = LIMB_BITS < 32 ? NAT_MAX_BITS / 4 : NAT_MAX_BITS, n = LIMBS_OF_BITS(most);
    memset(b, 0xff, (size_t)n * sizeof *b);
    share_factor(most);
    nat_shl(a, a, 3, n);
    nat_copy(b, p, n);
    check_gcd_bn(n);
    nat_zero(a, n);
    nat_copy(b, a, n);
    a[n - 1] = b[n - 1] = (limb_t)((limb_t)1 << (LIMB_BITS - 1));
    check_gcd_bn(n);
}

int main(void)
{
    bp = BN_new(), ba = BN_new(), br = BN_new();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches),
        cmocka_unit_test(every_byte),
        cmocka_unit_test(every_gcd_of_bytes),
        cmocka_unit_test(two_bytes),
        cmocka_unit_test(two_byte_gcds),
        cmocka_unit_test(edges_and_random),
        cmocka_unit_test(shared_factors),
        cmocka_unit_test(many_random),
        cmocka_unit_test(long_numbers),
        cmocka_unit_test(gcds),
        cmocka_unit_test(longest_gcd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
