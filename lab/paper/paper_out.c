/* paper_out.c -- writes results.json, results.csv and the page, all from the same tables.
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
            value += 1 + strspn(value + 1, " \t");
            snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
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
    return bn_json_pack("{s:b,s:s,s:i,s:i,s:b,s:i,s:i,s:i,s:I,s:i,s:f,s:f,s:f,s:f,s:I}", "quick",
                        p->quick, "protocol", paper_protocol_name(p), "splits", p->repeat.splits,
                        "draws", p->repeat.draws, "side_by_side", p->repeat.side_by_side, "seeds",
                        t->seeds, "epochs", t->epochs, "layers", t->layers, "hidden",
                        (int64_t)t->hidden, "every", t->every, "rate", t->rate, "decay", t->decay,
                        "effort", p->effort, "time_limit", p->time_limit, "seed",
                        (int64_t)t->seed);
}

static bn_json *sets(const paper *p, int found)
{
    bn_json *all = bn_json_array();
    for (int i = 0; i < p->set_count; i++) {
        const dataset *d = &p->sets[i];
        const bonsai_known *k = d->is;
        if (paper_is_there(p, i) != found)
            continue;
        bn_json *one = bn_json_pack("{s:s,s:s,s:I,s:I,s:I,s:I}", "name", k->name, "title", k->title,
                                    "nodes", (int64_t)k->nodes, "edges", (int64_t)k->edges,
                                    "features", (int64_t)k->features, "classes",
                                    (int64_t)k->classes);
        if (found) {
            bn_json_set(one, "path", bn_json_text(d->path));
            bn_json_set(one, "lists", *d->lists ? bn_json_text(d->lists) : bn_json_null());
        } else if (strcmp(d->how, "fetch") == 0) {
            bn_json_set(one, "how", bn_json_textf("bonsai fetch %s --to DIR", k->name));
        } else {
            bn_json_set(one, "how", bn_json_text(d->how));
        }
        bn_json_add(all, one);
    }
    return all;
}

/* Returns the seconds of all runs that ended in this folder: results.json has those before this
 * one. */
static double seconds_of_runs(double now, const char *path)
{
    char head[4096];
    FILE *f = fopen(path, "r");
    const size_t len = f ? fread(head, 1, sizeof head - 1, f) : 0;
    head[len] = 0;
    if (f)
        fclose(f);
    const char *before = strstr(head, "\"seconds_runs\":");
    return now + (before ? fmax(0, strtod(strchr(before, ':') + 1, NULL)) : 0);
}

/* Lists the cells that could not be made, and why. */
static bn_json *refused(const paper *p)
{
    bn_json *all = bn_json_array();
    for (int64_t i = 0; i < p->count; i++) {
        const bonsai_cell *c = &p->cells[i];
        if (c->runs == 0)
            bn_json_add(
                all, bn_json_pack("{s:s,s:s,s:f,s:s,s:s,s:o}", "dataset",
                                  p->sets[paper_set_of(c)].is->name, "method", c->method < 0
                                            ? "full" : bonsai_method_name((bonsai_method)c->method),
                                  "ratio", 100 * c->ratio, "setting", p->setting_names[c->setting],
                                  "model", bonsai_model_name(c->model), "why",
                                  bn_json_text(c->why)));
    }
    return all;
}

/* ---- results.csv: one line a value --------------------------------------- */

static const char *const keys[] = {"dataset", "model", "ratio", "method", "component", "sample",
                                   "k", "nearest", "theta", "delta"};
static const char *const members[] = {"value", "spread", "verdict", "against", "large", "cut",
                                      "nodes", "edges", "labelled", "features", "bytes", "share",
                                      "runs", "splits", "draws", "text", "broken"};
enum { KEYS = sizeof keys / sizeof *keys, MEMBERS = sizeof members / sizeof *members };

static void put_value(csv *out, const bn_json *value)
{
    if (bn_json_is_text(value))
        csv_text(out, bn_json_as_text(value));
    else if (bn_json_is_number(value))
        fprintf(out->file, "%.10g", bn_json_as_number(value));
    else if (bn_json_is_true(value))
        fputs("yes", out->file);
}

