// What a grid point is on this machine: the only kernel file that knows.
//
// A kernel is written once, on one grid point, for a number type `Real`:
//   CPU    Real = Lanes, a vector of neighbouring points (cpu/lanes.h), or Twice, two of them;
//          of single precision SingleLanes, twice as many in one vector (cpu/singles.h)
//   GPU    Real = Number<P>, P points of one thread, and Number<P, float> (cuda/number.h)
//   host   Real = double with BRIDGE_SCALAR, for checks of a header on its own
//   debug  Real = OnePoint with BRIDGE_DEBUG, beside Lanes: one point at a time (cpu/onepoint.h)
//   count  Real = Counted with BRIDGE_COUNTED, a number that counts operations (cpu/counted.h);
//          of single precision each of these three is SinglePoint (cpu/singlepoint.h)
//   trace  Real = Traced with BRIDGE_TRACED, a number that knows what made it (cpu/traced.h)
//
// BRIDGE_FN marks a function, BRIDGE_MEMBER one inside a struct. Each machine supplies, in
// namespace BRIDGE_NAMESPACE:
//   Real                          + - * / += -= *= /=; a double or an int converts to it; a
//                                 product that is added is fused with the sum (product.h)
//   PointTypes<Real>::Mask        one truth value per point:  & | ! == !=   (from < <= > >= == !=)
//   PointTypes<Real>::Bits        one integer per point, from an int:  + - * / % & | ^ ~ << >>
//   Real(Bits), Bits(Real)        conversions; the second cuts the fraction off
//   select(Mask, Real, Real)      and of Bits, and of Mask
//   all(Mask), any(Mask) -> bool  over the points computed together (to skip work, never results)
//   isfinite isnan (Real) -> Mask
//   fabs sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh
//   erf sinpi cospi floor ceil rint aint anint abs (Real), nint (Real) -> Bits, abs (Bits)
//   max min sign mod modulo (two Real, two Bits), atan2 pow fmax fmin copysign (two Real)
//   pow(Real, int), pow(Bits, int)                        by repeated multiplication
//   lookup<n>(const double* table, Bits index) -> Real    table[index] of each point; n entries
// and, where BRIDGE_TABLE_ROWS says that it is faster than lookup,
//   lookupRecord<n>(const double* table, int last, Real place, Real (&values)[n])
//                                  of each point the n values of the record floor(place), 0 to last
// and numbers.h the same functions of plain numbers. iterate.h: a loop that each point leaves by
// itself. table.h: tables of the host, which kernels look values up in.
// No function may let one point's result depend on another point.
// A number type of single precision rounds each operation as Fortran's real(4) does. Functions that
// no instruction gives are those of doubles, rounded; so are the doubles of a kernel's text, of
// `shared` and of tables when they become a Real.
// BRIDGE_UNROLL before a loop whose body has to meet arrays at fixed places: registers have no
// others. BRIDGE_ROLLED before a loop that is not unrolled: its rounds side by side would take too
// many registers. BRIDGE_ROLLED_MANY: before one over species of which only many take too many.
// BRIDGE_ROWS: species that a sum over pairs takes at a time, where a machine wants more than one.
#pragma once

#ifndef BRIDGE_ROWS
#define BRIDGE_ROWS 1
#endif

#ifndef BRIDGE_NAMESPACE
#define BRIDGE_NAMESPACE bridge_point
#endif

#ifdef BRIDGE_TRACED
namespace BRIDGE_NAMESPACE {
struct Shared;  // what a kernel does with its values is not known before a run
}
#else
#include "shared.h"
#endif

namespace BRIDGE_NAMESPACE {
template <class Real> struct PointTypes;
// Whether a number type is of single precision. It has widened(x), the same numbers as doubles, and
// rounded(widened(x)) is x.
template <class Real> inline constexpr bool ofSingles = false;
}  // namespace BRIDGE_NAMESPACE

#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__)

