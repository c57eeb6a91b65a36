/* convert.c -- writes a native file while a large graph is read.
 *
 * Labels and split are held in memory; if only labelled nodes stay, also the new number of each
 * node and the old number of each that stays.  Edges are read and sorted first (graph/edgesort.c):
 * their number says where features begin in the file.  They and the offsets of rows lie in the
 * memory that is allowed, or in scratch files.  Features are read once, and written as they come:
 * halves as halves, all other numbers as floats.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "container.h"
#include "stream.h"

enum { EDGES = 1 << 18, BYTES = 4 << 20 };      /* of a piece */
enum { USUAL_MEMORY = 1 << 30, SMALL_ARRAY = 1 << 20 };         /* bytes */

typedef struct {
    bn_stream    *s;
    bn_memory     memory;
    bn_edge_sort  edges;
    bonsai_graph *g;            /* borrows all arrays but the features */
    int32_t      *id, *origin;  /* with labelled: new ids (n; -1: left out), old ids (kept) */
    int64_t       kept;         /* nodes */
    bn_slices    *file;
    bn_progress   writing;      /* of the writer; the stream has that of the reader */
    bonsai_type   type;         /* of features */
    int64_t       done, total;  /* bytes written */
} job;

/* ---- nodes ---- */

static bool is_kept(const bn_stream *s, int64_t v)
{
    return s->label[v] >= 0 || (s->split && s->split[v] != BONSAI_PART_NONE);
}

/* Numbers the nodes that stay; moves their labels and parts to the front. */
static bonsai_status keep_labelled(job *j)
{
    bonsai_status rc;
    bn_stream *s = j->s;
    BN_TRY(BN_NEW(&j->id, s->n));
    for (int64_t v = 0; v < s->n; v++)
        j->id[v] = is_kept(s, v) ? (int32_t)j->kept++ : -1;
    BN_TRY(BN_NEW(&j->origin, j->kept));
    for (int64_t v = 0; v < s->n; v++) {
        if (j->id[v] < 0)
            continue;
        j->origin[j->id[v]] = (int32_t)v;
        s->label[j->id[v]] = s->label[v];
        if (s->split)
            s->split[j->id[v]] = s->split[v];
    }
done:
    return rc;
}

static int64_t count_classes(const job *j)
{
    int64_t classes = j->s->classes;
    for (int64_t v = 0; j->s->classes == 0 && v < j->kept; v++)
        classes = j->s->label[v] >= classes ? (int64_t)j->s->label[v] + 1 : classes;
    return classes;
}

/* ---- edges ---- */

/* Leaves the edges between nodes that stay; returns their number. */
static int64_t rename_edges(const job *j, int32_t *source, int32_t *target, int64_t count)
{
    int64_t left = 0;
    for (int64_t i = 0; j->id && i < count; i++) {
        const int32_t u = j->id[source[i]], v = j->id[target[i]];
        if (u < 0 || v < 0)
            continue;
        source[left] = u;
        target[left++] = v;
    }
    return j->id ? left : count;
}

/* Reads all edges, and counts those that stay or sorts them. */
static bonsai_status pass_edges(job *j, const char *stage, int64_t *count)
{
    bonsai_status rc;
    bn_stream *s = j->s;
    int32_t *source = NULL, *target = NULL;
    BN_TRY(BN_NEW(&source, EDGES));
    BN_TRY(BN_NEW(&target, EDGES));
    for (int64_t at = 0; at < s->m; at += EDGES) {
        const int64_t given = bn_least(EDGES, s->m - at);
        BN_TRY(bn_tick(s->progress, stage, at, s->m));
        BN_TRY(bn_stream_edges(s, source, target, given));
        const int64_t left = rename_edges(j, source, target, given);
        if (count)
            *count += left;
        else
            BN_TRY(bn_edge_sort_add(&j->edges, source, target, left));
    }
    BN_TRY(bn_tick(s->progress, stage, s->m, s->m));
    BN_TRY(bn_stream_edges_end(s));
done:
    bn_free(source);
    bn_free(target);
    return rc;
}

