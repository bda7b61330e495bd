/* Key files: ElGamal keys there and back against OpenSSL's encoders and decoders, the other forms
 * of their parameters, and age strings against the published ones. */
#include "bn.h"
#include "keys.h"
#include "stanzas.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PRIVATE EVP_PKEY_KEYPAIR
#define PUBLIC  EVP_PKEY_PUBLIC_KEY

static void check_elgamal_form(EVP_PKEY *ssl, int selection, const char *structure)
{
    struct bytes pem = openssl_write(ssl, selection, structure, "PEM");
    struct bytes der = openssl_write(ssl, selection, structure, "DER");
    tahr_key *key = read_key(pem), *from_der = read_key(der);
    const struct elgamal_public *pub = key_elgamal_public(key);
    BIGNUM *y = openssl_number(ssl, "pub");

    assert_nat_bn(pub->y, pub->group.p.n, y);
    assert_nat_bn(key_elgamal_public(from_der)->y, pub->group.p.n, y);
    assert_int_equal(tahr_key_is_private(key), selection == PRIVATE);
    tahr_key_free(key);
    tahr_key_free(from_der);
    BN_free(y);
    free((void *)pem.p);
    free((void *)der.p);
}

static void test_elgamal_from_openssl(void **state)
{
    static const char *const row[][3] = {
        {"DHX", "ffdhe2048", "ffdhe2048"},
        {"DHX", "modp_3072", "modp3072"},
        {"DH", "ffdhe3072", "ffdhe3072"},
        {"DH", "modp_2048", "modp2048"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        EVP_PKEY *ssl = openssl_key(row[i][0], 0, row[i][1]);
        struct bytes pem = openssl_write(ssl, PRIVATE, "PrivateKeyInfo", "PEM");
        tahr_key *key = read_key(pem);
        char *text = write_key(key, TAHR_PEM);

        assert_string_equal(tahr_key_group(key), row[i][2]);
        assert_int_equal(bytes_equal(pem, (struct bytes){text, strlen(text)}),
                         strcmp(row[i][0], "DHX") == 0);
        check_elgamal_form(ssl, PRIVATE, "PrivateKeyInfo");
        check_elgamal_form(ssl, PUBLIC, "SubjectPublicKeyInfo");
        tahr_text_free(text);
        tahr_key_free(key);
        free((void *)pem.p);
        EVP_PKEY_free(ssl);
    }
}

static void test_elgamal_to_openssl(void **state)
{
    static const char *const groups[] = {"ffdhe2048", "ffdhe3072", "modp2048"};

    (void)state;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        tahr_key *key, *public;
        char *text;
        EVP_PKEY *ssl;

        assert_null(tahr_key_new_elgamal(&key, groups[i], NULL));
        assert_null(tahr_key_public(&public, key));
        text = write_key(key, TAHR_PEM);
        assert_openssl_good(text, 1);
        ssl = openssl_read(text);
        assert_true(EVP_PKEY_is_a(ssl, "DHX"));
        check_elgamal_form(ssl, PRIVATE, "PrivateKeyInfo");
        EVP_PKEY_free(ssl);
        tahr_text_free(text);
        text = write_key(public, TAHR_PEM);
        assert_openssl_good(text, 0);
        tahr_text_free(text);
        tahr_key_free(key);
        tahr_key_free(public);
    }
}

/* --- The other forms of ElGamal parameters, built here --- */

static const struct bytes x942 = {"\x2a\x86\x48\xce\x3e\x02\x01", 7},
                          pkcs3 = {"\x2a\x86\x48\x86\xf7\x0d\x01\x03\x01", 9},
                          oiw = {"\x2b\x0e\x07\x02\x01\x01", 6},
                          botan = {"\x2b\x06\x01\x04\x01\x97\x55\x01\x02\x01", 10};

static uint8_t built[8192];

