! The exchange of fringes between blocks, and the sides of the domain.
module exchangeModule
  use mpi
  use useGENKindDefs, only: dp
  use caseModule, only: Offload
  use blocksModule
  use boundaryModule, only: bcGeomResCalc
  use bridgeFlowModule
  implicit none
  private
  public :: exchangeBegin, exchangePlan, exchangeFringes, fillSides

  type :: layers
    real(dp), allocatable :: values(:)
  end type layers
  type(layers), allocatable :: sent(:, :), received(:, :)   ! side, block

contains

  subroutine exchangeBegin
    integer :: b, d, side, most

    allocate(sent(2, size(own)), received(2, size(own)))
    do b = 1, size(own)
      most = 0
      do d = 1, 3
        most = max(most, f(d)*product(own(b)%most + 2*f, mask=[1, 2, 3] /= d)*nU)
      end do
      do side = 1, 2
        allocate(sent(side, b)%values(most), received(side, b)%values(most), source=0.0_dp)
      end do
    end do
  end subroutine exchangeBegin

  ! Offload = 'step': the bridge exchanges the fringes of U. It is told once which rank has the
  ! neighbour of each side, the layers that go there, and where its layers come. Two sides of a face
  ! have one number, that of the block before it.
  subroutine exchangePlan
    integer, dimension(2*size(own)) :: neighbours, faces, blocks
    integer, dimension(6, 2*size(own)) :: sends, receives
    integer :: d, b, side, other, n

    do d = 1, 3
      if (.not. active(d)) cycle
      do b = 1, size(own)
        do side = 1, 2
          n = 2*b + side - 2
          other = own(b)%neighbour(side, d)
          neighbours(n) = MPI_PROC_NULL
          if (other >= 0) neighbours(n) = ownerOf(other)
          faces(n) = merge(other, own(b)%id, side == 1)
          blocks(n) = b
          sends(:, n) = layersOf(own(b), d, side, inside=.true.)
          receives(:, n) = layersOf(own(b), d, side, inside=.false.)
        end do
      end do
      call bridgePlanExchange(d, neighbours, faces, blocks, sends, receives)
    end do
  end subroutine exchangePlan

  ! Fringes of U at both sides of direction d from the neighbours, whole planes: one direction
  ! after the other, edges and corners arrive too. Sides of the domain are left alone.
  subroutine exchangeFringes(d)
    integer, intent(in) :: d
    integer :: requests(4*size(own)), n, b, side, length, other, there, ierror

    if (Offload == 'step') then
      if (active(d)) call bridgeExchange(d)
      return
    end if
    n = 0
    do b = 1, size(own)
      length = f(d)*product(own(b)%n + 2*f, mask=[1, 2, 3] /= d)*nU
      do side = 1, 2
        other = own(b)%neighbour(side, d)
        if (other < 0) cycle
        call moveLayers(own(b), d, side, sent(side, b)%values, inside=.true.)
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
          call moveLayers(own(b), d, side, sent(3 - side, other - firstBlock + 1)%values, inside=.false.)
        else
          call moveLayers(own(b), d, side, received(side, b)%values, inside=.false.)
        end if
      end do
    end do
  end subroutine exchangeFringes

  ! The box of the cells beside a side: inside (the layers that a neighbour wants), or its fringe.
  pure function layersOf(b, d, side, inside) result(box)
    type(block), intent(in) :: b
    integer, intent(in) :: d, side
    logical, intent(in) :: inside
    integer :: box(6), first(3), last(3)

    first = 1 - f
    last = b%n + f
    if (side == 1) then
      first(d) = merge(1, 1 - f(d), inside)
    else
      first(d) = merge(b%n(d) - f(d) + 1, b%n(d) + 1, inside)
    end if
    last(d) = first(d) + f(d) - 1
    box = [first(1), last(1), first(2), last(2), first(3), last(3)]
  end function layersOf

  ! To a message, the layers inside, or from it, the fringe.
  subroutine moveLayers(b, d, side, values, inside)
    type(block), intent(inout) :: b
    integer, intent(in) :: d, side
    real(dp), intent(inout) :: values(:)
    logical, intent(in) :: inside
    integer :: box(6), i, j, k, m, n

    box = layersOf(b, d, side, inside)
    n = 0
    do m = 1, nU
      do k = box(5), box(6)
        do j = box(3), box(4)
          do i = box(1), box(2)
            n = n + 1
            if (inside) then
              values(n) = b%U(i, j, k, m)
            else
              b%U(i, j, k, m) = values(n)
            end if
          end do
        end do
      end do
    end do
  end subroutine moveLayers

  ! Fringes of direction d at the sides of the domain. With 'fluxes' these loops are still the
  ! host's: the layers beside a side come, and what they say of its cells goes.
  subroutine fillSides(d)
    integer, intent(in) :: d
    integer :: b, side

    do b = 1, size(own)
      do side = 1, 2
        if (own(b)%neighbour(side, d) >= 0) cycle
        if (Offload == 'fluxes') &
          call bridgeLayersToHost(own(b), layersOf(own(b), d, side, inside=.true.))
        call bcGeomResCalc(own(b), d, side)
        if (Offload == 'fluxes') &
          call bridgeToDevice(own(b), 'thermal', 'status', layersOf(own(b), d, side, inside=.true.))
      end do
    end do
  end subroutine fillSides

end module exchangeModule
