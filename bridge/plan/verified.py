"""What is verified of a pack that `bridge port` wrote: its port.toml, and each kernel's state.

`bridge port` writes the file beside the catalogue, `bridge port --check` the digests into it;
`bridge kernels` and the report of a run read it. The format:

    [[kernel]]
    name = "rhs_flux"                 # as in the catalogue
    header = "rhs_flux.h"             # beside the catalogue, as there
    header_sha256 = "..."             # of the file's bytes
    catalogue_sha256 = "..."          # `entries_digest`: of what the catalogue says of this kernel
    flags = "-O2 -ffp-contract=off"   # of the original's compiler in the check
    asked = ["../src/rhs.f:21-64", "--prefix", "rhs_"]   # words of the command, from this folder
    original = [
      {file = "../src/rhs.f", first = 21, last = 64, sha256 = "..."},
    ]

    [kernel.made]                     # sha256 of the files as bridge port wrote them
    "rhs_flux.h" = "..."

    [kernel.verified]                 # `digest` for what the check has run and found equal
    v3 = "..."                        # v2, v3, v4: instruction sets of a CPU; cuda: a GPU
    cuda = "..."

`original` lists every piece of source that the kernel was made of: the file, relative to the
pack's folder or absolute, its first and last line from 1, and the sha256 of these lines, each with
a line feed. A kernel is verified where the digest of header, catalogue, original and flags as they
are now is the one that the check left. Original lines that have moved within their file are the
same lines; where their file is not on this machine, what the check has seen of them counts.

port.toml is no source of the pack: writing it makes no library stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bridge.caches import sha256
from bridge.errors import ArgumentError
from bridge.plan import packs

FILE = packs.PORTED
#: What a check may run on.
TARGETS = (*packs.TARGETS, "cuda")
#: Of the format: another one, other digests.
_VERSION = "1"


@dataclass(frozen=True)
class Original:
    """Lines of a source file, first to last from 1, and their sha256 when they were translated."""

    file: str
    first: int
    last: int
    sha256: str

    @classmethod
    def of(cls, folder: Path, file: str, first: int, last: int) -> Original:
        """As the file is now; `file` relative to the pack's folder or absolute."""
        return cls(file, first, last, _lines_digest(_lines(folder / file)[first - 1 : last]))

    def changed(self, folder: Path) -> bool:
        """Whether its file is here and holds these lines no more."""
        path = folder / self.file
        if not path.is_file():
            return False
        lines, number = _lines(path), self.last - self.first + 1
        starts = (self.first - 1, *range(len(lines) - number + 1))
        return all(_lines_digest(lines[at : at + number]) != self.sha256 for at in starts)


