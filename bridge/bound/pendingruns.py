"""PendingRuns: runs that have begun and are not yet waited for, at most one of each set.

Beside BoundSets. A run is pending from `frame_run_begin_` to `frame_wait_`; until then the
interiors of the set's arrays are the bridge's, and calls that would pull them away, or the
constants, are refused by name.
"""

from __future__ import annotations

from bridge.errors import StateError
from bridge.prepared import PreparedRun


class PendingRuns:
    """runs: set -> its run that has begun."""

    def __init__(self) -> None:
        self.runs: dict[str, PreparedRun] = {}

    def begin(self, set: str, run: PreparedRun) -> None:
        self.runs[set] = run

    def taken(self, set: str) -> PreparedRun:
        """The run of a set, which the caller waits for; StateError for none."""
        if set not in self.runs:
            pending = ", ".join(f"'{name}'" for name in self.runs) or "none"
            raise StateError(
                f"frame_wait('{set}'): no run of this set is pending (pending: {pending})"
            )
        return self.runs.pop(set)

    def refuse(self, what: str, set: str | None = None) -> None:
        """StateError where a run of this set, or of any, is pending."""
        for name, run in self.runs.items():
            if set is None or name == set:
                raise StateError(
                    f"{what} came while {run.name} is pending on set '{name}': call "
                    f"frame_wait('{name}') first"
                )

    def wait_all(self) -> None:
        """Wait for all of them; the first failure is raised once none is left."""
        failure: BaseException | None = None
        while self.runs:
            try:
                self.taken(next(iter(self.runs))).finish()
            except Exception as error:
                failure = failure or error
        if failure is not None:
            raise failure
