// CUDA C++ on a CPU: the threads of a block take turns and wait for each other at barriers.
//
// For correctness, not for speed: blocks run one after the other, each thread on a stack of its
// own. A barrier that some threads of a block do not reach ends the launch with a message. What is
// not here (filtered textures, cooperative groups, matrix units) does not compile.
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define EMULATED 1

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};
struct float2 { float x, y; };
struct float3 { float x, y, z; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static constexpr int warpSize = 32;

namespace emulation {

enum class State { ready, at_block, at_warp, at_grid, done };

struct Thread {
    jmp_buf place;  // where it goes on
    std::vector<char> stack;
    uint3 index, block;
    std::size_t number;  // among those that run at the same time
    State state = State::ready;
    unsigned barriers = 0;  // of the block that it has waited at
};

constexpr std::size_t STACK = 1 << 16;
inline std::deque<Thread> threads;  // of one block, or of all where blocks wait for each other
inline std::size_t count;           // of them that the launch has
inline jmp_buf scheduler;
inline Thread* running;
inline void (*body)();
inline std::vector<std::uint64_t> slots;
inline std::vector<char> dynamic_shared;  // of the blocks that run at the same time
inline std::size_t shared_of_block;

// Changing stacks by setjmp and longjmp asks nothing of the system, as contexts would each time.
inline void wait(State where) {
    running->state = where;
    if (!_setjmp(running->place)) _longjmp(scheduler, 1);
}

// What every stack runs: one thread after the other, for as long as the process lives.
inline void serve() {
    for (;;) {
        body();
        wait(State::done);
    }
}

inline void resume(Thread& thread) {
    running = &thread;
    if (_setjmp(scheduler)) return;
    if (!thread.stack.empty()) _longjmp(thread.place, 1);
    thread.stack.resize(STACK);
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = thread.stack.data();
    context.uc_stack.ss_size = STACK;
    context.uc_link = nullptr;
    makecontext(&context, serve, 0);
    setcontext(&context);
}

inline unsigned rank_in_block(const Thread& t) {
    return (t.index.z * blockDim.y + t.index.y) * blockDim.x + t.index.x;
}

// The position of a thread among those that run at the same time.
inline std::size_t place() { return running->number; }

// Threads of [first, last) go on when all of them that are not done wait at `where`.
inline bool release(std::size_t first, std::size_t last, State where) {
    bool any = false;
    for (std::size_t k = first; k < last; ++k) {
        if (threads[k].state == State::done) continue;
        if (threads[k].state != where) return false;
        any = true;
    }
    for (std::size_t k = first; k < last; ++k)
        if (threads[k].state == where) threads[k].state = State::ready;
    return any;
}

// Returns false where threads wait that nobody will release.
inline bool run_threads(std::size_t in_block) {
    for (;;) {
        bool ran = false, left = false;
        for (std::size_t k = 0; k < count; ++k) {
            Thread& thread = threads[k];
            if (thread.state == State::done) continue;
            left = true;
            if (thread.state != State::ready) continue;
            threadIdx = thread.index;
            blockIdx = thread.block;
            resume(thread);
            ran = true;
        }
        if (!left) return true;
        bool released = false;
        for (std::size_t block = 0; block < count; block += in_block) {
            for (std::size_t warp = 0; warp < in_block; warp += warpSize) {
                const std::size_t end = warp + warpSize < in_block ? warp + warpSize : in_block;
                released |= release(block + warp, block + end, State::at_warp);
            }
            released |= release(block, block + in_block, State::at_block);
        }
        released |= release(0, count, State::at_grid);
        if (!ran && !released) return false;
    }
}

// Whether all threads of each block have waited as often: one that leaves before the others do, or
// goes round a loop less often, has missed a barrier.
inline bool all_waited(std::size_t in_block) {
    for (std::size_t k = 0; k < count; ++k)
        if (threads[k].barriers != threads[k - k % in_block].barriers) return false;
    return true;
}

// A kernel with its arguments as a function without any: <functional> takes longer to compile than
// most kernels.
template <class... Arguments>
struct Work {
    static inline void (*kernel)(Arguments...);
    static inline void** given;
    template <std::size_t... Number>
    static void call(std::index_sequence<Number...>) {
        kernel(*static_cast<std::remove_reference_t<Arguments>*>(given[Number])...);
    }
    static void run() { call(std::index_sequence_for<Arguments...>{}); }
};

// sizes: of the grid, of a block; returns 0, or 1 where a barrier is not reached by all.
template <class... Arguments>
int launch(void (*kernel)(Arguments...), void** given, const unsigned* sizes, unsigned shared,
           bool together) {
    gridDim = {sizes[0], sizes[1], sizes[2]};
    blockDim = {sizes[3], sizes[4], sizes[5]};
    const std::size_t in_block = std::size_t(blockDim.x) * blockDim.y * blockDim.z;
    const std::size_t blocks = std::size_t(gridDim.x) * gridDim.y * gridDim.z;
    Work<Arguments...>::kernel = kernel;
    Work<Arguments...>::given = given;
    body = Work<Arguments...>::run;
    const std::size_t at_once = together ? blocks : 1;
    shared_of_block = (shared + 15) / 16 * 16;
    dynamic_shared.assign(at_once * shared_of_block + 16, 0x5a);
    count = at_once * in_block;
    while (threads.size() < count) threads.emplace_back();
    slots.assign(count, 0);
    for (std::size_t first = 0; first < blocks; first += at_once) {
        for (std::size_t k = 0; k < count; ++k) {
            const unsigned t = unsigned(k % in_block), b = unsigned(first + k / in_block);
            Thread& thread = threads[k];
            thread.index = {t % blockDim.x, t / blockDim.x % blockDim.y,
                            t / blockDim.x / blockDim.y};
            thread.block = {b % gridDim.x, b / gridDim.x % gridDim.y, b / gridDim.x / gridDim.y};
            thread.number = k;
            thread.state = State::ready;
            thread.barriers = 0;
        }
        if (!run_threads(in_block) || !all_waited(in_block)) {
            threads.clear();  // some wait for ever: others begin anew
            return 1;
        }
    }
    return 0;
}

// The dynamic shared memory of the running block.
inline std::uintptr_t shared_memory() {
    const std::size_t in_block = std::size_t(blockDim.x) * blockDim.y * blockDim.z;
    const auto first = reinterpret_cast<std::uintptr_t>(dynamic_shared.data()) + 15;
    return (first & ~std::uintptr_t(15)) + place() / in_block * shared_of_block;
}

// What another lane of the warp gives.
template <class Value>
Value exchange(Value value, unsigned lane) {
    static_assert(sizeof(Value) <= 8, "a word");
    const std::size_t at = place();
    const std::size_t in_block = std::size_t(blockDim.x) * blockDim.y * blockDim.z;
    const std::size_t warp = at - (at % in_block) % warpSize;
    std::memcpy(&slots[at], &value, sizeof value);
    wait(State::at_warp);
    Value other = value;
    if (lane < unsigned(warpSize) && (at % in_block) / warpSize * warpSize + lane < in_block)
        std::memcpy(&other, &slots[warp + lane], sizeof other);
    wait(State::at_warp);
    return other;
}

inline unsigned lane() { return rank_in_block(*running) % warpSize; }

}  // namespace emulation

#define DYNAMIC_SHARED(type, name) \
    type* name = reinterpret_cast<type*>(emulation::shared_memory())

inline void __syncthreads() {
    ++emulation::running->barriers;
    emulation::wait(emulation::State::at_block);
}
inline void __syncwarp(unsigned = ~0u) { emulation::wait(emulation::State::at_warp); }
inline void sync_grid(unsigned*) { emulation::wait(emulation::State::at_grid); }
inline void __threadfence() {}
inline void __threadfence_block() {}
template <class T> T __shfl_sync(unsigned, T v, int from, int = 32) {
    return emulation::exchange(v, unsigned(from) & 31u);
}
template <class T> T __shfl_down_sync(unsigned, T v, unsigned d, int = 32) {
    return emulation::exchange(v, emulation::lane() + d);
}
template <class T> T __shfl_up_sync(unsigned, T v, unsigned d, int = 32) {
    return emulation::exchange(v, emulation::lane() - d);
}
template <class T> T __shfl_xor_sync(unsigned, T v, int d, int = 32) {
    return emulation::exchange(v, emulation::lane() ^ unsigned(d));
}
inline unsigned __ballot_sync(unsigned, int vote) {
    unsigned all = 0;
    for (unsigned k = 0; k < 32; ++k) {
        const unsigned mine = vote ? 1u : 0u;
        const std::size_t in_block = std::size_t(blockDim.x) * blockDim.y * blockDim.z;
        const std::size_t base = (emulation::place() % in_block) / 32 * 32;
        const unsigned one = emulation::exchange(mine, k);
        if (base + k < in_block) all |= one << k;
    }
    return all;
}
using cudaTextureObject_t = const float*;
template <class T> T tex1Dfetch(cudaTextureObject_t texture, int k) { return texture[k]; }
template <class T> T __ldg(const T* p) { return *p; }
template <class T> T __ldcs(const T* p) { return *p; }
template <class T> void __stcs(T* p, T v) { *p = v; }
template <class T> T atomicAdd(T* p, T v) { T old = *p; *p = old + v; return old; }
template <class T> T atomicMax(T* p, T v) { T old = *p; *p = old < v ? v : old; return old; }
template <class T> T atomicMin(T* p, T v) { T old = *p; *p = v < old ? v : old; return old; }
template <class T> T atomicExch(T* p, T v) { T old = *p; *p = v; return old; }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __clz(int bits) { return bits ? __builtin_clz(unsigned(bits)) : 32; }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline long long clock64() { return 0; }
inline int __float_as_int(float x) { int bits; std::memcpy(&bits, &x, 4); return bits; }
inline float __fmaf_rn(float a, float b, float c) { return std::fmaf(a, b, c); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return std::exp(x); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
