/* Whole messages: both recipient types, several at once, armor, what is refused, and failures of
 * everything a message calls. */
#include "keys.h"
#include "memory_io.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#define LARGEST ((size_t)3 << 20)

static uint8_t plain[LARGEST];
static tahr_key *rsa, *elgamal, *stranger_rsa, *stranger_elgamal;

/* --- Memory that runs out: the linker puts these in front of the real ones --- */

static long allocations_left = -1; /* -1: as many as one likes */

void *__real_malloc(size_t len);
void *__wrap_malloc(size_t len);
void *__real_sodium_malloc(size_t len);
void *__wrap_sodium_malloc(size_t len);

static int may_allocate(void)
{
    if (allocations_left > 0)
        allocations_left--;
    else if (allocations_left == 0)
        return 0;
    return 1;
}

void *__wrap_malloc(size_t len)
{
    return may_allocate() ? __real_malloc(len) : NULL;
}

void *__wrap_sodium_malloc(size_t len)
{
    return may_allocate() ? __real_sodium_malloc(len) : NULL;
}

/* --- Keys and messages --- */

/* A tahr key of an RSA key by OpenSSL, which makes them faster. */
static tahr_key *import(EVP_PKEY *pkey)
{
    struct bytes file = openssl_write(pkey, EVP_PKEY_KEYPAIR, "PrivateKeyInfo", "PEM");
    tahr_key *key = read_key(file);

    free((void *)file.p);
    return key;
}

static int set_up(void **state)
{
    EVP_PKEY *other = openssl_key("RSA", 2048, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (uint8_t)(i * 2654435761u >> 13);
    rsa = import(openssl_rsa());
    stranger_rsa = import(other);
    EVP_PKEY_free(other);
    assert_null(tahr_key_new_elgamal(&elgamal, "ffdhe2048", NULL));
    assert_null(tahr_key_new_elgamal(&stranger_elgamal, "ffdhe2048", NULL));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tahr_key_free(rsa);
    tahr_key_free(elgamal);
    tahr_key_free(stranger_rsa);
    tahr_key_free(stranger_elgamal);
    return 0;
}

/* A list of keys, ended by NULL, as arguments. */
#define KEYS(...) ((const tahr_key *const[]){__VA_ARGS__, NULL})

static size_t count(const tahr_key *const *keys)
{
    size_t n = 0;

    while (keys[n] != NULL)
        n++;
    return n;
}

static tahr_err encrypt(struct memory *m, size_t len, const tahr_key *const *keys, int armor)
{
    struct tahr_io io = memory_io(m);

    memory_reset(m, plain, len);
    return tahr_encrypt(&io, keys, count(keys), armor);
}

/* Decrypts what file has got written, into m. */
static tahr_err decrypt(struct memory *m, const struct memory *file, const tahr_key *const *keys)
{
    struct tahr_io io = memory_io(m);

    memory_reset(m, file->out, file->out_len);
    return tahr_decrypt(&io, keys, count(keys));
}

static void check_plain(tahr_err err, const struct memory *m, size_t len)
{
    assert_null(err);
    assert_int_equal(m->out_len, len);
    if (len > 0)
        assert_memory_equal(m->out, plain, len);
}

static void check_error(tahr_err err, enum tahr_code code, const char *text)
{
    assert_non_null(err);
    assert_string_equal(err->text, text);
    assert_int_equal(err->code, code);
}

static const char no_match[] = "no identity opens this message";
static const char malformed[] = "malformed header: a stanza is out of shape for its type";
static const char corrupt_stanza[] = "the header's stanza for this key is corrupt";
static const char wrong_mac[] = "the header's MAC is wrong: the header has been changed";

/* --- Messages as they should be --- */

static void test_round_trip(void **state)
{
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, LARGEST};
    struct memory file = memory_of(NULL, 0), m = memory_of(NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int armor = 0; armor <= 1; armor++) {
            assert_null(encrypt(&file, sizes[i], KEYS(rsa, elgamal), armor));
            assert_int_equal(file.out[0], armor ? '-' : 'a');
            check_plain(decrypt(&m, &file, KEYS(rsa)), &m, sizes[i]);
            check_plain(decrypt(&m, &file, KEYS(elgamal)), &m, sizes[i]);
        }
    memory_free(&file);
    memory_free(&m);
}

/* Public halves encrypt; of many identities the one that fits is found; the others match nothing.
 */
