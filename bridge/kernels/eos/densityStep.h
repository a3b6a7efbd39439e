// Newton step of a split of given volume and internal energy to larger entropy. docs/physics.md,
// section 26. Source: Michelsen 1999.
#pragma once
#include "../point.h"
#include "conjugateGradients.h"
#include "crossing.h"

namespace BRIDGE_NAMESPACE {

// STEP and `step` of the points `active`, to the maximum of the entropy if it were a parabola;
// returns the length of the longest. Where it bends upwards along the first direction, no parabola
// but the one of an ideal gas.
template <class Real, class Split>
BRIDGE_APART Real densityStep(Split& split, const Mask<Real>& active, Mask<Real>& bent) {
    const Shared& shared = split.shared;
    auto& work = split.work;
    using Composition = typename Split::Composition;
    const Composition x = split.column(split.LIQUID), y = split.column(split.VAPOUR);
    const PhaseDerivatives<Real>&liquid = split.liquid, &vapour = split.vapour;
    const Real &T = split.T, &p = split.p;
    const int ns = split.ns, STEP = split.STEP, G = split.G, R = split.R, D = split.D, C = split.C;
    const Real invRT = 1.0 / (shared.R * T), perCv = invRT / (T * split.cv);
    const Real heat = T * (vapour.P_T - liquid.P_T) - (vapour.P - liquid.P);
    const Real freeX = split.freeVapour(-split.phi), freeY = split.freeVapour(split.phi);
    const Real repulsive = split.ofX / (freeX * freeX) + split.ofY / (freeY * freeY);
    Real stiff = perCv * heat * heat - (vapour.P_v / split.ofY + liquid.P_v / split.ofX) * invRT;
    stiff = select(stiff > 1e-6 * repulsive, stiff, repulsive);
    Crossing<Real, Composition, Composition, typename Split::Pulls, typename Split::Work, 2>
        crossing = {shared,    x,         y,         split.u, work, liquid,
                    vapour,    split.ofX, split.ofY, invRT,   ns,   split.SX,
                    split.SY,  R,         D,         split.Q, C,    {perCv, -1.0 / stiff},
                    {0.0, 0.0}};
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Real push = Real(work[C + ns + i]) - perCv * heat * Real(work[C + i]);
        work[C + ns + i] = push;
        work[R + i] = push * (p / stiff) - Real(work[G + i]);
        work[STEP + i] = select(active, 0.0, Real(work[STEP + i]));
    }
    Real pushed = p, longest = 0.0, moved = 0.0;
    const auto taken = [&](const Real& part, const Real&) BRIDGE_LAMBDA {
        moved = moved + part;
        pushed = pushed + part * crossing.along[1];
        const Mask<Real> goes = part > 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real before = work[STEP + i];
            work[STEP + i] = select(goes, before + part * Real(work[D + i]), before);
        }
    };
    conjugateGradients<Real>(crossing, active, taken);
    bent = !(moved > 0.0);
    Real change = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Real uphill = p * shared.prB[i] - Real(work[G + i]);
        const Real either = select(active & bent, uphill, Real(work[STEP + i]));
        const Real e = select(split.X[i] > 0.0, either, 0.0);
        work[STEP + i] = e;
        change = change + shared.prB[i] * crossing.weight(i) * e;
        longest = max(longest, fabs(e));
    }
    const Real wider = select(bent, p / repulsive, pushed / stiff - change);
    const Real turn = wider * (1.0 / freeX + 1.0 / freeY);
    split.step = select(active, turn, split.step);
    return max(longest, fabs(turn));
}

}  // namespace BRIDGE_NAMESPACE
