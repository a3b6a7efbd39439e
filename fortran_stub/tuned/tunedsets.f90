! The two sets of properties that benchmarks time, hand-tuned; the same interface as
! ../bench/legacysets.f90.
module pointSetsModule
  use useGENKindDefs, only: dp
  use statusModule
  use tunedTablesModule, only: ns, maxSpecies, tunedTables
  use tunedEosModule, only: mixturePoint, tunedState
  use tunedTransportModule, only: tunedTransport
  implicit none
  private
  public :: prepareSets, thermalSet, fullSet, nThermal

  integer, parameter :: nThermal = 9   ! rho, h, cp, cv, rho_p, rho_T, h_p, h_T, c

contains

  subroutine prepareSets
    call tunedTables
  end subroutine prepareSets

  pure subroutine thermalSet(T, P, Y, thermal, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: thermal(nThermal)
    integer, intent(out) :: status
    type(mixturePoint) :: m
    real(dp) :: X(maxSpecies)

    call tunedState(T, P, Y, m, X, thermal)
    status = m%status
    if (isFatal(status)) thermal = quietNaN()
  end subroutine thermalSet

  pure subroutine fullSet(T, P, Y, thermal, eta, lambda, Dim, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: thermal(nThermal), eta, lambda, Dim(ns)
    integer, intent(out) :: status
    type(mixturePoint) :: m
    real(dp) :: X(maxSpecies)

    call tunedState(T, P, Y, m, X, thermal)
    if (isFatal(m%status)) then
      status = m%status
      thermal = quietNaN()
      eta = quietNaN()
      lambda = eta
      Dim = eta
      return
    end if
    call tunedTransport(T, P, X, m%W, m%v, m%cv0, eta, lambda, Dim, m%status)
    status = m%status
  end subroutine fullSet

end module pointSetsModule
