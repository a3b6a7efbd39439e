! Two answers for the same cells, compared in the measure of docs/physics.md, section 15:
! |x - y| over the larger of |y| and the scale of the quantity, over max(1, P kappaT).
module verifyModule
  use mpi
  use useGENKindDefs, only: dp
  use speciesModule, only: ns, Wi, Rgas
  use decompositionModule
  use fieldsModule
  implicit none
  private
  public :: verifyCompare, verifyTable

  type largest
    real(dp) :: difference = 0.0_dp
    integer :: step = -1, cell(3) = 0, column = 0, owner = 0
  end type largest

  type(largest) :: worst(nOutputs)
  integer :: comparedPoints = 0

contains

  ! reference: the legacy answer; other: the bridge's; step: steps done, 0 for the first state.
  subroutine verifyCompare(reference, other, step)
    real(dp), intent(in) :: reference(:, :, :, :), other(:, :, :, :)
    integer, intent(in) :: step
    real(dp) :: difference, conditioning, x, y
    integer :: i, j, k, n, c, jRhop, jRho

    jRhop = propertyIndex('rho_p')
    jRho = propertyIndex('rho')
    do k = Spt(3), Ept(3)
      do j = Spt(2), Ept(2)
        do i = Spt(1), Ept(1)
          comparedPoints = comparedPoints + 1
          conditioning = max(1.0_dp, Q(i, j, k, iP)*reference(i, j, k, jRhop)/reference(i, j, k, jRho))
          do n = 1, nOutputs
            do c = firstColumn(n), lastColumn(n)
              x = other(i, j, k, c)
              y = reference(i, j, k, c)
              difference = abs(x - y)/max(abs(y), scaleOf(n, c, i, j, k, reference), tiny(1.0_dp))
              if (outputName(n) == 'status') then
                difference = merge(0.0_dp, 1.0_dp, nint(x) == nint(y))
              else
                difference = difference/conditioning
              end if
              ! A NaN on one side counts as the largest difference there is.
              if (.not. difference <= huge(1.0_dp)) difference = huge(1.0_dp)
              if (difference <= worst(n)%difference) cycle
              worst(n)%difference = difference
              worst(n)%step = step
              worst(n)%cell = [i, j, k] - Spt + 1 + offset
              worst(n)%column = c - firstColumn(n) + 1
            end do
          end do
        end do
      end do
    end do
  end subroutine verifyCompare

  ! Absolute scale of quantities that cross zero; zero for the others.
  real(dp) function scaleOf(n, c, i, j, k, reference)
    integer, intent(in) :: n, c, i, j, k
    real(dp), intent(in) :: reference(:, :, :, :)

    select case (outputName(n))
    case ('h')
      scaleOf = Rgas*Q(i, j, k, iT)/reference(i, j, k, propertyIndex('W'))
    case ('h_Yi')
      scaleOf = Rgas*Q(i, j, k, iT)/Wi(c - firstColumn(n) + 1)
    case ('h_p')
      scaleOf = 1.0_dp/reference(i, j, k, propertyIndex('rho'))
    case ('rho_T')
      scaleOf = reference(i, j, k, propertyIndex('rho'))/Q(i, j, k, iT)
    case default
      scaleOf = 0.0_dp
    end select
  end function scaleOf

  ! Rank 0 prints the largest difference of each property and where it was; the answer says
  ! whether all of them are within the tolerance.
  logical function verifyTable(tolerance)
    real(dp), intent(in) :: tolerance
    real(dp) :: points
    integer :: n

    points = globalSum(real(comparedPoints, dp))
    do n = 1, nOutputs
      call worstOfRanks(worst(n))
    end do
    verifyTable = all(worst%difference <= tolerance)
    if (rank /= 0) return
    write(*, '(/,a,i0,a)') 'verify: bridge against fortran, ', nint(points), ' points'
    write(*, '(a)') 'property    difference  component   rank  cell (i, j, k)  after step'
    do n = 1, nOutputs
      if (worst(n)%step < 0) then
        write(*, '(a8,es14.3)') outputName(n), worst(n)%difference
      else
        write(*, '(a8,es14.3,i11,i7,3i6,i10)') outputName(n), worst(n)%difference, &
          worst(n)%column, worst(n)%owner, worst(n)%cell, worst(n)%step
      end if
    end do
    if (verifyTable) then
      write(*, '(a,es9.2)') 'verify: passed, every difference within ', tolerance
    else
      write(*, '(a,es9.2)') 'verify: FAILED, a difference beyond ', tolerance
    end if
  end function verifyTable

  subroutine worstOfRanks(entry)
    type(largest), intent(inout) :: entry
    real(dp) :: pair(2), best(2)
    integer :: place(5), winner, ierror

    entry%owner = rank
    pair = [entry%difference, real(rank, dp)]
    call MPI_Allreduce(pair, best, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, comm, ierror)
    winner = nint(best(2))
    place = [entry%step, entry%cell, entry%column]
    call MPI_Bcast(place, 5, MPI_INTEGER, winner, comm, ierror)
    entry%difference = best(1)
    entry%step = place(1)
    entry%cell = place(2:4)
    entry%column = place(5)
    entry%owner = winner
  end subroutine worstOfRanks

end module verifyModule
