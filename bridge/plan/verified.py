"""What is verified of a pack that `bridge port` wrote: its port.toml, and each kernel's state.

`bridge port` writes the file beside the catalogue, `bridge port --check` the digests into it;
`bridge kernels` and the report of a run read it. The format:

    [options]                         # of the user, for all kernels; the tools keep these lines
    width = 132

    [options."::density"]             # for one source, as it stands behind the file's name
    private = ["t_last"]

    [[kernel]]
    name = "rhs_flux"                 # as in the catalogue
    header = "rhs_flux.h"             # beside the catalogue, as there
    header_sha256 = "..."             # of the file's bytes
    catalogue_sha256 = "..."          # `entries_digest`: of what the catalogue says of this kernel
    flags = "-O2 -ffp-contract=off"   # of the original's compiler in the check
    asked = ["../src/rhs.f:21-64", "--prefix", "rhs_"]   # words of the command, from this folder
    asked_sha256 = "..."              # of these words and the options as they were then
    original = [                      # lines of the nest or the procedure
      {file = "../src/rhs.f", fixed = true, first = 21, last = 64, lines = 38, sha256 = "..."},
    ]
    read = [                          # what else decides the kernel
      {file = "../src/sizes.f90", first = 1, last = 9, lines = 7, sha256 = "..."},
      {file = "../src/grid.h", sha256 = "..."},
      {file = "../src/rhs.f", fixed = true, definitions = true, sha256 = "..."},
    ]

    [kernel.made]                     # sha256 of the files as bridge port wrote them
    "rhs_flux.h" = "..."

    [kernel.verified]                 # `digest` for what the check has run and found equal
    v3 = "..."                        # v2, v3, v4: instruction sets of a CPU; cuda: a GPU
    cuda = "..."

`original` and `read` list every piece of source that decides the kernel: the file, relative to the
pack's folder or absolute, its first and last line from 1, how many of these are neither blank nor
comments, and the sha256 of those (`sourcetext`). `read` has modules without their procedures, what
is called, included files as a whole, and with `definitions` what a file defines for the
preprocessor. A kernel is verified where the digest of header, catalogue, words, flags and all
pieces as they are now is the one that the check left. Lines that have moved within their file are
the same lines, and `use` of the pack's modules is none of them; where a file is not on this
machine, what the check has seen of it counts. A
port.toml without `read`, of an earlier version, says nothing of what was read: its kernels are
unverified until they are checked again.

What the options are `bridge_port.options` says; here they are part of what was asked.

port.toml is no source of the pack: writing it makes no library stale.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bridge.caches import sha256
from bridge.errors import ArgumentError
from bridge.plan import packs
from bridge.plan.sourcetext import Text

FILE = packs.PORTED
#: What a check may run on.
TARGETS = (*packs.TARGETS, "cuda")
#: Of the format: another one, other digests.
_VERSION = "2"
_FIRST = "# Written by 'bridge port' and 'bridge port --check'.\n"
#: Begins what the tools write anew.
_KERNEL = re.compile(r"\s*\[\[?\s*kernel\s*[.\]]")
#: Options of a pack by the section that they stand in: that of all kernels, and of one source.
SHARED = "[options]"
Options = dict[str, dict[str, Any]]


class Texts:
    """Sources relative to a pack's folder, each read once. A host's `use` of a module of the pack,
    or of the bridge, does not count: it comes with the kernel."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        made = (Path(file) for one in read(folder) for file in one.made)
        self.own = frozenset(("bridge", *(one.stem for one in made if one.suffix == ".f90")))
        self._known: dict[tuple[str, bool], Text | None] = {}

    def of(self, file: str, fixed: bool) -> Text | None:
        """None where the file is not on this machine."""
        key = file, fixed
        if key not in self._known:
            try:
                self._known[key] = Text((self.folder / file).read_bytes(), fixed, self.own)
            except OSError:
                self._known[key] = None
        return self._known[key]


