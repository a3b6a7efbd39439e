! conformance.f90: what module `bridge` asks of a Fortran compiler, each thing used once and looked at.
! bridge-config --self-test compiles and runs it: conformance RHO, the density at 300 K and 10 MPa.
! constants.txt has those of the two species. Prints a line for each check: T or F, and its name.
program conformance
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_float, c_int, c_int64_t, c_loc, &
      c_null_ptr, c_ptr
  use, intrinsic :: ieee_exceptions, only: ieee_get_halting_mode, ieee_invalid, &
      ieee_set_halting_mode, ieee_support_halting
  use bridge
  use conformance_common
  implicit none
  character(len=40) :: argument

  call get_command_argument(1, argument)
  read (argument, *) expected
  call states()
  call settings()
  call stripes()
  call bound()
  call parts()
  call kinds()
  call blocks()
  call reductions()
  call lists()
  call resident()
  call exchanged()
  call comparisons()
  call species()
  call refusals()
  call outcome()
  call modes()
  call finalize()
  print '(a)', 'end'

contains

  ! Texts with blanks behind them, texts of other lengths, numbers and logicals as settings.
  subroutine settings()
    character(len=60) :: padded
    call frame_error_policy('return', ierr);  call call_(ierr)
    padded = 'O2 CH4'
    call frame_set('species', padded, ierr);  call call_(ierr)
    call frame_set('backend ', 'cpu', ierr);  call call_(ierr)
    call frame_set('threads', 1, ierr);  call call_(ierr)
    call frame_set('compare_limit', 1.0e-10_c_double, ierr);  call call_(ierr)
    call frame_set('status_counts', .true., ierr);  call call_(ierr)
    call check('texts, integers, reals and logicals as settings', .true.)
    call frame_boot(ierr);  call call_(ierr)
    call check('Python starts', frame_status() == bridge_ok)
    call frame_initialize(iturb=0, nq=nq, ns=ns, ngridpoints=10, device_id=0, ierr=ierr)
    call call_(ierr)
    call check('initialize, by keywords', .true.)
    if (ierr /= bridge_ok) stop 1
  end subroutine settings

  ! Arrays of rank 1 to 4 into views and back, a few points at a time.
  subroutine stripes()
    real(c_double) :: T(4), P(4), Y(4, ns), density(4), column(4, 1, 1)
    integer :: first, last
    wanted = -1
    do first = 1, n, 10
      last = min(first + 9, n)
      call frame_castles_populateinputstripe('Q', q, 2, nx - 1, 2, ny - 1, 2, nz - 1, &
          stripestart=first, stripeend=last, ierr=ierr)
      call call_(ierr)
      call frame_tvproperties_eosthermalproperties(last - first + 1, ierr);  call call_(ierr)
      call frame_castles_populateoutputstripe('rho', wanted, 2, nx - 1, 2, ny - 1, 2, nz - 1, &
          stripestart=first, stripeend=last, ierr=ierr)
      call call_(ierr)
    end do
    call check('stripes of arrays of rank 3 and 4, with fringes', &
        abs(wanted(2, 2, 2)/expected - 1) <= close .and. count(wanted /= -1) == n)
    T = q(2:5, 2, 2, 5)
    P = 1.0e7_c_double
    Y = q(2:5, 2, 2, 6:7)
    call frame_castles_populateinputstripe('T', T)
    call frame_castles_populateinputstripe('P', P)
    call frame_castles_populateinputstripe('Y', Y)
    call frame_launch('eosThermalProperties', 4, ierr);  call call_(ierr)
    call frame_castles_populateoutputstripe('rho', density, ierr=ierr);  call call_(ierr)
    call frame_castles_populateoutputstripe('rho', column, ierr=ierr);  call call_(ierr)
    call check('stripes of arrays of rank 1 and 2', all(abs(density/wanted(2:5, 2, 2) - 1) <= close) &
        .and. all(column(:, 1, 1) == density))
  end subroutine stripes

  subroutine bound()
    rho = -1
    call bind_all()
    call frame_run('cells', 'eosThermalProperties', ierr);  call call_(ierr)
    call check('a run on bound arrays; fringes are left alone', inside_alone(rho))
    rho = -1
    call frame_run_several('cells', 'eosThermalProperties', ierr);  call call_(ierr)
    call check('runs of several sets', inside_alone(rho))
  end subroutine bound

  subroutine parts()
    rho = -1
    call frame_run_begin('cells', 'eosThermalProperties', ierr);  call call_(ierr)
    rho(1, :, :) = -2      ! the fringe is the host's meanwhile
    call frame_wait('cells', ierr);  call call_(ierr)
    rho(1, :, :) = -1
    call check('a run that is begun and waited for', inside_alone(rho))
    rho = -1
    call frame_run('cells', 'eosThermalProperties', [1, 1, 1, 3, 1, 2], ierr);  call call_(ierr)
    call frame_run('cells', 'eosThermalProperties', &
        reshape([2, 3, 1, 3, 1, 2, 4, 4, 1, 3, 1, 2], [6, 2]), ierr)
    call call_(ierr)
    call check('runs on boxes', inside_alone(rho))
    call frame_unchanged('cells', 'Q', ierr);  call call_(ierr)
    call frame_position('cells', 100, 200, 300, ierr);  call call_(ierr)
    call check('positions, inputs that are unchanged', .true.)
    rho = -1
    call frame_bind('others', 'rho', 'out', rho, 2, nx - 1, 2, ny - 1, 2, nz - 1, ierr=ierr)
    call call_(ierr)
    call frame_bind_from('others', 'Q', 'cells', [0, 0, 0], ierr);  call call_(ierr)
    call frame_run('others', 'eosThermalProperties', ierr);  call call_(ierr)
    call check('an array of another set', inside_alone(rho))
    call frame_unbind('others', '*', ierr)
  end subroutine parts

  ! Other types, sections with gaps, components first, an array that is empty, one that is none.
  subroutine kinds()
    real(c_float), target :: short(nx, ny, nz)
    integer(c_int), target :: kelvin(nx, ny, nz)
    real(c_double), target :: record(3, nx, ny, nz), first(nq, nx, ny, nz)
    real(c_double), target, allocatable :: none(:, :, :), empty(:, :, :), later(:, :, :)
    integer :: component
    kelvin = nint(q(:, :, :, 5), c_int)
    short = -1
    word = -1
    call frame_bind('kinds', 'Q', 'in', q, ierr=ierr);  call call_(ierr)
    call frame_bind('kinds', 'T', 'in', kelvin, ierr=ierr);  call call_(ierr)
    call frame_bind('kinds', 'rho', 'out', short, scale=1000.0_c_double, ierr=ierr);  call call_(ierr)
    call frame_bind('kinds', 'status', 'out', word, ierr=ierr);  call call_(ierr)
    call frame_run('kinds', 'eosThermalProperties', ierr);  call call_(ierr)
    call check('arrays of real(4) and integer, a scale', all(word == 0) .and. &
        abs(1000*short(2, 2, 2)/expected - 1) < 1.0e-6_c_double)
    record = -1
    do component = 1, nq
      first(component, :, :, :) = q(:, :, :, component)
    end do
    call frame_unbind('kinds', '*', ierr);  call call_(ierr)
    call frame_bind('kinds', 'Q', 'in', first, component_first=.true., ierr=ierr);  call call_(ierr)
    call frame_bind('kinds', 'rho', 'out', record(2, :, :, :), ierr=ierr);  call call_(ierr)
    call frame_run('kinds', 'eosThermalProperties', ierr);  call call_(ierr)
    call check('a section of an array, components first', &
        same(record(2, 2:nx - 1, 2:ny - 1, 2:nz - 1), wanted(2:nx - 1, 2:ny - 1, 2:nz - 1)) .and. &
        all(record(1, :, :, :) == -1) .and. all(record(3, :, :, :) == -1))
    call frame_unbind('kinds', '*', ierr)
    allocate (empty(nx, 0, nz))
    call frame_bind('nothing', 'T', 'in', empty, ierr=ierr);  call call_(ierr)
    call frame_unbind('nothing', '*', ierr);  call call_(ierr)
    call frame_bind('nothing', 'T', 'in', none, ierr=ierr)
    call check('an empty array is taken, one that is not allocated is refused', &
        refused(ierr, bridge_argument, 'not allocated'))
    allocate (later(nx, ny, nz), source=-1.0_c_double)
    call frame_bind('cells', 'rho', 'out', later, 2, nx - 1, 2, ny - 1, 2, nz - 1, ierr=ierr)
    call call_(ierr)
    call frame_run('cells', 'eosThermalProperties', ierr);  call call_(ierr)
    call check('an allocatable array in place of another', inside_alone(later))
    call bind_all()
  end subroutine kinds

  ! Two blocks in one memory, with offsets of 64 bits.
  subroutine blocks()
    integer(c_int64_t) :: offsets(2)
    integer :: bounds(12, 2), of_rho(12, 2)
    bounds(:, 1) = [nx, ny, nz, 2, 3, 2, ny - 1, 2, nz - 1, 1, nq, nq]
    bounds(:, 2) = [nx, ny, nz, 4, nx - 1, 2, ny - 1, 2, nz - 1, 1, nq, nq]
    of_rho = bounds
    of_rho(11:12, :) = 1
    offsets = 0
    rho = -1
    call frame_bind_blocks('blocks', 'Q', 'in', q, 2, bounds, offsets, ierr=ierr);  call call_(ierr)
    call frame_bind_blocks('blocks', 'rho', 'out', rho, 2, of_rho, offsets, ierr=ierr)
    call call_(ierr)
    call frame_position_blocks('blocks', 2, reshape([1, 1, 1, 3, 1, 1], [3, 2]), ierr)
    call call_(ierr)
    call frame_run('blocks', 'eosThermalProperties', ierr);  call call_(ierr)
    call check('blocks', inside_alone(rho))
    call frame_unbind('blocks', '*')
  end subroutine blocks

  subroutine reductions()
    real(c_double) :: total, each(nq), several(3)
    integer :: place(4), number
    logical :: any_nan
    call frame_reduce('cells', 'rho', 'sum', total, ierr=ierr);  call call_(ierr)
    call check('a reduction', abs(total/sum(wanted(2:nx - 1, 2:ny - 1, 2:nz - 1)) - 1) <= close)
    call frame_reduce('cells', 'T', 'maxloc', total, place, ierr=ierr);  call call_(ierr)
    call frame_reduce('cells', 'Q', 'max', each, ierr=ierr);  call call_(ierr)
    call frame_reduce('cells', 'T', 'count', number, ierr=ierr);  call call_(ierr)
    call frame_reduce('cells', 'rho', 'nan', any_nan, ierr=ierr);  call call_(ierr)
    call check('reductions to places, lists, integers and logicals', all(place(:3) == [nx - 1, ny - 1, &
        nz - 1]) .and. each(5) == total .and. number == n .and. .not. any_nan)
    call frame_reduce_several('cells', 'T c rho', 'max min sum', several, ierr=ierr);  call call_(ierr)
    call check('several reductions at once', several(1) == total .and. several(2) > 0)
    call frame_allreduce_several('cells', 'T T', 'max min', several(:2), ierr=ierr);  call call_(ierr)
    call check('several reductions over ranks, of one rank', several(1) == total)
    call frame_allreduce('cells', 'T', 'max', each(1), ierr=ierr);  call call_(ierr)
    call check('a reduction over ranks, of one rank', each(1) == total)
  end subroutine reductions

  subroutine lists()
    real(c_double) :: values(2), across(ns, n), sums(n)
    integer :: points(n), on
    call frame_gather('cells', 'T', [1, n], values, ierr=ierr);  call call_(ierr)
    call frame_scatter('cells', 'rho', [1, n], [7.0_c_double, 8.0_c_double], ierr=ierr)
    call call_(ierr)
    call check('gather and scatter', values(1) == 300 .and. values(2) == q(nx - 1, ny - 1, nz - 1, 5) &
        .and. rho(2, 2, 2) == 7 .and. rho(nx - 1, ny - 1, nz - 1) == 8)
    call frame_scan('cells', 'T', sums, ierr=ierr);  call call_(ierr)
    call frame_transpose('cells', 'Y', across, ierr=ierr);  call call_(ierr)
    call frame_split('cells', 'T', points, on, ierr=ierr);  call call_(ierr)
    call check('scan, split and transpose', sums(1) == 300 .and. sums(2) == 610 .and. on == n &
        .and. all(across(2, :) == 0.75_c_double))
    call frame_sort_by_key('cells', 'T', points, ierr=ierr);  call call_(ierr)
    call check('sort', points(1) == 1 .and. points(n) == n)
    call frame_python('cells', 'builtins:repr', values=[1.0_c_double], text='none', ierr=ierr)
    call call_(ierr)
    call check('a function of Python', ierr == 0)
    call frame_run('cells', 'eosThermalProperties', ierr);  call call_(ierr)
  end subroutine lists

  subroutine resident()
    real(c_double) :: buffer(n)
    type(c_ptr) :: address
    address = c_null_ptr
    call frame_enter_data('cells', 'rho', 'copyin', ierr=ierr);  call call_(ierr)
    call frame_update_device('cells', 'rho', ierr=ierr);  call call_(ierr)
    call frame_device_address('cells', 'rho', address, ierr);  call call_(ierr)
    call frame_pack('cells', 'rho', [1, 1, 1, 3, 1, 2], buffer, ierr);  call call_(ierr)
    call frame_unpack('cells', 'rho', [4, 4, 1, 3, 1, 2], buffer, ierr);  call call_(ierr)
    call frame_update_host('cells', 'rho', ierr=ierr);  call call_(ierr)
    call frame_exit_data('cells', 'rho', 'copyout', ierr);  call call_(ierr)
    call check('resident arrays, pack and unpack, an address', c_associated(address, c_loc(rho)) &
        .and. all(rho(nx - 1, 2:ny - 1, 2:nz - 1) == rho(2, 2:ny - 1, 2:nz - 1)))
  end subroutine resident

  ! Layers of one block, which is its own neighbour: the last of the interior before the first.
  subroutine exchanged()
    integer, dimension(6, 2) :: sends, receives
    sends = reshape([4, 4, 1, 3, 1, 2, 1, 1, 1, 3, 1, 2], [6, 2])
    receives = reshape([5, 5, 1, 3, 1, 2, 0, 0, 1, 3, 1, 2], [6, 2])
    call frame_exchange_plan('ring', 'cells', 'rho', [0, 0], [1, 1], [1, 1], sends, [1, 1], receives, &
        ierr)
    call call_(ierr)
    call frame_exchange('ring', ierr);  call call_(ierr)
    call frame_exchange_begin('ring', ierr);  call call_(ierr)
    call frame_exchange_wait('ring', ierr);  call call_(ierr)
    call frame_sequence_begin('rings', ierr);  call call_(ierr)
    call frame_exchange('ring', ierr);  call call_(ierr)
    call frame_sequence_end(ierr);  call call_(ierr)
    call frame_sequence_run('rings', ierr);  call call_(ierr)
    call check('an exchange of fringes', all(rho(1, 2:ny - 1, 2:nz - 1) == rho(nx - 1, 2:ny - 1, 2:nz - 1)) &
        .and. all(rho(nx, 2:ny - 1, 2:nz - 1) == rho(2, 2:ny - 1, 2:nz - 1)))
    rho(1, :, :) = -1
    rho(nx, :, :) = -1
  end subroutine exchanged

  subroutine comparisons()
    real(c_double) :: worst
    logical :: there
    call frame_compare_begin('cells', 'eosThermalProperties', ierr=ierr);  call call_(ierr)
    rho = wanted
    rho(3, 3, 3) = rho(3, 3, 3)*1.5_c_double
    call frame_compare('cells', 'eosThermalProperties', worst, ierr);  call call_(ierr)
    call frame_compare_numbers('cells', 'eosThermalProperties', 'sums', [1.0_c_double], &
        [1.0_c_double], [1.0_c_double], ierr=ierr)
    call call_(ierr)
    call check('a comparison with a loop of the host', worst > 0.01_c_double)
    call frame_compare_without('cells', 'rho', ierr=ierr);  call call_(ierr)
    call frame_compare_begin_sets('cells', 'eosThermalProperties', 0.5_c_double, ierr)
    call call_(ierr)
    call frame_compare('cells', 'eosThermalProperties', worst, ierr);  call call_(ierr)
    call check('a comparison that leaves an output out', worst <= 0)
    call bind_all()
    call frame_record('cells', 'eosThermalProperties', 'recording', ierr);  call call_(ierr)
    call frame_record_write(ierr);  call call_(ierr)
    inquire (file='recording.0.npz', exist=there)
    call check('a recording', there)
  end subroutine comparisons

  ! Constants of the species by the host; an optional argument that is not there, then there.
  subroutine species()
    real(c_double) :: w(ns), tc(ns), pc(ns), omega(ns), nasa7(17, ns), vc(ns), dipole(ns), kappa(ns)
    real(c_double) :: kij(ns, ns)
    integer :: unit
    logical :: alike
    open (newunit=unit, file='constants.txt', status='old')
    read (unit, *) w, tc, pc, omega, nasa7, vc, dipole, kappa
    close (unit)
    rho = -1
    call frame_castles_populatepreosshareddata(w, tc, pc, omega, nasa7, ierr=ierr);  call call_(ierr)
    call frame_castles_populatechungshareddata(vc, dipole, kappa, ierr);  call call_(ierr)
    call frame_run('cells', 'eosThermalProperties', ierr);  call call_(ierr)
    alike = inside_alone(rho)
    kij = 0.1_c_double*reshape([0, 1, 1, 0], [ns, ns])
    call frame_castles_populatepreosshareddata(w, tc, pc, omega, nasa7, kij, ierr);  call call_(ierr)
    call frame_run('cells', 'eosThermalProperties', ierr);  call call_(ierr)
    call check('species constants of the host', alike .and. .not. inside_alone(rho))
    call frame_castles_populatepreosshareddata(w, tc, pc, omega, nasa7, ierr=ierr)
  end subroutine species

  subroutine refusals()
    character(len=8) :: short
    real(c_double) :: value
    value = 0
    rho = -5
    call frame_run('nowhere', 'eosThermalProperties', ierr)
    call check('a bad name: status and message', refused(ierr, bridge_argument, 'nowhere'))
    call frame_last_error(short)
    call check('a message in a short text', short == message(:8))
    call frame_bind('cells', 'rho', 'out', rho, sptx=0, ierr=ierr)
    call check('bad bounds are refused', refused(ierr, bridge_argument, 'SptX') .and. all(rho == -5))
    call frame_run_colour('cells', 'eosThermalProperties', 1, ierr)
    call check('a colour of a kernel without colours', refused(ierr, bridge_argument, 'eosThermal'))
    call frame_wait('cells', ierr)
    call check('a call out of order is refused', refused(ierr, bridge_state, 'cells'))
    call frame_constant('none', 1.0_c_double, ierr)
    call check('a constant that no pack has', refused(ierr, bridge_argument, 'none'))
    call frame_constants('none other', [1.0_c_double, 2.0_c_double], ierr)
    call check('constants that no pack has', refused(ierr, bridge_argument, 'none'))
    call frame_allreduce_constant('cells', 'rho', 'max', 'none', ierr)
    call check('a reduction to a constant that no pack has', refused(ierr, bridge_argument, 'none'))
    call frame_constant_value('none', value, ierr)
    call check('the value of a constant that no pack has', refused(ierr, bridge_argument, 'none'))
    call frame_table('none', [1.0_c_double], ierr)
    call check('a table that no pack has', refused(ierr, bridge_argument, 'none'))
    call frame_python('cells', 'builtins:none', ierr=ierr)
    call check('a function that there is not', refused(ierr, bridge_argument, 'builtins:none'))
  end subroutine refusals

  subroutine outcome()
    integer(c_int64_t) :: large(32)
    integer :: small(8)
    logical :: there
    q(2, 2, 2, 5) = -1
    call bind_all()
    call frame_run('cells', 'eosThermalProperties', ierr);  call call_(ierr)
    q(2, 2, 2, 5) = 300
    call frame_status_counts('cells', small, ierr);  call call_(ierr)
    call frame_status_counts('cells', large, ierr);  call call_(ierr)
    call frame_status_points('cells', most=2, ierr=ierr);  call call_(ierr)
    call check('counts of status words', small(1) == 1 .and. large(1) == 1 .and. sum(large) == 1)
    call frame_status_policy('stop', ierr);  call call_(ierr)
    q(2, 2, 2, 5) = -1
    call frame_run('cells', 'eosThermalProperties', ierr)
    q(2, 2, 2, 5) = 300
    call check('a run that stops at bad points', refused(ierr, bridge_points, 'BAD_T'))
    call frame_status_policy('continue', ierr);  call call_(ierr)
    call frame_probe('cells', 3, 3, 3, ierr=ierr);  call call_(ierr)
    call frame_report(ierr);  call call_(ierr)
    call frame_doctor('doctor.json', ierr=ierr);  call call_(ierr)
    inquire (file='doctor.json', exist=there)
    call check('probe, report and doctor', there)
    call check('a fingerprint of a length found at run time', &
        index(frame_fingerprint(), 'species') > 0 .and. len(frame_fingerprint()) < 8192)
  end subroutine outcome

  ! Traps of the host are armed again behind a call, and a call with NaN inside meets none.
  subroutine modes()
    integer, parameter :: plain = kind(ieee_support_halting(ieee_invalid))  ! whatever the flags
    logical(plain), parameter :: on = .true., off = .false.
    logical(plain) :: armed
    armed = ieee_support_halting(ieee_invalid)
    if (armed) call ieee_set_halting_mode(ieee_invalid, on)
    q(2, 2, 2, 5) = -1
    call frame_run('cells', 'eosThermalProperties', ierr);  call call_(ierr)
    q(2, 2, 2, 5) = 300
    if (armed) then
      call ieee_get_halting_mode(ieee_invalid, armed)
      call ieee_set_halting_mode(ieee_invalid, off)
      call check('floating-point traps are set aside in a call and armed again', logical(armed))
    end if
  end subroutine modes

  subroutine finalize()
    call frame_finalize(ierr);  call call_(ierr)
    call frame_initialize(0, 10, ns, nq, 0, ierr=ierr);  call call_(ierr)
    rho = -1
    call bind_all()
    call frame_run('cells', 'eosThermalProperties', ierr);  call call_(ierr)
    call frame_finalize(ierr);  call call_(ierr)
    call check('finalize, and initialize again', inside_alone(rho))
  end subroutine finalize

end program conformance
