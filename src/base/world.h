/* world.h -- the ranks that share one job.
 *
 * The stages of condensation are written once, for a rank that has a block of the rows.  What
 * all must know goes through the calls below.  A world of NULL is one rank alone: then they do
 * nothing, or copy.  libbonsai_mpi brings a world of processes, the tests bring one of threads.
 *
 * All calls but bn_send and bn_receive are collective: every rank makes them, in the same order.
 * A rank that fails must not leave the others waiting.  So what can fail on one rank alone, such
 * as an allocation, is followed by bn_agree before the next collective call:
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
    int64_t  sent;              /* bytes that this rank has handed to others, ... */
    int64_t  halo;              /* ... and the least that its rows of embeddings needed */
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

/* OK if all ranks pass OK; else the status, and the sentence, of the first rank that does not. */
bonsai_status bn_agree(bn_world *w, bonsai_status mine);
/* all = what the ranks give, one after the other: bytes[r] (ranks, the same everywhere) from rank
 * r. */
bonsai_status bn_gather(bn_world *w, void *all, const int64_t *bytes, const void *mine);
/* all (ranks) = a number from each. */
bonsai_status bn_gather_int(bn_world *w, int64_t *all, int64_t mine);
/* data of rank `from` to all. */
bonsai_status bn_share(bn_world *w, void *data, int64_t bytes, int from);
/* Element by element over the ranks, to all.  A sum of doubles must be exact in any order: bring
 * the terms on a grid first (bn_on_grid). */
bonsai_status bn_sum(bn_world *w, double *x, int64_t count);
bonsai_status bn_sum_int(bn_world *w, int64_t *x, int64_t count);
bonsai_status bn_max(bn_world *w, double *x, int64_t count);
/* out_bytes[r] of out, one after the other, go to each rank r; in_bytes[r] come from it.  What a
 * rank has for itself is copied.  start returns at once; nothing of in and out may be touched, and
 * no other collective call made, until finish. */
bonsai_status bn_exchange(bn_world *w, void *in, const int64_t *in_bytes, const void *out,
                          const int64_t *out_bytes);
bonsai_status bn_exchange_start(bn_world *w, void *in, const int64_t *in_bytes, const void *out,
                                const int64_t *out_bytes);
bonsai_status bn_exchange_finish(bn_world *w);
/* crc of the rank's part, behind which lie `after` bytes of others, becomes that of the whole
 * (checksum.c). */
bonsai_status bn_crc32_over(bn_world *w, uint32_t *crc, int64_t after);
/* Between two ranks: a message arrives whole, in the order in which the sender sent.  receive
 * waits for one from any rank (*from < 0) or from the rank *from; *data is the caller's to bn_free.
 * Where there is no memory for it the message is lost, and *from and *bytes tell which one it was:
 * who asked can be told.  Never of a world of NULL. */
bonsai_status bn_send(bn_world *w, int to, const void *data, int64_t bytes);
bonsai_status bn_receive(bn_world *w, int *from, void **data, int64_t *bytes);

/* ---- sums that do not depend on their order ---- */

/* For terms of at most `most` and no more than `count` of them: v + grid - grid rounds to whole
 * multiples of a number so large that every sum of them is exact in a double, in any order and
 * in any parts; and so small that nothing is lost which a float could hold, up to 2^26 terms. */
double bn_grid(double most, int64_t count);
static inline double bn_on_grid(double v, double grid) { return (v + grid) - grid; }

#endif
