/* test_base.c -- errors, memory, random numbers, checksums, numbers, files.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oracle.h"
#include "random_graph.h"

/* ---- errors ---- */

static void a_sentence_is_one_line_whatever_is_in_it(void **state)
{
    (void)state;
    assert_int_equal(bn_fail(BONSAI_E_IO, "%s: line\n two\r\x7f", "a\tb"), BONSAI_E_IO);
    assert_string_equal(bonsai_error(), "a?b: line? two??");
}

static void a_long_sentence_is_cut(void **state)
{
    (void)state;
    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    bn_fail(BONSAI_E_IO, "%s", text);
    assert_int_equal(strlen(bonsai_error()), 1023);
}

static void facts_stand_beside_the_sentence(void **state)
{
    (void)state;
    const bonsai_error_info *e;
    bn_fail(BONSAI_E_ARGUMENT, "k is %d", -1);
    e = bonsai_error_details();
    assert_int_equal(e->status, BONSAI_E_ARGUMENT);
    assert_true(!*e->path && e->line == 0 && e->section == 0 && e->entry == -1);
    assert_string_equal(e->reason, "k is -1");
    bn_fail_entry("g", BONSAI_SECTION_LABELS, 7, "is %d", 9);
    e = bonsai_error_details();
    assert_string_equal(bonsai_error(), "g: labels: entry 7 is 9");
    assert_true(e->kind == BONSAI_ERROR_ENTRY && e->section == BONSAI_SECTION_LABELS);
    assert_string_equal(e->reason, "is 9");
    assert_int_equal(bn_blame_caller(BONSAI_E_FORMAT), BONSAI_E_ARGUMENT);
    assert_int_equal(bonsai_error_details()->status, BONSAI_E_ARGUMENT);
    assert_string_equal(bonsai_error_kind_name(BONSAI_ERROR_ENTRY), "entry");
    assert_null(bonsai_error_kind_name((bonsai_error_kind)99));
}

static void a_missing_file_is_known_as_one(void **state)
{
    (void)state;
    bonsai_graph *g = NULL;
    bn_error kept;
    assert_int_equal(bonsai_graph_load(&g, "no/such"), BONSAI_E_IO);
    bn_error_keep(&kept);
    bn_fail(BONSAI_E_IO, "another");
    assert_int_equal(bn_error_raise(&kept), BONSAI_E_IO);
    assert_int_equal(bonsai_error_details()->kind, BONSAI_ERROR_MISSING);
    assert_string_equal(bonsai_error_details()->path, "no/such");
}

static void options_are_spelled_as_the_caller_does(void **state)
{
    (void)state;
    char text[64];
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    assert_string_equal(bn_option_text(text, sizeof text, &o, "labels", NULL), "labels");
    o.spelling = BONSAI_SPELLING_SHELL;
    assert_string_equal(bn_option_text(text, sizeof text, &o, "labels", "f"), "--labels f");
    o.spelling = BONSAI_SPELLING_PYTHON;
    assert_string_equal(bn_option_text(text, sizeof text, &o, "labels", "f"), "labels=\"f\"");
}

static void *fail_elsewhere(void *payload)
{
    (void)payload;
    bn_fail(BONSAI_E_IO, "theirs");
    return NULL;
}

static void each_thread_has_its_own_sentence(void **state)
{
    (void)state;
    pthread_t t;
    bn_fail(BONSAI_E_IO, "mine");
    assert_int_equal(pthread_create(&t, NULL, fail_elsewhere, NULL), 0);
    pthread_join(t, NULL);
    assert_string_equal(bonsai_error(), "mine");
}

static void every_status_has_a_text(void **state)
{
    (void)state;
    assert_string_equal(bonsai_status_text(BONSAI_OK), "success");
    assert_string_equal(bonsai_status_text(BONSAI_E_CANCELED), "canceled by the progress callback");
    assert_string_equal(bonsai_status_text((bonsai_status)-77), "unknown status");
    assert_string_equal(bonsai_version(), BONSAI_VERSION);
}

/* ---- memory ---- */

static void overflowing_products_and_sums_are_detected(void **state)
{
    (void)state;
    int64_t x = 5;
    assert_true(bn_mul(&x, INT64_MAX, 1) && x == INT64_MAX);
    assert_true(bn_mul(&x, 0, INT64_MAX) && x == 0);
    assert_false(bn_mul(&x, (int64_t)1 << 32, (int64_t)1 << 31));
    assert_false(bn_mul(&x, -1, 1));
    assert_true(bn_add(&x, INT64_MAX - 1, 1) && x == INT64_MAX);
    assert_false(bn_add(&x, INT64_MAX, 1));
    assert_false(bn_add(&x, 1, -1));
}

