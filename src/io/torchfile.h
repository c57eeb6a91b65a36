/* torchfile.h -- a dict of numbers and lists of indices that torch.save wrote.
 *
 * Both of its layouts are read: a zip archive, and the older sequence of pickles.  Nothing is
 * executed (pickle.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TORCHFILE_H
#define BN_TORCHFILE_H

#include "npy.h"
#include "pickle.h"

typedef struct {
    const char *path;           /* borrowed; must outlive this struct */
    bn_zip      zip;            /* one of the two layouts ... */
    uint8_t    *member;
    bn_file     file;           /* ... or the other */
    bn_pickle  *dict, *keys;    /* keys: the names of storages, in the order in which they follow */
    int64_t     after;          /* where they follow */
} bn_torch;

bonsai_status bn_torch_open(bn_torch *t, const char *path);
void          bn_torch_close(bn_torch *t);              /* all zero is allowed */
bool          bn_torch_has(const bn_torch *t, const char *name);
bonsai_status bn_torch_int(int64_t *out, const bn_torch *t, const char *name);
/* Reads an array or a tensor of integers of one dimension; the caller frees *out. */
bonsai_status bn_torch_indices(int64_t **out, int64_t *count, bn_torch *t, const char *name);

#endif
