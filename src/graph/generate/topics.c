/* topics.c -- draws the features of a generated graph: bags of words, or a Gaussian mixture.
 *
 * Bag of words: every class has a topic, a random set of words used by Zipf's law; all classes
 * share a background of words.  A node draws each word from its topic with a chance that falls with
 * the difficulty.  Some nodes use another class's topic: features alone get them wrong, and
 * averaging over neighbours corrects that.
 *
 * Dense: each class has a few components, each a point near the class's own point.  The difficulty
 * shrinks the points relative to the noise of 1, and some nodes belong to another class here too.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "generate.h"

enum { COMPONENTS = 3 };

struct bn_writer {
    const bn_maker *k;
    double    signal;           /* chance that a word is topical; dense: length of a point */
    double    stray;            /* chance that a node takes the topic of the class it leans to */
    int64_t   topic_words;      /* words per topic */
    int32_t  *topic;            /* (c, topic_words) */
    int64_t   room, capacity;
    int32_t  *row;              /* (threads, room) */
    float    *center;           /* (c * COMPONENTS, f) */
    bonsai_graph *g;            /* where the features go: the nodes from `begin` on */
    int64_t   begin;
    int64_t  *sum;              /* threads: words counted so far */
};

/* Picks the class whose topic a node uses. */
static int64_t pick_topic(const bn_writer *w, int64_t v, bn_rng *r)
{
    return bn_rng_unit(r) < w->stray ? bn_maker_leaning(w->k, v) : bn_maker_class(w->k, v);
}

/* ---- words ---- */

static int64_t draw_length(const bn_writer *w, int64_t v, uint64_t seed)
{
    const bn_maker *k = w->k;
    bn_rng r = bn_rng_at(seed, (uint64_t)v);
    double words = k->o.words, spread = fmin(0.3 * words, ((double)k->f - words) / 3);
    double away = fmax(-3.0, fmin(3.0, bn_rng_normal(&r)));
    double length = floor(words + spread * away + bn_rng_unit(&r));  /* unbiased rounding */
    return length < (double)k->f ? (int64_t)length : k->f;
}

static void count_words(void *payload, int64_t begin, int64_t end, int64_t lane)
{
    const bn_writer *w = payload;
    uint64_t *offsets = w->g->owned[BONSAI_SECTION_FEATURE_OFFSETS];
    uint64_t seed = bn_maker_seed(w->k, BN_LENGTHS);
    (void)lane;
    for (int64_t v = begin; v < end; v++)
        offsets[v - w->begin + 1] = (uint64_t)draw_length(w, v, seed);
}

static void sum_words(void *payload, int64_t begin, int64_t end, int64_t lane)
{
    const bn_writer *w = payload;
    uint64_t seed = bn_maker_seed(w->k, BN_LENGTHS);
    for (int64_t v = begin; v < end; v++)
        w->sum[lane] += draw_length(w, v, seed);
}

/* Draws a number below count by Zipf's law, flattened: the weight falls as a power of the rank. */
static int64_t draw_zipf(int64_t count, bn_rng *r)
{
    double u = bn_rng_unit(r);
    return (int64_t)(u * u * (double)count);
}

static int32_t draw_word(const bn_writer *w, int64_t t, bn_rng *r)
{
    if (bn_rng_unit(r) < w->signal)
        return w->topic[t * w->topic_words + draw_zipf(w->topic_words, r)];
    return (int32_t)draw_zipf(w->k->f, r);
}

/* Returns the first id from `id` upwards, with wraparound, that is not in the sorted row. */
static int32_t next_free(const int32_t *row, int64_t count, int32_t id, int64_t f)
{
    int64_t i = 0;
    while (i < count && row[i] < id)
        i++;
    for (; i < count && row[i] == id; i++)
        id++;
    return id < f ? id : next_free(row, count, 0, f);
}

