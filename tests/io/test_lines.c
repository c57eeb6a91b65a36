/* test_lines.c -- lines, fields and .gz.
 *
 * SPDX-License-Identifier: MIT */
#include "io/lines.h"
#include "texting.h"

static void refuses_damaged_gzip(void **state)
{
    (void)state;
    size_t len;
    write_gz(temp_path("cut.el.gz"), "0 1\n1 2\n2 3\n3 4\n");
    uint8_t *data = read_file(temp_path("cut.el.gz"), &len);
    for (size_t cut = 0; cut < len; cut++) {
        write_file(temp_path("cut.el.gz"), data, cut);
        refuses_file(temp_path("cut.el.gz"), "the gzip data is ");
    }
    uint8_t twice[400] = {0};
    memcpy(twice, data, len);
    memcpy(twice + len, data, len);
    write_file(temp_path("two.el.gz"), twice, 2 * len);     /* two members: one text */
    bonsai_graph *g = must_read(temp_path("two.el.gz"));
    assert_int_equal(bonsai_graph_read_info(g)->edges_given, 8);
    bonsai_graph_free(g);
    write_file(temp_path("pad.el.gz"), twice, len + 0);
    memset(twice + len, 0, 50);
    write_file(temp_path("pad.el.gz"), twice, len + 50);
    g = must_read(temp_path("pad.el.gz"));
    bonsai_graph_free(g);
    memcpy(twice + len, "more", 4);
    write_file(temp_path("pad.el.gz"), twice, len + 4);
    refuses_file(temp_path("pad.el.gz"), "something that is not gzip data follows");
    data[len - 6] ^= 1;                                     /* the checksum */
    write_file(temp_path("pad.el.gz"), data, len);
    refuses_file(temp_path("pad.el.gz"), "the gzip data is damaged");
    free(data);
}

static void reads_quoted_fields_over_lines(void **state)
{
    (void)state;
    bn_lines l;
    bn_field f;
    write_text(temp_path("q.csv"), "# c\n\"a\r\nb\", \"say \"\"x\"\"\" ,,end\r\n\nlast");
    const char *path = temp_path("q.csv");
    assert_int_equal(bn_lines_open(&l, path), BONSAI_OK);
    assert_true(bn_lines_next(&l));
    static const char *const wanted[] = {"a\r\nb", "say \"x\"", "", "end"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(bn_field_next(&l, &f), BONSAI_OK);
        assert_int_equal(f.len, strlen(wanted[i]));
        assert_memory_equal(f.text, wanted[i], (size_t)f.len);
        assert_int_equal(l.line, 2);
    }
    assert_int_equal(bn_field_next(&l, &f), BONSAI_OK);
    assert_null(f.text);
    assert_true(bn_lines_next(&l));
    assert_int_equal(l.line, 5);
    assert_false(bn_lines_next(&l));
    bn_lines_close(&l);
}

static void reads_every_kind_of_line_end(void **state)
{
    (void)state;
    static const char *const ends[] = {"1 2\n3 4\n\n5 6", "1 2\r\n3 4\r\n\r\n5 6\r\n",
                                       "1 2\r3 4\r\r5 6\r", "1 2\r3 4\n\r5 6\r\n",
                                       "1 2\n3 4\r\r5 6"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        bn_lines l;
        int64_t v;
        write_text(temp_path("ends.el"), ends[i]);
        const char *path = temp_path("ends.el");
        assert_int_equal(bn_lines_open(&l, path), BONSAI_OK);
        for (int64_t wanted = 1; wanted <= 6; wanted++) {
            assert_true(wanted % 2 == 0 || bn_lines_next(&l));
            assert_int_equal(bn_int_next(&l, &v), BONSAI_OK);
            assert_int_equal(v, wanted);
            assert_int_equal(l.line, wanted == 5 || wanted == 6 ? 4 : (wanted + 1) / 2);
        }
        assert_false(l.more || bn_lines_next(&l));
        bn_lines_close(&l);
    }
}

/* A search for the next line feed on every line would take minutes. */
static void many_lines_that_end_with_cr_take_little_time(void **state)
{
    (void)state;
    enum { LINES = 1000000 };
    char *text = malloc(4 * LINES);
    assert_non_null(text);
    for (int i = 0; i < LINES; i++)
        memcpy(text + 4 * i, "0 1\r", 4);
    write_file(temp_path("cr.el"), text, 4 * LINES);
    bn_lines l;
    const char *path = temp_path("cr.el");
    assert_int_equal(bn_lines_open(&l, path), BONSAI_OK);
    int64_t count = 0;
    while (bn_lines_next(&l))
        count++;
    assert_int_equal(count, LINES);
    bn_lines_close(&l);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_damaged_gzip),
        cmocka_unit_test(reads_every_kind_of_line_end),
        cmocka_unit_test(many_lines_that_end_with_cr_take_little_time),
        cmocka_unit_test(reads_quoted_fields_over_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
