#include "keys.h"

#include "bn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/rsa.h>

const char keys_safe_prime[] =
    "394D8C1BCD77CA112C990D177D1A7222A784BECF609A455CEE4A193919B9AA1A2625E9E3BF92869B"
    "952FF9A7BD67D259C88C093289B28054C6540AAA9B47A78AACCE48EDBFBC34F81174DF00BCC28371"
    "1A04C99D97B99314A2985DB5EDECCF350C0A6F85420AE00FD5F3186E4A252C2C6EC368075FB410C5"
    "5FE6598E02845B1609D90FC264A4EC5D1F886201DDF32313A5DE8DC4D7FC4964E8BAD5EC572FD4DD"
    "FB1A0742191ADE4D9ABF37F2BE4EE87E8A8C93B7B5B4FC09036ECBD5BD4A141AB6D6F189C5A6DAA0"
    "B487B3BAC70BE620FB58D9445CA73FD2FA9C943998AA71834BFE1FE5B93823A0402D5E8948D2B99C"
    "CFB3F89052802DF39490202E9F0E6835F";

EVP_PKEY *openssl_key(const char *type, int bits, const char *group)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;

    assert_ssl(EVP_PKEY_keygen_init(ctx));
    if (group == NULL)
        assert_ssl(EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits));
    else
        assert_ssl(EVP_PKEY_CTX_set_group_name(ctx, group));
    assert_ssl(EVP_PKEY_keygen(ctx, &key));
    EVP_PKEY_CTX_free(ctx);
    return key;
}

EVP_PKEY *openssl_rsa(void)
{
    static EVP_PKEY *key;

    if (key == NULL)
        key = openssl_key("RSA", 2048, NULL);
    return key;
}

struct bytes openssl_write(EVP_PKEY *key, int selection, const char *structure, const char *form)
{
    OSSL_ENCODER_CTX *ctx = OSSL_ENCODER_CTX_new_for_pkey(key, selection, form, structure, NULL);
    unsigned char *data = NULL;
    size_t len = 0;

    assert_ssl(OSSL_ENCODER_to_data(ctx, &data, &len));
    OSSL_ENCODER_CTX_free(ctx);
    return (struct bytes){data, len};
}

EVP_PKEY *openssl_read(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t len = strlen(text);
    EVP_PKEY *key = NULL;
    OSSL_DECODER_CTX *ctx = OSSL_DECODER_CTX_new_for_pkey(&key, "PEM", NULL, NULL, 0, NULL, NULL);

    OSSL_DECODER_from_data(ctx, &p, &len);
    OSSL_DECODER_CTX_free(ctx);
    return key;
}

void assert_openssl_good(const char *text, int is_private)
{
    EVP_PKEY *ssl = openssl_read(text);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, ssl, NULL);

    assert_non_null(ssl);
    assert_ssl(is_private ? EVP_PKEY_check(ctx) : EVP_PKEY_public_check(ctx));
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(ssl);
}

BIGNUM *openssl_number(EVP_PKEY *key, const char *name)
{
    BIGNUM *b = NULL;

    assert_ssl(EVP_PKEY_get_bn_param(key, name, &b));
    return b;
}

tahr_key *read_key(struct bytes file)
{
    struct tahr_keys keys;
    size_t line;
    tahr_key *key;
    tahr_err err = tahr_keys_read(&keys, file.p, file.len, &line);

    if (err != NULL)
        fail_msg("line %zu: %s", line, err->text);
    assert_int_equal(keys.count, 1);
    key = keys.key[0];
    free(keys.key); /* the list, without the key */
    return key;
}

tahr_key *read_text(const char *text)
{
    return read_key((struct bytes){text, strlen(text)});
}

char *write_key(const tahr_key *key, enum tahr_format format)
{
    size_t len;
    char *text;
    tahr_err err = tahr_key_write(&text, &len, key, format);

    if (err != NULL)
        fail_msg("%s", err->text);
    assert_int_equal(strlen(text), len);
    assert_int_equal(text[len - 1], '\n');
    return text;
}

size_t refuse_file(struct bytes file, const char *word)
{
    struct tahr_keys keys;
    size_t line;
    tahr_err err = tahr_keys_read(&keys, file.p, file.len, &line);

    if (err == NULL)
        fail_msg("not refused: %s", word);
    assert_int_equal(err->code, TAHR_BAD_KEY);
    if (strstr(err->text, word) == NULL && (err->hint == NULL || strstr(err->hint, word) == NULL))
        fail_msg("not for %s: %s", word, err->text);
    assert_null(keys.key);
    assert_int_equal(keys.count, 0);
    return line;
}

struct rsa_numbers rsa_numbers_of(const BIGNUM *p, const BIGNUM *q)
{
    struct rsa_numbers r = {BN_new(),  BN_new(), BN_new(), BN_dup(p),
                            BN_dup(q), BN_new(), BN_new(), BN_new()};
    BIGNUM *p1 = BN_dup(p), *q1 = BN_dup(q), *phi = BN_new();

    assert_ssl(BN_sub_word(p1, 1));
    assert_ssl(BN_sub_word(q1, 1));
    assert_ssl(BN_mul(phi, p1, q1, bn_ctx()));
    assert_ssl(BN_mul(r.n, p, q, bn_ctx()));
    assert_ssl(BN_set_word(r.e, 65537));
    assert_non_null(BN_mod_inverse(r.d, r.e, phi, bn_ctx()));
    assert_ssl(BN_mod(r.dp, r.d, p1, bn_ctx()));
    assert_ssl(BN_mod(r.dq, r.d, q1, bn_ctx()));
    assert_non_null(BN_mod_inverse(r.qinv, q, p, bn_ctx()));
    BN_free(p1);
    BN_free(q1);
    BN_free(phi);
    return r;
}

void rsa_numbers_free(struct rsa_numbers *r)
{
    BIGNUM *const all[] = {r->n, r->e, r->d, r->p, r->q, r->dp, r->dq, r->qinv};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        BN_free(all[i]);
}

void put_bn(struct der_out *out, const BIGNUM *b)
{
    uint8_t bytes[4096];

    assert_true(BN_num_bytes(b) <= (int)sizeof bytes);
    der_put_integer(out, (struct bytes){bytes, (size_t)BN_bn2bin(b, bytes)});
}

struct bytes rsa_numbers_der(uint8_t *buf, size_t max, const struct rsa_numbers *r,
                             uint32_t version)
{
    const BIGNUM *const all[] = {r->qinv, r->dq, r->dp, r->q, r->p, r->d, r->e, r->n};
    struct der_out out;
    struct bytes der;

    der_out_init(&out, buf, max);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        put_bn(&out, all[i]);
    der_put_uint(&out, version);
    der_wrap(&out, DER_SEQUENCE, out.end);
    assert_null(der_out_end(&der, &out));
    return der;
}
