! ranks.f90: MPI's Fortran compiler and launcher, with the bridge on all ranks: ranks RHO. Where the
! compiler does not read `use mpi`, the line is taken out and include 'mpif.h' put in.
program ranks
  use, intrinsic :: iso_c_binding, only: c_double
  use mpi
  use bridge
  implicit none
  integer, parameter :: nx = 5, ny = 4, nz = 3
  real(c_double), target :: q(nx, ny, nz, 7), rho(nx, ny, nz)
  real(c_double) :: expected, total
  character(len=400) :: message
  character(len=40) :: argument
  integer :: rank, size, error, ierr, duplicate

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, duplicate, error)
  call get_command_argument(1, argument)
  read (argument, *) expected
  q = 0
  q(:, :, :, 1) = 1.0e7_c_double
  q(:, :, :, 5) = 300
  q(:, :, :, 6) = 0.25_c_double
  q(:, :, :, 7) = 0.75_c_double
  call check('several ranks', size > 1, ' ')

  call frame_error_policy('return')
  call frame_set('backend', 'cpu')
  call frame_set('species', 'O2 CH4')
  ! One rank's bad argument: the call fails on all, and says whose it was.
  call frame_initialize(0, 60, merge(3, 2, rank == 1), 7, 0, comm=duplicate, ierr=ierr)
  call frame_last_error(message)
  call check('initialize that fails on one rank fails on all', ierr == bridge_argument .and. &
      (rank == 1 .or. index(message, 'rank 1 of') > 0), message)
  call frame_initialize(0, 60, 2, 7, 0, comm=duplicate, ierr=ierr)
  call frame_last_error(message)
  call check('initialize with a communicator', ierr == bridge_ok, message)
  if (ierr == bridge_ok) then
    call frame_bind('cells', 'Q', 'in', q)
    call frame_bind('cells', 'rho', 'out', rho)
    call frame_run('cells', 'eosThermalProperties', ierr)
    call check('a run on each rank', ierr == bridge_ok .and. &
        all(abs(rho/expected - 1) <= 1.0e-12_c_double), ' ')
    total = 0
    call frame_allreduce('cells', 'T', 'sum', total, ierr=ierr)
    call frame_last_error(message)
    call check('a sum over ranks', ierr == bridge_ok .and. total == 300.0_c_double*60*size, message)
    call frame_report(ierr)
    call frame_finalize()
  end if
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a)', 'end'
  call MPI_Finalize(error)

contains

  ! Of all ranks, told by the first one.
  subroutine check(label, right, why)
    character(len=*), intent(in) :: label, why
    logical, intent(in) :: right
    integer :: mine, all_of_them
    mine = merge(1, 0, right)
    call MPI_Allreduce(mine, all_of_them, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank > 0) return
    if (all_of_them == 1) then
      print '(2a)', 'T MPI: ', label
    else
      print '(4a)', 'F MPI: ', label, ' | ', trim(why)
    end if
  end subroutine check
end program ranks
