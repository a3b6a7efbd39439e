! Loops of project, original/solvemodule.f90:78, by the bridge.
module fluids_divergence_bridge
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int
  use bridge
  implicit none
  private
  public :: bind_fluids_divergence, run_fluids_divergence, unbind_fluids_divergence
  public :: compare_begin_fluids_divergence
  public :: compare_fluids_divergence
  public :: record_fluids_divergence
contains
  subroutine bind_fluids_divergence(n, u, v, p, div)
    integer(4), intent(in) :: n
    real(4), target :: u(0:n + 1, 0:n + 1)
    real(4), target :: v(0:n + 1, 0:n + 1)
    real(4), target :: p(0:n + 1, 0:n + 1)
    real(4), target :: div(0:n + 1, 0:n + 1)
    real(c_float), pointer :: bridge_singles_of_points(:, :, :)
    bridge_singles_of_points(1:size(u, 1), 1:size(u, 2), 1:1) => u
    call frame_bind('fluids_divergence', 'fluids_u', 'in', bridge_singles_of_points, sptx=1 + 1 &
        - lbound(u, 1), eptx=n + 1 - lbound(u, 1), spty=1 + 1 - lbound(u, 2), epty=n + 1 - &
        lbound(u, 2), sptz=1, eptz=1)
    bridge_singles_of_points(1:size(v, 1), 1:size(v, 2), 1:1) => v
    call frame_bind('fluids_divergence', 'fluids_v', 'in', bridge_singles_of_points, sptx=1 + 1 &
        - lbound(v, 1), eptx=n + 1 - lbound(v, 1), spty=1 + 1 - lbound(v, 2), epty=n + 1 - &
        lbound(v, 2), sptz=1, eptz=1)
    bridge_singles_of_points(1:size(div, 1), 1:size(div, 2), 1:1) => div
    call frame_bind('fluids_divergence', 'fluids_div', 'out', bridge_singles_of_points, sptx=1 + &
        1 - lbound(div, 1), eptx=n + 1 - lbound(div, 1), spty=1 + 1 - lbound(div, 2), epty=n + 1 &
        - lbound(div, 2), sptz=1, eptz=1)
    bridge_singles_of_points(1:size(p, 1), 1:size(p, 2), 1:1) => p
    call frame_bind('fluids_divergence', 'fluids_p', 'out', bridge_singles_of_points, sptx=1 + 1 &
        - lbound(p, 1), eptx=n + 1 - lbound(p, 1), spty=1 + 1 - lbound(p, 2), epty=n + 1 - &
        lbound(p, 2), sptz=1, eptz=1)
  end subroutine bind_fluids_divergence

  subroutine run_fluids_divergence(n)
    integer(4), intent(in) :: n
    call frame_constant('fluids_n', n)
    call frame_run('fluids_divergence', 'fluids_divergence')
  end subroutine run_fluids_divergence

  ! Before the loops: kernels run on copies. share: of the points, or calls.
  subroutine compare_begin_fluids_divergence(n, share)
    integer(4), intent(in) :: n
    real(c_double), intent(in), optional :: share
    call frame_constant('fluids_n', n)
    call frame_compare_begin_sets('fluids_divergence', 'fluids_divergence', share)
  end subroutine compare_begin_fluids_divergence

  ! Behind the loops: the largest difference of these and the kernels.
  subroutine compare_fluids_divergence(worst)
    real(c_double), intent(out) :: worst
    real(c_double) :: bridge_worst
    worst = 0
    bridge_worst = 0
    call frame_compare('fluids_divergence', 'fluids_divergence', bridge_worst)
    worst = max(worst, bridge_worst)
  end subroutine compare_fluids_divergence

  ! Before the loops: ranges and a sample of what they read, for the check.
  subroutine record_fluids_divergence(n, file)
    integer(4), intent(in) :: n
    character(len=*), intent(in) :: file
    call frame_constant('fluids_n', n)
    call frame_record('fluids_divergence', 'fluids_divergence', file)
  end subroutine record_fluids_divergence

  subroutine unbind_fluids_divergence()
    call frame_unbind('fluids_divergence', '*')
  end subroutine unbind_fluids_divergence
end module fluids_divergence_bridge
