"""Data of modules and COMMON that kernels read: one call gives all of it to the bridge, as it is
then.

That call stands in a module of its own, or in the module of a nest. Where procedures that a nest
calls read such data by themselves, the module has to see them as the variables of their names, and
the nest must not write them under other names: nothing would see that the kernels behind read what
those before leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bridge_port.kernel import HostValue, Kernel, Quantity
from bridge_port.output.fortran import Module, Procedure, Statement, Use, call
from bridge_port.output.surroundings import Inclusions, Surroundings
from bridge_port.program.program import Program
from bridge_port.program.storage import other_form
from bridge_port.program.symbols import COMMON, DUMMY, MODULE, Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Apply, Component, Expression, Name

#: Over a module of data.
ABOUT = (
    "! Data of modules that a kernel reads, for the bridge: before the first run, and again",
    "! where they have changed.",
)


def data_module(program: Program, kernel: Kernel) -> Module:
    """With give_NAME, and with a text_QUANTITY of each text that comes back as a number; none of a
    kernel without such data and texts."""
    values = [*kernel.constants, *kernel.tables]
    texts = [q for q in kernel.outputs if q.texts]
    if not values and not texts:
        return Module()
    procedures = []
    if values:
        uses = [Use("iso_c_binding", ("c_double",), intrinsic=True), Use("bridge")]
        body = [*given_constants(kernel.constants), *given(kernel.tables, "frame_table")]
        outside = _outside(program, kernel, values)
        procedures = [Procedure(f"give_{kernel.name}", (), [*uses, *outside], body)]
    procedures += map(_text, texts)
    return Module(f"{kernel.name}_bridge", procedures, ABOUT if values else (),
                  public=[one.name for one in procedures], apart=False)  # fmt: skip


def text_name(q: Quantity) -> str:
    """Of the subroutine; names have at most 63 letters."""
    return f"text_{q.name}"[:63]


def _text(q: Quantity) -> Procedure:
    """text_QUANTITY(number, text): 0 leaves the text as it is."""
    body = ["select case (number)"]
    for number, text in enumerate(q.texts, 1):
        body += [f"case ({number})", f"  {text_statement('text', text)}"]
    return Procedure(
        text_name(q), ("number", "text"),
        ["integer, intent(in) :: number", "character(*), intent(inout) :: text"],
        [*body, "end select"],
        f"The text whose number a kernel gave for {q.argument}; of 0 it stays as it is.",
    )  # fmt: skip


def text_statement(target: str, text: str) -> str:
    """target = 'text'; a long text in pieces, which lines can be broken between."""
    parts = [text[at : at + 60] for at in range(0, len(text), 60)] or [""]
    return f"{target} = " + " // ".join("'" + one.replace("'", "''") + "'" for one in parts)


def given_constants(values: Iterable[HostValue]) -> list[Statement]:
    """Each once, all in one call; of a single one that of its type."""
    every = {value.name: value for value in values}
    if len(every) < 2:
        return given(every.values(), "frame_constant")
    numbers = ", ".join(_number(value) for value in every.values())
    return [call("frame_constants", listed(every), f"[{numbers}]")]


def listed(names: Iterable[str]) -> str:
    """A text of names, which may go over several lines."""
    return " // ' ' // ".join(f"'{name}'" for name in names)


def _number(value: HostValue) -> str:
    if value.type == "logical":
        return f"merge(1.0_c_double, 0.0_c_double, {value.variable})"
    if (value.type, value.kind) == ("real", 8):
        return value.variable
    return f"real({value.variable}, c_double)"


def given(values: Iterable[HostValue], entry: str) -> list[Statement]:
    """One call for each."""
    lines: list[Statement] = []
    for value in values:
        text = value.variable
        if value.from_one:
            array = value.bounds_of or text
            why = f"{value.name}: the kernel takes it that {array} begins at 1"
            lines.append(f"if (any(lbound({array}) /= 1)) error stop '{why}'")
        if entry == "frame_table":
            text = _number(value)
        if value.merged:
            lines.append(asked_shape(value.name, value.variable, value.merged))
            text = f"reshape({text}, [{', '.join(str(n) for n in value.shape)}])"
        # A loop of no rounds may have a table without values.
        where = f"size({value.variable}) > 0" if entry == "frame_table" else ""
        lines.append(call(entry, f"'{value.name}'", text, where=where))
    return lines


def asked_shape(where: str, array: str, extents: Iterable[int]) -> str:
    """A host that was changed and compiled anew has no old kernel with another shape."""
    numbers = ", ".join(map(str, extents))
    why = f"{where}: {array} has not the shape ({numbers}) that it had in the port: port it again"
    return f"if (any(shape({array}) /= [{numbers}])) error stop '{why}'"


def _outside(program: Program, kernel: Kernel, values: Iterable[HostValue]) -> list[Statement]:
    """use statements, then COMMON blocks as a unit of the source declares them."""
    modules: dict[str, set[str]] = {}
    blocks: dict[str, list[HostValue]] = {}
    for value in values:
        if value.storage == MODULE:
            modules.setdefault(value.owner, set()).add(value.variable.partition("%")[0])
        elif value.storage == COMMON:
            blocks.setdefault(value.owner, []).append(value)
        else:
            why = "it is data of the procedure's own, which nothing outside can give"
            raise Refused(kernel.procedure.place, value.variable, why)
    lines: list[Statement] = [Use(m, tuple(sorted(some))) for m, some in modules.items()]
    inclusions, around = Inclusions(program), None
    for block, held in blocks.items():
        names = {value.variable for value in held}
        # Those that the kernel has it from agree in it; others may have another form.
        for unit in (value.unit for value in held):
            if unit is not None and names <= {m.name for m in unit.commons if m.block == block}:
                around = Surroundings(program, unit)
                around.inclusions = inclusions
                lines += around.outside_lines(names)
                break
        else:
            raise Refused(
                kernel.procedure.place, f"common {block}",
                f"no unit declares all of {', '.join(sorted(names))}",
                "declare it in both as one include file does",
            )  # fmt: skip
    # Bounds of two blocks may have the same parameters.
    return list(dict.fromkeys(lines)) if around is None else around.in_order(lines)


_SHARED = frozenset({"pointer", "target"})


def take_inside(
    program: Program, around: Surroundings, kernels: Sequence[Kernel], written: Iterable[str],
    paths: Mapping[str, Expression],
) -> None:  # fmt: skip
    """`around` knows then where variables are that the nest's unit does not see."""
    names = sorted(written)
    quantities = {q.name for k in kernels for q in (*k.inputs, *k.outputs)}
    for k in kernels:
        for value in dict.fromkeys((*k.constants, *k.tables)):
            if value.storage not in (MODULE, COMMON):
                continue
            if value.name in quantities:
                raise Refused(
                    k.procedure.place, f"array {value.variable}",
                    f"it is one of points, and a procedure that the nest calls reads that of "
                    f"{value.owner} by itself", "pass it to the procedure as an argument",
                )  # fmt: skip
            _take(program, around, k, value)
            for name in names:
                _check_written(program, around, k, value, name, paths.get(name, Name(name)))


