/* Bech32 as age uses it: BIP 173's encoding, checksum constant 1, without its limit of 90
 * characters. */
#ifndef TAHR_BECH32_H
#define TAHR_BECH32_H

#include "bytes.h"
#include "tahr.h"

/* Characters of an encoding of len bytes, without a NUL. */
size_t bech32_len(const char *hrp, size_t len);

/* text (bech32_len characters and a NUL) = hrp, "1", the data, the checksum; in upper case if hrp
 * has upper-case letters.  Secret: the data.  Leaks: len. */
void bech32_encode(char *text, const char *hrp, struct bytes data);

/* The way back: out has room for max bytes, *len is how many there are.  The whole text must be in
 * the case of hrp.  Secret: the data.  Leaks: its length, and what is wrong with it.  Errors are
 * TAHR_BAD_KEY; nothing is said of out then. */
tahr_err bech32_decode(uint8_t *out, size_t max, size_t *len, const char *hrp, struct bytes text);

#endif
