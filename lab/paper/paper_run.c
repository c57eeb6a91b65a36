/* paper_run.c -- measures the cells, dataset by dataset, and keeps them in cells.jsonl.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "paper.h"

/* ---- progress over all datasets ------------------------------------------ */

/* Returns a rough cost of a dataset's cells: an error of a factor of two only distorts the time
 * left. */
static double effort_of(const paper *p, int set)
{
    const bonsai_known *k = p->sets[set].is;
    double open = 0;
    for (int64_t i = 0; i < p->count; i++)
        open += paper_set_of(&p->cells[i]) == set && !p->cells[i].done;
    return open * ((double)k->nodes * fmin((double)k->features, 50) + (double)k->edges);
}

static int on_tick(const bonsai_progress *at, void *payload)
{
    const paper *p = payload;
    double share = strcmp(at->stage, "comparing") == 0 ? (double)at->done / (double)at->total : 0;
    double done = p->all > 0 ? (p->done + share * p->now) / p->all : 0;
    bonsai_progress all = *at;
    all.stage = "paper";
    all.total = 1000000;
    all.done = (uint64_t)fmin(1e6 * done, 999999);      /* the last tick comes only once */
    return progress_tick(&all, &p->s->progress);
}

/* ---- cells.jsonl --------------------------------------------------------- */

static bn_json *heading(const paper *p)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)p->train.seed);
    return bn_json_pack("{s:s,s:{s:b,s:s,s:i,s:i,s:i,s:f,s:f,s:i,s:b,s:s}}", "bonsai_paper",
                        bonsai_version(), "options", "quick", p->quick, "protocol",
                        paper_protocol_name(p), "seeds", p->train.seeds, "epochs", p->train.epochs,
                        "every", p->train.every, "effort", p->effort, "time-limit", p->time_limit,
                        "threads", p->s->read.threads, "side-by-side", p->repeat.side_by_side,
                        "seed", seed);
}

static int open_cells(paper *p)
{
    int n = snprintf(p->cells_path, sizeof p->cells_path, "%s/cells.jsonl", p->out);
    if (n >= (int)sizeof p->cells_path)
        return fail_with(p->s, "%s: the name is too long", p->out);
    if (mkdir(p->out, 0777) != 0 && errno != EEXIST)
        return fail_with(p->s, "%s: cannot be created: %s", p->out, strerror(errno));
    p->file = (cellfile){.s = p->s, .command = "paper", .place = "folder", .path = p->cells_path,
                         .heading = heading(p), .cells = p->cells, .count = p->count,
                         .runs = p->train.seeds, .settings = p->setting_names};
    int code = cellfile_open(&p->file);
    for (int64_t i = 0; i < p->count; i++)
        p->taken += p->cells[i].done;
    return code;
}

/* ---- datasets ------------------------------------------------------------ */

/* Fails if the index lists have other shares than the published ones. */
static int check_lists(const paper *p, int set, const bonsai_graph *g)
{
    const dataset *d = &p->sets[set];
    bonsai_stats stats;
    bonsai_stats_init(&stats);
    if (p->protocol != PROTOCOL_PUBLISHED || !*d->lists)
        return EXIT_DONE;
    const bonsai_status rc = bonsai_graph_stats(&stats, NULL, g, &p->s->read);
    if (rc != BONSAI_OK)
        return fail(p->s, rc);
    for (int i = 0; i < 3; i++)
        if (fabs(100.0 * (double)stats.part[BONSAI_PART_TRAIN + i] / (double)d->is->nodes -
                 d->parts[PROTOCOL_PUBLISHED][i]) > 1)
            return fail_with(p->s, "%s: its lists have %lld, %lld and %lld of %lld nodes, which is "
                             "not %g/%g/%g; rename it if it is not the published split of %s",
                             d->lists, (long long)stats.part[BONSAI_PART_TRAIN],
                             (long long)stats.part[BONSAI_PART_VAL],
                             (long long)stats.part[BONSAI_PART_TEST], (long long)d->is->nodes,
                             d->parts[PROTOCOL_PUBLISHED][0], d->parts[PROTOCOL_PUBLISHED][1],
                             d->parts[PROTOCOL_PUBLISHED][2], d->is->title);
    return EXIT_DONE;
}

static bonsai_status measure(paper *p, int set, const bonsai_graph *g, bonsai_cell *cells,
                             int64_t count)
{
    bonsai_compare_options o = p->repeat;
    const bonsai_train_options train = paper_training(p, set);
    o.progress = on_tick;
    o.payload = p;
    o.settings = p->settings;
    o.setting_count = (int64_t)p->set_count * MOST_VARIANTS;
    o.train = &train;
    o.cell = cellfile_keep;
    o.cell_payload = &p->file;
    o.own_split = p->protocol == PROTOCOL_PUBLISHED && *p->sets[set].lists;
    bonsai_status rc = p->now > 0 ? bonsai_study_run(cells, count, g, &o) : BONSAI_OK;
    return rc == BONSAI_OK && paper_needs_look(p) ? paper_look(p, set, g) : rc;
}

/* Counts the datasets found among the first `end`. */
static int count_there(const paper *p, int end)
{
    int count = 0;
    for (int set = 0; set < end; set++)
        count += paper_is_there(p, set);
    return count;
}

/* Measures a dataset's cells, which stand together; if none is missing, the graph may still be
 * looked at. */
static int run_set(paper *p, int set)
{
    int64_t first = 0, end;
    while (first < p->count && paper_set_of(&p->cells[first]) != set)
        first++;
    for (end = first; end < p->count && paper_set_of(&p->cells[end]) == set;)
        end++;
    p->now = effort_of(p, set);
    if (p->now == 0 && !paper_needs_look(p))
        return EXIT_DONE;
    if (!p->s->progress.terminal)
        note(p->s, "%s: dataset %d of %d", p->sets[set].is->name, count_there(p, set + 1),
             count_there(p, p->set_count));
    bonsai_graph *g = NULL;
    bonsai_status rc = paper_load(&g, p, set);
    const int code = rc == BONSAI_OK ? check_lists(p, set, g) : EXIT_DONE;
    if (rc == BONSAI_OK && code == EXIT_DONE)
        rc = measure(p, set, g, p->cells + first, end - first);
    bonsai_graph_free(g);
    p->done += p->now;
    return rc != BONSAI_OK ? cellfile_stopped(&p->file, rc) : code;
}

int paper_run(paper *p)
{
    int code = open_cells(p);
    for (int set = 0; set < p->set_count; set++)
        p->all += effort_of(p, set);
    p->s->read.progress = on_tick;
    p->s->read.payload = p;
    for (int set = 0; set < p->set_count && code == EXIT_DONE; set++)
        if (paper_is_there(p, set))
            code = run_set(p, set);
    return code;
}
