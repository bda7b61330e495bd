/* RSA keys and raw operations against OpenSSL: good keys of every shape, bad keys, faults. */
#include "bn.h"
#include "edges.h"
#include "rsa_ssl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/rsa.h>

static struct rsa_private *key; /* what each test works with */

/* c = m^e, or with decrypt m = c^d, as OpenSSL does it without padding.  Returns 1, or 0 when it
 * refuses. */
static int evp_raw(uint8_t *out, const uint8_t *in, size_t k, EVP_PKEY *pkey, int decrypt)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pkey, NULL);
    size_t len = k;
    assert_ssl(decrypt ? EVP_PKEY_decrypt_init(ctx) : EVP_PKEY_encrypt_init(ctx));
    assert_ssl(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING));
    int ok =
        decrypt ? EVP_PKEY_decrypt(ctx, out, &len, in, k) : EVP_PKEY_encrypt(ctx, out, &len, in, k);
    EVP_PKEY_CTX_free(ctx);
    assert_true(ok <= 0 || len == k);
    return ok > 0;
}

/* m^e and m^d by both, for m of k bytes. */
static void check_raw(const uint8_t *m, EVP_PKEY *pkey)
{
    uint8_t ours[RSA_MAX_LEN], theirs[RSA_MAX_LEN];
    size_t k = rsa_len(&key->pub);
    int ok = evp_raw(theirs, m, k, pkey, 0);
    assert_int_equal(rsa_public_op(ours, m, &key->pub) == NULL, ok);
    if (ok)
        assert_memory_equal(ours, theirs, k);
    ok = evp_raw(theirs, m, k, pkey, 1);
    tahr_err err = rsa_private_op(ours, m, key);
    assert_int_equal(err == NULL, ok);
    if (ok)
        assert_memory_equal(ours, theirs, k);
    else
        assert_int_equal(err->code, TAHR_BAD_MESSAGE);
}

static void check_key_against_evp(EVP_PKEY *pkey)
{
    uint8_t m[RSA_MAX_LEN];
    const struct mod *n = &key->pub.n;
    limb_t a[NAT_MAX];
    size_t k = rsa_len(&key->pub);
    for (int i = 0; i < EDGES; i += 3) {
        edge_residue(a, n->m, n->bits, i);
        nat_to_bytes(m, k, a, n->n);
        check_raw(m, pkey);
    }
    for (int i = 0; i < 3; i++) {
        random_residue(a, n->m, n->bits);
        nat_to_bytes(m, k, a, n->n);
        check_raw(m, pkey);
    }
    nat_to_bytes(m, k, n->m, n->n); /* n itself, and all ones */
    check_raw(m, pkey);
    memset(m, 0xff, k);
    check_raw(m, pkey);
}

/* Primes of equal and of different sizes, either first; sizes that are no whole limbs or bytes. */
static void keys_of_every_shape(void **state)
{
    (void)state;
    static const struct {
        int p_bits, q_bits;
        uint32_t e;
    } shape[] = {{512, 512, 65537}, {1024, 1024, 3}, {1300, 748, 65537}, {748, 1300, 17},
                 {515, 516, 3},     {513, 512, 5},   {961, 64, 65537},   {64, 961, 16777215},
                 {1500, 20, 257},   {700, 700, 7},   {1536, 1536, 65537}};
    struct rsa_fixture numbers = rsa_fixture_new();
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        rsa_fixture_random(&numbers, shape[i].p_bits, shape[i].q_bits, shape[i].e);
        assert_null(rsa_of_fixture(key, &numbers, 512));
        assert_int_equal(key->pub.n.bits, BN_num_bits(numbers.number[RSA_N]));
        EVP_PKEY *pkey = evp_of_rsa(key);
        check_key_against_evp(pkey);
        EVP_PKEY_free(pkey);
    }
    rsa_fixture_free(&numbers);
}

