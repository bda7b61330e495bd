/* Files out: whole, or not at all. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* symbolic links followed one after another, as Linux does */

/* The temporary file, and whether there is one. */
static char *volatile temporary;
static volatile sig_atomic_t temporary_exists;

void output_discard(void)
{
    if (temporary_exists)
        unlink(temporary);
    temporary_exists = 0;
}

/* While a temporary file comes or goes, no signal may fall between it and its name. */
static void hold_signals(sigset_t *old)
{
    sigset_t set;

    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, old);
}

/* A string: the first len bytes of folder, then name. */
static char *join(const char *folder, size_t len, const char *name)
{
    size_t name_len = strlen(name);
    char *path = allocate(len + name_len + 1);

    memcpy(path, folder, len);
    memcpy(path + len, name, name_len + 1);
    return path;
}

/* The length of a path's folder, its last slash included; 0 for the current folder. */
static size_t folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Is this folder, without symbolic links, one of open descriptors? */
static int holds_descriptors(const char *folder)
{
    size_t len = strlen(folder);

    return strcmp(folder, "/dev/fd") == 0 ||
           (strncmp(folder, "/proc/", 6) == 0 && strcmp(folder + len - 3, "/fd") == 0);
}

/* Whether a path names an open descriptor; if it is this process's, *fd is that, otherwise -1. */
static int is_descriptor(int *fd, const char *path)
{
    size_t len = folder_len(path);
    char folder[PATH_MAX], own[PATH_MAX], *name = join(path, len, ".");
    int yes = realpath(name, folder) != NULL && holds_descriptors(folder);

    free(name);
    *fd = -1;
    if (yes && strcmp(folder, realpath("/proc/self/fd", own) != NULL ? own : "/dev/fd") == 0)
        *fd = atoi(path + len);
    return yes;
}

/* Where a path leads when its symbolic links are followed, also if nothing is there yet, but not
 * beyond an open descriptor: what that is called may be another file by now, or none. */
static char *follow_links(const char *name)
{
    char *path = join(name, strlen(name), ""), link[PATH_MAX];
    ssize_t len;
    int fd;

    for (int i = 0; !is_descriptor(&fd, path) && (len = readlink(path, link, sizeof link - 1)) >= 0;
         i++) {
        if (i == LINKS_MAX)
            fail_errno(ELOOP, "write", name);
        link[len] = '\0';
        char *next = join(path, link[0] == '/' ? 0 : folder_len(path), link);
        free(path);
        path = next;
    }
    return path;
}

static int open_temporary(const char *target)
{
    size_t len = folder_len(target);
    char *path = join(target, len, ".tahr-XXXXXX");
    sigset_t old;
    int fd, error;

    hold_signals(&old);
    fd = mkstemp(path); /* mode 0600 */
    error = errno;
    temporary = path;
    temporary_exists = fd >= 0;
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (fd < 0) {
        path[len] = '\0';
        fail_errno(error, "create a file in", len > 0 ? path : "this folder");
    }
    return fd;
}

/* A rename is on the disk when its folder is; -1 if that may be written but not read. */
static int open_folder(const char *target)
{
    char *folder = join(target, folder_len(target), ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 && errno != EACCES)
        fail_errno(errno, "open", folder);
    free(folder);
    return fd;
}

/* A regular file comes here only if it cannot be replaced; what it holds stays. */
static int open_stream(const char *name, int regular)
{
    int fd, flags = O_WRONLY | O_NOCTTY | O_CLOEXEC | (regular ? O_APPEND : 0);

    do
        fd = open(name, flags);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        fail_errno(errno, "write", name);
    return fd;
}

static void refuse_input(const struct stat *st, const char *name)
{
    if ((S_ISREG(st->st_mode) || S_ISBLK(st->st_mode)) && input_is(st->st_dev, st->st_ino))
        fail(TAHR_BAD_CALL, "write to another file, and move it afterwards",
             "%s is read and written at the same time", name);
}

static void fail_exists(const char *name)
{
    fail(TAHR_SYSTEM, "choose another name, or replace the file with -f", "%s already exists",
         name);
}

static void open_stdout(struct output *out)
{
    struct stat st;

    out->name = "standard output";
    out->fd = STDOUT_FILENO;
    if (fstat(STDOUT_FILENO, &st) == 0)
        refuse_input(&st, out->name);
}

static int same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whoever has redirected standard output to a file may go on writing to it. */
static void refuse_stdout(const struct stat *st, const char *name)
{
    struct stat out;

    if (fstat(STDOUT_FILENO, &out) == 0 && same_file(&out, st))
        fail(TAHR_BAD_CALL, "leave one of them out", "%s is standard output as well", name);
}

/* What is written as the data comes: open descriptors, whatever they lead to, and all that is not a
 * regular file of that path.  st is NULL when there is nothing.  Returns whether it was that. */
