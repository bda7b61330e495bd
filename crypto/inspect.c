/* What a message shows of itself without being decrypted: stanzas, lengths, and who can open it. */
#include "message.h"

#include <stdlib.h>
#include <string.h>

#define NONCE_LEN 16

static const struct tahr_error no_memory = {TAHR_SYSTEM, "out of memory", NULL};
static const struct tahr_error no_io = {TAHR_BAD_CALL, "no function to read", NULL};

/* The report, and what it points to. */
struct inspection {
    struct tahr_report report;
    struct message *message;
    struct tahr_stanza_report stanza[HEADER_MAX_STANZAS];
};

/* The first identity that opens stanza k, and with it the header; *err is set if the header's MAC
 * is wrong, or if there is no answer. */
static size_t find_match(tahr_err *err, const struct header *h, size_t k,
                         const tahr_key *const *identities, size_t count)
{
    uint8_t file_key[FILE_KEY_LEN];

    for (size_t i = 0; i < count; i++) {
        tahr_err miss = message_try(file_key, &h->stanza[k], identities[i]);

        if (miss == NULL)
            *err = header_verify(h, file_key);
        else if (miss->code != TAHR_NO_MATCH && miss->code != TAHR_BAD_MESSAGE)
            *err = miss;
        secret_wipe(file_key, sizeof file_key);
        if (miss == NULL || *err != NULL)
            return i;
    }
    return TAHR_NO_IDENTITY;
}

static tahr_err read_payload(uint64_t *len, struct source *in)
{
    uint8_t buf[STREAM_CHUNK];
    size_t got;
    tahr_err err;

    *len = 0;
    do {
        err = source_fill(in, buf, sizeof buf, &got);
        *len += got;
    } while (err == NULL && got == sizeof buf);
    return err;
}

/* Less the nonce and a tag for each chunk that has begun; 0 if that is not to be had. */
static uint64_t plain_len(uint64_t payload)
{
    uint64_t sealed = payload < NONCE_LEN ? 0 : payload - NONCE_LEN,
             chunk = STREAM_CHUNK + STREAM_TAG;
    uint64_t tags = (sealed + chunk - 1) / chunk * STREAM_TAG;

    return sealed < tags ? 0 : sealed - tags;
}

static tahr_err inspect(struct inspection *i, const tahr_key *const *identities, size_t count)
{
    const struct header *h = &i->message->header;
    struct tahr_report *report = &i->report;
    tahr_err err = NULL;

    for (size_t k = 0; k < h->count && err == NULL; k++) {
        const struct stanza *s = &h->stanza[k];

        i->stanza[k] = (struct tahr_stanza_report){s->arg, s->args, s->len,
                                                   find_match(&err, h, k, identities, count)};
    }
    if (err == NULL)
        err = read_payload(&report->payload_len, &i->message->in->source);
    report->armored = message_is_armored(i->message);
    report->header_len = h->len;
    report->plain_len = plain_len(report->payload_len);
    report->count = h->count;
    report->stanza = i->stanza;
    return err;
}

tahr_err tahr_inspect(const struct tahr_report **report, const struct tahr_io *io,
                      const tahr_key *const *identities, size_t count)
{
    struct inspection *i;
    tahr_err err;

    *report = NULL;
    if (io == NULL || io->read == NULL)
        return &no_io;
    i = calloc(1, sizeof *i);
    if (i == NULL)
        return &no_memory;
    *report = &i->report;
    err = message_open(&i->message, io);
    if (err == NULL)
        err = inspect(i, identities, count);
    if (err != NULL) {
        tahr_report_free(*report);
        *report = NULL;
    }
    return err;
}

void tahr_report_free(const struct tahr_report *report)
{
    struct inspection *i = (struct inspection *)(uintptr_t)report;

    if (i == NULL)
        return;
    message_free(i->message);
    free(i);
}
