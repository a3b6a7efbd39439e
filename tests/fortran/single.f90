! Must not compile: the bridge takes double precision.
program single_precision
  use bridge, only: frame_castles_populateinputstripe
  implicit none
  real :: t(4, 4, 4)
  t = 300
  call frame_castles_populateinputstripe('T', t)
end program single_precision
