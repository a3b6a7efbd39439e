"""A function of the header from a procedure of the source."""

from __future__ import annotations

from bridge_port.program import storage
from bridge_port.program.symbols import DUMMY, RESULT
from bridge_port.program.symbols import LOCAL as LOCAL_VARIABLE
from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Component, Expression, Name
from bridge_port.translate import designators, elements, expressions, statements, stores, unended
from bridge_port.translate.body import ABSENT, Body, Fixed, Function
from bridge_port.translate.flow import PROCEDURE, Flow, Region
from bridge_port.translate.text import broken, comment_lines, words
from bridge_port.translate.values import FLOATING, POINT_TYPES, SHARED_TYPES, ZEROS, Value

MOST_TIMES = 200
#: In the place of a parameter that is an object.
OBJECT = "object"


def translated(b: Body) -> Function:
    """Written until nothing new is learned."""
    for _ in range(MOST_TIMES):
        b.learned = set()
        b.begin()
        found = written(b)
        if not b.learned:
            return found
        b.facts |= b.learned
    raise Refused(b.unit.place, b.unit.name, "it is too large to be translated")


def check(b: Body) -> None:
    """What a unit may not have, whatever is called of it."""
    unit = b.unit
    if unit.kind not in ("subroutine", "function"):
        raise Refused(unit.place, f"{unit.kind} {unit.name}", "only procedures are translated")
    for name, place in unit.entries:
        raise Refused(place, f"entry {name}", "", "make it a procedure of its own")
    storage.check(unit)
    for one in unit.unread:
        if one.construct == "namelist":  # who reads or writes it is refused
            continue
        raise Refused(one.place, one.construct, one.why or one.text)


def written(b: Body) -> Function:
    check(b)
    unit, port = b.unit, b.port
    b.place = unit.place
    templates, parameters = dummies(b)
    procedure = Region(PROCEDURE, ("procedure",))
    flow = Flow("on" if b.context.masked else "")
    if b.context.masked:
        flow = Flow(b.names.unique("on", keep=True))
    masked = b.entry = flow.mask
    if b.knows("gate", procedure.key):
        procedure.gate = b.names.unique("live", keep=True)
        procedure.entry = flow.mask
        b.out.put(f"Mask<Real> {procedure.gate} = {flow.mask or 'true'};")
    b.regions.stack.append(procedure)
    defaults(b, flow)
    statements.block(b, without_last_return(port.body_of(unit, b.context.absent)), flow)
    b.regions.stack.pop()
    result, word, extents = result_of(b, parameters, templates)
    declared = declarations(b)
    code = "\n".join([line.partition("//")[0] for line in b.out.lines] + declared)
    constants = used_constants(b, code)
    used = words("\n".join([*constants, code]))
    b.uses_mask = masked in used
    b.uses_host, b.uses_shared = "host" in used, "shared" in used
    objects = {
        d: frozenset(b.touched.get(d, ())) for d in unit.arguments if parameters.get(d) == OBJECT
    }
    parameters |= {d: object_text(b, d) if named else "" for d, named in objects.items()}
    given = [named_if(text, used) for text in parameters.values() if text]
    head = [*[f"const Mask<Real>& {masked}"] * b.context.masked, *given]
    if b.uses_host:
        head.insert(0, "Host<Real>& host")
    if b.uses_shared:
        head.insert(0, "const Shared& shared")
    lines = [f"// {line}" for line in comment_lines(unit.comments)]
    lines.append(f"// {port.note_of(unit.place)}, {unit.kind} {unit.name}")
    lines.append(f"template <{', '.join(['class Real', *templates])}>")
    lines += broken(f"BRIDGE_FN {word} {b.name}({', '.join(head)}) {{", 0)
    lines += [line for text in constants for line in broken(text, 1)]
    lines += [line for text in declared for line in broken(text, 1)]
    lines += b.out.lines
    if result is not None:
        lines.append(f"    return {result.text};")
    lines.append("}")
    vary = frozenset(name for name in unit.arguments if b.varies(name))
    text = "\n".join(lines)
    return Function(
        b.name, text, vary, b.uses_host, b.uses_shared, b.context.masked, result, extents, objects
    )  # fmt: skip


def object_text(b: Body, dummy: str) -> str:
    """The parameter of a derived type."""
    held = designators.variable(b, b.symbol(dummy))
    assert held.structure is not None
    const = "" if b.port.intents.writes(b.unit, dummy) else "const "
    return f"{const}{held.structure.text}<Real>& {held.text}"


def used_constants(b: Body, code: str) -> list[str]:
    """Those that the text says; one may be in the text of another."""
    kept: list[str] = []
    for name, text in reversed(b.constants.items()):
        if b.names.of(name) in words("\n".join([code, *kept])):
            kept.insert(0, text)
    return kept


def named_if(parameter: str, used: set[str]) -> str:
    """A parameter, without its name where nothing reads it."""
    word, _, name = parameter.rpartition(" ")
    return parameter if name in used else word


def without_last_return(body: list[s.Statement]) -> list[s.Statement]:
    """A return at the end says nothing; its label and comments stay."""
    if body and isinstance(body[-1], s.Return):
        last = body[-1]
        return [*body[:-1], s.Continue(last.place, last.label, last.comments)]
    return body


