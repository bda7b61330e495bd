/* Encrypting, decrypting and rewrapping a message: armor, header and payload put together. */
#include "message.h"

#include <stdlib.h>
#include <string.h>

static const struct tahr_error no_sodium = {TAHR_SYSTEM, "libsodium does not start", NULL};
static const struct tahr_error no_memory = {TAHR_SYSTEM, "out of memory", NULL};
static const struct tahr_error no_io = {TAHR_BAD_CALL, "no function to read or to write", NULL};
static const struct tahr_error no_recipient = {TAHR_BAD_CALL, "no recipient", NULL};
static const struct tahr_error too_many_recipients = {TAHR_BAD_CALL, "too many recipients",
                                                      "a message is for at most 1024 keys"};
static const struct tahr_error no_identity = {TAHR_BAD_CALL, "no identity", NULL};
static const struct tahr_error not_alone = {TAHR_BAD_CALL,
                                            "a passphrase is a message's only recipient", NULL};
static const struct tahr_error mixed_scrypt = {
    TAHR_BAD_MESSAGE, "malformed header: an scrypt stanza does not stand alone", NULL};
static const struct tahr_error needs_passphrase = {TAHR_NO_MATCH, "no identity opens this message",
                                                   "it is encrypted with a passphrase"};
static const struct tahr_error hybrid = {
    TAHR_NO_MATCH, "no identity opens this message",
    "it is encrypted to a hybrid post-quantum key, which age 1.3 and later read"};
static const struct tahr_error public_identity = {TAHR_BAD_KEY, "a public key cannot decrypt",
                                                  "give the private key that belongs to it"};

tahr_err tahr_init(void)
{
    return secret_init() != 0 ? &no_sodium : NULL;
}

const char *tahr_version(void)
{
    return TAHR_VERSION;
}

static int io_complete(const struct tahr_io *io)
{
    return io != NULL && io->read != NULL && io->write != NULL;
}

/* The stanzas for all recipients, and the MAC. */
static tahr_err make_header(struct header *h, const uint8_t file_key[FILE_KEY_LEN],
                            const tahr_key *const *recipients, size_t count)
{
    tahr_err err = NULL;

    for (size_t i = 0; i < count && count > 1; i++)
        if (recipients[i]->type == TAHR_PASSPHRASE)
            return &not_alone;
    header_init(h);
    for (size_t i = 0; i < count && err == NULL; i++)
        err = recipient_for(recipients[i])->wrap(h, file_key, recipients[i]);
    if (err == NULL)
        header_finish(h, file_key);
    return err;
}

/* What comes behind a header: stream_seal, or copy. */
typedef tahr_err payload_writer(struct sink *out, struct source *in,
                                const uint8_t file_key[FILE_KEY_LEN], int threads);

/* Where a message is written, and what first. */
struct writer {
    struct io_sink out;
    struct armor_encoder armor;
    struct header header;
};

static tahr_err write_message(const struct tahr_io *io, struct source *in, payload_writer *payload,
                              const uint8_t file_key[FILE_KEY_LEN],
                              const tahr_key *const *recipients, size_t count, int armor)
{
    struct writer *w = malloc(sizeof *w);
    struct sink *out;
    tahr_err err;

    if (w == NULL)
        return &no_memory;
    io_sink_init(&w->out, io);
    armor_encoder_init(&w->armor, &w->out.sink);
    out = armor ? &w->armor.sink : &w->out.sink;
    err = make_header(&w->header, file_key, recipients, count);
    if (err == NULL)
        err = out->write(out, w->header.text, w->header.len);
    if (err == NULL)
        err = payload(out, in, file_key, io->threads);
    if (err == NULL && armor)
        err = armor_encoder_finish(&w->armor);
    free(w);
    return err;
}

tahr_err tahr_encrypt(const struct tahr_io *io, const tahr_key *const *recipients, size_t count,
                      int armor)
{
    uint8_t file_key[FILE_KEY_LEN];
    struct io_source in;
    tahr_err err;

    if (!io_complete(io))
        return &no_io;
    if (count == 0)
        return &no_recipient;
    if (count > TAHR_KEYS_MAX)
        return &too_many_recipients;
    io_source_init(&in, io);
    secret_random(file_key, sizeof file_key);
    err = write_message(io, &in.source, stream_seal, file_key, recipients, count, armor);
    secret_wipe(file_key, sizeof file_key);
    return err;
}

static int has_stanza(const struct header *h, const char *type)
{
    for (size_t i = 0; i < h->count; i++)
        if (strcmp(h->stanza[i].arg[0], type) == 0)
            return 1;
    return 0;
}

/* Who opens a message with a passphrase may take it for one that only those who know it could have
 * written, so nobody else may have a stanza in it. */
static tahr_err check_scrypt(const struct header *h)
{
    return h->count > 1 && has_stanza(h, recipient_scrypt.name) ? &mixed_scrypt : NULL;
}

