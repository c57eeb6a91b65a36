/* cmd_generate.c -- bonsai generate: a synthetic graph, without a download.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"
#include "files/graphs.h"
#include "opt/opt.h"

typedef struct {
    bonsai_generate_options generate;
    const char *out;
    int no_linear;
} arguments;

typedef struct {
    const arguments *a;
    const char   *name;         /* where it is generated; a .bonsai file under a temporary name */
    int           native, lock, fitted;
    char          target[MOST_PATH], temporary[MOST_PATH + 32], place[MOST_PATH + 40];
    bonsai_graph *g;
    bonsai_stats  stats;
    bonsai_linear linear;
} making;

static void summary_shape(summary *r, const bonsai_stats *st, const char *path)
{
    summary_heading(r, "Graph");
    summary_text(r, "written", "written", path);
    summary_file_bytes(r, "file_bytes", "bytes", path);
    summary_int(r, "nodes", "nodes", st->nodes);
    summary_int(r, "edges", "edges", st->edges);
    summary_note(r, "entries: an undirected edge is two");
    summary_int(r, "features", "features", st->features);
    summary_int(r, "classes", "classes", st->classes);
    summary_int(r, "isolated", "isolated nodes", st->isolated);
    summary_real(r, "homophily", "homophily", st->homophily >= 0 ? st->homophily : NAN, "%.3f");
    summary_note(r, "share of edges inside a class");
    summary_degrees(r, st);
}

/* Returns the last error with the user's file name instead of the temporary one. */
static const char *error_of(const making *m, char *text, size_t size)
{
    const bonsai_error_info *e = bonsai_error_details();
    if (!*m->temporary || strcmp(e->path, m->temporary) != 0)
        return bonsai_error();
    snprintf(text, size, "%s: %s", path_without_format(m->a->out), e->reason);
    return text;
}

/* Fits linear models; a graph that is too large for them gets a note. */
static bonsai_status fit(session *s, making *m)
{
    bonsai_status rc = bonsai_graph_linear(&m->linear, m->g, m->a->generate.seed, &s->read);
    m->fitted = rc == BONSAI_OK;
    if (rc == BONSAI_OK || rc == BONSAI_E_CANCELED)
        return rc;
    char text[MOST_PATH + 512];
    note(s, "no linear model: %s", error_of(m, text, sizeof text));
    return BONSAI_OK;
}

static void summary_linear(summary *r, const bonsai_linear *l)
{
    summary_heading(r, "Linear models, accuracy %");
    summary_real(r, "linear.majority", "largest class", l->majority, "%.1f");
    summary_real(r, "linear.features", "features alone", l->features_only, "%.1f");
    summary_real(r, "linear.two_hops", "two-hop averages", l->two_hops, "%.1f");
    summary_note(r, "features averaged twice over neighbours");
}

static bonsai_status make(session *s, making *m)
{
    bonsai_status rc = calls.generate(&m->g, s, &m->a->generate, m->name);
    if (rc == BONSAI_OK && m->native)
        m->lock = open(m->temporary, O_RDWR | O_CLOEXEC);
    if (m->lock >= 0)
        flock(m->lock, LOCK_EX | LOCK_NB);      /* until it is in place, nobody removes it */
    if (rc == BONSAI_OK)
        rc = calls.stats(&m->stats, NULL, m->g, &s->read);
    if (rc == BONSAI_OK && !m->a->no_linear)
        rc = calls.agree(s->mute ? BONSAI_OK : fit(s, m));
    return rc;
}

/* Writes the graph or renames its file, in one of several processes. */
static int put_in_place(session *s, const making *m)
{
    const char *out = m->a->out;
    if (s->mute)
        return EXIT_DONE;
    if (m->native)
        return path_replace(m->temporary, m->target) == 0 ? EXIT_DONE :
               fail_with(s, "%s: cannot be written: %s", out, strerror(errno));
    bonsai_status rc = save(s, m->g, out, BONSAI_ENCODING_AUTO);
    return rc == BONSAI_OK ? EXIT_DONE : fail(s, rc);
}

