/* For tests of recipient types: a stanza as it is written and read again, and OpenSSL's pieces to
 * make and open stanzas with. */
#ifndef TAHR_TESTS_WRAP_H
#define TAHR_TESTS_WRAP_H

#include "message.h"

/* The one stanza that the row writes for the key, parsed; valid until the next call. */
const struct stanza *wrap_stanza(const struct recipient_type *type, const tahr_key *key,
                                 const uint8_t file_key[FILE_KEY_LEN]);

/* HKDF-SHA-256 of 32 bytes. */
void openssl_hkdf(uint8_t out[32], struct bytes ikm, struct bytes salt, const char *info);

/* body (len + 16 bytes) = ChaCha20-Poly1305 of the data with a zero nonce, and the way back: does
 * it open? */
void openssl_seal(uint8_t *body, const void *data, size_t len, const uint8_t key[32]);
int openssl_open(uint8_t *data, const uint8_t *body, size_t len, const uint8_t key[32]);

#endif
