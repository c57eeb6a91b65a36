/* graph.h -- the graph handle and what it is built from.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_GRAPH_H
#define BN_GRAPH_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/world.h"
#include "tensor/tensor.h"

#define BN_BIT(section) (1u << (section))
#define BN_ALL_SECTIONS (BN_BIT(BONSAI_SECTION_COUNT) - 2u)

enum { BN_SMALL_SECTION = 1 << 20 };    /* bytes; smaller ones are verified when a file is opened */

typedef struct {                /* what the rows of some features allow */
    int64_t nnz;
    bool ones, half, u8, i8, negative;
} bn_traits;

struct bonsai_graph {
    bonsai_view      view;
    void            *owned[BONSAI_SECTION_COUNT];    /* freed with the graph; NULL: borrowed or mapped */
    bn_file          file;                      /* the mapped native file, if any */
    char            *where;                     /* for sentences: the file's name, or "graph" */
    uint32_t         crc[BONSAI_SECTION_COUNT];      /* of a mapped section */
    atomic_uchar     verified[BONSAI_SECTION_COUNT];
    pthread_mutex_t  lock;                      /* held while a section is being verified */
    bonsai_read_info info;
    atomic_int       users;                     /* the caller, and graphs that borrow sections */
    bonsai_graph    *parent;                    /* whose sections this graph borrows, or NULL */
    bn_traits        traits;                    /* of its features, ... */
    bool             integer;                   /* ... which are all whole numbers */
    atomic_uchar     learnt;                    /* traits and integer have been found */
};

/* Several ranks may share the reading of one graph, each with its own rows: the calls that end in
 * _over are collective, and `first` says which rows those are: first[r] .. first[r+1]-1 are rank
 * r's.  Both NULL: alone.  The answer, or the sentence, is everybody's, and the same as alone. */
typedef struct {                /* the rows of one rank */
    int64_t begin, end;
    bool head, last;            /* the first rank, which has what has no rows; the last, which has
                                 * what lies behind all rows */
} bn_rows;

bn_rows bn_rows_of(const bonsai_view *v, const bn_world *w, const int64_t *first);
/* The elements from .. to-1 of a section, which may be one that is not there, that belong to the
 * rows; its offsets must be verified. */
void bn_section_part(int64_t *from, int64_t *to, const bonsai_view *v, bonsai_section s,
                     bn_rows rows);

/* ---- the handle (graph.c) ---- */

/* An empty graph, so that a reader can lay its sections in. */
bonsai_status bn_graph_new(bonsai_graph **out, const char *where);
/* Room for a section that the graph owns. */
bonsai_status bn_graph_array(void *out, bonsai_graph *g, bonsai_section s, bonsai_type t,
                             int64_t count);
/* Borrows the verified sections of the mask from parent, which lives on until g is
 * freed. */
void bn_graph_borrow(bonsai_graph *g, const bonsai_graph *parent, uint32_t mask);
/* A deep copy of one section of a view into g. */
bonsai_status bn_graph_copy(bonsai_graph *g, const bonsai_view *v, bonsai_section s);
/* Verifies the sections of the mask (BN_BIT | ...) that have not been verified;
 * every algorithm calls it first with the sections that it reads. */
bonsai_status bn_graph_need(const bonsai_graph *g, uint32_t mask, int threads);
/* Ranks each read their own rows; afterwards bn_graph_need is free on each. */
bonsai_status bn_graph_need_over(const bonsai_graph *g, uint32_t mask, bn_world *w,
                                 const int64_t *first, int threads);
/* The checksum of a section as it lies, where a mapped file has told it and it was verified. */
bool bn_section_crc(uint32_t *out, const bonsai_graph *g, bonsai_section s);

static inline bool bn_has(const bonsai_graph *g, bonsai_section s)
{
    return g->view.section[s].data != NULL;
}

