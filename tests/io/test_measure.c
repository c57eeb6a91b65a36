/* test_measure.c -- several ranks that share the reading of a graph find the same as one.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <zlib.h>

#include "record/record.h"
#include "random_graph.h"
#include "threads_world.h"

enum { MOST_RANKS = 8, CLASSES = 8 };

static const int world_sizes[] = {1, 2, 3, 5, 8};
enum { WORLDS = 5 };

/* Draws the rows of each rank at random; some get none. */
static void part_rows(int64_t *first, int ranks, int64_t n, uint64_t *state)
{
    for (int r = 0; r <= ranks; r++)
        first[r] = r == 0 ? 0 : r == ranks ? n : random_below(state, (int)n + 1);
    for (int r = 1; r < ranks; r++)             /* ascending */
        for (int q = r; q > 1 && first[q] < first[q - 1]; q--) {
            int64_t t = first[q];
            first[q] = first[q - 1];
            first[q - 1] = t;
        }
}

static void forget(bonsai_graph *g)
{
    for (int s = 0; s < BONSAI_SECTION_COUNT; s++)
        atomic_store(&g->verified[s], 0);
    atomic_store(&g->learnt, 0);
}

/* ---- measuring ---- */

typedef struct {
    double strict, paper;
    bn_sizes sizes;
    uint32_t crc;
    int64_t labelled, class_counts[CLASSES];
    bonsai_stats stats;
    bn_coding coding[BONSAI_ENCODING_SPARSE_U8 + 1];
} measured;

typedef struct {
    bonsai_graph *g;
    const int64_t *first;
    int32_t train[64];
    int64_t trees;
    measured of[MOST_RANKS];
} job;

/* So that the bytes of the whole can be compared. */
static void clear_padding(bn_traits *t)
{
    const bn_traits was = *t;
    memset(t, 0, sizeof *t);
    t->nnz = was.nnz;
    t->ones = was.ones;
    t->half = was.half;
    t->u8 = was.u8;
    t->i8 = was.i8;
    t->negative = was.negative;
    t->q4 = was.q4;
    t->s4 = was.s4;
    t->empty = was.empty;
}

static bonsai_status measure(measured *out, const job *j, bn_world *w, const int64_t *first)
{
    bonsai_status rc;
    const bn_place at = {.world = w, .first = first, .threads = 1};
    memset(out, 0, sizeof *out);
    bonsai_stats_init(&out->stats);
    BN_TRY(bn_graph_need_at(j->g, BN_ALL_SECTIONS, &at));
    BN_TRY(bn_graph_bytes(&out->strict, j->g, BONSAI_ACCOUNTING_STRICT, &at));
    BN_TRY(bn_graph_bytes(&out->paper, j->g, BONSAI_ACCOUNTING_PAPER_FULL, &at));
    BN_TRY(bn_graph_sizes(&out->sizes, j->g, &at));
    clear_padding(&out->sizes.traits);
    BN_TRY(bn_graph_labelled(&out->labelled, j->g, &at));
    BN_TRY(bn_graph_stats(&out->stats, out->class_counts, j->g, &at));
    BN_TRY(bn_fingerprint(&out->crc, j->g, &out->sizes.traits, j->train, j->trees, &at));
    for (int e = 0; e <= BONSAI_ENCODING_SPARSE_U8; e++) {
        BN_TRY(bn_coding_make(&out->coding[e], j->g, (bonsai_encoding)e, &at));
        out->coding[e].before = 0;
    }
    if (!(j->g->view.flags & BONSAI_FLAG_DIRECTED))
        BN_TRY(bn_graph_check(j->g, &at));
    BN_TRY(bn_graph_need(j->g, BN_ALL_SECTIONS, 1));
done:
    return rc;
}

static bonsai_status measure_rank(bn_world *w, void *payload)
{
    job *j = payload;
    return measure(&j->of[w->rank], j, w, j->first);
}

static void collect_bytes(uint8_t **all, size_t *len, const void *data, int64_t more)
{
    *all = realloc(*all, *len + (size_t)more + 1);
    memcpy(*all + *len, data, (size_t)more);
    *len += (size_t)more;
}