static void test_who_can_open(void **state)
{
    struct memory file = memory_of(NULL, 0), m = memory_of(NULL, 0), again = memory_of(NULL, 0);
    tahr_key *half;

    (void)state;
    assert_null(tahr_key_public(&half, rsa));
    assert_null(encrypt(&file, 100, KEYS(half), 0));
    check_plain(decrypt(&m, &file, KEYS(rsa)), &m, 100);
    check_plain(decrypt(&m, &file, KEYS(stranger_elgamal, stranger_rsa, elgamal, rsa)), &m, 100);
    check_error(decrypt(&m, &file, KEYS(stranger_elgamal, stranger_rsa, elgamal)), TAHR_NO_MATCH,
                no_match);
    assert_int_equal(m.out_len, 0);
    check_error(decrypt(&m, &file, KEYS(half)), TAHR_BAD_KEY, "a public key cannot decrypt");
    tahr_key_free(half);

    assert_null(tahr_key_public(&half, elgamal));
    assert_null(encrypt(&file, 100, KEYS(stranger_rsa, stranger_elgamal, half), 0));
    check_plain(decrypt(&m, &file, KEYS(rsa, elgamal)), &m, 100);
    check_plain(decrypt(&m, &file, KEYS(stranger_rsa)), &m, 100);
    check_error(decrypt(&m, &file, KEYS(rsa)), TAHR_NO_MATCH, no_match);
    tahr_key_free(half);

    assert_null(encrypt(&again, 100, KEYS(stranger_rsa, stranger_elgamal, elgamal), 0));
    assert_int_equal(again.out_len, file.out_len);
    assert_memory_not_equal(again.out + again.out_len - 132, file.out + file.out_len - 132, 16);
    assert_memory_not_equal(again.out + again.out_len - 116, file.out + file.out_len - 116, 116);
    memory_free(&file);
    memory_free(&again);
    memory_free(&m);
}

/* Every message has a file key of its own. */
static void test_fresh_file_key(void **state)
{
    struct memory file = memory_of(NULL, 0), m = memory_of(NULL, 0);
    struct tahr_io io = memory_io(&m);
    uint8_t found[2][FILE_KEY_LEN];
    struct message *message;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_null(encrypt(&file, 100, KEYS(elgamal), i));
        memory_reset(&m, file.out, file.out_len);
        assert_null(message_open(&message, &io));
        assert_null(message_unwrap(found[i], message, KEYS(elgamal), 1));
        message_free(message);
    }
    assert_memory_not_equal(found[0], found[1], FILE_KEY_LEN);
    memory_free(&file);
    memory_free(&m);
}

/* --- Messages of stanzas one by one --- */

static const uint8_t file_key[FILE_KEY_LEN] = "YELLOW SUBMARINE";

/* A message of plain's first 100 bytes, with the stanzas given. */
static void make_message(struct memory *file, const struct stanza *stanzas, size_t n)
{
    static struct header h;
    struct tahr_io io = memory_io(file);
    struct io_source in;
    struct io_sink out;

    memory_reset(file, plain, 100);
    header_init(&h);
    for (size_t i = 0; i < n; i++)
        assert_null(header_add(&h, &stanzas[i]));
    header_finish(&h, file_key);
    io_source_init(&in, &io);
    io_sink_init(&out, &io);
    assert_null(out.sink.write(&out.sink, h.text, h.len));
    assert_null(stream_seal(&out.sink, &in.source, file_key, 0));
}

/* The stanza in which file_key is wrapped to the RSA key, in parsed. */
static struct stanza rsa_stanza(struct header *parsed)
{
    static struct header h;
    static struct lookahead in;
    struct memory m;
    struct tahr_io io = memory_io(&m);
    struct io_source source;

    header_init(&h);
    assert_null(recipient_rsa.wrap(&h, file_key, rsa));
    header_finish(&h, file_key);
    m = memory_of(h.text, h.len);
    io_source_init(&source, &io);
    lookahead_init(&in, &source.source);
    assert_null(header_read(parsed, &in));
    return parsed->stanza[0];
}

/* A stanza of a known type that is out of shape ends the search; one for somebody else does not,
 * nor one for us that is corrupt, which is reported if no other opens. */
