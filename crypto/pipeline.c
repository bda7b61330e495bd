/* A stream in blocks that several threads work on, written in the order they were read.
 *
 *     blocks   head <= claimed <= queued <= filled
 *
 * head is the next to be written, claimed the next to be worked on, queued those that may be worked
 * on; one more may be filled but held back, until it is known whether it is the last.  Block i is
 * in ring[i % room], and filled - head <= room.  The calling thread reads and writes, and works on
 * blocks when it would have to wait; so no thread at all need be started, and none is for a stream
 * of one block. */
#include "message.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define THREADS_MAX 16                    /* the calling one included */
#define ROOM_MAX    (2 * THREADS_MAX + 1) /* blocks */

static const struct tahr_error no_memory = {TAHR_SYSTEM, "out of memory", NULL};

struct pipeline {
    const struct work *work;
    uint64_t head, claimed, queued, filled;
    size_t room;
    struct block ring[ROOM_MAX];
    int workers, stop;
    pthread_t worker[THREADS_MAX - 1];
    pthread_mutex_t lock; /* of claimed, queued, stop, and each block's done */
    pthread_cond_t wanted, done;
};

static struct block *block_at(struct pipeline *p, uint64_t i)
{
    return &p->ring[i % p->room];
}

/* Works on a block if there is one to work on.  Called, and returns, with the lock held. */
static int work_on_one(struct pipeline *p)
{
    struct block *block;

    if (p->claimed == p->queued)
        return 0;
    block = block_at(p, p->claimed++);
    pthread_mutex_unlock(&p->lock);
    p->work->block(block, p->work->context);
    pthread_mutex_lock(&p->lock);
    block->done = 1;
    pthread_cond_signal(&p->done);
    return 1;
}

static void *worker(void *argument)
{
    struct pipeline *p = argument;

    pthread_mutex_lock(&p->lock);
    while (!p->stop)
        if (!work_on_one(p))
            pthread_cond_wait(&p->wanted, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static int thread_count(int threads)
{
    long cores = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (int)cores;
}

/* As many as can be started; signals are the calling thread's.  To be called while i % room is the
 * same for the old room, 2, and the new: for blocks 0 and 1. */
static void start(struct pipeline *p, int threads)
{
    int wanted = thread_count(threads) - 1;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (p->workers < wanted && pthread_create(&p->worker[p->workers], NULL, worker, p) == 0)
        p->workers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (p->workers > 0)
        p->room = 2 * (size_t)p->workers + 3;
}

static void stop(struct pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    p->stop = 1;
    pthread_cond_broadcast(&p->wanted);
    pthread_mutex_unlock(&p->lock);
    while (p->workers > 0)
        pthread_join(p->worker[--p->workers], NULL);
    for (size_t i = 0; i < ROOM_MAX; i++)
        secret_free(p->ring[i].in);
}

static void submit(struct pipeline *p, int last)
{
    pthread_mutex_lock(&p->lock);
    block_at(p, p->queued++)->last = last;
    pthread_cond_signal(&p->wanted);
    pthread_mutex_unlock(&p->lock);
}

/* Writes the block at the head, when it is done. */
static tahr_err retire(struct pipeline *p, struct sink *out)
{
    struct block *block = block_at(p, p->head);
    tahr_err err = NULL;

    pthread_mutex_lock(&p->lock);
    while (!block->done)
        if (!work_on_one(p))
            pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
    p->head++;
    if (block->made > 0)
        err = out->write(out, block->out, block->made);
    return err != NULL ? err : block->err;
}

static int head_is_done(struct pipeline *p)
{
    int is_done;

    pthread_mutex_lock(&p->lock);
    is_done = p->head < p->queued && block_at(p, p->head)->done;
    pthread_mutex_unlock(&p->lock);
    return is_done;
}

/* Is there no room for another block?  Two are needed; when there is no memory for more, those that
 * there are go round: all have been at i % room = i until then. */
static int is_full(struct pipeline *p)
{
    struct block *block = block_at(p, p->filled);

    if (p->filled - p->head < p->room && block->in == NULL) {
        block->in = secret_alloc(p->work->in_size + p->work->out_size);
        if (block->in == NULL && p->filled >= 2)
            p->room = (size_t)p->filled;
    }
    return p->filled - p->head == p->room;
}

/* Reads the next block. */
static tahr_err fill(struct pipeline *p, struct source *in)
{
    struct block *block = block_at(p, p->filled);

    if (block->in == NULL)
        return &no_memory;
    block->out = block->in + p->work->in_size;
    block->number = p->filled++;
    block->done = 0;
    block->made = 0;
    block->err = NULL;
    return source_fill(in, block->in, p->work->in_size, &block->len);
}

/* Reads a block, and queues the one before it, or both if this is the last: it is not full then,
 * and if it is empty it is none, unless it is the first. */
static tahr_err advance(struct pipeline *p, struct source *in, int *ended, int threads)
{
    tahr_err err = fill(p, in);
    size_t len;

    if (err != NULL)
        return err;
    len = block_at(p, p->filled - 1)->len;
    *ended = len < p->work->in_size;
    if (len == 0 && p->filled > 1)
        p->filled--;
    else if (p->filled == 2)
        start(p, threads);
    while (p->queued < p->filled - !*ended)
        submit(p, *ended && p->queued + 1 == p->filled);
    return NULL;
}

tahr_err pipeline_run(struct sink *out, struct source *in, const struct work *work, int threads)
{
    struct pipeline p = {.work = work,
                         .room = 2,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .wanted = PTHREAD_COND_INITIALIZER,
                         .done = PTHREAD_COND_INITIALIZER};
    int ended = 0;
    tahr_err err = NULL;

    while (err == NULL && !(ended && p.head == p.filled)) {
        if (ended || is_full(&p) || head_is_done(&p))
            err = retire(&p, out);
        else
            err = advance(&p, in, &ended, threads);
    }
    stop(&p);
    return err;
}
