! What bind refuses of whole arrays: no memory, another shape, another first subscript.
program host
  use beside_bridge
  implicit none
  character(8) :: word
  real(8), allocatable, target :: a(:), b(:), c(:), f(:), g(:)
  real(8), target :: e(0:8)
  call get_command_argument(1, word)
  allocate (a(-2:6), b(-2:6), c(9), f(0:8))
  if (word /= 'none') allocate (g(2:10))
  if (word == 'shape') then
    deallocate (c)
    allocate (c(2:9))
  else if (word == 'free') then
    deallocate (c)
  else if (word == 'first') then
    deallocate (b)
    allocate (b(9))
  else if (word == 'known') then
    deallocate (f)
    allocate (f(9))
  end if
  e = 0
  call bind_beside(8, -2, a, lbound(a, 1), b, lbound(b, 1), c, e, f, lbound(f, 1), g)
  print '(a)', 'bound'
end program host
