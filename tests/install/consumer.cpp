// consumer.cpp -- the installed library from C++11, with an owning pointer.
//
// SPDX-License-Identifier: MIT
#include <bonsai.h>

#include <cstdio>
#include <memory>

struct Free {
    void operator()(bonsai_graph *g) const { bonsai_graph_free(g); }
};

int main()
{
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = 2;
    const int32_t source[] = {0}, target[] = {1};
    bonsai_graph *raw = nullptr;
    if (bonsai_graph_build(&raw, &v, 1, source, target, nullptr, nullptr)) {
        std::fprintf(stderr, "%s\n", bonsai_error());
        return 1;
    }
    std::unique_ptr<bonsai_graph, Free> g(raw);
    return bonsai_graph_edges(g.get()) == 2 ? 0 : 1;
}
