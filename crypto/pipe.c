/* Sources and sinks of bytes: the caller's own functions, and a source one can look ahead in. */
#include "message.h"

#include <string.h>

static const struct tahr_error read_failed = {TAHR_SYSTEM, "reading failed", NULL};
static const struct tahr_error write_failed = {TAHR_SYSTEM, "writing failed", NULL};

tahr_err source_fill(struct source *source, void *buf, size_t len, size_t *got)
{
    for (*got = 0; *got < len;) {
        size_t n;
        tahr_err err = source->read(source, (uint8_t *)buf + *got, len - *got, &n);

        if (err != NULL || n == 0)
            return err;
        *got += n;
    }
    return NULL;
}

static tahr_err io_read(struct source *self, void *buf, size_t len, size_t *got)
{
    struct io_source *s = (struct io_source *)self;

    *got = 0;
    if (s->ended)
        return NULL;
    if (s->io->read(s->io->context, buf, len, got) != 0 || *got > len)
        return &read_failed;
    s->ended = *got == 0;
    return NULL;
}

void io_source_init(struct io_source *s, const struct tahr_io *io)
{
    *s = (struct io_source){{io_read}, io, 0};
}

static tahr_err io_write(struct sink *self, const void *buf, size_t len)
{
    const struct tahr_io *io = ((struct io_sink *)self)->io;

    return io->write(io->context, buf, len) != 0 ? &write_failed : NULL;
}

void io_sink_init(struct io_sink *s, const struct tahr_io *io)
{
    *s = (struct io_sink){{io_write}, io};
}

static tahr_err lookahead_read(struct source *self, void *buf, size_t len, size_t *got)
{
    struct lookahead *l = (struct lookahead *)self;
    size_t held = l->end - l->at;

    if (held == 0)
        return l->below->read(l->below, buf, len, got);
    *got = len < held ? len : held;
    memcpy(buf, l->buf + l->at, *got);
    l->at += *got;
    return NULL;
}

void lookahead_init(struct lookahead *l, struct source *below)
{
    l->source.read = lookahead_read;
    l->below = below;
    l->at = l->end = 0;
}

tahr_err lookahead_peek(struct lookahead *l, size_t want, const uint8_t **p, size_t *n)
{
    if (l->end - l->at < want) {
        memmove(l->buf, l->buf + l->at, l->end - l->at);
        l->end -= l->at;
        l->at = 0;
    }
    while (l->end - l->at < want) {
        size_t got;
        tahr_err err = l->below->read(l->below, l->buf + l->end, LOOKAHEAD_MAX - l->end, &got);

        if (err != NULL)
            return err;
        if (got == 0)
            break;
        l->end += got;
    }
    *p = l->buf + l->at;
    *n = l->end - l->at;
    return NULL;
}

void lookahead_skip(struct lookahead *l, size_t n)
{
    l->at += n;
}
