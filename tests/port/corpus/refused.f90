! One of each statement that no kernel may contain.
subroutine forbidden(n, a, p, q)
  integer, intent(in) :: n
  real, allocatable :: w(:)
  real, pointer :: p(:), q(:)
  real :: a(n), b(3), c(3)
  equivalence (b, c)
  namelist /group/ n
  integer :: unit
  open(10, file='x')
  write(*, *) n
  write(10, '(a)') 'x'
  read(10, *) unit
  print *, n
10 format (1x, 'a!b', i5)
  rewind 10
  close(10)
  allocate(w(3))
  deallocate(w)
  nullify(p)
  p => q
  forall (unit = 2:n) a(unit) = a(unit - 1)
  forall (unit = 1:n)
    a(unit) = a(1)
  end forall
  block
    integer, save :: inside
    inside = 1
    block
    end block
  end block
  associate (z => g(1))
    z = 2
    if (z > 1) z = 1
  end associate
  critical
    a(1) = 1
  end critical
  this is not Fortran
  a(1) = b(2) +
  error stop 'no'
  stop
end subroutine
