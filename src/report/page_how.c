/* page_how.c -- how a small graph was made: time and memory, options, and the command to repeat
 * it.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "options/fields.h"
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
        {"measuring the graph", i->seconds_measure}, {"embeddings", i->seconds_wl},
        {"nearest neighbours", i->seconds_knn}, {"cover", i->seconds_cover},
        {"PageRank", i->seconds_sparsify}, {"clusters", i->seconds_cluster},
        {"posteriors", i->seconds_fit}, {"probe", i->seconds_probe},
        {"learning", i->seconds_learn},
        {"the small graph", i->seconds_finish}};
    enum { STAGES = sizeof stage / sizeof *stage };
    const char *label[STAGES];
    double value[STAGES];
    int count = 0;
    for (int k = 0; k < STAGES; k++)
        if (stage[k].seconds > 0) {
            label[count] = stage[k].name;
            value[count++] = stage[k].seconds;
        }
    bn_put(p, "<p>Condensing took <strong>");
    bn_put_seconds(p, i->seconds_total);
    bn_put(p, "</strong>; the process used at most <strong>");
    bn_put_bytes(p, (double)i->peak_rss_bytes);
    bn_put(p, "</strong> of memory, with the pages of mapped files.");
    if (i->measured > 0 && i->measured < 1) {
        bn_put(p, " The search for neighbours measured <strong>");
        bn_put_percent(p, i->measured);
        bn_put(p, "</strong> of the pairs of trees; a bound ruled out the others.");
    }
    bn_put(p, "</p>\n");
    const bool quick = i->seconds_total < 1;
    for (int k = 0; k < count; k++)
        value[k] *= quick ? 1000 : 1;
    const char *unit = quick ? "milliseconds" : "seconds";
    const bn_series one = {unit, value};
    bn_chart_bars(p, &(bn_bar_chart){
        .title = "Time by stage", .x = "stage", .y = unit, .label = label, .labels = count,
        .s = &one, .series = 1, .format = quick ? "%.1f" : "%.2f"});
}

/* ---- learning ------------------------------------------------------------ */

bool bn_sheet_has_learned(const bn_sheet *s)
{
    return s->f->made.info.learn_rounds > 0;
}

static void put_round(bn_page *p, const char *what, int64_t round)
{
    bn_put(p, what);
    bn_put_number(p, (double)round);
}

void bn_sheet_learned(bn_page *p, const bn_sheet *s)
{
    const bonsai_condense_info *i = &s->f->made.info;
    char loss[32];
    bn_put(p, "<p>Its features, and with some methods its edges and labels, were changed round "
              "after round to lower a loss; no node is one of the full graph's. The settings are "
              "those published for <strong>");
    bn_escape_cut(p, i->learn_settings, 24);
    bn_put(p, i->learn_own ? "</strong>, which this is by its shape."
                           : "</strong>, whose shape is nearest.");
    put_round(p, " Rounds in all: ", i->learn_rounds);
    put_round(p, "; made: ", i->learn_made);
    if (i->learn_kept > 0)
        put_round(p, "; kept: number ", i->learn_kept);
    else
        bn_put(p, "; kept: the start");
    bn_print(loss, sizeof loss, "%.4g", i->learn_loss);
    bn_put(p, i->learn_loss >= 0 ? ", with a loss of " : "");
    bn_put(p, i->learn_loss >= 0 ? loss : "");
    bn_put(p, ".");
    if (i->learn_skipped > 0)
        put_round(p, " Steps left out because a gradient was not finite: ", i->learn_skipped);
    bn_put(p, i->learn_skipped > 0 ? "." : "");
    if (strcmp(i->learn_end, "time") == 0)
        bn_put(p, " It ended when the time was up.");
    if (strcmp(i->learn_end, "not finite") == 0)
        bn_put(p, " It ended because gradients were no longer finite.");
    bn_put(p, "</p>\n");
}

/* ---- options ------------------------------------------------------------- */

enum { TEXT = 96 };

/* The options given, and the defaults. */
typedef struct {
    bonsai_condense_options now, usual;
} wishes;

static wishes wishes_of(const bn_sheet *s)
{
    wishes w = {.now = s->f->made.o};
    bonsai_condense_options_init(&w.usual);
    return w;
}

/* The next field that records hold; NULL: no more. */
static const bonsai_field *next_option(int *i)
{
    const bonsai_field *f;
    do
        f = bonsai_field_at(BONSAI_OPTIONS_CONDENSE, (*i)++);
    while (f && !bn_field_recorded(f));
    return f;
}

/* The option's value as the program takes it; whether it differs from the default. */
static bool option_text(char text[TEXT], const wishes *w, const bonsai_field *f)
{
    char usual[TEXT];
    bonsai_field_text(text, TEXT, f, &w->now);
    bonsai_field_text(usual, TEXT, f, &w->usual);
    return strcmp(text, usual) != 0;
}

static void option_name(char name[TEXT], const bonsai_field *f)
{
    memcpy(name, "--", 2);
    bn_field_option(name + 2, f);
}

bool bn_sheet_has_options(const bn_sheet *s)
{
    return s->f->made.has_options;
}