#define BRIDGE_FN __device__ __forceinline__
#define BRIDGE_MEMBER __device__ __forceinline__
#define BRIDGE_CALLED static __device__ __noinline__
#define BRIDGE_BY_VALUE
#ifndef __HIPCC__  // clang does so unasked, and refuses to be told twice
#define BRIDGE_UNROLL _Pragma("unroll")
#define BRIDGE_ROLLED _Pragma("unroll 1")
#endif
#define BRIDGE_ONE_POINT
#define BRIDGE_NAN __longlong_as_double(0x7ff8000000000000LL)
#define BRIDGE_INFINITY __longlong_as_double(0x7ff0000000000000LL)

#elif defined(BRIDGE_SCALAR)

#define BRIDGE_FN static inline
#define BRIDGE_MEMBER inline
#define BRIDGE_ONE_POINT
#define BRIDGE_NAN __builtin_nan("")
#define BRIDGE_INFINITY __builtin_inf()

#elif defined(BRIDGE_COUNTED)

#define BRIDGE_FN static inline
#define BRIDGE_MEMBER inline
#define BRIDGE_NAN __builtin_nan("")
#define BRIDGE_INFINITY __builtin_inf()
#include "cpu/counted.h"

#elif defined(BRIDGE_TRACED)

#define BRIDGE_FN static inline
#define BRIDGE_MEMBER inline
#define BRIDGE_NAN __builtin_nan("")
#define BRIDGE_INFINITY __builtin_inf()
#include "cpu/traced.h"

#else

#ifdef BRIDGE_DEBUG  // functions that a debugger finds
#define BRIDGE_FN static inline
#else
#define BRIDGE_FN static inline __attribute__((always_inline))
#endif
#define BRIDGE_APART __attribute__((noinline)) static
#define BRIDGE_CALLED BRIDGE_APART
#define BRIDGE_MEMBER inline __attribute__((always_inline))
#define BRIDGE_LAMBDA __attribute__((always_inline))
#define BRIDGE_NAN __builtin_nan("")
#define BRIDGE_INFINITY __builtin_inf()
#include "cpu/lanes.h"
#include "cpu/twice.h"
#include "cpu/singles.h"
#ifdef BRIDGE_DEBUG
#include "cpu/onepoint.h"
#endif

#endif

#include "numbers.h"
#include "product.h"

#if defined(BRIDGE_ONE_POINT) || defined(BRIDGE_DEBUG)
namespace BRIDGE_NAMESPACE {
#ifdef BRIDGE_ONE_POINT
template <> struct PointTypes<double> {
    using Mask = bool;
    using Bits = int;
};
BRIDGE_FN double select(bool mask, double yes, double no) { return mask ? yes : no; }
BRIDGE_FN double select(bool mask, double yes, int no) { return mask ? yes : no; }
BRIDGE_FN double select(bool mask, int yes, double no) { return mask ? yes : no; }
#endif
BRIDGE_FN int select(bool mask, int yes, int no) { return mask ? yes : no; }
BRIDGE_FN bool select(bool mask, bool yes, bool no) { return mask ? yes : no; }
// Of masks that were joined: | and & of two truth values are an int.
BRIDGE_FN bool select(bool mask, int yes, bool no) { return mask ? yes != 0 : no; }
BRIDGE_FN bool select(bool mask, bool yes, int no) { return mask ? yes : no != 0; }
BRIDGE_FN bool all(bool mask) { return mask; }
BRIDGE_FN bool any(bool mask) { return mask; }
template <int entries> BRIDGE_FN double lookup(const double* table, int index) {
    return table[index];
}
}  // namespace BRIDGE_NAMESPACE
#endif

#if defined(BRIDGE_SCALAR) || defined(BRIDGE_COUNTED) || defined(BRIDGE_DEBUG)
#define BRIDGE_SINGLE_POINT
#include "cpu/singlepoint.h"
#endif

#ifndef BRIDGE_LAMBDA
#define BRIDGE_LAMBDA
#endif
// A long function that a compiler takes long for as a part of others: on a CPU they call it.
// BRIDGE_CALLED: on a GPU too, a few times for a point and never for each species. One that changes a
// state of its caller is none: that would lie in memory for a call.
#ifndef BRIDGE_APART
#define BRIDGE_APART BRIDGE_FN
#endif
#ifndef BRIDGE_CALLED
#define BRIDGE_CALLED BRIDGE_FN
#endif
#ifndef BRIDGE_UNROLL
#define BRIDGE_UNROLL
#endif
#ifndef BRIDGE_ROLLED
#define BRIDGE_ROLLED
#endif
#if defined(BRIDGE_NS) && BRIDGE_NS <= 8
#define BRIDGE_ROLLED_MANY
#else
#define BRIDGE_ROLLED_MANY BRIDGE_ROLLED
#endif

