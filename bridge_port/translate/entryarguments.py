"""Arguments of a kernel: those of its procedure, variables of modules and COMMON, texts that the
user says, and outputs that are numbers of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bridge.plan.fringe import Fringe
from bridge_port.kernel import PointProcedure, Quantity
from bridge_port.program.numberedtexts import Numbered
from bridge_port.program.symbols import DUMMY, Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.units import Unit
from bridge_port.translate import captured, components, designators, parts
from bridge_port.translate.body import POINTED, Body, Dim, Function
from bridge_port.translate.outside import owner
from bridge_port.translate.values import integer
from bridge_port.translate.wrapper import OF_HOST, Argument, Wrapper


def arguments(
    b: Body, procedure: PointProcedure, dummies: Mapping[str, Symbol], function: Function,
    around: Mapping[str, str],
) -> list[Argument]:  # fmt: skip
    """In the order of the dummies; what a way of calling leaves out is left out. around: what
    variables of the procedure around this one are to a point, by dummy."""
    found = []
    for dummy, symbol in dummies.items():
        if (
            dummy in b.context.absent
            or dummy in dict(b.context.known)
            or symbol.type == "character"
        ):
            continue
        b.place = symbol.place if symbol.declared else b.unit.place
        if symbol.type == "type":
            found += components.of_object(b, symbol, function.objects.get(dummy, frozenset()))
            continue
        if symbol.type == "complex":
            intent = b.port.intents.intent(b.unit, dummy)
            if intent == "inout" and dummy not in b.port.intents.written(b.unit):
                intent = "in"
            found += components.of_complex(b, symbol, dummy, intent)
            continue
        if symbol.type == "integer" and symbol.kind == 8:
            b.refuse(f"integer(8) argument {dummy}", "integers of kernels have 32 bits")
        if symbol.type == "real" and symbol.kind not in (4, 8):
            b.refuse(f"real({symbol.kind}) argument {dummy}", "kernels compute in real(8)")
        assert symbol.storage == DUMMY
        dims = dims_of(b, symbol) if symbol.dimensions is not None else ()
        neighbour = procedure.neighbours.get(dummy)
        intent = "in" if neighbour is not None else b.port.intents.intent(b.unit, dummy)
        intent = around.get(dummy, intent)
        if intent == "inout" and dummy not in b.port.intents.written(b.unit):
            intent = "in"
        quantity = neighbour.array if neighbour is not None else dummy
        use = procedure.arrays.get(quantity)
        name = b.port.prefix.of(quantity)
        if dummy in procedure.positions:
            name = f"position_{'ijk'[procedure.positions[dummy]]}"
        if dummy in b.port.numbered:  # another kernel has other texts
            name = b.port.prefix.of(f"{b.unit.name}_{dummy}")
        found.append(
            Argument(
                dummy,
                symbol.type,
                symbol.kind,
                dims,
                "out" if intent == "out" else "inout" if intent == "inout" else "in",
                Quantity(
                    name,
                    quantity,
                    symbol.type,
                    symbol.kind,
                    shape_of(b, dims, symbol),
                    use.reads if use is not None else Fringe(),
                    captured.about(b.unit, quantity),
                ),
                neighbour.offset if neighbour is not None else None,
            )
        )
    components.several_names(b, found)
    if b.unit.kind == "function":
        result = b.unit.result or b.unit.name
        symbol = b.symbol(result)
        if symbol.type == "complex":
            return found + components.of_complex(b, symbol, b.unit.name, "result")
        dims = dims_of(b, symbol) if symbol.dimensions is not None else ()
        name = b.unit.name
        quantity_of_result = Quantity(
            b.port.prefix.of(name), result, symbol.type, symbol.kind, shape_of(b, dims, symbol),
            about=f"{name}",
        )  # fmt: skip
        found.append(
            Argument(result, symbol.type, symbol.kind, dims, "result", quantity_of_result, None)
        )
    return found


def dims_of(b: Body, symbol: Symbol) -> tuple[Dim, ...]:
    dims = designators.dims_of(b, symbol)
    for dim in dims:
        if dim.extent is None:
            b.refuse(
                f"argument {symbol.name}",
                "its shape is known neither here nor at a call",
                f"say its shape, --shape {symbol.name}={','.join('N' for _ in dims)}",
            )
    extents = [dim.extent.number for dim in dims if dim.extent is not None]
    said = [one.b for one in dict(b.context.shapes).get(symbol.name, ())]
    if symbol.name in dict(b.context.rooms) and extents != said:
        wanted = ",".join("N" if n is None else str(n) for n in extents[:-1])
        b.refuse(f"shape {symbol.name}={','.join(map(str, said))}", "its declaration has another "
                 "one", f"--shape {symbol.name}={wanted},N")  # fmt: skip
    return dims


def shape_of(b: Body, dims: tuple[Dim, ...], symbol: Symbol) -> tuple[int | str, ...]:
    """As the catalogue says it."""
    shape: list[int | str] = []
    for dim in dims:
        fixed = b.fixed(dim.extent or integer(0))
        if fixed is None:
            b.refuse(f"argument {symbol.name}", "its shape is not known when the kernel is built")
        if fixed.a < 0:
            b.refuse(f"argument {symbol.name}", f"its extent {fixed.word} falls with the species")
        shape.append(fixed.word if fixed.a else fixed.b)
    return tuple(shape)


def pointed(b: Body, dummies: Mapping[str, Symbol], held: Sequence[Symbol]) -> None:
    """What a pointer of a module points to is read once for all points: no target is changed."""
    pointers = [one.name for one in held if POINTED in one.attributes]
    written = [d for d, one in dummies.items() if b.port.intents.writes(b.unit, d)
               and "target" in one.attributes]  # fmt: skip
    written += [one.name for one in held
                if "target" in one.attributes and b.port.outside.role(one)]  # fmt: skip
    if pointers and written:
        b.refuse(f"pointer {pointers[0]}", f"{written[0]} is a target and is written: they may be "
                 "one memory", "make it an array")  # fmt: skip


def of_host(b: Body, others: Sequence[Argument]) -> list[Argument]:
    """Variables of modules and COMMON that each point has for itself."""
    taken = {a.quantity.name for a in others} | {b.port.prefix.of(b.unit.name)}
    found = []
    for held in b.port.held.values():
        symbol = held.symbol
        if symbol is None or not held.role:
            continue
        stem = symbol.name.replace("%", "_")
        name = b.port.prefix.of(stem)
        if name in taken:
            name = b.port.prefix.of(f"{symbol.owner or 'common'}_{stem}")
        taken.add(name)
        shape = tuple(parts.number_of(dim.extent) for dim in held.dims)
        quantity = Quantity(
            name, symbol.name, symbol.type, symbol.kind, shape,
            about=f"{symbol.name} of {owner(symbol)}", owner=symbol.owner, storage=symbol.storage,
        )  # fmt: skip
        found.append(Argument(
            f"{symbol.owner or 'common'}_{stem}" if name != b.port.prefix.of(stem) else stem,
            symbol.type, symbol.kind, held.dims, held.role, quantity, None, OF_HOST, held.member,
        ))  # fmt: skip
    return found


def with_texts(unit: Unit, found: Numbered, wrapper: Wrapper) -> list[Quantity]:
    """The outputs, those that are numbers of texts with these."""
    for q in wrapper.inputs:
        if q.argument in found.names and found.texts:
            # Of a variable of the unit around: nothing says which texts its numbers would mean.
            name = next((v for v, d in unit.captured.items() if d == q.argument), q.argument)
            raise Refused(unit.place, f"as-inout {name}",
                          "a text comes back as a number, and none goes in",
                          f"say --as-output {name}")  # fmt: skip
    return [
        replace(q, texts=found.texts, about=f"number of the text {q.argument} of {unit.name}: "
                f"{numbers(found.texts)}")
        if q.argument in found.names and not q.storage else q
        for q in wrapper.outputs
    ]  # fmt: skip


def numbers(texts: Sequence[str]) -> str:
    """As a reader may look them up."""
    return ", ".join(["0 as it was", *(f"{n} '{text}'" for n, text in enumerate(texts, 1))])


def texts_of(
    dummies: Mapping[str, Symbol], letters: Mapping[str, str], unit: Unit
) -> tuple[tuple[str, str], ...]:
    """Of character arguments, with their lengths."""
    found = []
    for name, text in letters.items():
        symbol = dummies.get(name)
        if symbol is None:
            continue  # of a module
        if symbol.type != "character" or symbol.dimensions is not None:
            raise Refused(unit.place, f"value {name}", f"{unit.name} has no such text")
        length = symbol.scope.length(symbol)
        found.append((name, text if length is None else text[:length].ljust(length)))
    return tuple(sorted(found))
