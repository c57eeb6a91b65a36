/* test_draw.c -- text, numbers, ticks and charts.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/template.h"
#include "testing.h"

/* ---- an oracle for UTF-8: the table of well-formed byte sequences -------- */

static int well_formed(const unsigned char *s)
{
    static const struct { unsigned char first[2], second[2]; int len; } row[] = {
        {{0x01, 0x7f}, {0, 0}, 1},          {{0xc2, 0xdf}, {0x80, 0xbf}, 2},
        {{0xe0, 0xe0}, {0xa0, 0xbf}, 3},    {{0xe1, 0xec}, {0x80, 0xbf}, 3},
        {{0xed, 0xed}, {0x80, 0x9f}, 3},    {{0xee, 0xef}, {0x80, 0xbf}, 3},
        {{0xf0, 0xf0}, {0x90, 0xbf}, 4},    {{0xf1, 0xf3}, {0x80, 0xbf}, 4},
        {{0xf4, 0xf4}, {0x80, 0x8f}, 4}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bool fits = s[0] >= row[i].first[0] && s[0] <= row[i].first[1];
        for (int k = 1; fits && k < row[i].len; k++)
            fits = s[k] >= (k == 1 ? row[i].second[0] : 0x80) &&
                   s[k] <= (k == 1 ? row[i].second[1] : 0xbf);
        if (fits)
            return row[i].len;
    }
    return 0;
}

static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
static const char meant[] = "&<>\"'";

/* The number of characters, each an entity or well-formed and harmless; fails otherwise. */
static int characters(const char *html)
{
    int count = 0;
    for (const char *at = html; *at; count++) {
        size_t len = 0;
        for (int e = 0; e < 5 && *at == '&'; e++)
            if (strncmp(at, entity[e], strlen(entity[e])) == 0)
                len = strlen(entity[e]);
        if (len == 0) {
            assert_null(strchr("&<>\"'", *at));
            assert_true((unsigned char)*at >= 0x20);
            len = (size_t)well_formed((const unsigned char *)at);
            assert_true(len > 0);
        }
        at += len;
    }
    return count;
}

/* What a browser reads of it. */
static void unescape(char *out, const char *html)
{
    while (*html) {
        bool found = false;
        for (int e = 0; e < 5 && !found; e++)
            if (strncmp(html, entity[e], strlen(entity[e])) == 0) {
                *out++ = meant[e];
                html += strlen(entity[e]);
                found = true;
            }
        if (!found)
            *out++ = *html++;
    }
    *out = 0;
}

static void any_bytes_become_harmless_text(void **state)
{
    (void)state;
    for (uint64_t run = 0; run < 20000; run++) {
        static const char likely[] = "<>&\"'/=\xc3\xe2\x80\xed\xa0\xf4\x90 a;#\n";
        char text[64], plain[64], read[512];
        bn_page p = {0};
        bn_rng r = bn_rng_at(run, 1);
        int len = (int)bn_rng_below(&r, 60), at = 0;
        for (int i = 0; i < len; i++)
            text[i] = bn_rng_below(&r, 2) ? likely[bn_rng_below(&r, sizeof likely - 1)]
                                          : (char)(1 + bn_rng_below(&r, 255));
        text[len] = 0;
        bn_put(&p, "");
        bn_escape(&p, text);
        characters(p.text);
        unescape(read, p.text);
        for (int i = 0; i < len;) {             /* what was ASCII is still there, in order */
            int n = well_formed((unsigned char *)text + i);
            if (n == 1 && text[i] >= 0x20 && text[i] < 0x7f)
                plain[at++] = text[i];
            i += n ? n : 1;
        }
        plain[at] = 0;
        const char *from = read;
        for (int i = 0; i < at; i++) {
            from = strchr(from, plain[i]);
            assert_non_null(from);
            from++;
        }
        bn_page_free(&p);
    }
}

static void well_formed_text_stays_as_it_is(void **state)
{
    (void)state;
    const char *const text[] = {"Ünïcode ✓ 漢字 𝒳", "a<b>&\"c\"'d'", ""};
    for (int i = 0; i < 3; i++) {
        char read[128];
        bn_page p = {0};
        bn_put(&p, "");
        bn_escape(&p, text[i]);
        unescape(read, p.text);
        assert_string_equal(read, text[i]);
        bn_page_free(&p);
    }
}

