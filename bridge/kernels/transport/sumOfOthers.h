// A sum over all species but one, for each of them.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

// sum_{j!=i} without a difference that cancels: only the largest term can be most of the total,
// and for that one the rest is summed on its own.
template <class Real> struct SumOfOthers {
    Real total = 0.0, largest = 0.0, rest = 0.0;
    BRIDGE_MEMBER void add(const Real& term) {
        const Mask<Real> larger = term > largest;
        rest = rest + select(larger, largest, term);
        largest = select(larger, term, largest);
        total = total + term;
    }
    BRIDGE_MEMBER Real without(const Real& term) const {
        return select(term == largest, rest, total - term);
    }
};

}  // namespace BRIDGE_NAMESPACE
