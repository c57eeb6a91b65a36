/* planetoid.c -- reads the raw files of the Planetoid citation graphs: DIR/ind.NAME.*
 *
 * .allx and .ally are the features and one-hot labels of the first nodes; .tx and .ty are those of
 * the test nodes, in the order of .test.index. .x and .y repeat the training nodes, which come
 * first. .graph is a dict of neighbour lists.  The split is the usual one: the rows of .y are
 * train, the next 500 are val, and .test.index is test.
 *
 * Node order and gaps are as in PyTorch Geometric: row i of .tx is node test.index[i], and a node
 * that the test index skips (CiteSeer has 15) has zero features and is in no part.  One difference:
 * the files give such a node no label, so it has none here; PyTorch Geometric gives it class 0.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io.h"
#include "lines.h"
#include "pickle.h"

enum { VAL_NODES = 500 };
enum { X, ALLX, TX, Y, ALLY, TY, GRAPH, TEST_INDEX, FILES };

static const char *const endings[FILES] = {".x", ".allx", ".tx", ".y", ".ally", ".ty", ".graph",
                                           ".test.index"};

typedef struct {
    char *path[FILES];
    bn_pickle *pickle[FILES];   /* NULL for the test index */
    bn_pickle_matrix x[3];      /* X, ALLX, TX */
    bn_pickle_array y[3];       /* Y, ALLY, TY */
    bn_pickle_lists lists;
    int64_t tests, first;       /* test nodes; the lowest, equal to the rows of allx */
    int64_t nodes;
    int32_t *test;              /* tests: node of each row of tx */
    int32_t *row;               /* nodes - first: row of tx, or -1 */
} planetoid;

/* ---- paths ---- */

/* Returns the length of DIR/ind.NAME in a path that may also name one of its files. */
static size_t base_length(const char *path, int which)
{
    return which < 0 ? strlen(path) : strlen(path) - strlen(endings[which]);
}

static bonsai_status file_path(char **out, const char *path, size_t base, int file)
{
    bonsai_status rc = BN_NEW(out, (int64_t)(base + strlen(endings[file]) + 1));
    if (rc == BONSAI_OK) {
        memcpy(*out, path, base);
        strcpy(*out + base, endings[file]);
    }
    return rc;
}

static bool has_files(const char *path, size_t base)
{
    return bn_is_file_at("%.*s%s", (int)base, path, endings[GRAPH]) &&
           bn_is_file_at("%.*s%s", (int)base, path, endings[ALLX]);
}

/* Returns the file whose ending the path has; -1 if it is DIR/ind.NAME. */
static int named_file(const char *path)
{
    if (has_files(path, strlen(path)))
        return -1;
    for (int i = 0; i < FILES; i++)
        if (bn_ends_with(path, endings[i]) && has_files(path, base_length(path, i)))
            return i;
    return -1;
}

static bool matches(const char *path)
{
    return named_file(path) >= 0 || has_files(path, strlen(path));
}

/* ---- the files ---- */

static bonsai_status read_test_index(planetoid *p)
{
    bonsai_status rc;
    bn_lines l = {0};
    int64_t room = 0, node;
    BN_TRY(bn_lines_open(&l, p->path[TEST_INDEX]));
    l.separator = ' ';
    while (l.more || bn_lines_next(&l)) {
        BN_TRY(bn_int_next(&l, &node));
        if (node < 0 || node >= INT32_MAX) {
            rc = bn_lines_fail(&l, "node %lld is outside 0..%d", (long long)node, INT32_MAX - 1);
            goto done;
        }
        BN_TRY(bn_grow((void **)&p->test, &room, p->tests + 1, sizeof *p->test));
        p->test[p->tests++] = (int32_t)node;
    }
done:
    bn_lines_close(&l);
    return rc;
}

static bonsai_status read_files(planetoid *p, const char *path, bn_progress progress)
{
    bonsai_status rc;
    size_t base = base_length(path, named_file(path));
    for (int i = 0; i < FILES; i++)
        BN_TRY(file_path(&p->path[i], path, base, i));
    for (int i = 0; i < TEST_INDEX; i++) {
        BN_TRY(bn_tick(progress, "reading", i, FILES));
        BN_TRY(bn_pickle_read(&p->pickle[i], p->path[i]));
    }
    for (int i = 0; i < 3; i++) {
        BN_TRY(bn_pickle_as_matrix(&p->x[i], p->pickle[X + i]));
        BN_TRY(bn_pickle_as_array(&p->y[i], p->pickle[Y + i]));
    }
    BN_TRY(bn_pickle_as_lists(&p->lists, p->pickle[GRAPH]));
    BN_TRY(read_test_index(p));
    BN_TRY(bn_tick(progress, "reading", FILES, FILES));
done:
    return rc;
}

