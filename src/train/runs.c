/* runs.c -- the runs of a training: epochs, judging, and seeds side by side.
 *
 * A run depends only on its seed, so any thread may work on it, alone or with others.  Small models
 * run side by side, one thread each, because a millisecond is too short to share; large ones run
 * one after another.
 *
 * If a model is judged on the graph that it is trained on, without dropout, the scores after epoch
 * e are the first of epoch e + 1: they are computed once.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/scratch.h"
#include "train.h"

typedef struct {                /* the state of one thread */
    bn_network *net;            /* of the trained graph */
    bn_network *judge;          /* of the judged graph; NULL: net or infer serves */
    bn_infer   *infer;
    real   *slab;               /* holds all arrays below */
    bn_learned learned;
    real   *best;               /* of the best epoch of this run */
    real   *kept;               /* of the best run of this thread */
    int     kept_run;           /* that run; -1: none yet */
    bn_tally tally;
    double  best_val;           /* of the metric, of validation nodes; -1: none yet */
    bool    reports;            /* the calling thread's: it reports progress */
} slot;

typedef struct {
    const bn_task *t;
    bn_outcome *out;
    slot   *slots;
    int     workers, inner;     /* runs at a time, and threads of each */
    int    *diverged;           /* by run: the epoch, or 0 */
    atomic_int failed;          /* the first run that diverged; o.seeds: none */
    atomic_int working;         /* threads that have runs to do */
    atomic_llong done;          /* epochs of all runs */
    atomic_bool canceled;
    bonsai_status rc;           /* of the calling thread's tick */
} running;

/* ---- judging ---- */

/* Keeps the weights and metrics of an epoch; the tally is that of the test nodes. */
static void keep_epoch(running *r, slot *s, int run, const bonsai_epoch *point)
{
    const int64_t c = r->t->dims.classes;
    bonsai_run *result = &r->out->run[run];
    memcpy(s->best, s->learned.param, (size_t)r->t->count * sizeof *s->best);
    result->best_epoch = point->epoch;
    result->accuracy = point->accuracy_test;
    result->accuracy_val = point->accuracy_val;
    memcpy(result->metric, point->metric_test, sizeof result->metric);
    memcpy(result->metric_val, point->metric_val, sizeof result->metric_val);
    for (int64_t k = 0; k < c; k++)
        r->out->recall[run * c + k] = bn_recall(&s->tally, k);
}

/* Judges the weights after the given epoch.  False: they have diverged. */
static bool judge(running *r, slot *s, const real *scores, int run, int epoch)
{
    const bn_task *t = r->t;
    bonsai_epoch *point = &r->out->point[(int64_t)run * t->o.epochs + epoch - 1];
    s->tally.finds = true;            /* finds the threshold with which the test nodes are judged */
    if (!bn_measure(point->metric_val, &s->tally, &t->val, scores, r->inner))
        return false;
    s->tally.finds = false;
    if (!bn_measure(point->metric_test, &s->tally, &t->test, scores, r->inner))
        return false;
    point->accuracy_val = point->metric_val[BONSAI_METRIC_ACCURACY];
    point->accuracy_test = point->metric_test[BONSAI_METRIC_ACCURACY];
    double val = point->metric_val[t->o.metric];
    if (t->val.count ? val > s->best_val : epoch == t->o.epochs) {
        s->best_val = val;
        keep_epoch(r, s, run, point);
    }
    return true;
}

static const real *judging_scores(slot *s)
{
    if (s->infer)
        return bn_infer_scores(s->infer, s->learned.param);
    return bn_network_forward(s->judge ? s->judge : s->net, s->learned.param, false, 0);
}

static bool is_due(const bonsai_train_options *o, int epoch)
{
    return epoch > 0 && (epoch % o->every == 0 || epoch == o->epochs);
}

/* ---- one run ---- */

static uint64_t dropout_seed(uint64_t seed, int epoch)
{
    bn_rng r = bn_rng_at(~seed, (uint64_t)epoch);
    return bn_rng_next(&r);
}

/* Runs before one that diverged continue: the first is the one to name. */
static bool must_stop(running *r, int run)
{
    return atomic_load(&r->canceled) || atomic_load(&r->failed) < run;
}

static void note_divergence(running *r, int run, int epoch)
{
    int first = atomic_load(&r->failed);
    r->diverged[run] = epoch;
    while (run < first && !atomic_compare_exchange_weak(&r->failed, &first, run))
        ;
}

