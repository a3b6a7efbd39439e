"""Write the launch wrapper of a kernel whose points follow each other: with colours or a sweep.

Beside generate_launchers, which says what else lies in the file. A wrapper goes along the lines of
a launch (lines.h), step by step, and over the vectors of lines in each step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

#: Arguments of a launch are read as the fastest of these has them, the last one reads anything.
WRAPPER = """\
{declared}
static void lines_{name}(const void* data, const bridge_lines* launch) {{
    [[maybe_unused]] const Shared& shared = *static_cast<const Shared*>(data);
    const bridge_lines& lines = *launch;
{slots}
    [[maybe_unused]] const bool known = {known};
    [[maybe_unused]] const bool singles = {singles};
    [[maybe_unused]] const bool doubles = {doubles};
    const int64_t vectors =
        (std::max(lines.points, lines.odd_points) + BRIDGE_WIDTH - 1) / BRIDGE_WIDTH;
    const auto evaluate = [&](auto how, int64_t step, int64_t vector, const LanePoints& which,
                              const auto& function) BRIDGE_INLINED {{
        [[maybe_unused]] constexpr Reading reading = how;
        [[maybe_unused]] char* room = lines.outputs;
{places}
{before}
{call}
{after}
    }};
    for (int64_t step = 0; step < lines.steps; ++step) {{
        for (int64_t vector = 0; vector < vectors; ++vector) {{
            const LanePoints which = lanesOf(lines, step, vector);
            const bool whole = which.points == BRIDGE_WIDTH;
            if (!which.points) continue;
{ends}
            const auto own = [&](auto&... all) BRIDGE_INLINED {{
{header}
                BRIDGE_NAMESPACE::{name}<{number}>(all...);
{declared}
            }};
            if (known && whole)
                evaluate(ReadingIs<Reading::{fast}>{{}}, step, vector, which, own);
{colours}            else if (doubles && whole)
                evaluate(ReadingIs<Reading::doubles>{{}}, step, vector, which, own);
            else
                evaluate(ReadingIs<Reading::any>{{}}, step, vector, which, own);
        }}
    }}
}}
"""

CALL = """\
{declared}
        function({arguments});"""
#: Of a debugger's build: once for each point (debug.h).
CALL_OF_ONE = """\
        for (int point = 0; point < BRIDGE_WIDTH; ++point) {{
{before}
{declared}
            function({arguments});
{after}
        }}"""

#: Of a kernel with colours, whose arrays are real(4).
SINGLES = """\
            else if (singles && whole)
                evaluate(ReadingIs<Reading::singles>{}, step, vector, which, own);
