"""What a backend is: where views live, how a plan becomes a program, how boxes are packed.

The last Python stop before the kernels: `binding` says what memory it is handed. `tvimpl` knows
only these protocols; `cpu` and `cuda` implement them with the same file names inside.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from bridge.backends.binding import ITEMSIZES, Binding, Box, bound, check_types
from bridge.errors import BridgeError, OutOfMemoryError
from bridge.plan.plan import Plan

if TYPE_CHECKING:
    from bridge.backends.transports import Offer, Transport
    from bridge.mpi import Allreduce, Communicator, PointToPoint

__all__ = [
    "ITEMSIZES", "VALUE", "Backend", "Binding", "Box", "BoxExchange", "BoxList", "Condition",
    "CopiedBoxes", "DeviceCopies", "Limit", "LoopingProgram", "Measure", "Message",
    "NativeBackend", "NativeCall", "NativeCopy", "Partial", "Program", "RepeatingProgram", "Spent",
    "address_of", "bound", "check_types",
]  # fmt: skip


class Partial(NamedTuple):
    """What some points come to: a value, and the number (from 0) of the first point that has it
    or, of "any", is not zero; -1 where there is none, and of a sum."""

    value: float
    point: int


class Measure(NamedTuple):
    """What of each value is reduced; bridge_measure of kernels/cpu/interface.h. part: 0 for the
    whole of it, 1 to 3 for a part whose sum is exact in any order; grains: of the parts, or the
    value of a bit."""

    of: int = 0
    part: int = 0
    grains: tuple[float, ...] = (0.0, 0.0, 0.0)


#: The value itself.
VALUE = Measure()


class MadeReduction(NamedTuple):
    """A reduction of some columns, column by column, of those that a run makes; column: the first
    of them, from 0, counted through all outputs."""

    operation: str
    measure: Measure
    column: int
    columns: int


@dataclass(frozen=True)
class Limit:
    """What a report holds runs against; name: of it; text: its figures, and whose they are;
    bandwidth: bytes per second that a run has from the caller's arrays at most, None where
    programs know by themselves what their runs spent."""

    name: str
    text: str
    bandwidth: float | None = None


class Spent(NamedTuple):
    """Nanoseconds that a run would have taken at the machine's limits, and took; 0 where nobody
    measured."""

    least: int
    took: int


class Program(Protocol):
    """A plan with its memory: ready to be launched again and again."""

    def run(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 (0-based) of every binding."""
        ...


class RepeatingProgram(Program, Protocol):
    """A program whose runs begin sooner when they are all alike; whole: it takes any number of
    points at once, and chunks would only cost time."""

    @property
    def whole(self) -> bool: ...

    def repeated(self, n: int) -> Callable[[], None]:
        """What evaluates points 0 .. n-1 as often as it is called."""
        ...

    def native(self, n: int) -> NativeCall:
        """The same for callers that are no Python."""
        ...

    def no_memory(self) -> OutOfMemoryError:
        """Why such a call failed."""
        ...


class SeriesProgram(RepeatingProgram, Protocol):
    """A program for all points of others, one after the other; points: what `repeated` and
    `native` are asked for; moved: bytes between memory and the kernels in a run, of what several
    of them work on once."""

    points: int
    moved: int


#: The kinds of functions that callers which are no Python call.
_TAKES = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_IN_ORDER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_MOVE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_POINTS = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int
)


class Condition(NamedTuple):
    """Two words of memory, by their addresses, that have to be the same; keeper: their owner."""

    now: int
    then: int
    keeper: object = None

    @property
    def holds(self) -> bool:
        """Whether they are the same."""
        now, then = (ctypes.c_int64.from_address(one).value for one in (self.now, self.then))
        return now == then


class NativeLock(NamedTuple):
    """For one thread at a time: functions that take it and give it back, and their argument."""

    take: int
    give: int
    argument: int

    def ask(self, function: int) -> None:
        """Call one of the functions."""
        _TAKES(function)(self.argument)


