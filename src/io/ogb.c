/* ogb.c -- reads folders of the Open Graph Benchmark's node-property datasets.
 *
 * raw/ holds text, plain or gzipped: edge.csv (source,target), node-label.csv, node-feat.csv
 * (optional), num-node-list.csv and num-edge-list.csv; or the same as arrays: data.npz (edge_index,
 * node_feat, num_nodes_list, num_edges_list) and node-label.npz.  Other files in raw/ are ignored.
 * A label that is empty, nan or -1 is unknown; several labels per node are refused.
 *
 * split/SCHEME/{train,valid,test}.csv list nodes.  If there are several schemes, the first by name
 * is used.
 *
 * Labels are read first: they give the number of nodes, and since they take space in the file, no
 * number in a short file can claim much memory.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lines.h"
#include "io.h"
#include "stream.h"

typedef struct {
    bn_stream  *s;              /* labels say how many nodes there are */
    bn_draft   *d;              /* NULL: the text files are not read */
    const char *folder;
} reader;

/* ---- files ---- */

static bool has(const char *folder, const char *name)
{
    return bn_is_file_at("%s/%s", folder, name);
}

static bool matches(const char *path)
{
    return has(path, "raw/edge.csv.gz") || has(path, "raw/edge.csv") || has(path, "raw/data.npz");
}

/* Finds FOLDER/NAME.csv.gz or FOLDER/NAME.csv. */
static bonsai_status csv_path(char **out, const char *folder, const char *name)
{
    char file[64];
    snprintf(file, sizeof file, "%s.csv", name);
    if (!has(folder, file))
        snprintf(file, sizeof file, "%s.csv.gz", name);
    return bn_path_join(out, folder, file);
}

typedef struct {
    char    *path;
    bn_lines lines;
} text;

static bonsai_status text_open(text *t, const char *folder, const char *name)
{
    bonsai_status rc;
    BN_TRY(csv_path(&t->path, folder, name));
    BN_TRY(bn_lines_open(&t->lines, t->path));
done:
    return rc;
}

static void text_close(text *t)
{
    bn_lines_close(&t->lines);
    bn_free(t->path);
}

/* Fails if the record has another field. */
static bonsai_status end_record(const bn_lines *l, const char *what)
{
    return l->more ? bn_lines_fail(l, "more than %s in a line", what) : BONSAI_OK;
}

static bonsai_status next_node(bn_lines *l, int64_t n, int32_t *out)
{
    bonsai_status rc;
    int64_t v;
    BN_TRY(bn_int_next(l, &v));
    if (v < 0 || v >= n)
        rc = bn_lines_fail(l, "node %lld is outside 0..%lld", (long long)v, (long long)n - 1);
    *out = (int32_t)v;
done:
    return rc;
}

/* Reads the one number in raw/num-node-list.csv or raw/num-edge-list.csv. */
static bonsai_status read_count(const reader *r, const char *name, int64_t *out)
{
    bonsai_status rc;
    text t = {0};
    BN_TRY(text_open(&t, r->folder, name));
    if (!bn_lines_next(&t.lines)) {
        rc = bn_fail_at(BONSAI_E_FORMAT, t.path, "is empty where one number is needed");
        goto done;
    }
    BN_TRY(bn_int_next(&t.lines, out));
    BN_TRY(end_record(&t.lines, "one number"));
    if (bn_lines_next(&t.lines))
        rc = bn_lines_fail(&t.lines, "a second graph; only folders of one graph can be read");
done:
    text_close(&t);
    return rc;
}

/* ---- labels ---- */

static bonsai_status text_label(bn_lines *l, int32_t *out)
{
    bonsai_status rc;
    bn_field f;
    double v = (double)NAN;
    BN_TRY(bn_field_next(l, &f));
    if ((f.len > 0 && !bn_field_real(&f, &v)) || !bn_class_of(v, out))
        rc = bn_lines_fail(l, "\"%.*s\" is not a class", bn_field_show(&f), f.text);
    else if (l->more)
        rc = bn_lines_fail(l, "more than one label; only one class a node can be read");
done:
    return rc;
}

/* Reads a label a line; a blank line is an unknown label, so lines are counted, not records. */
static bonsai_status text_labels(reader *r, int32_t **label)
{
    bonsai_status rc;
    text t = {0};
    bn_field f;
    int64_t room = 0, rows = 0;
    BN_TRY(text_open(&t, r->folder, "raw/node-label"));
    bn_lines *l = &t.lines;
    l->separator = ',';         /* the first line may be blank or have no separator */
    BN_TRY(bn_lines_tick(l, r->s->progress, "reading labels"));
    for (bool more = true; more;) {
        if (bn_comment_next(l, &f)) {
            rc = bn_lines_fail(l, "a comment where a label is needed");
            goto done;
        }
        more = bn_lines_next(l);
        int64_t end = more ? l->line : l->lines;
        BN_TRY(bn_grow((void **)label, &room, end, sizeof **label));
        for (; rows < end; rows++)
            (*label)[rows] = -1;
        if (more)
            BN_TRY(text_label(l, &(*label)[rows - 1]));
        BN_TRY(bn_lines_tick(l, r->s->progress, "reading labels"));
    }
    r->s->n = rows;
done:
    text_close(&t);
    return rc;
}

