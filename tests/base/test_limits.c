/* test_limits.c -- under any limit of memory or threads a call succeeds or fails with a sentence: it
 * neither hangs nor ends the process.
 *
 * Calls under a limit run in a process of their own, which is this program with arguments.  For the
 * limit of threads this program wraps pthread_create.  Sanitizers reserve terabytes and wrap it too:
 * with one, all but the arithmetic is skipped.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "testing.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch.h"
#include "sanitized.h"

enum { MEGABYTE = 1 << 20, REFUSED = 3, WRONG = 4 };

/* ---- control groups ---- */

static void put(const char *folder, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_text(path, text);
}

static const char *folder_of(char *path, const char *name)
{
    snprintf(path, 500, "%s", temp_path(name));
    assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
    return path;
}

static void groups_and_their_parents_limit_memory(void **state)
{
    char top[500], job[500], self[600];
    int64_t most, left;
    (void)state;
    folder_of(top, "group");
    folder_of(job, "group/job");
    snprintf(self, sizeof self, "%s/self", top);
    put(top, "self", "0::/job/step\n");
    bn_memory_group(&most, &left, self, top);
    assert_true(most == INT64_MAX && left == INT64_MAX);
    put(job, "memory.max", "max\n");
    put(job, "memory.current", "500\n");
    put(top, "memory.max", "1000\n");
    put(top, "memory.current", "700\n");
    bn_memory_group(&most, &left, self, top);
    assert_true(most == 1000 && left == 300);
    put(job, "memory.max", "600\n");
    bn_memory_group(&most, &left, self, top);
    assert_true(most == 600 && left == 100);
    put(job, "memory.stat", "anon 1\nfile 450\ninactive_file 400\n");    /* can be taken back */
    bn_memory_group(&most, &left, self, top);
    assert_true(most == 600 && left == 300);
    put(job, "memory.max", "400\n");
    put(job, "memory.stat", "inactive_file 0\n");
    bn_memory_group(&most, &left, self, top);
    assert_true(most == 400 && left == 0);
}

static void groups_of_the_older_kind_limit_memory(void **state)
{
    char top[500], memory[500], job[500], self[600];
    int64_t most, left;
    (void)state;
    folder_of(top, "older");
    folder_of(memory, "older/memory");
    folder_of(job, "older/memory/job");
    snprintf(self, sizeof self, "%s/self", top);
    put(top, "self", "9:name=systemd:/job\n4:cpu,memory:/job\n3:memoryless:/\n0::/\n");
    put(memory, "memory.limit_in_bytes", "9223372036854771712\n");
    put(memory, "memory.usage_in_bytes", "5\n");
    put(job, "memory.limit_in_bytes", "2000\n");
    put(job, "memory.usage_in_bytes", "1500\n");
    put(job, "memory.stat", "inactive_file 7\ntotal_inactive_file 100\n");
    bn_memory_group(&most, &left, self, top);
    assert_true(most == 2000 && left == 600);
    bn_memory_group(&most, &left, "/nowhere/self", top);
    assert_true(most == INT64_MAX && left == INT64_MAX);
}

static void groups_and_their_parents_limit_processors(void **state)
{
    char top[500], job[500], self[600];
    (void)state;
    folder_of(top, "cpu");
    folder_of(job, "cpu/job");
    snprintf(self, sizeof self, "%s/self", top);
    put(top, "self", "0::/job/step\n");
    assert_true(bn_cores_group(self, top) == INT64_MAX);
    put(job, "cpu.max", "max 100000\n");
    assert_true(bn_cores_group(self, top) == INT64_MAX);
    put(top, "cpu.max", "800000 100000\n");
    assert_int_equal(bn_cores_group(self, top), 8);
    put(job, "cpu.max", "250000 100000\n");
    assert_int_equal(bn_cores_group(self, top), 3);
    put(job, "cpu.max", "1000 100000\n");
    assert_int_equal(bn_cores_group(self, top), 1);
    put(job, "cpu.max", "1000\n");
    assert_int_equal(bn_cores_group(self, top), 8);
    assert_true(bn_cores_group("/nowhere/self", top) == INT64_MAX);
}

