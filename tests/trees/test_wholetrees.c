/* test_wholetrees.c -- how many trees are whole, and trees that go or stay as a whole: against
 * distances that are found by brute force.
 *
 * SPDX-License-Identifier: MIT */
#include "base/slotmap.h"
#include "record/fact.h"
#include "condensing.h"

#include "condense/methods.h"
#include "trees/chosen.h"

enum { MOST = 64, FAR = 99 };

typedef struct {
    bn_job job;
    bonsai_condense_options o;
    bonsai_graph *g;
    int hops[MOST][MOST];       /* between nodes */
} work;

static void measure_hops(work *w)
{
    int n = (int)w->g->view.nodes;
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++)
            w->hops[u][v] = u == v ? 0 : FAR;
    for (int u = 0; u < n; u++)
        for (int64_t e = bn_row_begin(w->g, u); e < bn_row_begin(w->g, u + 1); e++)
            if (bn_neighbors(w->g)[e] != u)
                w->hops[u][bn_neighbors(w->g)[e]] = 1;
    for (int k = 0; k < n; k++)
        for (int u = 0; u < n; u++)
            for (int v = 0; v < n; v++)
                if (w->hops[u][k] + w->hops[k][v] < w->hops[u][v])
                    w->hops[u][v] = w->hops[u][k] + w->hops[k][v];
}

/* Some are one piece; of others many trees fit into a budget. */
static bonsai_graph *graph_of(uint64_t seed)
{
    return seed % 5 < 2 ? case_graph(seed)
                        : random_graph(seed, 60, 40 + (int64_t)(seed * 3 % 30),
                                       seed % 2 ? SPARSE_ONES : DENSE_U8, WITH_LABELS);
}

/* A job whose trees cover forty random samples. */
static bool start(work *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->g = graph_of(seed);
    bonsai_condense_options_init(&w->o);
    w->o.method = BONSAI_METHOD_TREES;
    w->o.seed = seed;
    w->o.layers = (int)(seed % 4);
    w->o.keep_trees = 1;
    w->o.accounting = seed / 2 % 3 ? BONSAI_ACCOUNTING_STRICT : BONSAI_ACCOUNTING_PAPER_FULL;
    w->job = (bn_job){.g = w->g, .o = &w->o, .at.threads = 1, .z = 40};
    assert_int_equal(BN_NEW(&w->job.train, w->g->view.nodes), BONSAI_OK);
    for (int32_t v = 0; v < w->g->view.nodes; v++)
        if (bn_part(w->g, v) == BONSAI_PART_TRAIN && bn_label(w->g, v) >= 0)
            w->job.train[w->job.trees++] = v;
    w->job.rknn.count = w->job.trees;
    assert_int_equal(BN_NEW(&w->job.rknn.offsets, w->job.trees + 1), BONSAI_OK);
    assert_int_equal(BN_NEW(&w->job.rknn.item, w->job.trees * w->job.z), BONSAI_OK);
    int64_t at = 0;
    for (int64_t t = 0; t < w->job.trees; t++) {
        for (int32_t s = 0; s < w->job.z; s++)
            if (random_below(&seed, 6) == 0)
                w->job.rknn.item[at++] = s;
        w->job.rknn.offsets[t + 1] = at;
    }
    measure_hops(w);
    return w->job.trees >= 2;
}

static void end(work *w)
{
    bn_free(w->job.train);
    bn_lists_free(&w->job.rknn);
    bonsai_graph_free(w->g);
}

/* Empty where nothing fits. */
static bn_choice choose_within(work *w, const bn_budget *budget)
{
    bn_choice c;
    if (bn_method_of(w->o.method)->pick(&c, &w->job, budget) != BONSAI_OK &&
        !strstr(bonsai_error(), "is too small"))
        fail_msg("%s", bonsai_error());
    return c;
}

static bn_choice choose(work *w, double bytes)
{
    return choose_within(w, &(bn_budget){bytes, INT64_MAX, INT64_MAX});
}

static bool has(const bn_choice *c, int32_t node)
{
    for (int64_t i = 0; i < c->count; i++)
        if (c->node[i] == node)
            return true;
    return false;
}

