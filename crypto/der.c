/* DER (X.690 clause 10), as much of it as keys need.
 *
 * An element is tag, length, contents.  A length below 128 is one byte; otherwise 80 + k, then k
 * bytes of which the first is not zero, and only when the length is 128 or more (10.1).  The
 * contents of an INTEGER are two's complement, big-endian, and its first nine bits are not all
 * equal (8.3.2). */
#include "der.h"

static const struct tahr_error truncated = {TAHR_BAD_KEY, "the key is cut short", NULL};
static const struct tahr_error wrong_tag = {TAHR_BAD_KEY, "the key's DER has a wrong structure",
                                            NULL};
static const struct tahr_error bad_length = {
    TAHR_BAD_KEY, "the key's DER has a length that is indefinite or not in its shortest form",
    NULL};
static const struct tahr_error negative = {TAHR_BAD_KEY, "the key has a negative number", NULL};
static const struct tahr_error not_minimal = {
    TAHR_BAD_KEY, "the key has a number that is not in its shortest form", NULL};
static const struct tahr_error too_large = {TAHR_BAD_KEY, "the key has a number above 16384 bits",
                                            NULL};
static const struct tahr_error unused_bits = {
    TAHR_BAD_KEY, "the key's DER has a bit string with unused bits", NULL};
static const struct tahr_error trailing = {TAHR_BAD_KEY, "bytes follow the end of the key's DER",
                                           NULL};
static const struct tahr_error no_room = {TAHR_SYSTEM, "the key does not fit its buffer", NULL};

uint8_t der_tag(struct bytes in)
{
    return in.len > 0 ? *(const uint8_t *)in.p : 0;
}

static tahr_err read_length(size_t *len, struct bytes *in)
{
    uint32_t first, v;

    if (bytes_uint(&first, in, 1))
        return &truncated;
    *len = first;
    if (first < 0x80)
        return NULL;
    if (first > 0x84) /* 2^32 or more, or not minimal: in any case not in this file */
        return &truncated;
    if (bytes_uint(&v, in, first - 0x80))
        return &truncated;
    /* v needs all its k bytes, v >= 2^(8(k - 1)) and v >= 128; the indefinite form has k = 0, v = 0
     */
    if (v < 0x80 || v >> 8 * (first - 0x81) == 0)
        return &bad_length;
    *len = v;
    return NULL;
}

tahr_err der_enter(struct bytes *body, struct bytes *in, uint8_t tag)
{
    struct bytes rest = *in, head;
    size_t len;
    tahr_err err;

    if (rest.len == 0)
        return &truncated;
    if (der_tag(rest) != tag)
        return &wrong_tag;
    (void)bytes_take(&head, &rest, 1); /* rest.len >= 1 */
    if ((err = read_length(&len, &rest)))
        return err;
    if (bytes_take(body, &rest, len))
        return &truncated;
    *in = rest;
    return NULL;
}

struct bytes bytes_trim(struct bytes b)
{
    const uint8_t *p = b.p;

    while (b.len > 0) {
        uint8_t first = *p;
        declassify_bytes(&first, 1); /* the length of a key's numbers is public */
        if (first != 0)
            break;
        p++, b.len--;
    }
    return (struct bytes){p, b.len};
}

tahr_err der_integer_body(struct bytes *n, struct bytes body)
{
    uint8_t head[2] = {0, 0};

    if (body.len == 0)
        return &wrong_tag;
    memcpy(head, body.p, body.len < 2 ? 1 : 2);
    declassify_bytes(head, sizeof head); /* nine bits that decide the length, which is public */
    if (head[0] & 0x80)
        return &negative;
    if (head[0] == 0 && body.len > 1 && head[1] < 0x80)
        return &not_minimal;
    if (body.len > DER_INTEGER_MAX + (head[0] == 0))
        return &too_large;
    *n = body;
    if (head[0] == 0)
        *n = (struct bytes){(const uint8_t *)body.p + 1, body.len - 1};
    return NULL;
}

tahr_err der_integer(struct bytes *n, struct bytes *in)
{
    struct bytes body;
    tahr_err err;

    if ((err = der_enter(&body, in, DER_INTEGER)))
        return err;
    return der_integer_body(n, body);
}

tahr_err der_version(struct bytes *in, uint8_t v, tahr_err other)
{
    struct bytes body;
    tahr_err err;

    if ((err = der_enter(&body, in, DER_INTEGER)))
        return err;
    return bytes_equal(body, (struct bytes){&v, 1}) ? NULL : other;
}

tahr_err der_bit_string(struct bytes *body, struct bytes *in)
{
    uint32_t unused;
    tahr_err err;

    if ((err = der_enter(body, in, DER_BIT_STRING)))
        return err;
    if (bytes_uint(&unused, body, 1))
        return &wrong_tag;
    return unused == 0 ? NULL : &unused_bits;
}

tahr_err der_end(struct bytes in)
{
    return in.len == 0 ? NULL : &trailing;
}

void der_out_init(struct der_out *out, uint8_t *buf, size_t max)
{
    *out = (struct der_out){buf, buf + max, buf + max, 0};
}

void der_put_bytes(struct der_out *out, const void *p, size_t len)
{
    if ((size_t)(out->p - out->start) < len) {
        out->full = 1;
        return;
    }
    out->p -= len;
    if (len > 0)
        memcpy(out->p, p, len);
}

static void put_byte(struct der_out *out, size_t v)
{
    uint8_t b = (uint8_t)v;

    der_put_bytes(out, &b, 1);
}

void der_wrap(struct der_out *out, uint8_t tag, const uint8_t *end)
{
    size_t len = (size_t)(end - out->p), k = 0;

    if (len >= 0x80)
        for (size_t rest = len; rest > 0; rest >>= 8, k++)
            put_byte(out, rest);
    put_byte(out, k > 0 ? 0x80 + k : len);
    put_byte(out, tag);
}

void der_put_integer(struct der_out *out, struct bytes n)
{
    const uint8_t *end = out->p;
    uint8_t top;

    n = bytes_trim(n);
    der_put_bytes(out, n.p, n.len);
    top = n.len > 0 ? *(const uint8_t *)n.p & 0x80 : 0x80;
    declassify_bytes(&top, 1); /* it decides the length, which is public */
    if (top != 0)              /* keep it positive; zero is one byte */
        put_byte(out, 0);
    der_wrap(out, DER_INTEGER, end);
}

void der_put_nat(struct der_out *out, const limb_t *a, int n)
{
    uint8_t buf[DER_INTEGER_MAX];
    size_t len = (size_t)n * LIMB_BYTES; /* n <= NAT_MAX, so len <= DER_INTEGER_MAX */

    nat_to_bytes(buf, len, a, n);
    der_put_integer(out, (struct bytes){buf, len});
    secret_wipe(buf, len);
}

void der_put_uint(struct der_out *out, uint32_t v)
{
    uint8_t buf[4] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};

    der_put_integer(out, (struct bytes){buf, sizeof buf});
}

tahr_err der_out_end(struct bytes *der, const struct der_out *out)
{
    *der = (struct bytes){out->p, (size_t)(out->end - out->p)};
    return out->full ? &no_room : NULL;
}
