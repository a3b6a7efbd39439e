! Files for the pictures and for comparisons: integers and real(4), as a stream.
module outputmodule
  use settingsmodule, only: n, steps, every, frames, results
  use fieldsmodule, only: u, v, d
  implicit none
  private
  public :: openFrames, writeFrame, closeFrames, writeResults, wantsFrame
  integer :: unit = -1

contains

  logical function wantsFrame(number)
    integer, intent(in) :: number
    wantsFrame = .false.
    if (every > 0) wantsFrame = mod(number, every) == 0
  end function wantsFrame

  subroutine openFrames
    if (every <= 0) return
    open (newunit=unit, file=trim(frames), access='stream', form='unformatted', status='replace')
    write (unit) n, steps/every
  end subroutine openFrames

  subroutine writeFrame
    write (unit) d(1:n, 1:n)
  end subroutine writeFrame

  subroutine closeFrames
    if (every > 0) close (unit)
  end subroutine closeFrames

  subroutine writeResults
    integer :: file
    if (results == '') return
    open (newunit=file, file=trim(results), access='stream', form='unformatted', status='replace')
    write (file) u, v, d
    close (file)
  end subroutine writeResults

end module outputmodule
