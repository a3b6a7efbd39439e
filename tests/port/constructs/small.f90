! Small arrays of one point, intrinsics, types, calls.
module small
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_is_nan
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: dp = real64
  real(dp), parameter :: weights(0:4) = [0.1_dp, 0.2_dp, 0.4_dp, 0.2_dp, 0.1_dp]
  integer, parameter :: order(3) = [3, 1, 2]
  real(dp), parameter :: matrix(2, 3) = reshape([1, 2, 3, 4, 5, 6]*0.5_dp, [2, 3])
  real(dp) :: gravity = 9.81_dp
  integer :: scheme = 2
  integer :: layers = 4
  logical :: limited = .true.
  real(dp) :: curve(4, 2) = reshape([0., 1., 2., 3., 10., 14., 11., 5.], [4, 2])
  real(dp) :: cache_x = -1, cache_y = 0

  type state
    real(dp) :: rho = 1.0_dp, u(3)
    integer :: flag = 7
    logical :: wet = .false.
  end type state

  ! A procedure may have it that names none of what kernels do not know.
  type cell
    character(8) :: label = 'cell'
    real(dp), pointer :: mesh(:) => null()
    real(dp), allocatable :: history(:)
    real(dp) :: mass, heat(2)
    type(state) :: inner
    integer :: step
  end type cell

