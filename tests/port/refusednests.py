"""Nests that are refused: body, what the refusal has to say.

Each body stands in a subroutine with the declarations below; the place of the refusal is the line
that `!<<` marks.
"""

HEAD = """\
module planes
  real(8) :: plane_of_all(40, 30), few(3)
contains
  real(8) function slope(i, j)
    integer, intent(in) :: i, j
    slope = few(j) + inner(i, j)
  end function slope
  real(8) function inner(i, j)
    integer, intent(in) :: i, j
    inner = plane_of_all(i, j) - plane_of_all(i - 1, j)
  end function inner
  subroutine maybe(x, c)
    real(8) :: x
    real(8), intent(in) :: c
    if (c > 1) x = c
  end subroutine maybe
  subroutine pair(x, y)
    real(8), intent(out) :: x, y
    x = 1
    y = 2
  end subroutine pair
  subroutine advance(i)
    integer :: i
    i = i + 1
  end subroutine advance
  real(8) function counting(x)
    real(8) :: x
    x = x + 1
    counting = x
  end function counting
  real(8) function mean(v)
    real(8), intent(in) :: v(5)
    mean = sum(v)/5
  end function mean
end module planes
subroutine nest(nx, ny, nz, ng, n, a, b, c, q, s, ind, flag, z, zz)
  use planes, only: slope, maybe, pair, advance, counting, mean
  implicit none
  integer, intent(in) :: nx, ny, nz, ng, n
  real(8), intent(inout) :: a(nx, ny, nz), b(nx, ny, nz), c(ny, nx), q(5, nx, ny, nz), s
  integer, intent(in) :: ind(nx)
  logical, intent(inout) :: flag
  real(8), intent(in) :: z(*), zz(nx, ny, nz, *)
  integer :: i, j, k, m, ip, im, jj
  real(8) :: t, w(5), line(0:1000), plane(0:100, 0:100), e(3), e2(3)
  real(8) :: shared, h(ny), many(ng, nx, ny, nz)
  real(8), save :: kept
  integer :: where_most, places(3), kk(nx)
  real(8) :: e3(3)
  type cell
    real(8) :: rho
  end type cell
  type(cell) :: cells(nx, ny, nz)
  type holder
    real(8), pointer :: p(:, :), one
    real(8), allocatable :: v(:)
    type(cell) :: cells(3)
    integer :: n
    character(4) :: text
  end type holder
  type(holder) :: ha, hb, hs(3)
  class(absent), pointer :: hc
  real(8), pointer :: ptr(:, :), row(:)
  real(8), allocatable :: grown(:)
  common /scratch/ shared
  integer :: once, twin
  equivalence (e, e2), (once, twin)
"""

TAIL = "end subroutine nest\n"

#: name -> (statements, words of the refusal).
BODIES = {
    "periodic wrap": ("""
do j = 1, ny
  do i = 1, nx
    ip = i + 1
    if (ip > nx) ip = 1
    a(i, j, 1) = b(ip, j, 1) !<<
  end do
end do""", ["ip", "wraps", "fringe"]),
    "rounds that overlap": ("""
do j = 1, ny
  do i = 1, nx
    c(i + (j - 1)*n, 1) = b(i, j, 1) !<<
  end do
end do""", ["c"]),
    "one round too many": ("""
do j = 1, ny
  do i = 0, nx
    c(i + j*nx, 1) = b(i, j, 1) !<<
  end do
end do""", ["c"]),
    "half of the rounds": ("""
do j = 1, ny
  do i = 1, 2*nx
    c(i + j*nx, 1) = b(i, j, 1) !<<
  end do
end do""", ["c"]),
    "rounds in one product": ("""
do j = 1, ny
  do i = 1, nx
    c(i*j, 1) = b(i, j, 1) !<<
  end do
end do""", ["c"]),
    "rounds of another loop": ("""
do j = 1, ny
  do i = 1, nx
    c(i + j*ny, 1) = b(i, j, 1) !<<
  end do
end do""", ["c"]),
    "rounds that differ": ("""
do j = 1, ny
  do i = 1, j
    c(i + j*(j - 1), 1) = b(i, j, 1) !<<
  end do
end do""", ["c"]),
    "rounds in a function": ("""
do j = 1, ny
  do i = 1, nx
    c(i + nx*(j + mod(j, 3)), 1) = b(i, j, 1) !<<
  end do
end do""", ["c"]),
    "two buffers in one": ("""
do j = 1, ny
  do i = 1, nx
    c(i + j*nx, 1) = b(i, j, 1) !<<
    c(i + j*nx + n, 1) = b(i, j, 2)
  end do
end do""", ["c"]),
    "wrap by mod": ("""
do j = 1, ny
  do i = 1, nx
    ip = mod(i, nx) + 1
    a(i, j, 1) = b(ip, j, 1) !<<
  end do
end do""", ["ip", "wraps"]),
    "saved scalar": (
        """
a(1, 1, 1) = kept
!$bridge begin first
do j = 1, ny
  do i = 1, nx
    kept = b(i, j, 1) !<<
    a(i, j, 1) = kept**2
  end do
end do
!$bridge end""",
        ["scalar kept", "saved", "private"],
    ),
    "plane set in the nest": (
        """
ip = mod(n, 3) + 1
do k = 1, nz
  do j = 1, ny
    a(1, j, k) = b(ip, j, k) !<<
  end do
end do""",
        ["ip", "wraps around"],
    ),
    "bounds set in the nest": (
        """
ip = mod(n, 3) + 1
do j = 1, ny
  do i = 1, ip !<<
    a(i, j, 1) = b(i, j, 1)
  end do
end do""",
        ["bounds depend on ip"],
    ),
    "index set twice": (
        """
do j = 1, ny
  do i = 1, nx
    ip = i + 1
    ip = min(ip, nx)
    a(i, j, 1) = b(ip, j, 1) !<<
  end do
end do""",
        ["ip", "under a condition"],
    ),
    "index behind a label": (
        """
do j = 1, ny
  do i = 1, nx
    ip = i + 1
    if (b(i, j, 1) > 1d0) goto 10
    ip = i
10  a(i, j, 1) = b(ip, j, 1) !<<
  end do
end do""",
        ["ip", "under a condition"],
    ),
    "scalar of an array that changes": (
        """
do j = 1, ny
  t = h(j) !<<
  h(j) = 2d0
  do i = 1, nx
    a(i, j, 1) = t
  end do
end do""",
        ["scalar t", "set from h"],
    ),
    "wrap in the subscript": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = a(mod(i, nx) + 1, j, 1) !<<
  end do
end do""", ["wraps around"]),
    "indirect subscript": ("""
do j = 1, ny
  do i = 1, nx
    a(ind(i), j, 1) = a(ind(i), j, 1) + b(i, j, 1) !<<
  end do
end do""", ["ind(i)", "indirect"]),
    "an element that points may share under a condition": ("""
do i = 1, nx
  if (b(i, 1, 1) > 1) a(ind(i), 1, 1) = 2 !<<
end do""", ["ind(i)", "indirect"]),
    "many points that give to one element": ("""
do i = 1, nx
  a(ind(i), 1, 1) = a(ind(i), 1, 1) + b(i, 1, 1)*h(ind(i)) !<<
end do""", ["ind(i)", "indirect"]),
    "a list and its own index": ("""
do i = 1, nx
  a(ind(i), i, 1) = a(ind(i), 1, 1) + b(ind(i), 1, 1) !<<
end do""", ["ind(i)", "indirect"]),
    "a list that is counted by": ("""
do i = 1, nx
  h(ind(i)) = h(ind(i)) + 1 !<<
end do""", ["ind(i)", "indirect"]),
    "a list that the nest changes": ("""
do i = 1, nx
  a(ind(i), 1, 1) = b(ind(i), 1, 1) !<<
  ind(i) = 3
end do""", ["ind(i)", "indirect"]),
    "a list beside the points": ("""
do i = 1, nx
  a(i, 1, 1) = 2
  a(ind(i), 1, 1) = b(ind(i), 1, 1) !<<
end do""", ["ind(i)", "indirect"]),
    "two places of a list": ("""
do i = 2, nx
  a(ind(i), 1, 1) = a(ind(i - 1), 1, 1) + b(ind(i), 1, 1) !<<
end do""", ["ind(i - 1)", "indirect"]),
    "an element that a call may leave as it is": ("""
do i = 1, nx
  call maybe(a(ind(i), 1, 1), b(i, 1, 1)) !<<
end do""", ["ind(i)", "indirect"]),
    "the layer that a point names": ("""
do j = 1, ny
  do i = 1, nx
    a(ind(i), j, 1) = a(ind(i), ind(i), 1) + b(ind(i), j, 1) !<<
  end do
end do""", ["ind(i)"]),
    "mirrored subscript": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = a(nx + 1 - i, j, 1) !<<
  end do
end do""", ["nx + 1 - i", "factor -1"]),
    "two indices in one subscript": ("""
do j = 1, ny
  do i = 1, nx
    a(i + j, j, 1) = b(i, j, 1) !<<
  end do
end do""", ["i and j", "one subscript"]),
    "distance not constant": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = a(i + ng, j, 1) !<<
  end do
