/* bonsai.h -- the interface of libbonsai: graphs, condensing, training and predicting.
 *
 * bonsai_study.h has the rest: statistics, generated graphs, plans, comparisons and reports.
 *
 * A function that can fail returns a status and leaves one sentence for bonsai_error().  Outputs
 * come first.  What "T **out" gets is the caller's to free, and NULL on failure; a returned pointer
 * belongs to the object it came from.  Every free function takes NULL.  Options may be NULL: then
 * the defaults hold.  Other pointers must not be NULL unless it is said; functions that return a
 * status refuse it.  Getters need an object and a node that exist, and do not check.  Any number of
 * threads may use a const graph at the same time.  The library never prints, exits or aborts.
 *
 * The option threads is at most 4096.  0 is every core that the process may use, or fewer where
 * there is little to do.  Set OMP_WAIT_POLICY=passive before the process starts, as the program
 * does: else threads spin while they wait.
 *
 * Structs grow: new members are appended, and 0 in one means "off" or "automatic".  A struct of the
 * caller gets its size from its init function; the library reads and writes no more of it, and
 * refuses unknown members that are not 0, and a size that no struct has: whoever left out the init
 * function is told so.  Structs of an array have the size of the first.  An option whose comment
 * names no default is 0 by default: off, automatic, or the first of its words.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_H
#define BONSAI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BONSAI_API __attribute__((visibility("default")))
#else
#define BONSAI_API
#endif

#define BONSAI_VERSION "0.8.0"
#define BONSAI_VERSION_MAJOR 0
#define BONSAI_VERSION_MINOR 8
#define BONSAI_VERSION_PATCH 0
/* For #if: 10000 for a major version, 100 for a minor one, 1 for a patch. */
#define BONSAI_VERSION_NUMBER \
    (10000 * BONSAI_VERSION_MAJOR + 100 * BONSAI_VERSION_MINOR + BONSAI_VERSION_PATCH)

/* ---- status ------------------------------------------------------------- */

/* Name, value and general meaning of every status.  Values never change. */
#define BONSAI_STATUS_MAP(X)                                   \
    X(OK,          0, "success")                               \
    X(E_ARGUMENT, -1, "invalid argument")                      \
    X(E_MEMORY,   -2, "out of memory")                         \
    X(E_IO,       -3, "file could not be read or written")     \
    X(E_FORMAT,   -4, "file is not valid in its format")       \
    X(E_CANCELED, -5, "canceled by the progress callback")

typedef enum {
#define BONSAI_STATUS_ENUM(name, value, text) BONSAI_##name = value,
    BONSAI_STATUS_MAP(BONSAI_STATUS_ENUM)
#undef BONSAI_STATUS_ENUM
} bonsai_status;

BONSAI_API const char *bonsai_version(void);    /* of the library that is running */
BONSAI_API const char *bonsai_status_text(bonsai_status status);   /* its general meaning */
BONSAI_API const char *bonsai_error(void);      /* of this thread's last failed call; "": none */

/* What an error is about: name, value and text.  Values never change. */
#define BONSAI_ERROR_MAP(X)                                                                      \
    X(OTHER,          0, "other")                                                                \
    X(MISSING,        1, "missing")         /* path does not exist */                            \
    X(UNKNOWN_FORMAT, 2, "unknown format")  /* nothing tells the format of path */               \
    X(TEXT,           3, "text")            /* a line of a text file */                          \
    X(ENTRY,          4, "entry")           /* an entry of a section of a graph */

typedef enum {
#define BONSAI_ERROR_ENUM(name, value, text) BONSAI_ERROR_##name = value,
    BONSAI_ERROR_MAP(BONSAI_ERROR_ENUM)
#undef BONSAI_ERROR_ENUM
} bonsai_error_kind;

typedef struct {                /* the facts in the sentence of bonsai_error() */
    size_t      size;           /* set by the library */
    bonsai_status     status;
    bonsai_error_kind kind;
    const char *path;           /* of the file; "graph" for a graph of arrays; "": none */
    int64_t     line, column;   /* of a text, from 1; 0: unknown */
    int64_t     section;        /* a bonsai_section; 0: none */
    int64_t     entry;          /* of the section, from 0; -1: none */
    const char *reason;         /* the sentence without the place */
} bonsai_error_info;
/* Of this thread's last failed call; valid until the thread's next call. */
BONSAI_API const bonsai_error_info *bonsai_error_details(void);
BONSAI_API const char *bonsai_error_kind_name(bonsai_error_kind kind);     /* NULL: unknown */
BONSAI_API const char *bonsai_isa(void);        /* inner loops: "avx512", "avx2", "baseline" */

/* ---- progress ----------------------------------------------------------- */

typedef struct {
    size_t      size;           /* set by the library */
    const char *stage;          /* what is being done, in one or two words */
    uint64_t    done, total;    /* done is 0 in the first call of a stage, total in the last; a
                                 * stage may come again */
    const char *note;           /* more to show, such as a loss; NULL: nothing */
} bonsai_progress;

/* Called now and then, on the thread that called the library.  Non-zero cancels: the call then
 * frees everything and returns BONSAI_E_CANCELED. */
typedef int bonsai_progress_fn(const bonsai_progress *p, void *payload);

/* ---- warnings ------------------------------------------------------------ */

/* Doubts about an input: name, value and text. */
#define BONSAI_WARNING_MAP(X)                                                                    \
    X(HEADER,         1, "header")          /* the first edge may be names of columns */         \
    X(LABEL_COLUMN,   2, "label column")    /* a feature is called like a label */               \
    X(ID_COLUMN,      3, "id column")       /* a feature may be the ids of the nodes */          \
    X(WEIGHT_COLUMN,  4, "weight column")   /* weights of edges have another name */             \
    X(UNREAD_COLUMNS, 5, "unread columns")  /* columns of edges that were not read */

