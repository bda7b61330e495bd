/* Key files under a passphrase: an age file, encrypted to nothing but that, around the keys. */
#include "keyfile.h"
#include "recipient.h"

static const struct tahr_error other_recipients = {
    TAHR_BAD_KEY, "the key file is encrypted, but not with a passphrase",
    "decrypt it first: tahr -d -i KEY -o NEW FILE"};
static const struct tahr_error corrupt = {TAHR_BAD_KEY,
                                          "the encrypted key file is malformed or corrupt", NULL};

/* What is read, and guarded memory for what is written. */
struct file {
    struct bytes in;
    uint8_t *out;
    size_t len, room;
};

static int read_in(void *context, void *buf, size_t len, size_t *got)
{
    struct file *file = context;
    struct bytes part;

    *got = len < file->in.len ? len : file->in.len;
    memcpy(buf, file->in.p, *got);
    (void)bytes_take(&part, &file->in, *got);
    return 0;
}

static int write_out(void *context, const void *buf, size_t len)
{
    struct file *file = context;

    if (len > file->room - file->len)
        return -1;
    memcpy(file->out + file->len, buf, len);
    file->len += len;
    return 0;
}

static int is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int tahr_keys_locked(const void *data, size_t len)
{
    struct bytes in = {data, len}, space;

    if (bytes_begin(in, "age-encryption.org/"))
        return 1;
    while (in.len > 0 && is_space(*(const uint8_t *)in.p))
        (void)bytes_take(&space, &in, 1);
    return bytes_begin(in, "-----BEGIN AGE ENCRYPTED FILE-----");
}

/* What the errors of a message mean for a file of keys. */
static tahr_err translate(tahr_err err)
{
    if (err == &recipient_no_match)
        return &other_recipients;
    return err != NULL && err->code == TAHR_BAD_MESSAGE && err != &recipient_too_much ? &corrupt
                                                                                      : err;
}

/* *out (guarded memory) = what is in the file, *out_len bytes. */
static tahr_err unlock(uint8_t **out, size_t *out_len, const void *data, size_t len,
                       const tahr_key *passphrase)
{
    struct file file = {{data, len}, secret_alloc(len > 0 ? len : 1), 0, len};
    const struct tahr_io io = {read_in, write_out, &file, 1};
    tahr_err err = &keyfile_no_memory;

    if (file.out != NULL)
        err = translate(tahr_decrypt(&io, &passphrase, 1));
    *out = file.out;
    *out_len = file.len;
    return err;
}

tahr_err tahr_keys_unlock(struct tahr_keys *keys, const void *data, size_t len, size_t *line,
                          const tahr_key *passphrase)
{
    uint8_t *plain;
    size_t plain_len;
    tahr_err err = unlock(&plain, &plain_len, data, len, passphrase);

    *keys = (struct tahr_keys){NULL, 0};
    if (line != NULL)
        *line = 0;
    if (err == NULL)
        err = tahr_keys_read(keys, plain, plain_len, line);
    secret_free(plain);
    return err;
}

tahr_err tahr_audit_unlock(tahr_audit *audit, const void *data, size_t len,
                           const tahr_key *passphrase)
{
    uint8_t *plain;
    size_t plain_len;
    tahr_err err = unlock(&plain, &plain_len, data, len, passphrase);

    if (err == NULL)
        err = tahr_audit_add(audit, plain, plain_len);
    secret_free(plain);
    return err;
}
