// Speed of sound from the CFD derivatives. docs/physics.md, section 8. Source: Carilli 2017.
//
// In   rho, rho_p, rho_T, h_p, h_T, status
// Out  c m/s (NaN where the state is unstable), status with UNSTABLE where c^2 <= 0
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSCalcSoundSpeed(const Shared&, const Real& rho, const Real& rho_p,
                                   const Real& rho_T, const Real& h_p, const Real& h_T,
                                   const Bits<Real>& status, Real& c, Bits<Real>& status_out) {
    const Real square = rho * h_T / (rho * rho_p * h_T + rho_T * (1.0 - rho * h_p));
    status_out = status | flag<Real>(square <= 0.0, UNSTABLE);
    const Mask<Real> unstable = has_any<Real>(status_out, UNSTABLE);
    c = select(unstable, Real(BRIDGE_NAN), sqrt(select(unstable, 1.0, square)));
}

}  // namespace BRIDGE_NAMESPACE
