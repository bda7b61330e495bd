/* The door to libsodium, and HKDF-SHA-256 (RFC 5869), which libsodium 1.0.18 does not have. */
#include "secret.h"

#include <sodium.h>
#include <string.h>

int secret_init(void)
{
    return sodium_init() < 0 ? -1 : 0;
}

/* The block ends where a page ends, so it is aligned for any type whose size divides len. */
void *secret_alloc(size_t len)
{
    void *p = sodium_malloc(len);

    if (p != NULL)
        memset(p, 0, len);
    return p;
}

void secret_free(void *p)
{
    sodium_free(p);
}

void secret_wipe(void *p, size_t len)
{
    sodium_memzero(p, len);
}

void secret_random(void *p, size_t len)
{
    randombytes_buf(p, len);
}

int secret_equal(const void *a, const void *b, size_t len)
{
    return sodium_memcmp(a, b, len) == 0;
}

static void sha256_digest(uint8_t *out, const void *in, size_t len)
{
    crypto_hash_sha256(out, in, len);
}

static void sha512_digest(uint8_t *out, const void *in, size_t len)
{
    crypto_hash_sha512(out, in, len);
}

const struct hash hash_sha256 = {"SHA-256", crypto_hash_sha256_BYTES, sha256_digest};
const struct hash hash_sha512 = {"SHA-512", crypto_hash_sha512_BYTES, sha512_digest};

void secret_sha256(uint8_t out[32], const struct bytes *parts, size_t count)
{
    crypto_hash_sha256_state state;

    crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < count; i++)
        crypto_hash_sha256_update(&state, parts[i].p, parts[i].len);
    crypto_hash_sha256_final(&state, out);
    secret_wipe(&state, sizeof state);
}

void secret_hmac(uint8_t out[32], struct bytes key, const struct bytes *parts, size_t count)
{
    crypto_auth_hmacsha256_state state;

    crypto_auth_hmacsha256_init(&state, key.p, key.len);
    for (size_t i = 0; i < count; i++)
        crypto_auth_hmacsha256_update(&state, parts[i].p, parts[i].len);
    crypto_auth_hmacsha256_final(&state, out);
    secret_wipe(&state, sizeof state);
}

/* The HMAC key that stands for the parts: themselves up to the hash's block, else their digest
 * (RFC 2104 section 2).  Returns its length. */
static size_t hmac_key(uint8_t key[64], const struct bytes *parts, size_t count)
{
    size_t total = 0, at = 0;

    for (size_t i = 0; i < count; i++)
        total += parts[i].len;
    if (total > 64) {
        secret_sha256(key, parts, count);
        return 32;
    }
    for (size_t i = 0; i < count; at += parts[i++].len)
        if (parts[i].len > 0)
            memcpy(key + at, parts[i].p, parts[i].len);
    return total;
}

/* prk = HMAC(salt, ikm);  t(0) = "",  t(i) = HMAC(prk, t(i - 1) || info || i);  out = t(1) || ...
 */
void secret_hkdf(uint8_t *out, size_t len, struct bytes ikm, const struct bytes *salt, size_t count,
                 const char *info)
{
    uint8_t key[64], prk[32], t[32], i = 0;
    size_t key_len = hmac_key(key, salt, count), take = 0;

    secret_hmac(prk, (struct bytes){key, key_len}, &ikm, 1);
    for (; len > 0; out += take, len -= take) {
        i++;
        secret_hmac(t, (struct bytes){prk, sizeof prk},
                    (struct bytes[]){{t, i > 1 ? sizeof t : 0}, {info, strlen(info)}, {&i, 1}}, 3);
        take = len < sizeof t ? len : sizeof t;
        memcpy(out, t, take);
    }
    secret_wipe(key, sizeof key);
    secret_wipe(prk, sizeof prk);
    secret_wipe(t, sizeof t);
}
