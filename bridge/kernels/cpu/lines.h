/* How a launch wrapper sees points that follow each other: kernels with colours or a sweep.
 *
 * Lanes are points that do not depend on each other: those of a colour in a row, or the points of
 * as many lines. Everything is read and written where it lies, since the next points read what
 * these ones write; of a kernel's outputs, only what it has not finished lies elsewhere.
 */
#ifndef BRIDGE_KERNELS_CPU_LINES_H
#define BRIDGE_KERNELS_CPU_LINES_H

#include "element.h"
#include "neighbours.h"

namespace BRIDGE_NAMESPACE {

/* The lanes of a vector that have points of their own, and those that are written. */
struct LanePoints {
    int64_t points;
    uint32_t written;
    BRIDGE_INLINE bool all() const { return written == (1u << BRIDGE_WIDTH) - 1; }
};

/* An argument: where its vectors lie. */
class LineArgument {
public:
    BRIDGE_INLINE LineArgument(const bridge_lines& lines, const bridge_points& p)
        : first(p.address + lines.start[0] * p.stride[0] + lines.start[1] * p.stride[1] +
                lines.start[2] * p.stride[2]),
          lane(lines.apart * p.stride[lines.across]),
          step(lines.way * p.stride[lines.along]),
          odd(lines.odd * p.stride[lines.across]),
          points(p) {}
    /* Doubles without a scale; as `reading` has them, or, if that may be, one value for all. */
    BRIDGE_INLINE bool doubles() const {
        return points.type == BRIDGE_FLOAT64 && points.scale == 1.0;
    }
    BRIDGE_INLINE bool fits(Reading reading, bool uniform) const {
        return doubles() &&
               (lane == (reading == Reading::pairs ? 16 : 8) || (uniform && lane == 0));
    }
    BRIDGE_INLINE bool fitsSingles(bool uniform) const {
        const bool singles = points.type == BRIDGE_FLOAT32 && points.scale == 1.0;
        return (singles && lane == 8) || (uniform && same());
    }
    BRIDGE_INLINE bool same() const { return doubles() && lane == 0; }
    BRIDGE_INLINE char* at(int64_t number, int64_t vector) const {
        return first + number * step + vector * BRIDGE_WIDTH * lane + (number & 1) * odd;
    }
    template <Reading reading> BRIDGE_INLINE NeighbourRows rows(int64_t count) const {
        return {lane,
                points.column_stride,
                {points.stride[0], points.stride[1], points.stride[2]},
                points.scale,
                points.type,
                static_cast<int32_t>(count),
                reading,
                doubles()};
    }
    /* A vector of one column; at the ends of rows and for integers lane by lane. */
    template <class Value, Reading reading>
    BRIDGE_INLINE Value load(const char* place, int64_t count) const {
        if constexpr (std::is_same_v<Value, Wide> && reading != Reading::any) {
            if (lane == 0) return Wide(*reinterpret_cast<const double*>(place));
            return neighbour<Value>(place, rows<reading>(count));
        }
        if constexpr (std::is_same_v<Value, WideBits> && reading != Reading::any) {
            if (points.type == BRIDGE_POSITION) return positions(place);
            if (points.type == BRIDGE_INT32 && lane == 0)
                return WideBits(*reinterpret_cast<const int32_t*>(place));
        }
        return collect<Value>(place, rows<Reading::any>(count));
    }
    template <Reading reading, class Value>
    BRIDGE_INLINE void save(char* place, Value value, const LanePoints& which) const {
        if constexpr (std::is_same_v<Value, Wide> && reading != Reading::any) {
            if (which.all()) {
                if constexpr (reading == Reading::singles)
                    return saveSinglesWhole(place, doublesOf(value));
                else if constexpr (reading == Reading::rows)
                    return store(reinterpret_cast<double*>(place), value);
                else
                    return saveWhole(place, doublesOf(value));
            }
        }
        saveLanes(place, value, which);
    }
    int64_t stride() const { return points.column_stride; }
    int64_t columns() const { return points.columns; }

private:
    /* One by one: a load that meets a vector just stored by halves has to wait for it. */
    BRIDGE_INLINE void saveApart(char* place, Lanes x) const {
        BRIDGE_UNROLL
        for (int64_t l = 0; l < BRIDGE_LANES; ++l)
            *reinterpret_cast<double*>(place + l * lane) = x.v[l];
    }
    BRIDGE_INLINE void saveWhole(char* place, WideDoubles value) const {
#if BRIDGE_REGISTERS == 2
        saveApart(place, value.a);
        saveApart(place + BRIDGE_LANES * lane, value.b);
#else
        saveApart(place, value);
#endif
    }
    /* As `element` makes floats of doubles. */
    BRIDGE_INLINE void saveSingles(char* place, Lanes x) const {
        const Lanes size = fabs(x);
        const LaneMask lost = (size >= Lanes(0x1.ffffffp+127)) & (size <= Lanes(__DBL_MAX__));
        const Lanes kept = select(lost, Lanes(BRIDGE_NAN), x);
        const auto singles = __builtin_convertvector(kept.v, SingleVector);
        BRIDGE_UNROLL
        for (int64_t l = 0; l < BRIDGE_LANES; ++l)
            reinterpret_cast<float*>(place)[2 * l] = singles[l];
    }
    BRIDGE_INLINE void saveSinglesWhole(char* place, WideDoubles value) const {
#if BRIDGE_REGISTERS == 2
        saveSingles(place, value.a);
        saveSingles(place + BRIDGE_LANES * lane, value.b);
#else
        saveSingles(place, value);
#endif
    }
    /* Of a position the place is a number. */
    BRIDGE_INLINE WideBits positions(const char* place) const {
        alignas(64) int64_t lanes[BRIDGE_WIDTH];
        BRIDGE_UNROLL
        for (int64_t l = 0; l < BRIDGE_WIDTH; ++l)
            lanes[l] = reinterpret_cast<intptr_t>(place) + l * lane;
        return loadWide(lanes);
    }
    template <class Value>
    __attribute__((noinline)) void saveLanes(char* place, Value value,
                                             const LanePoints& which) const {
        using Element = std::conditional_t<std::is_same_v<Value, Wide>, double, int64_t>;
        alignas(64) Element lanes[BRIDGE_WIDTH];
        store(lanes, value);
        for (int64_t l = 0; l < which.points; ++l) {
            if (!(which.written >> l & 1)) continue;
            char* to = place + l * lane;
            if (points.scale != 1.0) lanes[l] = static_cast<Element>(lanes[l] / points.scale);
            if (points.type == BRIDGE_INT32)
                *reinterpret_cast<int32_t*>(to) = element<int32_t>(lanes[l]);
            else if (points.type == BRIDGE_FLOAT32)
                *reinterpret_cast<float*>(to) = element<float>(lanes[l]);
            else
                *reinterpret_cast<double*>(to) = element<double>(lanes[l]);
        }
    }

