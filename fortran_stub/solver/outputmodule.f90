! The final fields in one file, in global order: it does not depend on the number of ranks or
! on who computed the properties, so runs are compared byte by byte.
!
! A text header of 4096 bytes (lines "keyword values", blank-padded), then doubles in the order
! of the machine: x fastest, then y, z, field.
module outputModule
  use mpi
  use, intrinsic :: iso_fortran_env, only: int32
  use useGENKindDefs, only: dp
  use checksumModule, only: updateCrc
  use caseModule, only: Cells, Lengths, OutputFile, Pressure
  use speciesModule, only: ns, speciesName
  use decompositionModule
  use fieldsModule
  implicit none
  private
  public :: writeFields

  integer, parameter :: headerBytes = 4096

contains

  ! T, rho, mass fractions, sound speed, viscosity and status; the checksum is printed.
  subroutine writeFields(step, time)
    integer, intent(in) :: step
    real(dp), intent(in) :: time
    real(dp), allocatable :: whole(:, :, :)
    character(len=headerBytes) :: header
    integer(int32) :: crc
    integer :: unit, n

    unit = 0
    crc = -1_int32
    allocate(whole(merge(Cells(1), 0, rank == 0), Cells(2), Cells(3)))
    if (rank == 0) then
      call makeHeader(step, time, header)
      if (len_trim(OutputFile) > 0) then
        open(newunit=unit, file=OutputFile, access='stream', form='unformatted', &
             status='replace', action='write')
        write(unit) header
      end if
    end if
    do n = 1, 5 + ns
      select case (n)
      case (1)
        call gather(Q(:, :, :, iT), whole)
      case (2)
        call gather(prop(:, :, :, propertyIndex('rho')), whole)
      case (3)
        call gather(prop(:, :, :, propertyIndex('c')), whole)
      case (4)
        call gather(prop(:, :, :, propertyIndex('eta')), whole)
      case (5)
        call gather(prop(:, :, :, propertyIndex('status')), whole)
      case default
        call gather(Q(:, :, :, iY + n - 6), whole)
      end select
      if (rank /= 0) cycle
      if (unit /= 0) write(unit) whole
      call updateCrc(crc, whole, size(whole))
    end do
    if (rank /= 0) return
    if (unit /= 0) close(unit)
    write(*, '(a,z8.8)') 'checksum of the fields (CRC-32) ', not(crc)
  end subroutine writeFields

  subroutine makeHeader(step, time, header)
    integer, intent(in) :: step
    real(dp), intent(in) :: time
    character(len=*), intent(out) :: header
    character(len=256) :: line
    integer :: s

    header = 'bridge-stub-fields 1'//new_line('a')
    write(line, '(a,3(1x,i0))') 'cells', Cells
    call append(line)
    write(line, '(a,3es24.16)') 'lengths', Lengths
    call append(line)
    write(line, '(a,es24.16)') 'pressure', Pressure
    call append(line)
    write(line, '(a,i0)') 'step ', step
    call append(line)
    write(line, '(a,es24.16)') 'time', time
    call append(line)
    write(line, '(a,i0)') 'headerbytes ', headerBytes
    call append(line)
    header = trim(header)//'fields T rho c eta status'
    do s = 1, ns
      header = trim(header)//' Y_'//trim(speciesName(s))
    end do
    header = trim(header)//new_line('a')//'end'//new_line('a')

  contains

    subroutine append(text)
      character(len=*), intent(in) :: text
      header = trim(header)//trim(text)//new_line('a')
    end subroutine append

  end subroutine makeHeader

  ! Interior of every block to its place in the whole array of rank 0.
  subroutine gather(field, whole)
    real(dp), intent(in) :: field(:, :, :)
    real(dp), intent(inout) :: whole(:, :, :)
    real(dp), allocatable :: interior(:, :, :)
    integer :: other, o(3), n(3), ierror

    allocate(interior, source=field(Spt(1):Ept(1), Spt(2):Ept(2), Spt(3):Ept(3)))
    if (rank /= 0) then
      call MPI_Send(interior, size(interior), MPI_DOUBLE_PRECISION, 0, 77, comm, ierror)
      return
    end if
    do other = 0, nRanks - 1
      call ownersOf(other, o, n)
      if (other > 0) then
        deallocate(interior)
        allocate(interior(n(1), n(2), n(3)))
        call MPI_Recv(interior, size(interior), MPI_DOUBLE_PRECISION, other, 77, comm, &
                      MPI_STATUS_IGNORE, ierror)
      end if
      whole(o(1) + 1:o(1) + n(1), o(2) + 1:o(2) + n(2), o(3) + 1:o(3) + n(3)) = interior
    end do
  end subroutine gather

end module outputModule
