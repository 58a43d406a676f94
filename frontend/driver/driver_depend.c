/* What a compilation has read, as a rule for make (-MD), written as C compilers write it. */
#include "driver.h"

#include "ir/diag.h"

#include <errno.h>
#include <string.h>

void depend_read(Job *job, const char *path) {
    Sym s = sym(job->ctx, path);
    for (int i = 0; i < job->reads.n; i++)
        if (job->reads.at[i] == s) return;
    vec_push(job->ctx, &job->reads, s);
}

const char *driver_read_option(Job *job, const char *path, size_t *n, int *file) {
    char *text = driver_source_read(job->ctx, path, n);
    if (!text) {
        const bool large = errno == EFBIG;
        diag_report(job->ctx, large ? DIAG_FILE_TOO_LARGE : DIAG_CANNOT_READ, SPAN_NONE,
                    large ? "%s has more than 16 MiB" : "%s: %s", path, strerror(errno));
        return NULL;
    }
    depend_read(job, path);
    *file = diag_add_file(job->ctx, path, text, *n);
    return text;
}

static void word(Text *out, const char *path, bool target, int *column) {
    int before = (int)out->n;
    glue_make_name(out, path, target);
    *column += (int)out->n - before;
}

/* Long rules go on in the next line. */
static void gap(Text *out, const char *next, int *column) {
    if (*column + 1 + (int)strlen(next) > 78) {
        text_put(out, " \\\n ");
        *column = 1;
        return;
    }
    text_char(out, ' ');
    (*column)++;
}

static void targets(Text *out, const Job *job, const OutFile *files, int n, int *column) {
    const DriverOptions *o = job->o;
    for (int i = 0; i < o->depend_targets.n; i++) {
        const DependTarget *t = &o->depend_targets.at[i];
        if (i) gap(out, t->text, column);
        if (t->quoted)
            word(out, t->text, true, column);
        else
            text_put(out, t->text), *column += (int)strlen(t->text);
    }
    for (int i = 0; !o->depend_targets.n && i < n; i++) {
        if (i) gap(out, files[i].path, column);
        word(out, files[i].path, true, column);
    }
}

static bool has_name(const char *path) {
    if (!strpbrk(path, "\n\r;|")) return true;
    fprintf(stderr, "tdc: -MD: no makefile can name a file with ';', '|' or a line break: %s\n", path);
    return false;
}

bool depend_print(Text *out, const Job *job, const OutFile *files, int n) {
    int column = 0;
    for (int i = 0; i < n; i++)
        if (!has_name(files[i].path)) return false;
    for (int i = 0; i < job->reads.n; i++)
        if (!has_name(job->reads.at[i])) return false;
    targets(out, job, files, n, &column);
    text_char(out, ':');
    column++;
    for (int i = 0; i < job->reads.n; i++) {
        gap(out, job->reads.at[i], &column);
        word(out, job->reads.at[i], false, &column);
    }
    text_char(out, '\n');
    for (int i = 1; job->o->depend_phony && i < job->reads.n; i++) {
        text_char(out, '\n');
        glue_make_name(out, job->reads.at[i], true);
        text_put(out, ":\n");
    }
    return true;
}