/* ---- do the files fit each other? ---- */

static bonsai_status misfit(const planetoid *p, int file, const char *what, int64_t has, int other,
                            int64_t wanted)
{
    return bn_fail_at(BONSAI_E_FORMAT, p->path[file], "has %lld %s but %s has %lld", (long long)has,
                      what, p->path[other], (long long)wanted);
}

static bonsai_status check_shapes(const planetoid *p)
{
    for (int i = 0; i < 3; i++) {
        const bn_pickle_matrix *x = &p->x[i];
        const bn_pickle_array *y = &p->y[i];
        if (x->columns != p->x[1].columns)
            return misfit(p, X + i, "columns", x->columns, ALLX, p->x[1].columns);
        if (y->dims != 2)
            return bn_fail_at(BONSAI_E_FORMAT, p->path[Y + i], "has %d dimension; labels need rows "
                              "of classes", y->dims);
        if (y->dim[1] != p->y[1].dim[1])
            return misfit(p, Y + i, "classes", y->dim[1], ALLY, p->y[1].dim[1]);
        if (y->dim[0] != x->rows)
            return misfit(p, Y + i, "rows", y->dim[0], X + i, x->rows);
    }
    if (p->y[0].dim[0] > p->y[1].dim[0])
        return misfit(p, Y, "rows, which are the first of all,", p->y[0].dim[0], ALLY,
                      p->y[1].dim[0]);
    if (p->x[2].rows != p->tests)
        return misfit(p, TEST_INDEX, "nodes", p->tests, TX, p->x[2].rows);
    return BONSAI_OK;
}

/* Finds the row of tx of each node after allx. */
static bonsai_status place_tests(planetoid *p)
{
    int64_t low = p->tests ? INT32_MAX : p->x[1].rows, high = p->x[1].rows - 1;
    for (int64_t i = 0; i < p->tests; i++) {
        low = p->test[i] < low ? p->test[i] : low;
        high = p->test[i] > high ? p->test[i] : high;
    }
    if (low != p->x[1].rows)
        return bn_fail_at(BONSAI_E_FORMAT, p->path[TEST_INDEX], "the lowest node is %lld, but it "
                          "must follow the %lld of %s", (long long)low, (long long)p->x[1].rows,
                          p->path[ALLX]);
    p->first = low;
    p->nodes = high + 1;
    /* A skipped node must be in the graph, so that one line cannot claim any amount of memory. */
    if (p->nodes - low - p->tests > p->lists.count)
        return bn_fail_at(BONSAI_E_FORMAT, p->path[TEST_INDEX], "%lld nodes up to %lld are "
                          "skipped, but %s has only %lld", (long long)(p->nodes - low - p->tests),
                          (long long)high, p->path[GRAPH], (long long)p->lists.count);
    bonsai_status rc = BN_NEW(&p->row, p->nodes - low);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < p->nodes - low; i++)
        p->row[i] = -1;
    for (int64_t i = 0; i < p->tests; i++) {
        int32_t *row = &p->row[p->test[i] - low];
        if (*row >= 0)
            return bn_fail_at(BONSAI_E_FORMAT, p->path[TEST_INDEX], "node %d occurs twice",
                              p->test[i]);
        *row = (int32_t)i;
    }
    return BONSAI_OK;
}

/* Returns the index in p->x and p->y (1 or 2) of a node's file, and its row there; row -1: the node
 * was skipped. */
static int locate(const planetoid *p, int64_t node, int64_t *row)
{
    *row = node < p->first ? node : p->row[node - p->first];
    return node < p->first ? 1 : 2;
}

/* ---- the draft ---- */

static bonsai_status lay_features(bn_draft *d, const planetoid *p)
{
    bonsai_status rc;
    uint64_t *offsets;
    int32_t *index;
    float *value;
    int64_t row, nnz = p->x[1].indices.dim[0] + p->x[2].indices.dim[0], at = 0;
    BN_TRY(bn_draft_array(&offsets, d, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64,
                          p->nodes + 1));
    BN_TRY(bn_draft_array(&index, d, BONSAI_SECTION_FEATURE_INDICES, BONSAI_TYPE_U32, nnz));
    BN_TRY(bn_draft_array(&value, d, BONSAI_SECTION_FEATURE_VALUES, BONSAI_TYPE_F32, nnz));
    for (int64_t v = 0; v < p->nodes; v++) {
        const bn_pickle_matrix *x = &p->x[locate(p, v, &row)];
        int64_t e = row < 0 ? 0 : bn_pickle_int(&x->offsets, row);
        int64_t end = row < 0 ? 0 : bn_pickle_int(&x->offsets, row + 1);
        for (; e < end; e++, at++) {
            double wide = bn_pickle_real(&x->values, e);
            index[at] = (int32_t)bn_pickle_int(&x->indices, e);
            value[at] = (float)wide;
            d->g->info.rounded |= isfinite(wide) && (double)value[at] != wide;
        }
        offsets[v + 1] = (uint64_t)at;
        d->g->info.filled += row < 0;
    }
done:
    return rc;
}

