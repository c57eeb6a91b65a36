/* cmd_plan.c -- bonsai plan: predicts what condensing a graph would take.
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "opt/opt.h"
#include "output/summary.h"
#include "output/text.h"

enum { MOST_ROWS = 32 };

typedef struct {
    bonsai_shape shape;
    bonsai_plan_options o;
    bonsai_condense_options c;
    const char *path, *ranks;
    int    look, count;
    int    rank[MOST_ROWS];
} arguments;

static arguments asked;

/* ---- what is asked ------------------------------------------------------- */

static int parse_ranks(session *s, arguments *a)
{
    char text[32];
    const char *rest = a->ranks;
    while (text_piece(text, sizeof text, &rest)) {
        int64_t value;
        if (!parse_whole(text, &value) || value < 1 || value > INT_MAX)
            return refuse(s, "--ranks holds \"%s\", which is not a whole number above 0", text);
        if (a->count == MOST_ROWS)
            return refuse(s, "--ranks holds more than %d numbers", MOST_ROWS);
        a->rank[a->count++] = (int)value;
    }
    return OPT_GO;
}

static const bonsai_field own_rows[] = {
    {.name = "ranks", OWN(arguments, ranks, TEXT), .arg = "N,N,...",
     .help = "processes, each with its share of the rows; a line for each number"},
    {.name = "look", OWN(arguments, look, FLAG),
     .help = "count the rows to exchange in GRAPH's edges instead of estimating them for nodes in "
             "random order"},
    {0},
};

static int settle(session *s, arguments *a)
{
    bonsai_shape *h = &a->shape;
    bonsai_shape none;
    char name[48];
    int i = 0;
    bonsai_shape_init(&none);
    const bonsai_field *given = next_changed(BONSAI_OPTIONS_SHAPE, h, &none, &i);
    if (a->path && given) {
        option_name(name, sizeof name, given);
        return refuse(s, "GRAPH and --%s are both given: GRAPH has its own size", name);
    }
    if (!a->path && (h->nodes <= 0 || h->edges <= 0 || h->features <= 0))
        return refuse(s, "GRAPH is missing, or --nodes, --edges and --features of one that is not "
                      "here");
    if (a->look && !a->path)
        return refuse(s, "--look needs GRAPH: it counts in its edges");
    if (h->train <= 0)
        h->train = h->nodes * 3 / 5 > 0 ? h->nodes * 3 / 5 : 1;
    if (h->classes <= 0)
        h->classes = 10;
    if (h->value_bytes == 3)
        return refuse(s, "--value-bytes is 3, which is none of 4, 2 and 1");
    h->val = h->train / 3;
    a->o.condense = &a->c;
    a->o.threads = s->read.threads;
    return parse_ranks(s, a);
}

static int parse(session *s, arguments *a, int argc, char **argv)
{
    const opt_spec spec = {
        .usage = "plan [GRAPH] [--ranks N,N] [--memory M] [options]",
        .about =
            "Predicts what \"bonsai condense\" and \"bonsai-mpi condense\" would take: seconds\n"
            "by stage, memory of each process, what spills to scratch files, and bytes on the\n"
            "wire.  It reads only the header, the labels and the split of a .bonsai file; for a\n"
            "graph that is not here, --nodes, --edges and --features give its size.\n\n"
            "In the table, least is the memory below which a rank refuses to work, memory what\n"
            "it holds, scratch what it puts into files, columns how many of the embedding are\n"
            "made at a time (none where rows stay sparse), and halo rows how many nodes of\n"
            "others the fullest rank needs.\n"
            "Pages of the mapped GRAPH come on top; the system takes them back where it needs\n"
            "them.  Sizes are of one rank; what is sent is of all ranks.  -t sets the threads\n"
            "of each rank; the default is this machine's.  Without a budget the ratio is 0.001.",
        .examples = "  bonsai plan big.bonsai --ranks 1,8,64 --memory 64G -t 16\n"
                    "  bonsai plan big.bonsai --ranks 8 --look\n"
                    "  bonsai plan --nodes 111059956 --edges 3231371744 --features 128 "
                    "--train 1207179\n",
        .args = "[GRAPH]",
        .values = &a->path,
        .groups = (const opt_group[]){
            {.base = a, .own = own_rows},
            {.base = &a->o, .kind = BONSAI_OPTIONS_PLAN},
            {.base = &a->c, .kind = BONSAI_OPTIONS_CONDENSE,
             .only = "ratio bytes trees method layers k effort"},
            {.base = &a->shape, .kind = BONSAI_OPTIONS_SHAPE, .but = "val weighted bytes"}, {0}},
        .shared = OPT_THREADS | OPT_JSON,
    };
    int code = opt_parse(s, &spec, argc, argv);
    return code == OPT_GO ? settle(s, a) : code;
}

