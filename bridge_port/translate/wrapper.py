"""The kernel's own function, arguments of the catalogue around the procedure's function, and the
text of its header: tables, types, functions, the kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bridge_port.kernel import Offset, PointProcedure, Quantity
from bridge_port.translate import parts
from bridge_port.translate.body import Dim, Function, Held, Port
from bridge_port.translate.names import Names
from bridge_port.translate.text import Lines, broken, words
from bridge_port.translate.values import POINT_TYPES, ZEROS, Value, integer, times

#: Owner of an argument that is a variable of a module: the object with all of them.
OF_HOST = "host"


@dataclass(frozen=True)
class Argument:
    """intent: in, out, inout or result; offset: of what it reads around the point; owner, member,
    type_text: the variable of a derived type that it is a component of."""

    dummy: str
    type: str
    kind: int
    dims: tuple[Dim, ...]
    intent: str
    quantity: Quantity
    offset: Offset | None
    owner: str = ""
    member: str = ""
    type_text: str = ""

    @property
    def around(self) -> bool:
        """Whether its array is read around the point."""
        return bool(self.quantity.reads) or self.offset is not None


class Wrapper:
    """inputs, outputs: quantities in the order of the kernel's arguments."""

    def __init__(
        self,
        port: Port,
        procedure: PointProcedure,
        name: str,
        function: Function,
        arguments: list[Argument],
    ) -> None:
        self.port, self.procedure, self.name = port, procedure, name
        self.function = function
        self.arguments = arguments
        self.names = Names(port.taken)
        for argument in arguments:
            self.names.of(argument.dummy)
        self.c = self.names.unique("c", keep=True)
        self.inputs: list[Quantity] = []
        self.outputs: list[Quantity] = []
        self.lines = Lines()
        self.templates: list[str] = ["class Real"]
        self.tables: list[str] = []
        self.ins: list[str] = []
        self.constants: list[str] = []
        self.outs: list[str] = []
        self.passed: dict[str, str] = {}
        self.after: list[str] = []
        self.species = port.species
        self.uses_species = any(
            "ns" in str(extent) for a in arguments for extent in a.quantity.shape
        )

    def text(self, status: Quantity | None) -> list[str]:
        """status: the output that says which points stopped."""
        self.lines.put(f"using namespace {self.name}_parts;")
        self.host()
        for owner, word in dict((a.owner, a.type_text) for a in self.arguments if a.owner).items():
            if owner != OF_HOST:
                self.passed[owner] = self.names.of(owner)
                self.lines.put(f"{word} {self.names.of(owner)};")
        fields: dict[str, str] = {}
        for argument in self.arguments:
            self.input(argument, fields)
        for argument in self.arguments:
            self.output(argument)
        self.call()
        for text in self.after:
            self.lines.put(text)
        if status is not None:
            self.stopped(status)
        used = words("\n".join(self.lines.lines))
        first = ["    (void)shared;"]
        if self.uses_species and self.names.of(self.species) in used:
            first = [f"    const int {self.names.of(self.species)} = BRIDGE_SPECIES(shared);"]
        elif "shared" in used:
            first = []
        parameters = ", ".join(
            ["const Shared& shared", *self.tables, *self.ins, *self.constants, *self.outs]
        )
        head = Lines(0)
        head.put(f"template <{', '.join(self.templates)}>")
        head.put(f"BRIDGE_FN void {self.name}({parameters}) {{")
        return [*head.lines, *first, *self.lines.lines, "}"]

    def stopped(self, status: Quantity) -> None:
        """Points that stopped have no results."""
        mask = self.names.unique("stopped", keep=True)
        held = self.port.status()
        self.lines.put(f"const Mask<Real> {mask} = {held} != 0;")
        for a in self.arguments:
            if a.intent == "in":
                continue
            nothing = "BRIDGE_NAN" if a.type == "real" else "0"
            word = "Real" if a.type == "real" else "Bits<Real>"
            name = self.names.of(a.dummy)
            place = f"{name}{self.place(a)}"
            line = f"{place} = select({mask}, {word}({nothing}), {word}({place}));"
            self.lines.put(f"{self.each(a)} {line}" if a.dims else line)
        name = self.names.unique(status.name, keep=True)
        self.outputs.append(status)
        self.outs.append(f"Bits<Real>& {name}")
        self.lines.put(f"{name} = {held};")

    # ---- Data of the host

    def host(self) -> None:
        members = self.port.held.values()
        if not self.port.held:
            return
        texts = []
        for held in members:
            if held.value is None:
                continue
            name = self.names.unique(held.member, keep=True)
            if held.dims:
                self.tables.append(f"const Table<Real, {len(held.dims)}>& {name}")
                texts.append(name)
                continue
            word = "Real" if held.type == "real" else "Bits<Real>"
            self.constants.append(f"const {word}& {name}")
            texts.append(f"{name} != 0" if held.type == "logical" else name)
        self.lines.put(f"Host<Real> host{{{', '.join(texts)}}};")
        for held in members:
            if held.value is None and held.dims:
                self.start(held)

    def each(self, a: Argument) -> str:
        """A loop over the columns."""
        return f"for (int {self.c} = 0; {self.c} < {count(a).text}; ++{self.c})"

    def place(self, a: Argument) -> str:
        """Of a column in the kernel's own argument, which is no array where there is one."""
        return f"[{self.c}]" if a.dims and not single(a) else ""

    def start(self, held: Held) -> None:
        values = held.start if isinstance(held.start, list) else []
        for number, value in enumerate(values):
            if value is not None:
                self.lines.put(f"host.{held.member}[{number}] = {start_text(value)};")

    # ---- Arguments

    def input(self, a: Argument, fields: dict[str, str]) -> None:
        """fields: parameters for arrays that are read around the point, by quantity."""
        if a.intent in ("out", "result") and not a.around:
            return
        name = self.names.of(a.dummy)
        if a.around:
            if a.quantity.name not in fields:
                self.inputs.append(a.quantity)
                fields[a.quantity.name] = self.field(a)
            if a.intent in ("in", "inout"):
                self.neighbour(a, fields[a.quantity.name])
            return
        self.inputs.append(a.quantity)
        plain = a.intent == "in" and (a.owner or a.type != "logical")
        given = name if plain else f"{name}_in"
        given = name if given == name else self.names.unique(given, keep=True)
        if a.dims and not single(a):
            self.templates.append(f"class In_{name}")
            self.ins.append(f"const In_{name}& {given}")
        else:
            word = "Real" if a.type == "real" else "Bits<Real>"
            self.ins.append(f"const {word}& {given}")
        self.begin(a, given)

    def begin(self, a: Argument, given: str) -> None:
        """What the procedure gets of an input."""
        name = self.names.of(a.dummy)
        if a.owner:
            self.copy(a, f"{self.object(a)}.{a.member}", given, True)
            return
        self.passed[a.dummy] = given
        if a.intent == "in" and a.type != "logical" and not single(a):
            return
        end = " != 0" if a.type == "logical" else ""
        if not a.dims:
            if a.intent == "in":
                self.passed[a.dummy] = f"{given} != 0"
            elif a.type == "logical":
                local = self.names.unique(f"{name}_mask", keep=True)
                self.lines.put(f"Mask<Real> {local} = {given} != 0;")
                self.passed[a.dummy] = local
            else:
                self.lines.put(f"{name} = {given};")
                self.passed[a.dummy] = name
            return
        local = self.array(a)
        word = "Real" if a.type == "real" else "Bits<Real>"
        self.lines.put(f"{self.each(a)} {local}[{self.c}] = {word}({given}{self.place(a)}){end};")

    def object(self, a: Argument) -> str:
        return OF_HOST if a.owner == OF_HOST else self.names.of(a.owner)

    def copy(self, a: Argument, to: str, of: str, inward: bool) -> None:
        """Of a component, to or from the kernel's argument."""
        place = f"[{self.c}]" if a.dims else ""
        text = f"{of}{self.place(a) if inward else place}"
        if a.type == "logical":
            text = f"{text} != 0" if inward else f"select({text}, Bits<Real>(1), Bits<Real>(0))"
        line = f"{to}{place if inward else self.place(a)} = {text};"
        if a.dims:
            line = f"{self.each(a)} {line}"
        if inward:
            self.lines.put(line)
        else:
            self.after.append(line)

    def field(self, a: Argument) -> str:
        name = self.names.unique(a.quantity.argument, keep=True)
        words = {
            ("real", True): "Neighbours",
            ("real", False): "ScalarNeighbours",
            ("integer", True): "IntegerNeighbours",
            ("integer", False): "ScalarIntegerNeighbours",
            ("logical", True): "IntegerNeighbours",
            ("logical", False): "ScalarIntegerNeighbours",
        }
        self.ins.append(f"const {words[a.type, bool(a.dims)]}& {name}")
        return name

    def neighbour(self, a: Argument, field: str) -> None:
        offset = ", ".join(str(n) for n in a.offset or (0, 0, 0))
        name = self.names.of(a.dummy)
        at = f"{field}.at<{offset}>()"
        if a.dims:
            if a.intent == "in" and a.type != "logical":
                self.lines.put(f"const auto {name} = {at};")
                self.passed[a.dummy] = name
            else:
                given = self.names.unique(f"{name}_in", keep=True)
                self.lines.put(f"const auto {given} = {at};")
                self.begin(a, given)
            return
        word = POINT_TYPES[a.type]
        end = " != 0" if a.type == "logical" else ""
        if a.intent == "in":
            self.lines.put(f"const {word} {name} = {at}{end};")
            self.passed[a.dummy] = name
        else:
            self.begin(a, at)

    def array(self, a: Argument) -> str:
        """Memory for what is written: the caller's may be that of an input."""
        local = self.names.unique(f"{self.names.of(a.dummy)}_values", keep=True)
        size = count(a)
        word = POINT_TYPES[a.type]
        if size.number is not None:
            self.lines.put(f"{word} {local}[{size.text}];")
        else:
            self.lines.put(f"BRIDGE_AUTOMATIC({word}, {local}, {size.text});")
        self.passed[a.dummy] = local
        return local

    def output(self, a: Argument) -> None:
        if a.intent == "in":
            return
        name = self.names.of(a.dummy)
        self.outputs.append(replace(a.quantity))
        if a.owner:
            several = a.dims and not single(a)
            if several:
                self.templates.append(f"class Out_{name}")
            word = "Real" if a.type == "real" else "Bits<Real>"
            self.outs.append(f"{f'Out_{name}' if several else word}& {name}")
            self.copy(a, name, f"{self.object(a)}.{a.member}", False)
            return
        if a.dims:
            word = "Real" if a.type == "real" else "Bits<Real>"
            if not single(a):
                self.templates.append(f"class Out_{name}")
                word = f"Out_{name}"
            self.outs.append(f"{word}& {name}")
            if a.dummy not in self.passed:
                local = self.array(a)
                zero = "false" if a.type == "logical" else "0.0" if a.type == "real" else "0"
                self.lines.put(f"{self.each(a)} {local}[{self.c}] = {zero};")
            local = self.passed[a.dummy]
            value = f"{local}[{self.c}]"
            if a.type == "logical":
                value = f"select({value}, Bits<Real>(1), Bits<Real>(0))"
            self.after.append(f"{self.each(a)} {name}{self.place(a)} = {value};")
            return
        word = "Real" if a.type == "real" else "Bits<Real>"
        self.outs.append(f"{word}& {name}")
        if a.intent == "result":
            return
        if a.type == "logical":
            if a.dummy not in self.passed:
                local = self.names.unique(f"{name}_mask", keep=True)
                self.lines.put(f"Mask<Real> {local} = false;")
                self.passed[a.dummy] = local
            mask = self.passed[a.dummy]
            self.after.append(f"{name} = select({mask}, Bits<Real>(1), Bits<Real>(0));")
        elif a.dummy not in self.passed:
            self.lines.put(f"{name} = {'0.0' if a.type == 'real' else '0'};")
            self.passed[a.dummy] = name

    def call(self) -> None:
        first = ["shared"] * self.function.shared + ["host"] * self.function.host
        passed = dict.fromkeys(
            a.owner or a.dummy
            for a in self.arguments
            if a.intent != "result" and a.owner != OF_HOST
        )
        texts = [self.passed[name] for name in passed]
        result = next((a for a in self.arguments if a.intent == "result"), None)
        if result is not None and result.dims:
            texts.append(self.passed[result.dummy])
        call = f"{self.function.name}<Real>({', '.join(first + texts)})"
        if result is not None and not result.dims:
            if result.type == "logical":
                call = f"select(Mask<Real>({call}), Bits<Real>(1), Bits<Real>(0))"
            call = f"{self.names.of(result.owner or result.dummy)} = {call}"
        self.lines.put(f"{call};")


