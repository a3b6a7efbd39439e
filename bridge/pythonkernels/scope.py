"""Names of one Python function: its variables, and what it finds outside."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from bridge.pythonkernels.refusal import Construct
from bridge.pythonkernels.text import Names
from bridge.pythonkernels.values import PLAIN, PRIMARY, Scalar, Value, number

#: Where a name is not found.
NOTHING: Any = object()


@dataclass(frozen=True)
class Source:
    """Text of a function: its tree with line numbers of the file."""

    file: str
    tree: ast.FunctionDef

    @classmethod
    def of(cls, function: Callable[..., Any], files: dict[str, str]) -> Source:
        """files: path -> how messages call it. Construct where the text cannot be read."""
        name = getattr(function, "__name__", "function")
        try:
            lines, first = inspect.getsourcelines(function)
            path = inspect.getsourcefile(function) or "?"
            tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        except (OSError, TypeError, SyntaxError):
            raise Construct(
                name, "its text cannot be read", "write it with def in a file"
            ) from None
        if not isinstance(tree, ast.FunctionDef):
            raise Construct(
                name, "its text is no def", "write it with def, without async or lambda"
            )
        ast.increment_lineno(tree, first - 1)
        return cls(files.get(path, path), tree)


class Scope:
    """names: of the C++ function that it becomes a part of; constants: declared at its head."""

    def __init__(
        self, function: FunctionType, source: Source, names: Names, constants: dict[str, str]
    ) -> None:
        self.function, self.source = function, source
        self.names, self.constants = names, constants
        self.values: dict[str, Value] = {}
        #: Names that have a value for certain; those of which one was refused.
        self.defined: set[str] = set()
        self.unknown: set[str] = set()
        #: Variables that are declared: name -> their C++ names.
        self.variables: dict[str, Scalar] = {}
        self.counts = Counter(_stores(source.tree))
        self.stored = {*self.counts}

    def set(self, name: str, value: Value) -> None:
        self.values[name] = value
        self.defined.add(name)
        self.unknown.discard(name)

    def outside(self, name: str) -> Any:
        """What a name means that the function does not assign."""
        closure = inspect.getclosurevars(self.function).nonlocals
        if name in closure:
            return closure[name]
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        return getattr(builtins, name, NOTHING)

    def constant(self, name: str, value: Any) -> Scalar:
        """A number of the module, under its name if it is a real one."""
        if isinstance(value, bool | np.bool_ | int | np.integer):
            return number(value)
        plain = number(value)
        if not np.isfinite(value):
            return plain
        text = f"constexpr double {{}} = {plain.text};"
        for own, declared in self.constants.items():
            if declared == text.format(own) and own.rstrip("_0123456789") == name.rstrip(
                "_0123456789"
            ):
                return Scalar(own, PLAIN, PRIMARY, plain.number)
        own = self.names.new(name)
        self.constants[own] = text.format(own)
        return Scalar(own, PLAIN, PRIMARY, plain.number)

    def outlives(self, loop: ast.For) -> list[str]:
        """Variables that a loop gives values, and that are read outside of it."""
        inside, every = Counter(_read(loop)), Counter(_read(self.source.tree))
        loops = [one for one in ast.walk(loop) if isinstance(one, ast.For)]
        counting = Counter(name for one in loops for name in _stored(one.target))
        assigned = Counter(_stores(loop)) - counting
        return [name for name in assigned if every[name] > inside[name]]


def _stored(target: ast.expr) -> list[str]:
    """Names of a target."""
    return [one.id for one in ast.walk(target) if isinstance(one, ast.Name)]


def _read(tree: ast.AST) -> Iterator[str]:
    """Names of a function, as often as they stand there; comprehensions have their own."""
    for node in ast.iter_child_nodes(tree):
        own = set()
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            targets = (one for part in node.generators for one in ast.walk(part.target))
            own = {one.id for one in targets if isinstance(one, ast.Name)}
        if isinstance(node, ast.Name):
            yield node.id
        yield from (name for name in _read(node) if name not in own)


def stores(nodes: Sequence[ast.stmt]) -> set[str]:
    """Names that statements assign."""
    return {*_stores(ast.Module([*nodes], []))}


def _stores(tree: ast.AST) -> Iterator[str]:
    """Names that a function assigns, as often as it does; comprehensions have their own."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.Lambda | ast.FunctionDef):
            continue
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        yield from _stores(node)
