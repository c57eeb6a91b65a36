/* cmd_train.c -- bonsai train and eval: models trained on a graph, or on a small one, and judged.
 *
 * SPDX-License-Identifier: MIT */
#include "files/graphs.h"
#include "results/train_eval.h"

int cmd_train(session *s, int argc, char **argv)
{
    training t;
    opt_spec spec = {
        .usage = "train GRAPH [--model M,M,...] [options]",
        .about =
            "Trains graph neural networks on the training nodes of GRAPH, with messages from all\n"
            "nodes, and shows the accuracy on its test nodes after the epoch that did best on its\n"
            "validation nodes: mean and standard deviation over runs.",
        .examples = "  bonsai train cora.bonsai\n"
                    "  bonsai train cora.bonsai --model gcn,gat,gin,sage --seeds 10 --json\n"
                    "  bonsai train cora.bonsai --model gat --save gat.bonsai --curves gat.csv\n",
        .args = "GRAPH",
    };
    bonsai_graph *g = NULL;
    int code = training_parse(s, &t, &spec, argc, argv);
    if (code != OPT_GO)
        return code;
    bonsai_status rc = calls.read(&g, t.path, &s->read);
    code = rc == BONSAI_OK ? training_run(s, &t, g, NULL) : fail(s, rc);
    bonsai_graph_free(g);
    return code;
}

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
        rc = calls.read(&full, t.full, &s->read);
    code = rc == BONSAI_OK ? training_check_pair(s, &t, small, full) : fail(s, rc);
    if (code == EXIT_DONE)
        code = match_small(s, &full, small);
    if (code == EXIT_DONE)
        code = training_run(s, &t, small, full);
    bonsai_graph_free(small);
    bonsai_graph_free(full);
    return code;
}
