/* beside.h -- what is written beside its final name, shared by output.c and folder.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_BESIDE_H
#define BN_BESIDE_H

#include <sys/stat.h>

#include "base.h"

/* Returns fd, or a copy of it if it is 0, 1 or 2: in a process without standard streams, whatever
 * is printed would go into the file. */
int bn_fd_above(int fd);

/* The path that a link, or a chain of links, leads to, malloced; the last one need not exist.  Sets
 * *st, or st->st_mode = 0 if nothing is there. */
bonsai_status bn_follow(char **out, struct stat *st, const char *path);

/* A temporary name next to target, malloced; bn_beside_retry replaces it by another. */
bonsai_status bn_beside_name(char **out, const char *target);
void          bn_beside_retry(char *name);
/* Protects a file or folder from bn_beside_clean until fd is closed. */
void          bn_beside_lock(int fd);
/* Removes what dead processes have left next to target: files, and folders that hold nothing but
 * files of these names, which end with NULL; names NULL: no folders. */
void          bn_beside_clean(const char *target, const char *const *names);
/* Removes the files of these names from an open folder. */
void          bn_beside_empty(int fd, const char *const *names);

/* Gives fd the mode of st, and its owner and group if that is allowed. */
void bn_keep_mode(int fd, const struct stat *st);

#endif
