! The point loops that benchmarks time, callable from C: `pointSetsModule` is either the legacy
! physics (legacysets.f90) or the hand-tuned one (../tuned).
module pointLoopsModule
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char
  use speciesModule, only: ns, speciesName, speciesRead, speciesSetKij
  use pointSetsModule
  implicit none
  private

contains

  ! Species of the list out of the file, and their interaction coefficients; ierr 0 or 1.
  subroutine pointSpecies(file, list, n, kij, ierr) bind(c, name='point_species')
    character(kind=c_char), intent(in) :: file(*), list(*)
    integer(c_int), value :: n
    real(c_double), intent(in) :: kij(n, n)
    integer(c_int), intent(out) :: ierr
    character(len=200) :: message
    integer :: i, j

    ierr = 1
    call speciesRead(text(file), text(list), message)
    if (len_trim(message) > 0 .or. ns /= n) return
    do j = 1, n
      do i = 1, j - 1
        call speciesSetKij(speciesName(i), speciesName(j), kij(i, j), message)
      end do
    end do
    call prepareSets
    ierr = 0
  end subroutine pointSpecies

  ! A point's numbers lie side by side, which is what a point loop likes best.
  subroutine pointThermal(n, T, P, Y, thermal, status) bind(c, name='point_thermal')
    integer(c_int), value :: n
    real(c_double), intent(in) :: T(n), P(n), Y(ns, n)
    real(c_double), intent(out) :: thermal(nThermal, n)
    integer(c_int), intent(out) :: status(n)
    integer :: i

    do i = 1, n
      call thermalSet(T(i), P(i), Y(:, i), thermal(:, i), status(i))
    end do
  end subroutine pointThermal

  subroutine pointFull(n, T, P, Y, thermal, eta, lambda, Dim, status) bind(c, name='point_full')
    integer(c_int), value :: n
    real(c_double), intent(in) :: T(n), P(n), Y(ns, n)
    real(c_double), intent(out) :: thermal(nThermal, n), eta(n), lambda(n), Dim(ns, n)
    integer(c_int), intent(out) :: status(n)
    integer :: i

    do i = 1, n
      call fullSet(T(i), P(i), Y(:, i), thermal(:, i), eta(i), lambda(i), Dim(:, i), status(i))
    end do
  end subroutine pointFull

  ! The solver's loop: Q = p, u, v, w, T, Y with fringes of width f on every side; properties are
  ! rho .. c, eta, lambda, D_im, status, component last as Q is.
  subroutine pointBlock(nx, ny, nz, f, Q, properties) bind(c, name='point_block')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: Q(nx, ny, nz, 5 + ns)
    real(c_double), intent(inout) :: properties(nx, ny, nz, nThermal + 3 + ns)
    real(c_double) :: Y(ns), thermal(nThermal), eta, lambda, Dim(ns)
    integer :: i, j, k, status

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          Y = Q(i, j, k, 6:5 + ns)
          call fullSet(Q(i, j, k, 5), Q(i, j, k, 1), Y, thermal, eta, lambda, Dim, status)
          properties(i, j, k, 1:nThermal) = thermal
          properties(i, j, k, nThermal + 1) = eta
          properties(i, j, k, nThermal + 2) = lambda
          properties(i, j, k, nThermal + 3:nThermal + 2 + ns) = Dim
          properties(i, j, k, nThermal + 3 + ns) = real(status, c_double)
        end do
      end do
    end do
  end subroutine pointBlock

  pure function text(chars)
    character(kind=c_char), intent(in) :: chars(*)
    character(len=:), allocatable :: text
    integer :: length, i

    length = 0
    do while (chars(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate(character(len=length) :: text)
    do i = 1, length
      text(i:i) = chars(i)
    end do
  end function text

end module pointLoopsModule
