// The equilibrium at given volume and energy: whether one phase splits, and into which two. docs/physics.md,
// section 26. Sources: Michelsen 1982, 1999.
#pragma once
#include "../point.h"
#include "densityPhases.h"
#include "densitySearch.h"
#include "densityTrial.h"
#include "splitEntropy.h"

namespace BRIDGE_NAMESPACE {

// Of the points `sound` of volume V, covolume b and energy, per mole, whose one phase `phases` has. cold:
// it would be below the range of temperatures, so the search begins at `guess` or, where one phase is
// stable, below it.
template <class Real, class Phases, class Split>
BRIDGE_APART void densityFlash(Phases& phases, Split& split, const Real& guess,
                               const Mask<Real>& sound, const Mask<Real>& cold) {
    const Shared& shared = phases.shared;
    auto& work = phases.work;
    const int ns = phases.ns;
    auto trial = split.column(14 * ns);
    const Real T = phases.T, P = phases.P, beta = phases.beta;
    Real free = 0.0, tested = select(cold, guess, T);
    Mask<Real> splits = false, noEnd = false, asked = sound;
    phases.feed(true);
    BRIDGE_ROLLED
    for (int turn = 0; turn < 12 && any(asked); ++turn) {
        pullsOfSpecies<Real>(shared, tested, phases.u);
        const PhaseDerivatives<Real> one(shared, phases.X, tested, split.V);
        const Mask<Real> lost = (one.P_v >= 0.0) | (one.P <= 0.0);
        BRIDGE_ROLLED
        for (int i = 7 * ns; i < 9 * ns; ++i) work[i] = 0.0;  // the test knows no phase
        const DensityTrial<Real> feed = densityTrial<Real>(
            shared, phases.X, phases.u, tested, one.P, split.V, asked, lost, trial, work);
        free = select(asked, feed.free, free);
        splits = splits | (asked & (lost | (feed.lowest < -shared.tpdTolerance)));
        noEnd = noEnd | (asked & feed.open);
        asked = asked & cold & !splits;
        tested = select(asked, at_least<Real>(0.85 * tested, shared.TloH), tested);
    }
    Mask<Real> open = splits;
    Real most = 0.0;
    split.T = tested;
    BRIDGE_ROLLED
    for (int attempt = 0; attempt < 3 && any(open); ++attempt) {
        if (attempt > 0) phases.beside(split, trial, free, attempt == 2, open);
        const Mask<Real> found =
            densitySearch<Real>(split, 14 * ns, free, attempt == 0, cold, open, phases.iterations);
        const Real S = splitEntropy<Real>(split);
        const Mask<Real> better = found & ((!phases.known) | (S > most + 1e-12 * fabs(most)));
        phases.known = phases.known | better;
        open = open & phases.known;
        if (!any(better)) continue;
        most = select(better, S, most);
        phases.take(split, better);
        const Mask<Real> torn = better & !(phases.P > shared.Pleast);  // a gas would form
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            // the test of the liquid knows a phase, the vapour
            const Mask<Real> there = better & (!torn) & (phases.X[i] > 0.0);
            const Real y = phases.y[i], ratio = select(there, y / Real(phases.x[i]), 1.0);
            work[7 * ns + i] = log(at_least<Real>(ratio, 1e-300));
            work[8 * ns + i] = select(torn, Real(0.0), y);
        }
        const DensityTrial<Real> liquid = densityTrial<Real>(
            shared, phases.x, phases.u, phases.T, phases.P, phases.vx, better, torn, trial, work);
        free = select(better, liquid.free, free);
        open = open & !(better & !(torn | (liquid.lowest < -shared.tpdTolerance)));
    }
    // two liquids that a gas would leave, which was not found
    const Mask<Real> torn = phases.known & !(phases.P > 0.0);
    phases.known = phases.known & !torn;
    phases.T = select(torn, T, phases.T);
    phases.P = select(torn, P, phases.P);
    phases.beta = select(torn, beta, phases.beta);
    phases.feed(torn);
    phases.told = flag<Real>(splits, TWO_PHASE) | flag<Real>(splits & !phases.known, NO_CONV) |
                  flag<Real>((phases.known & open) | (noEnd & !splits), STABILITY_OPEN);
}

}  // namespace BRIDGE_NAMESPACE
