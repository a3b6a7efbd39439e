/* hostmpi.c: the host's MPI, called through the symbols that are already in the process.
 *
 * libbridge links no MPI, so that one library serves serial programs, Open MPI and MPICH. The C
 * functions are taken and not the Fortran ones: every MPI library has them, also under a C host,
 * and their names do not depend on a Fortran compiler.
 */
#define _GNU_SOURCE 1
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "host.h"
#include "hostmpi.h"
#include "state.h"

/* Open MPI's handles are pointers, MPICH's are ints. Both travel in one register on the machines
 * we build for, so one pointer-sized type calls either. */
typedef void* handle_t;
typedef int (*int_of_flag)(int*);
typedef int (*int_of_out)(handle_t, int*);
typedef int (*int_of_value)(handle_t, int);
typedef int (*int_of_handles)(handle_t, handle_t);
typedef int (*int_of_handle_out)(handle_t, handle_t*);
typedef int (*int_of_handle)(handle_t*);
typedef handle_t (*handle_of_int)(int);
typedef int (*int_of_reduction)(const void*, void*, int, handle_t, handle_t, handle_t);
typedef int (*int_of_broadcast)(void*, int, handle_t, int, handle_t);

struct host_communicator host_communicator;

/* ---- Handles ------------------------------------------------------------------------------ */

static int is_open_mpi(void)
{
    return host_symbol("ompi_mpi_comm_world") != NULL;
}

/* A constant handle: an object of Open MPI, a number of MPICH and its relatives (whose numbers
 * are an agreement between them). */
static handle_t constant(const char* open_mpi, unsigned mpich)
{
    return is_open_mpi() ? host_symbol(open_mpi) : (handle_t)(uintptr_t)mpich;
}

static handle_t world(void)
{
    return constant("ompi_mpi_comm_world", 0x44000000);
}

static handle_t from_fortran(int number)
{
    handle_of_int convert;
    if (!is_open_mpi())
        return (handle_t)(uintptr_t)(unsigned)number;
    *(void**)&convert = host_symbol("MPI_Comm_f2c");
    return convert != NULL ? convert(number) : NULL;
}

/* ---- Is it there? ------------------------------------------------------------------------- */

static int flag_of(const char* name)
{
    int_of_flag query;
    int flag = 0;
    *(void**)&query = host_symbol(name);
    return query != NULL && query(&flag) == 0 && flag;
}

int mpi_ready(const char** problem)
{
    if (host_symbol("MPI_Initialized") == NULL)
        *problem = "there is no MPI library in this process";
    else if (!flag_of("MPI_Initialized"))
        *problem = "MPI is not initialised";
    else if (flag_of("MPI_Finalized"))
        *problem = "MPI is finalised already";
    else
        return 1;
    return 0;
}

static int asks(const char* function, handle_t communicator, int* value)
{
    int_of_out query;
    *(void**)&query = host_symbol(function);
    return query != NULL && query(communicator, value) == 0;
}

int mpi_rank(void)
{
    /* Set by the launchers of Open MPI, MPICH and Slurm: for a program whose MPI is linked
     * statically, or is not up. */
    static const char* const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                            "SLURM_PROCID"};
    const char* problem;
    int rank;
    /* A child of fork may not call the MPI of its parent. */
    if (entry_state.phase != PHASE_FORKED && mpi_ready(&problem) &&
        asks("MPI_Comm_rank", world(), &rank))
        return rank;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char* value = getenv(variables[i]);
        if (value != NULL && *value != '\0')
            return atoi(value);
    }
    return -1;
}

/* ---- Is it a communicator? ---------------------------------------------------------------- */

/* MPICH takes any number for a handle: its upper bits tell the kind of object and how it is
 * stored. A number of that form may still be a communicator that was freed, and asking about one
 * goes to the error handler of the world or of self, which would end the job. */
static int answers(handle_t communicator, int* inter)
{
    handle_t worlds[] = {world(), (handle_t)(uintptr_t)0x44000001}, kept[2];
    int_of_handle_out get;
    int_of_handles set;
    int_of_handle release;
    int answer;
    *(void**)&get = host_symbol("MPI_Comm_get_errhandler");
    *(void**)&set = host_symbol("MPI_Comm_set_errhandler");
    *(void**)&release = host_symbol("MPI_Errhandler_free");
    if (is_open_mpi() || get == NULL || set == NULL || release == NULL)
        return asks("MPI_Comm_test_inter", communicator, inter);
    for (int i = 0; i < 2; ++i) {
        kept[i] = NULL;
        get(worlds[i], &kept[i]);
        set(worlds[i], (handle_t)(uintptr_t)0x54000001); /* MPI_ERRORS_RETURN */
    }
    answer = asks("MPI_Comm_test_inter", communicator, inter);
    for (int i = 0; i < 2; ++i) {
        set(worlds[i], kept[i]);
        release(&kept[i]);
    }
    return answer;
}

