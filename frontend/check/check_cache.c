/* The cache of what compilers made. */
#include "check_cache.h"
#include "check_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { YOUNG_SECONDS = 3600 /* a folder that was used since is not removed: its user may be about to read it */ };

Sym cache_folder(Ctx *ctx) {
    const char *given = getenv("TDC_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (given && *given) return strcmp(given, "none") != 0 ? sym(ctx, given) : NULL;
    if (xdg && *xdg) return sym_fmt(ctx, "%s/tdc", xdg);
    return home && *home ? sym_fmt(ctx, "%s/.cache/tdc", home) : NULL;
}

/* ---- keys ---- */

void cache_part(CacheKey *k, const void *data, size_t n) {
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)n >> (8 * i));
    sha256_add(k, length, sizeof length);
    sha256_add(k, data, n);
}

void cache_text(CacheKey *k, const char *text) { cache_part(k, text, strlen(text)); }

bool cache_file(Ctx *ctx, CacheKey *k, const char *path) {
    Ctx *temp = ctx_temp(ctx);
    size_t n = 0;
    const char *bytes = file_read(temp, path, &n);
    if (bytes) cache_part(k, bytes, n);
    ctx_temp_end(temp);
    return bytes != NULL;
}

Sym cache_name(Ctx *ctx, const CacheKey *k, const char *kind) {
    CacheKey end = *k;
    unsigned char digest[32];
    char hex[33];
    sha256_end(&end, digest);
    for (int i = 0; i < 16; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    return sym_fmt(ctx, "%s-%s", kind, hex);
}

/* ---- copies ---- */

static bool copy_bytes(int in, int out) {
    char bytes[1 << 16];
    for (;;) {
        ssize_t n = read(in, bytes, sizeof bytes);
        if (n <= 0) return n == 0;
        for (ssize_t at = 0; at < n;) {
            ssize_t w = write(out, bytes + at, (size_t)(n - at));
            if (w < 0) return false;
            at += w;
        }
    }
}

/* A second name for the file, or where that cannot be, a copy with its rights. */
static bool copy(const char *from, const char *to) {
    struct stat s;
    if (!link(from, to)) return true;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0) return false;
    int out = fstat(in, &s) ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, s.st_mode & 0777);
    bool ok = out >= 0 && copy_bytes(in, out);
    close(in);
    if (out >= 0) ok = !close(out) && ok;
    if (out >= 0 && !ok) unlink(to);
    return ok;
}

static void make_folders(Ctx *ctx, const char *path) {
    for (size_t i = 1; path[i]; i++)
        if (path[i] == '/') mkdir(sym_n(ctx, path, i), 0777);
    mkdir(path, 0777);
}

bool cache_take(Ctx *ctx, Sym cache, Sym name, const char *file, const char *to) {
    if (!cache || !copy(sym_fmt(ctx, "%s/%s/%s", cache, name, file), to)) return false;
    utimensat(AT_FDCWD, sym_fmt(ctx, "%s/%s", cache, name), NULL, 0);
    return true;
}

/* ---- how much it holds ---- */

typedef struct Kept {
    Sym path;
    time_t used;
    int64_t bytes;
} Kept;

static int by_use(const void *a, const void *b) {
    const Kept *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used ? 1 : strcmp(x->path, y->path);
}

static int64_t bytes_in(Ctx *ctx, const char *folder) {
    const char *const any[] = {"", NULL};
    Paths files = {0};
    int64_t bytes = 0;
    struct stat s;
    if (!dir_list(ctx, folder, any, &files)) return 0;
    for (int i = 0; i < files.n; i++)
        if (!lstat(files.at[i], &s) && S_ISREG(s.st_mode)) bytes += s.st_size;
    return bytes;
}

static void trim(Ctx *ctx, Sym cache) {
    const char *const any[] = {"", NULL};
    Paths folders = {0};
    VEC(Kept) all = {0};
    int64_t bytes = 0;
    struct stat s;
    if (!dir_list(ctx, cache, any, &folders)) return;
    for (int i = 0; i < folders.n; i++) {
        const char *last = strrchr(folders.at[i], '/') + 1;
        if (*last == '.' || lstat(folders.at[i], &s) || !S_ISDIR(s.st_mode)) continue;
        Kept k = {folders.at[i], s.st_mtime, bytes_in(ctx, folders.at[i])};
        bytes += k.bytes;
        vec_push(ctx, &all, k);
    }
    if (all.n) qsort(all.at, (size_t)all.n, sizeof *all.at, by_use);
    for (int i = 0; i < all.n && bytes > CACHE_BYTES && all.at[i].used < time(NULL) - YOUNG_SECONDS; i++) {
        dir_remove(ctx, all.at[i].path);
        bytes -= all.at[i].bytes;
    }
}

void cache_keep(Ctx *ctx, Sym cache, Sym name, const char *file, const char *from) {
    if (!cache) return;
    make_folders(ctx, cache);
    Text fresh = {.ctx = ctx};
    text_fmt(&fresh, "%s/new-XXXXXX", cache);
    if (!mkdtemp(fresh.s)) return;
    /* Another process may have been faster: then its folder stays. */
    if (!copy(from, sym_fmt(ctx, "%s/%s", fresh.s, file)) || rename(fresh.s, sym_fmt(ctx, "%s/%s", cache, name)) != 0)
        dir_remove(ctx, fresh.s);
    if (name[strlen(name) - 1] == '0') trim(ctx, cache);
}
