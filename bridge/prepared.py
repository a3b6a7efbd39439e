"""What is made ready once and used again and again, and every change that makes it void.

Runs of a set of points, launches on views, reductions, comparisons and moves of boxes look up
names, check and match memory the first time. What they found is kept by `Prepared`, one for the
Frame and one for each set, until one of the changes below.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, NoReturn, Protocol, TypeVar, cast
from weakref import WeakSet

from bridge.backends.base import Condition, NativeCall
from bridge.errors import BridgeError
from bridge.launchers import AllPoints, Launcher
from bridge.memory.constants import ConstantView
from bridge.memory.views import View, Views
from bridge.plan.plan import Plan
from bridge.resident.uses import MovedBoxes

T = TypeVar("T")


class Change(Enum):
    """Why what was prepared is void: of one set, or of the Frame and so of all sets."""

    #: An array was bound, or bound anew: at the same address it may be another array.
    BIND = "an array of the set was bound"
    UNBIND = "an array of the set was unbound"
    #: The set reads an array of another set from now on, by frame_bind_from.
    BIND_FROM = "the set reads an array of another set"
    #: That other set has bound or unbound the array.
    READ_SET = "another set changed an array that the set reads"
    POSITION = "the set's first point has another position"
    #: Comparisons write what they leave out in other memory, or in place.
    SKIP = "comparisons leave out an output of the set"
    #: Memory of the set got a copy on the device, or lost it: runs find it elsewhere.
    ENTER_DATA = "memory of the set entered the device"
    EXIT_DATA = "memory of the set left the device"
    #: Programs hold the constants of the species.
    SPECIES = "the Frame got other species"
    #: Runs that are counted have one output more.
    STATUS_POLICY = "status words are counted from now on, or no longer"
    #: What looks at runs has to see each of them.
    WATCH = "something looks at runs from now on, or no longer"
    CLOSE = "the Frame ends"


#: Places of `Prepared.state`.
GENERATION, PENDING, VIEWS, BEGUN, UNCHANGED = range(5)


class Prepared:
    """What is ready to be used again, by its kind and a key.

    within: that of the Frame, whose changes are changes of all sets.

    generation: a number that grows with every change; what was prepared in another one is void,
    wherever it is kept. state: this number, how many runs are pending (`hold`), how many views the
    Frame has, how many runs others than Python have begun, and whether the host said of arrays
    of the set that the next run finds them unchanged; for those who read it without Python.
    """

    def __init__(self, within: Prepared | None = None) -> None:
        self.state = array("q", (0, 0, 0, 0, 0))
        self.within = within
        self._kept: dict[type, dict[Hashable, Any]] = {}
        self._sets: WeakSet[Prepared] = WeakSet()
        if within is not None:
            within._sets.add(self)

    @property
    def generation(self) -> int:
        return self.state[GENERATION]

    def hold(self, pending: bool) -> None:
        """A run of the set is pending from now on, or not any more."""
        for one in (self, self.within):
            if one is not None:
                one.state[PENDING] += 1 if pending else -1

    def begun(self) -> Iterator[tuple[str, PreparedRun]]:
        """Runs of sets that others than Python have begun, each told once; it is Python now that
        ends them."""
        for one in list(self._sets):
            for run in one.of(PreparedRun).values():
                for native in run.natives:
                    if native.begun():
                        yield native.set, run

    def settle(self) -> None:
        """What others than Python have done of all runs is counted."""
        for one in (self, *self._sets):
            for kept in one._repeated():
                kept.settle()

    def changed(self, change: Change) -> None:
        """Nothing that was prepared before is used again; its memory is given back here."""
        del change  # says why, to who reads the call
        self._empty()
        for one in list(self._sets):
            one._empty()

    def _empty(self) -> None:
        self.state[GENERATION] += 1
        for one in [*self._repeated()]:  # some are in several of these dictionaries
            one.forget()
        for kept in self._kept.values():
            kept.clear()

    def _repeated(self) -> Iterator[PreparedRun | Repeated]:
        for kept in [*self._kept.values()]:
            yield from (one for one in kept.values() if isinstance(one, (PreparedRun, Repeated)))

    def of(self, kind: type[T]) -> dict[Any, T]:
        """All of a kind by their keys, the oldest first: a dictionary that stays, and is emptied
        by a change."""
        return self._kept.setdefault(kind, {})


class Counting(Protocol):
    """Does what is prepared for callers that are no Python."""

    def settle(self) -> None:
        """Count what it has done."""
        ...

    def forget(self) -> None:
        """Count, and do no more; nobody is in it when this returns."""
        ...


class Native(Counting, Protocol):
    """Does a prepared run for them. set: its name."""

    set: str

    def begun(self) -> bool:
        """Whether it has begun the run, and nobody has waited for it. Asked once: from then on
        whoever asked ends it."""
        ...

    def allow(self) -> None:
        """It may do as many more runs as nobody has to look at."""
        ...


#: Looks at a launcher before its run; what it returns looks at what the run has left.
Look = Callable[[Launcher], Callable[[], None] | None]


class Runs:
    """Of one composite on one set: how many there were, and how many are left until the one that
    is looked at; 0 or less where none is."""

    __slots__ = ("due", "left")

    def __init__(self, due: int) -> None:
        self.due = self.left = due

    @property
    def number(self) -> int:
        return self.due - self.left

    @property
    def most(self) -> int:
        """Runs that nobody has to look at before the next one; -1 for all."""
        return max(self.left - 1, 0) if self.due else -1

    def past(self, runs: int) -> None:
        """So many more have ended."""
        self.left -= runs


class PreparedRun:
    """A composite or kernel on all points of a set, on boxes of it or on one colour.

    name: what runs; launchers: one for each part, none where no point runs; parts: the same, each
    in the form in which its program goes over its points; label: for messages; failed: what to
    raise where a part fails; of: what this was prepared for.

    counted: counts such runs, where somebody looks at some of them; natives: does it for callers
    that are no Python.
    """

    __slots__ = (
        *("counted", "launchers", "name", "natives", "of", "parts"),
        *("_failed", "_generation", "_label", "_looks", "_parts"),
    )

    def __init__(
        self, name: str, launchers: Sequence[Launcher], parts: Sequence[AllPoints], label: str,
        failed: Callable[[str, Plan, Exception], Exception], of: Prepared,
    ) -> None:  # fmt: skip
        self.name = name
        self.launchers = launchers
        self.parts = parts
        self.of = of
        self.counted = Runs(0)
        self.natives: list[Native] = []
        self._parts = [
            (part, one, one.touched) for part, one in zip(parts, launchers, strict=True)
        ]
        self._label = label
        self._failed = failed
        self._generation = of.generation
        self._looks: list[Callable[[], None]] = []

    def valid(self) -> bool:
        """Whether nothing has changed since."""
        return self._generation == self.of.generation

    def calls(self) -> list[list[NativeCall]]:
        """What each part is for callers that are no Python; none where one is more than calls of
        a kernel library or launches. Asked once it has run."""
        touched = [one.touched for one in self.launchers if one.touched is not None]
        if not all(one.quiet for one in touched):
            return []
        found = [part.natives() for part in self.parts]
        if not found or not all(found):
            return []
        conditions = tuple(one for each in touched for one in each.conditions())
        found[0][0] = found[0][0]._replace(conditions=found[0][0].conditions + conditions)
        return found

    def settle(self) -> None:
        """What was done for others is counted."""
        for native in self.natives:
            native.settle()

    def allow(self) -> None:
        """Others may do it until somebody has to look at one."""
        for native in self.natives:
            native.allow()

    def forget(self) -> None:
        """Nobody else does it any more."""
        while self.natives:
            self.natives.pop().forget()

    def fail(self, part: int) -> NoReturn:
        """A part that others did has failed."""
        error = self.parts[part].failure() or BridgeError("it failed, and does not say why")
        raise self._failed(f"{self._label}: failed", self.launchers[part].plan, error)

    def begin(self, unchanged: Collection[str] = (), look: Look | None = None) -> None:
        """Set it going. A program that works on meanwhile (a GPU) has done it at `finish`, another
        one now. unchanged: inputs whose contents are those that the set's latest run met; look:
        looks at each part."""
        label = self._label
        if look is not None:
            self._looks.clear()  # of a run that failed
        for part, launcher, touched in self._parts:
            after = None if look is None else look(launcher)
            if after is not None:
                self._looks.append(after)
            if touched is not None:
                touched.before(label)
            try:
                part.begin(unchanged)
            except Exception as error:
                at = f" {part.failed_at}" if part.failed_at else ""
                raise self._failed(f"{label}:{at} failed", launcher.plan, error) from error
            if touched is not None:
                touched.after()

    def finish(self) -> int:
        """What `begin` set going has happened; returns the number of chunks."""
        chunks = 0
        for part, launcher, _ in self._parts:
            try:
                chunks += part.finish()
            except Exception as error:
                raise self._failed(f"{self._label}: failed", launcher.plan, error) from error
        if self._looks:
            looks, self._looks = self._looks, []
            for look in looks:
                look()
        return chunks

    def run(self, unchanged: Collection[str] = (), look: Look | None = None) -> int:
        """Both."""
        self.begin(unchanged, look)
        return self.finish()


#: What holds an input of a launch on views.
Held = View | ConstantView
#: What a launch reads, each with what could come in its place.
Inputs = Sequence[tuple[Held, tuple[Held, ...]]]


class Repeated:
    """What callers that are no Python may do by themselves; natives: does it, by who they are."""

    def __init__(self) -> None:
        self.natives: dict[Hashable, Counting] = {}

    def settle(self) -> None:
        """What was done for them is counted."""
        for native in self.natives.values():
            native.settle()

    def forget(self) -> None:
        """Nobody else does it any more."""
        while self.natives:
            self.natives.popitem()[1].forget()


class PreparedSeveral(Repeated):
    """Prepared runs of several sets, one after the other.

    runs: of each set; together: does the points of all of them, None where each run does its own;
    conditions: of what callers that are no Python do; count: counts so many of them; failed: what
    to raise where the program of all fails.
    """

    def __init__(
        self, runs: Sequence[PreparedRun], together: AllPoints | None,
        conditions: Sequence[Condition], count: Callable[[int], None],
        failed: Callable[[Exception], Exception],
    ) -> None:  # fmt: skip
        super().__init__()
        self.runs = tuple(runs)
        self.together = together
        self.conditions = tuple(conditions)
        self.count = count
        self.failed = failed
        self._places: list[tuple[dict[Hashable, PreparedSeveral], Hashable]] = []

    def keep(self, of: Iterable[Prepared], key: Hashable) -> None:
        """Be found by this key, until a change of any of these."""
        self._places = [(one.of(PreparedSeveral), key) for one in of]
        for place, key in self._places:
            place[key] = self

    def forget(self) -> None:
        """Nobody does it any more, or finds it."""
        for place, key in self._places:
            if place.get(key) is self:
                del place[key]
        super().forget()

    def valid(self) -> bool:
        """Whether nothing has changed since."""
        return all(run.valid() for run in self.runs)

    @property
    def most(self) -> int:
        """How often all of them may run before somebody has to look at one; -1 for ever."""
        times = Counter(id(run.counted) for run in self.runs)
        due = [run.counted.most // times[id(run.counted)] for run in self.runs if run.counted.due]
        return min(due, default=-1)

    @property
    def parts(self) -> list[AllPoints]:
        """In the order of `calls`."""
        if self.together is not None:
            return [self.together]
        return [part for run in self.runs for part in run.parts]

    def calls(self) -> list[list[NativeCall]]:
        """What each part is for callers that are no Python; none where one is more than calls of
        a kernel library or launches. Asked once it has run."""
        each = [run.calls() for run in self.runs if run.launchers]
        if not each or not all(each):
            return []
        found = [part for calls in each for part in calls]
        if self.together is not None:
            found = [self.together.natives()]
        conditions = found[0][0].conditions + self.conditions
        found[0][0] = found[0][0]._replace(conditions=conditions)
        return found

    def allow(self) -> None:
        """Others may do them until somebody has to look at one."""
        for native in self.natives.values():
            cast("Native", native).allow()

    def fail(self, part: int) -> NoReturn:
        """A part that others did has failed."""
        no_reason = BridgeError("it failed, and does not say why")
        if self.together is not None:
            raise self.failed(self.together.failure() or no_reason)
        for run in self.runs:
            if part < len(run.parts):
                run.fail(part)
            part -= len(run.parts)
        raise self.failed(no_reason)


class PreparedLaunch(Repeated):
    """A launch on views that is good for another time: as long as another look would find the
    same inputs. made: how many views there were."""

    def __init__(
        self,
        safe_launch: Callable[[Launcher, int], None],
        launcher: Launcher,
        inputs: Inputs,
        outputs: Sequence[View],
        views: Views,
    ) -> None:
        super().__init__()
        self.launcher = launcher
        self.inputs = inputs
        self.outputs = outputs
        self.made = views.allocations
        self._safe_launch = safe_launch
        self._written = views.written()
        self._all = views

    def valid(self, n: int, thread: int) -> bool:
        """Whether a new look at all views would find the same inputs, filled for n points, and
        no values of another thread in place of the caller's."""
        views = self._all
        if not 0 < n <= views.n_grid_points or views.allocations != self.made:
            return False
        for view, rivals in self.inputs:
            written = view.written
            if written.filled < n:
                return False
            if written.writer != thread and any_foreign(view, rivals, thread):
                return False
            for rival in rivals:
                if rival.written.stamp > written.stamp:
                    return False
        return True

    def launch(self, n: int, thread: int) -> None:
        """On the first n points, for the calling thread."""
        self._safe_launch(self.launcher, n)
        written = self._written
        if written.views == len(self.outputs) and written.writer == thread:
            written.mark(n)
        else:
            written.mark_all(self.outputs, n, thread)


class PreparedStripe(Repeated):
    """Stripes of one array and one view, of which all but the points is checked. run: moves the
    points from one to another, numbered from 1."""

    def __init__(self, run: Callable[[int, int], object]) -> None:
        super().__init__()
        self.run = run


class PreparedMove(Repeated):
    """Boxes of an array of a set that are packed, unpacked or updated; of: what this was prepared
    for; natives: by the name of the call."""

    def __init__(self, boxes: MovedBoxes, of: Prepared) -> None:
        super().__init__()
        self.boxes = boxes
        self.of = of


def any_foreign(view: Held, rivals: Iterable[Held], thread: int) -> Held | None:
    """The view that a thread wrote, whose values a launch would not read: another thread has
    written this input since."""
    if view.written.writer == thread:
        return None
    mine = (one for one in (view, *rivals) if thread in one.writers)
    return next(mine, None)
