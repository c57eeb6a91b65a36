/* page_how.c -- how a small graph was made: time and memory, every option, and the command that
 * makes it again.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

/* ---- time and memory ----------------------------------------------------- */

bool bn_sheet_has_effort(const bn_sheet *s)
{
    return s->o->condensed && s->o->condensed->seconds_total > 0;
}

void bn_sheet_effort(bn_page *p, const bn_sheet *s)
{
    const bonsai_condense_info *i = s->o->condensed;
    const struct { const char *name; double seconds; } stage[] = {
        {"embeddings", i->seconds_wl}, {"nearest neighbours", i->seconds_knn},
        {"cover", i->seconds_cover}, {"PageRank", i->seconds_sparsify},
        {"clusters", i->seconds_cluster}, {"probe", i->seconds_probe}};
    enum { STAGES = sizeof stage / sizeof *stage };
    const char *label[STAGES + 1];
    double value[STAGES + 1], rest = i->seconds_total;
    int count = 0;
    for (int k = 0; k < STAGES; k++)
        if (stage[k].seconds > 0) {
            label[count] = stage[k].name;
            value[count++] = stage[k].seconds;
            rest -= stage[k].seconds;
        }
    if (rest > 0.005 * i->seconds_total) {
        label[count] = "everything else";
        value[count++] = rest;
    }
    bn_put(p, "<p>Condensing took <strong>");
    bn_put_seconds(p, i->seconds_total);
    bn_put(p, "</strong>; the process used at most <strong>");
    bn_put_bytes(p, (double)i->peak_rss_bytes);
    bn_put(p, "</strong> of memory.</p>\n");
    const bool quick = i->seconds_total < 1;
    for (int k = 0; k < count; k++)
        value[k] *= quick ? 1000 : 1;
    const char *unit = quick ? "milliseconds" : "seconds";
    const bn_series one = {unit, value};
    bn_chart_bars(p, "Time by stage", "stage", unit, label, count,
                  &one, 1, quick ? "%.1f" : "%.2f");
}

/* ---- options ------------------------------------------------------------- */

typedef enum { PLAIN, FLAG, SPLIT, SAMPLE, CHOICE, SEED } option_kind;

static const struct option {
    const char *key, *flag;
    option_kind kind;
    const char *word[2];        /* of a choice: what 0 and 1 are called */
    const char *help;
} options[] = {
    {"ratio", "--ratio", PLAIN, {0}, "budget: share of the full graph's bytes"},
    {"bytes", "--bytes", PLAIN, {0}, "budget: bytes"},
    {"nodes", "--nodes", PLAIN, {0}, "budget: nodes"},
    {"trees", "--trees", PLAIN, {0}, "budget: trees"},
    {"accounting", "--accounting", PLAIN, {0}, "how bytes are counted"},
    {"layers", "--layers", PLAIN, {0}, "hops of a tree and rounds of averaging"},
    {"k", "--k", PLAIN, {0}, "nearest trees that a tree is covered by"},
    {"sample", "--sample", SAMPLE, {0}, "trees to be covered"},
    {"theta", "--theta", PLAIN, {0}, "error of the sampled cover"},
    {"delta", "--delta", PLAIN, {0}, "chance of a larger error"},
    {"density", "--greedy", CHOICE, {"gain", "density"},
     "the tree that covers most, or most per byte"},
    {"patience", "--patience", PLAIN, {0}, "stop when so many trees in a row do not fit"},
    {"beta", "--beta", PLAIN, {0}, "PageRank's chance to return to a root"},
    {"prune_share", "--prune-share", PLAIN, {0}, "share of the ego nodes that may go per round"},
    {"min_pruned", "--min-pruned", PLAIN, {0}, "stop when a smaller share would go"},
    {"oversample", "--oversample", PLAIN, {0}, "select so many budgets, then drop"},
    {"match_classes", "--match-classes", FLAG, {0}, "classes in the shares of the training nodes"},
    {"select_features", "--select-features", CHOICE, {"none", "tree"},
     "features that a decision tree splits on"},
    {"no_rknn", "--no-rknn", FLAG, {0}, "trees in random order"},
    {"no_ppr", "--no-ppr", FLAG, {0}, "no sparsification"},
    {"inductive", "--inductive", FLAG, {0}, "cut the graph to its training nodes first"},
    {"raw_features", "--on", CHOICE, {"embeddings", "features"},
     "what herding and kcenter measure on"},
    {"project", "--project", PLAIN, {0}, "dimensions of a random projection"},
    {"split", "--split", SPLIT, {0}, "training, validation and test nodes"},
    {"no_validation", "--no-validation", FLAG, {0}, "probe on training nodes instead"},
    {"hard_labels", "--hard-labels", FLAG, {0}, "prototypes without soft labels"},
    {"members", "--members", FLAG, {0}, "prototypes name the nodes they stand for"},
    {"seed", "--seed", SEED, {0}, "the same seed gives the same bytes"},
};

