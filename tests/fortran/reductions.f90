! Reductions as a solver asks for them: of an array, of columns of Q, of what kernels make; places,
! components, a set without points, what is refused.
program reductions
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use bridge
  implicit none
  integer, parameter :: ns = 2, nx = 9, ny = 7, nz = 5, f = 1
  real(c_double), target :: q(0:nx + 1, 0:ny + 1, 0:nz + 1, 5 + ns), rho(0:nx + 1, 0:ny + 1, 0:nz + 1)
  real(c_double), target, allocatable :: none(:, :, :, :)
  real(c_double) :: value, each(ns), three(3), many(4)
  integer :: place(4), places(4, ns), ijk(3), six(6), found, i, j, k, ierr
  integer :: bits(32), few(3)
  logical :: bad

  q = -1.0e30_c_double
  rho = -1.0e30_c_double
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        q(i, j, k, 1) = 1.0e7_c_double
        q(i, j, k, 2:4) = 0
        q(i, j, k, 5) = 300 + 10*i + j + k
        q(i, j, k, 6) = 0.05_c_double*(i + j)
        q(i, j, k, 7) = 1 - q(i, j, k, 6)
      end do
    end do
  end do

  call frame_set('species', 'O2 CH4')
  call frame_set('backend', 'cpu')
  call frame_initialize(0, 50, ns, 5 + ns, 0)
  call frame_bind('cells', 'Q', 'in', q, 1 + f, nx + f, 1 + f, ny + f, 1 + f, nz + f)

  call frame_reduce('cells', 'T', 'max', value)
  call check('max', value == 300 + 10*nx + ny + nz)
  call frame_reduce('cells', 'T', 'sum', value)
  call check('sum', near(value, sum(q(1:nx, 1:ny, 1:nz, 5))))
  call frame_reduce('cells', 'T', 'maxloc', value, place)
  call check('maxloc', all(place == [nx + f, ny + f, nz + f, 1]))
  call frame_reduce('cells', 'T', 'minloc', value, ijk)
  call check('minloc', value == 312 .and. all(ijk == 1 + f))
  call frame_reduce('cells', 'T', 'sum', value, place)
  call check('sum-place', all(place == 0))

  call frame_reduce('cells', 'Y', 'max', each, places)
  call check('each', all(each == [q(nx, ny, 1, 6), q(1, 1, 1, 7)]) .and. &
      all(places(:, 1) == [nx + f, ny + f, 1 + f, 1]) .and. all(places(:, 2) == [2, 2, 2, 2]))
  call frame_reduce('cells', 'Y', 'max', value, place)
  call check('together', value == maxval(each) .and. place(4) == 2)
  call frame_reduce('cells', 'Y', 'max', value, component=1)
  call check('component', value == each(1))

  call frame_reduce('cells', 'rho', 'max', value, ijk)
  print '(a, es25.17, 3(1x, i0))', 'made', value, ijk
  call frame_bind('cells', 'rho', 'out', rho, 1 + f, nx + f, 1 + f, ny + f, 1 + f, nz + f)
  call frame_run('cells', 'eosThermalProperties')
  call check('run', maxval(rho(1:nx, 1:ny, 1:nz)) == value .and. all(maxloc(rho) == ijk))

  call frame_reduce('cells', 'status', 'any', bad, place)
  call frame_reduce('cells', 'status', 'any', found)
  call check('any', .not. bad .and. found == 0 .and. all(place == 0))
  q(4, 3, 2, 5) = -1
  call frame_reduce('cells', 'status', 'any', bad, place)
  call frame_reduce('cells', 'status', 'any', found)
  call check('any-bad', bad .and. found == 1 .and. all(place == [5, 4, 3, 1]))
  call frame_reduce('cells', 'c', 'min', value, place)
  call check('nan', value /= value .and. all(place(:3) == [5, 4, 3]))

  call frame_reduce('cells', 'status', 'count', found)
  call frame_reduce('cells', 'status', 'bits', bits)
  call check('bits', bits(1) == 1 .and. sum(bits) == 1)
  bits = 5
  call frame_allreduce('cells', 'status', 'bits', bits)
  call check('ranks-bits', bits(1) == 1 .and. sum(bits) == 1)
  call frame_reduce('cells', 'c', 'nan', bad, place)
  call check('count-nan', found == 1 .and. bad .and. all(place == [5, 4, 3, 1]))
  call frame_reduce('cells', 'Y', 'l1', each)
  call check('l1', all(near(each, [sum(q(1:nx, 1:ny, 1:nz, 6)), sum(q(1:nx, 1:ny, 1:nz, 7))])))
  call frame_reduce('cells', 'Y', 'l2', value, component=1)
  call check('l2', near(value, norm2(q(1:nx, 1:ny, 1:nz, 6))))
  call frame_reduce('cells', 'T', 'linf', value, place)
  call check('linf', value == 300 + 10*nx + ny + nz .and. all(place == [nx + f, ny + f, nz + f, 1]))

  call frame_allreduce('cells', 'T', 'sum', value)
  call check('ranks-sum', near(value, sum(q(1:nx, 1:ny, 1:nz, 5))))
  call frame_allreduce('cells', 'T', 'maxloc', value, six)
  call check('ranks-maxloc', all(six == [nx + f, ny + f, nz + f, 1, 1, 0]))
  call frame_allreduce('cells', 'Y', 'l2', each)
  call frame_allreduce('cells', 'Y', 'l2', value, component=2)
  call check('ranks-each', each(2) == value .and. &
      near(value, norm2(q(1:nx, 1:ny, 1:nz, 7))))
  call frame_allreduce('cells', 'status', 'count', found)
  call frame_allreduce('cells', 'status', 'any', bad, six)
  call check('ranks-status', found == 1 .and. bad .and. all(six == [5, 4, 3, 1, 1, 0]))

  call several()

  allocate (none(0, ny, nz, 5 + ns))
  call frame_bind('none', 'Q', 'in', none, 1, 0, 1, ny, 1, nz)
  call frame_reduce('none', 'c', 'max', value, place)
  call check('empty', value < -huge(value) .and. all(place == 0))
  call frame_reduce('none', 'T', 'min', value)
  call check('empty-min', value > huge(value))
  call frame_reduce('none', 'c', 'sum', value)
  call check('empty-sum', value == 0)

  many = 5
  call frame_reduce_several('none', 'c T', 'max count', many(:2))
  call check('empty-several', many(1) < -huge(value) .and. many(2) == 0)

  call frame_error_policy('return')
  value = 5
  call frame_reduce('cells', 'T', 'mean', value, ierr=ierr)
  call refused('operation', value == 5)
  call frame_reduce('cells', 'Y', 'sum', value, component=3, ierr=ierr)
  call refused('component', value == 5)
  call frame_reduce('cells', 'Y', 'sum', value, component=-1, ierr=ierr)
  call refused('component-below', value == 5)
  three = 5
  call frame_reduce('cells', 'Y', 'sum', three, ierr=ierr)
  call refused('values', all(three == 5))
  place = 5
  call frame_reduce('cells', 'T', 'maxloc', value, place(:2), ierr=ierr)
  call refused('place', value == 5 .and. all(place == 5))
  places = 5
  call frame_reduce('cells', 'Y', 'maxloc', each, places(:, :1), ierr=ierr)
  call refused('places', all(places == 5))
  found = 5
  call frame_reduce('cells', 'T', 'max', found, ierr=ierr)
  call refused('integer', found == 5)
  few = 5
  call frame_reduce('cells', 'status', 'bits', few, ierr=ierr)
  call refused('bits', all(few == 5))
  bits = 5
  call frame_reduce('cells', 'T', 'bits', bits, ierr=ierr)
  call refused('bits-of-reals', all(bits == 5))
  bad = .true.
  call frame_reduce('cells', 'noSuch', 'any', bad, ierr=ierr)
  call refused('quantity', bad)
  found = 5
  call frame_allreduce('cells', 'T', 'sum', found, ierr=ierr)
  call refused('ranks-integer', found == 5)
  bad = .false.
  call frame_allreduce('cells', 'T', 'count', bad, ierr=ierr)
  call refused('ranks-logical', .not. bad)
  place = 5
  call frame_allreduce('cells', 'T', 'maxloc', value, place, ierr=ierr)
  call refused('ranks-place', all(place == 5))
  value = 5
  call frame_allreduce('cells', 'T', 'sum', value, component=0, ierr=ierr)
  call refused('ranks-component', value == 5)
  three = 5
  call frame_allreduce('cells', 'Y', 'sum', three, ierr=ierr)
  call refused('ranks-values', all(three == 5))
  many = 5
  call frame_reduce_several('cells', 'T noSuch', 'max max', many(:2), ierr=ierr)
  call refused('several-quantity', all(many == 5))
  call frame_reduce_several('cells', 'T c', 'max mean', many(:2), ierr=ierr)
  call refused('several-operation', all(many == 5))
  call frame_reduce_several('cells', 'T c', 'max', many(:2), ierr=ierr)
  call refused('several-operations', all(many == 5))
  call frame_reduce_several('cells', 'T c', 'max max', many(:2), components=[1], ierr=ierr)
  call refused('several-components', all(many == 5))
  call frame_reduce_several('cells', 'Y c', 'max max', many(:2), components=[3, 0], ierr=ierr)
  call refused('several-component', all(many == 5))
  call frame_reduce_several('cells', 'Y c', 'max max', many(:2), components=[-1, 0], ierr=ierr)
  call refused('several-values', all(many == 5))
  call frame_reduce_several('cells', ' ', '', many(:2), ierr=ierr)
  call refused('several-none', all(many == 5))
  places = 5
  call frame_reduce_several('cells', 'c T', 'max max', many(:2), places(:, :1), ierr=ierr)
  call refused('several-places', all(many == 5) .and. all(places == 5))
  call frame_reduce_several('cells', 'c T', 'max max', many(:2), places(:2, :), ierr=ierr)
  call refused('several-place', all(many == 5) .and. all(places == 5))
  call frame_allreduce_several('cells', 'c T', 'max max', many(:2), places, ierr=ierr)
  call refused('several-ranks', all(many == 5) .and. all(places == 5))
  call frame_finalize()

