/* opt.c -- options of the program: fields of the library's structs, and rows of the same kind.
 *
 * One row is the parser, the help line and the range.  The default is the value in the row's struct
 * before parsing, which the library's init functions set.
 *
 * SPDX-License-Identifier: MIT */
#include "opt/opt_row.h"
#include "files/files.h"
#include "output/text.h"
#include "output/summary.h"

#include <string.h>
#include <unistd.h>

/* ---- rows ---------------------------------------------------------------- */

static const opt *by_name(const parser *p, const char *name, size_t len)
{
    for (int i = 0; i < p->count; i++)
        if (strlen(p->row[i].name) == len && strncmp(p->row[i].name, name, len) == 0)
            return &p->row[i];
    return NULL;
}

int opt_is_list(const bonsai_field *f)
{
    return f->words && (f->type == BONSAI_FIELD_TEXT || f->type == BONSAI_FIELD_SET);
}

/* Sets o->arg to "gain|density", "all|N" or "N". */
static void name_value(opt *o)
{
    const bonsai_field *f = o->f;
    const char *arg = f->arg ? f->arg : "";
    size_t at = 0;
    for (int i = 0; f->words && f->words[i] && !opt_is_list(f); i++)
        at += (size_t)snprintf(o->arg + at, sizeof o->arg - at, "%s%s", i ? "|" : "", f->words[i]);
    snprintf(o->arg + at, sizeof o->arg - at, "%s%s", at && *arg ? "|" : "", arg);
}

void option_name(char *out, size_t size, const bonsai_field *f)
{
    snprintf(out, size, "%s", f->option ? f->option : f->name);
    for (char *c = out; *c; c++)
        if (*c == '_')
            *c = '-';
}