static void groups_of_the_older_kind_limit_processors(void **state)
{
    char top[500], cpu[500], job[500], self[600];
    (void)state;
    folder_of(top, "oldcpu");
    folder_of(cpu, "oldcpu/cpu");
    folder_of(job, "oldcpu/cpu/job");
    snprintf(self, sizeof self, "%s/self", top);
    put(top, "self", "5:cpuset:/other\n4:cpu,cpuacct:/job\n0::/\n");
    put(cpu, "cpu.cfs_quota_us", "-1\n");
    put(cpu, "cpu.cfs_period_us", "100000\n");
    assert_true(bn_cores_group(self, top) == INT64_MAX);
    put(job, "cpu.cfs_quota_us", "150000\n");
    put(job, "cpu.cfs_period_us", "50000\n");
    assert_int_equal(bn_cores_group(self, top), 3);
    put(cpu, "cpu.cfs_quota_us", "100001\n");
    assert_int_equal(bn_cores_group(self, top), 2);
}

static void the_user_and_batch_systems_lower_the_number_of_threads(void **state)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK", "NCPUS",
                                        "LSB_DJOB_NUMPROC", "NSLOTS"};
    enum { NAMES = sizeof names / sizeof *names };
    (void)state;
    for (int i = 0; i < NAMES; i++)
        unsetenv(names[i]);
    assert_true(bn_cores_job() == INT64_MAX);
    const int all = bn_threads(0);
    for (int i = 0; i < NAMES; i++) {
        setenv(names[i], "7", 1);
        assert_int_equal(bn_cores_job(), 7);
        setenv(names[i], "1", 1);
        assert_int_equal(bn_threads(0), 1);
        assert_int_equal(bn_threads(3), 3);     /* what a call asks for counts */
        setenv(names[i], "4096", 1);
        assert_int_equal(bn_threads(0), all);   /* never more */
        setenv(names[i], "many", 1);
        assert_int_equal(bn_threads(0), all);
    }
    setenv("NSLOTS", "2", 1);
    setenv("NCPUS", "5", 1);
    assert_int_equal(bn_cores_job(), 2);
    for (int i = 0; i < NAMES; i++)
        unsetenv(names[i]);
}

static void slurm_says_how_much_memory_a_job_has(void **state)
{
    static const char *const names[] = {"SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU",
                                        "SLURM_CPUS_ON_NODE", "SLURM_CPUS_PER_TASK"};
    (void)state;
    for (int i = 0; i < 4; i++)
        unsetenv(names[i]);
    const int64_t all = bn_memory_all();
    assert_true(bn_memory_job(1) == INT64_MAX);
    setenv("SLURM_MEM_PER_CPU", "100", 1);
    assert_int_equal(bn_memory_job(1), (int64_t)100 * MEGABYTE);
    setenv("SLURM_CPUS_PER_TASK", "4", 1);          /* of each process, however many there are */
    assert_int_equal(bn_memory_job(1), (int64_t)400 * MEGABYTE);
    assert_int_equal(bn_memory_job(3), (int64_t)400 * MEGABYTE);
    setenv("SLURM_CPUS_ON_NODE", "12", 1);          /* of all of them */
    assert_int_equal(bn_memory_job(1), (int64_t)1200 * MEGABYTE);
    assert_int_equal(bn_memory_job(3), (int64_t)400 * MEGABYTE);
    setenv("SLURM_MEM_PER_NODE", "3000", 1);        /* goes before that of a processor */
    assert_int_equal(bn_memory_job(3), (int64_t)1000 * MEGABYTE);
    setenv("SLURM_MEM_PER_NODE", "4G", 1);          /* with a unit, as in sbatch --mem */
    assert_int_equal(bn_memory_job(1), (int64_t)4096 * MEGABYTE);
    setenv("SLURM_MEM_PER_NODE", "2048k", 1);
    assert_int_equal(bn_memory_job(1), (int64_t)2 * MEGABYTE);
    setenv("SLURM_MEM_PER_NODE", "1T", 1);
    assert_int_equal(bn_memory_job(4), (int64_t)256 * 1024 * MEGABYTE);
    setenv("SLURM_MEM_PER_NODE", "4 parsecs", 1);   /* no size: that of a processor counts */
    assert_int_equal(bn_memory_job(3), (int64_t)400 * MEGABYTE);
    setenv("SLURM_MEM_PER_CPU", "1G", 1);
    assert_int_equal(bn_memory_job(3), (int64_t)4096 * MEGABYTE);
    setenv("SLURM_MEM_PER_NODE", "0", 1);           /* all of the machine */
    unsetenv("SLURM_MEM_PER_CPU");
    assert_true(bn_memory_job(1) == INT64_MAX);
    setenv("SLURM_MEM_PER_NODE", "64", 1);
    assert_int_equal(bn_memory_all(), bn_least(all, (int64_t)64 * MEGABYTE));
    assert_true(bn_memory_free() < (int64_t)64 * MEGABYTE);
    setenv("SLURM_MEM_PER_NODE", "1", 1);           /* less than the process has already */
    assert_int_equal(bn_memory_free(), 0);
    setenv("SLURM_MEM_PER_NODE", "9223372036854775807", 1);
    assert_true(bn_memory_job(1) == INT64_MAX);
    for (int i = 0; i < 4; i++)
        unsetenv(names[i]);
}

