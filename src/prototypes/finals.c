/* finals.c -- networks trained on a few small graphs, to choose between them.
 *
 * The probe ranks candidates of one family well: rows stored one by one, or rows in one basis.
 * Across families it is off, since it judges a basis in its coordinates, where a network has less
 * to learn.  So the best candidates of each family are trained on, as their user will: a GCN and a
 * GraphSAGE, narrow and for fewer epochs (student.c).  Nothing is learned from the full graph; its
 * judged nodes are looked at through their rows, which are known already, five times in the course
 * of a training.  The best look counts, as users keep the best epoch: the mean of all looks would
 * punish small graphs that are learned slowly.
 *
 * SPDX-License-Identifier: MIT */
#include "finals.h"

#include <math.h>

#include "judge.h"
#include "student.h"

enum { EPOCHS = 300, LEAST_EPOCHS = 60, LOOKS = 5, NETS = 2, MOST_JUDGED = 2500 };
enum { MOST_HIDDEN = 64 };       /* units of a network, as student.c has them */
enum { MOST_ORDERED = 32 };      /* classes whose scores are kept of every look */
static const double look_at[LOOKS] = {1.0 / 15, 0.15, 1.0 / 3, 0.6, 1};   /* of the epochs */
static const double most_work = 2e11;   /* products of all trainings */
static const double most_weights = 1 << 24;     /* of all networks: 256 MiB with what Adam keeps */

typedef struct {                /* one network on one small graph */
    bn_student s;
    bn_answer_room    exam;
    bn_views   low;             /* judged rows in coordinates, where its features are such, ... */
    const bn_views *rows;       /* ... and those that it looks at */
    int64_t    judged;          /* nodes; 0: it does not take part */
    int        looks;           /* so far, and what it said of the judged nodes at each: */
    int32_t   *guess;           /* LOOKS x judged */
    float     *score;           /* LOOKS x judged x classes, or NULL: not asked for */
} trainee;

typedef struct {                /* judged nodes, at even distances among those of the job */
    bn_views taken;             /* copies; empty where all take part */
    const bn_views *rows;
    int32_t *label;
    int64_t  count;
} judged_sample;

static void sample_free(judged_sample *j)
{
    bn_views_free(&j->taken);
    bn_free(j->label);
}

/* Samples evenly spaced judged nodes: nodes are often sorted, so the first ones would be of a few
 * classes. */
static bonsai_status sample_judged(judged_sample *j, const bn_job *job)
{
    bonsai_status rc;
    const bn_views *all = &job->judge;
    const bn_embedding *from[BN_VIEWS] = {&all->own, &all->around, &all->far};
    bn_embedding *to[BN_VIEWS] = {&j->taken.own, &j->taken.around, &j->taken.far};
    int64_t *row = NULL;
    *j = (judged_sample){.rows = all, .count = bn_least(all->far.rows, MOST_JUDGED)};
    BN_TRY(BN_NEW(&row, j->count));
    BN_TRY(BN_NEW(&j->label, j->count));
    for (int64_t i = 0; i < j->count; i++) {
        row[i] = i * all->far.rows / j->count;
        j->label[i] = job->judge_label[row[i]];
    }
    if (j->count == all->far.rows)
        goto done;
    for (int v = 0; v < BN_VIEWS; v++)
        BN_TRY(bn_embedding_take(to[v], from[v], row, j->count, from[v]->dense != NULL,
                                 &(bn_place){.threads = job->at.threads}));
    j->rows = &j->taken;
done:
    bn_free(row);
    return rc;
}

static void learn(trainee *t, int epochs)
{
    for (int epoch = 1; epoch <= epochs; epoch++) {
        if (!bn_student_step(&t->s, epoch))
            return;
        if (epoch < (int)(look_at[t->looks] * epochs))
            continue;
        const int64_t at = t->looks++ * t->judged;
        bn_student_answer(t->guess + at, t->score ? t->score + at * t->s.c : NULL, &t->s, &t->exam,
                          t->rows, t->judged);
    }
}

/* Fills the score of the best look, or 0 if training failed before the first look. */
static bonsai_status grade(double *percent, const trainee *t, const bn_merit *m,
                           const judged_sample *j)
{
    bonsai_status rc = BONSAI_OK;
    double value;
    *percent = 0;
    for (int i = 0; i < t->looks; i++) {
        const int64_t at = i * t->judged;
        const bn_verdict v = {j->label, t->judged, t->guess + at,
                              t->score ? t->score + at * t->s.c : NULL, t->s.c};
        BN_TRY(bn_merit_score(&value, m, &v));
        *percent = fmax(*percent, value);
    }
done:
    return rc;
}

