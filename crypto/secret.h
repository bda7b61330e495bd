/* The door to libsodium: random bytes, guarded memory, wipe, hashes, HMAC, HKDF.
 *
 * AEAD, X25519 and scrypt are called where they are used (stream.c, recipient_*.c); all the rest of
 * libsodium is reached through here. */
#ifndef TAHR_SECRET_H
#define TAHR_SECRET_H

#include <stddef.h>
#include <stdint.h>

/* Starts libsodium; safe to call from any thread and more than once.  Returns 0 or -1. */
int secret_init(void);

/* Guarded memory that is locked, kept out of core dumps and zeroed; NULL when there is none.
 * secret_free wipes it first; NULL is allowed. */
void *secret_alloc(size_t len);
void secret_free(void *p);

/* Overwrites len bytes. */
void secret_wipe(void *p, size_t len);

/* len bytes from the system's generator. */
void secret_random(void *p, size_t len);

/* Are the len bytes at a and b equal?  1 or 0.  Secret: the bytes.  Leaks: len. */
int secret_equal(const void *a, const void *b, size_t len);

/* Base64 (RFC 4648) without secret-indexed tables, '+' and '/', with or without = padding.  encode
 * writes base64_len(len, padded) characters and a NUL.  decode accepts the one canonical encoding
 * only (no white space, unused bits zero); it returns 0 and *len, or -1.  out has room for max
 * bytes. */
size_t base64_len(size_t len, int padded);
void base64_encode(char *text, const void *data, size_t len, int padded);
int base64_decode(void *out, size_t max, size_t *len, const char *text, size_t text_len,
                  int padded);

/* A hash function as a row: what OAEP needs of one.  out has len bytes. */
struct hash {
    const char *name;
    size_t len; /* bytes of a digest, at most HASH_MAX */
    void (*digest)(uint8_t *out, const void *in, size_t len);
};
#define HASH_MAX 64
extern const struct hash hash_sha256; /* FIPS 180-4 */
extern const struct hash hash_sha512;

/* A byte string in memory. */
struct bytes {
    const void *p;
    size_t len;
};

/* out = SHA-256 of the count parts one after the other.  Secret: the parts.  Leaks: their lengths.
 */
void secret_sha256(uint8_t out[32], const struct bytes *parts, size_t count);

/* out = HMAC-SHA-256 (RFC 2104) of the parts one after the other. */
void secret_hmac(uint8_t out[32], struct bytes key, const struct bytes *parts, size_t count);

/* out (len <= 32 * 255 bytes) = HKDF-SHA-256 (RFC 5869); the salt is its parts one after the other.
 */
void secret_hkdf(uint8_t *out, size_t len, struct bytes ikm, const struct bytes *salt, size_t count,
                 const char *info);

#endif
