/* induce.c -- makes the small graph of a choice from the parts of all ranks.
 *
 * All ranks get the chosen nodes, induce their part of them, and send it to rank 0, section by
 * section; rank 0 joins the parts to the graph that one rank would have made.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "condense.h"

typedef struct {
    bn_world *w;
    bonsai_graph *part;         /* of this rank; in the end, on rank 0, the whole */
    int32_t *nodes;             /* all that were chosen */
    int64_t  count;
    int64_t *rows;              /* ranks: how many of them each has */
    int64_t *in, *out;          /* ranks: bytes */
    char    *all;               /* rank 0: a section of all ranks */
} joining;

static void free_joining(joining *j)
{
    bonsai_graph_free(j->part);
    bn_free(j->nodes);
    bn_free(j->rows);
    bn_free(j->in);
    bn_free(j->out);
    bn_free(j->all);
}

static bonsai_status make_room(joining *j, int64_t count)
{
    bonsai_status rc;
    int ranks = bn_ranks(j->w);
    j->count = count;
    BN_TRY(BN_NEW(&j->nodes, count));
    BN_TRY(BN_NEW(&j->rows, ranks));
    BN_TRY(BN_NEW(&j->in, ranks));
    BN_TRY(BN_NEW(&j->out, ranks));
done:
    return rc;
}

static bonsai_status share_nodes(joining *j, const int32_t *nodes, int64_t count)
{
    bonsai_status rc;
    BN_TRY(bn_share(j->w, &count, sizeof count, 0));
    BN_TRY(bn_agree(j->w, make_room(j, count)));
    if (bn_rank(j->w) == 0 && count > 0)
        memcpy(j->nodes, nodes, (size_t)count * sizeof *nodes);
    BN_TRY(bn_share(j->w, j->nodes, count * (int64_t)sizeof *j->nodes, 0));
done:
    return rc;
}

static bonsai_status induce_own(joining *j, const bn_job *job)
{
    int64_t begin = 0, end = 0, at = 0;
    for (int r = 0; r < bn_ranks(j->w); r++) {
        int64_t from = at;
        while (at < j->count && j->nodes[at] < job->at.first[r + 1])
            at++;
        j->rows[r] = at - from;
        if (r == bn_rank(j->w)) {
            begin = from;
            end = at;
        }
    }
    return bn_graph_induce_part(&j->part, job->g, j->nodes, j->count, begin, end);
}

/* Returns whether a section has offsets: those of a part begin with 0, the end of the part
 * before. */
static bool has_offsets(int section)
{
    return section == BONSAI_SECTION_OFFSETS || section == BONSAI_SECTION_FEATURE_OFFSETS ||
           section == BONSAI_SECTION_MEMBER_OFFSETS;
}

static void shift_offsets(uint64_t *offset, const joining *j)
{
    for (int r = 0; r < bn_ranks(j->w); r++) {
        for (int64_t i = 1; i <= j->rows[r]; i++)
            offset[i] += offset[0];
        offset += j->rows[r];
    }
}

/* Finds the bytes that each rank sends to rank 0; *total gets the elements that rank 0 receives. */
static bonsai_status measure(int64_t *total, joining *j, int64_t mine, int64_t width)
{
    int ranks = bn_ranks(j->w);
    bonsai_status rc = bn_gather_int(j->w, j->in, mine);
    *total = 0;
    memset(j->out, 0, (size_t)ranks * sizeof *j->out);
    j->out[0] = mine * width;
    for (int r = 0; r < ranks; r++) {
        *total += j->in[r];
        j->in[r] = bn_rank(j->w) == 0 ? j->in[r] * width : 0;
    }
    return rc;
}

static bonsai_status join_section(joining *j, int section)
{
    bonsai_status rc;
    bonsai_array *a = &j->part->view.section[section];
    int64_t width = (int64_t)bonsai_type_bytes(a->type), skip = has_offsets(section) ? 1 : 0, total;
    BN_TRY(measure(&total, j, a->count - skip, width));
    if (bn_rank(j->w) == 0)
        rc = BN_NEW(&j->all, (total + skip) * width);
    BN_TRY(bn_agree(j->w, rc));
    BN_TRY(bn_exchange(j->w, bn_rank(j->w) == 0 ? j->all + skip * width : NULL, j->in,
                       (const char *)a->data + skip * width, j->out));
    if (bn_rank(j->w) > 0)
        goto done;
    if (skip)
        shift_offsets((uint64_t *)j->all, j);
    bn_free(j->part->owned[section]);
    j->part->owned[section] = j->all;
    *a = (bonsai_array){j->all, total + skip, a->type};
    j->all = NULL;
done:
    return rc;
}

bonsai_status bn_induce(bonsai_graph **out, const bn_job *job, const int32_t *nodes, int64_t count)
{
    bonsai_status rc;
    joining j = {.w = job->at.world};
    *out = NULL;
    if (bn_ranks(j.w) == 1)
        return bonsai_graph_induce(out, job->g, nodes, count);
    BN_TRY(share_nodes(&j, nodes, count));
    BN_TRY(bn_agree(j.w, induce_own(&j, job)));
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        if (j.part->owned[s])
            BN_TRY(join_section(&j, s));
    if (bn_rank(j.w) == 0) {
        j.part->view.nodes = j.count;
        rc = bn_graph_detach(j.part);
        if (rc == BONSAI_OK)
            rc = bonsai_graph_verify(j.part);
    }
    BN_TRY(bn_agree(j.w, rc));
    if (bn_rank(j.w) == 0) {
        *out = j.part;
        j.part = NULL;
    }
done:
    free_joining(&j);
    return rc;
}
