/* Reading sources and writing outputs. Outputs appear whole or not at all, and all of them or none, whatever fails and
 * whenever the process is ended: they are written without a name, and get their names when all are there. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool driver_source_identity(const char *path, uint64_t *device, uint64_t *inode) {
    struct stat st;
    if (stat(path, &st) != 0) return false;
    *device = (uint64_t)st.st_dev;
    *inode = (uint64_t)st.st_ino;
    return true;
}

char *driver_source_read(Ctx *ctx, const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    Text t = {.ctx = ctx};
    char buffer[1 << 14];
    size_t got;
    text_put(&t, "");
    errno = 0;
    while ((got = fread(buffer, 1, sizeof buffer, f)) > 0) {
        text_put_n(&t, buffer, got);
        if (t.n > AST_SOURCE_BYTES) {
            fclose(f);
            errno = EFBIG;
            return NULL;
        }
    }
    int error = ferror(f) ? (errno ? errno : EIO) : 0;
    fclose(f);
    errno = error;
    *n = t.n;
    return error ? NULL : t.s;
}

/* ---- writing ---- */

/* One output on its way. */
typedef struct Fresh {
    Ctx *ctx;
    const OutFile *file;
    Sym name, old;  /* its name until it is in place; where what it replaces is kept meanwhile */
    int fd;         /* of a file without a name; -1 where it has one */
    bool in_place;  /* is there and is no regular file (a terminal, /dev/null): written to where it is */
    bool had, done; /* something is kept at `old`; it is in place */
} Fresh;

static bool complain(const char *path) {
    fprintf(stderr, "tdc: cannot write %s: %s\n", path, strerror(errno));
    return false;
}

static bool put_bytes(void *user, const char *s, size_t n) {
    int fd = *(const int *)user;
    for (size_t at = 0; at < n;) {
        ssize_t w = write(fd, s + at, n - at);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) {
            if (w == 0) errno = ENOSPC;
            return false;
        }
        at += (size_t)w;
    }
    return true;
}

static bool put(int fd, const OutFile *file) {
    const char *s = file->text->s ? file->text->s : "";
    size_t n = file->text->n, before = file->middle ? file->middle->sink.at : n;
    return put_bytes(&fd, s, before) && (!file->middle || spool_each(file->middle, true, put_bytes, &fd)) &&
           put_bytes(&fd, s + before, n - before);
}

static bool put_and_close(int fd, const OutFile *file) {
    bool ok = put(fd, file);
    int error = errno;
    if (close(fd) != 0 && ok) return false;
    errno = error;
    return ok;
}

static int open_named(const Fresh *f) {
    unlink(f->name); /* of a process of this number that was ended */
    return open(f->name, O_WRONLY | O_CREAT | O_EXCL, 0666);
}

static bool write_named(const Fresh *f) {
    int fd = open_named(f);
    return fd >= 0 && put_and_close(fd, f->file);
}

/* From the file without a name: what it was written from is gone. */
static bool copy_named(const Fresh *f) {
    char piece[1 << 16];
    ssize_t got;
    int fd = open_named(f);
    if (fd < 0) return false;
    for (off_t at = 0; (got = pread(f->fd, piece, sizeof piece, at)) != 0; at += got > 0 ? got : 0)
        if (got < 0 ? errno != EINTR : !put_bytes(&fd, piece, (size_t)got)) break;
    int error = errno;
    if (close(fd) != 0 && !got) return false;
    errno = error;
    return !got;
}

/* A file that nobody sees, and that is gone when the process is; where the file system has none, one with a name. */
static bool write_fresh(Fresh *f) {
#ifdef O_TMPFILE
    const char *slash = strrchr(f->file->path, '/');
    Sym dir = !slash ? "." : sym_n(f->ctx, f->file->path, (size_t)(slash - f->file->path) + 1);
    f->fd = open(dir, O_RDWR | O_TMPFILE, 0666);
    if (f->fd >= 0) return put(f->fd, f->file);
#endif
    return write_named(f);
}

