! Arrays that are not allocated, and arrays of more points than a C int counts. Nothing is read of
! the large ones: they have a shape and the address of one number.
program sizes
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int64_t, c_loc, c_ptr
  use bridge
  implicit none
  integer, parameter :: ns = 2, nq = 5 + ns
  integer(c_int64_t), parameter :: one = 1, many = 2_c_int64_t**32 + 8, most = 2_c_int64_t**31 - 1
  real(c_double), allocatable, target :: a1(:), a2(:, :), a3(:, :, :), a4(:, :, :, :), gone(:)
  real(c_double), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), nothing(:) => null()
  real(c_double), target :: number(1), full(1, 1, 1, nq)
  integer :: ierr

  call frame_error_policy('return')
  call frame_set('backend', 'cpu')
  call frame_set('species', 'O2 CH4')
  if (bit_size(ierr) > 32) then
    call frame_initialize(0, huge(ierr), ns, nq, 0, ierr=ierr);  call tell('default-integer')
  else
    print '(a)', 'default-integer -3 argument nGridPoints'
  end if
  call frame_initialize(0, 8, ns, nq, 0, ierr=ierr);  call tell('initialize')
  number = 1.0_c_double
  full = 0.25_c_double
  full(1, 1, 1, 5) = 300.0_c_double
  allocate (gone(0))
  deallocate (gone)
  call unallocated()
  call not_even_here()
  call large(c_loc(number))
  call frame_castles_populateinputstripe('Q', full, ierr=ierr);  call tell('work')
  call frame_finalize(ierr);  call tell('finalize')

contains

  subroutine tell(label)
    character(len=*), intent(in) :: label
    character(len=300) :: message
    call frame_last_error(message)
    print '(a,1x,i0,1x,a)', label, ierr, trim(message)
  end subroutine tell

  subroutine unallocated()
    call frame_bind('set', 'T', 'in', a1, ierr=ierr);  call tell('bind-1')
    call frame_bind('set', 'Y', 'in', a2, ierr=ierr);  call tell('bind-2')
    call frame_bind('set', 'T', 'in', a3, sptx=1, eptx=0, ierr=ierr);  call tell('bind-3')
    call frame_bind('set', 'Y', 'in', a4, component_first=.true., ierr=ierr);  call tell('bind-4')
    call frame_bind('set', 'T', 'in', nothing, ierr=ierr);  call tell('bind-pointer')
    call frame_bind('set', 'T', 'in', gone, ierr=ierr);  call tell('bind-gone')
    call frame_castles_populateinputstripe('T', a1, ierr=ierr);  call tell('in-1')
    call frame_castles_populateinputstripe('Y', a2, ierr=ierr);  call tell('in-2')
    call frame_castles_populateinputstripe('T', a3, ierr=ierr);  call tell('in-3')
    call frame_castles_populateinputstripe('Y', a4, ierr=ierr);  call tell('in-4')
    call frame_castles_populateinputstripe('T', gone, ierr=ierr);  call tell('in-gone')
    call frame_castles_populateoutputstripe('T', a1, ierr=ierr);  call tell('out-1')
    call frame_castles_populateoutputstripe('Y', a2, ierr=ierr);  call tell('out-2')
    call frame_castles_populateoutputstripe('T', a3, ierr=ierr);  call tell('out-3')
    call frame_castles_populateoutputstripe('Y', a4, ierr=ierr);  call tell('out-4')
    call frame_castles_populatepreosshareddata(a1, number, number, number, a2, ierr=ierr)
    call tell('constants-W')
    call frame_castles_populatechungshareddata(a1, a1, a1, ierr);  call tell('constants-Vc')
  end subroutine unallocated

  ! The descriptor of a local array holds what the stack held.
  subroutine not_even_here()
    real(c_double), allocatable, target :: l1(:), l3(:, :, :)
    call frame_bind('set', 'T', 'in', l1, ierr=ierr);  call tell('bind-local')
    call frame_castles_populateinputstripe('T', l3, ierr=ierr);  call tell('in-local')
    call frame_castles_populateoutputstripe('T', l3, ierr=ierr);  call tell('out-local')
  end subroutine not_even_here

  subroutine large(address)
    type(c_ptr), intent(in) :: address
    call c_f_pointer(address, p1, [many])
    call frame_bind('set', 'T', 'in', p1, ierr=ierr);  call tell('bind-many')
    call frame_bind('set', 'T', 'in', p1, sptx=1, eptx=8, ierr=ierr);  call tell('bind-first-8')
    call frame_castles_populateinputstripe('T', p1, ierr=ierr);  call tell('in-many')
    call frame_castles_populateoutputstripe('T', p1, sptx=1, eptx=8, ierr=ierr)
    call tell('out-first-8')
    call c_f_pointer(address, p2, [one, many])
    call frame_bind('set', 'Y', 'in', p2, sptdata=1, eptdata=ns, ierr=ierr)
    call tell('bind-components')
    call frame_castles_populateinputstripe('Y', p2, ierr=ierr);  call tell('in-components')
    call c_f_pointer(address, p4, [many, 2*one, one, one])
    call frame_bind('set', 'T', 'in', p4, component_first=.true., sptdata=1, eptdata=1, ierr=ierr)
    call tell('bind-component-first')
    ! Every extent fits, their product does not.
    call c_f_pointer(address, p3, [2048*one, 1024*one, 1025*one])
    call frame_castles_populateinputstripe('T', p3, ierr=ierr);  call tell('in-block')
    call frame_castles_populateoutputstripe('T', p3, stripestart=3, ierr=ierr)
    call tell('out-block')
    call frame_castles_populateinputstripe('T', p3, stripestart=1, stripeend=0, ierr=ierr)
    call tell('in-block-part')
    call frame_bind('block', 'T', 'in', p3, ierr=ierr);  call tell('bind-block')
    call frame_unbind('block', '*', ierr)
    call c_f_pointer(address, p3, [most, most, most])
    call frame_castles_populateinputstripe('T', p3, ierr=ierr);  call tell('in-most')
    call frame_castles_populateinputstripe('T', p3, stripestart=1, stripeend=0, ierr=ierr)
    call tell('in-most-part')
    call frame_bind('block', 'T', 'in', p3, ierr=ierr);  call tell('bind-most')
  end subroutine large

end program sizes
