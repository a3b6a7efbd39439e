c     The way of the talk: no module, no interface, %VAL and char(0).
      program talk
      integer nx, ny, nz, nspe, nq, nblock, npts
      parameter (nx = 6, ny = 5, nz = 4, nspe = 2, nq = 7, nblock = 10)
      parameter (npts = (nx - 2) * (ny - 2) * (nz - 2))
      double precision q(nx, ny, nz, nq), rho(nx, ny, nz)
      integer i, j, k, n, ns1, ns2, ierr, istat
      integer frame_status
      external frame_status
      character*8 tag

      do 10 k = 1, nz
      do 10 j = 1, ny
      do 10 i = 1, nx
         q(i, j, k, 1) = 1.0d7
         do 5 n = 2, 4
            q(i, j, k, n) = 0.0d0
    5    continue
         q(i, j, k, 5) = 300.0d0 + i + j + k
         q(i, j, k, 6) = 0.25d0
         q(i, j, k, 7) = 0.75d0
         rho(i, j, k) = -1.0d0
   10 continue

      call frame_set( 'backend'//char(0), 'cpu'//char(0), ierr )
      call frame_set( 'species'//char(0), 'O2 CH4'//char(0), ierr )
      call frame_initialize( %VAL( 0 ), %VAL( nblock ), %VAL( nspe ),
     &                       %VAL( nq ), %VAL( 0 ) )
      do 20 ns1 = 1, npts, nblock
         ns2 = min( ns1 + nblock - 1, npts )
         tag = 'Q'//char(0)
         call frame_castles_populateinputstripe( tag, q,
     &      %VAL( nx ), %VAL( ny ), %VAL( nz ),
     &      %VAL( 2 ), %VAL( nx - 1 ), %VAL( 2 ), %VAL( ny - 1 ),
     &      %VAL( 2 ), %VAL( nz - 1 ), %VAL( 1 ), %VAL( nq ),
     &      %VAL( ns1 ), %VAL( ns2 ) )
         call frame_tvproperties_eosthermalandviscousproperties(
     &      %VAL( ns2 - ns1 + 1 ) )
         tag = 'rho'//char(0)
         call frame_castles_populateoutputstripe( tag, rho,
     &      %VAL( nx ), %VAL( ny ), %VAL( nz ),
     &      %VAL( 2 ), %VAL( nx - 1 ), %VAL( 2 ), %VAL( ny - 1 ),
     &      %VAL( 2 ), %VAL( nz - 1 ), %VAL( 1 ), %VAL( 1 ),
     &      %VAL( ns1 ), %VAL( ns2 ) )
   20 continue
      istat = frame_status()
      call frame_finalize()
      n = 0
      do 30 k = 1, nz
      do 30 j = 1, ny
      do 30 i = 1, nx
         if ( rho(i, j, k) .gt. 0.0d0 ) n = n + 1
   30 continue
      print '(a,1x,i6)', 'status', istat
      print '(a,2(1x,i6))', 'count', n, npts
      print '(a,1x,es25.17)', 'rho', rho(2, 2, 2)
      end