static bonsai_status sort_edges(job *j, const bonsai_read_options *r, int threads)
{
    bonsai_status rc = BONSAI_OK;
    bn_edge_sort *p = &j->edges;
    *p = (bn_edge_sort){.n = j->kept, .most = j->id ? 0 : j->s->m, .directed = r->keep_directed,
                        .keep_self = r->keep_self_loops,
                        .at = {.memory = &j->memory, .threads = threads,
                               .progress = j->s->progress}};
    if (j->id) {
        BN_TRY(pass_edges(j, "counting edges", &p->most));
        BN_TRY(bn_stream_rewind(j->s));
    }
    BN_TRY(bn_edge_sort_begin(p));
    BN_TRY(pass_edges(j, "reading edges", NULL));
    BN_TRY(bn_edge_sort_run(p));
done:
    return rc;
}

/* ---- the file ---- */

static void lend(job *j, bonsai_section s, bonsai_type t, const void *data, int64_t count)
{
    if (data)
        j->g->view.section[s] = (bonsai_array){data, count, t};
}

/* Checks the shape of all that will be in the file, with the features that are still to come. */
static bonsai_status check_whole(const job *j, int64_t count)
{
    bonsai_view whole = j->g->view;
    whole.features = j->s->f;
    if (j->s->f > 0)            /* no element is read */
        whole.section[BONSAI_SECTION_FEATURES] = (bonsai_array){&whole, count, j->type};
    return bn_view_shape(&whole, j->s->where);
}

/* Makes the graph of what is there, and the coding of what will be. */
static bonsai_status lay_out(bn_coding *p, job *j, const bonsai_read_options *r)
{
    bonsai_status rc;
    const bn_edge_sort *e = &j->edges;
    const int64_t count = j->kept * j->s->f;            /* both below 2^31 */
    BN_TRY(bn_graph_new(&j->g, j->s->where));
    j->g->view.nodes = j->kept;
    j->g->view.classes = count_classes(j);
    j->g->view.flags = (r->keep_directed ? BONSAI_FLAG_DIRECTED : 0u) |
                       (r->keep_self_loops ? BONSAI_FLAG_SELF_LOOPS : 0u);
    lend(j, BONSAI_SECTION_OFFSETS, BONSAI_TYPE_U64, e->offsets, j->kept + 1);
    lend(j, BONSAI_SECTION_NEIGHBORS, BONSAI_TYPE_U32, e->neighbors, e->m);
    lend(j, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32, j->s->label, j->kept);
    lend(j, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, j->s->split, j->kept);
    lend(j, BONSAI_SECTION_ORIGIN, BONSAI_TYPE_U32, j->origin, j->kept);
    j->type = bn_npy_is_f16(&j->s->features) ? BONSAI_TYPE_F16 : BONSAI_TYPE_F32;
    BN_TRY(check_whole(j, count));
    BN_TRY(bn_coding_of(p, j->g, BONSAI_ENCODING_AUTO, &bn_no_traits, NULL));
    j->g->view.features = j->s->f;
    if (j->s->f > 0) {
        p->type[BONSAI_SECTION_FEATURES] = j->type;
        p->count[BONSAI_SECTION_FEATURES] = count;
    }
done:
    return rc;
}

static bonsai_status open_file(job *j, const bn_coding *p, const char *path, int threads)
{
    const bonsai_view *v = &j->g->view;
    static const int64_t begin[BN_CONTAINER_MAX];
    bn_container c = {.kind = BN_KIND_GRAPH, .field = {(uint64_t)v->nodes, (uint64_t)v->features,
                                                       (uint64_t)v->classes, v->flags}};
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        if (p->type[s] != BONSAI_TYPE_NONE) {
            c.entry[c.entries++] = (bn_entry){.id = (uint32_t)s, .type = p->type[s],
                                              .count = p->count[s]};
            j->total += bn_coding_bytes(p, s);
        }
    return bn_slices_open(&j->file, path, &c, begin, threads, NULL);
}

