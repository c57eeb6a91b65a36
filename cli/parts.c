/* parts.c -- which nodes train and which judge.
 *
 * A small graph must be judged on nodes that it was not made of.  Where condensing drew
 * the split, its report says how, and the same is drawn again; the labelled nodes of the
 * small graph are then looked up in the split, whatever it came from.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "cli.h"

/* The split that condensing drew of a graph of full's size; 0: it drew none, or of another. */
static int drawn_by_condense(double percent[3], uint64_t *seed, const json_t *meta)
{
    const json_t *options = json_object_get(meta, "options");
    const json_t *split = json_object_get(options, "split");
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        percent[i] = json_number_value(json_array_get(split, i));
        if (!(percent[i] >= 0 && percent[i] <= 100))
            return 0;
        sum += percent[i];
    }
    *seed = (uint64_t)json_integer_value(json_object_get(options, "seed"));
    return sum > 0 && sum <= 100 + 1e-9;
}

/* Whether full can be the graph that small was made of. */
static int fits(session *s, const training *t, const json_t *meta, const bonsai_graph *full)
{
    bonsai_condense_info i;
    int64_t nodes = bonsai_graph_nodes(full), edges = bonsai_graph_edges(full);
    condensed_info(&i, meta);
    if (i.full_nodes == nodes && i.full_edges == edges)
        return 1;
    note(s, "%s was condensed from a graph of %lld nodes and %lld edges, but %s has %lld and %lld",
         t->path, (long long)i.full_nodes, (long long)i.full_edges, t->full, (long long)nodes,
         (long long)edges);
    return i.full_nodes == nodes;
}

static void say_split(training *t, const double percent[3], uint64_t seed)
{
    snprintf(t->parts, sizeof t->parts, "%g/%g/%g, seed %llu", percent[0], percent[1], percent[2],
             (unsigned long long)seed);
}

/* 1: percent and seed say what to draw; 0: the graph's own split is used. */
static int choose(session *s, training *t, double percent[3], uint64_t *seed,
                  const bonsai_graph *full, const bonsai_graph *small)
{
    static const double usual[3] = {60, 20, 20};
    const bonsai_view *v = bonsai_graph_view(full);
    json_t *meta = small ? condensed_metadata(small) : NULL;
    int known = meta && fits(s, t, meta, full) && drawn_by_condense(percent, seed, meta);
    int draw = 1;
    json_decref(meta);
    if (t->split) {
        memcpy(percent, t->o.split, sizeof t->o.split);
        *seed = t->o.seed;
    } else if (known) {
        say_split(t, percent, *seed);
        note(s, "%s was condensed with the split %s; %s is judged on the same", t->path, t->parts,
             t->full);
    } else if (v->section[BONSAI_SPLIT].data) {
        draw = 0;
    } else if (v->section[BONSAI_ROLE].data) {
        note(s, "%s is a condensed graph: every node with a label is for training; bonsai eval "
             "judges it", t->full ? t->full : t->path);
        draw = 0;
    } else {
        memcpy(percent, usual, sizeof usual);
        *seed = t->o.seed;
        note(s, "%s has no split: 60/20/20 was drawn; bonsai split %s -o FILE --seed %llu draws "
             "the same", t->full ? t->full : t->path, t->full ? t->full : t->path,
             (unsigned long long)*seed);
    }
    return draw;
}

/* Labels of the small graph that are to be guessed on the large one make a guess easy. */
static void note_leaks(session *s, const training *t, const bonsai_graph *full,
                       const bonsai_graph *small)
{
    const bonsai_array *split = &bonsai_graph_view(full)->section[BONSAI_SPLIT];
    const bonsai_array *ids = &bonsai_graph_view(small)->section[BONSAI_ORIGIN];
    const uint8_t *part = split->data;
    const uint32_t *origin = ids->data;
    int64_t leaks = 0;
    for (int64_t v = 0; part && origin && v < ids->count; v++)
        leaks += bonsai_graph_label(small, v) >= 0 && origin[v] < split->count &&
                 (part[origin[v]] == BONSAI_VAL || part[origin[v]] == BONSAI_TEST);
    if (leaks)
        note(s, "%lld labelled nodes of %s are validation or test nodes of %s: the accuracy is too "
             "high", (long long)leaks, t->path, t->full);
}

bonsai_status training_parts(session *s, training *t, bonsai_graph **full,
                             const bonsai_graph *small)
{
    double percent[3] = {0, 0, 0};
    uint64_t seed = 0;
    bonsai_graph *fresh = NULL;
    bonsai_status rc = bonsai_graph_verify(*full);
    if (rc == BONSAI_OK && small)
        rc = bonsai_graph_verify(small);
    if (rc != BONSAI_OK)
        return rc;
    snprintf(t->parts, sizeof t->parts, "the graph's own");
    if (choose(s, t, percent, &seed, *full, small)) {
        rc = bonsai_graph_split(&fresh, *full, percent, seed);
        if (rc != BONSAI_OK)
            return rc;
        bonsai_graph_free(*full);
        *full = fresh;
        memset(t->o.split, 0, sizeof t->o.split);
        say_split(t, percent, seed);
    }
    if (small)
        note_leaks(s, t, *full, small);
    return BONSAI_OK;
}
