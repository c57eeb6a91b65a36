/* catalogue.c -- the datasets that bonsai fetch knows.
 *
 * Sizes and checksums are those of the published files; unknown ones are left
 * open, not guessed.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "fetch.h"

static const dataset_file cora[] = {
    {"ind.cora.x", "ind.cora.x", 22119,
     "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"},
    {"ind.cora.tx", "ind.cora.tx", 148025,
     "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"},
    {"ind.cora.allx", "ind.cora.allx", 257305,
     "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"},
    {"ind.cora.y", "ind.cora.y", 4054,
     "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"},
    {"ind.cora.ty", "ind.cora.ty", 28135,
     "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"},
    {"ind.cora.ally", "ind.cora.ally", 47959,
     "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"},
    {"ind.cora.graph", "ind.cora.graph", 59847,
     "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"},
    {"ind.cora.test.index", "ind.cora.test.index", 5000,
     "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"},
    {NULL, NULL, 0, NULL},
};

static const dataset_file citeseer[] = {
    {"ind.citeseer.x", "ind.citeseer.x", 31087,
     "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6"},
    {"ind.citeseer.tx", "ind.citeseer.tx", 260321,
     "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"},
    {"ind.citeseer.allx", "ind.citeseer.allx", 595021,
     "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"},
    {"ind.citeseer.y", "ind.citeseer.y", 3014,
     "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924"},
    {"ind.citeseer.ty", "ind.citeseer.ty", 24135,
     "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"},
    {"ind.citeseer.ally", "ind.citeseer.ally", 55623,
     "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"},
    {"ind.citeseer.graph", "ind.citeseer.graph", 61987,
     "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"},
    {"ind.citeseer.test.index", "ind.citeseer.test.index", 5000,
     "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"},
    {NULL, NULL, 0, NULL},
};

static const dataset_file pubmed[] = {
    {"ind.pubmed.x", "ind.pubmed.x", 23172,
     "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33"},
    {"ind.pubmed.tx", "ind.pubmed.tx", 405505,
     "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d"},
    {"ind.pubmed.allx", "ind.pubmed.allx", 7578385,
     "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e"},
    {"ind.pubmed.y", "ind.pubmed.y", 854,
     "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3"},
    {"ind.pubmed.ty", "ind.pubmed.ty", 12135,
     "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd"},
    {"ind.pubmed.ally", "ind.pubmed.ally", 224739,
     "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e"},
    {"ind.pubmed.graph", "ind.pubmed.graph", 471808,
     "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9"},
    {"ind.pubmed.test.index", "ind.pubmed.test.index", 6000,
     "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5"},
    {NULL, NULL, 0, NULL},
};

static const dataset_file photo[] = {
    {"amazon_electronics_photo.npz", "amazon_photo.npz", -1, NULL},
    {NULL, NULL, 0, NULL},
};

static const dataset_file computers[] = {
    {"amazon_electronics_computers.npz", "amazon_computers.npz", -1, NULL},
    {NULL, NULL, 0, NULL},
};

static const dataset_file science[] = {
    {"ms_academic_cs.npz", "coauthor_cs.npz", -1, NULL},
    {NULL, NULL, 0, NULL},
};

static const dataset_file physics[] = {
    {"ms_academic_phy.npz", "coauthor_physics.npz", -1, NULL},
    {NULL, NULL, 0, NULL},
};

static const dataset_file flickr[] = {
    {"1crmsTbd1-2sEXsGwa2IKnIB7Zd3TmUsy&confirm=t", "flickr/adj_full.npz", -1, NULL},
    {"1join-XdvX3anJU_MLVtick7MgeAQiWIZ&confirm=t", "flickr/feats.npy", -1, NULL},
    {"1uxIkbtg5drHTsKt-PAsZZ4_yJmgFmle9&confirm=t", "flickr/class_map.json", -1, NULL},
    {"1htXCtuktuCW8TR8KiKfrFDAxUgekQoV7&confirm=t", "flickr/role.json", -1, NULL},
    {NULL, NULL, 0, NULL},
};

static const dataset_file reddit[] = {
    {"1sncK996BM5lpuDf75lDFqCiDZyErc1c2&confirm=t", "reddit/adj_full.npz", -1, NULL},
    {"1ZsHaJ0ussP1W722krmEIp_8pwKAoi5b3&confirm=t", "reddit/feats.npy", -1, NULL},
    {"1JF3Pjv9OboMNYs2aXRQGbJbc4t_nDd5u&confirm=t", "reddit/class_map.json", -1, NULL},
    {"1nJIKd77lcAGU4j-kVNx_AIGEkveIKz3A&confirm=t", "reddit/role.json", -1, NULL},
    {NULL, NULL, 0, NULL},
};

static const dataset_file arxiv[] = {
    {"arxiv.zip", "ogbn_arxiv.zip", -1, NULL},
    {NULL, NULL, 0, NULL},
};

static const dataset_file products[] = {
    {"products.zip", "ogbn_products.zip", -1, NULL},
    {NULL, NULL, 0, NULL},
};

/* The page and the address. */
#define PLANETOID "https://github.com/kimiyoung/planetoid", \
                  "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data/"
