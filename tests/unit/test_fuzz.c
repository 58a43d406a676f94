/* The fuzzers' targets on tests/fuzz/corpus: what was once found stays mended. Run from the project's root. */
#include "tests/fuzz/targets.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void run_file(FuzzTarget *target, const char *path) {
    static char text[1 << 20];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f) fclose(f);
    char *exact = malloc(n ? n : 1); /* reads past the end are seen by sanitizers */
    if (!f || !exact) {
        failed++;
        printf("FAILED %s: cannot be read\n", path);
    } else {
        memcpy(exact, text, n);
        const char *wrong = target(exact, n);
        if (wrong) printf("FAILED %s: %s\n", path, wrong);
        wrong ? failed++ : passed++;
    }
    free(exact);
}

static void run_folder(FuzzTarget *target, const char *folder) {
    char path[600];
    DIR *d = opendir(folder);
    int before = passed + failed;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%.255s", folder, e->d_name);
        run_file(target, path);
    }
    if (d) closedir(d);
    if (passed + failed == before) failed += printf("FAILED %s: nothing there\n", folder) > 0;
}

int main(void) {
    run_folder(fuzz_front, "tests/fuzz/corpus/front");
    run_folder(fuzz_graph, "tests/fuzz/corpus/graph");
    run_folder(fuzz_tuning, "tests/fuzz/corpus/tuning");
    run_folder(fuzz_kernel, "tests/fuzz/corpus/kernel");
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
