/* The extension module of an mpi4py that was built for MPI_OF (see test_mpi_mixed.py): the program
 * ends as soon as it is loaded, as it does when two MPI libraries meet. */
#include <signal.h>

int MPI_Comm_dup();
#ifdef OPEN_MPI
extern char ompi_mpi_comm_world;
void* world(void) { return &ompi_mpi_comm_world; }
#endif
int use(void) { return MPI_Comm_dup(); }

__attribute__((constructor)) static void meets(void)
{
    raise(SIGSEGV);
}

void* PyInit_MPI(void) { return 0; }