enum { OPTIONS = sizeof options / sizeof *options, TEXT = 96 };

/* A number as it is typed: 0.01, 200, 1e-9. */
static void plain_text(char *out, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    size_t len;
    snprintf(out, TEXT, "%s", json_is_string(value) ? json_string_value(value) : text ? text : "?");
    free(text);
    len = strlen(out);
    if (json_is_real(value) && len > 2 && strcmp(out + len - 2, ".0") == 0)
        out[len - 2] = 0;
}

static double truth(const json_t *value)
{
    return json_is_true(value) ? 1 : json_is_number(value) ? json_number_value(value) : 0;
}

/* An option's value as the program takes it; "": it was not given, which help says in words. */
static void option_text(char *out, const struct option *o, const json_t *value)
{
    out[0] = 0;
    if (o->kind == FLAG)
        snprintf(out, TEXT, "%s", truth(value) != 0 ? "yes" : "no");
    else if (o->kind == CHOICE)
        snprintf(out, TEXT, "%s", o->word[truth(value) != 0]);
    else if (o->kind == SEED)                   /* metadata have it as a signed number */
        snprintf(out, TEXT, "%llu", (unsigned long long)json_integer_value(value));
    else if (o->kind == SAMPLE && truth(value) < 0)
        snprintf(out, TEXT, "all");
    else if (o->kind == SPLIT) {
        char part[3][TEXT] = {"0", "0", "0"};
        double sum = 0;
        for (size_t i = 0; i < 3; i++) {
            sum += truth(json_array_get(value, i));
            plain_text(part[i], json_array_get(value, i));
        }
        if (sum > 0)
            snprintf(out, TEXT, "%.20s/%.20s/%.20s", part[0], part[1], part[2]);
    } else if (json_is_string(value) || truth(value) != 0 ||
               (o->kind == PLAIN && strncmp(o->help, "budget", 6) != 0))
        plain_text(out, value);
}

static void default_text(char *out, const struct option *o)
{
    static const struct { const char *key; size_t at; char type; } place[] = {
#define AT(name, type) {#name, offsetof(bonsai_condense_options, name), type}
        AT(layers, 'i'), AT(k, 'i'), AT(theta, 'd'), AT(delta, 'd'), AT(patience, 'l'),
        AT(beta, 'd'), AT(prune_share, 'd'), AT(min_pruned, 'd'), AT(oversample, 'd'), AT(project, 'i'),
        AT(seed, 'l')};
#undef AT
    const char *d = (const char *)&bn_condense_defaults;
    json_t *value = NULL;
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        if (strcmp(place[i].key, o->key) == 0)
            value = place[i].type == 'i' ? json_integer(*(const int *)(d + place[i].at)) :
                    place[i].type == 'l' ? json_integer(*(const int64_t *)(d + place[i].at)) :
                                           json_real(*(const double *)(d + place[i].at));
    if (strcmp(o->key, "accounting") == 0)
        value = json_string("strict");
    option_text(out, o, value);
    json_decref(value);
}

bool bn_sheet_has_options(const bn_sheet *s)
{
    return json_is_object(json_object_get(s->f->report, "options"));
}

static void option_row(bn_page *p, const char *name, const char *value, bool changed,
                       const char *help)
{
    bn_put(p, "<tr><th scope=\"row\">");
    bn_escape_cut(p, name, 60);
    bn_put(p, changed ? "</th><td class=\"mark\">" : "</th><td>");
    bn_escape_cut(p, value, 120);
    bn_put(p, changed ? "<span class=\"sr\"> (changed)</span></td><td>" : "</td><td>");
    bn_escape_cut(p, help, 200);
    bn_put(p, "</td></tr>\n");
}

