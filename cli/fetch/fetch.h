/* fetch.h -- what the parts of bonsai fetch share.
 *
 *   catalogue.c  which datasets there are, and where they lie
 *   download.c   one file: resumed, tried again, verified, then renamed
 *   unpack.c     archives, of which nothing leaves its folder
 *   sha256.c     the checksum
 *   cmd_fetch.c  the command
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_FETCH_H
#define BONSAI_FETCH_H

#include "cli.h"
#include "sha256.h"

/* ---- the catalogue ------------------------------------------------------- */

typedef struct {
    const char *at;             /* behind the dataset's address */
    const char *name;           /* in the folder, and on other servers */
    int64_t     bytes;          /* -1: not known */
    const char *sha256;         /* NULL: not known */
} dataset_file;

typedef struct {
    const char *name, *title;
    int64_t     nodes, edges;   /* as entries: an undirected edge is two */
    const char *home;           /* a page about it */
    const char *address;        /* the files' addresses begin so */
    const dataset_file *files;  /* ended by a NULL name */
    const char *graph;          /* in the folder: what other commands are given */
    const char *inside;         /* the folder in the archive that becomes graph; NULL: no archive */
    int64_t     about_bytes;    /* where bytes are not known exactly; -1: not at all */
    const char *licence;        /* NULL: not known */
    const char *cite;
} dataset;

extern const dataset datasets[];                        /* ended by a NULL name */
/* Capitals do not matter, nor which of - and _ is written. */
const dataset *dataset_find(const char *name);
const char *dataset_nearest(const char *name);          /* NULL: none is near */
int64_t dataset_bytes(const dataset *d);                /* to be fetched; -1: not known */
int     dataset_is_verified(const dataset *d);          /* the checksum of each file is known */

/* ---- one file ------------------------------------------------------------ */

typedef struct {
    session    *s;
    const char *stage;          /* what the progress bar says */
    const char *url, *path;
    int64_t     bytes;          /* -1: not known */
    const char *sha256;         /* NULL: not known */
    double      timeout;        /* seconds in which nothing comes */
    int         retries;
    int64_t     before, total;  /* of all files, for the bar; total -1: this file alone */
    int64_t     resumed;        /* out: bytes that were there already */
} download;

int can_download(void);                                 /* 0: built without libcurl */
int download_file(download *d);                         /* exit code; says what went wrong */
/* 1: the file is what was asked for, as far as that is known; else why is a sentence's end. */
int file_is_right(const char *path, int64_t bytes, const char *sha256, char *why, size_t size);

/* ---- archives ------------------------------------------------------------ */

int  zip_is_whole(const char *path);
/* Puts what the archive has in its folder `inside` into the folder `to`, which appears when all is
 * there; another of that name is replaced.  Exit code; says what went wrong. */
/* The archive goes, unless it may be of use when the same is tried again. */
int  unpack(session *s, const char *archive, const char *inside, const char *to);
void remove_folder(const char *path);                   /* and all in it, if it is there */
int  make_folders(session *s, const char *path);        /* also those above; exit code */

#endif
