! The blocks of the grid: who owns them, and the arrays of each.
!
! A block is a box of cells 1..n(1), 1..n(2), 1..n(3) with `fringe` layers around it in each
! direction of more than one cell; f(d) is their number, so that a plane is stored as a plane.
! Blocks are numbered x first and dealt to the ranks in order.
module blocksModule
  use mpi
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use, intrinsic :: iso_c_binding, only: c_loc, c_f_pointer
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use caseModule, only: Cells, Blocks, RegridEvery, Lengths, BoundaryX, BoundaryY, BoundaryZ, Energy, Update
  implicit none
  private
  public :: blocksBegin, cellsOf, shapeBlock, layArrays, boxesOf, planeOf, globalMax, globalMin, globalSum, stopAll, &
    sideOf, isWall, ownerOf

  integer, parameter, public :: fringe = 3

  ! Components of U, what a step carries on: densities rho_i, momentum, energy (with Energy =
  ! 'pressure' the pressure) and a first guess of the temperature. The last one makes the bits of
  ! a temperature depend on U alone, not on the blocks or on where a run began.
  integer, protected, public :: nU = 0, iMx = 0, iEn = 0, iT0 = 0

  ! Components of Q, made of U: density, energy J/kg, velocity, mass fractions.
  integer, parameter, public :: iRho = 1, iE = 2, iU = 3, iY = 6
  integer, protected, public :: nQ = 0

  ! Components of prop: what the equation of state makes of Q, then the transport properties.
  integer, parameter, public :: iT = 1, iP = 2, iC = 3, iCv = 4, iPRhoE = 5, iEta = 6, &
    iLambda = 7, iPRhoI = 8
  integer, protected, public :: iDim = 0, iHi = 0, nProp = 0

  ! Components of the states of an inflow or outflow: density, pressure, velocity, mass fractions,
  ! enthalpy, temperature. Those of the mass fractions are iY to nQ.
  integer, parameter, public :: jRho = 1, jP = 2, jU = 3
  integer, protected, public :: jH = 0, jT = 0

  type, public :: faces
    real(dp), pointer, contiguous :: flux(:, :, :, :) => null()     ! through the low faces, one more than cells
  end type faces

  type, public :: derivatives
    real(dp), pointer, contiguous :: gradient(:, :, :, :) => null() ! of the velocity, along one direction
  end type derivatives

  ! What goes through a side of the domain: one plane of states at an inflow, a plane for each layer
  ! of the fringe at an outflow. Null at other sides.
  type, public :: passage
    real(dp), pointer, contiguous :: state(:, :, :, :) => null()
    integer, pointer, contiguous :: status(:, :, :, :) => null()    ! of the state, one component
  end type passage

  ! Arrays begin where they began: their memory has room for the most cells of the block. TARGET
  ! because the bridge may keep the addresses of bound arrays.
  type, public :: block
    integer :: id = 0, n(3) = 0, offset(3) = 0    ! cells, and the global ones before them
    integer :: most(3) = 0                        ! cells that a regrid may give it
    integer :: neighbour(2, 3) = -1               ! block at the low and high side, or -1
    real(dp), pointer, contiguous :: U(:, :, :, :) => null(), dU(:, :, :, :) => null()
    real(dp), pointer, contiguous :: last(:, :, :, :) => null()     ! U as the step began
    real(dp), pointer, contiguous :: Q(:, :, :, :) => null(), prop(:, :, :, :) => null()
    integer, pointer, contiguous :: status(:, :, :, :) => null()    ! one component: bits of the thermal state
    real(dp), pointer, contiguous :: change(:, :, :, :) => null()   ! with Energy = 'pressure' only
    ! With Update = 'primitive' only: what Gamma is made of and a reference velocity,
    ! W with its density and enthalpy, dW.
    real(dp), pointer, contiguous, dimension(:, :, :, :) :: jacobian => null(), W => null(), dW => null()
    type(passage) :: through(2)                   ! at low and high x
    real(dp), allocatable :: tpd(:, :, :, :)      ! of the last state: below zero, it would split
    type(faces) :: face(3)
    type(derivatives) :: along(3)
  end type block

  type(block), allocatable, target, public :: own(:)

  ! Boxes of a block (first and last along x, y, z): its cells; the fringe around them, all of it,
  ! and its nearest layer alone, without edges.
  integer, parameter, public :: cellsAlone = 0, wholeFringe = 1, nearFringe = 2

  integer, protected, public :: rank = 0, nRanks = 1, blocksPer(3) = 1, nBlocks = 1
  integer, protected, public :: f(3) = 0, firstBlock = 0
  integer, protected :: reach(3) = 0                         ! cells by which a regrid moves a cut
  real(dp), protected, public :: h(3) = 0.0_dp               ! m, width of a cell
  integer, parameter, public :: others(2, 3) = reshape([2, 3, 3, 1, 1, 2], [2, 3])
  logical, protected, public :: active(3) = .false.          ! directions of more than one cell

