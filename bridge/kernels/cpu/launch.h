/* How a launch wrapper sees the slots of a block: one vector of points at a time.
 *
 * A vector is BRIDGE_WIDTH points: one register of lanes or, where there are registers enough, two.
 * The wrappers themselves are written by generate_launchers.py from the catalogue. Species arrays
 * are handed to a kernel as views of the scratch (nothing is copied), scalars by value.
 */
#ifndef BRIDGE_KERNELS_CPU_LAUNCH_H
#define BRIDGE_KERNELS_CPU_LAUNCH_H

#include "../point.h"
#include "interface.h"
#include "width.h"

namespace BRIDGE_NAMESPACE {

/* What kernels compute with here. */
#if BRIDGE_REGISTERS == 2
using Wide = Twice;
using WideBits = TwiceBits;
BRIDGE_INLINE Wide loadWide(const double* p) {
    return {loadLanes(p), loadLanes(p + BRIDGE_LANES)};
}
BRIDGE_INLINE WideBits loadWide(const int64_t* p) {
    return {loadBits(p), loadBits(p + BRIDGE_LANES)};
}
BRIDGE_INLINE void store(double* p, Wide x) {
    store(p, x.a);
    store(p + BRIDGE_LANES, x.b);
}
BRIDGE_INLINE void store(int64_t* p, WideBits x) {
    store(p, x.a);
    store(p + BRIDGE_LANES, x.b);
}
#else
using Wide = Lanes;
using WideBits = LaneBits;
BRIDGE_INLINE Wide loadWide(const double* p) { return loadLanes(p); }
BRIDGE_INLINE WideBits loadWide(const int64_t* p) { return loadBits(p); }
#endif

/* Column c of a quantity at one vector of points: of reals in memory as doubles, of integers as
 * words of 64 bits. */
template <class Value, class Element> class InColumnsOf {
public:
    BRIDGE_INLINE InColumnsOf(const bridge_argument& slot, int64_t vector)
        : base(slot.base + vector * slot.vector_stride), stride(slot.column_stride) {}
    BRIDGE_INLINE Value operator[](int column) const {
        return loadWide(reinterpret_cast<const Element*>(base + column * stride));
    }

private:
    const char* base;
    int64_t stride;
};

/* A place that a kernel assigns a number to, and may read back. */
template <class Value, class Element> class OutColumnOf {
public:
    BRIDGE_INLINE explicit OutColumnOf(Element* p) : place(p) {}
    BRIDGE_INLINE void operator=(const OutColumnOf& other) const { store(place, Value(other)); }
    BRIDGE_INLINE void operator=(Value value) const { store(place, value); }
    BRIDGE_INLINE operator Value() const { return loadWide(place); }

#define BRIDGE_COMPOUND(op)                                                                      \
    BRIDGE_INLINE void operator op##=(Value value) const {                                       \
        store(place, loadWide(static_cast<const Element*>(place)) op value);                     \
    }
    BRIDGE_COMPOUND(+)
    BRIDGE_COMPOUND(-)
    BRIDGE_COMPOUND(*)
    BRIDGE_COMPOUND(/)
    BRIDGE_COMPOUND(%)
    BRIDGE_COMPOUND(&)
    BRIDGE_COMPOUND(|)
    BRIDGE_COMPOUND(^)
#undef BRIDGE_COMPOUND

private:
    Element* place;
};

template <class Value, class Element> class OutColumnsOf {
public:
    BRIDGE_INLINE OutColumnsOf(const bridge_argument& slot, int64_t vector)
        : base(slot.base + vector * slot.vector_stride), stride(slot.column_stride) {}
    BRIDGE_INLINE OutColumnOf<Value, Element> operator[](int column) const {
        return OutColumnOf<Value, Element>(reinterpret_cast<Element*>(base + column * stride));
    }

private:
    char* base;
    int64_t stride;
};

using InColumns = InColumnsOf<Wide, double>;
using OutColumns = OutColumnsOf<Wide, double>;
using InWords = InColumnsOf<WideBits, int64_t>;
using OutWords = OutColumnsOf<WideBits, int64_t>;

BRIDGE_INLINE Wide loadReal(const bridge_argument& slot, int64_t vector) {
    return loadWide(reinterpret_cast<const double*>(slot.base + vector * slot.vector_stride));
}
BRIDGE_INLINE WideBits loadWord(const bridge_argument& slot, int64_t vector) {
    return loadWide(reinterpret_cast<const int64_t*>(slot.base + vector * slot.vector_stride));
}
BRIDGE_INLINE void storeReal(const bridge_argument& slot, int64_t vector, Wide value) {
    store(reinterpret_cast<double*>(slot.base + vector * slot.vector_stride), value);
}
BRIDGE_INLINE void storeWord(const bridge_argument& slot, int64_t vector, WideBits value) {
    store(reinterpret_cast<int64_t*>(slot.base + vector * slot.vector_stride), value);
}

/* What the generated table holds. */
struct NamedKernel {
    const char* name;
    bridge_kernel launch;
    int arguments;
};
extern const NamedKernel namedKernels[];
extern const int numberOfKernels;

}  // namespace BRIDGE_NAMESPACE

#endif
