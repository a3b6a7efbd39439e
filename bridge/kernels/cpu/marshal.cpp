/* Copies between the caller's arrays and memory that kernels read.
 *
 * An array's interior is a box; its points are numbered x fastest. Everything here first cuts a
 * range of points into runs along x (one run when the interior is contiguous), then copies runs:
 * whole rows where a component is contiguous along x, transposed squares where a point's
 * components are.
 */
#include "marshal.h"

#include "environment.h"

#include "lanes.h"
#include "width.h"

#include <algorithm>
#include <immintrin.h>
#include <type_traits>

namespace BRIDGE_NAMESPACE {
namespace {

constexpr int64_t lanes = BRIDGE_LANES; /* of a register */
constexpr int64_t width = BRIDGE_WIDTH; /* of a vector in a block */
template <class T> constexpr bool isDouble = std::is_same_v<T, double>;
constexpr int64_t ahead = 8192; /* bytes: arrays are read and written row by row, across pages, and
                                 * the processor foresees neither; views are in its caches */
constexpr int64_t share = 64; /* points; threads take multiples of it */
constexpr int64_t worthAThread = 32768; /* elements; below two of them one thread is faster */

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

/* ---- One element, one vector ------------------------------------------------------------------ */

/* On its way in (times scale) or out (divided by it); integers are never scaled. */
struct Plain {
    template <class To, class From> To one(From x) const { return static_cast<To>(x); }
    Lanes all(Lanes x) const { return x; }
};
struct Times {
    double scale;
    template <class To, class From> To one(From x) const { return static_cast<To>(x * scale); }
    Lanes all(Lanes x) const { return x * scale; }
};
struct Over {
    double scale;
    template <class To, class From> To one(From x) const { return static_cast<To>(x / scale); }
    Lanes all(Lanes x) const { return x / scale; }
};

#if BRIDGE_LANES == 8
inline __mmask8 firstLanes(int64_t count) { return static_cast<__mmask8>((1u << count) - 1); }
#endif

/* The first `count` lanes from memory, the others zero; and back, the others untouched. */
inline Lanes loadPart(const double* from, int64_t count) {
    if (count == lanes) return loadLanes(from);
#if BRIDGE_LANES == 8
    return Lanes(DoubleVector(_mm512_maskz_loadu_pd(firstLanes(count), from)));
#else
    Lanes x = 0.0;
    for (int64_t l = 0; l < count; ++l) x.v[l] = from[l];
    return x;
#endif
}
inline void storePart(double* to, Lanes x, int64_t count) {
    if (count == lanes) return store(to, x);
#if BRIDGE_LANES == 8
    _mm512_mask_storeu_pd(to, firstLanes(count), __m512d(x.v));
#else
    for (int64_t l = 0; l < count; ++l) to[l] = x.v[l];
#endif
}

/* Inlined always: gcc takes a function that only prefetches for one that does nothing. */
BRIDGE_INLINE void willRead(const void* p) {
    __builtin_prefetch(static_cast<const char*>(p) + ahead, 0, 3);
}
BRIDGE_INLINE void willWrite(const void* p) {
    /* the builtin is a read where the instruction set does not promise this one; a processor that
     * lacks it does nothing */
    asm volatile("prefetchw %0" : : "m"(*(static_cast<const char*>(p) + ahead)));
}

/* `count` neighbours, at most a vector of them. */
template <class To, class From, class Op>
inline void movePart(const From* from, To* to, int64_t count, Op op) {
    if constexpr (isDouble<To> && isDouble<From>)
        storePart(to, op.all(loadPart(from, count)), count);
    else if (count == lanes)
        for (int64_t l = 0; l < lanes; ++l) to[l] = op.template one<To>(from[l]);
    else
        for (int64_t l = 0; l < count; ++l) to[l] = op.template one<To>(from[l]);
}

/* A square of values, one component per row after transpose() and one point per row before, or
 * the other way round. The loops are unrolled so that rows are registers. */
struct Tile {
    Lanes row[lanes];

