/* tahr-key: makes, converts, shows and checks keys. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "Usage:\n"
    "  tahr-key new   [-t elgamal] [-g GROUP | -b BITS | --fresh-group [-b BITS]]\n"
    "                 [-C COMMENT] [-o FILE] [-f]      make a private key\n"
    "  tahr-key new   -t rsa [-b BITS] [-C COMMENT] [-o FILE] [-f]\n"
    "  tahr-key new   -t x25519 [-C COMMENT] [-o FILE] [-f]\n"
    "  tahr-key pub   [-F pem|ssh|age] [FILE]          print its public half\n"
    "  tahr-key show  [--json | --secret] [FILE]       describe a key\n"
    "  tahr-key convert -F FORMAT [-o FILE] [-f] [FILE]  write a key in another format\n"
    "  tahr-key check [--json] [--batch-gcd] [FILE...] find out what is wrong with keys\n"
    "\n"
    "  -t, --type TYPE        elgamal (this is the default), rsa or x25519\n"
    "  -b, --bits BITS        2048, 3072 (the default) or 4096; ElGamal takes 6144 and 8192 too\n"
    "  -g, --group GROUP      ffdhe2048 ... ffdhe8192 (RFC 7919), modp2048 ... modp8192 (RFC "
    "3526)\n"
    "      --fresh-group      find a new safe prime; this takes a while\n"
    "  -C, --comment COMMENT  a line to know the key by\n"
    "  -o, --output FILE      write to FILE, with mode 0600, instead of standard output\n"
    "  -f, --force            replace an existing FILE\n"
    "  -F, --format FORMAT    pub: pem (the default for RSA and ElGamal), ssh (RSA only) or age\n"
    "                         (the default for X25519; not RSA);\n"
    "                         convert: pkcs8, identity (what age reads); RSA: pkcs1, openssh;\n"
    "                         ElGamal: oiw, botan, pkcs3\n"
    "      --secret           show the secret numbers too\n"
    "      --json             say it in JSON\n"
    "      --batch-gcd        look for primes that keys share, too\n"
    "      --passphrase-fd N, --passphrase-file FILE\n"
    "                         where the passphrase of an encrypted key comes from, instead of the\n"
    "                         terminal\n"
    "      --max-work-factor N  the most work a passphrase may take, as in tahr\n"
    "      --version, --help\n"
    "\n"
    "The public half of a new key goes to standard error.  Without FILE, or with -, keys are read\n"
    "from standard input.  check goes through all files and keeps the greatest exit code.\n"
    "Exit codes: 0 all is well, 2 usage, 3 input or output, 5 bad key,\n"
    "130 interrupted.\n";

enum {
    FRESH_GROUP = 256,
    SECRET,
    JSON,
    BATCH_GCD,
    PASSPHRASE_FD,
    PASSPHRASE_FILE,
    MAX_WORK_FACTOR,
    VERSION,
    HELP
};

/* For keys that are read. */
#define PASSPHRASE_OPTIONS                                                                         \
    {PASSPHRASE_FD, "passphrase-fd", 1}, {PASSPHRASE_FILE, "passphrase-file", 1},                  \
    {                                                                                              \
        MAX_WORK_FACTOR, "max-work-factor", 1                                                      \
    }

#define COMMON_OPTIONS                                                                             \
    {VERSION, "version", 0}, {HELP, "help", 0},                                                    \
    {                                                                                              \
        0                                                                                          \
    }

static const struct option new_options[] = {
    {'t', "type", 1},    {'b', "bits", 1},   {'g', "group", 1}, {FRESH_GROUP, "fresh-group", 0},
    {'C', "comment", 1}, {'o', "output", 1}, {'f', "force", 0}, COMMON_OPTIONS,
};
static const struct option pub_options[] = {{'F', "format", 1}, PASSPHRASE_OPTIONS, COMMON_OPTIONS};
static const struct option convert_options[] = {
    {'F', "format", 1}, {'o', "output", 1}, {'f', "force", 0}, PASSPHRASE_OPTIONS, COMMON_OPTIONS};
static const struct option show_options[] = {
    {SECRET, "secret", 0}, {JSON, "json", 0}, PASSPHRASE_OPTIONS, COMMON_OPTIONS};
