/* fuzz_cells.c -- fuzzes the file that compare and paper resume from.
 *
 * The lowest bit of the first byte tells whether it is compare's (0) or paper's (1), whose cells
 * have more; the rest is the file.  What was read is written again cell by cell, and must be read
 * back.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/cells.h"
#include "fuzz.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.head = 1, .files = 1, .separator = -1, .last_bare = true};

const process_calls calls = {.program = "bonsai"};
const command commands[] = {{.name = NULL}};

enum { CELLS = 4, RUNS = 5, CLASSES = 3 };

static const char *const names[] = {"strict", "paper"};

static double accuracies[CELLS][RUNS], recall[CELLS][CLASSES];

static void ask(cellfile *f, bonsai_cell *cells, session *s, bool paper)
{
    const char *of = paper ? "paper" : "compare";
    char key[32];
    memset(cells, 0, CELLS * sizeof *cells);
    for (int i = 0; i < CELLS; i++)
        cells[i] = (bonsai_cell){.size = sizeof *cells, .method = BONSAI_METHOD_RANDOM,
                                 .ratio = 0.1 * (i + 1), .setting = i % 2,
                                 .accuracies = accuracies[i], .recall = recall[i]};
    cells[0].method = -1;
    cells[3].study = BONSAI_STUDY_GRADIENT;
    snprintf(key, sizeof key, "bonsai_%s", of);
    *f = (cellfile){.s = s, .command = of, .place = "file", .path = fuzz_path("cells"),
                    .cells = cells, .count = CELLS, .runs = RUNS, .classes = CLASSES,
                    .settings = paper ? names : NULL,
                    .heading = bn_json_pack("{s:s,s:{s:i},s:{s:i}}", key, "1.0", "graph", "nodes",
                                            5, "options", "epochs", 9)};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static session s;
    bonsai_cell cells[CELLS];
    cellfile f;
    if (size < 1 || size > MUTATE_ROOM)
        return 0;
    memset(&s, 0, sizeof s);
    s.command = "";
    s.mute = 1;
    fuzz_file("cells", data + 1, size - 1);
    ask(&f, cells, &s, data[0] & 1);
    if (cellfile_open(&f) == EXIT_DONE) {
        for (int i = 0; i < CELLS && cells[i].done; i++)
            cellfile_keep(&cells[i], &f);
        cellfile_close(&f);
        ask(&f, cells, &s, data[0] & 1);
        if (cellfile_open(&f) != EXIT_DONE) {
            fprintf(stderr, "what was written cannot be read: %s\n", s.said);
            abort();
        }
    } else if (!*s.said) {
        abort();
    }
    cellfile_close(&f);
    return 0;
}
