/* Armor: its text against OpenSSL's base64, and what is refused. */
#include "memory_io.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>

#define BEGIN "-----BEGIN AGE ENCRYPTED FILE-----"
#define END   "-----END AGE ENCRYPTED FILE-----"
/* 48 bytes, and 3 */
#define FULL  "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2"
#define BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv"

static const char bad_first_line[] =
    "malformed armor: its first line is not -----BEGIN AGE ENCRYPTED FILE-----";
static const char bad_line[] = "malformed armor: a line is longer than 64 columns, or empty";
static const char bad_base64[] = "malformed armor: a line is not canonical base64";
static const char bad_end[] = "malformed armor: a short line is not the last";
static const char trailing[] = "malformed armor: there is something after its last line";
static const char cut_short[] = "malformed armor: it ends before its last line";
static const char not_age[] = "not an age file";

static uint8_t data[300000];

/* Reads all that the armor holds, piece bytes at a time, into m's output. */
static tahr_err decode(struct memory *m, size_t piece)
{
    static struct lookahead text;
    static uint8_t buf[100000];
    struct tahr_io io = memory_io(m);
    struct io_source in;
    struct armor_decoder armor;
    size_t got;
    tahr_err err;

    io_source_init(&in, &io);
    lookahead_init(&text, &in.source);
    armor_decoder_init(&armor, &text);
    do {
        err = armor.source.read(&armor.source, buf, piece, &got);
        if (err == NULL)
            io.write(m, buf, got);
    } while (err == NULL && got > 0);
    return err;
}

/* Writes the len bytes of data in an armor, piece bytes at a time, to m's output. */
static tahr_err encode(struct memory *m, size_t len, size_t piece)
{
    static struct armor_encoder armor;
    struct tahr_io io = memory_io(m);
    struct io_sink out;
    tahr_err err = NULL;

    io_sink_init(&out, &io);
    armor_encoder_init(&armor, &out.sink);
    for (size_t at = 0; at < len && err == NULL; at += piece)
        err = armor.sink.write(&armor.sink, data + at, len - at < piece ? len - at : piece);
    return err == NULL ? armor_encoder_finish(&armor) : err;
}

/* The armor of data by OpenSSL, in text; returns its length. */
static size_t reference(char *text, size_t len)
{
    char *p = text + sprintf(text, BEGIN "\n");

    for (size_t at = 0; at < len; at += 48) {
        p += EVP_EncodeBlock((unsigned char *)p, data + at, len - at < 48 ? (int)(len - at) : 48);
        *p++ = '\n';
    }
    return (size_t)(p - text) + (size_t)sprintf(p, END "\n");
}

static void test_round_trip(void **state)
{
    static char text[450000];
    static const size_t sizes[] = {0,          1,     2,     3,     47,
                                   48,         49,    50,    95,    96,
                                   97,         143,   144,   1000,  49103,
                                   49104,      49105, 49151, 49152, 49153,
                                   49200,      65536, 98304, 98305, sizeof data - 1,
                                   sizeof data};
    static const size_t pieces[] = {100000, 48, 1, 47, 1000};
    struct memory out = memory_of(NULL, 0), back = memory_of(NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
            memory_reset(&out, NULL, 0);
            assert_null(encode(&out, sizes[i], pieces[k]));
            assert_int_equal(out.out_len, reference(text, sizes[i]));
            assert_memory_equal(out.out, text, out.out_len);
            memory_reset(&back, out.out, out.out_len);
            back.step = pieces[4 - k];
            assert_null(decode(&back, pieces[k]));
            assert_int_equal(back.out_len, sizes[i]);
            if (sizes[i] > 0)
                assert_memory_equal(back.out, data, sizes[i]);
        }
    memory_free(&out);
    memory_free(&back);
}