static inline int64_t bn_row_begin(const bonsai_graph *g, int64_t v)
{
    return bn_int_at(&g->view.section[BONSAI_SECTION_OFFSETS], v);
}

static inline const int32_t *bn_neighbors(const bonsai_graph *g)
{
    return g->view.section[BONSAI_SECTION_NEIGHBORS].data;
}

bn_csr bn_adjacency(const bonsai_graph *g);

/* ---- checks (shape.c, check.c, strings.c, symmetry.c) ---- */

/* That counts, types and combinations of sections fit each other; reads no element. */
bonsai_status bn_view_shape(const bonsai_view *v, const char *where);
/* That the elements of one section are in range; its offsets must be verified. */
bonsai_status bn_section_check(const bonsai_view *v, bonsai_section s, const char *where,
                               int threads);
/* The same, and that its checksum is the given one (NULL: none), over ranks. */
bonsai_status bn_section_verify(const bonsai_view *v, bonsai_section s, const char *where,
                                const uint32_t *crc, bn_world *w, const int64_t *first,
                                int threads);
bonsai_status bn_names_check(const bonsai_array *a, bonsai_section id, int64_t wanted,
                             const char *where);
bonsai_status bn_metadata_check(const bonsai_array *a, const char *where);
/* bonsai_graph_check over ranks; and its part about undirected graphs, which must be verified. */
bonsai_status bn_graph_check_over(const bonsai_graph *g, bn_world *w, const int64_t *first,
                                  const bonsai_read_options *given);
bonsai_status bn_symmetry_check(const bonsai_graph *g, bn_progress p);
bonsai_status bn_symmetry_check_over(const bonsai_graph *g, bn_world *w, const int64_t *first,
                                     bn_progress p);
/* The same with messages of at most `batch` entries. */
bonsai_status bn_symmetry_exchange(const bonsai_graph *g, bn_world *w, const int64_t *first,
                                   int64_t batch, bn_progress p);
/* Whether an adjacency with sorted rows has each entry's reverse, of equal weight.
 * room: n int64. */
int64_t bn_asymmetric_row(int64_t n, const int64_t *offsets, const int32_t *neighbors,
                          const float *weights, int64_t *room);

/* ---- building (build.c, draft.c) ---- */

typedef struct {
    int64_t n, m;
    int64_t *offsets;           /* n+1 */
    int32_t *neighbors;         /* m */
    float   *weights;           /* m or NULL */
} bn_adjacent;

/* Sorted adjacency from edges in any order; info gets what was done. */
bonsai_status bn_adjacent_build(bn_adjacent *out, uint64_t *flags, bonsai_read_info *info,
                                const char *where, int64_t n, int64_t m, const int32_t *source,
                                const int32_t *target, const float *weight,
                                const bonsai_read_options *o);
void bn_adjacent_free(bn_adjacent *a);

/* What a reader gathers, in any order; bn_draft_finish makes the graph of it.
 * Set nodes if the input says it (-1: one more than the largest id), features,
 * classes (0: one more than the largest label), and sections by bn_draft_array in
 * their widest types: FEATURES F32; FEATURE_OFFSETS U64, INDICES U32, VALUES F32; LABELS
 * U32 (int32_t, -1 unknown); SPLIT U8.  Edges go into source, target and weight,
 * allocated by bn_new and owned by the draft.  where is for sentences. */
typedef struct {
    bonsai_graph *g;            /* holds the sections until it is handed over */
    int64_t  nodes, features, classes;
    int64_t  m;
    int32_t *source, *target;
    float   *weight;            /* NULL: unweighted */
    uint64_t keep;              /* flags of edges that must stay as they are */
    int64_t  room[3];           /* of source, target and weight, while bn_draft_edge adds */
} bn_draft;

bonsai_status bn_draft_new(bn_draft *d, const char *where);
bonsai_status bn_draft_array(void *out, bn_draft *d, bonsai_section s, bonsai_type t,
                             int64_t count);