def _take(program: Program, around: Surroundings, k: Kernel, value: HostValue) -> None:
    """Refused where the name is that of another variable in the nest's unit."""
    root = value.variable.partition("%")[0]
    if "%" in value.variable and around.is_own(value.storage, value.owner):
        raise Refused(
            k.procedure.place, f"variable {value.variable} of {value.owner}",
            "a procedure that the nest calls reads it, and the generated module cannot use the "
            "module that the nest stands in", "pass it to the procedure as an argument",
        )  # fmt: skip
    symbol = around.scope.find(root)
    if symbol is None and value.storage == MODULE:
        if around.inside.setdefault(root, value.owner) == value.owner:
            return
    elif symbol is not None and (symbol.storage, symbol.owner, symbol.name) == (
        value.storage, value.owner, root,
    ):  # fmt: skip
        there = [value.unit] if value.unit is not None and value.storage == COMMON else []
        if other_form(program, symbol, there) is None:
            return
    what = f"common /{value.owner}/" if value.storage == COMMON else f"module {value.owner}"
    why = f"a procedure that the nest calls reads that of {what}, and in {around.unit.name} "
    why += "it is another variable" if symbol is not None else "it is not declared"
    raise Refused(k.procedure.place, f"variable {root}", why,
                  "give one of them another name, or pass it as an argument")  # fmt: skip


def _check_written(
    program: Program, around: Surroundings, k: Kernel, value: HostValue, name: str,
    path: Expression,
) -> None:  # fmt: skip
    words = _words(path)
    symbol = around.scope.find(words[0])
    if symbol is None or name == value.variable:
        return
    # A variable that is used has its own name in its module.
    mine, its = [symbol.name, *words[1:]], value.variable.split("%")
    same = (symbol.storage, symbol.owner) == (value.storage, value.owner) and all(
        a == b for a, b in zip(mine, its, strict=False)
    )
    if same or _may_point(program, around.scope.find(name) or symbol, value):
        raise Refused(
            k.procedure.place, f"variable {value.variable} of {value.owner}",
            "a procedure that the nest calls reads it, and the nest writes it as "
            f"{'%'.join(words)}" if same else
            f"a procedure that the nest calls reads it, and {'%'.join(words)}, which the nest "
            "writes, may be the same memory",
            "pass it to the procedure as an argument",
        )  # fmt: skip


def _may_point(program: Program, written: Symbol, value: HostValue) -> bool:
    """Whether a pointer stands between what is written and what is read, or an argument that is a
    target."""
    module = program.modules.get(value.owner) if value.storage == MODULE else None
    read = program.scope(module).find(value.variable.partition("%")[0]) if module else None
    if read is None or not read.attributes & _SHARED or not written.attributes & _SHARED:
        return False
    if (read.type, read.kind) != (written.type, written.kind) and read.type != "type":
        return False
    return "pointer" in read.attributes | written.attributes or written.storage == DUMMY


def _words(path: Expression) -> list[str]:
    """p(i)%x(k) -> p, x."""
    words: list[str] = []
    e = path
    while isinstance(e, Apply | Component):
        if isinstance(e, Component):
            words.insert(0, e.name)
        e = e.base
    assert isinstance(e, Name)
    return [e.id, *words]
