/* graph.h -- the graph handle and what it is built from.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_GRAPH_H
#define BN_GRAPH_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/place.h"
#include "tensor/tensor.h"

#define BN_BIT(section) (1u << (section))
#define BN_ALL_SECTIONS (BN_BIT(BONSAI_SECTION_COUNT) - 2u)
enum { BN_ALL_FLAGS = BONSAI_FLAG_DIRECTED | BONSAI_FLAG_SELF_LOOPS | BONSAI_FLAG_REPEATED |
                      BONSAI_FLAG_OPERATOR | BONSAI_FLAG_COORDINATES };
#define BN_SYMMETRY BN_BIT(0)       /* as a section: the symmetry that an undirected graph claims */

enum { BN_SMALL_SECTION = 1 << 20 };    /* bytes; smaller sections are verified when a file is
                                         * opened */

typedef struct {                /* encodings that some feature rows allow */
    int64_t nnz;
    bool ones, half, u8, i8, negative;
    bool q4, s4;                /* false also if not looked at; with a q4 row u8, with s4 i8 */
    int64_t empty;             /* columns without a value, if leaving them out is smaller; else 0 */
    bool factored;              /* rows are mixtures of a basis (factors.c) */
} bn_traits;

struct bonsai_graph {
    bonsai_view      view;
    void            *owned[BONSAI_SECTION_COUNT];  /* NULL: borrowed or mapped */
    bn_file          file;                      /* the mapped native file, if any */
    bn_file          rows;                      /* a mapped file with the features, if any */
    char            *where;                     /* for errors: the file's name, or "graph" */
    uint32_t         crc[BONSAI_SECTION_COUNT];    /* of mapped sections */
    atomic_uchar     verified[BONSAI_SECTION_COUNT];    /* [0]: the symmetry */
    atomic_uchar     unsound;                   /* a getter found a wrong section */
    pthread_mutex_t  lock;                      /* held while a section is being verified */
    bonsai_read_info info;
    atomic_int       users;                     /* the caller, and graphs that borrow sections */
    bonsai_graph    *parent;                    /* owner of the borrowed sections, or NULL */
    bn_traits        traits;                    /* of its features */
    bool             integer;                   /* all features are whole numbers */
    atomic_uchar     learnt;                    /* traits and integer are known */
    int64_t          spanned;                   /* features of its basis, if the features of the
                                                 * graph are coordinates in it; else 0 */
    bool             drawn;  /* its split was drawn by bonsai: it counts for no size of the graph */
};

/* Several ranks can read one graph together, each its own rows.  The calls that take a place
 * (base/place.h) are collective; its `first` says which rows a rank has, and NULL means one rank.
 * All ranks get the same result or error, the same as one rank would. */
typedef struct {                /* the rows of one rank */
    int64_t begin, end;
    bool head, last;            /* the first rank, which has sections without rows; the last,
                                 * which has the end of offsets */
} bn_rows;

bn_rows bn_rows_of(const bonsai_view *v, const bn_place *at);
/* Sets from .. to-1, the elements of a section that belong to the rows.  The section may be absent;
 * its offsets must be verified. */
void bn_section_part(int64_t *from, int64_t *to, const bonsai_view *v, bonsai_section s,
                     bn_rows rows);

/* ---- public datasets (known.c) ---- */

enum {                          /* places in the list of bonsai_known_at */
    BN_KNOWN_CORA, BN_KNOWN_CITESEER, BN_KNOWN_PUBMED, BN_KNOWN_FLICKR, BN_KNOWN_ARXIV,
    BN_KNOWN_REDDIT, BN_KNOWN_MAG240M, BN_KNOWN_PHOTO, BN_KNOWN_ARXIV_22K, BN_KNOWN_COUNT
};

/* ---- nodes by their numbers in the original graph (derive.c) ---- */

/* Returns a node's origin, or its own number if the graph has no origins. */
uint32_t bn_number_of(const bonsai_graph *g, int64_t node);
/* Sets out (count) to the first node of each number; -1: no node. */
bonsai_status bn_numbers_find(int32_t *out, const uint32_t *number, int64_t count,
                              const bonsai_graph *g);

/* ---- the handle (graph.c) ---- */

/* Makes an empty graph, whose sections the caller fills. */
bonsai_status bn_graph_new(bonsai_graph **out, const char *where);
/* Allocates a section that the graph owns. */
bonsai_status bn_graph_array(void *out, bonsai_graph *g, bonsai_section s, bonsai_type t,
                             int64_t count);
