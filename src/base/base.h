/* base.h -- errors, memory, threads, random numbers, progress, files.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_BASE_H
#define BN_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonsai_study.h"

#if defined(__GNUC__)
#define BN_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define BN_PRINTF(a, b)
#endif

/* ---- errors (error.c) ---- */

/* Sets this thread's error sentence, "PATH: sentence" unless path is empty, and returns rc.  path:
 * of a file, or the name of a graph.  Never call it in a parallel loop. */
bonsai_status bn_fail_at(bonsai_status rc, const char *path, const char *fmt, ...) BN_PRINTF(3, 4);
#define bn_fail(rc, ...) bn_fail_at((rc), "", __VA_ARGS__)
/* Fails with E_FORMAT and "PATH:LINE: sentence". */
bonsai_status bn_fail_line(const char *path, int64_t line, int64_t column, const char *fmt,
                           va_list args) BN_PRINTF(4, 0);
/* Fails with E_FORMAT and "PATH: SECTION: entry N sentence". */
bonsai_status bn_fail_entry(const char *path, bonsai_section section, int64_t entry,
                            const char *fmt, ...) BN_PRINTF(4, 5);
/* Fails with E_IO and "PATH: what: REASON" for an errno; notes if the file is missing. */
bonsai_status bn_fail_system(const char *path, const char *what, int why);
/* Sets the kind of the last error and returns rc. */
bonsai_status bn_error_kind(bonsai_status rc, bonsai_error_kind kind);

/* Turns E_FORMAT into E_ARGUMENT, where no file is to blame. */
bonsai_status bn_blame_caller(bonsai_status rc);

typedef struct {                /* an error that can be kept, sent to another rank and set again */
    int32_t status, kind, section;
    int32_t reason;             /* position in the sentence */
    int64_t line, column, entry;
    char    sentence[1024], path[1024];
} bn_error;
void          bn_error_keep(bn_error *out);             /* copies this thread's last error */
bonsai_status bn_error_raise(const bn_error *e);        /* sets a kept error again */

/* Warns the caller, if the options ask for that.  column, from 1, and value: what it is about. */
void bn_warn(const bonsai_read_options *o, bonsai_warning_kind kind, const char *path,
             int64_t column, const char *value, const char *fmt, ...) BN_PRINTF(6, 7);
/* Fills out with an option and its value as the caller of o writes them: --labels FILE or
 * labels="FILE"; value NULL: the option alone.  Returns out. */
const char *bn_option_text(char *out, size_t size, const bonsai_read_options *o, const char *name,
                           const char *value);
/* Returns whether a required pointer is missing, and if so sets the error sentence. */
bool bn_is_null(const void *p, const char *name);
/* Fails if a count of things is below 0. */
bonsai_status bn_count_check(int64_t count, const char *things);
/* Sets *out, the place of a new object, to NULL; true, with an error sentence, if out is NULL. */
#define BN_NO_PLACE(out) (bn_is_null(out, "out") || (*(out) = NULL, false))

/* Jumps to the label `done` with `rc` set if the call failed. */
#define BN_TRY(call)             \
    do {                         \
        rc = (call);             \
        if (rc != BONSAI_OK)     \
            goto done;           \
    } while (0)

/* ---- memory (mem.c): the only malloc of the library ---- */

/* Allocates zeroed room for count items of the pointer's type; *pp is NULL on failure. A count of 0
 * gives a valid pointer. */
#define BN_NEW(pp, count) bn_new((void **)(pp), (count), sizeof **(pp))
bonsai_status bn_new(void **out, int64_t count, size_t item);
/* Makes room for at least need items in *pp and keeps its contents; *capacity grows by half, so
 * that appending is linear.  On failure *pp is unchanged. */
bonsai_status bn_grow(void **pp, int64_t *capacity, int64_t need, size_t item);
void bn_free(void *p);
bonsai_status bn_strdup(char **out, const char *s);

/* Checks that OpenMP will find memory for a team, as it ends the process otherwise; returns how
 * many threads the team may have: all, or one. */
int bn_mem_spare(int threads);

bool bn_mul(int64_t *out, int64_t a, int64_t b);    /* false if a*b overflows or one is negative */
bool bn_add(int64_t *out, int64_t a, int64_t b);
static inline int64_t bn_least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t bn_most(int64_t a, int64_t b) { return a > b ? a : b; }

void    bn_mem_fail_at(int64_t nth);    /* tests: the nth allocation from now fails; -1: none */
bool    bn_mem_failed(void);            /* tests: whether it has failed */
int64_t bn_mem_live(void);              /* blocks not yet freed */
void    bn_mem_limit(int64_t bytes);    /* refuse larger single requests; 0: the machine's memory */

/* ---- threads and progress (threads.c) ---- */

int bn_threads(int asked);      /* 0: every core that the process may use; at least 1 */
/* Returns the smaller of the threads and the pieces of work, at least 1. */
int bn_lanes(int threads, int64_t pieces);
/* Returns the team size of a parallel region that starts now: the threads that its work pays for,
 * fewer if the system refuses to start them.  Every region has num_threads(bn_team(threads, work)).
 * work: about how many numbers one thread would read in order and add up in the same time.  A
 * number that must be looked up, or an exponential, counts for some 8 to 32, and a multiply-add of
 * a matrix product for an eighth. */
int bn_team(int threads, double work);
void bn_team_work(double each); /* tests: the work that pays for a thread */
int bn_team_most(int most);     /* limits this thread's regions from now on; returns the limit
                                 * before */
int bn_thread(void);            /* the number of this thread in its region */
int bn_can_start(int threads);  /* how many of `threads` more could be started now */

