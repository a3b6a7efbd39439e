/* hostmpi.h: the MPI of the host. */
#ifndef BRIDGE_HOSTMPI_H
#define BRIDGE_HOSTMPI_H

/* The communicator that a failure aborts; without one it is MPI_COMM_WORLD. */
struct host_communicator {
    int number; /* Fortran handle */
    int given;
};

extern struct host_communicator host_communicator;

int mpi_ready(const char** problem); /* initialised and not finalised */
int mpi_rank(void);                  /* in MPI_COMM_WORLD; -1 when there is none */
void mpi_abort(void);                /* returns where there is no MPI to abort */
/* Null where a call may be collective on this Fortran handle; else what was got. */
const char* mpi_unusable(int communicator, const char** wanted);
/* Refuse what mpi_unusable refuses. */
int mpi_check(const char* entry, int communicator);
/* The exchange before a collective call does anything: BRIDGE_OK where every rank brings it. A
 * rank that failed keeps its failure, the others get its code and a message that names it. */
int mpi_agree(const char* entry, int communicator, int status);
void mpi_forget_communicator(void);

#endif
