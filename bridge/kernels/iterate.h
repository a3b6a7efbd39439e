// An iteration that each point leaves by itself.
//
//   Real x = guess;
//   const Mask<Real> found = iterate<Real>(50, [&](Real& x) {
//       const Real step = (x * x - a) / (2.0 * x);
//       x -= step;
//       return fabs(step) > 1e-12 * x;  // this point goes on
//   }, x);
//
// The body gets a trial copy of what follows it, numbers and integers, and says which points go
// on. A point that goes on no more keeps the values of its last turn, whatever its neighbours
// still do, so that its bits are its own. The answer says which points left before the limit.
#pragma once

namespace BRIDGE_NAMESPACE {

template <class Real, class Body, class... State>
BRIDGE_FN Mask<Real> iterate(int limit, const Body& body, State&... state) {
    Mask<Real> active = true;
    for (int turn = 0; turn < limit && any(active); ++turn) {
        [&](State... next) {
            const Mask<Real> more = body(next...);
            ((state = select(active, next, state)), ...);
            active = active & more;
        }(state...);
    }
    return !active;
}

}  // namespace BRIDGE_NAMESPACE