contains

  ! At once as one by one, to the bit: of what is bound and what kernels make, NaN among it.
  subroutine several()
    character(len=*), parameter :: quantities = ' T c  Y status rho c T', &
        operations = 'maxloc min l2  bits max sum sum'
    integer, parameter :: components(7) = [0, 0, -1, 0, 0, 0, 1]
    real(c_double) :: alone(39), with(39), without(39)
    integer :: at(5, 39), one(5, 39), three_each(3, 39), over(6, 39)
    one = 0
    call frame_reduce('cells', 'T', 'maxloc', alone(1), one(:, 1))
    call frame_reduce('cells', 'c', 'min', alone(2), one(:, 2))
    call frame_reduce('cells', 'Y', 'l2', alone(3:4))
    call frame_reduce('cells', 'status', 'bits', bits)
    alone(5:36) = bits
    call frame_reduce('cells', 'rho', 'max', alone(37), one(:, 37))
    call frame_reduce('cells', 'c', 'sum', alone(38))
    call frame_reduce('cells', 'T', 'sum', alone(39), component=1)
    call frame_reduce_several('cells', quantities, operations, with, at, components)
    call frame_reduce_several('cells', quantities, operations, without, components=components)
    call check('several', same(with, alone) .and. same(without, alone) .and. all(at == one))
    call frame_reduce_several('cells', quantities, operations, with, three_each, components)
    call check('several-places', all(three_each == one(:3, :)))
    call frame_reduce_several('cells', 'T rho', 'min max', many(:2))
    call frame_reduce_several('cells', 'T rho', 'min max', many(3:4), at(:, :2), [0, 1])
    call check('several-all', many(1) == -1 .and. all(many(:2) == many(3:4)))

    call frame_allreduce('cells', 'T', 'maxloc', alone(1))
    call frame_allreduce('cells', 'c', 'min', alone(2))
    call frame_allreduce('cells', 'Y', 'l2', alone(3:4))
    call frame_allreduce('cells', 'status', 'bits', bits)
    alone(5:36) = bits
    call frame_allreduce('cells', 'rho', 'max', alone(37))
    call frame_allreduce('cells', 'c', 'sum', alone(38))
    call frame_allreduce('cells', 'T', 'sum', alone(39))
    call frame_allreduce_several('cells', quantities, operations, with, over, components)
    call frame_allreduce_several('cells', quantities, operations, without, components=components)
    call check('several-ranks', same(with, alone) .and. same(without, alone) .and. &
        all(over(:5, :) == one) .and. all(over(6, :) == 0))
  end subroutine several

  logical function same(a, b)
    real(c_double), intent(in) :: a(:), b(:)
    same = all(transfer(a, 0_c_int64_t, size(a)) == transfer(b, 0_c_int64_t, size(b)))
  end function same

  ! To the rounding of a sum of n values.
  elemental logical function near(value, wanted)
    real(c_double), intent(in) :: value, wanted
    near = abs(value - wanted) <= nx*ny*nz*epsilon(wanted)*abs(wanted)
  end function near

  subroutine check(label, right)
    character(len=*), intent(in) :: label
    logical, intent(in) :: right
    print '(a, 1x, l1)', label, right
  end subroutine check

  subroutine refused(label, untouched)
    character(len=*), intent(in) :: label
    logical, intent(in) :: untouched
    character(len=200) :: message
    call frame_last_error(message)
    print '(a, 1x, i0, 1x, l1, 1x, a)', 'refused-' // label, ierr, untouched, trim(message)
  end subroutine refused

end program reductions
