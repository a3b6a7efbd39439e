"""Order: how the points of a kernel follow each other that reads neighbours of what it writes.

A leaf beside `fringe`. A kernel with colours works on every other point, then on those between
them; one with a sweep goes along each line of an axis, point after point.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from bridge.errors import ArgumentError
from bridge.plan.fringe import AXES, Fringe, Widths

COLOURS = (1, 2)
SWEEPS = tuple(axis + way for axis in AXES for way in "+-")
#: The most numbers of a line's private storage.
LARGEST_PRIVATE = 4096

KEYS = ("colours", "sweep", "first", "last", "private")


@dataclass(frozen=True)
class Order:
    """sweep: axis and way, "x+", or "" of colours; first, last: functions of the header that stand
    for the kernel's own at the first and the last points of a line; private: numbers that a line
    keeps from point to point; colour: of a step with colours, 1 or 2."""

    sweep: str = ""
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    private: int = 0
    colour: int = 0

    @property
    def axis(self) -> int:
        """Of a sweep: 0, 1 or 2."""
        return AXES.index(self.sweep[0])

    @property
    def ascending(self) -> bool:
        """Whether a sweep goes from the first position to the last."""
        return self.sweep[1] == "+"

    @property
    def key(self) -> str:
        """Of the catalogue."""
        return "sweep" if self.sweep else "colours"

    def __str__(self) -> str:
        """As the catalogue writes it."""
        return f'sweep = "{self.sweep}"' if self.sweep else f"colours = {len(COLOURS)}"

    @classmethod
    def read(cls, entry: Mapping[str, Any], where: str) -> Order | None:
        """From a kernel's entry; None where it has no order. ArgumentError naming the place."""
        colours, sweep = entry.get("colours"), entry.get("sweep")
        if colours is not None and sweep is not None:
            raise ArgumentError("sweep", f"also 'colours' in {where}", "one of both")
        if sweep is None:
            for key in KEYS[2:]:
                if key in entry:
                    raise ArgumentError(key, f"no 'sweep' in {where}", "a sweep that it is of")
        if colours is not None:
            if type(colours) is not int or colours != len(COLOURS):
                raise ArgumentError("colours", f"{colours!r} in {where}", "2")
            return cls()
        if sweep is None:
            return None
        if sweep not in SWEEPS:
            raise ArgumentError("sweep", f"{sweep!r} in {where}", f"one of {', '.join(SWEEPS)}")
        private = entry.get("private", 0)
        if type(private) is not int or not 0 <= private <= LARGEST_PRIVATE:
            wanted = f"how many numbers a line keeps, 0 to {LARGEST_PRIVATE}"
            raise ArgumentError("private", f"{private!r} in {where}", wanted)
        return cls(sweep, _functions(entry, "first", where), _functions(entry, "last", where),
                   private)  # fmt: skip

    # ---- how far neighbours are read ----------------------------------------------------------

    def check_reads(self, name: str, reads: Fringe, kernel: str) -> None:
        """ArgumentError where `reads` of a quantity that is written has points that other lines,
        or later points of the line, write meanwhile. Corners are among the reads of colours too:
        which of them a header reads is another question, `check_offsets`."""
        if not self.sweep:
            return
        _, behind = self._ways(reads)
        if reads != self._along(reads, behind=behind, ahead=0) or self.across(reads):
            offsets = "[-1, 0]" if self.ascending else "[0, 1]"
            raise ArgumentError(
                "reads",
                f"{reads} of '{name}', which {kernel} writes",
                f"earlier points of sweep {self.sweep}, like {self.sweep[0]} = {offsets}",
            )

    def check_offsets(
        self, kernel: str, written: Collection[str], found: Mapping[str, Collection[Widths]],
        function: str = "",
    ) -> None:  # fmt: skip
        """ArgumentError where a header reads what the order does not allow: `found`, offsets by
        quantity, of the kernel's own function or of one of the first or last points; written:
        what the kernel reads and writes."""
        for name, offsets in found.items():
            for offset in sorted({*offsets} - {(0, 0, 0)}):
                self._check_offset(kernel, name, name in written, offset, function)

    def _check_offset(
        self, kernel: str, name: str, written: bool, offset: Widths, function: str
    ) -> None:
        where = f"{kernel} reads '{name}' at {offset}"
        if not self.sweep:
            if written and sum(offset) % 2 == 0:
                wanted = "neighbours of the other colour, whose offsets have an odd sum"
                raise ArgumentError("colours", f"{where} and writes it", wanted)
            return
        ahead = offset[self.axis] * (1 if self.ascending else -1)
        alone = all(step == 0 for axis, step in enumerate(offset) if axis != self.axis)
        if written and (ahead > 0 or not alone):
            wanted = f"earlier points of sweep {self.sweep}"
            raise ArgumentError("sweep", f"{where} and writes it", wanted)
        for key, functions, far in (("first", self.first, -ahead), ("last", self.last, ahead)):
            if function in functions:
                place = functions.index(function)
                most = place if key == "first" else len(functions) - 1 - place
                if far > most:
                    got = f"{function} of {where}"
                    raise ArgumentError(key, got, f"reads within the line: at most {most} away")

    def trimmed(self, reads: Fringe, extent: Widths) -> Fringe:
        """What of `reads` leaves lines of so many points: functions of the first points read
        nothing before the line, and those of the last ones nothing after it."""
        if not self.sweep:
            return reads
        n, first, last = extent[self.axis], len(self.first), len(self.last)
        ahead, behind = self._ways(reads)
        behind = max(behind - first, 0) if n > first else 0
        # the last point, counted from 0, that has no function of the last points
        latest = max(n - last, min(first, n)) - 1
        ahead = max(ahead - (n - 1 - latest), 0) if latest >= 0 else 0
        return self._along(reads, behind=behind, ahead=ahead)

    def across(self, reads: Fringe) -> bool:
        """Whether other lines than the point's own are read."""
        return any((*_with(reads.lower, self.axis, 0), *_with(reads.upper, self.axis, 0)))

    def _ways(self, reads: Fringe) -> tuple[int, int]:
        """How far it reads ahead and behind along the sweep."""
        lower, upper = reads.lower[self.axis], reads.upper[self.axis]
        return (upper, lower) if self.ascending else (lower, upper)

    def _along(self, reads: Fringe, *, behind: int, ahead: int) -> Fringe:
        """The same with other layers along the sweep."""
        below, above = (behind, ahead) if self.ascending else (ahead, behind)
        return Fringe(_with(reads.lower, self.axis, below), _with(reads.upper, self.axis, above))


def _functions(entry: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    """Names of functions, one or a list."""
    given = entry.get(key, [])
    names = given if isinstance(given, list) else [given]
    if not all(isinstance(n, str) and n.isascii() and n.isidentifier() for n in names):
        wanted = "a function of the header, or a list of them, one for each point"
        raise ArgumentError(key, f"{given!r} in {where}", wanted)
    return tuple(names)


def _with(widths: Widths, axis: int, value: int) -> Widths:
    x, y, z = (value if number == axis else width for number, width in enumerate(widths))
    return x, y, z
