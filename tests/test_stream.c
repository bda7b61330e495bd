/* The payload against a second implementation, on OpenSSL's ChaCha20-Poly1305 and HKDF, which can
 * also make what no honest writer makes: chunks in any order, with any flag. */
#include "memory_io.h"
#include "message.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>

#define CHUNK  ((size_t)65536)
#define SEALED (CHUNK + 16)
#define MOST   ((size_t)3 << 20) /* bytes of plaintext in the largest test */

static const uint8_t file_key[16] = "YELLOW SUBMARINE";
static uint8_t salt[16] = "sixteen salt 16";
static uint8_t plain[MOST];
static uint8_t sealed[MOST + MOST / 4096 + 1024];

static const char truncated[] = "the message is truncated";
static const char corrupt[] = "the message is corrupt";
static const char corrupt_end[] = "the message is truncated, or corrupt near its end";
static const char empty_last[] = "the message is corrupt: its last chunk is empty";
static const char trailing[] = "there is something after the end of the message";
static const char no_nonce[] = "malformed header: it is not followed by a nonce";

static void payload_key(uint8_t key[32])
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
    size_t len = 32;

    assert_int_equal(EVP_PKEY_derive_init(ctx), 1);
    assert_int_equal(EVP_PKEY_CTX_set_hkdf_md(ctx, EVP_sha256()), 1);
    assert_int_equal(EVP_PKEY_CTX_set1_hkdf_salt(ctx, salt, 16), 1);
    assert_int_equal(EVP_PKEY_CTX_set1_hkdf_key(ctx, file_key, 16), 1);
    assert_int_equal(EVP_PKEY_CTX_add1_hkdf_info(ctx, (const unsigned char *)"payload", 7), 1);
    assert_int_equal(EVP_PKEY_derive(ctx, key, &len), 1);
    EVP_PKEY_CTX_free(ctx);
}

/* c = the len bytes at p sealed as chunk i; returns len + 16. */
static size_t reference_seal(uint8_t *c, const uint8_t *p, size_t len, size_t i, int last)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t key[32], nonce[12] = {0};
    int n;

    payload_key(key);
    for (int k = 10; k >= 0; k--, i /= 256)
        nonce[k] = (uint8_t)(i % 256);
    nonce[11] = (uint8_t)last;
    assert_int_equal(EVP_EncryptInit_ex(ctx, EVP_chacha20_poly1305(), NULL, key, nonce), 1);
    assert_int_equal(EVP_EncryptUpdate(ctx, c, &n, p, (int)len), 1);
    assert_int_equal(n, len);
    assert_int_equal(EVP_EncryptFinal_ex(ctx, c + len, &n), 1);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, c + len), 1);
    EVP_CIPHER_CTX_free(ctx);
    return len + 16;
}

/* The payload of the first len bytes of plain in sealed; returns its length. */
static size_t reference_payload(size_t len)
{
    size_t at = 0, n = sizeof salt;

    memcpy(sealed, salt, sizeof salt);
    for (size_t i = 0; i == 0 || at < len; i++) {
        size_t take = len - at < CHUNK ? len - at : CHUNK;

        n += reference_seal(sealed + n, plain + at, take, i, at + take == len);
        at += take;
    }
    return n;
}

static void check_open_with(struct memory *m, const uint8_t *data, size_t len, const char *verdict,
                            const uint8_t *released, size_t released_len, int threads)
{
    struct tahr_io io = memory_io(m);
    struct io_source in;
    struct io_sink out;
    tahr_err err;

    memory_reset(m, data, len);
    io_source_init(&in, &io);
    io_sink_init(&out, &io);
    err = stream_open(&out.sink, &in.source, file_key, threads);
    if (verdict == NULL) {
        assert_null(err);
    } else {
        assert_non_null(err);
        assert_int_equal(err->code, TAHR_BAD_MESSAGE);
        assert_string_equal(err->text, verdict);
    }
    assert_int_equal(m->out_len, released_len);
    if (released_len > 0)
        assert_memory_equal(m->out, released, released_len);
    assert_true(m->reads_at_end <= 1);
}

/* Opens the len bytes at data and checks the verdict (NULL: none) and what has been released: with
 * one thread, with two and with more than there are blocks. */
