/* Headers: their one text, what is refused, the limits, and the MAC. */
#include "memory_io.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define V1   "age-encryption.org/v1\n"
#define MAC  "--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
#define FULL "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2"

static const uint8_t file_key[16] = "YELLOW SUBMARINE";

static const char cut_short[] = "malformed header: it is cut short";
static const char too_long[] = "malformed header: it is longer than 2 MiB";
static const char too_many[] = "malformed header: it has more than 1024 stanzas";
static const char bad_start[] = "malformed header: a line starts neither a stanza nor the MAC";
static const char bad_argument[] = "malformed header: a stanza has an argument out of shape";
static const char bad_count[] = "malformed header: a stanza has more than 128 arguments";
static const char bad_body[] = "malformed header: a stanza's body is not canonical base64";
static const char bad_mac_line[] = "malformed header: its MAC is out of shape";
static const char no_stanza[] = "malformed header: it has no stanza";
static const char bad_version[] = "malformed header: its first line is not age-encryption.org/v1";
static const char not_age[] = "not an age file";

static struct header written, parsed;

/* Parses the len bytes at text in reads of step bytes; what is left is then in rest. */
static tahr_err parse(const void *text, size_t len, size_t step, uint8_t rest[16], size_t *rest_len)
{
    static struct lookahead in;
    struct memory m = memory_of(text, len);
    struct tahr_io io = memory_io(&m);
    struct io_source source;
    tahr_err err;

    m.step = step;
    io_source_init(&source, &io);
    lookahead_init(&in, &source.source);
    err = header_read(&parsed, &in);
    if (err == NULL)
        err = source_fill(&in.source, rest, 16, rest_len);
    return err;
}

static tahr_err parse_text(const void *text, size_t len)
{
    uint8_t rest[16];
    size_t rest_len;

    return parse(text, len, 0, rest, &rest_len);
}

static void check_verdict(tahr_err err, const char *verdict)
{
    if (verdict == NULL) {
        assert_null(err);
        return;
    }
    assert_non_null(err);
    assert_int_equal(err->code, TAHR_BAD_MESSAGE);
    assert_string_equal(err->text, verdict);
}

static void add(const char *const *arg, size_t args, const void *body, size_t len)
{
    assert_null(header_add(&written, &(struct stanza){arg, args, body, len}));
}

