/* Messages that are not decrypted: given other recipients, and inspected. */
#include "memory_io.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LEN 200000

static uint8_t plain[LEN];
static tahr_key *alice, *bob, *carol, *passphrase;

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < LEN; i++)
        plain[i] = (uint8_t)(i * 2654435761u >> 13);
    if (tahr_key_new_x25519(&alice) || tahr_key_new_elgamal(&bob, "ffdhe2048", NULL) ||
        tahr_key_new_x25519(&carol) || tahr_key_new_passphrase(&passphrase, "secret", 6))
        return -1;
    passphrase->u.passphrase.log_n = 4;
    return 0;
}

static int tear_down(void **state)
{
    tahr_key *const keys[] = {alice, bob, carol, passphrase};

    (void)state;
    for (int i = 0; i < 4; i++)
        tahr_key_free(keys[i]);
    return 0;
}

#define KEYS(...) ((const tahr_key *const[]){__VA_ARGS__})

/* plain encrypted to Alice, of len bytes.  Free it with memory_free. */
static struct memory message(size_t len, int armor)
{
    struct memory m = memory_of(plain, len);
    struct tahr_io io = memory_io(&m);

    assert_null(tahr_encrypt(&io, KEYS(alice), 1, armor));
    return m;
}

static tahr_err rewrap(struct memory *out, const struct memory *in, const tahr_key *identity,
                       const tahr_key *const *to, size_t count, int armor)
{
    struct tahr_io io = memory_io(out);

    memory_reset(out, in->out, in->out_len);
    return tahr_rewrap(&io, &identity, 1, to, count, armor);
}

static void check_opens(const struct memory *file, const tahr_key *key, size_t len)
{
    struct memory m = memory_of(file->out, file->out_len);
    struct tahr_io io = memory_io(&m);

    assert_null(tahr_decrypt(&io, &key, 1));
    assert_int_equal(m.out_len, len);
    if (len > 0)
        assert_memory_equal(m.out, plain, len);
    memory_free(&m);
}

static void check_shut(const struct memory *file, const tahr_key *key)
{
    struct memory m = memory_of(file->out, file->out_len);
    struct tahr_io io = memory_io(&m);

    assert_int_equal(tahr_decrypt(&io, &key, 1)->code, TAHR_NO_MATCH);
    memory_free(&m);
}

static void test_rewrap(void **state)
{
    static const size_t lengths[] = {0, 1, 65536, 65537, LEN};
    struct memory out = memory_of(NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int armor = 0; armor < 4; armor++) { /* bit 0: before, bit 1: asked for */
            struct memory in = message(lengths[i], armor & 1);

            assert_null(rewrap(&out, &in, alice, KEYS(bob, carol), 2, armor >> 1));
            check_opens(&out, bob, lengths[i]);
            check_opens(&out, carol, lengths[i]);
            check_shut(&out, alice);
            assert_int_equal(out.out[0] == '-', armor != 0);
            if (armor == 0) { /* the payload is the same */
                size_t len = 16 + lengths[i] + 16 * (lengths[i] / 65536 + 1);

                if (lengths[i] == 65536)
                    len -= 16;
                assert_memory_equal(out.out + out.out_len - len, in.out + in.out_len - len, len);
            }
            memory_free(&in);
        }
    memory_free(&out);
}

static void test_passphrase(void **state)
{
    struct memory in = message(100, 0), locked = memory_of(NULL, 0), out = memory_of(NULL, 0);

    (void)state;
    assert_null(rewrap(&locked, &in, alice, KEYS(passphrase), 1, 0));
    check_opens(&locked, passphrase, 100);
    check_shut(&locked, alice);
    assert_null(rewrap(&out, &locked, passphrase, KEYS(bob), 1, 0));
    check_opens(&out, bob, 100);
    memory_free(&in);
    memory_free(&locked);
    memory_free(&out);
}

