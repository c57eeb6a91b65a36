/* classes.c -- a graph with the class numbers of a model or of another graph.
 *
 * Two files of labels may lack different classes, or list them in another order, and then a class
 * has two numbers.  Names decide which classes are the same.  A side without names has the names 0,
 * 1, ... if those of the other are whole numbers.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

typedef struct { const char *name; int32_t number; } named;

typedef struct {
    const bonsai_graph *g;
    named   *have, *wanted;     /* classes by name, sorted; NULL: no names */
    int64_t  count;             /* of those wanted */
    int32_t *place;             /* the wanted number of each class of g, or -1 */
    bool     numbers;           /* one side has no names */
    bool     apart;             /* names cannot distinguish the classes */
} match;

/* ---- names ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

/* Returns the number that a name is, or -1. */
static int64_t number_of(const char *name)
{
    const size_t digits = strspn(name, "0123456789");
    if (digits == 0 || digits > 10 || name[digits] || (digits > 1 && name[0] == '0'))
        return -1;
    return strtoll(name, NULL, 10);
}

/* Sorts the names; sets m->apart if two are the same. */
static void sort_names(match *m, named *all, int64_t count)
{
    if (count > 0)
        qsort(all, (size_t)count, sizeof *all, by_name);
    for (int64_t i = 1; i < count; i++)
        m->apart |= by_name(&all[i - 1], &all[i]) == 0;
    for (int64_t i = 0; m->numbers && i < count; i++)
        m->apart |= number_of(all[i].name) < 0;
}

static bonsai_status list_names(match *m, const char *const *names)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_view *v = &m->g->view;
    const char *at = v->section[BONSAI_SECTION_CLASS_NAMES].data;
    m->numbers = !at || !names;
    m->apart = !at && !names;
    if (at) {
        BN_TRY(BN_NEW(&m->have, v->classes));
        for (int32_t k = 0; k < v->classes; k++, at += strlen(at) + 1)
            m->have[k] = (named){at, k};
        sort_names(m, m->have, v->classes);
    }
    if (names) {
        BN_TRY(BN_NEW(&m->wanted, m->count));
        for (int32_t k = 0; k < m->count; k++)
            m->wanted[k] = (named){names[k], k};
        sort_names(m, m->wanted, m->count);
    }
done:
    return rc;
}

/* ---- numbers ---- */

static int32_t find(const match *m, const char *name)
{
    const named key = {name, 0};
    if (!m->wanted) {
        const int64_t number = number_of(name);
        return number < m->count ? (int32_t)number : -1;
    }
    const named *found = bsearch(&key, m->wanted, (size_t)m->count, sizeof key, by_name);
    return found ? found->number : -1;
}

static bonsai_status place_classes(match *m)
{
    const int64_t classes = m->g->view.classes;
    bonsai_status rc = BN_NEW(&m->place, classes);
    for (int64_t i = 0; rc == BONSAI_OK && i < classes; i++)
        m->place[m->have ? m->have[i].number : i] = m->have ? find(m, m->have[i].name) : -1;
    for (int64_t k = 0; rc == BONSAI_OK && !m->have && k < m->count; k++)
        if (number_of(m->wanted[k].name) < classes)     /* the other side has names, all numbers */
            m->place[number_of(m->wanted[k].name)] = m->wanted[k].number;
    return rc;
}

/* Returns a class that occurs and has no place, or -1. */
static int64_t find_unplaced(const match *m)
{
    const bonsai_graph *g = m->g;
    for (int64_t k = 0; bn_has(g, BONSAI_SECTION_SOFT_LABELS) && k < g->view.classes; k++)
        if (m->place[k] < 0)
            return k;
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_label(g, v) >= 0 && m->place[bn_label(g, v)] < 0)
            return bn_label(g, v);
    return -1;
}

/* Fails if a class that occurs has no place.  If no class has a place, the numbers mean something
 * else, and all is well. */
