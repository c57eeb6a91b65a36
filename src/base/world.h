/* world.h -- the ranks that work on one graph together.
 *
 * The stages of condensation are written once, for a rank that holds a block of the rows.  Ranks
 * exchange data through the calls below.  NULL is a world of one rank, where the calls do nothing
 * or copy.  libbonsai_mpi provides a world of processes, the tests one of threads.
 *
 * All calls but bn_send and bn_receive are collective: every rank makes them, in the same order.
 * A rank that fails must not leave the others waiting.  After work that can fail on one rank alone,
 * such as an allocation, call bn_agree before the next collective call:
 *
 *     BN_TRY(bn_agree(w, local_work(...)));
 *     BN_TRY(bn_sum(w, total, count));
 *
 * Collective calls return the same status on every rank.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_WORLD_H
#define BN_WORLD_H

#include "base.h"

typedef struct bn_world bn_world;

struct bn_world {               /* what a transport provides, for more than one rank */
    int      rank, ranks;
    int      here;              /* ranks that share this machine's memory; 0: not known */
    int      threads;           /* of this rank, if the caller names no number; 0: unknown */
    int64_t  sent;              /* bytes that this rank has sent to others */
    int64_t  sent_rows;         /* of these, rows of embeddings */
    int64_t  halo;              /* the least bytes of rows that the others needed */
    int      canceled;          /* the caller asked to stop: the next bn_agree fails */
    bonsai_status (*gather)(bn_world *w, void *all, const int64_t *bytes, const void *mine);
    bonsai_status (*share)(bn_world *w, void *data, int64_t bytes, int from);
    bonsai_status (*sum)(bn_world *w, double *x, int64_t count);
    bonsai_status (*sum_int)(bn_world *w, int64_t *x, int64_t count);
    bonsai_status (*max)(bn_world *w, double *x, int64_t count);
    bonsai_status (*start)(bn_world *w, void *in, const int64_t *in_bytes, const void *out,
                           const int64_t *out_bytes);
    bonsai_status (*finish)(bn_world *w);
    bonsai_status (*send)(bn_world *w, int to, const void *data, int64_t bytes);
    bonsai_status (*receive)(bn_world *w, int *from, void **data, int64_t *bytes);
};

static inline int bn_rank(const bn_world *w) { return w ? w->rank : 0; }
static inline int bn_ranks(const bn_world *w) { return w ? w->ranks : 1; }

/* Returns OK if all ranks pass OK; else the status and sentence of the first rank that failed. */
bonsai_status bn_agree(bn_world *w, bonsai_status mine);
/* Sets all to the ranks' bytes in rank order, bytes[r] from rank r; bytes is the same on every
 * rank. */
bonsai_status bn_gather(bn_world *w, void *all, const int64_t *bytes, const void *mine);
/* Sets all[r] to the number from rank r. */
bonsai_status bn_gather_int(bn_world *w, int64_t *all, int64_t mine);
/* Copies data from rank `from` to all others. */
bonsai_status bn_share(bn_world *w, void *data, int64_t bytes, int from);
/* Combine element by element over the ranks; all get the result.  A sum of doubles must be exact in
 * any order: round the terms to a grid first (bn_on_grid). */
bonsai_status bn_sum(bn_world *w, double *x, int64_t count);
bonsai_status bn_sum_int(bn_world *w, int64_t *x, int64_t count);
bonsai_status bn_max(bn_world *w, double *x, int64_t count);
/* Sends out_bytes[r] of out to each rank r and receives in_bytes[r] from it, in rank order; copies
 * the rank's part for itself.  start returns at once; until finish, do not touch in or out and make
 * no other collective call. */
bonsai_status bn_exchange(bn_world *w, void *in, const int64_t *in_bytes, const void *out,
                          const int64_t *out_bytes);
bonsai_status bn_exchange_start(bn_world *w, void *in, const int64_t *in_bytes, const void *out,
                                const int64_t *out_bytes);
bonsai_status bn_exchange_finish(bn_world *w);
/* Turns the checksum of the rank's part, which `after` bytes of other ranks follow, into that of
 * the whole. */
bonsai_status bn_crc32_ranks(bn_world *w, uint32_t *crc, int64_t after);
/* Work between two ranks.  Messages arrive whole and in the order sent.  receive waits for one from
 * any rank (*from < 0) or from rank *from; bn_free *data.  Without memory for it the message is
 * lost, and *from and *bytes identify it, so that the caller can inform its sender.  The world must
 * not be NULL. */
bonsai_status bn_send(bn_world *w, int to, const void *data, int64_t bytes);
bonsai_status bn_receive(bn_world *w, int *from, void **data, int64_t *bytes);

/* ---- sums that do not depend on their order ---- */

/* Returns a grid for at most `count` terms of size at most `most`.  v + grid - grid rounds v to
 * a multiple of a fixed number: large enough that every sum of such terms, in any order and in
 * any parts, is exact in a double; small enough that up to 2^26 terms keep all that a float
 * could hold. */
double bn_grid(double most, int64_t count);
static inline double bn_on_grid(double v, double grid) { return (v + grid) - grid; }

#endif
