/* What `tdc explain` says of one entry as JSON, an object on one line; docs/tdc.1 says what members it has. */
#include "explain_int.h"

#include "ir/diag.h"

static void member(Text *out, const char *name, const char *s) {
    text_fmt(out, ", \"%s\": ", name);
    diag_json_string(out, s);
}

static void put_sizes(Text *out, const Explaining *x) {
    const Graph *g = x->p->graph;
    int n = 0;
    text_put(out, ", \"sizes\": {");
    for (int i = 0; i < g->fixed.n; i++)
        text_fmt(out, "%s\"%s\": %lld", n++ ? ", " : "", g->fixed.at[i].name, (long long)g->fixed.at[i].ivalue);
    for (int i = 0; i < g->dims.n; i++)
        text_fmt(out, "%s\"%s\": %lld", n++ ? ", " : "", g->dims.at[i]->name, (long long)x->at->dims[i]);
    text_put(out, "}, \"from\": {");
    n = 0;
    for (int i = 0; i < g->fixed.n; i++)
        text_fmt(out, "%s\"%s\": \"%s\"", n++ ? ", " : "", g->fixed.at[i].name, explain_size_from(SIZE_FIXED));
    for (int i = 0; i < g->dims.n; i++)
        text_fmt(out, "%s\"%s\": \"%s\"", n++ ? ", " : "", g->dims.at[i]->name, explain_size_from(x->at->from[i]));
    text_char(out, '}');
}

/* Of the bandwidth of memory, or of the library's products: whichever a kernel comes nearer to. */
static double share_of_peak(const Explaining *x, const ExplainedKernel *e) {
    ProductSizes c;
    double least = ((double)e->moved.read + (double)e->moved.written) / x->machine->bandwidth, products = 0;
    if (e->kernel->product && predict_product(x->p, e->kernel->product, x->at, &c))
        products = predict_product_peak(x->p, e->kernel->product, x->machine, &c);
    if (products > least) least = products;
    return e->seconds > least ? least / e->seconds : 1;
}

static void put_apart(Text *out, const Explaining *x, int i) {
    const ApartList *l = x->apart ? &x->apart[i] : NULL;
    if (!l || !l->n) return;
    text_put(out, ", \"apart\": [");
    for (int k = 0; k < l->n; k++) {
        text_fmt(out, "%s{\"from\": \"%s\"", k ? ", " : "", step_name(&x->way->steps.at[l->at[k].step]));
        member(out, "why", l->at[k].why);
        text_char(out, '}');
    }
    text_char(out, ']');
}

/* That of step i, behind n others. */
static void put_kernel(Text *out, const Explaining *x, int i, int n) {
    const ExplainedKernel *e = &x->kernels[i];
    const Kernel *k = e->kernel;
    const Tensor *seen[16];
    Text stores = {.ctx = x->p->ctx}, schedule = {.ctx = x->p->ctx}, call = {.ctx = x->p->ctx};
    Text selected = {.ctx = x->p->ctx};
    explain_stores(k, seen, &stores);
    text_fmt(out, "%s{\"name\": \"%s\", \"symbol\": \"%s\"", n ? ", " : "", k->name, k->symbol ? k->symbol : k->name);
    member(out, "stores", stores.s ? stores.s : "");
    text_fmt(out, ", \"reads\": %lld, \"writes\": %lld", (long long)e->moved.read, (long long)e->moved.written);
    if (!k->product) text_fmt(out, ", \"reads_again\": %lld", (long long)e->again);
    text_fmt(out,
             ", \"us\": %.9g, \"at_least\": %s, \"bound_by\": \"%s\", \"share_of_peak\": %.4g, \"workspace\": %lld",
             e->seconds * 1e6, e->exact ? "false" : "true", e->by, share_of_peak(x, e), (long long)x->live[i]);
    if (k->product) explain_call(x, k->product, &call);
    for (int j = 0; j < k->parts.n && !k->product; j++) explain_schedule(k, j, &schedule);
    if (call.n) member(out, "call", call.s);
    if (schedule.n) member(out, "schedule", schedule.s);
    explain_selected(&selected, x, i);
    if (selected.n) member(out, "selected", selected.s);
    if (explain_tuned(x, k)) member(out, "tuned", explain_tuned(x, k));
    if (kernel_is_rare(k)) text_put(out, ", \"rare\": true");
    if (!k->product && k->no_product) member(out, "no_library", k->no_product);
    put_apart(out, x, i);
    text_char(out, '}');
}

