/* cmd_train.c -- bonsai train: models trained on a graph and judged on it.
 *
 * SPDX-License-Identifier: MIT */
#include "cli.h"

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
    bonsai_status rc = read_graph(s, &g, t.path);
    code = rc == BONSAI_OK ? training_run(s, &t, g, NULL) : fail(s, rc);
    bonsai_graph_free(g);
    return code;
}
