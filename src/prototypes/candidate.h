/* candidate.h -- a candidate: clusters of labelled rows, the rows of prototypes, their storage.
 *
 *   clusters.c   nodes over classes, clusters
 *   centres.c    the rows of prototypes: means of members, mixed
 *   teachers.c   their soft labels
 *   storage.c    ways to store rows, and their bytes
 *   rows.c       which entries of the rows are stored
 *   smallgraph.c the graph of some prototypes
 *   origins.c    the nodes that they are most like
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CANDIDATE_H
#define BN_CANDIDATE_H

#include "prototypes/kmeans/kmeans.h"
#include "prototypes.h"

/* ---- clusters (clusters.c) ---- */

typedef struct {                /* labelled rows that prototypes are made of; all borrowed */
    const bn_sharded *view[BN_VIEWS];   /* of the same nodes */
    const bn_sharded *near;     /* where clusters are looked for: the far rows, or those in fewer
                                 * dimensions */
    const int32_t *node;        /* rows of all ranks: the node that each is of */
    const int32_t *label;       /* own rows: 0 .. classes-1, ... */
    const uint8_t *known;       /* ... of a training node: 1; else a guess; NULL: all are known */
    const float   *posterior;   /* own rows x classes, or NULL: hard labels only */
    int64_t classes;
    const int64_t *have;        /* classes: rows on all ranks */
    int64_t live;               /* classes that have a row */
} bn_source;

typedef struct {                /* all of it the same on every rank, but cluster */
    int64_t  asked, count;      /* nodes asked for; clusters there are */
    const bn_source *of;        /* borrowed */
    int32_t *cluster;           /* own rows of the source: 0 .. count-1; -1: its class got none */
    int32_t *label;             /* count, ascending */
    int64_t *size;              /* count: members */
    int64_t  largest;           /* of size */
    float   *posterior;         /* count x classes: mean of the members'; NULL as the source's */
    bn_embedding centre[BN_VIEWS];      /* count rows: means of the members, once asked for */
} bn_clusters;

/* Shares `nodes` among the classes by their rows: at least one each if there are enough, else
 * one for each of the largest classes; never more than a class has rows. */
bonsai_status bn_clusters_share(int64_t *want, const int64_t *have, int64_t classes, int64_t nodes);
/* Sets *near to the rows in which clusters of x are searched: x itself or, if its rows are long,
 * `low`, their projection on fewer dimensions, which `room` describes; the caller frees both.
 * Collective. */
bonsai_status bn_clusters_near(const bn_sharded **near, bn_sharded *room, bn_embedding *low,
                               const bn_sharded *x);
/* Makes at most `nodes` clusters, each of rows of one class. */
bonsai_status bn_clusters_make(bn_clusters *out, const bn_source *s, int64_t nodes, uint64_t seed);
void bn_clusters_free(bn_clusters *c);
/* Fills out with the member of each cluster, of all ranks, whose blended row is nearest to
 * the row of its prototype; the first of several.  Where labels are guesses: the training
 * node of its class. (origins.c) */
bonsai_status bn_clusters_nearest(int64_t *out, const bn_clusters *c, const bn_source *s,
                                  const bn_embedding *rows, const bn_blend *b);

/* ---- the rows of prototypes (centres.c) ---- */

typedef struct {
    bn_embedding x;             /* a row per cluster, then those of second nodes, if any */
    float   *mean;              /* f: of all of them, by size */
    const int64_t *size;        /* per cluster */
    int64_t  count;             /* clusters */
} bn_centres;

/* Makes the means that the kind asks for, on every rank. */
bonsai_status bn_clusters_average(bn_clusters *c, const bn_source *s, const bn_kind *kind);
/* Makes rows of those means. */
bonsai_status bn_centres_make(bn_centres *out, const bn_clusters *c, const bn_kind *kind,
                              int threads);
void bn_centres_free(bn_centres *m);
/* ---- rows as they are stored (storage.c, rows.c) ---- */