#define BENCHMARK "https://github.com/shchur/gnn-benchmark", \
                  "https://github.com/shchur/gnn-benchmark/raw/master/data/npz/"
#define SAINT     "https://github.com/GraphSAINT/GraphSAINT", \
                  "https://drive.usercontent.google.com/download?id="
#define OGB       "https://ogb.stanford.edu/docs/nodeprop/", \
                  "https://snap.stanford.edu/ogb/data/nodeproppred/"

#define YANG  "Yang, Cohen, Salakhutdinov: Revisiting Semi-Supervised Learning with Graph " \
              "Embeddings, ICML 2016"
#define SHCHUR "Shchur, Mumme, Bojchevski, Guennemann: Pitfalls of Graph Neural Network " \
               "Evaluation, 2018"
#define ZENG  "Zeng, Zhou, Srivastava, Kannan, Prasanna: GraphSAINT: Graph Sampling Based " \
              "Inductive Learning Method, ICLR 2020"
#define HU    "Hu and others: Open Graph Benchmark: Datasets for Machine Learning on Graphs, " \
              "NeurIPS 2020"

const dataset datasets[] = {
    {"cora", "papers that cite each other", 2708, 10556, PLANETOID, cora, "ind.cora", NULL, -1,
     "MIT (repository)", YANG},
    {"citeseer", "papers that cite each other", 3327, 9104, PLANETOID, citeseer, "ind.citeseer",
     NULL, -1, "MIT (repository)", YANG},
    {"pubmed", "papers on diabetes that cite each other", 19717, 88648, PLANETOID, pubmed,
     "ind.pubmed", NULL, -1, "MIT (repository)", YANG},
    {"amazon-photo", "goods bought together", 7650, 238162, BENCHMARK, photo, "amazon_photo.npz",
     NULL, -1, "MIT (repository)", SHCHUR},
    {"amazon-computers", "goods bought together", 13752, 491722, BENCHMARK, computers,
     "amazon_computers.npz", NULL, -1, "MIT (repository)", SHCHUR},
    {"coauthor-cs", "authors who wrote together", 18333, 163788, BENCHMARK, science,
     "coauthor_cs.npz", NULL, -1, "MIT (repository)", SHCHUR},
    {"coauthor-physics", "authors who wrote together", 34493, 495924, BENCHMARK, physics,
     "coauthor_physics.npz", NULL, -1, "MIT (repository)", SHCHUR},
    {"flickr", "pictures with common properties", 89250, 899756, SAINT, flickr, "flickr", NULL, -1,
     NULL, ZENG},
    {"reddit", "posts that the same people commented", 232965, 23213838, SAINT, reddit, "reddit",
     NULL, -1, NULL, ZENG},
    {"ogbn-arxiv", "papers that cite each other", 169343, 2315598, OGB, arxiv, "ogbn_arxiv",
     "arxiv", 81000000, "ODC-BY", HU},
    {"ogbn-products", "goods bought together", 2449029, 123718280, OGB, products, "ogbn_products",
     "products", 1380000000, "Amazon", HU},
    {NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL},
};

static int alike(char a, char b)
{
    return tolower((unsigned char)(a == '_' ? '-' : a)) == b;
}

const dataset *dataset_find(const char *name)
{
    for (const dataset *d = datasets; d->name; d++) {
        size_t i = 0;
        while (name[i] && d->name[i] && alike(name[i], d->name[i]))
            i++;
        if (!name[i] && !d->name[i])
            return d;
    }
    return NULL;
}

const char *dataset_nearest(const char *name)
{
    const char *names[sizeof datasets / sizeof *datasets];
    int count = 0;
    for (const dataset *d = datasets; d->name; d++)
        names[count++] = d->name;
    return text_nearest(name, names, count);
}

int64_t dataset_bytes(const dataset *d)
{
    int64_t sum = 0;
    for (const dataset_file *f = d->files; f->name; f++) {
        if (f->bytes < 0)
            return -1;
        sum += f->bytes;
    }
    return sum;
}

int dataset_is_verified(const dataset *d)
{
    for (const dataset_file *f = d->files; f->name; f++)
        if (!f->sha256)
            return 0;
    return 1;
}
