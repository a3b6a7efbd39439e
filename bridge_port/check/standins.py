"""What the original is given for arguments that are no numbers: objects of derived types, whose
components a kernel has as arguments of its own, and what the procedure never names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bridge_port.kernel import Quantity
from bridge_port.output.fortran import Use
from bridge_port.program.derivedtypes import extensions
from bridge_port.program.program import Program
from bridge_port.program.symbols import Derived, Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.units import Unit

#: Variables of loops over elements of arrays of a type.
INDICES = ("zz_1", "zz_2", "zz_3", "zz_4", "zz_5", "zz_6", "zz_7")


@dataclass
class StandIns:
    """Of the arguments of a unit. types: of arguments of a class, as the user says; units: whose
    types are seen by their names, without use."""

    program: Program
    unit: Unit
    types: Mapping[str, str] = field(default_factory=dict)
    external: bool = False
    units: frozenset[str] = frozenset()

    def uses(self) -> list[Use]:
        """Of all types."""
        found: dict[Use, None] = {}
        for symbol in self._symbols():
            if symbol.type == "type" and symbol.type_name != "*":
                derived = self.derived(symbol)
                owner = derived.scope.unit.name
                if owner in self.units:
                    continue
                found[Use(owner, (f"{self._name(derived)} => {derived.name}",))] = None
        return list(found)

    def _symbols(self) -> list[Symbol]:
        scope = self.program.scope(self.unit)
        procedures = self.unit.external | self.program.procedure_arguments(self.unit)
        names = [d for d in self.unit.arguments if d != "*" and d not in procedures]
        if self.unit.kind == "function":
            names.append(self.unit.result or self.unit.name)
        return [scope.symbol(d, self.unit.place) for d in names]

    def _name(self, derived: Derived) -> str:
        own = derived.scope.unit.name in self.units
        return derived.name if own else f"zz_{derived.name}"[:63]

    def derived(self, symbol: Symbol) -> Derived:
        """The type that an object is made of: that of the user, or the declared one, or an
        extension of one that is abstract."""
        declared: Derived = symbol.scope.derived(symbol.type_name, symbol.place)
        wanted = {name.lower(): one.lower() for name, one in self.types.items()}.get(symbol.name)
        for one in (declared, *extensions(declared)):
            if one.definition.abstract or (wanted is not None and one.name != wanted):
                continue
            return one
        raise Refused(symbol.place, f"argument {symbol.name}",
                      f"no type is given that extends the abstract type {declared.name}",
                      "give the file of one")  # fmt: skip

    def declaration(
        self, dummy: str, local: str, components: Sequence[Quantity] = ()
    ) -> tuple[str, str]:
        """The declaration of a local variable, and what is passed. components: of the object."""
        if dummy in self.unit.external:
            self.external = True
            return "", "zz_nothing"
        symbol = self.program.scope(self.unit).symbol(dummy, self.unit.place)
        word = f"{symbol.type}({symbol.kind})"
        if symbol.type == "character":
            word = f"character(len={symbol.scope.length(symbol) or 64})"
        if symbol.type == "type":
            word = "integer" if symbol.type_name == "*" else ""
            if not word:
                derived = self.derived(symbol)
                word = f"type({self._name(derived)})"
                if symbol.attributes & {"pointer", "allocatable"} and "class" in symbol.attributes:
                    declared = symbol.scope.derived(symbol.type_name, symbol.place)
                    if declared is not derived:
                        raise Refused(symbol.place, f"argument {dummy}",
                                      "an abstract class pointer", "")  # fmt: skip
                    word = f"class({self._name(derived)})"
        rank = len(symbol.dimensions or ())
        for kind in ("pointer", "allocatable"):
            if kind in symbol.attributes:
                shape = f"({', '.join(':' * rank)})" if rank else ""
                null = " => null()" if kind == "pointer" else ""
                return f"{word}, {kind} :: {local}{shape}{null}", local
        shape = ""
        if rank:
            extents = list(symbol.scope.extents(symbol))
            if components:
                extents = [int(n) for n in components[0].shape[-rank:]]
            shape = f"({', '.join(str(1 if n is None else n) for n in extents)})"
        return f"{word} :: {local}{shape}", local

    # ---- components -----------------------------------------------------------------------------

    def allocations(self, components: Sequence[tuple[Quantity, str]]) -> list[str]:
        """Statements that give memory to components which are pointers or allocatable, and to
        those on the way to them, once each. components: with the variable that is the object."""
        lines: list[str] = []
        done: set[str] = set()
        for q, local in components:
            if self._of_number(q):
                continue
            levels = self._levels(q, local)
            ranks = [len(one.dimensions or ()) for _, one in levels]
            sizes = list(q.shape)
            lowers = list(q.lower)
            places: list[list[tuple[str, str]]] = []  # of each level: first and last subscripts
            for (_, one), rank in zip(reversed(levels), reversed(ranks), strict=True):
                mine = []
                for low, size in zip(lowers[:rank], sizes[:rank], strict=True):
                    low = 1 if one is levels[0][1] else low
                    mine.append((str(low), str(low + int(size) - 1)))
                places.insert(0, mine)
                sizes, lowers = sizes[rank:], lowers[rank:]
            text, loops = local, 0
            heads: list[str] = []
            for (name, one), mine in zip(levels, places, strict=True):
                text = f"{text}%{name}" if one is not levels[0][1] else local
                shape = ", ".join(":".join(pair) for pair in mine)
                if one.attributes & {"pointer", "allocatable"} and one is not levels[0][1]:
                    if text not in done:
                        done.add(text)
                        word = f"allocate ({text}({shape}))" if mine else f"allocate ({text})"
                        lines += [*heads, word, *(["end do"] * len(heads))]
                indices = INDICES[loops : loops + len(mine)]
                for index, (first, last) in zip(indices, mine, strict=True):
                    heads = [*heads, f"do {index} = {first}, {last}"]
                loops += len(mine)
                text += f"({', '.join(indices)})" if mine else ""
        return lines

    def _of_number(self, q: Quantity) -> bool:
        """Whether it is a part of a complex number."""
        dummy = q.argument.partition("%")[0]
        return bool(self.program.scope(self.unit).symbol(dummy).type == "complex")

    def _levels(self, q: Quantity, local: str) -> list[tuple[str, Symbol]]:
        """The object and the components down to that of a kernel."""
        dummy, *names = q.argument.split("%")
        symbol: Symbol = self.program.scope(self.unit).symbol(dummy, self.unit.place)
        levels = [(local, symbol)]
        derived = self.derived(symbol)
        for name in names:
            found = derived.component(name)
            assert found is not None
            levels.append((name, found))
            if found.type == "type":
                derived = found.scope.derived(found.type_name, found.place)
        return levels

    def element(self, q: Quantity, local: str) -> tuple[str, str, list[int]] | None:
        """Of a component of an array of a type with a shape of its own: its element, the place of
        that among all of them, extents of the loops. None where the component is an array or a
        number of the language."""
        if self._of_number(q):
            return None
        levels = self._levels(q, local)
        symbol = levels[0][1]
        ranks = [len(one.dimensions or ()) for _, one in levels]
        if sum(rank > 0 for rank in ranks) < 2:
            return None
        extents = [int(n) for n in q.shape]
        indices = list(INDICES[: len(extents)])
        texts = []
        firsts = list(q.lower) or [1] * len(extents)
        for (name, one), rank in zip(reversed(levels), reversed(ranks), strict=True):
            mine, indices = indices[:rank], indices[rank:]
            lowers, firsts = firsts[:rank], firsts[rank:]
            if one is symbol:
                lowers = [1] * rank
            inside = ", ".join(f"{i} + ({low})" for i, low in zip(mine, lowers, strict=True))
            texts.append(f"{name}({inside})" if rank else name)
        place = "1"
        for index, extent in zip(
            reversed(INDICES[: len(extents)]), reversed(extents), strict=True
        ):
            place = index if place == "1" else f"({place})*{extent} + {index}"
        return "%".join(reversed(texts)), f"{place} + 1", extents


def looped(text: str, extents: list[int]) -> list[str]:
    """A statement for all elements."""
    heads = [f"do {index} = 0, {extent - 1}"
             for index, extent in zip(INDICES, extents, strict=False)]  # fmt: skip
    return [*heads, text, *(["end do"] * len(heads))]