/* The text of a header, by hand. */
static void test_text(void **state)
{
    static const char text[] = V1 "-> ssh-rsa a/b\n" FULL "\nQUI\n"
                                  "-> x\n\n"
                                  "-> y ! ~ \"\n" FULL "\n\n---";
    const char *const ssh[] = {"ssh-rsa", "a/b"}, *const x[] = {"x"},
                      *const y[] = {"y", "!", "~", "\""};
    const char body[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvAB";
    uint8_t key[32], mac[32];
    char end[60] = " ";

    (void)state;
    header_init(&written);
    add(ssh, 2, body, 50);
    add(x, 1, NULL, 0);
    add(y, 4, body, 48);
    header_finish(&written, file_key);
    secret_hkdf(key, 32, (struct bytes){file_key, 16}, NULL, 0, "header");
    secret_hmac(mac, (struct bytes){key, 32}, &(struct bytes){text, sizeof text - 1}, 1);
    base64_encode(end + 1, mac, 32, 0);
    strcat(end, "\n");
    assert_int_equal(written.len, sizeof text - 1 + strlen(end));
    assert_memory_equal(written.text, text, sizeof text - 1);
    assert_memory_equal(written.text + sizeof text - 1, end, strlen(end));
}

/* h's stanzas are those of test_round_trip. */
static void check_stanzas(const struct header *h, const char *const *arg, const uint8_t *body,
                          size_t count)
{
    assert_int_equal(h->count, count);
    for (size_t len = 0; len < count; len++) {
        const struct stanza *s = &h->stanza[len];

        assert_int_equal(s->args, 1 + len % 3);
        for (size_t i = 0; i < s->args; i++)
            assert_string_equal(s->arg[i], arg[i]);
        assert_int_equal(s->len, len);
        assert_memory_equal(s->body, body, len);
    }
}

/* Bodies of all lengths around full lines come back, and what follows the header is not touched. */
static void test_round_trip(void **state)
{
    uint8_t body[200], rest[16];
    const char *const arg[] = {"type", "argument", "~"};
    size_t rest_len;

    (void)state;
    for (size_t i = 0; i < sizeof body; i++)
        body[i] = (uint8_t)(37 * i);
    for (size_t step = 0; step <= 3; step++) {
        header_init(&written);
        for (size_t len = 0; len <= sizeof body; len++)
            add(arg, 1 + len % 3, body, len);
        header_finish(&written, file_key);
        memcpy(written.text + written.len, "--- and more", 12);
        assert_null(parse(written.text, written.len + 12, step, rest, &rest_len));
        assert_int_equal(rest_len, 12);
        assert_memory_equal(rest, "--- and more", 12);
        assert_int_equal(parsed.len, written.len);
        assert_memory_equal(parsed.text, written.text, written.len);
        assert_null(header_verify(&parsed, file_key));
        check_stanzas(&parsed, arg, body, sizeof body + 1);
        check_stanzas(&written, arg, body, sizeof body + 1);
    }
}

static const struct {
    const char *text, *verdict;
} cases[] = {
    {V1 "-> a\n\n" MAC, NULL},
    {V1 "-> a b c\nQQ\n" MAC, NULL},
    {V1 "-> a\n" FULL "\n\n" MAC, NULL},
    {V1 "-> a\n" FULL "\n" FULL "\nQUI\n-> b\n\n" MAC, NULL},
    /* the version */
    {"", "not an age file: it is empty"},
    {"a", cut_short},
    {"age-encryption.org/v1", cut_short},
    {V1, cut_short},
    {"age-encryption.org/v2\n-> a\n\n" MAC, bad_version},
    {"age-encryption.org/v1\r\n-> a\r\n\r\n" MAC, bad_version},
    {"age-encryption.org/v1 \n-> a\n\n" MAC, bad_version},
    {"age-encryption.org/v10\n-> a\n\n" MAC, bad_version},
    {"age encryption\n", not_age},
    {"\n" V1 "-> a\n\n" MAC, not_age},
    {"-----BEGIN PGP MESSAGE-----\n", not_age},
    {"\x85\x01\x0c", not_age},
    /* lines */
    {V1 "\n-> a\n\n" MAC, bad_start},
    {V1 "->\n\n" MAC, bad_start},
    {V1 "->a\n\n" MAC, bad_start},
    {V1 "- > a\n\n" MAC, bad_start},
    {V1 " -> a\n\n" MAC, bad_start},
    {V1 "=> a\n\n" MAC, bad_start},
    {V1 "-> a\nQQ\nQQ\n" MAC, bad_start},
    {V1 "-> a\n\n\n" MAC, bad_start},
    {V1 MAC, no_stanza},
    /* arguments */
    {V1 "-> \n\n" MAC, bad_argument},
    {V1 "->  a\n\n" MAC, bad_argument},
    {V1 "-> a  b\n\n" MAC, bad_argument},
    {V1 "-> a \n\n" MAC, bad_argument},
    {V1 "-> a\tb\n\n" MAC, bad_argument},
    {V1 "-> a\r\n\n" MAC, bad_argument},
    /* bodies */
    {V1 "-> a\n" MAC, bad_body},
    {V1 "-> a\n-> b\n\n" MAC, bad_body},
    {V1 "-> a\n" FULL "\n" MAC, bad_body},
    {V1 "-> a\n" FULL "Q\n" MAC, bad_body},
    {V1 "-> a\n" FULL FULL "\n\n" MAC, bad_body},
    {V1 "-> a\nQ\n" MAC, bad_body},
    {V1 "-> a\nQQ==\n" MAC, bad_body},
    {V1 "-> a\nQR\n" MAC, bad_body},
    {V1 "-> a\nQUJ\n" MAC, bad_body},
    {V1 "-> a\nQQ\r\n" MAC, bad_body},
    {V1 "-> a\n\r\n" MAC, bad_body},
    {V1 "-> a\nQ Q\n" MAC, bad_body},
    {V1 "-> a\nQUJ-\n" MAC, bad_body},
    /* the MAC */
    {V1 "-> a\n\n---\n", bad_mac_line},
    {V1 "-> a\n\n--- \n", bad_mac_line},
    {V1 "-> a\n\n----AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", bad_mac_line},
    {V1 "-> a\n\n---AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", bad_mac_line},
    {V1 "-> a\n\n---  AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", bad_mac_line},
    {V1 "-> a\n\n--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA \n", bad_mac_line},
    {V1 "-> a\n\n--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n", bad_mac_line},
    {V1 "-> a\n\n--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", bad_mac_line},
    {V1 "-> a\n\n--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB\n", bad_mac_line},
    {V1 "-> a\n\n--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", bad_mac_line},
    {V1 "-> a\n\n--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", bad_mac_line},
};

static void test_cases(void **state)
{
    static const size_t steps[] = {0, 1, 7};
    uint8_t rest[16];
    size_t rest_len;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            size_t len = strlen(cases[i].text);
            tahr_err err = parse(cases[i].text, len, steps[k], rest, &rest_len);

            if ((err == NULL) != (cases[i].verdict == NULL))
                print_message("case %zu: %s\n", i, cases[i].text);
            check_verdict(err, cases[i].verdict);
        }
}