static int open_unreplaced(struct output *out, const char *path, const struct stat *st)
{
    struct stat target;
    int fd;

    if (is_descriptor(&fd, path) && fd >= 0) { /* opened anew it would begin at its start */
        out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        if (out->fd < 0)
            fail_errno(errno, "write", out->name);
        return 1;
    }
    if (st == NULL || (lstat(path, &target) == 0 && same_file(&target, st) && S_ISREG(st->st_mode)))
        return 0;
    out->fd = open_stream(out->name, S_ISREG(st->st_mode));
    return 1;
}

void output_open(struct output *out, const char *name, int flags)
{
    struct stat st;
    char *path;
    int exists;

    *out = (struct output){.name = name, .folder = -1, .flags = flags};
    if (name == NULL || strcmp(name, "-") == 0) {
        open_stdout(out);
        return;
    }
    exists = stat(name, &st) == 0;
    if (!exists && errno != ENOENT)
        fail_errno(errno, "write", name);
    if (exists && !(flags & OUTPUT_REPLACE))
        refuse_input(&st, name);
    if (exists && S_ISDIR(st.st_mode))
        fail_errno(EISDIR, "write", name);
    path = follow_links(name);
    if (open_unreplaced(out, path, exists ? &st : NULL)) {
        if (flags & OUTPUT_REPLACE)
            fail(TAHR_BAD_CALL, "say where to write with -o OUT", "%s is not a regular file", name);
        free(path);
        return;
    }
    if (exists)
        refuse_stdout(&st, name);
    if (exists && (flags & OUTPUT_KEEP))
        fail_exists(name);
    out->target = path;
    out->folder = open_folder(out->target);
    out->fd = open_temporary(out->target);
}

int output_write(struct output *out, const void *buf, size_t len)
{
    const unsigned char *data = buf;

    while (len > 0) {
        ssize_t n = write(out->fd, data, len);
        if (n < 0 && can_retry(out->fd, POLLOUT))
            continue;
        if (n < 0) {
            out->error = errno;
            return -1;
        }
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Not every file system has modes; mkstemp's 0600 is then the best there is. */
static int set_mode(int fd, mode_t mode)
{
    return fchmod(fd, mode) == 0 || errno == EPERM || errno == ENOTSUP ? 0 : -1;
}

/* Gives the temporary file the owner and mode that the target would have if it had been written in
 * place.  Where its group cannot be kept, the group's rights are not kept either. */
static int take_after_target(const struct output *out)
{
    struct stat st;
    mode_t mode;

    if (out->flags & OUTPUT_PRIVATE)
        return set_mode(out->fd, S_IRUSR | S_IWUSR);
    if (stat(out->target, &st) == 0) {
        mode = st.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
        if (fchown(out->fd, st.st_uid, st.st_gid) != 0)
            mode &= (mode_t)~S_IRWXG;
    } else {
        mode_t mask = umask(0);
        umask(mask);
        mode = 0666 & ~mask;
    }
    return set_mode(out->fd, mode);
}

/* Without hard links: takes the name with an empty file, which fails if it is taken, and replaces
 * that.  Returns 0, or -1 and errno. */
static int rename_over_own(const char *target)
{
    struct stat own, now;
    int fd = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR), failed,
        error;

    if (fd < 0)
        return -1;
    failed = fstat(fd, &own) != 0 || lstat(target, &now) != 0;
    close(fd); /* nothing was written to it */
    if (failed)
        return -1;
    if (!same_file(&own, &now)) {
        errno = EEXIST;
        return -1;
    }
    if (rename(temporary, target) == 0)
        return 0;
    error = errno;
    unlink(target);
    errno = error;
    return -1;
}

/* The same for all file systems. */
static int rename_to_new(const char *target)
{
    if (link(temporary, target) == 0)
        return unlink(temporary);
    return errno == EPERM || errno == ENOTSUP || errno == ENOSYS ? rename_over_own(target) : -1;
}

/* Gives the temporary file its name, so that it replaces what has it, or does not. */
static void move_into_place(struct output *out)
{
    sigset_t old;
    int failed;

    hold_signals(&old); /* from here on it is too late to stop */
    if (out->flags & OUTPUT_KEEP)
        failed = rename_to_new(out->target) != 0;
    else
        failed = rename(temporary, out->target) != 0;
    if (failed && errno == EEXIST)
        fail_exists(out->name);
    if (failed)
        fail_errno(errno, "write", out->name);
    temporary_exists = 0;
    free(temporary);
    if (out->folder >= 0 && fsync(out->folder) != 0 && errno != EINVAL) /* not every folder can */
        fail_errno(errno, "write the folder of", out->name);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

void output_commit(struct output *out)
{
    if (out->target != NULL && (take_after_target(out) != 0 || fsync(out->fd) != 0))
        fail_errno(errno, "write", out->name);
    if (close(out->fd) != 0)
        fail_errno(errno, "write", out->name);
    if (out->target != NULL)
        move_into_place(out);
    if (out->folder >= 0)
        close(out->folder);
    free(out->target);
}

void output_text(const char *text, size_t len)
{
    struct output out;

    output_open(&out, NULL, 0);
    if (output_write(&out, text, len) != 0)
        fail_errno(out.error, "write", out.name);
    output_commit(&out);
}