static void option_row(bn_page *p, const char *name, const char *value, bool changed,
                       const char *help)
{
    bn_put(p, "<tr><th scope=\"row\">");
    bn_escape_cut(p, name, 60);
    bn_put(p, changed ? "</th><td class=\"mark\">" : "</th><td>");
    bn_escape_cut(p, value, 120);
    bn_put(p, "</td><td>");
    bn_escape_cut(p, help, 200);
    bn_put(p, "</td></tr>\n");
}

static void table_head(bn_page *p, const char *caption)
{
    bn_putf(p, "<div class=\"box words\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
               "<table><caption class=\"sr\">%s</caption><thead><tr><th scope=\"col\">option</th>"
               "<th scope=\"col\">value</th><th scope=\"col\">what it does</th></tr>"
               "</thead><tbody>\n", caption, caption);
}

/* The options that were changed, or the others.  Returns how many. */
static int put_options(bn_page *p, const bn_sheet *s, bool changed, bool draw)
{
    const wishes w = wishes_of(s);
    const bonsai_field *f;
    int count = 0;
    for (int i = 0; (f = next_option(&i));) {
        char name[TEXT], text[TEXT];
        if (option_text(text, &w, f) != changed)
            continue;
        count++;
        option_name(name, f);
        if (draw)
            option_row(p, name, *text ? text : f->otherwise ? f->otherwise : "not given", changed,
                       f->help);
    }
    return count;
}

static bool by_auto(const bn_sheet *s)
{
    return s->f->made.o.method == BONSAI_METHOD_AUTO;
}

/* The method as it was asked for. */
static void method_row(bn_page *p, const bn_sheet *s)
{
    const char *method = s->f->method ? s->f->method : "unknown";
    char text[TEXT];
    snprintf(text, sizeof text, "auto (chose %.40s)", method);
    option_row(p, "--method", by_auto(s) ? text : method, !by_auto(s),
               "how the small graph was made");
}

static void put_changed(bn_page *p, const bn_sheet *s)
{
    if (by_auto(s) && put_options(p, s, true, false) == 0) {
        bn_put(p, "<p>None.</p>\n");
        return;
    }
    table_head(p, "Options that were changed");
    if (!by_auto(s))
        method_row(p, s);
    put_options(p, s, true, true);
    bn_put(p, "</tbody></table></div>\n");
}

void bn_sheet_options(bn_page *p, const bn_sheet *s)
{
    const bonsai_condense_info *made = &s->f->made.info;
    put_changed(p, s);
    if (by_auto(s)) {
        bn_put(p, "<p>The method was left to auto, which chose ");
        bn_escape_cut(p, s->f->method ? s->f->method : "unknown", 40);
        bn_put(p, ".</p>\n");
    }
    bn_putf(p, "<details><summary>The other %d options, as they are by default</summary>\n",
            put_options(p, s, false, false) + by_auto(s));
    table_head(p, "Options as they are by default");
    if (by_auto(s))
        method_row(p, s);
    put_options(p, s, false, true);
    bn_put(p, "</tbody></table></div></details>\n<p class=\"quiet\">");
    if (made->version[0]) {
        bn_put(p, "Made by bonsai ");
        bn_escape_cut(p, made->version, 20);
        bn_put(p, ". ");
    }
    bn_putf(p, "Checksum of the input: %08x.</p>\n", (unsigned)made->input_crc32);
}

/* ---- the command --------------------------------------------------------- */

/* The record of updated prototypes does not say what they were before. */
bool bn_sheet_has_command(const bn_sheet *s)
{
    return s->o->command || (bn_sheet_has_options(s) && !s->f->made.updated);
}

static void put_word(bn_page *p, const char *word)
{
    char quoted[4 * BN_LONGEST_TEXT];
    bonsai_shell_word(quoted, sizeof quoted, word);
    bn_escape(p, quoted);
}

static void put_command(bn_page *p, const bn_sheet *s)
{
    bn_put(p, "bonsai condense ");
    put_word(p, s->full_path);
    if (s->o->reading && *s->o->reading) {
        bn_put(p, " ");
        bn_escape(p, s->o->reading);
    }
    bn_put(p, " -o ");
    put_word(p, s->small_path);
    bn_put(p, " --method ");
    put_word(p, by_auto(s) || !s->f->method ? "auto" : s->f->method);
    const wishes w = wishes_of(s);
    const bonsai_field *f;
    for (int i = 0; (f = next_option(&i));) {
        char name[TEXT], text[TEXT];
        if (!option_text(text, &w, f) || !*text)
            continue;
        option_name(name, f);
        bn_put(p, " ");
        bn_put(p, name);
        if (f->type == BONSAI_FIELD_FLAG && !f->words)
            continue;
        bn_put(p, " ");
        put_word(p, text);
    }
}

void bn_sheet_command(bn_page *p, const bn_sheet *s)
{
    bn_put(p, bn_sheet_has_learned(s)
              ? "<p>It writes the same bytes on the same kind of processor, with any number of "
                "threads.</p>\n"
              : "<p>It writes the same bytes on any machine, with any number of threads.</p>\n");
    bn_put(p, "<pre tabindex=\"0\"><code>");
    if (s->o->command)
        bn_escape(p, s->o->command);
    else
        put_command(p, s);
    bn_put(p, "</code></pre>\n");
}
