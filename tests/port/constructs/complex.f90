module zmod
implicit none
integer, parameter :: r8 = selected_real_kind(14)
complex(r8), parameter :: c0 = (0.3_r8,-0.7_r8), ci = (0.0_r8,1.0_r8), c2 = 2*c0 + cmplx(1,0.5_r8,r8)/ci
contains
elemental function ice(n, t, p) result(g)
integer, intent(in) :: n
real(r8), intent(in) :: t, p
real(r8) :: g
complex(r8) :: tau, a, h
tau = cmplx(t*0.01_r8, 0.0_r8, r8)
if (n == 0) then
  a = tau/c0
  h = c0*(tau*log((1.0_r8+a)/(1.0_r8-a)) + ci*(log(1.0_r8-a*a)-a*a))
  g = real(p - 3.0_r8*(2.0_r8*tau - h), r8)
else if (n == 1) then
  h = c2*(1/(ci-tau)+1.0_r8/(ci+tau)-2.0_r8/c0)
  g = 1.0_r8 + aimag(h)
else
  g = -1.0_r8
end if
end function
subroutine many(x, y, n, o, flag)
real(r8), intent(in) :: x, y
integer, intent(in) :: n
real(r8), intent(out) :: o(30)
logical, intent(out) :: flag
complex(r8) :: z, w, s(3), u
complex*16 :: old
double complex v
integer :: i
z = cmplx(x, y, kind=r8)
w = dcmplx(y, x)
v = conjg(z)*w
o(1) = abs(z); o(2) = real(sqrt(z)); o(3)=aimag(sqrt(z)); o(4)=real(exp(z)); o(5)=aimag(exp(z))
o(6) = real(log(z),r8); o(7)=aimag(log(z)); o(8)=real(sin(z)); o(9)=aimag(cos(z))
u = z**3 + z**(-2) + z**2
o(10) = real(u); o(11) = aimag(u)
u = z**w
o(12) = real(u); o(13) = aimag(u)
do i = 1, 3
  s(i) = z*i + (0.5_r8, 1.0_r8)
end do
s = s*2 - conjg(s)
u = sum(s)
o(14) = u%re; o(15) = u%im
o(16) = s(2)
flag = z == w .or. z /= (1.0_r8, 2.0_r8)
if (x > y) then
  u = z/w
  if (n > 2) u%im = 3.0_r8
else
  u = x
end if
o(17) = real(u); o(18) = aimag(u)
u = twice(z, c0); o(19) = dble(u)
call swap(z, w)
o(20) = real(z) + 2*aimag(w)
old = sqrt(cmplx(-x, -0.0_r8, r8)); o(21) = aimag(old)
old = sqrt(-cmplx(x, 0.0_r8, r8)); o(22) = aimag(old)
old = log(cmplx(-x, 0.0_r8, r8)*y); o(23)=aimag(old)
old = log(cmplx(-x, -0.0_r8, r8)*y); o(24)=aimag(old)
old = x - z; o(25) = aimag(old)
old = merge(z, w, x > 1.0_r8); o(26) = real(old)
u = z*1e200_r8; v = w*1e190_r8; o(27) = abs(u)/1e200_r8
u = u/v; o(28) = real(u)/1e10_r8
s(max(1,min(3,n))) = (1.0_r8, 2.0_r8)
o(29) = real(s(max(1,min(3,n))))
o(30) = product(s)
end subroutine
pure function twice(a, k) result(c)
complex(r8), intent(in) :: a, k
complex(r8) :: c
c = 2*a + k
if (real(a) > 1.0_r8) return
c = -c
end function
subroutine swap(a, b)
complex(r8), intent(inout) :: a, b
complex(r8) :: t
t = a; a = b; b = t
end subroutine
end module