static const struct option check_options[] = {
    {JSON, "json", 0}, {BATCH_GCD, "batch-gcd", 0}, PASSPHRASE_OPTIONS, COMMON_OPTIONS};

#define DEFAULT_BITS 3072
#define COMMENT_MAX  255 /* bytes, as the library reads */

struct options {
    const char *type, *group, *comment, *output, *format;
    int bits, fresh_group, force, secret, json, batch_gcd;
    const char **files;
    size_t file_count;
};

/* --- Options --- */

/* A comment is a line of its own in the key file, so that it must stay one. */
static const char *parse_comment(const char *text)
{
    struct text state = {0};

    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || !text_takes(&state, (unsigned char)*c))
            fail(TAHR_BAD_CALL, NULL, "a comment is one line of UTF-8 without control characters");
    if (state.left > 0 || strlen(text) > COMMENT_MAX)
        fail(TAHR_BAD_CALL, NULL, "a comment has at most %d bytes of UTF-8", COMMENT_MAX);
    return text;
}

_Noreturn static void print_and_exit(const char *text)
{
    output_text(text, strlen(text));
    exit(0);
}

static void set_option(struct options *opt, int letter, const char *value)
{
    switch (letter) {
    case 't':
        opt->type = value;
        break;
    case 'b':
        opt->bits = (int)parse_number(value, 1, 1000000, "a number of bits");
        break;
    case 'g':
        opt->group = value;
        break;
    case FRESH_GROUP:
        opt->fresh_group = 1;
        break;
    case 'C':
        opt->comment = parse_comment(value);
        break;
    case 'o':
        opt->output = value;
        break;
    case 'f':
        opt->force = 1;
        break;
    case 'F':
        opt->format = value;
        break;
    case SECRET:
        opt->secret = 1;
        break;
    case JSON:
        opt->json = 1;
        break;
    case BATCH_GCD:
        opt->batch_gcd = 1;
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
    case VERSION:
        print_and_exit("tahr-key " TAHR_VERSION "\n");
    case HELP:
        print_and_exit(usage);
    default:
        opt->files[opt->file_count++] = value;
    }
}

static void require_files(const struct options *opt, size_t max)
{
    if (opt->file_count > max)
        fail(TAHR_BAD_CALL, max == 0 ? "write to a file with -o FILE" : "one file at a time",
             "unexpected argument %s", opt->files[max]);
}

/* --- new --- */

static int tick(void *context, unsigned long tried)
{
    (void)context;
    progress_count(tried, "candidates tried");
    return 0; /* a signal ends the program by itself */
}

static tahr_err generate_elgamal(tahr_key **key, const struct options *opt,
                                 const struct tahr_watch *watch)
{
    char group[32];
    int bits = opt->bits != 0 ? opt->bits : DEFAULT_BITS;

    if (opt->fresh_group)
        return tahr_key_new_group(key, bits, watch);
    if (bits != 2048 && bits != 3072 && bits != 4096 && bits != 6144 && bits != 8192)
        fail(TAHR_BAD_CALL, "--fresh-group takes all sizes from 2048 to 8192",
             "there are ElGamal groups of 2048, 3072, 4096, 6144 and 8192 bits");
    snprintf(group, sizeof group, "ffdhe%d", bits);
    return tahr_key_new_elgamal(key, opt->group != NULL ? opt->group : group, watch);
}

static tahr_key *generate(const struct options *opt)
{
    const struct tahr_watch watch = {tick, NULL};
    tahr_key *key = NULL;
    tahr_err error;

    progress_count(0, "candidates tried");
    if (strcmp(opt->type, "x25519") == 0)
        error = tahr_key_new_x25519(&key);
    else if (strcmp(opt->type, "rsa") == 0)
        error = tahr_key_new_rsa(&key, opt->bits != 0 ? opt->bits : DEFAULT_BITS, &watch);
    else
        error = generate_elgamal(&key, opt, &watch);
    progress_end();
    if (error != NULL)
        fail(error->code, error->hint, "%s", error->text);
    return key;
}

