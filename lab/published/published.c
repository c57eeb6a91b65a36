/* published.c -- the nodes and edges that the published code picks.
 *
 * Trees of one budget determine only the number of nodes that are left.  Trees of ten budgets make
 * the graph from which the nodes of lowest PageRank are dropped until that number is left, at any
 * cost; then nodes are added and removed until the training nodes among them have the classes'
 * shares.
 *
 * SPDX-License-Identifier: MIT */
#include "published.h"

#include <stdlib.h>
#include <string.h>

typedef struct {                /* the graph of ten budgets, as PageRank walks it */
    int64_t  n;
    int32_t *node;              /* ids, ascending */
    int32_t *place;             /* of all nodes: among them */
    int64_t *offsets;
    int32_t *to;
    uint8_t *root;
    double  *score;
} walked;

static void free_walked(walked *w)
{
    bn_free(w->node);
    bn_free(w->place);
    bn_free(w->offsets);
    bn_free(w->to);
    bn_free(w->root);
    bn_free(w->score);
}

/* ---- dropping by PageRank ---- */

static bonsai_status place_nodes(walked *w, const bn_published_set *s)
{
    bonsai_status rc;
    w->n = s->nodes;
    BN_TRY(BN_NEW(&w->node, w->n));
    BN_TRY(BN_NEW(&w->place, s->g->view.nodes));
    BN_TRY(BN_NEW(&w->offsets, w->n + 1));
    BN_TRY(BN_NEW(&w->to, 2 * s->edges + s->roots));
    BN_TRY(BN_NEW(&w->root, w->n));
    BN_TRY(BN_NEW(&w->score, w->n));
    for (int64_t v = 0, i = 0; v < s->g->view.nodes; v++)
        if (s->in[v]) {
            w->place[v] = (int32_t)i;
            w->node[i++] = (int32_t)v;
        }
    for (int64_t i = 0; i < s->roots; i++)
        w->root[w->place[s->root[i]]] = 1;
done:
    return rc;
}

/* Lists the edges of trees, and a self loop for every root. */
static void join_nodes(walked *w, const bn_published_set *s)
{
    const int32_t *to = bn_neighbors(s->g);
    int64_t count = 0;
    for (int64_t i = 0; i < w->n; i++) {
        const int64_t v = w->node[i], begin = bn_row_begin(s->g, v);
        for (int64_t e = begin; e < bn_row_begin(s->g, v + 1); e++)
            if (s->link[e] && (e == begin || to[e] != to[e - 1]))
                w->to[count++] = w->place[to[e]];
        if (w->root[i])
            w->to[count++] = (int32_t)i;
        w->offsets[i + 1] = count;
    }
}

/* Keeps the `aim` nodes of highest score; drops at least one node. */
static bonsai_status drop(bn_published_pick *c, const walked *w)
{
    bonsai_status rc;
    bn_ranked *all = NULL;
    BN_TRY(BN_NEW(&all, w->n));
    for (int64_t i = 0; i < w->n; i++)
        all[i] = (bn_ranked){w->score[i], w->node[i]};
    qsort(all, (size_t)w->n, sizeof *all, bn_lowest_first);
    c->dropped = w->n > c->aim ? w->n - c->aim : bn_least(1, w->n);
    for (int64_t i = c->dropped; i < w->n; i++)
        c->state[all[i].node] = BN_PUBLISHED_KEPT;
done:
    bn_free(all);
    return rc;
}

static bonsai_status rank(walked *w, const bn_published_set *s, const bn_job *job)
{
    bonsai_status rc;
    int steps;
    const bn_walks how = {.beta = 0.15, .enough = 1e-6 * (double)s->nodes, .most = 100};
    BN_TRY(place_nodes(w, s));
    join_nodes(w, s);
    if (s->roots > 0)
        BN_TRY(bn_ppr_until(w->score, &steps,
                            &(bn_links){w->n, w->offsets, w->to, NULL, w->root}, &how, &job->at));
done:
    return rc;
}

/* ---- the classes' shares ---- */

typedef struct {
    const bn_published *p;
    const bn_job *job;
    bn_published_pick *c;
    int64_t *have, *want;       /* classes: kept training nodes; their share of them */
} matching;

static int32_t node_of(const matching *m, int64_t place)
{
    return m->job->train[m->p->order[place]];
}

