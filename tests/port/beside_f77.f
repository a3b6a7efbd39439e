C     The entries of a comparison and of a recording from a code without modules.
      subroutine fixed(worst)
      include 'bridge_f77.inc'
      double precision worst, x(6), y
      integer i, ierr, box(12)
      data box /6, 1, 1, 2, 6, 1, 1, 1, 1, 1, 1, 1/
      do 10 i = 1, 6
        x(i) = i
 10   continue
      call frame_bind('row'//char(0), 'bs_line'//char(0),
     &  'inout'//char(0), x, box, 1.0d0, ierr)
      call frame_record('row'//char(0), 'bsSweep'//char(0),
     &  'row'//char(0), ierr)
      if (ierr .ne. 0) worst = -1
      call frame_compare_begin('row'//char(0), 'bsSweep'//char(0),
     &  1.0d0, ierr)
      do 20 i = 2, 6
        x(i) = x(i) + 0.5d0*x(i-1)
 20   continue
      call frame_compare('row'//char(0), 'bsSweep'//char(0), y, ierr)
      worst = y
      if (ierr .ne. 0) worst = -2
      end