static void keys_made_by_openssl(void **state)
{
    (void)state;
    for (unsigned bits = 1024; bits <= 2048; bits += 1024) {
        EVP_PKEY *pkey = EVP_RSA_gen(bits);
        assert_non_null(pkey);
        struct rsa_private *kept = key;
        key = rsa_of_evp(pkey);
        assert_int_equal(rsa_primes_check(key), 1);
        check_key_against_evp(pkey);
        secret_free(key);
        key = kept;
        EVP_PKEY_free(pkey);
    }
}

static int count_ticks(void *context, unsigned long tried)
{
    unsigned long *last = context;
    assert_int_equal(tried, *last + 1);
    *last = tried;
    return 0;
}

/* What FIPS 186-5 asks of p, q and d. */
static void check_generated(int bits)
{
    const limb_t *const p = key->p.m, *const q = key->q.m;
    struct rsa_fixture k = rsa_fixture_new();
    BIGNUM *d = bn_of_nat(key->d, key->pub.n.n), *b = BN_new();
    assert_int_equal(key->pub.n.bits, bits);
    assert_int_equal(key->pub.e, 65537);
    bn_set_nat(k.number[RSA_P], p, key->p.n);
    bn_set_nat(k.number[RSA_Q], q, key->q.n);
    for (int i = RSA_P; i <= RSA_Q; i++) {
        assert_int_equal(BN_num_bits(k.number[i]), bits / 2);
        assert_true(BN_is_bit_set(k.number[i], bits / 2 - 2));
        assert_int_equal(BN_check_prime(k.number[i], bn_ctx(), NULL), 1);
    }
    assert_ssl(BN_sub(b, k.number[RSA_P], k.number[RSA_Q]));
    assert_false(BN_is_negative(b));
    assert_true(BN_num_bits(b) > bits / 2 - 100);
    assert_true(BN_num_bits(d) > bits / 2);
    rsa_fixture_complete(&k);
    assert_int_equal(BN_cmp(k.number[RSA_D], d), 0); /* d is below lambda, not just any */
    rsa_fixture_free(&k);
    BN_free(d), BN_free(b);
}

static void generated_keys(void **state)
{
    (void)state;
    static const int sizes[] = {2048, 2048, 2048, 3072};
    for (int i = 0; i < 4; i++) {
        unsigned long last = 0;
        struct tahr_watch watch = {count_ticks, &last};
        assert_null(rsa_generate(key, sizes[i], i == 0 ? NULL : &watch));
        assert_true(i == 0 || last > 0);
        check_generated(sizes[i]);
        EVP_PKEY *pkey = evp_of_rsa(key);
        check_key_against_evp(pkey);
        EVP_PKEY_free(pkey);
    }
}

static int stop(void *context, unsigned long tried)
{
    return tried >= *(unsigned long *)context;
}

static void assert_wiped(void)
{
    static const struct rsa_private nothing;
    assert_memory_equal(key, &nothing, sizeof nothing);
}

static void generation_can_be_refused_and_stopped(void **state)
{
    (void)state;
    static const int bad[] = {0, -1, 1024, 2047, 2049, 4097, 8192, 16384};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tahr_err err = rsa_generate(key, bad[i], NULL);
        assert_non_null(err);
        assert_int_equal(err->code, TAHR_BAD_CALL);
    }
    unsigned long at = 2;
    struct tahr_watch watch = {stop, &at};
    tahr_err err;
    do /* once in a thousand times both primes come with the first two candidates */
        err = rsa_generate(key, 4096, &watch);
    while (err == NULL);
    assert_int_equal(err->code, TAHR_STOPPED);
    assert_wiped();
}

/* --- Keys that are refused --- */

static void refused(tahr_err err)
{
    assert_non_null(err);
    assert_int_equal(err->code, TAHR_BAD_KEY);
    assert_wiped();
}

/* A fresh copy of numbers with one of them changed is refused. */
static void check_changed(const struct rsa_fixture *numbers, int which, const BIGNUM *to)
{
    struct rsa_fixture k = *numbers;
    k.number[which] = BN_dup(to);
    refused(rsa_of_fixture(key, &k, 512));
    BN_free(k.number[which]);
}