/* Appends an edge, for readers that do not know how many will come; weight NULL:
 * unweighted, and then all must be. */
bonsai_status bn_draft_edge(bn_draft *d, int32_t u, int32_t v, const float *weight);
bonsai_status bn_draft_finish(bonsai_graph **out, bn_draft *d, const bonsai_read_options *o);
void          bn_draft_free(bn_draft *d);

/* ---- features and labels of a node (features.c) ---- */

bool bn_is_zero(float v);       /* all bits zero: a minus zero is a value that a file may want back */

int64_t bn_row_room(const bonsai_graph *g);     /* the longest row of non-zeros */
int64_t bn_row_room_in(const bonsai_graph *g, int64_t begin, int64_t end);      /* of some rows */
/* The non-zero features of a node in ascending order; returns how many. */
int64_t bn_row_get(int32_t *index, float *value, const bonsai_graph *g, int64_t node);
int32_t bn_label(const bonsai_graph *g, int64_t node);          /* -1: unknown */
bonsai_part bn_part(const bonsai_graph *g, int64_t node);

#define BN_FEATURE_SECTIONS (BN_BIT(BONSAI_SECTION_FEATURES) | BN_BIT(BONSAI_SECTION_FEATURE_OFFSETS) |           \
                             BN_BIT(BONSAI_SECTION_FEATURE_INDICES) | BN_BIT(BONSAI_SECTION_FEATURE_VALUES) | \
                             BN_BIT(BONSAI_SECTION_FEATURE_SCALE))

/* ---- the split, and parts (derive.c) ---- */

/* The graph with the split asked for in percent, or *out NULL where that is g's own: all 0 asks
 * for that, 60/20/20 where it has none, 100/0/0 where it is a condensed graph, whose
 * labels are all for training.  percent gets what was drawn. */
bonsai_status bn_graph_parts(bonsai_graph **out, const bonsai_graph *g, double percent[3],
                             uint64_t seed);

/* ---- other orders of the nodes (metis.c) ---- */

/* part (n): 0 .. parts-1, so that few entries lie between parts of about as many nodes and entries
 * each; the same seed, the same parts. */
bonsai_status bn_metis_parts(int32_t *part, const bonsai_graph *g, int64_t parts, uint64_t seed,
                             const bonsai_read_options *o);

/* ---- blocks of rows (order.c) ---- */

/* first (ranks+1, ascending from 0 to n): rank r has the nodes first[r] .. first[r+1]-1, as many
 * nodes and entries together as any other, and at least one node where there are enough.  The
 * offsets must be verified. */
void bn_blocks(int64_t *first, const bonsai_graph *g, int ranks);
/* The same on every rank, once the offsets are verified by all together; *first is the caller's to
 * free. */
bonsai_status bn_blocks_over(int64_t **first, const bonsai_graph *g, bn_world *w, int threads);
/* rows (ranks): to how many nodes of other ranks the rows of each have an entry. */
bonsai_status bn_halo_count(int64_t *rows, const bonsai_graph *g, int ranks);

/* Rows begin .. end-1 of the graph that bonsai_graph_induce would make of the nodes: new ids are
 * places among all of them.  Reads no adjacency or features but those of the part's nodes, which
 * must have been verified; the answer has not. */
bonsai_status bn_graph_induce_part(bonsai_graph **out, const bonsai_graph *g, const int32_t *nodes,
                                   int64_t count, int64_t begin, int64_t end);

/* ---- some of the features (columns.c) ---- */

/* The graph g with the given features only, ascending; their numbers in the full
 * graph are in its kept features.  It shares g's other arrays. */
bonsai_status bn_graph_columns(bonsai_graph **out, const bonsai_graph *g, const int32_t *kept,
                               int64_t count);

/* ---- counting (size.c, stats.c) ---- */

