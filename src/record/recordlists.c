/* recordlists.c -- reads the lists in the record of a condensed graph: the reasons of its nodes and
 * the trace of the choice of trees.  See record.c.
 *
 * SPDX-License-Identifier: MIT */
#include "record.h"

static bool is_count(const bn_json *v)
{
    return bn_json_is_whole(v) && bn_json_as_whole(v) >= 0;
}

bonsai_status bn_record_reasons(bool *known, int64_t *tree, int64_t *covers, double *score,
                                const bonsai_graph *small)
{
    bn_json *root;
    int64_t n = small->view.nodes;
    bonsai_status rc = bn_record_load(&root, small);
    const bn_json *why = bn_json_get(root, "why"), *list[3], *v;
    static const char *const key[3] = {"tree", "covers", "score"};
    for (int k = 0; k < 3; k++)
        list[k] = bn_json_get(why, key[k]);
    *known = bn_json_is_text(bn_json_get(root, "method")) &&
             bn_json_count(list[0]) == (size_t)n;
    for (size_t i = 0; i < (size_t)n; i++) {
        if (tree)
            tree[i] = is_count(v = bn_json_at(list[0], i)) ? bn_json_as_whole(v) : -1;
        if (covers)
            covers[i] = is_count(v = bn_json_at(list[1], i)) ? bn_json_as_whole(v) : 0;
        if (score)
            score[i] = bn_json_as_number(bn_json_at(list[2], i));
    }
    bn_json_free(root);
    return rc;
}

/* Reads the points of a curve up to the first wrong one. */
static void read_curve(bn_trace *t, const bn_json *curve)
{
    const bn_json *bytes = bn_json_get(curve, "bytes");
    const bn_json *covered = bn_json_get(curve, "covered");
    for (size_t i = 0; t->count < BN_TRACE_POINTS; i++) {
        const bn_json *x = bn_json_at(bytes, i), *y = bn_json_at(covered, i);
        if (!bn_json_is_number(x) || !is_count(y))
            return;
        t->point[t->count++] = (bn_trace_point){.bytes = bn_json_as_number(x),
                                                .covered = bn_json_as_whole(y)};
    }
}

static void read_count(int64_t *to, const bn_json *from, const char *key)
{
    const bn_json *v = bn_json_get(from, key);
    if (is_count(v))
        *to = bn_json_as_whole(v);
}

static void read_round(bn_trace_round *r, const bn_json *from)
{
    const bn_json *rank = bn_json_get(from, "rank"), *score = bn_json_get(from, "score");
    r->knee = -1;
    read_count(&r->number, from, "round");
    read_count(&r->nodes, from, "nodes");
    read_count(&r->knee, from, "knee");
    read_count(&r->pruned, from, "pruned");
    for (size_t i = 0; r->count < BN_TRACE_SCORES; i++) {
        const bn_json *x = bn_json_at(rank, i), *y = bn_json_at(score, i);
        if (!is_count(x) || !bn_json_is_number(y))
            return;
        r->rank[r->count] = bn_json_as_whole(x);
        r->score[r->count++] = bn_json_as_number(y);
    }
}

bonsai_status bn_record_trace(bn_trace **out, const bonsai_graph *small)
{
    bonsai_status rc;
    bn_json *root = NULL;
    bn_trace *t = NULL;
    BN_TRY(bn_record_load(&root, small));
    BN_TRY(BN_NEW(&t, 1));
    const bn_json *rounds = bn_json_get(root, "rounds");
    read_curve(t, bn_json_get(root, "curve"));
    for (; t->rounds < BN_TRACE_ROUNDS && (size_t)t->rounds < bn_json_count(rounds);
         t->rounds++) {
        t->round[t->rounds].number = t->rounds + 1;
        read_round(&t->round[t->rounds], bn_json_at(rounds, (size_t)t->rounds));
    }
done:
    *out = t;
    bn_json_free(root);
    return rc;
}
