/* probe_bench.c -- candidates of the prototype search as files, with the scores of the probe.
 *
 *   probe_bench GRAPH RATIO FOLDER [THREADS]
 *
 * Makes one small graph for each of a fixed list of candidates under the budget (rows stored one by
 * one, and rows in a basis; several numbers of prototypes, kinds of rows and forms of storage),
 * saves it as FOLDER/N.bonsai, and prints a line of JSON for it: what it is, its bytes, and what the
 * probe says of it.  bench/probe.py trains networks on these graphs and compares.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "condense/methods.h"
#include "prototypes/search.h"
#include "prototypes/sourcerows.h"

enum { MOST_EACH = 256, LEAST_COLUMNS = 32 };

typedef struct {
    bn_preparation p;
    bn_source_rows rows;
    bn_recipe recipe;
    bn_search w;
    const char *folder;
    int count;
} bench;

static bonsai_status prepare(bench *b, const bonsai_graph *g, double ratio, int threads)
{
    bonsai_status rc;
    bn_preparation *p = &b->p;
    bn_search *w = &b->w;
    bonsai_condense_options_init(&p->o);
    p->o.method = BONSAI_METHOD_PROTOTYPES;
    p->o.ratio = ratio;
    p->o.threads = threads;
    BN_TRY(bn_prepare(p, g, bn_method_of(BONSAI_METHOD_PROTOTYPES)->needs));
    const bn_request r = bn_request_of(p, 0, false);
    *w = (bn_search){.job = &p->job, .at = p->job.at, .budget = r.budget, .recipe = &b->recipe};
    w->budget.nodes = bn_least(w->budget.trees, w->budget.nodes);
    w->storage = (bn_storage){.accounting = BONSAI_ACCOUNTING_STRICT, .f = p->job.far.f,
                              .classes = g->view.classes, .type = BONSAI_TYPE_U8, .soft = true};
    BN_TRY(bn_source_rows_make(&b->rows, w->job, false, &w->at));
    w->s = &b->rows.s;
    for (int v = 0; v < BN_VIEWS; v++)
        w->storage.type = b->rows.view[v].least < 0 ? BONSAI_TYPE_I8 : w->storage.type;
    BN_TRY(bn_source_rows_posterior(&b->rows));
    BN_TRY(bn_probe_new(&w->probe, w->job));
done:
    return rc;
}

static bonsai_status put(bench *b, const bn_trial *t)
{
    bonsai_status rc;
    bn_candidate a = {.percent = -1};
    bonsai_graph *g = NULL;
    double bytes, plain;
    char path[4096];
    BN_TRY(bn_search_make(&a, &b->w, t, true));
    if (!a.fits)
        goto done;
    BN_TRY(bn_search_score(&a, &b->w));
    BN_TRY(bn_search_build(&g, &a, &b->w));
    BN_TRY(bn_probe_graph(&plain, b->w.probe, g));
    BN_TRY(bonsai_graph_bytes(&bytes, g, BONSAI_ACCOUNTING_STRICT));
    snprintf(path, sizeof path, "%s/%d.bonsai", b->folder, b->count);
    BN_TRY(bonsai_graph_save(NULL, g, path, NULL));
    printf("{\"candidate\": %d, \"views\": %d, \"kind\": \"%s\", \"form\": %d, \"nodes\": %lld, "
           "\"columns\": %lld, \"directions\": %lld, \"bytes\": %.0f, \"probe\": %.3f, "
           "\"plain\": %.3f}\n", b->count++, t->views, bn_kinds[t->kind].name, t->form,
           (long long)a.c->count, (long long)(a.mold ? a.mold->basis.columns : a.keep.t),
           (long long)a.storage.directions, bytes, a.percent, plain);
    fflush(stdout);
done:
    bonsai_graph_free(g);
    bn_candidate_free(&a);
    return rc;
}

static bonsai_status put_all(bench *b)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t least = bn_search_least(&b->w), most = bn_search_most(&b->w);
    for (int views = 0; views <= (BN_BASIS_OWN | BN_BASIS_FAR); views++)
        for (int kind = 0; kind < BN_KINDS; kind++)
            for (int64_t n = least; n <= bn_least(most, MOST_EACH * least); n *= 4)
                for (int form = 0; form < (views ? 1 : 2); form++) {
                    bn_trial t = {.nodes = n, .kind = kind, .form = form, .soft = true,
                                  .views = views};
                    if (kind == BN_KIND_ALONE)
                        continue;
                    if (views)
                        BN_TRY(bn_search_columns(&t.columns, &b->w, &t));
                    if (!views || t.columns >= bn_least(LEAST_COLUMNS, b->w.storage.f))
                        BN_TRY(put(b, &t));
                }
done:
    return rc;
}

int main(int argc, char **argv)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    static bench b;
    if (argc < 4) {
        fprintf(stderr, "usage: probe_bench GRAPH RATIO FOLDER [THREADS]\n");
        return 2;
    }
    b.folder = argv[3];
    BN_TRY(bonsai_graph_load(&g, argv[1]));
    BN_TRY(bn_blas_begin(bn_threads(argc > 4 ? atoi(argv[4]) : 0)));
    BN_TRY(prepare(&b, g, atof(argv[2]), argc > 4 ? atoi(argv[4]) : 0));
    BN_TRY(put_all(&b));
done:
    if (rc != BONSAI_OK)
        fprintf(stderr, "probe_bench: %s\n", bonsai_error());
    bn_search_forget(&b.w);
    bn_probe_free(b.w.probe);
    bn_source_rows_free(&b.rows);
    bn_preparation_free(&b.p);
    bn_blas_end();
    bonsai_graph_free(g);
    return rc != BONSAI_OK;
}
