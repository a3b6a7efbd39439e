"""The original, compiled by gfortran from copies of its sources."""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bridge.errors import BridgeError
from bridge_port.program.program import Program
from bridge_port.source.folders import Folders
from bridge_port.source.lines import FIXED_SUFFIXES, is_fixed
from bridge_port.source.physical import included, text_of
from bridge_port.syntax.units import every, submodule_key

#: Added to the user's flags: names a later part of the check needs, lines as long as they are.
_ALWAYS = ("-w", "-fPIC", "-fallow-argument-mismatch", "-fallow-invalid-boz",
           "-ffree-line-length-none")  # fmt: skip


def compiler() -> str:
    found = shutil.which("gfortran")
    if found is None:
        raise BridgeError("the check needs gfortran, and the PATH has none: install it")
    return found


def open_modules(text: str) -> str:
    """A source whose modules hide nothing, so that a test may call all of it. Lines stay where
    they are."""
    begins = r"(?:::|[ \t](?=[a-z]))"
    goes_on = r"&[ \t]*(?:![^\n]*)?\n(?:[ \t]*(?:![^\n]*)?\n)*(?:[ \t]*&)?"
    fixed = r",[ \t]*\n {5}[^ 0\n]"
    names = rf"({begins}(?:[^\n&!]*(?:{goes_on}|{fixed}))*[^\n&]*)?"
    text = re.sub(
        rf"(?im)^([ \t]*|[^!'\"\n]*;[ \t]*)private[ \t]*{names}(?:![^\n]*)?$", _blank, text
    )
    return re.sub(r"(?i),[ \t]*(private|protected)\b(?![ \t]*=)", "", text)


def _blank(match: re.Match[str]) -> str:
    return match[1] + "\n" * (match[2] or "").count("\n")


def ordered(program: Program) -> list[str]:
    """Files of a program, those with modules before those that use them, and submodules behind
    what they belong to."""
    files: dict[str, set[str]] = {file: set() for file in program._files}
    owner = {u.name: f for f, units in program._files.items() for u in units if u.kind == "module"}
    owner |= {
        submodule_key(u): f
        for f, units in program._files.items() for u in units if u.kind == "submodule"
    }  # fmt: skip
    for file, units in program._files.items():
        files[file] |= {owner[u.host] for u in units if u.host in owner} - {file}
        for unit in every(units):
            files[file] |= {owner[u.module] for u in unit.uses if u.module in owner} - {file}
    found: list[str] = []
    while files:
        free = [f for f, needed in files.items() if needed <= set(found)] or list(files)[:1]
        for f in free:
            found.append(f)
            del files[f]
    return found


