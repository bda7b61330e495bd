/* Keys as the layers above see them: questions, descriptions beside OpenSSL's, and the check. */
#include "bn.h"
#include "keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/pem.h>

static tahr_key *rsa_key(void)
{
    struct bytes pem = openssl_write(openssl_rsa(), EVP_PKEY_KEYPAIR, "PrivateKeyInfo", "PEM");
    tahr_key *key = read_key(pem);

    free((void *)pem.p);
    return key;
}

static tahr_key *elgamal_key(void)
{
    tahr_key *key;

    assert_null(tahr_key_new_elgamal(&key, "ffdhe2048", NULL));
    return key;
}

static tahr_key *x25519_key(void)
{
    tahr_key *key;

    assert_null(tahr_key_new_x25519(&key));
    return key;
}

static tahr_key *public_of(const tahr_key *key)
{
    tahr_key *public;

    assert_null(tahr_key_public(&public, key));
    return public;
}

static char *show(const tahr_key *key, int secret)
{
    char *text;
    size_t len;

    assert_null(tahr_key_show(&text, &len, key, secret));
    assert_int_equal(strlen(text), len);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("not in the text: %s", part);
}

static void test_questions(void **state)
{
    tahr_key *rsa = rsa_key(), *elgamal = elgamal_key(), *public = public_of(elgamal), *again;

    (void)state;
    assert_int_equal(tahr_key_type(rsa), TAHR_RSA);
    assert_int_equal(tahr_key_bits(rsa), 2048);
    assert_true(tahr_key_is_private(rsa));
    assert_null(tahr_key_group(rsa));
    assert_null(tahr_key_warning(rsa));
    assert_int_equal(tahr_key_type(elgamal), TAHR_ELGAMAL);
    assert_int_equal(tahr_key_bits(public), 2048);
    assert_string_equal(tahr_key_group(public), "ffdhe2048");
    assert_false(tahr_key_is_private(public));
    assert_null(tahr_key_warning(public));
    key_set_comment(rsa, (struct bytes){"me", 2});
    again = public_of(rsa);
    assert_string_equal(tahr_key_comment(again), "me");
    tahr_key_free(again);
    again = public_of(public);
    assert_string_equal(tahr_key_group(again), "ffdhe2048");
    tahr_key_free(again);
    tahr_key_free(rsa);
    tahr_key_free(elgamal);
    tahr_key_free(public);
    tahr_key_free(NULL);
}

/* Each line of hexadecimal that OpenSSL prints is in our text, after the same word. */
static void compare_numbers(const char *text, const char *openssl)
{
    char *copy = strdup(openssl), *p = strchr(copy, '\n'); /* the first line has no number */
    char *number = p;
    int count = 0;

    while ((p = strchr(p + 1, '\n')) != NULL)
        if (p[1] != ' ') { /* a number ends here */
            *p = '\0';
            assert_has(text, number + 1);
            *p = '\n';
            number = p;
            count++;
        }
    assert_true(count >= 2);
    free(copy);
}

static void test_show_beside_openssl(void **state)
{
    BIO *bio = BIO_new(BIO_s_mem());
    tahr_key *key = rsa_key(), *public = public_of(key);
    char *text = show(key, 1), *openssl;

    (void)state;
    assert_ssl(EVP_PKEY_print_private(bio, openssl_rsa(), 0, NULL));
    BIO_write(bio, "", 1);
    BIO_get_mem_data(bio, &openssl);
    compare_numbers(text, openssl);
    tahr_text_free(text);
    text = show(public, 1);
    assert_has(text, "RSA Public-Key: (2048 bit)\n");
    assert_has(text, "publicExponent: 65537 (0x10001)\n");
    assert_has(text, "modulus:\n    00:");
    assert_null(strstr(text, "privateExponent"));
    tahr_text_free(text);
    tahr_key_free(key);
    tahr_key_free(public);

    EVP_PKEY *dhx = openssl_key("DHX", 0, "ffdhe2048");
    struct bytes pem = openssl_write(dhx, EVP_PKEY_KEYPAIR, "PrivateKeyInfo", "PEM");
    (void)BIO_reset(bio);
    assert_ssl(EVP_PKEY_print_private(bio, dhx, 0, NULL));
    BIO_write(bio, "", 1);
    BIO_get_mem_data(bio, &openssl);
    key = read_key(pem);
    text = show(key, 1);
    compare_numbers(text, openssl);
    tahr_text_free(text);
    tahr_key_free(key);
    free((void *)pem.p);
    EVP_PKEY_free(dhx);
    BIO_free(bio);
}

