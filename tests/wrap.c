#include "wrap.h"

#include "bn.h"
#include "memory_io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

const struct stanza *wrap_stanza(const struct recipient_type *type, const tahr_key *key,
                                 const uint8_t file_key[FILE_KEY_LEN])
{
    static struct header h, parsed;
    static struct lookahead in;
    struct memory m;
    struct tahr_io io = memory_io(&m);
    struct io_source source;

    header_init(&h);
    header_init(&parsed);
    assert_null(type->wrap(&h, file_key, key));
    header_finish(&h, file_key);
    m = memory_of(h.text, h.len);
    io_source_init(&source, &io);
    lookahead_init(&in, &source.source);
    assert_null(header_read(&parsed, &in));
    assert_int_equal(parsed.count, 1);
    assert_string_equal(parsed.stanza[0].arg[0], type->name);
    return &parsed.stanza[0];
}

void openssl_hkdf(uint8_t out[32], struct bytes ikm, struct bytes salt, const char *info)
{
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
    char digest[] = "SHA256";
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)ikm.p, ikm.len),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt.p, salt.len),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, strlen(info)),
        OSSL_PARAM_construct_end(),
    };

    assert_ssl(EVP_KDF_derive(ctx, out, 32, params));
    EVP_KDF_CTX_free(ctx);
    EVP_KDF_free(kdf);
}

static const unsigned char nonce[12];

void openssl_seal(uint8_t *body, const void *data, size_t len, const uint8_t key[32])
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n;

    assert_ssl(EVP_EncryptInit_ex(ctx, EVP_chacha20_poly1305(), NULL, key, nonce));
    assert_ssl(EVP_EncryptUpdate(ctx, body, &n, data, (int)len));
    assert_ssl(EVP_EncryptFinal_ex(ctx, body + n, &n));
    assert_ssl(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, body + len));
    EVP_CIPHER_CTX_free(ctx);
}

int openssl_open(uint8_t *data, const uint8_t *body, size_t len, const uint8_t key[32])
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n, good;

    assert_ssl(EVP_DecryptInit_ex(ctx, EVP_chacha20_poly1305(), NULL, key, nonce));
    assert_ssl(EVP_DecryptUpdate(ctx, data, &n, body, (int)len - 16));
    assert_ssl(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, (void *)(body + len - 16)));
    good = EVP_DecryptFinal_ex(ctx, data + n, &n) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return good;
}
