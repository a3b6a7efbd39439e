/* What this machine runs. Compiled for the least of x86-64, whatever its library is for: any of them
 * answers on any machine. */
#include "interface.h"

#include <cstring>

extern "C" __attribute__((visibility("default"))) int bridge_cpu_supports(const char* isa) {
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
