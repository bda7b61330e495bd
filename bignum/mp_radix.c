/* Printable integers: bytes, text in any radix from 2 to 64, streams, packed words. */
#include "mp.h"

#include "nat.h"

#include <stdlib.h>
#include <string.h>

/* --- Bytes, big-endian --- */

size_t mp_ubin_size(const mp_int *a)
{
    return ((size_t)mp_count_bits(a) + 7) / 8;
}

int mp_from_ubin(mp_int *a, const void *b, size_t len)
{
    if (len > (size_t)(INT32_MAX / 16))
        return MP_MEM;
    int n = (int)LIMBS_OF_BYTES(len);
    int err = mp_grow(a, n);
    if (err != MP_OKAY)
        return err;
    nat_from_bytes(a->dp, n, b, len);
    a->used = n;
    a->sign = MP_ZPOS;
    mp_clamp(a);
    return MP_OKAY;
}

int mp_to_ubin(const mp_int *a, void *b, size_t maxlen, size_t *written)
{
    size_t len = mp_ubin_size(a);
    if (len > maxlen)
        return MP_BUF;
    nat_to_bytes(b, len, a->dp, a->used);
    if (written != NULL)
        *written = len;
    return MP_OKAY;
}

size_t mp_sbin_size(const mp_int *a)
{
    return mp_ubin_size(a) + 1;
}

int mp_from_sbin(mp_int *a, const void *b, size_t len)
{
    const uint8_t *p = b;
    if (len == 0)
        return MP_VAL;
    int negative = p[0] != 0;
    int err = mp_from_ubin(a, p + 1, len - 1);
    if (err == MP_OKAY && a->used > 0)
        a->sign = negative ? MP_NEG : MP_ZPOS;
    return err;
}

int mp_to_sbin(const mp_int *a, void *b, size_t maxlen, size_t *written)
{
    uint8_t *p = b;
    if (mp_sbin_size(a) > maxlen)
        return MP_BUF;
    p[0] = a->sign == MP_NEG;
    nat_to_bytes(p + 1, mp_ubin_size(a), a->dp, a->used);
    if (written != NULL)
        *written = mp_sbin_size(a);
    return MP_OKAY;
}

int mp_unsigned_bin_size(const mp_int *a)
{
    return (int)mp_ubin_size(a);
}

int mp_read_unsigned_bin(mp_int *a, const void *b, int len)
{
    return len < 0 ? MP_VAL : mp_from_ubin(a, b, (size_t)len);
}

int mp_to_unsigned_bin(const mp_int *a, void *b)
{
    return mp_to_ubin(a, b, mp_ubin_size(a), NULL);
}

/* What the n-suffixed v0.12 names make of the later ones: a length in and out, MP_VAL when short.
 */
static int bounded(int (*to)(const mp_int *, void *, size_t, size_t *), const mp_int *a, void *b,
                   unsigned long *len)
{
    size_t written;
    if (to(a, b, *len, &written) != MP_OKAY)
        return MP_VAL;
    *len = (unsigned long)written;
    return MP_OKAY;
}

int mp_to_unsigned_bin_n(const mp_int *a, void *b, unsigned long *len)
{
    return bounded(mp_to_ubin, a, b, len);
}

int mp_signed_bin_size(const mp_int *a)
{
    return (int)mp_sbin_size(a);
}

int mp_read_signed_bin(mp_int *a, const void *b, int len)
{
    return len < 1 ? MP_VAL : mp_from_sbin(a, b, (size_t)len);
}

int mp_to_signed_bin(const mp_int *a, void *b)
{
    return mp_to_sbin(a, b, mp_sbin_size(a), NULL);
}

int mp_to_signed_bin_n(const mp_int *a, void *b, unsigned long *len)
{
    return bounded(mp_to_sbin, a, b, len);
}

/* --- Text --- */

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";

/* The value of c as a digit below radix, or -1. */
static int digit_value(int c, int radix)
{
    if (radix < 36 && c >= 'a' && c <= 'z')
        c += 'A' - 'a';
    const char *at = c > 0 && c < 128 ? strchr(digits, c) : NULL;
    return at != NULL && at - digits < radix ? (int)(at - digits) : -1;
}

/* The largest power of the radix that fits a digit, and its exponent. */
struct chunk {
    mp_digit power;
    int count;
};

static struct chunk chunk_of(int radix)
{
    struct chunk c = {(mp_digit)radix, 1};
    while (c.power <= MP_MASK / (mp_digit)radix) {
        c.power = (mp_digit)(c.power * (mp_digit)radix);
        c.count++;
    }
    return c;
}

/* a = a power + value, in place; a has room for one digit more than it may come to use. */
static void append(mp_int *a, mp_digit power, mp_digit value)
{
    mp_digit carry = value;
    for (int i = 0; i < a->used; i++)
        a->dp[i] = limb_mul_add(a->dp[i], power, 0, &carry);
    if (carry != 0)
        a->dp[a->used++] = carry;
}

