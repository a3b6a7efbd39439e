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
    BRIDGE_MEMBER Numbers<1> number(long long at) const {
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
    BRIDGE_MEMBER Numbers<1> operator[](int column) const {
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
    BRIDGE_MEMBER Numbers<1> operator[](int column) const {
        return around.number(around.along + column * around.columns);
    }
};
struct ScalarNeighbours {
    boxes::Around around;
    template <int di, int dj, int dk> BRIDGE_MEMBER Numbers<1> at() const {
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

// A quantity at any cell of its array: what kernels that read "cells" of it get.
//
// Cells u              u.at(i, j, k)[m]   a number of the cell at these positions
// ScalarCells p        p.at(i, j, k)      a number
// IntegerCells n       n.at(i, j, k)[m]   an integer
// ScalarIntegerCells n n.at(i, j, k)      an integer
//
// Any position is moved into the array; first: position of the cell at `around.along`.
namespace boxes {
struct Range {
    Around around;
    int first[3], low[3], high[3];
    BRIDGE_MEMBER long long inside(int axis, int at) const {
        at = at < low[axis] ? low[axis] : at;
        return (at > high[axis] ? high[axis] : at) - first[axis];
    }
    BRIDGE_MEMBER long long to(int i, int j, int k) const {
        return around.along + inside(0, i) * around.x + inside(1, j) * around.y +
               inside(2, k) * around.z;
    }
};
}  // namespace boxes

struct Cells {
    boxes::Range range;
    BRIDGE_MEMBER boxes::NeighbourColumns at(Word<1> i, Word<1> j, Word<1> k) const {
        return {range.around, range.to(i.v[0], j.v[0], k.v[0])};
    }
};
struct ScalarCells {
    boxes::Range range;
    BRIDGE_MEMBER Numbers<1> at(Word<1> i, Word<1> j, Word<1> k) const {
        return range.around.number(range.to(i.v[0], j.v[0], k.v[0]));
    }
};
struct IntegerCells {
    boxes::Range range;
    BRIDGE_MEMBER boxes::IntegerNeighbourColumns at(Word<1> i, Word<1> j, Word<1> k) const {
        return {range.around, range.to(i.v[0], j.v[0], k.v[0])};
    }
};
struct ScalarIntegerCells {
    boxes::Range range;
    BRIDGE_MEMBER Word<1> at(Word<1> i, Word<1> j, Word<1> k) const {
        return range.around.word(range.to(i.v[0], j.v[0], k.v[0]));
    }
};

// The thread's own, which goes along the line: few that have constant numbers are registers.
struct Private {
    Numbers<1>* numbers;
    BRIDGE_MEMBER Numbers<1>& operator[](int number) { return numbers[number]; }
    BRIDGE_MEMBER const Numbers<1>& operator[](int number) const { return numbers[number]; }
};

}  // namespace BRIDGE_NAMESPACE
