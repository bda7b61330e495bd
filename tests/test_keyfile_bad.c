/* What is no key, or a bad one: every file that is refused says why, and at which line. */
#include "bech32.h"
#include "bn.h"
#include "keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/pem.h>

#define PRIVATE EVP_PKEY_KEYPAIR
#define PUBLIC  EVP_PKEY_PUBLIC_KEY

static size_t refuse(const char *text, const char *word)
{
    return refuse_file((struct bytes){text, strlen(text)}, word);
}

static void test_diagnoses(void **state)
{
    static const struct {
        size_t line;
        const char *text, *word;
    } row[] = {
        {0, "", "no key"},
        {0, "\n\r\n # only a comment\n", "no key"},
        {0, "\xef\xbb\xbf", "no key"},
        {1, "hello", "neither"},
        {3, "# a\n\nhello\n", "neither"},
        {1, "\xef\xbb\xbfhello", "neither"},
        {1, "ssh-rsa", "neither"},
        {1, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI me@host", "Ed25519"},
        {1, "ecdsa-sha2-nistp256 AAAA", "ECDSA"},
        {1, "sk-ssh-ed25519@openssh.com AAAA", "security-key"},
        {1, "ssh-dss AAAA", "DSA"},
        {2, "\nage1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwk", "checksum"},
        {1, "age1yubikey1qwerty", "age recipient"},
        {1, "age1", "cut short"},
        {1, "age1pq1qqqqqqqqqq", "post-quantum"},
        {1, "AGE-SECRET-KEY-PQ-1QQQQ", "post-quantum"},
        {1, "AGE-SECRET-KEY-2QQQQ", "age identity"},
        {1, "AGE-SECRET-KEY-1QQQQ", "cut short"},
        {1, "AGE1QQQQ", "lower case"},
        {1, "age-secret-key-1qqqq", "upper case"},
        {1, "AGE-PLUGIN-YUBIKEY-1QQQQ", "age identity"},
        {1, "AGE1TAHR1QQQQ", "lower case"},
        {1, "age-plugin-tahr-1qqqq", "upper case"},
        {1, "age1tahr1QQQQQQQQ", "mixes"},
        {1, "age1tahr1qqqqqqqqqq", "checksum"},
        {1, "age1tahr1qqq", "cut short"},
        {1, "age-encryption.org/v1\n-> X25519 abc\n", "decrypt it"},
        {1, "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n", "decrypt it"},
        {1, "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END", "END line"},
        {1, "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----",
         "OpenSSH"},
        {1, "-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "openssl pkey -in FILE -out NEW"},
        {1, "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n",
         "openssl pkey -in FILE -out NEW"},
        {1, "-----BEGIN RSA PRIVATE KEY-----\nComment: x\n\nAAAA\n-----END RSA PRIVATE KEY-----\n",
         "header"},
        {1, "-----BEGIN PGP PUBLIC KEY BLOCK-----\n", "GnuPG"},
        {1, "-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "GnuPG"},
        {1, "-----BEGIN CERTIFICATE-----\n", "openssl x509"},
        {1, "-----BEGIN CERTIFICATE REQUEST-----\n", "openssl req"},
        {1, "-----BEGIN EC PRIVATE KEY-----\n", "elliptic"},
        {1, "-----BEGIN EC PARAMETERS-----\n", "elliptic"},
        {1, "-----BEGIN DSA PRIVATE KEY-----\n", "DSA"},
        {1, "-----BEGIN DH PARAMETERS-----\n", "parameters"},
        {1, "-----BEGIN X9.42 DH PARAMETERS-----\n", "parameters"},
        {1, "-----BEGIN X-----\n", "kind"},
        {1, "-----BEGIN -----\n", "kind"},
        {1, "-----BEGIN PRIVATE KEY 2-----\n", "kind"},
        {1, "-----BEGIN PUBLIC KEYS-----\n", "kind"},
        {1, "-----BEGIN PRIVATE KEY----\n", "malformed"},
        {1, "-----BEGIN-----", "malformed"},
        {1, "-----BEGIN ", "malformed"},
        {1, "-----END PRIVATE KEY-----\n", "neither"},
        {1, "---- BEGIN SSH2 PUBLIC KEY ----\n", "ssh-keygen -i"},
        {1, "PuTTY-User-Key-File-3: ssh-rsa\n", "puttygen"},
        {1, "-----BEGIN PRIVATE KEY-----\n", "no END"},
        {1, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "no END"},
        {1, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----BEGIN PRIVATE KEY-----\n", "no END"},
        {1, "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n", "cut short"},
        {1, "-----BEGIN PRIVATE KEY-----\nAAA\n-----END PRIVATE KEY-----\n", "base64"},
        {1, "-----BEGIN PRIVATE KEY-----\nAAA=AAAA\n-----END PRIVATE KEY-----\n", "base64"},
        {1, "-----BEGIN PRIVATE KEY-----\nMA\n==\n-----END PRIVATE KEY-----\n", "cut short"},
        {1, "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n", "cut short"},
        {1, "ssh-rsa A", "ssh-rsa line"},
        {1, "ssh-rsa AAAA", "ssh-rsa line"},
        {1, "ssh-rsa AAAAB3NzaC1yc2E=", "ssh-rsa line"},
        {1, "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ==", "ssh-rsa line"},
        {1, "ssh-rsa AAAAC3NzaC1lZDI1NTE5", "ssh-rsa line"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(refuse(row[i].text, row[i].word), row[i].line);
}

static void test_binary_files(void **state)
{
    static const struct {
        struct bytes file;
        const char *word;
    } row[] = {
        {{"\x99\x01\x0d\x04", 4}, "GnuPG"},
        {{"\x95\x03\xbe\x04", 4}, "GnuPG"},
        {{"\xc6\x8d\x04", 3}, "GnuPG"},
        {{"\xff\xfe#\0\n\0", 6}, "UTF-16"},
        {{"\xfe\xff\0#\0\n", 6}, "UTF-16"},
        {{"# a\0b\n", 6}, "NUL"},
        {{"\0", 1}, "NUL"},
        {{"0", 1}, "cut short"},
        {{"0\0", 2}, "not that of a key"}, /* an empty SEQUENCE */
        {{"\x30\x80\x02\x01\x00\x00\x00", 7}, "indefinite"},
        {{"\x30\x03\x05\x01\x00", 5}, "not that of a key"},
        {{"\x30\x02\x30\x00", 4}, "not that of a key"},
        {{"\x30\x04\x30\x00\x30\x00", 6}, "certificate"},
        {{"\x30\x04\x30\x00\x04\x00", 6}, "passphrase"},
        {{"\x30\x05\x02\x01\x01\x04\x00", 7}, "elliptic"},
        {{"\x30\x03\x02\x01\x00", 5}, "not that of a key"},
        {{"\x30\x05\x02\x01\x00\x30\x00", 7}, "cut short"},
        {{"\x30\x04\x30\x00\x03\x00", 6}, "cut short"},
        {{"\x30\x06\x02\x01\x00\x02\x01\x00", 8}, "RSA"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        refuse_file(row[i].file, row[i].word);
    refuse_file((struct bytes){NULL, 0}, "no key");
}

/* --- Keys of OpenSSL's that are refused --- */

static void refuse_openssl(EVP_PKEY *key, int selection, const char *structure, const char *word)
{
    static const char *const forms[] = {"PEM", "DER"};

    assert_non_null(key);
    for (int i = 0; i < 2; i++) {
        struct bytes file = openssl_write(key, selection, structure, forms[i]);
        assert_int_equal(refuse_file(file, word), i == 0 ? 1 : 0);
        free((void *)file.p);
    }
}

static void test_other_algorithms(void **state)
{
    struct {
        EVP_PKEY *key;
        const char *word;
    } row[] = {
        {openssl_key("DHX", 0, "dh_2048_256"), "(p - 1)/2"},
        {EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"), "elliptic"},
        {EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"), "elliptic"},
        {EVP_PKEY_Q_keygen(NULL, NULL, "X25519"), "elliptic"},
        {EVP_PKEY_Q_keygen(NULL, NULL, "X448"), "elliptic"},
        {openssl_key("RSA-PSS", 2048, NULL), "PSS"},
        {EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)1024), "too short"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        refuse_openssl(row[i].key, PRIVATE, "PrivateKeyInfo", row[i].word);
        refuse_openssl(row[i].key, PUBLIC, "SubjectPublicKeyInfo", row[i].word);
        EVP_PKEY_free(row[i].key);
    }
}

static void test_encrypted(void **state)
{
    BIO *bio = BIO_new(BIO_s_mem());
    unsigned char pass[] = "pass";
    char *text;
    long len;

    (void)state;
    assert_ssl(PEM_write_bio_PKCS8PrivateKey(bio, openssl_rsa(), EVP_aes_128_cbc(), "pass", 4, NULL,
                                             NULL));
    len = BIO_get_mem_data(bio, &text);
    refuse_file((struct bytes){text, (size_t)len}, "openssl pkey -in");
    (void)BIO_reset(bio);
    assert_ssl(PEM_write_bio_PrivateKey_traditional(bio, openssl_rsa(), EVP_aes_128_cbc(), pass, 4,
                                                    NULL, NULL));
    len = BIO_get_mem_data(bio, &text);
    refuse_file((struct bytes){text, (size_t)len}, "openssl pkey -in");
    (void)BIO_reset(bio);
    assert_ssl(
        i2d_PKCS8PrivateKey_bio(bio, openssl_rsa(), EVP_aes_128_cbc(), "pass", 4, NULL, NULL));
    len = BIO_get_mem_data(bio, &text);
    refuse_file((struct bytes){text, (size_t)len}, "openssl pkey -in");
    BIO_free(bio);
}

/* --- Inconsistent and impossible RSA keys --- */

static uint8_t buf[16384];

static struct rsa_numbers good_numbers(void)
{
    BIGNUM *p = openssl_number(openssl_rsa(), "rsa-factor1");
    BIGNUM *q = openssl_number(openssl_rsa(), "rsa-factor2");
    struct rsa_numbers r = rsa_numbers_of(p, q);

    BN_free(p);
    BN_free(q);
    return r;
}

static void refuse_numbers(const struct rsa_numbers *r, uint32_t version, const char *word)
{
    refuse_file(rsa_numbers_der(buf, sizeof buf, r, version), word);
}

/* Each number a little wrong, and each zero. */
static void test_rsa_inconsistent(void **state)
{
    struct rsa_numbers r = good_numbers();
    BIGNUM *const all[] = {r.n, r.e, r.d, r.p, r.q, r.dp, r.dq, r.qinv};

    (void)state;
    tahr_key_free(read_key(rsa_numbers_der(buf, sizeof buf, &r, 0)));
    refuse_numbers(&r, 1, "two primes");
    refuse_numbers(&r, 2, "two primes");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        BIGNUM *was = BN_dup(all[i]);
        for (BN_ULONG delta = 1; delta <= 2; delta++) {
            assert_ssl(BN_add_word(all[i], delta));
            refuse_numbers(&r, 0, "RSA");
            BN_copy(all[i], was);
        }
        BN_zero(all[i]);
        refuse_numbers(&r, 0, "RSA");
        assert_ssl(BN_one(all[i]));
        refuse_numbers(&r, 0, "RSA");
        assert_ssl(BN_lshift(all[i], was, 2100)); /* larger than n */
        refuse_numbers(&r, 0, "RSA");
        BN_copy(all[i], was);
        BN_free(was);
    }
    assert_ssl(BN_lshift(r.n, r.n, 16384));
    refuse_numbers(&r, 0, "16384");
    rsa_numbers_free(&r);
}

/* p < q, and d modulo lcm(p - 1, q - 1), are other keys' habits and not wrong. */
static void test_rsa_accepted(void **state)
{
    struct rsa_numbers r = good_numbers(), s;
    BIGNUM *gcd = BN_new(), *p1 = BN_dup(r.p), *q1 = BN_dup(r.q), *lambda = BN_new();

    (void)state;
    assert_ssl(BN_sub_word(p1, 1));
    assert_ssl(BN_sub_word(q1, 1));
    assert_ssl(BN_gcd(gcd, p1, q1, bn_ctx()));
    assert_ssl(BN_mul(lambda, p1, q1, bn_ctx()));
    assert_ssl(BN_div(lambda, NULL, lambda, gcd, bn_ctx()));
    assert_ssl(BN_mod(r.d, r.d, lambda, bn_ctx()));
    tahr_key_free(read_key(rsa_numbers_der(buf, sizeof buf, &r, 0)));
    s = rsa_numbers_of(r.q, r.p);
    tahr_key_free(read_key(rsa_numbers_der(buf, sizeof buf, &s, 0)));
    rsa_numbers_free(&s);
    rsa_numbers_free(&r);
    BN_free(gcd);
    BN_free(p1);
    BN_free(q1);
    BN_free(lambda);
}

/* PKCS #8 around the body in buf, with these parameters and with what follows the body. */
static struct bytes wrap_rsa(struct bytes body, struct bytes params, struct bytes after)
{
    static uint8_t file[4096];
    struct der_out out;
    struct bytes der;
    const uint8_t *end;

    der_out_init(&out, file, sizeof file);
    der_put_bytes(&out, after.p, after.len);
    end = out.p;
    der_put_bytes(&out, body.p, body.len);
    der_wrap(&out, DER_OCTET_STRING, end);
    end = out.p;
    der_put_bytes(&out, params.p, params.len);
    der_put_bytes(&out, "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01", 11);
    der_wrap(&out, DER_SEQUENCE, end);
    der_put_uint(&out, 0);
    der_wrap(&out, DER_SEQUENCE, out.end);
    assert_null(der_out_end(&der, &out));
    return der;
}

static void test_pkcs8(void **state)
{
    static const struct {
        struct bytes params, after;
        const char *word; /* NULL: accepted */
    } row[] = {
        {{"\5\0", 2}, {"", 0}, NULL},
        {{"\5\0", 2}, {"\xa0\0", 2}, NULL}, /* attributes, none or any */
        {{"\5\0", 2}, {"\xa0\x09\x30\7\6\1\x2a\x31\2\5\0", 11}, NULL},
        {{"\5\0", 2}, {"\xa0\2\5\0", 4}, "structure"},
        {{"\5\0", 2}, {"\xa0\5\x30\3\6\1\x2a", 7}, "cut short"},
        {{"\5\0", 2}, {"\xa0\x09\x30\7\6\1\x2a\x31\2\5\1", 11}, "cut short"},
        {{"\5\0", 2}, {"\xa0\x09\x30\7\6\1\x2a\x31\0\5\0", 11}, "follow"},
        {{"\5\0", 2}, {"\xa0\2\5", 3}, "cut short"},
        {{"\5\0", 2}, {"\xa0\0\xa0\0", 4}, "follow"},
        {{"\5\0", 2}, {"\5\0", 2}, "follow"},
        {{"\5\0", 2}, {"\x81\1\0", 3}, "follow"}, /* a public key, as version 1 has */
        {{"", 0}, {"", 0}, "or none"},
        {{"\5\1\0", 3}, {"", 0}, "parameters"},
        {{"\5\0\5\0", 4}, {"", 0}, "parameters"},
        {{"\x30\0", 2}, {"", 0}, "parameters"},
    };
    struct rsa_numbers r = good_numbers();
    struct bytes body = rsa_numbers_der(buf, sizeof buf, &r, 0);

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bytes file = wrap_rsa(body, row[i].params, row[i].after);
        if (row[i].word != NULL)
            refuse_file(file, row[i].word);
        else
            tahr_key_free(read_key(file));
    }
    rsa_numbers_free(&r);
}

/* An ssh-rsa line with the wire encoding of a good key changed. */
static void test_ssh_wire(void **state)
{
    struct rsa_numbers r = good_numbers();
    uint8_t wire[512] = "\0\0\0\7ssh-rsa";
    size_t len = 11;
    char line[1024] = "ssh-rsa ";

    (void)state;
    len += (size_t)BN_bn2mpi(r.e, wire + len);
    len += (size_t)BN_bn2mpi(r.n, wire + len);
    base64_encode(line + 8, wire, len, 1);
    tahr_key_free(read_text(line));
    base64_encode(line + 8, wire, len + 1, 1); /* a byte follows */
    refuse(line, "ssh-rsa line");
    wire[10] ^= 1;
    base64_encode(line + 8, wire, len, 1);
    refuse(line, "ssh-rsa line");
    wire[10] ^= 1;
    wire[22] ^= 0x80; /* the byte before n's first: 80 00, negative */
    base64_encode(line + 8, wire, len, 1);
    refuse(line, "negative");
    rsa_numbers_free(&r);
}

/* RSAPublicKey of (n, e). */
static struct bytes public_der(const BIGNUM *n, const BIGNUM *e)
{
    struct der_out out;
    struct bytes der;

    der_out_init(&out, buf, sizeof buf);
    put_bn(&out, e);
    put_bn(&out, n);
    der_wrap(&out, DER_SEQUENCE, out.end);
    assert_null(der_out_end(&der, &out));
    return der;
}

static void test_rsa_public(void **state)
{
    static const BN_ULONG exponents[] = {0, 1, 2, 65536, 16777217, 4294967295, 4294967297};
    struct rsa_numbers r = good_numbers();
    BIGNUM *n = BN_dup(r.n);

    (void)state;
    tahr_key_free(read_key(public_der(r.n, r.e)));
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        assert_ssl(BN_set_word(r.e, exponents[i]));
        refuse_file(public_der(r.n, r.e), "exponent");
    }
    assert_ssl(BN_lshift(r.e, n, 100));
    refuse_file(public_der(r.n, r.e), "exponent");
    assert_ssl(BN_set_word(r.e, 65537));
    assert_ssl(BN_sub_word(n, 1));
    refuse_file(public_der(n, r.e), "even");
    BN_zero(n);
    refuse_file(public_der(n, r.e), "RSA");
    assert_ssl(BN_set_bit(n, 2046));
    assert_ssl(BN_add_word(n, 1));
    refuse_file(public_der(n, r.e), "2048");
    BN_zero(n);
    assert_ssl(BN_set_bit(n, 16384));
    refuse_file(public_der(n, r.e), "16384");
    BN_free(n);
    rsa_numbers_free(&r);
}

/* --- Age strings with a right checksum and a wrong payload --- */

static size_t refuse_payload(const char *hrp, const uint8_t *payload, size_t len, const char *word)
{
    char text[16384];

    bech32_encode(text, hrp, (struct bytes){payload, len});
    return refuse(text, word);
}

/* The payload of the key's age string. */
static size_t payload_of(uint8_t *out, const tahr_key *key)
{
    struct bytes payload;
    const char *hrp;
    uint8_t *der = malloc(KEYFILE_DER_MAX);

    assert_null(keyfile_age_string(&hrp, &payload, der, key));
    memcpy(out, payload.p, payload.len);
    free(der);
    return payload.len;
}

/* id 00, u16 |p|, p, u16 |g|, g. */
static size_t explicit_block(uint8_t *out, const BIGNUM *p, const uint8_t *g, size_t glen)
{
    size_t n = (size_t)BN_num_bytes(p);

    out[0] = 0;
    out[1] = (uint8_t)(n >> 8);
    out[2] = (uint8_t)n;
    BN_bn2bin(p, out + 3);
    out[3 + n] = (uint8_t)(glen >> 8);
    out[4 + n] = (uint8_t)glen;
    memcpy(out + 5 + n, g, glen);
    return 5 + n + glen;
}

static void test_recipient_payloads(void **state)
{
    static uint8_t payload[KEY_PAYLOAD_MAX + 2];
    const char *hrp = KEYFILE_RECIPIENT_HRP;
    tahr_key *key;
    size_t len, at;
    BIGNUM *p = BN_new(), *safe = NULL;

    (void)state;
    assert_null(tahr_key_new_elgamal(&key, "ffdhe2048", NULL));
    nat_to_bytes(buf, 256, key->u.elgamal.pub.group.p.m, key->u.elgamal.pub.group.p.n);
    assert_non_null(BN_bin2bn(buf, 256, p));
    len = key_elgamal_payload(payload, &key->u.elgamal.pub);
    assert_int_equal(len, 257);
    refuse_payload(hrp, payload, 0, "whole key");
    refuse_payload(hrp, payload, 1, "whole key");
    refuse_payload(hrp, payload, 256, "whole key");
    refuse_payload(hrp, payload, 258, "whole key");
    payload[0] = 6;
    refuse_payload(hrp, payload, len, "group");
    payload[0] = 0x10;
    refuse_payload(hrp, payload, len, "group");
    payload[0] = 1;
    memset(payload + 1, 0, 256); /* y = 0, 1, p - 1, p, 2^2048 - 1 */
    refuse_payload(hrp, payload, len, "y is");
    payload[256] = 1;
    refuse_payload(hrp, payload, len, "y is");
    BN_bn2bin(p, payload + 1);
    refuse_payload(hrp, payload, len, "y is");
    payload[256]--;
    refuse_payload(hrp, payload, len, "y is");
    memset(payload + 1, 0xff, 256);
    refuse_payload(hrp, payload, len, "y is");

    /* A named p with g = 2 in explicit form; with g = 4 it is well, with 00 04 not. */
    at = explicit_block(payload, p, (const uint8_t *)"\2", 1);
    memset(payload + at, 0, 256);
    payload[at + 255] = 4;
    refuse_payload(hrp, payload, at + 256, "one form");
    at = explicit_block(payload, p, (const uint8_t *)"\0\4", 2);
    memset(payload + at, 0, 256);
    payload[at + 255] = 4;
    refuse_payload(hrp, payload, at + 256, "one form");
    at = explicit_block(payload, p, (const uint8_t *)"", 0);
    refuse_payload(hrp, payload, at + 256, "one form");
    at = explicit_block(payload, p, (const uint8_t *)"\1", 1);
    refuse_payload(hrp, payload, at + 256, "generator");
    at = explicit_block(payload, p, (const uint8_t *)"\7", 1);
    refuse_payload(hrp, payload, 258, "whole key"); /* within p */
    refuse_payload(hrp, payload, 2, "whole key");
    refuse_payload(hrp, payload, at - 1, "whole key");
    refuse_payload(hrp, payload, at, "");
    payload[1] = 0xff; /* u16 n above what is there */
    refuse_payload(hrp, payload, at + 256, "whole key");
    assert_ssl(BN_hex2bn(&safe, keys_safe_prime));
    assert_ssl(BN_rshift1(safe, safe));
    at = explicit_block(payload, safe, (const uint8_t *)"\4", 1);
    refuse_payload(hrp, payload, at + 257, "group");
    payload[1] = payload[2] = 0;
    refuse_payload(hrp, payload, at + 257, "one form");
    BN_free(p);
    BN_free(safe);
    tahr_key_free(key);
}

static void test_identity_payloads(void **state)
{
    static uint8_t payload[KEYFILE_DER_MAX];
    const char *hrp = KEYFILE_IDENTITY_HRP;
    tahr_key *key;
    size_t len;

    (void)state;
    assert_null(tahr_key_new_elgamal(&key, "ffdhe2048", NULL));
    len = payload_of(payload, key); /* 01, 01, u16 32, x */
    assert_int_equal(len, 36);
    refuse_payload(hrp, payload, 0, "no key in it");
    refuse_payload(hrp, payload, 1, "whole key");
    refuse_payload(hrp, payload, 3, "whole key");
    refuse_payload(hrp, payload, 35, "whole key");
    refuse_payload(hrp, payload, 37, "whole key");
    payload[0] = 3;
    refuse_payload(hrp, payload, len, "type");
    payload[0] = 1;
    memmove(payload + 5, payload + 4, 32); /* x in 33 bytes, then in the 256 of q */
    payload[4] = 0;
    payload[3] = 33;
    refuse_payload(hrp, payload, len + 1, "one form");
    memmove(payload + 4 + 224, payload + 5, 32);
    memset(payload + 4, 0, 224);
    payload[2] = 1;
    payload[3] = 0;
    refuse_payload(hrp, payload, 4 + 256, "one form");
    memset(payload + 4, 0xff, 256); /* above q */
    refuse_payload(hrp, payload, 4 + 256, "x is");
    payload[2] = 0;
    payload[3] = 32;
    memset(payload + 4, 0, 32);
    refuse_payload(hrp, payload, len, "x is");
    tahr_key_free(key);

    payload[0] = 2;
    refuse_payload(hrp, payload, 1, "cut short");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagnoses),         cmocka_unit_test(test_binary_files),
        cmocka_unit_test(test_other_algorithms),  cmocka_unit_test(test_encrypted),
        cmocka_unit_test(test_rsa_inconsistent),  cmocka_unit_test(test_rsa_accepted),
        cmocka_unit_test(test_rsa_public),        cmocka_unit_test(test_pkcs8),
        cmocka_unit_test(test_ssh_wire),          cmocka_unit_test(test_recipient_payloads),
        cmocka_unit_test(test_identity_payloads),
    };

    return secret_init() == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
