/* companion.h -- what the text and mtx readers share: the names of nodes, and the
 * files of features and labels that lie beside the edges.
 *
 * A labels file has a header with columns among id (or node), name, label, split,
 * weight, origin, role; or no header and one label a line, or an id and a label.
 * A features file is dense, a row a node: [id,] f1, f2, ...; or has the header
 * node,feature[,value] and a non-zero a line.  Ids are in a first column whose
 * header is id, node or name; without a header, in a first column that is no number.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_COMPANION_H
#define BN_COMPANION_H

#include "lines.h"
#include "io.h"

/* ---- strings to numbers (nodeids.c) ---- */

typedef struct { int64_t begin; uint32_t len, hash; } bn_key;

typedef struct {                /* zeroed: empty */
    uint64_t seed;              /* secret, so that no file can make every key collide */
    int64_t  count, slots;
    int32_t *slot;              /* number of a key plus one; 0: free */
    bn_key  *key;
    char    *text;
    int64_t  len, key_capacity, text_capacity;
} bn_ids;

/* The number of a key; new keys get the next one.  *added may be NULL. */
bonsai_status bn_ids_add(bn_ids *ids, const void *key, int64_t len, int32_t *out, bool *added);
int32_t       bn_ids_find(const bn_ids *ids, const void *key, int64_t len);    /* -1: not there */
void          bn_ids_free(bn_ids *ids);
/* The keys, each ended by a zero, as a section of names. */
bonsai_status bn_ids_names(bn_draft *d, bonsai_section s, const bn_ids *ids);

/* ---- nodes (nodeids.c) ---- */

typedef enum {
    BN_NUMBERS,                 /* ids are 0 .. n-1 */
    BN_INTEGERS,                /* any integers, equal by value */
    BN_NAMES                    /* any text */
} bn_id_kind;

typedef struct {
    bn_id_kind  kind;
    int64_t     n;              /* -1: not known yet */
    bn_ids      ids;            /* unless numbers; the key of an integer is its 8 bytes */
    int32_t    *rank;           /* node of each key, NULL: its number */
    const char *listed;         /* the file that lists the nodes, NULL: none; borrowed */
} bn_nodes;

void bn_nodes_reset(bn_nodes *nodes, bn_id_kind kind);  /* to none listed */
void bn_nodes_free(bn_nodes *nodes);
/* Lists one more node.  *again: ids must be read again from the start, as kind says. */
bonsai_status bn_nodes_list(bn_nodes *nodes, const bn_lines *l, const bn_field *id, bool *again);
/* The node that a field names; fails where there is none. */
bonsai_status bn_nodes_find(int32_t *out, const bn_nodes *nodes, const bn_lines *l,
                            const bn_field *id);
/* Adds an id that an edge names, known or new; *again as above. */
bonsai_status bn_nodes_meet(int32_t *out, bn_nodes *nodes, const bn_lines *l, const bn_field *id,
                            bool *again);
/* Orders integers by value; rank is then set. */
bonsai_status bn_nodes_sort(bn_nodes *nodes);
/* Puts the ids into NODE_NAMES, unless they are numbers. */
bonsai_status bn_nodes_names(bn_draft *d, const bn_nodes *nodes);

/* ---- companion files (companion.c, labelfile.c) ---- */

typedef struct {
    char    *labels, *features; /* paths; NULL: no such file */
    bn_nodes nodes;
    bool     listed;            /* the labels have ids */
    bool     sparse;            /* features are read only when all nodes are known */
    int64_t  said_features, said_classes;       /* -1: nothing was said */
    bn_progress progress;
} bn_companions;

/* Finds the files; path is the graph's: a folder or a file. */
bonsai_status bn_companions_find(bn_companions *c, const char *path, const bonsai_read_options *o);
/* Reads what may list nodes; c->nodes.n stays -1 if nothing does. */
bonsai_status bn_companions_nodes(bn_companions *c, bn_draft *d);
/* Reads the rest, once c->nodes is complete, and names the nodes. */
bonsai_status bn_companions_finish(bn_companions *c, bn_draft *d);
void          bn_companions_free(bn_companions *c);

extern const char *const bn_text_endings[];     /* .csv .tsv .txt, each also .gz; then NULL */
/* stem + one of the endings, if there is such a file, else NULL. */
bonsai_status bn_text_file(char **out, const char *stem);
/* Fails where n nodes are more than a text of these many bytes can be meant to have. */
bonsai_status bn_check_said_nodes(const bn_lines *l, int64_t n);
/* Hands an array made by bn_grow to the draft; NULL is fine where count is 0. */
bonsai_status bn_draft_give(bn_draft *d, bonsai_section s, bonsai_type t, void **data,
                            int64_t count);

bonsai_status bn_labels_read(bn_companions *c, bn_draft *d);

#endif
