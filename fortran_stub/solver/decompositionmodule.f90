! Who owns which cells: a Cartesian grid of ranks, one block each, and the exchange of fringes.
!
! A block is a 4-D array (nx, ny, nz, component) whose interior is Spt(d)..Ept(d); a direction
! of one cell has no fringes, so that a plane is stored as a plane.
module decompositionModule
  use mpi
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use useGENKindDefs, only: dp
  use caseModule, only: Cells, Decomposition, Fringe, BoundaryX, BoundaryY
  implicit none
  private
  public :: decompose, exchangeFringes, fillZeroGradient, globalMax, globalMin, globalSum, stopAll
  public :: ownersOf

  integer, protected, public :: comm = MPI_COMM_NULL    ! Cartesian
  integer, protected, public :: rank = 0, nRanks = 1, ranksPer(3) = 1
  integer, protected, public :: offset(3) = 0           ! global index of local interior cell 1, minus 1
  integer, protected, public :: local(3) = 0            ! interior cells
  integer, protected, public :: extent(3) = 0           ! with fringes: nx, ny, nz
  integer, protected, public :: Spt(3) = 0, Ept(3) = 0  ! interior, as storage positions
  integer, protected, public :: neighbour(2, 3) = MPI_PROC_NULL   ! low, high side
  logical, protected, public :: periodic(3) = .false.

