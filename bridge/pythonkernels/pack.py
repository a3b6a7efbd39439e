"""A folder of kernels from a file of Python: read, translated and written, all or nothing."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from bridge.errors import ArgumentError, BridgeError, InconsistentError
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.packs import CATALOGUE
from bridge.pythonkernels.declaration import Kernel
from bridge.pythonkernels.kernels import Made, Own, made
from bridge.pythonkernels.refusal import Refusal, Refused
from bridge.pythonkernels.text import broken

_MARK = re.compile(r"(?://|#) Written by bridge packs from \S+, ([0-9a-f]{16})\n")


@dataclass(frozen=True)
class Written:
    """kernels: their names; files: of the folder, in order."""

    folder: Path
    kernels: tuple[str, ...]
    files: tuple[str, ...]


def folder_of(file: Path) -> Path:
    """Where a pack is written if nothing is said."""
    return file.with_name(f"{file.stem}_pack")


def write(file: Path, folder: Path | None = None, force: bool = False) -> Written:
    """Write the pack of a file's kernels: a header for each, and the catalogue.

    Refused with all that is no kernel, by line; InconsistentError where a file of the folder was
    edited by hand or is of another origin, unless `force`; ArgumentError where the pack
    contradicts itself or the package's catalogue.
    """
    folder = folder or folder_of(file)
    kernels = translated(file)
    texts = {f"{one.name}.h": one.text for one in kernels}
    texts[CATALOGUE] = _catalogue(kernels)
    texts = {name: _marked(text, name, file) for name, text in texts.items()}
    old = _old(folder)
    if not force:
        remedy = "--force writes over it; or move it away, or name another folder with -o"
        for name in texts:
            if (path := folder / name).is_file() and name not in old:
                raise InconsistentError(name, f"{path} was written or edited by hand", remedy)
    _check(texts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            _place(folder / name, text)
        for name in old.difference(texts):  # of kernels that there are no more
            (folder / name).unlink()
    except OSError as error:
        raise BridgeError(f"{folder} cannot be written: {error}") from None
    return Written(folder, tuple(one.name for one in kernels), tuple(texts))


def translated(file: Path) -> list[Made]:
    """The kernels of a file, in order; Refused with all that is refused of it."""
    shown = os.path.relpath(file) if file.is_relative_to(Path.cwd()) else str(file)
    module = _imported(file, shown)
    kernels = [
        one
        for one in vars(module).values()
        if isinstance(one, Kernel) and one.function.__module__ == module.__name__
    ]
    kernels = [*{one.name: one for one in kernels}.values()]
    if not kernels:
        wanted = "a file with functions under @bridge.kernel(...)"
        raise ArgumentError("FILE", f"{shown}, without kernels", wanted)
    shipped = Catalogue.shipped()
    found, refusals = list[Made](), list[Refusal]()
    for one in kernels:
        kernel, refused = made(one, shipped, shown)
        refusals += refused
        found += [kernel] if kernel else []
    refusals += _disagreeing(found, shown)
    if refusals:
        raise Refused(refusals)
    return found


def _imported(file: Path, shown: str) -> ModuleType:
    """A file of Python as a module of its own; files beside it can be imported."""
    name = f"bridge_kernels_of_{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise ArgumentError("FILE", str(file), "a file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(file.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        line = error.lineno or 0 if isinstance(error, SyntaxError) else 0
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == str(file):
                line = trace.tb_lineno
            trace = trace.tb_next
        what = str(error) if isinstance(error, BridgeError) else f"{type(error).__name__}: {error}"
        raise Refused([Refusal(shown, line, "import", what)]) from error
    finally:
        sys.path.remove(str(file.resolve().parent))
    return module


def _disagreeing(kernels: Iterable[Made], file: str) -> list[Refusal]:
    """Quantities that two kernels declare otherwise."""
    known: dict[str, tuple[Own, str]] = {}
    refusals = []
    for kernel in kernels:
        for name, one in kernel.own.items():
            other, by = known.setdefault(name, (one, kernel.name))
            for word in ("unit", "columns", "constant", "value"):
                mine, its = getattr(one, word), getattr(other, word)
                if mine != its:
                    why = f"{mine!r} here, {its!r} in {by}"
                    change = "declare it alike in both"
                    refusals.append(Refusal(file, kernel.line, f"{word} of {name}", why, change))
    return refusals


def _catalogue(kernels: Iterable[Made]) -> str:
    lines: list[str] = []
    own: dict[str, Own] = {}
    for kernel in kernels:
        for name, one in kernel.own.items():
            # what the kernel says that makes it is said of a quantity
            if name not in own or name in kernel.outputs:
                own[name] = one
    for one in own.values():
        lines += ["", f"[{'constant' if one.constant else 'quantity'}.{one.name}]"]
        lines.append(f"unit = {_quoted(one.unit)}")
        if one.columns != "1":
            lines.append(f"columns = {_quoted(one.columns)}")
        if one.type != "float64":
            lines.append(f"type = {_quoted(one.type)}")
        if one.value is not None:
            lines.append(f"value = {json.dumps(one.value)}")
        lines.append(f"about = {_quoted(one.about)}")
    for kernel in kernels:
        lines += ["", "[[kernel]]", f"name = {_quoted(kernel.name)}"]
        lines.append(f'header = "{kernel.name}.h"')
        for word, names in (("inputs", kernel.inputs), ("outputs", kernel.outputs)):
            lines += broken(f"{word} = [{', '.join(map(_quoted, names))}]")
        if kernel.about:
            lines.append(f"about = {_quoted(kernel.about)}")
    return "\n".join(lines[1:]) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _marked(text: str, name: str, file: Path) -> str:
    """With a first line that tells later whether somebody edited it."""
    sign = "#" if name == CATALOGUE else "//"
    return f"{sign} Written by bridge packs from {file.name}, {_digest(text)}\n{text}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _old(folder: Path) -> set[str]:
    """Names of files of a folder that were written here and are as they were."""
    found = set()
    for path in [*folder.glob("*.h"), *folder.glob(CATALOGUE)]:
        text = path.read_text(encoding="utf-8", errors="replace")
        mark = _MARK.match(text)
        if mark and mark[1] == _digest(text[mark.end() :]):
            found.add(path.name)
    return found


def _check(texts: dict[str, str]) -> None:
    """Whether a run would take the catalogue."""
    with tempfile.TemporaryDirectory(prefix="bridge-pack-") as name:
        for file, text in texts.items():
            (Path(name) / file).write_text(text, encoding="utf-8")
        Catalogue.load([shipped_file(), Path(name) / CATALOGUE])


def _place(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