const char* mpi_unusable(int number, const char** wanted)
{
    const char* problem;
    handle_t communicator;
    int inter = 0;
    *wanted = "a program between MPI_Init and MPI_Finalize";
    if (!mpi_ready(&problem))
        return problem;
    *wanted = "the handle of a Fortran communicator";
    communicator = from_fortran(number);
    if (communicator == constant("ompi_mpi_comm_null", 0x04000000))
        return "MPI_COMM_NULL";
    if (is_open_mpi() ? communicator == NULL
                      : (unsigned)number >> 30 == 0 || ((unsigned)number >> 26 & 15) != 1)
        return "no communicator";
    if (!answers(communicator, &inter))
        return "no communicator";
    *wanted = "a communicator within one group of ranks";
    return inter ? "an intercommunicator" : NULL;
}

int mpi_check(const char* entry, int communicator)
{
    const char* wanted;
    const char* got = mpi_unusable(communicator, &wanted);
    return got == NULL ? BRIDGE_OK : failure_refuse(entry, BRIDGE_MPI, "comm", got, wanted);
}

/* ---- The end -------------------------------------------------------------------------------- */

void mpi_forget_communicator(void)
{
    host_communicator.given = 0;
}

/* The host may have freed the communicator that it gave: it is looked at once more. */
void mpi_abort(void)
{
    const char* unused;
    int_of_value abort_job;
    *(void**)&abort_job = host_symbol("MPI_Abort");
    if (abort_job == NULL || !mpi_ready(&unused))
        return;
    if (host_communicator.given && mpi_unusable(host_communicator.number, &unused) == NULL)
        abort_job(from_fortran(host_communicator.number), 1);
    abort_job(world(), 1);
}

/* ---- The exchange ------------------------------------------------------------------------- */

/* What the first rank that failed tells the others. */
struct report {
    int code;
    int rank, ranks; /* in MPI_COMM_WORLD, as in the tags of messages; of how many */
    char text[2048];
};

static int lacks(const char* entry, const char* what)
{
    char message[256];
    snprintf(message, sizeof message,
             "the ranks cannot agree whether they start: %s in the MPI of this process", what);
    return failure_keep(entry, BRIDGE_MPI, "HostMpiError", message, NULL);
}

int mpi_agree(const char* entry, int number, int status)
{
    handle_t communicator = from_fortran(number);
    handle_t integer = constant("ompi_mpi_int", 0x4c000405);
    handle_t character = constant("ompi_mpi_char", 0x4c000101);
    handle_t least = constant("ompi_mpi_op_min", 0x58000002);
    handle_t sum = constant("ompi_mpi_op_sum", 0x58000003);
    int failed = status != BRIDGE_OK, rank, mine, first, failures;
    int_of_reduction allreduce;
    int_of_broadcast broadcast;
    struct report report;
    char message[sizeof report.text + 256], others[64] = "";

    /* Such a rank ends the job, and with it those that wait in the exchange. */
    if (failed && !entry_state.return_only)
        return status;
    *(void**)&allreduce = host_symbol("MPI_Allreduce");
    *(void**)&broadcast = host_symbol("MPI_Bcast");
    if (allreduce == NULL || broadcast == NULL || integer == NULL || character == NULL ||
        least == NULL || sum == NULL || !asks("MPI_Comm_rank", communicator, &rank))
        return failed ? status : lacks(entry, "MPI_Allreduce, MPI_Bcast or their types are not");
    mine = failed ? rank : INT_MAX;
    if (allreduce(&mine, &first, 1, integer, least, communicator) != 0)
        return failed ? status : lacks(entry, "MPI_Allreduce failed");
    if (first == INT_MAX)
        return BRIDGE_OK;
    /* From here on every rank knows that there is a failure: the rest is for the message. */
    memset(&report, 0, sizeof report);
    if (first == rank) {
        report.code = status;
        report.rank = mpi_rank();
        asks("MPI_Comm_size", world(), &report.ranks);
        snprintf(report.text, sizeof report.text, "%s", failure_latest().message);
    }
    if (allreduce(&failed, &failures, 1, integer, sum, communicator) != 0 ||
        broadcast(&report, (int)sizeof report, character, first, communicator) != 0)
        return failed ? status : lacks(entry, "a rank failed, and MPI_Bcast");
    if (failed)
        return status;
    if (failures > 1)
        snprintf(others, sizeof others, " and on %d more", failures - 1);
    snprintf(message, sizeof message, "the call failed on rank %d%s of %d, so on all: %s",
             report.rank, others, report.ranks, report.text);
    return failure_keep(entry, report.code, "BridgeError", message, NULL);
}
