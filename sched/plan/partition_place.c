/* The worklist of the partition. On top lies the root that is being worked on; below each lies the one that waits
 * for it. What is to do for a root (WorkStage) may find that it needs a temporary: then that one's root comes on
 * top, and when it is placed the work goes on. */
#include "partition.h"

enum { MAX_ROUNDS = 200 };

typedef enum WorkStage {
    WORK_FACTORS,  /* computed factors of products are stored, for a library */
    WORK_PRODUCTS, /* products inside of it are stored */
    WORK_TURN,     /* backward scans become forward ones, or temporaries */
    WORK_GROUP,    /* reductions that its kernel cannot have become temporaries; after that, WORK_TURN again */
    WORK_FINISH
} WorkStage;

/* A root on its way to a kernel. */
typedef struct Work {
    Equation root;
    WorkStage next;
    Ctx *temp;                       /* its memory, this Work's too, until it is placed */
    ForProducts *factors, *products; /* WORK_FACTORS, WORK_PRODUCTS: under way; NULL: not yet */
    const Expr *united;              /* WORK_FACTORS: the value with equal reductions made one */
    const Product *product;          /* what the root is; NULL: none */
    Excluding excluding;             /* what it is under a condition; sum NULL: nothing */
    Equation repair;                 /* a root to be placed behind it; tensor NULL: none */
    Sym rounding;                    /* partition_rounding */
    TakeOut *taking;                 /* WORK_TURN, WORK_GROUP: under way; NULL: none */
    ExprMap bad;                     /* what it takes out */
    Group *gr;                       /* of the root as it is now; NULL: not known */
    int round;                       /* how often the value has changed by WORK_TURN and WORK_GROUP */
} Work;

typedef VEC(Work *) Worklist;

static const Expr *reuse(Partition *x, const Equation *root, const Expr *value) {
    return partition_reuse(x, partition_root_level(x, root), value);
}

static void fail(Partition *x, const char *name, const char *what) {
    text_fmt(x->why, "`%s` %s", name, what);
    x->failed = true;
}

static void push(Partition *x, Worklist *list, Equation root) {
    x->temp = ctx_temp(x->g->ctx);
    Work *w = NEW(x->temp, Work);
    if (list->n >= MAX_NEST) fail(x, root.tensor->name, "nests too many reductions");
    *w = (Work){.root = root, .temp = x->temp};
    vec_push(x->g->ctx, list, w);
    w->root.value = reuse(x, &root, root.value);
    w->rounding = partition_rounding(x, &w->root);
    bool sums = x->library && !root.guard && !root.update && partition_has_sums(x, w->root.value);
    w->next = sums ? WORK_FACTORS : WORK_TURN;
    if (!sums) {
        prepare_own_vars(x->g, &w->root);
        return;
    }
    w->united = product_unite(x->g, w->root.value);
    if (root.tensor->type == w->united->type && partition_excludes(x, w->united, &w->excluding) &&
        partition_pays(x, &w->excluding, &w->root))
        w->united = w->excluding.product;
    else
        w->excluding = (Excluding){0};
}

/* ---- what is to do: each false where it waits ---- */

static bool store_factors(Partition *x, Work *w) {
    if (!w->factors) w->factors = partition_for_factors(x, &w->root);
    const Expr *value = partition_for(w->factors, w->united);
    if (!value) return false;
    /* A factor's let may stand beside the product too. */
    w->root.value = value;
    w->root.value = reuse(x, &w->root, value);
    Product p;
    const bool is = partition_is_product(x, &w->root, &p, NULL);
    if (w->excluding.sum && !is) { /* the library does not take it after all: a kernel does */
        w->root.value = w->excluding.sum;
        w->excluding = (Excluding){0};
        prepare_own_vars(x->g, &w->root);
        w->next = WORK_TURN;
        return true;
    }
    w->next = WORK_PRODUCTS;
    if (!is) return true;
    w->next = WORK_FACTORS;
    if (w->excluding.sum && !partition_repair(x, &w->excluding, &w->root, &w->repair)) return false;
    Product *r = NEW(x->g->ctx, Product);
    *r = p;
    const bool same = r->root.value == w->root.value; /* without marks */
    prepare_own_vars(x->g, &w->root);
    r->root = same ? w->root : r->root;
    prepare_own_vars(x->g, &r->root);
    w->product = r;
    w->next = WORK_FINISH;
    return true;
}

static bool store_products(Partition *x, Work *w) {
    if (!w->products) w->products = partition_for_products(x, &w->root);
    const Expr *value = partition_for(w->products, w->root.value);
    if (!value) return false;
    w->root.value = value;
    prepare_own_vars(x->g, &w->root);
    w->next = WORK_TURN;
    return true;
}

/* The value has changed, and all is asked again. */
static void next_round(Work *w) {
    w->gr = NULL;
    w->next = ++w->round < MAX_ROUNDS ? WORK_TURN : WORK_FINISH;
}