typedef enum {
#define BONSAI_WARNING_ENUM(name, value, text) BONSAI_WARNING_##name = value,
    BONSAI_WARNING_MAP(BONSAI_WARNING_ENUM)
#undef BONSAI_WARNING_ENUM
} bonsai_warning_kind;

typedef struct {
    size_t      size;           /* set by the library */
    bonsai_warning_kind kind;
    const char *text;           /* a sentence */
    const char *path;           /* of the input */
    int64_t     column;         /* of the features or edges, from 1; 0: none */
    const char *value;          /* the name of the column, or names like "date, note"; "": none */
} bonsai_warning;

/* Called on the thread that called the library, which then goes on. */
typedef void bonsai_warning_fn(const bonsai_warning *w, void *payload);

typedef enum {                  /* how sentences write an option */
    BONSAI_SPELLING_C,          /* keep_directed */
    BONSAI_SPELLING_SHELL,      /* --keep-directed */
    BONSAI_SPELLING_PYTHON      /* keep_directed= */
} bonsai_spelling;

/* ---- arrays and sections ------------------------------------------------ */

/* Element types: name, value, bytes.  Values are those of the file format.  Q4 and S4, of four
 * bits, occur in files alone. */
#define BONSAI_TYPE_MAP(X) \
    X(NONE, 0, 0) X(U8, 1, 1) X(U16, 2, 2) X(U32, 3, 4) X(U64, 4, 8) \
    X(I8, 5, 1) X(F16, 6, 2) X(F32, 7, 4) X(Q4, 8, 0) X(S4, 9, 0)

typedef enum {
#define BONSAI_TYPE_ENUM(name, value, bytes) BONSAI_TYPE_##name = value,
    BONSAI_TYPE_MAP(BONSAI_TYPE_ENUM)
#undef BONSAI_TYPE_ENUM
} bonsai_type;

typedef struct {                /* has no size: it never changes */
    const void *data;           /* NULL: the graph has no such section */
    int64_t     count;          /* elements */
    bonsai_type type;
} bonsai_array;

/* What a graph is made of: name, number in the file, text, and whether the bytes count in the size
 * of a graph.  n nodes, m edge entries, f features, c classes. */
#define BONSAI_SECTION_MAP(X)                                                                      \
    X(OFFSETS,         1, "offsets",         1) /* n+1  U32 U64: row v is offsets[v] .. [v+1]-1 */ \
    X(NEIGHBORS,       2, "neighbors",       1) /* m    U32, ascending in each row */              \
    X(EDGE_WEIGHTS,    3, "edge weights",    1) /* m    F32, positive and finite */                \
    X(FEATURES,        4, "features",        1) /* n*f  dense: F32 F16, or U8 I8 times a scale */  \
    X(FEATURE_OFFSETS, 5, "feature offsets", 1) /* n+1  sparse: U32 U64 */                         \
    X(FEATURE_INDICES, 6, "feature indices", 1) /* nnz  U16 U32, ascending in each row */          \
    X(FEATURE_VALUES,  7, "feature values",  1) /* nnz  F32, or U8 I8 times a scale; none: 1 */    \
    X(FEATURE_SCALE,   8, "feature scale",   1) /* n    F32: the scale of a row */                 \
    X(LABELS,          9, "labels",          1) /* n    U8 U16 U32; the largest number: unknown */ \
    X(SOFT_LABELS,    10, "soft labels",     1) /* n*c  U8 (255ths) or F32, rows sum to 1 */       \
    X(NODE_WEIGHTS,   11, "node weights",    1) /* n    U8 U16 F32: in the loss */                 \
    X(SPLIT,          12, "split",           1) /* n    U8: bonsai_part */                         \
    X(CLASS_NAMES,    13, "class names",     0) /* U8: c strings in UTF-8, each ended by a zero */ \
    X(NODE_NAMES,     14, "node names",      0) /* U8: n strings in UTF-8, each ended by a zero */ \
    X(ORIGIN,         15, "origin",          0) /* n    U32: node of the full graph */             \
    X(ROLE,           16, "role",            0) /* n    U8: bonsai_role */                         \
    X(MEMBER_OFFSETS, 17, "member offsets",  0) /* n+1  U32 U64 */                                 \
    X(MEMBERS,        18, "members",         0) /* U32: nodes of the full graph, by row */         \
    X(KEPT_FEATURES,  19, "kept features",   0) /* f    U32, ascending: of the full graph */       \
    X(FEATURE_MEAN,   20, "feature mean",    0) /* f    F32: subtracted before ... */              \
    X(FEATURE_SPREAD, 21, "feature spread",  0) /* f    F32: ... the division by this */           \
    X(METADATA,       22, "metadata",        0) /* U8: one JSON object in UTF-8 */                 \
    X(FEATURE_COLUMNS, 23, "feature columns", 1) /* U16 U32: of dense features; in files alone */  \
    X(FEATURE_NAMES,  24, "feature names",   0) /* U8: f strings in UTF-8, each ended by a zero */ \
    X(BASIS,          25, "basis",           1) /* r*q  I8 times a scale: rows are mixtures of */  \
    X(BASIS_SCALE,    26, "basis scale",     1) /* r    F32 ... these r directions, ... */         \
    X(BASIS_COLUMNS,  27, "basis columns",   1) /* q    U16 U32; U8: f bits, in files; none: all */  \
    X(COORDINATES,    28, "coordinates",     1) /* n*r  I8 times a scale: how much of each */      \
    X(COORDINATE_SCALE, 29, "coordinate scale", 1) /* n F32.  The features say the same, decoded */

typedef enum {
#define BONSAI_SECTION_ENUM(name, id, text, counted) BONSAI_SECTION_##name = id,
    BONSAI_SECTION_MAP(BONSAI_SECTION_ENUM)
#undef BONSAI_SECTION_ENUM
    BONSAI_SECTION_COUNT = 30   /* one more than the last; entry 0 is never used */
} bonsai_section;

