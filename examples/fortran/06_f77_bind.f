c     Bound arrays without a module: no interface, strings that end in
c     char(0). Integers go by value, and so does the scale of
c     frame_bind, the only real that does; arrays go by address.
c
c     The arrays are in COMMON: any subroutine may change what is there,
c     so the compiler reads it again after frame_run. Without COMMON
c     they need the attribute TARGET, which Fortran 77 does not have.
      program f77bin
      integer ns, nq, nx, ny, nz, ifr
      parameter (ns = 2, nq = 5 + ns, nx = 10, ny = 8, nz = 6, ifr = 2)
      double precision q(nx, ny, nz, nq), pbar(nx, ny, nz)
      double precision rho(nx, ny, nz)
      common /field/ q, pbar, rho
      integer ib(12), ierr, i, j, k, n, istep
      integer frame_status
      external frame_status

      do k = 1, nz
      do j = 1, ny
      do i = 1, nx
         pbar(i, j, k) = 100.0d0
         do n = 1, 4
            q(i, j, k, n) = 0.0d0
         end do
         q(i, j, k, 6) = 0.25d0
         q(i, j, k, 7) = 0.75d0
         rho(i, j, k) = -1.0d0
      end do
      end do
      end do

      call frame_set( 'species'//char(0), 'O2 CH4'//char(0), ierr )
      call frame_initialize( %VAL( 0 ), %VAL( 1000 ), %VAL( ns ),
     &                       %VAL( nq ), %VAL( 0 ) )

c     nx, ny, nz, first and last position along x, y, z, first and last
c     component, number of components: of the interior, then of T in Q.
      ib(1) = nx
      ib(2) = ny
      ib(3) = nz
      ib(4) = 1 + ifr
      ib(5) = nx - ifr
      ib(6) = 1 + ifr
      ib(7) = ny - ifr
      ib(8) = 1 + ifr
      ib(9) = nz - ifr
      ib(10) = 1
      ib(11) = 1
      ib(12) = 1
c     The pressure is in bar: times 1e5 on the way in.
      call frame_bind( 'cells'//char(0), 'P'//char(0), 'in'//char(0),
     &                 pbar, ib, %VAL( 1.0d5 ), ierr )
      call frame_bind( 'cells'//char(0), 'rho'//char(0),
     &                 'out'//char(0), rho, ib, %VAL( 1.0d0 ), ierr )
      ib(10) = 5
      ib(11) = 5
      ib(12) = nq
      call frame_bind( 'cells'//char(0), 'T'//char(0), 'in'//char(0),
     &                 q, ib, %VAL( 1.0d0 ), ierr )
      ib(10) = 6
      ib(11) = 7
      call frame_bind( 'cells'//char(0), 'Y'//char(0), 'in'//char(0),
     &                 q, ib, %VAL( 1.0d0 ), ierr )

      do istep = 1, 2
         do k = 1, nz
         do j = 1, ny
         do i = 1, nx
            q(i, j, k, 5) = 200.0d0 + 100.0d0 * istep
         end do
         end do
         end do
         call frame_run( 'cells'//char(0),
     &                   'eosThermalProperties'//char(0), ierr )
         write (*, '(a,i2,a,f16.12,a,f5.1,a,i2)') 'step', istep,
     &      '  rho ', rho(3, 3, 3), '  fringe ', rho(2, 3, 3),
     &      '  status ', ierr
      end do
      call frame_finalize()
      write (*, '(a,i2)') 'end', frame_status()
      end
