/* opt_row.h -- declarations that the files of the option parser share.
 *
 *   opt.c        the rows of a command, and the walk over argv
 *   opt_value.c  text to values: numbers, sizes, words, splits
 *   opt_help.c   the help of a command, for people and as rows
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_OPT_ROW_H
#define BONSAI_OPT_ROW_H

#include "opt/opt.h"

typedef struct {
    const bonsai_field *f;
    void *base, *value;         /* the struct, and the member in it */
    char  name[48];             /* after "--" */
    char  arg[256];             /* the value's name in help; "": it takes none */
    int   common;               /* 1: one that commands share */
    int   group;                /* a bonsai_option_group: where help lists it */
    int   hidden;               /* 1: help leaves it out, since it is refused on several ranks */
} opt;

typedef struct {
    session        *s;
    const opt_spec *spec;
    opt             row[MOST_OPTIONS];
    int             count;
    int             grouped;    /* more rows than a screen shows: they stand by group */
    int             help;       /* 1: asked for, 2: with all options */
    int             taken;      /* arguments that are not options */
} parser;

int opt_is_flag(const opt *o);                          /* takes no value */
int opt_is_list(const bonsai_field *f);                 /* some of its words, or all */
int opt_set(session *s, const opt *o, const char *text);        /* OPT_GO, or EXIT_USAGE */
/* The heading that a row stands under. */
const char *opt_heading(const parser *p, const opt *o);
int opt_help(const parser *p);                          /* prints; exit code */

#endif
