"""Processes that work at the same time, as the ranks of a solver on one node do.

A benchmark's rank is an object with `points` and a method `work`, made in each process; the pool
lets all of them work from one signal on and says how many points per second they did together.
"""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

from bridge.errors import BridgeError

#: Seconds that all ranks may need to answer, compiling GPU kernels included.
PATIENCE = 300.0


class Rank(Protocol):
    """What works in one process; points: how many one turn of `work` does."""

    points: int

    def work(self) -> object: ...


@dataclass(frozen=True)
class Turns:
    """Some turns of all ranks, from the signal until the last was done."""

    points: int
    seconds: float

    @property
    def rate(self) -> float:
        """Points per second of all ranks together."""
        return self.points / self.seconds


class RankPool:
    """`size` processes that each hold `make(rank, size, *arguments)`; use as a context manager.

    make: importable by name. environment: variables of these processes alone. Each process stays
    on one core where there is one for each, as launchers bind their ranks; BridgeError where a
    process fails, with its words.
    """

    def __init__(
        self,
        size: int,
        make: Callable[..., Rank],
        *arguments: Any,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        context = multiprocessing.get_context("spawn")
        signal = context.Barrier(size)
        self._pipes = []
        self._processes = []
        self.size = size
        before = dict(os.environ)
        os.environ.update(environment or {})  # read by the processes as they start
        try:
            for rank in range(size):
                ours, theirs = context.Pipe()
                process = context.Process(
                    target=_serve, args=(theirs, signal, make, rank, size, arguments), daemon=True
                )
                process.start()
                theirs.close()
                self._pipes.append(ours)
                self._processes.append(process)
        finally:
            os.environ.clear()
            os.environ.update(before)
        try:
            self._answers()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RankPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def each(self, method: str, *arguments: Any) -> list[Any]:
        """What a method of every rank returns, in their order."""
        for pipe in self._pipes:
            pipe.send((method, arguments))
        return self._answers()

    def work(self, seconds: float, least: int = 3) -> Turns:
        """All ranks take as many turns as fill about `seconds`, at least `least`, after two that
        do not count (first touch, then what a program records of its first turn)."""
        for _ in range(2):
            self._turns(1)
        once = self._turns(1)
        return self._turns(max(least, round(seconds / once.seconds)))

    def _turns(self, turns: int) -> Turns:
        times = self.each("", turns)
        points = turns * sum(points for points, _, _ in times)
        # one clock for the whole node
        return Turns(points, max(end for _, _, end in times) - min(begin for _, begin, _ in times))

    def _answers(self) -> list[Any]:
        answers, failures = [], []
        for rank, pipe in enumerate(self._pipes):
            try:
                well, answer = pipe.recv() if pipe.poll(PATIENCE) else (False, "no answer")
            except EOFError:
                well, answer = False, f"ended with status {self._processes[rank].exitcode}"
            answers.append(answer)
            if not well:
                failures.append(f"rank {rank} of {self.size} of the benchmark: {answer}")
        if failures:  # those that a broken barrier sent home tell nothing
            raise BridgeError(min(failures, key=lambda text: "BrokenBarrierError" in text))
        return answers

    def close(self) -> None:
        """The processes end; those that do not are ended."""
        for pipe in self._pipes:
            try:
                pipe.send(None)
            except OSError:  # it has ended already
                pass
        for process in self._processes:
            process.join(10.0)
            if process.is_alive():
                process.terminate()
                process.join(5.0)
        for pipe in self._pipes:
            pipe.close()


def _serve(
    pipe: Any,
    signal: Any,
    make: Callable[..., Rank],
    rank: int,
    size: int,
    arguments: tuple[Any, ...],
) -> None:
    """Life of one process: make the rank, do as the pool says, until it says nothing more."""
    cores = sorted(os.sched_getaffinity(0))
    if size <= len(cores):  # spread, so that a few ranks use every part of the node
        os.sched_setaffinity(0, {cores[rank * len(cores) // size]})
    try:
        worker = make(rank, size, *arguments)
        pipe.send((True, None))
        while (order := pipe.recv()) is not None:
            method, given = order
            if method:
                pipe.send((True, getattr(worker, method)(*given)))
            else:
                pipe.send((True, _take_turns(worker, signal, *given)))
    except EOFError:
        return
    except BaseException as error:
        signal.abort()  # nobody waits for this rank
        if isinstance(error, BridgeError):  # it says what is wrong by itself
            pipe.send((False, str(error)))
        else:
            text = traceback.format_exc(limit=-3)
            pipe.send((False, f"{type(error).__name__}: {error}\n{text}"))
    finally:
        close = getattr(locals().get("worker"), "close", None)
        if close is not None:
            close()


def _take_turns(worker: Rank, signal: Any, turns: int) -> tuple[int, float, float]:
    signal.wait(PATIENCE)
    begin = perf_counter()
    for _ in range(turns):
        worker.work()
    return worker.points, begin, perf_counter()
