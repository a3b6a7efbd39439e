/* What kernels of a plan take: one block of some sixty is looked at, where a plan asks for it.
 *
 * A kernel works on a block for a few microseconds, and a look at a clock would be a part of that in
 * each block.
 */
#ifndef BRIDGE_KERNELS_CPU_METER_H
#define BRIDGE_KERNELS_CPU_METER_H

#include "interface.h"

#include <cstdint>
#include <ctime>

namespace BRIDGE_NAMESPACE {

inline int64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Which blocks of a thread are looked at: 1 to 128 blocks lie between two of them, in no order, so
 * that it is not always the first one of a stripe or of a plane. The same ones in each run. */
class Sampler {
public:
    bool due() {
        if (--left > 0) return false;
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        left = 1 + static_cast<int>(state >> 57);
        return true;
    }

private:
    uint64_t state = 1;
    int left = 16; /* the first blocks of a program find nothing in the caches */
};

/* A look at one block, from its beginning to its end; threads share meters. */
class Look {
public:
    explicit Look(bridge_meter* to) : meter(to), begin(to ? nanoseconds() : 0), last(begin) {}
    ~Look() {
        if (meter) add(meter->whole, nanoseconds() - begin);
    }
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;
    /* Inputs are there, and kernels begin. */
    void atKernels() {
        if (!meter) return;
        add(meter->blocks, 1);
        last = nanoseconds();
    }
    /* A step has ended: one look at the clock, which is the beginning of the next step too. */
    void after(int step) {
        if (!meter) return;
        const int64_t now = nanoseconds();
        add(meter->steps[step], now - last);
        last = now;
    }

private:
    static void add(int64_t& sum, int64_t more) {
        __atomic_fetch_add(&sum, more, __ATOMIC_RELAXED);
    }
    bridge_meter* const meter; /* null: nobody looks */
    const int64_t begin;
    int64_t last;
};

}  // namespace BRIDGE_NAMESPACE

#endif