static void check_open(struct memory *m, const uint8_t *data, size_t len, const char *verdict,
                       const uint8_t *released, size_t released_len)
{
    check_open_with(m, data, len, verdict, released, released_len, 1);
    check_open_with(m, data, len, verdict, released, released_len, 2);
    if (len > 4 * SEALED) /* there are threads only then */
        check_open_with(m, data, len, verdict, released, released_len, 16);
}

static void test_nonce(void **state)
{
    static const struct {
        uint64_t i;
        uint8_t nonce[11];
    } cases[] = {
        {0, {0}},
        {1, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
        {0xff, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff}},
        {0x100, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}},
        {0xffff, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}},
        {0x10000, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {0xffffffff, {0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}},
        {0x100000000, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}},
        {0x0102030405060708, {0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
        {UINT64_MAX, {0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    };
    uint8_t nonce[12];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int last = 0; last <= 1; last++) {
            stream_nonce(nonce, cases[i].i, last);
            assert_memory_equal(nonce, cases[i].nonce, 11);
            assert_int_equal(nonce[11], last);
        }
}

/* Around a chunk and around the eight chunks of a batch, and many of them. */
static const size_t sizes[] = {0,
                               1,
                               15,
                               16,
                               17,
                               CHUNK - 1,
                               CHUNK,
                               CHUNK + 1,
                               2 * CHUNK,
                               7 * CHUNK + 5,
                               8 * CHUNK - 1,
                               8 * CHUNK,
                               8 * CHUNK + 1,
                               8 * CHUNK + 63,
                               4 * CHUNK - 1,
                               4 * CHUNK,
                               4 * CHUNK + 1,
                               8 * CHUNK + 64,
                               9 * CHUNK,
                               16 * CHUNK,
                               16 * CHUNK + 1,
                               MOST - 1,
                               MOST};

static void test_open(void **state)
{
    struct memory m = memory_of(NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_open(&m, sealed, reference_payload(sizes[i]), NULL, plain, sizes[i]);
    memory_free(&m);
}

/* What is sealed, the reference would seal with the same nonce; and nonces do not repeat. */
static void test_seal(void **state)
{
    struct memory m = memory_of(NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tahr_io io = memory_io(&m);
        struct io_source in;
        struct io_sink out;

        memory_reset(&m, plain, sizes[i]);
        m.step = i % 3 == 2 ? 1000 : 0;
        io_source_init(&in, &io);
        io_sink_init(&out, &io);
        assert_null(stream_seal(&out.sink, &in.source, file_key, (int)i % 5));
        assert_int_equal(m.reads_at_end, 1);
        assert_memory_not_equal(m.out, salt, sizeof salt);
        memcpy(salt, m.out, sizeof salt);
        assert_int_equal(m.out_len, reference_payload(sizes[i]));
        assert_memory_equal(m.out, sealed, m.out_len);
    }
    memory_free(&m);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *argument);
static int threads_left = -1, threads_started; /* -1: as many as one likes */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *argument)
{
    if (threads_left == 0)
        return EAGAIN;
    threads_left -= threads_left > 0;
    threads_started++;
    return __real_pthread_create(thread, attr, run, argument);
}

/* How many threads are started, and that the work is done with however many there are. */
static void test_threads(void **state)
{
    static const struct {
        size_t len;
        int threads, can_start, started;
    } cases[] = {
        {4 * CHUNK, 8, -1, 0},  {4 * CHUNK + 1, 8, -1, 7}, {17 * CHUNK, 1, -1, 0},
        {17 * CHUNK, 2, -1, 1}, {17 * CHUNK, 16, -1, 15},  {17 * CHUNK, 1000, -1, 15},
        {17 * CHUNK, 2, 0, 0},  {17 * CHUNK, 8, 0, 0},     {17 * CHUNK, 8, 1, 1},
        {17 * CHUNK, 8, 6, 6},
    };
    struct memory m = memory_of(NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        threads_left = cases[i].can_start;
        threads_started = 0;
        check_open_with(&m, sealed, reference_payload(cases[i].len), NULL, plain, cases[i].len,
                        cases[i].threads);
        assert_int_equal(threads_started, cases[i].started);
    }
    threads_left = -1;
    memory_free(&m);
}

/* Reads of one byte, and of a length that meets no boundary. */
static void test_short_reads(void **state)
{
    struct memory m = memory_of(NULL, 0);
    size_t len = reference_payload(2 * CHUNK + 17);

    (void)state;
    m.step = 1;
    check_open(&m, sealed, len, NULL, plain, 2 * CHUNK + 17);
    m.step = 4097;
    len = reference_payload(9 * CHUNK + 17);
    check_open(&m, sealed, len, NULL, plain, 9 * CHUNK + 17);
    memory_free(&m);
}

/* Every cut of a payload: at a chunk's boundary, and 1, 15, 16 and 17 bytes to either side. */
static void test_cut(void **state)
{
    static const long beside[] = {-17, -16, -15, -1, 0, 1, 15, 16, 17};
    static const size_t chunks[] = {1, 2, 3, 8, 9, 17};
    struct memory m = memory_of(NULL, 0);

    (void)state;
    for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++) {
        size_t len = reference_payload(chunks[k] * CHUNK);

        for (size_t i = 0; i <= chunks[k]; i++)
            for (size_t b = 0; b < sizeof beside / sizeof *beside; b++) {
                size_t cut = (size_t)((long)(16 + i * SEALED) + beside[b]);
                size_t whole = cut < 16 ? 0 : (cut - 16) / SEALED, rest = (cut - 16) % SEALED;

                if (cut >= len)
                    continue;
                check_open(&m, sealed, cut,
                           cut < 16                  ? no_nonce
                           : rest < 16               ? truncated
                           : rest == 16 && whole > 0 ? empty_last
                                                     : corrupt_end,
                           plain, whole * CHUNK);
            }
    }
    memory_free(&m);
}

