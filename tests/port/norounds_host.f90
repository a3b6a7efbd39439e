! Every loop with ends before and behind its starts: the calls beside the loops of the original.
program host
  use, intrinsic :: iso_c_binding, only: c_double
  use norounds
  use bridge
  use pack_tail_bridge
  use pack_plane_bridge
  use pack_numbers_bridge
  use pack_wholes_bridge
  use pack_listed_bridge
  use pack_endless_bridge
  use pack_back_bridge
  implicit none
  integer, parameter :: n = 9
  integer, parameter :: firsts(7) = [2, 5, 6, 8, 40, 2, 10], lasts(7) = [8, 5, 5, 3, 30, -30, 9]
  real(8), target :: a(n), b(n), r(n), p(n, n), q(n, n), w(n, n)
  integer, target :: k(n), list(n)
  real(8) :: s(2), low(2), high(2)
  real(c_double) :: worst
  integer :: least(2), most(2), i, j, i1, i2, j1, j2, m
  logical :: found(2)
  call frame_initialize(device_id=0, ngridpoints=1024, ns=0, nq=0, iturb=0)
  b = [(sin(3.0d0*i) + 1.5d0, i = 1, n)]
  k = nint(100*b)
  q = spread(b, 1, n)*spread(cos(b), 2, n)
  do m = 0, n
    a = 1
    r = 1
    call tail(n, m, r, b)
    call bind_pack_tail(n, m, a, b)
    call run_pack_tail()
    call unbind_pack_tail()
    call told('tail', maxval(abs(a - r)))
  end do
  do i = 1, size(firsts)
    i1 = firsts(i)
    i2 = lasts(i)
    do j = 1, size(firsts)
      j1 = firsts(j)
      j2 = lasts(j)
      p = 7
      w = 7
      call plane(i1, i2, j1, j2, n, w, q, b)
      call bind_pack_plane(i1, i2, j1, j2, n, p, q, b)
      call run_pack_plane(i1)
      call told('plane', maxval(abs(p - w)))
      call compare_begin_pack_plane(i1)
      call plane(i1, i2, j1, j2, n, p, q, b)
      call compare_pack_plane(worst)
      call told('plane compared', worst)
      call record_pack_plane(i1, 'plane')
      call unbind_pack_plane()
      p = 7
      w = 7
      list = [(n + 1 - m, m = 1, n)]
      if (i2 < i1 .or. j2 < j1) list = 1
      call listed(i1, i2, j1, j2, n, list, w, q)
      call bind_pack_listed(i1, i2, j1, j2, n, list, p, q)
      call run_pack_listed()
      call unbind_pack_listed()
      call told('listed', maxval(abs(p - w)))
    end do
    s = 0.25d0
    low = 0
    high = 1.75d0
    least = 120
    most = 3
    found = .false.
    call numbers(i1, i2, n, b, k, s(1), low(1), high(1), least(1), most(1), found(1))
    call bind_pack_numbers(i1, i2, n, b, k)
    call run_pack_numbers(s(2), low(2), high(2), least(2), most(2), found(2))
    call compare_begin_pack_numbers(s(2), high(2), least(2), found(2))
    call unbind_pack_numbers()
    call told('numbers', abs(s(1) - s(2)))
    call told('extremes', abs(low(1) - low(2)) + abs(high(1) - high(2)))
    call told('integers', abs(1.0d0*least(1) - least(2)) + abs(1.0d0*most(1) - most(2)))
    if (found(1) .neqv. found(2)) print '(a)', 'found differs'
    a = 7
    r = 7
    call wholes(i1, i2, n, r, b, s(1), low(1))
    call bind_pack_wholes(i1, i2, n, a, b)
    call run_pack_wholes(s(2), low(2))
    call unbind_pack_wholes()
    call told('wholes', maxval(abs(a - r)) + abs(s(1) - s(2)) + abs(low(1) - low(2)))
    a = 7
    r = 7
    call endless(n, i1, i2, r, b)
    call bind_pack_endless(n, i1, i2, a, b)
    call run_pack_endless()
    call unbind_pack_endless()
    call told('endless', maxval(abs(a - r)))
    a = b
    r = b
    call back(i1, i2, n, r, b)
    call bind_pack_back(i1, i2, n, a, b)
    call run_pack_back()
    call unbind_pack_back()
    call told('back', maxval(abs(a - r)))
  end do
  call frame_report()
  print '(a)', 'end'
contains
  subroutine told(what, difference)
    character(*), intent(in) :: what
    real(8), intent(in) :: difference
    if (.not. difference < 1.0d-12) print '(a, 2i4, es12.3)', what // ' differs', i, j, difference
  end subroutine told
end program host
