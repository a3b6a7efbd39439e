! An exchange of fringes by the program's own MPI and by the bridge, in turns: one block of n cells
! in each direction for each rank, all directions periodic.
!
!     mpirun -n RANKS exchangeturns N TURNS REPEATS RESIDENT
!
! RESIDENT: 1 where the array stays on a GPU; then the program's own exchange packs it by frame_pack and
! unpacks by frame_unpack. Rank 0 prints the microseconds of an exchange in all three directions, the median of the
! turns, its own and the bridge's, and whether both leave the same bits; then the bridge's report.
program exchangeTurns
  use mpi
  use, intrinsic :: iso_c_binding, only: c_double, c_ptr, c_null_char
  use bridge
  implicit none
  integer, parameter :: layers = 3, columns = 10
  real(c_double), allocatable, target :: q(:, :, :, :), first(:, :, :, :)
  real(c_double), allocatable, target :: sent(:, :), received(:, :)
  real(c_double), allocatable :: times(:, :)
  integer :: n, turns, repeats, resident, rank, ranks, cartesian, ierror, turn, who
  integer :: dimensions(3), below(3), above(3), d
  logical :: same

  call MPI_Init(ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  n = argument(1)
  turns = argument(2)
  repeats = argument(3)
  resident = argument(4)
  dimensions = 0
  call MPI_Dims_create(ranks, 3, dimensions, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 3, dimensions, [.true., .true., .true.], .false., cartesian, &
    ierror)
  call MPI_Comm_rank(cartesian, rank, ierror)
  do d = 1, 3
    call MPI_Cart_shift(cartesian, d - 1, 1, below(d), above(d), ierror)
  end do
  allocate(q(1 - layers:n + layers, 1 - layers:n + layers, 1 - layers:n + layers, columns))
  allocate(sent(layers*(n + 2*layers)**2*columns, 2), received(layers*(n + 2*layers)**2*columns, 2))
  allocate(times(turns, 2))
  call random_number(q)

  call frame_set('species', 'O2 CH4 H2O CO2 N2')
  call frame_initialize(0, 1000, 5, 10, 0, comm=cartesian)
  call frame_bind('cells', 'Q', 'in', q, sptx=layers + 1, eptx=layers + n, spty=layers + 1, &
    epty=layers + n, sptz=layers + 1, eptz=layers + n)
  if (resident == 1) call frame_enter_data('cells', 'Q', 'copyin')
  do d = 1, 3
    call planned(d)
  end do

  call exchanged(1)
  if (resident == 1) call frame_update_host('cells', 'Q')
  allocate(first, source=q)
  call fill_fringes
  call exchanged(2)
  if (resident == 1) call frame_update_host('cells', 'Q')
  same = all(q == first)
  do turn = 1, turns
    do who = 1, 2
      times(turn, who) = timed(who)
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, same, 1, MPI_LOGICAL, MPI_LAND, cartesian, ierror)
  if (rank == 0) print '(a,2(1x,f0.3),1x,l1)', 'exchange', median(times(:, 1)), median(times(:, 2)), same
  call frame_report
  if (resident == 1) call frame_exit_data('cells', 'Q', 'delete')
  call frame_finalize()
  call MPI_Finalize(ierror)

