/* suggest.c -- the smallest ratio that keeps a share of the full graph's score.
 *
 * The score is that of the probe (prototypes/probe.c), for the full graph as for small ones.  What
 * ratios share, embeddings above all, is made once.  A grid of ratios is tried from below, because
 * large ones take longest, until one is enough; then the step below it is halved.  If the answer is
 * still the largest ratio that was tried, the next of the grid must confirm it.
 *
 * Scores are noisy: of some hundred judged nodes, and of candidates that differ from ratio to
 * ratio.  The choice therefore goes by levels, the isotonic regression of the scores over the
 * ratios (pool adjacent violators), which never fall.  A block of equal levels begins with a
 * score above its level, so that the answer itself keeps the share too.  Points added between
 * the answer and the one below it move neither: halving stays inside its step.  Two shares
 * differ in what is tried only once a level lies between them, and from then on in what is
 * above and below it: a larger share never has a smaller ratio.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "options/fields.h"
#include "condense/methods.h"
#include "record/fact.h"
#include "timeestimate.h"

struct bonsai_suggestion {
    bonsai_suggest_info info;
    bonsai_suggest_point *point;        /* by ascending ratio */
    bonsai_graph *small;        /* of the answer, ... */
    double small_ratio;         /* ... or of what was one */
};

typedef struct {
    bonsai_suggest_options o;
    bonsai_suggestion *found;
    bn_preparation own, other;  /* of the method; of the probe, where the method has none */
    bn_preparation *judge;      /* one of these two */
    bn_meter meter;
} search;

/* ---- ratios ---- */

/* Returns the nearest number with this many digits, as it would be typed. */
static double rounded(double r, int digits)
{
    int down = digits - 1 - (int)floor(log10(r));
    return round(r * pow(10, down)) / pow(10, down);
}

/* Rounds r to as few digits as stay within a twentieth of it, and strictly between low and
 * high. */
static double between(double r, double low, double high)
{
    for (int digits = 1; digits < 6; digits++) {
        double v = rounded(r, digits);
        if (fabs(v - r) <= r / 20 && v > low && v < high)
            return v;
    }
    return r;
}

static double grid_at(const bonsai_suggest_options *o, int i)
{
    double step = log(o->high / o->low) / (o->points - 1);
    if (i == 0 || i == o->points - 1)
        return i == 0 ? o->low : o->high;
    return between(o->low * exp(i * step), o->low * exp((i - 0.5) * step),
                   o->low * exp((i + 0.5) * step));
}

/* ---- levels ---- */

/* Pools neighbours that fall: blocks of points, each with the mean of its scores. */
static void find_levels(bonsai_suggest_point *point, int count)
{
    for (int i = 0; i < count; i++) {
        double sum = point[i].score > 0 ? point[i].score : 0;
        int begin = i;
        while (begin > 0 && point[begin - 1].level * (i - begin + 1) >= sum) {
            const double level = point[begin - 1].level;
            while (begin > 0 && point[begin - 1].level == level) {
                begin--;
                sum += level;
            }
        }
        for (int k = begin; k <= i; k++)
            point[k].level = sum / (i - begin + 1);
    }
}

/* Returns the first point whose level is enough; -1: none is. */
static int answer(const search *s)
{
    const bonsai_suggest_info *i = &s->found->info;
    for (int k = 0; k < i->tried; k++)
        if (s->found->point[k].score >= 0 && s->found->point[k].level >= i->wanted)
            return k;
    return -1;
}

/* Returns the first point of the highest level. */
static int best(const search *s)
{
    const bonsai_suggest_point *point = s->found->point;
    int at = 0;
    for (int k = 1; k < s->found->info.tried; k++)
        if (point[k].level > point[at].level || point[at].score < 0)
            at = k;
    return at;
}

/* ---- scores ---- */

/* Leaves a point without a score if its budget is refused; any other failure ends the run. */
static bonsai_status note_refusal(bonsai_suggest_point *at, bonsai_status rc, const char *where)
{
    if (rc != BONSAI_E_ARGUMENT)
        return rc;
    bn_request_refusal(at->why, sizeof at->why, where);
    at->score = at->share = -1;
    return BONSAI_OK;
}

/* Scores a small graph: by the probe that chose it or, of nodes that were picked, by the
 * probe now. */
static bonsai_status judge(bonsai_suggest_point *at, search *s, const bonsai_graph *small,
                           const bonsai_condense_info *info)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_suggest_info *full = &s->found->info;
    at->bytes = s->own.o.accounting == BONSAI_ACCOUNTING_STRICT
                    ? info->bytes : bn_fact(info, BN_FACT_PAPER_BYTES);
    at->nodes = info->nodes;
    at->edges = info->edges;
    at->method = info->method;
    at->score = info->probe;
    if (at->score < 0)
        BN_TRY(bn_probe_graph(&at->score, s->judge->job.probe, small));
    else if (bn_fact(info, BN_FACT_DIRECTIONS) > 0 && info->probe_full > full->full_score)
        at->score *= full->full_score / info->probe_full;       /* the full graph's rises too */
    at->share = full->full_score > 0 ? at->score / full->full_score : 1;
