/* cmd_predict.c -- bonsai predict: the classes of a graph's nodes from a saved model.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/graphs.h"
#include "output/text.h"
#include "results/train_eval.h"

enum { PARTS = 4 };             /* as bonsai_part; 0 is for nodes in no part */

typedef struct {
    const char         *from, *path, *out;      /* the model's file, the graph's, the rows' */
    int                 probabilities, evaluate;
    const bonsai_model *m;
    const bonsai_model_info *model;
    const bonsai_graph *g;
    const bonsai_view  *v;
    bonsai_graph       *drawn;          /* g with the split of the training; NULL: not known */
    int32_t            *classes;
    float              *chances;        /* nodes x classes, or NULL */
    bonsai_measures     found[PARTS];
    double             *recall;         /* parts x the graph's classes */
} prediction;

/* ---- rows ---------------------------------------------------------------- */

/* Returns the name of class k in the model, or else in the graph. */
static const char *class_name(const prediction *p, const char **names, int32_t k)
{
    const char *name = bonsai_model_class_name(p->m, k);
    return name ? name : names && k < p->v->classes ? names[k] : "";
}

static void put_rows(csv *out, const prediction *p, const char **ids, const char **names)
{
    int64_t c = p->model->classes;
    const bool named = names || bonsai_model_class_name(p->m, 0);
    fprintf(out->file, "node%s,class%s", ids ? ",id" : "", named ? ",name" : "");
    for (int64_t k = 0; k < c && p->probabilities; k++)
        fprintf(out->file, ",p%lld", (long long)k);
    fputc('\n', out->file);
    for (int64_t v = 0; v < p->v->nodes && !ferror(out->file); v++) {
        fprintf(out->file, "%lld,", (long long)v);
        if (ids) {
            csv_text(out, ids[v]);
            fputc(',', out->file);
        }
        fprintf(out->file, "%d", (int)p->classes[v]);
        if (named) {
            fputc(',', out->file);
            csv_text(out, class_name(p, names, p->classes[v]));
        }
        for (int64_t k = 0; k < c && p->probabilities; k++)
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

/* Returns the part to show at place k: nodes outside all parts last. */
static int part_at(int k)
{
    return (k + 1) % PARTS;
}

/* Returns 1 if the graph to judge has a split. */
static int has_parts(const prediction *p)
{
    return p->drawn || p->v->section[BONSAI_SECTION_SPLIT].data;
}

static const char *part_name(const prediction *p, int part)
{
    return part == BONSAI_PART_NONE && !has_parts(p) ? "labelled" : part_words[part];
}

/* Draws the split that the model was trained with, if the graph has none. */
static int draw_split(session *s, prediction *p)
{
    const bonsai_model_info *m = p->model;
    if (has_parts(p))
        return EXIT_DONE;
    bonsai_status rc = bonsai_model_split(&p->drawn, p->m, p->g);
    if (rc != BONSAI_OK)
        return fail(s, rc);
    if (!p->drawn)
        return EXIT_DONE;
    note(s, "%s has no split: %g/%g/%g was drawn with seed %llu, as when the model was trained",
         p->path, m->split[0], m->split[1], m->split[2], (unsigned long long)m->split_seed);
    return EXIT_DONE;
}

static int judge(session *s, prediction *p)
{
    size_t c = (size_t)p->v->classes;
    p->recall = calloc(PARTS * c + 1, sizeof *p->recall);
    if (!p->recall)
        return fail_with(s, "there is not enough memory to judge %zu classes", c);
    int64_t labelled = 0;
    for (int part = 0; part < PARTS; part++) {
        bonsai_measures_init(&p->found[part]);
        bonsai_status rc = bonsai_judge(&p->found[part], p->recall + (size_t)part * c,
                                        p->drawn ? p->drawn : p->g, (bonsai_part)part, p->classes,
                                        p->model->classes == 2 ? p->chances : NULL);
        if (rc != BONSAI_OK)
            return fail(s, rc);
        labelled += p->found[part].nodes;
    }
    return p->evaluate && labelled == 0
               ? fail_with(s, "%s has no labelled node to judge the predictions on", p->path)
               : EXIT_DONE;
}

/* Notes that nodes may be judged that the model was trained on. */
static void note_labelled(session *s, const prediction *p)
{
    char graph[2 * MOST_PATH], model[2 * MOST_PATH], reading[8 * MOST_PATH] = "";
    if (has_parts(p) || p->found[BONSAI_PART_NONE].nodes == 0 ||
        !text_word(graph, sizeof graph, p->path) || !text_word(model, sizeof model, p->from))
        return;
    options_of_reading(reading, sizeof reading, s);
    note(s, "%s has no split: every labelled node is judged, also those that the model was trained "
         "on, if any; to judge test nodes alone, with the seed S of the training: bonsai split %s%s "
         "-o split.bonsai --seed S && bonsai predict %s split.bonsai --evaluate", p->path, graph,
         reading, model);
}

/* Notes the accuracy, where stdout holds the rows. */
static void note_accuracy(session *s, const prediction *p)
{
    char text[256] = "";
    size_t at = 0;
    for (int k = 0; k < PARTS; k++) {
        const bonsai_measures *m = &p->found[part_at(k)];
        if (m->nodes)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %.2f %% of %lld",
                                   at ? ", " : "", part_name(p, part_at(k)),
                                   m->metric[BONSAI_METRIC_ACCURACY], (long long)m->nodes);
    }
    if (at)
        note(s, "accuracy: %s", text);
}

static int is_judged(const prediction *p)
{
    int judged = 0;
    for (int k = 0; k < PARTS; k++)
        judged |= p->found[k].nodes > 0;
    return judged;
}

/* Adds the number of nodes predicted for each class, where no node can be judged. */
static int add_counts(summary *r, session *s, const prediction *p)
{
    static const column columns[] = {{"class", "class", NULL}, {"nodes", "nodes", NULL},
                                     {NULL, NULL, NULL}};
    int64_t *count = calloc((size_t)p->model->classes + 1, sizeof *count);
    if (!count)
        return fail_with(s, "there is not enough memory to count %lld classes",
                         (long long)p->model->classes);
    bn_json *rows = bn_json_array();
    for (int64_t v = 0; v < p->v->nodes; v++)
        count[p->classes[v]]++;
    for (int64_t k = 0; k < p->model->classes; k++) {
        const char *name = bonsai_model_class_name(p->m, k);
        bn_json *row = bn_json_array();
        bn_json_add(row, name ? bn_json_text(name) : bn_json_whole(k));
        bn_json_add(row, bn_json_whole(count[k]));
        bn_json_add(rows, row);
    }
    free(count);
    summary_json(r, "accuracy", bn_json_array());
    summary_heading(r, "Nodes of each class");
    summary_table(r, "predicted", columns, rows);
    return EXIT_DONE;
}

/* Adds the accuracy of each part, or with --evaluate every metric. */
static void add_parts(summary *r, const prediction *p, column *columns)
{
    static const column first[] = {{"part", "nodes", NULL}, {"nodes", "labelled", NULL},
                                   {"right", "right", NULL},
                                   {"accuracy", "accuracy %", "%.2f"}};
    const int metrics = p->evaluate ? BONSAI_METRIC_COUNT : 1;
    bn_json *rows = bn_json_array();
    memcpy(columns, first, sizeof first);
    for (int m = 1; m < metrics; m++)
        columns[3 + m] = (column){bonsai_metric_name((bonsai_metric)m),
                                  bonsai_metric_name((bonsai_metric)m), "%.2f"};
    for (int k = 0; k < PARTS; k++) {
        const bonsai_measures *f = &p->found[part_at(k)];
        if (f->nodes == 0)
            continue;
        bn_json *row = bn_json_pack("[s,I,I]", part_name(p, part_at(k)), (int64_t)f->nodes,
                                    (int64_t)f->right);
        for (int m = 0; m < metrics; m++)
            bn_json_add(row, measure_json(f->metric[m]));
        bn_json_add(rows, row);
    }
    if (bn_json_count(rows))
        summary_heading(r, p->evaluate ? "Metrics" : "Accuracy");
    summary_table(r, "accuracy", columns, rows);
}

/* Adds a row per class, with a column per part that has labelled nodes. */
static void add_recall(summary *r, const prediction *p, column *columns)
{
    int shown[PARTS], count = 0;
    bn_json *rows = bn_json_array(), *names = class_list(p->v);
    columns[0] = (column){"class", "class", NULL};
    for (int k = 0; k < PARTS; k++)
        if (p->found[part_at(k)].nodes) {
            shown[count++] = part_at(k);
            const char *name = part_name(p, shown[count - 1]);
            columns[count] = (column){name, name, "%.2f"};
        }
    for (int64_t c = 0; c < p->v->classes; c++) {
        bn_json *row = bn_json_pack("[o]", bn_json_keep(bn_json_at(names, (size_t)c)));
        for (int i = 0; i < count; i++)
            bn_json_add(row, measure_json(p->recall[shown[i] * p->v->classes + c]));
        bn_json_add(rows, row);
    }
    summary_heading(r, "Recall of each class, in percent");
    summary_table(r, "recall", columns, rows);
    r->items[r->count - 1].limit = CLASSES_SHOWN;
    bn_json_free(names);
}

static int print_summary(session *s, const prediction *p)
{
    summary r = {.count = 0};
    column parts[4 + BONSAI_METRIC_COUNT], recall[2 + PARTS];
    memset(parts, 0, sizeof parts);
    memset(recall, 0, sizeof recall);
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
    int code = EXIT_DONE;
    if (is_judged(p))
        add_parts(&r, p, parts);
    else
        code = add_counts(&r, s, p);
    if (code != EXIT_DONE) {
        summary_free(&r);
        return code;
    }
    if (p->evaluate)
        add_recall(&r, p, recall);
    return summary_print(&r, s);
}

/* ---- the command --------------------------------------------------------- */

static void note_scale(session *s, const prediction *p)
{
    int64_t columns, first;
    double was[2], is[2];
    char others[48] = "";
    if (bonsai_model_scale(&columns, &first, was, is, p->m, p->g) != BONSAI_OK || columns == 0)
        return;
    if (first < 0) {
        note(s, "the largest standard deviation of a column is %.2g in %s, but was %.2g where the "
             "model was trained: were the columns of one scaled, and not those of the other?",
             is[1], p->path, was[1]);
        return;
    }
    const char *name = bonsai_model_feature_name(p->m, first);
    if (columns > 1)
        snprintf(others, sizeof others, " (%lld columns differ like this)", (long long)columns);
    note(s, "column %lld%s%s%s of %s has mean %.3g and standard deviation %.3g, but had %.3g and "
         "%.3g where the model was trained: is it in another unit, or scaled?%s", (long long)first,
         name && *name ? " (\"" : "", name ? name : "", name && *name ? "\")" : "", p->path, is[0],
         is[1], was[0], was[1], others);
}

static int predict(session *s, prediction *p, const bonsai_model *m,
                   const bonsai_train_options *o)
{
    p->m = m;
    p->model = bonsai_model_facts(m);
    p->v = bonsai_graph_view(p->g);
    size_t n = (size_t)p->v->nodes, c = (size_t)p->model->classes;
    p->classes = calloc(n + 1, sizeof *p->classes);
    const int chances = p->probabilities || (p->evaluate && c == 2);    /* AUC needs them */
    p->chances = chances ? calloc(n + 1, c * sizeof *p->chances) : NULL;
    if (!p->classes || (chances && !p->chances))
        return fail_with(s, "there is not enough memory for the classes of %zu nodes", n);
    bonsai_status rc = bonsai_predict(p->classes, p->chances, m, p->g, o);
    if (rc != BONSAI_OK)
        return fail(s, rc);
    note_scale(s, p);
    if (draw_split(s, p) != EXIT_DONE || judge(s, p) != EXIT_DONE)
        return EXIT_FAILED;
    if (p->evaluate)
        note_labelled(s, p);
    const int facts = s->json || p->evaluate;           /* on stdout instead of the rows */
    if ((p->out || !facts) && write_rows(s, p) != EXIT_DONE)
        return EXIT_FAILED;
    if (p->out || facts)
        return print_summary(s, p);
    note_accuracy(s, p);
    return EXIT_DONE;
}

/* Fails because p->from is not a model; asks if the two files were swapped. */
static int no_model(session *s, const prediction *p, bonsai_status rc)
{
    bonsai_model *m = NULL;
    char why[1024];
    if ((rc != BONSAI_E_FORMAT && rc != BONSAI_E_IO) || access(p->from, F_OK) != 0)
        return fail(s, rc);             /* which suggests names of files that are there */
    snprintf(why, sizeof why, "%s", bonsai_error());
    if (bonsai_model_load(&m, p->path) != BONSAI_OK)
        return fail_with(s, "%s", why);
    bonsai_model_free(m);
    return fail_with(s, "%s is a model and %s is not: did you swap them? bonsai predict %s %s",
                     p->path, p->from, p->path, p->from);
}

static int load_and_predict(session *s, prediction *p, const bonsai_train_options *o)
{
    bonsai_model *m = NULL;
    bonsai_graph *g = NULL, *bare = NULL;
    bonsai_status rc = bonsai_model_load(&m, p->from);
    if (rc != BONSAI_OK)
        return no_model(s, p, rc);
    rc = calls.read(&g, p->path, &s->read);
    int code = rc == BONSAI_OK ? match_model(s, &g, m, p->evaluate ? NULL : &bare) : fail(s, rc);
    p->g = bare ? bare : g;
    if (code == EXIT_DONE)
        code = predict(s, p, m, o);
    free(p->classes);
    free(p->chances);
    free(p->recall);
    bonsai_graph_free(p->drawn);
    bonsai_graph_free(bare);
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
         .help = "also the probability of each class: p0, p1, ..."},
        {.name = "evaluate", OWN(prediction, evaluate, FLAG),
         .help = "judge the predictions on labelled nodes instead of printing them: every metric "
                 "for each part of the split, and the recall of each class; a graph without a "
                 "split gets the one that was drawn of it in training, else all labelled nodes "
                 "are judged together"}, {0}};
    const opt_spec spec = {
        .usage = "predict MODEL GRAPH [-o FILE.csv] [options]",
        .about =
            "Predicts the class of every node of GRAPH with a model that train or eval saved, or\n"
            "with a .npz of weights under PyTorch Geometric's names, as rows node,class, with node\n"
            "ids and class names where known.  Shows the accuracy on labelled nodes for each\n"
            "part of the split, with --evaluate every metric; with --json everything but the rows\n"
            "is JSON.",
        .examples = "  bonsai predict gcn.bonsai cora.bonsai -o classes.csv\n"
                    "  bonsai predict gcn.bonsai cora.bonsai --probabilities | head\n"
                    "  bonsai predict gcn.bonsai cora.bonsai --evaluate\n",
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
    p.from = given[0];
    p.path = given[1];
    if (p.out && (path_is_same(p.out, given[0]) || path_is_same(p.out, given[1])))
        return refuse(s, "%s is an input; -o must name another file", p.out);
    if (p.out && !file_can_be_written(s, p.out))
        return EXIT_FAILED;
    o.threads = s->read.threads;
    o.progress = progress_tick;
    o.payload = &s->progress;
    return load_and_predict(s, &p, &o);
}
