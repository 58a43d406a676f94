/* The long middle of an output, on its way: see driver.h. What the file system says of it is said when the output is
 * written. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 1 << 22, PIECE = 1 << 16 };

/* Nobody sees it, and it is gone with the process. */
static int open_unnamed(Ctx *ctx, Sym folder) {
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(folder, O_RDWR | O_TMPFILE, 0600);
#endif
    if (fd >= 0) return fd;
    Sym name = sym_fmt(ctx, "%s/tdc.part-%ld", folder, (long)getpid());
    fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0) unlink(name);
    return fd;
}

/* A limit on the size of files is an error of write. */
static void write_out(Spool *s, const char *bytes, size_t n) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGXFSZ, &ignore, &before);
    for (size_t at = 0; at < n && !s->error;) {
        ssize_t w = write(s->fd, bytes + at, n - at);
        if (w > 0)
            at += (size_t)w;
        else if (w == 0 || errno != EINTR)
            s->error = w == 0 ? ENOSPC : errno;
    }
    sigaction(SIGXFSZ, &before, NULL);
}

static void take(TextSink *sink, const char *bytes, size_t n) {
    Spool *s = (Spool *)sink;
    if (s->error) return;
    const bool many = s->text.n + n >= KEPT;
    if (many && !s->tried) s->fd = open_unnamed(s->text.ctx, s->folder);
    s->tried |= many;
    if (!many || s->fd < 0) {
        text_put_n(&s->text, bytes, n);
        return;
    }
    write_out(s, s->text.s, s->text.n);
    s->text.n = 0;
    write_out(s, bytes, n);
}

Spool spool_new(Ctx *ctx, Sym folder) {
    return (Spool){.sink = {.take = take}, .text = {.ctx = ctx}, .folder = folder, .fd = -1};
}

void spool_close(Spool *s) {
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
}

/* A file system that cannot do this keeps the bytes for a while. */
static void give_back(const Spool *s, off_t from, off_t to) {
#ifdef FALLOC_FL_PUNCH_HOLE
    if (fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, to - from) != 0) return;
#endif
    (void)s, (void)from, (void)to;
}

bool spool_each(Spool *s, bool last, bool (*put)(void *user, const char *bytes, size_t n), void *user) {
    char piece[PIECE];
    ssize_t got = 0;
    off_t kept = 0;
    errno = s->error;
    if (s->error) return false;
    for (off_t at = 0; s->fd >= 0 && (got = pread(s->fd, piece, sizeof piece, at)) != 0;) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 || !put(user, piece, (size_t)got)) return false;
        at += got;
        if (!last || at - kept < KEPT) continue;
        give_back(s, kept, at);
        kept = at;
    }
    return !s->text.n || put(user, s->text.s, s->text.n);
}
