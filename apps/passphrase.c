/* Passphrases: from a file, a descriptor, or the terminal; never from the arguments. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* What --passphrase-file or --passphrase-fd gave; a byte more than is allowed shows that there is
 * more. */
static char given[TAHR_PASSPHRASE_MAX + 2];
static size_t given_len;
static int is_given, was_needed;

static int max_work_factor; /* 0: the library's */

/* The terminal as it was, while a passphrase is typed. */
static struct termios terminal_before;
static volatile sig_atomic_t terminal_fd = -1;

_Noreturn static void fail_too_long(void)
{
    fail(TAHR_BAD_CALL, NULL, "the passphrase is longer than %d bytes", TAHR_PASSPHRASE_MAX);
}

/* --- From a file --- */

static void read_given(struct input *in)
{
    size_t got = 1;

    if (is_given)
        fail(TAHR_BAD_CALL, NULL, "the passphrase can come from one place only");
    is_given = 1;
    while (got > 0 && given_len < sizeof given) {
        if (input_read(in, given + given_len, sizeof given - given_len, &got) != 0)
            fail_errno(in->error, "read", in->name);
        given_len += got;
    }
    input_close(in);
    if (given_len > 0 && given[given_len - 1] == '\n')
        given_len--;
    if (given_len > TAHR_PASSPHRASE_MAX)
        fail_too_long();
}

void passphrase_from_file(const char *name)
{
    struct input in;

    input_open(&in, name);
    read_given(&in);
}

void passphrase_from_fd(const char *number)
{
    struct input in;

    input_open_fd(&in, (int)parse_number(number, 0, 1 << 20, "a file descriptor"));
    read_given(&in);
}

int passphrase_is_given(void)
{
    return is_given;
}

int passphrase_was_needed(void)
{
    return was_needed;
}

void passphrase_set_work_factor(const char *number)
{
    max_work_factor = (int)parse_number(number, 1, 30, "a work factor from 1 to 30");
}

/* --- From the terminal --- */

int terminal_restore(void)
{
    if (terminal_fd < 0)
        return 0;
    tcsetattr(terminal_fd, TCSANOW, &terminal_before);
    terminal_fd = -1;
    return 1;
}

/* Reads a line, of which the first room bytes go to text.  Returns its length, or -1 if the
 * terminal ends before the line does. */
static long read_line(int fd, char *text, size_t room)
{
    size_t len = 0;
    ssize_t n;
    char c = '\0';

    while ((n = read(fd, &c, 1)) == 1 ? c != '\n' : n < 0 && errno == EINTR)
        if (n == 1 && len++ < room)
            text[len - 1] = c;
    wipe(&c, 1);
    return n == 1 ? (long)len : -1;
}

/* Asks for one line, of which only the end is shown. */
static size_t ask_once(int fd, const char *question, const char *what, char *text, size_t room)
{
    struct termios silent;
    char line[LINE_ROOM];
    long len = -1;

    if (tcgetattr(fd, &terminal_before) != 0)
        fail_errno(errno, "use", "the terminal");
    silent = terminal_before;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    silent.c_lflag |= ECHONL;
    terminal_fd = fd;
    format_line(line, "%s passphrase%s%s: ", question, what != NULL ? " for " : "",
                what != NULL ? what : "");
    if (tcsetattr(fd, TCSAFLUSH, &silent) == 0 && write(fd, line, strlen(line)) > 0)
        len = read_line(fd, text, room);
    terminal_restore();
    if (len < 0) {
        fputc('\n', stderr);
        fail(TAHR_SYSTEM, NULL, "no passphrase was given");
    }
    if ((size_t)len > room)
        fail_too_long();
    return (size_t)len;
}

static void ask_twice(int fd, char *text, size_t *len, size_t room)
{
    char again[TAHR_PASSPHRASE_MAX];
    size_t again_len;
    int same;

    *len = ask_once(fd, "Enter", NULL, text, room);
    again_len = ask_once(fd, "Repeat", NULL, again, sizeof again);
    same = *len == again_len && memcmp(text, again, again_len) == 0;
    wipe(again, sizeof again);
    if (!same)
        fail(TAHR_BAD_CALL, NULL, "the two passphrases are not the same");
}

/* A passphrase that is wanted. */
struct wanted {
    struct tahr_prompt prompt;
    const char *what; /* it is for; NULL: a new one, which is asked for twice */
    struct wanted *next;
};
static struct wanted *all_wanted; /* they live as long as the program */

/* While it is typed, Control-Z would leave a terminal without an echo. */
static void ask_terminal(const struct wanted *wanted, char *text, size_t room, size_t *len)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        fail(TAHR_SYSTEM, "use --passphrase-file or --passphrase-fd",
             "there is no terminal to ask for the passphrase");
    progress_end();
    sigaction(SIGTSTP, &ignore, &before);
    if (wanted->what == NULL)
        ask_twice(fd, text, len, room);
    else
        *len = ask_once(fd, "Enter", wanted->what, text, room);
    sigaction(SIGTSTP, &before, NULL);
    close(fd);
}

static int ask(void *context, char *text, size_t room, size_t *len)
{
    was_needed = 1;
    if (is_given) {
        *len = given_len;
        memcpy(text, given, given_len <= room ? given_len : room);
    } else {
        ask_terminal(context, text, room, len);
    }
    return 0;
}

tahr_key *passphrase_key(const char *what)
{
    struct wanted *wanted = allocate(sizeof *wanted);
    tahr_key *key;
    tahr_err error;

    *wanted = (struct wanted){{ask, wanted}, what, all_wanted};
    all_wanted = wanted;
    error = tahr_key_new_prompt(&key, &wanted->prompt);
    if (error == NULL && max_work_factor != 0)
        error = tahr_key_set_max_work_factor(key, max_work_factor);
    if (error != NULL)
        fail(error->code, error->hint, "%s", error->text);
    return key;
}

void passphrase_forget(void)
{
    wipe(given, sizeof given);
    given_len = 0;
}
