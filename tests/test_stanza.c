/* Stanzas on their own: read, written, wrapped and unwrapped, and which of several errors counts.
 */
#include "keys.h"
#include "memory_io.h"
#include "recipient.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FULL "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static tahr_key *rsa, *elgamal, *other;
static const unsigned char file_key[TAHR_FILE_KEY_LEN] = "0123456789abcdef";

static int make_keys(void **state)
{
    struct bytes der = openssl_write(openssl_rsa(), EVP_PKEY_KEYPAIR, "PrivateKeyInfo", "DER");

    (void)state;
    rsa = read_key(der);
    free((void *)der.p);
    return tahr_key_new_elgamal(&elgamal, "ffdhe2048", NULL) != NULL ||
           tahr_key_new_elgamal(&other, "ffdhe2048", NULL) != NULL;
}

static int free_keys(void **state)
{
    (void)state;
    tahr_key_free(rsa);
    tahr_key_free(elgamal);
    tahr_key_free(other);
    return 0;
}

/* --- Reading and writing --- */

static void test_read(void **state)
{
    static const char text[] = "-> a b-c ~\nQUI\n"
                               "-> x\n\n"
                               "-> y\n" FULL "\n\n"
                               "rest";

    (void)state;
    for (size_t step = 0; step < 3; step++) {
        struct memory m = memory_of(text, sizeof text - 1);
        struct tahr_io io = memory_io(&m);
        struct tahr_stanza *s;

        m.step = step;
        assert_null(tahr_stanza_read(&s, &io));
        assert_int_equal(s->args, 3);
        assert_string_equal(s->arg[0], "a");
        assert_string_equal(s->arg[1], "b-c");
        assert_string_equal(s->arg[2], "~");
        assert_int_equal(s->len, 2);
        assert_memory_equal(s->body, "AB", 2);
        assert_int_equal(m.in_at, 15); /* and nothing after it */
        tahr_stanza_free(s);
        assert_null(tahr_stanza_read(&s, &io));
        assert_int_equal(s->args, 1);
        assert_int_equal(s->len, 0);
        tahr_stanza_free(s);
        assert_null(tahr_stanza_read(&s, &io));
        assert_int_equal(s->len, 48);
        assert_int_equal(m.in_at, sizeof text - 1 - 4);
        tahr_stanza_free(s);
        assert_int_equal(tahr_stanza_read(&s, &io)->code, TAHR_BAD_MESSAGE);
        assert_null(s);
        assert_null(tahr_stanza_read(&s, &io)); /* the end */
        assert_null(s);
    }
}

static void test_bad_text(void **state)
{
    static const char *const bad[] = {
        "\n",        "-",           "->",           "-> \n\n",          "-> a",
        "-> a\n",    "-> a\nA\n",   "-> a\nAB\n",   "-> a\n" FULL "\n", "-> a  b\n\n",
        "-> a \n\n", "-> \x7f\n\n", "-> a\nQUI=\n", "-> a\r\n\n",       "-> a\n" FULL "A\n",
        "--- a\n\n", "->a\n\n",     " -> a\n\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct memory m = memory_of(bad[i], strlen(bad[i]));
        struct tahr_io io = memory_io(&m);
        struct tahr_stanza *s;
        tahr_err err = tahr_stanza_read(&s, &io);

        assert_non_null(err);
        assert_int_equal(err->code, TAHR_BAD_MESSAGE);
        assert_null(s);
    }
}

/* 130 arguments are read, for a header's stanza behind a command and an index; 128 are written. */
static void test_limits(void **state)
{
    const char *arg[129];
    char text[2 + 2 * 131 + 3] = "->";
    struct tahr_stanza *s;

    (void)state;
    for (int args = 1; args <= 131; args++) {
        strcat(text, " a");
        strcat(text, "\n\n");
        struct memory m = memory_of(text, strlen(text));
        struct tahr_io io = memory_io(&m);
        tahr_err err = tahr_stanza_read(&s, &io);
        assert_int_equal(err == NULL, args <= 130);
        if (s != NULL)
            assert_int_equal(s->args, args);
        tahr_stanza_free(s);
        text[strlen(text) - 2] = '\0';
    }
    for (int i = 0; i < 129; i++)
        arg[i] = "a";
    for (size_t args = 0; args <= 129; args++) {
        struct memory m = memory_of(NULL, 0);
        struct tahr_io io = memory_io(&m);
        tahr_err err = tahr_stanza_write(&io, &(struct tahr_stanza){arg, args, NULL, 0});
        assert_int_equal(err == NULL, args >= 1 && args <= 128);
        assert_int_equal(m.calls, err == NULL);
        memory_free(&m);
    }
    arg[0] = "a b";
    struct memory m = memory_of(NULL, 0);
    struct tahr_io io = memory_io(&m);
    assert_int_equal(tahr_stanza_write(&io, &(struct tahr_stanza){arg, 1, NULL, 0})->code,
                     TAHR_BAD_CALL);
}

