/* age-plugin-tahr: lends tahr's keys to age, and to all that speak its plugin protocol (C2SP
 * age-plugin).
 *
 * The client sends commands until "done".  Then the plugin sends its own, each answered by one
 * stanza, until its "done":
 *
 *     recipient-v1   add-recipient STRING, add-identity STRING, wrap-file-key, extension-labels;
 *                    then msg, labels and recipient-stanza FILE STANZA..., or error
 *     identity-v1    add-identity STRING, recipient-stanza FILE STANZA...;
 *                    then file-key FILE, or error
 *
 * Commands that are not known are ignored, whatever their arguments; what is wrong with one that is
 * known is an error for the client to show, and then nothing is wrapped or unwrapped. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage:\n"
    "  age-plugin-tahr --age-plugin=recipient-v1 | identity-v1\n"
    "\n"
    "age runs this program when it meets age1tahr1... recipients and AGE-PLUGIN-TAHR-1...\n"
    "identities; it has to stand in the PATH.  tahr-key makes both.\n";

/* Many times what a header of 2 MiB and its recipients need. */
#define INPUT_MAX    ((size_t)16 << 20)
#define COMMANDS_MAX 4096
#define WRAPS_MAX    4096

/* The conversation, and what the client has said in it. */
struct talk {
    struct input in;
    struct output out;
    struct tahr_io io;
    unsigned char buf[4096];
    size_t at, end, total; /* buf[at .. end) has been read, but not yet heard */
    int errors;            /* told to the client */
    struct tahr_stanza *command[COMMANDS_MAX];
    size_t commands;
    struct tahr_keys read[COMMANDS_MAX];
    const tahr_key *key[COMMANDS_MAX];
    size_t keys;
};

static const struct tahr_error malformed_command = {
    TAHR_BAD_MESSAGE, "the client sends a command that is out of shape", NULL};
static const struct tahr_error bad_file_key = {
    TAHR_BAD_MESSAGE, "the client sends a file key that has not 16 bytes", NULL};
static const struct tahr_error bad_order = {
    TAHR_BAD_MESSAGE, "the client sends stanzas out of the order of their files", NULL};
static const struct tahr_error no_recipient = {TAHR_BAD_MESSAGE, "the client names no recipient",
                                               NULL};
static const struct tahr_error no_identity = {TAHR_BAD_MESSAGE, "the client names no identity",
                                              NULL};
static const struct tahr_error no_file_key = {TAHR_BAD_MESSAGE, "the client sends no file key",
                                              NULL};
static const struct tahr_error too_many_wraps = {
    TAHR_BAD_MESSAGE, "the client asks for more than 4096 stanzas", NULL};
static const struct tahr_error no_recipient_string = {TAHR_BAD_KEY,
                                                      "this is no age1tahr1... recipient", NULL};
static const struct tahr_error no_identity_string = {
    TAHR_BAD_KEY, "this is no AGE-PLUGIN-TAHR-1... identity", NULL};

/* --- Stanzas in and out --- */

static int talk_read(void *context, void *buf, size_t len, size_t *got)
{
    struct talk *t = context;

    if (t->at == t->end) {
        t->at = 0;
        if (input_read(&t->in, t->buf, sizeof t->buf, &t->end) != 0)
            return -1;
        t->total += t->end;
        if (t->total > INPUT_MAX)
            fail(TAHR_BAD_MESSAGE, NULL, "the client sends more than 16 MiB");
    }
    *got = len < t->end - t->at ? len : t->end - t->at;
    memcpy(buf, t->buf + t->at, *got);
    wipe(t->buf + t->at, *got);
    t->at += *got;
    return 0;
}

static int talk_write(void *context, const void *buf, size_t len)
{
    struct talk *t = context;

    return output_write(&t->out, buf, len);
}

_Noreturn static void fail_talk(const struct talk *t, tahr_err error)
{
    if (t->in.error != 0)
        fail_errno(t->in.error, "read", t->in.name);
    if (t->out.error != 0)
        fail_errno(t->out.error, "write", t->out.name);
    fail_error(error, t->in.name);
}

/* The next stanza.  A client that is gone, perhaps since it was told of an error, ends it all. */
static struct tahr_stanza *hear(struct talk *t)
{
    struct tahr_stanza *stanza;
    tahr_err error = tahr_stanza_read(&stanza, &t->io);

