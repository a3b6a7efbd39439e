"""What is not translated: where, what, why, and what to change."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bridge.errors import BridgeError


@dataclass(frozen=True, order=True)
class Place:
    """Lines of a file; last: of a statement that goes over several."""

    file: str
    line: int
    last: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def __deepcopy__(self, known: dict[int, Any]) -> Place:
        return self  # it never changes


#: What to say so that a source is read.
SOURCE = "--more FILE with its file, or -I FOLDER with the folder of its file"

#: A name that is no component, and has none; that it is no word of the text is sure where it
#: stands behind such a word, and before such a sign.
_WORD = re.compile(
    r"((?:\b(?:scalar|array|constant|of)|--private|--value) )?(?<![\w%])([a-z]\w*)(?![\w%])"
    r"(?=($|[:;,(=]| if ))?"
)

#: Where nothing is known of the place.
NOWHERE = Place("", 0)


@dataclass(frozen=True)
class Refusal:
    """construct: as Fortran calls it ("goto backwards to 20"); why: in a few words; change: what
    the user can do ("write it as do while"), or ""."""

    place: Place
    construct: str
    why: str = ""
    change: str = ""

    def __str__(self) -> str:
        text = f"{self.place}: {self.construct}"
        if self.why:
            text += f": {self.why}"
        return f"{text}; {self.change}" if self.change else text


class Refused(BridgeError):
    """Nothing is written on a doubt. others: refusals of the same source besides the first one,
    where they were asked for; nests: of a procedure, first and last lines of its loops that can be
    ported by them."""

    def __init__(self, place: Place, construct: str, why: str = "", change: str = "") -> None:
        self.refusal = Refusal(place, construct, why, change)
        self.others: list[Refusal] = []
        self.nests: list[tuple[int, int]] = []
        super().__init__(str(self.refusal))

    def changed(self, change: str) -> None:
        """Something else is to be changed."""
        self.refusal = replace(self.refusal, change=change)
        self.args = (str(self.refusal),)


@contextmanager
def in_words_of_the_source(names: Callable[[], Mapping[str, str]]) -> Iterator[None]:
    """A refusal names what the source names. names: that were made -> what they stand for."""
    try:
        yield
    except Refused as refused:
        own = {name: text for name, text in names().items() if name != text}
        found = refused.refusal

        def put(match: re.Match[str]) -> str:
            before, name, behind = match[1] or "", match[2], match[3]
            sure = "_" in name or before[:1] == "-" or (before and behind is not None)
            return before + own.get(name, name) if sure else match[0]

        told = tuple(_WORD.sub(put, text) for text in (found.construct, found.why, found.change))
        if told == (found.construct, found.why, found.change):
            raise
        raise Refused(found.place, *told) from refused


@contextmanager
def one_statement(place: Place) -> Iterator[None]:
    """While a statement is read: one that is cut or not Fortran makes readers look for what is not
    there, which refuses this statement and nothing else."""
    try:
        yield
    except (IndexError, KeyError, ValueError, StopIteration) as error:
        if isinstance(error, BridgeError):
            raise
        # contextlib takes what a StopIteration causes for that StopIteration, and lets it out.
        cause = None if isinstance(error, StopIteration) else error
        raise Refused(place, "statement", "cannot be read") from cause


#: What a refusal says of what this package did not foresee.
FAULT = "fault of bridge port"


def fault(place: Place, error: Exception) -> Refusal:
    """Of what this package did not foresee: where in it the error came from."""
    if isinstance(error, RecursionError):
        return Refusal(place, "depth", "its expressions or calls are nested too deeply")
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = re.sub(r"\s+", " ", str(error))[:80]
    why = f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno} {text}".rstrip()
    return Refusal(place, FAULT, why)
