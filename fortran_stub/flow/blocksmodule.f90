! The blocks of the grid: who owns them, the arrays of each, and the exchange of their fringes.
!
! A block is a box of cells 1..n(1), 1..n(2), 1..n(3) with `fringe` layers around it in each
! direction of more than one cell; f(d) is their number, so that a plane is stored as a plane.
! Blocks are numbered x first and dealt to the ranks in order.
module blocksModule
  use mpi
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use caseModule, only: Cells, Blocks, Lengths, BoundaryX, BoundaryY, BoundaryZ, Energy
  implicit none
  private
  public :: blocksBegin, exchangeFringes, boxesOf, globalMax, globalMin, globalSum, stopAll, sideOf, ownerOf

  integer, parameter, public :: fringe = 3

  ! Components of U, what a step carries on: densities rho_i, momentum, energy (with Energy =
  ! 'pressure' the pressure) and a first guess of the temperature. The last one makes the bits of
  ! a temperature depend on U alone, not on the blocks or on where a run began.
  integer, protected, public :: nU = 0, iMx = 0, iEn = 0, iT0 = 0

  ! Components of Q: density, energy J/kg, velocity, temperature, pressure, mass fractions.
  integer, parameter, public :: iRho = 1, iE = 2, iU = 3, iT = 6, iP = 7, iY = 8
  integer, protected, public :: nQ = 0

  ! Components of prop, in the order in which the properties come.
  integer, parameter, public :: iC = 1, iCv = 2, iPRhoE = 3, iEta = 4, iLambda = 5, iStatus = 6, &
    iPRhoI = 7
  integer, protected, public :: iDim = 0, iHi = 0, nProp = 0

  type, public :: faces
    real(dp), allocatable :: flux(:, :, :, :)     ! through the low faces, one more than cells
  end type faces

  ! TARGET because the bridge may keep the addresses of bound arrays.
  type, public :: block
    integer :: id = 0, n(3) = 0, offset(3) = 0    ! cells, and the global ones before them
    integer :: neighbour(2, 3) = -1               ! block at the low and high side, or -1
    real(dp), allocatable :: U(:, :, :, :), dU(:, :, :, :)
    real(dp), allocatable :: last(:, :, :, :)     ! U as the step began
    real(dp), allocatable :: Q(:, :, :, :), prop(:, :, :, :), gradient(:, :, :, :)
    real(dp), allocatable :: change(:, :, :, :)   ! with Energy = 'pressure' only
    real(dp), allocatable :: checked(:, :, :, :)  ! second answer, Properties = 'verify' only
    real(dp), allocatable :: inlet(:, :, :)       ! (y, z): h J/kg, velocity, Y of an inflow
    type(faces) :: face(3)
  end type block

  type(block), allocatable, target, public :: own(:)

  type :: layers
    real(dp), allocatable :: values(:)
  end type layers
  type(layers), allocatable :: sent(:, :), received(:, :)   ! side, block

  ! Boxes of a block (first and last along x, y, z): its cells; the fringe around them, all of it,
  ! and its nearest layer alone, without edges.
  integer, parameter, public :: cellsAlone = 0, wholeFringe = 1, nearFringe = 2

  integer, protected, public :: rank = 0, nRanks = 1, blocksPer(3) = 1, nBlocks = 1
  integer, protected, public :: f(3) = 0, firstBlock = 0
  real(dp), protected, public :: h(3) = 0.0_dp               ! m, width of a cell
  logical, protected, public :: active(3) = .false.          ! directions of more than one cell

