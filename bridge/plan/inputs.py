"""What stands for an input where the caller gives something else, or nothing.

A leaf: other names, the column-short mass fractions of a Q, the guess of a temperature search.
"""

from __future__ import annotations

#: Names a caller may use for a quantity of another name.
ALIASES = {"Yi": "Y"}

#: What may come in the place of a quantity: a Q one column short carries NS-1 mass fractions.
ALTERNATIVES = {"Y": ("Y", "Y_leading"), "Y_leading": ("Y", "Y_leading")}

#: Values of inputs that the caller leaves out: the guess of the temperature from enthalpy, K.
DEFAULTS = {"T0": 300.0}
