/* textread.c -- reads graphs from edge lists: a source, a target and maybe a weight per line, in
 * columns that edgehead.c finds.
 *
 * The label or feature file lists the nodes and sets their order.  Without such a list, ids are
 * node numbers if all are integers from 0 on and at least a quarter of 0..max occur; else integers
 * are ordered by value and other names by first appearance.  The kind of ids is found by trial:
 * they are read as numbers; if that fails, again as integers; and if that fails, again as names.
 *
 * Our own writer starts edges.csv with "# bonsai: nodes=.. edges=.. ...".  This head says what the
 * lines do not, and that an undirected edge is listed once.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "edgehead.h"

bonsai_status bn_text_write(const bonsai_graph *g, const char *path, const bonsai_write_options *o,
                            uint64_t *left_out);

typedef struct {
    bn_table t;
    bn_draft *d;
    bn_nodes *nodes;
    const bonsai_read_options *o;
    bool     known;             /* a file lists the nodes */
    bool     again, mirror;
    int64_t  lines;
    bn_edge_columns k;
    char     hint[160];         /* what to do about a weight that is no number */
} edges;

/* ---- which file ---- */

static bool is_edge_file(const char *path)
{
    static const char *const endings[] = {".el", ".edges", ".edgelist", ".txt", ".csv", ".tsv"};
    char name[16];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        strcpy(name, endings[i]);
        if (bn_ends_with(path, name) || bn_ends_with(path, strcat(name, ".gz")))
            return bn_is_file(path);
    }
    return false;
}

static bonsai_status edge_file(char **out, const char *path)
{
    bonsai_status rc;
    char *stem = NULL;
    if (!bn_is_dir(path))
        return bn_strdup(out, path);
    BN_TRY(bn_path_join(&stem, path, "edges"));
    BN_TRY(bn_text_file(out, stem));
    if (!*out)
        rc = bn_fail_at(BONSAI_E_IO, path, "the folder has no edges.csv, edges.tsv or edges.txt");
done:
    bn_free(stem);
    return rc;
}

static bool matches(const char *path)
{
    if (!bn_is_dir(path))
        return is_edge_file(path);
    for (int i = 0; bn_text_endings[i]; i++)
        if (bn_is_file_at("%s/edges%s", path, bn_text_endings[i]))
            return true;
    return false;
}

/* ---- the head ---- */

typedef struct {
    int64_t nodes, edges, features, classes, directed, self_loops, repeated, is_operator;
} head;

