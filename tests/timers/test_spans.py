"""Spans: what threads note, in their order, up to a number of them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from bridge.timers import Timer, files
from bridge.timers.spans import TOGETHER, Spans, TracedTimers


def rows(spans: Spans) -> list[tuple[str, str, int, int]]:
    part: dict[str, Any] = spans.part()
    flat = part["spans"]
    return [
        (part["names"][flat[at]], part["tracks"][flat[at + 1]], flat[at + 2], flat[at + 3])
        for at in range(0, len(flat), 4)
    ]


def test_more_than_become_numbers_at_once() -> None:
    spans = Spans()
    for k in range(2 * TOGETHER + 5):
        spans.add("even" if k % 2 == 0 else "odd", k, 1)
    found = rows(spans)
    assert found == rows(spans)
    assert len(spans._noted) == 0
    assert found == [("odd" if k % 2 else "even", "host", k, 1) for k in range(2 * TOGETHER + 5)]


def test_those_for_which_there_is_no_room_are_counted(tmp_path: Path) -> None:
    spans = Spans(most=10)
    for k in range(25):
        spans.add("call", k, 1)
    spans.part()
    spans.add_on("stream 0", "copy in", 3, 1)
    part = spans.part()
    assert [begin for _, _, begin, _ in rows(spans)] == list(range(10))
    assert part["left_out"] == 16
    whole = {"rank": 0, "size": 1, "machine": "here", "process": 1}
    whole |= {"trace": {**part, "wall": 0, "began": 0}}
    assert '"spans left out": 16' in "".join(files.trace_document([whole]))


def many(timer: Timer, together: threading.Barrier) -> None:
    together.wait()  # the number of a thread that is over, and its track, may be another one's
    for k in range(3000):
        timer.past(k, k + 2)


def test_threads_have_tracks_of_their_own() -> None:
    timers = TracedTimers(Spans())
    timers["one"].past(5, 9)
    arguments = timers["one"], threading.Barrier(3)
    threads = [threading.Thread(target=many, args=arguments) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = rows(timers._spans)
    assert found[0] == ("one", "host", 5, 4)
    assert len(found) == 9001
    tracks = {track for _, track, _, _ in found}
    assert tracks == {"host", "thread 1", "thread 2", "thread 3"}
    for track in tracks:
        mine = [row for row in found if row[1] == track]
        assert len(mine) % 3000 == (track == "host"), track
    assert {length for _, _, _, length in found[1:]} == {2}