/* Finds the class of a one-hot row, or -1 if all entries are zero. */
static bonsai_status one_hot(int32_t *out, const planetoid *p, int which, int64_t row)
{
    const bn_pickle_array *y = &p->y[which];
    *out = -1;
    for (int64_t c = 0; c < y->dim[1]; c++) {
        double v = bn_pickle_real_at(y, row, c);
        if (v == 0)
            continue;
        if (v != 1 || *out >= 0)
            return bn_fail_at(BONSAI_E_FORMAT, p->path[Y + which], "row %lld: class %lld is %g%s",
                              (long long)row, (long long)c, v,
                              v == 1 ? ", the second 1 of its row" : "; labels are 0 and one 1");
        *out = (int32_t)c;
    }
    return BONSAI_OK;
}

static bonsai_status lay_labels(bn_draft *d, const planetoid *p)
{
    bonsai_status rc;
    int32_t *label;
    uint8_t *split;
    int64_t row, train = p->y[0].dim[0];
    BN_TRY(bn_draft_array(&label, d, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32, p->nodes));
    BN_TRY(bn_draft_array(&split, d, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, p->nodes));
    for (int64_t v = 0; v < p->nodes; v++) {
        int which = locate(p, v, &row);
        label[v] = -1;
        if (row < 0)            /* a skipped node is in no part */
            continue;
        BN_TRY(one_hot(&label[v], p, which, row));
        split[v] = v >= p->first           ? BONSAI_PART_TEST
                   : v < train             ? BONSAI_PART_TRAIN
                   : v < train + VAL_NODES ? BONSAI_PART_VAL
                                           : BONSAI_PART_NONE;
    }
done:
    return rc;
}

static bonsai_status lay_edges(bn_draft *d, const planetoid *p)
{
    bonsai_status rc;
    bool *seen = NULL;
    const bn_pickle_lists *l = &p->lists;
    d->m = l->begin[l->count];
    BN_TRY(BN_NEW(&seen, p->nodes));
    BN_TRY(BN_NEW(&d->source, d->m));
    BN_TRY(BN_NEW(&d->target, d->m));
    for (int64_t i = 0; i < l->count; i++) {
        int32_t v = l->key[i];
        if (v < 0 || v >= p->nodes || seen[v]) {
            rc = bn_fail_at(BONSAI_E_FORMAT, p->path[GRAPH], "node %d %s", v,
                            v >= 0 && v < p->nodes ? "has two lists"
                                                   : "is in none of the other files");
            goto done;
        }
        seen[v] = true;
        for (int64_t e = l->begin[i]; e < l->begin[i + 1]; e++) {
            if (l->item[e] < 0 || l->item[e] >= p->nodes) {
                rc = bn_fail_at(BONSAI_E_FORMAT, p->path[GRAPH], "node %d has neighbor %d, outside "
                                "0..%lld", v, l->item[e], (long long)p->nodes - 1);
                goto done;
            }
            d->source[e] = v;
            d->target[e] = l->item[e];
        }
    }
done:
    bn_free(seen);
    return rc;
}

static void planetoid_free(planetoid *p)
{
    for (int i = 0; i < FILES; i++) {
        bn_free(p->path[i]);
        bn_pickle_free(p->pickle[i]);
    }
    bn_pickle_lists_free(&p->lists);
    bn_free(p->test);
    bn_free(p->row);
}

static bonsai_status read_planetoid(bn_draft *d, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc;
    planetoid p = {0};
    if (bn_is_dir(path))
        return bn_fail_at(BONSAI_E_FORMAT, path, "is a folder; for Planetoid give FOLDER/ind.NAME, "
                          "such as %s/ind.cora", path);
    BN_TRY(read_files(&p, path, (bn_progress){o->progress, o->payload}));
    BN_TRY(check_shapes(&p));
    BN_TRY(place_tests(&p));
    d->nodes = p.nodes;
    d->features = p.x[1].columns;
    d->classes = p.y[1].dim[1];
    BN_TRY(lay_features(d, &p));
    BN_TRY(lay_labels(d, &p));
    BN_TRY(lay_edges(d, &p));
done:
    planetoid_free(&p);
    return rc;
}

const bn_format bn_format_planetoid = {
    .name = "planetoid",
    .help = "raw files of Cora, CiteSeer and PubMed: DIR/ind.NAME",
    .matches = matches,
    .read = read_planetoid,
};
