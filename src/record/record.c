/* record.c -- what a condensed graph says about its making: JSON in its metadata.
 *
 * No other file but recordlists.c knows the keys.  Metadata may come from anywhere: what is missing there or makes
 * no sense is as if it had not been said.
 *
 * SPDX-License-Identifier: MIT */
#include "record.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/fields.h"

/* Bytes are whole numbers and stay exact; the paper's price need not be one. */
static bn_json *number(double v)
{
    return v == floor(v) && fabs(v) < 0x1p53 ? bn_json_whole((int64_t)v) : bn_json_real(v);
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
    ROW(shallow_classes, 'i'), ROW(whole_trees, 'l'),
};
static const row judge[] = {
    ROW(probe_full, 'r'), ROW(probe_fitted, 'l'), ROW(probe_val, 'l'), ROW(probe_held, 'l'),
};
enum { SIZES = sizeof sizes / sizeof *sizes, COVER = sizeof cover / sizeof *cover,
       JUDGE = sizeof judge / sizeof *judge };

static bn_json *rows_json(const row *rows, int count, const bonsai_condense_info *i)
{
    bn_json *out = bn_json_object();
    for (const row *r = rows; r < rows + count; r++) {
        const char *at = (const char *)i + r->at;
        bn_json_set(out, r->key, r->kind == 'i' ? bn_json_whole(*(const int *)at) :
                                 r->kind == 'l' ? bn_json_whole(*(const int64_t *)at) :
                                 r->kind == 'b' ? number(*(const double *)at) :
                                                  bn_json_real(*(const double *)at));
    }
    return out;
}

/* Files may hold anything: the older value stays where this is no number of a sensible size. */
static bool read_real(double *to, const bn_json *from, const char *key)
{
    const bn_json *v = bn_json_get(from, key);
    if (!bn_json_is_number(v) || !(fabs(bn_json_as_number(v)) < 9e15))
        return false;
    *to = bn_json_as_number(v);
    return true;
}

static void read_long(int64_t *to, const bn_json *from, const char *key)
{
    double v;
    if (read_real(&v, from, key))
        *to = (int64_t)v;
}

static void read_int(int *to, const bn_json *from, const char *key)
{
    double v;
    if (read_real(&v, from, key) && fabs(v) < INT_MAX)
        *to = (int)v;
}

static void read_rows(bonsai_condense_info *i, const row *rows, int count, const bn_json *from)
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
        bn_json_add(bytes, number(t->point[i].bytes));
        bn_json_add(covered, bn_json_whole((int64_t)t->point[i].covered));
    }
    return bn_json_pack("{s:o,s:o}", "bytes", bytes, "covered", covered);
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

/* Takes root, and adds how it went to it. */
static bn_json *add_trace(bn_json *root, const bn_trace *t)
{
    bn_json *rounds = bn_json_array();
    for (int64_t i = 0; i < t->rounds; i++)
        bn_json_add(rounds, round_json(&t->round[i]));
    bn_json_set(root, "curve", curve_json(t));
    bn_json_set(root, "rounds", rounds);
    return root;
}

static bn_json *recipe_json(const bn_recipe *r, const bonsai_condense_info *i)
{
    return bn_json_pack("{s:I,s:I,s:s,s:I,s:b,s:i,s:s,s:b,s:b,s:i,s:f,s:I,s:I,s:I,s:f,s:f,s:I}",
                        "trees", (int64_t)i->trees, "nodes", (int64_t)r->nodes,
                        "rows", r->rows, "entries", (int64_t)r->t, "columns", r->columns,
                        "bits", r->bits, "values", bonsai_type_text(r->type), "soft", r->soft,
                        "weighted", r->weighted, "layers", r->layers, "probe", r->probe,
                        "judged", (int64_t)r->judged, "candidates", (int64_t)r->candidates,
                        "finalists", (int64_t)r->finalists, "trained", r->trained,
                        "lossless_ratio", i->lossless_ratio, "directions", r->directions);
}

/* Takes the report. */
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

static bn_json *crc_json(const bonsai_condense_info *i)
{
    char hex[16];
    snprintf(hex, sizeof hex, "%08x", (unsigned)i->input_crc32);
    return bn_json_text(hex);
}

/* Takes root, and adds the metric of the probe to what the judge said, and what a classifier that
 * has learned nothing gets, where a reader needs them: accuracy well above that is the usual. */