static bool is_whole(const work *w, const bn_choice *c, int32_t root)
{
    for (int32_t v = 0; v < w->g->view.nodes; v++)
        if (w->hops[root][v] <= w->o.layers && !has(c, v))
            return false;
    return true;
}

/* ---- the count ---- */

static void whole_trees_are_those_with_every_node_near_their_root(void **state)
{
    int64_t some = 0, not_all = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        work w;
        if (start(&w, seed)) {
            w.o.keep_trees = seed % 3 == 0;
            w.o.method = seed % 5 == 0 ? BONSAI_METHOD_RANDOM_TREES
                         : seed % 5 == 1 ? BONSAI_METHOD_RANDOM : BONSAI_METHOD_TREES;
            bn_choice c = choose(&w, 50 + (double)(seed * 37 % 900));
            int64_t whole = 0, roots = 0;
            for (int64_t i = 0; i < c.count; i++)
                if (c.role[i] == BONSAI_ROLE_ROOT) {
                    roots++;
                    whole += is_whole(&w, &c, c.node[i]);
                }
            assert_int_equal(c.whole, whole);
            some += whole > 0;
            not_all += whole < roots;
            bn_choice_free(&c);
        }
        end(&w);
    }
    assert_true(some > 100 && not_all > 100);
}

/* ---- the choice ---- */

/* What the choice would cost with all of a root's tree. */
static double bytes_with_tree(const work *w, const bn_choice *c, int32_t root)
{
    bonsai_graph *small = NULL;
    int32_t node[MOST];
    int64_t count = 0;
    for (int32_t v = 0; v < w->g->view.nodes; v++)
        if (has(c, v) || w->hops[root][v] <= w->o.layers)
            node[count++] = v;
    assert_int_equal(bonsai_graph_induce(&small, w->g, node, count), BONSAI_OK);
    double bytes = priced_in(small, BONSAI_ACCOUNTING_STRICT) - (double)count;  /* without a split */
    bonsai_graph_free(small);
    return bytes;
}

/* No tree fits as a whole any more. */
static void check_rest(const work *w, const bn_choice *c, double limit)
{
    for (int64_t t = 0; t < w->job.trees; t++) {
        bool in = false;
        for (int64_t i = 0; i < c->count; i++)
            in |= c->node[i] == w->job.train[t] && c->role[i] == BONSAI_ROLE_ROOT &&
                  is_whole(w, c, c->node[i]);
        assert_true(in || bytes_with_tree(w, c, w->job.train[t]) > limit);
    }
}

/* A class with a tree that was cut has no other.  Returns how many such classes there are. */
static int64_t check_trees(const work *w, const bn_choice *c)
{
    int cut[MOST] = {0}, whole[MOST] = {0}, shallow = 0, classes = 0;
    for (int64_t i = 0; i < c->count; i++) {
        int32_t v = c->node[i];
        if (c->role[i] != BONSAI_ROLE_ROOT) {
            assert_true(has(c, c->tree[i]) && w->hops[c->tree[i]][v] <= w->o.layers);
            continue;
        }
        assert_int_equal(c->tree[i], v);
        (is_whole(w, c, v) ? whole : cut)[bn_label(w->g, v)]++;
    }
    for (int k = 0; k < w->g->view.classes; k++) {
        bool any = false;
        for (int64_t t = 0; t < w->job.trees; t++)
            any |= bn_label(w->g, w->job.train[t]) == k;
        assert_true(cut[k] <= 1);
        if (w->o.accounting == BONSAI_ACCOUNTING_STRICT)        /* else it may be too dear to go */
            assert_true(cut[k] == 0 || whole[k] == 0);
        shallow += any && whole[k] == 0;
        classes += cut[k];
    }
    assert_int_equal(c->shallow_classes, c->count > 0 ? shallow : 0);
    return classes;
}

