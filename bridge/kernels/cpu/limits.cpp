/* What one core can do at most, measured: compiled by `bridge advise` on the machine it is about,
 * with the flags of a kernel pack.
 *
 * Each entry repeats one operation on several independent numbers and returns how many it has
 * done: `vector_` on vectors of points as kernels have them, `scalar_` on plain doubles, as a loop
 * that the compiler has not vectorised.
 */
#include "../point.h"
#include "functions.h"

#include <cmath>
#include <cstdint>

using namespace BRIDGE_NAMESPACE;

#define EXPORT extern "C" __attribute__((visibility("default"), noinline))

/* Independent numbers: enough to fill the pipes, few enough for the registers. */
constexpr int CHAINS = 10;

/* `argument` makes the next argument of the result y. The compiler cannot look through the empty
 * statement: each double stays alone. */
#define OPERATION(name, vectorResult, scalarResult, argument)                                    \
    EXPORT int64_t vector_##name(double* seed, int64_t turns) {                                  \
        Lanes x[CHAINS];                                                                         \
        _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) x[c] = loadLanes(seed);        \
        for (int64_t turn = 0; turn < turns; ++turn) {                                           \
            _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) {                          \
                const Lanes v = x[c], y = vectorResult;                                          \
                x[c] = argument;                                                                 \
            }                                                                                    \
        }                                                                                        \
        _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) {                              \
            store(seed, loadLanes(seed) + x[c]);                                                 \
        }                                                                                        \
        return turns * CHAINS * BRIDGE_LANES;                                                    \
    }                                                                                            \
    EXPORT int64_t scalar_##name(double* seed, int64_t turns) {                                  \
        double x[CHAINS];                                                                        \
        _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) x[c] = seed[c % BRIDGE_LANES]; \
        for (int64_t turn = 0; turn < turns; ++turn) {                                           \
            _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) {                          \
                const double v = x[c], y = scalarResult;                                         \
                x[c] = argument;                                                                 \
                asm volatile("" : "+x"(x[c]));                                                   \
            }                                                                                    \
        }                                                                                        \
        _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) seed[0] += x[c];               \
        return turns * CHAINS;                                                                   \
    }

OPERATION(fused, v * 0.5 + 0.5, v * 0.5 + 0.5, y)
OPERATION(divide, 1.0 / v, 1.0 / v, y)
#define FUNCTION(name, scalarResult, argument) OPERATION(name, name(v), scalarResult, argument)
BRIDGE_FUNCTIONS(FUNCTION)

/* Copies n doubles, many times; plain stores, so that a line is fetched before it is written. */
EXPORT void copy(double* to, const double* from, int64_t n, int64_t turns) {
    for (int64_t turn = 0; turn < turns; ++turn) {
        for (int64_t k = 0; k + BRIDGE_LANES <= n; k += BRIDGE_LANES) {
            store(to + k, loadLanes(from + k));
        }
        asm volatile("" : : "r"(to), "r"(from) : "memory");
    }
}
