! Properties = 'verify': every step is made twice, by the bridge and by Fortran, from the same U.
! All else is made of U, so a step of both compares whatever is offloaded.
module verifyModule
  use mpi
  use useGENKindDefs, only: dp
  use caseModule, only: Offload, setOffload, VerifyTolerance, Viscous
  use speciesModule, only: ns
  use blocksModule
  use steppingModule, only: mainTimeExplicit, rhsTimeStates, fieldsToHost, fieldsToDevice
  implicit none
  private
  public :: verifyStep, verifyTable

  type :: fields
    real(dp), allocatable :: U(:, :, :, :), dU(:, :, :, :), prop(:, :, :, :)
  end type fields

  ! What is compared: properties of the state with which a step begins, and what the step makes.
  integer, parameter :: nProperties = 10, nKinds = nProperties + 4
  character(len=11), parameter :: kinds(nKinds) = [character(len=11) :: 'T', 'P', 'c', 'cv', &
    'p_rhoe', 'eta', 'lambda', 'p_rhoi', 'D_im', 'h_Yi', &
    'densities', 'momentum', 'energy', 'temperature']

  type :: largest
    real(dp) :: difference = 0.0_dp   ! over the largest value of its kind in a block
    integer :: cell(3) = 0, step = 0
  end type largest

  type(largest) :: worst(nKinds)
  integer :: steps = 0

contains

  ! A step by the bridge, whose fields stay, and the same step by Fortran.
  subroutine verifyStep(dt, message)
    real(dp), intent(in) :: dt
    character(len=*), intent(out) :: message
    type(fields) :: began(size(own)), bridge(size(own))
    character(len=16) :: stage
    integer :: b

    stage = Offload
    call fieldsToHost
    do b = 1, size(own)
      began(b)%U = own(b)%U
      began(b)%prop = own(b)%prop
    end do
    call mainTimeExplicit(dt, .false., message)
    if (len_trim(message) > 0) return
    call fieldsToHost
    do b = 1, size(own)
      bridge(b)%U = own(b)%U
      own(b)%U = began(b)%U
      ! Its first stage takes dU times zero, which the host may have no numbers of.
      bridge(b)%dU = own(b)%dU
      own(b)%dU = 0.0_dp
    end do
    call setOffload('none')
    call rhsTimeStates(.true., message)
    steps = steps + 1
    do b = 1, size(own)
      if (len_trim(message) == 0) call compareProperties(own(b), began(b)%prop)
    end do
    if (len_trim(message) == 0) call mainTimeExplicit(dt, .false., message)
    call setOffload(stage)
    do b = 1, size(own)
      if (len_trim(message) == 0) call compareFields(own(b), bridge(b)%U)
      own(b)%U = bridge(b)%U
      own(b)%dU = bridge(b)%dU
    end do
    call fieldsToDevice
  end subroutine verifyStep

  ! first, last: the components of each property in prop, in the order of kinds.
  subroutine compareProperties(b, other)
    type(block), intent(in) :: b
    real(dp), intent(in) :: other(1-f(1):, 1-f(2):, 1-f(3):, :)
    integer :: which, first(nProperties), last(nProperties)

    first = [iT, iP, iC, iCv, iPRhoE, iEta, iLambda, iPRhoI, iDim, iHi]
    last = [first(:7), first(8:) + ns - 1]
    do which = 1, nProperties
      if (.not. Viscous .and. any(first(which) == [iEta, iLambda, iDim, iHi])) cycle
      call compareKind(b, b%prop, other, which, first(which), last(which))
    end do
  end subroutine compareProperties

  subroutine compareFields(b, other)
    type(block), intent(in) :: b
    real(dp), intent(in) :: other(1-f(1):, 1-f(2):, 1-f(3):, :)

    call compareKind(b, b%U, other, nProperties + 1, 1, ns)
    call compareKind(b, b%U, other, nProperties + 2, iMx, iMx + 2)
    call compareKind(b, b%U, other, nProperties + 3, iEn, iEn)
    call compareKind(b, b%U, other, nProperties + 4, iT0, iT0)
  end subroutine compareFields

  subroutine compareKind(b, fortran, other, which, first, last)
    type(block), intent(in) :: b
    real(dp), intent(in) :: fortran(1-f(1):, 1-f(2):, 1-f(3):, :), other(1-f(1):, 1-f(2):, 1-f(3):, :)
    integer, intent(in) :: which, first, last
    real(dp) :: scale, difference
    integer :: i, j, k, m

    scale = maxval(abs(fortran(1:b%n(1), 1:b%n(2), 1:b%n(3), first:last)))
    ! At rest the momentum is rounding: what sound carries is its measure.
    if (kinds(which) == 'momentum') scale = max(scale, &
      maxval(b%Q(1:b%n(1), 1:b%n(2), 1:b%n(3), iRho)*b%prop(1:b%n(1), 1:b%n(2), 1:b%n(3), iC)))
    do m = first, last
      do k = 1, b%n(3)
        do j = 1, b%n(2)
          do i = 1, b%n(1)
            difference = abs(other(i, j, k, m) - fortran(i, j, k, m))/max(scale, tiny(scale))
            ! A NaN on one side counts as the largest difference there is.
            if (.not. difference <= huge(difference)) difference = huge(difference)
            if (difference > worst(which)%difference) &
              worst(which) = largest(difference, b%offset + [i, j, k], steps)
          end do
        end do
      end do
    end do
  end subroutine compareKind

  ! Rank 0 prints the largest differences, each with its cell and step; false if one is beyond the
  ! tolerance of the case.
  logical function verifyTable()
    integer :: n

    do n = 1, nKinds
      call worstOfRanks(worst(n))
      if (rank == 0 .and. worst(n)%step > 0) write(*, '(2a,es10.2,a,3(1x,i0),a,i0)') 'verify: ', &
        kinds(n), worst(n)%difference, '  cell', worst(n)%cell, '  step ', worst(n)%step
    end do
    verifyTable = all(worst%difference <= VerifyTolerance)
    if (rank /= 0) return
    if (verifyTable) then
      write(*, '(a,i0,a,es9.2)') 'verify: passed, ', steps, ' steps, every difference within ', &
        VerifyTolerance
    else
      write(*, '(a,es9.2)') 'verify: FAILED, a difference beyond ', VerifyTolerance
    end if
  end function verifyTable

  subroutine worstOfRanks(entry)
    type(largest), intent(inout) :: entry
    real(dp) :: pair(2), best(2)
    integer :: place(4), ierror

    pair = [entry%difference, real(rank, dp)]
    call MPI_Allreduce(pair, best, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    place = [entry%cell, entry%step]
    call MPI_Bcast(place, 4, MPI_INTEGER, nint(best(2)), MPI_COMM_WORLD, ierror)
    entry = largest(best(1), place(1:3), place(4))
  end subroutine worstOfRanks

end module verifyModule
