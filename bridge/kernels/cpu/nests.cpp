/* Runs a nest: its rows are shared out among threads, and each goes over its own from the first to the
 * last. Internal to a kernel library; the nests are those of kernel packs.
 *
 * A nest finds each argument in rows of reals or integers, or in records of them: of doubles, or of
 * real(4) where its kernels compute in single precision. Of arguments that lie otherwise, pieces of rows
 * are copied to memory of the thread, as the nest wants them, and back; so are those of all where a piece
 * has fewer points than a register, and the nest has no such form.
 */
#include "copy.h"
#include "environment.h"
#include "interface.h"
#include "scratch.h"
#include "sharing.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace BRIDGE_NAMESPACE {
namespace {

/* What a nest's copies may take of a core's caches, bytes; the most rows of a piece. */
constexpr int64_t room = 48 * 1024, mostRows = 16;

thread_local Growing threadRows;

/* Points of a register. */
int64_t lanesOf(const bridge_nest& nest) { return nest.singles ? 2 * lanes : lanes; }

/* Points first .. first+points-1 of rows of one plane; row: of the first one, among those of all
 * planes. */
struct NestPiece {
    int64_t row, rows, first, points;
};

char* placeOf(const bridge_nest& nest, const bridge_nest_array& array, const NestPiece& piece) {
    const int64_t ofPlane = nest.extent[1], plane = piece.row / ofPlane;
    return array.address + piece.first * array.stride[0] +
           (piece.row - plane * ofPlane) * array.stride[1] + plane * array.stride[2];
}

/* f(begin, end) of those points of a piece's r-th row that count and follow each other: all, or those
 * where the mask is not 0. */
template <class F>
void forEachRun(const bridge_nest& nest, const NestPiece& piece, int64_t r, F f) {
    if (!nest.mask) return f(int64_t{0}, piece.points);
    const char* row = placeOf(nest, *nest.mask, piece) + r * nest.mask->stride[1];
    const auto counts = [&](int64_t p) {
        return *reinterpret_cast<const int32_t*>(row + p * nest.mask->stride[0]) != 0;
    };
    for (int64_t p = 0; p < piece.points;) {
        while (p < piece.points && !counts(p)) ++p;
        const int64_t begin = p;
        while (p < piece.points && counts(p)) ++p;
        if (begin < p) f(begin, p);
    }
}

/* A number as kernels of single precision take it. One that is too large becomes an infinity, as in
 * the executor. */
struct Rounded {
    double scale;
    template <class To, class From> To one(From x) const { return static_cast<To>(x * scale); }
};

/* An argument's piece in memory of the thread, with what is read around its points: rows along x, one
 * after the other along y, then along z. Where neighbours are no points of the same rows, or no such
 * rows, a piece has further ones for these. */
class Copy {
public:
    Copy(const bridge_nest& n, const bridge_nest_array& a, int64_t points, int64_t rows)
        : nest(n), array(a), size(a.type == BRIDGE_INT32 || n.singles ? 4 : 8) {
        for (int axis = 0; axis < 3; ++axis) {
            const int64_t beside = a.high[axis] - a.low[axis];
            const bool same = axis < 2 && a.stride[axis] == a.axis[axis];
            longer[axis] = same ? beside : 0;
            times[axis] = same ? 1 : 1 + beside;
        }
        length = points + longer[0];
        height = rows + longer[1];
        step = size * a.together;
        allRows = times[2] * times[1] * height * times[0];
    }
    int64_t bytes() const { return (allRows * length * array.columns * size + 63) / 64 * 64; }
    /* The same argument as the nest finds it. */
    bridge_nest_array seen(char* place, const NestPiece& piece) const {
        bridge_nest_array found = array;
        const int64_t row = length * step, next = times[0] * row, plane = height * next;
        found.axis[0] = times[0] > 1 ? row : step;
        found.axis[1] = times[1] > 1 ? plane : next;
        found.axis[2] = times[1] * plane;
        found.column_stride = array.together > 1 ? size : allRows * row;
        found.stride[0] = found.stride[2] = 0;
        found.stride[1] = next;
        found.address = place - piece.row % nest.extent[1] * next;
        for (int axis = 0; axis < 3; ++axis) found.address -= array.low[axis] * found.axis[axis];
        return found;
    }
    /* What is read at points of the piece and around them; the last points of its rows once more, up
     * to `padded` points. */
    void bring(const NestPiece& piece, char* place, int64_t padded) const {
        if (!array.input) return;
        const int64_t points = piece.points + longer[0], rows = piece.rows + longer[1];
        const char* from = placeOf(nest, array, piece);
        for (int axis = 0; axis < 3; ++axis) from += array.low[axis] * array.axis[axis];
        for (int64_t z = 0; z < times[2]; ++z)
            for (int64_t y = 0; y < times[1]; ++y)
                for (int64_t r = 0; r < rows; ++r)
                    for (int64_t x = 0; x < times[0]; ++x) {
                        const int64_t n = ((z * times[1] + y) * height + r) * times[0] + x;
                        char* to = place + n * length * step;
                        copyRow<true>(const_cast<char*>(from) + x * array.axis[0] +
                                          y * array.axis[1] + r * array.stride[1] +
                                          z * array.axis[2],
                                      to, points);
                        pad(to, points, padded - piece.points);
                    }
    }
    /* What was made of points that count. */
    void take(const NestPiece& piece, char* place) const {
        if (!array.output) return;
        for (int64_t r = 0; r < piece.rows; ++r) {
            char *to = placeOf(nest, array, piece) + r * array.stride[1],
                 *from = place + r * length * step;
            forEachRun(nest, piece, r, [&](int64_t begin, int64_t end) {
                copyRow<false>(to + begin * array.stride[0], from + begin * step, end - begin);
            });
        }
    }

private:
    const bridge_nest& nest;
    const bridge_nest_array& array;
    int64_t size, step;
    int64_t longer[3], times[3]; /* by how much a row, a plane is longer for what is read around
                                      * it; how often it is there for that */
    int64_t length, height, allRows; /* points of a row; rows of a plane; rows */