static const struct {
    const char *text, *verdict, *bytes;
} cases[] = {
    /* what is allowed */
    {BEGIN "\n" END "\n", NULL, ""},
    {BEGIN "\n" END, NULL, ""},
    {BEGIN "\n" FULL "\n" END "\n", NULL, BYTES},
    {BEGIN "\nQUJD\n" END "\n", NULL, "ABC"},
    {BEGIN "\n" FULL "\nQQ==\n" END "\n", NULL, BYTES "A"},
    {BEGIN "\r\n" FULL "\r\nQQ==\r\n" END "\r\n", NULL, BYTES "A"},
    {BEGIN "\n" FULL "\r\nQQ==\n" END "\r\n", NULL, BYTES "A"},
    {" \t\r\n\n\v\f\n" BEGIN "\nQUJD\n" END "\n \t\r\n\v\f\n", NULL, "ABC"},
    {BEGIN "\nQUJD\n" END "\n\n   ", NULL, "ABC"},
    /* the first line */
    {BEGIN " \nQUJD\n" END "\n", bad_first_line, ""},
    {" " BEGIN "\nQUJD\n" END "\n", bad_first_line, ""},
    {"-" BEGIN "\nQUJD\n" END "\n", not_age, ""},
    {"----- BEGIN AGE ENCRYPTED FILE -----\nQUJD\n" END "\n", not_age, ""},
    {"-----BEGIN AGE ENCRYPTED FILE----\nQUJD\n" END "\n", bad_first_line, ""},
    {"-----BEGIN age encrypted file-----\nQUJD\n" END "\n", bad_first_line, ""},
    {"-----BEGIN RSA PRIVATE KEY-----\nQUJD\n" END "\n", bad_first_line, ""},
    {"-----BEGIN PGP MESSAGE-----\n\nQUJD\n", not_age, ""},
    {BEGIN BEGIN "\n", bad_line, ""},
    {"garbage\n" BEGIN "\nQUJD\n" END "\n", not_age, ""},
    {"\n", "not an age file: it is empty", ""},
    {"-", not_age, ""},
    {BEGIN, cut_short, ""},
    /* lines */
    {BEGIN "\n" FULL "A\n" END "\n", bad_line, ""},
    {BEGIN "\n" FULL "AAAA\n" END "\n", bad_line, ""},
    {BEGIN "\n" FULL FULL "\n" END "\n", bad_line, ""},
    {BEGIN "\n" FULL "\r\r\n" END "\n", bad_line, ""},
    {BEGIN "\nQUJD\nQUJD\n" END "\n", bad_end, ""},
    {BEGIN "\nQQ==\n" FULL "\n" END "\n", bad_end, ""},
    {BEGIN "\n\nQUJD\n" END "\n", bad_line, ""},
    {BEGIN "\nQUJD\n\n" END "\n", bad_end, ""},
    {BEGIN "\n" FULL "\n\n" END "\n", bad_line, ""},
    {BEGIN "\n" FULL "\n\r\n" END "\n", bad_line, ""},
    {BEGIN "\nVersion: 1\n\nQUJD\n" END "\n", bad_base64, ""},
    /* base64 */
    {BEGIN "\nQUJD \n" END "\n", bad_base64, ""},
    {BEGIN "\n QUJD\n" END "\n", bad_base64, ""},
    {BEGIN "\nQU JD\n" END "\n", bad_base64, ""},
    {BEGIN "\nQU\rJD\n" END "\n", bad_base64, ""},
    {BEGIN "\nQUJD\r\r\n" END "\n", bad_base64, ""},
    {BEGIN "\nQ\n" END "\n", bad_base64, ""},
    {BEGIN "\nQQ\n" END "\n", bad_base64, ""},
    {BEGIN "\nQQ=\n" END "\n", bad_base64, ""},
    {BEGIN "\nQR==\n" END "\n", bad_base64, ""},
    {BEGIN "\nQUF=\n" END "\n", bad_base64, ""},
    {BEGIN "\nQUI=\n=AbCd\n" END "\n", bad_end, ""},
    {BEGIN "\nQUJD====\n" END "\n", bad_base64, ""},
    {BEGIN "\nQQ==QUJD\n" END "\n", bad_base64, ""},
    {BEGIN "\nQUJ-\n" END "\n", bad_base64, ""},
    {BEGIN "\nQUJ\xc3\n" END "\n", bad_base64, ""},
    /* the end */
    {BEGIN "\nQUJD\n", cut_short, ""},
    {BEGIN "\nQUJD", cut_short, ""},
    {BEGIN "\n" FULL, cut_short, ""},
    {BEGIN "\n", cut_short, ""},
    {BEGIN "\nQUJD\n-----END AGE ENCRYPTED FILE----", bad_end, ""},
    {BEGIN "\nQUJD\n-----END AGE ENCRYPTED FILE---- -\n", bad_end, ""},
    {BEGIN "\n" FULL "\n-----END PGP MESSAGE-----\n", bad_base64, ""},
    {BEGIN "\nQUJD\n" END " \n", bad_end, ""},
    {BEGIN "\nQUJD\n" END "x", bad_end, ""},
    {BEGIN "\nQUJD\n" END "\nx", trailing, ""},
    {BEGIN "\nQUJD\n" END "\n" BEGIN "\n", trailing, ""},
    {BEGIN "\nQUJD\n" END "\n \r\n\t.", trailing, ""},
};