/* bonsai_graph_bytes and bonsai_graph_stats over ranks; not BONSAI_ACCOUNTING_PAPER_CONDENSED, which is for
 * small graphs. */
bonsai_status bn_graph_bytes_over(double *out, const bonsai_graph *g, bonsai_accounting accounting,
                                  bn_world *w, const int64_t *first, int threads);
bonsai_status bn_graph_stats_over(bonsai_stats *out, int64_t *class_counts, const bonsai_graph *g,
                                  bn_world *w, const int64_t *first,
                                  const bonsai_read_options *given);
/* How many nodes have a label that is known. */
bonsai_status bn_graph_labelled_over(int64_t *out, const bonsai_graph *g, bn_world *w,
                                     const int64_t *first);

/* ---- encodings (scale.c, traits.c, encode.c) ---- */

/* The scale above 0 that makes every value an integer in low..high exactly, or 0. */
float bn_scale_exact(const float *value, int64_t count, int low, int high, float hint);
/* The scale of a row in U8 or I8: exact where one is, else that of the least error. */
float bn_scale_pick(const float *value, int64_t count, bonsai_type t, float hint);
uint8_t bn_quantise(float v, float scale, bonsai_type t);

/* Adds a row; start from {0, true, true, true, true, false}. */
void    bn_traits_add(bn_traits *t, const float *value, int64_t count, float hint);
void    bn_traits_join(bn_traits *t, const bn_traits *more);   /* those of more rows */
/* The bytes of n such rows of f features in the smallest encoding that loses nothing,
 * and whether it is a dense one (may be NULL). */
int64_t bn_traits_bytes(const bn_traits *t, int64_t n, int64_t f, bool *is_dense);
/* What the features of a graph allow, and whether all are whole numbers; kept with the graph. */
bonsai_status bn_traits_over(bn_traits *out, bool *integer, const bonsai_graph *g, bn_world *w,
                             const int64_t *first, int threads);
/* The same of some rows; kept nowhere. */
bonsai_status bn_traits_rows(bn_traits *out, bool *integer, const bonsai_graph *g, int64_t begin,
                             int64_t end, int threads);
/* The scale that a row came with, or 0. */
float   bn_row_hint(const bonsai_graph *g, int64_t node);

typedef struct {                /* the type and count of each section as written */
    bonsai_type type[BONSAI_SECTION_COUNT];
    int64_t     count[BONSAI_SECTION_COUNT];
    int64_t     before;         /* sparse features of the ranks before this one */
} bn_plan;

typedef bonsai_status bn_sink(const void *data, int64_t len, void *payload);

bonsai_status bn_plan_make(bn_plan *p, const bonsai_graph *g, bonsai_encoding e, int threads);
/* Lays the smallest encoding that loses nothing of n such rows of f features into a plan that has
 * none. */
void          bn_traits_plan(bn_plan *p, const bn_traits *t, int64_t n, int64_t f);
int64_t       bn_plan_bytes(const bn_plan *p, bonsai_section s);
bonsai_status bn_plan_make_over(bn_plan *p, const bonsai_graph *g, bonsai_encoding e, bn_world *w,
                                const int64_t *first, int threads);
/* Hands the encoded bytes of a section to the sink, a piece at a time. */
bonsai_status bn_plan_emit(const bn_plan *p, const bonsai_graph *g, bonsai_section s,
                           bn_sink *sink, void *payload);
/* The same of the rank's rows, from element bn_plan_from on; the plan is the rank's. */
bonsai_status bn_plan_emit_rows(const bn_plan *p, const bonsai_graph *g, bonsai_section s,
                                bn_rows rows, bn_sink *sink, void *payload);
int64_t       bn_plan_from(const bn_plan *p, const bonsai_graph *g, bonsai_section s, bn_rows rows);
/* Whether the section is handed on as it lies. */
bool          bn_plan_keeps(const bn_plan *p, const bonsai_graph *g, bonsai_section s);

#endif