/* Sets the final and the temporary name of a .bonsai file.  Exit code. */
static int find_place(session *s, making *m)
{
    struct stat st;
    const char *plain = path_without_format(m->a->out);
    if (path_follow(m->target, plain) != 0)
        return fail_with(s, "%s: cannot be written: %s", plain, strerror(errno));
    if (!s->mute && stat(m->target, &st) == 0 && !S_ISREG(st.st_mode))
        return fail_with(s, "%s: is %s, so no file can be written there", plain,
                         S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");
    path_beside(m->temporary, m->target, 0);
    snprintf(m->place, sizeof m->place, "bonsai:%s", m->temporary);
    m->name = m->place;
    return EXIT_DONE;
}

/* Renames the graph last, so that a canceled run leaves no file. */
static int generate(session *s, const arguments *a)
{
    summary r = {.count = 0};
    making m = {.a = a, .native = path_is_native(a->out), .name = a->out, .lock = -1};
    bonsai_stats_init(&m.stats);
    bonsai_linear_init(&m.linear);
    if (m.native && find_place(s, &m) != EXIT_DONE)
        return EXIT_FAILED;
    bonsai_status rc = make(s, &m);
    char text[MOST_PATH + 512];
    int code = rc == BONSAI_OK ? put_in_place(s, &m) : rc == BONSAI_E_CANCELED ? fail(s, rc) :
               fail_with(s, "%s", error_of(&m, text, sizeof text));
    if (code != EXIT_DONE && m.native && !s->mute)
        unlink(m.temporary);
    if (code == EXIT_DONE)
        summary_shape(&r, &m.stats, a->out);
    if (code == EXIT_DONE && m.fitted)
        summary_linear(&r, &m.linear);
    if (m.lock >= 0)
        close(m.lock);
    bonsai_graph_free(m.g);
    return code == EXIT_DONE ? summary_print(&r, s) : code;
}

static int parse(session *s, arguments *a, int argc, char **argv)
{
    bonsai_generate_options *o = &a->generate;
    static const bonsai_field output[] = {
        {.name = "output", OWN(arguments, out, FILE), .letter = 'o', .arg = "OUT",
         .help = "file or folder to write (required)"}, {0}};
    static const bonsai_field linear[] = {
        {.name = "no-linear", OWN(arguments, no_linear, FLAG),
         .help = "fit no linear models at the end"}, {0}};
    const opt_spec spec = {
        .usage = "generate -o OUT [options]",
        .about = "Writes a graph that looks like a citation network, with labels, features and a\n"
                 "60/20/20 split, then shows its shape and how far a linear model gets on the\n"
                 "features alone and on their two-hop averages.",
        .examples = "  bonsai generate -o graph.bonsai\n"
                    "  bonsai generate -o hard.npz --difficulty 0.9 --homophily 0.6 -s 7\n"
                    "  bonsai generate -o large.bonsai --nodes 1000000 --dense --features 64\n",
        .args = "",
        .groups = (const opt_group[]){{.base = a, .own = output},
                                      {.base = o, .kind = BONSAI_OPTIONS_GENERATE},
                                      {.base = a, .own = linear}, {0}},
        .shared = OPT_THREADS | OPT_JSON,
    };
    int code = opt_parse(s, &spec, argc, argv);
    if (code == OPT_GO && !a->out)
        code = refuse(s, "-o OUT is missing");
    if (code == OPT_GO && o->exponent > 0 && o->exponent <= 2)
        code = refuse(s, "--exponent is %g, which is neither 0 nor above 2", o->exponent);
    return code;
}

int cmd_generate(session *s, int argc, char **argv)
{
    arguments a = {.out = NULL};
    bonsai_generate_options_init(&a.generate);
    a.generate.progress = progress_tick;
    a.generate.payload = &s->progress;
    int code = parse(s, &a, argc, argv);
    if (code != OPT_GO)
        return code;
    if (!path_can_be_written(s, a.out))
        return EXIT_FAILED;
    a.generate.threads = s->read.threads;
    return generate(s, &a);
}
