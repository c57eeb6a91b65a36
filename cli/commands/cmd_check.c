/* cmd_check.c -- bonsai check: every checksum, every range, and symmetry.
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>

#include "opt/opt.h"
#include "output/summary.h"
#include "output/text.h"

static void add_place(summary *r, const bonsai_error_info *e)
{
    if (*e->path)
        summary_text(r, "path", NULL, e->path);
    if (e->line > 0) {
        summary_int(r, "line", NULL, e->line);
        summary_int(r, "column", NULL, e->column);
    }
    if (e->entry >= 0) {
        summary_text(r, "section", NULL, bonsai_section_text((bonsai_section)e->section));
        summary_int(r, "entry", NULL, e->entry);
    }
}

static int summary_bad(session *s, const char *path, bonsai_status rc)
{
    summary r = {.count = 0};
    if (!s->json || rc == BONSAI_E_CANCELED || rc == BONSAI_E_MEMORY)
        return fail(s, rc);
    summary_text(&r, "graph", NULL, path);
    summary_json(&r, "valid", bn_json_flag(false));
    summary_text(&r, "error", NULL, bonsai_error());
    add_place(&r, bonsai_error_details());
    summary_print(&r, s);
    return EXIT_FAILED;
}

static int summary_good(session *s, const char *path, const bonsai_graph *g)
{
    summary r = {.count = 0};
    char n[32], m[32], f[32], c[32], line[MOST_PATH + 256];
    progress_clear(&s->progress);
    if (!s->json) {
        text_grouped(n, sizeof n, bonsai_graph_nodes(g));
        text_grouped(m, sizeof m, bonsai_graph_edges(g));
        text_grouped(f, sizeof f, bonsai_graph_features(g));
        text_grouped(c, sizeof c, bonsai_graph_classes(g));
        snprintf(line, sizeof line, "%s: valid: %s nodes, %s edges, %s features, %s classes", path,
                 n, m, f, c);
        put_wrapped(line, 0, 0, style_of(s) == STYLE_TEXT ? line_columns() : INT_MAX);
        putchar('\n');
        return EXIT_DONE;
    }
    summary_text(&r, "graph", NULL, path);
    summary_json(&r, "valid", bn_json_flag(true));
    summary_int(&r, "nodes", NULL, bonsai_graph_nodes(g));
    summary_int(&r, "edges", NULL, bonsai_graph_edges(g));
    summary_int(&r, "features", NULL, bonsai_graph_features(g));
    summary_int(&r, "classes", NULL, bonsai_graph_classes(g));
    return summary_print(&r, s);
}

int cmd_check(session *s, int argc, char **argv)
{
    const char *path = NULL;
    const opt_spec spec = {
        .usage = "check GRAPH [options]",
        .about = "Verifies everything about a graph: checksums, ranges, order, and that an\n"
                 "undirected graph is symmetric.  Exit 0: valid; 1: not, and the reason.",
        .examples = "  bonsai check graph.bonsai\n"
                    "  bonsai check npz:graph.zip && echo good\n",
        .args = "GRAPH",
        .values = &path,
        .shared = OPT_READS | OPT_JSON,
    };
    bonsai_graph *g = NULL;
    int code = opt_parse(s, &spec, argc, argv);
    if (code != OPT_GO)
        return code;
    bonsai_status rc = calls.read(&g, path, &s->read);
    if (rc == BONSAI_OK)
        rc = calls.check(g, &s->read);
    code = rc == BONSAI_OK ? summary_good(s, path, g) : summary_bad(s, path, rc);
    bonsai_graph_free(g);
    return code;
}
