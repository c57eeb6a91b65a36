/* test_native.c -- the native file: what is written reads back, everything else is refused.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nativefile.h"
#include "oracle.h"
#include "random_graph.h"

static bonsai_graph *small_graph(void)
{
    static const int32_t source[] = {0, 1, 2, 3, 0}, target[] = {1, 2, 3, 0, 1};
    static const float x[] = {1, 0, 0.5f, 0, 2, 0, 0, 0, 3, 1, 1, 1};
    static const uint32_t labels[] = {0, 1, UINT32_MAX, 1};
    bonsai_view v;
    bonsai_graph *g;
    bonsai_view_init(&v);
    v.nodes = 4;
    v.features = 3;
    v.classes = 2;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 12, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){labels, 4, BONSAI_TYPE_U32};
    assert_int_equal(bonsai_graph_build(&g, &v, 5, source, target, NULL, NULL), BONSAI_OK);
    return g;
}

static int is_equal(const bonsai_graph *a, const bonsai_graph *b)
{
    int equal = -1;
    assert_int_equal(bonsai_graph_equal(&equal, a, b), BONSAI_OK);
    return equal;
}

static void save(const bonsai_graph *g, const char *path)
{
    if (bonsai_graph_save(NULL, g, path, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
}

static bonsai_graph *load(const char *path)
{
    bonsai_graph *g;
    if (bonsai_graph_load(&g, path) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static void saving_and_loading_keeps_the_graph(void **state)
{
    (void)state;
    bonsai_graph *g = small_graph(), *back;
    assert_int_equal(bonsai_graph_edges(g), 8);
    const char *path = temp_path("g.bonsai");
    save(g, path);
    back = load(path);
    assert_true(is_equal(g, back));
    assert_int_equal(bonsai_graph_label(back, 2), -1);
    assert_string_equal(bonsai_graph_read_info(back)->format, "bonsai");
    assert_int_equal(bonsai_graph_read_info(back)->edges_given, 8);
    bonsai_graph_free(back);
    bonsai_graph_free(g);
}

static void every_section_and_encoding_comes_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 135; seed++) {
        int with = seed % 4 ? WITH_ALL : 0;
        with |= (int)(seed % 8) * WITH_LOOPS;
        bonsai_graph *g = random_graph(seed, (int64_t)(seed % 13), 40, seed % LAYOUTS, with), *back;
        const char *path = temp_path("every.bonsai"), *second = temp_path("second.bonsai");
        size_t len, again;
        save(g, path);
        back = load(path);
        assert_int_equal(bonsai_graph_check(back, NULL), BONSAI_OK);
        assert_true(is_equal(g, back));
        const bonsai_array *a = &bonsai_graph_view(g)->section[BONSAI_SECTION_METADATA],
                           *b = &bonsai_graph_view(back)->section[BONSAI_SECTION_METADATA];
        assert_int_equal(a->count, b->count);
        if (a->count)
            assert_memory_equal(a->data, b->data, (size_t)a->count);
        save(back, second);                     /* and saving it again changes no byte */
        uint8_t *x = read_file(path, &len), *y = read_file(second, &again);
        assert_int_equal(len, again);
        assert_memory_equal(x, y, len);
        free(x);
        free(y);
        bonsai_graph_free(back);
        bonsai_graph_free(g);
    }
}

static void threads_change_no_byte(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(4, 5000, 20000, SPARSE_U8, WITH_ALL);
    uint8_t *file[2];
    size_t len[2];
    for (int k = 0; k < 2; k++) {
        bonsai_write_options o;
        bonsai_write_options_init(&o);
        o.threads = k ? 8 : 1;
        const char *path = temp_path("threads.bonsai");
        assert_int_equal(bonsai_graph_save(NULL, g, path, &o), BONSAI_OK);
        file[k] = read_file(path, &len[k]);
    }
    assert_int_equal(len[0], len[1]);
    assert_memory_equal(file[0], file[1], len[0]);
    free(file[0]);
    free(file[1]);
    bonsai_graph_free(g);
}

static void a_mapped_file_can_be_saved_onto_itself(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(4, 3000, 9000, DENSE_F32, WITH_ALL), *mapped, *back;
    const char *path = temp_path("self.bonsai");
    save(g, path);
    mapped = load(path);
    save(mapped, path);
    back = load(path);
    assert_true(is_equal(g, mapped));
    assert_true(is_equal(mapped, back));
    bonsai_graph_free(g);
    bonsai_graph_free(mapped);
    bonsai_graph_free(back);
}

