/* cmd_split.c -- bonsai split: new training, validation and test nodes.
 *
 * SPDX-License-Identifier: MIT */
#include "files/files.h"
#include "files/graphs.h"
#include "opt/opt.h"

static int save_and_report(session *s, const bonsai_graph *g, const char *out)
{
    summary r = {.count = 0};
    bonsai_stats stats;
    bonsai_stats_init(&stats);
    bonsai_status rc = bonsai_graph_stats(&stats, NULL, g, &s->read);
    if (rc == BONSAI_OK)
        rc = save(s, g, out, BONSAI_ENCODING_AUTO);
    if (rc != BONSAI_OK)
        return fail(s, rc);
    summary_text(&r, "written", "written", out);
    summary_int(&r, "nodes", "nodes", stats.nodes);
    summary_int(&r, "labelled", "labelled", stats.labelled);
    summary_int(&r, "train", "train", stats.part[BONSAI_PART_TRAIN]);
    summary_int(&r, "val", "validation", stats.part[BONSAI_PART_VAL]);
    summary_int(&r, "test", "test", stats.part[BONSAI_PART_TEST]);
    return summary_print(&r, s);
}

typedef struct {
    const char *path, *out, *indices;
    double      parts[3];
    uint64_t    seed;
} arguments;

int cmd_split(session *s, int argc, char **argv)
{
    arguments a = {.seed = 1};
    static const bonsai_field own[] = {
        {.name = "output", OWN(arguments, out, FILE), .letter = 'o', .arg = "OUT",
         .help = "file or folder to write (required)"},
        {.name = "parts", OWN(arguments, parts, SPLIT), .arg = "A/B/C",
         .help = "percent to train/validation/test, random or published"},
        {.name = "split", OWN(arguments, parts, SPLIT), .arg = "A/B/C",
         .help = "the same as --parts"},
        {.name = "indices", OWN(arguments, indices, FILE), .arg = "FILE",
         .help = "take the parts from FILE.npz: train_idx, val_idx and test_idx"},
        {.name = "seed", OWN(arguments, seed, U64), .letter = 's', .arg = "S",
         .help = "the same seed draws the same split"}, {0}};
    const opt_spec spec = {
        .usage = "split GRAPH -o OUT [options]",
        .about = "Writes GRAPH to OUT with new training, validation and test nodes, drawn at\n"
                 "random from the labelled nodes.  \"random\" means 60/20/20, \"published\" the shares\n"
                 "of the code published with the paper: 56/24/20.",
        .examples = "  bonsai split graph.bonsai -o split.bonsai\n"
                    "  bonsai split graph.bonsai -o few.bonsai --parts 2.5/10/87.5 -s 7\n"
                    "  bonsai split cora.bonsai -o as.bonsai --indices cora-0.005.npz\n",
        .args = "GRAPH",
        .values = &a.path,
        .groups = (const opt_group[]){{.base = &a, .own = own}, {0}},
        .shared = OPT_READS | OPT_JSON,
    };
    bonsai_graph *g = NULL, *fresh = NULL;
    bonsai_split_named(a.parts, "random");
    int code = opt_parse(s, &spec, argc, argv);
    if (code == OPT_GO && !a.out)
        code = refuse(s, "-o OUT is missing");
    if (code == OPT_GO && a.parts[0] < 0)
        code = refuse(s, "--parts is \"own\", which GRAPH has already");
    if (code != OPT_GO)
        return code;
    if (!path_can_be_written(s, a.out))
        return EXIT_FAILED;
    if (a.indices && (option_given(s, "parts") || option_given(s, "split") ||
                      option_given(s, "seed")))
        note(s, "--parts and --seed have no effect with --indices");
    bonsai_status rc = calls.read(&g, a.path, &s->read);
    if (rc == BONSAI_OK)
        rc = a.indices ? bonsai_graph_split_file(&fresh, g, a.indices)
                       : bonsai_graph_split(&fresh, g, a.parts, a.seed);
    code = rc == BONSAI_OK ? save_and_report(s, fresh, a.out) : fail(s, rc);
    bonsai_graph_free(fresh);
    bonsai_graph_free(g);
    return code;
}
