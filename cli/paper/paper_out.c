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

static json_t *machine(const paper *p)
{
    char cpu[128];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_name(cpu, sizeof cpu);
    return json_pack("{s:o,s:I,s:I,s:s}", "cpu", text_json(cpu), "cores", (json_int_t)cores,
                     "threads", (json_int_t)(p->s->read.threads ? p->s->read.threads : cores),
                     "isa", bonsai_isa());
}

static json_t *options(const paper *p)
{
    const bonsai_train_options *t = &p->train;
    return json_pack("{s:b,s:i,s:i,s:i,s:I,s:i,s:f,s:f,s:I,s:s}", "quick", p->quick, "seeds",
                     t->seeds, "epochs", t->epochs, "layers", t->layers, "hidden",
                     (json_int_t)t->hidden, "every", t->every, "rate", t->rate, "decay", t->decay,
                     "seed", (json_int_t)t->seed, "split", "60/20/20");
}

static json_t *sets(const paper *p, int found)
{
    json_t *all = json_array();
    for (int i = 0; i < p->set_count; i++) {
        const dataset *d = &p->sets[i];
        if ((*d->path != 0) != found)
            continue;
        json_t *one = json_pack("{s:s,s:s,s:I,s:I,s:I,s:I}", "name", d->name, "title", d->title,
                                "nodes", (json_int_t)d->nodes, "edges", (json_int_t)d->edges,
                                "features", (json_int_t)d->features, "classes",
                                (json_int_t)d->classes);
        if (found)
            json_object_set_new(one, "path", text_json(d->path));
        else if (strcmp(d->how, "fetch") == 0)
            json_object_set_new(one, "how", json_sprintf("bonsai fetch %s --to DIR", d->name));
        else
            json_object_set_new(one, "how", json_string(d->how));
        json_array_append_new(all, one);
    }
    return all;
}

/* Cells that could not be made, and why. */
static json_t *refused(const paper *p)
{
    json_t *all = json_array();
    for (int64_t i = 0; i < p->count; i++) {
        const bonsai_cell *c = &p->cells[i];
        if (c->runs == 0)
            json_array_append_new(
                all, json_pack("{s:s,s:s,s:f,s:s,s:s,s:o}", "dataset",
                               p->sets[paper_set_of(c)].name, "method", c->method < 0 ? "full"
                                         : bonsai_method_name((bonsai_method)c->method),
                               "ratio", 100 * c->ratio, "accounting", paper_bytes_of(c),
                               "model", bonsai_model_name(c->model), "why", text_json(c->why)));
    }
    return all;
}

/* ---- results.csv: one line a value --------------------------------------- */

static const char *const keys[] = {"dataset", "model", "ratio", "accounting", "sample", "k",
                                   "share"};
enum { KEYS = sizeof keys / sizeof *keys };

static void put_real(csv *out, const json_t *value)
{
    fputc(',', out->file);
    if (json_is_number(value))
        fprintf(out->file, "%.10g", json_number_value(value));
}

static void put_keys(csv *out, const json_t *head, const json_t *row)
{
    for (int k = 0; k < KEYS; k++) {
        size_t i;
        json_t *top;
        fputc(',', out->file);
        json_array_foreach(head, i, top) {
            const json_t *cell = json_array_get(row, i);
            if (strcmp(json_string_value(json_object_get(top, "source")), "key") != 0 ||
                strcmp(json_string_value(json_object_get(top, "key")), keys[k]) != 0)
                continue;
            if (json_is_string(cell))
                csv_text(out, json_string_value(cell));
            else
                fprintf(out->file, "%g", json_number_value(cell));
        }
    }
}

static void put_row(csv *out, const json_t *table, const json_t *row)
{
    const json_t *head = json_object_get(table, "head");
    size_t i;
    json_t *cell;
    json_array_foreach(row, i, cell) {
        const json_t *top = json_array_get(head, i);
        const char *text = json_string_value(json_object_get(cell, "text"));
        const json_t *better = json_object_get(cell, "better");
        if (!json_is_object(cell))
            continue;                           /* a key, or nothing */
        csv_text(out, json_string_value(json_object_get(table, "name")));
        put_keys(out, head, row);
        fputc(',', out->file);
        csv_text(out, json_string_value(json_object_get(top, "key")));
        fprintf(out->file, ",%s", json_string_value(json_object_get(top, "source")));
        put_real(out, json_object_get(cell, "value"));
        put_real(out, json_object_get(cell, "spread"));
        fprintf(out->file, ",%s,", !better ? "" : json_is_true(better) ? "yes" : "no");
        csv_text(out, text && !json_object_get(cell, "value") ? text : "");
        fputc('\n', out->file);
    }
}

