/* PEM (RFC 7468): base64 in lines of 64 characters between a BEGIN and an END line. */
#include "pem.h"

#define BEGIN   "-----BEGIN "
#define END     "-----END "
#define DASHES  "-----"
#define COLUMNS 64

static const struct tahr_error no_end = {
    TAHR_BAD_KEY, "the PEM block has no END line that fits its BEGIN line", NULL};
const struct tahr_error pem_encrypted = {
    TAHR_BAD_KEY, "this private key is protected by a passphrase, which is not read here",
    "take the passphrase off in a copy: openssl pkey -in FILE -out NEW"};
static const struct tahr_error headers = {TAHR_BAD_KEY, "the PEM block has header lines", NULL};
static const struct tahr_error too_large = {TAHR_BAD_KEY, "the PEM block is too large for a key",
                                            NULL};
static const struct tahr_error bad_base64 = {TAHR_BAD_KEY,
                                             "the PEM block is not well-formed base64", NULL};
static const struct tahr_error no_memory = {TAHR_SYSTEM, "out of memory", NULL};

static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

int line_next(struct bytes *line, struct lines *in)
{
    const char *p = in->rest.p, *end, *newline;
    struct bytes newline_only;

    if (in->rest.len == 0)
        return 0;
    newline = memchr(p, '\n', in->rest.len);
    end = newline ? newline : p + in->rest.len;
    (void)bytes_take(line, &in->rest, (size_t)(end - p));        /* it was found there */
    (void)bytes_take(&newline_only, &in->rest, newline != NULL); /* likewise */
    while (p < end && is_space(*p))
        p++;
    while (p < end && is_space(end[-1]))
        end--;
    *line = (struct bytes){p, (size_t)(end - p)};
    in->number++;
    return 1;
}

/* Is the line `first` label "-----"?  Then label is what stands between. */
static int boundary(struct bytes *label, struct bytes line, const char *first)
{
    size_t dashes = strlen(DASHES);
    struct bytes head, tail = line;

    if (!bytes_begin(line, first) || line.len < strlen(first) + dashes)
        return 0;
    (void)bytes_take(&head, &tail, strlen(first)); /* line.len >= both */
    (void)bytes_take(label, &tail, tail.len - dashes);
    return bytes_begin(tail, DASHES);
}

int pem_begins(struct bytes *label, struct bytes line)
{
    return boundary(label, line, BEGIN);
}

/* Joins the lines of the block's body in text (max bytes); *len is their length. */
static tahr_err join_lines(char *text, size_t max, size_t *len, struct lines *in,
                           struct bytes label)
{
    struct bytes line, end = {NULL, 0};

    *len = 0;
    while (line_next(&line, in)) {
        if (bytes_begin(line, DASHES))
            return boundary(&end, line, END) && bytes_equal(end, label) ? NULL : &no_end;
        if (bytes_begin(line, "Proc-Type: 4,ENCRYPTED"))
            return &pem_encrypted;
        if (memchr(line.p, ':', line.len) != NULL)
            return &headers;
        if (line.len > max - *len)
            return &too_large;
        memcpy(text + *len, line.p, line.len);
        *len += line.len;
    }
    return &no_end;
}

void pem_skip(struct lines *in)
{
    struct bytes line;

    while (line_next(&line, in) && !bytes_begin(line, DASHES))
        ;
}

tahr_err pem_read(uint8_t *out, size_t max, struct bytes *der, struct lines *in, struct bytes label)
{
    size_t text_max = base64_len(max, 1), text_len, len;
    char *text = secret_alloc(text_max);
    tahr_err err;

    if (text == NULL)
        return &no_memory;
    err = join_lines(text, text_max, &text_len, in, label);
    if (err == NULL && base64_decode(out, max, &len, text, text_len, 1))
        err = &bad_base64;
    if (err == NULL)
        *der = (struct bytes){out, len};
    secret_free(text);
    return err;
}

size_t pem_len(const char *label, size_t len)
{
    size_t chars = base64_len(len, 1);

    return strlen(BEGIN) + strlen(END) + 2 * (strlen(label) + strlen(DASHES) + 1) + chars +
           (chars + COLUMNS - 1) / COLUMNS;
}

static char *put_text(char *at, const char *text)
{
    return at + strlen(strcpy(at, text));
}

static char *put_boundary(char *at, const char *first, const char *label)
{
    at = put_text(at, first);
    at = put_text(at, label);
    return put_text(at, DASHES "\n");
}

/* 48 bytes make a line of 64 characters. */
void pem_write(char *text, const char *label, struct bytes der)
{
    const uint8_t *p = der.p;

    text = put_boundary(text, BEGIN, label);
    for (size_t at = 0, take; at < der.len; at += take) {
        take = der.len - at < COLUMNS * 3 / 4 ? der.len - at : COLUMNS * 3 / 4;
        base64_encode(text, p + at, take, 1);
        text += base64_len(take, 1);
        *text++ = '\n';
    }
    *put_boundary(text, END, label) = '\0';
}
