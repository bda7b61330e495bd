/* What the two programs share: starting and stopping, reporting, options, and files in and out.
 *
 * A program is the top of everything, so what cannot go on ends here: fail() and its relatives say
 * why in one line, remove the unfinished output and exit with the code formats promises. */
#ifndef CLI_H
#define CLI_H

#include "tahr.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* --- Starting and reporting (cli.c) --- */

/* To be called first: three open standard descriptors, no core dumps, signals that end the program
 * but leave no unfinished file behind, a write to nobody that is an error, the library. */
void cli_start(const char *program);
extern const char *program_name;

/* "program: kind: message" on stderr, in one line without control bytes. */
void report(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports an error, and a hint unless it is NULL, and exits with the code. */
_Noreturn void fail(enum tahr_code code, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for an error of the library about a file, and for what errno says. */
_Noreturn void fail_error(tahr_err error, const char *name);
_Noreturn void fail_errno(int error, const char *deed, const char *name);

/* What a terminal shows rather than obeys: UTF-8 without control characters, other than tab and the
 * ends of lines.  Zeroed at first, then given byte after byte; returns whether it takes this one.
 */
struct text {
    int left;          /* bytes of the present character still to come */
    unsigned char low; /* the least that the next of them may be */
};
int text_takes(struct text *text, unsigned char c);

/* line = the text without control bytes, which names and comments from strangers may have. */
#define LINE_ROOM 4096
void format_line(char line[LINE_ROOM], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Overwrites what must not stay in memory. */
void wipe(void *data, size_t len);

/* After a read or write that failed: whether to try again, as it was interrupted, or as somebody
 * has made fd non-blocking, and it is ready now for poll's event. */
int can_retry(int fd, short event);

/* malloc that fails instead of returning NULL. */
void *allocate(size_t len);

/* --- Options (options.c) --- */

/* A row for each option; letter is above 255 when there is only the word. */
struct option {
    int letter;
    const char *word;
    int takes_value;
};

enum { ARGS_END = 0, ARGS_OPERAND = 1 };

/* A walk through the arguments; set argc, argv and next (the first argument's index) and zero the
 * rest. */
struct args {
    int argc;
    char **argv;
    int next;
    const char *cluster; /* what is left of "-abc" */
    int operands_only;   /* "--" has been seen */
    const char *value;   /* of the option, or the operand */
};

/* The next option's letter, ARGS_OPERAND or ARGS_END.  Takes -a, -ab, -o FILE, -oFILE, -o=FILE,
 * --output FILE and --output=FILE, before and after operands; fails on anything that is not in
 * the table, whose last row is zero. */
int args_next(struct args *args, const struct option *table);

/* --- Progress (progress.c) --- */

/* The option --progress: auto (on a terminal, the default), always or never. */
void progress_set_mode(const char *text);

/* Say on stderr, after the first second, how far a long work is ("12 candidates tried"), or how
 * many bytes of total (-1: not known) are done.  The first call starts the clock; progress_end
 * removes the line.
 */
void progress_count(unsigned long count, const char *what);
void progress_bytes(double done, double total);
void progress_end(void);

/* Does the cursor stand behind such a line?  A signal handler may call it. */
int progress_is_shown(void);

/* The number that an option's value is, or fails: "X is not <what>". */
long parse_number(const char *text, long min, long max, const char *what);

/* --- Passphrases (passphrase.c) --- */

/* Options that say where the passphrase comes from; otherwise it is asked for at the terminal. */
void passphrase_from_file(const char *name);
void passphrase_from_fd(const char *number);
int passphrase_is_given(void);
int passphrase_was_needed(void);

/* The option --max-work-factor. */
void passphrase_set_work_factor(const char *number);

/* The passphrase for what is named, or a new one if that is NULL: asked for when it is needed. */
tahr_key *passphrase_key(const char *what);

/* Wipes what an option gave, when no key needs it any more. */
void passphrase_forget(void);

/* Ends the silence of a terminal on which a passphrase is typed; a signal handler may call it.
 * Returns whether there was one. */
int terminal_restore(void);

/* --- Files in (input.c) --- */

/* A file that is read; "-" and NULL are standard input, which only one input can be. */
struct input {
    const char *name; /* for people */
    int fd;
    int error; /* errno of the read that failed, or 0 */
};

void input_open(struct input *in, const char *name);
void input_open_fd(struct input *in, int fd);

/* The same, but returns 0, or an errno and leaves nothing open. */
int input_try_open(struct input *in, const char *name);

/* tahr_io's read.  Returns 0, or -1 and sets error. */
int input_read(struct input *in, void *buf, size_t len, size_t *got);

/* The bytes of a regular file, or -1. */
double input_size(const struct input *in);

void input_close(struct input *in);

/* The rest of a file of keys, to be wiped and freed; fails if it is too large to be one. */
unsigned char *input_read_keys(struct input *in, size_t *len);

/* Warns if a file with a private key in it can be read by others. */
void input_warn_if_exposed(const struct input *in);

/* Whether this device and inode is one of the files that input_open has opened. */
int input_is(dev_t dev, ino_t ino);

/* Reads every key in a file, which may be under a passphrase, and warns of what is odd about it or
 * them; or reports that the file cannot be opened, what is wrong with the keys, or that there are
 * none, and exits.  For keys before there is an output. */
void keys_from_file(struct tahr_keys *keys, const char *name);

/* The same for a key given as an argument. */
void keys_from_text(struct tahr_keys *keys, const char *text);

/* --- tahr-key check (key_check.c) --- */

/* Checks all keys of the files, and says on standard output what is wrong with each.  Returns the
 * exit code. */
int check_files(const char *const *names, size_t count, int batch_gcd, int json);

/* --- Files out (output.c) --- */

/* A file that is written.  A regular file stays as it was until output_commit: until then a
 * temporary file in the same folder takes the data.  The rest (pipes, terminals, devices, and open
 * descriptors by their names in /dev/fd or /proc) is written as the data comes. */
struct output {
    const char *name; /* for people */
    int fd;
    int folder; /* the target's, or -1 */
    int error;  /* errno of the write that failed, or 0 */
    int flags;
    char *target; /* the file to replace, symbolic links followed; NULL if it is not regular */
};

#define OUTPUT_KEEP    1 /* an existing file is an error, however late it appears */
#define OUTPUT_REPLACE 4 /* it may be an input, and has to be a regular file */
#define OUTPUT_PRIVATE 2 /* mode 0600, whatever the old file's mode or the umask */

/* name "-" or NULL is standard output.  Fails if it is one of the inputs. */
void output_open(struct output *out, const char *name, int flags);

/* Writes all len bytes.  Returns 0, or -1 and sets error. */
int output_write(struct output *out, const void *buf, size_t len);

/* Makes sure that everything is written and puts the file in its place. */
void output_commit(struct output *out);

/* Writes one line without control bytes, or fails. */
void output_line(struct output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints what a message shows of itself (report.c), for people or as one JSON object; identity
 * names the identity of an index. */
typedef const char *identity_namer(void *context, size_t index);
void print_report(const struct tahr_report *report, identity_namer *identity, void *context);
void print_json(const struct tahr_report *report, identity_namer *identity, void *context);

/* Writes text as it is, or fails. */
void output_format(struct output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes text as a JSON string (RFC 8259), or fails. */
void output_json_string(struct output *out, const char *text);

/* Writes a text to standard output, for good. */
void output_text(const char *text, size_t len);

/* Removes the temporary file if there is one; a signal handler may call it. */
void output_discard(void);

/* --- The plugin (plugin.c) --- */

/* Whether the program has been started by the plugin's name, and then its main. */
int plugin_is_meant(const char *name);
int plugin_main(int argc, char **argv);

#endif
