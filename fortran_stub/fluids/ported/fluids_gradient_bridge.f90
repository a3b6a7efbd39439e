! Loops of project, original/solvemodule.f90:89, by the bridge.
module fluids_gradient_bridge
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int
  use bridge
  implicit none
  private
  public :: bind_fluids_gradient, run_fluids_gradient, unbind_fluids_gradient
  public :: compare_begin_fluids_gradient
  public :: compare_fluids_gradient
  public :: record_fluids_gradient
contains
  subroutine bind_fluids_gradient(n, u, v, p)
    integer(4), intent(in) :: n
    real(4), target :: u(0:n + 1, 0:n + 1)
    real(4), target :: v(0:n + 1, 0:n + 1)
    real(4), target :: p(0:n + 1, 0:n + 1)
    real(c_float), pointer :: bridge_singles_of_points(:, :, :)
    bridge_singles_of_points(1:size(u, 1), 1:size(u, 2), 1:1) => u
    call frame_bind('fluids_gradient', 'fluids_u', 'inout', bridge_singles_of_points, sptx=1 + 1 &
        - lbound(u, 1), eptx=n + 1 - lbound(u, 1), spty=1 + 1 - lbound(u, 2), epty=n + 1 - &
        lbound(u, 2), sptz=1, eptz=1)
    bridge_singles_of_points(1:size(p, 1), 1:size(p, 2), 1:1) => p
    call frame_bind('fluids_gradient', 'fluids_p', 'in', bridge_singles_of_points, sptx=1 + 1 - &
        lbound(p, 1), eptx=n + 1 - lbound(p, 1), spty=1 + 1 - lbound(p, 2), epty=n + 1 - &
        lbound(p, 2), sptz=1, eptz=1)
    bridge_singles_of_points(1:size(v, 1), 1:size(v, 2), 1:1) => v
    call frame_bind('fluids_gradient', 'fluids_v', 'inout', bridge_singles_of_points, sptx=1 + 1 &
        - lbound(v, 1), eptx=n + 1 - lbound(v, 1), spty=1 + 1 - lbound(v, 2), epty=n + 1 - &
        lbound(v, 2), sptz=1, eptz=1)
  end subroutine bind_fluids_gradient

  subroutine run_fluids_gradient(n)
    integer(4), intent(in) :: n
    call frame_constant('fluids_n', n)
    call frame_run('fluids_gradient', 'fluids_gradient')
  end subroutine run_fluids_gradient

  ! Before the loops: kernels run on copies. share: of the points, or calls.
  subroutine compare_begin_fluids_gradient(n, share)
    integer(4), intent(in) :: n
    real(c_double), intent(in), optional :: share
    call frame_constant('fluids_n', n)
    call frame_compare_begin_sets('fluids_gradient', 'fluids_gradient', share)
  end subroutine compare_begin_fluids_gradient

  ! Behind the loops: the largest difference of these and the kernels.
  subroutine compare_fluids_gradient(worst)
    real(c_double), intent(out) :: worst
    real(c_double) :: bridge_worst
    worst = 0
    bridge_worst = 0
    call frame_compare('fluids_gradient', 'fluids_gradient', bridge_worst)
    worst = max(worst, bridge_worst)
  end subroutine compare_fluids_gradient

  ! Before the loops: ranges and a sample of what they read, for the check.
  subroutine record_fluids_gradient(n, file)
    integer(4), intent(in) :: n
    character(len=*), intent(in) :: file
    call frame_constant('fluids_n', n)
    call frame_record('fluids_gradient', 'fluids_gradient', file)
  end subroutine record_fluids_gradient

  subroutine unbind_fluids_gradient()
    call frame_unbind('fluids_gradient', '*')
  end subroutine unbind_fluids_gradient
end module fluids_gradient_bridge