static void write_row(const bn_writer *w, int32_t *row, int64_t length, int64_t v, uint64_t seed)
{
    bn_rng r = bn_rng_at(seed, (uint64_t)v);
    int64_t t = pick_topic(w, v, &r), tries = 4 * length;
    for (int64_t count = 0; count < length;) {
        int32_t word = draw_word(w, t, &r);
        if (tries-- <= 0)
            word = next_free(row, count, (int32_t)bn_rng_below(&r, w->k->f), w->k->f);
        count += bn_insert_sorted(row, count, word);
    }
}

static void write_words(void *payload, int64_t begin, int64_t end, int64_t lane)
{
    const bn_writer *w = payload;
    const uint64_t *offsets = w->g->owned[BONSAI_SECTION_FEATURE_OFFSETS];
    uint64_t seed = bn_maker_seed(w->k, BN_WORDS);
    uint16_t *narrow = w->g->owned[BONSAI_SECTION_FEATURE_INDICES];
    uint32_t *wide = w->g->owned[BONSAI_SECTION_FEATURE_INDICES];
    bool is_narrow = w->g->view.section[BONSAI_SECTION_FEATURE_INDICES].type == BONSAI_TYPE_U16;
    int32_t *row = w->row ? w->row + lane * w->room : NULL;     /* NULL: no node has a word */
    for (int64_t v = begin; v < end; v++) {
        int64_t i = v - w->begin, at = (int64_t)offsets[i], length = (int64_t)offsets[i + 1] - at;
        write_row(w, row, length, v, seed);
        for (int64_t j = 0; j < length; j++)
            if (is_narrow)
                narrow[at + j] = (uint16_t)row[j];
            else
                wide[at + j] = (uint32_t)row[j];
    }
}

static bonsai_status make_topics(bn_writer *w)
{
    const bn_maker *k = w->k;
    uint64_t seed = bn_maker_seed(k, BN_TOPICS);
    w->topic_words = (k->f + k->c - 1) / k->c;
    bonsai_status rc = BN_NEW(&w->topic, k->c * w->topic_words);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t t = 0; t < k->c; t++) {
        const bn_permutation words = bn_permutation_of(k->f, bn_rng_at(seed, (uint64_t)t).key);
        for (int64_t i = 0; i < w->topic_words; i++)
            w->topic[t * w->topic_words + i] = (int32_t)bn_permuted(&words, i);
    }
    return BONSAI_OK;
}

static bonsai_status lay_words(bn_writer *w, int64_t begin, int64_t end)
{
    bonsai_status rc;
    const bn_maker *k = w->k;
    uint64_t *offsets;
    void *ignored;
    int64_t nodes = end - begin;
    BN_TRY(bn_graph_array(&offsets, w->g, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64,
                          nodes + 1));
    BN_TRY(bn_maker_blocks(k, begin, end, "lengths", 2, count_words, w));
    for (int64_t i = 0; i < nodes; i++) {
        w->room = (int64_t)offsets[i + 1] > w->room ? (int64_t)offsets[i + 1] : w->room;
        offsets[i + 1] += offsets[i];
    }
    BN_TRY(bn_grow((void **)&w->row, &w->capacity, k->threads * w->room, sizeof *w->row));
    BN_TRY(bn_graph_array(&ignored, w->g, BONSAI_SECTION_FEATURE_INDICES,
                          k->f <= UINT16_MAX + 1 ? BONSAI_TYPE_U16 : BONSAI_TYPE_U32,
                          (int64_t)offsets[nodes]));
    BN_TRY(bn_maker_blocks(k, begin, end, "words", 2 * k->o.words, write_words, w));
done:
    return rc;
}

/* ---- points ---- */

