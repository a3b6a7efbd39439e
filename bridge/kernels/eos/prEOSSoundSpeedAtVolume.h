// Speed of sound from derivatives at constant volume: it stays finite where dP/dv passes through
// zero, at states that a conservative solver may visit. docs/physics.md, section 8.
//
// In   T K, v m3/mol, P_v Pa mol/m3, P_T Pa/K, cv J/(kg K), W kg/mol, status
// Out  c m/s (NaN where c^2 <= 0), status with UNSTABLE there
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSSoundSpeedAtVolume(const Shared&, const Real& T, const Real& v,
                                       const Real& P_v, const Real& P_T, const Real& cv,
                                       const Real& W, const Bits<Real>& status, Real& c,
                                       Bits<Real>& status_out) {
    const Real square = v * v * (T * P_T * P_T / (cv * W) - P_v) / W;
    const Mask<Real> none = square <= 0.0;
    status_out = status | flag<Real>(none, UNSTABLE);
    c = select(none, Real(BRIDGE_NAN), sqrt(select(none, 1.0, square)));
}

}  // namespace BRIDGE_NAMESPACE
