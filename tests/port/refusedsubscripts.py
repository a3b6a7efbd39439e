"""Nests that are refused for elements of arrays: subscripts, recurrences, neighbours, shapes."""

#: name -> (statements, words of the refusal), as refusednests.py has them all.
SUBSCRIPTS = {
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
    "transposition": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = a(j, i, 1) !<<
  end do
end do""", ["array a", "dimension 1"]),
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
    "too far": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = b(i + 17, j, 1) + b(i, j, 1) !<<
  end do
end do""", ["array b", "(17, 0, 0)", "16"]),
    "loop that cannot be split": ("""
do j = 1, ny
  do i = 1, nx
    a(i, j, 1) = b(i, j, 1)
  end do
  do i = 1, nx
    q(1, i, j, 1) = a(i, j + 1, 1) !<<
  end do
end do""", ["array a", "loop over j cannot be split", "line"]),
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
    "other components of the loop before": ("""
do m = 1, 4
  do i = 1, nx
    q(m, i, 1, 1) = b(i, 1, 1)
  end do
  do i = 1, nx
    a(i, 1, 1) = a(i, 1, 1) + q(m + 1, i, 1, 1) !<<
  end do
end do""", ["array q", "loop over m", "other components"]),
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
    "a subscript of a point and a component": ("""
do j = 1, ny
  do i = 1, nx
    do m = 1, n
      a(i, j, 1) = a(i, j, 1) + q(mod(i, 3) + m, ind(i), j, 1) !<<
    end do
  end do
end do""", ["subscript mod(i, 3) + m of q:", "an index that wraps around"]),
}  # fmt: skip
