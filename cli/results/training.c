/* training.c -- the options and the runs of train and eval.
 *
 * Options override the protocol wherever it stands on the line: it sets what was not given.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "files/graphs.h"
#include "results/train_eval.h"

/* ---- the options --------------------------------------------------------- */

const bonsai_field training_protocol[] = {
    {.name = "protocol", .type = BONSAI_FIELD_CHOICE,
     .group = BONSAI_GROUP_TRAINING,
     .words = (const char *const[]){"default", "paper", "peers", NULL},
     .help = "paper: rate 0.001, decay 0, 100 epochs, every 1; flickr, ogbn-arxiv and reddit with "
             "hidden 1024, standardise all; peers: hidden 256, dropout 0.5, 600 epochs, every 1, "
             "cut 0.5, uniform; other options override them"},
    {0},
};

static int parse_rows(session *s, training *t, opt_spec *spec, int argc, char **argv)
{
    static const bonsai_field full[] = {
        {.name = "full", OWN(training, full, FILE), .arg = "GRAPH",
         .help = "the graph to judge on, as the second argument says too"},
        {.name = "alone", OWN(training, alone, FLAG),
         .help = "do not train on GRAPH as well, to show its accuracy beside SMALL's"}, {0}};
    const bonsai_field own[] = {
        {.name = "model", OWN(training, models, TEXT), .arg = "M,M,...", .help = "models",
         .words = field_named(BONSAI_OPTIONS_TRAIN, "model")->words},
        {.name = "save", OWN(training, save, FILE), .group = BONSAI_GROUP_OUTPUT, .arg = "MODEL",
         .help = "write the best run's model: .bonsai, or .npz with PyTorch Geometric's names; "
                 "several models go to MODEL-gcn.bonsai and so on"},
        {.name = "curves", OWN(training, curves, FILE), .group = BONSAI_GROUP_OUTPUT, .arg = "FILE",
         .help = "write learning curves as CSV"}, {0}};
    const opt_group groups[] = {
        {.base = t, .own = own}, {.base = &t->o, .kind = BONSAI_OPTIONS_TRAIN},
        {.base = &t->protocol, .own = training_protocol},
        {.base = strcmp(s->command, "eval") == 0 ? t : NULL, .own = full}, {0}};
    spec->values = t->args;
    spec->groups = groups;
    spec->shared = OPT_READS | OPT_JSON;
    int code = opt_parse(s, spec, argc, argv);
    t->path = t->args[0];
    if (code == OPT_GO && t->full && t->args[1])
        return refuse(s, "%s and --full %s are both given: one graph is judged on", t->args[1],
                      t->full);
    t->full = t->full ? t->full : t->args[1];
    return code;
}

void training_reset(session *s, training *t)
{
    memset(t, 0, sizeof *t);
    bonsai_train_options_init(&t->o);
    t->o.progress = progress_tick;
    t->o.payload = &s->progress;
    t->models = bonsai_model_name(t->o.model);
}

double training_judgings(const bonsai_train_options *o)
{
    return ceil((double)o->epochs / o->every);
}

const char *training_protocol_name(int protocol)
{
    return training_protocol[0].words[protocol];
}

static void set_int(const session *s, const char *field, int *at, int value)
{
    *at = s && option_given(s, field) ? *at : value;
}

static void set_real(const session *s, const char *field, double *at, double value)
{
    *at = s && option_given(s, field) ? *at : value;
}

static void set_hidden(const session *s, int64_t *at, int64_t value)
{
    *at = s && option_given(s, "hidden") ? *at : value;
}

/* Sets the options that the papers on learned graphs judge with (doc/peers.md). */
static void set_peers(const session *s, bonsai_train_options *o)
{
    set_hidden(s, &o->hidden, 256);
    set_real(s, "rate", &o->rate, 0.01);
    set_real(s, "decay", &o->decay, 5e-4);
    set_real(s, "dropout", &o->dropout, 0.5);
    set_int(s, "epochs", &o->epochs, 600);
    set_int(s, "every", &o->every, 1);
    set_real(s, "cut", &o->cut, 0.5);
    set_int(s, "uniform", &o->uniform, 1);
}

static void set_paper(const session *s, bonsai_train_options *o)
{
    set_real(s, "rate", &o->rate, 0.001);
    set_real(s, "decay", &o->decay, 0);
    set_int(s, "epochs", &o->epochs, 100);
    set_int(s, "every", &o->every, 1);
}

training_width training_follow(const session *s, bonsai_train_options *o, int protocol)
{
    training_width wide = {o->hidden, o->standardise};
    if (protocol == TRAINING_PEERS)
        set_peers(s, o);
    if (protocol != TRAINING_PAPER)
        return (training_width){o->hidden, o->standardise};
    set_paper(s, o);
    set_hidden(s, &wide.hidden, 1024);
    set_int(s, "standardise", &wide.standardise, BONSAI_STANDARDISE_ALL);
    return wide;
}