static void inconsistent_keys(void **state)
{
    (void)state;
    struct rsa_fixture k = rsa_fixture_new();
    BIGNUM *b = BN_new();
    rsa_fixture_random(&k, 520, 512, 65537);
    for (int i = 0; i < RSA_NUMBERS; i++) {
        check_changed(&k, i, BN_value_one());
        assert_ssl(BN_set_word(b, 0));
        check_changed(&k, i, b);
        assert_ssl(BN_copy(b, k.number[i]) && BN_add_word(b, 1));
        check_changed(&k, i, b);
        assert_ssl(BN_copy(b, k.number[i]) && BN_add_word(b, 2));
        check_changed(&k, i, b);
        assert_ssl(BN_lshift(b, k.number[i], 1));
        check_changed(&k, i, b);
        assert_non_null(BN_copy(b, k.number[i])); /* right but for bits beyond its limbs */
        assert_ssl(BN_set_bit(b, 2048));
        check_changed(&k, i, b);
        for (int bit = 0; bit < BN_num_bits(k.number[i]); bit += 37) {
            assert_non_null(BN_copy(b, k.number[i]));
            assert_ssl(BN_is_bit_set(b, bit) ? BN_clear_bit(b, bit) : BN_set_bit(b, bit));
            check_changed(&k, i, b);
        }
        check_changed(&k, i, k.number[(i + 1) % RSA_NUMBERS]);
    }
    assert_null(rsa_of_fixture(key, &k, 512)); /* and unchanged it is good */
    BN_free(b);
    rsa_fixture_free(&k);
}

/* Right modulo what they belong to, but not reduced. */
static void unreduced_numbers(void **state)
{
    (void)state;
    struct rsa_fixture k = rsa_fixture_new();
    BIGNUM *b = BN_new();
    rsa_fixture_random(&k, 500, 500, 65537);
    assert_ssl(BN_add(b, k.number[RSA_DP], k.number[RSA_P]) && BN_sub_word(b, 1));
    check_changed(&k, RSA_DP, b);
    assert_ssl(BN_add(b, k.number[RSA_DQ], k.number[RSA_Q]) && BN_sub_word(b, 1));
    check_changed(&k, RSA_DQ, b);
    assert_ssl(BN_add(b, k.number[RSA_QINV], k.number[RSA_P]));
    check_changed(&k, RSA_QINV, b);
    BIGNUM *phi = BN_new();
    assert_ssl(BN_sub(phi, k.number[RSA_N], k.number[RSA_P]));
    assert_ssl(BN_sub(phi, phi, k.number[RSA_Q]) && BN_add_word(phi, 1));
    assert_ssl(BN_add(b, k.number[RSA_D], phi));
    while (BN_cmp(b, k.number[RSA_N]) < 0)
        assert_ssl(BN_add(b, b, phi));
    check_changed(&k, RSA_D, b); /* d >= n */
    BN_free(b), BN_free(phi);
    rsa_fixture_free(&k);
}

static void d_modulo_phi_is_accepted(void **state)
{
    (void)state;
    struct rsa_fixture k = rsa_fixture_new();
    BIGNUM *p1 = BN_new(), *q1 = BN_new(), *e = BN_new();
    rsa_fixture_random(&k, 512, 512, 17);
    assert_ssl(BN_copy(p1, k.number[RSA_P]) && BN_sub_word(p1, 1));
    assert_ssl(BN_copy(q1, k.number[RSA_Q]) && BN_sub_word(q1, 1));
    assert_ssl(BN_mul(p1, p1, q1, bn_ctx()) && BN_set_word(e, k.e));
    assert_non_null(BN_mod_inverse(k.number[RSA_D], e, p1, bn_ctx()));
    assert_null(rsa_of_fixture(key, &k, 512));
    EVP_PKEY *pkey = evp_of_rsa(key);
    check_key_against_evp(pkey);
    EVP_PKEY_free(pkey);
    BN_free(p1), BN_free(q1), BN_free(e);
    rsa_fixture_free(&k);
}

