/* host.c: what the host process already holds besides MPI: output buffers, what ends it.
 *
 * libbridge links no Fortran run-time library. What it needs of one it finds by name among the
 * symbols already in the process, so that one library serves gfortran and flang.
 */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "entry.h"

/* ---- Floating-point environment ------------------------------------------------------------- */

__thread const struct guard* guard_innermost;

const void* bridge_host_environment_(void)
{
    return guard_innermost != NULL ? &guard_innermost->host : NULL;
}

/* ---- Output buffers ----------------------------------------------------------------------- */

static void (*flush_of_module)(void);

void bridge_on_flush_(void (*flush)(void))
{
    flush_of_module = flush;
}

int host_has_module(void)
{
    return flush_of_module != NULL;
}

static void* flush_everything(void* unused)
{
    void (*flush_gfortran)(int*);
    *(void**)&flush_gfortran = host_symbol("_gfortran_flush_i4");
    if (flush_gfortran != NULL)
        flush_gfortran(NULL); /* null: every unit */
    else if (flush_of_module != NULL)
        flush_of_module();
    fflush(NULL);
    return unused;
}

/* A unit stays locked while a WRITE evaluates its list, and the list may hold a function that
 * calls us: flushing in this thread would wait for itself for ever. A helper thread may wait; we
 * give it two seconds. */
void host_flush(void)
{
    struct timespec deadline;
    pthread_t helper;
    if (pthread_create(&helper, NULL, flush_everything, NULL) != 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &deadline); /* the other clock may be set meanwhile */
    deadline.tv_sec += 2;
    if (pthread_clockjoin_np(helper, NULL, CLOCK_MONOTONIC, &deadline) != 0)
        pthread_detach(helper);
}

/* ---- The end of the process ----------------------------------------------------------------- */

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
void host_end_job(void)
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
