/* How a number becomes an element of the caller's array. */
#ifndef BRIDGE_KERNELS_CPU_ELEMENT_H
#define BRIDGE_KERNELS_CPU_ELEMENT_H

#include "lanes.h"

#include <type_traits>

namespace BRIDGE_NAMESPACE {

template <class T> constexpr bool isDouble = std::is_same_v<std::remove_const_t<T>, double>;

/* A number as an element of the array. A finite one that only an infinity could stand for becomes
 * NaN: an infinity would look like a result. */
template <class To, class From> BRIDGE_INLINE To element(From x) {
    if constexpr (std::is_same_v<To, float> && isDouble<From>) {
        constexpr double first = 0x1.ffffffp+127, largest = __DBL_MAX__;
        const double size = __builtin_fabs(x);
        x = ((size >= first) & (size <= largest)) ? __builtin_nan("") : x;
    }
    return static_cast<To>(x);
}

}  // namespace BRIDGE_NAMESPACE

#endif