/* Borrows the verified sections of the mask from parent, which stays alive until g is freed. */
void bn_graph_borrow(bonsai_graph *g, const bonsai_graph *parent, uint32_t mask);
/* Copies what g borrows and releases its parent, whose own arrays may be a caller's. */
bonsai_status bn_graph_detach(bonsai_graph *g);
/* Sets *out to g if rc is OK, else frees g; returns rc. */
bonsai_status bn_graph_give(bonsai_graph **out, bonsai_graph *g, bonsai_status rc);
/* Makes a deep copy of one section of a view in g. */
bonsai_status bn_graph_copy(bonsai_graph *g, const bonsai_view *v, bonsai_section s);
/* Verifies the sections of the mask (BN_BIT | ...) that have not been verified; every algorithm
 * first calls it for the sections that it reads.  With BN_SYMMETRY also checks that each entry has
 * its reverse, unless the graph is directed: once for all graphs that share an adjacency. */
bonsai_status bn_graph_need(const bonsai_graph *g, uint32_t mask, int threads);
/* Verifies on all ranks, each reading its own rows; afterwards bn_graph_need is free on each.
 * Several ranks do not check BN_SYMMETRY. */
bonsai_status bn_graph_need_at(const bonsai_graph *g, uint32_t mask, const bn_place *at);
/* Gets the checksum of a section if it is mapped and verified. */
bool bn_section_crc(uint32_t *out, const bonsai_graph *g, bonsai_section s);

/* Sets the bytes of count elements; two elements of four bits share a byte.  False: too many, or
 * unknown type. */
bool bn_type_space(int64_t *bytes, bonsai_type t, int64_t count);

static inline bool bn_four_bits(bonsai_type t)
{
    return t == BONSAI_TYPE_Q4 || t == BONSAI_TYPE_S4;
}

/* Returns whether features of the type are multiplied by their row's scale. */
static inline bool bn_scaled(bonsai_type t)
{
    return t == BONSAI_TYPE_U8 || t == BONSAI_TYPE_I8 || bn_four_bits(t);
}

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

/* ---- checks (layout.c, check.c, strings.c, symmetry.c) ---- */

/* Checks that counts, types and combinations of sections fit each other; reads no element. */
bonsai_status bn_view_shape(const bonsai_view *v, const char *where);
/* Checks the sections of a file, in which features may have four bits or a list of columns. */
bonsai_status bn_stored_shape(const bonsai_view *v, const char *where);
/* Checks that the elements of one section are in range; its offsets must be verified. */
bonsai_status bn_section_check(const bonsai_view *v, bonsai_section s, const char *where,
                               int threads);
/* Checks a section on all ranks; also compares the checksum (NULL: none). */
bonsai_status bn_section_verify(const bonsai_view *v, bonsai_section s, const char *where,
                                const uint32_t *crc, const bn_place *at);
bonsai_status bn_names_check(const bonsai_array *a, bonsai_section id, int64_t wanted,
                             const char *where);
/* Returns the name at a position of a section of names; NULL: empty, or no section. */
const char   *bn_name_at(const bonsai_array *names, int64_t at);
/* Gets the names of the kept features (ascending; NULL: the first), or NULL without names; bn_free
 * *out. */
bonsai_status bn_names_pick(char **out, int64_t *len, const bonsai_array *names,
                            const int32_t *kept, int64_t count);
/* Gives the names to the graph as those of its features, unless NULL. */
void          bn_names_give(bonsai_graph *g, char *names, int64_t len);
/* Gets a name for each line of a text, whose last line may lack its end; bn_free *out. */
bonsai_status bn_names_of_lines(char **out, int64_t *len, int64_t *count, const char *text);
/* Fails unless the graph has `count` features. */
bonsai_status bn_names_count(int64_t count, const bonsai_graph *g);

typedef struct { const char *where; const bonsai_array *names; int64_t count; } bn_named;

/* Fails, naming the first, if a feature of a has another name than the feature place[i] (NULL: i;
 * ascending) of b.  Features without a name match any. */
bonsai_status bn_names_match(const bn_named *a, const bn_named *b, const int32_t *place);
enum { BN_DIFFERENCE = 120 };
/* Writes the end of a sentence, ": \"age\" is missing", about the first name of a that b lacks or,
 * with all, that only b has; "" if none, or if names are not known. */
