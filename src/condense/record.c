/* record.c -- what a condensed graph says about its making: JSON in its metadata.
 *
 * No other file knows the keys.  Metadata may come from anywhere: what is missing there or makes
 * no sense is as if it had not been said.
 *
 * SPDX-License-Identifier: MIT */
#include "record.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fields.h"

enum { MOST_LAYERS = 16 };

/* Bytes are whole numbers and stay exact; the paper's price need not be one. */
static json_t *number(double v)
{
    return v == floor(v) && fabs(v) < 0x1p53 ? json_integer((json_int_t)v) : json_real(v);
}

/* ---- fields that are written and read by one table ---- */

typedef struct {
    const char *key;
    size_t      at;             /* in bonsai_condense_info */
    char        kind;           /* i: int; l: int64_t; b: bytes; r: another real number */
} row;

#define ROW(field, kind) {#field, offsetof(bonsai_condense_info, field), kind}

static const row sizes[] = {
    ROW(nodes, 'l'), ROW(edges, 'l'), ROW(labelled, 'l'), ROW(roots, 'l'), ROW(full_nodes, 'l'),
    ROW(full_edges, 'l'), ROW(full_labelled, 'l'), ROW(bytes, 'b'), ROW(full_bytes, 'b'),
    ROW(ratio, 'r'), ROW(paper_bytes, 'b'), ROW(paper_full_bytes, 'b'), ROW(paper_ratio, 'r'),
};
static const row cover[] = {
    ROW(trees, 'l'), ROW(sample, 'l'), ROW(coverage, 'r'), ROW(coverage_check, 'r'),
    ROW(coverage_bound, 'r'), ROW(recall, 'r'), ROW(rechecks, 'l'), ROW(rounds, 'i'),
    ROW(shallow_classes, 'i'),
};
enum { SIZES = sizeof sizes / sizeof *sizes, COVER = sizeof cover / sizeof *cover };

static json_t *rows_json(const row *rows, int count, const bonsai_condense_info *i)
{
    json_t *out = json_object();
    int bad = 0;
    for (const row *r = rows; r < rows + count; r++) {
        const char *at = (const char *)i + r->at;
        bad |= json_object_set_new(out, r->key,
                                   r->kind == 'i' ? json_integer(*(const int *)at) :
                                   r->kind == 'l' ? json_integer(*(const int64_t *)at) :
                                   r->kind == 'b' ? number(*(const double *)at) :
                                                    json_real(*(const double *)at));
    }
    if (bad) {
        json_decref(out);
        out = NULL;
    }
    return out;
}

/* Files may hold anything: the older value stays where this is no number of a sensible size. */
static bool read_real(double *to, const json_t *from, const char *key)
{
    const json_t *v = json_object_get(from, key);
    if (!json_is_number(v) || !(fabs(json_number_value(v)) < 9e15))
        return false;
    *to = json_number_value(v);
    return true;
}

static void read_long(int64_t *to, const json_t *from, const char *key)
{
    double v;
    if (read_real(&v, from, key))
        *to = (int64_t)v;
}

static void read_int(int *to, const json_t *from, const char *key)
{
    double v;
    if (read_real(&v, from, key) && fabs(v) < INT_MAX)
        *to = (int)v;
}

static void read_rows(bonsai_condense_info *i, const row *rows, int count, const json_t *from)
{
    for (const row *r = rows; r < rows + count; r++) {
        char *at = (char *)i + r->at;
        if (r->kind == 'i')
            read_int((int *)at, from, r->key);
        else if (r->kind == 'l')
            read_long((int64_t *)at, from, r->key);
        else
            read_real((double *)at, from, r->key);
    }
}

/* ---- writing ---- */

/* Where a node is in the choice, or -1. */
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

/* Why each node is there: the original id of the root of its tree (-1: that has gone),
 * samples covered, PageRank score. */
static json_t *nodes_json(const bn_choice *c, const bonsai_graph *small)
{
    const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
    json_t *tree = json_array(), *covers = json_array(), *score = json_array();
    for (int64_t i = 0; i < c->count; i++) {
        int64_t root = place_of(c, c->tree[i]);
        bool here = root >= 0 && c->role[root] == BONSAI_ROLE_ROOT;
        json_array_append_new(tree, json_integer(here ? (json_int_t)origin[root] : -1));
        json_array_append_new(covers, json_integer(c->covers[i]));
        json_array_append_new(score, json_real((double)c->score[i]));
    }
    return json_pack("{s:o,s:o,s:o}", "tree", tree, "covers", covers, "score", score);
}

