/* The benchmark's measure: contenders in turn in one process, the least of many times. */
#ifndef TAHR_TESTS_BENCH_H
#define TAHR_TESTS_BENCH_H

#include <stddef.h>

/* One of those that do the same work; the first of a comparison is ours. */
struct contender {
    const char *who;
    void (*run)(void);
};

/* A table by name, and what fills it by calling the functions below. */
struct table {
    const char *name, *title;
    void (*fill)(void);
};

extern const struct table bench_secret[]; /* each ended by a table without a name */

/* Runs the contenders in turn, A B A B ..., for about that many seconds in all, and prints a row
 * for each: table, operation, bits, who, nanoseconds of thread CPU time (the least seen), and that
 * over ours: above 1, we are faster. */
void bench_compare(const char *operation, int bits, const struct contender *c, int count,
                   double seconds);

/* The same with the mean instead of the least, and its standard error, for times that vary by
 * nature; of `runs` runs each. */
void bench_mean(const char *operation, int bits, const struct contender *c, int count, int runs);

/* The same with wall time, for work in other processes: the least and the median. */
void bench_wall(const char *operation, int bits, const struct contender *c, int count, int runs);

/* Ends the program with a word if an operation that is being measured fails. */
void bench_must(int ok, const char *what);

#endif