void          bn_names_difference(char out[BN_DIFFERENCE], const bn_named *a, const bn_named *b,
                                  bool all);
bonsai_status bn_metadata_check(const bonsai_array *a, const char *where);
/* Check as bonsai_graph_check does, on all ranks; and symmetry alone, which requires a verified
 * g. */
bonsai_status bn_graph_check(const bonsai_graph *g, const bn_place *at);
bonsai_status bn_symmetry_check(const bonsai_graph *g, const bn_place *at);
/* Checks symmetry with messages of at most `batch` entries. */
bonsai_status bn_symmetry_exchange(const bonsai_graph *g, int64_t batch, const bn_place *at);
/* Returns the first row of an adjacency with sorted rows that has an entry without its reverse of
 * equal weight, or n.  room: n int64. */
int64_t bn_asymmetric_row(int64_t n, const bonsai_array *offsets, const int32_t *neighbors,
                          const float *weights, int64_t *room, int threads);

/* ---- building (build.c, edgesort.c, draft.c) ---- */

/* Sorts keys, each with its weight unless w is NULL; spare and wspare have as much room. */
void bn_radix_sort(uint64_t *keys, float *w, uint64_t *spare, float *wspare, int64_t count);

typedef struct {
    int64_t n, m;
    int64_t *offsets;           /* n+1 */
    int32_t *neighbors;         /* m */
    float   *weights;           /* m or NULL */
} bn_adjacent;

/* Builds a sorted adjacency from edges in any order; counts changes in info.  With the flag of an
 * operator, weights may have any sign, and loops and the flag are kept. */
bonsai_status bn_adjacent_build(bn_adjacent *out, uint64_t *flags, bonsai_read_info *info,
                                const char *where, int64_t n, int64_t m, const int32_t *source,
                                const int32_t *target, const float *weight,
                                const bonsai_read_options *o);
/* Fails with the sentence that a node of an edge is outside the graph. */
bonsai_status bn_edge_outside(const char *where, int64_t edge, int64_t node, int64_t n);
void bn_adjacent_free(bn_adjacent *a);

/* Sorts edges without weights, which arrive run by run, into an adjacency, in memory or in scratch
 * files (edgesort.c).  It takes 24 bytes an edge, and up to 32 if one row has most of them.
 * Repeated entries are merged. */
typedef struct {
    int64_t  n, most;           /* nodes; edges that may arrive */
    bool     directed, keep_self;
    bn_place at;                /* memory, threads and progress */

    int64_t  edges, self_loops, repeated, reversed;     /* as in bonsai_read_info */
    int64_t  m;                 /* entries of the adjacency, after sorting */
    int64_t *offsets;           /* n+1 */
    int32_t *neighbors;         /* m */

    int      shift;             /* bucket = row >> shift; private from here on */
    int64_t  buckets;
    int64_t *bucket;            /* buckets+1: first key of each */
    uint64_t *edge, *keys;
} bn_edge_sort;

/* Set the first members, then begin; the edges must be in range. */
bonsai_status bn_edge_sort_begin(bn_edge_sort *p);
bonsai_status bn_edge_sort_add(bn_edge_sort *p, const int32_t *source, const int32_t *target,
                               int64_t count);
bonsai_status bn_edge_sort_run(bn_edge_sort *p);
void          bn_edge_sort_free(bn_edge_sort *p);         /* an all-zero struct is allowed */

/* The data of a reader, in any order, for bn_draft_finish.  Set nodes if the input gives their
 * number (-1: one more than the largest id), features, classes (0: one more than the largest
 * label), and sections with bn_draft_array in their widest types: FEATURES F32; FEATURE_OFFSETS
 * U64, INDICES U32, VALUES F32; LABELS U32 (int32_t, -1 unknown); SPLIT U8.  Edges are in source,
 * target and weight, which bn_new allocates and the draft owns.  where is for error messages. */
typedef struct {
    bonsai_graph *g;            /* holds the sections until the graph is done */
    int64_t  nodes, features, classes;
    int64_t  m;
    int32_t *source, *target;
    float   *weight;            /* NULL: unweighted */
    uint64_t keep;              /* flags of edges that must not be changed */
    int64_t  room[3];           /* capacity of source, target and weight for bn_draft_edge */
} bn_draft;

bonsai_status bn_draft_new(bn_draft *d, const char *where);
bonsai_status bn_draft_array(void *out, bn_draft *d, bonsai_section s, bonsai_type t,
                             int64_t count);
