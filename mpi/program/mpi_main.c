/* mpi_main.c -- the program bonsai-mpi: the commands that run on several ranks.
 *
 * Every rank runs the same command with the same arguments and makes the same calls.  Only rank 0
 * prints and writes.  The ranks meet before each collective call, so that a rank that ended early,
 * or that is about to make another call, ends the others instead of leaving them waiting, and at the
 * end, so that all have the same exit code.
 *
 * SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bonsai_mpi.h"
#include "files/graphs.h"
#include "output/summary.h"
#include "output/text.h"
#include "results/condensed.h"

const command commands[] = {
    {"condense", cmd_condense, "make a small graph that trains like the large one", 1},
    {"info",     cmd_info,     "show what a graph holds", 1},
    {"check",    cmd_check,    "verify every byte and every rule of a graph", 1},
    {"generate", cmd_generate, "write a graph that looks like a citation network", 1},
    {"version",  cmd_version,  "print the version and how it was built", 1},
    {"help",     cmd_help,     "explain a command", 1},
    {NULL,       NULL,         NULL, 0},
};

static session here;
static int rank, ranks;
static int parted;              /* the exit code of all if a rank ended early; 0: none did */
static double memory[2];        /* peak memory of a rank: largest and mean */

typedef enum { ENDED, READ, VERIFY, CHECK, STATS, CONDENSE, GENERATE, AGREE } step;

static const char *const steps[] = {"end", "read", "verify", "check", "count", "condense",
                                    "generate", "write results"};

/* ---- meeting ------------------------------------------------------------- */

/* x = the largest of all ranks'.  A waiting rank leaves its core to the working ones. */
static void largest(int *x, int count)
{
    const struct timespec pause = {0, 200000};
    MPI_Request r = MPI_REQUEST_NULL;
    int done = 0;
    MPI_Iallreduce(MPI_IN_PLACE, x, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r);
    while (MPI_Test(&r, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        nanosleep(&pause, NULL);
}

/* The next call of a rank; ENDED: it ends with the exit code *code, which becomes that of all.
 * Otherwise fails with E_ARGUMENT and a sentence if another rank has ended, or makes another call
 * than rank 0. */
static bonsai_status meet(step next, int *code)
{
    char sentence[sizeof here.said + 64];
    const int ended = next == ENDED;
    int x[] = {ended, !ended, ended ? *code : 0, next, -(int)next, rank == 0 ? (int)next : -1};
    if (parted)
        return BONSAI_OK;
    largest(x, 6);
    if (ended)
        *code = x[2];
    if (x[3] == -x[4])
        return BONSAI_OK;
    parted = x[2] != EXIT_DONE ? x[2] : EXIT_FAILED;
    if (x[0])
        snprintf(sentence, sizeof sentence, "rank %d ended before the others: %s", rank,
                 *here.said ? here.said : "it was given other arguments");
    else
        snprintf(sentence, sizeof sentence, "rank %d was given another command or other options: "
                 "it runs \"%s\" and is about to %s while rank 0 is about to %s", rank,
                 here.command, steps[next], steps[x[5]]);
    const int differs = x[0] ? ended : (int)next != x[5];
    return bonsai_mpi_agree(differs ? BONSAI_E_ARGUMENT : BONSAI_OK, sentence, MPI_COMM_WORLD);
}

static bonsai_status go_on(step next)
{
    return meet(next, NULL);
}

/* ---- starting ------------------------------------------------------------ */

/* What launchers tell the processes that they start.  The tasks of Slurm come last: mpirun starts its
 * own daemons through srun, and their ranks inherit it.  SLURM_NTASKS tells nothing: a batch script
 * has it too. */
static const struct {
    const char *tasks, *number;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMI_SIZE", "PMI_RANK"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

static int number_in(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : 0;
}

/* The launcher of another MPI starts processes that do not find each other: each is alone, and would
 * do all the work and write the same file.  EXIT_DONE: that is not so. */
static int refuse_other_launcher(session *s)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int i = 0, length, most = sizeof launchers / sizeof *launchers;
    while (i < most && number_in(launchers[i].tasks) < 1)
        i++;
    if (ranks > 1 || i == most || number_in(launchers[i].tasks) < 2)
        return EXIT_DONE;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",:\n")] = 0;
    s->mute = number_in(launchers[i].number) > 0;
    return fail_with(s, "%s is %s, but the processes do not find each other: each would do all the work; "
                     "start them with the launcher of the MPI that bonsai-mpi was built with (%s), or "
                     "with another --mpi of srun (srun --mpi=list); for one process, unset %s",
                     launchers[i].tasks, getenv(launchers[i].tasks), library, launchers[i].tasks);
}

/* ---- working ------------------------------------------------------------- */

static bonsai_status read_own(bonsai_graph **out, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc = go_on(READ);
    return rc != BONSAI_OK ? rc : bonsai_mpi_read(out, path, o, MPI_COMM_WORLD);
}

static bonsai_status verify(const bonsai_graph *g, const bonsai_read_options *o)
{
    bonsai_status rc = go_on(VERIFY);
    return rc != BONSAI_OK ? rc : bonsai_mpi_verify(g, o, MPI_COMM_WORLD);
}