    template <bool inward> void copyRow(char* outside, char* inside, int64_t points) const {
        if (array.type == BRIDGE_INT32)
            copyElements<inward, int32_t, int32_t>(outside, inside, points, Plain{});
        else if (nest.singles)
            copyReals<inward, float>(outside, inside, points);
        else
            copyReals<inward, double>(outside, inside, points);
    }
    template <bool inward, class Inner>
    void copyReals(char* outside, char* inside, int64_t points) const {
        if (array.type == BRIDGE_FLOAT32)
            scaled<inward, float, Inner>(outside, inside, points);
        else
            scaled<inward, double, Inner>(outside, inside, points);
    }
    template <bool inward, class Outer, class Inner>
    void scaled(char* outside, char* inside, int64_t points) const {
        if constexpr (inward && !isDouble<Inner>)
            copyElements<inward, Outer, Inner>(outside, inside, points, Rounded{array.scale});
        else if (array.scale == 1.0)
            copyElements<inward, Outer, Inner>(outside, inside, points, Plain{});
        else if (inward)
            copyElements<inward, Outer, Inner>(outside, inside, points, Times{array.scale});
        else
            copyElements<inward, Outer, Inner>(outside, inside, points, Over{array.scale});
    }
    /* To a row in memory of the thread, and back. */
    template <bool inward, class Outer, class Inner, class Op>
    void copyElements(char* outside, char* inside, int64_t points, Op op) const {
        constexpr int64_t item = sizeof(Outer);
        auto* outer = reinterpret_cast<Outer*>(outside);
        auto* inner = reinterpret_cast<Inner*>(inside);
        const int64_t next = array.stride[0] / item, component = array.column_stride / item;
        const int64_t columns = array.columns, apart = allRows * length;
        if (array.together > 1 && component == 1 && next == columns)
            return copyNeighbours<inward>(outer, inner, points * columns, op);
        if (array.together > 1 && component == 1)
            for (int64_t p = 0; p < points; ++p)
                copyNeighbours<inward>(outer + p * next, inner + p * columns, columns, op);
        else if (array.together > 1)
            for (int64_t p = 0; p < points; ++p)
                turn<inward>(outer + p * next, component, 0, inner + p * columns, 0, columns, 1,
                             op);
        else if (next == 1)
            for (int64_t c = 0; c < columns; ++c)
                copyNeighbours<inward>(outer + c * component, inner + c * apart, points, op);
        else
            for (int64_t p = 0; p < points; p += lanes)
                turn<inward>(outer + p * next, next, component, inner + p, apart,
                             std::min(lanes, points - p), columns, op);
    }
    /* Elements that follow each other on both sides; the last register ends with them. */
    template <bool inward, class Outer, class Inner, class Op>
    static void copyNeighbours(Outer* outer, Inner* inner, int64_t n, Op op) {
        const auto some = [&](int64_t at, auto count) BRIDGE_INLINED {
            if constexpr (inward)
                movePart(outer + at, inner + at, count, op);
            else
                movePart(inner + at, outer + at, count, op);
        };
        if (n < lanes) return some(0, n);
        for (int64_t i = 0; i < n; i += lanes) some(std::min(i, n - lanes), Known<lanes>{});
    }
    /* The last point of a row `beyond` times more. */
    void pad(char* row, int64_t points, int64_t beyond) const {
        if (beyond <= 0) return;
        const int64_t together = array.together, apart = allRows * length * step;
        for (int64_t c = 0; c < (together > 1 ? 1 : array.columns); ++c)
            for (int64_t p = points; p < points + beyond; ++p)
                std::memcpy(row + c * apart + p * step, row + c * apart + (points - 1) * step,
                            static_cast<size_t>(step));
    }
};

/* A nest on pieces of rows of which some arguments, or all, are copied. */
class CopiedNest {
public:
    CopiedNest(const bridge_nest& n, bool every) : nest(n), all(every), points(lanesOf(n)) {
        const int64_t registers = (nest.extent[0] + points - 1) / points;
        const int64_t fitting = room / std::max<int64_t>(bytes(), 1);
        points *= std::min(registers, std::max<int64_t>(fitting, 2));
        if (points >= nest.extent[0])
            rows = std::clamp<int64_t>(room / std::max<int64_t>(bytes(), 1), 1, mostRows);
    }
    /* False where there is no memory. */
    bool reserve() {
        const int64_t head = nest.n_arrays * int64_t{sizeof(bridge_nest_array)};
        if (!threadRows.reserve(bytes() + head)) return false;
        memory = threadRows.get();
        arrays = reinterpret_cast<bridge_nest_array*>(memory + bytes());
        std::copy_n(nest.arrays, nest.n_arrays, arrays);
        return true;
    }
    void goOver(NestPiece whole) const {
        const int64_t last = whole.row + whole.rows;
        for (NestPiece piece = whole; piece.row < last; piece.row += piece.rows) {
            const int64_t ofPlane = nest.extent[1];
            piece.rows = std::min({rows, last - piece.row, ofPlane - piece.row % ofPlane});
            piece.first = whole.first;
            for (int64_t left = whole.points; left > 0; piece.first += piece.points) {
                piece.points = std::min(points, left);
                left -= piece.points;
                if (left > 0 && left < lanesOf(nest)) {
                    piece.points -= lanesOf(nest);
                    left += lanesOf(nest);
                }
                run(piece);
            }
        }
    }

private:
    const bridge_nest& nest;
    const bool all;
    int64_t points, rows = 1; /* of a piece */
    char* memory = nullptr;
    bridge_nest_array* arrays = nullptr;