/* Gives the draft an array made by bn_grow; *data may be NULL if count is 0. */
bonsai_status bn_draft_give(bn_draft *d, bonsai_section s, bonsai_type t, void **data,
                            int64_t count);
/* Appends an edge, for readers that do not know the number of edges; weight NULL: unweighted, which
 * must hold for all edges or none. */
bonsai_status bn_draft_edge(bn_draft *d, int32_t u, int32_t v, const float *weight);
bonsai_status bn_draft_finish(bonsai_graph **out, bn_draft *d, const bonsai_read_options *o);
void          bn_draft_free(bn_draft *d);

/* ---- features and labels of a node (features.c) ---- */

/* Returns whether all bits are zero; a minus zero is a value and is kept. */
static inline bool bn_is_zero(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits == 0;
}

/* Returns the sparse features; offsets.data is NULL if features are dense. */
bn_csr  bn_features_csr(const bonsai_graph *g);
/* Estimates the features of some nodes: the work of a team (bn_team). */
double  bn_features_work(const bonsai_graph *g, int64_t nodes);
int64_t bn_row_room(const bonsai_graph *g);     /* length of the longest sparse row */
int64_t bn_row_room_in(const bonsai_graph *g, int64_t begin, int64_t end);      /* of some rows */
/* Gets the non-zero features of a node in ascending order; returns their number. */
int64_t bn_row_get(int32_t *index, float *value, const bonsai_graph *g, int64_t node);
/* Gets all f features of a node; the sections must be verified. */
void bn_row_whole(float *out, const bonsai_graph *g, int64_t node);
int32_t bn_label(const bonsai_graph *g, int64_t node);          /* -1: unknown */
bonsai_part bn_part(const bonsai_graph *g, int64_t node);
/* Returns one share of bonsai_graph_soft_label. */
double  bn_soft_share(const bonsai_graph *g, int64_t node, int64_t label);

#define BN_FEATURE_SECTIONS (BN_BIT(BONSAI_SECTION_FEATURES) |        \
                             BN_BIT(BONSAI_SECTION_FEATURE_OFFSETS) | \
                             BN_BIT(BONSAI_SECTION_FEATURE_INDICES) | \
                             BN_BIT(BONSAI_SECTION_FEATURE_VALUES) |  \
                             BN_BIT(BONSAI_SECTION_FEATURE_SCALE))

/* A basis and coordinates, another encoding of the features (factors.c). */
#define BN_FACTOR_SECTIONS (BN_BIT(BONSAI_SECTION_BASIS) | BN_BIT(BONSAI_SECTION_BASIS_SCALE) | \
                            BN_BIT(BONSAI_SECTION_BASIS_COLUMNS) |                             \
                            BN_BIT(BONSAI_SECTION_COORDINATES) |                               \
                            BN_BIT(BONSAI_SECTION_COORDINATE_SCALE))
enum { BN_MOST_DIRECTIONS = 1 << 16 };  /* the most directions of a basis */
enum { BN_MOST_ANGLES = 1024 };         /* the most if coordinates are features */
static const int64_t bn_most_decoded = (int64_t)1 << 28;       /* numbers that a basis may encode */

/* Returns whether a section belongs to a basis. */
static inline bool bn_is_factor(int s)
{
    return s >= BONSAI_SECTION_BASIS && s <= BONSAI_SECTION_COORDINATE_SCALE;
}
/* Returns the columns of the basis in a view of a file. */
static inline int64_t bn_basis_columns(const bonsai_view *v)
{
    const int64_t directions = v->section[BONSAI_SECTION_BASIS_SCALE].count;
    if (!v->section[BONSAI_SECTION_BASIS_COLUMNS].data)
        return v->features;
    return directions > 0 ? v->section[BONSAI_SECTION_BASIS].count / directions : 0;
}
/* Returns the number of features that the basis of g encodes. */
static inline int64_t bn_basis_features(const bonsai_graph *g)
{
    return g->spanned ? g->spanned : g->view.features;
}
/* Returns the set of sections that a format without bases loses. */
static inline uint64_t bn_basis_left_out(const bonsai_graph *g)
{
    return g->spanned ? BN_BIT(BONSAI_SECTION_BASIS) : 0;
}
/* Decodes the basis and the coordinates of g into features beside them.  With the flag of
 * coordinates, g has a feature for each direction afterwards. */
