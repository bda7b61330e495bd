/* Key files under a passphrase: every kind of key in them, armored or not, and what is none. */
#include "keys.h"
#include "memory_io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static tahr_key *passphrase, *wrong, *x25519, *elgamal;

static tahr_key *passphrase_key(const char *text)
{
    tahr_key *key;

    assert_null(tahr_key_new_passphrase(&key, text, strlen(text)));
    key->u.passphrase.log_n = 4;
    return key;
}

static int set_up(void **state)
{
    (void)state;
    passphrase = passphrase_key("correct horse");
    wrong = passphrase_key("wrong horse");
    return tahr_key_new_x25519(&x25519) != NULL ||
           tahr_key_new_elgamal(&elgamal, "ffdhe2048", NULL) != NULL;
}

static int tear_down(void **state)
{
    tahr_key *const keys[] = {passphrase, wrong, x25519, elgamal};

    (void)state;
    for (int i = 0; i < 4; i++)
        tahr_key_free(keys[i]);
    return 0;
}

/* The text encrypted to the key: free it with memory_free. */
static struct memory lock(const char *text, const tahr_key *key, int armor)
{
    struct memory m = memory_of(text, strlen(text));
    struct tahr_io io = memory_io(&m);

    assert_null(tahr_encrypt(&io, &key, 1, armor));
    return m;
}

static void test_unlock(void **state)
{
    char text[4096], *first = write_key(x25519, TAHR_AGE), *second = write_key(elgamal, TAHR_PEM);

    (void)state;
    snprintf(text, sizeof text, "# two keys\r\n%s\r\n\r\n%s", first, second);
    for (int armor = 0; armor < 2; armor++) {
        struct memory m = lock(text, passphrase, armor);
        struct tahr_keys keys;
        size_t line = 7;

        assert_int_equal(tahr_keys_locked(m.out, m.out_len), 1);
        assert_int_equal(tahr_keys_read(&keys, m.out, m.out_len, NULL)->code, TAHR_BAD_KEY);
        assert_int_equal(tahr_keys_unlock(&keys, m.out, m.out_len, NULL, wrong)->code,
                         TAHR_NO_MATCH);
        assert_null(tahr_keys_unlock(&keys, m.out, m.out_len, &line, passphrase));
        assert_int_equal(line, 0);
        assert_int_equal(keys.count, 2);
        assert_int_equal(tahr_key_type(keys.key[0]), TAHR_X25519);
        assert_memory_equal(keys.key[0]->u.x25519.k, x25519->u.x25519.k, X25519_LEN);
        assert_int_equal(tahr_key_type(keys.key[1]), TAHR_ELGAMAL);
        assert_true(tahr_key_is_private(keys.key[1]));
        tahr_keys_free(&keys);
        memory_free(&m);
    }
    tahr_text_free(first);
    tahr_text_free(second);
}

static void refuse(const struct memory *m, size_t len, const char *word)
{
    struct tahr_keys keys;
    tahr_err err = tahr_keys_unlock(&keys, m->out, len, NULL, passphrase);

    assert_non_null(err);
    assert_int_equal(err->code, TAHR_BAD_KEY);
    assert_non_null(strstr(err->text, word));
    assert_int_equal(keys.count, 0);
}

/* Corrupt, cut short, for a key, without a key in it, with too much work. */
static void test_refused(void **state)
{
    struct memory m = lock("AGE-SECRET-KEY-1", x25519, 0);
    struct tahr_keys keys;
    size_t line;

    (void)state;
    refuse(&m, m.out_len, "not with a passphrase");
    memory_free(&m);
    m = lock("# nothing\n", passphrase, 0);
    refuse(&m, m.out_len, "no key");
    for (size_t len = 0; len < m.out_len; len += 5)
        refuse(&m, len, "corrupt");
    m.out[m.out_len - 1] ^= 1;
    refuse(&m, m.out_len, "corrupt");
    assert_null(tahr_key_set_max_work_factor(passphrase, 3));
    assert_int_equal(tahr_keys_unlock(&keys, m.out, m.out_len, NULL, passphrase)->code,
                     TAHR_BAD_MESSAGE);
    assert_null(tahr_key_set_max_work_factor(passphrase, 22));
    memory_free(&m);
    m = lock("# one\n# two\nthree\n", passphrase, 1);
    assert_int_equal(tahr_keys_unlock(&keys, m.out, m.out_len, &line, passphrase)->code,
                     TAHR_BAD_KEY);
    assert_int_equal(line, 3);
    memory_free(&m);
}

static void test_locked(void **state)
{
    static const struct {
        const char *text;
        int locked;
    } rows[] = {
        {"", 0},
        {" \n", 0},
        {"AGE-SECRET-KEY-1", 0},
        {"age-encryption.org/v1\n", 1},
        {"age-encryption.org/", 1},
        {"age-encryption.org", 0},
        {" age-encryption.org/v1\n", 0},
        {"-----BEGIN AGE ENCRYPTED FILE-----", 1},
        {"\r\n\t -----BEGIN AGE ENCRYPTED FILE-----\n", 1},
        {"-----BEGIN AGE ENCRYPTED FILE----", 0},
        {"-----BEGIN PRIVATE KEY-----\n", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(tahr_keys_locked(rows[i].text, strlen(rows[i].text)), rows[i].locked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unlock),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_locked)};

    if (tahr_init() != NULL)
        return 1;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
