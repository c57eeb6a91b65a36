/* map.c -- where the training nodes lie in the space of embeddings, and the small graph among them.
 *
 * Training nodes become a density: a grid of counts with the most frequent class of each cell, so
 * that a million of them take as much room as a thousand.  The directions are those of a sample;
 * more rows than fit into ROOM floats are sampled, too.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "map.h"
#include "principal.h"

enum {
    MOST_ROWS = 500000, ROOM = 64 << 20,        /* in the grid; in floats, if they were dense */
    SOME_ROWS = 20000, LEAST_ROWS = 2000, ENTRIES = 2 << 20,    /* for the directions */
    MOST_DOTS = 2000, CELLS = BN_MAP_SIDE * BN_MAP_SIDE,
    MOST_DISTANCES = 200000000          /* between nodes and middles of classes */
};

typedef struct {
    bn_map *maps;               /* BN_MAPS */
    bn_map *m;                  /* the one that is made */
    const bonsai_graph *small, *full;   /* with the same features */
    int      layers, threads;
    bool     alike;
    bn_place place;
    int32_t *node;              /* the training nodes of the grid */
    bn_embedding x;             /* their embeddings, ... */
    bn_spot *at;                /* ... and where they lie */
    int32_t *dot;               /* the nodes of small that are shown, ... */
    int64_t  dots;
    bn_embedding y;             /* ... the same */
    bn_spot *dot_at;
    bn_principal directions[BN_MAPS];
} mapping;

void bn_map_free(bn_map m[BN_MAPS])
{
    for (int k = 0; k < BN_MAPS; k++)
        bn_free(m[k].dot);
    memset(m, 0, BN_MAPS * sizeof *m);
}

static void free_mapping(mapping *d)
{
    bn_free(d->node);
    bn_embedding_free(&d->x);
    bn_free(d->at);
    bn_free(d->dot);
    bn_embedding_free(&d->y);
    bn_free(d->dot_at);
    for (int k = 0; k < BN_MAPS; k++)
        bn_principal_free(&d->directions[k]);
}

/* ---- samples ---- */

/* Returns the ith of `some` ascending numbers below all, a random one of each of `some`
 * stretches, because numbers at equal distances could all be of one class. */
static int64_t nth_of(int64_t i, int64_t some, int64_t all)
{
    int64_t from = (int64_t)((double)i * (double)all / (double)some);
    int64_t to = (int64_t)((double)(i + 1) * (double)all / (double)some);
    bn_rng r = bn_rng_at(1, (uint64_t)i);
    return some == all ? i : from + bn_rng_below(&r, to - from);
}

static bonsai_status list_training(mapping *d)
{
    bonsai_status rc;
    const bonsai_graph *g = d->full;
    int64_t n = g->view.nodes, f = g->view.features, all = 0;
    BN_TRY(BN_NEW(&d->node, n));
    for (int64_t v = 0; v < n; v++)
        if (bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) >= 0)
            d->node[all++] = (int32_t)v;
    int64_t most = f > 0 && ROOM / f < MOST_ROWS ? ROOM / f : MOST_ROWS;
    most = most < SOME_ROWS ? SOME_ROWS : most;
    d->m->all_trees = all;
    d->m->trees = all < most ? all : most;
    for (int64_t i = 0; i < d->m->trees; i++)
        d->node[i] = d->node[nth_of(i, d->m->trees, all)];
done:
    return rc;
}

static bonsai_status list_dots(mapping *d)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&d->dot, d->small->view.nodes));
    for (int64_t v = 0; v < d->small->view.nodes; v++)
        if (bn_label(d->small, v) >= 0)
            d->dot[d->dots++] = (int32_t)v;
    d->m->all_dots = d->dots;
done:
    return rc;
}

/* ---- directions ---- */

static bonsai_status separate(mapping *d, const int64_t *rows, int64_t count)
{
    bonsai_status rc;
    int32_t *label = NULL;
    BN_TRY(BN_NEW(&label, count));
    for (int64_t i = 0; i < count; i++)
        label[i] = bn_label(d->full, d->node[rows[i]]);
    BN_TRY(bn_discriminant_find(&d->directions[BN_MAP_APART], &d->directions[BN_MAP_WIDEST],
                                &(bn_labelled){&d->x, rows, label, count, d->full->view.classes},
                                d->threads));
done:
    bn_free(label);
    return rc;
}

