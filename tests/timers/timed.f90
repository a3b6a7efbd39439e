! A host whose run is taken down: with the world's communicator, without one, or never finalised.
program timed
  use mpi
  use bridge
  implicit none
  integer, parameter :: n = 12, ns = 3, nq = 8
  character(16) :: way
  double precision, target :: q(n, n, n, nq), rho(n, n, n)
  integer :: ierr, rank, step

  call get_command_argument(1, way)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call frame_set('species', 'O2 CH4 N2')
  call frame_set('backend', 'cpu')
  if (way == 'communicator') then
    call frame_initialize(rank, 1024, ns, nq, 0, comm=MPI_COMM_WORLD)
  else
    call frame_initialize(rank, 1024, ns, nq, 0)
  end if
  q = 0.0d0
  q(:, :, :, 1) = 5.0d6
  q(:, :, :, 5) = 300.0d0
  q(:, :, :, 6:8) = 1.0d0 / 3.0d0
  call frame_bind('cells', 'Q', 'in', q)
  call frame_bind('cells', 'rho', 'out', rho)
  do step = 1, 4 + rank
    call frame_run('cells', 'eosRhohFromTPprop')
  end do
  call frame_unbind('cells', '*')
  if (way /= 'unfinished') call frame_finalize()
  print '(a,i0,a,l1)', 'rank ', rank, ' has results ', all(rho > 1.0d0)
  call mpi_finalize(ierr)
end program timed
