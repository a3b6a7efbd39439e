"""Components that a nest touches of an array whose declaration does not count them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """Components of an array that a nest touches, where the declaration does not say how many
    there are. dimension: from 1; first, last: subscripts; only: whether there may be no others."""

    dimension: int
    first: int
    last: int
    only: bool

    @property
    def text(self) -> str:
        return f"{self.first}:{self.last}"

    def asked(self, name: str, array: str, points: Iterable[int]) -> str:
        """A line of bind; points: dimensions of points, without which no component is touched."""
        n, numbers = self.dimension, self.text
        if self.only:
            test = f"lbound({array}, {n}) /= {self.first} .or. ubound({array}, {n}) /= {self.last}"
            why = f"the elements of {array} along its dimension {n} are not {numbers}"
        else:
            test = f"lbound({array}, {n}) > {self.first} .or. ubound({array}, {n}) < {self.last}"
            why = f"{array} has not all elements {numbers} along its dimension {n}"
        some = [f"size({array}, {one}) > 0" for one in points]
        test = f"{' .and. '.join(some)} .and. ({test})" if some else test
        return f"if ({test}) error stop 'bind_{name}: {why}'"