static bonsai_status find_directions(mapping *d)
{
    bonsai_status rc;
    int64_t *rows = NULL, all = d->x.rows;
    double entries = d->x.dense ? (double)d->x.f : (double)d->x.offsets[all] / (double)all;
    double some = fmin(fmax(ENTRIES / fmax(1, entries), LEAST_ROWS), SOME_ROWS);
    int64_t count = (double)all < some ? all : (int64_t)some;
    BN_TRY(BN_NEW(&rows, count));
    for (int64_t i = 0; i < count; i++)
        rows[i] = nth_of(i, count, all);
    BN_TRY(bn_principal_find(&d->directions[BN_MAP_WIDEST], &d->x, rows, count, d->threads,
                             d->place.progress));
    BN_TRY(separate(d, rows, count));
done:
    bn_free(rows);
    return rc;
}

static bonsai_status project(bn_spot **out, const mapping *d, const bn_embedding *e)
{
    bn_free(*out);
    *out = NULL;
    bonsai_status rc = BN_NEW(out, e->rows);
    if (rc != BONSAI_OK)
        return rc;
    bn_spot *spot = *out;
    const bn_principal *directions = &d->directions[d->m - d->maps];
    const double work = 8 * bn_numbers(e, e->rows);
#pragma omp parallel for num_threads(bn_team(d->threads, work)) schedule(static)
    for (int64_t r = 0; r < e->rows; r++) {
        double at[2];
        bn_principal_project(at, directions, e, r);
        spot[r] = (bn_spot){at[0], at[1]};
    }
    return BONSAI_OK;
}

/* Embeds the training nodes and the small graph's; prototypes lie where their features are. */
static bonsai_status embed(mapping *d)
{
    bonsai_status rc;
    const bn_map *m = d->m;
    const bn_place quiet = bn_silent(&d->place);
    BN_TRY(bn_embed(&d->x, d->full, &(bn_nodes){d->node, m->trees},
                    d->alike ? BN_RULE_MEAN : BN_RULE_WL, d->layers, &d->place));
    BN_TRY(bn_embed(&d->y, d->small, &(bn_nodes){d->dot, d->dots}, BN_RULE_WL,
                    d->alike ? 0 : d->layers, &quiet));
    BN_TRY(find_directions(d));
done:
    return rc;
}

/* ---- what the map shows ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Widens low .. high to nearly all spots: a few far ones do not squeeze the rest. */
static void widen(double *low, double *high, double *sorted, int64_t count)
{
    if (count == 0)
        return;
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    int64_t cut = count / 500;
    double first = sorted[cut], last = sorted[count - 1 - cut], more = 0.05 * (last - first);
    *low = fmin(*low, fmax(sorted[0], first - more));
    *high = fmax(*high, fmin(sorted[count - 1], last + more));
}

static bonsai_status find_range(double *low, double *high, const mapping *d, int axis)
{
    bonsai_status rc;
    double *sorted = NULL;
    *low = INFINITY;
    *high = -INFINITY;
    BN_TRY(BN_NEW(&sorted, d->x.rows > d->y.rows ? d->x.rows : d->y.rows));
    for (int64_t r = 0; r < d->x.rows; r++)
        sorted[r] = axis ? d->at[r].y : d->at[r].x;
    widen(low, high, sorted, d->x.rows);
    for (int64_t r = 0; r < d->y.rows; r++)
        sorted[r] = axis ? d->dot_at[r].y : d->dot_at[r].x;
    widen(low, high, sorted, d->y.rows);
    double gap = *high - *low;
    if (!(gap > 0)) {                   /* all in one place */
        *low -= 1;
        *high += 1;
    }
done:
    bn_free(sorted);
    return rc;
}

static int64_t place(double v, double low, double high)
{
    double at = floor(BN_MAP_SIDE * ((v - low) / (high - low)));
    return at < 0 ? 0 : at < BN_MAP_SIDE ? (int64_t)at : BN_MAP_SIDE - 1;
}

/* Fills the grid from rows ordered by cell, so that the classes of one are counted in one
 * table. */
