/* textwrite.c -- writes a graph as a folder of text: edges.csv, features.csv, labels.csv.
 *
 * Ids are node numbers.  Names are a column of labels.csv, because they may repeat or be missing.
 * An undirected edge is written once.  Every float is written so that it reads back bit for bit.
 *
 * The files appear together (base/folder.c): an existing graph is replaced as a whole.  A folder
 * without a graph keeps what it holds, and gets its edges last.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "io.h"

enum { EDGES, FEATURES, LABELS, FILES, LINE = 256 };

static const char *const file_names[] = {"edges.csv", "features.csv", "labels.csv", NULL};

typedef struct {
    const bonsai_graph *g;
    bn_progress progress;
    bn_folder *folder;
    bn_out *out[FILES];         /* belong to the folder */
    int64_t done, total;        /* rows of all files */
} writer;

static bonsai_status tick(writer *w)
{
    bonsai_status rc = BONSAI_OK;
    if (w->done % 4096 == 0)
        rc = bn_tick(w->progress, "writing", w->done, w->total);
    w->done++;
    return rc;
}

/* ---- values ---- */

static int put_int(char *to, int64_t v)
{
    char digits[24];
    int len = 0, at = 0;
    do
        digits[len++] = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    while (len > 0)
        to[at++] = digits[--len];
    return at;
}

/* Writes a float; most features are small counts, which need no printf. */
static int put_float(char *to, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (bits >> 31 == 0 && v < 1e6f && (float)(int32_t)v == v)
        return put_int(to, (int64_t)v);
    return bn_format_float(to, v);
}

static bool needs_quotes(const char *s)
{
    size_t len = strlen(s);
    if (len == 0)
        return true;
    return strpbrk(s, ",;\t\"\n\r#%") || s[0] == ' ' || s[len - 1] == ' ';
}

static bonsai_status write_quoted(bn_out *out, const char *s)
{
    bonsai_status rc;
    if (!needs_quotes(s))
        return bn_out_write(out, s, (int64_t)strlen(s));
    BN_TRY(bn_out_write(out, "\"", 1));
    for (;;) {
        size_t len = strcspn(s, "\"");
        BN_TRY(bn_out_write(out, s, (int64_t)len));
        if (!s[len])
            break;
        BN_TRY(bn_out_write(out, "\"\"", 2));
        s += len + 1;
    }
    BN_TRY(bn_out_write(out, "\"", 1));
done:
    return rc;
}

/* Writes a name to a comment line, where quotes do not help; see headnames.c. */
static bonsai_status write_escaped(bn_out *out, const char *s)
{
    bonsai_status rc;
    BN_TRY(bn_out_write(out, "# ", 2));
    for (const char *p = s; *p; p++) {
        bool edge = p == s || !p[1];
        const char *escape = *p == '\n' ? "\\n" : *p == '\r' ? "\\r" : *p == '\\' ? "\\\\"
                             : *p == ' ' && edge ? "\\s" : *p == '\t' ? "\\t" : NULL;
        BN_TRY(bn_out_write(out, escape ? escape : p, escape ? 2 : 1));
    }
    BN_TRY(bn_out_write(out, "\n", 1));
done:
    return rc;
}

static bonsai_status write_names(bn_out *out, const char *what, const char *name, int64_t count)
{
    bonsai_status rc = BONSAI_OK;
    if (name)
        BN_TRY(bn_out_printf(out, "# bonsai: %s_names=%lld\n", what, (long long)count));
    for (int64_t i = 0; name && i < count; i++, name += strlen(name) + 1)
        BN_TRY(write_escaped(out, name));
done:
    return rc;
}

/* ---- files ---- */

/* Returns whether to write an entry: an edge and its reverse are one line, from the lower node. */
static bool is_listed(const bonsai_graph *g, int64_t u, int64_t v)
{
    return (g->view.flags & BONSAI_FLAG_DIRECTED) || u <= v;
}

static int64_t count_listed(const bonsai_graph *g)
{
    int64_t count = 0;
    const int32_t *to = bn_neighbors(g);
    for (int64_t u = 0; u < g->view.nodes; u++)
        for (int64_t e = bn_row_begin(g, u); e < bn_row_begin(g, u + 1); e++)
            count += is_listed(g, u, to[e]);
    return count;
}

