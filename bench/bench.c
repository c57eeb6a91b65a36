/* bench.c -- times kernels and stages, checks their answers, and compares them with the machine's
 * limits.
 *
 *   bench [NAME ...] [-n TRIALS] [-t THREADS] [-v]
 *   bench --open FILE          how long a native file takes to open, and how much
 *                              resident memory that adds
 *
 * Without a name all are run.  Each prints the best, median and spread of the trials, and its rate
 * next to the limit measured on this machine in the same run (a plain copy for memory, a plain
 * gather of the same rows for sparse products and embeddings, a plain matrix product for
 * neighbours).  Each also writes one JSON line to standard error.  A wrong answer gives exit code
 * 1.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "condense/condense.h"

enum { ROWS = 200000, COLUMNS = 64, DEGREE = 16, LONG = 1 << 25, EDGES = 4000000,
       TREES = 20000, SAMPLES = 3025, LENGTH = 600, NEAREST = 5, WL_LAYERS = 2 };

typedef struct {
    int threads;
    float *a, *b;               /* LONG */
    float *x, *y, *z;           /* ROWS x COLUMNS */
    uint64_t *offsets;
    int32_t *to;
    int32_t *source, *target;
    bn_adjacent built;
    uint32_t crc;
    float got;
    bonsai_graph *g;            /* ROWS nodes, the edges above, features x */
    bn_embedding wl, trees;     /* of the graph; TREES x LENGTH out of a */
    int32_t *sample, *list;
    float *product;             /* SAMPLES x TREES */
} bench_state;

typedef struct {
    const char *name, *unit;
    double work;                /* units of 1e9 per run */
    const char *limit;          /* name of the bench that gives the limit, or NULL */
    void (*run)(bench_state *s);
    bool (*right)(bench_state *s);
} bench;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- limits ---- */

static void run_copy(bench_state *s)
{
#pragma omp parallel for num_threads(bn_team(s->threads, INFINITY)) schedule(static)
    for (int64_t b = 0; b < LONG / 4096; b++)
        memcpy(s->b + b * 4096, s->a + b * 4096, 4096 * sizeof *s->a);
}

static bool right_copy(bench_state *s)
{
    return memcmp(s->a, s->b, LONG * sizeof *s->a) == 0;
}

/* The limit of a sparse product: fetching the same rows in the same order. */
static void run_gather(bench_state *s)
{
#pragma omp parallel for num_threads(bn_team(s->threads, INFINITY)) schedule(dynamic, 256)
    for (int64_t r = 0; r < ROWS; r++)
        for (uint64_t e = s->offsets[r]; e < s->offsets[r + 1]; e++)
            memcpy(s->z + r * COLUMNS, s->x + (int64_t)s->to[e] * COLUMNS,
                   COLUMNS * sizeof *s->z);
}

static bool right_gather(bench_state *s)
{
    for (int64_t r = 0; r < ROWS; r++)
        if (memcmp(s->z + r * COLUMNS, s->x + (int64_t)s->to[s->offsets[r + 1] - 1] * COLUMNS,
                   COLUMNS * sizeof *s->z) != 0)
            return false;
    return true;
}

/* ---- kernels ---- */

static void run_dot(bench_state *s)
{
    s->got = bn_kernels_get()->dot(s->a, s->b, LONG);
}

static bool right_dot(bench_state *s)
{
    double sum = 0;
    for (int64_t i = 0; i < LONG; i++)
        sum += (double)s->a[i] * (double)s->b[i];
    return fabs(sum - (double)s->got) <= 1e-3 * fabs(sum) + 1;
}

static void run_dist2(bench_state *s)
{
    float sum = 0;
    for (int64_t r = 0; r + 1 < ROWS; r++)
        sum += bn_kernels_get()->dist2(s->x + r * COLUMNS, s->x + (r + 1) * COLUMNS, COLUMNS);
    s->got = sum;
}

static bool right_dist2(bench_state *s)
{
    double sum = 0;
    for (int64_t i = 0; i + COLUMNS < (int64_t)ROWS * COLUMNS; i++) {
        double d = (double)s->x[i] - (double)s->x[i + COLUMNS];
        sum += d * d;
    }
    return fabs(sum - (double)s->got) <= 1e-3 * sum;
}

static void run_product(bench_state *s)
{
    const bn_matrix a = {ROWS, ROWS, (int64_t *)s->offsets, s->to, NULL};
    bn_matrix_times(s->y, &a, s->x, COLUMNS, s->threads);
}

static bool right_product(bench_state *s)
{
    for (int64_t r = 0; r < ROWS; r += 101)
        for (int j = 0; j < COLUMNS; j++) {
            double sum = 0;
            for (uint64_t e = s->offsets[r]; e < s->offsets[r + 1]; e++)
                sum += (double)s->x[(int64_t)s->to[e] * COLUMNS + j];
            if (fabs(sum - (double)s->y[r * COLUMNS + j]) > 1e-4 * DEGREE)
                return false;
        }
    return true;
}

