/* bech32.c: BIP 173's valid and invalid strings, every length there and back, every single change
 * of a string found. */
#include "bech32.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTES(text) ((struct bytes){text, strlen(text)})

static void refuse(const char *hrp, struct bytes text, const char *word)
{
    uint8_t out[128];
    size_t len;
    tahr_err err = bech32_decode(out, sizeof out, &len, hrp, text);

    assert_non_null(err);
    assert_int_equal(err->code, TAHR_BAD_KEY);
    if (strstr(err->text, word) == NULL)
        fail_msg("%.*s: %s", (int)text.len, (const char *)text.p, err->text);
}

/* The valid strings of BIP 173, "Test vectors", whose data are whole bytes, with those bytes. */
static void test_published(void **state)
{
    static const uint8_t zeros[51];
    static const struct {
        const char *text, *hrp;
        struct bytes data;
    } row[] = {
        {"A12UEL5L", "A", {"", 0}},
        {"a12uel5l", "a", {"", 0}},
        {"?1ezyfcl", "?", {"", 0}},
        {"an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tg"
         "s",
         "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio",
         {"", 0}},
        {"abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
         "abcdef",
         {"\x00\x44\x32\x14\xc7\x42\x54\xb6\x35\xcf\x84\x65\x3a\x56\xd7\xc6\x75\xbe\x77\xdf", 20}},
        {"11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247"
         "j",
         "1",
         {zeros, 51}},
    };
    uint8_t out[64];
    char text[128];
    size_t len;

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_null(bech32_decode(out, sizeof out, &len, row[i].hrp, BYTES(row[i].text)));
        assert_true(bytes_equal((struct bytes){out, len}, row[i].data));
        bech32_encode(text, row[i].hrp, row[i].data);
        assert_string_equal(text, row[i].text);
        assert_int_equal(strlen(text), bech32_len(row[i].hrp, row[i].data.len));
    }
}

static void test_refused(void **state)
{
    (void)state;
    refuse("a", BYTES(""), "begin");
    refuse("a", BYTES("b12uel5l"), "begin");
    refuse("a", BYTES("a"), "cut short");
    refuse("a", BYTES("a12uel5"), "cut short");
    refuse("a", BYTES("ab2uel5l"), "begin");
    refuse("a", BYTES("A12UEL5L"), "begin");
    refuse("a", BYTES("a12UEL5L"), "case");
    refuse("A", BYTES("A12uel5l"), "case");
    refuse("A", BYTES("A12UEL5l"), "case");
    refuse("a", BYTES("a12uel5m"), "checksum");
    refuse("a", BYTES("a12uel5b"), "character");
    refuse("a", BYTES("a12uel5\xec"), "character");
    refuse("a", (struct bytes){"a12uel5\0", 8}, "character");
    refuse("a", BYTES("a1lqfn3a"), "checksum"); /* Bech32m's constant (BIP 350) */
    refuse("x", BYTES("x1b4n0q5v"), "character");
    refuse("li", BYTES("li1dgmt3"), "cut short");
    refuse("A", BYTES("A1G7SGD8"), "checksum");
}

static void test_round_trip(void **state)
{
    uint8_t data[300], back[300];
    char text[600], upper[600];
    size_t len;

    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * i * 13 + i * 5 + 0x91);
    for (size_t n = 0; n <= sizeof data; n++) {
        bech32_encode(text, "age-plugin-x-", (struct bytes){data, n});
        bech32_encode(upper, "AGE-PLUGIN-X-", (struct bytes){data, n});
        assert_int_equal(strlen(text), bech32_len("age-plugin-x-", n));
        for (size_t i = 0; upper[i] != '\0'; i++)
            assert_int_equal(text[i],
                             upper[i] >= 'A' && upper[i] <= 'Z' ? upper[i] + 32 : upper[i]);
        assert_null(bech32_decode(back, n, &len, "age-plugin-x-", BYTES(text)));
        assert_int_equal(len, n);
        assert_memory_equal(back, data, n);
        assert_null(bech32_decode(back, n, &len, "AGE-PLUGIN-X-", BYTES(upper)));
        assert_memory_equal(back, data, n);
        if (n > 0)
            assert_non_null(bech32_decode(back, n - 1, &len, "age-plugin-x-", BYTES(text)));
    }
}

/* Every character of a string replaced by every other byte, and every two neighbours swapped. */
static void test_every_change(void **state)
{
    char text[64], bad[64];
    uint8_t out[32];
    size_t len, n;

    (void)state;
    bech32_encode(text, "hrp", BYTES("0123456789abcdef"));
    n = strlen(text);
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 256; c++) {
            memcpy(bad, text, n);
            bad[i] = (char)c;
            if (bad[i] != text[i])
                assert_non_null(
                    bech32_decode(out, sizeof out, &len, "hrp", (struct bytes){bad, n}));
        }
    for (size_t i = 0; i + 1 < n; i++) {
        memcpy(bad, text, n);
        bad[i] = text[i + 1];
        bad[i + 1] = text[i];
        if (bad[i] != text[i])
            assert_non_null(bech32_decode(out, sizeof out, &len, "hrp", (struct bytes){bad, n}));
    }
    for (size_t i = 0; i < n; i++)
        assert_non_null(bech32_decode(out, sizeof out, &len, "hrp", (struct bytes){text, i}));
}

/* Strings whose checksum is right and whose digits are no whole bytes: five to seven bits too many,
 * or a one among the last bits.  They were computed with a model of BIP 173 in Python. */
static void test_padding(void **state)
{
    (void)state;
    refuse("a", BYTES("a1q3g6mn3"), "zero");      /* 0 */
    refuse("a", BYTES("a1qqqqqq3q4q7k"), "zero"); /* 0 0 0 0 0 0 */
    refuse("a", BYTES("a1qqqd87cpp"), "zero");    /* 0 0 0 */
    refuse("a", BYTES("a1qpamnt9j"), "zero");     /* 0 1 */
    refuse("a", BYTES("a1qzngxatd"), "zero");     /* 0 2 */
    refuse("a", BYTES("a1qqqqpmmmrc3"), "zero");  /* 0 0 0 0 1 */
    refuse("a", BYTES("a1qqqpkq7t3x"), "zero");   /* 0 0 0 1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_every_change),
        cmocka_unit_test(test_padding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