static void degenerate_keys(void **state)
{
    (void)state;
    struct rsa_fixture k = rsa_fixture_new();
    BIGNUM *r = BN_new();
    rsa_fixture_random(&k, 512, 512, 65537);

    k.e = 65539;
    refused(rsa_of_fixture(key, &k, 512));
    k.e = 1;
    refused(rsa_of_fixture(key, &k, 512));
    k.e = 65537;

    refused(rsa_of_fixture(key, &k, RSA_MIN_BITS)); /* 1024 bits */

    /* p = q, with all else as it would have to be; d is right modulo p (p - 1) even. */
    struct rsa_fixture s = rsa_fixture_new();
    BIGNUM *e = BN_new(), *p1 = BN_new();
    assert_non_null(BN_copy(s.number[RSA_P], k.number[RSA_P]));
    assert_non_null(BN_copy(s.number[RSA_Q], k.number[RSA_P]));
    assert_ssl(BN_copy(p1, k.number[RSA_P]) && BN_sub_word(p1, 1) && BN_set_word(e, k.e));
    assert_ssl(BN_sqr(s.number[RSA_N], k.number[RSA_P], bn_ctx()));
    assert_non_null(BN_mod_inverse(s.number[RSA_D], e, p1, bn_ctx()));
    assert_non_null(BN_copy(s.number[RSA_DP], s.number[RSA_D]));
    assert_non_null(BN_copy(s.number[RSA_DQ], s.number[RSA_D]));
    refused(rsa_of_fixture(key, &s, 512));

    /* q = 2: n is even; and an odd n beside it. */
    assert_ssl(BN_set_word(s.number[RSA_Q], 2) && BN_set_word(s.number[RSA_DQ], 0));
    assert_ssl(BN_lshift1(s.number[RSA_N], s.number[RSA_P]));
    refused(rsa_of_fixture(key, &s, 512));
    assert_ssl(BN_add_word(s.number[RSA_N], 1));
    refused(rsa_of_fixture(key, &s, 512));

    /* n prime: p = n, q = 1. */
    random_prime(s.number[RSA_P], 1024, 65537);
    assert_ssl(BN_copy(s.number[RSA_N], s.number[RSA_P]) && BN_one(s.number[RSA_Q]));
    refused(rsa_of_fixture(key, &s, 512));

    /* Three primes, two of them given. */
    random_prime(r, 512, 65537);
    assert_ssl(BN_mul(r, r, k.number[RSA_N], bn_ctx()));
    check_changed(&k, RSA_N, r);

    /* Longer than 16384 bits. */
    assert_ssl(BN_lshift(r, k.number[RSA_N], RSA_MAX_BITS) && BN_add_word(r, 1));
    BN_rshift(r, r, BN_num_bits(r) - RSA_MAX_BITS - 8);
    check_changed(&k, RSA_N, r);
    BN_free(r), BN_free(e), BN_free(p1);
    rsa_fixture_free(&s);
    rsa_fixture_free(&k);
}

/* Consistent is not prime: a composite p whose exponents fit is read, and found out by the check.
 */
static void composite_factors(void **state)
{
    (void)state;
    struct rsa_fixture k = rsa_fixture_new();
    BIGNUM *r = BN_new();
    for (int which = RSA_P; which <= RSA_Q; which++) {
        random_prime(k.number[RSA_P], 512, 65537);
        random_prime(k.number[RSA_Q], 520, 65537);
        do {
            random_prime(r, 256, 65537);
            random_prime(k.number[which], 256, 65537);
            assert_ssl(BN_mul(k.number[which], k.number[which], r, bn_ctx()));
        } while (BN_mod_word(k.number[which], 65537) == 1);
        rsa_fixture_complete(&k);
        assert_null(rsa_of_fixture(key, &k, 512));
        assert_int_equal(rsa_primes_check(key), 0);
    }
    BN_free(r);
    rsa_fixture_free(&k);
}