/* ---- the table ----------------------------------------------------------- */

static bn_json *row_of(const bonsai_plan *p)
{
    return bn_json_pack("[i,I,I,I,i,I,I,I,I,f,f,f,f,f,f,f,f,f,f,b]", p->ranks, (int64_t)p->least,
                        (int64_t)p->most, (int64_t)p->held, p->columns, (int64_t)p->scratch,
                        (int64_t)p->halo, (int64_t)p->wire_rows, (int64_t)p->wire,
                        p->seconds_read, p->seconds_wl, p->seconds_knn, p->seconds_cover,
                        p->seconds_cluster, p->seconds_learn, p->seconds_probe,
                        p->seconds_exchange,
                        p->seconds_scratch, p->seconds_total, p->fits);
}

/* Returns a row of memory and messages, one of two tables that people read. */
static bn_json *space_row(const bonsai_plan *p)
{
    return bn_json_pack("[i,I,I,o,I,I,I,I]", p->ranks, (int64_t)p->least, (int64_t)p->held,
                        p->columns ? bn_json_whole(p->columns) : bn_json_null(),
                        (int64_t)p->scratch, (int64_t)p->halo, (int64_t)p->wire_rows,
                        (int64_t)p->wire);
}

static bn_json *time_row(const bonsai_plan *p)
{
    return bn_json_pack("[i,f,f,f,f,f,f,f,f]", p->ranks, p->seconds_read, p->seconds_wl,
                        p->seconds_knn,
                        p->seconds_cover + p->seconds_cluster + p->seconds_learn,
                        p->seconds_probe, p->seconds_exchange, p->seconds_scratch,
                        p->seconds_total);
}

static void add_table(summary *r, const char *key, const column *columns, const arguments *a,
                      const bonsai_plan *p, bn_json *(*row)(const bonsai_plan *p))
{
    bn_json *rows = bn_json_array();
    for (int i = 0; i < a->count; i++)
        bn_json_add(rows, row(&p[i]));
    summary_table(r, key, columns, rows);
}

/* Returns a format with as many digits as the shortest plan needs. */
static const char *digits_of(const arguments *a, const bonsai_plan *p)
{
    double least = p->seconds_total;
    for (int i = 1; i < a->count; i++)
        least = p[i].seconds_total < least ? p[i].seconds_total : least;
    return least < 10 ? "%.3f" : least < 1000 ? "%.1f" : "%.0f";
}

static void add_tables(summary *r, const arguments *a, const bonsai_plan *p)
{
    static const column space[] = {
        {"ranks", "ranks", NULL}, {"least", "least", "bytes"}, {"held", "memory", "bytes"},
        {"columns", "columns", NULL}, {"scratch", "scratch", "bytes"}, {"halo", "halo rows", NULL},
        {"wire_rows", "rows sent", "bytes"}, {"wire", "all sent", "bytes"}, {NULL, NULL, NULL}};
    static column time[] = {
        {"ranks", "ranks", NULL}, {"read", "reading", NULL}, {"wl", "embedding", NULL},
        {"knn", "k-NN", NULL}, {"choose", "choosing", NULL}, {"probe", "probe", NULL},
        {"exchange", "sending", NULL},
        {"spill", "scratch", NULL}, {"total", "total", NULL}, {NULL, NULL, NULL}};
    for (int i = 1; time[i].key; i++)
        time[i].format = digits_of(a, p);
    summary_heading(r, "Memory and messages");
    add_table(r, "space", space, a, p, space_row);
    summary_heading(r, "Seconds");
    add_table(r, "time", time, a, p, time_row);
}