contains

  integer function argument(number)
    integer, intent(in) :: number
    character(len=32) :: text
    call get_command_argument(number, text)
    read(text, *) argument
  end function argument

  ! Of one way in microseconds, the slowest rank's.
  real(c_double) function timed(way)
    integer, intent(in) :: way
    real(c_double), target :: began, last(columns)
    integer :: i
    call MPI_Barrier(cartesian, ierror)
    began = MPI_Wtime()
    do i = 1, repeats
      call exchanged(way)
    end do
    ! A GPU may still be at it.
    if (resident == 1) call frame_pack('cells', 'Q', [0, 0, 0, 0, 0, 0], last)
    timed = 1.0e6_c_double*(MPI_Wtime() - began)/repeats
    call MPI_Allreduce(MPI_IN_PLACE, timed, 1, MPI_DOUBLE_PRECISION, MPI_MAX, cartesian, ierror)
  end function timed

  real(c_double) function median(values)
    real(c_double), intent(in) :: values(:)
    integer :: i
    do i = 1, size(values)
      median = values(i)
      if (count(values < median) <= size(values)/2 .and. count(values <= median) > size(values)/2) return
    end do
  end function median

  ! Something that no exchange may leave.
  subroutine fill_fringes
    real(c_double), allocatable :: inner(:, :, :, :)
    inner = q(1:n, 1:n, 1:n, :)
    q = -1
    q(1:n, 1:n, 1:n, :) = inner
    if (resident == 1) call frame_update_device('cells', 'Q')
  end subroutine fill_fringes

  ! The layers beside a side of direction d, all across; the sides are 1 and 2.
  function box(d, side, inside) result(b)
    integer, intent(in) :: d, side
    logical, intent(in) :: inside
    integer :: b(6)
    b = [1 - layers, n + layers, 1 - layers, n + layers, 1 - layers, n + layers]
    if (side == 1) then
      b(2*d - 1) = merge(1, 1 - layers, inside)
    else
      b(2*d - 1) = merge(n - layers + 1, n + 1, inside)
    end if
    b(2*d) = b(2*d - 1) + layers - 1
  end function box

  subroutine planned(d)
    integer, intent(in) :: d
    integer :: sends(6, 2), receives(6, 2), side
    do side = 1, 2
      sends(:, side) = box(d, side, .true.)
      receives(:, side) = box(d, side, .false.)
    end do
    ! A face has the number of the rank before it.
    call frame_exchange_plan('direction '//achar(iachar('0') + d), 'cells', 'Q', [below(d), above(d)], &
      [below(d), rank], [1, 1], sends, [1, 1], receives)
  end subroutine planned

  subroutine exchanged(way)
    integer, intent(in) :: way
    integer :: d
    do d = 1, 3
      if (way == 1) then
        call own(d)
      else
        call frame_exchange('direction '//achar(iachar('0') + d))
      end if
    end do
  end subroutine exchanged

  subroutine own(d)
    integer, intent(in) :: d
    integer :: requests(4), side, length, other(2)
    length = size(sent, 1)
    other = [below(d), above(d)]
    if (other(1) == rank) then
      do side = 1, 2
        call packed(box(d, side, .true.), sent(:, side))
      end do
      call unpacked(box(d, 1, .false.), sent(:, 2))
      call unpacked(box(d, 2, .false.), sent(:, 1))
      return
    end if
    do side = 1, 2
      call MPI_Irecv(received(:, side), length, MPI_DOUBLE_PRECISION, other(side), side, cartesian, &
        requests(side), ierror)
    end do
    do side = 1, 2
      call packed(box(d, side, .true.), sent(:, side))
      call MPI_Isend(sent(:, side), length, MPI_DOUBLE_PRECISION, other(side), 3 - side, cartesian, &
        requests(2 + side), ierror)
    end do
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
    do side = 1, 2
      call unpacked(box(d, side, .false.), received(:, side))
    end do
  end subroutine own

  subroutine packed(b, values)
    integer, intent(in) :: b(6)
    real(c_double), intent(inout), target, contiguous :: values(:)
    integer :: i, j, k, m, at
    if (resident == 1) then
      call frame_pack('cells', 'Q', b, values)
      return
    end if
    at = 0
    do m = 1, columns
      do k = b(5), b(6)
        do j = b(3), b(4)
          do i = b(1), b(2)
            at = at + 1
            values(at) = q(i, j, k, m)
          end do
        end do
      end do
    end do
  end subroutine packed

  subroutine unpacked(b, values)
    integer, intent(in) :: b(6)
    real(c_double), intent(in), target, contiguous :: values(:)
    integer :: i, j, k, m, at
    if (resident == 1) then
      call frame_unpack('cells', 'Q', b, values)
      return
    end if
    at = 0
    do m = 1, columns
      do k = b(5), b(6)
        do j = b(3), b(4)
          do i = b(1), b(2)
            at = at + 1
            q(i, j, k, m) = values(at)
          end do
        end do
      end do
    end do
  end subroutine unpacked

end program exchangeTurns