static void requests_beyond_the_machine_are_refused_with_their_size(void **state)
{
    (void)state;
    double *p = (double *)1;
    assert_fails(BN_NEW(&p, INT64_MAX / 8), BONSAI_E_MEMORY,
                 "out of memory: no room for 1152921504606846975 items of 8 bytes");
    assert_null(p);
    assert_fails(BN_NEW(&p, -1), BONSAI_E_MEMORY, "no room for -1 items");
    assert_fails(BN_NEW(&p, INT64_MAX), BONSAI_E_MEMORY, "out of memory");
}

static void no_items_still_give_a_pointer(void **state)
{
    (void)state;
    int *p = NULL;
    int64_t before = bn_mem_live();
    assert_int_equal(BN_NEW(&p, 0), BONSAI_OK);
    assert_non_null(p);
    assert_int_equal(bn_mem_live(), before + 1);
    bn_free(p);
    bn_free(NULL);
    assert_int_equal(bn_mem_live(), before);
}

static void growing_keeps_the_contents(void **state)
{
    (void)state;
    int *p = NULL;
    int64_t capacity = 0, before = bn_mem_live();
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(bn_grow((void **)&p, &capacity, i + 1, sizeof *p), BONSAI_OK);
        p[i] = i;
    }
    for (int i = 0; i < 5000; i++)
        assert_int_equal(p[i], i);
    int *same = p;
    assert_fails(bn_grow((void **)&p, &capacity, INT64_MAX, sizeof *p), BONSAI_E_MEMORY, "memory");
    assert_ptr_equal(p, same);
    assert_int_equal(bn_mem_live(), before + 1);
    bn_free(p);
}

static bonsai_status three_blocks(void *payload)
{
    (void)payload;
    char *a = NULL, *b = NULL, *c = NULL;
    bonsai_status rc;
    BN_TRY(bn_strdup(&a, "one"));
    BN_TRY(bn_path_join(&b, "dir", "name"));
    assert_string_equal(b, "dir/name");
    BN_TRY(bn_path_join(&c, "dir/", NULL));
    assert_string_equal(c, "dir/");
done:
    bn_free(a);
    bn_free(b);
    bn_free(c);
    return rc;
}

static void the_harness_fails_each_allocation_once(void **state)
{
    (void)state;
    survives_failed_allocations(three_blocks, NULL, 3);
}

/* ---- threads and progress ---- */

static int cancel_at_two(const bonsai_progress *p, void *payload)
{
    ++*(int *)payload;
    return p->done == 2;
}

static void a_tick_reports_and_cancels(void **state)
{
    (void)state;
    int calls = 0;
    bn_progress p = {cancel_at_two, &calls};
    assert_int_equal(bn_tick((bn_progress){0}, "x", 0, 3), BONSAI_OK);
    assert_int_equal(bn_tick(p, "x", 1, 3), BONSAI_OK);
    assert_fails(bn_tick(p, "sorting", 2, 3), BONSAI_E_CANCELED, "canceled during \"sorting\"");
    assert_int_equal(calls, 2);
    assert_int_equal(bn_threads(3), 3);
    assert_true(bn_threads(0) >= 1);
    assert_true(bn_threads(-5) >= 1);
    assert_int_equal(bn_threads(INT32_MAX), 1024);
}

/* ---- random numbers ---- */

static void streams_differ_and_repeat(void **state)
{
    (void)state;
    bn_rng a = bn_rng_at(1, 2), b = bn_rng_at(1, 2);
    uint64_t seen[9];
    for (int i = 0; i < 100; i++)
        assert_true(bn_rng_next(&a) == bn_rng_next(&b));
    for (uint64_t seed = 0; seed < 3; seed++)
        for (uint64_t item = 0; item < 3; item++) {
            bn_rng r = bn_rng_at(seed, item);
            seen[seed * 3 + item] = bn_rng_next(&r);
        }
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
}