/* A sort among the kernels: it has a name and what it sorts, no schedule. */
static void put_sort(Text *out, const Explaining *x, int i, int n) {
    const ExplainedKernel *e = &x->kernels[i];
    text_fmt(out, "%s{\"name\": \"%s\"", n ? ", " : "", x->way->steps.at[i].sort->name);
    member(out, "sort", explain_sort(x, i));
    text_fmt(out, ", \"launches\": %d, \"reads\": %lld, \"writes\": %lld, \"us\": %.9g, \"at_least\": false",
             e->launches, (long long)e->moved.read, (long long)e->moved.written, e->seconds * 1e6);
    text_fmt(out, ", \"bound_by\": \"%s\", \"workspace\": %lld}", e->by, (long long)x->live[i]);
}

static void put_ways(Text *out, const Explaining *x) {
    const Program *p = x->p;
    text_put(out, ", \"ways\": [");
    for (int i = 0; i < p->ways.n; i++) {
        Text when = {.ctx = p->ctx};
        way_print(&when, &p->ways.at[i]);
        const Way *w = i == x->number ? x->way : &p->ways.at[i];
        text_fmt(out, "%s{\"taken\": %s", i ? ", " : "", i == x->number ? "true" : "false");
        member(out, "when", when.s ? when.s : "");
        text_put(out, ", \"kernels\": [");
        for (int k = 0; k < w->steps.n; k++) {
            const Sym name = step_name(&w->steps.at[k]);
            if (name)
                text_fmt(out, "%s\"%s\"", k ? ", " : "", name);
            else
                text_put(out, k ? ", null" : "null"); /* one of several */
        }
        text_put(out, "]}");
    }
    text_char(out, ']');
}

void explain_json(Explaining *x) {
    Text *out = x->out;
    const Floor *f = &x->floor;
    const double least = f->products > f->copy ? f->products : f->copy;
    text_put(out, "{\"entry\": ");
    diag_json_string(out, x->p->graph->name);
    put_sizes(out, x);
    text_fmt(out, ", \"launches\": %d, \"us\": %.9g, \"between_launches_us\": %.9g", x->launches, x->seconds * 1e6,
             x->machine->chained * 1e6);
    text_fmt(out, ", \"floor\": {\"bytes\": %lld, \"copy_us\": %.9g, \"products_us\": %.9g}", (long long)f->bytes,
             f->copy * 1e6, f->products * 1e6);
    if (least > 0)
        text_fmt(out, ", \"ratio\": %.4g, \"share_of_peak\": %.4g", x->seconds / least,
                 x->seconds > least ? least / x->seconds : 1);
    text_fmt(out, ", \"machine\": \"%s\", \"target\": \"%s\", \"verified\": %s", x->machine->name, x->t->arch,
             machine_verified(x->machine, x->t) ? "true" : "false");
    text_fmt(out, ", \"workspace\": %lld, \"most_in_use\": %lld", (long long)x->peak, (long long)x->least);
    if (x->p->ways.n > 1) put_ways(out, x);
    text_put(out, ", \"kernels\": [");
    for (int i = 0; i < x->way->steps.n; i++)
        if (x->kernels[i].kernel)
            put_kernel(out, x, i, i);
        else
            put_sort(out, x, i, i);
    text_put(out, "]}\n");
}
