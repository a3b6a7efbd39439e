! bridge.f90: module `bridge`, the contract of bridge.h for Fortran 2008 and later.
!
! Shipped as source, because a .mod file belongs to one compiler:
!   gfortran $(bridge-config --fsource) solver.f90 $(bridge-config --fflags --libs)
!
! Every procedure has the name of its entry in bridge.h without the last underscore, keyword
! arguments, and an optional `ierr` at the end. Arrays are real(c_double), contiguous, of rank 1
! to 4: ranks 1 and 3 hold one component, the last dimension of ranks 2 and 4 counts components.
! frame_bind also takes real(c_float) and integer(c_int), ranks up to 7 (three dimensions are
! points, all others count components) and sections. Without bounds the whole array is taken. An
! array of size 0 is an empty block: a rank that owns nothing makes the same calls as the others,
! with allocated arrays. Every size and position of bridge.h is a C int: what does not fit is
! refused by name.
!
! An array given to frame_bind must have the TARGET attribute in every scope that reads or writes
! it while it is bound, because frame_run changes it and the compiler does not see that. No other
! attribute is enough, and frame_bind takes nothing else: its dummy is a POINTER with INTENT(IN).
!
! Three modules: bridge_layouts and bridge_procedures, written by hand, and over them `bridge`,
! which a program uses. The entries in libbridge.so are declared in bridge_interfaces.f90, which is
! compiled before.

! How an array lies in memory, as bridge.h says it. Arithmetic alone.
module bridge_layouts
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_int64_t, c_ptr
  implicit none
  private

  ! Types of bridge.h.
  integer(c_int), parameter, public :: type_float64 = 1, type_float32 = 2, type_int32 = 3

  ! points: along x, y, z, and components, of what the caller gives; extent, n_data: of bridge.h's
  ! bounds, those of the array that a section is part of; wrong: 0, or the dimension of which the
  ! bounds cannot say where its elements lie.
  type, public :: array_layout
    integer(c_int64_t) :: points(3), components, extent(3), n_data
    integer :: wrong
  end type array_layout

  public :: counted, whole, section, has_holes

contains

  ! Of a contiguous array. Ranks 1 and 2 have one dimension of points, others three, which are the
  ! first ones or with component_first the last ones; all others together count components.
  type(array_layout) function whole(extent, component_first)
    integer(c_int64_t), intent(in) :: extent(:)
    logical, intent(in) :: component_first
    integer :: n, first
    n = axes(extent)
    first = merge(size(extent) - n + 1, 1, component_first)
    whole%points = 1
    whole%points(:n) = extent(first:first + n - 1)
    whole%extent = whole%points
    whole%components = counted([extent(:first - 1), extent(first + n:)])
    whole%n_data = merge(-whole%components, whole%components, first > 1)
    whole%wrong = 0
  end function whole

  ! Of a section with elements `stride` elements apart along each dimension (any where there is one
  ! position): rows, planes and components that lie at whole multiples are part of a larger array.
  type(array_layout) function section(extent, stride, component_first)
    integer(c_int64_t), intent(in) :: extent(:), stride(:)
    logical, intent(in) :: component_first
    integer(c_int64_t) :: s(size(extent))
    integer :: n, first, d, last
    section = whole(extent, component_first)
    n = axes(extent)
    first = merge(size(extent) - n + 1, 1, component_first)
    last = 1
    do d = 1, size(extent)
      if (extent(d) > 1) last = d
      if (extent(d) > 1 .and. stride(d) < 1) section%wrong = d
    end do
    if (section%wrong > 0) return
    ! one position adds nothing: it has the stride of the next dimension, the last one of the rest
    s = stride
    do d = last - 1, 1, -1
      if (extent(d) == 1) s(d) = s(d + 1)
    end do
    if (extent(1) == 1) s(1) = 1
    do d = last + 1, size(extent)
      s(d) = s(d - 1)*extent(d - 1)
    end do
    do d = 2, size(extent)
      if (d > first .and. d <= first + n - 1) then
        section%extent(d - first) = s(d)/s(d - 1)
        if (mod(s(d), s(d - 1)) /= 0 .or. s(d) < s(d - 1)*extent(d - 1)) section%wrong = d
      else if (d == first + n) then
        if (section%components == 1) cycle
        section%extent(n) = s(d)/s(d - 1)
        if (mod(s(d), s(d - 1)) /= 0 .or. s(d) < s(d - 1)*extent(d - 1)) section%wrong = d
      else if (d /= first) then
        if (s(d) /= s(d - 1)*extent(d - 1)) section%wrong = d
      end if
    end do
    if (first > 1) then
      if (s(1) /= 1) section%wrong = 1
      if (s(first) < section%components) section%wrong = first
      section%n_data = -s(first)
    else if (s(1) > 1) then   ! one component of several of a point
      section%n_data = -s(1)
      if (section%components > 1) section%wrong = 1
    end if
  end function section

  ! Whether an array that is there is not contiguous.
  logical function has_holes(address, extent, contiguous)
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: extent(:)
    logical, intent(in) :: contiguous
    has_holes = c_associated(address) .and. .not. contiguous .and. all(extent > 0)
  end function has_holes

  ! Dimensions of points.
  integer function axes(extent)
    integer(c_int64_t), intent(in) :: extent(:)
    axes = merge(1, 3, size(extent) < 3)
  end function axes

  ! The product, or the largest number where it is larger.
  integer(c_int64_t) function counted(extent)
    integer(c_int64_t), intent(in) :: extent(:)
    integer :: d
    counted = 1
    do d = 1, size(extent)
      if (extent(d) > 0) then
        if (counted > huge(counted)/extent(d)) then
          counted = huge(counted)
          return
        end if
      end if
      counted = counted*extent(d)
    end do
  end function counted

end module bridge_layouts