static void put_keys(csv *out, const bn_json *head, const bn_json *row)
{
    bn_json *top;
    for (int k = 0; k < KEYS; k++) {
        fputc(',', out->file);
        for (size_t i = 0; (top = bn_json_at(head, i)); i++)
            if (strcmp(bn_json_as_text(bn_json_get(top, "source")), "key") == 0 &&
                strcmp(bn_json_as_text(bn_json_get(top, "key")), keys[k]) == 0)
                put_value(out, bn_json_at(row, i));
    }
}

static void put_row(csv *out, const bn_json *table, const bn_json *row)
{
    const bn_json *head = bn_json_get(table, "head");
    bn_json *cell;
    for (size_t i = 0; (cell = bn_json_at(row, i)); i++) {
        const bn_json *top = bn_json_at(head, i);
        if (!bn_json_is_object(cell))
            continue;                           /* a key, or nothing */
        csv_text(out, bn_json_as_text(bn_json_get(table, "name")));
        put_keys(out, head, row);
        fputc(',', out->file);
        csv_text(out, bn_json_as_text(bn_json_get(top, "key")));
        fprintf(out->file, ",%s", bn_json_as_text(bn_json_get(top, "source")));
        for (int m = 0; m < MEMBERS; m++) {
            fputc(',', out->file);
            put_value(out, bn_json_get(cell, members[m]));
        }
        fputc('\n', out->file);
    }
}

static int write_csv(paper *p, const char *path)
{
    csv out;
    bn_json *table, *row;
    int code = csv_begin(p->s, &out, path);
    if (code != EXIT_DONE)
        return code;
    fputs("table", out.file);
    for (int k = 0; k < KEYS; k++)
        fprintf(out.file, ",%s", keys[k]);
    fputs(",column,source", out.file);
    for (int m = 0; m < MEMBERS; m++)
        fprintf(out.file, ",%s", members[m]);
    fputc('\n', out.file);
    for (size_t i = 0; (table = bn_json_at(bn_json_get(p->results, "tables"), i)); i++)
        for (size_t j = 0; (row = bn_json_at(bn_json_get(table, "rows"), j)); j++)
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
    const bn_json *m = bn_json_get(p->results, "machine");
    return bn_json_pack(
        "[s,{s:o},o]", "Every table and figure of \"Bonsai: Gradient-free Graph Condensation for "
        "Node Classification\" (ICLR 2025), measured with ", "code",
        bn_json_textf("bonsai paper%s --protocol %s%s", p->quick ? " --quick" : "",
                      paper_protocol_name(p), p->repeat.side_by_side ? " --side-by-side" : ""),
        bn_json_textf(", version %s, beside the published figures, on %lld threads of %s.",
                      bonsai_version(), (long long)bn_json_as_whole(bn_json_get(m, "threads")),
                      bn_json_as_text(bn_json_get(m, "cpu"))));
}

static bn_json *how_to_get(const bn_json *missing)
{
    bn_json *list = bn_json_array(), *set;
    for (size_t i = 0; (set = bn_json_at(missing, i)); i++)
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
    bn_json *page = bn_json_pack("{s:s,s:s,s:O,s:o,s:O,s:O,s:O}", "title",
                                 "Bonsai: the paper reproduced", "heading", "The paper reproduced",
                                 "verdict", bn_json_get(p->results, "verdict"), "about", about,
                                 "summary", bn_json_get(p->results, "summary"),
                                 "tables", bn_json_get(p->results, "tables"), "data", p->results);
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
    const double now = seconds() - p->began;
    snprintf(path, sizeof path, "%s/results.json", p->out);
    p->results = bn_json_pack("{s:s,s:o,s:o,s:f,s:f,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o}",
                              "bonsai_paper", bonsai_version(), "options", options(p), "machine",
                              machine(p), "seconds", now, "seconds_runs",
                              seconds_of_runs(now, path), "cells", (int64_t)p->count, "taken", p->taken, "datasets", sets(p, 1),
                              "missing", sets(p, 0), "refused", refused(p), "verdict",
                              paper_verdict(p), "summary", paper_summary(p), "tables",
                              paper_tables(p));
    char *text = bn_json_print(p->results, 1, 10);
    if (!text)
        return fail_with(p->s, "there is not enough memory for the results");
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
