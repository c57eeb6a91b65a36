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

static bn_json *stages_of(const bonsai_condense_info *i)
{
    static const char *const stage[] = {        /* in the order of bn_stage */
        "measuring the graph", "embeddings", "nearest neighbours", "cover", "PageRank", "clusters",
        "posteriors", "probe", "learning", "the small graph"};
    const bool quick = i->seconds_total < 1;
    const char *unit = quick ? "milliseconds" : "seconds";
    bn_json *labels = bn_json_array(), *values = bn_json_array();
    for (int k = 0; k < BN_STAGES; k++) {
        const double seconds = bn_fact(i, (bn_fact_id)(BN_FACT_SECONDS_MEASURE + k));
        if (seconds > 0) {
            bn_json_add(labels, bn_json_text(stage[k]));
            bn_json_add(values, bn_json_real(seconds * (quick ? 1000 : 1)));
        }
    }
    return bn_bars(bn_json_text("Time by stage"), "stage", unit, labels,
                   bn_json_pack("[{ss,so}]", "name", unit, "values", values));
}

bn_json *bn_sheet_effort(const bn_sheet *s)
{
    const bonsai_condense_info *i = s->o->condensed;
    if (!i || !(i->seconds_total > 0))
        return bn_json_null();
    const double measured = bn_fact(i, BN_FACT_MEASURED);
    return bn_json_pack("{sf,sI,sf,sb,so}", "seconds", i->seconds_total, "memory",
                        i->peak_rss_bytes, "measured",
                        measured > 0 && measured < 1 ? measured : NAN,
                        "quick", i->seconds_total < 1, "chart", stages_of(i));
}

/* ---- learning ------------------------------------------------------------ */

bn_json *bn_sheet_learned(const bn_sheet *s)
{
    const bonsai_condense_info *i = &s->f->made.info;
    const char *end = bn_fact_text(i, BN_FACT_LEARN_END);
    const double kept = bn_fact(i, BN_FACT_LEARN_KEPT), skipped = bn_fact(i, BN_FACT_LEARN_SKIPPED);
    char loss[32];
    bn_print(loss, sizeof loss, "%.4g", bn_fact(i, BN_FACT_LEARN_LOSS));
    return bn_sheet_if(bn_fact(i, BN_FACT_LEARN_ROUNDS) > 0, bn_json_pack(
        "{ss,sb,sI,sI,sf,ss?,sf,sb,sb}", "settings", bn_fact_text(i, BN_FACT_LEARN_SETTINGS),
        "own", bn_fact(i, BN_FACT_LEARN_OWN) > 0, "rounds", bn_fact_whole(i, BN_FACT_LEARN_ROUNDS),
        "made", bn_fact_whole(i, BN_FACT_LEARN_MADE), "kept", kept > 0 ? kept : NAN,
        "loss", bn_fact_known(i, BN_FACT_LEARN_LOSS) ? loss : NULL,
        "skipped", skipped > 0 ? skipped : NAN, "late", strcmp(end, "time") == 0,
        "broken", strcmp(end, "not finite") == 0));
}

/* ---- options ------------------------------------------------------------- */

enum { TEXT = 96 };

typedef struct {
    char name[TEXT], value[TEXT];       /* as the program takes them */
    bool changed;                       /* from the default */
    const bonsai_field *field;
} option;

/* Finds the next option that records hold; false: no more. */
static bool next_option(option *out, int *i, const bn_sheet *s)
{
    bonsai_condense_options usual;
    char text[TEXT];
    do
        out->field = bonsai_field_at(BONSAI_OPTIONS_CONDENSE, (*i)++);
    while (out->field && !bn_field_recorded(out->field));
    if (!out->field)
        return false;
    bonsai_condense_options_init(&usual);
    bonsai_field_text(out->value, TEXT, out->field, &s->f->made.o);
    bonsai_field_text(text, TEXT, out->field, &usual);
    out->changed = strcmp(out->value, text) != 0;
    memcpy(out->name, "--", 2);
    bn_field_option(out->name + 2, out->field);
    return true;
}

