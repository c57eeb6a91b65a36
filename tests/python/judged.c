/* judged.c -- SMALL FULL [SPLIT0 SPLIT1 SPLIT2]: what C's bonsai_train says of a pair, as one line
 * of JSON for test_judged.py.
 *
 * SPDX-License-Identifier: MIT */
#include <bonsai.h>
#include <stdio.h>
#include <stdlib.h>

static void print(const bonsai_training *t)
{
    const bonsai_train_info *i = bonsai_training_info(t);
    printf("{\"runs\": [");
    for (int64_t k = 0; k < bonsai_training_runs(t); k++)
        printf("%s%.17g", k ? ", " : "", bonsai_training_run(t, k)->accuracy);
    printf("], \"test\": %lld, \"split\": [%.17g, %.17g, %.17g], \"split_seed\": %llu, "
           "\"split_from\": %d, \"leaks\": %lld}\n", (long long)i->test, i->split[0], i->split[1],
           i->split[2], (unsigned long long)i->split_seed, (int)i->split_from,
           (long long)i->leaks);
}

int main(int argc, char **argv)
{
    bonsai_graph *small = NULL, *full = NULL;
    bonsai_training *t = NULL;
    bonsai_train_options o;
    bonsai_train_options_init(&o);
    o.epochs = 10;
    o.seeds = 2;
    o.seed = 9;
    o.threads = 1;
    for (int k = 0; argc == 6 && k < 3; k++)
        o.split[k] = atof(argv[3 + k]);
    int bad = argc < 3 || bonsai_graph_load(&small, argv[1]) ||
              bonsai_graph_load(&full, argv[2]) || bonsai_train(&t, small, full, &o);
    if (bad)
        fprintf(stderr, "%s\n", bonsai_error());
    else
        print(t);
    bonsai_training_free(t);
    bonsai_graph_free(small);
    bonsai_graph_free(full);
    return bad;
}