/* a = the number that len digit characters spell, a chunk at a time; each chunk of count characters
 * adds at most one digit, and a character at most 6 bits. */
static int read_digits(mp_int *a, const char *s, size_t len, int radix)
{
    struct chunk c = chunk_of(radix);
    if (len > (size_t)(INT32_MAX / 8))
        return MP_MEM;
    mp_int r;
    int err = mp_init_size(&r, (int)(len * 6 / DIGIT_BIT) + 2);
    if (err != MP_OKAY)
        return err;
    mp_digit power = 1, value = 0;
    for (size_t i = 0; i < len && err == MP_OKAY; i++) {
        int d = digit_value((unsigned char)s[i], radix);
        if (d < 0)
            err = MP_VAL;
        value = (mp_digit)(value * (mp_digit)radix + (mp_digit)d);
        power = (mp_digit)(power * (mp_digit)radix);
        if (power == c.power || i + 1 == len) {
            append(&r, power, value);
            power = 1;
            value = 0;
        }
    }
    if (err == MP_OKAY)
        mp_exch(&r, a);
    mp_clear(&r);
    return err;
}

int mp_read_radix(mp_int *a, const void *str, int radix)
{
    const char *s = str;
    if (radix < 2 || radix > 64)
        return MP_VAL;
    int negative = *s == '-';
    if (negative || (*s == '+' && radix < 63))
        s++;
    size_t len = strlen(s);
    if (len > 0 && s[len - 1] == '\n')
        len--;
    if (len > 0 && s[len - 1] == '\r')
        len--;
    if (len == 0)
        return MP_VAL;
    int err = read_digits(a, s, len, radix);
    if (err == MP_OKAY && a->used > 0)
        a->sign = negative ? MP_NEG : MP_ZPOS;
    return err;
}

/* *text = a in that radix, ended by a NUL, to be freed; *len its length.  Chunks are divided off
 * from the low end, and the characters written from the last to the first.  A character holds at
 * least one bit, and at least floor(log2 radix) of them. */
static int spell(const mp_int *a, int radix, char **text, size_t *len)
{
    struct chunk c = chunk_of(radix);
    int per_char = 1;
    while (radix >> (per_char + 1) != 0)
        per_char++;
    size_t room = (size_t)mp_count_bits(a) / (size_t)per_char + (size_t)c.count + 3;
    char *s = malloc(room);
    mp_int q;
    int err = mp_init_copy(&q, a);
    if (s == NULL || err != MP_OKAY) {
        if (err == MP_OKAY)
            mp_clear(&q);
        free(s);
        return MP_MEM;
    }
    char *p = s + room;
    *--p = '\0';
    q.sign = MP_ZPOS;
    do {
        mp_digit r = 0;
        err = mp_div_d(&q, c.power, &q, &r);
        for (int i = 0; i < c.count && (q.used > 0 || r > 0); i++) {
            *--p = digits[r % (mp_digit)radix];
            r = (mp_digit)(r / (mp_digit)radix);
        }
    } while (err == MP_OKAY && q.used > 0);
    if (*p == '\0')
        *--p = '0';
    if (a->sign == MP_NEG)
        *--p = '-';
    mp_clear(&q);
    *len = (size_t)(s + room - 1 - p);
    memmove(s, p, *len + 1);
    *text = s;
    if (err != MP_OKAY)
        free(s);
    return err;
}

int mp_to_radix(const mp_int *a, void *str, size_t maxlen, size_t *written, int radix)
{
    if (radix < 2 || radix > 64)
        return MP_VAL;
    char *text;
    size_t len;
    int err = spell(a, radix, &text, &len);
    if (err != MP_OKAY)
        return err;
    if (len + 1 > maxlen) {
        err = MP_BUF;
    } else {
        memcpy(str, text, len + 1);
        if (written != NULL)
            *written = len + 1;
    }
    free(text);
    return err;
}

int mp_toradix(const mp_int *a, void *str, int radix)
{
    return mp_to_radix(a, str, SIZE_MAX, NULL, radix);
}

int mp_toradix_n(const mp_int *a, void *str, int radix, int maxlen)
{
    if (radix < 2 || radix > 64 || maxlen < 2)
        return MP_VAL;
    char *text;
    size_t len;
    int err = spell(a, radix, &text, &len);
    if (err != MP_OKAY)
        return err;
    if (len > (size_t)maxlen - 1)
        len = (size_t)maxlen - 1;
    memcpy(str, text, len);
    ((char *)str)[len] = '\0';
    free(text);
    return MP_OKAY;
}

int mp_radix_size(const mp_int *a, int radix)
{
    if (radix < 2 || radix > 64)
        return 0;
    char *text;
    size_t len;
    if (spell(a, radix, &text, &len) != MP_OKAY)
        return 0;
    free(text);
    return (int)(len + 1);
}

/* --- Streams --- */

