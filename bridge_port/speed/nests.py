"""One nest: a program with the original and the port in turns, on sizes above the check's."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from bridge.plan import verified
from bridge_port.check.compiling import OriginalSources
from bridge_port.check.nestdriver import Driver
from bridge_port.check.nestmemory import entries
from bridge_port.check.nestprograms import Run, linked, runtime
from bridge_port.check.nests import FIELDS, NestCheck
from bridge_port.check.procedures import Asked
from bridge_port.check.states import range_of
from bridge_port.request import Ported, Request
from bridge_port.speed.measured import Measured, run_in_turns
from bridge_port.survey.counting import turns

TURNS = Path(__file__).with_name("turns.f90")
#: A size of the check from here on is one of points, and grows; below it is a bound or a count.
LEAST = 7
#: Points of a chunk of the bridge.
CHUNK = 8192


#: What the check's runtime asks for: functions stay the library's own, which are timed.
_MATHEMATICS = """\
module zz_mathematics
contains
  subroutine zz_set_nudge(direction)
    use, intrinsic :: iso_c_binding, only: c_int
    integer(c_int), value :: direction
  end subroutine
end module
"""


class NestRace:
    """asked: as of a check, its targets are those that are timed, its points are as many as a nest
    should have; before: what port.toml says of its kernels."""

    def __init__(
        self, asked: Asked, request: Request, ported: Ported, place: Path, seconds: float,
        before: list[verified.Ported],
    ) -> None:  # fmt: skip
        self.asked, self.request, self.ported, self.place = asked, request, ported, place
        self.seconds, self.before = seconds, before
        self.check = NestCheck(asked, request, ported, place)
        self.axes = max(len(k.procedure.loops) for k in ported.kernels)

    def run(self) -> Measured:
        own = Path(self.ported.unit.place.file).name
        found = Measured(", ".join(k.name for k in self.ported.kernels),
                         f"nest of {own}:{self.ported.first}-{self.ported.last}")  # fmt: skip
        folder = self.asked.folder
        if all(
            one.state(folder, target).startswith("verified")
            for one in self.before for target in self.asked.targets
        ):  # fmt: skip
            sizes = self.check.sizes()
        else:
            result = self.check.run()
            failures = [m.failure or f"{o.name} differs" for m in result.machines
                        for o in m.outputs if m.failure or o.failing]  # fmt: skip
            if result.failure or failures or not result.passed:
                found.failure = result.failure or (failures or ["not verified"])[0]
                return found
            sizes = self.check.found
        if not sizes:
            found.failure = self.check.result.failure
            return found
        program = self._program()
        chosen = self._grown(self.place / "bounds" / "nest", sizes[0])
        found.points = self._points(chosen)
        found.note = ", ".join(f"{name} = {n}" for name, n in chosen.items())
        for target in self.asked.targets:
            self._timed(program, target, chosen, found)
        return found

    # ---- sizes --------------------------------------------------------------------------------

    def _grown(self, bounds: Path, sizes: dict[str, int]) -> dict[str, int]:
        """The largest of some choices with which the original stays within its arrays."""
        for chosen in self._larger(sizes):
            self.check.programs.write_input(bounds.parent, [Run(chosen, 1, 0, FIELDS[2])])
            try:
                done = subprocess.run([str(bounds)], cwd=bounds.parent, capture_output=True,
                                      timeout=3 * self.asked.limit)  # fmt: skip
            except subprocess.TimeoutExpired:
                continue
            if not done.returncode:
                return chosen
        return sizes

    def _larger(self, sizes: dict[str, int]) -> Iterator[dict[str, int]]:
        scope = self.ported.program.scope(self.ported.unit)
        known = {
            name for name in sizes
            if name in self.request.values or range_of(scope.symbol(name), self.asked.ranges)
        }  # fmt: skip
        growing = {n: v for n, v in sizes.items() if v >= LEAST and n not in known}
        if not growing:
            return
        most = max(growing.values())
        edge = round(self.asked.points ** (1 / self.axes))
        while edge > most:
            yield sizes | {name: edge + value - most for name, value in growing.items()}
            edge = edge * 7 // 10

    def _points(self, sizes: dict[str, int]) -> int:
        """Of the largest of its boxes; a loop whose turns are not known has those of the sizes."""
        unknown = max([v for v in sizes.values() if v >= LEAST], default=1)
        most = 1
        for k in self.ported.kernels:
            count = 1
            for loop in k.procedure.loops:
                n = turns(self.ported.program, self.ported.unit, loop.first, loop.last, sizes)
                count *= unknown if n is None else max(n, 1)
            most = max(most, count)
        return most

    # ---- the program --------------------------------------------------------------------------

    def _program(self) -> Path:
        nest, place = self.check.nest, self.place / "turns"
        file, text, front = nest.race_text()
        objects, libs = linked(self.asked.shared)
        behind = self.check.programs.module_files(place, file, front)
        (place / "zz_mathematics.f90").write_text(_MATHEMATICS)
        (place / "zz_runtime.f90").write_text(runtime())
        (place / "zz_turns.f90").write_text(TURNS.read_text() + entries("zz_put_"))
        original = OriginalSources(
            self.ported.program, self.request, self.asked.flags, {file: text}
        )
        return original.compile_program(
            place, {"zz_main.f90": str(Driver(nest).main(True, CHUNK))},
            [f"-I{self.asked.shared}", *libs],
            first=[*objects, "zz_mathematics.f90", "zz_runtime.f90", "zz_turns.f90"],
            behind={file: behind},
        )  # fmt: skip

    def _timed(self, program: Path, target: str, sizes: dict[str, int], found: Measured) -> None:
        place, gpu = program.parent, target == "cuda"
        for way in ("gpu", "resident") if gpu else ("kernel",):
            self.check.programs.write_input(place, [Run(sizes, 1, 0, FIELDS[2])])
            (place / "zz_race").write_text(
                f"{self.seconds} {int(gpu)} 5 {int(way == 'resident')}\n"
            )
            run_in_turns([str(program)], place, self.asked, target, self.seconds)
            rounds: tuple[list[float], list[float]] = ([], [])
            for text in (place / "zz_times").read_text().splitlines():
                which, seconds = text.split()
                rounds[int(which)].append(float(seconds))
            number = min(len(one) for one in rounds)
            found.add(way, rounds[0][:number], rounds[1][:number])
