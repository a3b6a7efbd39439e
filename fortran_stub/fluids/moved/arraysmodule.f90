! Which array stands for which quantity, in sets of points: bound once, before the first step.
module arraysmodule
  use, intrinsic :: iso_c_binding, only: c_float, c_double
  use bridge
  use settingsmodule, only: sp, n, dt, diffusion, viscosity
  use fieldsmodule, only: u, v, d, u0, v0, d0
  implicit none
  private
  public :: beginBridge, endBridge, toDevice, toHost

contains

  subroutine beginBridge
    real(sp) :: a
    call frame_initialize(device_id=0, ngridpoints=65536, ns=0, nq=0, iturb=0)
    ! react, and the sources of a step
    call whole('react', 'fluids_source_u', 'inout', u0)
    call whole('react', 'fluids_source_v', 'inout', v0)
    call whole('react', 'fluids_source_d', 'inout', d0)
    call frame_position('react', 0, 0, 1)
    call sourced('sources of u', u, u0)
    call sourced('sources of v', v, v0)
    call sourced('sources of d', d, d0)
    ! linear systems: unknown, right-hand side
    call solved('diffusion of u', u0, u)
    call solved('diffusion of v', v0, v)
    call solved('diffusion of d', d0, d)
    call solved('first pressure', u, v)
    call solved('second pressure', u0, v0)
    call projected('first projection', u0, v0, u, v)
    call projected('second projection', u, v, u0, v0)
    call carried('advection of u', u, u0, u0, v0)
    call carried('advection of v', v, v0, u0, v0)
    call carried('advection of d', d, d0, u, v)
    call bordered('border of u', u)
    call bordered('border of v', v)
    call bordered('border of d', d)
    call bordered('border of u0', u0)
    call bordered('border of v0', v0)
    call bordered('border of d0', d0)
    ! what does not change between steps
    call frame_constant('fluids_n', n)
    call frame_constant('fluids_cells', n)
    call frame_constant('fluids_dt', dt)
    call frame_constant('fluids_cells_of_a_step', dt*n)
    a = dt*viscosity*n*n
    call frame_constant('fluids_velocity_a', a)
    call frame_constant('fluids_velocity_c', 1 + 4*a)
    a = dt*diffusion*n*n
    call frame_constant('fluids_density_a', a)
    call frame_constant('fluids_density_c', 1 + 4*a)
    call frame_enter_data('sources of u', 'fluids_x', 'copyin')
    call frame_enter_data('sources of v', 'fluids_x', 'copyin')
    call frame_enter_data('sources of d', 'fluids_x', 'copyin')
    call frame_enter_data('react', 'fluids_source_u', 'copyin')
    call frame_enter_data('react', 'fluids_source_v', 'copyin')
    call frame_enter_data('react', 'fluids_source_d', 'copyin')
  end subroutine beginBridge

  ! The fields come back; nothing else of a resident array ever does.
  subroutine endBridge
    call frame_exit_data('react', 'fluids_source_u', 'delete')
    call frame_exit_data('react', 'fluids_source_v', 'delete')
    call frame_exit_data('react', 'fluids_source_d', 'delete')
    call frame_exit_data('sources of u', 'fluids_x', 'copyout')
    call frame_exit_data('sources of v', 'fluids_x', 'copyout')
    call frame_exit_data('sources of d', 'fluids_x', 'copyout')
  end subroutine endBridge

  ! The arrays before the step, there and back.
  subroutine toDevice
    call frame_update_device('react', 'fluids_source_u')
    call frame_update_device('react', 'fluids_source_v')
    call frame_update_device('react', 'fluids_source_d')
  end subroutine toDevice

  subroutine toHost
    call frame_update_host('react', 'fluids_source_u')
    call frame_update_host('react', 'fluids_source_v')
    call frame_update_host('react', 'fluids_source_d')
  end subroutine toHost

  ! ---- sets ---------------------------------------------------------------------------------------

  subroutine sourced(set, x, s)
    character(len=*), intent(in) :: set
    real(sp), intent(inout), target :: x(0:n+1, 0:n+1), s(0:n+1, 0:n+1)
    call whole(set, 'fluids_x', 'inout', x)
    call whole(set, 'fluids_s', 'in', s)
  end subroutine sourced

  ! Red points are those where i + j + k is even, of the original where i + j is: k is 0.
  subroutine solved(set, x, rhs)
    character(len=*), intent(in) :: set
    real(sp), intent(inout), target :: x(0:n+1, 0:n+1), rhs(0:n+1, 0:n+1)
    call cells(set, 'fluids_unknown', 'inout', x)
    call cells(set, 'fluids_right', 'in', rhs)
    call frame_position(set, 1, 1, 0)
  end subroutine solved

  subroutine projected(set, u, v, p, div)
    character(len=*), intent(in) :: set
    real(sp), intent(inout), target :: u(0:n+1, 0:n+1), v(0:n+1, 0:n+1)
    real(sp), intent(inout), target :: p(0:n+1, 0:n+1), div(0:n+1, 0:n+1)
    call cells(set, 'fluids_u', 'inout', u)
    call cells(set, 'fluids_v', 'inout', v)
    call cells(set, 'fluids_p', 'inout', p)
    call cells(set, 'fluids_div', 'out', div)
  end subroutine projected

  subroutine carried(set, q, q0, u, v)
    character(len=*), intent(in) :: set
    real(sp), intent(inout), target :: q(0:n+1, 0:n+1), q0(0:n+1, 0:n+1)
    real(sp), intent(inout), target :: u(0:n+1, 0:n+1), v(0:n+1, 0:n+1)
    call cells(set, 'fluids_arrived', 'out', q)
    call cells(set, 'fluids_carried', 'in', q0)
    call cells(set, 'fluids_flow_u', 'in', u)
    call cells(set, 'fluids_flow_v', 'in', v)
    call frame_position(set, 1, 1, 1)
  end subroutine carried

  ! Of the first the border is written, its fringe; of the second cells of the interior are read.
  subroutine bordered(set, x)
    character(len=*), intent(in) :: set
    real(sp), intent(inout), target :: x(0:n+1, 0:n+1)
    call cells(set, 'fluids_edge', 'out', x)
    call cells(set, 'fluids_inside', 'in', x)
    call frame_position(set, 1, 1, 1)
  end subroutine bordered

  ! ---- arrays -------------------------------------------------------------------------------------

  ! The border among the points.
  subroutine whole(set, name, intent, x)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), intent(inout), target :: x(n + 2, n + 2, 1)
    call frame_bind(set, name, intent, x)
  end subroutine whole

  ! The border as fringe.
  subroutine cells(set, name, intent, x)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), intent(inout), target :: x(n + 2, n + 2, 1)
    call frame_bind(set, name, intent, x, sptx=2, eptx=n+1, spty=2, epty=n+1)
  end subroutine cells

end module arraysmodule
