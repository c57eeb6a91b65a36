/* seeds.c -- writes the seeds of fuzz_calls and fuzz_records: `seeds CORPUS`.
 *
 * Small graphs of every kind, what every method makes of one, models of every layer, and an input
 * for every call with files that belong together and files that do not.  CORPUS/calls and
 * CORPUS/records must exist.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

typedef struct {
    char    name[24];
    uint8_t data[1 << 14];
    size_t  len;
} seed;

enum { SEEDS = 48, CALLS = 26 };       /* of calls_one.c and calls_several.c */

static seed list[SEEDS];
static int seeds;
static const char *corpus;

static void ok(bonsai_status rc)
{
    if (rc != BONSAI_OK) {
        fprintf(stderr, "seeds: %s\n", bonsai_error());
        exit(1);
    }
}

static const char *in_corpus(const char *folder, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s", corpus, folder, name);
    return path;
}

static seed *find(const char *name)
{
    for (int i = 0; i < seeds; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    fprintf(stderr, "seeds: there is no %s\n", name);
    exit(1);
}

/* Takes the file that was just written, and removes it. */
static void take(const char *name, const char *path)
{
    seed *s = &list[seeds++];
    FILE *f = seeds <= SEEDS ? fopen(path, "rb") : NULL;
    if (!f)
        exit(1);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->len = fread(s->data, 1, sizeof s->data, f);
    fclose(f);
    remove(path);
}

static void take_graph(const char *name, const bonsai_graph *g, bonsai_encoding features,
                       const char *ending)
{
    bonsai_write_options o;
    char path[1024];
    bonsai_write_options_init(&o);
    o.features = features;
    snprintf(path, sizeof path, "%s%s", in_corpus("calls", name), ending);
    ok(bonsai_graph_save(NULL, g, path, &o));
    take(name, path);
}

/* ---- graphs ---- */

static bonsai_graph *generate(int64_t nodes, int dense, uint64_t number)
{
    bonsai_graph *g;
    bonsai_generate_options o;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = 8;
    o.classes = 3;
    o.degree = 3;
    o.words = 3;
    o.dense = dense;
    o.seed = number;
    ok(bonsai_graph_generate(&g, &o));
    return g;
}

/* Directed, weighted, with names, self loops and repeated entries, and partly without labels. */
static bonsai_graph *odd_graph(void)
{
    static const int32_t source[] = {0, 0, 1, 2, 2, 3, 5, 5}, target[] = {1, 1, 2, 2, 4, 0, 3, 4};
    static const float weight[] = {1, 2, 0.5f, 3, 1, 1, 7, 1};
    static const uint8_t label[] = {0, 1, 255, 1, 0, 255};
    static const float rows[12] = {1, 0, 0, -1, 2, 0, 0, 2.5f, 1, 1, 3, 0};
    static const char classes[] = "cat\0dog", nodes[] = "a\0b\0c\0d\0e\0f", features[] = "age\0pay";
    bonsai_graph *g;
    bonsai_view v;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.keep_directed = o.keep_self_loops = o.keep_repeated = 1;
    bonsai_view_init(&v);
    v.nodes = 6;
    v.features = v.classes = 2;
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, 6, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){rows, 12, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_CLASS_NAMES] = (bonsai_array){classes, sizeof classes, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_NODE_NAMES] = (bonsai_array){nodes, sizeof nodes, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_FEATURE_NAMES] =
        (bonsai_array){features, sizeof features, BONSAI_TYPE_U8};
    ok(bonsai_graph_build(&g, &v, 8, source, target, weight, &o));
    return g;
}

enum { PLAIN, SELECTED, WHOLE };        /* features of a decision tree alone; whole trees alone */

static void take_condensed(const char *name, const bonsai_graph *g, bonsai_method method, int how)
{
    bonsai_graph *small;
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.ratio = 0.5;
    o.method = method;
    o.members = 1;
    o.effort = 1e-4;
    o.select_features = how == SELECTED;
    o.keep_trees = how == WHOLE;
    ok(bonsai_condense(&small, NULL, g, &o));
    take_graph(name, small, BONSAI_ENCODING_AUTO, ".bonsai");
    bonsai_graph_free(small);
}

static void take_model(const bonsai_graph *g, bonsai_model_kind kind)
{
    bonsai_training *t;
    bonsai_train_options o;
    char path[1024];
    bonsai_train_options_init(&o);
    o.model = kind;
    o.epochs = 2;
    o.seeds = 1;
    o.hidden = 4;
    o.heads = 2;
    o.standardise = kind == BONSAI_MODEL_SAGE ? BONSAI_STANDARDISE_TRAIN : BONSAI_STANDARDISE_NONE;
    ok(bonsai_train(&t, g, NULL, &o));
    snprintf(path, sizeof path, "%s", in_corpus("calls", "model"));
    ok(bonsai_model_save(bonsai_training_model(t), path));
    take(bonsai_model_name(kind), path);
    bonsai_training_free(t);
}

