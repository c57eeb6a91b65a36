/* training.c -- what train and eval are asked, and the runs.
 *
 * The protocol sets what no option does, wherever it stands on the line: the line is
 * read once to learn the protocol, then again over the protocol's values.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>
#include <strings.h>

#include "cli.h"

/* ---- the options --------------------------------------------------------- */

void training_rows(opt *rows, bonsai_train_options *o, int *protocol)
{
    const opt own[TRAINING_ROWS] = {
        {OPT_INT, 0, "layers", "L", &o->layers, "layers, ReLU between them", "1..16"},
        {OPT_LONG, 0, "hidden", "H", &o->hidden, "columns between layers", "1..1048576"},
        {OPT_INT, 0, "heads", "K", &o->heads, "gat: heads that share the columns", "1..1024"},
        {OPT_INT, 0, "gin-layers", "N", &o->gin_layers, "gin: linear layers inside a layer",
         "1..2"},
        {OPT_INT, 0, "epochs", "N", &o->epochs, "steps of training", "1..10000000"},
        {OPT_INT, 0, "every", "N", &o->every,
         "judge after every so many epochs, and the last", "1..10000000"},
        {OPT_REAL, 0, "rate", "R", &o->rate, "Adam's learning rate", ">0..1000"},
        {OPT_REAL, 0, "decay", "D", &o->decay, "weight decay", "0..1000"},
        {OPT_REAL, 0, "dropout", "P", &o->dropout, "share dropped between layers", "0..0.999"},
        {OPT_FLAG, 0, "standardise", NULL, &o->standardise,
         "features to mean 0 and spread 1, by training nodes", NULL},
        {OPT_LONG, 0, "memory", "B", &o->memory,
         "bytes for judging; 0: what the machine has free", "0..1000000000000000"},
        {OPT_CHOICE, 0, "protocol", "default|paper", protocol,
         "paper: rate 0.001, decay 0, 100 epochs, every 1;\nflickr, ogbn-arxiv and reddit "
         "with hidden 1024,\nstandardised; other options override it", NULL},
    };
    memcpy(rows, own, sizeof own);
}

static int parse_rows(session *s, training *t, opt_spec *spec, int argc, char **argv)
{
    bonsai_train_options *o = &t->o;
    int eval = strcmp(s->command, "eval") == 0;
    const opt first[] = {
        {OPT_TEXT, 0, "full", "GRAPH", &t->full, "the graph to judge on (required)", NULL},
        {OPT_TEXT, 0, "model", "M,M,...", &t->models, "models: gcn, gat, gin, sage, or all", NULL},
        {OPT_INT, 0, "seeds", "N", &o->seeds, "runs, each from fresh weights", "1..10000"},
        {OPT_TEXT, 0, "save", "MODEL", &t->save,
         "write the best run's model: .bonsai, or .npz with\n"
         "PyTorch Geometric's names; of several models\nMODEL-gcn.bonsai and so on", NULL},
        {OPT_TEXT, 0, "curves", "FILE", &t->curves, "write learning curves as CSV", NULL},
    };
    const opt last[] = {
        {OPT_TEXT, 0, "split", "A/B/C", &t->split,
         eval ? "draw a new split of GRAPH: random, or percent such\nas 60/20/20; otherwise the "
                "one that condensing drew,\nGRAPH's own, or 60/20/20"
              : "draw a new split: random, or percent such as\n60/20/20; otherwise GRAPH's own, or "
                "60/20/20", NULL},
        {OPT_U64, 's', "seed", "S", &o->seed, "of the first run; the same seed, the same bits",
         NULL},
        {OPT_END, 0, NULL, NULL, NULL, NULL, NULL},
    };
    enum { FIRST = sizeof first / sizeof *first };
    opt rows[FIRST + TRAINING_ROWS + sizeof last / sizeof *last];
    memcpy(rows, first, sizeof first);
    training_rows(rows + FIRST, o, &t->protocol);
    memcpy(rows + FIRST + TRAINING_ROWS, last, sizeof last);
    spec->values = &t->path;
    spec->rows = eval ? rows : rows + 1;
    spec->shared = OPT_READS | OPT_JSON;
    return opt_parse(s, spec, argc, argv);
}