static void units_fill_zero_to_one(void **state)
{
    (void)state;
    bn_rng r = bn_rng_at(9, 0);
    double sum = 0, square = 0, low = 1, high = 0;
    for (int i = 0; i < 100000; i++) {
        double u = bn_rng_unit(&r), z = bn_rng_normal(&r);
        assert_true(u >= 0 && u < 1 && isfinite(z));
        low = u < low ? u : low;
        high = u > high ? u : high;
        sum += z;
        square += z * z;
    }
    assert_true(low < 1e-3 && high > 1 - 1e-3);
    assert_true(fabs(sum / 1e5) < 0.02 && fabs(square / 1e5 - 1) < 0.02);
}

static void below_has_no_bias(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 7, 10, 100};
    for (int k = 0; k < 6; k++) {
        int n = sizes[k], count[100] = {0};
        bn_rng r = bn_rng_at(5, (uint64_t)k);
        for (int i = 0; i < 1000 * n; i++) {
            int64_t x = bn_rng_below(&r, n);
            assert_true(x >= 0 && x < n);
            count[x]++;
        }
        double chi = 0;
        for (int i = 0; i < n; i++)
            chi += (count[i] - 1000.0) * (count[i] - 1000.0) / 1000;
        assert_true(chi < n + 5 * sqrt(2.0 * n));
    }
    /* With plain modulo, two thirds of the numbers would fall in the lower half. */
    int64_t range = (int64_t)(UINT64_MAX / 4 * 3 / 2), low = 0;
    bn_rng r = bn_rng_at(6, 0);
    for (int i = 0; i < 10000; i++)
        low += bn_rng_below(&r, range) < range / 2;
    assert_true(llabs(low - 5000) < 250);
}

static void shuffling_permutes_by_seed(void **state)
{
    (void)state;
    int32_t a[257], b[257], first[6] = {0};
    bool seen[257] = {false};
    for (int i = 0; i < 257; i++)
        a[i] = b[i] = i;
    bn_rng_shuffle(a, 257, 4);
    bn_rng_shuffle(b, 257, 4);
    assert_memory_equal(a, b, sizeof a);
    for (int i = 0; i < 257; i++) {
        assert_true(a[i] >= 0 && a[i] < 257 && !seen[a[i]]);
        seen[a[i]] = true;
    }
    bn_rng_shuffle(b, 257, 5);
    assert_memory_not_equal(a, b, sizeof a);
    bn_rng_shuffle(a, 0, 1);
    for (uint64_t seed = 0; seed < 6000; seed++) {     /* each order of three is equally likely */
        int32_t t[3] = {0, 1, 2};
        bn_rng_shuffle(t, 3, seed);
        first[t[0] * 2 + (t[1] > t[2])]++;
    }
    for (int i = 0; i < 6; i++)
        assert_true(abs(first[i] - 1000) < 150);
}

/* ---- checksums ---- */

static void the_checksum_is_that_of_zip(void **state)
{
    (void)state;
    assert_int_equal(bn_crc32(0, "123456789", 9), 0xcbf43926u);
    uint64_t s = 1;
    int64_t len = ((int64_t)9 << 20) + 13;
    uint8_t *data = malloc((size_t)len);
    for (int64_t i = 0; i < len; i++)
        data[i] = (uint8_t)random_bits(&s);
    uint32_t wanted = oracle_crc(data, len);
    assert_int_equal(bn_crc32(0, data, len), wanted);
    assert_int_equal(bn_crc32(bn_crc32(0, data, 1000), data + 1000, len - 1000), wanted);
    for (int threads = 1; threads <= 8; threads *= 2)
        assert_int_equal(bn_crc32_parallel(data, len, threads), wanted);
    for (int64_t n = 0; n < 700; n++) {         /* also at odd places, and begun with something */
        const uint8_t *at = data + n % 19;
        assert_int_equal(bn_crc32_parallel(at, n, 2), oracle_crc(at, n));
        assert_int_equal(bn_crc32(oracle_crc(data, n % 19), at, n), oracle_crc(data, n % 19 + n));
    }
    free(data);
}

/* ---- numbers ---- */

