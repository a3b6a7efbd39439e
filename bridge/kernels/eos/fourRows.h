// Products of a constant (ns, ns) matrix with vectors of species values, four rows at a time: what
// is loaded for a column serves four rows.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

struct FourRows {  // of a matrix stored row by row; rows past the last repeat the first of the four
    const double* row[4];
    int rows;

    static BRIDGE_MEMBER FourRows at(const double* matrix, int first, int ns) {
        FourRows four;
        four.rows = ns - first < 4 ? ns - first : 4;
        for (int r = 0; r < 4; ++r) {
            const int64_t i = first + (r < four.rows ? r : 0);
            four.row[r] = matrix + i * ns;
        }
        return four;
    }

    // sum[r] += sum_j m_rj values(j), for the columns begin <= j < end
    template <class Real, class Values>
    BRIDGE_MEMBER void add(int begin, int end, const Values& values, Real (&sum)[4]) const {
        for (int j = begin; j < end; ++j) {
            const Real x = values(j);
            for (int r = 0; r < 4; ++r) sum[r] = sum[r] + row[r][j] * x;
        }
    }
    // the same for two vectors at once: values(j, x, y) gives an entry of each
    template <class Real, class Values>
    BRIDGE_MEMBER void add(int begin, int end, const Values& values, Real (&sum)[4],
                           Real (&other)[4]) const {
        for (int j = begin; j < end; ++j) {
            Real x, y;
            values(j, x, y);
            for (int r = 0; r < 4; ++r) {
                sum[r] = sum[r] + row[r][j] * x;
                other[r] = other[r] + row[r][j] * y;
            }
        }
    }
};

}  // namespace BRIDGE_NAMESPACE