typedef enum { BONSAI_PART_NONE, BONSAI_PART_TRAIN, BONSAI_PART_VAL, BONSAI_PART_TEST } bonsai_part;
typedef enum {
    BONSAI_ROLE_NONE, BONSAI_ROLE_ROOT, BONSAI_ROLE_EGO, BONSAI_ROLE_PROTOTYPE, BONSAI_ROLE_LEARNED
} bonsai_role;

enum {                          /* flags of a graph: what its adjacency may hold */
    BONSAI_FLAG_DIRECTED   = 1, /* an entry without its reverse */
    BONSAI_FLAG_SELF_LOOPS = 2, /* an edge from a node to itself */
    BONSAI_FLAG_REPEATED   = 4, /* the same entry more than once */
    BONSAI_FLAG_OPERATOR   = 8, /* weights, of any sign, multiply rows as they are */
    BONSAI_FLAG_COORDINATES = 16    /* features are coordinates in the basis, which projects others:
                                     * bonsai_graph_project */
};

typedef struct {
    size_t       size;          /* set by the init function */
    int64_t      nodes;         /* below 2^31 */
    int64_t      features;
    int64_t      classes;       /* labels are 0 .. classes-1 */
    uint64_t     flags;         /* BONSAI_FLAG_... */
    bonsai_array section[BONSAI_SECTION_COUNT];     /* by bonsai_section */
} bonsai_view;
#define bonsai_view_init(v) bonsai_view_init_sized((v), sizeof *(v))
BONSAI_API void bonsai_view_init_sized(bonsai_view *v, size_t size);
/* The text of a section or type, "" if unknown; the bytes of an element, 0 if unknown or half. */
BONSAI_API const char *bonsai_section_text(bonsai_section s);
BONSAI_API const char *bonsai_type_text(bonsai_type t);
BONSAI_API size_t      bonsai_type_bytes(bonsai_type t);

/* ---- graphs ------------------------------------------------------------- */

typedef struct bonsai_graph bonsai_graph;

typedef struct {
    size_t      size;           /* set by the init function */
    int         keep_directed;  /* 0: an entry without its reverse gets one */
    int         keep_self_loops;/* 0: they are dropped */
    int         keep_repeated;  /* 0: repeated entries are merged, their weights summed */
    int         threads;        /* 0: every core it may use */
    const char *features;       /* text and mtx: the file of features; NULL: found by name */
    const char *labels;         /* text and mtx: the file of labels and split; NULL: likewise */
    bonsai_progress_fn *progress;   /* NULL: none */
    void       *payload;        /* for progress */
    bonsai_warning_fn *warning; /* called for each doubt about the input; NULL: none */
    void       *warning_payload;
    int64_t     spelling;       /* a bonsai_spelling, for warnings and errors */
} bonsai_read_options;
#define bonsai_read_options_init(o) bonsai_read_options_init_sized((o), sizeof *(o))
BONSAI_API void bonsai_read_options_init_sized(bonsai_read_options *o, size_t size);

/* Reads a graph of any format.  path: a file, a folder, or FORMAT:PATH.  A .bonsai file is mapped:
 * it must not change while the graph is in use, and sections from 1 MB on are verified when needed. */
BONSAI_API bonsai_status bonsai_graph_load(bonsai_graph **out, const char *path);
BONSAI_API bonsai_status bonsai_graph_read(bonsai_graph **out, const char *path,
                                           const bonsai_read_options *o);
/* A graph of the caller's arrays, checked.  copy 0: they are borrowed and must outlive the graph;
 * 1: they are copied. */
BONSAI_API bonsai_status bonsai_graph_new(bonsai_graph **out, const bonsai_view *v, int copy);
/* A graph of m edges source[i] -> target[i] with weight[i] (NULL: unweighted) in any order, and of
 * the sections of v, which are copied.  v states the number of nodes and has no adjacency.  With
 * BONSAI_FLAG_OPERATOR in its flags, weights may have any sign and loops are kept; other flags of v
 * are not read. */
BONSAI_API bonsai_status bonsai_graph_build(bonsai_graph **out, const bonsai_view *v, int64_t m,
                                            const int32_t *source, const int32_t *target,
                                            const float *weight, const bonsai_read_options *o);
/* The same for edges of 64-bit numbers, as PyTorch Geometric's and OGB's edge_index has them:
 * source is its first row and target its second.  They are not borrowed. */
BONSAI_API bonsai_status bonsai_graph_build64(bonsai_graph **out, const bonsai_view *v, int64_t m,
                                              const int64_t *source, const int64_t *target,
                                              const float *weight, const bonsai_read_options *o);
BONSAI_API void bonsai_graph_free(bonsai_graph *g);

/* The arrays of a graph, as long as it lives.  Those of a mapped file may be damaged until
 * bonsai_graph_verify has checked them: call it before you follow an offset or an index. */
BONSAI_API const bonsai_view *bonsai_graph_view(const bonsai_graph *g);
BONSAI_API int64_t bonsai_graph_nodes(const bonsai_graph *g);
BONSAI_API int64_t bonsai_graph_edges(const bonsai_graph *g);  /* an undirected edge counts twice */
BONSAI_API int64_t bonsai_graph_features(const bonsai_graph *g);
BONSAI_API int64_t bonsai_graph_classes(const bonsai_graph *g);
/* Verifies checksums and ranges of every section that has not been verified yet. */
BONSAI_API bonsai_status bonsai_graph_verify(const bonsai_graph *g);
/* The same, and that an undirected graph is symmetric, weights included. */
BONSAI_API bonsai_status bonsai_graph_check(const bonsai_graph *g, const bonsai_read_options *o);
/* A node's features as f floats, and its label (-1: unknown).  These and the getters below verify
 * what they read when they are first called for a mapped file.  If it is damaged, they give 0, -1 or
 * NULL, and bonsai_error() says why; bonsai_graph_verify tells before. */
