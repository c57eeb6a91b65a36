/* check.c -- checks the elements of a section, with an error message for each kind of damage.
 *
 * A section is read once: each stretch that fits the cache is added to the checksum and checked
 * while it is there.  Errors are reported by importance: the checksum, then numbers out of range,
 * then their order.  Each rank reads the elements of its own rows.  Rows ascend with the ranks, so
 * the first rank that finds an error has found the first error.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <string.h>

#include "graph.h"

typedef struct scan scan;

typedef struct {
    int64_t       (*find)(const scan *s, int64_t begin, int64_t end);   /* returns the first bad
                                                                         * element, or end */
    bonsai_status (*fail)(const scan *s, int64_t bad);
} check;

struct scan {
    const bonsai_view *v;
    bonsai_section id;
    const bonsai_array *a;      /* the array to check */
    const bonsai_array *offsets;/* of lists */
    int64_t high;               /* integers must be in 0..high; -1: none is allowed */
    bool strict;                /* elements ascend without duplicates */
    bool no_self;               /* a list does not contain its own row */
    bool no_zero;               /* reals are positive */
    const char *wanted;         /* what reals must be */
    const char *where;
    const uint32_t *crc;        /* the expected checksum; NULL: none */
    bn_world *world;
    bn_rows rows;               /* of this rank */
    int64_t from, to;           /* its elements */
    int threads;
    check check[2];             /* in the order of importance; find NULL: none */
};

/* ---- element by element ---- */

static int64_t bad_integer(const scan *s, int64_t begin, int64_t end)
{
    int64_t i = begin;
    while (i < end && bn_int_at(s->a, i) >= 0 && bn_int_at(s->a, i) <= s->high)
        i++;
    return i;
}

static int64_t bad_label(const scan *s, int64_t begin, int64_t end)
{
    int64_t i = begin, unknown = (1ll << 8 * bonsai_type_bytes(s->a->type)) - 1;
    while (i < end && (bn_int_at(s->a, i) <= s->high || bn_int_at(s->a, i) == unknown))
        i++;
    return i;
}

static int64_t bad_ascent(const scan *s, int64_t begin, int64_t end)
{
    int64_t i = begin > 0 ? begin : 1;
    for (; i < end; i++) {
        const uint64_t before = (uint64_t)bn_int_at(s->a, i - 1), x = (uint64_t)bn_int_at(s->a, i);
        if (x < before || (s->strict && x == before))
            return i;
    }
    return end;
}

/* Returns whether all values are finite, which is nearly always true, many at a time. */
static bool all_finite(const float *value, int64_t count)
{
    const uint32_t exponent = 0x7f800000u;
    uint32_t bad = 0;
#pragma omp simd reduction(|:bad)
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        bad |= (bits & exponent) == exponent;
    }
    return bad == 0;
}

static int64_t bad_finite(const scan *s, int64_t begin, int64_t end)
{
    int64_t i = begin;
    bool real = s->a->type == BONSAI_TYPE_F32 || s->a->type == BONSAI_TYPE_F16;
    if (!real || (s->a->type == BONSAI_TYPE_F32 &&
                  all_finite((const float *)s->a->data + begin, end - begin)))
        return end;
    while (i < end && isfinite(bn_real_at(s->a, i)))
        i++;
    return i;
}

static int64_t bad_non_negative(const scan *s, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        const float x = bn_real_at(s->a, i);
        if (!isfinite(x) || x < 0.0f || (s->no_zero && x == 0.0f))
            return i;
    }
    return end;
}

static double sum_of_shares(const scan *s, int64_t row)
{
    double sum = 0;
    for (int64_t i = row * s->v->classes; i < (row + 1) * s->v->classes; i++)
        sum += (double)bn_real_at(s->a, i);
    return s->a->type == BONSAI_TYPE_U8 ? sum / 255 : sum;
}

/* Returns the last share of the first row whose shares sum to more than 1; each may be rounded to a
 * 255th. */
