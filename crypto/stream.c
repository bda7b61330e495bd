/* The payload of an age file: STREAM (Hoang, Reyhanitabar, Rogaway, Vizár, CRYPTO 2015) of
 * ChaCha20-Poly1305 (RFC 8439) on chunks of 64 KiB.
 *
 *     nonce (16 random bytes);  key = HKDF(file key, nonce, "payload")
 *     chunk i = seal(key, i in 11 bytes || last flag, 64 KiB; fewer in the last)
 *
 * The last chunk is known by its flag and must be where the bytes end, so that nothing can be cut
 * off, added or moved.  It is empty only in an empty payload.  A batch of chunks is read, worked on
 * and written at a time; a batch is the last if the bytes after it, held ahead, are none. */
#include "message.h"

#include <sodium.h>
#include <string.h>

#define SALT_LEN     16
#define SEALED_CHUNK (STREAM_CHUNK + STREAM_TAG)
#define BATCH        8  /* chunks */
#define AHEAD        64 /* bytes, more than one so that a batch keeps its alignment */

static const struct tahr_error no_memory = {TAHR_SYSTEM, "out of memory", NULL};
static const struct tahr_error too_long = {TAHR_SYSTEM, "the message is too long", NULL};
static const struct tahr_error no_nonce = {TAHR_BAD_MESSAGE,
                                           "malformed header: it is not followed by a nonce", NULL};
static const struct tahr_error truncated = {TAHR_BAD_MESSAGE, "the message is truncated", NULL};
static const struct tahr_error corrupt = {TAHR_BAD_MESSAGE, "the message is corrupt", NULL};
static const struct tahr_error corrupt_end = {
    TAHR_BAD_MESSAGE, "the message is truncated, or corrupt near its end", NULL};
static const struct tahr_error empty_last = {
    TAHR_BAD_MESSAGE, "the message is corrupt: its last chunk is empty", NULL};
static const struct tahr_error trailing = {TAHR_BAD_MESSAGE,
                                           "there is something after the end of the message", NULL};

struct stream {
    uint8_t key[32];
    uint64_t index; /* of the next chunk */
    size_t have;    /* bytes read into plain or sealed, whichever is the input */
    _Alignas(64) uint8_t plain[BATCH * STREAM_CHUNK + AHEAD];
    _Alignas(64) uint8_t sealed[BATCH * SEALED_CHUNK + AHEAD];
};

void stream_nonce(uint8_t nonce[12], uint64_t i, int last)
{
    memset(nonce, 0, 12);
    for (int k = 0; k < 8; k++)
        nonce[10 - k] = (uint8_t)(i >> 8 * k);
    nonce[11] = last ? 1 : 0;
}

static void derive_key(struct stream *s, const uint8_t file_key[FILE_KEY_LEN],
                       const uint8_t salt[SALT_LEN])
{
    secret_hkdf(s->key, sizeof s->key, (struct bytes){file_key, FILE_KEY_LEN},
                &(struct bytes){salt, SALT_LEN}, 1, "payload");
}

/* Fills the input, buf, of size bytes.  The counter, 2^64 chunks or 2^80 bytes, cannot wrap. */
static tahr_err refill(struct stream *s, struct source *in, uint8_t *buf, size_t size)
{
    size_t got;
    tahr_err err = source_fill(in, buf + s->have, size - s->have, &got);

    s->have += got;
    return err == NULL && s->index > UINT64_MAX - BATCH ? &too_long : err;
}

/* Drops the first n bytes of the input. */
static void consume(struct stream *s, uint8_t *buf, size_t n)
{
    s->have -= n;
    memmove(buf, buf + n, s->have);
}

