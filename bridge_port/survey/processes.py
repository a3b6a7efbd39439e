"""Files on several processes, of which one may end: for want of memory, or by a fault of Python.

What it was at gets a line that says so, and another process goes on with the rest. A pool of the
standard library would wait for it for ever. In each of them a procedure has a limit of time, of
the processor: what else a machine does is not counted.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType

from bridge_port.refusal import Place, Refusal, fault
from bridge_port.survey.found import Found


class OutOfTime(BaseException):
    """Not an Exception: nothing on the way may take it for one of its own."""


class Clock:
    """Of one process. Nothing is limited outside its main thread, which alone has alarms."""

    def __init__(self) -> None:
        self._until: float | None = None

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """OutOfTime where the body takes longer."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGVTALRM, self._ring)
        self._until = time.process_time() + seconds
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
            self._until = None

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """What the body takes does not count."""
        if self._until is None:
            yield
            return
        left = max(self._until - time.process_time(), 0.01)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        try:
            yield
        finally:
            self._until = time.process_time() + left
            signal.setitimer(signal.ITIMER_VIRTUAL, left)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        raise OutOfTime


#: What a refusal says where the process ended.
ENDED = "process"
#: How many processes one file may cost.
MOST = 4

Result = list[Found] | str
#: Number of a procedure in its file -> why it is not looked at.
Lost = Mapping[int, Refusal]
#: Looks at a file; it says before each procedure which one comes.
Look = Callable[[str, Lost, Callable[[int, Place], None]], tuple[str, Result]]


@dataclass
class _Process:
    """files: that it is to look at, the first of them now; at: the procedure of that, its number
    and its place."""

    process: BaseProcess
    connection: Connection
    files: deque[str] = field(default_factory=deque)
    at: tuple[int, Place] | None = None


def on_processes(
    files: Sequence[str], count: int, chunk: int, begin: Callable[[], Look]
) -> Iterator[tuple[str, Result]]:
    """The files as they are done. chunk: so many neighbours go to one process; begin: makes what
    looks at files, in each process."""
    waiting = deque(deque(files[n : n + chunk]) for n in range(0, len(files), chunk))
    lost: dict[str, dict[int, Refusal]] = {}
    running: list[_Process] = []

    def start(files: deque[str]) -> None:
        ours, theirs = multiprocessing.Pipe()
        # Without the ends of the others: each of them ends when this process does.
        others = [ours, *(one.connection for one in running)]
        context = multiprocessing.get_context("fork")
        process = context.Process(target=_serve, args=(theirs, others, begin), daemon=True)
        process.start()
        theirs.close()
        running.append(_Process(process, ours, files))
        give(running[-1])

    def give(one: _Process) -> None:
        """The next file, of the next neighbours where its own are done."""
        if not one.files and waiting:
            one.files = waiting.popleft()
        file = one.files[0] if one.files else None
        try:
            one.connection.send((file, lost.get(file or "", {})))
        except OSError:
            pass  # it has ended, which is seen where it is listened to
        if file is None:
            running.remove(one)

    try:
        while waiting and len(running) < count:
            start(waiting.popleft())
        while running:
            ready = wait([one.connection for one in running])
            for one in [one for one in running if one.connection in ready]:
                try:
                    message = one.connection.recv()
                except (EOFError, OSError):
                    result = _ended(one, lost)
                    running.remove(one)
                    if result is not None:
                        yield one.files.popleft(), result
                    if one.files or waiting:
                        start(one.files or waiting.popleft())
                    continue
                if isinstance(message[0], int):
                    one.at = message
                    continue
                one.at = None
                one.files.popleft()
                yield message
                give(one)
    finally:
        for one in running:
            one.process.terminate()


def _ended(one: _Process, lost: dict[str, dict[int, Refusal]]) -> str | None:
    """The procedure that it was at is left out from now on; why the file is, where it was at none,
    or too many have ended."""
    one.process.join()
    code = one.process.exitcode or 0
    why = f"the process that looked at it ended with status {code}"
    if code < 0:
        name = signal.Signals(-code).name if -code in [*signal.Signals] else f"signal {-code}"
        why = f"the process that looked at it was ended by {name}"
        why += ", often for want of memory" if -code == signal.SIGKILL else ""
    file = one.files[0]
    known = lost.setdefault(file, {})
    if one.at is None or len(known) + 1 == MOST:
        return str(Refusal(Place(file, 0), ENDED, why, "look at it alone, with -j 1"))
    number, place = one.at
    known[number] = Refusal(place, ENDED, why, "look at its file alone, with -j 1")
    return None


def _serve(
    connection: Connection, others: Sequence[Connection], begin: Callable[[], Look]
) -> None:  # fmt: skip
    """In a process of its own, until there is no file left."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command ends it
    for one in others:
        one.close()
    look = begin()
    while True:
        try:
            file, lost = connection.recv()
        except (EOFError, OSError):
            return
        if file is None:
            return
        try:
            message = look(file, lost, lambda number, place: connection.send((number, place)))
        except Exception as error:  # never without an answer
            message = file, str(fault(Place(file, 0), error))
        try:
            connection.send(message)
        except (BrokenPipeError, ConnectionResetError):
            return
        except Exception as error:  # what cannot be sent
            connection.send((file, str(fault(Place(file, 0), error))))