/* ---- damage ---- */

static bonsai_status load_bytes(const uint8_t *file, size_t len, const bonsai_graph *wanted)
{
    const char *path = temp_path("damaged.bonsai");
    bonsai_graph *g = NULL;
    unlink(path);
    write_file(path, file, len);
    bonsai_status rc = bonsai_graph_load(&g, path);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_verify(g);
    if (rc == BONSAI_OK && wanted)
        assert_true(is_equal(g, wanted));
    bonsai_graph_free(g);
    return rc;
}

static uint8_t *whole_file(size_t *len, bonsai_graph **g, layout features)
{
    const char *path = temp_path("whole.bonsai");
    *g = random_graph(5, 5, 8, features, WITH_ALL);
    save(*g, path);
    return read_file(path, len);
}

static void every_flipped_bit_is_detected(void **state)
{
    (void)state;
    bonsai_graph *g;
    size_t len;
    uint8_t *file = whole_file(&len, &g, SPARSE_U8);
    int64_t before = bn_mem_live();
    for (size_t bit = 0; bit < 8 * len; bit++) {
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
        bonsai_status rc = load_bytes(file, len, g);
        if (rc != BONSAI_OK && rc != BONSAI_E_FORMAT)
            fail_msg("bit %zu: %s", bit, bonsai_error());
        assert_int_equal(rc, BONSAI_E_FORMAT);
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(bn_mem_live(), before);
    free(file);
    bonsai_graph_free(g);
}

static void every_cut_is_detected(void **state)
{
    (void)state;
    bonsai_graph *g;
    size_t len;
    uint8_t *file = whole_file(&len, &g, DENSE_I8);
    for (size_t cut = 0; cut < len; cut++)
        assert_int_equal(load_bytes(file, cut, NULL), BONSAI_E_FORMAT);
    assert_fails(load_bytes(file, 0, NULL), BONSAI_E_FORMAT, "0 bytes are too few");
    assert_fails(load_bytes(file, len - 1, NULL), BONSAI_E_FORMAT, "it was cut or added to");
    uint8_t *longer = calloc(len + 1, 1);
    memcpy(longer, file, len);
    assert_fails(load_bytes(longer, len + 1, NULL), BONSAI_E_FORMAT, "it was cut or added to");
    free(longer);
    free(file);
    bonsai_graph_free(g);
}

static void repair(uint8_t *file, size_t len)
{
    uint64_t head = 64 + 32 * number(file + 24, 4);
    put(file + 28, 0, 4);
    if (head <= len)
        put(file + 28, oracle_crc(file, (int64_t)head), 4);
}

/* Writes a number into the header (id 0) or a section's entry, corrects the checksum and expects
 * the error. */
static void refuse_field(uint64_t id, int at, uint64_t value, int bytes, const char *sentence)
{
    bonsai_graph *g;
    size_t len;
    uint8_t *file = whole_file(&len, &g, DENSE_F32);
    put((id ? entry_of(file, id) : file) + at, value, bytes);
    repair(file, len);
    assert_fails(load_bytes(file, len, NULL), BONSAI_E_FORMAT, sentence);
    free(file);
    bonsai_graph_free(g);
}

static void a_wrong_header_is_refused(void **state)
{
    (void)state;
    refuse_field(0, 0, 0x88, 1, "is not a bonsai file: its first bytes do not match");
    refuse_field(0, 8, 2, 2, "is of format version 2.3; this library reads 1.x");
    refuse_field(0, 12, 7, 4, "holds no graph (kind 7)");
    refuse_field(0, 24, 4096, 2, "says it has");
    refuse_field(0, 32, (uint64_t)1 << 63, 8, "nodes; the number must be in 0..2147483647");
    refuse_field(0, 32, UINT64_MAX, 8, "-1 nodes; the number must be");
    refuse_field(0, 32, 6, 8, "offsets: 6 elements where 7 are needed");
    refuse_field(0, 40, (uint64_t)1 << 31, 8, "2147483648 features; the number must be");
    refuse_field(0, 40, 99, 8, "where 495 are needed");
    refuse_field(0, 48, (uint64_t)1 << 62, 8, "classes; the number must be");
    refuse_field(0, 56, 32, 8, "unknown flags 20");
    refuse_field(0, 56, 16, 8, "says that its features are coordinates, but has none");
}

static void a_wrong_table_is_refused(void **state)
{
    (void)state;
    refuse_field(BONSAI_SECTION_FEATURE_NAMES, 0, 30, 4, "section 30 is not known to this version");
    refuse_field(BONSAI_SECTION_OFFSETS, 0, 0, 4, "section 0 is not known");
    refuse_field(BONSAI_SECTION_NEIGHBORS, 0, 1, 4, "entry 1 of its table is out of order");
    refuse_field(BONSAI_SECTION_NEIGHBORS, 28, 1, 4, "entry 1 of its table is out of order");
    refuse_field(BONSAI_SECTION_OFFSETS, 4, 0, 4, "section 1 has the unknown type 0");
    refuse_field(BONSAI_SECTION_OFFSETS, 4, 10, 4, "section 1 has the unknown type 10");
    refuse_field(BONSAI_SECTION_OFFSETS, 4, UINT32_MAX, 4, "unknown type 4294967295");
    refuse_field(BONSAI_SECTION_OFFSETS, 4, BONSAI_TYPE_F32, 4,
                 "offsets: type f32 (7) is not allowed here");
    refuse_field(BONSAI_SECTION_LABELS, 4, BONSAI_TYPE_I8, 4,
                 "labels: type i8 (5) is not allowed here");
    refuse_field(BONSAI_SECTION_NEIGHBORS, 16, (uint64_t)1 << 63, 8, "does not fit in the file");
    refuse_field(BONSAI_SECTION_NEIGHBORS, 16, UINT64_MAX, 8, "does not fit in the file");
    refuse_field(BONSAI_SECTION_NEIGHBORS, 16, (uint64_t)1 << 61, 8, "does not fit in the file");
    refuse_field(BONSAI_SECTION_NEIGHBORS, 16, 100000, 8, "section 2 of 100000 elements at byte");
    refuse_field(BONSAI_SECTION_NEIGHBORS, 8, 64, 8,
                 "elements at byte 64 does not fit in the file");
    refuse_field(BONSAI_SECTION_NEIGHBORS, 8, UINT64_MAX - 63, 8, "does not fit in the file");
    refuse_field(BONSAI_SECTION_FEATURE_NAMES, 16, 1, 8, "bytes follow its last section");
}

static void bytes_between_sections_are_refused(void **state)
{
    (void)state;
    bonsai_graph *g;
    size_t len;
    uint8_t *file = whole_file(&len, &g, DENSE_F32), *e = entry_of(file, BONSAI_SECTION_NEIGHBORS);
    file[number(e + 8, 8) - 1] = 1;
    assert_fails(load_bytes(file, len, NULL), BONSAI_E_FORMAT,
                 "there are bytes between its sections");
    free(file);
    bonsai_graph_free(g);
}

static void wrong_elements_are_refused_even_with_good_checksums(void **state)
{
    (void)state;
    static const struct { int section; int64_t at; uint64_t value; int bytes; const char *text; }
    rows[] = {
        {BONSAI_SECTION_OFFSETS, 0, 1, 4, "offsets: the first is 1, not 0"},
        {BONSAI_SECTION_OFFSETS, 4, 999, 4, "offsets: they fall from 999 to"},
        {BONSAI_SECTION_NEIGHBORS, 0, 5, 4, "neighbors: entry 0 is 5, outside 0..4"},
        {BONSAI_SECTION_EDGE_WEIGHTS, 0, 0x7fc00000, 4, "edge weights: entry 0 is nan"},
        {BONSAI_SECTION_EDGE_WEIGHTS, 4, 0, 4, "edge weights: entry 1 is 0, which is not positive"},
        {BONSAI_SECTION_FEATURES, 8, 0x7f800000, 4,
         "features: entry 2 is inf, which is not finite"},
        {BONSAI_SECTION_LABELS, 1, 77, 1, "labels: node 1 has label 77 but there are"},
        {BONSAI_SECTION_SPLIT, 2, 4, 1, "split: entry 2 is 4, outside 0..3"},
        {BONSAI_SECTION_ROLE, 2, 9, 1, "role: entry 2 is 9, outside 0..4"},
        {BONSAI_SECTION_CLASS_NAMES, 0, 0, 1, "class names:"},
        {BONSAI_SECTION_NODE_NAMES, 0, 0xff, 1, "node names: byte 0 is not UTF-8"},
        {BONSAI_SECTION_FEATURE_NAMES, 0, 0, 1, "feature names:"},
        {BONSAI_SECTION_FEATURE_NAMES, 1, 0xff, 1, "feature names: byte 1 is not UTF-8"},
        {BONSAI_SECTION_ORIGIN, 0, UINT32_MAX, 4, "origin: entry 0 is 4294967295, outside"},
        {BONSAI_SECTION_MEMBER_OFFSETS, 0, 1, 4, "member offsets: the first is 1"},
        {BONSAI_SECTION_METADATA, 0, '[', 1, "metadata: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bonsai_graph *g;
        size_t len;
        uint8_t *file = whole_file(&len, &g, DENSE_F32);
        uint8_t *e = entry_of(file, (uint64_t)rows[i].section);
        static const int width[] = {0, 1, 2, 4, 8, 1, 2, 4};
        uint64_t at = number(e + 8, 8);
        put(file + at + rows[i].at, rows[i].value, rows[i].bytes);
        put(e + 24, oracle_crc(file + at, (int64_t)number(e + 16, 8) * width[number(e + 4, 4)]), 4);
        repair(file, len);
        assert_fails(load_bytes(file, len, NULL), BONSAI_E_FORMAT, rows[i].text);
        free(file);
        bonsai_graph_free(g);
    }
}

static void a_file_in_another_format_is_refused(void **state)
{
    (void)state;
    bonsai_graph *g = (bonsai_graph *)1;
    const char *path = temp_path("other.bonsai");
    write_text(path, "this is not a graph, but it is long enough to be the header of one...");
    assert_fails(bonsai_graph_load(&g, path), BONSAI_E_FORMAT, "is not a bonsai file");
    assert_null(g);
    assert_fails(bonsai_graph_load(&g, "/no/such.bonsai"), BONSAI_E_IO,
                 "/no/such.bonsai: cannot be opened: No such file");
    assert_fails(bonsai_graph_load(&g, "bonsai:/tmp"), BONSAI_E_IO, "/tmp: is a folder");
    assert_fails(bonsai_graph_load(&g, "bonsai:/dev/null"), BONSAI_E_IO, "is a device or pipe");
    assert_fails(bonsai_graph_load(&g, ""), BONSAI_E_IO, "cannot be opened");
    g = small_graph();
    assert_fails(bonsai_graph_save(NULL, g, "x.unknown", NULL), BONSAI_E_ARGUMENT,
                 "x.unknown: a file of this ending cannot be written");
    assert_fails(bonsai_graph_save(NULL, g, "/no/such/x.bonsai", NULL), BONSAI_E_IO,
                 "/no/such/x.bonsai: cannot be written: No such file");
    bonsai_graph_free(g);
}

/* ---- large sections ---- */

/* Indices from the file would be places in the caller's row. */
static void getters_read_nothing_of_a_damaged_file(void **state)
{
    (void)state;
    enum { FEATURES = 100 };
    float row[FEATURES];
    size_t len;
    bonsai_generate_options o;
    bonsai_graph *g, *bad;
    bonsai_generate_options_init(&o);
    o.nodes = 60000;
    o.features = FEATURES;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    const char *path = temp_path("getters.bonsai");
    save(g, path);
    uint8_t *file = read_file(path, &len), *e = entry_of(file, BONSAI_SECTION_FEATURE_INDICES);
    assert_true(number(e + 16, 8) > 1 << 20);
    memset(file + number(e + 8, 8) + 1000, 0xff, 2000);
    write_file(path, file, len);
    bad = load(path);
    for (int i = 0; i < o.nodes; i++) {
        memset(row, 0xff, sizeof row);
        bonsai_graph_row(row, bad, i);
        for (int j = 0; j < FEATURES; j++)
            assert_true(row[j] == 0);
    }
    assert_non_null(strstr(bonsai_error(), "section \"feature indices\" does not match"));
    assert_int_equal(bonsai_graph_label(bad, 7), bonsai_graph_label(g, 7));
    assert_fails(bonsai_graph_verify(bad), BONSAI_E_FORMAT, "\"feature indices\"");
    bonsai_graph_free(bad);
    bonsai_graph_free(g);
    free(file);
}

static void a_large_section_is_verified_when_it_is_needed(void **state)
{
    (void)state;
    enum { N = 300000 };
    bonsai_view v;
    bonsai_graph *g, *bad;
    bonsai_stats stats;
    size_t len;
    uint8_t *labels = calloc(N, 1);
    int32_t *source = malloc(N * 4), *target = malloc(N * 4);
    for (int i = 0; i < N; i++) {
        source[i] = i;
        target[i] = (i + 1) % N;
    }
    bonsai_view_init(&v);
    v.nodes = N;
    v.classes = 1;
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){labels, N, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, N, source, target, NULL, NULL), BONSAI_OK);
    char path[512], other[512];
    snprintf(path, sizeof path, "%s", temp_path("large.bonsai"));
    snprintf(other, sizeof other, "%s", temp_path("copy.bonsai"));
    save(g, path);
    uint8_t *file = read_file(path, &len), *e = entry_of(file, BONSAI_SECTION_NEIGHBORS);
    file[number(e + 8, 8) + 1000001] ^= 16;
    write_file(path, file, len);
    bad = load(path);                           /* opening reads no large section */
    bonsai_stats_init(&stats);
    static const char sentence[] = "the checksum of the section \"neighbors\" does not match";
    assert_fails(bonsai_graph_verify(bad), BONSAI_E_FORMAT, sentence);
    assert_fails(bonsai_graph_stats(&stats, NULL, bad, NULL), BONSAI_E_FORMAT, sentence);
    assert_fails(bonsai_graph_check(bad, NULL), BONSAI_E_FORMAT, sentence);
    assert_fails(bonsai_graph_save(NULL, bad, other, NULL), BONSAI_E_FORMAT, sentence);
    assert_false(bn_is_file(other));
    bonsai_graph_free(bad);
    file[number(e + 8, 8) + 1000001] ^= 16;
    file[number(entry_of(file, BONSAI_SECTION_LABELS) + 8, 8)] ^= 1;
    write_file(path, file, len);
    assert_fails(bonsai_graph_load(&bad, path), BONSAI_E_FORMAT, "section \"labels\"");
    free(file);
    free(labels);
    free(source);
    free(target);
    bonsai_graph_free(g);
}