BONSAI_API void bonsai_graph_row(float *out, const bonsai_graph *g, int64_t node);
BONSAI_API int32_t bonsai_graph_label(const bonsai_graph *g, int64_t node);
/* What a node of a condensed graph stands for.
 * soft_label: the share of each of the c classes, which sum to about 1; without soft labels, 1 for
 * its label, and all 0 if that is unknown.  weight: in the loss; 1 where the graph has none.
 * origin: its node of the full graph, or for a prototype the nearest of those that it stands for, as
 * bonsai_condense_nearest (bonsai_study.h) finds it; -1: not stored.
 * members: the *count nodes of the full graph that a prototype stands for; NULL and 0: not stored
 * (the option members of condensing stores them). */
BONSAI_API void bonsai_graph_soft_label(float *out, const bonsai_graph *g, int64_t node);
BONSAI_API double bonsai_graph_weight(const bonsai_graph *g, int64_t node);
BONSAI_API int64_t bonsai_graph_origin(const bonsai_graph *g, int64_t node);
BONSAI_API const int32_t *bonsai_graph_members(int64_t *count, const bonsai_graph *g, int64_t node);
/* The name of a class, and of a feature; NULL: it has none. */
BONSAI_API const char *bonsai_graph_class_name(const bonsai_graph *g, int64_t label);
BONSAI_API const char *bonsai_graph_feature_name(const bonsai_graph *g, int64_t feature);

/* The graph g with a new split: percent of its labelled nodes, at most 100 in all, go to train, val
 * and test at random, by the seed.  It shares g's arrays: g may be freed first, arrays that g
 * borrows may not. */
BONSAI_API bonsai_status bonsai_graph_split(bonsai_graph **out, const bonsai_graph *g,
                                            const double percent[3], uint64_t seed);
/* Shares that have a name: "random" is 60/20/20, "published" what the code published with the paper
 * takes, and "own" (all -1) stands for the graph's own split in options: a graph that has none is
 * then refused.  1, or 0 where the name is none of them. */
BONSAI_API int bonsai_split_named(double percent[3], const char *name);
/* As bonsai_graph_split, with the split of a NumPy archive that lists the nodes of each part:
 * train_idx, val_idx and test_idx.  No node may be in two of them; those in none are in no part. */
BONSAI_API bonsai_status bonsai_graph_split_file(bonsai_graph **out, const bonsai_graph *g,
                                                 const char *path);
/* The graph g with other names of its features: one a line, as many lines as features.  It shares
 * g's arrays in the same way.  bonsai_graph_new and _build take names in a section of the view. */
BONSAI_API bonsai_status bonsai_graph_name_features(bonsai_graph **out, const bonsai_graph *g,
                                                    const char *lines);
/* The graph g with the class numbers of a model or of another graph, whose count classes are called
 * by names; NULL: they have none.  Classes are told by name, or, where one side has none and those
 * of the other are whole numbers, by number.  It shares g's arrays in the same way and has count
 * classes.  *out is NULL where nothing is to change: the numbers agree, or there are no names to tell
 * by.  Fails where g has nodes of a class that is none of these. */
BONSAI_API bonsai_status bonsai_graph_match_classes(bonsai_graph **out, const bonsai_graph *g,
                                                    const char *const *names, int64_t count);
/* The graph g in the coordinates of small, which was condensed with the option coordinates: as many
 * features as small has, dense, else as g, whose arrays it shares in the same way.  Refuses a small
 * graph without such a basis, and a graph that has not as many features as small was made of. */
BONSAI_API bonsai_status bonsai_graph_project(bonsai_graph **out, const bonsai_graph *g,
                                              const bonsai_graph *small);
/* How many features graphs have that small projects; 0: its features are no coordinates. */
BONSAI_API int64_t bonsai_graph_projected(const bonsai_graph *small);
/* The matrix that it multiplies features by: out gets bonsai_graph_projected(small) rows of as many
 * columns as small has features. */
BONSAI_API bonsai_status bonsai_graph_projection(float *out, const bonsai_graph *small);
/* The subgraph of g that count different nodes induce, in the given order.  Its origin section
 * holds their ids in g, or in g's own origin.  It shares nothing with g. */
BONSAI_API bonsai_status bonsai_graph_induce(bonsai_graph **out, const bonsai_graph *g,
                                             const int32_t *nodes, int64_t count);

/* ---- saving and sizes --------------------------------------------------- */

typedef enum {                  /* how a native file stores features */
    BONSAI_ENCODING_AUTO,       /* the smallest that loses nothing */
    BONSAI_ENCODING_KEEP,       /* the smallest that is mapped; dense or sparse as they are */
    BONSAI_ENCODING_F32, BONSAI_ENCODING_F16, BONSAI_ENCODING_U8,   /* dense */
    BONSAI_ENCODING_SPARSE_F32, BONSAI_ENCODING_SPARSE_U8           /* sparse */
} bonsai_encoding;

typedef struct {
    size_t          size;       /* set by the init function */
    bonsai_encoding features;   /* of a native file; F16 and U8 may round */
    int             threads;    /* 0: every core it may use */
    bonsai_progress_fn *progress;
    void           *payload;
    int64_t         memory;     /* bonsai_graph_convert: bytes for sorting edges; 0: 1 GiB */
    int             labelled;   /* 1: only nodes with a label or a part of the split, and the edges
                                 * among them; the origin section holds their ids */
} bonsai_write_options;
#define bonsai_write_options_init(o) bonsai_write_options_init_sized((o), sizeof *(o))
BONSAI_API void bonsai_write_options_init_sized(bonsai_write_options *o, size_t size);

/* Writes path in the format that its ending names (.bonsai, .npz, or a folder of text ending in
 * "/"), or FORMAT:PATH.  The file appears when it is complete; on failure what was there stays.
 * *left_out, unless NULL, gets the bit 1 << section of each section that the format cannot hold. */
BONSAI_API bonsai_status bonsai_graph_save(uint64_t *left_out, const bonsai_graph *g,
                                           const char *path, const bonsai_write_options *o);

