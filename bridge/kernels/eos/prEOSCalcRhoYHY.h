// Species derivatives of density and enthalpy: the mass fractions as independent, volume and
// enthalpy extended as homogeneous functions of degree one in the masses. docs/physics.md, section
// 8. Source: Meng and Yang 2003.
//
// In   rho kg/m3, vbar_i (ns), hbar_i (ns)
// Out  rho_Yi (ns) kg/m3, h_Yi (ns) J/kg
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InV, class InH, class OutRho, class OutH>
BRIDGE_FN void prEOSCalcRhoYHY(const Shared& shared, const Real& rho, const InV& vbar_i,
                               const InH& hbar_i, OutRho& rho_Yi, OutH& h_Yi) {
    const int ns = species(shared);
    const Real scale = -rho * rho;
    for (int i = 0; i < ns; ++i) {
        rho_Yi[i] = scale * vbar_i[i] * shared.invW[i];
        h_Yi[i] = hbar_i[i] * shared.invW[i];
    }
}

}  // namespace BRIDGE_NAMESPACE
