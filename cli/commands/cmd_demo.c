/* cmd_demo.c -- bonsai demo: a tour of the program that needs no data.
 *
 * Each step prints a command line and runs exactly that, in a folder of its own,
 * so that a newcomer can type the same.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opt/opt.h"
#include "output/text.h"

typedef struct {                /* what training found */
    double accuracy, seconds;
} judged;

typedef struct {
    judged full, small;
} found;

typedef struct {
    const char *title;
    const char *line;           /* words after "bonsai", separated by one space; NODE: of small */
    int       (*after)(session *s, found *f);   /* runs after it; exit code; NULL: nothing */
} step;

static int compare(session *s, found *f);
static int keep_full(session *s, found *f);
static int tell_gain(session *s, found *f);

static const step steps[] = {
    {"1. A graph that looks like a citation network",
     "generate -o graph.bonsai --nodes 3000 --features 1433", NULL},
    {"2. Its contents", "info graph.bonsai --brief", NULL},
    {"3. A graph of one percent of its bytes",
     "condense graph.bonsai -o small.bonsai --ratio 0.01", NULL},
    {"4. What one of its nodes stands for",
     "explain small.bonsai --full graph.bonsai --node NODE", NULL},
    {"5. To NumPy's format", "convert graph.bonsai graph.npz", NULL},
    {"6. And back", "convert graph.npz back.bonsai", compare},
    {"7. A model trained on the whole graph", "train graph.bonsai --model gcn --seeds 3",
     keep_full},
    {"8. The same model trained on the small graph, judged on the whole one",
     "eval small.bonsai graph.bonsai --alone --model gcn --seeds 3", tell_gain},
};

enum { GRAPH = 0, SMALL = 1, BACK = 3 };
static const char *const files[] = {"graph.bonsai", "small.bonsai", "graph.npz", "back.bonsai"};

static double weight(const bonsai_array *a, int64_t v)
{
    return a->type == BONSAI_TYPE_U8 ? (double)((const uint8_t *)a->data)[v]
           : a->type == BONSAI_TYPE_U16 ? (double)((const uint16_t *)a->data)[v]
                                   : (double)((const float *)a->data)[v];
}

/* Returns the prototype that stands for most nodes, or the root that covers most samples; 0 if
 * neither is known. */
static int64_t find_node(session *s)
{
    bonsai_graph *g = NULL;
    int64_t node = 0;
    double most = -1;
    if (bonsai_graph_read(&g, files[SMALL], &s->read) != BONSAI_OK)
        return 0;
    const bonsai_array *weights = &bonsai_graph_view(g)->section[BONSAI_SECTION_NODE_WEIGHTS];
    int64_t *covers = calloc((size_t)bonsai_graph_nodes(g) + 1, sizeof *covers);
    if (!covers || bonsai_condense_whys(NULL, covers, NULL, g) != BONSAI_OK) {
        free(covers);
        bonsai_graph_free(g);
        return 0;
    }
    for (int64_t v = 0; v < bonsai_graph_nodes(g); v++) {
        double own = weights->data ? weight(weights, v) : (double)covers[v];
        if (own > most) {
            most = own;
            node = v;
        }
    }
    free(covers);
    bonsai_graph_free(g);
    return node;
}

static int run_step(session *s, const step *st, found *f)
{
    char line[240], words[256], *argv[16];
    const char *hole = strstr(st->line, "NODE");
    int argc = 0;
    if (hole)
        snprintf(line, sizeof line, "%.*s%lld", (int)(hole - st->line), st->line,
                 (long long)find_node(s));
    else
        snprintf(line, sizeof line, "%s", st->line);
    snprintf(words, sizeof words, "  $ bonsai %s", line);
    put_prose("\n%s\n", st->title);
    put_command(words, (int)strlen(words));
    putchar('\n');
    fflush(stdout);
    snprintf(words, sizeof words, "%s", line);
    for (char *w = strtok(words, " "); w && argc < 15; w = strtok(NULL, " "))
        argv[argc++] = w;
    argv[argc] = NULL;
    session own = *s;
    own.command = argv[0];
    own.read.payload = &own.progress;
    int code = command_find(argv[0])->run(&own, argc, argv);
    progress_clear(&own.progress);
    s->accuracy = own.accuracy;
    s->waited = own.waited;
    return code == EXIT_DONE && st->after ? st->after(s, f) : code;
}

