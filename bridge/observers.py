"""Observers: what takes a run down and what checks it, from initialize to finalize of a Frame.

The Frame makes them before its backend, which tells the recorder what it does. Nothing of a
recorder or a verifier is imported where no setting asks for one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from bridge import log
from bridge.errors import StateError
from bridge.settings import Settings, Verification
from bridge.timers import Timers, before_frame, profiled

if TYPE_CHECKING:
    from bridge.timers.ledger import Ledger
    from bridge.timers.recorder import Recorder
    from bridge.tvproperties import TVProperties
    from bridge.verify.verifier import Verifier

#: Brings the values of all ranks to rank 0, None to the others; collective with a communicator.
Gather = Callable[[Any], list[Any] | None]


class Observers:
    """Of one Frame, by its settings.

    recorder: of timers, ledger and trace; timers: of the calls of the host; verifier: of sampled
    points.
    """

    def __init__(self, recorder: Recorder | None = None) -> None:
        self.recorder = recorder
        self.timers = Timers() if recorder is None else recorder.host
        self.verifier: Verifier | None = None
        self._limit = 0.0

    @classmethod
    def asked_for(cls, settings: Settings, rank: int, size: int) -> Observers:
        """What settings ask for; a verifier comes with `verify`, when there is something to
        verify."""
        timers, trace, nvtx = settings.timers(), settings.trace(), settings.nvtx()
        ranges = nvtx not in ("false", "0") and (nvtx != "auto" or profiled())
        if timers is None and trace is None and not ranges:
            return cls()
        from bridge.timers.recorder import Recorder

        return cls(Recorder(timers, trace, nvtx, rank, size))

    # ---- begin ----------------------------------------------------------------------------

    def verify(
        self, tvproperties: TVProperties, wanted: Verification, rank: int,
        fingerprint: Callable[[], str],
    ) -> None:  # fmt: skip
        """Look at runs from now on, where that is wanted."""
        if not wanted.fraction:
            return
        from bridge.verify.verifier import Verifier

        self._limit = wanted.limit
        self.verifier = Verifier(tvproperties, wanted, rank, fingerprint)
        tvproperties.impl.watch_by(self.verifier)

    def record(self, tvproperties: TVProperties, described: Mapping[str, str], begin: int) -> None:
        """Take down what runs from now on, until `finish` or the end of the process; begin: of
        `initialize`, in nanoseconds of perf_counter_ns."""
        recorder = self.recorder
        if recorder is None:
            return
        import atexit

        recorder.described = described
        recorder.ledger.watch(tvproperties)
        recorder.host["initialize"].past(begin, perf_counter_ns())
        before_frame.clear()
        atexit.register(self._leave)
        _say(recorder)

    @property
    def counts(self) -> Ledger | None:
        """Where calls are counted, if somebody asked for it."""
        return None if self.recorder is None else self.recorder.ledger

    @property
    def see_each(self) -> bool:
        """Whether something takes down when each call was."""
        return self.recorder is not None and not self.recorder.counts_alone

    def ledger(self) -> dict[str, dict[str, int]]:
        """See `Frame.ledger`."""
        if self.recorder is None:
            raise StateError(
                "there is no ledger: set 'timers' or 'trace' before initialize ('-' for timers "
                "that no file is written of)"
            )
        return self.recorder.ledger.entries()

    # ---- end ------------------------------------------------------------------------------

    def say_verified(self, gather: Gather) -> None:
        """What was verified, of all ranks in one table."""
        if self.verifier is None:
            return
        from bridge.verify.table import text

        ranks = gather(self.verifier.told)
        if ranks is not None:
            log.block(text(ranks, self._limit))

    def finish(self, gather: Gather | None) -> None:
        """Stop looking, and write what was taken down; gather: None without a communicator."""
        if self.verifier is not None:
            self.verifier.close()
        if self.recorder is None:
            return
        import atexit

        atexit.unregister(self._leave)
        told = self.recorder.finish(gather)
        _say(self.recorder)
        if told:
            log.block(told)

    def _leave(self) -> None:
        """The end of a process that has not finalised."""
        recorder, self.recorder = self.recorder, None
        if recorder is not None:
            recorder.leave()
            _say(recorder)


def _say(recorder: Recorder) -> None:
    for line in recorder.said:
        log.say(line)
    recorder.said.clear()
