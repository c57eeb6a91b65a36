/* fact.h -- the facts of a condensed graph: one table, which the record, the program, the report
 * and Python read.
 *
 * A new fact is a row here, and a call of bn_fact_set in the stage that knows it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_FACT_H
#define BN_FACT_H

#include "json.h"
#include "options/options.h"

/* Each row: a name in the code, a path, a type, and what else fact.c takes: the member or room that
 * holds the fact, what stands for an unknown one, where it is shown.  Paths in sizes, judge, cover,
 * recipe, learned and choice are places in the metadata, which are written in this order; the
 * others are facts of the run alone. */
#define BN_FACTS(X)                                                                                \
    X(VERSION, "bonsai", TEXT, .room = 28)                                                         \
    X(CRC, "input_crc32", CHECKSUM, PLAIN)                                                         \
    X(NODES, "sizes.nodes", WHOLE, MEMBER(nodes))                                                  \
    X(EDGES, "sizes.edges", WHOLE, MEMBER(edges))                                                  \
    X(LABELLED, "sizes.labelled", WHOLE, MEMBER(labelled))                                         \
    X(ROOTS, "sizes.roots", WHOLE, MEMBER(roots))                                                  \
    X(FULL_NODES, "sizes.full_nodes", WHOLE, MEMBER(full_nodes))                                   \
    X(FULL_EDGES, "sizes.full_edges", WHOLE, MEMBER(full_edges))                                   \
    X(FULL_LABELLED, "sizes.full_labelled", WHOLE, PLAIN)                                          \
    X(BYTES, "sizes.bytes", BYTES, MEMBER(bytes))                                                  \
    X(FULL_BYTES, "sizes.full_bytes", BYTES, MEMBER(full_bytes))                                   \
    X(RATIO, "sizes.ratio", REAL, MEMBER(ratio))                                                   \
    X(PAPER_BYTES, "sizes.paper_bytes", BYTES, PLAIN)                                              \
    X(PAPER_FULL_BYTES, "sizes.paper_full_bytes", BYTES, PLAIN)                                    \
    X(PAPER_RATIO, "sizes.paper_ratio", REAL, PLAIN)                                               \
    X(FEATURES, "features", WHOLE, PLAIN)                                                          \
    X(BUDGET, "budget", BYTES, PLAIN)                                                              \
    /* What the probe says. */                                                                     \
    X(PROBE_FULL, "judge.probe_full", PERCENT, MEMBER(probe_full), .without = -1, IN(PROBE))       \
    X(PROBE_FITTED, "judge.probe_fitted", WHOLE, IN(PROBE))                                        \
    X(PROBE_VAL, "judge.probe_val", WHOLE, IN(PROBE))                                              \
    X(PROBE_HELD, "judge.probe_held", WHOLE, IN(PROBE))                                            \
    X(METRIC, "metric", WORD, .word = bn_aim_word)                                                 \
    X(PROBE_IDLE, "probe_idle", PERCENT, .without = -1, IN(PROBE))                                 \
    /* Picked nodes. */                                                                            \
    X(WHOLE_TREES, "cover.whole_trees", WHOLE, .without = -1, .last = true,                        \
      IN(TREES | BONSAI_FACT_OMIT), .row.label = "trees kept whole",                               \
      .row.note = "roots with every node of their tree")                                           \
    X(TREES, "trees", WHOLE, IN(TREES), .row.label = "training trees")                             \
    X(COVER_TREES, "cover.trees", WHOLE, .same = BN_FACT_TREES)                                    \
    X(SAMPLE, "cover.sample", WHOLE, IN(TREES), .row.label = "sampled", WHEN("cover.sample"))      \
    X(LAYERS, "layers", WHOLE, IN(TREES | BONSAI_FACT_PROTOTYPES), .row.label = "layers")          \
    X(K, "k", WHOLE, IN(TREES), .row.label = "k", WHEN("cover.sample"))                            \
    X(COVERAGE, "cover.coverage", SHARE, MEMBER(coverage), .without = -1, IN(TREES),               \
      .row.label = "coverage", .row.format = "%.1f %%", .row.note = "of the sample")               \
    X(COVERAGE_CHECK, "cover.coverage_check", SHARE, .without = -1, IN(TREES),                     \
      .row.label = "on another sample", .row.format = "%.1f %%")                                   \
    X(COVERAGE_BOUND, "cover.coverage_bound", SHARE, .without = -1, IN(TREES),                     \
      .row.label = "at most", .row.format = "%.1f %%",                                             \
      .row.note = "no trees at this budget cover more of the sample")                              \
    X(RECALL, "cover.recall", REAL, .without = -1, IN(TREES | BONSAI_FACT_IF_PART),                \
      .row.label = "recall of the k-NN", .row.format = "%.3f")                                     \
    X(MEASURED, "measured", SHARE, IN(TREES | BONSAI_FACT_OMIT | BONSAI_FACT_IF_PART),             \
      .row.label = "pairs measured", .row.format = "%.2f %%",                                      \
      .row.note = "of sampled and other trees; the others are too far for a cheaper bound")        \
    X(RECHECKS, "cover.rechecks", WHOLE, IN(TREES), .row.label = "lazy re-evaluations",            \
      WHEN("cover.sample"))                                                                        \
    X(ROUNDS, "cover.rounds", WHOLE, IN(TREES), .row.label = "rounds of pruning",                  \
      WHEN("cover.rounds"))                                                                        \
    X(SHALLOW_CLASSES, "cover.shallow_classes", WHOLE, IN(TREES), .row.label = "shallow classes",  \
      WHEN("cover.shallow_classes"), .row.note = "none of their trees fitted whole")               \
    /* Prototypes. */                                                                              \
    X(RECIPE_TREES, "recipe.trees", WHOLE, .same = BN_FACT_TREES)                                  \
    X(RECIPE_NODES, "recipe.nodes", WHOLE, PLAIN)                                                  \
    X(ROWS, "recipe.rows", TEXT, .room = 16)                                                       \
    X(DIRECTIONS, "recipe.directions", WHOLE, .last = true, IN(PROTOTYPES),                        \
      .row.label = "directions that rows are made of", WHEN("recipe.directions"))                  \
    X(ENTRIES, "recipe.entries", WHOLE, IN(PROTOTYPES), .row.label = "features kept of a row",     \
      WHEN("recipe.entries"))                                                                      \
    X(COLUMNS, "recipe.columns", FLAG, PLAIN)                                                      \
    X(BITS, "recipe.bits", WHOLE, PLAIN)                                                           \
    X(VALUES, "recipe.values", WORD, .word = type_word, IN(PROTOTYPES),                         \
      .row.label = "stored as")                                                                    \
    X(SOFT, "recipe.soft", FLAG, PLAIN)                                                            \
    X(WEIGHTED, "recipe.weighted", FLAG, PLAIN)                                                    \
    X(RECIPE_LAYERS, "recipe.layers", WHOLE, .without = -1)                                        \
    X(RECIPE_PROBE, "recipe.probe", PERCENT, .same = BN_FACT_PROBE, .without = -1)                 \
    X(JUDGED, "recipe.judged", WHOLE, PLAIN)                                                       \
    X(CANDIDATES, "recipe.candidates", WHOLE, PLAIN)                                               \
    X(FINALISTS, "recipe.finalists", WHOLE, PLAIN)                                                 \
    X(TRAINED, "recipe.trained", PERCENT, .without = -1)                                           \
    X(LOSSLESS_RATIO, "recipe.lossless_ratio", REAL, PLAIN)                                        \
    /* Learned nodes. */                                                                           \
    X(LEARN_TREES, "learned.trees", WHOLE, .same = BN_FACT_TREES)                                  \
    X(LEARN_NODES, "learned.nodes", WHOLE, PLAIN)                                                  \
    X(LEARN_SETTINGS, "learned.settings", TEXT, .room = 24, IN(LEARNED), KEY("settings"),          \
      .row.label = "settings")                                                                     \
    X(LEARN_OWN, "learned.own_settings", FLAG, PLAIN)                                              \
    X(LEARN_ROUNDS, "learned.rounds", WHOLE, IN(LEARNED), KEY("learn_rounds"),                     \
      .row.label = "rounds")                                                                       \
    X(LEARN_MADE, "learned.made", WHOLE, IN(LEARNED), KEY("learn_made"), .row.label = "made")      \
    X(LEARN_KEPT, "learned.kept", WHOLE, IN(LEARNED), KEY("learn_kept"), .row.label = "kept")      \
    X(LEARN_END, "learned.end", TEXT, .room = 12)                                                  \
    X(LEARN_LOSS, "learned.loss", REAL, .without = -1, IN(LEARNED), KEY("learn_loss"),             \
      .row.label = "its loss", .row.format = "%.4g")                                               \
    X(LEARN_SKIPPED, "learned.skipped", WHOLE, IN(LEARNED), KEY("learn_skipped"),                  \
      .row.label = "gradients not finite", WHEN("learned.skipped"),                                \
      .row.note = "their steps were not taken")                                                    \
    X(LEARN_BITS, "learned.bits", WHOLE, PLAIN)                                                    \
    X(LEARN_CUT, "learned.cut", FLAG, PLAIN)                                                       \
    X(LEARN_RATIO, "learned.lossless_ratio", REAL, .same = BN_FACT_LOSSLESS_RATIO)                 \
    /* Why this method. */                                                                         \
    X(WHY, "choice.why", TEXT, .room = 160)                                                        \
    X(PROBE, "choice.probe", PERCENT, MEMBER(probe), .without = -1, .null = true)                  \
    X(PROBE_OTHER, "choice.probe_other", PERCENT, .without = -1, .null = true)                     \
    X(CHOSEN, "chosen", FLAG, PLAIN)                                                               \
    /* The run: seconds in the order of bn_stage, memory, and what ranks sent. */                  \
    X(SECONDS_MEASURE, "seconds.measure", SECONDS, .row.label = "measuring the graph")             \
    X(SECONDS_WL, "seconds.wl", SECONDS, .row.label = "WL embeddings")                             \
    X(SECONDS_KNN, "seconds.knn", SECONDS, .row.label = "nearest neighbours")                      \
    X(SECONDS_COVER, "seconds.cover", SECONDS, .row.label = "cover")                               \
    X(SECONDS_SPARSIFY, "seconds.sparsify", SECONDS, .row.label = "sparsify")                      \
    X(SECONDS_CLUSTER, "seconds.cluster", SECONDS, .row.label = "cluster")                         \
    X(SECONDS_FIT, "seconds.fit", SECONDS, .row.label = "posteriors")                              \
    X(SECONDS_PROBE, "seconds.probe", SECONDS, .row.label = "probe")                               \
    X(SECONDS_LEARN, "seconds.learn", SECONDS, .row.label = "learning")                            \
    X(SECONDS_FINISH, "seconds.finish", SECONDS, .row.label = "the small graph")                   \
    X(SECONDS_TOTAL, "seconds.total", SECONDS, MEMBER(seconds_total), .row.label = "total")        \
    X(PEAK_RSS_BYTES, "peak_rss_bytes", WHOLE, MEMBER(peak_rss_bytes), IN(MEMORY))                 \
    X(MEMORY, "memory.allowed", WHOLE, IN(MEMORY))                                                 \
    X(HELD, "memory.held", WHOLE, IN(MEMORY))                                                      \
    X(SCRATCH, "memory.scratch", WHOLE, IN(MEMORY), .row.label = "bytes in scratch files",         \
      WHEN("memory.scratch"))                                                                      \
    X(PANEL, "memory.columns", WHOLE, IN(MEMORY))                                                  \
    X(RANKS, "ranks", WHOLE, PLAIN)                                                                \
    X(SENT, "ranks.sent", WHOLE, PLAIN)                                                            \
    X(SENT_ROWS, "ranks.sent_rows", WHOLE, PLAIN)                                                  \
    X(HALO, "ranks.halo", WHOLE, PLAIN)

