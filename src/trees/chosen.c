/* chosen.c -- the chosen nodes: takes trees, drops nodes, keeps one seat for every class.
 *
 * SPDX-License-Identifier: MIT */
#include "chosen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_LOOK = 64,         /* training nodes a class that are tried for a cheap seat */
       SWEEPS = 3,              /* over all of them, if these are too dear */
       AHEAD = 256 };           /* trees */

int32_t bn_chosen_label(const bn_chosen *s, int64_t tree)
{
    return bn_label(s->job->g, s->job->train[tree]);
}

bool bn_chosen_exceeds(const bn_chosen *s)
{
    return bn_price_bytes(s->price) > s->budget.bytes ||
           bn_price_nodes(s->price) > s->budget.nodes || s->roots > s->budget.trees;
}

double bn_chosen_used(const bn_chosen *s)
{
    double share = isfinite(s->budget.bytes) ? bn_price_bytes(s->price) / s->budget.bytes
                   : s->budget.nodes < INT64_MAX
                       ? (double)bn_price_nodes(s->price) / (double)s->budget.nodes
                       : (double)s->roots / (double)s->budget.trees;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Fetches the next trees as single nodes. */
static bonsai_status ask_for_trees(bn_chosen *s, int64_t tree)
{
    return bn_reader_want(s->reader, s->job->train + tree, bn_least(AHEAD, s->job->trees - tree),
                          BN_WHOLE);
}

/* ---- seats ---- */

static int32_t seat_node(const bn_chosen *s, int64_t class)
{
    return s->job->train[s->seat[class]];
}

static bonsai_status price_seats(bn_chosen *s)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t c = 0; c < s->job->g->view.classes; c++)
        if (s->seat[c] >= 0)
            BN_TRY(bn_reader_ask(s->reader, seat_node(s, c), BN_WHOLE));
    BN_TRY(bn_reader_fetch(s->reader));
    for (int64_t c = 0; c < s->job->g->view.classes; c++)
        if (s->seat[c] >= 0)
            BN_TRY(bn_price_add(s->price, seat_node(s, c)));
done:
    return rc;
}

static void leave_seats(bn_chosen *s)
{
    for (int64_t c = 0; c < s->job->g->view.classes; c++)
        if (s->seat[c] >= 0)
            bn_price_remove(s->price, seat_node(s, c));
}

/* Fetches the rows that a search for seats reads. */
static bonsai_status ask_for_rows(bn_chosen *s, int64_t most, int64_t *looked)
{
    bonsai_status rc = BONSAI_OK;
    if (!bn_reader_remote(s->reader))
        goto done;
    for (int64_t t = 0; t < s->job->trees; t++)
        if (looked[bn_chosen_label(s, t)]++ < most)
            BN_TRY(bn_reader_ask(s->reader, s->job->train[t], 0));
    BN_TRY(bn_reader_fetch(s->reader));
    memset(looked, 0, (size_t)s->job->g->view.classes * sizeof *looked);
done:
    return rc;
}

enum { ALL_DENSE = BN_KNOWN };  /* in place of an encoding: rows cost the same, so edges decide */

/* Finds for every class the node of fewest features, or edges, among its first `most` nodes that do
 * not forbid an encoding.  *all is false if a class has no such node. */
static bonsai_status seat_cheapest(bool *all, bn_chosen *s, int64_t most, int encoding)
{
    bonsai_status rc;
    int64_t classes = s->job->g->view.classes, *looked = NULL, *fewest = NULL;
    BN_TRY(BN_NEW(&looked, classes));
    BN_TRY(BN_NEW(&fewest, classes));
    BN_TRY(ask_for_rows(s, most, looked));
    for (int64_t c = 0; c < classes; c++)
        s->seat[c] = -1;
    for (int64_t t = 0; t < s->job->trees; t++) {
        int32_t c = bn_chosen_label(s, t);
        int64_t nnz;
        int forbids;
        if (looked[c]++ >= most)
            continue;
        BN_TRY(bn_price_row(&nnz, &forbids, s->price, s->job->train[t]));
        if (encoding == ALL_DENSE)
            nnz = bn_degree(s->job->g, s->job->train[t]);
        if (forbids & encoding || (s->seat[c] >= 0 && nnz >= fewest[c]))
            continue;
        s->seat[c] = t;
        fewest[c] = nnz;
    }
    *all = true;
    for (int64_t c = 0; c < classes; c++)
        *all &= s->seat[c] >= 0 || s->class_trees[c] == 0;
done:
    bn_free(looked);
    bn_free(fewest);
    return rc;
}

/* Moves classes to other seats while all seats together cost no more: edges between seats and
 * rows that forbid a small encoding raise the price.  Makes moves at equal price too, since they
 * may lead to cheaper ones. */
