! A regrid: the cuts between blocks move, and cells go to other blocks and ranks. U of the cells is
! all that moves, because all else is made of U.
module regridModule
  use mpi
  use useGENKindDefs, only: dp
  use caseModule, only: Offload, RegridEvery
  use blocksModule
  use flowsModule, only: flowInlet
  use bridgePropertiesModule, only: bridgeBind
  use bridgeFlowModule, only: flowBridgeBind
  use exchangeModule, only: exchangePlan
  use steppingModule, only: loopsOffloaded, fieldsToHost, fieldsToDevice, rhsTimeStates
  implicit none
  private
  public :: regrid

  type :: cells
    real(dp), allocatable :: U(:, :, :, :)
  end type cells

  integer :: regrids = 0

contains

  ! Where the case wants one after this step: the next cuts, and the states of the blocks that they
  ! make.
  subroutine regrid(step)
    integer, intent(in) :: step
    type(cells) :: before(size(own))
    integer :: b
    character(len=512) :: message

    if (RegridEvery < 1) return
    if (mod(step, RegridEvery) /= 0) return
    call fieldsToHost
    do b = 1, size(own)
      before(b)%U = own(b)%U(1:own(b)%n(1), 1:own(b)%n(2), 1:own(b)%n(3), :)
      call shapeBlock(own(b), regrids + 1)
      call flowInlet(own(b))
    end do
    call moveCells(before)
    regrids = regrids + 1
    if (Offload /= 'none') call bridgeBind
    if (loopsOffloaded()) call flowBridgeBind
    if (Offload == 'step') call exchangePlan
    call fieldsToDevice
    if (rank == 0) write(*, '(a,i0,a,3(1x,i0),a)') 'regrid ', regrids, ': the first block has', own(1)%n, ' cells'
    call rhsTimeStates(.true., message)
    if (len_trim(message) > 0) call stopAll('the states after a regrid are none: '//message)
  end subroutine regrid

  ! What each block had before goes to those that have it now. All ranks go through the same pairs
  ! of blocks, so that each message meets who waits for it.
  subroutine moveCells(before)
    type(cells), intent(in) :: before(:)
    real(dp), allocatable :: moved(:, :, :, :)
    integer :: from, to, giver, taker, had(3, 2), has(3, 2), i(3), j(3), ierror

    do from = 0, nBlocks - 1
      had = cellsOf(from, regrids)
      giver = ownerOf(from)
      do to = 0, nBlocks - 1
        has = cellsOf(to, regrids + 1)
        taker = ownerOf(to)
        i = max(had(:, 1), has(:, 1))             ! first and last cell of both
        j = min(had(:, 2), has(:, 2))
        if (any(j < i) .or. (giver /= rank .and. taker /= rank)) cycle
        allocate(moved(j(1) - i(1) + 1, j(2) - i(2) + 1, j(3) - i(3) + 1, nU))
        i = i - had(:, 1) + 1
        j = j - had(:, 1) + 1
        if (giver == rank) moved = before(from - firstBlock + 1)%U(i(1):j(1), i(2):j(2), i(3):j(3), :)
        if (giver == rank .and. taker /= rank) call MPI_Send(moved, size(moved), &
          MPI_DOUBLE_PRECISION, taker, 78, MPI_COMM_WORLD, ierror)
        if (giver /= rank) call MPI_Recv(moved, size(moved), MPI_DOUBLE_PRECISION, giver, 78, &
          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        i = i + had(:, 1) - has(:, 1)
        j = j + had(:, 1) - has(:, 1)
        if (taker == rank) own(to - firstBlock + 1)%U(i(1):j(1), i(2):j(2), i(3):j(3), :) = moved
        deallocate(moved)
      end do
    end do
  end subroutine moveCells

end module regridModule