static bonsai_status check_unplaced(const match *m, int64_t lost)
{
    const bonsai_array *names = &m->g->view.section[BONSAI_SECTION_CLASS_NAMES];
    char number[24];
    bool found = !m->numbers;
    for (int64_t k = 0; k < m->g->view.classes; k++)
        found |= m->place[k] >= 0;
    if (!found)
        return BONSAI_OK;
    snprintf(number, sizeof number, "%lld", (long long)lost);
    const char *name = bn_name_at(names, lost);
    return bn_fail(BONSAI_E_ARGUMENT, "%s has nodes of the class \"%s\", which is none of the %lld "
                   "classes of what it is used with; the label -1 leaves them out", m->g->where,
                   names->data ? name ? name : "" : number, (long long)m->count);
}

static bool is_same(const match *m)
{
    bool same = m->g->view.classes == m->count;
    for (int64_t k = 0; same && k < m->count; k++)
        same = m->place[k] == k;
    return same;
}

/* ---- the graph ---- */

static bonsai_status give_names(bonsai_graph *out, const char *const *names, int64_t count)
{
    int64_t len = 0;
    char *to;
    for (int64_t k = 0; names && k < count; k++)
        len += (int64_t)strlen(names[k]) + 1;
    if (!names)
        return BONSAI_OK;
    bonsai_status rc = bn_graph_array(&to, out, BONSAI_SECTION_CLASS_NAMES, BONSAI_TYPE_U8, len);
    for (int64_t k = 0; rc == BONSAI_OK && k < count; k++)
        to += strlen(strcpy(to, names[k])) + 1;
    return rc;
}

static bonsai_status give_labels(bonsai_graph *out, const match *m)
{
    int32_t *label;
    if (!bn_has(m->g, BONSAI_SECTION_LABELS))
        return BONSAI_OK;
    bonsai_status rc = bn_graph_array(&label, out, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32,
                                      m->g->view.nodes);
    for (int64_t v = 0; rc == BONSAI_OK && v < m->g->view.nodes; v++)
        label[v] = bn_label(m->g, v) < 0 ? -1 : m->place[bn_label(m->g, v)];
    return rc;
}

static bonsai_status give_shares(bonsai_graph *out, const match *m)
{
    float *share;
    const int64_t n = m->g->view.nodes, c = m->g->view.classes;
    if (!bn_has(m->g, BONSAI_SECTION_SOFT_LABELS))
        return BONSAI_OK;
    bonsai_status rc = bn_graph_array(&share, out, BONSAI_SECTION_SOFT_LABELS, BONSAI_TYPE_F32,
                                      n * m->count);
    for (int64_t v = 0; rc == BONSAI_OK && v < n; v++)
        for (int64_t k = 0; k < c; k++)
            share[v * m->count + m->place[k]] = (float)bn_soft_share(m->g, v, k);
    return rc;
}

static bonsai_status renumber(bonsai_graph **out, const match *m, const char *const *names)
{
    bonsai_status rc;
    bonsai_graph *child = NULL;
    BN_TRY(bn_graph_derive(&child, m->g, BN_ALL_SECTIONS & ~(BN_BIT(BONSAI_SECTION_LABELS) |
                                                             BN_BIT(BONSAI_SECTION_SOFT_LABELS) |
                                                             BN_BIT(BONSAI_SECTION_CLASS_NAMES))));
    child->view.classes = m->count;
    BN_TRY(give_names(child, names, m->count));
    BN_TRY(give_labels(child, m));
    BN_TRY(give_shares(child, m));
    BN_TRY(bonsai_graph_verify(child));
done:
    return bn_graph_give(out, child, rc);
}

bonsai_status bonsai_graph_match_classes(bonsai_graph **out, const bonsai_graph *g,
                                         const char *const *names, int64_t count)
{
    bonsai_status rc;
    match m = {.g = g, .count = count};
    int64_t lost;
    if (bn_is_null(out, "out") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    *out = NULL;
    if (count < 0 || count > INT32_MAX)
        return bn_fail(BONSAI_E_ARGUMENT, "%lld classes are outside 0..%d", (long long)count,
                       INT32_MAX);
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, 0));
    BN_TRY(list_names(&m, names));
    if (m.apart)
        goto done;
    BN_TRY(place_classes(&m));
    lost = find_unplaced(&m);
    if (lost >= 0)
        BN_TRY(check_unplaced(&m, lost));
    else if (!is_same(&m))
        BN_TRY(renumber(out, &m, names));
done:
    bn_free(m.have);
    bn_free(m.wanted);
    bn_free(m.place);
    return rc;
}
