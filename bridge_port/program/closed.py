"""Procedures with plain calls alone.

A call through a generic name or an operator of the program becomes one of the specific procedure.
A procedure that gets another one as an argument becomes a copy for that one. A procedure inside
another one gets the variables of that as arguments. A function of a derived type becomes a
subroutine, called before the statement. So nobody below has to know of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from bridge_port.program import captured, interfaces, signatures
from bridge_port.program.captured import copied
from bridge_port.program.symbols import Derived, Scope, Units
from bridge_port.program.unknownnames import mentioned_names
from bridge_port.refusal import Place, Refused
from bridge_port.semantic import intrinsics
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Component,
    Expression,
    Keyword,
    Name,
    Number,
    Unary,
)
from bridge_port.syntax.rewriting import rebuilt, with_parts
from bridge_port.syntax.units import Declaration, TypeName, Unit


def closed(program: Units, unit: Unit) -> Unit:
    """The unit itself where nothing has to change."""
    held = captured.captured(program, unit) if unit.units else {}
    if not held and not wanted(program.scope(unit), unit):
        return unit
    made = captured.with_arguments(unit, held) if held else captured.copied(unit)
    made.body = Closing(program, made).block(unit.body)
    return made


def wanted(scope: Scope, unit: Unit) -> bool:
    """Whether a statement may have such a call."""
    called: set[str] = set()
    given: set[str] = set()
    operators: set[str] = set()
    for e in _expressions(unit.body):
        if isinstance(e, Apply):
            called |= {e.reference} - {""}
            given |= _plain(e.arguments)
        elif isinstance(e, Binary | Unary):
            operators.add(e.operator)
    for one in s.walk(unit.body):
        if isinstance(one, s.Call):
            called |= {one.procedure.id} if isinstance(one.procedure, Name) else set()
            given |= _plain(one.arguments)
    return (
        any(_resolved(scope, name) for name in called)
        or any(scope.find(n) is None and scope.as_written(n) is not None for n in given)
        or any(_defined(scope, unit, f"operator({one})") for one in operators)
        or _defined(scope, unit, "assignment(=)")
    )


def _expressions(body: Sequence[s.Statement]) -> Iterator[Expression]:
    for statement in s.walk(body):
        for e in statement.expressions():
            yield from e.walk()


def _plain(arguments: Iterable[Expression]) -> set[str]:
    values = (a.value if isinstance(a, Keyword) else a for a in arguments)
    return {a.id for a in values if isinstance(a, Name)}


def _resolved(scope: Scope, name: str) -> bool:
    symbol = scope.find(name)
    if symbol is not None and "external" not in symbol.attributes:
        return False
    if scope.specifics(name):
        return True
    unit = scope.as_written(name)
    if unit is None:
        return scope.derived_if_given(name) is not None
    if unit.captured or name in scope.unit.captures:
        return True
    result = unit.result or unit.name
    types = [unit.result_type, *(d.type for d in unit.declarations if d.name == result)]
    return any(one is not None and one.base in ("type", "class") for one in types)


def _defined(scope: Scope, unit: Unit, name: str) -> bool:
    """Whether an interface or a type that the unit names gives it a meaning."""
    if scope.specifics(name):
        return True
    for one in unit.declarations:
        if one.type is not None and one.type.base in ("type", "class") and one.type.name != "*":
            derived = scope.derived_if_given(one.type.name)
            if derived is not None and derived.specifics(name):
                return True
    return False


class Closing:
    """Of a copy, whose statements are made anew."""

    def __init__(self, program: Units, unit: Unit) -> None:
        self.calls = Calls(program, unit)

    def block(self, body: Sequence[s.Statement]) -> list[s.Statement]:
        return [made for one in body for made in self.statement(one)]

    def statement(self, one: s.Statement) -> list[s.Statement]:
        """With what has to be called before it."""
        before: list[s.Statement] | None = []
        if isinstance(one, s.Where | s.SelectType) or (isinstance(one, s.Do) and one.condition):
            before = None  # worked out for each element, or anew in each turn
        made = self._made(one, before)
        if before and made.label:
            before.insert(0, s.Continue(made.place, made.label, made.comments))
            made.label, made.comments = "", ()
        elif before:
            before[0].comments, made.comments = made.comments, ()
        return [*(before or ()), made]

    def _made(self, one: s.Statement, before: list[s.Statement] | None) -> s.Statement:
        def change(e: Expression) -> Expression:
            return self.calls.expression(e, before, one.place)

        if isinstance(one, s.If) and not isinstance(one, s.Where):
            return self._if(one, before)
        if isinstance(one, s.Do):
            return s.Do(
                one.place, one.label, one.comments, body=self.block(one.body), name=one.name,
                variable=one.variable, concurrent=one.concurrent, end_label=one.end_label,
                first=_optional(one.first, change), last=_optional(one.last, change),
                step=_optional(one.step, change), condition=_optional(one.condition, change),
            )  # fmt: skip
        if isinstance(one, s.Select):
            cases = [
                s.Case(case.values, self.block(case.body), case.place, case.comments)
                for case in one.cases
            ]
            return s.Select(one.place, one.label, one.comments, subject=change(one.subject),
                            cases=cases, name=one.name)  # fmt: skip
        if isinstance(one, s.SelectType):
            guards = [
                s.Guard(g.of, g.name, self.block(g.body), g.place, g.comments) for g in one.guards
            ]
            return s.SelectType(
                one.place, one.label, one.comments, text=one.text, construct=one.construct,
                why=one.why, inside=one.inside, subject=one.subject, guards=guards,
            )  # fmt: skip
        if isinstance(one, s.Call):
            return self.calls.statement(one, before)
        if type(one) is s.Assignment:
            return self.calls.assignment(one, before)
        if isinstance(one, s.Unread):
            return one
        return rebuilt(one, change)

    def _if(self, one: s.If, before: list[s.Statement] | None) -> s.If:
        """What the condition of an else if needs stands in an else around the rest."""
        arms: list[s.Arm] = []
        for at, arm in enumerate(one.arms):
            own: list[s.Statement] | None = before if at == 0 else []
            condition = None
            if arm.condition is not None:
                condition = self.calls.expression(arm.condition, own, arm.place)
            if at and own:
                own.clear()
                rest = self._if(s.If(arm.place, arms=one.arms[at:]), own)
                arms.append(s.Arm(None, [*own, rest], arm.place, arm.comments))
                break
            arms.append(s.Arm(condition, self.block(arm.body), arm.place, arm.comments))
        return s.If(one.place, one.label, one.comments, arms=arms, name=one.name,
                    end_label=one.end_label)  # fmt: skip


def _optional(
    e: Expression | None, change: Callable[[Expression], Expression]
) -> Expression | None:
    return None if e is None else change(e)


Before = list[s.Statement] | None
#: The other spelling of operators.
_SPELLED = {
    "==": ".eq.", "/=": ".ne.", "<": ".lt.", "<=": ".le.", ">": ".gt.", ">=": ".ge.",
}  # fmt: skip


class Calls:
    """unit: a copy that is being made; its new statements name what is found here."""

    def __init__(self, program: Units, unit: Unit) -> None:
        self.program, self.unit = program, unit
        self.scope = program.scope(unit)
        self.taken = mentioned_names(unit) | {d.name for d in unit.declarations}
        self.taken |= set(unit.arguments) | {unit.name}
        # Names of interfaces that may be meant somewhere, or what the language says.
        self.doubtful: set[str] = set()

    # ---- Statements

    def statement(self, one: s.Call, before: Before) -> s.Call:
        arguments = tuple(self.expression(a, before, one.place) for a in one.arguments)
        procedure = one.procedure
        if isinstance(procedure, Name):
            found = self._procedure(procedure.id, arguments)
            if found is not None and found.kind == "subroutine":
                name, arguments = self._plain(found, procedure.id, arguments)
                procedure = Name(name)
        return s.Call(one.place, one.label, one.comments, procedure=procedure,
                      arguments=arguments)  # fmt: skip

    def assignment(self, one: s.Assignment, before: Before) -> s.Statement:
        target = self.expression(one.target, before, one.place)
        value = self.expression(one.value, before, one.place)
        candidates = self._candidates("assignment(=)", (target, value))
        if candidates:
            unit, sure = signatures.chosen(candidates, (target, value), self.scope)
            if unit is not None and sure and unit.kind == "subroutine":
                bare = self._bare(Unary("()", value))
                name, arguments = self._plain(unit, unit.name, (target, bare))
                return s.Call(one.place, one.label, one.comments, procedure=Name(name),
                              arguments=arguments)  # fmt: skip
            self._language("assignment(=)", unit is None and sure)
        return s.Assignment(one.place, one.label, one.comments, target=target, value=value)

    def _language(self, name: str, meant: bool) -> None:
        """Whether a name of an interface means here what the language says."""
        if not meant:
            self.doubtful.add(name)
        self.unit.language.add(name)
        self.unit.language -= self.doubtful

    # ---- Expressions

    def expression(self, e: Expression, before: Before, place: Place) -> Expression:
        """before: statements that have to run first; None where nothing may."""
        if isinstance(e, Apply) and e.reference:
            symbol = self.scope.find(e.reference)
            arguments = tuple(self.expression(a, before, place) for a in e.arguments)
            made = Apply(e.base, arguments)
            if symbol is not None and "external" not in symbol.attributes:
                return made
            return self._function(made, before, place)
        made_of = with_parts(e, lambda part: self.expression(part, before, place))
        if isinstance(made_of, Binary):
            return self._operator(made_of, (made_of.left, made_of.right), before, place)
        if isinstance(made_of, Unary) and made_of.operator != "()":
            return self._operator(made_of, (made_of.operand,), before, place)
        return made_of

    def _function(self, e: Apply, before: Before, place: Place) -> Expression:
        name = e.reference
        if name in self.unit.statement_functions:
            return e
        unit = self._procedure(name, e.arguments)
        if unit is None:
            derived = self.scope.derived_if_given(name) if name not in intrinsics.NAMES else None
            return e if derived is None else self._constructed(e, derived, before, place)
        if unit.kind != "function":
            return e
        return self._called(unit, name, e.arguments, e, before, place)

    def _operator(
        self, e: Binary | Unary, operands: tuple[Expression, ...], before: Before, place: Place
    ) -> Expression:
        operands = tuple(self._bare(one) for one in operands)
        candidates = self._candidates(f"operator({e.operator})", operands)
        if e.operator in _SPELLED:
            candidates += self._candidates(f"operator({_SPELLED[e.operator]})", operands)
        if not candidates:
            return e
        unit, sure = signatures.chosen(candidates, operands, self.scope)
        if unit is None or not sure or unit.kind != "function":
            return e  # it may be the language's own
        return self._called(unit, unit.name, operands, e, before, place)

    def _bare(self, e: Expression) -> Expression:
        """An object without its parentheses: no operator may change it."""
        if isinstance(e, Unary) and e.operator == "()":
            given = signatures.of(e.operand, self.scope)
            if given is not None and given.derived is not None:
                return e.operand
        return e

    def _candidates(self, name: str, operands: Sequence[Expression]) -> list:  # type: ignore[type-arg]
        found = list(self.scope.specifics(name))
        for e in operands:
            given = signatures.of(e, self.scope)
            if given is not None and given.derived is not None:
                for bound in given.derived.specifics(name):
                    binding = given.derived.binding(bound)
                    if binding is not None and binding[0].target:
                        found.append((binding[0].target, binding[1].scope))
        return found

    def _procedure(self, name: str, arguments: Sequence[Expression]) -> Unit | None:
        """That a name means with these arguments; None of what is not known, or not given."""
        candidates = self.scope.specifics(name)
        if candidates:
            unit, sure = signatures.chosen(candidates, arguments, self.scope)
            if unit is not None and (sure or name not in intrinsics.NAMES):
                return unit
            if name in intrinsics.NAMES:
                self._language(name, unit is None and sure)
            return None
        return self.scope.as_written(name)

    def _called(
        self, unit: Unit, name: str, arguments: Sequence[Expression], e: Expression,
        before: Before, place: Place,
    ) -> Expression:  # fmt: skip
        """A function; e: what stands there if it cannot be called otherwise."""
        result = signatures.result_of(unit, arguments, self.scope)
        if result is None or result.type != "type":
            name, arguments = self._plain(unit, name, tuple(arguments))
            return Apply(Name(name), tuple(arguments))
        if before is None or result.rank or result.derived is None:
            return e
        name, arguments = self._plain(self.program.subroutine(unit), "", tuple(arguments))
        temporary = self._temporary(result.derived, unit.name, place)
        before.append(s.Call(place, procedure=Name(name), arguments=(Name(temporary), *arguments)))
        return Name(temporary)

    def _temporary(self, derived: Derived, stem: str, place: Place) -> str:
        name = self._unique(f"{stem}_value")
        type_ = TypeName("type", None, type_name(self.program, self.unit, derived))
        self.unit.declarations.append(Declaration(place, name, type_))
        self.scope.declared_anew()
        return name

    def _constructed(self, e: Apply, derived: Derived, before: Before, place: Place) -> Expression:
        """type(values): a variable, its components assigned."""
        parts = derived.definition.components
        if before is None or len(derived.line) > 1 or len(e.arguments) > len(parts):
            return e
        given: dict[str, Expression] = {}
        for number, argument in enumerate(e.arguments):
            if isinstance(argument, Keyword):
                given[argument.name] = argument.value
            else:
                given[parts[number].name] = argument
        for part in parts:
            if part.attributes & {"pointer", "allocatable"}:
                return e
            if part.name not in given:
                value = None if part.value is None else derived.scope.constant(part.value)
                if isinstance(value, bool) or not isinstance(value, int | float):
                    return e
                text = repr(abs(value)).replace("e", "d")
                if isinstance(value, float) and "d" not in text:
                    text += "d0"
                number_: Expression = Number(text)
                given[part.name] = Unary("-", number_) if value < 0 else number_
        if given.keys() - {part.name for part in parts}:
            return e
        temporary = self._temporary(derived, derived.name, place)
        for part in parts:
            before.append(s.Assignment(
                place, target=Component(Name(temporary), part.name), value=given[part.name],
            ))  # fmt: skip
        return Name(temporary)

    # ---- Arguments

    def _plain(
        self, unit: Unit, name: str, arguments: tuple[Expression, ...]
    ) -> tuple[str, tuple[Expression, ...]]:
        """The name that a procedure has here, and its arguments: those that are procedures made
        its own, those that are variables around it added."""
        try:
            bound = list(signatures.pairs(unit, arguments))
        except Refused:
            return name or self._alias(unit), arguments
        given: dict[str, tuple[Unit, dict[str, str]]] = {}
        for dummy, actual in bound:
            if isinstance(actual, Name) and (found := self._passed(unit, dummy, actual.id)):
                given[dummy] = found
        own = self._own(name)
        more = [Keyword(dummy, Name(own.get(v, v))) for v, dummy in unit.captured.items()]
        if given:
            kept = [(d, a) for d, a in bound if d not in given and a is not None]
            unit, names = self.program.specialised(
                unit, {dummy: procedure for dummy, (procedure, _) in given.items()}
            )
            arguments = tuple(Keyword(d, a) for d, a in kept)
            more += [Keyword(d, Name(given[f][1][v])) for d, (f, v) in names.items()]
        elif name and self.scope.as_written(name) is unit:
            return name, (*arguments, *more)
        return self._alias(unit), (*arguments, *more)

    def _passed(self, unit: Unit, dummy: str, name: str) -> tuple[Unit, dict[str, str]] | None:
        """A procedure that is an argument, and the names that its captured variables have here."""
        symbol = self.scope.find(name)
        if symbol is not None and "external" not in symbol.attributes:
            return None
        found = self.scope.as_written(name)
        if found is None or dummy not in self.program.procedure_arguments(unit):
            return None
        own = self._own(name)
        return found, {v: own.get(v, v) for v in found.captured}

    def _own(self, name: str) -> dict[str, str]:
        """The names that variables have here which a procedure of this name captures."""
        return self.unit.captures.get(name) or self.unit.captured

    def _alias(self, unit: Unit) -> str:
        """A name for a procedure that has none here."""
        for name, known in self.unit.aliases.items():
            if known is unit:
                return name
        if unit.name not in self.taken and self.scope.as_written(unit.name) is unit:
            return unit.name
        name = self._unique(unit.name)
        self.unit.aliases[name] = unit
        return name

    def _unique(self, stem: str) -> str:
        name, n = stem, 1
        while name in self.taken or self.scope.find(name) or self.scope.as_written(name):
            n += 1
            name = f"{stem}_{n}"
        self.taken.add(name)
        return name


def type_name(program: Units, unit: Unit, derived: Derived) -> str:
    """The name of a type in a unit that may not know it yet."""
    name = derived.name
    while (found := program.scope(unit).derived_if_given(name)) is not derived:
        if found is None:
            unit.types[name] = derived.definition
            break
        name += "_"
    return name


def specialised(
    program: Units, unit: Unit, given: dict[str, Unit]
) -> tuple[Unit, dict[str, tuple[str, str]]]:
    """A copy with these procedures for arguments, and what it gets instead: for variables that
    they capture, dummy -> (argument that was a procedure, variable)."""
    made = copied(unit)
    without_names(program, unit, made, given)
    taken = mentioned_names(unit) | {d.name for d in unit.declarations} | set(unit.arguments)
    more: dict[str, tuple[str, str]] = {}
    captures = dict(unit.captures)
    declarations = [d for d in unit.declarations if d.name not in given]
    for dummy, procedure in given.items():
        captures[dummy] = {}
        for variable in procedure.captured:
            name = f"{dummy}_{variable}"
            while name in taken:
                name += "_"
            taken.add(name)
            captures[dummy][variable], more[name] = name, (dummy, variable)
            dummy_of = procedure.captured[variable]
            declared = next(d for d in procedure.declarations if d.name == dummy_of)
            if declared.type is not None and declared.type.base in ("type", "class"):
                derived = program.scope(procedure).derived(declared.type.name, declared.place)
                own = replace(declared.type, name=type_name(program, made, derived))
                declared = replace(declared, type=own)
            declarations.append(replace(declared, name=name))
    made.declarations, made.captures = declarations, captures
    made.arguments = [*(a for a in unit.arguments if a not in given), *more]
    made.external = unit.external - given.keys()
    made.interfaces = {n: v for n, v in unit.interfaces.items() if n not in given}
    made.aliases |= given
    return made, more


def subroutine(unit: Unit) -> Unit:
    """A function as a subroutine with its result for the first argument."""
    result = unit.result or unit.name
    declared = Declaration(unit.place, result, unit.result_type, intent="out")
    return copied(
        unit, kind="subroutine", arguments=[result, *unit.arguments], result="",
        prefixes=unit.prefixes - {"elemental"},
        declarations=[*unit.declarations, declared],
    )  # fmt: skip


Given = dict[str, Unit]


def without_names(program: Units, unit: Unit, made: Unit, given: Given) -> None:
    """In a copy, calls of arguments that are procedures name what they pass as the procedures that
    are given do. Refused where that cannot be told."""
    if not any(_named(one, given) for one in _all(unit)):
        return
    _put(program, unit, made, given)


def _put(program: Units, unit: Unit, made: Unit, given: Given) -> None:
    """Also in the procedures inside, as far as none of them has such a name for itself."""
    names = _Names(program, unit, given)
    made.body = [names.statement(one) for one in made.body]
    for inner, copy in zip(unit.units, made.units, strict=True):
        own = {d.name for d in inner.declarations} | {*inner.arguments, *inner.interfaces}
        if own & given.keys() and any(_named(one, given) for one in _all(inner)):
            raise Refused(inner.place, f"{inner.kind} {inner.name}",
                          f"its {min(own & given.keys())} is another procedure than that of "
                          f"{unit.name}", "give one of them another name")  # fmt: skip
        _put(program, inner, copy, given)


def _all(unit: Unit) -> list[Unit]:
    return [unit, *(below for inner in unit.units for below in _all(inner))]


def _named(unit: Unit, given: Given) -> bool:
    """Whether a statement of it calls one of them with names."""
    for one in s.walk(unit.body):
        called = [part for e in one.expressions() for part in e.walk()]
        if isinstance(one, s.Call):
            called.append(Apply(one.procedure, one.arguments))
        for part in called:
            if isinstance(part, Apply) and part.reference in given:
                if any(isinstance(a, Keyword) for a in part.arguments):
                    return True
    return False


class _Names:
    """Of one unit."""

    def __init__(self, program: Units, unit: Unit, given: Given) -> None:
        self.scope, self.given = program.scope(unit), given
        self.place = unit.place

    def statement(self, one: s.Statement) -> s.Statement:
        self.place = one.place
        made = rebuilt(one, self.expression, self.statement)
        self.place = one.place
        if isinstance(made, s.Call) and isinstance(made.procedure, Name):
            made.arguments = self._arguments(made.procedure.id, made.arguments)
        return made

    def expression(self, e: Expression) -> Expression:
        made = with_parts(e, self.expression)
        if isinstance(made, Apply) and made.reference:
            return Apply(made.base, self._arguments(made.reference, made.arguments))
        return made

    def _arguments(self, name: str, arguments: Sequence[Expression]) -> tuple[Expression, ...]:
        if name not in self.given or not any(isinstance(a, Keyword) for a in arguments):
            return tuple(arguments)
        actual = self.given[name]
        theirs = [one for one in actual.arguments if one not in actual.captured.values()]
        ours = interface_arguments(self.scope, name)
        if ours is None or len(ours) != len(theirs) or "*" in (*ours, *theirs):
            why = "it names arguments as the interface of the argument does, which is not given"
            if ours is not None:
                why = f"{actual.name} has not the arguments of its interface"
            raise Refused(self.place, f"call of {name}", why, "leave the names out")
        names = dict(zip(ours, theirs, strict=True))
        return tuple(self._one(name, a, names) for a in arguments)

    def _one(self, name: str, a: Expression, names: dict[str, str]) -> Expression:
        if not isinstance(a, Keyword):
            return a
        if a.name not in names:
            raise Refused(self.place, f"call of {name}", f"its interface has no argument {a.name}")
        return Keyword(names[a.name], a.value)


def interface_arguments(scope: Scope, name: str) -> list[str] | None:
    """Of a procedure that is an argument, as its interface names them; None where that is not
    known."""
    around: Scope | None = scope
    while around is not None:
        found = interfaces.of_argument(around, name)
        if found is not None:
            return [one for one in found.arguments if one not in found.captured.values()]
        if name in around.unit.arguments:
            return None
        around = around.parent
    return None
