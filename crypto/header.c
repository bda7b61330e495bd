/* The header of an age file: written as text, read in one pass, authenticated by a MAC.
 *
 *     header = "age-encryption.org/v1" LF 1*stanza "--- " base64(MAC) LF
 *     stanza = "->" 1*(SP argument) LF *(64 columns LF) (0 to 63 columns LF)
 *
 * base64 is unpadded and canonical, so that a header has one text; reading is as strict. */
#include "message.h"

#include <string.h>

#define VERSION      "age-encryption.org/v1"
#define VERSION_LINE VERSION "\n"
#define VERSION_LEN  (sizeof VERSION_LINE - 1)
#define MAC_LEN      32
#define MAC_BASE64   43
#define MAC_LINE_LEN (4 + MAC_BASE64 + 1)

#define MALFORMED(what)                                                                            \
    {                                                                                              \
        TAHR_BAD_MESSAGE, "malformed header: " what, NULL                                          \
    }
static const struct tahr_error cut_short = MALFORMED("it is cut short");
static const struct tahr_error too_long = MALFORMED("it is longer than 2 MiB");
static const struct tahr_error too_many = MALFORMED("it has more than 1024 stanzas");
static const struct tahr_error bad_start = MALFORMED("a line starts neither a stanza nor the MAC");
static const struct tahr_error bad_argument = MALFORMED("a stanza has an argument out of shape");
static const struct tahr_error bad_count = MALFORMED("a stanza has more than 128 arguments");
static const struct tahr_error bad_body = MALFORMED("a stanza's body is not canonical base64");
static const struct tahr_error bad_mac_line = MALFORMED("its MAC is out of shape");
static const struct tahr_error no_stanza = MALFORMED("it has no stanza");

static const struct tahr_error wrong_mac = {
    TAHR_BAD_MESSAGE, "the header's MAC is wrong: the header has been changed", NULL};
static const struct tahr_error unwritable = {TAHR_BAD_CALL, "too many recipients for one header",
                                             "a header holds 1024 stanzas and 2 MiB"};

static const struct tahr_error not_age = {TAHR_BAD_MESSAGE, "not an age file", NULL};
static const struct tahr_error empty = {TAHR_BAD_MESSAGE, "not an age file: it is empty", NULL};
static const struct tahr_error bad_version = {
    TAHR_BAD_MESSAGE, "malformed header: its first line is not " VERSION, NULL};
static const struct tahr_error openpgp = {TAHR_BAD_MESSAGE, "not an age file",
                                          "it looks like an OpenPGP message: try gpg --decrypt"};

static int starts_with(const uint8_t *p, size_t n, const char *text)
{
    return n >= strlen(text) && memcmp(p, text, strlen(text)) == 0;
}

/* An OpenPGP message begins with a session key, a packet of tag 1 or 3 (RFC 4880 4.2, 4.3). */
static int is_openpgp(const uint8_t *p, size_t n)
{
    int tag = (p[0] & 0x40) != 0 ? p[0] & 0x3f : p[0] >> 2 & 0x0f;

    return starts_with(p, n, "-----BEGIN PGP ") || ((p[0] & 0x80) != 0 && (tag == 1 || tag == 3));
}

tahr_err header_unknown(const uint8_t *p, size_t n)
{
    if (n == 0)
        return &empty;
    if (n < VERSION_LEN && memcmp(p, VERSION_LINE, n) == 0)
        return &cut_short;
    if (starts_with(p, n, "age-encryption.org/"))
        return &bad_version;
    return is_openpgp(p, n) ? &openpgp : &not_age;
}

void header_init(struct header *h)
{
    h->count = h->args = h->stored = 0;
    h->len = VERSION_LEN;
    memcpy(h->text, VERSION_LINE, VERSION_LEN);
}

static void put(struct header *h, const char *text, size_t len)
{
    memcpy(h->text + h->len, text, len);
    h->len += len;
}

/* Is it one or more printable characters other than space? */
static int argument_valid(const char *arg, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (arg[i] < '!' || arg[i] > '~')
            return 0;
    return len > 0;
}

