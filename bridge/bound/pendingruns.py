"""PendingRuns: runs that have begun and are not yet waited for, at most one of each set.

Beside BoundSets. A run is pending from `frame_run_begin_` to `frame_wait_`; until then the
interiors of the set's arrays are the bridge's, and calls that would pull them away, or the
constants, are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable

from bridge.errors import StateError


class PendingRuns:
    """runs: set -> (composite, what waits for the run and counts its chunks)."""

    def __init__(self) -> None:
        self.runs: dict[str, tuple[str, Callable[[], int]]] = {}

    def begin(self, set: str, composite: str, finish: Callable[[], int]) -> None:
        self.runs[set] = composite, finish

    def wait(self, set: str) -> int:
        """The run of a set has happened; returns the number of chunks. StateError for none."""
        if set not in self.runs:
            pending = ", ".join(f"'{name}'" for name in self.runs) or "none"
            raise StateError(
                f"frame_wait('{set}'): no run of this set is pending (pending: {pending})"
            )
        _, finish = self.runs.pop(set)
        return finish()

    def refuse(self, what: str, set: str | None = None) -> None:
        """StateError where a run of this set, or of any, is pending."""
        for name, (composite, _) in self.runs.items():
            if set is None or name == set:
                raise StateError(
                    f"{what} came while {composite} is pending on set '{name}': call "
                    f"frame_wait('{name}') first"
                )

    def wait_all(self) -> None:
        """Wait for all of them; the first failure is raised once none is left."""
        failure: BaseException | None = None
        while self.runs:
            try:
                self.wait(next(iter(self.runs)))
            except Exception as error:
                failure = failure or error
        if failure is not None:
            raise failure
