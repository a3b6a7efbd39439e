/* A C host with an MPI of its own: one rank, with the handles of MPICH, which are numbers. What is
 * handed over is looked at as MPICH does: a number that is no communicator goes to the error
 * handler of the world, and while that is "fatal" it ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

enum { WORLD = 0x44000000, SELF = 0x44000001, FREED = (int)0x84000002, FATAL = 0x54000000 };

static int handlers[2] = {FATAL, FATAL}; /* of WORLD and SELF */

static int check(const char* function, int communicator)
{
    if (communicator == WORLD || communicator == SELF)
        return 0;
    if (handlers[0] == FATAL || handlers[1] == FATAL) {
        printf("%s got %x with fatal errors\n", function, (unsigned)communicator);
        exit(9);
    }
    return 5;
}

int MPI_Init(int* count, char*** words) { return (void)count, (void)words, 0; }
int MPI_Get_version(int* major, int* minor) { return *major = 4, *minor = 0, 0; }
int MPI_Initialized(int* flag) { return *flag = 1, 0; }
int MPI_Finalized(int* flag) { return *flag = 0, 0; }

int MPI_Get_library_version(char* text, int* length)
{
    return *length = sprintf(text, "MPICH Version:\t4.9.9\nMPICH Release date:\tnever\n"), 0;
}

int MPI_Comm_rank(int communicator, int* rank)
{
    return *rank = 0, check("MPI_Comm_rank", communicator);
}

int MPI_Comm_size(int communicator, int* size)
{
    return *size = 1, check("MPI_Comm_size", communicator);
}

int MPI_Comm_test_inter(int communicator, int* flag)
{
    return *flag = 0, check("MPI_Comm_test_inter", communicator);
}

int MPI_Comm_get_errhandler(int communicator, int* handler)
{
    return *handler = handlers[communicator - WORLD], 0;
}

int MPI_Comm_set_errhandler(int communicator, int handler)
{
    return handlers[communicator - WORLD] = handler, 0;
}

int MPI_Errhandler_free(int* handler) { return *handler = 0, 0; }

int MPI_Allreduce(const void* mine, void* all, int count, int type, int operation, int communicator)
{
    if (type != 0x4c000405 || (operation != 0x58000002 && operation != 0x58000003))
        return 6;
    memcpy(all, mine, (size_t)count * sizeof(int));
    return check("MPI_Allreduce", communicator);
}

int MPI_Bcast(void* data, int count, int type, int root, int communicator)
{
    (void)data, (void)count, (void)root;
    return type != 0x4c000101 ? 6 : check("MPI_Bcast", communicator);
}

int MPI_Abort(int communicator, int code)
{
    printf("aborted %x\n", (unsigned)communicator);
    exit(code + 1);
}

static void initialize(const char* label, int communicator)
{
    char text[1200];
    int ierr = 99;
    frame_initialize_comm_(0, 8, 1, 6, 0, communicator, &ierr);
    frame_last_error_(text, (int)sizeof text - 1);
    text[sizeof text - 1] = '\0';
    printf("%s %d %s\n", label, ierr, text);
}

int main(int count, char** words)
{
    int ierr;
    if (count > 1 && !strcmp(words[1], "abort")) {
        frame_initialize_comm_(0, 8, 1, 6, 0, FREED, NULL);
        return 0;
    }
    if (count > 1 && !strcmp(words[1], "doctor")) {
        frame_doctor_("report.json", "all", &ierr);
        return ierr;
    }
    frame_error_policy_("return", &ierr);
    frame_set_("backend", "cpu", &ierr);
    frame_set_("species", "N2", &ierr);
    initialize("nonsense", 987654);
    initialize("type", 0x4c000405);
    initialize("null", 0x04000000);
    initialize("freed", FREED);
    printf("handlers %x %x\n", (unsigned)handlers[0], (unsigned)handlers[1]);
    initialize("world", WORLD);
    return 0;
}
