/* companion.h -- node ids, and the feature and label files next to an edge list; shared by the text
 * and mtx readers.
 *
 * A label file has a header with any of the columns id, name, label, split, weight,
 * origin, role.  Without a header it has one label per line, or an id and a label.  A feature file
 * is dense, one row per node: [id,] f1, f2, ...; or it has the header node,feature[,value] and one
 * non-zero per line.  Ids are in the first column if its header says so, or if the column is not
 * numeric.  One table may be both: labels takes its columns of ids, labels and parts, features the
 * others.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_COMPANION_H
#define BN_COMPANION_H

#include "io.h"
#include "table.h"

/* ---- strings to numbers (nodeids.c) ---- */

typedef struct { int64_t begin; uint32_t len, hash; } bn_key;

typedef struct {                /* zeroed: empty */
    uint64_t seed;              /* random, so that no file can make every key collide */
    int64_t  count, slots;
    int32_t *slot;              /* number of a key plus one; 0: free */
    bn_key  *key;
    char    *text;
    int64_t  len, key_capacity, text_capacity;
} bn_ids;

/* Gets the number of a key; a new key gets the next number.  *added may be NULL. */
bonsai_status bn_ids_add(bn_ids *ids, const void *key, int64_t len, int32_t *out, bool *added);
int32_t       bn_ids_find(const bn_ids *ids, const void *key, int64_t len);    /* -1: not there */
void          bn_ids_free(bn_ids *ids);
/* Renumbers the keys in order of their bytes, or of value where all are whole numbers; rank, with
 * room for each, gets the new number of each. */
bonsai_status bn_ids_sort(bn_ids *ids, bool numbers, int32_t *rank);
/* Stores the keys as a section of names, each followed by a zero. */
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
    bn_ids      ids;            /* unless NUMBERS; the key of an integer is its 8 bytes */
    int32_t    *rank;           /* node of each key; NULL: the key's number */
    const char *listed;         /* borrowed: the file that lists the nodes; NULL: none */
} bn_nodes;

void bn_nodes_reset(bn_nodes *nodes, bn_id_kind kind);  /* lists no node */
void bn_nodes_free(bn_nodes *nodes);
/* Lists one more node.  If *again is set, nodes->kind has changed and the caller must read all ids
 * again from the start. */
bonsai_status bn_nodes_list(bn_nodes *nodes, const bn_lines *l, const bn_field *id, bool *again);
/* Returns whether there is a node with this id. */
bool bn_nodes_have(const bn_nodes *nodes, const bn_field *id);
/* Finds the node with this id; fails if there is none. */
bonsai_status bn_nodes_find(int32_t *out, const bn_nodes *nodes, const bn_lines *l,
                            const bn_field *id);
/* Finds or adds the node with this id, which an edge names; *again as above. */
bonsai_status bn_nodes_meet(int32_t *out, bn_nodes *nodes, const bn_lines *l, const bn_field *id,
                            bool *again);
/* Writes the id of a listed node for a message, cut to the room; returns out. */
const char *bn_nodes_show(char *out, size_t size, const bn_nodes *nodes, int64_t node);
/* Sorts integer ids by value and sets rank. */
bonsai_status bn_nodes_sort(bn_nodes *nodes);
/* Stores the ids in NODE_NAMES, unless they are NUMBERS. */
bonsai_status bn_nodes_names(bn_draft *d, const bn_nodes *nodes);

/* ---- companion files (companion.c, labelfile.c, featurefile.c) ---- */

typedef struct {
    char    *labels, *features; /* paths; NULL: no such file */
    bn_nodes nodes;
    bool     listed;            /* the label file has ids, which list the nodes */
    bool     extends;           /* ... and besides labels and parts alone: features may list more */
    bool     partial;           /* it does: the features list the nodes, the labels some of them */
    bool     sparse;            /* sparse features are read after all nodes are known */
    int64_t  announced_features, announced_classes;     /* by the head of the edges; -1: not */
    const bonsai_read_options *o;               /* borrowed */
    bn_progress progress;
    const char *edges;          /* borrowed: the file of edges, if its nodes have ids */
    bool     shared;            /* labels and features are one table */
    int64_t  id, label, split;  /* of that, the columns from 0 that are no features; -1: none */
} bn_companions;

/* Finds the files next to path, which is the graph's folder or edge file. */
bonsai_status bn_companions_find(bn_companions *c, const char *path, const bonsai_read_options *o);
/* Reads the files that list nodes; leaves c->nodes.n at -1 if none does. */
bonsai_status bn_companions_nodes(bn_companions *c, bn_draft *d);
/* Reads the rest once c->nodes is complete, and stores the node names. */
bonsai_status bn_companions_finish(bn_companions *c, bn_draft *d);
void          bn_companions_free(bn_companions *c);

extern const char *const bn_text_endings[];     /* .csv .tsv .txt, each also .gz; then NULL */
/* Finds stem + one of the endings; NULL if there is no such file. */
bonsai_status bn_text_file(char **out, const char *stem);
/* Fails if n nodes are implausible for a text of this size. */
bonsai_status bn_check_announced_nodes(const bn_lines *l, int64_t n);
/* Writes the options that give one file for both features and labels; returns out. */
const char *bn_both_text(char *out, size_t size, const bonsai_read_options *o, const char *path);

bonsai_status bn_labels_read(bn_companions *c, bn_draft *d);
/* Reads the features if they are sparse or not, as asked for. */
bonsai_status bn_features_read(bn_companions *c, bn_draft *d, bool sparse);

#endif
