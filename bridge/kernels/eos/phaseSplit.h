// A feed as a liquid and a vapour with trial ratios K = y/x: amounts, compositions, Gibbs energy,
// and how far both are from equal fugacities. docs/physics.md, section 23. Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "lesserPhase.h"
#include "trialPhase.h"

namespace BRIDGE_NAMESPACE {

template <class InU, class OutW> struct PhaseColumns {  // for trialAttraction
    const Shared& shared;
    const InU& u;
    OutW& work;
    const int ns, W, R;
};

// Columns of the work: LNK, ln K, and R, ln of the ratio of fugacities, liquid over vapour; LNKLAST
// and RLAST, both of the step before; DK and DR, changes of both in three steps; W, mole fractions
// of liquid and vapour; F, k and 1 + s (k - 1); G, sums of the attraction.
template <class Real, class InX, class InU, class InF, class OutW> struct PhaseSplit {
    const Shared& shared;
    const InX& X;
    const InU& u;
    const InF& lnphi;
    OutW& work;
    const Real T, P;
    const int ns, LNK = 0, R = ns, LNKLAST = 2 * ns, RLAST = 3 * ns, DK = 4 * ns, DR = 7 * ns,
                  W = 10 * ns, F = 12 * ns, G = 13 * ns;
    Real lesser = 0.0;                        // amount of the phase that is less, of one mole
    Mask<Real> liquidLess = false;            // which one that is
    Real gibbs = 0.0, residual = 0.0;         // over R T, less that of the feed; largest of |R|
    Real bulkLiquid = 0.0, bulkVapour = 0.0;  // v/b

    BRIDGE_MEMBER void amounts(const Mask<Real>& active) {
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) work[F + i] = exp(Real(work[LNK + i]));
        lesserPhase<Real>(X, work, F, ns, active, lesser, liquidLess);
    }
    // Fugacity coefficients of the phase that has these columns; fills G.
    BRIDGE_MEMBER LogFugacity<Real> fugacity(int column) {
        Real b = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) b = b + Real(work[column + i]) * shared.prB[i];
        const PhaseColumns<InU, OutW> columns = {shared, u, work, ns, column, G};
        return LogFugacity<Real>(shared, trialAttraction<Real>(columns), b, T, P);
    }
    // Mole fractions and fugacities of both; points that are not active keep theirs.
    BRIDGE_MEMBER void compare(const Mask<Real>& active) {
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real k = work[F + i], t = 1.0 + lesser * (k - 1.0);
            const Real rest = X[i] / t, less = k * rest;
            work[F + i] = t;
            const Real x = select(liquidLess, less, rest), y = select(liquidLess, rest, less);
            work[W + i] = select(active, x, Real(work[W + i]));
            work[W + ns + i] = select(active, y, Real(work[W + ns + i]));
            work[R + i] = -Real(work[LNK + i]);
        }
        const Real vapour = select(liquidLess, 1.0 - lesser, lesser);
        Real both = 0.0, largest = 0.0;
        BRIDGE_ROLLED
        for (int phase = 0; phase < 2; ++phase) {
            const int column = W + phase * ns;
            Real sum = 0.0;
            BRIDGE_ROLLED
            for (int i = 0; i < ns; ++i) sum = sum + Real(work[column + i]);
            const Real scale = select(active, 1.0 / sum, 1.0);  // of a phase that has vanished
            BRIDGE_ROLLED
            for (int i = 0; i < ns; ++i) work[column + i] = Real(work[column + i]) * scale;
            const LogFugacity<Real> f = fugacity(column);
            const double sign = phase ? -1.0 : 1.0;
            const Real share = phase ? vapour : 1.0 - vapour;
            const Mask<Real> less = phase ? !liquidLess : liquidLess;
            Real mean = 0.0;
            BRIDGE_ROLLED
            for (int i = 0; i < ns; ++i) {
                const Real lnf = f(shared.prB[i], u[i] * Real(work[G + i]));
                const Real lnK = work[LNK + i],
                           lnk = select(less, select(liquidLess, -lnK, lnK), 0.0);
                const Real w = work[column + i], shift = lnphiOfShift<Real>(shared, i, T, P);
                work[R + i] = Real(work[R + i]) + sign * lnf;
                mean = mean + w * (lnk - log(Real(work[F + i])) + (lnf - (lnphi[i] - shift)));
            }
            both = both + share * mean;
            if (phase)
                bulkVapour = select(active, f.bulk, bulkVapour);
            else
                bulkLiquid = select(active, f.bulk, bulkLiquid);
        }
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real r = select(X[i] > 0.0, Real(work[R + i]), 0.0);
            work[R + i] = r;
            largest = max(largest, fabs(r));
        }
        gibbs = select(active, both, gibbs);
        residual = select(active, largest, residual);
    }
};
}  // namespace BRIDGE_NAMESPACE
