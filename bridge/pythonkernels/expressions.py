"""Expressions of Python as those of a kernel: names, arithmetic, comparisons, choices."""

from __future__ import annotations

import ast
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bridge.pythonkernels.functions import name_of
from bridge.pythonkernels.header import Header
from bridge.pythonkernels.refusal import Construct, Follows
from bridge.pythonkernels.scope import NOTHING, Scope
from bridge.pythonkernels.text import Lines
from bridge.pythonkernels.values import (
    AND,
    COMPARE,
    EQUAL,
    INDEX,
    MASK,
    OR,
    PLAIN,
    PRIMARY,
    PRODUCT,
    REAL,
    SUM,
    TRUTH,
    UNARY,
    Array,
    Scalar,
    Several,
    Size,
    Static,
    Value,
    is_number,
    number,
    real,
)

_ARITHMETIC: dict[type[ast.operator], tuple[str, int, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", SUM, operator.add),
    ast.Sub: ("-", SUM, operator.sub),
    ast.Mult: ("*", PRODUCT, operator.mul),
    ast.Div: ("/", PRODUCT, operator.truediv),
}
_KNOWN: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Pow: operator.pow,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
}
_SIGNS: dict[type[ast.operator], str] = {
    ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//", ast.MatMult: "@", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], tuple[str, int, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", COMPARE, operator.lt),
    ast.LtE: ("<=", COMPARE, operator.le),
    ast.Gt: (">", COMPARE, operator.gt),
    ast.GtE: (">=", COMPARE, operator.ge),
    ast.Eq: ("==", EQUAL, operator.eq),
    ast.NotEq: ("!=", EQUAL, operator.ne),
}
#: The largest exponent that is written as products of a name.
_PRODUCTS = 3
#: Constructs that have no form in a kernel: what to write instead.
_REFUSED: dict[type[ast.expr], tuple[str, str, str]] = {
    ast.Dict: ("dict", "kernels have numbers", "use arguments and variables"),
    ast.Set: ("set", "kernels have numbers", "use variables"),
    ast.JoinedStr: ("f-string", "kernels have numbers", ""),
    ast.Lambda: ("lambda", "its text is not read", "write a function with def"),
    ast.NamedExpr: (":=", "an assignment within an expression", "assign on a line before it"),
    ast.Await: ("await", "kernels are plain functions", ""),
    ast.Yield: ("yield", "kernels are plain functions", "return the values"),
    ast.DictComp: ("dict", "kernels have numbers", "use arrays"),
    ast.SetComp: ("set", "kernels have numbers", "use arrays"),
    ast.Starred: ("*", "the number of values is not seen", "write them one by one"),
}