static bonsai_status count_classes(matching *m)
{
    bonsai_status rc;
    const bn_job *job = m->job;
    int64_t *all = NULL, in = 0;
    const int64_t classes = job->g->view.classes;
    BN_TRY(BN_NEW(&m->have, classes));
    BN_TRY(BN_NEW(&m->want, classes));
    BN_TRY(BN_NEW(&all, classes));
    for (int64_t t = 0; t < job->trees; t++) {
        const int32_t label = bn_label(job->g, job->train[t]);
        const bool kept = m->c->state[job->train[t]] != BN_PUBLISHED_OUT;
        all[label]++;
        m->have[label] += kept;
        in += kept;
    }
    for (int64_t i = 0; i < classes; i++)
        m->want[i] = all[i] * in / job->trees;
done:
    bn_free(all);
    return rc;
}

/* Adds nodes of classes that have less than 99 percent of their share, rounded down. */
static void add_missing(matching *m)
{
    for (int64_t i = 0; i < m->job->trees; i++) {
        const int32_t v = node_of(m, i), label = bn_label(m->job->g, v);
        if (m->c->state[v] != BN_PUBLISHED_OUT || 100 * m->have[label] >= 99 * m->want[label])
            continue;
        m->c->state[v] = BN_PUBLISHED_ADDED;
        m->have[label]++;
        m->c->added++;
    }
}

static void remove_surplus(matching *m)
{
    for (int64_t i = m->job->trees - 1; i >= 0; i--) {
        const int32_t v = node_of(m, i), label = bn_label(m->job->g, v);
        if (m->c->state[v] == BN_PUBLISHED_OUT || 100 * m->have[label] <= 101 * m->want[label])
            continue;
        m->c->state[v] = BN_PUBLISHED_OUT;
        m->have[label]--;
        m->c->removed++;
    }
}

static bonsai_status match_classes(bn_published_pick *c, const bn_published *p, const bn_job *job)
{
    matching m = {.p = p, .job = job, .c = c};
    bonsai_status rc = count_classes(&m);
    if (rc == BONSAI_OK) {
        add_missing(&m);
        remove_surplus(&m);
    }
    bn_free(m.have);
    bn_free(m.want);
    return rc;
}

/* ---- the choice ---- */

static bonsai_status make_choice(bn_choice *c, int64_t count)
{
    bonsai_status rc;
    c->count = count;
    c->coverage_bound = -1;
    BN_TRY(BN_NEW(&c->node, count));
    BN_TRY(BN_NEW(&c->role, count));
    BN_TRY(BN_NEW(&c->score, count));
    BN_TRY(BN_NEW(&c->tree, count));
    BN_TRY(BN_NEW(&c->covers, count));
done:
    return rc;
}

/* Fills what is known of each node.  An added node is a root: it belongs to no tree. */
static void fill_choice(bn_published_pick *out, const walked *w)
{
    bn_choice *c = &out->choice;
    for (int64_t v = 0, i = 0; v < out->set.g->view.nodes; v++) {
        if (out->state[v] == BN_PUBLISHED_OUT)
            continue;
        const bool walked_on = out->set.in[v], added = out->state[v] == BN_PUBLISHED_ADDED;
        const bool root = added || (walked_on && w->root[w->place[v]]);
        c->node[i] = (int32_t)v;
        c->role[i] = root ? BONSAI_ROLE_ROOT : BONSAI_ROLE_EGO;
        c->score[i] = walked_on ? (float)w->score[w->place[v]] : 0;
        c->tree[i] = root ? (int32_t)v : out->set.from[v];
        i++;
    }
}

/* Counts the roots all of whose neighbours are in the choice. */
static int64_t count_whole(const bn_published_pick *c)
{
    const bonsai_graph *g = c->set.g;
    int64_t whole = 0;
    for (int64_t i = 0; i < c->choice.count; i++) {
        const int64_t v = c->choice.node[i], end = bn_row_begin(g, v + 1);
        bool all = c->choice.role[i] == BONSAI_ROLE_ROOT;
        for (int64_t e = bn_row_begin(g, v); all && e < end; e++)
            all = c->state[bn_neighbors(g)[e]] != BN_PUBLISHED_OUT;
        whole += all;
    }
    return whole;
}

