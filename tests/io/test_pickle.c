/* test_pickle.c -- the pickle machine builds what Planetoid files contain, and nothing else.
 *
 * SPDX-License-Identifier: MIT */
#include "io/pickle.h"
#include "pickling.h"

#include <stdio.h>
#include <stdlib.h>

static bytes b;

static bn_pickle *must_read(const char *path)
{
    bn_pickle *p = NULL;
    if (bn_pickle_read(&p, path) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return p;
}

/* A pickle of exactly these bytes must be refused with this message. */
static void refuses_bytes(const void *data, size_t len, const char *text)
{
    bn_pickle *p = NULL;
    const char *path = temp_path("refused");
    write_file(path, data, len);
    assert_fails(bn_pickle_read(&p, path), BONSAI_E_FORMAT, text);
    assert_null(p);
    assert_non_null(strstr(bonsai_error(), path));
}

#define REFUSES(literal, text) refuses_bytes("\x80\2" literal, sizeof literal + 1, text)

static void reads_an_array_in_either_order(void **state)
{
    (void)state;
    static const int16_t data[6] = {1, -2, 3, -4, 5, 300};
    for (int fortran = 0; fortran < 2; fortran++) {
        bn_pickle_array a;
        begin_pickle(&b);
        add_array(&b, "i2", 2, 3, fortran, data, sizeof data);
        bn_pickle *p = must_read(end_pickle(&b, "array"));
        assert_int_equal(bn_pickle_as_array(&a, p), BONSAI_OK);
        assert_int_equal(a.dims, 2);
        assert_int_equal(a.dim[0], 2);
        assert_int_equal(a.dim[1], 3);
        assert_int_equal((int)bn_pickle_real_at(&a, 0, 1), fortran ? 3 : -2);
        assert_int_equal((int)bn_pickle_real_at(&a, 1, 0), fortran ? -2 : -4);
        assert_int_equal((int)bn_pickle_real_at(&a, 1, 2), 300);
        assert_int_equal(bn_pickle_int(&a, 3), -4);
        bn_pickle_free(p);
    }
}

static void check_elements(const char *type, const void *data, size_t len, int count, double first,
                           double second)
{
    bn_pickle_array a;
    begin_pickle(&b);
    add_array(&b, type, count, -1, false, data, len);
    bn_pickle *p = must_read(end_pickle(&b, "elements"));
    assert_int_equal(bn_pickle_as_array(&a, p), BONSAI_OK);
    assert_true(bn_pickle_real(&a, 0) == first);
    assert_true(bn_pickle_real(&a, 1) == second);
    bn_pickle_free(p);
}

static void reads_elements_of_every_type(void **state)
{
    (void)state;
    check_elements("b1", "\0\1", 2, 2, 0, 1);
    check_elements("i1", "\x80\x7f", 2, 2, -128, 127);
    check_elements("u1", "\x80\xff", 2, 2, 128, 255);
    check_elements("u2", (uint16_t[]){65535, 2}, 4, 2, 65535, 2);
    check_elements("i4", (int32_t[]){INT32_MIN, 7}, 8, 2, INT32_MIN, 7);
    check_elements("u4", (uint32_t[]){UINT32_MAX, 7}, 8, 2, UINT32_MAX, 7);
    check_elements("i8", (int64_t[]){-5, 1ll << 40}, 16, 2, -5, 0x1p40);
    check_elements("u8", (uint64_t[]){UINT64_MAX, 3}, 16, 2, 0x1p63, 3);
    check_elements("f4", (float[]){-0.5f, 3e30f}, 8, 2, -0.5, (double)3e30f);
    check_elements("f8", (double[]){0.1, -1e300}, 16, 2, 0.1, -1e300);
}

static void reads_a_matrix(void **state)
{
    (void)state;
    static const float dense[6] = {0, 2, 0, 0.5f, 0, -1};
    bn_pickle_matrix m;
    begin_pickle(&b);
    add_csr(&b, 2, 3, dense);
    bn_pickle *p = must_read(end_pickle(&b, "matrix"));
    assert_int_equal(bn_pickle_as_matrix(&m, p), BONSAI_OK);
    assert_int_equal(m.rows, 2);
    assert_int_equal(m.columns, 3);
    float back[6] = {0};
    for (int r = 0; r < 2; r++)
        for (int64_t e = bn_pickle_int(&m.offsets, r); e < bn_pickle_int(&m.offsets, r + 1); e++)
            back[3 * r + bn_pickle_int(&m.indices, e)] = (float)bn_pickle_real(&m.values, e);
    assert_memory_equal(back, dense, sizeof dense);
    bn_pickle_free(p);
}

static void reads_a_dict_of_lists(void **state)
{
    (void)state;
    bn_pickle_lists l;
    begin_pickle(&b);
    add_text(&b, "ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(K\1](");
    add_int(&b, 300);
    add_int(&b, 70000);
    add_int(&b, -3);
    add_text(&b, "eK\2]K\3]K\1aK\2au");        /* a second append to the same list, an empty one */
    bn_pickle *p = must_read(end_pickle(&b, "lists"));
    assert_int_equal(bn_pickle_as_lists(&l, p), BONSAI_OK);
    assert_int_equal(l.count, 3);
    assert_memory_equal(l.key, ((int32_t[]){1, 2, 3}), 12);
    assert_memory_equal(l.begin, ((int64_t[]){0, 3, 3, 5}), 32);
    assert_memory_equal(l.item, ((int32_t[]){300, 70000, -3, 1, 2}), 20);
    bn_pickle_lists_free(&l);
    bn_pickle_free(p);
}

static void remembers_what_was_put_in_the_memo(void **state)
{
    (void)state;
    static const char text[] = "}(K\5q\1]K\7r\2\0\0\0aK\6]j\2\0\0\0ah\1au";
    bn_pickle_lists l;
    begin_pickle(&b);
    add(&b, text, sizeof text - 1);
    bn_pickle *p = must_read(end_pickle(&b, "memo"));
    assert_int_equal(bn_pickle_as_lists(&l, p), BONSAI_OK);
    assert_memory_equal(l.key, ((int32_t[]){5, 6}), 8);
    assert_memory_equal(l.item, ((int32_t[]){7, 7, 5}), 12);
    bn_pickle_lists_free(&l);
    bn_pickle_free(p);
}

static void a_list_that_contains_itself_is_harmless(void **state)
{
    (void)state;
    bn_pickle_lists l;
    begin_pickle(&b);
    add(&b, "}K\1]q\1h\1as", 10);
    bn_pickle *p = must_read(end_pickle(&b, "cycle"));
    assert_fails(bn_pickle_as_lists(&l, p), BONSAI_E_FORMAT, "node 1 holds a list");
    bn_pickle_free(p);
    begin_pickle(&b);
    add(&b, "}q\1K\1h\1s", 8);
    p = must_read(end_pickle(&b, "cycle"));
    assert_fails(bn_pickle_as_lists(&l, p), BONSAI_E_FORMAT, "maps an integer to a dict");
    bn_pickle_free(p);
}

/* What a dict has under the name "n", which is all that `value` builds. */
static bn_pickle_item item_of(const char *value, size_t len)
{
    bn_pickle_item i;
    begin_pickle(&b);
    add_text(&b, "}U\1n");
    add(&b, value, len);
    add_text(&b, "s");
    bn_pickle *p = must_read(end_pickle(&b, "numbers"));
    assert_int_equal(bn_pickle_get(&i, p, "n"), BONSAI_OK);
    bn_pickle_free(p);
    return i;
}

static void is_number(const char *value, size_t len, int64_t number)
{
    const bn_pickle_item i = item_of(value, len);
    assert_int_equal(i.kind, BN_PICKLE_NUMBER);
    assert_true(i.number == number);
}

#define NUMBER(literal, number) is_number(literal, sizeof literal - 1, number)

static void reads_long_numbers_and_passes_over_floats(void **state)
{
    (void)state;
    NUMBER("\x8a\0", 0);
    NUMBER("\x8a\1\x7f", 127);
    NUMBER("\x8a\1\xff", -1);
    NUMBER("\x8a\5\0\0\0\0\1", 1ll << 32);
    NUMBER("\x8a\5\0\0\0\x80\0", 1ll << 31);
    NUMBER("\x8a\10\0\0\0\0\0\0\0\x80", INT64_MIN);
    NUMBER("\x8a\10\xff\xff\xff\xff\xff\xff\xff\x7f", INT64_MAX);
    assert_int_equal(item_of("G\x3f\xf0\0\0\0\0\0\0", 9).kind, BN_PICKLE_OTHER);
    REFUSES("\x8a\11\1\2\3\4\5\6\7\10\11.", "a number of more than 8 bytes");
    REFUSES("\x8a\3\1\2", "ends inside this opcode");
    REFUSES("\x8a", "ends inside this opcode");
    REFUSES("G\1\2\3\4\5\6\7", "ends inside this opcode");
}

/* A number of numpy, which is not an array. */
static bn_pickle_item scalar_of(const char *module, const char *type, const void *data, size_t len)
{
    static bytes s;
    s.len = 0;
    add_text(&s, "c");
    add_text(&s, module);
    add_text(&s, "\nscalar\n");
    add_dtype(&s, type, "<");
    add_string(&s, data, len);
    add_text(&s, "\x86R");
    return item_of((const char *)s.data, s.len);
}

static void reads_numbers_of_numpy(void **state)
{
    (void)state;
    static const struct { const char *type, *data; size_t len; int64_t number; } cases[] = {
        {"i8", "\xfe\xff\xff\xff\xff\xff\xff\xff", 8, -2},
        {"i8", "\0\0\0\0\1\0\0\0", 8, 1ll << 32},
        {"i2", "\0\x80", 2, -32768}, {"u2", "\0\x80", 2, 32768},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const bn_pickle_item got = scalar_of(i % 2 ? "numpy.core.multiarray"
                                                   : "numpy._core.multiarray", cases[i / 2].type,
                                             cases[i / 2].data, cases[i / 2].len);
        assert_int_equal(got.kind, BN_PICKLE_NUMBER);
        assert_true(got.number == cases[i / 2].number);
    }
    assert_int_equal(scalar_of("numpy.core.multiarray", "f8", (double[]){7}, 8).kind,
                     BN_PICKLE_OTHER);
#define SCALAR "cnumpy.core.multiarray\nscalar\n"
    REFUSES(SCALAR ")R", "scalar has arguments that numpy never gives it");
    REFUSES(SCALAR "U\2i8U\1x\x86R", "scalar has arguments");
    REFUSES(SCALAR "cnumpy\ndtype\nU\2i1K\0K\1\x87RU\1x\x86R", "scalar has arguments");
    begin_pickle(&b);
    add_text(&b, SCALAR);
    add_dtype(&b, "i4", "<");
    add_text(&b, "U\3abc\x86R.");
    refuses_bytes(b.data, b.len, "scalar has arguments");
}

/* A list of nodes must not take the lower half of a number for a node. */
static void refuses_nodes_that_no_graph_has(void **state)
{
    (void)state;
    static const char item[] = "}K\1]\x8a\5\1\0\0\0\1as", key[] = "}\x8a\5\1\0\0\0\1]s";
    bn_pickle_lists l;
    for (int i = 0; i < 2; i++) {
        begin_pickle(&b);
        add(&b, i ? key : item, i ? sizeof key - 1 : sizeof item - 1);
        bn_pickle *p = must_read(end_pickle(&b, "large"));
        assert_fails(bn_pickle_as_lists(&l, p), BONSAI_E_FORMAT,
                     "node 4294967297 is larger than any graph has");
        bn_pickle_free(p);
    }
}

static void refuses_every_other_opcode(void **state)
{
    (void)state;
    static const char known[] = "\x80" "cqrhjKMJNQXG\x8a\x88\x89TU()t\x85\x86\x87]ae}suR\x81" "b.";
    int refused = 0;
    for (int code = 0; code < 256; code++) {
        char wanted[60];
        uint8_t text[4] = {0x80, 2, (uint8_t)code, '.'};
        if (code && strchr(known, code))
            continue;
        snprintf(wanted, sizeof wanted, ": byte 2: opcode 0x%02x", code);
        refuses_bytes(text, sizeof text, wanted);
        refused++;
    }
    assert_int_equal(refused, 256 - (int)strlen(known));
}

static void refuses_every_other_name(void **state)
{
    (void)state;
    REFUSES("cos\nsystem\n.", "asks for \"os system\"");
    REFUSES("c__builtin__\neval\n.", "asks for \"__builtin__ eval\"");
    REFUSES("cnumpy\0x\ndtype\n.", "asks for");
    REFUSES("cnumpy dtype\n\n.", "asks for \"numpy dtype \"");
    REFUSES("cnumpy\ndtype", "ends inside a name");
    REFUSES("cnumpy", "ends inside a name");
    REFUSES("c", "ends inside a name");
}

static void refuses_broken_programs(void **state)
{
    (void)state;
    refuses_bytes("", 0, "byte 0: the file ends before");
    refuses_bytes("\x80\4N.", 4, "pickle protocol 4; only 2 is known");
    REFUSES(".", "needs more values");
    REFUSES("NN.", "more than one value");
    REFUSES("(.", "needs more values");
    REFUSES("(N.", "more than one value");
    REFUSES("N.junk", "4 bytes follow the end");
    REFUSES("N", "ends before the pickle does");
    REFUSES("K", "ends inside this opcode");
    REFUSES("J\1\2\3", "ends inside this opcode");
    REFUSES("U\5abc", "ends inside this opcode");
    REFUSES("T\xff\xff\xff\xff", "negative length");
    REFUSES("T\xff\xff\xff\x7f", "ends inside this opcode");
    REFUSES("q\1", "needs more values");
    REFUSES("(q\1", "needs more values");
    REFUSES("Nr\xff\xff\xff\xff", "memo index 4294967295 is too large");
    REFUSES("h\1", "nothing was put at memo index 1");
    REFUSES("Nq\1h\0", "nothing was put at memo index 0");
    REFUSES("t", "needs a mark");
    REFUSES("N\x86", "needs more values");
    REFUSES("N(\x85", "needs more values");
    REFUSES("e", "needs a mark");
    REFUSES("(Ne", "not a list");
    REFUSES("}(Ne", "not a list");
    REFUSES("NNa", "not a list");
    REFUSES("](Nu", "not a dict");
    REFUSES("}(Nu", "a key without a value");
    REFUSES("]NNs", "not a dict");
    REFUSES("}Ns", "needs more values");
}

static void refuses_other_objects(void **state)
{
    (void)state;
#define RECONSTRUCT "cnumpy.core.multiarray\n_reconstruct\n"
#define NDARRAY "cnumpy\nndarray\n"
#define DTYPE "cnumpy\ndtype\n"
    REFUSES("N)R", "calls something");
    REFUSES("cnumpy\nndarray\n)R", "calls something");
    REFUSES("c__builtin__\nlist\n)R", "calls something");
    REFUSES(RECONSTRUCT ")R", "_reconstruct has arguments that numpy never");
    REFUSES(RECONSTRUCT "NR", "_reconstruct has arguments that numpy never");
    REFUSES(RECONSTRUCT DTYPE "K\0\x85U\1b\x87R", "_reconstruct has arguments that numpy never");
    REFUSES(RECONSTRUCT NDARRAY "K\1\x85U\1b\x87R", "_reconstruct has arguments that numpy never");
    REFUSES(RECONSTRUCT NDARRAY "K\0\x85U\1c\x87R", "_reconstruct has arguments that numpy never");
    REFUSES(DTYPE ")R", "dtype has arguments that numpy never");
    REFUSES(DTYPE "U\2O8K\0K\1\x87R", "elements of type \"O8\" are not known");
    REFUSES(DTYPE "U\2f2K\0K\1\x87R", "elements of type \"f2\" are not known");
    REFUSES("ccollections\ndefaultdict\n)R", "something other than lists");
    REFUSES("ccollections\ndefaultdict\n" DTYPE "\x85R", "something other than lists");
    REFUSES("cnumpy\nndarray\n)\x81", "not a csr_matrix");
    REFUSES("cscipy.sparse.csr\ncsr_matrix\nK\1\x85\x81", "not a csr_matrix");
    REFUSES("NNb", "gives a state to something");
    REFUSES("]}b", "gives a state to something");
    REFUSES(DTYPE "U\2i4K\0K\1\x87RNb", "state of a dtype");
    REFUSES(RECONSTRUCT NDARRAY "K\0\x85U\1b\x87RNb", "state of an array");
    REFUSES("cscipy.sparse.csr\ncsr_matrix\n)\x81}b", "no _shape");
    REFUSES("cscipy.sparse.csr\ncsr_matrix\n)\x81Nb", "no _shape");
}

static void refuses_byte_orders_it_cannot_read(void **state)
{
    (void)state;
    static const char *const orders[] = {">", "=", "|", "<<"};
    for (int i = 0; i < 4; i++) {
        begin_pickle(&b);
        add_dtype(&b, "i4", orders[i]);
        add_text(&b, ".");
        refuses_bytes(b.data, b.len, i == 0 ? "big-endian" : "byte order");
    }
    begin_pickle(&b);
    add_dtype(&b, "i1", "|");
    bn_pickle *p = must_read(end_pickle(&b, "dtype"));
    bn_pickle_array a;
    assert_fails(bn_pickle_as_array(&a, p), BONSAI_E_FORMAT, "holds a dtype where");
    bn_pickle_free(p);
}

static void refuses_arrays_that_do_not_fit_their_shape(void **state)
{
    (void)state;
    static const int32_t shapes[][2] = {{3, -1}, {1, 1}, {2, 2}, {INT32_MAX, INT32_MAX}, {0, 5}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        begin_pickle(&b);
        add_array(&b, "i4", shapes[i][0], shapes[i][1], false, "12345678", 8);
        add_text(&b, ".");
        refuses_bytes(b.data, b.len, "has 8 bytes");
    }
    begin_pickle(&b);
    add_array(&b, "i4", -2, -1, false, "12345678", 8);
    add_text(&b, ".");
    refuses_bytes(b.data, b.len, "the shape of an array");
}

static void refuses_objects_that_never_got_their_state(void **state)
{
    (void)state;
    bn_pickle_array a;
    bn_pickle_matrix m;
    REFUSES(RECONSTRUCT NDARRAY "K\0\x85U\1b\x87R(K\1K\1\x85" DTYPE "U\2i1K\0K\1\x87R\x89U\1xtb",
            "state of an array");
    REFUSES("cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\6_shapeK\0K\0\x86U\6indptr"
            RECONSTRUCT NDARRAY "K\0\x85U\1b\x87Rub", "no array \"indptr\"");
    begin_pickle(&b);
    add(&b, RECONSTRUCT NDARRAY "K\0\x85U\1b\x87R", sizeof RECONSTRUCT NDARRAY - 1 + 8);
    bn_pickle *p = must_read(end_pickle(&b, "bare"));
    assert_fails(bn_pickle_as_array(&a, p), BONSAI_E_FORMAT, "where a whole array");
    bn_pickle_free(p);
    begin_pickle(&b);
    add_text(&b, "cscipy.sparse.csr\ncsr_matrix\n)\x81");
    p = must_read(end_pickle(&b, "bare"));
    assert_fails(bn_pickle_as_matrix(&m, p), BONSAI_E_FORMAT, "where a whole csr_matrix");
    bn_pickle_free(p);
}

static void refuses_a_state_given_twice(void **state)
{
    (void)state;
    begin_pickle(&b);
    add_dtype(&b, "i4", "<");
    add_text(&b, "Nb.");
    refuses_bytes(b.data, b.len, "state twice");
    begin_pickle(&b);
    add_csr(&b, 1, 1, (float[]){1});
    add_text(&b, "Nb.");
    refuses_bytes(b.data, b.len, "state twice");
}

/* A csr_matrix of 2 x 3 with these parts. */
static void write_parts(const int32_t *offsets, int rows, const int32_t *indices, int nnz,
                        const char *type)
{
    begin_pickle(&b);
    add_text(&b, "cscipy.sparse.csr\ncsr_matrix\n)\x81}(");
    add_name(&b, "_shape");
    add_text(&b, "K\2K\3\x86");
    add_name(&b, "indptr");
    add_array(&b, "i4", rows + 1, -1, false, offsets, 4 * (size_t)(rows + 1));
    add_name(&b, "indices");
    add_array(&b, type, nnz, -1, false, indices, 4 * (size_t)nnz);
    add_name(&b, "data");
    add_array(&b, "f4", 2, -1, false, "\0\0\0\0\0\0\0\0", 8);
    add_text(&b, "ub.");
}

static void matrix_is_refused(const int32_t *offsets, const int32_t *indices, const char *text)
{
    bn_pickle_matrix m;
    write_parts(offsets, 2, indices, 2, "i4");
    write_file(temp_path("parts"), b.data, b.len);
    bn_pickle *p = must_read(temp_path("parts"));
    assert_fails(bn_pickle_as_matrix(&m, p), BONSAI_E_FORMAT, text);
    bn_pickle_free(p);
}

static void refuses_matrices_that_do_not_fit_together(void **state)
{
    (void)state;
    static const int32_t offsets[] = {0, 1, 2, 2}, indices[] = {0, 2, 1};
    write_parts(offsets, 3, indices, 2, "i4");
    refuses_bytes(b.data, b.len, "of 2 rows has 4 offsets, 2 indices and 2 values");
    write_parts(offsets, 2, indices, 3, "i4");
    refuses_bytes(b.data, b.len, "has 3 offsets, 3 indices and 2 values");
    write_parts(offsets, 2, indices, 2, "f4");
    refuses_bytes(b.data, b.len, "are not integers");
    matrix_is_refused((int32_t[]){0, 3, 2}, indices, "offset 3 of row 1 does not fit 2");
    matrix_is_refused((int32_t[]){0, -1, 2}, indices, "offset -1 of row 1");
    matrix_is_refused((int32_t[]){1, 1, 2}, indices, "offset 1 of row 0");
    matrix_is_refused((int32_t[]){0, 1, 1}, indices, "offset 1 of row 2");
    matrix_is_refused(offsets, (int32_t[]){0, 3}, "entry 1: column 3 is outside 0..2");
    matrix_is_refused(offsets, (int32_t[]){-1, 1}, "entry 0: column -1 is outside 0..2");
    REFUSES("cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\6_shapeK\2K\3\x86ub", "no array \"indptr\"");
    REFUSES("cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\6_shapeK\2\x85ub", "no _shape");
}

static void says_what_it_found_instead(void **state)
{
    (void)state;
    bn_pickle_array a;
    bn_pickle_matrix m;
    bn_pickle_lists l;
    begin_pickle(&b);
    add_text(&b, "U\1x");
    bn_pickle *p = must_read(end_pickle(&b, "string"));
    assert_fails(bn_pickle_as_array(&a, p), BONSAI_E_FORMAT, "holds a string where a whole array");
    assert_fails(bn_pickle_as_matrix(&m, p), BONSAI_E_FORMAT, "holds a string where a whole csr");
    assert_fails(bn_pickle_as_lists(&l, p), BONSAI_E_FORMAT, "holds a string where a dict");
    bn_pickle_free(p);
    begin_pickle(&b);
    add_text(&b, "}K\1](NesK\1N\x86\x85.");
    refuses_bytes(b.data, b.len, "more than one value");
    begin_pickle(&b);
    add_text(&b, "}(K\1](Neu");
    p = must_read(end_pickle(&b, "nones"));
    assert_fails(bn_pickle_as_lists(&l, p), BONSAI_E_FORMAT, "list of node 1 holds None");
    bn_pickle_free(p);
}

static void refuses_one_list_under_two_keys(void **state)
{
    (void)state;
    bn_pickle_lists l;
    begin_pickle(&b);
    add_text(&b, "}(K\1]q\1K\2h\1u");
    bn_pickle *p = must_read(end_pickle(&b, "shared"));
    assert_fails(bn_pickle_as_lists(&l, p), BONSAI_E_FORMAT, "list of node 2 is also");
    bn_pickle_free(p);
}

static void refuses_a_missing_file_and_a_folder(void **state)
{
    (void)state;
    bn_pickle *p;
    assert_fails(bn_pickle_read(&p, temp_path("missing")), BONSAI_E_IO, "cannot be opened");
    assert_fails(bn_pickle_read(&p, "/"), BONSAI_E_IO, "a folder");
}

static void refuses_every_truncation(void **state)
{
    (void)state;
    begin_pickle(&b);
    add_csr(&b, 2, 2, (float[]){1, 0, 2, 3});
    add_text(&b, ".");
    for (size_t len = 0; len < b.len; len++)
        refuses_bytes(b.data, len, "ends");
}

static bonsai_status read_all(void *payload)
{
    bonsai_status rc;
    bn_pickle *p = NULL;
    bn_pickle_matrix m;
    bn_pickle_lists l = {0};
    BN_TRY(bn_pickle_read(&p, temp_path("matrix")));
    BN_TRY(bn_pickle_as_matrix(&m, p));
    bn_pickle_free(p);
    BN_TRY(bn_pickle_read(&p, temp_path("lists")));
    BN_TRY(bn_pickle_as_lists(&l, p));
done:
    bn_pickle_lists_free(&l);
    bn_pickle_free(p);
    (void)payload;
    return rc;
}

static void survives_every_failed_allocation(void **state)
{
    (void)state;
    survives_failed_allocations(read_all, NULL, 12);
}

/* Nesting, marks and long lists that would break a recursive or quadratic reader. */
static void deep_and_long_pickles_are_linear(void **state)
{
    (void)state;
    enum { LEN = 1 << 20 };
    static const char fill[] = {'(', ']', ')', '}'};
    uint8_t *data = malloc(LEN + 3);
    assert_non_null(data);
    data[0] = 0x80;
    data[1] = 2;
    for (size_t i = 0; i < sizeof fill; i++) {
        memset(data + 2, fill[i], LEN);
        data[LEN + 2] = '.';
        refuses_bytes(data, LEN + 3, i ? "more than one value" : "needs more values");
    }
    memset(data + 2, '(', LEN / 2);
    memset(data + 2 + LEN / 2, 't', LEN / 2);
    bn_pickle *p = NULL;
    write_file(temp_path("deep"), data, LEN + 3);
    p = must_read(temp_path("deep"));           /* a tuple in a tuple in a tuple ... */
    bn_pickle_free(p);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_an_array_in_either_order),
        cmocka_unit_test(reads_elements_of_every_type),
        cmocka_unit_test(reads_a_matrix),
        cmocka_unit_test(reads_a_dict_of_lists),
        cmocka_unit_test(remembers_what_was_put_in_the_memo),
        cmocka_unit_test(a_list_that_contains_itself_is_harmless),
        cmocka_unit_test(reads_long_numbers_and_passes_over_floats),
        cmocka_unit_test(reads_numbers_of_numpy),
        cmocka_unit_test(refuses_nodes_that_no_graph_has),
        cmocka_unit_test(refuses_every_other_opcode),
        cmocka_unit_test(refuses_every_other_name),
        cmocka_unit_test(refuses_broken_programs),
        cmocka_unit_test(refuses_other_objects),
        cmocka_unit_test(refuses_byte_orders_it_cannot_read),
        cmocka_unit_test(refuses_arrays_that_do_not_fit_their_shape),
        cmocka_unit_test(refuses_objects_that_never_got_their_state),
        cmocka_unit_test(refuses_a_state_given_twice),
        cmocka_unit_test(refuses_matrices_that_do_not_fit_together),
        cmocka_unit_test(says_what_it_found_instead),
        cmocka_unit_test(refuses_one_list_under_two_keys),
        cmocka_unit_test(refuses_a_missing_file_and_a_folder),
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(survives_every_failed_allocation),
        cmocka_unit_test(deep_and_long_pickles_are_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
