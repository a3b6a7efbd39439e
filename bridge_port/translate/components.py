"""Arguments of a kernel's procedure that are several of the kernel: complex numbers, and variables
of derived types."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.kernel import Quantity
from bridge_port.program.symbols import Symbol
from bridge_port.translate import deferred, designators, parts
from bridge_port.translate.body import Body, Path
from bridge_port.translate.wrapper import Argument


def several_names(b: Body, found: Sequence[Argument]) -> None:
    """Refused where a part of an argument has the name of another argument."""
    others = {a.quantity.name: a.dummy for a in found if not a.owner}
    for one in (a for a in found if a.owner):
        name = one.quantity.name
        if name in others or name == b.port.prefix.of(b.unit.name):
            b.refuse(f"component {one.quantity.argument}", f"its name {name} is another one's too",
                     f"rename {others.get(name, b.unit.name)}")  # fmt: skip
        others[name] = one.quantity.argument


def of_complex(b: Body, symbol: Symbol, name: str, intent: str) -> list[Argument]:
    """A complex number is two reals, name_re and name_im."""
    if symbol.dimensions is not None:
        b.refuse(
            f"complex array {symbol.name}",
            "arrays that are bound hold reals, integers and logicals",
            "make it two arrays of reals, or port the procedure that calls this one",
        )
    if symbol.kind not in (4, 8):
        b.refuse(f"complex({symbol.kind}) {symbol.name}", "kernels compute in real(8)")
    found = []
    for part in ("re", "im"):
        spelled = f"{symbol.name}%{part}"
        quantity = Quantity(
            b.port.prefix.of(f"{name}_{part}"), spelled, "real", symbol.kind,
            about=f"{spelled} of {b.unit.name}",
        )  # fmt: skip
        found.append(Argument(
            f"{symbol.name}_{part}", "real", symbol.kind, (), intent, quantity, None,
            symbol.name, part, "Complex<Real>",
        ))  # fmt: skip
    return found


def of_object(b: Body, symbol: Symbol, named: frozenset[Path]) -> list[Argument]:
    """An argument of a derived type is one argument for each component that is named."""
    intent = b.port.intents.intent(b.unit, symbol.name)
    if intent == "inout" and not b.port.intents.writes(b.unit, symbol.name):
        intent = "in"
    held = designators.variable(b, symbol)
    assert held.structure is not None
    if intent == "out":
        deferred.intent_out(b, held.structure, symbol)
    found = []
    for names, text, part in held.structure.leaves():
        if names not in named:
            continue
        if part.type == "complex":
            b.refuse(
                f"component {'%'.join(names)} of {symbol.name}",
                "arrays that are bound hold reals, integers and logicals, no complex numbers",
            )
        if part.type == "integer" and part.kind == 8:
            b.refuse(f"integer(8) {symbol.name}%{'%'.join(names)}",
                     "integers of kernels have 32 bits")  # fmt: skip
        if part.type == "real" and part.kind not in (4, 8):
            b.refuse(f"real({part.kind}) {symbol.name}%{'%'.join(names)}",
                     "kernels compute in real(8)")  # fmt: skip
        name = "_".join((symbol.name, *names))
        spelled = "%".join((symbol.name, *names))
        shape = tuple(parts.number_of(dim.extent) for dim in part.dims)
        quantity = Quantity(
            b.port.prefix.of(name), spelled, part.type, part.kind, shape,
            about=f"{spelled} of {b.unit.name}",
            lower=tuple(parts.number_of(dim.lower) for dim in part.dims),
        )  # fmt: skip
        deferred.note(b, held.structure, spelled, names, part)
        own = intent
        if intent == "inout" and not b.port.intents.writes_component(b.unit, spelled):
            own = "in"
        found.append(Argument(
            name, part.type, part.kind, part.dims, own, quantity, None,
            symbol.name, text, f"{held.structure.text}<Real>",
        ))  # fmt: skip
    return found
