/* Sum, extremes and "any" over the points of an array, with the same bits on every machine.
 *
 * The order of the additions follows from the number of a point alone, x fastest: groups of 1024
 * neighbours; in a group 32 sums, the l-th of points l, l + 32, ...; these added in halves, 16 to
 * 16, 8 to 8 and on; the sums of groups added to their neighbours, two by two. 32 is what a warp of
 * a GPU has and what fills the registers of any CPU here; backends/gpu/reductionsource.py keeps the
 * same order. No product is contracted with an addition: values come scaled from memory.
 *
 * A NaN makes a sum NaN, and goes before every number in min and max; of equal values the first
 * point counts. A point that a mask blanks adds a zero in its place, and is never chosen.
 *
 * What is reduced may be a measure of each value: its magnitude, its square, or a part of it of which
 * sums are exact. Each step of a measure goes through memory, so that no square is contracted.
 */
#include "copy.h"
#include "scratch.h"
#include "sharing.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <xmmintrin.h>

namespace BRIDGE_NAMESPACE {
namespace {

constexpr int64_t group = BRIDGE_GROUP, parts = BRIDGE_GROUP_LANES, registers = parts / lanes;
constexpr int64_t worthAThread = 131072; /* elements: a megabyte takes some 30 microseconds */
constexpr double wholeNumbers = 9007199254740992.0; /* 2**53 */
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

struct Registers {
    Lanes r[registers];
};

bool isNaN(double x) { return x != x; }

/* Whether b is the result of both, a the one of smaller groups or of none. */
bool before(int operation, const bridge_partial& b, const bridge_partial& a) {
    if (b.point < 0) return false;
    if (a.point < 0) return true;
    if (isNaN(b.value) != isNaN(a.value)) return isNaN(b.value);
    if (!isNaN(b.value) && b.value != a.value)
        return operation == BRIDGE_MIN ? b.value < a.value : b.value > a.value;
    return b.point < a.point;
}

bridge_partial nothing(int operation) {
    if (operation == BRIDGE_MIN) return {infinity, -1};
    if (operation == BRIDGE_MAX) return {-infinity, -1};
    return {0.0, -1};
}

/* ---- The points of a group side by side ------------------------------------------------------- */

template <class A>
void copyColumn(const bridge_array& array, int64_t first, int64_t n, int64_t c, double* to) {
    const A* base = static_cast<const A*>(array.address);
    const int64_t along = array.box.stride[0];
    forEachRunOf(array, first, n,
                 [&](const bridge_box& box, int64_t offset, int64_t point, int64_t length) {
                     const A* from = base + offset + c * box.data_stride;
                     double* here = to + point;
                     if (along == 1)
                         for (int64_t p = 0; p < length; ++p)
                             here[p] = static_cast<double>(from[p]);
                     else
                         for (int64_t p = 0; p < length; ++p)
                             here[p] = static_cast<double>(from[p * along]);
                 });
    if (array.scale != 1.0)
        for (int64_t p = 0; p < n; ++p) to[p] *= array.scale;
}

/* The points of a group that a mask lets count. */
struct Counted {
    bool every = true, some = true;
    int64_t first = 0; /* of those that count */
    bool point[group];
    bool operator[](int64_t p) const { return every || point[p]; }
};

/* A mask is a whole number, in an array of integers or of reals. */
void readMask(const bridge_array* mask, int64_t first, int64_t n, double* buffer,
              Counted& counted) {
    if (mask == nullptr) return;
    if (mask->type == BRIDGE_INT32)
        copyColumn<int32_t>(*mask, first, n, 0, buffer);
    else
        copyColumn<double>(*mask, first, n, 0, buffer);
    counted.every = true;
    counted.first = n;
    for (int64_t p = n; p-- > 0;) {
        counted.point[p] = !(std::fabs(buffer[p]) < 1.0); /* what a run makes an integer of */
        counted.every &= counted.point[p];
        if (counted.point[p]) counted.first = p;
    }
    counted.some = counted.first < n;
}

template <class F> void each(double* values, int64_t n, F f) {
    for (int64_t p = 0; p < n; ++p) values[p] = f(values[p]);
    asm volatile("" ::: "memory");
}

void measured(const bridge_measure& measure, double* values, int64_t n) {
    if (measure.of == BRIDGE_MAGNITUDE) each(values, n, [](double x) { return std::fabs(x); });
    if (measure.of == BRIDGE_SQUARE) each(values, n, [](double x) { return x * x; });
    if (measure.of == BRIDGE_NONZERO)
        each(values, n, [](double x) { return x != 0.0 ? 1.0 : 0.0; });
    if (measure.of == BRIDGE_IS_NAN)
        each(values, n, [](double x) { return isNaN(x) ? 1.0 : 0.0; });
    if (measure.of == BRIDGE_BIT) {
        const int64_t bit = static_cast<int64_t>(measure.grain[0]);
        each(values, n, [bit](double x) { /* a NaN is no whole number, and has no bits */
                                          return std::fabs(x) < wholeNumbers &&
                                                         (static_cast<int64_t>(x) & bit)
                                                     ? 1.0
                                                     : 0.0;
        });
    }
    for (int part = 1; part <= measure.part; ++part) {
        const double grain = measure.grain[part - 1];
        if (part < measure.part)
            each(values, n, [&](double x) { return x - ((x + grain) - grain); });
        else
            each(values, n, [&](double x) { return (x + grain) - grain; });
    }
}

/* A whole group of numbers, side by side: where they lie if they lie so, else in the buffer. In
 * place of points that do not count, and after the last point, come zeros, which change no sum, or
 * the first number that counts. */
const double* column(const bridge_array& array, int operation, const bridge_measure& measure,
                     int64_t first, int64_t n, int64_t c, const Counted& counted, double* buffer) {
    const bridge_box& box = array.box;
    const bool together = array.blocks.count == 0 && first % box.extent[0] + n <= box.extent[0] &&
                          box.stride[0] == 1;
    if (counted.every && together && n == group && array.type == BRIDGE_FLOAT64 &&
        array.scale == 1.0 && measure.of == BRIDGE_VALUE && measure.part == 0) {
        const int64_t row = first / box.extent[0], k = row / box.extent[1];
        return static_cast<const double*>(array.address) + c * box.data_stride +
               offsetOf(box, first % box.extent[0], row - k * box.extent[1], k);
    }
    if (array.type == BRIDGE_INT32)
        copyColumn<int32_t>(array, first, n, c, buffer);
    else if (array.type == BRIDGE_FLOAT32)
        copyColumn<float>(array, first, n, c, buffer);
    else
        copyColumn<double>(array, first, n, c, buffer);
    measured(measure, buffer, n);
    const bool extreme = operation == BRIDGE_MIN || operation == BRIDGE_MAX;
    const double neutral = extreme ? buffer[counted.first] : 0.0;
    if (!counted.every)
        for (int64_t p = 0; p < n; ++p) buffer[p] = counted.point[p] ? buffer[p] : neutral;
    std::fill(buffer + n, buffer + group, neutral);
    return buffer;
}

/* ---- A group ---------------------------------------------------------------------------------- */

/* f(register of the group's partial results, values): from the first to the last point */
template <class F> BRIDGE_INLINE void forEachVector(const double* x, F f) {
    for (int64_t p = 0; p < group; p += parts)
#pragma GCC unroll 16
        for (int64_t r = 0; r < registers; ++r) f(r, loadLanes(x + p + r * lanes));
}

double sumOf(const double* x) {
    Registers sums;
    for (Lanes& sum : sums.r) sum = Lanes(0.0);
    forEachVector(x, [&](int64_t r, Lanes value) BRIDGE_INLINED { sums.r[r] += value; });
    for (int64_t half = registers / 2; half; half /= 2)
        for (int64_t r = 0; r < half; ++r) sums.r[r] += sums.r[r + half];
    double each[lanes];
    store(each, sums.r[0]);
    for (int64_t half = lanes / 2; half; half /= 2)
        for (int64_t l = 0; l < half; ++l) each[l] += each[l + half];
    return each[0];
}

template <bool least> double extremeOf(const double* x) {
    Registers best;
    LaneMask nan(false);
    for (int64_t r = 0; r < registers; ++r) best.r[r] = loadLanes(x + r * lanes);
    forEachVector(x, [&](int64_t r, Lanes value) BRIDGE_INLINED {
        nan |= value != value;
        best.r[r] = select(least ? value < best.r[r] : value > best.r[r], value, best.r[r]);
    });
    if (any(nan)) return notANumber;
    double each[parts];
    for (int64_t r = 0; r < registers; ++r) store(each + r * lanes, best.r[r]);
    return least ? *std::min_element(each, each + parts) : *std::max_element(each, each + parts);
}

bool anyOf(const double* x) {
    LaneMask found(false);
    forEachVector(x, [&](int64_t, Lanes value) BRIDGE_INLINED { found |= value != Lanes(0.0); });
    return any(found);
}

/* Of min, max and any the point is the group's first for now. */
bridge_partial partialOf(int operation, const double* x, int64_t first) {
    if (operation == BRIDGE_SUM) return {sumOf(x), -1};
    if (operation == BRIDGE_MIN) return {extremeOf<true>(x), first};
    if (operation == BRIDGE_MAX) return {extremeOf<false>(x), first};
    return anyOf(x) ? bridge_partial{1.0, first} : nothing(operation);
}

/* The very point of a group of n points, from its first one; of -0.0 and 0.0 the value that stands
 * there. */
void locate(int operation, const double* x, int64_t n, const Counted& counted,
            bridge_partial& result) {
    if (operation == BRIDGE_SUM || result.point < 0) return;
    const bool nan = isNaN(result.value);
    const auto here = [&](auto value) BRIDGE_INLINED {
        if (operation == BRIDGE_ANY) return value != decltype(value)(0.0);
        return nan ? value != value : value == decltype(value)(result.value);
    };
    int64_t p = 0;
    while (p < n - 1 && !(counted[p] && here(x[p]))) {
        ++p;
        while (p % lanes == 0 && p + lanes < n && !any(here(loadLanes(x + p)))) p += lanes;
    }
    result.point += p;
    if (operation != BRIDGE_ANY && !nan) result.value = x[p];
}

/* What follows is for callers that are no Python; bridge/bound/reductions.py does the same, `_together`
 * and `_reduced`, for those that are. */

/* The column that has the one result of all, in the order of the columns. */
int chosen(const bridge_answer& answer, const bridge_partial* results) {
    int best = 0;
    for (int c = 1; c < answer.columns; ++c)
        if (before(answer.operation, results[c], results[best])) best = c;
    return best;
}

/* Of one column, or the sum of all in their order. */
double valueOf(const bridge_answer& answer, const bridge_partial* results, int c) {
    if (answer.operation != BRIDGE_SUM && results[c].point < 0) return answer.empty;
    double value = results[c].value;
    if (answer.operation == BRIDGE_SUM && answer.together) {
        value = 0.0;
        for (int other = 0; other < answer.columns; ++other) value += results[other].value;
        if (isNaN(value)) value = notANumber;
    }
    return answer.root ? std::sqrt(value) : value;
}

void placeOf(const bridge_answer& answer, const bridge_partial& result, int c, int* place) {
    const int64_t row = result.point / answer.ni, k = row / answer.nj;
    const int64_t found[5] = {answer.first[0] + result.point % answer.ni,
                              answer.first[1] + row % answer.nj, answer.first[2] + k,
                              answer.component + c, 1};
    for (int n = 0; n < answer.place; ++n)
        place[n] = result.point < 0 ? 0 : static_cast<int>(found[n]);
}

/* ---- Values that are reduced as they are made ------------------------------------------------- */

thread_local Growing threadPiece;

/* A piece of what a run makes, in memory of the thread. */
class MadePiece {
public:
    explicit MadePiece(const bridge_made& m) : made(m) {}
    /* False where there is no memory. */
    bool reserve() {
        const int64_t values = made.columns * made.apart * int64_t{8}, arrays = sizeOfArrays();
        int64_t all = 0;
        for (int r = 0; r < made.n_reductions; ++r) all += made.reductions[r].columns;
        if (!threadPiece.reserve(values + arrays + all * int64_t{sizeof(bridge_partial)}))
            return false;
        address = threadPiece.get();
        moved = address + values;
        best = reinterpret_cast<bridge_partial*>(moved + arrays);
        for (int r = 0, at = 0; r < made.n_reductions; ++r)
            for (int32_t c = 0; c < made.reductions[r].columns; ++c)
                best[at++] = nothing(made.reductions[r].operation);
        if (made.plan)
            copyOf(plan, made.plan, [](const bridge_plan& p) { return p.n_arrays; });
        else
            copyOf(nest, made.nest, [](const bridge_nest& p) { return p.n_arrays; });
        return true;
    }
    /* Points first .. first+n-1, whole groups but for the last one of all; what the run answers. */
    int make(int64_t first, int64_t n) {
        if (made.plan) {
            move<bridge_array>(first);
            return bridge_cpu_run(&plan, first, n, 1);
        }
        move<bridge_nest_array>(first);
        return bridge_cpu_run_nest(&nest, first, n, 1);
    }
    /* Their partial results, those of extremes that are the best of the thread with their place. */
    void reduce(int64_t first, int64_t n, int64_t groups) {
        const bridge_array array = values(n);
        alignas(64) double buffer[group];
        Counted counted;
        for (int64_t at = 0; at < n; at += group) {
            const int64_t points = std::min(group, n - at), g = (first + at) / group;
            readMask(made.mask, first + at, points, buffer, counted);
            bridge_partial* mine = best;
            for (int r = 0; r < made.n_reductions; ++r) {
                const bridge_made_reduction& one = made.reductions[r];
                for (int32_t c = 0; c < one.columns; ++c, ++mine) {
                    bridge_partial& partial = one.partials[c * groups + g];
                    partial = nothing(one.operation);
                    if (!counted.some) continue;
                    const double* x = column(array, one.operation, one.measure, at, points,
                                             one.column + c, counted, buffer);
                    partial = partialOf(one.operation, x, first + at);
                    if (!before(one.operation, partial, *mine)) continue;
                    locate(one.operation, x, points, counted, partial);
                    *mine = partial;
                }
            }
        }
    }

private:
    const bridge_made& made;
    char *address = nullptr, *moved = nullptr; /* of the values; of the arrays of the run */
    bridge_partial* best = nullptr;            /* of each column that is reduced */
    bridge_plan plan{};
    bridge_nest nest{};