end do""", ["ng", "not a constant", "--value"]),
    "triangular": ("""
do j = 1, ny
  do i = 1, min(j, nx) !<<
    a(i, j, 1) = b(i, j, 1)
  end do
end do""", ["bounds depend on j"]),
    "band that ends where a scalar says": ("""
do j = 1, ny
  ip = j*j
  do i = ip, nx !<<
    a(i, j, 1) = b(i, j, 1)
  end do
end do""", ["bounds depend on"]),
    "step that only a run knows": ("""
do j = 1, ny
  do i = 1, nx, ng !<<
    a(i, j, 1) = b(i, j, 1)
  end do
end do""", ["step", "colours"]),
    "red points around black ones": ("""
do j = 2, ny - 1
  do i = 2 + mod(j, 2), nx - 1, 2
    a(i, j, 1) = 0.25d0*(a(i - 1, j, 1) + a(i + 1, j, 1) + a(i, j - 1, 1) + a(i, j + 1, 1)) !<<
  end do
end do""", ["array a", "another recurrence"]),
    "red lines of one colour": ("""
do j = 2, ny - 1
  do i = 2, nx - 1, 2
    a(i, j, 1) = 0.25d0*(a(i - 1, j, 1) + a(i + 1, j, 1) + a(i, j - 1, 1) + a(i, j + 1, 1)) !<<
  end do
end do""", ["array a", "read at"]),
    "array statement that smooths": ("""
a(2:nx - 1, :, 1) = a(1:nx - 2, :, 1) + a(3:nx, :, 1) !<<""",
        ["array statement a(", "no order of the elements", "another array"]),
    "array statement across lines": ("""
a(:, 1:ny - 1, 1) = a(:, 2:ny, 1) - a(:, ind(1):ind(1) + ny - 2, 1) !<<""",
        ["array statement a(", "no order of the elements"]),
    "array statement with a negative stride": ("""
!$bridge begin first
a(nx:1:-1, 1, 1) = b(:, 1, 1) !<<
!$bridge end""",
        ["section a(nx:1:-1, 1, 1): a section with a negative stride becomes no loop; write it"]),
    "a work array that is set by a stride": ("""
do i = 1, nx
  w(1:5:2) = b(i, 1, 1)
  w(2:4:2) = 0
  a(i, 1, 1) = w(3) !<<
end do""", ["array w: it carries", "which elements w(1:5:2) in line", "set them in a loop, or"]),
    "array statement with a stride beside loops": ("""
do i = 1, nx
  a(i, 1, 1) = b(i, 1, 1)
end do
a(1::2, 1, 1) = b(1::2, 1, 1) !<<""",
        ["section a(1::2, 1, 1): a section with a stride becomes no loop", "outside"]),
    "array statement that turns all of its array": ("""
a(:, 1, 1) = a(nx:1:-1, 1, 1) !<<""", ["array statement a(:, 1, 1) = ...:", "no order"]),
    "a row summed up at each point, until a value": ("""
do i = 1, nx
  t = 0
  do j = 1, ny
    if (b(i, j, 1) < 0) exit !<<
    t = t + b(i, j, 1)*h(j)
  end do
  a(i, 1, 1) = t
end do""", ["exit: it ends the loop over j", "--value ny=N"]),
    "what a later loop leaves for the next point": ("""
do i = 1, nx !<<
  a(i, 1, 1) = t
  do j = 1, ny
    a(i, j, 2) = b(i, j, 1)
  end do
  t = b(i, 1, 1)
end do""", ["scalar t: it is set in line", "and read in another loop"]),
    "a scalar from arrays of the same condition, the first of them by name": ("""
do i = 1, nx
  if (ind(i) > 1) then !<<
    q(1, i, 1, 1) = 1
    b(i, 1, 1) = 2
    a(i, 1, 1) = 3
  end if
  t = a(i, 1, 1) + b(i, 1, 1) + q(1, i, 1, 1)
  do j = 1, ny
    c(j, i) = t
  end do
end do""", ["scalar t: it is set together with array a;"]),
    "what a sum of a row leaves for the next point": ("""
do i = 1, nx !<<
  a(i, 1, 1) = t
  t = 0
  do j = 1, ny
    t = t + b(i, j, 1)
  end do
end do""", ["scalar t: it is set in line", "and read in another loop"]),
    "a plane summed up at each point": ("""
do i = 1, nx
  t = 0 !<<
  do k = 1, nz
    do j = 1, ny
      t = t + b(i, j, k)
    end do
  end do
  a(i, 1, 1) = t
end do""", ["scalar t: the loop over j reduces it anew at each point of the loop over i",
            "--value ny=N"]),
    "array statement that turns its array": ("""