    if (error != NULL)
        fail_talk(t, error);
    if (stanza == NULL)
        fail(TAHR_BAD_MESSAGE, NULL, "the client has left before it was done");
    return stanza;
}

static void say(struct talk *t, const struct tahr_stanza *stanza)
{
    tahr_err error = tahr_stanza_write(&t->io, stanza);

    if (error != NULL)
        fail_talk(t, error);
}

/* Sends a command and hears the answer: ok, fail or unsupported, and there is nothing to do about
 * the last two. */
static void tell(struct talk *t, const char *const *arg, size_t args, const void *body, size_t len)
{
    say(t, &(struct tahr_stanza){arg, args, body, len});
    tahr_stanza_free(hear(t));
}

/* --- Errors --- */

/* Tells the client of an error in "recipient" I, "identity" I or "stanza" FILE I, or an "internal"
 * one. */
static void complain(struct talk *t, const char *about, const size_t *index, size_t count,
                     tahr_err error)
{
    char number[2][24], line[512];
    const char *arg[] = {"error", about, number[0], number[1]};
    int hint = error->hint != NULL;

    for (size_t i = 0; i < count; i++)
        snprintf(number[i], sizeof number[i], "%zu", index[i]);
    snprintf(line, sizeof line, "%s%s%s", error->text, hint ? "; " : "", hint ? error->hint : "");
    tell(t, arg, 2 + count, line, strlen(line));
    t->errors++;
}

static void complain_internal(struct talk *t, tahr_err error)
{
    complain(t, "internal", NULL, 0, error);
}

/* --- The first phase: the client's commands --- */

static int is_among(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return 1;
    return 0;
}

static int is_command(const struct tahr_stanza *stanza, const char *name)
{
    return strcmp(stanza->arg[0], name) == 0;
}

static void listen_until_done(struct talk *t, const char *const *known)
{
    struct tahr_stanza *stanza;

    while (!is_command(stanza = hear(t), "done")) {
        if (!is_among(stanza->arg[0], known)) {
            tahr_stanza_free(stanza);
            continue;
        }
        if (t->commands == COMMANDS_MAX)
            fail(TAHR_BAD_MESSAGE, NULL, "the client sends more than %d commands", COMMANDS_MAX);
        t->command[t->commands++] = stanza;
    }
    tahr_stanza_free(stanza);
}

/* The key of an add-recipient or add-identity command, about which index counts. */
static void add_key(struct talk *t, const struct tahr_stanza *stanza, const char *about,
                    size_t index)
{
    int is_identity = strcmp(about, "identity") == 0;
    const char *start = is_identity ? "AGE-PLUGIN-TAHR-1" : "age1tahr1", *text = stanza->arg[1];
    tahr_err error;

    if (stanza->args != 2 || stanza->len != 0) {
        complain_internal(t, &malformed_command);
        return;
    }
    if (strncmp(text, start, strlen(start)) != 0)
        error = is_identity ? &no_identity_string : &no_recipient_string;
    else
        error = tahr_keys_read(&t->read[t->keys], text, strlen(text), NULL);
    if (error != NULL) {
        complain(t, about, &index, 1, error);
        return;
    }
    t->key[t->keys] = t->read[t->keys].key[0];
    t->keys++;
}

static void add_keys(struct talk *t)
{
    size_t recipients = 0, identities = 0;

    for (size_t i = 0; i < t->commands; i++)
        if (is_command(t->command[i], "add-recipient"))
            add_key(t, t->command[i], "recipient", recipients++);
        else if (is_command(t->command[i], "add-identity"))
            add_key(t, t->command[i], "identity", identities++);
}

/* --- recipient-v1 --- */

/* Moves the file keys to the front of the commands.  Returns how many there are. */
static size_t take_file_keys(struct talk *t)
{
    size_t files = 0;

    for (size_t i = 0; i < t->commands; i++) {
        struct tahr_stanza *stanza = t->command[i];

        if (!is_command(stanza, "wrap-file-key"))
            continue;
        if (stanza->len != TAHR_FILE_KEY_LEN)
            complain_internal(t, &bad_file_key);
        t->command[i] = t->command[files];
        t->command[files++] = stanza;
    }
    return files;
}

