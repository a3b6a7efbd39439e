"""The sections of verification.md: each runs a proof of tests/flow, writes its figures and draws
its picture. A section's text is the proof's docstring; the lines that the test asserts are read
from the test."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from flow import proofsofsides, proofsoftotals, proofsofwaves, stages
from flow.proofs import Convergence, Profile, Uniform
from flow.reading import Solve
from writing import prose, table

TESTS = Path(__file__).resolve().parents[2] / "tests" / "flow"
#: Below it a difference is that of roundings, which another compiler does otherwise.
ROUNDING = 1e-11
EXACT: dict[str, Any] = {"color": "black", "linewidth": 1.0}


@dataclass(frozen=True)
class Section:
    """text: without the picture. draw: into the two axes of a figure."""

    text: str
    draw: Callable[[Any, Any], None]


@dataclass(frozen=True)
class Programs:
    """solve: runs the solver without a bridge. stages: builds it with one, and the pack of its
    loops, when it is asked for."""

    solve: Solve
    stages: Callable[[], stages.Stages]


# Words


def figure(value: float) -> str:
    return f"< {ROUNDING:.0e}" if abs(value) < ROUNDING else f"{value:.1e}"


def told(proof: Callable[..., Any]) -> str:
    return prose(inspect.getdoc(proof) or "")


def asserted(file: str, *tests: str) -> str:
    """The assertions of tests, without what they say when they fail."""
    text = (TESTS / file).read_text(encoding="utf-8")
    functions = {one.name: one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)}
    found = [
        part.test
        for test in tests
        for part in ast.walk(functions[test])
        if isinstance(part, ast.Assert)
    ]
    found.sort(key=lambda part: part.lineno)
    lines = [f"assert {ast.get_source_segment(text, part)}" for part in found]
    where = f"[`tests/flow/{file}`](../tests/flow/{file}) asserts:"
    return "\n".join([where, "", "```python", *lines, "```"])


def convergence(found: Convergence) -> str:
    """A row for each grid: errors, and the order from the grid before."""
    rows = []
    for k, cells in enumerate(found.cells):
        row = [str(cells)]
        for name, errors in found.errors.items():
            order = f" ({found.orders(name)[k - 1]:.1f})" if k else ""
            row.append(f"{figure(errors[k])}{order}")
        rows.append(row)
    return table(["cells", *(f"{name} (order)" for name in found.errors)], rows)


def section(draw: Callable[[Any, Any], None], *parts: str) -> Section:
    return Section("\n\n".join(parts), draw)


# Pictures


def draw_profile(axis: Any, profile: Profile, label: str, scale: float = 1.0) -> None:
    """Points of the solver on the line of the exact solution. scale: from metres."""
    order = np.argsort(profile.x)
    axis.plot(scale * profile.x[order], profile.exact[order], label="exact", **EXACT)
    axis.plot(scale * profile.x, profile.found, ".", color="tab:red", markersize=4, label=label)


def draw_errors(axis: Any, found: Convergence, order: int) -> None:
    """By the number of cells, with a line of this order through the last one."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    cells = np.array(found.cells, float)
    for name, errors in found.errors.items():
        axis.loglog(cells, errors, "o-", markersize=4, linewidth=1.0, label=name)
    last = found.finest
    axis.loglog(cells, last * (cells[-1] / cells) ** order, "k:", label=f"order {order}")
    axis.set_xticks(cells, [f"{n:.0f}" for n in cells])
    axis.minorticks_off()
    steps = (1.0, 2.0, 5.0) if np.ptp(np.log10(axis.get_ylim())) < 2.0 else (1.0,)
    axis.yaxis.set_major_locator(LogLocator(subs=steps))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0e}"))
    label(axis, "cells", "error")


def label(axis: Any, x: str, y: str) -> None:
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)


def draw_uniform(axis: Any, found: Uniform, limit: float) -> None:
    """Of pressure and velocity from those of the first cell, within what is asserted."""
    for name, field in (("P", found.end["P"]), ("u", found.end.velocity())):
        change = field.ravel(order="F") / field[0, 0, 0] - 1.0
        axis.plot(change / limit, ".", markersize=3, label=name)
    axis.axhspan(-1.0, 1.0, color="tab:green", alpha=0.1, label="asserted")
    axis.set_ylim(-2.0, 2.0)
    label(axis, "cell", f"change, {limit:.0e}")


