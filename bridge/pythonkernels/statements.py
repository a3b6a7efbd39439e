"""Statements of a Python function as those of a kernel.

A branch on values of a point is computed by all points, and each variable takes its new value
where the condition holds. A return within a branch takes the statements behind the branch into the
other one (`straightened`), so that a function ends at its end.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType

from bridge.pythonkernels.calls import Calls
from bridge.pythonkernels.header import Header, signature
from bridge.pythonkernels.loops import counting, in_memory
from bridge.pythonkernels.refusal import Construct, Follows, Refusal
from bridge.pythonkernels.scope import Scope, Source, stores
from bridge.pythonkernels.text import Lines, Names, mentions
from bridge.pythonkernels.values import (
    MASK,
    PLAIN,
    PRIMARY,
    REAL,
    Array,
    Scalar,
    Several,
    Static,
    Value,
    number,
    real,
)

#: How deeply functions may call functions.
_DEPTH = 20
_REFUSED: dict[type[ast.stmt], tuple[str, str, str]] = {
    ast.While: ("while", "each point would take its own number of turns",
                "write for i in range(n) with a fixed number"),
    ast.Break: ("break", "points go through a loop together", "use np.where in the loop"),
    ast.Continue: ("continue", "points go through a loop together", "use an if without else"),
    ast.Try: ("try", "kernels raise nothing", "use np.where"),
    ast.Raise: ("raise", "kernels raise nothing", "return np.nan, or a bounded value"),
    ast.Assert: ("assert", "kernels raise nothing", "test the Python function"),
    ast.With: ("with", "kernels compute numbers", ""),
    ast.Import: ("import", "kernels compute numbers", "import at the head of the file"),
    ast.ImportFrom: ("import", "kernels compute numbers", "import at the head of the file"),
    ast.Global: ("global", "a kernel changes nothing outside", "return the value"),
    ast.Nonlocal: ("nonlocal", "a kernel changes nothing outside", "return the value"),
    ast.FunctionDef: ("def", "a function in a function", "write it beside this function"),
    ast.ClassDef: ("class", "kernels have numbers and arrays", ""),
    ast.Delete: ("del", "kernels have numbers and arrays", "leave it out"),
    ast.Match: ("match", "kernels compare numbers", "use if, or np.where"),
}  # fmt: skip


class Function(Calls):
    """One function, or one that is written out where it is called.

    outputs: of a kernel: arrays or C++ names of its results; depth: of calls.
    """

    def __init__(
        self, header: Header, scope: Scope, lines: Lines, called: tuple[FunctionType, ...],
    ) -> None:  # fmt: skip
        super().__init__(header, scope, lines)
        self.called = called
        #: Where it is computed: the condition, and whether it has to hold.
        self.guards: list[tuple[Scalar, bool]] = []
        #: What it returns: a value, or variables that branches fill.
        self.result: Value | None = None
        #: Of a kernel: where its results lie.
        self.outputs: list[Scalar | Array] | None = None
        #: Which of them are new values of inputs.
        self.rewritten: set[int] = set()
        #: Arrays of the function that are results: name -> which one.
        self.results: dict[str, int] = {}

    def body(self) -> None:
        """All statements."""
        tree = self.scope.source.tree
        self.results = self._own_results(tree)
        self.statements(straightened(tree.body))

    # ---- statements

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            try:
                self._statement(node)
            except Construct as found:
                place = found.line or node.lineno
                self.header.refusals.append(
                    Refusal(
                        self.scope.source.file, place, found.construct, found.why, found.change
                    )
                )
                self._lose(node)
            except Follows:
                self._lose(node)

    def _lose(self, node: ast.stmt) -> None:
        """What a refused statement would have given a value has one that nobody knows."""
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                self.scope.unknown.add(one.id)
            if isinstance(one, ast.FunctionDef):
                self.scope.unknown.add(one.name)
            if isinstance(one, ast.Return):
                self.result = Static(None)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Return():
                if node.value is None:
                    raise Construct("return", "without a value")
                self.returned(self.value(node.value), ast.unparse(node.value))
            case ast.Assign():
                value = self.value(node.value)
                if len(node.targets) > 1 and isinstance(value, Scalar):
                    value = self.kept(value, "value")
                for target in node.targets:
                    self.assign(target, value, isinstance(node.value, ast.List))
            case ast.AnnAssign():
                if node.value is not None:
                    self.assign(node.target, self.value(node.value), False)
            case ast.AugAssign():
                self._augmented(node)
            case ast.If():
                self._if(node)
            case ast.For():
                self._for(node)
            case ast.Pass():
                pass
            case ast.Expr(value=ast.Constant()):
                pass  # a docstring
            case ast.Expr():
                what = ast.unparse(node.value)
                self.value(node.value)
                raise Construct(what, "its value is not used", "leave it out")
            case _:
                name = type(node).__name__.lower()
                construct, why, change = _REFUSED.get(type(node), (name, "", ""))
                raise Construct(construct, why or "kernels have no such statement", change)

    # ---- assignments

    def assign(self, target: ast.expr, value: Value, is_list: bool) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            self._element(target, self.one(value, ast.unparse(target)))
        elif isinstance(target, ast.Name):
            self._name_is(target.id, value, is_list)
        else:
            raise Construct(f"{ast.unparse(target)} =", "kernels have variables and arrays")

    def _unpack(self, target: ast.Tuple | ast.List, value: Value) -> None:
        what = ast.unparse(target)
        if isinstance(value, Array) and not value.sizes[0].species:
            value = Several(tuple(value.at(number(n)) for n in range(value.sizes[0].more)))
        if not isinstance(value, Several) or len(value.items) != len(target.elts):
            count = len(value.items) if isinstance(value, Several) else 1
            raise Construct(f"{what} =", f"{count} value{'s'[: count != 1]} for "
                            f"{len(target.elts)} names")  # fmt: skip
        # what a name stands for that gets its value here is read before
        items, written = list[Value](), list[str]()
        for one, item in zip(target.elts, value.items, strict=True):
            if isinstance(item, Scalar) and any(mentions(item.text, name) for name in written):
                item = self.kept(item, "before")
            items.append(item)
            written += self._written(one)
        for one, item in zip(target.elts, items, strict=True):
            self.assign(one, item, False)

    def _written(self, target: ast.expr) -> list[str]:
        """C++ names of variables and arrays that a target gives another value."""
        names = [one.id for one in ast.walk(target) if isinstance(one, ast.Name)]
        found = [self.scope.variables[name].text for name in names if name in self.scope.variables]
        for name in names:
            value = self.scope.values.get(name)
            if isinstance(value, Array) and value.store is not None:
                found.append(value.store(tuple(number(0) for _ in value.sizes)).partition("[")[0])
        return found

    def _element(self, target: ast.Subscript, value: Scalar) -> None:
        array, what = self.value(target.value), ast.unparse(target)
        places = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        if not isinstance(array, Array) or array.store is None:
            change = "make a new array with np.zeros(n)"
            raise Construct(f"{what} =", "an element of what keeps its values", change)
        for place in places[:-1]:
            row = array.at(self.scalar(place))
            assert isinstance(row, Array)
            array = row
        index = self.scalar(places[-1])
        old = array.at(index)
        if not isinstance(old, Scalar) or array.store is None:
            raise Construct(f"{what} =", "a row of an array", "write a loop over its elements")
        if value.logical:
            raise Construct(f"{what} =", "a truth value where a number is wanted",
                            "write np.where(condition, 1.0, 0.0)")  # fmt: skip
        self._update(old.text, self._taken(real(value), old))

    def _name_is(self, name: str, value: Value, is_list: bool) -> None:
        scope = self.scope
        if isinstance(value, Scalar):
            if scope.counts[name] > 1 or name in scope.variables:
                self._variable(name, value)
            elif (output := self._output(name)) is not None and not value.logical:
                self.lines.add(f"{output.text} = {real(value).text};")
                scope.set(name, output)
            else:
                scope.set(name, self._fixed(name, value))
            return
        if name in scope.variables:
            raise Construct(f"{name} =", "it was a number before", "use another name")
        if self.guards or (self._looping and scope.counts[name] > 1 and name in scope.values):
            raise Construct(f"{name} =", "another array in a branch or a loop",
                            "give its elements their values")  # fmt: skip
        if isinstance(value, Several) and is_list and self._numbers(value):
            value = self.in_array(value, name, self._own(name, value))
        elif isinstance(value, Several):
            value = Several(tuple(self._frozen(name, one) for one in value.items))
        elif isinstance(value, Array) and value.computed:
            value = self.in_array(value, name, self._own(name, value))
        elif isinstance(value, Array) and value.name == "values" and value.store is not None:
            value = self._renamed(name, value)
        scope.set(name, value)

    def _numbers(self, value: Several) -> bool:
        return all(
            (isinstance(one, Scalar) and not one.logical)
            or (isinstance(one, Several) and self._numbers(one))
            for one in value.items
        )

    def _frozen(self, name: str, value: Value) -> Value:
        """What a name for several values stands for, whatever variables get later."""
        if isinstance(value, Array) and value.computed:
            return self.in_array(value, name)
        return self.kept(value, name) if isinstance(value, Scalar) and value.of_point else value

    def _own(self, name: str, value: Value) -> Array | None:
        """The result of the kernel that an array is, if it is one."""
        if self.outputs is None or name not in self.results or self.scope.counts[name] > 1:
            return None
        if self.results[name] in self.rewritten:
            return None
        found = self.outputs[self.results[name]]
        if not isinstance(found, Array):
            return None
        sizes = (
            value.sizes
            if isinstance(value, Array)
            else self.sizes_of(value.items, name)
            if isinstance(value, Several)
            else ()
        )
        return found if sizes == found.sizes else None

    def _renamed(self, name: str, value: Array) -> Array:
        """An array that was just made gets the name of the variable, or is the result itself."""
        at = tuple(number(0) for _ in value.sizes)
        assert value.store is not None
        old = value.store(at).partition("[")[0]
        own = self._own(name, value)
        new = self.scope.names.new(name) if own is None else own.name
        self.lines.rename(old, new, drop=own is not None)
        if own is not None:
            return Array(name, own.sizes, own.element, own.store, value.numeric)
        self.scope.names.arrays.add(new)
        return in_memory(new, value.sizes, name, value.numeric)

    def _output(self, name: str) -> Scalar | None:
        """The result of the kernel that a variable is, if it is one."""
        if self.outputs is None or name not in self.results or name in self.scope.values:
            return None
        found = self.outputs[self.results[name]]
        return found if isinstance(found, Scalar) else None

    def _fixed(self, name: str, value: Scalar) -> Scalar:
        """A variable that gets one value."""
        if value.number is not None:
            if value.kind != PLAIN or value.text.isidentifier():
                return value
            own = self.scope.names.new(name)
            self.lines.add(f"const double {own} = {value.text};", own)
            return Scalar(own, PLAIN, PRIMARY, value.number)
        changing = {one.text for one in self.scope.variables.values()}
        if value.text.isidentifier() and value.text not in changing:
            return value
        return self.kept(value, name)

    def _variable(self, name: str, value: Scalar) -> None:
        """A variable that gets several values, or one in a loop that is read outside of it."""
        scope = self.scope
        declared = scope.variables.get(name)
        if declared is None:
            if (output := self._output(name)) is not None and not value.logical:
                self.lines.add(f"{output.text} = {real(value).text};")
                scope.variables[name] = output
                scope.set(name, output)
                return
            kind = MASK if value.logical else REAL
            own = scope.names.new(name)
            text = self.of_mask(value).text if value.logical else real(value).text
            self.lines.add(f"{'Mask<Real>' if value.logical else 'Real'} {own} = {text};", own)
            scope.variables[name] = Scalar(own, kind)
            scope.set(name, scope.variables[name])
            return
        if declared.logical != value.logical:
            raise Construct(f"{name} =", "a truth value and a number", "use another name")
        value = self.of_mask(value) if value.logical else real(value)
        if name in scope.values:
            value = self._taken(value, declared)
        self._update(declared.text, value)
        scope.set(name, declared)

    def _update(self, name: str, value: Scalar) -> None:
        """x = x + y as x += y, where it is the same."""
        for sign in "+-*/":
            start = f"{name} {sign} "
            if value.text.startswith(start) and self._one_term(value.text, start, sign):
                self.lines.add(f"{name} {sign}= {value.text.removeprefix(start)};")
                return
        self.lines.add(f"{name} = {value.text};")

    def _one_term(self, text: str, start: str, sign: str) -> bool:
        """Whether what follows the first operator is its right side."""
        rest, level = text.removeprefix(start), 0
        for place, letter in enumerate(rest):
            level += (letter in "([") - (letter in ")]")
            if not level and letter in "+-" and rest[place - 1 : place] == " ":
                return False
            if not level and sign in "*/" and letter in "*/":
                return False
        return True

    def _augmented(self, node: ast.AugAssign) -> None:
        target = node.target
        read = ast.copy_location(
            ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name)
            else ast.Subscript(target.value, target.slice, ast.Load())
            if isinstance(target, ast.Subscript) else target, target)  # fmt: skip
        old = self.value(read)
        if isinstance(old, Array):
            if old.store is None or self.guards:
                raise Construct(ast.unparse(node), "an array as a whole", "write a for loop")
            by = self.value(node.value)
            if isinstance(by, Array) and by.name != old.name:
                by = self.in_array(by, "values")  # it may be made of the old elements
            new = self._operation(node.op, old, by)
            assert isinstance(new, Array)
            self.fill(old, new.element)
            return
        new = self._operation(node.op, old, self.value(node.value))
        self.assign(target, new, False)

    # ---- branches

    def _taken(self, value: Scalar, old: Scalar) -> Scalar:
        """A new value where all conditions hold, the old one elsewhere."""
        if not self.guards:
            return value
        [*_, (condition, holds)] = self.guards
        if len(self.guards) == 1 and not holds:
            return self.select(condition, old, value)
        parts = [one if holds else self.negated(one) for one, holds in self.guards]
        return self.select(self.joined("&", parts), value, old)

    @contextmanager
    def _guarded(self, condition: Scalar, holds: bool) -> Iterator[None]:
        self.guards.append((condition, holds))
        try:
            yield
        finally:
            self.guards.pop()

    def _if(self, node: ast.If) -> None:
        condition = self.truth(node.test)
        if condition.number is not None:
            self.statements(node.body if condition.number else node.orelse)
            return
        if (choice := _choice(node)) is not None:
            self._statement(choice)
            return
        scope = self.scope
        condition = self.of_mask(condition)
        if not condition.text.isidentifier() or condition.text in {
            one.text for one in scope.variables.values()
        }:
            condition = self.kept(condition, "condition")
        before = set(scope.defined)
        with self._guarded(condition, True):
            self.statements(node.body)
        yes = set(scope.defined)
        scope.defined = set(before)
        with self._guarded(condition, False):
            self.statements(node.orelse)
        no = set(scope.defined)
        scope.defined = yes & no

    # ---- loops

    _looping = 0

    def _for(self, node: ast.For) -> None:
        if node.orelse:
            raise Construct("else of a for", "kernels have no break", "write it behind the loop")
        turns = self.turns(node.iter)
        if not turns.count.species and not turns.count.more:
            return
        scope = self.scope
        own = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
        if again := own & stores(node.body):
            raise Construct(f"{min(again)} =", "the variable of its loop", "use another name")
        for name in scope.outlives(node):
            if name not in own and name not in scope.values and name not in scope.variables:
                self._hoisted(node, name)
        before = dict(scope.variables)
        values = {*scope.values}
        wanted = counting(node.target, turns)
        self._looping += 1
        with self.turning(turns.count, wanted) as n:
            self.bind(node.target, turns.at(n))
            self.statements(node.body)
        self._looping -= 1
        inner = {name for name in scope.variables if name not in before}
        for name in inner:
            del scope.variables[name]
        # what a loop declares is no more behind it
        for name in list(scope.values):
            if name in inner | own or (name not in values and name not in before):
                del scope.values[name]
        scope.defined &= {*scope.values}

    def _hoisted(self, node: ast.For, name: str) -> None:
        """A variable of a loop that is read behind it is declared before it."""
        scope = self.scope
        own = scope.names.new(name)
        self.lines.add(f"Real {own} = 0.0;", own)
        scope.variables[name] = Scalar(own, REAL)

    # ---- results

    def _own_results(self, tree: ast.FunctionDef) -> dict[str, int]:
        """Names that every return of a kernel returns at the same place."""
        found: list[dict[str, int]] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Return) and node.value is not None:
                parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                found.append({p.id: n for n, p in enumerate(parts) if isinstance(p, ast.Name)})
        if not found:
            return {}
        return {
            name: n
            for name, n in found[0].items()
            if all(one.get(name) == n for one in found) and [*found[0].values()].count(n) == 1
        }

    def returned(self, value: Value, what: str) -> None:
        if self.outputs is None:
            self._returned_to_caller(value)
            return
        items: Sequence[Value] = (value,)
        if len(self.outputs) > 1:
            if not isinstance(value, Several) or len(value.items) != len(self.outputs):
                count = len(value.items) if isinstance(value, Several) else 1
                raise Construct(f"return {what}", f"{count} value{'s'[: count != 1]} for "
                                f"{len(self.outputs)} outputs")  # fmt: skip
            # a result is read of the arguments alone, which results of C++ may be
            items = value.items
        for n, (item, output) in enumerate(zip(items, self.outputs, strict=True)):
            if isinstance(output, Array):
                if isinstance(item, Array) and item.store is not None:
                    at = tuple(number(0) for _ in item.sizes)
                    if output.store is not None and item.store(at) == output.store(at):
                        continue  # it is the result already
                if self.guards:
                    raise Construct(f"return {what}", "arrays in a branch",
                                    "fill one array, and return it at the end")  # fmt: skip
                if n in self.rewritten and isinstance(item, Array) and item.computed:
                    item = self.in_array(item, "values")  # of old values, which it may replace
                self.in_array(item, what, output)
            else:
                name = f"result {n}"
                one = self.one(item, what)
                if one.text == output.text:
                    continue
                if one.logical:
                    one = self.select(one, number(1.0), number(0.0))
                self.scope.variables[name] = output
                self._variable(name, real(one))
        self.result = Static(None)

    def _returned_to_caller(self, value: Value) -> None:
        """Of a function that is written out: its value, or variables that branches fill."""
        if not self.guards:
            self.result = value
            return
        items = value.items if isinstance(value, Several) else (value,)
        made = []
        for n, item in enumerate(items):
            name = f"{self.scope.source.tree.name} {n}"
            one = self.one(item, "return")
            self.scope.counts[name] = 2
            if name not in self.scope.variables:
                own = self.scope.names.new(f"{self.scope.source.tree.name}_value")
                kind = "Mask<Real>" if one.logical else "Real"
                text = self.of_mask(one).text if one.logical else real(one).text
                self.lines.add(f"{kind} {own} = {text};", own)
                self.scope.variables[name] = Scalar(own, MASK if one.logical else REAL)
                self.scope.set(name, self.scope.variables[name])
            else:
                self._variable(name, one)
            made.append(self.scope.variables[name])
        result: Value = Several(tuple(made)) if isinstance(value, Several) else made[0]
        if isinstance(self.result, Several) and (
            not isinstance(result, Several) or len(result.items) != len(self.result.items)
        ):
            raise Construct("return", "another number of values than before")
        self.result = result

    # ---- functions that it calls

    def helper(self, function: FunctionType, arguments: Sequence[Value]) -> Value:
        """A function of C++ where all arguments are numbers of a point or of all, and the result
        is one; else it is written out here."""
        name = function.__name__
        if function in self.called:
            raise Construct(f"{name}(...)", "it calls itself", "write a for loop")
        if len(self.called) > _DEPTH:
            raise Construct(f"{name}(...)", "calls in calls are too deep")
        plain = all(
            isinstance(one, Scalar) and one.kind in (REAL, PLAIN) and one.number is None
            for one in arguments
        )
        if plain:
            own = self.header.function(
                function, Names().new(name), lambda own: self._apart(own, function)
            )
            if own is not None:
                texts = [one.text for one in arguments if isinstance(one, Scalar)]
                return Scalar(f"{self.header.namespace}::{own}<Real>({', '.join(texts)})", REAL)
        return self._written_out(function, arguments)

    def _inside(
        self, function: FunctionType, source: Source, names: Names, lines: Lines,
        constants: dict[str, str],
    ) -> Function:  # fmt: skip
        scope = Scope(function, source, names, constants)
        return Function(self.header, scope, lines, (*self.called, function))

    def _apart(self, own: str, function: FunctionType) -> str | None:
        """The text of a function of C++, None where its result is no number of a point."""
        source = Source.of(function, self.header.files)
        names, lines, constants = Names(), Lines(), dict[str, str]()
        inner = self._inside(function, source, names, lines, constants)
        heads = []
        for name in inspect.signature(function).parameters:
            argument = names.new(name)
            inner.argument(name, Scalar(argument, REAL))
            heads.append(argument)
        shared, self.header.shared = self.header.shared, False
        inner.body()
        shared, self.header.shared = self.header.shared, shared
        result = inner.result
        if shared or not isinstance(result, Scalar) or result.logical:
            return None
        lines.add(f"return {real(result).text};")
        body = [*declared(constants, lines), *lines.finished()]
        read = "\n".join(body)
        texts = [
            f"const Real& {one}" if mentions(read, one) else f"const Real& /* {one} */"
            for one in heads
        ]
        about = (inspect.getdoc(function) or "").splitlines()[:1]
        return "\n".join([
            *(f"// {line}" for line in about),
            "template <class Real>",
            *signature(f"BRIDGE_FN Real {own}(", texts),
            *body,
            "}",
        ])  # fmt: skip

    def _written_out(self, function: FunctionType, arguments: Sequence[Value]) -> Value:
        """Its statements, here."""
        source = Source.of(function, self.header.files)
        inner = self._inside(function, source, self.scope.names, self.lines,
                             self.scope.constants)  # fmt: skip
        inner._looping = self._looping
        for name, value in zip(inspect.signature(function).parameters, arguments, strict=True):
            if isinstance(value, Scalar) and value.number is None:
                value = self.kept(value, name) if not value.text.isidentifier() else value
            inner.argument(name, value)
        inner.body()
        if inner.result is None:
            raise Construct(f"{function.__name__}(...)", "it returns nothing")
        if isinstance(inner.result, Static) and inner.result.value is None:
            raise Follows
        return inner.result

    def argument(self, name: str, value: Value) -> None:
        """An argument; one that gets other values in the function is a variable of it."""
        if self.scope.counts[name] and isinstance(value, Scalar):
            self._variable(name, value)
        else:
            self.scope.set(name, value)


def declared(constants: dict[str, str], lines: Lines) -> list[str]:
    """Constants of the module that a text reads, as lines at its head."""
    read = "\n".join(one.text for one in lines.lines)
    return [f"    {text}" for own, text in constants.items() if mentions(read, own)]


def straightened(nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements whose returns are at the end: what follows a branch that returns is the other
    branch."""
    made: list[ast.stmt] = []
    for place, node in enumerate(nodes):
        if isinstance(node, ast.If) and any(isinstance(one, ast.Return) for one in ast.walk(node)):
            rest = nodes[place + 1 :]
            yes, no = (
                [*part, *(() if _ends(part) else rest)] for part in (node.body, node.orelse)
            )
            both = ast.If(node.test, straightened(yes), straightened(no))
            made.append(ast.copy_location(both, node))
            return made
        if isinstance(node, ast.For):
            for one in ast.walk(node):
                if isinstance(one, ast.Return):
                    raise Construct("return", "in a loop", "keep the value in a variable, and "
                                    "return it behind the loop", one.lineno)  # fmt: skip
        made.append(node)
        if isinstance(node, ast.Return):
            break
    return made


