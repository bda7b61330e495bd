/* The auditor: every class of weak keys is found and rightly named, good keys pass, and primes that
 * keys share are found, whatever the tree looks like. */
#include "bn.h"
#include "keys.h"
#include "weak_keys.h"

#include "audit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void add(tahr_audit *audit, struct bytes file)
{
    assert_null(tahr_audit_add(audit, file.p, file.len));
}

static tahr_audit *new_audit(void)
{
    tahr_audit *audit;

    assert_null(tahr_audit_new(&audit));
    return audit;
}

/* The names of what was found about a key, with blanks between. */
static void names_of(char *names, const struct tahr_checked *key)
{
    names[0] = '\0';
    for (size_t i = 0; i < key->count; i++)
        strcat(strcat(names, i > 0 ? " " : ""), key->finding[i]->name);
}

/* What an audit reads may not be used all the same. */
static void assert_refused(struct bytes der, const char *expected)
{
    static const char *const refused[] = {"short", "rsa-exponent", "elgamal", "inconsistent"};
    struct tahr_keys keys;
    tahr_err err = tahr_keys_read(&keys, der.p, der.len, NULL);

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strstr(expected, refused[i]) != NULL)
            assert_true(err != NULL && err->code == TAHR_BAD_KEY);
    if (err == NULL)
        tahr_keys_free(&keys);
}

static void test_weak_classes(void **state)
{
    tahr_audit *audit = new_audit();

    (void)state;
    for (size_t i = 0; i < weak_key_count; i++) {
        struct bytes der = weak_keys[i].make(weak_keys[i].argument);
        add(audit, der);
        assert_refused(der, weak_keys[i].findings);
    }
    assert_null(tahr_audit_run(audit, 0, NULL));
    assert_int_equal(tahr_audit_count(audit), weak_key_count);
    for (size_t i = 0; i < weak_key_count; i++) {
        char names[512];

        names_of(names, tahr_audit_result(audit, i));
        if (strcmp(names, weak_keys[i].findings) != 0)
            fail_msg("%s: found \"%s\"", weak_keys[i].what, names);
    }
    tahr_audit_free(audit);
}

