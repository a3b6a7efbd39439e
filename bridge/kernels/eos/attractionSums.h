// Sums over all pairs of species of products of two values each, weighted with 1 - k_ij:
//     S_fg = sum_ij (1 - k_ij) X_i f_i X_j g_j   for (f, g) = (c, c), (c, d), (d, d).
// Each pair is met once; without interaction coefficients they are products of single sums.
#pragma once
#include "../point.h"
#include "matrixRows.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct AttractionSums { Real cc, cd, dd; };

// Terms of some columns, worked out once for all rows; one point alone has no room to keep them.
template <class Real, class Terms> struct ColumnTerms {
    const Terms& terms;
    // No aggregate: its braces would set every entry of c and d to zero at each point.
    explicit BRIDGE_MEMBER ColumnTerms(const Terms& values) : terms(values) {}
#ifdef BRIDGE_ONE_POINT
    static constexpr int most = 1 << 30;
    BRIDGE_MEMBER void keep(int, int) {}
    BRIDGE_MEMBER void operator()(int j, Real& cj, Real& dj) const { terms(j, cj, dj); }
#else
    static constexpr int most = 64;
    int first = 0;
    Real c[most], d[most];
    BRIDGE_MEMBER void keep(int begin, int end) {
        first = begin;
        for (int j = begin; j < end; ++j) terms(j, c[j - begin], d[j - begin]);
    }
    BRIDGE_MEMBER void operator()(int j, Real& cj, Real& dj) const {
        cj = c[j - first];
        dj = d[j - first];
    }
#endif
};

// Sums of `terms(i, c, d)`.
template <class Real, class Terms>
BRIDGE_FN void singleSums(int ns, const Terms& terms, Real& c, Real& d) {
    c = 0.0;
    d = 0.0;
    for (int i = 0; i < ns; ++i) {
        Real ci, di;
        terms(i, ci, di);
        c = c + ci;
        d = d + di;
    }
}

// `terms(i, c, d)` gives X_i c_i and X_i d_i.
template <class Real, class Terms>
BRIDGE_FN AttractionSums<Real> attractionSums(const Shared& shared, const Terms& terms) {
    const int ns = species(shared);
    if (!shared.anyKij) {  // the double sums are products of single ones
        Real c, d;
        singleSums<Real>(ns, terms, c, d);
        return {c * c, c * d, d * d};
    }
    AttractionSums<Real> half = {0.0, 0.0, 0.0};
    ColumnTerms<Real, Terms> columns(terms);
    for (int first = 0; first < ns; first += columns.most) {
        const int last = ns - first < columns.most ? ns : first + columns.most;
        columns.keep(first, last);
        for (int i = 0; i < last; i += MatrixRows::most) {
            const MatrixRows k = MatrixRows::at(shared.oneMinusKij, i, ns);
            Real c[MatrixRows::most] = {}, d[MatrixRows::most] = {};
            const int next = i + k.rows;
            if (i >= first) {  // pairs among these rows are met twice, others once
                k.add(i, next, columns, c, d);
                for (int r = 0; r < MatrixRows::most; ++r) {
                    c[r] = 0.5 * c[r];
                    d[r] = 0.5 * d[r];
                }
            }
            k.add(next > first ? next : first, last, columns, c, d);
            for (int r = 0; r < MatrixRows::most; ++r) {  // unrolled: registers
                if (r >= k.rows) continue;
                Real ci, di;
                if (i >= first)
                    columns(i + r, ci, di);
                else
                    terms(i + r, ci, di);
                half.cc = half.cc + ci * c[r];
                half.cd = half.cd + (ci * d[r] + di * c[r]);
                half.dd = half.dd + di * d[r];
            }
        }
    }
    return {half.cc + half.cc, half.cd, half.dd + half.dd};
}

}  // namespace BRIDGE_NAMESPACE