/* Reads the graph `from` and writes it to `path`, as bonsai_graph_read and bonsai_graph_save do.  A
 * folder of large arrays (MAG240M's, or OGB's binary form) becomes a native file without being held:
 * features are read once and written as they come, in the type that they have; edges that do not fit
 * the memory are sorted in scratch files.  That needs write->features AUTO or KEEP, and repeated
 * edges that are merged.  *format, unless NULL, gets the name of the format that was read. */
BONSAI_API bonsai_status bonsai_graph_convert(uint64_t *left_out, const char **format,
                                              const char *path, const char *from,
                                              const bonsai_read_options *read,
                                              const bonsai_write_options *write);

typedef enum {
    BONSAI_ACCOUNTING_STRICT,           /* counted sections in their smallest lossless encoding */
    BONSAI_ACCOUNTING_PAPER_FULL,       /* the published code's price of a full graph */
    BONSAI_ACCOUNTING_PAPER_CONDENSED   /* the published code's price of a condensed graph */
} bonsai_accounting;

/* The size of g in bytes. */
BONSAI_API bonsai_status bonsai_graph_bytes(double *out, const bonsai_graph *g,
                                            bonsai_accounting accounting);

/* ---- condensing --------------------------------------------------------- */

/* Name, value, word, kind and meaning of every method; those that belong together stand together.
 * Values never change.  Those that learn do as their papers have it (doc/peers.md). */
#define BONSAI_METHOD_MAP(X)                                                                      \
    X(AUTO, 7, "auto", "ours",                                                                    \
      "the best of prototypes, trees, random, herding and kcenter, by a probe")                   \
    X(PROTOTYPES, 6, "prototypes", "ours", "nodes that each stand for many training nodes")       \
    X(TREES, 0, "trees", "the paper's",                                                           \
      "trees that most others are near to, thinned by PageRank")                                  \
    X(PUBLISHED, 18, "published", "the paper's",                                                  \
      "what its published code does, by its own price: often most of the graph")                  \
    X(RANDOM, 1, "random", "baseline", "training nodes at random")                                \
    X(RANDOM_TREES, 2, "random-trees", "baseline", "trees at random")                             \
    X(HERDING, 3, "herding", "baseline", "nodes whose mean follows that of their class")          \
    X(KCENTER, 4, "kcenter", "baseline", "nodes far from each other")                             \
    X(DEGREE, 5, "degree", "baseline", "nodes with most neighbours")                              \
    X(GCOND, 8, "gcond", "learns",                                                                \
      "features and edges that give a student the full graph's gradients")                        \
    X(GCOND_X, 9, "gcond-x", "learns", "the same without edges")                                  \
    X(DOSCOND, 10, "doscond", "learns", "gcond with students that are never trained")             \
    X(SGDD, 11, "sgdd", "learns",                                                                 \
      "gcond whose edges also know places of nodes and shun other classes")                       \
    X(EXGC, 12, "exgc", "learns", "gcond that moves few nodes at first")                          \
    X(GC_SNTK, 13, "gc-sntk", "learns", "rows and soft labels of a kernel regression; seconds")   \
    X(GDEM, 14, "gdem", "learns",                                                                 \
      "features and eigenvectors with the full graph's spectrum; seconds")                        \
    X(GCSR, 15, "gcsr", "learns",                                                                 \
      "rows, joined in closed form, that lead a student after experts")                           \
    X(SFGC, 16, "sfgc", "learns",                                                                 \
      "rows without edges that do so over hundreds of steps; minutes")                            \
    X(GEOM, 17, "geom", "learns",                                                                 \
      "sfgc with easy nodes first, later starts and soft labels; minutes")

typedef enum {
#define BONSAI_METHOD_ENUM(name, value, word, kind, about) BONSAI_METHOD_##name = value,
    BONSAI_METHOD_MAP(BONSAI_METHOD_ENUM)
#undef BONSAI_METHOD_ENUM
    BONSAI_METHOD_COUNT = 19
} bonsai_method;

typedef enum {                  /* how well predictions fit labels, in percent */
    BONSAI_METRIC_ACCURACY,     /* share of the nodes */
    BONSAI_METRIC_BALANCED,     /* mean recall of the classes that occur among the labels */
    BONSAI_METRIC_F1,           /* mean F1 of those that occur among labels or predictions */
    BONSAI_METRIC_AUC,          /* two classes that both occur: area under the ROC curve */
    BONSAI_METRIC_AP,           /* average precision: of two classes that of the class with fewer
                                 * labelled nodes (1 if both have as many); of more, only where it
                                 * is asked for, the mean over those that occur */
    BONSAI_METRIC_F1MAX,        /* two classes: F1 of that class with the threshold that is best for
                                 * the validation nodes */
    BONSAI_METRIC_COUNT, BONSAI_METRIC_ROOM = 8     /* of an array by metric; -1: not defined */
} bonsai_metric;

typedef enum {                  /* what the probe compares small graphs by */
    BONSAI_AIM_AUTO,            /* ACCURACY; MIXED where a class is rare: below a tenth of the
                                 * labelled training nodes, and below a third of an equal share,
                                 * of at most ten classes */
    BONSAI_AIM_MIXED,           /* the mean of accuracy and balanced accuracy */
    BONSAI_AIM_ACCURACY = 2 + BONSAI_METRIC_ACCURACY,   /* one metric of the judged nodes; */
    BONSAI_AIM_BALANCED = 2 + BONSAI_METRIC_BALANCED,   /* AUC and AP of more than two classes: */
    BONSAI_AIM_F1 = 2 + BONSAI_METRIC_F1,               /* the mean over those that occur, each */
    BONSAI_AIM_AUC = 2 + BONSAI_METRIC_AUC,             /* against all others; F1MAX: at the */
    BONSAI_AIM_AP = 2 + BONSAI_METRIC_AP,               /* threshold that is best for them */
    BONSAI_AIM_F1MAX = 2 + BONSAI_METRIC_F1MAX,
    BONSAI_AIM_COUNT
} bonsai_aim;

