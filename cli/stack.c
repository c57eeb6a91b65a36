/* stack.c -- runs the program on a stack that is large enough, whatever the limit of the process.
 *
 * Under `ulimit -s 64` the first thread has 64 KiB, less than some commands need.  A thread that the
 * program starts has the stack that it asks for.  startup.c asks for the same stack for threads of OpenMP.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

#include "program.h"

enum { ENOUGH = 1 << 20, ROOM = 8 << 20 };

typedef struct {
    program_fn *run;
    session *s;
    int      argc, code;
    char   **argv;
} call;

static void *run_call(void *payload)
{
    call *c = payload;
    c->code = c->run(c->s, c->argc, c->argv);
    return NULL;
}

/* Returns false if no thread can be started. */
static bool run_on_thread(call *c)
{
    pthread_attr_t room;
    pthread_t thread;
    if (pthread_attr_init(&room) != 0)
        return false;
    const bool started = pthread_attr_setstacksize(&room, ROOM) == 0 &&
                         pthread_create(&thread, &room, run_call, c) == 0;
    pthread_attr_destroy(&room);
    return started && pthread_join(thread, NULL) == 0;
}

int run_with_stack(program_fn *run, session *s, int argc, char **argv)
{
    call c = {.run = run, .s = s, .argc = argc, .argv = argv, .code = EXIT_FAILED};
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= ENOUGH)
        run_call(&c);
    else if (!run_on_thread(&c))
        fprintf(stderr, "bonsai: the stack is limited to %llu bytes, and no thread with a larger one "
                        "can be started: raise the limit (ulimit -s unlimited)\n",
                (unsigned long long)limit.rlim_cur);
    return c.code;
}