static void run_crc(bench_state *s)
{
    s->crc = bn_crc32_parallel(s->a, LONG * (int64_t)sizeof *s->a, s->threads);
}

static bool right_crc(bench_state *s)
{
    return s->crc == bn_crc32(0, s->a, LONG * (int64_t)sizeof *s->a);
}

static void run_build(bench_state *s)
{
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    bonsai_read_info info;
    uint64_t flags = 0;
    o.threads = s->threads;
    bn_adjacent_free(&s->built);
    if (bn_adjacent_build(&s->built, &flags, &info, "bench", ROWS, EDGES, s->source, s->target,
                          NULL, &o) != BONSAI_OK)
        exit(1);
}

/* Checks that the result is sorted, symmetric and contains every edge. */
static bool right_build(bench_state *s)
{
    const bn_adjacent *a = &s->built;
    int64_t *room = calloc(ROWS, sizeof *room);
    const bonsai_array offsets = {a->offsets, ROWS + 1, BONSAI_TYPE_U64};
    bool right = room && bn_asymmetric_row(ROWS, &offsets, a->neighbors, NULL, room,
                                           s->threads) == ROWS;
    free(room);
    for (int64_t i = 0; i < EDGES && right; i += 997) {
        bool found = s->source[i] == s->target[i];
        for (int64_t e = a->offsets[s->source[i]]; e < a->offsets[s->source[i] + 1]; e++)
            found |= a->neighbors[e] == s->target[i];
        right = found;
    }
    return right;
}

/* ---- stages ---- */

/* Fetches the rows that a round of WL fetches, in the same panels. */
static void run_panels(bench_state *s)
{
    for (int64_t p = 0; p < COLUMNS / BN_NARROW; p++) {
        const float *panel = s->x + p * ROWS * BN_NARROW;
#pragma omp parallel for num_threads(bn_team(s->threads, INFINITY)) schedule(dynamic, 128)
        for (int64_t r = 0; r < ROWS; r++)
            for (uint64_t e = s->offsets[r]; e < s->offsets[r + 1]; e++)
                memcpy(s->z + r * BN_NARROW, panel + (int64_t)s->to[e] * BN_NARROW,
                       BN_NARROW * sizeof *s->z);
    }
}

static bool right_panels(bench_state *s)
{
    const float *panel = s->x + (COLUMNS - BN_NARROW) * (int64_t)ROWS;
    for (int64_t r = 0; r < ROWS; r++)
        if (memcmp(s->z + r * BN_NARROW, panel + (int64_t)s->to[s->offsets[r + 1] - 1] * BN_NARROW,
                   BN_NARROW * sizeof *s->z) != 0)
            return false;
    return true;
}

static void run_wl(bench_state *s)
{
    bn_embedding_free(&s->wl);
    if (bn_embed(&s->wl, s->g, NULL, BN_RULE_WL, WL_LAYERS, &(bn_place){.threads = s->threads}) != BONSAI_OK)
        exit(1);
}

/* Computes, in double, one round for a row from the results of the round before. */
static bool right_wl(bench_state *s)
{
    bn_embedding before;
    bool right = true;
    if (bn_embed(&before, s->g, NULL, BN_RULE_WL, WL_LAYERS - 1, &(bn_place){.threads = 1}) != BONSAI_OK)
        exit(1);
    for (int64_t r = 0; r < ROWS; r += 101)
        for (int j = 0; j < COLUMNS; j++) {
            double sum = 0;
            for (uint64_t e = s->offsets[r]; e < s->offsets[r + 1]; e++)
                sum += (double)before.dense[(int64_t)s->to[e] * COLUMNS + j] / DEGREE;
            sum = (sum + (double)before.dense[r * COLUMNS + j]) / 2;
            right &= fabs(sum - (double)s->wl.dense[r * COLUMNS + j]) < 1e-5;
        }
    bn_embedding_free(&before);
    return right;
}

static void run_sgemm(bench_state *s)
{
    enum { TILE = 512 };
    if (bn_blas_begin(s->threads) != BONSAI_OK)
        return;
#pragma omp parallel for num_threads(bn_team(s->threads, INFINITY)) schedule(dynamic)
    for (int64_t t = 0; t < TREES; t += TILE) {
        int64_t use = TREES - t < TILE ? TREES - t : TILE;
        bn_gemm_nt(s->product + t * SAMPLES, s->trees.dense + t * LENGTH, s->trees.dense, (int)use,
                   SAMPLES, LENGTH);
    }
    bn_blas_end();
}