static bool by_auto(const bn_sheet *s)
{
    return s->f->made.o.method == BONSAI_METHOD_AUTO;
}

static const char *method_of(const bn_sheet *s)
{
    return s->f->method ? s->f->method : "unknown";
}

static bn_json *option_row(const char *name, bn_json *value, const char *help)
{
    return bn_json_pack("{ss,so,ss}", "name", name, "value", value, "help", help);
}

/* Lists the options that were changed, or the others. */
static bn_json *options_of(const bn_sheet *s, bool changed)
{
    bn_json *rows = bn_json_array();
    option o;
    if (by_auto(s) != changed)
        bn_json_add(rows, option_row("--method",
                                     by_auto(s) ? bn_json_textf("auto (chose %.40s)", method_of(s))
                                                : bn_json_text(method_of(s)),
                                     "how the small graph was made"));
    for (int i = 0; next_option(&o, &i, s);)
        if (o.changed == changed)
            bn_json_add(rows, option_row(o.name,
                                         bn_json_text(*o.value ? o.value
                                                      : o.field->otherwise ? o.field->otherwise
                                                                           : "not given"),
                                         o.field->help));
    return rows;
}

bn_json *bn_sheet_options(const bn_sheet *s)
{
    const bonsai_condense_info *made = &s->f->made.info;
    if (!s->f->made.has_options)
        return bn_json_null();
    bn_json *usual = options_of(s, false);
    return bn_json_pack("{so,so,sI,sb,ss,ss,so}", "changed", options_of(s, true), "usual", usual,
                        "count", (int64_t)bn_json_count(usual), "auto", by_auto(s),
                        "method", method_of(s), "version", bn_fact_text(made, BN_FACT_VERSION),
                        "checksum",
                        bn_json_textf("%08x", (unsigned)bn_fact(made, BN_FACT_CRC)));
}

/* ---- the command --------------------------------------------------------- */

static void put_word(bn_page *line, const char *word)
{
    char quoted[4 * BN_LONGEST_TEXT];
    bonsai_shell_word(quoted, sizeof quoted, word);
    bn_put(line, quoted);
}

static void put_command(bn_page *line, const bn_sheet *s)
{
    option o;
    bn_put(line, "bonsai condense ");
    put_word(line, s->full_path);
    if (s->o->reading && *s->o->reading) {
        bn_put(line, " ");
        bn_put(line, s->o->reading);
    }
    bn_put(line, " -o ");
    put_word(line, s->small_path);
    bn_put(line, " --method ");
    put_word(line, by_auto(s) || !s->f->method ? "auto" : s->f->method);
    for (int i = 0; next_option(&o, &i, s);) {
        if (!o.changed || !*o.value)
            continue;
        bn_put(line, " ");
        bn_put(line, o.name);
        if (o.field->type == BONSAI_FIELD_FLAG && !o.field->words)
            continue;
        bn_put(line, " ");
        put_word(line, o.value);
    }
}

/* Returns the command that makes the graph again, else null: the record of updated prototypes
 * lacks the options from before the update. */
bn_json *bn_sheet_command(const bn_sheet *s)
{
    if (!s->o->command && (!s->f->made.has_options || s->f->made.updated))
        return bn_json_null();
    bn_page line = {0};
    bn_put(&line, s->o->command ? s->o->command : "");
    if (!s->o->command)
        put_command(&line, s);
    bn_json *v = bn_json_pack("{sb,ss}", "learned",
                              bn_fact(&s->f->made.info, BN_FACT_LEARN_ROUNDS) > 0, "command",
                              line.text ? line.text : "");
    if (line.failed)
        bn_json_set(v, "command", NULL);
    bn_page_free(&line);
    return v;
}
