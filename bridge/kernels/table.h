// Tables of the host: values that a kernel looks up by integers of each point.
//
//   template <class Real>
//   BRIDGE_FN void heat(const Shared&, const Table<Real, 2>& cp, const Bits<Real>& i, ...) {
//       const Real value = cp(i, 0);        // Fortran's cp(i + 1, 1): indices count from 0
//
// An index below 0 or past the end is that of the nearest end: no lane reads outside the table.
#pragma once

#include "point.h"

namespace BRIDGE_NAMESPACE {

// The values and sizes as a launch hands them over; on a GPU they lie in its memory.
struct TableData {
    const double* data;
    long long size[3];
};

template <class Real, int rank> class Table {
    static_assert(1 <= rank && rank <= 3, "a table has 1 to 3 dimensions");

public:
    template <class Integer>
    BRIDGE_MEMBER Table(const double* values, const Integer* sizes)
        : data(values), sizes{int(sizes[0]), int(sizes[1]), int(sizes[2])} {}

    // Values along a dimension, which counts from 0.
    BRIDGE_MEMBER int size(int dimension) const { return sizes[dimension]; }

    BRIDGE_MEMBER Real operator()(const Bits<Real>& i) const {
        static_assert(rank == 1, "one index for each dimension of the table");
        return lookup<0>(data, inside(i, 0));
    }
    BRIDGE_MEMBER Real operator()(const Bits<Real>& i, const Bits<Real>& j) const {
        static_assert(rank == 2, "one index for each dimension of the table");
        return lookup<0>(data, inside(i, 0) + inside(j, 1) * Bits<Real>(sizes[0]));
    }
    BRIDGE_MEMBER Real operator()(const Bits<Real>& i, const Bits<Real>& j,
                                  const Bits<Real>& k) const {
        static_assert(rank == 3, "one index for each dimension of the table");
        const Bits<Real> row = inside(j, 1) + inside(k, 2) * Bits<Real>(sizes[1]);
        return lookup<0>(data, inside(i, 0) + row * Bits<Real>(sizes[0]));
    }

    // A value that all points share.
    BRIDGE_MEMBER double entry(int i) const { return data[place(i, sizes[0])]; }
    BRIDGE_MEMBER double entry(int i, int j) const {
        return data[place(i, sizes[0]) + sizes[0] * place(j, sizes[1])];
    }
    BRIDGE_MEMBER double entry(int i, int j, int k) const {
        const int row = place(j, sizes[1]) + sizes[1] * place(k, sizes[2]);
        return data[place(i, sizes[0]) + sizes[0] * row];
    }

private:
    BRIDGE_MEMBER static int place(int index, int count) { return max(min(index, count - 1), 0); }
    BRIDGE_MEMBER Bits<Real> inside(const Bits<Real>& index, int dimension) const {
        const Bits<Real> first(0), last(sizes[dimension] - 1);
        return min(max(index, first), last);
    }

    const double* data;
    int sizes[3];
};

}  // namespace BRIDGE_NAMESPACE