static void test_known_groups(void **state)
{
    static const char *const row[][3] = {
        {"dh_1024_160", "rfc5114-1024-160", "elgamal-dsa-group"},
        {"dh_2048_224", "rfc5114-2048-224", "elgamal-dsa-group"},
        {"dh_2048_256", "rfc5114-2048-256", "elgamal-dsa-group"},
        {"modp_1536", "modp1536", "elgamal-short"},
        {"modp_2048", "modp2048", ""},
        {"ffdhe2048", "ffdhe2048", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tahr_audit *audit = new_audit();
        EVP_PKEY *ssl = openssl_key("DHX", 0, row[i][0]);
        struct bytes pem = openssl_write(ssl, EVP_PKEY_KEYPAIR, "PrivateKeyInfo", "PEM");
        char names[512];

        add(audit, pem);
        assert_null(tahr_audit_run(audit, 0, NULL));
        names_of(names, tahr_audit_result(audit, 0));
        assert_string_equal(names, row[i][2]);
        assert_string_equal(tahr_audit_result(audit, 0)->group, row[i][1]);
        assert_int_equal(tahr_audit_result(audit, 0)->line, 1);
        free((void *)pem.p);
        EVP_PKEY_free(ssl);
        tahr_audit_free(audit);
    }
}

/* Java's group, from its p alone. */
static void test_java_group(void **state)
{
    BIGNUM *p = NULL, *g = BN_new();
    tahr_audit *audit = new_audit();

    (void)state;
    assert_ssl(BN_hex2bn(&p, "FCA682CE8E12CABA26EFCCF7110E526DB078B05EDECBCD1EB4A208F3AE1617AE"
                             "01F35B91A47E6DF63413C5E12ED0899BCD132ACD50D99151BDC43EE737592E17"));
    assert_ssl(BN_set_word(g, 3));
    add(audit, weak_elgamal(p, g, NULL, g));
    assert_null(tahr_audit_run(audit, 0, NULL));
    assert_string_equal(tahr_audit_result(audit, 0)->group, "java512");
    tahr_audit_free(audit);
    BN_free(p);
    BN_free(g);
}

/* One bad line does not hide the others. */
static void test_lines(void **state)
{
    static const char text[] = "# comment\n"
                               "ssh-ed25519 AAAA\n"
                               "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
                               "-----BEGIN PUBLIC KEY-----\n!!!!\n-----END PUBLIC KEY-----\n"
                               "\n"
                               "age1tahr1qqqq\n";
    static const size_t line[] = {2, 3, 6, 10};
    tahr_audit *audit = new_audit();

    (void)state;
    add(audit, (struct bytes){text, strlen(text)});
    add(audit, (struct bytes){"", 0});
    add(audit, (struct bytes){"# none\n", 7});
    assert_null(tahr_audit_run(audit, 1, NULL));
    assert_int_equal(tahr_audit_count(audit), 6);
    for (size_t i = 0; i < 6; i++) {
        const struct tahr_checked *key = tahr_audit_result(audit, i);

        assert_int_equal(key->line, i < 4 ? line[i] : 0);
        assert_int_equal(key->count, 1);
        assert_string_equal(key->finding[0]->name, "unreadable");
    }
    tahr_audit_free(audit);
}

/* --- Batch gcd --- */

static void rsa_of(tahr_audit *audit, const BIGNUM *p, const BIGNUM *q)
{
    BIGNUM *n = BN_new(), *e = BN_new();

    assert_ssl(BN_mul(n, p, q, bn_ctx()));
    assert_ssl(BN_set_word(e, 65537));
    add(audit, weak_rsa(n, e));
    BN_free(n);
    BN_free(e);
}

static int shares(const tahr_audit *audit, size_t i)
{
    const struct tahr_checked *key = tahr_audit_result(audit, i);

    for (size_t k = 0; k < key->count; k++)
        if (strcmp(key->finding[k]->name, "rsa-shared-prime") == 0)
            return 1;
    return 0;
}

/* p0 p1, p2 p3, p0 p2 (both shared), p4 p5, p4 p5 again (a key and its public half), p6 p7. */
static void test_shared(void **state)
{
    static const int row[][2] = {{0, 1}, {2, 3}, {0, 2}, {4, 5}, {4, 5}, {6, 7}};
    static const size_t partner[] = {2, 2, 0};
    BIGNUM *p[8];
    tahr_audit *audit = new_audit();

    (void)state;
    for (int i = 0; i < 8; i++)
        p[i] = weak_prime(512);
    for (size_t i = 0; i < 6; i++)
        rsa_of(audit, p[row[i][0]], p[row[i][1]]);
    assert_null(tahr_audit_run(audit, 0, NULL));
    for (size_t i = 0; i < 6; i++)
        assert_false(shares(audit, i));
    assert_null(tahr_audit_run(audit, 1, NULL));
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(shares(audit, i), i < 3);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(tahr_audit_result(audit, i)->partner, partner[i]);
    assert_true(tahr_audit_result(audit, 2)->partner < 2);
    for (int i = 0; i < 8; i++)
        BN_free(p[i]);
    tahr_audit_free(audit);
}

/* Against gcd(n, product of the others / n) by OpenSSL, for trees of every small size, of numbers
 * of all sizes and with many factors in common. */
static void check_batch(size_t count, int bits)
{
    BIGNUM *b[40], *product = BN_new(), *r = BN_new();
    mp_int number[40], shared[40];
    const mp_int *n[40];

    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[1024];
        b[i] = BN_new();
        assert_ssl(BN_rand(b[i], 2 + rand() % bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY));
        assert_int_equal(mp_init_multi(&number[i], &shared[i], NULL), 0);
        assert_int_equal(mp_from_ubin(&number[i], bytes, (size_t)BN_bn2bin(b[i], bytes)), 0);
        n[i] = &number[i];
    }
    assert_null(audit_batch_gcd(shared, n, count, NULL));
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[1024];
        size_t len;

        assert_ssl(BN_one(product));
        for (size_t j = 0; j < count; j++)
            if (j != i)
                assert_ssl(BN_mod_mul(product, product, b[j], b[i], bn_ctx()));
        assert_ssl(BN_gcd(product, product, b[i], bn_ctx()));
        assert_int_equal(mp_to_ubin(&shared[i], bytes, sizeof bytes, &len), 0);
        assert_non_null(BN_bin2bn(bytes, (int)len, r));
        assert_int_equal(BN_cmp(r, product), 0);
    }
    for (size_t i = 0; i < count; i++) {
        BN_free(b[i]);
        mp_clear_multi(&number[i], &shared[i], NULL);
    }
    BN_free(product);
    BN_free(r);
}

static void test_batch(void **state)
{
    static const int bits[] = {1, 30, 64, 700, 4000};

    (void)state;
    srand(1);
    for (size_t count = 1; count <= 40; count++)
        for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
            check_batch(count, bits[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weak_classes), cmocka_unit_test(test_known_groups),
        cmocka_unit_test(test_java_group),   cmocka_unit_test(test_lines),
        cmocka_unit_test(test_shared),       cmocka_unit_test(test_batch),
    };

    return secret_init() == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