/* A payload of the given chunks, each of all of plain's first len bytes from a place and with an
 * index and a flag of its own. */
struct piece {
    size_t from, len, i;
    int last;
};

static size_t forge(const struct piece *pieces, size_t count)
{
    size_t n = sizeof salt;

    memcpy(sealed, salt, sizeof salt);
    for (size_t i = 0; i < count; i++)
        n += reference_seal(sealed + n, plain + pieces[i].from, pieces[i].len, pieces[i].i,
                            pieces[i].last);
    return n;
}

static void test_forged(void **state)
{
    static const struct {
        struct piece pieces[4];
        size_t count;
        const char *verdict;
        size_t released;
    } cases[] = {
        /* as it should be */
        {{{0, CHUNK, 0, 0}, {CHUNK, CHUNK, 1, 0}, {2 * CHUNK, 10, 2, 1}}, 3, NULL, 2 * CHUNK + 10},
        /* swapped */
        {{{CHUNK, CHUNK, 1, 0}, {0, CHUNK, 0, 0}, {0, 10, 2, 1}}, 3, corrupt, 0},
        {{{0, CHUNK, 0, 0}, {0, CHUNK, 2, 0}, {0, CHUNK, 1, 0}, {0, 5, 3, 1}}, 4, corrupt, CHUNK},
        /* duplicated */
        {{{0, CHUNK, 0, 0}, {0, CHUNK, 0, 0}, {0, 10, 1, 1}}, 3, corrupt, CHUNK},
        {{{0, CHUNK, 0, 0}, {CHUNK, 10, 1, 1}, {CHUNK, 10, 1, 1}}, 3, corrupt_end, CHUNK},
        /* dropped: the first, one between, the last */
        {{{CHUNK, CHUNK, 1, 0}, {0, 10, 2, 1}}, 2, corrupt, 0},
        {{{0, CHUNK, 0, 0}, {0, CHUNK, 2, 0}, {0, 10, 3, 1}}, 3, corrupt, CHUNK},
        {{{0, CHUNK, 0, 0}, {CHUNK, CHUNK, 1, 0}}, 2, truncated, 2 * CHUNK},
        /* two last chunks */
        {{{0, CHUNK, 0, 1}, {CHUNK, CHUNK, 1, 1}}, 2, trailing, CHUNK},
        {{{0, CHUNK, 0, 1}, {CHUNK, 10, 1, 1}}, 2, trailing, CHUNK},
        {{{0, 10, 0, 1}, {10, 10, 1, 1}}, 2, corrupt_end, 0},
        /* empty last chunk after a full one; and an empty one that is not the last */
        {{{0, CHUNK, 0, 0}, {0, 0, 1, 1}}, 2, empty_last, CHUNK},
        {{{0, 0, 0, 0}}, 1, corrupt_end, 0},
        {{{0, 0, 0, 1}}, 1, NULL, 0},
        /* a short chunk that is not the last */
        {{{0, 10, 0, 0}}, 1, corrupt_end, 0},
        {{{0, CHUNK, 0, 0}, {0, 10, 1, 0}, {0, 10, 2, 1}}, 3, corrupt_end, CHUNK},
        /* the index in another place of the nonce */
        {{{0, CHUNK, 0, 0}, {0, 10, 256, 1}}, 2, corrupt_end, CHUNK},
    };
    struct memory m = memory_of(NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_open(&m, sealed, forge(cases[i].pieces, cases[i].count), cases[i].verdict, plain,
                   cases[i].released);
    memory_free(&m);
}

/* Bytes after the end: one, some, a chunk, batches of them. */
static void test_trailing(void **state)
{
    static const size_t more[] = {1, 16, 64, 65, SEALED, 9 * SEALED};
    static const size_t whole[] = {1, 2, 8, 9};
    struct memory m = memory_of(NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
            size_t len = reference_payload(whole[i] * CHUNK);

            memset(sealed + len, 'x', more[k]);
            check_open(&m, sealed, len + more[k], trailing, plain, whole[i] * CHUNK);
        }
    check_open(&m, sealed, reference_payload(100) + 1, corrupt_end, NULL, 0);
    memory_free(&m);
}

/* Any flipped bit of a small payload, and some of each chunk of a large one. */
static void test_flipped(void **state)
{
    struct memory m = memory_of(NULL, 0);
    size_t len = reference_payload(40);

    (void)state;
    for (size_t bit = 0; bit < 8 * len; bit++) {
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        check_open(&m, sealed, len, corrupt_end, NULL, 0);
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    len = reference_payload(10 * CHUNK);
    for (size_t at = 16; at < len; at += SEALED / 3) {
        sealed[at] ^= 0x80;
        check_open(&m, sealed, len, corrupt, plain, (at - 16) / SEALED * CHUNK);
        sealed[at] ^= 0x80;
    }
    memory_free(&m);
}

static void test_wrong_key(void **state)
{
    struct memory m = memory_of(sealed, reference_payload(CHUNK));
    struct tahr_io io = memory_io(&m);
    struct io_source in;
    struct io_sink out;

    (void)state;
    io_source_init(&in, &io);
    io_sink_init(&out, &io);
    assert_string_equal(
        stream_open(&out.sink, &in.source, (const uint8_t *)"yellow submarine", 1)->text, corrupt);
    assert_int_equal(m.out_len, 0);
}

/* Each call of the caller's functions fails in turn; from some call on none is left to fail. */
static void test_io_failure(void **state)
{
    tahr_err (*const work[])(struct sink *, struct source *, const uint8_t[16],
                             int) = {stream_seal, stream_open};
    size_t len = reference_payload(9 * CHUNK + 1);
    struct memory m = memory_of(NULL, 0);

    (void)state;
    for (int w = 0; w < 4; w++) {
        long call = 0;
        tahr_err err;

        do {
            struct tahr_io io = memory_io(&m);
            struct io_source in;
            struct io_sink out;

            memory_reset(&m, w % 2 == 0 ? plain : sealed, w % 2 == 0 ? 9 * CHUNK + 1 : len);
            m.fail_at = ++call;
            m.step = 100000;
            io_source_init(&in, &io);
            io_sink_init(&out, &io);
            err = work[w % 2](&out.sink, &in.source, file_key, w < 2 ? 1 : 3);
            assert_true(err == NULL || err->code == TAHR_SYSTEM);
            assert_int_equal(m.calls, err == NULL ? call - 1 : call);
        } while (err != NULL);
        assert_true(call > 8);
    }
    memory_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nonce),       cmocka_unit_test(test_open),
        cmocka_unit_test(test_seal),        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_short_reads), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_forged),      cmocka_unit_test(test_trailing),
        cmocka_unit_test(test_flipped),     cmocka_unit_test(test_wrong_key),
        cmocka_unit_test(test_io_failure),
    };

    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (uint8_t)(i * 2654435761u >> 13);
    if (secret_init() != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
