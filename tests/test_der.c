/* der.c: every form of length and INTEGER that X.690 10.1 and 8.3 forbid, and the writer against
 * OpenSSL's. */
#include "der.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/asn1.h>
#include <openssl/bn.h>

#define BYTES(text) ((struct bytes){text, sizeof text - 1})

static uint8_t big[1 << 17];

/* An INTEGER of 256 to 2^24 - 1 content bytes, of which the first is `first`, the others ff. */
static struct bytes long_integer(size_t len, uint8_t first)
{
    size_t k = len < 65536 ? 2 : 3, head = 2 + k;

    memset(big, 0xff, sizeof big);
    big[0] = DER_INTEGER;
    big[1] = (uint8_t)(0x80 + k);
    for (size_t i = 0; i < k; i++)
        big[2 + i] = (uint8_t)(len >> 8 * (k - 1 - i));
    big[head] = first;
    return (struct bytes){big, head + len};
}

static void assert_refused(tahr_err err, const char *word)
{
    assert_non_null(err);
    assert_int_equal(err->code, TAHR_BAD_KEY);
    assert_non_null(strstr(err->text, word));
}

/* Refused for that reason, and the cursor stands still. */
static void refuse_integer(struct bytes in, const char *word)
{
    struct bytes before = in, n;

    assert_refused(der_integer(&n, &in), word);
    if (strcmp(word, "cut short") == 0)
        assert_ptr_equal(in.p, before.p);
}

