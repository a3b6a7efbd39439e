"""Where the columns of the caller's Q belong.

Knows the tokens of setting `qlayout`. The default is the CASTLES order p, u, v, w, T, Y_1..Y_NS;
a Q one column short carries NS-1 mass fractions and the last species is one minus their sum.
"""

from __future__ import annotations

from bridge.errors import ArgumentError
from bridge.plan.inputs import STAND_INS


def q_columns(layout: tuple[str, ...], ns: int, nq: int) -> dict[str, tuple[int, int]] | None:
    """name -> (first column, columns) for a Q of nq components, None where nq does not fit.

    layout: tokens P, u, v, w, T, Y and _ (a column the bridge does not read).
    """
    mass_fractions = nq - (len(layout) - 1)
    if mass_fractions not in (ns, ns - 1):
        return None
    columns: dict[str, tuple[int, int]] = {}
    position = 0
    for token in layout:
        if token == "Y":
            name = token if mass_fractions == ns else STAND_INS[token]
            columns[name] = (position, mass_fractions)
            position += mass_fractions
            continue
        if token == "u":
            columns["velocity"] = (position, 3)
        elif token in ("P", "T"):
            columns[token] = (position, 1)
        position += 1
    return columns


def check_width(layout: tuple[str, ...], ns: int, nq: int) -> None:
    """ArgumentError where a Q of nq components does not fit the layout."""
    if q_columns(layout, ns, nq) is None:
        raise ArgumentError(
            "nq", nq, f"the columns of qlayout '{' '.join(layout)}' for {ns} species"
        )
