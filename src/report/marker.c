/* marker.c -- marks of classes: each has a shape of its own beside its colour, for those who cannot
 * tell the colours apart.
 *
 * SPDX-License-Identifier: MIT */
#include "draw.h"

typedef struct { double x, y; } corner;

/* Corners for a radius of 1; all cover about as much as the circle of that radius. */
static const corner square[] = {{-0.89, -0.89}, {0.89, -0.89}, {0.89, 0.89}, {-0.89, 0.89}};
static const corner up[] = {{0, -1.5}, {1.35, 0.8}, {-1.35, 0.8}};
static const corner diamond[] = {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}};
static const corner down[] = {{0, 1.5}, {1.35, -0.8}, {-1.35, -0.8}};
static const corner plus[] = {{-0.4, -1.25}, {0.4, -1.25}, {0.4, -0.4}, {1.25, -0.4}, {1.25, 0.4},
                              {0.4, 0.4}, {0.4, 1.25}, {-0.4, 1.25}, {-0.4, 0.4}, {-1.25, 0.4},
                              {-1.25, -0.4}, {-0.4, -0.4}};
static const corner star[] = {{0, -1.6}, {0.4, -0.53}, {1.52, -0.49}, {0.63, 0.2}, {0.94, 1.29},
                              {0, 0.66}, {-0.94, 1.29}, {-0.63, 0.2}, {-1.52, -0.49},
                              {-0.4, -0.53}};
static const corner hexagon[] = {{-1.1, 0}, {-0.55, -0.95}, {0.55, -0.95}, {1.1, 0}, {0.55, 0.95},
                                 {-0.55, 0.95}};
static const corner cross[] = {{0, -0.57}, {0.6, -1.17}, {1.17, -0.6}, {0.57, 0}, {1.17, 0.6},
                               {0.6, 1.17}, {0, 0.57}, {-0.6, 1.17}, {-1.17, 0.6}, {-0.57, 0},
                               {-1.17, -0.6}, {-0.6, -1.17}};

#define SHAPE(corners) {corners, sizeof corners / sizeof *(corners)}
static const struct { const corner *at; int count; } shapes[BN_COLOURS] = {
    {NULL, 0}, SHAPE(square), SHAPE(up), SHAPE(diamond), SHAPE(down), SHAPE(plus), SHAPE(star),
    SHAPE(hexagon), SHAPE(cross), {NULL, 0}};   /* none: a circle */

void bn_put_marker(bn_page *p, int colour, double radius)
{
    const int shape = colour >= 0 && colour < BN_COLOURS ? colour : 0;
    char x[48], y[48];
    bn_fixed(x, radius, 1, false);
    if (!shapes[shape].at) {
        bn_putf(p, "<circle r=\"%s\"/>", x);
        return;
    }
    bn_put(p, "<path d=\"");
    for (int i = 0; i < shapes[shape].count; i++) {
        const corner *c = &shapes[shape].at[i];
        bn_plain(x, radius * c->x);
        bn_plain(y, radius * c->y);
        bn_putf(p, "%s%s %s", i ? "L" : "M", x, y);
    }
    bn_put(p, "z\"/>");
}

void bn_put_key(bn_page *p, int colour)
{
    bn_putf(p, "<svg class=\"mark-of k%d\" viewBox=\"-8 -8 16 16\" aria-hidden=\"true\">", colour);
    bn_put_marker(p, colour, 5);
    bn_put(p, "</svg>");
}