static void test_lengths_refused(void **state)
{
    static const struct {
        struct bytes in;
        const char *word;
    } row[] = {
        {{"", 0}, "cut short"},
        {{"\x02", 1}, "cut short"},
        {{"\x02\x01", 2}, "cut short"},
        {{"\x02\x02\x01", 3}, "cut short"},
        {{"\x02\x80\x01\x00\x00", 5}, "indefinite"},
        {{"\x02\x81", 2}, "cut short"},
        {{"\x02\x81\x01\x01", 4}, "shortest form"},
        {{"\x02\x81\x7f\x01", 4}, "shortest form"},
        {{"\x02\x81\x00", 3}, "shortest form"},
        {{"\x02\x82\x00\x01\x01", 5}, "shortest form"},
        {{"\x02\x82\x00\xff\x01", 5}, "shortest form"},
        {{"\x02\x83\x00\xff\xff\x01", 6}, "shortest form"},
        {{"\x02\x84\x00\xff\xff\xff\x01", 7}, "shortest form"},
        {{"\x02\x81\x80\x01", 4}, "cut short"},
        {{"\x02\x84\x7f\xff\xff\xff\x01", 7}, "cut short"},
        {{"\x02\x84\x80\x00\x00\x00\x01", 7}, "cut short"}, /* 2^31 */
        {{"\x02\x84\xff\xff\xff\xff\x01", 7}, "cut short"},
        {{"\x02\x85\x01\x00\x00\x00\x00\x01", 8}, "cut short"},              /* 2^32 */
        {{"\x02\x88\x80\x00\x00\x00\x00\x00\x00\x00\x01", 11}, "cut short"}, /* 2^63 */
        {{"\x02\x88\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11}, "cut short"},
        {{"\x02\xff\x01", 3}, "cut short"},
        {{"\x03\x01\x01", 3}, "structure"},
        {{"\x22\x01\x01", 3}, "structure"}, /* constructed */
        {{"\x1f\x02\x01\x01", 4}, "structure"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        refuse_integer(row[i].in, row[i].word);
}

static void test_integers(void **state)
{
    static const struct {
        struct bytes in, n;
    } row[] = {
        {{"\x02\x01\x00", 3}, {"", 0}},
        {{"\x02\x01\x01", 3}, {"\x01", 1}},
        {{"\x02\x01\x7f", 3}, {"\x7f", 1}},
        {{"\x02\x02\x00\x80", 4}, {"\x80", 1}},
        {{"\x02\x02\x01\x00", 4}, {"\x01\x00", 2}},
        {{"\x02\x03\x00\xff\x00", 5}, {"\xff\x00", 2}},
    };
    struct bytes in, n;

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        in = row[i].in;
        assert_null(der_integer(&n, &in));
        assert_true(bytes_equal(n, row[i].n));
        assert_null(der_end(in));
    }
    refuse_integer(BYTES("\x02\x00"), "structure");
    refuse_integer(BYTES("\x02\x01\x80"), "negative");
    refuse_integer(BYTES("\x02\x01\xff"), "negative");
    refuse_integer(BYTES("\x02\x02\xff\x01"), "negative");
    refuse_integer(BYTES("\x02\x02\x00\x00"), "shortest form");
    refuse_integer(BYTES("\x02\x02\x00\x7f"), "shortest form");
    refuse_integer(BYTES("\x02\x03\x00\x00\x80"), "shortest form");
}

static void test_integer_sizes(void **state)
{
    struct bytes in, n;

    (void)state;
    in = long_integer(DER_INTEGER_MAX, 0x7f);
    assert_null(der_integer(&n, &in));
    assert_int_equal(n.len, DER_INTEGER_MAX);
    in = long_integer(DER_INTEGER_MAX + 1, 0);
    assert_null(der_integer(&n, &in));
    assert_int_equal(n.len, DER_INTEGER_MAX);
    refuse_integer(long_integer(DER_INTEGER_MAX + 1, 1), "16384");
    refuse_integer(long_integer(DER_INTEGER_MAX + 2, 0), "16384");
    refuse_integer(long_integer(65535, 1), "16384");
    refuse_integer(long_integer(65536, 1), "16384");
    refuse_integer(long_integer(131000, 1), "16384"); /* a number of 2^20 bits */
}

static void test_bit_string(void **state)
{
    struct bytes body, in = BYTES("\x03\x02\x00\xab");

    (void)state;
    assert_null(der_bit_string(&body, &in));
    assert_true(bytes_equal(body, BYTES("\xab")));
    in = BYTES("\x03\x01\x00");
    assert_null(der_bit_string(&body, &in));
    assert_int_equal(body.len, 0);
    in = BYTES("\x03\x00");
    assert_refused(der_bit_string(&body, &in), "structure");
    in = BYTES("\x03\x02\x01\xaa");
    assert_refused(der_bit_string(&body, &in), "unused");
    in = BYTES("\x03\x02\x08\xab");
    assert_refused(der_bit_string(&body, &in), "unused");
}

static void test_structure(void **state)
{
    static const struct tahr_error other = {TAHR_BAD_KEY, "another version", NULL};
    struct bytes body, in = BYTES("\x30\x03\x02\x01\x00\x05");

    (void)state;
    assert_int_equal(der_tag(in), DER_SEQUENCE);
    assert_null(der_enter(&body, &in, DER_SEQUENCE));
    assert_refused(der_end(in), "follow");
    assert_null(der_version(&body, 0, &other));
    assert_null(der_end(body));
    assert_int_equal(der_tag(body), 0);
    in = BYTES("\x02\x01\x01");
    assert_ptr_equal(der_version(&in, 0, &other), &other);
    in = BYTES("\x02\x02\x00\x00");
    assert_ptr_equal(der_version(&in, 0, &other), &other);
    assert_int_equal(bytes_trim(BYTES("\0\0\1\0")).len, 2);
    assert_int_equal(bytes_trim(BYTES("\0\0")).len, 0);
}

/* What der_put_integer writes, and OpenSSL's DER of the same number. */
static void check_integer(const uint8_t *bytes, size_t len)
{
    BIGNUM *bn = BN_bin2bn(bytes, (int)len, NULL);
    ASN1_INTEGER *asn1 = BN_to_ASN1_INTEGER(bn, NULL);
    uint8_t *openssl = NULL, *buf = malloc(len + 8);
    int openssl_len = i2d_ASN1_INTEGER(asn1, &openssl);
    struct der_out out;
    struct bytes der, n;

    der_out_init(&out, buf, len + 8);
    der_put_integer(&out, (struct bytes){bytes, len});
    assert_null(der_out_end(&der, &out));
    assert_true(bytes_equal(der, (struct bytes){openssl, (size_t)openssl_len}));
    assert_null(der_integer(&n, &der));
    assert_true(bytes_equal(n, bytes_trim((struct bytes){bytes, len})));
    OPENSSL_free(openssl);
    ASN1_INTEGER_free(asn1);
    BN_free(bn);
    free(buf);
}

static void test_put_integer(void **state)
{
    static const size_t lens[] = {1, 2, 3, 126, 127, 128, 129, 254, 255, 256, 257, 2047, 2048};
    uint8_t bytes[2048] = {0};

    (void)state;
    check_integer(bytes, 0);
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
        for (int first = 0; first < 256; first++) {
            memset(bytes, 0x5a, sizeof bytes);
            bytes[0] = (uint8_t)first;
            if (lens[i] > 1 && first % 3 == 0)
                bytes[1] = 0x80;
            check_integer(bytes, lens[i]);
        }
}

static void test_put_nat(void **state)
{
    limb_t a[4];
    uint8_t buf[64];
    struct der_out out;
    struct bytes der;

    (void)state;
    der_out_init(&out, buf, sizeof buf);
    nat_set(a, 4, 0x80);
    der_put_nat(&out, a, 4);
    der_put_uint(&out, 0x01020304);
    der_put_uint(&out, 0);
    assert_null(der_out_end(&der, &out));
    assert_true(bytes_equal(der, BYTES("\x02\x01\x00\x02\x04\x01\x02\x03\x04\x02\x02\x00\x80")));
}

/* Contents of every length near a change of the length's form come back from their wrapping. */
static void test_wrap(void **state)
{
    static const size_t lens[] = {0, 1, 127, 128, 129, 255, 256, 257, 65535, 65536, 70000};
    uint8_t *buf = malloc(70010);
    struct der_out out;
    struct bytes der, body;

    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        der_out_init(&out, buf, 70010);
        der_put_bytes(&out, big, lens[i]);
        der_wrap(&out, DER_SEQUENCE, out.end);
        assert_null(der_out_end(&der, &out));
        assert_null(der_enter(&body, &der, DER_SEQUENCE));
        assert_null(der_end(der));
        assert_int_equal(body.len, lens[i]);
    }
    free(buf);
}

static void test_no_room(void **state)
{
    uint8_t buf[8] = {0};
    struct der_out out;
    struct bytes der;

    (void)state;
    der_out_init(&out, buf + 2, 5);
    der_put_bytes(&out, "abcd", 4);
    der_wrap(&out, DER_OCTET_STRING, out.end); /* needs two bytes, and there is one */
    assert_non_null(der_out_end(&der, &out));
    assert_int_equal(der_out_end(&der, &out)->code, TAHR_SYSTEM);
    der_put_bytes(&out, "abcd", 4);
    assert_int_equal(buf[0] | buf[1] | buf[7], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths_refused), cmocka_unit_test(test_integers),
        cmocka_unit_test(test_integer_sizes),   cmocka_unit_test(test_bit_string),
        cmocka_unit_test(test_structure),       cmocka_unit_test(test_put_integer),
        cmocka_unit_test(test_put_nat),         cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
