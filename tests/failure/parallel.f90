! An MPI host: parallel CASE.
program parallel
  use, intrinsic :: iso_c_binding, only: c_double
  use mpi
  use bridge
  implicit none
  character(len=32) :: case
  character(len=2000) :: message
  integer :: rank, error, ierr, handler, duplicate, key
  integer(MPI_ADDRESS_KIND), parameter :: nothing = 0
  integer :: freed = 0
  logical :: same

  interface
    subroutine probe_forget() bind(c)
    end subroutine probe_forget
  end interface

  call get_command_argument(1, case)
  if (case == 'no-init') then
    call frame_error_policy('return')
    call frame_initialize(0, 64, 2, 7, 0, comm=MPI_COMM_WORLD, ierr=ierr)
    call frame_last_error(message)
    print '(a,1x,i0,1x,a)', 'initialize', ierr, trim(message)
    stop
  end if
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (case == 'agree') then
    call agree()
    call MPI_Finalize(error)
    stop
  end if
  if (case /= 'bad-communicator') then
    if (case == 'half-fails') then
      call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, duplicate, error)
    else
      call MPI_Comm_dup(MPI_COMM_WORLD, duplicate, error)
    end if
    ! Duplicates of this communicator inherit the key and count themselves when they are freed.
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, count_freed, key, nothing, error)
    call MPI_Comm_set_attr(duplicate, key, nothing, error)
    call frame_set('backend', 'cpu')
    call frame_set('species', 'O2 CH4')
    if (case == 'without-communicator' .or. case == 'serial') then
      call frame_initialize(0, 64, 2, 7, 0)
    else
      call frame_initialize(0, 64, 2, 7, 0, comm=duplicate)
    end if
  end if

  select case (case)
  case ('rank-fails', 'half-fails', 'without-communicator')
    ! One rank's report fails; the others wait for it.
    call frame_report()
    call MPI_Barrier(MPI_COMM_WORLD, error)
    print '(a)', 'past the barrier'
  case ('handler')
    call MPI_Comm_get_errhandler(MPI_COMM_WORLD, handler, error)
    same = handler == MPI_ERRORS_ARE_FATAL
    call MPI_Comm_get_errhandler(MPI_COMM_SELF, handler, error)
    same = same .and. handler == MPI_ERRORS_ARE_FATAL
    print '(a,1x,l1)', 'fatal', same
    flush (6)
    call MPI_Send(rank, 1, MPI_INTEGER, 12345, 0, MPI_COMM_WORLD, error)
    print '(a)', 'survived a bad send'
  case ('serial')
    call frame_report()
    call frame_finalize()
  case ('finalize-order')
    call frame_finalize()
    call frame_initialize(0, 64, 2, 7, 0, comm=duplicate)
    call frame_finalize()
    if (rank == 0) print '(a,1x,i0)', 'freed', freed
    call MPI_Comm_free(duplicate, error)
    print '(a)', 'finalized'
  case ('never-finalized')
    print '(a)', 'leaving'
  case ('after-mpi')
    call MPI_Finalize(error)
    call frame_launch('noSuchKernel', 1)
    print '(a)', 'survived'
    stop
  case ('bad-communicator')
    call frame_error_policy('return')
    call frame_initialize(0, 64, 2, 7, 0, comm=MPI_COMM_NULL, ierr=ierr)
    print '(a,1x,i0)', 'null', ierr
    call frame_initialize(0, 64, 2, 7, 0, comm=987654, ierr=ierr)
    print '(a,1x,i0)', 'nonsense', ierr
    call MPI_Comm_dup(MPI_COMM_WORLD, duplicate, error)
    key = duplicate
    call MPI_Comm_free(duplicate, error)
    call frame_initialize(0, 64, 2, 7, 0, comm=key, ierr=ierr)
    print '(a,1x,i0)', 'freed', ierr
    call MPI_Comm_dup(MPI_COMM_SELF, duplicate, error)
    call MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, modulo(rank + 1, 2), 0, key, error)
    call frame_initialize(0, 64, 2, 7, 0, comm=key, ierr=ierr)
    print '(a,1x,i0)', 'inter', ierr
  case ('abort-nonsense')
    ! The communicator of the Frame is gone, and what is given instead is none.
    call frame_finalize()
    call MPI_Comm_free(duplicate, error)
    call frame_initialize(0, 64, 2, 7, 0, comm=987654)
    print '(a)', 'survived'
  case ('abort-freed')
    call MPI_Comm_free(duplicate, error)
    call frame_launch('noSuchKernel', 1)
    print '(a)', 'survived'
  case default
    error stop 'unknown case'
  end select
  call MPI_Finalize(error)

contains

  ! A value that a test gives one rank in its environment.
  integer function given(name, otherwise)
    character(len=*), intent(in) :: name
    integer, intent(in) :: otherwise
    character(len=32) :: value
    integer :: length
    call get_environment_variable(name, value, length)
    given = otherwise
    if (length > 0) read (value, *) given
  end function given

  ! Initialize, which may fail on one rank, then again without what made it fail. With TEST_SPLIT=1
  ! rank 0 has a communicator of its own.
  subroutine agree()
    call MPI_Comm_split(MPI_COMM_WORLD, min(rank, given('TEST_SPLIT', 0)), rank, duplicate, error)
    call frame_error_policy('return')
    call frame_initialize(0, given('TEST_POINTS', 64), given('TEST_NS', 2), 7, 0, &
        comm=duplicate, ierr=ierr)
    call tell('first')
    call frame_error_policy('return')
    call frame_launch('noSuchKernel', 1, ierr)
    call tell('launch')
    call frame_set('backend', 'cpu', ierr)
    call probe_forget()
    call frame_initialize(0, 64, 2, 7, 0, comm=duplicate, ierr=ierr)
    call tell('again')
    call frame_finalize(ierr)
    call tell('end')
  end subroutine agree

  subroutine tell(label)
    character(len=*), intent(in) :: label
    message = ''
    if (ierr /= bridge_ok) call frame_last_error(message)
    print '(a,i0,a,1x,i0,1x,a)', label, rank, ':', ierr, trim(message)
  end subroutine tell

  subroutine count_freed(communicator, key, attribute, extra, error)
    integer :: communicator, key, error
    integer(MPI_ADDRESS_KIND) :: attribute, extra
    freed = freed + 1
    error = MPI_SUCCESS
  end subroutine count_freed

end program parallel
