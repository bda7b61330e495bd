/* Passphrases and scrypt stanzas: OpenSSL opens ours and we open OpenSSL's; work factors and their
 * spelling; asking for the passphrase. */
#include "bn.h"
#include "wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>

#define LABEL "age-encryption.org/v1/scrypt"

static const uint8_t file_key[64] = "YELLOW SUBMARINE, and more of the same";
static const uint8_t salt[16] = "sixteen of these";

static tahr_key *passphrase_key(const char *text)
{
    tahr_key *key;

    assert_null(tahr_key_new_passphrase(&key, text, strlen(text)));
    key->u.passphrase.log_n = 10; /* a test has no second to spend */
    return key;
}

static void openssl_scrypt(uint8_t wrap[32], const char *passphrase, const uint8_t s[16], int log_n)
{
    uint8_t labelled[28 + 16];

    memcpy(labelled, LABEL, 28);
    memcpy(labelled + 28, s, 16);
    assert_ssl(EVP_PBE_scrypt(passphrase, strlen(passphrase), labelled, sizeof labelled,
                              (uint64_t)1 << log_n, 8, 1, (uint64_t)1 << 30, wrap, 32));
}

static void test_wrap(void **state)
{
    tahr_key *key = passphrase_key("correct horse");
    const struct stanza *stanza = wrap_stanza(&recipient_scrypt, key, file_key);
    uint8_t s[16], wrap[32], found[FILE_KEY_LEN];
    size_t len;

    (void)state;
    assert_int_equal(stanza->args, 3);
    assert_string_equal(stanza->arg[2], "10");
    assert_int_equal(base64_decode(s, 16, &len, stanza->arg[1], strlen(stanza->arg[1]), 0), 0);
    assert_int_equal(len, 16);
    assert_int_equal(stanza->len, 32);
    openssl_scrypt(wrap, "correct horse", s, 10);
    assert_true(openssl_open(found, stanza->body, 32, wrap));
    assert_memory_equal(found, file_key, FILE_KEY_LEN);
    memset(found, 0, sizeof found);
    assert_null(recipient_scrypt.unwrap(found, stanza, key));
    assert_memory_equal(found, file_key, FILE_KEY_LEN);
    tahr_key_free(key);
}

/* The stanza of OpenSSL with N = 2^log_n, with other words in the places of salt and factor. */
static tahr_err unwrap(const tahr_key *key, int log_n, size_t len, const char *salt_text,
                       const char *factor)
{
    uint8_t wrap[32], body[64 + 16], out[FILE_KEY_LEN];
    char encoded[25];
    const char *const arg[] = {"scrypt", salt_text ? salt_text : encoded, factor};
    tahr_err err;

    openssl_scrypt(wrap, "correct horse", salt, log_n);
    openssl_seal(body, file_key, len, wrap);
    base64_encode(encoded, salt, sizeof salt, 0);
    err = recipient_scrypt.unwrap(out, &(struct stanza){arg, factor ? 3 : 2, body, len + 16}, key);
    if (err == NULL)
        assert_memory_equal(out, file_key, FILE_KEY_LEN);
    return err;
}

static void test_unwrap(void **state)
{
    tahr_key *key = passphrase_key("correct horse"), *other = passphrase_key("correct horsf"),
             *empty = passphrase_key("");

    (void)state;
    for (int log_n = 1; log_n <= 10; log_n++) {
        char factor[12];

        snprintf(factor, sizeof factor, "%d", log_n);
        assert_null(unwrap(key, log_n, 16, NULL, factor));
    }
    for (size_t len = 0; len <= 64; len += 16)
        assert_ptr_equal(unwrap(key, 2, len, NULL, "2"), len == 16 ? NULL : &recipient_malformed);
    assert_int_equal(unwrap(other, 2, 16, NULL, "2")->code, TAHR_NO_MATCH);
    assert_int_equal(unwrap(empty, 2, 16, NULL, "2")->code, TAHR_NO_MATCH);
    assert_int_equal(unwrap(key, 2, 16, NULL, "3")->code, TAHR_NO_MATCH);
    tahr_key_free(key);
    tahr_key_free(other);
    tahr_key_free(empty);
}

static void test_shape(void **state)
{
    static const char *const factors[] = {
        "",    "0",   "00",  "010", "01",  "+10",  "-10", "10 ", " 10",
        "0xa", "0o2", "10x", "x10", "1e1", "10.0", "1O",  "-",   NULL,
    };
    static const char *const salts[] = {
        "",
        "c2l4dGVlbiBvZiB0aGVzZ",    /* 15 bytes and a little */
        "c2l4dGVlbiBvZiB0aGVz",     /* 15 bytes */
        "c2l4dGVlbiBvZiB0aGVzZSE",  /* 17 bytes */
        "c2l4dGVlbiBvZiB0aGVzZR",   /* unused bits are not zero */
        "c2l4dGVlbiBvZiB0aGVzZQ==", /* padded */
    };
    static const char *const huge[] = {"23",
                                       "30",
                                       "63",
                                       "64",
                                       "100",
                                       "1000",
                                       "18446744073709551626",
                                       "99999999999999999999999999999999"};
    tahr_key *key = passphrase_key("correct horse");

    (void)state;
    assert_null(unwrap(key, 10, 16, "c2l4dGVlbiBvZiB0aGVzZQ", "10"));
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        assert_ptr_equal(unwrap(key, 10, 16, NULL, factors[i]), &recipient_malformed);
    for (size_t i = 0; i < sizeof salts / sizeof *salts; i++)
        assert_ptr_equal(unwrap(key, 10, 16, salts[i], "10"), &recipient_malformed);
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        tahr_err err = unwrap(key, 10, 16, NULL, huge[i]);

        assert_int_equal(err->code, TAHR_BAD_MESSAGE);
        assert_non_null(strstr(err->text, "malformed header: its scrypt work factor"));
    }
    tahr_key_free(key);
}

