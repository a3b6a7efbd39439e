! The arrays of a block and what their components mean.
!
! Q(nx,ny,nz,5+ns) = p, u, v, w, T, Y_1..Y_ns (SI), the bridge's default layout. Properties
! follow in one array of the same shape; its components are listed once, here, and found by name
! everywhere else.
module fieldsModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use decompositionModule, only: extent
  implicit none
  private
  public :: allocateFields, propertyIndex

  integer, parameter, public :: iP = 1, iU = 2, iV = 3, iW = 4, iT = 5, iY = 6
  integer, protected, public :: nq = 0

  ! TARGET because the bridge may keep the address of a bound array.
  real(dp), allocatable, target, public :: Q(:, :, :, :)
  real(dp), allocatable, target, public :: prop(:, :, :, :)
  real(dp), allocatable, target, public :: checked(:, :, :, :)   ! second answer, verify only
  real(dp), allocatable, public :: faceVelocity(:, :, :, :)      ! on the low face of a cell

  ! The outputs of eosThermalAndViscousProperties. Those that the transport step needs in the
  ! fringes come first, so that one exchange takes them.
  integer, parameter, public :: nOutputs = 25, nExchanged = 4
  character(len=8), parameter, public :: outputName(nOutputs) = [character(len=8) :: &
    'rho', 'lambda', 'D_im', 'h_Yi', &
    'W', 'Z', 'h', 'cp', 'cv', 'gamma', 'c', 'rho_p', 'rho_T', 'h_p', 'h_T', 'eta', &
    'Tcm', 'Pcm', 'PcKay', 'Vcm', 'Zcm', 'omegam', 'Tr', 'Pr', 'status']
  integer, protected, public :: firstColumn(nOutputs) = 0, lastColumn(nOutputs) = 0
  integer, protected, public :: nProperties = 0, lastExchanged = 0

contains

  subroutine allocateFields(withCheck)
    logical, intent(in) :: withCheck
    integer :: i

    nq = 5 + ns
    nProperties = 0
    do i = 1, nOutputs
      firstColumn(i) = nProperties + 1
      nProperties = nProperties + 1
      if (outputName(i) == 'D_im' .or. outputName(i) == 'h_Yi') &
        nProperties = nProperties + ns - 1
      lastColumn(i) = nProperties
    end do
    lastExchanged = lastColumn(nExchanged)
    allocate(Q(extent(1), extent(2), extent(3), nq), source=0.0_dp)
    allocate(prop(extent(1), extent(2), extent(3), nProperties), source=0.0_dp)
    allocate(faceVelocity(extent(1), extent(2), extent(3), 3), source=0.0_dp)
    if (withCheck) &
      allocate(checked(extent(1), extent(2), extent(3), nProperties), source=0.0_dp)
  end subroutine allocateFields

  ! First component of an output in the property array.
  pure integer function propertyIndex(name)
    character(len=*), intent(in) :: name
    integer :: i
    propertyIndex = 0
    do i = 1, nOutputs
      if (outputName(i) == name) propertyIndex = firstColumn(i)
    end do
  end function propertyIndex

end module fieldsModule