/* Nothing is written when it cannot be done; what is corrupt in the payload stays so. */
static void test_refused(void **state)
{
    struct memory in = message(100, 0), out = memory_of(NULL, 0);
    struct tahr_io io = memory_io(&out);
    char *mac;

    (void)state;
    assert_int_equal(rewrap(&out, &in, carol, KEYS(bob), 1, 0)->code, TAHR_NO_MATCH);
    assert_int_equal(rewrap(&out, &in, alice, NULL, 0, 0)->code, TAHR_BAD_CALL);
    assert_int_equal(rewrap(&out, &in, alice, KEYS(bob, passphrase), 2, 0)->code, TAHR_BAD_CALL);
    assert_int_equal(tahr_rewrap(&io, NULL, 0, KEYS(bob), 1, 0)->code, TAHR_BAD_CALL);
    assert_int_equal(tahr_rewrap(NULL, KEYS(alice), 1, KEYS(bob), 1, 0)->code, TAHR_BAD_CALL);
    assert_int_equal(out.out_len, 0);
    in.out[in.out_len - 1] ^= 1;
    assert_null(rewrap(&out, &in, alice, KEYS(bob), 1, 0));
    memory_reset(&in, out.out, out.out_len);
    io = memory_io(&in);
    assert_int_equal(tahr_decrypt(&io, KEYS(bob), 1)->code, TAHR_BAD_MESSAGE);
    memory_free(&in);
    in = message(100, 0);
    mac = strstr((char *)in.out, "\n--- ") + 5;
    mac[3] = mac[3] == 'A' ? 'B' : 'A';
    assert_int_equal(rewrap(&out, &in, alice, KEYS(bob), 1, 0)->code, TAHR_BAD_MESSAGE);
    assert_int_equal(out.out_len, 0);
    memory_free(&in);
    memory_free(&out);
}

/* --- inspect --- */

static void test_inspect(void **state)
{
    static const size_t lengths[] = {0, 1, 65535, 65536, 65537, LEN};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int armor = 0; armor < 2; armor++) {
            struct memory m = memory_of(plain, lengths[i]), in;
            struct tahr_io io = memory_io(&m);
            const struct tahr_report *report;

            assert_null(tahr_encrypt(&io, KEYS(bob, alice), 2, armor));
            in = memory_of(m.out, m.out_len);
            io = memory_io(&in);
            io.write = NULL;
            assert_null(tahr_inspect(&report, &io, KEYS(carol, alice, passphrase, bob), 4));
            assert_int_equal(report->armored, armor);
            assert_int_equal(report->plain_len, lengths[i]);
            if (!armor)
                assert_int_equal(report->header_len + report->payload_len, m.out_len);
            assert_int_equal(report->count, 2);
            assert_string_equal(report->stanza[0].arg[0], "tahr/elgamal");
            assert_int_equal(report->stanza[0].args, 3);
            assert_int_equal(report->stanza[0].body_len, 32);
            assert_int_equal(report->stanza[0].match, 3);
            assert_string_equal(report->stanza[1].arg[0], "X25519");
            assert_int_equal(report->stanza[1].match, 1);
            tahr_report_free(report);
            in.in_at = 0;
            in.reads_at_end = 0;
            assert_null(tahr_inspect(&report, &io, NULL, 0));
            assert_int_equal(report->stanza[0].match, TAHR_NO_IDENTITY);
            assert_int_equal(report->stanza[1].match, TAHR_NO_IDENTITY);
            tahr_report_free(report);
            memory_free(&m);
        }
}

static void test_inspect_refused(void **state)
{
    struct memory m = message(100, 0), in = memory_of(m.out, m.out_len);
    struct tahr_io io = memory_io(&in);
    const struct tahr_report *report;
    tahr_key *half;
    char *mac = strstr((char *)m.out, "\n--- ") + 5;

    (void)state;
    assert_null(tahr_key_public(&half, alice));
    assert_int_equal(tahr_inspect(&report, &io, (const tahr_key *const[]){half}, 1)->code,
                     TAHR_BAD_KEY);
    assert_null(report);
    tahr_key_free(half);
    assert_int_equal(tahr_inspect(&report, NULL, NULL, 0)->code, TAHR_BAD_CALL);
    mac[3] = mac[3] == 'A' ? 'B' : 'A';
    memory_reset(&in, m.out, m.out_len);
    assert_int_equal(tahr_inspect(&report, &io, KEYS(alice), 1)->code, TAHR_BAD_MESSAGE);
    assert_null(report);
    memory_reset(&in, m.out, m.out_len);
    assert_null(tahr_inspect(&report, &io, KEYS(carol), 1)); /* the MAC cannot be verified */
    tahr_report_free(report);
    for (size_t cut = 0; cut < 20; cut++) { /* a payload too short to be one */
        memory_reset(&in, m.out, m.out_len - 132 + cut);
        assert_null(tahr_inspect(&report, &io, NULL, 0));
        assert_int_equal(report->payload_len, cut);
        assert_int_equal(report->plain_len, 0);
        tahr_report_free(report);
    }
    memory_reset(&in, "age-encryption.org/v1\n", 22);
    assert_int_equal(tahr_inspect(&report, &io, NULL, 0)->code, TAHR_BAD_MESSAGE);
    memory_reset(&in, m.out, m.out_len);
    in.fail_at = 1;
    assert_int_equal(tahr_inspect(&report, &io, NULL, 0)->code, TAHR_SYSTEM);
    memory_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rewrap),          cmocka_unit_test(test_passphrase),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_inspect),
        cmocka_unit_test(test_inspect_refused),
    };

    if (tahr_init() != NULL)
        return 1;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