static bool give_name(Fresh *f) {
    if (f->fd < 0) return true;
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    unlink(f->name);
    bool ok = linkat(AT_FDCWD, path, AT_FDCWD, f->name, AT_SYMLINK_FOLLOW) == 0 || copy_named(f);
    int error = errno;
    if (close(f->fd) != 0 && ok) return f->fd = -1, false;
    f->fd = -1;
    errno = error;
    return ok;
}

/* Keeps what an output replaces under a second name, so that it can be put back; where it can have none, it is moved.
 */
static void keep(Fresh *f) {
    unlink(f->old);
    f->had = link(f->file->path, f->old) == 0 || (errno != ENOENT && rename(f->file->path, f->old) == 0);
}

/* The last file first, so that where the first one is new all are. What the last to move replaces need not be kept. */
static bool move(Fresh *all, int n) {
    for (int i = n - 1; i >= 0; i--) {
        Fresh *f = &all[i];
        if (f->in_place) continue;
        if (i > 0) keep(f);
        f->done = rename(f->name, f->file->path) == 0;
        if (!f->done) return complain(f->file->path);
    }
    return true;
}

/* Leaves nothing but the outputs; where not all are in place, what was there before. */
static void settle(Fresh *all, int n, bool ok) {
    for (int i = 0; i < n; i++) {
        Fresh *f = &all[i];
        if (f->in_place) continue;
        if (f->fd >= 0) close(f->fd);
        if (!f->done) unlink(f->name);
        if (f->had && (ok || rename(f->old, f->file->path) == 0))
            unlink(f->old); /* there still where both were one file */
        else if (f->done && !ok)
            unlink(f->file->path);
    }
}

static bool begin(Ctx *ctx, Fresh *f, const OutFile *file) {
    struct stat st;
    *f = (Fresh){.ctx = ctx, .file = file, .fd = -1};
    bool there = stat(file->path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        f->in_place = true; /* nothing to undo */
        errno = EISDIR;
        return complain(file->path);
    }
    f->in_place = there && !S_ISREG(st.st_mode);
    f->name = sym_fmt(ctx, "%s.new-%ld", file->path, (long)getpid());
    f->old = sym_fmt(ctx, "%s.old-%ld", file->path, (long)getpid());
    return f->in_place || write_fresh(f) || complain(file->path);
}

/* A signal that has come meanwhile ends the process now, and may while a pipe keeps it waiting. */
static bool write_in_place(const Fresh *f, const sigset_t *quit, const sigset_t *before) {
    if (!f->in_place) return true;
    sigprocmask(SIG_SETMASK, before, NULL);
    int fd = open(f->file->path, O_WRONLY);
    bool ok = fd >= 0 && put_and_close(fd, f->file);
    int error = errno;
    sigprocmask(SIG_BLOCK, quit, NULL);
    errno = error;
    return ok || complain(f->file->path);
}

bool driver_file_to_stdout(const OutFile *file) {
    return (fflush(stdout) == 0 && put(STDOUT_FILENO, file)) || complain("to the standard output");
}

OutFile driver_out_file(Job *job, EmitId e, Sym path) { return (OutFile){path, &job->out[e], &job->middle[e]}; }

bool driver_files_write(Ctx *ctx, const OutFile *files, int n) {
    Fresh *all = NEW_N(ctx, Fresh, n + 1);
    sigset_t quit, before;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, limit;
    int begun = 0;
    bool ok = true;
    sigemptyset(&quit);
    sigaddset(&quit, SIGINT);
    sigaddset(&quit, SIGTERM);
    sigaddset(&quit, SIGHUP);
    sigaddset(&quit, SIGQUIT);
    sigaction(SIGXFSZ, &ignore, &limit); /* a limit on the size of files is an error of write */
    sigprocmask(SIG_BLOCK, &quit, &before);
    while (ok && begun < n) ok = begin(ctx, &all[begun], &files[begun]), begun++;
    for (int i = 0; ok && i < n; i++) ok = write_in_place(&all[i], &quit, &before);
    for (int i = 0; ok && i < n; i++) ok = all[i].in_place || give_name(&all[i]) || complain(files[i].path);
    ok = ok && move(all, n);
    settle(all, begun, ok);
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGXFSZ, &limit, NULL);
    return ok;
}
