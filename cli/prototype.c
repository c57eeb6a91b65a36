/* prototype.c -- what one prototype of a condensed graph stands for.
 *
 * A prototype is the mean of some training nodes' embeddings.  Its members are in the
 * small graph if it was condensed with --members; otherwise the full graph gives its
 * nearest training nodes.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { TOP_CLASSES = 5, TOP_NODES = 10, TOP_FEATURES = 8 };

static int64_t whole_at(const bonsai_array *a, int64_t i)
{
    switch (a->type) {
    case BONSAI_TYPE_U8:  return ((const uint8_t *)a->data)[i];
    case BONSAI_TYPE_U16: return ((const uint16_t *)a->data)[i];
    case BONSAI_TYPE_U32: return ((const uint32_t *)a->data)[i];
    default:         return (int64_t)((const uint64_t *)a->data)[i];
    }
}

static double real_at(const bonsai_array *a, int64_t i)
{
    return a->type == BONSAI_TYPE_F32 ? (double)((const float *)a->data)[i]
                                      : (double)whole_at(a, i);
}

static const char *class_name(const bonsai_view *v, int64_t at)
{
    const bonsai_array *names = &v->section[BONSAI_SECTION_CLASS_NAMES];
    const char *text = names->data, *end = text ? text + names->count : NULL;
    for (; text && text < end && at > 0; at--)
        text += strlen(text) + 1;
    return text && text < end && *text ? text : NULL;
}

/* ---- its label ----------------------------------------------------------- */

typedef struct {
    int64_t number;
    double  value;
} share;

