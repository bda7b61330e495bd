/* Printable integers as text, bytes, packed words, C integers; primes and roots; against GMP. */
#include "mp.h"

#include "edges.h"

#include <gmp.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static mp_int a, b;
static mpz_t z;

static void random_number(int max_digits)
{
    static limb_t t[300];
    int n = 1 + (int)(test_random() % (uint64_t)max_digits);
    if (test_random() % 2 == 0)
        edge_nat(t, n, n * DIGIT_BIT, (int)(test_random() % EDGES));
    else
        random_nat(t, n, n * DIGIT_BIT);
    mpz_import(z, (size_t)n, -1, sizeof *t, 0, 0, t);
    assert_int_equal(mp_grow(&a, n), MP_OKAY);
    memcpy(a.dp, t, (size_t)n * sizeof *t);
    a.used = n;
    a.sign = test_random() % 3 == 0 ? MP_NEG : MP_ZPOS;
    mp_clamp(&a);
    if (a.sign == MP_NEG)
        mpz_neg(z, z);
}

/* The text of GMP up to 62, whose letters below 37 are capitals for a negative base. */
static void every_radix(void **state)
{
    static char text[20000], want[20000];
    (void)state;
    for (int radix = 2; radix <= 64; radix++) {
        for (int k = 0; k < 12; k++) {
            random_number(k == 11 ? 60 : 8);
            int size = mp_radix_size(&a, radix);
            assert_int_equal(mp_toradix(&a, text, radix), MP_OKAY);
            assert_int_equal(size, strlen(text) + 1);
            if (radix <= 62) {
                mpz_get_str(want, radix <= 36 ? -radix : radix, z);
                assert_string_equal(text, want);
            }
            assert_int_equal(mp_read_radix(&b, text, radix), MP_OKAY);
            assert_int_equal(mp_cmp(&a, &b), MP_EQ);
            if (radix < 36) {
                for (char *p = text; *p != '\0'; p++)
                    *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 'a' - 'A' : *p);
                assert_int_equal(mp_read_radix(&b, strcat(text, "\n"), radix), MP_OKAY);
                assert_int_equal(mp_cmp(&a, &b), MP_EQ);
            }
            size_t written = 0;
            assert_int_equal(mp_to_radix(&a, text, (size_t)size - 1, &written, radix), MP_BUF);
            assert_int_equal(mp_to_radix(&a, text, (size_t)size, &written, radix), MP_OKAY);
            assert_int_equal(written, size);
        }
    }
}

static void bad_text(void **state)
{
    static const struct {
        const char *text;
        int radix;
    } bad[] = {{"12", 1}, {"12", 65},  {"12", -1},   {"12", 2},    {"1 2", 10},  {"", 10},
               {"-", 10}, {"--1", 10}, {"G", 16},    {"g", 16},    {"0x10", 16}, {"1.5", 10},
               {"a", 36}, {"/", 63},   {"1\n2", 10}, {"\xff", 64}, {" 1", 10},   {"+", 62}};
    char text[8];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mp_set(&b, 77);
        assert_int_equal(mp_read_radix(&b, bad[i].text, bad[i].radix), MP_VAL);
        assert_int_equal(mp_cmp_d(&b, 77), MP_EQ);
    }
    assert_int_equal(mp_read_radix(&b, "+77", 10), MP_OKAY);
    assert_int_equal(mp_cmp_d(&b, 77), MP_EQ);
    assert_int_equal(mp_read_radix(&b, "-0", 10), MP_OKAY);
    assert_int_equal(b.sign, MP_ZPOS);
    assert_int_equal(mp_toradix(&b, text, 1), MP_VAL);
    assert_int_equal(mp_toradix(&b, text, 65), MP_VAL);
    assert_int_equal(mp_radix_size(&b, 65), 0);
    assert_int_equal(mp_toradix(&b, text, 10), MP_OKAY);
    assert_string_equal(text, "0");
    mp_set(&b, 123);
    assert_int_equal(mp_toradix_n(&b, text, 10, 3), MP_OKAY);
    assert_string_equal(text, "12");
}

static void streams(void **state)
{
    (void)state;
    for (int k = 0; k < 100; k++) {
        int radix = 2 + k % 63;
        FILE *f = tmpfile();
        assert_non_null(f);
        random_number(20);
        assert_int_equal(mp_fwrite(&a, radix, f), MP_OKAY);
        fputc('\n', f);
        rewind(f);
        assert_int_equal(mp_fread(&b, radix, f), MP_OKAY);
        assert_int_equal(mp_cmp(&a, &b), MP_EQ);
        assert_int_equal(fgetc(f), '\n');
        assert_int_equal(mp_fread(&b, radix, f), MP_VAL);
        assert_int_equal(mp_cmp(&a, &b), MP_EQ);
        fclose(f);
    }
}