static void check_new(const struct options *opt)
{
    int rsa = strcmp(opt->type, "rsa") == 0, x25519 = strcmp(opt->type, "x25519") == 0;

    if (!rsa && !x25519 && strcmp(opt->type, "elgamal") != 0)
        fail(TAHR_BAD_CALL, NULL, "unknown type %s: elgamal, rsa or x25519", opt->type);
    if (x25519 && (opt->bits != 0 || opt->group != NULL || opt->fresh_group))
        fail(TAHR_BAD_CALL, NULL, "an X25519 key has one size and no group");
    if (rsa && (opt->group != NULL || opt->fresh_group))
        fail(TAHR_BAD_CALL, "use -b BITS", "an RSA key has no group");
    if (opt->group != NULL && (opt->bits != 0 || opt->fresh_group))
        fail(TAHR_BAD_CALL, NULL, "-g cannot be used with %s",
             opt->fresh_group ? "--fresh-group" : "-b");
    require_files(opt, 0);
}

static void write_or_fail(struct output *out, const char *text, size_t len)
{
    if (output_write(out, text, len) != 0)
        fail_errno(out->error, "write", out->name);
}

/* PEM; X25519 keys are age strings. */
static enum tahr_format default_format(const tahr_key *key)
{
    return tahr_key_type(key) == TAHR_X25519 ? TAHR_AGE : TAHR_PEM;
}

/* The key, and then the comment: age takes a PEM file only if nothing stands before the block. */
static void write_private(struct output *out, const tahr_key *key, const struct options *opt)
{
    char *text;
    size_t len;
    tahr_err error = tahr_key_write(&text, &len, key, default_format(key));

    if (error != NULL)
        fail(error->code, error->hint, "%s", error->text);
    write_or_fail(out, text, len);
    tahr_text_free(text);
    if (opt->comment != NULL)
        output_line(out, "# %s", opt->comment);
}

/* The public half as a line that -r takes. */
static char *public_line(const tahr_key *key)
{
    tahr_key *public_key;
    char *text;
    size_t len;
    tahr_err error = tahr_key_public(&public_key, key);

    if (error == NULL) {
        error = tahr_key_write(&text, &len, public_key,
                               tahr_key_type(key) == TAHR_RSA ? TAHR_SSH : TAHR_AGE);
        tahr_key_free(public_key);
    }
    if (error != NULL)
        fail(error->code, error->hint, "%s", error->text);
    return text;
}

static void print_public(const tahr_key *key, const char *line, const char *comment)
{
    int len = (int)strcspn(line, "\n");

    if (comment != NULL && tahr_key_type(key) == TAHR_RSA)
        fprintf(stderr, "public key: %.*s %s\n", len, line, comment);
    else
        fprintf(stderr, "public key: %.*s\n", len, line);
}

static void warn_if_world_readable(const struct output *out)
{
    struct stat st;

    if (out->target == NULL && fstat(out->fd, &st) == 0 && S_ISREG(st.st_mode) &&
        (st.st_mode & (S_IRGRP | S_IROTH)) != 0)
        report("warning", "others can read the file this private key is written to");
}

static int command_new(struct options *opt)
{
    struct output out;
    tahr_key *key;
    char *line;

    check_new(opt);
    output_open(&out, opt->output, OUTPUT_PRIVATE | (opt->force ? 0 : OUTPUT_KEEP));
    warn_if_world_readable(&out);
    key = generate(opt);
    write_private(&out, key, opt);
    line = public_line(key);
    output_commit(&out); /* when nothing is left that could fail */
    print_public(key, line, opt->comment);
    tahr_text_free(line);
    tahr_key_free(key);
    return 0;
}

/* --- pub, show, convert, check --- */

struct format {
    const char *name;
    enum tahr_format format;
};

static const struct format pub_formats[] = {
    {"pem", TAHR_PEM}, {"ssh", TAHR_SSH}, {"age", TAHR_AGE}, {NULL, TAHR_PEM}};
static const struct format convert_formats[] = {
    {"pkcs8", TAHR_PEM}, {"pkcs1", TAHR_PKCS1}, {"openssh", TAHR_OPENSSH}, {"identity", TAHR_AGE},
    {"oiw", TAHR_OIW},   {"botan", TAHR_BOTAN}, {"pkcs3", TAHR_PKCS3},     {NULL, TAHR_PEM}};

static enum tahr_format find_format(const struct format *row, const char *name)
{
    for (; row->name != NULL; row++)
        if (strcmp(name, row->name) == 0)
            return row->format;
    fail(TAHR_BAD_CALL, "--help lists the formats", "unknown format %s", name);
}

