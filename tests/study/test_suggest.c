/* test_suggest.c -- which ratio keeps a share of the full graph's score.
 *
 * SPDX-License-Identifier: MIT */
#include "record/fact.h"
#include "studying.h"

#include "condense/methods.h"
#include "prototypes/judge.h"

static bonsai_graph *generated(int64_t nodes, int64_t classes)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = 40;
    o.words = 6;
    o.classes = classes;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

typedef struct {
    bonsai_suggest_options  o;
    bonsai_condense_options c;
} request;

static void ask(request *q, bonsai_method method)
{
    bonsai_suggest_options_init(&q->o);
    bonsai_condense_options_init(&q->c);
    q->c.method = method;
    q->c.threads = 1;
    q->o.condense = &q->c;
    q->o.low = 0.01;
    q->o.high = 0.3;
    q->o.points = 4;
    q->o.halvings = 2;
}

static bonsai_suggestion *suggested(const bonsai_graph *g, const bonsai_suggest_options *o)
{
    bonsai_suggestion *s = NULL;
    if (bonsai_suggest(&s, g, o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return s;
}

/* ---- oracle ---- */

/* The probe of a graph, apart from the search. */
static void open_probe(bn_preparation *p, const bonsai_graph *g, const bonsai_condense_options *o)
{
    memset(p, 0, sizeof *p);
    p->o = *o;
    if (bn_prepare(p, g, BN_NEEDS_JUDGE) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
}

/* Fitted on the training nodes, as rows of the full graph. */
static double score_of_full(const bn_preparation *p)
{
    const bn_job *job = &p->job;
    bn_views all = {job->own, job->around, job->far};
    int32_t *label = calloc((size_t)job->trees, sizeof *label);
    double percent;
    for (int64_t t = 0; t < job->trees; t++)
        label[t] = bn_label(job->g, job->train[t]);
    assert_null(job->held);
    assert_int_equal(bn_probe_rows(&percent, job->probe, &all, label), BONSAI_OK);
    free(label);
    return percent;
}

/* Levels by their definition: the largest over beginnings of the least mean over ends. */
static double level_of(const bonsai_suggestion *s, int64_t i)
{
    const int64_t count = bonsai_suggestion_info(s)->tried;
    double most = -1;
    for (int64_t a = 0; a <= i; a++) {
        double least = 1000;
        for (int64_t b = i; b < count; b++) {
            double sum = 0;
            for (int64_t k = a; k <= b; k++)
                sum += fmax(bonsai_suggestion_point(s, k)->score, 0);
            least = fmin(least, sum / (double)(b - a + 1));
        }
        most = fmax(most, least);
    }
    return most;
}

static void assert_point(const bonsai_suggestion *s, int64_t i, const bonsai_graph *g,
                         const bonsai_condense_options *like, const bn_preparation *p)
{
    const bonsai_suggest_point *at = bonsai_suggestion_point(s, i);
    const bonsai_suggest_info *info = bonsai_suggestion_info(s);
    bonsai_condense_options o = *like;
    bonsai_condense_info made;
    double score;
    o.ratio = at->ratio;
    bonsai_graph *small = condensed(&made, g, &o);
    assert_int_equal(bn_probe_graph(&score, p->job.probe, small), BONSAI_OK);
    if (bn_fact_whole(&made, BN_FACT_DIRECTIONS) > 0)            /* judged in the coordinates of its basis */
        score = made.probe * fmin(1, info->full_score / made.probe_full);
    assert_true(fabs(at->score - score) < 1e-9 && at->nodes == made.nodes && at->bytes == made.bytes);
    assert_true(fabs(at->share - score / info->full_score) < 1e-9 && at->method == made.method);
    assert_true(fabs(at->level - level_of(s, i)) < 1e-9);
    assert_true(at->edges == made.edges && at->why[0] == 0 && at->seconds >= 0);
    if (i == info->point)
        assert_same_file(small, bonsai_suggestion_graph(s));
    bonsai_graph_free(small);
}

static void scores_are_those_of_condensing_and_probing(void **state)
{
    static const bonsai_method methods[] = {BONSAI_METHOD_PROTOTYPES, BONSAI_METHOD_AUTO,
                                            BONSAI_METHOD_RANDOM, BONSAI_METHOD_KCENTER};
    bonsai_graph *g = generated(400, 3);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        request q;
        bn_preparation p;
        ask(&q, methods[m]);
        bonsai_suggestion *s = suggested(g, &q.o);
        const bonsai_suggest_info *i = bonsai_suggestion_info(s);
        open_probe(&p, g, &q.c);
        assert_true(i->full_score == score_of_full(&p) && i->full_score > 50);
        assert_int_equal(i->judged, p.job.judge.far.rows);
        assert_true(i->full_train == p.job.trees && i->wanted == 0.95 * i->full_score);
        for (int64_t k = 0; k < i->tried; k++)
            assert_point(s, k, g, &q.c, &p);
        bn_preparation_free(&p);
        bonsai_suggestion_free(s);
    }
    bonsai_graph_free(g);
    (void)state;
}

/* ---- the answer ---- */

/* The first of the points whose level is enough, or the best. */
static void assert_answer(const bonsai_suggestion *s)
{
    const bonsai_suggest_info *i = bonsai_suggestion_info(s);
    const bonsai_suggest_point *at = bonsai_suggestion_point(s, i->point), *p;
    assert_true(at->ratio == i->ratio && at->score == i->score && at->share == i->share);
    assert_true(at->bytes == i->bytes && at->nodes == i->nodes);
    assert_int_equal(bonsai_graph_nodes(bonsai_suggestion_graph(s)), i->nodes);
    for (int64_t k = 0; (p = bonsai_suggestion_point(s, k)); k++) {
        assert_true(k == 0 || p->ratio > bonsai_suggestion_point(s, k - 1)->ratio);
        assert_true(k == 0 || p->level >= bonsai_suggestion_point(s, k - 1)->level);
        if (i->reached)
            assert_true(k < i->point ? p->score < 0 || p->level < i->wanted : p->level >= i->wanted);
        else
            assert_true(p->level < i->wanted && p->level <= at->level);
    }
    assert_true(!i->reached || at->score >= i->wanted);
    assert_null(bonsai_suggestion_point(s, -1));
    assert_null(bonsai_suggestion_point(s, i->tried));
}

static void a_larger_share_never_has_a_smaller_ratio(void **state)
{
    static const double keeps[] = {0.3, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99, 1};
    for (int64_t nodes = 200; nodes <= 500; nodes += 100) {
        bonsai_graph *g = generated(nodes, 4);
        double before = 0;
        int reached = 1;
        for (size_t k = 0; k < sizeof keeps / sizeof *keeps; k++) {
            request q;
            ask(&q, nodes % 200 ? BONSAI_METHOD_RANDOM : BONSAI_METHOD_PROTOTYPES);
            q.o.keep = keeps[k];
            q.o.low = 0.002;
            q.o.points = 6;
            bonsai_suggestion *s = suggested(g, &q.o);
            const bonsai_suggest_info *i = bonsai_suggestion_info(s);
            assert_answer(s);
            assert_true(i->reached <= reached && (!i->reached || i->ratio >= before));
            reached = i->reached;
            before = i->ratio;
            bonsai_suggestion_free(s);
        }
        bonsai_graph_free(g);
    }
    (void)state;
}

/* Every factor of the grid is rounded to what people type, and so is what lies between. */
static void ratios_are_short_numbers(void **state)
{
    static const double want[] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3};
    bonsai_graph *g = generated(3000, 3);
    request q;
    ask(&q, BONSAI_METHOD_RANDOM);
    q.o.low = 0.001;
    q.o.points = 6;
    q.o.halvings = 0;
    q.o.keep = 1;
    bonsai_suggestion *s = suggested(g, &q.o);
    const bonsai_suggest_info *i = bonsai_suggestion_info(s);
    for (int k = 0; k < i->tried; k++)
        assert_true(bonsai_suggestion_point(s, k)->ratio == want[k]);
    bonsai_suggestion_free(s);
    q.o.halvings = 3;
    q.o.keep = 0.8;
    s = suggested(g, &q.o);
    i = bonsai_suggestion_info(s);
    assert_true(i->reached && i->tried > 4);
    for (int k = 0; k < i->tried; k++) {
        char text[32];
        double ratio = bonsai_suggestion_point(s, k)->ratio;
        snprintf(text, sizeof text, "%.2g", ratio);
        assert_true(strtod(text, NULL) == ratio);
    }
    bonsai_suggestion_free(s);
    bonsai_graph_free(g);
    (void)state;
}

static void a_ratio_that_cannot_be_made_says_why(void **state)
{
    bonsai_graph *g = generated(300, 3);
    request q;
    ask(&q, BONSAI_METHOD_PROTOTYPES);
    q.o.low = 1e-5;
    bonsai_suggestion *s = suggested(g, &q.o);
    const bonsai_suggest_point *first = bonsai_suggestion_point(s, 0);
    assert_true(first->score == -1 && first->share == -1 && first->level == 0);
    assert_non_null(strstr(first->why, "a budget of 0 bytes is too small"));
    assert_true(bonsai_suggestion_info(s)->point > 0);
    assert_answer(s);
    bonsai_suggestion_free(s);
    q.o.high = 1e-4;
    s = NULL;
    assert_fails(bonsai_suggest(&s, g, &q.o), BONSAI_E_ARGUMENT,
                 "no small graph can be made up to the ratio 0.0001: a budget of");
    assert_null(s);
    bonsai_graph_free(g);
    (void)state;
}

/* What cannot be reached leaves the best, and its graph. */
static void the_best_is_given_where_no_ratio_is_enough(void **state)
{
    bonsai_graph *g = generated(300, 3);
    request q;
    ask(&q, BONSAI_METHOD_RANDOM);
    q.o.high = 0.03;
    q.o.keep = 1;
    bonsai_suggestion *s = suggested(g, &q.o);
    assert_int_equal(bonsai_suggestion_info(s)->reached, 0);
    assert_int_equal(bonsai_suggestion_info(s)->tried, 4);
    assert_answer(s);
    bonsai_suggestion_free(s);
    bonsai_graph_free(g);
    (void)state;
}

/* ---- splits ---- */

static void assert_split(const bonsai_graph *g, const request *q, bonsai_split_source from,
                         double train)
{
    bonsai_suggestion *s = suggested(g, &q->o);
    const bonsai_suggest_info *i = bonsai_suggestion_info(s);
    assert_int_equal(i->split_from, from);
    assert_true(i->split[0] == train && i->split_seed == (train > 0 ? q->c.seed : 0));
    bonsai_suggestion_free(s);
}

static void the_split_is_the_graphs_own_or_is_told(void **state)
{
    bonsai_graph *g = generated(300, 3), *bare = NULL;
    request q;
    ask(&q, BONSAI_METHOD_RANDOM);
    q.c.seed = 5;
    assert_split(g, &q, BONSAI_SPLIT_OWN, 0);
    bonsai_view v = *bonsai_graph_view(g);
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    assert_int_equal(bonsai_graph_new(&bare, &v, 1), BONSAI_OK);
    assert_split(bare, &q, BONSAI_SPLIT_DRAWN, 60);
    memcpy(q.c.split, (const double[]){50, 30, 20}, sizeof q.c.split);
    assert_split(g, &q, BONSAI_SPLIT_ASKED, 50);
    bonsai_graph_free(bare);
    bonsai_graph_free(g);
    (void)state;
}

/* Without validation nodes a fifth of the training nodes judges, and is not fitted on. */
static void training_nodes_that_judge_are_held_out(void **state)
{
    bonsai_graph *g = generated(300, 3);
    request q;
    ask(&q, BONSAI_METHOD_PROTOTYPES);
    q.c.no_validation = 1;
    for (int inductive = 0; inductive < 2; inductive++) {
        q.c.inductive = inductive;
        bonsai_suggestion *s = suggested(g, &q.o);
        const bonsai_suggest_info *i = bonsai_suggestion_info(s);
        assert_true(i->held && i->judged == 36 && i->full_train == 180 - 36);
        assert_answer(s);
        bonsai_suggestion_free(s);
    }
    bonsai_graph_free(g);
    (void)state;
}

/* Labels of test nodes may be anything. */
static void test_labels_are_not_read(void **state)
{
    bonsai_graph *g = generated(300, 3), *other = NULL;
    request q;
    uint8_t label[300];
    ask(&q, BONSAI_METHOD_AUTO);
    bonsai_view v = *bonsai_graph_view(g);
    for (int k = 0; k < 300; k++)
        label[k] = (uint8_t)(bn_part(g, k) == BONSAI_PART_TEST ? k % 3 : bn_label(g, k));
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, 300, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_new(&other, &v, 1), BONSAI_OK);
    bonsai_suggestion *a = suggested(g, &q.o), *b = suggested(other, &q.o);
    for (int64_t k = 0; k < bonsai_suggestion_info(a)->tried; k++)
        assert_true(bonsai_suggestion_point(a, k)->score == bonsai_suggestion_point(b, k)->score);
    assert_true(bonsai_suggestion_info(a)->full_score == bonsai_suggestion_info(b)->full_score);
    bonsai_suggestion_free(a);
    bonsai_suggestion_free(b);
    bonsai_graph_free(other);
    bonsai_graph_free(g);
    (void)state;
}

