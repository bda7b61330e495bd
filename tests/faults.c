/* A system that fails, for faults.sh: loaded before libc (LD_PRELOAD), it makes one call fail, or
 * every read and write short and often interrupted.
 *
 * FAULT="write 3" fails the third write; the folder "hit" then says that it was reached.
 * FAULT="short 0" moves at most 100 bytes at a time, and interrupts every third call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHORT_LEN 100

#pragma GCC visibility push(default)

/* glibc's own names: dlsym may itself allocate. */
void *__libc_malloc(size_t len);
void *__libc_calloc(size_t count, size_t len);
void *__libc_realloc(void *data, size_t len);

/* Whether this is the call that must fail; sets errno. */
static int fails(const char *call, int error)
{
    static int left = -1;
    const char *fault = getenv("FAULT");
    size_t len = strlen(call);

    if (fault == NULL || strncmp(fault, call, len) != 0 || fault[len] != ' ')
        return 0;
    if (left < 0)
        left = atoi(fault + len);
    if (left == 0 || --left != 0)
        return 0;
    mkdir("hit", 0777);
    errno = error;
    return 1;
}

static int is_short(void)
{
    const char *fault = getenv("FAULT");

    return fault != NULL && strncmp(fault, "short", 5) == 0;
}

static int interrupts(void)
{
    static unsigned calls;

    if (!is_short() || ++calls % 3 != 0)
        return 0;
    errno = EINTR;
    return 1;
}

static size_t shorten(size_t len)
{
    return is_short() && len > SHORT_LEN ? SHORT_LEN : len;
}

/* The next definition of a function, in libc. */
static void *real(const char *call)
{
    void *function = dlsym(RTLD_NEXT, call);

    if (function == NULL)
        _exit(99);
    return function;
}

void *malloc(size_t len)
{
    return fails("malloc", ENOMEM) ? NULL : __libc_malloc(len);
}

void *calloc(size_t count, size_t len)
{
    return fails("malloc", ENOMEM) ? NULL : __libc_calloc(count, len);
}

void *realloc(void *data, size_t len)
{
    return fails("malloc", ENOMEM) ? NULL : __libc_realloc(data, len);
}

void *mmap(void *address, size_t len, int protection, int flags, int fd, off_t offset)
{
    void *(*next)(void *, size_t, int, int, int, off_t) = real("mmap");

    return fails("mmap", ENOMEM) ? MAP_FAILED : next(address, len, protection, flags, fd, offset);
}

ssize_t read(int fd, void *buf, size_t len)
{
    ssize_t (*next)(int, void *, size_t) = real("read");

    return fails("read", EIO) || interrupts() ? -1 : next(fd, buf, shorten(len));
}

ssize_t write(int fd, const void *buf, size_t len)
{
    ssize_t (*next)(int, const void *, size_t) = real("write");

    return fails("write", ENOSPC) || interrupts() ? -1 : next(fd, buf, shorten(len));
}

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...) = real("open");
    mode_t mode = 0;
    va_list list;

    va_start(list, flags);
    if (flags & O_CREAT)
        mode = va_arg(list, mode_t);
    va_end(list);
    return fails("open", EMFILE) ? -1 : next(path, flags, mode);
}

int mkstemp(char *path)
{
    int (*next)(char *) = real("mkstemp");

    return fails("mkstemp", ENOSPC) ? -1 : next(path);
}

int fchmod(int fd, mode_t mode)
{
    int (*next)(int, mode_t) = real("fchmod");

    return fails("fchmod", EPERM) ? -1 : next(fd, mode);
}

int fsync(int fd)
{
    int (*next)(int) = real("fsync");

    return fails("fsync", EIO) ? -1 : next(fd);
}

int close(int fd)
{
    int (*next)(int) = real("close");

    return fails("close", EIO) ? -1 : next(fd);
}

int link(const char *from, const char *to)
{
    int (*next)(const char *, const char *) = real("link");

    return fails("link", EPERM) ? -1 : next(from, to);
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *) = real("rename");

    return fails("rename", EACCES) ? -1 : next(from, to);
}
