/* Copies between the caller's arrays and flat views: stripes.
 *
 * A range of points is cut into runs along x (one run when the interior is contiguous), then runs
 * are copied: rows where a component is contiguous along x, transposed squares where a point's
 * components are.
 */
#include "copy.h"

#include "sharing.h"

#include <xmmintrin.h>

#include <cstring>

namespace BRIDGE_NAMESPACE {
namespace {

constexpr int64_t share = 64;           /* points; threads take multiples of it */
constexpr int64_t worthAThread = 32768; /* elements; below two of them one thread is faster */

/* ---- Array <-> flat view ----------------------------------------------------------------------- */

template <bool inward, class To, class From, class Op>
void moveRow(const From* from, To* to, int64_t length, Op op) {
    int64_t p = 0;
#pragma GCC unroll 4
    for (; p + lanes <= length; p += lanes) {
        if (inward)
            willRead(from + p);
        else
            willWrite(to + p);
        movePart(from + p, to + p, lanes, op);
    }
    if (p < length) movePart(from + p, to + p, length - p, op);
}

/* Array -> flat view (inward) or flat view -> array. A is the array's type, V the view's. */
template <bool inward, class A, class V, class Op>
void transfer(const bridge_array& array, int64_t first, int64_t n, V* view, int64_t viewStride,
              Op op) {
    A* base = static_cast<A*>(array.address);
    const int64_t along = array.box.stride[0];
    const int64_t columns = array.columns;
    if (along == 1) {
        for (int64_t c = 0; c < columns; ++c)
            forEachRunOf(
                array, first, n,
                [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length) {
                    A* a = base + offset + c * box.data_stride;
                    V* v = view + c * viewStride + point;
                    if constexpr (inward)
                        moveRow<true>(a, v, length, op);
                    else
                        moveRow<false>(v, a, length, op);
                });
        return;
    }
    forEachRunOf(array, first, n,
                 [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length) {
                     const int64_t across = box.data_stride;
                     for (int64_t p = 0; p < length; p += lanes)
                         turn<inward>(base + offset + p * along, along, across, view + point + p,
                                      viewStride, std::min(lanes, length - p), columns, op);
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
    static bridge_sharing sharing;
    Region region(sharing, n * array.columns, threads);
    threads = region.count();
    const int64_t part = ((n + threads - 1) / threads + share - 1) / share * share;
    region.each([&](int t) {
        const int64_t begin = t * part, length = std::min(part, n - begin);
        const unsigned control = _mm_getcsr();
        _mm_setcsr(0x1f80); /* as FE_DFL_ENV: a copied signalling NaN must not trap */
        if (length > 0)
            transfer<inward, A, V>(array, first + begin, length, view + begin, viewStride, op);
        _mm_setcsr(control);
    });
}

template <bool inward>
void dispatch(const bridge_array& array, int64_t first, int64_t n, void* view, int64_t viewStride,
              bool viewIsInteger, int threads) {
    auto* reals = static_cast<double*>(view);
    auto* integers = static_cast<int32_t*>(view);
    const auto go = [&](auto op) {
        const auto move = [&](auto element, auto* to, auto how) {
            using A = decltype(element);
            transferAll<inward, A>(array, first, n, to, viewStride, threads, how);
        };
        const auto from = [&](auto element) {
            if (viewIsInteger)
                move(element, integers, Plain{});
            else
                move(element, reals, op);
        };
        if (array.type == BRIDGE_INT32)
            from(int32_t{});
        else if (array.type == BRIDGE_FLOAT32)
            from(float{});
        else
            from(double{});
    };
    if (array.scale == 1.0)
        go(Plain{});
    else if (inward)
        go(Times{array.scale});
    else
        go(Over{array.scale});
}

bool outside(const bridge_array& array, int64_t n) { return n <= 0 || array.columns <= 0; }

}  // namespace

}  // namespace BRIDGE_NAMESPACE

using namespace BRIDGE_NAMESPACE;

extern "C" __attribute__((visibility("default"))) int bridge_cpu_pack(
    const bridge_array* source, int64_t first, int64_t n, void* view, int64_t view_stride,
    int view_is_int32, int threads) {
    if (outside(*source, n)) return 0;
    const unsigned control = _mm_getcsr();
    _mm_setcsr(0x1f80);
    dispatch<true>(*source, first, n, view, view_stride, view_is_int32 != 0, threads);
    _mm_setcsr(control);
    return 0;
}

extern "C" __attribute__((visibility("default"))) int bridge_cpu_unpack(
    const bridge_array* target, int64_t first, int64_t n, const void* view, int64_t view_stride,
    int view_is_int32, int threads) {
    if (outside(*target, n)) return 0;
    const unsigned control = _mm_getcsr();
    _mm_setcsr(0x1f80);
    dispatch<false>(*target, first, n, const_cast<void*>(view), view_stride, view_is_int32 != 0,
                    threads);
    _mm_setcsr(control);
    return 0;
}

namespace {

/* Bytes from which on several threads copy faster than one, and that each of them gets. */
constexpr int64_t severalThreads = 1 << 18, threadBytes = 1 << 17;

/* ---- Boxes of arrays <-> a buffer -------------------------------------------------------------- */

/* Rows of the box, `length` elements each, fewer than a copy by the library is worth where the
 * compiler knows their number. */
template <bool inward, int known, class E>
void moveRows(E* array, int64_t across, E* buffer, int64_t length, int64_t rows) {
    for (int64_t j = 0; j < rows; ++j, array += across, buffer += length) {
        E* to = inward ? buffer : array;
        const E* from = inward ? array : buffer;
        if constexpr (known > 0)
            for (int i = 0; i < known; ++i) to[i] = from[i];
        else
            std::memcpy(to, from, static_cast<size_t>(length) * sizeof(E));
    }
}

/* Planes first .. last-1 of a box whose rows are contiguous, counted through all components. */
template <bool inward, class E>
void movePlanes(const bridge_array& array, char* buffer, int64_t first, int64_t last) {
    const bridge_box& box = array.box;
    const int64_t length = box.extent[0], rows = box.extent[1], along = box.stride[1];
    for (int64_t plane = first; plane < last; ++plane) {
        E* a = static_cast<E*>(array.address) + box.offset +
               plane / box.extent[2] * box.data_stride + plane % box.extent[2] * box.stride[2];
        E* b = reinterpret_cast<E*>(buffer) + plane * rows * length;
        if (along == length)
            moveRows<inward, 0>(a, 0, b, rows * length, 1);
        else if (length == 1)
            moveRows<inward, 1>(a, along, b, length, rows);
        else if (length == 2)
            moveRows<inward, 2>(a, along, b, length, rows);
        else if (length == 3)
            moveRows<inward, 3>(a, along, b, length, rows);
        else if (length == 4)
            moveRows<inward, 4>(a, along, b, length, rows);
        else
            moveRows<inward, 0>(a, along, b, length, rows);
    }
}

template <bool inward, class E>
void moveBox(const bridge_array& array, char* buffer, int threads) {
    const int64_t planes = array.box.extent[2] * array.columns;
    const int64_t elements = planes * array.box.extent[1] * array.box.extent[0];
    threads = static_cast<int>(std::min<int64_t>(threads, elements / worthAThread));
    if (threads <= 1) {
        movePlanes<inward, E>(array, buffer, 0, planes);
        return;
    }
    static bridge_sharing sharing;
    Region region(sharing, elements, threads);
    const int64_t part = (planes + region.count() - 1) / region.count();
    region.each([&](int t) {
        movePlanes<inward, E>(array, buffer, std::min(t * part, planes),
                              std::min((t + 1) * part, planes));
    });
}

template <bool inward> int movedBoxes(const bridge_box_list* list, char* buffer, int threads) {
    for (int64_t b = 0; b < list->n; ++b) {
        const bridge_listed_box& box = list->boxes[b];
        const bridge_array& array = box.array;
        const bool integer = array.type == BRIDGE_INT32;
        char* at = buffer + box.at;
        if (array.box.stride[0] != 1 && inward)
            bridge_cpu_pack(&array, 0, box.points, at, box.points, integer, threads);
        else if (array.box.stride[0] != 1)
            bridge_cpu_unpack(&array, 0, box.points, at, box.points, integer, threads);
        else if (integer)
            moveBox<inward, int32_t>(array, at, threads);
        else
            moveBox<inward, double>(array, at, threads);
    }
    return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int bridge_cpu_pack_boxes(
    const bridge_box_list* list, void* buffer, int threads) {
    return movedBoxes<true>(list, static_cast<char*>(buffer), threads);
}

extern "C" __attribute__((visibility("default"))) int bridge_cpu_unpack_boxes(
    const bridge_box_list* list, const void* buffer, int threads) {
    return movedBoxes<false>(list, static_cast<char*>(const_cast<void*>(buffer)), threads);
}

extern "C" __attribute__((visibility("default"))) int bridge_cpu_copy(void* target,
                                                                      const void* source,
                                                                      int64_t bytes, int threads) {
    auto* to = static_cast<char*>(target);
    const auto* from = static_cast<const char*>(source);
    threads = static_cast<int>(std::min<int64_t>(threads, bytes / threadBytes));
    if (threads <= 1 || bytes < severalThreads) {
        std::memcpy(to, from, static_cast<size_t>(bytes));
        return 0;
    }
    static bridge_sharing sharing;
    Region region(sharing, bytes, threads);
    const int64_t part = (bytes + region.count() - 1) / region.count();
    region.each([&](int t) {
        const int64_t begin = std::min(t * part, bytes), length = std::min(part, bytes - begin);
        std::memcpy(to + begin, from + begin, static_cast<size_t>(length));
    });
    return 0;
}
