/* A Plan as text, for people: README.md describes it. Expressions are those of Graph text, with the names of axes for
 * index variables and s1, s2, ... for the steps of a group. */
#include "plan.h"

#include "ir/monoid.h"
#include "ir/expr_text.h"
#include "ir/expr_walk.h"
#include "sched/library/product.h"

/* One group's expressions. */
typedef struct Printing {
    const Plan *plan;
    const Group *gr;
    ExprPrinter p;
    ExprRewrite named; /* steps become leaves */
} Printing;

/* A step's node as a leaf that has its number and the part of its state. */
static const Expr *name_step(ExprRewrite *x, const Expr *e) {
    Group *gr = x->user;
    const GStep *s = e->op == OP_REDUCE ? group_step(gr, e) : NULL;
    if (!s) return NULL;
    return expr_node(x->g, OP_ARG, e->type, false, (s - gr->steps.at) * MAX_PARTS + e->u.reduce->part, NULL, 0);
}

static void print_leaf(void *user, Text *out, const Expr *leaf) {
    const Group *gr = user;
    const GStep *s = &gr->steps.at[leaf->u.i / MAX_PARTS];
    const Monoid *m = monoid_of(gr->graph, s->monoid, s->body->type);
    const int part = (int)(leaf->u.i % MAX_PARTS);
    text_fmt(out, "s%lld", (long long)(leaf->u.i / MAX_PARTS + 1));
    if (m->n > 1 && (monoid_declared(m) || part < m->n - 1)) text_fmt(out, ".%s", m->part[part]); /* else the result */
}

static void print_expr(Printing *x, const Expr *e) { expr_print_with(&x->p, expr_rewrite(&x->named, e)); }

static void print_axes(Printing *x, AxisSet axes) {
    text_char(x->p.out, '[');
    for (int a = 0, n = 0; a < x->gr->axes.n; a++)
        if (axes >> a & 1) text_fmt(x->p.out, "%s%s", n++ ? ", " : "", x->gr->axes.at[a].name);
    text_char(x->p.out, ']');
}

static void print_guard(Printing *x, const Expr *guard) {
    int64_t v;
    if (!guard || (expr_is_int(guard, &v) && v)) return;
    text_put(x->p.out, " where ");
    print_expr(x, guard);
}

static void print_axis(Printing *x, const GAxis *a) {
    Text *out = x->p.out;
    text_fmt(out, "    axis %s in ", a->name);
    print_expr(x, a->var->lo);
    text_put(out, "..");
    print_expr(x, a->var->hi);
    if (a->extent < 0 && a->most >= 0) text_fmt(out, " at most %lld", (long long)a->most);
    if (a->extent < 0) text_fmt(out, " guess %lld", (long long)a->guess);
    text_fmt(out, "%s%s%s%s%s", a->indexed ? " indexed" : "", a->folded ? " folded" : "", a->scanned ? " scanned" : "",
             a->ordered ? " ordered" : "", a->merged ? " merged" : "");
    if (a->contiguous) text_fmt(out, " contiguous %d", a->contiguous);
    text_char(out, '\n');
}

static void print_step(Printing *x, int i) {
    Text *out = x->p.out;
    const GStep *s = &x->gr->steps.at[i];
    text_fmt(out, "    step s%d", i + 1);
    print_axes(x, s->free);
    text_fmt(out, " = %s%s%s", s->scan ? "scan " : "", s->exclusive ? "exclusive " : "", s->monoid->name);
    print_axes(x, s->over);
    text_char(out, '(');
    for (int k = 1; k < s->node->nargs; k++) {
        if (k > 1) text_put(out, ", ");
        print_expr(x, s->node->arg[k]);
    }
    text_char(out, ')');
    print_guard(x, s->guard);
    if (s->under) {
        text_put(out, " under ");
        print_axes(x, s->under);
    }
    if (s->joined[0]) {
        text_put(out, " joins ");
        print_axes(x, s->joined[0]);
        print_axes(x, s->joined[1]);
    }
    text_char(out, '\n');
}

static void print_store(Printing *x, const GStore *s) {
    Text *out = x->p.out;
    text_fmt(out, "    store %s[", s->tensor->name);
    for (int d = 0; d < s->tensor->rank; d++) {
        if (d) text_put(out, ", ");
        print_expr(x, s->subs[d]);
    }
    text_fmt(out, "] %s= ", s->update ? s->update->name : "");
    print_expr(x, s->value);
    print_guard(x, s->guard);
    text_char(out, '\n');
}

