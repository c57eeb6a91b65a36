/* npyhead.c -- parses the header of a NumPy array: type, order and shape.
 *
 * The header is a Python dictionary in text.  Only the three keys that NumPy writes are accepted,
 * and the size they give must match the size of the data.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "npy.h"

enum { HEADER_MAX = 1 << 16 };

typedef struct {
    const char *p, *end;
} cursor;

static bool take(cursor *c, const char *word)
{
    size_t len = strlen(word);
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t'))
        c->p++;
    if ((size_t)(c->end - c->p) < len || memcmp(c->p, word, len) != 0)
        return false;
    c->p += len;
    return true;
}

static bool take_string(cursor *c, char *out, size_t room)
{
    if (!take(c, "'") && !take(c, "\""))
        return false;
    char quote = c->p[-1];
    size_t len = 0;
    for (; c->p < c->end && *c->p != quote && len + 1 < room; c->p++)
        out[len++] = *c->p;
    out[len] = 0;
    return c->p < c->end && *c->p++ == quote;
}

/* Parses "(2, 3)", "(2,)" or "()"; a->dims also counts dimensions beyond the room. */
static bool take_shape(cursor *c, bn_npy *a)
{
    a->dims = 0;
    if (!take(c, "("))
        return false;
    while (!take(c, ")")) {
        int64_t len;
        take(c, "");                            /* skips blanks */
        if (!bn_parse_int(&c->p, c->end, &len))
            return false;
        take(c, "L");                           /* as Python 2 wrote it */
        if (a->dims < BN_NPY_DIMS)
            a->shape[a->dims] = len;
        a->dims++;
        if (!take(c, ",") && !(c->p < c->end && *c->p == ')'))
            return false;
    }
    return true;
}

static bool take_item(cursor *c, bn_npy *a, unsigned *seen)
{
    char key[32];
    if (!take_string(c, key, sizeof key) || !take(c, ":"))
        return false;
    if (strcmp(key, "descr") == 0) {
        *seen |= 1;
        if (take(c, "["))                       /* a record: only shown in the error message */
            return snprintf(a->descr, sizeof a->descr, "record"), false;
        return take_string(c, a->descr, sizeof a->descr);
    }
    if (strcmp(key, "fortran_order") == 0) {
        *seen |= 2;
        a->fortran = take(c, "True");
        return a->fortran || take(c, "False");
    }
    *seen |= 4;
    return strcmp(key, "shape") == 0 && take_shape(c, a);
}

static bool take_header(cursor *c, bn_npy *a)
{
    unsigned seen = 0;
    if (!take(c, "{"))
        return false;
    while (!take(c, "}")) {
        if (!take_item(c, a, &seen))
            return false;
        if (!take(c, ",") && !(c->p < c->end && *c->p == '}'))
            return false;
    }
    take(c, "");
    return seen == 7 && c->p == c->end;
}

static bonsai_status bad_type(const bn_npy *a)
{
    if (strchr(a->descr, 'O'))
        return bn_fail_at(BONSAI_E_FORMAT, a->where, "holds Python objects, which are never read");
    return bn_fail_at(BONSAI_E_FORMAT, a->where, "elements of type \"%s\" cannot be read",
                      a->descr);
}

/* Parses "<i8": byte order, kind, bytes. */
static bonsai_status parse_type(bn_npy *a)
{
    const char *s = a->descr, *end = s + strlen(s);
    int64_t width;
    if (*s == '<' || *s == '>' || *s == '|' || *s == '=')
        a->big = *s++ == '>';
    a->kind = *s;
    if (*s)
        s++;
    if (a->kind == 0 || *s == '-' || *s == '+' || !bn_parse_int(&s, end, &width) || s != end)
        return bad_type(a);
    bool power = width == 1 || width == 2 || width == 4 || width == 8;
    bool ok = a->kind == 'b' ? width == 1
              : a->kind == 'i' || a->kind == 'u' ? power
              : a->kind == 'f' ? power && width > 1
              : (a->kind == 'U' || a->kind == 'S') && width > 0 && width <= HEADER_MAX;
    if (!ok)
        return bad_type(a);
    a->width = (int)(a->kind == 'U' ? 4 * width : width);
    return BONSAI_OK;
}

