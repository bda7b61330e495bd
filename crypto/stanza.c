/* Stanzas on their own, for programs that speak age's plugin protocol: read, written, and with a
 * file key wrapped in them.
 *
 * They are read and written as a header's are (header.c), with a header as the room to do it in.
 * What stays is a block of guarded memory for each, since it may hold a file key or an identity. */
#include "message.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ARGS (STANZA_MAX_ARGS + 2) /* a header's stanza behind a command and an index */

static const struct tahr_error no_memory = {TAHR_SYSTEM, "out of memory", NULL};
static const struct tahr_error malformed = {TAHR_BAD_MESSAGE, "malformed stanza", NULL};
static const struct tahr_error unwritable = {
    TAHR_BAD_CALL, "a stanza has 1 to 128 arguments of printable ASCII without spaces", NULL};
static const struct tahr_error public_identity = {TAHR_BAD_KEY, "a public key cannot decrypt",
                                                  "give the private key that belongs to it"};

/* --- Blocks --- */

/* A stanza, its arguments' addresses, and then their characters and the body. */
struct parcel {
    struct tahr_stanza stanza;
    const char *arg[];
};

/* In whole blocks, so that one that ends where a page ends is aligned. */
static size_t block_size(const struct stanza *s)
{
    size_t size = sizeof(struct parcel) + s->args * sizeof(char *) + s->len;

    for (size_t i = 0; i < s->args; i++)
        size += strlen(s->arg[i]) + 1;
    return (size + sizeof(struct parcel) - 1) / sizeof(struct parcel) * sizeof(struct parcel);
}

static tahr_err copy(struct tahr_stanza **stanza, const struct stanza *s)
{
    struct parcel *b = secret_alloc(block_size(s));
    char *next;

    if (b == NULL)
        return &no_memory;
    next = (char *)(b->arg + s->args);
    for (size_t i = 0; i < s->args; i++) {
        b->arg[i] = strcpy(next, s->arg[i]);
        next += strlen(next) + 1;
    }
    memcpy(next, s->body, s->len);
    b->stanza = (struct tahr_stanza){b->arg, s->args, (const unsigned char *)next, s->len};
    *stanza = &b->stanza;
    return NULL;
}

void tahr_stanza_free(struct tahr_stanza *stanza)
{
    secret_free(stanza);
}

/* --- Reading and writing --- */

static struct header *room_new(void)
{
    struct header *h = malloc(sizeof *h);

    if (h != NULL)
        header_init(h);
    return h;
}

static void room_free(struct header *h)
{
    secret_wipe(h->text, h->len);
    secret_wipe(h->store, h->stored);
    free(h);
}

/* The caller's bytes one at a time, so that no more are taken than the stanza has. */
struct byte_source {
    struct source source;
    struct io_source below;
};

static tahr_err read_byte(struct source *self, void *buf, size_t len, size_t *got)
{
    struct io_source *below = &((struct byte_source *)self)->below;

    (void)len; /* never 0 */
    return below->source.read(&below->source, buf, 1, got);
}

static tahr_err read_stanza(struct tahr_stanza **stanza, struct header *room, struct lookahead *in)
{
    const uint8_t *p;
    size_t n;
    tahr_err err = lookahead_peek(in, 1, &p, &n);

    if (err != NULL || n == 0)
        return err;
    err = header_read_stanza(room, in, MAX_ARGS);
    if (err == NULL)
        return copy(stanza, &room->stanza[0]);
    return err->code == TAHR_BAD_MESSAGE ? &malformed : err;
}

tahr_err tahr_stanza_read(struct tahr_stanza **stanza, const struct tahr_io *io)
{
    struct byte_source source = {{read_byte}, {{NULL}, NULL, 0}};
    struct lookahead *in = malloc(sizeof *in);
    struct header *room = room_new();
    tahr_err err = &no_memory;

    *stanza = NULL;
    if (in != NULL && room != NULL) {
        io_source_init(&source.below, io);
        lookahead_init(in, &source.source);
        err = read_stanza(stanza, room, in);
        secret_wipe(in->buf, in->end);
    }
    free(in);
    if (room != NULL)
        room_free(room);
    return err;
}

tahr_err tahr_stanza_write(const struct tahr_io *io, const struct tahr_stanza *stanza)
{
    const struct stanza s = {stanza->arg, stanza->args, stanza->body, stanza->len};
    struct header *room = room_new();
    struct io_sink out;
    size_t start;
    tahr_err err = &unwritable;

    if (room == NULL)
        return &no_memory;
    io_sink_init(&out, io);
    start = room->len;
    if (header_add(room, &s) == NULL)
        err = out.sink.write(&out.sink, room->text + start, room->len - start);
    room_free(room);
    return err;
}

/* --- File keys --- */

tahr_err tahr_wrap(struct tahr_stanza **stanza, const unsigned char file_key[TAHR_FILE_KEY_LEN],
                   const tahr_key *recipient)
{
    struct header *room = room_new();
    tahr_err err;

    *stanza = NULL;
    if (room == NULL)
        return &no_memory;
    err = recipient_for(recipient)->wrap(room, file_key, recipient);
    if (err == NULL)
        err = copy(stanza, &room->stanza[0]);
    room_free(room);
    return err;
}

static tahr_err unwrap(uint8_t file_key[FILE_KEY_LEN], const struct tahr_stanza *stanza,
                       const tahr_key *identity)
{
    const struct recipient_type *type = recipient_for(identity);
    const struct stanza s = {stanza->arg, stanza->args, stanza->body, stanza->len};

    if (!identity->is_private)
        return &public_identity;
    if (s.args == 0 || strcmp(s.arg[0], type->name) != 0)
        return &recipient_no_match;
    return type->unwrap(file_key, &s, identity);
}

/* What counts more the higher it is: that the header is out of shape (or memory runs out), that a
 * stanza opens, that one is ours but does not open, that none is ours. */
static int weight(tahr_err err)
{
    return err == &recipient_no_match ? 0 : err == &recipient_corrupt ? 1 : err == NULL ? 2 : 3;
}

/* Weighs what a key makes of each stanza against the verdict so far. */
static void try_key(uint8_t file_key[FILE_KEY_LEN], size_t *at, tahr_err *verdict,
                    const struct tahr_stanza *const *stanzas, size_t count,
                    const tahr_key *identity)
{
    uint8_t found[FILE_KEY_LEN];
    int tries = 0;

    for (size_t i = 0; i < count && tries < RECIPIENT_TRIES; i++) {
        tahr_err err = unwrap(found, stanzas[i], identity);

        tries += err != &recipient_no_match;
        if (weight(err) <= weight(*verdict))
            continue;
        *verdict = err;
        *at = i;
        if (err == NULL)
            memcpy(file_key, found, FILE_KEY_LEN);
    }
    secret_wipe(found, sizeof found);
}

tahr_err tahr_unwrap(unsigned char file_key[TAHR_FILE_KEY_LEN], size_t *at,
                     const struct tahr_stanza *const *stanzas, size_t count,
                     const tahr_key *const *identities, size_t identity_count)
{
    tahr_err verdict = &recipient_no_match;

    *at = 0;
    for (size_t k = 0; k < identity_count; k++)
        try_key(file_key, at, &verdict, stanzas, count, identities[k]);
    if (verdict != NULL)
        secret_wipe(file_key, FILE_KEY_LEN);
    return verdict;
}
