/* report.c -- the report in a condensed graph's metadata, as JSON.
 *
 * SPDX-License-Identifier: MIT */
#include "report.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

void bn_info_copy(bonsai_condense_info *to, const bonsai_condense_info *from)
{
    size_t size = to->size;
    memcpy(to, from, size < sizeof *from ? size : sizeof *from);
    to->size = size;
}

int64_t bn_peak_rss(void)
{
    struct rusage use;
    return getrusage(RUSAGE_SELF, &use) == 0 ? (int64_t)use.ru_maxrss * 1024 : 0;
}

static bonsai_status add_to_crc(const void *data, int64_t len, void *payload)
{
    uint32_t *crc = payload;
    *crc = bn_crc32(*crc, data, len);
    return BONSAI_OK;
}

/* CRC-32 of the counted sections in their smallest encoding, one after the other: the
 * same graph has the same number in any format. */
static bonsai_status graph_crc(uint32_t *crc, const bonsai_graph *g)
{
    bonsai_status rc;
    bn_plan p;
    *crc = 0;
    BN_TRY(bn_plan_make(&p, g, BONSAI_ENCODE_AUTO, 0));
#define EMIT(name, id, text, counted) \
    if ((counted) && p.type[id] != BONSAI_NONE) \
        BN_TRY(bn_plan_emit(&p, g, BONSAI_##name, add_to_crc, crc));
    BONSAI_SECTION_MAP(EMIT)
#undef EMIT
done:
    return rc;
}

static json_t *options_json(const bonsai_condense_options *o)
{
    return json_pack("{s:f,s:I,s:I,s:I,s:s,s:i,s:i,s:I,s:f,s:f,s:b,s:b,s:b,s:I,s:f,s:f,s:f,s:f,s:b,"
                     "s:b,s:b,s:b,s:i,s:[fff],s:I}",
                     "ratio", o->ratio, "bytes", (json_int_t)o->bytes, "nodes", (json_int_t)o->nodes,
                     "trees", (json_int_t)o->trees,
                     "accounting", o->accounting == BONSAI_STRICT ? "strict" : "paper",
                     "layers", o->layers, "k", o->k, "sample", (json_int_t)o->sample,
                     "theta", o->theta, "delta", o->delta, "density", o->density,
                     "no_rknn", o->no_rknn, "no_ppr", o->no_ppr,
                     "patience", (json_int_t)o->patience, "beta", o->beta,
                     "prune_share", o->prune_share, "min_pruned", o->min_pruned,
                     "oversample", o->oversample, "match_classes", o->match_classes,
                     "select_features", o->select_features, "inductive", o->inductive,
                     "raw_features", o->raw_features, "project", o->project,
                     "split", o->split[0], o->split[1], o->split[2], "seed", (json_int_t)o->seed);
}

static json_t *sizes_json(const bonsai_condense_info *i)
{
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:f,s:f}",
                     "nodes", (json_int_t)i->nodes, "edges", (json_int_t)i->edges,
                     "labelled", (json_int_t)i->labelled, "roots", (json_int_t)i->roots,
                     "full_nodes", (json_int_t)i->full_nodes, "full_edges", (json_int_t)i->full_edges,
                     "full_labelled", (json_int_t)i->full_labelled,
                     "bytes", i->bytes, "full_bytes", i->full_bytes, "ratio", i->ratio,
                     "paper_bytes", i->paper_bytes, "paper_full_bytes", i->paper_full_bytes,
                     "paper_ratio", i->paper_ratio);
}

static json_t *cover_json(const bonsai_condense_info *i)
{
    return json_pack("{s:I,s:I,s:f,s:f,s:f,s:f,s:I,s:i,s:i}",
                     "trees", (json_int_t)i->trees, "sample", (json_int_t)i->sample,
                     "coverage", i->coverage, "coverage_check", i->coverage_check,
                     "coverage_bound", i->coverage_bound, "recall", i->recall,
                     "rechecks", (json_int_t)i->rechecks, "rounds", i->rounds,
                     "shallow_classes", i->shallow_classes);
}

/* Why each node is there: root of its tree, samples covered, PageRank score. */
static json_t *nodes_json(const bn_choice *c, const bonsai_graph *small)
{
    const uint32_t *origin = small->view.section[BONSAI_ORIGIN].data;
    json_t *tree = json_array(), *covers = json_array(), *score = json_array();
    for (int64_t i = 0, r = 0; i < c->count; i++) {
        while (r + 1 < c->count && c->node[r] < c->tree[i])
            r++;
        while (r > 0 && c->node[r] > c->tree[i])
            r--;
        json_array_append_new(tree, json_integer(c->node[r] == c->tree[i] ? (json_int_t)origin[r] : -1));
        json_array_append_new(covers, json_integer(c->covers[i]));
        json_array_append_new(score, json_real((double)c->score[i]));
    }
    return json_pack("{s:o,s:o,s:o}", "tree", tree, "covers", covers, "score", score);
}

bonsai_status bn_report_attach(bonsai_graph *small, const bonsai_condense_info *i,
                               const bonsai_condense_options *o, const bn_choice *c,
                               const bonsai_graph *full)
{
    bonsai_status rc;
    uint32_t crc;
    char hex[16], *text = NULL;
    uint8_t *to;
    json_t *root = NULL;
    BN_TRY(graph_crc(&crc, full));
    snprintf(hex, sizeof hex, "%08x", (unsigned)crc);
    root = json_pack("{s:s,s:s,s:s,s:o,s:o,s:o,s:o}", "bonsai", BONSAI_VERSION,
                     "method", bonsai_method_name(i->method), "input_crc32", hex,
                     "options", options_json(o), "sizes", sizes_json(i), "cover", cover_json(i),
                     "why", nodes_json(c, small));
    text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    if (!text) {
        rc = bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the report");
        goto done;
    }
    BN_TRY(bn_graph_array(&to, small, BONSAI_METADATA, BONSAI_U8, (int64_t)strlen(text)));
    memcpy(to, text, strlen(text));
done:
    json_decref(root);
    free(text);
    return rc;
}
