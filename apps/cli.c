/* How the programs start, report, and stop. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define LINE_ROOM 4096

static const char *program = "tahr";

static struct timespec progress_start, progress_shown;
static volatile sig_atomic_t progress_is_open; /* the cursor stands behind a progress line */

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
    if (progress_is_open && write(STDERR_FILENO, "\n", 1) != 1)
        _exit(TAHR_SYSTEM);
    _exit(128 + signal_number);
}

static void catch_signals(void)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    static const int ignored[] = {SIGPIPE, SIGXFSZ}; /* the write itself fails, and says why */
    struct sigaction action, old;

    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaction(ignored[i], &action, NULL);

    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++)
        sigaddset(&action.sa_mask, stopping[i]);
    action.sa_handler = stop;
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++) {
        if (sigaction(stopping[i], NULL, &old) == 0 && stopping[i] == SIGHUP &&
            old.sa_handler == SIG_IGN)
            continue; /* nohup */
        sigaction(stopping[i], &action, NULL);
    }
}

void cli_start(const char *name)
{
    tahr_err error;

    program = name;
    open_standard_descriptors();
    forbid_core_dumps();
    catch_signals();
    if ((error = tahr_init()) != NULL)
        fail(error->code, error->hint, "%s", error->text);
}

/* Replaces control bytes, C0, DEL and UTF-8's C1 (C2 80 to C2 9F), by question marks: names and
 * comments come from strangers, and a terminal obeys them. */
static void clean(char *line)
{
    for (unsigned char *c = (unsigned char *)line; *c != '\0'; c++) {
        int c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f;
        if (c1)
            *c++ = '?';
        if (c1 || *c < 0x20 || *c == 0x7f)
            *c = '?';
    }
}

static void format_line(char line[LINE_ROOM], const char *format, va_list list)
{
    if (vsnprintf(line, LINE_ROOM, format, list) < 0)
        line[0] = '\0';
    clean(line);
}

static void report_list(const char *kind, const char *format, va_list list)
{
    char line[LINE_ROOM];

    format_line(line, format, list);
    progress_end();
    fprintf(stderr, "%s: %s: %s\n", program, kind, line);
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
    format_line(line, format, list);
    va_end(list);
    if (output_write(out, line, strlen(line)) != 0 || output_write(out, "\n", 1) != 0)
        fail_errno(out->error, "write", out->name);
}

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
    return difftime(b->tv_sec, a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}

void progress(unsigned long tried)
{
    struct timespec now;

    if (!isatty(STDERR_FILENO) || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return;
    if (progress_start.tv_sec == 0)
        progress_start = progress_shown = now;
    if (seconds_between(&progress_shown, &now) < (progress_is_open ? 0.2 : 1))
        return;
    progress_shown = now;
    progress_is_open = 1;
    fprintf(stderr, "\r%s: %lu candidates tried in %.0f s", program, tried,
            seconds_between(&progress_start, &now));
}

void progress_end(void)
{
    if (progress_is_open)
        fprintf(stderr, "\r%*s\r", 70, "");
    progress_is_open = 0;
}

void wipe(void *data, size_t len)
{
    volatile unsigned char *byte = data;

    while (len-- > 0)
        *byte++ = 0;
}

void *allocate(size_t len)
{
    void *data = malloc(len > 0 ? len : 1);

    if (data == NULL)
        fail(TAHR_SYSTEM, NULL, "out of memory");
    return data;
}
