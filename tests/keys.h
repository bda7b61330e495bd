/* Keys for tests: OpenSSL's, numbers to build others from, and tahr's readers and writers with
 * their errors turned into failed tests. */
#ifndef TAHR_TESTS_KEYS_H
#define TAHR_TESTS_KEYS_H

#include "keyfile.h"

#include <openssl/bn.h>
#include <openssl/evp.h>

/* A safe prime of 2050 bits, 7 mod 8, that is in no list. */
extern const char keys_safe_prime[];

/* A fresh key of OpenSSL's: type "RSA", "DH" (PKCS #3) or "DHX" (X9.42), group NULL for RSA. */
EVP_PKEY *openssl_key(const char *type, int bits, const char *group);

/* An RSA key of 2048 bits, the same at each call; not to be freed. */
EVP_PKEY *openssl_rsa(void);

/* The key as OpenSSL writes it: "PrivateKeyInfo", "SubjectPublicKeyInfo" or "type-specific", "PEM"
 * or "DER".  Free it with free. */
struct bytes openssl_write(EVP_PKEY *key, int selection, const char *structure, const char *form);

/* The key that OpenSSL reads from a PEM text; NULL if it reads none. */
EVP_PKEY *openssl_read(const char *text);

/* Fails the test unless OpenSSL reads the PEM text and its check passes the key. */
void assert_openssl_good(const char *text, int is_private);

/* A number of an OpenSSL key: "n", "priv"... */
BIGNUM *openssl_number(EVP_PKEY *key, const char *name);

/* The only key in a file.  Fails the test if it is not so. */
tahr_key *read_key(struct bytes file);
tahr_key *read_text(const char *text);

/* The key as text.  Free it with tahr_text_free. */
char *write_key(const tahr_key *key, enum tahr_format format);

/* Fails the test unless a file is refused with TAHR_BAD_KEY, with that word in the error's text or
 * hint.  Returns the line number. */
size_t refuse_file(struct bytes file, const char *word);

/* An RSA private key in the making: its DER has these numbers, true or not. */
struct rsa_numbers {
    BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qinv;
};

/* All from p, q and e = 65537, with d modulo (p - 1)(q - 1). */
struct rsa_numbers rsa_numbers_of(const BIGNUM *p, const BIGNUM *q);
void rsa_numbers_free(struct rsa_numbers *r);

/* RSAPrivateKey in buf. */
struct bytes rsa_numbers_der(uint8_t *buf, size_t max, const struct rsa_numbers *r,
                             uint32_t version);

/* out gets b as an INTEGER. */
void put_bn(struct der_out *out, const BIGNUM *b);

#endif
