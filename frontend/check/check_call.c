/* One call of an entry in the runner's process: the request, the tensors' files, the reply (backend_cuda/run/runner.c).
 */
#include "check.h"
#include "check_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_S = 300, LOG_BYTES = 2000 };

typedef struct Caller {
    Ctx *ctx;
    const CheckModel *m;
    const CheckCall *call;
    Text *why;
} Caller;

static Sym tensor_file(const Caller *c, int k, const char *suffix) {
    return sym_fmt(c->ctx, "%s/t%d.%s", c->m->dir.path, k, suffix);
}

/* Of a run behind the first. */
static Sym again_file(const Caller *c, int k, int run) { return tensor_file(c, k, sym_fmt(c->ctx, "out%d", run + 1)); }

static void remove_outputs(const Caller *c, int k) {
    unlink(tensor_file(c, k, "out"));
    for (int run = 1; run < CHECK_RUNS; run++) unlink(again_file(c, k, run));
}

static bool write_request(const Caller *c, const CheckOptions *o) {
    const CheckCall *x = c->call;
    Text t = {.ctx = c->ctx};
    text_fmt(&t, "entry %s\ndims %d", x->entry, x->ndims);
    for (int i = 0; i < x->ndims; i++) text_fmt(&t, " %lld", (long long)x->dims[i]);
    text_fmt(&t, "\nscalars %d", x->nscalars);
    for (int i = 0; i < x->nscalars; i++) text_fmt(&t, " %a", x->scalars[i]);
    int repeats = x->repeats ? x->repeats : o->repeats ? o->repeats : CHECK_RUNS;
    text_fmt(&t, "\nrepeats %d loose %d runs %d copy %lld\ntensors %d\n", repeats, x->loose, x->runs,
             (long long)x->copy, x->ntensors);
    for (int k = 0; k < x->ntensors; k++) {
        static const char *const kinds[] = {[TENSOR_INPUT] = "in", [TENSOR_INOUT] = "inout", [TENSOR_OUTPUT] = "out"};
        const HostTensor *h = &x->tensors[k].host;
        text_fmt(&t, "%s %zu %d %d %d %d", kinds[x->tensors[k].kind], h->bytes, (type_bits(h->type) + 7) / 8,
                 type_row(h->type)->dlpack, type_bits(h->type), h->rank);
        for (int d = 0; d < h->rank; d++) text_fmt(&t, " %lld", (long long)h->shape[d]);
        text_fmt(&t, " %.100s\n", x->tensors[k].name ? x->tensors[k].name : "-");
    }
    bool ok = file_write(sym_fmt(c->ctx, "%s/request", c->m->dir.path), t.s, t.n);
    for (int k = 0; ok && k < x->ntensors; k++) {
        const CheckTensor *ct = &x->tensors[k];
        remove_outputs(c, k);
        if (ct->kind != TENSOR_OUTPUT)
            ok = file_write(tensor_file(c, k, "in"), ct->host.data, ct->fill ? ct->fill : ct->host.bytes);
    }
    if (!ok) text_fmt(c->why, "the files of a call cannot be written to %s", c->m->dir.path);
    return ok;
}

static bool read_output(const Caller *c, int k, Sym file, void *to) {
    const size_t bytes = c->call->tensors[k].host.bytes;
    FILE *f = fopen(file, "rb");
    size_t n = f ? fread(to, 1, bytes, f) : 0;
    if (f) fclose(f);
    return f && n == bytes;
}

static bool read_outputs(const Caller *c) {
    for (int k = 0; k < c->call->ntensors; k++) {
        CheckTensor *t = &c->call->tensors[k];
        if (t->kind == TENSOR_INPUT || t->fill) continue;
        if (!read_output(c, k, tensor_file(c, k, "out"), t->host.data)) {
            text_fmt(c->why, "the runner left no output %d", k);
            return false;
        }
        for (int run = 1; run < CHECK_RUNS; run++) {
            t->again[run] = ctx_alloc(c->ctx, t->host.bytes + 1);
            if (!read_output(c, k, again_file(c, k, run), t->again[run])) t->again[run] = NULL;
        }
    }
    return true;
}

static const char *after(const char *line, const char *word) {
    size_t n = strlen(word);
    return !strncmp(line, word, n) && line[n] == ' ' ? line + n + 1 : NULL;
}

