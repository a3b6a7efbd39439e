! What runs, and what it met: trust CASE.
program trust
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use bridge
  implicit none
  integer, parameter :: n = 4, ns = 2
  real(c_double), target :: q(n, n, n, 5 + ns), rho(n, n, n)
  integer, target :: status(n, n, n)
  integer :: small(15), ierr, unit
  integer(c_int64_t) :: large(32)
  character(len=32) :: case
  character(len=2000) :: message

  call get_command_argument(1, case)
  q(:, :, :, 1) = 1.0e7_c_double
  q(:, :, :, 2:4) = 0.0_c_double
  q(:, :, :, 5) = 300.0_c_double
  q(:, :, :, 6) = 0.25_c_double
  q(:, :, :, 7) = 0.75_c_double
  q(2, 2, 2, 5) = -5.0_c_double
  q(3, 2, 3, 1) = -1.0_c_double
  q(1, 1, 1, 5) = -5.0_c_double  ! in the fringe: nobody counts it

  select case (case)
  case ('doctor')
    call frame_doctor('report.json')
  case ('doctor-log')
    call frame_doctor()
  case ('doctor-refused')
    call frame_error_policy('return')
    call frame_doctor('/nowhere/report.json', ierr=ierr)
    call tell('file')
    call frame_doctor('report.json', 'some', ierr=ierr)
    call tell('ranks')
  case ('fingerprint')
    call start()
    print '(a)', frame_fingerprint()
    open (newunit=unit, file='restart.bin', form='unformatted', access='stream', &
        status='replace')
    write (unit) 1.0_c_double, frame_fingerprint(), 2.0_c_double
    close (unit)
    call frame_finalize()
    call frame_error_policy('return')
    print '(a,1x,i0,1x,i0)', 'length', len(frame_fingerprint()), frame_status()
  case ('bound')
    call start()
    call bind_all()
    call frame_bind('cells', 'status', 'out', status, sptx=2, eptx=n - 1, spty=2, epty=n - 1, &
        sptz=2, eptz=n - 1)
    call run_and_count()
  case ('hidden')
    call frame_set('status_counts', .true.)
    call frame_set('status_interval', 1000)
    call start()
    call bind_all()
    call run_and_count()
    call frame_run('cells', 'eosThermalProperties')
    call frame_report()
    call frame_finalize()
  case ('plain')
    call start()
    call bind_all()
    call frame_run('cells', 'eosThermalProperties')
    call frame_run('cells', 'eosThermalProperties')
    call frame_finalize()
  case ('probe')
    call start()
    call bind_all()
    call frame_error_policy('return')
    call frame_probe('cells', 2, 3, 2, ierr=ierr)
    call tell('before')
    call frame_run('cells', 'eosThermalProperties')
    call frame_probe('cells', 2, 3, 2)
    call frame_probe('cells', 1, 3, 2, 'eosThermalProperties', ierr=ierr)
    call tell('outside')
    call frame_probe('cells', 2, 3, 2, composite='eosThermalProperties', block=1, ierr=ierr)
    call tell('block')
    print '(a,1x,es24.16)', 'rho', rho(2, 3, 2)
  case ('unknown')
    call start()
    call bind_all()
    call frame_error_policy('return')
    call frame_run('cells', 'eosThermalProperties')
    small = -7
    call frame_status_counts('cells', small, ierr)
    call tell('counts')
    print '(a,1x,i0)', 'kept', small(1)
    call frame_status_policy('halt', ierr)
    call tell('policy')
    call frame_status_counts('faces', small, ierr)
    call tell('set')
  case ('stop')
    call start()
    call bind_all()
    call frame_error_policy('return')
    call frame_status_policy('stop')
    call frame_run('cells', 'eosThermalProperties', ierr=ierr)
    call tell('run')
    print '(a,1x,l1)', 'written', rho(2, 2, 3) > 0
    call frame_status_policy('continue')
    call frame_run('cells', 'eosThermalProperties', ierr=ierr)
    call tell('again')
  case ('abort')
    call frame_set('status_policy', 'stop')
    call start()
    call bind_all()
    call frame_run('cells', 'eosThermalProperties')
    print '(a)', 'survived'
  case default
    error stop 'unknown case'
  end select

contains

  subroutine start()
    call frame_set('backend', 'cpu')
    call frame_set('species', 'O2 CH4')
    call frame_initialize(0, 64, ns, 5 + ns, 0)
  end subroutine start

  subroutine bind_all()
    call frame_bind('cells', 'Q', 'in', q, sptx=2, eptx=n - 1, spty=2, epty=n - 1, sptz=2, &
        eptz=n - 1)
    call frame_bind('cells', 'rho', 'out', rho, sptx=2, eptx=n - 1, spty=2, epty=n - 1, sptz=2, &
        eptz=n - 1)
  end subroutine bind_all

  subroutine run_and_count()
    call frame_run('cells', 'eosThermalProperties')
    call frame_status_counts('cells', small)
    print '(a,15(1x,i0))', 'small', small
    call frame_status_counts('cells', large)
    print '(a,32(1x,i0))', 'large', large
    call frame_status_points('cells', most=5)
    call frame_status_points('cells', bits=2)
  end subroutine run_and_count

  subroutine tell(label)
    character(len=*), intent(in) :: label
    message = ''
    if (ierr /= bridge_ok) call frame_last_error(message)
    print '(a,1x,i0,1x,a)', label, ierr, trim(message)
  end subroutine tell

end program trust
