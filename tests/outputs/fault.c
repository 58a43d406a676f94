/* Preloaded into tdc: the call number FAULT_AT (from 1) of those that write outputs fails, or ends the process.
 * FAULT_HOW is `fail`, `kill` (SIGKILL) or `term` (SIGTERM). FAULT_WITHOUT names what the file system cannot do:
 * `unnamed` files, `links`. FAULT_COUNT is a file that gets the number of calls made. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;

static int is(const char *variable, const char *value) {
    const char *v = getenv(variable);
    return v && !strcmp(v, value);
}

/* Whether this call is to fail. */
static int fault(void) {
    const char *at = getenv("FAULT_AT"), *count = getenv("FAULT_COUNT");
    calls++;
    if (count) {
        FILE *f = fopen(count, "w");
        if (f) fprintf(f, "%d\n", calls), fclose(f);
    }
    if (!at || atoi(at) != calls) return 0;
    if (is("FAULT_HOW", "kill")) raise(SIGKILL);
    if (is("FAULT_HOW", "term")) raise(SIGTERM);
    if (!is("FAULT_HOW", "fail")) return 0;
    errno = ENOSPC;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open(const char *path, int flags, ...) {
    va_list ap;
    va_start(ap, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
    va_end(ap);
    if ((flags & O_ACCMODE) == O_RDONLY) return REAL(open)(path, flags, mode);
    if ((flags & O_TMPFILE) == O_TMPFILE && is("FAULT_WITHOUT", "unnamed")) return errno = EOPNOTSUPP, -1;
    return fault() ? -1 : REAL(open)(path, flags, mode);
}
ssize_t write(int fd, const void *p, size_t n) {
    if (fd <= 2) return REAL(write)(fd, p, n);
    if (!fault()) return REAL(write)(fd, p, n > 5000 ? 5000 : n); /* several calls a file */
    REAL(write)(fd, p, n / 2);
    errno = ENOSPC;
    return -1;
}
int close(int fd) {
    int bad = fault(), r = REAL(close)(fd);
    return bad ? errno = EIO, -1 : r;
}
int link(const char *from, const char *to) {
    if (is("FAULT_WITHOUT", "links")) return errno = EPERM, -1;
    return fault() ? -1 : REAL(link)(from, to);
}
int linkat(int f, const char *from, int t, const char *to, int flags) {
    if (is("FAULT_WITHOUT", "links")) return errno = EPERM, -1;
    return fault() ? -1 : REAL(linkat)(f, from, t, to, flags);
}
int rename(const char *from, const char *to) { return fault() ? -1 : REAL(rename)(from, to); }