/* Reports progress, on the calling thread only. */
static void report_progress(running *r)
{
    const bn_task *t = r->t;
    int64_t total = (int64_t)t->o.seeds * t->o.epochs, done = atomic_load(&r->done);
    if (atomic_load(&r->canceled) || done >= total)
        return;                                 /* the last tick is made by bn_runs */
    r->rc = bn_tick(t->progress, "training", done, total);
    if (r->rc != BONSAI_OK)
        atomic_store(&r->canceled, true);
}

static void begin_run(const bn_task *t, slot *s, bonsai_run *result, int run)
{
    const bn_learned *l = &s->learned;
    size_t bytes = (size_t)t->count * sizeof(real);
    *result = (bonsai_run){.size = sizeof *result, .seed = t->o.seed + (uint64_t)run,
                           .accuracy = -1, .accuracy_val = -1};
    (t->o.uniform ? bn_init_uniform : bn_init_params)(l->param, &t->dims, result->seed);
    memset(l->grad, 0, bytes);
    memset(l->m, 0, bytes);
    memset(l->v, 0, bytes);
    s->best_val = -1;
    for (int i = 0; i < BONSAI_METRIC_ROOM; i++)
        result->metric[i] = result->metric_val[i] = -1;
}

/* Makes Adam's step of an epoch; after the cut of the rate it counts from 1 again. */
static void descend(const bn_learned *l, const bonsai_train_options *o, int epoch, int threads)
{
    const size_t bytes = (size_t)l->count * sizeof(real);
    const int cut = o->cut > 0 ? (int)(o->cut * o->epochs) : o->epochs;
    if (epoch == cut + 1) {
        memset(l->m, 0, bytes);
        memset(l->v, 0, bytes);
    }
    if (epoch <= cut)
        bn_adam(l, epoch, o->rate, o->decay, threads);
    else
        bn_adam(l, epoch - cut, o->rate / 10, o->decay, threads);
}

/* Makes one step, given the scores, which are overwritten by their gradient. */
static bool step(running *r, slot *s, real *scores, int run, int epoch)
{
    const bn_task *t = r->t;
    double loss = bn_cross_entropy(scores, scores, t->train.x.rows, t->dims.classes, &t->targets,
                                   r->inner);
    r->out->run[run].loss = r->out->point[(int64_t)run * t->o.epochs + epoch - 1].loss = loss;
    if (!isfinite(loss))
        return false;
    bn_network_backward(s->net, s->learned.grad, s->learned.param, scores);
    descend(&s->learned, &t->o, epoch, r->inner);
    return true;
}

/* Returns the epoch in which the run diverged, or 0. */
static int run_epochs(running *r, slot *s, int run)
{
    const bn_task *t = r->t;
    bonsai_run *result = &r->out->run[run];
    bool shared = t->same && t->o.dropout == 0;
    begin_run(t, s, result, run);
    for (int epoch = 1; epoch <= t->o.epochs && !must_stop(r, run); epoch++) {
        double start = bn_seconds();
        uint64_t seed = dropout_seed(result->seed, epoch);
        real *scores = bn_network_forward(s->net, s->learned.param, true, seed);
        double scored = bn_seconds();
        if (shared && is_due(&t->o, epoch - 1) && !judge(r, s, scores, run, epoch - 1))
            return epoch - 1;
        double judged = bn_seconds();
        if (!step(r, s, scores, run, epoch))
            return epoch;
        double stepped = bn_seconds();
        bool due = is_due(&t->o, epoch) && (!shared || epoch == t->o.epochs);
        if (due && !judge(r, s, judging_scores(s), run, epoch))
            return epoch;
        result->seconds_train += scored - start + stepped - judged;
        result->seconds_eval += judged - scored + bn_seconds() - stepped;
        atomic_fetch_add(&r->done, 1);
        if (s->reports)
            report_progress(r);
    }
    return 0;
}

/* Returns whether a run has a better validation metric than another (-1: none), or is first. */
static bool is_better(const running *r, int run, int than)
{
    if (than < 0)
        return true;
    const int metric = r->t->o.metric;
    double a = r->out->run[run].metric_val[metric], b = r->out->run[than].metric_val[metric];
    return a > b || (a == b && run < than);
}

static void keep_best(const running *r, slot *s, int run)
{
    if (!is_better(r, run, s->kept_run))
        return;
    real *best = s->best;
    s->best = s->kept;
    s->kept = best;
    s->kept_run = run;
}

static void one_run(running *r, slot *s, int run)
{
    if (must_stop(r, run))
        return;
    int epoch = run_epochs(r, s, run);
    if (epoch)
        note_divergence(r, run, epoch);
    else if (!must_stop(r, run))
        keep_best(r, s, run);
}