contains

  subroutine blocksBegin(message)
    character(len=*), intent(out) :: message
    integer :: ierror, b, mine

    message = ' '
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, nRanks, ierror)
    iMx = ns + 1
    iEn = ns + 4
    iT0 = ns + 5
    nU = iT0
    nQ = iY + ns - 1
    iDim = iPRhoI + ns
    iHi = iDim + ns
    nProp = iHi + ns - 1
    h = Lengths/Cells
    active = Cells > 1
    f = merge(fringe, 0, active)
    blocksPer = Blocks
    if (any(Blocks == 0)) call chooseBlocks
    nBlocks = product(blocksPer)
    if (nBlocks < nRanks) write(message, '(2(a,i0))') 'fewer blocks than ranks: ', nBlocks, ' for ', nRanks
    if (any(Cells/blocksPer < f)) &
      message = 'blocks thinner than their fringes: use fewer blocks or more cells'
    if (len_trim(message) > 0) return
    call share(nBlocks, nRanks, rank, firstBlock, mine)
    allocate(own(mine))
    do b = 1, mine
      call allocateBlock(own(b), firstBlock + b - 1)
    end do
    call allocateLayers
  end subroutine blocksBegin

  ! One block for each rank. A few ranks cut y only: rows of x stay long.
  subroutine chooseBlocks
    integer :: ierror

    where (.not. active) blocksPer = 1
    if (all(Blocks == 0) .and. nRanks <= 4 .and. nRanks*fringe <= Cells(2)) blocksPer = [1, nRanks, 1]
    if (mod(nRanks, product(blocksPer, mask=blocksPer > 0)) /= 0) then
      where (blocksPer == 0) blocksPer = 1
      return
    end if
    call MPI_Dims_create(nRanks, 3, blocksPer, ierror)
  end subroutine chooseBlocks

  ! The first mod(n, parts) parts get one more.
  pure subroutine share(n, parts, part, before, mine)
    integer, intent(in) :: n, parts, part
    integer, intent(out) :: before, mine

    mine = n/parts
    before = part*mine + min(part, mod(n, parts))
    if (part < mod(n, parts)) mine = mine + 1
  end subroutine share

  pure integer function ownerOf(id)
    integer, intent(in) :: id
    integer :: before, mine

    do ownerOf = 0, nRanks - 1
      call share(nBlocks, nRanks, ownerOf, before, mine)
      if (id < before + mine) return
    end do
  end function ownerOf

  subroutine allocateBlock(b, id)
    type(block), intent(inout) :: b
    integer, intent(in) :: id
    integer :: place(3), other(3), d, side

    b%id = id
    place = [mod(id, blocksPer(1)), mod(id/blocksPer(1), blocksPer(2)), &
             id/(blocksPer(1)*blocksPer(2))]
    do d = 1, 3
      call share(Cells(d), blocksPer(d), place(d), b%offset(d), b%n(d))
      do side = 1, 2
        other = place
        other(d) = place(d) + 2*side - 3
        if (sideOf(side, d) == 'periodic') other(d) = modulo(other(d), blocksPer(d))
        if (other(d) < 0 .or. other(d) >= blocksPer(d)) cycle
        b%neighbour(side, d) = other(1) + blocksPer(1)*(other(2) + blocksPer(2)*other(3))
      end do
    end do
    allocate(b%U(1-f(1):b%n(1)+f(1), 1-f(2):b%n(2)+f(2), 1-f(3):b%n(3)+f(3), nU), source=0.0_dp)
    allocate(b%Q(1-f(1):b%n(1)+f(1), 1-f(2):b%n(2)+f(2), 1-f(3):b%n(3)+f(3), nQ), source=0.0_dp)
    allocate(b%prop(1-f(1):b%n(1)+f(1), 1-f(2):b%n(2)+f(2), 1-f(3):b%n(3)+f(3), nProp), &
             source=0.0_dp)
    allocate(b%gradient(1-f(1):b%n(1)+f(1), 1-f(2):b%n(2)+f(2), 1-f(3):b%n(3)+f(3), 9), &
             source=0.0_dp)
    allocate(b%dU(b%n(1), b%n(2), b%n(3), iEn), source=0.0_dp)
    allocate(b%last, source=b%U)
    if (Energy == 'pressure') allocate(b%change, source=b%dU)
    do d = 1, 3
      other = merge(1, 0, [1, 2, 3] == d)
      if (active(d)) allocate(b%face(d)%flux(b%n(1) + other(1), b%n(2) + other(2), &
                                             b%n(3) + other(3), iEn), source=0.0_dp)
    end do
  end subroutine allocateBlock

  pure function boxesOf(b, which) result(boxes)
    type(block), intent(in) :: b
    integer, intent(in) :: which
    integer, allocatable :: boxes(:, :)           ! (6, number of boxes)
    integer :: first(3), last(3), d, side, layers(3)

    first = 1
    last = b%n
    if (which == cellsAlone) then
      boxes = reshape([first(1), last(1), first(2), last(2), first(3), last(3)], [6, 1])
      return
    end if
    layers = f
    if (which == nearFringe) layers = min(f, 1)
    allocate(boxes(6, 0))
    do d = 1, 3
      if (.not. active(d)) cycle
      do side = 1, 2
        first(d) = merge(1 - layers(d), b%n(d) + 1, side == 1)
        last(d) = merge(0, b%n(d) + layers(d), side == 1)
        boxes = reshape([boxes, first(1), last(1), first(2), last(2), first(3), last(3)], &
                        [6, size(boxes, 2) + 1])
      end do
      first(d) = 1
      last(d) = b%n(d)
      if (which == wholeFringe) then              ! what follows goes over these layers too
        first(d) = 1 - layers(d)
        last(d) = b%n(d) + layers(d)
      end if
    end do
  end function boxesOf

  ! What lies at a side of the domain.
  pure function sideOf(side, d) result(kind)
    integer, intent(in) :: side, d
    character(len=16) :: kind

    if (d == 1) kind = BoundaryX(side)
    if (d == 2) kind = BoundaryY(side)
    if (d == 3) kind = BoundaryZ(side)
  end function sideOf

  subroutine allocateLayers
    integer :: b, d, side, most

    allocate(sent(2, size(own)), received(2, size(own)))
    do b = 1, size(own)
      most = 0
      do d = 1, 3
        most = max(most, f(d)*product(own(b)%n + 2*f, mask=[1, 2, 3] /= d)*nU)
      end do
      do side = 1, 2
        allocate(sent(side, b)%values(most), received(side, b)%values(most), source=0.0_dp)
      end do
    end do
  end subroutine allocateLayers

  ! Fringes of U at both sides of direction d from the neighbours, whole planes: one direction
  ! after the other, edges and corners arrive too. Sides of the domain are left alone.
  subroutine exchangeFringes(d)
    integer, intent(in) :: d
    integer :: requests(4*size(own)), n, b, side, length, other, there, ierror

    n = 0
    do b = 1, size(own)
      length = f(d)*product(own(b)%n + 2*f, mask=[1, 2, 3] /= d)*nU
      do side = 1, 2
        other = own(b)%neighbour(side, d)
        if (other < 0) cycle
        call packLayers(own(b), d, side, sent(side, b)%values)
        there = ownerOf(other)
        if (there == rank) cycle
        call MPI_Irecv(received(side, b)%values, length, MPI_DOUBLE_PRECISION, there, &
                       2*own(b)%id + side, MPI_COMM_WORLD, requests(n + 1), ierror)
        call MPI_Isend(sent(side, b)%values, length, MPI_DOUBLE_PRECISION, there, &
                       2*other + 3 - side, MPI_COMM_WORLD, requests(n + 2), ierror)
        n = n + 2
      end do
    end do
    call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE, ierror)
    do b = 1, size(own)
      do side = 1, 2
        other = own(b)%neighbour(side, d)
        if (other < 0) cycle
        if (ownerOf(other) == rank) then
          call unpackLayers(own(b), d, side, sent(3 - side, other - firstBlock + 1)%values)
        else
          call unpackLayers(own(b), d, side, received(side, b)%values)
        end if
      end do
    end do
  end subroutine exchangeFringes

  ! The cells beside a side: inside (the layers that a neighbour wants), or its fringe.
  pure subroutine layersOf(b, d, side, inside, first, last)
    type(block), intent(in) :: b
    integer, intent(in) :: d, side
    logical, intent(in) :: inside
    integer, intent(out) :: first(3), last(3)

    first = 1 - f
    last = b%n + f
    if (side == 1) then
      first(d) = merge(1, 1 - f(d), inside)
    else
      first(d) = merge(b%n(d) - f(d) + 1, b%n(d) + 1, inside)
    end if
    last(d) = first(d) + f(d) - 1
  end subroutine layersOf

  subroutine packLayers(b, d, side, values)
    type(block), intent(in) :: b
    integer, intent(in) :: d, side
    real(dp), intent(inout) :: values(:)
    integer :: first(3), last(3), i, j, k, m, n

    call layersOf(b, d, side, .true., first, last)
    n = 0
    do m = 1, nU
      do k = first(3), last(3)
        do j = first(2), last(2)
          do i = first(1), last(1)
            n = n + 1
            values(n) = b%U(i, j, k, m)
          end do
        end do
      end do
    end do
  end subroutine packLayers

  subroutine unpackLayers(b, d, side, values)
    type(block), intent(inout) :: b
    integer, intent(in) :: d, side
    real(dp), intent(in) :: values(:)
    integer :: first(3), last(3), i, j, k, m, n

    call layersOf(b, d, side, .false., first, last)
    n = 0
    do m = 1, nU
      do k = first(3), last(3)
        do j = first(2), last(2)
          do i = first(1), last(1)
            n = n + 1
            b%U(i, j, k, m) = values(n)
          end do
        end do
      end do
    end do
  end subroutine unpackLayers

  ! Reductions whose result does not depend on the number of ranks.
  real(dp) function globalMax(value)
    real(dp), intent(in) :: value
    integer :: ierror
    call MPI_Allreduce(value, globalMax, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
  end function globalMax

  real(dp) function globalMin(value)
    real(dp), intent(in) :: value
    integer :: ierror
    call MPI_Allreduce(value, globalMin, 1, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, ierror)
  end function globalMin

  ! For timers and counts only: never part of the solution.
  real(dp) function globalSum(value)
    real(dp), intent(in) :: value
    integer :: ierror
    call MPI_Allreduce(value, globalSum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end function globalSum

  ! End the job with words; every rank may call it.
  subroutine stopAll(text)
    character(len=*), intent(in) :: text
    integer :: ierror, worldRank

    call MPI_Comm_rank(MPI_COMM_WORLD, worldRank, ierror)
    flush(output_unit)
    write(error_unit, '(a,i0,2a)') 'flow, rank ', worldRank, ': ', trim(text)
    flush(error_unit)
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine stopAll

end module blocksModule
