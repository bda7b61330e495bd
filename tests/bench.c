/* Measures ours beside theirs in one run:  bench [--tsv] [TABLE]...
 *
 * Only ratios within a run mean anything: the clock of a shared machine drifts. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "secret.h"

#define CONTENDERS_MAX 8
#define ROUNDS_MAX     10000

static int tsv;
static const char *table_name;

void bench_must(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench: %s failed\n", what);
    exit(1);
}

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void print_row(const char *operation, int bits, const char *who, double ns, double ours,
                      const char *note)
{
    if (tsv)
        printf("%s\t%s\t%d\t%s\t%.0f\t%.2f\n", table_name, operation, bits, who, ns, ns / ours);
    else
        printf("%-9s %-28s %6d  %-34s %14.0f %8.2f%s\n", table_name, operation, bits, who, ns,
               ns / ours, note);
    fflush(stdout);
}

/* The nanoseconds of one call, over so many in a row. */
static double once(void (*run)(void), long calls, clockid_t id)
{
    double start = clock_of(id);
    for (long i = 0; i < calls; i++)
        run();
    return (clock_of(id) - start) / (double)calls;
}

/* Calls in a row that take at least 100 microseconds. */
static long calls_of(void (*run)(void))
{
    long calls = 1;
    while (once(run, calls, CLOCK_THREAD_CPUTIME_ID) * (double)calls < 1e5)
        calls *= 2;
    return calls;
}

void bench_compare(const char *operation, int bits, const struct contender *c, int count,
                   double seconds)
{
    double least[CONTENDERS_MAX], end = clock_of(CLOCK_MONOTONIC) + seconds * 1e9;
    long calls[CONTENDERS_MAX];
    for (int i = 0; i < count; i++) {
        calls[i] = calls_of(c[i].run);
        least[i] = INFINITY;
    }
    for (int round = 0; round < 3 || clock_of(CLOCK_MONOTONIC) < end; round++)
        for (int i = 0; i < count; i++)
            least[i] = fmin(least[i], once(c[i].run, calls[i], CLOCK_THREAD_CPUTIME_ID));
    for (int i = 0; i < count; i++)
        print_row(operation, bits, c[i].who, least[i], least[0], "");
}

void bench_mean(const char *operation, int bits, const struct contender *c, int count, int runs)
{
    double ours = 0;
    for (int i = 0; i < count; i++) {
        double sum = 0, squares = 0;
        for (int k = 0; k < runs; k++) {
            double t = once(c[i].run, 1, CLOCK_THREAD_CPUTIME_ID);
            sum += t;
            squares += t * t;
        }
        double mean = sum / runs, error = sqrt((squares / runs - mean * mean) / (runs - 1));
        char note[32];
        snprintf(note, sizeof note, "  mean, +-%.0f %%", 100 * error / mean);
        ours = i == 0 ? mean : ours;
        print_row(operation, bits, c[i].who, mean, ours, note);
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_wall(const char *operation, int bits, const struct contender *c, int count, int runs)
{
    double ours = 0, t[100];
    runs = runs < 100 ? runs : 100;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < runs; k++)
            t[k] = once(c[i].run, 1, CLOCK_MONOTONIC);
        qsort(t, (size_t)runs, sizeof *t, by_size);
        char note[48];
        snprintf(note, sizeof note, "  wall, median %.0f", t[runs / 2]);
        ours = i == 0 ? t[0] : ours;
        print_row(operation, bits, c[i].who, t[0], ours, note);
    }
}

static const struct table *const groups[] = {bench_secret};

/* Was the table asked for?  Without arguments all are. */
static int wanted(const char *name, int argc, char **argv)
{
    int any = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tsv") == 0)
            continue;
        any = 1;
        if (strcmp(argv[i], name) == 0)
            return 1;
    }
    return !any;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        tsv |= strcmp(argv[i], "--tsv") == 0;
    bench_must(secret_init() == 0, "libsodium");
    if (!tsv)
        printf("%-9s %-28s %6s  %-34s %14s %8s\n", "table", "operation", "bits", "who", "ns",
               "/ ours");
    int found = 0;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        for (const struct table *t = groups[i]; t->name != NULL; t++) {
            if (!wanted(t->name, argc, argv))
                continue;
            found = 1;
            table_name = t->name;
            if (!tsv)
                printf("-- %s\n", t->title);
            t->fill();
        }
    }
    bench_must(found, "bench: there is no such table; that");
    return 0;
}