/* OpenSSL's text of an X25519 key, between our first lines and our last. */
static void test_show_x25519(void **state)
{
    tahr_key *key = x25519_key();
    EVP_PKEY *pkey = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, key->u.x25519.k, 32);
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = show(key, 1), *openssl, *recipient;
    tahr_key *public = public_of(key);

    (void)state;
    assert_ssl(EVP_PKEY_print_private(bio, pkey, 0, NULL));
    BIO_write(bio, "", 1);
    BIO_get_mem_data(bio, &openssl);
    assert_true(strncmp(text, "X25519 Private-Key: (255 bit)\n", 30) == 0);
    assert_has(text, strchr(openssl, '\n'));
    recipient = write_key(public, TAHR_AGE);
    assert_has(text, recipient);
    tahr_text_free(recipient);
    tahr_text_free(text);
    tahr_key_free(public);
    tahr_key_free(key);
    EVP_PKEY_free(pkey);
    BIO_free(bio);
}

/* Without being asked, a private key's text is its public key's, but for one word. */
static void test_show_no_secret(void **state)
{
    tahr_key *const keys[] = {rsa_key(), elgamal_key(), x25519_key()};

    (void)state;
    for (int i = 0; i < 3; i++) {
        tahr_key *public = public_of(keys[i]);
        char *mine = show(keys[i], 0), *theirs = show(public, 0);
        assert_has(mine, "Private-Key");
        assert_string_equal(strchr(mine, '\n'), strchr(theirs, '\n'));
        tahr_text_free(mine);
        tahr_text_free(theirs);
        tahr_key_free(public);
        tahr_key_free(keys[i]);
    }
}

/* The fingerprint and recipient of ssh-keygen's and of the formats. */
static void test_fingerprint(void **state)
{
    tahr_key *const keys[] = {rsa_key(), elgamal_key()};

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint8_t bytes[KEY_PAYLOAD_MAX], digest[32];
        unsigned char base64[64];
        char line[128], *text = show(keys[i], 0), *recipient;
        tahr_key *public = public_of(keys[i]);
        size_t len = i == 0 ? key_rsa_wire(bytes, key_rsa_public(public))
                            : key_elgamal_payload(bytes, key_elgamal_public(public));

        assert_ssl(EVP_Digest(bytes, len, digest, NULL, EVP_sha256(), NULL));
        EVP_EncodeBlock(base64, digest, 32);
        snprintf(line, sizeof line, "\nfingerprint: SHA256:%.43s\n", (char *)base64);
        assert_has(text, line);
        recipient = write_key(public, i == 0 ? TAHR_SSH : TAHR_AGE);
        assert_has(text, recipient);
        tahr_text_free(recipient);
        tahr_text_free(text);
        tahr_key_free(public);
        tahr_key_free(keys[i]);
    }
}

/* --- The check --- */

static int findings;
static char last[256];

static void found(void *context, const char *line)
{
    assert_ptr_equal(context, last);
    snprintf(last, sizeof last, "%s", line);
    findings++;
}

static void assert_good(const tahr_key *key)
{
    findings = 0;
    if (tahr_key_check(key, found, last) != NULL)
        fail_msg("%s", last);
    assert_int_equal(findings, 0);
}

