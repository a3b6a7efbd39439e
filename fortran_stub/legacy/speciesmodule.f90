! Species constants: read once from a plain text file, then constant for the run.
!
! Everything a point subroutine needs about a species or a pair of species lies here, the pair
! tables included, so that the point loops only sum.
module speciesModule
  use useGENKindDefs, only: dp, cbrt
  implicit none
  private
  public :: speciesRead, speciesSetKij, speciesIndex, nameLength

  integer, parameter :: nameLength = 16

  ! Universal constants, SI.
  real(dp), parameter, public :: Rgas = 8.31446261815324_dp
  real(dp), parameter, public :: Pref = 101325.0_dp

  integer, protected, public :: ns = 0
  character(len=nameLength), allocatable, protected, public :: speciesName(:)

  ! W kg/mol, Tc K, Pc Pa, Vc m3/mol, omega -, dipole debye, kappa - (association).
  real(dp), allocatable, protected, public :: Wi(:), Tci(:), Pci(:), Vci(:), omegai(:)
  real(dp), allocatable, protected, public :: dipolei(:), kappai(:)

  ! nasa7(17,ns): Tlow, Tmid, Thigh, a1..a7 of the low range, a1..a7 of the high range.
  real(dp), allocatable, protected, public :: nasa7(:, :)

  ! Peng-Robinson: sqrt(ac), slope m, covolume b, and the interaction parameters.
  real(dp), allocatable, protected, public :: qi(:), mi(:), bi(:), kij(:, :)

  ! Chung: sigma angstrom, eps/k K; pair tables of the mixing rules (geometric sigma), rootMij
  ! the root of the harmonic mean molar mass in g/mol.
  real(dp), allocatable, protected, public :: sigmai(:), epsi(:)
  real(dp), allocatable, protected, public :: sigmaij(:, :), epsij(:, :), omegaij(:, :)
  real(dp), allocatable, protected, public :: rootMij(:, :), kappaij(:, :)

  ! Diffusion: arithmetic sigma, squared, and sqrt(1/Wi + 1/Wj).
  real(dp), allocatable, protected, public :: sigmaDij2(:, :), rootWij(:, :)

