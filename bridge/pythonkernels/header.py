"""The header of a kernel: its text around the function's body."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from bridge.pythonkernels.refusal import Refusal
from bridge.pythonkernels.text import broken, mentions
from bridge.pythonkernels.values import PLAIN, PRIMARY, Array, Scalar, Size, number


@dataclass(frozen=True)
class Argument:
    """Of the kernel's function: a quantity under its C++ name, as many values as size says (None:
    one); about: what the header says of it."""

    quantity: str
    name: str
    size: Size | None
    unit: str
    about: str
    logical: bool = False


@dataclass
class Header:
    """What the parts of a kernel's text add to it.

    shared: whether it reads the data of the run; fortran: whether it needs fortran.h; refusals: of
    all functions that are translated for it.
    """

    kernel: str
    shared: bool = False
    fortran: bool = False
    parts: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    _tables: dict[str, np.ndarray] = field(default_factory=dict)
    _functions: dict[Hashable, str | None] = field(default_factory=dict)

    @property
    def namespace(self) -> str:
        return f"{self.kernel}_parts"

    def function(self, key: Hashable, stem: str, made: Callable[[str], str | None]) -> str | None:
        """Name of a function of C++ that is made once; made(name): its text, None for none."""
        if key not in self._functions:
            taken = {*self._functions.values()}
            own = next(name for n in itertools.count(1)
                       if (name := stem if n == 1 else f"{stem}{n}") not in taken)  # fmt: skip
            self._functions[key] = own
            text = made(own)
            if text is None:
                self._functions[key] = None
            else:
                self.parts.append(text)
        return self._functions[key]

    def table(self, name: str, values: np.ndarray, numeric: bool) -> Array:
        """An array of numbers of the module, whose text the header has."""
        values = values if values.dtype.kind in "iu" else values.astype(float)
        stem = f"{name}_table"
        own = stem
        for n in itertools.count(2):
            if own not in self._tables or np.array_equal(self._tables[own], values):
                break
            own = f"{stem}{n}"

        def element(at: tuple[Scalar, ...]) -> Scalar:
            known = [one.number for one in at]
            if None not in known:
                return number(values[tuple(int(one or 0) for one in known)])
            self._tables[own] = values
            self.fortran = True
            flat = "".join(f"[{one.text}]" for one in at)
            return Scalar(f"{self.namespace}::{own}{flat}", PLAIN, PRIMARY)

        return Array(name, tuple(Size(0, n) for n in values.shape), element, None, numeric)

    def text(
        self, before: Sequence[str], inputs: Sequence[Argument], outputs: Sequence[Argument],
        body: Sequence[str],
    ) -> str:  # fmt: skip
        """before: lines of the comment that it begins with."""
        templates, arguments = ["class Real"], []
        read = "\n".join(body)
        arguments.append("const Shared& shared" if mentions(read, "shared") else "const Shared&")
        for place, one in enumerate([*inputs, *outputs]):
            result = place >= len(inputs)
            kind = "Bits<Real>" if one.logical else "Real"
            if one.size is not None:
                kind = f"{'Out' if result else 'In'}{place if result else place + 1}"
                templates.append(f"class {kind}")
            used = result or mentions(read, one.name)
            name = one.name if used else f"/* {one.name} */"
            arguments.append(f"{kind}& {name}" if result else f"const {kind}& {name}")
        lines = [f"// {one}".rstrip() for one in before]
        lines += ["//"]
        lines += _about("In ", inputs) + _about("Out", outputs)
        lines += ["#pragma once", f'#include "{"fortran" if self.fortran else "point"}.h"', ""]
        lines += ["namespace BRIDGE_NAMESPACE {", ""]
        if self._tables or self.parts:
            lines += [f"namespace {self.namespace} {{", ""]
            for name, values in self._tables.items():
                sizes = "".join(f"[{n}]" for n in values.shape)
                text = f"BRIDGE_TABLE double {name}{sizes} = {_numbers(values)};"
                lines += [*broken(text), ""]
            for part in self.parts:
                lines += [*part.splitlines(), ""]
            lines += [f"}}  // namespace {self.namespace}", ""]
        lines += broken(f"template <{', '.join(templates)}>")
        lines += signature(f"BRIDGE_FN void {self.kernel}(", arguments)
        lines += [*body, "}", "", "}  // namespace BRIDGE_NAMESPACE"]
        return "\n".join(lines) + "\n"


def _about(word: str, arguments: Sequence[Argument]) -> list[str]:
    lines = []
    for one in arguments:
        size = "" if one.size is None else f" ({one.size})"
        unit = "" if one.unit == "1" else f" {one.unit}"
        about = f": {one.about}" if one.about else ""
        name = one.quantity if one.quantity == one.name else f"{one.quantity} as {one.name}"
        lines.append(f"// {word} {name}{size}{unit}{about}")
        word = "   "
    return lines


def signature(start: str, arguments: Sequence[str]) -> list[str]:
    """The head of a function whose body follows."""
    lines, line = [], start
    for place, one in enumerate(arguments):
        text = one + (", " if place + 1 < len(arguments) else ") {")
        if len(line) + len(text.rstrip()) > 99:
            lines.append(line.rstrip())
            line = " " * len(start)
        line += text
    return [*lines, line]


def _numbers(values: np.ndarray) -> str:
    if values.ndim > 1:
        return "{" + ", ".join(_numbers(one) for one in values) + "}"
    return "{" + ", ".join(number(float(one)).text for one in values) + "}"
