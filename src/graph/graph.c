/* graph.c -- the graph handle: a table of sections, owned, borrowed or mapped.
 *
 * A section is verified once, at its first use.  A mutex serialises that, and an atomic flag makes
 * the common case free.  Everything else in a graph is constant after it is built, so threads can
 * share it.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "graph.h"
#include "options/options.h"

const char *bonsai_section_text(bonsai_section s)
{
    switch (s) {
#define TEXT(name, id, text, counted) case BONSAI_SECTION_##name: return text;
    BONSAI_SECTION_MAP(TEXT)
#undef TEXT
    case BONSAI_SECTION_COUNT: break;
    }
    return "";
}

const char *bonsai_type_text(bonsai_type t)
{
    static const char *const text[] = {"none", "u8", "u16", "u32", "u64", "i8", "f16", "f32",
                                       "q4", "s4"};
    return (unsigned)t < sizeof text / sizeof *text ? text[t] : "";
}

size_t bonsai_type_bytes(bonsai_type t)
{
    switch (t) {
#define BYTES(name, value, bytes) case BONSAI_TYPE_##name: return bytes;
    BONSAI_TYPE_MAP(BYTES)
#undef BYTES
    }
    return 0;
}

bool bn_type_space(int64_t *bytes, bonsai_type t, int64_t count)
{
    if (bn_four_bits(t)) {
        *bytes = count / 2 + count % 2;
        return count >= 0;
    }
    return bonsai_type_bytes(t) > 0 && bn_mul(bytes, count, (int64_t)bonsai_type_bytes(t));
}

bonsai_status bn_graph_new(bonsai_graph **out, const char *where)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    *out = NULL;
    BN_TRY(BN_NEW(&g, 1));
    if (pthread_mutex_init(&g->lock, NULL) != 0) {
        bn_free(g);
        return bn_fail(BONSAI_E_MEMORY, "out of memory: no room for a lock");
    }
    bonsai_view_init(&g->view);
    atomic_store(&g->users, 1);
    g->info.size = sizeof g->info;
    g->info.format = "";
    BN_TRY(bn_strdup(&g->where, where));
done:
    return bn_graph_give(out, g, rc);
}

void bonsai_graph_free(bonsai_graph *g)
{
    if (!g || atomic_fetch_sub(&g->users, 1) > 1)
        return;
    bonsai_graph_free(g->parent);
    for (int s = 0; s < BONSAI_SECTION_COUNT; s++)
        bn_free(g->owned[s]);
    bn_file_close(&g->file);
    bn_file_close(&g->rows);
    pthread_mutex_destroy(&g->lock);
    bn_free(g->where);
    bn_free(g);
}

bonsai_status bn_graph_give(bonsai_graph **out, bonsai_graph *g, bonsai_status rc)
{
    if (rc == BONSAI_OK)
        *out = g;
    else
        bonsai_graph_free(g);
    return rc;
}

bonsai_status bn_graph_array(void *out, bonsai_graph *g, bonsai_section s, bonsai_type t,
                             int64_t count)
{
    void *data;
    bonsai_status rc = bn_new(&data, count, bonsai_type_bytes(t));
    if (rc != BONSAI_OK)
        return rc;
    if (BN_FEATURE_SECTIONS & BN_BIT(s))
        atomic_store(&g->learnt, 0);
    bn_free(g->owned[s]);
    g->owned[s] = data;
    g->view.section[s] = (bonsai_array){data, count, t};
    memcpy(out, &data, sizeof data);
    return BONSAI_OK;
}

void bn_graph_borrow(bonsai_graph *g, const bonsai_graph *parent, uint32_t mask)
{
    g->parent = (bonsai_graph *)(uintptr_t)parent;
    atomic_fetch_add(&g->parent->users, 1);
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        if (mask & BN_BIT(s)) {
            g->view.section[s] = parent->view.section[s];
            atomic_store(&g->verified[s], 1);
        }
}

bonsai_status bn_graph_detach(bonsai_graph *g)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_view borrowed = g->view;
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        if (!g->owned[s])
            BN_TRY(bn_graph_copy(g, &borrowed, (bonsai_section)s));
    bonsai_graph_free(g->parent);
    g->parent = NULL;
done:
    return rc;
}

bonsai_status bn_graph_copy(bonsai_graph *g, const bonsai_view *v, bonsai_section s)
{
    const bonsai_array *a = &v->section[s];
    void *data;
    if (!a->data)
        return BONSAI_OK;
    bonsai_status rc = bn_graph_array(&data, g, s, a->type, a->count);
    if (rc == BONSAI_OK && a->count > 0)
        memcpy(data, a->data, (size_t)a->count * bonsai_type_bytes(a->type));
    return rc;
}

/* ---- rows ---- */