typedef enum {
#define BN_FACT_ID(id, path, type, ...) BN_FACT_##id,
    BN_FACTS(BN_FACT_ID)
#undef BN_FACT_ID
    BN_FACT_COUNT
} bn_fact_id;

/* Returns the value of a fact, or, if unknown, 0 or -1 by its row. */
double bn_fact(const bonsai_condense_info *i, bn_fact_id id);
int64_t bn_fact_whole(const bonsai_condense_info *i, bn_fact_id id);
double bn_fact_real(const bonsai_condense_info *i, bn_fact_id id);     /* NAN: not known */
bool bn_fact_known(const bonsai_condense_info *i, bn_fact_id id);
/* Returns a text; "" if unknown. */
const char *bn_fact_text(const bonsai_condense_info *i, bn_fact_id id);

/* Sets a fact; NAN, or a number below 0 where the row has -1, makes it unknown. */
void bn_fact_set(bonsai_condense_info *i, bn_fact_id id, double value);
/* Formats a text, cut to its room. */
void bn_fact_print(bonsai_condense_info *i, bn_fact_id id, const char *format, ...)
    BN_PRINTF(3, 4);

/* Copies the caller's struct, which may be smaller or larger; fails if it was not initialised. */
bonsai_status bn_info_read(bonsai_condense_info *out, const bonsai_condense_info *given);

/* Returns bytes as JSON: exact if whole; the paper's price need not be whole. */
bn_json *bn_bytes_json(double bytes);
/* Returns a fact as JSON of the metadata. */
bn_json *bn_fact_json(const bonsai_condense_info *i, bn_fact_id id);
/* Returns the facts of a group of the metadata, such as "cover". */
bn_json *bn_facts_json(const bonsai_condense_info *i, const char *group);
/* Reads the facts in the metadata; skips numbers that are too large to be exact. */
void bn_facts_read(bonsai_condense_info *i, const bn_json *root);

/* Returns the word of the options for an aim of the probe; NULL: no such aim. */
const char *bn_aim_word(int aim);

#endif