@dataclass(frozen=True)
class Original:
    """A piece of a source file as it was translated: lines first to last from 1, of which `lines`
    count; the whole file where first is 0, or what it defines for the preprocessor."""

    file: str
    first: int
    last: int
    sha256: str
    lines: int = 0
    fixed: bool = False
    definitions: bool = False

    @classmethod
    def of(
        cls, folder: Path, file: str, first: int = 0, last: int = 0, *, fixed: bool = False,
        definitions: bool = False, texts: Texts | None = None,
    ) -> Original:  # fmt: skip
        """As the file is now; `file` relative to the pack's folder or absolute."""
        text = (texts or Texts(folder)).of(file, fixed)
        if text is None:
            raise ArgumentError("source", str(folder / file), "a file that can be read")
        if definitions:
            return cls(file, 0, 0, text.defined(), 0, fixed, True)
        if not first:
            return cls(file, 0, 0, text.whole(), 0, fixed)
        lines, found = text.piece(first, last)
        return cls(file, first, last, found, lines, fixed)

    def changed(self, texts: Texts) -> bool:
        """Whether its file is here and holds these lines no more."""
        text = texts.of(self.file, self.fixed)
        if text is None:
            return False
        if self.definitions:
            return text.defined() != self.sha256
        if not self.first:
            return text.whole() != self.sha256
        return not text.holds(self.first, self.lines, self.sha256)


@dataclass(frozen=True)
class Ported:
    """A [[kernel]] of port.toml; verified: target -> digest; asked: words of the command that
    made it, paths from the pack's folder; made: file -> sha256 as it was written; read: None of a
    file that does not say it; options: of the pack, as far as they are for its source."""

    name: str
    header: str
    header_sha256: str
    catalogue_sha256: str
    flags: str
    original: tuple[Original, ...]
    verified: dict[str, str] = field(default_factory=dict, hash=False)
    asked: tuple[str, ...] = ()
    made: dict[str, str] = field(default_factory=dict, hash=False)
    read: tuple[Original, ...] | None = ()
    asked_sha256: str = ""
    options: Options = field(default_factory=dict, hash=False)

    @classmethod
    def of(
        cls, folder: Path, name: str, header: str, original: Iterable[Original], flags: str,
        read: Iterable[Original] = (), asked: Sequence[str] = (),
    ) -> Ported:  # fmt: skip
        """A kernel of a pack as its header and catalogue are now, not verified."""
        catalogue = entries_digest(folder / packs.CATALOGUE, name)
        own = options(folder, asked[0]) if asked else {}
        return cls(
            name, header, file_digest(folder / header), catalogue, flags, tuple(original),
            asked=tuple(asked), read=tuple(read), asked_sha256=_asked_digest(asked, own),
            options=own,
        )  # fmt: skip

    @property
    def as_asked(self) -> bool:
        """Whether words and options are those that made it."""
        return self.asked_sha256 == _asked_digest(self.asked, self.options)

    def passed(self, target: str) -> Ported:
        """The same, verified on a target: the digest is of what it was made of."""
        return replace(self, verified={**self.verified, target: digest(self, target)})

    @property
    def pieces(self) -> tuple[Original, ...]:
        return (*self.original, *(self.read or ()))

    def state(self, folder: Path, target: str, texts: Texts | None = None) -> str:
        """ "verified v3", or "unverified: " and why."""
        changed = self.changed(folder, texts)
        if changed:
            return f"unverified: {changed}"
        if target not in self.verified:
            others = " ".join(self._targets())
            return f"unverified: not checked on {target}" + (f" ({others} was)" if others else "")
        if self.verified[target] != digest(self, target):
            return "unverified: flags changed since the check"
        return f"verified {target}"

    def summary(self, folder: Path, texts: Texts | None = None) -> str:
        """Of all targets: "verified v2 v3 v4", or "unverified: " and why; what a verified one was
        made of that is not on this machine."""
        texts = texts or Texts(folder)
        changed = self.changed(folder, texts)
        if changed or not self.verified:
            return f"unverified: {changed or 'not checked'}"
        found = self._targets()
        if not found:
            return "unverified: flags changed"
        gone = [one.file for one in self.pieces if texts.of(one.file, one.fixed) is None]
        names = ", ".join(dict.fromkeys(map(self._shown, gone)))
        return f"verified {' '.join(found)}" + (f" (source not here: {names})" if names else "")

    def changed(self, folder: Path, texts: Texts | None = None) -> str:
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
        if self.read is None:
            return f"{FILE} does not say what was read: check again" if self.verified else ""
        if not self.as_asked:
            return "options changed"
        texts = texts or Texts(folder)
        for piece in self.pieces:
            if piece.changed(texts):
                return f"{self._shown(piece.file)} has changed"
        return ""

    def _shown(self, file: str) -> str:
        """The name alone where it is no other file's."""
        name = Path(file).name
        others = {one.file for one in self.pieces if Path(one.file).name == name}
        return name if len(others) == 1 else file

    def _targets(self) -> list[str]:
        """On which it is verified, were nothing changed."""
        return [name for name in TARGETS if self.verified.get(name) == digest(self, name)]


