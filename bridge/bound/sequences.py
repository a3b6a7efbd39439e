"""Sequences: calls that come again in the same order, recorded once and done in one.

Beside `exchanges`. While a sequence is recorded each of its calls is done, and kept as a step.
Done again they are one list of native calls, which C goes through, or, where a device can hold all
of them, one graph; where neither may be, each step is the call that it was.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Protocol

from bridge import log
from bridge.backends.base import Condition, NativeCall, NativeLock, Recorded, address_of
from bridge.backends.given import Given
from bridge.bound.boundsets import BoundSets
from bridge.bound.colours import one_colour
from bridge.bound.severalruns import at_rest
from bridge.errors import ArgumentError, BridgeError, StateError
from bridge.prepared import VIEWS, Counting, Native, Prepared, Runs
from bridge.timers import Timer
from bridge.tvimpl import TVImpl

#: Methods of TVProperties that a sequence cannot repeat: they change what its steps rely on, give
#: values to the host, or are of the stripes of one chunk; as messages call them.
REFUSED = {
    one: f"frame_{one}"
    for one in (
        *("bind", "bind_from", "bind_blocks", "unbind", "position", "position_blocks", "table"),
        *("enter_data", "exit_data", "unchanged", "launch", "python", "status_policy"),
        *("compare_begin", "compare", "compare_begin_sets", "compare_numbers", "record"),
        *("compare_without", "record_write", "device_address", "constant_value"),
        "status_points",
    )
} | {
    "bind_array": "frame_bind", "bind_many": "frame_bind_blocks", "composite": "a composite",
    "stripe": "a stripe", "populate_input_stripe": "populate_input_stripe",
    "extract_output_stripe": "extract_output_stripe", "reductions": "frame_reduce",
    "reduce_there": "reduce_there", "rank_reductions": "frame_allreduce", "arrays": "arrays",
    "status_bits": "frame_status_counts", "use_species": "use_species",
    "populate_preos_shared_data": "frame_castles_populatepreosshareddata",
    "populate_chung_shared_data": "frame_castles_populatechungshareddata",
}  # fmt: skip


#: A part of a sequence that nobody could begin without its calls.
AS_CALLS = -1


class Part(Protocol):
    """What times one part of a step."""

    def add(self, calls: int, total: int, shortest: int, longest: int) -> None: ...


class Held:
    """A lock of native calls, or none, held."""

    def __init__(self, lock: NativeLock | None) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        if self._lock is not None:
            self._lock.ask(self._lock.take)

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.ask(self._lock.give)


@dataclass
class Timed:
    """A part that a timer of its own has."""

    timer: Timer

    def add(self, calls: int, total: int, shortest: int, longest: int) -> None:
        self.timer.merge(calls, total, shortest, longest)


@dataclass
class Repeating:
    """What a step is to callers that are no Python. calls: of each part; parts: time them; of:
    what they were prepared for; keep: has the sequence forgotten when these are; runs: that
    somebody counts; past: so many more were done."""

    calls: list[list[NativeCall]]
    parts: Sequence[Part]
    of: Sequence[Prepared] = ()
    keep: Callable[[Native], None] = lambda sequence: None
    runs: Sequence[Runs] = ()
    past: Callable[[int], None] = lambda times: None


class Step(ABC):
    """A call that was recorded, with its arguments. call: for messages; gives: constants to which
    it gives values of the host."""

    call: str
    gives: Sequence[str] = ()

    def __init__(self, tv: Any, method: str, *arguments: Any) -> None:
        self._tv, self._method, self._arguments = tv, method, arguments

    @abstractmethod
    def do(self) -> None:
        """The call again."""

    @abstractmethod
    def repeating(self) -> Repeating | None:
        """None where only Python can do it."""

    @abstractmethod
    def fail(self, part: int) -> None:
        """A part of it has failed that others did: raises, or does what is left of the step."""

    def look(self, bound: BoundSets) -> None:  # noqa: B027  (most are no runs)
        """It was done by others: whoever looks at runs may."""


class RunStep(Step):
    """`run` and `run_begin`, on all points of a set, on boxes or one colour."""

    def __init__(
        self, tv: Any, method: str, set: str, composite: str, box: Any = None, colour: Any = None
    ) -> None:
        super().__init__(tv, method, set, composite, deepcopy(box), one_colour(colour))
        self._set = set
        self.call = f"frame_{method} of {composite} on set '{set}'"

    def do(self) -> None:
        getattr(self._tv, self._method)(*self._arguments)

    def _run(self) -> Any:
        return self._tv.plain_run(*self._arguments)

    def repeating(self) -> Repeating | None:
        run = self._run()
        if run is None:
            return None
        calls, idle = run.calls(), self._tv.without_points()
        if not calls and run.launchers:
            return None

        def past(times: int) -> None:
            run.counted.past(times)
            if not run.launchers:
                idle[self._set, run.name] += times

        return Repeating(
            calls, run.parts, [run.of], run.natives.append,
            [run.counted] if run.counted.due else [], past,
        )  # fmt: skip

    def fail(self, part: int) -> None:
        run = self._run()
        if run is None:
            raise BridgeError(f"{self.call} failed")
        run.fail(part)

    def look(self, bound: BoundSets) -> None:
        run = self._run()
        if run is not None:
            bound.runs.look(bound.set_of(self._set), run)


class SeveralStep(Step):
    """`run_several`."""

    def __init__(
        self, tv: Any, method: str, sets: Sequence[str], composites: Sequence[str]
    ) -> None:
        super().__init__(tv, method, tuple(sets), tuple(composites))
        self.call = f"frame_{method} of {' '.join(composites)} on sets '{' '.join(sets)}'"

    def do(self) -> None:
        self._tv.run_several(*self._arguments)

    def repeating(self) -> Repeating | None:
        several = self._tv.plain_several(*self._arguments)
        calls = [] if several is None else several.calls()
        if several is None or not calls:
            return None
        counted = [one.counted for one in several.runs if one.counted.due]
        of = [one.of for one in several.runs]

        def keep(sequence: Native) -> None:
            several.natives["sequence", id(sequence)] = sequence

        return Repeating(calls, several.parts, of, keep, counted, several.count)

    def look(self, bound: BoundSets) -> None:
        several = self._tv.plain_several(*self._arguments)
        if several is not None:
            for set, run in zip(self._arguments[0], several.runs, strict=True):
                bound.runs.look(bound.set_of(set), run)

    def fail(self, part: int) -> None:
        several = self._tv.plain_several(*self._arguments)
        if several is None:
            raise BridgeError(f"{self.call} failed")
        several.fail(part)


class WaitStep(Step):
    """`wait` for a run: in a list it has happened, or comes in its order."""

    def __init__(self, tv: Any, method: str, set: str) -> None:
        super().__init__(tv, method, set)
        self.call = f"frame_{method} of set '{set}'"

    def do(self) -> None:
        self._tv.wait(*self._arguments)

    def repeating(self) -> Repeating:
        return Repeating([], [])

    def fail(self, part: int) -> None:
        raise BridgeError(f"{self.call} failed")


class ConstantStep(Step):
    """`constant` and `constants`, with the values that they had."""

    def __init__(self, tv: Any, method: str, names: str, values: Any) -> None:
        super().__init__(tv, method, names, deepcopy(values))  # of the host's memory, perhaps
        self.call = f"frame_{method} of '{names}'"
        self.gives = [names] if method == "constant" else names.split()
        held = tv.plain_constants(self.gives)
        self._given = [(one.values.ctypes.data, one.values.tobytes()) for one in held]

    def do(self) -> None:
        getattr(self._tv, self._method)(*self._arguments)

    def repeating(self) -> Repeating | None:
        impl: TVImpl = self._tv.impl
        if impl.prepared.state[VIEWS]:
            return None
        call = Given(self._given, impl.backend.constants_call()).native()
        now, none = impl.prepared.state, array("q", (0,))
        place = address_of(now) + VIEWS * now.itemsize
        views = Condition(place, address_of(none), (now, none))
        call = call._replace(conditions=(*call.conditions, views))
        return Repeating([[call]], [Timed(impl.timers["constants"])])

    def fail(self, part: int) -> None:
        self.do()  # which tells what the device has


class ReducedConstantStep(Step):
    """`allreduce_constant`."""

    def __init__(self, tv: Any, method: str, *arguments: str) -> None:
        super().__init__(tv, method, *arguments)
        self.call, self.constant = f"frame_{method} of '{arguments[1]}'", arguments[3]

    def do(self) -> None:
        self._tv.allreduce_constant(*self._arguments)

    def repeating(self) -> Repeating | None:
        impl: TVImpl = self._tv.impl
        repeats = self._tv.reduced_constants.repeatable(*self._arguments)
        if repeats is None or impl.prepared.state[VIEWS]:
            return None
        made, prepared = repeats.made, repeats.prepared
        calls = [calls for one in made for calls in one.calls]
        parts: list[Part] = [part for one in made if one.run for part in one.run.parts]

        def keep(sequence: Native) -> None:
            prepared.natives["sequence", id(sequence)] = sequence

        # Called as a move is, without a buffer: no rank fails at it by itself.
        calls.append([repeats.call._replace(buffer=0)])
        return Repeating(calls, [*parts, Timed(impl.timers["reduce"])], prepared.of, keep)

    def fail(self, part: int) -> None:
        self.do()  # the ranks agree


class MoveStep(Step):
    """`pack`, `unpack` and updates of boxes."""

    def __init__(self, tv: Any, method: str, *arguments: Any) -> None:
        super().__init__(tv, method, *arguments)
        self.call = f"frame_{arguments[0]} of '{arguments[2]}' on set '{arguments[1]}'"

    def do(self) -> None:
        getattr(self._tv, self._method)(*self._arguments)

    def _move(self) -> Any:
        return self._tv.prepared_move(*self._arguments[:4])

    def repeating(self) -> Repeating | None:
        call, move = self._arguments[0], self._move()
        calls = None if move is None else move.boxes.natives(call)
        if move is None or calls is None:
            return None
        buffer = 0 if call.startswith("update") else self._arguments[4]
        calls = [one._replace(buffer=buffer) for one in calls]

        def keep(sequence: Native) -> None:
            move.natives["sequence", id(sequence)] = sequence

        return Repeating([calls], [Timed(self._tv.impl.timers[call])], [move.of], keep)

    def fail(self, part: int) -> None:
        move = self._move()
        error = None if move is None else move.boxes.failure()
        if error is not None:
            raise error
        self.do()  # C leaves it to Python


class ExchangeStep(Step):
    """`run`, `begin` and `wait` of an exchange."""

    def __init__(self, tv: Any, method: str, name: str) -> None:
        super().__init__(tv, method, name)
        self._name = name
        entry = "frame_exchange" if method == "run" else f"frame_exchange_{method}"
        self.call = f"{entry} of '{name}'"

    def do(self) -> None:
        getattr(self._tv.exchanges, self._method)(self._name)

    def repeating(self) -> Repeating | None:
        known = self._tv.exchanges.repeatable(self._name)
        if known is None:
            return None
        made, (begin, wait) = known
        both = {"run": [[begin], [wait]], "begin": [[begin]], "wait": [[wait]]}[self._method]

        def keep(sequence: Native) -> None:
            made.natives["sequence", id(sequence)] = sequence

        timed = Timed(self._tv.impl.timers["exchange"])
        return Repeating(both, [timed] * len(both), made.of, keep)

    def fail(self, part: int) -> None:
        if self._method == "begin" or (self._method == "run" and part == 0):
            self._tv.exchanges.fail(self._name)
        else:
            self._tv.exchanges.go_on(self._name)


#: Methods of TVProperties that are recorded, and of its exchanges.
RECORDED: dict[str, type[Step]] = {
    "run": RunStep, "run_begin": RunStep, "wait": WaitStep, "run_several": SeveralStep,
    "constant": ConstantStep, "constants": ConstantStep,
    "move_boxes": MoveStep, "buffer_boxes": MoveStep, "allreduce_constant": ReducedConstantStep,
}  # fmt: skip
OF_EXCHANGES = ("run", "begin", "wait")


class PreparedSequence:
    """Steps that were looked up; good until what one of them was prepared for changes.

    calls, parts: of each part of all steps, in their order; of the graph where there is one; why:
    there is none, in words; native: does it for callers that are no Python.
    """

    set = ""  # of `prepared.Native`

    def __init__(
        self, steps: Sequence[Step], each: Sequence[Repeating], impl: TVImpl, timer: Timer
    ) -> None:
        self.steps = steps
        self.each = each
        self._of = list({id(one): one for found in each for one in found.of}.values())
        self._made_for = [one.generation for one in self._of]
        self.native: Counting | None = None
        self.graph: Recorded | None = None
        self.void = False
        calls = [call for one in each for part in one.calls for call in part]
        has_device = impl.backend.name != "cpu"
        self.why = self._reason(steps, each) if has_device else ""
        if has_device and calls and not self.why:
            try:
                self.graph = impl.backend.recorded(calls)
            except BridgeError as error:
                self.why = f"the device refused it: {error}"
        self.calls = [part for one in each for part in one.calls]
        self.parts: list[Part] = [part for one in each for part in one.parts]
        if self.graph is not None:
            self.calls, self.parts = [[self.graph.native()]], [Timed(timer)]
        found = {(one.now, one.then): one for one in self._conditions(calls)}
        if self.calls:
            first = self.calls[0][0]
            self.calls[0][0] = first._replace(conditions=tuple(found.values()))
            for part in self.calls:
                part[:] = [
                    one if one is self.calls[0][0] else one._replace(conditions=()) for one in part
                ]
        self._found = list(found.values())
        for one in each:
            one.keep(self)

    @staticmethod
    def _reason(steps: Sequence[Step], each: Sequence[Repeating]) -> str:
        """Why the device cannot hold all of it."""
        given = {name for one in steps for name in one.gives}
        for step, one in zip(steps, each, strict=True):
            # After a graph nobody knows which of both came last.
            if isinstance(step, ReducedConstantStep) and step.constant in given:
                return f"{step.call} makes '{step.constant}', which another call gives"
            if not all(call.captured for part in one.calls for call in part):
                return f"{step.call} is no work of the device alone"
        return ""

    def _conditions(self, calls: Sequence[NativeCall]) -> Iterator[Condition]:
        for call in calls:
            yield from call.conditions
        for one in self._of:
            yield from at_rest(one)

    def valid(self) -> bool:
        """Whether nothing has changed since."""
        pairs = zip(self._of, self._made_for, strict=True)
        return not self.void and all(one.generation == was for one, was in pairs)

    def stale(self) -> str:
        """The first step of which something has changed, for a message."""
        for step, one in zip(self.steps, self.each, strict=True):
            for prepared in one.of:
                was = self._made_for[[*map(id, self._of)].index(id(prepared))]
                if prepared.generation != was:
                    return step.call
        return ""

    def again(self) -> int | None:
        """Do the native calls: the number of the part that failed, None where none has; AS_CALLS
        where nothing was done, because only the calls themselves will do."""
        if not self.valid():
            return AS_CALLS
        lock = next(
            (one.lock for part in self.calls for one in part if one.lock is not None), None
        )
        with Held(lock):
            if not all(one.holds for one in self._found):
                return AS_CALLS
            for number, part in enumerate(self.calls):
                for one in part:
                    if one.ask():
                        return number
        return None

    @property
    def most(self) -> int:
        """How often all of it may be done before somebody has to look at a run; -1 for ever."""
        counted = [one for found in self.each for one in found.runs]
        times = Counter(map(id, counted))
        return min((one.most // times[id(one)] for one in counted), default=-1)

    def past(self, times: int) -> None:
        """It was done so many times more."""
        for one in self.each if times else ():
            one.past(times)

    # ---- as `prepared.Native`

    def begun(self) -> bool:
        return False

    def settle(self) -> None:
        if self.native is not None:
            self.native.settle()

    def allow(self) -> None:
        if self.native is not None:
            self.native.allow()  # type: ignore[attr-defined]

    def forget(self) -> None:
        """Nobody does it any more."""
        if self.void:
            return
        self.void = True
        native, self.native = self.native, None
        if native is not None:
            native.forget()
        if self.graph is not None:
            self.graph.close()


@dataclass
class Recording:
    """What was recorded by a name. made: None where Python does each step; times: that it was
    made ready; told: whether the log has said that it was made anew."""

    name: str
    steps: list[Step] = field(default_factory=list)
    made: PreparedSequence | None = None
    times: int = 0
    told: bool = False
    why: str = ""


class Refusing:
    """An object of which every method is refused; refused: what stands in its place, by a name."""

    def __init__(self, refused: Callable[[str], Callable[..., Any]]) -> None:
        self._refused = refused

    def __getattr__(self, name: str) -> Any:
        return self._refused(name)


class Sequences:
    """All sequences of a Frame. tv: its TVProperties."""

    def __init__(self, tv: Any, bound: BoundSets) -> None:
        self._tv = tv
        self._impl: TVImpl = tv.impl
        self._bound = bound
        self._known: dict[str, Recording] = {}
        self._recording: Recording | None = None
        self._replaced: list[tuple[Any, list[str], dict[str, Any]]] = []
        bound.sequences = self

    # ---- recording ------------------------------------------------------------------------------

    def begin(self, name: str) -> None:
        """Record the calls that follow under a name; each of them is done. StateError where one
        is being recorded, a run is pending or an exchange under way."""
        if self._recording is not None:
            raise StateError(
                f"frame_sequence_begin of '{name}' came while '{self._recording.name}' is "
                "recorded: call frame_sequence_end first"
            )
        if not name:
            raise ArgumentError("name", "no name", "the name of the sequence")
        self._bound.refuse_while_pending(f"frame_sequence_begin of '{name}'")
        self._recording = Recording(name)
        for owner, methods in self._shadowed():
            kept = {one: vars(owner)[one] for one in methods if one in vars(owner)}
            self._replaced.append((owner, [*methods], kept))
            vars(owner).update(methods)

    def _shadowed(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """What stands in the place of methods that are recorded or refused, by their objects."""
        tv, exchanges = self._tv, self._tv.exchanges
        recorded = {one: self._recorded(tv, one, step) for one, step in RECORDED.items()}
        refused = {one: self._refused(called) for one, called in REFUSED.items()}
        primitives = {one: Refusing(self._refused) for one in ("primitives", "primitives_from_1")}
        yield tv, recorded | refused | primitives
        of_exchanges = {one: self._recorded(exchanges, one, ExchangeStep) for one in OF_EXCHANGES}
        yield exchanges, of_exchanges | {"plan": self._refused("frame_exchange_plan")}

    def _recorded(self, owner: Any, method: str, step: type[Step]) -> Callable[..., Any]:
        real = getattr(owner, method)

        def call(*arguments: Any, **named: Any) -> Any:
            found = real(*arguments, **named)
            if self._recording is not None:
                self._recording.steps.append(step(self._tv, method, *arguments, **named))
            return found

        return call

    def _refused(self, entry: str) -> Callable[..., Any]:
        def call(*_: Any, **__: Any) -> Any:
            assert self._recording is not None
            raise StateError(
                f"{entry} came while the sequence '{self._recording.name}' is recorded, which "
                "cannot repeat it: call it before frame_sequence_begin or after frame_sequence_end"
            )

        return call

    def end(self) -> str:
        """The sequence has all its calls; returns its name."""
        recording = self._recording
        if recording is None:
            raise StateError("frame_sequence_end came without frame_sequence_begin")
        self._bound.refuse_while_pending(f"frame_sequence_end of '{recording.name}'")
        self._stop()
        old = self._known.pop(recording.name, None)
        if old is not None and old.made is not None:
            old.made.forget()
        self._known[recording.name] = recording
        self._make(recording)
        return recording.name

    def _stop(self) -> None:
        """Calls are what they were."""
        self._recording = None
        while self._replaced:
            owner, methods, kept = self._replaced.pop()
            for name in methods:
                del vars(owner)[name]
            vars(owner).update(kept)

    # ---- what does it again ---------------------------------------------------------------------

    def _make(self, recording: Recording) -> None:
        """Look up what callers that are no Python need, and have a device capture it."""
        if recording.made is not None:
            recording.made.forget()
        recording.made, recording.why = None, ""
        if self._impl.watch is not None:
            recording.why = "something looks at its runs"
            return
        each = []
        for step in recording.steps:
            found = step.repeating()
            if found is None:
                recording.why = f"{step.call} is Python's"
                return
            each.append(found)
        timer = self._impl.timers[f"sequence {recording.name}"]
        recording.made = PreparedSequence(recording.steps, each, self._impl, timer)
        recording.why = recording.made.why
        recording.times += 1

    def _found(self, name: str) -> Recording:
        found = self._known.get(name)
        if found is None:
            known = ", ".join(f"'{one}'" for one in self._known) or "none"
            raise ArgumentError("name", repr(name), f"a sequence that was recorded ({known})")
        return found

    def run(self, name: str) -> None:
        """Do its calls again. StateError while one is recorded, or a run is pending."""
        if self._recording is not None:
            self._refused(f"frame_sequence_run of '{name}'")()
        recording = self._found(name)
        made = recording.made
        if made is not None and self._impl.watch is None:
            failed = made.again()
            if failed is None:
                self._looked(recording, made)
                return
            if failed != AS_CALLS:
                self._failed(recording, made, failed)
                return
        changed = made is not None and not made.valid()
        if changed and not recording.told:
            assert made is not None
            recording.told = True
            log.say(
                f"sequence '{name}' is made anew, since what it works on has changed "
                f"({made.stale() or 'an exchange'}); later times are counted in the report"
            )
        for step in recording.steps:
            step.do()
        if made is None or changed:
            self._make(recording)
        else:
            made.allow()

    def _looked(self, recording: Recording, made: PreparedSequence) -> None:
        """All of it was done once more: whoever looks at runs sees those that are due, as they are
        at its end."""
        made.settle()
        made.past(1)
        for step in recording.steps:
            step.look(self._bound)
        made.allow()

    def _failed(self, recording: Recording, made: PreparedSequence, part: int) -> None:
        """A part has failed: raises, or does what is left of the sequence."""
        if made.graph is not None:
            raise made.graph.failure() or BridgeError(
                f"frame_sequence_run of '{recording.name}' failed"
            )
        for number, one in enumerate(made.each):
            if part < len(one.calls):
                recording.steps[number].fail(part)
                for rest in recording.steps[number + 1 :]:
                    rest.do()
                return
            part -= len(one.calls)

    # ---- for callers that are no Python ---------------------------------------------------------

    def repeatable(self, name: str) -> PreparedSequence | None:
        """What was made ready by this name; None where Python sees each time."""
        made = self._found(name).made
        return made if made is not None and made.valid() and made.calls else None

    def go_on(self, name: str, part: int) -> None:
        """A part has failed that others did: raises, or does what is left of the sequence."""
        recording = self._found(name)
        made = recording.made
        if made is None:
            raise BridgeError(f"frame_sequence_run of '{name}' failed")
        self._failed(recording, made, part)

    def lines(self) -> list[str]:
        """For a report: what each sequence is."""
        found = []
        for one in self._known.values():
            made = one.made
            way = "each done by Python"
            if made is not None:
                way = made.graph.holds if made.graph is not None else "done in a list"
            why = f": {one.why}" if one.why else ""
            again = f"; made {one.times} times" if one.times > 1 else ""
            found.append(f"sequence '{one.name}': {len(one.steps)} calls, {way}{why}{again}")
        return found

    def close(self) -> None:
        """None is done any more."""
        if self._recording is not None:
            self._stop()
        for one in self._known.values():
            if one.made is not None:
                one.made.forget()
        self._known.clear()
