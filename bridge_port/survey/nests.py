"""The nests of a procedure: its loops and array statements, and calls of procedures with loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from bridge_port.analysis.region import last_line
from bridge_port.analysis.setting import Setting
from bridge_port.choices import Choices
from bridge_port.nest import callednest, outline
from bridge_port.nest.callednest import CalledNest, nest_of, procedure_of
from bridge_port.nest.pointloops import is_small
from bridge_port.options import asked_for
from bridge_port.output.module import nest_module
from bridge_port.program.keeping import ALL
from bridge_port.program.program import Program, path
from bridge_port.refusal import Place, Refusal, Refused
from bridge_port.survey import words
from bridge_port.survey.found import Attempt, Made, Nest, Work, together
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Expression, Keyword, Name
from bridge_port.syntax.units import Unit
from bridge_port.translate.translate import translate

#: How many values of integers one nest may ask for.
MOST = 6


class Nests:
    """Of one program. work: of kernels; the rest as of `Looking`."""

    def __init__(
        self, program: Program, fixed: Mapping[str, int], private: frozenset[str], levels: int,
        attempt: Attempt, work: Callable[..., Work],
    ) -> None:  # fmt: skip
        self.program, self.fixed, self.private, self.levels = program, fixed, private, levels
        self.attempt, self.work = attempt, work
        self.presence: words.Presence = {}
        self._done: dict[tuple[int, str, int, int], Nest | Refusal] = {}
        self._nests: dict[int, frozenset[int]] = {}
        self._bodies: dict[int, list[Nest]] = {}
        self._wholes: dict[int, Made | Refusal] = {}
        self._under_way: set[int] = set()

    def has_loops(self, unit: Unit) -> bool:
        """Of its own."""
        setting = self._setting(unit)
        return any(callednest.is_nest(setting, one) for one in s.walk(unit.body))

    def of(self, unit: Unit) -> list[Nest]:
        """The outermost loops, and array statements outside of them; of one that is refused those
        inside, if one of them is not."""
        return self._in(unit.body, unit, False)

    def with_calls(self, unit: Unit) -> list[Nest]:
        """The same, and calls of procedures with loops as well."""
        return self._in(unit.body, unit, True)

    def _in(self, body: Sequence[s.Statement], unit: Unit, calls: bool) -> list[Nest]:
        found: list[Nest] = []
        done_line: tuple[str, int] | None = None
        for one in body:
            if isinstance(one, s.Call):
                nest = self._call(one, unit) if calls else None
                found += [nest] if nest is not None else []
            elif self._is_nest(one, unit):
                # The assignments of a forall are loops of one line: they are chosen together.
                here = one.place.file, one.place.line
                if here == done_line:
                    continue
                done_line = here
                same = [x for x in body if (x.place.file, x.place.line) == here]
                found += self._loop(one, same, unit, calls)
            else:
                for inner in one.bodies():
                    found += self._in(inner, unit, calls)
        return found

    def _loop(
        self, one: s.Statement, same: Sequence[s.Statement], unit: Unit, calls: bool
    ) -> list[Nest]:
        lines = one.place.line, max(last_line(x) for x in same)
        done = self._lines(unit, lines, one.place)
        if isinstance(done, Nest):
            return [done]
        if done.construct == "nest" and is_small(self._setting(unit), one):
            return []
        inside = self._in(one.body, unit, calls) if isinstance(one, s.Do) else []
        if isinstance(one, s.Do) and self._works(one, unit):
            inside = [nest for nest in inside if not nest.call]
        if any(nest.work is not None for nest in inside):
            return inside
        return [Nest(lines, refusal=done)]

    def _is_nest(self, one: s.Statement, unit: Unit) -> bool:
        """Asked for once of all statements of a unit, which stays as it is."""
        if id(unit) not in self._nests:
            setting = self._setting(unit)
            nests = [id(x) for x in s.walk(unit.body) if callednest.is_nest(setting, x)]
            self._nests[id(unit)] = frozenset(nests)
        return id(one) in self._nests[id(unit)]

    def _lines(self, unit: Unit, lines: tuple[int, int], place: Place) -> Nest | Refusal:
        """Once: with calls as nests and without them, from the unit and from its callers, the same
        lines are asked for. A limit of time is another one each time."""
        key = id(unit), place.file, *lines
        found = self._done.get(key)
        if found is not None:
            return replace(found) if isinstance(found, Nest) else found
        done = self.outlined(unit, *lines, place)
        if isinstance(done, Refusal):
            if done.construct != "time":
                self._done[key] = done
            return done
        made = _nest(lines, done, place.file)
        self._done[key] = made
        return replace(made)

    def _setting(self, unit: Unit) -> Setting:
        return Setting(self.program, unit, self.program.scope(unit), self.fixed)

    # ---- calls --------------------------------------------------------------------------------

    def _call(self, call: s.Call, unit: Unit) -> Nest | None:
        """None of one without loops. Of what is no nest as a whole, the nests in it."""
        try:
            called = nest_of(self.program, unit, call)
        except Refused as refused:
            return Nest((call.place.line, call.place.line), refusal=refused.refusal)
        if called is None:
            return None
        name = path(called.unit)
        done = self._whole(called)
        if not isinstance(done, Refusal):
            return _nest(called.lines, done, call.place.file, name)
        nests = self._body(called.unit)
        good = [nest.work for nest in nests if nest.work is not None]
        if not good or len(good) < len(nests):
            first = next((nest.refusal for nest in nests if nest.refusal), done)
            return Nest(called.lines, refusal=first, call=name)
        return Nest(
            called.lines, together(good), sum(nest.kernels for nest in nests),
            fixed={n: v for nest in nests for n, v in nest.fixed.items()},
            outside={n: o for nest in nests for n, o in nest.outside.items()}, call=name,
            inside=True, optional=list(dict.fromkeys(n for nest in nests for n in nest.optional)),
        )  # fmt: skip

    def whole(self, unit: Unit) -> Made | Refusal:
        """A procedure whose whole body is one nest."""
        done = self._wholes.get(id(unit))
        if done is None:
            done = self.outlined(unit, 0, 0, unit.place)
            if not isinstance(done, Refusal) or done.construct != "time":
                self._wholes[id(unit)] = done
        return done

    def _whole(self, called: CalledNest) -> Made | Refusal:
        """The procedure is translated once for all calls of it; each call has its own module."""
        unit = called.unit
        done = self.whole(unit)
        if isinstance(done, Refusal):
            return done

        def module() -> Made:
            nest_module(unit.name, unit, self.program, done.kernels, called)
            return done

        return self.attempt(called.call.place, module)

    def _body(self, unit: Unit) -> list[Nest]:
        """Of a procedure that is called, once for all calls of it."""
        if id(unit) in self._under_way:
            return []
        if id(unit) not in self._bodies:
            self._under_way.add(id(unit))
            found = self.with_calls(unit)
            self._under_way.discard(id(unit))
            if any(n.refusal is not None and n.refusal.construct == "time" for n in found):
                return found
            self._bodies[id(unit)] = found
        return self._bodies[id(unit)]

    def _works(self, loop: s.Do, unit: Unit) -> bool:
        """Whether a loop does something for its own elements beside the nests in it: an element of
        an array of numbers gets a value, or goes to a procedure without loops."""
        setting = self._setting(unit)
        for one in self._beside(loop.body, unit):
            given: Sequence[Expression] = ()
            if isinstance(one, s.Assignment):
                given = [one.target]
            elif isinstance(one, s.Call):
                callee = procedure_of(self.program, unit, one)
                if callee is None or not callednest.has_loops(self.program, callee):
                    given = one.arguments
            if any(self._is_element(e, loop.variable, setting) for e in given):
                return True
        return False

    def _beside(self, body: Sequence[s.Statement], unit: Unit) -> list[s.Statement]:
        """Statements outside of the nests in it."""
        found = []
        for one in body:
            if not self._is_nest(one, unit):
                found.append(one)
                found += [x for inner in one.bodies() for x in self._beside(inner, unit)]
        return found

    def _is_element(self, e: Expression, variable: str, setting: Setting) -> bool:
        if isinstance(e, Keyword):
            return self._is_element(e.value, variable, setting)
        return setting.is_element(e) and any(
            x == Name(variable) for a in e.arguments for x in a.walk()
        )

    # ---- kernels ------------------------------------------------------------------------------

    def outlined(self, unit: Unit, first: int, last: int, place: Place) -> Made | Refusal:
        """With its optional arguments and without them, where it asks for them."""
        done = self._with_values(unit, first, last, place)
        if isinstance(done, Made) or not asked_for(done.change, "present"):
            return done

        def attempt(said: words.Presence) -> Made | Refusal:
            self.presence = said
            found = self._with_values(unit, first, last, place)
            self.presence = {}
            return found

        return words.both(self.program, unit, (first, last), done, attempt)

    def _with_values(self, unit: Unit, first: int, last: int, place: Place) -> Made | Refusal:
        """Also with a value for what a refusal asks one of; the first refusal where that does not
        help."""
        given: dict[str, int] = {}
        why: Refusal | None = None
        while True:
            done = self._with(unit, first, last, place, {**self.fixed, **given})
            if not isinstance(done, Refusal):
                return replace(done, fixed=given)
            why = why or done
            asked = words.integer(done)
            if not asked or asked in {**self.fixed, **given} or len(given) == MOST:
                return why
            given[asked] = self.levels

    def _with(
        self, unit: Unit, first: int, last: int, place: Place, fixed: dict[str, int]
    ) -> Made | Refusal:
        def attempt() -> Made:
            said = Choices(
                private=self.private, fixed=fixed, initial=(ALL,), outside={ALL: ""},
                presence=self.presence,
            )  # fmt: skip
            name = unit.name or "nest"
            procedures = outline(self.program, unit, first, last, name=name, said=said)
            kernels = [translate(self.program, one, said) for one in procedures]
            nest_module(name, unit, self.program, kernels)
            work = self.work(kernels, max(len(p.loops) for p in procedures), fixed)
            return Made(kernels, work)

        return self.attempt(place, attempt)


def _nest(lines: tuple[int, int], made: Made, file: str, call: str = "") -> Nest:
    return Nest(lines, made.work, len(made.kernels), None, made.fixed, made.outside, call,
                optional=made.optional, file=file)  # fmt: skip