a(1:ny, 1:ny, 1) = transpose(a(1:ny, 1:ny, 1)) !<<""",
        ["array statement a(", "no order of the elements"]),
    "where that moves what it asks": ("""
where (a(1:nx - 1, :, 1) > 1) !<<
  a(2:nx, :, 1) = b(1:nx - 1, :, 1)
end where""", ["array statement a(", "before they are written"]),
    "recurrence along two axes": ("""
do j = 2, ny
  do i = 2, nx
    a(i, j, 1) = a(i - 1, j, 1) + a(i, j - 1, 1) !<<
  end do
end do""", ["array a", "another recurrence"]),
    "recurrence across lines": ("""
do j = 2, ny
  do i = 2, nx
    a(i, j, 1) = a(i - 1, j - 1, 1) !<<
  end do
end do""", ["array a", "(-1, -1, 0)", "written in line"]),
    "written at two places": ("""
do j = 1, ny
  do i = 1, nx - 1
    a(i, j, 1) = b(i, j, 1)
    a(i + 1, j, 1) = b(i, j, 1) !<<
  end do
end do""", ["array a", "written at (1, 0, 0)", "(0, 0, 0) in line"]),
    "value from point to point": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = t !<<
    t = b(i, j, 1)
  end do
end do""", ["scalar t", "carries"]),
    "place of a maximum": ("""
do j = 1, ny
  do i = 1, nx
    if (b(i, j, 1) > s) then !<<
      s = b(i, j, 1)
      where_most = i
    end if
    a(i, j, 1) = 0
  end do
end do""", ["scalar s", "carries"]),
    "exit": ("""
do j = 1, ny
  do i = 1, nx
    if (b(i, j, 1) > 1d0) exit !<<
    a(i, j, 1) = 0
  end do
end do""", ["exit", "loop over i"]),
    "cycle of the outer loop": ("""
outer: do j = 1, ny
  do i = 1, nx
    if (b(i, j, 1) > 1d0) cycle outer !<<
    a(i, j, 1) = 0
  end do
end do outer""", ["cycle", "loop over j"]),
    "goto out of the nest": ("""
do j = 1, ny
  do i = 1, nx
    if (b(i, j, 1) > 1d0) goto 100 !<<
    a(i, j, 1) = 0
  end do
end do
100 continue""", ["goto 100"]),
    "exit of a block around the loops": ("""
found: block
  do j = 1, ny
    do i = 1, nx
      if (b(i, j, 1) > 1d0) exit found !<<
      a(i, j, 1) = 0
    end do
  end do
end block found""", ["exit found", "leaves the statements of a point"]),
    "return": ("""
do j = 1, ny
  do i = 1, nx
    if (b(i, j, 1) > 1d0) return !<<
    a(i, j, 1) = 0
  end do
end do""", ["return"]),
    "error stop": ("""
do i = 1, nx
  if (a(i, 1, 1) < 0) error stop 'negative' !<<
  a(i, 1, 1) = 2*a(i, 1, 1)
end do""", ["error stop", "gives its points no status", "--errors status"]),
    "allocate": ("""
do i = 1, nx
  allocate (some(i)%list(3)) !<<
end do""", ["allocate", "gives no array its memory"]),
    "write statement": ("""
do j = 1, ny
  do i = 1, nx
    write (*, *) b(i, j, 1) !<<
    a(i, j, 1) = 0
  end do
end do""", ["write"]),
    "scalar of common": ("""
do j = 1, ny
  do i = 1, nx
    shared = b(i, j, 1) !<<
    a(i, j, 1) = shared**2
  end do
end do""", ["scalar shared", "common scratch", "private"]),
    "value read after the loops": ("""
!$bridge begin first
do j = 1, ny
  do i = 1, nx
    t = b(i, j, 1) !<<
    a(i, j, 1) = t**2
  end do
end do
!$bridge end
s = t""", ["scalar t", "read after"]),
    "transposition": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = a(j, i, 1) !<<
  end do
end do""", ["array a", "dimension 1"]),
    "source not given": ("""
do j = 1, ny
  do i = 1, nx
    call nowhere(a(i, j, 1)) !<<
  end do
end do""", ["call nowhere", "source"]),
    "plane in a loop": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = a(1, j, 1) !<<
  end do
end do""", ["subscript 1 of a", "one plane along x"]),
    "planes at no constant distance": ("""
do k = 1, nz
  do j = 1, ny
    a(1, j, k) = 2
    b(1, j, k) = a(nx - 1, j, k) !<<
  end do
end do""", ["nx - 1", "distance", "--value"]),
    "index that the nest changes": ("""
do j = 1, ny
  do i = 1, nx
    ind(i) = ind(i) + 1
    a(i, j, 1) = b(ind(i), j, 1) !<<
  end do
end do""", ["ind(i)", "indirect"]),
    "elements that two points write": ("""
do j = 1, ny
  do i = 1, nx/2
    a(2*i, j, 1) = b(i, j, 1) !<<
    a(i, j, 1) = 0
  end do
end do""", ["2*i", "factor 2"]),
    "component in a subscript of points": ("""
do j = 1, ny
  do i = 1, nx
    do m = 1, 12
      q(1 + mod(m, 5), i, j, 1) = b(i + m, j, 1) !<<
    end do
  end do
end do""", ["i + m", "not a constant"]),
    "an element that a call takes whole": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = mean(q(:, ind(i), j, 1)) !<<
  end do
end do""", ["ind(i)", "indirect"]),
    "a subscript that two nests have": ("""
do i = 1, nx
  a(i, 1, 1) = b(ind(i), 1, 1)
end do
do i = 1, nx
  b(i, 1, 1) = 2*b(ind(i), 1, 1) !<<
end do""", ["ind(i)", "indirect"]),
    "a line read before it is written": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = line(i) !<<
    line(i) = b(i, j, 1)
  end do
end do""", ["array line", "not all", "loop over j"]),
    "a line used in another nest": ("""
do j = 1, ny
  do i = 1, nx
    line(i) = b(i, j, 1)
  end do
  do i = 1, nx
    a(i, j, 1) = line(i)
  end do
end do
do i = 1, nx !<<
  b(i, 1, 1) = line(i)
end do""", ["array line", "used in another nest"]),
    "an argument without an index": ("""
do k = 1, nz
  do j = 1, ny
    do i = 1, nx
      c(i, j) = b(i, j, k) !<<
    end do
  end do
  do j = 1, ny
    do i = 1, nx
      a(i, j, k) = c(i, j)**2
    end do
  end do
end do""", ["array c", "without the index k", "seen outside"]),
    "a line that is read later": ("""
!$bridge begin first
do j = 1, ny
  do i = 1, nx
    line(i) = b(i, j, 1)
  end do
  do i = 1, nx
    a(i, j, 1) = line(i)**2
  end do
end do
!$bridge end
s = line(3)""", ["array line", "without the index j", "read after the loops"]),
    "line read in another order": ("""
do j = 1, ny
  do i = 1, nx
    line(i) = b(i, j, 1)
  end do
  do i = 1, nx
    a(i, j, 1) = line(nx + 1 - i) !<<
  end do
end do""", ["nx + 1 - i", "factor -1"]),
    "old values ahead, behind a new one": ("""
do j = 1, ny
  do i = 1, nx - 1
    a(i, j, 1) = b(i, j, 1)
    b(i, j, 1) = a(i + 1, j, 1) !<<
  end do
end do""", ["array a", "old values ahead", "copy"]),
    "condition on a view that changes": ("""
do j = 1, ny
  if (h(ny + 1 - j) > 1d0) then
    do i = 1, nx
      a(i, j, 1) = 0
    end do
    h(j) = 2d0
  end if
end do""", ["ny + 1 - j", "factor -1"]),
    "equivalence": ("""
do j = 1, ny
  do i = 1, nx
    e(1) = b(i, j, 1)
    a(i, j, 1) = e(1)
  end do
end do""", ["equivalence of e"]),
    "equivalence of an index": ("""
do j = 1, ny
  do once = 1, nx
    a(once, j, 1) = b(once, j, 1)
  end do
end do""", ["equivalence of once"]),
    "equivalence of an index that is only counted": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = 0
    do once = 1, 3
      a(i, j, 1) = a(i, j, 1) + b(i, j, 1)
    end do
  end do