static void test_write(void **state)
{
    static const char text[] = "-> a b\n" FULL "\n" FULL "\nAAAA\n-> a b\n" FULL "\n\n";
    static const unsigned char zeros[99];
    const char *const arg[] = {"a", "b"};
    struct memory m = memory_of(NULL, 0);
    struct tahr_io io = memory_io(&m);

    (void)state;
    assert_null(tahr_stanza_write(&io, &(struct tahr_stanza){arg, 2, zeros, 99}));
    assert_null(tahr_stanza_write(&io, &(struct tahr_stanza){arg, 2, zeros, 48}));
    assert_int_equal(m.calls, 2); /* one for each */
    assert_int_equal(m.out_len, sizeof text - 1);
    assert_memory_equal(m.out, text, sizeof text - 1);
    m.fail_at = 3;
    assert_int_equal(tahr_stanza_write(&io, &(struct tahr_stanza){arg, 2, zeros, 48})->code,
                     TAHR_SYSTEM);
    memory_free(&m);
}

static void test_failing_read(void **state)
{
    static const char text[] = "-> a\nAAAA\n";

    (void)state;
    for (long at = 1; at <= 10; at++) {
        struct memory m = memory_of(text, sizeof text - 1);
        struct tahr_io io = memory_io(&m);
        struct tahr_stanza *s;

        m.fail_at = at;
        assert_int_equal(tahr_stanza_read(&s, &io)->code, TAHR_SYSTEM);
        assert_null(s);
    }
}

/* --- File keys --- */

static struct tahr_stanza *wrapped(const tahr_key *key, const char *type)
{
    struct tahr_stanza *s;

    assert_null(tahr_wrap(&s, file_key, key));
    assert_string_equal(s->arg[0], type);
    return s;
}

static void check_unwrap(const struct tahr_stanza *const *list, size_t count,
                         const tahr_key *const *keys, size_t key_count, int code, size_t want_at)
{
    unsigned char found[TAHR_FILE_KEY_LEN];
    size_t at;
    tahr_err err = tahr_unwrap(found, &at, list, count, keys, key_count);

    assert_int_equal(err == NULL ? 0 : (int)err->code, code);
    if (code != TAHR_NO_MATCH)
        assert_int_equal(at, want_at);
    if (code == 0)
        assert_memory_equal(found, file_key, TAHR_FILE_KEY_LEN);
}

static void test_wrap(void **state)
{
    const tahr_key *const both[] = {rsa, elgamal}, *const wrong[] = {other};
    struct tahr_stanza *r = wrapped(rsa, "ssh-rsa"), *e = wrapped(elgamal, "tahr/elgamal");
    const struct tahr_stanza unknown = {(const char *const[]){"unknown", "x"}, 2, NULL, 0};
    const struct tahr_stanza *const list[] = {&unknown, e, r};
    tahr_key *public_key;

    (void)state;
    check_unwrap(list, 3, &both[0], 1, 0, 2);
    check_unwrap(list, 3, &both[1], 1, 0, 1);
    check_unwrap(list, 3, both, 2, 0, 2); /* the first key that fits */
    check_unwrap(list, 3, wrong, 1, TAHR_NO_MATCH, 0);
    check_unwrap(list, 1, both, 2, TAHR_NO_MATCH, 0);
    check_unwrap(list, 0, both, 2, TAHR_NO_MATCH, 0);
    check_unwrap(list, 3, both, 0, TAHR_NO_MATCH, 0);

    assert_null(tahr_key_public(&public_key, elgamal));
    struct tahr_stanza *p = wrapped(public_key, "tahr/elgamal");
    check_unwrap((const struct tahr_stanza *const[]){p}, 1, both, 2, 0, 0);
    check_unwrap(list, 3, (const tahr_key *const[]){public_key}, 1, TAHR_BAD_KEY, 0);
    tahr_stanza_free(p);
    tahr_key_free(public_key);
    tahr_stanza_free(r);
    tahr_stanza_free(e);
    tahr_stanza_free(NULL);
}

