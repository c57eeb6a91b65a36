/* unscaled.c -- columns of features whose scales are far apart: a note about them.
 *
 * SPDX-License-Identifier: MIT */
#include "cli.h"

enum { FAR = 1000 };

/* Several ranks do not read all features of a graph. */
static int find_scales(double *least, double *most, const bonsai_graph *g)
{
    return !crew.several && bonsai_graph_scales(least, most, g) == BONSAI_OK && *most > 0 &&
           *most >= FAR * *least;
}

int is_unscaled(const bonsai_graph *g)
{
    double least, most;
    return find_scales(&least, &most, g);
}

void note_scales(session *s, const bonsai_graph *g, const char *path)
{
    double least, most;
    if (s->quiet || s->mute || !find_scales(&least, &most, g))
        return;
    note(s, "%s has columns of features with standard deviations from %.2g to %.2g, so that a few "
         "columns decide all: train with --standardise train, or better, divide each column by its "
         "own before", path, least, most);
}
