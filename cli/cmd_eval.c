/* cmd_eval.c -- bonsai eval: models trained on a small graph and judged on the large one.
 *
 * SPDX-License-Identifier: MIT */
#include "cli.h"

int cmd_eval(session *s, int argc, char **argv)
{
    training t;
    opt_spec spec = {
        .usage = "eval SMALL GRAPH [--model M,M,...] [options]",
        .about =
            "Trains graph neural networks on SMALL and judges them on GRAPH: the accuracy on its\n"
            "test nodes after the epoch that did best on its validation nodes, mean and standard\n"
            "deviation over runs.  If condensing drew the split of GRAPH, the same split is drawn\n"
            "again, so that no node that SMALL was made of is judged.  Then the same networks are\n"
            "trained on GRAPH, and their accuracy is shown beside; that takes longer, and --alone\n"
            "leaves it out, as happens by itself where it would take more than ten minutes or more\n"
            "memory than there is.",
        .examples = "  bonsai eval small.bonsai cora.bonsai\n"
                    "  bonsai eval small.bonsai cora.bonsai --model gcn,gat,gin,sage\n"
                    "  bonsai eval small.bonsai --full cora.bonsai --alone\n",
        .args = "SMALL [GRAPH]",
    };
    bonsai_graph *small = NULL, *full = NULL;
    int code = training_parse(s, &t, &spec, argc, argv);
    if (code != OPT_GO)
        return code;
    bonsai_status rc = read_other(s, &small, t.path);
    if (rc == BONSAI_OK)
        rc = read_graph(s, &full, t.full);
    code = rc == BONSAI_OK ? training_check_pair(s, &t, small, full) : fail(s, rc);
    if (code == EXIT_DONE)
        code = match_small(s, &full, small);
    if (code == EXIT_DONE)
        code = training_run(s, &t, small, full);
    bonsai_graph_free(small);
    bonsai_graph_free(full);
    return code;
}
