! A procedure that writes a file: refused.
subroutine told(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  y = 2 * x
  write (*, *) y
end subroutine told
