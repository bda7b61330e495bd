/* Key files: RSA keys in every format there and back against OpenSSL's encoders and decoders, and
 * files of several keys. */
#include "bn.h"
#include "keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PRIVATE EVP_PKEY_KEYPAIR
#define PUBLIC  EVP_PKEY_PUBLIC_KEY

static const struct {
    int selection;
    const char *structure;
    enum tahr_format format;
} rsa_forms[] = {
    {PRIVATE, "PrivateKeyInfo", TAHR_PEM},
    {PRIVATE, "type-specific", TAHR_PKCS1},
    {PUBLIC, "SubjectPublicKeyInfo", TAHR_PEM},
    {PUBLIC, "type-specific", TAHR_PKCS1},
};

/* OpenSSL's file, read and written again, is the same text; its DER is read too. */
static void check_form(EVP_PKEY *ssl, int selection, const char *structure, enum tahr_format format)
{
    struct bytes pem = openssl_write(ssl, selection, structure, "PEM");
    struct bytes der = openssl_write(ssl, selection, structure, "DER");
    tahr_key *from_pem = read_key(pem), *from_der = read_key(der);
    char *text = write_key(from_pem, format), *again = write_key(from_der, format);

    assert_int_equal(tahr_key_is_private(from_pem), selection == PRIVATE);
    assert_int_equal(tahr_key_bits(from_pem), EVP_PKEY_get_bits(ssl));
    assert_true(bytes_equal(pem, (struct bytes){text, strlen(text)}));
    assert_string_equal(text, again);
    tahr_key_free(from_pem);
    tahr_key_free(from_der);
    tahr_text_free(text);
    tahr_text_free(again);
    free((void *)pem.p);
    free((void *)der.p);
}

static void test_rsa_from_openssl(void **state)
{
    (void)state;
    for (int bits = 2048; bits <= 3072; bits += 1024) {
        EVP_PKEY *ssl = openssl_key("RSA", bits, NULL);
        for (size_t i = 0; i < sizeof rsa_forms / sizeof *rsa_forms; i++)
            check_form(ssl, rsa_forms[i].selection, rsa_forms[i].structure, rsa_forms[i].format);
        EVP_PKEY_free(ssl);
    }
}

static void test_rsa_to_openssl(void **state)
{
    tahr_key *key, *public, *again;
    char *text, *twice;

    (void)state;
    assert_null(tahr_key_new_rsa(&key, 2048, NULL));
    assert_null(tahr_key_public(&public, key));
    for (size_t i = 0; i < sizeof rsa_forms / sizeof *rsa_forms; i++) {
        int is_private = rsa_forms[i].selection == PRIVATE;
        text = write_key(is_private ? key : public, rsa_forms[i].format);
        assert_openssl_good(text, is_private);
        again = read_text(text);
        twice = write_key(again, rsa_forms[i].format);
        assert_string_equal(text, twice);
        tahr_key_free(again);
        tahr_text_free(text);
        tahr_text_free(twice);
    }
    tahr_key_free(key);
    tahr_key_free(public);
}

/* The SSH wire encoding as OpenSSL's BN_bn2mpi has it: u32 length, a sign byte where needed. */
static size_t openssl_wire(uint8_t *wire, EVP_PKEY *ssl)
{
    BIGNUM *e = openssl_number(ssl, "e"), *n = openssl_number(ssl, "n");
    size_t len = 11;

    memcpy(wire, "\0\0\0\7ssh-rsa", len);
    len += (size_t)BN_bn2mpi(e, wire + len);
    len += (size_t)BN_bn2mpi(n, wire + len);
    BN_free(e);
    BN_free(n);
    return len;
}

static void test_ssh(void **state)
{
    EVP_PKEY *ssl = openssl_rsa();
    uint8_t wire[1024], ours[KEY_WIRE_MAX];
    size_t len = openssl_wire(wire, ssl);
    char base64[1024], line[1200];
    tahr_key *key;
    char *text;

    (void)state;
    EVP_EncodeBlock((unsigned char *)base64, wire, (int)len);
    snprintf(line, sizeof line, "ssh-rsa %s me@host\n", base64);
    key = read_text(line);
    assert_string_equal(tahr_key_comment(key), "me@host");
    assert_int_equal(key_rsa_wire(ours, key_rsa_public(key)), len);
    assert_memory_equal(ours, wire, len);
    text = write_key(key, TAHR_SSH);
    assert_string_equal(text, line);
    tahr_text_free(text);
    tahr_key_free(key);

    snprintf(line, sizeof line, "\t ssh-rsa \t%s \t a\x1b[31m b\x7f\xc3\xa9 \r\n", base64);
    key = read_text(line);
    assert_string_equal(tahr_key_comment(key), "a[31m b");
    tahr_key_free(key);
    snprintf(line, sizeof line, "ssh-rsa %s", base64);
    key = read_text(line);
    assert_string_equal(tahr_key_comment(key), "");
    text = write_key(key, TAHR_SSH);
    assert_int_equal(strlen(text), strlen(line) + 1);
    tahr_text_free(text);
    tahr_key_free(key);
}

