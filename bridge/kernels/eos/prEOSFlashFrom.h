// The same as prEOSFlash from the phases of the last flash of a point: the search begins there, without
// a test of the feed. docs/physics.md, section 23. Source: Michelsen 1982.
//
// In   X (ns), T K, P Pa, u_i (ns), lnphi_i (ns) and v_pr, b m3/mol of the feed, lnK0_i (ns), which is
//      zero where there were none, status
// Out  vapour_fraction, x_i, y_i (ns), flash_work (15 ns), flash_iterations, lnK_i (ns), status as
//      prEOSFlash
#pragma once
#include "../point.h"
#include "findPhases.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InU, class InF, class InS, class OutX, class OutY,
          class OutW, class OutS>
BRIDGE_FN void prEOSFlashFrom(const Shared& shared, const InX& X, const Real& T, const Real& P,
                              const InU& u_i, const InF& lnphi_i, const Real& v_pr, const Real& b,
                              const InS& lnK0_i, const Bits<Real>& status, Real& vapour_fraction,
                              OutX& x_i, OutY& y_i, OutW& flash_work, Bits<Real>& flash_iterations,
                              OutS& lnK_i, Bits<Real>& status_out) {
    const int ns = ofTheRun(species(shared));
    const Mask<Real> fatal = has_any<Real>(status, FATAL);
    TwoPhases<Real, InX, InU, InF, OutX, OutY, OutW> phases = {
        shared, X, u_i, lnphi_i, x_i, y_i, flash_work, T, P, ns};
    Real size = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Real lnK = select(X[i] > 0.0, Real(lnK0_i[i]), 0.0);
        flash_work[i] = lnK;
        size = size + fabs(lnK);
    }
    findPhases<Real>(phases, -1, !fatal, (!fatal) & (size > 0.0) & isfinite(size), v_pr, b);
    const Mask<Real> two = phases.known & !phases.open;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Mask<Real> there = two & (X[i] > 0.0) & (x_i[i] > 0.0) & (y_i[i] > 0.0);
        const Real lnK = log(select(there, Real(y_i[i]) / select(there, Real(x_i[i]), 1.0), 1.0));
        lnK_i[i] = select(fatal, Real(BRIDGE_NAN), lnK);
    }
    vapour_fraction = select(fatal, Real(BRIDGE_NAN), phases.vapour);
    flash_iterations = phases.iterations;
    status_out = status | flag<Real>(phases.splits, TWO_PHASE) |
                 flag<Real>(phases.splits & !phases.known, NO_CONV) |
                 flag<Real>((phases.known & phases.open) | (phases.undecided & !phases.splits),
                            STABILITY_OPEN);
    const Real none = select(fatal, Real(BRIDGE_NAN), 0.0);  // what is left there means nothing
    BRIDGE_ROLLED
    for (int i = 0; i < 15 * ns; ++i) flash_work[i] = none;
}

}  // namespace BRIDGE_NAMESPACE
