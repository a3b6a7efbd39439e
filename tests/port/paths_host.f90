! What bind refuses when it is called: memory that two names share, arrays with gaps.
program host
  use path_types
  use diffuse_test
  implicit none
  character(8) :: word
  real(8), target :: memory(0:20, 0:10)
  call get_command_argument(1, word)
  allocate (chunk%tiles(2))
  associate (tile => chunk%tiles(2))
    tile%field%u => memory(:, :4)
    tile%field%v => memory(:, 5:)
    if (word == 'shared') tile%field%v => memory(:, 4:)
    if (word == 'gaps') tile%field%v => memory(::2, 5:)
    tile%xmin = 1
    tile%xmax = 8
    tile%ymin = 1
    tile%ymax = 3
  end associate
  call bind_test(2)
  print '(a)', 'bound'
end program host
