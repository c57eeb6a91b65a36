/* cmd_predict.c -- bonsai predict: the classes of a graph's nodes from a saved model.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { PARTS = 4 };             /* as bonsai_part; 0 is for nodes in no part */

typedef struct {
    const char         *path, *out;
    int                 probabilities;
    const bonsai_model_info *model;
    const bonsai_graph *g;
    const bonsai_view  *v;
    int32_t            *classes;
    float              *chances;        /* nodes x classes, or NULL */
    int64_t             nodes[PARTS], right[PARTS];     /* labelled ones */
} prediction;

/* ---- rows ---------------------------------------------------------------- */

/* Where each of the consecutive names, each ended by a zero, begins; or NULL. */
static int list_names(session *s, const char ***out, const bonsai_array *a, int64_t count)
{
    const char *at = a->data, *end = at ? at + a->count : NULL;
    *out = NULL;
    if (!at)
        return EXIT_DONE;
    *out = calloc((size_t)count + 1, sizeof **out);
    if (!*out)
        return fail_with(s, "there is not enough memory for %lld names", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        (*out)[i] = at < end ? at : "";
        at += at < end ? strlen(at) + 1 : 0;
    }
    return EXIT_DONE;
}

static void put_rows(csv *out, const prediction *p, const char **ids, const char **names)
{
    int64_t c = p->model->classes;
    fprintf(out->file, "node%s,class%s", ids ? ",id" : "", names ? ",name" : "");
    for (int64_t k = 0; k < c && p->chances; k++)
        fprintf(out->file, ",p%lld", (long long)k);
    fputc('\n', out->file);
    for (int64_t v = 0; v < p->v->nodes && !ferror(out->file); v++) {
        fprintf(out->file, "%lld,", (long long)v);
        if (ids) {
            csv_text(out, ids[v]);
            fputc(',', out->file);
        }
        fprintf(out->file, "%d", (int)p->classes[v]);
        if (names) {
            fputc(',', out->file);
            csv_text(out, p->classes[v] < p->v->classes ? names[p->classes[v]] : "");
        }
        for (int64_t k = 0; k < c && p->chances; k++)
            fprintf(out->file, ",%.6g", (double)p->chances[v * c + k]);
        fputc('\n', out->file);
    }
}

static int write_rows(session *s, const prediction *p)
{
    csv out;
    const char **ids = NULL, **names = NULL;
    int code = list_names(s, &ids, &p->v->section[BONSAI_SECTION_NODE_NAMES], p->v->nodes);
    if (code == EXIT_DONE)
        code = list_names(s, &names, &p->v->section[BONSAI_SECTION_CLASS_NAMES], p->v->classes);
    if (code == EXIT_DONE)
        code = csv_begin(s, &out, p->out);
    if (code == EXIT_DONE) {
        put_rows(&out, p, ids, names);
        code = csv_end(s, &out);
    }
    free(ids);
    free(names);
    return code;
}

/* ---- accuracy ------------------------------------------------------------ */

static const char *const part_words[PARTS] = {"other", "train", "val", "test"};

static void judge(prediction *p)
{
    const uint8_t *split = p->v->section[BONSAI_SECTION_SPLIT].data;
    for (int64_t v = 0; v < p->v->nodes; v++) {
        int32_t label = bonsai_graph_label(p->g, v);
        int part = split && split[v] < PARTS ? split[v] : BONSAI_PART_NONE;
        p->nodes[part] += label >= 0;
        p->right[part] += label >= 0 && label == p->classes[v];
    }
}

static double accuracy(const prediction *p, int part)
{
    return 100 * (double)p->right[part] / (double)p->nodes[part];
}

/* When the rows go to stdout. */
static void note_accuracy(session *s, const prediction *p)
{
    char text[256] = "";
    size_t at = 0;
    for (int k = 1; k <= PARTS; k++) {          /* nodes outside all parts last */
        int part = k % PARTS;
        if (p->nodes[part])
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %.2f %% of %lld",
                                   at ? ", " : "", part_words[part], accuracy(p, part),
                                   (long long)p->nodes[part]);
    }
    if (at)
        note(s, "accuracy: %s", text);
}

static void add_accuracy(summary *r, const prediction *p)
{
    static const column columns[] = {{"part", "nodes", NULL}, {"nodes", "labelled", NULL},
                                     {"right", "right", NULL},
                                     {"accuracy", "accuracy %", "%.2f"}, {NULL, NULL, NULL}};
    bn_json *rows = bn_json_array();
    for (int k = 1; k <= PARTS; k++) {
        int part = k % PARTS;
        if (p->nodes[part])
            bn_json_add(rows, bn_json_pack("[s,I,I,f]", part_words[part],
                                           (int64_t)p->nodes[part],
                                           (int64_t)p->right[part], accuracy(p, part)));
    }
    if (bn_json_count(rows))
        summary_heading(r, "Accuracy");
    summary_table(r, "accuracy", columns, rows);
}