bonsai_status bn_factors_decode(bonsai_graph *g, int threads);

/* ---- directions that are not quite at right angles (factors.c) ---- */

/* Factors the products of r directions with each other, numbers (r x columns) times their scales:
 * *out (r x r), lower, times its transpose equals them; bn_free *out. */
bonsai_status bn_angles_factor(double **out, const int8_t *number, const float *scale, int64_t r,
                               int64_t columns);
/* Turns shares of the r directions, in place, into coordinates as if these were at right angles. */
void bn_angles_of(double *x, const double *factor, int64_t r);

/* Returns whether a basis can be stored in four bits: all of its numbers are signed squares up to
 * 49. */
bool bn_factors_are_squares(const bonsai_graph *g);
/* Removes basis and coordinates from a view, as those of a caller may be wrong. */
void bn_factors_drop(bonsai_view *v);

typedef struct {
    const int32_t *kept;        /* some features, ascending; NULL: all */
    int64_t count;
    bool    all;                /* over all nodes, not only those for training */
} bn_standard_of;

/* Computes mean and spread of features over nodes; a spread of 0 becomes 1 (standardise.c). */
bonsai_status bn_standard(float *mean, float *spread, const bonsai_graph *g,
                          const bn_standard_of *of, int threads);
/* Gets the largest standard deviation among columns of dense features before they were scaled; 0:
 * no such columns, or few nodes (scales.c). */
bonsai_status bn_graph_scale(double *out, const bonsai_graph *g);
/* Gets the mean and standard deviation of each such column over at most 1,000 nodes; a deviation is
 * 0 where the column is constant or most of it is zeros.  Both are NULL without such columns or
 * with fewer than ten nodes; else bn_free both. */
bonsai_status bn_graph_column_scales(float **mean_out, float **spread_out, const bonsai_graph *g);
/* Returns whether the features of g were scaled by a mean and a spread (NULL: none) of count
 * columns, which are the columns kept of g (NULL: all) (standardise.c). */
bool bn_is_standardised(const bonsai_graph *g, const float *mean, const float *spread,
                        const int32_t *kept, int64_t count);
/* Returns the divisor of a column: a spread of 0, which files may hold, counts as 1. */
static inline float bn_divisor(float spread)
{
    return spread != 0 ? spread : 1;
}
/* Returns a feature scaled by mean and spread. */
static inline float bn_standardised(float x, float mean, float spread)
{
    return (x - mean) / bn_divisor(spread);
}
/* Returns a value of column j as before the columns of g were scaled, if they were. */
static inline double bn_unscaled(const bonsai_graph *g, int64_t j, double x)
{
    const float *mean = g->view.section[BONSAI_SECTION_FEATURE_MEAN].data;
    const float *spread = g->view.section[BONSAI_SECTION_FEATURE_SPREAD].data;
    return mean ? x * (double)bn_divisor(spread[j]) + (double)mean[j] : x;
}

/* ---- the split, and parts (derive.c) ---- */

/* Makes a graph like g that borrows the sections in the mask and has no others. */
bonsai_status bn_graph_derive(bonsai_graph **out, const bonsai_graph *g, uint32_t mask);

/* Makes the graph g with a new split, of no node yet, which the caller fills. */
bonsai_status bn_graph_resplit(bonsai_graph **out, uint8_t **split, const bonsai_graph *g);
/* Return whether percentages ask for a split at all, and for the graph's own. */
bool bn_split_is_asked(const double percent[3]);
bool bn_split_is_own(const double percent[3]);
/* Gets the graph with a split of the given percentages; *out is NULL if that is g's own.  All 0
 * asks for g's own split; if it has none, for 60/20/20, or for 100/0/0 if it is a condensed graph,
 * where all labels are for training.  percent gets what was drawn, or all 0. */
bonsai_status bn_graph_parts(bonsai_graph **out, const bonsai_graph *g, double percent[3],
                             uint64_t seed);
/* Gets the percentages that are drawn by default; returns how many of the labelled nodes are before
 * a percentage. */
void    bn_usual_split(double percent[3], const bonsai_graph *g);
int64_t bn_split_end(int64_t labelled, double percent);

/* ---- partitions of the nodes (metis.c) ---- */

/* Sets part (n) to 0 .. parts-1, with few entries between parts and about equally many nodes and
 * entries in each; the same seed gives the same parts. */
