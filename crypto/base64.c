/* Base64 (RFC 4648 section 4) without tables, branches or indices that depend on the bytes.
 *
 * A block of 48 bytes, 64 digits, is worked on at a time: digits and characters are mapped to each
 * other by comparisons alone, in loops that compilers turn into vector code.  libsodium has base64
 * too, but 1.0.18 reads bytes from 80 on as digits, and it is several times slower than the cipher.
 */
#include "secret.h"

#include <string.h>

#define BLOCK  48
#define DIGITS 64

size_t base64_len(size_t len, int padded)
{
    return padded ? (len + 2) / 3 * 4 : len / 3 * 4 + (len % 3 * 8 + 5) / 6;
}

/* A-Z are 0-25, a-z 26-51, 0-9 52-61, then + and /: each range is a step away from the one before.
 */
static void digits_to_text(char text[DIGITS], const uint8_t digit[DIGITS])
{
    for (int i = 0; i < DIGITS; i++) {
        uint8_t d = digit[i];

        text[i] = (char)(d + 'A' + (d > 25) * ('a' - 'Z' - 1) - (d > 51) * ('z' + 1 - '0') -
                         (d > 61) * ('9' + 1 - '+') + (d > 62) * ('/' - '+' - 1));
    }
}

/* Returns 0 if all are digits. */
static int text_to_digits(uint8_t digit[DIGITS], const char text[DIGITS])
{
    uint8_t bad = 0;

    for (int i = 0; i < DIGITS; i++) {
        uint8_t c = (uint8_t)text[i], d; /* 1 more than the digit, 0 for none */

        d = (uint8_t)(((uint8_t)(c - 'A') < 26) * (c - 'A' + 1) +
                      ((uint8_t)(c - 'a') < 26) * (c - 'a' + 27) +
                      ((uint8_t)(c - '0') < 10) * (c - '0' + 53) + (c == '+') * 63 +
                      (c == '/') * 64);
        bad |= d == 0;
        digit[i] = (uint8_t)(d - 1);
    }
    return bad;
}

static void bytes_to_digits(uint8_t digit[DIGITS], const uint8_t byte[BLOCK])
{
    for (int i = 0; i < BLOCK / 3; i++) {
        uint32_t v = (uint32_t)byte[3 * i] << 16 | (uint32_t)byte[3 * i + 1] << 8 | byte[3 * i + 2];

        for (int k = 0; k < 4; k++)
            digit[4 * i + k] = v >> (18 - 6 * k) & 63;
    }
}

static void digits_to_bytes(uint8_t byte[BLOCK], const uint8_t digit[DIGITS])
{
    for (int i = 0; i < BLOCK / 3; i++) {
        const uint8_t *d = digit + 4 * i;
        uint32_t v = (uint32_t)d[0] << 18 | (uint32_t)d[1] << 12 | (uint32_t)d[2] << 6 | d[3];

        for (int k = 0; k < 3; k++)
            byte[3 * i + k] = (uint8_t)(v >> (16 - 8 * k));
    }
}

void base64_encode(char *text, const void *data, size_t len, int padded)
{
    const uint8_t *p = data;
    size_t end = base64_len(len, padded), bare = base64_len(len, 0);
    uint8_t byte[BLOCK], digit[DIGITS];
    char block[DIGITS];

    memset(text + bare, '=', end - bare);
    text[end] = '\0';
    for (size_t take; len > 0; p += take, len -= take, text += DIGITS) {
        take = len < BLOCK ? len : BLOCK;
        memset(byte, 0, sizeof byte);
        memcpy(byte, p, take);
        bytes_to_digits(digit, byte);
        digits_to_text(block, digit);
        memcpy(text, block, base64_len(take, 0));
    }
    secret_wipe(byte, sizeof byte);
    secret_wipe(digit, sizeof digit);
    secret_wipe(block, sizeof block);
}

/* How many of the len characters are digits, for the padding that there should be; or SIZE_MAX. */
static size_t without_padding(const char *text, size_t len)
{
    size_t n = len;

    while (len - n < 2 && n > 0 && text[n - 1] == '=')
        n--;
    return base64_len(n * 6 / 8, 1) == len ? n : SIZE_MAX;
}

int base64_decode(void *out, size_t max, size_t *len, const char *text, size_t text_len, int padded)
{
    size_t n = padded ? without_padding(text, text_len) : text_len;
    uint8_t *p = out, byte[BLOCK], digit[DIGITS];
    char block[DIGITS];
    int bad = 0;

    *len = n / 4 * 3 + n % 4 * 6 / 8;
    if (n == SIZE_MAX || n % 4 == 1 || *len > max)
        return -1;
    for (size_t take; n > 0; text += take, n -= take, p += BLOCK) {
        take = n < DIGITS ? n : DIGITS;
        memset(block, 'A', sizeof block);
        memcpy(block, text, take);
        bad |= text_to_digits(digit, block);
        digits_to_bytes(byte, digit);
        memcpy(p, byte, take * 6 / 8);
        /* the bits of the last digit that belong to no byte */
        if (take < DIGITS)
            bad |= byte[take * 6 / 8];
    }
    secret_wipe(byte, sizeof byte);
    secret_wipe(digit, sizeof digit);
    secret_wipe(block, sizeof block);
    return bad ? -1 : 0;
}