static void a_tree_is_cut_only_if_no_whole_one_of_its_class_fits(void **state)
{
    int64_t rounds = 0, cut = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 1200; seed++) {
        work w;
        if (start(&w, seed)) {
            double limit = 40 + (double)(seed * 37 % 800);
            w.o.no_ppr = seed % 6 == 1;
            bn_choice c = choose(&w, limit);
            assert_true(c.count == 0 || c.bytes <= limit);
            cut += check_trees(&w, &c);
            if (w.o.accounting == BONSAI_ACCOUNTING_STRICT)
                check_rest(&w, &c, limit);
            rounds += c.rounds;
            bn_choice_free(&c);
        }
        end(&w);
    }
    assert_true(rounds > 20 && cut > 100);
}

static int64_t roots_of(const bn_choice *c)
{
    int64_t roots = 0;
    for (int64_t i = 0; i < c->count; i++)
        roots += c->role[i] == BONSAI_ROLE_ROOT;
    return roots;
}

/* In bytes rounds cover more, or as much with more trees; in trees there is nothing to make room
 * for. */
static void rounds_pay_or_change_nothing(void **state)
{
    int64_t paid = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 1200; seed++) {
        work w;
        if (start(&w, seed)) {
            const double limit = 40 + (double)(seed * 37 % 800);
            const bn_budget budget = seed % 4 == 0
                ? (bn_budget){INFINITY, INT64_MAX, 1 + (int64_t)(seed / 4 % 5)}
                : (bn_budget){limit, INT64_MAX, INT64_MAX};
            bn_choice with = choose_within(&w, &budget);
            w.o.no_ppr = 1;
            bn_choice without = choose_within(&w, &budget);
            int64_t trees = roots_of(&with) - roots_of(&without);
            bool same = with.coverage == without.coverage, more = same ? trees > 0
                        : with.coverage > without.coverage;
            assert_true(more || (same && trees == 0 && with.rounds == 0));
            if (seed % 4 == 0 || w.o.accounting == BONSAI_ACCOUNTING_STRICT)
                assert_true(more == (with.rounds > 0));
            if (seed % 4 == 0)
                assert_int_equal(with.trace->rounds, 0);
            if (!more) {
                assert_int_equal(with.count, without.count);
                assert_memory_equal(with.node, without.node,
                                    (size_t)with.count * sizeof *with.node);
                assert_memory_equal(with.role, without.role, (size_t)with.count);
            }
            paid += more;
            bn_choice_free(&with);
            bn_choice_free(&without);
        }
        end(&w);
    }
    assert_true(paid > 20);
}

/* ---- a round ---- */

/* Takes trees while they fit, and then the seats. */
static void fill(bn_chosen *s, bn_cover *cover, int64_t most)
{
    bool fits;
    for (int64_t tree; s->roots < most && (tree = bn_cover_next(cover)) >= 0;) {
        assert_int_equal(bn_chosen_try(&fits, s, tree, s->job->o->layers), BONSAI_OK);
        if (fits)
            bn_cover_take(cover, tree);
        else
            bn_cover_skip(cover, tree);
    }
    bn_cover_retry(cover);
    for (int64_t c = 0; c < s->job->g->view.classes; c++)
        if (s->seat[c] >= 0) {
            bn_cover_take(cover, s->seat[c]);
            assert_int_equal(bn_chosen_try(&fits, s, s->seat[c], 0), BONSAI_OK);
            assert_true(fits);
        }
}

static bool in_set(const bn_chosen *s, int32_t v)
{
    return bn_chosen_role(s, v) != BONSAI_ROLE_NONE;
}

static double mean_score(const work *w, const bn_chosen *s, int32_t root)
{
    double sum = 0;
    int64_t count = 0;
    for (int32_t v = 0; v < w->g->view.nodes; v++)
        if (w->hops[root][v] <= bn_chosen_find(s, root)->depth) {
            sum += bn_chosen_find(s, v)->score;
            count++;
        }
    return sum / (double)count;
}

static int lowest(const void *a, const void *b)
{
    const bn_ranked *x = a, *y = b;
    return x->score != y->score ? (x->score < y->score ? -1 : 1) : y->node - x->node;
}

static double bend(const double *sorted, int64_t i)
{
    return sorted[i + 1] + sorted[i - 1] - 2 * sorted[i];
}

