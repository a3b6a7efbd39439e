! Bound arrays: name them once, then one call per step does the whole loop. Two sets of points,
! the cells of a block with fringes and its x-faces, in one Frame.
!
! TARGET is not decoration: frame_run changes the arrays behind the compiler's back.
program bind_and_run
  use bridge
  implicit none
  integer, parameter :: ns = 2, nx = 6, ny = 4, f = 1
  double precision, target :: Q(nx + 2*f, ny + 2*f, 1, 5 + ns)       ! component last
  double precision, target :: rho(nx + 2*f, ny + 2*f, 1)
  double precision, target :: status(nx + 2*f, ny + 2*f, 1)          ! the word, as a real
  double precision, target :: Tface(nx + 1, ny), Pface(nx + 1, ny)   ! n + 1 faces
  double precision, target :: Yface(ns, nx + 1, ny)                  ! component first
  double precision, target :: cface(nx + 1, ny)
  integer :: step

  Q(:, :, :, 1) = 10d0                  ! MPa: scaled on the way in
  Q(:, :, :, 2:4) = 0d0
  Q(:, :, :, 6) = 0.4d0
  Q(:, :, :, 7) = 0.6d0
  Pface = 1d7
  Yface(1, :, :) = 0.4d0
  Yface(2, :, :) = 0.6d0
  rho = 0d0
  cface = 0d0

  call frame_set('species', 'O2 CH4')
  call frame_initialize(device_id=0, ngridpoints=8, ns=ns, nq=5 + ns, iturb=0)
  call frame_bind('cells', 'P', 'in', Q, 1 + f, nx + f, 1 + f, ny + f, 1, 1, 1, 1, scale=1d6)
  call frame_bind('cells', 'T', 'in', Q, 1 + f, nx + f, 1 + f, ny + f, 1, 1, 5, 5)
  call frame_bind('cells', 'Y', 'in', Q, 1 + f, nx + f, 1 + f, ny + f, 1, 1, 6, 7)
  call frame_bind('cells', 'rho', 'out', rho, 1 + f, nx + f, 1 + f, ny + f)
  call frame_bind('cells', 'status', 'out', status, 1 + f, nx + f, 1 + f, ny + f)
  ! A rank-2 array would be points by components: a plane of points is given as rank 3 or 4.
  call bind_faces

  do step = 1, 2
    Q(:, :, :, 5) = 200d0 + 100d0*step
    Tface = 250d0 + 100d0*step
    call frame_run('cells', 'eosThermalProperties')
    call frame_run('x-faces', 'eosThermalProperties')
    print '(a,i2,a,f11.5,a,f11.5,a,i0)', 'step', step, ': rho of a cell ', rho(2, 2, 1), &
      ' kg/m3, c on a face ', cface(1, 1), ' m/s, status ', nint(status(2, 2, 1))
  end do
  call frame_unbind('cells', 'rho')
  call frame_finalize()

contains

  subroutine bind_faces
    double precision, pointer :: T3(:, :, :), P3(:, :, :), c3(:, :, :), Y4(:, :, :, :)

    T3(1:nx + 1, 1:ny, 1:1) => Tface
    P3(1:nx + 1, 1:ny, 1:1) => Pface
    c3(1:nx + 1, 1:ny, 1:1) => cface
    Y4(1:ns, 1:nx + 1, 1:ny, 1:1) => Yface
    call frame_bind('x-faces', 'T', 'in', T3)
    call frame_bind('x-faces', 'P', 'in', P3)
    call frame_bind('x-faces', 'Y', 'in', Y4, component_first=.true.)
    call frame_bind('x-faces', 'c', 'out', c3)
  end subroutine bind_faces

end program bind_and_run
