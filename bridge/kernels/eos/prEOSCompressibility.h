// Isothermal compressibility, thermal expansion and the condition number of the density.
// docs/physics.md, section 7.
//
// In   P_v, P_T, v, P
// Out  kappaT 1/Pa, alphaV 1/K, Pkappa = P kappaT
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSCompressibility(const Shared&, const Real& P_v, const Real& P_T, const Real& v,
                                    const Real& P, Real& kappaT, Real& alphaV, Real& Pkappa) {
    kappaT = -1.0 / (v * P_v);
    alphaV = P_T * kappaT;
    Pkappa = P * kappaT;
}

}  // namespace BRIDGE_NAMESPACE
