C     Arrays of COMMON and arguments whose bounds have the same parameters, as an include file
C     says them.
      subroutine slope(k, x, tracer, dx)
      implicit none
      integer nx, ny, nr, halo
      parameter (nx = 26, ny = 15, nr = 3, halo = 2)
      real*8 width(1-halo:nx+halo, 1-halo:ny+halo)
      real*8 depth(1-halo:nx+halo, 1-halo:ny+halo), scale
      common /grid/ width, depth, scale
      real*8 mask(1-halo:nx+halo, 1-halo:ny+halo, nr), part(nr)
      common /masks/ mask, part
      integer k, i, j
      real*8 x(1-halo:nx+halo, 1-halo:ny+halo)
      real*8 tracer(1-halo:nx+halo, 1-halo:ny+halo)
      real*8 dx(1-halo:nx+halo, 1-halo:ny+halo)
c$bridge begin slope
      do j = 1-halo, ny+halo
       do i = 1-halo+1, nx+halo
        dx(i,j) = x(i,j)*width(i,j)*scale*part(2)
     &           *(tracer(i,j) - tracer(i-1,j))*mask(i,j,k)
       end do
      end do
c$bridge end
      end

C     Tables of two blocks.
      subroutine tabled(k, y)
      implicit none
      integer nx, ny, k
      parameter (nx = 26, ny = 15)
      real*8 width(nx, ny), mask(nx, ny), y
      common /lengths/ width
      common /lands/ mask
      y = width(k, 2)*mask(k, 3)
      end
