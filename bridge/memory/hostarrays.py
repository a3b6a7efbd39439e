"""Arrays of the caller: an address from Fortran, or a NumPy array and where its interior lies.

A leaf that TVProperties reads its arguments with; nothing is copied but species constants.
"""

from __future__ import annotations

import ctypes
import math
import numbers
import operator
from typing import Any

import numpy as np

from bridge.errors import ArgumentError


def host_array(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A copy of the host's doubles: `value` is an address or something array-like."""
    if isinstance(value, int):
        if value == 0:
            raise ArgumentError(name, "a null pointer", f"{int(np.prod(shape))} doubles")
        first = ctypes.cast(value, ctypes.POINTER(ctypes.c_double))
        return np.ctypeslib.as_array(first, shape).copy()
    array = np.array(value, dtype=np.float64, ndmin=1)
    if array.shape != shape:
        raise ArgumentError(name, f"shape {array.shape}", f"shape {shape}")
    return array


#: Types of `frame_constant_` by their codes: a logical is an int.
_TYPES: dict[int, Any] = {
    1: ctypes.c_double,
    2: ctypes.c_float,
    3: ctypes.c_int32,
    4: ctypes.c_int64,
    5: ctypes.c_int32,
}


def host_values(address: int, kind: int, n: int) -> np.ndarray:
    """A copy of n values of a host, of a type by its code in `bridge.h`."""
    if kind not in _TYPES:
        raise ArgumentError("type", kind, f"a code from 1 to {max(_TYPES)}")
    if n < 1:
        raise ArgumentError("n", n, "at least 1 value")
    values = np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(_TYPES[kind])), (n,))
    return values != 0 if kind == 5 else values.copy()


def checked_rank(rank: int) -> int:
    """The rank of a table's array; ArgumentError where a table cannot have it."""
    if not 1 <= rank <= 3:
        raise ArgumentError("rank", rank, "1 to 3 dimensions")
    return rank


def checked_count(name: str, n: int) -> int:
    """A number of blocks; ArgumentError where it is below 0."""
    if n < 0:
        raise ArgumentError(name, n, "0 or more blocks")
    return n


def host_blocks(bounds: Any, offsets: Any) -> tuple[np.ndarray, np.ndarray]:
    """Copies of the integers of blocks, (nb, 12) and (nb,), from buffers of C."""
    twelve = np.frombuffer(bounds, np.int32).reshape(-1, 12)
    return twelve.astype(np.int64), np.frombuffer(offsets, np.int64).copy()


def host_triples(buffer: Any) -> np.ndarray:
    """A copy of three integers of each block, (nb, 3), from a buffer of C."""
    return np.frombuffer(buffer, np.int32).reshape(-1, 3).astype(np.int64)


def host_table(address: int, sizes: list[int]) -> np.ndarray:
    """An array of the host in Fortran's order, where it is."""
    if min(sizes) < 1:
        raise ArgumentError("sizes", tuple(sizes), "at least 1 value along each dimension")
    first = ctypes.cast(address, ctypes.POINTER(ctypes.c_double))
    return np.ctypeslib.as_array(first, (math.prod(sizes),)).reshape(sizes, order="F")


def integer(name: str, value: Any) -> int:
    """`value` as an int; ArgumentError where it is none (3.0 and text included)."""
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(name, repr(value), "a whole number") from None


def number(name: str, value: Any) -> float:
    """`value` as a float; ArgumentError where it is no real number (text included)."""
    if isinstance(value, numbers.Real):
        return float(value)
    raise ArgumentError(name, repr(value), "a real number")


#: What the codes of `frame_bind_typed_` stand for, from 1 on.
ELEMENT_TYPES = ("float64", "float32", "int32")
#: What the code of a section has more.
SECTION = 10


def element_type(code: int) -> str:
    """The dtype that a code of bridge.h stands for."""
    if not 1 <= code <= len(ELEMENT_TYPES):
        codes = ", ".join(f"{n} ({dtype})" for n, dtype in enumerate(ELEMENT_TYPES, start=1))
        raise ArgumentError("type", code, f"one of {codes}")
    return ELEMENT_TYPES[code - 1]


#: Dimensions that a bound array has at most, as in Fortran before 2008.
MOST_DIMENSIONS = 7


