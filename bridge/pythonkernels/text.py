"""Lines of C++, and names that are free in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bridge.pythonkernels.functions import OF_KERNELS

#: Where a line ends, as clang-format has it in the package's headers.
WIDTH = 99

#: What C++ and the language of kernels have already.
_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t
char32_t class compl const const_cast constexpr continue decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto if
inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq
private protected public register reinterpret_cast return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try
typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
xor_eq Real Bits Mask Shared Table shared select iterate any all species sign anint nint
sinpi cospi fabs at_least at_most clamp flag has_any Product Number Lanes Twice lookup
pow j0 j1 jn y0 y1 yn gamma lgamma tgamma signbit main unix linux assert NULL I
"""
_TAKEN = OF_KERNELS.union(_WORDS.split())


class Names:
    """Of one function: each is given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*_TAKEN, *taken}
        #: Those of arrays.
        self.arrays: set[str] = set()

    def new(self, wanted: str) -> str:
        """A name like the wanted one, in ASCII, that nothing has."""
        stem = "".join(one if one.isascii() else _spelled(one) for one in wanted)
        if stem.startswith(("__", "BRIDGE")) or re.match(r"_[A-Z]", stem):
            stem = "v" + stem
        name, number = stem, 1
        while name in self._taken:
            number += 1
            name = f"{stem}{number}" if not stem[-1:].isdigit() else f"{stem}_{number}"
        self._taken.add(name)
        return name

    def free(self, name: str) -> None:
        """Of a variable that is no more."""
        self._taken.discard(name)


def _spelled(letter: str) -> str:
    """A letter of another alphabet in words: the Greek mu is mu."""
    return unicodedata.name(letter, "x").split()[-1].lower().replace("-", "_")


@dataclass
class Line:
    """defines: the constant that it defines, which is left out where nothing reads it; unrolled:
    a loop on an array of the function."""

    text: str
    depth: int
    defines: str = ""
    unrolled: bool = False


class Lines:
    """The body of a function, as it grows."""

    def __init__(self, depth: int = 1) -> None:
        self.lines: list[Line] = []
        self.depth = depth

    def add(self, text: str, defines: str = "") -> None:
        self.lines.append(Line(text, self.depth, defines))

    @contextmanager
    def block(self, head: str) -> Iterator[int]:
        """What is added meanwhile stands in braces; gives the place of its head."""
        place = len(self.lines)
        self.add(f"{head} {{")
        self.depth += 1
        try:
            yield place
        finally:
            self.depth -= 1
            self.add("}")

    def rename(self, old: str, new: str, drop: bool) -> None:
        """An array that was declared a few lines before; drop: it has another declaration."""
        for one in self.lines:
            one.text = re.sub(rf"\b{old}\b", new, one.text)
        start = re.compile(rf"(Real {new}\[|BRIDGE_AUTOMATIC\(Real, {new},)")
        if drop:
            self.lines = [one for one in self.lines if not start.match(one.text)]

    def finished(self) -> list[str]:
        """As text: without constants that nothing reads, blocks of one line without braces."""
        lines = list(self.lines)
        while True:
            kept = [
                one
                for one in lines
                if not one.defines
                or any(mentions(other.text, one.defines) for other in lines if other is not one)
            ]
            if len(kept) == len(lines):
                break
            lines = kept
        texts: list[str] = []
        place = 0
        while place < len(lines):
            one, after = lines[place], lines[place + 1 : place + 3]
            indent = "    " * one.depth
            if one.unrolled:
                texts.append(f"{indent}BRIDGE_UNROLL")
            if (
                one.text.startswith("for (")
                and len(after) == 2
                and after[1].text == "}"
                and after[1].depth == one.depth
                and not after[0].text.endswith("{")
            ):
                short = f"{indent}{one.text.removesuffix(' {')} {after[0].text}"
                if len(short) <= WIDTH:
                    texts.append(short)
                    place += 3
                    continue
            texts += broken(indent + one.text)
            place += 1
        return texts


def mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def broken(line: str) -> list[str]:
    """A line in lines that are not too long, at its spaces."""
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    found: list[str] = []
    while len(line) > WIDTH:
        start = len(line) - len(line.lstrip())
        place = line.rfind(" ", start, WIDTH + 1)
        if place <= start:
            break
        found.append(line[:place])
        line = indent + line[place + 1 :]
    return [*found, line]
