/* The executor: runs a plan over blocks of points, kernel after kernel.
 *
 * A block's intermediates stay in the thread's own scratch, small enough for the cache. Inputs of
 * a block are read before its outputs are written, so one array may be both. Every thread works
 * in the default floating-point environment and gives its own back afterwards; threads that are
 * started here begin with the host's (environment.h).
 */
#include "environment.h"
#include "launch.h"
#include "marshal.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <omp.h>

namespace BRIDGE_NAMESPACE {
namespace {

constexpr int64_t lanes = BRIDGE_WIDTH;
constexpr int64_t smallestBlock = 64; /* below this, blocks are not split to feed more threads */
std::atomic<int64_t> allocations{0};

struct DefaultFloatingPoint {
    std::fenv_t saved;
    DefaultFloatingPoint() {
        std::fegetenv(&saved);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultFloatingPoint() { std::fesetenv(&saved); }
};

/* Memory that grows to the largest plan this thread has run, and stays. */
class Scratch {
public:
    ~Scratch() {
        std::free(memory);
        std::free(arguments);
    }
    bool reserve(const bridge_plan& plan) {
        return grow(memory, size, plan.scratch) &&
               grow(arguments, argumentsSize,
                    plan.n_slots * static_cast<int64_t>(sizeof(bridge_argument)));
    }
    char* block() const { return static_cast<char*>(memory); }
    bridge_argument* slots() const { return static_cast<bridge_argument*>(arguments); }

private:
    static bool grow(void*& place, int64_t& have, int64_t wanted) {
        wanted = std::max<int64_t>((wanted + 4095) / 4096 * 4096, 4096);
        if (wanted <= have) return true;
        std::free(place);
        place = std::aligned_alloc(4096, static_cast<size_t>(wanted));
        have = place ? wanted : 0;
        allocations += 1;
        return place != nullptr;
    }
    void* memory = nullptr;
    void* arguments = nullptr;
    int64_t size = 0, argumentsSize = 0;
};
thread_local Scratch threadScratch;

bool finished(const bridge_argument& done, int64_t vector) {
    return all(loadWord(done, vector) != WideBits(0));
}

void runSteps(const bridge_plan& plan, const bridge_argument* slots, int begin, int end,
              int64_t first, int64_t count);

/* Repeat steps on the vectors that still have an unfinished lane, run by run of neighbours. */
void runLoop(const bridge_plan& plan, const bridge_argument* slots, int at, int64_t first,
             int64_t count) {
    const bridge_step& loop = plan.steps[at];
    const bridge_argument& done = slots[loop.done];
    const int64_t last = first + count;
    for (int turn = 0; turn < loop.limit; ++turn) {
        bool busy = false;
        for (int64_t v = first; v < last;) {
            while (v < last && finished(done, v)) ++v;
            int64_t end = v;
            while (end < last && !finished(done, end)) ++end;
            if (end > v) {
                busy = true;
                runSteps(plan, slots, at + 1, at + 1 + loop.span, v, end - v);
            }
            v = end;
        }
        if (!busy) return;
    }
}

void runSteps(const bridge_plan& plan, const bridge_argument* slots, int begin, int end,
              int64_t first, int64_t count) {
    for (int s = begin; s < end; ++s) {
        const bridge_step& step = plan.steps[s];
        if (step.kernel) {
            step.kernel(plan.shared, slots, step.arguments, first, count);
        } else {
            runLoop(plan, slots, s, first, count);
            s += step.span;
        }
    }
}

void runBlock(const bridge_plan& plan, const Scratch& scratch, int64_t first, int64_t n) {
    bridge_argument* slots = scratch.slots();
    const int64_t vectors = (n + lanes - 1) / lanes;
    for (int s = 0; s < plan.n_slots; ++s) {
        const bridge_slot& slot = plan.slots[s];
        slots[s] = {scratch.block() + slot.scratch, slot.columns * lanes * 8, lanes * 8};
        if (slot.zero)
            std::memset(slots[s].base, 0, static_cast<size_t>(vectors * slot.columns * lanes * 8));
        if (slot.input < 0) continue;
        const bridge_array& array = plan.arrays[slot.input];
        if (!inPlace(array, slot, first, n, slots[s]))
            gatherBlock(array, slot, first, n, slots[s].base);
    }
    runSteps(plan, slots, 0, plan.n_steps, 0, vectors);
    for (int s = 0; s < plan.n_slots; ++s) {
        const bridge_slot& slot = plan.slots[s];
        if (slot.output >= 0) scatterBlock(plan.arrays[slot.output], slot, first, n, slots[s]);
    }
}

}  // namespace
}  // namespace BRIDGE_NAMESPACE

using namespace BRIDGE_NAMESPACE;

#define BRIDGE_EXPORT extern "C" __attribute__((visibility("default")))

BRIDGE_EXPORT int bridge_cpu_threads(const bridge_plan* plan, int64_t n, int threads) {
    return static_cast<int>(std::clamp<int64_t>(n / plan->share, 1, std::max(threads, 1)));
}

BRIDGE_EXPORT int bridge_cpu_run(const bridge_plan* plan, int64_t first, int64_t n, int threads) {
    if (n <= 0) return 0;
    threads = bridge_cpu_threads(plan, n, threads);
    int64_t block = plan->block;
    if (threads > 1) { /* a short range still feeds every thread */
        const int64_t share = ((n + threads - 1) / threads + lanes - 1) / lanes * lanes;
        block = std::min(block, std::max(smallestBlock, share));
    }
    const int64_t blocks = (n + block - 1) / block;
    const auto run = [&](const Scratch& scratch, int64_t b) {
        runBlock(*plan, scratch, first + b * block, std::min(block, n - b * block));
    };
    if (threads <= 1 || blocks == 1) {
        const DefaultFloatingPoint environment;
        if (!threadScratch.reserve(*plan)) return BRIDGE_CPU_NO_MEMORY;
        for (int64_t b = 0; b < blocks; ++b) run(threadScratch, b);
        return 0;
    }
    std::atomic<int> outcome{0};
    const HostEnvironment inherited;
#pragma omp parallel num_threads(static_cast<int>(std::min<int64_t>(threads, blocks)))
    {
        const DefaultFloatingPoint environment;
        const bool ready = threadScratch.reserve(*plan);
        if (!ready) outcome = BRIDGE_CPU_NO_MEMORY;
#pragma omp for schedule(static)
        for (int64_t b = 0; b < blocks; ++b)
            if (ready) run(threadScratch, b);
    }
    return outcome;
}

BRIDGE_EXPORT int bridge_cpu_lanes(void) { return BRIDGE_LANES; }

BRIDGE_EXPORT int bridge_cpu_supports(const char* isa) {
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (!std::strcmp(isa, "v2")) return __builtin_cpu_supports("sse4.2") != 0;
    if (!std::strcmp(isa, "v3")) return v3;
    if (!std::strcmp(isa, "v4")) return v4;
    return 0;
}

BRIDGE_EXPORT int64_t bridge_cpu_allocations(void) { return allocations; }
