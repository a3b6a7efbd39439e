! What bind asks of arrays whose components only the subscripts of a nest tell.
program host
  use last_ones_bridge
  use first_ones_bridge
  implicit none
  character(8) :: word
  real(8), allocatable, target :: w(:, :, :), p(:, :), q(:, :, :), r(:, :)
  call get_command_argument(1, word)
  if (word /= 'none') allocate (p(9, 7), r(9, 7))
  if (word == 'few') then
    allocate (w(9, 7, 4))
  else if (word == 'none') then  ! no points, which have no components either
    allocate (w(0, 0, 0), p(0, 0))
  else if (word == 'later') then
    allocate (w(9, 7, 3:9))
  else
    allocate (w(9, 7, -1:9))
  end if
  if (word == 'more') then
    allocate (q(-1:3, 9, 7))
  else
    allocate (q(-1:2, 9, 7))
  end if
  w = 0
  q = 0
  if (word == 'more') then
    call bind_first_ones(9, 7, q, lbound(q, 1), lbound(q, 2), lbound(q, 3), r, lbound(r, 1), &
        lbound(r, 2))
  else if (word == 'none') then
    call bind_last_ones(0, 0, w, 1, 1, 1, p, 1, 1)
  else
    call bind_last_ones(9, 7, w, lbound(w, 1), lbound(w, 2), lbound(w, 3), p, lbound(p, 1), &
        lbound(p, 2))
  end if
  print '(a)', 'bound'
end program host