static int64_t *head_value(head *h, const bn_field *f)
{
    const struct { const char *name; int64_t *value; } keys[] = {
        {"nodes", &h->nodes},         {"edges", &h->edges},       {"features", &h->features},
        {"classes", &h->classes},     {"directed", &h->directed}, {"self_loops", &h->self_loops},
        {"repeated", &h->repeated},   {"operator", &h->is_operator},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (bn_field_is(f, keys[i].name))
            return keys[i].value;
    return NULL;
}

/* Reads "key=value key=value ...". */
static bonsai_status parse_head(head *h, const bn_lines *l, const char *p, const char *end)
{
    while (p < end) {
        bn_field key = {p, 0, false};
        for (; p < end && *p != '=' && *p != ' '; p++)
            key.len++;
        int64_t *value = head_value(h, &key);
        if (!value || p == end || *p != '=')
            return bn_lines_fail(l, "\"%.*s\" is not known to this version of the library (%s)",
                                 bn_field_show(&key), key.text, BONSAI_VERSION);
        p++;
        if (!bn_parse_int(&p, end, value) || *value < 0 || *value > INT64_MAX / 2 ||
            (p < end && *p != ' '))
            return bn_lines_fail(l, "%.*s has no number of at least 0", bn_field_show(&key),
                                 key.text);
        while (p < end && *p == ' ')
            p++;
    }
    return BONSAI_OK;
}

static bonsai_status read_head(head *h, bn_lines *l)
{
    static const char mark[] = "bonsai: ";
    const int64_t len = sizeof mark - 1;
    bn_field f;
    *h = (head){-1, -1, -1, -1, -1, -1, -1, -1};
    while (bn_comment_next(l, &f))
        if (f.len >= len && memcmp(f.text, mark, (size_t)len) == 0)
            return parse_head(h, l, f.text + len, f.text + f.len);
    return BONSAI_OK;
}

static void use_head(const head *h, edges *e, bn_companions *c, const bonsai_read_options *o)
{
    e->mirror = h->directed == 0;
    e->d->keep = (h->directed == 1 ? BONSAI_FLAG_DIRECTED : 0u) |
                 (h->self_loops == 1 ? BONSAI_FLAG_SELF_LOOPS : 0u) |
                 (h->repeated == 1 ? BONSAI_FLAG_REPEATED : 0u) |
                 (h->is_operator == 1 ? BONSAI_FLAG_OPERATOR : 0u);
    c->announced_features = o->features ? -1 : h->features;      /* other files, other counts */
    c->announced_classes = o->labels ? -1 : h->classes;
    if (h->features == 0 && !o->features) {     /* any feature file here is an older one */
        bn_free(c->features);
        c->features = NULL;
    }
}

/* ---- edges ---- */

static bonsai_status read_node(edges *e, int32_t *out)
{
    bonsai_status rc;
    bn_field f;
    int64_t number;
    const char *before = e->t.l.at;
    bool more = e->t.l.more;
    if (e->nodes->kind == BN_NUMBERS && bn_int_try(&e->t.l, &number)) {
        int64_t n = e->nodes->n;
        if (number >= 0 && number < (e->known ? n : INT32_MAX)) {
            *out = (int32_t)number;
            e->nodes->n = number >= n ? number + 1 : n;
            return BONSAI_OK;
        }
        e->t.l.at = before;
        e->t.l.more = more;
    }
    BN_TRY(bn_field_next(&e->t.l, &f));
    if (!f.text)
        return bn_lines_fail(&e->t.l, "the line ends where a node is needed");
    if (e->known)
        BN_TRY(bn_nodes_find(out, e->nodes, &e->t.l, &f));
    else
        BN_TRY(bn_nodes_meet(out, e->nodes, &e->t.l, &f, &e->again));
done:
    return rc;
}

static bonsai_status read_weight(edges *e, float *out)
{
    bonsai_status rc;
    BN_TRY(bn_real_next(&e->t.l, out));
    if (!(*out > 0.0f) && !(e->d->keep & BONSAI_FLAG_OPERATOR))
        rc = bn_lines_fail(&e->t.l, "weight %g is not positive", (double)*out);
done:
    return rc;
}

/* Reads the column `at`, and a column that is neither end nor weight without using it. */
static bonsai_status read_column(edges *e, int64_t at, int32_t end[2], float *w)
{
    bn_field f;
    const bn_edge_columns *k = &e->k;
    if (at == k->end[0] || at == k->end[1])
        return read_node(e, &end[at == k->end[1]]);
    if (at == k->weight)
        return read_weight(e, w);
    if (!e->t.l.more)
        return bn_lines_fail(&e->t.l, "%lld columns where the first line has %lld", (long long)at,
                             (long long)k->columns);
    return bn_field_next(&e->t.l, &f);
}

static bonsai_status read_edge(edges *e)
{
    bonsai_status rc = BONSAI_OK;
    int32_t end[2];
    float w = 1.0f;
    const float *weight = e->k.weight >= 0 ? &w : NULL;
    for (int64_t i = 0; i < e->k.columns; i++) {
        BN_TRY(read_column(e, i, end, &w));
        if (e->again)
            return BONSAI_OK;
    }
    if (e->t.l.more)
        return bn_lines_fail(&e->t.l, "more columns than the %lld of the first line",
                             (long long)e->k.columns);
    BN_TRY(bn_draft_edge(e->d, end[0], end[1], weight));
    if (e->mirror && end[0] != end[1])
        BN_TRY(bn_draft_edge(e->d, end[1], end[0], weight));
done:
    return rc;
}

static bonsai_status read_pass(edges *e)
{
    bonsai_status rc;
    e->d->m = e->lines = 0;
    e->again = false;
    for (bn_table_start(&e->t); !e->again && bn_table_next(&e->t, &rc); e->lines++)
        BN_TRY(read_edge(e));
done:
    return rc;
}

/* Decides if ids are numbers: at least a quarter of those below n must occur; else they are
 * names. */
static bonsai_status judge_numbers(edges *e)
{
    bonsai_status rc = BONSAI_OK;
    uint8_t *seen = NULL;
    const bn_draft *d = e->d;
    int64_t n = e->nodes->n, distinct = 0;
    if (e->known || e->nodes->kind != BN_NUMBERS)
        return BONSAI_OK;
    if (n / 8 <= d->m) {
        BN_TRY(BN_NEW(&seen, n));
        for (int64_t i = 0; i < d->m; i++)
            seen[d->source[i]] = seen[d->target[i]] = 1;
        for (int64_t v = 0; v < n; v++)
            distinct += seen[v];
    }
    d->g->info.filled = n - distinct;
    e->again = 4 * distinct < n;
    if (e->again) {
        d->g->info.filled = 0;
        bn_nodes_reset(e->nodes, BN_INTEGERS);
    }
done:
    bn_free(seen);
    return rc;
}

static bonsai_status read_edges(edges *e)
{
    bonsai_status rc;
    BN_TRY(bn_edge_columns_find(&e->k, &e->t, e->known ? e->nodes : NULL, e->d->g->where, e->o));
    if (!e->known)
        bn_nodes_reset(e->nodes, BN_NUMBERS);
    do {
        BN_TRY(read_pass(e));
        if (!e->again)
            BN_TRY(judge_numbers(e));
    } while (e->again);
    if (e->k.weight >= 0 && !e->d->weight)
        BN_TRY(BN_NEW(&e->d->weight, 1));
    if (e->known || e->nodes->kind != BN_INTEGERS)
        return BONSAI_OK;
    BN_TRY(bn_nodes_sort(e->nodes));
    for (int64_t i = 0; i < e->d->m; i++) {
        e->d->source[i] = e->nodes->rank[e->d->source[i]];
        e->d->target[i] = e->nodes->rank[e->d->target[i]];
    }
done:
    return rc;
}

/* ---- the whole ---- */

/* Uses the node count of the head if no file lists the nodes. */
static bonsai_status use_announced_nodes(edges *e, const head *h)
{
    bonsai_status rc = BONSAI_OK;
    if (h->nodes < 0 || e->nodes->n == h->nodes)
        return BONSAI_OK;
    if (e->nodes->n >= 0)
        return bn_fail_at(BONSAI_E_FORMAT, e->t.l.path, "says %lld nodes, but %s has %lld",
                          (long long)h->nodes, e->nodes->listed, (long long)e->nodes->n);
    BN_TRY(bn_check_announced_nodes(&e->t.l, h->nodes));
    bn_nodes_reset(e->nodes, BN_NUMBERS);
    e->nodes->n = h->nodes;
done:
    return rc;
}

static bonsai_status read_text(bn_draft *d, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc;
    char *file = NULL;
    bn_companions c = {0};
    edges e = {.d = d, .nodes = &c.nodes, .o = o,
               .t = {.stage = "reading edges", .progress = {o->progress, o->payload}}};
    head h;
    struct stat before = {0}, after = {0};
    (void)!stat(path, &before);
    BN_TRY(edge_file(&file, path));
    BN_TRY(bn_companions_find(&c, path, o));
    c.edges = file;
    BN_TRY(bn_table_open(&e.t, file));
    snprintf(e.hint, sizeof e.hint, ": a third column holds weights, which are numbers; %s "
             "keeps the first two", bn_cut_ends(e.t.l.separator));
    e.t.l.hint = e.hint;
    BN_TRY(read_head(&h, &e.t.l));
    use_head(&h, &e, &c, o);
    BN_TRY(bn_companions_nodes(&c, d));
    BN_TRY(use_announced_nodes(&e, &h));
    e.known = c.nodes.n >= 0;
    BN_TRY(read_edges(&e));
    if (h.edges >= 0 && e.lines != h.edges)
        rc = bn_fail_at(BONSAI_E_FORMAT, file, "says %lld edges but lists %lld", (long long)h.edges,
                        (long long)e.lines);
    else if (!e.known && e.lines == 0)
        rc = bn_fail_at(BONSAI_E_FORMAT, file, "has no edge, and no file lists the nodes");
    else if (h.features > 0 && !c.features)
        rc = bn_fail_at(BONSAI_E_FORMAT, file, "says %lld features, but there is no file of "
                        "features", (long long)h.features);
    else
        rc = bn_companions_finish(&c, d);
    if (rc == BONSAI_OK && stat(path, &after) == 0 && S_ISDIR(after.st_mode) &&
        (after.st_ino != before.st_ino || after.st_dev != before.st_dev))
        rc = bn_fail_at(BONSAI_E_IO, path, "was replaced while it was read; read it again");
done:
    bn_table_close(&e.t);
    bn_companions_free(&c);
    bn_free(file);
    return rc;
}

const bn_format bn_format_text = {
    .name = "text",
    .help = "edges a line (.el .edges .txt .csv .tsv, .gz), or a folder with edges.csv, "
            "features.csv, labels.csv",
    .companions = true,
    .matches = matches,
    .read = read_text,
    .write = bn_text_write,
};