static bonsai_status write_edges(writer *w, int64_t count)
{
    bonsai_status rc;
    const bonsai_graph *g = w->g;
    const bonsai_view *v = &g->view;
    const int32_t *to = bn_neighbors(g);
    const float *weight = v->section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    bn_out *out = w->out[EDGES];
    BN_TRY(bn_out_printf(out, "# bonsai: nodes=%lld edges=%lld features=%lld classes=%lld "
                         "directed=%d self_loops=%d repeated=%d%s\nsource,target%s\n",
                         (long long)v->nodes, (long long)count, (long long)v->features,
                         (long long)v->classes, (v->flags & BONSAI_FLAG_DIRECTED) != 0,
                         (v->flags & BONSAI_FLAG_SELF_LOOPS) != 0,
                         (v->flags & BONSAI_FLAG_REPEATED) != 0,
                         v->flags & BONSAI_FLAG_OPERATOR ? " operator=1" : "",
                         weight ? ",weight" : ""));
    for (int64_t u = 0; u < v->nodes; u++) {
        BN_TRY(tick(w));
        for (int64_t e = bn_row_begin(g, u), end = bn_row_begin(g, u + 1); e < end; e++) {
            char line[LINE];
            if (!is_listed(g, u, to[e]))
                continue;
            int len = put_int(line, u);
            line[len++] = ',';
            len += put_int(line + len, to[e]);
            if (weight) {
                line[len++] = ',';
                len += put_float(line + len, weight[e]);
            }
            line[len++] = '\n';
            BN_TRY(bn_out_write(out, line, len));
        }
    }
done:
    return rc;
}

static bonsai_status write_dense(writer *w)
{
    bonsai_status rc;
    int64_t f = w->g->view.features;
    float *row = NULL;
    BN_TRY(BN_NEW(&row, f));
    for (int64_t v = 0; v < w->g->view.nodes; v++) {
        BN_TRY(tick(w));
        bn_row_whole(row, w->g, v);
        for (int64_t j = 0; j < f; j++) {
            char text[32];
            int len = put_float(text, row[j]);
            text[len++] = j + 1 < f ? ',' : '\n';
            BN_TRY(bn_out_write(w->out[FEATURES], text, len));
        }
    }
done:
    bn_free(row);
    return rc;
}

static bonsai_status write_triplets(writer *w, int64_t node, const int32_t *index,
                                    const float *value, int64_t count, bool values)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < count; i++) {
        char line[LINE];
        int len = put_int(line, node);
        line[len++] = ',';
        len += put_int(line + len, index[i]);
        if (values) {
            line[len++] = ',';
            len += put_float(line + len, value[i]);
        }
        line[len++] = '\n';
        BN_TRY(bn_out_write(w->out[FEATURES], line, len));
    }
done:
    return rc;
}

static bonsai_status write_sparse(writer *w)
{
    bonsai_status rc;
    const bonsai_graph *g = w->g;
    bool values = bn_has(g, BONSAI_SECTION_FEATURE_VALUES) ||
                  bn_has(g, BONSAI_SECTION_FEATURE_SCALE);
    int32_t *index = NULL;
    float *value = NULL;
    int64_t room = bn_row_room(g);
    BN_TRY(BN_NEW(&index, room));
    BN_TRY(BN_NEW(&value, room));
    BN_TRY(bn_out_printf(w->out[FEATURES], "node,feature%s\n", values ? ",value" : ""));
    for (int64_t v = 0; v < g->view.nodes; v++) {
        BN_TRY(tick(w));
        int64_t count = bn_row_get(index, value, g, v);
        BN_TRY(write_triplets(w, v, index, value, count, values));
    }
done:
    bn_free(index);
    bn_free(value);
    return rc;
}

static bonsai_status write_head(writer *w)
{
    static const struct { bonsai_section s; const char *name; } columns[] = {
        {BONSAI_SECTION_NODE_NAMES, ",name"},   {BONSAI_SECTION_LABELS, ",label"},
        {BONSAI_SECTION_SPLIT, ",split"},       {BONSAI_SECTION_NODE_WEIGHTS, ",weight"},
        {BONSAI_SECTION_ORIGIN, ",origin"},     {BONSAI_SECTION_ROLE, ",role"},
    };
    bonsai_status rc;
    bn_out *out = w->out[LABELS];
    BN_TRY(write_names(out, "class", w->g->view.section[BONSAI_SECTION_CLASS_NAMES].data,
                       w->g->view.classes));
    BN_TRY(bn_out_printf(out, "id"));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (bn_has(w->g, columns[i].s))
            BN_TRY(bn_out_printf(out, "%s", columns[i].name));
    BN_TRY(bn_out_printf(out, "\n"));
done:
    return rc;
}

