"""Which files include a file: it has no meaning of its own without them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bridge_port.source.folders import HIDDEN
from bridge_port.source.lines import FIXED_SUFFIXES, FREE_SUFFIXES
from bridge_port.source.physical import included, text_of

_SUFFIXES = frozenset((*FIXED_SUFFIXES, *FREE_SUFFIXES))


def is_source(file: Path) -> bool:
    """Whether compilers take a file of this name for Fortran of its own."""
    return file.suffix.lower() in _SUFFIXES


def including(file: Path, folders: Iterable[Path] = ()) -> list[Path]:
    """Sources that include it, by themselves or by files that they include: of its folder, of
    those around and beside it, and of -I."""
    beside = [one for near in (file.parent, file.parent.parent) for one in (near, *_inner(near))]
    texts: dict[Path, str] = {}
    for folder in dict.fromkeys(one.resolve() for one in (*beside, *folders)):
        for one in sorted(folder.iterdir()) if folder.is_dir() else ():
            if one.is_file() and (is_source(one) or one.suffix.lower() in (".inc", ".h", ".fh")):
                text = text_of(one)
                texts[one] = text if "include" in text.lower() else ""
    found: dict[Path, None] = {}
    waiting, seen = [file.resolve()], set()
    while waiting:
        wanted = waiting.pop()
        seen.add(wanted)
        for one, text in texts.items():
            if wanted.name in text and one not in seen and _names(text, one, wanted):
                if is_source(one):
                    found[one] = None
                else:
                    waiting.append(one)
    return list(found)


def _inner(folder: Path) -> list[Path]:
    return sorted(one for one in folder.resolve().iterdir()
                  if one.is_dir() and not HIDDEN.match(one.name))  # fmt: skip


def _names(text: str, file: Path, wanted: Path) -> bool:
    """Whether an include line of the file may mean the wanted one: not where another one of that
    name lies beside the file."""
    for name in included(text):
        parts = tuple(part for part in Path(name).parts if part not in ("..", "."))
        beside = file.parent / name
        if beside.is_file():
            if beside.resolve() == wanted:
                return True
        elif wanted.parts[-len(parts) :] == parts:
            return True
    return False