#ifndef SANITIZED

/* ---- threads ---- */

static int most_threads;        /* of this process; 0: any number */

static int live_threads(void)
{
    struct stat s;
    return stat("/proc/self/task", &s) == 0 ? (int)s.st_nlink - 2 : 0;
}

__attribute__((visibility("default")))          /* or the libraries would not see it */
int pthread_create(pthread_t *thread, const pthread_attr_t *a, void *(*run)(void *), void *payload)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    return most_threads > 0 && live_threads() >= most_threads ? EAGAIN
                                                              : next(thread, a, run, payload);
}

static int team_of(int threads)
{
    int seen = 0;
    (void)bn_threads(threads);
#pragma omp parallel num_threads(bn_team(threads, INFINITY))
    {
#pragma omp atomic
        seen++;
    }
    return seen;
}

static void a_team_is_as_large_as_its_work_pays_for(void **state)
{
    (void)state;
    if (team_of(2) == 1)        /* built without OpenMP */
        skip();
    bn_team_work(1000);
    assert_int_equal(bn_team(8, 0), 1);
    assert_int_equal(bn_team(8, 1999), 1);
    assert_int_equal(bn_team(8, (double)NAN), 1);
    assert_int_equal(bn_team(8, 2000), 2);
    assert_int_equal(bn_team(8, 5500), 5);
    assert_int_equal(bn_team(8, 2000), 5);      /* they are ready */
    assert_int_equal(bn_team(8, 1999), 1);
    assert_int_equal(bn_team(3, 9000), 3);
    assert_int_equal(bn_team(8, INFINITY), 8);
    bn_team_work(1e-9);
    assert_int_equal(team_of(8), 8);            /* what bn_team believes to be kept is there */
}

static void a_team_has_the_threads_that_start(void **state)
{
    (void)state;
    if (team_of(2) == 1)        /* built without OpenMP */
        skip();
    int others = live_threads() - 2;
    most_threads = others + 4;
    int team = team_of(8);
    assert_true(team >= 2 && team <= 4);
    assert_int_equal(team_of(2), 2);
    most_threads = live_threads();
    assert_true(team_of(8) <= 2);
    most_threads = 0;
    assert_int_equal(team_of(8), 8);
    assert_int_equal(team_of(2), 2);            /* OpenMP ends the others */
    most_threads = others + 5;
    assert_true(team_of(8) < 6);
    most_threads = 0;
    assert_int_equal(team_of(5), 5);
}

static void a_call_without_its_threads_gives_the_same(void **state)
{
    bonsai_graph *g = NULL, *small[2] = {NULL, NULL};
    bonsai_generate_options o;
    bonsai_condense_options c;
    char text[2][32];
    (void)state;
    bonsai_generate_options_init(&o);
    o.nodes = 1500;
    o.features = 40;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    bonsai_condense_options_init(&c);
    c.ratio = 0.05;
    c.threads = 16;
    for (int i = 0; i < 2; i++) {
        most_threads = i ? live_threads() + 1 : 0;
        assert_int_equal(bonsai_condense(&small[i], NULL, g, &c), BONSAI_OK);
        most_threads = 0;
        snprintf(text[i], sizeof text[i], "%lld/%lld", (long long)bonsai_graph_nodes(small[i]),
                 (long long)bonsai_graph_edges(small[i]));
    }
    assert_string_equal(text[0], text[1]);
    bonsai_graph_free(small[0]);
    bonsai_graph_free(small[1]);
    bonsai_graph_free(g);
}

