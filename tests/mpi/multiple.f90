! A host of MPI_THREAD_MULTIPLE: two groups of ranks, each with a Frame on its own communicator; a
! thread of each rank sends and receives while another one runs kernels and reduces over its group.
program multiple
  use, intrinsic :: iso_c_binding, only: c_double
  use mpi
  use omp_lib, only: omp_get_thread_num
  use bridge
  implicit none
  integer, parameter :: n = 24, rounds = 40
  real(c_double), allocatable, target :: t(:, :, :), p(:, :, :), y(:, :, :, :), rho(:, :, :)
  real(c_double) :: total
  integer :: rank, ranks, provided, error, group, others, step, wrong, got, status(MPI_STATUS_SIZE)

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, error)
  if (provided /= MPI_THREAD_MULTIPLE) error stop 'no MPI_THREAD_MULTIPLE'
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, group, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, others, error)
  allocate (t(n, n, n), p(n, n, n), y(n, n, n, 2), rho(n, n, n))
  t = 300.0_c_double
  p = (1 + modulo(rank, 2))*1.0e6_c_double
  y = 0.5_c_double
  call frame_set('backend', 'cpu')
  call frame_set('species', 'O2 CH4')
  call frame_initialize(0, 1000, 2, 7, 0, comm=group)
  call frame_bind('cells', 'T', 'in', t)
  call frame_bind('cells', 'P', 'in', p)
  call frame_bind('cells', 'Y', 'in', y)
  call frame_bind('cells', 'rho', 'out', rho)
  wrong = 0
  !$omp parallel num_threads(2) private(step, got, status, error, total) reduction(+:wrong)
  if (omp_get_thread_num() == 0) then
    do step = 1, rounds
      call frame_run('cells', 'eosThermalProperties')
      call frame_allreduce('cells', 'P', 'sum', total)
      if (total /= p(1, 1, 1)*n**3*((ranks + 1 - modulo(rank, 2))/2)) wrong = wrong + 1
    end do
  else
    do step = 1, 50*rounds
      call MPI_Sendrecv(step + rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 1, got, 1, &
        MPI_INTEGER, modulo(rank - 1 + ranks, ranks), 1, others, status, error)
      if (got /= step + modulo(rank - 1 + ranks, ranks)) wrong = wrong + 1
    end do
  end if
  !$omp end parallel
  call frame_finalize()
  print '(a,1x,i0,1x,i0,1x,es23.16)', 'wrong', wrong, modulo(rank, 2), rho(n, n, n)
  call MPI_Finalize(error)
end program multiple
