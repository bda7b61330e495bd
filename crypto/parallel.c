/* Work that many threads share: each takes the next number until none is left. */
#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREADS_MAX 64

static const struct tahr_error no_memory = {TAHR_SYSTEM, "out of memory", NULL};
static const struct tahr_error stopped = {TAHR_STOPPED, "stopped", NULL};

struct job {
    size_t count;
    int (*work)(void *context, size_t i);
    void *context;
    atomic_size_t next, done;
    atomic_int failed;
};

/* Does the next piece of work.  Returns 1, or 0 if there is none. */
static int step(struct job *job)
{
    size_t i = atomic_fetch_add(&job->next, 1);

    if (i >= job->count || atomic_load(&job->failed))
        return 0;
    if (job->work(job->context, i) != 0)
        atomic_store(&job->failed, 1);
    atomic_fetch_add(&job->done, 1);
    return 1;
}

static void *help(void *job)
{
    while (step(job))
        ;
    return NULL;
}

/* Helpers beside this thread; there may be fewer. */
static size_t start(pthread_t *thread, struct job *job)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = cores > 1 ? (size_t)cores - 1 : 0, n = 0;

    if (wanted > THREADS_MAX)
        wanted = THREADS_MAX;
    if (job->count == 0 || wanted > job->count - 1)
        wanted = job->count == 0 ? 0 : job->count - 1;
    while (n < wanted && pthread_create(&thread[n], NULL, help, job) == 0)
        n++;
    return n;
}

tahr_err parallel_for(size_t count, int (*work)(void *context, size_t i), void *context,
                      const struct tahr_watch *watch, unsigned long before)
{
    struct job job = {.count = count, .work = work, .context = context};
    pthread_t thread[THREADS_MAX];
    size_t helpers = start(thread, &job);
    tahr_err err = NULL;

    while (step(&job))
        if (watch != NULL &&
            watch->tick(watch->context, before + (unsigned long)atomic_load(&job.done)) != 0) {
            err = &stopped;
            atomic_store(&job.failed, 1);
        }
    for (size_t i = 0; i < helpers; i++)
        pthread_join(thread[i], NULL); /* it was created, and nobody else joins it */
    if (err == NULL && atomic_load(&job.failed))
        err = &no_memory;
    return err;
}
