/* candidate.h -- what prototypes.c tries: clusters of labelled rows, stored in some way.
 *
 *   clusters.c   nodes over classes, clusters, centroids
 *   sharpen.c    centroids moved to where their class differs from the others
 *   rows.c       which entries of the centroids are stored, in how many bits, and the bytes
 *   smallgraph.c the graph of some prototypes
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CANDIDATE_H
#define BN_CANDIDATE_H

#include "prototypes/kmeans/kmeans.h"
#include "prototypes.h"

/* ---- clusters (clusters.c) ---- */

typedef struct {                /* labelled rows that prototypes are made of; all borrowed */
    const bn_sharded *x;
    const bn_sharded *near;     /* where clusters are looked for: x, or x in fewer dimensions */
    const int32_t *label;       /* own rows: 0 .. classes-1 */
    const float   *posterior;   /* own rows x classes, or NULL: hard labels only */
    const float   *weights;     /* f x classes: of a linear classifier, or NULL: none is known */
    int64_t classes;
    const int64_t *have;        /* classes: rows on all ranks */
    int64_t live;               /* classes that have a row */
} bn_source;

typedef struct {                /* all of it the same on every rank, but cluster */
    int64_t  asked, count;      /* nodes asked for; clusters there are */
    int32_t *cluster;           /* own rows of the source: 0 .. count-1; -1: its class got none */
    int32_t *label;             /* count, ascending */
    int64_t *size;              /* count: members */
    int64_t  largest;           /* of size */
    bn_embedding centre;        /* count rows */
    float   *posterior;         /* count x classes: mean of the members'; NULL as the source's */
    float   *mean;              /* f: of all rows that are in a cluster */
} bn_clusters;

/* How many of `nodes` each class gets, by its share of the rows: at least one each, where there
 * is one for each, else one for each of the largest classes; never more than it has rows. */
bonsai_status bn_clusters_share(int64_t *want, const int64_t *have, int64_t classes, int64_t nodes);
/* Where clusters of the rows of x are looked for: x, or, where its rows are long, `low`, in fewer
 * dimensions, with what `room` knows of it; the caller frees both.  Collective. */
bonsai_status bn_clusters_near(const bn_sharded **near, bn_sharded *room, bn_embedding *low,
                               const bn_sharded *x);
/* At most `nodes` clusters, each of rows of one class; sharpened where the source has weights. */
bonsai_status bn_clusters_make(bn_clusters *out, const bn_source *s, int64_t nodes, uint64_t seed);
void bn_clusters_free(bn_clusters *c);
/* Moves each centroid along the classifier's weights of its class (f x classes), by a share of its
 * distance from the mean that falls with the clusters per class.  No entry changes its sign. */
bonsai_status bn_clusters_sharpen(bn_clusters *c, const float *weights, int64_t classes,
                                  int64_t live);
/* The member of each cluster, of all ranks, nearest to its centroid; the first of several. */
bonsai_status bn_clusters_nearest(int64_t *out, const bn_clusters *c, const bn_source *s);

/* ---- rows as they are stored (rows.c) ---- */

typedef struct {                /* how a graph of prototypes is stored */
    bonsai_accounting accounting;       /* STRICT or PAPER_CONDENSED */
    int64_t f, classes;
    bonsai_type type;           /* of the features: U8, I8 or F32 */
    bool    soft;               /* soft labels in 255ths */
    bool    loops;              /* a self loop each */
    int64_t largest;            /* weight; 0: all are the same and are not stored */
} bn_storage;

/* The bytes of n nodes with nnz entries, as bonsai_graph_bytes counts them. */
double bn_storage_bytes(const bn_storage *s, int64_t n, int64_t nnz);
/* The most nodes with `entries` each that fit, at least 0. */
int64_t bn_storage_nodes(const bn_storage *s, double bytes, int64_t entries);

/* The same to start from, `rows` being shared among them, as if all entries were stored. */
int64_t bn_storage_guess(bn_storage s, double bytes, int64_t rows, int64_t cap);

typedef struct {                /* which entries of each centroid are stored */
    int64_t *live;              /* rows: entries that the type does not round to zero */
    int64_t *keep;              /* rows: so many of them are stored */
    int64_t  nnz, all;          /* sums of keep and of live */
    int64_t  t;                 /* the least that a row which loses some keeps; 0: none does */
} bn_keep;

/* As many entries as fit: t of each row that has as many, one more of the heaviest rows.  With
 * false in *fits not even one of each does, and keep is one of each. */
bonsai_status bn_keep_most(bn_keep *out, bool *fits, const bn_clusters *c, const bn_storage *s,
                           double bytes, int threads);
void bn_keep_free(bn_keep *k);
/* Lays the kept entries of each centroid into the graph's feature sections. */
bonsai_status bn_rows_store(bonsai_graph *g, const bn_clusters *c, const bn_keep *k,
                            const bn_storage *s, int threads);
/* The rows of a graph as its readers will see them. */
bonsai_status bn_rows_read(bn_embedding *out, const bonsai_graph *g, bool dense);

/* ---- the graph (smallgraph.c) ---- */

/* Soft labels in 255ths: (1 - mix) of the class and mix of the posterior; each row sums to 255. */
void bn_soften(uint8_t *out, int32_t label, const float *posterior, int64_t classes, double mix);
/* The small graph without origins and members. */
bonsai_status bn_candidate_graph(bonsai_graph **out, const bn_clusters *c, const bn_keep *k,
                                 const bn_storage *s, double mix, const bn_job *job);
/* Adds origins and, where the job asks for them, members; the source is all training rows. */
bonsai_status bn_candidate_trace(bonsai_graph *g, const bn_clusters *c, const bn_source *s,
                                 const bn_job *job);

#endif