/* A PKCS #8 file: parameters from the letters p, g, q, 2 (the number), s (a SEQUENCE), then x. */
static struct bytes build(struct bytes oid, const char *letters, const BIGNUM *p, const BIGNUM *g,
                          uint32_t x)
{
    BIGNUM *q = BN_new();
    struct der_out out;
    struct bytes der;
    const uint8_t *end;

    assert_ssl(BN_rshift1(q, p));
    der_out_init(&out, built, sizeof built);
    der_put_uint(&out, x);
    der_wrap(&out, DER_OCTET_STRING, out.end);
    end = out.p;
    for (size_t i = strlen(letters); i-- > 0;)
        if (letters[i] == 's')
            der_wrap(&out, DER_SEQUENCE, out.p);
        else if (letters[i] == '2')
            der_put_uint(&out, 2);
        else
            put_bn(&out, letters[i] == 'p' ? p : letters[i] == 'g' ? g : q);
    der_wrap(&out, DER_SEQUENCE, end);
    const uint8_t *oid_end = out.p;
    der_put_bytes(&out, oid.p, oid.len);
    der_wrap(&out, DER_OID, oid_end);
    der_wrap(&out, DER_SEQUENCE, end);
    der_put_uint(&out, 0);
    der_wrap(&out, DER_SEQUENCE, out.end);
    assert_null(der_out_end(&der, &out));
    BN_free(q);
    return der;
}

static BIGNUM *safe_prime(void)
{
    BIGNUM *p = NULL;

    assert_ssl(BN_hex2bn(&p, keys_safe_prime));
    return p;
}

static BIGNUM *named_prime(void)
{
    EVP_PKEY *ssl = openssl_key("DHX", 0, "ffdhe2048");
    BIGNUM *p = openssl_number(ssl, "p");

    EVP_PKEY_free(ssl);
    return p;
}

static void test_parameter_forms(void **state)
{
    static const struct {
        const struct bytes *oid;
        const char *letters, *refusal;
    } row[] = {
        {&x942, "pgq", NULL},        {&x942, "pqg", NULL}, /* told by its value, not by its place */
        {&x942, "pgq2", NULL},       {&x942, "pgqs", NULL},       {&x942, "pgq2s", NULL},
        {&oiw, "pg", NULL},          {&botan, "pgq", NULL},       {&botan, "pqg", NULL},
        {&pkcs3, "pg", NULL},        {&pkcs3, "pg2", NULL}, /* a length */
        {&x942, "pg2", "(p - 1)/2"}, {&x942, "pgg", "(p - 1)/2"}, {&oiw, "pgg", "(p - 1)/2"},
        {&x942, "p", "cut short"},   {&x942, "", "cut short"},    {&x942, "pgqs2", "follow"},
        {&x942, "pgq22", "follow"},  {&pkcs3, "pg22", "follow"},  {&pkcs3, "pgs", "structure"},
        {&x942, "qgp", "(p - 1)/2"},
    };
    BIGNUM *p = named_prime(), *g = BN_new();

    (void)state;
    assert_ssl(BN_set_word(g, 2));
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bytes file = build(*row[i].oid, row[i].letters, p, g, 77);
        tahr_key *key;

        if (row[i].refusal != NULL) {
            refuse_file(file, row[i].refusal);
            continue;
        }
        key = read_key(file);
        assert_string_equal(tahr_key_group(key), "ffdhe2048");
        tahr_key_free(key);
    }
    BN_free(p);
    BN_free(g);
}

/* --- age strings --- */

static void check_strings(const tahr_key *key)
{
    tahr_key *public, *again;
    char *text = write_key(key, TAHR_AGE), *twice;

    assert_memory_equal(text, "AGE-PLUGIN-TAHR-1", 17);
    again = read_text(text);
    twice = write_key(again, TAHR_AGE);
    assert_string_equal(text, twice);
    assert_int_equal(again->u.elgamal.xbits, key->u.elgamal.xbits);
    tahr_key_free(again);
    tahr_text_free(text);
    tahr_text_free(twice);

    assert_null(tahr_key_public(&public, key));
    text = write_key(public, TAHR_AGE);
    assert_memory_equal(text, "age1tahr1", 9);
    again = read_text(text);
    assert_false(tahr_key_is_private(again));
    twice = write_key(again, TAHR_AGE);
    assert_string_equal(text, twice);
    tahr_key_free(again);
    tahr_key_free(public);
    tahr_text_free(text);
    tahr_text_free(twice);
}