/* ---- calls under a limit of memory ---- */

static char graph_path[600], small_path[600], model_path[600];

static void find_paths(const char *folder)
{
    snprintf(graph_path, sizeof graph_path, "%s/g.bonsai", folder);
    snprintf(small_path, sizeof small_path, "%s/s.bonsai", folder);
    snprintf(model_path, sizeof model_path, "%s/m.bonsai", folder);
}

static bonsai_status condense(const bonsai_graph *g, int threads)
{
    bonsai_graph *small = NULL;
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.ratio = 0.05;
    o.threads = threads;
    bonsai_status rc = bonsai_condense(&small, NULL, g, &o);
    if (rc == BONSAI_OK && access(small_path, F_OK) != 0)
        rc = bonsai_graph_save(NULL, small, small_path, NULL);
    bonsai_graph_free(small);
    return rc;
}

static bonsai_status condense_usually(const bonsai_graph *g)
{
    return condense(g, 0);
}

static bonsai_status condense_on_many(const bonsai_graph *g)
{
    return condense(g, 1024);
}

static bonsai_status train(const bonsai_graph *g)
{
    bonsai_training *t = NULL;
    bonsai_train_options o;
    bonsai_train_options_init(&o);
    o.model = BONSAI_MODEL_GAT;
    o.epochs = 3;
    o.seeds = 2;
    o.threads = 8;
    bonsai_status rc = bonsai_train(&t, g, NULL, &o);
    if (rc == BONSAI_OK && access(model_path, F_OK) != 0)
        rc = bonsai_model_save(bonsai_training_model(t), model_path);
    bonsai_training_free(t);
    return rc;
}

static bonsai_status judge(const bonsai_graph *g)
{
    bonsai_graph *small = NULL;
    bonsai_training *t = NULL;
    bonsai_train_options o;
    bonsai_train_options_init(&o);
    o.epochs = 3;
    o.seeds = 1;
    bonsai_status rc = bonsai_graph_load(&small, small_path);
    if (rc == BONSAI_OK)
        rc = bonsai_train(&t, small, g, &o);
    bonsai_training_free(t);
    bonsai_graph_free(small);
    return rc;
}

static bonsai_status predict(const bonsai_graph *g)
{
    bonsai_model *m = NULL;
    int32_t *class = calloc((size_t)bonsai_graph_nodes(g), sizeof *class);
    bonsai_status rc = class ? bonsai_model_load(&m, model_path) : BONSAI_E_MEMORY;
    if (rc == BONSAI_OK)
        rc = bonsai_predict(class, NULL, m, g, NULL);
    bonsai_model_free(m);
    free(class);
    return rc;
}

static bonsai_status (*const calls[])(const bonsai_graph *g) = {condense_usually, condense_on_many,
                                                                train, judge, predict};
enum { CALLS = sizeof calls / sizeof *calls, MANY = 1 };

static void limit(int what, int64_t bytes)
{
    const struct rlimit r = {(rlim_t)bytes, (rlim_t)bytes};
    if (setrlimit(what, &r) != 0)
        _exit(WRONG);
}

/* Bytes that a limit counts as used already. */
static int64_t counted(int what)
{
    char line[256];
    long long kilobytes = -1;
    const char *wanted = what == RLIMIT_AS ? "VmSize: %lld" : "VmData: %lld";
    FILE *f = fopen("/proc/self/status", "r");
    while (f && kilobytes < 0 && fgets(line, sizeof line, f))
        (void)!sscanf(line, wanted, &kilobytes);
    if (!f || fclose(f) != 0 || kilobytes < 0)
        exit(WRONG);
    return 1024 * (int64_t)kilobytes;
}

/* The other process: folder, call, what is limited, bytes more than there are; and its end. */
static int run_call(char **argv)
{
    bonsai_graph *g = NULL;
    int what = atoi(argv[3]);
    int64_t more = atoll(argv[4]);
    alarm(60);
    find_paths(argv[1]);
    if (bonsai_graph_load(&g, graph_path) != BONSAI_OK)
        return REFUSED;
    if (more > 0)
        limit(what, more + counted(what));
    bonsai_status rc = calls[atoi(argv[2])](g);
    bonsai_graph_free(g);
    if (rc == BONSAI_OK)
        return 0;
    fprintf(stderr, "%s\n", bonsai_error());
    return (rc == BONSAI_E_MEMORY || rc == BONSAI_E_ARGUMENT) && *bonsai_error() ? REFUSED : WRONG;
}

