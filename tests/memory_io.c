#include "memory_io.h"

#include <stdlib.h>
#include <string.h>

struct memory memory_of(const void *in, size_t len)
{
    return (struct memory){.in = in, .in_len = len};
}

static int read_memory(void *context, void *buf, size_t len, size_t *got)
{
    struct memory *m = context;
    size_t left = m->in_len - m->in_at;

    *got = 0;
    if (++m->calls == m->fail_at)
        return -1;
    if (m->step > 0 && len > m->step)
        len = m->step;
    *got = left < len ? left : len;
    if (*got > 0)
        memcpy(buf, (const char *)m->in + m->in_at, *got);
    m->in_at += *got;
    m->reads_at_end += *got == 0;
    return 0;
}

static int write_memory(void *context, const void *buf, size_t len)
{
    struct memory *m = context;

    if (++m->calls == m->fail_at)
        return -1;
    if (len > m->out_room - m->out_len) {
        m->out_room = 2 * (m->out_len + len);
        m->out = realloc(m->out, m->out_room);
        if (m->out == NULL)
            return -1;
    }
    if (len > 0)
        memcpy(m->out + m->out_len, buf, len);
    m->out_len += len;
    return 0;
}

struct tahr_io memory_io(struct memory *m)
{
    return (struct tahr_io){read_memory, write_memory, m, 2};
}

void memory_reset(struct memory *m, const void *in, size_t len)
{
    m->in = in;
    m->in_len = len;
    m->in_at = m->out_len = 0;
    m->calls = m->fail_at = 0;
    m->reads_at_end = 0;
}

void memory_free(struct memory *m)
{
    free(m->out);
    *m = memory_of(NULL, 0);
}
