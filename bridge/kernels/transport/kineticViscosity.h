// Viscosity of the dilute gas by kinetic theory: of each species, and of the mixture by Wilke's
// rule. docs/physics.md, section 11. Sources: Neufeld, Janzen and Aziz 1972; Monchick and Mason
// 1961; Wilke 1950.
//
// With b_i = W_i^1/4/eta_i^1/2 Wilke's phi_ij is (1 + b_j/b_i)^2/sqrt(8 (1 + W_i/W_j)): its sums are
// products of a constant matrix with X_j, X_j b_j and X_j b_j^2. Until they are there, eta0_i holds b_i.
//
// In   T K, X (ns)
// Out  eta0 Pa s, eta0_i (ns) Pa s, wilke_i (ns)
#pragma once
#include "../point.h"
#include "../eos/matrixRows.h"
#include "kineticSpecies.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class OutEta, class OutSums>
BRIDGE_FN void kineticViscosity(const Shared& shared, const Real& T, const InX& X, Real& eta0,
                                OutEta& eta0_i, OutSums& wilke_i) {
    const int ns = species(shared);
    if (!shared.dilute) {  // run by its name, without the option: its tables are not there
        for (int i = 0; i < ns; ++i) {
            eta0_i[i] = Real(BRIDGE_NAN);
            wilke_i[i] = Real(BRIDGE_NAN);
        }
        eta0 = BRIDGE_NAN;
        return;
    }
    const double* c = shared.omega22;  // A B C D E F; D and F times log2(e)
    const Real lnT = log(T), power = exp(-c[1] * lnT), invRoot = 1.0 / sqrt(T);
    for (int i = 0; i < ns; ++i) {
        const KineticSpecies one = KineticSpecies::at(shared, i);
        const Real Tstar = at_least<Real>(T * one.invDepth(), shared.tStarMin);
        const Real head = at_most<Real>(power * one.depthPower(), shared.kineticFloor);
        Real Omega22 = c[0] * head + c[2] * exp2OfNegative(-c[3] * Tstar) +
                       c[4] * exp2OfNegative(-c[5] * Tstar);
        if (one.polar()) Omega22 = Omega22 * one.fit<0>(shared, lnT);
        eta0_i[i] = one.scale() * sqrt(Omega22 * invRoot);
    }
    for (int i = 0; i < ns; i += MatrixRows::most) {
        const MatrixRows ratio = MatrixRows::at(shared.kineticRatio, i, ns);
        Real plain[MatrixRows::most] = {}, mixed[MatrixRows::most] = {};
        Real square[MatrixRows::most] = {};
        for (int j = 0; j < ns; ++j) {
            const Real x = X[j], b = Real(eta0_i[j]), xb = x * b, xbb = xb * b;
            for (int r = 0; r < MatrixRows::most; ++r) {  // unrolled: registers
                plain[r] = plain[r] + ratio.row[r][j] * x;
                mixed[r] = mixed[r] + ratio.row[r][j] * xb;
                square[r] = square[r] + ratio.row[r][j] * xbb;
            }
        }
        for (int r = 0; r < MatrixRows::most; ++r) {
            if (r < ratio.rows) {
                const Real inverse = 1.0 / Real(eta0_i[i + r]);
                wilke_i[i + r] = plain[r] + inverse * (2.0 * mixed[r] + inverse * square[r]);
            }
        }
    }
    Real total = 0.0;
    for (int i = 0; i < ns; ++i) {
        const Real b = Real(eta0_i[i]);
        const Real eta = KineticSpecies::at(shared, i).rootMass() / (b * b);
        total = total + X[i] * eta / Real(wilke_i[i]);
        eta0_i[i] = eta;
    }
    eta0 = total;
}

}  // namespace BRIDGE_NAMESPACE