static void test_search(void **state)
{
    static struct header parsed;
    static uint8_t flipped[256];
    struct memory file = memory_of(NULL, 0), m = memory_of(NULL, 0);
    const struct stanza good = rsa_stanza(&parsed);
    const char *const theirs[] = {"ssh-rsa", "AAAAAA"};
    const struct stanza corrupt = {good.arg, 2, flipped, 256}, other = {theirs, 2, flipped, 200},
                        shapeless = {good.arg, 1, good.body, 256};
    const struct stanza nine[9] = {corrupt, corrupt, corrupt, corrupt, corrupt,
                                   corrupt, corrupt, corrupt, good};

    (void)state;
    memcpy(flipped, good.body, sizeof flipped);
    flipped[100] ^= 4;
    make_message(&file, (struct stanza[]){other, corrupt, good}, 3);
    check_plain(decrypt(&m, &file, KEYS(elgamal, stranger_rsa, rsa)), &m, 100);
    make_message(&file, (struct stanza[]){corrupt, other}, 2);
    check_error(decrypt(&m, &file, KEYS(rsa, stranger_rsa, elgamal)), TAHR_BAD_MESSAGE,
                corrupt_stanza);
    check_error(decrypt(&m, &file, KEYS(stranger_rsa, elgamal)), TAHR_NO_MATCH, no_match);
    make_message(&file, (struct stanza[]){shapeless, good}, 2);
    check_error(decrypt(&m, &file, KEYS(elgamal, rsa)), TAHR_BAD_MESSAGE, malformed);
    check_error(decrypt(&m, &file, KEYS(stranger_rsa)), TAHR_BAD_MESSAGE, malformed);
    check_error(decrypt(&m, &file, KEYS(elgamal)), TAHR_NO_MATCH, no_match);
    make_message(&file, nine, 9); /* a hostile message has eight tries */
    check_error(decrypt(&m, &file, KEYS(rsa)), TAHR_BAD_MESSAGE, corrupt_stanza);
    make_message(&file, nine + 1, 8);
    check_plain(decrypt(&m, &file, KEYS(rsa)), &m, 100);
    make_message(&file, (struct stanza[]){good, shapeless}, 2);
    check_plain(decrypt(&m, &file, KEYS(rsa)), &m, 100);
    memory_free(&file);
    memory_free(&m);
}

/* Types that are not known are no concern of ours; but the MAC covers them. */
static void test_unknown_stanzas(void **state)
{
    static struct header parsed;
    struct memory file = memory_of(NULL, 0), m = memory_of(NULL, 0);
    const char *const unknown[] = {"unknown", "type"}, *const hybrid[] = {"mlkem768x25519", "x"},
                      *const x25519[] = {"X25519"};
    const struct stanza s[] = {{unknown, 2, NULL, 0},
                               {hybrid, 2, plain, 32},
                               rsa_stanza(&parsed),
                               {x25519, 1, plain, 1000},
                               {unknown, 1, plain, 48}};
    char *at;

    (void)state;
    make_message(&file, s, 5);
    check_plain(decrypt(&m, &file, KEYS(elgamal, rsa)), &m, 100);
    at = strstr((char *)file.out, "unknown type");
    assert_non_null(at);
    at[0] = 'U';
    check_error(decrypt(&m, &file, KEYS(elgamal, rsa)), TAHR_BAD_MESSAGE, wrong_mac);
    assert_int_equal(m.out_len, 0);
    make_message(&file, s, 2);
    check_error(decrypt(&m, &file, KEYS(elgamal, rsa)), TAHR_NO_MATCH, no_match);
    assert_non_null(strstr(decrypt(&m, &file, KEYS(elgamal))->hint, "post-quantum"));
    memory_free(&file);
    memory_free(&m);
}