static bonsai_status array_labels(reader *r)
{
    bonsai_status rc;
    bn_zip z = {0};
    bn_npy a = {0};
    char *path = NULL;
    BN_TRY(bn_path_join(&path, r->folder, "raw/node-label.npz"));
    BN_TRY(bn_zip_open(&z, path, (bn_progress){0}));
    BN_TRY(bn_zip_array(&a, &z, "node_label"));
    BN_TRY(bn_stream_labels(r->s, &a));
done:
    bn_npy_close(&a);
    bn_zip_close(&z);
    bn_free(path);
    return rc;
}

static bonsai_status read_labels(reader *r)
{
    if (has(r->folder, "raw/node-label.npz"))
        return array_labels(r);
    bonsai_status rc = text_labels(r, &r->s->label);
    if (rc == BONSAI_OK && r->s->n == 0)        /* no labels are labels, too */
        rc = BN_NEW(&r->s->label, 0);
    if (rc == BONSAI_OK && r->s->n > INT32_MAX)
        rc = bn_fail_at(BONSAI_E_FORMAT, r->folder, "%lld nodes; the number must be in 0..%d",
                        (long long)r->s->n, INT32_MAX);
    return rc;
}

/* ---- the text files ---- */

static bonsai_status text_edges(reader *r)
{
    bonsai_status rc;
    text t = {0};
    bn_draft *d = r->d;
    int64_t m = 0;
    BN_TRY(read_count(r, "raw/num-edge-list", &m));
    BN_TRY(text_open(&t, r->folder, "raw/edge"));
    bn_lines *l = &t.lines;
    if (m < 0 || m > (l->stop - l->data + 1) / 4) {     /* each is "0,1" and a line end */
        rc = bn_fail_at(BONSAI_E_FORMAT, t.path, "is too short for the %lld edges of num-edge-list",
                        (long long)m);
        goto done;
    }
    BN_TRY(BN_NEW(&d->source, m));
    BN_TRY(BN_NEW(&d->target, m));
    while (bn_lines_row(l, r->s->progress, "reading edges", &rc)) {
        if (d->m == m) {
            rc = bn_lines_fail(l, "more edges than the %lld of num-edge-list", (long long)m);
            goto done;
        }
        BN_TRY(next_node(l, r->s->n, &d->source[d->m]));
        BN_TRY(next_node(l, r->s->n, &d->target[d->m]));
        BN_TRY(end_record(l, "two nodes"));
        d->m++;
    }
    if (rc == BONSAI_OK && d->m < m)
        rc = bn_fail_at(BONSAI_E_FORMAT, t.path, "ends after %lld edges of the %lld of "
                        "num-edge-list", (long long)d->m, (long long)m);
done:
    text_close(&t);
    return rc;
}

static int64_t count_fields(const bn_lines *l)
{
    int64_t fields = 1;
    for (const char *p = l->at; p < l->end; p++)
        fields += *p == ',';
    return fields;
}

/* Reads one row of exactly f numbers. */
static bonsai_status text_row(bn_lines *l, float *row, int64_t f)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < f; i++)
        BN_TRY(bn_real_next(l, row + i));
    if (l->more)
        rc = bn_lines_fail(l, "more columns than the %lld of the first row", (long long)f);
done:
    return rc;
}

static bonsai_status text_features(reader *r)
{
    bonsai_status rc;
    text t = {0};
    float *x = NULL;
    int64_t row = 0, f = 0, size;
    BN_TRY(text_open(&t, r->folder, "raw/node-feat"));
    bn_lines *l = &t.lines;
    l->separator = ',';
    for (; bn_lines_row(l, r->s->progress, "reading features", &rc); row++) {
        if (row == 0) {
            f = count_fields(l);
            if (!bn_mul(&size, r->s->n, f) || size > (l->stop - l->data + 1) / 2) {
                rc = bn_fail_at(BONSAI_E_FORMAT, t.path, "is too short for %lld rows like the "
                                "first, of %lld numbers", (long long)r->s->n, (long long)f);
                goto done;
            }
            BN_TRY(bn_draft_array(&x, r->d, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, size));
        }
        if (row == r->s->n)
            break;
        BN_TRY(text_row(l, x + row * f, f));
    }
    r->d->features = f;
    if (rc == BONSAI_OK && (row < r->s->n || l->more))
        rc = bn_fail_at(BONSAI_E_FORMAT, t.path, "has %s than the %lld rows of the labels",
                        row < r->s->n ? "fewer" : "more", (long long)r->s->n);
done:
    text_close(&t);
    return rc;
}