static void bytes(void **state)
{
    static uint8_t out[4000], want[4000];
    (void)state;
    for (int k = 0; k < 300; k++) {
        size_t n, written;
        random_number(30);
        mpz_export(want, &n, 1, 1, 1, 0, z);
        assert_int_equal(mp_unsigned_bin_size(&a), n);
        assert_int_equal(mp_to_unsigned_bin(&a, out), MP_OKAY);
        assert_memory_equal(out, want, n);
        assert_int_equal(mp_read_unsigned_bin(&b, out, (int)n), MP_OKAY);
        assert_int_equal(mp_cmp_mag(&a, &b), MP_EQ);
        assert_int_equal(b.sign, MP_ZPOS);
        assert_int_equal(mp_signed_bin_size(&a), n + 1);
        assert_int_equal(mp_to_signed_bin(&a, out), MP_OKAY);
        assert_int_equal(out[0], a.sign == MP_NEG);
        assert_memory_equal(out + 1, want, n);
        assert_int_equal(mp_read_signed_bin(&b, out, (int)n + 1), MP_OKAY);
        assert_int_equal(mp_cmp(&a, &b), MP_EQ);
        if (n > 0)
            assert_int_equal(mp_to_ubin(&a, out, n - 1, &written), MP_BUF);
        assert_int_equal(mp_to_sbin(&a, out, n, &written), MP_BUF);
        unsigned long len = n;
        assert_int_equal(mp_to_signed_bin_n(&a, out, &len), MP_VAL);
        assert_int_equal(mp_to_unsigned_bin_n(&a, out, &len), MP_OKAY);
        assert_int_equal(len, n);
    }
    assert_int_equal(mp_read_unsigned_bin(&b, out, -1), MP_VAL);
    assert_int_equal(mp_read_unsigned_bin(&b, out, 0), MP_OKAY);
    assert_int_equal(mp_iszero(&b), MP_YES);
}

static void packed_words(void **state)
{
    static uint8_t out[8000], want[8000];
    (void)state;
    for (int k = 0; k < 400; k++) {
        size_t size = 1 + test_random() % 9, nails = test_random() % (8 * size), n, written;
        mp_order order = test_random() % 2 ? MP_LSB_FIRST : MP_MSB_FIRST;
        mp_endian endian = (mp_endian)((int)(test_random() % 3) - 1);
        random_number(12);
        mpz_export(want, &n, (int)order, size, (int)endian, nails, z);
        assert_int_equal(mp_pack_count(&a, nails, size), n);
        assert_int_equal(mp_pack(out, n, &written, order, size, endian, nails, &a), MP_OKAY);
        assert_int_equal(written, n);
        assert_memory_equal(out, want, n * size);
        assert_int_equal(mp_unpack(&b, n, order, size, endian, nails, out), MP_OKAY);
        assert_int_equal(mp_cmp_mag(&a, &b), MP_EQ);
        if (n > 0)
            assert_int_equal(mp_pack(out, n - 1, &written, order, size, endian, nails, &a), MP_BUF);
    }
    assert_int_equal(mp_unpack(&b, 1, MP_LSB_FIRST, 1, MP_BIG_ENDIAN, 8, out), MP_VAL);
}

static void integers(void **state)
{
    static const int64_t some[] = {0, 1, -1, 255, -256, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        int64_t v = some[i];
        mp_set_i64(&a, v);
        assert_true(mp_get_i64(&a) == v);
        assert_true(mp_get_u64(&a) == (uint64_t)v);
        assert_true(mp_get_i32(&a) == (int32_t)((uint32_t)v <= INT32_MAX
                                                    ? (int64_t)(uint32_t)v
                                                    : (int64_t)(uint32_t)v - ((int64_t)1 << 32)));
        assert_true(mp_get_mag_u64(&a) == (v < 0 ? 0 - (uint64_t)v : (uint64_t)v));
        mp_set_u64(&a, (uint64_t)v);
        assert_true(mp_get_u64(&a) == (uint64_t)v && a.sign == MP_ZPOS);
        assert_int_equal(mp_set_int(&a, (unsigned long)v), MP_OKAY);
        assert_true(mp_get_int(&a) == (unsigned long)v);
    }
    mp_set_l(&a, LONG_MIN);
    assert_true(mp_get_l(&a) == LONG_MIN);
    mp_set_ll(&a, LLONG_MIN);
    assert_true(mp_get_ll(&a) == LLONG_MIN);
}

static void initialising(void **state)
{
    mp_int x, y;
    (void)state;
    assert_int_equal(mp_init_size(&x, -1), MP_VAL);
    assert_int_equal(mp_init_size(&x, 1000), MP_OKAY);
    assert_true(x.alloc >= 1000 && x.used == 0);
    random_number(40);
    assert_int_equal(mp_init_copy(&y, &a), MP_OKAY);
    assert_int_equal(mp_cmp(&y, &a), MP_EQ);
    mp_exch(&x, &y);
    assert_int_equal(mp_cmp(&x, &a), MP_EQ);
    assert_int_equal(mp_iszero(&y), MP_YES);
    assert_int_equal(mp_shrink(&x), MP_OKAY);
    assert_int_equal(mp_grow(&x, -1), MP_VAL);
    assert_int_equal(mp_rand(&y, 17), MP_OKAY);
    assert_int_equal(y.used, 17);
    assert_int_equal(mp_2expt(&y, 1000), MP_OKAY);
    assert_int_equal(mp_count_bits(&y), 1001);
    assert_int_equal(mp_2expt(&y, -1), MP_VAL);
    mp_clear_multi(&x, &y, NULL);
    mp_clear(&x);
}

