/* reference.c -- reads the files of named arrays that tests/pyg/make_reference.py writes.
 *
 * "BNREF 1\n", then arrays: int32 length of the name, 0 for int32 or 1 for float32, number of
 * dimensions, the dimensions, the name padded with zeros to a multiple of 4, the elements.
 *
 * SPDX-License-Identifier: MIT */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char    *path;
    const uint8_t *at, *end;
} cursor;

/* Takes the next bytes of the file. */
static const void *take(cursor *c, int64_t bytes)
{
    const uint8_t *at = c->at;
    if (bytes < 0 || bytes > c->end - at)
        fail_msg("%s: ends in the middle of an array", c->path);
    c->at += bytes;
    return at;
}

static void read_array(reference_array *a, cursor *c)
{
    const int32_t *head = take(c, 12);
    int32_t length = head[0];
    a->is_real = head[1] != 0;
    a->dims = head[2];
    a->count = 1;
    assert_in_range(length, 1, sizeof a->name - 1);
    assert_in_range(a->dims, 1, REFERENCE_DIMS);
    const int32_t *shape = take(c, 4 * a->dims);
    for (int i = 0; i < a->dims; i++) {
        a->shape[i] = shape[i];
        assert_in_range(shape[i], 1, 1 << 20);
        a->count *= shape[i];
    }
    memcpy(a->name, take(c, (length + 3) / 4 * 4), (size_t)length);
    a->data = take(c, 4 * a->count);
}

reference *reference_open(const char *path)
{
    enum { MOST = 1000 };
    size_t len;
    reference *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->bytes = read_file(path, &len);
    r->array = calloc(MOST, sizeof *r->array);
    assert_non_null(r->array);
    cursor c = {path, r->bytes, r->bytes + len};
    assert_memory_equal(take(&c, 8), "BNREF 1\n", 8);
    while (c.at < c.end) {
        assert_in_range(r->count, 0, MOST - 1);
        read_array(&r->array[r->count++], &c);
    }
    return r;
}

void reference_close(reference *r)
{
    free(r->array);
    free(r->bytes);
    free(r);
}

static const reference_array *find(const reference *r, const char *name)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->array[i].name, name) == 0)
            return &r->array[i];
    return NULL;
}

static const void *find_all(const reference *r, bool is_real, int64_t count, const char *name)
{
    const reference_array *a = find(r, name);
    if (!a || a->is_real != is_real || a->count != count)
        fail_msg("no array %s of %lld elements", name, (long long)count);
    return a->data;
}

const reference_array *reference_find(const reference *r, const char *fmt, ...)
{
    char name[80];
    va_list args;
    va_start(args, fmt);
    vsnprintf(name, sizeof name, fmt, args);
    va_end(args);
    return find(r, name);
}

const float *reference_reals(const reference *r, int64_t count, const char *fmt, ...)
{
    char name[80];
    va_list args;
    va_start(args, fmt);
    vsnprintf(name, sizeof name, fmt, args);
    va_end(args);
    return find_all(r, true, count, name);
}

const int32_t *reference_ints(const reference *r, int64_t count, const char *fmt, ...)
{
    char name[80];
    va_list args;
    va_start(args, fmt);
    vsnprintf(name, sizeof name, fmt, args);
    va_end(args);
    return find_all(r, false, count, name);
}
