"""Variables of modules and COMMON that each point has for itself, as arguments of the kernel."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from bridge_port.program.keeping import ALL
from bridge_port.program.storage import Form, form
from bridge_port.program.symbols import COMMON, MODULE, SAVED, Symbol, Units
from bridge_port.program.unknownnames import mentioned_names
from bridge_port.refusal import Place, Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.units import Unit, every
from bridge_port.translate.assigned import (
    Assigned,
    Effects,
    Variable,
    same,
    variable,
)
from bridge_port.translate.reach import names_in_shapes

#: What a variable is to a kernel: an argument; or scratch memory of a call.
IN, OUT, INOUT, SCRATCH = "in", "out", "inout", "private"
#: The option that says so.
OPTIONS = {IN: "--as-input", OUT: "--as-output", INOUT: "--as-inout", SCRATCH: "--private"}
#: Elements of an array that is an argument.
MOST = 256
OTHERS = "points would see the values of others"


@dataclass
class Outside:
    """Of one kernel. said: by the user, by name; ALL among them: what is not said is found, and
    the kernel has to be written again with it. reached: the procedures that are in the kernel;
    arguments: whether these may be arguments, which a nest has not."""

    program: Units
    entry: Unit
    reached: Callable[[], Iterable[Unit]]
    said: Mapping[str, str] = field(default_factory=dict)
    arguments: bool = True
    found: dict[Variable, str] = field(default_factory=dict)
    named: dict[str, Symbol] = field(default_factory=dict)
    written: set[Variable] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.assigned = Assigned(self.program)
        self._units: list[Unit] | None = None

    @property
    def units(self) -> list[Unit]:
        if self._units is None:
            self._units = list(self.reached())
        return self._units

    @property
    def some(self) -> bool:
        return bool(self.found) or any(name != ALL for name in self.said)

    # ---- what a variable is

    def role(self, symbol: Symbol) -> str:
        """ "" of what all points share."""
        own = variable(symbol)
        if own is None or symbol.storage not in (MODULE, COMMON, SAVED):
            return ""
        role = self.found.get(own, "")
        if not role and symbol.storage != SAVED:
            role = self.said.get(symbol.name, "")
            other = self.named.setdefault(symbol.name, symbol) if role else symbol
            if variable(other) != own:
                raise Refused(
                    symbol.place, f"variable {symbol.name}",
                    f"{owner(other)} and {owner(symbol)} have one of this name, and only one can "
                    f"be said with {OPTIONS[role]}", "rename one of them",
                )  # fmt: skip
            if role:
                self.check(symbol, role)
        elif role:
            self.named.setdefault(symbol.name, symbol)
        return role

    def check(self, symbol: Symbol, role: str) -> None:
        """What is said has to be so."""
        what = f"{OPTIONS[role][2:]} {symbol.name}"
        if why := self.unfit(symbol):
            raise Refused(symbol.place, what, why, f"make {symbol.name} an argument")
        if role == OUT and (why := self.open(symbol)):
            raise Refused(symbol.place, what, why, f"say --as-inout {symbol.name}")

    def gives(self, symbol: Symbol, place: Place) -> None:
        """A statement gives it a value: it is known what that means, or Refused."""
        own = variable(symbol)
        assert own is not None
        self.written.add(own)
        role = self.role(symbol)
        if role == IN:
            raise Refused(
                place, f"an assignment to {symbol.name}", "it is said to be an input",
                f"say --as-inout {symbol.name}",
            )  # fmt: skip
        if role:
            return
        what, why = f"an assignment to {symbol.name}", f"it belongs to {owner(symbol)}; {OTHERS}"
        scratch = self.scratch(symbol)
        if scratch:
            why, change = f"{why}, {scratch}", f"say --private {symbol.name}"
        elif symbol.storage == SAVED or not self.arguments:
            change = f"make it an argument, or if it is a cache, say --private {symbol.name}"
        elif unfit := self.unfit(symbol):
            why, change = f"{why}; {unfit}", "make it an argument"
        elif open_ := self.open(symbol):
            change = (
                f"say --as-inout {symbol.name}, which makes it an argument that goes in and comes "
                f"back ({open_}), or if it is a cache, --private {symbol.name}"
            )
        else:
            change = (
                f"say --as-output {symbol.name}, which makes it a result; if nobody reads it, "
                f"--private {symbol.name}"
            )
        if ALL not in self.said or not (scratch or self.fit(symbol)):
            raise Refused(place, what, why, change)
        self.found[own] = SCRATCH if scratch else INOUT if self.open(symbol) else OUT

    def saved(self, symbol: Symbol, place: Place) -> None:
        """A saved variable that changes is named."""
        what = "array" if symbol.dimensions is not None else "variable"
        why = "a point would see the value of another point"
        change = f"if it is a cache, say --private {symbol.name}"
        scratch = self.scratch(symbol)
        if scratch:
            why, change = f"{why}, {scratch}", f"say --private {symbol.name}"
        if not scratch or ALL not in self.said:
            raise Refused(place, f"saved {what} {symbol.name}", why, change)
        own = variable(symbol)
        assert own is not None
        self.found[own] = SCRATCH

    def fit(self, symbol: Symbol) -> bool:
        return self.arguments and symbol.storage != SAVED and not self.unfit(symbol)

    def unfit(self, symbol: Symbol) -> str:
        """Why it can be no argument of a kernel."""
        if symbol.type not in ("real", "integer", "logical") or (
            symbol.type == "integer" and symbol.kind == 8
        ):
            return (
                f"{symbol.name} is {symbol.type}({symbol.kind}), which is no argument of a kernel"
            )
        if symbol.type == "real" and symbol.kind not in (4, 8):
            return f"{symbol.name} is real({symbol.kind}), and kernels compute in real(8)"
        if symbol.attributes & {"allocatable", "pointer", "volatile"}:
            kinds = ", ".join(sorted(symbol.attributes & {"allocatable", "pointer", "volatile"}))
            return f"{symbol.name} is {kinds}: its memory is known at run time alone"
        extents = symbol.scope.extents(symbol)
        known = [extent for extent in extents if extent is not None]
        if len(known) < len(extents):
            return f"the shape of {symbol.name} is not fixed"
        if (count := math.prod(known)) > MOST:
            return f"{symbol.name} has {count} elements, and {MOST} are the most of one point"
        return self.shared(symbol)

    def shared(self, symbol: Symbol) -> str:
        """Whether it has memory under another name, as a text."""
        base = symbol.name.partition("%")[0]
        units = self.units
        if symbol.storage == MODULE:
            module = self.program.modules.get(symbol.owner)
            units = [module] if module is not None else []
        for unit in units:
            for pair, place in unit.equivalences:
                if any(isinstance(p, Name) and p.id == base for e in pair for p in e.walk()):
                    return f"it shares memory by equivalence ({place})"
        if symbol.storage != COMMON:
            return ""
        layouts: dict[Form, Unit] = {}
        for unit in self.units:
            if layout := form(self.program, unit, symbol.owner):
                layouts.setdefault(layout, unit)
        if len(layouts) > 1:
            names = " and ".join(unit.name for unit in layouts.values())
            return f"common /{symbol.owner}/ is not the same in {names}"
        return ""

    # ---- what a call does to it

    def effects(self) -> Effects:
        return self.assigned.of(self.entry)

    def open(self, symbol: Symbol) -> str:
        """Why its value from before the call counts, "" where it does not."""
        own = variable(symbol)
        assert own is not None
        effects = self.effects()
        for one, place in effects.reads.items():
            if same(own, one):
                return f"{self.entry.name} may read it before it gives it a value ({place})"
        if own not in effects.always:
            return f"{self.entry.name} may leave it as it is"
        return ""

    def scratch(self, symbol: Symbol) -> str:
        """Why nobody but the call itself can see its value, "" where somebody may."""
        own = variable(symbol)
        assert own is not None
        if any(same(own, one) for one in self.effects().reads):
            return ""
        if symbol.type not in ("real", "integer", "logical") or "%" in symbol.name:
            return ""
        if symbol.attributes & {"allocatable", "pointer", "target", "volatile"}:
            return ""
        if symbol.storage == COMMON or self.shared(symbol):
            return ""
        if symbol.storage == MODULE and symbol.scope.exports(symbol.name):
            return ""
        if any(True for _ in names_elsewhere(self.program, symbol, self.units)):
            return ""
        self.program.searched = True
        return "though each call gives it a value before it reads it, and nothing else names it"

    def mentioned(self, callee: Unit) -> list[Variable]:
        """Those that a procedure reads or writes."""
        some = self.variables()
        return [one for one in some if self.assigned.of(callee).mentions(one)]

    def changed(self, callee: Unit) -> list[Variable]:
        some = self.variables()
        writes = self.assigned.of(callee).writes if some else {}
        return [one for one in some if any(same(one, other) for other in writes)]

    def variables(self) -> list[Variable]:
        effects = self.assigned.of(self.entry)
        said = [one for one in (*effects.reads, *effects.writes)
                if one[0] in (MODULE, COMMON)
                and any(same(one, (*one[:2], name)) for name in self.said)]  # fmt: skip
        return list(dict.fromkeys([*self.found, *said]))

    # ---- for the user

    def options(self) -> dict[str, str]:
        """What a user has to say of those that were found, by name."""
        return {name: OPTIONS[role] for (_, _, name), role in self.found.items()}

    def unread(self, used: Iterable[Variable]) -> None:
        """What is said has to be of a variable that is in the kernel."""
        known = {one[2] for one in used}
        for name, role in self.said.items() if self.arguments else ():
            what = f"{OPTIONS[role][2:] if role else ''} {name}"
            if name != ALL and name not in known:
                raise Refused(
                    self.entry.place, what,
                    f"{self.entry.name} names no such variable of a module or COMMON",
                )  # fmt: skip
            if name != ALL and role != IN and variable(self.named[name]) not in self.written:
                raise Refused(
                    self.entry.place, what, f"{self.entry.name} gives it no value",
                    f"say --as-input {name}",
                )  # fmt: skip


def owner(symbol: Symbol) -> str:
    what = {MODULE: f"module {symbol.owner}", COMMON: f"common /{symbol.owner}/"}
    return what.get(symbol.storage, "the procedure and is saved")


def names_elsewhere(program: Units, symbol: Symbol, reached: Iterable[Unit]) -> Iterator[Place]:
    """Where units that are not reached name a variable. A survey has no list of all units: those
    around the variable are looked at first."""
    inside = [unit for unit in reached if unit.parent is None or unit.parent.place != unit.place]
    seen = {(unit.place.file, unit.place.line) for unit in inside}
    for unit in (*every([symbol.scope.unit]), *every(program.units)):
        if (unit.place.file, unit.place.line) in seen:
            continue
        scope = program.scope(unit)
        for name in sorted(_mentioned(unit)):
            found = scope.find(name)
            if found is not None and variable(found) == variable(
                symbol, symbol.name.partition("%")[0]
            ):
                yield unit.place


def _mentioned(unit: Unit) -> set[str]:
    """Also in what is not read, and in shapes."""
    texts = [one.text for one in unit.unread]
    for one in s.walk(unit.body):
        texts += [one.text, *one.inside] if isinstance(one, s.Unread) else []
    found = mentioned_names(unit) | names_in_shapes(unit)
    return found | set(re.findall(r"[a-z]\w*", " ".join(texts).lower()))
