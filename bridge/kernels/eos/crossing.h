// What species that cross between liquid and vapour change, by moles of them in the vapour.
// docs/physics.md, section 25. Source: Michelsen and Mollerup 2007.
//
// H has the second derivatives of the Gibbs energy over R T, or of the free energy where both
// volumes are constant, and products of columns. With its ideal part as preconditioner conjugate
// gradients end after few steps, for the rest of H is of low rank.
#pragma once
#include "../point.h"
#include "phaseDerivatives.h"

namespace BRIDGE_NAMESPACE {

// Columns of the work: SX and SY, S_i of both; R, D and Q of conjugateGradients; C, one for each
// of `columns`, whose product with itself is `more` times in H.
template <class Real, class InX, class InY, class InU, class OutW, int columns> struct Crossing {
    const Shared& shared;
    const InX& x;
    const InY& y;
    const InU& u;
    OutW& work;
    const PhaseDerivatives<Real>&liquid, &vapour;
    const Real ofX, ofY, invRT;  // amounts of both, 1/(R T)
    const int ns, SX, SY, R, D, Q, C;
    Real more[columns], along[columns];  // along: C D of the last product

    // Inverse of the ideal part of H; zero for species that are not there.
    BRIDGE_MEMBER Real weight(int i) const {
        const Real l = ofX * x[i], v = ofY * y[i], all = l + v;
        return l * v / select(all > 0.0, all, Real(1.0));
    }
    // Q = H D; returns D H D.
    BRIDGE_MEMBER Real product() {
        constexpr bool atPressure = columns == 1;
        Real sum = 0.0, ofB = 0.0, SXd = 0.0, SYd = 0.0, pull = 0.0;
        BRIDGE_UNROLL
        for (int n = 0; n < columns; ++n) along[n] = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real d = weight(i) * Real(work[D + i]);
            sum = sum + d;
            ofB = ofB + shared.prB[i] * d;
            SXd = SXd + Real(work[SX + i]) * d;
            SYd = SYd + Real(work[SY + i]) * d;
            pull = pull + u[i] * d;
            BRIDGE_UNROLL
            for (int n = 0; n < columns; ++n) along[n] = along[n] + Real(work[C + n * ns + i]) * d;
        }
        const Real perX = 1.0 / ofX, perY = 1.0 / ofY;
        Real x0, xb, xS, y0, yb, yS, all = 0.0;
        liquid.factors(sum, ofB, SXd, atPressure ? invRT / liquid.P_v : Real(0.0), x0, xb, xS);
        vapour.factors(sum, ofB, SYd, atPressure ? invRT / vapour.P_v : Real(0.0), y0, yb, yS);
        const Real c0 = perX * x0 + perY * y0, cb = perX * xb + perY * yb;
        const Real cX = perX * xS, cY = perY * yS, k = perX * liquid.k + perY * vapour.k;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            Real g = pull;
            if (shared.anyKij) {
                const double* row = shared.oneMinusKij + int64_t(i) * ns;
                g = 0.0;
                BRIDGE_ROLLED
                for (int j = 0; j < ns; ++j)
                    g = g + row[j] * (u[j] * (weight(j) * Real(work[D + j])));
            }
            const Real d = work[D + i];
            Real q = d + c0 + cb * shared.prB[i] + cX * Real(work[SX + i]) +
                     cY * Real(work[SY + i]) - k * (u[i] * g);
            BRIDGE_UNROLL
            for (int n = 0; n < columns; ++n)
                q = q + more[n] * along[n] * Real(work[C + n * ns + i]);
            work[Q + i] = q;
            all = all + weight(i) * d * q;
        }
        return all;
    }
};

}  // namespace BRIDGE_NAMESPACE
