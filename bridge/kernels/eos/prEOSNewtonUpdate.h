// One step of the safeguarded Newton search for T at given enthalpy. docs/physics.md, section 9.
//
// Plain Newton falls into 2-cycles near the pseudo-boiling line; halving the bracket whenever a
// step leaves it or is more than half of the step before last cannot. A bracket that collapses
// away from the ends encloses an enthalpy jump; residual and root of both its ends are kept for
// the lever rule (gapEnds.h). Points that have ended keep everything.
//
// In       h_residual J/kg, dT K, Z
// In, out  T, lo, hi K, h_residual_lo, h_residual_hi J/kg, Z_lo, Z_hi, step, stepOld K, done,
//          iterations, status_newton
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSNewtonUpdate(const Shared& shared, const Real& h_residual, const Real& dT,
                                 const Real& Z, const Real& T, const Real& lo, const Real& hi,
                                 const Real& h_residual_lo, const Real& h_residual_hi,
                                 const Real& Z_lo, const Real& Z_hi, const Real& step,
                                 const Real& stepOld, const Bits<Real>& done,
                                 const Bits<Real>& iterations, const Bits<Real>& status_newton,
                                 Real& T_out, Real& lo_out, Real& hi_out, Real& h_residual_lo_out,
                                 Real& h_residual_hi_out, Real& Z_lo_out, Real& Z_hi_out,
                                 Real& step_out, Real& stepOld_out, Bits<Real>& done_out,
                                 Bits<Real>& iterations_out, Bits<Real>& status_out) {
    const Mask<Real> lost = !(h_residual == h_residual);  // a fatal point
    const Mask<Real> active = (done == Bits<Real>(0)) & (!lost);
    const Bits<Real> count = iterations + Bits<Real>(1);

    const Mask<Real> converged = fabs(dT) <= shared.newtonTolerance * T;
    const Mask<Real> above = h_residual > 0.0;
    const Real low = select(above, lo, T);
    const Real high = select(above, T, hi);

    const Mask<Real> collapsed = (!converged) & (high - low <= shared.bracketTolerance * T);
    const Mask<Real> atLow = collapsed & (low <= shared.TloH * (1.0 + shared.bracketEnd));
    const Mask<Real> atHigh =
        collapsed & (!atLow) & (high >= shared.ThiH * (1.0 - shared.bracketEnd));
    const Mask<Real> jump = collapsed & (!atLow) & (!atHigh);

    const Real newton = T - dT;
    const Mask<Real> halve =
        (!((newton > low) & (newton < high))) | (fabs(2.0 * dT) > fabs(stepOld));
    const Real half = 0.5 * (high - low);

    Real next = select(halve, low + half, newton);
    next = select(converged, T, next);
    next = select(atLow, shared.TloH, next);
    next = select(atHigh, shared.ThiH, next);
    next = select(jump, low + half, next);
    const Mask<Real> ended = converged | collapsed;
    const Mask<Real> exhausted =
        (!ended) & (count >= Bits<Real>(static_cast<int>(shared.newtonLimit)));
    const Bits<Real> found = flag<Real>(jump, H_GAP) | flag<Real>(atLow, H_BELOW) |
                             flag<Real>(atHigh, H_ABOVE) | flag<Real>(exhausted, NO_CONV);

    T_out = select(active, next, T);
    lo_out = select(active, low, lo);
    hi_out = select(active, high, hi);
    const Mask<Real> raised = active & (!above);
    const Mask<Real> lowered = active & above;
    h_residual_lo_out = select(raised, h_residual, h_residual_lo);
    h_residual_hi_out = select(lowered, h_residual, h_residual_hi);
    Z_lo_out = select(raised, Z, Z_lo);
    Z_hi_out = select(lowered, Z, Z_hi);
    step_out = select(active, select(halve, half, dT), step);
    stepOld_out = select(active, step, stepOld);
    iterations_out = select(active, count, iterations);
    done_out = select(active & (!ended) & (!exhausted), Bits<Real>(0), Bits<Real>(1));
    status_out = status_newton | select(active, found, Bits<Real>(0)) |
                 flag<Real>(lost & (done == Bits<Real>(0)), NO_CONV);
}

}  // namespace BRIDGE_NAMESPACE
