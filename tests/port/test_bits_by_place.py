"""Rows that are cut at every place: a point has the bits that it has in the whole row, on every
instruction set, in every layout, for shipped kernels and for those that `bridge port` makes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from packsbuilt import built_once
from port.nestpack import catalogue, kernels
from port.outlined import Case
from sharing import Once

import bridge
from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.host import library
from bridge.measuring.states import States, random_states
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan.catalogue import Catalogue
from bridge.tvproperties import TVProperties
from bridge_port.program.program import Program

ISAS = pytest.mark.parametrize("isa", library.ISAS)
#: Longer than three vectors of the widest instruction set; no multiple of a vector.
ROW = 51
#: Every third around a point, every fifth with components in a loop, every sixth of more terms.
GENERATED = 12
NS = 3


def available(isa: str) -> str:
    if isa not in library.available():
        pytest.skip(f"this CPU does not run {isa}")
    return isa


# ---- shipped kernels


class ShippedKernel:
    """A kernel of the package on one row of points, components last or first, in pieces."""

    def __init__(self, backend: CpuBackend, name: str, states: States, first: bool) -> None:
        self.backend, shipped = backend, Catalogue.shipped()
        self.plan = shipped.single(name, NS)
        numbers = np.random.default_rng(1)
        state = {"T": states.T, "P": states.P, "Y": states.Y.T, "T0": np.full(ROW, 400.0)}
        self.rows: dict[str, np.ndarray] = {}  # (columns, points)
        self.boxes: dict[str, Box] = {}
        self.given: dict[str, np.ndarray] = {}
        for quantity in {*self.plan.inputs, *self.plan.outputs}:
            columns, dtype = shipped.columns(quantity, NS), shipped.quantity(quantity).dtype
            if first:
                self.rows[quantity] = np.zeros((ROW, columns), dtype).T
                along = columns * ROW
                self.boxes[quantity] = Box((ROW, 1, 1), (columns, along, along), 1)
            else:
                self.rows[quantity] = np.zeros((columns, ROW), dtype)
                self.boxes[quantity] = Box.flat(ROW, ROW)
            if quantity in self.plan.inputs and dtype == "float64":
                values = numbers.uniform(0.5, 1.5, (columns, ROW))
                values[:, ::7], values[:, 3::7] = -0.0, 0.0
                self.given[quantity] = state.get(quantity, values)

    def run(self, *pieces: tuple[int, int]) -> bytes:
        for quantity, row in self.rows.items():
            row[...] = self.given.get(quantity, 0.0)
        for begin, end in pieces:
            bindings = {}
            for quantity, row in self.rows.items():
                box = self.boxes[quantity].part((begin, 0, 0), (end - begin, 1, 1))
                bindings[quantity] = Binding(
                    row.ctypes.data, box, len(row), dtype=str(row.dtype), owner=row
                )
            self.backend.program(self.plan, bindings).run(0, end - begin)
        return b"".join(np.array(self.rows[name]).tobytes() for name in self.plan.outputs)


@ISAS
@pytest.mark.parametrize("first", [False, True], ids=["rows", "records"])
def test_shipped_kernels_on_a_row_that_is_cut(isa: str, first: bool) -> None:
    backend, states = CpuBackend(1, available(isa)), random_states(NS, ROW)
    backend.set_shared(SharedData(states.species, Options()))
    for name in Catalogue.shipped().kernels:
        kernel = ShippedKernel(backend, name, states, first)
        whole = kernel.run((0, ROW))
        for cut in range(1, library.load(isa).width + 2):
            assert kernel.run((0, cut), (cut, ROW)) == whole, (name, cut)


# ---- kernels that `bridge port` makes


class Expressions:
    """Random sums of products of what a loop over i reads. A seed writes the same text again."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        # Around a point in some of them alone: these take longest to compile.
        self.places = ("i", "i", "i+1", "i-1") if seed % 3 == 1 else ("i",)

    def read(self) -> str:
        at = self.random.choice(self.places)
        component = self.random.randint(1, 3)
        return self.random.choice(
            (f"q({at}, j)", f"s({at}, j)", f"u({component}, {at}, j)", "w", "c1", "c2", "0.3d0")
        )

    def term(self, depth: int) -> str:
        if depth == 0:
            return self.read()
        a, b, c, d = (self.term(depth - 1) for _ in range(4))
        return self.random.choice(
            (
                f"({a}*{b} + {c}*{d})",
                f"({a}*{b} - {c})",
                f"({c} - {a}*{b})",
                f"{a}*({b} - 2.0d0*{c} + {d})",
                f"max({a}*{b}, -0.0d0, {c})",
                f"min({a}, {b})*{c}",
                f"(-{a}*{b})",
                f"sqrt(abs({a}*{b} - {c}))",
                f"exp(min({a}*{b}, 0.5d0))",
                f"({a}*c1 + c2*{b})/(1.5d0 + {c}*{c})",
            )
        )


