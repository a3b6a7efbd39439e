// What a search at given volume and energy has found: one phase, or liquid and vapour. docs/physics.md,
// section 26.
#pragma once
#include "../point.h"
#include "densitySplit.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class OutX, class OutY, class OutU, class OutW>
struct DensityPhases {
    const Shared& shared;
    const InX& X;
    OutX& x;
    OutY& y;
    OutU& u;
    OutW& work;
    const int ns;
    Real T, P, beta;          // of one phase, where two are not known
    Real vx = 0.0, vy = 0.0;  // molar volumes of the phases, without their shifts
    Mask<Real> known = false;
    Bits<Real> told = Bits<Real>(0), bits = Bits<Real>(0), iterations = Bits<Real>(0);

    BRIDGE_MEMBER void feed(const Mask<Real>& which) {
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            x[i] = select(which, Real(X[i]), Real(x[i]));
            y[i] = select(which, Real(X[i]), Real(y[i]));
        }
    }
    // The liquid, or the vapour, beside a trial phase, as many moles of both.
    template <class Split, class Trial>
    BRIDGE_MEMBER void beside(Split& split, const Trial& trial, const Real& freeTrial, bool vapour,
                              const Mask<Real>& which) {
        Real b = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real w = at_least<Real>(Real(trial[i]), 1e-300);
            const Real other = vapour ? Real(y[i]) : Real(x[i]);
            const Mask<Real> there = which & (X[i] > 0.0);
            b = b + other * shared.prB[i];
            work[split.THETA + i] =
                log(select(there, w / at_least<Real>(other, 1e-300), Real(1.0)));
        }
        split.T = select(which, T, split.T);
        split.phi = select(which, log(freeTrial / ((vapour ? vy : vx) - b)), split.phi);
    }
    // The split of the points `better`: the phase of larger v/b is the vapour.
    template <class Split> BRIDGE_MEMBER void take(Split& split, const Mask<Real>& better) {
        Real bx = 0.0, by = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            bx = bx + Real(work[split.LIQUID + i]) * shared.prB[i];
            by = by + Real(work[split.VAPOUR + i]) * shared.prB[i];
        }
        const Mask<Real> turned = split.vx * by > split.vy * bx;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real l = work[split.LIQUID + i], v = work[split.VAPOUR + i];
            x[i] = select(better, select(turned, v, l), Real(x[i]));
            y[i] = select(better, select(turned, l, v), Real(y[i]));
        }
        T = select(better, split.T, T);
        P = select(better, select(turned, split.liquid.P, split.vapour.P), P);
        beta = select(better, select(turned, split.ofX, split.ofY), beta);
        vx = select(better, select(turned, split.vy, split.vx), vx);
        vy = select(better, select(turned, split.vx, split.vy), vy);
        bits = select(better, split.bits, bits);
    }
};

}  // namespace BRIDGE_NAMESPACE
