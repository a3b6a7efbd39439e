"""Which lines of the flow solver exist because of the bridge, and since which stage.

The rules are those that surgery.md states. They look at statements: a statement is of a stage if
nothing of it is needed where `Offload` is `none`, or if it names what is of a stage."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

FLOW = Path(__file__).resolve().parents[2] / "fortran_stub" / "flow"
STAGES = ("properties", "fluxes", "step")
NONE = 0
_FIRST = {"none": 1, **{name: n + 1 for n, name in enumerate(STAGES)}}

_WORD = re.compile(r"[a-z]\w*")
_TEXT = re.compile(r"'[^']*'|\"[^\"]*\"")
_PROCEDURE = re.compile(
    r"(?:(?:pure|elemental|recursive|logical|integer|real\(dp\))\s+)*(?:subroutine|function)\s+(\w+)"
)
_UNIT_END = re.compile(r"end (?:subroutine|function)\b")
_BLOCK_IF = re.compile(r"if \(.*\) then$")
_DECLARED = re.compile(r"(?:type|real|integer|logical|character)\b.*?::(.*)")
_CALL = re.compile(r"\bcall\s+frame_\w+")


@dataclass
class Statement:
    """text: lower case, texts emptied. stages: in texts of it. lines: of the file."""

    text: str
    stages: list[str]
    lines: int
    stage: int = NONE

    @property
    def words(self) -> set[str]:
        return set(_WORD.findall(self.text))

    @property
    def executes(self) -> bool:
        if "::" in self.text or _PROCEDURE.match(self.text):
            return False
        return re.match(r"(use|implicit|namelist|contains|end)\b", self.text) is None


@dataclass
class Procedure:
    name: str
    file: str
    statements: list[Statement] = field(default_factory=list)


@dataclass
class Source:
    """A file: what lies outside of its procedures, and these."""

    name: str
    outside: list[Statement] = field(default_factory=list)
    procedures: list[Procedure] = field(default_factory=list)
    marks: int = 0

    @property
    def statements(self) -> list[Statement]:
        return [*self.outside, *(one for p in self.procedures for one in p.statements)]

    @property
    def lines(self) -> int:
        return sum(one.lines for one in self.statements)

    def of(self, stage: int) -> int:
        """Lines that a stage brings."""
        return sum(one.lines for one in self.statements if one.stage == stage)

    def calls(self, stage: int | None = None) -> int:
        """Calls of the bridge, of all stages or one."""
        return sum(
            len(_CALL.findall(one.text))
            for one in self.statements
            if stage is None or one.stage == stage
        )


def _statements(text: str) -> list[Statement]:
    """Without blank lines and comments."""
    found: list[Statement] = []
    parts: list[str] = []
    for line in text.splitlines():
        bare = _without_comment(line).strip()
        if not bare:
            continue
        parts.append(bare)
        if bare.endswith("&"):
            continue
        whole = " ".join(part.strip("& ") for part in parts)
        texts = [one[1:-1].strip() for one in _TEXT.findall(whole)]
        stages = [one for one in texts if one in _FIRST]
        found.append(Statement(_TEXT.sub("''", whole).lower(), stages, len(parts)))
        parts = []
    return found


def _without_comment(line: str) -> str:
    quote = ""
    for n, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "!":
            return line[:n]
    return line


def read(folder: Path = FLOW) -> list[Source]:
    """The sources of the solver, in the order of their names, with the stage of each statement."""
    sources = []
    for file in sorted(folder.glob("*.f90")):
        text = file.read_text(encoding="utf-8")
        source = Source(file.name, marks=len(re.findall(r"^ *!\$bridge ", text, re.M)))
        stack: list[Procedure] = []
        for one in _statements(text):
            if found := _PROCEDURE.match(one.text):
                stack.append(Procedure(found[1], file.name))
                source.procedures.append(stack[-1])
            (stack[-1].statements if stack else source.outside).append(one)
            if _UNIT_END.match(one.text):
                stack.pop()
        sources.append(source)
    _mark(sources)
    return sources


def _mark(sources: list[Source]) -> None:
    inputs = dict.fromkeys(_inputs(sources), 1)
    staged: dict[str, dict[str, int]] = {}
    while True:
        for source in sources:
            names = {**inputs, **staged.get(source.name, {})}
            for listed in (source.outside, *(p.statements for p in source.procedures)):
                _of_names(listed, names)
                _of_branches(listed)
            for procedure in source.procedures:
                _spread(procedure)
        called = _called(sources)
        modules = _modules(sources)
        new = {
            source.name: {
                **modules,
                **{
                    name: called[id(procedure)]
                    for name, procedure in _seen(source, sources).items()
                    if id(procedure) in called
                },
            }
            for source in sources
        }
        if new == staged:
            break
        staged = new
    for source in sources:
        _outside(source)
    _declarations(sources)


def _seen(source: Source, sources: list[Source]) -> dict[str, Procedure]:
    """Procedures by the names that a source has for them: its own, and the public ones."""
    public = {
        procedure.name: procedure
        for other in sources
        for procedure in other.procedures
        if any(
            one.text.startswith("public") and procedure.name in one.words for one in other.outside
        )
    }
    return public | {procedure.name: procedure for procedure in source.procedures}


def _inputs(sources: list[Source]) -> list[str]:
    """Variables of the namelist /BridgeInputs/, all of which the bridge brought."""
    for source in sources:
        for one in source.statements:
            if one.text.startswith("namelist /bridgeinputs/"):
                return _WORD.findall(one.text.partition("inputs/")[2])
    raise ValueError("no source has the namelist /BridgeInputs/")


def _raise(statements: list[Statement], stage: int) -> None:
    for one in statements:
        one.stage = max(one.stage, stage)


def _of_names(statements: list[Statement], staged: dict[str, int]) -> None:
    for one in statements:
        stages = [staged[word] for word in one.words if word in staged]
        if not stages:
            continue
        if "offload" in one.words and one.stages and one.executes:
            stages = [_FIRST[name] for name in one.stages]
        one.stage = max(one.stage, min(stages))


def _of_branches(statements: list[Statement]) -> None:
    """Of an `if` that asks for a stage: the branch that `none` does not take, and what makes two
    branches of one."""
    opened: list[list[int]] = []
    for n, one in enumerate(statements):
        if _BLOCK_IF.match(one.text):
            opened.append([n])
        elif opened and re.match(r"else\b", one.text):
            opened[-1].append(n)
        elif opened and one.text.startswith("end if"):
            _branches(statements, [*opened.pop(), n])


def _branches(statements: list[Statement], marks: list[int]) -> None:
    first = statements[marks[0]]
    if not first.stage:
        return
    none_first = "none" in first.stages and "==" in first.text
    for begin, end in zip(marks, marks[1:], strict=False):
        is_first = begin == marks[0]
        if is_first is none_first:
            continue
        if is_first or statements[begin].text == "else" and none_first:
            _raise(statements[begin + 1 : end], first.stage)
    if all(statements[m].text == "else" for m in marks[1:-1]):
        _raise([statements[m] for m in marks[1:]], first.stage)


def _spread(procedure: Procedure) -> None:
    """All of a procedure that does nothing where `Offload` is `none`."""
    executed = [one for one in procedure.statements if one.executes]
    if not executed or not executed[0].stage:
        return
    if executed[0].text.endswith("return"):
        _raise(procedure.statements, executed[0].stage)
    elif all(one.stage for one in executed):
        _raise(procedure.statements, min(one.stage for one in executed))


def _called(sources: list[Source]) -> dict[int, int]:
    """Procedures (by id) that lines of stages alone call -> the first of these stages, which all
    of their lines get."""
    users: dict[int, list[int]] = {}
    for source in sources:
        seen = _seen(source, sources)
        for where in (None, *source.procedures):
            for one in where.statements if where else source.outside:
                if not one.executes:
                    continue
                for word in one.words & seen.keys():
                    if seen[word] is not where:
                        users.setdefault(id(seen[word]), []).append(one.stage)
    found = {}
    for source in sources:
        for procedure in source.procedures:
            stages = users.get(id(procedure), [NONE])
            if min(stages):
                _raise(procedure.statements, min(stages))
            if lowest := min(one.stage for one in procedure.statements):
                found[id(procedure)] = lowest
    return found


def _modules(sources: list[Source]) -> dict[str, int]:
    """Modules of which `none` needs no procedure -> their first stage."""
    found = {}
    for source in sources:
        stages = [one.stage for p in source.procedures for one in p.statements]
        if stages and all(stages) and source.outside[0].text.startswith("module "):
            found[source.outside[0].text.split()[1]] = min(stages)
    return found


def _outside(source: Source) -> None:
    """What lies outside of procedures that are all of stages; and a line that takes Offload from
    its module is of the first stage that needs it there."""
    stages = [one.stage for p in source.procedures for one in p.statements]
    if stages and all(stages):
        _raise(source.outside, min(stages))
    elif any(stages):
        first = min(stage for stage in stages if stage)
        _raise([one for one in source.outside if one.stage and one.text.startswith("use ")], first)


def _declarations(sources: list[Source]) -> None:
    """Of a variable that lines of stages alone use."""
    scopes = [[p.statements] * 2 for source in sources for p in source.procedures]
    whole = [one for source in sources for one in source.statements]
    scopes += [[source.outside, whole] for source in sources]
    for declaring, using in scopes:
        for one in declaring:
            declared = _DECLARED.match(one.text)
            if one.stage or not declared or "intent" in one.text or "private" in one.text:
                continue
            names = _WORD.findall(re.sub(r"\([^()]*\)|=[^,]*", "", declared[1]))
            for name in names:
                stages = [
                    other.stage for other in using if other is not one and name in other.words
                ]
                if stages and all(stages):
                    one.stage = min(stages)
