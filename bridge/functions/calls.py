"""Calls of the user's functions: what one gets, what it takes, and how its failure is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from bridge.bound.boundsets import BoundSets
from bridge.errors import ArgumentError, BridgeError
from bridge.functions.setarrays import SetArrays, Surroundings
from bridge.functions.usercode import UserCode, told
from bridge.mpi import Ranks
from bridge.physics.species import SpeciesData
from bridge.request import Request
from bridge.timers import Timer
from bridge.tvimpl import TVImpl


class Functions:
    """The user's functions of one Frame.

    request: what the Frame is asked for; impl: where its arrays lie; bound: its sets; ranks: of
    the Frame; species: what its species are now.
    """

    def __init__(
        self, request: Request, impl: TVImpl, bound: BoundSets, ranks: Ranks,
        species: Callable[[], SpeciesData | None],
    ) -> None:  # fmt: skip
        self._request = request
        self._impl = impl
        self._bound = bound
        self._ranks = ranks
        self._species = species
        self._code = UserCode(request.functions.folders, request.functions.reload)
        #: By set and function: what the function gets.
        self._ready: dict[tuple[str, str], SetArrays] = {}
        self._timers: dict[str, Timer] = {}

    def call(
        self, set: str, function: str | Callable[[SetArrays], Any],
        values: Sequence[float] | np.ndarray = (), text: str = "",
    ) -> None:  # fmt: skip
        """function(arrays) of a set; see `TVProperties.python`."""
        if isinstance(function, str):
            name, what = function, self._code.function(function)
        else:
            name, what = getattr(function, "__qualname__", repr(function)), function
        label = f"frame_python of '{name}' on set '{set}'"
        with self._arrays(set, label, name, values, text) as arrays:
            timer = self._timers.get(name)
            if timer is None:
                timer = self._timers[name] = self._impl.timers[f"python {name}"]
            with timer:
                try:
                    what(arrays)
                except BridgeError as error:
                    raise _within(label, error) from error
                except (Exception, SystemExit) as error:
                    raise told(label, error) from error

    @contextmanager
    def arrays(self, set: str) -> Iterator[SetArrays]:
        """The arrays of a set, for Python that is the host."""
        with self._arrays(set, f"arrays of set '{set}'", "", (), "") as found:
            yield found

    @contextmanager
    def _arrays(
        self, set: str, label: str, name: str, values: Sequence[float] | np.ndarray, text: str
    ) -> Iterator[SetArrays]:
        point_set = self._bound.idle_set(set, label)
        found = self._ready.get((set, name))
        if (
            found is None
            or found._set is not point_set
            or found._around.species is not (self._species())
        ):
            around = Surroundings(
                self._impl, self._request.layout, self._request.ns, self._ranks.rank,
                self._ranks.communicator, self._species(), self._request.verification.fraction > 0,
            )  # fmt: skip
            found = self._ready[set, name] = SetArrays(point_set, around, label)
        if found._open:
            raise ArgumentError("set", repr(set), f"a set that {label} is not in already")
        given = np.array(values, dtype=np.float64).reshape(-1)
        given.flags.writeable = False
        with self._impl.backend.lending(self._request.functions.sync):
            found._begin(given, text)
            changed: list[str] = []
            try:
                yield found
            finally:
                changed = found._end()
            if changed:
                got = f"'{changed[0]}' of set '{set}', changed by {label}"
                raise ArgumentError("function", got, "no change of an array that is only read")


def _within(label: str, error: BridgeError) -> BridgeError:
    """An error of the bridge that a function met: it says by itself what is wrong."""
    failure = BridgeError(f"{label}: {error}")
    failure.status = error.status
    return failure
