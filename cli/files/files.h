/* files.h -- paths, and files that appear only when complete.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_FILES_H
#define BONSAI_FILES_H

#include "output/summary.h"

const char *path_without_format(const char *path);      /* after "npz:" */
int     path_is_native(const char *path);               /* when written */
int64_t path_bytes(const char *path);                   /* of a file, a folder or a prefix; -1 */
int     path_ends_with(const char *path, const char *end);
int     path_can_be_written(session *s, const char *path);      /* as a graph; 0: printed why not */
int     file_can_be_written(session *s, const char *path);      /* the same for any other file */
/* Reads the text of a file, up to a zero; free() it.  Returns the exit code. */
int  file_text(session *s, char **text, const char *path);
int     path_is_same(const char *a, const char *b);     /* both exist and are one file */
/* Writes NAME-SUFFIX.bonsai, or with name's own ending; returns 0 if longer than MOST_PATH. */
int     path_with_suffix(char *to, const char *name, const char *suffix, int len);
int64_t summary_file_bytes(summary *r, const char *key, const char *label, const char *path);

/* Finds the file that a chain of links leads to; it need not exist.  Returns 0, or -1 and errno. */
int     path_follow(char to[MOST_PATH], const char *path);
/* Writes a temporary name next to target, the same in every process. */
void    path_beside(char to[MOST_PATH + 32], const char *target, int writer);
/* Creates a file with a temporary name next to target; returns a descriptor, or -1 and errno. */
int     newfile_open(char temporary[MOST_PATH + 32], const char *target);
/* Renames a file, with the mode of a file that it replaces.  Returns 0, or -1 and errno. */
int     path_replace(const char *from, const char *to);

/* Rows of cells separated by commas, on stdout or in a file that is renamed when complete. */
typedef struct {
    FILE       *file;
    const char *path;           /* NULL: stdout */
    char        target[MOST_PATH];          /* where path leads to */
    char        temporary[MOST_PATH + 32];  /* "": none, as for a pipe */
} csv;

int  csv_begin(session *s, csv *out, const char *path);         /* exit code */
void csv_text(csv *out, const char *text);              /* in quotes if it needs them */
int  csv_end(session *s, csv *out);                     /* exit code */

#endif
