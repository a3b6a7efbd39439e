! Launches on views that come again: on fewer points, after views were written anew, by another name or
! by another thread, and in another Frame.
program viewsagain
  use, intrinsic :: iso_c_binding, only: c_double
  use omp_lib
  use bridge
  implicit none (type, external)
  integer, parameter :: n = 8, turns = 200
  real(c_double), target :: t(n), p(n), y(n, 2), rho(n), gamma(n), q(n, 7)
  integer :: turn, ierr(8)

  call frame_set('species', 'O2 CH4')
  call frame_set('stability', 'off')
  call initialize()
  call populate(300.0_c_double, n)
  call launch(n)
  call frame_report()
  do turn = 1, turns
    call launch(merge(n, n/2, mod(turn, 2) == 0))
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
  call frame_castles_populateoutputstripe('rho', rho, ierr=ierr(8))

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
  call frame_castles_populateinputstripe('Q', q)
  call launch(n)
  call show('later')

  ! values of another thread, and a thread's own
  call populate(380.0_c_double, n)
  call launch(n)
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) then
    t = 400.0_c_double
    call frame_castles_populateinputstripe('T', t)
  end if
  !$omp end parallel
  call frame_tvproperties_eosthermalproperties(n, ierr(5))
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
  print *, 'status', ierr(1:8)
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
    call frame_castles_populateinputstripe('T', t(:points))
    call frame_castles_populateinputstripe('P', p(:points))
    call frame_castles_populateinputstripe('Y', y(:points, :))
  end subroutine populate

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