static bonsai_status improve_seats(bn_chosen *s)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t t = 0; t < s->job->trees && bn_chosen_exceeds(s); t++) {
        int64_t c = bn_chosen_label(s, t), old = s->seat[c];
        double before = bn_price_bytes(s->price);
        if (t % AHEAD == 0)
            BN_TRY(ask_for_trees(s, t));
        if (t == old)
            continue;
        bn_price_remove(s->price, seat_node(s, c));
        BN_TRY(bn_price_add(s->price, s->job->train[t]));
        s->seat[c] = t;
        if (bn_price_bytes(s->price) <= before)
            continue;
        bn_price_remove(s->price, s->job->train[t]);
        s->seat[c] = old;
        bn_price_again(s->price, seat_node(s, c));
    }
done:
    return rc;
}

/* Prices seats of one encoding.  *fit is false, and nothing is priced, if they do not fit. */
static bonsai_status seat_all(bool *fit, bn_chosen *s, int64_t most, int encoding)
{
    bonsai_status rc;
    BN_TRY(seat_cheapest(fit, s, most, encoding));
    if (!*fit)
        goto done;
    BN_TRY(price_seats(s));
    for (int i = 0; i < SWEEPS && most == INT64_MAX; i++)
        BN_TRY(improve_seats(s));
    *fit = !bn_chosen_exceeds(s);
    if (!*fit)
        leave_seats(s);
done:
    return rc;
}

/* Finds seats among the first nodes of each class, else among all, for every encoding in turn.  If
 * one node per class does not fit, there are no seats.  A budget in trees has no seats either: all
 * of it serves the cover. */
static bonsai_status keep_seats(bn_chosen *s)
{
    bonsai_status rc = BONSAI_OK;
    bool fit = false;
    if (s->budget.trees == INT64_MAX)
        BN_TRY(seat_all(&fit, s, FIRST_LOOK, 0));
    if (s->budget.trees == INT64_MAX && !fit)
        BN_TRY(seat_all(&fit, s, INT64_MAX, 0));
    for (int bit = 0; bit < BN_ENCODING_BITS && s->budget.trees == INT64_MAX && !fit; bit++)
        BN_TRY(seat_all(&fit, s, INT64_MAX, 1 << bit));
    if (s->budget.trees == INT64_MAX && !fit)
        BN_TRY(seat_all(&fit, s, INT64_MAX, ALL_DENSE));
    for (int64_t c = 0; c < s->job->g->view.classes && !fit; c++)
        s->seat[c] = -1;
done:
    return rc;
}

/* ---- taking and dropping ---- */

bonsai_status bn_chosen_add(bn_chosen *s, int32_t v, int32_t root, bool anew)
{
    bonsai_status rc = BONSAI_OK;
    bn_chosen_node *c = bn_chosen_find(s, v);
    if (c && c->role != BONSAI_ROLE_NONE)
        goto done;
    BN_TRY(bn_grow((void **)&s->member, &s->member_room, s->members + 1, sizeof *s->member));
    if (!c) {
        BN_TRY(bn_slotmap_reserve(&s->slots, 1));
        BN_TRY(bn_grow((void **)&s->chosen, &s->chosen_room, s->slots.count + 1,
                       sizeof *s->chosen));
        c = &s->chosen[bn_slotmap_add(&s->slots, v)];
        *c = (bn_chosen_node){0};
    }
    c->role = BONSAI_ROLE_EGO;
    c->brought = root;
    c->score = anew ? 0 : c->score;
    s->member[s->members++] = v;
done:
    return rc;
}

static bonsai_status note_tree(bn_chosen *s, int32_t root, int depth, const int32_t *tree,
                               int64_t count)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < count; i++)
        BN_TRY(bn_chosen_add(s, tree[i], root, true));
    bn_chosen_node *c = bn_chosen_find(s, root);
    c->depth = (uint8_t)depth;
    if (c->role == BONSAI_ROLE_ROOT)            /* the root has a cut tree already */
        goto done;
    c->role = BONSAI_ROLE_ROOT;
    c->brought = root;
    c->turn = s->turns++;
    s->roots++;
    s->class_roots[bn_label(s->job->g, root)]++;
done:
    return rc;
}