    /* f(number of an argument, its copy, at which byte), of those that are copied; their bytes. */
    template <class F> int64_t each(F f) const {
        int64_t at = 0;
        for (int64_t k = 0; k < nest.n_arrays; ++k) {
            const bridge_nest_array& array = nest.arrays[k];
            if (!array.address || array.constant || !(all || array.copied)) continue;
            const Copy copy(nest, array, points, rows);
            f(k, copy, at);
            at += copy.bytes();
        }
        return at;
    }
    int64_t bytes() const {
        return each([](int64_t, const Copy&, int64_t) {});
    }
    void run(const NestPiece& piece) const {
        bool some = false;
        for (int64_t r = 0; r < piece.rows && !some; ++r)
            forEachRun(nest, piece, r, [&](int64_t, int64_t) { some = true; });
        if (!some) return;
        const int64_t padded = std::max(piece.points, lanesOf(nest));
        each([&](int64_t k, const Copy& copy, int64_t at) {
            arrays[k] = copy.seen(memory + at, piece);
            copy.bring(piece, memory + at, padded);
        });
        const bridge_nest_rows part{nest.extent[1], piece.row, piece.rows, piece.first, padded};
        nest.kernel(nest.shared, arrays, nest.tables, &part);
        each([&](int64_t, const Copy& copy, int64_t at) { copy.take(piece, memory + at); });
    }
};

bool anyCopied(const bridge_nest& nest) {
    return std::any_of(nest.arrays, nest.arrays + nest.n_arrays,
                       [](const bridge_nest_array& array) { return array.copied != 0; });
}

/* Points first .. last-1, row after row; those of rows that begin or end within come by themselves.
 * False where there is no memory. */
bool goOver(const bridge_nest& nest, int64_t first, int64_t last, bool copied) {
    const int64_t length = nest.extent[0];
    while (first < last) {
        const int64_t row = first / length, i = first - row * length;
        const int64_t points = std::min(length - i, last - first);
        const int64_t rows = points == length ? (last - first) / length : 1;
        const bool few = points < lanesOf(nest);
        const bridge_nest_kernel fitting = few ? nest.few : nest.kernel;
        if (copied || !fitting) {
            CopiedNest some(nest, few);
            if (!some.reserve()) return false;
            some.goOver({row, rows, i, points});
        } else {
            const bridge_nest_rows whole{nest.extent[1], row, rows, i, points};
            fitting(nest.shared, nest.arrays, nest.tables, &whole);
        }
        first += rows * points;
    }
    return true;
}

/* Where a thread begins that would begin at this point: at a whole register, counted from the beginning
 * of the row, with a register at least to its end. */
int64_t cutAt(const bridge_nest& nest, int64_t point) {
    const int64_t length = nest.extent[0], together = lanesOf(nest);
    const int64_t i = point % length;
    const int64_t at = std::min(i, std::max<int64_t>(length - together, 0));
    return point - i + at - at % together;
}

/* A part's points in rows begin .. end-1 of the series. False where there is no memory. */
bool goOverRows(const bridge_series& series, const bridge_series_part& part, int64_t begin,
                int64_t end) {
    const int64_t ofPlane = series.of_plane;
    const bool copied = anyCopied(*part.nest);
    begin = std::max(begin, part.first[1] * ofPlane);
    end = std::min(end, (part.first[1] + part.planes) * ofPlane);
    int64_t first = 0, last = 0; /* points that follow each other, over planes too */
    for (int64_t row = begin, next = 0; row < end; row = next) {
        const int64_t plane = row / ofPlane, y = row - plane * ofPlane - part.first[0];
        next = std::min(end, (plane + 1) * ofPlane);
        const int64_t low = std::max<int64_t>(y, 0), high = std::min(y + next - row, part.rows);
        if (low >= high) continue;
        const int64_t above = (plane - part.first[1]) * part.rows;
        if (last != (above + low) * part.row) {
            if (!goOver(*part.nest, first, last, copied)) return false;
            first = (above + low) * part.row;
        }
        last = (above + high) * part.row;
    }
    return goOver(*part.nest, first, last, copied);
}

/* A thread's rows begin .. end-1 of the series, piece by piece: of each part those that many behind. What
 * parts need of rows of other threads is left to `goOverBorder`. */
bool goOverShare(const bridge_series& series, int64_t begin, int64_t end) {
    const int64_t behind = series.parts[series.n_parts - 1].behind;
    const int64_t last = end == series.rows ? end + behind : end;
    for (int64_t row = begin; row < last; row += series.piece)
        for (int64_t k = 0; k < series.n_parts; ++k) {
            const bridge_series_part& part = series.parts[k];
            const int64_t first = std::max(row - part.behind, begin ? begin + part.above : 0);
            const int64_t next = std::min(row + series.piece, last) - part.behind;
            if (!goOverRows(series, part, first, next)) return false;
        }
    return true;
}

/* What is left around the first row of a thread, once all threads have gone over their rows. */
bool goOverBorder(const bridge_series& series, int64_t row) {
    for (int64_t k = 0; k < series.n_parts; ++k) {
        const bridge_series_part& part = series.parts[k];
        if (!goOverRows(series, part, row - part.behind, row + part.above)) return false;
    }
    return true;
}

}  // namespace
}  // namespace BRIDGE_NAMESPACE

