"""What stands for an input where the caller gives something else, or nothing.

A leaf, and the one place that knows it by the names of quantities: views (TVImpl) and bound arrays
(PointSet) ask here.
"""

from __future__ import annotations

#: Names a caller may use for a quantity of another name.
ALIASES = {"Yi": "Y"}

#: Input of a composite -> what it takes in its place: a Q one column short carries NS-1 mass
#: fractions.
STAND_INS = {"Y": "Y_leading"}

#: Values of inputs that the caller leaves out: the guess of the temperature from enthalpy, K.
DEFAULTS = {"T0": 300.0}

#: Input -> what a set of bound arrays takes in its place, before a default: the T that is bound in
#: and out is the guess for the T of the next step.
FIRST_GUESSES = {"T0": "T", "lnK0_i": "lnK_i"}

#: Where a point lies along x, y, z: inputs of kernels that a run of a set gives by itself.
POSITIONS = ("position_i", "position_j", "position_k")

#: What is bound under this name masks the points of a set.
MASK = "iblank"


def in_place_of(name: str) -> frozenset[str]:
    """The quantities of which the one that was written last is taken for this input."""
    group = {name, STAND_INS.get(name, name)}
    group.update(input for input, stand_in in STAND_INS.items() if stand_in == name)
    return frozenset(group)


def begins_at_zero(name: str) -> bool:
    """Whether a kernel that rewrites this quantity starts from zero where nobody has written it:
    the status words."""
    return name.startswith("status")
