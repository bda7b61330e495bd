/* ssh-rsa stanzas: OpenSSL opens ours, we open OpenSSL's, and what else comes is told apart. */
#include "keys.h"
#include "memory_io.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/rsa.h>

#define LABEL "age-encryption.org/v1/ssh-rsa"
#define K     256 /* bytes of the modulus */

static const uint8_t file_key[64] = "YELLOW SUBMARINE, and more of the same";
static tahr_key *rsa;
static char tag[7];

static size_t put_string(uint8_t *out, const void *p, size_t len)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(len >> (24 - 8 * i));
    memcpy(out + 4, p, len);
    return 4 + len;
}

/* RFC 4253 6.6: string "ssh-rsa", mpint e, mpint n; its SHA-256 begins with the tag. */
static void make_tag(EVP_PKEY *pkey)
{
    uint8_t wire[1000], number[600] = {0}, sum[32];
    size_t len = put_string(wire, "ssh-rsa", 7);
    const char *const names[] = {"e", "n"};
    char text[12];

    for (int i = 0; i < 2; i++) {
        BIGNUM *v = openssl_number(pkey, names[i]);
        int n = BN_bn2bin(v, number + 1); /* after a 0, which an mpint has before a top bit */

        len += number[1] >= 0x80 ? put_string(wire + len, number, (size_t)n + 1)
                                 : put_string(wire + len, number + 1, (size_t)n);
        BN_free(v);
    }
    EVP_Digest(wire, len, sum, NULL, EVP_sha256(), NULL);
    EVP_EncodeBlock((unsigned char *)text, sum, 4);
    memcpy(tag, text, 6);
}

static int set_up(void **state)
{
    struct bytes file = openssl_write(openssl_rsa(), EVP_PKEY_KEYPAIR, "PrivateKeyInfo", "PEM");

    (void)state;
    rsa = read_key(file);
    free((void *)file.p);
    make_tag(openssl_rsa());
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tahr_key_free(rsa);
    return 0;
}

static EVP_PKEY_CTX *oaep_context(int encrypt, const EVP_MD *md, const char *label)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(openssl_rsa(), NULL);

    assert_int_equal(encrypt ? EVP_PKEY_encrypt_init(ctx) : EVP_PKEY_decrypt_init(ctx), 1);
    assert_int_equal(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING), 1);
    assert_int_equal(EVP_PKEY_CTX_set_rsa_oaep_md(ctx, EVP_sha256()), 1);
    assert_int_equal(EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, md), 1);
    assert_int_equal(
        EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, OPENSSL_strdup(label), (int)strlen(label)), 1);
    return ctx;
}

/* body = OAEP of the first len bytes of file_key. */
static void openssl_wrap(uint8_t body[K], size_t len, const EVP_MD *mgf1, const char *label)
{
    EVP_PKEY_CTX *ctx = oaep_context(1, mgf1, label);
    size_t k = K;

    assert_int_equal(EVP_PKEY_encrypt(ctx, body, &k, file_key, len), 1);
    assert_int_equal(k, K);
    EVP_PKEY_CTX_free(ctx);
}

/* The stanza that we write, read again; OpenSSL finds the file key in it, and we do. */
static void test_wrap(void **state)
{
    static struct header h, parsed;
    static struct lookahead in;
    struct memory m;
    struct tahr_io io = memory_io(&m);
    struct io_source source;
    const struct stanza *stanza = &parsed.stanza[0];
    EVP_PKEY_CTX *ctx = oaep_context(0, EVP_sha256(), LABEL);
    uint8_t found[K], ours[FILE_KEY_LEN];
    size_t len = sizeof found;

    (void)state;
    header_init(&h);
    assert_null(recipient_rsa.wrap(&h, file_key, rsa));
    header_finish(&h, file_key);
    m = memory_of(h.text, h.len);
    io_source_init(&source, &io);
    lookahead_init(&in, &source.source);
    assert_null(header_read(&parsed, &in));
    assert_int_equal(parsed.count, 1);
    assert_int_equal(stanza->args, 2);
    assert_string_equal(stanza->arg[0], "ssh-rsa");
    assert_string_equal(stanza->arg[1], tag);
    assert_int_equal(stanza->len, K);
    assert_int_equal(EVP_PKEY_decrypt(ctx, found, &len, stanza->body, stanza->len), 1);
    assert_int_equal(len, FILE_KEY_LEN);
    assert_memory_equal(found, file_key, FILE_KEY_LEN);
    assert_null(recipient_rsa.unwrap(ours, stanza, rsa));
    assert_memory_equal(ours, file_key, FILE_KEY_LEN);
    EVP_PKEY_CTX_free(ctx);
}

