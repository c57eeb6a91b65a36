/* known.c -- lists public datasets, and recognises them by their sizes.
 *
 * Edges are entries as readers leave them: both directions, without loops, merged.
 *
 * SPDX-License-Identifier: MIT */
#include "graph.h"

#define OWN_SIZE sizeof(bonsai_known)

static const bonsai_known known[BN_KNOWN_COUNT] = {
    [BN_KNOWN_CORA] = {OWN_SIZE, "cora", "Cora", 2708, 10556, 1433, 7},
    [BN_KNOWN_CITESEER] = {OWN_SIZE, "citeseer", "CiteSeer", 3327, 9104, 3703, 6},
    [BN_KNOWN_PUBMED] = {OWN_SIZE, "pubmed", "PubMed", 19717, 88648, 500, 3},
    [BN_KNOWN_FLICKR] = {OWN_SIZE, "flickr", "Flickr", 89250, 899756, 500, 7},
    [BN_KNOWN_ARXIV] = {OWN_SIZE, "ogbn-arxiv", "ogbn-arxiv", 169343, 2315598, 128, 40},
    [BN_KNOWN_REDDIT] = {OWN_SIZE, "reddit", "Reddit", 232965, 23213838, 602, 41},
    [BN_KNOWN_MAG240M] = {OWN_SIZE, "mag240m", "MAG240M (labelled papers)", 1398159, 26434726, 768,
                          153},
    [BN_KNOWN_PHOTO] = {OWN_SIZE, "amazon-photo", "Amazon Photo", 7650, 238162, 745, 8},
    [BN_KNOWN_ARXIV_22K] = {OWN_SIZE, "ogbn-arxiv-sub22k", "ogbn-arxiv (22k nodes)", 22541, 194964,
                            128, 40},
};

const bonsai_known *bonsai_known_at(int i)
{
    return i >= 0 && i < BN_KNOWN_COUNT ? &known[i] : NULL;
}

const bonsai_known *bonsai_graph_known(const bonsai_graph *g)
{
    const bonsai_view *v = &g->view;
    for (int i = 0; i < BN_KNOWN_COUNT; i++)
        if (v->nodes == known[i].nodes && bonsai_graph_edges(g) == known[i].edges &&
            v->features == known[i].features && v->classes == known[i].classes)
            return &known[i];
    return NULL;
}
