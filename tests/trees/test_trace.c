/* test_trace.c -- what the choice of trees tells about itself: the curve against every order of the
 * roots that could have made it, thinning, and rounds.
 *
 * SPDX-License-Identifier: MIT */
#include "condensing.h"

#include "trees/chosen.h"

enum { MOST = 64 };

typedef struct {
    bn_job job;
    bonsai_condense_options o;
    bonsai_graph *g;
} work;

static bool start(work *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->g = case_graph(seed);
    bonsai_condense_options_init(&w->o);
    w->o.method = BONSAI_METHOD_TREES;
    w->o.seed = seed;
    w->job = (bn_job){.g = w->g, .o = &w->o, .at.threads = 1, .z = 12};
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
            if (random_below(&seed, 5) == 0)
                w->job.rknn.item[at++] = s;
        w->job.rknn.offsets[t + 1] = at;
    }
    return w->job.trees >= 2;
}

static void end(work *w)
{
    bn_free(w->job.train);
    bn_lists_free(&w->job.rknn);
    bonsai_graph_free(w->g);
}

/* ---- the curve, by trying all orders ---- */

typedef struct {
    const work *w;
    const bn_choice *c;
    bn_price *price;
    bool used[MOST];            /* of the choice's nodes: roots that have come */
} replay;

static void put_group(replay *r, int64_t root, bool in)
{
    for (int64_t i = 0; i < r->c->count; i++)
        if (r->c->tree[i] == r->c->node[root]) {
            if (in)
                bn_price_add(r->price, r->c->node[i]);
            else
                bn_price_remove(r->price, r->c->node[i]);
        }
}

static int64_t covered_by_used(const replay *r)
{
    bool covered[16] = {false};
    int64_t count = 0;
    for (int64_t i = 0; i < r->c->count; i++)
        for (int64_t t = 0; r->used[i] && t < r->w->job.trees; t++)
            for (int64_t e = r->w->job.rknn.offsets[t];
                 r->w->job.train[t] == r->c->node[i] && e < r->w->job.rknn.offsets[t + 1]; e++)
                covered[r->w->job.rknn.item[e]] = true;
    for (int i = 0; i < 16; i++)
        count += covered[i];
    return count;
}

/* Whether the points from `at` on can be had by roots that have not come. */
static bool explains(replay *r, int64_t at, int64_t roots)
{
    if (at == roots)
        return true;
    for (int64_t i = 0; i < r->c->count; i++) {
        if (r->c->role[i] != BONSAI_ROLE_ROOT || r->used[i])
            continue;
        const bn_trace_point *p = &r->c->trace->point[at];
        r->used[i] = true;
        put_group(r, i, true);
        if (bn_price_bytes(r->price) == p->bytes && covered_by_used(r) == p->covered &&
            explains(r, at + 1, roots))
            return true;
        put_group(r, i, false);
        r->used[i] = false;
    }
    return false;
}

static void check_curve(const work *w, const bn_choice *c)
{
    replay r = {.w = w, .c = c};
    int64_t roots = 0, orphans = c->count;
    for (int64_t i = 0; i < c->count; i++) {
        roots += c->role[i] == BONSAI_ROLE_ROOT;
        for (int64_t k = 0; k < c->count; k++)
            orphans -= c->role[k] == BONSAI_ROLE_ROOT && c->tree[i] == c->node[k];
    }
    assert_int_equal(c->trace->count, roots + (orphans > 0));
    bn_reader *reader = reader_of(w->g, BONSAI_ACCOUNTING_STRICT);
    assert_int_equal(bn_price_new(&r.price, reader), BONSAI_OK);
    assert_true(explains(&r, 0, roots));
    bn_price_free(r.price);
    bn_reader_free(reader);
    const bn_trace_point *last = &c->trace->point[c->trace->count - 1];
    assert_true(last->bytes == c->bytes);
    assert_true(fabs((double)last->covered / (double)w->job.z - c->coverage) < 1e-12);
}

static void each_point_is_a_root_with_what_is_left_of_its_tree(void **state)
{
    int checked = 0, rounds = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 3 * CASES; seed++) {
        work w;
        if (start(&w, seed)) {
            bn_choice c;
            bn_budget b = {INFINITY, 8, INT64_MAX};
            if (bn_trees(&c, &w.job, &b) != BONSAI_OK)
                fail_msg("%s", bonsai_error());
            check_curve(&w, &c);
            assert_int_equal(c.trace->starts, c.rounds);
            rounds += c.rounds;
            checked += c.trace->count > 2;
            bn_choice_free(&c);
        }
        end(&w);
    }
    assert_true(checked > CASES && rounds > CASES);
}

/* ---- sets made by hand ---- */

/* A set of n single nodes, each a root that covers one of n samples. */
typedef struct {
    bonsai_graph *g;
    bonsai_condense_options o;
    bn_job job;
    bn_chosen set;
    bn_trace trace;
} singles;

