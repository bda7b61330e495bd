/* Sealing a file key under a wrap key: ChaCha20-Poly1305 (RFC 8439) with a zero nonce, as every age
 * recipient type but ssh-rsa does.  A wrap key is used once, so its nonce may be constant. */
#include "recipient.h"

#include <sodium.h>

_Static_assert(SEALED_LEN == FILE_KEY_LEN + crypto_aead_chacha20poly1305_ietf_ABYTES, "body");

static const uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];

void recipient_seal(uint8_t body[SEALED_LEN], const uint8_t file_key[FILE_KEY_LEN],
                    const uint8_t wrap[WRAP_LEN])
{
    crypto_aead_chacha20poly1305_ietf_encrypt(body, NULL, file_key, FILE_KEY_LEN, NULL, 0, NULL,
                                              nonce, wrap);
}

int recipient_open(uint8_t file_key[FILE_KEY_LEN], const uint8_t body[SEALED_LEN],
                   const uint8_t wrap[WRAP_LEN])
{
    return crypto_aead_chacha20poly1305_ietf_decrypt(file_key, NULL, NULL, body, SEALED_LEN, NULL,
                                                     0, nonce, wrap);
}
