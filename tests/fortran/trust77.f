      program main
      include 'bridge_f77.inc'
      character*8192 told
      integer ierr
      integer*8 counts(3)
      integer status(8)
      double precision p(8), t(8), y(8), rho(8)
      integer bounds(12), i
      data bounds /8, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1/
      do 10 i = 1, 8
        p(i) = 1.0d7
        t(i) = 300.0d0
        y(i) = 1.0d0
   10 continue
      t(3) = -1.0d0
      t(4) = 0.0d0
      call frame_set('backend'//char(0), 'cpu'//char(0), ierr)
      call frame_set('species'//char(0), 'N2'//char(0), ierr)
      call frame_initialize(0, 8, 1, 6, 0)
      call frame_bind('a'//char(0), 'P'//char(0), 'in'//char(0), p,
     &  bounds, 1.0d0, ierr)
      call frame_bind('a'//char(0), 'T'//char(0), 'in'//char(0), t,
     &  bounds, 1.0d0, ierr)
      call frame_bind('a'//char(0), 'Y'//char(0), 'in'//char(0), y,
     &  bounds, 1.0d0, ierr)
      call frame_bind('a'//char(0), 'rho'//char(0), 'out'//char(0),
     &  rho, bounds, 1.0d0, ierr)
      call frame_bind_typed('a'//char(0), 'status'//char(0),
     &  'out'//char(0), 3, status, bounds, 1.0d0, ierr)
      call frame_run('a'//char(0), 'eosThermalProperties'//char(0),
     &  ierr)
      call frame_status_counts('a'//char(0), 3, counts, ierr)
      write (*, '(a,3(1x,i4))') 'counts', counts
      call frame_fingerprint(told, 8192, ierr)
      write (*, '(a)') told
      call frame_error_policy('return'//char(0), ierr)
      call frame_fingerprint(told, 100, ierr)
      write (*, '(a,1x,i4)') 'short', ierr
      end
