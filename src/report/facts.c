/* facts.c -- everything that a report shows: what both graphs are, and what the small one says
 * about how it was made.
 *
 * SPDX-License-Identifier: MIT */
#include "facts.h"

#include <stdio.h>
#include <string.h>

#include "train/metrics.h"

enum { MOST_CLASSES = 65536 };

/* ---- how it went ---- */

/* Keeps the points that ascend in both coordinates: the paper's price of negative features
 * can fall. */
static void keep_best(bn_curve *c)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->count; i++) {
        bn_spot now = c->at[i];
        while (kept > 0 && (c->at[kept - 1].x >= now.x || c->at[kept - 1].y > now.y))
            kept--;
        c->at[kept++] = now;
    }
    c->count = kept;
}

static bonsai_status read_coverage(bn_facts *f, const bn_trace *t)
{
    bonsai_status rc = BN_NEW(&f->coverage.at, t->count);
    double sample = bn_fact(&f->made.info, BN_FACT_SAMPLE);
    if (rc != BONSAI_OK || !(sample > 0))
        return rc;
    for (int64_t i = 0; i < t->count; i++)
        f->coverage.at[f->coverage.count++] =
            (bn_spot){t->point[i].bytes, (double)t->point[i].covered / sample};
    keep_best(&f->coverage);
    return BONSAI_OK;
}

static bonsai_status read_round(bn_prune *out, const bn_trace_round *r)
{
    bn_curve *c = &out->scores;
    bonsai_status rc = BN_NEW(&c->at, r->count);
    out->number = r->number;
    out->nodes = r->nodes;
    out->knee = r->knee;
    out->pruned = r->pruned;
    for (int64_t i = 0; rc == BONSAI_OK && i < r->count; i++)
        if (c->count == 0 || (double)r->rank[i] > c->at[c->count - 1].x)
            c->at[c->count++] = (bn_spot){(double)r->rank[i], r->score[i]};
    return rc;
}

static bonsai_status read_trace(bn_facts *f)
{
    bonsai_status rc;
    bn_trace *t = NULL;
    BN_TRY(bn_record_trace(&t, f->small));
    BN_TRY(read_coverage(f, t));
    BN_TRY(BN_NEW(&f->round, t->rounds));
    for (; f->rounds < t->rounds; f->rounds++)
        BN_TRY(read_round(&f->round[f->rounds], &t->round[f->rounds]));
done:
    bn_free(t);
    return rc;
}

/* ---- classes ---- */

static bonsai_status name_classes(bn_facts *f)
{
    bonsai_status rc;
    const bonsai_array *a = &f->small->view.section[BONSAI_SECTION_CLASS_NAMES];
    if (!a->data && f->full)
        a = &f->full->view.section[BONSAI_SECTION_CLASS_NAMES];
    const char *name = a->data;
    BN_TRY(BN_NEW(&f->class_name, f->classes));
    for (int64_t c = 0; c < f->classes; c++) {
        char number[32];
        snprintf(number, sizeof number, "class %lld", (long long)c);
        BN_TRY(bn_strdup(&f->class_name[c], name ? name : number));
        if (name)
            name += strlen(name) + 1;
    }
done:
    return rc;
}

static bonsai_status count_classes(bn_facts *f, const bonsai_graph *condensed)
{
    bonsai_status rc;
    const bonsai_array *weight = &f->small->view.section[BONSAI_SECTION_NODE_WEIGHTS];
    BN_TRY(BN_NEW(&f->class_small, f->classes));
    BN_TRY(BN_NEW(&f->class_weight, f->classes));
    for (int64_t v = 0; v < f->small->view.nodes; v++) {
        int32_t c = bn_label(f->small, v);
        if (c < 0)
            continue;
        f->class_small[c]++;
        f->class_weight[c] += weight->data ? (double)bn_real_at(weight, v) : 1;
    }
    if (!condensed)
        goto done;
    BN_TRY(BN_NEW(&f->class_full, f->classes));
    for (int64_t v = 0; v < condensed->view.nodes; v++)
        if (bn_part(condensed, v) == BONSAI_PART_TRAIN && bn_label(condensed, v) >= 0)
            f->class_full[bn_label(condensed, v)]++;
done:
    return rc;
}

/* Finds the class of most test nodes, the lowest of equals, and the score of always naming it. */
static bonsai_status find_largest(bn_facts *f, const bonsai_graph *g)
{
    bonsai_status rc;
    int64_t *count = NULL;
    BN_TRY(BN_NEW(&count, f->classes));
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_part(g, v) == BONSAI_PART_TEST && bn_label(g, v) >= 0)
            count[bn_label(g, v)]++;
    for (int64_t c = 0; c < f->classes; c++)
        if (count[c] > count[f->largest])
            f->largest = c;
    for (int m = 0; m < BONSAI_METRIC_COUNT; m++)
        f->idle[m] = bn_idle((bonsai_metric)m, count, f->classes, bn_rarer(g));
done:
    bn_free(count);
    return rc;
}

/* ---- the full graph ---- */

/* Finds the full graph with the split that was used and, if only its training part was read, that
 * part. */