def draw_field(
    axis: Any, field: np.ndarray, lengths: tuple[float, ...], title: str, colours: str = "inferno"
) -> None:
    """The plane in the middle of z. lengths in m."""
    middle = field[:, :, field.shape[2] // 2].T
    extent = [0.0, 1e6 * lengths[0], 0.0, 1e6 * lengths[1]]
    image = axis.imshow(middle, cmap=colours, origin="lower", extent=extent, aspect="auto")
    axis.figure.colorbar(image, ax=axis)
    axis.set_title(title, fontsize=9)
    axis.set_xlabel("x, um")
    axis.set_ylabel("y, um")


# Sections


def uniform(programs: Programs) -> Section:
    forms = ("total", "pressure")
    found = {form: proofsoftotals.uniform_flow(programs.solve, form) for form in forms}
    rows = [[f"`Energy = {f}`", figure(max(u.changes.values()))] for f, u in found.items()]

    def draw(left: Any, right: Any) -> None:
        for axis, form in zip((left, right), forms, strict=True):
            draw_uniform(axis, found[form], 1e-13)
            axis.set_title(f"Energy = {form}", fontsize=9)

    return section(
        draw, told(proofsoftotals.uniform_flow), table(["form", "largest change"], rows),
        asserted("test_conservation.py", "test_uniform_flow"),
    )  # fmt: skip


def wave(programs: Programs) -> Section:
    found = proofsofwaves.density_wave(programs.solve)

    def draw(left: Any, right: Any) -> None:
        draw_profile(left, found.profiles[32]["density"], "32 cells", 1e3)
        label(left, "x, mm", "density, kg/m3")
        draw_errors(right, found, 4)

    return section(
        draw, told(proofsofwaves.density_wave), convergence(found),
        asserted("test_waves.py", "test_density_wave"),
    )  # fmt: skip


def small(programs: Programs) -> Section:
    cases = ((20.0, "RK3"), (-30.0, "RK4"))
    found = [proofsofwaves.small_pulse(programs.solve, u, scheme) for u, scheme in cases]
    rows = [
        [f"{u:.0f} m/s, {scheme}", f"{one.exact:.1f} m/s", f"{one.speed:.1f} m/s",
         f"{one.peak:.3f}", f"{one.push:.3f}"]
        for (u, scheme), one in zip(cases, found, strict=True)
    ]  # fmt: skip

    def draw(left: Any, right: Any) -> None:
        for axis, (u, scheme), one in zip((left, right), cases, found, strict=True):
            draw_profile(axis, one.profile, f"{scheme}, {u:.0f} m/s", 1e3)
            label(axis, "x, mm", "P - 10 MPa, kPa")

    header = ["stream, scheme", "c", "c found", "peak of P", "peak of u"]
    return section(
        draw, told(proofsofwaves.small_pulse), table(header, rows),
        asserted("test_waves.py", "test_small_pulse"),
    )  # fmt: skip


def large(programs: Programs) -> Section:
    found = proofsofwaves.large_pulse(programs.solve)

    def draw(left: Any, right: Any) -> None:
        at = found.profiles[64]["P"]
        draw_profile(left, Profile(at.x, at.found / 1e6, at.exact / 1e6), "64 cells", 1e3)
        label(left, "x, mm", "P, MPa")
        draw_errors(right, found, 4)

    return section(
        draw, told(proofsofwaves.large_pulse), convergence(found),
        asserted("test_waves.py", "test_large_pulse"),
    )  # fmt: skip


def layer(programs: Programs) -> Section:
    found = proofsofwaves.layer(programs.solve, "species")

    def draw(left: Any, right: Any) -> None:
        draw_profile(left, found.profiles[64]["u"], "64 cells", 1e9)
        label(left, "x, nm", "u, m/s")
        draw_errors(right, found, 2)

    return section(
        draw,
        told(proofsofwaves.layer),
        convergence(found),
        asserted("test_layer.py", "test_layer"),
    )


def tube(programs: Programs) -> Section:
    found = proofsofwaves.shock_tube(programs.solve)

    def draw(left: Any, right: Any) -> None:
        draw_profile(left, found.profiles[400]["rho"], "400 cells")
        label(left, "x, m", "density, kg/m3")
        draw_errors(right, found, 1)

    return section(
        draw, told(proofsofwaves.shock_tube), convergence(found),
        asserted("test_tube.py", "test_shock_tube"),
    )  # fmt: skip


def vortex(programs: Programs) -> Section:
    found = proofsofwaves.moving_vortex(programs.solve)
    n = found.cells[-1]

    def draw(left: Any, right: Any) -> None:
        at = found.profiles[n]["P"]
        near = at.x < 4e-4
        draw_profile(
            left, Profile(at.x[near], at.found[near] / 1e6, at.exact[near] / 1e6),
            f"{n} x {n} cells", 1e3,
        )  # fmt: skip
        label(left, "distance from the axis, mm", "P, MPa")
        draw_errors(right, found, 4)

    return section(
        draw, told(proofsofwaves.moving_vortex), convergence(found),
        asserted("test_vortex.py", "test_moving_vortex"),
    )  # fmt: skip


def outflow(programs: Programs) -> Section:
    cases = (("slip", 0.0, 1e3), ("inflow", 0.1, 1e3), ("inflow", 0.3, 1e3), ("slip", 0.0, 5e5))
    found = [proofsofsides.outflow(programs.solve, *case) for case in cases]
    rows = [
        [side, f"{mach:.1f}", f"{amplitude / 1e3:.0f} kPa", f"{100 * one.pressure:.1f} %",
         f"{100 * one.velocity:.1f} %"]
        for (side, mach, amplitude), one in zip(cases, found, strict=True)
    ]  # fmt: skip

    def draw(left: Any, right: Any) -> None:
        for axis, k in ((left, 0), (right, 2)):
            side, mach, _ = cases[k]
            at = found[k].rest
            draw_profile(axis, Profile(at.x, 100 * at.found, at.exact), "left behind", 1e3)
            axis.axhspan(-2.0, 2.0, color="tab:green", alpha=0.1, label="asserted: 2 %")
            axis.set_title(f"{side} to outflow, Mach {mach:.1f}", fontsize=9)
            axis.set_ylim(-3.0, 3.0)
            label(axis, "x, mm", "P, % of the pulse")

    header = ["other side", "Mach number", "amplitude", "pressure", "velocity"]
    return section(
        draw, told(proofsofsides.outflow), table(header, rows),
        asserted("test_sides.py", "test_outflow"),
    )  # fmt: skip


def inflow(programs: Programs) -> Section:
    forms = ("total", "pressure")
    still = {form: proofsofsides.uniform_channel(programs.solve, form) for form in forms}
    found = proofsofsides.washing(programs.solve)
    names = list(found.kept)
    rows = [
        [
            "first cell, half of the other fluid gone",
            *(figure(found.kept[name]) for name in names),
        ],
        ["everywhere, when it has gone", *(figure(found.left[name]) for name in names)],
    ]

    def draw(left: Any, right: Any) -> None:
        draw_uniform(left, still["pressure"], 1e-12)
        left.set_title("uniform channel, Energy = pressure", fontsize=9)
        for name, words in (("begin", "begin"), ("half", "half gone"), ("end", "all gone")):
            at = found.profiles[name]
            right.plot(1e3 * at.x, at.found, "-", linewidth=1.2, label=words)
        right.axhline(at.exact[0], color="black", linestyle=":", linewidth=1.0, label="inflow")
        label(right, "x, mm", "mass fraction of O2")

    return section(
        draw, told(proofsofsides.uniform_channel),
        table(["form", "largest change"],
              [[f"`Energy = {f}`", figure(max(u.changes.values()))] for f, u in still.items()]),
        told(proofsofsides.washing), table(["deviation", *names], rows),
        asserted("test_sides.py", "test_uniform_channel", "test_washing"),
    )  # fmt: skip


def walls(programs: Programs) -> Section:
    found = proofsofsides.wall_layer(programs.solve, "Y")

    def draw(left: Any, right: Any) -> None:
        draw_profile(left, found.profiles[16]["along x"], "16 cells", 1e9)
        label(left, "y, nm", "u, m/s")
        draw_errors(right, found, 2)

    return section(
        draw, told(proofsofsides.wall_layer), convergence(found),
        asserted("test_sides.py", "test_wall_layer"),
    )  # fmt: skip


def slip(programs: Programs) -> Section:
    found = proofsofsides.slip_wall(programs.solve)

    def draw(left: Any, right: Any) -> None:
        draw_profile(left, found.back.profiles[32]["P"], "32 cells", 1e3)
        label(left, "x, mm", "P - 10 MPa, kPa")
        draw_errors(right, found.back, 4)

    return section(
        draw, told(proofsofsides.slip_wall),
        f"At the wall the pressure rises by {found.wall:.2f} amplitudes.", convergence(found.back),
        asserted("test_sides.py", "test_slip_wall"),
    )  # fmt: skip


def kept(programs: Programs) -> Section:
    jet = proofsoftotals.periodic_jet(programs.solve, "RK3")
    box = proofsofsides.closed_box(programs.solve)
    rows = [
        [name, figure(jet.changes[name]), f"{jet.moves[name]:.2f}",
         *((figure(box.changes[name]), f"{box.moves[name]:.2f}") if name in box.changes
           else ("", ""))]
        for name in jet.changes
    ]  # fmt: skip

    def draw(left: Any, right: Any) -> None:
        for axis, found, title in ((left, jet, "periodic jet"), (right, box, "closed box")):
            draw_field(axis, found.end["rho_O2"], found.end.lengths, f"{title}: O2, kg/m3")

    header = ["field", "jet: total", "jet: cell", "box: total", "box: cell"]
    return section(
        draw, told(proofsoftotals.periodic_jet), told(proofsofsides.closed_box),
        prose("""Columns: the change of the total over the sum of absolute values, and the largest
        change in a cell over the largest value."""),
        table(header, rows), asserted("test_conservation.py", "test_periodic_jet"),
        asserted("test_sides.py", "test_closed_box"),
    )  # fmt: skip


def thin(programs: Programs) -> Section:
    forms = ("pressure", "total")
    found = {form: proofsoftotals.thin_layer(programs.solve, form) for form in forms}
    drift = proofsoftotals.energy_drift(programs.solve)
    rows = [
        [f"`Energy = {form}`", figure(one.pressure), figure(one.velocity)]
        for form, one in found.items()
    ]

    def draw(left: Any, right: Any) -> None:
        for axis, form in zip((left, right), forms, strict=True):
            at = found[form].profile
            draw_profile(axis, Profile(at.x, at.found / 1e6, at.exact / 1e6), "64 cells", 1e6)
            axis.set_title(f"Energy = {form}", fontsize=9)
            axis.set_ylim(4.0, 6.0)
            label(axis, "x, um", "P, MPa")

    return section(
        draw, told(proofsoftotals.thin_layer),
        table(["form", "change of P", "change of u"], rows),
        prose(f"""{inspect.getdoc(proofsoftotals.energy_drift)} In 40 steps the energy changes by
        {drift.found:.1e} of itself, and the program prints {drift.printed:.1e}."""),
        asserted("test_conservation.py", "test_thin_layer", "test_energy_drift"),
    )  # fmt: skip


def bridge(programs: Programs) -> Section:
    found = stages.agreement(programs.stages(), "open")
    names = ("rho_O2", "rhou", "energy", "T", "P")
    rows = [
        [f"`Offload = {stage}`", *(figure(worst[name]) for name in names)]
        for stage, worst in found.worst.items()
    ]

    def draw(left: Any, right: Any) -> None:
        one, other, lengths = found.bridge["T"], found.fortran["T"], found.fortran.lengths
        draw_field(left, one, lengths, "T by the bridge, K")
        draw_field(right, one - other, lengths, "minus T by Fortran, K", "coolwarm")

    return section(
        draw, told(stages.agreement), table(["stage", *names], rows),
        asserted("test_stages.py", "test_fields_agree_after_20_steps"),
    )  # fmt: skip
