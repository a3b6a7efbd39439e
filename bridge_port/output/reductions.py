"""Fortran that reduces what the points of a nest gave to a variable."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.kernel import ANY, SUM, Kernel, Reduction
from bridge_port.outline.rewriting import with_names
from bridge_port.output.surroundings import Surroundings
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.text import expression_text


def local_lines(around: Surroundings, reductions: Sequence[Reduction]) -> list[str]:
    """Declarations of the variables of `reduced`."""
    if not reductions:
        return []
    lines = []
    if any(r.operation != ANY for r in reductions):
        lines.append("    real(c_double) :: bridge_total")
    sizes = [around.size(r.variable) for r in reductions]
    if any(sizes):
        lines.append(f"    real(c_double) :: bridge_totals({max(sizes)})")
    if any(r.operation == ANY for r in reductions):
        lines.append("    logical :: bridge_found")
    return lines


def reduced(
    around: Surroundings, set_: str, kernel: Kernel, r: Reduction, into: str = ""
) -> list[str]:
    """Statements behind a run; into: another variable in the place of the nest's."""
    quantity = next(q for q in kernel.outputs if q.argument == r.argument)
    size, name = around.size(r.variable), into or r.variable
    lines = []
    if r.initial is not None:
        # -huge(s) asks for the kind of the variable, which stands for s here.
        initial = with_names(r.initial, {r.variable: Name(name)})
        lines.append(f"{name} = {expression_text(initial)}")
    call = f"call frame_reduce('{set_}', '{quantity.name}', '{r.operation}', "
    if r.operation == ANY:
        way = ".and. .not." if r.negated else ".or."
        return [*lines, call + "bridge_found)", f"{name} = {name} {way} bridge_found"]
    value = "bridge_total"
    if size:
        value = f"reshape(bridge_totals(:{size}), shape({name}))"
        lines.append(call + f"bridge_totals(:{size}))")
    else:
        lines.append(call + "bridge_total)")
    symbol = around.symbol(r.variable)
    if symbol.type == "integer":
        if r.operation != SUM:
            # Where the box has no point at all the extreme is infinite.
            most = f"real(huge({name}), c_double)"
            value = f"max(-1 - {most}, min({most}, {value}))"
        value = f"nint({value})"
    if r.operation == SUM:
        return [*lines, f"{name} = {name} + {value}"]
    if symbol.type == "real":
        value = f"real({value}, {symbol.kind})"
    return [*lines, f"{name} = {r.operation}({name}, {value})"]
