"""The benchmark of stable fluids: its program, its rows and its picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.bench import fluids
from bridge.bench.fluids import Variant
from bridge.bench.request import Request
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.report import Report

STUB = Path(__file__).parents[2] / "fortran_stub"


def test_the_program_is_that_of_the_makefile() -> None:
    """Its files, in the order of their use; the package has them too."""
    makefile = (STUB / "fluids" / "makefile").read_text()
    parts = " ".join(f"{name}module" for name in fluids.ORIGINAL)
    assert f"parts := {parts}\n" in makefile
    places = [makefile.index(f"/{name}module.f90") for name in fluids.MOVED]
    assert places == sorted(places)
    for stub in (str(STUB), None):
        folder = fluids.folder(stub)
        for name in fluids.ORIGINAL:
            assert (folder / "original" / f"{name}module.f90").is_file()
        assert (folder / "kernels" / "catalogue.toml").is_file()


def test_a_folder_without_it(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="fortran-stub"):
        fluids.folder(str(tmp_path))


@pytest.mark.parametrize("sizes", [(63,), (0,), (64, 1)])
def test_sizes_that_the_program_refuses(sizes: tuple[int, ...]) -> None:
    with pytest.raises(ArgumentError, match="sizes: .* even numbers of cells"):
        Request(sizes=sizes)


class Steady(fluids.Program):
    """A program that says the same times again and again, and ends with no fields."""

    def __init__(self) -> None:
        self.runs: list[tuple[Variant, int, int]] = []

    def nanoseconds(self, variant: Variant, n: int, steps: int, results: str = "") -> float:
        self.runs.append((variant, n, steps))
        return 200.0 if variant.backend is None else 50.0


def test_variants_run_in_turns() -> None:
    """As many steps as take so many seconds, at most MOST; every other turn begins at the end."""
    program, variants = Steady(), [Variant("fortran"), Variant("stepburst", "cpu")]
    times = fluids.measured(program, variants, 1000, 2.0)
    assert times == {variants[0]: 200.0, variants[1]: 50.0}
    first = [(variant, 1000, fluids.FEWEST) for variant in variants]
    turn = [(variants[0], 1000, 10), (variants[1], 1000, 40)]
    assert program.runs == [*first, *reversed(turn), *turn, *reversed(turn)]
    fluids.measured(program, variants, 10, 2.0)
    assert program.runs[-1][2] == fluids.MOST


def test_a_first_run_with_all_steps_counts() -> None:
    program, variants = Steady(), [Variant("fortran"), Variant("stepburst", "cpu")]
    fluids.measured(program, variants, 2000, 1.0)  # 0.8 s and 0.2 s a step
    assert [run[2] for run in program.runs if run[0] == variants[0]] == [1, 1, 1]
    assert [run[2] for run in program.runs if run[0] == variants[1]] == [1, 5, 5, 5]


def test_rows_and_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    report = Report("fluids")
    for n in (128, 256):
        times = {Variant("fortran"): 200.0}
        times |= {Variant(stage, "cuda"): 4.0 * n / 128 for stage in fluids.STAGES}
        fluids.add(report, n, times)
    rows = {(row.name, row.params["n"]): row for row in report.rows}
    assert rows["stepburst", 256].ratio == 25.0
    assert rows["fortran", 256].ratio is None
    fluids.plot(report, str(tmp_path / "fluids.png"))
    assert (tmp_path / "fluids.png").stat().st_size > 10000


def test_other_fields_are_not_timed(tmp_path: Path) -> None:
    class Wrong(Steady):
        def nanoseconds(self, variant: Variant, n: int, steps: int, results: str = "") -> float:
            import numpy as np

            fields = np.ones((3, (n + 2) ** 2), np.float32)
            fields[1, 7] += 0.0 if variant.backend is None else 1e-3
            fields.tofile(results)
            return 1.0

    program = Wrong()
    program._place = tmp_path
    with pytest.raises(BridgeError, match="stepburst, cpu: fields differ"):
        program.compare([Variant("fortran"), Variant("stepburst", "cpu")])
