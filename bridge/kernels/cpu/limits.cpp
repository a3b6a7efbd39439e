/* What one core can do at most, measured: compiled by `bridge advise` on the machine it is about,
 * with the flags of a kernel pack.
 *
 * Each entry repeats one operation on several independent numbers and returns how many it has
 * done: `vector_` on vectors of points as kernels have them, `scalar_` on plain doubles, as a loop
 * that the compiler has not vectorised.
 */
#include "../point.h"

#include <cmath>
#include <cstdint>

using namespace BRIDGE_NAMESPACE;

#define EXPORT extern "C" __attribute__((visibility("default"), noinline))

/* Independent numbers: enough to fill the pipes, few enough for the registers. */
constexpr int CHAINS = 10;

/* `argument` makes the next argument of the result y. The compiler cannot look through the empty
 * statement: each double stays alone. */
#define OPERATION(name, vectorResult, scalarResult, argument)                                     \
    EXPORT int64_t vector_##name(double* seed, int64_t turns) {                                   \
        Lanes x[CHAINS];                                                                          \
        _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) x[c] = loadLanes(seed);         \
        for (int64_t turn = 0; turn < turns; ++turn) {                                            \
            _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) {                           \
                const Lanes v = x[c], y = vectorResult;                                           \
                x[c] = argument;                                                                  \
            }                                                                                     \
        }                                                                                         \
        _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) {                               \
            store(seed, loadLanes(seed) + x[c]);                                                  \
        }                                                                                         \
        return turns * CHAINS * BRIDGE_LANES;                                                     \
    }                                                                                             \
    EXPORT int64_t scalar_##name(double* seed, int64_t turns) {                                   \
        double x[CHAINS];                                                                         \
        _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) x[c] = seed[c % BRIDGE_LANES];  \
        for (int64_t turn = 0; turn < turns; ++turn) {                                            \
            _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) {                           \
                const double v = x[c], y = scalarResult;                                          \
                x[c] = argument;                                                                  \
                asm volatile("" : "+x"(x[c]));                                                    \
            }                                                                                     \
        }                                                                                         \
        _Pragma("GCC unroll 10") for (int c = 0; c < CHAINS; ++c) seed[0] += x[c];                \
        return turns * CHAINS;                                                                    \
    }

OPERATION(fused, v * 0.5 + 0.5, v * 0.5 + 0.5, y)
OPERATION(divide, 1.0 / v, 1.0 / v, y)
OPERATION(pow, pow(v, Lanes(1.5)), std::pow(v, 1.5), y * 0.5 + 0.25)
OPERATION(atan2, atan2(v, Lanes(0.7)), std::atan2(v, 0.7), y)
OPERATION(sinpi, sinpi(v), std::sin(3.141592653589793 * v), y * 0.5 + 0.2)
OPERATION(cospi, cospi(v), std::cos(3.141592653589793 * v), y * 0.5 + 0.2)

/* The rest have one name in both. Their next argument stays in the domain, and is no special one. */
#define FUNCTION(name, argument) OPERATION(name, name(v), std::name(v), argument)
FUNCTION(sqrt, y + 0.5)
FUNCTION(exp, y * 0.25)
FUNCTION(log, y + 2.0)
FUNCTION(exp2, y * 0.25)
FUNCTION(log2, y + 2.0)
FUNCTION(log10, y + 2.0)
FUNCTION(log1p, y + 1.0)
FUNCTION(expm1, y * 0.25 + 0.1)
FUNCTION(cbrt, y + 0.5)
FUNCTION(sin, y + 0.1)
FUNCTION(cos, y)
FUNCTION(tan, y * 0.25 + 0.3)
FUNCTION(asin, y * 0.25 + 0.3)
FUNCTION(acos, y * 0.5)
FUNCTION(atan, y + 0.3)
FUNCTION(sinh, y * 0.25 + 0.3)
FUNCTION(cosh, y * 0.25 + 0.3)
FUNCTION(tanh, y + 0.3)
FUNCTION(erf, y + 0.3)

/* Copies n doubles, many times; plain stores, so that a line is fetched before it is written. */
EXPORT void copy(double* to, const double* from, int64_t n, int64_t turns) {
    for (int64_t turn = 0; turn < turns; ++turn) {
        for (int64_t k = 0; k + BRIDGE_LANES <= n; k += BRIDGE_LANES) {
            store(to + k, loadLanes(from + k));
        }
        asm volatile("" : : "r"(to), "r"(from) : "memory");
    }
}
