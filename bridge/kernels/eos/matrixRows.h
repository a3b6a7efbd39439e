// Products of a constant (ns, ns) matrix with vectors of species values, some rows at a time: what
// is loaded for a column serves all of them.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

struct MatrixRows {  // of a matrix stored row by row; rows past the last repeat the first
    // As many as keep two sums each in registers, of which AVX2 has half.
#if defined(BRIDGE_LANES) && BRIDGE_LANES == 4
    static constexpr int most = 2;
#else
    static constexpr int most = 4;
#endif
    const double* row[most];
    int rows;

    static BRIDGE_MEMBER MatrixRows at(const double* matrix, int first, int ns) {
        MatrixRows some;
        some.rows = ns - first < most ? ns - first : most;
        for (int r = 0; r < most; ++r) {
            const int64_t i = first + (r < some.rows ? r : 0);
            some.row[r] = matrix + i * ns;
        }
        return some;
    }

    // sum[r] += sum_j m_rj values(j), for the columns begin <= j < end
    template <class Real, class Values>
    BRIDGE_MEMBER void add(int begin, int end, const Values& values, Real (&sum)[most]) const {
        for (int j = begin; j < end; ++j) {
            const Real x = values(j);
            for (int r = 0; r < most; ++r) sum[r] = sum[r] + row[r][j] * x;
        }
    }
    // the same for two vectors at once: values(j, x, y) gives an entry of each
    template <class Real, class Values>
    BRIDGE_MEMBER void add(int begin, int end, const Values& values, Real (&sum)[most],
                           Real (&other)[most]) const {
        for (int j = begin; j < end; ++j) {
            Real x, y;
            values(j, x, y);
            for (int r = 0; r < most; ++r) {
                sum[r] = sum[r] + row[r][j] * x;
                other[r] = other[r] + row[r][j] * y;
            }
        }
    }
};

}  // namespace BRIDGE_NAMESPACE