/* What works but deserves a warning. */
static void warn(struct talk *t)
{
    for (size_t i = 0; i < t->keys; i++) {
        const char *warning = tahr_key_warning(t->key[i]);

        if (warning != NULL)
            tell(t, &(const char *){"msg"}, 1, warning, strlen(warning));
    }
}

static void send_stanza(struct talk *t, size_t file, const struct tahr_stanza *stanza)
{
    char number[24];
    const char *arg[8] = {"recipient-stanza", number};
    size_t args = 2;

    snprintf(number, sizeof number, "%zu", file);
    for (size_t i = 0; i < stanza->args && args < sizeof arg / sizeof *arg; i++)
        arg[args++] = stanza->arg[i];
    tell(t, arg, args, stanza->body, stanza->len);
}

/* Nothing is sent before everything is wrapped. */
static void wrap_all(struct talk *t, size_t files)
{
    size_t count = files * t->keys, done = 0;
    struct tahr_stanza **stanza = allocate(count * sizeof *stanza);
    tahr_err error = NULL;

    while (error == NULL && done < count) {
        error = tahr_wrap(&stanza[done], t->command[done / t->keys]->body, t->key[done % t->keys]);
        done += error == NULL;
    }
    if (error != NULL)
        complain_internal(t, error);
    else
        warn(t);
    for (size_t i = 0; i < done; i++) {
        if (error == NULL)
            send_stanza(t, i / t->keys, stanza[i]);
        tahr_stanza_free(stanza[i]);
    }
    free(stanza);
}

static void recipient_v1(struct talk *t)
{
    static const char *const known[] = {"add-recipient", "add-identity", "wrap-file-key",
                                        "extension-labels", NULL};
    int labels = 0;
    size_t files;

    listen_until_done(t, known);
    for (size_t i = 0; i < t->commands; i++)
        labels |= is_command(t->command[i], "extension-labels");
    add_keys(t);
    files = take_file_keys(t);
    if (t->keys == 0 && t->errors == 0)
        complain_internal(t, &no_recipient);
    if (files == 0)
        complain_internal(t, &no_file_key);
    if (files * t->keys > WRAPS_MAX)
        complain_internal(t, &too_many_wraps);
    if (t->errors > 0)
        return;
    if (labels) /* none: these stanzas go with any others */
        tell(t, &(const char *){"labels"}, 1, NULL, 0);
    wrap_all(t, files);
}

/* --- identity-v1 --- */

/* A file's stanzas, without their commands. */
struct file {
    const char *name; /* the index, as the client writes it */
    unsigned long index;
    struct tahr_stanza stanza[COMMANDS_MAX];
    const struct tahr_stanza *list[COMMANDS_MAX];
    size_t count;
};

/* The index is a decimal number. */
static int parse_index(unsigned long *index, const char *text)
{
    size_t len = strspn(text, "0123456789");

    *index = strtoul(text, NULL, 10);
    return len > 0 && len < 10 && text[len] == '\0' ? 0 : -1;
}

/* Requires the stanzas to be in shape and in order: file indices never fall. */
static void check_stanzas(struct talk *t)
{
    unsigned long index, last = 0;

    for (size_t i = 0; i < t->commands; i++) {
        const struct tahr_stanza *stanza = t->command[i];

        if (!is_command(stanza, "recipient-stanza"))
            continue;
        if (stanza->args < 3 || parse_index(&index, stanza->arg[1]) != 0) {
            complain_internal(t, &malformed_command);
        } else {
            if (index < last)
                complain_internal(t, &bad_order);
            last = index;
        }
    }
}

static void unwrap_file(struct talk *t, const struct file *file)
{
    unsigned char file_key[TAHR_FILE_KEY_LEN];
    size_t at;
    tahr_err error = tahr_unwrap(file_key, &at, file->list, file->count, t->key, t->keys);

    if (error == NULL)
        tell(t, (const char *const[]){"file-key", file->name}, 2, file_key, sizeof file_key);
    else if (error->code == TAHR_BAD_MESSAGE)
        complain(t, "stanza", (const size_t[]){file->index, at}, 2, error);
    else if (error->code != TAHR_NO_MATCH) /* which is said by saying nothing */
        complain_internal(t, error);
    wipe(file_key, sizeof file_key);
}