static json_t *curve_json(const bn_trace *t)
{
    json_t *bytes = json_array(), *covered = json_array();
    for (int64_t i = 0; i < t->count; i++) {
        json_array_append_new(bytes, number(t->point[i].bytes));
        json_array_append_new(covered, json_integer((json_int_t)t->point[i].covered));
    }
    return json_pack("{s:o,s:o}", "bytes", bytes, "covered", covered);
}

/* Four digits are enough for a drawing. */
static double rounded(double v)
{
    char text[32];
    const char *at = text;
    int length = bn_print(text, sizeof text, "%.4g", v);
    bn_parse_real(&at, text + length, &v);
    return v;
}

static json_t *round_json(const bn_trace_round *r)
{
    json_t *rank = json_array(), *score = json_array();
    for (int64_t i = 0; i < r->count; i++) {
        json_array_append_new(rank, json_integer((json_int_t)r->rank[i]));
        json_array_append_new(score, json_real(rounded(r->score[i])));
    }
    return json_pack("{s:I,s:I,s:I,s:I,s:o,s:o}", "round", (json_int_t)r->number,
                     "nodes", (json_int_t)r->nodes, "knee", (json_int_t)r->knee,
                     "pruned", (json_int_t)r->pruned, "rank", rank, "score", score);
}

/* Takes root, and adds how it went to it. */
static json_t *add_trace(json_t *root, const bn_trace *t)
{
    json_t *rounds = json_array();
    for (int64_t i = 0; i < t->rounds; i++)
        json_array_append_new(rounds, round_json(&t->round[i]));
    if (json_object_set_new(root, "curve", curve_json(t)) |
        json_object_set_new(root, "rounds", rounds)) {
        json_decref(root);
        root = NULL;
    }
    return root;
}

static json_t *recipe_json(const bn_recipe *r, const bonsai_condense_info *i)
{
    return json_pack("{s:I,s:I,s:I,s:s,s:b,s:b,s:i,s:f,s:f,s:I,s:I,s:f}",
                     "trees", (json_int_t)i->trees, "nodes", (json_int_t)r->nodes, "entries", (json_int_t)r->t,
                     "values", bonsai_type_text(r->type), "soft", r->soft, "weighted", r->weighted,
                     "layers", r->layers, "probe", r->probe, "lambda", r->lambda,
                     "judged", (json_int_t)r->judged, "candidates", (json_int_t)r->candidates,
                     "lossless_ratio", i->lossless_ratio);
}

/* Takes the report. */
static bonsai_status store(bonsai_graph *small, json_t *root)
{
    bonsai_status rc;
    uint8_t *to;
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    if (!text) {
        rc = bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the report");
        goto done;
    }
    BN_TRY(bn_graph_array(&to, small, BONSAI_SECTION_METADATA, BONSAI_TYPE_U8, (int64_t)strlen(text)));
    memcpy(to, text, strlen(text));
done:
    json_decref(root);
    free(text);
    return rc;
}

static json_t *crc_json(uint32_t crc)
{
    char hex[16];
    snprintf(hex, sizeof hex, "%08x", (unsigned)crc);
    return json_string(hex);
}

/* Takes what is special to the method, under its name. */
static bonsai_status attach(bonsai_graph *small, const bonsai_condense_info *i,
                            const bonsai_condense_options *o, uint32_t input_crc, json_t *special)
{
    json_t *root = json_pack("{s:s,s:s,s:o,s:o,s:o}", "bonsai", BONSAI_VERSION,
                             "method", bonsai_method_name(i->method),
                             "input_crc32", crc_json(input_crc),
                             "options", bn_fields_json(BONSAI_OPTIONS_CONDENSE, o),
                             "sizes", rows_json(sizes, SIZES, i));
    if (root && (!special || json_object_update(root, special) != 0)) {
        json_decref(root);
        root = NULL;
    }
    json_decref(special);
    return store(small, root);
}

bonsai_status bn_report_attach(bonsai_graph *small, const bonsai_condense_info *i,
                               const bonsai_condense_options *o, const bn_choice *c,
                               uint32_t input_crc)
{
    json_t *special = json_pack("{s:o,s:o}", "cover", rows_json(cover, COVER, i), "why", nodes_json(c, small));
    return attach(small, i, o, input_crc, c->trace ? add_trace(special, c->trace) : special);
}

bonsai_status bn_report_recipe(bonsai_graph *small, const bonsai_condense_info *i,
                               const bonsai_condense_options *o, const bn_recipe *r,
                               uint32_t input_crc)
{
    return attach(small, i, o, input_crc, json_pack("{s:o}", "recipe", recipe_json(r, i)));
}

static json_t *score(double percent)
{
    return percent >= 0 ? json_real(percent) : json_null();
}

