"""What can go wrong, as exceptions that carry the status code the host reads.

A leaf of the package: everything raises these, `entry.bodies` turns them into a status of
`bridge.h` and one block on stderr.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "ArgumentError",
    "BridgeError",
    "DeviceError",
    "HostMpiError",
    "InconsistentError",
    "OutOfMemoryError",
    "PointsError",
    "PointsWarning",
    "StateError",
]


class BridgeError(RuntimeError):
    """Base of every error the bridge raises on purpose."""

    status = -5


def spoken(error: BaseException) -> str:
    """What `error` says, with its class unless it is the bridge's own. A __str__ may raise too:
    then the class and what it raised."""
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException as second:
        return f"{name}, whose text cannot be read: its __str__ raised {type(second).__name__}"
    return text if isinstance(error, BridgeError) else f"{name}: {text}"


def status_of(error: BaseException) -> int:
    """The status code of `bridge.h` for an exception of any class."""
    if isinstance(error, BridgeError):
        return error.status
    return OutOfMemoryError.status if isinstance(error, MemoryError) else BridgeError.status


def failed(what: str, error: Exception) -> BridgeError:
    """`error` told as the failure of `what`; its status stays. Raise it from `error`."""
    told = BridgeError(f"{what}: {spoken(error)}")
    told.status = status_of(error)
    return told


class ArgumentError(BridgeError, ValueError):
    """A bad argument: the message names it, what came and what was wanted.

    start: the known name that an unknown one begins with, "" where there is none.
    """

    status = -3

    def __init__(self, argument: str, got: object, wanted: str, start: str = "") -> None:
        super().__init__(f"argument {argument}: got {got}, wanted {wanted}")
        self.argument = argument
        self.got = got
        self.wanted = wanted
        self.start = start

    def about(self, argument: str, more: str = "") -> ArgumentError:
        """The same of another argument; more: what stands behind all of it."""
        return ArgumentError(argument, self.got, _joined(self.wanted, more), self.start)

    def within(self, part: str) -> ArgumentError:
        """The same of a part of the argument, such as "block 3"."""
        return ArgumentError(self.argument, f"{self.got} of {part}", self.wanted, self.start)


class InconsistentError(ArgumentError):
    """An argument whose parts do not fit each other or other arguments, or that lacks one: no
    single value is wrong. The message names the argument, the cause and the remedy; remedy: ""
    where the cause has it."""

    def __init__(self, argument: str, cause: str, remedy: str = "") -> None:
        super().__init__(argument, cause, remedy)
        self.args = (f"argument {argument}: {_joined(cause, remedy)}",)

    def about(self, argument: str, more: str = "") -> InconsistentError:
        return InconsistentError(argument, str(self.got), _joined(self.wanted, more))

    def within(self, part: str) -> InconsistentError:
        return self.about(f"{self.argument} of {part}")


class UnwrittenError(ArgumentError):
    """A file that the caller has named takes nothing. No run of a host ends by it: `entry.calls`
    makes a status of it for a caller that reads one, else a warning."""

    def __init__(self, file: object, error: OSError) -> None:
        wanted = f"a place to write ({error.strerror or error})"
        super().__init__("file", repr(str(file)), wanted)


def _joined(*words: str) -> str:
    return "; ".join(filter(None, words))


def known_start(name: str, known: Iterable[str]) -> str:
    """The longest of the known names, in either case, that a longer name begins with, or ""."""
    starts = [k for k in known if len(k) < len(name) and name.lower().startswith(k.lower())]
    return max(starts, key=len, default="")


class PointsError(BridgeError):
    """A run left points that the status policy stops at; results are in the arrays."""

    status = -9


class PointsWarning(UserWarning):
    """Some points of an evaluation are bad, or have a composition that was changed: how many, and
    how many have which status bit."""


class StateError(BridgeError):
    """A call out of order: before initialize, after finalize, twice."""

    status = -4


class HostMpiError(BridgeError):
    """MPI is not as the call needs it."""

    status = -6


class DeviceError(BridgeError):
    """No such device, or the device failed."""

    status = -7


class OutOfMemoryError(BridgeError, MemoryError):
    """Host or device memory does not suffice; the message says what was asked."""

    status = -8
