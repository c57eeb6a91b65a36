/* generatefile.c -- writes a generated graph straight to its file.
 *
 * The position of a section depends on the number of entries and features, and on how features are
 * encoded.  Words are counted before they are drawn.  Whether points fit a smaller type than floats
 * is known only after all are drawn, and they are not kept; so the writer assumes that they do not.
 * If that is wrong, which is possible only with a handful of numbers, the file is written again.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "container.h"
#include "graph/generate/generate.h"
#include "io.h"

enum { PIECE = 2 << 20 };       /* approximate bytes that a thread draws between writes */

typedef struct {
    bn_world    *w;
    bn_maker     k;
    bn_citations c;
    bn_writer   *writer;        /* NULL: no features */
    int64_t      entries;       /* of all ranks */
    int64_t      entries_before, nonzeros_before;       /* of the ranks before this one */
    bn_traits    here, all;     /* of the features: on this rank, and on all */
    bn_coding    coding;
    bn_slices   *file;
} job;

/* ---- where things lie ---- */

/* The file is for mapping, so neither four bits nor columns are considered. */
static const bn_traits nothing = {.ones = true, .half = true, .u8 = true, .i8 = true};

static bonsai_status prepare(job *j, const bonsai_generate_options *o)
{
    bonsai_status rc;
    BN_TRY(bn_maker_init(&j->k, o, j->w));
    if (j->k.f == 0)
        goto done;
    BN_TRY(bn_writer_new(&j->writer, &j->k));
    if (!j->k.o.dense)
        j->here = nothing;              /* words are ones */
    BN_TRY(bn_writer_count(&j->here.nnz, j->writer));
done:
    return rc;
}

/* Sums `mine` over the ranks before this one. */
static bonsai_status sum_before(int64_t *out, int64_t mine, bn_world *w)
{
    bonsai_status rc;
    int64_t *each = NULL;
    BN_TRY(bn_agree(w, BN_NEW(&each, bn_ranks(w))));
    BN_TRY(bn_gather_int(w, each, mine));
    *out = 0;
    for (int r = 0; r < bn_rank(w); r++)
        *out += each[r];
done:
    bn_free(each);
    return rc;
}

/* Combines the traits of the features of all ranks. */
static bonsai_status join_traits(job *j)
{
    const bn_traits *t = &j->here;
    int64_t sum[6] = {t->nnz, !t->ones, !t->half, !t->u8, !t->i8, t->negative};
    bonsai_status rc = bn_sum_int(j->w, sum, 6);
    j->all = (bn_traits){sum[0], !sum[1], !sum[2], !sum[3], !sum[4], sum[5] > 0,
                         false, false, 0, false};
    return rc;
}

static void set(bn_coding *p, bonsai_section s, bonsai_type t, int64_t count)
{
    p->type[s] = t;
    p->count[s] = count;
}

static bn_coding coding_of(const job *j)
{
    const bn_maker *k = &j->k;
    bn_coding p = {.type = {BONSAI_TYPE_NONE}};
    set(&p, BONSAI_SECTION_OFFSETS,
        j->entries <= (int64_t)UINT32_MAX ? BONSAI_TYPE_U32 : BONSAI_TYPE_U64, k->n + 1);
    set(&p, BONSAI_SECTION_NEIGHBORS, BONSAI_TYPE_U32, j->entries);
    set(&p, BONSAI_SECTION_LABELS,
        k->c <= 255 ? BONSAI_TYPE_U8 : k->c <= 65535 ? BONSAI_TYPE_U16 : BONSAI_TYPE_U32, k->n);
    set(&p, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, k->n);
    if (k->f > 0)
        bn_traits_code(&p, &j->all, k->n, k->f);
    return p;
}

/* Returns the first element of this rank's slice of a section. */
static int64_t slice_begin(const job *j, bonsai_section s)
{
    switch (s) {
    case BONSAI_SECTION_OFFSETS:
    case BONSAI_SECTION_FEATURE_OFFSETS:
        return j->k.begin > 0 ? j->k.begin + 1 : 0;
    case BONSAI_SECTION_NEIGHBORS:
        return j->entries_before;
    case BONSAI_SECTION_FEATURES:
        return j->k.begin * j->k.f;
    case BONSAI_SECTION_FEATURE_INDICES:
    case BONSAI_SECTION_FEATURE_VALUES:
        return j->nonzeros_before;
    default:
        return j->k.begin;
    }
}