static json_t *choice_json(const bonsai_condense_info *i)
{
    return json_pack("{s:s,s:o,s:o}", "why", i->why, "probe", score(i->probe),
                     "probe_other", score(i->probe_other));
}

bonsai_status bn_report_choice(bonsai_graph *small, const bonsai_condense_info *i)
{
    const bonsai_array *a = &small->view.section[BONSAI_SECTION_METADATA];
    json_t *root = json_loadb(a->data, (size_t)a->count, 0, NULL);
    if (root && json_object_set_new(root, "choice", choice_json(i)) != 0) {
        json_decref(root);
        root = NULL;
    }
    return store(small, root);
}

bonsai_status bn_report_again(bonsai_graph *small, const bonsai_condense_info *i,
                              const json_t *before, uint32_t input_crc)
{
    json_t *root = json_deep_copy(before);
    json_t *recipe = json_object_get(root, "recipe");
    int bad = json_object_set_new(root, "bonsai", json_string(BONSAI_VERSION)) |
              json_object_set_new(root, "input_crc32", crc_json(input_crc)) |
              json_object_set_new(root, "sizes", rows_json(sizes, SIZES, i)) |
              json_object_set_new(root, "choice", choice_json(i)) |
              json_object_set_new(recipe, "trees", json_integer((json_int_t)i->trees)) |
              json_object_set_new(recipe, "nodes", json_integer((json_int_t)i->nodes)) |
              json_object_set_new(recipe, "probe", json_null()) |
              json_object_set_new(recipe, "lossless_ratio", json_real(i->lossless_ratio));
    if (bad) {
        json_decref(root);
        root = NULL;
    }
    return store(small, root);
}

/* ---- reading ---- */

static bonsai_method method_named(const char *name)
{
    for (int m = 0; name && bonsai_method_name((bonsai_method)m); m++)
        if (strcmp(bonsai_method_name((bonsai_method)m), name) == 0)
            return (bonsai_method)m;
    return BONSAI_METHOD_COUNT;
}

static bonsai_type type_named(const char *name)
{
#define NAMED(type, value, bytes) \
    if (name && strcmp(bonsai_type_text(BONSAI_TYPE_##type), name) == 0) \
        return BONSAI_TYPE_##type;
    BONSAI_TYPE_MAP(NAMED)
#undef NAMED
    return BONSAI_TYPE_NONE;
}

/* A score of the probe; -1: it was not asked. */
static double read_score(const json_t *from, const char *key)
{
    double percent = -1;
    read_real(&percent, from, key);
    return percent;
}

static void read_info(bonsai_condense_info *i, const json_t *root)
{
    const json_t *recipe = json_object_get(root, "recipe");
    const json_t *choice = json_object_get(root, "choice");
    const char *why = json_string_value(json_object_get(choice, "why"));
    i->method = method_named(json_string_value(json_object_get(root, "method")));
    i->coverage = i->coverage_check = i->coverage_bound = -1;
    i->recall = 1;
    read_rows(i, sizes, SIZES, json_object_get(root, "sizes"));
    read_rows(i, cover, COVER, json_object_get(root, "cover"));
    read_long(&i->trees, recipe, "trees");
    read_int(&i->entries, recipe, "entries");
    i->values = type_named(json_string_value(json_object_get(recipe, "values")));
    read_real(&i->lossless_ratio, recipe, "lossless_ratio");
    i->probe = read_score(choice ? choice : recipe, "probe");
    i->probe_other = read_score(choice, "probe_other");
    snprintf(i->why, sizeof i->why, "%s", why ? why : "");
}

bonsai_status bn_record_read(bn_record *r, const bonsai_graph *small)
{
    const bonsai_array *a = &small->view.section[BONSAI_SECTION_METADATA];
    json_t *root = a->data ? json_loadb(a->data, (size_t)a->count, 0, NULL) : NULL;
    memset(r, 0, sizeof *r);
    bonsai_condense_info_init(&r->info);
    bonsai_condense_options_init(&r->o);
    if (a->data && !root)
        return bn_fail(BONSAI_E_FORMAT, "%s: metadata: cannot be read as JSON", small->where);
    r->known = json_is_string(json_object_get(root, "method"));
    read_info(&r->info, root);
    bn_fields_from_json(BONSAI_OPTIONS_CONDENSE, &r->o, json_object_get(root, "options"));
    r->info.features = small->view.features;
    r->info.layers = r->o.layers;
    r->info.k = r->o.k;
    r->info.seed = r->o.seed;
    r->layers = -1;
    read_int(&r->layers, json_object_get(root, "recipe"), "layers");
    if (r->layers > MOST_LAYERS)
        r->layers = -1;
    json_decref(root);
    return BONSAI_OK;
}
