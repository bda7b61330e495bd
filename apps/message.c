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
    "  tahr --inspect [--json] [-i IDENTITY]... [IN]   what the header says, and who opens it\n"
    "  tahr --rewrap -i IDENTITY... (-r RECIPIENT | -R FILE)... [-a] [-o OUT] [FILE]\n"
    "                                         other recipients for the same payload\n"
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
    "      --inspect, --json         list the stanzas, lengths and matching identities, as text "
    "or\n"
    "                                JSON; nothing is decrypted\n"
    "      --rewrap                  write a new header before the same payload, to OUT or in the\n"
    "                                place of FILE; nothing is decrypted.  Who could open the old\n"
    "                                file may have kept its file key, which opens the new one\n"
    "      --version, --help\n"
    "\n"
    "A FILE, IN or OUT of - is standard input or output.  Exit codes: 0 all is well, 1 bad "
    "message,\n"
    "2 usage, 3 input or output, 4 no identity matches, 5 bad key, 130 interrupted.\n";

enum {
    TEST = 256,
    INSPECT,
    JSON,
    REWRAP,
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
    {INSPECT, "inspect", 0},
    {JSON, "json", 0},
    {REWRAP, "rewrap", 0},
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
    int encrypt, decrypt, test, inspect, json, rewrap, passphrase, armor, keep, threads;
    const char *input, *output;
    struct source *sources;
    size_t source_count;
};