static bonsai_status check_size(bn_npy *a, int64_t header, int64_t bytes)
{
    int64_t len, whole;
    if (a->dims > BN_NPY_DIMS)
        return bn_fail_at(BONSAI_E_FORMAT, a->where, "has %d dimensions; at most %d are read",
                          a->dims, BN_NPY_DIMS);
    a->count = 1;
    for (int i = 0; i < a->dims; i++)
        if (!bn_mul(&a->count, a->count, a->shape[i]))
            return bn_fail_at(BONSAI_E_FORMAT, a->where, "length %lld of dimension %d is not "
                              "possible", (long long)a->shape[i], i);
    if (!bn_mul(&len, a->count, a->width) || !bn_add(&whole, len, header) || whole != bytes)
        return bn_fail_at(BONSAI_E_FORMAT, a->where, "its header says %lld elements of %d bytes, "
                          "but the file holds %lld bytes for them", (long long)a->count, a->width,
                          (long long)(bytes - header));
    return BONSAI_OK;
}

static bonsai_status parse_header(bn_npy *a, char *text, int64_t len)
{
    cursor c = {text, text + len};
    if (take_header(&c, a))
        return parse_type(a);
    if (strcmp(a->descr, "record") == 0)
        return bad_type(a);
    for (int64_t i = 0; i < len; i++)
        if (text[i] == 0)
            text[i] = '?';
    return bn_fail_at(BONSAI_E_FORMAT, a->where, "cannot make sense of the header \"%.100s\"",
                      text);
}

bonsai_status bn_npy_header(bn_npy *a, int64_t bytes)
{
    bonsai_status rc;
    uint8_t head[12] = {0};
    char *text = NULL;
    if (bytes < 10) {
        rc = bn_fail_at(BONSAI_E_FORMAT, a->where, "has %lld bytes, too few for a NumPy array",
                        (long long)bytes);
        goto done;
    }
    BN_TRY(bn_npy_pull(a, head, 10));
    if (memcmp(head, "\x93NUMPY", 6) != 0 || head[6] < 1 || head[6] > 3 || head[7] != 0) {
        rc = bn_fail_at(BONSAI_E_FORMAT, a->where, "is not a NumPy array of version 1.0, 2.0 or "
                        "3.0");
        goto done;
    }
    int64_t before = head[6] == 1 ? 10 : 12;
    if (before == 12)
        BN_TRY(bn_npy_pull(a, head + 10, 2));
    int64_t len = head[8] | head[9] << 8 | (int64_t)head[10] << 16 | (int64_t)head[11] << 24;
    if (len > HEADER_MAX || len > bytes - before) {
        rc = bn_fail_at(BONSAI_E_FORMAT, a->where, "a header of %lld bytes is not possible",
                        (long long)len);
        goto done;
    }
    BN_TRY(BN_NEW(&text, len + 1));
    BN_TRY(bn_npy_pull(a, text, len));
    BN_TRY(parse_header(a, text, len));
    BN_TRY(check_size(a, before + len, bytes));
done:
    bn_free(text);
    return rc;
}

/* ---- shape ---- */

/* Writes a shape such as "[2,any]": a length of -1 is any. */
static void shape_text(char out[128], const bn_npy *a)
{
    int len = snprintf(out, 128, "[");
    for (int i = 0; i < a->dims; i++)
        len += a->shape[i] < 0
                   ? snprintf(out + len, 128 - (size_t)len, i ? ",any" : "any")
                   : snprintf(out + len, 128 - (size_t)len, i ? ",%lld" : "%lld",
                              (long long)a->shape[i]);
    snprintf(out + len, 128 - (size_t)len, "]");
}

bonsai_status bn_npy_vector(const bn_npy *a, int64_t rows)
{
    char text[128];
    bool column = a->dims == 1 || (a->dims == 2 && a->shape[1] == 1);
    if (column && (rows < 0 || a->shape[0] == rows))
        return BONSAI_OK;
    shape_text(text, a);
    if (rows < 0)
        return bn_fail_at(BONSAI_E_FORMAT, a->where, "has shape %s where one dimension is needed",
                          text);
    return bn_fail_at(BONSAI_E_FORMAT, a->where, "has shape %s where [%lld] is needed", text,
                      (long long)rows);
}

bonsai_status bn_npy_shape(const bn_npy *a, int dims, const int64_t *shape)
{
    char text[128], wanted[128];
    bn_npy other = {.dims = dims};
    bool same = a->dims == dims;
    for (int i = 0; i < dims; i++) {
        same = same && (shape[i] < 0 || a->shape[i] == shape[i]);
        other.shape[i] = shape[i];
    }
    if (same)
        return BONSAI_OK;
    shape_text(text, a);
    shape_text(wanted, &other);
    return bn_fail_at(BONSAI_E_FORMAT, a->where, "has shape %s where %s is needed", text, wanted);
}

bonsai_status bn_npy_matrix(const bn_npy *a, int64_t rows, int64_t cols)
{
    return bn_npy_shape(a, 2, (const int64_t[]){rows, cols});
}
