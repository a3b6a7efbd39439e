! Loops of addsource, original/solvemodule.f90:16, by the bridge.
module fluids_addsource_bridge
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int
  use bridge
  implicit none
  private
  public :: bind_fluids_addsource, run_fluids_addsource, unbind_fluids_addsource
  public :: compare_begin_fluids_addsource
  public :: compare_fluids_addsource
  public :: record_fluids_addsource
contains
  subroutine bind_fluids_addsource(n, x, s)
    integer(4), intent(in) :: n
    real(4), target :: x(0:n + 1, 0:n + 1)
    real(4), target :: s(0:n + 1, 0:n + 1)
    real(c_float), pointer :: bridge_singles_of_points(:, :, :)
    bridge_singles_of_points(1:size(x, 1), 1:size(x, 2), 1:1) => x
    call frame_bind('fluids_addsource', 'fluids_x', 'inout', bridge_singles_of_points, sptx=0 + &
        1 - lbound(x, 1), eptx=n + 1 + 1 - lbound(x, 1), spty=0 + 1 - lbound(x, 2), epty=n + 1 + &
        1 - lbound(x, 2), sptz=1, eptz=1)
    bridge_singles_of_points(1:size(s, 1), 1:size(s, 2), 1:1) => s
    call frame_bind('fluids_addsource', 'fluids_s', 'in', bridge_singles_of_points, sptx=0 + 1 - &
        lbound(s, 1), eptx=n + 1 + 1 - lbound(s, 1), spty=0 + 1 - lbound(s, 2), epty=n + 1 + 1 - &
        lbound(s, 2), sptz=1, eptz=1)
  end subroutine bind_fluids_addsource

  subroutine run_fluids_addsource(dt)
    real(4), intent(in) :: dt
    call frame_constant('fluids_dt', dt)
    call frame_run('fluids_addsource', 'fluids_addsource')
  end subroutine run_fluids_addsource

  ! Before the loops: kernels run on copies. share: of the points, or calls.
  subroutine compare_begin_fluids_addsource(dt, share)
    real(4), intent(in) :: dt
    real(c_double), intent(in), optional :: share
    call frame_constant('fluids_dt', dt)
    call frame_compare_begin_sets('fluids_addsource', 'fluids_addsource', share)
  end subroutine compare_begin_fluids_addsource

  ! Behind the loops: the largest difference of these and the kernels.
  subroutine compare_fluids_addsource(worst)
    real(c_double), intent(out) :: worst
    real(c_double) :: bridge_worst
    worst = 0
    bridge_worst = 0
    call frame_compare('fluids_addsource', 'fluids_addsource', bridge_worst)
    worst = max(worst, bridge_worst)
  end subroutine compare_fluids_addsource

  ! Before the loops: ranges and a sample of what they read, for the check.
  subroutine record_fluids_addsource(dt, file)
    real(4), intent(in) :: dt
    character(len=*), intent(in) :: file
    call frame_constant('fluids_dt', dt)
    call frame_record('fluids_addsource', 'fluids_addsource', file)
  end subroutine record_fluids_addsource

  subroutine unbind_fluids_addsource()
    call frame_unbind('fluids_addsource', '*')
  end subroutine unbind_fluids_addsource
end module fluids_addsource_bridge