static bn_json *add_metric(bn_json *root, const bonsai_condense_info *i)
{
    bn_json *said = bn_json_get(root, "judge");
    const bool usual = i->metric == BONSAI_AIM_ACCURACY || i->metric == BONSAI_AIM_AUTO;
    if (said && !usual)
        bn_json_set(said, "metric", bn_json_text(bn_aim_word(i->metric)));
    if (said && (!usual || bn_is_idle(i)))
        bn_json_set(said, "probe_idle", bn_json_real(i->probe_idle));
    return root;
}

bonsai_status bn_record_special(bonsai_graph *small, const bonsai_condense_info *i,
                                const bonsai_condense_options *o, bn_json *special)
{
    bn_json *root = bn_json_pack("{s:s,s:s,s:o,s:o,s:o}", "bonsai", i->version,
                                 "method", bonsai_method_name(i->method), "input_crc32",
                                 crc_json(i), "options", bn_fields_json(BONSAI_OPTIONS_CONDENSE, o),
                                 "sizes", rows_json(sizes, SIZES, i));
    if (i->probe_full >= 0)
        bn_json_set(root, "judge", rows_json(judge, JUDGE, i));
    bn_json_update(root, special);
    bn_json_free(special);
    return store(small, add_metric(root, i));
}

bonsai_status bn_record_picked(bonsai_graph *small, const bonsai_condense_info *i,
                               const bonsai_condense_options *o, const bn_choice *c)
{
    bn_json *special = bn_json_pack("{s:o,s:o}", "cover", rows_json(cover, COVER, i),
                                    "why", nodes_json(c, small));
    return bn_record_special(small, i, o, c->trace ? add_trace(special, c->trace) : special);
}

bonsai_status bn_record_prototypes(bonsai_graph *small, const bonsai_condense_info *i,
                                   const bonsai_condense_options *o, const bn_recipe *r)
{
    return bn_record_special(small, i, o, bn_json_pack("{s:o}", "recipe", recipe_json(r, i)));
}

static bn_json *score(double percent)
{
    return percent >= 0 ? bn_json_real(percent) : bn_json_null();
}

bn_json *bn_record_choice(const bonsai_condense_info *i)
{
    return bn_json_pack("{s:s,s:o,s:o}", "why", i->why, "probe", score(i->probe),
                        "probe_other", score(i->probe_other));
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
    bn_json_set(root, "choice", bn_record_choice(i));
    return rc == BONSAI_OK ? store(small, add_metric(root, i)) : rc;
}