namespace BRIDGE_NAMESPACE {

// How such a function takes an argument. On a GPU by value, so that numbers, and where arrays begin, stay
// in registers: what is passed by reference lies in memory, for the caller too. Arrays are pointers
// there; on a CPU they may be the memory itself.
#ifdef BRIDGE_BY_VALUE
template <class Argument> using Passed = Argument;
#else
template <class Argument> using Passed = Argument&;
#endif

template <class Real> using Mask = typename PointTypes<Real>::Mask;
template <class Real> using Bits = typename PointTypes<Real>::Bits;

#ifndef BRIDGE_TRACED
// Number of species: a constant of the build where BRIDGE_NS says so, else run-time data.
BRIDGE_FN int species(const Shared& shared) {
#ifdef BRIDGE_NS
    (void)shared;
    return BRIDGE_NS;
#else
    return static_cast<int>(shared.ns);
#endif
}
#endif

// Hides a constant from the compiler, so that it unrolls no loop over it. With few species a GPU's
// compiler unrolls loops that BRIDGE_ROLLED marks, and runs out of registers.
BRIDGE_FN int ofTheRun(int number) {
#ifdef __CUDACC_RTC__
    asm volatile("" : "+r"(number));
#endif
    return number;
}

// Bounds that let a NaN through (fmax and fmin would swallow it).
template <class Real> BRIDGE_FN Real at_least(const Real& x, const Real& low) {
    return select(x < low, low, x);
}
template <class Real> BRIDGE_FN Real at_most(const Real& x, const Real& high) {
    return select(x > high, high, x);
}
#ifdef BRIDGE_INLINE  // the vectors of a CPU
template <> inline constexpr bool ofSingles<SingleLanes> = true;
#define BRIDGE_BOUNDS(Number)                                                                     \
    template <> BRIDGE_MEMBER Number at_least<Number>(const Number& x, const Number& low) {       \
        return notBelow(x, low);                                                                  \
    }                                                                                             \
    template <> BRIDGE_MEMBER Number at_most<Number>(const Number& x, const Number& high) {       \
        return notAbove(x, high);                                                                 \
    }
BRIDGE_BOUNDS(Lanes)
BRIDGE_BOUNDS(Twice)
BRIDGE_BOUNDS(SingleLanes)
#undef BRIDGE_BOUNDS
#endif
template <class Real> BRIDGE_FN Real clamp(const Real& x, const Real& low, const Real& high) {
    return at_most<Real>(at_least<Real>(x, low), high);
}
BRIDGE_OF_PRODUCTS(at_least)
BRIDGE_OF_PRODUCTS(at_most)

// exp2 for x <= 0, where a machine has nothing better.
template <class Real> BRIDGE_FN Real exp2OfNegative(const Real& x) {
    if constexpr (ofSingles<Real>) return rounded(exp2OfNegative(widened(x)));
    return exp2(x);
}
BRIDGE_OF_PRODUCT(exp2OfNegative)

// log(1 + x/y) for 0 <= x/y < 5.6, where a machine has nothing better.
template <class Real> BRIDGE_FN Real log1pOfQuotient(const Real& x, const Real& y) {
    if constexpr (ofSingles<Real>) return rounded(log1pOfQuotient(widened(x), widened(y)));
    return log1p(x / y);
}
BRIDGE_OF_PRODUCTS(log1pOfQuotient)

// `bit` where the mask holds, else no bit.
template <class Real> BRIDGE_FN Bits<Real> flag(const Mask<Real>& mask, int bit) {
    return select(mask, Bits<Real>(bit), Bits<Real>(0));
}
template <class Real> BRIDGE_FN Mask<Real> has_any(const Bits<Real>& word, int bits) {
    return (word & Bits<Real>(bits)) != Bits<Real>(0);
}

}  // namespace BRIDGE_NAMESPACE

#include "iterate.h"
#include "table.h"
