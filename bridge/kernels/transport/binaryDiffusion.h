// Binary diffusion coefficient of one pair at low pressure, for the kernels that store the pairs
// and for the one that does not. docs/physics.md, section 12. Sources: Neufeld, Janzen and Aziz
// 1972 (CHAPMAN_ENSKOG); Fuller, Schettler and Giddings 1966.
//
// What belongs to the point is computed once; T*^-B is a product of a power of T and a pair table,
// so no pair takes a power.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct BinaryDiffusion {
    Real T;
    Real scale;  // T^1.5/P, or T^1.75/P (FULLER)
    Real power;  // T^-B

    static BRIDGE_MEMBER BinaryDiffusion at(const Shared& shared, const Real& T, const Real& P) {
        const Real root = sqrt(T);
        if (shared.diffModel) return {T, T * root * sqrt(root) / P, T};
        return {T, T * root / P, exp(-shared.omega11[1] * log(T))};
    }

    // Pair number `k` of the packed tables, m2/s.
    BRIDGE_MEMBER Real pair(const Shared& shared, int64_t k) const {
        if (shared.diffModel) return scale * shared.diffusionPair[k];
        const double* c = shared.omega11;  // A B C D E F G H
        const Real raw = T * shared.invEpsPair[k];
        const Mask<Real> cold = raw < shared.tStarMin;
        const Real Tstar = select(cold, shared.tStarMin, raw);
        const Real head = select(cold, shared.omega11Floor, power * shared.epsPowPair[k]);
        const Real Omega11 = c[0] * head + c[2] * exp(-c[3] * Tstar) + c[4] * exp(-c[5] * Tstar) +
                             c[6] * exp(-c[7] * Tstar);
        return scale * shared.diffusionPair[k] / Omega11;
    }
};

}  // namespace BRIDGE_NAMESPACE