static bonsai_status fill_grid(mapping *d)
{
    bonsai_status rc;
    bn_map *m = d->m;
    int32_t *cell = NULL, *label = NULL;
    int64_t *begin = NULL, *count = NULL;
    BN_TRY(BN_NEW(&cell, m->trees));
    BN_TRY(BN_NEW(&label, m->trees));
    BN_TRY(BN_NEW(&begin, CELLS + 1));
    BN_TRY(BN_NEW(&count, d->full->view.classes));
    for (int64_t r = 0; r < m->trees; r++) {
        const bn_spot *at = &d->at[r];
        cell[r] = (int32_t)(place(at->y, m->low_y, m->high_y) * BN_MAP_SIDE +
                            place(at->x, m->low_x, m->high_x));
        m->grid[cell[r]]++;
        m->outside += at->x < m->low_x || at->x > m->high_x ||
                      at->y < m->low_y || at->y > m->high_y;
    }
    for (int64_t c = 0; c < CELLS; c++)
        begin[c + 1] = begin[c] + m->grid[c];
    for (int64_t r = 0; r < m->trees; r++)
        label[begin[cell[r]]++] = bn_label(d->full, d->node[r]);
    for (int64_t c = 0, i = 0; c < CELLS; c++) {
        int64_t first = i, most = 0;
        for (; i < begin[c]; i++)
            count[label[i]]++;
        for (int64_t k = first; k < i; k++)
            if (count[label[k]] > most || (count[label[k]] == most && label[k] < m->most[c])) {
                most = count[label[k]];
                m->most[c] = label[k];
            }
        for (int64_t k = first; k < i; k++)
            count[label[k]] = 0;
    }
done:
    bn_free(cell);
    bn_free(label);
    bn_free(begin);
    bn_free(count);
    return rc;
}

/* ---- the small graph's nodes ---- */

