/* test_lines.c -- lines, fields and .gz.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

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


static void reads_whole_files_of_numbers(void **state)
{
    (void)state;
    const bn_progress silent = {NULL, NULL};
    float *x = NULL;
    int64_t *ids = NULL, rows, columns;
    write_gz(temp_path("x.csv.gz"), "1.5,-0,3\n4e-3, 5 ,6\n");
    assert_int_equal(bn_csv_reals(&x, &rows, &columns, temp_path("x.csv.gz"), silent), BONSAI_OK);
    assert_int_equal(rows, 2);
    assert_int_equal(columns, 3);
    assert_true(x[0] == 1.5f && signbit(x[1]) && x[3] == 4e-3f && x[5] == 6.0f);
    bn_free(x);
    write_text(temp_path("i.csv"), "1,-9223372036854775807\n\n3,4");
    assert_int_equal(bn_csv_ints(&ids, &rows, &columns, temp_path("i.csv"), silent), BONSAI_OK);
    assert_int_equal(rows, 2);
    assert_true(ids[1] == -INT64_MAX && ids[3] == 4);
    bn_free(ids);
    write_text(temp_path("i.csv"), "1,2\n3\n");
    assert_fails(bn_csv_ints(&ids, &rows, &columns, temp_path("i.csv"), silent), BONSAI_E_FORMAT,
                 "i.csv:2: 1 columns where the first row has 2");
    assert_null(ids);
    write_text(temp_path("i.csv"), "1,2\n3,4.5\n");
    assert_fails(bn_csv_ints(&ids, &rows, &columns, temp_path("i.csv"), silent), BONSAI_E_FORMAT,
                 "i.csv:2: \"4.5\" is not an integer");
    write_text(temp_path("i.csv"), "");
    assert_int_equal(bn_csv_reals(&x, &rows, &columns, temp_path("i.csv"), silent), BONSAI_OK);
    assert_int_equal(rows, 0);
    bn_free(x);
    assert_fails(bn_csv_reals(&x, &rows, &columns, temp_path("none.csv"), silent), BONSAI_E_IO,
                 "none.csv: cannot be opened");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_damaged_gzip),
        cmocka_unit_test(reads_whole_files_of_numbers),
        cmocka_unit_test(reads_quoted_fields_over_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
