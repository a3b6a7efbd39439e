/* Says on which communicator the job is aborted; linked into the MPI host with -rdynamic. And
 * takes out of the environment what one rank was given to fail at. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void probe_forget(void)
{
    unsetenv("BRIDGE_PYTHON");
}

int MPI_Abort(MPI_Comm communicator, int code)
{
    int size;
    MPI_Comm_size(communicator, &size);
    fprintf(stderr, "MPI_Abort on %d ranks\n", size);
    return PMPI_Abort(communicator, code);
}
