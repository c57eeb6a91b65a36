/* record.c -- writes and reads the record of a condensed graph: JSON in its metadata.
 *
 * Only fact.h and recordlists.c have keys of it, too.  Metadata may come from anywhere: missing or
 * wrong values are unknown.
 *
 * SPDX-License-Identifier: MIT */
#include "record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/fields.h"

/* ---- writing ---- */

/* Returns the place of a node in the choice, or -1. */
static int64_t place_of(const bn_choice *c, int32_t node)
{
    int64_t low = 0, high = c->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (c->node[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->count && c->node[low] == node ? low : -1;
}

/* Returns the reasons for all nodes: the original id of the root of the tree (-1: dropped), samples
 * covered, PageRank score. */
static bn_json *nodes_json(const bn_choice *c, const bonsai_graph *small)
{
    const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
    bn_json *tree = bn_json_array(), *covers = bn_json_array(), *score = bn_json_array();
    for (int64_t i = 0; i < c->count; i++) {
        int64_t root = place_of(c, c->tree[i]);
        bool here = root >= 0 && c->role[root] == BONSAI_ROLE_ROOT;
        bn_json_add(tree, bn_json_whole(here ? (int64_t)origin[root] : -1));
        bn_json_add(covers, bn_json_whole(c->covers[i]));
        bn_json_add(score, bn_json_real((double)c->score[i]));
    }
    return bn_json_pack("{s:o,s:o,s:o}", "tree", tree, "covers", covers, "score", score);
}

static bn_json *curve_json(const bn_trace *t)
{
    bn_json *bytes = bn_json_array(), *covered = bn_json_array();
    for (int64_t i = 0; i < t->count; i++) {
        bn_json_add(bytes, bn_bytes_json(t->point[i].bytes));
        bn_json_add(covered, bn_json_whole((int64_t)t->point[i].covered));
    }
    return bn_json_pack("{s:o,s:o}", "bytes", bytes, "covered", covered);
}

/* Rounds to four digits, enough for a drawing. */
static double rounded(double v)
{
    char text[32];
    const char *at = text;
    int length = bn_print(text, sizeof text, "%.4g", v);
    bn_parse_real(&at, text + length, &v);
    return v;
}

static bn_json *round_json(const bn_trace_round *r)
{
    bn_json *rank = bn_json_array(), *score = bn_json_array();
    for (int64_t i = 0; i < r->count; i++) {
        bn_json_add(rank, bn_json_whole((int64_t)r->rank[i]));
        bn_json_add(score, bn_json_real(rounded(r->score[i])));
    }
    return bn_json_pack("{s:I,s:I,s:I,s:I,s:o,s:o}", "round", (int64_t)r->number,
                        "nodes", (int64_t)r->nodes, "knee", (int64_t)r->knee,
                        "pruned", (int64_t)r->pruned, "rank", rank, "score", score);
}

static void add_trace(bn_json *root, const bn_trace *t)
{
    bn_json *rounds = bn_json_array();
    for (int64_t i = 0; i < t->rounds; i++)
        bn_json_add(rounds, round_json(&t->round[i]));
    bn_json_set(root, "curve", curve_json(t));
    bn_json_set(root, "rounds", rounds);
}

/* Stores the record in the metadata; frees root. */
static bonsai_status store(bonsai_graph *small, bn_json *root)
{
    bonsai_status rc;
    uint8_t *to;
    char *text = bn_json_print(root, 0, 9);
    if (!text) {
        rc = bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the report");
        goto done;
    }
    BN_TRY(bn_graph_array(&to, small, BONSAI_SECTION_METADATA, BONSAI_TYPE_U8,
                          (int64_t)strlen(text)));
    memcpy(to, text, strlen(text));
done:
    bn_json_free(root);
    bn_json_drop(text);
    return rc;
}

/* Adds the metric of the probe and the score of an idle classifier to the judge's facts, unless the
 * metric is accuracy and the score well above that one; returns root. */
static bn_json *add_metric(bn_json *root, const bonsai_condense_info *i)
{
    bn_json *said = bn_json_get(root, "judge");
    const int metric = (int)bn_fact(i, BN_FACT_METRIC);
    const bool usual = metric == BONSAI_AIM_ACCURACY || metric == BONSAI_AIM_AUTO;
    if (said && !usual)
        bn_json_set(said, "metric", bn_json_text(bn_aim_word(metric)));
    if (said && (!usual || bn_is_idle(i)))
        bn_json_set(said, "probe_idle", bn_json_real(bn_fact(i, BN_FACT_PROBE_IDLE)));
    return root;
}

/* Sets the groups of facts that are known, each by one of its facts. */
static void set_groups(bn_json *root, const bonsai_condense_info *i)
{
    static const struct { const char *name; bn_fact_id by; } groups[] = {
        {"sizes", BN_FACT_NODES}, {"judge", BN_FACT_PROBE_FULL}, {"cover", BN_FACT_ROUNDS},
        {"recipe", BN_FACT_RECIPE_NODES}, {"learned", BN_FACT_LEARN_NODES},
        {"choice", BN_FACT_WHY}};
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        if (bn_fact_known(i, groups[k].by))
            bn_json_set(root, groups[k].name, bn_facts_json(i, groups[k].name));
}

bonsai_status bn_record_write(bonsai_graph *small, const bonsai_condense_info *i,
                              const bonsai_condense_options *o, const bn_choice *c)
{
    bn_json *root = bn_json_pack("{s:s}", "bonsai", bn_fact_text(i, BN_FACT_VERSION));
    bn_json_set(root, "method", bn_json_text(bonsai_method_name(i->method)));
    bn_json_set(root, "input_crc32", bn_fact_json(i, BN_FACT_CRC));
    bn_json_set(root, "options", bn_fields_json(BONSAI_OPTIONS_CONDENSE, o));
    set_groups(root, i);
    if (c)
        bn_json_set(root, "why", nodes_json(c, small));
    if (c && c->trace)
        add_trace(root, c->trace);
    return store(small, add_metric(root, i));
}

bonsai_status bn_record_load(bn_json **root, const bonsai_graph *g)
{
    const bonsai_array *a = &g->view.section[BONSAI_SECTION_METADATA];
    bn_json_error error;
    *root = a->data ? bn_json_parse(a->data, (size_t)a->count, 0, &error) : NULL;
    if (*root || !a->data)
        return BONSAI_OK;
    if (error.no_memory)
        return bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the metadata of %s", g->where);
    return bn_fail_at(BONSAI_E_FORMAT, g->where, "metadata: cannot be read as JSON");
}

bonsai_status bn_record_reason(bonsai_graph *small, const bonsai_condense_info *i)
{
    bn_json *root;
    bonsai_status rc = bn_record_load(&root, small);
    bn_json_set(root, "choice", bn_facts_json(i, "choice"));
    return rc == BONSAI_OK ? store(small, add_metric(root, i)) : rc;
}

bonsai_status bn_record_updated(bonsai_graph *small, const bonsai_condense_info *i,
                                const bonsai_graph *before)
{
    bn_json *root;
    bonsai_status rc = bn_record_load(&root, before);
    bn_json *recipe = bn_json_get(root, "recipe");
    bn_json_set(root, "bonsai", bn_json_text(bn_fact_text(i, BN_FACT_VERSION)));
    bn_json_set(root, "input_crc32", bn_fact_json(i, BN_FACT_CRC));
    bn_json_set(root, "sizes", bn_facts_json(i, "sizes"));
    bn_json_set(root, "choice", bn_facts_json(i, "choice"));
    bn_json_set(root, "judge", bn_json_null());
    bn_json_set(recipe, "trees", bn_fact_json(i, BN_FACT_TREES));
    bn_json_set(recipe, "nodes", bn_json_whole(i->nodes));
    bn_json_set(recipe, "probe", bn_json_null());
    bn_json_set(recipe, "lossless_ratio", bn_fact_json(i, BN_FACT_LOSSLESS_RATIO));
    return rc == BONSAI_OK ? store(small, root) : rc;
}

/* ---- reading ---- */

static bonsai_method method_named(const char *name)
{
    for (int m = 0; name && bonsai_method_name((bonsai_method)m); m++)
        if (strcmp(bonsai_method_name((bonsai_method)m), name) == 0)
            return (bonsai_method)m;
    return BONSAI_METHOD_COUNT;
}

/* Returns the aim of a name; accuracy if a record has no name. */
static bonsai_aim aim_named(const char *name)
{
    for (int a = BONSAI_AIM_MIXED; name && a < BONSAI_AIM_COUNT; a++)
        if (strcmp(bn_aim_word(a), name) == 0)
            return (bonsai_aim)a;
    return BONSAI_AIM_ACCURACY;
}

static void read_text(char *to, size_t room, const bn_json *from, const char *key)
{
    const char *text = bn_json_as_text(bn_json_get(from, key));
    snprintf(to, room, "%s", text ? text : "");
}

static void read_info(bonsai_condense_info *i, const bn_json *root)
{
    const bn_json *judge = bn_json_get(root, "judge"), *idle = bn_json_get(judge, "probe_idle");
    i->method = method_named(bn_json_as_text(bn_json_get(root, "method")));
    bn_fact_set(i, BN_FACT_RECALL, 1);
    bn_facts_read(i, root);
    if (bn_json_is_number(idle))
        bn_fact_set(i, BN_FACT_PROBE_IDLE, bn_json_as_number(idle));
    if (i->probe >= 0)
        bn_fact_set(i, BN_FACT_METRIC, aim_named(bn_json_as_text(bn_json_get(judge, "metric"))));
}

double bn_record_budget(const bonsai_condense_options *o, double full_bytes,
                        double paper_full_bytes)
{
    if (o->ratio > 0)
        return floor(o->ratio * (o->accounting == BONSAI_ACCOUNTING_STRICT ? full_bytes
                                                                           : paper_full_bytes));
    return o->bytes > 0 ? (double)o->bytes : 0;
}

/* Returns whether auto chose the method: the record has a choice, as those of methods that
 * learn, of `published` and of updates have without auto. */
static bool is_chosen(const bn_record *r, const bn_json *root)
{
    return bn_json_is_object(bn_json_get(root, "choice")) && !r->updated &&
           !bn_json_get(root, "learned") && r->info.method != BONSAI_METHOD_PUBLISHED;
}

static void read_record(bn_record *r, const bn_json *root)
{
    const bn_json *recipe = bn_json_get(root, "recipe");
    const bn_json *options = bn_json_get(root, "options");
    bonsai_condense_info *i = &r->info;
    read_text(r->method, sizeof r->method, root, "method");
    r->known = bn_json_is_text(bn_json_get(root, "method"));
    r->has_options = bn_json_is_object(options);
    r->has_crc = bn_json_is_text(bn_json_get(root, "input_crc32"));
    r->updated = bn_json_is_null(bn_json_get(recipe, "probe"));
    read_info(i, root);
    bn_fields_from_json(BONSAI_OPTIONS_CONDENSE, &r->o, options);
    bn_fact_set(i, BN_FACT_CHOSEN, is_chosen(r, root));
    r->o.method = bn_fact(i, BN_FACT_CHOSEN) ? BONSAI_METHOD_AUTO : i->method;
    bn_fact_set(i, BN_FACT_LAYERS, r->o.layers);
    bn_fact_set(i, BN_FACT_K, r->o.k);
    i->seed = r->o.seed;
    bn_fact_set(i, BN_FACT_BUDGET, bn_record_budget(&r->o, i->full_bytes,
                                                    bn_fact(i, BN_FACT_PAPER_FULL_BYTES)));
    const double layers = bn_fact(i, BN_FACT_RECIPE_LAYERS);
    r->layers = bn_field_in_range(bn_field_named(BONSAI_OPTIONS_CONDENSE, "layers"), layers)
                    ? (int)layers : -1;
    snprintf(r->rows, sizeof r->rows, "%s", bn_fact_text(i, BN_FACT_ROWS));
}

bonsai_status bn_record_read(bn_record *r, const bonsai_graph *small)
{
    bn_json *root;
    bonsai_status rc = bn_record_load(&root, small);
    memset(r, 0, sizeof *r);
    bonsai_condense_info_init(&r->info);
    bonsai_condense_options_init(&r->o);
    read_record(r, root);
    if (small->view.features > 0)
        bn_fact_set(&r->info, BN_FACT_FEATURES, (double)small->view.features);
    bn_json_free(root);
    return rc;
}
