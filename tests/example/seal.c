/* A program that uses the library, from the first call to the last: encrypts standard input to a
 * key, or decrypts it.
 *
 *     cc seal.c $(pkg-config --cflags --libs tahr) -o seal
 *     seal -e alice.pub <notes >notes.age
 *     seal -d alice.key <notes.age >notes
 *
 * What it writes before it fails is authentic, but not the whole: the caller has to ask for its
 * exit code, as tahr(1) itself does when it writes to a pipe. */
#include <tahr/tahr.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_FILE_MAX 65536

static int read_stdin(void *context, void *buf, size_t len, size_t *got)
{
    (void)context;
    *got = fread(buf, 1, len, stdin);
    return ferror(stdin);
}

static int write_stdout(void *context, const void *buf, size_t len)
{
    (void)context;
    return fwrite(buf, 1, len, stdout) != len;
}

static int fail(const char *what, tahr_err error)
{
    fprintf(stderr, "seal: %s: %s\n", what, error->text);
    if (error->hint != NULL)
        fprintf(stderr, "seal: %s\n", error->hint);
    return (int)error->code;
}

static tahr_err read_keys(struct tahr_keys *keys, const char *name)
{
    static const struct tahr_error unreadable = {TAHR_SYSTEM, "the file cannot be read", NULL};
    static char text[KEY_FILE_MAX];
    FILE *file = fopen(name, "rb");
    size_t len;
    tahr_err error;

    if (file == NULL)
        return &unreadable;
    len = fread(text, 1, sizeof text, file);
    error = ferror(file) ? &unreadable : tahr_keys_read(keys, text, len, NULL);
    fclose(file);
    memset(text, 0, sizeof text);
    return error;
}

int main(int argc, char **argv)
{
    const struct tahr_io io = {read_stdin, write_stdout, NULL, 1};
    struct tahr_keys keys;
    tahr_err error = tahr_init();

    if (argc != 3 || (strcmp(argv[1], "-e") != 0 && strcmp(argv[1], "-d") != 0)) {
        fprintf(stderr, "usage: seal -e|-d KEYFILE\n");
        return TAHR_BAD_CALL;
    }
    if (error == NULL)
        error = read_keys(&keys, argv[2]);
    if (error != NULL)
        return fail(argv[2], error);
    if (argv[1][1] == 'e')
        error = tahr_encrypt(&io, (const tahr_key *const *)keys.key, keys.count, 0);
    else
        error = tahr_decrypt(&io, (const tahr_key *const *)keys.key, keys.count);
    tahr_keys_free(&keys);
    if (error != NULL)
        return fail("standard input", error);
    return fflush(stdout) == 0 ? 0 : TAHR_SYSTEM;
}