static bonsai_status find_condensed(bonsai_graph **split, bonsai_graph **part, const bn_facts *f)
{
    bonsai_status rc;
    bn_judge_split parts = {.seed = f->made.o.seed};
    int32_t *train = NULL;
    int64_t count = 0;
    if (bn_has(f->full, BONSAI_SECTION_LABELS))
        BN_TRY(bn_judge_split_of(split, &parts, f->small, f->full));
    else
        rc = BONSAI_OK;
    if (!f->made.o.inductive)
        goto done;
    const bonsai_graph *g = *split ? *split : f->full;
    BN_TRY(BN_NEW(&train, g->view.nodes));
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_part(g, v) == BONSAI_PART_TRAIN)
            train[count++] = (int32_t)v;
    BN_TRY(bonsai_graph_induce(part, g, train, count));
done:
    bn_free(train);
    return rc;
}

/* Returns whether nodes were made: prototypes, or learned ones. */
static bool has_made(const bonsai_graph *g)
{
    const uint8_t *role = g->view.section[BONSAI_SECTION_ROLE].data;
    for (int64_t v = 0; role && v < g->view.nodes; v++)
        if (role[v] == BONSAI_ROLE_PROTOTYPE || role[v] == BONSAI_ROLE_LEARNED)
            return true;
    return false;
}

static bonsai_status make_map(bn_facts *f, const bonsai_graph *condensed, int threads,
                              bn_progress p)
{
    int layers = f->made.layers >= 0 ? f->made.layers : f->made.o.layers;
    return bn_map_make(f->map, f->small, condensed, layers, has_made(f->small),
                       &(bn_place){.threads = threads, .progress = p});
}

/* ---- the whole ---- */

static bonsai_status measure(bonsai_stats *stats, int64_t *bytes, const bonsai_graph *g,
                             int threads, bn_progress p)
{
    bonsai_status rc;
    bonsai_read_options read;
    bonsai_write_options write;
    bonsai_read_options_init(&read);
    bonsai_write_options_init(&write);
    read.threads = write.threads = threads;
    read.progress = p.fn;
    read.payload = p.payload;
    bonsai_stats_init(stats);
    BN_TRY(bonsai_graph_stats(stats, NULL, g, &read));
    BN_TRY(bonsai_graph_sections(NULL, bytes, BONSAI_SECTION_COUNT, g, &write));
done:
    return rc;
}

static bonsai_status read_small(bn_facts *f, int threads)
{
    bonsai_status rc;
    const bn_progress silent = {NULL, NULL};
    BN_TRY(bn_graph_need(f->small, BN_ALL_SECTIONS, threads));
    BN_TRY(bn_record_read(&f->made, f->small));
    f->method = f->made.known ? f->made.method : "unknown";
    f->classes = f->small->view.classes;
    if (f->classes > MOST_CLASSES) {    /* a header may say anything; tables have a row each */
        rc = bn_fail_at(BONSAI_E_ARGUMENT, f->small->where, "has %lld classes; a report shows at "
                        "most %d", (long long)f->classes, MOST_CLASSES);
        goto done;
    }
    BN_TRY(measure(&f->small_stats, f->small_bytes, f->small, threads, silent));
    BN_TRY(read_trace(f));
done:
    return rc;
}

static bonsai_status read_full(bn_facts *f, int threads, bn_progress p)
{
    bonsai_status rc;
    bonsai_graph *split = NULL, *part = NULL;
    int32_t *kept = NULL;
    BN_TRY(bn_graph_need(f->full, BN_ALL_SECTIONS, threads));
    BN_TRY(bn_compatible_check(&kept, f->small, f->full, BN_SAME_SOURCE, threads));
    BN_TRY(measure(&f->full_stats, f->full_bytes, f->full, threads, p));
    BN_TRY(find_condensed(&split, &part, f));
    const bonsai_graph *condensed = part ? part : split ? split : f->full;
    BN_TRY(count_classes(f, condensed));
    BN_TRY(find_largest(f, split ? split : f->full));
    BN_TRY(make_map(f, condensed, threads, p));
done:
    bn_free(kept);
    bonsai_graph_free(split);
    bonsai_graph_free(part);
    return rc;
}

bonsai_status bn_facts_gather(bn_facts *f, const bonsai_graph *small, const bonsai_graph *full,
                              int threads, bn_progress p)
{
    bonsai_status rc;
    memset(f, 0, sizeof *f);
    f->small = small;
    f->full = full;
    BN_TRY(read_small(f, threads));
    if (full)
        BN_TRY(read_full(f, threads, p));
    else
        BN_TRY(count_classes(f, NULL));
    BN_TRY(name_classes(f));
    if (f->made.known)
        BN_TRY(bn_facts_stand(f));
done:
    if (rc != BONSAI_OK)
        bn_facts_free(f);
    return rc;
}

void bn_facts_free(bn_facts *f)
{
    for (int64_t c = 0; c < f->classes && f->class_name; c++)
        bn_free(f->class_name[c]);
    bn_free(f->class_name);
    bn_free(f->class_small);
    bn_free(f->class_weight);
    bn_free(f->class_full);
    bn_free(f->coverage.at);
    for (int64_t i = 0; i < f->rounds; i++)
        bn_free(f->round[i].scores.at);
    bn_free(f->round);
    bn_map_free(f->map);
    bn_free(f->stand);
    bn_free(f->feature_text);
    memset(f, 0, sizeof *f);
}
