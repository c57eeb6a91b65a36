/* opt.c -- options as rows of a table.
 *
 * One row is the parser, the help line and the default, which is what the row's
 * value holds before parsing: the library's init functions put it there.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { ROWS = 48 };

typedef struct {
    session        *s;
    const opt_spec *spec;
    opt             row[ROWS];
    int             own, count; /* rows of the command itself; all */
    int             help;
    int             taken;      /* arguments that are no options */
} parser;

static void add(parser *p, opt o)
{
    if (p->count < ROWS)
        p->row[p->count++] = o;
}

static void gather(parser *p)
{
    session *s = p->s;
    bonsai_read_options *r = &s->read;
    for (const opt *o = p->spec->rows; o && o->kind != OPT_END; o++)
        add(p, *o);
    p->own = p->count;
    if (p->spec->shared & OPT_READS) {
        add(p, (opt){OPT_FLAG, 0, "keep-directed", NULL, &r->keep_directed,
                     "keep entries without their reverse; else it is added", NULL});
        add(p, (opt){OPT_FLAG, 0, "keep-self-loops", NULL, &r->keep_self_loops,
                     "keep edges from a node to itself; else dropped", NULL});
        add(p, (opt){OPT_FLAG, 0, "keep-repeated", NULL, &r->keep_repeated,
                     "keep repeated edges; else merged", NULL});
        add(p, (opt){OPT_TEXT, 0, "features", "FILE", &r->features,
                     "features of a text or mtx graph, else found by name", NULL});
        add(p, (opt){OPT_TEXT, 0, "labels", "FILE", &r->labels,
                     "labels and split of a text or mtx graph, likewise", NULL});
    }
    if (p->spec->shared & (OPT_READS | OPT_THREADS))
        add(p, (opt){OPT_INT, 't', "threads", "N", &r->threads, "threads, 0 for every core",
                     "0..1024"});
    if (p->spec->shared & OPT_JSON)
        add(p, (opt){OPT_FLAG, 0, "json", NULL, &s->json, "print the results as JSON", NULL});
    add(p, (opt){OPT_FLAG, 'q', "quiet", NULL, &s->quiet, "no progress and no notes", NULL});
    add(p, (opt){OPT_FLAG, 'v', "verbose", NULL, &s->verbose,
                 "end with version, command, time and memory on stderr", NULL});
    add(p, (opt){OPT_FLAG, 'h', "help", NULL, &p->help, "print this and exit", NULL});
}

/* "0..1", "1..", or ">0..1", which leaves 0 out. */
static int in_range(const char *range, double value)
{
    char *end;
    if (!range)
        return 1;
    int open = *range == '>';
    double low = strtod(range + open, &end);    /* of "0..1" it takes "0." */
    const char *high = strstr(range, "..") + 2;
    return (open ? value > low : value >= low) && (!*high || value <= strtod(high, &end));
}

/* ---- help ---------------------------------------------------------------- */

/* Word number `at` of "a|b|c"; its length, 0 behind the last. */
static int choice(const char **word, const char *words, int at)
{
    while (at-- > 0) {
        words = strchr(words, '|');
        if (!words)
            return 0;
        words++;
    }
    *word = words;
    return (int)strcspn(words, "|");
}

static double number(const opt *o)
{
    switch (o->kind) {
    case OPT_INT:
        return *(const int *)o->value;
    case OPT_LONG:
        return (double)*(const int64_t *)o->value;
    case OPT_REAL:
        return *(const double *)o->value;
    default:
        return 0;
    }
}

static void print_default(const opt *o)
{
    const char *word = "";
    int len;
    if (o->range && !in_range(o->range, number(o)))
        return;                                 /* a number that could not be given: not set */
    switch (o->kind) {
    case OPT_INT:
        printf(" (default %d)", *(const int *)o->value);
        break;
    case OPT_LONG:
        printf(" (default %lld)", (long long)*(const int64_t *)o->value);
        break;
    case OPT_U64:
        printf(" (default %llu)", (unsigned long long)*(const uint64_t *)o->value);
        break;
    case OPT_REAL:
        printf(" (default %g)", *(const double *)o->value);
        break;
    case OPT_TEXT:
        if (*(const char *const *)o->value)
            printf(" (default %s)", *(const char *const *)o->value);
        break;
    case OPT_CHOICE:
        len = choice(&word, o->arg, *(const int *)o->value);
        printf(" (default %.*s)", len, word);
        break;
    default:
        break;
    }
}

static void print_row(const opt *o)
{
    enum { WIDTH = 25 };
    char left[256];
    int len = o->letter ? snprintf(left, sizeof left, "  -%c, --%s", o->letter, o->name)
                        : snprintf(left, sizeof left, "      --%s", o->name);
    if (o->arg && len < (int)sizeof left)
        len += snprintf(left + len, sizeof left - (size_t)len, " %s", o->arg);
    if (len > WIDTH)
        printf("%s\n%*s", left, WIDTH + 2, "");
    else
        printf("%-*s", WIDTH + 2, left);
    for (const char *c = o->help; *c; c++)
        if (*c == '\n')
            printf("\n%*s", WIDTH + 2, "");
        else
            putchar(*c);
    print_default(o);
    putchar('\n');
}