/* Seals len bytes, whole chunks unless last, which may also be an empty one. */
static tahr_err seal_batch(struct stream *s, struct sink *out, size_t len, int last)
{
    size_t from = 0, to = 0;
    uint8_t nonce[12];

    do {
        size_t take = len - from < STREAM_CHUNK ? len - from : STREAM_CHUNK;

        stream_nonce(nonce, s->index++, last && from + take == len);
        crypto_aead_chacha20poly1305_ietf_encrypt(s->sealed + to, NULL, s->plain + from, take, NULL,
                                                  0, NULL, nonce, s->key);
        from += take;
        to += take + STREAM_TAG;
    } while (from < len);
    consume(s, s->plain, len);
    return out->write(out, s->sealed, to);
}

tahr_err stream_seal(struct sink *out, struct source *in, const uint8_t file_key[FILE_KEY_LEN])
{
    struct stream *s = secret_alloc(sizeof *s);
    uint8_t salt[SALT_LEN];
    int last = 0;
    tahr_err err;

    if (s == NULL)
        return &no_memory;
    secret_random(salt, sizeof salt);
    derive_key(s, file_key, salt);
    err = out->write(out, salt, sizeof salt);
    while (err == NULL && !last) {
        err = refill(s, in, s->plain, sizeof s->plain);
        last = s->have <= BATCH * STREAM_CHUNK;
        if (err == NULL)
            err = seal_batch(s, out, last ? s->have : BATCH * STREAM_CHUNK, last);
    }
    secret_free(s);
    return err;
}

static int unseal(const struct stream *s, uint8_t *plain, const uint8_t *sealed, size_t len,
                  int last)
{
    uint8_t nonce[12];

    stream_nonce(nonce, s->index, last);
    return crypto_aead_chacha20poly1305_ietf_decrypt(plain, NULL, NULL, sealed, len, NULL, 0, nonce,
                                                     s->key);
}

/* Opens the next chunk, of len bytes, and sets *opened to what may be released of it.  last says
 * whether the bytes end here; a full chunk whose flag says the reverse is told from a forged one.
 */
static tahr_err open_chunk(struct stream *s, uint8_t *plain, size_t *opened, const uint8_t *sealed,
                           size_t len, int last)
{
    tahr_err err = NULL;

    *opened = 0;
    if (len < STREAM_TAG)
        return &truncated;
    if (len == STREAM_TAG && s->index > 0)
        return &empty_last;
    if (unseal(s, plain, sealed, len, last) != 0) {
        if (len < SEALED_CHUNK)
            return &corrupt_end;
        if (unseal(s, plain, sealed, len, !last) != 0)
            return &corrupt;
        err = last ? &truncated : &trailing;
    }
    *opened = len - STREAM_TAG;
    s->index++;
    return err;
}

/* Opens len bytes, whole chunks unless last, and writes what has been authenticated. */
static tahr_err open_batch(struct stream *s, struct sink *out, size_t len, int last)
{
    size_t from = 0, to = 0, opened;
    tahr_err err, write_err = NULL;

    do {
        size_t take = len - from < SEALED_CHUNK ? len - from : SEALED_CHUNK;

        err = open_chunk(s, s->plain + to, &opened, s->sealed + from, take,
                         last && from + take == len);
        from += take;
        to += opened;
    } while (err == NULL && from < len);
    consume(s, s->sealed, len);
    if (to > 0)
        write_err = out->write(out, s->plain, to);
    return write_err != NULL ? write_err : err;
}

tahr_err stream_open(struct sink *out, struct source *in, const uint8_t file_key[FILE_KEY_LEN])
{
    struct stream *s = secret_alloc(sizeof *s);
    uint8_t salt[SALT_LEN];
    size_t got;
    int last = 0;
    tahr_err err;

    if (s == NULL)
        return &no_memory;
    err = source_fill(in, salt, sizeof salt, &got);
    if (err == NULL && got < sizeof salt)
        err = &no_nonce;
    if (err == NULL)
        derive_key(s, file_key, salt);
    while (err == NULL && !last) {
        err = refill(s, in, s->sealed, sizeof s->sealed);
        last = s->have <= BATCH * SEALED_CHUNK;
        if (err == NULL)
            err = open_batch(s, out, last ? s->have : BATCH * SEALED_CHUNK, last);
    }
    secret_free(s);
    return err;
}