tahr_err message_open(struct message **message, const struct tahr_io *io)
{
    struct message *m;
    const uint8_t *p;
    size_t n;
    tahr_err err;

    m = malloc(sizeof *m);
    if (m == NULL)
        return &no_memory;
    io_source_init(&m->io, io);
    lookahead_init(&m->raw, &m->io.source);
    armor_decoder_init(&m->armor, &m->raw);
    lookahead_init(&m->decoded, &m->armor.source);
    err = lookahead_peek(&m->raw, 1, &p, &n);
    if (err == NULL) {
        m->in = armor_begins(p, n) ? &m->decoded : &m->raw;
        err = header_read(&m->header, m->in);
    }
    if (err == NULL)
        err = check_scrypt(&m->header);
    if (err != NULL) {
        free(m);
        return err;
    }
    *message = m;
    return NULL;
}

int message_is_armored(const struct message *m)
{
    return m->in == &m->decoded;
}

void message_free(struct message *m)
{
    free(m);
}

/* What to say when no stanza fits: there may be a better hint. */
static tahr_err no_match(const struct header *h)
{
    if (has_stanza(h, recipient_scrypt.name))
        return &needs_passphrase;
    return has_stanza(h, "mlkem768x25519") ? &hybrid : &recipient_no_match;
}

tahr_err message_try(uint8_t file_key[FILE_KEY_LEN], const struct stanza *stanza,
                     const tahr_key *identity)
{
    const struct recipient_type *type = recipient_for(identity);

    if (!identity->is_private)
        return &public_identity;
    if (strcmp(stanza->arg[0], type->name) != 0)
        return &recipient_no_match;
    return type->unwrap(file_key, stanza, identity);
}

/* Looks for a stanza that the key opens; returns whether the search ends here.  It does not at a
 * stanza for somebody else, nor at one that is ours but corrupt: a later one may still open, and if
 * none does, *verdict says why. */
static int search(uint8_t file_key[FILE_KEY_LEN], tahr_err *verdict, const struct header *h,
                  const tahr_key *key)
{
    int corrupt = 0;

    for (size_t k = 0; k < h->count && corrupt < RECIPIENT_TRIES; k++) {
        tahr_err err = message_try(file_key, &h->stanza[k], key);

        if (err == &recipient_no_match)
            continue;
        *verdict = err;
        if (err == NULL || (err->code != TAHR_NO_MATCH && err != &recipient_corrupt))
            return 1;
        corrupt += err == &recipient_corrupt;
    }
    return 0;
}

tahr_err message_unwrap(uint8_t file_key[FILE_KEY_LEN], const struct message *m,
                        const tahr_key *const *identities, size_t count)
{
    tahr_err verdict = &recipient_no_match;

    for (size_t i = 0; i < count; i++)
        if (search(file_key, &verdict, &m->header, identities[i]))
            break;
    return verdict == &recipient_no_match ? no_match(&m->header) : verdict;
}

tahr_err message_decrypt(struct message *m, const uint8_t file_key[FILE_KEY_LEN])
{
    struct io_sink out;
    tahr_err err = header_verify(&m->header, file_key);

    if (err != NULL)
        return err;
    io_sink_init(&out, m->io.io);
    return stream_open(&out.sink, &m->in->source, file_key, m->io.io->threads);
}

tahr_err tahr_decrypt(const struct tahr_io *io, const tahr_key *const *identities, size_t count)
{
    uint8_t file_key[FILE_KEY_LEN];
    struct message *m;
    tahr_err err;

    if (!io_complete(io))
        return &no_io;
    if (count == 0)
        return &no_identity;
    err = message_open(&m, io);
    if (err != NULL)
        return err;
    err = message_unwrap(file_key, m, identities, count);
    if (err == NULL)
        err = message_decrypt(m, file_key);
    secret_wipe(file_key, sizeof file_key);
    message_free(m);
    return err;
}

static tahr_err copy(struct sink *out, struct source *in, const uint8_t file_key[FILE_KEY_LEN],
                     int threads)
{
    uint8_t buf[STREAM_CHUNK];
    size_t got;
    tahr_err err;

    (void)file_key;
    (void)threads;
    do {
        err = source_fill(in, buf, sizeof buf, &got);
        if (err == NULL && got > 0)
            err = out->write(out, buf, got);
    } while (err == NULL && got == sizeof buf);
    return err;
}

tahr_err tahr_rewrap(const struct tahr_io *io, const tahr_key *const *identities,
                     size_t identity_count, const tahr_key *const *recipients, size_t count,
                     int armor)
{
    uint8_t file_key[FILE_KEY_LEN];
    struct message *m;
    tahr_err err;

    if (!io_complete(io))
        return &no_io;
    if (identity_count == 0)
        return &no_identity;
    if (count == 0)
        return &no_recipient;
    err = message_open(&m, io);
    if (err != NULL)
        return err;
    err = message_unwrap(file_key, m, identities, identity_count);
    if (err == NULL)
        err = header_verify(&m->header, file_key);
    if (err == NULL)
        err = write_message(io, &m->in->source, copy, file_key, recipients, count,
                            armor || message_is_armored(m));
    secret_wipe(file_key, sizeof file_key);
    message_free(m);
    return err;
}