typedef struct { job *j; bonsai_section s; } sending;

static bonsai_status send(const void *data, int64_t len, void *payload)
{
    bonsai_status rc;
    const sending *to = payload;
    BN_TRY(bn_tick(to->j->writing, "writing", to->j->done, to->j->total));
    BN_TRY(bn_slices_put(to->j->file, to->s, data, len));
    to->j->done += len;
done:
    return rc;
}

/* Reads the features of the next rows, or passes over them. */
static bonsai_status next_rows(void *out, job *j, int64_t rows, bool stay)
{
    bn_npy *a = &j->s->features;
    const int64_t count = rows * j->s->f;
    if (!stay)
        return bn_npy_skip(a, count);
    return j->type == BONSAI_TYPE_F16 ? bn_npy_f16(out, a, count)
                                      : bn_npy_f32(out, a, count, &(int64_t){0});
}

/* Collects the rows of nodes that stay, and writes them a piece at a time. */
static bonsai_status send_features(job *j)
{
    bonsai_status rc;
    uint8_t *room = NULL;
    const bn_stream *s = j->s;
    const int64_t row = s->f * (int64_t)bonsai_type_bytes(j->type), most = BYTES / row + 1;
    sending to = {j, BONSAI_SECTION_FEATURES};
    BN_TRY(BN_NEW(&room, most * row));
    for (int64_t v = 0, end, used = 0; v < s->n; v = end) {
        const bool stay = !j->id || j->id[v] >= 0;
        const int64_t last = bn_least(s->n, v + (stay ? most - used : most));
        for (end = v + 1; end < last && (!j->id || (j->id[end] >= 0) == stay); end++) {}
        BN_TRY(next_rows(room + used * row, j, end - v, stay));
        used += stay ? end - v : 0;
        if (used == most || end == s->n || end - v == most) {
            BN_TRY(send(room, used * row, &to));
            used = 0;
        }
    }
    BN_TRY(bn_npy_end(&j->s->features));
done:
    bn_free(room);
    return rc;
}

static bonsai_status write_file(job *j, const bonsai_read_options *r, const char *path, int threads)
{
    bonsai_status rc;
    bn_coding p;
    BN_TRY(lay_out(&p, j, r));
    BN_TRY(open_file(j, &p, path, threads));
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++) {
        if (s == BONSAI_SECTION_FEATURES && j->s->f > 0)
            BN_TRY(send_features(j));
        else if (p.type[s] != BONSAI_TYPE_NONE)
            BN_TRY(bn_coding_emit(&p, j->g, s, send, &(sending){j, s}));
    }
    BN_TRY(bn_tick(j->writing, "writing", j->total, j->total));
    BN_TRY(bn_slices_commit(j->file));
done:
    return rc;
}

/* ---- all of it ---- */

bonsai_status bn_stream_convert(bn_stream *s, const char *path, const bonsai_read_options *r,
                                const bonsai_write_options *w)
{
    bonsai_status rc = BONSAI_OK;
    job j = {.s = s, .kept = s->n, .writing = {w->progress, w->payload}};
    j.memory.small = SMALL_ARRAY;
    j.memory.limit = w->memory > 0 ? w->memory : USUAL_MEMORY;
    if (w->labelled) {
        j.kept = 0;
        BN_TRY(keep_labelled(&j));
    }
    BN_TRY(sort_edges(&j, r, w->threads));
    BN_TRY(write_file(&j, r, path, bn_threads(w->threads)));
done:
    bn_slices_close(j.file);
    bonsai_graph_free(j.g);
    bn_edge_sort_free(&j.edges);
    bn_free(j.id);
    bn_free(j.origin);
    return rc;
}