@dataclass(frozen=True)
class Ported:
    """A [[kernel]] of port.toml; verified: target -> digest; asked: words of the command that
    made it, paths from the pack's folder; made: file -> sha256 as it was written."""

    name: str
    header: str
    header_sha256: str
    catalogue_sha256: str
    flags: str
    original: tuple[Original, ...]
    verified: dict[str, str] = field(default_factory=dict, hash=False)
    asked: tuple[str, ...] = ()
    made: dict[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def of(
        cls, folder: Path, name: str, header: str, original: Iterable[Original], flags: str
    ) -> Ported:
        """A kernel of a pack as its header and catalogue are now, not verified."""
        catalogue = entries_digest(folder / packs.CATALOGUE, name)
        return cls(name, header, file_digest(folder / header), catalogue, flags, tuple(original))

    def passed(self, target: str) -> Ported:
        """The same, verified on a target: the digest is of what it was made of."""
        return replace(self, verified={**self.verified, target: digest(self, target)})

    def state(self, folder: Path, target: str) -> str:
        """ "verified v3", or "unverified: " and why."""
        changed = self.changed(folder)
        if changed:
            return f"unverified: {changed}"
        if target not in self.verified:
            others = " ".join(self._targets())
            return f"unverified: not checked on {target}" + (f" ({others} was)" if others else "")
        if self.verified[target] != digest(self, target):
            return "unverified: flags changed since the check"
        return f"verified {target}"

    def summary(self, folder: Path) -> str:
        """Of all targets: "verified v2 v3 v4", or "unverified: " and why."""
        changed = self.changed(folder)
        if changed or not self.verified:
            return f"unverified: {changed or 'not checked'}"
        found = self._targets()
        return f"verified {' '.join(found)}" if found else "unverified: flags changed"

    def changed(self, folder: Path) -> str:
        """What is not as it was translated, "" if all is."""
        header = folder / self.header
        if not header.is_file() or file_digest(header) != self.header_sha256:
            return "header changed"
        try:
            entries = entries_digest(folder / packs.CATALOGUE, self.name)
        except ArgumentError:
            entries = ""
        if entries != self.catalogue_sha256:
            return "catalogue changed"
        for piece in self.original:
            if piece.changed(folder):
                return f"original changed ({piece.file}:{piece.first}-{piece.last})"
        return ""

    def _targets(self) -> list[str]:
        """On which it is verified, were nothing changed."""
        return [name for name in TARGETS if self.verified.get(name) == digest(self, name)]


def digest(ported: Ported, target: str) -> str:
    """Of original, header, catalogue, flags of both compilers, and instruction set or GPU."""
    import json

    own = (*packs.FLAGS, *packs.TARGETS[target], *packs.LINK) if target in packs.TARGETS else ()
    original = [[one.file, one.sha256] for one in ported.original]
    parts = [_VERSION, target, original, ported.header_sha256, ported.catalogue_sha256]
    return _digest(json.dumps([*parts, ported.flags, own]))


def entries_digest(catalogue: Path, kernel: str) -> str:
    """Of what a catalogue says of a kernel: its entry, and those of its quantities, constants and
    tables that stand in the same file. `about` has no part in it, nor has `planned`, which changes
    with what else the pack holds."""
    import json
    import tomllib

    try:
        text = tomllib.loads(catalogue.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArgumentError("catalogue", f"{catalogue} ({error})", "a readable file") from None
    own = [entry for entry in text.get("kernel", []) if entry.get("name") == kernel]
    if not own:
        raise ArgumentError("kernel", repr(kernel), f"a kernel of {catalogue}")
    used = {*own[0].get("inputs", ()), *own[0].get("outputs", ()), *own[0].get("tables", ())}
    entry = {key: value for key, value in own[0].items() if key != "planned"}
    told: list[Any] = ["kernel", _without_about(entry)]
    for kind in ("quantity", "constant", "table"):
        for name in sorted(used & text.get(kind, {}).keys()):
            told.append([kind, name, _without_about(text[kind][name])])
    return _digest(json.dumps(told, sort_keys=True))


def read(folder: Path) -> list[Ported]:
    """The kernels of a pack's port.toml; none where it has no such file, ArgumentError where it
    cannot be read."""
    import tomllib

    path = folder / FILE
    if not path.is_file():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("kernel", [])
        return [_ported(dict(entry)) for entry in entries]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        got = f"{path} ({type(error).__name__}: {error})"
        raise ArgumentError("port", got, "a file as 'bridge port' writes it") from None


def write(folder: Path, kernels: Sequence[Ported]) -> None:
    """Replace a pack's port.toml."""
    import json

    text = ["# Written by 'bridge port' and 'bridge port --check'.\n"]
    for one in kernels:
        text.append("\n[[kernel]]\n")
        for key in ("name", "header", "header_sha256", "catalogue_sha256", "flags"):
            text.append(f"{key} = {json.dumps(getattr(one, key))}\n")
        if one.asked:
            text.append(f"asked = {json.dumps(one.asked)}\n")
        text.append("original = [\n")
        for piece in one.original:
            file, sha = json.dumps(piece.file), json.dumps(piece.sha256)
            span = f"first = {piece.first}, last = {piece.last}"
            text.append(f"  {{file = {file}, {span}, sha256 = {sha}}},\n")
        text.append("]\n")
        if one.made:
            text.append("\n[kernel.made]\n")
            text += [f"{json.dumps(name)} = {json.dumps(sha)}\n" for name, sha in one.made.items()]
        text.append("\n[kernel.verified]\n")
        text += [f"{target} = {json.dumps(found)}\n" for target, found in one.verified.items()]
    (folder / FILE).write_text("".join(text), encoding="utf-8")


def states(target: str = "", found: Iterable[packs.Pack] | None = None) -> dict[str, str]:
    """The state of every ported kernel of the packs that are found, on a target or in sum; kernels
    that were written by hand have none."""
    known: dict[str, str] = {}
    for pack in packs.found() if found is None else found:
        try:
            ported = read(pack.folder)
        except ArgumentError:  # no reason to end a run
            known |= dict.fromkeys(pack.kernels, f"unverified: {FILE} cannot be read")
            continue
        for one in ported:
            if one.name in pack.kernels:
                state = one.state(pack.folder, target) if target else one.summary(pack.folder)
                known[one.name] = state
    return known


def _ported(entry: dict[str, Any]) -> Ported:
    original = tuple(
        Original(str(one["file"]), int(one["first"]), int(one["last"]), str(one["sha256"]))
        for one in entry["original"]
    )
    keys = ("name", "header", "header_sha256", "catalogue_sha256", "flags")
    name, header, header_sha, catalogue_sha, flags = (str(entry[key]) for key in keys)
    verified = {str(target): str(one) for target, one in entry.get("verified", {}).items()}
    asked = tuple(str(word) for word in entry.get("asked", ()))
    made = {str(file): str(sha) for file, sha in entry.get("made", {}).items()}
    return Ported(name, header, header_sha, catalogue_sha, flags, original, verified, asked, made)


def _without_about(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "about"}


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def _lines_digest(lines: Iterable[bytes]) -> str:
    return sha256(b"".join(line + b"\n" for line in lines)).hex()


def file_digest(path: Path) -> str:
    return sha256(path.read_bytes()).hex()


def _digest(text: str) -> str:
    return sha256(text.encode()).hex()