int training_is_wide(const bonsai_known *k)
{
    static const char *const names[] = {"flickr", "ogbn-arxiv", "reddit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(k->name, names[i]) == 0)
            return 1;
    return 0;
}

const char *training_standardise(const bonsai_train_options *o)
{
    return field_named(BONSAI_OPTIONS_TRAIN, "standardise")->words[o->standardise];
}

void training_widen(session *s, bonsai_train_options *o, const training_width *width,
                    const bonsai_graph *judge)
{
    const bonsai_known *k = bonsai_graph_known(judge);
    if (!k || !training_is_wide(k) ||
        (o->hidden == width->hidden && o->standardise == width->standardise))
        return;
    o->hidden = width->hidden;
    o->standardise = width->standardise;
    note(s, "the paper's protocol for %s: hidden %lld, standardise %s", k->title,
         (long long)o->hidden, training_standardise(o));
}

/* ---- checks -------------------------------------------------------------- */

int training_models(session *s, training *t, const char *option)
{
    int model[BONSAI_MODEL_COUNT];
    int code = parse_words(s, model, &t->count, option, t->models,
                           field_named(BONSAI_OPTIONS_TRAIN, "model")->words);
    for (int i = 0; code == OPT_GO && i < t->count; i++)
        t->model[i] = (bonsai_model_kind)model[i];
    return code;
}

static int is_input(const training *t, const char *path)
{
    return path_is_same(t->path, path) || (t->full && path_is_same(t->full, path));
}

/* Checks all files to be written, before the work. */
static int check_outputs(session *s, training *t)
{
    for (int i = 0; i < t->count && t->save; i++) {
        char *to = t->to[i];
        const char *name = bonsai_model_name(t->model[i]);
        int fits = t->count > 1 ? path_with_suffix(to, t->save, name, (int)strlen(name))
                                : snprintf(to, MOST_PATH, "%s", t->save) < MOST_PATH;
        if (!fits)
            return refuse(s, "--save is longer than %d bytes", MOST_PATH - 64);
        if (is_input(t, to))
            return refuse(s, "%s is a graph to read; --save must name another file", to);
        if (t->curves && (strcmp(to, t->curves) == 0 || path_is_same(to, t->curves)))
            return refuse(s, "%s is for the model; --curves must name another file", t->curves);
        if (!path_ends_with(to, ".bonsai") && !path_ends_with(to, ".npz"))
            return fail_with(s, "%s: name a .bonsai or .npz file", to);
        if (!file_can_be_written(s, to))
            return EXIT_FAILED;
    }
    if (t->curves && is_input(t, t->curves))
        return refuse(s, "%s is a graph to read; --curves must name another file", t->curves);
    if (t->curves && !file_can_be_written(s, t->curves))
        return EXIT_FAILED;
    return OPT_GO;
}

static int settle(session *s, training *t)
{
    int code = training_models(s, t, "--model");
    if (code == OPT_GO && !t->full)
        code = check_split(s, t->o.split);
    t->o.threads = s->read.threads;
    return code == OPT_GO ? check_outputs(s, t) : code;
}

int training_parse(session *s, training *t, opt_spec *spec, int argc, char **argv)
{
    training_reset(s, t);
    int code = parse_rows(s, t, spec, argc, argv);
    if (code != OPT_GO)
        return code;
    if (strcmp(s->command, "eval") == 0 && !t->full)
        return refuse(s, "GRAPH is missing");
    t->width = training_follow(s, &t->o, t->protocol);
    return settle(s, t);
}

/* ---- the work ------------------------------------------------------------ */

static void remember(session *s, const training *t)
{
    const bonsai_train_info *i = bonsai_training_info(t->done[t->count - 1]);
    s->accuracy = i->accuracy_mean;
    s->waited = i->seconds_total;
}

/* Notes a model that has learned nothing, which accuracy may hide. */
static void note_idle(session *s, const training *t, int k, const bonsai_graph *g)
{
    double percent;
    const int64_t largest = bonsai_training_idle(&percent, t->done[k]);
    if (largest < 0)
        return;
    const char *name = bonsai_graph_class_name(g, largest);
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)largest);
    const bonsai_metric m = t->o.metric;
    const char *of = m == BONSAI_METRIC_ACCURACY ? "" : " of ";
    const char *metric = m == BONSAI_METRIC_ACCURACY ? "" : bonsai_metric_text(m);
    if (m >= BONSAI_METRIC_AUC)
        note(s, "%s is hardly better than scoring all nodes alike, which gets %.1f %%%s%s",
             bonsai_model_name(t->model[k]), percent, of, metric);
    else
        note(s, "%s is hardly better than always answering class %s, the largest of the test "
             "nodes, which gets %.1f %%%s%s", bonsai_model_name(t->model[k]),
             name && *name ? name : number, percent, of, metric);
}

