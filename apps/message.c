/* tahr: encrypts and decrypts files. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage:\n"
    "  tahr [-e] (-r RECIPIENT | -R FILE | -i IDENTITY)... [-a] [-o OUT] [IN]   encrypt\n"
    "  tahr [-e] -p [-a] [-o OUT] [IN]                            encrypt with a passphrase\n"
    "  tahr -d [-i IDENTITY]... [-o OUT] [IN]                                   decrypt\n"
    "  tahr --test [-i IDENTITY]... [IN]      authenticate the whole file, write nothing\n"
    "\n"
    "  -e, --encrypt                 encrypt (this is the default)\n"
    "  -d, --decrypt                 decrypt\n"
    "  -r, --recipient RECIPIENT     encrypt to an age1... string, an ssh-rsa line, or the public\n"
    "                                keys in a file\n"
    "  -R, --recipients-file FILE    encrypt to every public key in FILE\n"
    "  -i, --identity FILE           decrypt with the private keys in FILE, or encrypt to their\n"
    "                                public halves\n"
    "  -p, --passphrase              encrypt with a passphrase; files that are so encrypted are\n"
    "                                recognized without it\n"
    "      --passphrase-fd N         read the passphrase from file descriptor N, to its end, and\n"
    "      --passphrase-file FILE    or from FILE, less one newline; not from the terminal\n"
    "      --max-work-factor N       decrypt although it takes 2^N of work, and 2^(N+10) bytes, "
    "to\n"
    "                                try the passphrase (22 is the default)\n"
    "  -a, --armor                   write text instead of bytes\n"
    "  -o, --output OUT              write to OUT when all is well, instead of standard output\n"
    "  -n, --no-clobber              do not replace an existing OUT\n"
    "  -f, --force                   do replace it (this is the default)\n"
    "      --progress WHEN           show size, rate and time left: auto (on a terminal, after a\n"
    "                                second; this is the default), always or never\n"
    "  -q, --quiet                   the same as --progress=never\n"
    "      --threads N               use N threads, up to 16, instead of one for each core\n"
    "      --test                    decrypt, but write nothing\n"
    "      --version, --help\n"
    "\n"
    "A FILE, IN or OUT of - is standard input or output.  Exit codes: 0 all is well, 1 bad "
    "message,\n"
    "2 usage, 3 input or output, 4 no identity matches, 5 bad key, 130 interrupted.\n";

enum {
    TEST = 256,
    PASSPHRASE_FD,
    PASSPHRASE_FILE,
    MAX_WORK_FACTOR,
    PROGRESS,
    THREADS,
    VERSION,
    HELP
};

static const struct option table[] = {
    {'e', "encrypt", 0},
    {'d', "decrypt", 0},
    {TEST, "test", 0},
    {'r', "recipient", 1},
    {'R', "recipients-file", 1},
    {'i', "identity", 1},
    {'p', "passphrase", 0},
    {PASSPHRASE_FD, "passphrase-fd", 1},
    {PASSPHRASE_FILE, "passphrase-file", 1},
    {MAX_WORK_FACTOR, "max-work-factor", 1},
    {'a', "armor", 0},
    {'o', "output", 1},
    {'n', "no-clobber", 0},
    {'f', "force", 0},
    {PROGRESS, "progress", 1},
    {'q', "quiet", 0},
    {THREADS, "threads", 1},
    {VERSION, "version", 0},
    {HELP, "help", 0},
    {0},
};

/* A -r, -R or -i and the keys it stands for. */
struct source {
    int letter;
    const char *value;
    struct tahr_keys keys;
};

struct options {
    int encrypt, decrypt, test, passphrase, armor, keep, threads;
    const char *input, *output;
    struct source *sources;
    size_t source_count;
};

/* What a message is read from and written to. */
struct job {
    struct input in;
    struct output out;
    double done, total; /* bytes read, and to be read or 0 */
    int discard;        /* --test */
    int text_only;      /* a terminal takes no binary data */
    struct text text;
    int binary_refused;
};

/* --- Options --- */

static void add_source(struct options *opt, int letter, const char *value)
{
    opt->sources[opt->source_count++] = (struct source){.letter = letter, .value = value};
}