def single(a: Argument) -> bool:
    """An array of one element is a quantity of one column, which is a number."""
    return bool(a.dims) and count(a).number == 1


def count(a: Argument) -> Value:
    """Columns."""
    total = integer(1)
    for dim in a.dims:
        assert dim.extent is not None
        total = times(total, dim.extent)
    return total


def start_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def header_text(
    port: Port, name: str, procedure: PointProcedure, wrapper: Wrapper, status: Quantity | None
) -> str:
    unit = procedure.unit
    kernel = wrapper.text(status)
    lines = [
        f"// {procedure.name}: {port.note_of(procedure.place)}, made by bridge port from "
        f"{unit.kind} {unit.name or procedure.name}.",
        *([f"// It holds where {procedure.holds_where}."] if procedure.presence else ()),
        *([f"// {status.name}: {line}" for line in stops(port)] if status is not None else ()),
        "#pragma once",
        '#include "fortran.h"',
        "",
        "namespace BRIDGE_NAMESPACE {",
        "",
        f"namespace {name}_parts {{",
        "",
    ]
    for table, (variable, values) in port.tables.items():
        numbers = ", ".join(repr(value) for value in values)
        lines.append(f"// {variable}")
        lines += broken(f"BRIDGE_TABLE double {table}[{len(values)}] = {{{numbers}}};", 0)
        lines.append("")
    if port.held:
        lines += [*host(list(port.held.values())), ""]
    for structure in port.structures.values():
        if structure.used:
            lines += [*parts.text(structure), ""]
    for function in port.functions:
        lines += [function.text, ""]
    lines += [f"}}  // namespace {name}_parts", "", *kernel, ""]
    lines += ["}  // namespace BRIDGE_NAMESPACE", ""]
    return "\n".join(lines)


def stops(port: Port) -> list[str]:
    """What the bits of the status say."""
    lines = []
    for at, one in enumerate(port.stops):
        lines.append(f"{1 << min(at, 30)} {port.note_of(one.place)} {one.text[:60]}")
    return lines


def host(members: list[Held]) -> list[str]:
    """Data of the host that procedures read, and what each point has for itself of it."""
    lines = ["// Data of modules and COMMON blocks.", "template <class Real> struct Host {"]
    for held in members:
        if held.value is None:
            continue
        of = f"  // {held.value.owner}" if held.value.owner else ""
        if held.dims:
            lines.append(f"    const Table<Real, {len(held.dims)}>& {held.member};{of}")
        else:
            lines.append(f"    const {POINT_TYPES[held.type]} {held.member};{of}")
    for held in members:
        if held.value is not None:
            continue
        word = POINT_TYPES[held.type]
        if held.dims:
            count = 1
            for dim in held.dims:
                assert dim.extent is not None
                count *= int(dim.extent.number or 0)
            lines.append(f"    {word} {held.member}[{count}] = {{}};")
        else:
            start = ZEROS[held.type] if held.start is None else start_text(held.start)
            lines.append(f"    {word} {held.member} = {start};")
    return [*lines, "};"]
