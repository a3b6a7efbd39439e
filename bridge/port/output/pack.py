"""The files of a pack: header, catalogue, Fortran module, port.toml. All of them, or none."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bridge.errors import ArgumentError
from bridge.plan import packs, verified
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.port.kernel import Kernel
from bridge.port.output.blocks import blocks, merged
from bridge.port.output.catalogue import catalogue
from bridge.port.syntax.units import Unit


@dataclass
class Written:
    """files: what was written, in the pack's folder."""

    folder: Path
    files: list[str]
    kept: list[str]


def prefix_of(folder: Path) -> str:
    """Of a pack in this folder."""
    word = re.sub(r"\W", "_", folder.resolve().name)
    return f"p{word}_" if word[:1].isdigit() else f"{word}_"


def write(
    folder: Path,
    name: str,
    kernels: Sequence[Kernel],
    pieces: Sequence[tuple[str, int, int]],
    asked: Sequence[str],
    flags: str,
    module: tuple[str, str] = ("", ""),
    force: bool = False,
) -> Written:
    """name: of a composite of several kernels; pieces: file, first and last line of what the
    kernels were made of; asked: words for port.toml; module: name and text. Kernels of the same
    source that the pack has are replaced. ArgumentError where a file was edited by hand, unless
    `force`, and where the pack would contradict itself or the shipped catalogue."""
    before = verified.read(folder)
    names = {k.name for k in kernels}
    own = [one for one in before if one.name in names or _same(one.asked, asked)]
    replaced = names | {one.name for one in own}
    texts = {k.header: k.text for k in kernels}
    if module[0]:
        texts[f"{module[0]}.f90"] = module[1]
    if not force:
        _refuse_edited(folder, own, texts)
    path = folder / packs.CATALOGUE
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    by_hand = {b.name for b in blocks(old)[1] if b.kind == "kernel"} - {b.name for b in before}
    if clash := names & by_hand:
        raise ArgumentError("name", ", ".join(sorted(clash)), "a name that no kernel written by "
                            "hand has in this pack: --name or --prefix")  # fmt: skip
    new = catalogue(kernels, name)
    text = merged(old, new, replaced)
    _check(text, folder, texts)
    folder.mkdir(parents=True, exist_ok=True)
    for file, contents in texts.items():
        _place(folder / file, contents)
    _place(path, text)
    made = {file: _digest(contents) for file, contents in texts.items()}
    original = [
        verified.Original.of(folder, relative(file, folder), a, b) for file, a, b in pieces
    ]
    ported = []
    for k in kernels:
        one = verified.Ported.of(folder, k.name, k.header, original, flags)
        files = {f: sha for f, sha in made.items() if f == k.header or f.endswith(".f90")}
        ported.append(replace(one, asked=tuple(asked), made=files))
    rest = [one for one in before if one.name not in replaced]
    verified.write(folder, [*rest, *ported])
    used = {b.header for b in rest}
    for one in own:  # of kernels that there are no more
        for file in one.made:
            if file not in texts and file not in used and (folder / file).is_file():
                (folder / file).unlink()
    return Written(folder, [*texts, packs.CATALOGUE, verified.FILE], [one.name for one in rest])


def pieces(kernels: Sequence[Kernel], unit: Unit, first: int, last: int,
           others: Sequence[Unit] = ()) -> list[tuple[str, int, int]]:  # fmt: skip
    """What the kernels were made of: the nest's lines and its unit's declarations, or the
    procedure, and whole files for what it calls or uses."""
    main = unit.place.file
    found: list[tuple[str, int, int]] = []
    if first:
        begin = min((s.place.line for s in unit.body if s.place.file == main), default=first)
        if begin > unit.place.line:
            found.append((main, unit.place.line, begin - 1))
        found.append((main, first, last))
    else:
        found.append((main, unit.place.line, max(unit.place.line, unit.place.last)))
    for file in dict.fromkeys(f for k in kernels for f in k.sources):
        whole = _count(file)
        if file != main:
            found.append((file, 1, whole))
        elif first or unit.parent is not None or len([u for u in others if u is not unit]):
            # What is called, and data of modules, stands elsewhere in the same file.
            if not first:
                found = [(main, 1, whole)]
    return found


def relative(file: str, folder: Path) -> str:
    return os.path.relpath(Path(file).resolve(), folder.resolve())


def _same(before: Sequence[str], now: Sequence[str]) -> bool:
    """Whether it is the same source under the same name."""
    if not before or before[0] != now[0]:
        return False
    return _name(before) == _name(now)


def _name(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.startswith(("--name=", "--prefix="))]


def _count(file: str) -> int:
    return len(Path(file).read_bytes().splitlines())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _refuse_edited(folder: Path, own: Sequence[verified.Ported], texts: dict[str, str]) -> None:
    wanted = "a file as bridge port wrote it: --force writes over it, or move it away"
    known = {file: sha for one in own for file, sha in one.made.items()}
    for file in {**texts, **known}:
        path = folder / file
        if not path.is_file():
            continue
        now = verified.file_digest(path)
        if file not in known and now != _digest(texts[file]):
            raise ArgumentError(file, f"{path}, which bridge port did not write", wanted)
        if file in known and now != known[file]:
            raise ArgumentError(file, f"{path}, edited by hand", wanted)
    for one in own:
        try:
            entries = verified.entries_digest(folder / packs.CATALOGUE, one.name)
        except ArgumentError:
            continue
        if entries != one.catalogue_sha256:
            got = f"what {folder / packs.CATALOGUE} says of {one.name}, edited by hand"
            raise ArgumentError(packs.CATALOGUE, got, wanted)


def _check(text: str, folder: Path, texts: dict[str, str]) -> None:
    """Whether a run would take the catalogue."""
    with tempfile.TemporaryDirectory(prefix="bridge-port-") as place:
        path = Path(place) / packs.CATALOGUE
        path.write_text(text, encoding="utf-8")
        for file, contents in texts.items():
            (Path(place) / file).write_text(contents, encoding="utf-8")
        if folder.is_dir():
            for one in folder.iterdir():
                other = Path(place) / one.name
                if one.suffix in packs.SOURCES and not other.exists():
                    other.write_bytes(one.read_bytes())
        Catalogue.load([shipped_file(), path])


def _place(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
