! Bound arrays of every type, of rank 1 to 7, and sections: what comes back, what is refused.
program typed
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int
  use bridge
  implicit none
  integer, parameter :: ns = 2, nx = 7, ny = 5, nz = 4
  type :: cell
    real(c_double) :: kelvin, density
    integer(c_int) :: word
  end type cell
  real(c_double), target :: T(nx, ny, nz), P(nx, ny, nz), Y(nx, ny, nz, ns), rho(nx, ny, nz)
  real(c_double), target :: wanted(nx, ny, nz), one(1), half(3)
  integer :: ierr, i, j, k

  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        T(i, j, k) = 280 + 10*i + 3*j + k
        P(i, j, k) = 1.0e7_c_double + 4096*i
      end do
    end do
  end do
  Y(:, :, :, 1) = 0.25_c_double
  Y(:, :, :, 2) = 0.75_c_double
  call frame_error_policy('return')
  call frame_set('species', 'O2 CH4')
  call frame_set('qlayout', 'P T Y')
  call frame_initialize(0, 50, ns, 2 + ns, 0)
  call frame_bind('box', 'P', 'in', P)
  call frame_bind('box', 'Y', 'in', Y)
  call frame_bind('box', 'T', 'in', T)
  call frame_bind('box', 'rho', 'out', wanted)
  call frame_run('box', 'eosThermalProperties', ierr);  call tell('reference')

  call types()
  call ranks()
  call sections()
  call refusals()
  call frame_finalize(ierr);  call tell('finalize')

