! Arrays that stay where they are used: every form of the calls, what moves, what is refused.
! The first argument is "apart" where runs work on other memory than the program's.
program moves
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_intptr_t, c_ptr, c_loc
  use bridge
  implicit none
  integer, parameter :: ns = 2, nx = 8, ny = 6, nz = 5, g = 2
  integer, parameter :: lx = nx + 2*g, ly = ny + 2*g, lz = nz + 2*g
  integer, parameter :: interior(6) = [1, nx, 1, ny, 1, nz]
  real(c_double), target :: q(lx, ly, lz, 2 + ns), first(2 + ns, lx, ly, lz)
  real(c_double), target :: rho(lx, ly, lz), wanted(lx, ly, lz)
  real(c_float), target :: c4(lx, ly, lz)
  integer(c_int), target :: word(lx, ly, lz)
  character(len=8) :: how
  logical :: apart
  integer :: ierr, i, j, k

  call get_command_argument(1, how)
  apart = how == 'apart'
  do k = 1, lz
    do j = 1, ly
      do i = 1, lx
        q(i, j, k, :) = [1.0e7_c_double + 4096*i, 280.0_c_double + 10*i + 3*j + k, 0.25_c_double, &
            0.75_c_double]
        first(:, i, j, k) = q(i, j, k, :)
      end do
    end do
  end do
  call frame_error_policy('return')
  call frame_set('species', 'O2 CH4')
  call frame_set('qlayout', 'P T Y')
  call frame_initialize(0, 100, ns, 2 + ns, 0)
  wanted = -1
  rho = -1
  c4 = -1
  word = 7
  call bind('cells', wanted)
  call frame_run('cells', 'eosThermalProperties')
  call bind('cells', rho)
  call bind_inner(c4, word)

  call steps()
  call buffers()
  call component_first()
  call addresses()
  call refusals()
  call frame_exit_data('cells', 'Q', 'delete', ierr);  call check('end', ierr == 0)
  call frame_finalize(ierr);  call check('finalize', ierr == 0)