bonsai_status bn_metis_parts(int32_t *part, const bonsai_graph *g, int64_t parts, uint64_t seed,
                             const bonsai_read_options *o);

/* ---- blocks of rows (order.c) ---- */

/* Sets first (ranks+1, ascending from 0 to n): rank r has the nodes first[r] .. first[r+1]-1.
 * Ranks have about the same number of nodes plus entries, and at least one node if there are
 * enough.  The offsets must be verified. */
void bn_blocks(int64_t *first, const bonsai_graph *g, int ranks);
/* Finds the blocks on every rank, after all ranks have verified the offsets; bn_free *first. */
bonsai_status bn_blocks_new(int64_t **first, const bonsai_graph *g, const bn_place *at);
/* Sets rows (ranks): how many nodes of other ranks are neighbours of each rank's nodes. */
bonsai_status bn_halo_count(int64_t *rows, const bonsai_graph *g, int ranks);

/* Makes rows begin .. end-1 of the graph that bonsai_graph_induce would make of the nodes; new ids
 * are positions among all of them.  Reads the adjacency and features of those nodes only, which
 * must be verified; does not verify the result. */
bonsai_status bn_graph_induce_part(bonsai_graph **out, const bonsai_graph *g, const int32_t *nodes,
                                   int64_t count, int64_t begin, int64_t end);

/* ---- some of the features (columns.c) ---- */

/* Makes the graph g with only the given features, ascending; kept_features holds their numbers in
 * the full graph.  It shares g's other arrays. */
bonsai_status bn_graph_columns(bonsai_graph **out, const bonsai_graph *g, const int32_t *kept,
                               int64_t count);

/* ---- counting (size.c, stats.c) ---- */

typedef struct {
    bn_traits traits;           /* of the features */
    double strict, paper;       /* bytes by BONSAI_ACCOUNTING_STRICT and _PAPER_FULL */
    double rounded, rounded4;   /* strict, with features rounded to eight bits, to four */
} bn_sizes;

/* Computes all sizes in one pass over the features.  Collective. */
bonsai_status bn_graph_sizes(bn_sizes *out, const bonsai_graph *g, const bn_place *at);

/* Compute bonsai_graph_bytes and bonsai_graph_stats on all ranks; several ranks cannot count by
 * BONSAI_ACCOUNTING_PAPER_CONDENSED, which is for small graphs. */
bonsai_status bn_graph_bytes(double *out, const bonsai_graph *g, bonsai_accounting accounting,
                             const bn_place *at);
bonsai_status bn_graph_stats(bonsai_stats *out, int64_t *class_counts, const bonsai_graph *g,
                             const bn_place *at);
/* Returns the cost of rows by the published code's formula: dense rows 2 for each of their places,
 * whole numbers other than 1 (counts) 2 for each non-zero, others their sum. */
double bn_paper_rows(bool dense, bool counts, double places, int64_t nnz, double sum);
/* Counts the nodes with a known label. */
bonsai_status bn_graph_labelled(int64_t *out, const bonsai_graph *g, const bn_place *at);

/* ---- encodings (scale.c, traits.c, used.c, encode.c, emit.c) ---- */

/* Returns the positive scale that makes every value exactly an integer in low..high, or 0. */
float bn_scale_exact(const float *value, int64_t count, int low, int high, float hint);
/* Returns the scale of a row in U8, I8, Q4 or S4: a lossless one if possible, else that of the
 * largest value. */
float bn_scale_pick(const float *value, int64_t count, bonsai_type t, float hint);
/* Returns the nearest number, or the code of four bits of the nearest square. */
uint8_t bn_quantise(float v, float scale, bonsai_type t);
/* Returns the largest |value / scale| if all are squares of whole numbers; else -1. */
int     bn_largest_square(const float *value, int64_t count, float scale);

typedef bonsai_status bn_sink(const void *data, int64_t len, void *payload);

typedef struct {                /* joins pairs of four-bit codes into bytes */
    bn_sink *sink;              /* gets the bytes */
    void    *payload;
    int      low;               /* a code that waits for its other half; -1: none */
} bn_halves;

bonsai_status bn_halves_put(const void *codes, int64_t count, void *halves);   /* a sink */
bonsai_status bn_halves_end(bn_halves *h);      /* passes on a last half, with zeros above it */
/* Expands count codes of type Q4 (U8) or S4 (I8) to 8-bit numbers.  Returns the position of the
 * first invalid code, -8, or count. */
