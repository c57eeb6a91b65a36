/* paper_run.c -- measures the cells, dataset by dataset, and keeps them in cells.jsonl.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "paper.h"

/* ---- progress over all datasets ------------------------------------------ */

/* A rough cost of its cells: an error of a factor of two only distorts the time left. */
static double effort_of(const paper *p, int set)
{
    const dataset *d = &p->sets[set];
    double open = 0;
    for (int64_t i = 0; i < p->count; i++)
        open += paper_set_of(&p->cells[i]) == set && !p->cells[i].done;
    return open * ((double)d->nodes * fmin((double)d->features, 50) + (double)d->edges);
}

static int on_tick(const bonsai_progress *at, void *payload)
{
    const paper *p = payload;
    double share = strcmp(at->stage, "comparing") == 0 ? (double)at->done / (double)at->total : 0;
    double done = (p->effort_done + share * p->effort_now) / p->effort;
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
    return bn_json_pack("{s:s,s:{s:b,s:i,s:i,s:s}}", "bonsai_paper", bonsai_version(), "options",
                        "quick", p->quick, "seeds", p->train.seeds, "epochs", p->train.epochs,
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
    return cellfile_open(&p->file);
}

/* ---- datasets ------------------------------------------------------------ */

static bonsai_status measure(paper *p, bonsai_cell *cells, int64_t count, const char *path)
{
    bonsai_graph *g = NULL;
    bonsai_compare_options o = p->repeat;
    bonsai_read_options read = p->s->read;
    bonsai_train_options train = p->train;
    train.threads = p->s->read.threads;
    read.progress = o.progress = on_tick;
    read.payload = o.payload = p;
    o.settings = p->settings;
    o.setting_count = (int64_t)p->set_count * VARIANTS;
    o.train = &train;
    o.cell = cellfile_keep;
    o.cell_payload = &p->file;
    bonsai_status rc = bonsai_graph_read(&g, path, &read);
    if (rc == BONSAI_OK)
        rc = bonsai_study_run(cells, count, g, &o);
    bonsai_graph_free(g);
    return rc;
}

int paper_run(paper *p)
{
    int code = open_cells(p);
    for (int set = 0; set < p->set_count; set++)
        p->effort += effort_of(p, set);
    for (int64_t first = 0, end; first < p->count && code == EXIT_DONE; first = end) {
        int set = paper_set_of(&p->cells[first]);
        for (end = first; end < p->count && paper_set_of(&p->cells[end]) == set;)
            end++;
        p->effort_now = effort_of(p, set);
        if (p->effort_now == 0)
            continue;                           /* nothing is missing */
        bonsai_status rc = measure(p, p->cells + first, end - first, p->sets[set].path);
        if (rc != BONSAI_OK)
            code = cellfile_stopped(&p->file, rc);
        p->effort_done += p->effort_now;
    }
    return code;
}
