// How a thread meets memory: column c of its own P points, which lie `step` apart.
//
// Views have the point index fastest, so that neighbouring threads read neighbouring memory. A
// thread whose second point would lie past the end has step 0 and does its first one twice.
#pragma once
#include "number.h"

namespace BRIDGE_NAMESPACE {

// What an index gives where a kernel may write: reads as a number or an integer, takes one.
template <class Value, class Element> struct Place {
    enum { P = Value::points };
    Element* place;
    int step;
    BRIDGE_MEMBER operator Value() const {
        Value r;
        BRIDGE_EACH_POINT r.v[p] = place[p * step];
        return r;
    }
    BRIDGE_MEMBER const Place& operator=(const Value& x) const {
        BRIDGE_EACH_POINT place[p * step] = x.v[p];
        return *this;
    }
    // the value of the other, not where it lies
    BRIDGE_MEMBER const Place& operator=(const Place& x) const { return *this = Value(x); }

#define BRIDGE_COMPOUND(op)                                                                       \
    BRIDGE_MEMBER const Place& operator op##=(const Value& x) const {                             \
        return *this = Value(*this) op x;                                                         \
    }
    // clang-format off
    BRIDGE_COMPOUND(+) BRIDGE_COMPOUND(-) BRIDGE_COMPOUND(*) BRIDGE_COMPOUND(/)
    BRIDGE_COMPOUND(%) BRIDGE_COMPOUND(&) BRIDGE_COMPOUND(|) BRIDGE_COMPOUND(^)
// clang-format on
#undef BRIDGE_COMPOUND
};

template <int P, class Element = double> struct Columns {
    const Element* place;  // column 0 of the first point
    long long stride;
    int step;
    BRIDGE_MEMBER Number<P> doubles(int column) const {
        Number<P> r;
        BRIDGE_EACH_POINT r.v[p] = __ldg(place + column * stride + p * step);
        return r;
    }
    BRIDGE_MEMBER Numbers<P> operator[](int column) const { return doubles(column); }
};

// The caller's unit: a factor by which inputs are multiplied.
template <int P, class Element = double> struct ScaledColumns {
    Columns<P, Element> columns;
    double scale;
    BRIDGE_MEMBER Numbers<P> operator[](int column) const {
        return columns.doubles(column) * scale;
    }
};

// Columns by plain loads: of memory that this launch writes too, or of which the compiler knows
// that it does not, and joins and moves loads of it.
template <int P, class Element = double> struct PlainColumns {
    const Element* place;
    long long stride;
    int step;
    BRIDGE_MEMBER Number<P> doubles(int column) const {
        Number<P> r;
        BRIDGE_EACH_POINT r.v[p] = place[column * stride + p * step];
        return r;
    }
    BRIDGE_MEMBER Numbers<P> operator[](int column) const { return doubles(column); }
};
template <int P, class Element = double> struct ScaledPlainColumns {
    PlainColumns<P, Element> columns;
    double scale;
    BRIDGE_MEMBER Numbers<P> operator[](int column) const {
        return columns.doubles(column) * scale;
    }
};

// An output that nothing else reads, written where the caller wants it.
template <int P, class Element = double> struct OutColumns {
    Element* place;
    long long stride;
    int step;
    BRIDGE_MEMBER Place<Numbers<P>, Element> operator[](int column) const {
        return {place + column * stride, step};
    }
};

// Integers of several columns, in memory of either kind.
template <int P, class Element> struct WordColumns {
    const Element* place;
    long long stride;
    int step;
    BRIDGE_MEMBER Word<P> operator[](int column) const {
        Word<P> r;
        BRIDGE_EACH_POINT r.v[p] = static_cast<int>(place[column * stride + p * step]);
        return r;
    }
};
template <int P, class Element> struct OutWords {
    Element* place;
    long long stride;
    int step;
    BRIDGE_MEMBER Place<Word<P>, Element> operator[](int column) const {
        return {place + column * stride, step};
    }
};

// The thread's own columns of shared memory: no other thread touches them, so nothing waits.
// Volatile, or the compiler would keep what it has read once in the registers that this memory is
// to spare.
template <int P, int pitch> struct TileColumns {
    volatile double* place;
    BRIDGE_MEMBER Numbers<P> operator[](int column) const {
        return Place<Numbers<P>, volatile double>{place + column * pitch, pitch / P};
    }
    BRIDGE_MEMBER Place<Numbers<P>, volatile double> operator[](int column) {
        return {place + column * pitch, pitch / P};
    }
};

// One value of each point as a double, and its factor outside.
template <int P, class Element> BRIDGE_FN Number<P> load(const Element* place, int step) {
    Number<P> r;
    BRIDGE_EACH_POINT r.v[p] = static_cast<double>(place[p * step]);
    return r;
}
template <int P, class Element> BRIDGE_FN Word<P> loadWord(const Element* place, int step) {
    Word<P> r;
    BRIDGE_EACH_POINT r.v[p] = static_cast<int>(place[p * step]);
    return r;
}

// A number as an element of the memory at a place. A finite one that only an infinity of a float
// could stand for becomes NaN: an infinity would look like a result.
template <class Element> BRIDGE_FN Element element(double x, const Element*) {
    return static_cast<Element>(x);
}
BRIDGE_FN float element(double x, const float*) {
    const double size = ::fabs(x), beyond = 3.40282356779733661637539395458142568448e38;
    const bool lost = size >= beyond && size <= 1.7976931348623157e308;
    return static_cast<float>(lost ? BRIDGE_NAN : x);
}

BRIDGE_FN float element(float x, const float*) { return x; }

template <class Element, int P, class Held>
BRIDGE_FN void store(Element* place, int step, const Number<P, Held>& x) {
    BRIDGE_EACH_POINT place[p * step] = element(x.v[p], place);
}
template <class Element, int P, class Held>
BRIDGE_FN void store(Element* place, int step, const Number<P, Held>& x, double scale) {
    BRIDGE_EACH_POINT place[p * step] = element(x.v[p] / scale, place);
}
template <class Element, int P>
BRIDGE_FN void store(Element* place, int step, const Word<P>& x, double scale = 1.0) {
    BRIDGE_EACH_POINT place[p * step] = static_cast<Element>(x.v[p] / scale);
}

// The same where the mask is not 0.
template <class Element, int P, class Held>
BRIDGE_FN void store(const Word<P>& mask, Element* place, int step, const Number<P, Held>& x) {
    BRIDGE_EACH_POINT if (mask.v[p]) place[p * step] = element(x.v[p], place);
}
template <class Element, int P, class Held>
BRIDGE_FN void store(const Word<P>& mask, Element* place, int step, const Number<P, Held>& x,
                     double scale) {
    BRIDGE_EACH_POINT if (mask.v[p]) place[p * step] = element(x.v[p] / scale, place);
}
template <class Element, int P>
BRIDGE_FN void store(const Word<P>& mask, Element* place, int step, const Word<P>& x,
                     double scale = 1.0) {
    BRIDGE_EACH_POINT if (mask.v[p]) place[p * step] = static_cast<Element>(x.v[p] / scale);
}

}  // namespace BRIDGE_NAMESPACE
