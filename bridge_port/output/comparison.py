"""The calls of a nest's module beside the loops: compare_begin_NAME and compare_NAME around them,
record_NAME before them.

A comparison runs the kernels in turn, on copies of what they write (`frame_compare_begin_sets`).
What points give to reductions and fields between the kernels are work arrays of the module: these
are written, and what is reduced of them is held against the variables of the old loops. Of runs
that reduce what they make they are bound here, for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bridge_port.kernel import SUM, HostValue, Kernel
from bridge_port.output.bindings import Array, Bindings, scalars_in
from bridge_port.output.elements import Elements
from bridge_port.output.fortran import Procedure, Statement, call
from bridge_port.output.hostdata import given, given_constants, listed
from bridge_port.output.runs import local_lines, reduced, reduction_lines
from bridge_port.output.surroundings import Known, Surroundings
from bridge_port.syntax.text import expression_text


class Comparison:
    """name: of the nest; values: constants and tables that the kernels read, from outside; made:
    bindings of kernels whose runs reduce what their points give while they make it."""

    def __init__(
        self, name: str, sets: Sequence[str], kernels: Sequence[Kernel],
        bindings: Sequence[Bindings], made: Sequence[Bindings], around: Surroundings,
        elements: Elements,
    ) -> None:  # fmt: skip
        self.name, self.sets, self.kernels, self.bindings = name, sets, kernels, bindings
        self.made, self.around, self.elements = made, around, elements
        self.values = [v for k in kernels for v in k.constants]
        self.values += [v for k in kernels for v in k.tables]
        self.reductions = [r for k in kernels for r in k.procedure.reductions]
        views = [v for k in kernels for v in k.procedure.views.values()]
        #: Scalars that say where elements of views lie.
        self.places = list(dict.fromkeys(n for v in views for n in scalars_in(v, around)))
        self.variables = list(dict.fromkeys(r.variable for r in self.reductions))

    @property
    def possible(self) -> bool:
        """Not where a kernel reads what an earlier one reduces, or what is gathered from an array
        that it writes: they run without a stop. Nor where results are scattered after a run, or
        copied to elements of types: the old loops write other arrays than the kernels."""
        written: set[str] = set()
        if any(name in self.elements.written for name in self.elements.its):
            return False
        for bindings in self.bindings:
            for one in bindings.arrays:
                if one.scattering or (one.spreading and one.name in written):
                    return False
            written |= {one.name for one in bindings.arrays if one.name and one.intent != "in"}
        reduced_before: set[str] = set()
        for k in self.kernels:
            if reduced_before & {v.variable for v in (*k.constants, *k.tables)}:
                return False
            reduced_before |= {r.variable for r in k.procedure.reductions}
        return True

    def names(self) -> list[str]:
        """Of the procedures."""
        pair = [f"compare_begin_{self.name}", f"compare_{self.name}"] if self.possible else []
        return [*pair, f"record_{self.name}"]

    def saved(self) -> list[str]:
        """Variables of the module."""
        lines = [f"integer, save :: {_box(b)}(2, {len(b.loops)})" for b in self.made]
        if not self.possible:
            return lines
        if self.variables:
            lines.append("! What the kernels reduce, from compare_begin_ to compare_.")
            lines.append("logical, save :: compared_whole = .false.")
        for name in self.variables:
            symbol = self.around.symbol(name)
            extents = self.around.scope.extents(symbol) if symbol.dimensions else ()
            shape = f"({', '.join(map(str, extents))})" if extents else ""
            lines.append(f"{symbol.type}({symbol.kind}), save :: {_own(name)}{shape}")
        return lines

    def procedures(self) -> list[Procedure]:
        pair = [self._begin(), self._compare()] if self.possible else []
        return [*pair, self._record(), *([self._bind_contributions()] if self.made else [])]

    # ---- what points give to numbers ----------------------------------------------------------

    def binds(self, bindings: Bindings, one: Array) -> bool:
        """Whether an array is bound here, and not for runs."""
        return one.contributed and bindings in self.made

    def bound_anew(self, set_: str, bindings: Bindings) -> list[Statement]:
        """In bind_, behind the arrays of a kernel: where its box is, with which those that were
        bound here may not agree any more."""
        if bindings not in self.made:
            return []
        lines: list[Statement] = []
        for one in bindings.arrays:
            if one.contributed:
                there = f"allocated({one.own})"
                name = f"'{one.quantity.name}'"
                lines += [call("frame_unbind", f"'{set_}'", name, where=there),
                          f"if ({there}) deallocate ({one.own})"]  # fmt: skip
        for n, axis in enumerate(sorted(bindings.loops), 1):
            loop = bindings.loops[axis]
            lines += [f"{_box(bindings)}(1, {n}) = {expression_text(loop.first)}",
                      f"{_box(bindings)}(2, {n}) = {expression_text(loop.last)}"]  # fmt: skip
        return lines

    def _bind_contributions(self) -> Procedure:
        pointers: dict[str, str] = {}
        body: list[Statement] = []
        for set_, bindings in zip(self.sets, self.bindings, strict=True):
            box, rank = _box(bindings), len(bindings.loops)
            points = [f"{box}(1, {n}):{box}(2, {n})" for n in range(1, rank + 1)]
            for one in bindings.arrays:
                if not self.binds(bindings, one):
                    continue
                body += replace(one, bounds=[*points, *one.bounds[rank:]]).prepared(set())
                body.append(call("frame_bind", f"'{set_}'", f"'{one.quantity.name}'", "'out'",
                                 one.pointer))  # fmt: skip
                body += left_out(set_, bindings, one)
                colons = ", ".join(":" * (4 if one.components else 3))
                pointers[one.pointer] = f"{one.pointer_type}, pointer :: {one.pointer}({colons})"
        return Procedure(
            self._binds_more, (), [text for _, text in sorted(pointers.items())], body,
            "What points give to numbers, which is in no array where a run makes it.",
        )  # fmt: skip

    @property
    def _binds_more(self) -> str:
        return f"bind_more_{self.name}"

    # ---- before the loops ---------------------------------------------------------------------

    def _given(self) -> list[Statement]:
        """What run_ gives before its runs."""
        body: list[Statement] = [*self.elements.before()]
        body += given_constants(v for k in self.kernels for v in k.constants)
        for k in self.kernels:
            body += given(k.tables, "frame_table")
        body = list(dict.fromkeys(body))
        return body + [text for b in self.bindings for one in b.arrays for text in one.spreading]

    def _begin(self) -> Procedure:
        firsts = {r.variable: r for r in reversed(self.reductions)}
        begun = [name for name in self.variables if firsts[name].initial is None]
        known = self._known(self.values, [*begun, *self.given_places()])
        share = _free("share", known)
        body = [*self._given(), *(f"{_own(name)} = {name}" for name in begun)]
        sets, kernels = listed(self.sets), listed(k.name for k in self.kernels)
        body += self._bound_more()
        body.append(call("frame_compare_begin_sets", sets, kernels, share))
        if self.variables:
            # A share of the points is none that could be reduced.
            body.append("compared_whole = .true.")
            body.append(f"if (present({share})) compared_whole = {share} >= 1")
            body.append("if (.not. compared_whole) return")
        found = [reduced([k], _own) for k in self.kernels]
        for set_, several in zip(self.sets, found, strict=True):
            body += reduction_lines(self.around, set_, several)
        declared = [f"real(c_double), intent(in), optional :: {share}"]
        declared += local_lines(self.around, found)
        about = "Before the loops: kernels run on copies. share: of the points, or calls."
        return self._before_loops(
            f"compare_begin_{self.name}", about, known, share, declared, body
        )  # fmt: skip

    def _record(self) -> Procedure:
        known = self._known(self.values, self.given_places())
        file = _free("file", known)
        body = [*self._given(), *self._bound_more()]
        for n, (set_, k) in enumerate(zip(self.sets, self.kernels, strict=True), 1):
            name = file if n == 1 else f"trim({file})//'_{n}'"
            body.append(call("frame_record", f"'{set_}'", f"'{k.name}'", name))
        return self._before_loops(
            f"record_{self.name}",
            "Before the loops: ranges and a sample of what they read, for the check.", known,
            file, [f"character(len=*), intent(in) :: {file}"], body,
        )  # fmt: skip

    def _bound_more(self) -> list[Statement]:
        own = (a.own for b in self.made for a in b.arrays if a.contributed)
        first = next(own, None)
        return [call(self._binds_more, where=f".not. allocated({first})")] if first else []

    def _before_loops(
        self, name: str, about: str, known: Known, last: str, declared: Sequence[str],
        body: Sequence[Statement],
    ) -> Procedure:  # fmt: skip
        """last: argument of the procedure, which is declared here."""
        arguments = [*known.dummies, *self.elements.arguments(), last]
        # What is given is read here; only run_ changes it.
        declarations = [*known.declarations(targets=False, outside=self.outside()),
                        *self.elements.declared(changes=False), *declared]  # fmt: skip
        return Procedure(name, arguments, declarations, body, about)

    # ---- behind the loops ---------------------------------------------------------------------

    def _compare(self) -> Procedure:
        known = self._known([], self.variables)
        worst = _free("worst", known)
        body: list[Statement] = [f"{worst} = 0"]
        for set_, k in zip(self.sets, self.kernels, strict=True):
            body.append("bridge_worst = 0")
            body.append(call("frame_compare", f"'{set_}'", f"'{k.name}'", "bridge_worst"))
            body.append(f"{worst} = max({worst}, bridge_worst)")
        if self.variables:
            body.append("if (.not. compared_whole) return")
        for name in self.variables:
            body += [*self._numbers(name), f"{worst} = max({worst}, bridge_worst)"]
        declared = [*known.declarations(targets=False),
                    f"real(c_double), intent(out) :: {worst}",
                    "real(c_double) :: bridge_worst"]  # fmt: skip
        return Procedure(
            f"compare_{self.name}", [*known.dummies, worst], declared, body,
            "Behind the loops: the largest difference of these and the kernels.",
        )  # fmt: skip

    def _numbers(self, name: str) -> list[Statement]:
        """One variable, in the measure of what its points gave to a sum."""
        own = _own(name)
        where = [
            (set_, k, bindings, r)
            for set_, k, bindings in zip(self.sets, self.kernels, self.bindings, strict=True)
            for r in k.procedure.reductions
            if r.variable == name
        ]
        set_, k, _, last = where[-1]
        symbol, size = self.around.symbol(name), self.around.size(name)
        mine, theirs = (_numbers(one, symbol.type, size) for one in (name, own))
        if symbol.type != "real":
            scale = [f"spread(0.0_c_double, 1, {size or 1})"]
        else:
            scale = [f"max(abs({mine}), abs({theirs}))"]
        if symbol.type == "real" and last.operation == SUM:
            scale = [f"abs({theirs})"]
            for _, _, bindings, r in where:
                field = next(a for a in bindings.arrays if a.quantity.argument == r.argument)
                text = f"abs({field.own})"
                for _ in range(field.rank - bool(size)) if size else ():
                    text = f"sum({text}, 1)"
                scale.append(text if size else f"[sum({text})]")
        return [
            "bridge_worst = 0",
            call("frame_compare_numbers", f"'{set_}'", f"'{k.name}'", f"'{name}'", mine, theirs,
                 " + ".join(scale), "bridge_worst"),
        ]  # fmt: skip

    def given_places(self) -> list[str]:
        return [name for name in self.places if not self.around.is_outside(name)]

    def outside(self) -> list[str]:
        """What the kernels read, and nobody gives."""
        values = [v.variable.partition("%")[0] for v in self.values if self.around.is_used(v)]
        return values + [name for name in self.places if self.around.is_outside(name)]

    def _known(self, values: Iterable[HostValue], variables: Iterable[str]) -> Known:
        names = [v.variable for v in values if not self.around.is_used(v)]
        return self.around.needed([*names, *variables], [])


def left_out(set_: str, bindings: Bindings, one: Array) -> list[Statement]:
    """Comparisons do not look at what the old loops do not fill or nobody reads after them."""
    if one.intent == "in" or (not one.own and one.name not in bindings.kernel.procedure.unseen):
        return []
    words = ["in_place=.true."] if one.own else []
    return [call("frame_compare_without", f"'{set_}'", f"'{one.quantity.name}'", *words)]


def _box(bindings: Bindings) -> str:
    return f"bridge_box_{bindings.number}"


def _own(name: str) -> str:
    return f"{name}_compared"


def _free(name: str, known: Known) -> str:
    taken = {*known.arguments, *known.outside, *known.parameters, *known.around.kept}
    while name in taken:
        name += "_of_bridge"
    return name


def _numbers(name: str, type_: str, size: int) -> str:
    """As an array of real(8)."""
    if type_ == "logical":
        value = f"merge(1.0_c_double, 0.0_c_double, {name})"
    else:
        value = f"real({name}, c_double)"
    return f"reshape({value}, [{size}])" if size else f"[{value}]"
