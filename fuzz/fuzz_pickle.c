/* fuzz_pickle.c -- fuzzes the pickle machine, and calls every accessor on the result.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "fuzz.h"
#include "mutate.h"
#include "io/pickle.h"

const mu_framing fuzz_framing = {.files = 1, .separator = -1, .last_bare = true};

static volatile double sink;    /* so that no read is optimised away */

static void use_array(const bn_pickle_array *a)
{
    int64_t count = a->dim[0] * a->dim[1];
    for (int64_t i = 0; i < count; i++)
        sink += a->kind == 'f' ? bn_pickle_real(a, i) : (double)bn_pickle_int(a, i);
    for (int64_t r = 0; r < a->dim[0] && a->dims == 2; r++)
        for (int64_t c = 0; c < a->dim[1]; c++)
            sink += bn_pickle_real_at(a, r, c);
}

static void use(bn_pickle *p)
{
    bn_pickle_array a;
    bn_pickle_matrix m;
    bn_pickle_lists l;
    if (bn_pickle_as_array(&a, p) == BONSAI_OK)
        use_array(&a);
    if (bn_pickle_as_matrix(&m, p) == BONSAI_OK) {
        if (bn_pickle_int(&m.offsets, m.rows) != m.values.dim[0])
            abort();
        use_array(&m.indices);
        use_array(&m.values);
    }
    if (bn_pickle_as_lists(&l, p) == BONSAI_OK) {
        for (int64_t i = 0; i < l.begin[l.count]; i++)
            sink += l.item[i];
        bn_pickle_lists_free(&l);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bn_pickle *p;
    int64_t before = bn_mem_live();
    if (bn_pickle_read(&p, fuzz_file("pickle", data, size)) == BONSAI_OK)
        use(p);
    bn_pickle_free(p);
    if (bn_mem_live() != before)
        abort();
    return 0;
}
