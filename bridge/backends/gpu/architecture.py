"""What launches depend on of a GPU's architecture. A leaf: known without a GPU, so that sources
that are precompiled are those that a run asks for."""

from __future__ import annotations

from bridge.errors import ArgumentError

#: KiB of shared memory that a block may have, by compute capability (CUDA C++ Programming Guide,
#: table of technical specifications).
_SHARED = {60: 48, 61: 48, 62: 48, 70: 96, 72: 96, 75: 64, 80: 163, 86: 99, 87: 163, 89: 99,
           90: 227, 100: 227, 101: 227, 103: 227, 110: 227, 120: 99, 121: 99}  # fmt: skip
#: Of those that came later than this table.
_LEAST = 99


def capability(arch: str) -> int:
    """90 of "sm_90" and of "sm_90a"; ArgumentError where it is no such name."""
    digits = arch.removeprefix("sm_").rstrip("af")
    if not arch.startswith("sm_") or not digits.isdecimal():
        raise ArgumentError("arch", repr(arch), "a name such as sm_90")
    return int(digits)


def shared_memory(arch: str) -> int:
    """Bytes that a block may have."""
    return _SHARED.get(capability(arch), _LEAST) << 10


def tensor_cores(arch: str) -> bool:
    """Whether tensor cores multiply doubles."""
    return capability(arch) >= 80
