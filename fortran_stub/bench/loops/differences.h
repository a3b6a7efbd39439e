// Central fluxes and second differences of the conserved variables along one axis, added to their
// rates: what an explicit step of a compressible flow does along x, y and z.
//
// In   conserved (5), velocity (three arrays), kinetic, dynamic, inverse, rate (5)
// Out  rate (5)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <int axis, int side, class Array> BRIDGE_FN auto loopBeside(const Array& array) {
    constexpr int x = axis == 0 ? side : 0, y = axis == 1 ? side : 0, z = axis == 2 ? side : 0;
    return array.template at<x, y, z>();
}

template <class Real, int axis> BRIDGE_FN Real loopSecond(const ScalarNeighbours& array) {
    return loopBeside<axis, 1>(array) - 2.0 * loopBeside<axis, 0>(array) +
           loopBeside<axis, -1>(array);
}

template <class Real, int axis, class In, class Out>
BRIDGE_FN void loopRate(const Neighbours& u, const ScalarNeighbours& us,
                        const ScalarNeighbours& vs, const ScalarNeighbours& ws,
                        const ScalarNeighbours& kinetic, const ScalarNeighbours& dynamic,
                        const ScalarNeighbours& inverse, const In& rate, Out& updated) {
    const double flux = 0.25, d = 0.75, con2 = 0.1, con43 = 4.0 / 3.0;
    const double con3 = -0.06, con4 = 0.02, con5 = 0.2, c1 = 1.4, c2 = 0.4;
    const auto low = loopBeside<axis, -1>(u), here = loopBeside<axis, 0>(u),
               high = loopBeside<axis, 1>(u);
    const ScalarNeighbours& along = axis == 0 ? us : axis == 1 ? vs : ws;
    const Real um = loopBeside<axis, -1>(along), up = loopBeside<axis, 1>(along);
    const Real middle = loopBeside<axis, 0>(along);
    const Real squareLow = loopBeside<axis, -1>(dynamic),
               squareHigh = loopBeside<axis, 1>(dynamic);
    const Real viscous[3] = {con2 * loopSecond<Real, axis>(us), con2 * loopSecond<Real, axis>(vs),
                             con2 * loopSecond<Real, axis>(ws)};
    Real change[5];
    for (int m = 0; m < 5; ++m) change[m] = d * (high[m] - 2.0 * here[m] + low[m]);
    change[0] = change[0] - flux * (high[1 + axis] - low[1 + axis]);
    for (int m = 0; m < 3; ++m) {
        const Real carried = high[1 + m] * up - low[1 + m] * um;
        const Real pressure = (high[4] - squareHigh - low[4] + squareLow) * c2;
        change[1 + m] = change[1 + m] + (m == axis ? con43 : 1.0) * viscous[m] -
                        flux * (m == axis ? carried + pressure : carried);
    }
    const Real heat = high[4] * loopBeside<axis, 1>(inverse) -
                      2.0 * here[4] * loopBeside<axis, 0>(inverse) +
                      low[4] * loopBeside<axis, -1>(inverse);
    change[4] =
        change[4] + con3 * loopSecond<Real, axis>(kinetic) +
        con4 * (up * up - 2.0 * middle * middle + um * um) + con5 * heat -
        flux * ((c1 * high[4] - c2 * squareHigh) * up - (c1 * low[4] - c2 * squareLow) * um);
    for (int m = 0; m < 5; ++m) updated[m] = rate[m] + change[m];
}

template <class Real, class In, class Out>
BRIDGE_FN void loopRateX(const Shared&, const Neighbours& u, const ScalarNeighbours& us,
                         const ScalarNeighbours& vs, const ScalarNeighbours& ws,
                         const ScalarNeighbours& kinetic, const ScalarNeighbours& dynamic,
                         const ScalarNeighbours& inverse, const In& rate, Out& updated) {
    loopRate<Real, 0>(u, us, vs, ws, kinetic, dynamic, inverse, rate, updated);
}

template <class Real, class In, class Out>
BRIDGE_FN void loopRateY(const Shared&, const Neighbours& u, const ScalarNeighbours& us,
                         const ScalarNeighbours& vs, const ScalarNeighbours& ws,
                         const ScalarNeighbours& kinetic, const ScalarNeighbours& dynamic,
                         const ScalarNeighbours& inverse, const In& rate, Out& updated) {
    loopRate<Real, 1>(u, us, vs, ws, kinetic, dynamic, inverse, rate, updated);
}

template <class Real, class In, class Out>
BRIDGE_FN void loopRateZ(const Shared&, const Neighbours& u, const ScalarNeighbours& us,
                         const ScalarNeighbours& vs, const ScalarNeighbours& ws,
                         const ScalarNeighbours& kinetic, const ScalarNeighbours& dynamic,
                         const ScalarNeighbours& inverse, const In& rate, Out& updated) {
    loopRate<Real, 2>(u, us, vs, ws, kinetic, dynamic, inverse, rate, updated);
}

}  // namespace BRIDGE_NAMESPACE
