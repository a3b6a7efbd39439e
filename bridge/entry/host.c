/* host.c: what the host process already holds besides MPI.
 *
 * libbridge links no Fortran run-time library. What it needs of one it finds by name among the
 * symbols already in the process, so that one library serves gfortran and flang.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "host.h"
#include "state.h"

/* ---- Symbols ------------------------------------------------------------------------------- */

/* ISO C has no cast from void* to a function pointer; POSIX promises that this works. */
void* host_symbol(const char* name)
{
    return dlsym(RTLD_DEFAULT, name);
}

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

/* A write where nobody reads, or beyond ulimit -f, fails in this thread and does not end the
 * program. */
static void hold_signals(sigset_t* held, sigset_t* before)
{
    sigemptyset(held);
    sigaddset(held, SIGPIPE);
    sigaddset(held, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, held, before);
}

void host_say(const char* text, size_t length)
{
    const struct timespec now = {0, 0};
    sigset_t held, before, pending;
    hold_signals(&held, &before);
    sigpending(&pending);
    while (length > 0) {
        ssize_t wrote = write(STDERR_FILENO, text, length);
        if (wrote <= 0)
            break;
        text += wrote;
        length -= (size_t)wrote;
    }
    /* what the host itself waits for stays */
    for (int i = 0; i < 2; ++i)
        if (sigismember(&pending, i == 0 ? SIGPIPE : SIGXFSZ))
            sigdelset(&held, i == 0 ? SIGPIPE : SIGXFSZ);
    while (sigtimedwait(&held, NULL, &now) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A thread of its own, see below. A host whose buffers cannot be written meets that at its own
 * next write. */
static void* flush_everything(void* unused)
{
    void (*flush_gfortran)(int*);
    sigset_t held;
    hold_signals(&held, NULL);
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

/* ---- Limits -------------------------------------------------------------------------------- */

const char* host_address_limit(char* text, size_t size)
{
    struct rlimit limit;
    *text = '\0';
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, size, "; the address space is limited to %llu kB (ulimit -v)",
                 (unsigned long long)limit.rlim_cur / 1024);
    return text;
}
