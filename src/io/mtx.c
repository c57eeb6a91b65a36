/* mtx.c -- reads Matrix Market files as adjacency matrices, with features and labels next to them
 * as in text.
 *
 * Entry (i, j), counted from 1, is an edge from node i-1 to node j-1.  If the files next to it have
 * ids, these name the rows of the matrix in order.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "companion.h"

typedef struct {
    bn_lines l;
    bn_draft *d;
    bn_progress progress;
    bool     weighted, integer, symmetric;
    int64_t  n, entries;
} matrix;

static bool matches(const char *path)
{
    return (bn_ends_with(path, ".mtx") || bn_ends_with(path, ".mtx.gz")) && bn_is_file(path);
}

/* Reads the next word of the banner. */
static bn_field next_word(const char **p, const char *end)
{
    while (*p < end && (**p == ' ' || **p == '\t'))
        ++*p;
    bn_field f = {*p, 0, false};
    for (; *p < end && **p != ' ' && **p != '\t'; ++*p)
        f.len++;
    return f;
}

static bonsai_status refuse(const matrix *x, const bn_field *f, const char *why)
{
    return bn_lines_fail(&x->l, "\"%.*s\" %s", bn_field_show(f), f->text, why);
}

static bonsai_status read_banner(matrix *x)
{
    bn_field line, word[5];
    if (x->l.stop == x->l.data || *x->l.data != '%' || !bn_comment_next(&x->l, &line))
        return bn_fail_at(BONSAI_E_FORMAT, x->l.path, "does not start with %%%%MatrixMarket");
    const char *p = line.text, *end = p + line.len;
    for (int i = 0; i < 5; i++)
        word[i] = next_word(&p, end);
    if (!bn_field_is(&word[0], "%matrixmarket"))
        return bn_fail_at(BONSAI_E_FORMAT, x->l.path, "does not start with %%%%MatrixMarket");
    if (!bn_field_is(&word[1], "matrix"))
        return refuse(x, &word[1], "is not a known object; use \"matrix\"");
    if (bn_field_is(&word[2], "array"))
        return refuse(x, &word[2], "holds every entry, and an adjacency must be sparse: "
                      "\"coordinate\" is needed");
    if (!bn_field_is(&word[2], "coordinate"))
        return refuse(x, &word[2], "is not a known layout; use \"coordinate\"");
    x->integer = bn_field_is(&word[3], "integer");
    x->weighted = x->integer || bn_field_is(&word[3], "real") || bn_field_is(&word[3], "double");
    if (!x->weighted && !bn_field_is(&word[3], "pattern"))
        return refuse(x, &word[3], "entries cannot be weights of edges; pattern, real and "
                      "integer can");
    x->symmetric = bn_field_is(&word[4], "symmetric");
    if (!x->symmetric && !bn_field_is(&word[4], "general"))
        return refuse(x, &word[4], "is not a symmetry of edges; use general or symmetric");
    return BONSAI_OK;
}

static bonsai_status read_size(matrix *x)
{
    bonsai_status rc;
    int64_t columns;
    if (!bn_lines_next(&x->l))
        return bn_fail_at(BONSAI_E_FORMAT, x->l.path, "ends before the line of sizes");
    BN_TRY(bn_int_next(&x->l, &x->n));
    BN_TRY(bn_int_next(&x->l, &columns));
    BN_TRY(bn_int_next(&x->l, &x->entries));
    if (x->l.more)
        return bn_lines_fail(&x->l, "more than three sizes");
    if (x->n != columns)
        return bn_lines_fail(&x->l, "%lld rows and %lld columns; an adjacency matrix is square",
                             (long long)x->n, (long long)columns);
    BN_TRY(bn_check_announced_nodes(&x->l, x->n));
    int64_t shortest = x->weighted ? 5 : 3, left = x->l.stop - x->l.next;    /* "1 1\n" */
    if (x->entries < 0 || x->entries > left / shortest + 1)
        return bn_lines_fail(&x->l, "%lld entries do not fit in the %lld bytes that follow",
                             (long long)x->entries, (long long)left);
done:
    return rc;
}

static bonsai_status read_index(matrix *x, int32_t *out)
{
    bonsai_status rc;
    int64_t i;
    BN_TRY(bn_int_next(&x->l, &i));
    if (i < 1 || i > x->n)
        return bn_lines_fail(&x->l, "index %lld is outside 1..%lld", (long long)i,
                             (long long)x->n);
    *out = (int32_t)(i - 1);
done:
    return rc;
}

static bonsai_status read_weight(matrix *x, float *out)
{
    bonsai_status rc;
    int64_t i;
    if (x->integer) {
        BN_TRY(bn_int_next(&x->l, &i));
        *out = (float)i;
    } else {
        BN_TRY(bn_real_next(&x->l, out));
    }
    if (!(*out > 0.0f))
        rc = bn_lines_fail(&x->l, "weight %g is not positive", (double)*out);
done:
    return rc;
}

static bonsai_status read_entry(matrix *x)
{
    bonsai_status rc;
    int32_t u, v;
    float w = 1.0f;
    BN_TRY(read_index(x, &u));
    BN_TRY(read_index(x, &v));
    if (x->weighted)
        BN_TRY(read_weight(x, &w));
    if (x->l.more)
        return bn_lines_fail(&x->l, "more than %d numbers", 2 + x->weighted);
    BN_TRY(bn_draft_edge(x->d, u, v, x->weighted ? &w : NULL));
    if (x->symmetric && u != v)
        BN_TRY(bn_draft_edge(x->d, v, u, x->weighted ? &w : NULL));
done:
    return rc;
}

static bonsai_status read_entries(matrix *x)
{
    bonsai_status rc;
    int64_t found = 0;
    for (; bn_lines_row(&x->l, x->progress, "reading edges", &rc); found++) {
        if (found == x->entries)
            return bn_lines_fail(&x->l, "there are more than the %lld entries announced",
                                 (long long)x->entries);
        BN_TRY(read_entry(x));
    }
    if (rc == BONSAI_OK && found < x->entries)
        return bn_fail_at(BONSAI_E_FORMAT, x->l.path, "ends after %lld of %lld entries",
                          (long long)found, (long long)x->entries);
    if (rc == BONSAI_OK && x->weighted && !x->d->weight)
        rc = BN_NEW(&x->d->weight, 1);
done:
    return rc;
}

static bonsai_status read_mtx(bn_draft *d, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc;
    bn_companions c = {0};
    matrix x = {.d = d, .progress = {o->progress, o->payload}};
    BN_TRY(bn_companions_find(&c, path, o));
    BN_TRY(bn_lines_open(&x.l, path));
    x.l.separator = ' ';
    BN_TRY(read_banner(&x));
    BN_TRY(read_size(&x));
    BN_TRY(bn_companions_nodes(&c, d));
    if (c.nodes.n >= 0 && c.nodes.n != x.n) {
        rc = bn_fail_at(BONSAI_E_FORMAT, path, "the matrix has %lld rows, but %s has %lld nodes",
                        (long long)x.n, c.nodes.listed, (long long)c.nodes.n);
        goto done;
    }
    c.nodes.n = x.n;
    BN_TRY(read_entries(&x));
    BN_TRY(bn_companions_finish(&c, d));
done:
    bn_lines_close(&x.l);
    bn_companions_free(&c);
    return rc;
}

const bn_format bn_format_mtx = {
    .name = "mtx",
    .help = "a Matrix Market file (.mtx, .mtx.gz) as the adjacency, features and labels beside it",
    .companions = true,
    .matches = matches,
    .read = read_mtx,
};
