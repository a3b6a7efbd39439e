! Calls on views that come again: on fewer points, after views were written anew, by another name or by
! another thread, and in another Frame.
program viewsagain
  use, intrinsic :: iso_c_binding, only: c_double
  use omp_lib
  use bridge
  implicit none (type, external)
  integer, parameter :: n = 8, turns = 200
  real(c_double), target :: t(n), p(n), y(n, 2), rho(n), gamma(n), q(n, 7)
  real(c_double), target :: long(1200) = 330.0_c_double
  integer :: turn, ierr(15)

  call frame_set('species', 'O2 CH4')
  call frame_set('stability', 'off')
  call initialize()
  call step(290.0_c_double, n)
  call by_another(n)
  call frame_report()
  do turn = 1, turns
    if (mod(turn, 5) == 0) call by_another(n/2)
    call step(100.0_c_double + turn, merge(n, n/2, mod(turn, 2) == 0))
  end do
  call frame_report()
  call show('first')

  ! too many points, and fewer of an input than before
  call frame_error_policy('return')
  call frame_tvproperties_eosthermalproperties(1001, ierr(1))
  call frame_tvproperties_eosthermalproperties(-1, ierr(2))
  call frame_castles_populateinputstripe('T', t(:n/2))
  call frame_tvproperties_eosthermalproperties(n, ierr(3))
  call frame_tvproperties_eosthermalproperties(n/2, ierr(4))
  call populate(320.0_c_double, n)
  call launch(n)
  call launch(n)
  call show('anew')
  call launch(n/2)
  call frame_castles_populateoutputstripe('rho', rho, ierr=ierr(8))                ! half of it
  rho = 0.0_c_double
  call frame_castles_populateoutputstripe('rho', rho, stripestart=2, stripeend=n/2 + 1)
  call frame_castles_populateoutputstripe('rho', rho, stripestart=0, stripeend=2, ierr=ierr(9))
  call frame_castles_populateinputstripe('P', p, stripestart=5, stripeend=3, ierr=ierr(10))
  call frame_castles_populateinputstripe('P', p, stripestart=2, stripeend=n + 1, ierr=ierr(11))
  call frame_castles_populateinputstripe('T', long, stripeend=1000)
  call frame_castles_populateinputstripe('T', long, stripeend=1001, ierr=ierr(13))  ! than nGridPoints
  call populate(320.0_c_double, n)
  !$omp parallel num_threads(3)
  if (omp_get_thread_num() == 2) call frame_castles_populateinputstripe('T', t)
  !$omp end parallel
  call frame_tvproperties_eosthermalproperties(n, ierr(14))
  print *, 'moved', rho(1) == rho(2), rho(n/2 + 1) == rho(n/2), rho(n/2 + 2) == rho(1)

  ! the temperature of Q from now on, which was no view before; then that of T again, then Q's
  q = 0.0_c_double
  q(:, 1) = p
  q(:, 5) = 340.0_c_double
  q(:, 6:7) = y
  call frame_castles_populateinputstripe('Q', q)
  call launch(n)
  call show('new-view')
  call populate(360.0_c_double, n)
  call launch(n)
  call launch(n)
  call show('own')
  call by_another(n)
  call by_another(n)
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) call frame_castles_populateinputstripe('Q', q)
  !$omp end parallel
  call populate(360.0_c_double, n)
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) call frame_tvproperties_eosthermalproperties(n, ierr(15))
  !$omp end parallel
  call frame_castles_populateinputstripe('Q', q)
  call launch(n)
  call show('later')

  ! values of another thread, and a thread's own
  call populate(380.0_c_double, n)
  call launch(n)
  call frame_castles_populateoutputstripe('T', t)
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) then
    t = 400.0_c_double
    call frame_castles_populateinputstripe('T', t)
  end if
  !$omp end parallel
  call frame_tvproperties_eosthermalproperties(n, ierr(5))
  call frame_castles_populateoutputstripe('T', t, ierr=ierr(12))
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) then
    call populate(400.0_c_double, n)
    do turn = 1, 3
      call launch(n)
    end do
    call show('other')
  end if
  !$omp end parallel

  ! in another Frame nothing is known
  call frame_report()
  call frame_finalize()
  call frame_tvproperties_eosthermalproperties(n, ierr(6))
  call initialize()
  call frame_tvproperties_eosthermalproperties(n, ierr(7))
  print *, 'status', ierr
  call populate(300.0_c_double, n)
  do turn = 1, 10
    call launch(n)
  end do
  call show('frame')
  call frame_report()
  call frame_finalize()

contains

  subroutine initialize()
    call frame_initialize(0, 1000, 2, 7, 0)
  end subroutine initialize

  subroutine populate(temperature, points)
    real(c_double), intent(in) :: temperature
    integer, intent(in) :: points
    t = temperature
    p = 1.0e7_c_double
    y = 0.5_c_double
    call frame_castles_populateinputstripe('T', t, stripeend=points)
    call frame_castles_populateinputstripe('P', p, stripeend=points)
    call frame_castles_populateinputstripe('Y', y, stripeend=points)
  end subroutine populate

  subroutine step(temperature, points)
    real(c_double), intent(in) :: temperature
    integer, intent(in) :: points
    call populate(temperature, points)
    call launch(points)
    call frame_castles_populateoutputstripe('rho', rho, stripeend=points)
    call frame_castles_populateoutputstripe('gamma', gamma, stripeend=points)
  end subroutine step

  ! What the first thread has put there, by one that has written no input itself.
  subroutine by_another(points)
    integer, intent(in) :: points
    !$omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) then
      call launch(points)
      call frame_castles_populateoutputstripe('T', t, stripeend=points)
    end if
    !$omp end parallel
  end subroutine by_another

  subroutine launch(points)
    integer, intent(in) :: points
    call frame_tvproperties_eosthermalproperties(points)
    call frame_launch('prEOSGamma', points)
  end subroutine launch

  subroutine show(label)
    character(len=*), intent(in) :: label
    rho = 0.0_c_double
    gamma = 0.0_c_double
    call frame_castles_populateoutputstripe('rho', rho)
    call frame_castles_populateoutputstripe('gamma', gamma)
    print *, label, rho(1), rho(n), gamma(n)
  end subroutine show

end program viewsagain
