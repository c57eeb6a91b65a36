/* cmd_help.c -- bonsai help: the commands, one of them, the formats, or the methods.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "opt/opt.h"
#include "output/summary.h"
#include "output/text.h"

/* Prints one row per command, for programs. */
static int list_rows(session *s)
{
    static const column columns[] = {{"name", "command", NULL}, {"line", "what it does", NULL},
                                     {NULL, NULL, NULL}};
    summary r = {.count = 0};
    bn_json *rows = bn_json_array();
    for (const command *c = commands; c->name; c++)
        bn_json_add(rows, bn_json_pack("[s,s]", c->name, c->line));
    s->people = 0;
    summary_table(&r, "commands", columns, rows);
    return summary_print(&r, s);
}

static int list_commands(session *s, int all)
{
    enum { NAMES = 10 };
    int further = 0;
    if (s->rows || s->json)
        return list_rows(s);
    put_prose("usage: %s COMMAND [options]\n\n"
              "Makes graphs small for training graph neural networks.\n\n"
              "commands:", calls.program);
    for (const command *c = commands; c->name; c++) {
        if (!all && !c->first) {
            further++;
            continue;
        }
        printf("  %-*s ", NAMES, c->name);
        put_wrapped(c->line, NAMES + 3, NAMES + 3, prose_columns());
        putchar('\n');
    }
    if (calls.several)
        put_prose("\nA GRAPH is a .bonsai file that every rank can open; \"bonsai convert\" makes "
                  "one.  \"%s help COMMAND\" explains one.", calls.program);
    else
        put_prose("\nA GRAPH is a file, a folder, or FORMAT:PATH; \"bonsai help formats\" lists "
                  "them.  \"bonsai help COMMAND\" explains one.  New here?  Try \"bonsai demo\".");
    if (further)
        put_prose("\"%s help all\" lists %d more commands.", calls.program, further);
    if (calls.several)
        put_examples(calls.examples);
    return EXIT_DONE;
}

static int list_formats(session *s)
{
    static const column columns[] = {{"name", "format", NULL},
                                     {"writes", "written", NULL},
                                     {"about", "what it is", NULL},
                                     {NULL, NULL, NULL}};
    summary r = {.count = 0};
    bn_json *rows = bn_json_array();
    for (int i = 0; bonsai_format_name(i); i++)
        bn_json_add(rows, bn_json_pack("[s,b,s]", bonsai_format_name(i),
                                       bonsai_format_writes(i), bonsai_format_help(i)));
    if (style_of(s) != STYLE_JSON)
        put_prose("A GRAPH's format is recognised by its name and contents; FORMAT:PATH sets "
                  "it.\n");
    s->people = 1;
    summary_table(&r, "formats", columns, rows);
    return summary_print(&r, s);
}

static const struct {
    bonsai_method method;
    const char   *kind, *about;
} methods[] = {
#define METHOD(name, value, word, kind, about) {BONSAI_METHOD_##name, kind, about},
    BONSAI_METHOD_MAP(METHOD)
#undef METHOD
};

static int list_methods(session *s)
{
    static const column columns[] = {{"name", "method", NULL}, {"kind", "kind", NULL},
                                     {"about", "what it makes", NULL}, {NULL, NULL, NULL}};
    summary r = {.count = 0};
    bn_json *rows = bn_json_array();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        bn_json_add(rows, bn_json_pack("[s,s,s]", bonsai_method_name(methods[i].method),
                                       methods[i].kind, methods[i].about));
    if (style_of(s) != STYLE_JSON)
        put_prose("\"bonsai condense\" makes a small graph by one of these, which --method names.  "
                  "Those that learn take --effort (0.1: a tenth of the published rounds) and "
                  "--time-limit.\n");
    s->people = 1;
    summary_table(&r, "methods", columns, rows);
    return summary_print(&r, s);
}

int cmd_help(session *s, int argc, char **argv)
{
    static char flag[] = "--help", every[] = "all";
    const char *args[2] = {NULL, NULL};
    static const bonsai_field own[] = {
        {.name = "rows", OWN(session, rows, FLAG),
         .help = "one row per command or per option, for completions and other programs"}, {0}};
    const opt_spec spec = {
        .usage = "help [all | COMMAND [all] | formats | methods] [--rows] [--json]",
        .about = "Lists the main commands or all, explains one with its main options or all, or lists\n"
                 "the formats of graphs or the methods of condensing.",
        .examples = "  bonsai help convert\n  bonsai help condense all\n  bonsai help formats\n",
        .args = "[COMMAND] [all]",
        .values = args,
        .groups = (const opt_group[]){{.base = s, .own = own}, {0}},
        .shared = OPT_JSON,
    };
    int code = opt_parse(s, &spec, argc, argv);
    if (code != OPT_GO)
        return code;
    const char *topic = args[0];
    if (args[1] && strcmp(args[1], every) != 0)
        return refuse(s, "\"%s\" is neither the word \"all\" nor an option", args[1]);
    if (!topic || strcmp(topic, every) == 0)
        return list_commands(s, topic != NULL);
    if (strcmp(topic, "formats") == 0)
        return list_formats(s);
    if (strcmp(topic, "methods") == 0)
        return list_methods(s);
    const command *c = command_find(topic);
    if (!c)
        return refuse_command(s, topic);
    char name[32];
    snprintf(name, sizeof name, "%s", c->name);
    char *help[] = {name, flag, args[1] ? every : NULL, NULL};
    s->command = c->name;
    return c->run(s, args[1] ? 3 : 2, help);
}
