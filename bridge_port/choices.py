"""What the user says of a procedure that is translated, or of a nest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

#: First and last subscript of each dimension, or its extent, as --shape has them.
Said = Sequence["int | tuple[int, int]"]


@dataclass(frozen=True)
class Choices:
    """prefix: of the kernel, its quantities and its constants; private: saved, module or COMMON
    variables that a point has for itself, of a nest also scalars and arrays whose values nobody
    reads after it; species: the variable with the number of species, as name or module::name;
    fixed: integer and character arguments, integers of modules and COMMON
    and characters of modules that have one value; shapes: extents of arguments of an assumed
    shape, and extents or first and last subscripts of components that are pointers or allocatable
    (a%b); types: of arguments of a class; initial: variables of modules that keep their initial
    values although a statement of the program assigns them, "*" of all; outside: variables of
    modules and COMMON that are arguments, "in", "out" or "inout" by name, with "*" those that a
    statement gives values as well; singles: the kernel computes in real(4), and real(8) is
    refused; axes: variable of a loop -> 0, 1, 2 or x, y, z, for all loops over points of a nest,
    where the order of subscripts does not say it; presence: of optional arguments of the unit of
    a nest, whether they are given."""

    prefix: str = ""
    private: Iterable[str] = frozenset()
    species: str = ""
    fixed: Mapping[str, int | str] = field(default_factory=dict)
    shapes: Mapping[str, Said] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    initial: Iterable[str] = ()
    outside: Mapping[str, str] = field(default_factory=dict)
    singles: bool = False
    axes: Mapping[str, int | str] = field(default_factory=dict)
    presence: Mapping[str, bool] = field(default_factory=dict)

    @property
    def integers(self) -> dict[str, int]:
        """Of `fixed`."""
        return {name: value for name, value in self.fixed.items() if isinstance(value, int)}

    @property
    def letters(self) -> dict[str, str]:
        """Texts of `fixed`, by names in lower case."""
        return {name.lower(): text for name, text in self.fixed.items() if isinstance(text, str)}


#: Where the source alone decides.
NOTHING_SAID = Choices()
