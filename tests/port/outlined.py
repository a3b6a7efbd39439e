"""A nest and its procedures of one point in one program: compiled, run on equal arrays, compared.

The procedures are written as Fortran again and called in loops. Points go backwards wherever they
may come in any order, and what is only written is spoiled before, so that a wrong order or intent
shows.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hosts import TIME_LIMIT, compiler

from bridge_port.choices import Choices
from bridge_port.kernel import ANY, SUM, Loop, PointProcedure
from bridge_port.nest import directives, outline
from bridge_port.program.program import Program
from bridge_port.syntax.expressions import Expression
from bridge_port.syntax.text import expression_text, line, statement_lines
from bridge_port.syntax.units import Declaration, Dimension, TypeName, Unit
from bridge_port.syntax.unittext import declaration_text, specification_lines, unit_lines

LETTERS = "xyz"


#: Contributions to largest and smallest values begin with an infinity.
IEEE = (
    "  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf, ieee_negative_inf"
)


@dataclass(frozen=True)
class Case:
    """unit: of the file; sizes: values of its integer arguments; nest: name of a directive, "" for
    all of the body; first: scalars before, in Fortran; shapes: of allocatable arguments; the rest
    as `outline` takes it."""

    unit: str
    sizes: Mapping[str, int]
    nest: str = ""
    axes: Mapping[str, int | str] = field(default_factory=dict)
    private: frozenset[str] = frozenset()
    constants: Mapping[str, int] = field(default_factory=dict)
    first: Mapping[str, str] = field(default_factory=dict)
    presence: Mapping[str, bool] = field(default_factory=dict)
    shapes: Mapping[str, str] = field(default_factory=dict)


def procedures(program: Program, case: Case) -> list[PointProcedure]:
    unit = program.find(case.unit)
    lines = directives(unit)[case.nest] if case.nest else (0, 0)
    said = Choices(private=case.private, fixed=case.constants, axes=case.axes,
                   presence=case.presence)  # fmt: skip
    return outline(program, unit, *lines, name=f"{case.unit}_point", said=said)


def compare(folder: Path, source: Path, cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """The largest difference of each argument, beside values over one, by unit. The compiled file
    has both forms of each."""
    program = Program([source])
    texts = []
    for case in cases:
        texts.append(ported(program, case))
        texts.append(driver(program, case))
    main = ["program main", "  implicit none"]
    main.append("  call random_init(.true., .false.)")  # the same values in each run
    main += [f"  call run_{case.unit}" for case in cases] + ["end program main", ""]
    (folder / "ported.f90").write_text("\n".join(texts) + "\n".join(main))
    flags = ["-g", "-O0", "-fcheck=bounds", "-ffp-contract=off"]
    command = [compiler("gfortran"), *flags, str(source), "ported.f90", "-o", "ported"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + (folder / "ported.f90").read_text()
    ran = subprocess.run(
        ["./ported"], cwd=folder, capture_output=True, text=True, timeout=TIME_LIMIT
    )
    assert ran.returncode == 0, ran.stderr + ran.stdout
    found: dict[str, dict[str, float]] = {}
    for words in map(str.split, ran.stdout.splitlines()):
        found.setdefault(words[0], {})[words[1]] = float(words[2])
    return found


def ported(program: Program, case: Case) -> str:
    """The unit with loops around calls in the place of its body."""
    unit = program.find(case.unit)
    points = procedures(program, case)
    lines = [f"subroutine ported_{unit.name}({', '.join(unit.arguments)})", IEEE]
    lines += specification_lines(unit, 2)
    temporaries = {t.name: t for one in points for t in one.temporaries.values()}
    for t in temporaries.values():
        bounds = tuple(Dimension(first, last) for first, last in t.box)
        kind = next(d.type for one in points for d in one.unit.declarations
                    if one.arrays.get(d.name) and one.arrays[d.name].name == t.name)  # fmt: skip
        declared = Declaration(t.place, f"{t.name}_all", kind, (*bounds, *t.components))
        lines.append("  " + declaration_text(declared))
    lines += [f"  integer :: i{letter}_" for letter in LETTERS]
    for number, one in enumerate(points):
        own = [d for d in one.unit.declarations if d.name in {r.argument for r in one.reductions}]
        for d in own:
            text = declaration_text(Declaration(d.place, f"c{number}_{d.name}", d.type,
                                                d.dimensions))  # fmt: skip
            lines.append("  " + text)
    if case.nest:  # what stands before it gives locals their values
        begin = directives(unit)[case.nest][0]
        lines += statement_lines([one for one in unit.body if one.place.line < begin], 2)
    for one in points:
        for reduction in one.reductions:
            if reduction.initial is not None:
                lines.append(f"  {reduction.variable} = {expression_text(reduction.initial)}")
    for number, one in enumerate(points):
        lines += [line(text, 2) for text in nest_lines(one, number, set(temporaries))]
    lines.append("contains")
    for one in points:
        lines += unit_lines(one.unit, 2)
    lines.append(f"end subroutine ported_{unit.name}")
    return "\n".join(lines) + "\n"


def nest_lines(one: PointProcedure, number: int, temporaries: set[str]) -> list[str]:
    """Loops around a call."""
    lines = []
    for loop in reversed(one.loops):
        first, last = expression_text(loop.first), expression_text(loop.last)
        forwards = one.sweep == LETTERS[loop.axis] + "+"
        bounds = f"{first}, {last}" if forwards else f"{last}, {first}, -1"
        lines.append(f"do i{LETTERS[loop.axis]}_ = {bounds}")
    by_name = {loop.axis: loop for loop in one.loops}
    spoil, actual = [], []
    value = {"real": "-huge(1.0)", "integer": "-77", "logical": ".true."}
    intents = {d.name: d.intent for d in one.unit.declarations}
    spoiled = {d.name: value[d.type.base] for d in one.unit.declarations if d.type is not None}
    contributions = {r.argument for r in one.reductions}
    for dummy in one.unit.arguments:
        if dummy in one.positions:
            actual.append(f"i{LETTERS[one.positions[dummy]]}_")
            continue
        text = f"c{number}_{dummy}"
        if dummy not in contributions:
            text = element(one, dummy, by_name, temporaries)
        if intents[dummy] == "out":
            spoil.append(f"{text} = {spoiled[dummy]}")
        actual.append(f"({text})" if intents[dummy] == "in" else text)
    lines += [*spoil, f"call {one.name}({', '.join(actual)})"]
    for r in one.reductions:
        own = f"c{number}_{r.argument}"
        if r.operation == SUM:
            lines.append(f"{r.variable} = {r.variable} + {own}")
        elif r.operation == ANY:
            way = ".and. .not." if r.negated else ".or."
            lines.append(f"{r.variable} = {r.variable} {way} {own}")
        else:
            # As the bridge does: a NaN of one point is the result.
            text = f"{r.operation}({r.variable}, {own})"
            lines.append(f"{r.variable} = merge({own}, {text}, {own} /= {own})")
    return [*lines, *["end do"] * len(one.loops)]


def element(one: PointProcedure, dummy: str, loops: Mapping[int, Loop], temporaries: set[str]) \
        -> str:  # fmt: skip
    """What a dummy stands for, as an element or a section of the array."""
    neighbour = one.neighbours.get(dummy)
    use = one.arrays[neighbour.array if neighbour else dummy]
    offset = neighbour.offset if neighbour else (0, 0, 0)
    words = []
    for axis in use.axes:
        if axis is None:
            words.append(":")
            continue
        step = use.shift[axis] + offset[axis]
        words.append(f"i{LETTERS[axis]}_" + (f" {'+' if step > 0 else '-'} {abs(step)}"
                                             if step else ""))  # fmt: skip
    name = f"{use.name}_all" if use.name in temporaries else use.name
    return f"{name}({', '.join(words)})"


def driver(program: Program, case: Case) -> str:
    """Calls both on equal arrays and prints differences."""
    unit = program.find(case.unit)
    declared: dict[str, Declaration] = {}
    for name in unit.arguments:
        symbol = program.scope(unit).symbol(name)
        kind = TypeName(symbol.type, symbol.kind)
        declared[name] = Declaration(symbol.place, name, kind, symbol.dimensions)
    sizes = [name for name in unit.arguments if name in case.sizes]
    lines = [f"subroutine run_{unit.name}", *used(unit), IEEE, "  implicit none"]
    values = ", ".join(str(case.sizes[name]) for name in sizes)
    lines += [f"  call inner({values})", "contains", f"  subroutine inner({', '.join(sizes)})"]
    lines += [f"    integer, intent(in) :: {name}" for name in sizes]
    lines.append("    integer :: number__")
    lines += [f"    integer, parameter :: {name} = {expression_text(value)}"
              for name, value, _ in unit.parameters if _integer(value)]  # fmt: skip
    lines += ["    " + declaration_text(d) for d in unit.declarations
              if "parameter" in d.attributes]  # fmt: skip
    fill, check, others = [], [], []
    if case.presence:
        lines.append("    interface")
        for called in (unit.name, f"ported_{unit.name}"):
            lines += unit_lines(replace(unit, name=called, body=[], units=[]), 6)
        lines.append("    end interface")
    for name in unit.arguments:
        if name in sizes:
            others.append(name)
            continue
        if not case.presence.get(name, True):
            continue
        d = declared[name]
        assert d.type is not None
        for copy in (name, f"{name}__2"):
            own = frozenset({"allocatable"}) if name in case.shapes else frozenset()
            lines.append("    " + declaration_text(Declaration(d.place, copy, d.type,
                                                               d.dimensions, own)))  # fmt: skip
            if name in case.shapes:
                fill.append(f"allocate ({copy}({case.shapes[name]}))")
        fill += [f"{name} = {case.first[name]}"] if name in case.first else _filled(name, d)
        fill.append(f"{name}__2 = {name}")
        others.append(name)
        wrong = f"{name} .neqv. {name}__2" if d.type.base == "logical" else ""
        if wrong:
            value = f"merge(1.0, 0.0, {f'any({wrong})' if d.dimensions else wrong})"
        else:
            # Sums are made in another order: the difference counts beside the value.
            inner = f"abs({name} - {name}__2)/max(1d0, abs(dble({name})))"
            inner = f"merge(dble({inner}), 0d0, {name} /= {name}__2)"
            value = f"dble(maxval({inner}))" if d.dimensions else f"dble({inner})"
        check.append(f"print *, '{unit.name} {name}', {value}")
    lines += [f"    {text}" for text in fill]
    second = [name if name in sizes else f"{name}__2" for name in others]
    if case.presence:
        second = [f"{one}={two}" for one, two in zip(others, second, strict=True)]
        others = [f"{one}={one}" for one in others]
    lines.append(line(f"call {unit.name}({', '.join(others)})", 4))
    lines.append(line(f"call ported_{unit.name}({', '.join(second)})", 4))
    lines += [line(text, 4) for text in check]
    return "\n".join([*lines, "  end subroutine inner", f"end subroutine run_{unit.name}", ""])


def used(unit: Unit) -> list[str]:
    """The module that it stands in."""
    return [f"  use {unit.parent.name}"] if unit.parent is not None else []


def _integer(value: Expression) -> bool:
    return expression_text(value).isdigit()


def _filled(name: str, d: Declaration) -> list[str]:
    assert d.type is not None
    if d.type.base == "real":
        return [f"call random_number({name})", f"{name} = {name} + 0.5"]
    if d.type.base == "logical":
        return [f"{name} = .false."]
    if d.dimensions is not None and len(d.dimensions) == 1:
        count = f"size({name})"
        return [f"{name} = [(1 + mod(5*number__, {count}), number__ = 1, {count})]"]
    return [f"{name} = 3"]
