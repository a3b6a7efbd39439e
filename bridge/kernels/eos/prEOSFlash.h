// Vapour and liquid in equilibrium at given T, P and feed, where the feed splits. docs/physics.md,
// section 23. Sources: Michelsen 1982; Anderson 1965.
//
// In   X (ns), T K, P Pa, u_i (ns), lnphi_i (ns) and v_pr, b m3/mol of the feed, status
// Out  vapour_fraction, x_i, y_i (ns), flash_work (15 ns), flash_iterations, status with TWO_PHASE,
//      NO_CONV, and STABILITY_OPEN where the test had no end, or a further phase would form
#pragma once
#include "../point.h"
#include "findPhases.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class InX, class InU, class InF, class OutX, class OutY, class OutW>
BRIDGE_FN void prEOSFlash(const Shared& shared, const InX& X, const Real& T, const Real& P,
                          const InU& u_i, const InF& lnphi_i, const Real& v_pr, const Real& b,
                          const Bits<Real>& status, Real& vapour_fraction, OutX& x_i, OutY& y_i,
                          OutW& flash_work, Bits<Real>& flash_iterations, Bits<Real>& status_out) {
    const int ns = ofTheRun(species(shared));
    const Mask<Real> fatal = has_any<Real>(status, FATAL);
    TwoPhases<Real, InX, InU, InF, OutX, OutY, OutW> phases = {
        shared, X, u_i, lnphi_i, x_i, y_i, flash_work, T, P, ns};
    findPhases<Real>(phases, 0, !fatal, Mask<Real>(false), v_pr, b);
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