/* An scrypt stanza stands alone, whoever opens the message. */
static void test_scrypt_alone(void **state)
{
    static struct header parsed;
    struct memory file = memory_of(NULL, 0), m = memory_of(NULL, 0);
    const char *const scrypt[] = {"scrypt", "AAAAAAAAAAAAAAAAAAAAAA", "10"}, *const other[] = {
                                                                                 "grease"};
    const struct stanza s[] = {
        rsa_stanza(&parsed), {scrypt, 3, plain, 32}, {scrypt, 3, plain, 32}, {other, 1, NULL, 0}};
    tahr_key *passphrase;

    (void)state;
    assert_null(tahr_key_new_passphrase(&passphrase, "secret", 6));
    for (int i = 0; i < 3; i++) {
        make_message(&file, s + i, 2);
        check_error(decrypt(&m, &file, KEYS(rsa, passphrase)), TAHR_BAD_MESSAGE,
                    "malformed header: an scrypt stanza does not stand alone");
    }
    make_message(&file, s + 1, 1);
    check_error(decrypt(&m, &file, KEYS(rsa)), TAHR_NO_MATCH, no_match);
    assert_non_null(strstr(decrypt(&m, &file, KEYS(rsa))->hint, "passphrase"));
    check_error(decrypt(&m, &file, KEYS(rsa, passphrase)), TAHR_NO_MATCH,
                "the passphrase is wrong");
    check_error(encrypt(&m, 10, KEYS(passphrase, rsa), 0), TAHR_BAD_CALL,
                "a passphrase is a message's only recipient");
    check_error(encrypt(&m, 10, KEYS(passphrase, passphrase), 0), TAHR_BAD_CALL,
                "a passphrase is a message's only recipient");
    tahr_key_free(passphrase);
    memory_free(&file);
    memory_free(&m);
}

/* --- What goes wrong --- */

static int lie(void *context, void *buf, size_t len, size_t *got)
{
    (void)context;
    memset(buf, 0, len);
    *got = len + 1;
    return 0;
}

static void test_bad_calls(void **state)
{
    struct memory m = memory_of(plain, 100);
    struct tahr_io io = memory_io(&m), no_read = io, no_write = io, liar = io;

    (void)state;
    no_read.read = NULL;
    no_write.write = NULL;
    liar.read = lie;
    check_error(tahr_encrypt(NULL, KEYS(rsa), 1, 0), TAHR_BAD_CALL,
                "no function to read or to write");
    check_error(tahr_encrypt(&no_read, KEYS(rsa), 1, 0), TAHR_BAD_CALL,
                "no function to read or to write");
    check_error(tahr_decrypt(&no_write, KEYS(rsa), 1), TAHR_BAD_CALL,
                "no function to read or to write");
    check_error(tahr_encrypt(&io, NULL, 0, 0), TAHR_BAD_CALL, "no recipient");
    check_error(tahr_decrypt(&io, NULL, 0), TAHR_BAD_CALL, "no identity");
    assert_int_equal(m.calls, 0);
    check_error(tahr_encrypt(&liar, KEYS(rsa), 1, 0), TAHR_SYSTEM, "reading failed");
    check_error(tahr_decrypt(&liar, KEYS(rsa), 1), TAHR_SYSTEM, "reading failed");
    memory_free(&m);
    assert_string_equal(tahr_version(), TAHR_VERSION);
}

static void test_too_many_recipients(void **state)
{
    static const tahr_key *many[1026];
    struct memory m = memory_of(NULL, 0);
    tahr_key *half;

    (void)state;
    assert_null(tahr_key_public(&half, rsa));
    for (size_t i = 0; i < 1025; i++)
        many[i] = half;
    assert_int_equal(encrypt(&m, 10, many, 0)->code, TAHR_BAD_CALL);
    assert_int_equal(m.calls, 0);
    tahr_key_free(half);
    memory_free(&m);
}

static void test_not_age(void **state)
{
    static const struct {
        const char *data, *text;
        int has_hint;
    } cases[] = {
        {"", "not an age file: it is empty", 0},
        {"hello\n", "not an age file", 0},
        {"-----BEGIN PGP MESSAGE-----\n\nhQEMA\n", "not an age file", 1},
        {"\x85\x01\x0c\x03", "not an age file", 1},
        {"  \n -> a", "not an age file", 0},
        {"age-encryption.org/v", "malformed header: it is cut short", 0},
    };
    struct memory m = memory_of(NULL, 0);
    struct tahr_io io = memory_io(&m);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tahr_err err;

        memory_reset(&m, cases[i].data, strlen(cases[i].data));
        err = tahr_decrypt(&io, KEYS(rsa), 1);
        check_error(err, TAHR_BAD_MESSAGE, cases[i].text);
        assert_int_equal(err->hint != NULL, cases[i].has_hint);
    }
    memory_free(&m);
}