static void test_cases(void **state)
{
    static const size_t steps[] = {0, 1, 7};
    struct memory m = memory_of(NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            tahr_err err;

            memory_reset(&m, cases[i].text, strlen(cases[i].text));
            m.step = steps[k];
            err = decode(&m, 1000);
            if ((err == NULL) != (cases[i].verdict == NULL))
                print_message("case %zu: %s\n", i, cases[i].text);
            if (cases[i].verdict == NULL) {
                assert_null(err);
            } else {
                assert_non_null(err);
                assert_string_equal(err->text, cases[i].verdict);
            }
            assert_int_equal(m.out_len, strlen(cases[i].bytes));
            assert_memory_equal(m.out, cases[i].bytes, m.out_len);
        }
    memory_free(&m);
}

/* A NUL is as bad as any other character; only white space and '-' call for the decoder. */
static void test_begins(void **state)
{
    struct memory m = memory_of(BEGIN "\nQUJ\0\n" END "\n", sizeof BEGIN + 5 + sizeof END);
    int calls = 0;

    (void)state;
    assert_string_equal(decode(&m, 100)->text, bad_base64);
    for (int c = 0; c < 256; c++)
        calls += armor_begins(&(uint8_t){(uint8_t)c}, 1);
    assert_int_equal(calls, 7);
    assert_false(armor_begins((const uint8_t *)"", 0));
    assert_true(armor_begins((const uint8_t *)"-", 1));
    assert_true(armor_begins((const uint8_t *)"\n", 1));
    memory_free(&m);
}

/* Much white space, and a line without end, in linear time and without memory. */
static void test_long(void **state)
{
    size_t len = (size_t)8 << 20;
    char *text = malloc(len);
    struct memory m = memory_of(NULL, 0);

    (void)state;
    memset(text, ' ', len);
    memory_reset(&m, text, len);
    assert_string_equal(decode(&m, 100)->text, "not an age file: it is empty");
    memcpy(text, BEGIN, sizeof BEGIN - 1);
    memory_reset(&m, text, len);
    assert_string_equal(decode(&m, 100)->text, bad_line);
    memset(text, '\n', len);
    memcpy(text + len - 100, BEGIN "\nQUJD\n" END, sizeof BEGIN + 5 + sizeof END - 1);
    memory_reset(&m, text, len);
    assert_null(decode(&m, 100));
    free(text);
    memory_free(&m);
}

/* Every flipped bit of an armor is noticed, or gives other bytes: no two armors of one file. */
static void test_flipped(void **state)
{
    char text[400];
    size_t len = reference(text, 100), same = 0;
    struct memory m = memory_of(NULL, 0);

    (void)state;
    for (size_t bit = 0; bit < 8 * len; bit++) {
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        memory_reset(&m, text, len);
        if (decode(&m, 1000) == NULL && m.out_len == 100 && memcmp(m.out, data, 100) == 0)
            same++;
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
    }
    assert_int_equal(same, 0);
    memory_free(&m);
}

static void test_io_failure(void **state)
{
    static char text[450000];
    size_t len = reference(text, sizeof data);
    struct memory m = memory_of(NULL, 0);
    long call = 0;
    tahr_err err;

    (void)state;
    do {
        memory_reset(&m, text, len);
        m.fail_at = ++call;
        err = encode(&m, sizeof data, 1000);
        assert_true(err == NULL || err->code == TAHR_SYSTEM);
    } while (err != NULL);
    assert_int_equal(call, 8);
    memory_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_cases),
        cmocka_unit_test(test_begins),     cmocka_unit_test(test_long),
        cmocka_unit_test(test_flipped),    cmocka_unit_test(test_io_failure),
    };

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