/* GMP's next prime, and every number up to a few thousand. */
static void primes(void **state)
{
    int prime;
    (void)state;
    for (long i = -5; i < 3000; i++) {
        mp_set_l(&a, i);
        mpz_set_si(z, i);
        assert_int_equal(mp_prime_is_prime(&a, 1, &prime), MP_OKAY);
        assert_int_equal(prime, i > 1 && mpz_probab_prime_p(z, 25) ? MP_YES : MP_NO);
    }
    for (int bits = 8; bits <= 200; bits += 16) {
        assert_int_equal(mp_2expt(&a, bits), MP_OKAY);
        mpz_set_ui(z, 0);
        mpz_setbit(z, (mp_bitcnt_t)bits);
        mpz_nextprime(z, z);
        assert_int_equal(mp_prime_next_prime(&a, 8, 0), MP_OKAY);
        char *want = mpz_get_str(NULL, 16, z);
        assert_int_equal(mp_read_radix(&b, want, 16), MP_OKAY);
        free(want);
        assert_int_equal(mp_cmp(&a, &b), MP_EQ);
        assert_int_equal(mp_prime_next_prime(&a, 8, 1), MP_OKAY);
        assert_int_equal(a.dp[0] & 3, 3);
    }
    assert_true(mp_prime_rabin_miller_trials(1024) <= mp_prime_rabin_miller_trials(256));
}

/* Roots modulo primes of every small order of two, of 0, of non-residues, of composites. */
static void roots_modulo_primes(void **state)
{
    static const unsigned some[] = {2,   3,    5,     7,     17,    97,    193,
                                    257, 7681, 12289, 40961, 65537, 114689};
    mp_int p, r, s;
    (void)state;
    assert_int_equal(mp_init_multi(&p, &r, &s, NULL), MP_OKAY);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        mp_set_u32(&p, some[i]);
        for (uint32_t x = 0; x < some[i] && x < 300; x++) {
            mp_set_u32(&a, x);
            assert_int_equal(mp_sqrmod(&a, &p, &s), MP_OKAY);
            assert_int_equal(mp_sqrtmod_prime(&s, &p, &r), MP_OKAY);
            assert_int_equal(mp_sqrmod(&r, &p, &r), MP_OKAY);
            assert_int_equal(mp_cmp(&r, &s), MP_EQ);
            int j;
            if (some[i] > 2 && mp_jacobi(&a, &p, &j) == MP_OKAY && j == -1)
                assert_int_equal(mp_sqrtmod_prime(&a, &p, &r), MP_VAL);
        }
    }
    for (uint32_t m = 0; m < 2000; m++) { /* composites: some answer, and an end */
        mp_set_u32(&p, m);
        mp_set_u32(&a, 4);
        int err = mp_sqrtmod_prime(&a, &p, &r);
        assert_true(err == MP_OKAY || err == MP_VAL);
    }
    mp_clear_multi(&p, &r, &s, NULL);
}

static void logarithms(void **state)
{
    (void)state;
    for (uint32_t base = 2; base < 40; base++) {
        mpz_set_ui(z, 1);
        for (uint32_t k = 0; k < 60; k++) {
            char *text = mpz_get_str(NULL, 16, z);
            uint32_t got;
            assert_int_equal(mp_read_radix(&a, text, 16), MP_OKAY);
            free(text);
            assert_int_equal(mp_log_u32(&a, base, &got), MP_OKAY);
            assert_int_equal(got, k);
            if (k > 0) {
                assert_int_equal(mp_decr(&a), MP_OKAY);
                assert_int_equal(mp_log_u32(&a, base, &got), MP_OKAY);
                assert_int_equal(got, k - 1);
            }
            mpz_mul_ui(z, z, base);
        }
    }
    uint32_t got;
    mp_zero(&a);
    assert_int_equal(mp_log_u32(&a, 2, &got), MP_VAL);
    mp_set(&a, 5);
    assert_int_equal(mp_log_u32(&a, 1, &got), MP_VAL);
}

static int setup(void **state)
{
    (void)state;
    mpz_init(z);
    return mp_init_multi(&a, &b, NULL);
}

static int teardown(void **state)
{
    (void)state;
    mpz_clear(z);
    mp_clear_multi(&a, &b, NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_radix),
        cmocka_unit_test(bad_text),
        cmocka_unit_test(streams),
        cmocka_unit_test(bytes),
        cmocka_unit_test(packed_words),
        cmocka_unit_test(integers),
        cmocka_unit_test(initialising),
        cmocka_unit_test(primes),
        cmocka_unit_test(roots_modulo_primes),
        cmocka_unit_test(logarithms),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
