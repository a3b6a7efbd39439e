! A checksum of fields, by which runs are compared without their files.
module checksumModule
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use useGENKindDefs, only: dp
  implicit none
  private
  public :: updateCrc

contains

  ! CRC-32 (IEEE 802.3) of the bytes of the numbers, as zlib computes it.
  subroutine updateCrc(crc, numbers, n)
    integer(int32), intent(inout) :: crc
    integer, intent(in) :: n
    real(dp), intent(in) :: numbers(n)
    integer(int32), parameter :: polynomial = int(z'6DB88320', int32)   ! bit 31 is set below
    integer(int32) :: table(0:255), entry
    integer(int64) :: word
    integer :: i, bit, byte

    do i = 0, 255
      entry = int(i, int32)
      do bit = 1, 8
        if (btest(entry, 0)) then
          entry = ieor(ishft(entry, -1), ibset(polynomial, 31))
        else
          entry = ishft(entry, -1)
        end if
      end do
      table(i) = entry
    end do
    do i = 1, n
      word = transfer(numbers(i), word)
      do byte = 0, 7
        entry = ieor(crc, int(ibits(word, 8*byte, 8), int32))
        crc = ieor(ishft(crc, -8), table(ibits(entry, 0, 8)))
      end do
    end do
  end subroutine updateCrc

end module checksumModule