static void place_points(void *payload, int64_t begin, int64_t end, int64_t lane)
{
    const bn_writer *w = payload;
    int64_t f = w->k->f;
    uint64_t seed = bn_maker_seed(w->k, BN_POINTS);
    float *x = w->g->owned[BONSAI_SECTION_FEATURES];
    (void)lane;
    for (int64_t v = begin; v < end; v++) {
        bn_rng r = bn_rng_at(seed, (uint64_t)v);
        int64_t t = pick_topic(w, v, &r) * COMPONENTS + bn_rng_below(&r, COMPONENTS);
        for (int64_t j = 0; j < f; j++)
            x[(v - w->begin) * f + j] = w->center[t * f + j] + (float)bn_rng_normal(&r);
    }
}

/* Adds a random direction of the given expected length to x. */
static void add_direction(float *x, int64_t f, double length, uint64_t seed, int64_t item)
{
    bn_rng r = bn_rng_at(seed, (uint64_t)item);
    for (int64_t j = 0; j < f; j++)
        x[j] += (float)(length / sqrt((double)f) * bn_rng_normal(&r));
}

static bonsai_status make_centers(bn_writer *w)
{
    bonsai_status rc;
    const bn_maker *k = w->k;
    uint64_t seed = bn_maker_seed(k, BN_TOPICS);
    int64_t size;
    if (!bn_mul(&size, k->c * COMPONENTS, k->f))
        return bn_fail(BONSAI_E_ARGUMENT, "%lld classes times %lld features are too many",
                       (long long)k->c, (long long)k->f);
    BN_TRY(BN_NEW(&w->center, size));
    for (int64_t t = 0; t < k->c * COMPONENTS; t++) {
        add_direction(w->center + t * k->f, k->f, w->signal, seed, t / COMPONENTS);
        add_direction(w->center + t * k->f, k->f, w->signal / 2, seed, k->c + t);
    }
done:
    return rc;
}

static bonsai_status lay_points(bn_writer *w, int64_t begin, int64_t end)
{
    float *x;
    int64_t f = w->k->f;
    bonsai_status rc = bn_graph_array(&x, w->g, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32,
                                      (end - begin) * f);
    if (rc == BONSAI_OK)
        rc = bn_maker_blocks(w->k, begin, end, "features", 4 * (double)f, place_points, w);
    return rc;
}

/* ---- both ---- */

bonsai_status bn_writer_new(bn_writer **out, const bn_maker *k)
{
    bonsai_status rc;
    bn_writer *w = NULL;
    double ease = 1 - k->o.difficulty;
    *out = NULL;
    BN_TRY(BN_NEW(&w, 1));
    w->k = k;
    w->stray = fmin(1, 2 * k->o.difficulty);
    w->signal = k->o.dense ? 9 * pow(ease, 1.75) : 0.9 * pow(ease, 1.5);
    BN_TRY(k->o.dense ? make_centers(w) : make_topics(w));
    *out = w;
    w = NULL;
done:
    bn_writer_free(w);
    return rc;
}

void bn_writer_free(bn_writer *w)
{
    if (!w)
        return;
    bn_free(w->topic);
    bn_free(w->row);
    bn_free(w->center);
    bn_free(w->sum);
    bn_free(w);
}

bonsai_status bn_writer_count(int64_t *out, bn_writer *w)
{
    bonsai_status rc = BONSAI_OK;
    const bn_maker *k = w->k;
    *out = (k->end - k->begin) * k->f;
    if (k->o.dense)
        return BONSAI_OK;
    BN_TRY(BN_NEW(&w->sum, k->threads));
    BN_TRY(bn_maker_blocks(k, k->begin, k->end, "lengths", 2, sum_words, w));
    *out = 0;
    for (int i = 0; i < k->threads; i++)
        *out += w->sum[i];
done:
    return rc;
}

bonsai_status bn_writer_lay(bonsai_graph *g, bn_writer *w, int64_t begin, int64_t end)
{
    w->g = g;
    w->begin = begin;
    return w->k->o.dense ? lay_points(w, begin, end) : lay_words(w, begin, end);
}