static int print_help(const parser *p)
{
    printf("usage: %s %s\n\n%s\n", crew.program, p->spec->usage, p->spec->about);
    if (p->own)
        puts("\noptions:");
    for (int i = 0; i < p->own; i++)
        print_row(&p->row[i]);
    puts(p->own ? "\ncommon options:" : "\noptions:");
    for (int i = p->own; i < p->count; i++)
        print_row(&p->row[i]);
    const char *examples = crew.examples ? crew.examples : p->spec->examples;
    if (examples)
        printf("\nexamples:\n%s", examples);
    return EXIT_DONE;
}

/* ---- values -------------------------------------------------------------- */

int parse_real(const char *text, double *out)
{
    char *end;
    if (strspn(text, "0123456789+-.eE") != strlen(text) || !*text)
        return 0;                               /* no spaces, hexadecimal, inf or nan */
    errno = 0;
    *out = strtod(text, &end);
    return *end == 0 && isfinite(*out);
}

int parse_whole(const char *text, int64_t *out)
{
    char *end;
    if (strspn(text, "0123456789+-") != strlen(text) || !*text)
        return 0;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return *end == 0 && end > text;
}

int parse_parts(session *s, double percent[3], const char *option, const char *text)
{
    char copy[96];
    const char *whole = strcmp(text, "random") == 0 ? "60/20/20" : text;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        size_t len = strcspn(whole, "/");
        snprintf(copy, sizeof copy, "%.*s", (int)(len < sizeof copy ? len : 0), whole);
        if (whole[len] != (i < 2 ? '/' : 0) || !parse_real(copy, &percent[i]))
            return refuse(s, "%s is \"%s\", which is not of the form 60/20/20", option, text);
        if (percent[i] < 0 || percent[i] > 100)
            return refuse(s, "%s is \"%s\", but %s is outside 0..100", option, text, copy);
        sum += percent[i];
        whole += len + 1;
    }
    if (sum > 100 + 1e-9)
        return refuse(s, "%s is \"%s\", which sums to %g, more than 100", option, text, sum);
    return OPT_GO;
}

/* K, M, G and T, as KiB and so on, are powers of 1024, KB and so on those of 1000. */
static int parse_size(const char *text, int64_t *out)
{
    static const char units[] = "KMGT";
    size_t digits = strspn(text, "0123456789.");
    char number[32];
    double bytes, thousand = 1024;
    const char *unit = text + digits;
    const char *at = *unit ? strchr(units, toupper((unsigned char)*unit)) : NULL;
    snprintf(number, sizeof number, "%.*s", (int)(digits < sizeof number ? digits : 0), text);
    if (!parse_real(number, &bytes) || (*unit && !at && strcmp(unit, "B") != 0))
        return 0;
    if (at && strcmp(unit + 1, "B") == 0)
        thousand = 1000;
    else if (at && unit[1] && strcmp(unit + 1, "iB") != 0)
        return 0;
    for (; at && at >= units; at--)
        bytes *= thousand;
    *out = bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
    return 1;
}

static int parse_unsigned(const char *text, uint64_t *out)
{
    char *end;
    if (strspn(text, "0123456789") != strlen(text) || !*text)
        return 0;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return *end == 0 && errno == 0;
}

static int set_choice(const opt *o, const char *text)
{
    const char *word;
    for (int i = 0, len; (len = choice(&word, o->arg, i)) > 0; i++)
        if (strlen(text) == (size_t)len && strncmp(text, word, (size_t)len) == 0) {
            *(int *)o->value = i;
            return 1;
        }
    return 0;
}