module bridge_procedures
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_intptr_t, c_double, c_char, c_ptr, &
      c_loc, c_f_pointer, c_funloc, c_null_char, c_null_ptr, c_associated
  use, intrinsic :: iso_fortran_env, only: output_unit, error_unit
  use bridge_interfaces
  use bridge_layouts
  implicit none
  private

  ! Of bridge.h's bounds, in their order.
  character(len=*), parameter :: bound_names(12) = [character(len=7) :: 'nx', 'ny', 'nz', &
      'SptX', 'EptX', 'SptY', 'EptY', 'SptZ', 'EptZ', 'SptData', 'EptData', 'nData']

  integer, save :: species = 0  ! of the frame; 0 before initialize

  ! Of the contract: module bridge has the other names.
  public :: frame_boot, frame_initialize, frame_finalize, frame_set
  public :: frame_castles_populatepreosshareddata, frame_castles_populatechungshareddata
  public :: frame_launch, frame_unbind, frame_run, frame_run_begin, frame_wait, frame_unchanged
  public :: frame_position, frame_position_blocks, frame_bind_from, frame_run_colour
  public :: frame_run_several
  public :: frame_enter_data, frame_exit_data, frame_device_address
  public :: frame_exchange_plan, frame_exchange, frame_exchange_begin, frame_exchange_wait
  public :: frame_sequence_begin, frame_sequence_end, frame_sequence_run
  public :: frame_reduce, frame_allreduce, frame_reduce_several, frame_allreduce_several
  public :: frame_gather, frame_scatter, frame_scan, frame_split, frame_sort_by_key
  public :: frame_transpose
  public :: frame_compare_begin, frame_compare_begin_sets, frame_compare, frame_compare_numbers
  public :: frame_compare_without, frame_record, frame_record_write
  public :: frame_constants, frame_python, frame_allreduce_constant, frame_constant_value
  public :: frame_status, frame_last_error, frame_error_policy, frame_report
  public :: frame_doctor, frame_fingerprint
  public :: frame_status_counts, frame_status_points, frame_status_policy
  public :: frame_probe
  ! For module bridge.
  public :: stripe, bind_any, bind_blocks_any, narrow, give
  public :: constant_real, constant_integer, constant_logical, table_any
  public :: update_any, pack_any, as_list

  interface frame_status_counts
    module procedure status_counts_4, status_counts_8
  end interface frame_status_counts

  interface frame_set
    module procedure set_text, set_integer, set_real, set_logical
  end interface frame_set

  interface frame_run
    module procedure run_all, run_box, run_boxes
  end interface frame_run
  interface frame_run_begin
    module procedure begin_all, begin_box, begin_boxes
  end interface frame_run_begin

  interface frame_device_address
    module procedure device_pointer, device_number
  end interface frame_device_address

  interface frame_reduce
    module procedure reduce_real, reduce_each, reduce_integer, reduce_integers, reduce_logical
  end interface frame_reduce

  ! Values of several components have the point first: values(point, component).
  interface frame_gather
    module procedure gather_real_1, gather_real_2, gather_integer
  end interface frame_gather

  interface frame_scatter
    module procedure scatter_real_1, scatter_real_2, scatter_integer
  end interface frame_scatter

  interface frame_scan
    module procedure scan_real_1, scan_real_2, scan_integer
  end interface frame_scan

  interface frame_allreduce
    module procedure allreduce_real, allreduce_each, allreduce_integer, allreduce_integers, &
        allreduce_logical
  end interface frame_allreduce

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

  ! Every rank ends here: c_entry with what the caller gave and the whole array for the rest.
  subroutine stripe(c_entry, entry, name, address, extent, contiguous, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, stripestart, stripeend, ierr)
    procedure(c_populateinputstripe) :: c_entry
    character(len=*), intent(in) :: entry, name
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: extent(:)
    logical, intent(in) :: contiguous
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: b(12), interior(3), first, last
    integer(c_int) :: c(13)
    if (refused(entry, name, address, contiguous .or. any(extent == 0), ierr)) return
    b = box(whole(extent, .false.), sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata)
    if (too_large(entry, bound_names, b, ierr)) return
    first = either(stripestart, 1_c_int64_t)
    if (present(stripeend)) then
      last = either(stripeend, 0_c_int64_t)
    else
      interior = max(0_c_int64_t, b(5:9:2) - b(4:8:2) + 1_c_int64_t)
      if (too_many(entry, interior, ierr)) return
      last = product(interior)
    end if
    if (too_large(entry, [character(len=11) :: 'stripeStart', 'stripeEnd'], [first, last], &
        ierr)) return
    c = int([b(:11), first, last], c_int)
    call c_entry(c_text(name), address, c(1), c(2), c(3), c(4), c(5), c(6), c(7), c(8), c(9), &
        c(10), c(11), c(12), c(13))
    call give(ierr, c_status())
  end subroutine stripe

  ! SI: W kg/mol, Tc K, Pc Pa; nasa7(17, ns) = Tlow, Tmid, Thigh, low a1..a7, high a1..a7.
  subroutine frame_castles_populatepreosshareddata(W, Tc, Pc, omega, nasa7, kij, ierr)
    real(c_double), intent(in), target :: W(:), Tc(:), Pc(:), omega(:)
    real(c_double), intent(in), target :: nasa7(:, :)
    real(c_double), intent(in), target, optional :: kij(:, :)
    integer, intent(out), optional :: ierr
    character(len=*), parameter :: entry = 'frame_castles_populatepreosshareddata'
    integer :: ns
    ns = merge(species, size(W), species > 0)
    if (misshapen(entry, 'W', c_loc(W), &
        shape(W, kind=c_int64_t), [ns], ierr)) return
    if (misshapen(entry, 'Tc', c_loc(Tc), &
        shape(Tc, kind=c_int64_t), [ns], ierr)) return
    if (misshapen(entry, 'Pc', c_loc(Pc), &
        shape(Pc, kind=c_int64_t), [ns], ierr)) return
    if (misshapen(entry, 'omega', c_loc(omega), &
        shape(omega, kind=c_int64_t), [ns], ierr)) return
    if (misshapen(entry, 'nasa7', c_loc(nasa7), &
        shape(nasa7, kind=c_int64_t), [17, ns], ierr)) return
    if (present(kij)) then
      if (misshapen(entry, 'kij', c_loc(kij), &
          shape(kij, kind=c_int64_t), [ns, ns], ierr)) return
    end if
    call c_populatepreosshareddata(W, Tc, Pc, omega, nasa7, kij)
    call give(ierr, c_status())
  end subroutine frame_castles_populatepreosshareddata

  ! Vc m3/mol, dipole debye, kappa -.
  subroutine frame_castles_populatechungshareddata(Vc, dipole, kappa, ierr)
    real(c_double), intent(in), target :: Vc(:), dipole(:), kappa(:)
    integer, intent(out), optional :: ierr
    character(len=*), parameter :: entry = 'frame_castles_populatechungshareddata'
    integer :: ns
    ns = merge(species, size(Vc), species > 0)
    if (misshapen(entry, 'Vc', c_loc(Vc), &
        shape(Vc, kind=c_int64_t), [ns], ierr)) return
    if (misshapen(entry, 'dipole', c_loc(dipole), &
        shape(dipole, kind=c_int64_t), [ns], ierr)) return
    if (misshapen(entry, 'kappa', c_loc(kappa), &
        shape(kappa, kind=c_int64_t), [ns], ierr)) return
    call c_populatechungshareddata(Vc, dipole, kappa)
    call give(ierr, c_status())
  end subroutine frame_castles_populatechungshareddata

  ! ---- Composites and kernels -----------------------------------------------------------------

  subroutine frame_launch(kernel, n, ierr)
    character(len=*), intent(in) :: kernel
    integer, intent(in) :: n
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_launch(c_text(kernel), narrow(n), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_launch

  ! ---- Bound arrays ---------------------------------------------------------------------------

  ! Every type and rank ends here. component_first: data(nData, nx, ny, nz) or data(nData, n); next:
  ! one element further along each dimension, or `address` again where the array has no holes.
  subroutine bind_any(set, name, intent, type, address, extent, next, &
      sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: address, next(:)
    integer(c_int64_t), intent(in) :: extent(:)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(array_layout) :: layout
    integer(c_int64_t) :: b(12)
    integer(c_int), target :: status
    integer(c_int) :: code
    real(c_double) :: factor
    logical :: first
    if (refused('frame_bind', name, address, .true., ierr)) return
    first = .false.
    if (present(component_first)) first = component_first
    factor = 1.0_c_double
    if (present(scale)) factor = scale
    layout = layout_of(type, address, extent, next, first)
    if (inexpressible(name, layout, ierr)) return
    b = box(layout, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata)
    if (too_large('frame_bind', bound_names, b, ierr)) return
    if (outside(layout, b, ierr)) return
    code = type
    if (any(transfer(next, [0_c_intptr_t]) /= transfer(address, 0_c_intptr_t))) code = type + 10
    if (code == type_float64) then
      call c_bind(c_text(set), c_text(name), c_text(intent), address, int(b, c_int), factor, &
          address_if(present(ierr), status))
    else
      call c_bind_typed(c_text(set), c_text(name), c_text(intent), code, address, &
          int(b, c_int), factor, address_if(present(ierr), status))
    end if
    call give(ierr, status)
  end subroutine bind_any

  ! Every type and rank of many blocks ends here.
  subroutine bind_blocks_any(set, name, intent, type, address, extent, contiguous, nb, bounds, &
      offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: extent(:)
    logical, intent(in) :: contiguous
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    character(len=*), parameter :: entry = 'frame_bind_blocks'
    integer(c_int), target :: status
    real(c_double) :: factor
    integer :: b
    if (refused(entry, name, address, contiguous .or. any(extent == 0), ierr)) return
    if (too_few_of(entry, 'bounds', size(bounds, 1), 12, ierr)) return
    if (too_few_of(entry, 'bounds', size(bounds, 2), nb, ierr)) return
    if (too_few_of(entry, 'offsets', size(offsets), nb, ierr)) return
    do b = 1, nb
      if (too_large(entry, bound_names, int(bounds(:12, b), c_int64_t), ierr)) return
      if (beyond(entry, b, bounds(:12, b), offsets(b), counted(extent), ierr)) return
    end do
    factor = 1.0_c_double
    if (present(scale)) factor = scale
    call c_bind_blocks_typed(c_text(set), c_text(name), c_text(intent), type, address, &
        narrow(nb), narrow(reshape(bounds(:12, :max(nb, 0)), [12*max(nb, 0)])), &
        offsets, factor, address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine bind_blocks_any

  logical function too_few_of(entry, argument, got, wanted, ierr)
    character(len=*), intent(in) :: entry, argument
    integer, intent(in) :: got, wanted
    integer, intent(out), optional :: ierr
    character(len=40) :: have, want
    too_few_of = got < wanted
    if (.not. too_few_of) return
    write (have, '("an extent of ", i0)') got
    write (want, '(i0)') wanted
    call refuse(entry, argument, have, 'at least ' // want, ierr)
  end function too_few_of

  ! A block that ends behind its memory: nobody else knows where that is.
  logical function beyond(entry, block, bounds, offset, elements, ierr)
    character(len=*), intent(in) :: entry
    integer, intent(in) :: block, bounds(12)
    integer(c_int64_t), intent(in) :: offset, elements
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: n
    character(len=80) :: got, wanted
    n = counted(int([max(bounds(:3), 0), abs(bounds(12))], c_int64_t))
    beyond = n > 0 .and. (offset < 0 .or. n > elements .or. offset > elements - n)
    if (.not. beyond) return
    write (got, '(i0, " of block ", i0, " of ", i0, " elements")') offset, block, n
    write (wanted, '("blocks within the ", i0, " elements of data")') elements
    call refuse(entry, 'offsets', got, wanted, ierr)
  end function beyond

  ! shift: of this set's first interior point from that of set `from`; none where left out.
  subroutine frame_bind_from(set, name, from, shift, ierr)
    character(len=*), intent(in) :: set, name, from
    integer, intent(in), optional :: shift(3)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    integer(c_int) :: by(3)
    by = 0
    if (present(shift)) by = narrow(shift)
    call c_bind_from(c_text(set), c_text(name), c_text(from), by, address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_bind_from

  subroutine frame_unbind(set, name, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_unbind(c_text(set), c_text(name), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_unbind

  ! box: first and last point along x, y and z, counted from 1 at the first interior point; for
  ! several boxes six of each, box(6, n).
  subroutine run_all(set, composite, ierr)
    character(len=*), intent(in) :: set, composite
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_run(c_text(set), c_text(composite), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine run_all

  subroutine run_box(set, composite, box, ierr)
    character(len=*), intent(in) :: set, composite
    integer, intent(in) :: box(:)
    integer, intent(out), optional :: ierr
    call run_parts(set, composite, box, size(box), ierr)
  end subroutine run_box

  subroutine run_boxes(set, composite, box, ierr)
    character(len=*), intent(in) :: set, composite
    integer, intent(in) :: box(:, :)
    integer, intent(out), optional :: ierr
    call run_parts(set, composite, reshape(box, [size(box)]), size(box, 1), ierr)
  end subroutine run_boxes

  subroutine run_parts(set, composite, box, each, ierr)
    character(len=*), intent(in) :: set, composite
    integer, intent(in) :: box(:), each
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    character(len=40) :: got
    if (each /= 6) then
      write (got, '(i0, a)') each, ' integers'
      call refuse('frame_run', 'box', got, 'i1, i2, j1, j2, k1, k2 of each box', ierr)
      return
    end if
    call c_run_box(c_text(set), c_text(composite), narrow(box), narrow(size(box) / 6), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine run_parts

  ! The caller must not use the set's arrays until frame_wait, except their fringes; with a box it
  ! must not use the points that the run reads and writes.
  subroutine begin_all(set, composite, ierr)
    character(len=*), intent(in) :: set, composite
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_run_begin(c_text(set), c_text(composite), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine begin_all

  subroutine begin_box(set, composite, box, ierr)
    character(len=*), intent(in) :: set, composite
    integer, intent(in) :: box(:)
    integer, intent(out), optional :: ierr
    call begin_parts(set, composite, box, size(box), ierr)
  end subroutine begin_box

  subroutine begin_boxes(set, composite, box, ierr)
    character(len=*), intent(in) :: set, composite
    integer, intent(in) :: box(:, :)
    integer, intent(out), optional :: ierr
    call begin_parts(set, composite, reshape(box, [size(box)]), size(box, 1), ierr)
  end subroutine begin_boxes

  subroutine begin_parts(set, composite, box, each, ierr)
    character(len=*), intent(in) :: set, composite
    integer, intent(in) :: box(:), each
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    character(len=40) :: got
    if (each /= 6) then
      write (got, '(i0, a)') each, ' integers'
      call refuse('frame_run_begin', 'box', got, 'i1, i2, j1, j2, k1, k2 of each box', ierr)
      return
    end if
    call c_run_begin_box(c_text(set), c_text(composite), narrow(box), narrow(size(box) / 6), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine begin_parts

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

  ! frame_run of each composite on the set of its place, one after the other: names separated by
  ! blanks.
  subroutine frame_run_several(sets, composites, ierr)
    character(len=*), intent(in) :: sets, composites
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_run_several(c_text(sets), c_text(composites), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_run_several

  ! A kernel with colours at the points of one, 1 or 2; fringes are exchanged between the two.
  subroutine frame_run_colour(set, kernel, colour, ierr)
    character(len=*), intent(in) :: set, kernel
    integer, intent(in) :: colour
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_run_colour(c_text(set), c_text(kernel), narrow(colour), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_run_colour

  ! What does not fit a C int is no position either.
  subroutine frame_position(set, i, j, k, ierr)
    character(len=*), intent(in) :: set
    integer, intent(in) :: i, j, k
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_position(c_text(set), narrow(i), narrow(j), narrow(k), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_position

  ! ijk(3, nb): of each block's first interior point.
  subroutine frame_position_blocks(set, nb, ijk, ierr)
    character(len=*), intent(in) :: set
    integer, intent(in) :: nb, ijk(:, :)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    if (too_few_of('frame_position_blocks', 'ijk', size(ijk, 1), 3, ierr)) return
    if (too_few_of('frame_position_blocks', 'ijk', size(ijk, 2), nb, ierr)) return
    call c_position_blocks(c_text(set), narrow(nb), &
        narrow(reshape(ijk(:3, :max(nb, 0)), [3*max(nb, 0)])), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_position_blocks

  ! ---- Arrays that stay where they are used ---------------------------------------------------

  ! clause: 'copyin' or 'create'; layout: 'host' (if not given) or 'device'.
  subroutine frame_enter_data(set, name, clause, layout, ierr)
    character(len=*), intent(in) :: set, name, clause
    character(len=*), intent(in), optional :: layout
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    if (present(layout)) then
      call c_enter_data(c_text(set), c_text(name), c_text(clause), c_text(layout), &
          address_if(present(ierr), status))
    else
      call c_enter_data(c_text(set), c_text(name), c_text(clause), c_text('host'), &
          address_if(present(ierr), status))
    end if
    call give(ierr, status)
  end subroutine frame_enter_data

  ! clause: 'copyout' or 'delete'.
  subroutine frame_exit_data(set, name, clause, ierr)
    character(len=*), intent(in) :: set, name, clause
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_exit_data(c_text(set), c_text(name), c_text(clause), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_exit_data

  ! frame_update_device and frame_update_host of one box, of a list of them, or without any end
  ! here.
  subroutine update_any(c_entry, entry, set, name, boxes, listed, ierr)
    procedure(c_update_device) :: c_entry
    character(len=*), intent(in) :: entry, set, name
    integer, intent(in) :: boxes(:, :)
    logical, intent(in) :: listed
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    integer(c_int) :: b(6, max(size(boxes, 2), 1))
    if (no_boxes(entry, boxes, listed, b, ierr)) return
    call c_entry(c_text(set), c_text(name), b, merge(size(b, 2, c_int), 0_c_int, listed), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine update_any

  ! frame_pack and frame_unpack of every type end here.
  subroutine pack_any(c_entry, entry, set, name, boxes, listed, type, address, n, contiguous, ierr)
    procedure(c_pack_typed) :: c_entry
    character(len=*), intent(in) :: entry, set, name
    integer, intent(in) :: boxes(:, :)
    logical, intent(in) :: listed
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: n
    logical, intent(in) :: contiguous
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    integer(c_int) :: b(6, max(size(boxes, 2), 1))
    if (refused(entry, 'buffer', address, contiguous, ierr)) return
    if (too_large(entry, [character(len=7) :: 'nBuffer'], [n], ierr)) return
    if (no_boxes(entry, boxes, listed, b, ierr)) return
    call c_entry(c_text(set), c_text(name), b, merge(size(b, 2, c_int), 0_c_int, listed), type, &
        address, int(n, c_int), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine pack_any

  ! One box as a list of one.
  function as_list(box) result(boxes)
    integer, intent(in), optional :: box(:)
    integer, allocatable :: boxes(:, :)
    if (present(box)) then
      boxes = reshape(box, [size(box), 1])
    else
      allocate (boxes(6, 0))
    end if
  end function as_list

  ! Boxes as C ints. A list of none is a box without points: no box at all means the whole array.
  logical function no_boxes(entry, boxes, listed, b, ierr)
    character(len=*), intent(in) :: entry
    integer, intent(in) :: boxes(:, :)
    logical, intent(in) :: listed
    integer(c_int), intent(out) :: b(:, :)
    integer, intent(out), optional :: ierr
    character(len=40) :: got
    b = 1
    b(2, :) = 0
    no_boxes = .false.
    if (.not. listed .or. size(boxes, 2) == 0) return
    no_boxes = size(boxes, 1) /= 6
    if (no_boxes) then
      write (got, '("a first extent of ", i0)') size(boxes, 1)
      call refuse(entry, 'box', got, '6: i1, i2, j1, j2, k1, k2', ierr)
      return
    end if
    no_boxes = any(abs(int(boxes, c_int64_t)) > huge(0_c_int))
    if (no_boxes) then
      call refuse(entry, 'box', 'a position beyond 2147483647', 'positions of C ints', ierr)
      return
    end if
    b = int(boxes, c_int)
  end function no_boxes

  subroutine device_pointer(set, name, address, ierr)
    character(len=*), intent(in) :: set, name
    type(c_ptr), intent(inout) :: address
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    type(c_ptr), target :: found
    found = address
    call c_device_address(c_text(set), c_text(name), c_loc(found), &
        address_if(present(ierr), status))
    address = found
    call give(ierr, status)
  end subroutine device_pointer

  subroutine device_number(set, name, address, ierr)
    character(len=*), intent(in) :: set, name
    integer(c_intptr_t), intent(inout) :: address
    integer, intent(out), optional :: ierr
    type(c_ptr) :: pointer
    pointer = transfer(address, c_null_ptr)
    call device_pointer(set, name, pointer, ierr)
    address = transfer(pointer, address)
  end subroutine device_number

  ! ---- Reductions -----------------------------------------------------------------------------

  ! One value: of all components together, or of the one that is named. place(4) receives i, j, k
  ! and the component, place(3) the first three of these, place(5) the block of a set of many as
  ! well. Where it fails, nothing is written.
  subroutine reduce_real(set, quantity, operation, value, place, component, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    real(c_double), intent(inout) :: value
    integer, intent(inout), optional :: place(:)
    integer, intent(in), optional :: component
    integer, intent(out), optional :: ierr
    real(c_double), target :: values(1)
    integer(c_int), target :: places(5, 1)
    integer :: which, each
    which = 0
    each = 0
    if (present(component)) then
      which = component
      if (not_positive('frame_reduce', which, ierr)) return
    end if
    if (present(place)) then
      if (wrong_places(size(place), ierr)) return
      each = size(place)
    end if
    if (no_reduction(set, quantity, operation, which, values, places, each, ierr)) return
    value = values(1)
    if (present(place)) place = int(places(:size(place), 1))
  end subroutine reduce_real

  ! A value of each component; place(:, c) belongs to value(c).
  subroutine reduce_each(set, quantity, operation, value, place, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    real(c_double), intent(inout) :: value(:)
    integer, intent(inout), optional :: place(:, :)
    integer, intent(out), optional :: ierr
    real(c_double), target :: values(size(value))
    integer(c_int), target :: places(5, size(value))
    integer :: each
    each = 0
    if (present(place)) then
      each = size(place, 1)
      if (wrong_places(size(place, 1), ierr)) return
      if (misshapen('frame_reduce', 'place', c_loc(places), shape(place, kind=c_int64_t), &
          [size(place, 1), size(value)], ierr)) return
    end if
    if (no_reduction(set, quantity, operation, -1, values, places, each, ierr)) return
    value = values
    if (present(place)) place = int(places(:size(place, 1), :))
  end subroutine reduce_each

  ! 1 if any value is not zero, or is NaN, else 0; or the count of values that are not zero.
  subroutine reduce_integer(set, quantity, operation, value, place, component, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    integer, intent(inout) :: value
    integer, intent(inout), optional :: place(:)
    integer, intent(in), optional :: component
    integer, intent(out), optional :: ierr
    real(c_double) :: number
    if (no_whole_number('frame_reduce', operation, ierr)) return
    number = value
    call reduce_real(set, quantity, operation, number, place, component, ierr)
    if (c_status() == bridge_ok) value = nint(number)
  end subroutine reduce_integer

  ! Whole numbers of each component, or, of "bits", of each bit.
  subroutine reduce_integers(set, quantity, operation, value, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    integer, intent(inout) :: value(:)
    integer, intent(out), optional :: ierr
    real(c_double) :: number(size(value))
    if (no_whole_number('frame_reduce', operation, ierr)) return
    number = value
    call reduce_each(set, quantity, operation, number, ierr=ierr)
    if (c_status() == bridge_ok) value = nint(number)
  end subroutine reduce_integers

  subroutine reduce_logical(set, quantity, operation, value, place, component, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    logical, intent(inout) :: value
    integer, intent(inout), optional :: place(:)
    integer, intent(in), optional :: component
    integer, intent(out), optional :: ierr
    real(c_double) :: number
    if (no_question('frame_reduce', operation, ierr)) return
    number = 0
    call reduce_real(set, quantity, operation, number, place, component, ierr)
    if (c_status() == bridge_ok) value = nint(number) /= 0
  end subroutine reduce_logical

  ! each: of a place, the integers that the caller wants, 5 with the block; 0: no place.
  logical function no_reduction(set, quantity, operation, component, values, places, each, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    integer, intent(in) :: component, each
    real(c_double), intent(inout), target :: values(:)
    integer(c_int), intent(inout), target :: places(:, :)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    integer(c_int), target :: four(4, size(values))
    if (each == 0) then
      call c_reduce(c_text(set), c_text(quantity), c_text(operation), narrow(component), &
          size(values, kind=c_int), c_loc(values), c_null_ptr, &
          address_if(present(ierr), status))
    else if (each == 5) then
      call c_reduce_blocks(c_text(set), c_text(quantity), c_text(operation), narrow(component), &
          size(values, kind=c_int), c_loc(values), c_loc(places), &
          address_if(present(ierr), status))
    else
      four = 0
      call c_reduce(c_text(set), c_text(quantity), c_text(operation), narrow(component), &
          size(values, kind=c_int), c_loc(values), c_loc(four), &
          address_if(present(ierr), status))
      places(:4, :) = four
    end if
    call give(ierr, status)
    no_reduction = c_status() /= bridge_ok
  end function no_reduction

  ! 0 and -1 have a meaning of their own in bridge.h.
  logical function not_positive(call, component, ierr)
    character(len=*), intent(in) :: call
    integer, intent(in) :: component
    integer, intent(out), optional :: ierr
    character(len=24) :: got
    not_positive = component < 1
    if (.not. not_positive) return
    write (got, '(i0)') component
    call refuse(call, 'component', got, 'a component from 1', ierr)
  end function not_positive

  logical function wrong_places(got, ierr)
    integer, intent(in) :: got
    integer, intent(out), optional :: ierr
    character(len=40) :: text
    wrong_places = got < 3 .or. got > 5
    if (.not. wrong_places) return
    write (text, '("a first extent of ", i0)') got
    call refuse('frame_reduce', 'place', text, &
        '3 (i, j, k) or 4 (and the component), or 5 (and the block)', ierr)
  end function wrong_places

  logical function no_question(call, operation, ierr)
    character(len=*), intent(in) :: call, operation
    integer, intent(out), optional :: ierr
    no_question = operation /= 'any' .and. operation /= 'nan'
    if (no_question) call refuse(call, 'value', 'no real(8) for ' // trim(operation), &
        'a real(8); logicals are for any and nan, integers for these, count and bits', ierr)
  end function no_question

  logical function no_whole_number(call, operation, ierr)
    character(len=*), intent(in) :: call, operation
    integer, intent(out), optional :: ierr
    no_whole_number = .false.
    if (operation == 'count' .or. operation == 'bits') return
    no_whole_number = no_question(call, operation, ierr)
  end function no_whole_number

  ! ---- Reductions over ranks ------------------------------------------------------------------

  ! As reduce_real; place(6) receives i, j, k, the component, the block and the rank.
  subroutine allreduce_real(set, quantity, operation, value, place, component, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    real(c_double), intent(inout) :: value
    integer, intent(inout), optional :: place(:)
    integer, intent(in), optional :: component
    integer, intent(out), optional :: ierr
    real(c_double), target :: values(1)
    integer(c_int), target :: places(6, 1)
    integer :: which
    which = 0
    if (present(component)) then
      which = component
      if (not_positive('frame_allreduce', which, ierr)) return
    end if
    if (present(place)) then
      if (misshapen('frame_allreduce', 'place', c_loc(places), shape(place, kind=c_int64_t), &
          [6], ierr)) return
    end if
    if (no_allreduction(set, quantity, operation, which, values, places, ierr)) return
    value = values(1)
    if (present(place)) place = int(places(:, 1))
  end subroutine allreduce_real

  ! A value of each component; place(:, c) belongs to value(c).
  subroutine allreduce_each(set, quantity, operation, value, place, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    real(c_double), intent(inout) :: value(:)
    integer, intent(inout), optional :: place(:, :)
    integer, intent(out), optional :: ierr
    real(c_double), target :: values(size(value))
    integer(c_int), target :: places(6, size(value))
    if (present(place)) then
      if (misshapen('frame_allreduce', 'place', c_loc(places), shape(place, kind=c_int64_t), &
          [6, size(value)], ierr)) return
    end if
    if (no_allreduction(set, quantity, operation, -1, values, places, ierr)) return
    value = values
    if (present(place)) place = int(places)
  end subroutine allreduce_each

  subroutine allreduce_integer(set, quantity, operation, value, place, component, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    integer, intent(inout) :: value
    integer, intent(inout), optional :: place(:)
    integer, intent(in), optional :: component
    integer, intent(out), optional :: ierr
    real(c_double) :: number
    if (no_whole_number('frame_allreduce', operation, ierr)) return
    number = value
    call allreduce_real(set, quantity, operation, number, place, component, ierr)
    if (c_status() == bridge_ok) value = nint(number)
  end subroutine allreduce_integer

  ! Whole numbers of each component, or, of "bits", of each bit.
  subroutine allreduce_integers(set, quantity, operation, value, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    integer, intent(inout) :: value(:)
    integer, intent(out), optional :: ierr
    real(c_double) :: number(size(value))
    if (no_whole_number('frame_allreduce', operation, ierr)) return
    number = value
    call allreduce_each(set, quantity, operation, number, ierr=ierr)
    if (c_status() == bridge_ok) value = nint(number)
  end subroutine allreduce_integers

  subroutine allreduce_logical(set, quantity, operation, value, place, component, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    logical, intent(inout) :: value
    integer, intent(inout), optional :: place(:)
    integer, intent(in), optional :: component
    integer, intent(out), optional :: ierr
    real(c_double) :: number
    if (no_question('frame_allreduce', operation, ierr)) return
    number = 0
    call allreduce_real(set, quantity, operation, number, place, component, ierr)
    if (c_status() == bridge_ok) value = nint(number) /= 0
  end subroutine allreduce_logical

  logical function no_allreduction(set, quantity, operation, component, values, places, ierr)
    character(len=*), intent(in) :: set, quantity, operation
    integer, intent(in) :: component
    real(c_double), intent(inout), target :: values(:)
    integer(c_int), intent(inout), target :: places(:, :)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_allreduce(c_text(set), c_text(quantity), c_text(operation), narrow(component), &
        size(values, kind=c_int), c_loc(values), c_loc(places), address_if(present(ierr), status))
    call give(ierr, status)
    no_allreduction = c_status() /= bridge_ok
  end function no_allreduction

  ! ---- Several reductions in one pass ----------------------------------------------------------

  ! Several at once: quantities and operations are words with blanks between them, value(:) has the
  ! values of each reduction, one behind the other, place(:, v) belongs to value(v).
  subroutine frame_reduce_several(set, quantities, operations, value, place, components, ierr)
    character(len=*), intent(in) :: set, quantities, operations
    real(c_double), intent(inout) :: value(:)
    integer, intent(inout), optional :: place(:, :)
    integer, intent(in), optional :: components(:)
    integer, intent(out), optional :: ierr
    if (present(place)) then
      if (wrong_places(size(place, 1), ierr)) return
      call several(c_reduce_several, 'frame_reduce_several', 5, set, quantities, operations, &
          value, place, components, size(place, 1), ierr)
    else
      call several(c_reduce_several, 'frame_reduce_several', 5, set, quantities, operations, &
          value, place, components, 0, ierr)
    end if
  end subroutine frame_reduce_several

  ! The same over ranks; place has six integers for each value.
  subroutine frame_allreduce_several(set, quantities, operations, value, place, components, ierr)
    character(len=*), intent(in) :: set, quantities, operations
    real(c_double), intent(inout) :: value(:)
    integer, intent(inout), optional :: place(:, :)
    integer, intent(in), optional :: components(:)
    integer, intent(out), optional :: ierr
    call several(c_allreduce_several, 'frame_allreduce_several', 6, set, quantities, operations, &
        value, place, components, 6, ierr)
  end subroutine frame_allreduce_several

  ! width: integers of a place of the entry; each: those that the caller wants, the first ones.
  subroutine several(entry, name, width, set, quantities, operations, value, place, components, &
      each, ierr)
    procedure(c_reduce_several) :: entry
    character(len=*), intent(in) :: name, set, quantities, operations
    integer, intent(in) :: width, each
    real(c_double), intent(inout) :: value(:)
    integer, intent(inout), optional :: place(:, :)
    integer, intent(in), optional :: components(:)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status, places(width, size(value))
    real(c_double), target :: values(size(value))
    integer(c_int), allocatable :: which(:)
    type(c_ptr) :: wanted
    allocate (which(words_of(quantities)))
    which = 0
    if (present(components)) which = narrow(components)
    wanted = c_null_ptr
    if (present(place)) then
      wanted = c_loc(places)
      if (misshapen(name, 'place', wanted, shape(place, kind=c_int64_t), [each, size(value)], &
          ierr)) return
    end if
    call entry(c_text(set), c_text(quantities), c_text(operations), which, &
        size(which, kind=c_int), size(values, kind=c_int), c_loc(values), wanted, &
        address_if(present(ierr), status))
    call give(ierr, status)
    if (c_status() /= bridge_ok) return
    value = values
    if (present(place)) place = int(places(:each, :))
  end subroutine several

  integer function words_of(text)
    character(len=*), intent(in) :: text
    integer :: i
    logical :: inside
    words_of = 0
    inside = .false.
    do i = 1, len(text)
      if (text(i:i) /= ' ' .and. .not. inside) words_of = words_of + 1
      inside = text(i:i) /= ' '
    end do
  end function words_of

  ! ---- Exchange of fringes ----------------------------------------------------------------------

  subroutine frame_exchange_plan(name, sets, arrays, peers, tags, sendBlocks, sendBoxes, &
      recvBlocks, recvBoxes, ierr)
    character(len=*), intent(in) :: name, sets, arrays
    integer, intent(in), target :: peers(:), tags(:), sendBlocks(:), sendBoxes(:, :)
    integer, intent(in), target :: recvBlocks(:), recvBoxes(:, :)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    if (other_length('tags', tags)) return
    if (other_length('sendBlocks', sendBlocks)) return
    if (other_length('recvBlocks', recvBlocks)) return
    if (no_boxes('sendBoxes', sendBoxes)) return
    if (no_boxes('recvBoxes', recvBoxes)) return
    call c_exchange_plan(c_text(name), c_text(sets), c_text(arrays), narrow(peers), narrow(tags), &
        narrow(sendBlocks), narrow(sendBoxes), narrow(recvBlocks), narrow(recvBoxes), &
        size(peers, kind=c_int), address_if(present(ierr), status))
    call give(ierr, status)

  contains

    logical function other_length(argument, values)
      character(len=*), intent(in) :: argument
      integer, intent(in), target :: values(:)
      other_length = misshapen('frame_exchange_plan', argument, c_loc(status), &
          shape(values, kind=c_int64_t), [size(peers)], ierr)
    end function other_length

    logical function no_boxes(argument, boxes)
      character(len=*), intent(in) :: argument
      integer, intent(in), target :: boxes(:, :)
      no_boxes = misshapen('frame_exchange_plan', argument, c_loc(status), &
          shape(boxes, kind=c_int64_t), [6, size(peers)], ierr)
    end function no_boxes

  end subroutine frame_exchange_plan

  subroutine frame_exchange(name, ierr)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_exchange(c_text(name), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_exchange

  subroutine frame_exchange_begin(name, ierr)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_exchange_begin(c_text(name), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_exchange_begin

  subroutine frame_exchange_wait(name, ierr)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_exchange_wait(c_text(name), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_exchange_wait

  subroutine frame_sequence_begin(name, ierr)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_sequence_begin(c_text(name), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_sequence_begin

  subroutine frame_sequence_run(name, ierr)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_sequence_run(c_text(name), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_sequence_run

  subroutine frame_sequence_end(ierr)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_sequence_end(address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_sequence_end

  ! ---- Lists of points ------------------------------------------------------------------------

  subroutine gather_real_1(set, name, points, values, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: points(:)
    real(c_double), intent(inout), contiguous, target :: values(:)
    integer, intent(out), optional :: ierr
    call gather_any(set, name, points, c_loc(values), size(values, kind=c_int64_t), ierr)
  end subroutine gather_real_1

  subroutine gather_real_2(set, name, points, values, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: points(:)
    real(c_double), intent(inout), contiguous, target :: values(:, :)
    integer, intent(out), optional :: ierr
    if (misshapen('frame_gather', 'values', c_loc(values), shape(values, kind=c_int64_t), &
        [size(points), size(values, 2)], ierr)) return
    call gather_any(set, name, points, c_loc(values), size(values, kind=c_int64_t), ierr)
  end subroutine gather_real_2

  subroutine scatter_real_1(set, name, points, values, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: points(:)
    real(c_double), intent(in), contiguous, target :: values(:)
    integer, intent(out), optional :: ierr
    call scatter_any(set, name, points, c_loc(values), size(values, kind=c_int64_t), ierr)
  end subroutine scatter_real_1

  subroutine scatter_real_2(set, name, points, values, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: points(:)
    real(c_double), intent(in), contiguous, target :: values(:, :)
    integer, intent(out), optional :: ierr
    if (misshapen('frame_scatter', 'values', c_loc(values), shape(values, kind=c_int64_t), &
        [size(points), size(values, 2)], ierr)) return
    call scatter_any(set, name, points, c_loc(values), size(values, kind=c_int64_t), ierr)
  end subroutine scatter_real_2

  subroutine gather_integer(set, name, points, values, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: points(:)
    integer, intent(inout) :: values(:)
    real(c_double), allocatable, target :: number(:)
    integer, intent(out), optional :: ierr
    allocate (number(max(1, size(values))))
    call gather_any(set, name, points, c_loc(number), size(values, kind=c_int64_t), ierr)
    if (c_status() == bridge_ok) values = nint(number(:size(values)))
  end subroutine gather_integer

  subroutine scatter_integer(set, name, points, values, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: points(:)
    integer, intent(in) :: values(:)
    real(c_double), allocatable, target :: number(:)
    integer, intent(out), optional :: ierr
    allocate (number(max(1, size(values))))
    number(:size(values)) = values
    call scatter_any(set, name, points, c_loc(number), size(values, kind=c_int64_t), ierr)
  end subroutine scatter_integer

  subroutine gather_any(set, name, points, address, n, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: points(:)
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: n
    integer(c_int), target :: status
    integer(c_int), allocatable :: list(:)
    integer, intent(out), optional :: ierr
    if (too_large('frame_gather', [character(len=7) :: 'nPoints', 'nValues'], &
        [size(points, kind=c_int64_t), n], ierr)) return
    allocate (list(max(1, size(points))))
    list(:size(points)) = narrow(points)
    call c_gather(c_text(set), c_text(name), list, size(points, kind=c_int), address, &
        int(n, c_int), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine gather_any

  subroutine scatter_any(set, name, points, address, n, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: points(:)
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: n
    integer(c_int), target :: status
    integer(c_int), allocatable :: list(:)
    real(c_double), pointer :: values(:)
    integer, intent(out), optional :: ierr
    if (too_large('frame_scatter', [character(len=7) :: 'nPoints', 'nValues'], &
        [size(points, kind=c_int64_t), n], ierr)) return
    allocate (list(max(1, size(points))))
    list(:size(points)) = narrow(points)
    call c_f_pointer(address, values, [max(1_c_int64_t, n)])
    call c_scatter(c_text(set), c_text(name), list, size(points, kind=c_int), values, &
        int(n, c_int), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine scatter_any

  subroutine scan_real_1(set, name, values, exclusive, ierr)
    character(len=*), intent(in) :: set, name
    real(c_double), intent(inout), contiguous, target :: values(:)
    logical, intent(in), optional :: exclusive
    integer, intent(out), optional :: ierr
    call scan_any(set, name, c_loc(values), size(values, kind=c_int64_t), exclusive, ierr)
  end subroutine scan_real_1

  subroutine scan_real_2(set, name, values, exclusive, ierr)
    character(len=*), intent(in) :: set, name
    real(c_double), intent(inout), contiguous, target :: values(:, :)
    logical, intent(in), optional :: exclusive
    integer, intent(out), optional :: ierr
    call scan_any(set, name, c_loc(values), size(values, kind=c_int64_t), exclusive, ierr)
  end subroutine scan_real_2

  subroutine scan_integer(set, name, values, exclusive, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(inout) :: values(:)
    logical, intent(in), optional :: exclusive
    real(c_double), allocatable, target :: number(:)
    integer, intent(out), optional :: ierr
    allocate (number(max(1, size(values))))
    call scan_any(set, name, c_loc(number), size(values, kind=c_int64_t), exclusive, ierr)
    if (c_status() == bridge_ok) values = nint(number(:size(values)))
  end subroutine scan_integer

  subroutine scan_any(set, name, address, n, exclusive, ierr)
    character(len=*), intent(in) :: set, name
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: n
    logical, intent(in), optional :: exclusive
    integer(c_int), target :: status
    integer(c_int) :: without
    integer, intent(out), optional :: ierr
    if (too_large('frame_scan', [character(len=7) :: 'nValues'], [n], ierr)) return
    without = 0
    if (present(exclusive)) without = merge(1_c_int, 0_c_int, exclusive)
    call c_scan(c_text(set), c_text(name), without, address, int(n, c_int), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine scan_any

  ! points(:non) are those where the flag is not 0; points and non do not change if the call fails.
  subroutine frame_split(set, name, points, non, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(inout) :: points(:), non
    integer(c_int), allocatable, target :: list(:)
    integer(c_int), target :: status
    integer(c_int), target :: on
    integer, intent(out), optional :: ierr
    if (too_large('frame_split', [character(len=7) :: 'nPoints'], &
        [size(points, kind=c_int64_t)], ierr)) return
    allocate (list(max(1, size(points))))
    call c_split(c_text(set), c_text(name), c_loc(list), size(points, kind=c_int), c_loc(on), &
        address_if(present(ierr), status))
    call give(ierr, status)
    if (c_status() /= bridge_ok) return
    points = int(list(:size(points)))
    non = int(on)
  end subroutine frame_split

  subroutine frame_sort_by_key(set, name, points, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(inout) :: points(:)
    integer(c_int), allocatable, target :: list(:)
    integer(c_int), target :: status
    integer, intent(out), optional :: ierr
    if (too_large('frame_sort_by_key', [character(len=7) :: 'nPoints'], &
        [size(points, kind=c_int64_t)], ierr)) return
    allocate (list(max(1, size(points))))
    call c_sort_by_key(c_text(set), c_text(name), c_loc(list), size(points, kind=c_int), &
        address_if(present(ierr), status))
    call give(ierr, status)
    if (c_status() == bridge_ok) points = int(list(:size(points)))
  end subroutine frame_sort_by_key

  ! values(component, point)
  subroutine frame_transpose(set, name, values, ierr)
    character(len=*), intent(in) :: set, name
    real(c_double), intent(inout), contiguous, target :: values(:, :)
    integer(c_int), target :: status
    integer, intent(out), optional :: ierr
    if (too_large('frame_transpose', [character(len=7) :: 'nValues'], &
        [size(values, kind=c_int64_t)], ierr)) return
    call c_transpose(c_text(set), c_text(name), c_loc(values), size(values, kind=c_int), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_transpose

  ! ---- Beside a loop of the host ------------------------------------------------------------

  ! share: of the points; all of them where left out.
  subroutine frame_compare_begin(set, composite, share, ierr)
    character(len=*), intent(in) :: set, composite
    real(c_double), intent(in), optional :: share
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    real(c_double) :: part
    part = 1
    if (present(share)) part = share
    call c_compare_begin(c_text(set), c_text(composite), part, &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_compare_begin

  ! worst stays as it is where the call fails.
  subroutine frame_compare(set, composite, worst, ierr)
    character(len=*), intent(in) :: set, composite
    real(c_double), intent(inout), optional :: worst
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    real(c_double), target :: found
    found = 0
    call c_compare(c_text(set), c_text(composite), c_loc(found), &
        address_if(present(ierr), status))
    call give(ierr, status)
    if (c_status() == bridge_ok) then
      if (present(worst)) worst = found
    end if
  end subroutine frame_compare

  ! sets and composites: names with blanks between them.
  subroutine frame_compare_begin_sets(sets, composites, share, ierr)
    character(len=*), intent(in) :: sets, composites
    real(c_double), intent(in), optional :: share
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    real(c_double) :: part
    part = 1
    if (present(share)) part = share
    call c_compare_begin_sets(c_text(sets), c_text(composites), part, &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_compare_begin_sets

  ! As many numbers as the shortest of the three arrays has. worst stays as it is where the call
  ! fails.
  subroutine frame_compare_numbers(set, composite, name, original, kernel, scale, worst, ierr)
    character(len=*), intent(in) :: set, composite, name
    real(c_double), intent(in) :: original(:), kernel(:), scale(:)
    real(c_double), intent(inout), optional :: worst
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    integer :: n
    real(c_double), target :: found
    n = min(size(original), size(kernel), size(scale))
    found = 0
    call c_compare_numbers(c_text(set), c_text(composite), c_text(name), int(n, c_int), &
        original(:n), kernel(:n), scale(:n), c_loc(found), address_if(present(ierr), status))
    call give(ierr, status)
    if (c_status() == bridge_ok) then
      if (present(worst)) worst = found
    end if
  end subroutine frame_compare_numbers

  subroutine frame_compare_without(set, name, in_place, ierr)
    character(len=*), intent(in) :: set, name
    logical, intent(in), optional :: in_place
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    integer(c_int) :: there
    there = 0
    if (present(in_place)) there = merge(1_c_int, 0_c_int, in_place)
    call c_compare_without(c_text(set), c_text(name), there, address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_compare_without

  subroutine frame_record(set, composite, file, ierr)
    character(len=*), intent(in) :: set, composite, file
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_record(c_text(set), c_text(composite), c_text(file), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_record

  subroutine frame_record_write(ierr)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_record_write(address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_record_write

  ! ---- Constants and tables of kernel packs -------------------------------------------------

  subroutine constant_real(name, values, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: values(:)
    integer, intent(out), optional :: ierr
    call constant_any(name, c_loc(values), 1_c_int, size(values, kind=c_int64_t), ierr)
  end subroutine constant_real

  subroutine constant_integer(name, values, ierr)
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in), target :: values(:)
    integer, intent(out), optional :: ierr
    call constant_any(name, c_loc(values), 4_c_int, size(values, kind=c_int64_t), ierr)
  end subroutine constant_integer

  subroutine constant_logical(name, values, ierr)
    character(len=*), intent(in) :: name
    integer(c_int), intent(in), target :: values(:)
    integer, intent(out), optional :: ierr
    call constant_any(name, c_loc(values), 5_c_int, size(values, kind=c_int64_t), ierr)
  end subroutine constant_logical

  ! type: of bridge.h.
  subroutine constant_any(name, address, type, n, ierr)
    character(len=*), intent(in) :: name
    type(c_ptr), intent(in) :: address
    integer(c_int), intent(in) :: type
    integer(c_int64_t), intent(in) :: n
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    if (too_large('frame_constant', [character(len=1) :: 'n'], [n], ierr)) return
    call c_constant(c_text(name), address, type, int(n, c_int), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine constant_any

  ! sets: names, with blanks between.
  subroutine frame_allreduce_constant(sets, quantity, operation, constant, ierr)
    character(len=*), intent(in) :: sets, quantity, operation, constant
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_allreduce_constant(c_text(sets), c_text(quantity), c_text(operation), &
        c_text(constant), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_allreduce_constant

  ! value stays as it is where that fails.
  subroutine frame_constant_value(constant, value, ierr)
    character(len=*), intent(in) :: constant
    real(c_double), intent(inout) :: value
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    real(c_double), target :: found
    found = 0
    call c_constant_value(c_text(constant), c_loc(found), address_if(present(ierr), status))
    call give(ierr, status)
    if (c_status() == bridge_ok) value = found
  end subroutine frame_constant_value

  ! names: as many as values, with blanks between.
  subroutine frame_constants(names, values, ierr)
    character(len=*), intent(in) :: names
    real(c_double), intent(in) :: values(:)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    if (too_large('frame_constants', [character(len=1) :: 'n'], &
        [size(values, kind=c_int64_t)], ierr)) return
    call c_constants(c_text(names), values, size(values, kind=c_int), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_constants

  ! values, text: for the function, none where they are left out.
  subroutine frame_python(set, function, values, text, ierr)
    character(len=*), intent(in) :: set, function
    real(c_double), intent(in), optional :: values(:)
    character(len=*), intent(in), optional :: text
    integer, intent(out), optional :: ierr
    real(c_double) :: none(0)
    integer(c_int), target :: status
    if (present(values)) then
      if (too_large('frame_python', [character(len=7) :: 'nValues'], &
          [size(values, kind=c_int64_t)], ierr)) return
      call python_any(values, size(values, kind=c_int))
    else
      call python_any(none, 0_c_int)
    end if
    call give(ierr, status)
  contains
    subroutine python_any(some, n)
      integer(c_int), intent(in) :: n
      real(c_double), intent(in) :: some(*)
      if (present(text)) then
        call c_python(c_text(set), c_text(function), some, n, c_text(text), &
            address_if(present(ierr), status))
      else
        call c_python(c_text(set), c_text(function), some, n, c_text(''), &
            address_if(present(ierr), status))
      end if
    end subroutine python_any
  end subroutine frame_python

  ! Every rank ends here.
  subroutine table_any(name, address, extent, contiguous, ierr)
    character(len=*), intent(in) :: name
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: extent(:)
    logical, intent(in) :: contiguous
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    if (refused('frame_table', name, address, contiguous .or. any(extent == 0), ierr)) return
    if (too_large('frame_table', [character(len=5) :: 'sizes', 'sizes', 'sizes'], extent, &
        ierr)) return
    call c_table(c_text(name), address, int(extent, c_int), size(extent, kind=c_int), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine table_any

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

  ! ---- What runs, and what it met -----------------------------------------------------------

  ! Without a file into the log; ranks: 'first' or 'all'.
  subroutine frame_doctor(file, ranks, ierr)
    character(len=*), intent(in), optional :: file, ranks
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    character(len=:), allocatable :: place, which
    place = ''
    which = 'first'
    if (present(file)) place = file
    if (present(ranks)) which = ranks
    call register_flush()
    call c_doctor(c_text(place), c_text(which), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_doctor

  ! A text of the length that is needed; empty if the call fails and failures return.
  function frame_fingerprint() result(text)
    character(len=:), allocatable :: text
    integer(c_int), parameter :: most = 262144
    character(len=:), allocatable :: buffer
    allocate (character(len=most) :: buffer)
    buffer(:) = ''
    call c_fingerprint(buffer, most, c_null_ptr)
    text = trim(buffer)
  end function frame_fingerprint

  ! As many bits as counts has elements, at most 32. counts does not change if the call fails.
  subroutine status_counts_8(set, counts, ierr)
    character(len=*), intent(in) :: set
    integer(c_int64_t), intent(inout) :: counts(:)
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    integer(c_int64_t), target :: found(32)
    found(:min(32, size(counts))) = counts(:min(32, size(counts)))
    call c_status_counts(c_text(set), size(counts, kind=c_int), c_loc(found), &
        address_if(present(ierr), status))
    call give(ierr, status)
    if (c_status() == bridge_ok) counts = found(:size(counts))
  end subroutine status_counts_8

  ! Numbers that an integer(4) cannot hold become the largest one.
  subroutine status_counts_4(set, counts, ierr)
    character(len=*), intent(in) :: set
    integer(c_int), intent(inout) :: counts(:)
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: found(size(counts))
    found = counts
    call status_counts_8(set, found, ierr)
    if (c_status() == bridge_ok) &
        counts = int(min(found, int(huge(counts), c_int64_t)), c_int)
  end subroutine status_counts_4

  ! bits: a sum of powers of two; without them those of setting status_bits.
  subroutine frame_status_points(set, bits, most, ierr)
    character(len=*), intent(in) :: set
    integer, intent(in), optional :: bits, most
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    integer(c_int) :: which, n
    which = 0
    n = 10
    if (present(bits)) which = int(bits, c_int)
    if (present(most)) n = int(most, c_int)
    call c_status_points(c_text(set), which, n, address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_status_points

  ! composite: without it that of the set's latest run; block: in a set of many blocks.
  subroutine frame_probe(set, i, j, k, composite, block, ierr)
    character(len=*), intent(in) :: set
    integer, intent(in) :: i, j, k
    character(len=*), intent(in), optional :: composite
    integer, intent(in), optional :: block
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    integer(c_int) :: number
    character(len=:), allocatable :: which
    which = ''
    number = 0
    if (present(composite)) which = composite
    if (present(block)) number = int(block, c_int)
    call c_probe(c_text(set), c_text(which), int(i, c_int), int(j, c_int), int(k, c_int), &
        number, address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_probe

  subroutine frame_status_policy(policy, ierr)
    character(len=*), intent(in) :: policy
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_status_policy(c_text(policy), address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine frame_status_policy

  ! ---- Checks and conversions -------------------------------------------------------------------

  ! Where the elements of an array lie, from the addresses of the first one and of its neighbours.
  type(array_layout) function layout_of(type, address, extent, next, component_first)
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: address, next(:)
    integer(c_int64_t), intent(in) :: extent(:)
    logical, intent(in) :: component_first
    integer(c_int64_t) :: bytes(size(extent)), item
    integer :: d
    do d = 1, size(extent)
      bytes(d) = transfer(next(d), 0_c_intptr_t) - transfer(address, 0_c_intptr_t)
    end do
    item = merge(8, 4, type == type_float64)
    if (all(bytes == 0)) then
      layout_of = whole(extent, component_first)
    else
      layout_of = section(extent, bytes/item, component_first)
      do d = 1, size(extent)
        if (mod(bytes(d), item) /= 0) layout_of%wrong = d
      end do
    end if
  end function layout_of

  logical function inexpressible(name, layout, ierr)
    character(len=*), intent(in) :: name
    type(array_layout), intent(in) :: layout
    integer, intent(out), optional :: ierr
    character(len=80) :: got
    inexpressible = layout%wrong > 0
    if (.not. inexpressible) return
    write (got, '("an array that is not contiguous, in dimension ", i0)') layout%wrong
    call refuse('frame_bind', 'data of ' // trim(name), got, &
        'a contiguous array, or a section of one with points or components side by side, ' // &
        'in their order, and all components of a point', ierr)
  end function inexpressible

  ! Positions beyond a section lie in the array that it is part of, or beyond that. Without points
  ! nobody looks at them.
  logical function outside(layout, b, ierr)
    type(array_layout), intent(in) :: layout
    integer(c_int64_t), intent(in) :: b(12)
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: most(4), here(4)
    character(len=24) :: got, wanted
    integer :: i
    most = [layout%points, layout%components]
    here = [layout%extent, abs(layout%n_data)]
    outside = .false.
    if (any(b(5:9:2) < b(4:8:2))) return
    do i = 1, 4
      if (most(i) == here(i) .or. b(3 + 2*i) <= most(i)) cycle
      write (got, '(i0)') b(3 + 2*i)
      write (wanted, '(i0)') most(i)
      outside = .true.
      call refuse('frame_bind', trim(bound_names(3 + 2*i)), got, &
          'a position of the section, up to ' // wanted, ierr)
      return
    end do
  end function outside

  ! nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData, nData of bridge.h, before
  ! anybody has asked whether a C int holds them.
  function box(layout, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata) result(b)
    type(array_layout), intent(in) :: layout
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer(c_int64_t), parameter :: one = 1
    integer(c_int64_t) :: b(12)
    b(1:3) = layout%extent
    b(4:5) = [either(sptx, one), either(eptx, layout%points(1))]
    b(6:7) = [either(spty, one), either(epty, layout%points(2))]
    b(8:9) = [either(sptz, one), either(eptz, layout%points(3))]
    b(10:11) = [either(sptdata, one), either(eptdata, layout%components)]
    b(12) = layout%n_data
  end function box

  ! Refuse an array without memory, and one with holes: the bridge would read wrong numbers from it.
  ! gfortran 12 and flang 19 give every allocated array an address, even one of size 0. An array
  ! that is not allocated has no address, and its shape may be anything.
  logical function refused(entry, name, address, contiguous, ierr)
    character(len=*), intent(in) :: entry, name
    type(c_ptr), intent(in) :: address
    logical, intent(in) :: contiguous
    integer, intent(out), optional :: ierr
    refused = .true.
    if (.not. c_associated(address)) then
      call refuse(entry, 'data of ' // trim(name), 'an array that is not allocated', &
          'an allocated array (of size 0 where there are no points)', ierr)
    else if (.not. contiguous) then
      call refuse(entry, 'data of ' // trim(name), 'an array that is not contiguous', &
          'a contiguous array', ierr)
    else
      refused = .false.
    end if
  end function refused

  ! The bridge reads ns entries of a species constant. A shorter array would be read beyond its end.
  logical function misshapen(entry, argument, address, got, wanted, ierr)
    character(len=*), intent(in) :: entry, argument
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: got(:)
    integer, intent(in) :: wanted(:)
    integer, intent(out), optional :: ierr
    character(len=64) :: shapes(2)
    misshapen = .true.
    write (shapes(1), '("shape (", i0, *(:, ", ", i0))') got
    write (shapes(2), '("shape (", i0, *(:, ", ", i0))') wanted
    if (.not. c_associated(address)) then
      call refuse(entry, argument, 'an array that is not allocated', trim(shapes(2)) // ')', ierr)
    else if (any(got /= wanted)) then
      call refuse(entry, argument, trim(shapes(1)) // ')', trim(shapes(2)) // ')', ierr)
    else
      misshapen = .false.
    end if
  end function misshapen

  ! What a C int cannot hold would be cut off on its way.
  logical function too_large(entry, names, values, ierr)
    character(len=*), intent(in) :: entry, names(:)
    integer(c_int64_t), intent(in) :: values(:)
    integer, intent(out), optional :: ierr
    character(len=24) :: got
    integer :: i
    too_large = .false.
    do i = 1, size(values)
      too_large = values(i) > huge(0_c_int) .or. values(i) < -huge(0_c_int)
      if (.not. too_large) cycle
      write (got, '(i0)') values(i)
      call refuse(entry, names(i), got, 'at most 2147483647, the largest C int: an array of ' &
          // 'more points has rank 3 or 4', ierr)
      return
    end do
  end function too_large

  ! Points of a stripe are numbered by C ints. The product itself may exceed 64 bits.
  logical function too_many(entry, interior, ierr)
    character(len=*), intent(in) :: entry
    integer(c_int64_t), intent(in) :: interior(3)
    integer, intent(out), optional :: ierr
    character(len=80) :: got
    too_many = product(real(interior, c_double)) > huge(0_c_int)
    if (.not. too_many) return
    write (got, '("the last of ", i0, " x ", i0, " x ", i0, " points")') interior
    call refuse(entry, 'stripeEnd', got, 'a number of at most 2147483647: give stripeStart and ' &
        // 'stripeEnd within a part of the interior, or use frame_bind', ierr)
  end function too_many

  subroutine refuse(entry, argument, got, wanted, ierr)
    character(len=*), intent(in) :: entry, argument, got, wanted
    integer, intent(out), optional :: ierr
    integer(c_int), target :: status
    call c_refuse(c_text(entry), c_text(argument), c_text(got), c_text(wanted), &
        address_if(present(ierr), status))
    call give(ierr, status)
  end subroutine refuse

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

  integer(c_int64_t) function either(given, otherwise)
    integer, intent(in), optional :: given
    integer(c_int64_t), intent(in) :: otherwise
    either = otherwise
    if (present(given)) either = int(given, c_int64_t)
  end function either

  ! With -fdefault-integer-8 a count may exceed C's range: it becomes negative, which is refused
  ! wherever a count is checked, on all ranks together if need be.
  elemental integer(c_int) function narrow(value)
    integer, intent(in) :: value
    integer, parameter :: largest = int(huge(0_c_int))
    narrow = int(merge(value, -largest, value >= -largest .and. value <= largest), c_int)
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

end module bridge_procedures

! From here on written from bridge.h by fortran_forms.py (python bridge/entry/fortran_forms.py)

module bridge
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int32_t, &
      c_int64_t, c_loc, c_ptr
  use bridge_interfaces
  use bridge_layouts
  use bridge_procedures
  implicit none
  private

  public :: bridge_ok, bridge_absent, bridge_start, bridge_argument, bridge_state, &
      bridge_exception, bridge_mpi, bridge_device, bridge_memory, bridge_points
  public :: frame_boot
  public :: frame_initialize
  public :: frame_finalize
  public :: frame_set
  public :: frame_castles_populateinputstripe
  public :: frame_castles_populateoutputstripe
  public :: frame_castles_populatepreosshareddata
  public :: frame_castles_populatechungshareddata
  public :: frame_tvproperties_preosthermalproperties
  public :: frame_tvproperties_preosrhohfromtpprop
  public :: frame_tvproperties_preosgammajacobianproperties
  public :: frame_tvproperties_preosviscousproperties
  public :: frame_tvproperties_preosviscousfluxproperties
  public :: frame_tvproperties_chungcalctransprop
  public :: frame_tvproperties_preoscalctfromhp
  public :: frame_tvproperties_eosthermalproperties
  public :: frame_tvproperties_eosrhohfromtpprop
  public :: frame_tvproperties_eoscalcrhoh0fromtp
  public :: frame_tvproperties_eosgammajacobianproperties
  public :: frame_tvproperties_eosthermalandviscousproperties
  public :: frame_launch
  public :: frame_bind
  public :: frame_bind_blocks
  public :: frame_bind_from
  public :: frame_unbind
  public :: frame_run
  public :: frame_run_several
  public :: frame_run_begin
  public :: frame_wait
  public :: frame_run_colour
  public :: frame_reduce
  public :: frame_reduce_several
  public :: frame_allreduce
  public :: frame_allreduce_several
  public :: frame_unchanged
  public :: frame_position
  public :: frame_position_blocks
  public :: frame_compare_begin
  public :: frame_compare
  public :: frame_compare_begin_sets
  public :: frame_compare_numbers
  public :: frame_compare_without
  public :: frame_record
  public :: frame_record_write
  public :: frame_gather
  public :: frame_scatter
  public :: frame_scan
  public :: frame_split
  public :: frame_sort_by_key
  public :: frame_transpose
  public :: frame_enter_data
  public :: frame_exit_data
  public :: frame_update_device
  public :: frame_update_host
  public :: frame_pack
  public :: frame_unpack
  public :: frame_device_address
  public :: frame_exchange_plan
  public :: frame_exchange
  public :: frame_exchange_begin
  public :: frame_exchange_wait
  public :: frame_sequence_begin
  public :: frame_sequence_end
  public :: frame_sequence_run
  public :: frame_constant
  public :: frame_allreduce_constant
  public :: frame_constant_value
  public :: frame_constants
  public :: frame_table
  public :: frame_python
  public :: frame_status
  public :: frame_last_error
  public :: frame_error_policy
  public :: frame_report
  public :: frame_doctor
  public :: frame_fingerprint
  public :: frame_status_counts
  public :: frame_status_points
  public :: frame_probe
  public :: frame_status_policy

  interface frame_castles_populateinputstripe
    module procedure input_1, input_2, input_3, input_4
  end interface frame_castles_populateinputstripe
  interface frame_castles_populateoutputstripe
    module procedure output_1, output_2, output_3, output_4
  end interface frame_castles_populateoutputstripe
  interface frame_bind
    module procedure bind_float64_1, bind_float64_2, bind_float64_3, bind_float64_4, &
        bind_float64_5, bind_float64_6, bind_float64_7, bind_float32_1, bind_float32_2, &
        bind_float32_3, bind_float32_4, bind_float32_5, bind_float32_6, bind_float32_7, &
        bind_int32_1, bind_int32_2, bind_int32_3, bind_int32_4, bind_int32_5, bind_int32_6, &
        bind_int32_7
  end interface frame_bind
  interface frame_bind_blocks
    module procedure bind_blocks_float64_1, bind_blocks_float64_2, bind_blocks_float64_3, &
        bind_blocks_float64_4, bind_blocks_float32_1, bind_blocks_float32_2, &
        bind_blocks_float32_3, bind_blocks_float32_4, bind_blocks_int32_1, bind_blocks_int32_2, &
        bind_blocks_int32_3, bind_blocks_int32_4
  end interface frame_bind_blocks
  interface frame_update_device
    module procedure update_device_1, update_device_2
  end interface frame_update_device
  interface frame_update_host
    module procedure update_host_1, update_host_2
  end interface frame_update_host
  interface frame_pack
    module procedure pack_float64_1, pack_float64_2, pack_float32_1, pack_float32_2, &
        pack_int32_1, pack_int32_2
  end interface frame_pack
  interface frame_unpack
    module procedure unpack_float64_1, unpack_float64_2, unpack_float32_1, unpack_float32_2, &
        unpack_int32_1, unpack_int32_2
  end interface frame_unpack
  interface frame_constant
    module procedure constant_real8_0, constant_real8_1, constant_real4_0, constant_real4_1, &
        constant_integer4_0, constant_integer4_1, constant_integer8_0, constant_integer8_1, &
        constant_logical_0, constant_logical_1
  end interface frame_constant
  interface frame_table
    module procedure table_1, table_2, table_3
  end interface frame_table

contains

  subroutine input_1(name, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: data(:)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_populateinputstripe, 'frame_castles_populateinputstripe', name, c_loc(data), &
        shape(data, kind=c_int64_t), is_contiguous(data), sptx, eptx, spty, epty, sptz, eptz, &
        sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine input_1

  subroutine input_2(name, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: data(:, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_populateinputstripe, 'frame_castles_populateinputstripe', name, c_loc(data), &
        shape(data, kind=c_int64_t), is_contiguous(data), sptx, eptx, spty, epty, sptz, eptz, &
        sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine input_2

  subroutine input_3(name, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: data(:, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_populateinputstripe, 'frame_castles_populateinputstripe', name, c_loc(data), &
        shape(data, kind=c_int64_t), is_contiguous(data), sptx, eptx, spty, epty, sptz, eptz, &
        sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine input_3

  subroutine input_4(name, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: data(:, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_populateinputstripe, 'frame_castles_populateinputstripe', name, c_loc(data), &
        shape(data, kind=c_int64_t), is_contiguous(data), sptx, eptx, spty, epty, sptz, eptz, &
        sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine input_4

  subroutine output_1(name, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(inout), target :: data(:)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_populateoutputstripe, 'frame_castles_populateoutputstripe', name, c_loc(data), &
        shape(data, kind=c_int64_t), is_contiguous(data), sptx, eptx, spty, epty, sptz, eptz, &
        sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine output_1

  subroutine output_2(name, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(inout), target :: data(:, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_populateoutputstripe, 'frame_castles_populateoutputstripe', name, c_loc(data), &
        shape(data, kind=c_int64_t), is_contiguous(data), sptx, eptx, spty, epty, sptz, eptz, &
        sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine output_2

  subroutine output_3(name, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(inout), target :: data(:, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_populateoutputstripe, 'frame_castles_populateoutputstripe', name, c_loc(data), &
        shape(data, kind=c_int64_t), is_contiguous(data), sptx, eptx, spty, epty, sptz, eptz, &
        sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine output_3

  subroutine output_4(name, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, &
      stripestart, stripeend, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(inout), target :: data(:, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    integer, intent(in), optional :: stripestart, stripeend
    integer, intent(out), optional :: ierr
    call stripe(c_populateoutputstripe, 'frame_castles_populateoutputstripe', name, c_loc(data), &
        shape(data, kind=c_int64_t), is_contiguous(data), sptx, eptx, spty, epty, sptz, eptz, &
        sptdata, eptdata, stripestart, stripeend, ierr)
  end subroutine output_4

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

  subroutine bind_float64_1(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(1)
    integer(c_int64_t) :: i(1), j(1)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1)))
    end if
    call bind_any(set, name, intent, type_float64, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float64_1

  subroutine bind_float64_2(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(2)
    integer(c_int64_t) :: i(2), j(2)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2)))
      next(2) = c_loc(data(i(1), j(2)))
    end if
    call bind_any(set, name, intent, type_float64, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float64_2

  subroutine bind_float64_3(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(3)
    integer(c_int64_t) :: i(3), j(3)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3)))
      next(2) = c_loc(data(i(1), j(2), i(3)))
      next(3) = c_loc(data(i(1), i(2), j(3)))
    end if
    call bind_any(set, name, intent, type_float64, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float64_3

  subroutine bind_float64_4(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(4)
    integer(c_int64_t) :: i(4), j(4)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4)))
    end if
    call bind_any(set, name, intent, type_float64, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float64_4

  subroutine bind_float64_5(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(5)
    integer(c_int64_t) :: i(5), j(5)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4), i(5)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4), i(5)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4), i(5)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4), i(5)))
      next(5) = c_loc(data(i(1), i(2), i(3), i(4), j(5)))
    end if
    call bind_any(set, name, intent, type_float64, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float64_5

  subroutine bind_float64_6(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :, :, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(6)
    integer(c_int64_t) :: i(6), j(6)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4), i(5), i(6)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4), i(5), i(6)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4), i(5), i(6)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4), i(5), i(6)))
      next(5) = c_loc(data(i(1), i(2), i(3), i(4), j(5), i(6)))
      next(6) = c_loc(data(i(1), i(2), i(3), i(4), i(5), j(6)))
    end if
    call bind_any(set, name, intent, type_float64, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float64_6

  subroutine bind_float64_7(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :, :, :, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(7)
    integer(c_int64_t) :: i(7), j(7)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4), i(5), i(6), i(7)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4), i(5), i(6), i(7)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4), i(5), i(6), i(7)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4), i(5), i(6), i(7)))
      next(5) = c_loc(data(i(1), i(2), i(3), i(4), j(5), i(6), i(7)))
      next(6) = c_loc(data(i(1), i(2), i(3), i(4), i(5), j(6), i(7)))
      next(7) = c_loc(data(i(1), i(2), i(3), i(4), i(5), i(6), j(7)))
    end if
    call bind_any(set, name, intent, type_float64, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float64_7

  subroutine bind_float32_1(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(1)
    integer(c_int64_t) :: i(1), j(1)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1)))
    end if
    call bind_any(set, name, intent, type_float32, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float32_1

  subroutine bind_float32_2(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(2)
    integer(c_int64_t) :: i(2), j(2)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2)))
      next(2) = c_loc(data(i(1), j(2)))
    end if
    call bind_any(set, name, intent, type_float32, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float32_2

  subroutine bind_float32_3(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(3)
    integer(c_int64_t) :: i(3), j(3)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3)))
      next(2) = c_loc(data(i(1), j(2), i(3)))
      next(3) = c_loc(data(i(1), i(2), j(3)))
    end if
    call bind_any(set, name, intent, type_float32, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float32_3

  subroutine bind_float32_4(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(4)
    integer(c_int64_t) :: i(4), j(4)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4)))
    end if
    call bind_any(set, name, intent, type_float32, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float32_4

  subroutine bind_float32_5(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:, :, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(5)
    integer(c_int64_t) :: i(5), j(5)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4), i(5)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4), i(5)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4), i(5)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4), i(5)))
      next(5) = c_loc(data(i(1), i(2), i(3), i(4), j(5)))
    end if
    call bind_any(set, name, intent, type_float32, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float32_5

  subroutine bind_float32_6(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:, :, :, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(6)
    integer(c_int64_t) :: i(6), j(6)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4), i(5), i(6)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4), i(5), i(6)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4), i(5), i(6)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4), i(5), i(6)))
      next(5) = c_loc(data(i(1), i(2), i(3), i(4), j(5), i(6)))
      next(6) = c_loc(data(i(1), i(2), i(3), i(4), i(5), j(6)))
    end if
    call bind_any(set, name, intent, type_float32, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float32_6

  subroutine bind_float32_7(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:, :, :, :, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(7)
    integer(c_int64_t) :: i(7), j(7)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4), i(5), i(6), i(7)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4), i(5), i(6), i(7)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4), i(5), i(6), i(7)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4), i(5), i(6), i(7)))
      next(5) = c_loc(data(i(1), i(2), i(3), i(4), j(5), i(6), i(7)))
      next(6) = c_loc(data(i(1), i(2), i(3), i(4), i(5), j(6), i(7)))
      next(7) = c_loc(data(i(1), i(2), i(3), i(4), i(5), i(6), j(7)))
    end if
    call bind_any(set, name, intent, type_float32, c_loc(data), shape(data, kind=c_int64_t), &
        next, sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_float32_7

  subroutine bind_int32_1(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(1)
    integer(c_int64_t) :: i(1), j(1)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1)))
    end if
    call bind_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), next, &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_int32_1

  subroutine bind_int32_2(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(2)
    integer(c_int64_t) :: i(2), j(2)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2)))
      next(2) = c_loc(data(i(1), j(2)))
    end if
    call bind_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), next, &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_int32_2

  subroutine bind_int32_3(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(3)
    integer(c_int64_t) :: i(3), j(3)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3)))
      next(2) = c_loc(data(i(1), j(2), i(3)))
      next(3) = c_loc(data(i(1), i(2), j(3)))
    end if
    call bind_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), next, &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_int32_3

  subroutine bind_int32_4(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(4)
    integer(c_int64_t) :: i(4), j(4)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4)))
    end if
    call bind_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), next, &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_int32_4

  subroutine bind_int32_5(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:, :, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(5)
    integer(c_int64_t) :: i(5), j(5)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4), i(5)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4), i(5)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4), i(5)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4), i(5)))
      next(5) = c_loc(data(i(1), i(2), i(3), i(4), j(5)))
    end if
    call bind_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), next, &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_int32_5

  subroutine bind_int32_6(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:, :, :, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(6)
    integer(c_int64_t) :: i(6), j(6)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4), i(5), i(6)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4), i(5), i(6)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4), i(5), i(6)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4), i(5), i(6)))
      next(5) = c_loc(data(i(1), i(2), i(3), i(4), j(5), i(6)))
      next(6) = c_loc(data(i(1), i(2), i(3), i(4), i(5), j(6)))
    end if
    call bind_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), next, &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_int32_6

  subroutine bind_int32_7(set, name, intent, data, sptx, eptx, spty, epty, sptz, eptz, sptdata, &
      eptdata, component_first, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:, :, :, :, :, :, :)
    integer, intent(in), optional :: sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata
    logical, intent(in), optional :: component_first
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    type(c_ptr) :: next(7)
    integer(c_int64_t) :: i(7), j(7)
    next = c_loc(data)
    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then
      i = lbound(data, kind=c_int64_t)
      j = min(i + 1, ubound(data, kind=c_int64_t))
      next(1) = c_loc(data(j(1), i(2), i(3), i(4), i(5), i(6), i(7)))
      next(2) = c_loc(data(i(1), j(2), i(3), i(4), i(5), i(6), i(7)))
      next(3) = c_loc(data(i(1), i(2), j(3), i(4), i(5), i(6), i(7)))
      next(4) = c_loc(data(i(1), i(2), i(3), j(4), i(5), i(6), i(7)))
      next(5) = c_loc(data(i(1), i(2), i(3), i(4), j(5), i(6), i(7)))
      next(6) = c_loc(data(i(1), i(2), i(3), i(4), i(5), j(6), i(7)))
      next(7) = c_loc(data(i(1), i(2), i(3), i(4), i(5), i(6), j(7)))
    end if
    call bind_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), next, &
        sptx, eptx, spty, epty, sptz, eptz, sptdata, eptdata, component_first, scale, ierr)
  end subroutine bind_int32_7

  subroutine bind_blocks_float64_1(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_float64, c_loc(data), shape(data, &
        kind=c_int64_t), is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_float64_1

  subroutine bind_blocks_float64_2(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_float64, c_loc(data), shape(data, &
        kind=c_int64_t), is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_float64_2

  subroutine bind_blocks_float64_3(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :, :)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_float64, c_loc(data), shape(data, &
        kind=c_int64_t), is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_float64_3

  subroutine bind_blocks_float64_4(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_double), pointer, intent(in) :: data(:, :, :, :)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_float64, c_loc(data), shape(data, &
        kind=c_int64_t), is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_float64_4

  subroutine bind_blocks_float32_1(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_float32, c_loc(data), shape(data, &
        kind=c_int64_t), is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_float32_1

  subroutine bind_blocks_float32_2(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:, :)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_float32, c_loc(data), shape(data, &
        kind=c_int64_t), is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_float32_2

  subroutine bind_blocks_float32_3(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:, :, :)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_float32, c_loc(data), shape(data, &
        kind=c_int64_t), is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_float32_3

  subroutine bind_blocks_float32_4(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    real(c_float), pointer, intent(in) :: data(:, :, :, :)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_float32, c_loc(data), shape(data, &
        kind=c_int64_t), is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_float32_4

  subroutine bind_blocks_int32_1(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), &
        is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_int32_1

  subroutine bind_blocks_int32_2(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:, :)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), &
        is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_int32_2

  subroutine bind_blocks_int32_3(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:, :, :)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), &
        is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_int32_3

  subroutine bind_blocks_int32_4(set, name, intent, data, nb, bounds, offsets, scale, ierr)
    character(len=*), intent(in) :: set, name, intent
    integer(c_int), pointer, intent(in) :: data(:, :, :, :)
    integer, intent(in) :: nb, bounds(:, :)
    integer(c_int64_t), intent(in) :: offsets(:)
    real(c_double), intent(in), optional :: scale
    integer, intent(out), optional :: ierr
    call bind_blocks_any(set, name, intent, type_int32, c_loc(data), shape(data, kind=c_int64_t), &
        is_contiguous(data), nb, bounds, offsets, scale, ierr)
  end subroutine bind_blocks_int32_4

  subroutine update_device_1(set, name, box, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in), optional :: box(:)
    integer, intent(out), optional :: ierr
    call update_any(c_update_device, 'frame_update_device', set, name, &
        as_list(box), present(box), ierr)
  end subroutine update_device_1

  subroutine update_device_2(set, name, box, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(:, :)
    integer, intent(out), optional :: ierr
    call update_any(c_update_device, 'frame_update_device', set, name, &
        box, .true., ierr)
  end subroutine update_device_2

  subroutine update_host_1(set, name, box, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in), optional :: box(:)
    integer, intent(out), optional :: ierr
    call update_any(c_update_host, 'frame_update_host', set, name, &
        as_list(box), present(box), ierr)
  end subroutine update_host_1

  subroutine update_host_2(set, name, box, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(:, :)
    integer, intent(out), optional :: ierr
    call update_any(c_update_host, 'frame_update_host', set, name, &
        box, .true., ierr)
  end subroutine update_host_2

  subroutine pack_float64_1(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in), optional :: box(:)
    real(c_double), intent(inout), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_pack_typed, 'frame_pack', set, name, &
        as_list(box), present(box), type_float64, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine pack_float64_1

  subroutine pack_float64_2(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(:, :)
    real(c_double), intent(inout), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_pack_typed, 'frame_pack', set, name, &
        box, .true., type_float64, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine pack_float64_2

  subroutine pack_float32_1(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in), optional :: box(:)
    real(c_float), intent(inout), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_pack_typed, 'frame_pack', set, name, &
        as_list(box), present(box), type_float32, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine pack_float32_1

  subroutine pack_float32_2(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(:, :)
    real(c_float), intent(inout), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_pack_typed, 'frame_pack', set, name, &
        box, .true., type_float32, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine pack_float32_2

  subroutine pack_int32_1(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in), optional :: box(:)
    integer(c_int), intent(inout), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_pack_typed, 'frame_pack', set, name, &
        as_list(box), present(box), type_int32, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine pack_int32_1

  subroutine pack_int32_2(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(:, :)
    integer(c_int), intent(inout), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_pack_typed, 'frame_pack', set, name, &
        box, .true., type_int32, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine pack_int32_2

  subroutine unpack_float64_1(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in), optional :: box(:)
    real(c_double), intent(in), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_unpack_typed, 'frame_unpack', set, name, &
        as_list(box), present(box), type_float64, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine unpack_float64_1

  subroutine unpack_float64_2(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(:, :)
    real(c_double), intent(in), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_unpack_typed, 'frame_unpack', set, name, &
        box, .true., type_float64, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine unpack_float64_2

  subroutine unpack_float32_1(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in), optional :: box(:)
    real(c_float), intent(in), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_unpack_typed, 'frame_unpack', set, name, &
        as_list(box), present(box), type_float32, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine unpack_float32_1

  subroutine unpack_float32_2(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(:, :)
    real(c_float), intent(in), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_unpack_typed, 'frame_unpack', set, name, &
        box, .true., type_float32, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine unpack_float32_2

  subroutine unpack_int32_1(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in), optional :: box(:)
    integer(c_int), intent(in), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_unpack_typed, 'frame_unpack', set, name, &
        as_list(box), present(box), type_int32, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine unpack_int32_1

  subroutine unpack_int32_2(set, name, box, buffer, ierr)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(:, :)
    integer(c_int), intent(in), target :: buffer(:)
    integer, intent(out), optional :: ierr
    call pack_any(c_unpack_typed, 'frame_unpack', set, name, &
        box, .true., type_int32, c_loc(buffer), &
        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)
  end subroutine unpack_int32_2

  subroutine constant_real8_0(name, value, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: ierr
    call constant_real(name, [real(value, c_double)], ierr)
  end subroutine constant_real8_0

  subroutine constant_real8_1(name, value, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: value(:)
    integer, intent(out), optional :: ierr
    call constant_real(name, real(value, c_double), ierr)
  end subroutine constant_real8_1

  subroutine constant_real4_0(name, value, ierr)
    character(len=*), intent(in) :: name
    real(c_float), intent(in) :: value
    integer, intent(out), optional :: ierr
    call constant_real(name, [real(value, c_double)], ierr)
  end subroutine constant_real4_0

  subroutine constant_real4_1(name, value, ierr)
    character(len=*), intent(in) :: name
    real(c_float), intent(in) :: value(:)
    integer, intent(out), optional :: ierr
    call constant_real(name, real(value, c_double), ierr)
  end subroutine constant_real4_1

  subroutine constant_integer4_0(name, value, ierr)
    character(len=*), intent(in) :: name
    integer(c_int32_t), intent(in) :: value
    integer, intent(out), optional :: ierr
    call constant_integer(name, [int(value, c_int64_t)], ierr)
  end subroutine constant_integer4_0

  subroutine constant_integer4_1(name, value, ierr)
    character(len=*), intent(in) :: name
    integer(c_int32_t), intent(in) :: value(:)
    integer, intent(out), optional :: ierr
    call constant_integer(name, int(value, c_int64_t), ierr)
  end subroutine constant_integer4_1

  subroutine constant_integer8_0(name, value, ierr)
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: ierr
    call constant_integer(name, [int(value, c_int64_t)], ierr)
  end subroutine constant_integer8_0

  subroutine constant_integer8_1(name, value, ierr)
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: value(:)
    integer, intent(out), optional :: ierr
    call constant_integer(name, int(value, c_int64_t), ierr)
  end subroutine constant_integer8_1

  subroutine constant_logical_0(name, value, ierr)
    character(len=*), intent(in) :: name
    logical, intent(in) :: value
    integer, intent(out), optional :: ierr
    call constant_logical(name, [merge(1_c_int, 0_c_int, value)], ierr)
  end subroutine constant_logical_0

  subroutine constant_logical_1(name, value, ierr)
    character(len=*), intent(in) :: name
    logical, intent(in) :: value(:)
    integer, intent(out), optional :: ierr
    call constant_logical(name, merge(1_c_int, 0_c_int, value), ierr)
  end subroutine constant_logical_1

  subroutine table_1(name, array, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: array(:)
    integer, intent(out), optional :: ierr
    call table_any(name, c_loc(array), shape(array, kind=c_int64_t), is_contiguous(array), ierr)
  end subroutine table_1

  subroutine table_2(name, array, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: array(:, :)
    integer, intent(out), optional :: ierr
    call table_any(name, c_loc(array), shape(array, kind=c_int64_t), is_contiguous(array), ierr)
  end subroutine table_2

  subroutine table_3(name, array, ierr)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), target :: array(:, :, :)
    integer, intent(out), optional :: ierr
    call table_any(name, c_loc(array), shape(array, kind=c_int64_t), is_contiguous(array), ierr)
  end subroutine table_3

end module bridge