static bonsai_status open_file(job *j, const char *path)
{
    bn_container c = {.kind = BN_KIND_GRAPH, .field = {(uint64_t)j->k.n, (uint64_t)j->k.f,
                                                       (uint64_t)j->k.c, 0}};
    int64_t begin[BN_CONTAINER_MAX];
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        if (j->coding.type[s] != BONSAI_TYPE_NONE) {
            begin[c.entries] = slice_begin(j, s);
            c.entry[c.entries++] = (bn_entry){.id = (uint32_t)s, .type = j->coding.type[s],
                                              .count = j->coding.count[s]};
        }
    return bn_slices_open(&j->file, path, &c, begin, j->k.threads, j->w);
}

/* ---- what lies there ---- */

typedef struct {
    const job *j;
    bonsai_section s;
    int64_t base;               /* added to offsets */
    bool    skip;               /* skip the 0 that offsets start with: the previous rank wrote it */
} sending;

static bonsai_status send(const void *data, int64_t len, void *payload)
{
    const sending *o = payload;
    return bn_slices_put(o->j->file, o->s, data, len);
}

static bonsai_status send_offsets(const void *data, int64_t len, void *payload)
{
    bonsai_status rc = BONSAI_OK;
    sending *o = payload;
    bonsai_array in = {data, 0, o->j->coding.type[o->s]};
    int64_t item = (int64_t)bonsai_type_bytes(in.type), used = 0, i = o->skip;
    uint8_t buffer[1 << 15];
    in.count = len / item;
    o->skip = false;
    for (; i < in.count; i++) {
        uint64_t v = (uint64_t)(bn_int_at(&in, i) + o->base);
        for (int64_t b = 0; b < item; b++)
            buffer[used++] = (uint8_t)(v >> 8 * b);
        if (used == (int64_t)sizeof buffer || i + 1 == in.count) {
            BN_TRY(bn_slices_put(o->j->file, o->s, buffer, used));
            used = 0;
        }
    }
done:
    return rc;
}

/* Writes a section of g, whose first node is `begin`; base is added if it holds offsets. */
static bonsai_status send_section(const job *j, const bonsai_graph *g, bonsai_section s,
                                  int64_t begin, int64_t nonzeros, int64_t base)
{
    int64_t n = g->view.nodes, f = g->view.features;
    bool offsets = s == BONSAI_SECTION_OFFSETS || s == BONSAI_SECTION_FEATURE_OFFSETS;
    sending o = {.j = j, .s = s, .base = base, .skip = begin > 0};
    bn_coding p = j->coding;
    p.count[BONSAI_SECTION_OFFSETS] = p.count[BONSAI_SECTION_FEATURE_OFFSETS] = n + 1;
    p.count[BONSAI_SECTION_FEATURES] = n * f;
    p.count[BONSAI_SECTION_FEATURE_INDICES] = p.count[BONSAI_SECTION_FEATURE_VALUES] = nonzeros;
    p.count[BONSAI_SECTION_FEATURE_SCALE] = p.count[BONSAI_SECTION_LABELS] =
        p.count[BONSAI_SECTION_SPLIT] = n;
    if (n == 0)
        return BONSAI_OK;               /* without a node; the first rank to have one begins at 0 */
    return bn_coding_emit(&p, g, s, offsets ? send_offsets : send, &o);
}

static bonsai_status send_rows(job *j)
{
    bonsai_status rc;
    const bn_maker *k = &j->k;
    const int64_t *offsets = j->c.offsets;
    int32_t *rows = NULL;
    int64_t capacity = 0, wanted = k->threads * (int64_t)PIECE / (int64_t)sizeof *rows;
    k->g->view.section[BONSAI_SECTION_OFFSETS] =
        (bonsai_array){offsets, k->end - k->begin + 1, BONSAI_TYPE_U64};
    BN_TRY(send_section(j, k->g, BONSAI_SECTION_OFFSETS, k->begin, 0, j->entries_before));
    for (int64_t v = k->begin, end; v < k->end; v = end) {
        int64_t first = offsets[v - k->begin], last = first;
        for (end = v; end < k->end && last - first < wanted; end++)
            last = offsets[end - k->begin + 1];
        BN_TRY(bn_grow((void **)&rows, &capacity, last - first, sizeof *rows));
        BN_TRY(bn_citations_rows(rows, &j->c, k, v, end));
        BN_TRY(bn_slices_put(j->file, BONSAI_SECTION_NEIGHBORS, rows,
                             (last - first) * (int64_t)sizeof *rows));
    }
done:
    bn_free(rows);
    return rc;
}

