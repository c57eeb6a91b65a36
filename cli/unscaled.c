/* unscaled.c -- a note about columns of features whose scales are far apart.
 *
 * SPDX-License-Identifier: MIT */
#include "cli.h"

enum { FAR = 1000 };

void note_scales(session *s, const bonsai_graph *g, const char *path)
{
    double least, most;
    if (s->quiet || s->mute || crew.several ||
        bonsai_graph_scales(&least, &most, g) != BONSAI_OK || most < FAR * least || most <= 0)
        return;
    note(s, "%s has columns of features with standard deviations from %.2g to %.2g, so that a few "
         "columns decide all: train with --standardise train, or better, divide each column by its "
         "own before", path, least, most);
}
