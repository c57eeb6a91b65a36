/* consumer.c -- a program that uses the installed library, as C and as C++.
 *
 * It also names every init macro, so that the compilers see each one expanded.
 *
 * SPDX-License-Identifier: MIT */
#include <bonsai_study.h>

#include <stdio.h>
#include <string.h>

#if BONSAI_VERSION_NUMBER < 700
#error "the number of the version is wrong"
#endif

static void init_everything(void)
{
    bonsai_write_options w;
    bonsai_condense_options c;
    bonsai_condense_info i;
    bonsai_train_options t;
    bonsai_generate_options g;
    bonsai_stats s;
    bonsai_linear l;
    bonsai_shape shape;
    bonsai_plan_options plan_options;
    bonsai_plan plan;
    bonsai_cell cell;
    bonsai_compare_options compare;
    bonsai_report_options report;
    bonsai_write_options_init(&w);
    bonsai_condense_options_init(&c);
    bonsai_condense_info_init(&i);
    bonsai_train_options_init(&t);
    bonsai_generate_options_init(&g);
    bonsai_stats_init(&s);
    bonsai_linear_init(&l);
    bonsai_shape_init(&shape);
    bonsai_plan_options_init(&plan_options);
    bonsai_plan_init(&plan);
    bonsai_cell_init(&cell);
    bonsai_compare_options_init(&compare);
    bonsai_report_options_init(&report);
}

int main(void)
{
    const int32_t source[] = {0, 1}, target[] = {1, 2};
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    bonsai_view v;
    init_everything();
    bonsai_read_options_init(&o);
    bonsai_view_init(&v);
    v.nodes = 3;
    if (bonsai_graph_build(&g, &v, 2, source, target, NULL, &o) != BONSAI_OK) {
        fprintf(stderr, "%s\n", bonsai_error());
        return 1;
    }
    char version[32];
    sprintf(version, "%d.%d.%d", BONSAI_VERSION_MAJOR, BONSAI_VERSION_MINOR, BONSAI_VERSION_PATCH);
    int good = bonsai_graph_edges(g) == 4 && strcmp(bonsai_version(), BONSAI_VERSION) == 0 &&
               strcmp(version, BONSAI_VERSION) == 0;
    printf("version %s, %lld entries\n", bonsai_version(), (long long)bonsai_graph_edges(g));
    bonsai_graph_free(g);
    return good ? 0 : 1;
}