static int random_number(char *out, uint64_t *s)
{
    int len = 0, kind = random_below(s, 8);
    if (random_below(s, 3) == 0)
        out[len++] = random_below(s, 2) ? '-' : '+';
    int before = kind == 0 ? random_below(s, 40) : random_below(s, 9);
    int after = kind == 1 ? random_below(s, 40) : random_below(s, 9);
    for (int i = 0; i < before; i++)
        out[len++] = (char)('0' + (random_below(s, 4) ? random_below(s, 10) : 0));
    if (random_below(s, 3)) {
        out[len++] = '.';
        for (int i = 0; i < after; i++)
            out[len++] = (char)('0' + random_below(s, 10));
    }
    if (random_below(s, 3) == 0)
        len += sprintf(out + len, "%c%d", random_below(s, 2) ? 'e' : 'E',
                       random_below(s, kind == 2 ? 800 : 60) - (kind == 2 ? 400 : 30));
    if (random_below(s, 20) == 0)
        len += sprintf(out + len, "%s", random_below(s, 2) ? "e" : "e+");
    out[len] = 0;
    return len;
}

static void same_as_strtod(const char *text, int len)
{
    char *stop;
    const char *p = text;
    double wanted = strtod(text, &stop), got = 0;
    bool ok = bn_parse_real(&p, text + len, &got);
    if (ok != (stop != text) || (ok && (p != stop || memcmp(&got, &wanted, sizeof got) != 0)))
        fail_msg("\"%s\": %d %.17g after %d characters, wanted %.17g after %d", text, ok, got,
                 (int)(p - text), wanted, (int)(stop - text));
}

static void reals_are_read_like_strtod(void **state)
{
    (void)state;
    static const char *const fixed[] = {
        "0", "-0", "+0.0", "1", "9007199254740993", "9007199254740992", "9007199254740991",
        "1e22", "1e23", "1e-22", "1e-23", "123456789012345678", "4.9e-324", "2.4e-324", "1e400",
        "-1e400", "1e-400", "0e999999999999", "1e99999999999999999999", "0.1", ".5", "5.", ".",
        "-", "+", "", "e5", "1e", "1e+", "nan", "inf", "-inf", "infinity", "-nan", "abc", "--1",
        "1.7976931348623157e308", "1.7976931348623159e308", "2.2250738585072011e-308",
        "99999999999999999999", "18446744073709551616", "18446744073709551615", "1,5", "1 2",
        "00000000000000000000000000001.5", "0.00000000000000000000000000000000000001"};
    char text[200];
    uint64_t s = 11;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        same_as_strtod(fixed[i], (int)strlen(fixed[i]));
    for (int i = 0; i < 200000; i++)
        same_as_strtod(text, random_number(text, &s));
}

static void reals_stop_at_the_end_of_the_text(void **state)
{
    (void)state;
    const char *text = "1.25e3", *p;
    double v;
    for (int len = 1; len <= 6; len++) {
        char copy[8] = {0};
        memcpy(copy, text, (size_t)len);
        p = text;
        assert_true(bn_parse_real(&p, text + len, &v));
        assert_true(v == strtod(copy, NULL));
    }
    p = "0x10";
    assert_true(bn_parse_real(&p, p + 4, &v) && v == 0 && *p == 'x');
    p = " 1";
    assert_false(bn_parse_real(&p, p + 2, &v));
    p = "\n1";
    assert_false(bn_parse_real(&p, p + 2, &v));
}

static void a_number_too_long_to_copy_is_refused(void **state)
{
    (void)state;
    char text[1000];
    double v;
    for (int len = 495; len < 530; len++) {
        memset(text, '3', sizeof text);
        strcpy(text + len, "e-40");
        const char *p = text, *end = text + strlen(text);
        bool ok = bn_parse_real(&p, end, &v);
        assert_true(ok ? p == end && v == strtod(text, NULL) : p == text);
        assert_true(ok || len >= 500);
    }
}