/* Writes the features of the nodes of g, which start at node v. */
static bonsai_status send_piece(job *j, const bonsai_graph *g, int64_t v)
{
    bonsai_status rc;
    bn_traits t;
    bool integer;
    int64_t base = j->nonzeros_before + j->here.nnz;
    BN_TRY(bn_traits_rows(&t, &integer, g, 0, g->view.nodes, j->k.threads));
    for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_SCALE; s++)
        if (j->coding.type[s] != BONSAI_TYPE_NONE)
            BN_TRY(send_section(j, g, s, v, t.nnz, base));
    bn_traits_join(&j->here, &t);
done:
    return rc;
}

static bonsai_status send_features(job *j)
{
    bonsai_status rc;
    const bn_maker *k = &j->k;
    bonsai_graph *g = NULL;
    double bytes = k->o.dense ? 4.0 * (double)k->f : 4 * k->o.words + 8;
    int64_t rows = (int64_t)((double)k->threads * PIECE / bytes) + 1;
    j->here = nothing;
    BN_TRY(bn_graph_new(&g, "generated"));
    g->view.features = k->f;
    for (int64_t v = k->begin; v < k->end; v += rows) {
        int64_t end = v + rows < k->end ? v + rows : k->end;
        g->view.nodes = end - v;
        BN_TRY(bn_writer_lay(g, j->writer, v, end));
        BN_TRY(send_piece(j, g, v));
    }
done:
    bonsai_graph_free(g);
    return rc;
}

static bonsai_status send_all(job *j)
{
    bonsai_status rc;
    BN_TRY(send_rows(j));
    if (j->writer)
        BN_TRY(send_features(j));
    BN_TRY(send_section(j, j->k.g, BONSAI_SECTION_LABELS, j->k.begin, 0, 0));
    BN_TRY(send_section(j, j->k.g, BONSAI_SECTION_SPLIT, j->k.begin, 0, 0));
done:
    return rc;
}

/* Writes the file; *fits tells if the features fit the expected encoding, so the file is
 * complete. */
static bonsai_status write_once(job *j, const char *path, bool *fits)
{
    bonsai_status rc;
    BN_TRY(sum_before(&j->nonzeros_before, j->here.nnz, j->w));
    BN_TRY(join_traits(j));
    j->coding = coding_of(j);
    BN_TRY(open_file(j, path));
    BN_TRY(bn_agree(j->w, send_all(j)));
    BN_TRY(join_traits(j));
    const bn_coding found = coding_of(j);
    *fits = memcmp(found.type, j->coding.type, sizeof found.type) == 0 &&
            memcmp(found.count, j->coding.count, sizeof found.count) == 0;
    if (*fits)
        BN_TRY(bn_slices_commit(j->file));
done:
    bn_slices_close(j->file);
    j->file = NULL;
    return rc;
}

bonsai_status bn_generate_file(const char *path, const bonsai_generate_options *o, bn_world *w)
{
    bonsai_status rc;
    job j = {.w = w};
    BN_TRY(bn_agree(w, prepare(&j, o)));
    BN_TRY(bn_citations_draw(&j.c, &j.entries, &j.k, w));
    BN_TRY(sum_before(&j.entries_before, j.c.offsets[j.k.end - j.k.begin], w));
    for (bool fits = false; !fits;)
        BN_TRY(write_once(&j, path, &fits));
done:
    bn_writer_free(j.writer);
    bn_citations_free(&j.c);
    bn_maker_free(&j.k);
    return rc;
}

bonsai_status bonsai_graph_generate_file(const char *path, const bonsai_generate_options *o)
{
    return bn_is_null(path, "the path") ? BONSAI_E_ARGUMENT : bn_generate_file(path, o, NULL);
}