@dataclass(frozen=True)
class OriginalSources:
    """The sources, and how gfortran takes them. flags: the user's; replaced: texts in place of
    files of the program."""

    program: Program
    request: Any
    flags: str
    replaced: Mapping[str, str] = field(default_factory=dict)

    def compile_program(
        self, folder: Path, extra: Mapping[str, str], options: Sequence[str],
        first: Sequence[str] = (), behind: Mapping[str, Sequence[str]] | None = None,
    ) -> Path:  # fmt: skip
        """extra: name -> text of files that are compiled last; options: of the link; first:
        sources in front of all; behind: sources that stand in front of a file."""
        words = self._copied(folder, behind or {})
        _write(folder, extra)
        _run([*self._command(), *first, *words, *extra, "-o", "nest", *options], folder)
        return folder / "nest"

    def compile_library(
        self, folder: Path, shared: Path, extra: Mapping[str, str], last: Sequence[str],
        options: Sequence[str],
    ) -> Path:  # fmt: skip
        """A library, whose sources but `extra` are compiled once for all that have the same ones;
        shared: where that is kept; last: sources behind all but `extra`."""
        command, ordered_files = self._command(), ordered(self.program)
        texts = [Path(f).read_bytes() for f in (*ordered_files, *last)]
        what = (command, ordered_files, last, texts, self.replaced)
        objects = shared / f"original-{hashlib.sha256(repr(what).encode()).hexdigest()[:24]}"
        if not (objects / "whole").is_file():
            words = self._copied(objects, {})
            _run([*command, "-c", *words, *last], objects)
            (objects / "whole").touch()
        made = [str(objects / Path(f).with_suffix(".o").name) for f in [*self._names(), *last]]
        _write(folder, extra)
        # First, before the folders of the sources: a build of the user's may have left other
        # modules of these names there.
        own = [command[0], f"-I{objects}", *command[1:]]
        _run([*own, "-shared", *extra, *made, "-o", "original.so", *options], folder)
        return folder / "original.so"

    def _names(self) -> list[str]:
        """Of copies of the sources."""
        names = []
        for number, file in enumerate(ordered(self.program)):
            path = Path(file)
            suffix = path.suffix
            if self.request.fixed is not None:
                suffix = ".f" if self.request.fixed else ".f90"
            elif suffix.lower() in FIXED_SUFFIXES and not is_fixed(path):
                suffix = ".F90" if suffix[1:2] == "F" else ".f90"
            names.append(f"s{number}_{path.stem}{suffix}")
        return names

    def _copied(self, folder: Path, behind: Mapping[str, Sequence[str]]) -> list[str]:
        """Copies of the sources, and in which order they compile."""
        folder.mkdir(parents=True, exist_ok=True)
        words: list[str] = []
        for file, name in zip(ordered(self.program), self._names(), strict=True):
            text = self.replaced.get(file)
            if text is None:
                text = Path(file).read_text(errors="replace")
            (folder / name).write_text(open_modules(text))
            words += behind.get(file, ())
            words.append(name)
        _write_included(folder, self.replaced)
        return words

    def _command(self) -> list[str]:
        # As the translator looks for them: where a file lies, then -I in its order, then inside.
        program, request = self.program, self.request
        folders = [*(Path(file).parent for file in program._files), *map(Path, request.folders)]
        includes = dict.fromkeys(str(one.resolve()) for one in folders)
        includes |= dict.fromkeys(sorted(_inside(program, Folders(request.folders))))
        command = [compiler(), *shlex.split(self.flags), *_ALWAYS]
        if request.defines or _preprocessed(program):
            command.append("-cpp")
        command += [f"-D{one}" for one in request.defines]
        command += [f"-I{one}" for one in includes]
        return [*command, f"-ffixed-line-length-{request.width}"]


def _write_included(folder: Path, replaced: Mapping[str, str]) -> None:
    """What is replaced and no source, where a compiler looks first for what a source includes."""
    names = {name for text in replaced.values() for name in included(text)}
    for file, text in replaced.items():
        for name in names:
            if Path(file).parts[-len(Path(name).parts) :] == Path(name).parts:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(open_modules(text))


def _write(folder: Path, extra: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in extra.items():
        (folder / name).write_text(text)


def _inside(program: Program, folders: Folders) -> set[str]:
    """Folders inside of those of -I, where what is included by name lies in these alone."""
    found: set[str] = set()
    waiting = [Path(file) for file in program._files] if folders else []
    for file in waiting:
        for name in included(text_of(file)):
            if any((one / name).is_file() for one in (file.parent, *folders)):
                continue
            inner = folders.inside(name)
            if inner is not None and inner not in waiting:
                found.add(str(inner.resolve().parents[len(Path(name).parts) - 1]))
                waiting.append(inner)
    return found


def _run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode < 0 or "internal compiler error" in done.stderr:
        said = [t for t in done.stderr.splitlines() if "internal compiler error" in t]
        raise BridgeError(
            f"gfortran itself crashes on the original ({(said or ['no message'])[0].strip()}): "
            "nothing can be compared; try other --fflags, or another version of it"
        )
    if done.returncode:
        first = [t for t in done.stderr.splitlines() if "rror" in t or ".f" in t][:6]
        raise BridgeError(
            "gfortran does not compile the original with\n"
            f"{shlex.join(command)}\n" + "\n".join(first or done.stderr.splitlines()[:6])
        )


def _preprocessed(program: Program) -> bool:
    return any(
        re.search(r"(?m)^[ \t]*#[ \t]*(if|define|include)", Path(f).read_text(errors="replace"))
        for f in program._files
    )
