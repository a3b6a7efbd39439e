/* Copies between the caller's arrays and memory that kernels read.
 *
 * An array's interior is a box; its points are numbered x fastest. Everything here first cuts a
 * range of points into runs along x (one run when the interior is contiguous), then copies runs:
 * whole rows where a component is contiguous along x, tiles where the components lie first.
 */
#include "marshal.h"

#include "environment.h"

#include <algorithm>
#include <immintrin.h>

namespace BRIDGE_NAMESPACE {
namespace {

constexpr int64_t lanes = BRIDGE_LANES;
constexpr int64_t tile = 64; /* points; a tile of 16 components is 8 KiB, well inside L1 */
constexpr int64_t enoughForThreads = 65536; /* elements below which one thread is faster */

/* f(offset of the run's first point, its number counted from `first`, its length) */
template <class F>
void forEachRun(const bridge_box& box, int64_t first, int64_t n, F f) {
    const int64_t rowLength = box.extent[0];
    int64_t row = first / rowLength;
    int64_t i = first - row * rowLength;
    int64_t k = row / box.extent[1];
    int64_t j = row - k * box.extent[1];
    for (int64_t done = 0; done < n;) {
        const int64_t length = std::min(rowLength - i, n - done);
        f(box.offset + i * box.stride[0] + j * box.stride[1] + k * box.stride[2], done, length);
        done += length;
        i = 0;
        if (++j == box.extent[1]) {
            j = 0;
            ++k;
        }
    }
}

/* One element on its way in (times scale) or out (divided by it); integers are never scaled. */
template <class To, class From> inline To convert(From x) { return static_cast<To>(x); }

struct Plain {
    template <class To, class From> To operator()(From x) const { return convert<To>(x); }
};
struct Times {
    double scale;
    template <class To, class From> To operator()(From x) const { return convert<To>(x * scale); }
};
struct Over {
    double scale;
    template <class To, class From> To operator()(From x) const { return convert<To>(x / scale); }
};

/* A block of a slot, [vector][column][lane], as seen by point and column. */
template <class T> struct Block {
    T* base;
    int64_t columns;
    T* at(int64_t point, int64_t column) const {
        return base + (point / lanes * columns + column) * lanes + point % lanes;
    }
};

/* One contiguous row of one component <-> the block: vector by vector, with ragged ends. */
template <class M, class S, class Op>
void rowIn(const M* row, int64_t length, Block<S> block, int64_t point, int64_t column, Op op) {
    int64_t p = 0;
    const int64_t head = std::min(length, (lanes - point % lanes) % lanes);
    for (; p < head; ++p) *block.at(point + p, column) = op.template operator()<S>(row[p]);
    S* target = block.at(point + p, column);
    for (; p + lanes <= length; p += lanes, target += block.columns * lanes)
        for (int64_t l = 0; l < lanes; ++l) target[l] = op.template operator()<S>(row[p + l]);
    for (; p < length; ++p) *block.at(point + p, column) = op.template operator()<S>(row[p]);
}

template <class M, class S, class Op>
void gather(const bridge_array& array, int64_t first, int64_t n, Block<S> block, Op op) {
    const M* base = static_cast<const M*>(array.address);
    const int64_t along = array.box.stride[0], across = array.box.data_stride;
    const int64_t columns = block.columns;
    forEachRun(array.box, first, n, [&](int64_t offset, int64_t point, int64_t length) {
        const M* source = base + offset;
        if (along == 1) {
            for (int64_t c = 0; c < columns; ++c)
                rowIn(source + c * across, length, block, point, c, op);
        } else { /* components first, or any other order: point by point */
            for (int64_t p = 0; p < length; ++p) {
                S* target = block.at(point + p, 0);
                for (int64_t c = 0; c < columns; ++c)
                    target[c * lanes] = op.template operator()<S>(source[p * along + c * across]);
            }
        }
    });
    if (n % lanes) /* no scalar tail anywhere: the last vector repeats its last point */
        for (int64_t c = 0; c < columns; ++c)
            for (int64_t p = n; p % lanes; ++p) *block.at(p, c) = *block.at(n - 1, c);
}

template <class M, class S, class Op>
void scatter(const bridge_array& array, int64_t first, int64_t n, const bridge_argument& block,
             int64_t columns, Op op) {
    M* base = static_cast<M*>(array.address);
    const int64_t along = array.box.stride[0], across = array.box.data_stride;
    const auto at = [&](int64_t point, int64_t column) {
        return reinterpret_cast<const S*>(block.base + point / lanes * block.vector_stride +
                                          column * block.column_stride) + point % lanes;
    };
    forEachRun(array.box, first, n, [&](int64_t offset, int64_t point, int64_t length) {
        M* target = base + offset;
        if (along == 1) {
            for (int64_t c = 0; c < columns; ++c) {
                M* row = target + c * across;
                int64_t p = 0;
                const int64_t head = std::min(length, (lanes - point % lanes) % lanes);
                for (; p < head; ++p) row[p] = op.template operator()<M>(*at(point + p, c));
                for (; p + lanes <= length; p += lanes) {
                    const S* source = at(point + p, c);
                    for (int64_t l = 0; l < lanes; ++l)
                        row[p + l] = op.template operator()<M>(source[l]);
                }
                for (; p < length; ++p) row[p] = op.template operator()<M>(*at(point + p, c));
            }
        } else {
            for (int64_t p = 0; p < length; ++p)
                for (int64_t c = 0; c < columns; ++c)
                    target[p * along + c * across] = op.template operator()<M>(*at(point + p, c));
        }
    });
}

/* Array -> flat view (Inward) or flat view -> array. A is the array's type, V the view's. */
template <bool inward, class A, class V, class Op>
void transfer(const bridge_array& array, int64_t first, int64_t n, V* view, int64_t viewStride,
              Op op) {
    A* base = static_cast<A*>(array.address);
    const int64_t along = array.box.stride[0], across = array.box.data_stride;
    const int64_t columns = array.columns;
    const auto move = [&](A* a, int64_t aStride, V* v, int64_t length) {
        for (int64_t p = 0; p < length; ++p) {
            if constexpr (inward) v[p] = op.template operator()<V>(a[p * aStride]);
            else a[p * aStride] = op.template operator()<A>(v[p]);
        }
    };
    if (along == 1) {
        for (int64_t c = 0; c < columns; ++c)
            forEachRun(array.box, first, n, [&](int64_t offset, int64_t point, int64_t length) {
                move(base + offset + c * across, 1, view + c * viewStride + point, length);
            });
    } else {
        forEachRun(array.box, first, n, [&](int64_t offset, int64_t point, int64_t length) {
            for (int64_t t = 0; t < length; t += tile)
                for (int64_t c = 0; c < columns; ++c)
                    move(base + offset + t * along + c * across, along,
                         view + c * viewStride + point + t, std::min(tile, length - t));
        });
    }
}

/* The same, shared out among threads. */
template <bool inward, class A, class V, class Op>
void transferAll(const bridge_array& array, int64_t first, int64_t n, V* view, int64_t viewStride,
                 int threads, Op op) {
    if (threads <= 1 || n * array.columns < enoughForThreads) {
        transfer<inward, A, V>(array, first, n, view, viewStride, op);
        return;
    }
    const int64_t share = ((n + threads - 1) / threads + tile - 1) / tile * tile;
    const HostEnvironment inherited;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int part = 0; part < threads; ++part) {
        const int64_t begin = part * share, length = std::min(share, n - begin);
        const unsigned control = _mm_getcsr();
        _mm_setcsr(0x1f80); /* as FE_DFL_ENV: a copied signalling NaN must not trap */
        if (length > 0)
            transfer<inward, A, V>(array, first + begin, length, view + begin, viewStride, op);
        _mm_setcsr(control);
    }
}

template <bool inward>
void dispatch(const bridge_array& array, int64_t first, int64_t n, void* view, int64_t viewStride,
              bool viewIsInteger, int threads) {
    auto* reals = static_cast<double*>(view);
    auto* integers = static_cast<int32_t*>(view);
    const auto go = [&](auto op) {
        if (array.is_int32)
            transferAll<inward, int32_t>(array, first, n, integers, viewStride, threads, Plain{});
        else if (viewIsInteger)
            transferAll<inward, double>(array, first, n, integers, viewStride, threads, Plain{});
        else
            transferAll<inward, double>(array, first, n, reals, viewStride, threads, op);
    };
    if (array.scale == 1.0) go(Plain{});
    else if (inward) go(Times{array.scale});
    else go(Over{array.scale});
}

bool outside(const bridge_array& array, int64_t n) {
    return n <= 0 || array.columns <= 0;
}

}  // namespace