static bool right_sgemm(bench_state *s)
{
    for (int64_t i = 0; i < SAMPLES * (int64_t)TREES; i += 100003) {
        const float *x = s->trees.dense + i / SAMPLES * LENGTH;
        const float *y = s->trees.dense + i % SAMPLES * LENGTH;
        double sum = 0;
        for (int j = 0; j < LENGTH; j++)
            sum += (double)x[j] * (double)y[j];
        if (fabs(sum - (double)s->product[i]) > 1e-4 * sum)
            return false;
    }
    return true;
}

static void run_knn(bench_state *s)
{
    const bn_place at = {.threads = s->threads};
    if (bn_knn(s->list, NULL, &(bn_sharded){.e = &s->trees, .at = &at},
               &(bn_sample){s->sample, SAMPLES}, NEAREST, NULL) != BONSAI_OK)
        exit(1);
}

/* Checks that no other row is nearer than the last listed one. */
static bool right_knn(bench_state *s)
{
    for (int64_t i = 0; i < SAMPLES; i += 211) {
        int64_t self = s->sample[i], nearer = 0;
        float last = bn_embedding_dist2(&s->trees, self, s->list[i * NEAREST + NEAREST - 1]);
        for (int64_t t = 0; t < TREES; t++)
            nearer += t != self && bn_embedding_dist2(&s->trees, self, t) <= last;
        if (nearer != NEAREST)
            return false;
    }
    return true;
}

static const bench benches[] = {
    {"copy",    "GB/s",    LONG * 8e-9, NULL, run_copy, right_copy},
    {"gather",  "GB/s",    (double)ROWS * DEGREE * COLUMNS * 4e-9, NULL, run_gather, right_gather},
    {"dot",     "GB/s",    LONG * 8e-9, "copy", run_dot, right_dot},
    {"dist2",   "GFLOP/s", (double)ROWS * COLUMNS * 3e-9, NULL, run_dist2, right_dist2},
    {"product", "GB/s",    (double)ROWS * DEGREE * COLUMNS * 4e-9, "gather",
     run_product, right_product},
    {"crc32",   "GB/s",    LONG * 4e-9, "copy", run_crc, right_crc},
    {"build",   "G edges/s", EDGES * 1e-9, NULL, run_build, right_build},
    {"panels",  "GB/s",    (double)ROWS * DEGREE * COLUMNS * 4e-9, NULL, run_panels, right_panels},
    {"wl",      "GB/s",    (double)ROWS * DEGREE * COLUMNS * WL_LAYERS * 4e-9, "panels",
     run_wl, right_wl},
    {"sgemm",   "GFLOP/s", 2e-9 * SAMPLES * TREES * LENGTH, NULL, run_sgemm, right_sgemm},
    {"knn",     "GFLOP/s", 2e-9 * SAMPLES * TREES * LENGTH, "sgemm", run_knn, right_knn},
};
enum { BENCHES = sizeof benches / sizeof *benches };

static void *room(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    return p;
}

static int by_id(const void *a, const void *b)
{
    return *(const int32_t *)a < *(const int32_t *)b ? -1
                                                     : *(const int32_t *)a > *(const int32_t *)b;
}

static void prepare(bench_state *s)
{
    s->a = room(LONG, sizeof *s->a);
    s->b = room(LONG, sizeof *s->b);
    s->x = room((size_t)ROWS * COLUMNS, sizeof *s->x);
    s->y = room((size_t)ROWS * COLUMNS, sizeof *s->y);
    s->z = room((size_t)ROWS * COLUMNS, sizeof *s->z);
    s->offsets = room(ROWS + 1, sizeof *s->offsets);
    s->to = room((size_t)ROWS * DEGREE, sizeof *s->to);
    s->source = room(EDGES, sizeof *s->source);
    s->target = room(EDGES, sizeof *s->target);
    bn_rng r = bn_rng_at(1, 0);
    for (int64_t i = 0; i < LONG; i++)
        s->a[i] = (float)bn_rng_unit(&r);
    memcpy(s->b, s->a, LONG * sizeof *s->a);
    for (int64_t i = 0; i < (int64_t)ROWS * COLUMNS; i++)
        s->x[i] = (float)bn_rng_unit(&r);
    for (int64_t i = 0; i < (int64_t)ROWS * DEGREE; i++)
        s->to[i] = (int32_t)bn_rng_below(&r, ROWS);
    for (int64_t i = 0; i <= ROWS; i++)
        s->offsets[i] = (uint64_t)i * DEGREE;
    for (int64_t i = 0; i < ROWS; i++)          /* as in a graph */
        qsort(s->to + i * DEGREE, DEGREE, sizeof *s->to, by_id);
    for (int64_t i = 0; i < EDGES; i++) {
        s->source[i] = (int32_t)bn_rng_below(&r, ROWS);
        s->target[i] = (int32_t)bn_rng_below(&r, ROWS);
    }
}