/* Whether a sum in another order could put the knee, or a tree, elsewhere. */
static bool is_close_call(const double *sorted, int64_t count, int64_t knee)
{
    for (int64_t i = 0; i < count; i++)
        if (i != knee && (fabs(sorted[i] - sorted[knee]) < 1e-12 ||
                          (i > 0 && i + 1 < count &&
                           fabs(bend(sorted, i) - bend(sorted, knee)) < 1e-12)))
            return true;
    return false;
}

/* The roots whose trees were not cut; the others stay in any case. */
static int64_t list_whole(bn_ranked *root, bool *stays, const work *w, const bn_chosen *s)
{
    int64_t count = 0;
    for (int32_t v = 0; v < w->g->view.nodes; v++)
        if (bn_chosen_role(s, v) == BONSAI_ROLE_ROOT) {
            stays[v] = bn_chosen_find(s, v)->depth < w->o.layers;
            if (!stays[v])
                root[count++] = (bn_ranked){mean_score(w, s, v), v};
        }
    return count;
}

/* The roots that must stay, being not below the knee, or the last of their class, or more than may
 * go.  Returns how many go; -1: it is too close to call. */
static int64_t roots_to_stay(bool *stays, const work *w, const bn_chosen *s, int64_t most)
{
    bn_ranked root[MOST];
    double sorted[MOST], bar = 0;
    int64_t count = list_whole(root, stays, w, s), knee = -1, going = 0, left[MOST] = {0};
    qsort(root, (size_t)count, sizeof *root, lowest);
    for (int64_t i = 0; i < count; i++)
        sorted[i] = root[count - 1 - i].score;
    for (int64_t i = 1; i + 1 < count; i++)
        if (knee < 0 || bend(sorted, i) > bend(sorted, knee))
            bar = sorted[knee = i];
    for (int64_t i = 0; i < count; i++)
        left[bn_label(s->job->g, root[i].node)]++;
    for (int64_t i = 0; i < count; i++) {
        int32_t c = bn_label(s->job->g, root[i].node);
        stays[root[i].node] = root[i].score >= bar || left[c] == 1 || going == most;
        left[c] -= !stays[root[i].node];
        going += !stays[root[i].node];
    }
    return knee >= 0 && is_close_call(sorted, count, knee) ? -1 : going;
}

/* Roots that stay have all of their tree, others none of theirs but what is shared. */
static void check_round(const work *w, const bn_chosen *s, const bool *stays)
{
    int64_t roots = 0;
    for (int32_t v = 0; v < w->g->view.nodes; v++) {
        bool needed = false;
        for (int32_t r = 0; r < w->g->view.nodes; r++)
            needed |= stays[r] && w->hops[r][v] <= bn_chosen_find(s, r)->depth;
        assert_int_equal(in_set(s, v), needed);
        assert_int_equal(bn_chosen_role(s, v) == BONSAI_ROLE_ROOT, stays[v]);
        assert_int_equal(bn_bit(bn_price_bits(s->price), v), needed);
        roots += stays[v];
        if (needed) {
            int32_t by = bn_chosen_find(s, v)->brought;
            assert_true(stays[by] && w->hops[by][v] <= bn_chosen_find(s, by)->depth);
        }
    }
    assert_int_equal(s->roots, roots);
}

static void trees_below_the_knee_go_with_all_that_no_other_needs(void **state)
{
    int64_t gone = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        work w;
        if (start(&w, seed) && w.o.accounting == BONSAI_ACCOUNTING_STRICT) {
            int64_t tie[MOST] = {0}, pruned, most = seed % 3 == 0 ? 2 : INT64_MAX;
            bool stays[MOST] = {false};
            bn_cover *cover = NULL;
            bn_chosen s = {0};
            w.o.min_pruned = 0;
            const bn_budget any = {INFINITY, INT64_MAX, INT64_MAX};
            assert_int_equal(bn_chosen_new(&s, &w.job, &any), BONSAI_OK);
            assert_int_equal(bn_cover_new(&cover, &w.job.rknn, w.job.z, tie, NULL, 1), BONSAI_OK);
            fill(&s, cover, 3 + (int64_t)(seed % 5));
            assert_int_equal(bn_chosen_rank(&s), BONSAI_OK);
            int64_t wanted = roots_to_stay(stays, &w, &s, most);
            assert_int_equal(bn_chosen_prune_trees(&s, cover, most, &pruned), BONSAI_OK);
            if (wanted >= 0) {
                assert_int_equal(pruned, wanted);
                check_round(&w, &s, stays);
                gone += pruned;
            }
            bn_chosen_free(&s);
            bn_cover_free(cover);
        }
        end(&w);
    }
    assert_true(gone > 100);
}

