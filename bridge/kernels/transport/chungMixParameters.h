// Chung mixing rules that factor into single sums. docs/physics.md, section 11. Source: Chung,
// Ajlan, Lee and Starling 1988.
//
// In   X (ns)
// Out  sigma_m angstrom, eps_m K, omega_m, mr4, kappa_m, Tcm_chung K, Vcm_chung cm3/mol
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void chungMixParameters(const Shared& shared, const InX& X, Real& sigma_m, Real& eps_m,
                                  Real& omega_m, Real& mr4, Real& kappa_m, Real& Tcm_chung,
                                  Real& Vcm_chung) {
    const int ns = species(shared);
    Real size = 0.0, energy = 0.0, omega = 0.0, dipole = 0.0, kappa = 0.0;
    for (int i = 0; i < ns; ++i) {
        const Real x = X[i];
        size = size + x * shared.chungS[i];
        energy = energy + x * shared.chungSE[i];
        omega = omega + x * shared.chungSW[i];
        dipole = dipole + x * shared.chungDipole[i];
        kappa = kappa + x * shared.chungKappa[i];
    }
    const Real cube = size * size;  // sigma_m^3
    const Real inverse = 1.0 / size;
    const Real ratio = energy * inverse;
    sigma_m = cbrt(cube);
    eps_m = ratio * ratio;
    omega_m = omega * inverse;
    kappa_m = kappa * kappa;
    const double factor = shared.chungSigmaFactor;
    const Real Vc = cube * (1.0 / (factor * factor * factor));
    const Real Tc = shared.chungEpsFactor * eps_m;
    const Real VT = Vc * Tc;
    mr4 = shared.chungDipoleFactor4 * cube * dipole * dipole / (VT * VT);
    Tcm_chung = Tc;
    Vcm_chung = Vc;
}

}  // namespace BRIDGE_NAMESPACE
