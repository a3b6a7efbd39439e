! All tiles after three steps, as bits; with a word one array that two dummies share.
program main
  use tile_types
  use tile_loops
  use tile_steps
  !begin
  implicit none
  real(8), allocatable, target :: a(:, :, :), b(:, :, :)
  real(8) :: total
  integer :: tile, n
  character(len=8) :: word
  call random_init(.true., .false.)
  count_of_tiles = 3
  allocate (box%tiles(3), box%buffer(4, 7))
  box%depth = 2
  call random_number(box%buffer)
  do tile = 1, 3
    associate (one => box%tiles(tile))
      one%first = tile
      one%last = 4 + 3*tile
      one%low = 2 - tile
      one%high = 4 + tile
      one%weight = 1.5d0*tile
      allocate (one%field%u(one%first - 2:one%last + 2, one%low - 1:one%high + 1))
      allocate (one%field%v(one%first - 2:one%last + 2, one%low - 1:one%high + 1))
      allocate (one%field%x(0:20))
      call random_number(one%field%u)
      call random_number(one%field%v)
      call random_number(one%field%x)
    end associate
  end do
  allocate (a(9, 6, 4), b(9, 6, 4))
  call random_number(a)
  call random_number(b)
  call get_command_argument(1, word)
  !boot
  if (word == 'shared') then
    call both(9, 6, a)
  end if
  do n = 1, 3
    call step(mod(n, 2) == 1, 0.125d0*n, total)
    print '(z16)', total
  end do
  call planes(9, 6, 4, a, b)
  do tile = 1, 3
    print '(z16)', box%tiles(tile)%field%u, box%tiles(tile)%field%v, box%tiles(tile)%field%x
  end do
  print '(z16)', box%buffer, a, b
  !end
contains
  ! Not Fortran: one array is written and read under two names.
  subroutine both(n, m, c)
    integer, intent(in) :: n, m
    real(8), intent(inout), target :: c(n, m, 4)
    call planes(n, m, 4, c, c)
  end subroutine both
end program main
