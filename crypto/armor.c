/* Armor: strict PEM (RFC 7468 figure 3) with the label AGE ENCRYPTED FILE.
 *
 * Every line has 64 columns but the last, which may be shorter and is not empty; base64 is padded
 * and canonical, so that one file has one armor.  Nothing but white space may stand around it. */
#include "message.h"

#include <string.h>

#define BEGIN_LINE     "-----BEGIN AGE ENCRYPTED FILE-----"
#define END_LINE       "-----END AGE ENCRYPTED FILE-----"

/* The longest line, CRLF included. */
#define LINE_MAX_BYTES (BASE64_LINE + 2)

#define MALFORMED(what)                                                                            \
    {                                                                                              \
        TAHR_BAD_MESSAGE, "malformed armor: " what, NULL                                           \
    }
static const struct tahr_error bad_first_line = MALFORMED("its first line is not " BEGIN_LINE);
static const struct tahr_error bad_line = MALFORMED("a line is longer than 64 columns, or empty");
static const struct tahr_error bad_base64 = MALFORMED("a line is not canonical base64");
static const struct tahr_error bad_end = MALFORMED("a short line is not the last");
static const struct tahr_error trailing = MALFORMED("there is something after its last line");
static const struct tahr_error cut_short = MALFORMED("it ends before its last line");

static int is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int armor_begins(const uint8_t *p, size_t n)
{
    return n > 0 && (is_space(p[0]) || p[0] == '-');
}

static int line_is(const uint8_t *line, size_t len, const char *text)
{
    return len == strlen(text) && memcmp(line, text, len) == 0;
}

/* Takes the next line: *len columns, without its LF or CRLF, valid until the next look ahead. */
static tahr_err next_line(struct armor_decoder *a, const uint8_t **line, size_t *len)
{
    const uint8_t *newline;
    size_t n;
    tahr_err err = lookahead_peek(a->text, LINE_MAX_BYTES, line, &n);

    if (err != NULL)
        return err;
    if (n == 0)
        return &cut_short;
    if (n > LINE_MAX_BYTES)
        n = LINE_MAX_BYTES;
    newline = memchr(*line, '\n', n);
    *len = newline == NULL ? n : (size_t)(newline - *line);
    lookahead_skip(a->text, newline == NULL ? n : *len + 1);
    if (*len > 0 && (*line)[*len - 1] == '\r')
        --*len;
    return *len > BASE64_LINE ? &bad_line : NULL;
}

/* Skips white space; *fresh says whether what follows begins a line, *more whether there is any. */
static tahr_err skip_space(struct armor_decoder *a, int *fresh, int *more)
{
    const uint8_t *p;
    size_t n;

    for (*fresh = 1;;) {
        size_t i = 0;
        tahr_err err = lookahead_peek(a->text, 1, &p, &n);

        if (err != NULL)
            return err;
        for (; i < n && is_space(p[i]); i++)
            *fresh = p[i] == '\n';
        lookahead_skip(a->text, i);
        *more = i < n;
        if (i < n || n == 0)
            return NULL;
    }
}

static tahr_err read_begin(struct armor_decoder *a)
{
    const uint8_t *p;
    size_t n, len;
    int fresh, more;
    tahr_err err = skip_space(a, &fresh, &more);

    if (err == NULL)
        err = lookahead_peek(a->text, LINE_MAX_BYTES, &p, &n);
    if (err != NULL)
        return err;
    if (n < 11 || memcmp(p, "-----BEGIN ", 11) != 0 ||
        (n > 15 && memcmp(p, "-----BEGIN PGP ", 15) == 0))
        return header_unknown(p, n);
    err = next_line(a, &p, &len);
    if (err == NULL && !(fresh && line_is(p, len, BEGIN_LINE)))
        err = &bad_first_line;
    a->state = ARMOR_FULL_LINES;
    return err;
}

/* The line END has been read: nothing but white space may follow. */
static tahr_err read_end(struct armor_decoder *a)
{
    int fresh, more;
    tahr_err err = skip_space(a, &fresh, &more);

    a->state = ARMOR_END;
    return err == NULL && more ? &trailing : err;
}

/* Decodes the next line into group; at the armor's end group stays empty. */
static tahr_err read_line(struct armor_decoder *a)
{
    const uint8_t *line;
    size_t len;
    tahr_err err = next_line(a, &line, &len);

    if (err != NULL)
        return err;
    if (line_is(line, len, END_LINE))
        return read_end(a);
    if (a->state == ARMOR_LAST_LINE)
        return &bad_end;
    if (len == 0)
        return &bad_line;
    if (base64_decode(a->group, sizeof a->group, &a->end, (const char *)line, len, 1) != 0)
        return &bad_base64;
    a->at = 0;
    if (a->end < BASE64_GROUP)
        a->state = ARMOR_LAST_LINE;
    return NULL;
}

static tahr_err decoder_read(struct source *self, void *buf, size_t len, size_t *got)
{
    struct armor_decoder *a = (struct armor_decoder *)self;
    size_t take;

    for (*got = 0; *got < len; *got += take) {
        tahr_err err = NULL;

        if (a->state == ARMOR_BEGIN)
            err = read_begin(a);
        if (err == NULL && a->at == a->end && a->state != ARMOR_END)
            err = read_line(a);
        if (err != NULL)
            return err;
        if (a->at == a->end)
            return NULL;
        take = a->end - a->at < len - *got ? a->end - a->at : len - *got;
        memcpy((uint8_t *)buf + *got, a->group + a->at, take);
        a->at += take;
    }
    return NULL;
}

void armor_decoder_init(struct armor_decoder *a, struct lookahead *text)
{
    a->source.read = decoder_read;
    a->text = text;
    a->state = ARMOR_BEGIN;
    a->at = a->end = 0;
}

static void put_text(struct armor_encoder *a, const char *text)
{
    memcpy(a->text + a->len, text, strlen(text));
    a->len += strlen(text);
}

static tahr_err flush(struct armor_encoder *a)
{
    tahr_err err = a->below->write(a->below, a->text, a->len);

    a->len = 0;
    return err;
}

/* Moves group to text as a line.  There is always room for one: text holds ARMOR_LINES of them and
 * the NUL that base64_encode adds, and is emptied when the next might not fit. */
static tahr_err put_line(struct armor_encoder *a)
{
    base64_encode(a->text + a->len, a->group, a->held, 1);
    a->len += base64_len(a->held, 1);
    a->text[a->len++] = '\n';
    a->held = 0;
    return sizeof a->text - a->len < BASE64_LINE + 2 ? flush(a) : NULL;
}

static tahr_err encoder_write(struct sink *self, const void *buf, size_t len)
{
    struct armor_encoder *a = (struct armor_encoder *)self;
    const uint8_t *p = buf;
    size_t take;

    for (; len > 0; p += take, len -= take) {
        take = BASE64_GROUP - a->held < len ? BASE64_GROUP - a->held : len;
        memcpy(a->group + a->held, p, take);
        a->held += take;
        if (a->held == BASE64_GROUP) {
            tahr_err err = put_line(a);

            if (err != NULL)
                return err;
        }
    }
    return NULL;
}

void armor_encoder_init(struct armor_encoder *a, struct sink *below)
{
    a->sink.write = encoder_write;
    a->below = below;
    a->held = a->len = 0;
    put_text(a, BEGIN_LINE "\n");
}

tahr_err armor_encoder_finish(struct armor_encoder *a)
{
    tahr_err err = a->held > 0 ? put_line(a) : NULL;

    if (err != NULL)
        return err;
    put_text(a, END_LINE "\n");
    return flush(a);
}
