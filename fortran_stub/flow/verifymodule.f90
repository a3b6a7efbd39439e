! Properties = 'verify': every step is made twice, by the bridge and by Fortran, from the same U.
! All else is made of U, so a step of both compares whatever is offloaded.
module verifyModule
  use useGENKindDefs, only: dp
  use caseModule, only: Offload, setOffload, VerifyTolerance
  use speciesModule, only: ns
  use blocksModule
  use steppingModule, only: mainTimeExplicit, rhsTimeStates, fieldsToHost, fieldsToDevice
  implicit none
  private
  public :: verifyStep, verifyTable

  type :: fields
    real(dp), allocatable :: U(:, :, :, :), dU(:, :, :, :)
  end type fields

  integer, parameter :: nKinds = 4
  character(len=12), parameter :: kinds(nKinds) = [character(len=12) :: &
    'densities', 'momentum', 'energy', 'temperature']
  real(dp) :: worst(nKinds) = 0.0_dp  ! difference over the largest value of its kind in a block
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
    end do
    call mainTimeExplicit(dt, message)
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
    call rhsTimeStates(message)
    if (len_trim(message) == 0) call mainTimeExplicit(dt, message)
    call setOffload(stage)
    steps = steps + 1
    do b = 1, size(own)
      if (len_trim(message) == 0) call compare(own(b), bridge(b)%U)
      own(b)%U = bridge(b)%U
      own(b)%dU = bridge(b)%dU
    end do
    call fieldsToDevice
  end subroutine verifyStep

  subroutine compare(b, other)
    type(block), intent(in) :: b
    real(dp), intent(in) :: other(1-f(1):, 1-f(2):, 1-f(3):, :)

    call compareKind(b, other, 1, 1, ns)
    call compareKind(b, other, 2, iMx, iMx + 2)
    call compareKind(b, other, 3, iEn, iEn)
    call compareKind(b, other, 4, iT0, iT0)
  end subroutine compare

  subroutine compareKind(b, other, which, first, last)
    type(block), intent(in) :: b
    real(dp), intent(in) :: other(1-f(1):, 1-f(2):, 1-f(3):, :)
    integer, intent(in) :: which, first, last
    real(dp) :: scale, difference
    integer :: i, j, k, m

    scale = maxval(abs(b%U(1:b%n(1), 1:b%n(2), 1:b%n(3), first:last)))
    ! At rest the momentum is rounding: what sound carries is its measure.
    if (which == 2) scale = max(scale, maxval(b%Q(1:b%n(1), 1:b%n(2), 1:b%n(3), iRho) &
                                              *b%prop(1:b%n(1), 1:b%n(2), 1:b%n(3), iC)))
    do m = first, last
      do k = 1, b%n(3)
        do j = 1, b%n(2)
          do i = 1, b%n(1)
            difference = abs(other(i, j, k, m) - b%U(i, j, k, m))/max(scale, tiny(scale))
            ! A NaN on one side counts as the largest difference there is.
            if (.not. difference <= huge(difference)) difference = huge(difference)
            worst(which) = max(worst(which), difference)
          end do
        end do
      end do
    end do
  end subroutine compareKind

  ! Rank 0 prints the largest differences; false if one is beyond the tolerance of the case.
  logical function verifyTable()
    integer :: i

    do i = 1, nKinds
      worst(i) = globalMax(worst(i))
      if (rank == 0) write(*, '(2a,es10.2)') 'verify: ', kinds(i), worst(i)
    end do
    verifyTable = all(worst <= VerifyTolerance)
    if (rank /= 0) return
    if (verifyTable) then
      write(*, '(a,i0,a,es9.2)') 'verify: passed, ', steps, ' steps, every difference within ', &
        VerifyTolerance
    else
      write(*, '(a,es9.2)') 'verify: FAILED, a difference beyond ', VerifyTolerance
    end if
  end function verifyTable

end module verifyModule