static int64_t bad_sum(const scan *s, int64_t begin, int64_t end)
{
    const int64_t c = s->v->classes;
    const double most = 1.01 + (double)c / 510;
    for (int64_t row = begin / c; (row + 1) * c <= end; row++)
        if (!(sum_of_shares(s, row) <= most))
            return (row + 1) * c - 1;
    return end;
}

/* Returns the row of an entry: the last row that starts at or before it. */
static int64_t row_of(const bonsai_array *offsets, int64_t entry)
{
    int64_t low = 0, high = offsets->count - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (bn_int_at(offsets, middle) <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the first entry that does not ascend in its list, or is its own row. */
static int64_t bad_order(const scan *s, int64_t begin, int64_t end)
{
    int64_t row = row_of(s->offsets, begin), e = begin;
    int64_t before = e > bn_int_at(s->offsets, row) ? bn_int_at(s->a, e - 1) : -1;
    for (; e < end; row++, before = -1) {
        int64_t stop = bn_least(bn_int_at(s->offsets, row + 1), end);
        for (; e < stop; e++) {
            int64_t id = bn_int_at(s->a, e);
            if (id < before || (s->strict && id == before) || (s->no_self && id == row))
                return e;
            before = id;
        }
    }
    return end;
}

/* Returns whether the scale of an 8-bit row keeps all of its features finite. */
static bool products_are_finite(const bonsai_view *v, int64_t row)
{
    bool sparse = v->section[BONSAI_SECTION_FEATURE_OFFSETS].data != NULL;
    const bonsai_array *q = &v->section[sparse ? BONSAI_SECTION_FEATURE_VALUES
                                               : BONSAI_SECTION_FEATURES];
    const bonsai_array *offsets = &v->section[BONSAI_SECTION_FEATURE_OFFSETS];
    const float *scale = v->section[BONSAI_SECTION_FEATURE_SCALE].data;
    int64_t begin = sparse ? bn_int_at(offsets, row) : row * v->features;
    int64_t end = sparse ? bn_int_at(offsets, row + 1) : begin + v->features;
    for (int64_t e = begin; e < end; e++)
        if (!isfinite(scale[row] * bn_real_at(q, e)))
            return false;
    return true;
}

/* Returns the first scale that is not finite, or makes a feature infinite.  Only a scale near the
 * largest float can do that, so the features are hardly ever read. */
static int64_t bad_scale(const scan *s, int64_t begin, int64_t end)
{
    const float *scale = s->a->data;
    int64_t i = begin;
    while (i < end && isfinite(scale[i]) &&
           (fabsf(scale[i]) <= FLT_MAX / 256 || products_are_finite(s->v, i)))
        i++;
    return i;
}

/* ---- a whole section ---- */

enum { STRETCH = 1 << 15, BLOCK = 32 * STRETCH, BATCH = 64 };  /* elements, elements, blocks */

typedef struct {
    uint32_t crc;
    int64_t  bad[2];            /* the first bad element of each check; the end: none */
} finding;

static int64_t bytes_of(const scan *s, int64_t elements)
{
    return elements * (int64_t)bonsai_type_bytes(s->a->type);
}

static finding read_block(const scan *s, int64_t from, int64_t to)
{
    finding f = {0, {to, to}};
    for (int64_t at = from; at < to; at += STRETCH) {
        int64_t end = bn_least(at + STRETCH, to);
        if (s->crc)
            f.crc = bn_crc32(f.crc, (const uint8_t *)s->a->data + bytes_of(s, at),
                             bytes_of(s, end - at));
        for (int k = 0; k < 2; k++)
            if (s->check[k].find && f.bad[k] == to) {
                int64_t bad = s->check[k].find(s, at, end);
                f.bad[k] = bad < end ? bad : to;
            }
    }
    return f;
}

/* Reads the elements of this rank in blocks; the lowest finding counts. */
static finding read_part(const scan *s)
{
    finding all = {0, {s->to, s->to}}, part[BATCH];
    for (int64_t at = s->from; at < s->to; at += (int64_t)BATCH * BLOCK) {
        int64_t blocks = bn_least(BATCH, (s->to - at + BLOCK - 1) / BLOCK);
        const double work = 4.0 * (double)bn_least((int64_t)BATCH * BLOCK, s->to - at);
        const int threads = bn_lanes(s->threads, blocks);
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
        for (int64_t b = 0; b < blocks; b++)
            part[b] = read_block(s, at + b * BLOCK, bn_least(at + (b + 1) * BLOCK, s->to));
        for (int64_t b = 0; b < blocks; b++) {
            int64_t end = bn_least(at + (b + 1) * BLOCK, s->to);
            all.crc = bn_crc32_append(all.crc, part[b].crc, bytes_of(s, end - at - b * BLOCK));
            for (int k = 0; k < 2; k++)
                if (part[b].bad[k] < end && all.bad[k] == s->to)
                    all.bad[k] = part[b].bad[k];
        }
    }
    return all;
}

/* Reads this rank's part, and on all ranks compares the checksum of the whole. */
static bonsai_status read_section(finding *f, const scan *s)
{
    bonsai_status rc = BONSAI_OK;
    *f = read_part(s);
    if (!s->crc)
        return BONSAI_OK;
    BN_TRY(bn_crc32_ranks(s->world, &f->crc, bytes_of(s, s->a->count - s->to)));
    if (f->crc != *s->crc)
        rc = bn_fail_at(BONSAI_E_FORMAT, s->where, "the checksum of the section \"%s\" does not "
                        "match: the file is damaged", bonsai_section_text(s->id));
    rc = bn_agree(s->world, rc);
done:
    return rc;
}

/* Reads the section and fails with the first finding of the most important check. */
static bonsai_status run_checks(const scan *s)
{
    bonsai_status rc;
    finding f;
    BN_TRY(read_section(&f, s));
    for (int k = 0; k < 2; k++)
        BN_TRY(bn_agree(s->world, s->check[k].find && f.bad[k] < s->to
                                      ? s->check[k].fail(s, f.bad[k]) : BONSAI_OK));
done:
    return rc;
}

/* Checks offsets, which belong to the section after them. */
static bonsai_status check_offsets(scan *s)
{
    bonsai_status rc;
    finding f;
    const char *name = bonsai_section_text(s->id);
    int64_t rows = s->a->count - 1, total = s->v->section[s->id + 1].count;
    s->strict = false;
    s->check[0].find = bad_ascent;
    BN_TRY(read_section(&f, s));
    int64_t first = bn_int_at(s->a, 0), last = bn_int_at(s->a, rows), bad = f.bad[0];
    if (s->rows.head && first != 0)
        rc = bn_fail_at(BONSAI_E_FORMAT, s->where, "%s: the first is %lld, not 0", name,
                        (long long)first);
    else if (bad < s->to)
        rc = bn_fail_at(BONSAI_E_FORMAT, s->where, "%s: they fall from %lld to %lld after row %lld",
                        name, (long long)bn_int_at(s->a, bad - 1), (long long)bn_int_at(s->a, bad),
                        (long long)(bad - 1));
    else if (s->rows.last && last != total)
        rc = bn_fail_at(BONSAI_E_FORMAT, s->where, "%s: the last is %lld but there are %lld "
                        "entries", name, (long long)last, (long long)total);
    rc = bn_agree(s->world, rc);
done:
    return rc;
}

static bonsai_status fail_outside(const scan *s, int64_t bad)
{
    return bn_fail_entry(s->where, s->id, bad, "is %lld, outside 0..%lld",
                         (long long)bn_int_at(s->a, bad), (long long)s->high);
}

static bonsai_status check_integers(scan *s, int64_t high)
{
    s->high = high;
    s->check[0] = (check){bad_integer, fail_outside};
    return run_checks(s);
}

static bonsai_status fail_order(const scan *s, int64_t bad)
{
    return bn_fail_entry(s->where, s->id, bad, "is %lld, out of order",
                         (long long)bn_int_at(s->a, bad));
}

static bonsai_status check_ascending(scan *s, int64_t high)
{
    s->check[1] = (check){bad_ascent, fail_order};
    return check_integers(s, high);
}

static bonsai_status fail_list(const scan *s, int64_t bad)
{
    const int64_t row = row_of(s->offsets, bad), id = bn_int_at(s->a, bad);
    return bn_fail_at(BONSAI_E_FORMAT, s->where, "%s: entry %lld of row %lld is %lld, %s",
                      bonsai_section_text(s->id), (long long)(bad - bn_int_at(s->offsets, row)),
                      (long long)row, (long long)id,
                      s->no_self && id == row ? "a self loop in a graph that says it has none"
                                              : "out of order");
}

static bonsai_status check_lists(scan *s, bonsai_section offsets, int64_t high)
{
    s->offsets = &s->v->section[offsets];
    s->check[1] = (check){bad_order, fail_list};
    return check_integers(s, high);
}

static bonsai_status fail_real(const scan *s, int64_t bad)
{
    return bn_fail_entry(s->where, s->id, bad, "is %g, which is not %s",
                         (double)bn_real_at(s->a, bad), s->wanted);
}

static bonsai_status check_reals(scan *s, int64_t (*find)(const scan *, int64_t, int64_t),
                                 const char *wanted)
{
    s->wanted = wanted;
    s->check[0] = (check){find, fail_real};
    return run_checks(s);
}

static bonsai_status fail_sum(const scan *s, int64_t bad)
{
    const int64_t node = bad / s->v->classes;
    return bn_fail_at(BONSAI_E_FORMAT, s->where, "soft labels: the shares of node %lld sum to %g, "
                      "not to 1", (long long)node, sum_of_shares(s, node));
}

static bonsai_status fail_label(const scan *s, int64_t bad)
{
    return bn_fail_at(BONSAI_E_FORMAT, s->where, "labels: node %lld has label %lld but there are "
                      "%lld classes", (long long)bad, (long long)bn_int_at(s->a, bad),
                      (long long)s->v->classes);
}

/* Checks a section without rows, which one rank reads. */
static bonsai_status check_one(scan *s, int64_t names)
{
    bonsai_status rc;
    finding f;
    BN_TRY(read_section(&f, s));
    if (s->rows.head)
        rc = s->id == BONSAI_SECTION_METADATA ? bn_metadata_check(s->a, s->where)
                                      : bn_names_check(s->a, s->id, names, s->where);
    rc = bn_agree(s->world, rc);
done:
    return rc;
}

/* Returns the largest column of a basis.  If features are its coordinates, the view does not know
 * it; but then columns were checked when the file was opened, or are bonsai's own. */
static int64_t most_column(const bonsai_view *v)
{
    const bool coordinates = (v->flags & BONSAI_FLAG_COORDINATES) &&
                             v->features == v->section[BONSAI_SECTION_BASIS_SCALE].count;
    return coordinates ? INT32_MAX : v->features - 1;
}

static bonsai_status check_section(scan *s)
{
    const bonsai_view *v = s->v;
    switch (s->id) {
    case BONSAI_SECTION_OFFSETS:
    case BONSAI_SECTION_FEATURE_OFFSETS:
    case BONSAI_SECTION_MEMBER_OFFSETS:
        return check_offsets(s);
    case BONSAI_SECTION_NEIGHBORS:
        s->strict = !(v->flags & BONSAI_FLAG_REPEATED);
        s->no_self = !(v->flags & BONSAI_FLAG_SELF_LOOPS);
        return check_lists(s, BONSAI_SECTION_OFFSETS, v->nodes - 1);
    case BONSAI_SECTION_FEATURE_INDICES:
        return check_lists(s, BONSAI_SECTION_FEATURE_OFFSETS, v->features - 1);
    case BONSAI_SECTION_EDGE_WEIGHTS:
        s->no_zero = true;
        return v->flags & BONSAI_FLAG_OPERATOR
                   ? check_reals(s, bad_finite, "finite")
                   : check_reals(s, bad_non_negative, "positive and finite");
    case BONSAI_SECTION_SOFT_LABELS:
        s->check[1] = (check){bad_sum, fail_sum};
        return check_reals(s, bad_non_negative, "finite and at least 0");
    case BONSAI_SECTION_NODE_WEIGHTS:
        return check_reals(s, bad_non_negative, "finite and at least 0");
    case BONSAI_SECTION_FEATURES:
    case BONSAI_SECTION_FEATURE_VALUES:
    case BONSAI_SECTION_FEATURE_MEAN:
    case BONSAI_SECTION_FEATURE_SPREAD:
    case BONSAI_SECTION_BASIS:
    case BONSAI_SECTION_BASIS_SCALE:
    case BONSAI_SECTION_COORDINATES:
    case BONSAI_SECTION_COORDINATE_SCALE:
        return check_reals(s, bad_finite, "finite");
    case BONSAI_SECTION_FEATURE_SCALE:
        return check_reals(s, bad_scale, "finite, or times its features is not");
    case BONSAI_SECTION_LABELS:
        s->high = v->classes - 1;
        s->check[0] = (check){bad_label, fail_label};
        return run_checks(s);
    case BONSAI_SECTION_SPLIT:
        return check_integers(s, BONSAI_PART_TEST);
    case BONSAI_SECTION_ROLE:
        return check_integers(s, BONSAI_ROLE_LEARNED);
    case BONSAI_SECTION_CLASS_NAMES:
        return check_one(s, v->classes);
    case BONSAI_SECTION_NODE_NAMES:
        return check_one(s, v->nodes);
    case BONSAI_SECTION_FEATURE_NAMES:
        return check_one(s, v->features);
    case BONSAI_SECTION_KEPT_FEATURES:
        return check_ascending(s, INT32_MAX);
    case BONSAI_SECTION_ORIGIN:
    case BONSAI_SECTION_MEMBERS:
        return check_integers(s, INT32_MAX);
    case BONSAI_SECTION_METADATA:
        return check_one(s, 0);
    case BONSAI_SECTION_BASIS_COLUMNS:
        if (s->a->type == BONSAI_TYPE_U8)       /* bits, which expand.c counts */
            return check_integers(s, UINT8_MAX);
        return check_ascending(s, most_column(v));
    case BONSAI_SECTION_FEATURE_COLUMNS:
        return check_ascending(s, v->features - 1);
    case BONSAI_SECTION_COUNT:
        break;
    }
    return BONSAI_OK;
}

bonsai_status bn_section_check(const bonsai_view *v, bonsai_section s, const char *where,
                               int threads)
{
    return bn_section_verify(v, s, where, NULL, &(bn_place){.threads = threads});
}

bonsai_status bn_section_verify(const bonsai_view *v, bonsai_section s, const char *where,
                                const uint32_t *crc, const bn_place *place)
{
    const bonsai_array *a = &v->section[s];
    const bn_place *at = bn_here(place);
    scan sc = {.v = v, .id = s, .a = a, .strict = true, .where = where, .crc = crc,
               .world = at->world, .rows = bn_rows_of(v, at), .to = a->count,
               .threads = bn_threads(at->threads)};
    if (bytes_of(&sc, a->count) < BN_SMALL_SECTION)
        sc.threads = 1;         /* starting threads would take longer than the work */
    if (at->first)              /* without ranks the counts may not fit each other yet */
        bn_section_part(&sc.from, &sc.to, v, s, sc.rows);
    return check_section(&sc);
}
