"""Components that are pointers or allocatable: their bounds are those that the user says.

`state%t` of `real, allocatable :: t(:)` is an array of the kernel like one of fixed shape, once
its shape is known. Each object of a procedure is known with the bounds of its components; a
procedure that gets it is written for these bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bridge_port.choices import Said
from bridge_port.program.derivedtypes import HELD, at_end
from bridge_port.program.saidprocedures import Pointed
from bridge_port.program.symbols import DUMMY, Derived, Symbol, Units
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.units import Declaration, Unit
from bridge_port.translate.body import Body, Bounds, Given, Object, Part, Structure


def said(
    program: Units,
    unit: Unit,
    dummies: Mapping[str, Symbol],
    shapes: Mapping[str, Said],
    values: Mapping[str, int | str],
    procedures: Mapping[str, Pointed],
) -> tuple[tuple[str, Given], ...]:
    """Of all arguments of derived types: what the user says of their components."""
    found: dict[str, dict[tuple[str, ...], Bounds | int | str | Pointed]] = {}
    for word, shape in shapes.items():
        dummy, *names = word.lower().split("%")
        if not names:
            if any(isinstance(one, tuple) for one in shape):
                raise Refused(unit.place, f"shape {word}", "the first subscript of an argument is "
                              "that of its declaration, and that of an array of a module is 1",
                              f"--shape {word}={','.join('N' for _ in shape)}")  # fmt: skip
            if (symbol := dummies.get(dummy)) is not None and symbol.dimensions:
                check_rank(unit.place, word, shape, symbol)
            continue
        if dummy in unit.arguments and dummy not in dummies:
            continue  # nothing names it
        component = at_end(dummies.get(dummy), names)
        if component is None:
            raise Refused(unit.place, f"shape {word}", f"{unit.name} has no such component")
        if not component.attributes & HELD or component.dimensions is None:
            raise Refused(component.place, f"shape {word}",
                          "it is no array that is a pointer or allocatable")  # fmt: skip
        check_rank(component.place, word, shape, component)
        found.setdefault(dummy, {})[tuple(names)] = bounds(program, component, word, shape)
    for word, value in values.items():
        dummy, *names = word.lower().split("%")
        component = at_end(dummies.get(dummy), names) if names else None
        if component is None:
            continue  # of a module, or what nothing names
        wanted = "character" if isinstance(value, str) else "integer"
        if component.type != wanted or component.dimensions is not None:
            kind = "text" if isinstance(value, str) else "integer"
            raise Refused(component.place, f"value {word}", f"it is no {kind}")
        found.setdefault(dummy, {})[tuple(names)] = value
    for word, procedure in procedures.items():
        dummy, *names = word.split("%")
        if dummy in dummies:
            found.setdefault(dummy, {})[tuple(names)] = procedure
    return tuple((dummy, tuple(sorted(held.items()))) for dummy, held in sorted(found.items()))


def check_rank(place: Place, word: str, shape: Sequence[object], symbol: Symbol) -> None:
    """--shape has an extent for each dimension."""
    dimensions = symbol.dimensions or ()
    if len(dimensions) != len(shape):
        why = f"{len(shape)} extents are said, and its rank is {len(dimensions)}"
        raise Refused(place, f"shape {word}", why,
                      f"--shape {word}={','.join('N' for _ in dimensions)}")  # fmt: skip


def bounds(program: Units, component: Symbol, word: str, shape: Said) -> Bounds:
    """First subscripts that the user does not say are those that the source gives."""
    firsts: tuple[int | None, ...] = (1,) * len(shape)
    program.searched = True
    where, known = program.begins_elsewhere().get(component.name, ("", firsts))
    firsts = known if len(known) == len(shape) else (None,) * len(shape)
    found = []
    for first, one in zip(firsts, shape, strict=True):
        if isinstance(one, tuple):
            found.append((one[0], max(one[1] - one[0] + 1, 0)))
        elif first is None:
            raise Refused(
                component.place, f"shape {word}", f"its first subscripts are not known: {where}",
                f"say them, --shape {word}={','.join(['FIRST:LAST'] * len(shape))}",
            )  # fmt: skip
        else:
            found.append((first, one))
    return tuple(found)


# ---- In a procedure


def of_argument(b: Body, symbol: Symbol) -> Given:
    return dict(b.context.parts).get(symbol.name, ()) if symbol.scope is b.scope else ()


def unknown(b: Body, base: Object, component: Declaration | Symbol, name: str) -> None:
    """Refused: nobody has said the shape of what a procedure names."""
    held = "a pointer" if "pointer" in component.attributes else "allocatable"
    origin = b.origin(base.symbol)
    rank = len(component.dimensions or ())
    change = "copy it to an array of fixed shape"
    if origin:
        word = "%".join((origin, *base.path, name))
        change = f"say its shape, --shape {word}={','.join('N' * rank)}"
    b.refuse(f"component {'%'.join((base.spelled, name))}",
             f"it is {held}: its shape is known at run time alone", change)  # fmt: skip


def reached(b: Body, base: Object, part: Part) -> None:
    """Refused where what a component stands for has no memory yet: the original gives it some, by
    allocate or by a pointer assignment."""
    if not part.held:
        return
    what = f"component {'%'.join((base.spelled, part.name))}"
    if base.symbol.storage != DUMMY:
        b.refuse(what, f"it is {word(part)} of a variable of the procedure: it has no memory "
                 "of its own", "make it an array of fixed shape, or an argument")  # fmt: skip
    if base.symbol.intent == "out":
        b.refuse(what, f"it is {word(part)}, and {base.symbol.name} is intent(out): it has no "
                 "memory there", "make it intent(inout)")  # fmt: skip


def word(part: Part) -> str:
    return "a pointer" if part.held == "pointer" else part.held


def passed(b: Body, held: Object, named: Iterable[tuple[str, ...]]) -> None:
    """The same for what a procedure names of an object that it gets."""
    s = held.structure
    for names in named:
        base, inner = held, s
        for name in names:
            if inner is None or name not in inner.parts:
                break
            reached(b, base, inner.parts[name])
            inner = inner.parts[name].inner


def note(b: Body, s: Structure, spelled: str, names: tuple[str, ...], part: Part) -> None:
    """What a user should know of an argument that is such a component, or in one."""
    held = s.held(names)
    if not held:
        return
    kind = "a pointer" if held == "pointer" else held
    text = f"{spelled} is {kind}, or in what is" if len(names) > 1 else f"{spelled} is {kind}"
    if part.dims:
        text += f": its subscripts begin at {', '.join(d.lower.text for d in part.dims)}"
    b.port.note(text + (", it shares no memory with others" if held == "pointer" else ""))


# ---- Objects as wholes


def intent_out(b: Body, s: Structure, symbol: Symbol) -> None:
    """What is lost of an argument whose components have no values on entry, or initial ones."""
    what = f"intent(out) argument {symbol.name}"
    no_finals(b, s, what)
    lost = [name for one in structures_of(b, s, what) for name in one.left]
    if lost:
        b.port.note(f"{symbol.name} is intent(out): {', '.join(lost)} of it, which nothing names, "
                    "is no result of the kernel")  # fmt: skip


def assigned(b: Body, s: Structure, what: str, local: bool) -> None:
    """Refused where more happens than that numbers are copied: final procedures; numbers that the
    kernel does not know, of a variable that is seen outside."""
    no_finals(b, s, what)
    for one in structures_of(b, s, what):
        b.port.assigned.append((one.derived, b.place, what))
        for name, (construct, why) in one.left.items():
            component = one.derived.component(name)
            if component is None or local:
                continue
            if "allocatable" in component.attributes and component.type not in ("character",):
                b.refuse(what, f"type({one.derived.name}) has {construct}: {why}",
                         "name the components")  # fmt: skip
            b.port.note(f"{name} of type({one.derived.name}), which nothing names, is no result "
                        "of the kernel")  # fmt: skip


def structures_of(b: Body, s: Structure, what: str) -> list[Structure]:
    """Itself and those of its components that have no memory of their own; refused where not all
    of a type is read."""
    for name, (construct, why) in s.left.items():
        if s.derived.component(name) is None and name not in pointers(s.derived):
            b.refuse(what, f"type({s.derived.name}) has {construct}: {why}", "name the components")
    found = [s]
    for part in s.parts.values():
        if part.inner is not None and part.held != "pointer":
            found += structures_of(b, part.inner, what)
    return found


def pointers(derived: Derived) -> set[str]:
    return {name for one in derived.line for name in one.definition.pointers}


def no_finals(b: Body, s: Structure, what: str) -> None:
    if s.derived.finals:
        b.refuse(what, f"type({s.derived.name}) has final procedures, which would be called")
    for part in s.parts.values():
        if part.inner is not None and part.held != "pointer":
            no_finals(b, part.inner, what)


def no_pointers_assigned(b: Body) -> None:
    """Refused where a type is assigned as a whole, whose pointers are followed somewhere: the
    target would point to what the value points to."""
    for derived, place, what in b.port.assigned:
        for s in b.port.structures.values():
            if derived not in s.derived.line and s.derived not in derived.line:
                continue
            for part in s.parts.values():
                if part.held == "pointer" and part.name in s.used:
                    b.place = place
                    b.refuse(what, f"component {part.name} is a pointer, which would point to the "
                             "same memory then", "assign the components")  # fmt: skip
