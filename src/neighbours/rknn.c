/* rknn.c -- reverses k-NN lists: for each row the samples that list it.
 *
 * A counting sort by row; samples are read in order, so each list ascends.  Linear in z k. Paper:
 * section 3.1.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "neighbours.h"

void bn_lists_free(bn_lists *l)
{
    bn_free(l->offsets);
    bn_free(l->item);
    memset(l, 0, sizeof *l);
}

bonsai_status bn_rknn(bn_lists *out, int64_t rows, const bn_sample *sample, const int32_t *list,
                      int k)
{
    bonsai_status rc;
    int64_t *next = NULL;
    memset(out, 0, sizeof *out);
    out->count = rows;
    BN_TRY(BN_NEW(&out->offsets, rows + 1));
    BN_TRY(BN_NEW(&out->item, sample->z * (k + 1)));
    BN_TRY(BN_NEW(&next, rows));
    for (int64_t s = 0; s < sample->z; s++) {
        out->offsets[sample->row[s] + 1]++;              /* a row lists itself */
        for (int j = 0; j < k; j++)
            out->offsets[list[s * k + j] + 1]++;
    }
    for (int64_t t = 0; t < rows; t++) {
        next[t] = out->offsets[t];
        out->offsets[t + 1] += out->offsets[t];
    }
    for (int64_t s = 0; s < sample->z; s++) {
        out->item[next[sample->row[s]]++] = (int32_t)s;
        for (int j = 0; j < k; j++)
            out->item[next[list[s * k + j]]++] = (int32_t)s;
    }
done:
    bn_free(next);
    if (rc != BONSAI_OK)
        bn_lists_free(out);
    return rc;
}
