"""The compiled host of `bridge bench latency` makes every call that a row of the table is of."""

from __future__ import annotations

from bridge.bench import latency


def test_every_row_is_measured() -> None:
    figures = latency._host("20", "3", "cpu")
    for name in {**latency._LIMITS, **latency._ON_GPU}.keys() - latency.ON_GPU_ALONE:
        assert 0.0 < figures[f"{name}_ns"] < 1e8, name
        assert 0.0 < figures[f"{name}_done_ns"] < 1e8, name
    assert (figures["calls"], figures["repeats"]) == (20, 3)
