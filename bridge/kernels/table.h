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

// Index times a size, which is at most 2^31 - 1, as is the number of values of a table.
#ifdef BRIDGE_ONE_POINT
BRIDGE_FN int timesSize(int index, int size) { return index * size; }
#endif
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__)
template <int P> struct Word;
template <int P> BRIDGE_FN Word<P> timesSize(const Word<P>& index, int size) {
    Word<P> r;
    for (int p = 0; p < P; ++p) r.v[p] = index.v[p] * size;
    return r;
}
#elif !defined(BRIDGE_SCALAR)
BRIDGE_FN LaneBits timesSize(LaneBits index, int size) {
    return LaneBits(IntegerVector(index.v * static_cast<long long>(size)));
}
BRIDGE_FN TwiceBits timesSize(TwiceBits index, int size) {
    return TwiceBits(timesSize(index.a, size), timesSize(index.b, size));
}
#endif

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
        return lookup<0>(data, inside(i, 0) + timesSize(inside(j, 1), sizes[0]));
    }
    BRIDGE_MEMBER Real operator()(const Bits<Real>& i, const Bits<Real>& j,
                                  const Bits<Real>& k) const {
        static_assert(rank == 3, "one index for each dimension of the table");
        const Bits<Real> row = inside(j, 1) + timesSize(inside(k, 2), sizes[1]);
        return lookup<0>(data, inside(i, 0) + timesSize(row, sizes[0]));
    }

private:
    BRIDGE_MEMBER Bits<Real> inside(const Bits<Real>& index, int dimension) const {
        const Bits<Real> last(sizes[dimension] - 1), first(0);
        return select(index < first, first, select(index >= last, last, index));
    }

    const double* data;
    int sizes[3];
};

}  // namespace BRIDGE_NAMESPACE
