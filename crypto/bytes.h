/* A byte string as a cursor: taking bytes off its front, and comparing it with text.  Inline.
 * Secret: the bytes taken.  Leaks: lengths, and what is compared. */
#ifndef TAHR_BYTES_H
#define TAHR_BYTES_H

#include "secret.h"

#include <string.h>

/* out = the next len bytes of in, which moves past them.  Returns 0, or -1 (and in stands) if there
 * are fewer. */
static inline int bytes_take(struct bytes *out, struct bytes *in, size_t len)
{
    if (in->len < len)
        return -1;
    *out = (struct bytes){in->p, len};
    *in = (struct bytes){(const uint8_t *)in->p + len, in->len - len};
    return 0;
}

/* *v = the next len <= 4 bytes of in as a big-endian integer.  Returns 0 or -1. */
static inline int bytes_uint(uint32_t *v, struct bytes *in, size_t len)
{
    struct bytes b;

    if (bytes_take(&b, in, len))
        return -1;
    *v = 0;
    for (size_t i = 0; i < len; i++)
        *v = *v << 8 | ((const uint8_t *)b.p)[i];
    return 0;
}

/* Does b begin with these characters; are the two equal?  1 or 0. */
static inline int bytes_begin(struct bytes b, const char *text)
{
    size_t len = strlen(text);

    return b.len >= len && memcmp(b.p, text, len) == 0;
}

static inline int bytes_equal(struct bytes a, struct bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

#endif
