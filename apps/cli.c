/* How the programs start, report, and stop. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

const char *program_name = "tahr";

/* A closed standard descriptor would be given to the next file that is opened, and a message meant
 * for stderr would end up in it.  Opened the wrong way round, each still fails when it is used. */
static void open_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            _exit(TAHR_SYSTEM);
}

/* A core dump would hold secrets. */
static void forbid_core_dumps(void)
{
    struct rlimit none = {0, 0};

    if (setrlimit(RLIMIT_CORE, &none) != 0)
        report("warning", "core dumps cannot be disabled");
#ifdef __linux__
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        report("warning", "the process cannot be protected from being traced");
#endif
}

/* Ends at once, wherever the program is: a read may wait for ever, a prime search for seconds. */
static void stop(int signal_number)
{
    output_discard();
    if ((terminal_restore() || progress_is_shown()) && write(STDERR_FILENO, "\n", 1) != 1)
        _exit(TAHR_SYSTEM);
    _exit(128 + signal_number);
}

static void catch_signals(void)
{
    static const int stopping[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM, SIGALRM,
                                   SIGXCPU, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2};
    static const int ignored[] = {SIGPIPE, SIGXFSZ}; /* the write itself fails, and says why */
    struct sigaction action, old;

    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaction(ignored[i], &action, NULL);

    sigfillset(&action.sa_mask);
    action.sa_handler = stop;
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++)
        if (sigaction(stopping[i], NULL, &old) == 0 &&
            old.sa_handler != SIG_IGN) /* as by nohup, or behind & in a script */
            sigaction(stopping[i], &action, NULL);
}

void cli_start(const char *name)
{
    tahr_err error;

    program_name = name;
    open_standard_descriptors();
    forbid_core_dumps();
    catch_signals();
    if ((error = tahr_init()) != NULL)
        fail(error->code, error->hint, "%s", error->text);
}

/* RFC 3629 section 4, without U+0080 to U+009F, which are controls as well. */
int text_takes(struct text *text, unsigned char c)
{
    int taken;

    if (text->left > 0) {
        taken = c >= text->low && c <= 0xbf;
        text->left--;
        text->low = 0x80;
        return taken;
    }
    if (c < 0x80)
        return (c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n' || c == '\r';
    text->left = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    text->low = 0x80;
    if (c == 0xc2 || c == 0xe0)
        text->low = 0xa0;
    if (c == 0xf0)
        text->low = 0x90;
    return c >= 0xc2 && c <= 0xf4;
}

/* The length of the character at c, or 0 if a line should not show it. */
static size_t printable(const char *c)
{
    struct text text = {0};
    size_t len = 0;

    if ((unsigned char)*c < 0x20)
        return 0;
    do
        if (!text_takes(&text, (unsigned char)c[len++]))
            return 0;
    while (text.left > 0);
    return len;
}

/* Replaces all but printable characters by question marks: names and comments come from strangers,
 * and a terminal obeys them. */
static void clean(char *line)
{
    for (size_t len; *line != '\0'; line += len) {
        len = printable(line);
        if (len == 0)
            line[len++] = '?';
    }
}

static void format_list(char line[LINE_ROOM], const char *format, va_list list)
{
    if (vsnprintf(line, LINE_ROOM, format, list) < 0)
        line[0] = '\0';
    clean(line);
}

void format_line(char line[LINE_ROOM], const char *format, ...)
{
    va_list list;

    va_start(list, format);
    format_list(line, format, list);
    va_end(list);
}

static void report_list(const char *kind, const char *format, va_list list)
{
    char line[LINE_ROOM];

    format_list(line, format, list);
    progress_end();
    fprintf(stderr, "%s: %s: %s\n", program_name, kind, line);
}

void report(const char *kind, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    report_list(kind, format, list);
    va_end(list);
}

void fail(enum tahr_code code, const char *hint, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    report_list("error", format, list);
    va_end(list);
    if (hint != NULL)
        report("hint", "%s", hint);
    output_discard();
    exit((int)code);
}

void fail_error(tahr_err error, const char *name)
{
    fail(error->code, error->hint, "%s: %s", name, error->text);
}

void fail_errno(int error, const char *deed, const char *name)
{
    fail(TAHR_SYSTEM, NULL, "cannot %s %s: %s", deed, name, strerror(error));
}

void output_line(struct output *out, const char *format, ...)
{
    char line[LINE_ROOM];
    va_list list;

    va_start(list, format);
    format_list(line, format, list);
    va_end(list);
    if (output_write(out, line, strlen(line)) != 0 || output_write(out, "\n", 1) != 0)
        fail_errno(out->error, "write", out->name);
}

void output_format(struct output *out, const char *format, ...)
{
    char text[LINE_ROOM];
    va_list list;

    va_start(list, format);
    int len = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (len < 0 || (size_t)len >= sizeof text)
        fail(TAHR_SYSTEM, NULL, "a line is too long");
    if (output_write(out, text, (size_t)len) != 0)
        fail_errno(out->error, "write", out->name);
}

static int is_json_plain(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
}

void output_json_string(struct output *out, const char *text)
{
    output_format(out, "\"");
    while (*text != '\0') {
        size_t plain = 0;
        while (plain < LINE_ROOM / 2 && text[plain] != '\0' &&
               is_json_plain((unsigned char)text[plain]))
            plain++;
        output_format(out, "%.*s", (int)plain, text);
        text += plain;
        if (*text != '\0' && plain < LINE_ROOM / 2)
            output_format(out, "\\u%04x", (unsigned char)*text++);
    }
    output_format(out, "\"");
}

void wipe(void *data, size_t len)
{
    volatile unsigned char *byte = data;

    while (len-- > 0)
        *byte++ = 0;
}

int can_retry(int fd, short event)
{
    struct pollfd ready = {fd, event, 0};

    if (errno == EAGAIN)
        return poll(&ready, 1, -1) >= 0 || errno == EINTR;
    return errno == EINTR;
}

void *allocate(size_t len)
{
    void *data = malloc(len > 0 ? len : 1);

    if (data == NULL)
        fail(TAHR_SYSTEM, NULL, "out of memory");
    return data;
}