void gatherBlock(const bridge_array& array, const bridge_slot& slot, int64_t first, int64_t n,
                 char* block) {
    if (outside(array, n)) return;
    const Block<double> reals{reinterpret_cast<double*>(block), slot.columns};
    const Block<int64_t> integers{reinterpret_cast<int64_t*>(block), slot.columns};
    if (slot.is_int32 && array.is_int32) gather<int32_t>(array, first, n, integers, Plain{});
    else if (slot.is_int32) gather<double>(array, first, n, integers, Plain{});
    else if (array.scale == 1.0) gather<double>(array, first, n, reals, Plain{});
    else gather<double>(array, first, n, reals, Times{array.scale});
}

void scatterBlock(const bridge_array& array, const bridge_slot& slot, int64_t first, int64_t n,
                  const bridge_argument& block) {
    if (outside(array, n)) return;
    const int64_t columns = slot.columns;
    if (slot.is_int32 && array.is_int32)
        scatter<int32_t, int64_t>(array, first, n, block, columns, Plain{});
    else if (slot.is_int32) scatter<double, int64_t>(array, first, n, block, columns, Plain{});
    else if (array.scale == 1.0)
        scatter<double, double>(array, first, n, block, columns, Plain{});
    else scatter<double, double>(array, first, n, block, columns, Over{array.scale});
}