/* The run of digits at the stream's position; *text is to be freed.  The character that ends it is
 * put back. */
static int read_run(FILE *stream, int radix, char **text, size_t *len)
{
    size_t room = 0;
    int c;
    *text = NULL;
    *len = 0;
    while ((c = getc(stream)) != EOF && digit_value(c, radix) >= 0) {
        if (*len == room) {
            room = 2 * room + 64;
            char *longer = realloc(*text, room);
            if (longer == NULL) {
                free(*text);
                return MP_MEM;
            }
            *text = longer;
        }
        (*text)[(*len)++] = (char)c;
    }
    if (c != EOF)
        ungetc(c, stream);
    return MP_OKAY;
}

int mp_fread(mp_int *a, int radix, FILE *stream)
{
    if (radix < 2 || radix > 64)
        return MP_VAL;
    int c = getc(stream), negative = c == '-';
    if (c != EOF && !negative && !(c == '+' && radix < 63))
        ungetc(c, stream);
    char *text;
    size_t len;
    int err = read_run(stream, radix, &text, &len);
    if (err != MP_OKAY)
        return err;
    err = len == 0 ? MP_VAL : read_digits(a, text, len, radix);
    if (err == MP_OKAY && a->used > 0)
        a->sign = negative ? MP_NEG : MP_ZPOS;
    free(text);
    return err;
}

int mp_fwrite(const mp_int *a, int radix, FILE *stream)
{
    if (radix < 2 || radix > 64)
        return MP_VAL;
    char *text;
    size_t len;
    int err = spell(a, radix, &text, &len);
    if (err != MP_OKAY)
        return err;
    err = fwrite(text, 1, len, stream) == len ? MP_OKAY : MP_ERR;
    free(text);
    return err;
}

/* --- Packed words --- */

/* Byte j, least significant first, of word i, first in the given order, in an array of such words.
 */
static size_t byte_at(size_t i, size_t j, size_t count, size_t size, mp_order order,
                      mp_endian endian)
{
    const uint16_t one = 1;
    int little =
        endian == MP_LITTLE_ENDIAN || (endian == MP_NATIVE_ENDIAN && *(const uint8_t *)&one == 1);
    size_t word = order == MP_LSB_FIRST ? i : count - 1 - i;
    return word * size + (little ? j : size - 1 - j);
}

size_t mp_pack_count(const mp_int *a, size_t nails, size_t size)
{
    if (size == 0 || nails >= 8 * size)
        return 0;
    size_t bits = (size_t)mp_count_bits(a), per_word = 8 * size - nails;
    return bits / per_word + (bits % per_word != 0);
}

/* The low bits of byte j of a word that carry value. */
static unsigned byte_bits(size_t j, size_t per_word)
{
    return 8 * j >= per_word ? 0 : per_word - 8 * j < 8 ? (unsigned)(per_word - 8 * j) : 8;
}

int mp_pack(void *out, size_t maxcount, size_t *written, mp_order order, size_t size,
            mp_endian endian, size_t nails, const mp_int *a)
{
    if (size == 0 || nails >= 8 * size)
        return MP_VAL;
    size_t count = mp_pack_count(a, nails, size), per_word = 8 * size - nails;
    if (count > maxcount)
        return MP_BUF;
    int pos = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < size; j++) {
            unsigned w = byte_bits(j, per_word);
            unsigned v = w == 0 ? 0 : nat_window(a->dp, a->used, pos, (int)w);
            ((uint8_t *)out)[byte_at(i, j, count, size, order, endian)] = (uint8_t)v;
            pos += (int)w;
        }
    }
    if (written != NULL)
        *written = count;
    return MP_OKAY;
}

int mp_unpack(mp_int *a, size_t count, mp_order order, size_t size, mp_endian endian, size_t nails,
              const void *in)
{
    if (size == 0 || nails >= 8 * size)
        return MP_VAL;
    size_t per_word = 8 * size - nails;
    if (count > (size_t)(INT32_MAX / 16) / per_word)
        return MP_MEM;
    mp_int r;
    int err = mp_init_size(&r, (int)(count * per_word / DIGIT_BIT) + 2);
    if (err != MP_OKAY)
        return err;
    int pos = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < size; j++) {
            unsigned w = byte_bits(j, per_word);
            uint8_t byte = ((const uint8_t *)in)[byte_at(i, j, count, size, order, endian)];
            mp_word v = (mp_word)((mp_word)(byte & ((1U << w) - 1)) << (pos % DIGIT_BIT));
            r.dp[pos / DIGIT_BIT] |= (mp_digit)v;
            r.dp[pos / DIGIT_BIT + 1] |= (mp_digit)(v >> DIGIT_BIT);
            pos += (int)w;
        }
    }
    r.used = pos / DIGIT_BIT + 1;
    mp_clamp(&r);
    mp_exch(&r, a);
    mp_clear(&r);
    return MP_OKAY;
}