static bonsai_status check(const bonsai_graph *g, const bonsai_read_options *o)
{
    bonsai_status rc = go_on(CHECK);
    return rc != BONSAI_OK ? rc : bonsai_mpi_check(g, o, MPI_COMM_WORLD);
}

static bonsai_status stats(bonsai_stats *s, int64_t *class_counts, const bonsai_graph *g,
                           const bonsai_read_options *o)
{
    bonsai_status rc = go_on(STATS);
    return rc != BONSAI_OK ? rc : bonsai_mpi_stats(s, class_counts, g, o, MPI_COMM_WORLD);
}

static void measure_memory(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    double mine = (double)u.ru_maxrss * 1024;
    MPI_Allreduce(&mine, &memory[0], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &memory[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    memory[1] /= ranks;
}

static bonsai_status condense(bonsai_graph **out, bonsai_condense_info *info, const double *ratios,
                              int count, const bonsai_graph *g, const bonsai_condense_options *o)
{
    bonsai_status rc = go_on(CONDENSE);
    if (rc == BONSAI_OK)
        rc = bonsai_mpi_condense_many(out, info, ratios, count, g, o, MPI_COMM_WORLD);
    if (rc == BONSAI_OK)        /* a signal that came too late for the library still counts */
        rc = bonsai_mpi_agree(canceled_by() ? BONSAI_E_CANCELED : BONSAI_OK, "canceled",
                              MPI_COMM_WORLD);
    if (rc == BONSAI_OK)
        measure_memory();
    return rc;
}

static bonsai_status generate(bonsai_graph **out, session *s, const bonsai_generate_options *o,
                              const char *path)
{
    bonsai_status rc = go_on(GENERATE);
    if (rc == BONSAI_OK)
        rc = bonsai_mpi_generate(path, o, MPI_COMM_WORLD);
    return rc != BONSAI_OK ? rc : bonsai_mpi_read(out, path, &s->read, MPI_COMM_WORLD);
}

static bonsai_status agree(bonsai_status mine)
{
    bonsai_status rc = go_on(AGREE);
    return rc != BONSAI_OK ? rc : bonsai_mpi_agree(mine, NULL, MPI_COMM_WORLD);
}

static void summary_bytes(summary *r, const char *key, const char *label, double bytes)
{
    char text[32];
    text_bytes(text, sizeof text, bytes);
    summary_int(r, key, label, (int64_t)bytes);
    summary_note(r, "%s", text);
}

static void summary_ranks(summary *r, const bonsai_condense_info *i)
{
    summary_heading(r, "Ranks");
    summary_int(r, "ranks.count", "ranks", ranks);
    summary_int(r, "ranks.threads", "threads per rank", here.read.threads);
    summary_bytes(r, "ranks.sent", "bytes exchanged", fact(i, "ranks.sent"));
    summary_bytes(r, "ranks.sent_rows", "rows of embeddings", fact(i, "ranks.sent_rows"));
    summary_bytes(r, "ranks.halo", "minimum needed", fact(i, "ranks.halo"));
    summary_bytes(r, "ranks.peak_rss_max", "memory of a rank", memory[0]);
    summary_bytes(r, "ranks.peak_rss_mean", "on average", memory[1]);
}

/* Open MPI makes the output of every rank a terminal of its own: whether a person reads it, the output
 * of mpirun tells, which is the parent of a rank on its machine. */
static int is_read_by_people(void)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%ld/fd/1", (long)getppid());
    const int device = stat(path, &st) == 0 && S_ISCHR(st.st_mode);
    const int out = device ? open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK) : -1;
    const int terminal = out >= 0 && isatty(out);
    if (out >= 0)
        close(out);
    return terminal;
}

const process_calls calls = {
    .program = "bonsai-mpi",
    .examples = "  mpirun -n 8 bonsai-mpi generate -o graph.bonsai --nodes 1000000\n"
                "  mpirun -n 8 bonsai-mpi condense graph.bonsai -o small.bonsai --ratio 0.01\n"
                "  mpirun -n 8 --bind-to none bonsai-mpi check graph.bonsai -t 4\n",
    .read = read_own,
    .verify = verify,
    .check = check,
    .stats = stats,
    .condense = condense,
    .generate = generate,
    .agree = agree,
    .more = summary_ranks,
    .suggest = suggest_graph,
    .several = 1,
};

int main(int argc, char **argv)
{
    int level;
    program_begin(&here);
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return fail_with(&here, "MPI could not be started");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    here.mute = rank != 0;
    here.progress.quiet = here.mute;
    if (!is_read_by_people())
        here.people = -1;
    setenv("NO_COLOR", "1", 1);
    if (here.mute && !freopen("/dev/null", "w", stdout))
        fclose(stdout);
    here.read.threads = bonsai_mpi_threads(MPI_COMM_WORLD);
    int code = refuse_other_launcher(&here);
    if (code == EXIT_DONE)
        code = program_run(&here, argc, argv);
    meet(ENDED, &code);
    signal(SIGTERM, SIG_IGN);   /* mpirun sends it to all when one fails */
    MPI_Finalize();
    return parted ? parted : code;
}