static bonsai_status read_text(reader *r)
{
    bonsai_status rc;
    int64_t said;
    BN_TRY(read_count(r, "raw/num-node-list", &said));
    if (said != r->s->n) {
        rc = bn_fail_at(BONSAI_E_FORMAT, r->folder, "num-node-list says %lld nodes, but node-label "
                        "has %lld", (long long)said, (long long)r->s->n);
        goto done;
    }
    if (has(r->folder, "raw/node-feat.csv") || has(r->folder, "raw/node-feat.csv.gz"))
        BN_TRY(text_features(r));
    BN_TRY(text_edges(r));
done:
    return rc;
}

/* ---- the arrays ---- */

static bonsai_status array_count(bn_zip *z, const char *name, int64_t wanted)
{
    int64_t said = 0;
    bonsai_status rc = bn_npz_integers(&said, z, name, 1, INT64_MIN, INT64_MAX);
    if (rc == BONSAI_OK && said != wanted)
        rc = bn_fail(BONSAI_E_FORMAT, "%s:%s: says %lld, but there are %lld", z->path, name,
                     (long long)said, (long long)wanted);
    return rc;
}

/* Opens the arrays, of which only the numbers of nodes and edges are read. */
static bonsai_status open_arrays(reader *r)
{
    bonsai_status rc;
    bn_zip *z = &r->s->zip;
    BN_TRY(bn_path_join(&r->s->archive, r->folder, "raw/data.npz"));
    BN_TRY(bn_zip_open(z, r->s->archive, (bn_progress){0}));
    BN_TRY(array_count(z, "num_nodes_list", r->s->n));
    BN_TRY(bn_stream_unzip(r->s));
    BN_TRY(array_count(z, "num_edges_list", r->s->m));
done:
    return rc;
}

/* ---- the split ---- */

static bonsai_status read_part(reader *r, uint8_t *split, const char *folder, int part)
{
    static const char *const names[] = {"", "train", "valid", "test"};
    bonsai_status rc;
    text t = {0};
    int32_t v;
    BN_TRY(text_open(&t, folder, names[part]));
    while (bn_lines_next(&t.lines)) {
        BN_TRY(next_node(&t.lines, r->s->n, &v));
        BN_TRY(end_record(&t.lines, "one node"));
        if (split[v] != BONSAI_PART_NONE) {
            rc = bn_lines_fail(&t.lines, "node %d is already in %s", v, names[split[v]]);
            goto done;
        }
        split[v] = (uint8_t)part;
    }
done:
    text_close(&t);
    return rc;
}

/* Returns the first folder by name in `folder`; "" if there is none. */
static void first_scheme(char *out, size_t room, const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    char path[4096];
    out[0] = 0;
    while (dir && (entry = readdir(dir))) {
        int len = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || len >= (int)sizeof path || strlen(entry->d_name) >= room)
            continue;
        if ((!out[0] || strcmp(entry->d_name, out) < 0) && bn_is_dir(path))
            strcpy(out, entry->d_name);
    }
    if (dir)
        closedir(dir);
}

static bonsai_status read_split(reader *r)
{
    bonsai_status rc;
    char *all = NULL, *folder = NULL, scheme[256];
    BN_TRY(bn_path_join(&all, r->folder, "split"));
    first_scheme(scheme, sizeof scheme, all);
    if (!scheme[0])
        goto done;
    BN_TRY(bn_path_join(&folder, all, scheme));
    BN_TRY(BN_NEW(&r->s->split, r->s->n));
    for (int part = BONSAI_PART_TRAIN; part <= BONSAI_PART_TEST; part++)
        BN_TRY(read_part(r, r->s->split, folder, part));
done:
    bn_free(all);
    bn_free(folder);
    return rc;
}

static bonsai_status stream_ogb(bn_stream *s, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc = BONSAI_OK;
    reader r = {.s = s, .folder = path};
    (void)o;                    /* progress is the stream's */
    s->whole = !has(path, "raw/data.npz");
    if (s->whole)
        return BONSAI_OK;
    BN_TRY(read_labels(&r));
    BN_TRY(open_arrays(&r));
    BN_TRY(read_split(&r));
done:
    return rc;
}

static bonsai_status read_ogb(bn_draft *d, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc;
    bn_stream s = {.progress = {o->progress, o->payload}};
    reader r = {&s, d, path};
    if (has(path, "raw/data.npz")) {
        BN_TRY(stream_ogb(&s, path, o));
        BN_TRY(bn_stream_draft(d, &s));
        goto done;
    }
    BN_TRY(read_labels(&r));
    BN_TRY(read_text(&r));
    BN_TRY(read_split(&r));
    BN_TRY(bn_stream_nodes(d, &s));
done:
    bn_stream_close(&s);
    return rc;
}

const bn_format bn_format_ogb = {
    .name = "ogb",
    .help = "a folder of the Open Graph Benchmark: raw/ and split/",
    .matches = matches,
    .read = read_ogb,
    .stream = stream_ogb,
};
