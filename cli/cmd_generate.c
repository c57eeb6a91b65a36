/* cmd_generate.c -- bonsai generate: a synthetic graph, without a download.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "cli.h"

typedef struct {
    bonsai_generate_options generate;
    const char *out;
    int no_linear;
} arguments;

static void summary_shape(summary *r, const bonsai_stats *st, const char *path)
{
    summary_heading(r, "Graph");
    summary_text(r, "written", "written", path);
    summary_int(r, "file_bytes", "bytes", path_bytes(path));
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

/* A graph too large for the linear model is still valid. */
static bonsai_status summary_linear(summary *r, session *s, const bonsai_graph *g, uint64_t seed)
{
    bonsai_linear l;
    bonsai_linear_init(&l);
    bonsai_status rc = bonsai_graph_linear(&l, g, seed, &s->read);
    if (rc == BONSAI_E_CANCELED)
        return rc;
    if (rc != BONSAI_OK) {
        note(s, "no linear model: %s", bonsai_error());
        return BONSAI_OK;
    }
    summary_heading(r, "Linear models, accuracy %");
    summary_real(r, "linear.majority", "largest class", l.majority, "%.1f");
    summary_real(r, "linear.features", "features alone", l.features_only, "%.1f");
    summary_real(r, "linear.two_hops", "two-hop averages", l.two_hops, "%.1f");
    summary_note(r, "features averaged twice over neighbours");
    return BONSAI_OK;
}

static int generate(session *s, const arguments *a)
{
    summary r = {.count = 0};
    bonsai_graph *g = NULL;
    bonsai_stats stats;
    bonsai_stats_init(&stats);
    bonsai_status rc = crew.generate(&g, s, &a->generate, a->out);
    if (rc == BONSAI_OK)
        rc = crew.stats(&stats, NULL, g, &s->read);
    if (rc == BONSAI_OK)
        summary_shape(&r, &stats, a->out);
    if (rc == BONSAI_OK && !a->no_linear)
        rc = crew.agree(s->mute ? BONSAI_OK : summary_linear(&r, s, g, a->generate.seed));
    int code = rc == BONSAI_OK ? EXIT_DONE : fail(s, rc);
    bonsai_graph_free(g);
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