static void set_option(struct options *opt, int letter, const char *value)
{
    switch (letter) {
    case 'e':
        opt->encrypt = 1;
        break;
    case 'd':
        opt->decrypt = 1;
        break;
    case TEST:
        opt->test = 1;
        break;
    case 'p':
        opt->passphrase = 1;
        break;
    case PASSPHRASE_FD:
        passphrase_from_fd(value);
        break;
    case PASSPHRASE_FILE:
        passphrase_from_file(value);
        break;
    case MAX_WORK_FACTOR:
        passphrase_set_work_factor(value);
        break;
    case 'a':
        opt->armor = 1;
        break;
    case 'o':
        opt->output = value;
        break;
    case 'n':
    case 'f':
        opt->keep = letter == 'n';
        break;
    case PROGRESS:
        progress_set_mode(value);
        break;
    case 'q':
        progress_set_mode("never");
        break;
    case THREADS:
        opt->threads = (int)parse_number(value, 1, 1024, "a number of threads");
        break;
    case VERSION:
        output_text("tahr " TAHR_VERSION "\n", sizeof "tahr " TAHR_VERSION);
        exit(0);
    case HELP:
        output_text(usage, sizeof usage - 1);
        exit(0);
    case ARGS_OPERAND:
        if (opt->input != NULL)
            fail(TAHR_BAD_CALL, "one file at a time; the options are in --help",
                 "there is more than one input, %s and %s", opt->input, value);
        opt->input = value;
        break;
    default:
        add_source(opt, letter, value);
    }
}

static int has_source(const struct options *opt, const char *letters)
{
    for (size_t i = 0; i < opt->source_count; i++)
        if (strchr(letters, opt->sources[i].letter) != NULL)
            return 1;
    return 0;
}

static void check_options(const struct options *opt)
{
    int opens = opt->decrypt || opt->test;

    if (opt->encrypt && opens)
        fail(TAHR_BAD_CALL, NULL, "-e cannot be used with %s", opt->test ? "--test" : "-d");
    if (opens && opt->armor)
        fail(TAHR_BAD_CALL, "armor is recognized when it is read", "-a is for encryption");
    if (opens && has_source(opt, "rR"))
        fail(TAHR_BAD_CALL, "give your private key with -i", "-r and -R are for encryption");
    if (opt->test && opt->output != NULL)
        fail(TAHR_BAD_CALL, "use -d to write the decrypted file", "--test writes nothing");
    if (opens && opt->passphrase)
        fail(TAHR_BAD_CALL, "files under a passphrase are recognized when they are read",
             "-p is for encryption");
    if (opt->passphrase && opt->source_count > 0)
        fail(TAHR_BAD_CALL, NULL, "-p cannot be used with -r, -R or -i");
    if (!opens && !opt->passphrase && opt->source_count == 0)
        fail(TAHR_BAD_CALL, "-r takes a recipient, -R a file of them, -p a passphrase, -d decrypts",
             "no recipient to encrypt to");
}

/* Has anything been tried to decrypt with? */
static int has_identity(const struct options *opt)
{
    return opt->source_count > 0 || passphrase_was_needed();
}

static void parse_options(struct options *opt, int argc, char **argv)
{
    struct args args = {.argc = argc, .argv = argv, .next = 1};
    int letter;

    *opt = (struct options){.sources = allocate((size_t)argc * sizeof *opt->sources)};
    while ((letter = args_next(&args, table)) != ARGS_END)
        set_option(opt, letter, args.value);
    check_options(opt);
}

/* --- Keys --- */

static int starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void require_kind(const struct source *source, int private)
{
    for (size_t i = 0; i < source->keys.count; i++) {
        if (tahr_key_is_private(source->keys.key[i]) == private)
            continue;
        if (private)
            fail(TAHR_BAD_KEY, "-i takes the private key; -r and -R take public ones",
                 "%s: this is a public key", source->value);
        fail(TAHR_BAD_KEY, "encrypt with -i, or write the public half with tahr-key pub",
             "%s: this is a private key", source->value);
    }
}

static void load_source(struct source *source)
{
    int is_public = starts_with(source->value, "age1") || starts_with(source->value, "ssh-");

    if (starts_with(source->value, "AGE-")) /* not shown, but ps and the shell have seen it */
        fail(TAHR_BAD_KEY, "put it in a file of mode 0600 and give -i that file's name",
             "a private key does not belong on the command line");
    if (source->letter == 'i' && is_public)
        fail(TAHR_BAD_KEY, "-i takes a file with a private key; -r takes a public one",
             "a public key was given as an identity");
    if (source->letter == 'r' && !is_public && access(source->value, F_OK) != 0)
        fail(TAHR_SYSTEM, "-r takes an age1... string, an ssh-rsa line, or a file's name",
             "cannot open %s: %s", source->value, strerror(errno));
    if (source->letter == 'r' && is_public)
        keys_from_text(&source->keys, source->value);
    else
        keys_from_file(&source->keys, source->value);
    require_kind(source, source->letter == 'i');
}