def digest(ported: Ported, target: str) -> str:
    """Of all source, header, catalogue, words, flags of both compilers, and instruction set or
    GPU."""
    import json

    own = (*packs.FLAGS, *packs.TARGETS[target], *packs.LINK) if target in packs.TARGETS else ()
    source = [[one.file, one.sha256] for one in ported.pieces]
    made = [ported.header_sha256, ported.catalogue_sha256, ported.asked_sha256]
    parts = [_VERSION, target, source, *made]
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
    text = _read(folder)
    try:
        found = [_ported(dict(entry)) for entry in text.get("kernel", [])]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        got = f"{folder / FILE} ({type(error).__name__}: {error})"
        raise ArgumentError("port", got, "a file as 'bridge port' writes it") from None
    return [replace(one, options=_for(text, one.asked[0])) if one.asked else one for one in found]


def options(folder: Path, source: str = "") -> Options:
    """Of a pack, for all its kernels and for this source; those of the source stand behind."""
    return _for(_read(folder), source)


def section(source: str) -> str:
    """Of the options of one source."""
    import json

    return f"[options.{json.dumps(source)}]"


def unused(folder: Path) -> list[str]:
    """Sections of options that are of no kernel of the pack."""
    sources = [one.asked[0] for one in read(folder) if one.asked]
    return [section(key) for key in _read(folder).get("options", {})
            if _is_source(key) and not any(_is_of(key, source) for source in sources)]  # fmt: skip


def _read(folder: Path) -> dict[str, Any]:
    import tomllib

    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        got = f"{path} ({type(error).__name__}: {error})"
        raise ArgumentError("port", got, "a file that TOML can read") from None


def _for(text: Mapping[str, Any], source: str) -> Options:
    every = text.get("options", {})
    if not isinstance(every, dict):
        raise ArgumentError("options", repr(every), f"a table [options] in {FILE}")
    found = {SHARED: {key: one for key, one in every.items() if not _is_source(key)}}
    for key, one in every.items():
        if _is_source(key) and _is_of(key, source):
            if not isinstance(one, dict):
                raise ArgumentError(f"{key} of [options]", repr(one), f"a table {section(key)}")
            found[section(key)] = one
    return {title: entries for title, entries in found.items() if entries}


def _is_source(key: str) -> bool:
    return not key.isidentifier() and re.search("[:@]", key) is not None


def _is_of(key: str, source: str) -> bool:
    """Whether it is the source, or what stands behind its file or its folder."""
    rest = source.lower().removesuffix(key.lower())
    return rest != source.lower() and (not rest or key[0] in ":@" or rest[-1] in "/\\")


