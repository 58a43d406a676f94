/* Where the folders of tdc's own files are: --print-dir. */
#include "driver.h"

#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *name, *installed, *source, *text;
} PLACES[] = {
#define PLACE(name, installed, source, text) {name, installed, source, text},
#include "places.def"
#undef PLACE
};
enum { PLACE_COUNT = sizeof PLACES / sizeof *PLACES };

const char *driver_place_name(int i) { return i < PLACE_COUNT ? PLACES[i].name : NULL; }

int driver_place_named(const char *name) {
    for (int i = 0; i < PLACE_COUNT; i++)
        if (!strcmp(PLACES[i].name, name)) return i;
    return -1;
}

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Without "..": what prints it may pass it on. */
static Sym below(Ctx *ctx, const char *home, const char *path) {
    int n = (int)strlen(home);
    for (; !strncmp(path, "../", 3); path += 3)
        while (n && home[--n] != '/') {
        }
    return sym_fmt(ctx, "%.*s/%s", n, home, path);
}

Exit driver_print_place(Ctx *ctx, int place) {
    const char *home = check_home(ctx);
    if (home) {
        Sym source = below(ctx, home, PLACES[place].source), installed = below(ctx, home, PLACES[place].installed);
        if (is_folder(source)) return puts(source), EXIT_OK;
        if (is_folder(installed)) return puts(installed), EXIT_OK;
    }
    fprintf(stderr, "tdc: %s was not found beside this tdc; TDC_HOME says where its files are\n", PLACES[place].text);
    return EXIT_INTERNAL;
}
