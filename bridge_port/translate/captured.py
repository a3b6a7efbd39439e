"""Variables of the unit around a procedure, which are arguments of its kernel.

One that the procedure writes is one for all calls in Fortran, and of each point in the kernel. So
the user says what it is, as of a variable of a module.
"""

from __future__ import annotations

from collections.abc import Mapping

from bridge_port.program.keeping import ALL
from bridge_port.program.symbols import Units
from bridge_port.refusal import Place, Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.units import Unit
from bridge_port.translate.intents import Intents
from bridge_port.translate.outside import IN, INOUT, OPTIONS, OTHERS, OUT


def roles(program: Units, unit: Unit, said: Mapping[str, str]) -> dict[str, str]:
    """in, out or inout of each, by dummy; Refused where what is said is not so."""
    intents = Intents(program)
    found: dict[str, str] = {}
    for variable, dummy in unit.captured.items():
        role = said.get(variable, "")
        what = f"{OPTIONS.get(role, '')[2:]} {variable}"
        if not intents.writes(unit, dummy):
            if role in (OUT, INOUT):
                raise Refused(unit.place, what, f"{unit.name} gives it no value",
                              f"say --as-input {variable}")  # fmt: skip
            found[dummy] = IN
            continue
        first = intents.intent(unit, dummy)
        if role == IN:
            raise Refused(_written(program, unit, dummy), f"an assignment to {variable}",
                          "it is said to be an input", f"say --as-inout {variable}")  # fmt: skip
        if role == OUT and first != OUT:
            why = f"{unit.name} may read it before it gives it a value, or leave it as it is"
            raise Refused(unit.place, what, why, f"say --as-inout {variable}")
        if not role and ALL not in said:
            change = f"say --as-inout {variable}: an argument that goes in and comes back"
            if first == OUT:
                change = f"say --as-output {variable}, which makes it a result"
            raise Refused(_written(program, unit, dummy), f"an assignment to {variable}",
                          f"it belongs to {_around(unit)}; {OTHERS}", change)  # fmt: skip
        found[dummy] = role or first
    return found


def options(unit: Unit, around: Mapping[str, str], said: Mapping[str, str]) -> dict[str, str]:
    """What a user has to say of those that were found, by name."""
    return {
        name: OPTIONS[around[dummy]]
        for name, dummy in unit.captured.items()
        if around[dummy] != IN and name not in said
    }


def about(unit: Unit, argument: str) -> str:
    """What an argument is, for the catalogue."""
    for name, dummy in unit.captured.items():
        if dummy == argument:
            return f"{name} of {_around(unit)}"
    return f"{argument} of {unit.name}"


def _around(unit: Unit) -> str:
    assert unit.parent is not None
    return f"{unit.parent.kind} {unit.parent.name}".rstrip()


def _written(program: Units, unit: Unit, dummy: str) -> Place:
    """The first statement that gives it a value."""
    intents = Intents(program)
    for one in s.walk(unit.body):
        inner = any(one.bodies())
        if not inner and dummy in intents.of_body(unit, [one]):
            return one.place
    return unit.place
