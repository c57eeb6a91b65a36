/* cmd_report.c -- bonsai report: what a small graph kept and why, as one HTML page.
 *
 * With --model the page also shows accuracies: each model is trained on the small graph and on the
 * full one, and judged on the same test nodes.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "files/graphs.h"
#include "results/train_eval.h"

typedef struct {
    training    t;              /* path: the small graph */
    const char *out, *names;
    char       *features;       /* their names */
    bonsai_report_options page;
    bonsai_cell cells[2 * BONSAI_MODEL_COUNT];
    int64_t     count;
    double     *recall;         /* cells x classes */
} request;

/* ---- what is asked ------------------------------------------------------- */

static int settle(session *s, request *q)
{
    int code = OPT_GO;
    if (!q->out)
        return refuse(s, "-o FILE is missing");
    if (q->t.models && !q->t.full)
        return refuse(s, "--model needs --full GRAPH to judge models on");
    if (q->t.models)
        code = training_models(s, &q->t, "--model");
    if (code != OPT_GO)
        return code;
    if (path_is_same(q->t.path, q->out) || (q->t.full && path_is_same(q->t.full, q->out)))
        return refuse(s, "%s is a graph to read; -o must name another file", q->out);
    q->t.o.threads = s->read.threads;
    return file_can_be_written(s, q->out) ? OPT_GO : EXIT_FAILED;
}

static int parse(session *s, request *q, int argc, char **argv)
{
    const bonsai_field own[] = {
        {.name = "output", OWN(request, out, FILE), .letter = 'o', .arg = "FILE",
         .help = "page to write, such as report.html (required)"},
        {.name = "full", OWN(request, t.full, FILE), .arg = "GRAPH",
         .help = "the graph that SMALL was made of; without it there is no map and nothing to "
                 "compare with"},
        {.name = "model", OWN(request, t.models, TEXT), .arg = "M,M,...",
         .words = field_named(BONSAI_OPTIONS_TRAIN, "model")->words,
         .help = "open with the accuracy of these models, trained on SMALL and on GRAPH"},
        {.name = "feature-names", OWN(request, names, FILE), .arg = "FILE",
         .help = "names of GRAPH's features, one a line; else those that the graphs have"}, {0}};
    const opt_spec spec = {
        .usage = "report SMALL --full GRAPH -o FILE [options]",
        .about =
            "Writes a page that opens with what SMALL is worth: with --model the accuracy of models\n"
            "trained on it beside those trained on GRAPH, which takes as long as bonsai train GRAPH\n"
            "does; without, the score of the probe, in seconds.  Maps, a table of its nodes, classes\n"
            "and degrees, the options that were changed and the command that repeats it follow; what\n"
            "went on inside is folded.  It is one HTML file that needs no network.  \"bonsai\n"
            "condense --report\" writes the same with times and memory.",
        .examples = "  bonsai report small.bonsai --full cora.bonsai -o report.html\n"
                    "  bonsai report small.bonsai --full cora.bonsai -o report.html "
                    "--model gcn,gat\n",
        .args = "SMALL",
        .values = &q->t.path,
        .groups = (const opt_group[]){
            {.base = q, .own = own},
            {.base = &q->t.o, .kind = BONSAI_OPTIONS_TRAIN,
             .only = "seeds epochs seed metric weighted"},
            {.base = &q->page, .kind = BONSAI_OPTIONS_REPORT, .only = "title fragment"}, {0}},
        .shared = OPT_READS | OPT_JSON,
    };
    int code = opt_parse(s, &spec, argc, argv);
    return code == OPT_GO ? settle(s, q) : code;
}

/* ---- accuracies ---------------------------------------------------------- */

/* Fills the results of a cell whose method, model and ratio are set. */
static void fill(bonsai_cell *c, const request *q, const bonsai_training *done,
                 const bonsai_graph *g)
{
    const bonsai_class *class;
    const bonsai_train_info *i = bonsai_training_info(done);
    double *recall = q->recall + (c - q->cells) * bonsai_graph_classes(g);
    c->done = 1;
    c->runs = i->runs;
    c->accuracy_mean = i->accuracy_mean;
    c->accuracy_std = i->accuracy_std;
    c->metric = i->metric;
    memcpy(c->metric_mean, i->metric_mean, sizeof c->metric_mean);
    memcpy(c->metric_std, i->metric_std, sizeof c->metric_std);
    for (int64_t k = 0; (class = bonsai_training_class(done, k)) != NULL; k++)
        recall[k] = class->recall_mean;
    c->nodes = bonsai_graph_nodes(g);
    c->edges = bonsai_graph_edges(g);
    c->seconds_train = i->seconds_train;
    c->seconds_eval = i->seconds_eval;
}

/* Fills two cells of a model: the full graph's, then the small one's. */
static bonsai_status judge_model(session *s, request *q, bonsai_cell *c, const bonsai_graph *small,
                                 const bonsai_graph *full)
{
    bonsai_training *done = NULL, *beside = NULL;
    bonsai_train_options o = q->t.o;
    o.model = c->model;
    bonsai_status rc = bonsai_train(&done, small, full, &o);
    if (rc == BONSAI_OK && c == q->cells)
        training_note_split(s, &q->t, bonsai_training_info(done));
    if (rc == BONSAI_OK)
        rc = bonsai_train_beside(&beside, done, full, &o);
    if (rc == BONSAI_OK) {
        fill(&c[0], q, beside, full);
        fill(&c[1], q, done, small);
    }
    bonsai_training_free(done);
    bonsai_training_free(beside);
    return rc;
}

