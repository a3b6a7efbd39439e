! Runs reduce what they make; comparisons before them reduce the same of arrays: no bit differs. Arrays
! of two sizes, one after the other.
program host
  use, intrinsic :: iso_c_binding, only: c_double
  use reduced
  use bridge
  use pack_summary_bridge
  use pack_chain_bridge
  use single_singly_bridge
  use pack_beside_bridge
  implicit none
  real(8), allocatable, target :: v(:, :), d(:, :), u(:, :), w(:, :)
  real(4), allocatable, target :: v4(:, :)
  integer, allocatable, target :: k(:, :)
  integer, parameter :: sizes(2, 3) = reshape([67, 31, 40, 57, 3, 1], [2, 3])
  real(c_double) :: worst
  real(8) :: vol(2), mass(2), ke(2), most(2), s(2), parts(3, 2)
  real(4) :: s4(2)
  integer :: few(2), n, turn, nx, ny, i, j
  logical :: found(2)
  call frame_initialize(device_id=0, ngridpoints=1024, ns=0, nq=0, iturb=0)
  do n = 1, size(sizes, 2)
    nx = sizes(1, n)
    ny = sizes(2, n)
    v = reshape([((sin(3d0*i + 7d0*j) + 1.5d0, i=1, nx), j=1, ny)], [nx, ny])
    d = 2 + cos(v)
    u = reshape([((cos(1d0*i*j), i=1, nx + 1), j=1, ny + 1)], [nx + 1, ny + 1])
    w = v
    v4 = real(v, 4)
    k = nint(400*v)
    call bind_pack_summary(nx, ny, v, d, u, k)
    call bind_pack_chain(nx, ny, v)
    call bind_single_singly(nx, ny, v4)
    call bind_pack_beside(nx, ny, v, w)
    do turn = 1, 3
      v(1, 1) = 1d0/turn
      vol = 1
      mass = 0
      ke = -2
      most = 0.25d0
      few = 1000
      found = .false.
      s = 4
      parts = 1
      s4 = 0
      if (turn /= 2) then
        call compare_begin_pack_summary(vol(1), mass(1), ke(1), most(1), few(1), found(1))
        call compare_begin_pack_chain(s(1), parts(:, 1))
        call compare_begin_single_singly(s4(1))
      end if
      call run_pack_summary(vol(1), mass(1), ke(1), most(1), few(1), found(1))
      call run_pack_chain(s(1), parts(:, 1))
      call run_single_singly(s4(1))
      if (turn /= 2) then
        call compare_pack_summary(vol(1), mass(1), ke(1), most(1), few(1), found(1), worst)
        call told('summary, bits', worst, 0d0)
        call compare_pack_chain(s(1), parts(:, 1), worst)
        call told('chain, bits', worst, 0d0)
        call compare_single_singly(s4(1), worst)
        call told('singly, bits', worst, 0d0)
      end if
      call summary(nx, ny, v, d, u, k, vol(2), mass(2), ke(2), most(2), few(2), found(2))
      call chain(nx, ny, v, s(2), parts(:, 2))
      call singly(nx, ny, v4, s4(2))
      call told('vol', vol(1) - vol(2), 1d-9)
      call told('mass', mass(1) - mass(2), 1d-9)
      call told('ke', ke(1) - ke(2), 1d-9)
      call told('most', most(1) - most(2), 1d-14)
      call told('few', real(few(1) - few(2), 8), 0d0)
      if (found(1) .neqv. found(2)) print *, 'found differs'
      call told('s', s(1) - s(2), 1d-9*s(2))
      call told('parts', maxval(abs(parts(:, 1) - parts(:, 2))), 1d-9*maxval(parts))
      call told('s4', real(s4(1) - s4(2), 8), 0d0)
      s = 4
      call run_pack_beside(s(1))
      call beside(nx, ny, v, d, s(2))
      call told('beside', s(1) - s(2), 1d-9*s(2))
      call told('w', maxval(abs(w - d)), 0d0)
      d = 2 + cos(v)
    end do
  end do
  call record_pack_summary('states')
  call record_pack_chain('chain')
  call unbind_pack_summary()
  call unbind_pack_chain()
  call unbind_single_singly()
  call unbind_pack_beside()
  call frame_finalize()
  print '(a)', 'end'
contains
  subroutine told(what, value, limit)
    character(len=*), intent(in) :: what
    real(8), intent(in) :: value, limit
    if (.not. abs(value) <= limit) print *, what, ' differs by', value, nx, turn
  end subroutine told
end program host
