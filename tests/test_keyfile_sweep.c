/* Whatever is done to a good key file, it is refused with a reason or is another key's own file;
 * nothing takes long. */
#include "keys.h"
#include "pem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PRIVATE EVP_PKEY_KEYPAIR
#define PUBLIC  EVP_PKEY_PUBLIC_KEY
#define MB10    10000000
#define HEAD    40 /* bytes of a key file that are more structure than number */

static uint8_t buf[16384];

/* A DER file with something changed is refused as a bad key, or it is another key's file: what is
 * read, written again, is the same. */
static void check_changed(struct bytes file, enum tahr_format format)
{
    struct tahr_keys keys;
    struct bytes der, line, label;
    struct lines in = {{NULL, 0}, 0};
    char *text;
    tahr_err err = tahr_keys_read(&keys, file.p, file.len, NULL);

    if (err != NULL) {
        assert_int_equal(err->code, TAHR_BAD_KEY);
        assert_true(strlen(err->text) > 0);
        return;
    }
    assert_int_equal(keys.count, 1);
    text = write_key(keys.key[0], format);
    in.rest = (struct bytes){text, strlen(text)};
    assert_true(line_next(&line, &in));
    assert_true(pem_begins(&label, line));
    assert_null(pem_read(buf, sizeof buf, &der, &in, label));
    assert_true(bytes_equal(der, file));
    tahr_text_free(text);
    tahr_keys_free(&keys);
}

/* A bit of each byte flipped, past the head only in one of `step`; cut at each place; a byte more;
 * lengths and tags set to extremes. */
static void sweep_der(EVP_PKEY *key, int selection, const char *structure, enum tahr_format format,
                      size_t step)
{
    static const uint8_t extremes[] = {0, 1, 2, 3, 4, 0x30, 0x7f, 0x80, 0x81, 0x82, 0x84, 0xff};
    struct bytes file = openssl_write(key, selection, structure, "DER");
    uint8_t *p = malloc(file.len + 1);

    memcpy(p, file.p, file.len);
    p[file.len] = 0;
    check_changed((struct bytes){p, file.len}, format);
    for (size_t i = 0; i < file.len; i += i < HEAD ? 1 : step) {
        p[i] ^= (uint8_t)(1 << i % 8);
        check_changed((struct bytes){p, file.len}, format);
        p[i] ^= (uint8_t)(1 << i % 8);
    }
    for (size_t len = 0; len < file.len; len++) {
        uint8_t *cut = malloc(len + 1); /* its end is where a sanitizer sees it */
        memcpy(cut, p, len);
        refuse_file((struct bytes){cut, len}, "");
        free(cut);
    }
    refuse_file((struct bytes){p, file.len + 1}, "follow");
    for (size_t i = 0; i < HEAD; i++)
        for (size_t k = 0; k < sizeof extremes; k++) {
            uint8_t was = p[i];
            p[i] = extremes[k];
            check_changed((struct bytes){p, file.len}, format);
            p[i] = was;
        }
    free(p);
    free((void *)file.p);
}

static void test_der_sweep(void **state)
{
    EVP_PKEY *dhx = openssl_key("DHX", 0, "ffdhe2048");

    (void)state;
    sweep_der(openssl_rsa(), PRIVATE, "PrivateKeyInfo", TAHR_PEM, 11);
    sweep_der(openssl_rsa(), PRIVATE, "type-specific", TAHR_PKCS1, 1);
    sweep_der(openssl_rsa(), PUBLIC, "SubjectPublicKeyInfo", TAHR_PEM, 1);
    sweep_der(openssl_rsa(), PUBLIC, "type-specific", TAHR_PKCS1, 1);
    sweep_der(dhx, PRIVATE, "PrivateKeyInfo", TAHR_PEM, 1);
    sweep_der(dhx, PUBLIC, "SubjectPublicKeyInfo", TAHR_PEM, 1);
    EVP_PKEY_free(dhx);
}

/* The same for text, of which some parts are nobody's business: the end of a comment, say. */
static void sweep_text(const char *text, int every_change_counts)
{
    size_t len = strlen(text) - 1; /* the last line's end is no part of it */
    struct tahr_keys keys;

    for (size_t i = 0; i < len; i++) {
        char *p = malloc(len);
        memcpy(p, text, len);
        p[i] = (char)(p[i] ^ 1 << i % 8);
        tahr_err err = tahr_keys_read(&keys, p, len, NULL);
        assert_true(err == NULL ? !every_change_counts : err->code == TAHR_BAD_KEY);
        tahr_keys_free(&keys);
        err = tahr_keys_read(&keys, p, i, NULL);
        assert_true(err == NULL ? !every_change_counts : err->code == TAHR_BAD_KEY);
        tahr_keys_free(&keys);
        free(p);
    }
}

