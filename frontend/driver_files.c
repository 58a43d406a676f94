/* Reading sources and writing outputs. Outputs appear whole or not at all, and all of them or none. */
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool source_identity(const char *path, uint64_t *device, uint64_t *inode) {
    struct stat st;
    if (stat(path, &st) != 0) return false;
    *device = (uint64_t)st.st_dev;
    *inode = (uint64_t)st.st_ino;
    return true;
}

char *source_read(Ctx *ctx, const char *path, size_t *n) {
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

static bool complain(const char *what, const char *path) {
    fprintf(stderr, "tdc: cannot %s %s: %s\n", what, path, strerror(errno));
    return false;
}

/* Whether a path is there and is no regular file (a terminal, /dev/null): written to in place. */
static bool in_place(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool write_all(const char *path, const Text *text) {
    FILE *f = fopen(path, "wb");
    if (!f) return complain("write", path);
    bool ok = fwrite(text->s ? text->s : "", 1, text->n, f) == text->n;
    ok = fclose(f) == 0 && ok;
    return ok || complain("write", path);
}

/* Moves each new file into place, keeping what stood there until all are; puts it back where one cannot be moved. */
static bool replace(const OutFile *files, const Sym *fresh, const Sym *old, int n) {
    int done = 0;
    for (; done < n; done++) {
        if (!fresh[done]) continue;
        bool had = rename(files[done].path, old[done]) == 0;
        if (rename(fresh[done], files[done].path) == 0) continue;
        complain("write", files[done].path);
        if (had) rename(old[done], files[done].path);
        break;
    }
    bool ok = done == n;
    for (int i = 0; i < done; i++) {
        if (!fresh[i]) continue;
        if (ok)
            unlink(old[i]);
        else if (rename(old[i], files[i].path) != 0)
            unlink(files[i].path);
    }
    return ok;
}

bool files_write(Ctx *ctx, const OutFile *files, int n) {
    Sym *fresh = NEW_N(ctx, Sym, n + 1), *old = NEW_N(ctx, Sym, n + 1);
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        struct stat st;
        if (stat(files[i].path, &st) == 0 && S_ISDIR(st.st_mode)) {
            errno = EISDIR;
            ok = complain("write", files[i].path);
        } else if (!in_place(files[i].path)) {
            fresh[i] = sym_fmt(ctx, "%s.new-%ld", files[i].path, (long)getpid());
            old[i] = sym_fmt(ctx, "%s.old-%ld", files[i].path, (long)getpid());
            ok = write_all(fresh[i], files[i].text);
        }
    }
    for (int i = 0; ok && i < n; i++)
        if (!fresh[i]) ok = write_all(files[i].path, files[i].text);
    if (ok) ok = replace(files, fresh, old, n);
    for (int i = 0; i < n; i++)
        if (fresh[i]) unlink(fresh[i]);
    return ok;
}