/* ---- threads, progress, refusals, memory ---- */

static void any_number_of_threads_gives_the_same_points(void **state)
{
    bonsai_graph *g = generated(500, 4);
    request q;
    ask(&q, BONSAI_METHOD_AUTO);
    bonsai_suggestion *one = suggested(g, &q.o);
    q.c.threads = 4;
    bonsai_suggestion *four = suggested(g, &q.o);
    assert_int_equal(bonsai_suggestion_info(one)->tried, bonsai_suggestion_info(four)->tried);
    assert_true(bonsai_suggestion_info(one)->full_score == bonsai_suggestion_info(four)->full_score);
    for (int64_t k = 0; k < bonsai_suggestion_info(one)->tried; k++) {
        const bonsai_suggest_point *a = bonsai_suggestion_point(one, k);
        const bonsai_suggest_point *b = bonsai_suggestion_point(four, k);
        assert_true(a->ratio == b->ratio && a->score == b->score && a->bytes == b->bytes);
    }
    assert_same_file(bonsai_suggestion_graph(one), bonsai_suggestion_graph(four));
    bonsai_suggestion_free(one);
    bonsai_suggestion_free(four);
    bonsai_graph_free(g);
    (void)state;
}

typedef struct { uint64_t last, total; int calls, stop; } heard;

