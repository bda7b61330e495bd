/* Work that many threads share. */
#ifndef TAHR_PARALLEL_H
#define TAHR_PARALLEL_H

#include "tahr.h"

/* Calls work(context, i) once for each i < count, on as many threads as there are cores, this one
 * among them, in no order; it returns 0, or -1 when memory runs out, which ends the rest.  The
 * watch is told, by this thread alone, how many are done on top of `before`.
 * Errors: memory, the watch asked to stop. */
tahr_err parallel_for(size_t count, int (*work)(void *context, size_t i), void *context,
                      const struct tahr_watch *watch, unsigned long before);

#endif