/* ---- many runs ---- */

static void slot_free(slot *s)
{
    bn_network_free(s->net);
    bn_network_free(s->judge);
    bn_infer_free(s->infer);
    bn_tally_free(&s->tally);
    bn_free(s->slab);
}

static bonsai_status slot_new(slot *s, const bn_task *t, bool in_blocks, int threads)
{
    bonsai_status rc;
    enum { ARRAYS = 6 };
    int64_t stride = (t->count + 15) & ~(int64_t)15;        /* whole cache lines */
    BN_TRY(BN_NEW(&s->slab, ARRAYS * stride));
    bn_learned *l = &s->learned;
    real **part[ARRAYS] = {&l->param, &l->grad, &l->m, &l->v, &s->best, &s->kept};
    l->count = t->count;
    for (int i = 0; i < ARRAYS; i++)
        *part[i] = s->slab + i * stride;
    s->kept_run = -1;
    BN_TRY(bn_tally_new(&s->tally, t->dims.classes,
                        t->val.count > t->test.count ? t->val.count : t->test.count,
                        t->o.metric == BONSAI_METRIC_AP));
    s->tally.positive = t->positive;
    BN_TRY(bn_network_new(&s->net, &t->dims, &t->train, t->o.dropout, true, threads));
    if (t->same)
        goto done;
    if (in_blocks)
        BN_TRY(bn_infer_new(&s->infer, &t->dims, &t->judge, threads));
    else
        BN_TRY(bn_network_new(&s->judge, &t->dims, &t->judge, 0, false, threads));
done:
    return rc;
}

/* Waits without further runs; the calling thread continues to report progress. */
static void wait_for_others(running *r)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    atomic_fetch_sub(&r->working, 1);
    while (bn_thread() == 0 && atomic_load(&r->working) > 0) {
        nanosleep(&pause, NULL);
        report_progress(r);
    }
}

/* Runs seeds.  A run with all threads must not be in a parallel region itself: threads of inner
 * regions would be started again each time. */
static void work(running *r, int first, int count)
{
    for (int i = 0; i < count && r->workers == 1; i++)
        one_run(r, &r->slots[0], first + i);
    if (r->workers == 1)
        return;
#pragma omp parallel num_threads(bn_team(bn_lanes(r->workers, count), INFINITY))
    {
        atomic_fetch_add(&r->working, 1);
#pragma omp barrier
#pragma omp for schedule(dynamic, 1) nowait
        for (int i = 0; i < count; i++)
            one_run(r, &r->slots[bn_thread()], first + i);
        wait_for_others(r);
    }
}

static void keep_param(running *r)
{
    bn_outcome *out = r->out;
    for (int i = 0; i < r->workers; i++) {
        const slot *s = &r->slots[i];
        if (s->kept_run < 0 || !is_better(r, s->kept_run, out->best))
            continue;
        out->best = s->kept_run;
        memcpy(out->param, s->kept, (size_t)r->t->count * sizeof *out->param);
    }
}

static bonsai_status diverged(const running *r)
{
    int run = atomic_load(&r->failed);
    const bonsai_train_options *o = &r->t->o;
    if (run >= o->seeds)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_ARGUMENT, r->t->small->where, "the loss of %s with seed %llu is not "
                      "a number in epoch %d: standardise the features (--standardise), or lower "
                      "the rate of %g", bonsai_model_name(o->model),
                      (unsigned long long)(o->seed + (uint64_t)run), r->diverged[run], o->rate);
}

/* Runs first .. first+count-1, `workers` at a time. */
static bonsai_status run_some(running *r, int first, int count, int workers, int inner)
{
    bonsai_status rc = BONSAI_OK;
    r->workers = workers;
    r->inner = inner;
    r->slots = NULL;
    if (count == 0)
        return rc;
    BN_TRY(BN_NEW(&r->slots, workers));
    for (int i = 0; i < workers; i++)
        BN_TRY(slot_new(&r->slots[i], r->t, r->out->in_blocks, inner));
    r->slots[0].reports = true;
    work(r, first, count);
    BN_TRY(r->rc);
    BN_TRY(diverged(r));
    keep_param(r);
done:
    for (int i = 0; r->slots && i < workers; i++)
        slot_free(&r->slots[i]);
    bn_free(r->slots);
    return rc;
}

/* ---- how many side by side ---- */

/* Returns the bytes of a run besides the judging network; INT64_MAX / 2: too many to count. */
static int64_t run_bytes(const bn_task *t)
{
    int64_t net = bn_network_bytes(&t->dims, &t->train, true), params = 24 * t->count;
    return net < 0 || net > INT64_MAX / 4 ? INT64_MAX / 2 : net + params;
}