/* Every cut, and a flipped bit in every seventh byte, of a binary message and of an armored one. */
static void test_cut_and_flipped(void **state)
{
    struct memory file = memory_of(NULL, 0), m = memory_of(NULL, 0);

    (void)state;
    for (int armor = 0; armor <= 1; armor++) {
        struct memory part;

        assert_null(encrypt(&file, 100, KEYS(elgamal), armor));
        part = file;
        /* an armor does without its last newline */
        for (part.out_len = 0; part.out_len < file.out_len - (size_t)armor; part.out_len++) {
            tahr_err err = decrypt(&m, &part, KEYS(elgamal));

            assert_non_null(err);
            assert_int_equal(err->code, TAHR_BAD_MESSAGE);
            assert_int_equal(m.out_len, 0);
        }
        for (size_t at = 3; at < file.out_len; at += 7) {
            tahr_err err;

            file.out[at] ^= (uint8_t)(1 << at % 8);
            err = decrypt(&m, &file, KEYS(elgamal));
            assert_non_null(err);
            assert_true(err->code == TAHR_BAD_MESSAGE || err->code == TAHR_NO_MATCH);
            assert_int_equal(m.out_len, 0);
            file.out[at] ^= (uint8_t)(1 << at % 8);
        }
        check_plain(decrypt(&m, &file, KEYS(elgamal)), &m, 100);
    }
    memory_free(&file);
    memory_free(&m);
}

static void test_short_reads(void **state)
{
    struct memory file = memory_of(NULL, 0), m = memory_of(NULL, 0);

    (void)state;
    for (int armor = 0; armor <= 1; armor++)
        for (size_t step = 1; step <= 4097; step += 4096) {
            file.step = m.step = step;
            assert_null(encrypt(&file, 70000, KEYS(elgamal), armor));
            check_plain(decrypt(&m, &file, KEYS(elgamal)), &m, 70000);
        }
    memory_free(&file);
    memory_free(&m);
}

/* Each read, write and allocation fails in turn, until one too late to be needed. */
static void test_failing_calls(void **state)
{
    struct memory file = memory_of(NULL, 0), m = memory_of(NULL, 0);
    struct tahr_io io = memory_io(&m);

    (void)state;
    for (int mode = 0; mode < 8; mode++) {
        int armor = mode & 1, decrypting = mode & 2, allocations = mode & 4;
        tahr_err err;
        long call = 0;

        assert_null(encrypt(&file, 1100000, KEYS(elgamal), armor));
        do {
            memory_reset(&m, decrypting ? file.out : plain, decrypting ? file.out_len : 1100000);
            call++;
            if (allocations)
                allocations_left = call - 1;
            else
                m.fail_at = call;
            err = decrypting ? tahr_decrypt(&io, KEYS(elgamal), 1)
                             : tahr_encrypt(&io, KEYS(elgamal), 1, armor);
            allocations_left = -1;
            assert_true(err == NULL || err->code == TAHR_SYSTEM);
        } while (err != NULL);
        assert_true(call > 2);
    }
    memory_free(&file);
    memory_free(&m);
}

/* --- Constant memory --- */

static size_t bytes_left;

static int read_zeros(void *context, void *buf, size_t len, size_t *got)
{
    (void)context;
    *got = len < bytes_left ? len : bytes_left;
    memset(buf, 0, *got);
    bytes_left -= *got;
    return 0;
}

static int discard(void *context, const void *buf, size_t len)
{
    (void)context;
    (void)buf;
    (void)len;
    return 0;
}

static long most_memory(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss; /* KiB */
}

/* 64 MiB go through in less than 8 MiB, which is what a process may take besides 8 of its own. */
static void test_constant_memory(void **state)
{
    const struct tahr_io io = {read_zeros, discard, NULL, 2};
    long before = most_memory();

    (void)state;
    for (int armor = 0; armor <= 1; armor++) {
        bytes_left = (size_t)64 << 20;
        assert_null(tahr_encrypt(&io, KEYS(elgamal), 1, armor));
        assert_int_equal(bytes_left, 0);
    }
    assert_true(most_memory() - before < 8192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_memory),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_who_can_open),
        cmocka_unit_test(test_fresh_file_key),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_unknown_stanzas),
        cmocka_unit_test(test_scrypt_alone),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_too_many_recipients),
        cmocka_unit_test(test_not_age),
        cmocka_unit_test(test_cut_and_flipped),
        cmocka_unit_test(test_short_reads),
        cmocka_unit_test(test_failing_calls),
    };

    if (tahr_init() != NULL)
        return 1;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