/* Formats the columns after the name of a node. */
static int put_columns(char *to, const bonsai_graph *g, int64_t v)
{
    static const char *const parts[] = {"", "train", "val", "test"};
    static const char *const roles[] = {"", "root", "ego", "prototype", "learned"};
    const bonsai_array *a = g->view.section;
    int len = 0;
    if (a[BONSAI_SECTION_LABELS].data)
        len += sprintf(to + len, ",%d", bn_label(g, v));
    if (a[BONSAI_SECTION_SPLIT].data)
        len += sprintf(to + len, ",%s", parts[bn_int_at(&a[BONSAI_SECTION_SPLIT], v)]);
    if (a[BONSAI_SECTION_NODE_WEIGHTS].data) {
        to[len++] = ',';
        len += put_float(to + len, bn_real_at(&a[BONSAI_SECTION_NODE_WEIGHTS], v));
    }
    if (a[BONSAI_SECTION_ORIGIN].data)
        len += sprintf(to + len, ",%lld", (long long)bn_int_at(&a[BONSAI_SECTION_ORIGIN], v));
    if (a[BONSAI_SECTION_ROLE].data)
        len += sprintf(to + len, ",%s", roles[bn_int_at(&a[BONSAI_SECTION_ROLE], v)]);
    to[len++] = '\n';
    return len;
}

static bonsai_status write_labels(writer *w)
{
    bonsai_status rc;
    bn_out *out = w->out[LABELS];
    const char *name = w->g->view.section[BONSAI_SECTION_NODE_NAMES].data;
    char line[LINE];
    BN_TRY(write_head(w));
    for (int64_t v = 0; v < w->g->view.nodes; v++) {
        BN_TRY(tick(w));
        int len = put_int(line, v);
        BN_TRY(bn_out_write(out, line, len));
        if (name) {
            BN_TRY(bn_out_write(out, ",", 1));
            BN_TRY(write_quoted(out, name));
            name += strlen(name) + 1;
        }
        len = put_columns(line, w->g, v);
        BN_TRY(bn_out_write(out, line, len));
    }
done:
    return rc;
}

/* ---- the folder ---- */

static bonsai_status open_folder(writer *w, const char *path)
{
    bonsai_status rc;
    BN_TRY(bn_folder_recover(path));
    BN_TRY(bn_folder_open(&w->folder, path, file_names, bn_format_text.matches(path)));
    for (int i = 0; i < FILES; i++)
        if (i != FEATURES || w->g->view.features > 0)
            BN_TRY(bn_folder_file(&w->out[i], w->folder, i));
done:
    return rc;
}

static uint64_t cannot_hold(const bonsai_graph *g)
{
    static const bonsai_section lost[] = {
        BONSAI_SECTION_SOFT_LABELS, BONSAI_SECTION_MEMBER_OFFSETS, BONSAI_SECTION_MEMBERS,
        BONSAI_SECTION_KEPT_FEATURES, BONSAI_SECTION_FEATURE_MEAN, BONSAI_SECTION_FEATURE_SPREAD,
        BONSAI_SECTION_METADATA,
    };
    uint64_t mask = 0;
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        if (bn_has(g, lost[i]))
            mask |= BN_BIT(lost[i]);
    return mask | bn_basis_left_out(g);
}

bonsai_status bn_text_write(const bonsai_graph *g, const char *path, const bonsai_write_options *o,
                            uint64_t *left_out);

bonsai_status bn_text_write(const bonsai_graph *g, const char *path, const bonsai_write_options *o,
                            uint64_t *left_out)
{
    bonsai_status rc;
    bool features = g->view.features > 0;
    writer w = {.g = g, .progress = {o->progress, o->payload},
                .total = g->view.nodes * (features ? 3 : 2)};
    BN_TRY(bn_graph_need(g, BN_SYMMETRY, o->threads));  /* else half would be lost silently */
    BN_TRY(open_folder(&w, path));
    BN_TRY(bn_tick(w.progress, "writing", 0, w.total));
    w.done = 1;
    BN_TRY(write_edges(&w, count_listed(g)));
    if (features)
        BN_TRY(write_names(w.out[FEATURES], "feature",
                           g->view.section[BONSAI_SECTION_FEATURE_NAMES].data, g->view.features));
    if (features && bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS))
        BN_TRY(write_sparse(&w));
    else if (features)
        BN_TRY(write_dense(&w));
    BN_TRY(write_labels(&w));
    BN_TRY(bn_tick(w.progress, "writing", w.total, w.total));
    BN_TRY(bn_folder_commit(w.folder));
    *left_out |= cannot_hold(g);
done:
    bn_folder_close(w.folder);
    return rc;
}