typedef struct { uint8_t *data; size_t len; } bytes;

static bonsai_status collect(const void *data, int64_t len, void *payload)
{
    bytes *b = payload;
    collect_bytes(&b->data, &b->len, data, len);
    return BONSAI_OK;
}

/* Ranks emit neither four bits nor columns. */
static bonsai_status mapped_coding(bn_coding *p, const bonsai_graph *g, bonsai_encoding e,
                                   const bn_place *at)
{
    bn_traits t;
    bool integer;
    bonsai_status rc = bn_traits_of(&t, &integer, g, at);
    t = bn_traits_mapped(&t);
    return rc != BONSAI_OK ? rc : bn_coding_of(p, g, e, &t, at);
}

/* The checksum of every counted section in the smallest encoding that is mapped, and of the training labels. */
static uint32_t crc_by_hand(const job *j)
{
    bn_coding p;
    bytes b = {NULL, 0};
    mapped_coding(&p, j->g, BONSAI_ENCODING_AUTO, &(bn_place){.threads = 1});
    for (int s = BONSAI_SECTION_OFFSETS; s <= BONSAI_SECTION_SPLIT; s++)
        if (p.type[s] != BONSAI_TYPE_NONE && s != BONSAI_SECTION_LABELS &&
            s != BONSAI_SECTION_SOFT_LABELS)
            assert_int_equal(bn_coding_emit(&p, j->g, s, collect, &b), BONSAI_OK);
    for (int64_t i = 0; i < j->trees; i++) {
        int32_t label = bonsai_graph_label(j->g, j->train[i]);
        collect(&label, sizeof label, &b);
    }
    uint32_t crc = (uint32_t)crc32(0, b.data, (uInt)b.len);
    free(b.data);
    return crc;
}

