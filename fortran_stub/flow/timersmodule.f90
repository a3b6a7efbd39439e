! Wall-clock timers of the parts of a run; the table compares the ranks.
module timersModule
  use mpi
  use useGENKindDefs, only: dp
  use blocksModule, only: rank, nRanks, globalMax, globalMin, globalSum
  implicit none
  private
  public :: timerStart, timerStop, timersForget, timerTable

  integer, parameter, public :: timerProperties = 1, timerFlow = 2, timerExchange = 3
  integer, parameter, public :: timerBoundary = 4, timerStep = 5, timerOutput = 6, timerLoop = 7
  integer, parameter :: nTimers = 7
  character(len=20), parameter :: partName(nTimers) = [character(len=20) :: &
    'properties', 'flow', 'exchange', 'boundaries', 'recorded_step', 'output', 'time_loop']

  integer :: calls(nTimers) = 0
  real(dp) :: total(nTimers) = 0.0_dp, first(nTimers) = 0.0_dp, begin(nTimers) = 0.0_dp

contains

  subroutine timerStart(part)
    integer, intent(in) :: part
    begin(part) = MPI_Wtime()
  end subroutine timerStart

  subroutine timerStop(part)
    integer, intent(in) :: part
    real(dp) :: elapsed

    elapsed = MPI_Wtime() - begin(part)
    calls(part) = calls(part) + 1
    total(part) = total(part) + elapsed
    if (calls(part) == 1) first(part) = elapsed
  end subroutine timerStop

  ! Leave out what was measured so far; all ranks go on from here together.
  subroutine timersForget
    integer :: ierror

    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    calls = 0
    total = 0.0_dp
    first = 0.0_dp
  end subroutine timersForget

  ! Rank 0 prints; with a file name the same numbers go there, one JSON record per line.
  ! Seconds; total and mean are averages over the ranks, share is of the time loop; the first
  ! call, which may hold a warm-up, is also given alone.
  subroutine timerTable(fileName, header)
    character(len=*), intent(in) :: fileName
    character(len=*), intent(in) :: header    ! JSON members that describe the run
    real(dp) :: average, mean, low, high, share, firstHigh, loop
    integer :: part, unit

    loop = globalSum(total(timerLoop))/nRanks
    unit = 0
    if (rank == 0) then
      write(*, '(/,a)') 'part                    calls      total/s       mean/s        min/s&
        &        max/s   share'
      if (len_trim(fileName) > 0) then
        open(newunit=unit, file=fileName, status='replace', action='write')
        write(unit, '(3a)') '{"part": "run", ', header, '}'
      end if
    end if
    do part = 1, nTimers
      average = globalSum(total(part))/nRanks
      low = globalMin(total(part))
      high = globalMax(total(part))
      firstHigh = globalMax(first(part))
      if (rank /= 0 .or. calls(part) == 0) cycle
      mean = average/calls(part)
      share = 0.0_dp
      if (loop > 0.0_dp) share = 100.0_dp*average/loop
      write(*, '(a20,i9,4es13.4,f7.1,a)') partName(part), calls(part), average, mean, low, high, &
        share, ' %'
      if (unit /= 0) write(unit, '(3a,i0,6(a,es13.6),a)') '{"part": "', trim(partName(part)), &
        '", "calls": ', calls(part), ', "total": ', average, ', "mean": ', mean, &
        ', "min": ', low, ', "max": ', high, ', "first": ', firstHigh, &
        ', "share": ', share/100.0_dp, '}'
    end do
    if (unit /= 0) close(unit)
  end subroutine timerTable

end module timersModule
