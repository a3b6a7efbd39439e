"""The status words of an evaluation, with the names of their bits."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from bridge.settings import BAD_BITS, STATUS_BITS, status_bits

#: Bits that make a point a bad one: its results are NaN, or no temperature has the enthalpy.
BAD = status_bits(BAD_BITS)
#: Bits of a composition that was changed: its sum is not 1, or a fraction is negative.
CHANGED = status_bits("Y_RENORM Y_CLIPPED")
#: Bits that are worth a warning.
TOLD = BAD | CHANGED


class Status:
    """Status words, int32, of the shape of the points; bits of docs/physics.md, section 3.

    It holds an array and is none: numbers that are made of status words have no bits with names.
    Indices, comparisons and `& | ^ ~ >>` give what they give for the array, and every function of
    NumPy takes it. `np.asarray(status)`, or `result["status"]`, is the array itself.
    """

    __slots__ = ("_array",)

    def __init__(self, words: Any) -> None:
        """words: integers of any shape."""
        self._array: np.ndarray = np.asarray(words)

    # ---- what the bits say --------------------------------------------------------------------

    @property
    def words(self) -> Any:
        """The names of the bits of each point, "ok" where there are none: text for one point,
        else an array of text of the shape of the points."""
        found = np.empty(self.shape, dtype=object)
        for word in np.unique(self._array):
            found[self._array == word] = _text(int(word))
        return found[()]

    def counts(self) -> dict[str, int]:
        """Number of points with each bit, by its name; bits that no point has are left out."""
        words = self._array
        seen = int(np.bitwise_or.reduce(words, axis=None)) if words.size else 0
        names = {1 << bit: _name(bit) for bit in range(32)}
        return {
            name: int(np.count_nonzero(words & bit)) for bit, name in names.items() if seen & bit
        }

    @property
    def bad(self) -> np.ndarray:
        """True where a point has no result: BAD_T, BAD_P, BAD_Y, BAD_RHO, H_BELOW, H_ABOVE or
        NO_CONV."""
        return _made(np.not_equal, self & BAD, 0)

    @property
    def ok(self) -> np.ndarray:
        """True where a point has a result; it may have bits that are information."""
        return _made(np.equal, self & BAD, 0)

    def __repr__(self) -> str:
        if not self.ndim:
            return f"<status: {self.words}>"
        counts = ", ".join(f"{name} {number}" for name, number in self.counts().items())
        return f"<status of {self.size} points: {counts or 'all ok'}>"

    # ---- as an array --------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the points."""
        return self._array.shape

    @property
    def ndim(self) -> int:
        """Number of axes, 0 for one point."""
        return self._array.ndim

    @property
    def size(self) -> int:
        """Number of points."""
        return self._array.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """int32."""
        return self._array.dtype

    def any(self, *args: Any, **kwargs: Any) -> Any:
        """Whether a word is not 0; arguments as of numpy.any."""
        return self._array.any(*args, **kwargs)

    def all(self, *args: Any, **kwargs: Any) -> Any:
        """Whether no word is 0; arguments as of numpy.all."""
        return self._array.all(*args, **kwargs)

    def tolist(self) -> Any:
        """The words as int, in lists."""
        return self._array.tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy:
            return np.array(self._array, dtype=dtype)
        found = np.asarray(self._array, dtype=dtype)
        if copy is False and found is not self._array:
            raise ValueError(f"status words are {self.dtype}: {dtype} needs a copy")
        return found

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Arithmetic with arrays: on the words, as an ordinary array."""
        if "out" in kwargs:  # NumPy would ask here again, without an end
            kwargs["out"] = tuple(map(_plain, kwargs["out"]))
        return getattr(ufunc, method)(*map(_plain, inputs), **kwargs)

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._array)

    def __getitem__(self, index: Any) -> Any:
        """The word of one point, or the status of some."""
        found = self._array[_plain(index)]
        return Status(found) if isinstance(found, np.ndarray) else found

    def __int__(self) -> int:
        return int(self._array)

    def __bool__(self) -> bool:
        return bool(self._array)

    if not TYPE_CHECKING:  # a type checker would take every name for one that is there

        def __getattr__(self, name: str) -> Any:
            of_arrays = ", np.asarray(status) has" if hasattr(np.ndarray, name) else ""
            raise AttributeError(f"a Status has no {name!r}{of_arrays}", name=name, obj=self)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> np.ndarray:  # type: ignore[override]
        return _made(operator.eq, self, other)

    def __ne__(self, other: object) -> np.ndarray:  # type: ignore[override]
        return _made(operator.ne, self, other)

    def __lt__(self, other: Any) -> np.ndarray:
        return _made(operator.lt, self, other)

    def __le__(self, other: Any) -> np.ndarray:
        return _made(operator.le, self, other)

    def __gt__(self, other: Any) -> np.ndarray:
        return _made(operator.gt, self, other)

    def __ge__(self, other: Any) -> np.ndarray:
        return _made(operator.ge, self, other)

    def __and__(self, other: Any) -> np.ndarray:
        return _made(operator.and_, self, other)

    def __or__(self, other: Any) -> np.ndarray:
        return _made(operator.or_, self, other)

    def __xor__(self, other: Any) -> np.ndarray:
        return _made(operator.xor, self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __rshift__(self, bits: Any) -> np.ndarray:
        return _made(operator.rshift, self, bits)

    def __invert__(self) -> np.ndarray:
        return _made(operator.invert, self)


def _made(operation: Callable[..., Any], *values: object) -> np.ndarray:
    """What an operation makes of the arrays."""
    found: np.ndarray = operation(*map(_plain, values))
    return found


def _plain(value: Any) -> Any:
    """The array of a Status; anything else as it is."""
    return value._array if isinstance(value, Status) else value


def _name(bit: int) -> str:
    return STATUS_BITS[bit] if bit < len(STATUS_BITS) else f"bit {bit}"


def _text(word: int) -> str:
    return " ".join(_name(bit) for bit in range(32) if word >> bit & 1) or "ok"