static void make_singles(singles *s, int64_t n)
{
    float *x = calloc((size_t)n, sizeof *x);
    uint8_t *label = calloc((size_t)n, 1);
    const bn_budget b = {INFINITY, INT64_MAX, n};
    bonsai_view v;
    memset(s, 0, sizeof *s);
    bonsai_view_init(&v);
    v.nodes = n;
    v.features = v.classes = 1;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, n, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, n, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&s->g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    bonsai_condense_options_init(&s->o);
    s->job = (bn_job){.g = s->g, .o = &s->o, .at.threads = 1, .trees = n, .z = n};
    s->job.rknn.count = n;
    assert_int_equal(BN_NEW(&s->job.train, n), BONSAI_OK);
    assert_int_equal(BN_NEW(&s->job.rknn.offsets, n + 1), BONSAI_OK);
    assert_int_equal(BN_NEW(&s->job.rknn.item, n), BONSAI_OK);
    for (int64_t i = 0; i < n; i++) {
        s->job.train[i] = s->job.rknn.item[i] = (int32_t)i;
        s->job.rknn.offsets[i + 1] = i + 1;
    }
    assert_int_equal(bn_chosen_new(&s->set, &s->job, &b), BONSAI_OK);
    s->set.trace = &s->trace;
    free(x);
    free(label);
}

static void free_singles(singles *s)
{
    bn_chosen_free(&s->set);
    bn_free(s->job.train);
    bn_lists_free(&s->job.rknn);
    bonsai_graph_free(s->g);
}

static bool has_point(const bn_trace *t, int64_t covered)
{
    for (int64_t i = 0; i < t->count; i++)
        if (t->point[i].covered == covered)
            return true;
    return false;
}

/* Roots are taken from the highest to the lowest; rounds begin at odd places. */
static void the_first_the_last_and_the_rounds_are_kept(void **state)
{
    static singles s;
    static const int64_t rooms[] = {1, 2, 150, 199, 200, 201, 202, 900, 5000};
    (void)state;
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        int64_t n = rooms[k], widest = 0;
        make_singles(&s, n);
        for (int64_t i = 0; i < n; i++) {
            if (i % 97 == 33)
                bn_chosen_trace_round(&s.set);
            bool fits;
            assert_int_equal(bn_chosen_try(&fits, &s.set, n - 1 - i, 0), BONSAI_OK);
            assert_true(fits);
        }
        assert_int_equal(bn_chosen_trace_curve(&s.set), BONSAI_OK);
        const bn_trace *t = &s.trace;
        assert_true(t->count <= BN_TRACE_POINTS);
        assert_int_equal(t->count < n ? t->count >= 90 : t->count == n, 1);
        assert_true(has_point(t, 1) && has_point(t, n));
        for (int64_t i = 33, round = 0; i < n && round < BN_TRACE_STARTS; i += 97, round++)
            assert_true(has_point(t, i + 1));
        for (int64_t i = 1; i < t->count; i++) {
            int64_t step = t->point[i].covered - t->point[i - 1].covered;
            assert_true(step > 0 && t->point[i].bytes > t->point[i - 1].bytes);
            widest = step > widest ? step : widest;
        }
        assert_true(widest <= 1 + n / 60);
        assert_true(t->point[t->count - 1].bytes == bn_price_bytes(s.set.price));
        free_singles(&s);
    }
}

static void the_first_looks_and_the_last_are_kept(void **state)
{
    static singles s;
    static double sorted[5000];
    (void)state;
    for (int i = 0; i < 5000; i++)
        sorted[i] = 1.0 / (i + 1);
    make_singles(&s, 1);
    for (int look = 1; look <= 23; look++) {
        bn_chosen_trace_scores(&s.set, sorted, look == 4 ? 5000 : look == 5 ? 101 : 10 * look,
                            look == 4 ? 3333 : look == 5 ? -1 : look);
        bn_chosen_trace_pruned(&s.set, 100 + look);
    }
    assert_int_equal(s.trace.rounds, BN_TRACE_ROUNDS);
    for (int i = 0; i < BN_TRACE_ROUNDS; i++) {
        const bn_trace_round *r = &s.trace.round[i];
        assert_int_equal(r->number, i < 9 ? i + 1 : 23);
        assert_int_equal(r->pruned, 100 + r->number);
        assert_int_equal(r->count, r->nodes < 100 ? r->nodes : 100);
        bool knee = r->knee < 0;
        for (int64_t k = 0; k < r->count; k++) {
            assert_true(k == 0 ? r->rank[k] == 0 : r->rank[k] > r->rank[k - 1]);
            assert_true(r->score[k] == sorted[r->rank[k]]);
            knee |= r->rank[k] == r->knee;
        }
        assert_true(knee);
        assert_int_equal(r->rank[r->count - 1], r->nodes - 1);
    }
    free_singles(&s);
}

static void without_a_trace_nothing_is_noted(void **state)
{
    static singles s;
    const double one = 1;
    (void)state;
    make_singles(&s, 3);
    s.set.trace = NULL;
    bn_chosen_trace_round(&s.set);
    bn_chosen_trace_scores(&s.set, &one, 1, -1);
    bn_chosen_trace_pruned(&s.set, 1);
    assert_int_equal(bn_chosen_trace_curve(&s.set), BONSAI_OK);
    assert_int_equal(s.trace.rounds + s.trace.starts + s.trace.count, 0);
    free_singles(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_point_is_a_root_with_what_is_left_of_its_tree),
        cmocka_unit_test(the_first_the_last_and_the_rounds_are_kept),
        cmocka_unit_test(the_first_looks_and_the_last_are_kept),
        cmocka_unit_test(without_a_trace_nothing_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