bn_rows bn_rows_of(const bonsai_view *v, const bn_place *at)
{
    at = bn_here(at);
    if (!at->first)
        return (bn_rows){0, v->nodes, true, true};
    int r = bn_rank(at->world);
    return (bn_rows){at->first[r], at->first[r + 1], r == 0, r == bn_ranks(at->world) - 1};
}

void bn_section_part(int64_t *from, int64_t *to, const bonsai_view *v, bonsai_section s,
                     bn_rows rows)
{
    const bonsai_array *offsets = NULL;
    int64_t width = 1, more = 0;
    switch (s) {
    case BONSAI_SECTION_OFFSETS:
    case BONSAI_SECTION_FEATURE_OFFSETS:
    case BONSAI_SECTION_MEMBER_OFFSETS:
        more = rows.last;
        break;
    case BONSAI_SECTION_NEIGHBORS:
    case BONSAI_SECTION_EDGE_WEIGHTS:
        offsets = &v->section[BONSAI_SECTION_OFFSETS];
        break;
    case BONSAI_SECTION_FEATURE_INDICES:
    case BONSAI_SECTION_FEATURE_VALUES:
        offsets = &v->section[BONSAI_SECTION_FEATURE_OFFSETS];
        break;
    case BONSAI_SECTION_MEMBERS:
        offsets = &v->section[BONSAI_SECTION_MEMBER_OFFSETS];
        break;
    case BONSAI_SECTION_FEATURES:
        width = v->features;
        break;
    case BONSAI_SECTION_SOFT_LABELS:
        width = v->classes;
        break;
    case BONSAI_SECTION_COORDINATES:
        width = v->section[BONSAI_SECTION_BASIS_SCALE].count;
        break;
    case BONSAI_SECTION_FEATURE_SCALE:
    case BONSAI_SECTION_COORDINATE_SCALE:
    case BONSAI_SECTION_LABELS:
    case BONSAI_SECTION_NODE_WEIGHTS:
    case BONSAI_SECTION_SPLIT:
    case BONSAI_SECTION_ORIGIN:
    case BONSAI_SECTION_ROLE:
        break;
    default:
        *from = rows.head ? 0 : v->section[s].count;
        *to = v->section[s].count;
        return;
    }
    *from = offsets ? bn_int_at(offsets, rows.begin) : rows.begin * width;
    *to = offsets ? bn_int_at(offsets, rows.end) : rows.end * width + more;
}

/* ---- verifying ---- */

static bonsai_status verify(bonsai_graph *g, bonsai_section s, const bn_place *at)
{
    bool mapped = g->file.data && !g->owned[s];
    bonsai_status rc = bn_section_verify(&g->view, s, g->where, mapped ? &g->crc[s] : NULL, at);
    if (rc == BONSAI_OK)
        atomic_store(&g->verified[s], 1);
    return rc;
}

static bonsai_status verify_once(bonsai_graph *g, bonsai_section s, int threads)
{
    bonsai_status rc = BONSAI_OK;
    pthread_mutex_lock(&g->lock);
    if (!atomic_load(&g->verified[s]))
        rc = verify(g, s, &(bn_place){.threads = threads});
    pthread_mutex_unlock(&g->lock);
    return rc;
}

/* Adds the offsets of lists, which have lower numbers and so are verified first. */
static uint32_t with_offsets(uint32_t mask)
{
    if (mask & BN_SYMMETRY)
        mask |= BN_BIT(BONSAI_SECTION_NEIGHBORS) | BN_BIT(BONSAI_SECTION_EDGE_WEIGHTS);
    if (mask & (BN_BIT(BONSAI_SECTION_NEIGHBORS) | BN_BIT(BONSAI_SECTION_EDGE_WEIGHTS)))
        mask |= BN_BIT(BONSAI_SECTION_OFFSETS);
    if (mask & (BN_BIT(BONSAI_SECTION_FEATURE_INDICES) | BN_BIT(BONSAI_SECTION_FEATURE_VALUES) |
                BN_BIT(BONSAI_SECTION_FEATURE_SCALE)))
        mask |= BN_BIT(BONSAI_SECTION_FEATURE_OFFSETS);
    if (mask & BN_BIT(BONSAI_SECTION_MEMBERS))
        mask |= BN_BIT(BONSAI_SECTION_MEMBER_OFFSETS);
    return mask;
}

static bool shares_adjacency(const bonsai_graph *g, const bonsai_graph *parent)
{
    bool same = parent && !((parent->view.flags ^ g->view.flags) & BONSAI_FLAG_DIRECTED);
    for (int s = BONSAI_SECTION_OFFSETS; same && s <= BONSAI_SECTION_EDGE_WEIGHTS; s++)
        same = parent->view.section[s].data == g->view.section[s].data;
    return same;
}

