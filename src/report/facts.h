/* facts.h -- everything that a report shows, gathered once and drawn by others.
 *
 * Sizes and distributions are counted here; what the small graph says about itself is its record,
 * and the map comes from the studies.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_FACTS_H
#define BN_FACTS_H

#include "record/record.h"
#include "record/distinctive.h"
#include "study/map.h"

typedef struct {                /* at most 200 points, x ascending */
    int64_t  count;
    bn_spot *at;
} bn_curve;

typedef struct {                /* one round of pruning */
    bn_curve scores;            /* PageRank (y) by rank (x from 0), descending */
    int64_t  nodes, knee;       /* nodes ranked; rank of the knee, -1: none */
    int64_t  pruned;            /* nodes that went; 0 in the last one: that was too few to go on */
    int64_t  number;            /* from 1; those between the first ones and the last are left out */
} bn_prune;

enum { BN_MOST_STANDS = 40 };

typedef enum {                  /* what the weights of nodes count */
    BN_STANDS_ALONE, BN_STANDS_LOSS, BN_STANDS_MEMBERS, BN_STANDS_COVERED
} bn_standing;

enum { BN_STRONGEST = 4 };

typedef struct {
    int64_t feature;            /* of the small graph; -1: none, and none after it */
    double  value, mean;        /* of the node, and of those that it is compared with */
} bn_strong;

typedef struct {                /* a node that stands for training nodes */
    int64_t node;
    int32_t label;
    double  weight;             /* as in bn_stands_for */
    int64_t members;            /* -1: not stored */
    bn_strong strong[BN_STRONGEST];
} bn_stand;

typedef struct {
    const bonsai_graph *small, *full;   /* full may be NULL */
    bn_record   made;           /* what the small graph says about its making */
    const char *method;         /* "unknown": the graph does not say */
    int64_t classes;
    char  **class_name;         /* classes; "class 3" where the graph has no names */
    double *class_small;        /* labelled nodes of each class, ... */
    double *class_weight;       /* ... by their weights, ... */
    double *class_full;         /* ... and training nodes of the full graph; NULL: not known */
    int64_t largest;            /* the class of most test nodes of the full graph, ... */
    double  idle[BONSAI_METRIC_COUNT];  /* ... and what always naming it gets; -1: not known */
    bonsai_stats small_stats, full_stats;       /* degrees; full: size 0 where not known */
    int64_t small_bytes[BONSAI_SECTION_COUNT];
    int64_t full_bytes[BONSAI_SECTION_COUNT];   /* 0 where not known */
    bn_curve coverage;          /* share of the sample that the roots cover (y) by the bytes of what
                                 * is left of their trees (x), in the order in which they were
                                 * taken, in the accounting of the budget; trees only */
    int64_t  rounds;
    bn_prune *round;
    bn_map  map[BN_MAPS];
    int64_t stands, all_stands; /* those that are shown, by class, and all there are */
    bn_stand *stand;            /* all_stands, of which the first are shown */
    double  stand_share;        /* of all weight that these have */
    bn_standing standing;
    double  stood;              /* nodes that all of them stand for; 0: not known */
    int64_t feature_names;      /* names of features that were given: a section's text, or NULL */
    char   *feature_text;
} bn_facts;

/* Gathers the facts.  Fails if numbers of the full graph show that it is not the one that was
 * condensed. */
bonsai_status bn_facts_gather(bn_facts *f, const bonsai_graph *small, const bonsai_graph *full,
                              int threads, bn_progress p);
void bn_facts_free(bn_facts *f);
/* Fill parts of the facts (representatives.c): the nodes that stand for others; given names of
 * features, one a line, which replace the graphs' own. */
bonsai_status bn_facts_stand(bn_facts *f);
bonsai_status bn_facts_name_features(bn_facts *f, const char *text);
/* Returns the name of a feature of the small graph, or NULL, and sets its number in the full
 * graph. */
const char *bn_facts_feature(int64_t *number, const bn_facts *f, int64_t feature);

#endif
