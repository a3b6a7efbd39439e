"""A declared function as a kernel: what its quantities are, its header."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import FunctionType

import numpy as np

from bridge.plan.columns import WANTED, of_species, plain
from bridge.plan.declarations import Declarations
from bridge.pythonkernels.declaration import Kernel
from bridge.pythonkernels.header import Argument, Header
from bridge.pythonkernels.loops import in_memory
from bridge.pythonkernels.refusal import Construct, Refusal
from bridge.pythonkernels.scope import Scope, Source
from bridge.pythonkernels.statements import Function, declared
from bridge.pythonkernels.text import Lines, Names
from bridge.pythonkernels.values import EQUAL, MASK, REAL, Array, Scalar, Size, Value, is_number


@dataclass(frozen=True)
class Own:
    """A quantity or constant of the pack: columns as in a catalogue; value: of a constant, None
    where the host gives it; constant, type: as in a catalogue."""

    name: str
    unit: str
    columns: str
    about: str
    constant: bool = False
    type: str = "float64"
    value: object = None


@dataclass(frozen=True)
class Made:
    """A kernel of a pack. own: its quantities and constants that the package does not have; line:
    of its definition."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    about: str
    own: dict[str, Own]
    text: str
    line: int


def made(kernel: Kernel, shipped: Declarations, file: str) -> tuple[Made | None, list[Refusal]]:
    """A kernel of a declared function, or why there is none. file: as messages call it."""
    function = kernel.function
    path = inspect.getsourcefile(function) or file
    header = Header(kernel.name, files={path: file})
    line = function.__code__.co_firstlineno
    try:
        assert isinstance(function, FunctionType)
        if Names().new(kernel.name) != kernel.name:
            raise Construct(
                f"def {kernel.name}", "a word of C++ or of kernels", "use another name"
            )
        source = Source.of(function, header.files)
        line = source.tree.lineno
        about, told = _docstring(kernel)
        own = {name: _own(kernel, name, shipped, about, told) for name in _names(kernel)}
        inputs, outputs = _arguments(kernel, shipped, own)
        names, lines, constants = Names(), Lines(), dict[str, str]()
        scope = Scope(function, source, names, constants)
        body = Function(header, scope, lines, (function,))
        cpp = {one.name: names.new(one.name) for one in inputs}
        inputs = [_renamed(one, cpp[one.name]) for one in inputs]
        outputs = [_renamed(one, names.new(one.name)) for one in outputs]
        for name, one in zip((*kernel.parameters, *kernel.fixed), inputs, strict=True):
            body.argument(name, _value(name, one, False))
        results = [_value(one.quantity, one, True) for one in outputs]
        body.outputs = [one for one in results if isinstance(one, Scalar | Array)]
        body.rewritten = {n for n, one in enumerate(outputs) if one.quantity in kernel.inputs}
        body.body()
        if body.result is None:
            raise Construct(kernel.name, "it returns nothing", "return its outputs")
    except Construct as found:
        place = found.line or line
        header.refusals.append(Refusal(file, place, found.construct, found.why, found.change))
    if header.refusals:
        return None, header.refusals
    text = header.text(
        [f"{kernel.name}: {about}" if about else kernel.name], inputs, outputs,
        [*declared(constants, lines), *lines.finished()],
    )  # fmt: skip
    mine = {name: one for name, one in own.items() if one is not None}
    given = (*kernel.inputs, *kernel.constants)
    return Made(kernel.name, given, kernel.outputs, about, mine, text, line), []


def _names(kernel: Kernel) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*kernel.inputs, *kernel.constants, *kernel.outputs)))


def _docstring(kernel: Kernel) -> tuple[str, Mapping[str, str]]:
    """What the kernel is, and what its lines `name: text` say of quantities."""
    text = inspect.getdoc(kernel.function) or ""
    first = " ".join(text.partition("\n\n")[0].split()).rstrip(".")
    first = re.split(r"(?<=[^\d])\. ", first)[0]
    return first, dict(re.findall(r"^\s*(\w+): +(\S.*?)\.?$", text.partition("\n")[2], re.M))


def _own(
    kernel: Kernel, name: str, shipped: Declarations, about: str, told: Mapping[str, str]
) -> Own | None:
    """What a quantity of the pack is, None for one of the package."""
    found = shipped.quantities.get(name)
    unit, columns = kernel.units.get(name), kernel.columns.get(name)
    if found is not None:
        for word, given, its in (("unit", unit, found.unit), ("columns", columns, found.columns)):
            if given is not None and str(given) != its:
                raise Construct(f"{word} of {name}", f"{given!r}, and the package's {name} has "
                                f"{its!r}", "leave it out, or take another name")  # fmt: skip
        if name in kernel.constants:
            raise Construct(name, "a quantity of the package as a constant",
                            "take it before the *, or another name")  # fmt: skip
        if found.dtype != "float64":
            raise Construct(name, "a quantity of integers", "write this kernel in C++")
        return None
    parameters = dict(zip((*kernel.inputs, *kernel.constants),
                          (*kernel.parameters, *kernel.fixed), strict=True))  # fmt: skip
    word = parameters.get(name, "")
    text = kernel.about.get(name, told.get(name, told.get(word, "")))
    if not text and kernel.outputs == (name,):
        text = about
    if not text:
        what = "result" if not word else "argument" if word == name else word
        text = f"{what} of {kernel.name}"
    if name not in kernel.constants:
        return Own(name, unit or "1", str(columns or 1), text)
    value = kernel.values[name]
    kind = "logical" if isinstance(value, bool) else "float64"
    if isinstance(value, tuple | list | np.ndarray):
        value = [float(one) for one in np.ravel(value)]
        columns = columns or len(value)
    elif value is not None and not is_number(value):
        raise Construct(f"{name}={value!r}", "a constant is a number, or a tuple of numbers")
    elif value is not None and kind == "float64":
        value = float(value)
    return Own(name, unit or "1", str(columns or 1), text, True, kind, value)


def _arguments(
    kernel: Kernel, shipped: Declarations, own: Mapping[str, Own | None]
) -> tuple[list[Argument], list[Argument]]:
    """Of the function of C++: inputs and constants under Python's names, then results."""
    parameters = (*kernel.parameters, *kernel.fixed)
    given = (*kernel.inputs, *kernel.constants)
    pairs = [*zip(given, parameters, strict=True), *((name, name) for name in kernel.outputs)]
    found = []
    for name, python in pairs:
        quantity = own[name]
        logical = False
        if quantity is None:
            about = shipped.quantities[name]
            unit, word, text = about.unit, about.columns, about.about
        else:
            unit, word, text = quantity.unit, quantity.columns, quantity.about
            logical = quantity.type == "logical"
        size = None
        linear = of_species(word)
        if linear is not None:
            size = Size(linear.a, linear.b)
        elif not word.isdigit():
            wanted = "write this kernel in C++" if plain(word) else f"wanted {WANTED}"
            raise Construct(f"columns of {name}", f"{word!r}", wanted)
        elif word != "1":
            size = Size(0, int(word))
        found.append(Argument(name, python, size, unit, text, logical))
    return found[: len(given)], found[len(given) :]


def _renamed(argument: Argument, name: str) -> Argument:
    return replace(argument, name=name)


def _value(name: str, argument: Argument, result: bool) -> Value:
    """What an argument is within the function."""
    if argument.size is None:
        if argument.logical:
            return Scalar(f"{argument.name} != 0", MASK, EQUAL)
        return Scalar(argument.name, REAL)
    array = in_memory(argument.name, (argument.size,), name)
    return array if result else Array(name, array.sizes, array.element)