/* Returns the weight of GraphSAGE's score for networks of these models (bits; 0: all).  GCN has
 * the rest, and stands for GAT too. */
static double sage_share(int models)
{
    static const double sage[BONSAI_MODEL_COUNT] = {[BONSAI_MODEL_GIN] = 0.5,
                                                    [BONSAI_MODEL_SAGE] = 1};
    double sum = 0, count = 0;
    for (int m = 0; m < BONSAI_MODEL_COUNT; m++)
        if (models == 0 || models >> m & 1) {
            sum += sage[m];
            count++;
        }
    return sum / count;
}

/* Returns the products of one epoch on a small graph. */
static double work_of(const bn_entrant *e)
{
    const bonsai_view *v = &e->g->view;
    const bonsai_array *index = &v->section[BONSAI_SECTION_FEATURE_INDICES];
    const int64_t hidden = MOST_HIDDEN, columns = e->basis ? e->basis->columns : v->features;
    double numbers = index->data ? (double)index->count : (double)v->nodes * (double)v->features;
    if (e->basis)
        numbers += (double)e->basis->r * (double)columns;
    return 6 * (numbers + 2 * (double)columns) * (double)hidden;
}

/* Returns the epochs that the graphs can be trained for; 0 if these are too few to be useful. */
static int epochs_within(const bn_entrant *e, int count)
{
    double work = 0, weights = 0;
    for (int i = 0; i < count; i++) {
        const bn_basis *b = e[i].basis;
        weights += 3.0 * MOST_HIDDEN * (double)(b ? b->columns : e[i].g->view.features);
        work += work_of(&e[i]);
    }
    if (weights > most_weights)
        return 0;
    double most = fmin(EPOCHS, floor(most_work / work));
    return most < LEAST_EPOCHS ? 0 : (int)most;
}

static void trainee_free(trainee *t)
{
    bn_student_free(&t->s);
    bn_answer_room_free(&t->exam);
    bn_views_free(&t->low);
    bn_free(t->guess);
    bn_free(t->score);
}

static bonsai_status make(trainee *t, const bn_entrant *e, bool sage, const bn_merit *m,
                          const judged_sample *j, const bn_job *job)
{
    bonsai_status rc;
    const int64_t judged = j->count;
    t->rows = e->onto ? &t->low : j->rows;
    if (e->onto)
        BN_TRY(bn_basis_project_views(&t->low, e->onto, j->rows,
                                      &(bn_place){.threads = job->at.threads}));
    BN_TRY(bn_student_new(&t->s, e, sage, job->o->layers));
    BN_TRY(bn_answer_room_new(&t->exam, &t->s));
    BN_TRY(BN_NEW(&t->guess, LOOKS * judged));
    if (m->orders)
        BN_TRY(BN_NEW(&t->score, LOOKS * judged * t->s.c));
    t->judged = judged;
done:
    return rc;
}

static bonsai_status grade_all(double *percent, const trainee *all, int count, const double *share,
                               const bn_merit *m, const judged_sample *j)
{
    bonsai_status rc = BONSAI_OK;
    for (int i = 0; i < count; i++) {
        percent[i] = 0;
        for (int k = 0; k < NETS; k++) {
            double value = 0;
            if (share[k] > 0)
                BN_TRY(grade(&value, &all[NETS * i + k], m, j));
            percent[i] += share[k] * value;
        }
    }
done:
    return rc;
}

bonsai_status bn_finals_judge(double *percent, int *epochs, const bn_entrant *e, int count,
                              const bn_merit *m, const bn_job *job)
{
    bonsai_status rc = BONSAI_OK;
    trainee all[BN_FINALS_MOST * NETS] = {{.judged = 0}};
    const double sage = sage_share(job->o->for_models), share[NETS] = {1 - sage, sage};
    const int nets = NETS * count;
    judged_sample j = {.count = 0};
    if (*epochs == 0)
        *epochs = epochs_within(e, count);
    if (*epochs <= 0 || job->judge.far.rows == 0 || (m->orders && m->classes > MOST_ORDERED)) {
        *epochs = -1;
        return BONSAI_OK;
    }
    BN_TRY(sample_judged(&j, job));
    for (int i = 0; i < nets; i++)
        if (share[i % NETS] > 0)
            BN_TRY(make(&all[i], &e[i / NETS], i % NETS, m, &j, job));
#pragma omp parallel for num_threads(bn_team(bn_threads(job->at.threads), 1e9)) schedule(dynamic, 1)
    for (int i = 0; i < nets; i++)
        if (all[i].judged > 0)
            learn(&all[i], *epochs);
    BN_TRY(grade_all(percent, all, count, share, m, &j));
done:
    for (int i = 0; i < nets; i++)
        trainee_free(&all[i]);
    sample_free(&j);
    return rc;
}