static int heaviest_first(const void *a, const void *b)
{
    const bn_dot *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

double bn_stands_for(const bonsai_graph *g, const int64_t *covers, int64_t v)
{
    const bonsai_array *weight = &g->view.section[BONSAI_SECTION_NODE_WEIGHTS];
    const bonsai_array *members = &g->view.section[BONSAI_SECTION_MEMBER_OFFSETS];
    double w = weight->data ? (double)bn_real_at(weight, v)
               : members->data ? (double)(bn_int_at(members, v + 1) - bn_int_at(members, v))
               : (double)covers[v];
    return w > 1 ? w : 1;
}

static double within(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

static bonsai_status put_dots(mapping *d)
{
    bonsai_status rc;
    bn_map *m = d->m;
    int64_t *covers = NULL;
    bool known;
    BN_TRY(BN_NEW(&covers, d->small->view.nodes));
    BN_TRY(bn_record_reasons(&known, NULL, covers, NULL, d->small));
    BN_TRY(BN_NEW(&m->dot, d->dots));
    for (int64_t i = 0; i < d->dots; i++)
        m->dot[i] = (bn_dot){within(d->dot_at[i].x, m->low_x, m->high_x),
                             within(d->dot_at[i].y, m->low_y, m->high_y),
                             bn_label(d->small, d->dot[i]),
                             bn_stands_for(d->small, covers, d->dot[i]), d->dot[i]};
    qsort(m->dot, (size_t)d->dots, sizeof *m->dot, heaviest_first);
    m->dots = d->dots < MOST_DOTS ? d->dots : MOST_DOTS;
done:
    bn_free(covers);
    return rc;
}

/* ---- how well the classes are apart ---- */

/* Returns the class whose middle is nearest to a spot, the lowest of equals; distances are as
 * drawn. */
static int32_t nearest_class(const mapping *d, const bn_spot *middle, const bn_spot *at)
{
    const bn_map *m = d->m;
    const double wide = m->high_x - m->low_x, high = m->high_y - m->low_y;
    double least = INFINITY;
    int32_t found = -1;
    for (int64_t c = 0; c < d->full->view.classes; c++) {
        const double x = (at->x - middle[c].x) / wide, y = (at->y - middle[c].y) / high;
        if (x * x + y * y < least) {            /* false of a class without nodes */
            least = x * x + y * y;
            found = (int32_t)c;
        }
    }
    return found;
}

static bonsai_status count_nearest(mapping *d)
{
    bonsai_status rc = BONSAI_OK;
    bn_map *m = d->m;
    const int64_t classes = d->full->view.classes;
    bn_spot *middle = NULL;
    int64_t *size = NULL, own = 0;
    m->nearest = -1;
    if ((double)classes * (double)m->trees > MOST_DISTANCES)
        goto done;
    BN_TRY(BN_NEW(&middle, classes));
    BN_TRY(BN_NEW(&size, classes));
    for (int64_t r = 0; r < m->trees; r++) {
        const int32_t c = bn_label(d->full, d->node[r]);
        size[c]++;
        middle[c].x += d->at[r].x;
        middle[c].y += d->at[r].y;
    }
    for (int64_t c = 0; c < classes; c++)
        middle[c] = (bn_spot){middle[c].x / (double)size[c], middle[c].y / (double)size[c]};
    for (int64_t r = 0; r < m->trees; r++)
        own += nearest_class(d, middle, &d->at[r]) == bn_label(d->full, d->node[r]);
    m->nearest = (double)own / (double)m->trees;
done:
    bn_free(middle);
    bn_free(size);
    return rc;
}

/* ---- the whole ---- */

static bonsai_status make_one(mapping *d, int which)
{
    bonsai_status rc = BONSAI_OK;
    bn_map *m = d->m = &d->maps[which];
    if (which == BN_MAP_APART && !(d->directions[which].share[0] > 0))
        goto done;
    memcpy(m->variance, d->directions[which].share, sizeof m->variance);
    BN_TRY(project(&d->at, d, &d->x));
    BN_TRY(project(&d->dot_at, d, &d->y));
    BN_TRY(find_range(&m->low_x, &m->high_x, d, 0));
    BN_TRY(find_range(&m->low_y, &m->high_y, d, 1));
    BN_TRY(fill_grid(d));
    BN_TRY(put_dots(d));
    BN_TRY(count_nearest(d));
    m->known = true;
done:
    return rc;
}

static bonsai_status make(mapping *d)
{
    bonsai_status rc;
    BN_TRY(list_training(d));
    BN_TRY(list_dots(d));
    for (int k = 1; k < BN_MAPS; k++) {
        d->maps[k].trees = d->maps[0].trees;
        d->maps[k].all_trees = d->maps[0].all_trees;
        d->maps[k].all_dots = d->maps[0].all_dots;
    }
    if (d->m->trees == 0 || d->full->view.features == 0)    /* nothing to make a map of */
        goto done;
    BN_TRY(embed(d));
    for (int k = 0; k < BN_MAPS; k++)
        BN_TRY(make_one(d, k));
done:
    return rc;
}

static bool is_operator(const bonsai_graph *g)
{
    return (g->view.flags & BONSAI_FLAG_OPERATOR) != 0;
}

/* Places the nodes of an operator where their features are, because its products with the
 * features are not averages and may have any size. */
bonsai_status bn_map_make(bn_map m[BN_MAPS], const bonsai_graph *small, const bonsai_graph *full,
                          int layers, bool alike, const bn_place *at)
{
    bonsai_status rc;
    int32_t *kept = NULL;
    bonsai_graph *columns = NULL, *projected = NULL;
    mapping d = {.maps = m, .m = m, .small = small, .full = full,
                 .layers = is_operator(full) ? 0 : layers, .alike = alike || is_operator(small),
                 .threads = bn_threads(bn_here(at)->threads), .place = *bn_here(at)};
    memset(m, 0, BN_MAPS * sizeof *m);
    for (int64_t c = 0; c < BN_MAPS * CELLS; c++)
        m[c / CELLS].most[c % CELLS] = -1;
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, d.threads));
    BN_TRY(bn_graph_need(full, BN_ALL_SECTIONS, d.threads));
    BN_TRY(bn_projected(&projected, full, small));
    d.full = full = projected ? projected : full;
    BN_TRY(bn_compatible_check(&kept, small, full, BN_SAME_COLUMNS, d.threads));
    if (kept) {
        BN_TRY(bn_graph_columns(&columns, full, kept, small->view.features));
        d.full = columns;
    }
    BN_TRY(make(&d));
done:
    free_mapping(&d);
    bn_free(kept);
    bonsai_graph_free(columns);
    bonsai_graph_free(projected);
    if (rc != BONSAI_OK)
        bn_map_free(m);
    return rc;
}