/* The body in full lines and one that is shorter, perhaps empty. */
static void put_body(struct header *h, const uint8_t *body, size_t len)
{
    size_t take;

    do {
        take = len < BASE64_GROUP ? len : BASE64_GROUP;
        base64_encode(h->text + h->len, body, take, 0); /* its NUL becomes the newline */
        h->len += base64_len(take, 0);
        put(h, "\n", 1);
        body += take;
        len -= take;
    } while (take == BASE64_GROUP);
}

/* A copy of what a stanza consists of, in the store.  It is never longer than the stanza's text, so
 * that there is room. */
static const void *keep(struct header *h, const void *data, size_t len)
{
    void *copy = h->store + h->stored;

    if (len > 0) /* data may be NULL */
        memcpy(copy, data, len);
    h->stored += len;
    return copy;
}

static void keep_argument(struct header *h, struct stanza *stanza, const char *text, size_t len)
{
    h->arg[h->args++] = keep(h, text, len);
    (void)keep(h, "", 1);
    stanza->args++;
}

static void keep_stanza(struct header *h, const struct stanza *stanza)
{
    struct stanza *copy = &h->stanza[h->count++];

    *copy = (struct stanza){h->arg + h->args, 0, NULL, stanza->len};
    for (size_t i = 0; i < stanza->args; i++)
        keep_argument(h, copy, stanza->arg[i], strlen(stanza->arg[i]));
    copy->body = keep(h, stanza->body, stanza->len);
}

tahr_err header_add(struct header *h, const struct stanza *stanza)
{
    size_t text = base64_len(stanza->len, 0), need = 2 + 1 + text + text / BASE64_LINE + 1;

    for (size_t i = 0; i < stanza->args; i++) {
        if (!argument_valid(stanza->arg[i], strlen(stanza->arg[i])))
            return &unwritable;
        need += 1 + strlen(stanza->arg[i]);
    }
    if (h->count == HEADER_MAX_STANZAS || stanza->args == 0 || stanza->args > STANZA_MAX_ARGS ||
        need > HEADER_MAX - MAC_LINE_LEN - h->len)
        return &unwritable;
    keep_stanza(h, stanza);
    put(h, "->", 2);
    for (size_t i = 0; i < stanza->args; i++) {
        put(h, " ", 1);
        put(h, stanza->arg[i], strlen(stanza->arg[i]));
    }
    put(h, "\n", 1);
    put_body(h, stanza->body, stanza->len);
    return NULL;
}

/* The MAC of the first len bytes of text, which end in "---". */
static void compute_mac(char mac[MAC_BASE64 + 1], const struct header *h, size_t len,
                        const uint8_t file_key[FILE_KEY_LEN])
{
    uint8_t key[32], sum[MAC_LEN];

    secret_hkdf(key, sizeof key, (struct bytes){file_key, FILE_KEY_LEN}, NULL, 0, "header");
    secret_hmac(sum, (struct bytes){key, sizeof key}, &(struct bytes){h->text, len}, 1);
    base64_encode(mac, sum, sizeof sum, 0);
    secret_wipe(key, sizeof key);
}

void header_finish(struct header *h, const uint8_t file_key[FILE_KEY_LEN])
{
    char mac[MAC_BASE64 + 1];

    put(h, "---", 3);
    compute_mac(mac, h, h->len, file_key);
    put(h, " ", 1);
    put(h, mac, MAC_BASE64);
    put(h, "\n", 1);
}

tahr_err header_verify(const struct header *h, const uint8_t file_key[FILE_KEY_LEN])
{
    char mac[MAC_BASE64 + 1];
    const char *line = h->text + h->len - MAC_LINE_LEN;

    compute_mac(mac, h, (size_t)(line - h->text) + 3, file_key);
    return secret_equal(mac, line + 4, MAC_BASE64) ? NULL : &wrong_mac;
}