/* Every byte in every place of a header: taken only where the grammar has it. */
static void test_bytes(void **state)
{
    char text[] = V1 "-> a x\nQxxQ\n" MAC;
    size_t arg = sizeof V1 + 4, body = sizeof V1 + 7;

    (void)state;
    for (int c = 0; c < 256; c++) {
        char ok = (char)c;
        const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

        text[arg] = ok;
        check_verdict(parse_text(text, sizeof text - 1), c > 32 && c < 127 ? NULL : bad_argument);
        text[arg] = 'x';
        text[body] = ok;
        check_verdict(parse_text(text, sizeof text - 1),
                      c != 0 && strchr(digits, c) != NULL ? NULL : bad_body);
        text[body] = 'x';
    }
}

/* No cut of a header is one, and no flipped bit escapes the parser and the MAC. */
static void test_cut_and_flipped(void **state)
{
    const char *const arg[] = {"ssh-rsa", "abcd"};
    uint8_t body[60] = {1, 2, 3};
    char text[400];
    size_t len;

    (void)state;
    header_init(&written);
    add(arg, 2, body, sizeof body);
    add(arg, 1, body, 10);
    header_finish(&written, file_key);
    len = written.len;
    memcpy(text, written.text, len);
    for (size_t cut = 1; cut < len; cut++)
        check_verdict(parse_text(text, cut), cut_short);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        tahr_err err;

        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        err = parse_text(text, len);
        if (err == NULL)
            err = header_verify(&parsed, file_key);
        assert_non_null(err);
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
    }
    assert_null(parse_text(text, len));
    assert_null(header_verify(&parsed, file_key));
    assert_string_equal(header_verify(&parsed, (const uint8_t *)"yellow submarine")->text,
                        "the header's MAC is wrong: the header has been changed");
}

/* A text of growing parts. */
struct text {
    char *p;
    size_t len;
};

static struct text text_new(void)
{
    struct text t = {malloc((size_t)6 << 20), 0};

    assert_non_null(t.p);
    return t;
}

static void put(struct text *t, const char *s, size_t times)
{
    for (size_t n = strlen(s); times > 0; times--, t->len += n)
        memcpy(t->p + t->len, s, n);
}

static void check_text(struct text *t, const char *verdict)
{
    clock_t start = clock();

    check_verdict(parse_text(t->p, t->len), verdict);
    assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
    t->len = 0;
}

static void test_stanza_limit(void **state)
{
    struct text t = text_new();

    (void)state;
    for (size_t n = 1024; n <= 1025; n++) {
        put(&t, V1, 1);
        put(&t, "-> a\n\n", n);
        put(&t, MAC, 1);
        check_text(&t, n == 1024 ? NULL : too_many);
    }
    for (size_t n = 128; n <= 129; n++) {
        put(&t, V1 "->", 1);
        put(&t, " a", n);
        put(&t, "\n\n" MAC, 1);
        check_text(&t, n == 128 ? NULL : bad_count);
    }
    /* all at once */
    put(&t, V1, 1);
    for (size_t n = 0; n < 1024; n++) {
        put(&t, "->", 1);
        put(&t, " abcdef", 128);
        put(&t, "\n" FULL "\nQUJD\n", 1);
    }
    put(&t, MAC, 1);
    check_text(&t, NULL);
    assert_int_equal(parsed.count, 1024);
    assert_string_equal(parsed.stanza[1023].arg[127], "abcdef");
    assert_int_equal(parsed.stanza[1023].len, 51);
    free(t.p);
}