class Expressions(ABC):
    """Of one function; what they need to be computed before is added to its lines."""

    def __init__(self, header: Header, scope: Scope, lines: Lines) -> None:
        self.header, self.scope, self.lines = header, scope, lines

    # ---- what others give

    @abstractmethod
    def call(self, node: ast.Call) -> Value: ...

    @abstractmethod
    def listed(self, node: ast.ListComp | ast.GeneratorExp) -> Value: ...

    @abstractmethod
    def dot(self, a: Value, b: Value) -> Value: ...

    # ---- values

    def value(self, node: ast.expr) -> Value:
        """Any expression."""
        match node:
            case ast.Constant():
                return self._constant(node.value)
            case ast.Name():
                return self._name(node.id)
            case ast.BinOp():
                return self._operation(node.op, self.value(node.left), self.value(node.right))
            case ast.UnaryOp():
                return self._unary(node.op, self.value(node.operand))
            case ast.BoolOp():
                parts = [self.truth(one) for one in node.values]
                return self.joined("&" if isinstance(node.op, ast.And) else "|", parts)
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp():
                condition = self.truth(node.test)
                if condition.number is not None:
                    return self.value(node.body if condition.number else node.orelse)
                yes, no = self.value(node.body), self.value(node.orelse)
                return self.elementwise((yes, no), lambda a, b: self.select(condition, a, b))
            case ast.Call():
                return self.call(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Tuple() | ast.List():
                return Several(tuple(self.value(one) for one in node.elts))
            case ast.ListComp() | ast.GeneratorExp():
                return self.listed(node)
        construct, why, change = _REFUSED.get(type(node), (type(node).__name__.lower(), "", ""))
        raise Construct(construct, why or "kernels have no such expression", change)

    def scalar(self, node: ast.expr) -> Scalar:
        """A number, or a truth value."""
        return self.one(self.value(node), ast.unparse(node))

    def one(self, value: Value, what: str) -> Scalar:
        """A value that has to be a scalar."""
        if isinstance(value, Scalar):
            return value
        if isinstance(value, Array):
            change = "take an element of it, or write a loop over its elements"
            raise Construct(what, "an array where a number is wanted", change)
        if isinstance(value, Several):
            raise Construct(what, "several values where a number is wanted")
        kind = type(value.value).__name__
        raise Construct(what, f"a {kind} of Python where a number is wanted")

    def truth(self, node: ast.expr) -> Scalar:
        """A condition."""
        value = self.scalar(node)
        if not value.logical:
            what = ast.unparse(node)
            if value.number is not None:
                return number(bool(value.number))
            raise Construct(what, "a number as a condition", f"write {what} != 0")
        return value

    def _constant(self, value: object) -> Value:
        if is_number(value):
            return number(value)
        if value is None or isinstance(value, str):
            return Static(value)
        raise Construct(repr(value), f"a {type(value).__name__} where a number is wanted")

    def _name(self, name: str) -> Value:
        if name in self.scope.unknown:
            raise Follows
        if name in self.scope.values:
            if name not in self.scope.defined:
                raise Construct(name, "it may have no value here", "give it one before")
            return self.scope.values[name]
        if name in self.scope.stored:
            raise Construct(name, "it may have no value here", "give it one before")
        found = self.scope.outside(name)
        if found is NOTHING:
            raise Construct(name, "nothing has this name")
        return self.of_python(name, found)

    def of_python(self, name: str, found: Any) -> Value:
        """An object of Python: a number, an array of numbers, or something to call."""
        if is_number(found):
            return self.scope.constant(name, found)
        if isinstance(found, np.ndarray | tuple | list) and len(np.shape(_regular(found))):
            values = np.asarray(found)
            if values.dtype.kind in "iuf" and values.size:
                return self.header.table(name, values, isinstance(found, np.ndarray))
        if isinstance(found, np.ndarray) and not found.ndim:
            return self.scope.constant(name, found[()])
        return Static(found)

    def _attribute(self, node: ast.Attribute) -> Value:
        value = self.value(node.value)
        what = ast.unparse(node)
        if isinstance(value, Array):
            if node.attr == "size" and len(value.sizes) == 1:
                return self.size(value.sizes[0])
            if node.attr == "shape":
                return Several(tuple(self.size(one) for one in value.sizes))
            if node.attr == "T" and len(value.sizes) == 2:
                element = value.element
                return Array(
                    what, value.sizes[::-1], lambda at: element((at[1], at[0])), None, True
                )
            raise Construct(what, "arrays of a kernel do not have it")
        if isinstance(value, Static):
            found = getattr(value.value, node.attr, NOTHING)
            if found is NOTHING:
                raise Construct(what, f"{name_of(value.value)} has no {node.attr}")
            return self.of_python(node.attr, found)
        raise Construct(what, "a number has no such attribute")

    def size(self, size: Size) -> Scalar:
        """A number of elements."""
        if not size.species:
            return number(size.more)
        self.header.shared = True
        return Scalar(str(size), INDEX, SUM if size.more else PRIMARY, None, size, size)

    def _subscript(self, node: ast.Subscript) -> Value:
        value, what = self.value(node.value), ast.unparse(node)
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for place in places:
            if isinstance(place, ast.Slice):
                if not isinstance(value, Array) or len(places) > 1:
                    raise Construct(what, "a part of several dimensions", "write loops")
                value = self._part(value, place, what)
                continue
            index = self.scalar(place)
            if isinstance(value, Several):
                if index.kind != INDEX or index.number is None:
                    raise Construct(what, "which value of a tuple is not known",
                                    "make it an array with np.array([...])")  # fmt: skip
                if not -len(value.items) <= index.number < len(value.items):
                    raise Construct(what, f"there are {len(value.items)} values")
                value = value.items[int(index.number)]
            elif isinstance(value, Array):
                value = value.at(index)
            else:
                raise Construct(what, "only arrays and tuples have elements",
                                "declare a quantity with several values as columns="
                                "{name: number}")  # fmt: skip
        return value

    def _part(self, value: Array, part: ast.Slice, what: str) -> Array:
        """Of an array of one dimension."""
        size = value.sizes[0]
        if part.step is not None:
            raise Construct(what, "a part with a step", "write a for loop over range(...)")
        ends = []
        for bound, missing in ((part.lower, Size(0, 0)), (part.upper, size)):
            if bound is None:
                ends.append(missing)
                continue
            index = self.scalar(bound)
            if index.kind != INDEX or index.low is None or index.low != index.high:
                raise Construct(what, "the ends of a part are not known")
            end = index.low
            if not end.species and end.more < 0:
                end = size + end
            ends.append(end)
        first, last = ends
        count = last - first
        if (first.least or 0) < 0 or ((size - last).least or 0) < 0 or (count.least or 0) < 1:
            raise Construct(what, f"it does not lie within the {size} values")

        def moved(at: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
            return (self.binary(ast.Add(), at[0], self.size(first)), *at[1:])

        store = value.store
        return Array(
            what,
            (count, *value.sizes[1:]),
            lambda at: value.element(moved(at)),
            None if store is None else lambda at: store(moved(at)),
            value.numeric,
            value.computed or not value.numeric,  # a part of a list is a copy
        )

    # ---- operators

    def elementwise(
        self, values: Sequence[Value], made: Callable[..., Scalar], what: str = ""
    ) -> Value:
        """Of numbers a number; with an array among them an array of what is made of elements."""
        arrays = [one for one in values if isinstance(one, Array)]
        if not arrays:
            return made(*(self.one(one, what or "a value") for one in values))
        sizes = arrays[0].sizes
        for one in arrays:
            if not one.numeric:
                raise Construct(what or one.name, f"arithmetic with the list {one.name}",
                                "make it an array with np.array(...)")  # fmt: skip
            if one.sizes != sizes:
                raise Construct(
                    what or one.name,
                    f"arrays of {' x '.join(map(str, sizes))} and "
                    f"{' x '.join(map(str, one.sizes))} values",
                )

        def element(at: tuple[Scalar, ...]) -> Scalar:
            taken = [v.element(at) if isinstance(v, Array) else self.one(v, what) for v in values]
            return made(*taken)

        return Array(what or arrays[0].name, sizes, element, computed=True)

    def _operation(self, op: ast.operator, a: Value, b: Value) -> Value:
        if isinstance(op, ast.MatMult):
            return self.dot(a, b)
        sign = _ARITHMETIC[type(op)][0] if type(op) in _ARITHMETIC else _SIGNS[type(op)]
        if isinstance(op, ast.Mult) and isinstance(a, Several) and isinstance(b, Scalar):
            if isinstance(b.number, int) and b.number > 0:  # [0.0] * 5
                return Several(a.items * b.number)
            raise Construct(f"{sign} of a list", "its length is not known", "use np.zeros(n)")
        for one in (a, b):
            if isinstance(one, Several):
                change = "make it an array with np.array([...])"
                raise Construct(f"{sign} of a tuple", "kernels compute with numbers", change)
        return self.elementwise((a, b), lambda x, y: self.binary(op, x, y), f"{sign} of arrays")

    def binary(self, op: ast.operator, a: Scalar, b: Scalar) -> Scalar:
        """Two numbers."""
        if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor) and a.logical and b.logical:
            return self.joined(_SIGNS[type(op)], [a, b])
        sign = _ARITHMETIC[type(op)][0] if type(op) in _ARITHMETIC else _SIGNS[type(op)]
        for one in (a, b):
            if one.logical and one.number is None:
                raise Construct(f"{sign} of {one.text}", "a truth value is no number",
                                "write np.where(condition, 1.0, 0.0)")  # fmt: skip
        known = _ARITHMETIC[type(op)][2] if type(op) in _ARITHMETIC else _KNOWN.get(type(op))
        if known is None:
            raise Construct(f"{sign} of numbers", "kernels compute with real numbers",
                            "use and, or, not for conditions")  # fmt: skip
        if a.number is not None and b.number is not None:
            try:
                result = known(a.number, b.number)
            except (ArithmeticError, ValueError) as error:
                raise Construct(f"{a.text} {sign} {b.text}", str(error)) from None
            if not is_number(result):
                raise Construct(f"{a.text} {sign} {b.text}", f"it is {result}")
            named = any(one.text.isidentifier() for one in (a, b))
            if not named or type(op) not in _ARITHMETIC or isinstance(result, int):
                return number(result)
            plain = self._arithmetic(op, real(a), real(b))
            return Scalar(plain.text, PLAIN, plain.holds, result)
        if isinstance(op, ast.Pow):
            return self.power(a, b)
        if isinstance(op, ast.Mod):
            if a.kind == b.kind == INDEX and a.low and b.number and (a.low.least or -1) >= 0:
                text = f"{a.within(PRODUCT)} % {b.within(UNARY)}"
                return Scalar(text, INDEX, PRODUCT, None, Size(0, 0), Size(0, int(b.number) - 1))
            return self.function("modulo", (a, b))
        if isinstance(op, ast.FloorDiv):
            raise Construct("//", "of real numbers", "write np.floor(a / b)")
        if a.kind == b.kind == INDEX and not isinstance(op, ast.Div):
            return self._indices(op, a, b)
        return self._arithmetic(op, real(a), real(b))

    def _arithmetic(self, op: ast.operator, a: Scalar, b: Scalar) -> Scalar:
        sign, holds, _ = _ARITHMETIC[type(op)]
        kind = REAL if a.of_point or b.of_point else PLAIN
        return Scalar(f"{a.within(holds)} {sign} {b.within(holds + 1)}", kind, holds)

    def _indices(self, op: ast.operator, a: Scalar, b: Scalar) -> Scalar:
        """Integers of all points, with the bounds of the result."""
        sign, holds, _ = _ARITHMETIC[type(op)]
        low = high = None
        if a.low and a.high and b.low and b.high:
            if isinstance(op, ast.Add):
                low, high = a.low + b.low, a.high + b.high
            elif isinstance(op, ast.Sub):
                low, high = a.low - b.high, a.high - b.low
            else:
                factor, other = (a, b) if a.number is not None else (b, a)
                if factor.number is not None and other.low and other.high:
                    n = int(factor.number)
                    ends = [Size(one.species * n, one.more * n) for one in (other.low, other.high)]
                    low, high = ends if n >= 0 else ends[::-1]
        if isinstance(op, ast.Add) and b.number == 0:
            return a
        if isinstance(op, ast.Add) and a.number == 0:
            return b
        text = f"{a.within(holds)} {sign} {b.within(holds + 1)}"
        return Scalar(text, INDEX, holds, None, low, high)

    def power(self, a: Scalar, b: Scalar) -> Scalar:
        """a ** b: products and square roots where the exponent is known."""
        a, exponent = real(a), b.number
        kind = REAL if a.of_point or b.of_point else PLAIN
        if exponent is None:
            if a.number == 2.0:
                return self.function("exp2", (b,))
            return Scalar(f"pow({a.text}, {real(b).text})", kind)
        if float(exponent).is_integer() and abs(exponent) < 2**31:
            n = int(exponent)
            if n == 0:
                return number(1.0)
            if n == 1:
                return a
            if 1 < n <= _PRODUCTS and a.text.isidentifier():
                return Scalar(" * ".join([a.text] * n), kind, PRODUCT)
            if n == -1:
                return self._arithmetic(ast.Div(), number(1.0), a)
            return Scalar(f"pow({a.text}, {n})", kind)
        half = abs(exponent) - 0.5
        if half.is_integer() and half <= _PRODUCTS:
            if half and not a.text.isidentifier():
                a = self.kept(a, "base")
            root = Scalar(" * ".join([*[a.text] * int(half), f"sqrt({a.text})"]), kind,
                          PRODUCT if half else PRIMARY)  # fmt: skip
            return root if exponent > 0 else self._arithmetic(ast.Div(), number(1.0), root)
        return Scalar(f"pow({a.text}, {real(b).text})", kind)

    def _unary(self, op: ast.unaryop, value: Value) -> Value:
        def made(one: Scalar) -> Scalar:
            if isinstance(op, ast.Not) or (isinstance(op, ast.Invert) and one.logical):
                return self.negated(one)
            if one.logical or isinstance(op, ast.Invert):
                sign = "~" if isinstance(op, ast.Invert) else "-"
                raise Construct(f"{sign}{one.text}", "kernels compute with real numbers")
            if isinstance(op, ast.UAdd):
                return one
            if one.number is not None and not one.text.isidentifier():
                return number(-one.number)
            low, high = (None, None)
            if one.low is not None and one.high is not None:
                low, high = Size(0, 0) - one.high, Size(0, 0) - one.low
            negative = None if one.number is None else -one.number
            return Scalar(f"-{one.within(UNARY + 1)}", one.kind, UNARY, negative, low, high)

        return self.elementwise((value,), made, "- of arrays")

    def negated(self, one: Scalar) -> Scalar:
        """not one"""
        if not one.logical and one.number is None:
            raise Construct(f"not {one.text}", "a number as a condition", f"write {one.text} == 0")
        if one.number is not None:
            return number(not one.number)
        if one.text.startswith("!") and one.text[1:].isidentifier():
            return Scalar(one.text[1:], one.kind)
        return Scalar(f"!{one.within(PRIMARY)}", one.kind, UNARY)

    def joined(self, sign: str, parts: Sequence[Scalar]) -> Scalar:
        """Conditions joined by &, | or ^."""
        left: list[Scalar] = []
        for one in parts:
            if one.number is not None and sign in "&|":
                if bool(one.number) == (sign == "|"):
                    return number(sign == "|")
                continue
            left.append(one)
        if not left:
            return number(sign == "&")
        if len(left) == 1:
            return left[0]
        if sign == "^":
            texts = [self.of_mask(one).within(EQUAL + 1) for one in left]
            return Scalar(" != ".join(texts), MASK, EQUAL)
        if all(one.kind == TRUTH for one in left):
            holds = AND if sign == "&" else OR
            return Scalar(f" {sign * 2} ".join(one.within(UNARY) for one in left), TRUTH, holds)
        texts = [self.of_mask(one).within(PRIMARY) for one in left]
        return Scalar(f" {sign} ".join(texts), MASK, AND if sign == "&" else OR)

    def of_mask(self, one: Scalar) -> Scalar:
        """A condition as one truth value for each point."""
        return one if one.kind == MASK else Scalar(f"Mask<Real>({one.text})", MASK)

    def _comparison(self, node: ast.Compare) -> Scalar:
        sides = [self.value(one) for one in (node.left, *node.comparators)]
        parts = []
        for place, op in enumerate(node.ops):
            a, b = sides[place], sides[place + 1]
            if isinstance(op, ast.Is | ast.IsNot):
                if isinstance(a, Static) and isinstance(b, Static):
                    parts.append(number((a.value is b.value) == isinstance(op, ast.Is)))
                    continue
                if isinstance(b, Static) and b.value is None:
                    parts.append(number(isinstance(op, ast.IsNot)))
                    continue
            if type(op) not in _COMPARED:
                name = {ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}
                raise Construct(name[type(op)], "kernels compare numbers",
                                "write == or != for each value")  # fmt: skip
            if isinstance(a, Static) and isinstance(b, Static):
                parts.append(number(bool(_COMPARED[type(op)][2](a.value, b.value))))
                continue
            what = ast.unparse(node)
            x, y = self.one(a, what), self.one(b, what)
            if place + 1 < len(node.ops) and y.holds != PRIMARY and y.number is None:
                y = sides[place + 1] = self.kept(y, "between")
            parts.append(self.compared(op, x, y))
        return self.joined("&", parts)

    def compared(self, op: ast.cmpop, a: Scalar, b: Scalar) -> Scalar:
        sign, holds, known = _COMPARED[type(op)]
        if a.number is not None and b.number is not None:
            return number(bool(known(a.number, b.number)))
        if a.logical != b.logical:
            raise Construct(f"{a.text} {sign} {b.text}", "a truth value and a number")
        if a.logical and holds == COMPARE:
            raise Construct(f"{a.text} {sign} {b.text}", "truth values have no order")
        if not a.kind == b.kind == INDEX:
            a, b = real(a), real(b)
        if a.of_point and b.kind == TRUTH:
            b = self.of_mask(b)
        elif b.of_point and a.kind == TRUTH:
            a = self.of_mask(a)
        kind = MASK if a.of_point or b.of_point else TRUTH
        return Scalar(f"{a.within(SUM)} {sign} {b.within(SUM)}", kind, holds)

    def select(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        """Each point takes its own of two values."""
        if condition.number is not None:
            return yes if condition.number else no
        if not condition.logical:
            raise Construct(condition.text, "a number as a condition",
                            f"write {condition.text} != 0")  # fmt: skip
        mask = self.of_mask(condition)
        if yes.logical or no.logical:
            if yes.logical != no.logical:
                raise Construct("choice", "of a truth value and a number")
            yes, no = self.of_mask(yes), self.of_mask(no)
            return Scalar(f"select({mask.text}, {yes.text}, {no.text})", MASK)
        return Scalar(f"select({mask.text}, {real(yes).text}, {real(no).text})", REAL)

    # ---- kept values

    def kept(self, value: Scalar, name: str) -> Scalar:
        """A value in a constant of the function, so that it is computed once."""
        if value.number is not None:
            return value
        kinds = {REAL: "Real", MASK: "Mask<Real>", PLAIN: "double", INDEX: "int", TRUTH: "bool"}
        own = self.scope.names.new(name)
        self.lines.add(f"const {kinds[value.kind]} {own} = {value.text};", own)
        return Scalar(own, value.kind, PRIMARY, None, value.low, value.high)

    def function(self, name: str, arguments: Sequence[Scalar]) -> Scalar:
        """A function of kernels."""
        values = [real(one) for one in arguments]
        kind = REAL if any(one.of_point for one in values) else PLAIN
        return Scalar(f"{name}({', '.join(one.text for one in values)})", kind)


def _regular(found: Any) -> Any:
    """A tuple or list whose rows are equally long, else nothing."""
    try:
        return np.asarray(found)
    except ValueError:
        return 0
