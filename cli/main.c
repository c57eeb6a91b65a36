/* main.c -- the program bonsai: its commands, and their calls in one process.
 *
 * Exit 0 done, 1 failed, 2 wrong usage.  After a signal the library cleans up, then the program
 * ends by that signal; it ends by SIGPIPE if nobody reads its results.
 *
 * SPDX-License-Identifier: MIT */
#include <signal.h>

#include "files/files.h"
#include "files/graphs.h"

const command commands[] = {
    {"generate", cmd_generate, "write a graph that looks like a citation network", 0},
    {"info",     cmd_info,     "show what a graph holds", 1},
    {"check",    cmd_check,    "verify every byte and every rule of a graph", 0},
    {"convert",  cmd_convert,  "read a graph in one format, write it in another", 0},
    {"split",    cmd_split,    "draw new training, validation and test nodes", 0},
    {"condense", cmd_condense, "make a small graph that trains like the large one", 1},
    {"plan",     cmd_plan,     "predict what condensing a graph would take", 0},
    {"suggest",  cmd_suggest,  "find the smallest ratio that keeps a share of the score", 0},
    {"explain",  cmd_explain,  "show why a node is in a condensed graph", 0},
    {"train",    cmd_train,    "train models on a graph and judge them", 1},
    {"eval",     cmd_eval,     "train on a small graph, judge on the large one", 1},
    {"predict",  cmd_predict,  "classify nodes with a saved model", 0},
    {"compare",  cmd_compare,  "try methods, ratios and models, and print the table", 1},
    {"report",   cmd_report,   "show what a small graph kept, as an HTML page", 1},
    {"fetch",    cmd_fetch,    "download a public dataset", 1},
#ifdef BONSAI_WITH_LAB
    {"paper",    cmd_paper,    "reproduce the paper's tables next to the published figures", 0},
#endif
    {"demo",     cmd_demo,     "see it work, without data and within seconds", 1},
    {"version",  cmd_version,  "print the version and how it was built", 0},
    {"help",     cmd_help,     "explain a command, or the formats", 1},
    {NULL,       NULL,         NULL, 0},
};

/* ---- one process --------------------------------------------------------- */

static bonsai_status verify(const bonsai_graph *g, const bonsai_read_options *o)
{
    (void)o;
    return bonsai_graph_verify(g);
}

/* Generates a graph; a native file is written meanwhile, so the graph need not fit in memory. */
static bonsai_status generate(bonsai_graph **out, session *s, const bonsai_generate_options *o,
                              const char *path)
{
    if (!path_is_native(path))
        return bonsai_graph_generate(out, o);
    bonsai_status rc = bonsai_graph_generate_file(path_without_format(path), o);
    return rc == BONSAI_OK ? bonsai_graph_read(out, path, &s->read) : rc;
}

static bonsai_status agree(bonsai_status rc)
{
    return rc;
}

const process_calls calls = {
    .program = "bonsai",
    .read = bonsai_graph_read,
    .verify = verify,
    .check = bonsai_graph_check,
    .stats = bonsai_graph_stats,
    .condense = bonsai_condense_many,
    .generate = generate,
    .agree = agree,
    .suggest = suggest_graph,
};

int main(int argc, char **argv)
{
    session s;
    program_begin(&s);
    int code = run_with_stack(program_run, &s, argc, argv);
    if (code != EXIT_DONE && canceled_by()) {
        signal(canceled_by(), SIG_DFL);
        raise(canceled_by());               /* so that the shell sees the signal too */
    }
    return code;
}
