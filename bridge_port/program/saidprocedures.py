"""Procedures of the sources in the place of arguments and components that are procedures, as the
user says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bridge_port.program import agreement, interfaces
from bridge_port.program.derivedtypes import at_end
from bridge_port.program.symbols import Derived, Units
from bridge_port.refusal import Refused
from bridge_port.syntax.units import Binding, Unit


@dataclass(frozen=True, eq=False)
class Pointed:
    """What a component points to. binding: of that procedure, with its argument for the object;
    same_names: whether its arguments have the names of the interface."""

    unit: Unit
    binding: Binding
    same_names: bool


def with_procedures(
    program: Units, unit: Unit, said: Mapping[str, Unit]
) -> tuple[Unit, dict[str, Pointed]]:
    """A copy of a unit with these procedures for arguments, and what is left: procedures of
    components, by their paths. Refused where one does not fit."""
    dummies: dict[str, Unit] = {}
    components: dict[str, Pointed] = {}
    program.pointed.clear()
    for word, given in said.items():
        what = f"procedure {word}={given.name}"
        if given.parent is not None and given.parent.kind != "module":
            why = f"{given.name} stands inside {given.parent.name}, whose variables it may use"
            raise Refused(given.place, what, why, "say one of a module, or by itself")
        if given is unit:
            raise Refused(given.place, what, "a procedure that is its own argument")
        if "%" in word:
            owner, pointer = component(program, unit, word)
            wanted = interfaces.named(owner.scope, pointer.interface)
            if wanted is None:
                raise Refused(pointer.place, what, "its interface is not given",
                              "give the file with it")  # fmt: skip
            if pointer.target:
                why = f"{pointer.name} points to {pointer.target} in an object that is new"
                raise Refused(pointer.place, what, why, "pass the procedure as an argument")
            why = agreement.against(program, wanted, given)
            if not why:
                same = [one for one in components.values() if one.unit is given]
                found = Pointed(
                    given, _bound(pointer, wanted, given), given.arguments == wanted.arguments
                )
                if same and same[0].binding == found.binding:
                    found = same[0]
                components[word] = found
                key = id(owner.definition), pointer.name
                program.pointed.setdefault(key, []).append((given, found.binding))
        else:
            if word not in program.procedure_arguments(unit):
                raise Refused(unit.place, what, f"{unit.name} has no argument of this name that "
                              "is a procedure")  # fmt: skip
            why = agreement.passed(program, unit, word, given)
            dummies[word] = given
        if why:
            raise Refused(given.place, what, f"it does not fit: {why}")
    made = program.specialised(unit, dummies)[0] if dummies else unit
    return made, components


def _bound(pointer: Binding, wanted: Unit, given: Unit) -> Binding:
    """With the name that the object has in the procedure, if it is passed."""
    if pointer.passed is None:
        return pointer
    dummy = pointer.passed or wanted.arguments[0]
    return replace(pointer, passed=given.arguments[wanted.arguments.index(dummy)])


def component(program: Units, unit: Unit, word: str) -> tuple[Derived, Binding]:
    """A procedure component of an argument, and the type that has it."""
    dummy, *names = word.split("%")
    symbol = program.scope(unit).find(dummy) if dummy in unit.arguments else None
    last = names.pop()
    symbol = at_end(symbol, names)
    derived = None
    if symbol is not None and symbol.type == "type":
        derived = symbol.scope.derived_if_given(symbol.type_name)
    found = derived.pointer(last) if derived is not None else None
    if found is None:
        raise Refused(unit.place, f"procedure {word}", f"{unit.name} has no argument with such a "
                      "procedure component")  # fmt: skip
    return found[1], found[0]
