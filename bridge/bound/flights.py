"""Flights: runs that go on while the host works, one for a set of points.

Beside BoundSets. A flight begins with `frame_run_begin_` and ends with `frame_wait_`; until
then the interiors of the set's arrays are the bridge's, and calls that would pull them away, or
the constants, are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable

from bridge.errors import StateError


class Flights:
    """Runs under way: set -> (composite, what waits for it and counts its chunks)."""

    def __init__(self) -> None:
        self._under_way: dict[str, tuple[str, Callable[[], int]]] = {}

    def begin(self, set: str, composite: str, finish: Callable[[], int]) -> None:
        self._under_way[set] = composite, finish

    def wait(self, set: str) -> int:
        """The run of a set has happened; returns the number of chunks. StateError for none."""
        if set not in self._under_way:
            flying = ", ".join(f"'{name}'" for name in self._under_way) or "none"
            raise StateError(
                f"frame_wait('{set}'): no run of this set is in flight (in flight: {flying})"
            )
        _, finish = self._under_way.pop(set)
        return finish()

    def refuse(self, what: str, set: str | None = None) -> None:
        """StateError where a run of this set, or of any, is in flight."""
        for name, (composite, _) in self._under_way.items():
            if set is None or name == set:
                raise StateError(
                    f"{what} came while {composite} is in flight on set '{name}': call "
                    f"frame_wait('{name}') first"
                )

    def land(self) -> None:
        """Wait for all of them; the first failure is raised once none is left."""
        failure: BaseException | None = None
        while self._under_way:
            try:
                self.wait(next(iter(self._under_way)))
            except Exception as error:
                failure = failure or error
        if failure is not None:
            raise failure