/* A header of exactly 2 MiB, one byte more, and 4 MB of a body, of an argument, of arguments. */
static void test_size_limit(void **state)
{
    struct text t = text_new();
    size_t fixed = strlen(V1 "-> a\n\n" MAC);

    (void)state;
    for (size_t more = 0; more <= 1; more++) {
        size_t lines = 32000;

        put(&t, V1 "-> a", 1);
        put(&t, "x", HEADER_MAX - fixed - lines * 65 + more);
        put(&t, "\n", 1);
        put(&t, FULL "\n", lines);
        put(&t, "\n" MAC, 1);
        assert_int_equal(t.len, HEADER_MAX + more);
        check_text(&t, more == 0 ? NULL : too_long);
    }
    put(&t, V1 "-> a\n", 1);
    put(&t, FULL "\n", 65536);
    put(&t, "\n" MAC, 1);
    check_text(&t, too_long);
    put(&t, V1 "-> ", 1);
    put(&t, "x", 4 << 20);
    put(&t, "\n\n" MAC, 1);
    check_text(&t, too_long);
    put(&t, V1 "-> a", 1);
    put(&t, " a", 2 << 20);
    put(&t, "\n\n" MAC, 1);
    check_text(&t, too_long);
    put(&t, V1 "-> a\n", 1);
    put(&t, "A", 4 << 20);
    put(&t, "\n" MAC, 1);
    check_text(&t, too_long);
    free(t.p);
}

/* What cannot be written is a mistake of the caller's: too much, or no argument's characters. */
static void test_add_refused(void **state)
{
    static const char *many[129];
    static uint8_t body[HEADER_MAX];
    const char *const bad[] = {"", " ", "a b", "a\n", "\x7f", "\xc3\xa4", "a\r"};
    const char *const a[] = {"a"};
    size_t room = HEADER_MAX - strlen(V1 "-> a\n" MAC);
    size_t fits = room / 65 * 48;
    tahr_err err;

    (void)state;
    for (size_t i = 0; i < 129; i++)
        many[i] = "a";
    header_init(&written);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = header_add(&written, &(struct stanza){&bad[i], 1, NULL, 0});
        assert_int_equal(err->code, TAHR_BAD_CALL);
    }
    assert_non_null(header_add(&written, &(struct stanza){many, 0, NULL, 0}));
    assert_null(header_add(&written, &(struct stanza){many, 128, NULL, 0}));
    assert_non_null(header_add(&written, &(struct stanza){many, 129, NULL, 0}));
    for (size_t i = 1; i < 1024; i++)
        assert_null(header_add(&written, &(struct stanza){many, 1, NULL, 0}));
    assert_non_null(header_add(&written, &(struct stanza){many, 1, NULL, 0}));

    header_init(&written);
    assert_non_null(header_add(&written, &(struct stanza){a, 1, body, fits + 48}));
    assert_int_equal(written.len, strlen(V1));
    assert_null(header_add(&written, &(struct stanza){a, 1, body, fits}));
    header_finish(&written, file_key);
    assert_true(written.len <= HEADER_MAX && written.len > HEADER_MAX - 65);
    assert_null(parse_text(written.text, written.len));
    assert_null(header_verify(&parsed, file_key));
    assert_int_equal(parsed.stanza[0].len, fits);
}

static void test_unknown(void **state)
{
    static const char *const openpgp[] = {
        "-----BEGIN PGP MESSAGE-----", "\x84", "\x85", "\x8c", "\xc1", "\xc3"};
    static const char *const other[] = {"\xc2", "\x99", "\xcb", "a", "-----BEGIN X", "\x04", "PK"};

    (void)state;
    for (size_t i = 0; i < sizeof openpgp / sizeof *openpgp; i++) {
        tahr_err err = header_unknown((const uint8_t *)openpgp[i], strlen(openpgp[i]));

        assert_non_null(err->hint);
        assert_non_null(strstr(err->hint, "gpg"));
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_null(header_unknown((const uint8_t *)other[i], strlen(other[i]))->hint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_cut_and_flipped),
        cmocka_unit_test(test_stanza_limit),
        cmocka_unit_test(test_size_limit),
        cmocka_unit_test(test_add_refused),
        cmocka_unit_test(test_unknown),
    };

    if (secret_init() != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