def write(folder: Path, kernels: Sequence[Ported]) -> None:
    """Replace a pack's port.toml; what the user wrote into it stays as it is, in front."""
    import json

    path = folder / FILE
    own = _of_the_user(path.read_text(encoding="utf-8") if path.is_file() else "")
    text = [_FIRST, *([f"\n{own}\n"] if own else [])]
    for one in kernels:
        text.append("\n[[kernel]]\n")
        for key in ("name", "header", "header_sha256", "catalogue_sha256", "flags"):
            text.append(f"{key} = {json.dumps(getattr(one, key))}\n")
        if one.asked:
            text.append(f"asked = {json.dumps(one.asked)}\n")
        if one.asked_sha256:
            text.append(f"asked_sha256 = {json.dumps(one.asked_sha256)}\n")
        for key in ("original", "read"):
            pieces = getattr(one, key)
            if pieces is not None:
                text += [f"{key} = [\n", *map(_piece_text, pieces), "]\n"]
        if one.made:
            text.append("\n[kernel.made]\n")
            text += [f"{json.dumps(name)} = {json.dumps(sha)}\n" for name, sha in one.made.items()]
        text.append("\n[kernel.verified]\n")
        text += [f"{target} = {json.dumps(found)}\n" for target, found in one.verified.items()]
    path.write_text("".join(text), encoding="utf-8")


def _of_the_user(text: str) -> str:
    """Lines of a port.toml that the tools do not write: all but kernels, and their comments."""
    found, kernel = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("["):
            kernel = _KERNEL.match(line) is not None
        if f"{line}\n" != _FIRST and (not kernel or line.lstrip().startswith("#")):
            found.append(line)
    return "\n".join(found).strip("\n")


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
        texts = Texts(pack.folder)
        for one in ported:
            if one.name in pack.kernels:
                known[one.name] = (
                    one.state(pack.folder, target, texts)
                    if target
                    else one.summary(pack.folder, texts)
                )
    return known


def _ported(entry: dict[str, Any]) -> Ported:
    keys = ("name", "header", "header_sha256", "catalogue_sha256", "flags")
    name, header, header_sha, catalogue_sha, flags = (str(entry[key]) for key in keys)
    verified = {str(target): str(one) for target, one in entry.get("verified", {}).items()}
    asked = tuple(str(word) for word in entry.get("asked", ()))
    made = {str(file): str(sha) for file, sha in entry.get("made", {}).items()}
    read = tuple(map(_piece, entry["read"])) if "read" in entry else None
    return Ported(name, header, header_sha, catalogue_sha, flags,
                  tuple(map(_piece, entry["original"])), verified, asked, made, read,
                  str(entry.get("asked_sha256", "")))  # fmt: skip


def _piece(entry: dict[str, Any]) -> Original:
    first, last, lines = (int(entry.get(key, 0)) for key in ("first", "last", "lines"))
    fixed, definitions = (bool(entry.get(key, False)) for key in ("fixed", "definitions"))
    file, sha = str(entry["file"]), str(entry["sha256"])
    return Original(file, first, last, sha, lines, fixed, definitions)


def _piece_text(one: Original) -> str:
    """A line of port.toml."""
    import json

    words = [f"file = {json.dumps(one.file)}"]
    words += ["fixed = true"] if one.fixed else []
    words += ["definitions = true"] if one.definitions else []
    if one.first:
        words += [f"first = {one.first}", f"last = {one.last}", f"lines = {one.lines}"]
    words.append(f"sha256 = {json.dumps(one.sha256)}")
    return f"  {{{', '.join(words)}}},\n"


def _asked_digest(words: Sequence[str], options: Options) -> str:
    import json

    told = [list(words), options] if options else list(words)
    return _digest(json.dumps(told, sort_keys=True, default=str))


def _without_about(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "about"}


def file_digest(path: Path) -> str:
    return sha256(path.read_bytes()).hex()


def _digest(text: str) -> str:
    return sha256(text.encode()).hex()