static void take_all(void)
{
    static const int32_t older[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    bonsai_graph *now = generate(18, 0, 1), *dense = generate(12, 1, 2), *odd = odd_graph();
    bonsai_graph *full;
    ok(bonsai_graph_induce(&full, now, older, 16));
    take_graph("now", now, BONSAI_ENCODING_AUTO, ".bonsai");
    take_graph("full", full, BONSAI_ENCODING_AUTO, ".bonsai");
    take_graph("dense", dense, BONSAI_ENCODING_F32, ".bonsai");
    take_graph("dense_u8", dense, BONSAI_ENCODING_U8, ".bonsai");
    take_graph("dense_f16", dense, BONSAI_ENCODING_F16, ".bonsai");
    take_graph("sparse_u8", dense, BONSAI_ENCODING_SPARSE_U8, ".bonsai");
    take_graph("odd", odd, BONSAI_ENCODING_AUTO, ".bonsai");
    take_graph("archive", dense, BONSAI_ENCODING_AUTO, ".npz");
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++)
        take_condensed(bonsai_method_name((bonsai_method)m), full, (bonsai_method)m, PLAIN);
    take_condensed("selected", full, BONSAI_METHOD_TREES, SELECTED);
    take_condensed("whole", full, BONSAI_METHOD_TREES, WHOLE);
    take_condensed("small_dense", dense, BONSAI_METHOD_PROTOTYPES, PLAIN);
    for (int k = 0; k < BONSAI_MODEL_COUNT; k++)
        take_model(k == BONSAI_MODEL_SAGE ? dense : full, (bonsai_model_kind)k);
    bonsai_graph_free(now);
    bonsai_graph_free(full);
    bonsai_graph_free(dense);
    bonsai_graph_free(odd);
}

/* ---- inputs ---- */

static void write_file(FILE *f, const seed *s)
{
    fputc((int)(s->len & 255), f);
    fputc((int)(s->len >> 8), f);
    fwrite(s->data, 1, s->len, f);
}

/* Three calls from `call` on, and the files, whose names are separated by spaces. */
static void write_input(int call, const char *names)
{
    const uint8_t head[8] = {(uint8_t)call, (uint8_t)(call * 5), (uint8_t)(call + 7), 1,
                             (uint8_t)(call + 13), (uint8_t)(call * 3)};
    char name[64], rest[128], *state = NULL;
    snprintf(name, sizeof name, "%02d-%s", call, names);
    snprintf(rest, sizeof rest, "%s", names);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    FILE *f = fopen(in_corpus("calls", name), "wb");
    if (!f)
        exit(1);
    fwrite(head, 1, sizeof head, f);
    for (char *word = strtok_r(rest, " ", &state); word; word = strtok_r(NULL, " ", &state))
        write_file(f, find(word));
    if (fclose(f) != 0)
        exit(1);
}

static void write_inputs(void)
{
    static const char *const files[] = {
        "full trees", "now full prototypes", "dense small_dense", "full random", "odd trees gat",
        "full random-trees gcn", "dense_u8 herding", "dense_f16 kcenter", "sparse_u8 degree gin",
        "full auto", "full selected", "dense selected sage", "archive full", "odd full small_dense",
        "now full small_dense", "full gcn", "dense sage", "odd gat", "selected full gin",
        "full prototypes gat", "trees prototypes", "now full auto", "archive small_dense sage",
        "full now", "full gcond", "dense gcond-x sage", "full gdem gcn", "full gc-sntk gin",
    };
    const int count = (int)(sizeof files / sizeof *files);
    for (int i = 0; i < count; i++)
        write_input(i, files[i]);
    for (int i = 0; i < 3; i++)         /* an update, with files that belong together */
        write_input(14 + CALLS * i, "now full prototypes");
    write_input(14, "now full auto");
    write_input(5, "archive dense");    /* a split by lists; records; powers */
    write_input(8, "published whole trees");
    write_input(24, "full whole");
}

/* ---- records ---- */

static void write_record(const seed *s)
{
    const uint8_t *at = NULL, *end = s->data + s->len;
    for (const uint8_t *p = s->data; p < end && !at; p++)
        at = *p == '{' && p[1] == '"' ? p : NULL;
    FILE *f = at ? fopen(in_corpus("records", s->name), "wb") : NULL;
    if (!f)
        exit(1);
    fputc(2 << s->len % 3, f);      /* what is done with it: see fuzz_records.c */
    fwrite(at, 1, (size_t)(end - at), f);
    if (fclose(f) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    corpus = argc == 2 ? argv[1] : "fuzz/corpus";
    take_all();
    write_inputs();
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++)
        write_record(find(bonsai_method_name((bonsai_method)m)));
    return 0;
}