typedef struct {                /* how a graph of prototypes is stored */
    bonsai_accounting accounting;       /* STRICT or PAPER_CONDENSED */
    int64_t f, classes;
    bonsai_type type;           /* of the features: U8, I8 or F32 */
    bool    squares;            /* numbers are squares, which take four bits */
    bool    columns;            /* all rows have entries in the same columns, which are listed */
    bool    soft;               /* soft labels in 255ths */
    bool    pairs, alone, both; /* two nodes each; nodes without a self loop; one of either */
    int64_t largest;            /* weight; 0: all are the same and are not stored */
    int64_t directions, kept;   /* of a basis, and its columns; 0: rows have no basis */
} bn_storage;

/* Returns the nodes of n prototypes. */
static inline int64_t bn_storage_rows(const bn_storage *s, int64_t n)
{
    return s->pairs || s->both ? 2 * n : n;
}
/* Returns the bytes of n prototypes with `stored` entries in all, or columns: no less than
 * bonsai_graph_bytes counts. */
double bn_storage_bytes(const bn_storage *s, int64_t n, int64_t stored);
/* Returns the most prototypes with `entries` in each row that fit, at least 0. */
int64_t bn_storage_most(const bn_storage *s, double bytes, int64_t entries);

typedef struct {                /* which entries of each row are stored */
    int64_t *live;              /* rows: entries that the type does not round to zero */
    int64_t *keep;              /* rows: how many of them are stored, ... */
    int32_t *column;            /* ... those in these columns, ascending; NULL: the first ones */
    int64_t  columns;
    int64_t  nnz, all;          /* sums of keep and of live */
    int64_t  t;                 /* the least that a row which loses some keeps, or the columns;
                                 * 0: none does */
} bn_keep;

/* Keeps as many entries as fit: t of each row that has as many, one more of the heaviest
 * rows; or as many columns as fit, those in which rows differ most.  *fits: whether at least
 * one does. */
bonsai_status bn_keep_most(bn_keep *out, bool *fits, const bn_centres *m, const bn_storage *s,
                           double bytes, int threads);
void bn_keep_free(bn_keep *k);
/* Makes the list of the `count` columns of f with the highest rate, ascending. */
bonsai_status bn_columns_pick(int32_t **out, int64_t count, const double *rate, int64_t f);
/* Lays the kept entries of each row into the graph's feature sections. */
bonsai_status bn_rows_store(bonsai_graph *g, const bn_centres *m, const bn_keep *k,
                            const bn_storage *s, int threads);

/* ---- the graph (smallgraph.c) ---- */

/* Fills soft labels in 255ths: (1 - mix) of the class and mix of the posterior; each row sums
 * to 255. */
void bn_soften(uint8_t *out, int32_t label, const float *posterior, int64_t classes, double mix);

typedef struct {                /* all that a small graph is made of */
    const bn_clusters *c;
    const bn_centres *m;
    const bn_keep *keep;
    const bn_storage *storage;
    double mix;                 /* of posteriors in soft labels, beside the class */
    const float *taught;        /* a teacher's labels of all labelled nodes instead; or NULL */
    const struct bn_basis *basis;       /* of rows that are mixtures, in place of m and keep, ... */
    const struct bn_shares *shares;     /* ... and how much of each; NULL: they are not */
    bool bare;                  /* the basis has no direction along the mean row */
} bn_plan;

/* Makes a graph of nodes that do not exist in full, with what they take over from it: classes and
 * features, their names and units.  Edges, rows and labels are to be put in. */
bonsai_status bn_made_graph(bonsai_graph **out, const bonsai_graph *full, int64_t nodes);
typedef enum {                  /* the features of a small graph: */
    BN_COMPACT_NOT,             /* those of the full graph, */
    BN_COMPACT_SHARES,          /* shares of the directions of a basis, */
    BN_COMPACT_STRAIGHT,        /* coordinates at right angles, */
    BN_COMPACT_JUDGED           /* the same without the one along the mean row, as a mold judges */
} bn_compact;
/* Makes the small graph without origins and members. */
bonsai_status bn_candidate_graph(bonsai_graph **out, const bn_plan *plan, bn_compact form,
                                 const bn_job *job);
/* Adds origins and, where the job asks for them, members; the source is all rows, in the
 * coordinates of the basis where there is one. */
bonsai_status bn_candidate_trace(bonsai_graph *g, const bn_clusters *c, const bn_source *s,
                                 const bn_kind *kind, const struct bn_basis *basis,
                                 const bn_job *job);

#endif
