/* trees.c -- the paper's method, Bonsai: sections 3, 3.1 and 3.2, and the appendix on PPR.
 *
 * A "tree" is the computation tree of a training node, which is all that a network of L layers
 * reads for that node: the node, its root, and everything within L hops, its ego nodes.  The
 * exemplars are the trees that represent most others; the small graph is what their nodes induce.
 *
 * SPDX-License-Identifier: MIT */
#include "exemplars.h"

#include <string.h>

bonsai_status bn_trees(bn_choice *out, bn_job *job, const bn_budget *budget)
{
    bonsai_status rc;
    bn_exemplars t = {0};
    bool more = !job->o->no_ppr;
    memset(out, 0, sizeof *out);

    /* Section 3: similar trees have similar gradients, and WL embeddings measure how similar. */
    rc = bn_embed_trees(job);
    if (rc != BONSAI_OK)
        return rc;

    /* Section 3.1: a tree represents those that have it among their k nearest.  A sample of trees
     * is enough; lemma 1 says of how many. */
    rc = bn_find_represented(job);
    if (rc != BONSAI_OK)
        return rc;

    /* From here on rank 0 chooses, and the others answer what it asks about their nodes. */
    if (bn_rank(job->at.world) > 0)
        return bn_choice_end(out, job, budget, bn_reader_serve(job));
    BN_TRY(bn_exemplars_new(&t, out, job, budget));

    /* Section 3.2, algorithm 1: the tree that represents most samples which no other does yet,
     * again and again, while whole trees fit.  Ours: room for one node of every class is kept. */
    BN_TRY(bn_take_trees(&t));

    /* Section 3.2, "Sparsification and enrichment", and the appendix on PPR. */
    while (more) {
        /* Steps 1 to 5: PageRank from the roots, its knee, and the ego nodes below it go. */
        BN_TRY(bn_prune_trees(&more, &t));
        if (!more)
            break;
        /* Step 6: more trees by algorithm 1, of less depth once no whole tree fits. */
        BN_TRY(bn_fill_trees(&t));
        /* Step 7: again, until no tree is added.  Ours: or the budget is used and hardly a node is
         * pruned (bn_prune_trees). */
        BN_TRY(bn_end_round(&more, &t));
    }

    /* Ours: bytes that no tree can use go to single ego nodes, the nearest first. */
    BN_TRY(bn_finish_trees(&t));
done:
    bn_exemplars_free(&t);
    return bn_choice_end(out, job, budget, rc);
}
