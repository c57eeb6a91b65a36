/* cmd_split.c -- bonsai split: new training, validation and test nodes.
 *
 * SPDX-License-Identifier: MIT */
#include "cli.h"

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

int cmd_split(session *s, int argc, char **argv)
{
    const char *path = NULL, *out = NULL, *parts = "60/20/20";
    bonsai_generate_options defaults;       /* for the seed, so that all start alike */
    bonsai_generate_options_init(&defaults);
    uint64_t seed = defaults.seed;
    const opt rows[] = {
        {OPT_TEXT, 'o', "output", "OUT", &out, "file or folder to write (required)", NULL},
        {OPT_TEXT, 0, "parts", "A/B/C", &parts,
         "percent to train/validation/test,\nor random", NULL},
        {OPT_TEXT, 0, "split", "A/B/C", &parts, "the same as --parts", NULL},
        {OPT_U64, 's', "seed", "S", &seed, "the same seed draws the same split", NULL},
        {OPT_END, 0, NULL, NULL, NULL, NULL, NULL},
    };
    const opt_spec spec = {
        .usage = "split GRAPH -o OUT [options]",
        .about = "Writes GRAPH as OUT with training, validation and test nodes drawn anew at\n"
                 "random from the labelled nodes.  \"random\" stands for 60/20/20.",
        .examples = "  bonsai split graph.bonsai -o split.bonsai\n"
                    "  bonsai split graph.bonsai -o few.bonsai --parts 2.5/10/87.5 -s 7\n",
        .args = "GRAPH",
        .values = &path,
        .rows = rows,
        .shared = OPT_READS | OPT_JSON,
    };
    bonsai_graph *g = NULL, *fresh = NULL;
    double percent[3] = {0, 0, 0};
    int code = opt_parse(s, &spec, argc, argv);
    if (code == OPT_GO && !out)
        code = refuse(s, "-o OUT is missing");
    if (code == OPT_GO)
        code = parse_parts(s, percent, "--parts", parts);
    if (code != OPT_GO)
        return code;
    if (!path_can_be_written(s, out))
        return EXIT_FAILED;
    bonsai_status rc = bonsai_graph_read(&g, path, &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_split(&fresh, g, percent, seed);
    code = rc == BONSAI_OK ? save_and_report(s, fresh, out) : fail(s, rc);
    bonsai_graph_free(fresh);
    bonsai_graph_free(g);
    return code;
}
