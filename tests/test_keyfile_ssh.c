/* OpenSSH private key files: what tahr writes it reads, and what is not such a file it refuses. */
#include "bn.h"
#include "keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pem.h"

static tahr_key *rsa_key(const char *comment)
{
    struct bytes pem = openssl_write(openssl_rsa(), EVP_PKEY_KEYPAIR, "PrivateKeyInfo", "PEM");
    tahr_key *key = read_key(pem);

    key_set_comment(key, (struct bytes){comment, strlen(comment)});
    free((void *)pem.p);
    return key;
}

/* The padding depends on the comment's length. */
static void test_there_and_back(void **state)
{
    static const char comment[] = "a comment";

    (void)state;
    for (size_t i = 0; i < sizeof comment; i++) {
        tahr_key *key = rsa_key(comment + i), *again;
        char *text = write_key(key, TAHR_OPENSSH), *pem = write_key(key, TAHR_PEM), *twice;

        again = read_text(text);
        twice = write_key(again, TAHR_PEM);
        assert_true(tahr_key_is_private(again));
        assert_string_equal(tahr_key_comment(again), comment + i);
        assert_string_equal(twice, pem);
        tahr_text_free(twice);
        tahr_text_free(text);
        tahr_text_free(pem);
        tahr_key_free(again);
        tahr_key_free(key);
    }
}

/* The file of a key, as bytes. */
static size_t file_of(uint8_t *out, const tahr_key *key)
{
    struct der_out der;
    struct bytes file;

    der_out_init(&der, out, KEYFILE_DER_MAX);
    keyfile_put_openssh(&der, key);
    assert_null(der_out_end(&file, &der));
    memmove(out, file.p, file.len);
    return file.len;
}

static void refuse_openssh(const uint8_t *data, size_t len, const char *word)
{
    static char text[2 * KEYFILE_DER_MAX];

    pem_write(text, "OPENSSH PRIVATE KEY", (struct bytes){data, len});
    refuse_file((struct bytes){text, strlen(text)}, word);
}

/* Offsets: magic 0, cipher 15, KDF 23, options 31, count 35, public key 39 (its type 43 + 4, e 54,
 * n 61), secret 43 + 279: check, check, type. */
#define SECRET (43 + 279)

static void test_refusals(void **state)
{
    static const struct {
        size_t at;
        const char *word;
    } row[] = {
        {0, "well-formed"},           {14, "well-formed"},         {15, "well-formed"},
        {19, "passphrase"},           {27, "well-formed"},         {34, "well-formed"},
        {38, "well-formed"},          {42, "well-formed"},         {47, "well-formed"},
        {60, "well-formed"},          {100, "well-formed"},        {SECRET + 3, "well-formed"},
        {SECRET + 4, "well-formed"},  {SECRET + 8, "well-formed"}, {SECRET + 20, "well-formed"},
        {SECRET + 100, "well-formed"}};
    tahr_key *key = rsa_key("me");
    uint8_t file[KEYFILE_DER_MAX];
    size_t len = file_of(file, key);

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        file[row[i].at] ^= 1;
        refuse_openssh(file, len, row[i].word);
        file[row[i].at] ^= 1;
    }
    if (file[len - 1] == 'e') { /* no padding: a byte less of comment, and there is one */
        key_set_comment(key, (struct bytes){"m", 1});
        len = file_of(file, key);
    }
    file[len - 1] ^= 1; /* padding */
    refuse_openssh(file, len, "well-formed");
    file[len - 1] ^= 1;
    for (size_t cut = 1; cut <= len; cut += cut < 20 ? 1 : 37)
        refuse_openssh(file, len - cut, "");
    file[len] = 0;
    refuse_openssh(file, len + 1, "well-formed");
    tahr_key_free(key);
}

/* A number that is changed in the secret part alone does not fit the others. */
static void test_inconsistent(void **state)
{
    tahr_key *key = rsa_key("me");
    uint8_t file[KEYFILE_DER_MAX];
    size_t n = SECRET + 4 + 8 + 11 + 4 + 257 + 7, len = file_of(file, key);

    (void)state;
    file[n + 4 + 200] ^= 2; /* d */
    refuse_openssh(file, len, "belong together");
    tahr_key_free(key);
}

static void test_types(void **state)
{
    static const char *const types[][2] = {{"ssh-ed25519", "Ed25519"},
                                           {"ecdsa-sha2-nistp256", "sign"},
                                           {"ssh-dss", "DSA"},
                                           {"sk-ssh-ed25519@openssh.com", "sign"},
                                           {"ssh-none", "well-formed"}};
    uint8_t file[256] =
        "openssh-key-v1\0\0\0\0\4none\0\0\0\4none\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x40";
    uint8_t *secret = file + 47;

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        memset(secret, 0, 64);
        secret[11] = (uint8_t)strlen(types[i][0]);
        memcpy(secret + 12, types[i][0], secret[11]);
        refuse_openssh(file, 47 + 64, types[i][1]);
    }
}

static void test_no_such_format(void **state)
{
    tahr_key *key = rsa_key("me"), *public, *elgamal;
    char *text;
    size_t len;

    (void)state;
    assert_null(tahr_key_public(&public, key));
    assert_null(tahr_key_new_elgamal(&elgamal, "ffdhe2048", NULL));
    assert_int_equal(tahr_key_write(&text, &len, public, TAHR_OPENSSH)->code, TAHR_BAD_CALL);
    assert_int_equal(tahr_key_write(&text, &len, elgamal, TAHR_OPENSSH)->code, TAHR_BAD_CALL);
    assert_int_equal(tahr_key_write(&text, &len, key, TAHR_OIW)->code, TAHR_BAD_CALL);
    assert_int_equal(tahr_key_write(&text, &len, key, TAHR_BOTAN)->code, TAHR_BAD_CALL);
    assert_int_equal(tahr_key_write(&text, &len, key, TAHR_PKCS3)->code, TAHR_BAD_CALL);
    tahr_key_free(key);
    tahr_key_free(public);
    tahr_key_free(elgamal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_inconsistent),   cmocka_unit_test(test_types),
        cmocka_unit_test(test_no_such_format),
    };

    return secret_init() == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