def _ends(nodes: Sequence[ast.stmt]) -> bool:
    """Whether all ways through statements return."""
    return any(
        isinstance(one, ast.Return)
        or (isinstance(one, ast.If) and _ends(one.body) and _ends(one.orelse))
        for one in nodes
    )


def _choice(node: ast.If) -> ast.stmt | None:
    """if c: x = a / else: x = b as x = a if c else b, and so for return."""
    if len(node.body) != 1 or len(node.orelse) != 1:
        return None
    yes, no = node.body[0], node.orelse[0]
    if isinstance(no, ast.If):
        inner = _choice(no)
        if inner is None:
            return None
        no = inner
    made: ast.stmt
    if isinstance(yes, ast.Return) and isinstance(no, ast.Return):
        if yes.value is None or no.value is None:
            return None
        if isinstance(yes.value, ast.Tuple) or isinstance(no.value, ast.Tuple):
            return None
        made = ast.Return(ast.IfExp(node.test, yes.value, no.value))
    elif isinstance(yes, ast.Assign) and isinstance(no, ast.Assign):
        targets = [one.targets[0] for one in (yes, no)]
        if len(yes.targets) + len(no.targets) > 2:
            return None
        if not all(isinstance(one, ast.Name) for one in targets):
            return None
        if ast.unparse(targets[0]) != ast.unparse(targets[1]):
            return None
        made = ast.Assign([targets[0]], ast.IfExp(node.test, yes.value, no.value))
    else:
        return None
    return ast.fix_missing_locations(ast.copy_location(made, node))
