// One step of a safeguarded Newton search for the temperature of a value that rises with it.
// docs/physics.md, section 9.
//
// Plain Newton falls into 2-cycles near the pseudo-boiling line; halving the bracket whenever a
// step leaves it or is more than half of the step before last cannot. A bracket that collapses
// away from the ends of the range encloses a jump of the value.
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct NewtonStep {
    Mask<Real> above;      // the value at T is too large
    Real low, high;        // the bracket with T as one of its ends
    Mask<Real> converged;  // T is the answer
    Mask<Real> collapsed;  // the bracket has no width any more: `next` is all that can be said
    Mask<Real> halve;      // the step halves the bracket
    Real half;             // half of its width
    Real next;             // T of the next evaluation, or of the end
    Bits<Real> bits;       // H_GAP, H_BELOW, H_ABOVE

    // f: value minus target at T, dT: the Newton step f over the slope, stepOld: the step before
    // last.
    BRIDGE_MEMBER NewtonStep(const Shared& shared, const Real& f, const Real& dT, const Real& T,
                             const Real& lo, const Real& hi, const Real& stepOld) {
        above = f > 0.0;
        low = select(above, lo, T);
        high = select(above, T, hi);
        converged = fabs(dT) <= shared.newtonTolerance * T;
        collapsed = (!converged) & (high - low <= shared.bracketTolerance * T);
        const Mask<Real> atLow = collapsed & (low <= shared.TloH * (1.0 + shared.bracketEnd));
        const Mask<Real> atHigh =
            collapsed & (!atLow) & (high >= shared.ThiH * (1.0 - shared.bracketEnd));
        const Mask<Real> jump = collapsed & (!atLow) & (!atHigh);
        const Real newton = T - dT;
        halve = (!((newton > low) & (newton < high))) | (fabs(2.0 * dT) > fabs(stepOld));
        half = 0.5 * (high - low);
        next = select(halve, low + half, newton);
        next = select(converged, T, next);
        next = select(atLow, shared.TloH, next);
        next = select(atHigh, shared.ThiH, next);
        next = select(jump, low + half, next);
        bits = flag<Real>(jump, H_GAP) | flag<Real>(atLow, H_BELOW) | flag<Real>(atHigh, H_ABOVE);
    }
};

// The Newton step of f; where the slope is none to go by (not positive, not finite) a huge one with
// the sign of f, so that the search halves its bracket.
template <class Real> BRIDGE_FN Real newtonStep(const Real& f, const Real& slope) {
    const Real step = select(isfinite(slope) & (slope > 0.0), f / slope,
                             select(f < 0.0, Real(-1e300), Real(1e300)));
    return select(f == 0.0, 0.0, step);
}

}  // namespace BRIDGE_NAMESPACE