static int compare(session *s, found *f)
{
    bonsai_graph *a = NULL, *b = NULL;
    int equal = 0;
    (void)f;
    bonsai_status rc = bonsai_graph_read(&a, files[GRAPH], &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_read(&b, files[BACK], &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_equal(&equal, a, b);
    bonsai_graph_free(a);
    bonsai_graph_free(b);
    if (rc != BONSAI_OK)
        return fail(s, rc);
    if (!equal)
        return fail_with(s, "%s and %s differ", files[GRAPH], files[BACK]);
    put_prose("\n%s and %s hold the same graph, bit for bit.", files[GRAPH], files[BACK]);
    return EXIT_DONE;
}

static int keep_full(session *s, found *f)
{
    f->full = (judged){s->accuracy, s->waited};
    return EXIT_DONE;
}

/* Prints both accuracies and times, with the seconds that the tables show. */
static int tell_gain(session *s, found *f)
{
    f->small = (judged){s->accuracy, s->waited};
    put_prose("\nTrained on one percent of the bytes, a model gets %.1f %% of the test nodes "
              "right, against %.1f %% when trained on all; training and judging took %.2f s "
              "instead of %.2f s: %.1f times faster.\n", f->small.accuracy, f->full.accuracy,
              f->small.seconds, f->full.seconds, f->full.seconds / (f->small.seconds > 0 ? f->small.seconds : 1e-6));
    return EXIT_DONE;
}

static int run_steps(session *s)
{
    found f = {{0, 0}, {0, 0}};
    int code = EXIT_DONE;
    const size_t count = sizeof steps / sizeof *steps;
    for (size_t i = 0; i < count && code == EXIT_DONE && !ferror(stdout); i++)
        code = run_step(s, &steps[i], &f);
    return code;
}

/* Enters a new folder under $TMPDIR, or the one that -o names. */
static int enter(session *s, char *made, size_t size, const char *folder)
{
    const char *tmp = getenv("TMPDIR");
    if (folder) {
        snprintf(made, size, "%s", folder);
        if (mkdir(made, 0777) != 0 && errno != EEXIST)
            return fail_with(s, "%s: cannot be created: %s", made, strerror(errno));
    } else {
        snprintf(made, size, "%s/bonsai-demo-XXXXXX", tmp && *tmp ? tmp : "/tmp");
        if (!mkdtemp(made))
            return fail_with(s, "%s: cannot be created: %s", made, strerror(errno));
    }
    if (chdir(made) != 0)
        return fail_with(s, "%s: cannot change to this folder: %s", made, strerror(errno));
    return EXIT_DONE;
}

static void leave(const char *made)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    if (chdir("/") == 0)
        rmdir(made);
}

int cmd_demo(session *s, int argc, char **argv)
{
    char made[4096];
    const char *folder = NULL;
    static const bonsai_field own[] = {
        {.name = "output", .type = BONSAI_FIELD_FILE, .letter = 'o', .arg = "DIR",
         .help = "work in this folder and keep the files",
         .otherwise = "in a temporary one that is removed"}, {0}};
    const opt_spec spec = {
        .usage = "demo [-o DIR] [options]",
        .about =
            "Generates a graph, shows what it holds, condenses it to one percent, explains one\n"
            "of the nodes, converts the graph to .npz and back without loss, and trains a model\n"
            "on it and on the small one.  Prints each command, so that you can repeat it.",
        .examples = "  bonsai demo\n"
                    "  bonsai demo -o here && bonsai info here/small.bonsai\n",
        .args = "",
        .groups = (const opt_group[]){{.base = &folder, .own = own}, {0}},
        .shared = OPT_THREADS,
    };
    int code = opt_parse(s, &spec, argc, argv);
    if (code != OPT_GO)
        return code;
    s->people = 1;
    code = enter(s, made, sizeof made, folder);
    if (code != EXIT_DONE)
        return code;
    put_prose("bonsai %s: a tour in %d commands\n\nfolder: %s", bonsai_version(),
              (int)(sizeof steps / sizeof *steps), made);
    code = run_steps(s);
    if (!folder)
        leave(made);
    if (code == EXIT_DONE && folder)
        put_prose("The files are in %s.", made);
    else if (code == EXIT_DONE)
        put_prose("The folder is removed; \"bonsai demo -o FOLDER\" keeps it.");
    return code;
}