bonsai_status bn_chosen_try(bool *fits, bn_chosen *s, int64_t tree, int depth)
{
    bonsai_status rc;
    int32_t c = bn_chosen_label(s, tree), root = s->job->train[tree];
    bn_tree t = {&root, 1, true, false};
    *fits = false;
    if (depth >= s->hopeless[tree])     /* most trees are tried in every round */
        return BONSAI_OK;
    if (s->members < s->job->g->view.nodes) {   /* else all nodes are chosen */
        int32_t seat = s->seat[c] >= 0 ? seat_node(s, c) : -1;
        bool waits = seat >= 0 && bn_chosen_role(s, seat) == BONSAI_ROLE_NONE;
        if (waits)
            bn_price_remove(s->price, seat);
        BN_TRY(bn_hoptree_grow(&t, s->hoptree, s->price, root, depth, &s->budget));
        if (waits && !t.fits)
            bn_price_again(s->price, seat);
    }
    *fits = t.fits;
    if (t.never)
        s->hopeless[tree] = (uint8_t)depth;
    if (!t.fits)
        return BONSAI_OK;
    BN_TRY(note_tree(s, root, depth, t.node, t.count));
    s->seat[c] = -1;
done:
    return rc;
}

bonsai_status bn_chosen_any(int64_t *tree, bn_chosen *s)
{
    bonsai_status rc = BONSAI_OK;
    bool fits = false;
    *tree = -1;
    for (int64_t t = 0; t < s->job->trees && !fits; t++) {
        if (t % AHEAD == 0)
            BN_TRY(ask_for_trees(s, t));
        BN_TRY(bn_chosen_try(&fits, s, t, 0));
        *tree = fits ? t : -1;
    }
done:
    return rc;
}

static void compact(bn_chosen *s)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < s->members; i++)
        if (bn_chosen_role(s, s->member[i]) != BONSAI_ROLE_NONE)
            s->member[kept++] = s->member[i];
    s->members = kept;
}

/* Clears the roles of nodes that were removed from the price. */
static void forget(bn_chosen *s, const int32_t *nodes, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        bn_chosen_node *c = bn_chosen_find(s, nodes[i]);
        if (c->role == BONSAI_ROLE_ROOT) {
            s->roots--;
            s->class_roots[bn_label(s->job->g, nodes[i])]--;
        }
        c->role = BONSAI_ROLE_NONE;
    }
    compact(s);
}

bool bn_chosen_drop(bn_chosen *s, const int32_t *nodes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        bn_price_remove(s->price, nodes[i]);
    if (bn_chosen_exceeds(s)) {
        for (int64_t i = count - 1; i >= 0; i--)
            bn_price_again(s->price, nodes[i]);
        return false;
    }
    forget(s, nodes, count);
    return true;
}