bonsai_status bn_record_updated(bonsai_graph *small, const bonsai_condense_info *i,
                                const bonsai_graph *before)
{
    bn_json *root;
    bonsai_status rc = bn_record_load(&root, before);
    bn_json *recipe = bn_json_get(root, "recipe");
    bn_json_set(root, "bonsai", bn_json_text(i->version));
    bn_json_set(root, "input_crc32", crc_json(i));
    bn_json_set(root, "sizes", rows_json(sizes, SIZES, i));
    bn_json_set(root, "choice", bn_record_choice(i));
    bn_json_set(root, "judge", bn_json_null());
    bn_json_set(recipe, "trees", bn_json_whole(i->trees));
    bn_json_set(recipe, "nodes", bn_json_whole(i->nodes));
    bn_json_set(recipe, "probe", bn_json_null());
    bn_json_set(recipe, "lossless_ratio", bn_json_real(i->lossless_ratio));
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

static const bonsai_field *aim_field(void)
{
    return bn_field_named(BONSAI_OPTIONS_CONDENSE, "metric");
}

const char *bn_aim_word(bonsai_aim aim)
{
    return aim_field()->words[aim];
}

/* Records that name none are of accuracy. */
static bonsai_aim aim_named(const char *name)
{
    const char *const *words = aim_field()->words;
    for (int a = BONSAI_AIM_MIXED; name && a < BONSAI_AIM_COUNT; a++)
        if (strcmp(words[a], name) == 0)
            return (bonsai_aim)a;
    return BONSAI_AIM_ACCURACY;
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
static double read_score(const bn_json *from, const char *key)
{
    double percent = -1;
    read_real(&percent, from, key);
    return percent;
}

static void read_text(char *to, size_t room, const bn_json *from, const char *key)
{
    const char *text = bn_json_as_text(bn_json_get(from, key));
    snprintf(to, room, "%s", text ? text : "");
}

static void read_card(bonsai_condense_info *i, const bn_json *learned)
{
    read_long(&i->learn_rounds, learned, "rounds");
    read_long(&i->learn_made, learned, "made");
    read_long(&i->learn_kept, learned, "kept");
    read_long(&i->learn_skipped, learned, "skipped");
    read_real(&i->learn_loss, learned, "loss");
    i->learn_own = bn_json_is_true(bn_json_get(learned, "own_settings"));
    read_text(i->learn_settings, sizeof i->learn_settings, learned, "settings");
    read_text(i->learn_end, sizeof i->learn_end, learned, "end");
}

static void read_info(bonsai_condense_info *i, const bn_json *root)
{
    const bn_json *choice = bn_json_get(root, "choice"), *recipe = bn_json_get(root, "recipe");
    const char *crc = bn_json_as_text(bn_json_get(root, "input_crc32"));
    i->method = method_named(bn_json_as_text(bn_json_get(root, "method")));
    i->coverage = i->coverage_check = i->coverage_bound = -1;
    i->recall = 1;
    i->whole_trees = -1;
    i->probe_full = -1;
    read_rows(i, sizes, SIZES, bn_json_get(root, "sizes"));
    read_rows(i, cover, COVER, bn_json_get(root, "cover"));
    read_rows(i, judge, JUDGE, bn_json_get(root, "judge"));
    i->probe_idle = read_score(bn_json_get(root, "judge"), "probe_idle");
    recipe = recipe ? recipe : bn_json_get(root, "learned");
    read_card(i, bn_json_get(root, "learned"));
    read_long(&i->trees, recipe, "trees");
    read_int(&i->entries, recipe, "entries");
    read_int(&i->directions, recipe, "directions");
    i->values = type_named(bn_json_as_text(bn_json_get(recipe, "values")));
    read_real(&i->lossless_ratio, recipe, "lossless_ratio");
    i->probe = read_score(choice ? choice : recipe, "probe");
    i->probe_other = read_score(choice, "probe_other");
    i->metric = i->probe < 0 ? BONSAI_AIM_AUTO
                : aim_named(bn_json_as_text(bn_json_get(bn_json_get(root, "judge"), "metric")));
    read_text(i->why, sizeof i->why, choice, "why");
    read_text(i->version, sizeof i->version, root, "bonsai");
    i->input_crc32 = crc ? (uint32_t)strtoul(crc, NULL, 16) : 0;
}

double bn_record_budget(const bonsai_condense_options *o, double full_bytes,
                        double paper_full_bytes)
{
    if (o->ratio > 0)
        return floor(o->ratio * (o->accounting == BONSAI_ACCOUNTING_STRICT ? full_bytes
                                                                           : paper_full_bytes));
    return o->bytes > 0 ? (double)o->bytes : 0;
}

/* Whether auto chose the method: its reason begins with the name, of those of others none does. */
static bool is_chosen(const bonsai_condense_info *i, const char *method)
{
    const size_t length = strlen(method);
    return i->probe_other >= 0 ||
           (length > 0 && strncmp(i->why, method, length) == 0 && i->why[length] == ':');
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
    r->o.method = is_chosen(i, r->method) ? BONSAI_METHOD_AUTO : i->method;
    i->layers = r->o.layers;
    i->k = r->o.k;
    i->seed = r->o.seed;
    i->budget = bn_record_budget(&r->o, i->full_bytes, i->paper_full_bytes);
    r->layers = -1;
    read_int(&r->layers, recipe, "layers");
    if (!bn_field_in_range(bn_field_named(BONSAI_OPTIONS_CONDENSE, "layers"), r->layers))
        r->layers = -1;
    snprintf(r->rows, sizeof r->rows, "averaged");
    read_text(r->rows, sizeof r->rows, recipe, "rows");
}

bonsai_status bn_record_read(bn_record *r, const bonsai_graph *small)
{
    bn_json *root;
    bonsai_status rc = bn_record_load(&root, small);
    memset(r, 0, sizeof *r);
    bonsai_condense_info_init(&r->info);
    bonsai_condense_options_init(&r->o);
    read_record(r, root);
    r->info.features = small->view.features;
    bn_json_free(root);
    return rc;
}
