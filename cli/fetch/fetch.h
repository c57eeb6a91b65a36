/* fetch.h -- declarations that the files of bonsai fetch share.
 *
 *   catalogue.c  the datasets and their addresses
 *   download.c   one file: resumed, retried, verified, then renamed
 *   unpack.c     archives, unpacked strictly inside one folder
 *   sha256.c     the checksum
 *   cmd_fetch.c  the command
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_FETCH_H
#define BONSAI_FETCH_H

#include "files/files.h"
#include "opt/opt.h"
#include "output/text.h"
#include "sha256.h"

/* ---- the catalogue ------------------------------------------------------- */

typedef struct {
    const char *at;             /* after the dataset's address */
    const char *name;           /* in the folder, and on other servers */
    int64_t     bytes;          /* -1: not known */
    const char *sha256;         /* NULL: not known */
} dataset_file;

typedef struct {
    const char *name, *title;
    int64_t     nodes, edges;   /* as entries: an undirected edge is two */
    const char *home;           /* a page about it */
    const char *address;        /* the beginning of the files' addresses */
    const dataset_file *files;  /* ended by a NULL name */
    const char *graph;          /* in the folder: the GRAPH of other commands */
    const char *inside;         /* the folder in the archive that becomes graph; NULL: no archive */
    int64_t     about_bytes;    /* if bytes are not known exactly; -1: not known at all */
    const char *licence;        /* NULL: not known */
    const char *cite;
} dataset;

extern const dataset datasets[];                        /* ended by a NULL name */
/* Ignores case, and the difference between - and _. */
const dataset *dataset_find(const char *name);
const char *dataset_nearest(const char *name);          /* NULL: none is near */
int64_t dataset_bytes(const dataset *d);                /* to download; -1: not known */
int     dataset_is_verified(const dataset *d);          /* the checksum of each file is known */

/* ---- one file ------------------------------------------------------------ */

typedef struct {
    session    *s;
    const char *stage;          /* the name in the progress bar */
    const char *url, *path;
    int64_t     bytes;          /* -1: not known */
    const char *sha256;         /* NULL: not known */
    double      timeout;        /* seconds without data */
    int         retries;
    int64_t     before, total;  /* of all files, for the bar; total -1: this file alone */
    int64_t     resumed;        /* out: bytes that were there already */
} download;

int can_download(void);                                 /* 0: built without libcurl */
int download_file(download *d);                         /* exit code; prints what went wrong */
/* 1: the file matches what is known of it; else why holds the end of a sentence. */
int file_is_right(const char *path, int64_t bytes, const char *sha256, char *why, size_t size);

/* Without a checksum: whether the file is all of what its ending says; else *ending is set. */
int file_is_whole(const char *path, int64_t bytes, const char **ending);

/* ---- archives ------------------------------------------------------------ */

int  zip_is_whole(const char *path);
/* Unpacks the folder `inside` of the archive to the folder `to`, which appears when complete and
 * replaces an existing one.  Removes the archive, unless another try can use it.  Exit code; prints
 * what went wrong. */
int  unpack(session *s, const char *archive, const char *inside, const char *to);
void remove_folder(const char *path);                   /* with its contents, if it exists */
int  make_folders(session *s, const char *path);        /* with its parents; exit code */

#endif
