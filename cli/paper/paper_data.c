/* paper_data.c -- the published figures and the datasets, as the build put them here.
 *
 * Both are short comma-separated texts without quotes, parsed at each lookup.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

extern const char paper_published[], paper_datasets[];

const char *const paper_table_names[TABLES + 1] = {
    "accuracy", "models", "seconds", "components", "training", "ablation",
    "sample", "k", "distance", "gradient", "carbon", NULL,
};

enum { FIELDS = 9, FIELD = 64 };

/* Cuts a line into fields and moves past it; 0: no line is left. */
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

int paper_sets(dataset sets[MOST_SETS])
{
    char f[FIELDS][FIELD];
    const char *at = paper_datasets;
    int n = 0;
    next_line(f, &at);                          /* the names of the columns */
    for (; n < MOST_SETS && next_line(f, &at); n++) {
        dataset *d = &sets[n];
        memset(d, 0, sizeof *d);
        snprintf(d->name, sizeof d->name, "%.31s", f[0]);
        snprintf(d->title, sizeof d->title, "%.39s", f[1]);
        d->nodes = atoll(f[2]);
        d->edges = atoll(f[3]);
        d->classes = atoll(f[4]);
        d->features = atoll(f[5]);
        d->all = strcmp(f[6], "all") == 0;
        snprintf(d->alias, sizeof d->alias, "%.31s", f[7]);
        snprintf(d->how, sizeof d->how, "%.63s", f[8]);
    }
    return n;
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
            return 1;
        }
    return 0;
}
