/* The cache of what compilers made: names, copies, and how much it holds; and SHA-256. */
#include "frontend/check/check_cache.h"
#include "frontend/check/check_process.h"
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct Test {
    Ctx *ctx;
} Test;

static void test_sha256(Test *t) {
    /* From FIPS 180-4's examples; the last is a million times `a`, in pieces of many lengths. */
    static const struct {
        const char *text, *digest;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb924"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039"},
    };
    CacheKey k;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sha256_start(&k);
        sha256_add(&k, rows[i].text, strlen(rows[i].text));
        expect(!strcmp(cache_name(t->ctx, &k, "x"), sym_fmt(t->ctx, "x-%s", rows[i].digest)), rows[i].text, NULL);
    }
    char a[1000];
    memset(a, 'a', sizeof a);
    sha256_start(&k);
    for (size_t left = 1000000, n = 1; left; left -= n) {
        n = n * 7 % sizeof a + 1;
        if (n > left) n = left;
        sha256_add(&k, a, n);
    }
    expect(!strcmp(cache_name(t->ctx, &k, "x"), "x-cdc76e5c9914fb9281a1c7e284d73e67"), "a million", NULL);
}

/* Parts are told apart by where one ends. */
static void test_parts(Test *t) {
    CacheKey a, b;
    sha256_start(&a);
    sha256_start(&b);
    cache_text(&a, "ab");
    cache_text(&a, "c");
    cache_text(&b, "a");
    cache_text(&b, "bc");
    expect(cache_name(t->ctx, &a, "x") != cache_name(t->ctx, &b, "x"), "lists of parts differ", NULL);
}

static void put(Test *t, const char *path, off_t bytes, time_t used) {
    const struct timespec times[2] = {{used, 0}, {used, 0}};
    int fd = open(path, O_WRONLY | O_CREAT, 0755);
    expect(fd >= 0 && !ftruncate(fd, bytes) && !close(fd), path, NULL);
    Sym folder = sym_n(t->ctx, path, (size_t)(strrchr(path, '/') - path));
    utimensat(AT_FDCWD, folder, times, 0);
}

static bool there(Test *t, const char *cache, const char *name) {
    return access(sym_fmt(t->ctx, "%s/%s", cache, name), F_OK) == 0;
}

static void test_folders(Test *t) {
    Ctx *ctx = t->ctx;
    char dir[] = "/tmp/tdc-test-XXXXXX";
    expect(mkdtemp(dir) != NULL, "a folder", NULL);
    Sym cache = sym_fmt(ctx, "%s/deep/cache", dir), from = sym_fmt(ctx, "%s/a", dir), to = sym_fmt(ctx, "%s/b", dir);
    expect(file_write(from, "first", 5), "a file", NULL);
    expect(!cache_take(ctx, cache, "object-1", "o", to), "nothing is kept at first", NULL);
    cache_keep(ctx, cache, "object-1", "o", from);
    expect(cache_take(ctx, cache, "object-1", "o", to), "what was kept is there", NULL);
    size_t n = 0;
    const char *bytes = file_read(ctx, to, &n);
    expect(bytes && n == 5 && !memcmp(bytes, "first", 5), "with its bytes", NULL);
    unlink(to);
    unlink(from);
    expect(file_write(from, "other", 5), "another file", NULL);
    cache_keep(ctx, cache, "object-1", "o", from);
    expect(cache_take(ctx, cache, "object-1", "o", to), "kept twice", NULL);
    bytes = file_read(ctx, to, &n);
    expect(bytes && !memcmp(bytes, "first", 5), "the first one stays", NULL);
    cache_keep(ctx, NULL, "object-2", "o", from);
    expect(!cache_take(ctx, NULL, "object-2", "o", to), "no cache keeps nothing", NULL);

    /* A name that ends in 0 has the cache made smaller: what was used longest ago goes, what is young stays. */
    static const char *const names[] = {"object-old", "object-later", "object-young"};
    const time_t now = time(NULL), used[] = {now - 9000, now - 5000, now};
    for (int i = 0; i < 3; i++) {
        mkdir(sym_fmt(ctx, "%s/%s", cache, names[i]), 0700);
        put(t, sym_fmt(ctx, "%s/%s/o", cache, names[i]), (off_t)CACHE_BYTES * 6 / 10, used[i]);
    }
    cache_keep(ctx, cache, "object-20", "o", from);
    expect(!there(t, cache, "object-old") && !there(t, cache, "object-later"), "old ones go", NULL);
    expect(there(t, cache, "object-young") && there(t, cache, "object-20"), "young ones stay", NULL);
    static const char *const left[] = {"deep/cache/object-1", "deep/cache/object-20", "deep/cache/object-young",
                                       "deep/cache", "deep"};
    for (int i = 0; i < 5; i++) dir_remove(ctx, sym_fmt(ctx, "%s/%s", dir, left[i]));
    dir_remove(ctx, dir);
    expect(access(dir, F_OK) != 0, "nothing else was left", NULL);
}

int main(void) {
    Test t = {.ctx = ctx_new()};
    if (!t.ctx || CTX_GUARD(t.ctx)) return 1;
    test_sha256(&t);
    test_parts(&t);
    test_folders(&t);
    ctx_free(t.ctx);
    return test_end();
}
