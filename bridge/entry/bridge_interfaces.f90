! bridge_interfaces.f90: the entries in libbridge.so, as module `bridge` calls them;
! written from bridge.h by fortran_forms.py (python bridge/entry/fortran_forms.py).
!
! Compiled before bridge.f90. A program uses module `bridge`, not this one.
module bridge_interfaces
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, &
      c_ptr
  implicit none
  private :: c_char, c_double, c_funptr, c_int, c_int64_t, c_ptr

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

  interface
    subroutine c_boot(ierr) bind(c, name="frame_boot_")
      import
      type(c_ptr), value :: ierr
    end subroutine c_boot
    subroutine c_initialize(device_id, nGridPoints, ns, nq, iTurb) &
        bind(c, name="frame_initialize_")
      import
      integer(c_int), value :: device_id, nGridPoints, ns, nq, iTurb
    end subroutine c_initialize
    subroutine c_initialize_comm(device_id, nGridPoints, ns, nq, iTurb, comm, ierr) &
        bind(c, name="frame_initialize_comm_")
      import
      integer(c_int), value :: device_id, nGridPoints, ns, nq, iTurb, comm
      type(c_ptr), value :: ierr
    end subroutine c_initialize_comm
    subroutine c_finalize() bind(c, name="frame_finalize_")
      import
    end subroutine c_finalize
    subroutine c_set(key, value, ierr) bind(c, name="frame_set_")
      import
      character(kind=c_char), intent(in) :: key(*), value(*)
      type(c_ptr), value :: ierr
    end subroutine c_set
    subroutine c_populateinputstripe(name, data, nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, &
        SptData, EptData, stripeStart, stripeEnd) &
        bind(c, name="frame_castles_populateinputstripe_")
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: data
      integer(c_int), value :: nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData, &
          stripeStart, stripeEnd
    end subroutine c_populateinputstripe
    subroutine c_populatepreosshareddata(W, Tc, Pc, omega, nasa7, kij) &
        bind(c, name="frame_castles_populatepreosshareddata_")
      import
      real(c_double), intent(in) :: W(*), Tc(*), Pc(*), omega(*), nasa7(*)
      real(c_double), intent(in), optional :: kij(*)
    end subroutine c_populatepreosshareddata
    subroutine c_populatechungshareddata(Vc, dipole, kappa) &
        bind(c, name="frame_castles_populatechungshareddata_")
      import
      real(c_double), intent(in) :: Vc(*), dipole(*), kappa(*)
    end subroutine c_populatechungshareddata
    subroutine c_preosthermalproperties(nActivePoints) &
        bind(c, name="frame_tvproperties_preosthermalproperties_")
      import
      integer(c_int), value :: nActivePoints
    end subroutine c_preosthermalproperties
    subroutine c_launch(kernel, n, ierr) bind(c, name="frame_launch_")
      import
      character(kind=c_char), intent(in) :: kernel(*)
      integer(c_int), value :: n
      type(c_ptr), value :: ierr
    end subroutine c_launch
    subroutine c_bind(set, name, intent, data, bounds, scale, ierr) bind(c, name="frame_bind_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*), intent(*)
      type(c_ptr), value :: data
      integer(c_int), intent(in) :: bounds(*)
      real(c_double), value :: scale
      type(c_ptr), value :: ierr
    end subroutine c_bind
    subroutine c_bind_typed(set, name, intent, type, data, bounds, scale, ierr) &
        bind(c, name="frame_bind_typed_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*), intent(*)
      integer(c_int), value :: type
      type(c_ptr), value :: data
      integer(c_int), intent(in) :: bounds(*)
      real(c_double), value :: scale
      type(c_ptr), value :: ierr
    end subroutine c_bind_typed
    subroutine c_bind_blocks(set, name, intent, data, nb, bounds, offsets, scale, ierr) &
        bind(c, name="frame_bind_blocks_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*), intent(*)
      type(c_ptr), value :: data
      integer(c_int), value :: nb
      integer(c_int), intent(in) :: bounds(*)
      integer(c_int64_t), intent(in) :: offsets(*)
      real(c_double), value :: scale
      type(c_ptr), value :: ierr
    end subroutine c_bind_blocks
    subroutine c_bind_blocks_typed(set, name, intent, type, data, nb, bounds, offsets, scale, &
        ierr) bind(c, name="frame_bind_blocks_typed_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*), intent(*)
      integer(c_int), value :: type
      type(c_ptr), value :: data
      integer(c_int), value :: nb
      integer(c_int), intent(in) :: bounds(*)
      integer(c_int64_t), intent(in) :: offsets(*)
      real(c_double), value :: scale
      type(c_ptr), value :: ierr
    end subroutine c_bind_blocks_typed
    subroutine c_bind_from(set, name, from, shift, ierr) bind(c, name="frame_bind_from_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*), from(*)
      integer(c_int), intent(in) :: shift(*)
      type(c_ptr), value :: ierr
    end subroutine c_bind_from
    subroutine c_unbind(set, name, ierr) bind(c, name="frame_unbind_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      type(c_ptr), value :: ierr
    end subroutine c_unbind
    subroutine c_run(set, composite, ierr) bind(c, name="frame_run_")
      import
      character(kind=c_char), intent(in) :: set(*), composite(*)
      type(c_ptr), value :: ierr
    end subroutine c_run
    subroutine c_run_several(sets, composites, ierr) bind(c, name="frame_run_several_")
      import
      character(kind=c_char), intent(in) :: sets(*), composites(*)
      type(c_ptr), value :: ierr
    end subroutine c_run_several
    subroutine c_wait(set, ierr) bind(c, name="frame_wait_")
      import
      character(kind=c_char), intent(in) :: set(*)
      type(c_ptr), value :: ierr
    end subroutine c_wait
    subroutine c_run_box(set, composite, boxes, nBoxes, ierr) bind(c, name="frame_run_box_")
      import
      character(kind=c_char), intent(in) :: set(*), composite(*)
      integer(c_int), intent(in) :: boxes(*)
      integer(c_int), value :: nBoxes
      type(c_ptr), value :: ierr
    end subroutine c_run_box
    subroutine c_run_colour(set, kernel, colour, ierr) bind(c, name="frame_run_colour_")
      import
      character(kind=c_char), intent(in) :: set(*), kernel(*)
      integer(c_int), value :: colour
      type(c_ptr), value :: ierr
    end subroutine c_run_colour
    subroutine c_reduce(set, quantity, operation, component, nValues, value, place, ierr) &
        bind(c, name="frame_reduce_")
      import
      character(kind=c_char), intent(in) :: set(*), quantity(*), operation(*)
      integer(c_int), value :: component, nValues
      type(c_ptr), value :: value, place, ierr
    end subroutine c_reduce
    subroutine c_reduce_several(set, quantities, operations, components, n, nValues, value, &
        place, ierr) bind(c, name="frame_reduce_several_")
      import
      character(kind=c_char), intent(in) :: set(*), quantities(*), operations(*)
      integer(c_int), intent(in), optional :: components(*)
      integer(c_int), value :: n, nValues
      type(c_ptr), value :: value, place, ierr
    end subroutine c_reduce_several
    subroutine c_position(set, i, j, k, ierr) bind(c, name="frame_position_")
      import
      character(kind=c_char), intent(in) :: set(*)
      integer(c_int), value :: i, j, k
      type(c_ptr), value :: ierr
    end subroutine c_position
    subroutine c_position_blocks(set, nb, ijk, ierr) bind(c, name="frame_position_blocks_")
      import
      character(kind=c_char), intent(in) :: set(*)
      integer(c_int), value :: nb
      integer(c_int), intent(in) :: ijk(*)
      type(c_ptr), value :: ierr
    end subroutine c_position_blocks
    subroutine c_compare_begin(set, composite, share, ierr) bind(c, name="frame_compare_begin_")
      import
      character(kind=c_char), intent(in) :: set(*), composite(*)
      real(c_double), value :: share
      type(c_ptr), value :: ierr
    end subroutine c_compare_begin
    subroutine c_compare(set, composite, worst, ierr) bind(c, name="frame_compare_")
      import
      character(kind=c_char), intent(in) :: set(*), composite(*)
      type(c_ptr), value :: worst, ierr
    end subroutine c_compare
    subroutine c_compare_begin_sets(sets, composites, share, ierr) &
        bind(c, name="frame_compare_begin_sets_")
      import
      character(kind=c_char), intent(in) :: sets(*), composites(*)
      real(c_double), value :: share
      type(c_ptr), value :: ierr
    end subroutine c_compare_begin_sets
    subroutine c_compare_numbers(set, composite, name, n, original, bridge, scale, worst, ierr) &
        bind(c, name="frame_compare_numbers_")
      import
      character(kind=c_char), intent(in) :: set(*), composite(*), name(*)
      integer(c_int), value :: n
      real(c_double), intent(in) :: original(*), bridge(*), scale(*)
      type(c_ptr), value :: worst, ierr
    end subroutine c_compare_numbers
    subroutine c_compare_without(set, name, in_place, ierr) bind(c, name="frame_compare_without_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      integer(c_int), value :: in_place
      type(c_ptr), value :: ierr
    end subroutine c_compare_without
    subroutine c_record(set, composite, file, ierr) bind(c, name="frame_record_")
      import
      character(kind=c_char), intent(in) :: set(*), composite(*), file(*)
      type(c_ptr), value :: ierr
    end subroutine c_record
    subroutine c_gather(set, name, points, nPoints, values, nValues, ierr) &
        bind(c, name="frame_gather_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      integer(c_int), intent(in) :: points(*)
      integer(c_int), value :: nPoints
      type(c_ptr), value :: values
      integer(c_int), value :: nValues
      type(c_ptr), value :: ierr
    end subroutine c_gather
    subroutine c_scatter(set, name, points, nPoints, values, nValues, ierr) &
        bind(c, name="frame_scatter_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      integer(c_int), intent(in) :: points(*)
      integer(c_int), value :: nPoints
      real(c_double), intent(in) :: values(*)
      integer(c_int), value :: nValues
      type(c_ptr), value :: ierr
    end subroutine c_scatter
    subroutine c_scan(set, name, exclusive, values, nValues, ierr) bind(c, name="frame_scan_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      integer(c_int), value :: exclusive
      type(c_ptr), value :: values
      integer(c_int), value :: nValues
      type(c_ptr), value :: ierr
    end subroutine c_scan
    subroutine c_split(set, name, points, nPoints, nOn, ierr) bind(c, name="frame_split_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      type(c_ptr), value :: points
      integer(c_int), value :: nPoints
      type(c_ptr), value :: nOn, ierr
    end subroutine c_split
    subroutine c_sort_by_key(set, name, points, nPoints, ierr) bind(c, name="frame_sort_by_key_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      type(c_ptr), value :: points
      integer(c_int), value :: nPoints
      type(c_ptr), value :: ierr
    end subroutine c_sort_by_key
    subroutine c_transpose(set, name, values, nValues, ierr) bind(c, name="frame_transpose_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      type(c_ptr), value :: values
      integer(c_int), value :: nValues
      type(c_ptr), value :: ierr
    end subroutine c_transpose
    subroutine c_enter_data(set, name, clause, layout, ierr) bind(c, name="frame_enter_data_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*), clause(*), layout(*)
      type(c_ptr), value :: ierr
    end subroutine c_enter_data
    subroutine c_exit_data(set, name, clause, ierr) bind(c, name="frame_exit_data_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*), clause(*)
      type(c_ptr), value :: ierr
    end subroutine c_exit_data
    subroutine c_update_device(set, name, boxes, nBoxes, ierr) bind(c, name="frame_update_device_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      integer(c_int), intent(in) :: boxes(*)
      integer(c_int), value :: nBoxes
      type(c_ptr), value :: ierr
    end subroutine c_update_device
    subroutine c_pack(set, name, boxes, nBoxes, buffer, nBuffer, ierr) bind(c, name="frame_pack_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      integer(c_int), intent(in) :: boxes(*)
      integer(c_int), value :: nBoxes
      type(c_ptr), value :: buffer
      integer(c_int), value :: nBuffer
      type(c_ptr), value :: ierr
    end subroutine c_pack
    subroutine c_unpack(set, name, boxes, nBoxes, buffer, nBuffer, ierr) &
        bind(c, name="frame_unpack_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      integer(c_int), intent(in) :: boxes(*)
      integer(c_int), value :: nBoxes
      real(c_double), intent(in) :: buffer(*)
      integer(c_int), value :: nBuffer
      type(c_ptr), value :: ierr
    end subroutine c_unpack
    subroutine c_pack_typed(set, name, boxes, nBoxes, type, buffer, nBuffer, ierr) &
        bind(c, name="frame_pack_typed_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      integer(c_int), intent(in) :: boxes(*)
      integer(c_int), value :: nBoxes, type
      type(c_ptr), value :: buffer
      integer(c_int), value :: nBuffer
      type(c_ptr), value :: ierr
    end subroutine c_pack_typed
    subroutine c_unpack_typed(set, name, boxes, nBoxes, type, buffer, nBuffer, ierr) &
        bind(c, name="frame_unpack_typed_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      integer(c_int), intent(in) :: boxes(*)
      integer(c_int), value :: nBoxes, type
      type(c_ptr), value :: buffer
      integer(c_int), value :: nBuffer
      type(c_ptr), value :: ierr
    end subroutine c_unpack_typed
    subroutine c_device_address(set, name, address, ierr) bind(c, name="frame_device_address_")
      import
      character(kind=c_char), intent(in) :: set(*), name(*)
      type(c_ptr), value :: address, ierr
    end subroutine c_device_address
    subroutine c_exchange_plan(name, sets, arrays, peers, tags, sendBlocks, sendBoxes, &
        recvBlocks, recvBoxes, n, ierr) bind(c, name="frame_exchange_plan_")
      import
      character(kind=c_char), intent(in) :: name(*), sets(*), arrays(*)
      integer(c_int), intent(in) :: peers(*), tags(*), sendBlocks(*), sendBoxes(*), &
          recvBlocks(*), recvBoxes(*)
      integer(c_int), value :: n
      type(c_ptr), value :: ierr
    end subroutine c_exchange_plan
    subroutine c_exchange(name, ierr) bind(c, name="frame_exchange_")
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: ierr
    end subroutine c_exchange
    subroutine c_constant(name, value, type, n, ierr) bind(c, name="frame_constant_")
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: value
      integer(c_int), value :: type, n
      type(c_ptr), value :: ierr
    end subroutine c_constant
    subroutine c_allreduce_constant(sets, quantity, operation, constant, ierr) &
        bind(c, name="frame_allreduce_constant_")
      import
      character(kind=c_char), intent(in) :: sets(*), quantity(*), operation(*), constant(*)
      type(c_ptr), value :: ierr
    end subroutine c_allreduce_constant
    subroutine c_constant_value(constant, value, ierr) bind(c, name="frame_constant_value_")
      import
      character(kind=c_char), intent(in) :: constant(*)
      type(c_ptr), value :: value, ierr
    end subroutine c_constant_value
    subroutine c_constants(names, values, n, ierr) bind(c, name="frame_constants_")
      import
      character(kind=c_char), intent(in) :: names(*)
      real(c_double), intent(in) :: values(*)
      integer(c_int), value :: n
      type(c_ptr), value :: ierr
    end subroutine c_constants
    subroutine c_table(name, values, sizes, rank, ierr) bind(c, name="frame_table_")
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: values
      integer(c_int), intent(in) :: sizes(*)
      integer(c_int), value :: rank
      type(c_ptr), value :: ierr
    end subroutine c_table
    subroutine c_python(set, function, values, nValues, text, ierr) bind(c, name="frame_python_")
      import
      character(kind=c_char), intent(in) :: set(*), function(*)
      real(c_double), intent(in) :: values(*)
      integer(c_int), value :: nValues
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr), value :: ierr
    end subroutine c_python
    integer(c_int) function c_status() bind(c, name="frame_status_")
      import
    end function c_status
    subroutine c_last_error(buffer, len) bind(c, name="frame_last_error_")
      import
      character(kind=c_char), intent(out) :: buffer(*)
      integer(c_int), value :: len
    end subroutine c_last_error
    subroutine c_error_policy(policy, ierr) bind(c, name="frame_error_policy_")
      import
      character(kind=c_char), intent(in) :: policy(*)
      type(c_ptr), value :: ierr
    end subroutine c_error_policy
    subroutine c_doctor(file, ranks, ierr) bind(c, name="frame_doctor_")
      import
      character(kind=c_char), intent(in) :: file(*), ranks(*)
      type(c_ptr), value :: ierr
    end subroutine c_doctor
    subroutine c_fingerprint(buffer, len, ierr) bind(c, name="frame_fingerprint_")
      import
      character(kind=c_char), intent(out) :: buffer(*)
      integer(c_int), value :: len
      type(c_ptr), value :: ierr
    end subroutine c_fingerprint
    subroutine c_status_counts(set, n, counts, ierr) bind(c, name="frame_status_counts_")
      import
      character(kind=c_char), intent(in) :: set(*)
      integer(c_int), value :: n
      type(c_ptr), value :: counts, ierr
    end subroutine c_status_counts
    subroutine c_status_points(set, bits, most, ierr) bind(c, name="frame_status_points_")
      import
      character(kind=c_char), intent(in) :: set(*)
      integer(c_int), value :: bits, most
      type(c_ptr), value :: ierr
    end subroutine c_status_points
    subroutine c_probe(set, composite, i, j, k, block, ierr) bind(c, name="frame_probe_")
      import
      character(kind=c_char), intent(in) :: set(*), composite(*)
      integer(c_int), value :: i, j, k, block
      type(c_ptr), value :: ierr
    end subroutine c_probe
    subroutine c_refuse(entry, argument, got, wanted, ierr) bind(c, name="bridge_refuse_")
      import
      character(kind=c_char), intent(in) :: entry(*), argument(*), got(*), wanted(*)
      type(c_ptr), value :: ierr
    end subroutine c_refuse
    subroutine c_on_flush(flush) bind(c, name="bridge_on_flush_")
      import
      type(c_funptr), value :: flush
    end subroutine c_on_flush
  end interface

  procedure(c_populateinputstripe), bind(c, name="frame_castles_populateoutputstripe_") :: &
      c_populateoutputstripe
  procedure(c_preosthermalproperties), bind(c, name="frame_tvproperties_preosrhohfromtpprop_") :: &
      c_preosrhohfromtpprop
  procedure(c_preosthermalproperties), &
      bind(c, name="frame_tvproperties_preosgammajacobianproperties_") :: &
      c_preosgammajacobianproperties
  procedure(c_preosthermalproperties), &
      bind(c, name="frame_tvproperties_preosviscousproperties_") :: c_preosviscousproperties
  procedure(c_preosthermalproperties), &
      bind(c, name="frame_tvproperties_preosviscousfluxproperties_") :: &
      c_preosviscousfluxproperties
  procedure(c_preosthermalproperties), bind(c, name="frame_tvproperties_chungcalctransprop_") :: &
      c_chungcalctransprop
  procedure(c_preosthermalproperties), bind(c, name="frame_tvproperties_preoscalctfromhp_") :: &
      c_preoscalctfromhp
  procedure(c_preosthermalproperties), &
      bind(c, name="frame_tvproperties_eosthermalproperties_") :: c_eosthermalproperties
  procedure(c_preosthermalproperties), bind(c, name="frame_tvproperties_eosrhohfromtpprop_") :: &
      c_eosrhohfromtpprop
  procedure(c_preosthermalproperties), bind(c, name="frame_tvproperties_eoscalcrhoh0fromtp_") :: &
      c_eoscalcrhoh0fromtp
  procedure(c_preosthermalproperties), &
      bind(c, name="frame_tvproperties_eosgammajacobianproperties_") :: &
      c_eosgammajacobianproperties
  procedure(c_preosthermalproperties), &
      bind(c, name="frame_tvproperties_eosthermalandviscousproperties_") :: &
      c_eosthermalandviscousproperties
  procedure(c_run), bind(c, name="frame_run_begin_") :: c_run_begin
  procedure(c_run_box), bind(c, name="frame_run_begin_box_") :: c_run_begin_box
  procedure(c_reduce), bind(c, name="frame_reduce_blocks_") :: c_reduce_blocks
  procedure(c_reduce), bind(c, name="frame_allreduce_") :: c_allreduce
  procedure(c_reduce_several), bind(c, name="frame_allreduce_several_") :: c_allreduce_several
  procedure(c_unbind), bind(c, name="frame_unchanged_") :: c_unchanged
  procedure(c_boot), bind(c, name="frame_record_write_") :: c_record_write
  procedure(c_update_device), bind(c, name="frame_update_host_") :: c_update_host
  procedure(c_exchange), bind(c, name="frame_exchange_begin_") :: c_exchange_begin
  procedure(c_exchange), bind(c, name="frame_exchange_wait_") :: c_exchange_wait
  procedure(c_exchange), bind(c, name="frame_sequence_begin_") :: c_sequence_begin
  procedure(c_boot), bind(c, name="frame_sequence_end_") :: c_sequence_end
  procedure(c_exchange), bind(c, name="frame_sequence_run_") :: c_sequence_run
  procedure(c_boot), bind(c, name="frame_report_") :: c_report
  procedure(c_error_policy), bind(c, name="frame_status_policy_") :: c_status_policy
end module bridge_interfaces