class NativeCall(NamedTuple):
    """A function of a kernel library, its argument, points and threads; in_order: it has its own
    order of all points, and takes no number of them; conditions: of the call, which is Python's
    where one does not hold; lock: who has it changes them, so that the caller has it from before
    it looks at them to the end of the call; keeper: the argument's owner, where nobody
    else has it; captured: all that it does is to ask a device for work, so that a graph may hold
    it; buffer: of a move of boxes, which takes it in the place of points."""

    function: int
    argument: int
    points: int
    threads: int
    in_order: bool = False
    conditions: tuple[Condition, ...] = ()
    lock: NativeLock | None = None
    keeper: object = None
    captured: bool = False
    buffer: int | None = None

    def ask(self) -> int:
        """The call, by Python; 0, or what it has answered."""
        if self.in_order:
            return int(_IN_ORDER(self.function)(self.argument, self.threads))
        if self.buffer is not None:
            return int(_MOVE(self.function)(self.argument, self.buffer, self.threads))
        return int(_POINTS(self.function)(self.argument, 0, self.points, self.threads))


class Answer(NamedTuple):
    """What a reduction of an array is to a caller that is no Python: one value of all
    columns together, or one of each. component: the number of the first column, from 1; place: how
    many integers a place has, 0 where none is wanted, i, j, k, component, and perhaps the block;
    first: position of the first point; empty: the value where no point counts; root: of the
    value."""

    together: bool
    component: int
    place: int
    first: tuple[int, int, int]
    empty: float
    root: bool


def address_of(words: array[int]) -> int:
    """Of the first one."""
    return words.buffer_info()[0]


class NativeCopy(NamedTuple):
    """A function of a kernel library that moves points of an array into a view or out of it, and
    its arguments: the array's struct, the view's address, elements from column to column, whether
    they are int32, threads."""

    function: int
    array: int
    view: int
    stride: int
    integer: bool
    threads: int


class LoopingProgram(Program, Protocol):
    """A program that goes over all points of the caller's arrays by itself."""

    def begin_box(self, points: int, chunk: int, unchanged: Collection[str] = ()) -> None:
        """Set all points going, in chunks of at most `chunk`, and return; unchanged: inputs
        whose contents are those that the latest run of their group met."""
        ...

    def wait_box(self) -> int:
        """Results are in the caller's arrays; returns the number of chunks."""
        ...

    def natives(self) -> list[NativeCall]:
        """The same for callers that are no Python; none where only Python can do it. Asked once
        it has run."""
        ...

    def failure(self) -> BridgeError | None:
        """Why such a call failed, if one did."""
        ...

    def spent(self) -> Spent:
        """Of the latest run that was waited for."""
        ...


class BoxList(Protocol):
    """Boxes of one array and a flat buffer of as many elements: box after box, the component
    slowest inside a box, x fastest. The buffer is memory of the host or of the device."""

    def pack(self, buffer: int) -> None:
        """The boxes into the buffer at an address; they are there when it returns."""
        ...

    def unpack(self, buffer: int) -> None:
        """The buffer into the boxes; it may be changed when this returns."""
        ...

    def native(self, inward: bool) -> NativeCall | None:
        """`unpack`, or else `pack`, for callers that are no Python: a function of the argument,
        the buffer and the threads; None where only Python can do it."""
        ...

    def failure(self) -> BridgeError | None:
        """Why such a call failed, if one did."""
        ...


@dataclass(frozen=True)
class Message:
    """What goes to a rank, and what comes from it: boxes in the order of the message; peer: its
    number. Elements of eight bytes come before those of four."""

    peer: int
    sent: Sequence[Binding]
    received: Sequence[Binding]


class BoxExchange(Protocol):
    """Messages that go again and again. sent, kept: bytes that go to other ranks, and that stay;
    transport: how messages go, in words."""

    sent: int
    kept: int
    transport: str

    @property
    def begun(self) -> bool:
        """Whether it has begun, and not ended."""
        ...

    def begin(self) -> None:
        """Pack and send; StateError where it has begun."""
        ...

    def wait(self) -> list[int]:
        """Take what comes. [] where everything has come and what was sent may be overwritten;
        else, after some time, the ranks whose messages have not come, or that have not taken
        theirs: wait again."""
        ...

    def natives(self) -> tuple[NativeCall, NativeCall] | None:
        """Both for callers that are no Python; None where only Python can do it."""
        ...

    def failure(self) -> BridgeError | None:
        """Why such a call failed, if one did."""
        ...

    def close(self) -> None:
        """Give its memory back; nothing of it is under way."""
        ...