    int64_t sizeOfArrays() const {
        return made.plan ? made.plan->n_arrays * int64_t{sizeof(bridge_array)}
                         : made.nest->n_arrays * int64_t{sizeof(bridge_nest_array)};
    }
    template <class Run, class Count> void copyOf(Run& mine, const Run* from, Count count) {
        mine = *from;
        using Array = std::remove_const_t<std::remove_pointer_t<decltype(mine.arrays)>>;
        auto* arrays = reinterpret_cast<Array*>(moved);
        std::copy_n(from->arrays, count(*from), arrays);
        mine.arrays = arrays;
    }
    /* The address of an output is that of its first point, which may be in a piece before. */
    template <class Array> void move(int64_t first) {
        auto* arrays = reinterpret_cast<Array*>(moved);
        int64_t column = 0;
        for (int k = 0; k < made.n_outputs; ++k) {
            Array& array = arrays[made.outputs[k]];
            const auto at =
                reinterpret_cast<intptr_t>(address) + 8 * (column * made.apart - first);
            array.address = reinterpret_cast<decltype(array.address)>(at);
            if constexpr (std::is_same_v<Array, bridge_array>) array.box.offset = 0;
            column += array.columns;
        }
    }
    bridge_array values(int64_t n) const {
        bridge_array array{};
        array.address = address;
        array.box = {{n, 1, 1}, {1, n, n}, made.apart, 0, {1, n, n}};
        array.scale = 1.0;
        array.columns = made.columns;
        array.type = BRIDGE_FLOAT64;
        return array;
    }
};

/* Groups begin .. end-1 of n points, in pieces of about the same size. */
int makeGroups(const bridge_made& made, int64_t n, int64_t begin, int64_t end) {
    MadePiece piece(made);
    if (!piece.reserve()) return BRIDGE_CPU_NO_MEMORY;
    const int64_t most = made.piece / group, pieces = (end - begin + most - 1) / most;
    for (int64_t p = 0; p < pieces; ++p) {
        const int64_t first = (begin + (end - begin) * p / pieces) * group;
        const int64_t last = std::min(n, (begin + (end - begin) * (p + 1) / pieces) * group);
        if (const int failed = piece.make(first, last - first)) return failed;
        piece.reduce(first, last - first, (n + group - 1) / group);
    }
    return 0;
}

}  // namespace
}  // namespace BRIDGE_NAMESPACE

