"""The Fortran module of a ported nest: bind, run and unbind, in the place of the loops.

`bind_NAME` takes the arrays as the original declares them, and what their bounds and those of the
loops need; `run_NAME` takes the scalars that the body reads and those that it reduces. Each kernel
of the nest has a set of its own, because each has its own box.
"""

from __future__ import annotations

from collections.abc import Sequence

from bridge.port.kernel import ANY, SUM, HostValue, Kernel, Reduction
from bridge.port.output.bindings import Array, Bindings, Source
from bridge.port.output.copies import scalars_in
from bridge.port.output.hostdata import given
from bridge.port.output.surroundings import Surroundings
from bridge.port.syntax.text import expression_text, line
from bridge.port.syntax.units import Unit

AXES = "xyz"


def module_text(name: str, unit: Unit, program: object, kernels: Sequence[Kernel]) -> str:
    """name: of the nest; unit: that it stands in; kernels: of its procedures, in their order.
    Refused where an array cannot be bound."""
    return _Module(name, unit, program, kernels).text()


class _Module:
    def __init__(self, name: str, unit: Unit, program: object, kernels: Sequence[Kernel]) -> None:
        self.name, self.kernels = name, kernels
        self.around = Surroundings(program, unit)
        several = len(kernels) > 1
        self.sets = [f"{name}_{n}" if several else name for n, _ in enumerate(kernels, 1)]
        self.bindings = [Bindings(k, self.around, n) for n, k in enumerate(kernels, 1)]

    def text(self) -> str:
        bind, run = self._bind(), self._run()
        lines = [
            f"! Loops of {self.around.unit.name}, "
            f"{self.kernels[0].procedure.place}, by the bridge.",
            f"module {self.name}_bridge",
            "  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int",
            "  use bridge",
        ]
        lines += [
            "  implicit none",
            "  private",
            f"  public :: bind_{self.name}, run_{self.name}, unbind_{self.name}",
        ]
        for one in self._stored():
            lines.append(
                f"  {one.type_text}, allocatable, target, save :: "
                f"{one.own}({', '.join(':' * one.rank)})"
            )
        for source in self._sources():
            lines.append(
                f"  {source.type_text}, pointer, contiguous, save :: "
                f"{source.pointer}({', '.join(':' * source.rank)})"
            )
        lines += ["contains", *bind, "", *run, "", *self._unbind()]
        lines.append(f"end module {self.name}_bridge")
        return "\n".join(lines) + "\n"

    def _stored(self) -> list[Array]:
        """Arrays of the module's own, each once."""
        found = {one.own: one for b in self.bindings for one in b.arrays if one.own}
        return list(found.values())

    def _sources(self) -> list[Source]:
        found = {s.pointer: s for b in self.bindings for one in b.arrays for s in one.sources}
        return list(found.values())

    # ---- bind ---------------------------------------------------------------------------------

    def _bind(self) -> list[str]:
        names = [one.name for b in self.bindings for one in b.arrays if one.name]
        names += [source.name for source in self._sources()]
        bounds = [
            e for k in self.kernels for loop in k.procedure.loops for e in (loop.first, loop.last)
        ]
        bounds += [
            e
            for k in self.kernels
            for t in k.procedure.temporaries.values()
            for pair in t.box
            for e in pair
        ]
        bounds += [
            e
            for k in self.kernels
            for t in k.procedure.temporaries.values()
            for d in t.components
            for e in (d.lower, d.upper)
            if e is not None
        ]
        known = self.around.needed(names, bounds)
        head = [line(f"subroutine bind_{self.name}({', '.join(known.arguments)})", 2)]
        head += [line(text, 4) for text in known.declarations(targets=True)]
        pointers = {one.pointer: one for b in self.bindings for one in b.arrays}
        for pointer, one in sorted(pointers.items()):
            colons = ", ".join(":" * (4 if one.components else 3))
            head.append(f"    {one.type_text}, pointer :: {pointer}({colons})")
        body: list[str] = []
        for set_, bindings in zip(self.sets, self.bindings, strict=True):
            for one in bindings.arrays:
                body += one.prepared()
                body.append(self._bind_one(set_, bindings, one))
            if bindings.positions:
                firsts = ", ".join(expression_text(e) for e in bindings.firsts())
                body.append(f"call frame_position('{set_}', {firsts})")
        lines = [*head, *(line(text, 4) for text in body)]
        return [*lines, f"  end subroutine bind_{self.name}"]

    def _bind_one(self, set_: str, bindings: Bindings, one: Array) -> str:
        words = [f"'{set_}'", f"'{one.quantity.name}'", f"'{one.intent}'", one.pointer]
        for axis, letter in enumerate(AXES):
            first, last = bindings.positions_of(one, axis)
            words += [f"spt{letter}={first}", f"ept{letter}={last}"]
        if one.component_first:
            words.append("component_first=.true.")
        return f"call frame_bind({', '.join(words)})"

    # ---- run ----------------------------------------------------------------------------------

    def _run(self) -> list[str]:
        constants = [c for k in self.kernels for c in k.constants]
        tables = [t for k in self.kernels for t in k.tables]
        reductions = [r for k in self.kernels for r in k.procedure.reductions]
        names = [
            v.variable for v in (*constants, *tables) if v.storage not in ("module", "common")
        ]
        names += [r.variable for r in reductions]
        places = self._places()
        names += [n for n in places if not self._is_outside(n)]
        for value in (*constants, *tables):
            if value.storage in ("module", "common"):
                self.around.outside(value.variable)
        known = self.around.needed(names, [])
        lines = [line(f"subroutine run_{self.name}({', '.join(known.arguments)})", 2)]
        lines += [line(text, 4) for text in self._outside(constants, tables, places)]
        lines += [line(text, 4) for text in known.declarations(targets=False)]
        body: list[str] = []
        for number, (set_, kernel) in enumerate(zip(self.sets, self.kernels, strict=True)):
            body += given(kernel.constants, "frame_constant")
            body += given(kernel.tables, "frame_table")
            for one in self.bindings[number].arrays:
                body += one.spreading
            body.append(f"call frame_run('{set_}', '{kernel.name}')")
            for one in self.bindings[number].arrays:
                body += one.scattering
            for reduction in kernel.procedure.reductions:
                body += self._reduced(set_, kernel, reduction)
        lines += self._locals(reductions)
        lines += [line(text, 4) for text in body]
        return [*lines, f"  end subroutine run_{self.name}"]

    def _places(self) -> list[str]:
        """Scalars that say where elements of views lie."""
        views = [v for k in self.kernels for v in k.procedure.views.values()]
        return list(dict.fromkeys(n for v in views for n in scalars_in(v, self.around)))

    def _is_outside(self, name: str) -> bool:
        return self.around.symbol(name).storage in ("module", "common")

    def _outside(
        self,
        constants: Sequence[HostValue],
        tables: Sequence[HostValue],
        places: Sequence[str],
    ) -> list[str]:
        values = [v.variable for v in (*constants, *tables) if v.storage in ("module", "common")]
        values += [name for name in places if self._is_outside(name)]
        return self.around.outside_lines(values)

    def _locals(self, reductions: Sequence[Reduction]) -> list[str]:
        if not reductions:
            return []
        lines = []
        if any(r.operation != ANY for r in reductions):
            lines.append("    real(c_double) :: bridge_total")
        sizes = [self.around.size(r.variable) for r in reductions]
        if any(sizes):
            lines.append(f"    real(c_double) :: bridge_totals({max(sizes)})")
        if any(r.operation == ANY for r in reductions):
            lines.append("    logical :: bridge_found")
        return lines

    def _reduced(self, set_: str, kernel: Kernel, r: Reduction) -> list[str]:
        quantity = next(q for q in kernel.outputs if q.argument == r.argument)
        size = self.around.size(r.variable)
        lines = []
        if r.initial is not None:
            lines.append(f"{r.variable} = {expression_text(r.initial)}")
        call = f"call frame_reduce('{set_}', '{quantity.name}', '{r.operation}', "
        if r.operation == ANY:
            way = ".and. .not." if r.negated else ".or."
            return [
                *lines,
                call + "bridge_found)",
                f"{r.variable} = {r.variable} {way} bridge_found",
            ]
        value = "bridge_total"
        if size:
            value = f"reshape(bridge_totals(:{size}), shape({r.variable}))"
            lines.append(call + f"bridge_totals(:{size}))")
        else:
            lines.append(call + "bridge_total)")
        if self.around.symbol(r.variable).type == "integer":
            value = f"nint({value})"
        if r.operation == SUM:
            return [*lines, f"{r.variable} = {r.variable} + {value}"]
        kind = self.around.symbol(r.variable)
        if kind.type == "real":
            value = f"real({value}, {kind.kind})"
        return [*lines, f"{r.variable} = {r.operation}({r.variable}, {value})"]

    # ---- unbind -------------------------------------------------------------------------------

    def _unbind(self) -> list[str]:
        lines = [f"  subroutine unbind_{self.name}()"]
        lines += [f"    call frame_unbind('{set_}', '*')" for set_ in self.sets]
        lines += [
            f"    if (allocated({one.own})) deallocate ({one.own})" for one in self._stored()
        ]
        return [*lines, f"  end subroutine unbind_{self.name}"]