typedef enum {                  /* which round of a method that learns is kept */
    BONSAI_KEEP_PROBE,          /* the one that the probe puts highest; LAST without validation */
    BONSAI_KEEP_LAST
} bonsai_keep;

typedef struct {
    size_t  size;               /* set by the init function */
    double  ratio;              /* the budget: condensed bytes / full bytes, above 0 .. 1, ... */
    int64_t bytes;              /* ... or bytes, ... */
    int64_t nodes;              /* ... or nodes, ... */
    int64_t trees;              /* ... or trees; the first of the four that is above 0 holds */
    bonsai_method method;       /* default AUTO */
    bonsai_accounting accounting;   /* STRICT, or PAPER_FULL for the published code's */
    int     layers;             /* hops of a tree and rounds of averaging, 0 .. 16, default 2 */
    int     k;                  /* neighbours of a tree in the reverse k-NN, from 1, default 5 */
    int64_t sample;             /* trees sampled for it; 0: by theta and delta; -1: all */
    double  theta, delta;       /* error of the sampled cover; chance of a larger one; default
                                 * 0.05 */
    int     density;            /* 1: gain per byte instead of gain */
    int     no_rknn, no_ppr;    /* ablations: 1: trees in random order; 1: no sparsification */
    int64_t patience;           /* trees in a row that may fail to fit, from 1, default 200 */
    double  beta;               /* PageRank's chance to return to a root, 0.001 .. 0.999, default
                                 * 0.15 */
    double  prune_share;        /* at most this share of the ego nodes goes in a round, 0 .. 1,
                                 * default 1 */
    double  min_pruned;         /* stop when a smaller share of the nodes would go, 0 .. 1, default
                                 * 0.01; of both, with keep_trees, of the whole trees */
    int     select_features;    /* 1: keep only features that a decision tree splits on */
    int     inductive;          /* 1: cut the graph to its training nodes first */
    int     raw_features;       /* 1: HERDING and KCENTER on features instead of embeddings */
    int     project;            /* dimensions of a random projection before k-NN; 0: exact */
    double  split[3];           /* percent of a new split, drawn with the seed; all 0: the graph's
                                 * own, or 60/20/20; of a condensed graph 100/0/0 */
    int     threads;            /* 0: every core it may use */
    uint64_t seed;              /* default 1 */
    bonsai_progress_fn *progress;
    void   *payload;
    int     no_validation;      /* 1: the probe judges on a fifth of the training nodes instead */
    int     hard_labels;        /* 1: prototypes without soft labels */
    int     members;            /* 1: prototypes name the nodes that they stand for */
    int64_t memory;             /* private bytes of the process, those that it holds already
                                 * included; the rest in scratch files; 0: what is free */
    int     for_models;         /* bit 1 << bonsai_model_kind for each network that it is for: the
                                 * probe judges with their view; 0: all; SAGE alone: prototypes may
                                 * be pairs of nodes */
    double  effort;             /* methods that learn: rounds and experts, default 1: as
                                 * published */
    double  time_limit;         /* ... seconds, then the best so far; 0: none */
    bonsai_keep keep;
    int     keep_trees;         /* 1: a root's tree goes or stays as a whole */
    int     no_training;        /* 1: the probe alone chooses between kinds of prototypes; 0: networks
                                 * are trained on the best small graph of each kind */
    bonsai_aim metric;          /* what the probe compares small graphs by */
    int     coordinates;        /* 1: prototypes have a feature for each direction of a basis, which
                                 * full graphs are projected on (bonsai_graph_project); a budget in
                                 * bytes, and AUTO or PROTOTYPES */
} bonsai_condense_options;
#define bonsai_condense_options_init(o) bonsai_condense_options_init_sized((o), sizeof *(o))
BONSAI_API void bonsai_condense_options_init_sized(bonsai_condense_options *o, size_t size);
BONSAI_API const char *bonsai_method_name(bonsai_method m);    /* "trees", ...; NULL: unknown */

enum { BONSAI_FACT_ROOM = 128 };

typedef struct {                /* a condensed graph, beside the full one, and its making */
    size_t  size;               /* set by the init function */
    int64_t nodes, edges, labelled, roots;
    int64_t full_nodes, full_edges;
    double  bytes, full_bytes, ratio;           /* STRICT */
    double  coverage;           /* share of the sample that the roots cover; -1: not known */
    double  probe, probe_full;  /* percent of validation nodes that the probe got right, or another
                                 * metric of them, fitted on the small and on the full graph; -1:
                                 * none */
    double  seconds_total;
    int64_t peak_rss_bytes;
    uint64_t seed;
    bonsai_method method;       /* of AUTO: the one that it chose */
    char    text[256];          /* all else: read it with bonsai_fact and bonsai_fact_text */
    double  fact[BONSAI_FACT_ROOM];
} bonsai_condense_info;
#define bonsai_condense_info_init(i) bonsai_condense_info_init_sized((i), sizeof *(i))
BONSAI_API void bonsai_condense_info_init_sized(bonsai_condense_info *i, size_t size);
/* Sets *value to a fact by its path, such as "cover.coverage_check" or "seconds.wl", and returns 1;
 * returns 0 and sets NAN if the fact is not known, not a number, or does not exist.
 * bonsai_fact_at (bonsai_study.h) lists all paths. */
BONSAI_API int bonsai_fact(double *value, const bonsai_condense_info *i, const char *path);
/* Returns a fact in words, such as "choice.why"; it belongs to the struct.  "": not known; NULL: not
 * a text, or it does not exist. */
BONSAI_API const char *bonsai_fact_text(const bonsai_condense_info *i, const char *path);

/* The small graph of g that the options ask for.  *info, unless NULL, tells about it, and so does
 * its metadata.  No label of a node outside the training part enters it. */
BONSAI_API bonsai_status bonsai_condense(bonsai_graph **out, bonsai_condense_info *info,
                                         const bonsai_graph *g, const bonsai_condense_options *o);