bool inPlace(const bridge_array& array, const bridge_slot& slot, int64_t first, int64_t n,
             bridge_argument& place) {
    const bridge_box& box = array.box;
    if (slot.is_int32 || array.is_int32 || array.scale != 1.0 || box.stride[0] != 1 || n % lanes)
        return false;
    const int64_t row = first / box.extent[0];
    const int64_t i = first - row * box.extent[0];
    if (i + n > box.extent[0]) return false; /* whole interiors were merged into one row before */
    const int64_t k = row / box.extent[1], j = row - k * box.extent[1];
    auto* base = static_cast<double*>(array.address);
    place.base = reinterpret_cast<char*>(base + box.offset + i + j * box.stride[1] +
                                         k * box.stride[2]);
    place.vector_stride = lanes * 8;
    place.column_stride = box.data_stride * 8;
    return true;
}

}  // namespace BRIDGE_NAMESPACE

using namespace BRIDGE_NAMESPACE;

extern "C" __attribute__((visibility("default"))) int
bridge_cpu_pack(const bridge_array* source, int64_t first, int64_t n, void* view,
                int64_t view_stride, int view_is_int32, int threads) {
    if (outside(*source, n)) return 0;
    const unsigned control = _mm_getcsr();
    _mm_setcsr(0x1f80);
    dispatch<true>(*source, first, n, view, view_stride, view_is_int32 != 0, threads);
    _mm_setcsr(control);
    return 0;
}

extern "C" __attribute__((visibility("default"))) int
bridge_cpu_unpack(const bridge_array* target, int64_t first, int64_t n, const void* view,
                  int64_t view_stride, int view_is_int32, int threads) {
    if (outside(*target, n)) return 0;
    const unsigned control = _mm_getcsr();
    _mm_setcsr(0x1f80);
    dispatch<false>(*target, first, n, const_cast<void*>(view), view_stride, view_is_int32 != 0,
                    threads);
    _mm_setcsr(control);
    return 0;
}