static void test_max_work_factor(void **state)
{
    tahr_key *key = passphrase_key("correct horse"), *x25519;

    (void)state;
    assert_null(tahr_key_set_max_work_factor(key, 9));
    assert_int_equal(unwrap(key, 10, 16, NULL, "10")->code, TAHR_BAD_MESSAGE);
    assert_null(unwrap(key, 9, 16, NULL, "9"));
    assert_null(tahr_key_set_max_work_factor(key, 10));
    assert_null(unwrap(key, 10, 16, NULL, "10"));
    assert_null(tahr_key_set_max_work_factor(key, 30));
    assert_int_equal(tahr_key_set_max_work_factor(key, 0)->code, TAHR_BAD_CALL);
    assert_int_equal(tahr_key_set_max_work_factor(key, 31)->code, TAHR_BAD_CALL);
    assert_null(tahr_key_new_x25519(&x25519));
    assert_int_equal(tahr_key_set_max_work_factor(x25519, 20)->code, TAHR_BAD_CALL);
    tahr_key_free(x25519);
    tahr_key_free(key);
}

struct answer {
    const char *text; /* NULL: none */
    int times;
};

static int ask(void *context, char *text, size_t room, size_t *len)
{
    struct answer *answer = context;

    answer->times++;
    assert_int_equal(room, TAHR_PASSPHRASE_MAX);
    if (answer->text == NULL)
        return -1;
    *len = strlen(answer->text);
    memcpy(text, answer->text, *len);
    return 0;
}

/* The passphrase is asked for when it is needed, and no sooner. */
static void test_prompt(void **state)
{
    struct answer answer = {"correct horse", 0};
    const struct tahr_prompt prompt = {ask, &answer}, none = {NULL, NULL};
    uint8_t found[FILE_KEY_LEN];
    tahr_key *key, *plain = passphrase_key("correct horse");

    (void)state;
    assert_int_equal(tahr_key_new_prompt(&key, &none)->code, TAHR_BAD_CALL);
    assert_null(tahr_key_new_prompt(&key, &prompt));
    key->u.passphrase.log_n = 10;
    assert_int_equal(answer.times, 0);
    assert_null(
        recipient_scrypt.unwrap(found, wrap_stanza(&recipient_scrypt, key, file_key), plain));
    assert_int_equal(answer.times, 1);
    assert_null(unwrap(key, 2, 16, NULL, "2"));
    assert_int_equal(answer.times, 2);
    assert_ptr_equal(unwrap(key, 2, 16, NULL, "02"), &recipient_malformed);
    assert_int_equal(unwrap(key, 2, 16, NULL, "23")->code, TAHR_BAD_MESSAGE);
    assert_int_equal(answer.times, 2);
    answer.text = NULL;
    assert_int_equal(unwrap(key, 2, 16, NULL, "2")->code, TAHR_SYSTEM);
    tahr_key_free(plain);
    tahr_key_free(key);
}

/* A passphrase is a private key that has no text, no public half and 1024 bytes at most. */
static void test_key(void **state)
{
    static char text[TAHR_PASSPHRASE_MAX + 1];
    static struct header h;
    tahr_key *key, *public;
    char *shown;
    size_t len;

    (void)state;
    assert_int_equal(tahr_key_new_passphrase(&key, text, sizeof text)->code, TAHR_BAD_CALL);
    assert_null(key);
    assert_null(tahr_key_new_passphrase(&key, text, sizeof text - 1));
    assert_int_equal(tahr_key_type(key), TAHR_PASSPHRASE);
    assert_true(tahr_key_is_private(key));
    assert_int_equal(tahr_key_bits(key), 0);
    assert_null(tahr_key_group(key));
    assert_string_equal(tahr_key_comment(key), "");
    assert_null(tahr_key_warning(key));
    assert_null(tahr_key_check(key, NULL, NULL));
    assert_int_equal(tahr_key_public(&public, key)->code, TAHR_BAD_CALL);
    assert_null(public);
    for (int format = TAHR_PEM; format <= TAHR_AGE; format++)
        assert_int_equal(tahr_key_write(&shown, &len, key, (enum tahr_format)format)->code,
                         TAHR_BAD_CALL);
    assert_int_equal(tahr_key_show(&shown, &len, key, 1)->code, TAHR_BAD_CALL);
    tahr_key_free(key);
    key = passphrase_key("");
    header_init(&h);
    assert_int_equal(recipient_scrypt.wrap(&h, file_key, key)->code, TAHR_BAD_CALL);
    tahr_key_free(key);
    assert_null(tahr_key_new_passphrase(&key, "x", 1));
    assert_string_equal(wrap_stanza(&recipient_scrypt, key, file_key)->arg[2], "18");
    tahr_key_free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrap),   cmocka_unit_test(test_unwrap),
        cmocka_unit_test(test_shape),  cmocka_unit_test(test_max_work_factor),
        cmocka_unit_test(test_prompt), cmocka_unit_test(test_key),
    };

    if (tahr_init() != NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