static void must_agree(job *j, uint64_t *state)
{
    measured alone;
    forget(j->g);
    if (measure(&alone, j, NULL, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    assert_int_equal(alone.crc, crc_by_hand(j));
    for (int i = 0; i < 2; i++) {
        int64_t first[MOST_RANKS + 1];
        int ranks = world_sizes[random_below(state, WORLDS)];
        part_rows(first, ranks, j->g->view.nodes, state);
        j->first = first;
        forget(j->g);
        if (run_ranks(ranks, measure_rank, j) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        for (int r = 0; r < ranks; r++)
            assert_memory_equal(&j->of[r], &alone, sizeof alone);
    }
}

/* Measures a graph that borrows everything but its split. */
static void measure_another_split(job *j, uint64_t *state)
{
    bonsai_graph *parent = j->g;
    assert_int_equal(bonsai_graph_split(&j->g, parent, (double[]){50, 25, 25}, 1), BONSAI_OK);
    must_agree(j, state);
    bonsai_graph_free(j->g);
    j->g = parent;
}

static void several_ranks_measure_the_same_as_one(void **state)
{
    (void)state;
    uint64_t s = 5;
    static job j;
    for (int trial = 0; trial < 54; trial++) {
        static const bonsai_encoding kept[] = {BONSAI_ENCODING_AUTO, BONSAI_ENCODING_KEEP,
                                               BONSAI_ENCODING_F32, BONSAI_ENCODING_SPARSE_F32};
        int64_t n = trial % 7 == 0 ? random_below(&s, 4) : 1 + random_below(&s, 60);
        bonsai_write_options o;
        bonsai_write_options_init(&o);
        o.features = kept[random_below(&s, 4)];
        int64_t m = random_below(&s, 200);      /* not in the call: arguments have no order */
        j.g = random_graph((uint64_t)trial, n, m, trial % LAYOUTS, random_below(&s, 128));
        j.trees = 0;
        for (int64_t v = 0; v < n && j.trees < 64; v += 1 + random_below(&s, 3))
            j.train[j.trees++] = (int32_t)v;
        must_agree(&j, &s);
        if (trial % 2 && j.g->view.features > 0) {
            bonsai_graph *read;
            const char *path = temp_path("a.bonsai");
            assert_int_equal(bonsai_graph_save(NULL, j.g, path, &o), BONSAI_OK);
            assert_int_equal(bonsai_graph_load(&read, path), BONSAI_OK);
            uint32_t before = crc_by_hand(&j);
            bool has_scale = bn_has(j.g, BONSAI_SECTION_FEATURE_SCALE);
            bonsai_graph_free(j.g);
            j.g = read;
            if (!has_scale)                     /* it would be a hint that the others lack */
                assert_int_equal(crc_by_hand(&j), before);
            must_agree(&j, &s);
            if (j.of[0].labelled > 0)
                measure_another_split(&j, &s);
        }
        bonsai_graph_free(j.g);
    }
}

/* ---- emitting ---- */

typedef struct {
    job j;
    bonsai_encoding encoding;
    bytes part[MOST_RANKS][BONSAI_SECTION_COUNT];
    int64_t from[MOST_RANKS][BONSAI_SECTION_COUNT];
} emission;

static bonsai_status emit_rank(bn_world *w, void *payload)
{
    bonsai_status rc;
    emission *e = payload;
    bn_coding p;
    const bn_place at = {.world = w, .first = e->j.first, .threads = 1};
    const bn_rows rows = bn_rows_of(&e->j.g->view, &at);
    BN_TRY(mapped_coding(&p, e->j.g, e->encoding, &at));
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        if (p.type[s] != BONSAI_TYPE_NONE) {
            BN_TRY(bn_coding_emit_rows(&p, e->j.g, s, rows, collect, &e->part[w->rank][s]));
            e->from[w->rank][s] = bn_coding_from(&p, e->j.g, s, rows) *
                                  (int64_t)bonsai_type_bytes(p.type[s]);
        }
done:
    return rc;
}

static void must_emit_the_same(emission *e, int ranks)
{
    bn_coding p;
    memset(e->part, 0, sizeof e->part);
    assert_int_equal(run_ranks(ranks, emit_rank, e), BONSAI_OK);
    assert_int_equal(mapped_coding(&p, e->j.g, e->encoding, &(bn_place){.threads = 1}), BONSAI_OK);
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++) {
        bytes whole = {NULL, 0}, joined = {NULL, 0};
        if (p.type[s] == BONSAI_TYPE_NONE)
            continue;
        assert_int_equal(bn_coding_emit(&p, e->j.g, s, collect, &whole), BONSAI_OK);
        for (int r = 0; r < ranks; r++) {
            if (e->part[r][s].len > 0)
                assert_int_equal(e->from[r][s], joined.len);
            collect_bytes(&joined.data, &joined.len, e->part[r][s].data ? e->part[r][s].data
                          : (uint8_t *)"", (int64_t)e->part[r][s].len);
            free(e->part[r][s].data);
        }
        assert_int_equal(joined.len, whole.len);
        assert_memory_equal(joined.data, whole.data ? whole.data : (uint8_t *)"", whole.len);
        free(joined.data);
        free(whole.data);
    }
}

static void the_pieces_of_all_ranks_make_the_file(void **state)
{
    (void)state;
    uint64_t s = 9;
    static emission e;
    for (int trial = 0; trial < 27; trial++) {
        int64_t n = 1 + random_below(&s, 30), first[MOST_RANKS + 1];
        e.j.g = random_graph((uint64_t)trial, n, random_below(&s, 90), trial % LAYOUTS,
                             random_below(&s, 128));
        for (int k = 0; k <= BONSAI_ENCODING_SPARSE_U8; k++) {
            int ranks = world_sizes[random_below(&s, WORLDS)];
            bool fits = k != BONSAI_ENCODING_F16 || trial % LAYOUTS == DENSE_F16;
            part_rows(first, ranks, n, &s);
            e.j.first = first;
            e.encoding = (bonsai_encoding)k;
            if (fits)
                must_emit_the_same(&e, ranks);
        }
        bonsai_graph_free(e.j.g);
    }
}

/* ---- damage ---- */

typedef struct { bonsai_graph *g; const int64_t *first; int threads; } verification;

static bonsai_status verify_rank(bn_world *w, void *payload)
{
    verification *v = payload;
    return bn_graph_need_at(v->g, BN_ALL_SECTIONS,
                            &(bn_place){.world = w, .first = v->first, .threads = v->threads});
}

/* The status and the message are the same on any number of ranks. */
static bonsai_status must_fail_alike(bonsai_graph *g, uint64_t *state)
{
    char sentence[1024] = "";
    forget(g);
    bonsai_status alone = bn_graph_need(g, BN_ALL_SECTIONS, 1);
    if (alone != BONSAI_OK)
        snprintf(sentence, sizeof sentence, "%s", bonsai_error());
    for (int i = 0; i < 2; i++) {
        int64_t first[MOST_RANKS + 1];
        int ranks = i == 0 ? 2 : world_sizes[random_below(state, WORLDS)];
        verification v = {g, first, 1};
        part_rows(first, ranks, g->view.nodes, state);
        forget(g);
        assert_int_equal(run_ranks(ranks, verify_rank, &v), alone);
        if (alone != BONSAI_OK)
            assert_string_equal(bonsai_error(), sentence);
    }
    return alone;
}

/* Maps a file privately, so that its pages can be changed. */
static bonsai_graph *loaded(uint64_t seed, layout features, int with)
{
    bonsai_graph *g = random_graph(seed, 40, 150, features, with), *read = NULL;
    const char *path = temp_path("b.bonsai");
    bonsai_write_options o;
    if (g->view.section[BONSAI_SECTION_NODE_WEIGHTS].type == BONSAI_TYPE_F32)
        ((float *)g->owned[BONSAI_SECTION_NODE_WEIGHTS])[0] = 0.5f;     /* keeps them floats */
    bonsai_write_options_init(&o);
    o.features = BONSAI_ENCODING_KEEP;          /* and so it is mapped */
    assert_int_equal(bonsai_graph_save(NULL, g, path, &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_load(&read, path), BONSAI_OK);
    bonsai_graph_free(g);
    assert_int_equal(mprotect((void *)(uintptr_t)read->file.data, (size_t)read->file.len,
                              PROT_READ | PROT_WRITE), 0);
    return read;
}

static int64_t section_bytes(const bonsai_graph *g, int s)
{
    const bonsai_array *a = &g->view.section[s];
    return a->count * (int64_t)bonsai_type_bytes(a->type);
}

static void damage_names_the_section_on_any_number_of_ranks(void **state)
{
    (void)state;
    uint64_t s = 21;
    int damaged = 0;
    for (int trial = 0; trial < LAYOUTS; trial++) {
        bonsai_graph *g = loaded((uint64_t)trial, trial, WITH_ALL);
        for (int id = 1; id < BONSAI_SECTION_COUNT; id++) {
            int64_t len = section_bytes(g, id);
            uint8_t *data = (uint8_t *)(uintptr_t)g->view.section[id].data;
            for (int k = 0; data && len > 0 && k < 3; k++) {
                int64_t at = k == 0 ? 0 : k == 1 ? len - 1 : random_below(&s, (int)len);
                data[at] ^= 0x10;
                assert_int_equal(must_fail_alike(g, &s), BONSAI_E_FORMAT);
                assert_non_null(strstr(bonsai_error(), "the checksum of the section"));
                assert_non_null(strstr(bonsai_error(), bonsai_section_text(id)));
                data[at] ^= 0x10;
                damaged++;
            }
        }
        assert_int_equal(must_fail_alike(g, &s), BONSAI_OK);
        bonsai_graph_free(g);
    }
    assert_true(damaged > 300);
}

/* Several bytes are wrong, but the checksums are right. */
static void the_first_wrong_element_is_named_on_any_number_of_ranks(void **state)
{
    (void)state;
    uint64_t s = 22;
    int seen[BONSAI_SECTION_COUNT] = {0};
    for (int trial = 0; trial < 3 * LAYOUTS; trial++) {
        static const int more[] = {0, WITH_REPEATED, WITH_LOOPS};
        int with = WITH_ALL | more[trial / LAYOUTS];
        bonsai_graph *g = loaded((uint64_t)trial, trial % LAYOUTS, with);
        for (int id = 1; id < BONSAI_SECTION_COUNT; id++) {
            int64_t len = section_bytes(g, id);
            uint8_t *data = (uint8_t *)(uintptr_t)g->view.section[id].data, *good;
            if (!data || len == 0)
                continue;
            uint32_t crc = g->crc[id];
            good = malloc((size_t)len);
            memcpy(good, data, (size_t)len);
            for (int k = 1 + random_below(&s, 4); k > 0; k--) {
                int64_t item = (int64_t)bonsai_type_bytes(g->view.section[id].type);
                int64_t at = random_below(&s, (int)(len / item)) * item;
                int how = random_below(&s, 3);
                for (int64_t b = 0; b < item; b++)
                    data[at + b] = how == 0 ? 0xff : how == 1 ? (uint8_t)random_below(&s, 256)
                                   : data[(at + item + b) % len];
            }
            g->crc[id] = (uint32_t)crc32(0, data, (uInt)len);
            seen[id] += must_fail_alike(g, &s) == BONSAI_E_FORMAT;
            memcpy(data, good, (size_t)len);
            free(good);
            g->crc[id] = crc;
        }
        bonsai_graph_free(g);
    }
    for (int id = 1; id < BONSAI_SECTION_FEATURE_COLUMNS; id++)
        if (seen[id] < 1)
            fail_msg("section %d was refused %d times", id, seen[id]);
}

/* A row longer than one read, and a section longer than all threads read at once. */
static void long_rows_and_sections_are_checked_across_their_blocks(void **state)
{
    (void)state;
    enum { N = 100000 };
    uint64_t s = 23;
    uint32_t *offsets = calloc(N + 1, 4), *to = calloc(2 * N, 4);
    bonsai_view v;
    bonsai_graph *g;
    bonsai_view_init(&v);
    v.nodes = N;
    for (int i = 1; i < N; i++)
        to[i - 1] = (uint32_t)i;                /* every node is a neighbour of node 0 */
    for (int i = 1; i <= N; i++)
        offsets[i] = (uint32_t)(N - 2 + i);
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, N + 1, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){to, 2 * N - 2, BONSAI_TYPE_U32};
    assert_int_equal(bonsai_graph_new(&g, &v, 0), BONSAI_OK);
    assert_int_equal(must_fail_alike(g, &s), BONSAI_OK);
    for (uint32_t at = 32767; at <= 32770; at++) {
        char text[64];
        to[at] = to[at - 1];
        assert_int_equal(must_fail_alike(g, &s), BONSAI_E_FORMAT);
        snprintf(text, sizeof text, "entry %u of row 0 is %u, out of order", at, at);
        assert_non_null(strstr(bonsai_error(), text));
        to[N - 5] = N;                          /* an id out of range is reported first */
        assert_int_equal(must_fail_alike(g, &s), BONSAI_E_FORMAT);
        snprintf(text, sizeof text, "entry %d is %d, outside 0..%d", N - 5, N, N - 1);
        assert_non_null(strstr(bonsai_error(), text));
        to[N - 5] = N - 4;
        to[at] = at + 1;
    }
    bonsai_graph_free(g);
    free(offsets);
    free(to);
}

/* ---- symmetry ---- */

typedef struct { bonsai_graph *g; const int64_t *first; int64_t batch; } balance;

static bonsai_status balance_rank(bn_world *w, void *payload)
{
    balance *b = payload;
    const bn_place at = {.world = w, .first = b->first};
    return b->batch == 0 ? bn_symmetry_check(b->g, &at)
                         : bn_symmetry_exchange(b->g, b->batch, &at);
}

static int balance_alike(bonsai_graph *g, uint64_t *state)
{
    static const int64_t batches[] = {0, 1, 3, 64};
    char sentence[1024] = "";
    bonsai_status alone = bn_symmetry_check(g, NULL);
    if (alone != BONSAI_OK)
        snprintf(sentence, sizeof sentence, "%s", bonsai_error());
    for (int i = 0; i < 2; i++) {
        int64_t first[MOST_RANKS + 1];
        int ranks = world_sizes[random_below(state, WORLDS)];
        balance b = {g, first, batches[random_below(state, 4)]};
        part_rows(first, ranks, g->view.nodes, state);
        assert_int_equal(run_ranks(ranks, balance_rank, &b), alone);
        if (alone != BONSAI_OK)
            assert_string_equal(bonsai_error(), sentence);
    }
    return alone != BONSAI_OK;
}

static void ranks_name_the_same_edge_without_reverse(void **state)
{
    (void)state;
    uint64_t s = 31;
    int refused = 0, accepted = 0;
    for (int trial = 0; trial < 150; trial++) {
        int with = random_below(&s, 64) & ~(WITH_EXTRAS | WITH_SOFT);
        bonsai_graph *g = random_graph((uint64_t)trial, 1 + random_below(&s, 25),
                                       random_below(&s, 60), NO_FEATURES, with);
        float *weight = g->owned[BONSAI_SECTION_EDGE_WEIGHTS];
        int32_t *to = g->owned[BONSAI_SECTION_NEIGHBORS];
        int64_t m = bonsai_graph_edges(g);
        for (int k = random_below(&s, 3); k > 0 && m > 0; k--) {
            int64_t e = random_below(&s, (int)m);
            if (weight && random_below(&s, 2))
                weight[e] += 1;
            else if (e + 1 < m)                 /* rows stay sorted, as in a verified graph */
                to[e] = e + 1 < m && to[e + 1] > to[e] ? to[e + 1] : to[e];
        }
        int bad = balance_alike(g, &s);
        refused += bad;
        accepted += !bad;
        bonsai_graph_free(g);
    }
    assert_true(refused > 30 && accepted > 30);
}

/* ---- failures ---- */

static bonsai_status measure_three(void *payload)
{
    job *j = payload;
    forget(j->g);
    return run_ranks(3, measure_rank, j);
}

static void a_rank_without_memory_stops_all(void **state)
{
    (void)state;
    static job j;
    const int64_t first[] = {0, 7, 7, 20};
    static const layout layouts[] = {DENSE_F32, SPARSE_U8, DENSE_U8};
    for (int i = 0; i < 3; i++) {
        j = (job){.g = random_graph(3, 20, 60, layouts[i], WITH_WEIGHTS | WITH_LABELS),
                  .first = first};
        survives_failed_allocations(measure_three, &j, 30);
        bonsai_graph_free(j.g);
    }
}

static int stop(const bonsai_progress *p, void *payload)
{
    return strcmp(p->stage, payload) == 0;
}

static bonsai_status cancel_rank(bn_world *w, void *payload)
{
    bonsai_status rc;
    job *j = payload;
    bonsai_stats stats;
    const bn_place at = {.world = w, .first = j->first, .threads = 1,
                         .progress = {w->rank == 1 ? stop : NULL,
                                      (void *)(j->trees ? "symmetry" : "counting")}};
    bonsai_stats_init(&stats);
    BN_TRY(bn_graph_stats(&stats, NULL, j->g, &at));
    BN_TRY(bn_graph_check(j->g, &at));
done:
    return rc;
}

static void canceling_on_one_rank_stops_all(void **state)
{
    (void)state;
    static job j;
    const int64_t first[] = {0, 7, 7, 20};
    j = (job){.g = random_graph(3, 20, 60, DENSE_F32, WITH_LABELS), .first = first};
    for (j.trees = 0; j.trees < 2; j.trees++) {
        forget(j.g);
        assert_fails(run_ranks(3, cancel_rank, &j), BONSAI_E_CANCELED,
                     j.trees ? "during \"symmetry\"" : "during \"counting\"");
    }
    bonsai_graph_free(j.g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_ranks_measure_the_same_as_one),
        cmocka_unit_test(the_pieces_of_all_ranks_make_the_file),
        cmocka_unit_test(damage_names_the_section_on_any_number_of_ranks),
        cmocka_unit_test(the_first_wrong_element_is_named_on_any_number_of_ranks),
        cmocka_unit_test(long_rows_and_sections_are_checked_across_their_blocks),
        cmocka_unit_test(ranks_name_the_same_edge_without_reverse),
        cmocka_unit_test(a_rank_without_memory_stops_all),
        cmocka_unit_test(canceling_on_one_rank_stops_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