static bonsai_status judge(session *s, request *q, const bonsai_graph *small,
                           const bonsai_graph *full)
{
    bonsai_condense_info made;
    bonsai_condense_info_init(&made);
    bonsai_status rc = bonsai_condense_info_of(&made, small);
    if (rc == BONSAI_E_MEMORY)
        return rc;
    int method = rc == BONSAI_OK && made.method < BONSAI_METHOD_COUNT ? (int)made.method
                                                                     : BONSAI_METHOD_AUTO;
    rc = BONSAI_OK;
    training_note_pair(s, &q->t, small, full);
    for (int i = 0; i < q->t.count && rc == BONSAI_OK; i++) {
        bonsai_cell *c = &q->cells[q->count];
        c[0] = (bonsai_cell){.size = sizeof *c, .method = -1, .model = q->t.model[i], .ratio = 1};
        c[1] = (bonsai_cell){.size = sizeof *c, .method = method, .model = q->t.model[i],
                             .ratio = made.ratio};
        rc = judge_model(s, q, c, small, full);
        q->count += 2;
    }
    return rc;
}

/* ---- the page ------------------------------------------------------------ */

/* Returns a row: a model's result on each graph, and the difference. */
static bn_json *pair_row(const bonsai_cell *full, const bonsai_cell *small, int metric)
{
    const double a = full->metric_mean[metric], b = small->metric_mean[metric];
    const int known = a >= 0 && b >= 0;
    return bn_json_pack("[s,o,o,o]", bonsai_model_name(full->model),
                        known ? bn_json_real(a) : bn_json_null(),
                        known ? bn_json_real(b) : bn_json_null(),
                        known ? bn_json_real(b - a) : bn_json_null());
}

static bn_json *pair_rows(const request *q, int metric)
{
    bn_json *rows = bn_json_array();
    for (int64_t i = 0; i + 1 < q->count; i += 2)
        bn_json_add(rows, pair_row(&q->cells[i], &q->cells[i + 1], metric));
    return rows;
}

static int print_results(session *s, const request *q, int64_t bytes)
{
    static const column columns[] = {
        {"model", "model", NULL}, {"full", "full %", "%.2f"}, {"small", "small %", "%.2f"},
        {"difference", "points", "%+.2f"}, {NULL, NULL, NULL}};
    summary r = {.count = 0};
    char title[BONSAI_METRIC_COUNT][64];
    summary_heading(&r, "Report");
    summary_text(&r, "written", "written", q->out);
    summary_int(&r, "bytes", "bytes", bytes);
    for (int k = 0; k < BONSAI_METRIC_COUNT && q->count; k++) {         /* that asked for first */
        int m = k == 0 ? (int)q->t.o.metric : k <= (int)q->t.o.metric ? k - 1 : k;
        if (k > 0 && q->cells[0].metric_mean[m] < 0)
            continue;
        measure_title(title[k], sizeof title[k], (bonsai_metric)m, "");
        summary_heading(&r, title[k]);
        summary_table(&r, bonsai_metric_name((bonsai_metric)m), columns, pair_rows(q, m));
    }
    return summary_print(&r, s);
}

static int write_page(session *s, request *q)
{
    bonsai_graph *small = NULL, *full = NULL;
    bonsai_report_options *o = &q->page;
    int64_t bytes = 0;
    int code = EXIT_DONE;
    bonsai_status rc = q->t.full ? read_other(s, &small, q->t.path)
                                 : calls.read(&small, q->t.path, &s->read);
    if (rc == BONSAI_OK && q->t.full)
        rc = calls.read(&full, q->t.full, &s->read);
    if (rc == BONSAI_OK && full)
        code = training_check_pair(s, &q->t, small, full);
    if (rc == BONSAI_OK && code == EXIT_DONE)
        rc = bonsai_graph_verify(small);
    if (rc == BONSAI_OK && code == EXIT_DONE && full)
        code = match_small(s, &full, small);
    if (rc == BONSAI_OK && code == EXIT_DONE && q->names)
        code = file_text(s, &q->features, q->names);
    if (rc == BONSAI_OK && code == EXIT_DONE && q->t.count) {
        size_t classes = (size_t)bonsai_graph_classes(small);
        q->recall = calloc(2 * (size_t)q->t.count * classes + 1, sizeof *q->recall);
        if (!q->recall)
            code = fail_with(s, "there is not enough memory to judge %zu classes", classes);
        else
            rc = judge(s, q, small, full);
    }
    o->cells = q->cells;
    o->recall = q->recall;
    o->cell_count = q->count;
    o->small_name = q->t.path;
    o->full_name = q->t.full;
    o->feature_names = q->features;
    if (rc == BONSAI_OK && code == EXIT_DONE)
        rc = page_write(s, &bytes, small, full, o, q->out);
    if (code == EXIT_DONE)
        code = rc == BONSAI_OK ? print_results(s, q, bytes) : fail(s, rc);
    free(q->recall);
    free(q->features);
    bonsai_graph_free(small);
    bonsai_graph_free(full);
    return code;
}

int cmd_report(session *s, int argc, char **argv)
{
    request q;
    memset(&q, 0, sizeof q);
    bonsai_train_options_init(&q.t.o);
    bonsai_report_options_init(&q.page);
    q.t.o.progress = progress_tick;
    q.t.o.payload = &s->progress;
    int code = parse(s, &q, argc, argv);
    return code == OPT_GO ? write_page(s, &q) : code;
}
