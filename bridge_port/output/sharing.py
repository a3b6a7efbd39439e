"""Statements of bind that stop the run where two arrays are one memory, and what they call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge_port.output.bindings import Array


def apart(
    nest: str, arrays: Mapping[str, Array], shared: Sequence[str], written: set[str]
) -> list[str]:
    """Of each two of some arrays, one of which the nest writes."""
    lines = []
    for n, name in enumerate(shared):
        for other in shared[n + 1 :]:
            if not {name, other} & written:
                continue
            sizes = [f"c_loc({a}), {_bytes(arrays, a)}" for a in (name, other)]
            text = f"bind_{nest}: {name} and {other}"
            lines.append(f"call bridge_apart('{text}', {sizes[0]}, {sizes[1]})")
    return lines


def apart_all(nest: str, arrays: Mapping[str, Array], written: set[str]) -> list[str]:
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
    return [f"call bridge_all_apart('bind_{nest}', {', '.join(columns)})"]


def _bytes(arrays: Mapping[str, Array], name: str) -> str:
    return f"{arrays[name].quantity.kind}*size({name}, kind=c_intptr_t)"


def needed(bind: Sequence[str]) -> list[list[str]]:
    """Subroutines that these lines call."""
    text = "\n".join(bind)
    return [lines for name, lines in _SUBROUTINES.items() if f"call {name}(" in text]


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
}
