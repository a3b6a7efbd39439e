! bridge_absent.f90: stand-ins for the entries in libbridge.so, for a machine without Python;
! written from bridge.h by fortran_forms.py (python bridge/entry/fortran_forms.py).
!
! Compile it in place of bridge_interfaces.f90, before bridge.f90, and link nothing: the solver
! builds and runs unchanged, and every call returns bridge_absent, frame_status() too.
module bridge_stand_ins
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, &
      c_funptr, c_int, c_int64_t, c_ptr
  implicit none
  private :: c_associated, c_char, c_double, c_f_pointer, c_funptr, c_int, c_int64_t, &
      c_ptr

  integer, parameter :: &
      bridge_ok = 0, &          ! success
      bridge_absent = -1, &     ! built with bridge_absent.f90
      bridge_start = -2, &      ! Python could not be started, or could not import bridge
      bridge_argument = -3, &   ! a bad argument
      bridge_state = -4, &      ! a call out of order
      bridge_exception = -5, &  ! a Python exception, SystemExit included
      bridge_mpi = -6, &        ! MPI is not as the call needs it
      bridge_device = -7, &     ! no such device, or the device failed
      bridge_memory = -8, &     ! out of host or device memory
      bridge_points = -9        ! bad points, with status policy "stop"

  character(len=*), parameter, private :: message = &
      'this program was built with bridge_absent.f90: there is no bridge in it'

