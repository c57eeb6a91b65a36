/* paper_settings.c -- the options of condensing and of training.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

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

/* Returns the number behind a word of the setting's name; 0 if the word is not there. */
static double after(const char *name, const char *word)
{
    const char *at = strstr(name, word);
    return at ? atof(at + strlen(word)) : 0;
}

/* Returns the options that the words of a setting's name describe. */
static bonsai_condense_options options_of(const dataset *d, const char *name)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.accounting = strncmp(name, "paper", 5) == 0 ? BONSAI_ACCOUNTING_PAPER_FULL
                                                  : BONSAI_ACCOUNTING_STRICT;
    o.keep_trees = strstr(name, "whole") != NULL;
    o.no_ppr = strstr(name, "no-ppr") != NULL;
    o.no_rknn = strstr(name, "no-rknn") != NULL;
    o.k = after(name, " k ") > 0 ? (int)after(name, " k ") : o.k;
    o.sample = strstr(name, "sample all") ? -1 : after(name, "sample ") > 0
               ? (int64_t)after(name, "sample ") : o.sample;
    if (after(name, "nodes ") > 0)
        o.nodes = paper_peer_nodes(d, after(name, "nodes "));
    return o;
}

/* Makes a setting.  Its name separates cells of a drawn split from cells of the published index
 * lists. */
static void make_setting(paper *p, int set, int v, const char *name)
{
    const int i = set * MOST_VARIANTS + v;
    const dataset *d = &p->sets[set];
    p->condense[i] = options_of(d, name);
    p->condense[i].effort = p->effort;
    p->condense[i].time_limit = p->time_limit;
    p->condense[i].seed = p->train.seed;
    p->condense[i].threads = p->s->read.threads;
    snprintf(p->setting_name[i], sizeof p->setting_name[i], "%s%s %s", d->is->name,
             p->protocol == PROTOCOL_PUBLISHED && !*d->lists ? " drawn" : "", name);
    p->settings[i] = &p->condense[i];
    p->setting_names[i] = p->setting_name[i];
}

void paper_make_settings(paper *p, int set)
{
    const bn_json *names = paper_described("settings");
    for (int v = 0; v < (int)bn_json_count(names) && v < MOST_VARIANTS; v++)
        make_setting(p, set, v, bn_json_as_text(bn_json_at(names, (size_t)v)));
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

/* Loads a dataset.  The split of the index lists is stored in the graph; the study draws any
 * other. */
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
