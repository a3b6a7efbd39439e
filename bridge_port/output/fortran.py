"""Fortran that is written beside the user's: modules, programs and procedures as data, and their
lines. What a module uses, calls and includes is asked of the data; no text is read again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bridge_port.syntax.text import line
from bridge_port.syntax.units import Unit
from bridge_port.syntax.unittext import specification_lines, unit_lines

#: Columns of a statement in a line of fixed form.
FIXED = 60


@dataclass(frozen=True)
class Use:
    """names: as an only list has them, () for all."""

    module: str
    names: tuple[str, ...] = ()
    intrinsic: bool = False

    def __str__(self) -> str:
        only = f", only: {', '.join(self.names)}" if self.names else ""
        return f"use{', intrinsic ::' if self.intrinsic else ''} {self.module}{only}"


@dataclass(frozen=True)
class Include:
    file: str

    def __str__(self) -> str:
        return f"include '{self.file}'"


@dataclass(frozen=True)
class Call:
    """where: what has to hold for it, "" of nothing."""

    name: str
    arguments: tuple[str, ...] = ()
    where: str = ""

    def __str__(self) -> str:
        where = f"if ({self.where}) " if self.where else ""
        return f"{where}call {self.name}({', '.join(self.arguments)})"


@dataclass(frozen=True)
class Interface:
    """Of a procedure of the user's."""

    unit: Unit


@dataclass(frozen=True)
class Specification:
    """The specification part of a unit of the user's."""

    unit: Unit


#: A statement; a text is one as well, without its indentation.
Statement = str | Use | Include | Call | Interface | Specification


def call(name: str, *arguments: object, where: str = "") -> Call:
    return Call(name, tuple(map(str, arguments)), where)


class Asked(ABC):
    """What may be asked of what is written."""

    @abstractmethod
    def statements(self) -> Iterator[Statement]:
        """Of all procedures of it; none of those that are given as lines."""

    def calls(self, *names: str) -> list[Call]:
        """Of these procedures."""
        return [one for one in self.statements() if isinstance(one, Call) and one.name in names]

    def used(self) -> Iterator[Use]:
        """Of modules, also in interfaces."""
        for one in self.statements():
            if isinstance(one, Use):
                yield one
            elif isinstance(one, Interface | Specification):
                for use in one.unit.uses:
                    names = (use.names or {}).items()
                    yield Use(use.module, tuple(f"{own} => {name}" for own, name in names))

    def included(self) -> list[str]:
        """Files, each once."""
        found = (one.file for one in self.statements() if isinstance(one, Include))
        return list(dict.fromkeys(found))


@dataclass
class Procedure(Asked):
    """A subroutine, or a main program. inside: procedures, and lines of those of the user's."""

    name: str
    arguments: Sequence[str] = ()
    specification: Sequence[Statement] = ()
    body: Sequence[Statement] = ()
    about: str = ""
    inside: Sequence[Procedure | Sequence[str]] = ()
    kind: str = "subroutine"
    suffix: str = ""

    def lines(self, indent: int = 0) -> Iterator[str]:
        at = " " * indent
        if self.about:
            yield f"{at}! {self.about}"
        arguments = "" if self.kind == "program" else f"({', '.join(self.arguments)})"
        yield line(f"{self.kind} {self.name}{arguments}{self.suffix}", indent)
        yield from written((*self.specification, *self.body), indent + 2)
        if self.inside:
            yield f"{at}contains"
        for one in self.inside:
            yield from one.lines(indent + 2) if isinstance(one, Procedure) else one
        yield f"{at}end {self.kind} {self.name}"

    def __str__(self) -> str:
        return "\n".join([*self.lines(), ""])

    def statements(self) -> Iterator[Statement]:
        yield from (*self.specification, *self.body)
        for one in self.inside:
            if isinstance(one, Procedure):
                yield from one.statements()


@dataclass
class Module(Asked):
    """name: "" of none; public: lists of names; apart: whether there is an empty line between
    procedures; meant: gives lines as they have to be where names mean something else there."""

    name: str = ""
    procedures: Sequence[Procedure | Sequence[str]] = ()
    about: Sequence[str] = ()
    uses: Sequence[Use] = ()
    public: Sequence[str] = ()
    variables: Sequence[str] = ()
    apart: bool = True
    meant: Callable[[Iterable[str]], list[str]] = field(default=list, compare=False)

    @property
    def base(self) -> str:
        """What its name is made of."""
        return self.name.removesuffix("_bridge")

    @cached_property
    def text(self) -> str:
        return "\n".join([*self.meant(self._lines()), ""]) if self.name else ""

    def _lines(self) -> Iterator[str]:
        yield from self.about
        yield f"module {self.name}"
        yield from (f"  {one}" for one in (*self.uses, "implicit none", "private"))
        yield from (f"  public :: {names}" for names in self.public)
        yield from (f"  {text}" for text in self.variables)
        yield "contains"
        for n, one in enumerate(self.procedures):
            if n and self.apart:
                yield ""
            yield from one.lines(2) if isinstance(one, Procedure) else one
        yield f"end module {self.name}"

    def statements(self) -> Iterator[Statement]:
        yield from self.uses
        for one in self.procedures:
            if isinstance(one, Procedure):
                yield from one.statements()

    def __str__(self) -> str:
        return self.text


def written(statements: Iterable[Statement], indent: int, fixed: bool = False) -> Iterator[str]:
    """Lines of either form."""
    for one in statements:
        if isinstance(one, Interface):
            at = " " * indent
            yield from (f"{at}interface", *unit_lines(one.unit, indent + 2), f"{at}end interface")
        elif isinstance(one, Specification):
            yield from specification_lines(one.unit, indent)
        elif fixed:
            text = str(one)
            yield "      " + text[:FIXED]
            yield from ("     &" + text[n : n + FIXED] for n in range(FIXED, len(text), FIXED))
        else:
            yield from line(str(one), indent).splitlines()