contains

  subroutine blocksBegin(message)
    character(len=*), intent(out) :: message
    integer :: ierror, b, mine, d, thinnest

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
    jH = ns + 6
    jT = ns + 7
    h = Lengths/Cells
    active = Cells > 1
    f = merge(fringe, 0, active)
    blocksPer = Blocks
    if (any(Blocks == 0)) call chooseBlocks
    nBlocks = product(blocksPer)
    if (nBlocks < nRanks) write(message, '(2(a,i0))') 'fewer blocks than ranks: ', nBlocks, ' for ', nRanks
    if (any(Cells/blocksPer < max(f, 1))) &
      message = 'Blocks: blocks thinner than their fringes, use fewer blocks or more cells'
    if (len_trim(message) > 0) return
    do d = 1, 3                      ! cuts move by a quarter of a block, or less
      if (RegridEvery == 0 .or. blocksPer(d) == 1) cycle
      thinnest = Cells(d)/blocksPer(d)
      reach(d) = min(max(1, thinnest/4), (thinnest - f(d))/merge(1, 2, blocksPer(d) == 2))
      if (reach(d) < 1) write(message, '(2(a,i0),2a)') 'RegridEvery: a block of ', thinnest, &
        ' cells would get fewer than the ', f(d), ' of its fringe along ', 'xyz'(d:d)
    end do
    if (RegridEvery > 0 .and. nBlocks == 1) message = 'RegridEvery: one block has no cut that could move'
    if (len_trim(message) > 0) return
    call share(nBlocks, nRanks, rank, firstBlock, mine)
    allocate(own(mine))
    do b = 1, mine
      call allocateBlock(own(b), firstBlock + b - 1)
    end do
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

  ! Where a block lies among the blocks, along x, y and z, from 0.
  pure function placeOf(id) result(place)
    integer, intent(in) :: id
    integer :: place(3)
    place = [mod(id, blocksPer(1)), mod(id/blocksPer(1), blocksPer(2)), id/(blocksPer(1)*blocksPer(2))]
  end function placeOf

  ! First and last cell of a block, global, after so many regrids.
  pure function cellsOf(id, regrids) result(box)
    integer, intent(in) :: id, regrids
    integer :: box(3, 2), place(3), d

    place = placeOf(id)
    do d = 1, 3
      box(d, :) = [cut(d, place(d), regrids) + 1, cut(d, place(d) + 1, regrids)]
    end do
  end function cellsOf

  ! Cells before a cut. A regrid moves the cuts to one side, to the other side, then back, every
  ! second one against its neighbours.
  pure integer function cut(d, number, regrids)
    integer, intent(in) :: d, number, regrids
    integer, parameter :: way(0:2) = [0, 1, -1]
    integer :: mine

    call share(Cells(d), blocksPer(d), number, cut, mine)
    if (number > 0 .and. number < blocksPer(d)) &
      cut = cut + reach(d)*way(mod(regrids, 3))*merge(1, -1, mod(number, 2) == 1)
  end function cut

  subroutine allocateBlock(b, id)
    type(block), intent(inout) :: b
    integer, intent(in) :: id
    integer :: place(3), other(3), d, side

    b%id = id
    place = placeOf(id)
    do d = 1, 3
      do side = 1, 2
        other = place
        other(d) = place(d) + 2*side - 3
        if (sideOf(side, d) == 'periodic') other(d) = modulo(other(d), blocksPer(d))
        if (other(d) < 0 .or. other(d) >= blocksPer(d)) cycle
        b%neighbour(side, d) = other(1) + blocksPer(1)*(other(2) + blocksPer(2)*other(3))
      end do
    end do
    call shapeBlock(b, 0)
  end subroutine allocateBlock

  ! The cells of a block after so many regrids, and its arrays for them.
  subroutine shapeBlock(b, regrids)
    type(block), intent(inout), target :: b
    integer, intent(in) :: regrids
    integer :: box(3, 2)

    box = cellsOf(b%id, regrids)
    b%offset = box(:, 1) - 1
    if (regrids == 0) b%most = box(:, 2) - b%offset + 2*reach
    call layArrays(b, box(:, 2) - b%offset)
  end subroutine shapeBlock

  ! The arrays of a block for n cells, in the memory that they have.
  subroutine layArrays(b, n)
    type(block), intent(inout), target :: b
    integer, intent(in) :: n(3)
    integer, parameter :: none(3) = 0
    integer :: d, planes

    b%n = n
    call lay(b%U, n, b%most, f, f, nU)
    call lay(b%Q, n, b%most, f, f, nQ)
    call lay(b%prop, n, b%most, f, f, nProp)
    call lay(b%dU, n, b%most, none, none, iEn)
    call lay(b%last, n, b%most, none, none, nU)
    if (Energy == 'pressure') call lay(b%change, n, b%most, none, none, iEn)
    if (Update == 'primitive') then
      call lay(b%jacobian, n, b%most, none, none, 2*ns + 6)
      b%jacobian = 1.0_dp
      call lay(b%W, n, b%most, none, none, ns + 7)
      call lay(b%dW, n, b%most, none, none, ns + 5)
    end if
    do d = 1, 3
      call lay(b%along(d)%gradient, n, b%most, f, f, 3)
      if (active(d)) call lay(b%face(d)%flux, n, b%most, none, merge(1, 0, [1, 2, 3] == d), iEn)
    end do
    call layStatus(b%status, n, b%most, f)
    do d = 1, 2
      if (b%neighbour(d, 1) >= 0 .or. .not. any(sideOf(d, 1) == ['inflow ', 'outflow'])) cycle
      planes = merge(1, fringe, d == 1)
      call lay(b%through(d)%state, [planes, n(2:)], [planes, b%most(2:)], none, none, jT)
      call layStatus(b%through(d)%status, [planes, n(2:)], [planes, b%most(2:)], none)
    end do
  end subroutine layArrays

  subroutine layStatus(array, n, most, layers)
    integer, pointer, contiguous, intent(inout) :: array(:, :, :, :)
    integer, intent(in) :: n(3), most(3), layers(3)
    integer, pointer, contiguous :: memory(:)

    if (.not. associated(array)) allocate(array(product(most + 2*layers), 1, 1, 1), source=0)
    call c_f_pointer(c_loc(array), memory, [product(most + 2*layers)])
    array(1-layers(1):n(1)+layers(1), 1-layers(2):n(2)+layers(2), 1-layers(3):n(3)+layers(3), 1:1) => memory
  end subroutine layStatus

  ! An array of n cells with layers at their low and high sides, in memory for `most` cells.
  subroutine lay(array, n, most, low, high, components)
    real(dp), pointer, contiguous, intent(inout) :: array(:, :, :, :)
    integer, intent(in) :: n(3), most(3), low(3), high(3), components
    real(dp), pointer, contiguous :: memory(:)

    if (.not. associated(array)) allocate(array(product(most + low + high), 1, 1, components), source=0.0_dp)
    call c_f_pointer(c_loc(array), memory, [product(most + low + high)*components])
    array(1-low(1):n(1)+high(1), 1-low(2):n(2)+high(2), 1-low(3):n(3)+high(3), 1:components) => memory
  end subroutine lay

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

  ! The box of a plane of cells at a side, counted from it: 1 is the first one inside, 0 the first
  ! one of its fringe. whole: with the fringes of the other directions.
  pure function planeOf(b, d, side, plane, whole) result(box)
    type(block), intent(in) :: b
    integer, intent(in) :: d, side, plane
    logical, intent(in) :: whole
    integer :: box(6), first(3), last(3)

    first = merge(1 - f, [1, 1, 1], whole)
    last = b%n + merge(f, 0, whole)
    first(d) = merge(plane, b%n(d) + 1 - plane, side == 1)
    last(d) = first(d)
    box = [first(1), last(1), first(2), last(2), first(3), last(3)]
  end function planeOf

  pure logical function isWall(side, d)
    integer, intent(in) :: side, d
    isWall = any(sideOf(side, d) == ['slip', 'wall'])
  end function isWall

  ! What lies at a side of the domain.
  pure function sideOf(side, d) result(kind)
    integer, intent(in) :: side, d
    character(len=16) :: kind

    if (d == 1) kind = BoundaryX(side)
    if (d == 2) kind = BoundaryY(side)
    if (d == 3) kind = BoundaryZ(side)
  end function sideOf

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
