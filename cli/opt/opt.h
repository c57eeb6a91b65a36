/* opt.h -- what a command declares of its options, and the values that lists hold.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_OPT_H
#define BONSAI_OPT_H

#include "program.h"

/* An option is a field as in bonsai_study.h: of one of the library's option structs, or a row of
 * the command, with its offset in a struct of the command. */
#define OWN(object, member, kind) .type = BONSAI_FIELD_##kind, .offset = offsetof(object, member)

typedef struct {
    void               *base;   /* the struct, which holds the defaults before parsing */
    const bonsai_field *own;    /* rows, ended by a NULL name; NULL: the library's fields of kind */
    bonsai_options_kind kind;
    const char         *only;   /* names of the fields to take, separated by spaces; NULL: all */
    const char         *but;    /* names of the fields to leave out */
} opt_group;

enum { OPT_READS = 1, OPT_THREADS = 2, OPT_JSON = 4 };  /* rows that commands share */

typedef struct {
    const char  *usage;         /* after "bonsai " */
    const char  *about;         /* a sentence or two */
    const char  *examples;      /* lines, each ended */
    const char  *args;          /* names of the arguments, "IN OUT"; "[CMD]": may be left out */
    const char **values;        /* one for each name */
    const opt_group *groups;    /* ended by a NULL base; the first row of a name counts */
    int          shared;        /* OPT_READS | ... */
    const char  *alone;         /* fields, "a b", that one process takes only; NULL: none */
} opt_spec;

enum { OPT_GO = -1 };
/* Fills the groups' structs.  Returns OPT_GO, or the exit code. */
int opt_parse(session *s, const opt_spec *spec, int argc, char **argv);
/* Returns 1 if the line has the option of this field. */
int option_given(const session *s, const char *field);
/* Adds how GRAPH was read to a line, for the command that reads it next. */
void options_of_reading(char *line, size_t size, const session *s);
int parse_real(const char *text, double *out);          /* 1: a finite number and nothing else */
int parse_whole(const char *text, int64_t *out);        /* the same; errno is ERANGE: too large */
int parse_share(const char *text, double *out);         /* a number, or percent: "0.01", "1%" */
/* The shares in "0.01,3%", each above 0 and at most 1, none twice.  OPT_GO, or EXIT_USAGE. */
int parse_ratios(session *s, double *out, int *count, int most, const char *text);
/* The indices of the words in "a,b,c"; "all": each.  out: room for all.  OPT_GO, or EXIT_USAGE. */
int parse_words(session *s, int *out, int *count, const char *option, const char *text,
                const char *const *words);
/* Refuses a given split without training nodes.  OPT_GO, or EXIT_USAGE. */
int check_split(session *s, const double percent[3]);
/* The name of the option after "--", and the field of a name. */
void option_name(char *out, size_t size, const bonsai_field *f);
/* Returns the next field, from *i on, whose value differs; NULL if none does. */
const bonsai_field *next_changed(bonsai_options_kind kind, const void *options, const void *usual,
                                 int *i);
const bonsai_field *field_named(bonsai_options_kind kind, const char *name);

#endif