static int listen(const bonsai_progress *p, void *payload)
{
    heard *h = payload;
    assert_string_equal(p->stage, "suggesting");
    assert_true(h->calls > 0 ? p->done >= h->last : p->done == 0);
    h->last = p->done;
    h->total = p->total;
    return ++h->calls == h->stop;
}

static void progress_goes_from_nothing_to_all_and_can_end_it(void **state)
{
    bonsai_graph *g = generated(300, 3);
    request q;
    heard h = {0}, early = {.stop = 3};
    bonsai_suggestion *s = NULL;
    ask(&q, BONSAI_METHOD_PROTOTYPES);
    q.o.progress = listen;
    q.o.payload = &h;
    bonsai_suggestion_free(suggested(g, &q.o));
    assert_true(h.calls > 10 && h.last == h.total);
    q.o.payload = &early;
    assert_int_equal(bonsai_suggest(&s, g, &q.o), BONSAI_E_CANCELED);
    assert_true(s == NULL && early.calls == 3);
    bonsai_graph_free(g);
    (void)state;
}

static void refuse(const bonsai_graph *g, const request *q, const char *why)
{
    bonsai_suggestion *s = NULL;
    assert_fails(bonsai_suggest(&s, g, &q->o), BONSAI_E_ARGUMENT, why);
    assert_null(s);
}

