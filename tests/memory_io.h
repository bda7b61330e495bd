/* A tahr_io on memory: reads in small steps or large ones, and fails at a call of the test's
 * choice.
 */
#ifndef TAHR_TESTS_MEMORY_IO_H
#define TAHR_TESTS_MEMORY_IO_H

#include "tahr.h"

struct memory {
    const void *in; /* the caller's */
    size_t in_len, in_at;
    size_t step;        /* the most that a read gives; 0: no limit */
    long calls;         /* so far, reads and writes */
    long fail_at;       /* the call that fails, from 1; 0: none */
    int reads_at_end;   /* how often it has been read at its end */
    unsigned char *out; /* what was written: free it with memory_free */
    size_t out_len, out_room;
};

/* A memory that reads the len bytes at in. */
struct memory memory_of(const void *in, size_t len);

/* m as the caller's functions, and two threads; it must live as long. */
struct tahr_io memory_io(struct memory *m);

/* Drops what was written and starts anew, on other input. */
void memory_reset(struct memory *m, const void *in, size_t len);
void memory_free(struct memory *m);

#endif
