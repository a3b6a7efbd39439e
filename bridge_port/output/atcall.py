"""What a call of a procedure gives to bind and run of the nest that the procedure is.

The dummies of the procedure are arguments of bind and run; what the call has in their places is
given there. Refused where bind would get a copy of an array, or where the caller has no name for
what the nest needs.
"""

from __future__ import annotations

from collections.abc import Mapping

from bridge_port.nest.callednest import CalledNest
from bridge_port.output.surroundings import Known
from bridge_port.program.program import Program
from bridge_port.program.resolved import designated
from bridge_port.program.symbols import MODULE, Symbol
from bridge_port.refusal import Refused
from bridge_port.semantic import intrinsics
from bridge_port.syntax.expressions import (
    Apply,
    Component,
    Expression,
    Keyword,
    Name,
    Section,
)
from bridge_port.syntax.rewriting import replaced
from bridge_port.syntax.text import expression_text

_HELD = frozenset({"pointer", "allocatable"})


class AtCall:
    """Of one call."""

    def __init__(self, program: Program, called: CalledNest, presence: Mapping[str, bool]) -> None:
        """presence: of the dummies, as the kernels have them."""
        self.called, self.place = called, called.call.place
        self.caller = program.scope(called.caller)
        self.inner = program.scope(called.unit)
        self.given: dict[str, Expression] = {}
        dummies = called.unit.arguments
        for number, one in enumerate(called.call.arguments):
            if isinstance(one, Keyword):
                self.given[one.name] = one.value
            elif number < len(dummies):
                self.given[dummies[number]] = one
            else:
                raise self._refused("more arguments than it has dummies", "")
        for name, present in presence.items():
            self._check_presence(name, present)

    def _check_presence(self, name: str, present: bool) -> None:
        """An optional argument of the caller may be there or not: that is said."""
        actual = self.given.get(name)
        symbol = self.caller.find(actual.id) if isinstance(actual, Name) else None
        if symbol is not None and symbol.optional:
            return
        if present != (actual is not None):
            gives = "gives" if actual is not None else "does not give"
            word = "absent" if present else "present"
            raise self._refused(f"it {gives} {name}", f"say --{word} {name}")

    def texts(self, known: Known, paths: Mapping[str, Expression], bound: bool) -> list[str]:
        """In the order of the arguments. bound: of bind, which keeps the addresses of arrays."""

        def given(name: str) -> Expression:
            if name in paths:
                e = self._path(paths[name])
            elif name in self.called.unit.arguments:
                e = self._actual(name)
            else:
                e = self._same(name)
            if bound and name in known.arrays:
                self._check_memory(name, e, name in paths)
            return e

        return known.actuals(given)

    # ---- one argument -------------------------------------------------------------------------

    def _actual(self, dummy: str) -> Expression:
        e = self.given.get(dummy)
        if e is None:
            raise self._refused(
                f"it gives nothing for {dummy}, which the loops need", "port the loops themselves"
            )
        for one in e.walk():
            if isinstance(one, Apply) and not self._is_data(one):
                raise self._refused(
                    f"{expression_text(one)} would be computed by bind and by run again",
                    "copy it to a variable before the call",
                )
        return e

    def _is_data(self, e: Apply) -> bool:
        """An element or a section of an array, or a function of Fortran's own."""
        symbol = designated(e.base, self.caller)
        if symbol is not None:
            return symbol.dimensions is not None
        if e.reference not in intrinsics.NAMES:
            return False
        return self.caller.procedure(e.reference) is None and not self.caller.generic(e.reference)

    def _same(self, name: str) -> Expression:
        """Of what is no dummy: data that the caller knows by the same name."""
        inner, outer = self.inner.find(name), self.caller.find(name)
        if inner is None or outer is None or not _one(inner, outer):
            raise self._refused(
                f"the caller does not know {name} of {self.called.unit.name}, which they need",
                "port the loops themselves, or pass it as an argument",
            )
        return Name(name)

    def _path(self, path: Expression) -> Expression:
        """A component of a dummy, in the caller's words."""

        def put(e: Expression) -> Expression | None:
            if isinstance(e, Apply) and e.reference in self.given:
                # Its elements may be counted from another first one there.
                raise self._refused(
                    f"the loops need {expression_text(path)}, an element of a dummy",
                    "pass the element",
                )
            if not isinstance(e, Name):
                return None
            if e.id not in self.called.unit.arguments:
                return self._same(e.id)
            actual = self._actual(e.id)
            if any(isinstance(one, Section) for one in actual.walk()):
                raise self._refused(f"{expression_text(actual)} are several elements", "")
            return actual

        return replaced(path, put)

    # ---- memory -------------------------------------------------------------------------------

    def _check_memory(self, name: str, e: Expression, is_path: bool) -> None:
        """Refused where Fortran would hand bind a copy, which is gone after it."""
        symbol = None if is_path else self.inner.find(name)
        as_it_is = symbol is None or any(d.deferred for d in symbol.dimensions or ())
        if as_it_is and self._is_variable(e):
            return  # by its descriptor: bind asks whether it has gaps
        if not as_it_is and self._has_no_gaps(e):
            return
        raise self._refused(
            f"{expression_text(e)}, for {name}, may be passed as a copy, and bind would keep the "
            "address of that",
            "pass an array without gaps that is no pointer, or its first element; or port the "
            "loops themselves",
        )

    def _is_variable(self, e: Expression) -> bool:
        """An array, or elements of one that lie at equal distances."""
        if isinstance(e, Apply):
            return designated(e.base, self.caller) is not None and not self._has_vector(e)
        symbol = designated(e, self.caller)
        return isinstance(e, Name | Component) and symbol is not None

    def _has_no_gaps(self, e: Expression) -> bool:
        """As the declarations say: an array, its elements from one on, or its last planes."""
        if isinstance(e, Apply):
            if self._has_vector(e):
                return False
            whole = True
            for one in e.arguments:
                if not isinstance(one, Section):
                    whole = False
                elif not whole or one.lower or one.upper or one.stride:
                    return False
            e = e.base
        symbol = designated(e, self.caller)
        if symbol is None or symbol.dimensions is None or not self._is_one(e):
            return False
        if "contiguous" in symbol.attributes or "allocatable" in symbol.attributes:
            return True
        return not any(d.deferred for d in symbol.dimensions)

    def _is_one(self, e: Expression) -> bool:
        """Whether what stands before the last name is one object."""
        if isinstance(e, Name):
            return True
        if not isinstance(e, Component):
            return False
        base = e.base
        if isinstance(base, Apply):
            if self._has_vector(base) or any(isinstance(a, Section) for a in base.arguments):
                return False
            base = base.base
        elif (symbol := designated(base, self.caller)) is None or symbol.dimensions is not None:
            return False
        return self._is_one(base)

    def _has_vector(self, e: Apply) -> bool:
        """Whether a subscript is an array, as far as the declarations say."""
        return any(self._is_array(a) for a in e.arguments if not isinstance(a, Section))

    def _is_array(self, e: Expression) -> bool:
        if isinstance(e, Name | Component):
            symbol = designated(e, self.caller)
            return symbol is None or symbol.dimensions is not None
        parts = e.arguments if isinstance(e, Apply) else tuple(e.parts())
        return any(isinstance(one, Section) or self._is_array(one) for one in parts)

    def _refused(self, why: str, change: str) -> Refused:
        return Refused(self.place, f"call {self.called.unit.name}", why, change)


def _one(inner: Symbol, outer: Symbol) -> bool:
    if inner is outer:
        return True
    return (inner.storage, inner.owner, inner.name) == (MODULE, outer.owner, outer.name) and (
        outer.storage == MODULE
    )
