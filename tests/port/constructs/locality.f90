! Local variables of do concurrent, which not every compiler reads. Compared with plainloops.f90,
! where each local variable has a name of its own.
module locality
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains

  ! What is local keeps its value outside, what is local_init begins with it in each turn; a sum.
  subroutine kept(a, x, o, s)
    real(dp), intent(in) :: a(4), x
    real(dp), intent(out) :: o(4), s(3)
    real(dp) :: t, c, w(2), e
    integer :: i
    t = 10*x
    c = x
    w = [1.0_dp, 2.0_dp]*x
    e = 1
    i = 9
    do concurrent (i = 1:4) local(t) local_init(c, w) shared(a, o) reduce(+: e)
      t = a(i)*2
      c = c + t
      w(1) = w(1) + c
      o(i) = c
      e = e + w(1)*w(2)
    end do
    s = [t + i, c + w(1) + w(2), e]
  end subroutine kept

  ! Indices that the construct declares, a mask, a product and a maximum.
  subroutine masked(a, x, i, s)
    real(dp), intent(in) :: a(4), x
    integer, intent(inout) :: i
    real(dp), intent(inout) :: s(4)
    real(dp) :: t, most, product
    integer :: j
    t = x
    most = -5
    product = x
    j = 3
    do concurrent (integer :: i = 1:4, j = 1:2, a(i) > 1) default(none) shared(a, x) &
        local(t) reduce(max: most) reduce(*: product)
      t = a(i)*j + x
      most = max(most, t)
      product = product*(1 + t/8)
    end do
    s = s + [t, most, product, 1.0_dp*i*j]
    do j = 1, 2
      do concurrent (integer :: j = 1:4)
        s(3) = s(3) + a(j)
      end do
      s(4) = s(4) + j
    end do
  end subroutine masked

  ! Loops in loops with locals of one name, logicals and integers that are reduced.
  subroutine nested(a, x, b, n, s)
    real(dp), intent(in) :: a(4), x
    real(dp), intent(out) :: b(3, 4), s
    integer, intent(out) :: n(2)
    real(dp) :: t, c
    logical :: some
    integer :: i, j, count
    t = x
    c = 2*x
    some = .false.
    count = 0
    do concurrent (i = 1:4) local(t) local_init(c) reduce(.or.: some) reduce(+: count)
      t = a(i) - x
      some = some .or. t > 1
      if (t > 0) count = count + 1
      c = c + t
      do concurrent (j = 1:3) local(t) local_init(c)
        t = j*c
        c = c + t
        b(j, i) = c
      end do
      b(1, i) = b(1, i) + t + 100*c
    end do
    s = t + c
    n = [merge(1, 0, some), count]
  end subroutine nested
end module locality
