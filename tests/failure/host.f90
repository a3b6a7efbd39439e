! A host with one program for many cases: host CASE. It prints facts, one per line, that the
! tests read; what ends it badly is the bridge.
program host
  use, intrinsic :: iso_c_binding, only: c_int, c_double, c_char, c_null_char, c_null_ptr
  use bridge
  implicit none

  interface
    integer(c_int) function probe_traps() bind(c)
      import :: c_int
    end function probe_traps
    integer(c_int) function probe_control() bind(c)
      import :: c_int
    end function probe_control
    integer(c_int) function probe_changed_signals() bind(c)
      import :: c_int
    end function probe_changed_signals
    subroutine probe_keep_signals() bind(c)
    end subroutine probe_keep_signals
    subroutine probe_report_at_exit() bind(c)
    end subroutine probe_report_at_exit
    subroutine probe_setenv(name, value) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*), value(*)
    end subroutine probe_setenv
  end interface

  integer, parameter :: n = 6, ns = 2, nq = 5 + ns
  real(c_double), target :: q(n, n, n, nq), temperature(n, n, n), rho(n, n, n)
  character(len=32) :: case
  integer :: ierr

  call get_command_argument(1, case)
  call fill()
  select case (case)
  case ('boot');         call boot_with_return()
  case ('reboot');       call boot_twice()
  case ('must-boot');    call frame_boot()
  case ('report');       call start(); call frame_report(); print '(a)', 'went on'
  case ('report-return'); call report_with_return()
  case ('abort');        call start(); call frame_launch('noSuchKernel', 1)
  case ('chunks');       call chunks()
  case ('chunks-return'); call frame_error_policy('return'); call chunks()
  case ('constants');    call constants_as_text()
  case ('void-return');  call void_with_return()
  case ('void-abort');   call start(); call frame_tvproperties_eosthermalproperties(-5)
  case ('order');        call order_of_output()
  case ('silent-end');   call start(); call frame_report(); write (*, '(a)', advance='no') 'last'
  case ('stop');         call start(); call frame_report(); error stop 3
  case ('quiet');        call start(); call frame_report(); call frame_finalize()
  case ('every-line');   call every_line()
  case ('signals');      call signals()
  case ('work');         call work()
  case ('new-threads');  call new_threads()
  case ('print-and-fail'); call start(); print '(a)', 'fortran line'; call frame_report()
  case ('at-exit-early'); call probe_report_at_exit(); call start(); print '(a)', 'main is over'
  case ('at-exit');      call start(); call probe_report_at_exit(); print '(a)', 'main is over'
  case ('in-write');     call start(); print '(a,i0)', 'value ', failing_function()
  case ('refusals');     call refusals()
  case default;          error stop 'unknown case'
  end select

