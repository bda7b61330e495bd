/* Inflate, bit by bit: enough for a test, and no library more to install. */
#include "inflate.h"

#include <string.h>

struct stream {
    const uint8_t *in;
    size_t bits, at; /* there are, and have been read */
    uint8_t *out;
    size_t max, len;
    int bad;
};

/* The next count bits, the first being the lowest. */
static int take(struct stream *s, int count)
{
    int v = 0;

    for (int i = 0; i < count; i++, s->at++) {
        if (s->at >= s->bits) {
            s->bad = 1;
            return 0;
        }
        v |= (s->in[s->at / 8] >> s->at % 8 & 1) << i;
    }
    return v;
}

static void emit(struct stream *s, int byte)
{
    if (s->len == s->max)
        s->bad = 1;
    else
        s->out[s->len++] = (uint8_t)byte;
}

/* A canonical prefix code (RFC 1951 3.2.2): how many codes of each length, symbols in their order.
 */
struct code {
    int count[16];
    int symbol[288];
};

static void make_code(struct code *c, const uint8_t *lengths, int n)
{
    int next = 0;

    memset(c, 0, sizeof *c);
    for (int length = 1; length < 16; length++)
        for (int i = 0; i < n; i++)
            if (lengths[i] == length) {
                c->count[length]++;
                c->symbol[next++] = i;
            }
}

/* Codes of one length are consecutive numbers, and those before them sum up to skipped. */
static int symbol(struct stream *s, const struct code *c)
{
    int value = 0, first = 0, skipped = 0;

    for (int length = 1; length < 16; length++) {
        value = 2 * value + take(s, 1);
        if (value - first < c->count[length])
            return c->symbol[skipped + value - first];
        skipped += c->count[length];
        first = 2 * (first + c->count[length]);
    }
    s->bad = 1;
    return 0;
}

/* Length and distance codes (3.2.5): each has a base and as many extra bits as its place says. */
static void copy(struct stream *s, int length_symbol, const struct code *distances)
{
    int i = length_symbol - 257, extra, length, d, distance;

    extra = i < 8 || i == 28 ? 0 : i / 4 - 1;
    length = i == 28 ? 258 : i < 8 ? 3 + i : 3 + ((4 + i % 4) << extra);
    length += take(s, extra);
    d = symbol(s, distances);
    extra = d < 4 ? 0 : d / 2 - 1;
    distance = d < 4 ? 1 + d : 1 + ((2 + d % 2) << extra);
    distance += take(s, extra);
    if (i > 28 || d > 29 || (size_t)distance > s->len)
        s->bad = 1;
    for (; length > 0 && !s->bad; length--)
        emit(s, s->out[s->len - (size_t)distance]);
}

static void coded_block(struct stream *s, const uint8_t *lengths, int literals, int distances)
{
    struct code literal, distance;
    int v;

    make_code(&literal, lengths, literals);
    make_code(&distance, lengths + literals, distances);
    while (!s->bad && (v = symbol(s, &literal)) != 256) {
        if (v < 256)
            emit(s, v);
        else
            copy(s, v, &distance);
    }
}

static void stored_block(struct stream *s)
{
    int n;

    s->at = (s->at + 7) / 8 * 8;
    n = take(s, 16);
    if ((take(s, 16) ^ n) != 0xffff)
        s->bad = 1;
    for (; n > 0 && !s->bad; n--)
        emit(s, take(s, 8));
}

static void fixed_block(struct stream *s)
{
    uint8_t lengths[288 + 30];

    for (int i = 0; i < 288; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(lengths + 288, 5, 30);
    coded_block(s, lengths, 288, 30);
}

/* The code lengths are themselves coded, with symbols to repeat one (3.2.7). */
static void dynamic_block(struct stream *s)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    int literals = 257 + take(s, 5), distances = 1 + take(s, 5), given = 4 + take(s, 4), n = 0;
    uint8_t lengths[288 + 32] = {0}, coded[19] = {0};
    struct code code;

    for (int i = 0; i < given; i++)
        coded[order[i]] = (uint8_t)take(s, 3);
    make_code(&code, coded, 19);
    while (n < literals + distances && !s->bad) {
        int v = symbol(s, &code), times = 1;

        if (v == 16)
            times = 3 + take(s, 2);
        else if (v > 16)
            times = v == 17 ? 3 + take(s, 3) : 11 + take(s, 7);
        if (n + times > literals + distances || literals > 286 || (v == 16 && n == 0)) {
            s->bad = 1;
            return;
        }
        memset(lengths + n, v < 16 ? v : v == 16 ? lengths[n - 1] : 0, (size_t)times);
        n += times;
    }
    coded_block(s, lengths, literals, distances);
}

static uint32_t adler32(const uint8_t *p, size_t len)
{
    uint32_t a = 1, b = 0;

    for (size_t i = 0; i < len; i++) {
        a = (a + p[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

long inflate_zlib(uint8_t *out, size_t max, const uint8_t *in, size_t len)
{
    struct stream s = {in + 2, 8 * (len < 6 ? 0 : len - 6), 0, out, max, 0, 0};
    uint32_t sum = 0;
    int last;

    if (len < 6 || (in[0] & 15) != 8 || (in[1] & 32) != 0 || (in[0] * 256 + in[1]) % 31 != 0)
        return -1;
    do {
        last = take(&s, 1);
        switch (take(&s, 2)) {
        case 0:
            stored_block(&s);
            break;
        case 1:
            fixed_block(&s);
            break;
        case 2:
            dynamic_block(&s);
            break;
        default:
            s.bad = 1;
        }
    } while (!last && !s.bad);
    for (size_t i = len - 4; i < len; i++)
        sum = sum << 8 | in[i];
    return s.bad || sum != adler32(out, s.len) ? -1 : (long)s.len;
}
