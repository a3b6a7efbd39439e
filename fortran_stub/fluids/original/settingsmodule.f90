! What a run is: the namelist &fluids.
module settingsmodule
  implicit none
  private
  public :: readSettings

  integer, parameter, public :: sp = kind(1.0)
  integer, parameter, public :: none = 0, vertical = 1, horizontal = 2   ! boundaries

  integer, public :: n = 128                   ! cells along each side, even
  integer, public :: steps = 100
  integer, public :: sweeps = 20               ! of the linear solver
  integer, public :: every = 0                 ! steps between two frames of the density, 0: none
  real(sp), public :: dt = 0.1_sp, diffusion = 1.0e-5_sp, viscosity = 1.0e-5_sp
  real(sp), public :: force = 5.0_sp, source = 100.0_sp
  character(len=16), public :: version = 'fortran'
  character(len=256), public :: frames = 'density.dat', results = ''   ! '': not written

contains

  ! From the file that the first argument of the program names.
  subroutine readSettings
    character(len=256) :: file
    integer :: unit
    namelist /fluids/ n, steps, sweeps, every, dt, diffusion, viscosity, force, source, version, &
      frames, results
    file = 'fluids.nml'
    if (command_argument_count() > 0) call get_command_argument(1, file)
    open (newunit=unit, file=trim(file), status='old', action='read')
    read (unit, nml=fluids)
    close (unit)
    if (n < 2 .or. mod(n, 2) /= 0) error stop 'n: wanted an even number of cells'
    if (steps < 1) error stop 'steps: wanted at least 1'
    if (sweeps < 1) error stop 'sweeps: wanted at least 1'
  end subroutine readSettings

end module settingsmodule
