! The species of a check, from fortran_stub.
subroutine bridge_setup
  use speciesModule, only: speciesRead, speciesSetKij
  implicit none
  character(len=256) :: message

  call speciesRead('data/species.dat', 'CH4 O2 H2O', message)
  if (len_trim(message) > 0) error stop 'species.dat'
  call speciesSetKij('O2', 'CH4', 0.0289d0, message)
end subroutine bridge_setup
