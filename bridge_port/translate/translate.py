"""A procedure of one point becomes a kernel: its header, what it reads, what it gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bridge_port.choices import NOTHING_SAID, Choices, Said
from bridge_port.kernel import HostValue, Kernel, PointProcedure, Quantity
from bridge_port.program.derivedtypes import extensions
from bridge_port.program.keeping import ALL
from bridge_port.program.numberedtexts import Numbered
from bridge_port.program.program import Program
from bridge_port.program.saidprocedures import Pointed, with_procedures
from bridge_port.program.symbols import Derived, Symbol
from bridge_port.refusal import Refused, in_words_of_the_source
from bridge_port.syntax.units import Unit
from bridge_port.translate import (
    arrays,
    calls,
    captured,
    deferred,
    entryarguments,
    expressions,
    intrinsics,
    procedure,
    reductions,
    unended,
)
from bridge_port.translate.assigned import Variable, variable
from bridge_port.translate.body import Body, CallContext, Fixed, Port, References
from bridge_port.translate.entryarguments import (
    numbers,
    of_host,
    pointed,
    texts_of,
    with_texts,
)
from bridge_port.translate.names import prefixed
from bridge_port.translate.passing import optional
from bridge_port.translate.wrapper import Wrapper, header_text, stops

REFERENCES = References(
    translated=procedure.translated,
    value=expressions.value,
    rank=arrays.rank,
    function=calls.function,
    array_function=calls.array_function,
    check_statement_function=calls.check_statement_function,
    intrinsic=intrinsics.intrinsic,
    intrinsic_array=reductions.array,
    intrinsic_rank=intrinsics.rank,
    whole=intrinsics.whole,
)

__all__ = ["HostValue", "refuse_without_results", "translate"]


def refuse_without_results(kernel: Kernel, unit: Unit) -> None:
    """Refused where a point would get nothing from it."""
    if not kernel.outputs:
        raise Refused(unit.place, f"{unit.kind} {unit.name}", "it gives no result of a point",
                      "port a procedure that gives its arguments values")  # fmt: skip


def translate(
    program: Program,
    procedure: PointProcedure,
    said: Choices = NOTHING_SAID,
    procedures: Mapping[str, Unit] | None = None,
) -> Kernel:
    """The kernel of a procedure, or Refused.

    program: the front end's; procedures: what arguments that are procedures stand for, and
    procedure components of arguments (a%f).
    """
    with in_words_of_the_source(lambda: procedure.named):
        unit, pointed_to = with_procedures(program, procedure.unit, procedures or {})
        return _translated(program, replace(procedure, unit=unit), said, pointed_to)


def _translated(
    program: Program, procedure: PointProcedure, said: Choices, pointed_to: Mapping[str, Pointed]
) -> Kernel:
    """pointed_to: by procedure components. What a kernel has of modules is found while it is
    written: where that is more than before, it is written again."""
    nest = bool(procedure.loops or procedure.arrays)
    of_texts = Numbered(procedure.unit) if nest else program.numbered(procedure.unit)
    found: dict[Variable, str] = {}
    # Texts of its own may be known when the kernel is built.
    with_numbers = bool(of_texts.names)
    while True:
        before = len(found)
        texts = of_texts if with_numbers else replace(of_texts, unit=procedure.unit)
        try:
            kernel = _Writing(program, procedure, said, found, texts, pointed_to).kernel()
        except Refused:
            if not with_numbers and of_texts.texts:
                with_numbers = True
                continue
            if len(found) == before:
                raise
            continue
        if len(found) == before:
            return kernel


class _Writing:
    """A kernel that is being written. found: variables of modules, of which more may be found;
    texts: the procedure with numbers for texts; pointed_to: by procedure components."""

    def __init__(
        self,
        program: Program,
        procedure: PointProcedure,
        said: Choices,
        found: dict[Variable, str],
        texts: Numbered,
        pointed_to: Mapping[str, Pointed],
    ) -> None:
        self.program, self.procedure, self.said, self.texts = program, procedure, said, texts
        unit = program.closed(texts.unit)
        #: What variables of the unit around are.
        self.around = captured.roles(program, unit, said.outside)
        if gives_object(program, unit):
            unit = program.subroutine(unit)  # its components are outputs
        self.unit, self.scope = unit, program.scope(unit)
        self.name = prefixed(said.prefix, procedure.name)
        self.of_nest = bool(procedure.loops or procedure.arrays)
        self.integers, self.letters = said.integers, said.letters
        self.port = self._port(found)
        #: Procedures that are arguments, and are not given.
        self.left_out = self._procedures_left_out()
        silent = self.port.silent(unit) | self.left_out
        self.dummies = {
            d: self.scope.symbol(d, unit.place)
            for d in unit.arguments
            if d != "*" and d not in silent
        }
        self.context = self._context(pointed_to)

    def kernel(self) -> Kernel:
        port, unit, procedure = self.port, self.unit, self.procedure
        function = port.function(unit, self.context, unit.place)
        self._check_what_is_said()
        body = Body(port, unit, self.context, self.scope, function.name)
        body.begin()
        deferred.no_pointers_assigned(body)
        found = entryarguments.arguments(body, procedure, self.dummies, function, self.around)
        found += of_host(body, found)
        held = [one.symbol for one in port.held.values() if one.symbol is not None]
        pointed(body, self.dummies, held)
        variables = [variable(symbol) for symbol in held]
        port.outside.unread([one for one in variables if one is not None])
        wrapper = Wrapper(port, procedure, self.name, function, found)
        status = status_of(port, unit, self.dummies)
        text = header_text(port, self.name, procedure, wrapper, status)
        values = [held.value for held in port.held.values() if held.value is not None]
        outputs = with_texts(unit, self.texts, wrapper)
        return Kernel(
            self.name,
            f"{self.name}.h",
            text,
            procedure,
            inputs=wrapper.inputs,
            outputs=outputs,
            constants=[value for value in values if not value.shape],
            tables=[value for value in values if value.shape],
            uses_single=port.uses_single,
            singles=port.singles,
            notes=self._notes(outputs),
            initial=[name for name, said in port.world.relied_on.items() if said],
            status=status.name if status is not None else "",
            places=list(port.places),
            outside=port.outside.options()
            | captured.options(unit, self.around, self.said.outside),
        )

    def _port(self, found: dict[Variable, str]) -> Port:
        said, unit = self.said, self.unit
        port = Port(
            REFERENCES,
            self.program,
            unit,
            said,
            [*self.procedure.scalars, *nest_arrays(self.program, unit)],
            found,
            self.of_nest,
        )
        if not self.of_nest:
            port.shapes = {
                word.lower(): tuple(n for n in extents if isinstance(n, int))
                for word, extents in said.shapes.items()
                if "%" not in word and word.lower() not in unit.arguments
            }
        port.unnumbered, port.numbered = self.texts.why, frozenset(self.texts.names)
        port.global_names.unique(self.name, keep=True)
        return port

    def _procedures_left_out(self) -> set[str]:
        """Refused where a procedure is an argument that cannot be left out."""
        unit = self.unit
        passed = self.program.procedure_arguments(unit) - self.port.silent(unit)
        left_out = {d for d in passed if optional(unit, d)}
        for dummy in sorted(passed - left_out):
            raise Refused(
                unit.place, f"argument {dummy}, a procedure",
                "what is called is known at run time alone",
                f"say which procedure of the sources it is, --procedure {dummy}=NAME, or port a "
                "procedure that passes one by its name",
            )  # fmt: skip
        return left_out

    def _context(self, pointed_to: Mapping[str, Pointed]) -> CallContext:
        unit, dummies, shapes = self.unit, self.dummies, self.said.shapes
        vary = [
            d for d, one in dummies.items()
            if one.type in ("integer", "logical") and one.dimensions is None
        ]  # fmt: skip
        texts = [
            d for d, one in dummies.items()
            if one.type == "character" and one.optional
            and d not in self.letters and not self.procedure.presence.get(d)
        ]  # fmt: skip
        extents = [
            (d, given(e))
            for d, e in shapes.items()
            if "%" not in d and d.lower() not in self.port.shapes
        ]
        absent = (self.procedure.absent & dummies.keys()) | self.left_out
        return CallContext(
            vary=frozenset(vary),
            absent=frozenset(texts) | absent,
            known=tuple(sorted((d, Fixed(0, v)) for d, v in known(dummies, self.integers, unit))),
            texts=texts_of(dummies, self.letters, unit),
            shapes=tuple(sorted(extents)),
            rooms=tuple(sorted(unended.said(unit, dummies, shapes).items())),
            types=tuple(said(self.program, unit, dummies, self.said.types)),
            parts=deferred.said(
                self.program, unit, dummies, shapes, {**self.integers, **self.letters}, pointed_to
            ),
        )

    def _check_what_is_said(self) -> None:
        """Refused where something is said of what the procedure does not read."""
        port, unit = self.port, self.unit
        # Those of a nest have been put into its statements and bounds before.
        for name in () if self.procedure.loops else port.fixed:
            read = port.fixed_read | port.world.read
            if name.partition("%")[0] not in unit.arguments and name not in read:
                raise Refused(unit.place, f"fixed {name}", f"{unit.name} reads no such integer")
        for word in port.shapes.keys() - port.shapes_read.keys():
            raise Refused(unit.place, f"shape {word}", f"{unit.name} reads no allocatable array "
                          "of a module that has this name", "leave it out")  # fmt: skip
        if not self.procedure.arrays:  # a nest may be several kernels
            unread(port, unit, self.dummies, self.letters, self.said.initial)

    def _notes(self, outputs: Sequence[Quantity]) -> list[str]:
        port, procedure = self.port, self.procedure
        for dummy in sorted(self.context.absent - self.left_out - procedure.absent):
            port.note(
                f"{dummy}, an optional text, is taken as not given; --value {dummy}='...' says it"
            )
        for dummy in sorted(self.left_out):
            port.note(f"{dummy}, an optional procedure, is taken as not given; --procedure "
                      f"{dummy}=NAME says it")  # fmt: skip
        notes = list(procedure.notes) + port.notes + relied_on(port)
        notes += taken_as_given(procedure, self.dummies, self.context)
        notes += [
            f"{q.name} is the number of a text: {numbers(q.texts)}" for q in outputs if q.texts
        ]
        if port.uses_single and not port.singles:
            notes.append(
                "real(4) is computed in double precision; constants keep their values "
                "(--precision original keeps all)"
            )
        return notes


def gives_object(program: Program, unit: Unit) -> bool:
    """Whether it is a function of a derived type."""
    if unit.kind != "function":
        return False
    result = program.scope(unit).find(unit.result or unit.name)
    return result is not None and result.type == "type" and result.dimensions is None


def status_of(port: Port, unit: Unit, dummies: Iterable[str]) -> Quantity | None:
    """The output of a kernel whose points may stop."""
    if not port.stops:
        return None
    name = f"{unit.name}_status"
    while name in dummies:
        name += "_"
    lines = stops(port)
    for line in lines:
        port.note(f"{port.prefix.of(name)} has {line}; such a point's results are NaN, integers 0")
    about = f"where points of {unit.name} stopped: {', '.join(lines)}"
    return Quantity(port.prefix.of(name), "", "integer", 4, about=about)


def nest_arrays(program: Program, unit: Unit) -> list[str]:
    """Arrays of the nest that have no points: the procedure reads all of them."""
    own = {d.name for d in unit.declarations}
    found: list[str] = []
    around = unit.parent  # with what is around that: the first of a name is meant
    while around is not None and around.kind in ("subroutine", "function", "program"):
        symbols = program.scope(around).symbols.values()
        found += [s.name for s in symbols if s.dimensions is not None and s.name not in own]
        own |= {s.name for s in symbols}
        around = around.parent
    return found


def said(
    program: Program, unit: Unit, dummies: Mapping[str, Symbol], types: Mapping[str, str]
) -> Iterable[tuple[str, Derived, bool]]:
    """The types that arguments of a class have, as the user says."""
    for name, wanted in types.items():
        symbol = dummies.get(name.lower())
        what = f"type {name}={wanted}"
        if symbol is None or "class" not in symbol.attributes or symbol.type_name == "*":
            raise Refused(unit.place, what, f"{unit.name} names no such argument of a class")
        declared = symbol.scope.derived(symbol.type_name, symbol.place)
        fitting = [one for one in (declared, *extensions(declared)) if not one.definition.abstract]
        found = [one for one in fitting if one.name == wanted.lower()]
        if len(found) != 1:
            names = ", ".join(sorted(one.name for one in fitting)) or "none is given"
            raise Refused(symbol.place, what, f"no type of this name that it may have: {names}")
        yield symbol.name, found[0], True


def known(
    dummies: Mapping[str, Symbol], fixed: Mapping[str, int] | None, unit: Unit
) -> list[tuple[str, int]]:
    found = []
    for name, value in (fixed or {}).items():
        symbol = dummies.get(name.lower())
        if symbol is None:
            continue  # of a module or of COMMON
        if symbol.type != "integer" or symbol.dimensions is not None:
            raise Refused(unit.place, f"fixed {name}", f"{unit.name} has no such integer argument")
        found.append((name.lower(), value))
    return found


def unread(
    port: Port,
    unit: Unit,
    dummies: Mapping[str, Symbol],
    letters: Mapping[str, str],
    initial: Iterable[str],
) -> None:
    """What is said of a variable has to be of one that is read."""
    for name in letters:
        of_argument = name in dummies or ("%" in name and name.partition("%")[0] in unit.arguments)
        if not of_argument and name not in port.world.read:
            raise Refused(unit.place, f"value {name}", f"{unit.name} reads no such text")
    for name in initial:
        if name not in (ALL, *port.world.relied_on):
            raise Refused(unit.place, f"initial {name}", f"{unit.name} reads no such variable")


def relied_on(port: Port) -> list[str]:
    """What a user should know of data of modules."""
    notes = []
    for name, said in sorted(port.world.relied_on.items()):
        why = "as is said" if said else "nothing in the given sources assigns it"
        notes.append(f"{name} is taken to keep its initial value: {why}")
    return notes


def taken_as_given(
    procedure: PointProcedure, dummies: Mapping[str, Symbol], context: CallContext
) -> list[str]:
    """Optional arguments that nobody said anything of."""
    if procedure.loops or procedure.arrays:
        return []
    names = [
        d for d, one in dummies.items()
        if one.optional and d not in context.absent and d not in procedure.presence
    ]  # fmt: skip
    if not names:
        return []
    return [f"taken as given: {', '.join(names)}, optional; --absent {' '.join(names)} makes a "
            "kernel without it" + ("" if len(names) == 1 else ", or one of them")]  # fmt: skip


def given(extents: Said) -> tuple[Fixed, ...]:
    return tuple(Fixed(0, extent) for extent in extents if isinstance(extent, int))