static void public_keys(void **state)
{
    (void)state;
    struct rsa_public pub;
    uint8_t n[RSA_MAX_LEN + 2] = {0};
    n[1] = 0x80, n[256] = 1; /* leading zero, 2048 bits */
    assert_null(rsa_public_init(&pub, n, 257, 65537, RSA_MIN_BITS));
    assert_int_equal(pub.n.bits, 2048);
    n[1] = 0x7f;
    tahr_err err = rsa_public_init(&pub, n, 257, 65537, RSA_MIN_BITS);
    assert_non_null(err); /* 2047 bits */
    assert_int_equal(err->code, TAHR_BAD_KEY);
    assert_non_null(err->hint);
    n[1] = 0x80, n[256] = 2;
    assert_non_null(rsa_public_init(&pub, n, 257, 65537, RSA_MIN_BITS));
    assert_non_null(rsa_public_init(&pub, n, 0, 65537, RSA_MIN_BITS));
    memset(n, 0xff, sizeof n);
    static const uint32_t exponents[] = {0, 1, 2, 65536, 1 << 24, (1 << 24) + 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        err = rsa_public_init(&pub, n, 256, exponents[i], RSA_MIN_BITS);
        assert_non_null(err);
        assert_int_equal(err->code, TAHR_BAD_KEY);
    }
    assert_null(rsa_public_init(&pub, n, RSA_MAX_LEN, 3, RSA_MIN_BITS));
    assert_int_equal(pub.n.bits, RSA_MAX_BITS);
    assert_null(rsa_public_init(&pub, n, RSA_MAX_LEN, (1 << 24) - 1, RSA_MIN_BITS));
    assert_non_null(rsa_public_init(&pub, n, RSA_MAX_LEN + 1, 3, RSA_MIN_BITS));
}

/* --- Faults --- */

/* With bit `bit` of the number at a flipped, nothing is released; with it as it was, all is well.
 */
static void check_fault(limb_t *a, int bit, const uint8_t *c, const uint8_t *m)
{
    uint8_t out[RSA_MAX_LEN], before[RSA_MAX_LEN];
    size_t k = rsa_len(&key->pub);
    memset(before, 0xa5, sizeof before);
    memcpy(out, before, sizeof out);
    a[bit / LIMB_BITS] ^= (limb_t)((limb_t)1 << bit % LIMB_BITS);
    tahr_err err = rsa_private_op(out, c, key);
    a[bit / LIMB_BITS] ^= (limb_t)((limb_t)1 << bit % LIMB_BITS);
    assert_non_null(err);
    assert_int_equal(err->code, TAHR_BAD_KEY);
    assert_memory_equal(out, before, sizeof out);
    assert_null(rsa_private_op(out, c, key));
    assert_memory_equal(out, m, k);
}

static void faults_release_nothing(void **state)
{
    (void)state;
    uint8_t m[RSA_MAX_LEN] = {0}, c[RSA_MAX_LEN];
    struct rsa_fixture k = rsa_fixture_new();
    rsa_fixture_random(&k, 512, 512, 65537);
    assert_null(rsa_of_fixture(key, &k, 512));
    secret_random(m + 1, rsa_len(&key->pub) - 1);
    assert_null(rsa_public_op(c, m, &key->pub));
    for (int bit = 0; bit < 512; bit += 13) {
#ifndef VERIFY /* which ends the program where a modulus does not fit its constants */
        check_fault(key->p.m, bit, c, m);
        check_fault(key->q.m, bit, c, m);
#endif
        check_fault(key->dp, bit, c, m);
        check_fault(key->dq, bit, c, m);
        if (bit < 508) /* qinv stays below p, as mod_product asks */
            check_fault(key->qinv, bit, c, m);
    }
    rsa_fixture_free(&k);
}

static int allocate(void **state)
{
    (void)state;
    key = secret_alloc(sizeof *key);
    return key == NULL;
}

static int release(void **state)
{
    (void)state;
    secret_free(key);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_every_shape),
        cmocka_unit_test(keys_made_by_openssl),
        cmocka_unit_test(generated_keys),
        cmocka_unit_test(generation_can_be_refused_and_stopped),
        cmocka_unit_test(inconsistent_keys),
        cmocka_unit_test(unreduced_numbers),
        cmocka_unit_test(d_modulo_phi_is_accepted),
        cmocka_unit_test(degenerate_keys),
        cmocka_unit_test(composite_factors),
        cmocka_unit_test(public_keys),
        cmocka_unit_test(faults_release_nothing),
    };
    return secret_init() != 0 ? 1 : cmocka_run_group_tests(tests, allocate, release);
}