def source() -> str:
    """GENERATED procedures, each with one nest; every fifth has components in a loop."""
    units = []
    for number in range(GENERATED):
        some = Expressions(number)
        depth = 1 + (number % 6 == 1)
        lines = [f"r({m}, i, j) = r({m}, i, j) + {some.term(depth)}" for m in (1, 2)]
        if number % 5 == 4:
            lines = ["do m = 1, 3", f"r(m, i, j) = r(m, i, j)*c1 + u(m, i, j)*{some.term(depth)}",
                     "end do"]  # fmt: skip
        body = "\n        ".join(line.replace(" + ", " &\n          + ") for line in lines)
        units.append(f"""\
subroutine place{number}(nx, ny, c1, c2, u, q, s, r)
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: c1, c2, u(3, 0:nx+1, ny), q(0:nx+1, ny), s(0:nx+1, ny)
  real(8), intent(inout) :: r(3, nx, ny)
  integer :: i, j, m
  real(8) :: w
  do j = 1, ny
    do i = 1, nx
        w = q(i, j)*s(i, j) + c1
        {body}
    end do
  end do
end subroutine
""")
    return "\n".join(units)


@pytest.fixture(scope="session")
def generated(once: Once, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folder and cache of the pack of these nests, for every instruction set."""
    path = tmp_path_factory.mktemp("places") / "places.f90"
    path.write_text(source())
    program = Program([path])
    made = {f"place{n}": kernels(program, Case(f"place{n}", {"nx": ROW, "ny": 2}))
            for n in range(GENERATED)}  # fmt: skip
    files = {kernel.header: kernel.text for some in made.values() for kernel in some}
    files["catalogue.toml"] = catalogue(made)
    return built_once(once, "places", files, isas=library.available())


@pytest.fixture(params=library.ISAS)
def tv(
    request: pytest.FixtureRequest, generated: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TVProperties]:
    monkeypatch.setenv("BRIDGE_PACKS", str(generated[0]))
    monkeypatch.setenv("BRIDGE_CACHE", str(generated[1]))
    monkeypatch.setenv("BRIDGE_CPU_ISA", available(request.param))
    with bridge.Frame(4096, ns=0, nq=5, backend="cpu", threads=1) as frame:
        yield frame.tvproperties


def arrays(first: bool) -> dict[str, np.ndarray]:
    """Of the nests, with a fringe along x, components first or last; with zeros of both signs."""
    numbers, n = np.random.default_rng(2), ROW + 2
    shapes = {"u": (3, n, 2, 1), "r": (3, n, 2, 1), "q": (n, 2, 1), "s": (n, 2, 1)}
    found = {}
    for name, shape in shapes.items():
        values = numbers.uniform(-1.0, 1.0, shape)
        values[..., ::5, :, :], values[..., 2::5, :, :] = 0.0, -0.0
        if len(shape) == 4 and not first:
            values = np.moveaxis(values, 0, 3)
        found[name] = np.asfortranarray(values)
    return found


class Rows:
    """One generated kernel on rows that are bound in pieces. layout: how its arrays lie; "scaled":
    components last, s with a scale, so that it is copied, not read in place."""

    def __init__(self, tv: TVProperties, number: int, layout: str) -> None:
        self.tv, self.number, self.layout = tv, number, layout
        self.given = arrays(layout == "first")
        self.runs = 0

    def __call__(self, *pieces: tuple[int, int]) -> np.ndarray:
        prefix, first = f"place{self.number}__", self.layout == "first"
        result = self.given["r"].copy(order="F")
        kernel = f"{prefix}place{self.number}_point"
        inputs = Catalogue.installed().kernel(kernel).inputs
        for begin, end in pieces:
            self.runs += 1
            group = f"rows{self.number}_{self.runs}"
            box = {"SptX": begin + 2, "EptX": end + 1, "SptY": 1, "EptY": 2, "SptZ": 1, "EptZ": 1}
            for name, array in {**self.given, "r": result}.items():
                if prefix + name not in inputs:
                    continue
                scale = 0.5 if self.layout == "scaled" and name == "s" else 1.0
                self.tv.bind_array(
                    group,
                    prefix + name,
                    "inout" if name == "r" else "in",
                    array,
                    scale=scale,
                    component_first=first and array.ndim == 4,
                    **box,
                )
            self.tv.run(group, kernel)
            for name in self.given:
                if prefix + name in inputs:
                    self.tv.unbind(group, prefix + name)
        return result


@pytest.mark.parametrize("layout", ["last", "first", "scaled"])
def test_generated_kernels_on_rows_that_are_cut(tv: TVProperties, layout: str) -> None:
    constants = {"c1": 0.7, "c2": -0.0 if layout == "scaled" else -0.4}
    width = library.choose().width
    for number in range(GENERATED):
        for name in Catalogue.installed().constants:
            if name.startswith(f"place{number}__"):
                tv.constant(name, constants[name[-2:]])
        run = Rows(tv, number, layout)
        whole = run((0, ROW))
        assert (whole != run.given["r"]).any()
        for cut in (*range(1, 2 * width + 2), 22, 44):
            cuts = run((0, cut), (cut, ROW))
            assert cuts.tobytes(order="A") == whole.tobytes(order="A"), (number, cut)
