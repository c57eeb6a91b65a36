/* prototypes.h -- synthetic nodes: clusters of embeddings, their labels, and how they are stored.
 *
 *   kmeans.c     class-wise clusters; kmeans_deep.c: of clusters, where there are many
 *   probe.c      ridge regression in closed form: the judge of candidates, and posteriors
 *   prototypes.c the candidates under a budget, the search among them, the graph of the best
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PROTOTYPES_H
#define BN_PROTOTYPES_H

#include "spread.h"

/* ---- clusters (kmeans.c) ---- */

/* k-means of the rows[0 .. count-1] of e: k-means++ seeding, Lloyd to convergence or `rounds`,
 * products by BLAS in blocks of fixed size, empty clusters repaired, ties to the lower
 * cluster; mini-batches where count is large.  cluster[i] gets 0 .. *found-1; *found is at most k
 * and no cluster is empty (fewer than k where rows repeat).  Sparse rows stay sparse.  The same
 * bits for any number of threads. */
bonsai_status bn_kmeans(int32_t *cluster, int64_t *found, const bn_embedding *e,
                        const int64_t *rows, int64_t count, int64_t k, int rounds, uint64_t seed,
                        int threads, bn_progress p);
/* The same over ranks: of rows of s that each rank has, numbered as its own; cluster is theirs.
 * The same clusters whoever has which rows. */
bonsai_status bn_kmeans_over(int32_t *cluster, int64_t *found, const bn_spread *s,
                             const int64_t *rows, int64_t count, int64_t k, int rounds,
                             uint64_t seed, int threads, bn_progress p);
/* The same, of clusters of clusters where k and count are large: linear in the rows times the root
 * of k. */
bonsai_status bn_kmeans_deep(int32_t *cluster, int64_t *found, const bn_embedding *e,
                             const int64_t *rows, int64_t count, int64_t k, int rounds,
                             uint64_t seed, int threads, bn_progress p);
bonsai_status bn_kmeans_deep_over(int32_t *cluster, int64_t *found, const bn_spread *s,
                                  const int64_t *rows, int64_t count, int64_t k, int rounds,
                                  uint64_t seed, int threads, bn_progress p);
/* The mean of the rows of each cluster 0 .. k-1 (cluster[r] for row r of e, -1: in none), each row
 * with the weight given (NULL: 1), which is 0 or more; sparse rows give sparse means. */
bonsai_status bn_centroids(bn_embedding *out, const bn_embedding *e, const int32_t *cluster,
                           int64_t k, const float *weight, int threads);
/* The same over ranks, each of which gets all means. */
bonsai_status bn_centroids_over(bn_embedding *out, const bn_spread *s, const int32_t *cluster,
                                int64_t k, const float *weight, int threads);

/* ---- the probe (probe.c) ---- */

typedef struct {                /* labelled points in the space of embeddings */
    const bn_embedding *x;
    const float *target;        /* rows x classes: soft labels, each row sums to 1 */
    const float *weight;        /* rows, above 0 */
} bn_points;

typedef struct bn_probe bn_probe;

/* Judges on the rows of `judge`, whose labels are 0 .. classes-1; both are borrowed. */
bonsai_status bn_probe_new(bn_probe **out, const bn_embedding *judge, const int32_t *label,
                           int64_t classes, int threads);
void bn_probe_free(bn_probe *p);
/* The percentage of judged rows that weighted ridge regression from the points classifies right,
 * by the best of a few regularisations, which *lambda gets.  Primal or dual, whichever is
 * smaller; the same bits for any number of threads. */
bonsai_status bn_probe_score(double *percent, double *lambda, bn_probe *p, const bn_points *points);
/* posterior (rows x classes) = softmax of `sharpness` times the scores of a ridge classifier with
 * +-1 targets, fitted on the rows of e with their labels; weights (f x classes, or NULL) gets its
 * weights. */
bonsai_status bn_posterior(float *posterior, float *weights, const bn_embedding *e,
                           const int32_t *label, int64_t classes, double sharpness, int threads,
                           bn_progress p);
/* The same over ranks: posterior and label are of the rank's own rows, the weights of all. */
bonsai_status bn_posterior_over(float *posterior, float *weights, const bn_spread *s,
                                const int32_t *label, int64_t classes, double sharpness,
                                int threads, bn_progress p);

/* ---- the method (prototypes.c) ---- */

typedef struct {                /* what was chosen, for the report */
    int64_t nodes, t;           /* t: entries kept of a row; 0: all */
    bonsai_type type;           /* of the stored values: U8, I8, F16, F32 */
    int     soft, weighted;     /* whether labels are soft, and nodes weighted */
    int     layers;             /* rounds of averaging in the features */
    double  probe, lambda;      /* its score in percent on `judged` validation nodes */
    int64_t judged, candidates; /* how many candidates were scored */
    double  seconds_cluster, seconds_probe;
} bn_recipe;

/* The small graph of prototypes that scores best under the budget.  It has self loops, labels,
 * roles, origins (the member nearest to the centroid), members where job->o->members asks,
 * and soft labels and weights where they pay. */
bonsai_status bn_prototypes(bonsai_graph **out, bn_recipe *r, const bn_job *job,
                            const bn_budget *budget);

#endif
