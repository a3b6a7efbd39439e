"""Components of all elements of an array of a derived type, in the module of a nest.

They do not follow each other in memory, so the module has an array of its own for each of them,
with the name that the component has in the nest. bind_ gives it its bounds, and each run copies:
the components into it before, and back behind what is written. The unit gives them to run_, as
Fortran names them: `cells(:)%t`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bridge_port.kernel import ElementArray
from bridge_port.nest.nest import values_of
from bridge_port.output.surroundings import Surroundings
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Expression
from bridge_port.syntax.text import expression_text


@dataclass
class Elements:
    """Of one module. its: all of the nest, by name; written: names that its kernels give
    values."""

    nest: str
    its: Mapping[str, ElementArray]
    around: Surroundings
    types: Mapping[tuple[str, int], str]
    written: Container[str] = ()

    @property
    def used(self) -> list[str]:
        """Those that the module has turned out to need, in the order of the nest."""
        return [name for name in self.its if name in self.around.met]

    def check_bounds(self, bounds: Iterable[Expression]) -> None:
        """Refused where bounds are values of them: bind_ has none."""
        for e in bounds:
            for name in sorted(values_of(e) & {*self.its}):
                text = expression_text(self.its[name].parts[0])
                raise Refused(
                    self.around.unit.place, f"component {text}",
                    "a bound of the loops is a value of an array of a type whose index changes in "
                    "the nest", "copy it to a variable",
                )  # fmt: skip

    def stored(self) -> list[str]:
        """Variables of the module."""
        return [
            f"{self._type(name)}, allocatable, target, save :: "
            f"{name}({', '.join(':' * self._rank(name))})"
            for name in self.used
        ]

    def freed(self) -> list[str]:
        return [f"if (allocated({name})) deallocate ({name})" for name in self.used]

    # ---- bind ---------------------------------------------------------------------------------

    def _firsts(self) -> dict[Expression, str]:
        """Arrays of types, each with the first component of it: they share their bounds."""
        return {self.its[name].array: name for name in reversed(self.used)}

    def bounds(self) -> list[str]:
        """Arguments of bind_."""
        return [f"{name}_{end}{n}" for _, name, n, end in self._ends()]

    def given_bounds(self) -> list[str]:
        return [f"{end[0]}bound({expression_text(a)}, {n})" for a, _, n, end in self._ends()]

    def _ends(self) -> Iterator[tuple[Expression, str, int, str]]:
        for array, name in reversed(self._firsts().items()):
            for n in range(1, self.its[name].rank + 1):
                yield array, name, n, "low"
                yield array, name, n, "upper"

    def declared_bounds(self) -> list[str]:
        names = self.bounds()
        return [f"integer, intent(in) :: {', '.join(names)}"] if names else []

    def made(self) -> list[str]:
        """Statements of bind_."""
        lines = []
        firsts = self._firsts()
        for name in self.used:
            one = self.its[name]
            ends = [f"{low}:{high}" for low, high in one.shape]
            for n in range(1, one.rank + 1):
                low, high = (f"{firsts[one.array]}_{end}{n}" for end in ("low", "upper"))
                first = self.around.firsts.get((name, len(one.shape) + n))
                if first is None:
                    ends.append(f"{low}:{high}")
                else:  # in the nest it begins there
                    text = expression_text(first)
                    ends.append(f"{text}:{text} + {high} - {low}")
            lines += [f"if (allocated({name})) deallocate ({name})",
                      f"allocate ({name}({', '.join(ends)}))",
                      f"{name} = {'.false.' if self._is_logical(name) else '0'}"]  # fmt: skip
        return lines

    # ---- run ----------------------------------------------------------------------------------

    def arguments(self) -> list[str]:
        """Of run_, and what stands beside it."""
        return [part for name in self.used for part in self._parts(name)]

    def given(self) -> list[str]:
        return [expression_text(part) for name in self.used for part in self.its[name].parts]

    def declared(self, changes: bool) -> list[str]:
        """changes: whether what is written comes back."""
        return [
            f"{self._type(name)}, intent({'inout' if changes and name in self.written else 'in'})"
            f" :: {part}({', '.join(':' * self.its[name].rank)})"
            for name in self.used
            for part in self._parts(name)
        ]

    def before(self) -> list[str]:
        """Statements before the first run."""
        lines = []
        for name in self.used:
            colons = [":"] * self.its[name].rank
            text = f"{self.nest}: {expression_text(self.its[name].array)} has another shape than "
            for part, own in zip(self._parts(name), self._own(name), strict=True):
                sizes = f"size({part}) /= size({own})"
                if len(colons) > 1:
                    sizes = f"any(shape({part}) /= shape({own}))"
                lines += [f"if ({sizes}) error stop '{text}when it was bound'",
                          f"{own} = {part}"]  # fmt: skip
        return lines

    def behind(self) -> list[str]:
        """Statements behind the last run."""
        return [
            f"{part} = {own}"
            for name in self.used
            if name in self.written
            for part, own in zip(self._parts(name), self._own(name), strict=True)
        ]

    def _parts(self, name: str) -> list[str]:
        count = len(self.its[name].parts)
        if count == 1:
            return [f"{name}_elements"]
        return [f"{name}_elements{n}" for n in range(1, count + 1)]

    def _own(self, name: str) -> list[str]:
        """The components in the module's array."""
        one = self.its[name]
        rest = [":"] * one.rank
        shaped: Sequence[Sequence[str]] = [[]]
        for low, high in reversed(one.shape):
            shaped = [[str(n), *inner] for inner in shaped for n in range(low, high + 1)]
        return [f"{name}({', '.join([*inner, *rest])})" for inner in shaped]

    # ---- types --------------------------------------------------------------------------------

    def _rank(self, name: str) -> int:
        return len(self.its[name].shape) + self.its[name].rank

    def _is_logical(self, name: str) -> bool:
        return self.around.symbol(name).type == "logical"

    def _type(self, name: str) -> str:
        symbol = self.around.symbol(name)
        kind = symbol.type, symbol.kind
        if kind not in self.types:
            raise Refused(
                symbol.place, f"component {expression_text(self.its[name].parts[0])}",
                f"arrays of {kind[0]}({kind[1]}) are not bound",
                "copy it to a real(8) or integer(4) array",
            )  # fmt: skip
        return self.types[kind]