/* Appends the next line to the text; it has *len characters and then its newline. */
static tahr_err read_text_line(struct header *h, struct lookahead *in, const char **line,
                               size_t *len)
{
    const uint8_t *p, *newline = NULL;
    size_t n, start = h->len;

    while (newline == NULL) {
        tahr_err err = lookahead_peek(in, 1, &p, &n);

        if (err != NULL)
            return err;
        if (n == 0)
            return &cut_short;
        newline = memchr(p, '\n', n);
        if (newline != NULL)
            n = (size_t)(newline - p) + 1;
        if (n > HEADER_MAX - h->len)
            return &too_long;
        put(h, (const char *)p, n);
        lookahead_skip(in, n);
    }
    *line = h->text + start;
    *len = h->len - start - 1;
    return NULL;
}

/* Splits the len characters after "-> " into the stanza's arguments. */
static tahr_err parse_arguments(struct header *h, struct stanza *stanza, const char *text,
                                size_t len, size_t max)
{
    *stanza = (struct stanza){h->arg + h->args, 0, NULL, 0};
    for (;;) {
        const char *space = memchr(text, ' ', len);
        size_t n = space == NULL ? len : (size_t)(space - text);

        if (!argument_valid(text, n))
            return &bad_argument;
        if (stanza->args == max)
            return &bad_count;
        keep_argument(h, stanza, text, n);
        if (space == NULL)
            return NULL;
        text += n + 1;
        len -= n + 1;
    }
}

static tahr_err read_body(struct header *h, struct stanza *stanza, struct lookahead *in)
{
    const char *line;
    size_t len, got;

    stanza->body = h->store + h->stored;
    do {
        tahr_err err = read_text_line(h, in, &line, &len);

        if (err != NULL)
            return err;
        if (len > BASE64_LINE ||
            base64_decode(h->store + h->stored, HEADER_MAX - h->stored, &got, line, len, 0) != 0)
            return &bad_body;
        h->stored += got;
        stanza->len += got;
    } while (len == BASE64_LINE);
    return NULL;
}

/* The line is "--- " and the canonical base64 of 32 bytes. */
static tahr_err parse_mac_line(const char *line, size_t len)
{
    uint8_t mac[MAC_LEN];
    size_t got;

    if (len != 4 + MAC_BASE64 || line[3] != ' ' ||
        base64_decode(mac, sizeof mac, &got, line + 4, MAC_BASE64, 0) != 0)
        return &bad_mac_line;
    return NULL;
}

static tahr_err read_version(struct header *h, struct lookahead *in)
{
    const uint8_t *p;
    size_t n;
    tahr_err err = lookahead_peek(in, VERSION_LEN, &p, &n);

    if (err != NULL)
        return err;
    if (!starts_with(p, n, VERSION_LINE))
        return header_unknown(p, n);
    lookahead_skip(in, VERSION_LEN);
    header_init(h);
    return NULL;
}

/* The stanza whose first line, of len characters, has been read. */
static tahr_err read_stanza(struct header *h, struct lookahead *in, const char *line, size_t len,
                            size_t max_args)
{
    struct stanza *stanza = &h->stanza[h->count];
    tahr_err err;

    if (len < 3 || memcmp(line, "-> ", 3) != 0)
        return &bad_start;
    if (h->count == HEADER_MAX_STANZAS)
        return &too_many;
    h->count++;
    err = parse_arguments(h, stanza, line + 3, len - 3, max_args);
    return err != NULL ? err : read_body(h, stanza, in);
}

tahr_err header_read_stanza(struct header *h, struct lookahead *in, size_t max_args)
{
    const char *line;
    size_t len;
    tahr_err err = read_text_line(h, in, &line, &len);

    return err != NULL ? err : read_stanza(h, in, line, len, max_args);
}

tahr_err header_read(struct header *h, struct lookahead *in)
{
    const char *line;
    size_t len;
    tahr_err err = read_version(h, in);

    while (err == NULL) {
        err = read_text_line(h, in, &line, &len);
        if (err != NULL)
            break;
        if (len >= 3 && memcmp(line, "---", 3) == 0)
            return h->count == 0 ? &no_stanza : parse_mac_line(line, len);
        err = read_stanza(h, in, line, len, STANZA_MAX_ARGS);
    }
    return err;
}
