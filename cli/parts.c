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

typedef enum { OWN, ASKED, DRAWN_BEFORE, USUAL } source;

/* Whose split it is; percent and seed say what to draw, unless it is the graph's own. */
static source choose(session *s, const training *t, double percent[3], uint64_t *seed,
                     const bonsai_graph *full, const bonsai_graph *small)
{
    static const double usual[3] = {60, 20, 20};
    const bonsai_view *v = bonsai_graph_view(full);
    json_t *meta = small ? condensed_metadata(small) : NULL;
    int known = meta && fits(s, t, meta, full) && drawn_by_condense(percent, seed, meta);
    json_decref(meta);
    if (known && !t->split)
        return DRAWN_BEFORE;
    *seed = t->o.seed;
    memcpy(percent, t->split ? t->o.split : usual, sizeof usual);
    if (t->split)
        return ASKED;
    return v->section[BONSAI_SECTION_SPLIT].data || v->section[BONSAI_SECTION_ROLE].data ||
           !v->section[BONSAI_SECTION_LABELS].data ? OWN : USUAL;
}

static void note_split(session *s, const training *t, source from)
{
    const char *judge = t->full ? t->full : t->path;
    if (from == DRAWN_BEFORE)
        note(s, "%s was condensed with the split %s; %s is judged on the same", t->path, t->parts,
             t->full);
    if (from == USUAL)
        note(s, "%s has no split: 60/20/20 was drawn; bonsai split %s -o FILE --seed %llu draws "
             "the same", judge, judge, (unsigned long long)t->o.seed);
}

/* Labels of the small graph that are to be guessed on the large one make a guess easy. */
static void note_leaks(session *s, const training *t, const bonsai_graph *full,
                       const bonsai_graph *small)
{
    const bonsai_array *split = &bonsai_graph_view(full)->section[BONSAI_SECTION_SPLIT];
    const bonsai_array *ids = &bonsai_graph_view(small)->section[BONSAI_SECTION_ORIGIN];
    const uint8_t *part = split->data;
    const uint32_t *origin = ids->data;
    int64_t leaks = 0;
    for (int64_t v = 0; part && origin && v < ids->count; v++)
        leaks += bonsai_graph_label(small, v) >= 0 && origin[v] < split->count &&
                 (part[origin[v]] == BONSAI_PART_VAL || part[origin[v]] == BONSAI_PART_TEST);
    if (leaks)
        note(s, "%lld labelled nodes of %s are by their ids validation or test nodes of %s, and "
             "make the accuracy too high", (long long)leaks, t->path, t->full);
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
    const bonsai_view *v = bonsai_graph_view(*full);
    int all = v->section[BONSAI_SECTION_ROLE].data && !v->section[BONSAI_SECTION_SPLIT].data;
    snprintf(t->parts, sizeof t->parts, all ? "none, all are for training" : "the graph's own");
    source from = choose(s, t, percent, &seed, *full, small);
    if (from != OWN) {
        rc = bonsai_graph_split(&fresh, *full, percent, seed);
        if (rc != BONSAI_OK)
            return rc;
        bonsai_graph_free(*full);
        *full = fresh;
        memset(t->o.split, 0, sizeof t->o.split);
        say_split(t, percent, seed);
        note_split(s, t, from);
    }
    if (small)
        note_leaks(s, t, *full, small);
    return BONSAI_OK;
}