done:
    return rc;
}

static bonsai_status make(bonsai_graph **small, bonsai_condense_info *info, search *s, double ratio)
{
    const bn_request r = bn_request_of(&s->own, ratio, true);
    return bn_method_of(r.o.method)->run(small, info, &r);
}

/* Replaces the small graph that is kept: that of the last ratio that was the answer. */
static void keep(bonsai_suggestion *found, bonsai_graph **small, double ratio)
{
    bonsai_graph_free(found->small);
    found->small = *small;
    found->small_ratio = ratio;
    *small = NULL;
}

/* Makes and judges the small graph of a ratio, which becomes point k. */
static bonsai_status try_ratio(search *s, double ratio, int k)
{
    bonsai_status rc;
    bonsai_graph *small = NULL;
    bonsai_condense_info info;
    bonsai_suggest_point at = {.size = sizeof at, .ratio = ratio, .method = s->own.o.method};
    bonsai_suggest_point *point = s->found->point;
    const double since = bn_seconds();
    bn_meter_begin(&s->meter, 1, NULL);
    rc = make(&small, &info, s, ratio);
    BN_TRY(rc == BONSAI_OK ? judge(&at, s, small, &info)
                           : note_refusal(&at, rc, s->own.full->where));
    bn_meter_end(&s->meter);
    at.seconds = bn_seconds() - since;
    memmove(point + k + 1, point + k, (size_t)(s->found->info.tried - k) * sizeof *point);
    point[k] = at;
    find_levels(point, ++s->found->info.tried);
    if (answer(s) == k)
        keep(s->found, &small, ratio);
done:
    bonsai_graph_free(small);
    return rc;
}

/* ---- the search ---- */

/* Returns the ratio in the middle of the step below point k; 0: there is none. */
static double middle_below(const search *s, int k)
{
    if (k < 1)
        return 0;
    const double low = s->found->point[k - 1].ratio, high = s->found->point[k].ratio;
    const double middle = between(sqrt(low * high), low, high);
    return middle > low && middle < high ? middle : 0;
}

/* Halves the step below the answer; while there is no answer, or no point above it, tries the
 * next ratio of the grid. */
static bonsai_status look(search *s)
{
    bonsai_status rc = BONSAI_OK;
    const int *tried = &s->found->info.tried;
    for (int grid = 0, halved = 0;;) {
        const int k = answer(s);
        const double middle = halved < s->o.halvings ? middle_below(s, k) : 0;
        if (middle > 0) {
            halved++;
            BN_TRY(try_ratio(s, middle, k));
        } else if (grid < s->o.points && (k < 0 || k == *tried - 1)) {
            BN_TRY(try_ratio(s, grid_at(&s->o, grid++), *tried));
            if (answer(s) == *tried - 1)
                halved = 0;
        } else
            break;
    }
done:
    return rc;
}

/* ---- what is asked ---- */

static bonsai_status check(search *s, const bonsai_suggest_options *o)
{
    bonsai_status rc;
    BN_TRY(BN_OPTIONS(&s->o, o, suggest));
    if (s->o.low >= s->o.high)
        return bn_fail(BONSAI_E_ARGUMENT, "low is %g and high is %g: low must be smaller",
                       s->o.low, s->o.high);
    BN_TRY(BN_OPTIONS(&s->own.o, s->o.condense, condense));
    if (bn_method_of(s->own.o.method)->needs & BN_REDOES)
        return bn_fail(BONSAI_E_ARGUMENT, "the method %s keeps to no ratio: none can be suggested "
                       "for it", bonsai_method_name(s->own.o.method));
    BN_TRY(bn_method_check(&s->own.o));
    s->own.o.bytes = s->own.o.nodes = s->own.o.trees = 0;
    s->own.o.ratio = 0;
    s->own.o.progress = bn_meter_tick;
    s->own.o.payload = &s->meter;
    s->other.o = s->own.o;
    s->found->info.split_from = BONSAI_SPLIT_OWN;
done:
    return rc;
}

/* ---- the full graph ---- */

/* Notes which split is used, and whether the caller asked for it. */
static void tell_split(search *s, bool asked, const bonsai_graph *g)
{
    bonsai_suggest_info *i = &s->found->info;
    if (!s->own.split)
        return;
    i->split_from = asked ? BONSAI_SPLIT_ASKED
                    : bn_has(g, BONSAI_SECTION_ROLE) ? BONSAI_SPLIT_NONE : BONSAI_SPLIT_DRAWN;
    memcpy(i->split, s->own.o.split, sizeof i->split);
    i->split_seed = s->own.o.seed;
}