/* The exit code of a call under a limit: on its own memory beyond what it has, or (all) on
 * everything from its very beginning. */
static int code_of(int call, int what, int64_t more, int64_t all)
{
    char number[3][32];
    int status = 0;
    snprintf(number[0], sizeof number[0], "%d", call);
    snprintf(number[1], sizeof number[1], "%d", what);
    snprintf(number[2], sizeof number[2], "%lld", (long long)more);
    const char *folder = temp_path(".");
    pid_t child = fork();
    if (child == 0) {
        setenv("OPENBLAS_NUM_THREADS", "2", 1);     /* with a thread of its own */
        if (!freopen("/dev/null", "w", stderr))
            _exit(WRONG);
        if (all > 0)
            limit(what, all);
        execl("/proc/self/exe", "test_limits", folder, number[0], number[1], number[2], NULL);
        _exit(WRONG);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status))
        fail_msg("call %d with %lld bytes more, %lld in all (limit %d): signal %d", call,
                 (long long)more, (long long)all, what, WTERMSIG(status));
    return WEXITSTATUS(status);
}

static void make_files(void)
{
    bonsai_generate_options o;
    bonsai_generate_options_init(&o);
    o.nodes = 800;
    o.features = 30;
    o.dense = 1;
    find_paths(temp_path("."));
    assert_int_equal(bonsai_graph_generate_file(graph_path, &o), BONSAI_OK);
    assert_int_equal(code_of(0, 0, 0, 0), 0);
    assert_int_equal(code_of(2, 0, 0, 0), 0);
}

static void must_be_told(int code, int call, int64_t megabytes)
{
    if (code != 0 && code != REFUSED)
        fail_msg("call %d with %lld MB ended with %d", call, (long long)megabytes, code);
}

static void a_call_works_or_fails_whatever_the_limit(void **state)
{
    static const int what[] = {RLIMIT_AS, RLIMIT_DATA};
    static const int64_t more[] = {1, 9, 100, 140, 300, 1500};
    (void)state;
    make_files();
    for (int call = 0; call < CALLS; call++)
        for (int w = 0; w < 2; w++)
            for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
                int code = code_of(call, what[w], more[i] * MEGABYTE, 0);
                must_be_told(code, call, more[i]);
                if (more[i] <= 100)
                    assert_int_equal(code, REFUSED);
                if (more[i] == 1500 && call != MANY)
                    assert_int_equal(code, 0);
            }
}

/* A thread of OpenBLAS waits for its buffer from the beginning, and when the program ends. */
static void so_it_does_under_a_limit_from_the_beginning(void **state)
{
    static const int64_t all[] = {160, 240, 330, 2000};
    (void)state;
    for (int call = 0; call < CALLS; call++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            int code = code_of(call, RLIMIT_AS, 0, all[i] * MEGABYTE);
            must_be_told(code, call, all[i]);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_their_parents_limit_memory),
        cmocka_unit_test(groups_of_the_older_kind_limit_memory),
        cmocka_unit_test(groups_and_their_parents_limit_processors),
        cmocka_unit_test(groups_of_the_older_kind_limit_processors),
        cmocka_unit_test(the_user_and_batch_systems_lower_the_number_of_threads),
        cmocka_unit_test(slurm_says_how_much_memory_a_job_has),
        cmocka_unit_test(a_team_has_the_threads_that_start),
        cmocka_unit_test(a_team_is_as_large_as_its_work_pays_for),
        cmocka_unit_test(a_call_without_its_threads_gives_the_same),
        cmocka_unit_test(a_call_works_or_fails_whatever_the_limit),
        cmocka_unit_test(so_it_does_under_a_limit_from_the_beginning),
    };
    if (argc == 5)
        return run_call(argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_their_parents_limit_memory),
        cmocka_unit_test(groups_of_the_older_kind_limit_memory),
        cmocka_unit_test(groups_and_their_parents_limit_processors),
        cmocka_unit_test(groups_of_the_older_kind_limit_processors),
        cmocka_unit_test(the_user_and_batch_systems_lower_the_number_of_threads),
        cmocka_unit_test(slurm_says_how_much_memory_a_job_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
