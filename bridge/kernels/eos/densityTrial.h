// Whether a phase of given volume splits, and a phase that would form. docs/physics.md, section 26.
// Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "densitySplit.h"
#include "prEOSMixAttraction.h"

namespace BRIDGE_NAMESPACE {

// ln phi of a phase at its volume, for a pressure that need not be its own; returns the sum of its
// fugacities over that pressure.
template <class Real, class InW, class OutF>
BRIDGE_APART Real lnphiAtVolume(const Shared& shared, const InW& w, const Real& T, const Real& P,
                                const Real& v, OutF& lnphi) {
    const PhaseDerivatives<Real> phase(shared, w, T, v);
    const Real common = log(phase.P0 / P);
    Real sum = 0.0;
    eachAttraction<Real>(shared, w, T, [&](int i, const Real& S, const Real&) {
        const Real lnf = common + phase.fb * shared.prB[i] - phase.k * S;
        lnphi[i] = lnf + lnphiOfShift<Real>(shared, i, T, P);
        sum = sum + w[i] * exp(lnf);
    });
    return sum;
}

// v - b of a phase at its root of lowest Gibbs energy.
template <class Real, class InW>
BRIDGE_APART Real freeAtPressure(const Shared& shared, const InW& w, const Real& T,
                                 const Real& P) {
    Real a, a_T, a_TT, b = 0.0;
    prEOSMixAttraction<Real>(shared, w, T, a, a_T, a_TT);
    BRIDGE_ROLLED
    for (int i = 0; i < species(shared); ++i) b = b + w[i] * shared.prB[i];
    const Real invRT = 1.0 / (shared.R * T), B = b * P * invRT;
    const StableRoot<Real> root(shared, a * P * invRT * invRT, B);
    return (root.Z - B) / (P * invRT);
}

// As LowestDistance; free: volume less covolume of the trial phase, per mole.
template <class Real> struct DensityTrial {
    Real lowest;
    Mask<Real> open;
    Real free;
};

// Of the points `tested`. Columns of the work: 9 of searches, of which the last two have K and w of a
// phase that is known (RatioSearch), else zero; LNPHI, NEXT. A state that no phase can
// have, `lost`, splits in any case; where its pressure is none, its fugacities are those of a gas.
template <class Real, class InX, class InU, class OutTrial, class OutW>
BRIDGE_CALLED DensityTrial<Real> densityTrial(const Shared& shared, Passed<const InX> X,
                                              Passed<const InU> u, Passed<const Real> T,
                                              Passed<const Real> P, Passed<const Real> v,
                                              Passed<const Mask<Real>> tested,
                                              Passed<const Mask<Real>> lost,
                                              Passed<OutTrial> trial, Passed<OutW> work) {
    const int ns = ofTheRun(species(shared));
    ColumnsFrom<OutW> search = {work, 0}, lnphi = {work, 9 * ns};
    ColumnsFrom<ColumnsFrom<OutW>> next = {search, 10 * ns};  // as in splitOfFeed: one function
    const Mask<Real> gas = lost & !(P > shared.Pleast);
    Real pressure = select(gas, Real(shared.P0), P);
    if (any(gas)) {
        const Real sum = lnphiAtVolume<Real>(shared, X, T, pressure, v, lnphi);
        pressure = select(gas, at_least<Real>(pressure * sum, 1e-30), P);
    }
    lnphiAtVolume<Real>(shared, X, T, pressure, v, lnphi);
    const Real Z = pressure * v / (shared.R * T);
    LowestDistance<Real> found =
        splitOfFeed<Real>(shared, X, T, pressure, u, lnphi, Z, tested & !lost, trial, search);
    if (any(lost & tested)) {
        using Plane = TangentPlane<Real, InX, InU, ColumnsFrom<OutW>, ColumnsFrom<OutW>>;
        Plane plane = {shared, X, u, lnphi, search, T, pressure, ns};
        const Mask<Real> sound = plane.feed() & lost & tested;
        const LowestDistance<Real> other = lowestDistance<Real>(plane, sound, next);
        const Mask<Real> below = other.lowest < -shared.tpdTolerance;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real f = X[i] * exp(lnphi[i] - lnphiOfShift<Real>(shared, i, T, pressure));
            const Real w = select(gas & !below, f, Real(next[i]));
            trial[i] = select(sound, w, Real(trial[i]));
        }
        found.lowest = select(sound, select(gas, Real(-1.0), other.lowest), found.lowest);
    }
    return {found.lowest, found.open, freeAtPressure<Real>(shared, trial, T, pressure)};
}

}  // namespace BRIDGE_NAMESPACE