static bool turn(Partition *x, Work *w) {
    const Expr *scan;
    if (!w->taking) {
        Turn t = partition_turn(x, &w->root, &scan);
        if (t == TURN_DONE) next_round(w);
        if (t == TURN_NONE) w->next = WORK_GROUP;
        if (t != TURN_BLOCKED) return true;
        w->bad = (ExprMap){0};
        expr_map_put(w->temp, &w->bad, scan, scan);
        w->taking = partition_take_out(x, &w->root, &w->bad, true, "its scan goes the other way");
    }
    const Expr *value = partition_taken_out(w->taking);
    if (!value) return false;
    w->taking = NULL;
    if (value == w->root.value)
        w->next = WORK_GROUP;
    else
        next_round(w);
    w->root.value = value;
    return true;
}

/* Looking for reductions of a root whose canonical steps must leave by a rule. */
typedef struct Marking {
    Work *w;
    const ExprMap *canon;
    const int64_t *dims;
    int rule;
    bool any;
} Marking;

static Found mark_bad(const Expr *e, void *user) {
    Marking *m = user;
    const Group *gr = m->w->gr;
    const GStep *p = e->op == OP_REDUCE ? group_step(m->w->gr, expr_map_get(m->canon, e)) : NULL;
    if (p && group_step_leaves(gr, (int)(p - gr->steps.at), m->rule, m->dims)) {
        m->any = true;
        expr_map_put(m->w->temp, &m->w->bad, e, e);
    }
    return FOUND_INSIDE;
}

/* Makes the root's group and finds what must leave it: by the first rule that something breaks; GROUP_RULES:
 * nothing. */
static int find_bad(Partition *x, Work *w) {
    ExprMap canon = {0};
    w->bad = (ExprMap){0};
    w->gr = group_new(x->g, &w->root, 1, &canon, w->temp, x->why);
    x->failed |= !w->gr;
    for (int rule = 0; w->gr && rule < GROUP_RULES; rule++) {
        Marking m = {.w = w, .canon = &canon, .rule = rule, .dims = x->plan->dims};
        ExprWalk walk = {.temp = w->temp, .before = mark_bad, .user = &m, .reduces = true};
        expr_walk(&walk, w->root.value);
        if (w->root.guard) expr_walk(&walk, w->root.guard);
        if (m.any) return rule;
    }
    return GROUP_RULES;
}

static bool group(Partition *x, Work *w) {
    if (!w->taking) {
        w->root.value = partition_one_fold(x, &w->root);
        int rule = find_bad(x, w);
        w->next = WORK_FINISH;
        if (rule == GROUP_RULES) return true;
        w->next = WORK_GROUP;
        w->taking = partition_take_out(x, &w->root, &w->bad, w->root.guard, group_rule_text(rule));
    }
    const Expr *value = partition_taken_out(w->taking), *before = w->root.guard;
    if (!value) return false;
    const Expr *guard = before ? partition_taken_out_of_guard(w->taking) : NULL;
    if (before && !guard) return false;
    w->taking = NULL;
    w->next = WORK_FINISH;
    if (value == w->root.value && guard == before) return true; /* nothing of it can leave */
    w->root.guard = guard;
    w->root.value = value;
    w->root.value = reuse(x, &w->root, value); /* it comes after what has been taken out now */
    next_round(w);
    return true;
}

static void finish(Partition *x, Work *w) {
    Equation *root = &w->root;
    if (!w->gr) w->gr = group_new(x->g, root, 1, NULL, NULL, x->why);
    x->failed |= !w->gr;
    if (x->failed) return;
    w->gr->product = w->product;
    if (!w->product) {
        w->gr->rounding = w->rounding;
        w->gr->no_product = partition_no_product(x, root);
    }
    int level = partition_root_level(x, root), before = partition_level(x, root->tensor);
    if (root->update && before >= 0) before++; /* what it folds into is there */
    if (level < before) level = before;
    expr_map_put_number(x->g->ctx, &x->levels, root->tensor, level);
    vec_push(x->g->ctx, &x->plan->roots, *root);
    vec_push(x->g->ctx, &x->plan->groups, w->gr);
}

/* Goes on with a root until it waits (false) or is placed. */
static bool work_on(Partition *x, Work *w) {
    while (!x->failed) switch (w->next) {
        case WORK_FACTORS:
            if (!store_factors(x, w)) return false;
            break;
        case WORK_PRODUCTS:
            if (!store_products(x, w)) return false;
            break;
        case WORK_TURN:
            if (!turn(x, w)) return false;
            break;
        case WORK_GROUP:
            if (!group(x, w)) return false;
            break;
        case WORK_FINISH: finish(x, w); return true;
        }
    return true;
}

void partition_place(Partition *x, Equation root) {
    Ctx *between = x->temp;
    Worklist list = {0};
    push(x, &list, root);
    while (list.n) {
        Work *w = list.at[list.n - 1];
        x->temp = w->temp;
        if (work_on(x, w) || x->failed) {
            const Equation repair = w->repair;
            ctx_temp_end(w->temp);
            list.n--;
            if (repair.tensor && !x->failed) push(x, &list, repair);
        } else {
            push(x, &list, x->wanted);
        }
    }
    x->temp = between;
}