contains

  subroutine fill()
    q(:, :, :, 1) = 1.0e7_c_double
    q(:, :, :, 2:4) = 0.0_c_double
    q(:, :, :, 5) = 300.0_c_double
    q(:, :, :, 6) = 0.25_c_double
    q(:, :, :, 7) = 0.75_c_double
    temperature = 300.0_c_double
    rho = -1.0_c_double
  end subroutine fill

  subroutine start()
    call frame_set('backend', 'cpu')
    call frame_set('species', 'O2 CH4')
    call frame_initialize(0, n**3, ns, nq, 0)
  end subroutine start

  subroutine tell(label)
    character(len=*), intent(in) :: label
    character(len=2000) :: message
    call frame_last_error(message)
    print '(a,1x,i0,1x,a)', label, ierr, trim(message)
  end subroutine tell

  subroutine boot_with_return()
    call frame_error_policy('return')
    call frame_boot(ierr)
    call tell('boot')
    call frame_launch('prEOSDensity', 1, ierr)
    call tell('launch')
    if (frame_status() /= ierr) error stop 'frame_status differs from ierr'
  end subroutine boot_with_return

  subroutine boot_twice()
    call boot_with_return()
    call probe_setenv('BRIDGE_PYTHON' // c_null_char, c_null_char)
    call frame_boot(ierr)
    call tell('again')
    call start()
    call frame_finalize(ierr)
    call tell('done')
  end subroutine boot_twice

  subroutine report_with_return()
    call start()
    call frame_error_policy('return')
    call frame_report(ierr)
    call tell('report')
    call frame_set('backend', 'cpu', ierr)
    if (frame_status() /= ierr) error stop 'frame_status differs from ierr'
    call frame_error_policy('return', ierr)
    if (frame_status() /= bridge_ok) error stop 'frame_status is not that of the latest call'
  end subroutine report_with_return

  ! 216 points in chunks of 100; the report breaks what the second chunk needs.
  subroutine chunks()
    call frame_set('backend', 'cpu')
    call frame_set('species', 'O2 CH4')
    call frame_initialize(0, 100, ns, nq, 0)
    call frame_bind('cells', 'Q', 'in', q)
    call frame_bind('cells', 'rho', 'out', rho)
    call frame_report()
    call frame_run('cells', 'eosRhohFromTPprop', ierr)
    call tell('run')
    print '(a,1x,i0)', 'filled', count(rho > 0.0_c_double)
    call frame_run('cells', 'eosRhohFromTPprop', ierr)
    call tell('again')
    print '(a,1x,i0)', 'filled-again', count(rho > 0.0_c_double)
  end subroutine chunks

  subroutine void_with_return()
    call start()
    call frame_error_policy('return')
    call frame_tvproperties_eosthermalproperties(-5)
    call frame_tvproperties_eosthermalproperties(-5)
    ierr = frame_status()
    call tell('void')
  end subroutine void_with_return

  subroutine order_of_output()
    print '(a)', 'fortran one'
    call start()
    print '(a)', 'fortran two'
    call frame_report()
    print '(a)', 'fortran three'
    call frame_report()
    call frame_finalize()
    print '(a)', 'fortran four'
  end subroutine order_of_output

  ! All that a run writes, then an end of the host's own: 7 where the results are there.
  subroutine every_line()
    character(len=200) :: recording
    call get_environment_variable('RECORDING', recording)
    if (command_argument_count() > 1) print '(a)', 'fortran one'
    call start()
    call frame_bind('cells', 'Q', 'in', q)
    call frame_bind('cells', 'rho', 'out', rho)
    call frame_record('cells', 'eosRhohFromTPprop', trim(recording))
    call frame_run('cells', 'eosRhohFromTPprop')
    call frame_doctor('/dev/full')
    call frame_record_write()
    call frame_report()
    call frame_error_policy('return')
    call frame_record_write(ierr)
    if (ierr == bridge_ok) error stop 'a recording that cannot be written'
    call frame_tvproperties_eosthermalproperties(-5)
    call frame_error_policy('abort')
    call frame_finalize()
    if (all(rho > 0.0_c_double)) call exit(7) ! STOP writes a line
  end subroutine every_line

  subroutine signals()
    call probe_keep_signals()
    call frame_boot()
    print '(a,1x,i0)', 'changed', probe_changed_signals()
    call start()
    call frame_report()
    print '(a,1x,i0)', 'changed-by-work', probe_changed_signals()
  end subroutine signals

  integer function failing_function()
    call frame_launch('noSuchKernel', 1)
    failing_function = 1
  end function failing_function

  ! The host's floating-point environment before and after work, in the main thread and in each
  ! thread of OpenMP regions of its own.
  subroutine work()
    integer :: before(0:3), after(0:3), i
    real(c_double) :: sums(0:3)
    before = 0
    after = 0
    !$omp parallel do num_threads(4) schedule(static, 1)
    do i = 0, 3
      sums(i) = sum(sqrt(q(:, :, :, 1)))
      before(i) = probe_control()
    end do
    i = probe_control()
    call start()
    if (probe_control() /= i) error stop 'changed by initialize'
    call frame_report()
    if (probe_control() /= i) error stop 'changed by report'
    call frame_castles_populateinputstripe('Q', q)
    call frame_tvproperties_eosthermalproperties(n**3)
    call frame_castles_populateoutputstripe('rho', rho)
    call frame_bind('cells', 'Q', 'in', q)
    call frame_bind('cells', 'rho', 'out', rho)
    call frame_run('cells', 'eosThermalProperties')
    if (probe_control() /= i) error stop 'changed by work'
    !$omp parallel do num_threads(4) schedule(static, 1)
    do i = 0, 3
      sums(i) = sum(sqrt(q(:, :, :, 1)))
      after(i) = probe_control()
    end do
    print '(a,4(1x,i0))', 'before', before
    print '(a,4(1x,i0))', 'after', after
    print '(a,1x,es12.5,1x,l1)', 'rho', rho(1, 1, 1), all(rho == rho(1, 1, 1))
    call frame_finalize()
    after = 0
    !$omp parallel do num_threads(4) schedule(static, 1)
    do i = 0, 3
      after(i) = probe_traps()
    end do
    print '(a,4(1x,i0))', 'traps', after
  end subroutine work

  ! OpenMP threads that the bridge is the first to start serve the host's regions afterwards.
  subroutine new_threads()
    integer :: bits(0:3), trapped(0:3), i
    call frame_set('threads', 4)
    call start()
    call frame_bind('cells', 'Q', 'in', q)
    call frame_bind('cells', 'rho', 'out', rho)
    call frame_run('cells', 'eosThermalProperties')
    !$omp parallel do num_threads(4) schedule(static, 1)
    do i = 0, 3
      bits(i) = probe_control()
    end do
    !$omp parallel do num_threads(4) schedule(static, 1)
    do i = 0, 3
      trapped(i) = probe_traps()
    end do
    print '(a,4(1x,i0))', 'threads', bits
    print '(a,4(1x,i0))', 'traps', trapped
  end subroutine new_threads

  ! Everything that must be refused, one line each: label, status, message.
  subroutine refusals()
    real(c_double), target :: bounds_probe(2, 2, 2)
    bounds_probe = 7.0_c_double
    call frame_error_policy('return')
    call frame_error_policy('loudly', ierr);  call tell('policy-before-boot')
    call frame_launch('prEOSDensity', 1, ierr);  call tell('launch-before-boot')
    call frame_boot(ierr)
    call frame_launch('prEOSDensity', 1, ierr);  call tell('launch-before-initialize')
    call frame_run('cells', 'eosThermalProperties', ierr);  call tell('run-before-initialize')
    call frame_castles_populateinputstripe('Q', q, ierr=ierr)
    call tell('stripe-before-initialize')
    call frame_finalize(ierr);  call tell('finalize-before-initialize')
    call frame_report(ierr);  call tell('report-before-initialize')
    call frame_set('specis', 'O2', ierr);  call tell('unknown-option')
    call frame_set('backend', 'abacus', ierr);  call tell('bad-backend')
    call frame_set('backend', 'cpu', ierr)
    call frame_initialize(0, 100, -1, 5, 0, ierr=ierr);  call tell('no-species-count')
    call frame_initialize(0, 0, 2, 7, 0, ierr=ierr);  call tell('no-points')
    call frame_initialize(-1, 100, 2, 7, 0, ierr=ierr);  call tell('negative-device')
    call frame_set('species', 'O2 XX', ierr)
    if (ierr == bridge_ok) call frame_initialize(0, 100, 2, nq, 0, ierr=ierr)
    call tell('unknown-species')
    call frame_set('species', 'O2 CH4 O2', ierr);  call tell('species-twice')
    call frame_set('species', 'O2 CH4 N2', ierr)
    call frame_initialize(0, 100, 2, nq, 0, ierr=ierr);  call tell('wrong-species-count')
    call frame_set('species', '', ierr)
    call frame_initialize(0, 100, 2, nq, 0, comm=0, ierr=ierr)
    call tell('communicator-without-mpi')
    call frame_set('species', 'O2 CH4', ierr)
    call frame_initialize(0, 100, 2, nq, 0, ierr=ierr);  call tell('initialize')
    call frame_initialize(0, 100, 2, nq, 0, ierr=ierr);  call tell('initialize-twice')
    call frame_set('backend', 'cpu', ierr);  call tell('set-after-initialize')
    call frame_launch('noSuchKernel', 1, ierr);  call tell('unknown-kernel')
    call frame_tvproperties_eosthermalproperties(101, ierr);  call tell('too-many-points')
    call frame_tvproperties_eosthermalproperties(-1, ierr);  call tell('negative-points')
    call frame_run('cells', 'eosThermalProperties', ierr);  call tell('unknown-set')
    call species_refusals()
    call stripe_refusals()
    call bind_refusals()
    call frame_castles_populateinputstripe('Q', q, stripeend=9, ierr=ierr);  call tell('stripe')
    call frame_finalize(ierr);  call tell('finalize')
    call frame_castles_populateinputstripe('Q', q, stripeend=9, ierr=ierr)
    call tell('stripe-after-finalize')
    call frame_finalize(ierr);  call tell('finalize-twice')
    call frame_launch('prEOSDensity', 1, ierr);  call tell('launch-after-finalize')
    call frame_initialize(0, 100, 2, nq, 0, ierr=ierr);  call tell('initialize-again')
    call frame_castles_populateinputstripe('Q', q, stripeend=9, ierr=ierr)
    call frame_tvproperties_eosthermalproperties(9, ierr);  call tell('work-again')
    print '(a,1x,l1)', 'untouched', all(rho == -1.0_c_double)
  end subroutine refusals

  ! As many constants as a code has, written as it writes numbers; then one that did not fit.
  subroutine constants_as_text()
    character(len=2000) :: text
    integer :: i
    call frame_error_policy('return')
    write (text, '(40("name", i0, "=", es25.17, 1x))') &
        (i, 1.5_c_double*10.0_c_double**(7*i - 150), i = 1, 40)
    call frame_set('constants', text, ierr);  call tell('written')
    write (text(len_trim(text) + 1:), '(1x, "last=", es10.3e3)') -1.0e100_c_double
    call frame_set('constants', text, ierr);  call tell('overflown')
  end subroutine constants_as_text

  subroutine species_refusals()
    real(c_double) :: one(ns), few(ns - 1), nasa7(17, ns)
    one = 1.0_c_double
    few = 1.0_c_double
    nasa7 = 1.0_c_double
    call frame_castles_populatepreosshareddata(one, few, one, one, nasa7, ierr=ierr)
    call tell('few-constants')
    call frame_castles_populatepreosshareddata(one, one, one, one, transpose(nasa7), ierr=ierr)
    call tell('nasa7-turned')
    call frame_castles_populatepreosshareddata(one, one, one, one, nasa7, nasa7, ierr)
    call tell('kij-shape')
    call frame_castles_populatechungshareddata(few, few, few, ierr);  call tell('few-volumes')
  end subroutine species_refusals

  subroutine stripe_refusals()
    call frame_castles_populateinputstripe('Que', q, ierr=ierr);  call tell('unknown-view')
    call frame_castles_populateinputstripe('T', q, ierr=ierr);  call tell('wrong-width')
    call frame_castles_populateoutputstripe('T', rho, sptx=0, ierr=ierr)
    call tell('fringe-below')
    call frame_castles_populateoutputstripe('T', rho, epty=n + 1, ierr=ierr)
    call tell('fringe-above')
    call frame_castles_populateoutputstripe('T', rho, sptz=5, eptz=3, stripeend=1, ierr=ierr)
    call tell('fringe-crossed')
    call frame_castles_populateoutputstripe('T', rho, stripestart=0, stripeend=5, ierr=ierr)
    call tell('stripe-below')
    call frame_castles_populateoutputstripe('T', rho, stripestart=200, stripeend=217, ierr=ierr)
    call tell('stripe-above')
    call frame_castles_populateoutputstripe('T', rho, stripestart=1, stripeend=101, ierr=ierr)
    call tell('stripe-too-long')
    call frame_castles_populateoutputstripe('T', rho(::2, :, :), ierr=ierr)
    call tell('not-contiguous')
    call frame_castles_populateinputstripe('Q', q(:, :, 1:5, :), ierr=ierr)
    call tell('not-contiguous-in')
    call frame_castles_populateinputstripe(repeat('x', 70), rho, ierr=ierr)
    call tell('long-name')
  end subroutine stripe_refusals

  subroutine bind_refusals()
    call frame_bind('cells', 'T', 'sideways', temperature, ierr=ierr);  call tell('bad-intent')
    call frame_bind('cells', 'Tee', 'in', temperature, ierr=ierr);  call tell('bind-unknown')
    call frame_bind('cells', 'T', 'in', temperature(:, 4:2:-1, :), ierr=ierr)
    call tell('bind-not-contiguous')
    call frame_bind('cells', 'T', 'in', temperature, scale=0.0_c_double, ierr=ierr)
    call tell('bind-no-scale')
    call frame_bind('cells', 'T', 'in', temperature, ierr=ierr);  call tell('bind')
    call frame_run('cells', 'eosThermalPropertys', ierr);  call tell('unknown-composite')
    call frame_run('cells', 'eosThermalProperties', ierr);  call tell('input-not-bound')
    call frame_unbind('cells', 'P', ierr);  call tell('unbind-unknown')
  end subroutine bind_refusals

end program host