/* The wire encoding keeps n positive from a first byte of 80 on. */
static void test_wire_sign(void **state)
{
    tahr_key *key = key_alloc(TAHR_RSA, 0);
    uint8_t n[256] = {0}, wire[KEY_WIRE_MAX];

    (void)state;
    n[0] = 0x80;
    n[255] = 1;
    assert_null(rsa_public_init(&key->u.rsa_public, n, 256, 65537, RSA_MIN_BITS));
    assert_int_equal(key_rsa_wire(wire, &key->u.rsa_public), 11 + 7 + 4 + 257);
    assert_memory_equal(wire + 18, "\0\0\1\1\0\x80", 6);
    tahr_key_free(key);
}

static void test_long_comment(void **state)
{
    tahr_key *key = key_alloc(TAHR_RSA, 0);
    char text[2 * KEY_COMMENT_MAX];

    (void)state;
    memset(text, 'x', sizeof text);
    key_set_comment(key, (struct bytes){text, sizeof text});
    assert_int_equal(strlen(tahr_key_comment(key)), KEY_COMMENT_MAX - 1);
    tahr_key_free(key);
}

/* An odd number of so many bits, coprime to `other`, and one less than it to 65537.  In general it
 * is not prime. */
static BIGNUM *odd_number(int bits, const BIGNUM *other)
{
    BIGNUM *p = BN_new(), *gcd = BN_new();

    do {
        assert_ssl(BN_rand(p, bits, BN_RAND_TOP_TWO, BN_RAND_BOTTOM_ODD));
        assert_ssl(BN_gcd(gcd, p, other, bn_ctx()));
    } while (!BN_is_one(gcd) || BN_mod_word(p, 65537) <= 1);
    BN_free(gcd);
    return p;
}

/* The largest keys that are read fit every buffer, and other widths too: their numbers fit each
 * other, p and q are just not prime. */
static void test_rsa_sizes(void **state)
{
    static const int bits[][2] = {{8192, 8192}, {16000, 384}, {384, 16000}, {1025, 1030},
                                  {1021, 1029}, {1791, 258},  {4000, 4001}};
    static uint8_t buf[16384];

    (void)state;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        BIGNUM *p = odd_number(bits[i][0], BN_value_one()), *q = odd_number(bits[i][1], p);
        struct rsa_numbers r = rsa_numbers_of(p, q);
        struct bytes der = rsa_numbers_der(buf, sizeof buf, &r, 0);
        tahr_key *key = read_key(der), *again;
        char *text = write_key(key, TAHR_AGE), *pem = write_key(key, TAHR_PEM), *twice, *show;
        size_t len;

        again = read_text(text);
        twice = write_key(again, TAHR_PEM);
        assert_string_equal(pem, twice);
        assert_null(tahr_key_show(&show, &len, key, 1));
        assert_int_equal(strlen(show), len);
        assert_int_equal(tahr_key_warning(key) != NULL, tahr_key_bits(key) > 4096);
        tahr_text_free(text);
        tahr_text_free(pem);
        tahr_text_free(twice);
        tahr_text_free(show);
        tahr_key_free(key);
        tahr_key_free(again);
        rsa_numbers_free(&r);
        BN_free(p);
        BN_free(q);
    }
}

/* --- Files --- */

