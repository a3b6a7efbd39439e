// A quantity at the neighbours of a point: what kernels that list it in `reads` get.
//
// Neighbours u              u.at<-1, 0, 0>()[m]   a number; u[m]: of the point itself
// ScalarNeighbours p        p.at<-1, 0, 0>()      a number
// IntegerNeighbours n       n.at<-1, 0, 0>()[m]   an integer; n[m]
// ScalarIntegerNeighbours n n.at<-1, 0, 0>()      an integer
//
// And `Private line` of a sweep: line[n], a number that a line keeps from point to point.
//
// No templates, so that `at` needs none before its name. What the memory holds is a value that the
// compiler knows where the object is made: no branch of it is left.
#pragma once
#include "boxes.h"

namespace BRIDGE_NAMESPACE {

namespace boxes {

enum Kind { kindDouble, kindFloat, kindInt };

// Where a point's values lie: `along` elements behind `base`, and how far its neighbours are.
struct Around {
    const void* base;
    long long along, x, y, z;
    long long columns;  // from one to the next
    Kind kind;
    bool scaled;
    double scale;

    template <int di, int dj, int dk> BRIDGE_MEMBER long long to() const {
        return along + di * x + dj * y + dk * z;
    }
    template <class Element> BRIDGE_MEMBER Element load(long long at) const {
        return static_cast<const Element*>(base)[at];
    }
    BRIDGE_MEMBER Number<1> number(long long at) const {
        const double value = kind == kindDouble  ? load<double>(at)
                             : kind == kindFloat ? static_cast<double>(load<float>(at))
                                                 : static_cast<double>(load<int>(at));
        return scaled ? value * scale : value;
    }
    BRIDGE_MEMBER Word<1> word(long long at) const {
        return kind == kindInt ? load<int>(at) : static_cast<int>(load<double>(at));
    }
};

struct NeighbourColumns {
    const Around& around;
    long long at;
    BRIDGE_MEMBER Number<1> operator[](int column) const {
        return around.number(at + column * around.columns);
    }
};
struct IntegerNeighbourColumns {
    const Around& around;
    long long at;
    BRIDGE_MEMBER Word<1> operator[](int column) const {
        return around.word(at + column * around.columns);
    }
};

}  // namespace boxes

struct Neighbours {
    boxes::Around around;
    template <int di, int dj, int dk> BRIDGE_MEMBER boxes::NeighbourColumns at() const {
        return {around, around.to<di, dj, dk>()};
    }
    BRIDGE_MEMBER Number<1> operator[](int column) const {
        return around.number(around.along + column * around.columns);
    }
};
struct ScalarNeighbours {
    boxes::Around around;
    template <int di, int dj, int dk> BRIDGE_MEMBER Number<1> at() const {
        return around.number(around.to<di, dj, dk>());
    }
};
struct IntegerNeighbours {
    boxes::Around around;
    template <int di, int dj, int dk> BRIDGE_MEMBER boxes::IntegerNeighbourColumns at() const {
        return {around, around.to<di, dj, dk>()};
    }
    BRIDGE_MEMBER Word<1> operator[](int column) const {
        return around.word(around.along + column * around.columns);
    }
};
struct ScalarIntegerNeighbours {
    boxes::Around around;
    template <int di, int dj, int dk> BRIDGE_MEMBER Word<1> at() const {
        return around.word(around.to<di, dj, dk>());
    }
};

// The thread's own, which goes along the line: few that have constant numbers are registers.
struct Private {
    Number<1>* numbers;
    BRIDGE_MEMBER Number<1>& operator[](int number) { return numbers[number]; }
    BRIDGE_MEMBER const Number<1>& operator[](int number) const { return numbers[number]; }
};

}  // namespace BRIDGE_NAMESPACE