/* Fails for lack of memory here, as a system that promises too much would end the program later. */
static bonsai_status check_memory(const bn_task *t, int64_t points)
{
    int64_t all = bn_memory_all(), run = run_bytes(t);
    const bonsai_train_options *o = &t->o;
    if (run > all)
        return bn_fail_at(BONSAI_E_MEMORY, t->small->where, "out of memory: %s with %d layers and "
                          "hidden %lld has %lld parameters, and a run would take %.3g GB of the "
                          "%.3g there are", bonsai_model_name(o->model), o->layers,
                          (long long)o->hidden, (long long)t->count, 1e-9 * (double)run,
                          1e-9 * (double)all);
    if (points > all / (int64_t)sizeof(bonsai_epoch))
        return bn_fail_at(BONSAI_E_MEMORY, t->small->where, "out of memory: no room for what %d "
                          "seeds of %d epochs will show", o->seeds, o->epochs);
    return BONSAI_OK;
}

/* Estimates the numbers that are written in an epoch. */
static int64_t run_work(const bn_task *t)
{
    int64_t judged = t->same ? 0 : t->judge.x.rows / t->o.every;
    return (t->train.x.rows + judged) * t->dims.hidden + t->count;
}

/* Returns how many runs are made side by side; the others follow with all threads each. */
static int side_by_side(const bn_task *t, int64_t memory, int64_t judging)
{
    enum { SMALL = 4 << 20 };
    int64_t work = run_work(t), each = run_bytes(t) + judging;
    int seeds = t->o.seeds, threads = t->threads;
    if (threads == 1 || seeds == 1 || (work >= SMALL && seeds < threads) ||
        each > memory / bn_lanes(threads, seeds))
        return 0;
    int rest = seeds % threads;
    return work >= SMALL && 10 * rest < 7 * threads ? seeds - rest : seeds;
}

/* Sets all points to not judged yet. */
static void begin_points(bonsai_epoch *point, int64_t total, int epochs)
{
    for (int64_t i = 0; i < total; i++) {
        point[i] = (bonsai_epoch){.size = sizeof *point, .run = (int)(i / epochs),
                                  .epoch = 1 + (int)(i % epochs), .accuracy_val = -1,
                                  .accuracy_test = -1};
        for (int m = 0; m < BONSAI_METRIC_ROOM; m++)
            point[i].metric_val[m] = point[i].metric_test[m] = -1;
    }
}

bonsai_status bn_runs(bn_outcome *out, const bn_task *t)
{
    bonsai_status rc;
    const bonsai_train_options *o = &t->o;
    int64_t total = (int64_t)o->seeds * o->epochs, half = bn_memory_free() / 2;
    int64_t judging = t->same ? 0 : bn_network_bytes(&t->dims, &t->judge, false);
    running r = {.t = t, .out = out};
    atomic_store(&r.failed, o->seeds);
    rc = bn_blas_begin(t->threads);
    if (rc != BONSAI_OK)
        return rc;
    BN_TRY(check_memory(t, total));
    BN_TRY(BN_NEW(&out->run, o->seeds));
    BN_TRY(BN_NEW(&out->point, total));
    BN_TRY(BN_NEW(&out->param, t->count));
    BN_TRY(BN_NEW(&r.diverged, o->seeds));
    BN_TRY(BN_NEW(&out->recall, o->seeds * t->dims.classes));
    begin_points(out->point, total, o->epochs);
    out->best = -1;
    out->in_blocks = judging < 0 || judging > (o->memory > 0 ? o->memory : half);
    int64_t blocks = out->in_blocks && !t->same ? bn_infer_bytes(&t->dims, &t->judge) : 0;
    if (out->in_blocks)
        judging = blocks >= 0 && blocks < half ? blocks : half;
    int wide = side_by_side(t, half, judging);
    BN_TRY(bn_tick(t->progress, "training", 0, total));
    BN_TRY(run_some(&r, 0, wide, bn_lanes(t->threads, wide), 1));
    BN_TRY(run_some(&r, wide, o->seeds - wide, 1, t->threads));
    BN_TRY(bn_tick(t->progress, "training", total, total));
done:
    bn_blas_end();
    bn_free(r.diverged);
    return rc;
}

void bn_outcome_free(bn_outcome *o)
{
    bn_free(o->run);
    bn_free(o->point);
    bn_free(o->recall);
    bn_free(o->param);
}