/* ---- writing succeeds or leaves the old file ---- */

static int files_in(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int count = 0;
    assert_non_null(dir);
    while ((entry = readdir(dir)))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

typedef struct { char folder[512], path[600]; bonsai_graph *old, *g; } place;

static place a_place(const char *name)
{
    place p;
    snprintf(p.folder, sizeof p.folder, "%s", temp_path(name));
    snprintf(p.path, sizeof p.path, "%s/g.bonsai", p.folder);
    assert_int_equal(mkdir(p.folder, 0700), 0);
    p.old = small_graph();
    p.g = random_graph(1, 2000, 5000, SPARSE_F32, WITH_ALL);
    save(p.old, p.path);
    return p;
}

static void still_old(const place *p)
{
    bonsai_graph *back = load(p->path);
    assert_true(is_equal(back, p->old));
    bonsai_graph_free(back);
    assert_int_equal(files_in(p->folder), 1);
}

static void leave(place *p)
{
    bonsai_graph_free(p->old);
    bonsai_graph_free(p->g);
}

static int cancel(const bonsai_progress *p, void *payload)
{
    assert_string_equal(p->stage, "writing");
    return --*(int *)payload < 0;
}

static void a_canceled_save_leaves_the_old_file(void **state)
{
    (void)state;
    place p = a_place("canceled");
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    o.progress = cancel;
    for (int ticks = 0;; ticks++) {
        int left = ticks;
        o.payload = &left;
        bonsai_status rc = bonsai_graph_save(NULL, p.g, p.path, &o);
        if (rc == BONSAI_OK) {
            assert_true(ticks > 10);
            break;
        }
        assert_fails(rc, BONSAI_E_CANCELED, "canceled during \"writing\"");
        still_old(&p);
    }
    leave(&p);
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    place p = a_place("full");
    struct rlimit before, tight;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    static const rlim_t limits[] = {0, 100, 70000, 100000};
    for (int i = 0; i < 4; i++) {
        tight = before;
        tight.rlim_cur = limits[i];
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
        bonsai_status rc = bonsai_graph_save(NULL, p.g, p.path, NULL);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_fails(rc, BONSAI_E_IO, "g.bonsai: cannot be written: File too large");
        still_old(&p);
    }
    signal(SIGXFSZ, SIG_DFL);
    leave(&p);
}

static bonsai_status save_place(void *payload)
{
    place *p = payload;
    bonsai_status rc = bonsai_graph_save(NULL, p->g, p->path, NULL);
    if (rc != BONSAI_OK)
        assert_int_equal(files_in(p->folder), 1);
    return rc;
}

static bonsai_status load_place(void *payload)
{
    place *p = payload;
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_graph_load(&g, p->path);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_check(g, NULL);
    bonsai_graph_free(g);
    return rc;
}

static void files_survive_failed_allocations(void **state)
{
    (void)state;
    place p = a_place("memory");
    survives_failed_allocations(save_place, &p, 8);
    survives_failed_allocations(load_place, &p, 3);
    leave(&p);
}

static void progress_runs_from_zero_to_the_total(void **state)
{
    (void)state;
    place p = a_place("ticks");
    int many = 1 << 20;
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    o.progress = cancel;
    o.payload = &many;
    uint64_t left_out = 5;
    assert_int_equal(bonsai_graph_save(&left_out, p.g, p.path, &o), BONSAI_OK);
    assert_int_equal(left_out, 0);
    assert_true(many < (1 << 20) - 2);
    leave(&p);
}

/* Twenty million features, none of which is ever set: written sparse no value would answer for
 * them, and the reader would refuse the file. */
static void nothing_unreadable_is_written(void **state)
{
    (void)state;
    enum { FEATURES = 20000000 };
    bonsai_graph *g;
    bonsai_view v;
    float *zeros = calloc(FEATURES, sizeof *zeros);
    const char *path = temp_path("wide.bonsai");
    assert_non_null(zeros);
    bonsai_view_init(&v);
    v.nodes = 1;
    v.features = FEATURES;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){zeros, FEATURES, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    assert_fails(bonsai_graph_save(NULL, g, path, NULL), BONSAI_E_FORMAT,
                 "20000000 features are implausible for 0 values");
    assert_false(bn_is_file(path));
    bonsai_graph_free(g);
    free(zeros);
}

int main(int argc, char **argv)
{
    if (argc == 2) {                            /* writes the corpus of fuzz_native there */
        for (int k = 0; k < LAYOUTS; k++) {
            char path[600];
            bonsai_write_options o;
            bonsai_write_options_init(&o);
            static const bonsai_encoding keep[] = {BONSAI_ENCODING_AUTO, BONSAI_ENCODING_F32,
                BONSAI_ENCODING_F16, BONSAI_ENCODING_U8, BONSAI_ENCODING_U8, BONSAI_ENCODING_KEEP,
                BONSAI_ENCODING_SPARSE_F32, BONSAI_ENCODING_SPARSE_U8, BONSAI_ENCODING_SPARSE_U8};
            o.features = keep[k];
            bonsai_graph *g = random_graph(2, k == 5 ? 0 : 4, 6, k, k % 3 ? WITH_ALL : WITH_LABELS);
            snprintf(path, sizeof path, "%s/layout%d.bonsai", argv[1], k);
            if (bonsai_graph_save(NULL, g, path, &o) != BONSAI_OK)
                return 1;
            bonsai_graph_free(g);
        }
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saving_and_loading_keeps_the_graph),
        cmocka_unit_test(every_section_and_encoding_comes_back),
        cmocka_unit_test(threads_change_no_byte),
        cmocka_unit_test(a_mapped_file_can_be_saved_onto_itself),
        cmocka_unit_test(every_flipped_bit_is_detected),
        cmocka_unit_test(every_cut_is_detected),
        cmocka_unit_test(a_wrong_header_is_refused),
        cmocka_unit_test(a_wrong_table_is_refused),
        cmocka_unit_test(bytes_between_sections_are_refused),
        cmocka_unit_test(wrong_elements_are_refused_even_with_good_checksums),
        cmocka_unit_test(a_file_in_another_format_is_refused),
        cmocka_unit_test(getters_read_nothing_of_a_damaged_file),
        cmocka_unit_test(a_large_section_is_verified_when_it_is_needed),
        cmocka_unit_test(a_canceled_save_leaves_the_old_file),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(files_survive_failed_allocations),
        cmocka_unit_test(progress_runs_from_zero_to_the_total),
        cmocka_unit_test(nothing_unreadable_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
