"""Constant expressions of a scope: scalars, and arrays as flat lists in array order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from bridge_port.program import intrinsics
from bridge_port.program.constantfunctions import call
from bridge_port.program.symbols import Scope
from bridge_port.program.values import (
    INQUIRIES,
    Constant,
    Value,
    binary,
    complex_number,
    inquiry,
    integer,
    number,
    unary,
)
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    ComplexNumber,
    Expression,
    ImpliedDo,
    Keyword,
    Name,
    Number,
    Section,
    Text,
    Truth,
    Unary,
)


def evaluate(
    expression: Expression, scope: Scope, variables: dict[str, int] | None = None
) -> Constant | None:
    """None where it is not constant. variables: of implied do loops around it."""
    return Evaluator(scope, variables or {}).value(expression)


def _one(value: Value | None) -> Constant | None:
    return None if value is None else Constant((), (value,))


class Evaluator:
    def __init__(self, scope: Scope, variables: dict[str, int]) -> None:
        self._scope = scope
        self._variables = variables

    def value(self, expression: Expression) -> Constant | None:
        if isinstance(expression, Number):
            return self._number(expression.text)
        if isinstance(expression, Truth):
            return _one(Value("logical", 4, expression.value))
        if isinstance(expression, Text):
            return _one(Value("character", 1, expression.value))
        if isinstance(expression, ComplexNumber):
            return self._complex(expression.real, expression.imaginary)
        if isinstance(expression, Name):
            if expression.id in self._variables:
                return _one(integer(self._variables[expression.id]))
            return self._named(expression.id)
        if isinstance(expression, Unary):
            operand = self.value(expression.operand)
            return operand and _map(lambda a: unary(expression.operator, a), operand)
        if isinstance(expression, Binary):
            left, right = self.value(expression.left), self.value(expression.right)
            if left is None or right is None:
                return None
            return _map(lambda a, b: binary(expression.operator, a, b), left, right)
        if isinstance(expression, ArrayConstructor):
            values = self._items(expression.items)
            return None if values is None else Constant((len(values),), tuple(values))
        if isinstance(expression, Apply) and isinstance(expression.base, Name):
            return self._apply(expression.base.id, expression.arguments)
        if isinstance(expression, Apply) and _is_substring(expression.arguments):
            return self._substring(self.value(expression.base), expression.arguments[0])
        return None

    def _named(self, name: str) -> Constant | None:
        """Of what has a value here, besides variables of implied do loops."""
        return self._scope.parameter(name)

    def _called(self, name: str, arguments: tuple[Expression, ...]) -> Constant | None:
        """A function of the program: no constant."""
        return None

    def _substring(self, text: Constant | None, section: Expression) -> Constant | None:
        assert isinstance(section, Section)
        value = None if text is None else text.scalar
        if value is None or value.type != "character" or section.stride is not None:
            return None
        letters = str(value.plain)
        first = 1 if section.lower is None else self.integer(section.lower)
        last = len(letters) if section.upper is None else self.integer(section.upper)
        if first is None or last is None:
            return None
        if first > last:
            return _one(Value("character", 1, ""))
        if first < 1 or last > len(letters):
            return None
        return _one(Value("character", 1, letters[first - 1 : last]))

    def _complex(
        self, real: Expression, imaginary: Expression | None, kind: int | None = None
    ) -> Constant | None:
        """kind None: that of the parts."""
        parts = [self.scalar(real), integer(0) if imaginary is None else self.scalar(imaginary)]
        known = [one for one in parts if one is not None and one.type in ("real", "integer")]
        if len(known) < 2:
            return None
        kind = kind or max((one.kind for one in known if one.type == "real"), default=4)
        numbers = [one.plain for one in known]
        return _one(complex_number(complex(numbers[0], numbers[1]), kind))

    def scalar(self, expression: Expression) -> Value | None:
        found = self.value(expression)
        return None if found is None else found.scalar

    def integer(self, expression: Expression | None) -> int | None:
        found = None if expression is None else self.scalar(expression)
        return int(found.plain) if found is not None and found.type == "integer" else None

    def _number(self, text: str) -> Constant | None:
        plain, _, suffix = text.partition("_")
        kind: int | None = None
        if suffix:
            kind = int(suffix) if suffix.isdigit() else self.integer(Name(suffix))
            if kind is None:
                return None
        return _one(number(plain, kind))

    def _items(self, items: Sequence[Expression]) -> list[Value | None] | None:
        values: list[Value | None] = []
        for item in items:
            if isinstance(item, ImpliedDo):
                for index in self.range(item) or ():
                    inner = Evaluator(self._scope, {**self._variables, item.variable: index})
                    more = inner._items(item.items)
                    if more is None:
                        return None
                    values.extend(more)
                if self.range(item) is None:
                    return None
                continue
            found = self.value(item)
            if found is None:
                return None
            values.extend(found.values)
        return values

    def range(self, item: ImpliedDo) -> range | None:
        bounds = [self.integer(bound) for bound in item.bounds]
        first, last = bounds[0], bounds[1]
        step = bounds[2] if len(bounds) > 2 else 1
        if first is None or last is None or not step:
            return None
        return range(first, last + (1 if step > 0 else -1), step)

    def _apply(self, name: str, arguments: tuple[Expression, ...]) -> Constant | None:
        symbol = self._scope.find(name)
        if symbol is not None and symbol.dimensions is not None:
            array = self._named(name)
            return None if array is None else self._element(name, array, arguments)
        if symbol is not None and symbol.type == "character" and _is_substring(arguments):
            return self._substring(self._named(name), arguments[0])
        if symbol is not None or self._scope.procedure(name) is not None:
            if symbol is None or "intrinsic" not in symbol.attributes:
                return self._called(name, arguments)
        positional = [one for one in arguments if not isinstance(one, Keyword)]
        keywords = {one.name: one.value for one in arguments if isinstance(one, Keyword)}
        if name in INQUIRIES and len(positional) == 1 and not keywords:
            found = self._scope.type_of(positional[0])
            return None if found is None else _one(inquiry(name, *found))
        return self._function(name, positional, keywords)

    def _element(
        self, name: str, array: Constant, arguments: tuple[Expression, ...]
    ) -> Constant | None:
        symbol = self._scope.find(name)
        assert symbol is not None
        bounds = self._scope.bounds(symbol)
        if len(arguments) != len(bounds) or len(array.shape) != len(bounds):
            return None
        choices: list[list[int]] = []
        shape: list[int] = []
        for argument, (lower, _), extent in zip(arguments, bounds, array.shape, strict=True):
            lower = 1 if lower is None else lower
            if isinstance(argument, Section):
                first = lower if argument.lower is None else self.integer(argument.lower)
                last = (
                    lower + extent - 1 if argument.upper is None else self.integer(argument.upper)
                )
                step = 1 if argument.stride is None else self.integer(argument.stride)
                if first is None or last is None or not step:
                    return None
                chosen = list(range(first, last + (1 if step > 0 else -1), step))
                shape.append(len(chosen))
            else:
                found = self.value(argument)
                if found is None or any(v is None or v.type != "integer" for v in found.values):
                    return None
                chosen = [int(v.plain) for v in found.values if v is not None]
                shape.extend(found.shape)
            if any(not lower <= index < lower + extent for index in chosen):
                return None
            choices.append([index - lower for index in chosen])
        values = [0]
        stride = 1
        for chosen, extent in zip(choices, array.shape, strict=True):
            values = [base + index * stride for index in chosen for base in values]
            stride *= extent
        return Constant(tuple(shape), tuple(array.values[index] for index in values))

    def _function(
        self, name: str, positional: list[Expression], keywords: dict[str, Expression]
    ) -> Constant | None:
        if name == "selected_real_kind":
            places = [*positional, *(keywords[key] for key in ("p", "r") if key in keywords)]
            given = [self.integer(one) for one in places]
            if len(given) == 1 and "r" in keywords:
                given = [0, *given]
            if None in given or not given or len(given) > 2:
                return None
            return _one(integer(intrinsics.selected_real_kind(*(one or 0 for one in given))))
        if name == "selected_int_kind":
            wanted = self.integer((positional or list(keywords.values()))[0])
            return None if wanted is None else _one(integer(intrinsics.selected_int_kind(wanted)))
        if name in ("size", "lbound", "ubound", "shape") and positional:
            return self._inquire_shape(name, positional, keywords)
        if name == "reshape":
            return self._reshape(positional, keywords)
        if name in ("cmplx", "dcmplx"):
            given_kind = keywords.get("kind") or (positional[2] if len(positional) > 2 else None)
            size = 8 if name == "dcmplx" else 4 if given_kind is None else self.integer(given_kind)
            if size is None or len(positional) < 1 or set(keywords) - {"kind"}:
                return None
            return self._complex(
                positional[0], positional[1] if len(positional) > 1 else None, size
            )
        kind: int | None = None
        if name in intrinsics.WITH_KIND and ("kind" in keywords or len(positional) > 1):
            kind = self.integer(keywords.get("kind") or positional[1])
            if kind is None:
                return None
            positional = positional[:1]
        elif name in ("index", "scan", "verify") and set(keywords) == {"back"}:
            positional = [*positional, keywords["back"]]
        elif keywords:
            return None
        arguments = [self.value(one) for one in positional]
        if not arguments or any(one is None for one in arguments):
            return None
        known = [one for one in arguments if one is not None]
        if name in _REDUCTIONS and len(known) == 1:
            return _one(_reduce(name, known[0]))
        return _map(lambda *values: call(name, values, kind), *known)

    def _inquire_shape(
        self, name: str, positional: list[Expression], keywords: dict[str, Expression]
    ) -> Constant | None:
        dimension = positional[1] if len(positional) > 1 else keywords.get("dim")
        at = self.integer(dimension)
        if dimension is not None and at is None:
            return None
        if isinstance(positional[0], Name) and (symbol := self._scope.find(positional[0].id)):
            bounds = self._scope.bounds(symbol)
            sizes = list(self._scope.extents(symbol))
        else:
            found = self.value(positional[0])
            if found is None:
                return None
            bounds = tuple((1, extent) for extent in found.shape)
            sizes = list(found.shape)
        if name == "shape":
            known = tuple(integer(one) for one in sizes if one is not None)
            return Constant((len(known),), known) if len(known) == len(sizes) else None
        if name == "size":
            chosen = sizes if at is None else sizes[at - 1 : at]
            product = 1
            for one in chosen:
                if one is None:
                    return None
                product *= one
            return _one(integer(product)) if chosen else None
        which = [bound[0 if name == "lbound" else 1] for bound in bounds]
        if at is not None:
            which = which[at - 1 : at]
        if not which or None in which:
            return None
        values = tuple(integer(one) for one in which if one is not None)
        return Constant(() if at is not None else (len(values),), values)

    def _reshape(
        self, positional: list[Expression], keywords: dict[str, Expression]
    ) -> Constant | None:
        names = ("source", "shape", "pad", "order")
        given = {**dict(zip(names, positional, strict=False)), **keywords}
        source = self.value(given["source"]) if "source" in given else None
        shaped = self.value(given["shape"]) if "shape" in given else None
        if source is None or shaped is None or "order" in given:
            return None
        if any(one is None for one in shaped.values):
            return None
        shape = tuple(int(one.plain) for one in shaped.values if one is not None)
        size = math.prod(shape)
        values = list(source.values)
        if len(values) < size:
            pad = self.value(given["pad"]) if "pad" in given else None
            if pad is None or not pad.values:
                return None
            while len(values) < size:
                values.extend(pad.values)
        return Constant(shape, tuple(values[:size]))


def _is_substring(arguments: tuple[Expression, ...]) -> bool:
    return len(arguments) == 1 and isinstance(arguments[0], Section)


def _map(function: Callable[..., Value | None], *arguments: Constant) -> Constant | None:
    """Element by element, scalars with every element."""
    shapes = {one.shape for one in arguments if one.shape != ()}
    if len(shapes) > 1:
        return None
    shape = shapes.pop() if shapes else ()
    size = math.prod(shape)
    columns = [one.values if one.shape else one.values * size for one in arguments]
    values: list[Value | None] = []
    for row in zip(*columns, strict=True):
        value = None if any(one is None for one in row) else function(*row)
        if value is None:
            return None
        values.append(value)
    return Constant(shape, tuple(values))


_REDUCTIONS = frozenset(("sum", "product", "maxval", "minval", "any", "all", "count"))


def _reduce(name: str, array: Constant) -> Value | None:
    values = [one for one in array.values if one is not None]
    if len(values) < len(array.values) or not values:
        return None
    if name in ("any", "all"):
        return Value("logical", 4, (any if name == "any" else all)(one.plain for one in values))
    if name == "count":
        return integer(sum(bool(one.plain) for one in values))
    result: Value | None = values[0]
    for one in values[1:]:
        if result is None:
            return None
        if name in ("sum", "product"):
            result = binary("+" if name == "sum" else "*", result, one)
        else:
            result = call("max" if name == "maxval" else "min", (result, one), None)
    return result