contains

  subroutine tell(label)
    character(len=*), intent(in) :: label
    character(len=300) :: message
    call frame_last_error(message)
    print '(a,1x,i0,1x,a)', label, ierr, trim(message)
  end subroutine tell

  ! A run, and how many points differ from the reference by more than rounding.
  subroutine compare(label, found, tolerance)
    character(len=*), intent(in) :: label
    real(c_double), intent(in) :: found(:, :, :)
    real(c_double), intent(in) :: tolerance
    print '(a,1x,i0,1x,i0)', label, ierr, count(.not. abs(found/wanted - 1) <= tolerance)
  end subroutine compare

  subroutine types()
    real(c_float), target :: T4(nx, ny, nz), P4(nx, ny, nz), Y4(nx, ny, nz, ns), rho4(nx, ny, nz)
    integer(c_int), target :: kelvin(nx, ny, nz), word(nx, ny, nz)
    T4 = real(T, c_float)
    P4 = real(P*1.0e-5_c_double, c_float)   ! bar: scaled
    Y4 = real(Y, c_float)
    rho4 = -1
    word = -1
    kelvin = nint(T, c_int)
    call frame_bind('box', 'T', 'in', T4)
    call frame_bind('box', 'P', 'in', P4, scale=1.0e5_c_double)
    call frame_bind('box', 'Y', 'in', Y4)
    call frame_bind('box', 'rho', 'out', rho4, scale=1000.0_c_double)
    call frame_bind('box', 'status', 'out', word)
    call frame_run('box', 'eosThermalProperties', ierr)
    call compare('float', 1000*real(rho4, c_double), 1.0e-5_c_double)
    print '(a,1x,i0)', 'words', count(word /= 0)
    ! whole numbers of K lose nothing
    call frame_bind('box', 'P', 'in', P)
    call frame_bind('box', 'T', 'in', kelvin)
    call frame_bind('box', 'rho', 'out', rho)
    call frame_run('box', 'eosThermalProperties', ierr)
    call compare('integer', rho, 0.0_c_double)
    ! finite numbers that real(4) does not hold
    call frame_bind('box', 'rho', 'out', rho4, scale=1.0e-40_c_double)
    call frame_run('box', 'eosThermalProperties', ierr)
    print '(a,1x,i0,1x,i0)', 'range', ierr, count(rho4 /= rho4)
    call frame_unbind('box', '*')
  end subroutine types

  subroutine ranks()
    real(c_double), target :: Y5(1, ns, nx, ny, nz), Y6(nx, ny, nz, 1, ns, 1)
    real(c_float), target :: T7(3, 2, 2, nx, ny, nz, 2)
    integer(c_int), target :: kelvin(2, 2, nx, ny, nz)
    real(c_double), target :: line(nx), plane(nx, ns), density(nx)
    Y5(1, 1, :, :, :) = Y(:, :, :, 1)
    Y5(1, 2, :, :, :) = Y(:, :, :, 2)
    Y6(:, :, :, 1, 1, 1) = Y(:, :, :, 1)
    Y6(:, :, :, 1, 2, 1) = Y(:, :, :, 2)
    kelvin = -9
    kelvin(2, 1, :, :, :) = nint(T, c_int)
    T7 = -9
    rho = -1
    call frame_bind('box', 'P', 'in', P)
    call frame_bind('box', 'T', 'in', kelvin, sptdata=2, eptdata=2, component_first=.true.)
    call frame_bind('box', 'Y', 'in', Y5, component_first=.true.)
    call frame_bind('box', 'rho', 'out', rho)
    call frame_run('box', 'eosThermalProperties', ierr)
    call compare('five', rho, 0.0_c_double)
    rho = -1
    call frame_bind('box', 'Y', 'in', Y6)
    call frame_run('box', 'eosThermalProperties', ierr)
    call compare('six', rho, 0.0_c_double)
    ! lhs(2, 1, 2, ...) of a record of twelve, which are counted over all leading dimensions
    call frame_bind('box', 'rho', 'out', T7(:, :, :, :, :, :, 2), sptdata=8, eptdata=8, &
        component_first=.true.)
    call frame_run('box', 'eosThermalProperties', ierr)
    call compare('seven', real(T7(2, 1, 2, :, :, :, 2), c_double), 1.0e-6_c_double)
    print '(a,1x,i0)', 'others', count(T7 /= -9) - nx*ny*nz
    call frame_unbind('box', '*')
    line = T(:, 2, 3)
    plane = Y(:, 2, 3, :)
    call frame_bind('line', 'T', 'in', line)
    call frame_bind('line', 'P', 'in', P(:, 2, 3))
    call frame_bind('line', 'Y', 'in', plane)
    call frame_bind('line', 'rho', 'out', density)
    call frame_run('line', 'eosThermalProperties', ierr)
    print '(a,1x,i0,1x,l1)', 'line', ierr, all(density == wanted(:, 2, 3))
    call frame_unbind('line', '*')
  end subroutine ranks

  ! Parts of larger arrays, with lower bounds of their own.
  subroutine sections()
    real(c_double), target :: wide(-1:nx + 3, 0:ny + 2, nz + 1), levels(nx + 2, ny + 1, nz, 3, ns)
    real(c_double), target :: state(4, nx + 2, ny + 1, nz), planes(nx + 1, ny, 2, ns)
    real(c_double), pointer :: inner(:, :, :)
    wide = -9
    levels = -9
    state = -9
    levels(2:nx + 1, :ny, :, 2, :) = Y
    state(3, 2:nx + 1, :ny, :) = T
    inner(-5:, -5:, -5:) => wide(1:nx, 1:ny, 2:nz + 1)
    call frame_bind('box', 'P', 'in', P)
    call frame_bind('box', 'T', 'in', state(3, 2:nx + 1, :ny, :))
    call frame_bind('box', 'Y', 'in', levels(2:nx + 1, :ny, :, 2, :))
    call frame_bind('box', 'rho', 'out', inner)
    call frame_run('box', 'eosThermalProperties', ierr)
    call compare('section', wide(1:nx, 1:ny, 2:), 0.0_c_double)
    print '(a,1x,i0)', 'outside', count(wide /= -9) - nx*ny*nz
    ! the interior of a section; one plane of it
    wide = -9
    call frame_bind('inner', 'P', 'in', P, 2, nx - 1, 2, ny, 2, 3)
    call frame_bind('inner', 'T', 'in', state(3, 2:nx + 1, :ny, :), 2, nx - 1, 2, ny, 2, 3)
    call frame_bind('inner', 'Y', 'in', levels(2:nx + 1, :ny, :, 2, :), 2, nx - 1, 2, ny, 2, 3)
    call frame_bind('inner', 'rho', 'out', inner, 2, nx - 1, 2, ny, 2, 3)
    call frame_run('inner', 'eosThermalProperties', ierr)
    print '(a,1x,i0,1x,i0,1x,i0)', 'inner', ierr, count(wide /= -9), &
        count(wide(2:nx - 1, 2:ny, 3:4) /= wanted(2:nx - 1, 2:ny, 2:3))
    planes = -9
    planes(:nx, :, 2, :) = Y(:, :, 2, :)
    wide = -9
    call frame_bind('plane', 'P', 'in', P(:, :, 2:2))
    call frame_bind('plane', 'T', 'in', state(3, 2:nx + 1, :ny, 2:2))
    call frame_bind('plane', 'Y', 'in', planes(:nx, :, 2:2, :))
    call frame_bind('plane', 'rho', 'out', wide(2:nx + 1, 1:ny, 1:1))
    call frame_run('plane', 'eosThermalProperties', ierr)
    print '(a,1x,i0,1x,i0,1x,i0)', 'plane', ierr, count(wide /= -9), &
        count(wide(2:nx + 1, 1:ny, 1) /= wanted(:, :, 2))
    call frame_unbind('box', '*')
  end subroutine sections

  subroutine refusals()
    real(c_float), target :: single(nx, ny, nz)
    integer(c_int), target :: whole(nx, ny, nz)
    integer(c_int), pointer :: nowhere(:, :, :, :, :) => null()
    type(cell), target :: cells(nx, ny, nz)
    call frame_bind('no', 'rho', 'out', whole, ierr=ierr);  call tell('real-to-integer')
    call frame_bind('no', 'T', 'inout', whole, ierr=ierr);  call tell('both-to-integer')
    call frame_bind('no', 'status', 'out', single, ierr=ierr);  call tell('integer-to-real')
    call frame_bind('no', 'status', 'in', single, ierr=ierr);  call tell('integer-of-real')
    call frame_bind('no', 'T', 'in', nowhere, ierr=ierr);  call tell('nowhere')
    call frame_bind('no', 'T', 'in', T(nx:1:-1, :, :), ierr=ierr);  call tell('backwards')
    call frame_bind('no', 'T', 'in', T(:, ::2, :), ierr=ierr);  call tell('every-second-row')
    call frame_bind('no', 'T', 'in', T(:, :4:3, :), ierr=ierr);  call tell('uneven')
    call frame_bind('no', 'Y', 'in', Y(::2, :, :, :), ierr=ierr);  call tell('holes')
    call frame_bind('no', 'Y', 'in', Y(:, :, ::3, :), component_first=.true., ierr=ierr)
    call tell('components')
    call frame_bind('no', 'T', 'in', T(2:4, :, :), 1, 5, ierr=ierr);  call tell('beyond')
    ! every component of a type is as far from its neighbour as the type is long: 24 bytes
    call frame_bind('no', 'T', 'in', cells%kelvin, ierr=ierr);  call tell('derived')
    call frame_bind('no', 'status', 'out', cells%word, ierr=ierr);  call tell('derived-word')
    call frame_bind_by_number()
  end subroutine refusals

  ! The entry as Fortran 77 calls it.
  subroutine frame_bind_by_number()
    interface
      subroutine typed(set, name, intent, type, data, bounds, scale, ierr) &
          bind(c, name='frame_bind_typed_')
        use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int
        character(kind=c_char), intent(in) :: set(*), name(*), intent(*)
        integer(c_int), value :: type
        real(c_double) :: data(*)
        integer(c_int), intent(in) :: bounds(*)
        real(c_double), value :: scale
        integer(c_int), intent(out) :: ierr
      end subroutine typed
    end interface
    integer(c_int) :: code, bounds(12)
    bounds = 1
    one = 300
    half = 0
    call typed('no' // char(0), 'T' // char(0), 'in' // char(0), 1_c_int, one, bounds, &
        1.0_c_double, code)
    ierr = code;  call tell('by-number')
    call typed('no' // char(0), 'T' // char(0), 'in' // char(0), 4_c_int, half, bounds, &
        1.0_c_double, code)
    ierr = code;  call tell('no-type')
  end subroutine frame_bind_by_number

end program typed