static void integers_are_read_within_64_bits(void **state)
{
    (void)state;
    static const struct { const char *text; bool ok; int64_t value; int used; } rows[] = {
        {"0", true, 0, 1}, {"-12x", true, -12, 3}, {"+7", true, 7, 2}, {"", false, 0, 0},
        {"-", false, 0, 0}, {"x", false, 0, 0}, {"9223372036854775807", true, INT64_MAX, 19},
        {"9223372036854775808", false, 0, 0}, {"-9223372036854775807", true, -INT64_MAX, 20},
        {"99999999999999999999", false, 0, 0}, {"007", true, 7, 3}, {" 1", false, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *p = rows[i].text;
        int64_t v = 0;
        assert_int_equal(bn_parse_int(&p, p + strlen(p), &v), rows[i].ok);
        assert_int_equal(v, rows[i].value);
        assert_int_equal(p - rows[i].text, rows[i].used);
    }
}

static void floats_are_written_so_that_they_read_back(void **state)
{
    (void)state;
    uint64_t s = 3;
    char buf[24];
    static const struct { float v; const char *text; } rows[] = {
        {0.1f, "0.1"}, {-0.0f, "-0"}, {1e10f, "1e+10"}, {16777216.0f, "16777216"},
        {0.5f, "0.5"}, {INFINITY, "inf"}, {-INFINITY, "-inf"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(bn_format_float(buf, rows[i].v), strlen(rows[i].text));
        assert_string_equal(buf, rows[i].text);
    }
    for (int i = 0; i < 100000; i++) {
        uint32_t bits = (uint32_t)random_bits(&s);
        float v, back;
        memcpy(&v, &bits, sizeof v);
        int len = bn_format_float(buf, v);
        assert_int_equal(len, strlen(buf));
        back = strtof(buf, NULL);
        if (isnan(v))
            assert_true(isnan(back));
        else
            assert_memory_equal(&v, &back, sizeof v);
    }
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    char buf[32], text[32];
    double v;
    if (!use_comma_locale())
        skip();
    snprintf(buf, sizeof buf, "%g", 1.5);
    assert_string_equal(buf, "1,5");
    bn_format_float(buf, 1.5f);
    bn_print(text, sizeof text, "%.1f of %g", 2.25, 0.5);
    const char *p = "0.12345678901234567890123", *end = p + strlen(p);
    bool ok = bn_parse_real(&p, end, &v);
    setlocale(LC_ALL, "C");
    assert_string_equal(buf, "1.5");
    assert_string_equal(text, "2.2 of 0.5");
    assert_true(ok && p == end && v == 0.12345678901234567890123);
}

/* ---- files ---- */

static void a_file_is_mapped_whole(void **state)
{
    (void)state;
    bn_file f;
    const char *path = temp_path("mapped");
    write_text(path, "hello");
    assert_int_equal(bn_file_open(&f, path), BONSAI_OK);
    assert_int_equal(f.len, 5);
    assert_memory_equal(f.data, "hello", 5);
    bn_file_close(&f);
    assert_null(f.data);
    write_text(path, "");
    assert_int_equal(bn_file_open(&f, path), BONSAI_OK);
    assert_int_equal(f.len, 0);
    assert_non_null(f.data);            /* NULL + 0 is undefined */
    bn_file_close(&f);
    assert_null(f.data);
}

static void a_path_that_is_not_a_file_is_refused(void **state)
{
    (void)state;
    bn_file f;
    const char *path = temp_path("pipe");
    assert_fails(bn_file_open(&f, "/no/such"), BONSAI_E_IO, "/no/such: cannot be opened: No such");
    assert_fails(bn_file_open(&f, "/tmp"), BONSAI_E_IO, "/tmp: is a folder, not a file");
    assert_fails(bn_file_open(&f, "/dev/null"), BONSAI_E_IO, "is a device or pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_fails(bn_file_open(&f, path), BONSAI_E_IO, "is a device or pipe");
    bn_out *o = NULL;
    assert_fails(bn_out_open(&o, "/dev/null"), BONSAI_E_IO, "/dev/null: is a device or pipe");
    assert_fails(bn_out_open(&o, "/tmp"), BONSAI_E_IO, "/tmp: is a folder");
    assert_fails(bn_out_open(&o, "/no/such/x"), BONSAI_E_IO, "/no/such/x: cannot be written: No");
    assert_null(o);
}

static void files_folders_and_endings_are_told_apart(void **state)
{
    (void)state;
    assert_true(bn_is_dir("/tmp") && !bn_is_file("/tmp") && !bn_is_dir("/no/such"));
    assert_true(bn_ends_with("a.npz", ".npz") && !bn_ends_with("z", ".npz"));
    assert_true(bn_ends_with("a", ""));
}

static void output_appears_only_when_committed(void **state)
{
    (void)state;
    bn_out *o;
    size_t len;
    const char *path = temp_path("out");
    uint8_t *big = calloc(200000, 1);
    memset(big, 'b', 200000);
    assert_int_equal(bn_out_open(&o, path), BONSAI_OK);
    assert_int_equal(bn_out_write(o, "lost", 4), BONSAI_OK);
    bn_out_close(o);
    assert_false(bn_is_file(path));
    assert_int_equal(bn_out_open(&o, path), BONSAI_OK);
    assert_int_equal(bn_out_write(o, "head", 4), BONSAI_OK);
    assert_int_equal(bn_out_write(o, big, 200000), BONSAI_OK);
    assert_int_equal(bn_out_printf(o, "%d;", 42), BONSAI_OK);
    for (int i = 0; i < 70000; i++)
        assert_int_equal(bn_out_write(o, "s", 1), BONSAI_OK);
    assert_int_equal(bn_out_tell(o), 4 + 200000 + 3 + 70000);
    assert_int_equal(bn_out_rewrite(o, 0, "HEAD", 4), BONSAI_OK);
    assert_false(bn_is_file(path));
    assert_int_equal(bn_out_commit(o), BONSAI_OK);
    bn_out_close(o);
    uint8_t *got = read_file(path, &len);
    assert_int_equal(len, 270007);
    assert_memory_equal(got, "HEAD", 4);
    assert_memory_equal(got + 4, big, 200000);
    assert_memory_equal(got + 200004, "42;s", 4);
    free(got);
    free(big);
}

static void a_failed_rename_leaves_nothing(void **state)
{
    (void)state;
    bn_out *o;
    char folder[512], path[600];
    snprintf(folder, sizeof folder, "%s", temp_path("rename"));
    snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(bn_out_open(&o, path), BONSAI_OK);
    assert_int_equal(bn_out_write(o, "x", 1), BONSAI_OK);
    assert_int_equal(mkdir(path, 0700), 0);     /* blocks the rename */
    assert_fails(bn_out_commit(o), BONSAI_E_IO, "file: cannot be written: ");
    bn_out_close(o);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);         /* it is empty */
}

static void a_line_too_long_is_refused(void **state)
{
    (void)state;
    bn_out *o;
    char text[600];
    memset(text, 'x', sizeof text);
    text[599] = 0;
    assert_int_equal(bn_out_open(&o, temp_path("long")), BONSAI_OK);
    assert_fails(bn_out_printf(o, "%s", text), BONSAI_E_IO, "a line is too long");
    bn_out_close(o);
}

static bonsai_status write_something(void *path)
{
    bn_out *o = NULL;
    bonsai_status rc;
    BN_TRY(bn_out_open(&o, path));
    BN_TRY(bn_out_write(o, "x", 1));
    BN_TRY(bn_out_commit(o));
done:
    bn_out_close(o);
    return rc;
}

static void output_survives_failed_allocations(void **state)
{
    (void)state;
    survives_failed_allocations(write_something, (void *)(uintptr_t)temp_path("mem"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_is_one_line_whatever_is_in_it),
        cmocka_unit_test(facts_stand_beside_the_sentence),
        cmocka_unit_test(a_missing_file_is_known_as_one),
        cmocka_unit_test(options_are_spelled_as_the_caller_does),
        cmocka_unit_test(a_long_sentence_is_cut),
        cmocka_unit_test(each_thread_has_its_own_sentence),
        cmocka_unit_test(every_status_has_a_text),
        cmocka_unit_test(overflowing_products_and_sums_are_detected),
        cmocka_unit_test(requests_beyond_the_machine_are_refused_with_their_size),
        cmocka_unit_test(no_items_still_give_a_pointer),
        cmocka_unit_test(growing_keeps_the_contents),
        cmocka_unit_test(the_harness_fails_each_allocation_once),
        cmocka_unit_test(a_tick_reports_and_cancels),
        cmocka_unit_test(streams_differ_and_repeat),
        cmocka_unit_test(units_fill_zero_to_one),
        cmocka_unit_test(below_has_no_bias),
        cmocka_unit_test(shuffling_permutes_by_seed),
        cmocka_unit_test(the_checksum_is_that_of_zip),
        cmocka_unit_test(reals_are_read_like_strtod),
        cmocka_unit_test(reals_stop_at_the_end_of_the_text),
        cmocka_unit_test(a_number_too_long_to_copy_is_refused),
        cmocka_unit_test(integers_are_read_within_64_bits),
        cmocka_unit_test(floats_are_written_so_that_they_read_back),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(a_file_is_mapped_whole),
        cmocka_unit_test(a_path_that_is_not_a_file_is_refused),
        cmocka_unit_test(files_folders_and_endings_are_told_apart),
        cmocka_unit_test(output_appears_only_when_committed),
        cmocka_unit_test(a_failed_rename_leaves_nothing),
        cmocka_unit_test(a_line_too_long_is_refused),
        cmocka_unit_test(output_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