contains

  ! Take the species of the list, in its order, out of the file.
  subroutine speciesRead(fileName, list, message)
    character(len=*), intent(in) :: fileName     ! species.dat
    character(len=*), intent(in) :: list         ! names separated by blanks
    character(len=*), intent(out) :: message     ! blank, or what went wrong
    character(len=nameLength), allocatable :: wanted(:)
    character(len=nameLength) :: name
    real(dp) :: constants(7), coefficients(17)
    integer :: unit, ios, i, s, n, nFile
    logical, allocatable :: found(:)

    call splitNames(list, wanted, message)
    if (len_trim(message) > 0) return
    n = size(wanted)
    call allocateTables(n)
    speciesName = wanted
    allocate(found(n), source=.false.)

    open(newunit=unit, file=fileName, status='old', action='read', iostat=ios)
    if (ios /= 0) then
      message = 'cannot open the species file '//trim(fileName)
      return
    end if
    call skipComments(unit)
    read(unit, *, iostat=ios) nFile
    do i = 1, nFile
      if (ios == 0) read(unit, *, iostat=ios) name, constants
      if (ios == 0) read(unit, *, iostat=ios) coefficients
      if (ios /= 0) then
        message = 'cannot read a species record of '//trim(fileName)
        close(unit)
        return
      end if
      do s = 1, n
        if (wanted(s) /= name) cycle
        found(s) = .true.
        Wi(s) = constants(1)
        Tci(s) = constants(2)
        Pci(s) = constants(3)
        Vci(s) = constants(4)
        omegai(s) = constants(5)
        dipolei(s) = constants(6)
        kappai(s) = constants(7)
        nasa7(:, s) = coefficients
      end do
    end do
    close(unit)
    do s = 1, n
      if (.not. found(s)) then
        message = 'species '//trim(wanted(s))//' is not in '//trim(fileName)
        return
      end if
    end do

    call derivePengRobinson
    call deriveChung
  end subroutine speciesRead

  ! Binary interaction parameter of two species, by name; both orders are set.
  subroutine speciesSetKij(first, second, value, message)
    character(len=*), intent(in) :: first, second
    real(dp), intent(in) :: value
    character(len=*), intent(out) :: message
    integer :: i, j

    message = ' '
    i = speciesIndex(first)
    j = speciesIndex(second)
    if (i == 0 .or. j == 0) then
      message = 'kij of a species that is not in the list: '//trim(first)//' '//trim(second)
      return
    end if
    kij(i, j) = value
    kij(j, i) = value
  end subroutine speciesSetKij

  pure integer function speciesIndex(name)
    character(len=*), intent(in) :: name
    integer :: s
    speciesIndex = 0
    do s = 1, ns
      if (speciesName(s) == name) speciesIndex = s
    end do
  end function speciesIndex

  ! docs/physics.md, section 5: critical attraction, covolume and the slope of alpha.
  subroutine derivePengRobinson
    real(dp), parameter :: omegaA = 0.45723552892138218_dp
    real(dp), parameter :: omegaB = 0.07779607390388846_dp
    real(dp) :: w
    integer :: i

    do i = 1, ns
      w = omegai(i)
      qi(i) = sqrt(omegaA*(Rgas*Tci(i))**2/Pci(i))
      bi(i) = omegaB*Rgas*Tci(i)/Pci(i)
      if (w <= 0.491_dp) then
        mi(i) = 0.37464_dp + 1.54226_dp*w - 0.26992_dp*w**2
      else
        mi(i) = 0.379642_dp + 1.48503_dp*w - 0.164423_dp*w**2 + 0.016666_dp*w**3
      end if
    end do
    kij = 0.0_dp
  end subroutine derivePengRobinson

  ! Sections 11 and 12: Lennard-Jones parameters from critical constants, and the pair tables.
  subroutine deriveChung
    real(dp) :: massi, massj
    integer :: i, j

    do i = 1, ns
      sigmai(i) = 0.809_dp*cbrt(1.0e6_dp*Vci(i))
      epsi(i) = Tci(i)/1.2593_dp
    end do
    do j = 1, ns
      do i = 1, ns
        massi = 1000.0_dp*Wi(i)
        massj = 1000.0_dp*Wi(j)
        sigmaij(i, j) = sqrt(sigmai(i)*sigmai(j))
        epsij(i, j) = sqrt(epsi(i)*epsi(j))
        omegaij(i, j) = 0.5_dp*(omegai(i) + omegai(j))
        rootMij(i, j) = sqrt(2.0_dp*massi*massj/(massi + massj))
        kappaij(i, j) = sqrt(kappai(i)*kappai(j))
        sigmaDij2(i, j) = (0.5_dp*(sigmai(i) + sigmai(j)))**2
        rootWij(i, j) = sqrt(1.0_dp/Wi(i) + 1.0_dp/Wi(j))
      end do
    end do
  end subroutine deriveChung

  subroutine allocateTables(n)
    integer, intent(in) :: n

    if (allocated(Wi)) then
      deallocate(speciesName, Wi, Tci, Pci, Vci, omegai, dipolei, kappai, nasa7, qi, mi, bi, kij)
      deallocate(sigmai, epsi, sigmaij, epsij, omegaij, rootMij, kappaij, sigmaDij2, rootWij)
    end if
    ns = n
    allocate(speciesName(n), Wi(n), Tci(n), Pci(n), Vci(n), omegai(n), dipolei(n), kappai(n))
    allocate(nasa7(17, n), qi(n), mi(n), bi(n), kij(n, n), sigmai(n), epsi(n))
    allocate(sigmaij(n, n), epsij(n, n), omegaij(n, n), rootMij(n, n), kappaij(n, n))
    allocate(sigmaDij2(n, n), rootWij(n, n))
  end subroutine allocateTables

  subroutine splitNames(list, names, message)
    character(len=*), intent(in) :: list
    character(len=nameLength), allocatable, intent(out) :: names(:)
    character(len=*), intent(out) :: message
    character(len=len(list)) :: rest
    integer :: cut

    message = ' '
    allocate(names(0))
    rest = adjustl(list)
    do while (len_trim(rest) > 0)
      cut = index(rest//' ', ' ')
      if (any(names == rest(1:cut - 1))) message = 'species named twice: '//rest(1:cut - 1)
      names = [character(len=nameLength) :: names, rest(1:cut - 1)]
      rest = adjustl(rest(cut:))
    end do
    if (size(names) == 0) message = 'no species named'
  end subroutine splitNames

  subroutine skipComments(unit)
    integer, intent(in) :: unit
    character(len=1) :: first
    integer :: ios

    do
      read(unit, '(a)', iostat=ios) first
      if (ios /= 0) return
      if (first /= '#') exit
    end do
    backspace(unit)
  end subroutine skipComments

end module speciesModule
