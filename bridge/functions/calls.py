"""Calls of the user's functions: what one gets, what it takes, and how its failure is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter_ns
from typing import Any

import numpy as np

from bridge.bound.boundsets import BoundSets
from bridge.errors import ArgumentError, BridgeError
from bridge.functions.setarrays import NO_VALUES, SetArrays, Surroundings
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
        self._lending = impl.backend.lending(request.functions.sync)

    def call(
        self, set: str, function: str | Callable[[SetArrays], Any],
        values: Sequence[float] | np.ndarray = (), text: str = "",
    ) -> None:  # fmt: skip
        """function(arrays) of a set; see `TVProperties.python`."""
        if isinstance(function, str):
            name, what = function, self._code.function(function)
        else:
            name, what = getattr(function, "__qualname__", repr(function)), function
        arrays = self._arrays(set, name)
        given = NO_VALUES
        if not isinstance(values, tuple) or values:
            given = np.array(values, dtype=np.float64).reshape(-1)
            given.flags.writeable = False
        with self._lending:
            arrays._begin(given, text)
            changed: Sequence[str] = ()
            timer = self._timers.get(name) or self._timer(name)
            begin = perf_counter_ns()
            try:
                what(arrays)
            except BridgeError as error:
                raise _within(arrays._label, error) from error
            except (Exception, SystemExit) as error:
                raise told(arrays._label, error) from error
            finally:
                timer.past(begin, perf_counter_ns())
                changed = arrays._end()
            if changed:
                raise _changed(changed[0], arrays)

    @contextmanager
    def arrays(self, set: str) -> Iterator[SetArrays]:
        """The arrays of a set, for Python that is the host."""
        arrays = self._arrays(set, "")
        with self._lending:
            arrays._begin(NO_VALUES, "")
            changed: Sequence[str] = ()
            try:
                yield arrays
            finally:
                changed = arrays._end()
            if changed:
                raise _changed(changed[0], arrays)

    def _arrays(self, set: str, name: str) -> SetArrays:
        """Those of a set for a function, "" for Python that is the host."""
        found = self._ready.get((set, name))
        point_set = self._bound.idle_set(set, _label(set, name) if found is None else found._label)
        species = self._species()
        if found is None or found._set is not point_set or found._around.species is not species:
            around = Surroundings(
                self._impl, self._request.layout, self._request.ns, self._ranks.rank,
                self._ranks.communicator, species, self._request.verification.fraction > 0,
            )  # fmt: skip
            found = self._ready[set, name] = SetArrays(point_set, around, _label(set, name))
        if found._open:
            wanted = f"a set that {found._label} is not in already"
            raise ArgumentError("set", repr(set), wanted)
        return found

    def _timer(self, name: str) -> Timer:
        timer = self._timers[name] = self._impl.timers[f"python {name}"]
        return timer


def _label(set: str, name: str) -> str:
    """What messages call it."""
    return f"frame_python of '{name}' on set '{set}'" if name else f"arrays of set '{set}'"


def _changed(name: str, arrays: SetArrays) -> ArgumentError:
    got = f"'{name}' of set '{arrays.name}', changed by {arrays._label}"
    return ArgumentError("function", got, "no change of an array that is only read")


def _within(label: str, error: BridgeError) -> BridgeError:
    """An error of the bridge that a function met: it says by itself what is wrong."""
    failure = BridgeError(f"{label}: {error}")
    failure.status = error.status
    return failure
