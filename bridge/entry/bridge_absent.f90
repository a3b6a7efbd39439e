! bridge_absent.f90: module `bridge` for a machine without Python or without the bridge.
!
! Compile it in place of bridge.f90 and link nothing: the solver builds and runs unchanged, and
! every call returns bridge_absent, frame_status() too. Derived from bridge.f90.
module bridge
  use, intrinsic :: iso_c_binding, only: c_int, c_double, c_char, c_ptr, c_funptr, &
      c_loc, c_funloc, c_null_char, c_null_ptr, c_associated, c_f_pointer
  use, intrinsic :: iso_fortran_env, only: output_unit, error_unit
  implicit none
  private

  integer, parameter, public :: bridge_ok = 0          ! success
  integer, parameter, public :: bridge_absent = -1     ! built with bridge_absent.f90
  integer, parameter, public :: bridge_start = -2      ! Python did not start
  integer, parameter, public :: bridge_argument = -3   ! a bad argument
  integer, parameter, public :: bridge_state = -4      ! a call out of order
  integer, parameter, public :: bridge_exception = -5  ! a Python exception
  integer, parameter, public :: bridge_mpi = -6        ! MPI is not as the call needs it
  integer, parameter, public :: bridge_device = -7     ! no such device, or it failed
  integer, parameter, public :: bridge_memory = -8     ! out of memory

  integer, save :: species = 0  ! of the frame; 0 before initialize

  public :: frame_boot, frame_initialize, frame_finalize, frame_set
  public :: frame_castles_populateinputstripe, frame_castles_populateoutputstripe
  public :: frame_castles_populatepreosshareddata, frame_castles_populatechungshareddata
  public :: frame_tvproperties_preosthermalproperties, &
      frame_tvproperties_preosrhohfromtpprop
  public :: frame_tvproperties_preosgammajacobianproperties, &
      frame_tvproperties_preosviscousproperties
  public :: frame_tvproperties_preosviscousfluxproperties, &
      frame_tvproperties_chungcalctransprop
  public :: frame_tvproperties_preoscalctfromhp, &
      frame_tvproperties_eosthermalproperties
  public :: frame_tvproperties_eosrhohfromtpprop, &
      frame_tvproperties_eoscalcrhoh0fromtp
  public :: frame_tvproperties_eosgammajacobianproperties, &
      frame_tvproperties_eosthermalandviscousproperties
  public :: frame_launch, frame_bind, frame_unbind, frame_run
  public :: frame_run_begin, frame_wait, frame_unchanged
  public :: frame_status, frame_last_error, frame_error_policy, frame_report

  interface frame_set
    module procedure set_text, set_integer, set_real, set_logical
  end interface frame_set
  interface frame_castles_populateinputstripe
    module procedure input_1, input_2, input_3, input_4
  end interface frame_castles_populateinputstripe
  interface frame_castles_populateoutputstripe
    module procedure output_1, output_2, output_3, output_4
  end interface frame_castles_populateoutputstripe
  interface frame_bind
    module procedure bind_1, bind_2, bind_3, bind_4
  end interface frame_bind

  abstract interface
    subroutine on_points(points) bind(c)
      import :: c_int
      integer(c_int), value :: points
    end subroutine on_points
    subroutine on_stripe(name, data, nx, ny, nz, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
        eptdata, stripestart, stripeend) bind(c)
      import :: c_char, c_ptr, c_int
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: data
      integer(c_int), value :: nx, ny, nz, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
      integer(c_int), value :: stripestart, stripeend
    end subroutine on_stripe
  end interface

  ! ---- Every entry is a stand-in at the end of this module

