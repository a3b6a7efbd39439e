// Pseudo molar mass of the mixture: a quadratic form of the mole fractions with a constant matrix,
// summed over pairs i <= j: the upper half of the table holds both, its lower half nothing.
// docs/physics.md, section 11. Source: Chung, Ajlan, Lee and Starling 1988.
//
// In   X (ns), eps_m K, sigma_m angstrom
// Out  M_m g/mol
#pragma once
#include "../point.h"
#include "../eos/matrixRows.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX>
BRIDGE_FN void chungMixMolarMass(const Shared& shared, const InX& X, const Real& eps_m,
                                 const Real& sigma_m, Real& M_m) {
    const int ns = species(shared);
    const auto fraction = [&](int j) { return Real(X[j]); };
    Real form = 0.0;
    for (int i = 0; i < ns; i += MatrixRows::most) {
        const MatrixRows pair = MatrixRows::at(shared.chungPair, i, ns);
        Real row[MatrixRows::most] = {};
        pair.add(i, ns, fraction, row);
        for (int r = 0; r < MatrixRows::most; ++r) {  // unrolled: registers
            if (r < pair.rows) form = form + row[r] * X[i + r];
        }
    }
    const Real root = form / (eps_m * sigma_m * sigma_m);
    M_m = root * root;
}

}  // namespace BRIDGE_NAMESPACE