/* Every key that is used, in a list of its own. */
struct keys {
    tahr_key *passphrase; /* the last, if there is one */
    const tahr_key **list;
    size_t count;
};

/* A passphrase is tried when there is nothing else, or when one was given. */
static tahr_key *want_passphrase(const struct options *opt)
{
    if (opt->passphrase)
        return passphrase_key(NULL);
    if (!(opt->decrypt || opt->test) || (opt->source_count > 0 && !passphrase_is_given()))
        return NULL;
    return passphrase_key(opt->input != NULL ? opt->input : "standard input");
}

static void load_keys(struct keys *keys, struct options *opt)
{
    const tahr_key **next;

    *keys = (struct keys){.passphrase = want_passphrase(opt)};
    keys->count = keys->passphrase != NULL;
    for (size_t i = 0; i < opt->source_count; i++) {
        load_source(&opt->sources[i]);
        keys->count += opt->sources[i].keys.count;
    }
    next = keys->list = allocate(keys->count * sizeof *next);
    for (size_t i = 0; i < opt->source_count; i++)
        for (size_t j = 0; j < opt->sources[i].keys.count; j++)
            *next++ = opt->sources[i].keys.key[j];
    if (keys->passphrase != NULL)
        *next = keys->passphrase;
}

static void free_keys(struct keys *keys, struct options *opt)
{
    tahr_key_free(keys->passphrase);
    passphrase_forget();
    for (size_t i = 0; i < opt->source_count; i++)
        tahr_keys_free(&opt->sources[i].keys);
    free(opt->sources);
    free(keys->list);
}

/* --- The message --- */

static int job_read(void *context, void *buf, size_t len, size_t *got)
{
    struct job *job = context;
    int failed = input_read(&job->in, buf, len, got);

    job->done += (double)*got;
    progress_bytes(job->done, job->total);
    return failed;
}

/* Whether these bytes, after all before them, are text. */
static int is_text(struct text *text, const unsigned char *data, size_t len)
{
    for (; len > 0; data++, len--)
        if (!text_takes(text, *data))
            return 0;
    return 1;
}

static int job_write(void *context, const void *buf, size_t len)
{
    struct job *job = context;

    if (job->discard)
        return 0;
    if (job->text_only && !is_text(&job->text, buf, len)) {
        job->binary_refused = 1;
        return -1;
    }
    return output_write(&job->out, buf, len);
}

_Noreturn static void fail_binary(void)
{
    fail(TAHR_BAD_CALL, "write to a file with -o FILE, use -a for text, or insist with -o -",
         "binary data is not for a terminal");
}

static void open_files(struct job *job, const struct options *opt)
{
    *job = (struct job){.discard = opt->test};
    input_open(&job->in, opt->input);
    job->total = input_size(&job->in);
    if (opt->test)
        return;
    output_open(&job->out, opt->output, opt->keep ? OUTPUT_KEEP : 0);
    job->text_only = (opt->output == NULL || strcmp(opt->output, "-") != 0) && isatty(job->out.fd);
    if (job->text_only && !opt->decrypt && !opt->armor)
        fail_binary();
}

static void finish(struct job *job, tahr_err error)
{
    progress_end();
    if (job->in.error != 0)
        fail_errno(job->in.error, "read", job->in.name);
    if (job->out.error != 0)
        fail_errno(job->out.error, "write", job->out.name);
    if (job->binary_refused)
        fail_binary();
    if (error != NULL)
        fail_error(error, job->in.name);
    if (!job->discard)
        output_commit(&job->out);
    input_close(&job->in);
}

int main(int argc, char **argv)
{
    struct options opt;
    struct job job;
    struct tahr_io io = {job_read, job_write, &job, 0};
    struct keys keys;
    tahr_err error;

    cli_start("tahr");
    parse_options(&opt, argc, argv);
    io.threads = opt.threads;
    load_keys(&keys, &opt);
    open_files(&job, &opt);
    if (opt.decrypt || opt.test)
        error = tahr_decrypt(&io, keys.list, keys.count);
    else
        error = tahr_encrypt(&io, keys.list, keys.count, opt.armor);
    free_keys(&keys, &opt);
    if (error != NULL && error->code == TAHR_NO_MATCH && !has_identity(&opt))
        fail(TAHR_BAD_CALL, "give your private key with -i FILE", "no identity to decrypt with");
    finish(&job, error);
    return 0;
}
