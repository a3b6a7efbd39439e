"""What the user asks of `bridge port`, as words: options of the command, and the words in a
port.toml."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path

from bridge.errors import ArgumentError
from bridge_port.request import Extent, Request, in_file
from bridge_port.translate.outside import IN, INOUT, OPTIONS, OUT


def add(parser: argparse.ArgumentParser) -> None:
    """What a kernel depends on, besides the source."""
    add = parser.add_argument
    add(
        "-I",
        dest="folders",
        action="append",
        default=[],
        metavar="FOLDER",
        help="folder of include files and of sources with modules and procedures that are used",
    )
    add(
        "-D",
        dest="defines",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="define a name for preprocessor lines",
    )
    add(
        "--more",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="more sources, in the order in which they compile",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--fixed",
        dest="fixed",
        action="store_true",
        default=None,
        help="read fixed form, whatever the file's name",
    )
    form.add_argument(
        "--free", dest="fixed", action="store_false", default=None, help="read free form"
    )
    add(
        "--width",
        type=int,
        default=72,
        metavar="N",
        help="columns of a line of fixed form (default: 72)",
    )
    add(
        "--prefix",
        metavar="TEXT",
        help="beginning of all names in the catalogue (default: the folder's name and _)",
    )
    add("--name", metavar="NAME", help="name of the kernel (default: the procedure's)")
    add(
        "--private",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="saved or module variables of which each point may have its own, as caches",
    )
    for role, about in (
        (OUT, "that a call always sets: outputs of a point"),
        (INOUT, "that a call may read before it sets them"),
        (IN, "that the caller sets for each point"),
    ):
        add(OPTIONS[role], nargs="+", action="extend", default=[], metavar="NAME",
            help=f"variables of modules and COMMON {about}")  # fmt: skip
    add(
        "--species",
        default="",
        metavar="NAME",
        help="the variable that holds the number of species, NAME or MODULE::NAME",
    )
    add(
        "--value",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=N",
        help="an integer, or a text NAME='TEXT', that has this value in every run",
    )
    add(
        "--initial",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="variables of modules that keep their initial values in every run",
    )
    add(
        "--errors",
        choices=["status"],
        default="",
        help="status: a point that reaches stop or error stop gets a status and NaN",
    )
    add(
        "--ends",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="with --errors: subroutines that end the run, whose source is not given",
    )
    add(
        "--drop-output",
        action="store_true",
        help="leave out write and print statements; each is named",
    )
    add(
        "--shape",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=N,N",
        help="extents of arguments of assumed shape, and of components that are pointers or "
        "allocatable: state%%t=N, state%%t=0:N",
    )
    add(
        "--type",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=TYPE",
        help="type of an argument of a class, if called procedures depend on it",
    )
    for word, about in (("present", "given"), ("absent", "not given: a kernel of its own")):
        add(
            f"--{word}",
            nargs="+",
            action="extend",
            default=[],
            metavar="NAME",
            help=f"optional arguments that are {about}",
        )
    add(
        "--procedure",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=PROCEDURE",
        help="what an argument or a component (state%%f) that is a procedure stands for: a name "
        "of the sources, MODULE::NAME or FILE::NAME",
    )
    add(
        "--axis",
        nargs="+",
        action="extend",
        default=[],
        metavar="VARIABLE=x|y|z",
        help="the axis of a loop over points",
    )
    add(
        "--replace",
        default="",
        metavar="COMPOSITE",
        help="run the kernel of a procedure instead of this shipped composite",
    )
    add("--stand", nargs="+", action="extend", default=[], metavar="ARGUMENT=QUANTITY",
        help="shipped quantity that an argument is; not needed for names of the composite's "
             "own quantities, in any case and with or without _")  # fmt: skip


def request_of(given: argparse.Namespace) -> Request:
    """What the options say."""
    values, texts = _values(given.value)
    for define in given.defines:
        name = define.removeprefix("-D").partition("=")[0].strip()
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ArgumentError("-D", repr(define), "NAME or NAME=VALUE of the preprocessor")
    shapes = {
        name: tuple(_extent(name, part) for part in word.split(","))
        for name, word in _pairs("--shape", given.shape)
    }
    return Request(
        given.source, tuple(given.more), tuple(given.folders), tuple(given.defines),
        given.fixed, given.width, given.prefix or "", given.name or "", tuple(given.private),
        given.species, values, shapes, dict(_pairs("--axis", given.axis)),
        given.replace, dict(_pairs("--stand", given.stand)),
        dict(_pairs("--type", given.type)), texts,
        tuple(name.lower() for name in given.initial), given.errors,
        tuple(name.lower() for name in given.ends), given.drop_output, _outside(given),
        dict(_pairs("--procedure", given.procedure)),
        _presence(given),
    )  # fmt: skip


def parsed(words: Sequence[str], folder: Path) -> Request:
    """Of the words in a port.toml; paths from its folder."""
    parser = argparse.ArgumentParser(prog="port.toml", exit_on_error=False)
    parser.add_argument("source")
    add(parser)
    try:
        request = request_of(parser.parse_args(list(words)))
    except (argparse.ArgumentError, SystemExit) as error:
        raise ArgumentError("asked", " ".join(words), f"words of bridge port ({error})") from None
    file, rest = request.split()
    request.source = os.path.normpath(folder / file) + rest
    request.more = tuple(os.path.normpath(folder / one) for one in request.more)
    for name, one in request.procedures.items():
        if (found := in_file(one)) is not None:
            request.procedures[name] = f"{os.path.normpath(folder / found[0])}::{found[1]}"
    request.folders = tuple(os.path.normpath(folder / one) for one in request.folders)
    return request


def words(request: Request, folder: Path) -> list[str]:
    """The same for a port.toml in a folder."""

    def relative(file: str) -> str:
        return os.path.relpath(Path(file).resolve(), folder.resolve())

    def procedure(word: str) -> str:
        found = in_file(word)
        return word if found is None else f"{relative(found[0])}::{found[1]}"

    file, rest = request.split()
    found = [relative(file) + rest]
    for option, items in (
        ("--more", [relative(one) for one in request.more]),
        ("--private", list(request.private)),
        (
            "--value",
            [f"{name}={n}" for name, n in request.values.items()]
            + [f"{name}='{text}'" for name, text in request.texts.items()],
        ),
        ("--initial", list(request.initial)),
        *(
            (OPTIONS[role], [name for name, own in request.outside.items() if own == role])
            for role in (OUT, INOUT, IN)
        ),
        ("--ends", list(request.ends)),
        ("--shape", [f"{k}={','.join(map(_shape_word, v))}" for k, v in request.shapes.items()]),
        ("--type", [f"{name}={one}" for name, one in request.types.items()]),
        ("--procedure", [f"{name}={procedure(one)}" for name, one in request.procedures.items()]),
        ("--present", [name for name, there in request.presence.items() if there]),
        ("--absent", [name for name, there in request.presence.items() if not there]),
        ("--axis", [f"{name}={axis}" for name, axis in request.axes.items()]),
        ("--stand", [f"{name}={other}" for name, other in request.stands.items()]),
    ):
        found += [option, *items] if items else []
    found += [f"-I{relative(one)}" for one in request.folders]
    found += [f"-D{one}" for one in request.defines]
    found += ["--drop-output"] if request.drop_output else []
    if request.fixed is not None:
        found.append("--fixed" if request.fixed else "--free")
    if request.width != 72:
        found.append(f"--width={request.width}")
    for option, text in (
        ("prefix", request.prefix), ("name", request.name), ("species", request.species),
        ("replace", request.replace), ("errors", request.errors),
    ):  # fmt: skip
        found += [f"--{option}={text}"] if text else []
    return found


def _pairs(option: str, words: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for word in words:
        name, _, value = word.partition("=")
        if not value:
            raise ArgumentError(option, repr(word), "NAME=VALUE")
        pairs.append((name.lower(), value))
    return pairs


def _presence(given: argparse.Namespace) -> dict[str, bool]:
    found = {name.lower(): True for name in given.present}
    for name in (one.lower() for one in given.absent):
        if name in found:
            raise ArgumentError("--absent", name, "one that is not said to be present")
        found[name] = False
    return found


def _outside(given: argparse.Namespace) -> dict[str, str]:
    """One role for each name."""
    found: dict[str, str] = {}
    for role in (OUT, INOUT, IN):
        for name in (one.lower() for one in getattr(given, OPTIONS[role][2:].replace("-", "_"))):
            if name in found or name in (one.lower() for one in given.private):
                raise ArgumentError(OPTIONS[role], name, "one option for each variable")
            found[name] = role
    return found


def _values(words: Sequence[str]) -> tuple[dict[str, int], dict[str, str]]:
    """Of --value: integers, and texts; a text of digits alone stands in quotes."""
    integers: dict[str, int] = {}
    texts: dict[str, str] = {}
    for name, word in _pairs("--value", words):
        if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
            texts[name] = word[1:-1]
        elif re.fullmatch(r"[-+]?\d+", word):
            integers[name] = int(word)
        elif re.fullmatch(r"[-+]?[\d.][\d.ed+-]*", word.lower()):
            raise ArgumentError("--value", f"{name}={word}", "an integer, or a text in quotes")
        else:
            texts[name] = word
    return integers, texts


def _extent(name: str, word: str) -> Extent:
    """N, or FIRST:LAST."""
    first, mark, last = word.partition(":")
    if not mark:
        return _number("--shape", name, word)
    return _number("--shape", name, first), _number("--shape", name, last)


def _shape_word(extent: Extent) -> str:
    return str(extent) if isinstance(extent, int) else f"{extent[0]}:{extent[1]}"


def _number(option: str, name: str, word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise ArgumentError(option, f"{name}={word}", "an integer") from None
