! What locality.f90 means, in loops that every compiler reads.
module plainloops
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine kept(a, x, o, s)
    real(dp), intent(in) :: a(4), x
    real(dp), intent(out) :: o(4), s(3)
    real(dp) :: t, c, w(2), e, t_own, c_own, w_own(2)
    integer :: i, turn
    t = 10*x
    c = x
    w = [1.0_dp, 2.0_dp]*x
    e = 1
    i = 9
    do turn = 1, 4
      c_own = c
      w_own = w
      t_own = a(turn)*2
      c_own = c_own + t_own
      w_own(1) = w_own(1) + c_own
      o(turn) = c_own
      e = e + w_own(1)*w_own(2)
    end do
    s = [t + i, c + w(1) + w(2), e]
  end subroutine kept

  subroutine masked(a, x, i, s)
    real(dp), intent(in) :: a(4), x
    integer, intent(inout) :: i
    real(dp), intent(inout) :: s(4)
    real(dp) :: t, t_own, most, product
    integer :: j, k, l
    t = x
    most = -5
    product = x
    j = 3
    do l = 1, 2
      do k = 1, 4
        if (a(k) > 1) then
          t_own = a(k)*l + x
          most = max(most, t_own)
          product = product*(1 + t_own/8)
        end if
      end do
    end do
    s = s + [t, most, product, 1.0_dp*i*j]
    do j = 1, 2
      do k = 1, 4
        s(3) = s(3) + a(k)
      end do
      s(4) = s(4) + j
    end do
  end subroutine masked

  subroutine nested(a, x, b, n, s)
    real(dp), intent(in) :: a(4), x
    real(dp), intent(out) :: b(3, 4), s
    integer, intent(out) :: n(2)
    real(dp) :: t, c, t_outer, c_outer, t_inner, c_inner
    logical :: some
    integer :: i, j, count
    t = x
    c = 2*x
    some = .false.
    count = 0
    do i = 1, 4
      c_outer = c
      t_outer = a(i) - x
      some = some .or. t_outer > 1
      if (t_outer > 0) count = count + 1
      c_outer = c_outer + t_outer
      do j = 1, 3
        c_inner = c_outer
        t_inner = j*c_inner
        c_inner = c_inner + t_inner
        b(j, i) = c_inner
      end do
      b(1, i) = b(1, i) + t_outer + 100*c_outer
    end do
    s = t + c
    n = [merge(1, 0, some), count]
  end subroutine nested
end module plainloops
