"""Loop nests around the kernels of a pack: their text, and which plan has which.

`packs build` compiles them beside the launch wrappers. A nest is one function for the kernels of a
plan: each alone, and those of a composite one after the other, with the values between them in
registers. nest.h says how it goes over rows, and what of an array differs between its layouts. A
plan finds its nest by a name that says all that the text depends on (`name_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bridge.kernels.cpu.generate_launchers import HELD, RECORD, of_records
from bridge.plan.declarations import Constant, Declarations, Quantity, Table
from bridge.plan.plan import Plan, Step

#: Layouts of kernels/cpu/interface.h, in its order.
LAYOUTS = ("ROWS", "RECORDS", "FEW")
SOURCE = """\
/* Written by plan/nests.py. */
{singles}#define BRIDGE_NEST
#undef BRIDGE_NAMESPACE
#define BRIDGE_NAMESPACE {namespace}
#include "nest.h"

#include <cstring>
{includes}

namespace BRIDGE_NAMESPACE {{

{nests}
const NamedNest namedNests[] = {{
{table}
    {{nullptr, {{}}}},
}};

}}  // namespace BRIDGE_NAMESPACE

{declared}{visible}bridge_nest_kernel {found}(const char* name, int layout) {{
    for (const auto* one = BRIDGE_NAMESPACE::namedNests; one->name; ++one)
        if (!std::strcmp(one->name, name)) return one->nest[layout];
    return {others};
}}
"""
VISIBLE = 'extern "C" __attribute__((visibility("default"))) '
FOLLOWING = 'extern "C" bridge_nest_kernel {}(const char* name, int layout);\n'
NEST = """\
template <class Layout>
static void {function}(const void* data, const bridge_nest_array* arrays,
                       [[maybe_unused]] const bridge_table* const* tables,
                       const bridge_nest_rows* rows) {{
    [[maybe_unused]] const Shared& shared = *static_cast<const Shared*>(data);
{arrays}
    const int64_t points = rows->points;
    for (NestRows row(*rows); row; ++row) {{
{rows}
        const int64_t again = {again};
        const auto evaluate = [&](const NestPart part) BRIDGE_INLINED {{
{body}
        }};
        for (int64_t done = 0; done < points;) {{
            const NestPart part = partBehind<Layout>(done, points, again);
{whole}            evaluate(part);
            done = part.i + nestLanes;
        }}
    }}
}}
"""


#: Before the call for any part of a row, which knows less: a second text of the kernels.
WHOLE = """\
            if (part.known == 0 && !Layout::few)
                evaluate({part.i, 0, 0});
            else
    """


@dataclass(frozen=True)
class Argument:
    """One value of one quantity in a nest.

    number: its place among all; made: by a kernel; read: by a kernel, if it is made by one behind
    that; around: read at neighbours of the point; changes: whether a kernel makes the same
    quantity, maybe in its place.
    """

    number: int
    quantity: Quantity
    made: bool = False
    read: bool = True
    around: bool = False
    changes: bool = False

    @property
    def word(self) -> bool:
        return self.quantity.dtype != "float64"

    @property
    def several(self) -> bool:
        return self.quantity.columns != "1"

    @property
    def few(self) -> bool:
        """Whether its columns are known when it is compiled, and fit into registers."""
        return self.several and self.quantity.columns.isdigit() and int(self.columns) <= RECORD

    @property
    def columns(self) -> str:
        return self.quantity.columns

    @property
    def constant(self) -> bool:
        return isinstance(self.quantity, Constant) and not self.made and not self.around

    @property
    def records(self) -> bool:
        """Whether the nest finds it in records where it takes records."""
        return of_records(self.columns, self.quantity.dtype) and not self.constant

    @property
    def held(self) -> bool:
        """Whether what a kernel makes is kept in registers until all is read."""
        return not self.several or self.read or (self.few and int(self.columns) <= HELD)

    @property
    def value(self) -> str:
        return "WideBits" if self.word else "Wide"


def slots_of(plan: Plan) -> list[int]:
    """Slots in the order in which the kernels of a plan name them: the arrays of its nest."""
    return list(dict.fromkeys(slot for step in plan.every_step() for slot in step.slots))


def arguments_of(plan: Plan, catalogue: Declarations) -> list[Argument]:
    """What the slots of a plan are to its nest."""
    steps = list(plan.every_step())
    made = {slot for step in steps for slot in step.slots[step.inputs :]}
    read = {slot for step in steps for slot in step.slots[: step.inputs]}
    names = {plan.slots[slot].name for slot in made}
    return [
        Argument(
            n,
            catalogue.quantity(plan.slots[slot].name),
            slot in made,
            slot in read,
            slot in plan.around,
            slot not in made and plan.slots[slot].name in names,
        )
        for n, slot in enumerate(slots_of(plan))
    ]


def why_none(plan: Plan, catalogue: Declarations) -> str:
    """Why a plan has no nest, "" where it has one."""
    if not all(isinstance(step, Step) for step in plan.steps):
        return "its steps are repeated"
    if plan.ordered:
        return "its points follow each other"
    if any(reads.cells for reads in plan.around.values()):
        return "it reads cells by their positions"
    around = {plan.slots[slot].name for slot in plan.around}
    for argument, slot in zip(arguments_of(plan, catalogue), slots_of(plan), strict=True):
        name = plan.slots[slot].name
        if plan.slots[slot].zero:
            return f"{name} begins at zero"
        if argument.made and name in around:
            return f"{name} is read around the points where it is made"
        if argument.made and argument.read and argument.several and not argument.few:
            return f"{name} has too many components to hand on"
    return ""


def name_of(plan: Plan) -> str:
    """That of the nest of a plan which has one."""
    numbers = {slot: str(n) for n, slot in enumerate(slots_of(plan))}
    return "; ".join(
        " ".join((step.kernel, *(numbers[slot] for slot in step.slots)))
        for step in plan.every_step()
    )


def write(
    paths: Sequence[Path], namespace: str, plans: Iterable[Plan], catalogue: Declarations,
    uniform: Mapping[str, int],
) -> None:  # fmt: skip
    """The nests of these plans, which have some, each once, as sources that a compiler works on
    side by side; namespace: of its names, no other source's; uniform: kernels that do the same to
    every component, and how many there are."""
    named = {name_of(plan): plan for plan in plans}
    parts: list[list[tuple[str, Plan]]] = [[] for _ in paths]
    for name, plan in sorted(named.items(), key=lambda one: -len(list(one[1].every_step()))):
        shortest = min(parts, key=lambda part: sum(len(list(p.every_step())) for _, p in part))
        shortest.append((name, plan))
    for number, (path, part) in enumerate(zip(paths, parts, strict=True)):
        last = number == len(paths) - 1
        following = f"bridge_cpu_nest{number + 1}"
        path.write_text(
            SOURCE.format(
                **_part(part, catalogue, uniform),
                namespace=f"{namespace}_{number}",
                declared="" if last else FOLLOWING.format(following),
                visible=VISIBLE if number == 0 else 'extern "C" ',
                found="bridge_cpu_nest" if number == 0 else f"bridge_cpu_nest{number}",
                others="nullptr" if last else f"{following}(name, layout)",
            ),
            encoding="utf-8",
        )


def _part(
    named: Iterable[tuple[str, Plan]], catalogue: Declarations, uniform: Mapping[str, int]
) -> dict[str, str]:
    """What SOURCE has of the nests of some plans."""
    nests: list[str] = []
    table: list[str] = []
    headers: dict[Path, None] = {}
    singles = False
    for number, (name, plan) in enumerate(named):
        arguments, function = arguments_of(plan, catalogue), f"nest{number}"
        alike = {uniform.get(kernel, 0) for kernel in plan.kernels()}
        columns = alike.pop() if len(alike) == 1 else 0
        nests.append(_nest(plan, catalogue, function, arguments, columns > 0))
        functions = dict.fromkeys(_layouts(arguments), function)
        if "RECORDS" in functions and 0 < columns <= HELD:
            functions["RECORDS"] = f"{function}alike"
            nests.append(_nest(plan, catalogue, functions["RECORDS"], arguments, True, columns))
        forms = ", ".join(
            f"{functions[one]}<NestLayout<BRIDGE_NEST_{one}>>" if one in functions else "nullptr"
            for one in LAYOUTS
        )
        table.append(f'    {{"{name}", {{{forms}}}}},')
        headers |= {catalogue.kernels[one].header.resolve(): None for one in plan.kernels()}
        singles |= plan.singles
    return {
        "singles": "#define BRIDGE_SINGLES\n" if singles else "",
        "includes": "\n".join(f'#include "{header}"' for header in headers),
        "nests": "\n".join(nests),
        "table": "\n".join(table),
    }


def _layouts(arguments: list[Argument]) -> list[str]:
    """Those of LAYOUTS in which a plan has a nest."""
    records = any(one.records for one in arguments)
    return [name for name in LAYOUTS if name != "RECORDS" or records]


def _lines(depth: int, lines: Iterable[str]) -> str:
    return "\n".join(4 * depth * " " + line for line in lines)


def _nest(
    plan: Plan, catalogue: Declarations, function: str, arguments: list[Argument], light: bool,
    alike: int = 0,
) -> str:  # fmt: skip
    """light: its kernels do the same to every component, and mostly compute so little that each
    instruction counts: they have a text of their own for whole registers; alike: of so many
    components, all of which are worked on alike."""
    arrays, rows, points, numbers = [], [], [], []
    for one in arguments:
        n, name = one.number, one.quantity.name
        arrays.append(f"const bridge_nest_array array{n} = arrays[{n}];  /* {name} */")
        if one.constant:
            several = f"const NestColumns<{one.value}> value{n}(array{n});"
            single = f"const {one.value} value{n} = loadRow<{one.value}>(everywhere(array{n}));"
            arrays.append(several if one.several else single)
            continue
        rows.append(f"char* const row{n} = row.of(array{n});")
        flags = f"{one.word}, {one.changes}".lower()
        columns = f", {one.columns}" if one.records else ""
        found = f"pointsOf<Layout>(array{n}, row{n}, part, {flags}{columns})"
        points.append(f"const NestPoints {'points' if alike else 'at'}{n} = {found};")
        numbers.append(n)
    for step in plan.every_step():
        for name in step.tables:
            arrays.append(_table(plan.tables.index(name), catalogue.tables[name]))
    body, saved = _body(plan, catalogue, arguments)
    lines = [*body, *saved]
    return NEST.format(
        function=function,
        arrays=_lines(1, dict.fromkeys(arrays)),
        rows=_lines(2, rows),
        again=_again(arguments),
        body=_lines(3, [*points, *(_of_numbers(alike, numbers, lines) if alike else lines)]),
        whole=WHOLE if light else "",
    )


def _of_numbers(components: int, arrays: list[int], lines: list[str]) -> list[str]:
    """Text for each register of numbers: what is shuffled how has to be known before a compiler
    unrolls loops."""
    found = []
    for number in range(components):
        found.append(f"if (part.known * {components} < {number + 1} * nestLanes) {{")
        found += [
            f"const NestPoints at{n} = numbersOf<{components}, {number}>(points{n});"
            for n in arrays
        ]
        found += [*lines, "}"]
    return found


def _again(arguments: list[Argument]) -> str:
    """Points of a row that are evaluated again, for the sake of the first array that is stored."""
    text = "0"
    for one in reversed(arguments):
        if one.made and not one.word:
            n, together = one.number, "1"
            if one.records:
                together = f"Layout::records ? {one.columns} : 1"
            found = f"pointsAgain(row{n}, points, {together})"
            text = f"array{n}.address ? {found} : {text}"
    return text


def _table(number: int, table: Table) -> str:
    place = f"tables[{number}]"
    return f"const Table<Wide, {table.rank}> table{number}({place}->data, {place}->size);"


def _body(
    plan: Plan, catalogue: Declarations, arguments: list[Argument]
) -> tuple[list[str], list[str]]:
    """Statements of one evaluation: values that are read and kernels that run; values that are
    stored."""
    numbers = {slot: n for n, slot in enumerate(slots_of(plan))}
    body: dict[str, None] = {}
    saved: list[str] = []
    for step in plan.every_step():
        kernel = catalogue.kernels[step.kernel]
        names = ["shared", *(f"table{plan.tables.index(name)}" for name in step.tables)]
        for place, slot in enumerate(step.slots):
            one = arguments[numbers[slot]]
            n = one.number
            if place >= step.inputs:
                statement, name, after = _made(one)
                saved += after
            elif slot in step.reads and kernel.inputs[place] in kernel.reads:
                name = f"around{n}"
                several = "true" if one.several else "false"
                statement = f"const NestAround<{one.value}, {several}> {name}(at{n});"
            elif one.made and one.several:
                name = f"made{n}"
                statement = f"const NestColumns<{one.value}> {name}(value{n});"
            elif one.made or one.constant:
                statement, name = "", f"value{n}"
            elif one.several:
                name = f"value{n}"
                statement = f"const NestColumns<{one.value}> {name}(at{n});"
            else:
                name = f"value{n}"
                statement = f"const {one.value} {name} = loadRow<{one.value}>(at{n});"
            names.append(name)
            if statement:
                body[statement] = None
        # By its full name: a pack may give a kernel that of a variable around the call.
        body[f"BRIDGE_NAMESPACE::{kernel.name}<Wide>({', '.join(names)});"] = None
    return list(body), saved


def _made(one: Argument) -> tuple[str, str, list[str]]:
    """How a value is declared that a kernel makes, its name, and how it is stored."""
    n = one.number
    if not one.several:
        return f"{one.value} value{n};", f"value{n}", [f"saveRow(at{n}, value{n});"]
    if one.held:
        declared = (
            f"NestMade<{one.value}, {one.columns}> value{n};\n"
            f"NestTile<{one.value}> tile{n}(value{n});"
        )
        return declared, f"tile{n}", [f"saveColumns(at{n}, value{n});"]
    if one.records:
        declared = f"NestMany<Layout, {one.columns}> value{n}(at{n});"
        return declared, f"value{n}", [f"value{n}.save(at{n});"]
    return f"NestOut<{one.value}> value{n}(at{n});", f"value{n}", []
