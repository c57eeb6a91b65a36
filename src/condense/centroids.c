/* centroids.c -- the means of clusters, and rows in the order of their clusters.
 *
 * A mean is summed in double by one thread, over its rows in order.  Sparse ones are made twice,
 * first to count their entries.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "kmeans.h"
#include "prototypes.h"

bonsai_status bn_groups_new(bn_groups *g, int64_t count, int64_t k)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&g->first, k + 2));
    BN_TRY(BN_NEW(&g->at, count));
done:
    return rc;
}

void bn_groups_free(bn_groups *g)
{
    bn_free(g->first);
    bn_free(g->at);
}

void bn_groups_fill(bn_groups *g, const int64_t *rows, const int32_t *cluster, int64_t count,
                    int64_t k)
{
    g->k = k;
    memset(g->first, 0, (size_t)(k + 2) * sizeof *g->first);
    int64_t *next = g->first + 1;       /* one behind: where it ends, it is the next one's start */
    for (int64_t i = 0; i < count; i++)
        if (cluster[i] >= 0)
            next[cluster[i] + 1]++;
    for (int64_t c = 0; c < k; c++)
        next[c + 1] += next[c];
    for (int64_t i = 0; i < count; i++)
        if (cluster[i] >= 0)
            g->at[next[cluster[i]]++] = rows ? rows[i] : i;
}

/* The mean of a cluster into sum (f); 0 where nothing has a weight. */
static void weighted_mean(double *sum, const bn_embedding *e, const bn_groups *g, int64_t c,
                          const float *weight)
{
    double total = 0;
    memset(sum, 0, (size_t)e->f * sizeof *sum);
    for (int64_t i = g->first[c]; i < g->first[c + 1]; i++) {
        double w = weight ? (double)weight[g->at[i]] : 1;
        bn_row_add(sum, e, g->at[i], w);
        total += w;
    }
    for (int64_t j = 0; total > 0 && j < e->f; j++)
        sum[j] /= total;
}

/* Writes the means: dense ones, or the entries of sparse ones, which are first counted: then
 * offsets[c+1] gets the number of cluster c. */
static void write_means(bn_embedding *out, const bn_embedding *e, const bn_groups *g,
                        const float *weight, double *room, int lanes)
{
#pragma omp parallel for num_threads(lanes) schedule(static)
    for (int lane = 0; lane < lanes; lane++)
        for (int64_t c = lane; c < g->k; c += lanes) {
            double *sum = room + lane * e->f;
            weighted_mean(sum, e, g, c, weight);
            int64_t at = out->index ? out->offsets[c] : 0;
            for (int64_t j = 0; j < e->f; j++) {
                float v = (float)sum[j];
                if (out->dense)
                    out->dense[c * e->f + j] = v;
                else if (v != 0.0f) {
                    if (out->index) {
                        out->index[at] = (int32_t)j;
                        out->value[at] = v;
                    }
                    at++;
                }
            }
            if (!out->dense && !out->index)
                out->offsets[c + 1] = at;
        }
}

bonsai_status bn_centroids(bn_embedding *out, const bn_embedding *e, const int32_t *cluster,
                           int64_t k, const float *weight, int threads)
{
    bonsai_status rc;
    bn_groups g = {0};
    double *room = NULL;
    int lanes = bn_team(bn_threads(threads), k);
    memset(out, 0, sizeof *out);
    out->rows = k;
    out->f = e->f;
    BN_TRY(bn_groups_new(&g, e->rows, k));
    BN_TRY(BN_NEW(&room, lanes * e->f));
    bn_groups_fill(&g, NULL, cluster, e->rows, k);
    if (e->dense)
        BN_TRY(BN_BIG(&out->dense, NULL, k * e->f));
    else
        BN_TRY(BN_BIG(&out->offsets, NULL, k + 1));
    write_means(out, e, &g, weight, room, lanes);
    if (!e->dense) {
        for (int64_t c = 0; c < k; c++)
            out->offsets[c + 1] += out->offsets[c];
        BN_TRY(BN_BIG(&out->index, NULL, out->offsets[k]));
        BN_TRY(BN_BIG(&out->value, NULL, out->offsets[k]));
        write_means(out, e, &g, weight, room, lanes);
    }
done:
    bn_groups_free(&g);
    bn_free(room);
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}