static void reset(session *s, training *t)
{
    memset(t, 0, sizeof *t);
    bonsai_train_options_init(&t->o);
    t->o.progress = progress_tick;
    t->o.payload = &s->progress;
    t->models = bonsai_model_name(t->o.model);
}

/* The name of a graph that the paper trains wide networks on, by its file; NULL: another. */
static const char *wide_graph(const char *path)
{
    static const char *const names[] = {"flickr", "ogbn-arxiv", "ogbn_arxiv", "reddit"};
    path = path_without_format(path);
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncasecmp(path + end, names[i], strlen(names[i])) == 0)
            return names[i];
    return NULL;
}

/* As the paper trains; "wide" graphs otherwise. */
const char *training_paper(bonsai_train_options *o, const char *path)
{
    const char *wide = wide_graph(path);
    o->rate = 0.001;
    o->decay = 0;
    o->epochs = 100;
    o->every = 1;
    if (wide) {
        o->hidden = 1024;
        o->standardise = 1;
    }
    return wide;
}

/* ---- what they say ------------------------------------------------------- */

static int refuse_model(session *s, const char *at, int len)
{
    const char *names[BONSAI_MODEL_COUNT];
    char word[33];
    for (int i = 0; i < BONSAI_MODEL_COUNT; i++)
        names[i] = bonsai_model_name((bonsai_model_kind)i);
    snprintf(word, sizeof word, "%.*s", len, at);
    const char *near = text_nearest(word, names, BONSAI_MODEL_COUNT);
    return refuse(s, "--model holds \"%.*s\", which is none of gcn, gat, gin, sage%s%s%s", len, at,
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

int training_models(session *s, training *t)
{
    if (strcmp(t->models, "all") == 0) {
        for (; t->count < BONSAI_MODEL_COUNT; t->count++)
            t->model[t->count] = (bonsai_model_kind)t->count;
        return OPT_GO;
    }
    for (const char *at = t->models, *comma; at; at = comma ? comma + 1 : NULL) {
        int kind = 0;
        comma = strchr(at, ',');
        int len = (int)(comma ? (size_t)(comma - at) : strlen(at));
        while (kind < BONSAI_MODEL_COUNT &&
               (strlen(bonsai_model_name((bonsai_model_kind)kind)) != (size_t)len ||
                strncmp(bonsai_model_name((bonsai_model_kind)kind), at, (size_t)len) != 0))
            kind++;
        if (kind == BONSAI_MODEL_COUNT)
            return refuse_model(s, at, len);
        for (int i = 0; i < t->count; i++)
            if ((int)t->model[i] == kind)
                return refuse(s, "--model holds %.*s twice", len, at);
        t->model[t->count++] = (bonsai_model_kind)kind;
    }
    return OPT_GO;
}

static int is_input(const training *t, const char *path)
{
    return path_is_same(t->path, path) || (t->full && path_is_same(t->full, path));
}

/* All that will be written, found bad before the work and not after it. */
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
    if (t->curves && strlen(t->curves) >= MOST_PATH)
        return refuse(s, "--curves is longer than %d bytes", MOST_PATH - 1);
    if (t->curves && is_input(t, t->curves))
        return refuse(s, "%s is a graph to read; --curves must name another file", t->curves);
    if (t->curves && !file_can_be_written(s, t->curves))
        return EXIT_FAILED;
    return OPT_GO;
}

static int settle(session *s, training *t)
{
    int code = training_models(s, t);
    if (code == OPT_GO && t->split)
        code = parse_parts(s, t->o.split, "--split", t->split);
    if (code == OPT_GO && t->split && t->o.split[0] <= 0 && !t->full)
        code = refuse(s, "--split is \"%s\", which leaves no training nodes", t->split);
    t->o.threads = s->read.threads;
    return code == OPT_GO ? check_outputs(s, t) : code;
}

int training_parse(session *s, training *t, opt_spec *spec, int argc, char **argv)
{
    reset(s, t);
    int code = parse_rows(s, t, spec, argc, argv);
    if (code != OPT_GO)
        return code;
    if (strcmp(s->command, "eval") == 0 && !t->full)
        return refuse(s, "--full GRAPH is missing");
    if (t->protocol) {
        const char *judge = t->full ? t->full : t->path;
        reset(s, t);
        const char *wide = training_paper(&t->o, judge);
        code = parse_rows(s, t, spec, argc, argv);
        if (wide && code == OPT_GO)
            note(s, "the paper's protocol for %s: hidden %lld, standardised features", wide,
                 (long long)t->o.hidden);
    }
    return code == OPT_GO ? settle(s, t) : code;
}

/* ---- the work ------------------------------------------------------------ */

static void remember(session *s, const training *t)
{
    const bonsai_train_info *i = bonsai_training_info(t->done[t->count - 1]);
    s->accuracy = i->accuracy_mean;
    s->seconds_train = i->seconds_train;
}

static void note_results(session *s, const training *t)
{
    const bonsai_train_info *i = bonsai_training_info(t->done[0]);
    const char *judge = t->full ? t->full : t->path;
    int in_blocks = 0;
    for (int k = 0; k < t->count; k++)
        in_blocks |= bonsai_training_info(t->done[k])->in_blocks;
    if (in_blocks)
        note(s, "judged in blocks of nodes, to stay within the memory");
    if (i->test == 0)
        note(s, "%s has no test nodes, so there is no accuracy; bonsai eval judges a condensed "
             "graph on the full one", judge);
    else if (i->val == 0)
        note(s, "%s has no validation nodes: the last epoch counts", judge);
}

void training_note_pair(session *s, const training *t, const bonsai_graph *small,
                        const bonsai_graph *full)
{
    bonsai_condense_info i;
    int64_t nodes = bonsai_graph_nodes(full), edges = bonsai_graph_edges(full);
    json_t *meta = condensed_metadata(small);
    condensed_info(&i, meta);
    if (meta && (i.full_nodes != nodes || i.full_edges != edges))
        note(s, "%s was condensed from a graph of %lld nodes and %lld edges, but %s has %lld and "
             "%lld", t->path, (long long)i.full_nodes, (long long)i.full_edges, t->full,
             (long long)nodes, (long long)edges);
    json_decref(meta);
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
        note(s, "%s has no split: 60/20/20 was drawn; bonsai split %s -o FILE --seed %llu draws "
             "the same", judge, judge, (unsigned long long)i->split_seed);
    if (i->leaks)
        note(s, "%lld labelled nodes of %s are by their ids validation or test nodes of %s, and "
             "make the accuracy too high", (long long)i->leaks, t->path, judge);
}

int training_run(session *s, training *t, const bonsai_graph *small, const bonsai_graph *full)
{
    bonsai_status rc = BONSAI_OK;
    if (full)
        training_note_pair(s, t, small, full);
    int code = EXIT_DONE;
    for (int i = 0; i < t->count && rc == BONSAI_OK; i++) {
        t->o.model = t->model[i];
        rc = bonsai_train(&t->done[i], small, full, &t->o);
    }
    for (int i = 0; i < t->count && t->save && rc == BONSAI_OK; i++)
        rc = bonsai_model_save(bonsai_training_model(t->done[i]), t->to[i]);
    if (rc != BONSAI_OK)
        code = fail(s, rc);
    else if (t->curves)
        code = trained_curves(s, t);
    if (code == EXIT_DONE) {
        training_note_split(s, t, bonsai_training_info(t->done[0]));
        note_results(s, t);
        remember(s, t);
        code = trained_print(s, t);
    }
    for (int i = 0; i < t->count; i++)
        bonsai_training_free(t->done[i]);
    return code;
}