using namespace BRIDGE_NAMESPACE;

extern "C" __attribute__((visibility("default"))) void bridge_cpu_combine(
    int operation, int64_t groups, int64_t columns, bridge_partial* partials,
    bridge_partial* results) {
    const unsigned control = _mm_getcsr();
    _mm_setcsr(0x1f80);
    for (int64_t c = 0; c < columns; ++c) {
        bridge_partial* mine = partials + c * groups;
        bridge_partial& result = results[c] = nothing(operation);
        if (operation == BRIDGE_SUM) {
            for (int64_t step = 1; step < groups; step *= 2)
                for (int64_t g = 0; g + step < groups; g += 2 * step)
                    mine[g].value += mine[g + step].value;
            if (groups) result.value = mine[0].value;
        } else {
            for (int64_t g = 0; g < groups; ++g)
                if (before(operation, mine[g], result)) result = mine[g];
        }
        /* a NaN has a sign and a payload of the machine that made it */
        if (isNaN(result.value)) result.value = notANumber;
    }
    _mm_setcsr(control);
}

extern "C" __attribute__((visibility("default"))) int bridge_cpu_reduce(
    const bridge_array* source, const bridge_array* mask, int operation,
    const bridge_measure* measure, bridge_partial* partials, bridge_partial* results,
    int threads) {
    const unsigned host = _mm_getcsr();
    _mm_setcsr(0x1f80);
    const bridge_array& array = *source;
    const int64_t points = array.box.extent[0] * array.box.extent[1] * array.box.extent[2];
    const int64_t groups = (points + group - 1) / group;
    const auto some = [&](int64_t begin, int64_t end) {
        const unsigned control = _mm_getcsr();
        _mm_setcsr(0x1f80);
        alignas(64) double buffer[group];
        Counted counted;
        for (int64_t g = begin; g < end; ++g) {
            const int64_t first = g * group, n = std::min(group, points - first);
            readMask(mask, first, n, buffer, counted);
            for (int64_t c = 0; c < array.columns; ++c)
                partials[c * groups + g] = counted.some
                                               ? partialOf(operation,
                                                           column(array, operation, *measure,
                                                                  first, n, c, counted, buffer),
                                                           first)
                                               : nothing(operation);
        }
        _mm_setcsr(control);
    };
    threads = static_cast<int>(
        std::min({int64_t{threads}, groups, points * array.columns / worthAThread}));
    static bridge_sharing sharing;
    {
        Region region(sharing, points * array.columns, std::max(threads, 1));
        const int64_t parts = region.count();
        region.each([&](int t) { some(groups * t / parts, groups * (t + 1) / parts); });
    }
    bridge_cpu_combine(operation, groups, array.columns, partials, results);
    alignas(64) double buffer[group];
    Counted counted;
    for (int64_t c = 0; c < array.columns; ++c) {
        const int64_t first = results[c].point, n = std::min(group, points - first);
        if (first < 0) continue;
        readMask(mask, first, n, buffer, counted);
        locate(operation, column(array, operation, *measure, first, n, c, counted, buffer), n,
               counted, results[c]);
    }
    _mm_setcsr(host);
    return 0;
}

