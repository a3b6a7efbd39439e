// What the properties of a phase take of its composition: attraction, covolume, molar mass, ideal
// gas. docs/physics.md, sections 4 to 7.
#pragma once
#include "../point.h"
#include "prEOSEnthalpy.h"
#include "prEOSIdealMixtureSums.h"
#include "prEOSLogTerm.h"
#include "prEOSMixAttraction.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct PhaseProperties {
    Real a, a_T, b, W, h_ideal, shift;  // shift: of the molar volume

    template <class InX>
    BRIDGE_MEMBER PhaseProperties(const Shared& shared, const InX& X, const Real& T) {
        Real a_TT, cp, cv;
        prEOSMixAttraction<Real>(shared, X, T, a, a_T, a_TT);
        prEOSIdealMixtureSums<Real>(shared, X, T, cp, cv, h_ideal);
        b = 0.0;
        W = 0.0;
        shift = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < species(shared); ++i) {
            b = b + X[i] * shared.prB[i];
            W = W + X[i] * shared.W[i];
            if (shared.volumeShift) shift = shift + X[i] * shared.cShift[i];
        }
    }
    // Molar volume, density and enthalpy at a root.
    BRIDGE_MEMBER void at(const Shared& shared, const Real& T, const Real& P, const Real& Z,
                          Real& v, Real& rho, Real& h) const {
        const Real ofRoot = Z * (shared.R * T) / P;
        Real D, K;
        v = ofRoot + shift;
        rho = W / v;
        prEOSLogTerm<Real>(shared, ofRoot, b, D, K);
        prEOSEnthalpy<Real>(shared, h_ideal, P, v, T, a, a_T, K, W, h);
    }
};

}  // namespace BRIDGE_NAMESPACE
