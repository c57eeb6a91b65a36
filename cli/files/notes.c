/* notes.c -- notes about graphs: columns of features whose scales are far apart, and a split that
 * was drawn.
 *
 * SPDX-License-Identifier: MIT */
#include "files/graphs.h"
#include "opt/opt.h"
#include "output/text.h"

/* Finds unlike scales; not on several ranks, which do not read all features. */
static int find_scales(double *least, double *most, const bonsai_graph *g)
{
    return !calls.several && bonsai_graph_scales(least, most, g) == BONSAI_OK && *most > 0 &&
           *most >= BONSAI_SCALES_FAR * *least;
}

int is_unscaled(const bonsai_graph *g)
{
    double least, most;
    return find_scales(&least, &most, g);
}

void name_scaling(char *line, size_t size, const session *s, const char *path)
{
    char word[2 * MOST_PATH];
    text_word(word, sizeof word, path);
    snprintf(line, size, "bonsai convert %s scaled.bonsai --normalise columns", word);
    options_of_reading(line, size, s);
}

void note_scales(session *s, const bonsai_graph *g, const char *path)
{
    double least, most;
    char line[MOST_LINE];
    if (s->quiet || s->mute || s->scales_noted || !find_scales(&least, &most, g))
        return;
    s->scales_noted = 1;
    name_scaling(line, sizeof line, s, path);
    note(s, "%s has columns of features with standard deviations from %.2g to %.2g, so that a few "
         "columns decide all: %s makes a graph whose columns count alike; condense and train on "
         "that", path, least, most, line);
}

void note_drawn(session *s, const char *path, uint64_t seed)
{
    char word[2 * MOST_PATH], reading[MOST_LINE] = "";
    text_word(word, sizeof word, path);
    options_of_reading(reading, sizeof reading, s);
    note(s, "%s has no split: 60/20/20 was drawn; bonsai split %s -o split.bonsai --seed %llu%s draws the "
         "same", path, word, (unsigned long long)seed, reading);
}
