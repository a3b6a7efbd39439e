"""PendingRuns: runs that have begun and are not yet waited for, at most one of each set.

Beside BoundSets. A run is pending from `frame_run_begin_` to `frame_wait_`; until then the
interiors of the set's arrays are the bridge's, and calls that would pull them away, or the
constants, are refused by name.
"""

from __future__ import annotations

from bridge.errors import StateError
from bridge.prepared import BEGUN, PENDING, Prepared, PreparedRun


class PendingRuns:
    """frame: where it stands how many runs are pending, those among them that others than Python
    have begun.

    runs: set -> its run that has begun; done: those of them that have ended already.
    """

    def __init__(self, frame: Prepared) -> None:
        self._frame = frame
        self.runs: dict[str, PreparedRun] = {}
        self.done: set[str] = set()

    @property
    def some(self) -> bool:
        """Whether any run is pending."""
        state = self._frame.state
        return bool(state[PENDING] or state[BEGUN])

    def begin(self, set: str, run: PreparedRun) -> None:
        self.runs[set] = run
        run.of.hold(True)

    def taken(self, set: str) -> PreparedRun:
        """The run of a set, which the caller waits for; StateError for none."""
        self.look()
        if set not in self.runs:
            pending = ", ".join(f"'{name}'" for name in self.runs) or "none"
            raise StateError(
                f"frame_wait('{set}'): no run of this set is pending (pending: {pending})"
            )
        run = self.runs.pop(set)
        run.of.hold(False)
        return run

    def look(self) -> None:
        """Find the runs that others have begun, for which nobody has to wait."""
        if self._frame.state[BEGUN]:
            for set, run in self._frame.begun():
                self.begin(set, run)
                self.done.add(set)

    def refuse(self, what: str, set: str | None = None) -> None:
        """StateError where a run of this set, or of any, is pending."""
        if not self.some:
            return
        self.look()
        for name, run in self.runs.items():
            if set is None or name == set:
                raise StateError(
                    f"{what} came while {run.name} is pending on set '{name}': call "
                    f"frame_wait('{name}') first"
                )

    def wait_all(self) -> None:
        """Wait for all of them; the first failure is raised once none is left."""
        self.look()
        failure: BaseException | None = None
        while self.runs:
            set = next(iter(self.runs))
            try:
                run = self.taken(set)
                if set not in self.done:
                    run.finish()
            except Exception as error:
                failure = failure or error
        self.done.clear()
        if failure is not None:
            raise failure
