! Procedures of a point that read and write variables of modules and COMMON, and nests whose sizes
! are variables of modules.
module settings
  implicit none
  type rates_t
    real(8) :: base = 0.25d0
    integer :: times
  end type rates_t
  type kind_t
    real(8) :: mort = 0.1d0
    logical :: active
    type(rates_t) :: rates
  end type kind_t
  type grid_t
    real(8) :: dx = 2d0, top, weights(3)
  end type grid_t
  type(kind_t), allocatable, target :: kinds(:)
  type(kind_t) :: stages(0:3)
  type(grid_t) :: grid
  real(8), pointer :: profile(:) => null()
  integer :: nx, ny
end module settings

module turbulence
  implicit none
  real(8) :: tke, eps, flux(3), last = 0.5d0, forcing, spread(2)
  integer :: calls = 0, regime
  logical :: wet
  real(8), private :: work, parts(3)
  real(8), private :: shown = 0d0
  complex(8) :: wave
  real(8) :: shared_a, shared_b
  equivalence (shared_a, shared_b)
  real(8) :: large(300)
  real(8), allocatable :: levels(:)
contains
  ! Results of a point in variables of the module; work and parts are scratch memory.
  subroutine closure(s, n, nu)
    real(8), intent(in) :: s, n
    real(8), intent(out) :: nu
    integer :: k
    call production(s, n)
    if (s > n) then
      tke = work * 2d0
      wet = .true.
    else
      tke = abs(work) + 0.1d0
      wet = .false.
    end if
    do k = 1, 3
      flux(k) = tke * k
    end do
    regime = merge(1, 2, wet)
    nu = 0.1d0 * tke + eps
  end subroutine closure

  subroutine production(s, n)
    real(8), intent(in) :: s, n
    work = s
    if (s > 0.5d0) work = s * s - 0.25d0 * n
    parts = [s, n, work]
    eps = sum(parts)
  end subroutine production

  ! What goes in and comes back; forcing is set by the caller for each point.
  subroutine relax(x)
    use settings, only: grid
    real(8), intent(inout) :: x
    real(8) :: from_common, bounds(2)
    common /state/ from_common, bounds
    last = 0.5d0 * (last + x) + forcing
    if (x > 1) then
      calls = calls + 1
      bounds(2) = x
    end if
    from_common = last * bounds(1)
    spread(1) = x
    spread(2) = from_common
    call moved(spread)
    grid%top = x * grid%dx
    grid%weights(2) = x
    x = last
  end subroutine relax

  subroutine moved(a)
    real(8), intent(inout) :: a(2)
    a(2) = a(2) + a(1)
  end subroutine moved

  subroutine losses(t, y)
    use settings
    real(8), intent(in) :: t
    real(8), intent(out) :: y
    integer :: k
    y = profile(2)
    do k = 1, 3
      if (kinds(k)%active) y = y + kinds(k)%mort * t + kinds(k)%rates%base
    end do
    y = y + stages(0)%mort + stages(3)%rates%base * t
  end subroutine losses

  subroutine counted(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = next(x) + tke
  end subroutine counted

  subroutine twice(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = next(x) * held()
  end subroutine twice

  function next(x)
    real(8), intent(in) :: x
    real(8) :: next
    tke = x
    next = 2 * x
  end function next

  function held()
    real(8) :: held
    held = tke
  end function held

  subroutine passed(x)
    real(8), intent(in) :: x
    tke = x
    call both(tke)
  end subroutine passed

  subroutine handed(x)
    real(8), intent(in) :: x
    call both(tke)
    tke = tke + x
  end subroutine handed

  subroutine both(a)
    real(8), intent(inout) :: a
    a = a + 1
    eps = tke
  end subroutine both

  subroutine cached(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    if (x > shown) shown = x
    y = shown
  end subroutine cached

  subroutine scratched(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    real(8), save :: t = 0d0
    t = x * x
    y = t + 1
  end subroutine scratched

  subroutine same(x)
    real(8), intent(in) :: x
    shared_a = x
  end subroutine same

  subroutine whole(x)
    real(8), intent(in) :: x
    large = x
  end subroutine whole

  subroutine unknown(x)
    real(8), intent(in) :: x
    levels(2) = x
  end subroutine unknown

  subroutine waves(x)
    real(8), intent(in) :: x
    wave = cmplx(x, x, 8)
  end subroutine waves

  subroutine layout(x)
    real(8), intent(in) :: x
    real(8) :: one, two
    common /other/ one, two
    one = x
    call of_other()
  end subroutine layout

  subroutine of_other()
    real(8) :: pair(2)
    common /other/ pair
    pair(2) = pair(1)
  end subroutine of_other

  subroutine jumps(x)
    real(8), intent(in) :: x
    if (x > 1) goto 10
    eps = x
10  tke = x
  end subroutine jumps

  subroutine leaves(x, y)
    real(8), intent(in) :: x
    real(8), intent(inout) :: y
    integer :: k
    do k = 1, 9
      if (y > x) exit
      tke = y
      y = y * 2
    end do
    if (x < 0) return
    eps = 1
  end subroutine leaves

  subroutine shorter(x)
    real(8), intent(in) :: x
    call first_of(flux, x)
  end subroutine shorter

  subroutine first_of(a, x)
    real(8), intent(out) :: a(2)
    real(8), intent(in) :: x
    a = x
  end subroutine first_of

  subroutine turned(x)
    real(8), intent(inout) :: x
    do calls = 1, 3
      x = x + calls
    end do
  end subroutine turned

  subroutine tops(x, y)
    use settings, only: grid
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    grid%top = x * grid%dx
    y = grid%top
  end subroutine tops

  ! Arrays of the unit have sizes of a module.
  subroutine smoothed(a, b)
    use settings, only: nx, ny
    real(8), intent(in) :: a(nx, ny)
    real(8), intent(inout) :: b(0:nx, ny)
    real(8) :: factor(nx)
    integer :: i, j
    factor = 1
    !$bridge begin smoothed
    do j = 1, ny
      do i = 2, nx - 1
        b(i, j) = 0.5d0 * (a(i - 1, j) + a(i + 1, j))
        if (b(i, j) > 1d6) print *, 'large', i, j
      end do
    end do
    !$bridge end
    print *, b(1, 1), factor(1)
  end subroutine smoothed
end module turbulence