@dataclass(frozen=True, eq=False)
class ReducedValues:
    """Values of a set that are reduced to a constant. binding: where they lie; mask: as for
    `Backend.reduce`; program, number: leaves their reduction by this number, which are nowhere
    then."""

    binding: Binding
    mask: Binding | None = None
    program: ReducingProgram | None = None
    number: int = 0


@dataclass(frozen=True)
class ReducedConstant:
    """A reduction of the values of some sets and of all ranks that is a constant. operation,
    measure, root: as for `Backend.reduce`; none: the value where no point counts; summed: whether
    numbers that are not whole are added; columns: of the values of this rank; value: the address
    of the constant on the host; check: a number of 32 bits, the same on all ranks for the same
    reduction."""

    operation: str
    measure: Measure
    root: bool
    none: float
    summed: bool
    columns: int
    value: int
    check: int


class ConstantReduction(Protocol):
    """Does a `ReducedConstant` again and again. disagreed: whether the ranks know that one of
    them, or this one, could not go on."""

    disagreed: bool

    def agree(self, points: int, columns: int) -> None:
        """Of all ranks: points, and the most columns."""
        ...

    def go(self, fails: bool) -> bool:
        """Reduce and set the constant; collective. False where the ranks have to agree first, as
        with `fails`; HostMpiError where MPI failed."""
        ...

    def native(self) -> NativeCall | None:
        """The same for callers that are no Python: a function of the argument, `fails` and the
        threads; points: whether the host may wait for other ranks. None where only Python can do
        it."""
        ...

    def failure(self) -> BaseException | None:
        """Why this rank could not go on."""
        ...


class ConstantPlace(Protocol):
    """The latest value of a constant, which may have been set on a device."""

    def settle(self) -> None:
        """The host has it too, where it had it not."""
        ...

    def get(self) -> float:
        """Waits for what makes it, and for nothing that was asked for later."""
        ...

    def native(self) -> NativeCall:
        """The same for callers that are no Python: a function of the argument, the address of a
        double and the threads."""
        ...


class RepeatingReduction(Protocol):
    """A reduction of an array, done again without Python."""

    def native(self) -> NativeCall:
        """A function of the argument, the values, the places and the threads."""
        ...

    def failure(self) -> BridgeError | None:
        """Why such a call failed, if one did."""
        ...


class ReducingProgram(RepeatingProgram, Protocol):
    """A program that leaves reductions of what it makes."""

    def partials(self, number: int) -> list[Partial]:
        """The results of a reduction, one of each column, once it has run."""
        ...

    def results(self, number: int) -> int:
        """The address of these for callers that are no Python."""
        ...

    def repeating(self, number: int, source: Binding, answer: Answer) -> RepeatingReduction:
        """The same for callers that are no Python, behind the run; source: its columns."""
        ...


class CopiedBoxes(Protocol):
    """Boxes of an array of the caller and the same points in its copy."""

    def bring(self) -> None:
        """From the caller's array to the copy."""
        ...

    def fetch(self) -> None:
        """From the copy to the caller's array."""
        ...

    def native(self, inward: bool) -> NativeCall | None:
        """`bring`, or else `fetch`, for callers that are no Python, once one of them was done: a
        function of the argument, nothing and the threads; None where only Python can do it."""
        ...

    def failure(self) -> BridgeError | None:
        """Why such a call failed, if one did."""
        ...


class DeviceCopies(Protocol):
    """Copies of the caller's arrays in the memory that kernels read."""

    def make(self, host: int, size: int, what: str, first: int = 0) -> int:
        """Address of a copy of `size` bytes from an address of the host on, with no values yet;
        OutOfMemoryError says how much is free. what: the array, for that message; first: bytes
        from its beginning to the interior, which lies where the device writes it best."""
        ...

    def drop(self, copy: int, host: int, size: int) -> None:
        """Give a copy back."""
        ...

    def hand_out(self) -> None:
        """From now on others read copies by their addresses, and expect a run that has returned,
        or was waited for, to be over."""
        ...

    def between(self, here: Sequence[Binding], there: Sequence[Binding]) -> CopiedBoxes:
        """What moves these boxes; here: of the caller, there: the same points of the copy."""
        ...


