"""Nests that are refused for a statement: jumps, calls, bounds of loops, array statements, derived
types and pointers."""

#: name -> (statements, words of the refusal), as refusednests.py has them all.
STATEMENTS = {
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
    "array statement that turns its array": ("""
a(1:ny, 1:ny, 1) = transpose(a(1:ny, 1:ny, 1)) !<<""",
        ["array statement a(", "no order of the elements"]),
    "where that moves what it asks": ("""
where (a(1:nx - 1, :, 1) > 1) !<<
  a(2:nx, :, 1) = b(1:nx - 1, :, 1)
end where""", ["array statement a(", "before they are written"]),
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
    "source not given": ("""
do j = 1, ny
  do i = 1, nx
    call nowhere(a(i, j, 1)) !<<
  end do
end do""", ["call nowhere", "source"]),
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
    "an associate name that changes": ("""
k = 1
associate (x => k + 1) !<<
  do i = 1, nx
    k = i
    a(i, 1, 1) = x
  end do
end associate""", ["associate", "k may change"]),
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
    "a pointer as an array statement": ("""
row => b(:, 1, 1) !<<
do i = 1, nx
  a(i, 1, 1) = row(i)
end do""", ["pointer assignment", "two names"]),
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
}  # fmt: skip
