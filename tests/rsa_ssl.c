/* RSA keys between our structs and OpenSSL's; see rsa_ssl.h. */
#include "rsa_ssl.h"

#include "bn.h"
#include "prime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>

struct rsa_fixture rsa_fixture_new(void)
{
    struct rsa_fixture k = {.e = 65537};
    for (int i = 0; i < RSA_NUMBERS; i++)
        k.number[i] = BN_new();
    return k;
}

void rsa_fixture_free(struct rsa_fixture *k)
{
    for (int i = 0; i < RSA_NUMBERS; i++)
        BN_free(k->number[i]);
}

void random_prime(BIGNUM *p, int bits, uint32_t e)
{
    limb_t a[NAT_MAX];
    assert_null(prime_random(a, bits, e, NULL));
    bn_set_nat(p, a, LIMBS_OF_BITS(bits));
}

void rsa_fixture_complete(struct rsa_fixture *k)
{
    BIGNUM *const *b = k->number, *p1 = BN_dup(b[RSA_P]), *q1 = BN_dup(b[RSA_Q]);
    BIGNUM *e = BN_new(), *lambda = BN_new(), *g = BN_new();
    assert_ssl(BN_sub_word(p1, 1) && BN_sub_word(q1, 1) && BN_set_word(e, k->e));
    assert_ssl(BN_mul(b[RSA_N], b[RSA_P], b[RSA_Q], bn_ctx()));
    assert_ssl(BN_gcd(g, p1, q1, bn_ctx()) && BN_mul(lambda, p1, q1, bn_ctx()));
    assert_ssl(BN_div(lambda, NULL, lambda, g, bn_ctx()));
    assert_non_null(BN_mod_inverse(b[RSA_D], e, lambda, bn_ctx()));
    assert_ssl(BN_nnmod(b[RSA_DP], b[RSA_D], p1, bn_ctx()));
    assert_ssl(BN_nnmod(b[RSA_DQ], b[RSA_D], q1, bn_ctx()));
    assert_non_null(BN_mod_inverse(b[RSA_QINV], b[RSA_Q], b[RSA_P], bn_ctx()));
    BN_free(p1), BN_free(q1), BN_free(e), BN_free(lambda), BN_free(g);
}

void rsa_fixture_random(struct rsa_fixture *k, int p_bits, int q_bits, uint32_t e)
{
    k->e = e;
    random_prime(k->number[RSA_P], p_bits, e);
    do
        random_prime(k->number[RSA_Q], q_bits, e);
    while (BN_cmp(k->number[RSA_P], k->number[RSA_Q]) == 0);
    rsa_fixture_complete(k);
}

static const char *const names[RSA_NUMBERS] = {[RSA_N] = OSSL_PKEY_PARAM_RSA_N,
                                               [RSA_D] = OSSL_PKEY_PARAM_RSA_D,
                                               [RSA_P] = OSSL_PKEY_PARAM_RSA_FACTOR1,
                                               [RSA_Q] = OSSL_PKEY_PARAM_RSA_FACTOR2,
                                               [RSA_DP] = OSSL_PKEY_PARAM_RSA_EXPONENT1,
                                               [RSA_DQ] = OSSL_PKEY_PARAM_RSA_EXPONENT2,
                                               [RSA_QINV] = OSSL_PKEY_PARAM_RSA_COEFFICIENT1};

void rsa_fixture_of_evp(struct rsa_fixture *k, EVP_PKEY *pkey)
{
    BIGNUM *e = NULL;
    for (int i = 0; i < RSA_NUMBERS; i++)
        assert_ssl(EVP_PKEY_get_bn_param(pkey, names[i], &k->number[i]));
    assert_ssl(EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &e));
    k->e = (uint32_t)BN_get_word(e);
    BN_free(e);
}

