/* Functions of one number whose cost is measured (limits.cpp): X(name, the same in the C library,
 * next argument), where the next argument is made of the result y and stays in the domain. */
#ifndef BRIDGE_KERNELS_CPU_FUNCTIONS_H
#define BRIDGE_KERNELS_CPU_FUNCTIONS_H

#define BRIDGE_FUNCTIONS(X)                                                                      \
    X(sqrt, std::sqrt(v), y + 0.5)                                                               \
    X(exp, std::exp(v), y * 0.25)                                                                \
    X(log, std::log(v), y + 2.0)                                                                 \
    X(exp2, std::exp2(v), y * 0.25)                                                              \
    X(log1p, std::log1p(v), y + 1.0)                                                             \
    X(expm1, std::expm1(v), y * 0.25)                                                            \
    X(cbrt, std::cbrt(v), y + 0.5)                                                               \
    X(acos, std::acos(v), y * 0.5)                                                               \
    X(sinpi, std::sin(3.141592653589793 * v), y * 0.5)                                           \
    X(cospi, std::cos(3.141592653589793 * v), y * 0.5)

#endif
