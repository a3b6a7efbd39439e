c     style77.f: no module and no interface, %VAL and char(0), names with an underscore behind them.
      program style
      integer*4 nx, ny, nz, npts
      parameter (nx = 6, ny = 5, nz = 4)
      parameter (npts = (nx - 2) * (ny - 2) * (nz - 2))
      real*8 q(nx, ny, nz, 7), rho(nx, ny, nz), wanted
      integer*4 i, j, k, n, ierr, istat
      integer*4 frame_status
      external frame_status
      character*40 words

      call get_command_argument( 1, words )
      read ( words, * ) wanted
      do 10 k = 1, nz
      do 10 j = 1, ny
      do 10 i = 1, nx
         q(i, j, k, 1) = 1.0d7
         do 5 n = 2, 4
            q(i, j, k, n) = 0.0d0
    5    continue
         q(i, j, k, 5) = 300.0d0
         q(i, j, k, 6) = 0.25d0
         q(i, j, k, 7) = 0.75d0
         rho(i, j, k) = -1.0d0
   10 continue

      call frame_error_policy( 'return'//char(0), ierr )
      call frame_set( 'backend'//char(0), 'cpu'//char(0), ierr )
      call frame_set( 'species'//char(0), 'O2 CH4'//char(0), ierr )
      call frame_initialize( %VAL( 0 ), %VAL( npts ), %VAL( 2 ),
     &                       %VAL( 7 ), %VAL( 0 ) )
      call frame_castles_populateinputstripe( 'Q'//char(0), q,
     &   %VAL( nx ), %VAL( ny ), %VAL( nz ),
     &   %VAL( 2 ), %VAL( nx - 1 ), %VAL( 2 ), %VAL( ny - 1 ),
     &   %VAL( 2 ), %VAL( nz - 1 ), %VAL( 1 ), %VAL( 7 ),
     &   %VAL( 1 ), %VAL( npts ) )
      call frame_tvproperties_eosthermalproperties( %VAL( npts ) )
      call frame_castles_populateoutputstripe( 'rho'//char(0), rho,
     &   %VAL( nx ), %VAL( ny ), %VAL( nz ),
     &   %VAL( 2 ), %VAL( nx - 1 ), %VAL( 2 ), %VAL( ny - 1 ),
     &   %VAL( 2 ), %VAL( nz - 1 ), %VAL( 1 ), %VAL( 1 ),
     &   %VAL( 1 ), %VAL( npts ) )
      istat = frame_status()
      call frame_finalize()
      n = 0
      do 30 k = 1, nz
      do 30 j = 1, ny
      do 30 i = 1, nx
         if ( abs( rho(i, j, k) / wanted - 1.0d0 ) .lt. 1.0d-12 )
     &      n = n + 1
   30 continue
      if ( istat .eq. 0 .and. n .eq. npts ) then
         write (*, '(a)') 'T Fortran 77: %VAL, char(0), stripes'
      else
         write (*, '(a,2i8)') 
     &      'F Fortran 77: stripes | status, points ', istat, n
      end if
      write (*, '(a)') 'end'
      end