contains

  subroutine decompose(message)
    character(len=*), intent(out) :: message
    integer :: ierror, place(3), d, layers(3)

    message = ' '
    call MPI_Comm_size(MPI_COMM_WORLD, nRanks, ierror)
    periodic = [BoundaryX == 'periodic', BoundaryY == 'periodic', .true.]
    ranksPer = Decomposition
    where (Cells == 1) ranksPer = 1
    ! A few ranks cut y only: rows of x stay long.
    if (all(Decomposition == 0) .and. nRanks <= 4 .and. nRanks*Fringe <= Cells(2)) &
      ranksPer = [1, nRanks, 1]
    if (mod(nRanks, product(ranksPer, mask=ranksPer > 0)) /= 0 .or. &
        (all(ranksPer > 0) .and. product(ranksPer) /= nRanks)) then
      message = 'the decomposition does not fit the number of ranks'
      return
    end if
    call MPI_Dims_create(nRanks, 3, ranksPer, ierror)
    call MPI_Cart_create(MPI_COMM_WORLD, 3, ranksPer, periodic, .false., comm, ierror)
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Cart_coords(comm, rank, 3, place, ierror)

    layers = merge(0, Fringe, Cells == 1)
    do d = 1, 3
      call MPI_Cart_shift(comm, d - 1, 1, neighbour(1, d), neighbour(2, d), ierror)
      call share(Cells(d), ranksPer(d), place(d), offset(d), local(d))
    end do
    if (any(Cells/ranksPer < layers)) &
      message = 'blocks thinner than their fringes: use fewer ranks or more cells'
    extent = local + 2*layers
    Spt = layers + 1
    Ept = layers + local
  end subroutine decompose

  ! The first mod(n, parts) parts get one cell more.
  pure subroutine share(n, parts, part, before, mine)
    integer, intent(in) :: n, parts, part
    integer, intent(out) :: before, mine

    mine = n/parts
    before = part*mine + min(part, mod(n, parts))
    if (part < mod(n, parts)) mine = mine + 1
  end subroutine share

  ! Block of another rank, for output.
  subroutine ownersOf(other, otherOffset, otherLocal)
    integer, intent(in) :: other
    integer, intent(out) :: otherOffset(3), otherLocal(3)
    integer :: place(3), d, ierror

    call MPI_Cart_coords(comm, other, 3, place, ierror)
    do d = 1, 3
      call share(Cells(d), ranksPer(d), place(d), otherOffset(d), otherLocal(d))
    end do
  end subroutine ownersOf

  ! Fringes of components first..last from the neighbours, direction after direction, whole
  ! planes, so that edges and corners arrive too. Sides without a neighbour are left alone.
  subroutine exchangeFringes(field, first, last)
    real(dp), intent(inout) :: field(:, :, :, :)
    integer, intent(in) :: first, last
    integer :: d

    do d = 1, 3
      if (Cells(d) == 1) cycle
      call shift(field, first, last, d, 1)
      call shift(field, first, last, d, 2)
    end do
  end subroutine exchangeFringes

  ! Send the interior layers next to one side, receive the fringe of the other side.
  subroutine shift(field, first, last, d, side)
    real(dp), intent(inout) :: field(:, :, :, :)
    integer, intent(in) :: first, last, d, side
    real(dp), allocatable :: outgoing(:, :, :, :), incoming(:, :, :, :)
    integer :: from(3), to(3), sendTo, receiveFrom, ierror

    from = 1
    to = extent
    sendTo = neighbour(side, d)
    receiveFrom = neighbour(3 - side, d)
    if (side == 1) then
      from(d) = Spt(d)
      to(d) = Spt(d) + Fringe - 1
    else
      from(d) = Ept(d) - Fringe + 1
      to(d) = Ept(d)
    end if
    allocate(outgoing, source=field(from(1):to(1), from(2):to(2), from(3):to(3), first:last))
    allocate(incoming, mold=outgoing)
    call MPI_Sendrecv(outgoing, size(outgoing), MPI_DOUBLE_PRECISION, sendTo, 10*d + side, &
                      incoming, size(incoming), MPI_DOUBLE_PRECISION, receiveFrom, 10*d + side, &
                      comm, MPI_STATUS_IGNORE, ierror)
    if (receiveFrom == MPI_PROC_NULL) return
    if (side == 1) then
      from(d) = Ept(d) + 1
      to(d) = Ept(d) + Fringe
    else
      from(d) = Spt(d) - Fringe
      to(d) = Spt(d) - 1
    end if
    field(from(1):to(1), from(2):to(2), from(3):to(3), first:last) = incoming
  end subroutine shift

  ! Copy the last interior layer outwards on a side of the domain that has no neighbour.
  subroutine fillZeroGradient(field, first, last, d, side)
    real(dp), intent(inout) :: field(:, :, :, :)
    integer, intent(in) :: first, last, d, side
    integer :: layer

    if (Cells(d) == 1 .or. neighbour(side, d) /= MPI_PROC_NULL) return
    do layer = 1, Fringe
      select case (2*d + side - 2)
      case (1)
        field(Spt(1) - layer, :, :, first:last) = field(Spt(1), :, :, first:last)
      case (2)
        field(Ept(1) + layer, :, :, first:last) = field(Ept(1), :, :, first:last)
      case (3)
        field(:, Spt(2) - layer, :, first:last) = field(:, Spt(2), :, first:last)
      case (4)
        field(:, Ept(2) + layer, :, first:last) = field(:, Ept(2), :, first:last)
      case (5)
        field(:, :, Spt(3) - layer, first:last) = field(:, :, Spt(3), first:last)
      case (6)
        field(:, :, Ept(3) + layer, first:last) = field(:, :, Ept(3), first:last)
      end select
    end do
  end subroutine fillZeroGradient

  ! Reductions whose result does not depend on the number of ranks.
  real(dp) function globalMax(value)
    real(dp), intent(in) :: value
    integer :: ierror
    call MPI_Allreduce(value, globalMax, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierror)
  end function globalMax

  real(dp) function globalMin(value)
    real(dp), intent(in) :: value
    integer :: ierror
    call MPI_Allreduce(value, globalMin, 1, MPI_DOUBLE_PRECISION, MPI_MIN, comm, ierror)
  end function globalMin

  ! For timers and counts only: never part of the solution.
  real(dp) function globalSum(value)
    real(dp), intent(in) :: value
    integer :: ierror
    call MPI_Allreduce(value, globalSum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierror)
  end function globalSum

  ! End the job with words; every rank may call it.
  subroutine stopAll(text)
    character(len=*), intent(in) :: text
    integer :: ierror, worldRank

    call MPI_Comm_rank(MPI_COMM_WORLD, worldRank, ierror)
    flush(output_unit)
    write(error_unit, '(a,i0,2a)') 'solver, rank ', worldRank, ': ', trim(text)
    flush(error_unit)
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine stopAll

end module decompositionModule
