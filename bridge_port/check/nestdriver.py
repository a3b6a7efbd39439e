"""The program of a nest under test: it calls the nest's unit, run after run."""

from __future__ import annotations

from dataclasses import replace

from bridge_port.analysis.affine import Affine, affine
from bridge_port.check import species
from bridge_port.check.nestmemory import DEFERRED, extents, number, setting, touched_parts
from bridge_port.check.nesttext import HOST, MANY, PROGRAM, Nest, pointer_to_nothing, procedures_of
from bridge_port.check.shim import type_text
from bridge_port.output.fortran import Interface, Procedure, Statement, Use, call
from bridge_port.output.surroundings import Surroundings, declared
from bridge_port.program.symbols import COMMON, MODULE, PARAMETER, Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Number
from bridge_port.syntax.units import Dimension, Unit, used_module
from bridge_port.syntax.unittext import dimension_text


class Driver:
    """Of a nest."""

    def __init__(self, nest: Nest) -> None:
        self.nest, self.unit, self.program = nest, nest.ported.unit, nest.ported.program
        unit = self.unit
        self.scope = self.program.scope(unit)
        self.around = Surroundings(self.program, unit)
        self.procedures = procedures_of(unit)
        self.absent = nest.ported.kernels[0].procedure.absent
        left_out = {"*", *self.procedures, *self.absent}
        names = [d for d in unit.arguments if d not in left_out]
        self.symbols = [self.scope.symbol(d) for d in names]
        self.sizes = [n for n in nest.sizes if n in names
                      and self.scope.symbol(n).dimensions is None]  # fmt: skip

    def main(self, kernel: bool, points: int = 256) -> Procedure:
        """points: of a chunk of the bridge."""
        unit, nest = self.unit, self.nest
        inside = unit.parent is not None and unit.parent.kind not in (
            "module", "submodule", "program")  # fmt: skip
        if unit.kind not in ("subroutine", "function", "program") or inside:
            raise Refused(unit.place, f"{unit.kind} {unit.name}",
                          "the check calls programs, and procedures that stand alone, in a "
                          "module or in a program", "move the nest to one")  # fmt: skip
        before = self._before()
        values = [f"int(zz_size({nest.sizes.index(n) + 1}), {self.scope.symbol(n).kind})"
                  for n in self.sizes]  # fmt: skip
        head: list[Statement] = [
            *([Use("bridge")] if kernel else ()), "implicit none", "logical, external :: zz_more",
            "integer, external :: zz_size",
        ]  # fmt: skip
        body: list[Statement] = [
            *(self._begun(points) if kernel else ()),
            "do while (zz_more())", *(call(one.name) for one in before),
            call("zz_inner", *values), "end do", *([call("frame_finalize")] if kernel else ()),
        ]  # fmt: skip
        declared = [*self._uses(), *self._declarations()]
        inner = Procedure("zz_inner", self.sizes, declared, self._call())
        return Procedure("zz_main", (), head, body, inside=[*before, inner], kind="program")

    def _begun(self, points: int) -> list[Statement]:
        ns = self.nest.ns
        names = call("frame_set", "'species'", f"'{' '.join(species.names(ns))}'")
        begin = call("frame_initialize", 0, points, ns, 5 + ns if ns else 0, 0)
        return [names, begin] if ns else [begin]

    def _before(self) -> list[Procedure]:
        """One that gives sizes of modules and COMMON, which arrays of the unit may have: its
        arguments and those of its own are made before its first statement."""
        names = [
            name for name in self.nest.sizes
            if name not in self.nest.paths and (s := self.scope.find(name)) is not None
            and (s.storage in (MODULE, COMMON) or self._of_host(s)) and s.dimensions is None
        ]  # fmt: skip
        if not names or self.unit.kind == "program":
            return []
        symbols = {name: self.scope.symbol(name) for name in names}
        of_host = [name for name in names if self._of_host(symbols[name])]
        others = [name for name in names if name not in of_host]
        head = [*(Use(HOST, (name,)) for name in of_host), *self.around.outside_lines(others)]
        body: list[Statement] = []
        for name, symbol in symbols.items():
            at = self.nest.sizes.index(name) + 1
            body += [*number(symbol), call(setting(symbol.kind), at, 1, name)]
        return [Procedure("zz_before", (), head, body)]

    def _of_host(self, symbol: Symbol) -> bool:
        """Whether it is a variable of the program around the unit, which is a module here."""
        unit: Unit = symbol.scope.unit
        return unit is self.unit.parent and unit.kind == "program" and symbol.storage != COMMON

    def _uses(self) -> list[Statement]:
        unit, around = self.unit, self.around
        lines: list[Statement] = []
        if unit.parent is not None:
            owner = HOST if unit.parent.kind == "program" else used_module(unit.parent)
            lines.append(Use(owner, (f"zz_call => {unit.name}",)))
        for name in sorted({s.type_name for s in self.symbols if s.type == "type"}):
            owners = [u.name for u in self.program.modules.values() if name in u.types]
            lines += [Use(owner, (name,)) for owner in owners[:1]]
        known = around.needed([s.name for s in self.symbols], [])
        symbols = {n: self.scope.symbol(n) for n in (*known.outside, *known.arguments)}
        lines += [Use(HOST, (n,)) for n in known.arguments if self._of_host(symbols[n])]
        outside = [n for n in known.outside if symbols[n].storage in (MODULE, PARAMETER)]
        # Of the unit's own module, in bounds of its arguments.
        outside += [n for n in known.arguments
                    if symbols[n].storage == MODULE and not self._of_host(symbols[n])]  # fmt: skip
        lines += around.outside_lines(outside)
        lines += map(around.parameter_text, known.parameters)
        owners = [symbols[n].owner for n in known.outside if symbols[n].storage == COMMON]
        for block in dict.fromkeys(owners):
            lines += around.outside_lines([n for n in known.outside if symbols[n].owner == block])
        return lines

    def _declarations(self) -> list[Statement]:
        unit = self.unit
        lines: list[Statement] = [
            *(f"integer({self.scope.symbol(n).kind}), value :: {n}" for n in self.sizes),
            *(self._declared(one) for one in self.symbols if one.name not in self.sizes),
            *(pointer_to_nothing(self.scope, unit, name) for name in self.procedures),
        ]
        if unit.parent is None and unit.kind != "program" and self._needs_interface():
            read = [one for one in unit.unread if one.construct != "include"]
            external = unit.external | set(self.procedures)
            lines.append(Interface(replace(unit, body=[], units=[], interfaces={}, unread=read,
                                           external=external)))  # fmt: skip
        return lines

    def _needs_interface(self) -> bool:
        return self.unit.kind == "function" or any(
            s.optional
            or s.attributes & {*DEFERRED, "target"}
            or any(d.deferred for d in s.dimensions or ())
            for s in self.symbols
        )

    def _call(self) -> list[str]:
        unit = self.unit
        words, behind = [], False
        for name in self.unit.arguments:
            behind |= name in self.absent
            if name not in (*self.absent, "*"):
                words.append(f"{name}={name}" if behind else name)
        given = ", ".join(words)
        target = unit.name if unit.parent is None else "zz_call"
        if unit.kind == "program":
            return [f"call {PROGRAM}()"]
        if unit.kind == "subroutine":
            return [f"call {target}({given})"]
        return [f"associate (zz_value => {target}({given}))", "end associate"]

    def _declared(self, symbol: Symbol) -> str:
        kind, name = type_text(symbol), symbol.name
        # An object is kept from run to run, and its pointers are null in the first one.
        kept = ", save" if symbol.type == "type" else ""
        target = ", target" if symbol.type == "type" else ""
        for word in symbol.attributes & DEFERRED:
            colons = ", ".join(":" for _ in symbol.dimensions or ())
            return f"{kind}{kept}, {word} :: {name}" + (f"({colons})" if colons else "")
        if any(d.deferred for d in symbol.dimensions or ()):
            touched = touched_parts(self.nest.ported.kernels).get(name, {})
            shape = ", ".join(map(str, extents(symbol, touched)))
            return f"{kind}{kept}{target} :: {name}({shape})"
        if self.nest.has_no_end(symbol):
            *others, last = symbol.dimensions or ()
            end = (affine(last.lower or Number("1")) + Affine(MANY - 1)).expression
            symbol = replace(symbol, dimensions=(*others, Dimension(last.lower, end)))
        if symbol.type not in ("type", "character"):
            return declared(symbol)
        if symbol.dimensions is None:
            return f"{kind}{kept}{target} :: {name}"
        # Its extents may be arguments, and such an array is not kept.
        return f"{kind}{target} :: {name}({', '.join(map(dimension_text, symbol.dimensions))})"
