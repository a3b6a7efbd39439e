/* How a launch wrapper sees the slots of a block: one vector of points at a time.
 *
 * The wrappers themselves are written by generate_launchers.py from the catalogue. Species arrays
 * are handed to a kernel as views of the scratch (nothing is copied), scalars by value.
 */
#ifndef BRIDGE_KERNELS_CPU_LAUNCH_H
#define BRIDGE_KERNELS_CPU_LAUNCH_H

#include "../point.h"
#include "interface.h"

namespace BRIDGE_NAMESPACE {

/* Column c of a quantity at one vector of points. */
class InColumns {
public:
    BRIDGE_INLINE InColumns(const bridge_argument& slot, int64_t vector)
        : base(slot.base + vector * slot.vector_stride), stride(slot.column_stride) {}
    BRIDGE_INLINE Lanes operator[](int column) const {
        return loadLanes(reinterpret_cast<const double*>(base + column * stride));
    }

private:
    const char* base;
    int64_t stride;
};

/* A place that a kernel assigns a Real to, and may read back. */
class OutColumn {
public:
    BRIDGE_INLINE explicit OutColumn(double* p) : place(p) {}
    BRIDGE_INLINE void operator=(const OutColumn& other) const { store(place, Lanes(other)); }
    BRIDGE_INLINE void operator=(Lanes value) const { store(place, value); }
    BRIDGE_INLINE void operator+=(Lanes value) const { store(place, loadLanes(place) + value); }
    BRIDGE_INLINE void operator-=(Lanes value) const { store(place, loadLanes(place) - value); }
    BRIDGE_INLINE void operator*=(Lanes value) const { store(place, loadLanes(place) * value); }
    BRIDGE_INLINE operator Lanes() const { return loadLanes(place); }

private:
    double* place;
};

class OutColumns {
public:
    BRIDGE_INLINE OutColumns(const bridge_argument& slot, int64_t vector)
        : base(slot.base + vector * slot.vector_stride), stride(slot.column_stride) {}
    BRIDGE_INLINE OutColumn operator[](int column) const {
        return OutColumn(reinterpret_cast<double*>(base + column * stride));
    }

private:
    char* base;
    int64_t stride;
};

BRIDGE_INLINE Lanes loadReal(const bridge_argument& slot, int64_t vector) {
    return loadLanes(reinterpret_cast<const double*>(slot.base + vector * slot.vector_stride));
}
BRIDGE_INLINE LaneBits loadWord(const bridge_argument& slot, int64_t vector) {
    return loadBits(reinterpret_cast<const int64_t*>(slot.base + vector * slot.vector_stride));
}
BRIDGE_INLINE void storeReal(const bridge_argument& slot, int64_t vector, Lanes value) {
    store(reinterpret_cast<double*>(slot.base + vector * slot.vector_stride), value);
}
BRIDGE_INLINE void storeWord(const bridge_argument& slot, int64_t vector, LaneBits value) {
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
