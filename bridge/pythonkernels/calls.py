"""Calls: functions of kernels under Python's names, of numbers and of arrays."""

from __future__ import annotations

import ast
import inspect
import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from bridge.pythonkernels import functions
from bridge.pythonkernels.declaration import Kernel
from bridge.pythonkernels.loops import Loops
from bridge.pythonkernels.refusal import Construct
from bridge.pythonkernels.values import (
    INDEX,
    MASK,
    REAL,
    TRUTH,
    Array,
    Scalar,
    Several,
    Size,
    Static,
    Value,
    number,
    real,
)

#: Methods of arrays -> what they do.
_METHODS = {
    "sum": "sum",
    "max": "largest",
    "min": "least",
    "dot": "dot",
    "prod": "product",
    "mean": "mean",
}
#: What Python computes of known numbers.
_KNOWN: dict[str, Callable[..., Any]] = {
    name: getattr(math, name)
    for name in (
        "sqrt exp log log2 log10 log1p expm1 sin cos tan asin acos atan atan2 sinh cosh tanh erf "
        "floor ceil copysign hypot cbrt exp2"
    ).split()
    if hasattr(math, name)
}
_CHOICE: dict[str, Callable[[list[int]], int]] = {"max": max, "min": min}


class Calls(Loops):
    """What is called within expressions."""

    @abstractmethod
    def helper(self, function: FunctionType, arguments: Sequence[Value]) -> Value: ...

    def call(self, node: ast.Call) -> Value:
        what = ast.unparse(node.func)
        for one in node.args:
            if isinstance(one, ast.Starred):
                raise Construct(f"*{ast.unparse(one.value)}", "how many there are is not seen",
                                "write them one by one")  # fmt: skip
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if isinstance(owner, Array):
                return self._method(owner, node, what)
        called = self.value(node.func)
        if not isinstance(called, Static):
            raise Construct(f"{what}(...)", "it is no function")
        function = called.value
        if isinstance(function, Kernel):
            function = function.function
        if (name := functions.of_whole(function)) is not None:
            return self._whole(name, node, what)
        if (name := functions.elementwise(function)) is not None:
            if node.keywords:
                raise Construct(f"{what}(..., {node.keywords[0].arg}=)", "no such argument of "
                                "functions of kernels")  # fmt: skip
            wanted = functions.ARGUMENTS.get(name, 1)
            if len(node.args) != wanted:
                change = ""
                if function is math.log:
                    change = "write np.log(x) / np.log(base)"
                count = f"{len(node.args)} argument{'s'[: len(node.args) != 1]}, not {wanted}"
                raise Construct(f"{what}(...)", count, change)
            values = [self.value(one) for one in node.args]
            own = name
            return self.elementwise(values, lambda *each: self.apply(own, each), f"{what}(...)")
        if isinstance(function, FunctionType):
            return self._helper(function, node, what)
        change = next((c for f, c in functions.INSTEAD.items() if f is function), "")
        change = f"write {change}" if change else "use functions of kernels, or arithmetic"
        raise Construct(f"{what}(...)", "no function of kernels", change)

    def _helper(self, function: FunctionType, node: ast.Call, what: str) -> Value:
        """A plain function of Python: its arguments in order."""
        try:
            bound = inspect.signature(function).bind(
                *(self.value(one) for one in node.args),
                **{one.arg or "**": self.value(one.value) for one in node.keywords},
            )
        except TypeError as error:
            raise Construct(f"{what}(...)", str(error)) from None
        arguments: list[Value] = []
        for name, one in inspect.signature(function).parameters.items():
            if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
                raise Construct(f"{what}(...)", f"*{name} of its definition", "name its arguments")
            if name in bound.arguments:
                arguments.append(bound.arguments[name])
            else:
                arguments.append(self.of_python(name, one.default))
        return self.helper(function, arguments)

    # ---- of numbers

    def apply(self, name: str, values: Sequence[Scalar]) -> Scalar:
        """A function of numbers."""
        if name in ("where", "and", "or", "not"):
            if name == "where":
                return self.select(*values)
            if name == "not":
                return self.negated(values[0])
            for one in values:
                if not one.logical:
                    raise Construct(f"logical_{name}", "of a number", f"write {one.text} != 0")
            return self.joined("&" if name == "and" else "|", values)
        if name == "number" and values[0].logical:
            return self.select(values[0], number(1.0), number(0.0))
        for one in values:
            if one.logical:
                raise Construct(f"{name}({one.text})", "a truth value where a number is wanted",
                                "write np.where(condition, 1.0, 0.0)")  # fmt: skip
        if name in _KNOWN and all(one.number is not None for one in values):
            try:
                return number(float(_KNOWN[name](*(float(one.number or 0) for one in values))))
            except (ArithmeticError, ValueError) as error:
                raise Construct(f"{name}(...)", str(error)) from None
        if name in functions.LOGICAL:
            kind = MASK if values[0].of_point else TRUTH
            return Scalar(f"{name}({real(values[0]).text})", kind)
        form = getattr(self, f"_form_{name}", None)
        if form is not None:
            made: Scalar = form(*values)
            return made
        if name in ("max", "min", "abs") and all(one.kind == INDEX for one in values):
            known = [int(one.number) for one in values if one.number is not None]
            if len(known) == len(values):
                return number(abs(known[0]) if name == "abs" else _CHOICE[name](known))
        return self.function(name, values)

    def _form_number(self, x: Scalar) -> Scalar:
        return real(x)

    def _form_power(self, x: Scalar, y: Scalar) -> Scalar:
        return self.binary(ast.Pow(), x, y)

    def _form_square(self, x: Scalar) -> Scalar:
        return self.binary(ast.Pow(), x, number(2))

    def _form_reciprocal(self, x: Scalar) -> Scalar:
        return self.binary(ast.Div(), number(1.0), x)

    def _form_clip(self, x: Scalar, low: Scalar, high: Scalar) -> Scalar:
        return self.function("min", (self.function("max", (x, low)), high))

    def _form_hypot(self, x: Scalar, y: Scalar) -> Scalar:
        squares = [self._form_square(self.named(one)) for one in (x, y)]
        return self.function("sqrt", (self.binary(ast.Add(), *squares),))

    def _form_sgn(self, x: Scalar) -> Scalar:
        x, zero = self.named(x), number(0.0)
        below = self.select(self.compared(ast.Lt(), x, zero), number(-1.0), x)
        return self.select(self.compared(ast.Gt(), x, zero), number(1.0), below)

    def _form_heaviside(self, x: Scalar, at_zero: Scalar) -> Scalar:
        x, zero = self.named(x), number(0.0)
        at = self.select(self.compared(ast.Eq(), x, zero), at_zero, x)
        below = self.select(self.compared(ast.Lt(), x, zero), zero, at)
        return self.select(self.compared(ast.Gt(), x, zero), number(1.0), below)

    def named(self, x: Scalar) -> Scalar:
        """A value that is read several times: under a name."""
        return x if x.text.isidentifier() else self.kept(real(x), "value")

    # ---- of arrays and several values

    def _method(self, owner: Array, node: ast.Call, what: str) -> Value:
        assert isinstance(node.func, ast.Attribute)
        method = node.func.attr
        if method == "copy" and not node.args:
            return owner
        if method not in _METHODS or node.keywords:
            raise Construct(f"{what}(...)", "arrays of a kernel do not have it")
        if method == "dot" and len(node.args) == 1:
            return self.dot(owner, self.value(node.args[0]))
        if node.args:
            raise Construct(f"{what}(...)", "with arguments", "write a for loop")
        return self._reduced(_METHODS[method], node.func.value)

    def _whole(self, name: str, node: ast.Call, what: str) -> Value:
        for one in node.keywords:
            if not (name in ("zeros", "ones", "array", "like") and one.arg == "dtype"):
                raise Construct(f"{what}(..., {one.arg}=)", "no such argument in kernels",
                                "write a for loop")  # fmt: skip
        arguments = node.args
        if name in ("maximum", "minimum") and len(arguments) > 1:
            values = [self.value(one) for one in arguments]
            own = name[:3]
            made = values[0]
            for other in values[1:]:
                made = self.elementwise((made, other), lambda a, b: self.apply(own, (a, b)), what)
            return made
        if name == "dot" and len(arguments) == 2:
            return self.dot(*(self.value(one) for one in arguments))
        if name == "sum" and len(arguments) == 2:
            start = self.scalar(arguments[1])
            return self.gathered(arguments[0], start, "total", self.added)
        if len(arguments) != 1:
            raise Construct(f"{what}(...)", f"{len(arguments)} arguments", "write a for loop")
        first = arguments[0]
        if name == "len":
            value = self.value(first)
            if isinstance(value, Several):
                return number(len(value.items))
            return self.size(self.array_of(value, what).sizes[0])
        if name in ("zeros", "ones"):
            array = self.local("values", self._sizes(first, what))
            if "empty" in what:
                return array
            return self.fill(array, lambda at: number(float(name == "ones")))
        if name == "like":
            like = self.array_of(self.value(first), what)
            array = self.local("values", like.sizes)
            return array if "empty" in what else self.fill(array, lambda at: number(0.0))
        if name in ("array", "tuple", "list"):
            value = self.value(first)
            if isinstance(value, Several) and name == "tuple":
                return value
            array = self.array_of(value, what)
            return Array(array.name, array.sizes, array.element, array.store, name == "array")
        return self._reduced(name, first)

    def _reduced(self, name: str, node: ast.expr) -> Scalar:
        """All values of an array or generator as one."""
        if name == "sum":
            return self.gathered(node, number(0.0), "total", self.added)
        if name == "mean":
            array = self.array_of(self.value(node), ast.unparse(node))
            count = array.sizes[0]
            for size in array.sizes[1:]:  # of fixed sizes
                count = Size(0, count.more * size.more)
            total = self.gathered(node, number(0.0), "total", self.added)
            return self.binary(ast.Div(), total, self.size(count))
        if name == "product":
            times: Callable[[Scalar, Scalar], Scalar]
            times = lambda a, b: self.binary(ast.Mult(), a, b)  # noqa: E731
            return self.gathered(node, number(1.0), "product", times)
        if name in ("any", "all"):
            sign = "|" if name == "any" else "&"
            start = number(name == "all")
            return self.gathered(node, start, name, lambda a, b: self.joined(sign, (a, b)))
        own, end = ("max", -math.inf) if name in ("largest", "maximum") else ("min", math.inf)
        start = number(end)
        return self.gathered(node, start, own, lambda a, b: self.apply(own, (a, b)))

    def _sizes(self, node: ast.expr, what: str) -> tuple[Size, ...]:
        value = self.value(node)
        items = value.items if isinstance(value, Several) else (value,)
        sizes = []
        for one in items:
            if not isinstance(one, Scalar) or one.kind != INDEX or one.low is None:
                raise Construct(f"{what}(...)", "its size is not known",
                                "give it a number, or the length of an array")  # fmt: skip
            if one.low != one.high or (one.low.least or 0) < 1:
                raise Construct(f"{what}(...)", f"its size is {one.text}")
            sizes.append(one.low)
        return tuple(sizes)


def is_real(value: Value) -> bool:
    """Whether it may be handed to a function of C++ as a number."""
    return isinstance(value, Scalar) and value.kind in (REAL, "plain", INDEX)