    /* Swap the off-diagonal halves of squares of 2 step by 2 step, for all steps. */
    template <int64_t step = 1> BRIDGE_INLINE void transpose() {
        IntegerVector low, high; /* lanes of the upper and of the lower row afterwards */
#pragma GCC unroll 8
        for (int64_t l = 0; l < lanes; ++l) {
            low[l] = l & step ? l - step + lanes : l;
            high[l] = l & step ? l + lanes : l + step;
        }
#pragma GCC unroll 8
        for (int64_t r = 0; r < lanes; ++r) {
            if (r & step) continue;
            const DoubleVector a = row[r].v, b = row[r + step].v;
            row[r].v = __builtin_shuffle(a, b, low);
            row[r + step].v = __builtin_shuffle(a, b, high);
        }
        if constexpr (2 * step < lanes) transpose<2 * step>();
    }
};

/* A register's points, `wide` components: from where a point's components are neighbours to where
 * a component's points are, and back; the strides lead to the next point, the next component. */
template <class Op>
BRIDGE_INLINE void turnIn(const double* from, int64_t along, double* to, int64_t across,
                          int64_t wide, Op op) {
    Tile tile;
#pragma GCC unroll 8
    for (int64_t p = 0; p < lanes; ++p) {
        willRead(from + p * along);
        tile.row[p] = loadPart(from + p * along, wide);
    }
    tile.transpose();
#pragma GCC unroll 8
    for (int64_t k = 0; k < lanes; ++k)
        if (k < wide) store(to + k * across, op.all(tile.row[k]));
}
template <class Op>
BRIDGE_INLINE void turnOut(const double* from, int64_t across, double* to, int64_t along,
                           int64_t wide, Op op) {
    Tile tile;
#pragma GCC unroll 8
    for (int64_t k = 0; k < lanes; ++k)
        tile.row[k] = k < wide ? loadLanes(from + k * across) : Lanes(0.0);
    tile.transpose();
#pragma GCC unroll 8
    for (int64_t p = 0; p < lanes; ++p) {
        willWrite(to + p * along);
        storePart(to + p * along, op.all(tile.row[p]), wide);
    }
}

/* Up to a register of points with all their components, as a whole or one by one. */
template <bool inward, class A, class V, class Op>
void turn(A* array, int64_t along, int64_t across, V* view, int64_t viewStride, int64_t points,
          int64_t columns, Op op) {
    if constexpr (isDouble<A> && isDouble<V>) {
        if (across == 1 && points == lanes) {
            int64_t c = 0;
            for (; c + lanes <= columns; c += lanes)
                if constexpr (inward)
                    turnIn(array + c, along, view + c * viewStride, viewStride, lanes, op);
                else turnOut(view + c * viewStride, viewStride, array + c, along, lanes, op);
            if (c == columns) return;
            if constexpr (inward)
                turnIn(array + c, along, view + c * viewStride, viewStride, columns - c, op);
            else turnOut(view + c * viewStride, viewStride, array + c, along, columns - c, op);
            return;
        }
    }
    for (int64_t l = 0; l < points; ++l)
        for (int64_t c = 0; c < columns; ++c) {
            auto& outer = array[l * along + c * across];
            auto& inner = view[c * viewStride + l];
            if constexpr (inward) inner = op.template one<V>(outer);
            else outer = op.template one<A>(inner);
        }
}

/* ---- Array <-> block of a slot, [vector][column][lane] ----------------------------------------- */

/* f(point of the run, vector and lane of the block, points): one call for each register that a
 * run meets; between its ragged ends the number of points is known to the compiler. */
template <class F> void forEachRegister(int64_t point, int64_t length, F f) {
    const auto call = [&](int64_t p, auto count) {
        f(p, (point + p) / width, (point + p) % width, count);
    };
    int64_t p = std::min((lanes - point % lanes) % lanes, length);
    if (p) call(0, p);
    for (; p + lanes <= length; p += lanes) call(p, std::integral_constant<int64_t, lanes>{});
    if (p < length) call(p, length - p);
}

template <class M, class S, class Op>
void gather(const bridge_array& array, int64_t first, int64_t n, S* block, int64_t columns,
            Op op) {
    const M* base = static_cast<const M*>(array.address);
    const int64_t along = array.box.stride[0], across = array.box.data_stride;
    forEachRun(array.box, first, n, [&](int64_t offset, int64_t point, int64_t length) {
        const M* source = base + offset;
        if (along == 1) {
            for (int64_t c = 0; c < columns; ++c)
                forEachRegister(point, length, [&](int64_t p, int64_t v, int64_t lane, auto count) {
                    movePart(source + c * across + p, block + (v * columns + c) * width + lane,
                             count, op);
                });
            return;
        }
        forEachRegister(point, length, [&](int64_t p, int64_t v, int64_t lane, auto count) {
            turn<true>(source + p * along, along, across, block + v * columns * width + lane, width,
                       count, columns, op);
        });
    });
    if (n % width == 0) return;
    S* last = block + n / width * columns * width; /* no scalar tail anywhere: the last vector */
    for (int64_t c = 0; c < columns; ++c)          /* repeats its last point */
        for (int64_t l = n % width; l < width; ++l)
            last[c * width + l] = last[c * width + n % width - 1];
}

template <class M, class S, class Op>
void scatter(const bridge_array& array, int64_t first, int64_t n, const bridge_argument& block,
             int64_t columns, Op op) {
    M* base = static_cast<M*>(array.address);
    const int64_t along = array.box.stride[0], across = array.box.data_stride;
    const int64_t step = block.column_stride / static_cast<int64_t>(sizeof(S));
    const auto vector = [&](int64_t v) {
        return reinterpret_cast<const S*>(block.base + v * block.vector_stride);
    };
    forEachRun(array.box, first, n, [&](int64_t offset, int64_t point, int64_t length) {
        M* target = base + offset;
        if (along == 1) {
            for (int64_t c = 0; c < columns; ++c)
                forEachRegister(point, length, [&](int64_t p, int64_t v, int64_t lane, auto count) {
                    movePart(vector(v) + c * step + lane, target + c * across + p, count, op);
                });
            return;
        }
        forEachRegister(point, length, [&](int64_t p, int64_t v, int64_t lane, auto count) {
            turn<false>(target + p * along, along, across, vector(v) + lane, step, count, columns,
                        op);
        });
    });
}

/* ---- Array <-> flat view ----------------------------------------------------------------------- */

template <bool inward, class To, class From, class Op>
void moveRow(const From* from, To* to, int64_t length, Op op) {
    int64_t p = 0;
#pragma GCC unroll 4
    for (; p + lanes <= length; p += lanes) {
        if (inward) willRead(from + p);
        else willWrite(to + p);
        movePart(from + p, to + p, lanes, op);
    }
    if (p < length) movePart(from + p, to + p, length - p, op);
}

/* Array -> flat view (inward) or flat view -> array. A is the array's type, V the view's. */
template <bool inward, class A, class V, class Op>
void transfer(const bridge_array& array, int64_t first, int64_t n, V* view, int64_t viewStride,
              Op op) {
    A* base = static_cast<A*>(array.address);
    const int64_t along = array.box.stride[0], across = array.box.data_stride;
    const int64_t columns = array.columns;
    if (along == 1) {
        for (int64_t c = 0; c < columns; ++c)
            forEachRun(array.box, first, n, [&](int64_t offset, int64_t point, int64_t length) {
                A* a = base + offset + c * across;
                V* v = view + c * viewStride + point;
                if constexpr (inward) moveRow<true>(a, v, length, op);
                else moveRow<false>(v, a, length, op);
            });
        return;
    }
    forEachRun(array.box, first, n, [&](int64_t offset, int64_t point, int64_t length) {
        for (int64_t p = 0; p < length; p += lanes)
            turn<inward>(base + offset + p * along, along, across, view + point + p, viewStride,
                         std::min(lanes, length - p), columns, op);
    });
}

/* The same, shared out among threads. */
template <bool inward, class A, class V, class Op>
void transferAll(const bridge_array& array, int64_t first, int64_t n, V* view, int64_t viewStride,
                 int threads, Op op) {
    threads = static_cast<int>(std::min<int64_t>(threads, n * array.columns / worthAThread));
    if (threads <= 1) {
        transfer<inward, A, V>(array, first, n, view, viewStride, op);
        return;
    }
    const int64_t part = ((n + threads - 1) / threads + share - 1) / share * share;
    const HostEnvironment inherited;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; ++t) {
        const int64_t begin = t * part, length = std::min(part, n - begin);
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
    auto* reals = reinterpret_cast<double*>(block);
    auto* integers = reinterpret_cast<int64_t*>(block);
    const int64_t columns = slot.columns;
    if (slot.is_int32 && array.is_int32)
        gather<int32_t>(array, first, n, integers, columns, Plain{});
    else if (slot.is_int32) gather<double>(array, first, n, integers, columns, Plain{});
    else if (array.scale == 1.0) gather<double>(array, first, n, reals, columns, Plain{});
    else gather<double>(array, first, n, reals, columns, Times{array.scale});
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
    if (slot.is_int32 || array.is_int32 || array.scale != 1.0 || box.stride[0] != 1 || n % width)
        return false;
    const int64_t row = first / box.extent[0];
    const int64_t i = first - row * box.extent[0];
    if (i + n > box.extent[0]) return false; /* whole interiors were merged into one row before */
    const int64_t k = row / box.extent[1], j = row - k * box.extent[1];
    auto* base = static_cast<double*>(array.address);
    place.base = reinterpret_cast<char*>(base + box.offset + i + j * box.stride[1] +
                                         k * box.stride[2]);
    place.vector_stride = width * 8;
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