typedef struct {
    bonsai_progress_fn *fn;     /* NULL: silent */
    void *payload;
} bn_progress;

bonsai_status bn_tick(bn_progress p, const char *stage, int64_t done, int64_t total);
bonsai_status bn_tick_note(bn_progress p, const char *stage, int64_t done, int64_t total,
                           const char *note);

/* ---- time and memory (clock.c) ---- */

double  bn_seconds(void);       /* of a monotonic clock */
int64_t bn_peak_rss(void);      /* of this process, in bytes */

/* ---- random numbers (rng.c): counter-based, one stream an item ---- */

typedef struct { uint64_t key, counter; } bn_rng;

bn_rng   bn_rng_at(uint64_t seed, uint64_t item);
uint64_t bn_rng_next(bn_rng *r);
double   bn_rng_unit(bn_rng *r);                    /* in [0, 1) */
int64_t  bn_rng_below(bn_rng *r, int64_t n);        /* in 0 .. n-1, without bias */
double   bn_rng_normal(bn_rng *r);
void     bn_rng_shuffle(int32_t *a, int64_t n, uint64_t seed);
/* Sets taken[i] = 1 for `wanted` of n items, without replacement; keeps the others. */
bonsai_status bn_rng_pick(uint8_t *taken, int64_t n, int64_t wanted, uint64_t seed);

/* ---- checksums (checksum.c) ---- */

uint32_t bn_crc32(uint32_t crc, const void *data, int64_t len);            /* start with 0 */
uint32_t bn_crc32_parallel(const void *data, int64_t len, int threads);
/* Returns the checksum of data (crc) followed by len bytes (piece). */
uint32_t bn_crc32_append(uint32_t crc, uint32_t piece, int64_t len);

/* ---- numbers in text (number.c): independent of the locale ---- */

/* Read a number at *p, before end, and move *p past it.  False: *p does not start a number. */
bool bn_parse_int(const char **p, const char *end, int64_t *out);   /* also false on overflow */
bool bn_parse_real(const char **p, const char *end, double *out);   /* nearest double, nan, inf */
/* Writes the shortest of %.6g .. %.9g that reads back as the same float; buf of 24. */
int  bn_format_float(char *buf, float v);
/* Prints with a decimal point in any locale, for text that is written to files. */
int  bn_print(char *buf, size_t size, const char *format, ...) BN_PRINTF(3, 4);
int  bn_print_list(char *buf, size_t size, const char *format, va_list args);
const char *bn_s(int64_t count);        /* the ending of a noun: "" for 1, else "s" */

/* ---- files (file.c) ---- */

typedef struct {                /* a whole file, mapped read-only */
    const uint8_t *data;
    int64_t len;
} bn_file;

bonsai_status bn_file_open(bn_file *out, const char *path);     /* regular files; empty is fine */
void          bn_file_close(bn_file *f);
bool bn_is_dir(const char *path);
bool bn_is_file(const char *path);
/* Tests a path in parts; allocates nothing, so that choosing a format cannot fail. */
bool bn_is_file_at(const char *fmt, ...) BN_PRINTF(1, 2);
/* Returns dir/name; bn_free *out.  name may be NULL. */
bonsai_status bn_path_join(char **out, const char *dir, const char *name);
bool bn_ends_with(const char *s, const char *ending);

/* ---- outputs (output.c, folder.c) ---- */

/* A file that appears under its name only when it is complete: written to a nameless or temporary
 * file, synced, renamed by bn_out_commit.  bn_out_close frees it, and removes it unless committed.
 * A replaced file keeps its mode, and a link still leads to the file. */
typedef struct bn_out bn_out;
bonsai_status bn_out_open(bn_out **out, const char *path);
void          bn_out_like(bn_out *o, const char *path);   /* takes the mode of path, if it exists */
bonsai_status bn_out_write(bn_out *o, const void *data, int64_t len);
bonsai_status bn_out_printf(bn_out *o, const char *fmt, ...) BN_PRINTF(2, 3);
int64_t       bn_out_tell(const bn_out *o);
bonsai_status bn_out_rewrite(bn_out *o, int64_t at, const void *data, int64_t len);
/* For a file that several processes write.  One opens and shares it; the others join it by the name
 * that sharing returns.  Each writes with bn_out_rewrite and syncs; then the first commits. On one
 * machine (local) a nameless file can be shared, and vanishes with the processes; otherwise it gets
 * its temporary name now.  id identifies the file, so that no rank joins a file of the same name on
 * another machine. */
typedef struct { char name[4096]; int64_t id[2]; } bn_out_place;
bonsai_status bn_out_share(bn_out_place *at, bn_out *o, bool local);
bonsai_status bn_out_join(bn_out **out, const char *path, const bn_out_place *at);
bonsai_status bn_out_sync(bn_out *o);
bonsai_status bn_out_commit(bn_out *o);
void          bn_out_close(bn_out *o);

/* A folder of files that appear together.  names: all that it may hold, ended by NULL.  An existing
 * folder is replaced as a whole (replace), or only filled: then the first name appears last.
 * bn_folder_close frees it, and removes new files unless committed. */
typedef struct bn_folder bn_folder;
bonsai_status bn_folder_open(bn_folder **out, const char *path, const char *const *names,
                             bool replace);
bonsai_status bn_folder_file(bn_out **out, bn_folder *f, int i);    /* belongs to f; names[i] */
bonsai_status bn_folder_commit(bn_folder *f);
void          bn_folder_close(bn_folder *f);
/* Restores a folder that a dead process was replacing; fails for lack of memory only. */
bonsai_status bn_folder_recover(const char *path);

#endif
