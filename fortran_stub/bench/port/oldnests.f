c     Nests of an implicit solver with the component first, as old codes have it.
      subroutine advance(nx, ny, nz, u, us, vs, ws, rhs)
      integer nx, ny, nz
      double precision u(5, 0:nx+1, 0:ny+1, 0:nz+1)
      double precision us(0:nx+1, 0:ny+1, 0:nz+1)
      double precision vs(0:nx+1, 0:ny+1, 0:nz+1)
      double precision ws(0:nx+1, 0:ny+1, 0:nz+1)
      double precision rhs(5, nx, ny, nz)
      double precision ri, up1, um1
      integer i, j, k, m
c$bridge begin velocities
      do 10 k = 0, nz+1
      do 10 j = 0, ny+1
      do 10 i = 0, nx+1
         ri = 1.0d0/u(1,i,j,k)
         us(i,j,k) = u(2,i,j,k)*ri
         vs(i,j,k) = u(3,i,j,k)*ri
         ws(i,j,k) = u(4,i,j,k)*ri
   10 continue
c$bridge end
c$bridge begin xflux
      do 20 k = 1, nz
      do 20 j = 1, ny
      do 20 i = 1, nx
         up1 = us(i+1,j,k)
         um1 = us(i-1,j,k)
         rhs(1,i,j,k) = rhs(1,i,j,k) + 0.75d0*(u(1,i+1,j,k)
     &      - 2.0d0*u(1,i,j,k) + u(1,i-1,j,k))
     &      - 0.5d0*(u(2,i+1,j,k) - u(2,i-1,j,k))
         rhs(2,i,j,k) = rhs(2,i,j,k) + 0.75d0*(u(2,i+1,j,k)
     &      - 2.0d0*u(2,i,j,k) + u(2,i-1,j,k))
     &      + 0.1d0*(up1 - 2.0d0*us(i,j,k) + um1)
     &      - 0.5d0*(u(2,i+1,j,k)*up1 - u(2,i-1,j,k)*um1
     &      + 0.4d0*(u(5,i+1,j,k) - u(5,i-1,j,k)))
         rhs(3,i,j,k) = rhs(3,i,j,k) + 0.75d0*(u(3,i+1,j,k)
     &      - 2.0d0*u(3,i,j,k) + u(3,i-1,j,k))
     &      + 0.1d0*(vs(i+1,j,k) - 2.0d0*vs(i,j,k) + vs(i-1,j,k))
     &      - 0.5d0*(u(3,i+1,j,k)*up1 - u(3,i-1,j,k)*um1)
         rhs(4,i,j,k) = rhs(4,i,j,k) + 0.75d0*(u(4,i+1,j,k)
     &      - 2.0d0*u(4,i,j,k) + u(4,i-1,j,k))
     &      + 0.1d0*(ws(i+1,j,k) - 2.0d0*ws(i,j,k) + ws(i-1,j,k))
     &      - 0.5d0*(u(4,i+1,j,k)*up1 - u(4,i-1,j,k)*um1)
         rhs(5,i,j,k) = rhs(5,i,j,k) + 0.75d0*(u(5,i+1,j,k)
     &      - 2.0d0*u(5,i,j,k) + u(5,i-1,j,k))
     &      - 0.5d0*(1.4d0*u(5,i+1,j,k)*up1 - 1.4d0*u(5,i-1,j,k)*um1)
   20 continue
c$bridge end
c$bridge begin dissipation
      do 30 k = 1, nz
      do 30 j = 3, ny-2
      do 30 i = 1, nx
      do 30 m = 1, 5
         rhs(m,i,j,k) = rhs(m,i,j,k) - 0.05d0*(u(m,i,j-2,k)
     &      - 4.0d0*u(m,i,j-1,k) + 6.0d0*u(m,i,j,k)
     &      - 4.0d0*u(m,i,j+1,k) + u(m,i,j+2,k))
   30 continue
c$bridge end
c$bridge begin scaling
      do 40 k = 1, nz
      do 40 j = 1, ny
      do 40 i = 1, nx
      do 40 m = 1, 5
         rhs(m,i,j,k) = rhs(m,i,j,k)*0.015d0
   40 continue
c$bridge end
      return
      end

c     Loops of one box: a copy, differences along two axes, a factor.
      subroutine stages(nx, ny, nz, u, forcing, rhs, dt)
      integer nx, ny, nz
      double precision u(5, 0:nx+1, 0:ny+1, 0:nz+1)
      double precision forcing(5, nx, ny, nz), rhs(5, nx, ny, nz), dt
      double precision ri
      integer i, j, k, m
c$bridge begin stages
      do 50 k = 1, nz
      do 50 j = 1, ny
      do 50 i = 1, nx
      do 50 m = 1, 5
         rhs(m,i,j,k) = forcing(m,i,j,k)
   50 continue
      do 80 k = 1, nz
         do 60 j = 1, ny
         do 60 i = 1, nx
            ri = 0.75d0/u(1,i,j,k)
            do 60 m = 1, 5
               rhs(m,i,j,k) = rhs(m,i,j,k) + ri*(u(m,i+1,j,k)
     &            - 2.0d0*u(m,i,j,k) + u(m,i-1,j,k))
   60    continue
         do 70 j = 1, ny
         do 70 i = 1, nx
            ri = 0.25d0/u(1,i,j,k)
            do 70 m = 1, 5
               rhs(m,i,j,k) = rhs(m,i,j,k) + ri*(u(m,i,j+1,k)
     &            - 2.0d0*u(m,i,j,k) + u(m,i,j-1,k))
   70    continue
   80 continue
      do 90 k = 1, nz
      do 90 j = 1, ny
      do 90 i = 1, nx
      do 90 m = 1, 5
         rhs(m,i,j,k) = rhs(m,i,j,k)*dt
   90 continue
c$bridge end
      return
      end