int bn_by_id(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* ---- samples ---- */

int64_t bn_chosen_tree(const bn_chosen *s, int32_t root)
{
    const int32_t *at = bsearch(&root, s->job->train, (size_t)s->job->trees, sizeof *at, bn_by_id);
    return at - s->job->train;
}

int64_t bn_chosen_cover(uint8_t *covered, const bn_chosen *s, int32_t root)
{
    const bn_lists *l = &s->job->rknn;
    int64_t fresh = 0, tree = bn_chosen_tree(s, root);
    for (int64_t e = l->offsets[tree]; e < l->offsets[tree + 1]; e++) {
        fresh += !covered[l->item[e]];
        covered[l->item[e]] = 1;
    }
    return fresh;
}

bonsai_status bn_chosen_covered(int64_t *out, const bn_chosen *s)
{
    uint8_t *covered = NULL;
    bonsai_status rc = BN_NEW(&covered, s->z);
    *out = 0;
    for (int64_t i = 0; i < s->members && s->z > 0 && rc == BONSAI_OK; i++)
        if (bn_chosen_role(s, s->member[i]) == BONSAI_ROLE_ROOT)
            *out += bn_chosen_cover(covered, s, s->member[i]);
    bn_free(covered);
    return rc;
}

/* Counts the samples that each root covers, and the share that all roots cover. */
static bonsai_status cover_samples(bn_choice *out, const bn_chosen *s)
{
    bonsai_status rc;
    const bn_lists *l = &s->job->rknn;
    int64_t reached;
    out->coverage = -1;
    for (int64_t i = 0; i < out->count && s->z > 0; i++) {
        if (out->role[i] != BONSAI_ROLE_ROOT)
            continue;
        int64_t tree = bn_chosen_tree(s, out->node[i]);
        out->covers[i] = (int32_t)(l->offsets[tree + 1] - l->offsets[tree]);
    }
    BN_TRY(bn_chosen_covered(&reached, s));
    if (s->z > 0)
        out->coverage = (double)reached / (double)s->z;
done:
    return rc;
}

/* ---- the choice ---- */

bonsai_status bn_chosen_collect(bn_choice *out, bn_chosen *s)
{
    bonsai_status rc;
    out->count = s->members;
    out->bytes = bn_price_bytes(s->price);
    BN_TRY(BN_NEW(&out->node, out->count));
    BN_TRY(BN_NEW(&out->role, out->count));
    BN_TRY(BN_NEW(&out->score, out->count));
    BN_TRY(BN_NEW(&out->tree, out->count));
    BN_TRY(BN_NEW(&out->covers, out->count));
    for (int64_t i = 0; i < out->count; i++)
        out->node[i] = s->member[i];
    qsort(out->node, (size_t)out->count, sizeof *out->node, bn_by_id);
    for (int64_t i = 0; i < out->count; i++) {
        const bn_chosen_node *c = bn_chosen_find(s, out->node[i]);
        out->role[i] = c->role;
        out->score[i] = (float)c->score;
        out->tree[i] = c->brought;
    }
    BN_TRY(cover_samples(out, s));
    BN_TRY(bn_chosen_whole(&out->whole, s));
done:
    return rc;
}

/* Finds the price of the cheapest graph of one training node of this rank. */
static bonsai_status cheapest(double *least, const bn_job *job)
{
    bonsai_status rc;
    bn_reader *reader = NULL;
    bn_price *price = NULL;
    int rank = bn_rank(job->at.world);
    bool over = bn_ranks(job->at.world) > 1;
    int64_t end = over ? job->tree_first[rank + 1] : job->trees;
    BN_TRY(bn_reader_new(&reader, job->g, bn_job_accounting(job)));
    BN_TRY(bn_price_new(&price, reader));
    for (int64_t t = over ? job->tree_first[rank] : 0; t < end; t++) {
        BN_TRY(bn_price_add(price, job->train[t]));
        *least = fmin(*least, bn_price_bytes(price));
        bn_price_remove(price, job->train[t]);
    }
done:
    bn_price_free(price);
    bn_reader_free(reader);
    return rc;
}

static bonsai_status too_small(const bn_job *job, const bn_budget *budget)
{
    bonsai_status rc;
    double least = INFINITY;
    BN_TRY(bn_agree(job->at.world, cheapest(&least, job)));
    least = -least;
    BN_TRY(bn_max(job->at.world, &least, 1));
    rc = bn_fail_at(BONSAI_E_ARGUMENT, job->g->where, "a budget of %.0f bytes is too small: the "
                    "smallest possible graph, of one node, takes %.0f", budget->bytes, -least);
done:
    return rc;
}

bonsai_status bn_choice_end(bn_choice *out, const bn_job *job, const bn_budget *budget,
                            bonsai_status rc)
{
    bn_world *w = job->at.world;
    if (bn_rank(w) == 0)
        bn_reader_done(job);
    BN_TRY(bn_agree(w, rc));
    int64_t count = out->count;
    BN_TRY(bn_share(w, &count, sizeof count, 0));
    if (count == 0)
        BN_TRY(too_small(job, budget));
done:
    if (rc != BONSAI_OK)
        bn_choice_free(out);
    return rc;
}

void bn_choice_free(bn_choice *c)
{
    bn_free(c->node);
    bn_free(c->role);
    bn_free(c->score);
    bn_free(c->tree);
    bn_free(c->covers);
    bn_free(c->trace);
    memset(c, 0, sizeof *c);
}

bonsai_status bn_chosen_new(bn_chosen *s, const bn_job *job, const bn_budget *budget)
{
    bonsai_status rc;
    int64_t c = job->g->view.classes;
    memset(s, 0, sizeof *s);
    s->job = job;
    s->budget = *budget;
    s->z = job->z;
    BN_TRY(bn_reader_of(&s->reader, job));
    BN_TRY(bn_price_new(&s->price, s->reader));
    BN_TRY(bn_hoptree_new(&s->hoptree, s->reader));
    BN_TRY(BN_NEW(&s->hopeless, job->trees));
    memset(s->hopeless, UINT8_MAX, (size_t)job->trees);
    BN_TRY(bn_slotmap_new(&s->slots, job->g->view.nodes));
    BN_TRY(BN_NEW(&s->class_roots, c));
    BN_TRY(BN_NEW(&s->class_trees, c));
    BN_TRY(BN_NEW(&s->seat, c));
    for (int64_t t = 0; t < job->trees; t++)
        s->class_trees[bn_chosen_label(s, t)]++;
    BN_TRY(keep_seats(s));
done:
    return rc;
}

void bn_chosen_free(bn_chosen *s)
{
    bn_price_free(s->price);
    bn_hoptree_free(s->hoptree);
    bn_free(s->hopeless);
    bn_reader_free(s->reader);
    bn_slotmap_free(&s->slots);
    bn_free(s->chosen);
    bn_free(s->member);
    bn_free(s->class_roots);
    bn_free(s->class_trees);
    bn_free(s->seat);
}
