/* condense.c -- loads a graph, condenses it, trains a network on the small graph and judges it on
 * the full one.
 *
 *     condense [GRAPH [RATIO]]       GRAPH: of any format; without one, a graph is generated
 *
 *     cc condense.c -o condense $(pkg-config --cflags --libs bonsai)
 *
 * SPDX-License-Identifier: MIT */
#include <bonsai_study.h>

#include <stdio.h>
#include <stdlib.h>

static bonsai_status generate(bonsai_graph **out)
{
    bonsai_generate_options o;
    bonsai_generate_options_init(&o);
    o.nodes = 3000;
    o.features = 200;
    o.classes = 5;
    return bonsai_graph_generate(out, &o);
}

/* Trains on small, chooses the epoch by validation nodes of full and judges on its test nodes. */
static bonsai_status judge(double *accuracy, const bonsai_graph *small, const bonsai_graph *full)
{
    bonsai_train_options o;
    bonsai_training *t = NULL;
    bonsai_train_options_init(&o);
    o.model = BONSAI_MODEL_GCN;
    o.epochs = 60;
    o.seeds = 2;
    bonsai_status rc = bonsai_train(&t, small, full, &o);
    if (rc == BONSAI_OK)
        *accuracy = bonsai_training_info(t)->accuracy_mean;
    bonsai_training_free(t);
    return rc;
}

static bonsai_status run(const char *path, double ratio)
{
    bonsai_graph *full = NULL, *small = NULL;
    bonsai_condense_options o;
    bonsai_condense_info info;
    double whole = 0, condensed = 0;
    bonsai_condense_options_init(&o);
    bonsai_condense_info_init(&info);
    o.ratio = ratio;

    bonsai_status rc = path ? bonsai_graph_load(&full, path) : generate(&full);
    if (rc == BONSAI_OK)
        rc = bonsai_condense(&small, &info, full, &o);
    if (rc == BONSAI_OK)
        rc = judge(&whole, full, full);
    if (rc == BONSAI_OK)
        rc = judge(&condensed, small, full);
    if (rc == BONSAI_OK) {
        printf("full graph:  %lld nodes, %lld edge entries, %.0f bytes\n",
               (long long)info.full_nodes, (long long)info.full_edges, info.full_bytes);
        printf("small graph: %lld nodes, %lld edge entries, %.0f bytes (%.2f %%), by %s\n",
               (long long)info.nodes, (long long)info.edges, info.bytes, 100 * info.ratio,
               bonsai_method_name(info.method));
        printf("test accuracy of a GCN: %.1f %% trained on the full graph, %.1f %% on the small one\n",
               whole, condensed);
    }
    bonsai_graph_free(small);
    bonsai_graph_free(full);
    return rc;
}

int main(int argc, char **argv)
{
    if (run(argc > 1 ? argv[1] : NULL, argc > 2 ? atof(argv[2]) : 0.01) == BONSAI_OK)
        return 0;
    fprintf(stderr, "condense: %s\n", bonsai_error());
    return 1;
}