static tahr_err write_public(char **text, size_t *len, const tahr_key *key,
                             const struct options *opt)
{
    tahr_key *public_key;
    tahr_err error = tahr_key_public(&public_key, key);

    if (error != NULL)
        return error;
    error = tahr_key_write(text, len, public_key,
                           opt->format != NULL ? find_format(pub_formats, opt->format)
                                               : default_format(key));
    tahr_key_free(public_key);
    return error;
}

static tahr_err write_converted(char **text, size_t *len, const tahr_key *key,
                                const struct options *opt)
{
    return tahr_key_write(text, len, key, find_format(convert_formats, opt->format));
}

static tahr_err describe(char **text, size_t *len, const tahr_key *key, const struct options *opt)
{
    if (opt->json)
        return tahr_key_show_json(text, len, key);
    return tahr_key_show(text, len, key, opt->secret);
}

/* Writes a text about each key of a file, all of them or none; as a private key file if one of them
 * is private. */
static int write_keys(const struct options *opt,
                      tahr_err (*make)(char **text, size_t *len, const tahr_key *key,
                                       const struct options *opt))
{
    struct tahr_keys keys;
    struct output out;
    const char *name = opt->file_count > 0 ? opt->files[0] : "-";
    int flags = opt->force ? 0 : OUTPUT_KEEP;

    require_files(opt, 1);
    keys_from_file(&keys, name);
    for (size_t i = 0; i < keys.count; i++)
        flags |= tahr_key_is_private(keys.key[i]) ? OUTPUT_PRIVATE : 0;
    output_open(&out, opt->output, flags);
    for (size_t i = 0; i < keys.count; i++) {
        char *text;
        size_t len;
        tahr_err error = make(&text, &len, keys.key[i], opt);
        if (error != NULL)
            fail_error(error, name);
        write_or_fail(&out, text, len);
        tahr_text_free(text);
    }
    output_commit(&out);
    tahr_keys_free(&keys);
    return 0;
}

static int command_pub(struct options *opt)
{
    if (opt->format != NULL)
        (void)find_format(pub_formats, opt->format); /* before a key is asked for */
    return write_keys(opt, write_public);
}

static int command_show(struct options *opt)
{
    if (opt->json && opt->secret)
        fail(TAHR_BAD_CALL, NULL, "--json shows public numbers only");
    return write_keys(opt, describe);
}

static int command_convert(struct options *opt)
{
    if (opt->format == NULL)
        fail(TAHR_BAD_CALL, "--help lists the formats", "convert needs -F FORMAT");
    (void)find_format(convert_formats, opt->format); /* before a key is asked for */
    return write_keys(opt, write_converted);
}

static int command_check(struct options *opt)
{
    if (opt->file_count == 0)
        opt->files[opt->file_count++] = "-";
    return check_files(opt->files, opt->file_count, opt->batch_gcd, opt->json);
}

static const struct command {
    const char *name;
    int (*run)(struct options *opt);
    const struct option *options;
} commands[] = {
    {"new", command_new, new_options},       {"pub", command_pub, pub_options},
    {"show", command_show, show_options},    {"convert", command_convert, convert_options},
    {"check", command_check, check_options},
};

static const struct command *find_command(const char *name)
{
    if (name != NULL && strcmp(name, "--version") == 0)
        print_and_exit("tahr-key " TAHR_VERSION "\n");
    if (name != NULL && strcmp(name, "--help") == 0)
        print_and_exit(usage);
    for (size_t i = 0; name != NULL && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    fail(TAHR_BAD_CALL, "new, pub, show, convert or check; --help says more", "%s%s",
         name == NULL ? "no command given" : "unknown command ", name == NULL ? "" : name);
}

int main(int argc, char **argv)
{
    struct args args = {.argc = argc, .argv = argv, .next = 2};
    struct options opt = {.type = "elgamal"};
    const struct command *command;
    int letter, code;

    cli_start("tahr-key");
    command = find_command(argc > 1 ? argv[1] : NULL);
    opt.files = allocate((size_t)argc * sizeof *opt.files);
    while ((letter = args_next(&args, command->options)) != ARGS_END)
        set_option(&opt, letter, args.value);
    code = command->run(&opt);
    passphrase_forget();
    free(opt.files);
    return code;
}
