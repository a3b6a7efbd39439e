/* Parallel regions that several threads do only where that pays off.
 *
 * The threads are those of the host's OpenMP. Where other programs use the cores, one of them may
 * begin when the others have long been done, a slice of the scheduler later: milliseconds, in the
 * place of a region of microseconds. What a region has lost in this way against one thread, the next
 * ones of as many points do in one thread, before several are tried again.
 */
#ifndef BRIDGE_SHARING_H
#define BRIDGE_SHARING_H

#include "environment.h"
#include "interface.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace BRIDGE_NAMESPACE {
namespace {

/* The most that losses one after the other count more than the first. */
constexpr int32_t mostWeight = 16;

inline int64_t nanosecondsNow() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

/* One region of so many points. Other threads of the host may be in regions of the same `sharing`:
 * then a loss may count once too often, or not at all. */
class Region {
public:
    Region(bridge_sharing& sharing, int64_t points, int threads)
        : sharing(sharing), points(points), threads(threads) {
        if (threads <= 1) return;
        alone = load(sharing.owed) > 0 && points <= 2 * load(sharing.points);
        if (alone) this->threads = 1;
        begin = nanosecondsNow();
    }
    ~Region() {
        if (begin == 0) return;
        const int64_t taken = nanosecondsNow() - begin;
        if (alone)
            store(sharing.owed, load(sharing.owed) - taken);
        else
            settle(taken - spent.load(std::memory_order_relaxed));
    }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    /* How many threads it gets. */
    int count() const { return threads; }

    /* At most so many. */
    void limit(int64_t parts) {
        threads = static_cast<int>(std::min<int64_t>(threads, std::max<int64_t>(parts, 1)));
        if (threads == 1 && !alone) begin = 0; /* nothing to share */
    }

    /* part(t) for t = 0 .. count()-1, each by a thread of its own, in the host's environment. */
    template <class Part> void each(Part part) {
        if (threads <= 1) {
            part(0);
            return;
        }
        const HostEnvironment inherited;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (int t = 0; t < threads; ++t) {
            const int64_t from = nanosecondsNow();
            part(t);
            spent.fetch_add(nanosecondsNow() - from, std::memory_order_relaxed);
        }
    }

private:
    template <class T> static T load(const T& word) {
        return __atomic_load_n(&word, __ATOMIC_RELAXED);
    }
    template <class T> static void store(T& word, T value) {
        __atomic_store_n(&word, value, __ATOMIC_RELAXED);
    }

    /* One thread would have taken what all of them together have, or less. */
    void settle(int64_t lost) {
        if (lost <= 0) {
            if (load(sharing.weight) > 1) store(sharing.weight, int32_t{1});
            return;
        }
        const int32_t weight = std::max(load(sharing.weight), int32_t{1});
        store(sharing.owed, lost * weight);
        store(sharing.points, points);
        store(sharing.weight, std::min(2 * weight, mostWeight));
    }

    bridge_sharing& sharing;
    const int64_t points;
    int threads;
    bool alone = false;
    int64_t begin = 0;
    std::atomic<int64_t> spent{0};
};

}  // namespace
}  // namespace BRIDGE_NAMESPACE

#endif
