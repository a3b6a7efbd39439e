! Components that are texts: each has one in every run, which the user says.
module componenttexts
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  type inner
    real(dp) :: a = 2
    character(8) :: law
    character :: letter
  end type inner
  type params
    character(16) :: scheme
    integer :: n
    real(dp) :: k
    type(inner) :: in
    character(:), allocatable :: free
  end type params
  type(params), save :: kept
  character(8) :: mode
contains
  subroutine by_scheme(p, x, y)
    type(params), intent(in) :: p
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    select case (trim(p%scheme))
    case ('KPP')
      y = p%k*x
    case ('PP')
      y = x**2
    case default
      y = 0
    end select
    if (p%scheme(2:3) == 'PP') y = y + 1
    if (p%scheme == 'KPP ' .and. x > 1) y = y + 2
    if (p%scheme == 'kpp') y = -y
    y = y + len(p%scheme) + 3*len_trim(p%scheme)
  end subroutine by_scheme

  subroutine by_parts(p, x, y)
    type(params), intent(inout) :: p
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (p%in%law == 'cubicspl') y = y + p%in%a*x**3    ! cut to its eight letters
    if (p%in%law == 'cubicspline') y = y + 1000
    if (p%in%letter == 'b') y = y + 10
    if (p%free // '.' == 'ab.') y = y + len(p%free)    ! as long as what is assigned
    if (x > 0.5_dp) p%k = y
    call parts_passed(p, y)
  end subroutine by_parts

  subroutine parts_passed(q, y)
    type(params), intent(inout) :: q
    real(dp), intent(inout) :: y
    call parts_named(q%in%law, q%free, q%in, y)
    if (q%free == 'ab') y = y - 1
    q%in%a = y
  end subroutine parts_passed

  subroutine parts_named(name, free, i, y)
    character(*), intent(in) :: name, free
    type(inner), intent(in) :: i
    real(dp), intent(inout) :: y
    if (name == 'cubicspl') y = y + 100
    if (index(i%law, 'spl') == 6) y = y + len(name) + i%a
    y = y + 7*len(free)
  end subroutine parts_named

  subroutine of_module(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (kept%scheme == 'KPP') y = 3*x
    if (kept%in%law == 'cube' .or. mode == 'fast') y = y + x**3
  end subroutine of_module
end module componenttexts
