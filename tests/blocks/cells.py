"""A pack whose kernels read any cell of an array, by positions that they compute."""

CATALOGUE = (
    "".join(
        f"""
[quantity.{name}]
unit = "1"
columns = {columns}
type = "{kind}"
about = "of this test"
"""
        for name, columns, kind in (
            ("ce_from", 3, "int32"),
            ("ce_p", 1, "float64"),
            ("ce_u", 2, "float64"),
            ("ce_n", 1, "int32"),
            ("ce_m", 2, "int32"),
            ("ce_there", 1, "float64"),
            ("ce_u_there", 2, "float64"),
            ("ce_n_there", 1, "int32"),
            ("ce_m_there", 2, "int32"),
            ("ce_mirror", 1, "float64"),
            ("ce_twice", 1, "float64"),
            ("ce_again", 1, "float64"),
            ("ce_edge", 1, "float64"),
        )
    )
    + """
[[kernel]]
name = "ceEdge"
header = "cells.h"
inputs = ["ce_p", "position_i", "position_j", "position_k"]
outputs = ["ce_edge"]
planned = false
reads.ce_p = "interior"

[[kernel]]
name = "ceThere"
header = "cells.h"
inputs = ["ce_from", "ce_p", "ce_u", "ce_n", "ce_m"]
outputs = ["ce_there", "ce_u_there", "ce_n_there", "ce_m_there"]
[kernel.reads]
ce_p = "cells"
ce_u = "cells"
ce_n = "cells"
ce_m = "cells"

# the point itself, its neighbour along x and the cell that mirrors it, in one kernel
[[kernel]]
name = "ceMirror"
header = "cells.h"
inputs = ["ce_p", "ce_there", "ce_n", "position_i", "position_j", "position_k"]
outputs = ["ce_mirror"]
planned = false
[kernel.reads]
ce_p = "cells"
ce_there = { x = [-1, 0] }

[[kernel]]
name = "ceTwice"
header = "cells.h"
inputs = ["ce_p"]
outputs = ["ce_twice"]
planned = false

[[kernel]]
name = "ceAgain"
header = "cells.h"
inputs = ["ce_twice", "position_i", "position_j", "position_k"]
outputs = ["ce_again"]
planned = false
reads.ce_twice = "cells"

[[composite]]
name = "ceBoth"
inputs = ["ce_p"]
outputs = ["ce_again"]
steps = ["ceTwice", "ceAgain"]
"""
)

HEADER = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class In, class Two, class Integers>
BRIDGE_FN void ceThere(const Shared&, const In& from, const ScalarCells& p, const Cells& u,
                       const ScalarIntegerCells& n, const IntegerCells& m, Real& there,
                       Two& uThere, Bits<Real>& nThere, Integers& mThere) {
    const Bits<Real> i = from[0], j = from[1], k = from[2];
    there = p.at(i, j, k);
    const auto cell = u.at(i, j, k);
    nThere = n.at(i, j, k);
    for (int c = 0; c < 2; ++c) {
        uThere[c] = cell[c];
        mThere[c] = m.at(i, j, k)[c];
    }
}
template <class Real>
BRIDGE_FN void ceMirror(const Shared&, const ScalarCells& p, const ScalarNeighbours& there,
                        const Bits<Real>& n, const Bits<Real>& i, const Bits<Real>& j,
                        const Bits<Real>& k, Real& mirror) {
    mirror = p.at(n - i, j, k) + 2.0 * there.at<-1, 0, 0>() + 4.0 * there.at<0, 0, 0>() +
             8.0 * p.at(i, j, 1);
}
template <class Real>
BRIDGE_FN void ceEdge(const Shared&, const ScalarCells& p, const Bits<Real>& i,
                      const Bits<Real>& j, const Bits<Real>& k, Real& edge) {
    edge = -p.at(i, j, k);
}
template <class Real>
BRIDGE_FN void ceTwice(const Shared&, const Real& p, Real& twice) { twice = 2.0 * p; }
template <class Real>
BRIDGE_FN void ceAgain(const Shared&, const ScalarCells& twice, const Bits<Real>& i,
                       const Bits<Real>& j, const Bits<Real>& k, Real& again) {
    again = twice.at(i + 1, j, k);
}
}
"""

# Of each refusal: what a catalogue says in place of what, and what the refusal says.
CONTRADICTIONS = [
    ('reads.ce_twice = "cells"', 'reads.ce_twice = "any"', 'or "cells" or "interior"'),
    ('reads.ce_twice = "cells"', 'reads.ce_twice = "cells"\nsweep = "x+"\nprivate = 1',
     'offsets like x = [-1, 1] in a kernel with sweep = "x+"'),
    ('reads.ce_twice = "cells"', 'reads.position_i = "cells"', "an array of the host: positions"),
    ('reads.ce_twice = "cells"', 'reads.ce_again = "cells"', "one of its inputs"),
    ('outputs = ["ce_twice"]\nplanned = false', 'outputs = ["ce_p"]\nreads.ce_p = "cells"\n'
     "planned = false", "a quantity that it does not write"),
    ('unit = "1"\ncolumns = 1\ntype = "float64"\nabout = "of this test"\n\n[quantity.ce_again]',
     'unit = "1"\nper_component = true\ntype = "float64"\n\n[quantity.ce_again]',
     "a quantity that is not per_component"),
]  # fmt: skip