static tahr_err unwrap(const char *const *arg, size_t args, const uint8_t *body, size_t len)
{
    uint8_t out[FILE_KEY_LEN] = {0}, untouched[FILE_KEY_LEN] = {0};
    tahr_err err = recipient_rsa.unwrap(out, &(struct stanza){arg, args, body, len}, rsa);

    assert_memory_equal(out, err == NULL ? file_key : untouched, sizeof out);
    return err;
}

static void test_unwrap(void **state)
{
    const char *const arg[] = {"ssh-rsa", tag};
    uint8_t body[K];

    (void)state;
    openssl_wrap(body, FILE_KEY_LEN, EVP_sha256(), LABEL);
    assert_null(unwrap(arg, 2, body, K));
}

/* Wrong arguments are an error whoever the stanza is for; another tag makes it somebody else's. */
static void test_shape(void **state)
{
    static const struct {
        const char *const arg[3];
        size_t args;
        const struct tahr_error *err;
    } cases[] = {
        {{"ssh-rsa"}, 1, &recipient_malformed},
        {{"ssh-rsa", "AAAAAA", "x"}, 3, &recipient_malformed},
        {{"ssh-rsa", ""}, 2, &recipient_malformed},
        {{"ssh-rsa", "AAAA"}, 2, &recipient_malformed},
        {{"ssh-rsa", "AAAAA"}, 2, &recipient_malformed},
        {{"ssh-rsa", "AAAAAB"}, 2, &recipient_malformed}, /* unused bits are not zero */
        {{"ssh-rsa", "AAAAAA=="}, 2, &recipient_malformed},
        {{"ssh-rsa", "AAAAAAA"}, 2, &recipient_malformed},
        {{"ssh-rsa", "AAAAAAAA"}, 2, &recipient_malformed},
        {{"ssh-rsa", "AAAAAA"}, 2, &recipient_no_match},
    };
    uint8_t body[K];

    (void)state;
    openssl_wrap(body, FILE_KEY_LEN, EVP_sha256(), LABEL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_ptr_equal(unwrap(cases[i].arg, cases[i].args, body, K), cases[i].err);
}

/* Under our tag, but 0, 1, n - 1, n, all ones, a flipped bit, k - 1 and k + 1 bytes, none, another
 * label or MGF1, or a file key of another length: one error. */
static void test_corrupt(void **state)
{
    const char *const arg[] = {"ssh-rsa", tag};
    uint8_t good[K + 1] = {0}, bad[K];
    BIGNUM *n = openssl_number(openssl_rsa(), "n");

    (void)state;
    openssl_wrap(good, FILE_KEY_LEN, EVP_sha256(), LABEL);
    for (size_t len = 0; len <= K + 1; len += len == 0 ? K - 1 : 1)
        assert_ptr_equal(unwrap(arg, 2, good, len), len == K ? NULL : &recipient_corrupt);
    for (int i = 0; i < 9; i++) {
        static const size_t lengths[] = {0, 15, 17, 32};

        memset(bad, i == 2 ? 0xff : 0, K);
        bad[K - 1] |= i > 0;
        if (i == 3 || i == 4) {
            BN_bn2binpad(n, bad, K);
            bad[K - 1] = (uint8_t)(bad[K - 1] - (i == 3)); /* n is odd */
        }
        if (i > 4)
            openssl_wrap(bad, lengths[i - 5], EVP_sha256(), LABEL);
        assert_ptr_equal(unwrap(arg, 2, bad, K), &recipient_corrupt);
    }
    openssl_wrap(bad, FILE_KEY_LEN, EVP_sha256(), "age-encryption.org/v1/ssh-rsA");
    assert_ptr_equal(unwrap(arg, 2, bad, K), &recipient_corrupt);
    openssl_wrap(bad, FILE_KEY_LEN, EVP_sha1(), LABEL);
    assert_ptr_equal(unwrap(arg, 2, bad, K), &recipient_corrupt);
    for (size_t at = 0; at < K; at += 50) {
        memcpy(bad, good, K);
        bad[at] ^= 4;
        assert_ptr_equal(unwrap(arg, 2, bad, K), &recipient_corrupt);
    }
    BN_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_unwrap),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_corrupt),
    };

    if (tahr_init() != NULL)
        return 1;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
