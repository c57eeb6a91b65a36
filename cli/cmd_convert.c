/* cmd_convert.c -- bonsai convert: one format in, another out.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli.h"

static void note_left_out(session *s, const char *path, uint64_t left_out)
{
    char list[512] = "";
    size_t at = 0;
    for (int i = 1; i < BONSAI_SECTIONS; i++)
        if (left_out >> i & 1 && at < sizeof list)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "",
                                   bonsai_section_text((bonsai_section)i));
    if (at)
        note(s, "%s cannot hold these sections, which were left out: %s", path, list);
}

static int report_sizes(session *s, const bonsai_graph *g, const char *in, const char *out)
{
    report r = {.count = 0};
    int64_t in_bytes = path_bytes(in), out_bytes = path_bytes(out);
    report_text(&r, "in.path", "read", in);
    report_text(&r, "in.format", "format", bonsai_graph_read_info(g)->format);
    report_int(&r, "in.bytes", "bytes", in_bytes);
    report_text(&r, "out.path", "written", out);
    report_int(&r, "out.bytes", "bytes", out_bytes);
    if (in_bytes > 0 && out_bytes >= 0) {
        double share = (double)out_bytes / (double)in_bytes;
        report_real(&r, "ratio", "out / in", share, "%.3f");
    }
    return report_print(&r, s);
}

int cmd_convert(session *s, int argc, char **argv)
{
    const char *path[2] = {NULL, NULL};
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    int features = o.features;
    const opt rows[] = {
        {OPT_CHOICE, 0, "features-as", "auto|keep|f32|f16|u8|sparse|sparse-u8", &features,
         "features in a .bonsai file: auto is the smallest\n"
         "that loses nothing, keep stays dense or sparse,\n"
         "f16 and u8 may round", NULL},
        {OPT_END, 0, NULL, NULL, NULL, NULL, NULL},
    };
    const opt_spec spec = {
        .usage = "convert IN OUT [options]",
        .about = "Reads the graph IN in any format and writes OUT: a .bonsai or .npz file, or a\n"
                 "folder of text ending in /.  Says which sections OUT cannot hold.",
        .examples = "  bonsai convert ind.cora cora.bonsai\n"
                    "  bonsai convert cora.bonsai cora/\n"
                    "  bonsai convert edges.csv --labels classes.csv graph.npz\n",
        .args = "IN OUT",
        .values = path,
        .rows = rows,
        .shared = OPT_READS | OPT_JSON,
    };
    bonsai_graph *g = NULL;
    uint64_t left_out = 0;
    int code = opt_parse(s, &spec, argc, argv);
    if (code != OPT_GO)
        return code;
    if (!path_can_be_written(s, path[1]))
        return EXIT_FAILED;
    if (features != (int)o.features && !path_is_native(path[1]))
        note(s, "--features-as acts on .bonsai files only");
    o.features = (bonsai_encoding)features;
    o.threads = s->read.threads;
    o.progress = progress_tick;
    o.payload = &s->progress;
    bonsai_status rc = bonsai_graph_read(&g, path[0], &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_save(g, path[1], &o, &left_out);
    if (rc == BONSAI_OK) {
        note_left_out(s, path[1], left_out);
        code = report_sizes(s, g, path[0], path[1]);
    } else {
        code = fail(s, rc);
    }
    bonsai_graph_free(g);
    return code;
}