static void bad_text_becomes_a_question_mark(void **state)
{
    (void)state;
    static const struct { const char *text, *wanted; } row[] = {
        {"\xff", "?"}, {"a\xc3", "a?"}, {"\xed\xa0\x80", "???"}, {"\xc0\xaf", "??"},
        {"\xf4\x90\x80\x80", "????"}, {"\x01\x7f", "??"}, {"a\nb\tc", "a b c"},
        {"\xe2\x80\xae" "gpj.exe", "?gpj.exe"}, {"\xef\xbf\xbe", "?"}, {"\xc2\x85", "?"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bn_page p = {0};
        bn_escape(&p, row[i].text);
        assert_string_equal(p.text, row[i].wanted);
        bn_page_free(&p);
    }
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    const char *text = "a<ü漢𝒳&b";                 /* seven characters */
    for (int most = 1; most <= 9; most++) {
        bn_page p = {0};
        bn_escape_cut(&p, text, most);
        assert_int_equal(characters(p.text), most < 7 ? most : 7);
        assert_int_equal(strstr(p.text, "…") != NULL, most < 7);
        bn_page_free(&p);
    }
}

/* ---- numbers ------------------------------------------------------------- */

static void assert_text(const char *wanted, void (*text)(char *, double), double v)
{
    char written[64], plain[128];
    int at = 0;
    text(written, v);
    for (const char *c = written; *c; c++)       /* a space that does not break is a space */
        if ((unsigned char)c[0] == 0xc2 && (unsigned char)c[1] == 0xa0) {
            plain[at++] = ' ';
            c++;
        } else
            plain[at++] = *c;
    plain[at] = 0;
    assert_string_equal(plain, wanted);
}

static void numbers_are_written_for_people(void **state)
{
    (void)state;
    assert_text("1,234,567", bn_number_text, 1234567);
    assert_text("12.3", bn_number_text, 12.34);
    assert_text("0.0012", bn_number_text, 0.0012);
    assert_text("0", bn_number_text, 0);
    assert_text("−5", bn_number_text, -5);
    assert_text("1.2e−7", bn_number_text, 1.2e-7);
    assert_text("–", bn_number_text, NAN);
    assert_text("9.0e300", bn_number_text, 9e300);
    assert_text("838 B", bn_bytes_text, 838);
    assert_text("64.8 kB", bn_bytes_text, 64800);
    assert_text("6.5 MB", bn_bytes_text, 6.5e6);
    assert_text("1.0 MB", bn_bytes_text, 999600);
    assert_text("12 ms", bn_seconds_text, 0.012);
    assert_text("0.5 ms", bn_seconds_text, 0.0005);
    assert_text("3.40 s", bn_seconds_text, 3.4);
    assert_text("2 min 10 s", bn_seconds_text, 130.2);
    assert_text("1 min 0 s", bn_seconds_text, 59.97);
    assert_text("1 h 1 min", bn_seconds_text, 3660);
    assert_text("1.25 %", bn_percent_text, 0.0125);
    assert_text("100 %", bn_percent_text, 1);
    assert_text("0.0524 %", bn_percent_text, 0.000524);
}

static void fixed_numbers_are_the_nearest(void **state)
{
    (void)state;
    for (uint64_t run = 0; run < 20000; run++) {
        bn_rng r = bn_rng_at(run, 2);
        char text[64];
        int digits = (int)bn_rng_below(&r, 7);
        double v = (bn_rng_unit(&r) - 0.5) * pow(10, (double)bn_rng_below(&r, 9) - 3);
        bn_fixed(text, v, digits, false);
        double got = strncmp(text, "−", 3) == 0 ? -strtod(text + 3, NULL) : strtod(text, NULL);
        assert_true(fabs(got - v) <= 0.5000001 * pow(10, -digits));
    }
}

/* ---- ticks --------------------------------------------------------------- */

/* The finest step of 1, 2, 5 times a power of ten with at most room multiples in the range, by
 * trying all there are from the coarsest on. */
static int oracle_ticks(double *at, int room, double low, double high)
{
    int best = 0;
    for (int e = 9; e >= -9; e--)
        for (int k = 0; k < 3; k++) {
            long double step = (k == 0 ? 5 : k == 1 ? 2 : 1) * powl(10, e);
            long double first = ceill(low / step - 1e-9L), last = floorl(high / step + 1e-9L);
            if (last - first + 1 > room)
                return best;
            best = (int)(last - first + 1);
            for (int i = 0; i < best; i++)
                at[i] = (double)((first + i) * step);
        }
    return best;
}

static void ticks_are_the_finest_round_numbers_that_fit(void **state)
{
    (void)state;
    for (uint64_t run = 0; run < 5000; run++) {
        bn_rng r = bn_rng_at(run, 3);
        double got[16], wanted[16];
        int room = 2 + (int)bn_rng_below(&r, 9);
        double scale = pow(10, (double)bn_rng_below(&r, 9) - 4);
        double low = bn_rng_below(&r, 3) ? 0 : (bn_rng_unit(&r) - 0.5) * scale;
        double high = low + (0.01 + bn_rng_unit(&r)) * scale;
        int count = bn_ticks(got, room, low, high), all = oracle_ticks(wanted, room, low, high);
        if (all == 0)
            continue;                           /* then low stands alone */
        assert_int_equal(count, all);
        for (int i = 0; i < all; i++)
            assert_true(fabs(got[i] - wanted[i]) <= 1e-9 * scale);
    }
}

static void ticks_of_odd_ranges_are_one(void **state)
{
    (void)state;
    double at[8];
    assert_int_equal(bn_ticks(at, 5, 3, 3), 1);
    assert_true(at[0] == 3);
    assert_int_equal(bn_ticks(at, 5, 4, 3), 1);
    assert_int_equal(bn_ticks(at, 5, 0, INFINITY), 1);
    assert_int_equal(bn_ticks(at, 5, NAN, 1), 1);
    assert_true(at[0] == 0);
    assert_int_equal(bn_ticks(at, 5, -1e308, 1e308), 1);
}

static void ticks_are_written_short(void **state)
{
    (void)state;
    static const struct { double v; bool power; const char *wanted; } row[] = {
        {0, false, "0"}, {0.3, false, "0.3"}, {20000, false, "20k"}, {1.5e6, false, "1.5M"},
        {-250, false, "−250"}, {1e-5, true, "10⁻⁵"}, {0.1, true, "10⁻¹"}, {10, true, "10"},
        {1e12, true, "10¹²"},
        {2e-6, false, "2.0e−6"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[64];
        bn_tick_text(text, row[i].v, row[i].power);
        assert_string_equal(text, row[i].wanted);
    }
    double at[8];
    assert_int_equal(bn_log_ticks(at, 6, 1e-3, 1), 4);
    assert_int_equal(bn_log_ticks(at, 6, 1e-30, 1), 6);
    assert_int_equal(bn_log_ticks(at, 6, 2, 3), 1);
    assert_int_equal(bn_fine_ticks(at, 8, 1, 20), 5);           /* 1 2 5 10 20 */
    assert_true(at[0] == 1 && at[2] == 5 && fabs(at[4] - 20) < 1e-9);
    assert_int_equal(bn_fine_ticks(at, 8, 0.03, 0.3), 3);       /* 0.05 0.1 0.2 */
    assert_int_equal(bn_fine_ticks(at, 8, 1, 1e5), 6);          /* too many: powers alone */
    assert_int_equal(bn_fine_ticks(at, 8, 3, 4), 1);            /* none fits: the lower end */
    assert_int_equal(bn_fine_ticks(at, 6, 1e-150, 1e150), 6);
}

/* ---- charts -------------------------------------------------------------- */

static int count_of(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        count++;
    return count;
}

static const char bars[] =
    "{\"title\":\"Title\",\"x\":\"label\",\"y\":\"value\",\"labels\":[\"one\",\"<two>\",\"three\"],"
    "\"series\":[{\"name\":\"before\",\"values\":[10,20,40]},"
    "{\"name\":\"after\",\"values\":[0,null,30]}]}";

static bn_json *parsed(const char *text)
{
    bn_json *v = bn_json_parse(text, strlen(text), 0, NULL);
    assert_non_null(v);
    return v;
}

static void draw_bars(bn_page *p, const char *json)
{
    bn_json *chart = parsed(json);
    bn_chart_bars(p, chart, "1");
    bn_json_free(chart);
}

static void draw_lines(bn_page *p, const char *json)
{
    bn_json *chart = parsed(json);
    bn_chart_lines(p, chart, "smooth");
    bn_json_free(chart);
}

static void bars_are_as_long_as_their_values(void **state)
{
    (void)state;
    static const double wanted[] = {25, 0, 50, 100, 75};       /* of 40; null has no bar */
    bn_page p = {0};
    draw_bars(&p, bars);
    const char *at = p.text;
    for (int i = 0; i < 5; i++) {
        at = strstr(at, "<rect");
        assert_non_null(at);
        at = strstr(at, "width=\"") + 7;
        assert_true(fabs(strtod(at, NULL) - wanted[i]) < 0.01);
    }
    assert_null(strstr(at, "<rect"));
    assert_non_null(strstr(p.text, ">40.0</text>"));
    assert_non_null(strstr(p.text, "<td>30.0</td>"));
    assert_non_null(strstr(p.text, "<td>–</td>"));
    assert_non_null(strstr(p.text, "<title id=\"c1t\">Title</title><desc id=\"c1d\">value"));
    assert_null(strstr(p.text, "<two>"));
    bn_page_free(&p);
}

static void curves_go_through_their_points(void **state)
{
    (void)state;
    bn_page p = {0};
    draw_lines(&p, "{\"title\":\"T\",\"x\":\"x\",\"y\":\"y\",\"log_y\":true,\"curves\":["
                   "{\"at\":[[0,1],[50,0.1],[100,0.001]],\"mark\":50}]}");
    assert_non_null(strstr(p.text, "class=\"s1 line\" d=\"M0.0 0.0L500.0 333.3L1000.0 1000.0\""));
    assert_non_null(strstr(p.text, "<circle class=\"s1 spot\" r=\"5\" cx=\"50.00%\" cy=\"33.33%\""));
    assert_int_equal(count_of(p.text, "</td></tr>"), 3);
    bn_page_free(&p);
}

static void charts_without_a_value_are_not_drawn(void **state)
{
    (void)state;
    bn_page p = {0};
    bn_put(&p, "");
    draw_lines(&p, "{\"title\":\"T\",\"x\":\"x\",\"y\":\"y\",\"curves\":[{\"at\":[[null,1],[1,\"inf\"]]}]}");
    draw_lines(&p, "{\"title\":\"T\",\"curves\":[{\"at\":[]}],\"log_y\":true,"
                   "\"line\":{\"at\":0.5,\"name\":\"bound\"}}");
    draw_bars(&p, "{\"title\":\"T\",\"labels\":[],\"series\":[{\"name\":\"s\",\"values\":[]}]}");
    assert_string_equal(p.text, "");
    bn_page_free(&p);
}

static void fill_map(bn_map *m, bn_dot *dot, int64_t dots, int64_t trees, int classes)
{
    memset(m, 0, BN_MAPS * sizeof *m);
    m->known = true;
    m->high_x = m->high_y = 1;
    m->trees = m->all_trees = trees;
    for (int i = 0; i < BN_MAP_SIDE * BN_MAP_SIDE; i++)
        m->most[i] = -1;
    for (int64_t i = 0; i < trees; i++) {
        bn_rng r = bn_rng_at((uint64_t)i, 4);
        int64_t cell = bn_rng_below(&r, BN_MAP_SIDE * BN_MAP_SIDE);
        m->grid[cell]++;
        m->most[cell] = (int32_t)(i % classes);
    }
    for (int64_t i = 0; i < dots; i++) {
        bn_rng r = bn_rng_at((uint64_t)i, 5);
        dot[i] = (bn_dot){bn_rng_unit(&r), bn_rng_unit(&r), (int32_t)(i % (classes + 1)) - 1,
                          1 + (double)bn_rng_below(&r, 50), i};
    }
    m->dots = m->all_dots = dots;
    m->dot = dot;
}

static const char **class_names(int classes)
{
    static const char *names[400];
    static char text[400][16];
    for (int i = 0; i < classes; i++) {
        snprintf(text[i], sizeof text[i], "name%d", i);
        names[i] = text[i];
    }
    return names;
}

static void draw_map(bn_page *p, const bn_map *m, int classes)
{
    bn_chart_maps(p, &(bn_map_chart){.maps = m, .class_name = class_names(classes),
                                     .classes = classes});
}

static void every_full_cell_of_the_map_is_drawn_once(void **state)
{
    (void)state;
    static bn_map m[BN_MAPS];
    static bn_dot dot[50];
    static const struct { int64_t trees; int by; } size[] = {{20000, 1}, {3000, 2}, {100, 3}};
    for (int s = 0; s < 3; s++) {
        bn_page p = {0};
        int by = size[s].by, side = BN_MAP_SIDE / by, full = 0, drawn = 0;
        fill_map(m, dot, 50, size[s].trees, 4);
        draw_map(&p, m, 4);
        for (int cell = 0; cell < side * side; cell++) {
            int64_t sum = 0;
            for (int i = 0; i < by * by; i++)
                sum += m[0].grid[(cell / side * by + i / by) * BN_MAP_SIDE + cell % side * by + i % by];
            full += sum > 0;
        }
        for (const char *at = p.text; (at = strstr(at, "v1h-")) != NULL; at += 4)
            drawn += atoi(at + 4);
        assert_int_equal(drawn, full);
        assert_int_equal(count_of(p.text, "<title>node "), 50);
        bn_page_free(&p);
    }
}

static void ten_colours_are_enough_for_any_number_of_classes(void **state)
{
    (void)state;
    static bn_map m[BN_MAPS];
    static bn_dot dot[400];
    bn_page p = {0};
    fill_map(m, dot, 400, 20000, 300);
    draw_map(&p, m, 300);
    assert_non_null(strstr(p.text, "291 other classes"));
    assert_int_equal(count_of(p.text, "<li class=\"k"), 10);
    for (const char *at = p.text; (at = strstr(at, "class=\"k")) != NULL; at += 8)
        assert_true(strchr("\" ", at[9]) || strncmp(at, "class=\"key", 10) == 0);
    bn_page_free(&p);
}

/* Circles are of the first and of the last, which is for all other classes. */
static void classes_differ_in_shape(void **state)
{
    (void)state;
    char shape[BN_COLOURS][600];
    for (int k = 0; k < BN_COLOURS; k++) {
        bn_page p = {0};
        bn_put_marker(&p, k, 10);
        snprintf(shape[k], sizeof shape[k], "%s", p.text);
        assert_int_equal(strncmp(p.text, "<circle", 7) == 0, k == 0 || k == BN_COLOURS - 1);
        assert_null(strstr(p.text, "−"));       /* a drawing needs a plain minus */
        for (int i = 0; i < k && k < BN_COLOURS - 1; i++)
            assert_string_not_equal(shape[i], shape[k]);
        bn_page_free(&p);
    }
}

static void both_maps_share_a_legend_and_colours(void **state)
{
    (void)state;
    static bn_map m[BN_MAPS], other[BN_MAPS];
    static bn_dot dot[60], elsewhere[60];
    bn_page p = {0};
    fill_map(m, dot, 60, 900, 40);
    fill_map(other, elsewhere, 60, 10, 3);      /* by itself it would colour other classes */
    m[BN_MAP_APART] = other[0];
    m[BN_MAP_APART].nearest = 0.75;
    m[BN_MAP_WIDEST].nearest = 0.25;
    draw_map(&p, m, 40);
    assert_int_equal(count_of(p.text, "<ul class=\"legend\">"), 1);
    assert_int_equal(count_of(p.text, "<svg class=\"map\""), 2);
    assert_int_equal(count_of(p.text, "<title>node "), 120);
    const char *apart = strstr(p.text, "As the classes differ most"),
               *widest = strstr(p.text, "As the nodes differ most");
    assert_true(apart && widest && apart < widest);
    assert_non_null(strstr(apart, "Here 75\u00a0% of the training nodes"));
    assert_non_null(strstr(widest, "Here 25\u00a0% of the training nodes"));
    for (int node = 0; node < 60; node++) {     /* the same colour in both */
        char name[64];
        snprintf(name, sizeof name, "<title>node %d,", node);
        const char *a = strstr(apart, name), *b = strstr(widest, name);
        if (dot[node].label != elsewhere[node].label || dot[node].label < 0)
            continue;
        while (strncmp(a, "<svg class=", 11) != 0)
            a--;
        while (strncmp(b, "<svg class=", 11) != 0)
            b--;
        assert_memory_equal(a, b, 14);
    }
    bn_page_free(&p);
}

static bonsai_status draw_all(void *payload)
{
    (void)payload;
    static bn_map m[BN_MAPS];
    static bn_dot dot[20];
    bn_page p = {0};
    fill_map(m, dot, 20, 6000, 12);
    bn_page_begin(&p, "t", false);
    bn_section_begin(&p, "id", "heading", "inside");
    bn_json *chart = bn_json_pack("{ss,s[s],s[{ss,s[f]}]}", "title", "T", "labels", "one", "series",
                                  "name", "a", "values", 1.0);
    p.failed = p.failed || !bn_json_sound(chart);
    bn_chart_bars(&p, chart, "1");
    bn_json_free(chart);
    chart = bn_json_pack("{ss,s[{ss,s[[ff],[ff]],sf}],s{sf,ss}}", "title", "T", "curves",
                         "name", "a", "at", 0.0, 1.0, 50.0, 0.1, "mark", 50.0, "line", "at", 0.5,
                         "name", "bound");
    p.failed = p.failed || !bn_json_sound(chart);
    bn_chart_lines(&p, chart, "smooth");
    bn_json_free(chart);
    draw_map(&p, m, 12);
    bn_section_end(&p, "inside");
    bn_page_end(&p, false);
    bonsai_status rc = bn_page_status(&p);
    bn_page_free(&p);
    return rc;
}

static void drawing_survives_every_failed_allocation(void **state)
{
    (void)state;
    survives_failed_allocations(draw_all, NULL, 8);
}

/* 1.7e308 rounds up to a power of ten that is not finite, 5e-324 down to zero. */
static void a_log_axis_ends_where_numbers_do(void **state)
{
    static const char *const y[][2] = {{"1.7e308", "1.7e308"}, {"5e-324", "5e-324"},
                                       {"1.7e308", "5e-324"}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char json[160];
        bn_page p = {0};
        snprintf(json, sizeof json, "{\"title\":\"t\",\"log_y\":true,\"curves\":["
                 "{\"at\":[[0,%s],[1,%s]]}]}", y[i][0], y[i][1]);
        draw_lines(&p, json);
        assert_int_equal(bn_page_status(&p), BONSAI_OK);
        assert_non_null(strstr(p.text, "class=\"tick end\""));
        assert_non_null(strstr(p.text, ">10"));
        assert_null(strstr(p.text, "214748"));
        assert_null(strstr(p.text, "⁻²¹⁴"));
        bn_page_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_become_harmless_text),
        cmocka_unit_test(well_formed_text_stays_as_it_is),
        cmocka_unit_test(bad_text_becomes_a_question_mark),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(numbers_are_written_for_people),
        cmocka_unit_test(fixed_numbers_are_the_nearest),
        cmocka_unit_test(ticks_are_the_finest_round_numbers_that_fit),
        cmocka_unit_test(ticks_of_odd_ranges_are_one),
        cmocka_unit_test(ticks_are_written_short),
        cmocka_unit_test(bars_are_as_long_as_their_values),
        cmocka_unit_test(curves_go_through_their_points),
        cmocka_unit_test(charts_without_a_value_are_not_drawn),
        cmocka_unit_test(every_full_cell_of_the_map_is_drawn_once),
        cmocka_unit_test(ten_colours_are_enough_for_any_number_of_classes),
        cmocka_unit_test(classes_differ_in_shape),
        cmocka_unit_test(both_maps_share_a_legend_and_colours),
        cmocka_unit_test(drawing_survives_every_failed_allocation),
        cmocka_unit_test(a_log_axis_ends_where_numbers_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
