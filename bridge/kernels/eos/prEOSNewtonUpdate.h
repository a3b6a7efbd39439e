// One step of the safeguarded Newton search for T at a given enthalpy or entropy. docs/physics.md, section 9.
//
// Residual and root of both ends of the bracket are kept for the lever rule (gapEnds.h). Points
// that have ended keep everything.
//
// In       h_residual J/kg, dT K, Z_pr
// In, out  T, lo, hi K, h_residual_lo, h_residual_hi J/kg, Z_lo, Z_hi, step, stepOld K, done,
//          iterations, status_newton
#pragma once
#include "../point.h"
#include "bracketedNewton.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void prEOSNewtonUpdate(const Shared& shared, const Real& h_residual, const Real& dT,
                                 const Real& Z_pr, const Real& T, const Real& lo, const Real& hi,
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

    const NewtonStep<Real> now(shared, h_residual, dT, T, lo, hi, stepOld);
    const Mask<Real> ended = now.converged | now.collapsed;
    const Mask<Real> exhausted =
        (!ended) & (count >= Bits<Real>(static_cast<int>(shared.newtonLimit)));
    const Bits<Real> found = now.bits | flag<Real>(exhausted, NO_CONV);

    T_out = select(active, now.next, T);
    lo_out = select(active, now.low, lo);
    hi_out = select(active, now.high, hi);
    const Mask<Real> raised = active & (!now.above);
    const Mask<Real> lowered = active & now.above;
    h_residual_lo_out = select(raised, h_residual, h_residual_lo);
    h_residual_hi_out = select(lowered, h_residual, h_residual_hi);
    Z_lo_out = select(raised, Z_pr, Z_lo);
    Z_hi_out = select(lowered, Z_pr, Z_hi);
    step_out = select(active, select(now.halve, now.half, dT), step);
    stepOld_out = select(active, step, stepOld);
    iterations_out = select(active, count, iterations);
    done_out = select(active & (!ended) & (!exhausted), Bits<Real>(0), Bits<Real>(1));
    status_out = status_newton | select(active, found, Bits<Real>(0)) |
                 flag<Real>(lost & (done == Bits<Real>(0)), NO_CONV);
}

}  // namespace BRIDGE_NAMESPACE
