// chungMixtureDiffusionFused with fitted collision integrals, on the tensor cores: the second body
// of the one kernel whose tables do not fit where threads of their own can read them quickly.
//
// sum_j (X_j + d) r_ij is a polynomial in `place`, and its coefficients are products of constant
// (ns, ns) matrices with the points' X: Horner's scheme with a matrix product in each step, for 32
// points of a warp at a time. The diagonal of the matrices is zero, so every sum is one over the
// others. No column of a product sees another: a point's result does not depend on its neighbours.
// Points outside the fit take the exact form, thread by thread.
#pragma once
#include "../transport/binaryDiffusion.h"
#include "../transport/mixtureDiffusion.h"
#include "columns.h"

namespace BRIDGE_NAMESPACE {

// Rows of 16 and columns of 8 species of a matrix; bridge/backends/gpu/layout.py has it in the order in
// which the lanes of a warp hold it.
constexpr int tensorRows = (BRIDGE_NS + 15) / 16, tensorColumns = (BRIDGE_NS + 7) / 8;

#ifdef __CUDA_ARCH__
BRIDGE_FN void multiplyAdd(double (&c)[4], const double2& a, const double2& b, double x,
                           double y) {
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a.x), "d"(a.y), "d"(b.x), "d"(b.y), "d"(x), "d"(y));
#else
    const auto eight = [](double& c0, double& c1, double left, double right) {
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(c0), "+d"(c1)
            : "d"(left), "d"(right));
    };
    eight(c[0], c[1], a.x, x);
    eight(c[2], c[3], a.y, x);
    eight(c[0], c[1], b.x, y);
    eight(c[2], c[3], b.y, y);
#endif
}

// S_i = sum_{j!=i} (X_j + d) r_ij of the warp's points into the tile; every lane takes part.
template <int pitch>
BRIDGE_FN void tensorSums(const Shared& shared, double place, const volatile double* X,
                          volatile double* S) {
    constexpr int ns = BRIDGE_NS;
    const int lane = threadIdx.x & 31, group = lane >> 2, member = lane & 3;
    X -= lane;
    S -= lane;
    double places[4][2], sum[tensorRows][4][4];
#pragma unroll
    for (int n = 0; n < 4; ++n) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
            places[n][c] = __shfl_sync(0xffffffffu, place, 8 * n + 2 * member + c);
        }
#pragma unroll
        for (int m = 0; m < tensorRows; ++m) {
#pragma unroll
            for (int c = 0; c < 4; ++c) sum[m][n][c] = 0.0;
        }
    }
    const double2* matrix = reinterpret_cast<const double2*>(shared.omega11Tiles) + 2 * lane;
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < OMEGA11_TERMS; ++k) {
        // Warps that stay together read a matrix from the first cache, after the first of them.
        if (tensorRows > 1) __syncthreads();
#pragma unroll
        for (int n = 0; n < 4; ++n) {
#pragma unroll
            for (int m = 0; m < tensorRows; ++m) {
#pragma unroll
                for (int c = 0; c < 4; ++c) sum[m][n][c] *= places[n][c & 1];
            }
        }
#pragma unroll 1
        for (int column = 0; column < tensorColumns; ++column) {
            const int j = 8 * column + member;
            const int first = (j < ns ? j : ns - 1) * pitch + group;
            const int second = (j + 4 < ns ? j + 4 : ns - 1) * pitch + group;
            double x[4], y[4];
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                x[n] = X[first + 8 * n] + shared.diffusionFloor;
                y[n] = X[second + 8 * n] + shared.diffusionFloor;
            }
#pragma unroll
            for (int m = 0; m < tensorRows; ++m, matrix += 64) {
                const double2 a = __ldg(matrix), b = __ldg(matrix + 1);
#pragma unroll
                for (int n = 0; n < 4; ++n) multiplyAdd(sum[m][n], a, b, x[n], y[n]);
            }
        }
    }
#pragma unroll
    for (int m = 0; m < tensorRows; ++m) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            const int i = 16 * m + group + (c & 2 ? 8 : 0);
            if (i >= ns) continue;
#pragma unroll
            for (int n = 0; n < 4; ++n) S[i * pitch + 8 * n + 2 * member + (c & 1)] = sum[m][n][c];
        }
    }
    __syncwarp();
}
#endif

// Arguments as chungMixtureDiffusionFused; all threads of a block call it together.
template <class Real, int pitch>
BRIDGE_FN void chungMixtureDiffusionTensor(const Shared& shared, const Real& T, const Real& P,
                                           const TileColumns<1, pitch>& X, const Real& W,
                                           const Real& factor, TileColumns<1, pitch>& D_im) {
    const BinaryDiffusion<Real> point = BinaryDiffusion<Real>::at(shared, T, P);
#ifdef __CUDA_ARCH__
    tensorSums<pitch>(shared, point.place.v[0], X.place, D_im.place);
    if (all(point.fitted)) {
        const bool byMole = shared.massFraction != 0;
        const double d = shared.diffusionFloor;
        SumOfOthers<Real> weights;
        for (int i = 0; i < BRIDGE_NS; ++i) {
            weights.add((X[i] + d) * (byMole ? 1.0 : shared.W[i]));
        }
        const Real all = point.scale * factor / (byMole ? Real(1.0) : W);
        for (int i = 0; i < BRIDGE_NS; ++i) {
            const Real own = (X[i] + d) * (byMole ? 1.0 : shared.W[i]);
            D_im[i] = all * weights.without(own) / Real(D_im[i]);
        }
        return;
    }
    const auto resistance = [&](int64_t k) { return point.exact(shared, k); };
    mixtureDiffusion<Real>(shared, resistance, point.scale, X, W, T, P, factor, D_im);
#else  // a host that stands in for the GPU takes one thread at a time
    point.withResistance(shared, [&](const auto& resistance) {
        mixtureDiffusion<Real>(shared, resistance, point.scale, X, W, T, P, factor, D_im);
    });
#endif
}

}  // namespace BRIDGE_NAMESPACE