def numpy_binding(
    data: np.ndarray,
    bounds: tuple[int, ...],
    named: dict[str, int],
    direction: str,
    component_first: bool,
) -> tuple[int, list[int]]:
    """Address and the twelve integers nx..nData of a NumPy array of up to seven dimensions: beside
    nx, ny, nz they count components, the first of them fastest; one or two have points along x."""
    if isinstance(data, np.ndarray) and data.ndim in (1, 2):
        _check_memory(data, direction, ELEMENT_TYPES)
        points, *columns = data.shape[::-1] if component_first else data.shape
        shape = (*columns, points, 1, 1) if component_first else (points, 1, 1, *columns)
        data = data.reshape(shape, order="F")
    if isinstance(data, np.ndarray) and 4 < data.ndim <= MOST_DIMENSIONS:
        _check_memory(data, direction, ELEMENT_TYPES)
        shape = (-1, *data.shape[-3:]) if component_first else (*data.shape[:3], -1)
        data = data.reshape(shape, order="F")
    address, eleven, _ = numpy_bounds(
        data, bounds, named, direction, component_first, ELEMENT_TYPES
    )
    n_data = 1 if data.ndim == 3 else data.shape[0 if component_first else 3]
    return address, [*eleven, -n_data if component_first else n_data]


def _check_memory(data: np.ndarray, direction: str, dtypes: tuple[str, ...]) -> None:
    if data.dtype not in dtypes:
        raise ArgumentError("data", f"dtype {data.dtype}", " or ".join(dtypes))
    if not data.flags.f_contiguous:
        raise ArgumentError("data", f"strides {data.strides}", "Fortran order, contiguous")
    if direction == "out" and not data.flags.writeable:
        raise ArgumentError("data", "a read-only array", "one that can be written")


def block_array(data: Any, written: bool) -> int:
    """Address of a NumPy array that many blocks lie in: of any shape, without holes."""
    if not isinstance(data, np.ndarray):
        raise ArgumentError("data", type(data).__name__, "a NumPy array")
    if data.dtype not in ELEMENT_TYPES:
        raise ArgumentError("data", f"dtype {data.dtype}", " or ".join(ELEMENT_TYPES))
    if not (data.flags.c_contiguous or data.flags.f_contiguous):
        raise ArgumentError("data", f"strides {data.strides}", "contiguous memory")
    if written and not data.flags.writeable:
        raise ArgumentError("data", "a read-only array", "one that can be written")
    return _address(data)


def _address(data: np.ndarray) -> int:
    """Not by `ctypes`: Python keeps a string of nearly each such call, up to some thousands."""
    return int(data.__array_interface__["data"][0])


_EXTENTS = ("nx", "ny", "nz")
_POSITIONS = (
    "SptX",
    "EptX",
    "SptY",
    "EptY",
    "SptZ",
    "EptZ",
    "SptData",
    "EptData",
    "stripeStart",
    "stripeEnd",
)


def numpy_bounds(
    data: np.ndarray,
    bounds: tuple[int, ...],
    named: dict[str, int],
    direction: str,
    component_first: bool = False,
    dtypes: tuple[str, ...] = ("float64",),
) -> tuple[int, tuple[int, ...], tuple[int, int]]:
    """Address, the eleven integers nx..EptData and the stripe of a NumPy array of one of `dtypes`.

    component_first: an array of four dimensions is (nData, nx, ny, nz).
    """
    if not isinstance(data, np.ndarray):
        raise ArgumentError("data", type(data).__name__, "a NumPy array")
    if data.ndim not in (3, 4):
        shapes = "(nData, nx, ny, nz)" if component_first else "(nx, ny, nz, nData)"
        raise ArgumentError("data", f"shape {data.shape}", f"(nx, ny, nz) or {shapes}")
    _check_memory(data, direction, dtypes)
    shape, n_data = data.shape[:3], 1 if data.ndim == 3 else data.shape[3]
    if data.ndim == 4 and component_first:
        shape, n_data = data.shape[1:], data.shape[0]
    if len(bounds) > len(_POSITIONS):
        given, bounds = bounds[:3], bounds[3:]
        for name, got, wanted in zip(_EXTENTS, given, shape, strict=True):
            if got != wanted:
                raise ArgumentError(name, got, f"{wanted}, the shape of data")
    if len(bounds) > len(_POSITIONS):
        raise ArgumentError("bounds", f"{len(bounds)} integers", "SptX .. stripeEnd")
    values = {k: integer(k, v) for k, v in zip(_POSITIONS, bounds, strict=False)}
    for name, value in named.items():
        if name not in _POSITIONS or name in values:
            raise ArgumentError(name, value, f"each of {', '.join(_POSITIONS)} at most once")
        values[name] = integer(name, value)
    for axis, n in zip("XYZ", shape, strict=True):
        values.setdefault(f"Spt{axis}", 1)
        values.setdefault(f"Ept{axis}", n)
    values.setdefault("SptData", 1)
    values.setdefault("EptData", n_data)
    if values["EptData"] > n_data:
        raise ArgumentError("EptData", values["EptData"], f"a component up to {n_data}")
    points = 1
    for axis in "XYZ":
        points *= max(values[f"Ept{axis}"] - values[f"Spt{axis}"] + 1, 0)
    start = values.setdefault("stripeStart", 1)
    end = values.setdefault("stripeEnd", points)
    eleven = (*shape, *(values[name] for name in _POSITIONS[:8]))
    return _address(data), eleven, (start, end)
