"""The options of `bridge port`, each defined once.

From a definition come the argument of the command, its help, the key in the table [options] of a
port.toml, the words under which a port.toml keeps what was asked, and the line that a refusal
prints. The table:

    [options]                       # of all kernels of the pack; paths from this folder
    folders = ["../../src"]
    width = 132

    [options."::density"]           # of one source, as it stands behind the file's name
    private = ["t_last"]
    value = { nspecies = 5, scheme = "upwind" }
    shape = { wsave = 35, "state%t" = ["0:9", 8] }
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bridge.errors import ArgumentError
from bridge.plan import verified

# ---- forms of a value --------------------------------------------------------------------------


class Form:
    """A text. wanted: what TOML has for it."""

    wanted = 'a text in quotes, such as "x"'
    arguments: dict[str, Any] = {}
    default: Any = None
    #: What a refusal says behind the word.
    said = re.compile(r" ([a-z]\w*)")

    def read(self, value: object) -> Any:
        """What argparse gives for it; TypeError of another value."""
        if not isinstance(value, str):
            raise TypeError
        return value

    def words(self, word: str, value: Any) -> list[str]:
        return [f"{word}={value}"]

    def toml(self, words: Sequence[str]) -> str:
        """Of words that stand behind the option."""
        return json.dumps(words[0])

    def joined(self, kept: Any, given: Any) -> Any:
        """given goes before kept; None is neither."""
        return next((one for one in (given, kept) if one is not None), self.default)


class Flag(Form):
    wanted = "true"
    said = re.compile(r"()")

    def __init__(self, default: bool | None = False) -> None:
        self.default = default

    def read(self, value: object) -> Any:
        if value is not True:
            raise TypeError
        return True

    def words(self, word: str, value: Any) -> list[str]:
        return [word]

    def toml(self, words: Sequence[str]) -> str:
        return "true"


class Number(Form):
    wanted = "a whole number"
    kind: type = int
    said = re.compile(r" (\d+)")

    def __init__(self, default: float | None = None) -> None:
        self.default, self.arguments = default, {"type": self.kind}

    def read(self, value: object) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | self.kind):
            raise TypeError
        return self.kind(value)

    def toml(self, words: Sequence[str]) -> str:
        return words[0]


class Real(Number):
    wanted = "a number"
    kind = float


class Names(Form):
    """Texts that follow each other."""

    wanted = 'a list of texts, such as ["a", "b"]'
    arguments = {"nargs": "+", "action": "extend"}
    default: Any = ()
    said = re.compile(r" ([A-Z]+\b|[a-z][\w%]*)")

    def read(self, value: object) -> Any:
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise TypeError
        return found

    def words(self, word: str, value: Any) -> list[str]:
        return [word, *value]

    def toml(self, words: Sequence[str]) -> str:
        return json.dumps(list(words))

    def joined(self, kept: Any, given: Any) -> Any:
        return [*(kept or ()), *(given or ())]

    def moved(self, words: Sequence[str], path: Callable[[str], str]) -> list[str]:
        """With other paths, where they have some."""
        return list(words)


class Files(Names):
    def moved(self, words: Sequence[str], path: Callable[[str], str]) -> list[str]:
        return [path(word) for word in words]


class Each(Names):
    """The word of the command line stands before each of them."""

    arguments = {"action": "append"}

    def words(self, word: str, value: Any) -> list[str]:
        return [f"{word}{one}" for one in value]


class Folders(Each, Files):
    pass


class Pairs(Names):
    """NAME=TEXT."""

    wanted = 'a table of texts, such as { a = "b" }'
    said = re.compile(r"((?: [\w%]+=[^\s;)]+)+)")

    def read(self, value: object) -> Any:
        if not isinstance(value, dict):
            raise TypeError
        return [f"{name}={self.one(inner)}" for name, inner in value.items()]

    def one(self, value: object) -> str:
        if not isinstance(value, str):
            raise TypeError
        return value

    def toml(self, words: Sequence[str]) -> str:
        parts = dict(word.partition("=")[::2] for word in words)
        inner = (f"{_key(name)} = {self.one_toml(text)}" for name, text in parts.items())
        return f"{{ {', '.join(inner)} }}"

    def one_toml(self, text: str) -> str:
        return json.dumps(text)


class Procedures(Pairs):
    """NAME=FILE::PROCEDURE, or another word for a procedure."""

    def moved(self, words: Sequence[str], path: Callable[[str], str]) -> list[str]:
        found = []
        for word in words:
            name, _, said = word.partition("=")
            there = in_file(said)
            found.append(word if there is None else f"{name}={path(there[0])}::{there[1]}")
        return found


class Values(Pairs):
    """NAME=N, or a text NAME='TEXT'."""

    wanted = 'a table of whole numbers and texts, such as { n = 5, scheme = "upwind" }'

    def one(self, value: object) -> str:
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise TypeError
        return f"'{value}'" if isinstance(value, str) else str(value)

    def one_toml(self, text: str) -> str:
        return text if re.fullmatch(r"N|-?\d+", text) else json.dumps(text.strip("'\""))


class Numbers(Pairs):
    """NAME=N,N: numbers, and what is written FIRST:LAST."""

    wanted = 'a table of lists of numbers, such as { a = [4, 10], b = ["0:9", 8] }'

    def one(self, value: object) -> str:
        parts = value if isinstance(value, list) else [value]
        if not parts or any(
            isinstance(x, bool) or not isinstance(x, int | float | str) for x in parts
        ):
            raise TypeError
        return ",".join(map(str, parts))

    def one_toml(self, text: str) -> str:
        parts = text.split(",")
        written = [json.dumps(part) if ":" in part else part for part in parts]
        return f"[{', '.join(written)}]"


def _key(name: str) -> str:
    """As a key of TOML."""
    return name if re.fullmatch(r"[\w-]+", name) else json.dumps(name)


# ---- the options -------------------------------------------------------------------------------

#: Groups of the help. What belongs to the first three makes another kernel.
READ, SAID, NAMED = "how the source is read", "what the source does not say", "names of the pack"
CHECK, SURVEY, COMMAND = "the check", "the survey", "the command"


@dataclass(frozen=True)
class Option:
    """first: whether it stands in the first help; kept: whether a port.toml may have it; dest: of
    the namespace; constant: of a flag; short: another word."""

    word: str
    group: str
    form: Form
    metavar: str
    help: str
    first: bool = False
    kept: bool = True
    dest: str = ""
    choices: tuple[str, ...] = ()
    constant: bool = True
    short: str = ""

    @property
    def key(self) -> str:
        """In TOML."""
        return self.word[2:] if self.word.startswith("--") else self.dest

    @property
    def name(self) -> str:
        """In the namespace of argparse, which has it where it is given."""
        return self.dest or self.key.replace("-", "_")

    def add(self, parser: Any) -> None:
        arguments: dict[str, Any] = {**self.form.arguments, "metavar": self.metavar}
        if isinstance(self.form, Flag):
            arguments = {"action": "store_const", "const": self.constant}
        elif self.choices:
            arguments = {**self.form.arguments, "choices": self.choices}
        words = (self.short, self.word) if self.short else (self.word,)
        parser.add_argument(*words, dest=self.name, default=argparse.SUPPRESS, help=self.help,
                            **arguments)  # fmt: skip


#: Of the original's compiler; random states of a kernel; seconds for one procedure of a survey.
FLAGS, POINTS, SECONDS = "-O2 -ffp-contract=off", 1003, 10.0
FLAG, TEXT, NAMES, FILES, PAIRS = Flag(), Form(), Names(), Files(), Pairs()
_OUTSIDE = "variables of modules and COMMON that "

OPTIONS = (
    Option("--output", COMMAND, TEXT, "FOLDER",
           "folder of the pack; it may have kernels already", short="-o", first=True, kept=False),
    Option("--force", COMMAND, FLAG, "",
           "overwrite files that were edited by hand", first=True, kept=False),
    Option("--json", COMMAND, FLAG, "",
           "results and refusals for editors", first=True, kept=False),
    Option("-I", READ, Folders(), "FOLDER",
           "folder of include files and of sources with modules and procedures that are used",
           dest="folders", first=True),
    Option("-D", READ, Each(), "NAME[=VALUE]",
           "define a name for preprocessor lines", dest="defines", first=True),
    Option("--more", READ, FILES, "FILE", "more sources, in the order in which they compile"),
    Option("--fixed", READ, Flag(None), "",
           "read fixed form, whatever the file's name", dest="fixed"),
    Option("--free", READ, Flag(None), "", "read free form", dest="fixed", constant=False),
    Option("--width", READ, Number(72), "N", "columns of a line of fixed form (default: 72)"),
    Option("--value", SAID, Values(), "NAME=N",
           "an integer, or a text NAME='TEXT', that has this value in every run", first=True),
    Option("--shape", SAID, Numbers(), "NAME=N,N",
           "extents of arguments of assumed shape, and of components that are pointers or "
           "allocatable: state%%t=N, state%%t=0:N"),
    Option("--private", SAID, NAMES, "NAME",
           "saved or module variables of which each point may have its own, as caches"),
    Option("--as-output", SAID, NAMES, "NAME",
           f"{_OUTSIDE}a call always sets: outputs of a point"),
    Option("--as-inout", SAID, NAMES, "NAME", f"{_OUTSIDE}a call may read before it sets them"),
    Option("--as-input", SAID, NAMES, "NAME", f"{_OUTSIDE}the caller sets for each point"),
    Option("--initial", SAID, NAMES, "NAME",
           "variables of modules that keep their initial values in every run"),
    Option("--type", SAID, PAIRS, "NAME=TYPE",
           "type of an argument of a class, if called procedures depend on it"),
    Option("--procedure", SAID, Procedures(), "NAME=PROCEDURE",
           "what an argument or a component (state%%f) that is a procedure stands for: a name "
           "of the sources, MODULE::NAME or FILE::NAME"),
    Option("--present", SAID, NAMES, "NAME", "optional arguments that are given"),
    Option("--absent", SAID, NAMES, "NAME",
           "optional arguments that are not given: a kernel of its own"),
    Option("--species", SAID, TEXT, "NAME",
           "the variable that holds the number of species, NAME or MODULE::NAME"),
    Option("--axis", SAID, PAIRS, "VARIABLE=x|y|z", "the axis of a loop over points"),
    Option("--errors", SAID, TEXT, "",
           "status: a point that reaches stop or error stop gets a status and NaN",
           choices=("status",)),
    Option("--ends", SAID, NAMES, "NAME",
           "with --errors: subroutines that end the run, whose source is not given"),
    Option("--precision", SAID, TEXT, "",
           "original: kernels compute in real(4), as their originals do; real(8) is refused",
           choices=("original",)),
    Option("--drop-output", SAID, FLAG, "", "leave out write and print statements; each is named"),
    Option("--prefix", NAMED, TEXT, "TEXT",
           "beginning of all names in the catalogue (default: the folder's name and _)"),
    Option("--name", NAMED, TEXT, "NAME", "name of the kernel (default: the procedure's)"),
    Option("--replace", NAMED, TEXT, "COMPOSITE",
           "run the kernel of a procedure instead of this shipped composite"),
    Option("--stand", NAMED, PAIRS, "ARGUMENT=QUANTITY",
           "shipped quantity that an argument is; not needed for names of the composite's own "
           "quantities, in any case and with or without _"),
    Option("--check", CHECK, TEXT, "FOLDER",
           "compare the kernels of a pack with their originals", first=True, kept=False),
    Option("--range", CHECK, Numbers(), "NAME=LOW,HIGH",
           "range of random values of an argument, or of data of a module", first=True),
    Option("--states", CHECK, FILES, "FILE.npz", "recordings of frame_record"),
    Option("--setup", CHECK, FILES, "FILE",
           "Fortran sources with a subroutine bridge_setup, which fills data of modules before "
           "the original runs, for the species CH4 O2 H2O where there are species"),
    Option("--fflags", CHECK, TEXT, "TEXT",
           f"compiler flags of the original (default: '{FLAGS}')"),
    Option("--points", CHECK, Number(POINTS), "N",
           f"random states of each kernel (default: {POINTS})"),
    Option("--isa", CHECK, NAMES, "",
           "instruction sets to check (default: all that this machine has)",
           choices=("v2", "v3", "v4", "cuda")),
    Option("--limit", CHECK, Real(20.0), "SECONDS",
           "time that one state or nest may take (default: 20)"),
    Option("--kernel", CHECK, NAMES, "NAME", "kernels of the pack (default: all)", kept=False),
    Option("--keep", CHECK, TEXT, "DIR", "folder that keeps the compiled files", kept=False),
    Option("--survey", SURVEY, NAMES, "PATH",
           "files and folders: find what could be ported, and what it would gain; --json FILE "
           "writes all of it", first=True, kept=False),
    Option("--profile", SURVEY, TEXT, "FILE.csv",
           "lines routine,seconds of a run: rank by share of the run", first=True, kept=False),
    Option("--machine", SURVEY, TEXT, "FILE|none",
           "figures of `bridge advise` of another machine, or no estimate of gains", kept=False),
    Option("--link", SURVEY, Real(), "GB/s",
           "bandwidth of the link to a GPU, if this machine has none", kept=False),
    Option("--processes", SURVEY, Number(), "N",
           "number of processes (default: all cores)", short="-j", kept=False),
    Option("--seconds", SURVEY, Real(SECONDS), "S",
           f"processor time for one procedure (default: {SECONDS:g})", kept=False),
    Option("--all", SURVEY, FLAG, "", "print all rows of the tables", kept=False),
)  # fmt: skip
WORDS = {option.word: option for option in OPTIONS}
KEPT = {option.key: option for option in OPTIONS if option.kept}


def some(*keys: str) -> list[Option]:
    return [option for option in OPTIONS if option.key in keys]


def add(parser: Any, options: Iterable[Option] = OPTIONS) -> None:
    """To a parser, in groups; flags of one place in the namespace exclude each other."""
    places: dict[str, Any] = {}
    for option in options:
        if option.group not in places:
            places[option.group] = parser.add_argument_group(option.group)
        place = places[option.group]
        if isinstance(option.form, Flag) and option.form.default is None:
            if option.name not in places:
                places[option.name] = place.add_mutually_exclusive_group()
            place = places[option.name]
        option.add(place)


# ---- what is given -----------------------------------------------------------------------------


#: Tells what is wrong with a value of a table by its key.
Named = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class Table:
    """[options] of a port.toml, for one source. values: by the names of the namespace; sections:
    where a value stands, by the key; other: the section of another source of the pack."""

    file: Path = Path(verified.FILE)
    values: dict[str, Any] = field(default_factory=dict)
    sections: dict[str, str] = field(default_factory=dict)
    other: str = ""

    @classmethod
    def read(cls, folder: Path, source: str = "") -> Table:
        """Of a pack, and of one source of it."""
        rest = split(source)[1] if source else ""
        every = [split(one.asked[0])[1] for one in verified.read(folder) if one.asked]
        others = [verified.section(one) for one in every if one != rest]
        found = cls(folder / verified.FILE, other=others[0] if others else "")
        for title, entries in verified.options(folder, source).items():
            for key, value in entries.items():
                found._take(title, key, value)
        return found

    def _take(self, title: str, key: str, value: object) -> None:
        where = f"{title} of {self.file}"
        if key not in KEPT:
            known = next((one for one in OPTIONS if one.key == key), None)
            if known is not None:
                raise ArgumentError(where, key, f"{known.word} on the command line: it is no "
                                    "option of a pack")  # fmt: skip
            refuse(where, [key], KEPT, "an option")
        option = KEPT[key]
        try:
            read = option.form.read(value)
        except TypeError:
            raise ArgumentError(f"{key} in {where}", repr(value), option.form.wanted) from None
        for one in read if isinstance(read, list) else [read]:
            if option.choices and one not in option.choices:
                wanted = f"one of {', '.join(option.choices)}"
                raise ArgumentError(f"{key} in {where}", repr(one), wanted)
        if isinstance(option.form, Flag):
            read = option.constant
            if self.values.get(option.name, read) is not read:
                raise ArgumentError(f"{key} in {where}", "true", "one of fixed and free")
        if isinstance(option.form, Names):
            read = option.form.moved(read, partial(_placed, self.file.parent))
        self.values[option.name] = option.form.joined(self.values.get(option.name), read)
        self.sections[key] = title

    @contextmanager
    def named(self, given: argparse.Namespace) -> Iterator[None]:
        """What is wrong with a value of the table is told by its key. given: on the command
        line."""
        try:
            yield
        except ArgumentError as error:
            for option in KEPT.values():
                section = self.sections.get(option.key)
                told = re.search(rf"(?<![\w-]){option.word}(?![\w-])", error.argument)
                if section is None or told is None or hasattr(given, option.name):
                    continue
                argument = f"{option.key} in {section} of {self.file}"
                own = section == verified.SHARED and self.other
                more = f"what another source has alone stands in {self.other}" if own else ""
                raise error.about(argument, more) from error
            raise


def complete(
    given: argparse.Namespace, table: Table, options: Iterable[Option] = OPTIONS
) -> argparse.Namespace:
    """What is given on the command line, what the table says, and what is so by itself."""
    found = argparse.Namespace(**vars(given))
    for option in options:
        kept, own = table.values.get(option.name), getattr(given, option.name, None)
        setattr(found, option.name, option.form.joined(kept, own))
    return found


def parsed(words: Sequence[str], folder: Path) -> argparse.Namespace:
    """What a port.toml in a folder has kept of the command; paths from there."""
    parser = argparse.ArgumentParser(prog=verified.FILE, exit_on_error=False)
    parser.add_argument("source")
    add(parser, (option for option in OPTIONS if option.group in _MADE))
    try:
        given = parser.parse_args(list(words))
    except (argparse.ArgumentError, SystemExit) as error:
        raise ArgumentError("asked", " ".join(words), f"words of bridge port ({error})") from None
    file, rest = split(given.source)
    given.source = _placed(folder, file) + rest
    return _with_paths(given, partial(_placed, folder))


def _placed(folder: Path, file: str) -> str:
    return os.path.normpath(folder / file)


def kept(own: argparse.Namespace, folder: Path) -> list[str]:
    """The other way: what a port.toml in a folder keeps of the command line."""

    def relative(file: str) -> str:
        return os.path.relpath(Path(file).resolve(), folder.resolve())

    file, rest = split(own.source)
    moved = _with_paths(own, relative)
    return [relative(file) + rest, *words(moved, (one for one in OPTIONS if one.group in _MADE))]


def words(given: argparse.Namespace, options: Iterable[Option]) -> list[str]:
    """Of the command line: what is not so by itself."""
    found = []
    for option in options:
        value = getattr(given, option.name, None)
        if value in (None, [], (), option.form.default):
            continue
        if not isinstance(option.form, Flag) or value is option.constant:
            found += option.form.words(option.word, value)
    return found


def _with_paths(given: argparse.Namespace, path: Callable[[str], str]) -> argparse.Namespace:
    found = argparse.Namespace(**vars(given))
    for option in OPTIONS:
        if isinstance(option.form, Names) and hasattr(given, option.name):
            setattr(found, option.name, option.form.moved(getattr(given, option.name), path))
    return found


#: Groups of what makes another kernel.
_MADE = (READ, SAID, NAMED)
_LINES = re.compile(r"(.+)(:\d+(-\d+)?)")


def split(source: str) -> tuple[str, str]:
    """The file, and what stands behind it."""
    if "::" in source:
        file, _, name = source.partition("::")
        return file, f"::{name}"
    if match := _LINES.fullmatch(source):
        return match[1], match[2]
    file, _, name = source.rpartition("@")
    if file and name.isidentifier():
        return file, f"@{name}"
    wanted = "SRC::procedure, SRC:first-last, SRC:line or SRC@name"
    raise ArgumentError("source", repr(source), wanted)


def in_file(word: str) -> tuple[str, str] | None:
    """Of FILE::NAME the file and the name; None of another word."""
    file, mark, name = word.rpartition("::")
    return (file, name) if mark and ("." in file or "/" in file) else None


def refuse(argument: str, names: Iterable[str], known: Iterable[str], wanted: str) -> None:
    """ArgumentError for a name that is not known, with those that it may stand for."""
    there = sorted(known)
    for name in names:
        if name.lower() in there:
            continue
        near = difflib.get_close_matches(name.lower(), there, 5, 0.5) or there[:12]
        more = ", ..." if len(there) > len(near) else ""
        raise ArgumentError(
            argument,
            name,
            f"{wanted} ({', '.join(near)}{more})" if near else f"{wanted}: it has none",
        )


# ---- what a refusal asks for -------------------------------------------------------------------

_WORD = re.compile(
    rf"(?<![\w-])({'|'.join(map(re.escape, sorted(WORDS, reverse=True)))})(?![\w-])"
)


@dataclass(frozen=True)
class Asked:
    """An option that a text tells the user to give, and what is to stand behind it, if it says."""

    option: Option
    words: tuple[str, ...]


def asked(text: str) -> list[Asked]:
    """In the order of the text."""
    found = []
    for match in _WORD.finditer(text):
        option = WORDS[match[1]]
        behind = option.form.said.match(text, match.end())
        words = behind[1].split() if behind is not None else []
        found.append(Asked(option, tuple(word.rstrip(",") for word in words)))
    return found


def asked_for(text: str, key: str) -> dict[str, str]:
    """Names that stand behind an option there, and what they are to be."""
    words = [word for one in asked(text) if one.option.key == key for word in one.words]
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def lines(changes: Iterable[str], source: str, folder: Path) -> list[str]:
    """What refusals of a source ask for, as lines of the port.toml in its pack's folder. A second
    option of one refusal is another way: it stands in a comment."""
    first: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for change in changes:
        for number, one in enumerate(asked(change)):
            if one.option.kept:
                found = others if number else first
                found.setdefault(one.option.key, []).extend(one.words or [one.option.metavar])
    if not first:
        return []
    section = verified.section(split(source)[1])
    there = verified.options(folder, source).get(section, {})
    told = [section]
    for key, words in first.items():
        told.append(f"{key} = {_line(KEPT[key], words, there.get(key))}")
    for key, words in others.items():
        told.append(f"# or {key} = {_line(KEPT[key], words, there.get(key))}")
    return told


def _line(option: Option, words: Sequence[str], there: object) -> str:
    """With what stands there already."""
    form = option.form
    before = form.read(there) if there is not None and isinstance(form, Names) else []
    return form.toml(list(dict.fromkeys([*before, *words])))
