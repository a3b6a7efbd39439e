! The fields: velocity and density, and those before the step, which begin as its sources and end
! as what its solvers worked in. One layer of border around the n x n cells.
module fieldsmodule
  use settingsmodule, only: sp, n
  implicit none
  private
  public :: allocateFields, clearFields

  real(sp), allocatable, target, public :: u(:, :), v(:, :), d(:, :)
  real(sp), allocatable, target, public :: u0(:, :), v0(:, :), d0(:, :)

contains

  subroutine allocateFields
    allocate (u(0:n+1, 0:n+1), v(0:n+1, 0:n+1), d(0:n+1, 0:n+1))
    allocate (u0(0:n+1, 0:n+1), v0(0:n+1, 0:n+1), d0(0:n+1, 0:n+1))
    call clearFields
  end subroutine allocateFields

  ! A fluid at rest, without density.
  subroutine clearFields
    u = 0
    v = 0
    d = 0
    u0 = 0
    v0 = 0
    d0 = 0
  end subroutine clearFields

end module fieldsmodule
