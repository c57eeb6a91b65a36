/* main.c -- the program bonsai: its commands, and their workers in one process.
 *
 * Exit 0 done, 1 failed, 2 wrong usage.  After a signal the library cleans up, then the program
 * ends by that signal; so it does by SIGPIPE if nobody reads its results.
 *
 * SPDX-License-Identifier: MIT */
#include <signal.h>

#include "files/files.h"
#include "files/graphs.h"

const command commands[] = {
    {"generate", cmd_generate, "write a graph that looks like a citation network"},
    {"info",     cmd_info,     "show what a graph holds"},
    {"check",    cmd_check,    "verify every byte and every rule of a graph"},
    {"convert",  cmd_convert,  "read a graph in one format, write it in another"},
    {"split",    cmd_split,    "draw new training, validation and test nodes"},
    {"condense", cmd_condense, "make a small graph that trains like the large one"},
    {"plan",     cmd_plan,     "predict what condensing a graph would take"},
    {"suggest",  cmd_suggest,  "find the smallest ratio that keeps a share of the score"},
    {"explain",  cmd_explain,  "show why a node is in a condensed graph"},
    {"train",    cmd_train,    "train models on a graph and judge them"},
    {"eval",     cmd_eval,     "train on a small graph, judge on the large one"},
    {"predict",  cmd_predict,  "classify nodes with a saved model"},
    {"compare",  cmd_compare,  "try methods, ratios and models, and print the table"},
    {"report",   cmd_report,   "show what a small graph kept, as an HTML page"},
    {"fetch",    cmd_fetch,    "download a public dataset"},
#ifdef BONSAI_WITH_LAB
    {"paper",    cmd_paper,    "reproduce the paper's tables next to the published figures"},
#endif
    {"demo",     cmd_demo,     "see it work, without data and within seconds"},
    {"version",  cmd_version,  "print the version and how it was built"},
    {"help",     cmd_help,     "explain a command, or the formats"},
    {NULL,       NULL,         NULL},
};

/* ---- one process --------------------------------------------------------- */

static bonsai_status verify(const bonsai_graph *g, const bonsai_read_options *o)
{
    (void)o;
    return bonsai_graph_verify(g);
}

/* A native file is written while the graph is generated, so the graph need not fit in memory. */
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

const workers crew = {
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
    int code = program_run(&s, argc, argv);
    if (code != EXIT_DONE && canceled_by()) {
        signal(canceled_by(), SIG_DFL);
        raise(canceled_by());               /* so that the shell sees the signal too */
    }
    return code;
}
