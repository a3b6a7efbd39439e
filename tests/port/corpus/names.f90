! Variables that have the names of keywords.
module words
  implicit none
contains
  subroutine keywords(n, r)
    integer, intent(in) :: n
    real, intent(out) :: r
    integer :: if, do, end, data, call, real(3), then, where, write(2), select, type, function
    if = 1; do = 2
    end = 3
    data = 4
    call = 5
    real(1) = 6
    real(2:3) = 7
    then = 8
    where = 9
    write(1) = 10
    write(2) = write(1)
    select = 11
    type = 12
    function = 13
    if (if == 1) then = 2
    if (do > 1) then
      end = 5
    end if
    do do = 1, n
      data = data + do
    end do
    r = if + do + end + data + call + sum(real) + then + where + sum(write) + select &
      + type + function
  end subroutine keywords
end module words
