! Many blocks in one allocatable memory, by every form of the entries; a regrid between two runs.
program many
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int64_t
  use bridge
  implicit none
  integer, parameter :: most = 40
  real(c_double), allocatable, target :: memory(:), lap(:)
  real(c_float), allocatable, target :: single(:)
  integer :: bounds(12, most), spt(3, most), place(5), four(4), ierr, turn, nb
  integer(c_int64_t) :: offsets(most)
  real(c_double) :: value
  character(len=400) :: message

  call frame_error_policy('return')
  call frame_initialize(0, 1000, 0, 0, 0)
  do turn = 1, 2
    call regrid(20*turn)
    call frame_bind_blocks('blocks', 'st_p', 'in', memory, nb, bounds, offsets)
    call frame_bind_blocks('blocks', 'st_lap', 'out', lap, nb, bounds, offsets)
    call frame_enter_data('blocks', 'st_p', 'copyin')
    call frame_enter_data('blocks', 'st_lap', 'copyin')
    call frame_run('blocks', 'stLaplacian')
    call frame_update_host('blocks', 'st_lap')
    print '(a, es12.4)', 'laplacian', off()
    call frame_exit_data('blocks', 'st_lap', 'delete')
    call frame_exit_data('blocks', 'st_p', 'delete')
  end do

  call frame_bind_blocks('blocks', 'st_a', 'out', single, nb, bounds, offsets, 2.0_c_double)
  call frame_run_begin('blocks', 'stRoot')
  call frame_wait('blocks')
  print '(a, es12.4)', 'single', abs(2*single(at(7, 2, 2, 2)) - sqrt(1 + memory(at(7, 2, 2, 2))**2))

  memory(at(9, 3, 2, 4)) = 50
  call frame_reduce('blocks', 'st_p', 'maxloc', value, place)
  print '(a, f8.2, 5(1x, i0))', 'maxloc', value, place
  call frame_reduce('blocks', 'st_p', 'max', value)
  print '(a, f8.2)', 'max', value
  call frame_reduce('blocks', 'st_p', 'maxloc', value, four, ierr=ierr)
  call refused('four')

  spt = 1
  spt(1, 5) = 1000
  call frame_position_blocks('blocks', nb, spt)
  call frame_bind_blocks('blocks', 'st_place', 'out', lap, nb, bounds, offsets)
  call frame_run('blocks', 'stPlace')
  value = memory(at(5, 3, 2, 3)) + 1001 + 100 + 20000
  print '(a, es12.4)', 'place', abs(lap(at(5, 3, 2, 3)) - value)

  call frame_bind_blocks('empty', 'st_p', 'in', memory, 0, bounds, offsets)
  call frame_bind_blocks('empty', 'st_a', 'out', lap, 0, bounds(:, 1:0), offsets(1:0))
  call frame_run('empty', 'stRoot')
  print '(a, i4)', 'empty', frame_status()

  call frame_bind_blocks('blocks', 'st_p', 'in', memory, nb + 1, bounds, offsets, ierr=ierr)
  call refused('extent')
  call frame_bind_blocks('blocks', 'st_p', 'in', memory, -1, bounds, offsets, ierr=ierr)
  call refused('negative')
  offsets(8) = size(memory)
  call frame_bind_blocks('blocks', 'st_p', 'in', memory, nb, bounds, offsets, ierr=ierr)
  call refused('beyond')
  offsets(8) = 0
  bounds(4, 8) = 0
  call frame_bind_blocks('blocks', 'st_p', 'in', memory, nb, bounds, offsets, ierr=ierr)
  call refused('bounds')
  call frame_bind('blocks', 'st_b', 'out', memory(:1), ierr=ierr)
  call refused('mixed')
  call frame_finalize()

contains

  ! Blocks of several sizes, fringes of one layer.
  subroutine regrid(number)
    integer, intent(in) :: number
    integer(c_int64_t) :: length
    integer :: b, n(3)
    nb = number
    length = 0
    do b = 1, nb
      n = [3 + mod(b, 7), 4 + mod(b, 3), 5 + mod(b, 2)]
      offsets(b) = length
      bounds(:, b) = [n, 2, n(1) - 1, 2, n(2) - 1, 2, n(3) - 1, 1, 1, 1]
      length = length + product(n)
    end do
    if (allocated(memory)) deallocate (memory, lap, single)
    allocate (memory(length), lap(length), single(length))
    call random_init(.true., .false.)   ! the same values in each run
    call random_number(memory)
    lap = -7
    single = -7
  end subroutine regrid

  integer(c_int64_t) function at(b, i, j, k)
    integer, intent(in) :: b, i, j, k
    at = offsets(b) + i + bounds(1, b)*(j - 1 + bounds(2, b)*(k - 1))
  end function at

  ! The largest error of the interiors, and of fringes that somebody wrote.
  real(c_double) function off()
    real(c_double) :: wanted
    integer :: b, i, j, k
    off = 0
    do b = 1, nb
      do k = 1, bounds(3, b)
        do j = 1, bounds(2, b)
          do i = 1, bounds(1, b)
            wanted = -7
            if (all([i, j, k] > 1) .and. all([i, j, k] < bounds(:3, b))) &
                wanted = memory(at(b, i+1, j, k)) + memory(at(b, i-1, j, k)) &
                + memory(at(b, i, j+1, k)) + memory(at(b, i, j-1, k)) &
                + memory(at(b, i, j, k+1)) + memory(at(b, i, j, k-1)) - 6*memory(at(b, i, j, k))
            off = max(off, abs(lap(at(b, i, j, k)) - wanted))
          end do
        end do
      end do
    end do
  end function off

  subroutine refused(label)
    character(len=*), intent(in) :: label
    call frame_last_error(message)
    print '(a, i4, 1x, a)', label, ierr, trim(message)
  end subroutine refused

end program many
