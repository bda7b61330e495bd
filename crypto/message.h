/* The age v1 file (C2SP age specification), private to crypto/: its layers and how they are
 * stacked.
 *
 *     decrypt   io -> lookahead -> [armor decoder -> lookahead] -> header, then payload -> io
 *     encrypt   io -> header, then payload -> [armor encoder] -> io
 *
 * Each layer is a source or a sink of bytes for the next.  The texts of malformed armor begin with
 * "malformed armor", those of a header with "malformed header". */
#ifndef TAHR_MESSAGE_H
#define TAHR_MESSAGE_H

#include "recipient.h"
#include "secret.h"
#include "tahr.h"

/* --- pipe.c: sources and sinks --- */

/* Where bytes come from: read gives up to len of them and sets *got, 0 at the end only. */
struct source {
    tahr_err (*read)(struct source *self, void *buf, size_t len, size_t *got);
};

/* Where bytes go: write takes all len of them. */
struct sink {
    tahr_err (*write)(struct sink *self, const void *buf, size_t len);
};

/* Reads until buf is full or the source ends: *got < len at the end only. */
tahr_err source_fill(struct source *source, void *buf, size_t len, size_t *got);

/* The caller's functions as a source and as a sink; the source stays at its end once it is there.
 */
struct io_source {
    struct source source;
    const struct tahr_io *io;
    int ended;
};
struct io_sink {
    struct sink sink;
    const struct tahr_io *io;
};
void io_source_init(struct io_source *s, const struct tahr_io *io);
void io_sink_init(struct io_sink *s, const struct tahr_io *io);

/* A source over another that lets one look at up to LOOKAHEAD_MAX bytes before they are read. */
#define LOOKAHEAD_MAX 65536
struct lookahead {
    struct source source;
    struct source *below;
    size_t at, end; /* buf[at .. end) is read from below but not yet from here */
    uint8_t buf[LOOKAHEAD_MAX];
};
void lookahead_init(struct lookahead *l, struct source *below);

/* *p points to the next *n bytes: at least want (<= LOOKAHEAD_MAX) of them, fewer at the end only.
 * skip drops n of those. */
tahr_err lookahead_peek(struct lookahead *l, size_t want, const uint8_t **p, size_t *n);
void lookahead_skip(struct lookahead *l, size_t n);

/* --- armor.c: strict PEM (RFC 7468) with the label AGE ENCRYPTED FILE --- */

#define BASE64_LINE  64 /* columns of a full line, in armor and in a header */
#define BASE64_GROUP 48 /* the bytes it holds */
#define ARMOR_LINES  1024

/* The bytes inside an armor.  White space before and after is allowed; lines end in LF or CRLF. */
struct armor_decoder {
    struct source source;
    struct lookahead *text;
    enum { ARMOR_BEGIN, ARMOR_FULL_LINES, ARMOR_LAST_LINE, ARMOR_END } state;
    size_t at, end; /* group[at .. end) is decoded but not yet read */
    uint8_t group[BASE64_GROUP];
};
void armor_decoder_init(struct armor_decoder *a, struct lookahead *text);

/* Does a text that begins with these n bytes (white space, or a PEM line) call for the decoder? */
int armor_begins(const uint8_t *p, size_t n);

/* Puts what is written to it in an armor; finish writes the rest and the last line. */
struct armor_encoder {
    struct sink sink;
    struct sink *below;
    size_t held; /* bytes of an unfinished line, in group */
    uint8_t group[BASE64_GROUP];
    size_t len; /* of text */
    char text[ARMOR_LINES * (BASE64_LINE + 1) + 1];
};
void armor_encoder_init(struct armor_encoder *a, struct sink *below);
tahr_err armor_encoder_finish(struct armor_encoder *a);

/* --- header.c: the stanzas and their MAC --- */

#define HEADER_MAX         ((size_t)2 << 20) /* bytes, the MAC's line included */
#define HEADER_MAX_STANZAS 1024

/* A header as text and as stanzas, which point into store: they are never longer than their text.
 * 5 MiB of address space, of which only what a header needs is touched. */