/* Notes plans that the memory is too small for. */
static void note_memory(session *s, const arguments *a, const bonsai_plan *p)
{
    const double mebibyte = 1 << 20;
    for (int i = 0; i < a->count && a->o.memory > 0; i++)
        if (!p[i].fits)
            note(s, "with --ranks %d a rank needs at least %.0f MiB and refuses to work with %.4g MiB",
                 p[i].ranks, ceil((double)p[i].least / mebibyte), (double)a->o.memory / mebibyte);
}

static int print(session *s, const arguments *a, const bonsai_plan *p)
{
    static const column whole[] = {
        {"ranks", "ranks", NULL}, {"least", "least", NULL}, {"most", "most", NULL},
        {"held", "held", NULL}, {"columns", "columns", NULL}, {"scratch", "scratch", NULL},
        {"halo", "halo", NULL}, {"wire_rows", "rows", NULL}, {"wire", "wire", NULL},
        {"seconds_read", "read", "%.3f"}, {"seconds_wl", "wl", "%.3f"},
        {"seconds_knn", "knn", "%.3f"}, {"seconds_cover", "cover", "%.3f"},
        {"seconds_cluster", "cluster", "%.3f"}, {"seconds_learn", "learn", "%.3f"},
        {"seconds_probe", "probe", "%.3f"}, {"seconds_exchange", "exchange", "%.3f"},
        {"seconds_scratch", "scratch", "%.3f"}, {"seconds_total", "total", "%.3f"},
        {"fits", "fits", NULL}, {NULL, NULL, NULL}};
    summary r = {.count = 0};
    summary_heading(&r, "Plan");
    summary_int(&r, "nodes", "nodes", a->shape.nodes);
    summary_int(&r, "edges", "edges", a->shape.edges);
    summary_note(&r, "entries: an undirected edge is two");
    summary_int(&r, "features", "features", a->shape.features);
    summary_int(&r, "train", "training nodes", a->shape.train);
    summary_int(&r, "file_bytes", "bytes to read", p->file);
    summary_int(&r, "threads", "threads of a rank", p->threads);
    summary_text(&r, "halo_rows_are", "halo rows",
                 a->look ? "counted in the edges" : "estimated for nodes in random order");
    if (style_of(s) == STYLE_TEXT)
        add_tables(&r, a, p);
    else
        add_table(&r, "plan", whole, a, p, row_of);
    return summary_print(&r, s);
}

int cmd_plan(session *s, int argc, char **argv)
{
    arguments *a = &asked;
    bonsai_graph *g = NULL;
    bonsai_plan plan[MOST_ROWS];
    bonsai_status rc = BONSAI_OK;
    memset(a, 0, sizeof *a);
    bonsai_shape_init(&a->shape);
    bonsai_plan_options_init(&a->o);
    bonsai_condense_options_init(&a->c);
    a->ranks = "1";
    int code = parse(s, a, argc, argv);
    if (code != OPT_GO)
        return code;
    if (a->path)
        rc = bonsai_graph_read(&g, a->path, &s->read);
    if (rc == BONSAI_OK && g)
        rc = bonsai_graph_shape(&a->shape, g);
    a->o.look = a->look ? g : NULL;
    for (int i = 0; i < a->count && rc == BONSAI_OK; i++) {
        a->o.ranks = a->rank[i];
        bonsai_plan_init(&plan[i]);
        rc = bonsai_plan_make(&plan[i], &a->shape, &a->o);
    }
    if (rc == BONSAI_OK)
        note_memory(s, a, plan);
    code = rc == BONSAI_OK ? print(s, a, plan) : fail(s, rc);
    bonsai_graph_free(g);
    return code;
}
