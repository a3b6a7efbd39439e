"""Constant expressions of a scope: scalars, and arrays as flat lists in array order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from bridge_port.program.symbols import Scope
from bridge_port.semantic import intrinsics
from bridge_port.semantic.folding import (
    call,
    reduction,
    selected_int_kind,
    selected_real_kind,
)
from bridge_port.semantic.values import (
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
    Name,
    Number,
    Section,
    Text,
    Truth,
    Unary,
    is_substring,
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
        if isinstance(expression, Apply) and expression.reference:
            return self._apply(expression.reference, expression.arguments)
        if isinstance(expression, Apply) and is_substring(expression.arguments):
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
        if symbol is not None and symbol.type == "character" and is_substring(arguments):
            return self._substring(self._named(name), arguments[0])
        if symbol is not None or self._scope.procedure(name) is not None:
            if symbol is None or "intrinsic" not in symbol.attributes:
                return self._called(name, arguments)
        one = intrinsics.find(name)
        given = None if one is None else one.bound(arguments)
        return None if one is None or given is None else self._intrinsic(one, given)

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

    def _intrinsic(
        self, one: intrinsics.Intrinsic, given: dict[str, Expression]
    ) -> Constant | None:
        """given: arguments by the names of the dummies."""
        own = {"selected": self._selected, "bounds": self._bounds, "cmplx": self._converted}
        if one.form in own:
            return own[one.form](one, given)
        if one.name == "reshape":
            return self._reshape(given)
        names = sorted(given.keys() - {"kind"}, key=one.place)
        if one.of_type:
            found = self._scope.type_of(given[names[0]])
            return None if found is None else _one(inquiry(one.name, *found))
        kind = self.integer(given.get("kind"))
        if kind is None and "kind" in given:
            return None
        arguments = [self.value(given[name]) for name in names]
        known = [argument for argument in arguments if argument is not None]
        if len(known) < len(names) or not known:
            return None
        if one.category == intrinsics.REDUCTION:
            return _one(_reduced(one.name, known)) if set(names) <= {names[0], "mask"} else None
        if not one.in_front(names):
            return None
        return _map(lambda *values: call(one.name, values, kind), *known)

    def _selected(
        self, one: intrinsics.Intrinsic, given: dict[str, Expression]
    ) -> Constant | None:
        """The kind of so many digits."""
        numbers = {name: self.integer(e) for name, e in given.items()}
        known = {name: number for name, number in numbers.items() if number is not None}
        if len(known) < len(numbers) or "radix" in known:
            return None
        if one.name == "selected_int_kind":
            return _one(integer(selected_int_kind(known["r"])))
        return _one(integer(selected_real_kind(known.get("p", 0), known.get("r", 0))))

    def _converted(
        self, one: intrinsics.Intrinsic, given: dict[str, Expression]
    ) -> Constant | None:
        """cmplx."""
        kind = one.fixed[1] if one.fixed else self.integer(given["kind"]) if "kind" in given else 4
        return None if kind is None else self._complex(given["x"], given.get("y"), kind)

    def _bounds(self, one: intrinsics.Intrinsic, given: dict[str, Expression]) -> Constant | None:
        array, dimension = given[one.dummies[0]], given.get("dim")
        at = self.integer(dimension)
        if dimension is not None and at is None:
            return None
        if isinstance(array, Name) and (symbol := self._scope.find(array.id)):
            bounds = self._scope.bounds(symbol)
            sizes = list(self._scope.extents(symbol))
        else:
            found = self.value(array)
            if found is None:
                return None
            bounds = tuple((1, extent) for extent in found.shape)
            sizes = list(found.shape)
        if one.name == "shape":
            known = tuple(integer(extent) for extent in sizes if extent is not None)
            return Constant((len(known),), known) if len(known) == len(sizes) else None
        if one.name == "size":
            chosen = sizes if at is None else sizes[at - 1 : at]
            if not chosen or None in chosen:
                return None
            return _one(integer(math.prod(extent or 0 for extent in chosen)))
        which = [bound[0 if one.name == "lbound" else 1] for bound in bounds]
        if at is not None:
            which = which[at - 1 : at]
        if not which or None in which:
            return None
        values = tuple(integer(bound) for bound in which if bound is not None)
        return Constant(() if at is not None else (len(values),), values)

    def _reshape(self, given: dict[str, Expression]) -> Constant | None:
        source, shaped = self.value(given["source"]), self.value(given["shape"])
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


def _reduced(name: str, arguments: Sequence[Constant]) -> Value | None:
    """Of the elements of an array, or of those that a mask of its shape chooses."""
    array, mask = arguments[0], arguments[-1] if len(arguments) > 1 else None
    if mask is not None and mask.shape != array.shape:
        return None
    values = [value for value in array.values if value is not None]
    if len(values) < len(array.values):
        return None
    if mask is not None:
        values = [v for v, m in zip(values, mask.values, strict=True) if m is not None and m.plain]
    return reduction(name, values)


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
