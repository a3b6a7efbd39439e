// The border of a field, from the cells inside it: no flow through walls.
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

// A corner is the mean of the two cells of the border beside it. Both follow from the same cell
// inside, so that a corner reads no other part of the border.
template <class Real>
BRIDGE_FN Real fluidsBorder(const ScalarCells& inside, const Bits<Real>& n, const Bits<Real>& i,
                            const Bits<Real>& j, double across, double along) {
    const Real cell = inside.at(i, j, 1);  // of the cells there are, the nearest
    const Mask<Real> atX = (i < 1) | (i > n), atY = (j < 1) | (j > n);
    return select(atX & atY, 0.5 * (along * cell + across * cell),
                  select(atX, across * cell, along * cell));
}

template <class Real>
BRIDGE_FN void fluids_border_u(const Shared&, const ScalarCells& inside, const Bits<Real>& n,
                               const Bits<Real>& i, const Bits<Real>& j, Real& edge) {
    edge = fluidsBorder<Real>(inside, n, i, j, -1.0, 1.0);
}
template <class Real>
BRIDGE_FN void fluids_border_v(const Shared&, const ScalarCells& inside, const Bits<Real>& n,
                               const Bits<Real>& i, const Bits<Real>& j, Real& edge) {
    edge = fluidsBorder<Real>(inside, n, i, j, 1.0, -1.0);
}
template <class Real>
BRIDGE_FN void fluids_border(const Shared&, const ScalarCells& inside, const Bits<Real>& n,
                             const Bits<Real>& i, const Bits<Real>& j, Real& edge) {
    edge = fluidsBorder<Real>(inside, n, i, j, 1.0, 1.0);
}

}  // namespace BRIDGE_NAMESPACE