struct header {
    size_t count, args, stored, len;
    struct stanza stanza[HEADER_MAX_STANZAS];
    const char *arg[HEADER_MAX_STANZAS * STANZA_MAX_ARGS];
    uint8_t store[HEADER_MAX];
    char text[HEADER_MAX];
};

/* An empty header, to which header_add (recipient.h) adds stanzas. */
void header_init(struct header *h);

/* Ends the text with the MAC, HMAC-SHA-256(HKDF(file key, "", "header"), text up to "---"). */
void header_finish(struct header *h, const uint8_t file_key[FILE_KEY_LEN]);

/* Reads and parses a header, whole and strictly, and leaves in at the first byte after it. */
tahr_err header_read(struct header *h, struct lookahead *in);

/* Reads one more stanza and no further than its end, as part of a header or of something else that
 * is made of stanzas.  Requires that there is room: h->args + max_args <= the room in arg. */
tahr_err header_read_stanza(struct header *h, struct lookahead *in, size_t max_args);

/* Is the MAC that was read the one of this file key?  NULL or an error. */
tahr_err header_verify(const struct header *h, const uint8_t file_key[FILE_KEY_LEN]);

/* What to say of a file that begins with these n bytes, which is no age v1 file. */
tahr_err header_unknown(const uint8_t *p, size_t n);

/* --- pipeline.c: blocks of a stream, worked on by several threads --- */

/* A block: in[0 .. len) is read, and what is made of it, out[0 .. made), is written. */
struct block {
    uint64_t number; /* from 0 */
    int last, done;
    size_t len, made;
    tahr_err err; /* with which the stream ends after this block */
    uint8_t *in, *out;
};

/* What is made of a block, which is in_size long unless it is the last; at most out_size bytes.  It
 * sets made and err; it is called for several blocks at the same time. */
struct work {
    size_t in_size, out_size;
    void (*block)(struct block *block, const void *context);
    const void *context;
};

/* Reads in to its end and writes what is made of it to out, in order; in and out are called by the
 * calling thread alone.  threads: 0 for as many as there are cores. */
tahr_err pipeline_run(struct sink *out, struct source *in, const struct work *work, int threads);

/* --- stream.c: the payload --- */

#define STREAM_CHUNK 65536 /* bytes of plaintext */
#define STREAM_TAG   16

/* The nonce of chunk i: i in 11 bytes, big-endian, and 01 for the last chunk, 00 for the others. */
void stream_nonce(uint8_t nonce[12], uint64_t i, int last);

/* out gets the payload of a fresh nonce and everything in gives, sealed in chunks; and the reverse,
 * where what is written has been authenticated, even if an error follows.  threads as above. */
tahr_err stream_seal(struct sink *out, struct source *in, const uint8_t file_key[FILE_KEY_LEN],
                     int threads);
tahr_err stream_open(struct sink *out, struct source *in, const uint8_t file_key[FILE_KEY_LEN],
                     int threads);

/* --- message.c: put together --- */

/* A message whose header has been read. */
struct message {
    struct io_source io;
    struct lookahead raw;
    struct armor_decoder armor;
    struct lookahead decoded;
    struct lookahead *in; /* the one of the two that stands after the header */
    struct header header;
};

/* Finds out whether the message is armored, and reads its header.  On success *m is to be freed. */
tahr_err message_open(struct message **m, const struct tahr_io *io);
void message_free(struct message *m);
int message_is_armored(const struct message *m);

/* The file key, from one stanza and one key; recipient_no_match if they are of different types. */
tahr_err message_try(uint8_t file_key[FILE_KEY_LEN], const struct stanza *stanza,
                     const tahr_key *identity);

/* The file key, from the first stanza that one of the keys fits. */
tahr_err message_unwrap(uint8_t file_key[FILE_KEY_LEN], const struct message *m,
                        const tahr_key *const *identities, size_t count);

/* Checks the header's MAC and writes the plaintext. */
tahr_err message_decrypt(struct message *m, const uint8_t file_key[FILE_KEY_LEN]);

#endif