/* A line about times; what is none is left alone. */
static void read_times(const Caller *c, const char *line, CheckTimes *t) {
    const char *v;
    CheckState s = {0};
    double milliwatts;
    if ((v = after(line, "time")))
        sscanf(v, "%lf %lf %lf %d", &t->call.median, &t->call.p10, &t->call.p90, &t->runs);
    else if ((v = after(line, "copy")))
        sscanf(v, "%lf %lf %lf", &t->copy.median, &t->copy.p10, &t->copy.p90);
    else if ((v = after(line, "nodes")))
        t->nodes = atoi(v);
    else if ((v = after(line, "device")))
        t->on.name = sym(c->ctx, v);
    else if ((v = after(line, "has"))) {
        long long l2 = 0;
        sscanf(v, "%d %d %d %d %lld", &t->on.major, &t->on.minor, &t->on.sms, &t->on.clock_khz, &l2);
        t->on.l2 = l2;
    } else if ((v = after(line, "state")) && sscanf(v, "%*s %d %d %lf", &s.sm, &s.memory, &milliwatts) == 3) {
        s.watts = milliwatts / 1000;
        *(after(v, "before") ? &t->before : &t->after) = s;
    }
}

/* Reads the reply's lines; false after saying what was at fault. */
static bool read_reply(const Caller *c, char *text, CheckReply *r) {
    bool done = false, faults = false;
    for (char *line = text, *next; line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end) *end = 0;
        const char *v;
        if ((v = after(line, "status")))
            r->status = atoi(v);
        else if ((v = after(line, "message")))
            r->message = sym(c->ctx, v);
        else if ((v = after(line, "fault"))) {
            text_fmt(c->why, "%s%s", faults ? "; " : "", v);
            faults = true;
        } else if (!strcmp(line, "done"))
            done = true;
        else
            read_times(c, line, &r->times);
    }
    if (!done && !faults) text_put(c->why, "the runner stopped early");
    return done && !faults;
}

static void put_log(const Caller *c, Sym log) {
    Text tail = {.ctx = c->ctx};
    file_tail(c->ctx, log, LOG_BYTES, &tail);
    if (tail.n) text_fmt(c->why, "\n%s", tail.s);
}

static void remove_files(const Caller *c) {
    for (int k = 0; k < c->call->ntensors; k++) {
        unlink(tensor_file(c, k, "in"));
        remove_outputs(c, k);
    }
}

void check_stop(const CheckModel *m) {
    if (m->server && m->server->pid) {
        process_stop(m->server->pid, m->server->fd);
        m->server->pid = 0;
    }
}

/* The server's exit status where it ended, else 0. False after saying why there is no reply to expect. */
static bool serve(const Caller *c, Sym log, int timeout_s, int *status) {
    CheckServer *s = c->m->server;
    char *argv[] = {(char *)c->m->program, (char *)c->m->dir.path, "serve", NULL};
    if (!s->pid && !process_start(argv, log, c->m->dir.keeper, &s->pid, &s->fd, c->why)) return false;
    if (process_ask(s->pid, s->fd, timeout_s, status, c->why)) return true;
    bool late = *status == 0 && c->why->n;
    if (!late) close(s->fd), s->pid = 0;
    check_stop(c->m);
    return !late;
}

static bool call(const Caller *c, const CheckOptions *o, CheckReply *r) {
    Sym log = sym_fmt(c->ctx, "%s/log", c->m->dir.path), reply = sym_fmt(c->ctx, "%s/reply", c->m->dir.path);
    int status = 0, timeout_s = o->timeout_s ? o->timeout_s : TIMEOUT_S;
    size_t n;
    unlink(reply);
    if (!write_request(c, o)) return false;
    char *argv[] = {(char *)c->m->program, (char *)c->m->dir.path, NULL};
    if (c->m->server ? !serve(c, log, timeout_s, &status)
                     : !process_run(argv, log, c->m->dir.keeper, timeout_s, &status, c->why))
        return false;
    char *text = file_read(c->ctx, reply, &n);
    bool ok = false;
    if (status > 128)
        text_fmt(c->why, "%s: the compiled program ended by signal %d", c->call->entry, status - 128);
    else if (!text)
        text_fmt(c->why, "%s: the compiled program left no reply (exit status %d)", c->call->entry, status);
    else
        ok = read_reply(c, text, r) && (r->status || read_outputs(c));
    if (!ok) put_log(c, log);
    if (!ok) check_stop(c->m); /* nothing of what went wrong is left to the next call */
    return ok;
}

bool check_call(Ctx *ctx, const CheckOptions *o, const CheckModel *m, const CheckCall *x, CheckReply *r, Text *why) {
    Caller c = {ctx, m, x, why};
    *r = (CheckReply){0};
    bool ok = call(&c, o, r);
    remove_files(&c);
    return ok;
}