/* Prepares what the method needs and, if that is not the same, what the probe does. */
static bonsai_status prepare(search *s, const bonsai_graph *g)
{
    bonsai_status rc;
    const unsigned needs = bn_method_of(s->own.o.method)->needs;
    const bool asked = bn_split_is_asked(s->own.o.split);
    BN_TRY(bn_prepare(&s->own, g, needs));
    tell_split(s, asked, g);
    s->judge = &s->own;
    if (needs & BN_NEEDS_JUDGE)
        goto done;
    s->judge = &s->other;
    BN_TRY(bn_prepare(&s->other, g, BN_NEEDS_JUDGE));
done:
    return rc;
}

static bonsai_status judge_full(search *s)
{
    const bn_preparation *p = s->judge;
    bonsai_suggest_info *i = &s->found->info;
    if (!p->job.probe)
        return bn_fail_at(BONSAI_E_ARGUMENT, p->full->where, "has no validation nodes and fewer "
                          "than five training nodes: there are none to judge on");
    i->full_score = p->probe_full;
    i->full_train = p->probe_fitted;
    i->full_nodes = p->full->view.nodes;
    i->full_bytes = p->o.accounting == BONSAI_ACCOUNTING_STRICT ? p->sizes.strict : p->sizes.paper;
    i->judged = p->job.judge.far.rows;
    i->held = p->job.held != NULL;
    i->keep = s->o.keep;
    i->wanted = i->keep * i->full_score;
    i->error = bn_probe_error(i->full_score, bn_probe_merit(p->job.probe)->independent);
    return BONSAI_OK;
}

/* Fills the answer, or the point nearest to one, and its graph. */
static bonsai_status settle(search *s)
{
    bonsai_status rc = BONSAI_OK;
    bonsai_condense_info info;
    bonsai_graph *small = NULL;
    bonsai_suggest_info *i = &s->found->info;
    const int k = answer(s);
    i->reached = k >= 0;
    i->point = k >= 0 ? k : best(s);
    const bonsai_suggest_point *p = &s->found->point[i->point];
    if (p->score < 0)
        return bn_fail_at(BONSAI_E_ARGUMENT, s->own.full->where, "no small graph can be made up to "
                          "the ratio %g: %s", s->o.high, s->found->point[i->tried - 1].why);
    i->ratio = p->ratio;
    i->bytes = p->bytes;
    i->score = p->score;
    i->share = p->share;
    i->nodes = p->nodes;
    if (s->found->small_ratio != p->ratio) {
        BN_TRY(make(&small, &info, s, p->ratio));
        keep(s->found, &small, p->ratio);
    }
done:
    return rc;
}

static bonsai_status find(search *s, const bonsai_graph *g)
{
    bonsai_status rc;
    const double since = bn_seconds();
    s->meter = (bn_meter){.to = {s->o.progress, s->o.payload}, .stage = "suggesting",
                          .total = 1 + s->o.points + s->o.halvings};
    BN_TRY(bn_meter_start(&s->meter));
    bn_meter_begin(&s->meter, 1, NULL);
    BN_TRY(prepare(s, g));
    BN_TRY(judge_full(s));
    bn_meter_end(&s->meter);
    s->found->info.seconds_full = bn_seconds() - since;
    BN_TRY(look(s));
    BN_TRY(settle(s));
    BN_TRY(bn_meter_finish(&s->meter));
    s->found->info.seconds_total = bn_seconds() - since;
done:
    return rc;
}

bonsai_status bonsai_suggest(bonsai_suggestion **out, const bonsai_graph *g,
                             const bonsai_suggest_options *o)
{
    bonsai_status rc;
    search s = {.judge = NULL};
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(BN_NEW(&s.found, 1));
    s.found->info.size = sizeof s.found->info;
    BN_TRY(check(&s, o));
    BN_TRY(BN_NEW(&s.found->point, s.o.points * (1 + s.o.halvings)));
    BN_TRY(find(&s, g));
    *out = s.found;
    s.found = NULL;
done:
    bn_preparation_free(&s.own);
    bn_preparation_free(&s.other);
    bonsai_suggestion_free(s.found);
    return rc;
}

/* ---- what was found ---- */

void bonsai_suggestion_free(bonsai_suggestion *s)
{
    if (!s)
        return;
    bn_free(s->point);
    bonsai_graph_free(s->small);
    bn_free(s);
}

const bonsai_suggest_info *bonsai_suggestion_info(const bonsai_suggestion *s)
{
    return &s->info;
}

const bonsai_graph *bonsai_suggestion_graph(const bonsai_suggestion *s)
{
    return s->small;
}

const bonsai_suggest_point *bonsai_suggestion_point(const bonsai_suggestion *s, int64_t i)
{
    return i >= 0 && i < s->info.tried ? &s->point[i] : NULL;
}