static int print_summary(session *s, const prediction *p)
{
    summary r = {.count = 0};
    summary_heading(&r, "Predicted");
    summary_text(&r, "graph", "graph", p->path);
    if (p->out)
        summary_text(&r, "written", "written", p->out);
    summary_text(&r, "model", "model", bonsai_model_name(p->model->model));
    summary_int(&r, "layers", "layers", p->model->layers);
    summary_int(&r, "hidden", "hidden", p->model->hidden);
    summary_int(&r, "parameters", "parameters", p->model->parameters);
    summary_int(&r, "features", "features", p->model->features);
    summary_int(&r, "classes", "classes", p->model->classes);
    summary_int(&r, "nodes", "nodes", p->v->nodes);
    add_accuracy(&r, p);
    return summary_print(&r, s);
}

/* ---- the command --------------------------------------------------------- */

static int predict(session *s, prediction *p, const bonsai_model *m,
                   const bonsai_train_options *o)
{
    p->model = bonsai_model_facts(m);
    p->v = bonsai_graph_view(p->g);
    size_t n = (size_t)p->v->nodes, c = (size_t)p->model->classes;
    p->classes = calloc(n + 1, sizeof *p->classes);
    p->chances = p->probabilities ? calloc(n + 1, c * sizeof *p->chances) : NULL;
    if (!p->classes || (p->probabilities && !p->chances))
        return fail_with(s, "there is not enough memory for the classes of %zu nodes", n);
    bonsai_status rc = bonsai_predict(p->classes, p->chances, m, p->g, o);
    if (rc != BONSAI_OK)
        return fail(s, rc);
    judge(p);
    if ((p->out || !s->json) && write_rows(s, p) != EXIT_DONE)
        return EXIT_FAILED;
    if (p->out || s->json)
        return print_summary(s, p);
    note_accuracy(s, p);
    return EXIT_DONE;
}

static int load_and_predict(session *s, prediction *p, const char *model,
                            const bonsai_train_options *o)
{
    bonsai_model *m = NULL;
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_model_load(&m, model);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_read(&g, p->path, &s->read);
    p->g = g;
    int code = rc == BONSAI_OK ? predict(s, p, m, o) : fail(s, rc);
    free(p->classes);
    free(p->chances);
    bonsai_graph_free(g);
    bonsai_model_free(m);
    return code;
}

int cmd_predict(session *s, int argc, char **argv)
{
    prediction p = {.path = NULL};
    bonsai_train_options o;
    const char *given[2] = {NULL, NULL};
    bonsai_train_options_init(&o);
    static const bonsai_field own[] = {
        {.name = "output", OWN(prediction, out, FILE), .letter = 'o', .arg = "FILE",
         .help = "write the rows here, and a summary to stdout", .otherwise = "the rows to stdout"},
        {.name = "probabilities", OWN(prediction, probabilities, FLAG),
         .help = "also the probability of each class: p0, p1, ..."}, {0}};
    const opt_spec spec = {
        .usage = "predict MODEL GRAPH [-o FILE.csv] [options]",
        .about =
            "Predicts the class of every node of GRAPH with a model that train or eval saved, as\n"
            "rows node,class, with node ids and class names if GRAPH has them.  Shows the\n"
            "accuracy on labelled nodes for each part of the split; with --json everything but\n"
            "the rows is JSON.",
        .examples = "  bonsai predict gcn.bonsai cora.bonsai -o classes.csv\n"
                    "  bonsai predict gcn.bonsai cora.bonsai --probabilities | head\n",
        .args = "MODEL GRAPH",
        .values = given,
        .groups = (const opt_group[]){
            {.base = &p, .own = own},
            {.base = &o, .kind = BONSAI_OPTIONS_TRAIN, .only = "memory"}, {0}},
        .shared = OPT_READS | OPT_JSON,
    };
    int code = opt_parse(s, &spec, argc, argv);
    if (code != OPT_GO)
        return code;
    p.path = given[1];
    if (p.out && strlen(p.out) >= MOST_PATH)
        return refuse(s, "--output is longer than %d bytes", MOST_PATH - 1);
    if (p.out && (path_is_same(p.out, given[0]) || path_is_same(p.out, given[1])))
        return refuse(s, "%s is an input; -o must name another file", p.out);
    if (p.out && !file_can_be_written(s, p.out))
        return EXIT_FAILED;
    o.threads = s->read.threads;
    o.progress = progress_tick;
    o.payload = &s->progress;
    return load_and_predict(s, &p, given[0], &o);
}