class Recorded(Protocol):
    """Calls that a device does again in one. holds: what there is of them, in words."""

    holds: str

    def native(self) -> NativeCall:
        """All of them; without the conditions of each."""
        ...

    def failure(self) -> BridgeError | None:
        """Why `native` failed, if it did."""
        ...

    def close(self) -> None:
        """It is done no more."""
        ...


class Backend(Protocol):
    """A machine that holds views and runs plans. target: what kernels are compiled for, as the
    check of a port names it: v2, v3, v4, cuda; native: whether callers need no Python to do again
    what is calls of a kernel library or launches alone."""

    name: str
    native: bool

    @property
    def target(self) -> str: ...

    def allocate(self, columns: int, capacity: int, dtype: str) -> Any:
        """Zeroed array of shape (columns, capacity), point index fastest."""
        ...

    def address(self, array: Any) -> int:
        """Address of an array from `allocate`."""
        ...

    def set_shared(self, shared: Any) -> None:
        """Install the per-run data (`physics.shared.SharedData`); programs made later use it."""
        ...

    def constants_call(self) -> NativeCall | None:
        """What brings changed constants to where kernels read them, for callers that are no
        Python; None where that is their own place."""
        ...

    def recorded(self, calls: Sequence[NativeCall]) -> Recorded | None:
        """Calls that were done, each of which may be captured, as one; None where no device holds
        them."""
        ...

    def set_constants(self, block: np.ndarray) -> None:
        """Memory of constants, which bindings lie in and programs read as it is at each run; told
        again after each change."""
        ...

    def set_table(self, name: str, values: np.ndarray) -> None:
        """Contents of a table, in Fortran's order; nobody changes the array any more. Programs
        made before read them too."""
        ...

    def check(self, kernels: Iterable[str]) -> None:
        """Raise where one of these kernels of packs cannot be launched: at start, by name."""
        ...

    def program(
        self,
        plan: Plan,
        bindings: Mapping[str, Binding],
        further: Sequence[Mapping[str, Binding]] = (),
    ) -> Program:
        """Bind every input and wanted output of `plan`; everything else is scratch.

        further: memory of the same shapes on which the same points are evaluated as well, in each
        run: other components of the same arrays.
        """
        ...

    def series(self, programs: Sequence[Program]) -> SeriesProgram | None:
        """All points of the first program, then those of the next, as one program; None where it
        would do no more than run each."""
        ...

    def ordered_program(self, plan: Plan, bindings: Mapping[str, Binding]) -> Program:
        """A plan of one step whose points follow each other (colours, a sweep): what it goes on in
        is the same memory as input and as output, which the backend `holds`."""
        ...

    def holds(self, binding: Binding) -> bool:
        """Whether an array lies where kernels work; a CPU has all memory of the host."""
        ...

    def launch_sequence(
        self, plan: Plan, bindings: Mapping[str, Binding], replay: bool
    ) -> Program:
        """The plan's kernels on views, a launch each where the machine would make them one;
        replay: recorded once and replayed."""
        ...

    def adopt(self, binding: Binding) -> None:
        """An array of the caller is bound from here on (a GPU page-locks it)."""
        ...

    def release(self, binding: Binding) -> None:
        """An array that was adopted is bound no more."""
        ...

    def pack(self, source: Binding, first: int, n: int, target: Any) -> None:
        """Interior points first .. first+n-1 of a host array into rows [:, :n] of a view."""
        ...

    def unpack(self, source: Any, target: Binding, first: int, n: int) -> None:
        """Rows [:, :n] of a view into interior points first .. first+n-1 of a host array."""
        ...

    def reduce(
        self,
        source: Binding,
        operation: str,
        mask: Binding | None = None,
        measure: Measure = VALUE,
    ) -> list[Partial]:
        """The sum, min, max or any of a measure of all points, for each column: the same bits on
        every machine (kernels/cpu/reduce.cpp); without the points where an integer mask is 0."""
        ...

    def repeating_reduction(
        self, source: Binding, operation: str, mask: Binding | None, measure: Measure,
        answer: Answer,
    ) -> RepeatingReduction | None:  # fmt: skip
        """The same for callers that are no Python; None where only Python can do it. Asked once it
        was done; the source has some points, and one block where a place is wanted."""
        ...

    def constant_reduction(
        self, values: Sequence[ReducedValues], asked: ReducedConstant, ranks: Allreduce | None
    ) -> ConstantReduction:
        """A reduction of these values whose result is a constant; ranks: None of one rank."""
        ...

    def constant_place(self, value: int) -> ConstantPlace:
        """Where the latest value of a constant is; value: its address on the host."""
        ...

    def columns_apart(self, columns: int) -> int | None:
        """How many elements lie from column to column of the outputs that `reducing` takes;
        columns: of all of them. None where quantities are made whole before they are reduced."""
        ...

    def reducing(
        self, program: Program, outputs: Mapping[str, Binding], mask: Binding | None,
        reductions: Sequence[MadeReduction],
    ) -> ReducingProgram:  # fmt: skip
        """A program whose outputs are reduced as it makes them, with the bits of `reduce`, and
        have no memory of their own. program: without an order of its points; outputs: all of its
        outputs, points side by side, columns `columns_apart`; mask: as for `reduce`."""
        ...

    def ndarray(self, binding: Binding) -> Any:
        """An array of NumPy, or of CuPy on memory of the device, on the points of a binding of one
        block: (components, nz, ny, nx), as they lie there."""
        ...

    def working(self) -> AbstractContextManager[None]:
        """Within this such arrays are worked on: after what runs; all is done when it is left."""
        ...

    def lending(self, sync: str) -> AbstractContextManager[None]:
        """Within this Python of the user works on such arrays: after what runs, and before what
        runs next, which need not wait for it; sync: "device" where all of the device has to be
        idle before and after, "stream" where that is the order of streams. It may be entered any
        number of times, also within itself."""
        ...

    def reduce_there(
        self,
        source: Binding,
        operation: str,
        mask: Binding | None,
        measure: Measure,
        empty: float,
        root: bool,
    ) -> Binding | None:
        """The same values in memory of the device, where the source lies there: one point of as
        many columns. None where it lies on the host. empty: the value where no point counts;
        root: of the value."""
        ...

    @property
    def device_copies(self) -> DeviceCopies | None:
        """Where arrays of the caller may stay; None where kernels read them as they are."""
        ...

    def boxes(self, parts: Sequence[Binding]) -> BoxList:
        """These boxes of an array, in the order of a buffer; elements are moved as they are."""
        ...

    def offer(self, asked: str, boxes: Sequence[Binding], ranks: Communicator | None) -> Offer:
        """What this rank has for an exchange with others. asked: the setting `exchange`; boxes: of
        messages; ranks: None where there are no others."""
        ...

    def transport(self, offers: Sequence[Offer], ranks: Communicator | None) -> Transport:
        """How messages go, of what each rank has; collective. InconsistentError on all ranks where
        it cannot be as the setting says."""
        ...

    def exchange(
        self, messages: Sequence[Message], kept: Message | None, mpi: PointToPoint | None,
        tag: int, patience: float, transport: Transport,
    ) -> BoxExchange:  # fmt: skip
        """Messages between ranks, and boxes that stay in this one. mpi: None where there are no
        others; tag: that no other exchange has; patience: seconds until `wait` tells
        which ranks are late, 0 for never; transport: of arrays of a device."""
        ...

    def synchronize(self) -> None:
        """Wait until everything asked for has happened."""
        ...

    def allocations(self) -> int:
        """How often memory beside the views was allocated since the process began."""
        ...

    def met(self) -> Mapping[str, np.ndarray]:
        """Points by bit of their status words, (32,), of each plan so far, as far as its programs
        count them."""
        ...

    def describe(self) -> dict[str, str]:
        """Device or ISA, threads: what the report prints."""
        ...

    def ways(self) -> list[str]:
        """Lines of a report: in which way kernels of packs run, where there are several."""
        ...

    def limit(self) -> Limit | None:
        """What runs are held against; None where it was never measured (`bridge advise` does)."""
        ...

    def close(self) -> None:
        """Free what the backend owns."""
        ...


class NativeBackend(Backend, Protocol):
    """A `native` backend whose views are memory of the host."""

    def copy(self, array: Binding, view: Any, inward: bool) -> NativeCopy:
        """`pack`, or else `unpack`, for callers that are no Python."""
        ...

    def table(self, name: str) -> int:
        """Address of the struct of a table that was filled, by which kernels find its values."""
        ...