static void prepare_stages(bench_state *s)
{
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = ROWS;
    v.features = COLUMNS;
    v.flags = BONSAI_FLAG_DIRECTED | BONSAI_FLAG_SELF_LOOPS | BONSAI_FLAG_REPEATED;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){s->offsets, ROWS + 1, BONSAI_TYPE_U64};
    v.section[BONSAI_SECTION_NEIGHBORS] =
        (bonsai_array){s->to, (int64_t)ROWS * DEGREE, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURES] =
        (bonsai_array){s->x, (int64_t)ROWS * COLUMNS, BONSAI_TYPE_F32};
    if (bonsai_graph_new(&s->g, &v, 0) != BONSAI_OK) {
        fprintf(stderr, "bench: %s\n", bonsai_error());
        exit(1);
    }
    s->trees = (bn_embedding){.rows = TREES, .f = LENGTH, .dense = s->a};
    s->sample = room(SAMPLES, sizeof *s->sample);
    s->list = room((size_t)SAMPLES * NEAREST, sizeof *s->list);
    s->product = room((size_t)SAMPLES * TREES, sizeof *s->product);
    for (int32_t i = 0; i < SAMPLES; i++)
        s->sample[i] = i * (TREES / SAMPLES);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double rate[BENCHES];    /* best rate of each, for the limits */

static double limit_of(const bench *b)
{
    for (int i = 0; b->limit && i < BENCHES; i++)
        if (strcmp(benches[i].name, b->limit) == 0)
            return rate[i];
    return 0;
}

static bool measure(bench_state *s, int which, int trials, bool verbose)
{
    const bench *b = &benches[which];
    double seconds[256];
    struct utsname machine;
    for (int i = 0; i < trials; i++) {
        double start = now();
        b->run(s);
        seconds[i] = now() - start;
        if (verbose)
            printf("  %-8s trial %2d: %.6f s\n", b->name, i + 1, seconds[i]);
    }
    bool right = b->right(s);
    qsort(seconds, (size_t)trials, sizeof *seconds, by_value);
    double best = seconds[0], median = seconds[trials / 2];
    rate[which] = b->work / best;
    double limit = limit_of(b);
    printf("%-8s %10.6f %10.6f %6.0f %% %9.2f %-9s", b->name, best, median,
           100 * (seconds[trials - 1] - best) / best, rate[which], b->unit);
    if (limit > 0)
        printf(" %4.0f %% of %s", 100 * rate[which] / limit, b->limit);
    printf("%s\n", right ? "" : "  WRONG ANSWER");
    uname(&machine);
    fprintf(stderr, "{\"bench\":\"%s\",\"best\":%.9f,\"median\":%.9f,\"rate\":%.4f,\"unit\":\"%s\","
            "\"of_limit\":%.4f,\"right\":%s,\"threads\":%d,\"isa\":\"%s\",\"machine\":\"%s\","
            "\"version\":\"%s\"}\n", b->name, best, median, rate[which], b->unit,
            limit > 0 ? rate[which] / limit : 0.0, right ? "true" : "false", s->threads,
            bonsai_isa(), machine.machine, bonsai_version());
    return right;
}

static int64_t resident(void)
{
    long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %lld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static int measure_open(const char *path)
{
    bonsai_graph *g = NULL;
    double best = 1e9;
    int64_t before = resident(), more = 0;
    for (int i = 0; i < 16; i++) {
        double start = now();
        if (bonsai_graph_load(&g, path) != BONSAI_OK) {
            fprintf(stderr, "%s\n", bonsai_error());
            return 1;
        }
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
        more = i == 0 ? resident() - before : more;
        bonsai_graph_free(g);
    }
    printf("opening the native     %.2f ms, %.1f MB more resident\n", 1e3 * best,
           (double)more / 1e6);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--open") == 0)
        return measure_open(argv[2]);
    int trials = 16, names = 0;
    bool verbose = false, right = true;
    bench_state s = {.threads = bn_threads(0)};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0)
            verbose = true;
        else if (strcmp(argv[i], "-n") == 0 && i + 1 < argc)
            trials = atoi(argv[++i]);
        else if (strcmp(argv[i], "-t") == 0 && i + 1 < argc)
            s.threads = bn_threads(atoi(argv[++i]));
        else
            argv[++names] = argv[i];
    }
    trials = trials < 1 ? 1 : trials > 256 ? 256 : trials;
    prepare(&s);
    prepare_stages(&s);
    printf("%-8s %10s %10s %8s %9s\n", "bench", "best s", "median s", "spread", "rate");
    for (int i = 0; i < BENCHES; i++) {
        bool wanted = names == 0;
        for (int j = 1; j <= names; j++)
            wanted |= strcmp(argv[j], benches[i].name) == 0;
        if (wanted)
            right &= measure(&s, i, trials, verbose);
    }
    return right ? 0 : 1;
}
