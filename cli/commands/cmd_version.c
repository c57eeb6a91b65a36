/* cmd_version.c -- bonsai version: what is running and how it was built.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "opt/opt.h"
#include "output/summary.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#ifdef BONSAI_WITH_OPENMP
#define THREADS "OpenMP"
#else
#define THREADS "none: built without OpenMP"
#endif

/* What may be missing in a build, and what it is for. */
static const struct {
    const char *key, *label, *use;
    int         there;
} parts[] = {
#ifdef BONSAI_WITH_METIS
    {"metis", "METIS", "bonsai convert --order metis", 1},
#else
    {"metis", "METIS", "bonsai convert --order metis", 0},
#endif
#ifdef BONSAI_WITH_CURL
    {"curl", "libcurl", "bonsai fetch", 1},
#else
    {"curl", "libcurl", "bonsai fetch", 0},
#endif
#ifdef BONSAI_WITH_MPI
    {"mpi", "MPI", "bonsai-mpi", 1},
#else
    {"mpi", "MPI", "bonsai-mpi", 0},
#endif
};

int cmd_version(session *s, int argc, char **argv)
{
    const opt_spec spec = {
        .usage = "version [--json]",
        .about = "Prints the version, the instruction set in use, how it was built, and which\n"
                 "optional parts are in it.",
        .args = "",
        .shared = OPT_JSON,
    };
    summary r = {.count = 0};
    int code = opt_parse(s, &spec, argc, argv);
    if (code != OPT_GO)
        return code;
    if (strcmp(bonsai_version(), BONSAI_VERSION) != 0)
        note(s, "this program was built for version %s of the library", BONSAI_VERSION);
    summary_text(&r, "version", "bonsai", bonsai_version());
    summary_text(&r, "isa", "inner loops", bonsai_isa());
    summary_text(&r, "threads", "threads", THREADS);
    summary_text(&r, "compiler", "compiler", COMPILER);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        summary_text(&r, parts[i].key, parts[i].label, parts[i].there ? "yes" : "no");
        summary_note(&r, "for %s", parts[i].use);
    }
    return summary_print(&r, s);
}
