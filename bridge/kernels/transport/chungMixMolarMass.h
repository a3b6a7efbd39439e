// Pseudo molar mass of the mixture: a quadratic form of the mole fractions with a constant matrix,
// summed over pairs i <= j (the table holds both halves of an off-diagonal pair). docs/physics.md,
// section 11. Source: Chung, Ajlan, Lee and Starling 1988.
//
// In   X (ns), eps_m K, sigma_m angstrom
// Out  M_m g/mol
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void chungMixMolarMass(const Shared& shared, const InX& X, const Real& eps_m,
                                 const Real& sigma_m, Real& M_m) {
    const int ns = species(shared);
    const double* pair = shared.chungPair;
    Real form = 0.0;
    for (int i = 0; i < ns; ++i) {
        Real row = 0.0;
        for (int j = i; j < ns; ++j) row = row + *pair++ * X[j];
        form = form + row * X[i];
    }
    const Real root = form / (eps_m * sigma_m * sigma_m);
    M_m = root * root;
}

}  // namespace BRIDGE_NAMESPACE