static int write_csv(paper *p, const char *path)
{
    csv out;
    size_t i, j;
    json_t *table, *row;
    int code = csv_begin(p->s, &out, path);
    if (code != EXIT_DONE)
        return code;
    fputs("table", out.file);
    for (int k = 0; k < KEYS; k++)
        fprintf(out.file, ",%s", keys[k]);
    fputs(",column,source,value,spread,better,text\n", out.file);
    json_array_foreach(json_object_get(p->results, "tables"), i, table)
        json_array_foreach(json_object_get(table, "rows"), j, row)
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

static json_t *how_measured(const paper *p)
{
    char runs[80];
    const json_t *m = json_object_get(p->results, "machine");
    snprintf(runs, sizeof runs, "Mean \u00b1 deviation of %d runs;", p->train.seeds);
    return json_pack(
        "[s,{s:s},o]", "Every table and figure of the paper, measured by ", "code",
        p->quick ? "bonsai paper --quick" : "bonsai paper",
        json_sprintf(" %s, next to the published figures. %s %d epochs; split 60/20/20, seed %llu; "
                     "%lld threads of %s. A star marks what is better than the published figure of "
                     "the same method; trees and auto are compared with the paper's Bonsai.",
                     bonsai_version(), p->train.seeds > 1 ? runs : "One run each, so that small "
                     "differences may be chance;", p->train.epochs,
                     (unsigned long long)p->train.seed,
                     (long long)json_integer_value(json_object_get(m, "threads")),
                     json_string_value(json_object_get(m, "cpu"))));
}

static json_t *how_to_get(const json_t *missing)
{
    json_t *list = json_array(), *set;
    size_t i;
    json_array_foreach(missing, i, set)
        json_array_append_new(list, json_pack("[o,{s:O}]",
                                              json_sprintf("%s: ", json_string_value(
                                                  json_object_get(set, "title"))),
                                              "code", json_object_get(set, "how")));
    return json_pack("{s:o}", "list", list);
}

static int write_page(paper *p, const char *path)
{
    const json_t *missing = json_object_get(p->results, "missing");
    json_t *about = json_pack("[o]", how_measured(p));
    if (json_array_size(missing) > 0) {
        json_array_append_new(about, json_pack("[s]", "Not there, and how to get it:"));
        json_array_append_new(about, how_to_get(missing));
    }
    json_t *page = json_pack("{s:s,s:s,s:o,s:O,s:O}", "title", "Bonsai: the paper reproduced",
                             "heading", "The paper reproduced", "about", about, "tables",
                             json_object_get(p->results, "tables"), "data", p->results);
    char *text = page ? json_dumps(page, JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;
    json_decref(page);
    if (!text)
        return fail_with(p->s, "there is not enough memory for the page");
    bonsai_status rc = bonsai_report_tables(path, text);
    free(text);
    return rc == BONSAI_OK ? EXIT_DONE : fail(p->s, rc);
}

/* ---- all three ----------------------------------------------------------- */

int paper_write(paper *p)
{
    char path[MOST_PATH + 16];
    json_t *tables = paper_tables(p);
    p->results = tables ? json_pack("{s:s,s:o,s:o,s:I,s:o,s:o,s:o,s:o}", "bonsai_paper",
                                    bonsai_version(), "options", options(p), "machine", machine(p),
                                    "cells", (json_int_t)p->count, "datasets", sets(p, 1),
                                    "missing", sets(p, 0), "refused", refused(p), "tables", tables)
                        : NULL;
    char *text = p->results ? json_dumps(p->results, JSON_INDENT(1) | JSON_REAL_PRECISION(10))
                            : NULL;
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
    free(text);
    return code;
}