static void refuses_what_cannot_be_looked_for(void **state)
{
    bonsai_graph *g = generated(200, 3);
    request q;
    ask(&q, BONSAI_METHOD_PUBLISHED);
    if (has_method(BONSAI_METHOD_PUBLISHED))
        refuse(g, &q, "the method published keeps to no ratio: none can be suggested for it");
    ask(&q, BONSAI_METHOD_RANDOM);
    q.o.low = q.o.high;
    refuse(g, &q, "low is 0.3 and high is 0.3: low must be smaller");
    ask(&q, BONSAI_METHOD_RANDOM);
    q.o.keep = 1.5;
    refuse(g, &q, "keep is 1.5; it must be above 0 and at most 1");
    q.o.keep = 0;
    refuse(g, &q, "keep is 0");
    ask(&q, BONSAI_METHOD_RANDOM);
    q.o.points = 1;
    refuse(g, &q, "points is 1");
    q.o.points = 4;
    q.o.halvings = 17;
    refuse(g, &q, "halvings is 17");
    ask(&q, BONSAI_METHOD_RANDOM);
    memcpy(q.c.split, (const double[]){2, 0, 98}, sizeof q.c.split);
    refuse(g, &q, "has no validation nodes and fewer than five training nodes");
    bonsai_suggestion_free(NULL);
    bonsai_graph_free(g);
    (void)state;
}

static bonsai_status suggest_little(void *payload)
{
    request q;
    bonsai_suggestion *s = NULL;
    ask(&q, BONSAI_METHOD_RANDOM);
    q.o.points = 2;
    q.o.halvings = 1;
    q.o.keep = 0.5;
    bonsai_status rc = bonsai_suggest(&s, payload, &q.o);
    bonsai_suggestion_free(s);
    return rc;
}

static void failed_allocations_are_survived(void **state)
{
    bonsai_graph *g = studied_graph();
    survives_failed_allocations(suggest_little, g, 50);
    bonsai_graph_free(g);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_condensing_and_probing),
        cmocka_unit_test(a_larger_share_never_has_a_smaller_ratio),
        cmocka_unit_test(ratios_are_short_numbers),
        cmocka_unit_test(a_ratio_that_cannot_be_made_says_why),
        cmocka_unit_test(the_best_is_given_where_no_ratio_is_enough),
        cmocka_unit_test(the_split_is_the_graphs_own_or_is_told),
        cmocka_unit_test(training_nodes_that_judge_are_held_out),
        cmocka_unit_test(test_labels_are_not_read),
        cmocka_unit_test(any_number_of_threads_gives_the_same_points),
        cmocka_unit_test(progress_goes_from_nothing_to_all_and_can_end_it),
        cmocka_unit_test(refuses_what_cannot_be_looked_for),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
