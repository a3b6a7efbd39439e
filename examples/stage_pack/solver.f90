! A viscous gas on a line of blocks, two on each rank: every stage of a Runge-Kutta step by the
! bridge, and the legacy loops beside it as the check.
!
!     mpirun -n 2 solver [nx ny nz steps further]
!
! After these steps, which are compared, the bridge goes further steps alone, which are timed.
program solver
  use bridge
  use flowLoops
  use mpi
  implicit none
  integer, parameter :: nb = 2                       ! blocks of a rank
  type(block), target :: new(nb), old(nb)
  real(dp), allocatable :: sent(:, :), received(:, :)  ! two layers, block
  real(dp) :: rate, worst, energy, started, newTime, oldTime
  integer :: inner(6), shell(6, 2), sendBoxes(6, 2), recvBoxes(6, 2)
  integer :: rank, ranks, error, step, steps, further, layer, s, b

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  nx = number(1, nx)
  ny = number(2, ny)
  nz = number(3, nz)
  steps = number(4, 5)
  further = number(5, 0)
  spacing = 1.0e-3_dp
  do b = 1, nb
    call start(new(b), b)
    call start(old(b), b)
  end do
  layer = 5*ny*nz
  allocate (sent(2*layer, nb), received(2*layer, nb), source=0.0_dp)
  call boxes

  call frame_set('device', 'local-rank')             ! the ranks of a node take its GPUs in turn
  call frame_initialize(device_id=0, ngridpoints=65536, ns=0, nq=0, iturb=0, &
      comm=MPI_COMM_WORLD)
  do b = 1, nb
    call bindArrays(new(b), b)
  end do
  call frame_constant('flow_spacing', spacing)
  rate = 0.0_dp
  do b = 1, nb
    call properties(old(b), 1, nx, 1, ny, 1, nz)
    rate = max(rate, signalRate(old(b)))
  end do
  call MPI_Allreduce(MPI_IN_PLACE, rate, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  dt = 0.8_dp/rate
  call frame_constant('flow_dt', dt)

  newTime = 0.0_dp
  oldTime = 0.0_dp
  do step = 1, steps
    call MPI_Barrier(MPI_COMM_WORLD, error)          ! no rank's time has another one's loops in it
    started = MPI_Wtime()
    call newStep
    if (step > 1) newTime = newTime + MPI_Wtime() - started
    call MPI_Barrier(MPI_COMM_WORLD, error)
    started = MPI_Wtime()
    call oldStep
    if (step > 1) oldTime = oldTime + MPI_Wtime() - started
  end do

  rate = 0.0_dp
  do b = 1, nb
    call frame_update_host(set('cells', b), 'flow_Q')
    call frame_reduce(set('cells', b), 'flow_rate', 'max', energy)
    rate = max(rate, energy)
  end do
  call check
  if (further > 0) call goFurther
  call frame_report()
  do b = 1, nb
    call leave(b)
  end do
  call frame_finalize()
  call MPI_Finalize(error)
  if (.not. worst < 1.0e-11_dp) error stop 'the stages differ from the legacy loops'

contains

  subroutine newStep
    do b = 1, nb
      call frame_run(set('cells', b), 'startStep')
    end do
    do s = 1, size(stages)
      call stage
    end do
  end subroutine newStep

  ! One stage: what needs no other block's layers while these travel, then the rest.
  subroutine stage
    call frame_constant('flow_a', stages(s))
    do b = 1, nb
      call frame_pack(set('cells', b), 'flow_Q', sendBoxes, sent(:, b))
      call frame_run(set('lowY', b), 'wallLowY')
      call frame_run(set('highY', b), 'wallHighY')
      call frame_run(set('lowZ', b), 'wallLowZ')
      call frame_run(set('highZ', b), 'wallHighZ')
      call frame_run_begin(set('cells', b), 'properties', box=inner)
      call frame_run_begin(set('facesY', b), 'fluxY')
      call frame_run_begin(set('facesZ', b), 'fluxZ')
    end do
    call exchange
    do b = 1, nb
      call frame_wait(set('cells', b))
      call frame_wait(set('facesY', b))
      call frame_wait(set('facesZ', b))
      call frame_unpack(set('cells', b), 'flow_Q', recvBoxes, received(:, b))
      if (new(b)%first) call frame_run(set('inlet', b), 'inflow')
      if (new(b)%last) call frame_run(set('outlet', b), 'outflow')
      call frame_run(set('cells', b), 'properties', box=shell)
      call frame_run(set('facesX', b), 'fluxX')
      call frame_run(set('cells', b), 'divergence')
      call frame_run(set('cells', b), 'rkUpdate')
    end do
  end subroutine stage

  ! The sets of a block, its arrays resident: they stay where the runs are.
  subroutine bindArrays(own, b)
    type(block), intent(inout), target :: own
    integer, intent(in) :: b
    character(len=6), parameter :: ghosts(6) = &
        [character(len=6) :: 'inlet', 'outlet', 'lowY', 'highY', 'lowZ', 'highZ']
    integer :: g
    call cells(set('cells', b), 'flow_Q', own%Q)
    call cells(set('cells', b), 'flow_Qstart', own%Qstart)
    call cells(set('cells', b), 'flow_properties', own%prop)
    call cells(set('cells', b), 'flow_change', own%change)
    call frame_bind(set('facesX', b), 'flow_fluxX', 'out', own%fx)
    call frame_bind(set('facesY', b), 'flow_fluxY', 'out', own%fy)
    call frame_bind(set('facesZ', b), 'flow_fluxZ', 'out', own%fz)
    call faces('X', b)
    call faces('Y', b)
    call faces('Z', b)
    do g = 1, size(ghosts)
      call ghostLayer(set(trim(ghosts(g)), b), g, own%Q)
    end do
    call frame_enter_data(set('cells', b), 'flow_Q', 'copyin')
    call frame_enter_data(set('cells', b), 'flow_Qstart', 'create')
    call frame_enter_data(set('cells', b), 'flow_properties', 'create')
    call frame_enter_data(set('cells', b), 'flow_change', 'create')
    call frame_enter_data(set('facesX', b), 'flow_fluxX', 'create')
    call frame_enter_data(set('facesY', b), 'flow_fluxY', 'create')
    call frame_enter_data(set('facesZ', b), 'flow_fluxZ', 'create')
  end subroutine bindArrays

  subroutine leave(b)
    integer, intent(in) :: b
    call frame_exit_data(set('cells', b), 'flow_Q', 'delete')
    call frame_exit_data(set('cells', b), 'flow_Qstart', 'delete')
    call frame_exit_data(set('cells', b), 'flow_properties', 'delete')
    call frame_exit_data(set('cells', b), 'flow_change', 'delete')
    call frame_exit_data(set('facesX', b), 'flow_fluxX', 'delete')
    call frame_exit_data(set('facesY', b), 'flow_fluxY', 'delete')
    call frame_exit_data(set('facesZ', b), 'flow_fluxZ', 'delete')
  end subroutine leave

  subroutine cells(set, name, data)
    character(len=*), intent(in) :: set, name
    real(dp), intent(inout), target :: data(:, :, :, :)
    call frame_bind(set, name, 'inout', data, f + 1, f + nx, f + 1, f + ny, f + 1, f + nz)
  end subroutine cells

  ! Faces read the cells beside them, cells the faces around them.
  subroutine faces(axis, b)
    character(len=1), intent(in) :: axis
    integer, intent(in) :: b
    call frame_bind_from(set('faces' // axis, b), 'flow_Q', set('cells', b))
    call frame_bind_from(set('faces' // axis, b), 'flow_properties', set('cells', b))
    call frame_bind_from(set('cells', b), 'flow_flux' // axis, set('faces' // axis, b))
  end subroutine faces

  ! A layer beside the cells is the interior of a set of its own: it is written, and the cells
  ! beside it are read, in the same array.
  subroutine ghostLayer(set, side, Q)
    character(len=*), intent(in) :: set
    integer, intent(in) :: side
    real(dp), intent(inout), target :: Q(:, :, :, :)
    integer :: first(3), last(3), axis
    axis = (side + 1)/2
    first = f + 1
    last = f + [nx, ny, nz]
    if (mod(side, 2) == 1) then
      last(axis) = f
    else
      last(axis) = last(axis) + 1
    end if
    first(axis) = last(axis)
    call frame_bind(set, 'flow_Q', 'in', Q, first(1), last(1), first(2), last(2), first(3), last(3))
    call frame_bind(set, 'flow_ghost', 'out', Q, first(1), last(1), first(2), last(2), &
        first(3), last(3))
  end subroutine ghostLayer

  ! Set of a block.
  function set(name, b)
    character(len=*), intent(in) :: name
    integer, intent(in) :: b
    character(len=:), allocatable :: set
    set = name // achar(iachar('0') + b)
  end function set

  ! Numbers of points count from 1 at the first cell; 0 and nx+1 lie in the fringe. Properties of a
  ! cell need that cell alone: all cells are inner, the layers that fluxes read beside them are not.
  subroutine boxes
    inner = [1, nx, 0, ny + 1, 0, nz + 1]            ! blocks meet along x alone
    shell(:, 1) = [0, 0, 0, ny + 1, 0, nz + 1]
    shell(:, 2) = [nx + 1, nx + 1, 0, ny + 1, 0, nz + 1]
    sendBoxes(:, 1) = [1, 1, 1, ny, 1, nz]
    sendBoxes(:, 2) = [nx, nx, 1, ny, 1, nz]
    recvBoxes(:, 1) = [0, 0, 1, ny, 1, nz]
    recvBoxes(:, 2) = [nx + 1, nx + 1, 1, ny, 1, nz]
  end subroutine boxes

  ! The code's own exchange: layers to the blocks before and behind, on this rank or another.
  subroutine exchange
    integer :: requests(4*nb), n, place, side, other
    n = 0
    do b = 1, nb
      do side = 1, 2
        place = rank*nb + b - 1
        other = place + 2*side - 3
        if (other < 0 .or. other >= ranks*nb) cycle
        call MPI_Irecv(received(1 + (side - 1)*layer, b), layer, MPI_DOUBLE_PRECISION, &
            other/nb, 2*place + side, MPI_COMM_WORLD, requests(n+1), error)
        call MPI_Isend(sent(1 + (side - 1)*layer, b), layer, MPI_DOUBLE_PRECISION, &
            other/nb, 2*other + 3 - side, MPI_COMM_WORLD, requests(n+2), error)
        n = n + 2
      end do
    end do
    call MPI_Waitall(n, requests(:n), MPI_STATUSES_IGNORE, error)
  end subroutine exchange

  ! ---- The legacy code, and what compares ------------------------------------------------------

  subroutine oldStep
    do b = 1, nb
      old(b)%Qstart = old(b)%Q
    end do
    do s = 1, size(stages)
      do b = 1, nb
        sent(:layer, b) = reshape(old(b)%Q(1, 1:ny, 1:nz, :), [layer])
        sent(layer+1:, b) = reshape(old(b)%Q(nx, 1:ny, 1:nz, :), [layer])
      end do
      call exchange
      do b = 1, nb
        if (.not. old(b)%first) old(b)%Q(0, 1:ny, 1:nz, :) = &
            reshape(received(:layer, b), [ny, nz, 5])
        if (.not. old(b)%last) old(b)%Q(nx+1, 1:ny, 1:nz, :) = &
            reshape(received(layer+1:, b), [ny, nz, 5])
        call boundaries(old(b))
        call properties(old(b), 0, nx + 1, 0, ny + 1, 0, nz + 1)
        call faceFlux(old(b)%Q, old(b)%prop, old(b)%fx, 1, [1, 0, 0])
        call faceFlux(old(b)%Q, old(b)%prop, old(b)%fy, 2, [0, 1, 0])
        call faceFlux(old(b)%Q, old(b)%prop, old(b)%fz, 3, [0, 0, 1])
        call divergence(old(b))
        call rkUpdate(old(b), stages(s))
      end do
    end do
  end subroutine oldStep

  subroutine check
    real(dp) :: times(2), scale
    integer :: m
    worst = 0.0_dp
    energy = 0.0_dp
    do b = 1, nb
      do m = 1, 5
        scale = maxval(abs(old(b)%Q(1:nx, 1:ny, 1:nz, merge(m, 2, m == 1 .or. m == 5))))
        worst = max(worst, maxval(abs(new(b)%Q(1:nx, 1:ny, 1:nz, m) &
            - old(b)%Q(1:nx, 1:ny, 1:nz, m)))/scale)
      end do
      energy = energy + sum(new(b)%Q(1:nx, 1:ny, 1:nz, 5))
    end do
    times = [newTime, oldTime]
    call MPI_Allreduce(MPI_IN_PLACE, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    call MPI_Allreduce(MPI_IN_PLACE, energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call MPI_Allreduce(MPI_IN_PLACE, rate, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    call MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    times = perCell(times, steps - 1)
    if (rank /= 0) return
    print '(a, es10.2)', 'largest difference ', worst
    print '(a, es24.16)', 'energy ', energy
    print '(a, es24.16)', 'rate ', rate
    print '(a, f11.2, a, f11.2)', 'ns per cell and stage: bridge ', times(1), ', Fortran ', times(2)
  end subroutine check

  ! The bridge's steps without the legacy loops between them; the last ones wait for a number.
  subroutine goFurther
    real(dp) :: taken
    call MPI_Barrier(MPI_COMM_WORLD, error)
    started = MPI_Wtime()
    do step = 1, further
      call newStep
    end do
    do b = 1, nb
      call frame_reduce(set('cells', b), 'flow_rate', 'max', energy)
    end do
    taken = MPI_Wtime() - started
    call MPI_Allreduce(MPI_IN_PLACE, taken, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a, es12.4)', 'ns per cell and stage alone: bridge ', perCell(taken, further)
  end subroutine goFurther

  ! Nanoseconds per cell of a rank and stage.
  elemental real(dp) function perCell(seconds, steps)
    real(dp), intent(in) :: seconds
    integer, intent(in) :: steps
    perCell = 1.0e9_dp*seconds/max(steps, 1)/size(stages)/(real(nx, dp)*ny*nz*nb)
  end function perCell

  subroutine start(own, number)
    type(block), intent(inout) :: own
    integer, intent(in) :: number
    call allocateBlock(own)
    own%first = rank == 0 .and. number == 1
    own%last = rank == ranks - 1 .and. number == nb
    call startValues(own, (rank*nb + number - 1)*nx)
  end subroutine start

  integer function number(place, default)
    integer, intent(in) :: place, default
    character(len=20) :: word
    number = default
    if (command_argument_count() < place) return
    call get_command_argument(place, word)
    read (word, *) number
  end function number

end program solver