static void test_several_keys(void **state)
{
    EVP_PKEY *ssl = openssl_rsa();
    struct bytes pem = openssl_write(ssl, PRIVATE, "PrivateKeyInfo", "PEM");
    struct bytes spki = openssl_write(ssl, PUBLIC, "SubjectPublicKeyInfo", "PEM");
    tahr_key *elgamal;
    struct tahr_keys keys;
    char *identity, *file = malloc(1 << 16), *crlf = malloc(1 << 16), *out;
    size_t line = 99;

    (void)state;
    assert_null(tahr_key_new_elgamal(&elgamal, "ffdhe2048", NULL));
    identity = write_key(elgamal, TAHR_AGE);
    out = file + sprintf(file, "\xef\xbb\xbf# two keys\n\n  \t\n");
    for (int i = 0; i < 9; i++) /* as many as make the list grow thrice */
        out += sprintf(out, "%.*s%s#----\n%.*s\n", (int)pem.len, (const char *)pem.p, identity,
                       (int)spki.len, (const char *)spki.p);
    out = crlf;
    for (const char *p = file; *p != '\0'; p++) {
        if (*p == '\n')
            *out++ = '\r';
        *out++ = *p;
    }
    *out = '\0';
    for (int i = 0; i < 2; i++) {
        const char *text = i == 0 ? file : crlf;
        assert_null(tahr_keys_read(&keys, text, strlen(text), &line));
        assert_int_equal(line, 0);
        assert_int_equal(keys.count, 27);
        for (size_t k = 0; k < keys.count; k++) {
            assert_int_equal(tahr_key_type(keys.key[k]), k % 3 == 1 ? TAHR_ELGAMAL : TAHR_RSA);
            assert_int_equal(tahr_key_is_private(keys.key[k]), k % 3 != 2);
        }
        tahr_keys_free(&keys);
        assert_null(keys.key);
        tahr_keys_free(&keys);
    }
    tahr_text_free(identity);
    tahr_key_free(elgamal);
    free(file);
    free(crlf);
    free((void *)pem.p);
    free((void *)spki.p);
}

/* PEM whose base64 is in one line, in lines of one character, and among blanks. */
static void test_pem_lines(void **state)
{
    EVP_PKEY *ssl = openssl_rsa();
    struct bytes pem = openssl_write(ssl, PUBLIC, "SubjectPublicKeyInfo", "PEM");
    const char *p = pem.p, *body = strchr(p, '\n') + 1, *end = strstr(body, "-----END");
    char *file = malloc(8 * pem.len);
    tahr_key *key = read_key(pem), *again;

    (void)state;
    for (int form = 0; form < 3; form++) {
        char *out = file + sprintf(file, "%.*s", (int)(body - p), p), *want, *got;
        for (const char *c = body; c < end; c++)
            if (*c != '\n')
                out += sprintf(out, form == 0 ? "%c" : form == 1 ? "%c\n" : " \t%c \n\n", *c);
        sprintf(out, "%s%.*s", form == 0 ? "\n" : "", (int)(pem.len - (size_t)(end - p) - 1), end);
        again = read_text(file); /* and no newline at its end */
        want = write_key(key, TAHR_PEM);
        got = write_key(again, TAHR_PEM);
        assert_string_equal(want, got);
        tahr_text_free(want);
        tahr_text_free(got);
        tahr_key_free(again);
    }
    tahr_key_free(key);
    free(file);
    free((void *)pem.p);
}

static void test_formats_refused(void **state)
{
    tahr_key *rsa, *elgamal, *public;
    char *text;
    size_t len;
    tahr_err err;

    (void)state;
    assert_null(tahr_key_new_rsa(&rsa, 2048, NULL));
    assert_null(tahr_key_public(&public, rsa));
    assert_null(tahr_key_new_elgamal(&elgamal, "ffdhe2048", NULL));
    const struct {
        const tahr_key *key;
        enum tahr_format format;
    } row[] = {{rsa, TAHR_SSH},
               {public, TAHR_AGE},
               {elgamal, TAHR_SSH},
               {elgamal, TAHR_PKCS1},
               {rsa, (enum tahr_format)99}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        text = "";
        err = tahr_key_write(&text, &len, row[i].key, row[i].format);
        assert_null(text);
        assert_non_null(err);
        assert_int_equal(err->code, TAHR_BAD_CALL);
    }
    tahr_key_free(rsa);
    tahr_key_free(public);
    tahr_key_free(elgamal);
    err = tahr_key_new_elgamal(&elgamal, "ffdhe1024", NULL);
    assert_int_equal(err->code, TAHR_BAD_CALL);
    assert_null(elgamal);
    assert_non_null(tahr_key_new_rsa(&rsa, 1024, NULL));
    assert_null(rsa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rsa_from_openssl),
        cmocka_unit_test(test_rsa_to_openssl),
        cmocka_unit_test(test_ssh),
        cmocka_unit_test(test_long_comment),
        cmocka_unit_test(test_wire_sign),
        cmocka_unit_test(test_rsa_sizes),
        cmocka_unit_test(test_several_keys),
        cmocka_unit_test(test_pem_lines),
        cmocka_unit_test(test_formats_refused),
    };

    return secret_init() == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
