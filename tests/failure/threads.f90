! A host whose threads boot the bridge, end the program or fail: threads CASE.
program threads
  use omp_lib, only: omp_get_thread_num
  use bridge
  implicit none
  integer, parameter :: other = 2 ! a thread that is not the first
  character(len=32) :: case

  call get_command_argument(1, case)
  if (case == 'boot' .or. case == 'boot-and-stop') then
    !$omp parallel num_threads(4)
    if (omp_get_thread_num() == other) call start()
    !$omp end parallel
  else
    call start()
  end if
  select case (case)
  case ('boot')
  case ('stop', 'boot-and-stop')
    !$omp parallel num_threads(4)
    if (omp_get_thread_num() == other) stop 3
    !$omp end parallel
  case ('fail')
    !$omp parallel num_threads(4)
    if (omp_get_thread_num() == other) call frame_launch('noSuchKernel', 1)
    !$omp end parallel
  case ('all-fail')
    !$omp parallel num_threads(4)
    call frame_launch('noSuchKernel', 1)
    !$omp end parallel
  case default
    error stop 'unknown case'
  end select
  print '(a)', 'main is over'

contains

  subroutine start()
    call frame_set('backend', 'cpu')
    call frame_set('species', 'O2 CH4')
    call frame_initialize(0, 64, 2, 7, 0)
    call frame_report()
  end subroutine start

end program threads
