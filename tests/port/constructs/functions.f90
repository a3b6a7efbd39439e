! Functions that kernels have beside point.h, places in arrays, complex arguments, statements of
! newer Fortran.
module functions
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer :: index_outside = 3
contains
  subroutine special(x, y, o)
    real(dp), intent(in) :: x, y
    real(dp), intent(out) :: o(16)
    integer :: n
    o(1) = gamma(x) + dgamma(3*y)
    o(2) = log_gamma(x) - log_gamma(20*y)
    o(3) = erfc(x) + derfc(-y)
    o(4) = erfc_scaled(0.2_dp*x)
    o(5) = erfc_scaled(x + 0.3_dp)
    o(6) = erfc_scaled(10*y)
    o(7) = erfc_scaled(-2*y)
    o(8) = bessel_j0(x) + bessel_j1(5*y)
    o(9) = bessel_y0(x) + bessel_y1(5*y)
    o(10) = bessel_jn(3, 4*x) + bessel_yn(n=2, x=y)
    o(11) = 0
    do n = 0, 4
      o(11) = o(11) + n*bessel_jn(n, x)
    end do
    o(12) = gamma(4.5_dp)*x
    o(13) = atan(x, -y)
    ! In the tails, as far as they are numbers.
    o(14) = erfc(20*x)*1e300_dp
    o(15) = log(erfc_scaled(-13*x))
    o(16) = gamma(-x) + log_gamma(-y)
  end subroutine special

  subroutine parts(x, y, n, o, k)
    real(dp), intent(in) :: x, y
    integer, intent(in) :: n
    real(dp), intent(out) :: o(12)
    integer, intent(out) :: k(4)
    o(1) = fraction(100*x)
    o(2) = set_exponent(y, n)
    o(3) = scale(x, n) + scale(y, 7)
    o(4) = spacing(x)/epsilon(x)
    o(5) = rrspacing(1000*y)
    o(6) = (nearest(x, 1.0_dp) - x)/epsilon(x)
    o(7) = (nearest(y, x - 1) - y)/epsilon(y)
    o(8) = spacing(x*1e-310_dp)/tiny(x)
    o(9) = (nearest(0.0_dp, -1.0_dp)*1e300_dp)*1e20_dp
    o(10) = set_exponent(-x, -5) + fraction(0*y)
    o(11) = scale(x, 1100) - scale(y*1e-300_dp, -200)
    o(12) = rrspacing(-x*1e-300_dp)
    k = [exponent(x), exponent(1e10_dp*y), exponent(x*1e-310_dp), exponent(0*x)]
  end subroutine parts

  subroutine of_bits(i, j, o)
    integer, intent(in) :: i, j
    integer, intent(out) :: o(20)
    integer :: k, n
    k = i*123456789 + j
    n = abs(j)
    o(1) = ishft(k, j)
    o(2) = shiftl(k, n)
    o(3) = shiftr(shift=n, i=k)
    o(4) = shifta(k, n)
    o(5) = ibits(k, n, 5)
    o(6) = ibits(k, 3, n)
    o(7) = ibset(k, n)
    o(8) = ibclr(k, n + 20)
    o(9) = ibset(k, 31)
    o(10) = ibclr(k, 31)
    o(11) = merge(1, 0, btest(k, 31))
    o(12) = merge_bits(k, j, 255)
    o(13) = merge_bits(mask=n, j=k, i=i)
    o(14) = maskr(5) + maskl(3)
    o(15) = ishft(k, 4*j)
    o(16) = ishft(k, -32) + shiftr(k, 32)
    o(17) = iall([k, i, j])
    o(18) = iany([i, j])
    o(19) = iparity([k, i, j])
    o(20) = ishft(3, n)
  end subroutine of_bits

  subroutine places(a, b, k, x, n, o)
    real(dp), intent(in) :: a(5), b(3, 2), x
    integer, intent(in) :: k(4), n
    integer, intent(out) :: o(37)
    integer :: two(2)
    real(dp) :: gap(5)
    o = 0
    o(1) = maxloc(a, dim=1, mask=a < 1.3_dp)
    o(2) = minloc(a, 1, a > 5)
    o(3:3) = maxloc(a, mask=a > x)
    o(4) = maxloc(k, dim=1, back=.true.)
    o(5) = maxloc(k, 1)
    o(6:7) = maxloc(b)
    o(8:9) = minloc(b, mask=b > 1)
    o(10:11) = maxloc(b, dim=1)
    o(12:14) = minloc(b, 2)
    o(15) = findloc(k, n, dim=1)
    o(16:16) = findloc(k, 2)
    o(17) = findloc(k, n, 1, back=.true.)
    o(18) = findloc(a > 1, .true., 1)
    o(19:20) = findloc(b > 1.2_dp, .false.)
    o(21) = findloc(k, 2, dim=1, mask=[.true., .false., .true., .false.])
    if (parity(k > 0)) o(22) = 1
    o(23) = merge(1, 0, any(matmul(reshape(k > 0, [2, 2]), reshape(a(1:4) > 1, [2, 2]))))
    o(24:25) = ubound(b)
    o(26) = sum(shape(b))
    o(27:28) = merge(1, 0, any(b > 1.2_dp, 1))
    o(29) = int(sum(pack(a, a > 1))*1000)
    o(30) = int(maxval(pack(a, a < 1.7_dp))*1000)
    two = maxloc(b, mask=.true.)
    o(31) = two(1) + 10*two(2)
    o(32:34) = maxloc(b, dim=2, mask=b < 1.5_dp)
    o(35) = maxloc(a(3:2), 1)
    gap = a
    gap(1) = sqrt(-a(1))                ! NaN, which gfortran skips
    o(36) = maxloc(gap, 1)
    gap = gap(1)
    o(37) = minloc(gap, 1)
  end subroutine places

  ! Extremes of infinities, of NaN and of nothing.
  subroutine extremes(a, k, n, o, m)
    use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf, ieee_negative_inf
    real(dp), intent(in) :: a(3)
    integer, intent(in) :: k(3), n
    real(dp), intent(out) :: o(24)
    integer, intent(out) :: m(6)
    real(dp) :: w(3), nothing(3), t(2, 3)
    real :: single(3)
    integer :: least(2), last
    last = min(max(n, 0), 3)
    nothing = sqrt(-abs(a) - 1)
    w = abs(a)*huge(1.0_dp)*2
    o(1:2) = [minval(w), maxval(-w)]
    o(3:4) = [minval(nothing), maxval(nothing)]
    o(5:6) = [minval(w, mask=a > 1), maxval(-w, mask=a > 1)]
    o(7:8) = [minval(nothing, mask=a > 1), maxval(nothing, mask=a > 1)]
    o(9:10) = [minval(w(1:last)), maxval(-w(1:last))]
    w(2) = nothing(1)
    o(11:12) = [minval(w), maxval(-w)]
    w(3) = a(3)
    o(13:14) = [minval(w), maxval(w)]
    t(1, :) = w
    t(2, :) = nothing
    o(15:16) = minval(t, dim=2)
    o(17:19) = maxval(t, dim=1)
    single = real(a)
    o(20:21) = [minval(single, mask=single > 1.5), maxval(single, mask=single > 1.5)]
    o(22) = ieee_value(o(22), ieee_positive_inf)
    o(23) = ieee_value(o(22), ieee_negative_inf)
    o(24) = maxval(w(3:2))
    least = -huge(1) - 1
    m(1) = maxval(least)
    m(2:3) = [minval(k, mask=k > 2), maxval(k, mask=k > 2)]
    m(4:5) = [minval(k(1:last)), maxval(k(1:last))]
    m(6) = maxval(k)
  end subroutine extremes

  subroutine moved(a, b, n, o, c)
    real(dp), intent(in) :: a(4), b(3, 2)
    integer, intent(in) :: n
    real(dp), intent(out) :: o(28), c(2, 3)
    integer, parameter :: two(2) = [2, 2]
    real(dp) :: d(2, 2), e(3, 2)
    o(1:4) = cshift(a, 1)
    o(5:8) = cshift(a, n) + cshift(a, -5)
    e = cshift(b, 1, dim=2)
    o(9:11) = e(:, 1)
    o(12:15) = eoshift(a, 1)
    o(16:19) = eoshift(a, n, boundary=a(1))
    e = eoshift(b, -1)
    o(20:22) = e(:, 2)
    d = reshape(a, two)
    o(23:24) = d(1, :)
    c = reshape([a, b(:, 1)], shape(c), order=[2, 1])
    d = reshape(a(1:3), [2, 2], pad=[7.0_dp, 8.0_dp])
    o(25) = d(2, 2)
    o(26:28) = norm2(b, dim=2) + norm2(b*1e200_dp, 2)*2e-200_dp
  end subroutine moved

  subroutine complex_point(z, w, v, n, x)
    complex(dp), intent(in) :: z
    complex(dp), intent(inout) :: w
    complex(dp), intent(out) :: v
    integer, intent(in) :: n
    real(dp), intent(out) :: x
    complex(dp), parameter :: c1 = (1.5_dp, -0.5_dp)
    complex(dp), parameter :: tab(3) = [c1, (0.25_dp, 2.0_dp), 3*c1]
    complex(dp) :: u(2)
    integer :: k
    v = z*w + tab(2)
    do k = 1, 3
      v = v + tab(k)*k
    end do
    if (real(z) > 1) w = w/z + tab(max(1, min(3, n)))
    u = [z, w]
    x = abs(z) + real(dot_product(u, tab(1:2)))
    if (n > 3) then
      w%re = x
      return
    end if
    u = matmul(reshape([u, u], [2, 2]), u)
    v = v + z**n + tan(z) + sinh(w/4) + cosh(z) + tanh(w*z) + c1**n + u(1)
  end subroutine complex_point

  ! The intents are those of its statements.
  complex(dp) function turned(z, y)
    complex(dp) :: z
    real(dp) :: y
    turned = exp(z)*y
    if (y > 1) z = conjg(z)
    z = z + 1
  end function turned

  elemental function both(z) result(r)
    complex(dp), intent(in) :: z
    complex(dp) :: r
    r = sqrt(z) + log(z)
  end function both

  subroutine leaves(a, b, k, x, n, o)
    real(dp), intent(in) :: a(4), b(3, 2), x
    integer, intent(in) :: k(4), n
    real(dp), intent(out) :: o(12)
    integer :: i, j
    o = 0
    row: do i = 1, 4
      piece: if (a(i) > 1) then
        do j = 1, 3
          if (b(j, 1) > x) exit piece
          if (b(j, 2) > 1.8_dp) cycle row
          if (b(j, 2) > 1.6_dp) exit row
          o(1) = o(1) + b(j, 1)
        end do
        o(2) = o(2) + 1
      else
        if (k(i) > 2) exit piece
        o(3) = o(3) + 1
      end if piece
      o(4) = o(4) + 1
    end do row
    sum_of: associate (z => x + a(1))
      if (z > 2.5_dp) exit sum_of
      o(5) = z
      if (z > 2) then
        o(6) = 1
        exit sum_of
      end if
      o(7) = 2
    end associate sum_of
    kind_of: select case (n)
    case (1:)
      if (x > 1) exit kind_of
      o(8) = 1
    case default
      o(8) = 3
    end select kind_of
    own: block
      real(dp), parameter :: half(2) = [0.5_dp, 0.25_dp]
      integer, parameter :: m = 2, more = m + 1
      real(dp) :: t(more)
      t = half(m)*x
      if (t(1) > 0.3_dp) exit own
      block
        real(dp) :: t
        t = 3*x
        o(9) = t
      end block
      o(10) = t(more)
    end block own
    i = 9
    do concurrent (i=1:4, a(i) > 1)
      o(10 + (i + 1)/4) = a(i)
    end do
    o(12) = i
  end subroutine leaves

  subroutine named(a, b, x, n, o)
    real(dp), intent(in) :: a(4), b(3, 2), x
    integer, intent(in) :: n
    real(dp), intent(out) :: o(12)
    real(dp) :: c(3, 2), d(4)
    integer :: i, j
    c = b
    o = 0
    associate (q => c(:, 2), w => o)
      associate (r => x + q(1), v => q(2:3), third => w(3))
        third = r
      end associate
      associate (v => q(2:3))
        v(1) = v(2)*2 + x
        associate (half => v(1)/2)
          w(1) = half
        end associate
      end associate
      w(2) = q(2)
    end associate
    i = 7
    forall (i = 1:4, a(i) > 1) o(3 + i) = a(i)*2
    o(8) = i
    d = a
    forall (i = 1:2)
      d(i + 2) = b(i, 1)
      o(8 + i) = d(i + 2)
    end forall
    c = 0
    forall (i = 1:3, j = 1:2, b(i, j) > 1 .and. i /= n) c(i, j) = b(i, j) + x*i
    o(11) = sum(c)
    o(12) = sum(d) + 10*i
  end subroutine named

  ! An index is no variable of the procedure: what a procedure inside reads stays.
  subroutine seen_inside(a, o)
    real(dp), intent(in) :: a(4)
    real(dp), intent(out) :: o(6)
    integer :: i, j
    i = 2
    j = 3
    do concurrent (i = 1:4)
      o(i) = 3*a(i)
    end do
    forall (j = 2:4) o(j) = o(j) + a(j)
    call add_them
  contains
    subroutine add_them
      o(5) = a(1) + i
      o(6) = a(2) + j
    end subroutine add_them
  end subroutine seen_inside

  subroutine of_the_module(a, o)
    real(dp), intent(in) :: a(4)
    real(dp), intent(out) :: o(4)
    forall (index_outside = 1:4) o(index_outside) = 2*a(index_outside)
  end subroutine of_the_module

  subroutine chosen(a, k, x, y, o)
    real(dp), intent(in) :: a(4), x, y
    integer, intent(in) :: k(4)
    real(dp), intent(out) :: o(8)
    o = 0
    where (a > 1)
      o(1:4) = a
      where (k > 2)
        o(5:8) = 1
      elsewhere (a > 1.3_dp)
        o(5:8) = a*2
      elsewhere
        o(5:8) = 3
      end where
    elsewhere (a > 0.7_dp)
      o(1:4) = -a
    elsewhere
      o(1:4) = 0.5_dp
      where (k < 0) o(5:8) = y
    end where
    if (x > 1) then
      where (a > x)
        where (k > 1) o(1:4) = 7
      elsewhere
        where (k < 0)
          o(1:4) = 8
        elsewhere
          o(1:4) = o(1:4) + 1
        end where
      end where
    end if
  end subroutine chosen

  subroutine of_lists(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y(4)
    y = [of_list('N', x), of_list('t', x), of_list('c ', x), of_list('x', x)]
  end subroutine of_lists

  real(dp) function of_list(how, x)
    character(*), intent(in) :: how
    real(dp), intent(in) :: x
    character(3) :: own
    own = how
    of_list = 1
    if (any(how == ['n', 'N'])) of_list = x
    if (any([character(len=1) :: 'to', 'c'] == own)) of_list = of_list + 2*x
    if (all(own /= [character(3) :: 't', 'no', 'N'])) of_list = -of_list
    if (.not. any(how == (/'n', 'x'/)) .and. x > 1) of_list = of_list + 3
  end function of_list
end module functions