    char* first;
    int64_t lane, step; /* bytes to the next one */
    int64_t odd;        /* bytes by which odd steps begin elsewhere */
    const bridge_points& points;
};

/* Several columns of an input. Inside a kernel's arithmetic nothing asks how they lie: after a
 * branch compilers would not fuse what they fuse elsewhere. constant: of the catalogue; where a
 * launch knows its rows, it knows that such a one is the same for all points. */
template <class Value, Reading reading, bool constant> class LineColumns {
public:
    BRIDGE_INLINE LineColumns(const LineArgument& a, const char* p, int64_t n)
        : argument(a), place(p), count(n) {}
    BRIDGE_INLINE Value operator[](int column) const {
        const char* there = place + column * argument.stride();
        constexpr bool known = reading != Reading::doubles && reading != Reading::any;
        if constexpr (constant && known && std::is_same_v<Value, Wide>)
            return Wide(*reinterpret_cast<const double*>(there));
        else
            return neighbour<Value>(there, argument.rows<reading>(count));
    }

private:
    const LineArgument& argument;
    const char* place;
    int64_t count;
};

/* Several columns of an output, until the kernel has returned: it may read what lies in their
 * place, or around it. */
template <class Value, class Element> class LineOutputs {
public:
    BRIDGE_INLINE LineOutputs(char*& room, const LineArgument& argument)
        : base(room), columns(argument.columns()) {
        room += columns * BRIDGE_WIDTH * 8;
    }
    BRIDGE_INLINE OutColumnOf<Value, Element> operator[](int column) const {
        return OutColumnOf<Value, Element>(reinterpret_cast<Element*>(base) +
                                           column * BRIDGE_WIDTH);
    }
    template <Reading reading>
    BRIDGE_INLINE void save(const LineArgument& argument, char* place,
                            const LanePoints& which) const {
        for (int64_t c = 0; c < columns; ++c)
            argument.save<reading>(place + c * argument.stride(),
                                   Value((*this)[static_cast<int>(c)]), which);
    }

private:
    char* base;
    int64_t columns;
};
using LineReals = LineOutputs<Wide, double>;
using LineWords = LineOutputs<WideBits, int64_t>;

/* Numbers that a line keeps from point to point, as many as the catalogue says; zero before its
 * first point. */
class PrivateVectors {
public:
    BRIDGE_INLINE explicit PrivateVectors(char* p) : numbers(reinterpret_cast<Wide*>(p)) {}
    BRIDGE_INLINE Wide& operator[](int number) { return numbers[number]; }
    BRIDGE_INLINE const Wide& operator[](int number) const { return numbers[number]; }

private:
    Wide* numbers;
};
#ifndef BRIDGE_DEBUG
using Private = PrivateVectors;
#endif

/* Which lanes of a vector have a point, and are not left out by the mask. */
inline LanePoints lanesOf(const bridge_lines& lines, int64_t step, int64_t vector) {
    const bool odd = lines.odd && step & 1;
    const int64_t rest = (odd ? lines.odd_points : lines.points) - vector * BRIDGE_WIDTH;
    if (rest <= 0) return {0, 0};
    const int64_t points = rest < BRIDGE_WIDTH && !lines.padded ? rest : BRIDGE_WIDTH;
    LanePoints found{points, static_cast<uint32_t>((uint64_t{1} << points) - 1)};
    if (!lines.mask) return found;
    const LineArgument mask(lines, *lines.mask);
    alignas(64) int64_t words[BRIDGE_WIDTH];
    store(words, mask.load<WideBits, Reading::any>(mask.at(step, vector), points));
    for (int64_t l = 0; l < points; ++l)
        if (words[l] == 0) found.written &= ~(1u << l);
    return found;
}

}  // namespace BRIDGE_NAMESPACE

#endif
