/* opt_help.c -- the help of a command, for people and as rows for completions and the manual.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "opt/opt_row.h"
#include "output/text.h"
#include "output/summary.h"

static void join(char *out, size_t size, const char *const *words, const char *between)
{
    size_t at = 0;
    *out = 0;
    for (int i = 0; words && words[i] && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? between : "", words[i]);
}

/* Writes "help text (default 5)", or "(otherwise ...)"; for a list also its words. */
static void help_text(char *out, size_t size, const opt *o)
{
    char value[256] = "", words[256];
    join(words, sizeof words, o->f->words, ", ");
    const int list = opt_is_list(o->f);
    if (!opt_is_flag(o))
        bonsai_field_text(value, sizeof value, o->f, o->base);
    int len = snprintf(out, size, "%s%s%s%s", o->f->help, list ? ": " : "", list ? words : "",
                       list ? ", or all" : "");
    if (*value)
        snprintf(out + len, size - (size_t)len, " (default %s)", value);
    else if (o->f->otherwise)
        snprintf(out + len, size - (size_t)len, " (otherwise %s)", o->f->otherwise);
}

enum { BEGIN = 27 };            /* the column where the help of an option begins */

/* Prints an option and its words; breaks full lines behind a |. */
static void print_left(const char *left, const char *name, int columns)
{
    const int indent = (int)strlen(name) + 9;
    int at = 0;
    for (const char *word = left; *word;) {
        const int width = (int)strcspn(word, "|") + (strchr(word, '|') != NULL);
        if (at > 0 && at + width > columns)
            at = printf("\n%*s", indent, "") - 1;
        at += printf("%.*s", width, word);
        word += width;
    }
}

/* Prints the help of an option; keeps "(default ...)" on one line. */
static void print_help(const opt *o, int columns)
{
    char help[1024];
    help_text(help, sizeof help, o);
    char *preset = strstr(help, " (default ");
    if (preset)
        *preset++ = 0;
    int at = put_wrapped(help, BEGIN, BEGIN, columns);
    if (preset && at + 1 + text_width(preset) > columns)
        printf("\n%*s%s", BEGIN, "", preset);
    else if (preset)
        printf(" %s", preset);
    putchar('\n');
}

static void print_row(const opt *o)
{
    char left[256];
    const int columns = prose_columns();
    int len = o->f->letter ? snprintf(left, sizeof left, "  -%c, --%s", o->f->letter, o->name)
                           : snprintf(left, sizeof left, "      --%s", o->name);
    if (*o->arg && len < (int)sizeof left)
        len += snprintf(left + len, sizeof left - (size_t)len, " %s", o->arg);
    print_left(left, o->name, columns);
    const int below = len > BEGIN - 2;
    printf("%s%*s", below ? "\n" : "", BEGIN - (below ? 0 : len), "");
    print_help(o, columns);
}

/* Returns the kind of value, for completions. */
static const char *value_kind(const opt *o)
{
    static const char *const kinds[] = {
        [BONSAI_FIELD_FLAG] = "words", [BONSAI_FIELD_CHOICE] = "words",
        [BONSAI_FIELD_INT] = "number", [BONSAI_FIELD_LONG] = "number",
        [BONSAI_FIELD_BYTES] = "size", [BONSAI_FIELD_U64] = "number",
        [BONSAI_FIELD_REAL] = "number", [BONSAI_FIELD_SPEED] = "size",
        [BONSAI_FIELD_SPLIT] = "split", [BONSAI_FIELD_TEXT] = "text", [BONSAI_FIELD_FILE] = "file"};
    if (opt_is_flag(o))
        return "none";
    return opt_is_list(o->f) ? "list" : kinds[o->f->type];
}

static bn_json *argument_rows(const char *args)
{
    bn_json *rows = bn_json_array();
    for (args += strspn(args, " ["); *args; args += strspn(args, " []")) {
        int len = (int)strcspn(args, " []");
        bn_json_add(rows, bn_json_pack("[s%]", args, (size_t)len));
        args += len;
    }
    return rows;
}

/* Prints one row per option and per argument, for programs. */
static int print_rows(const parser *p)
{
    static const column names[] = {{"name", "name", NULL}, {NULL, NULL, NULL}};
    static const column columns[] = {
        {"option", "option", NULL}, {"letter", "letter", NULL}, {"value", "value", NULL},
        {"name", "name", NULL}, {"words", "words", NULL}, {"common", "common", NULL},
        {"help", "help", NULL}, {"group", "group", NULL}, {NULL, NULL, NULL}};
    summary r = {.count = 0};
    bn_json *rows = bn_json_array();
    for (int i = 0; i < p->count; i++) {
        const opt *o = &p->row[i];
        if (o->hidden)
            continue;
        char letter[2] = {(char)o->f->letter, 0}, words[256], help[1024];
        join(words, sizeof words, o->f->words, " ");
        help_text(help, sizeof help, o);
        bn_json_add(rows, bn_json_pack("[s,s,s,s,s,i,s,s]", o->name, letter, value_kind(o),
                                       o->arg, words, o->common, help, opt_heading(p, o)));
    }
    p->s->people = 0;
    summary_table(&r, "options", columns, rows);
    summary_table(&r, "arguments", names, argument_rows(p->spec->args));
    return summary_print(&r, p->s);
}

static void print_usage(const parser *p)
{
    char line[256];
    snprintf(line, sizeof line, "usage: %s %s", calls.program, p->spec->usage);
    put_wrapped(line, 0, (int)(strlen("usage: ") + strlen(calls.program) + 1), prose_columns());
    puts("\n");
}

const char *opt_heading(const parser *p, const opt *o)
{
    if (p->grouped)
        return bonsai_group_name(o->group);
    return o->common && !p->row[0].common ? "common options" : "options";
}

/* Returns 1 if short help leaves the option out. */
static int is_further(const parser *p, const opt *o)
{
    return p->help < 2 && p->grouped && o->group != BONSAI_GROUP_MAIN &&
           !(o->f->marks & BONSAI_MARK_FIRST);
}

/* Names what short help leaves out. */
static void print_further(const parser *p)
{
    const char *heading = "";
    char list[512] = "";
    int count = 0;
    size_t at = 0;
    for (int i = 0; i < p->count; i++) {
        const char *now = opt_heading(p, &p->row[i]);
        if (p->row[i].hidden || !is_further(p, &p->row[i]))
            continue;
        if (strcmp(now, heading) != 0)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", count ? ", " : "", now);
        heading = now;
        count++;
    }
    if (count)
        put_prose("\n\"%s %s --help all\" shows %d more: %s.", calls.program, p->s->command, count,
                  list);
}

static void print_options(const parser *p)
{
    const char *heading = "";
    for (int i = 0; i < p->count; i++) {
        const char *now = p->grouped && p->help < 2 ? bonsai_group_name(BONSAI_GROUP_MAIN)
                                                    : opt_heading(p, &p->row[i]);
        if (p->row[i].hidden || is_further(p, &p->row[i]))
            continue;
        if (strcmp(now, heading) != 0)
            printf("\n%s:\n", now);
        print_row(&p->row[i]);
        heading = now;
    }
    print_further(p);
}

int opt_help(const parser *p)
{
    const char *examples = calls.examples ? calls.examples : p->spec->examples;
    if (p->s->rows || p->s->json)
        return print_rows(p);
    print_usage(p);
    put_prose("%s", p->spec->about);
    print_options(p);
    if (examples)
        put_examples(examples);
    return EXIT_DONE;
}
