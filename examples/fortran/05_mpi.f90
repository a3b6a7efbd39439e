! With MPI: the communicator goes to frame_initialize, the device is rank modulo devices. A
! failure on one rank ends the job of all of them.
!
!   mpirun -n 2 ./05_mpi
program with_mpi
  use mpi
  use bridge
  implicit none
  integer, parameter :: n = 100, ns = 2, num_devices = 1
  double precision :: T(n), P(n), Y(n, ns), h(n), lowest, highest
  integer :: rank, ranks, i, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)

  T = [(300d0 + 10d0*(i + n*rank), i = 1, n)]
  P = 1d7
  Y(:, 1) = 0.8d0
  Y(:, 2) = 0.2d0

  call frame_set('species', 'O2 CH4')
  call frame_initialize(mod(rank, num_devices), n, ns, 5 + ns, 0, comm=MPI_COMM_WORLD)
  call frame_castles_populateinputstripe('T', T)
  call frame_castles_populateinputstripe('P', P)
  call frame_castles_populateinputstripe('Y', Y)
  call frame_tvproperties_eosrhohfromtpprop(n)
  call frame_castles_populateoutputstripe('h', h)
  call frame_finalize()

  call MPI_Reduce(h(1), lowest, 1, MPI_DOUBLE_PRECISION, MPI_MIN, 0, MPI_COMM_WORLD, ierror)
  call MPI_Reduce(h(n), highest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(i0,a,2es16.8,a)', ranks, ' ranks, enthalpy from', lowest, highest, ' J/kg'
  call MPI_Finalize(ierror)
end program with_mpi