static void test_text_sweep(void **state)
{
    struct bytes pem = openssl_write(openssl_rsa(), PUBLIC, "SubjectPublicKeyInfo", "PEM");
    tahr_key *rsa = read_key(pem), *elgamal, *public;
    char *text;

    (void)state;
    text = write_key(rsa, TAHR_PEM);
    sweep_text(text, 0);
    tahr_text_free(text);
    key_set_comment(rsa, (struct bytes){"me", 2});
    text = write_key(rsa, TAHR_SSH);
    sweep_text(text, 0);
    tahr_text_free(text);
    assert_null(tahr_key_new_elgamal(&elgamal, "ffdhe2048", NULL));
    text = write_key(elgamal, TAHR_AGE);
    sweep_text(text, 1);
    tahr_text_free(text);
    assert_null(tahr_key_public(&public, elgamal));
    text = write_key(public, TAHR_AGE);
    sweep_text(text, 1);
    tahr_text_free(text);
    tahr_key_free(rsa);
    tahr_key_free(elgamal);
    tahr_key_free(public);
    free((void *)pem.p);
}

/* Ten megabytes: a head, a filling again and again, a tail. */
static void refuse_huge(const char *head, const char *filling, const char *tail, const char *word)
{
    size_t step = strlen(filling), at = strlen(head);
    char *p = malloc(MB10 + 200);

    memcpy(p, head, at);
    for (; at < MB10; at += step)
        memcpy(p + at, filling, step);
    memcpy(p + at, tail, strlen(tail));
    refuse_file((struct bytes){p, at + strlen(tail)}, word);
    free(p);
}

static void test_huge(void **state)
{
    static const uint8_t deep[4] = {0x30, 0x84, 0x00, 0x98}; /* nested, each claiming 10 MB */
    uint8_t *nested = malloc(MB10);

    (void)state;
    refuse_huge("#", "x", "", "no key");
    refuse_huge("", " ", "", "no key");
    refuse_huge("", "\n", "", "no key");
    refuse_huge("", "#\r\n", "", "no key");
    refuse_huge("", "x", "", "neither");
    refuse_huge("age1tahr1", "q", "\n", "too long");
    refuse_huge("AGE-PLUGIN-TAHR-1", "Q", "\n", "too long");
    refuse_huge("ssh-rsa ", "A", "\n", "ssh-rsa line");
    refuse_huge("ssh-rsa AAAA", " ", "\n", "ssh-rsa line");
    refuse_huge("-----BEGIN PRIVATE KEY-----\n", "A", "\n-----END PRIVATE KEY-----\n", "too large");
    refuse_huge("-----BEGIN PRIVATE KEY-----\n", "AAAA\n", "-----END PRIVATE KEY-----\n",
                "too large");
    refuse_huge("-----BEGIN PRIVATE KEY-----\n", "\n", "-----END PRIVATE KEY-----\n", "cut short");
    refuse_huge("-----BEGIN PRIVATE KEY-----\n", "\n", "", "no END");
    refuse_huge("-----BEGIN ", "-", "\n", "kind");
    refuse_huge("-----BEGIN ", "A", "-----\n", "kind");
    refuse_huge("", "-----BEGIN PRIVATE KEY-----\n", "", "no END");
    refuse_huge("", "0", "", "cut short");
    refuse_huge("\x30\x84\x01\x01\x01\x01", "0", "", "cut short");
    for (size_t i = 0; i < MB10; i++)
        nested[i] = deep[i % 4];
    refuse_file((struct bytes){nested, MB10}, "");
    memset(nested, 0x02, MB10); /* SEQUENCE { INTEGER of 2^20 bits and more */
    memcpy(nested, "\x30\x83\x98\x96\x7b\x02\x83\x98\x96\x76", 10);
    refuse_file((struct bytes){nested, MB10}, "");
    free(nested);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_der_sweep),
        cmocka_unit_test(test_text_sweep),
        cmocka_unit_test(test_huge),
    };

    return secret_init() == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
