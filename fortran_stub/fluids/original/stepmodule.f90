! A step of the velocity, then one of the density.
module stepmodule
  use settingsmodule, only: n, dt, diffusion, viscosity, none, vertical, horizontal
  use fieldsmodule, only: u, v, d, u0, v0, d0
  use solvemodule, only: addSource, diffuse, project, advect
  implicit none
  private
  public :: step

contains

  subroutine step
    call addSource(n, u, u0, dt)
    call addSource(n, v, v0, dt)
    call diffuse(n, vertical, u0, u, viscosity, dt)
    call diffuse(n, horizontal, v0, v, viscosity, dt)
    call project(n, u0, v0, u, v)
    call advect(n, vertical, u, u0, u0, v0, dt)
    call advect(n, horizontal, v, v0, u0, v0, dt)
    call project(n, u, v, u0, v0)

    call addSource(n, d, d0, dt)
    call diffuse(n, none, d0, d, diffusion, dt)
    call advect(n, none, d, d0, u, v, dt)
  end subroutine step

end module stepmodule