int64_t bn_halves_open(uint8_t *out, const uint8_t *data, int64_t count, bonsai_type t);

extern const bn_traits bn_no_traits;            /* of no row */
/* Returns the traits without encodings that a reader must expand: those of four bits, and
 * columns. */
bn_traits bn_traits_mapped(const bn_traits *t);
/* Adds a row; start from bn_no_traits. */
void    bn_traits_add(bn_traits *t, const float *value, int64_t count, float hint);
void    bn_traits_join(bn_traits *t, const bn_traits *more);   /* adds the traits of more rows */
/* Returns the bytes of n such rows of f features in the smallest lossless encoding; *is_dense (may
 * be NULL): whether it is dense. */
int64_t bn_traits_bytes(const bn_traits *t, int64_t n, int64_t f, bool *is_dense);
/* Returns the most columns of n such rows of f features that are smaller to store than any encoding
 * of all columns; -1: none, not even 0. */
int64_t bn_traits_columns(const bn_traits *t, int64_t n, int64_t f);
/* Lists the columns with a value in these rows, ascending; bn_free *out.  If they are more than
 * `most`, *count is most + 1 and *out NULL. */
bonsai_status bn_columns_used(int32_t **out, int64_t *count, const bonsai_graph *g, bn_rows rows,
                              int64_t most, int threads);
/* Sets t->empty, by the rows of all ranks. */
bonsai_status bn_columns_find(bn_traits *t, const bonsai_graph *g, const bn_place *at);
/* Finds the traits of a graph's features, and whether all are whole numbers; the graph keeps
 * them. */
bonsai_status bn_traits_of(bn_traits *out, bool *integer, const bonsai_graph *g,
                           const bn_place *at);
/* Finds the traits of some rows, without `empty`, and keeps nothing. */
bonsai_status bn_traits_rows(bn_traits *out, bool *integer, const bonsai_graph *g, int64_t begin,
                             int64_t end, int threads);
/* Returns the scale that a row was stored with, or 0. */
float   bn_row_hint(const bonsai_graph *g, int64_t node);

typedef struct {                /* the type and count of each section to be written */
    bonsai_type type[BONSAI_SECTION_COUNT];
    int64_t     count[BONSAI_SECTION_COUNT];
    int64_t     before;         /* sparse entries of the ranks before this one */
} bn_coding;

bonsai_status bn_coding_make(bn_coding *c, const bonsai_graph *g, bonsai_encoding e,
                             const bn_place *at);
/* Makes the coding if the traits of the features are known. */
bonsai_status bn_coding_of(bn_coding *c, const bonsai_graph *g, bonsai_encoding e,
                           const bn_traits *t, const bn_place *at);
/* Returns the bytes saved if the features were rounded to 8 or 4 bits; 0: none. */
int64_t       bn_coding_saves(const bn_coding *c, const bonsai_graph *g, const bn_traits *t,
                              int bits);
/* Adds the smallest lossless encoding of n such rows of f features to a coding without features. */
void          bn_traits_code(bn_coding *c, const bn_traits *t, int64_t n, int64_t f);
int64_t       bn_coding_bytes(const bn_coding *c, bonsai_section s);
/* Passes the encoded bytes of a section to the sink, piece by piece. */
bonsai_status bn_coding_emit(const bn_coding *c, const bonsai_graph *g, bonsai_section s,
                             bn_sink *sink, void *payload);
/* Passes this rank's rows, for a coding of bn_traits_mapped, starting at element bn_coding_from. */
bonsai_status bn_coding_emit_rows(const bn_coding *c, const bonsai_graph *g, bonsai_section s,
                                  bn_rows rows, bn_sink *sink, void *payload);
int64_t       bn_coding_from(const bn_coding *c, const bonsai_graph *g, bonsai_section s,
                             bn_rows rows);
typedef struct { uint32_t crc; int64_t bytes; } bn_checksum;

/* Adds to sum[s] the checksum and the bytes of this rank's rows, for each section s of features
 * that is encoded; the coding is lossless, of bn_traits_mapped.  Takes one pass over the rows. */
bonsai_status bn_coding_sums(bn_checksum *sum, const bn_coding *c, const bonsai_graph *g,
                             bn_rows rows, int threads);
/* Returns whether the section is written unchanged. */
bool          bn_coding_keeps(const bn_coding *c, const bonsai_graph *g, bonsai_section s);

#endif
