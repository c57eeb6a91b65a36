/* paper_look.c -- measurements that take seconds and are repeated in each run: the split of a
 * graph, the PageRank scores of trees, and Lemma 1.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "paper.h"

enum { DRAWS = 20, MOST_TREES = 20000 };        /* exact powers take all pairs of trees */

int paper_needs_look(const paper *p)
{
    return paper_wants(p, "datasets") || paper_wants(p, "sample") || paper_wants(p, "pagerank") ||
           paper_wants(p, "lemma");
}

/* ---- Lemma 1 ------------------------------------------------------------- */

static const double thetas[] = {0.2, 0.1, 0.05, 0.02, 0.01, 0.005};
enum { THETAS = sizeof thetas / sizeof *thetas };

static bn_json *power_row(const dataset *d, const bonsai_power *w)
{
    return bn_json_pack("[s,f,f,o,o,o,o,o,o]", d->is->name, w->theta, w->delta,
                        value_plain((double)w->sample), value_plain(w->error.mean),
                        value_plain(w->error.upper), value_plain(w->error.most),
                        value_plain(w->error.above), value_plain(w->power_above));
}

static bonsai_status look_at_lemma(paper *p, int set, const bonsai_graph *g,
                                   const bonsai_condense_options *o)
{
    bonsai_power power[THETAS];
    for (int i = 0; i < THETAS; i++) {
        bonsai_power_init(&power[i]);
        power[i].theta = thetas[i];
        power[i].delta = 0.05;
        power[i].draws = DRAWS;
    }
    bonsai_status rc = bonsai_study_power(power, THETAS, g, o);
    bn_json *rows = bn_json_array(), *at = bn_json_array();
    for (int i = 0; i < THETAS && rc == BONSAI_OK; i++) {
        bn_json_add(rows, power_row(&p->sets[set], &power[i]));
        if (power[i].sample < power[i].trees)   /* all trees: there is no error */
            bn_json_add(at, bn_json_pack("[f,f]", (double)power[i].sample, power[i].error.mean));
    }
    p->seen[set].lemma = bn_json_pack("{s:o,s:o}", "rows", rows, "at", at);
    return rc;
}

/* ---- PageRank ------------------------------------------------------------ */

static double score_at(const bonsai_scores *s, int64_t rank)
{
    for (int64_t i = 0; i < s->count; i++)
        if (s->rank[i] >= rank)
            return s->score[i];
    return NAN;
}

static void add_scores(paper *p, int set, const bonsai_scores *s)
{
    bn_json *at = bn_json_array();
    bn_json *row = bn_json_pack("[s,o,o,o]", p->sets[set].is->name, value_plain((double)s->ranked),
                                value_plain((double)s->knee + 1),
                                value_plain(score_at(s, s->knee)));
    for (int64_t i = 0; i < s->count; i++)
        bn_json_add(at, bn_json_pack("[f,f]", (double)s->rank[i] + 1, s->score[i]));
    p->seen[set].pagerank = bn_json_pack("{s:[o],s:o}", "rows", row, "at", at);
}

static bonsai_status look_at_pagerank(paper *p, int set, const bonsai_graph *g,
                                      bonsai_condense_options o)
{
    bonsai_graph *small = NULL;
    bonsai_scores scores;
    o.method = BONSAI_METHOD_TREES;
    o.ratio = 0.01;
    bonsai_scores_init(&scores);
    bonsai_status rc = bonsai_condense(&small, NULL, g, &o);
    if (rc == BONSAI_OK)
        rc = bonsai_condense_scores(&scores, small, 0);
    if (rc == BONSAI_OK && scores.rounds > 0)
        add_scores(p, set, &scores);
    bonsai_graph_free(small);
    return rc == BONSAI_E_ARGUMENT ? BONSAI_OK : rc;    /* 1 % of a tiny graph holds no tree */
}

/* ---- the split ----------------------------------------------------------- */

static bonsai_status look_at_split(sight *s, const bonsai_graph *g, const bonsai_read_options *o)
{
    bonsai_stats stats;
    bonsai_stats_init(&stats);
    bonsai_status rc = bonsai_graph_stats(&stats, NULL, g, o);
    s->known = rc == BONSAI_OK;
    for (int i = 0; i < 3; i++)
        s->part[i] = stats.part[BONSAI_PART_TRAIN + i];
    return rc;
}

bonsai_status paper_look(paper *p, int set, const bonsai_graph *g)
{
    const dataset *d = &p->sets[set];
    sight *seen = &p->seen[set];
    bonsai_graph *drawn = NULL;
    bonsai_condense_options o = p->condense[set * MOST_VARIANTS];
    bonsai_status rc = BONSAI_OK;
    o.progress = p->s->read.progress;
    o.payload = p->s->read.payload;
    if (p->protocol != PROTOCOL_PUBLISHED || !*d->lists)
        rc = bonsai_graph_split(&drawn, g, d->parts[p->protocol], p->train.seed);
    const bonsai_graph *full = drawn ? drawn : g;
    if (rc == BONSAI_OK)
        rc = look_at_split(seen, full, &p->s->read);
    if (rc == BONSAI_OK && paper_wants(p, "pagerank"))
        rc = look_at_pagerank(p, set, full, o);
    if (rc == BONSAI_OK && paper_wants(p, "lemma") && seen->part[0] <= MOST_TREES)
        rc = look_at_lemma(p, set, full, &o);
    bonsai_graph_free(drawn);
    return rc;
}