end do""", ["equivalence of once"]),
    "array of a type": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = hs(i)%cells(j)%rho !<<
  end do
end do""", ["component hs(i)%cells(j)%rho", "index i changes", "so does that of hs"]),
    "several elements of a type": ("""
do i = 1, nx
  a(i, 1, 1) = hs(2:3)%one !<<
end do""", ["hs(2:3)%one", "several elements", "one is a pointer or allocatable"]),
    "all elements of a type": ("""
do i = 1, nx
  a(i, 1, 1) = sum(hs%v(1)) !<<
end do""", ["hs%v", "several elements", "v is a pointer or allocatable"]),
    "a pointer to a number": ("""
do i = 1, nx
  a(i, 1, 1) = ha%one !<<
end do""", ["ha%one", "scalar", "variable before"]),
    "a type that is not given": ("""
do i = 1, nx
  hc%v(i) = 1 !<<
end do""", ["type 'absent'", "not declared"]),
    "text of a type": ("""
do i = 1, nx
  if (ha%text == 'x') a(i, 1, 1) = 1 !<<
end do""", ["character ha%text"]),
    "a type as a whole": ("""
do i = 1, nx
  ha = hb !<<
  a(i, 1, 1) = hb%n
end do""", ["variable hb", "as a whole"]),
    "a type that changes": ("""
do i = 1, nx
  ha = hb
  a(i, 1, 1) = ha%n !<<
end do""", ["ha%n", "ha changes"]),
    "an index on the way changes": ("""
do i = 1, nx
  hb%n = i
  a(i, 1, 1) = hs(ha%n)%v(i) !<<
end do""", ["hs(ha%n)%v", "index on the way"]),
    "no such component": ("""
do i = 1, nx
  a(i, 1, 1) = ha%unknown(i) !<<
end do""", ["ha%unknown", "no such component"]),
    "a pointer set in the loop": ("""
do i = 1, nx
  ptr => ha%p !<<
  ptr(i, 1) = 1
end do""", ["pointer assignment", "before the loops"]),
    "a pointer to a section": ("""
ptr => ha%p(:, 2:) !<<
do i = 1, nx
  ptr(i, 1) = 1
end do""", ["pointer assignment", "as a whole"]),
    "a pointer that is read later": ("""
!$bridge begin first
ptr => ha%p !<<
do i = 1, nx
  ptr(i, 1) = 1
end do
!$bridge end
a(1, 1, 1) = ptr(1, 1)""", ["pointer assignment of ptr", "after the nest"]),
    "a local pointer as a work array": ("""
do j = 1, ny
  do i = 1, nx
    row(i) = b(i, j, 1) !<<
    a(i, j, 1) = row(i)**2
  end do
end do""", ["array row", "seen outside"]),
    "an associate name that changes": ("""
k = 1
associate (x => k + 1) !<<
  do i = 1, nx
    k = i
    a(i, 1, 1) = x
  end do
end associate""", ["associate", "k may change"]),
    "too far": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = b(i + 17, j, 1) + b(i, j, 1) !<<
  end do
end do""", ["array b", "(17, 0, 0)", "16"]),
    "work array carries": ("""
do j = 1, ny
  do i = 1, nx
    w(1) = b(i, j, 1)
    a(i, j, 1) = w(1) + w(2) !<<
  end do
end do""", ["array w", "carries"]),
    "loop that cannot be split": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = b(i, j, 1)
  end do
  do i = 1, nx
    q(1, i, j, 1) = a(i, j + 1, 1) !<<
  end do
end do""", ["array a", "loop over j cannot be split", "line"]),
    "line not filled": ("""
do j = 1, ny
  do i = 2, nx
    line(i) = b(i, j, 1)
  end do
  do i = 2, nx
    a(i, j, 1) = line(i) - line(i - 1) !<<
  end do
end do""", ["array line", "loop over j"]),
    "section along points": ("""
do k = 1, nz
  do j = 1, ny
    do i = 1, nx
      b(i, j, k) = a(i, j, k)
    end do
    a(1:nx:2, j, k) = 0 !<<
  end do
end do""", ["section a(1:nx:2, j, k)", "write a loop"]),
    "whole array": ("""
do k = 1, nz
  do j = 1, ny
    do i = 1, nx
      a(i, j, k) = sum(b) + b(i, j, k) !<<
    end do
  end do
end do""", ["array b as a whole"]),
    "size of an array of points": ("""
do k = 1, nz
  do j = 1, ny
    do i = 1, nx
      a(i, j, k) = size(b, 1) + b(i, j, k) !<<
    end do
  end do
end do""", ["function size"]),
    "scalar from loop to loop": ("""
do j = 1, ny
  do i = 1, nx
    t = b(i, j, 1)
    a(i, j, 1) = t
  end do
  do i = 1, nx
    q(1, i, j, 1) = t
  end do
end do""", ["scalar t", "array of the points"]),
    "index changed": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = b(i, j, 1)
    i = i + 1 !<<
  end do
end do""", ["loop variable i"]),
    "backward goto": ("""
do j = 1, ny
  do i = 1, nx
    if (b(i, j, 1) > 1d0) goto 20
10  a(i, j, 1) = a(i, j, 1)*0.5d0
20  if (a(i, j, 1) > 1d0) goto 10 !<<
  end do
end do""", ["goto backwards to 10"]),
    "written without an index": ("""
do k = 1, nz
  do j = 1, ny
    do i = 1, nx
      c(j, i) = b(i, j, k)
    end do
  end do
end do""", ["array c"]),
    "recurrence that mixes components": ("""
do m = 2, 5
  do i = 2, nx
    q(m, i, 1, 1) = q(m - 1, i - 1, 1, 1) + b(i, 1, 1) !<<
  end do