def dummies(b: Body) -> tuple[list[str], dict[str, str]]:
    """(template parameters, parameters by dummy) of the dummies that are given; of those of
    derived types the text is not known before what is named of them."""
    templates: list[str] = []
    parameters: dict[str, str] = {}
    silent = b.port.silent(b.unit)
    for dummy in b.unit.arguments:
        if dummy in b.context.absent or dummy in dict(b.context.known) or dummy in silent:
            continue
        if dummy == "*":
            b.refuse("an alternate return", "it is a jump of the caller", "return a status")
        symbol = b.symbol(dummy)
        if symbol.type == "character":
            continue
        b.place = symbol.place if symbol.declared else b.unit.place
        name = b.names.of(dummy)
        writes = b.port.intents.writes(b.unit, dummy)
        if symbol.attributes & {"pointer", "allocatable"}:
            b.refuse(f"argument {dummy}", "it is a pointer or allocatable")
        if writes and "value" in symbol.attributes:
            why = "it has the attribute value and is written"
            b.refuse(f"argument {dummy}", why, "copy it to a variable of the procedure")
        if symbol.type == "type":
            parameters[dummy] = OBJECT
        elif symbol.type not in POINT_TYPES:
            b.refuse(f"{symbol.type} argument {dummy}", "kernels have real, integer and logical")
        elif symbol.dimensions is not None:
            templates.append(f"class A_{name}")
            parameters[dummy] = f"A_{name}&& {name}" if writes else f"const A_{name}& {name}"
            if dummy in (rooms := dict(b.context.rooms)) and rooms[dummy] is None:
                room = unended.room_of(b, dummy).text
                parameters[room] = f"int {room}"
        else:
            vary = symbol.type in FLOATING or b.varies(dummy)
            word = (POINT_TYPES if vary else SHARED_TYPES)[symbol.type]
            if writes:
                parameters[dummy] = f"{word}& {name}"
            else:
                parameters[dummy] = f"const {word}& {name}" if vary else f"{word} {name}"
        b.precision(symbol.type, symbol.kind)
    b.place = b.unit.place
    return templates, parameters


def defaults(b: Body, flow: Flow) -> None:
    """Components with initial values have them again in what is intent(out)."""
    b.flow = flow
    for dummy in b.unit.arguments:
        if dummy in b.context.absent or dummy == "*" or dummy in b.port.silent(b.unit):
            continue
        symbol = b.symbol(dummy)
        if symbol.type != "type" or symbol.intent != "out":
            continue
        held = designators.variable(b, symbol)
        assert held.structure is not None
        if held.derived.finals:
            b.refuse(f"intent(out) argument {dummy}", "its final procedure would be called")
        for names, _, part in held.structure.leaves():
            if part.start is None or held.structure.held(names):
                continue
            e: Expression = Name(dummy)
            for name in names:
                e = Component(e, name)
            assert isinstance(e, Component)
            if not part.dims:
                stores.put(b, stores.component(b, e), part.start[0], flow)
                continue
            array = designators.find(b, e)
            assert array is not None
            for number, value in enumerate(part.start):
                column = f"{array.text}[{number}]"
                stores.put(b, stores.Spot(column, part.type, True, True), value, flow)


def result_of(
    b: Body, parameters: dict[str, str], templates: list[str]
) -> tuple[Value | None, str, tuple[Fixed, ...] | None]:
    """(value, C++ type, extents) of what the function gives."""
    if b.unit.kind != "function":
        return None, "void", None
    name = b.unit.result or b.unit.name
    symbol = b.symbol(name)
    if symbol.type not in POINT_TYPES:
        b.refuse(f"{symbol.type} function {b.unit.name}", "its result is no number or logical")
    if symbol.dimensions is not None:
        array = designators.of_symbol(b, symbol)
        templates.append(f"class A_{array.text}")
        parameters[""] = f"A_{array.text}&& {array.text}"
        extents = [b.fixed(elements.extent(b, dim, array)) for dim in array.dims]
        known = tuple(one for one in extents if one is not None)
        return None, "void", known if len(known) == len(extents) else None
    v = expressions.variable(b, name)
    return v, Body.type_of(v), None


def declarations(b: Body) -> list[str]:
    """Of the variables of the procedure."""
    lines = []
    for name, kept in list(b.locals.items()):
        if kept == DUMMY or name in b.declared_here:
            continue
        if kept not in (LOCAL_VARIABLE, RESULT, ABSENT):
            continue
        symbol = b.symbol(name)
        text = b.names.of(name)
        if symbol.type == "type":
            held = designators.variable(b, symbol)
            if held.structure is not None and held.structure.used:
                lines.append(f"{held.structure.text}<Real> {text};")
            continue
        vary = symbol.type in FLOATING or b.varies(name)
        word = (POINT_TYPES if vary else SHARED_TYPES)[symbol.type]
        if symbol.dimensions is None:
            zero = ZEROS[symbol.type]
            if kept == ABSENT and symbol.type == "real":
                zero = "BRIDGE_NAN"
            lines.append(f"{word} {text} = {zero};")
            continue
        if kept == RESULT:
            continue
        array = designators.of_symbol(b, symbol)
        lines.append(elements.declaration(b, word, text, elements.size(b, array)))
    return lines
