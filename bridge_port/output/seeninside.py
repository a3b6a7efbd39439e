"""Data of modules and COMMON that procedures read by themselves, which a nest calls.

The generated module gives them to the kernels. They have to be the variables of their names there,
and the nest must not write them under other names: nothing would see that the kernels behind read
what those before leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bridge_port.kernel import HostValue, Kernel
from bridge_port.output.surroundings import Surroundings
from bridge_port.program.commonblocks import other_form
from bridge_port.program.symbols import COMMON, DUMMY, MODULE, Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Apply, Component, Expression, Name

_SHARED = frozenset({"pointer", "target"})


def take_inside(
    program: Any, around: Surroundings, kernels: Sequence[Kernel], written: Iterable[str],
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


def _take(program: Any, around: Surroundings, k: Kernel, value: HostValue) -> None:
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
    program: Any, around: Surroundings, k: Kernel, value: HostValue, name: str, path: Expression
) -> None:
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


def _may_point(program: Any, written: Symbol, value: HostValue) -> bool:
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


__all__ = ["take_inside"]