/* The same for several ratios from one embedding: out[i] for ratios[i], and info[i] with seconds
 * as if alone: what all ratios share counts for each.  ratios NULL: the budget of the options.
 * info: an array whose first is initialised, or NULL.  On failure every out[i] is NULL. */
BONSAI_API bonsai_status bonsai_condense_many(bonsai_graph **out, bonsai_condense_info *info,
                                              const double *ratios, int count,
                                              const bonsai_graph *g,
                                              const bonsai_condense_options *o);
/* The prototypes of small, made of was with members, after was has become now: nodes were added
 * behind the older ones; edges, features and labels may differ.  Both have a split.  What changed
 * is embedded again and goes to the nearest prototype of its class; layers and budget are those of
 * small.  Of the options only threads and progress matter. */
BONSAI_API bonsai_status bonsai_condense_update(bonsai_graph **out, bonsai_condense_info *info,
                                                const bonsai_graph *now, const bonsai_graph *was,
                                                const bonsai_graph *small,
                                                const bonsai_condense_options *o);

/* ---- training and predicting -------------------------------------------- */

typedef enum {                  /* as PyTorch Geometric's GCNConv, GATConv, GINConv, SAGEConv */
    BONSAI_MODEL_GCN, BONSAI_MODEL_GAT, BONSAI_MODEL_GIN, BONSAI_MODEL_SAGE, BONSAI_MODEL_COUNT
} bonsai_model_kind;

typedef enum {                  /* which nodes of full say what mean and spread are */
    BONSAI_STANDARDISE_NONE, BONSAI_STANDARDISE_TRAIN, BONSAI_STANDARDISE_ALL
} bonsai_standardise;

BONSAI_API const char *bonsai_model_name(bonsai_model_kind m);     /* "gcn", ...; NULL: unknown */
BONSAI_API const char *bonsai_metric_name(bonsai_metric m);        /* "f1", ...; NULL: unknown */
BONSAI_API const char *bonsai_metric_text(bonsai_metric m);        /* "macro F1", ... */

typedef struct {
    size_t  size;               /* set by the init function */
    bonsai_model_kind model;
    int     layers;             /* 1 .. 16, default 2, ReLU between them */
    int64_t hidden;             /* columns between layers, from 1, default 128; GAT's heads share
                                 * them */
    int     heads;              /* GAT, from 1, default 1: joined between layers, averaged in the
                                 * last */
    int     gin_layers;         /* GIN: linear layers of its own network, 1 or 2, default 1 */
    int     epochs;             /* from 1, default 300 */
    int     every;              /* judge after every so many epochs, and after the last; from 1,
                                 * default 10 */
    int     seeds;              /* runs, each from fresh weights: seed, seed + 1, ...; from 1,
                                 * default 5 */
    int     standardise;        /* features to mean 0 and spread 1: a bonsai_standardise */
    double  rate, decay;        /* Adam's step, above 0, default 0.01; the weight decay added to the
                                 * gradient, default 0.0005 */
    double  dropout;            /* share of the values between layers that is dropped, 0 .. <1 */
    double  split[3];           /* percent of a new split of full, drawn with the seed; all 0: that
                                 * drawn to condense small, or the graph's own, or 60/20/20 */
    int64_t memory;             /* bytes for judging; 0: what the machine has free */
    int     threads;            /* 0: every core it may use */
    uint64_t seed;              /* default 1 */
    bonsai_progress_fn *progress;
    void   *payload;
    bonsai_metric metric;       /* what validation chooses the epoch and the run by */
    int     weighted;           /* 1: GIN's sum and GraphSAGE's mean weigh neighbours by the edge
                                 * weights, where a graph has some; GCN always does */
    double  cut;                /* after this share of the epochs, 0 .. <1, the rate is a tenth and
                                 * Adam starts anew; 0: never */
    int     uniform;            /* 1: first weights and biases uniform in +-1/sqrt(inputs); 0: as in
                                 * PyTorch Geometric */
    const char *class_weight;   /* of each class in the loss: "balanced", all classes count alike;
                                 * or a number from 0 for each, with commas between them; NULL: all
                                 * weigh the same */
} bonsai_train_options;
#define bonsai_train_options_init(o) bonsai_train_options_init_sized((o), sizeof *(o))
BONSAI_API void bonsai_train_options_init_sized(bonsai_train_options *o, size_t size);

typedef enum {                  /* whose split a model is judged on */
    BONSAI_SPLIT_OWN,           /* the graph's */
    BONSAI_SPLIT_ASKED,         /* drawn as the options asked */
    BONSAI_SPLIT_CONDENSED,     /* the one that small was condensed with, drawn again */
    BONSAI_SPLIT_DRAWN,         /* 60/20/20, drawn with the seed: there was no other */
    BONSAI_SPLIT_NONE           /* a condensed graph alone: all its labels are for training */
} bonsai_split_source;

typedef struct {                /* one run */
    size_t  size;               /* set by the library */
    uint64_t seed;
    int     best_epoch;         /* of the highest metric on validation nodes, the first of equals */
    double  accuracy;           /* there, of test nodes, in percent; -1: there are none */
    double  accuracy_val;       /* there, of validation nodes; -1: there are none */
    double  loss;               /* in the last epoch */
    double  seconds_train, seconds_eval;
    double  metric[BONSAI_METRIC_ROOM], metric_val[BONSAI_METRIC_ROOM];     /* as accuracy */
} bonsai_run;

typedef struct {                /* a point of a learning curve */
    size_t  size;               /* set by the library */
    int     run, epoch;         /* from 0; from 1 */
    double  loss;
    double  accuracy_val, accuracy_test;        /* in percent; -1: not judged */
    double  metric_val[BONSAI_METRIC_ROOM], metric_test[BONSAI_METRIC_ROOM];
} bonsai_epoch;

