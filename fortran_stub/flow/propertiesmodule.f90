! Which way the properties come: the Fortran subroutines, the bridge, or both, compared.
module propertiesModule
  use useGENKindDefs, only: dp
  use caseModule, only: Offload, Properties, VerifyTolerance
  use speciesModule, only: ns
  use blocksModule
  use legacyPropertiesModule
  use bridgePropertiesModule
  implicit none
  private
  public :: propertiesBegin, propertiesThermal, propertiesViscous, propertiesFromPressure
  public :: propertiesEnd

  character(len=8), parameter :: names(11) = [character(len=8) :: &
    'T', 'P', 'c', 'cv', 'p_rhoe', 'p_rhoi', 'eta', 'lambda', 'D_im', 'h_Yi', 'status']
  real(dp) :: worst(11) = 0.0_dp     ! difference over the largest value of its box

contains

  subroutine propertiesBegin
    integer :: b

    if (Offload == 'none') return
    call bridgeBegin
    if (Properties /= 'verify') return
    do b = 1, size(own)
      allocate(own(b)%checked(1-f(1):own(b)%n(1)+f(1), 1-f(2):own(b)%n(2)+f(2), &
                              1-f(3):own(b)%n(3)+f(3), nProp + 2), source=0.0_dp)
    end do
  end subroutine propertiesBegin

  subroutine propertiesThermal(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)

    if (Offload == 'none') then
      call legacyThermal(b, boxes)
    else if (Properties == 'run') then
      call bridgeThermal(b, boxes)
    else
      call bridgeThermal(b, boxes)
      b%checked(:, :, :, :nProp) = b%prop
      b%checked(:, :, :, nProp + 1:) = b%Q(:, :, :, iT:iP)
      call legacyThermal(b, boxes)
      call compare(b, boxes, 1, b%Q(:, :, :, iT:iT), b%checked(:, :, :, nProp + 1:nProp + 1))
      call compare(b, boxes, 2, b%Q(:, :, :, iP:iP), b%checked(:, :, :, nProp + 2:nProp + 2))
      call compareProp(b, boxes, 3, iC, iC)
      call compareProp(b, boxes, 4, iCv, iCv)
      call compareProp(b, boxes, 5, iPRhoE, iPRhoE)
      call compareProp(b, boxes, 6, iPRhoI, iPRhoI + ns - 1)
      call compareProp(b, boxes, 11, iStatus, iStatus)
    end if
  end subroutine propertiesThermal

  subroutine propertiesViscous(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)

    if (Offload == 'none') then
      call legacyViscous(b, boxes)
      return
    end if
    call bridgeViscous(b, boxes)
    if (Properties == 'run') return
    b%checked(:, :, :, :nProp) = b%prop
    call legacyViscous(b, boxes)
    call compareProp(b, boxes, 7, iEta, iEta)
    call compareProp(b, boxes, 8, iLambda, iLambda)
    call compareProp(b, boxes, 9, iDim, iDim + ns - 1)
    call compareProp(b, boxes, 10, iHi, iHi + ns - 1)
  end subroutine propertiesViscous

  subroutine propertiesFromPressure(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)

    if (Offload == 'none') then
      call legacyFromPressure(b, boxes)
    else
      call bridgeFromPressure(b, boxes)
    end if
  end subroutine propertiesFromPressure

  subroutine compareProp(b, boxes, which, first, last)
    type(block), intent(in) :: b
    integer, intent(in) :: boxes(:, :), which, first, last
    call compare(b, boxes, which, b%prop(:, :, :, first:last), b%checked(:, :, :, first:last))
  end subroutine compareProp

  ! Largest difference in the boxes over the largest value of each component there. The status
  ! counts as 1 where it differs.
  subroutine compare(b, boxes, which, reference, other)
    type(block), intent(in) :: b
    integer, intent(in) :: boxes(:, :), which
    real(dp), intent(in) :: reference(1-f(1):, 1-f(2):, 1-f(3):, :), other(1-f(1):, 1-f(2):, 1-f(3):, :)
    real(dp) :: scale, difference
    integer :: n, m, i, j, k

    if (size(b%prop, 1) /= size(reference, 1)) return
    do n = 1, size(boxes, 2)
      do m = 1, size(reference, 4)
        associate (a => boxes(:, n))
          scale = maxval(abs(reference(a(1):a(2), a(3):a(4), a(5):a(6), m)))
          if (names(which) == 'status') scale = 1.0_dp
          do k = a(5), a(6)
            do j = a(3), a(4)
              do i = a(1), a(2)
                difference = abs(other(i, j, k, m) - reference(i, j, k, m))/max(scale, tiny(scale))
                ! A NaN on one side counts as the largest difference there is.
                if (.not. difference <= huge(difference)) difference = huge(difference)
                worst(which) = max(worst(which), difference)
              end do
            end do
          end do
        end associate
      end do
    end do
  end subroutine compare

  ! False if the two answers differ by more than the case allows.
  logical function propertiesEnd()
    integer :: i

    propertiesEnd = .true.
    if (Offload == 'none') return
    if (Properties == 'verify') then
      do i = 1, size(worst)
        worst(i) = globalMax(worst(i))
        if (rank == 0) write(*, '(a,a8,es10.2)') 'verify: ', names(i), worst(i)
      end do
      propertiesEnd = all(worst <= VerifyTolerance)
      if (rank == 0) write(*, '(a,es9.2)') merge('verify: passed, every difference within ', &
        'verify: FAILED, a difference beyond     ', propertiesEnd), VerifyTolerance
    end if
    call bridgeEnd
  end function propertiesEnd

end module propertiesModule