"""

#: A function of the first or the last points of a line.
END = """\
            if ({where}) {{
                const auto end = [&](auto&... all) BRIDGE_INLINED {{
{header}
                    BRIDGE_NAMESPACE::{name}<{number}>(all...);
{declared}
                }};
                if (doubles && whole)
                    evaluate(ReadingIs<Reading::doubles>{{}}, step, vector, which, end);
                else
                    evaluate(ReadingIs<Reading::any>{{}}, step, vector, which, end);
                continue;
            }}"""


def ordered(kernel: Mapping[str, Any]) -> bool:
    """Whether a kernel of a catalogue has colours or a sweep."""
    return "colours" in kernel or "sweep" in kernel


def read_elsewhere(word: bool, several: bool) -> str:
    """Template arguments of what a kernel reads around its point or at any cell: of integers, of
    several columns."""
    return f"<{'WideBits' if word else 'Wide'}, {'true' if several else 'false'}>"


def of_one(number: int, variable: str, given: bool, word: bool, several: bool) -> tuple[str, str]:
    """An argument of a kernel that is called for one point, and what follows the call."""
    if given:
        return f"const auto one{number} = pick({variable}, point);", ""
    if several:
        kind = f"OneOut<{'WideBits' if word else 'Wide'}, decltype({variable})>"
        return f"{kind} one{number}({variable}, point);", ""
    one = f"{'int' if word else 'WidePoint'} one{number} = 0;"
    return one, f"put({variable}, point, one{number});"


def wrapper(
    kernel: Mapping[str, Any],
    quantities: Mapping[str, Any],
    held: Callable[[Mapping[str, Any], str, str], bool],
    line_of: Callable[[str | None], str],
    debug: bool,
) -> str:
    """C++ text of one; held: whether an output of some columns is kept in registers; line_of: the
    directive of a function of the header, of the kernel in the catalogue for None; debug: of a
    debugger's build."""
    names = [*kernel["inputs"], *kernel["outputs"]]
    inputs, reads = len(kernel["inputs"]), kernel.get("reads", {})
    fast = "rows" if "sweep" in kernel else "pairs"
    slots, places, before, after = [], [], [], []
    known, singles, doubles, arguments = [], [], [], ["shared"]
    real = "WidePoint" if debug else "Wide"
    ones: list[tuple[str, str]] = []  # of a debugger's build: before and after the call
    for number, name in enumerate(kernel.get("tables", ())):
        rank = quantities[name].get("rank") or len(quantities[name]["size"])
        place = f"lines.tables[{number}]"
        slots.append(f"const Table<{real}, {rank}> table{number}({place}->data, {place}->size);")
        arguments.append(f"table{number}")
    for number, name in enumerate(names):
        quantity, given = quantities[name], number < inputs
        columns = str(quantity.get("columns", "1"))
        word = quantity.get("type", "float64") != "float64"
        value = "WideBits" if word else "Wide"
        slot, place, variable = (f"{kind}{number}" for kind in ("slot", "place", "argument"))
        around = given and name in reads
        slots.append(f"const LineArgument {slot}(lines, lines.arguments[{number}]);  /* {name} */")
        places.append(f"char* const {place} = {slot}.at(step, vector);")
        arguments.append(f"one{number}" if debug else variable)
        ones.append(of_one(number, variable, given, word, columns != "1"))
        if not word:
            uniform = "true" if given and not around and columns == "1" else "false"
            fits = f"{slot}.fits(Reading::{fast}, {uniform})"
            same = given and not around and columns != "1" and quantity["constant"]
            known.append(f"{slot}.same()" if same else fits)
            singles.append(f"{slot}.same()" if same else f"{slot}.fitsSingles({uniform})")
            doubles.append(f"{slot}.doubles()")
        if around:
            how = "Reading::any" if word else "reading"
            rows = f"{slot}.rows<{how}>(which.points)"
            kind = f"NeighboursOf{read_elsewhere(word, columns != '1')}"
            before.append(f"const {kind} {variable}({place}, {rows});")
        elif given and columns == "1":
            load = f"{slot}.load<{value}, reading>({place}, which.points)"
            before.append(f"const {value} {variable} = {load};")
        elif given:
            same = "true" if quantity["constant"] else "false"
            view = f"const LineColumns<{value}, reading, {same}> {variable}"
            before.append(f"{view}({slot}, {place}, which.points);")
        elif columns == "1":
            before.append(f"{value} {variable};")
            after.append(f"{slot}.save<reading>({place}, {variable}, which);")
        elif held({"inputs": [name]}, name, columns):
            before.append(f"Held<{value}, {columns}> {variable};")
            each = f"{slot}.save<reading>({place} + c * {slot}.stride(), {variable}[c], which);"
            after.append(f"for (int c = 0; c < {columns}; ++c)")
            after.append(f"    {each}")
        else:
            kind = "LineWords" if word else "LineReals"
            before.append(f"{kind} {variable}(room, {slot});")
            after.append(f"{variable}.save<reading>({slot}, {place}, which);")
    if kernel.get("private"):
        size = f"{kernel['private']} * sizeof(Wide)"
        before.append(f"PrivateVectors line(lines.lines + vector * {size});")
        arguments.append("oneLine" if debug else "line")
        ones.append(("Private oneLine(line, point);", ""))
    return WRAPPER.format(
        name=kernel["name"],
        declared=line_of(None),
        header=line_of(kernel["name"]),
        fast=fast,
        slots=_lines(1, slots),
        known=" && ".join(known) or "true",
        singles=" && ".join(singles) or "true",
        doubles=" && ".join(doubles) or "true",
        colours=SINGLES if fast == "pairs" else "",
        places=_lines(2, places),
        before=_lines(2, before),
        number=real,
        call=(CALL_OF_ONE if debug else CALL).format(
            declared=line_of(None),
            arguments=", ".join(arguments),
            before=_lines(3, [text for text, _ in ones]),
            after=_lines(3, [text for _, text in ones if text]),
        ),
        after=_lines(2, after),
        ends="\n".join(_ends(kernel, line_of, real)),
    )


def _ends(
    kernel: Mapping[str, Any], line_of: Callable[[str | None], str], number: str
) -> list[str]:
    """Those of the first points come before those of the last ones, where a line has few."""
    first, last = _functions(kernel, "first"), _functions(kernel, "last")
    place = "lines.done + step"
    places = [(f"{place} == {n}", name) for n, name in enumerate(first)]
    places += [(f"{place} == lines.length - {len(last) - n}", name) for n, name in enumerate(last)]
    return [
        END.format(
            where=where, name=name, number=number, header=line_of(name), declared=line_of(None)
        )
        for where, name in places
    ]


def _functions(kernel: Mapping[str, Any], key: str) -> list[str]:
    given = kernel.get(key, [])
    return given if isinstance(given, list) else [given]


def _lines(depth: int, texts: Sequence[str]) -> str:
    return "\n".join(4 * depth * " " + text for text in texts)