end do""", ["array q", "mixes components"]),
    "scalar set among jumps": ("""
do j = 1, ny
  t = 1d0 !<<
  if (h(j) > 1d0) goto 10
  t = 2d0
10 continue
  do i = 1, nx
    a(i, j, 1) = t*b(i, j, 1)
  end do
end do""", ["scalar t", "jumps"]),
    "scalar of the round before": ("""
t = 1d0
do j = 1, ny !<<
  do i = 1, nx
    a(i, j, 1) = t*b(i, j, 1)
  end do
  t = -t
end do""", ["scalar t", "goes from loop to loop"]),
    "scalar of the point before along two loops": ("""
t = 0d0
do j = 1, ny !<<
  do i = 1, nx
    a(i, j, 1) = t*b(i, j, 1)
    t = b(i, j, 1)
  end do
end do""", ["scalar t", "goes from loop to loop"]),
    "scalar of the line before": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = t*b(i, j, 1) !<<
    t = b(i, j, 1)
  end do
end do""", ["scalar t", "carries"]),
    "scalar of the line before, of one line alone": ("""
do j = 1, ny
  !$bridge begin inner
  do i = 1, nx
    a(i, j, 1) = t*b(i, j, 1) !<<
    t = b(i, j, 1)
  end do
  !$bridge end
end do""", ["scalar t", "carries"]),
    "scalar of a round that ends early": ("""
t = 0d0
do i = 1, nx !<<
  a(i, 1, 1) = t
  if (b(i, 1, 1) > 1d0) cycle
  t = b(i, 1, 1)
end do""", ["scalar t", "goes from loop to loop"]),
    "scalar of the point before set twice": ("""
t = 0d0
if (n > 2) t = 1d0
do i = 1, nx !<<
  a(i, 1, 1) = t
  t = b(i, 1, 1)
end do""", ["scalar t", "goes from loop to loop"]),
    "scalar of the point before that begins with the index": ("""
jj = i
do i = 1, nx
  a(i, 1, 1) = jj
  if (b(i, 1, 1) > 1d0) jj = i
end do""", ["scalar jj", "goes from loop to loop"]),
    "scalar of the point before that is read behind": ("""
do j = 1, ny
  t = 0d0
  do i = 1, nx
    a(i, j, 1) = t
    t = b(i, j, 1)
  end do
  c(j, 1) = t
end do""", ["scalar t", "goes from loop to loop"]),
    "scalar of the point before that the caller sees": ("""
do i = 1, nx
  a(i, 1, 1) = s !<<
  s = b(i, 1, 1)
end do""", ["scalar s", "carries"]),
    "called function reads points": ("""
do j = 2, ny
  do i = 2, nx
    a(i, j, 1) = slope(i, 2) !<<
  end do
end do""", ["call of slope", "index i", "array plane_of_all"]),
    "no loop over points": ("""
do m = 1, 5
  w(m) = 1d0
end do
s = w(3)""", ["nest", "--axis"]),
    "condition that changes inside": ("""
if (flag) then !<<
  do j = 1, ny
    do i = 1, nx
      flag = flag .or. b(i, j, 1) > 1d0
    end do
  end do
end if""", ["if around loops", "flag"]),
    "line with a gap": ("""
do j = 1, ny
  do i = 1, 50
    line(i) = b(i, j, 1)
  end do
  do i = 52, nx
    line(i) = b(i, j, 1)
  end do
  do i = 1, nx
    a(i, j, 1) = line(i) !<<
  end do
end do""", ["array line", "loop over j"]),
    "elements on a diagonal": ("""
do j = 1, ny
  do i = 1, nx
    plane(1, 1) = b(i, j, 1)
    plane(2, 2) = b(i, j, 1)
    a(i, j, 1) = plane(1, 2) !<<
  end do
end do""", ["array plane", "carries"]),
    "elements that a where leaves alone": ("""
do j = 1, ny
  do i = 1, nx
    where (q(:, i, j, 1) > 1) w = q(:, i, j, 1)
    a(i, j, 1) = w(1) !<<
  end do
end do""", ["array w", "carries"]),
    "a case that sets nothing": ("""
do j = 1, ny
  do i = 1, nx
    select case (n)
    case (1)
      t = b(i, j, 1)
    end select
    a(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a round that may end before": ("""
do j = 1, ny
  do i = 1, nx
    do m = 1, 2
      if (b(i, j, 1) > m) cycle
      t = b(i, j, 1)
    end do
    a(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a loop that may end before": ("""
do j = 1, ny
  do i = 1, nx
    do m = 1, 2
      if (b(i, j, 1) > m) exit
      t = b(i, j, 1)
    end do
    a(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a loop of n rounds that may end before": ("""
do j = 1, ny
  do i = 1, nx
    do m = 1, n
      if (b(i, j, 1) > m) exit
      w(m) = b(i, j, 1)
    end do
    do m = 1, n
      a(i, j, 1) = a(i, j, 1) + w(m) !<<
    end do
  end do
end do""", ["array w", "carries"]),
    "a loop of n rounds backwards": ("""
do j = 1, ny
  do i = 1, nx
    w(1) = 0
    do m = n, 2, -1
      w(m) = b(i, j, 1)
      a(i, j, 1) = a(i, j, 1) + w(m - 1) !<<
    end do
  end do
end do""", ["array w", "carries"]),
    "every second element of a line": ("""
do j = 1, ny
  do i = 1, nx
    do m = 1, n
      w(2*m) = b(i, j, 1)
    end do
    do m = 1, n
      a(i, j, 1) = a(i, j, 1) + w(m) !<<
    end do
  end do
end do""", ["array w", "carries"]),
    "a call that may write": ("""
do j = 1, ny
  do i = 1, nx
    call maybe(t, b(i, j, 1))
    a(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a section with a stride": ("""
do j = 1, ny
  do i = 1, nx
    w(1:5:2) = b(i, j, 1)
    a(i, j, 1) = w(2) !<<
  end do
end do""", ["array w", "carries"]),
    "an element whose index has changed": ("""
do j = 1, ny
  do i = 1, nx
    jj = mod(n, 3) + 1
    w(jj) = b(i, j, 1)
    jj = mod(n, 4) + 1
    a(i, j, 1) = w(jj) !<<
  end do
end do""", ["array w", "carries"]),
    "a loop that may have no round": ("""
do j = 1, ny
  do i = 1, nx
    jj = n
    do while (jj < 3)
      t = b(i, j, 1)
      jj = jj + 1
    end do
    a(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "components that a copy would write over": ("""
do j = 1, ny
  do i = 1, nx
    do m = 1, 2
      q(m, nx + 1 - i, j, 1) = m*a(i, j, 1) !<<
    end do
    q(3, i, j, 1) = b(i, j, 1)
  end do
end do""", ["nx + 1 - i of q", "factor -1"]),
    "a table that the nest changes": ("""
do i = 1, nx
  line(i) = a(i, 1, 1)
  kk(i) = 1 + mod(i, 3)
  places(kk(i)) = i !<<
  b(i, 1, 1) = places(kk(i))
end do""", ["subscript kk(i) of places", "indirect"]),
    "a table of unknown size": ("""
do i = 1, nx
  kk(i) = 1 + int(a(i, 1, 1))
  b(i, 1, 1) = h(kk(i)) !<<
end do""", ["subscript kk(i) of h", "indirect"]),
    "a place in the condition of another arm": ("""
do i = 1, nx
  kk(i) = 1 + int(a(i, 1, 1))
  if (a(i, 1, 1) > 1d0) then !<<
    b(i, 1, 1) = 0d0
  else if (e3(kk(i)) > 1d0) then
    b(i, 1, 1) = 1d0
  end if
end do""", ["subscript kk(i) of e3", "indirect"]),
    "a scalar of a condition that has changed": ("""
do j = 1, ny
  do i = 1, nx
    jj = int(a(i, j, 1))
    if (jj > 1) t = a(i, j, 1)
    jj = jj + int(b(i, j, 1))
    if (jj > 1) b(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of another condition": ("""
do j = 1, ny
  do i = 1, nx
    if (a(i, j, 1) > 1d0) t = 1d0
    if (b(i, j, 1) > 1d0) b(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of an arm whose first condition is another": ("""
do j = 1, ny
  do i = 1, nx
    if (a(i, j, 1) > 1d0) then
      b(i, j, 1) = 1d0
    else if (b(i, j, 1) > 1d0) then
      t = 2d0
    end if
    if (a(i, j, 1) > 2d0) then
      b(i, j, 1) = 2d0
    else if (b(i, j, 1) > 1d0) then
      b(i, j, 1) = t !<<
    end if
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of a condition that its arm changes": ("""
do j = 1, ny
  do i = 1, nx
    jj = int(a(i, j, 1))
    if (jj > 1) then
      t = a(i, j, 1)
      jj = 0
    else
      jj = 3
    end if
    if (jj > 1) b(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of a condition that a loop changes": ("""
do j = 1, ny
  do i = 1, nx
    jj = int(a(i, j, 1))
    if (jj > 1) t = a(i, j, 1)
    do m = 1, 4
      if (jj > 1) b(i, j, 1) = b(i, j, 1) + t !<<
      jj = jj + 1
    end do
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of a condition in a loop that may have no round": ("""
do j = 1, ny
  do i = 1, nx
    do m = 1, n
      if (a(i, j, 1) > 1d0) t = m
    end do
    if (a(i, j, 1) > 1d0) b(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of a condition in another arm": ("""
do j = 1, ny
  do i = 1, nx
    if (b(i, j, 1) > 1d0) then
      if (a(i, j, 1) > 1d0) t = 1d0
    else
      if (a(i, j, 1) > 1d0) b(i, j, 1) = t !<<
    end if
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of a condition in a case": ("""
do j = 1, ny
  do i = 1, nx
    select case (int(b(i, j, 1)))
    case (1)
      if (a(i, j, 1) > 1d0) t = 1d0
    end select
    if (a(i, j, 1) > 1d0) b(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of a condition that a call may change": ("""
do j = 1, ny
  do i = 1, nx
    jj = int(a(i, j, 1))
    if (jj > 1) t = a(i, j, 1)
    call advance(jj)
    if (jj > 1) b(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of a condition with a function": ("""
do j = 1, ny
  do i = 1, nx
    w = a(i, j, 1)
    if (mean(w) > 1d0) t = 1d0
    if (mean(w) > 1d0) b(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of a condition that a jump passes by": ("""
do j = 1, ny
  do i = 1, nx
    if (b(i, j, 1) > 1d0) goto 7
    if (a(i, j, 1) > 1d0) t = 1d0
7 continue
    if (a(i, j, 1) > 1d0) b(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a scalar of a condition of common": ("""
do j = 1, ny
  do i = 1, nx
    if (shared > 1d0) t = b(i, j, 1)
    if (shared > 1d0) b(i, j, 1) = t !<<
  end do
end do""", ["scalar t", "carries"]),
    "a line that a loop over components fills anew": ("""
do j = 1, ny
  do m = 1, 5
    do i = 1, nx
      line(i) = q(m, i, j, 1)
    end do
    do i = 2, nx
      a(i, j, 1) = a(i, j, 1) + line(i) - line(i - 1) !<<
    end do
  end do
end do""", ["array line", "loop over m", "other components"]),
    "other components of the loop before": ("""
do m = 1, 4
  do i = 1, nx
    q(m, i, 1, 1) = b(i, 1, 1)
  end do
  do i = 1, nx
    a(i, 1, 1) = a(i, 1, 1) + q(m + 1, i, 1, 1) !<<
  end do
end do""", ["array q", "loop over m", "other components"]),
    "first point of a recurrence under a condition": ("""
do j = 1, ny
  do i = 1, nx
    if (j == 1) then
      a(i, j, 1) = b(i, j, 1)
    else
      a(i, j, 1) = b(i, j, 1) - a(i, j - 1, 1) !<<
    end if
  end do
end do""", ["subscript j - 1 of a", "outside", "a loop of their own"]),
    "loop backwards that cannot be split": ("""
do j = ny, 1, -1
  do i = 1, nx
    a(i, j, 1) = b(i, j, 1)
  end do
  do i = 1, nx
    q(1, i, j, 1) = a(i, j - 1, 1) !<<
  end do
end do""", ["array a", "loop over j cannot be split"]),
    "plane of a loop that cannot be split": ("""
do k = 1, nz
  do j = 1, ny
    do i = 1, nx
      a(i, j, k) = b(i, j, k)
    end do
    do i = 1, nx
      q(1, i, j, k) = a(i, j, 1) !<<
    end do
  end do
end do""", ["array a", "loop over k cannot be split"]),
    "a scalar that is set from what changes before it is set again": ("""
do j = 1, ny
  jj = places(1) + j
  do i = 1, nx
    a(i, j, 1) = jj
  end do
  ip = jj !<<
  jj = 5
  ip = ip + 1
  do i = 1, nx
    b(i, j, 1) = ip
  end do
end do""", ["scalar ip", "set from jj, which changes"]),
    "a scalar that is set in some rounds": ("""
do j = 1, ny !<<
  if (h(j) > 1) t = 3
  do i = 1, nx
    a(i, j, 1) = t
  end do
end do""", ["scalar t", "not set in any case"]),
    "a reduction that begins with a variable": ("""
s = n*1d0 !<<
do j = 1, ny
  do i = 1, nx
    s = s + b(i, j, 1)
  end do
end do""", ["scalar s", "no constant"]),
    "a reduction of each line": ("""
do j = 1, ny
  s = 0 !<<
  do i = 1, nx
    s = s + b(i, j, 1)
  end do
end do""", ["scalar s", "reduces it anew at each point of the loop over j", "--value nx=N"]),
    "a sum that begins with an element": ("""
s = b(1, 1, 1) !<<
do i = 1, nx
  s = s + b(i, 1, 1)
end do""", ["scalar s", "no constant", "outside of the nest"]),
    "an integer that sums reals": ("""
do j = 1, ny
  do i = 1, nx
    jj = jj + b(i, j, 1)*2 !<<
    a(i, j, 1) = 0
  end do
end do""", ["scalar jj", "not all integers"]),
    "an element that is its own index": ("""
do j = 1, ny
  do i = 1, nx
    places(places(1)) = places(places(1)) + 1 !<<
    a(i, j, 1) = 0
  end do
end do""", ["array places", "carries"]),
    "a sum and a maximum": ("""
do j = 1, ny
  do i = 1, nx
    s = s + b(i, j, 1) !<<
    s = max(s, a(i, j, 1))
  end do
end do""", ["scalar s", "carries"]),
    "a sum that is read on the way": ("""
do j = 1, ny
  do i = 1, nx
    s = s + b(i, j, 1) !<<
    a(i, j, 1) = s
  end do
end do""", ["scalar s", "carries"]),
    "a sum with changing signs": ("""
do j = 1, ny
  do i = 1, nx
    s = b(i, j, 1) - s !<<
  end do
end do""", ["scalar s", "carries"]),
    "a sum of its own multiples": ("""
do j = 1, ny
  do i = 1, nx
    s = s + b(i, j, 1)*s !<<
  end do
end do""", ["scalar s", "carries"]),
    "a maximum of its own multiples": ("""
do j = 1, ny
  do i = 1, nx
    s = max(s, s*b(i, j, 1)) !<<
  end do
end do""", ["scalar s", "carries"]),
    "a flag that its condition reads": ("""
do j = 1, ny
  do i = 1, nx
    if (flag .neqv. b(i, j, 1) > 1) flag = .false. !<<
  end do
end do""", ["scalar flag", "carries"]),
    "a count that is the variable of a loop": ("""
do j = 1, ny
  do i = 1, nx
    jj = jj + 1 !<<
    do jj = 1, 3
      a(i, j, 1) = a(i, j, 1) + 1
    end do
  end do
end do""", ["scalar jj", "carries"]),
    "four dimensions of points": ("""
do k = 1, nz
  do j = 1, ny
    do i = 1, nx
      do m = 1, ng
        many(m, i, j, k) = 0 !<<
      end do
    end do
  end do
end do""", ["array many", "4 of its dimensions", "--value ng"]),
    "mirrored values of the next line": ("""
do j = 1, ny - 1
  do i = 1, nx
    b(i, j, 1) = a(i, j, 1)
  end do
  do i = 1, nx
    a(i, j, 1) = b(nx + 1 - i, j + 1, 1) !<<
  end do
end do""", ["nx + 1 - i", "factor -1"]),
    "mirrored backwards": ("""
do j = 1, ny
  do i = 20, 1, -1
    a(i, j, 1) = a(21 - i, j, 1) !<<
  end do
end do""", ["21 - i", "factor -1"]),
    "mirrored, of a component that changes": ("""
do j = 1, ny
  do i = 1, nx
    jj = nint(b(i, j, 1))
    q(jj + 1, i, j, 1) = b(i, j, 1)
    jj = jj + 1
    a(i, j, 1) = q(jj, nx + 1 - i, j, 1) !<<
  end do
end do""", ["nx + 1 - i", "factor -1"]),
    "planes among jumps": ("""
do k = 1, nz
  do j = 1, ny
    a(1, j, k) = b(1, j, k)
    if (b(1, j, k) > 1) goto 10
    a(2, j, k) = 0 !<<
10  continue
  end do
end do""", ["array a", "written at (1, 0, 0)"]),
    "an index that a loop over points leaves": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = 2*a(i, j, 1)
  end do
  c(1, j) = i !<<
end do""", ["loop variable i", "outside of its loop over points"]),
    "a function of whole arrays": ("""
a(:, 1, 1) = b(:, 1, 1)*mean(b(:, 1, 1))""", ["nest", "it has no loops"]),
    "a maximum of a sum": ("""
s = max(s, sum(b))""", ["nest", "it has no loops"]),
    "a sum of what it is in": ("""
s = sum(b*s)""", ["nest", "it has no loops"]),
    "a sum of reals in an integer": ("""
ip = sum(b)""", ["nest", "it has no loops"]),
    "an extent that changes": ("""
many(:, 1, 1, 1) = 2*many(:, 1, 1, 1)
ng = 2""", ["nest", "it has no loops"]),
    "mod of what may be negative": ("""
do j = 1, ny
  do i = mod(j - 3, 2), nx - 1 !<<
    a(i + 1, j, 1) = 0
  end do
end do""", ["loop over i", "bounds depend on j"]),
    "iand of a mask with gaps": ("""
do j = 1, ny
  do i = 1 + iand(j, 5), nx !<<
    a(i, j, 1) = 0
  end do
end do""", ["loop over i", "bounds depend on j"]),
    "a bound that a call changes": ("""
do j = 1, ny
  ip = 1
  call advance(ip)
  do i = ip, nx !<<
    a(i, j, 1) = 0
  end do
end do""", ["loop over i", "bounds depend on ip"]),
    "neighbours among jumps": ("""
do j = 1, ny - 1
  do i = 1, nx
    do jj = j, j + 1 !<<
      if (b(i, jj, 1) > 1) cycle
      a(i, j, 1) = a(i, j, 1) + b(i, jj, 1)
    end do
  end do
end do""", ["loop over jj", "same axis"]),
    "neighbours whose index is read later": ("""
do j = 1, ny - 1
  do i = 1, nx
    do jj = j, j + 1 !<<
      a(i, j, 1) = a(i, j, 1) + b(i, jj, 1)
    end do
    a(i, j, 1) = a(i, j, 1)*jj
  end do
end do""", ["loop over jj", "same axis"]),
    "neighbours from what a call changes": ("""
do j = 1, ny - 1
  do i = 1, nx
    ip = j
    do jj = ip, ip + 1 !<<
      a(i, j, 1) = a(i, j, 1) + b(i, jj, 1)
      call advance(ip)
    end do
  end do
end do""", ["loop over jj", "same axis"]),
    "an index from an element that a call changes": ("""
do j = 1, ny
  do i = 1, nx
    places = 2
    ip = places(1)
    call advance(places(1))
    a(i, j, 1) = b(i, ip, 1) !<<
  end do
end do""", ["subscript ip of b", "set in the nest"]),
    "a loop over components of unknown number": ("""
do j = 1, ny
  do i = 1, nx
    do m = 1, 3
      a(i, j, m) = b(i, j, m) !<<
    end do
  end do
end do""", ["subscript m of a", "m is set in the nest", "--value nz=N"]),
    "one element outside of the loops": ("""
a(1, 1, 1) = 0 !<<
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = 1
  end do
end do""", ["array a", "one element", "outside"]),
    "an array that is read outside": ("""
w(1) = 1
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = w(1)
  end do
end do
c(2, 2) = 0 !<<""", ["array c", "seen outside"]),
    "a scalar that is seen outside": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = b(i, j, 1)
  end do
end do
s = 5 !<<""", ["scalar s", "seen outside"]),
    "a scalar that another loop leaves": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = b(i, j, 1)
  end do
  do i = 1, nx
    s = b(i, j, 1) !<<
  end do
end do""", ["scalar s", "seen outside"]),
    "a scalar that is set again": ("""
t = 1
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = t
  end do
end do
t = 2 !<<""", ["scalar t", "set again"]),
    "a scalar outside that is read later": ("""
!$bridge begin first
t = 2 !<<
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = t
  end do
end do
!$bridge end
s = t""", ["scalar t", "read after the nest"]),
    "a scalar that is set with an array": ("""
do j = 1, ny
  call pair(h(j), t) !<<
  do i = 1, nx
    a(i, j, 1) = t
  end do
end do""", ["scalar t", "together with array h"]),
    "an index of what changes": ("""
ip = jj + 1 !<<
jj = 3
do k = 1, nz
  do j = 1, ny
    a(jj, j, k) = b(ip, j, k)
  end do
end do""", ["scalar ip", "set from jj, which changes"]),
    "an index that a call changes": ("""
ip = 1
call advance(ip)
do k = 1, nz
  do j = 1, ny
    a(1, j, k) = b(ip, j, k) !<<
  end do
end do""", ["ip"]),
    "an index of an element that changes": ("""
jj = places(2)
places(2) = 3
do k = 1, nz
  do j = 1, ny
    a(1, j, k) = b(jj, j, k)
  end do
end do""", ["jj"]),
    "an index that is read later": ("""
!$bridge begin first
ip = 2 !<<
do k = 1, nz
  do j = 1, ny
    a(ip, j, k) = b(ip, j, k)
  end do
end do
!$bridge end
s = ip""", ["scalar ip", "read after the nest"]),
    "two loops along one axis": ("""
do i = 1, nx
  do ip = 1, nx !<<
    a(ip, 1, 1) = a(ip, 1, 1) + b(i, 1, 1)
  end do
end do""", ["loop over ip", "same axis"]),
    "do while around the points": ("""
do while (s > 1) !<<
  do i = 1, nx
    a(i, 1, 1) = b(i, 1, 1)
  end do
  s = s - 1
end do""", ["do while", "around loops over points"]),
    "a loop variable that is read later": ("""
!$bridge begin first
do j = 1, ny
  do i = 1, nx !<<
    a(i, j, 1) = b(i, j, 1)
  end do
end do
!$bridge end
s = i""", ["loop variable i", "read after the loops"]),
    "a section up to the point": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = sum(b(1:i, j, 1)) !<<
  end do
end do""", ["a section with the index i"]),
    "a scalar that the round before sets": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = t*b(i, j, 1)
  end do
  t = 2
end do""", ["scalar t", "goes from loop to loop"]),
    "a function that changes its argument": ("""
do j = 1, ny
  do i = 1, nx
    t = b(i, j, 1)
    a(i, j, 1) = counting(t) !<<
  end do
end do""", ["counting", "changes its argument"]),
    "a reduction with its own variable in it": ("""
!$bridge begin first
s = sum(b(:, 1, 1) - s) !<<
!$bridge end""", ["no array statement that becomes loops", "write it as loops"]),
    "a whole allocatable array": ("""
grown = 2*b(:, 1, 1) !<<""", ["array grown", "shape of the right side"]),
    "an array statement of a plane that may be its own": ("""
a(2:nx, 1, 1) = a(1:nx - 1, ng, 1) !<<""", ["array statement", "reads elements of the array"]),
    "a reduction of each round": ("""
do k = 1, nz
  s = sum(b(:, :, k)) !<<
  a(1, 1, k) = s
end do""", ["scalar s", "seen outside"]),
    "a pointer as an array statement": ("""
row => b(:, 1, 1) !<<
do i = 1, nx
  a(i, 1, 1) = row(i)
end do""", ["pointer assignment", "two names"]),
    "a mirrored array without end": ("""
do i = 1, nx
  a(i, 1, 1) = z(nx + 1 - i) !<<
end do""", ["array z", "no fixed distance"]),
    "components without end": ("""
do k = 1, nz
  do j = 1, ny
    do i = 1, nx
      a(i, j, k) = zz(i, j, k, 2) !<<
    end do
  end do
end do""", ["array zz", "goes over components"]),
    "an array without end under a condition": ("""
do i = 1, nx
  if (b(i, 1, 1) > 1) a(i, 1, 1) = z(i) !<<
end do""", ["array z", "behind its end"]),
    "a neighbour without end under a condition": ("""
do i = 1, nx
  a(i, 1, 1) = z(i)
  if (b(i, 1, 1) > 1) a(i, 1, 1) = z(i + 1) !<<
end do""", ["array z", "behind its end"]),
    "an array without end behind a jump": ("""
do i = 1, nx
  if (b(i, 1, 1) > 1) cycle
  a(i, 1, 1) = z(i) !<<
end do""", ["array z", "behind its end"]),
    "an array without end in no round": ("""
do i = 1, nx
  a(i, 1, 1) = z(i)
  do m = 2, 1
    a(i, 1, 1) = z(i + 1) !<<
  end do
end do""", ["array z", "behind its end"]),
    "an array without end behind .and.": ("""
do i = 1, nx
  a(i, 1, 1) = z(i)
  if (b(i, 1, 1) > 1 .and. z(i + 1) > 1) a(i, 1, 1) = 0 !<<
end do""", ["array z", "behind its end"]),
    "mod of a variable that is set": ("""
do j = 1, ny
  do jj = 1, 3
    w(jj) = 0
  end do
  jj = 3
  if (flag) jj = -5
  do i = 2 + mod(jj, 2), nx !<<
    b(i, j, 1) = 0
  end do
end do""", ["loop over i", "bounds depend on"]),
    "mod of a difference": ("""
do j = 1, ny
  do i = 2 + mod(3 - j, 2), nx !<<
    a(i, j, 1) = 0
  end do
end do""", ["loop over i", "bounds depend on j"]),
    "an array statement with a stride": ("""
a(1:nx:2, 1, 1) = 0""", ["section a(1:nx:2, 1, 1)", "becomes no loop", "leave it out"]),
    "components of an unknown number": ("""
q(:, :, 1, 1) = many(:, :, 1, 1)""", ["nest", "it has no loops"]),
    "all of an array without end": ("""
z(:) = 2*a(:, 1, 1)""", ["nest", "it has no loops"]),
    "a subscript of a point and a component": ("""
do j = 1, ny
  do i = 1, nx
    do m = 1, n
      a(i, j, 1) = a(i, j, 1) + q(mod(i, 3) + m, ind(i), j, 1) !<<
    end do
  end do
end do""", ["subscript mod(i, 3) + m of q:", "an index that wraps around"]),
}  # fmt: skip
