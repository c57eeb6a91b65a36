/* tempname.h -- temporary names next to an output, shared by output.c and folder.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TEMPNAME_H
#define BN_TEMPNAME_H

#include <sys/stat.h>

#include "base.h"

/* Returns fd, or a copy of it if it is 0, 1 or 2: in a process without standard streams, output
 * that is printed would end up in the file. */
int bn_fd_above(int fd);

/* Returns the path that a chain of links leads to, which need not exist; bn_free *out.  Sets *st,
 * or st->st_mode = 0 if the path does not exist. */
bonsai_status bn_follow(char **out, struct stat *st, const char *path);

/* Makes a temporary name next to target; bn_free *out.  bn_tempname_retry changes its digits. */
bonsai_status bn_tempname_new(char **out, const char *target);
void          bn_tempname_retry(char *name);
/* Protects a file or folder from bn_tempname_clean until fd is closed. */
void          bn_tempname_lock(int fd);
/* Removes abandoned temporary files next to target, and abandoned folders with their files of these
 * names, which end with NULL; names NULL: no folders. */
void          bn_tempname_clean(const char *target, const char *const *names);
/* Removes the files of these names from an open folder. */
void          bn_tempname_empty(int fd, const char *const *names);

/* Gives fd the mode of st, and its owner and group if that is allowed. */
void bn_keep_mode(int fd, const struct stat *st);

#endif
