/* X25519 keys and stanzas: RFC 7748's numbers, OpenSSL opens ours and we open OpenSSL's, points of
 * small order, and what else comes is told apart. */
#include "bech32.h"
#include "bn.h"
#include "keys.h"
#include "stanzas.h"
#include "wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTES(text) ((struct bytes){text, strlen(text)})
#define INFO        "age-encryption.org/v1/X25519"

static const uint8_t file_key[64] = "YELLOW SUBMARINE, and more of the same";
static tahr_key *own;

static int set_up(void **state)
{
    (void)state;
    return tahr_key_new_x25519(&own) != NULL;
}

static int tear_down(void **state)
{
    (void)state;
    tahr_key_free(own);
    return 0;
}

/* z = X25519(k, u), by OpenSSL. */
static void openssl_x25519(uint8_t z[32], const uint8_t k[32], const uint8_t u[32])
{
    EVP_PKEY *private = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, k, 32);
    EVP_PKEY *peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, u, 32);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(private, NULL);
    size_t len = 32;

    assert_ssl(EVP_PKEY_derive_init(ctx));
    assert_ssl(EVP_PKEY_derive_set_peer(ctx, peer));
    assert_ssl(EVP_PKEY_derive(ctx, z, &len));
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(private);
}

static void openssl_wrap_key(uint8_t wrap[32], const uint8_t z[32], const uint8_t share[32])
{
    uint8_t salt[64];

    memcpy(salt, share, 32);
    memcpy(salt + 32, own->u.x25519.pub.u, 32);
    openssl_hkdf(wrap, (struct bytes){z, 32}, (struct bytes){salt, 64}, INFO);
}

/* What OpenSSL writes for our key: the share, as text too, and the first len bytes of file_key
 * sealed. */
static void openssl_wrap(uint8_t *body, char text[44], size_t len)
{
    static const uint8_t k[32] = {7};
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, k, 32);
    uint8_t z[32], share[32], wrap[32];
    size_t n = 32;

    assert_ssl(EVP_PKEY_get_raw_public_key(key, share, &n));
    EVP_PKEY_free(key);
    openssl_x25519(z, k, own->u.x25519.pub.u);
    openssl_wrap_key(wrap, z, share);
    openssl_seal(body, file_key, len, wrap);
    base64_encode(text, share, 32, 0);
}

/* The Bech32 string of len bytes, and a newline. */
static const char *string_of(const char *hrp, const void *data, size_t len)
{
    static char text[256];

    bech32_encode(text, hrp, (struct bytes){data, len});
    return strcat(text, "\n");
}

/* RFC 7748 6.1: Alice's and Bob's keys.  Their strings are read, and written again. */
static void test_published(void **state)
{
    static const char *const keys[][2] = {
        {"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
         "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"},
        {"5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
         "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"},
    };

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint8_t k[32], u[32];
        tahr_key *key, *public;
        char *text;

        assert_int_equal(value_bytes(k, sizeof k, keys[i][0]), 32);
        assert_int_equal(value_bytes(u, sizeof u, keys[i][1]), 32);
        key = read_text(string_of("AGE-SECRET-KEY-", k, 32));
        assert_int_equal(tahr_key_type(key), TAHR_X25519);
        assert_true(tahr_key_is_private(key));
        assert_int_equal(tahr_key_bits(key), 255);
        assert_null(tahr_key_group(key));
        assert_memory_equal(key_x25519_public(key)->u, u, 32);
        text = write_key(key, TAHR_AGE);
        assert_string_equal(text, string_of("AGE-SECRET-KEY-", k, 32));
        tahr_text_free(text);
        assert_null(tahr_key_public(&public, key));
        text = write_key(public, TAHR_AGE);
        assert_string_equal(text, string_of("age", u, 32));
        tahr_text_free(text);
        tahr_key_free(public);
        public = read_text(string_of("age", u, 32));
        assert_false(tahr_key_is_private(public));
        assert_memory_equal(key_x25519_public(public)->u, u, 32);
        assert_null(tahr_key_check(public, NULL, NULL));
        assert_null(tahr_key_check(key, NULL, NULL));
        tahr_key_free(public);
        tahr_key_free(key);
    }
}

/* A point of small order is no recipient: 0, 1, p - 1, p, p + 1, with the top bit too, and the two
 * of order 8.  Nor is what has another length. */
