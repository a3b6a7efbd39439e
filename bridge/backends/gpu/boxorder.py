"""From a plan with an order to CUDA C++ on a box: a colour, or a sweep along each line of an axis.

Beside `boxsource`, whose threads take points in any order. A colour takes every other point of a
row, by the points' positions; of a sweep a thread goes along a line, point after point.
"""

from __future__ import annotations

from dataclasses import replace

from bridge.backends.gpu import boxgrid
from bridge.backends.gpu.boxsource import BoxSource, BoxWriter, Form, generate_box
from bridge.backends.gpu.layout import SharedLayout
from bridge.backends.gpu.placement import Placement
from bridge.backends.gpu.policy import Policy, Walk
from bridge.plan.catalogue import Catalogue
from bridge.plan.fringe import AXES
from bridge.plan.order import COLOURS, Order
from bridge.plan.plan import Plan, Step

#: Threads of a block that goes along lines: a plane has few lines for all multiprocessors.
LINES = 64


def generate_ordered(
    plan: Plan,
    catalogue: Catalogue,
    layout: SharedLayout,
    form: Form,
    policy: Policy,
    walk: Walk,
    arch: str = "sm_90",
) -> BoxSource:
    """The launch of a plan of one step with an order; policy: from `boxsource.policy_of`."""
    _, order = ordered_step(plan)
    if not order.sweep:
        return generate_box(plan, catalogue, layout, form, policy, walk, arch, ColourWriter)
    policy = replace(policy, threads=LINES, blocks=1)
    return generate_box(plan, catalogue, layout, form, policy, walk, arch, SweepWriter)


def ordered_step(plan: Plan) -> tuple[Step, Order]:
    """The one step of such a plan."""
    [step] = plan.steps
    assert isinstance(step, Step) and step.order is not None, f"{plan.name} has no order"
    return step, step.order


class ColourWriter(BoxWriter):
    """Tiles of the points of a colour: in each row every other one."""

    def __init__(self, placement: Placement, form: Form, walk: Walk) -> None:
        super().__init__(placement, form, walk)
        self._step, self._order = ordered_step(self._plan)
        self.over, self.leave = boxgrid.COLOUR, "continue"

    def on_box(self) -> list[str]:
        """All of the kernel. Rows begin with the colour or without, in turn."""
        grid = "arguments.grid"
        corner = [f"arguments.{self.placement.given[slot]}" for slot in self._step.positions]
        colour = COLOURS.index(self._order.colour)
        return [
            f"const boxes::Cell tile = boxes::tileOf(blockIdx.x, threadIdx.x, {grid});",
            f"if (tile.j >= {grid}.extent[1]) return;",
            f"const int behind = tile.k + {grid}.planes;",
            f"const int end = behind < {grid}.extent[2] ? behind : {grid}.extent[2];",
            f"const int odd = {' + '.join([str(colour), *corner])} + tile.j;",
            f"#pragma unroll {self._walk.unroll}",
            "for (int k = tile.k; k < end; ++k) {",
            "    const boxes::Cell cell = {2 * tile.i + ((odd + k) & 1), tile.j, k};",
            f"    if (cell.i >= {grid}.extent[0]) continue;",
            *(f"    const {line}" for line in self.distances()),
            *(f"    {line}" for line in self.body()),
            "}",
        ]


class SweepWriter(BoxWriter):
    """Lines of an axis, of which a thread has one. It goes through points that are masked too:
    what it keeps of a line counts them."""

    def __init__(self, placement: Placement, form: Form, walk: Walk) -> None:
        super().__init__(placement, form, walk)
        self._step, self._order = ordered_step(self._plan)
        self.over, self.leave = AXES[self._order.axis], ""

    def on_box(self) -> list[str]:
        """All of the kernel; one point of a line after the other is compiled alone, so that each
        has the same code."""
        order, grid = self._order, "arguments.grid"
        corner = ["line.i", "line.j", "line.k"]
        if not order.ascending:
            corner[order.axis] = "length - 1"
        way = "+=" if order.ascending else "-="
        turn = ["++step", *(f"along_{n} {way} {self.steps(n)[order.axis]}" for n in self.shapes)]
        threads = self.placement.policy.threads
        return [
            f"const int thread = blockIdx.x * {threads} + threadIdx.x;",
            f"if (thread >= {grid}.points) return;",
            f"const boxes::Cell line = boxes::cellOf(thread, {grid});",
            f"const int length = {grid}.planes;",
            f"const boxes::Cell cell = {{{', '.join(corner)}}};",
            *self.distances(),
            *self._own(),
            "#pragma unroll 1",
            f"for (int step = 0; step < length; {', '.join(turn)}) {{",
            *(f"    {line}" for line in self.body()),
            "}",
        ]

    def memory(self) -> list[str]:
        """Before the loop, see `_own`."""
        return []

    def _own(self) -> list[str]:
        """The thread's own memory, and behind it what a line keeps from point to point: one array,
        in which the compiler has nothing to place (`Placement`)."""
        numbers, kept = self.placement.private_bytes // 8, self._order.private
        lines = [f"Real own[{numbers + kept}];"] if numbers + kept else []
        if kept:
            lines.append(f"for (int n = {numbers}; n < {numbers + kept}; ++n) own[n] = 0.0;")
            lines.append(f"Private kept = {{own + {numbers}}};")
        return lines

    def calls(self, step: Step, arguments: str) -> list[str]:
        """The kernel, or one of its functions of the first and the last points; those of the first
        ones come before those of the last ones, where a line has few."""
        order = self._order
        if order.private:
            arguments += ", kept"
        ends = [(f"step == {n}", name) for n, name in enumerate(order.first)]
        ends += [
            (f"step == length - {len(order.last) - n}", name) for n, name in enumerate(order.last)
        ]
        own = self.function(step, step.kernel, arguments)
        if not ends:
            return own
        found = []
        for where, name in ends:
            lines = self.function(step, name, arguments)
            found += [f"if ({where}) {{", *(f"    {line}" for line in lines), "} else "]
        return [*found[:-1], "} else {", *(f"    {line}" for line in own), "}"]