static void test_age_strings(void **state)
{
    tahr_key *key;
    BIGNUM *p = safe_prime(), *g = BN_new();

    (void)state;
    for (size_t i = 0; group_names[i] != NULL; i++) {
        assert_null(tahr_key_new_elgamal(&key, group_names[i], NULL));
        check_strings(key);
        tahr_key_free(key);
    }
    assert_ssl(BN_set_word(g, 256)); /* g of two bytes */
    key = read_key(build(x942, "pqg", p, g, 0x12345));
    assert_null(tahr_key_group(key));
    assert_nat_bn(key->u.elgamal.pub.group.p.m, key->u.elgamal.pub.group.p.n, p);
    assert_nat_bn(key->u.elgamal.pub.group.g, key->u.elgamal.pub.group.p.n, g);
    assert_int_equal(key->u.elgamal.xbits, 320);
    check_strings(key);
    tahr_key_free(key);
    BN_free(p);
    BN_free(g);
}

/* An x longer than L is written in the bytes of q. */
static void test_long_x(void **state)
{
    tahr_key *key = key_alloc(TAHR_ELGAMAL, 1), *again;
    uint8_t x[33] = {1};
    char *pem;

    (void)state;
    assert_int_equal(group_named(&key->u.elgamal.pub.group, "ffdhe2048"), 0);
    assert_null(elgamal_private_init(&key->u.elgamal, x, sizeof x, NULL, 0));
    assert_int_equal(key->u.elgamal.xbits, 2047);
    check_strings(key);
    pem = write_key(key, TAHR_PEM);
    again = read_text(pem);
    assert_int_equal(again->u.elgamal.xbits, 2047);
    check_strings(again);
    tahr_text_free(pem);
    tahr_key_free(key);
    tahr_key_free(again);
}

static void check_published(const char *string, const char *pkh_hex)
{
    uint8_t pkh[32], digest[32], payload[KEY_PAYLOAD_MAX];
    tahr_key *key = read_text(string);
    char *text = write_key(key, TAHR_AGE);
    struct bytes b = {payload, key_elgamal_payload(payload, key_elgamal_public(key))};

    assert_int_equal(strlen(text), strlen(string) + 1);
    assert_memory_equal(text, string, strlen(string));
    secret_sha256(digest, &b, 1);
    assert_int_equal(value_bytes(pkh, 32, pkh_hex), 32);
    assert_memory_equal(digest, pkh, 32);
    tahr_text_free(text);
    tahr_key_free(key);
}

/* The strings that the model in Python wrote. */
static void test_published(void **state)
{
    struct stanzas s;
    char before[80] = "";
    int count = 0;

    (void)state;
    assert_int_equal(stanzas_open(&s, "vectors/elgamal.txt"), 0);
    while (stanzas_next(&s) == 1) {
        const char *pkh = stanzas_get(&s, "PKH");
        if (pkh == NULL || strcmp(pkh, before) == 0) /* the key of the stanza before */
            continue;
        snprintf(before, sizeof before, "%s", pkh);
        check_published(stanzas_get(&s, "Recipient"), pkh);
        check_published(stanzas_get(&s, "Identity"), pkh);
        count++;
    }
    stanzas_close(&s);
    assert_true(count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elgamal_from_openssl),
        cmocka_unit_test(test_elgamal_to_openssl),
        cmocka_unit_test(test_parameter_forms),
        cmocka_unit_test(test_age_strings),
        cmocka_unit_test(test_long_x),
        cmocka_unit_test(test_published),
    };

    return secret_init() == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
