"""Loops of a kernel: `for`, comprehensions, sums, products of matrices; arrays of the function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bridge.pythonkernels.expressions import Expressions
from bridge.pythonkernels.refusal import Construct
from bridge.pythonkernels.text import mentions
from bridge.pythonkernels.values import (
    INDEX,
    MASK,
    PRIMARY,
    REAL,
    Array,
    Scalar,
    Several,
    Size,
    Static,
    Value,
    number,
    real,
)

#: The most turns of a loop on an array of the function that a GPU's compiler unrolls.
_UNROLLED = 64


@dataclass(frozen=True)
class Turns:
    """What a `for` goes over: count: how often; at: the value of a turn, by its number from 0."""

    count: Size
    at: Callable[[Scalar], Value]


class Loops(Expressions):
    """Loops over numbers and arrays."""

    # ---- arrays of the function

    def local(self, wanted: str, sizes: tuple[Size, ...], numeric: bool = True) -> Array:
        """A new array, whose elements have no values yet."""
        name = self.scope.names.new(wanted)
        self.scope.names.arrays.add(name)
        if any(size.species for size in sizes):
            if len(sizes) > 1:
                raise Construct(wanted, "an array of several dimensions, one of species",
                                "write a loop over the species")  # fmt: skip
            self.header.fortran = True
            count = self.size(sizes[0]).text.replace("species(", "BRIDGE_SPECIES(")
            self.lines.add(f"BRIDGE_AUTOMATIC(Real, {name}, {count});")  # known on a GPU
        else:
            self.lines.add(f"Real {name}{''.join(f'[{size}]' for size in sizes)};")
        return in_memory(name, sizes, wanted, numeric)

    def fill(self, array: Array, made: Callable[[tuple[Scalar, ...]], Scalar]) -> Array:
        """Give every element a value."""
        assert array.store is not None

        def inner(at: tuple[Scalar, ...], rest: tuple[Size, ...]) -> None:
            if rest:
                with self.turning(rest[0], "i") as index:
                    inner((*at, index), rest[1:])
                return
            value = made(at)
            assert array.store is not None
            self.lines.add(f"{array.store(at)} = {real(value).text};")

        inner((), array.sizes)
        return array

    def in_array(self, value: Value, wanted: str, into: Array | None = None) -> Array:
        """A value as an array of the function, a new one if there is none."""
        if isinstance(value, Several):
            parts = self.rows(value, wanted)
            array = into or self.local(wanted, self.sizes_of(parts, wanted), False)
            for place, one in enumerate(parts):
                row = array.at(number(place))
                if isinstance(row, Array):
                    self.in_array(one, wanted, row)
                elif array.store is not None:
                    text = real(self.one(one, wanted)).text
                    self.lines.add(f"{array.store((number(place),))} = {text};")
            return array
        if not isinstance(value, Array):
            raise Construct(wanted, "a number where an array is wanted")
        if into is not None and into.sizes != value.sizes:
            raise Construct(wanted, f"it has {_shape(value.sizes)} values, not "
                            f"{_shape(into.sizes)}")  # fmt: skip
        array = into or self.local(wanted, value.sizes, value.numeric)
        return self.fill(array, value.element)

    def rows(self, value: Several, wanted: str) -> tuple[Value, ...]:
        if not value.items:
            raise Construct(wanted, "an array without elements", "use np.zeros(n)")
        return value.items

    def sizes_of(self, items: tuple[Value, ...], wanted: str) -> tuple[Size, ...]:
        first = items[0]
        if isinstance(first, Scalar):
            return (Size(0, len(items)),)
        if isinstance(first, Several):
            return (Size(0, len(items)), *self.sizes_of(self.rows(first, wanted), wanted))
        if isinstance(first, Array):
            return (Size(0, len(items)), *first.sizes)
        raise Construct(wanted, "kernels have arrays of numbers")

    def array_of(self, value: Value, what: str) -> Array:
        """A value that has to be an array; tuples become one."""
        if isinstance(value, Array):
            return value
        if isinstance(value, Several):
            return self.in_array(value, "values")
        raise Construct(what, "a number where an array is wanted")

    # ---- turns

    @contextmanager
    def turning(self, count: Size, wanted: str) -> Iterator[Scalar]:
        """A loop so often; gives the number of the turn."""
        name = self.scope.names.new(wanted)
        end = self.size(count)
        head = f"for (int {name} = 0; {name} < {end.text}; ++{name})"
        with self.lines.block(head) as place:
            yield Scalar(name, INDEX, PRIMARY, None, Size(0, 0), count - Size(0, 1))
        self.scope.names.free(name)
        if not count.species and count.more <= _UNROLLED:
            inside = self.lines.lines[place + 1 :]
            arrays = self.scope.names.arrays
            meets = any(mentions(one.text, array) for one in inside for array in arrays)
            self.lines.lines[place].unrolled = meets

    def turns(self, node: ast.expr) -> Turns:
        """What stands behind `in`."""
        what = ast.unparse(node)
        if isinstance(node, ast.Call):
            function = self.value(node.func)
            called = function.value if isinstance(function, Static) else None
            if called is range and not node.keywords:
                return self._range(node, what)
            if called is enumerate and len(node.args) == 1:
                inner = self.turns(node.args[0])
                return Turns(inner.count, lambda n: Several((n, inner.at(n))))
            if called is zip and node.args:
                several = [self.turns(one) for one in node.args]
                if any(one.count != several[0].count for one in several):
                    counts = ", ".join(str(one.count) for one in several)
                    raise Construct(what, f"of {counts} values")
                return Turns(several[0].count, lambda n: Several(tuple(o.at(n) for o in several)))
            if called is reversed and len(node.args) == 1:
                inner = self.turns(node.args[0])
                last = self.size(inner.count - Size(0, 1))
                return Turns(inner.count, lambda n: inner.at(self.binary(ast.Sub(), last, n)))
        value = self.value(node)
        if isinstance(value, Scalar | Static):
            raise Construct(f"for ... in {what}", "a loop over what is neither a range nor an "
                            "array", "write for i in range(n)")  # fmt: skip
        array = self.array_of(value, what)
        return Turns(array.sizes[0], array.at)

    def _range(self, node: ast.Call, what: str) -> Turns:
        given = [self.scalar(one) for one in node.args]
        step = number(1)
        if len(given) == 3:
            step = given.pop()
        first = given[0] if len(given) == 2 else number(0)
        end = given[-1]
        for one in (first, end, step):
            if one.kind != INDEX:
                raise Construct(what, f"{one.text} is known in the run alone",
                                "give it a number, or the length of an array")  # fmt: skip
        if step.number is None or not step.number:
            raise Construct(what, "its step is not known")
        by = int(step.number)
        if first.low is None or first.low != first.high or end.low is None or end.low != end.high:
            raise Construct(what, "the number of its turns depends on another loop",
                            "go over all, with np.where(condition, ...)")  # fmt: skip
        span = end.low - first.low
        if by == 1:
            count = span
        elif span.species:
            raise Construct(what, "a step over species", "write a loop over all species")
        else:
            count = Size(0, len(range(0, span.more, by)))
        if not count.species and count.more < 1:
            count = Size(0, 0)

        def at(n: Scalar) -> Value:
            scaled = n if by == 1 else self.binary(ast.Mult(), number(by), n)
            return self.binary(ast.Add(), first, scaled)

        return Turns(count, at)

    # ---- sums

    def listed(self, node: ast.ListComp | ast.GeneratorExp) -> Value:
        """[f(x) for x in values]: an array of the function."""
        if len(node.generators) != 1 or node.generators[0].ifs:
            raise Construct("comprehension", "with several for, or an if",
                            "write for loops that give each element its value")  # fmt: skip
        turns = self.turns(node.generators[0].iter)
        wanted = counting(node.generators[0].target, turns)

        def made(n: Scalar) -> Value:
            with self.binding(node.generators[0].target, turns.at(n)):
                return self.value(node.elt)

        if not turns.count.species and not turns.count.more:
            raise Construct("comprehension", "without turns")
        array = self.local("values", (turns.count,), False)
        assert array.store is not None
        with self.turning(turns.count, wanted) as n:
            text = real(self.one(made(n), ast.unparse(node.elt))).text
            self.lines.add(f"{array.store((n,))} = {text};")
        return array

    @contextmanager
    def binding(self, target: ast.expr, value: Value) -> Iterator[None]:
        """Names of a comprehension, which hide the function's."""
        scope = self.scope
        before = dict(scope.values), set(scope.defined), set(scope.unknown)
        self.bind(target, value)
        try:
            yield
        finally:
            scope.values, scope.defined, scope.unknown = before

    def bind(self, target: ast.expr, value: Value) -> None:
        """Names of a loop stand for the values of a turn."""
        if isinstance(target, ast.Name):
            self.scope.set(target.id, value)
            return
        if isinstance(target, ast.Tuple) and isinstance(value, Several):
            if len(target.elts) == len(value.items):
                for one, item in zip(target.elts, value.items, strict=True):
                    self.bind(one, item)
                return
        raise Construct(ast.unparse(target), "names do not fit the values of the loop")

    def gathered(
        self, node: ast.expr, start: Scalar, name: str,
        joined: Callable[[Scalar, Scalar], Scalar],
    ) -> Scalar:  # fmt: skip
        """All values of a generator or array, joined one after the other to `start`."""
        logical = start.logical
        kind = "Mask<Real>" if logical else "Real"
        own = self.scope.names.new(name)
        total = Scalar(own, MASK if logical else REAL)
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            self._nested(node, 0, f"{kind} {own} = {real(start).text};", total, joined)
            return total
        value = self.value(node)
        if isinstance(value, Several):
            result = start
            for one in value.items:
                result = joined(result, self.one(one, ast.unparse(node)))
            return result
        return self.over(self.array_of(value, ast.unparse(node)), total,
                         f"{kind} {own} = {real(start).text};", joined)  # fmt: skip

    def _nested(
        self, node: ast.GeneratorExp | ast.ListComp, depth: int, declared: str, total: Scalar,
        joined: Callable[[Scalar, Scalar], Scalar],
    ) -> None:  # fmt: skip
        """The loops of a generator from `depth` on."""
        if depth == len(node.generators):
            self._add(total, joined(total, self.scalar(node.elt)))
            return
        part = node.generators[depth]
        if part.ifs:
            raise Construct("if in a comprehension", "", "write sum(np.where(condition, x, 0.0)"
                            " for ...)")  # fmt: skip
        turns = self.turns(part.iter)
        if not depth:
            self.lines.add(declared)
        with self.turning(turns.count, counting(part.target, turns)) as n:
            with self.binding(part.target, turns.at(n)):
                self._nested(node, depth + 1, declared, total, joined)

    def over(
        self, array: Array, total: Scalar, declared: str,
        joined: Callable[[Scalar, Scalar], Scalar],
    ) -> Scalar:  # fmt: skip
        """All elements of an array, joined to what is declared."""
        self.lines.add(declared)

        def inner(at: tuple[Scalar, ...], rest: tuple[Size, ...]) -> None:
            if rest:
                with self.turning(rest[0], "i") as index:
                    inner((*at, index), rest[1:])
                return
            self._add(total, joined(total, array.element(at)))

        inner((), array.sizes)
        return total

    def _add(self, total: Scalar, value: Scalar) -> None:
        start = f"{total.text} + "
        if value.text.startswith(start):
            self.lines.add(f"{total.text} += {value.text.removeprefix(start)};")
        else:
            self.lines.add(f"{total.text} = {value.text};")

    def added(self, a: Scalar, b: Scalar) -> Scalar:
        if b.logical:
            b = self.select(b, number(1.0), number(0.0))
        return self.binary(ast.Add(), a, b)

    def dot(self, a: Value, b: Value) -> Value:
        """a @ b of vectors, or of a matrix and a vector."""
        x, y = self.array_of(a, "@"), self.array_of(b, "@")
        if not (x.numeric and y.numeric):
            raise Construct("@", "of a list", "make it an array with np.array(...)")
        if len(x.sizes) > 2 or len(y.sizes) > 1:
            raise Construct("@", f"of {_shape(x.sizes)} and {_shape(y.sizes)} values",
                            "take a vector on the right, or write loops")  # fmt: skip
        if x.sizes[-1] != y.sizes[0]:
            raise Construct("@", f"of {_shape(x.sizes)} and {_shape(y.sizes)} values")
        count = y.sizes[0]

        def product(row: tuple[Scalar, ...]) -> Scalar:
            own = self.scope.names.new("total")
            total = Scalar(own, REAL)
            self.lines.add(f"Real {own} = 0.0;")
            with self.turning(count, "j") as j:
                term = self.binary(ast.Mult(), x.element((*row, j)), y.element((j,)))
                self._add(total, self.binary(ast.Add(), total, term))
            return total

        if len(x.sizes) == 1:
            return product(())
        return Array("@", x.sizes[:1], product, computed=True)


def in_memory(name: str, sizes: tuple[Size, ...], wanted: str, numeric: bool = True) -> Array:
    """An array of C++."""

    def place(at: tuple[Scalar, ...]) -> str:
        return name + "".join(f"[{one.text}]" for one in at)

    return Array(wanted, sizes, lambda at: Scalar(place(at), REAL), place, numeric)


def counting(target: ast.expr, turns: Turns) -> str:
    """Name of the variable that counts the turns: Python's, where that is an integer."""
    value = turns.at(number(0))
    if isinstance(target, ast.Tuple) and isinstance(value, Several) and target.elts:
        target, value = target.elts[0], value.items[0]
    if isinstance(target, ast.Name) and isinstance(value, Scalar) and value.kind == INDEX:
        return "turn" if target.id == "_" else target.id
    return "i"


def _shape(sizes: tuple[Size, ...]) -> str:
    return " x ".join(map(str, sizes))