extern "C" __attribute__((visibility("default"))) int bridge_cpu_make(const bridge_made* made,
                                                                      int64_t, int64_t n,
                                                                      int threads) {
    if (n <= 0) return 0;
    const int64_t groups = (n + group - 1) / group;
    const int64_t share = made->plan ? made->plan->share : made->nest->share;
    threads = static_cast<int>(
        std::clamp<int64_t>(std::min(n / share, groups), 1, std::max(threads, 1)));
    std::atomic<int> failed{0};
    {
        Region region(made->plan ? *made->plan->sharing : *made->nest->sharing, n, threads);
        const int64_t parts = region.count();
        region.each([&](int t) {
            const DefaultFloatingPoint environment;
            if (const int answer =
                    makeGroups(*made, n, groups * t / parts, groups * (t + 1) / parts))
                failed = answer;
        });
    }
    for (int r = 0; r < made->n_reductions && !failed; ++r) {
        const bridge_made_reduction& one = made->reductions[r];
        bridge_cpu_combine(one.operation, groups, one.columns, one.partials, one.results);
    }
    return failed;
}

extern "C" __attribute__((visibility("default"))) void bridge_cpu_answer(
    const bridge_answer* answer, const bridge_partial* results, double* value, int* place) {
    const unsigned control = _mm_getcsr();
    _mm_setcsr(0x1f80);
    const int first = answer->together ? chosen(*answer, results) : 0;
    const int last = answer->together ? first + 1 : answer->columns;
    for (int c = first; c < last; ++c) {
        value[c - first] = valueOf(*answer, results, c);
        placeOf(*answer, results[c], c, place + (c - first) * answer->place);
    }
    _mm_setcsr(control);
}

extern "C" __attribute__((visibility("default"))) int bridge_cpu_reduce_again(
    const bridge_reduction* reduction, double* value, int* place, int threads) {
    const bridge_reduction& mine = *reduction;
    if (mine.source)
        bridge_cpu_reduce(mine.source, mine.mask, mine.answer.operation, &mine.measure,
                          mine.partials, mine.results, threads);
    bridge_cpu_answer(&mine.answer, mine.results, value, place);
    return 0;
}
