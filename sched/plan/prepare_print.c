/* What prepare_graph leaves, as Graph text. */
#include "prepare.h"

#include "ir/expr_walk.h"

typedef struct Printing {
    ExprRewrite unmarked; /* without marks, which Graph text has not */
    ExprMap copies;       /* Tensor -> its copy with the prepared definition */
} Printing;

static const Expr *drop_mark(ExprRewrite *x, const Expr *e, const Expr *made) {
    (void)x;
    return expr_is_mark(e) ? made->arg[0] : made;
}

static Piece prepared_piece(Printing *x, const Prepared *def, int i) {
    const Equation r = prepare_root(def, i);
    Piece p = {.nvars = r.nvars, .vars = r.vars, .subs = r.subs, .update = r.update};
    p.value = expr_rewrite(&x->unmarked, r.value);
    if (r.guard) p.guard = expr_rewrite(&x->unmarked, r.guard);
    return p;
}

static Tensor *prepared_tensor(Printing *x, Tensor *t, const Prepared *def) {
    Ctx *temp = x->unmarked.temp;
    Tensor *copy = NEW(temp, Tensor);
    *copy = *t;
    copy->pieces.at = NULL;
    copy->pieces.n = copy->pieces.cap = 0;
    for (int i = 0; def && i < t->pieces.n; i++) vec_push(temp, &copy->pieces, prepared_piece(x, def, i));
    expr_map_put_object(temp, &x->copies, t, copy);
    return copy;
}

void prepare_print(Text *out, const Preparation *p) {
    Ctx *temp = ctx_temp(p->graph->ctx);
    GraphScratch before = graph_scratch(p->graph, temp);
    Printing x = {.unmarked = {.g = p->graph, .temp = temp, .after = drop_mark, .reduces = true}};
    Graph all = *p->graph;
    all.tensors.at = all.params.at = NULL;
    all.tensors.n = all.tensors.cap = all.params.n = all.params.cap = 0;
    for (int i = 0; i < p->graph->tensors.n; i++) {
        Tensor *t = p->graph->tensors.at[i];
        const Prepared *def = prepare_of(p, t);
        if (!def || def->stored) vec_push(temp, &all.tensors, prepared_tensor(&x, t, def));
    }
    for (int i = 0; i < p->graph->params.n; i++)
        vec_push(temp, &all.params, (Tensor *)expr_map_object(&x.copies, p->graph->params.at[i]));
    graph_print(out, &all);
    graph_scratch_end(p->graph, before);
    ctx_temp_end(temp);
}
