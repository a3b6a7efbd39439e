// A feed of given volume and internal energy as liquid and vapour that may exchange species, volume
// and heat: any theta_i and phi below are such a split. docs/physics.md, section 26. Source:
// Michelsen 1999.
//
//     theta_i = ln(moles of i in the vapour over those in the liquid)    phi = the same of v - b
//
// The energy decides T. In equilibrium ln f_i of both phases is one and both pressures are
// one, where the entropy has its maximum.
#pragma once
#include "../point.h"
#include "densityForces.h"
#include "densityTemperature.h"
#include "phaseDerivatives.h"
#include "splitOfFeed.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class OutU, class OutW> struct DensitySplit {
    using Composition = ColumnsFrom<OutW>;
    using Pulls = OutU;
    using Work = OutW;
    const Shared& shared;
    const InX& X;
    OutU& u;
    OutW& work;
    const Real V, b, target;  // of the feed: volume without its shift, covolume, energy, per mole
    const int ns, THETA = 0, LAST = ns, STEP = 2 * ns, G = 3 * ns, GLAST = 4 * ns, LIQUID = 5 * ns,
                  VAPOUR = 6 * ns, SX = 7 * ns, SY = 8 * ns, R = 9 * ns, D = 10 * ns, Q = 11 * ns,
                  C = 12 * ns;  // C: 2 ns
    Real T = 0.0, phi = 0.0;
    Real ofX = 0.0, ofY = 0.0;  // amounts of both
    Real vx = 0.0, vy = 0.0;    // their molar volumes
    Real p = 0.0;               // P of the vapour less P of the liquid, over R T
    Real cv = 0.0;
    Real step = 0.0;  // of phi
    PhaseDerivatives<Real> liquid = {}, vapour = {};
    Bits<Real> bits = Bits<Real>(0);  // of the search for T

    // Moles of a species in the vapour, and in the liquid with -theta.
    BRIDGE_MEMBER Real share(int i, const Real& theta) const {
        const Real e = exp(-fabs(theta)), less = Real(X[i]) / (1.0 + e);
        return select(theta > 0.0, less, e * less);
    }
    BRIDGE_MEMBER Real freeVapour(const Real& of) const { return (V - b) / (1.0 + exp(-of)); }
    BRIDGE_MEMBER Composition column(int first) const { return {work, first}; }
    // V of all vapour
    BRIDGE_MEMBER Real volume() const { return ofY * vy; }

    // The state of theta and phi; T of the points `active`.
    BRIDGE_MEMBER void state(const Mask<Real>& active) {
        Real bx = 0.0, by = 0.0;
        ofX = 0.0;
        ofY = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real theta = work[THETA + i], v = share(i, theta), l = share(i, -theta);
            work[VAPOUR + i] = v;
            work[LIQUID + i] = l;
            ofY = ofY + v;
            ofX = ofX + l;
            by = by + v * shared.prB[i];
            bx = bx + l * shared.prB[i];
        }
        const Real perX = 1.0 / ofX, perY = 1.0 / ofY;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            work[VAPOUR + i] = Real(work[VAPOUR + i]) * perY;
            work[LIQUID + i] = Real(work[LIQUID + i]) * perX;
        }
        bx = bx * perX;
        by = by * perY;
        vx = bx + freeVapour(-phi) * perX;
        vy = by + freeVapour(phi) * perY;
        densityTemperature<Real>(*this, active, bx, by);
        densityForces<Real>(*this);
    }
};

}  // namespace BRIDGE_NAMESPACE