static void note_results(session *s, const training *t, const bonsai_graph *g)
{
    const bonsai_train_info *i = bonsai_training_info(t->done[0]);
    const char *judge = t->full ? t->full : t->path;
    int in_blocks = 0;
    for (int k = 0; k < t->count; k++) {
        in_blocks |= bonsai_training_info(t->done[k])->in_blocks;
        note_idle(s, t, k, g);
    }
    if (in_blocks)
        note(s, "judged in blocks of nodes, to stay within the memory");
    if (i->test == 0)
        note(s, "%s has no test nodes, so there is no accuracy; bonsai eval judges a condensed "
             "graph on the full one", judge);
    else if (i->val == 0)
        note(s, "%s has no validation nodes: the last epoch counts", judge);
}

static int is_condensed(const bonsai_graph *g)
{
    bonsai_condense_info i;
    bonsai_condense_info_init(&i);
    return bonsai_condense_info_of(&i, g) == BONSAI_OK;
}

int training_check_pair(session *s, const training *t, const bonsai_graph *small,
                        const bonsai_graph *full)
{
    if (is_condensed(small) || !is_condensed(full))
        return EXIT_DONE;
    return fail_with(s, "%s is a condensed graph and %s is not: did you swap them? bonsai %s %s %s%s",
                     t->full, t->path, s->command, t->full,
                     strcmp(s->command, "eval") == 0 ? "" : "--full ", t->path);
}

void training_note_pair(session *s, const training *t, const bonsai_graph *small,
                        const bonsai_graph *full)
{
    bonsai_condense_info i;
    int64_t nodes = bonsai_graph_nodes(full), edges = bonsai_graph_edges(full);
    bonsai_condense_info_init(&i);
    if (bonsai_condense_info_of(&i, small) == BONSAI_OK &&
        (i.full_nodes != nodes || i.full_edges != edges))
        note(s, "%s was condensed from a graph of %lld nodes and %lld edges, but %s has %lld and "
             "%lld", t->path, (long long)i.full_nodes, (long long)i.full_edges, t->full,
             (long long)nodes, (long long)edges);
}

void training_note_split(session *s, training *t, const bonsai_train_info *i)
{
    const char *judge = t->full ? t->full : t->path;
    if (i->split_from == BONSAI_SPLIT_OWN || i->split_from == BONSAI_SPLIT_NONE)
        snprintf(t->parts, sizeof t->parts, "%s", i->split_from == BONSAI_SPLIT_OWN
                 ? "the graph's own" : "none, all are for training");
    else
        snprintf(t->parts, sizeof t->parts, "%g/%g/%g, seed %llu", i->split[0], i->split[1],
                 i->split[2], (unsigned long long)i->split_seed);
    if (i->split_from == BONSAI_SPLIT_CONDENSED)
        note(s, "%s was condensed with the split %s; %s is judged on the same", t->path, t->parts,
             judge);
    if (i->split_from == BONSAI_SPLIT_DRAWN)
        note_drawn(s, judge, i->split_seed);
    if (i->leaks)
        note(s, "%lld labelled nodes of %s are validation or test nodes of %s by their ids, which "
             "makes the accuracy too high", (long long)i->leaks, t->path, judge);
}

int training_work(session *s, training *t, const bonsai_graph *small, const bonsai_graph *full)
{
    bonsai_status rc = BONSAI_OK;
    int code = EXIT_DONE;
    training_widen(s, &t->o, &t->width, full ? full : small);
    if (full)
        training_note_pair(s, t, small, full);
    for (int i = 0; i < t->count && rc == BONSAI_OK; i++) {
        t->o.model = t->model[i];
        rc = bonsai_train(&t->done[i], small, full, &t->o);
    }
    for (int i = 0; i < t->count && t->save && rc == BONSAI_OK; i++)
        rc = bonsai_model_save(bonsai_training_model(t->done[i]), t->to[i]);
    if (full && rc == BONSAI_OK)
        rc = beside_train(s, t, full);
    if (rc != BONSAI_OK)
        code = fail(s, rc);
    else if (full)
        code = beside_judge(s, t);
    if (code == EXIT_DONE && t->curves)
        code = trained_curves(s, t);
    if (code == EXIT_DONE && (full || t->o.standardise == BONSAI_STANDARDISE_NONE))
        note_scales(s, full ? full : small, full ? t->full : t->path);
    if (code == EXIT_DONE) {
        training_note_split(s, t, bonsai_training_info(t->done[0]));
        note_results(s, t, full ? full : small);
        remember(s, t);
    }
    return code;
}

void training_free(training *t)
{
    for (int i = 0; i < BONSAI_MODEL_COUNT; i++) {
        bonsai_training_free(t->done[i]);
        bonsai_training_free(t->beside[i]);
    }
}

int training_ended(session *s, const training *t, int code)
{
    if (code != EXIT_DONE || !t->canceled)
        return code;
    return fail_with(s, "canceled while training on %s as well: its accuracy is missing", t->full);
}

int training_run(session *s, training *t, const bonsai_graph *small, const bonsai_graph *full)
{
    int code = training_work(s, t, small, full);
    if (code == EXIT_DONE)
        code = trained_print(s, t, full ? full : small);
    training_free(t);
    return training_ended(s, t, code);
}
