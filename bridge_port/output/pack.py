"""The files of a pack: header, catalogue, Fortran module, port.toml. All of them, or none."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bridge.errors import ArgumentError, InconsistentError
from bridge.plan import packs, verified
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge_port.kernel import Kernel
from bridge_port.output.catalogue import blocks, catalogue, merged
from bridge_port.output.fortran import Module
from bridge_port.output.pieces import Piece, Pieces


@dataclass
class Written:
    """files: what was written, in the pack's folder; unused: sections of options in it that are of
    no kernel."""

    folder: Path
    files: list[str]
    kept: list[str]
    unused: list[str]


def prefix_of(folder: Path) -> str:
    """Of a pack in this folder."""
    word = re.sub(r"\W", "_", folder.resolve().name)
    return f"p{word}_" if word[:1].isdigit() else f"{word}_"


def write(
    folder: Path, name: str, kernels: Sequence[Kernel], pieces: Pieces, asked: Sequence[str],
    flags: str, module: Module | None = None, force: bool = False,
) -> Written:  # fmt: skip
    """name: of a composite of several kernels; pieces: what the kernels were made of; asked: words
    for port.toml. Kernels of the same source that the pack has are
    replaced. ArgumentError where a file was edited by hand, unless `force`, and where the pack
    would contradict itself or the shipped catalogue."""
    before = verified.read(folder)
    names = {k.name for k in kernels}
    own = [one for one in before if one.name in names or _same(one.asked, asked)]
    replaced = names | {one.name for one in own}
    texts = {k.header: k.text for k in kernels}
    if module is not None and module.name:
        texts[f"{module.name}.f90"] = module.text
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
    made = {file: digest(contents) for file, contents in texts.items()}
    original, read = originals(folder, pieces.original), originals(folder, pieces.read)
    ported = []
    for k in kernels:
        one = verified.Ported.of(folder, k.name, k.header, original, flags, read, asked)
        files = {f: sha for f, sha in made.items() if f == k.header or f.endswith(".f90")}
        ported.append(replace(one, made=files))
    rest = [one for one in before if one.name not in replaced]
    verified.write(folder, [*rest, *ported])
    used = {b.header for b in rest}
    for one in own:  # of kernels that there are no more
        for file in one.made:
            if file not in texts and file not in used and (folder / file).is_file():
                (folder / file).unlink()
    written = [*texts, packs.CATALOGUE, verified.FILE]
    return Written(folder, written, [one.name for one in rest], verified.unused(folder))


def originals(folder: Path, found: Iterable[Piece]) -> list[verified.Original]:
    """Pieces as their files are now."""
    texts = verified.Texts(folder)
    return [
        verified.Original.of(folder, relative(one.file, folder), one.first, one.last,
                             fixed=one.fixed, definitions=one.definitions, texts=texts)
        for one in found
    ]  # fmt: skip


def relative(file: str, folder: Path) -> str:
    return os.path.relpath(Path(file).resolve(), folder.resolve())


def _same(before: Sequence[str], now: Sequence[str]) -> bool:
    """Whether it is the same source under the same name."""
    if not before or before[0] != now[0]:
        return False
    return _name(before) == _name(now)


def _name(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.startswith(("--name=", "--prefix="))]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _refuse_edited(folder: Path, own: Sequence[verified.Ported], texts: dict[str, str]) -> None:
    remedy = "--force writes over it, or move it away"
    known = {file: sha for one in own for file, sha in one.made.items()}
    for file in {**texts, **known}:
        path = folder / file
        if not path.is_file():
            continue
        now = verified.file_digest(path)
        if file not in known and now != digest(texts[file]):
            raise InconsistentError(file, f"bridge port did not write {path}", remedy)
        if file in known and now != known[file]:
            raise InconsistentError(file, f"{path} was edited by hand", remedy)
    for one in own:
        try:
            entries = verified.entries_digest(folder / packs.CATALOGUE, one.name)
        except ArgumentError:
            continue
        if entries != one.catalogue_sha256:
            cause = f"what {folder / packs.CATALOGUE} says of {one.name} was edited by hand"
            raise InconsistentError(packs.CATALOGUE, cause, remedy)


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