contains

  ! ---- Life cycle and settings --------------------------------------------------------------

  subroutine frame_boot(ierr)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call register_flush()
    call c_boot(address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_boot

  ! With comm, collective on it; without, nothing is.
  subroutine frame_initialize(device_id, ngridpoints, ns, nq, iturb, comm, ierr)
    integer, intent(in) :: device_id, ngridpoints, ns, nq, iturb
    integer, intent(in), optional :: comm
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call register_flush()
    if (present(comm)) then
      call c_initialize_comm(narrow(device_id), narrow(ngridpoints), narrow(ns), narrow(nq), &
          narrow(iturb), narrow(comm), address_if(present(ierr), status))
      call give(ierr, status)
    else
      call c_initialize(narrow(device_id), narrow(ngridpoints), narrow(ns), narrow(nq), &
          narrow(iturb))
      call give(ierr, c_status())
    end if
    if (c_status() == bridge_ok) species = ns
  end subroutine frame_initialize

  subroutine frame_finalize(ierr)
    integer, intent(out), optional :: ierr
    call c_finalize()
    call give(ierr, c_status())
  end subroutine frame_finalize

  subroutine set_text(key, value, ierr)
    character(len=*), intent(in) :: key, value
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call register_flush()
    call c_set(c_text(key), c_text(value), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine set_text

  subroutine set_integer(key, value, ierr)
    character(len=*), intent(in) :: key
    integer, intent(in) :: value
    integer, intent(out), optional :: ierr
    character(len=24) :: text
    write (text, '(i0)') value
    call set_text(key, text, ierr)
  end subroutine set_integer

  subroutine set_real(key, value, ierr)
    character(len=*), intent(in) :: key
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(len=32) :: text
    write (text, '(es25.16e3)') value
    call set_text(key, adjustl(text), ierr)
  end subroutine set_real

  subroutine set_logical(key, value, ierr)
    character(len=*), intent(in) :: key
    logical, intent(in) :: value
    integer, intent(out), optional :: ierr
    call set_text(key, trim(merge('true ', 'false', value)), ierr)
  end subroutine set_logical

  ! ---- Views: stripes and species constants -------------------------------------------------

  subroutine input_1(name, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: data(:)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_input, 'input', name, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine input_1

  subroutine input_2(name, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: data(:, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_input, 'input', name, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine input_2

  subroutine input_3(name, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: data(:, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_input, 'input', name, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine input_3

  subroutine input_4(name, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: data(:, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_input, 'input', name, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine input_4

  subroutine output_1(name, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(inout), target :: data(:)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_output, 'output', name, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine output_1

  subroutine output_2(name, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(inout), target :: data(:, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_output, 'output', name, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine output_2

  subroutine output_3(name, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(inout), target :: data(:, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_output, 'output', name, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine output_3

  subroutine output_4(name, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(inout), target :: data(:, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_output, 'output', name, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine output_4

  ! Every rank ends here: c_entry with what the caller gave and the whole array for the rest.
  subroutine stripe(c_entry, way, name, address, extent, contiguous, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, stripestart, stripeend, ierr)
    procedure(on_stripe) :: c_entry
    character(len=*), intent(in) :: way, name
    type(c_ptr), intent(in) :: address
    integer, intent(in) :: extent(:)
    logical, intent(in) :: contiguous
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    integer(c_int) :: b(12), points
    if (refused('frame_castles_populate' // way // 'stripe', name, &
        contiguous .or. any(extent == 0), ierr)) return
    b = box(extent, .false., sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata)
    points = product(max(0_c_int, b(5:9:2) - b(4:8:2) + 1_c_int))
    call c_entry(c_text(name), address, b(1), b(2), b(3), b(4), b(5), b(6), b(7), b(8), b(9), &
        b(10), b(11), either(stripestart, 1_c_int), either(stripeend, points))
    call give(ierr, c_status())
  end subroutine stripe

  ! SI: W kg/mol, Tc K, Pc Pa; nasa7(17, ns) = Tlow, Tmid, Thigh, low a1..a7, high a1..a7.
  subroutine frame_castles_populatepreosshareddata(W, Tc, Pc, omega, nasa7, kij, ierr)
    real(c_double), intent(in), contiguous :: W(:), Tc(:), Pc(:), omega(:), nasa7(:, :)
    real(c_double), intent(in), contiguous, optional :: kij(:, :)
    integer, intent(out), optional :: ierr
    character(len=*), parameter :: entry = 'frame_castles_populatepreosshareddata'
    integer :: ns
    ns = merge(species, size(W), species > 0)
    if (misshapen(entry, 'W', shape(W), [ns], ierr)) return
    if (misshapen(entry, 'Tc', shape(Tc), [ns], ierr)) return
    if (misshapen(entry, 'Pc', shape(Pc), [ns], ierr)) return
    if (misshapen(entry, 'omega', shape(omega), [ns], ierr)) return
    if (misshapen(entry, 'nasa7', shape(nasa7), [17, ns], ierr)) return
    if (present(kij)) then
      if (misshapen(entry, 'kij', shape(kij), [ns, ns], ierr)) return
    end if
    call c_preos(W, Tc, Pc, omega, nasa7, kij)
    call give(ierr, c_status())
  end subroutine frame_castles_populatepreosshareddata

  ! Vc m3/mol, dipole debye, kappa -.
  subroutine frame_castles_populatechungshareddata(Vc, dipole, kappa, ierr)
    real(c_double), intent(in), contiguous :: Vc(:), dipole(:), kappa(:)
    integer, intent(out), optional :: ierr
    character(len=*), parameter :: entry = 'frame_castles_populatechungshareddata'
    integer :: ns
    ns = merge(species, size(Vc), species > 0)
    if (misshapen(entry, 'Vc', shape(Vc), [ns], ierr)) return
    if (misshapen(entry, 'dipole', shape(dipole), [ns], ierr)) return
    if (misshapen(entry, 'kappa', shape(kappa), [ns], ierr)) return
    call c_chung(Vc, dipole, kappa)
    call give(ierr, c_status())
  end subroutine frame_castles_populatechungshareddata

  ! ---- Composites and kernels -----------------------------------------------------------------

  subroutine frame_tvproperties_preosthermalproperties(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_preosthermalproperties(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_preosthermalproperties

  subroutine frame_tvproperties_preosrhohfromtpprop(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_preosrhohfromtpprop(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_preosrhohfromtpprop

  subroutine frame_tvproperties_preosgammajacobianproperties(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_preosgammajacobianproperties(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_preosgammajacobianproperties

  subroutine frame_tvproperties_preosviscousproperties(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_preosviscousproperties(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_preosviscousproperties

  subroutine frame_tvproperties_preosviscousfluxproperties(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_preosviscousfluxproperties(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_preosviscousfluxproperties

  subroutine frame_tvproperties_chungcalctransprop(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_chungcalctransprop(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_chungcalctransprop

  subroutine frame_tvproperties_preoscalctfromhp(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_preoscalctfromhp(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_preoscalctfromhp

  subroutine frame_tvproperties_eosthermalproperties(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_eosthermalproperties(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_eosthermalproperties

  subroutine frame_tvproperties_eosrhohfromtpprop(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_eosrhohfromtpprop(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_eosrhohfromtpprop

  subroutine frame_tvproperties_eoscalcrhoh0fromtp(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_eoscalcrhoh0fromtp(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_eoscalcrhoh0fromtp

  subroutine frame_tvproperties_eosgammajacobianproperties(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_eosgammajacobianproperties(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_eosgammajacobianproperties

  subroutine frame_tvproperties_eosthermalandviscousproperties(nactivepoints, ierr)
    integer, intent(in) :: nactivepoints
    integer, intent(out), optional :: ierr
    call c_eosthermalandviscousproperties(narrow(nactivepoints))
    call give(ierr, c_status())
  end subroutine frame_tvproperties_eosthermalandviscousproperties

  subroutine frame_launch(kernel, n, ierr)
    character(len=*), intent(in) :: kernel
    integer, intent(in) :: n
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_launch(c_text(kernel), narrow(n), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_launch

  ! ---- Bound arrays ---------------------------------------------------------------------------

  subroutine bind_1(set, name, intent, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_any(set, name, intent, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_1

  subroutine bind_2(set, name, intent, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_any(set, name, intent, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_2

  subroutine bind_3(set, name, intent, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_any(set, name, intent, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_3

  subroutine bind_4(set, name, intent, data, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_any(set, name, intent, c_loc(data), shape(data), is_contiguous(data), &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_4

  ! Every rank ends here. component_first: data(nData, nx, ny, nz) or data(nData, n).
  subroutine bind_any(set, name, intent, address, extent, contiguous, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    type(c_ptr), intent(in) :: address
    integer, intent(in) :: extent(:)
    logical, intent(in) :: contiguous
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    integer(c_int) :: b(12)
    integer(c_int), target :: status
    real(c_double) :: factor
    logical :: first
    if (refused('frame_bind', name, contiguous .or. any(extent == 0), ierr)) return
    first = .false.
    if (present(component_first)) first = component_first
    factor = 1.0_c_double
    if (present(scale)) factor = scale
    b = box(extent, first, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata)
    call c_bind(c_text(set), c_text(name), c_text(intent), address, b, factor, &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine bind_any

  subroutine frame_unbind(set, name, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_unbind(c_text(set), c_text(name), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_unbind

  subroutine frame_run(set, composite, ierr)
    character(len=*), intent(in) :: set, composite
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_run(c_text(set), c_text(composite), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_run

  ! The set's arrays are the bridge's until frame_wait, but for their fringes.
  subroutine frame_run_begin(set, composite, ierr)
    character(len=*), intent(in) :: set, composite
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_run_begin(c_text(set), c_text(composite), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_run_begin

  subroutine frame_wait(set, ierr)
    character(len=*), intent(in) :: set
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_wait(c_text(set), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_wait

  subroutine frame_unchanged(set, name, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_unchanged(c_text(set), c_text(name), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_unchanged

  ! ---- Outcome --------------------------------------------------------------------------------

  integer function frame_status()
    frame_status = int(c_status())
  end function frame_status

  subroutine frame_last_error(buffer)
    character(len=*), intent(out) :: buffer
    call c_last_error(buffer, len(buffer, kind=c_int))
  end subroutine frame_last_error

  subroutine frame_error_policy(policy, ierr)
    character(len=*), intent(in) :: policy
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call register_flush()
    call c_error_policy(c_text(policy), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_error_policy

  subroutine frame_report(ierr)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_report(address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_report

  ! ---- Small change ---------------------------------------------------------------------------

  ! nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData, nData of bridge.h.
  function box(extent, component_first, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata) result(b)
    integer, intent(in) :: extent(:)
    logical, intent(in) :: component_first
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer(c_int) :: b(12), n(3), components
    integer :: dimensions, first
    dimensions = merge(1, 3, size(extent) < 3)
    components = 1
    first = 1
    if (size(extent) > dimensions) then
      if (component_first) first = 2
      components = narrow(extent(merge(1, size(extent), component_first)))
    end if
    n = 1
    n(:dimensions) = int(extent(first:first + dimensions - 1), c_int)
    b(1:3) = n
    b(4:5) = [either(sptx, 1_c_int), either(eptx, n(1))]
    b(6:7) = [either(spty, 1_c_int), either(epty, n(2))]
    b(8:9) = [either(sptz, 1_c_int), either(eptz, n(3))]
    b(10:11) = [either(sptdata, 1_c_int), either(eptdata, components)]
    b(12) = merge(-components, components, first == 2)
  end function box

  ! The bridge works on addresses: of an array with holes it would read the wrong numbers.
  logical function refused(entry, name, contiguous, ierr)
    character(len=*), intent(in) :: entry, name
    logical, intent(in) :: contiguous
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    refused = .not. contiguous
    if (contiguous) return
    call c_refuse(c_text(entry), c_text('data of ' // trim(name)), &
        c_text('an array that is not contiguous'), c_text('a contiguous array'), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end function refused

  ! The bridge reads ns entries of a species constant: of a shorter array, memory beyond it.
  logical function misshapen(entry, argument, got, wanted, ierr)
    character(len=*), intent(in) :: entry, argument
    integer, intent(in) :: got(:), wanted(:)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    character(len=48) :: shapes(2)
    misshapen = any(got /= wanted)
    if (.not. misshapen) return
    write (shapes(1), '("shape (", i0, *(:, ", ", i0))') got
    write (shapes(2), '("shape (", i0, *(:, ", ", i0))') wanted
    call c_refuse(c_text(entry), c_text(argument), c_text(trim(shapes(1)) // ')'), &
        c_text(trim(shapes(2)) // ')'), address_if(present(ierr), status))
    call give(ierr, status)
  end function misshapen

  function c_text(text)
    character(len=*), intent(in) :: text
    character(kind=c_char, len=len_trim(text) + 1) :: c_text
    c_text = trim(text) // c_null_char
  end function c_text

  ! Null tells the bridge that nobody reads the status.
  type(c_ptr) function address_if(wanted, status)
    logical, intent(in) :: wanted
    integer(c_int), intent(inout), target :: status
    status = 0
    address_if = c_null_ptr
    if (wanted) address_if = c_loc(status)
  end function address_if

  subroutine give(ierr, status)
    integer, intent(out), optional :: ierr
    integer(c_int), intent(in) :: status
    if (present(ierr)) ierr = int(status)
  end subroutine give

  integer(c_int) function either(given, otherwise)
    integer, intent(in), optional :: given
    integer(c_int), intent(in) :: otherwise
    either = otherwise
    if (present(given)) either = narrow(given)
  end function either

  ! With -fdefault-integer-8 a value may exceed C's range; its end is refused as well.
  elemental integer(c_int) function narrow(value)
    integer, intent(in) :: value
    integer, parameter :: largest = int(huge(0_c_int))
    narrow = int(max(-largest, min(largest, value)), c_int)
  end function narrow

  subroutine register_flush()
    logical, save :: registered = .false.
    if (.not. registered) call c_on_flush(c_funloc(flush_units))
    registered = .true.
  end subroutine register_flush

  subroutine flush_units() bind(c, name="")
    flush (output_unit)
    flush (error_unit)
  end subroutine flush_units

  ! ---- What stands in for libbridge.so --------------------------------------------------------

  subroutine c_boot(ierr) bind(c, name='')
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_boot

  subroutine c_initialize(device_id, ngridpoints, ns, nq, iturb) bind(c, name='')
    integer(c_int), value :: device_id, ngridpoints, ns, nq, iturb
  end subroutine c_initialize

  subroutine c_initialize_comm(device_id, ngridpoints, ns, nq, iturb, comm, ierr) bind(c, name='')
    integer(c_int), value :: device_id, ngridpoints, ns, nq, iturb, comm
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_initialize_comm

  subroutine c_finalize() bind(c, name='')
  end subroutine c_finalize

  subroutine c_set(key, value, ierr) bind(c, name='')
    character(kind=c_char), intent(in) :: key(*), value(*)
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_set

  subroutine c_preos(w, tc, pc, omega, nasa7, kij) bind(c, name='')
    real(c_double), intent(in) :: w(*), tc(*), pc(*), omega(*), nasa7(*)
    real(c_double), intent(in), optional :: kij(*)
  end subroutine c_preos

  subroutine c_chung(vc, dipole, kappa) bind(c, name='')
    real(c_double), intent(in) :: vc(*), dipole(*), kappa(*)
  end subroutine c_chung

  subroutine c_launch(kernel, n, ierr) bind(c, name='')
    character(kind=c_char), intent(in) :: kernel(*)
    integer(c_int), value :: n
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_launch

  subroutine c_bind(set, name, intent, data, bounds, scale, ierr) bind(c, name='')
    character(kind=c_char), intent(in) :: set(*), name(*), intent(*)
    type(c_ptr), value :: data
    integer(c_int), intent(in) :: bounds(12)
    real(c_double), value :: scale
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_bind

  subroutine c_unbind(set, name, ierr) bind(c, name='')
    character(kind=c_char), intent(in) :: set(*), name(*)
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_unbind

  subroutine c_run(set, composite, ierr) bind(c, name='')
    character(kind=c_char), intent(in) :: set(*), composite(*)
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_run

  subroutine c_run_begin(set, composite, ierr) bind(c, name='')
    character(kind=c_char), intent(in) :: set(*), composite(*)
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_run_begin

  subroutine c_wait(set, ierr) bind(c, name='')
    character(kind=c_char), intent(in) :: set(*)
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_wait

  subroutine c_unchanged(set, name, ierr) bind(c, name='')
    character(kind=c_char), intent(in) :: set(*), name(*)
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_unchanged

  integer(c_int) function c_status() bind(c, name='')
    c_status = bridge_absent
  end function c_status

  subroutine c_last_error(buffer, length) bind(c, name='')
    character(kind=c_char), intent(out) :: buffer(*)
    integer(c_int), value :: length
    character(len=*), parameter :: message = &
        'this program was built with bridge_absent.f90: there is no bridge in it'
    integer :: i
    buffer(:length) = ' '
    do i = 1, min(int(length), len(message))
      buffer(i) = message(i:i)
    end do
  end subroutine c_last_error

  subroutine c_error_policy(policy, ierr) bind(c, name='')
    character(kind=c_char), intent(in) :: policy(*)
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_error_policy

  subroutine c_report(ierr) bind(c, name='')
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_report

  subroutine c_refuse(entry, argument, got, wanted, ierr) bind(c, name='')
    character(kind=c_char), intent(in) :: entry(*), argument(*), got(*), wanted(*)
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_refuse

  subroutine c_on_flush(flush_units) bind(c, name='')
    type(c_funptr), value :: flush_units
  end subroutine c_on_flush

  subroutine c_input(name, data, nx, ny, nz, sptx, eptx, spty, epty, sptz, eptz, &
      sptdata, eptdata, stripestart, stripeend) bind(c, name='')
    character(kind=c_char), intent(in) :: name(*)
    type(c_ptr), value :: data
    integer(c_int), value :: nx, ny, nz, sptx, eptx, spty, epty, sptz, eptz
    integer(c_int), value :: sptdata, eptdata, stripestart, stripeend
  end subroutine c_input

  subroutine c_output(name, data, nx, ny, nz, sptx, eptx, spty, epty, sptz, eptz, &
      sptdata, eptdata, stripestart, stripeend) bind(c, name='')
    character(kind=c_char), intent(in) :: name(*)
    type(c_ptr), value :: data
    integer(c_int), value :: nx, ny, nz, sptx, eptx, spty, epty, sptz, eptz
    integer(c_int), value :: sptdata, eptdata, stripestart, stripeend
  end subroutine c_output

  subroutine c_preosthermalproperties(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_preosthermalproperties

  subroutine c_preosrhohfromtpprop(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_preosrhohfromtpprop

  subroutine c_preosgammajacobianproperties(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_preosgammajacobianproperties

  subroutine c_preosviscousproperties(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_preosviscousproperties

  subroutine c_preosviscousfluxproperties(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_preosviscousfluxproperties

  subroutine c_chungcalctransprop(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_chungcalctransprop

  subroutine c_preoscalctfromhp(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_preoscalctfromhp

  subroutine c_eosthermalproperties(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_eosthermalproperties

  subroutine c_eosrhohfromtpprop(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_eosrhohfromtpprop

  subroutine c_eoscalcrhoh0fromtp(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_eoscalcrhoh0fromtp

  subroutine c_eosgammajacobianproperties(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_eosgammajacobianproperties

  subroutine c_eosthermalandviscousproperties(points) bind(c, name='')
    integer(c_int), value :: points
  end subroutine c_eosthermalandviscousproperties

  subroutine tell_absent(ierr)
    type(c_ptr), intent(in) :: ierr
    integer(c_int), pointer :: status
    if (.not. c_associated(ierr)) return
    call c_f_pointer(ierr, status)
    status = bridge_absent
  end subroutine tell_absent

end module bridge
