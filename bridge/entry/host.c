/* host.c: what the host process already holds: MPI, output buffers, the way out.
 *
 * libbridge links no MPI and no Fortran run-time library. What it needs of them it finds by name
 * among the symbols already in the process, so that one library serves serial programs, Open MPI
 * and MPICH, gfortran and flang.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "entry.h"

/* ---- MPI ---------------------------------------------------------------------------------- */

/* Open MPI's communicators are pointers, MPICH's are ints. Both travel in one register on the
 * machines we build for, so one pointer-sized type calls either. */
typedef void* communicator_t;
typedef int (*int_of_flag)(int*);
typedef int (*int_of_rank)(communicator_t, int*);
typedef int (*int_of_abort)(communicator_t, int);
typedef communicator_t (*communicator_of_int)(int);

#define MPICH_COMM_WORLD ((communicator_t)(intptr_t)0x44000000)
#define MPICH_COMM_NULL ((communicator_t)(intptr_t)0x04000000)

static struct {
    int number;
    int given;
} fortran_communicator;

/* ISO C has no cast from void* to a function pointer; POSIX promises that this works. */
static void* symbol(const char* name)
{
    return dlsym(RTLD_DEFAULT, name);
}

static int mpi_flag(const char* name)
{
    int_of_flag query;
    int flag = 0;
    *(void**)&query = symbol(name);
    return query != NULL && query(&flag) == 0 && flag;
}

int host_mpi_ready(const char** problem)
{
    if (symbol("MPI_Initialized") == NULL)
        *problem = "there is no MPI library in this process";
    else if (!mpi_flag("MPI_Initialized"))
        *problem = "MPI is not initialised";
    else if (mpi_flag("MPI_Finalized"))
        *problem = "MPI is finalised already";
    else
        return 1;
    return 0;
}

static communicator_t world(void)
{
    void* open_mpi = symbol("ompi_mpi_comm_world");
    return open_mpi != NULL ? open_mpi : MPICH_COMM_WORLD;
}

static communicator_t from_fortran(int number)
{
    communicator_of_int convert;
    if (symbol("ompi_mpi_comm_world") == NULL)
        return (communicator_t)(intptr_t)number;
    *(void**)&convert = symbol("MPI_Comm_f2c");
    return convert != NULL ? convert(number) : NULL;
}

int host_communicator_valid(int number)
{
    communicator_t communicator = from_fortran(number);
    return communicator != NULL && communicator != symbol("ompi_mpi_comm_null") &&
           communicator != MPICH_COMM_NULL;
}

void host_set_communicator(int number, int given)
{
    fortran_communicator.number = number;
    fortran_communicator.given = given;
}

int host_rank(void)
{
    /* Set by the launchers of Open MPI, MPICH and Slurm: for a program whose MPI is linked
     * statically, or is not up. */
    static const char* const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                            "SLURM_PROCID"};
    const char* problem;
    int_of_rank query;
    int rank;
    *(void**)&query = symbol("MPI_Comm_rank");
    if (query != NULL && host_mpi_ready(&problem) && query(world(), &rank) == 0)
        return rank;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char* value = getenv(variables[i]);
        if (value != NULL && *value != '\0')
            return atoi(value);
    }
    return -1;
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

static void* flush_everything(void* unused)
{
    void (*flush_gfortran)(int*);
    *(void**)&flush_gfortran = symbol("_gfortran_flush_i4");
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
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 2;
    if (pthread_timedjoin_np(helper, NULL, &deadline) != 0)
        pthread_detach(helper);
}

/* ---- The way out -------------------------------------------------------------------------- */

static void* end_at_last(void* unused)
{
    struct timespec patience = {10, 0};
    nanosleep(&patience, NULL);
    _exit(1);
    return unused;
}

/* exit() runs the host's own handlers and the closing of its files; a lock held by the failing
 * statement, or a handler that calls us again, could stop it for ever. A watchdog ends that. */
void host_end_job(void)
{
    const char* problem;
    int_of_abort abort_job;
    pthread_t watchdog;
    static int ending;

    if (entry_state.phase == PHASE_ENDED || ending++)
        _exit(1);
    if (pthread_create(&watchdog, NULL, end_at_last, NULL) == 0)
        pthread_detach(watchdog);
    *(void**)&abort_job = symbol("MPI_Abort");
    if (abort_job != NULL && host_mpi_ready(&problem))
        abort_job(fortran_communicator.given ? from_fortran(fortran_communicator.number) : world(),
                  1);
    exit(1);
}
