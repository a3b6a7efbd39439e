"""`@bridge.kernel`: what a Python function of one point reads and makes.

The decorator keeps the declaration and the function; a kernel is made of it by `bridge packs`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from bridge.errors import ArgumentError

Names = str | Iterable[str] | None


class Kernel:
    """A function of one point and what it declares.

    Called with numbers it is the function. With arrays, whose shapes broadcast, Python evaluates
    the function point after point; several columns of a quantity are the last axis.

    function: as it was written; inputs, constants: quantities of its positional arguments, and of
    those by keyword alone; outputs; units, columns, about: by name of a quantity, of those that
    were given.
    """

    def __init__(
        self, function: Callable[..., Any], inputs: Names, outputs: Names, constants: Names,
        units: Mapping[str, str], columns: Mapping[str, int | str], about: Mapping[str, str],
    ) -> None:  # fmt: skip
        functools.update_wrapper(self, function)
        self.function = function
        self.name = function.__name__
        given = inspect.signature(function).parameters.values()
        for one in given:
            if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
                raise ArgumentError("function", f"*{one.name} of {self.name}", "named arguments")
        points = [one for one in given if one.kind is not one.KEYWORD_ONLY]
        for one in points:
            if one.default is not one.empty:
                wanted = "no default; a constant of the pack stands behind a * and may have one"
                raise ArgumentError("function", f"{one.name}= of {self.name}", wanted)
        fixed = [one for one in given if one.kind is one.KEYWORD_ONLY]
        self.parameters = tuple(one.name for one in points)
        self.inputs = _names("inputs", inputs, self.parameters)
        self.fixed = tuple(one.name for one in fixed)
        self.constants = _names("constants", constants, self.fixed)
        #: Values of the constants, None where the host has to give one.
        self.values = {
            name: None if one.default is one.empty else one.default
            for name, one in zip(self.constants, fixed, strict=True)
        }
        self.outputs = _names("outputs", outputs, None)
        known = {*self.inputs, *self.constants, *self.outputs}
        said = {"units": units, "columns": columns, "about": about}
        for argument, mapping in said.items():
            if not isinstance(mapping, Mapping):
                raise ArgumentError(argument, repr(mapping), "a mapping of names of quantities")
            for name in mapping:
                if name not in known:
                    wanted = f"names of quantities of {self.name}: {', '.join(sorted(known))}"
                    raise ArgumentError(argument, repr(name), wanted)
        self.units, self.columns, self.about = dict(units), dict(columns), dict(about)

    def __call__(self, *arguments: Any, **constants: Any) -> Any:
        bound = inspect.signature(self.function).bind(*arguments, **constants)
        names = dict(zip(self.parameters, self.inputs, strict=True))
        given = {name: bound.arguments[name] for name in self.parameters}
        if not any(np.ndim(value) for value in given.values()):
            return self.function(*arguments, **constants)
        arrays = {name: np.asarray(value, float) for name, value in given.items()}
        several = {name for name in arrays if self.has_columns(names[name])}
        shapes = [a.shape[:-1] if name in several else a.shape for name, a in arrays.items()]
        shape = np.broadcast_shapes(*shapes)
        for name, a in arrays.items():
            arrays[name] = np.broadcast_to(a, shape + a.shape[-1:] if name in several else shape)
        fixed = {name: value for name, value in bound.arguments.items() if name in self.fixed}
        points = [
            self.function(*(a[index] for a in arrays.values()), **fixed)
            for index in np.ndindex(shape)
        ]
        if len(self.outputs) == 1:
            return _together(points, shape)
        return tuple(_together(column, shape) for column in zip(*points, strict=True))

    def has_columns(self, name: str) -> bool:
        """Whether a quantity has several columns, as said here or in the package's catalogue."""
        if name in self.columns:
            return str(self.columns[name]) != "1"
        if name in self.values:
            return np.ndim(self.values[name] or 0) > 0
        from bridge.plan.catalogue import Catalogue

        found = Catalogue.shipped().quantities.get(name)
        return found is not None and found.columns != "1"


def kernel(
    function: Callable[..., Any] | None = None,
    *,
    outputs: Names = None,
    inputs: Names = None,
    constants: Names = None,
    units: Mapping[str, str] | None = None,
    columns: Mapping[str, int | str] | None = None,
    about: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a Python function of one point a kernel of a pack.

        @bridge.kernel(outputs="mut", units={"mut": "Pa s"})
        def eddyViscosity(k, omega, rho):
            return rho * k / max(omega, 1e-10)

    `bridge packs build FILE.py` makes C++ of it and builds the pack. The function stays callable,
    with numbers and with NumPy arrays. Positional arguments are inputs. Arguments by keyword alone
    are constants of the pack, whose defaults are their values; without a default the host gives
    one. The docstring says what the kernel is; its lines `name: text` say what a quantity is.

    Args:
        function: what `@bridge.kernel` stands before without brackets: not possible, as outputs
            have no default.
        outputs: names of the quantities that the function returns, "rho mu" or a list.
        inputs: names of the quantities of the positional arguments; None: the arguments' names.
        constants: names of the constants of the arguments by keyword; None: the arguments' names.
        units: SI unit of a quantity of the pack by name; "1" where none is given. Quantities of
            the package keep theirs.
        columns: of a quantity of several values for a point: a number, "ns" or another word of the
            catalogue.
        about: what a quantity is, by name, in place of the docstring's line.

    Returns:
        The function, callable as before.

    Raises:
        ArgumentError: names do not fit the function's arguments.
    """
    if function is not None or outputs is None:
        raise ArgumentError("outputs", "nothing", '@bridge.kernel(outputs="names of its results")')

    def made(function: Callable[..., Any]) -> Kernel:
        return Kernel(function, inputs, outputs, constants, units or {}, columns or {},
                      about or {})  # fmt: skip

    return made


def _names(argument: str, given: Names, parameters: tuple[str, ...] | None) -> tuple[str, ...]:
    """Names of quantities, as many as there are parameters; None: the parameters' own."""
    if given is None:
        return parameters or ()
    names = tuple(given.split()) if isinstance(given, str) else tuple(given)
    for name in names:
        if not (isinstance(name, str) and name.isascii() and name.isidentifier()):
            raise ArgumentError(argument, repr(name), "letters, digits and underscores")
        if names.count(name) > 1:
            raise ArgumentError(argument, f"{name!r} twice", "each quantity once")
    if not names and parameters is None:
        raise ArgumentError(argument, repr(given), "names of quantities")
    if parameters is not None and len(names) != len(parameters):
        wanted = f"a name for each of {', '.join(parameters) or 'no arguments'}"
        raise ArgumentError(argument, repr(given), wanted)
    return names


def _together(points: Iterable[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Results of all points as one array; columns are the last axis."""
    values = np.asarray([np.asarray(one, float) for one in points], float)
    return values.reshape(shape + values.shape[1:])