const bonsai_field *field_named(bonsai_options_kind kind, const char *name)
{
    const bonsai_field *f;
    for (int i = 0; (f = bonsai_field_at(kind, i)); i++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const bonsai_field *next_changed(bonsai_options_kind kind, const void *options, const void *usual,
                                 int *i)
{
    const bonsai_field *f;
    char now[96], then[96];
    while ((f = bonsai_field_at(kind, (*i)++))) {
        bonsai_field_text(now, sizeof now, f, options);
        bonsai_field_text(then, sizeof then, f, usual);
        if (strcmp(now, then) != 0)
            break;
    }
    return f;
}

/* Returns 1 if names, separated by spaces, contain this one. */
static int holds(const char *names, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += len)
        if ((at == names || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
            return 1;
    return 0;
}

static void add(parser *p, const bonsai_field *f, void *base, int common)
{
    opt o = {.f = f, .base = base, .value = (char *)base + f->offset, .common = common,
             .group = f->group};
    o.hidden = calls.several && p->spec->alone && holds(p->spec->alone, f->name);
    option_name(o.name, sizeof o.name, f);
    name_value(&o);
    if (p->count < MOST_OPTIONS && !by_name(p, o.name, strlen(o.name)))
        p->row[p->count++] = o;
}

/* Returns 1 if the group takes the field; threads are those of the session. */
static int takes(const opt_group *g, const bonsai_field *f)
{
    if (!f->help || (g->only && !holds(g->only, f->name)) || (g->but && holds(g->but, f->name)))
        return 0;
    return g->kind == BONSAI_OPTIONS_READ || !(f->marks & BONSAI_MARK_LOCAL);
}

static void add_group(parser *p, const opt_group *g, int common)
{
    const bonsai_field *f = g->own;
    for (; f && f->name; f++)
        add(p, f, g->base, common);
    for (int i = 0; !g->own && (f = bonsai_field_at(g->kind, i)); i++)
        if (takes(g, f))
            add(p, f, g->base, common);
}

/* Sorts the rows of a long list by group; a row alone in its group joins the first group. */
static void order(parser *p)
{
    enum { A_SCREEN = 18 };
    opt row[MOST_OPTIONS];
    int at = 0, count[BONSAI_GROUP_COUNT] = {0};
    p->grouped = p->count > A_SCREEN;
    for (int i = 0; i < p->count; i++)
        count[p->row[i].group]++;
    for (int i = 0; i < p->count; i++)
        if (count[p->row[i].group] == 1)
            p->row[i].group = BONSAI_GROUP_MAIN;
    for (int group = 0; p->grouped && group < BONSAI_GROUP_COUNT; group++)
        for (int i = 0; i < p->count; i++)
            if (p->row[i].group == group)
                row[at++] = p->row[i];
    for (int i = 0; i < at; i++)
        p->row[i] = row[i];
}

static void gather(parser *p)
{
    static const bonsai_field json[] = {
        {.name = "json", OWN(session, json, FLAG), .group = BONSAI_GROUP_OUTPUT,
         .marks = BONSAI_MARK_FIRST, .help = "print the results as JSON"}, {0}};
    static const bonsai_field common[] = {
        {.name = "quiet", OWN(session, quiet, FLAG), .group = BONSAI_GROUP_OUTPUT, .letter = 'q',
         .marks = BONSAI_MARK_FIRST, .help = "no progress and no notes"},
        {.name = "verbose", OWN(session, verbose, FLAG), .group = BONSAI_GROUP_OUTPUT,
         .letter = 'v', .marks = BONSAI_MARK_FIRST,
         .help = "show every fact, and end with version, command, time and memory on stderr"}, {0}};
    static const bonsai_field help[] = {
        {.name = "help", OWN(parser, help, FLAG), .group = BONSAI_GROUP_OUTPUT, .letter = 'h',
         .marks = BONSAI_MARK_FIRST, .help = "print this and exit; --help all: every option"}, {0}};
    const int shared = p->spec->shared;
    for (const opt_group *g = p->spec->groups; g && g->base; g++)
        add_group(p, g, 0);
    if (shared & (OPT_READS | OPT_THREADS))
        add_group(p, &(opt_group){.base = &p->s->read, .kind = BONSAI_OPTIONS_READ,
                                  .only = shared & OPT_READS ? NULL : "threads"}, 1);
    if (shared & OPT_JSON)
        add_group(p, &(opt_group){.base = p->s, .own = json}, 1);
    add_group(p, &(opt_group){.base = p->s, .own = common}, 1);
    add_group(p, &(opt_group){.base = p, .own = help}, 1);
    order(p);
}

int opt_is_flag(const opt *o)
{
    return o->f->type == BONSAI_FIELD_FLAG && !o->f->words;
}

/* ---- the walk over argv --------------------------------------------------- */

static const opt *by_letter(const parser *p, char letter)
{
    for (int i = 0; i < p->count; i++)
        if (p->row[i].f->letter == letter)
            return &p->row[i];
    return NULL;
}

static int unknown(parser *p, const char *name, size_t len)
{
    const char *names[MOST_OPTIONS], *near;
    char word[33];
    for (int i = 0; i < p->count; i++)
        names[i] = p->row[i].name;
    snprintf(word, sizeof word, "%.*s", (int)(len < 32 ? len : 32), name);
    near = text_nearest(word, names, p->count);
    if (near)
        return refuse(p->s, "there is no option --%s; did you mean --%s?", word, near);
    return refuse(p->s, "there is no option --%s", word);
}

int option_given(const session *s, const char *field)
{
    int i = 0;
    while (i < s->given_count && strcmp(s->given[i], field) != 0)
        i++;
    return i < s->given_count;
}

void options_of_reading(char *line, size_t size, const session *s)
{
    const bonsai_field *f;
    for (int i = 0; (f = bonsai_field_at(BONSAI_OPTIONS_READ, i)); i++) {
        char name[48], value[MOST_PATH], word[2 * MOST_PATH] = "";
        if (!option_given(s, f->name) || strcmp(f->name, "threads") == 0)
            continue;
        option_name(name, sizeof name, f);
        if (f->type != BONSAI_FIELD_FLAG && bonsai_field_text(value, sizeof value, f, &s->read) > 0)
            text_word(word, sizeof word, value);
        const size_t at = strlen(line);
        snprintf(line + at, size - at, " --%s%s%s", name, *word ? " " : "", word);
    }
}

static int set(parser *p, const opt *o, const char *text)
{
    session *s = p->s;
    if (!option_given(s, o->f->name) && s->given_count < MOST_OPTIONS)
        s->given[s->given_count++] = o->f->name;      /* a row may be gone after parsing */
    return opt_set(s, o, text);
}

/* Reads "--name", "--name=value" or "--name" "value". */
static int long_option(parser *p, int *i, int argc, char **argv)
{
    const char *name = argv[*i] + 2, *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const opt *o = by_name(p, name, len);
    if (!o)
        return unknown(p, name, len);
    if (opt_is_flag(o) && equals)
        return refuse(p->s, "--%s takes no value", o->name);
    if (!opt_is_flag(o) && !equals && ++*i == argc)
        return refuse(p->s, "--%s needs a value, %s", o->name, o->arg);
    return set(p, o, opt_is_flag(o) ? "" : equals ? equals + 1 : argv[*i]);
}

/* Reads "-q", "-qv", "-s7" or "-s" "7". */
static int short_options(parser *p, int *i, int argc, char **argv)
{
    for (const char *at = argv[*i] + 1; *at; at++) {
        const opt *o = by_letter(p, *at);
        int code;
        if (!o)
            return refuse(p->s, "there is no option -%c", *at);
        if (!opt_is_flag(o)) {
            if (!at[1] && ++*i == argc)
                return refuse(p->s, "-%c needs a value, %s", *at, o->arg);
            return set(p, o, at[1] ? at + 1 : argv[*i]);
        }
        if ((code = set(p, o, "")) != OPT_GO)
            return code;
    }
    return OPT_GO;
}

/* Finds the name of argument `at` in "IN OUT"; returns its length, 0 after the last. */
static int arg_name(const char **name, const char *names, int at)
{
    names += strspn(names, " ");
    for (; at > 0 && *names; at--) {
        names += strcspn(names, " ");
        names += strspn(names, " ");
    }
    *name = names;
    return (int)strcspn(names, " ");
}

/* Returns 1 if the line should name a file to write and does not. */
static int lacks_output(const parser *p)
{
    char *const *word = p->s->words;
    while (word && *word && strncmp(*word, "-o", 2) != 0 && strncmp(*word, "--output", 8) != 0)
        word++;
    return by_letter(p, 'o') && word && !*word;
}

/* Returns 1 if text may be meant as that file: it does not exist, and is not a graph where rows of
 * text are due. */
static int may_be_output(const parser *p, const char *text)
{
    const int rows = strcmp(by_letter(p, 'o')->arg, "FILE") == 0;
    return access(text, F_OK) != 0 && !(rows && strstr(text, ".bonsai"));
}

static int too_many(const parser *p, const char *text)
{
    if (lacks_output(p) && may_be_output(p, text))
        return refuse(p->s, "\"%s\" is one argument too many; did you mean -o %s?", text, text);
    return refuse(p->s, "\"%s\" is one argument too many", text);
}

static int argument(parser *p, const char *text)
{
    const char *name;
    if (arg_name(&name, p->spec->args, p->taken) == 0)
        return too_many(p, text);
    if (!*text)
        return refuse(p->s, "%.*s is empty", arg_name(&name, p->spec->args, p->taken), name);
    p->spec->values[p->taken++] = text;
    return OPT_GO;
}

/* Returns 1 if help is asked for, 2 if all of it is. */
static int asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
            return 1 + (i + 1 < argc && strcmp(argv[i + 1], "all") == 0);
    return 0;
}

int opt_parse(session *s, const opt_spec *spec, int argc, char **argv)
{
    parser p = {.s = s, .spec = spec};
    int code = OPT_GO, only_arguments = 0;
    const char *name;
    s->given_count = 0;
    gather(&p);
    p.help = asks_for_help(argc, argv);
    if (p.help)
        return opt_help(&p);
    for (int i = 1; i < argc && code == OPT_GO; i++) {
        if (only_arguments || argv[i][0] != '-' || !argv[i][1])
            code = argument(&p, argv[i]);
        else if (strcmp(argv[i], "--") == 0)
            only_arguments = 1;
        else if (argv[i][1] == '-')
            code = long_option(&p, &i, argc, argv);
        else
            code = short_options(&p, &i, argc, argv);
    }
    if (code == OPT_GO && p.help)
        return opt_help(&p);
    int len = arg_name(&name, spec->args, p.taken);
    if (code == OPT_GO && len > 0 && *name != '[')
        return refuse(s, "%.*s is missing", len, name);
    s->progress.quiet = s->quiet || s->mute;
    return code;
}