tahr_err rsa_of_fixture(struct rsa_private *key, const struct rsa_fixture *k, int min_bits)
{
    uint8_t bytes[RSA_NUMBERS][RSA_MAX_LEN + 8];
    struct bytes field[RSA_NUMBERS];
    for (int i = 0; i < RSA_NUMBERS; i++) {
        assert_true(BN_num_bytes(k->number[i]) <= (int)sizeof bytes[i]);
        field[i] = (struct bytes){bytes[i], (size_t)BN_bn2bin(k->number[i], bytes[i])};
    }
    struct rsa_fields fields = {
        .n = field[RSA_N],
        .d = field[RSA_D],
        .p = field[RSA_P],
        .q = field[RSA_Q],
        .dp = field[RSA_DP],
        .dq = field[RSA_DQ],
        .qinv = field[RSA_QINV],
        .e = k->e,
    };
    return rsa_private_init(key, &fields, min_bits);
}

struct rsa_private *rsa_of_evp(EVP_PKEY *pkey)
{
    struct rsa_private *key = secret_alloc(sizeof *key);
    struct rsa_fixture k = rsa_fixture_new();
    assert_non_null(key);
    rsa_fixture_of_evp(&k, pkey);
    assert_null(rsa_of_fixture(key, &k, 512));
    rsa_fixture_free(&k);
    return key;
}

EVP_PKEY *evp_of_rsa(const struct rsa_private *key)
{
    const limb_t *const value[RSA_NUMBERS] = {
        [RSA_N] = key->pub.n.m, [RSA_D] = key->d,   [RSA_P] = key->p.m,     [RSA_Q] = key->q.m,
        [RSA_DP] = key->dp,     [RSA_DQ] = key->dq, [RSA_QINV] = key->qinv,
    };
    int n = key->pub.n.n, pn = key->p.n, qn = key->q.n;
    const int width[RSA_NUMBERS] = {n, n, pn, qn, pn, qn, pn};
    struct rsa_fixture k = rsa_fixture_new();
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    for (int i = 0; i < RSA_NUMBERS; i++) {
        bn_set_nat(k.number[i], value[i], width[i]);
        assert_ssl(OSSL_PARAM_BLD_push_BN(build, names[i], k.number[i]));
    }
    assert_ssl(OSSL_PARAM_BLD_push_uint32(build, OSSL_PKEY_PARAM_RSA_E, key->pub.e));
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    EVP_PKEY *pkey = NULL;
    assert_ssl(EVP_PKEY_fromdata_init(ctx));
    assert_ssl(EVP_PKEY_fromdata(ctx, &pkey, EVP_PKEY_KEYPAIR, params));
    EVP_PKEY_CTX *check = EVP_PKEY_CTX_new(pkey, NULL);
    assert_ssl(EVP_PKEY_check(check));
    EVP_PKEY_CTX_free(check);
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    rsa_fixture_free(&k);
    return pkey;
}

static void sha1_digest(uint8_t *out, const void *in, size_t len)
{
    assert_ssl(EVP_Digest(in, len, out, NULL, EVP_sha1(), NULL));
}

static void sha224_digest(uint8_t *out, const void *in, size_t len)
{
    assert_ssl(EVP_Digest(in, len, out, NULL, EVP_sha224(), NULL));
}

static void sha384_digest(uint8_t *out, const void *in, size_t len)
{
    assert_ssl(EVP_Digest(in, len, out, NULL, EVP_sha384(), NULL));
}

static const struct hash hash_sha1 = {"SHA-1", 20, sha1_digest};
static const struct hash hash_sha224 = {"SHA-224", 28, sha224_digest};
static const struct hash hash_sha384 = {"SHA-384", 48, sha384_digest};

const struct hash *const ssl_hashes[SSL_HASHES] = {&hash_sha1, &hash_sha224, &hash_sha256,
                                                   &hash_sha384, &hash_sha512};

const struct hash *ssl_hash(const char *name)
{
    size_t len = strcspn(name, " \r\n");
    assert_int_equal(strncasecmp(name, "sha", 3), 0);
    for (int i = 0; i < SSL_HASHES; i++) {
        const char *digits = ssl_hashes[i]->name + 4; /* behind "SHA-" */
        if (strlen(digits) == len - 3 && strncmp(digits, name + 3, len - 3) == 0)
            return ssl_hashes[i];
    }
    fail_msg("no hash %s", name);
    return NULL;
}

const EVP_MD *ssl_digest(const struct hash *hash)
{
    return EVP_get_digestbyname(hash->name);
}