static void test_bad_strings(void **state)
{
    static const char *const small[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    };
    uint8_t u[34] = {3};
    char *text;
    size_t len;

    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        assert_int_equal(value_bytes(u, sizeof u, small[i]), 32);
        refuse_file(BYTES(string_of("age", u, 32)), "small order");
    }
    for (len = 0; len < 34; len++) {
        if (len == 32)
            continue;
        refuse_file(BYTES(string_of("age", u, len)), len < 32 ? "as long as" : "too long");
        refuse_file(BYTES(string_of("AGE-SECRET-KEY-", u, len)),
                    len < 32 ? "as long as" : "too long");
    }
    assert_int_equal(tahr_key_write(&text, &len, own, TAHR_PEM)->code, TAHR_BAD_CALL);
    assert_int_equal(tahr_key_write(&text, &len, own, TAHR_PKCS1)->code, TAHR_BAD_CALL);
    assert_int_equal(tahr_key_write(&text, &len, own, TAHR_SSH)->code, TAHR_BAD_CALL);
}

/* The stanza that we write: OpenSSL finds the file key in it, and we do.  No two are alike. */
static void test_wrap(void **state)
{
    uint8_t share[2][32], z[32], wrap[32], found[FILE_KEY_LEN];
    size_t len;

    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct stanza *stanza = wrap_stanza(&recipient_x25519, own, file_key);

        assert_int_equal(stanza->args, 2);
        assert_int_equal(stanza->len, 32);
        assert_int_equal(
            base64_decode(share[i], 32, &len, stanza->arg[1], strlen(stanza->arg[1]), 0), 0);
        openssl_x25519(z, own->u.x25519.k, share[i]);
        openssl_wrap_key(wrap, z, share[i]);
        assert_true(openssl_open(found, stanza->body, stanza->len, wrap));
        assert_memory_equal(found, file_key, FILE_KEY_LEN);
        memset(found, 0, sizeof found);
        assert_null(recipient_x25519.unwrap(found, stanza, own));
        assert_memory_equal(found, file_key, FILE_KEY_LEN);
    }
    assert_memory_not_equal(share[0], share[1], 32);
}

static tahr_err unwrap(const char *share, const uint8_t *body, size_t len)
{
    const char *const arg[] = {"X25519", share};
    uint8_t out[FILE_KEY_LEN];
    tahr_err err = recipient_x25519.unwrap(out, &(struct stanza){arg, 2, body, len}, own);

    if (err == NULL)
        assert_memory_equal(out, file_key, sizeof out);
    return err;
}

/* A changed body is somebody else's; one of another length is malformed, whatever it holds. */
static void test_unwrap(void **state)
{
    uint8_t body[64 + 16];
    char share[44];

    (void)state;
    for (size_t len = 0; len <= 64; len += 16) {
        openssl_wrap(body, share, len);
        assert_ptr_equal(unwrap(share, body, len + 16), len == 16 ? NULL : &recipient_malformed);
    }
    openssl_wrap(body, share, FILE_KEY_LEN);
    assert_ptr_equal(unwrap(share, body, 31), &recipient_malformed);
    assert_ptr_equal(unwrap(share, body, 33), &recipient_malformed);
    for (size_t bit = 0; bit < 8 * SEALED_LEN; bit += 5) {
        body[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_ptr_equal(unwrap(share, body, SEALED_LEN), &recipient_no_match);
        body[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    share[5] ^= 1;
    assert_ptr_equal(unwrap(share, body, SEALED_LEN), &recipient_no_match);
}

static void test_shape(void **state)
{
    static const char *const shares[] = {
        "",
        "A",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",  /* u = 0 */
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",  /* u = 1 */
        "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",  /* unused bits are not zero */
        "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", /* padded */
        "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",    /* 31 bytes */
        "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", /* 33 bytes */
        "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-",
    };
    static const char *const arg[] = {"X25519", "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "x"};
    uint8_t body[SEALED_LEN] = {0}, out[FILE_KEY_LEN];

    (void)state;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        assert_ptr_equal(unwrap(shares[i], body, sizeof body), &recipient_malformed);
    for (size_t args = 1; args <= 3; args++)
        assert_ptr_equal(
            recipient_x25519.unwrap(out, &(struct stanza){arg, args, body, sizeof body}, own),
            args == 2 ? &recipient_no_match : &recipient_malformed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published), cmocka_unit_test(test_bad_strings),
        cmocka_unit_test(test_wrap),      cmocka_unit_test(test_unwrap),
        cmocka_unit_test(test_shape),
    };

    if (tahr_init() != NULL)
        return 1;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