contains

  subroutine c_boot(ierr) bind(c, name="")
    type(c_ptr), value :: ierr
    call tell_absent(ierr)
  end subroutine c_boot

  subroutine c_initialize(device_id, nGridPoints, ns, nq, iTurb) bind(c, name="")
    integer(c_int), value :: device_id, nGridPoints, ns, nq, iTurb
    associate (device_id_ => device_id, nGridPoints_ => nGridPoints, ns_ => ns, nq_ => nq, &
        iTurb_ => iTurb)
    end associate
  end subroutine c_initialize

  subroutine c_initialize_comm(device_id, nGridPoints, ns, nq, iTurb, comm, ierr) bind(c, name="")
    integer(c_int), value :: device_id, nGridPoints, ns, nq, iTurb, comm
    type(c_ptr), value :: ierr
    associate (device_id_ => device_id, nGridPoints_ => nGridPoints, ns_ => ns, nq_ => nq, &
        iTurb_ => iTurb, comm_ => comm)
    end associate
    call tell_absent(ierr)
  end subroutine c_initialize_comm

  subroutine c_finalize() bind(c, name="")
  end subroutine c_finalize

  subroutine c_set(key, value, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: key(*), value(*)
    type(c_ptr), value :: ierr
    associate (key_ => key(1), value_ => value(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_set

  subroutine c_populateinputstripe(name, data, nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, &
      SptData, EptData, stripeStart, stripeEnd) bind(c, name="")
    character(kind=c_char), intent(in) :: name(*)
    type(c_ptr), value :: data
    integer(c_int), value :: nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData, &
        stripeStart, stripeEnd
    associate (name_ => name(1), data_ => data, nx_ => nx, ny_ => ny, nz_ => nz, SptX_ => SptX, &
        EptX_ => EptX, SptY_ => SptY, EptY_ => EptY, SptZ_ => SptZ, EptZ_ => EptZ, &
        SptData_ => SptData, EptData_ => EptData, stripeStart_ => stripeStart, &
        stripeEnd_ => stripeEnd)
    end associate
  end subroutine c_populateinputstripe

  subroutine c_populatepreosshareddata(W, Tc, Pc, omega, nasa7, kij) bind(c, name="")
    real(c_double), intent(in) :: W(*), Tc(*), Pc(*), omega(*), nasa7(*)
    real(c_double), intent(in), optional :: kij(*)
    associate (W_ => W(1), Tc_ => Tc(1), Pc_ => Pc(1), omega_ => omega(1), nasa7_ => nasa7(1), &
        kij_ => present(kij))
    end associate
  end subroutine c_populatepreosshareddata

  subroutine c_populatechungshareddata(Vc, dipole, kappa) bind(c, name="")
    real(c_double), intent(in) :: Vc(*), dipole(*), kappa(*)
    associate (Vc_ => Vc(1), dipole_ => dipole(1), kappa_ => kappa(1))
    end associate
  end subroutine c_populatechungshareddata

  subroutine c_preosthermalproperties(nActivePoints) bind(c, name="")
    integer(c_int), value :: nActivePoints
    associate (nActivePoints_ => nActivePoints)
    end associate
  end subroutine c_preosthermalproperties

  subroutine c_launch(kernel, n, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: kernel(*)
    integer(c_int), value :: n
    type(c_ptr), value :: ierr
    associate (kernel_ => kernel(1), n_ => n)
    end associate
    call tell_absent(ierr)
  end subroutine c_launch

  subroutine c_bind(set, name, intent, data, bounds, scale, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*), intent(*)
    type(c_ptr), value :: data
    integer(c_int), intent(in) :: bounds(*)
    real(c_double), value :: scale
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), intent_ => intent(1), data_ => data, &
        bounds_ => bounds(1), scale_ => scale)
    end associate
    call tell_absent(ierr)
  end subroutine c_bind

  subroutine c_bind_typed(set, name, intent, type, data, bounds, scale, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*), intent(*)
    integer(c_int), value :: type
    type(c_ptr), value :: data
    integer(c_int), intent(in) :: bounds(*)
    real(c_double), value :: scale
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), intent_ => intent(1), type_ => type, &
        data_ => data, bounds_ => bounds(1), scale_ => scale)
    end associate
    call tell_absent(ierr)
  end subroutine c_bind_typed

  subroutine c_bind_blocks(set, name, intent, data, nb, bounds, offsets, scale, ierr) &
      bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*), intent(*)
    type(c_ptr), value :: data
    integer(c_int), value :: nb
    integer(c_int), intent(in) :: bounds(*)
    integer(c_int64_t), intent(in) :: offsets(*)
    real(c_double), value :: scale
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), intent_ => intent(1), data_ => data, nb_ => nb, &
        bounds_ => bounds(1), offsets_ => offsets(1), scale_ => scale)
    end associate
    call tell_absent(ierr)
  end subroutine c_bind_blocks

  subroutine c_bind_blocks_typed(set, name, intent, type, data, nb, bounds, offsets, scale, ierr) &
      bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*), intent(*)
    integer(c_int), value :: type
    type(c_ptr), value :: data
    integer(c_int), value :: nb
    integer(c_int), intent(in) :: bounds(*)
    integer(c_int64_t), intent(in) :: offsets(*)
    real(c_double), value :: scale
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), intent_ => intent(1), type_ => type, &
        data_ => data, nb_ => nb, bounds_ => bounds(1), offsets_ => offsets(1), scale_ => scale)
    end associate
    call tell_absent(ierr)
  end subroutine c_bind_blocks_typed

  subroutine c_bind_from(set, name, from, shift, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*), from(*)
    integer(c_int), intent(in) :: shift(*)
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), from_ => from(1), shift_ => shift(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_bind_from

  subroutine c_unbind(set, name, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_unbind

  subroutine c_run(set, composite, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), composite(*)
    type(c_ptr), value :: ierr
    associate (set_ => set(1), composite_ => composite(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_run

  subroutine c_run_several(sets, composites, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: sets(*), composites(*)
    type(c_ptr), value :: ierr
    associate (sets_ => sets(1), composites_ => composites(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_run_several

  subroutine c_wait(set, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*)
    type(c_ptr), value :: ierr
    associate (set_ => set(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_wait

  subroutine c_run_box(set, composite, boxes, nBoxes, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), composite(*)
    integer(c_int), intent(in) :: boxes(*)
    integer(c_int), value :: nBoxes
    type(c_ptr), value :: ierr
    associate (set_ => set(1), composite_ => composite(1), boxes_ => boxes(1), nBoxes_ => nBoxes)
    end associate
    call tell_absent(ierr)
  end subroutine c_run_box

  subroutine c_run_colour(set, kernel, colour, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), kernel(*)
    integer(c_int), value :: colour
    type(c_ptr), value :: ierr
    associate (set_ => set(1), kernel_ => kernel(1), colour_ => colour)
    end associate
    call tell_absent(ierr)
  end subroutine c_run_colour

  subroutine c_reduce(set, quantity, operation, component, nValues, value, place, ierr) &
      bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), quantity(*), operation(*)
    integer(c_int), value :: component, nValues
    type(c_ptr), value :: value, place, ierr
    associate (set_ => set(1), quantity_ => quantity(1), operation_ => operation(1), &
        component_ => component, nValues_ => nValues, value_ => value, place_ => place)
    end associate
    call tell_absent(ierr)
  end subroutine c_reduce

  subroutine c_reduce_several(set, quantities, operations, components, n, nValues, value, place, &
      ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), quantities(*), operations(*)
    integer(c_int), intent(in), optional :: components(*)
    integer(c_int), value :: n, nValues
    type(c_ptr), value :: value, place, ierr
    associate (set_ => set(1), quantities_ => quantities(1), operations_ => operations(1), &
        components_ => present(components), n_ => n, nValues_ => nValues, value_ => value, &
        place_ => place)
    end associate
    call tell_absent(ierr)
  end subroutine c_reduce_several

  subroutine c_position(set, i, j, k, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*)
    integer(c_int), value :: i, j, k
    type(c_ptr), value :: ierr
    associate (set_ => set(1), i_ => i, j_ => j, k_ => k)
    end associate
    call tell_absent(ierr)
  end subroutine c_position

  subroutine c_position_blocks(set, nb, ijk, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*)
    integer(c_int), value :: nb
    integer(c_int), intent(in) :: ijk(*)
    type(c_ptr), value :: ierr
    associate (set_ => set(1), nb_ => nb, ijk_ => ijk(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_position_blocks

  subroutine c_compare_begin(set, composite, share, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), composite(*)
    real(c_double), value :: share
    type(c_ptr), value :: ierr
    associate (set_ => set(1), composite_ => composite(1), share_ => share)
    end associate
    call tell_absent(ierr)
  end subroutine c_compare_begin

  subroutine c_compare(set, composite, worst, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), composite(*)
    type(c_ptr), value :: worst, ierr
    associate (set_ => set(1), composite_ => composite(1), worst_ => worst)
    end associate
    call tell_absent(ierr)
  end subroutine c_compare

  subroutine c_compare_begin_sets(sets, composites, share, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: sets(*), composites(*)
    real(c_double), value :: share
    type(c_ptr), value :: ierr
    associate (sets_ => sets(1), composites_ => composites(1), share_ => share)
    end associate
    call tell_absent(ierr)
  end subroutine c_compare_begin_sets

  subroutine c_compare_numbers(set, composite, name, n, original, bridge, scale, worst, ierr) &
      bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), composite(*), name(*)
    integer(c_int), value :: n
    real(c_double), intent(in) :: original(*), bridge(*), scale(*)
    type(c_ptr), value :: worst, ierr
    associate (set_ => set(1), composite_ => composite(1), name_ => name(1), n_ => n, &
        original_ => original(1), bridge_ => bridge(1), scale_ => scale(1), worst_ => worst)
    end associate
    call tell_absent(ierr)
  end subroutine c_compare_numbers

  subroutine c_compare_without(set, name, in_place, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    integer(c_int), value :: in_place
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), in_place_ => in_place)
    end associate
    call tell_absent(ierr)
  end subroutine c_compare_without

  subroutine c_record(set, composite, file, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), composite(*), file(*)
    type(c_ptr), value :: ierr
    associate (set_ => set(1), composite_ => composite(1), file_ => file(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_record

  subroutine c_gather(set, name, points, nPoints, values, nValues, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    integer(c_int), intent(in) :: points(*)
    integer(c_int), value :: nPoints
    type(c_ptr), value :: values
    integer(c_int), value :: nValues
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), points_ => points(1), nPoints_ => nPoints, &
        values_ => values, nValues_ => nValues)
    end associate
    call tell_absent(ierr)
  end subroutine c_gather

  subroutine c_scatter(set, name, points, nPoints, values, nValues, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    integer(c_int), intent(in) :: points(*)
    integer(c_int), value :: nPoints
    real(c_double), intent(in) :: values(*)
    integer(c_int), value :: nValues
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), points_ => points(1), nPoints_ => nPoints, &
        values_ => values(1), nValues_ => nValues)
    end associate
    call tell_absent(ierr)
  end subroutine c_scatter

  subroutine c_scan(set, name, exclusive, values, nValues, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    integer(c_int), value :: exclusive
    type(c_ptr), value :: values
    integer(c_int), value :: nValues
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), exclusive_ => exclusive, values_ => values, &
        nValues_ => nValues)
    end associate
    call tell_absent(ierr)
  end subroutine c_scan

  subroutine c_split(set, name, points, nPoints, nOn, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    type(c_ptr), value :: points
    integer(c_int), value :: nPoints
    type(c_ptr), value :: nOn, ierr
    associate (set_ => set(1), name_ => name(1), points_ => points, nPoints_ => nPoints, &
        nOn_ => nOn)
    end associate
    call tell_absent(ierr)
  end subroutine c_split

  subroutine c_sort_by_key(set, name, points, nPoints, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    type(c_ptr), value :: points
    integer(c_int), value :: nPoints
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), points_ => points, nPoints_ => nPoints)
    end associate
    call tell_absent(ierr)
  end subroutine c_sort_by_key

  subroutine c_transpose(set, name, values, nValues, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    type(c_ptr), value :: values
    integer(c_int), value :: nValues
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), values_ => values, nValues_ => nValues)
    end associate
    call tell_absent(ierr)
  end subroutine c_transpose

  subroutine c_enter_data(set, name, clause, layout, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*), clause(*), layout(*)
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), clause_ => clause(1), layout_ => layout(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_enter_data

  subroutine c_exit_data(set, name, clause, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*), clause(*)
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), clause_ => clause(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_exit_data

  subroutine c_update_device(set, name, boxes, nBoxes, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    integer(c_int), intent(in) :: boxes(*)
    integer(c_int), value :: nBoxes
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), boxes_ => boxes(1), nBoxes_ => nBoxes)
    end associate
    call tell_absent(ierr)
  end subroutine c_update_device

  subroutine c_pack(set, name, boxes, nBoxes, buffer, nBuffer, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    integer(c_int), intent(in) :: boxes(*)
    integer(c_int), value :: nBoxes
    type(c_ptr), value :: buffer
    integer(c_int), value :: nBuffer
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), boxes_ => boxes(1), nBoxes_ => nBoxes, &
        buffer_ => buffer, nBuffer_ => nBuffer)
    end associate
    call tell_absent(ierr)
  end subroutine c_pack

  subroutine c_unpack(set, name, boxes, nBoxes, buffer, nBuffer, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    integer(c_int), intent(in) :: boxes(*)
    integer(c_int), value :: nBoxes
    real(c_double), intent(in) :: buffer(*)
    integer(c_int), value :: nBuffer
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), boxes_ => boxes(1), nBoxes_ => nBoxes, &
        buffer_ => buffer(1), nBuffer_ => nBuffer)
    end associate
    call tell_absent(ierr)
  end subroutine c_unpack

  subroutine c_pack_typed(set, name, boxes, nBoxes, type, buffer, nBuffer, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    integer(c_int), intent(in) :: boxes(*)
    integer(c_int), value :: nBoxes, type
    type(c_ptr), value :: buffer
    integer(c_int), value :: nBuffer
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), boxes_ => boxes(1), nBoxes_ => nBoxes, &
        type_ => type, buffer_ => buffer, nBuffer_ => nBuffer)
    end associate
    call tell_absent(ierr)
  end subroutine c_pack_typed

  subroutine c_unpack_typed(set, name, boxes, nBoxes, type, buffer, nBuffer, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    integer(c_int), intent(in) :: boxes(*)
    integer(c_int), value :: nBoxes, type
    type(c_ptr), value :: buffer
    integer(c_int), value :: nBuffer
    type(c_ptr), value :: ierr
    associate (set_ => set(1), name_ => name(1), boxes_ => boxes(1), nBoxes_ => nBoxes, &
        type_ => type, buffer_ => buffer, nBuffer_ => nBuffer)
    end associate
    call tell_absent(ierr)
  end subroutine c_unpack_typed

  subroutine c_device_address(set, name, address, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), name(*)
    type(c_ptr), value :: address, ierr
    associate (set_ => set(1), name_ => name(1), address_ => address)
    end associate
    call tell_absent(ierr)
  end subroutine c_device_address

  subroutine c_exchange_plan(name, sets, arrays, peers, tags, sendBlocks, sendBoxes, recvBlocks, &
      recvBoxes, n, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: name(*), sets(*), arrays(*)
    integer(c_int), intent(in) :: peers(*), tags(*), sendBlocks(*), sendBoxes(*), recvBlocks(*), &
        recvBoxes(*)
    integer(c_int), value :: n
    type(c_ptr), value :: ierr
    associate (name_ => name(1), sets_ => sets(1), arrays_ => arrays(1), peers_ => peers(1), &
        tags_ => tags(1), sendBlocks_ => sendBlocks(1), sendBoxes_ => sendBoxes(1), &
        recvBlocks_ => recvBlocks(1), recvBoxes_ => recvBoxes(1), n_ => n)
    end associate
    call tell_absent(ierr)
  end subroutine c_exchange_plan

  subroutine c_exchange(name, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: name(*)
    type(c_ptr), value :: ierr
    associate (name_ => name(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_exchange

  subroutine c_constant(name, value, type, n, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: name(*)
    type(c_ptr), value :: value
    integer(c_int), value :: type, n
    type(c_ptr), value :: ierr
    associate (name_ => name(1), value_ => value, type_ => type, n_ => n)
    end associate
    call tell_absent(ierr)
  end subroutine c_constant

  subroutine c_allreduce_constant(sets, quantity, operation, constant, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: sets(*), quantity(*), operation(*), constant(*)
    type(c_ptr), value :: ierr
    associate (sets_ => sets(1), quantity_ => quantity(1), operation_ => operation(1), &
        constant_ => constant(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_allreduce_constant

  subroutine c_constant_value(constant, value, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: constant(*)
    type(c_ptr), value :: value, ierr
    associate (constant_ => constant(1), value_ => value)
    end associate
    call tell_absent(ierr)
  end subroutine c_constant_value

  subroutine c_constants(names, values, n, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: names(*)
    real(c_double), intent(in) :: values(*)
    integer(c_int), value :: n
    type(c_ptr), value :: ierr
    associate (names_ => names(1), values_ => values(1), n_ => n)
    end associate
    call tell_absent(ierr)
  end subroutine c_constants

  subroutine c_table(name, values, sizes, rank, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: name(*)
    type(c_ptr), value :: values
    integer(c_int), intent(in) :: sizes(*)
    integer(c_int), value :: rank
    type(c_ptr), value :: ierr
    associate (name_ => name(1), values_ => values, sizes_ => sizes(1), rank_ => rank)
    end associate
    call tell_absent(ierr)
  end subroutine c_table

  subroutine c_python(set, function, values, nValues, text, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), function(*)
    real(c_double), intent(in) :: values(*)
    integer(c_int), value :: nValues
    character(kind=c_char), intent(in) :: text(*)
    type(c_ptr), value :: ierr
    associate (set_ => set(1), function_ => function(1), values_ => values(1), &
        nValues_ => nValues, text_ => text(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_python

  integer(c_int) function c_status() bind(c, name="")
    c_status = bridge_absent
  end function c_status

  subroutine c_last_error(buffer, len) bind(c, name="")
    character(kind=c_char), intent(out) :: buffer(*)
    integer(c_int), value :: len
    integer :: i
    buffer(:len) = ' '
    do i = 1, min(int(len), len_trim(message))
      buffer(i) = message(i:i)
    end do
  end subroutine c_last_error

  subroutine c_error_policy(policy, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: policy(*)
    type(c_ptr), value :: ierr
    associate (policy_ => policy(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_error_policy

  subroutine c_doctor(file, ranks, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: file(*), ranks(*)
    type(c_ptr), value :: ierr
    associate (file_ => file(1), ranks_ => ranks(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_doctor

  subroutine c_fingerprint(buffer, len, ierr) bind(c, name="")
    character(kind=c_char), intent(out) :: buffer(*)
    integer(c_int), value :: len
    type(c_ptr), value :: ierr
    associate (buffer_ => buffer(1), len_ => len)
    end associate
    call tell_absent(ierr)
  end subroutine c_fingerprint

  subroutine c_status_counts(set, n, counts, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*)
    integer(c_int), value :: n
    type(c_ptr), value :: counts, ierr
    associate (set_ => set(1), n_ => n, counts_ => counts)
    end associate
    call tell_absent(ierr)
  end subroutine c_status_counts

  subroutine c_status_points(set, bits, most, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*)
    integer(c_int), value :: bits, most
    type(c_ptr), value :: ierr
    associate (set_ => set(1), bits_ => bits, most_ => most)
    end associate
    call tell_absent(ierr)
  end subroutine c_status_points

  subroutine c_probe(set, composite, i, j, k, block, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: set(*), composite(*)
    integer(c_int), value :: i, j, k, block
    type(c_ptr), value :: ierr
    associate (set_ => set(1), composite_ => composite(1), i_ => i, j_ => j, k_ => k, &
        block_ => block)
    end associate
    call tell_absent(ierr)
  end subroutine c_probe

  subroutine c_refuse(entry, argument, got, wanted, ierr) bind(c, name="")
    character(kind=c_char), intent(in) :: entry(*), argument(*), got(*), wanted(*)
    type(c_ptr), value :: ierr
    associate (entry_ => entry(1), argument_ => argument(1), got_ => got(1), wanted_ => wanted(1))
    end associate
    call tell_absent(ierr)
  end subroutine c_refuse

  subroutine c_on_flush(flush) bind(c, name="")
    type(c_funptr), value :: flush
    associate (flush_ => flush)
    end associate
  end subroutine c_on_flush

  subroutine tell_absent(ierr)
    type(c_ptr), intent(in) :: ierr
    integer(c_int), pointer :: status
    if (.not. c_associated(ierr)) return
    call c_f_pointer(ierr, status)
    status = bridge_absent
  end subroutine tell_absent
end module bridge_stand_ins

! Entries with the same arguments have one stand-in.
module bridge_interfaces
  use bridge_stand_ins, only: bridge_ok, bridge_absent, bridge_start, bridge_argument, &
      bridge_state, bridge_exception, bridge_mpi, bridge_device, bridge_memory, bridge_points
  use bridge_stand_ins, only: c_boot
  use bridge_stand_ins, only: c_initialize
  use bridge_stand_ins, only: c_initialize_comm
  use bridge_stand_ins, only: c_finalize
  use bridge_stand_ins, only: c_set
  use bridge_stand_ins, only: c_populateinputstripe
  use bridge_stand_ins, only: c_populateoutputstripe => c_populateinputstripe
  use bridge_stand_ins, only: c_populatepreosshareddata
  use bridge_stand_ins, only: c_populatechungshareddata
  use bridge_stand_ins, only: c_preosthermalproperties
  use bridge_stand_ins, only: c_preosrhohfromtpprop => c_preosthermalproperties
  use bridge_stand_ins, only: c_preosgammajacobianproperties => c_preosthermalproperties
  use bridge_stand_ins, only: c_preosviscousproperties => c_preosthermalproperties
  use bridge_stand_ins, only: c_preosviscousfluxproperties => c_preosthermalproperties
  use bridge_stand_ins, only: c_chungcalctransprop => c_preosthermalproperties
  use bridge_stand_ins, only: c_preoscalctfromhp => c_preosthermalproperties
  use bridge_stand_ins, only: c_eosthermalproperties => c_preosthermalproperties
  use bridge_stand_ins, only: c_eosrhohfromtpprop => c_preosthermalproperties
  use bridge_stand_ins, only: c_eoscalcrhoh0fromtp => c_preosthermalproperties
  use bridge_stand_ins, only: c_eosgammajacobianproperties => c_preosthermalproperties
  use bridge_stand_ins, only: c_eosthermalandviscousproperties => c_preosthermalproperties
  use bridge_stand_ins, only: c_launch
  use bridge_stand_ins, only: c_bind
  use bridge_stand_ins, only: c_bind_typed
  use bridge_stand_ins, only: c_bind_blocks
  use bridge_stand_ins, only: c_bind_blocks_typed
  use bridge_stand_ins, only: c_bind_from
  use bridge_stand_ins, only: c_unbind
  use bridge_stand_ins, only: c_run
  use bridge_stand_ins, only: c_run_several
  use bridge_stand_ins, only: c_run_begin => c_run
  use bridge_stand_ins, only: c_wait
  use bridge_stand_ins, only: c_run_box
  use bridge_stand_ins, only: c_run_begin_box => c_run_box
  use bridge_stand_ins, only: c_run_colour
  use bridge_stand_ins, only: c_reduce
  use bridge_stand_ins, only: c_reduce_blocks => c_reduce
  use bridge_stand_ins, only: c_reduce_several
  use bridge_stand_ins, only: c_allreduce => c_reduce
  use bridge_stand_ins, only: c_allreduce_several => c_reduce_several
  use bridge_stand_ins, only: c_unchanged => c_unbind
  use bridge_stand_ins, only: c_position
  use bridge_stand_ins, only: c_position_blocks
  use bridge_stand_ins, only: c_compare_begin
  use bridge_stand_ins, only: c_compare
  use bridge_stand_ins, only: c_compare_begin_sets
  use bridge_stand_ins, only: c_compare_numbers
  use bridge_stand_ins, only: c_compare_without
  use bridge_stand_ins, only: c_record
  use bridge_stand_ins, only: c_record_write => c_boot
  use bridge_stand_ins, only: c_gather
  use bridge_stand_ins, only: c_scatter
  use bridge_stand_ins, only: c_scan
  use bridge_stand_ins, only: c_split
  use bridge_stand_ins, only: c_sort_by_key
  use bridge_stand_ins, only: c_transpose
  use bridge_stand_ins, only: c_enter_data
  use bridge_stand_ins, only: c_exit_data
  use bridge_stand_ins, only: c_update_device
  use bridge_stand_ins, only: c_update_host => c_update_device
  use bridge_stand_ins, only: c_pack
  use bridge_stand_ins, only: c_unpack
  use bridge_stand_ins, only: c_pack_typed
  use bridge_stand_ins, only: c_unpack_typed
  use bridge_stand_ins, only: c_device_address
  use bridge_stand_ins, only: c_exchange_plan
  use bridge_stand_ins, only: c_exchange
  use bridge_stand_ins, only: c_exchange_begin => c_exchange
  use bridge_stand_ins, only: c_exchange_wait => c_exchange
  use bridge_stand_ins, only: c_sequence_begin => c_exchange
  use bridge_stand_ins, only: c_sequence_end => c_boot
  use bridge_stand_ins, only: c_sequence_run => c_exchange
  use bridge_stand_ins, only: c_constant
  use bridge_stand_ins, only: c_allreduce_constant
  use bridge_stand_ins, only: c_constant_value
  use bridge_stand_ins, only: c_constants
  use bridge_stand_ins, only: c_table
  use bridge_stand_ins, only: c_python
  use bridge_stand_ins, only: c_status
  use bridge_stand_ins, only: c_last_error
  use bridge_stand_ins, only: c_error_policy
  use bridge_stand_ins, only: c_report => c_boot
  use bridge_stand_ins, only: c_doctor
  use bridge_stand_ins, only: c_fingerprint
  use bridge_stand_ins, only: c_status_counts
  use bridge_stand_ins, only: c_status_points
  use bridge_stand_ins, only: c_probe
  use bridge_stand_ins, only: c_status_policy => c_error_policy
  use bridge_stand_ins, only: c_refuse
  use bridge_stand_ins, only: c_on_flush
end module bridge_interfaces