contains

  subroutine whole(a, b, c, total, n)
    real(dp), intent(in) :: a(4), b(4)
    real(dp), intent(out) :: c(4), total
    integer, intent(out) :: n
    real(dp) :: t(4)
    t = a*b + 2.0_dp
    c = t - sum(t)/4
    c(2:3) = c(3:2:-1)*b(1:2)
    t(:) = t(4:1:-1)
    t(2:4) = t(1:3)
    c = c + t/t(2)
    total = sum(a, mask=a > b) + maxval(t) - minval(c) + product(b) + dot_product(a, b)
    n = count(a > b)
    if (any(a > 1.9_dp)) n = n + 10
    if (all(b > 0.6_dp)) n = n + 20
    n = n + 100*maxloc(a, 1) + 1000*minloc(b, dim=1)
  end subroutine whole

  subroutine wheres(a, b, c)
    real(dp), intent(in) :: a(5), b(5)
    real(dp), intent(out) :: c(5)
    where (a > 1.2_dp)
      c = a
    elsewhere (b > 1.2_dp)
      c = -b
    elsewhere
      c = a*b
    end where
    where (c < 0) c = c + 1
    where (c > 1)
      c = c - c(1)
    end where
  end subroutine wheres

  subroutine matrices(a, v, w, d)
    real(dp), intent(in) :: a(3, 3), v(3)
    real(dp), intent(out) :: w(3), d(3, 3)
    real(dp) :: m(3, 3), row(3)
    integer :: i, j
    m = matmul(a, transpose(a))
    w = matmul(m, v)
    row = sum(a, dim=1)
    d = m
    do i = 1, 3
      d(i, i) = d(i, i) + row(i)
      do j = 1, i - 1
        d(j, i) = -d(i, j)
      end do
    end do
    d(:, 2) = d(2, :) + w
    d(1, :) = [w(1), 2*w(2), 0.5_dp]
    d = d + spread(v, 1, 3)
    call scale(d(:, 3), 2.0_dp)
    call scale(d(2, :), 3.0_dp)
  end subroutine matrices

  subroutine scale(x, factor)
    real(dp), intent(inout) :: x(:)
    real(dp), intent(in) :: factor
    integer :: i
    do i = 1, size(x)
      x(i) = x(i)*factor + i
    end do
  end subroutine scale

  subroutine tables(x, k, y, n)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y
    integer, intent(out) :: n
    integer :: i
    y = 0
    do i = 0, 4
      y = y + weights(i)*x**i
    end do
    n = order(1) + 10*order(min(max(k, 1), 3))
    y = y + matrix(2, order(2)) + matrix(min(max(k, 1), 2), 3)
  end subroutine tables

  subroutine host(x, k, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y
    integer :: i
    y = gravity*x
    select case (scheme)
    case (1)
      y = y + 1
    case (2)
      y = y + 2
    end select
    if (limited) y = min(y, 15.0_dp)
    i = min(max(k, 1), 3)
    y = y + curve(i, 2) + (x - curve(2, 1))*(curve(i + 1, 2) - curve(i, 2))
    do i = 1, scheme
      y = y + curve(i, 1)
    end do
  end subroutine host

  subroutine numbers(x, y, k, m, r, n, p)
    real(dp), intent(in) :: x, y
    integer, intent(in) :: k, m
    real(dp), intent(out) :: r(14)
    integer, intent(out) :: n(14)
    logical, intent(out) :: p(4)
    real(dp) :: z
    integer :: j
    z = (x - 1.2_dp)*7.3_dp
    r(1) = aint(z) + 10*anint(z)
    r(2) = mod(z, y) + modulo(z, y)
    r(3) = sign(x, z) + sign(y, -z)
    r(4) = dim(x, y) + abs(z)
    r(5) = x**k + x**3 + x**(-2) + 2.0_dp**m
    r(6) = x**y + x**0.5_dp + y**1.5_dp
    r(7) = sin(z) + cos(z)*tan(x) + atan2(z, x)
    r(8) = asin(x/3) + acos(y/3) + atan(z)
    r(9) = sinh(x) + cosh(y) + tanh(z) + erf(x)
    r(10) = log(x) + log10(y) + exp(-x) + sqrt(y)
    r(11) = max(x, y, 1.1_dp) - min(x, y, 1.3_dp)
    r(12) = real(k, dp)/3 + k/3 + k*1.5_dp + epsilon(x) + tiny(1.0_dp)
    r(13) = merge(x, y, x > 1.2_dp) + hypot(x, y)
    r(14) = -x**2 + (-y)**3 - 2.0_dp/3.0_dp*x + 0.1*x - sqrt(2.0)*y + 1.0/3.0
    n(1) = int(z) + 100*nint(z)
    n(2) = floor(z) + 100*ceiling(z)
    n(3) = k/3 + 10*mod(k, 3) + 100*modulo(k, 3)
    n(4) = (-k)/2 + k*m - k**2 + m**3
    n(5) = ior(k, 5) + 100*iand(k, 6) + 10000*ieor(m, 3)
    n(6) = ishft(k, 2) + ishft(abs(m), -1) + not(k)
    n(7) = ibset(k, 4) + ibclr(m, 0)
    n(8) = max(k, m, 2) - min(k, m) + abs(k) + sign(3, k)
    n(9) = merge(k, m, k > m)
    n(10) = size(r) + ubound(n, 1) + kind(x)
    n(11) = ishft(ishft(m, 31), -31) + ishft(-m, -28)
    n(12) = 0
    if (m /= 0) n(12) = k/m + 100*mod(k, m)
    if (btest(k, 1)) n(12) = n(12) + 1000
    n(13) = k**max(m, 0)
    n(14) = (k + m)/(-2) + 100*nint(0.5_dp*k) + 10000*int(anint(0.5_dp*m))
    do j = 1, 2
      if (btest(k, j)) n(14) = n(14) + j
    end do
    p(1) = x > y .and. k > 2 .or. m == 1
    p(2) = (x > y) .eqv. (k > m)
    p(3) = (x > y) .neqv. .not. (k >= m)
    p(4) = ieee_is_finite(z) .and. .not. ieee_is_nan(x)
  end subroutine numbers

  elemental real(dp) function smooth(x, width)
    real(dp), intent(in) :: x, width
    smooth = 0.5_dp*(1 + tanh(x/width))
  end function smooth

  elemental subroutine swap(a, b)
    real(dp), intent(inout) :: a, b
    real(dp) :: t
    t = a
    a = b
    b = t
  end subroutine swap

  subroutine elementals(a, b, c)
    real(dp), intent(in) :: a(3)
    real(dp), intent(inout) :: b(3)
    real(dp), intent(out) :: c(3)
    c = smooth(a - 1, 0.3_dp) + max(a, b)
    call swap(b, c)
    where (b > 1) c = smooth(b, c)
  end subroutine elementals

  function cross(a, b) result(c)
    real(dp), intent(in) :: a(3), b(3)
    real(dp) :: c(3)
    c(1) = a(2)*b(3) - a(3)*b(2)
    c(2) = a(3)*b(1) - a(1)*b(3)
    c(3) = a(1)*b(2) - a(2)*b(1)
  end function cross

  subroutine vectors(a, b, length, c)
    real(dp), intent(in) :: a(3), b(3)
    real(dp), intent(out) :: length, c(3)
    c = cross(a, b)
    c = c + cross(c, cross(b, a))
    length = sqrt(sum(c**2))
  end subroutine vectors

  subroutine optional_part(x, y, shift, count, flag)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp), intent(in), optional :: shift
    integer, intent(inout), optional :: count
    logical, intent(in), optional :: flag
    y = x
    if (present(shift)) y = y + shift
    if (present(flag)) then
      if (flag) y = -y
    end if
    if (present(count)) then
      count = count + 1
      if (y > 1.5_dp) count = count + 10
    end if
  end subroutine optional_part

  subroutine optionals(x, k, y, n)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y
    integer, intent(out) :: n
    real(dp) :: a, b, c
    n = 0
    call optional_part(x, a)
    call optional_part(x, b, 0.5_dp, n)
    if (k > 0) call optional_part(y=c, x=a, count=n, flag=k > 3)
    if (k <= 0) c = 2
    y = a + 10*b + 100*c
  end subroutine optionals

  subroutine relax(s, x)
    type(state), intent(inout) :: s
    real(dp), intent(in) :: x
    s%rho = s%rho*x
    s%u = s%u + x
    s%u(2) = -1
    if (s%rho > 1.3_dp) then
      s%flag = s%flag + 1
      s%wet = .true.
    end if
  end subroutine relax

  subroutine warmed(c, x)
    type(cell), intent(inout) :: c
    real(dp), intent(in) :: x
    c%heat = c%heat + x*c%mass
    if (c%step > 2) c%mass = c%heat(2)
    c%step = c%step + 1
  end subroutine warmed

  subroutine fresh(s)
    type(state), intent(out) :: s
    s%u = 0.5_dp
  end subroutine fresh

  subroutine types(x, k, y, n)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y
    integer, intent(out) :: n
    type(state) :: one, two
    one%u = [x, 2*x, 3*x]
    if (k > 2) then
      call relax(one, 2*x)
    end if
    two = one
    if (k < 1) two%flag = 3
    call relax(two, x)
    if (k == 4) call fresh(one)
    y = one%rho + sum(two%u) + two%u(3)*dot_product(one%u, two%u)
    n = one%flag + 10*two%flag
    if (two%wet .and. .not. one%wet) n = n + 1000
  end subroutine types

  recursive subroutine private_cache(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp), save :: known(2) = [3.0_dp, 4.0_dp]
    integer, save :: calls = 0
    call memo(x)
    call memo(x)
    calls = calls + 1
    known(1) = known(1)*0 + 3 + x
    y = cache_y + known(1) + known(2)
  end subroutine private_cache

  subroutine memo(x)
    real(dp), intent(in) :: x
    if (x == cache_x) return
    cache_x = x
    cache_y = exp(x)
  end subroutine memo

  integer function level(x, k)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer :: i
    level = -1
    if (x < 0.6_dp) return
    do i = 1, 6
      if (x < 0.25_dp*i + 0.1_dp*k) then
        level = i
        return
      end if
    end do
  end function level

  ! What a point has when it returns is its result.
  real(dp) function settled(x, k)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    settled = x
    if (x > 1.2_dp) return
    settled = 2*x
    if (k > 3) return
    settled = settled + k
  end function settled

  subroutine counted(x, n)
    real(dp), intent(in) :: x
    integer, intent(inout) :: n
    n = n + 1
    if (x > 1.2_dp) return
    n = n + 10
  end subroutine counted

  function settled_array(x) result(a)
    real(dp), intent(in) :: x
    real(dp) :: a(2)
    a = x
    if (x > 1.0_dp) return
    a = [2*x, 3*x]
  end function settled_array

  subroutine returns(x, k, n, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer, intent(out) :: n
    real(dp), intent(out) :: y
    integer :: c
    c = 0
    call counted(x, c)
    n = c
    call counted(2*x, n)
    y = settled(x, k) + 10*settled(0.5_dp*x, 5) + sum(settled_array(x))
    if (k > 2) y = y + settled(x, 1)
  end subroutine returns

  subroutine layered(t, x, s)
    real(dp), intent(in) :: t(layers), x
    real(dp), intent(out) :: s
    real(dp) :: w(layers)
    integer :: i
    w = 1.0_dp/layers
    do i = 2, layers
      w(i) = w(i - 1)*x
    end do
    s = sum(t*w) + layers
  end subroutine layered

  ! Sections whose bounds differ between points.
  subroutine ragged(a, k, m, b, total)
    real(dp), intent(in) :: a(6)
    integer, intent(in) :: k, m
    real(dp), intent(out) :: b(6), total
    integer :: n, low
    n = min(max(k, 1), 6)
    low = min(max(m, 1), 3)
    b = 1
    b(1:n) = b(1:n)*a(1:n)
    b(low:n) = b(low:n) + 10
    if (k > 2) b(n:6) = 2*a(n:6) - 1
    total = sum(a(1:n)) + maxval(a(low:6)) + count(a(1:n) > 1)
    if (any(a(low:n) > 1.5_dp)) total = total + 100
    b(low:low + 2) = a(1:3)
  end subroutine ragged

  logical function inside_of(x)
    real(dp), intent(in) :: x
    inside_of = x > 0.8_dp .and. x < 1.7_dp
  end function inside_of

  subroutine functions(x, k, n, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer, intent(out) :: n
    real(dp), intent(out) :: y
    n = level(x, k) + 10*level(2*x, 1)
    y = 0
    if (inside_of(x)) y = n*x
    if (inside_of(2*x) .or. k > 3) y = y + level(x, 2)
  end subroutine functions

  subroutine pieces(x, n, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: n
    real(dp), intent(out) :: y(2)
    real(dp) :: work(n), grid(-1:1, 2)
    integer :: i
    do i = 1, n
      work(i) = x*i
    end do
    grid(-1, :) = x
    grid(0:1, 1) = work(1:2)
    grid(0:1, 2) = work(2:1:-1)
    y(1) = sum(work) + sum(grid)
    y(2) = maxval(grid(:, 2)) + size(work)
  end subroutine pieces

  subroutine automatic(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: a(2), b(2)
    call pieces(x, 3, a)
    call pieces(2*x, 5, b)
    y = a(1) + b(1) + 100*(a(2) + b(2))
  end subroutine automatic

  subroutine in_loops(x, k, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y
    integer :: i
    real(dp) :: s
    y = 0
    do i = 1, 3
      if (k > i) then
        call accumulate(x, i, y)
        if (y > 4) cycle
      end if
      s = helper(y, i)
      y = y + s
    end do
  contains
    subroutine accumulate(z, m, total)
      real(dp), intent(in) :: z
      integer, intent(in) :: m
      real(dp), intent(inout) :: total
      if (z > 1.4_dp) return
      total = total + z*m
    end subroutine accumulate
    real(dp) function helper(z, m)
      real(dp), intent(in) :: z
      integer, intent(in) :: m
      helper = 0.01_dp*z + m
      do while (helper > 1.0_dp)
        helper = helper*0.7_dp
      end do
    end function helper
  end subroutine in_loops

  subroutine integer_arrays(ids, x, k, out, mark)
    integer, intent(in) :: ids(4), k
    real(dp), intent(in) :: x
    integer, intent(out) :: out(4)
    logical, intent(out) :: mark(4)
    integer :: i, total(2)
    out = ids*2 + 1
    where (out < 3) out = 0
    mark = ids > k
    if (x > 1.1_dp) out(2:3) = ids(1)
    total = 0
    do i = 1, 4
      if (mark(i)) total(1) = total(1) + 1
      total(2) = total(2) + ids(i)
    end do
    out(1) = sum(ids) + total(1)*100
    out(4) = maxval(ids) + 10*count(mark) + total(2)
    if (k >= 1 .and. k <= 4) out(k) = -out(k)
  end subroutine integer_arrays
  ! A logical that is joined of two under a condition.
  subroutine joined(a, b, x)
    real(8), intent(in) :: a, b
    real(8), intent(out) :: x
    logical :: q
    q = a > 0.5d0
    if (b > 0.0d0) then
      if (a > b - 0.25d0) q = (a < b) .or. (a*b > 0.25d0)
    end if
    if (a > 0.9d0) q = q .and. b < 0.5d0
    x = merge(a, b, q)
  end subroutine joined

  ! Values are passed where a procedure changes the variable itself.
  subroutine after(a, b, c)
    real(dp), intent(inout) :: a
    real(dp), intent(in) :: b
    real(dp), intent(out) :: c
    a = a + 1
    c = b*2
  end subroutine after

  subroutine next(i, j, k)
    integer, intent(inout) :: i
    integer, intent(in) :: j
    integer, intent(out) :: k
    i = i + 1
    k = j*2
  end subroutine next

  subroutine values(x, n, y, k)
    real(dp), intent(inout) :: x
    integer, intent(inout) :: n
    real(dp), intent(out) :: y(4)
    integer, intent(out) :: k(3)
    call after(x, (x), y(1))
    call after(x, +x, y(2))
    call after(x, dble(x), y(3))
    call after(x, real(x, dp), y(4))
    call next(n, (n), k(1))
    call next(n, n + 0, k(2))
    call next(n, int(n)*1, k(3))
  end subroutine values

  ! Functions that change variables run for the points of their statement, once.
  real(dp) function stepped(x, n)
    real(dp), intent(in) :: x
    integer, intent(inout) :: n
    n = n + 1
    stepped = x*n
  end function stepped

  real(dp) function remembered(x)
    real(dp), intent(in) :: x
    call memo(x)
    remembered = cache_y
  end function remembered

  subroutine effects(x, y, n, m)
    real(dp), intent(in) :: x
    real(dp), intent(inout) :: y
    integer, intent(inout) :: n, m
    integer :: i
    if (x > 1.2_dp) y = stepped(x, n)
    if (y > 3) then
      y = y - stepped(1.0_dp, m)
    else if (x > 0.8_dp) then
      y = stepped(-x, m) + 1
    end if
    n = modulo(n, 4)
    do i = 1, n
      y = y + stepped(x, n)
    end do
    y = y + remembered(x)
    if (x > 1) y = y + remembered(1.5_dp)
    y = y + cache_x
  end subroutine effects

  ! Keywords in another order than the dummies.
  subroutine keywords(x, y, i, j, r, k, m)
    real(dp), intent(in) :: x, y
    integer, intent(in) :: i, j
    real(dp), intent(out) :: r(6), m(2, 2)
    integer, intent(out) :: k(5)
    real(dp) :: p(2, 2)
    r(1) = sign(b=y - 1, a=x)
    r(2) = mod(p=x, a=y*7)
    r(3) = atan2(x=x, y=y)
    r(4) = atan2(y=x, x=y)
    r(5) = dim(y=x, x=y)
    r(6) = modulo(p=x, a=-y*7)
    k(1) = mod(p=3, a=i)
    k(2) = ishft(shift=2, i=abs(j))
    k(3) = merge(mask=x > 1, fsource=1, tsource=2)
    k(4) = huge(1) - huge(1_2) - huge(1_1)
    k(5) = merge(1, 0, btest(pos=1, i=abs(i)))
    p = reshape(shape=[2, 2], source=[x, y, x + y, 1.0_dp])
    m = matmul(matrix_b=p, matrix_a=transpose(matrix=p) + 1)
  end subroutine keywords

  ! Loops downwards, and choices that all points share.
  subroutine downwards(x, a, y, k)
    real(dp), intent(in) :: x, a(4)
    real(dp), intent(out) :: y
    integer, intent(out) :: k
    integer :: i
    y = 0
    k = 0
    do i = 4, 1, -1
      y = y*x + a(i)
      k = 10*k + merge(i, 0, i > 2)
      if (y > 5) exit
    end do
    k = 10*k + i
    do i = 4, 1, -1
      k = k + merge(i, -1, i /= 3)
    end do
  end subroutine downwards

  ! Sections backwards, an element behind the last one under a condition, cases of a logical.
  subroutine edges(a, x, y, b)
    real(dp), intent(in) :: a(4), x
    real(dp), intent(out) :: y, b(4)
    integer :: i
    b = a(4:1:-1)
    b(4:2:-1) = b(4:2:-1) + a(1:3)
    y = 100*sum(a(::-1)) + sum(a(:2:-1)) + product(a(3::-1))
    do i = 1, 4
      if (i < 4) y = y + a(i + 1)*x
      if (i > 1) y = y - a(i - 1)
    end do
    select case (x > 1)
    case (.false.)
      y = -y
    case (.true.)
      y = y + 10
    end select
  end subroutine edges

  ! Constants of single precision in a table, quotients of negative constants.
  subroutine weighted(x, i, y, k)
    real(dp), intent(in) :: x
    integer, intent(in) :: i
    real(dp), intent(out) :: y
    integer, intent(out) :: k
    real, parameter :: weights(3) = [0.1, 0.2, 0.7]
    y = x*weights(1 + modulo(i, 3))
    k = (-7)/2 + i*((-9)/(-2))
  end subroutine weighted

  ! Lists that read their target, with steps and matrices; a where under a condition; an optional
  ! argument that is handed on.
  subroutine listed(x, m, a, y, k)
    real(dp), intent(in) :: x, m(2, 2)
    real(dp), intent(inout) :: a(3)
    real(dp), intent(out) :: y
    integer, intent(out) :: k
    real(dp) :: b(5)
    integer :: i
    a(1:2) = [a(2), a(1)]
    if (x > 1) then
      where (a > 1) a = -a
    end if
    a = a + [(i*x, i=1, 7, 3)]
    b = [m, x]
    y = b(1) + 10*b(2) + 100*b(3) + 1000*b(4) + 10000*b(5)
    k = 2.9_dp
    call handed_on(x, y)
    call handed_on(x, y, m(1, 2))
  end subroutine listed

  subroutine handed_on(x, y, z)
    real(dp), intent(in) :: x
    real(dp), intent(inout) :: y
    real(dp), intent(in), optional :: z
    call scaled_by(x, y, z)
  end subroutine handed_on

  subroutine scaled_by(x, y, z)
    real(dp), intent(in) :: x
    real(dp), intent(inout) :: y
    real(dp), intent(in), optional :: z
    if (present(z)) then
      y = y*z + x
    else
      y = y - x
    end if
  end subroutine scaled_by

  ! Statement functions give values of their own type.
  subroutine own_types(x, i, y, k)
    real(dp), intent(in) :: x
    integer, intent(in) :: i
    real(dp), intent(out) :: y(3)
    integer, intent(out) :: k
    integer :: truncated, n
    real(dp) :: halved, with, a, slope
    truncated(a) = a*2.5_dp
    halved(n) = (n + 1)/2
    with(a) = a*slope + n
    slope = x
    n = i
    k = truncated(x) + i
    y(1) = halved(i)/4
    y(2) = truncated(x)/3
    y(3) = with(2.0_dp)
    slope = 3
    y(3) = y(3) + with(x)
  end subroutine own_types

end module small
