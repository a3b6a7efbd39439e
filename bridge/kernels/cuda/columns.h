// How a thread meets arrays of several columns: column c of its own point.
//
// Views have the point index fastest, so that neighbouring threads read neighbouring memory.
#pragma once

namespace BRIDGE_NAMESPACE {

struct Columns {
    const double* place;  // column 0 of this point
    long long stride;
    BRIDGE_MEMBER double operator[](int column) const { return __ldg(place + column * stride); }
};

// The caller's unit: a factor on the way in.
struct ScaledColumns {
    const double* place;
    long long stride;
    double scale;
    BRIDGE_MEMBER double operator[](int column) const {
        return __ldg(place + column * stride) * scale;
    }
};

// An output that nothing else reads, written where the caller wants it.
struct OutColumns {
    double* place;
    long long stride;
    BRIDGE_MEMBER double& operator[](int column) const { return place[column * stride]; }
};

// The thread's own column of shared memory: no other thread touches it, so nothing waits. Volatile,
// or the compiler would keep what it has read once in the registers that this memory is to spare.
template <int threads> struct TileColumns {
    volatile double* place;
    BRIDGE_MEMBER double operator[](int column) const { return place[column * threads]; }
    BRIDGE_MEMBER volatile double& operator[](int column) { return place[column * threads]; }
};

}  // namespace BRIDGE_NAMESPACE
