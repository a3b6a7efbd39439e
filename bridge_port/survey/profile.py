"""Seconds of routines, from a CSV file of routine,seconds."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bridge.errors import ArgumentError

#: As gfortran, ifort and flang call a procedure of a module.
_MANGLED = (
    re.compile(r"__(?P<module>\w+)_MOD_(?P<name>\w+)$"),
    re.compile(r"(?P<module>\w+)_mp_(?P<name>\w+?)_?$"),
    re.compile(r"_QM(?P<module>[a-z0-9_]+)P(?P<name>[a-z0-9_]+)$"),
)


@dataclass(frozen=True)
class Routine:
    """module: "" where the file does not say it."""

    module: str
    name: str
    seconds: float
    written: str


class Profile:
    """total: seconds of all rows."""

    def __init__(self, routines: Iterable[Routine]) -> None:
        self.routines = list(routines)
        self.total = sum(one.seconds for one in self.routines)

    @classmethod
    def read(cls, path: str | Path) -> Profile:
        """The first row may be a heading."""
        try:
            with open(path, newline="", encoding="utf-8-sig") as file:
                rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
        except (OSError, UnicodeDecodeError) as error:
            raise ArgumentError("--profile", str(path), f"a file to read ({error})") from None
        found = []
        for number, row in enumerate(rows):
            wanted = f"routine,seconds in row {number + 1}"
            if len(row) < 2:
                raise ArgumentError("--profile", ",".join(row), wanted)
            try:
                seconds = float(row[1])
            except ValueError:
                if number == 0:
                    continue
                raise ArgumentError("--profile", ",".join(row), wanted) from None
            if not 0.0 <= seconds < float("inf"):
                raise ArgumentError("--profile", ",".join(row), f"{wanted}, seconds of at least 0")
            found.append(Routine(*_names(row[0].strip()), seconds, row[0].strip()))
        if not found:
            raise ArgumentError("--profile", str(path), "rows of routine,seconds")
        return cls(found)

    def share(self, name: str, owners: Iterable[str]) -> float | None:
        """Of a procedure within these units; None where no row is of it."""
        within = set(owners)
        rows = [
            one for one in self.routines
            if one.name == name and (not one.module or one.module in within)
        ]  # fmt: skip
        if not rows:
            return None
        return sum(one.seconds for one in rows) / self.total if self.total else 0.0

    def unmatched(self, names: Iterable[str]) -> list[Routine]:
        """Rows of no procedure of the tree, the longest first."""
        known = set(names)
        left = [one for one in self.routines if one.name not in known]
        return sorted(left, key=lambda one: -one.seconds)


def _names(text: str) -> tuple[str, str]:
    """(module, name) of module::name, of a symbol of a compiler, or of a plain name."""
    for pattern in _MANGLED:
        if match := pattern.match(text):
            return match["module"].lower(), match["name"].lower()
    module, _, name = text.lower().rpartition("::")
    return module, name if module or len(name) < 2 else name.rstrip("_")
