// Start of the temperature search: first guess and bracket. docs/physics.md, section 9.
//
// A guess outside the range is clamped, one that is not a number becomes 300 K. A target that is
// not finite makes T NaN, which is BAD_T. The ends of the range have not been evaluated: their
// residuals and roots are 0 until the search has been there.
//
// In   h_target J/kg, T0 K
// Out  T, lo, hi K, h_residual_lo, h_residual_hi J/kg, Z_lo, Z_hi, step, stepOld K, done,
//      iterations, status_newton
#pragma once
#include "../point.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSNewtonStart(const Shared& shared, const Real& h_target, const Real& T0,
                                Real& T, Real& lo, Real& hi, Real& h_residual_lo,
                                Real& h_residual_hi, Real& Z_lo, Real& Z_hi, Real& step,
                                Real& stepOld, Bits<Real>& done, Bits<Real>& iterations,
                                Bits<Real>& status_newton) {
    const Mask<Real> sound = isfinite(h_target);
    const Real guess = select(isfinite(T0), clamp<Real>(T0, shared.TloH, shared.ThiH), 300.0);
    T = select(sound, guess, Real(BRIDGE_NAN));
    lo = shared.TloH;
    hi = shared.ThiH;
    h_residual_lo = 0.0;
    h_residual_hi = 0.0;
    Z_lo = 0.0;
    Z_hi = 0.0;
    step = shared.ThiH - shared.TloH;
    stepOld = step;
    done = select(sound, Bits<Real>(0), Bits<Real>(1));
    iterations = Bits<Real>(0);
    status_newton = select(sound, Bits<Real>(0), Bits<Real>(BAD_T));
}

}  // namespace BRIDGE_NAMESPACE
