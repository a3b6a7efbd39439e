! Procedures inside others, which use the variables of those.
module other_things
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine unrelated(x)
    real(dp), intent(inout) :: x
    x = -x
  end subroutine unrelated
end module other_things

module orbits
  use other_things, only: dp, unrelated
  implicit none
  private
  type :: body
    real(dp) :: mass = 1, radius = 2
    integer :: number = 0
  end type body
  real(dp) :: scaling = 2.0_dp
  real(dp) :: residual
  public :: solve
contains
  subroutine solve(mu, n, start, earth, times, found, total)
    real(dp), intent(in) :: mu
    integer, intent(in) :: n
    real(dp), intent(in), optional :: start
    type(body), intent(in) :: earth
    real(dp), intent(in) :: times(:)
    real(dp), intent(out) :: found(n)
    real(dp), intent(inout) :: total
    real(dp) :: weights(-1:1), table(2, 3), tau
    real(dp), parameter :: half = 0.5_dp
    real(dp), allocatable :: work(:)
    logical :: wet
    integer :: calls, i
    allocate (work(n))
    calls = 0
    wet = .false.
    weights = [1, 2, 1]
    table = 1
    tau = 3
    do i = 1, n
      found(i) = rate(times(i))
      call weigh(times(i), found(i))
      call mark(times(i))
      call unrelated(found(i))
    end do
    total = calls + residual
  contains
    function rate(x) result(r)
      real(dp), intent(in) :: x
      real(dp) :: r
      r = mu * x / (half + x * x) + beside(x) * scaling
      if (wet) r = -r
    end function rate

    real(dp) function beside(t)
      real(dp), intent(in) :: t
      real(dp) :: mu
      mu = 2 * t
      beside = mu + tau
    end function beside

    subroutine weigh(x, y)
      real(dp), intent(in) :: x
      real(dp), intent(out) :: y
      integer :: k
      y = 0
      do k = -1, 1
        y = y + weights(k) * x + (k + 3) * table(1, k + 2) - table(2, 2)
      end do
      y = y + beside(x)
    end subroutine weigh

    subroutine mark(x)
      real(dp), intent(in) :: x
      tau = x * earth%radius
      weights(0) = earth%number + weights(-1)
      if (x > 1) calls = calls + 1
      residual = tau
    end subroutine mark

    subroutine started(x, y)
      real(dp), intent(in) :: x
      real(dp), intent(out) :: y
      y = x
      if (present(start)) y = y + start
    end subroutine started

    subroutine lengths(y)
      real(dp), intent(out) :: y
      y = sum(times) + found(1)
    end subroutine lengths

    real(dp) function worked(x)
      real(dp), intent(in) :: x
      worked = x + work(1)
    end function worked
  end subroutine solve
end module orbits

program waves
  use orbits, only: solve
  implicit real(8) (a-h, o-z)
  common /steps/ width, ksize
  real(8) :: dt = 0.2d0, dx = 0.1d0, heights(3) = [1d0, 2d0, 3d0]
  integer :: nsteps, nx
  integer, parameter :: halo = 2
  real(8), allocatable :: field(:)
  real(8) :: stencil(-1:1) = [0.25d0, 0.5d0, 0.25d0]
  nsteps = 0
  nx = 20
  allocate (field(1-halo:nx+halo))
  if (nsteps < 1) then
    field = 1
  end if
  drag = 0.5d0
  call advance(drag)
contains
  subroutine advance(q)
    real(8), intent(inout) :: q
    q = q + dx * sum(heights) + width * drag + slope(q)
    nsteps = nsteps + ksize
  end subroutine advance
  real(8) function slope(x)
    real(8), intent(in) :: x
    real(8) :: drag
    drag = x * heights(2)
    slope = drag - dx
  end function slope
  subroutine spread_out(state)
    real(8), intent(inout) :: state(1-halo:nx+halo)
    real(8) :: work(nx)
    !$bridge begin spread
    do i = 1, nx
      work(i) = state(i-halo) + state(i+halo) * dt + stencil(1) * field(i)
      do k = -1, 1
        work(i) = work(i) + stencil(k) * state(i)
      end do
    end do
    !$bridge end
    state(1:nx) = work
  end subroutine spread_out
end program waves