/* A stanza out of shape counts more than one that opens, and that more than a corrupt one. */
static void test_weights(void **state)
{
    const tahr_key *const keys[] = {other, elgamal, rsa};
    struct tahr_stanza *good = wrapped(elgamal, "tahr/elgamal");
    unsigned char body[32];
    struct tahr_stanza corrupt = *good, malformed = *good;
    const struct tahr_stanza *const list[] = {&corrupt, good, &corrupt, &malformed, good};

    (void)state;
    memcpy(body, good->body, sizeof body);
    body[5] ^= 1;
    corrupt.body = body;
    malformed.args = 2;
    check_unwrap(list, 1, keys, 3, TAHR_BAD_MESSAGE, 0);
    check_unwrap(list, 2, keys, 3, 0, 1);
    check_unwrap(list, 3, keys, 3, 0, 1);
    check_unwrap(list, 5, keys, 3, TAHR_BAD_MESSAGE, 3);
    check_unwrap(list + 2, 2, keys, 3, TAHR_BAD_MESSAGE, 1);
    check_unwrap(list + 3, 1, keys + 2, 1, TAHR_NO_MATCH, 0);

    const struct tahr_stanza *hostile[RECIPIENT_TRIES + 1]; /* tried so often, and no more */
    for (size_t i = 0; i < RECIPIENT_TRIES; i++)
        hostile[i] = &corrupt;
    hostile[RECIPIENT_TRIES] = good;
    check_unwrap(hostile, RECIPIENT_TRIES + 1, keys, 3, TAHR_BAD_MESSAGE, 0);
    check_unwrap(hostile + 1, RECIPIENT_TRIES, keys, 3, 0, RECIPIENT_TRIES - 1);
    tahr_stanza_free(good);
}

/* --- RSA's calls --- */

static void test_rsa_calls(void **state)
{
    static const struct tahr_oaep oaep = {TAHR_SHA256, TAHR_SHA512, "a label", 7};
    struct tahr_oaep wrong = oaep, none = oaep;
    unsigned char m[256] = {0}, c[256], back[256];
    tahr_key *public_key;
    size_t len;

    (void)state;
    assert_int_equal(tahr_rsa_len(rsa), 256);
    assert_int_equal(tahr_rsa_len(elgamal), 0);
    assert_null(tahr_key_public(&public_key, rsa));
    m[255] = 2;
    assert_null(tahr_rsa_raw_public(c, m, public_key));
    assert_null(tahr_rsa_raw_private(back, c, rsa));
    assert_memory_equal(back, m, sizeof m);
    assert_int_equal(tahr_rsa_raw_private(back, c, public_key)->code, TAHR_BAD_KEY);
    assert_int_equal(tahr_rsa_raw_public(back, c, elgamal)->code, TAHR_BAD_KEY);

    assert_null(tahr_rsa_encrypt(c, "text", 4, &oaep, public_key));
    assert_null(tahr_rsa_decrypt(back, &len, c, 256, &oaep, rsa));
    assert_int_equal(len, 4);
    assert_memory_equal(back, "text", 4);
    assert_int_equal(tahr_rsa_decrypt(back, &len, c, 256, &oaep, public_key)->code, TAHR_BAD_KEY);
    wrong.label_len = 6;
    assert_int_equal(tahr_rsa_decrypt(back, &len, c, 256, &wrong, rsa)->code, TAHR_BAD_MESSAGE);
    wrong = oaep;
    wrong.mgf1_hash = TAHR_SHA256;
    assert_int_equal(tahr_rsa_decrypt(back, &len, c, 256, &wrong, rsa)->code, TAHR_BAD_MESSAGE);
    none.hash = (enum tahr_hash)0;
    assert_int_equal(tahr_rsa_encrypt(c, "text", 4, &none, rsa)->code, TAHR_BAD_CALL);
    assert_non_null(tahr_rsa_encrypt(c, m, 256 - 2 * 32 - 1, &oaep, rsa));
    tahr_key_free(public_key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),         cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_limits),       cmocka_unit_test(test_write),
        cmocka_unit_test(test_failing_read), cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_weights),      cmocka_unit_test(test_rsa_calls),
    };
    assert_null(tahr_init());
    return cmocka_run_group_tests(tests, make_keys, free_keys);
}