contains

  subroutine check(label, right)
    character(len=*), intent(in) :: label
    logical, intent(in) :: right
    print '(a,1x,l1)', label, right
  end subroutine check

  subroutine bind(set, out)
    character(len=*), intent(in) :: set
    real(c_double), target :: out(:, :, :)
    integer :: at(6)
    at = [1 + g, lx - g, 1 + g, ly - g, 1 + g, lz - g]
    call frame_bind(set, 'Q', 'in', q, at(1), at(2), at(3), at(4), at(5), at(6))
    call frame_bind(set, 'rho', 'out', out, at(1), at(2), at(3), at(4), at(5), at(6))
  end subroutine bind

  subroutine bind_inner(c, status)
    real(c_float), target :: c(:, :, :)
    integer(c_int), target :: status(:, :, :)
    integer :: at(6)
    at = [1 + g, lx - g, 1 + g, ly - g, 1 + g, lz - g]
    call frame_bind('cells', 'c', 'out', c, at(1), at(2), at(3), at(4), at(5), at(6))
    call frame_bind('cells', 'status', 'out', status, at(1), at(2), at(3), at(4), at(5), at(6))
  end subroutine bind_inner

  logical function done(found)
    real(c_double), intent(in) :: found(:, :, :)
    done = all(found == wanted)
  end function done

  ! A step: in, run, out; boxes of rank 1 and 2, and none.
  subroutine steps()
    call frame_enter_data('cells', 'Q', 'copyin')
    call frame_enter_data('cells', 'rho', 'copyin', layout='host', ierr=ierr)
    call check('enter', ierr == 0)
    call frame_run('cells', 'eosThermalProperties', ierr)
    call check('apart', done(rho) .neqv. apart)
    call frame_update_host('cells', 'rho', [1, nx, 1, ny, 1, 2])
    call check('half', all(rho(3:10, 3:8, 3:4) == wanted(3:10, 3:8, 3:4)))
    call check('other-half', any(rho(3:10, 3:8, 5:7) /= wanted(3:10, 3:8, 5:7)) .eqv. apart)
    call frame_update_host('cells', 'rho', reshape([1, nx, 1, ny, 3, 3, 1, nx, 1, ny, 4, nz], &
        [6, 2]), ierr)
    call check('list', done(rho))
    q(:, :, :, 2) = q(:, :, :, 2) + 50
    call frame_update_device('cells', 'Q', interior)
    call frame_run('cells', 'eosThermalProperties')
    call frame_update_host('cells', 'rho')
    call check('warmer', all(rho(3:10, 3:8, 3:7) < wanted(3:10, 3:8, 3:7)))
    q(:, :, :, 2) = q(:, :, :, 2) - 50
    call frame_update_device('cells', 'Q')
    call frame_run('cells', 'eosThermalProperties')
    call frame_enter_data('cells', 'rho', 'create')   ! a reference more
    call frame_exit_data('cells', 'rho', 'copyout')
    call check('counted', done(rho) .neqv. apart)
    call frame_exit_data('cells', 'rho', 'copyout', ierr)
    call check('copyout', done(rho) .and. ierr == 0)
  end subroutine steps

  ! Fringes of one side, packed and put into those of the other one; other types; no box at all.
  subroutine buffers()
    real(c_double), target :: buffer(2*ny*nz*(2 + ns) + nx*2), whole(lx*ly*lz*(2 + ns)), strided(40)
    real(c_float), target :: buffer4(nx)
    integer(c_int), target :: buffer_int(ny)
    real(c_double) :: old(lx, ly, lz, 2 + ns)
    integer :: none(6, 0), low(6), high(6)
    low = [1, 2, 1, ny, 1, nz]
    high = [nx + 1, nx + 2, 1, ny, 1, nz]
    old = q
    buffer = -1
    call frame_pack('cells', 'Q', low, buffer)
    call check('pack', all(buffer(:240) == reshape(q(3:4, 3:8, 3:7, :), [240])))
    call check('pack-end', all(buffer(241:) == -1))
    call frame_pack('cells', 'Q', reshape([low, high], [6, 2]), whole, ierr)
    call check('pack-list', all(whole(:480) == [reshape(q(3:4, 3:8, 3:7, :), [240]), &
        reshape(q(11:12, 3:8, 3:7, :), [240])]))
    call frame_pack('cells', 'Q', buffer=whole)
    call check('pack-whole', all(whole == reshape(q, [size(q)])))
    call frame_unpack('cells', 'Q', high, buffer, ierr)
    call frame_update_host('cells', 'Q')
    old(11:12, 3:8, 3:7, :) = old(3:4, 3:8, 3:7, :)
    call check('unpack', all(q == old) .and. ierr == 0)
    call frame_pack('cells', 'Q', none, buffer, ierr)
    call check('no-box', ierr == 0)
    call frame_update_host('cells', 'Q', none, ierr)
    call check('no-box-update', ierr == 0)
    call frame_enter_data('cells', 'c', 'create')
    call frame_enter_data('cells', 'status', 'create')
    call frame_run('cells', 'eosThermalAndViscousProperties')
    call frame_pack('cells', 'c', [1, nx, 1, 1, 1, 1], buffer4)
    call frame_pack('cells', 'status', [1, 1, 1, ny, 1, 1], buffer_int)
    call check('float', all(buffer4 > 100 .and. buffer4 < 1000))
    call check('integer', all(buffer_int /= 7))
    call frame_unpack('cells', 'status', [1, 1, 1, ny, 1, 1], int([(k, k=1, ny)], c_int))
    call frame_exit_data('cells', 'status', 'copyout')
    call frame_exit_data('cells', 'c', 'copyout')
    call check('integers', all(word(3, 3:8, 3) == [(k, k=1, ny)]))
    call check('floats', all(c4(3:10, 3, 3) == buffer4))
    strided = 0
    call frame_pack('cells', 'Q', [1, 2, 1, 1, 1, 1], strided(::2), ierr)
    call refused('strided')
  end subroutine buffers

  ! Kept component last on the device.
  subroutine component_first()
    real(c_double), target :: buffer(2*ny*nz*(2 + ns))
    integer :: at(6)
    at = [1 + g, lx - g, 1 + g, ly - g, 1 + g, lz - g]
    call frame_bind('other', 'Q', 'in', first, at(1), at(2), at(3), at(4), at(5), at(6), &
        component_first=.true.)
    call frame_bind('other', 'rho', 'out', rho, at(1), at(2), at(3), at(4), at(5), at(6))
    call frame_enter_data('other', 'Q', 'copyin', 'device', ierr)
    call check('device', ierr == 0)
    rho = -1
    call frame_run('other', 'eosThermalProperties')
    call check('transposed', done(rho))
    call frame_pack('other', 'Q', [1, 2, 1, ny, 1, nz], buffer)
    call check('pack-first', all(buffer == reshape(q(3:4, 3:8, 3:7, :), [size(buffer)])))
    call frame_exit_data('other', 'Q', 'copyout')
    call check('back', all(first == reshape(q, shape(first), order=[2, 3, 4, 1]) .or. &
        spread(far(), 1, 2 + ns)))
  end subroutine component_first

  ! Points that "buffers" has changed in q.
  function far() result(changed)
    logical :: changed(lx, ly, lz)
    changed = .false.
    changed(11:12, :, :) = .true.
  end function far

  subroutine addresses()
    type(c_ptr) :: pointer
    integer(c_intptr_t) :: number, own
    call frame_device_address('cells', 'Q', pointer, ierr)
    call check('pointer', ierr == 0)
    call frame_device_address('cells', 'Q', number)
    own = transfer(c_loc(q), own)
    call check('address', number == transfer(pointer, number))
    call check('own', (number == own) .neqv. apart)
  end subroutine addresses

  subroutine refused(label)
    character(len=*), intent(in) :: label
    character(len=300) :: message
    call frame_last_error(message)
    print '(3a,1x,i0,1x,a)', 'refused-', label, '', ierr, trim(message)
  end subroutine refused

  subroutine refusals()
    real(c_double), target :: small(3)
    real(c_float), target :: single(1000)
    integer(c_intptr_t) :: number
    small = 0
    number = 5
    call frame_enter_data('cells', 'Q', 'copy', ierr=ierr);  call refused('clause')
    call frame_enter_data('cells', 'Q', 'copyin', 'soa', ierr);  call refused('layout')
    call frame_exit_data('cells', 'rho', 'delete', ierr);  call refused('exit')
    call frame_update_host('cells', 'rho', ierr=ierr);  call refused('update')
    call frame_update_host('cells', 'Q', [1, 2, 3], ierr);  call refused('five')
    call frame_update_host('cells', 'Q', [-2, 2, 1, 1, 1, 1], ierr);  call refused('outside')
    call frame_pack('cells', 'Q', [1, 2, 1, 1, 1, 1], small, ierr);  call refused('small')
    call check('untouched', all(small == 0))
    call frame_pack('cells', 'Q', [1, 2, 1, 1, 1, 1], single, ierr);  call refused('single')
    call frame_device_address('cells', 'rho', number, ierr);  call refused('address')
    call check('number', number == 5)
    ! a section of an array lies in memory of which a part is somebody else's
    call frame_bind('part', 'rho', 'out', wanted(2:5, 2:5, 2:4), ierr=ierr)
    call check('section', ierr == 0)
    call frame_enter_data('part', 'rho', 'create', ierr=ierr);  call refused('section')
    call frame_bind('part', 'Q', 'in', q(:, :, 2:4, :), ierr=ierr)
    call frame_enter_data('part', 'Q', 'copyin', ierr=ierr);  call refused('part')
    call frame_unbind('part', '*')
    ! the end of one array and the beginning of the next
    call frame_enter_data('cells', 'rho', 'create')
    call frame_bind('half', 'rho', 'out', rho(:, :, 3:), ierr=ierr)
    call frame_enter_data('half', 'rho', 'create', ierr=ierr);  call check('within', ierr == 0)
    call frame_exit_data('half', 'rho', 'delete', ierr)
    call frame_exit_data('cells', 'rho', 'delete', ierr)
    call frame_enter_data('half', 'rho', 'create', ierr=ierr)
    call frame_enter_data('cells', 'rho', 'create', ierr=ierr);  call refused('partially')
    call frame_exit_data('half', 'rho', 'delete', ierr)
  end subroutine refusals
end program moves
