/* Progress on stderr: a line that is written over and over, after the first second. */
#include "cli.h"

#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS   60
#define SIZE_ROOM 32

enum { AUTO, ALWAYS, NEVER };
static int mode;
static struct timespec start, shown;
static volatile sig_atomic_t is_open; /* the cursor stands behind a progress line */

void progress_set_mode(const char *text)
{
    static const char *const names[] = {"auto", "always", "never"};

    for (int i = AUTO; i <= NEVER; i++)
        if (strcmp(text, names[i]) == 0) {
            mode = i;
            return;
        }
    fail(TAHR_BAD_CALL, NULL, "--progress is auto, always or never, not %s", text);
}

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
    return difftime(b->tv_sec, a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}

/* Is a line to be shown now?  The first call starts the clock. */
static int is_due(double *elapsed)
{
    struct timespec now;

    if (mode == NEVER || (mode == AUTO && !isatty(STDERR_FILENO)) ||
        clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    if (start.tv_sec == 0)
        start = shown = now;
    *elapsed = seconds_between(&start, &now);
    if (seconds_between(&shown, &now) < (is_open ? 0.2 : 1))
        return 0;
    shown = now;
    return 1;
}

/* In the place of the last line on a terminal, below it elsewhere. */
__attribute__((format(printf, 1, 2))) static void show(const char *format, ...)
{
    char line[LINE_ROOM];
    va_list list;

    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    is_open = isatty(STDERR_FILENO);
    if (is_open)
        fprintf(stderr, "\r%s: %-*s", program_name, COLUMNS, line);
    else
        fprintf(stderr, "%s: %s\n", program_name, line);
}

void progress_count(unsigned long count, const char *what)
{
    double elapsed;

    if (is_due(&elapsed))
        show("%lu %s in %.0f s", count, what, elapsed);
}

/* Three digits and a unit. */
static const char *size_text(char text[SIZE_ROOM], double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int i = 0;

    for (; bytes >= 1000 && i < 6; i++)
        bytes /= 1024;
    snprintf(text, SIZE_ROOM, "%.*f %s", i == 0 || bytes >= 99.95 ? 0 : 1, bytes, units[i]);
    return text;
}

void progress_bytes(double done, double total)
{
    char size[SIZE_ROOM], whole[SIZE_ROOM], rate[SIZE_ROOM];
    unsigned long left;
    double elapsed;

    if (!is_due(&elapsed) || elapsed <= 0)
        return;
    size_text(size, done);
    size_text(rate, done / elapsed);
    if (done <= 0 || total < done) {
        show("%s, %s/s", size, rate);
        return;
    }
    left = (unsigned long)((total - done) / done * elapsed);
    show("%s of %s, %s/s, %lu:%02lu left", size, size_text(whole, total), rate, left / 60,
         left % 60);
}

void progress_end(void)
{
    if (is_open)
        fprintf(stderr, "\r%*s\r", COLUMNS + 10, "");
    is_open = 0;
}

int progress_is_shown(void)
{
    return is_open;
}