static int no_choice(parser *p, const opt *o, const char *text)
{
    enum { WORDS = 16 };
    const char *names[WORDS], *word, *near;
    char copy[WORDS][32];
    int count = 0;
    for (int len; count < WORDS && (len = choice(&word, o->arg, count)) > 0; count++) {
        snprintf(copy[count], sizeof copy[0], "%.*s", len, word);
        names[count] = copy[count];
    }
    near = text_nearest(text, names, count);
    return refuse(p->s, "--%s is \"%s\", which is none of %s%s%s%s", o->name, text, o->arg,
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int bad(parser *p, const opt *o, const char *text, const char *why)
{
    return refuse(p->s, "--%s is \"%s\", which is %s", o->name, text, why);
}

static int out_of_range(parser *p, const opt *o, const char *text)
{
    size_t len = strlen(o->range);
    const char *dots = strstr(o->range, "..");
    if (*o->range == '>')
        return refuse(p->s, "--%s is %s, which is not above %.*s and at most %s", o->name, text,
                      (int)(dots - o->range) - 1, o->range + 1, dots + 2);
    if (o->range[len - 1] == '.')
        return refuse(p->s, "--%s is %s, which is less than %.*s", o->name, text, (int)len - 2,
                      o->range);
    return refuse(p->s, "--%s is %s, which is outside %s", o->name, text, o->range);
}

static int set_number(parser *p, const opt *o, const char *text)
{
    int64_t whole = 0;
    double real = 0;
    if (o->kind == OPT_REAL ? !parse_real(text, &real) : !parse_whole(text, &whole))
        return bad(p, o, text, o->kind == OPT_REAL ? "not a number" : "not a whole number");
    if (o->kind != OPT_REAL && errno == ERANGE)
        return bad(p, o, text, "too large");
    if (o->kind != OPT_REAL)
        real = (double)whole;
    if (!in_range(o->range, real))
        return out_of_range(p, o, text);
    if (o->kind == OPT_REAL)
        *(double *)o->value = real;
    else if (o->kind == OPT_LONG)
        *(int64_t *)o->value = whole;
    else if (whole < INT_MIN || whole > INT_MAX)
        return bad(p, o, text, "too large");
    else
        *(int *)o->value = (int)whole;
    return OPT_GO;
}

static int set(parser *p, const opt *o, const char *text)
{
    switch (o->kind) {
    case OPT_FLAG:
        *(int *)o->value = 1;
        return OPT_GO;
    case OPT_U64:
        if (!parse_unsigned(text, o->value))
            return bad(p, o, text, "not a whole number of at most 64 bits");
        return OPT_GO;
    case OPT_SIZE:
        if (!parse_size(text, o->value))
            return bad(p, o, text, "not a size such as 500M or 3G");
        return OPT_GO;
    case OPT_TEXT:
        if (!*text)
            return refuse(p->s, "--%s is empty", o->name);
        *(const char **)o->value = text;
        return OPT_GO;
    case OPT_CHOICE:
        if (!set_choice(o, text))
            return no_choice(p, o, text);
        return OPT_GO;
    default:
        return set_number(p, o, text);
    }
}

/* ---- the walk over argv --------------------------------------------------- */

static const opt *by_name(const parser *p, const char *name, size_t len)
{
    for (int i = 0; i < p->count; i++)
        if (strlen(p->row[i].name) == len && strncmp(p->row[i].name, name, len) == 0)
            return &p->row[i];
    return NULL;
}

static const opt *by_letter(const parser *p, char letter)
{
    for (int i = 0; i < p->count; i++)
        if (p->row[i].letter == letter)
            return &p->row[i];
    return NULL;
}

static int unknown(parser *p, const char *name, size_t len)
{
    const char *names[ROWS], *near;
    char word[33];
    for (int i = 0; i < p->count; i++)
        names[i] = p->row[i].name;
    snprintf(word, sizeof word, "%.*s", (int)(len < 32 ? len : 32), name);
    near = text_nearest(word, names, p->count);
    if (near)
        return refuse(p->s, "there is no option --%s; did you mean --%s?", word, near);
    return refuse(p->s, "there is no option --%s", word);
}

/* "--name", "--name=value" or "--name" "value". */
static int long_option(parser *p, int *i, int argc, char **argv)
{
    const char *name = argv[*i] + 2, *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const opt *o = by_name(p, name, len);
    if (!o)
        return unknown(p, name, len);
    if (o->kind == OPT_FLAG && equals)
        return refuse(p->s, "--%s takes no value", o->name);
    if (o->kind != OPT_FLAG && !equals && ++*i == argc)
        return refuse(p->s, "--%s needs a value, %s", o->name, o->arg);
    return set(p, o, o->kind == OPT_FLAG ? "" : equals ? equals + 1 : argv[*i]);
}

/* "-q", "-qv", "-s7" or "-s" "7". */
static int short_options(parser *p, int *i, int argc, char **argv)
{
    for (const char *at = argv[*i] + 1; *at; at++) {
        const opt *o = by_letter(p, *at);
        int code;
        if (!o)
            return refuse(p->s, "there is no option -%c", *at);
        if (o->kind != OPT_FLAG) {
            if (!at[1] && ++*i == argc)
                return refuse(p->s, "-%c needs a value, %s", *at, o->arg);
            return set(p, o, at[1] ? at + 1 : argv[*i]);
        }
        if ((code = set(p, o, "")) != OPT_GO)
            return code;
    }
    return OPT_GO;
}

/* The name of argument `at` in "IN OUT"; its length, 0 behind the last. */
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

static int argument(parser *p, const char *text)
{
    const char *name;
    if (arg_name(&name, p->spec->args, p->taken) == 0)
        return refuse(p->s, "\"%s\" is one argument too many", text);
    if (!*text)
        return refuse(p->s, "%.*s is empty", arg_name(&name, p->spec->args, p->taken), name);
    p->spec->values[p->taken++] = text;
    return OPT_GO;
}

static int asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
            return 1;
    return 0;
}

int opt_parse(session *s, const opt_spec *spec, int argc, char **argv)
{
    parser p = {.s = s, .spec = spec};
    int code = OPT_GO, only_arguments = 0;
    const char *name;
    gather(&p);
    if (asks_for_help(argc, argv))
        return print_help(&p);
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
        return print_help(&p);
    int len = arg_name(&name, spec->args, p.taken);
    if (code == OPT_GO && len > 0 && *name != '[')
        return refuse(s, "%.*s is missing", len, name);
    s->progress.quiet = s->quiet || s->mute;
    return code;
}