/* What a message is read from and written to. */
struct job {
    struct input in;
    struct output out;
    double done, total; /* bytes read, and to be read or -1 */
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
    case INSPECT:
        opt->inspect = 1;
        break;
    case JSON:
        opt->json = 1;
        break;
    case REWRAP:
        opt->rewrap = 1;
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

/* Is there a message to open with identities, rather than to make? */
static int opens(const struct options *opt)
{
    return opt->decrypt || opt->test || opt->inspect || opt->rewrap;
}

/* --test may go with -d; otherwise there is one thing to do. */
static void check_modes(const struct options *opt)
{
    const char *mode = opt->rewrap    ? "--rewrap"
                       : opt->inspect ? "--inspect"
                       : opt->test    ? "--test"
                                      : "-d";

    if (opt->encrypt && opens(opt))
        fail(TAHR_BAD_CALL, NULL, "-e cannot be used with %s", mode);
    if (opt->rewrap + opt->inspect + (opt->decrypt || opt->test) > 1)
        fail(TAHR_BAD_CALL, NULL, "%s cannot be used with another command", mode);
    if (opt->json && !opt->inspect)
        fail(TAHR_BAD_CALL, NULL, "--json is for --inspect");
    if ((opt->test || opt->inspect) && opt->output != NULL)
        fail(TAHR_BAD_CALL, "use -d to write the decrypted file", "%s writes nothing", mode);
}

static void check_keys(const struct options *opt)
{
    int encrypts = !opens(opt), recipients = has_source(opt, "rR");

    if (!encrypts && opt->passphrase)
        fail(TAHR_BAD_CALL, "files under a passphrase are recognized when they are read",
             "-p is for encryption");
    if (opt->passphrase && opt->source_count > 0)
        fail(TAHR_BAD_CALL, NULL, "-p cannot be used with -r, -R or -i");
    if (!encrypts && !opt->rewrap && recipients)
        fail(TAHR_BAD_CALL, "give your private key with -i", "-r and -R are for encryption");
    if (opt->rewrap && !recipients)
        fail(TAHR_BAD_CALL, "give all who are to read the file, with -r and -R",
             "no recipient to rewrap to");
    if (encrypts && !opt->passphrase && opt->source_count == 0)
        fail(TAHR_BAD_CALL, "-r takes a recipient, -R a file of them, -p a passphrase, -d decrypts",
             "no recipient to encrypt to");
}

static void check_options(const struct options *opt)
{
    check_modes(opt);
    if (opt->armor && opens(opt) && !opt->rewrap)
        fail(TAHR_BAD_CALL, "armor is recognized when it is read", "-a is for encryption");
    check_keys(opt);
}

/* Has anything been tried to decrypt with? */
static int has_identity(const struct options *opt)
{
    return has_source(opt, "i") || passphrase_was_needed();
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

/* The keys to open a message with, and those to make one for. */
struct keys {
    tahr_key *passphrase; /* the last of either list, if there is one */
    const tahr_key **identities, **recipients;
    size_t identity_count, recipient_count;
};

/* Is the source one of recipients?  An identity is, when all that is done is to encrypt. */
static int is_recipient(const struct source *source, const struct options *opt)
{
    return source->letter != 'i' || !opens(opt);
}

/* A passphrase is tried when there is nothing else, or when one was given. */
static tahr_key *want_passphrase(const struct options *opt)
{
    if (opt->passphrase)
        return passphrase_key(NULL);
    if (!opens(opt) || (!passphrase_is_given() && (opt->inspect || has_source(opt, "i"))))
        return NULL;
    return passphrase_key(opt->input != NULL ? opt->input : "standard input");
}

static void load_keys(struct keys *keys, struct options *opt)
{
    size_t count = 1;

    for (size_t i = 0; i < opt->source_count; i++) {
        load_source(&opt->sources[i]);
        count += opt->sources[i].keys.count;
    }
    *keys = (struct keys){.passphrase = want_passphrase(opt),
                          .identities = allocate(count * sizeof *keys->identities),
                          .recipients = allocate(count * sizeof *keys->recipients)};
    for (size_t i = 0; i < opt->source_count; i++)
        for (size_t k = 0; k < opt->sources[i].keys.count; k++) {
            const tahr_key *key = opt->sources[i].keys.key[k];
            if (is_recipient(&opt->sources[i], opt))
                keys->recipients[keys->recipient_count++] = key;
            else
                keys->identities[keys->identity_count++] = key;
        }
    if (opt->passphrase)
        keys->recipients[keys->recipient_count++] = keys->passphrase;
    else if (keys->passphrase != NULL)
        keys->identities[keys->identity_count++] = keys->passphrase;
}

static void free_keys(struct keys *keys, struct options *opt)
{
    tahr_key_free(keys->passphrase);
    passphrase_forget();
    for (size_t i = 0; i < opt->source_count; i++)
        tahr_keys_free(&opt->sources[i].keys);
    free(opt->sources);
    free(keys->identities);
    free(keys->recipients);
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

/* Where rewrap writes, unless it is told: in the place of a file that has a name. */
static int in_place(const struct options *opt)
{
    return opt->rewrap && opt->output == NULL && opt->input != NULL && strcmp(opt->input, "-") != 0;
}

static void open_files(struct job *job, const struct options *opt)
{
    const char *output = in_place(opt) ? opt->input : opt->output;

    *job = (struct job){.discard = opt->test || opt->inspect};
    input_open(&job->in, opt->input);
    job->total = input_size(&job->in);
    if (job->discard)
        return;
    output_open(&job->out, output, in_place(opt) ? OUTPUT_REPLACE : opt->keep ? OUTPUT_KEEP : 0);
    job->text_only = (output == NULL || strcmp(output, "-") != 0) && isatty(job->out.fd);
    if (job->text_only && !opens(opt) && !opt->armor)
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

/* The name that identity number index was given by. */
static const char *identity_name(void *context, size_t index)
{
    const struct options *opt = context;

    for (size_t i = 0; i < opt->source_count; i++) {
        if (index < opt->sources[i].keys.count)
            return opt->sources[i].value;
        index -= opt->sources[i].keys.count;
    }
    return "the passphrase";
}

static tahr_err inspect(const struct tahr_io *io, const struct keys *keys, struct options *opt)
{
    const struct tahr_report *report;
    tahr_err error = tahr_inspect(&report, io, keys->identities, keys->identity_count);

    if (error != NULL)
        return error;
    progress_end();
    (opt->json ? print_json : print_report)(report, identity_name, opt);
    tahr_report_free(report);
    return NULL;
}

static tahr_err process(const struct tahr_io *io, const struct keys *keys, struct options *opt)
{
    if (opt->inspect)
        return inspect(io, keys, opt);
    if (opt->rewrap)
        return tahr_rewrap(io, keys->identities, keys->identity_count, keys->recipients,
                           keys->recipient_count, opt->armor);
    if (opens(opt))
        return tahr_decrypt(io, keys->identities, keys->identity_count);
    return tahr_encrypt(io, keys->recipients, keys->recipient_count, opt->armor);
}

int main(int argc, char **argv)
{
    struct options opt;
    struct job job;
    struct tahr_io io = {job_read, job_write, &job, 0};
    struct keys keys;
    tahr_err error;

    if (plugin_is_meant(argv[0]))
        return plugin_main(argc, argv);
    cli_start("tahr");
    parse_options(&opt, argc, argv);
    io.threads = opt.threads;
    load_keys(&keys, &opt);
    open_files(&job, &opt);
    error = process(&io, &keys, &opt);
    if (error != NULL && error->code == TAHR_NO_MATCH && !has_identity(&opt))
        fail(TAHR_BAD_CALL, "give your private key with -i FILE", "no identity to decrypt with");
    free_keys(&keys, &opt);
    finish(&job, error);
    return 0;
}