/* What a set is: roles, depths, bytes and roots of classes. */
static void describe(char *out, size_t size, const work *w, const bn_chosen *s)
{
    int at = snprintf(out, size, "%.0f bytes, %lld roots, turn %d", bn_price_bytes(s->price),
                      (long long)s->roots, s->turns);
    for (int64_t c = 0; c < w->g->view.classes; c++)
        at += snprintf(out + at, size - (size_t)at, ", %lld", (long long)s->class_roots[c]);
    for (int32_t v = 0; v < w->g->view.nodes; v++)
        if (in_set(s, v)) {
            const bn_chosen_node *c = bn_chosen_find(s, v);
            assert_true(bn_bit(bn_price_bits(s->price), v));
            at += snprintf(out + at, size - (size_t)at, "; %d: %d %d %d %d", v, c->role,
                           c->role == BONSAI_ROLE_ROOT ? c->depth : 0, c->brought,
                           c->role == BONSAI_ROLE_ROOT ? c->turn : 0);
        }
    assert_true((size_t)at < size);
}

static void a_set_that_is_remembered_can_be_had_back(void **state)
{
    static char then[8192], now[8192];
    int64_t changed = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        work w;
        if (start(&w, seed)) {
            int64_t tie[MOST] = {0}, pruned;
            bn_cover *cover = NULL;
            bn_snapshot before = {0};
            bn_chosen s = {0};
            w.o.min_pruned = 0;
            const bn_budget any = {INFINITY, INT64_MAX, INT64_MAX};
            assert_int_equal(bn_chosen_new(&s, &w.job, &any), BONSAI_OK);
            assert_int_equal(bn_cover_new(&cover, &w.job.rknn, w.job.z, tie, NULL, 1), BONSAI_OK);
            fill(&s, cover, 3 + (int64_t)(seed % 5));
            describe(then, sizeof then, &w, &s);
            assert_int_equal(bn_chosen_remember(&before, &s), BONSAI_OK);
            assert_int_equal(bn_chosen_prune_trees(&s, cover, INT64_MAX, &pruned), BONSAI_OK);
            fill(&s, cover, 4 + (int64_t)(seed % 4));
            describe(now, sizeof now, &w, &s);
            changed += strcmp(then, now) != 0;
            bn_chosen_restore(&s, &before);
            describe(now, sizeof now, &w, &s);
            assert_string_equal(then, now);
            assert_int_equal(bn_chosen_resume(&s, cover), BONSAI_OK);
            for (int64_t tree; (tree = bn_cover_next(cover)) >= 0; bn_cover_skip(cover, tree))
                assert_true(bn_chosen_role(&s, w.job.train[tree]) != BONSAI_ROLE_ROOT);
            bn_snapshot_free(&before);
            bn_chosen_free(&s);
            bn_cover_free(cover);
        }
        end(&w);
    }
    assert_true(changed > 100);
}

/* ---- through the door ---- */

static bonsai_graph *generated(int64_t nodes)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = 30;
    o.words = 5;
    o.classes = 3;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

static bonsai_condense_options keeping(double ratio)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_TREES;
    o.keep_trees = 1;
    o.ratio = ratio;
    o.threads = 1;
    return o;
}

static void threads_change_nothing(void **state)
{
    bonsai_graph *g = generated(200);
    (void)state;
    for (int i = 1; i < 3; i++) {
        bonsai_condense_options o = keeping(0.1 * i);
        bonsai_condense_info a, b;
        bonsai_graph *one = condensed(&a, g, &o);
        for (int t = 2; t <= 8; t = t == 3 ? 8 : t + 1) {
            o.threads = t;
            bonsai_graph *other = condensed(&b, g, &o);
            assert_same_file(one, other);
            bonsai_graph_free(other);
        }
        bonsai_graph_free(one);
    }
    bonsai_graph_free(g);
}

