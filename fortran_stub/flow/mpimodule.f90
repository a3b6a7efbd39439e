! Module mpi for a compiler that cannot read the mpi.mod of the MPI: make MPIF=1.
module mpi
  implicit none
  include 'mpif.h'
end module mpi
