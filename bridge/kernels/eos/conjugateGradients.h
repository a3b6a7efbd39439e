// Conjugate gradients for a symmetric system of each point, with a diagonal as preconditioner.
// Source: Hestenes and Stiefel 1952.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

// Columns of the work of the system: R, right side and then what is left of it; D, direction over
// the weights; Q, the matrix times it. `weight(i)` is the inverse of the preconditioner, `product`
// makes Q and returns the curvature along D. `taken(step, square)` sees each step of the points
// that go on: the solution is the sum of step weight D, the form of it with R that of step square. A point
// ends where little is left, or where the curvature is not positive.
template <class Real, class System, class Taken>
BRIDGE_FN void conjugateGradients(System& system, Mask<Real> active, const Taken& taken) {
    auto& work = system.work;
    const int ns = system.ns, R = system.R, D = system.D, Q = system.Q;
    Real square = 0.0;
    BRIDGE_ROLLED
    for (int i = 0; i < ns; ++i) {
        const Real r = work[R + i];
        work[D + i] = r;
        square = square + system.weight(i) * r * r;
    }
    const Real first = square;
    active = active & (first > 0.0);
    BRIDGE_ROLLED
    for (int turn = 0; turn < 2 * ns + 6 && any(active); ++turn) {
        const Real curvature = system.product();
        active = active & (curvature > 0.0);
        const Real step = select(active, square / select(active, curvature, 1.0), 0.0);
        taken(step, square);
        Real next = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real r = Real(work[R + i]) - step * Real(work[Q + i]);
            work[R + i] = r;
            next = next + system.weight(i) * r * r;
        }
        const Real turned = next / select(square > 0.0, square, Real(1.0));
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) work[D + i] = Real(work[R + i]) + turned * Real(work[D + i]);
        square = select(active, next, square);
        active = active & (next > 1e-26 * first);
    }
}

}  // namespace BRIDGE_NAMESPACE