static void assert_bad(const tahr_key *key, const char *word)
{
    tahr_err err;

    findings = 0;
    err = tahr_key_check(key, found, last);
    assert_non_null(err);
    assert_int_equal(err->code, TAHR_BAD_KEY);
    assert_int_equal(findings, 1);
    assert_has(last, word);
    assert_ptr_equal(tahr_key_check(key, NULL, NULL), err);
}

static void test_check_good(void **state)
{
    tahr_key *const keys[] = {rsa_key(), elgamal_key()};
    tahr_key *public;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_good(keys[i]);
        public = public_of(keys[i]);
        assert_good(public);
        tahr_key_free(public);
        tahr_key_free(keys[i]);
    }
}

static tahr_key *key_of_primes(const BIGNUM *p, const BIGNUM *q)
{
    static uint8_t der[8192];
    struct rsa_numbers r = rsa_numbers_of(p, q);
    tahr_key *key = read_key(rsa_numbers_der(der, sizeof der, &r, 0));

    rsa_numbers_free(&r);
    return key;
}

static BIGNUM *prime_of(int bits)
{
    BIGNUM *p = BN_new();

    do
        assert_ssl(BN_generate_prime_ex2(p, bits, 0, NULL, NULL, NULL, bn_ctx()));
    while (BN_mod_word(p, 65537) == 1);
    return p;
}

static void test_check_rsa(void **state)
{
    BIGNUM *p = prime_of(1024), *q = prime_of(1024), *small = prime_of(256), *a = prime_of(513);
    BIGNUM *b = prime_of(512), *composite = BN_new(), *rest = prime_of(1793);
    tahr_key *key;

    (void)state;
    key = key_of_primes(p, q);
    assert_good(key);
    tahr_key_free(key);
    assert_ssl(BN_mul(composite, a, b, bn_ctx()));
    key = key_of_primes(p, composite);
    assert_bad(key, "not prime");
    tahr_key_free(key);
    key = key_of_primes(composite, p);
    assert_bad(key, "not prime");
    tahr_key_free(key);
    key = key_of_primes(small, rest);
    assert_bad(key, "sizes");
    tahr_key_free(key);
    BIGNUM *const all[] = {p, q, small, a, b, composite, rest};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        BN_free(all[i]);
}

/* Numbers that have changed in memory. */
static void test_check_changed(void **state)
{
    tahr_key *key = rsa_key(), *public;

    (void)state;
    key->u.rsa.dp[0] ^= 2;
    assert_bad(key, "RSA");
    key->u.rsa.dp[0] ^= 2;
    key->u.rsa.q.m[1] ^= 4;
    assert_bad(key, "RSA");
    tahr_key_free(key);

    key = elgamal_key();
    nat_set(key->u.elgamal.pub.y, key->u.elgamal.pub.group.p.n, 4);
    assert_bad(key, "g^x");
    public = public_of(key);
    assert_good(public); /* 4 is a residue */
    nat_set(public->u.elgamal_public.y, public->u.elgamal_public.group.p.n, 1);
    assert_bad(public, "y is");
    tahr_key_free(public);
    tahr_key_free(key);
}

static void test_check_prime_modulus(void **state)
{
    tahr_key *key = elgamal_key(), *rsa = key_alloc(TAHR_RSA, 0);
    const struct mod *p = &key->u.elgamal.pub.group.p;
    uint8_t bytes[256];

    (void)state;
    nat_to_bytes(bytes, sizeof bytes, p->m, p->n);
    assert_null(rsa_public_init(&rsa->u.rsa_public, bytes, sizeof bytes, 65537, RSA_MIN_BITS));
    assert_bad(rsa, "prime");
    tahr_key_free(key);
    tahr_key_free(rsa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions),           cmocka_unit_test(test_show_beside_openssl),
        cmocka_unit_test(test_show_x25519),         cmocka_unit_test(test_show_no_secret),
        cmocka_unit_test(test_fingerprint),         cmocka_unit_test(test_check_good),
        cmocka_unit_test(test_check_rsa),           cmocka_unit_test(test_check_changed),
        cmocka_unit_test(test_check_prime_modulus),
    };

    return secret_init() == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
