/* Files in: messages and key files. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Far beyond any file of keys, far below what would hurt. */
#define KEY_FILE_MAX ((size_t)16 << 20)

/* The files that have been opened, so that none of them becomes the output. */
struct opened {
    dev_t dev;
    ino_t ino;
    struct opened *next;
};
static struct opened *all_opened;
static int stdin_is_taken, stdin_is_named;

static void remember(const struct stat *st)
{
    struct opened *file = allocate(sizeof *file);

    *file = (struct opened){st->st_dev, st->st_ino, all_opened};
    all_opened = file;
}

int input_is(dev_t dev, ino_t ino)
{
    for (const struct opened *file = all_opened; file != NULL; file = file->next)
        if (file->dev == dev && file->ino == ino)
            return 1;
    return 0;
}

static void take_stdin(void)
{
    if (stdin_is_taken)
        fail(TAHR_BAD_CALL, "give all but one of them as files",
             "standard input cannot be read for two purposes");
    stdin_is_taken = 1;
}

/* A file that is standard input under another name, as /dev/stdin is: a pipe would be empty the
 * second time; a file begins anew, but would hardly be meant for the message too. */
static void notice_stdin(const struct stat *st)
{
    struct stat in;

    if (fstat(STDIN_FILENO, &in) != 0 || in.st_dev != st->st_dev || in.st_ino != st->st_ino)
        return;
    stdin_is_named = 1;
    if (stdin_is_taken || !S_ISREG(st->st_mode))
        take_stdin();
}

static int open_stdin(struct input *in)
{
    stdin_is_taken |= stdin_is_named;
    take_stdin();
    in->name = "standard input";
    return STDIN_FILENO;
}

int input_try_open(struct input *in, const char *name)
{
    struct stat st;

    *in = (struct input){.name = name};
    if (name == NULL || strcmp(name, "-") == 0)
        in->fd = open_stdin(in);
    else
        do
            in->fd = open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC);
        while (in->fd < 0 && errno == EINTR);
    if (in->fd < 0 || fstat(in->fd, &st) != 0)
        return errno;
    if (S_ISDIR(st.st_mode)) {
        close(in->fd);
        return EISDIR;
    }
    if (in->fd != STDIN_FILENO)
        notice_stdin(&st);
    remember(&st);
    return 0;
}

void input_open(struct input *in, const char *name)
{
    int error = input_try_open(in, name);

    if (error != 0)
        fail_errno(error, "open", in->name);
}

void input_open_fd(struct input *in, int fd)
{
    static char name[32];
    struct stat st;

    if (fd == STDIN_FILENO) {
        input_open(in, "-");
        return;
    }
    snprintf(name, sizeof name, "file descriptor %d", fd);
    *in = (struct input){.name = name, .fd = fd};
    if (fstat(fd, &st) != 0)
        fail_errno(errno, "read", name);
    remember(&st);
}

int input_read(struct input *in, void *buf, size_t len, size_t *got)
{
    ssize_t n;

    do
        n = read(in->fd, buf, len);
    while (n < 0 && can_retry(in->fd, POLLIN));
    *got = n > 0 ? (size_t)n : 0;
    in->error = n < 0 ? errno : 0;
    return n < 0 ? -1 : 0;
}

double input_size(const struct input *in)
{
    struct stat st;

    return fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode) ? (double)st.st_size : -1;
}

void input_close(struct input *in)
{
    if (in->fd != STDIN_FILENO)
        close(in->fd); /* read to its end: nothing left to go wrong */
}

/* No realloc, which would leave copies behind. */
unsigned char *input_read_keys(struct input *in, size_t *len)
{
    size_t room = 8192, got = 0;
    unsigned char *data = allocate(room);

    *len = 0;
    while (input_read(in, data + *len, room - *len, &got) == 0 && got > 0) {
        *len += got;
        if (*len < room)
            continue;
        if (room >= KEY_FILE_MAX)
            fail(TAHR_BAD_KEY, NULL, "%s: too large for a file of keys", in->name);
        unsigned char *larger = allocate(2 * room);
        memcpy(larger, data, *len);
        wipe(data, *len);
        free(data);
        data = larger;
        room *= 2;
    }
    if (in->error != 0)
        fail_errno(in->error, "read", in->name);
    return data;
}

/* Reports an error at a line, or at none if that is 0.  Returns the exit code. */
static int refuse(tahr_err error, const char *name, size_t line)
{
    if (line > 0)
        report("error", "%s, line %zu: %s", name, line, error->text);
    else
        report("error", "%s: %s", name, error->text);
    if (error->hint != NULL)
        report("hint", "%s", error->hint);
    return (int)error->code;
}

/* Reports what is odd about keys.  Returns 0, or the exit code if there are none. */
static int look_over(const struct tahr_keys *keys, const char *name)
{
    static const struct tahr_error none = {TAHR_BAD_KEY, "no key found", NULL};

    if (keys->count == 0)
        return refuse(&none, name, 0);
    for (size_t i = 0; i < keys->count; i++)
        if (tahr_key_warning(keys->key[i]) != NULL)
            report("warning", "%s: %s", name, tahr_key_warning(keys->key[i]));
    return 0;
}

void input_warn_if_exposed(const struct input *in)
{
    struct stat st;

    if (fstat(in->fd, &st) != 0 || !S_ISREG(st.st_mode) || (st.st_mode & (S_IRGRP | S_IROTH)) == 0)
        return;
    report("warning", "%s: others can read this private key", in->name);
    report("hint", "chmod 600 %s", in->name);
}

static int any_private(const struct tahr_keys *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        if (tahr_key_is_private(keys->key[i]))
            return 1;
    return 0;
}

static tahr_err read_keys(struct tahr_keys *keys, const void *data, size_t len, size_t *line,
                          const char *name)
{
    tahr_key *passphrase;
    tahr_err error;

    if (!tahr_keys_locked(data, len))
        return tahr_keys_read(keys, data, len, line);
    passphrase = passphrase_key(name);
    error = tahr_keys_unlock(keys, data, len, line, passphrase);
    tahr_key_free(passphrase);
    return error;
}

void keys_from_file(struct tahr_keys *keys, const char *name)
{
    struct input in;
    size_t len, line = 0;
    unsigned char *data;
    tahr_err error;
    int code, locked;

    input_open(&in, name);
    data = input_read_keys(&in, &len);
    error = read_keys(keys, data, len, &line, in.name);
    locked = tahr_keys_locked(data, len);
    wipe(data, len);
    free(data);
    code = error != NULL ? refuse(error, in.name, line) : look_over(keys, in.name);
    if (code != 0)
        exit(code);
    if (!locked && any_private(keys))
        input_warn_if_exposed(&in);
    input_close(&in);
}

void keys_from_text(struct tahr_keys *keys, const char *text)
{
    char name[32]; /* enough of a long key to know it by */
    tahr_err error = tahr_keys_read(keys, text, strlen(text), NULL);
    int code;

    snprintf(name, sizeof name, strlen(text) < sizeof name ? "%s" : "%.24s...", text);
    code = error != NULL ? refuse(error, name, 0) : look_over(keys, name);
    if (code != 0)
        exit(code);
}
