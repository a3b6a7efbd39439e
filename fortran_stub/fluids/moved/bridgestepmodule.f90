! The step and react, each loop a run of the bridge: stepmodule, solvemodule and reactmodule anew.
module bridgestepmodule
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  use settingsmodule, only: sp, n, sweeps, force, source
  implicit none
  private
  public :: bridgeStep, bridgeReact

contains

  subroutine bridgeStep
    call frame_run('sources of u', 'fluids_addsource')
    call frame_run('sources of v', 'fluids_addsource')
    call solve('diffusion of u', 'u', 'u0')
    call solve('diffusion of v', 'v', 'v0')
    call project('first', 'u0', 'v0', 'u', 'v')
    call advect('u')
    call advect('v')
    call project('second', 'u', 'v', 'u0', 'v0')

    call frame_run('sources of d', 'fluids_addsource')
    call solve('diffusion of d', 'd', 'd0')
    call advect('d')
  end subroutine bridgeStep

  ! All sweeps of a system in one run. Its kernel has the boundary in itself, so that the border of
  ! array x is set once, at the end.
  subroutine solve(set, which, x)
    character(len=*), intent(in) :: set, which, x
    integer :: sweep
    if (sweeps == 20) then
      call frame_run(set, 'fluids_solve_' // which)
    else
      do sweep = 1, sweeps
        call frame_run(set, 'fluids_relax_' // which)
      end do
    end if
    call setBorder(which, x)
  end subroutine solve

  subroutine project(which, u, v, p, div)
    character(len=*), intent(in) :: which, u, v, p, div
    call frame_run(which // ' projection', 'fluids_divergence')
    call setBorder('d', div)
    call solve(which // ' pressure', 'p', p)
    call frame_run(which // ' projection', 'fluids_gradient')
    call setBorder('u', u)
    call setBorder('v', v)
  end subroutine project

  subroutine advect(which)
    character(len=*), intent(in) :: which
    call frame_run('advection of ' // which, 'fluids_advect')
    call setBorder(which, which)
  end subroutine advect

  ! which: u or v, whose sign turns at a wall, or another field.
  subroutine setBorder(which, x)
    character(len=*), intent(in) :: which, x
    character(len=16) :: kernel
    integer :: walls(6, 4)
    kernel = 'fluids_border'
    if (which == 'u' .or. which == 'v') kernel = 'fluids_border_' // which
    walls(:, 1) = [0, 0, 0, n + 1, 1, 1]
    walls(:, 2) = [n + 1, n + 1, 0, n + 1, 1, 1]
    walls(:, 3) = [1, n, 0, 0, 1, 1]
    walls(:, 4) = [1, n, n + 1, n + 1, 1, 1]
    call frame_run('border of ' // x, trim(kernel), box=walls)
  end subroutine setBorder

  subroutine bridgeReact
    real(c_double) :: maxVelocity2, maxDensity
    call frame_reduce('react', 'fluids_speed2', 'max', maxVelocity2)
    call frame_reduce('react', 'fluids_source_d', 'max', maxDensity)
    call frame_constant('fluids_force', merge(force, 0.0_sp, maxVelocity2 < 0.0000005_sp))
    call frame_constant('fluids_source', merge(source, 0.0_sp, maxDensity < 1.0_sp))
    call frame_run('react', 'fluids_react')
  end subroutine bridgeReact

end module bridgestepmodule