typedef struct {
    size_t  size;               /* set by the library */
    bonsai_model_kind model;
    int     runs;
    double  accuracy_mean, accuracy_std;    /* over runs, in percent; n-1 below the root */
    double  seconds_train, seconds_eval;    /* summed over runs */
    double  seconds_total;      /* that the caller waited */
    int64_t parameters;
    int64_t train, val, test;   /* nodes */
    int64_t peak_rss_bytes;
    int     in_blocks;          /* 1: judged in row blocks to save memory */
    bonsai_split_source split_from;
    double  split[3];           /* percent that were drawn; all 0: OWN */
    uint64_t split_seed;        /* that drew them */
    int64_t leaks;              /* labelled nodes of small that are, by their origin, validation or
                                 * test nodes of full: they make the accuracy too high */
    bonsai_metric metric;       /* that was asked for */
    int     classes;
    double  metric_mean[BONSAI_METRIC_ROOM], metric_std[BONSAI_METRIC_ROOM];
    double  metric_val_mean[BONSAI_METRIC_ROOM];
} bonsai_train_info;

typedef struct bonsai_training bonsai_training;
typedef struct bonsai_model bonsai_model;

/* Trains a model on the labelled training nodes of small and judges it on the validation and test
 * nodes of full (NULL: of small).  A condensed graph has no split: all its labels are for training.
 * Soft labels and node weights act in the loss.  Features that small lacks are not taken of full.
 * The same seed gives the same bits for any number of threads on one kind of processor. */
BONSAI_API bonsai_status bonsai_train(bonsai_training **out, const bonsai_graph *small,
                                      const bonsai_graph *full, const bonsai_train_options *o);
BONSAI_API void bonsai_training_free(bonsai_training *t);
BONSAI_API const bonsai_train_info *bonsai_training_info(const bonsai_training *t);
/* The runs, and the points of their learning curves, run after run; NULL: there is none. */
BONSAI_API int64_t bonsai_training_runs(const bonsai_training *t);
BONSAI_API int64_t bonsai_training_epochs(const bonsai_training *t);
BONSAI_API const bonsai_run   *bonsai_training_run(const bonsai_training *t, int64_t i);
BONSAI_API const bonsai_epoch *bonsai_training_epoch(const bonsai_training *t, int64_t i);
/* The best epoch of the run with the highest metric on validation nodes; it belongs to t. */
BONSAI_API const bonsai_model *bonsai_training_model(const bonsai_training *t);

typedef struct {
    size_t  size;               /* set by the library */
    bonsai_model_kind model;
    int     layers, heads, gin_layers, epoch;
    int64_t features;           /* of the graphs that it can be used on */
    int64_t hidden, classes, parameters;
    double  accuracy, accuracy_val;             /* of its run; -1: not known */
    uint64_t seed;
    int     weighted;           /* as in bonsai_train_options */
    double  split[3];           /* percent of the split that was drawn of the graph that it was judged
                                 * on; all 0: that graph has its own, or it is not known */
    uint64_t split_seed;        /* that drew it: bonsai_graph_split draws the same */
    int64_t split_labels;       /* a checksum of what that graph's labels are; 0: it is not known */
    double  scale;              /* the largest standard deviation among the columns of that graph's
                                 * features, before they were scaled; 0: they are words, or it is
                                 * not known */
} bonsai_model_info;

/* Writes a model as .npz with PyTorch Geometric's parameter names (convs.0.lin.weight), or under
 * any other ending as a native file.  Both can be read, and so can an archive of such parameters
 * that NumPy wrote: kind, layers and sizes follow from names and shapes (doc/format.md). */
BONSAI_API bonsai_status bonsai_model_save(const bonsai_model *m, const char *path);
BONSAI_API bonsai_status bonsai_model_load(bonsai_model **out, const char *path);
BONSAI_API void bonsai_model_free(bonsai_model *m);     /* of bonsai_model_load */
BONSAI_API const bonsai_model_info *bonsai_model_facts(const bonsai_model *m);
/* The name of class k, that of the graph it was trained on; NULL: it has none.  It belongs to m. */
BONSAI_API const char *bonsai_model_class_name(const bonsai_model *m, int64_t k);
/* The name of feature i of the graphs that it can be used on; NULL: it has none, or the model does
 * not read it.  It belongs to m. */
BONSAI_API const char *bonsai_model_feature_name(const bonsai_model *m, int64_t i);
/* The graph g with the split that was drawn when m was trained, as bonsai_graph_split gives it;
 * *out is NULL if none was drawn, or if g's labels are not those of the graph that it was drawn of. */
BONSAI_API bonsai_status bonsai_model_split(bonsai_graph **out, const bonsai_model *m,
                                            const bonsai_graph *g);
/* How many columns of g have another scale than those that m was trained on, as in another unit:
 * standard deviations differ tenfold (thirtyfold if g has fewer than 100 nodes), or the mean is more
 * than ten away.  *column is the first of them, as bonsai_model_feature_name counts; was and is get
 * its mean and standard deviation there and in g.  A model of more than 1,024 columns, unless it
 * scales them, and one of an older version know only the largest standard deviation: then *column
 * is -1, *columns is 1 where it differs a hundredfold, and means are 0.  *columns is 0 if nothing
 * differs, or if it is not known, as where features are words or g has fewer than ten nodes.
 * Columns that are constant, or zero in most nodes, are not compared. */
BONSAI_API bonsai_status bonsai_model_scale(int64_t *columns, int64_t *column, double was[2],
                                            double is[2], const bonsai_model *m,
                                            const bonsai_graph *g);
/* The class of every node of g, by the model's numbers, and, unless NULL, the probabilities (nodes
 * x classes).  Refuses a graph in which a number stands for a class of another name, or a column for
 * a feature of another name.  Of the options only memory, threads and progress matter. */
BONSAI_API bonsai_status bonsai_predict(int32_t *classes, float *probabilities,
                                        const bonsai_model *m, const bonsai_graph *g,
                                        const bonsai_train_options *o);

#ifdef __cplusplus
}
#endif
#endif
