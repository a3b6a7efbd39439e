// What Fortran has and point.h lacks: for headers that `bridge port` makes. For every number type.
#pragma once

#include "areas.h"
#include "complex.h"
#include "point.h"
#include "special.h"

#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__)
#define BRIDGE_TABLE static __device__ const
#else
#define BRIDGE_TABLE static const
#endif

// The number of species, and an array of so many elements: fixed where the build knows the number.
#ifdef BRIDGE_NS
#define BRIDGE_SPECIES(shared) BRIDGE_NS
#define BRIDGE_AUTOMATIC(Type, name, count) Type name[(count) > 0 ? (count) : 1]
#else
#define BRIDGE_SPECIES(shared) species(shared)
#define BRIDGE_AUTOMATIC(Type, name, count)                                                       \
    Type name##_memory[(count) > 0 ? (count) : 1];                                                \
    Type* const name = name##_memory
#endif

// Turns of a loop that has no count. A point that needs more keeps the values of the last one: what
// is left of an earlier block in unused lanes may never end.
#ifndef BRIDGE_MOST_TURNS
#define BRIDGE_MOST_TURNS 1000000
#endif

namespace BRIDGE_NAMESPACE {

// ---- Integers: a divisor may be 0 where no point runs

BRIDGE_FN int nonzero(int n) { return n == 0 ? 1 : n; }
template <class Integer> BRIDGE_FN Integer nonzero(const Integer& n) {
    return select(n == Integer(0), Integer(1), n);
}
BRIDGE_FN int quotient(int a, int b) {
    return static_cast<int>(static_cast<long long>(a) / nonzero(b));
}
template <class Integer> BRIDGE_FN Integer quotient(const Integer& a, const Integer& b) {
    return a / nonzero(b);
}

// x**n; of a negative n the integer part of the quotient.
BRIDGE_FN int power(int x, int n) {
    if (n < 0) return x == 1 ? 1 : x == -1 ? (n & 1 ? -1 : 1) : 0;
    return powerByProducts(x, n);
}
template <class Integer> BRIDGE_FN Integer power(Integer x, const Integer& n) {
    const Integer one(1), zero(0);
    const Integer inverse =
        select(x == one, one, select(x == -one, select((n & one) != zero, -one, one), zero));
    Integer result = one, left = select(n < zero, zero, n);
    while (any(left != zero)) {
        result = select((left & one) != zero, result * x, result);
        x = x * x;
        left = left >> one;
    }
    return select(n < zero, inverse, result);
}

// The lower 32 bits of an integer, with their sign.
BRIDGE_FN int low32(int x) { return x; }
#if defined(BRIDGE_LANES) && !defined(BRIDGE_ONE_POINT) && !defined(BRIDGE_COUNTED)
BRIDGE_FN LaneBits low32(LaneBits x) { return LaneBits(IntegerVector((x.v << 32) >> 32)); }
BRIDGE_FN TwiceBits low32(TwiceBits x) { return TwiceBits(low32(x.a), low32(x.b)); }
BRIDGE_FN SingleBits low32(SingleBits x) { return x; }
#else
template <class Integer> BRIDGE_FN Integer low32(const Integer& x) { return x; }
#endif

// ---- Bits of an integer of 32

// Of a number below 2^16.
template <class Integer> BRIDGE_FN Integer bitsOfHalf(Integer x) {
    x = x - ((x >> Integer(1)) & Integer(0x5555));
    x = (x & Integer(0x3333)) + ((x >> Integer(2)) & Integer(0x3333));
    x = (x + (x >> Integer(4))) & Integer(0x0f0f);
    return (x + (x >> Integer(8))) & Integer(31);
}
template <class Integer> BRIDGE_FN Integer popcnt(const Integer& x) {
    return bitsOfHalf<Integer>(x & Integer(0xffff)) +
           bitsOfHalf<Integer>((x >> Integer(16)) & Integer(0xffff));
}
// Behind the highest bit all are set, then counted; a shift to the right keeps the sign.
template <class Integer> BRIDGE_FN Integer leadz(Integer x) {
    for (int by = 1; by < 32; by *= 2) x = x | (x >> Integer(by));
    return Integer(32) - popcnt(x);
}
template <class Integer> BRIDGE_FN Integer trailz(const Integer& x) {
    return popcnt(Integer(~x & low32(x - Integer(1))));
}

// By numbers that differ: nothing is left of 32 bits shifted by 32 or more.
template <class Integer> BRIDGE_FN Integer placeOfBit(const Integer& by) {
    return min(max(by, Integer(0)), Integer(31));
}
BRIDGE_FN int shiftedLeft(int x, int by) {
    return by > 31 ? 0 : static_cast<int>(static_cast<unsigned>(x) << placeOfBit(by));
}
template <class Integer> BRIDGE_FN Integer shiftedLeft(const Integer& x, const Integer& by) {
    return select(by > Integer(31), Integer(0), low32(Integer(x << placeOfBit(by))));
}
BRIDGE_FN int shiftedRight(int x, int by) {
    return by > 31 ? 0 : static_cast<int>(static_cast<unsigned>(x) >> placeOfBit(by));
}
template <class Integer> BRIDGE_FN Integer shiftedRight(const Integer& x, const Integer& by) {
    const Integer n = placeOfBit(by);
    const Integer one = Integer(1), kept = ~(Integer(-1) << (Integer(32) - max(n, one)));
    return select(by > Integer(31), Integer(0), select(n == Integer(0), x, (x >> n) & kept));
}
template <class Integer> BRIDGE_FN Integer shiftedEither(const Integer& x, const Integer& by) {
    return select(by < Integer(0), shiftedRight(x, Integer(-by)), shiftedLeft(x, by));
}
BRIDGE_FN int shiftedEither(int x, int by) {
    return by < 0 ? shiftedRight(x, -by) : shiftedLeft(x, by);
}
// The lowest bits, of 0 to 32.
template <class Integer> BRIDGE_FN Integer lowestBits(const Integer& count) {
    return ~shiftedLeft(Integer(-1), count);
}

// ---- Elements of small arrays, counted from 0

// A place that exists, whatever a point that does not run has computed.
BRIDGE_FN int inside(int place, int count) { return max(min(place, count - 1), 0); }
template <class Integer> BRIDGE_FN Integer inside(const Integer& place, int count) {
    return max(min(place, Integer(count - 1)), Integer(0));
}

// The element that each point chooses.
template <class Real, class Array>
BRIDGE_FN auto element(const Array& array, int count, const Bits<Real>& place) {
    auto chosen = array[0];
    for (int i = 1; i < count; ++i) chosen = select(place == Bits<Real>(i), array[i], chosen);
    return chosen;
}
template <class Real, class Array, class Value>
BRIDGE_FN void put(Array& array, int count, const Bits<Real>& place, const Mask<Real>& on,
                   const Value& value) {
    for (int i = 0; i < count; ++i)
        array[i] = select(on & (place == Bits<Real>(i)), value, array[i]);
}

// Elements of an array from `first` on, each `step` behind the one before.
template <class Array> struct Part {
    Array* array;
    int first, step;
    BRIDGE_MEMBER decltype(auto) operator[](int i) const { return (*array)[first + step * i]; }
};
template <class Array> BRIDGE_FN Part<Array> part(Array& array, int first, int step = 1) {
    return {&array, first, step};
}

// The elements of an array from `first` on, `room` of them: no place is outside of these.
template <class Array> struct Window {
    Array* array;
    int first, room;
    BRIDGE_MEMBER decltype(auto) operator[](int i) const {
        return (*array)[first + inside(i, room)];
    }
};
template <class Array> BRIDGE_FN Window<Array> window(Array& array, int first, int room) {
    return {&array, first, room};
}

}  // namespace BRIDGE_NAMESPACE
