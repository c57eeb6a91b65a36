/* kernel_bench.c -- how well GC-SNTK's own kernel regression does on the nodes that judge.
 *
 *   kernel_bench GRAPH NODES [SEEDS [THREADS]]
 *
 * Learns a small graph of so many nodes for each seed, with the published settings, and looks at it
 * twenty times.  Prints the look that is best on validation nodes, what it gets of the test nodes,
 * what the last look gets of them, and the seconds of learning alone.  The small graph that `bonsai
 * condense` writes is one for networks; this is the classifier that it was learned by.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "learn/gcsntk.h"
#include "learn/problem.h"

enum { LOOKS = 20 };

typedef struct {
    int32_t *node, *said;
    int64_t  count;
    bn_partition nodes;
} part;

static bonsai_status find_part(part *p, const bonsai_graph *g, bonsai_part which)
{
    bonsai_status rc;
    const uint8_t *split = g->view.section[BONSAI_SECTION_SPLIT].data;
    BN_TRY(BN_NEW(&p->node, g->view.nodes));
    BN_TRY(BN_NEW(&p->said, g->view.nodes));
    for (int64_t v = 0; split && v < g->view.nodes; v++)
        if (split[v] == which && bn_label(g, v) >= 0)
            p->node[p->count++] = (int32_t)v;
done:
    return rc;
}

static void free_part(part *p)
{
    bn_partition_free(&p->nodes);
    bn_free(p->node);
    bn_free(p->said);
}

static bonsai_status ask(double *percent, part *p, const bn_problem *s)
{
    bonsai_status rc;
    int64_t right = 0;
    if (!p->nodes.place)
        BN_TRY(bn_partition_new(&p->nodes, s, p->node, p->count));
    BN_TRY(bn_gcsntk_predict(p->said, s, &p->nodes));
    for (int64_t i = 0; i < p->count; i++)
        right += p->said[i] == bn_label(s->job->g, p->node[i]);
    *percent = 100 * (double)right / (double)p->count;
done:
    return rc;
}

typedef struct { double val, test, last, seconds; int64_t at; } outcome;

static bonsai_status learn(outcome *out, const bn_job *job, int64_t nodes, part *val, part *test)
{
    bonsai_status rc;
    bn_problem s;
    double seen, judged;
    *out = (outcome){.val = -1};
    double start = bn_seconds();
    BN_TRY(bn_problem_new(&s, &bn_gc_sntk, job, nodes));
    BN_TRY(s.how->begin(&s));
    for (int64_t i = 0; i < s.steps; i++) {
        BN_TRY(s.how->step(&s, i));
        if ((i + 1) % ((s.steps + LOOKS - 1) / LOOKS) != 0 && i + 1 < s.steps)
            continue;
        out->seconds += bn_seconds() - start;
        BN_TRY(ask(&seen, val, &s));
        BN_TRY(ask(&judged, test, &s));
        out->last = judged;
        if (seen > out->val) {
            out->val = seen;
            out->test = judged;
            out->at = i + 1;
        }
        start = bn_seconds();
    }
done:
    bn_problem_free(&s);
    return rc;
}

static bonsai_status run(const char *path, int64_t nodes, int seeds, int threads)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    bonsai_condense_options o;
    part train = {0}, val = {0}, test = {0};
    outcome out;
    double sum = 0;
    bonsai_condense_options_init(&o);
    BN_TRY(bonsai_graph_load(&g, path));
    BN_TRY(find_part(&train, g, BONSAI_PART_TRAIN));
    BN_TRY(find_part(&val, g, BONSAI_PART_VAL));
    BN_TRY(find_part(&test, g, BONSAI_PART_TEST));
    bn_job job = {.g = g, .o = &o, .at = {.threads = threads}, .train = train.node,
                  .trees = train.count};
    BN_TRY(bn_blas_begin(threads));
    for (int seed = 0; seed < seeds; seed++) {
        o.seed = (uint64_t)seed;
        BN_TRY(learn(&out, &job, nodes, &val, &test));
        printf("seed %d  step %lld  val %.2f  test %.2f  last %.2f  seconds %.2f\n", seed,
               (long long)out.at, out.val, out.test, out.last, out.seconds);
        sum += out.test;
    }
    bn_blas_end();
    printf("mean test %.2f\n", sum / seeds);
done:
    free_part(&train);
    free_part(&val);
    free_part(&test);
    bonsai_graph_free(g);
    return rc;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 5) {
        fprintf(stderr, "usage: kernel_bench GRAPH NODES [SEEDS [THREADS]]\n");
        return 2;
    }
    if (run(argv[1], atoll(argv[2]), argc > 3 ? atoi(argv[3]) : 3,
            bn_threads(argc > 4 ? atoi(argv[4]) : 0)) == BONSAI_OK)
        return 0;
    fprintf(stderr, "kernel_bench: %s\n", bonsai_error());
    return 1;
}
