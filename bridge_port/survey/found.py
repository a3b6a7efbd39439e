"""What a survey found of a procedure."""

from __future__ import annotations

from dataclasses import dataclass, field

from bridge_port.refusal import Refusal
from bridge_port.survey.sizes import Extent
from bridge_port.survey.work import Work

POINT, COLUMN, LOOPS, NESTS, PART, NONE, NOTHING = (
    "point", "column", "loops", "nests", "part", "no", "nothing"
)  # fmt: skip


@dataclass
class Nest:
    """A loop nest. lines: first and last; work: None where it is refused; fixed: integers that
    have one value in it; outside, optional: as of a procedure; call: of a nest that is a call,
    what is called; inside: whether the nests are those in that procedure, which is none as a
    whole; file: that its lines are of."""

    lines: tuple[int, int]
    work: Work | None = None
    kernels: int = 0
    refusal: Refusal | None = None
    fixed: dict[str, int] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)
    call: str = ""
    inside: bool = False
    optional: list[str] = field(default_factory=list)
    file: str = ""


@dataclass
class Found:
    """A procedure. file, line: of its statement; source: the file of the tree, which may include
    that one. how: point (a procedure of one point as it stands), column (of one point where
    the integers of fixed have one value), loops (its whole body is loops over points), nests (each
    of its nests is one), part (some are), no, or nothing (it does nothing, and is neither
    translated nor refused); io: whether it reads or writes files; refusal:
    first reason against it; also: the reason against the other way; column: against a column,
    where sizes were taken; initial: variables of modules that a user has to say keep their
    initial values; outside: options that he has to say of
    others, by their names; types: of its objects that he has to say; texts: of an argument, each
    of which is a kernel of its own; numbers: texts that come back as numbers; said: further
    options, of output and of ends of the run; procedures: for
    arguments and components that are procedures, of the sources; stand_in: of what is refused,
    whether it would translate with a procedure that the sources do not have; optional: arguments
    that it was looked at with and without, each choice a kernel of its own; body: first and last
    line of a body that is one nest; given: integers of it whose values the user says."""

    name: str
    path: str
    file: str
    line: int
    last: int
    kind: str
    io: bool
    how: str = NONE
    fixed: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, list[Extent]] = field(default_factory=dict)
    work: Work | None = None
    kernels: int = 0
    refusal: Refusal | None = None
    also: Refusal | None = None
    column: Refusal | None = None
    nests: list[Nest] = field(default_factory=list)
    initial: list[str] = field(default_factory=list)
    outside: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    numbers: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    procedures: dict[str, str] = field(default_factory=dict)
    stand_in: bool = False
    optional: list[str] = field(default_factory=list)
    source: str = ""
    body: tuple[int, int] = (0, 0)
    given: dict[str, int] = field(default_factory=dict)

    def reasons(self) -> list[Refusal]:
        """All that stands against it or a nest of it."""
        every = (self.refusal, self.also, self.column, *(nest.refusal for nest in self.nests))
        return list(dict.fromkeys(one for one in every if one is not None))

    @property
    def translates(self) -> bool:
        return self.how not in (NONE, PART, NOTHING)