static bonsai_status need_symmetry(const bonsai_graph *g, int threads, bn_memory *memory)
{
    bonsai_status rc = BONSAI_OK;
    while (shares_adjacency(g, g->parent))
        g = g->parent;
    bonsai_graph *owner = (bonsai_graph *)(uintptr_t)g;
    if ((g->view.flags & BONSAI_FLAG_DIRECTED) || atomic_load(&g->verified[0]))
        return BONSAI_OK;
    pthread_mutex_lock(&owner->lock);
    if (!atomic_load(&g->verified[0]))
        rc = bn_symmetry_check(g, &(bn_place){.threads = threads, .memory = memory});
    if (rc == BONSAI_OK)
        atomic_store(&owner->verified[0], 1);
    pthread_mutex_unlock(&owner->lock);
    return rc;
}

static bonsai_status need(const bonsai_graph *g, uint32_t mask, int threads, bn_memory *memory)
{
    mask = with_offsets(mask);
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++) {
        if (!(mask & BN_BIT(s)) || !bn_has(g, s) || atomic_load(&g->verified[s]))
            continue;
        bonsai_status rc = verify_once((bonsai_graph *)(uintptr_t)g, s, threads);
        if (rc != BONSAI_OK)
            return rc;
    }
    return mask & BN_SYMMETRY ? need_symmetry(g, threads, memory) : BONSAI_OK;
}

bonsai_status bn_graph_need(const bonsai_graph *g, uint32_t mask, int threads)
{
    return need(g, mask, threads, NULL);
}

/* Verifies on all ranks a section that one rank has not verified, and without the lock: ranks that
 * are threads may share one handle. */
bonsai_status bn_graph_need_at(const bonsai_graph *g, uint32_t mask, const bn_place *place)
{
    bonsai_status rc;
    const bn_place *at = bn_here(place);
    int64_t missing[BONSAI_SECTION_COUNT] = {0};
    if (bn_ranks(at->world) == 1)
        return need(g, mask, at->threads, at->memory);
    mask = with_offsets(mask);
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        missing[s] = (mask & BN_BIT(s)) && bn_has(g, s) && !atomic_load(&g->verified[s]);
    BN_TRY(bn_sum_int(at->world, missing, BONSAI_SECTION_COUNT));
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        if (missing[s])
            BN_TRY(verify((bonsai_graph *)(uintptr_t)g, s, at));
done:
    return rc;
}

bool bn_section_crc(uint32_t *out, const bonsai_graph *g, bonsai_section s)
{
    const void *data = g->view.section[s].data;
    while (g->parent && g->parent->view.section[s].data == data)
        g = g->parent;
    *out = g->crc[s];
    return data && g->file.data && !g->owned[s] && atomic_load(&g->verified[s]);
}

bonsai_status bonsai_graph_verify(const bonsai_graph *g)
{
    if (bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    return bn_graph_need(g, BN_ALL_SECTIONS, 0);
}

bonsai_status bonsai_graph_new(bonsai_graph **out, const bonsai_view *v, int copy)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    if (BN_NO_PLACE(out) || bn_is_null(v, "the view"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_graph_new(&g, "graph"));
    const bonsai_view empty = g->view;
    BN_TRY(bn_options_merge(&g->view, &empty, sizeof empty, v, "bonsai_view"));
    bn_factors_drop(&g->view);
    BN_TRY(bn_view_shape(&g->view, g->where));
    for (int s = 1; copy && s < BONSAI_SECTION_COUNT; s++) {
        const bonsai_view borrowed = g->view;
        BN_TRY(bn_graph_copy(g, &borrowed, s));
    }
    BN_TRY(bonsai_graph_verify(g));
done:
    return bn_blame_caller(bn_graph_give(out, g, rc));
}

const bonsai_view *bonsai_graph_view(const bonsai_graph *g)
{
    return &g->view;
}

int64_t bonsai_graph_nodes(const bonsai_graph *g)
{
    return g->view.nodes;
}

int64_t bonsai_graph_edges(const bonsai_graph *g)
{
    return g->view.section[BONSAI_SECTION_NEIGHBORS].count;
}

int64_t bonsai_graph_features(const bonsai_graph *g)
{
    return g->view.features;
}

int64_t bonsai_graph_classes(const bonsai_graph *g)
{
    return g->view.classes;
}

const bonsai_read_info *bonsai_graph_read_info(const bonsai_graph *g)
{
    return &g->info;
}

bn_csr bn_adjacency(const bonsai_graph *g)
{
    const bonsai_view *v = &g->view;
    bn_csr a = {v->nodes, v->nodes, v->section[BONSAI_SECTION_OFFSETS],
                v->section[BONSAI_SECTION_NEIGHBORS], v->section[BONSAI_SECTION_EDGE_WEIGHTS],
                NULL};
    return a;
}
