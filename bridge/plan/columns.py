"""Words for the number of columns of a quantity: a number, or one that the species decide."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: What catalogues may say, as messages have it.
WANTED = "a number of at least 1, a*ns+b as in ns, ns-1 and 3*ns+6, pairs or ns*ns"
_LINEAR = re.compile(r"(?:(\d+) ?\* ?)?ns(?: ?([-+]) ?(\d+))?")


@dataclass(frozen=True, order=True)
class Linear:
    """a*ns + b, where ns is the number of species."""

    a: int
    b: int

    @property
    def word(self) -> str:
        """Its one spelling."""
        if not self.a:
            return str(self.b)
        return ("ns" if self.a == 1 else f"{self.a}*ns") + (f"{self.b:+d}" if self.b else "")


def of_species(word: str) -> Linear | None:
    """What a word like "3*ns+6" says; None of any other one."""
    found = _LINEAR.fullmatch(word)
    if found is None or (found[1] is not None and int(found[1]) < 1):
        return None
    return Linear(int(found[1] or 1), int((found[2] or "+") + (found[3] or "0")))


def several(word: str) -> bool:
    """Whether a word says several values of each species."""
    linear = of_species(word)
    return linear is not None and linear.a > 1


def plain(word: str) -> str:
    """The one spelling of a word; "" of what is none."""
    if word in ("pairs", "ns*ns"):
        return word
    if word.isdecimal() and int(word) > 0:
        return str(int(word))
    found = of_species(word)
    return "" if found is None else found.word


def counted(word: str, ns: int) -> int:
    """Columns for ns species, of a word in its one spelling; below 0 where there are too few."""
    found = of_species(word)
    if found is not None:
        return found.a * ns + found.b
    if word == "pairs":
        return ns * (ns + 1) // 2
    return ns * ns if word == "ns*ns" else int(word)


def per_species(word: str) -> bool:
    """Whether the number of columns follows from that of species."""
    return not word.isdecimal()


def shape(word: str) -> str:
    """As people write it: "NS-1", "NS*(NS+1)/2"."""
    return "NS*(NS+1)/2" if word == "pairs" else word.replace("ns", "NS")
