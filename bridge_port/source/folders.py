"""Folders of -I, what lies below them, and which files sources included.

The first folder that has the file itself gives it. Otherwise the folders inside are searched, and
the file with the fewest folders above it is taken. Of two files at the same depth with different
texts neither is taken.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

#: Of folders that hold no sources of the code itself.
HIDDEN = re.compile(r"^(\.|__pycache__$|CMakeFiles$)")


@dataclass(frozen=True)
class Included:
    """A file that a line of another one stands for; name: as it stands there; hash_line: of the
    preprocessor, so that macros of it hold behind the line."""

    by: str
    line: int
    file: str
    name: str
    hash_line: bool


class Folders(tuple[Path, ...]):
    """In their order. included: by the sources that were read."""

    included: dict[Included, None]

    def __new__(cls, folders: Iterable[str | Path] = ()) -> Folders:
        made = super().__new__(cls, map(Path, folders))
        made.included = {}
        return made

    @cached_property
    def below(self) -> tuple[tuple[int, Path], ...]:
        """All files in folders inside of these, with how deep they lie; the least deep first."""
        found: dict[Path, int] = {}
        for root in self:
            for folder, folders, names in os.walk(root):
                folders[:] = sorted(name for name in folders if not HIDDEN.match(name))
                depth = len(Path(folder).relative_to(root).parts)
                for name in sorted(names) if depth else ():
                    file = Path(folder, name)
                    found[file] = min(depth, found.get(file, depth))
        return tuple(sorted(((n, file) for file, n in found.items()), key=lambda one: one[0]))

    def inside(self, name: str) -> Path | None:
        """An included file, in a folder inside."""
        parts = Path(name).parts
        return nearest_of([(n, file) for n, file in self._named.get(Path(name).name, ())
                    if file.parts[-len(parts) :] == parts])  # fmt: skip

    @cached_property
    def _named(self) -> dict[str, list[tuple[int, Path]]]:
        found: dict[str, list[tuple[int, Path]]] = {}
        for depth, file in self.below:
            found.setdefault(file.name, []).append((depth, file))
        return found


def nearest_of(files: Iterable[tuple[int, Path]]) -> Path | None:
    """The file at the least depth; None if another one at this depth has a different text."""
    files = list(files)
    least = min((depth for depth, _ in files), default=0)
    near = {file.resolve(): file for depth, file in files if depth == least and file.is_file()}
    texts = {file.read_bytes() for file in near}
    return next(iter(near.values())) if len(texts) == 1 else None
