! The way of the CASTLES + Kokkos talk: no module, integers by %VAL, names ending in char(0),
! a block with fringes and the loop over stripes written out.
program talk
  implicit none
  integer, parameter :: nspe = 2, nq = 5 + nspe, fringe = 2
  integer, parameter :: NumX = 8 + 2*fringe, NumY = 5 + 2*fringe, NumZ = 1
  integer, parameter :: SptX = 1 + fringe, EptX = NumX - fringe
  integer, parameter :: SptY = 1 + fringe, EptY = NumY - fringe, SptZ = 1, EptZ = 1
  integer, parameter :: MaxBlock = 16, iTurbType = 0
  double precision, dimension(NumX, NumY, NumZ, nq) :: Q
  double precision, dimension(NumX, NumY, NumZ, 1) :: rho
  integer :: SptStripe, EptStripe, NumThisStripe, NumPoints, ierr, i
  external :: frame_set, frame_initialize, frame_finalize
  external :: frame_castles_populateinputstripe, frame_castles_populateoutputstripe
  external :: frame_tvproperties_eosthermalandviscousproperties

  Q = 0d0
  Q(:, :, :, 1) = 1d7                            ! p
  do i = 1, NumX
    Q(i, :, :, 5) = 120d0 + 15d0*(i - SptX)      ! T
    Q(i, :, :, 6) = 1d0 - 0.1d0*(i - SptX)       ! Y of O2
  end do
  Q(:, :, :, 7) = 1d0 - Q(:, :, :, 6)            ! Y of CH4
  rho = -1d0

  call frame_set('species'//char(0), 'O2 CH4'//char(0), ierr)
  call frame_initialize(%VAL(0), %VAL(MaxBlock), %VAL(nspe), %VAL(nq), %VAL(iTurbType))

  NumPoints = (EptX - SptX + 1)*(EptY - SptY + 1)*(EptZ - SptZ + 1)
  do SptStripe = 1, NumPoints, MaxBlock
    EptStripe = min(SptStripe + MaxBlock - 1, NumPoints)
    NumThisStripe = EptStripe - SptStripe + 1
    call frame_castles_populateinputstripe('Q'//char(0), Q, &
      %VAL(NumX), %VAL(NumY), %VAL(NumZ), %VAL(SptX), %VAL(EptX), %VAL(SptY), %VAL(EptY), &
      %VAL(SptZ), %VAL(EptZ), %VAL(1), %VAL(nq), %VAL(SptStripe), %VAL(EptStripe))
    call frame_tvproperties_eosthermalandviscousproperties(%VAL(NumThisStripe))
    call frame_castles_populateoutputstripe('rho'//char(0), rho, &
      %VAL(NumX), %VAL(NumY), %VAL(NumZ), %VAL(SptX), %VAL(EptX), %VAL(SptY), %VAL(EptY), &
      %VAL(SptZ), %VAL(EptZ), %VAL(1), %VAL(1), %VAL(SptStripe), %VAL(EptStripe))
  end do
  call frame_finalize()

  print '(a)', '     T / K      Y(O2)  rho / (kg/m3)'
  do i = SptX, EptX
    print '(f10.2,f11.3,f15.6)', Q(i, SptY, 1, 5), Q(i, SptY, 1, 6), rho(i, SptY, 1, 1)
  end do
  if (any(rho(:SptX - 1, :, :, :) > -1d0) .or. any(rho(:, EptY + 1:, :, :) > -1d0)) &
    print '(a)', 'fringes were written: an error'
end program talk
