"""Nests that are refused for values that go from point to point: scalars, work arrays, sums."""

#: name -> (statements, words of the refusal), as refusednests.py has them all.
VALUES = {
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
    "a work array that is set by a stride": ("""
do i = 1, nx
  w(1:5:2) = b(i, 1, 1)
  w(2:4:2) = 0
  a(i, 1, 1) = w(3) !<<
end do""", ["array w: it carries", "which elements w(1:5:2) in line", "set them in a loop, or"]),
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
    "a local pointer as a work array": ("""
do j = 1, ny
  do i = 1, nx
    row(i) = b(i, j, 1) !<<
    a(i, j, 1) = row(i)**2
  end do
end do""", ["array row", "seen outside"]),
    "work array carries": ("""
do j = 1, ny
  do i = 1, nx
    w(1) = b(i, j, 1)
    a(i, j, 1) = w(1) + w(2) !<<
  end do
end do""", ["array w", "carries"]),
    "line not filled": ("""
do j = 1, ny
  do i = 2, nx
    line(i) = b(i, j, 1)
  end do
  do i = 2, nx
    a(i, j, 1) = line(i) - line(i - 1) !<<
  end do
end do""", ["array line", "loop over j"]),
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
    "a scalar that the round before sets": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = t*b(i, j, 1)
  end do
  t = 2
end do""", ["scalar t", "goes from loop to loop"]),
    "a reduction of each round": ("""
do k = 1, nz
  s = sum(b(:, :, k)) !<<
  a(1, 1, k) = s
end do""", ["scalar s", "seen outside"]),
}  # fmt: skip
