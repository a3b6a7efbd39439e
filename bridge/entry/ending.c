/* ending.c: the end of the program and of the job, and what a child of fork must not do. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ending.h"
#include "failure.h"
#include "host.h"
#include "hostmpi.h"
#include "libpython.h"
#include "state.h"

/* The process that starts, or started, Python; while it does so, and since. */
static pid_t owner;
static int starting;
static int ours; /* Python was started here */

/* ---- The end of the program ----------------------------------------------------------------- */

/* A library that Python loads may call exit(), as OpenBLAS does where it gets no memory. */
static void say_ended_by_library(void)
{
    char text[256], limit[128];
    int length = snprintf(text, sizeof text,
                          "[bridge] a library that Python loads has ended the program%s\n",
                          host_address_limit(limit, sizeof limit));
    host_say(text, (size_t)length);
}

/* No Py_Finalize: extension modules of many packages do not survive it, and the process ends
 * anyway. Threads are waited for, atexit functions run once, buffers are written. */
static void at_exit(void)
{
    struct guard guard;
    if (getpid() != owner || entry_python == NULL || !entry_python->is_running())
        return;
    if (starting)
        say_ended_by_library();
    guard_open(&guard);
    entry_python->end();
    guard_close(&guard);
    entry_state.phase = PHASE_ENDED;
}

void ending_at_exit(void)
{
    ours = 1;
    atexit(at_exit);
}

int ending_is_ours(void)
{
    return ours;
}

/* ---- Children of fork ------------------------------------------------------------------------ */

/* A child has the memory of its parent and one of its threads. Python's lock may be held by one
 * that is not there, and then a call would wait for it for ever. */
static void in_child(void)
{
    if (starting || ours)
        entry_state.phase = PHASE_FORKED;
}

void ending_start(int begins)
{
    static int registered;
    if (begins)
        owner = getpid();
    starting = begins;
    if (begins && !registered)
        registered = pthread_atfork(NULL, NULL, in_child) == 0;
}

int ending_refuse_child(const char* entry)
{
    char message[256];
    snprintf(message, sizeof message,
             "got a call from process %d, wanted calls from process %d, which started Python: a "
             "child of fork cannot use the Python of its parent",
             (int)getpid(), (int)owner);
    return failure_keep(entry, BRIDGE_STATE, "StateError", message, NULL);
}

/* ---- The end of the job -------------------------------------------------------------------- */

static void* end_at_last(void* unused)
{
    struct timespec patience = {10, 0};
    nanosleep(&patience, NULL);
    _exit(1);
    return unused;
}

/* exit() runs the host's own handlers and the closing of its files; a lock held by the failing
 * statement, or a handler that calls us again, could stop it for ever. A watchdog ends that.
 * Where threads fail together the first ends the job and the others wait for its end. */
void ending_end_job(void)
{
    pthread_t watchdog;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_t ender;
    static int ending;
    int first;

    /* A child of fork holds copies of the host's buffers and of its MPI: neither is its own. */
    if (entry_state.phase == PHASE_ENDED || entry_state.phase == PHASE_FORKED)
        _exit(1);
    pthread_mutex_lock(&lock);
    first = !ending++;
    if (first)
        ender = pthread_self();
    pthread_mutex_unlock(&lock);
    if (!first && pthread_equal(ender, pthread_self()))
        _exit(1);
    while (!first)
        pause();
    if (pthread_create(&watchdog, NULL, end_at_last, NULL) == 0)
        pthread_detach(watchdog);
    mpi_abort();
    exit(1);
}
