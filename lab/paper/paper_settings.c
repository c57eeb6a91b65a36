/* paper_settings.c -- the options that small graphs are made with and networks are trained with.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "paper.h"

static const struct {
    const char *name;
    int         paper, whole, no_ppr, no_rknn, k;       /* k, sample 0: the default */
    int64_t     sample;                         /* -1: all */
    int         nodes;                          /* 1 + place of the ratio; 0: by bytes */
} variants[VARIANTS] = {
    [HONEST]         = {.name = "honest"},
    [PAPER_BYTES]    = {.name = "paper", .paper = 1},
    [WHOLE]          = {.name = "honest whole", .whole = 1},
    [NODES_0]        = {.name = "nodes 0.5", .nodes = 1},
    [NODES_1]        = {.name = "nodes 1", .nodes = 2},
    [NODES_2]        = {.name = "nodes 3", .nodes = 3},
    [NO_PPR]         = {.name = "honest whole no-ppr", .whole = 1, .no_ppr = 1},
    [NO_RKNN]        = {.name = "honest whole no-rknn", .whole = 1, .no_rknn = 1},
    [K_1]            = {.name = "honest whole k 1", .whole = 1, .k = 1},
    [K_2]            = {.name = "honest whole k 2", .whole = 1, .k = 2},
    [K_10]           = {.name = "honest whole k 10", .whole = 1, .k = 10},
    [K_20]           = {.name = "honest whole k 20", .whole = 1, .k = 20},
    [SAMPLE_100]     = {.name = "honest whole sample 100", .whole = 1, .sample = 100},
    [SAMPLE_250]     = {.name = "honest whole sample 250", .whole = 1, .sample = 250},
    [SAMPLE_500]     = {.name = "honest whole sample 500", .whole = 1, .sample = 500},
    [SAMPLE_1000]    = {.name = "honest whole sample 1000", .whole = 1, .sample = 1000},
    [SAMPLE_ALL]     = {.name = "honest whole sample all", .whole = 1, .sample = -1},
};

static double published_bytes(const dataset *d)
{
    const bonsai_known *k = d->is;
    return 2 * ((double)k->nodes * (double)k->features * d->price + 2 * (double)k->edges);
}

int64_t paper_peer_nodes(const dataset *d, double ratio)
{
    const double f = (double)d->is->features, target = ratio / 100 * published_bytes(d);
    return (int64_t)fmax(1, round((sqrt(f * f + target) - f) / 2));
}

const char *paper_protocol_name(const paper *p)
{
    return p->protocol == PROTOCOL_PUBLISHED ? "published" : "ours";
}

int paper_trains_as_published(const paper *p)
{
    return p->protocol == PROTOCOL_PUBLISHED && p->train.epochs == PUBLISHED_EPOCHS;
}

/* Its name tells cells of a published split that was drawn from those of its index lists. */
static void make_setting(paper *p, int set, int v)
{
    int i = set * VARIANTS + v;
    bonsai_condense_options *o = &p->condense[i];
    bonsai_condense_options_init(o);
    o->accounting = variants[v].paper ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
    o->keep_trees = variants[v].whole;
    o->no_ppr = variants[v].no_ppr;
    o->no_rknn = variants[v].no_rknn;
    o->k = variants[v].k ? variants[v].k : o->k;
    o->sample = variants[v].sample ? variants[v].sample : o->sample;
    if (variants[v].nodes)
        o->nodes = paper_peer_nodes(&p->sets[set], paper_ratios[variants[v].nodes - 1]);
    o->effort = p->effort;
    o->time_limit = p->time_limit;
    o->seed = p->train.seed;
    o->threads = p->s->read.threads;
    snprintf(p->setting_name[i], sizeof p->setting_name[i], "%s%s %s", p->sets[set].is->name,
             p->protocol == PROTOCOL_PUBLISHED && !*p->sets[set].lists ? " drawn" : "",
             variants[v].name);
    p->settings[i] = o;
    p->setting_names[i] = p->setting_name[i];
}

void paper_make_settings(paper *p, int set)
{
    for (int v = 0; v < VARIANTS; v++)
        make_setting(p, set, v);
}

static void widen(bonsai_train_options *o)
{
    bonsai_train_options wide = *o;
    const training_width width = training_follow(NULL, &wide, TRAINING_PAPER);
    o->hidden = width.hidden;
    o->standardise = width.standardise;
}

bonsai_train_options paper_training(const paper *p, int set)
{
    bonsai_train_options o = p->train;
    const dataset *d = &p->sets[set];
    o.threads = p->s->read.threads;
    memcpy(o.split, d->parts[p->protocol], sizeof o.split);
    if (p->protocol == PROTOCOL_PUBLISHED && training_is_wide(d->is))
        widen(&o);
    return o;
}

/* The split of the index lists stands in the graph; the study draws any other. */
bonsai_status paper_load(bonsai_graph **out, paper *p, int set)
{
    const dataset *d = &p->sets[set];
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_graph_read(&g, d->path, &p->s->read);
    *out = g;
    if (rc != BONSAI_OK || p->protocol != PROTOCOL_PUBLISHED || !*d->lists)
        return rc;
    rc = bonsai_graph_split_file(out, g, d->lists);
    bonsai_graph_free(g);
    return rc;
}
