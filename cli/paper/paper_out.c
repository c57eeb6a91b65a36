/* paper_out.c -- results.json, results.csv and the page, all of the same tables.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "paper.h"

/* ---- results.json -------------------------------------------------------- */

static void cpu_name(char *out, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(out, size, "not known");
    while (f && fgets(line, sizeof line, f)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value) {
            snprintf(out, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    if (f)
        fclose(f);
}

static bn_json *machine(const paper *p)
{
    char cpu[128];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_name(cpu, sizeof cpu);
    return bn_json_pack("{s:o,s:I,s:I,s:s}", "cpu", bn_json_text(cpu), "cores", (int64_t)cores,
                        "threads", (int64_t)(p->s->read.threads ? p->s->read.threads : cores),
                        "isa", bonsai_isa());
}

static bn_json *options(const paper *p)
{
    const bonsai_train_options *t = &p->train;
    return bn_json_pack("{s:b,s:i,s:i,s:i,s:i,s:i,s:I,s:i,s:f,s:f,s:I,s:s}", "quick", p->quick,
                        "splits", p->repeat.splits, "draws", p->repeat.draws, "seeds",
                        t->seeds, "epochs", t->epochs, "layers", t->layers, "hidden",
                        (int64_t)t->hidden, "every", t->every, "rate", t->rate, "decay", t->decay,
                        "seed", (int64_t)t->seed, "split", "60/20/20");
}

static bn_json *sets(const paper *p, int found)
{
    bn_json *all = bn_json_array();
    for (int i = 0; i < p->set_count; i++) {
        const dataset *d = &p->sets[i];
        if ((*d->path != 0) != found)
            continue;
        bn_json *one = bn_json_pack("{s:s,s:s,s:I,s:I,s:I,s:I}", "name", d->name, "title", d->title,
                                    "nodes", (int64_t)d->nodes, "edges", (int64_t)d->edges,
                                    "features", (int64_t)d->features, "classes",
                                    (int64_t)d->classes);
        if (found)
            bn_json_set(one, "path", bn_json_text(d->path));
        else if (strcmp(d->how, "fetch") == 0)
            bn_json_set(one, "how", bn_json_textf("bonsai fetch %s --to DIR", d->name));
        else
            bn_json_set(one, "how", bn_json_text(d->how));
        bn_json_add(all, one);
    }
    return all;
}

/* Cells that could not be made, and why. */
static bn_json *refused(const paper *p)
{
    bn_json *all = bn_json_array();
    for (int64_t i = 0; i < p->count; i++) {
        const bonsai_cell *c = &p->cells[i];
        if (c->runs == 0)
            bn_json_add(
                all, bn_json_pack("{s:s,s:s,s:f,s:s,s:s,s:o}", "dataset",
                                  p->sets[paper_set_of(c)].name, "method", c->method < 0 ? "full"
                                            : bonsai_method_name((bonsai_method)c->method),
                                  "ratio", 100 * c->ratio, "accounting", paper_bytes_of(c),
                                  "model", bonsai_model_name(c->model), "why",
                                  bn_json_text(c->why)));
    }
    return all;
}

/* ---- results.csv: one line a value --------------------------------------- */

static const char *const keys[] = {"dataset", "model", "ratio", "accounting", "sample", "k",
                                   "share"};
enum { KEYS = sizeof keys / sizeof *keys };

static void put_real(csv *out, const bn_json *value)
{
    fputc(',', out->file);
    if (bn_json_is_number(value))
        fprintf(out->file, "%.10g", bn_json_as_number(value));
}

static void put_keys(csv *out, const bn_json *head, const bn_json *row)
{
    for (int k = 0; k < KEYS; k++) {
        size_t i;
        bn_json *top;
        fputc(',', out->file);
        for (i = 0; (top = bn_json_at(head, i)); i++) {
            const bn_json *cell = bn_json_at(row, i);
            if (strcmp(bn_json_as_text(bn_json_get(top, "source")), "key") != 0 ||
                strcmp(bn_json_as_text(bn_json_get(top, "key")), keys[k]) != 0)
                continue;
            if (bn_json_is_text(cell))
                csv_text(out, bn_json_as_text(cell));
            else
                fprintf(out->file, "%g", bn_json_as_number(cell));
        }
    }
}

static void put_row(csv *out, const bn_json *table, const bn_json *row)
{
    const bn_json *head = bn_json_get(table, "head");
    size_t i;
    bn_json *cell;
    for (i = 0; (cell = bn_json_at(row, i)); i++) {
        const bn_json *top = bn_json_at(head, i);
        const char *text = bn_json_as_text(bn_json_get(cell, "text"));
        const bn_json *better = bn_json_get(cell, "better");
        if (!bn_json_is_object(cell))
            continue;                           /* a key, or nothing */
        csv_text(out, bn_json_as_text(bn_json_get(table, "name")));
        put_keys(out, head, row);
        fputc(',', out->file);
        csv_text(out, bn_json_as_text(bn_json_get(top, "key")));
        fprintf(out->file, ",%s", bn_json_as_text(bn_json_get(top, "source")));
        put_real(out, bn_json_get(cell, "value"));
        put_real(out, bn_json_get(cell, "spread"));
        fprintf(out->file, ",%s,", !better ? "" : bn_json_is_true(better) ? "yes" : "no");
        csv_text(out, text && !bn_json_get(cell, "value") ? text : "");
        fputc('\n', out->file);
    }
}

static int write_csv(paper *p, const char *path)
{
    csv out;
    size_t i, j;
    bn_json *table, *row;
    int code = csv_begin(p->s, &out, path);
    if (code != EXIT_DONE)
        return code;
    fputs("table", out.file);
    for (int k = 0; k < KEYS; k++)
        fprintf(out.file, ",%s", keys[k]);
    fputs(",column,source,value,spread,better,text\n", out.file);
    for (i = 0; (table = bn_json_at(bn_json_get(p->results, "tables"), i)); i++)
        for (j = 0; (row = bn_json_at(bn_json_get(table, "rows"), j)); j++)
            put_row(&out, table, row);
    return csv_end(p->s, &out);
}

static int write_text(paper *p, const char *path, const char *text)
{
    csv out;
    int code = csv_begin(p->s, &out, path);
    if (code != EXIT_DONE)
        return code;
    fputs(text, out.file);
    fputc('\n', out.file);
    return csv_end(p->s, &out);
}

/* ---- the page ------------------------------------------------------------ */

static bn_json *how_measured(const paper *p)
{
    char runs[120];
    const bn_json *m = bn_json_get(p->results, "machine");
    if (paper_repeats(p) > 1)
        snprintf(runs, sizeof runs, "Mean \u00b1 standard error; %d splits, %d draws, runs of each: "
                 "%d;", p->repeat.splits, p->repeat.draws, p->train.seeds);
    else
        snprintf(runs, sizeof runs, "Mean \u00b1 deviation of %d runs;", p->train.seeds);
    return bn_json_pack(
        "[s,{s:s},o]", "Every table and figure of the paper, measured by ", "code",
        p->quick ? "bonsai paper --quick" : "bonsai paper",
        bn_json_textf(" %s, next to the published figures. %s %d epochs; split 60/20/20, seed "
                      "%llu; %lld threads of %s. A star marks what is better than the published "
                      "figure of the same method; trees and auto are compared with the paper's "
                      "Bonsai.",
                      bonsai_version(),
                      paper_repeats(p) * p->train.seeds > 1
                          ? runs : "One run each, so that small differences may be chance;",
                      p->train.epochs,
                      (unsigned long long)p->train.seed,
                      (long long)bn_json_as_whole(bn_json_get(m, "threads")),
                      bn_json_as_text(bn_json_get(m, "cpu"))));
}

static bn_json *how_to_get(const bn_json *missing)
{
    bn_json *list = bn_json_array(), *set;
    size_t i;
    for (i = 0; (set = bn_json_at(missing, i)); i++)
        bn_json_add(list, bn_json_pack("[o,{s:O}]",
                                       bn_json_textf("%s: ", bn_json_as_text(
                                                  bn_json_get(set, "title"))),
                                       "code", bn_json_get(set, "how")));
    return bn_json_pack("{s:o}", "list", list);
}

static int write_page(paper *p, const char *path)
{
    const bn_json *missing = bn_json_get(p->results, "missing");
    bn_json *about = bn_json_pack("[o]", how_measured(p));
    if (bn_json_count(missing) > 0) {
        bn_json_add(about, bn_json_pack("[s]", "Not there, and how to get it:"));
        bn_json_add(about, how_to_get(missing));
    }
    bn_json *page = bn_json_pack("{s:s,s:s,s:o,s:O,s:O}", "title", "Bonsai: the paper reproduced",
                                 "heading", "The paper reproduced", "about", about, "tables",
                                 bn_json_get(p->results, "tables"), "data", p->results);
    char *text = bn_json_print(page, 0, 10);
    bn_json_free(page);
    if (!text)
        return fail_with(p->s, "there is not enough memory for the page");
    bonsai_status rc = bonsai_report_tables(path, text);
    bn_json_drop(text);
    return rc == BONSAI_OK ? EXIT_DONE : fail(p->s, rc);
}

/* ---- all three ----------------------------------------------------------- */

int paper_write(paper *p)
{
    char path[MOST_PATH + 16];
    p->results = bn_json_pack("{s:s,s:o,s:o,s:I,s:o,s:o,s:o,s:o}", "bonsai_paper",
                              bonsai_version(), "options", options(p), "machine", machine(p),
                              "cells", (int64_t)p->count, "datasets", sets(p, 1), "missing",
                              sets(p, 0), "refused", refused(p), "tables", paper_tables(p));
    char *text = bn_json_print(p->results, 1, 10);
    if (!text)
        return fail_with(p->s, "there is not enough memory for the results");
    snprintf(path, sizeof path, "%s/results.json", p->out);
    int code = write_text(p, path, text);
    snprintf(path, sizeof path, "%s/results.csv", p->out);
    if (code == EXIT_DONE)
        code = write_csv(p, path);
    snprintf(path, sizeof path, "%s/index.html", p->out);
    if (code == EXIT_DONE)
        code = write_page(p, path);
    bn_json_drop(text);
    return code;
}