static void add_to_file(struct file *file, const struct tahr_stanza *s)
{
    struct tahr_stanza *stanza = &file->stanza[file->count];

    *stanza = (struct tahr_stanza){s->arg + 2, s->args - 2, s->body, s->len};
    file->list[file->count++] = stanza;
}

/* The stanzas of a file follow each other, perhaps with other commands between them. */
static void unwrap_all(struct talk *t)
{
    struct file *file = allocate(sizeof *file);
    unsigned long index;

    file->count = 0;
    for (size_t i = 0; i < t->commands; i++) {
        const struct tahr_stanza *stanza = t->command[i];

        if (!is_command(stanza, "recipient-stanza") || parse_index(&index, stanza->arg[1]) != 0)
            continue;
        if (file->count > 0 && index != file->index) {
            unwrap_file(t, file);
            file->count = 0;
        }
        file->index = index;
        file->name = stanza->arg[1];
        add_to_file(file, stanza);
    }
    if (file->count > 0)
        unwrap_file(t, file);
    free(file);
}

static void identity_v1(struct talk *t)
{
    static const char *const known[] = {"add-identity", "recipient-stanza", NULL};

    listen_until_done(t, known);
    add_keys(t);
    check_stanzas(t);
    if (t->keys == 0 && t->errors == 0)
        complain_internal(t, &no_identity);
    if (t->errors == 0)
        unwrap_all(t);
}

/* --- The program --- */

static const struct machine {
    const char *name;
    void (*run)(struct talk *t);
} machines[] = {{"recipient-v1", recipient_v1}, {"identity-v1", identity_v1}};

static const struct machine *find_machine(const char *name)
{
    if (name == NULL)
        fail(TAHR_BAD_CALL, "encrypt and decrypt with age, or with tahr",
             "this program is for age to run");
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strcmp(name, machines[i].name) == 0)
            return &machines[i];
    fail(TAHR_BAD_CALL, "recipient-v1 and identity-v1 are known here", "unknown state machine %s",
         name);
}

_Noreturn static void print_and_exit(const char *text)
{
    output_text(text, strlen(text));
    exit(0);
}

static const struct machine *parse_options(int argc, char **argv)
{
    enum { MACHINE = 256, VERSION, HELP };
    static const struct option table[] = {
        {MACHINE, "age-plugin", 1}, {VERSION, "version", 0}, {HELP, "help", 0}, {0}};
    struct args args = {.argc = argc, .argv = argv, .next = 1};
    const char *name = NULL;
    int letter;

    while ((letter = args_next(&args, table)) != ARGS_END) {
        if (letter == VERSION)
            print_and_exit("age-plugin-tahr " TAHR_VERSION "\n");
        if (letter == HELP)
            print_and_exit(usage);
        if (letter == ARGS_OPERAND)
            fail(TAHR_BAD_CALL, NULL, "unexpected argument %s", args.value);
        name = args.value;
    }
    return find_machine(name);
}

static void talk_free(struct talk *t)
{
    for (size_t i = 0; i < t->commands; i++)
        tahr_stanza_free(t->command[i]);
    for (size_t i = 0; i < t->keys; i++)
        tahr_keys_free(&t->read[i]);
    free(t);
}

int plugin_main(int argc, char **argv)
{
    const struct machine *machine;
    struct talk *t;

    cli_start("age-plugin-tahr");
    machine = parse_options(argc, argv);
    t = allocate(sizeof *t);
    memset(t, 0, sizeof *t);
    t->io = (struct tahr_io){talk_read, talk_write, t, 1};
    input_open(&t->in, NULL);
    output_open(&t->out, NULL, 0);
    machine->run(t);
    say(t, &(struct tahr_stanza){&(const char *){"done"}, 1, NULL, 0});
    output_commit(&t->out);
    talk_free(t);
    return 0;
}

int plugin_is_meant(const char *name)
{
    const char *slash = name == NULL ? NULL : strrchr(name, '/');

    return name != NULL && strcmp(slash == NULL ? name : slash + 1, "age-plugin-tahr") == 0;
}
