/* fuzz_calls.c -- fuzzes every public call with graphs and models that may not belong together.
 *
 * The input has eight bytes: three numbers of calls with a seed for the options of each, the number
 * of an allocation that fails (from 200 on; less: none) and the progress call that cancels (the
 * same).  Then come up to three files, each after its length in two bytes: native graphs, models,
 * or NumPy archives.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "calls.h"
#include "fuzz.h"

const mu_framing fuzz_framing = {.head = 8, .files = 3, .separator = -1};

const bonsai_graph *calls_graph(calls *c)
{
    return c->graph[mu_below(&c->rng, (size_t)c->graphs)];
}

int calls_progress(const bonsai_progress *p, void *payload)
{
    calls *c = payload;
    calls_must(p->stage && p->done <= p->total, "progress");
    return c->patience >= 0 && c->patience-- == 0;
}

void calls_must(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "it does not hold: %s (%s)\n", what, bonsai_error());
    abort();
}

bool calls_went(bonsai_status rc, const void *made)
{
    if (rc == BONSAI_OK)
        return true;
    calls_must(*bonsai_error() != 0, "a failure has a sentence");
    calls_must(made == NULL, "a failure leaves no object");
    return false;
}

void calls_read_options(bonsai_read_options *o, calls *c)
{
    bonsai_read_options_init(o);
    o->threads = 1;
    o->keep_directed = mu_chance(&c->rng, 4);
    o->keep_self_loops = mu_chance(&c->rng, 4);
    o->keep_repeated = mu_chance(&c->rng, 4);
    o->progress = calls_progress;
    o->payload = c;
}

static void some_split(double split[3], mu_rng *r)
{
    static const double list[][3] = {{0, 0, 0}, {60, 20, 20}, {100, 0, 0}, {34, 33, 33},
                                     {5, 5, 90}};
    memcpy(split, list[mu_chance(r, 2) ? 0 : mu_below(r, 5)], 3 * sizeof *split);
}

static void some_budget(bonsai_condense_options *o, mu_rng *r)
{
    o->ratio = 0;
    switch (mu_below(r, 4)) {
    case 0: o->nodes = 1 + (int64_t)mu_below(r, 20); break;
    case 1: o->trees = 1 + (int64_t)mu_below(r, 5); break;
    case 2: o->bytes = 1 + (int64_t)mu_below(r, 3000); break;
    default: o->ratio = (1 + (double)mu_below(r, 100)) / 100;
    }
}

void calls_condense_options(bonsai_condense_options *o, calls *c)
{
    mu_rng *r = &c->rng;
    bonsai_condense_options_init(o);
    some_budget(o, r);
    o->method = (bonsai_method)mu_below(r, BONSAI_METHOD_COUNT);
    o->accounting = mu_chance(r, 4) ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
    o->layers = (int)mu_below(r, 4);
    o->k = 1 + (int)mu_below(r, 5);
    o->sample = mu_chance(r, 2) ? -1 : (int64_t)mu_below(r, 9);
    o->density = mu_chance(r, 6);
    o->no_rknn = mu_chance(r, 6);
    o->no_ppr = mu_chance(r, 6);
    o->select_features = mu_chance(r, 4);
    o->inductive = mu_chance(r, 6);
    o->raw_features = mu_chance(r, 6);
    o->project = mu_chance(r, 6) ? 1 + (int)mu_below(r, 9) : 0;
    o->members = mu_chance(r, 2);
    o->hard_labels = mu_chance(r, 4);
    o->no_validation = mu_chance(r, 4);
    o->memory = mu_chance(r, 12) ? 1 + (int64_t)(mu_next(r) >> 19) : (int64_t)1 << 60;
    o->threads = 1;
    o->seed = mu_below(r, 3);
    o->effort = 1e-4;
    o->keep = mu_chance(r, 2) ? BONSAI_KEEP_LAST : BONSAI_KEEP_PROBE;
    some_split(o->split, r);
    o->keep_trees = mu_chance(r, 4);
    o->progress = calls_progress;
    o->payload = c;
}

void calls_train_options(bonsai_train_options *o, calls *c)
{
    mu_rng *r = &c->rng;
    bonsai_train_options_init(o);
    o->model = (bonsai_model_kind)mu_below(r, BONSAI_MODEL_COUNT);
    o->layers = 1 + (int)mu_below(r, 3);
    o->heads = 1 + (int)mu_below(r, 2);
    o->hidden = 2 * (1 + (int)mu_below(r, 2));
    o->gin_layers = 1 + (int)mu_below(r, 2);
    o->epochs = 1 + (int)mu_below(r, 2);
    o->seeds = 1;
    o->standardise = (int)mu_below(r, 3);
    o->dropout = mu_chance(r, 3) ? 0.5 : 0;
    o->memory = mu_chance(r, 4) ? 1 + (int64_t)mu_below(r, 10000) : 64 << 20;
    o->threads = 1;
    o->seed = mu_below(r, 3);
    some_split(o->split, r);
    o->progress = calls_progress;
    o->payload = c;
}

/* ---- the input ---- */

static void load_graph(calls *c, const char *path)
{
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    if (calls_went(bonsai_graph_read(&g, path, &o), g) &&
        calls_went(bonsai_graph_verify(g), NULL))
        c->graph[c->graphs++] = g;
    else
        bonsai_graph_free(g);
}

static void load(calls *c, int i, uint8_t *data, size_t size)
{
    static const char *const names[] = {"0.bonsai", "1.bonsai", "2.bonsai"};
    static const char *const archives[] = {"0.npz", "1.npz", "2.npz"};
    bool zip = size > 2 && memcmp(data, "PK", 2) == 0, model = size > 12 && data[12] == 2;
    fuzz_repair(data, size);
    const char *path = fuzz_file(zip ? archives[i] : names[i], data, size);
    if (zip)
        snprintf(c->archive, sizeof c->archive, "%s", path);
    if (zip || !model)
        load_graph(c, path);
    else if (!c->model)
        calls_went(bonsai_model_load(&c->model, path), c->model);
}

static void load_all(calls *c, const uint8_t *data, size_t size)
{
    static uint8_t copy[MUTATE_ROOM];
    for (int i = 0; i < 3 && size >= 2; i++) {
        size_t len = (size_t)(data[0] | data[1] << 8);
        len = len < size - 2 ? len : size - 2;
        memcpy(copy, data + 2, len);
        load(c, i, copy, len);
        data += 2 + len;
        size -= 2 + len;
    }
}

static void call(calls *c, uint8_t which, uint8_t seed)
{
    int i = which % (calls_of_one_count + calls_of_several_count);
    c->rng.state = seed;
    (i < calls_of_one_count ? calls_of_one[i] : calls_of_several[i - calls_of_one_count])(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    calls c = {.patience = -1};
    int64_t before = bn_mem_live();
    if (size < 8 || size > 3 * (size_t)MUTATE_ROOM)
        return 0;
    fuzz_path("begin");                         /* sets a limit of memory, once */
    bn_mem_limit(1 << 20);
    load_all(&c, data + 8, size - 8);
    c.patience = data[7] >= 200 ? data[7] - 200 : -1;
    if (data[6] >= 200)
        bn_mem_fail_at(data[6] - 199);
    for (int i = 0; i < 3 && c.graphs > 0; i++)
        call(&c, data[2 * i], data[2 * i + 1]);
    bn_mem_fail_at(-1);
    for (int i = 0; i < c.graphs; i++)
        bonsai_graph_free(c.graph[i]);
    bonsai_model_free(c.model);
    calls_must(bn_mem_live() == before, "nothing is left in memory");
    return 0;
}