/* Fills how many trees each root covers, and the share of trees that all roots cover. */
static bonsai_status measure_cover(bn_choice *c, const bn_published *p, const bn_job *job)
{
    bonsai_status rc;
    uint8_t *covered = NULL;
    int64_t all = 0;
    BN_TRY(BN_NEW(&covered, job->trees));
    for (int64_t i = 0, t = 0; i < c->count; i++) {
        if (c->role[i] != BONSAI_ROLE_ROOT)
            continue;
        while (job->train[t] < c->node[i])      /* both ascend, and a root is a training node */
            t++;
        c->covers[i] = (int32_t)(p->covers.offsets[t + 1] - p->covers.offsets[t]);
        for (int64_t e = p->covers.offsets[t]; e < p->covers.offsets[t + 1]; e++)
            covered[p->covers.item[e]] = 1;
    }
    for (int64_t t = 0; t < job->trees; t++)
        all += covered[t];
    c->coverage = (double)all / (double)job->trees;
done:
    bn_free(covered);
    return rc;
}

static bonsai_status find_aim(int64_t *out, const bn_published *p, const bn_job *job, double bytes)
{
    bn_published_set one;
    bonsai_status rc = bn_published_select(&one, p, job, bytes);
    *out = one.nodes;
    bn_published_set_free(&one);
    return rc;
}

static bonsai_status collect(bn_published_pick *out, const bn_published *p, const bn_job *job,
                             const walked *w)
{
    bonsai_status rc;
    int64_t count = 0;
    for (int64_t v = 0; v < p->g->view.nodes; v++)
        count += out->state[v] != BN_PUBLISHED_OUT;
    if (count == 0)
        return bn_fail_at(BONSAI_E_ARGUMENT, job->g->where, "the budget is too small: %s",
                          out->aim == 0
                              ? "no training node with its neighbours costs less by the published "
                                "code's price"
                              : "of the trees that fit no node is left when the lowest is dropped "
                                "and classes have their shares");
    BN_TRY(make_choice(&out->choice, count));
    fill_choice(out, w);
    out->choice.whole = count_whole(out);
    BN_TRY(measure_cover(&out->choice, p, job));
done:
    return rc;
}

bonsai_status bn_published_choose(bn_published_pick *out, const bn_published *p, const bn_job *job,
                                  double bytes)
{
    bonsai_status rc;
    walked w = {0};
    *out = (bn_published_pick){0};
    bn_enter(&job->at, BN_STAGE_COVER);
    BN_TRY(BN_NEW(&out->state, p->g->view.nodes));
    BN_TRY(find_aim(&out->aim, p, job, bytes));
    BN_TRY(bn_published_select(&out->set, p, job, BN_PUBLISHED_TIMES * bytes));
    bn_enter(&job->at, BN_STAGE_SPARSIFY);
    BN_TRY(rank(&w, &out->set, job));
    if (out->aim > 0)           /* else nothing is to be left */
        BN_TRY(drop(out, &w));
    BN_TRY(match_classes(out, p, job));
    BN_TRY(collect(out, p, job, &w));
done:
    free_walked(&w);
    return rc;
}

void bn_published_pick_free(bn_published_pick *c)
{
    bn_choice_free(&c->choice);
    bn_published_set_free(&c->set);
    bn_free(c->state);
    *c = (bn_published_pick){0};
}

/* ---- edges ---- */

/* Removes edges outside trees.  Rows of small are rows of the full graph without the nodes that are
 * left out, so both graphs are walked side by side. */
void bn_published_thin(bonsai_graph *small, const bn_published_pick *c)
{
    const bonsai_graph *g = c->set.g;
    bonsai_array *section = small->view.section;
    uint64_t *offsets = small->owned[BONSAI_SECTION_OFFSETS];
    int32_t *neighbors = small->owned[BONSAI_SECTION_NEIGHBORS];
    float *weights = small->owned[BONSAI_SECTION_EDGE_WEIGHTS];
    const int32_t *to = bn_neighbors(g);
    int64_t at = 0, kept = 0;
    for (int64_t i = 0; i < c->choice.count; i++) {
        const int32_t v = c->choice.node[i];
        const int64_t end = bn_row_begin(g, (int64_t)v + 1);
        for (int64_t e = bn_row_begin(g, v); e < end; e++) {
            if (c->state[to[e]] == BN_PUBLISHED_OUT)
                continue;
            const bool added = c->state[v] == BN_PUBLISHED_ADDED ||
                               c->state[to[e]] == BN_PUBLISHED_ADDED;
            neighbors[kept] = neighbors[at];
            if (weights)
                weights[kept] = weights[at];
            at++;
            kept += to[e] != v && (c->set.link[e] || added);
        }
        offsets[i + 1] = (uint64_t)kept;
    }
    section[BONSAI_SECTION_NEIGHBORS].count = kept;
    section[BONSAI_SECTION_EDGE_WEIGHTS].count = weights ? kept : 0;
}
