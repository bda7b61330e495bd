/* The payload of an age file: STREAM (Hoang, Reyhanitabar, Rogaway, Vizár, CRYPTO 2015) of
 * ChaCha20-Poly1305 (RFC 8439) on chunks of 64 KiB.
 *
 *     nonce (16 random bytes);  key = HKDF(file key, nonce, "payload")
 *     chunk i = seal(key, i in 11 bytes || last flag, 64 KiB; fewer in the last)
 *
 * The last chunk is known by its flag and must be where the bytes end, so that nothing can be cut
 * off, added or moved.  It is empty only in an empty payload.  Chunks are independent, and a batch
 * of them is a block of the pipeline. */
#include "message.h"

#include <sodium.h>
#include <string.h>

#define SALT_LEN     16
#define SEALED_CHUNK (STREAM_CHUNK + STREAM_TAG)
#define BATCH        4 /* chunks */
#define KEY_LEN      32

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

void stream_nonce(uint8_t nonce[12], uint64_t i, int last)
{
    memset(nonce, 0, 12);
    for (int k = 0; k < 8; k++)
        nonce[10 - k] = (uint8_t)(i >> 8 * k);
    nonce[11] = last ? 1 : 0;
}

static void derive_key(uint8_t key[KEY_LEN], const uint8_t file_key[FILE_KEY_LEN],
                       const uint8_t salt[SALT_LEN])
{
    secret_hkdf(key, KEY_LEN, (struct bytes){file_key, FILE_KEY_LEN},
                &(struct bytes){salt, SALT_LEN}, 1, "payload");
}

/* Seals a block: whole chunks unless it is the last, which may also be an empty one.  The counter,
 * 2^64 chunks or 2^80 bytes, cannot wrap. */
static void seal_block(struct block *block, const void *key)
{
    uint64_t i = block->number * BATCH;
    size_t from = 0;
    uint8_t nonce[12];

    do {
        size_t take = block->len - from < STREAM_CHUNK ? block->len - from : STREAM_CHUNK;

        stream_nonce(nonce, i++, block->last && from + take == block->len);
        crypto_aead_chacha20poly1305_ietf_encrypt(block->out + block->made, NULL, block->in + from,
                                                  take, NULL, 0, NULL, nonce, key);
        from += take;
        block->made += take + STREAM_TAG;
    } while (from < block->len);
}

tahr_err stream_seal(struct sink *out, struct source *in, const uint8_t file_key[FILE_KEY_LEN],
                     int threads)
{
    uint8_t salt[SALT_LEN], key[KEY_LEN];
    const struct work work = {BATCH * STREAM_CHUNK, BATCH * SEALED_CHUNK, seal_block, key};
    tahr_err err;

    secret_random(salt, sizeof salt);
    derive_key(key, file_key, salt);
    err = out->write(out, salt, sizeof salt);
    if (err == NULL)
        err = pipeline_run(out, in, &work, threads);
    secret_wipe(key, sizeof key);
    return err;
}

static int unseal(uint8_t *plain, const uint8_t *sealed, size_t len, uint64_t i, int last,
                  const uint8_t *key)
{
    uint8_t nonce[12];

    stream_nonce(nonce, i, last);
    return crypto_aead_chacha20poly1305_ietf_decrypt(plain, NULL, NULL, sealed, len, NULL, 0, nonce,
                                                     key);
}

/* Opens chunk i, of len bytes, behind what was made of the block.  last says whether the bytes end
 * here; a full chunk whose flag says the reverse is told from a forged one. */
static tahr_err open_chunk(struct block *block, const uint8_t *sealed, size_t len, uint64_t i,
                           int last, const uint8_t *key)
{
    uint8_t *plain = block->out + block->made;
    tahr_err err = NULL;

    if (len < STREAM_TAG)
        return &truncated;
    if (len == STREAM_TAG && i > 0)
        return &empty_last;
    if (unseal(plain, sealed, len, i, last, key) != 0) {
        if (len < SEALED_CHUNK)
            return &corrupt_end;
        if (unseal(plain, sealed, len, i, !last, key) != 0)
            return &corrupt;
        err = last ? &truncated : &trailing;
    }
    block->made += len - STREAM_TAG;
    return err;
}

/* Opens a block, whole chunks unless it is the last, as far as it is authentic. */
static void open_block(struct block *block, const void *key)
{
    uint64_t i = block->number * BATCH;
    size_t from = 0;

    do {
        size_t take = block->len - from < SEALED_CHUNK ? block->len - from : SEALED_CHUNK;
        const uint8_t *sealed = block->in + from;

        from += take;
        block->err = open_chunk(block, sealed, take, i++, block->last && from == block->len, key);
    } while (block->err == NULL && from < block->len);
}

tahr_err stream_open(struct sink *out, struct source *in, const uint8_t file_key[FILE_KEY_LEN],
                     int threads)
{
    uint8_t salt[SALT_LEN], key[KEY_LEN];
    const struct work work = {BATCH * SEALED_CHUNK, BATCH * STREAM_CHUNK, open_block, key};
    size_t got;
    tahr_err err = source_fill(in, salt, sizeof salt, &got);

    if (err == NULL && got < sizeof salt)
        err = &no_nonce;
    if (err != NULL)
        return err;
    derive_key(key, file_key, salt);
    err = pipeline_run(out, in, &work, threads);
    secret_wipe(key, sizeof key);
    return err;
}
