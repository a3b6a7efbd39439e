c     Loop nests of old codes: labels, shared ends, implicit types.
      subroutine old(n, m, a, b, c)
      implicit double precision (a-h, o-z)
      dimension a(n, m), b(n, m), c(n, m)
      do 20 j = 1, m
      do 20 i = 1, n
      t = a(i, j)
      if (t .gt. 1.0d0) goto 10
      t = t * b(i, j)
      c(i, j) = t
      goto 20
   10 c(i, j) = t - b(i, j)
   20 continue
      end

c     Statement function, arithmetic if, a sum.
      subroutine older(n, a, b, s)
      implicit double precision (a-h, o-z)
      dimension a(n), b(n)
      f(x, y) = x*y + x
      s = 0.0d0
      do 30 i = 1, n
      if (a(i) - 1.0d0) 11, 12, 12
   11 b(i) = f(a(i), 2.0d0)
      goto 30
   12 b(i) = f(b(i), a(i) + 1.0d0)
   30 s = s + b(i)
      end

c     Statement functions give values of their own type.
      subroutine oldest(n, a, b)
      implicit double precision (a-h, o-z)
      dimension a(n), b(n)
      kut(x) = x*2.5d0
      avg(k) = (k + 1)/2
      do 30 i = 1, n
   30 b(i) = kut(a(i))/2 + avg(i)/4
      end

c     A condition around loops, with all that is left behind it.
      subroutine either(n, mode, a, b)
      implicit double precision (a-h, o-z)
      dimension a(n), b(n)
      if (mode .eq. 1) then
        do 10 i = 1, n
   10   b(i) = 2.0d0*a(i)
      else if (mode .eq. 2) then
        do 20 i = 1, n
   20   b(i) = b(i) - a(i)
      else
        do 30 i = 1, n
   30   b(i) = 0.5d0*b(i)
      end if
      end

c     Points that leave before a reduction take no part in it.
      subroutine skips(n, a, b, small, big, total)
      implicit double precision (a-h, o-z)
      dimension a(n), b(n)
      do 30 i = 1, n
      if (a(i) .gt. 0.8d0) goto 30
      small = dmin1(small, a(i) + b(i))
      big = dmax1(big, -b(i))
      total = total + b(i)
   30 continue
      end

c     Jumps backwards within a point.
      subroutine again(n, m, a, b, c)
      implicit double precision (a-h, o-z)
      dimension a(n, m), b(n, m), c(n, m)
      do 20 j = 1, m
      do 20 i = 1, n
      t = a(i, j)
      it = 0
    5 t = 0.5d0*(t + b(i, j))
      it = it + 1
      if (it .gt. 4) goto 10
      if (dabs(t - b(i, j)) .gt. 0.1d0) goto 5
      t = t + 0.25d0
   10 c(i, j) = t
   15 if (c(i, j) .lt. 2.0d0) then
        c(i, j) = 1.5d0*c(i, j) + 0.5d0
        goto 15
      end if
   20 continue
      end