static void the_record_tells_how_many_are_whole(void **state)
{
    bonsai_graph *g = generated(400);
    bonsai_condense_options o = keeping(0.2);
    bonsai_condense_info made, read;
    bonsai_graph *small = condensed(&made, g, &o);
    (void)state;
    bonsai_condense_info_init(&read);
    assert_int_equal(bonsai_condense_info_of(&read, small), BONSAI_OK);
    assert_true(bn_fact_whole(&made, BN_FACT_WHOLE_TREES) > 0 && bn_fact_whole(&made, BN_FACT_WHOLE_TREES) <= made.roots);
    assert_int_equal(bn_fact_whole(&read, BN_FACT_WHOLE_TREES), bn_fact_whole(&made, BN_FACT_WHOLE_TREES));
    bonsai_graph_free(small);
    o.keep_trees = 0;
    small = condensed(&read, g, &o);
    assert_true(bn_fact_whole(&read, BN_FACT_WHOLE_TREES) < bn_fact_whole(&made, BN_FACT_WHOLE_TREES) && read.roots > made.roots);
    bonsai_graph_free(small);
    o.method = BONSAI_METHOD_PROTOTYPES;
    small = condensed(&made, g, &o);
    assert_int_equal(bn_fact_whole(&made, BN_FACT_WHOLE_TREES), -1);
    assert_int_equal(bonsai_condense_info_of(&read, small), BONSAI_OK);
    assert_int_equal(bn_fact_whole(&read, BN_FACT_WHOLE_TREES), -1);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static bonsai_scores scores_of(const bonsai_graph *small, int64_t round)
{
    bonsai_scores s;
    bonsai_scores_init(&s);
    if (bonsai_condense_scores(&s, small, round) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return s;
}

static void scores_of_a_round_are_given(void **state)
{
    bonsai_graph *g = generated(400);
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        bonsai_condense_options o = keeping(0.3);
        bonsai_condense_info info;
        o.keep_trees = keep;
        bonsai_graph *small = condensed(&info, g, &o);
        bonsai_scores s = scores_of(small, 0);
        assert_true(s.rounds > 0 && s.number == 1 && s.pruned <= s.ranked);
        assert_int_equal(s.count, s.ranked < BONSAI_SCORES_ROOM ? s.ranked : BONSAI_SCORES_ROOM);
        assert_true(s.knee > 0 && s.knee < s.ranked - 1);
        assert_true(s.rank[0] == 0 && s.rank[s.count - 1] == s.ranked - 1);
        for (int64_t i = 1; i < s.count; i++)
            assert_true(s.rank[i] > s.rank[i - 1] && s.score[i] <= s.score[i - 1]);
        assert_fails(bonsai_condense_scores(&s, small, s.rounds), BONSAI_E_ARGUMENT, "of pruning");
        assert_fails(bonsai_condense_scores(&s, small, -1), BONSAI_E_ARGUMENT, "of pruning");
        bonsai_graph_free(small);
    }
    assert_int_equal(scores_of(g, 0).rounds, 0);        /* it does not say */
    assert_int_equal(scores_of(g, 0).knee, -1);
    bonsai_graph_free(g);
}

static bonsai_status try_keeping(void *payload)
{
    bonsai_condense_options o = keeping(0.2);
    bonsai_graph *small = NULL;
    bonsai_status rc = bonsai_condense(&small, NULL, payload, &o);
    bonsai_graph_free(small);
    return rc;
}

static void a_failed_allocation_leaves_nothing_behind(void **state)
{
    bonsai_graph *g = generated(40);
    (void)state;
    survives_failed_allocations(try_keeping, g, 20);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_trees_are_those_with_every_node_near_their_root),
        cmocka_unit_test(a_tree_is_cut_only_if_no_whole_one_of_its_class_fits),
        cmocka_unit_test(rounds_pay_or_change_nothing),
        cmocka_unit_test(trees_below_the_knee_go_with_all_that_no_other_needs),
        cmocka_unit_test(a_set_that_is_remembered_can_be_had_back),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(the_record_tells_how_many_are_whole),
        cmocka_unit_test(scores_of_a_round_are_given),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