static int largest_first(const void *a, const void *b)
{
    const share *x = a, *y = b;
    if (fabs(x->value) != fabs(y->value))
        return fabs(x->value) > fabs(y->value) ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void add_soft(summary *r, const bonsai_view *v, const share *all, int64_t count)
{
    static const column columns[] = {{"class", "class", NULL}, {"percent", "%", "%.1f"},
                                     {"name", "", NULL}, {NULL, NULL, NULL}};
    static const column plain[] = {{"class", "class", NULL}, {"percent", "%", "%.1f"},
                                   {NULL, NULL, NULL}};
    const int named = v->section[BONSAI_SECTION_CLASS_NAMES].data != NULL;
    bn_json *rows = bn_json_array();
    for (int64_t i = 0; i < count && i < TOP_CLASSES && all[i].value > 0; i++) {
        const char *name = class_name(v, all[i].number);
        bn_json *row = bn_json_pack("[I,f]", (int64_t)all[i].number, 100 * all[i].value);
        if (named)
            bn_json_add(row, name ? bn_json_text(name) : bn_json_null());
        bn_json_add(rows, row);
    }
    summary_heading(r, "Soft label");
    summary_table(r, "soft_label", named ? columns : plain, rows);
}

static int add_label(summary *r, session *s, const bonsai_graph *small, int64_t node)
{
    const bonsai_view *v = bonsai_graph_view(small);
    const bonsai_array *soft = &v->section[BONSAI_SECTION_SOFT_LABELS];
    if (!soft->data)
        return EXIT_DONE;
    share *all = calloc((size_t)v->classes + 1, sizeof *all);
    if (!all)
        return fail_with(s, "there is not enough memory for a soft label");
    double unit = soft->type == BONSAI_TYPE_U8 ? 255 : 1;
    for (int64_t c = 0; c < v->classes; c++)
        all[c] = (share){c, real_at(soft, node * v->classes + c) / unit};
    qsort(all, (size_t)v->classes, sizeof *all, largest_first);
    add_soft(r, v, all, v->classes);
    free(all);
    return EXIT_DONE;
}

/* ---- whom it stands for --------------------------------------------------- */

static void add_members(summary *r, const bonsai_view *v, int64_t node)
{
    const bonsai_array *offsets = &v->section[BONSAI_SECTION_MEMBER_OFFSETS];
    const int64_t first = whole_at(offsets, node), count = whole_at(offsets, node + 1) - first;
    static const column columns[] = {{"node", "in the full graph", NULL}, {NULL, NULL, NULL}};
    bn_json *rows = bn_json_array();
    const bonsai_array *members = &v->section[BONSAI_SECTION_MEMBERS];
    for (int64_t i = 0; i < count && i < TOP_NODES; i++)
        bn_json_add(rows, bn_json_pack("[I]", (int64_t)whole_at(members, first + i)));
    summary_table(r, "member_nodes", columns, rows);
}

static int add_nearest(summary *r, session *s, const bonsai_graph *small, const bonsai_graph *full,
                       int64_t node)
{
    static const column columns[] = {{"node", "in the full graph", NULL},
                                     {"distance", "distance", "%.4g"}, {NULL, NULL, NULL}};
    bonsai_condense_options o;
    int32_t near[TOP_NODES];
    float distance[TOP_NODES];
    int64_t found = 0;
    bonsai_condense_options_init(&o);
    o.threads = s->read.threads;
    o.progress = s->read.progress;
    o.payload = s->read.payload;
    bonsai_status rc = bonsai_condense_nearest(near, distance, &found, TOP_NODES, small, node,
                                               full, &o);
    if (rc != BONSAI_OK)
        return fail(s, rc);
    bn_json *rows = bn_json_array();
    for (int64_t i = 0; i < found; i++)
        bn_json_add(rows, bn_json_pack("[I,f]", (int64_t)near[i], (double)distance[i]));
    summary_table(r, "nearest", columns, rows);
    return EXIT_DONE;
}

static int add_originals(summary *r, session *s, const bonsai_graph *small,
                         const bonsai_graph *full, const bonsai_why *why, int64_t node)
{
    const bonsai_view *v = bonsai_graph_view(small);
    const int64_t members = why->members;
    summary_heading(r, "Nodes it stands for");
    if (v->section[BONSAI_SECTION_NODE_WEIGHTS].data)
        summary_real(r, "weight", "weight in the loss", why->weight, "%.6g");
    if (members >= 0)
        summary_int(r, "members", "members", members);
    if (members > TOP_NODES)
        summary_note(r, "%d are shown%s", TOP_NODES, full ? ", the nearest" : "");
    if (members < 0) {
        summary_text(r, NULL, "members", "not stored");
        summary_note(r, full ? "the nearest training nodes of its class are shown"
                            : "--full GRAPH finds the nearest; condense --members stores all");
    }
    if (full)
        return add_nearest(r, s, small, full, node);
    if (members >= 0)
        add_members(r, v, node);
    return EXIT_DONE;
}

/* ---- its features --------------------------------------------------------- */

/* Turns means of the full graph's features into those of the small graph's: bonsai_condense_nearest
 * has found each kept feature among them, and both lists of kept features ascend. */
static void pick_means(double *mean, const bonsai_view *small, const bonsai_view *full)
{
    const uint32_t *kept = small->section[BONSAI_SECTION_KEPT_FEATURES].data;
    const uint32_t *has = full->section[BONSAI_SECTION_KEPT_FEATURES].data;
    int64_t at = 0;
    for (int64_t j = 0; kept && j < small->features; j++) {
        while (at < full->features - 1 && (has ? has[at] : (uint32_t)at) < kept[j])
            at++;
        mean[j] = mean[at];
    }
}

static void add_strongest(summary *r, const bonsai_view *v, const float *row, const double *mean,
                          share *all)
{
    static const column plain[] = {{"feature", "feature", NULL}, {"value", "value", "%.4g"},
                                   {NULL, NULL, NULL}};
    static const column beside[] = {{"feature", "feature", NULL}, {"value", "value", "%.4g"},
                                    {"above_mean", "above the mean", "%+.4g"}, {NULL, NULL, NULL}};
    const uint32_t *kept = v->section[BONSAI_SECTION_KEPT_FEATURES].data;
    int64_t count = 0;
    bn_json *rows = bn_json_array();
    for (int64_t j = 0; j < v->features; j++)
        if (row[j] != 0)
            all[count++] = (share){j, (double)row[j] - (mean ? mean[j] : 0)};
    qsort(all, (size_t)count, sizeof *all, largest_first);
    for (int64_t i = 0; i < count && i < TOP_FEATURES; i++) {
        int64_t j = all[i].number;
        bn_json *line = bn_json_pack("[I,f]", kept ? (int64_t)kept[j] : (int64_t)j,
                                     (double)row[j]);
        if (mean)
            bn_json_add(line, bn_json_real(all[i].value));
        bn_json_add(rows, line);
    }
    summary_heading(r, "Strongest features");
    summary_int(r, "features_set", "not zero", count);
    summary_note(r, "of %lld%s", (long long)v->features,
                 mean ? "; those farthest from the graph's mean" : "");
    summary_table(r, "features", mean ? beside : plain, rows);
}

static int add_features(summary *r, session *s, const bonsai_graph *small,
                        const bonsai_graph *full, int64_t node)
{
    const bonsai_view *v = bonsai_graph_view(small);
    size_t f = (size_t)v->features + 1;
    size_t wide = full ? (size_t)bonsai_graph_features(full) + 1 : 0;
    float *row = calloc(f, sizeof *row);
    double *mean = full ? calloc(wide, sizeof *mean) : NULL;
    share *all = calloc(f, sizeof *all);
    int code = EXIT_DONE;
    if (!row || !all || (full && !mean))
        code = fail_with(s, "there is not enough memory for a row of features");
    else if (full && bonsai_graph_mean(mean, full) != BONSAI_OK)
        code = fail(s, BONSAI_E_ARGUMENT);
    else {
        if (full)
            pick_means(mean, v, bonsai_graph_view(full));
        bonsai_graph_row(row, small, node);
        add_strongest(r, v, row, mean, all);
    }
    free(row);
    free(mean);
    free(all);
    return code;
}

int summary_prototype(summary *r, session *s, const bonsai_graph *small, const bonsai_graph *full,
                      const bonsai_why *why, int64_t node)
{
    int code = add_label(r, s, small, node);
    if (code == EXIT_DONE)
        code = add_originals(r, s, small, full, why, node);
    if (code == EXIT_DONE)
        code = add_features(r, s, small, full, node);
    return code;
}