void bn_sheet_options(bn_page *p, const bn_sheet *s)
{
    const json_t *all = json_object_get(s->f->report, "options");
    const char *crc = json_string_value(json_object_get(s->f->report, "input_crc32"));
    const char *version = json_string_value(json_object_get(s->f->report, "bonsai"));
    bn_put(p, "<p>Bold are those that differ from what they are when nobody says.</p>\n"
              "<div class=\"box words\" tabindex=\"0\" role=\"region\" aria-label=\"Options\">"
              "<table><caption>Options of condensing</caption><thead><tr><th scope=\"col\">option</th>"
              "<th scope=\"col\">value</th><th scope=\"col\">what it does</th></tr>"
              "</thead><tbody>\n");
    option_row(p, "--method", s->f->method ? s->f->method : "unknown", false,
               "how the small graph was made");
    for (int i = 0; i < OPTIONS; i++) {
        const json_t *value = json_object_get(all, options[i].key);
        char now[TEXT], usual[TEXT];
        if (!value)
            continue;
        option_text(now, &options[i], value);
        default_text(usual, &options[i]);
        option_row(p, options[i].flag, *now ? now : options[i].kind == SPLIT ? "the graph's own" :
                   options[i].kind == SAMPLE ? "by theta and delta" : "not given",
                   strcmp(now, usual) != 0, options[i].help);
    }
    bn_put(p, "</tbody></table></div>\n<p class=\"quiet\">");
    if (version) {
        bn_put(p, "Made by bonsai ");
        bn_escape_cut(p, version, 20);
        bn_put(p, ". ");
    }
    if (crc) {
        bn_put(p, "Checksum of what was read: ");
        bn_escape_cut(p, crc, 20);
        bn_put(p, ".");
    }
    bn_put(p, "</p>\n");
}

/* ---- the command --------------------------------------------------------- */

/* Prototypes that were updated do not say what they were before. */
bool bn_sheet_has_command(const bn_sheet *s)
{
    const json_t *recipe = json_object_get(s->f->report, "recipe");
    const bool updated = json_is_null(json_object_get(recipe, "probe"));
    return s->o->command || (bn_sheet_has_options(s) && !updated);
}

/* A word for the shell, in quotes where it needs them. */
static void put_word(bn_page *p, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-./:,=+@%";
    if (*word && word[strspn(word, plain)] == 0) {
        bn_escape(p, word);
        return;
    }
    char quoted[4 * BN_LONGEST_TEXT];
    size_t at = 0;
    quoted[at++] = '\'';
    for (; *word && at < sizeof quoted - 8; word++)
        if (*word == '\'') {                    /* it cannot stand in quotes */
            memcpy(quoted + at, "'\\''", 4);
            at += 4;
        } else
            quoted[at++] = *word;
    quoted[at++] = '\'';
    quoted[at] = 0;
    bn_escape(p, quoted);
}

static void put_command(bn_page *p, const bn_sheet *s)
{
    const json_t *all = json_object_get(s->f->report, "options");
    const json_t *choice = json_object_get(s->f->report, "choice");
    const bool by_auto = json_is_number(json_object_get(choice, "probe_other"));
    bn_put(p, "bonsai condense ");
    put_word(p, s->full_path);
    bn_put(p, " -o ");
    put_word(p, s->small_path);
    bn_put(p, " --method ");
    put_word(p, by_auto || !s->f->method ? "auto" : s->f->method);
    for (int i = 0; i < OPTIONS; i++) {
        const json_t *value = json_object_get(all, options[i].key);
        char now[TEXT], usual[TEXT];
        if (!value)
            continue;
        option_text(now, &options[i], value);
        default_text(usual, &options[i]);
        if (strcmp(now, usual) == 0 || !*now)
            continue;
        bn_put(p, " ");
        bn_put(p, options[i].flag);
        if (options[i].kind != FLAG) {
            bn_put(p, " ");
            put_word(p, now);
        }
    }
}

void bn_sheet_command(bn_page *p, const bn_sheet *s)
{
    bn_put(p, "<p>It gives the same bytes on any machine, with any number of threads.</p>\n"
              "<pre tabindex=\"0\"><code>");
    if (s->o->command)
        bn_escape(p, s->o->command);
    else
        put_command(p, s);
    bn_put(p, "</code></pre>\n");
}
