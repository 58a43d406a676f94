/* Planned memory: temporaries and the library's scratch share the workspace where they are not in use at the same time.
 * Sizes are functions of dimensions, so offsets are found at run time (td_place in glue.c); which pieces
 * are in use at the same time is decided here. */
#include "glue_entry.h"

#include "ir/expr_map.h"
#include "sched/product.h"

/* A piece of memory and the kernels, by their places in the program, at which it is in use: first to last. */
typedef struct Item {
    int first, last;
} Item;

typedef struct Places {
    const Program *p;
    Item *items;
    ExprMap of; /* Tensor -> Item of a temporary */
    int step;
} Places;

static void used_at(Places *x, const Tensor *t) {
    Item *item = t ? (Item *)expr_map_get(&x->of, t) : NULL;
    if (!item) return;
    if (item->first < 0) item->first = x->step;
    item->last = x->step;
}

static void used_by_stages(Places *x, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        used_at(x, at[i]->tensor);
        used_at(x, at[i]->counter);
        used_by_stages(x, at[i]->body.at, at[i]->body.n);
    }
}

static void used_by_kernel(Places *x, const Kernel *k) {
    for (int i = 0; i < k->parts.n; i++) used_by_stages(x, k->parts.at[i]->body.at, k->parts.at[i]->body.n);
    if (!k->product) return;
    const Matrix *m[] = {&k->product->a, &k->product->b, &k->product->c, &k->product->d, &k->product->bias};
    for (size_t i = 0; i < sizeof m / sizeof *m; i++) used_at(x, m[i]->tensor);
}

/* Temporaries in the order of the program, then the scratch of products in theirs. */
static int find_items(Places *x) {
    const Program *p = x->p;
    int n = 0;
    for (; n < p->temps.n; n++) {
        x->items[n] = (Item){.first = -1};
        expr_map_put(p->ctx, &x->of, p->temps.at[n], &x->items[n]);
    }
    for (int i = 0; i < p->zeroed.n; i++) used_at(x, p->zeroed.at[i]); /* cleared before the first kernel */
    for (x->step = 0; x->step < p->kernels.n; x->step++) {
        const Kernel *k = p->kernels.at[x->step];
        used_by_kernel(x, k);
        if (k->product) x->items[n++] = (Item){x->step, x->step};
    }
    return n;
}

static bool meet(const Item *a, const Item *b) { return a->first <= b->last && b->first <= a->last; }

enum { MAX_MEETINGS = 1 << 18 /* in one entry; with more nothing is shared */, MAX_ITEMS = 1 << 13 };

bool glue_places(Text *out, const Program *p) {
    Places x = {.p = p, .items = NEW_N(out->ctx, Item, p->temps.n + glue_products(p))};
    int n = find_items(&x), meetings = 0;
    Text starts = {.ctx = out->ctx}, meets = {.ctx = out->ctx};
    if (n > MAX_ITEMS) return false;
    for (int i = 0; i < n; i++) {
        text_fmt(&starts, "%d, ", meetings);
        for (int j = 0; j < n; j++)
            if (i != j && meet(&x.items[i], &x.items[j])) text_fmt(&meets, "%s%d", meetings++ ? ", " : "", j);
        if (meetings > MAX_MEETINGS) return false;
    }
    text_fmt(out, "static const int td_%s_starts[] = {%s%d}, td_%s_meets[] = {%s};\n", p->graph->name, starts.s, meetings,
             p->graph->name, meetings ? meets.s : "0");
    return true;
}
