/* paper_data.c -- the description of the tables, the published figures and the datasets, from the
 * texts that the build puts into the program.
 *
 * The last two are short comma-separated texts without quotes, parsed at each lookup.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

extern const char paper_published[], paper_datasets[], paper_broken[], paper_tables_text[];

/* ---- the description of the tables --------------------------------------- */

static bn_json *description;
const char *paper_table_names[MOST_TABLES + 1];

int paper_describe(session *s)
{
    const bn_json *table;
    int n = 0;
    description = bn_json_parse(paper_tables_text, strlen(paper_tables_text), 0, NULL);
    if (!description)
        return fail_with(s, "there is not enough memory for the description of the tables");
    for (size_t i = 0; (table = bn_json_at(paper_described("tables"), i)); i++)
        if (!bn_json_get(table, "with") && n < MOST_TABLES)
            paper_table_names[n++] = paper_text(table, "name");
    return EXIT_DONE;
}

void paper_forget(void)
{
    bn_json_free(description);
    description = NULL;
}

const bn_json *paper_described(const char *what)
{
    return bn_json_get(description, what);
}

const char *paper_text(const bn_json *object, const char *key)
{
    const char *text = bn_json_as_text(bn_json_get(object, key));
    return text ? text : "";
}

const bn_json *paper_named(const bn_json *list, const char *key, const char *text)
{
    const bn_json *one;
    for (size_t i = 0; (one = bn_json_at(list, i)); i++)
        if (strcmp(paper_text(one, key), text) == 0)
            return one;
    return NULL;
}

const bn_json *paper_column(const bn_json *table, size_t i)
{
    const bn_json *col = bn_json_at(bn_json_get(table, "head"), i);
    return bn_json_is_text(col)
               ? paper_named(paper_described("columns"), "key", bn_json_as_text(col)) : col;
}

int paper_wants(const paper *p, const char *table)
{
    for (int i = 0; paper_table_names[i]; i++)
        if (strcmp(paper_table_names[i], table) == 0)
            return p->asked >> i & 1;
    return 0;
}

/* ---- lines of comma-separated texts -------------------------------------- */

enum { FIELDS = 7, FIELD = 64 };

/* Cuts a line into fields and moves past it; returns 0 if no line is left. */
static int next_line(char field[FIELDS][FIELD], const char **at)
{
    if (!**at)
        return 0;
    for (int i = 0; i < FIELDS; i++) {
        size_t len = strcspn(*at, ",\n");
        snprintf(field[i], FIELD, "%.*s", (int)(len < FIELD ? len : FIELD - 1), *at);
        *at += len;
        if (**at == ',')
            ++*at;
    }
    *at += **at == '\n';
    return 1;
}

static void read_parts(double parts[3], const char *text)
{
    if (sscanf(text, "%lf/%lf/%lf", &parts[0], &parts[1], &parts[2]) != 3)
        parts[0] = parts[1] = parts[2] = 0;
}

static const bonsai_known *known_as(const char *name)
{
    const bonsai_known *k;
    for (int i = 0; (k = bonsai_known_at(i)) && strcmp(k->name, name) != 0;)
        i++;
    return k;
}

int paper_sets(dataset sets[MOST_SETS])
{
    char f[FIELDS][FIELD];
    const char *at = paper_datasets;
    int n = 0;
    next_line(f, &at);                          /* the names of the columns */
    while (n < MOST_SETS && next_line(f, &at)) {
        dataset *d = &sets[n];
        memset(d, 0, sizeof *d);
        if (!(d->is = known_as(f[0])))
            continue;
        d->price = atoi(f[1]);
        read_parts(d->parts[PROTOCOL_PUBLISHED], f[2]);
        read_parts(d->parts[PROTOCOL_OURS], f[3]);
        snprintf(d->how, sizeof d->how, "%.63s", f[4]);
        n++;
    }
    return n;
}

/* ---- published figures --------------------------------------------------- */

static int fits(const char *pattern, const char *text)
{
    return strcmp(pattern, "*") == 0 || strcmp(pattern, text) == 0;
}

/* Returns the sentence that says why the figure of a line is wrong; NULL if none is known. */
static const char *broken(char line[FIELDS][FIELD])
{
    char f[FIELDS][FIELD];
    const char *at = paper_broken;
    while (next_line(f, &at)) {
        int same = 1;
        for (int i = 0; i < 5; i++)
            same &= fits(f[i], line[i]);
        if (same)
            return bn_json_as_text(bn_json_get(paper_described("reasons"), f[5]));
    }
    return NULL;
}

static double number_in(const char *text)
{
    double value;
    return parse_real(text, &value) ? value : NAN;
}

int paper_says(published *out, const char *table, const char *set, double ratio,
               const char *model, const char *method)
{
    char f[FIELDS][FIELD], percent[32] = "";
    const char *at = paper_published;
    if (ratio > 0)
        snprintf(percent, sizeof percent, "%g", ratio);
    while (next_line(f, &at))
        if (strcmp(f[0], table) == 0 && strcmp(f[1], set) == 0 && strcmp(f[2], percent) == 0 &&
            strcmp(f[3], model) == 0 && strcmp(f[4], method) == 0) {
            snprintf(out->text, sizeof out->text, "%.15s%s%.15s", f[5], *f[6] ? " ± " : "", f[6]);
            out->value = number_in(f[5]);
            out->spread = number_in(f[6]);
            out->broken = broken(f);
            return 1;
        }
    return 0;
}
