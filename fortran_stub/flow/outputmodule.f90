! The fields in one file, in global order: it does not depend on the number of ranks or blocks,
! so runs are compared byte by byte. A run goes on from such a file as if it had never stopped.
!
! A text header of 4096 bytes (lines "keyword values", blank-padded), then doubles in the order
! of the machine: x fastest, then y, z, field.
module outputModule
  use mpi
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use useGENKindDefs, only: dp
  use checksumModule, only: updateCrc
  use caseModule, only: Cells, Lengths, Energy
  use speciesModule, only: ns, speciesName
  use blocksModule
  implicit none
  private
  public :: checkOutput, writeFields, readFields, totalEnergy

  integer, parameter :: headerBytes = 4096

contains

  ! message is blank, or says why the file cannot be written: before a run is made for it.
  subroutine checkOutput(fileName, message)
    character(len=*), intent(in) :: fileName
    character(len=*), intent(out) :: message
    character(len=256) :: text
    integer :: unit, ios

    message = ' '
    if (rank /= 0 .or. len_trim(fileName) == 0) return
    open(newunit=unit, file=fileName, access='stream', form='unformatted', action='readwrite', &
         iostat=ios, iomsg=text)
    if (ios == 0) then
      close(unit)
    else
      message = 'OutputFile: '//trim(text)
    end if
  end subroutine checkOutput

  ! U, temperature, pressure, internal energy, speed of sound, viscosity and status. The checksum
  ! of the fields is printed.
  subroutine writeFields(fileName, step, time)
    character(len=*), intent(in) :: fileName
    integer, intent(in) :: step
    real(dp), intent(in) :: time
    real(dp), allocatable :: whole(:, :, :)
    character(len=headerBytes) :: header
    integer(int32) :: crc
    integer :: unit, m

    unit = 0
    crc = -1_int32
    allocate(whole(merge(Cells(1), 0, rank == 0), Cells(2), Cells(3)))
    if (rank == 0) then
      call makeHeader(step, time, header)
      if (len_trim(fileName) > 0) then
        open(newunit=unit, file=fileName, access='stream', form='unformatted', &
             status='replace', action='write')
        write(unit) header
      end if
    end if
    do m = 1, nU + 6
      call gather(m, whole)
      if (rank /= 0) cycle
      if (unit /= 0) write(unit) whole
      call updateCrc(crc, whole, size(whole))
    end do
    if (rank /= 0) return
    if (unit /= 0) close(unit)
    write(*, '(a,z8.8)') 'checksum of the fields (CRC-32) ', not(crc)
  end subroutine writeFields

  ! U of every block from a file of this program; its step and time.
  subroutine readFields(fileName, step, time, message)
    character(len=*), intent(in) :: fileName
    integer, intent(out) :: step
    real(dp), intent(out) :: time
    character(len=*), intent(out) :: message
    character(len=headerBytes) :: header, expected
    real(dp) :: row(Cells(1))
    integer :: unit, ios, b, m, j, k, first
    integer(int64) :: place

    message = ' '
    step = 0
    time = 0.0_dp
    open(newunit=unit, file=fileName, access='stream', form='unformatted', status='old', &
         action='read', iostat=ios)
    if (ios == 0) read(unit, iostat=ios) header
    if (ios /= 0) then
      message = 'cannot read the restart file '//trim(fileName)
      return
    end if
    call makeHeader(0, 0.0_dp, expected)
    first = index(header, 'step ')
    if (first == 0 .or. header(:max(first, 1)) /= expected(:max(first, 1))) then
      message = trim(fileName)//': not a file of this grid, or not of this program'
      return
    end if
    read(header(first + 5:), *) step
    read(header(index(header, 'time ') + 5:), *) time
    if (index(header, trim(fieldNames())) == 0) then
      message = trim(fileName)//': other species, or another form of the energy'
      return
    end if
    do b = 1, size(own)
      associate (me => own(b))
        do m = 1, nU
          do k = 1, me%n(3)
            do j = 1, me%n(2)
              place = 1 + headerBytes + 8_int64*Cells(1)*((me%offset(2) + j - 1) &
                + int(Cells(2), int64)*((me%offset(3) + k - 1) + int(Cells(3), int64)*(m - 1)))
              read(unit, pos=place, iostat=ios) row
              if (ios /= 0) message = trim(fileName)//' ends early'
              if (ios /= 0) return
              me%U(1:me%n(1), j, k, m) = row(me%offset(1) + 1:me%offset(1) + me%n(1))
            end do
          end do
        end do
      end associate
    end do
    close(unit)
  end subroutine readFields

  subroutine makeHeader(step, time, header)
    integer, intent(in) :: step
    real(dp), intent(in) :: time
    character(len=*), intent(out) :: header
    character(len=256) :: line

    header = 'bridge-flow-fields 1'//new_line('a')
    write(line, '(a,3(1x,i0))') 'cells', Cells
    call append(line)
    write(line, '(a,3es24.16)') 'lengths', Lengths
    call append(line)
    write(line, '(a,i0)') 'headerbytes ', headerBytes
    call append(line)
    write(line, '(a,i0)') 'step ', step
    call append(line)
    write(line, '(a,es24.16)') 'time ', time
    call append(line)
    header = trim(header)//trim(fieldNames())//new_line('a')//'end'//new_line('a')

  contains

    subroutine append(text)
      character(len=*), intent(in) :: text
      header = trim(header)//trim(text)//new_line('a')
    end subroutine append

  end subroutine makeHeader

  function fieldNames() result(names)
    character(len=2048) :: names
    integer :: s

    names = 'fields'
    do s = 1, ns
      names = trim(names)//' rho_'//trim(speciesName(s))
    end do
    names = trim(names)//' rhou rhov rhow '//trim(merge('energy  ', 'pressure', Energy == 'total'))//&
            ' T0 T P e c eta status'
  end function fieldNames

  ! Field m of every block to its place in the whole array of rank 0.
  subroutine gather(m, whole)
    integer, intent(in) :: m
    real(dp), intent(inout) :: whole(:, :, :)
    real(dp), allocatable :: cells(:, :, :)
    integer :: box(6), id, ierror

    do id = 0, nBlocks - 1
      if (ownerOf(id) == rank) then
        associate (me => own(id - firstBlock + 1))
          box = [me%offset, me%n]
          allocate(cells(me%n(1), me%n(2), me%n(3)))
          if (m <= nU) cells = me%U(1:me%n(1), 1:me%n(2), 1:me%n(3), m)
          if (m == nU + 1) cells = me%prop(1:me%n(1), 1:me%n(2), 1:me%n(3), iT)
          if (m == nU + 2) cells = me%prop(1:me%n(1), 1:me%n(2), 1:me%n(3), iP)
          if (m == nU + 3) cells = me%Q(1:me%n(1), 1:me%n(2), 1:me%n(3), iE)
          if (m == nU + 4) cells = me%prop(1:me%n(1), 1:me%n(2), 1:me%n(3), iC)
          if (m == nU + 5) cells = me%prop(1:me%n(1), 1:me%n(2), 1:me%n(3), iEta)
          if (m == nU + 6) cells = me%status(1:me%n(1), 1:me%n(2), 1:me%n(3), 1)
        end associate
        if (rank /= 0) then
          call MPI_Send(box, 6, MPI_INTEGER, 0, 76, MPI_COMM_WORLD, ierror)
          call MPI_Send(cells, size(cells), MPI_DOUBLE_PRECISION, 0, 77, MPI_COMM_WORLD, ierror)
        end if
      else if (rank == 0) then
        call MPI_Recv(box, 6, MPI_INTEGER, ownerOf(id), 76, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        allocate(cells(box(4), box(5), box(6)))
        call MPI_Recv(cells, size(cells), MPI_DOUBLE_PRECISION, ownerOf(id), 77, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierror)
      end if
      if (rank == 0) whole(box(1) + 1:box(1) + box(4), box(2) + 1:box(2) + box(5), &
                           box(3) + 1:box(3) + box(6)) = cells
      if (allocated(cells)) deallocate(cells)
    end do
  end subroutine gather

  ! J, internal and kinetic energy of all cells.
  real(dp) function totalEnergy()
    real(dp) :: mine
    integer :: b, i, j, k

    mine = 0.0_dp
    do b = 1, size(own)
      do k = 1, own(b)%n(3)
        do j = 1, own(b)%n(2)
          do i = 1, own(b)%n(1)
            mine = mine + own(b)%Q(i, j, k, iRho) &
              *(own(b)%Q(i, j, k, iE) + 0.5_dp*sum(own(b)%Q(i, j, k, iU:iU + 2)**2))
          end do
        end do
      end do
    end do
    totalEnergy = globalSum(mine)*product(h)
  end function totalEnergy

end module outputModule
