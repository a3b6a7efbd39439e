"""What `bind` asks of whole arrays in a nest before anything is bound.

Allocatable ones that are assigned to have memory already, of the shape of the right side: Fortran
would allocate them anew elsewhere, and that is not what is bound. Arrays that stand beside each
other as wholes, with subscripts of their own elsewhere, begin where the nest takes them to. Arrays
of modules have the shape, and named constants the value, that they had in the port: the host may
have been changed and compiled anew. Two arrays, one of which the nest writes, are not one memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge_port.kernel import PointProcedure
from bridge_port.output.bindings import Array
from bridge_port.output.fortran import Procedure, Statement, call
from bridge_port.output.hostdata import asked_shape
from bridge_port.output.surroundings import Known, Surroundings
from bridge_port.program.symbols import MODULE
from bridge_port.syntax.expressions import Apply, Expression, Name
from bridge_port.syntax.rewriting import with_names
from bridge_port.syntax.statements import walk
from bridge_port.syntax.text import expression_text

#: Letters of what a message names.
LONGEST = 40


class Conformity:
    """Of the nest `name`; procedures: of it."""

    def __init__(
        self, name: str, around: Surroundings, procedures: Sequence[PointProcedure]
    ) -> None:  # fmt: skip
        one = procedures[0]
        self.name, self.around, self.paths = name, around, one.paths
        self.conforming, self.beginnings = one.conforming, one.beginnings
        self.procedures = procedures

    def arrays(self) -> list[str]:
        """Names whose shape or bounds are asked."""
        found = [one.array for one in self.conforming]
        found += [one.array for one in self.beginnings]
        for e in self.extents():
            for part in e.walk():
                if isinstance(part, Apply) and isinstance(part.arguments[0], Name):
                    name = part.arguments[0].id
                    if self.around.symbol(name).dimensions is not None:
                        found.append(name)
        return list(dict.fromkeys(found))

    def constants(self) -> list[str]:
        """Named constants whose values are in the kernels, where the module sees the name as the
        host has it."""
        names = {
            name for one in self.procedures for s in walk(one.unit.body) for e in s.expressions()
            for name in e.names
        }  # fmt: skip
        return sorted(name for name in names if self.around.follows(name))

    def extents(self) -> list[Expression]:
        found = [e for one in self.conforming for e in one.extents]
        return found + [one.first for one in self.beginnings]

    def checks(self, known: Known) -> list[Statement]:
        """Statements of bind, in front of all others. known: what bind has."""
        allocated: dict[Statement, None] = {}
        alike: dict[Statement, None] = {}
        for one in self.conforming:
            text = f"bind_{self.name}: {self._text(Name(one.array))}"
            there = f"c_associated(c_loc({one.array}))"
            if one.array in known.outside:
                there = f"allocated({one.array})"
            allocated[f"if (.not. {there}) error stop '{text} is not allocated'"] = None
            wanted = ", ".join(expression_text(e) for e in one.extents)
            alike[call("bridge_alike", f"'{text}'", f"shape({one.array})",
                       f"'{self._text(one.other)}'", f"[integer :: {wanted}]")] = None  # fmt: skip
        for begin in self.beginnings:
            text = f"bind_{self.name}: {self._text(Name(begin.array))}"
            there = f"size({begin.array}) > 0"
            first = expression_text(begin.first)
            low = f"lbound({begin.array}, {begin.dimension})"
            taken = f"' does not begin at {first}'"
            match begin.first:
                case Apply(Name("lbound"), (Name(other), *_)):
                    taken = f"' does not begin where ' // '{self._text(Name(other))}' // ' does'"
            alike[f"if ({there} .and. {low} /= {first}) error stop '{text}' // {taken}"] = None
        return [*self._as_ported(known), *allocated, *alike]

    def _as_ported(self, known: Known) -> list[str]:
        """What the host may have changed since."""
        lines = []
        for name in self.constants():
            if (other := self._other(name)) is not None:
                condition, value = other
                why = f"bind_{self.name}: {name} is not {value} as in the port: port it again"
                lines.append(f"if ({condition}) error stop '{why}'")
        for name in (*known.arguments, *known.outside):
            symbol = self.around.symbol(name)
            if symbol.storage != MODULE or symbol.dimensions is None or name in self.paths:
                continue
            extents = self.around.scope.extents(symbol)
            known_ = [extent for extent in extents if extent is not None]
            if len(known_) == len(extents):
                text = self._text(Name(name))
                lines.append(asked_shape(f"bind_{self.name}", text, known_))
        return lines

    def _other(self, name: str) -> tuple[str, str] | None:
        """Whether a named constant has another value, as a text, and the value."""
        symbol, value = self.around.symbol(name), self.around.value_text(name)
        if value is None or symbol.type not in ("real", "integer", "logical"):
            return None
        if symbol.type == "real":  # a compiler may round otherwise what the constant is made of
            if symbol.kind not in (4, 8):
                return None
            return f"abs({name} - ({value})) > 4*spacing({value})", value.removesuffix("_8")
        return f"{name} {'.neqv.' if symbol.type == 'logical' else '/='} {value}", value

    def _text(self, e: Expression) -> str:
        """As the unit has it; of a long one the array alone."""
        text = expression_text(with_names(e, self.paths))
        if len(text) > LONGEST and isinstance(e, Apply):
            text = expression_text(with_names(e.base, self.paths))
        return text.replace("'", "''")


def apart(
    nest: str, arrays: Mapping[str, Array], shared: Sequence[str], written: set[str]
) -> list[Statement]:
    """Of each two of some arrays, one of which the nest writes."""
    lines: list[Statement] = []
    for n, name in enumerate(shared):
        for other in shared[n + 1 :]:
            if not {name, other} & written:
                continue
            sizes = [word for a in (name, other) for word in (f"c_loc({a})", _bytes(arrays, a))]
            lines.append(call("bridge_apart", f"'bind_{nest}: {name} and {other}'", *sizes))
    return lines


def apart_all(nest: str, arrays: Mapping[str, Array], written: set[str]) -> list[Statement]:
    """Of all arrays: a caller may pass one of them twice, or what overlaps."""
    if len(arrays) < 2 or not written & arrays.keys():
        return []
    length = max(map(len, arrays))
    columns = [
        f"[{', '.join(repr(name.ljust(length)) for name in arrays)}]",
        f"[{', '.join('.true.' if name in written else '.false.' for name in arrays)}]",
        f"[{', '.join(f'transfer(c_loc({name}), 0_c_intptr_t)' for name in arrays)}]",
        f"[{', '.join(_bytes(arrays, name) for name in arrays)}]",
    ]
    return [call("bridge_all_apart", f"'bind_{nest}'", *columns)]


def _bytes(arrays: Mapping[str, Array], name: str) -> str:
    return f"{arrays[name].quantity.kind}*size({name}, kind=c_intptr_t)"


def needed(bind: Procedure) -> list[list[str]]:
    """Subroutines that bind calls."""
    return [lines for name, lines in _SUBROUTINES.items() if bind.calls(name)]


_SUBROUTINES = {
    #: A point that a kernel writes would be seen under the other name, or not, as the loops go.
    "bridge_apart": """\
  subroutine bridge_apart(arrays, one, one_bytes, other, other_bytes)
    character(len=*), intent(in) :: arrays
    type(c_ptr), intent(in) :: one, other
    integer(c_intptr_t), intent(in) :: one_bytes, other_bytes
    integer(c_intptr_t) :: first, second
    first = transfer(one, first)
    second = transfer(other, second)
    if (one_bytes == 0 .or. other_bytes == 0) return
    if (first < second + other_bytes .and. second < first + one_bytes) &
        error stop arrays // ' share memory, and the nest writes one of them'
  end subroutine bridge_apart""".splitlines(),
    "bridge_all_apart": """\
  subroutine bridge_all_apart(bind, names, written, first, bytes)
    character(len=*), intent(in) :: bind, names(:)
    logical, intent(in) :: written(:)
    integer(c_intptr_t), intent(in) :: first(:), bytes(:)
    integer :: i, j
    do i = 1, size(first)
      do j = i + 1, size(first)
        if (bytes(i) == 0 .or. bytes(j) == 0) cycle
        if (.not. (written(i) .or. written(j))) cycle
        if (first(i) < first(j) + bytes(j) .and. first(j) < first(i) + bytes(i)) &
            error stop bind // ': ' // trim(names(i)) // ' and ' // trim(names(j)) // &
            ' share memory, and the nest writes one of them'
      end do
    end do
  end subroutine bridge_all_apart""".splitlines(),
    #: The original would allocate the array anew, and the kernel would write what is bound.
    "bridge_alike": """\
  subroutine bridge_alike(array, has, other, wanted)
    character(len=*), intent(in) :: array, other
    integer, intent(in) :: has(:), wanted(:)
    character(len=200) :: one, two
    if (all(has == wanted)) return
    write (one, '(*(i0, :, ", "))') has
    write (two, '(*(i0, :, ", "))') wanted
    error stop array // ' has the shape (' // trim(one) // '), ' // other // ' has (' // &
        trim(two) // '): the nest would allocate it anew'
  end subroutine bridge_alike""".splitlines(),
}
