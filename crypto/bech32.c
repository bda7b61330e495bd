/* Bech32: bytes regrouped into digits of five bits, each a letter, then six letters of checksum
 * over GF(32) (BIP 173, "Checksum").  The data may be a private key, so a digit becomes a letter,
 * and a letter a digit, by a pass over all 32 with masks: no table is indexed by a secret. */
#include "bech32.h"

#include "nat.h"

#define CHECKSUM 6

static const char letters[33] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

static const struct tahr_error too_short = {TAHR_BAD_KEY, "the age string is cut short", NULL};
static const struct tahr_error too_long = {TAHR_BAD_KEY, "the age string is too long for a key",
                                           NULL};
static const struct tahr_error wrong_hrp = {
    TAHR_BAD_KEY, "the age string does not begin with the right letters", NULL};
static const struct tahr_error wrong_letter = {
    TAHR_BAD_KEY,
    "the age string has a character that cannot be in it, or mixes upper and lower case", NULL};
static const struct tahr_error wrong_checksum = {TAHR_BAD_KEY, "the age string's checksum is wrong",
                                                 "it was mistyped or cut short"};
static const struct tahr_error wrong_padding = {
    TAHR_BAD_KEY, "the age string ends in bits that should be zero", NULL};

/* letters[i] in the case asked for. */
static limb_t letter(unsigned i, int upper)
{
    char c = letters[i];

    return (limb_t)(upper && c >= 'a' ? c - 'a' + 'A' : c);
}

static char letter_of_digit(uint32_t v, int upper)
{
    limb_t c = 0;

    for (unsigned i = 0; i < 32; i++)
        c |= (limb_t)(letter(i, upper) & choice_eq((limb_t)i, (limb_t)v).mask);
    return (char)c;
}

/* The digit of a letter; *known becomes no if it is none. */
static uint32_t digit_of_letter(char c, int upper, choice *known)
{
    choice found = choice_of_bit(0);
    limb_t v = 0;

    for (unsigned i = 0; i < 32; i++) {
        choice same = choice_eq(letter(i, upper), (limb_t)(uint8_t)c);
        v |= (limb_t)(i & same.mask);
        found = choice_or(found, same);
    }
    *known = choice_and(*known, found);
    return (uint32_t)v;
}

/* c(x) x + v modulo BIP 173's generator, x^6 + ...: its multiples by 1, 2, 4, 8, 16 are given. */
static uint32_t checksum_step(uint32_t c, uint32_t v)
{
    static const uint32_t generator[5] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                          0x2a1462b3};
    uint32_t top = c >> 25;

    c = (c & 0x1ffffff) << 5 ^ v;
    for (int i = 0; i < 5; i++)
        c ^= generator[i] & (0 - (top >> i & 1));
    return c;
}

/* The checksum's state after hrp: the high bits of each character, 0, the low bits. */
static uint32_t checksum_hrp(const char *hrp)
{
    uint32_t c = 1;

    for (const char *p = hrp; *p != '\0'; p++)
        c = checksum_step(c, ((uint32_t)*p | 0x20) >> 5); /* | 20: lower case; - is as it was */
    c = checksum_step(c, 0);
    for (const char *p = hrp; *p != '\0'; p++)
        c = checksum_step(c, (uint32_t)*p & 31);
    return c;
}

static int is_upper(const char *hrp)
{
    return *hrp >= 'A' && *hrp <= 'Z';
}

size_t bech32_len(const char *hrp, size_t len)
{
    return strlen(hrp) + 1 + (len * 8 + 4) / 5 + CHECKSUM;
}

/* Bits 5j to 5j + 4 of the data, counted from its first bit; past the end there are zeros. */
static uint32_t digit_of_data(struct bytes data, size_t j)
{
    const uint8_t *p = data.p;
    size_t i = 5 * j / 8, shift = 5 * j % 8;
    uint32_t w = (uint32_t)p[i] << 8 | (i + 1 < data.len ? p[i + 1] : 0);

    return w >> (11 - shift) & 31;
}

void bech32_encode(char *text, const char *hrp, struct bytes data)
{
    uint32_t c = checksum_hrp(hrp);
    int upper = is_upper(hrp);

    text += strlen(strcpy(text, hrp));
    *text++ = '1';
    for (size_t j = 0; 5 * j < 8 * data.len; j++) {
        uint32_t v = digit_of_data(data, j);
        *text++ = letter_of_digit(v, upper);
        c = checksum_step(c, v);
    }
    for (int i = 0; i < CHECKSUM; i++)
        c = checksum_step(c, 0);
    c ^= 1;
    for (int i = CHECKSUM - 1; i >= 0; i--)
        *text++ = letter_of_digit(c >> 5 * i & 31, upper);
    *text = '\0';
}

/* out = the bits of the digits in groups of eight; *c goes through all of them.  What is left of
 * the last group, fewer than eight bits, is returned: at most four zeros if all is well. */
static uint32_t regroup(uint8_t *out, uint32_t *c, choice *known, struct bytes digits, int upper)
{
    uint32_t acc = 0;
    int bits = 0; /* of acc that are not yet in out: < 8 between rounds */

    for (size_t j = 0; j < digits.len; j++) {
        uint32_t v = digit_of_letter(((const char *)digits.p)[j], upper, known);
        *c = checksum_step(*c, v);
        acc = acc << 5 | v;
        bits += 5;
        if (bits >= 8) {
            bits -= 8;
            *out++ = (uint8_t)(acc >> bits);
        }
    }
    return acc & ((1u << bits) - 1);
}

tahr_err bech32_decode(uint8_t *out, size_t max, size_t *len, const char *hrp, struct bytes text)
{
    struct bytes head, digits;
    int upper = is_upper(hrp);
    uint32_t c = checksum_hrp(hrp), left;
    choice known = choice_of_bit(1);

    if (!bytes_begin(text, hrp))
        return &wrong_hrp;
    (void)bytes_take(&head, &text, strlen(hrp)); /* it begins with hrp */
    if (text.len < 1 + CHECKSUM)
        return &too_short;
    if (!bytes_begin(text, "1"))
        return &wrong_hrp;
    (void)bytes_take(&head, &text, 1);
    (void)bytes_take(&digits, &text, text.len - CHECKSUM);
    *len = digits.len / 8 * 5 + digits.len % 8 * 5 / 8;
    if (*len > max)
        return &too_long;
    left = regroup(out, &c, &known, digits, upper);
    for (size_t i = 0; i < CHECKSUM; i++)
        c = checksum_step(c, digit_of_letter(((const char *)text.p)[i], upper, &known));
    declassify_bytes(&c, sizeof c);       /* whether the text is well formed is public */
    declassify_bytes(&left, sizeof left); /* likewise */
    if (!declassify(known))               /* likewise */
        return &wrong_letter;
    if (c != 1)
        return &wrong_checksum;
    return left == 0 && digits.len * 5 % 8 < 5 ? NULL : &wrong_padding;
}