using namespace BRIDGE_NAMESPACE;

extern "C" __attribute__((visibility("default"))) int bridge_cpu_run_nest(const bridge_nest* nest,
                                                                          int64_t first, int64_t n,
                                                                          int threads) {
    if (n <= 0) return 0;
    threads = static_cast<int>(std::clamp<int64_t>(n / nest->share, 1, std::max(threads, 1)));
    const int64_t row = nest->extent[0];
    Region region(*nest->sharing, n, threads);
    threads = region.count();
    const bool copied = anyCopied(*nest), whole = n / row >= 8 * threads;
    const auto begin = [&](int t) {
        if (t == 0 || t == threads) return first + (t ? n : 0);
        const int64_t point = first + n / threads * t;
        return std::max(first, whole ? point / row * row : cutAt(*nest, point));
    };
    std::atomic<int> failed{0};
    region.each([&](int t) {
        const DefaultFloatingPoint environment;
        if (!goOver(*nest, begin(t), begin(t + 1), copied)) failed = BRIDGE_CPU_NO_MEMORY;
    });
    return failed;
}

extern "C" __attribute__((visibility("default"))) int bridge_cpu_run_series(
    const bridge_series* series, int64_t, int64_t rows, int threads) {
    const bridge_series_part& last = series->parts[series->n_parts - 1];
    const int64_t around = last.behind + last.above;
    threads = static_cast<int>(std::clamp<int64_t>(rows / series->share, 1, std::max(threads, 1)));
    Region region(*series->sharing, rows, threads);
    region.limit(rows / std::max<int64_t>(around, 1));
    threads = region.count();
    const auto begin = [&](int t) { return t == threads ? rows : rows / threads * t; };
    std::atomic<int> failed{0};
    region.each([&](int t) {
        const DefaultFloatingPoint environment;
        if (!goOverShare(*series, begin(t), begin(t + 1))) failed = BRIDGE_CPU_NO_MEMORY;
    });
    if (around > 0 && threads > 1 && !failed)
        region.each([&](int t) {
            const DefaultFloatingPoint environment;
            if (t > 0 && !goOverBorder(*series, begin(t))) failed = BRIDGE_CPU_NO_MEMORY;
        });
    return failed;
}