static void print_product(Printing *x, const Product *p) {
    Text *out = x->p.out;
    text_put(out, "    library ");
    for (int i = 0; i < p->nbatch; i++) {
        print_expr(x, p->batch[i]);
        text_put(out, " of ");
    }
    print_expr(x, p->m);
    text_put(out, " x ");
    print_expr(x, p->n);
    text_put(out, " over ");
    print_expr(x, p->k);
    text_fmt(out, ": %s = %s * %s", p->d.tensor->name, p->a.tensor->name, p->b.tensor->name);
    if (p->c.tensor) text_fmt(out, " + %s", p->c.tensor->name);
    if (p->bias.tensor) text_fmt(out, " + %s", p->bias.tensor->name);
    text_char(out, '\n');
}

static void print_group(Printing *x, const char *head) {
    const Group *gr = x->gr;
    Text *out = x->p.out;
    text_fmt(out, "  %s %s\n", head, gr->name);
    for (int a = 0; a < gr->axes.n; a++) {
        vec_push(out->ctx, &x->p.vars, gr->axes.at[a].var);
        vec_push(out->ctx, &x->p.names, gr->axes.at[a].name);
    }
    for (int a = 0; a < gr->axes.n; a++) print_axis(x, &gr->axes.at[a]);
    if (gr->split >= 0)
        text_fmt(out, "    split %s into %lld, %s the share", gr->axes.at[gr->split].name, (long long)gr->parts,
                 gr->part->name);
    if (gr->shares) text_fmt(out, ", of multiples of %lld", (long long)gr->shares);
    if (gr->split >= 0) text_char(out, '\n');
    for (int i = 0; i < gr->steps.n; i++) print_step(x, i);
    for (int i = 0; i < gr->stores.n; i++) print_store(x, &gr->stores.at[i]);
    if (gr->product) print_product(x, gr->product);
    if (gr->no_product) text_fmt(out, "    no library: %s\n", gr->no_product);
    if (gr->rounding) text_fmt(out, "    no epilogue: %s rounds between\n", gr->rounding);
}

static void print_whole(const Plan *plan, Group *gr, const char *head, Text *out, Ctx *temp) {
    const LeafNames leaves = {print_leaf, gr};
    Printing x = {.plan = plan,
                  .gr = gr,
                  .p = {.out = out, .leaves = &leaves},
                  .named = {.g = plan->graph, .temp = temp, .before = name_step, .user = gr, .reduces = true}};
    print_group(&x, head);
}

static void print_temp(ExprPrinter *p, const PlanTemp *t) {
    text_fmt(p->out, "  temp %s: %s[", t->tensor->name, type_name(t->tensor->type));
    for (int d = 0; d < t->tensor->rank; d++) {
        if (d) text_put(p->out, ", ");
        expr_print_with(p, t->tensor->shape[d]);
    }
    text_fmt(p->out, "] // %s", t->why ? t->why : "");
    text_fmt(p->out, t->reader ? ", for %s\n" : "\n", t->reader ? t->reader->name : "");
}

void plan_print(Text *out, const Plan *plan) {
    Graph *g = plan->graph;
    Ctx *temp = ctx_temp(g->ctx);
    GraphScratch before = graph_scratch(g, temp);
    ExprPrinter alone = {.out = out};
    text_fmt(out, "plan %s\n", g->name);
    for (int i = 0; i < plan->temps.n; i++) print_temp(&alone, &plan->temps.at[i]);
    for (int i = 0; i < g->sorts.n; i++) {
        const Sort *s = g->sorts.at[i];
        if (sort_ranks(s)) {
            text_fmt(out, "  rank %s = %s %s\n", s->order->name, s->keys->name, sort_direction(s));
            continue;
        }
        text_fmt(out, "  sort %s, %s = %s%s below ", s->order->name, s->starts->name, s->keys->name,
                 s->ascends ? " ascending" : "");
        expr_print_with(&alone, s->below);
        text_char(out, '\n');
    }
    text_put(out, "  roots");
    for (int i = 0; i < plan->roots.n; i++) text_fmt(out, "%s %s", i ? "," : "", plan->roots.at[i].tensor->name);
    text_char(out, '\n');
    for (int i = 0; i < plan->groups.n; i++) {
        Group *gr = plan->groups.at[i];
        if (gr->branch && !plan->groups.at[i - 1]->branch) {
            text_put(out, "  branch when ");
            expr_print_with(&alone, plan->branch);
            text_char(out, '\n');
        }
        print_whole(plan, gr, !gr->fused ? "group" : gr->split >= 0 ? "or" : "then", out, temp);
        for (int k = 0; k < gr->divisions.n; k++) {
            const Division *d = &gr->divisions.at[k];
            for (int j = 0; j < d->n; j++) print_whole(plan, d->group[j], j ? "then" : "or", out, temp);
        }
    }
    for (int i = 0; plan->reasons && i < plan->reasons->list.n; i++) {
        const Reason *r = &plan->reasons->list.at[i];
        text_fmt(out, "  apart %s, %s // %s\n", r->one->name, r->other->name, r->why);
    }
    graph_scratch_end(g, before);
    ctx_temp_end(temp);
}
