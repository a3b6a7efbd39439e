"""The source of a nest's unit without the rest of its statements, and calls around the nest that
fill and write its variables; in its place the original or the module of the port."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bridge.port.outline.region import last_line
from bridge.port.output.surroundings import Surroundings
from bridge.port.program.symbols import COMMON, DUMMY, MODULE, PARAMETER, Symbol
from bridge.port.refusal import Refused
from bridge.port.request import Ported
from bridge.port.syntax.expressions import Expression, Name
from bridge.port.syntax.statements import Continue
from bridge.port.syntax.text import line
from bridge.port.syntax.unittext import unit_lines

_ENTRIES = {("real", 8): "zz_r8", ("real", 4): "zz_r4", ("integer", 4): "zz_i4",
            ("logical", 4): "zz_l4"}  # fmt: skip


@dataclass
class Nest:
    """sizes: integers that decide extents and bounds, in the order of their numbers; variables:
    what is filled and written, likewise."""

    ported: Ported
    sizes: list[str]
    variables: list[str]

    @classmethod
    def of(cls, ported: Ported, fixed: Iterable[str]) -> Nest:
        unit, scope = ported.unit, ported.program.scope(ported.unit)
        names: dict[str, None] = {}
        bounds: dict[str, None] = {}

        def within(e: Expression | None) -> None:
            for part in e.walk() if e is not None else ():
                if isinstance(part, Name):
                    bounds[part.id] = None

        for k in ported.kernels:
            p = k.procedure
            for view in p.views.values():
                names[view.array] = None
                for sub in view.subscripts:
                    within(sub)
                for variable in view.variables:
                    bounds.pop(variable, None)
            own = {*p.views, *(t.name for t in p.temporaries.values())}
            for use in p.arrays.values():
                if use.name not in own:
                    names[use.name] = None
            for value in (*k.constants, *k.tables):
                if value.value is None:
                    names[value.variable] = None
            for reduction in p.reductions:
                names[reduction.variable] = None
            for loop in p.loops:
                within(loop.first)
                within(loop.last)
            for t in p.temporaries.values():
                for low, high in t.box:
                    within(low)
                    within(high)
        for name in [*names, *unit.arguments]:
            symbol = scope.find(name)
            for d in (symbol.dimensions or ()) if symbol is not None else ():
                within(d.lower)
                within(d.upper)
        sizes = [
            name for name in [*bounds, *names]
            if (s := scope.find(name)) is not None and s.type == "integer"
            and s.storage != PARAMETER and (s.dimensions is None or name in bounds)
        ]  # fmt: skip
        sizes = list(dict.fromkeys(sizes))
        return cls(ported, sizes, [name for name in names if name not in sizes])

    # ---- the unit -----------------------------------------------------------------------------

    def unit_text(self, kernel: bool, external: bool) -> tuple[str, str]:
        """File and text. external: bind and run are called without their module."""
        unit = self.ported.unit
        file = unit.place.file
        lines = Path(file).read_text(errors="replace").splitlines()
        fixed = self._is_fixed(lines)
        # A continue without a label may hold comments at the line of end.
        own = [s for s in unit.body if s.place.file == file
               and not (isinstance(s, Continue) and not s.label)]  # fmt: skip
        begin = min(s.place.line for s in own)
        end = max(last_line(s) for s in own)
        first, last = self.ported.first, self.ported.last
        for n in range(begin, end + 1):
            if (n < first or n > last) and not lines[n - 1].startswith("#"):
                lines[n - 1] = ""
        around = self._around()
        before = [*around[0], "call zz_to(1)", *around[1]]
        after = ["call zz_to(2)", *around[1]]
        middle = lines[first - 1 : last]
        if kernel:
            base = self.ported.module[0].removesuffix("_bridge")
            calls = [f"call {entry}_{base}({', '.join(self._arguments(entry))})"
                     for entry in ("bind", "run", "unbind")]  # fmt: skip
            middle = written(calls, fixed)
        lines[first - 1 : last] = [*written(before, fixed), *middle, *written(after, fixed)]
        head = unit.place.line - 1
        lines[head] = re.sub(r"(?i)\b(pure|elemental)\b[ \t]*", "", lines[head])
        if kernel and not external:
            at = _end_of_statement(lines, head, fixed)
            lines[at:at] = written([f"use {self.ported.module[0]}"], fixed)
        return file, "\n".join(self._without_mains(lines)) + "\n"

    def _is_fixed(self, lines: Sequence[str]) -> bool:
        from bridge.port.source.lines import read

        return bool(read(self.ported.unit.place.file)[0].fixed) if lines else False

    def _without_mains(self, lines: list[str]) -> list[str]:
        """A main program of the file would be a second one."""
        unit = self.ported.unit
        mine = [u for u in self.ported.program.units if u.place.file == unit.place.file]
        for n, one in enumerate(mine):
            if one.kind != "program" or one is unit or one is unit.parent:
                continue
            stop = mine[n + 1].place.line - 1 if n + 1 < len(mine) else len(lines)
            for k in range(one.place.line - 1, stop):
                lines[k] = ""
        return lines

    def _around(self) -> tuple[list[str], list[str]]:
        """Calls that give sizes, and calls for the variables."""
        scope = self.ported.program.scope(self.ported.unit)
        sizes, variables = [], []
        for k, name in enumerate(self.sizes, 1):
            symbol = scope.symbol(name)
            if symbol.storage == DUMMY and symbol.dimensions is None:
                continue
            sizes.append(f"call zz_set({k}, {_count(name, symbol)}, {name})")
        for k, name in enumerate(self.variables, 1):
            symbol = scope.symbol(name)
            entry = _ENTRIES.get((symbol.type, symbol.kind))
            if entry is None:
                raise Refused(symbol.place, f"{symbol.type}({symbol.kind}) {name}",
                              "the check does not fill it")  # fmt: skip
            variables.append(f"call {entry}({k}, {_count(name, symbol)}, {name})")
        return sizes, variables

    def _arguments(self, entry: str) -> list[str]:
        base = self.ported.module[0].removesuffix("_bridge")
        text = re.sub(r"&\s*\n\s*&?", " ", self.ported.module[1])
        match = re.search(rf"subroutine {entry}_{base}\s*\((.*?)\)", text, re.DOTALL)
        assert match is not None
        return [word.strip() for word in match[1].split(",") if word.strip()]

    # ---- the module ---------------------------------------------------------------------------

    @property
    def circular(self) -> bool:
        """Whether the module of the port uses what the nest's own file defines."""
        file = self.ported.unit.place.file
        own = {u.name for u in self.ported.program.modules.values() if u.place.file == file}
        return bool(own & set(re.findall(r"(?m)^\s*use (\w+)", self.ported.module[1])))

    def external_module(self, text: str) -> str:
        """Its procedures outside, so that no file needs the other one's module."""
        name = self.ported.module[0]
        head, _, rest = text.partition("\ncontains\n")
        head = re.sub(r"(?m)^  (private|public ::.*)$", "", head) + f"\nend module {name}\n"
        rest = rest.replace(f"end module {name}", "")
        uses = (f"use {name}\n    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int"
                "\n    use bridge")  # fmt: skip
        rest = re.sub(r"(?m)^(  subroutine (?:[^\n]*&\n)*[^\n]*\))$", rf"\1\n    {uses}", rest)
        rest = re.sub(r"(?m)^(  end subroutine.*)$", r"\1\n", rest)
        return head + rest

    # ---- the program --------------------------------------------------------------------------

    def driver(self, kernel: bool) -> str:
        """Calls the unit, run after run."""
        unit, program = self.ported.unit, self.ported.program
        start = ["    call frame_initialize(0, 256, 0, 0, 0)"] if kernel else []
        stop = ["    call frame_finalize()"] if kernel else []
        use = ["  use bridge"] if kernel else []
        if unit.kind != "subroutine" or (unit.parent is not None and unit.parent.kind != "module"):
            raise Refused(unit.place, f"{unit.kind} {unit.name}",
                          "the check calls subroutines that stand alone or in a module",
                          "move the nest to one")  # fmt: skip
        scope = program.scope(unit)
        around = Surroundings(program, unit)
        symbols = [scope.symbol(d) for d in unit.arguments if d != "*"]
        known = around.needed([s.name for s in symbols], [])
        dummies = [n for n in self.sizes if (s := scope.symbol(n)).storage == DUMMY
                   and s.dimensions is None]  # fmt: skip
        lines = ["program zz_main", *use, "  implicit none", "  logical, external :: zz_more",
                 "  integer, external :: zz_size", *start, "  do while (zz_more())"]  # fmt: skip
        values = ", ".join(f"zz_size({self.sizes.index(n) + 1})" for n in dummies)
        lines += [line(f"call zz_inner({values})", 4), "  end do", *stop, "contains",
                  line(f"subroutine zz_inner({', '.join(dummies)})", 2)]  # fmt: skip
        if unit.parent is not None:
            lines.append(f"    use {unit.parent.name}, only: zz_call => {unit.name}")
        for name in sorted({s.type_name for s in symbols if s.type == "type"}):
            owners = [u.name for u in program.modules.values() if name in u.types]
            lines += [f"    use {owner}, only: {name}" for owner in owners[:1]]
        outside = [n for n in known.outside if scope.symbol(n).storage == MODULE
                   or scope.symbol(n).storage == PARAMETER]  # fmt: skip
        lines += [f"    {text}" for text in around.outside_lines(outside)]
        lines += [f"    {around.parameter_text(name)}" for name in known.parameters]
        commons = {scope.symbol(n).owner for n in known.outside
                   if scope.symbol(n).storage == COMMON}  # fmt: skip
        for block in commons:
            lines += [f"    {text}" for text in around.outside_lines(
                [n for n in known.outside if scope.symbol(n).owner == block])]  # fmt: skip
        lines += [f"    integer, value :: {n}" for n in dummies]
        given = []
        for symbol in symbols:
            given.append(symbol.name)
            if symbol.name not in dummies:
                lines.append(line(self._declared(around, symbol), 4))
        target = unit.name if unit.parent is None else "zz_call"
        if unit.parent is None and any(d.deferred for s in symbols for d in s.dimensions or ()):
            lines += ["    interface", *unit_lines(replace(unit, body=[], units=[]), 6),
                      "    end interface"]  # fmt: skip
        lines += [line(f"call {target}({', '.join(given)})", 4), "  end subroutine",
                  "end program zz_main", ""]  # fmt: skip
        return "\n".join(lines)

    def _declared(self, around: Surroundings, symbol: Symbol) -> str:
        if symbol.type == "character":
            return f"character(len=64) :: {symbol.name}"
        if symbol.type == "type":
            return f"type({symbol.type_name}) :: {symbol.name}"
        if symbol.attributes & {"external", "pointer", "allocatable"}:
            raise Refused(symbol.place, f"argument {symbol.name}", "the check cannot give it")
        if any(d.deferred for d in symbol.dimensions or ()):
            extents = ", ".join(
                str(n) for n in (13, 12, 11, 5, 3, 2, 2)[: len(symbol.dimensions or ())]
            )
            return f"{symbol.type}({symbol.kind}) :: {symbol.name}({extents})"
        if any(d.upper is None for d in symbol.dimensions or ()):
            why = "its last extent is not declared (*)"
            raise Refused(symbol.place, f"array {symbol.name}", why, "declare it")
        return around._declared(symbol, frozenset(), "")


def _end_of_statement(lines: Sequence[str], at: int, fixed: bool) -> int:
    """Index of the line behind the statement that begins at a line."""
    at += 1
    if fixed:
        while at < len(lines) and re.match(r"^ {5}[^ 0]|^\t[1-9]", lines[at]):
            at += 1
        return at
    while at < len(lines) and lines[at - 1].partition("!")[0].rstrip().endswith("&"):
        at += 1
    return at


def _count(name: str, symbol: Symbol) -> str:
    return "1" if symbol.dimensions is None else f"size({name})"


def written(statements: Iterable[str], fixed: bool) -> list[str]:
    """Lines of either form."""
    lines = []
    for text in statements:
        if not fixed:
            lines += line(text, 4).splitlines()
            continue
        lines.append("      " + text[:60])
        lines += ["     &" + text[n : n + 60] for n in range(60, len(text), 60)]
    return lines
