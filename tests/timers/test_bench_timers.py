"""`bridge bench timers` runs, and says what each way costs."""

from __future__ import annotations

import json
from pathlib import Path

from bridge.backends.host.library import available
from bridge.cli import main


def test_bench_timers(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    tiny = ["--points", "2048", "--seconds", "0.01", "--ns", "2"]
    assert main(["bench", "timers", *tiny, "--json", str(out)]) == 0
    rows = json.loads(out.read_text())["rows"]
    names = [row["name"].partition(" (")[0] for row in rows]
    for way in ("nothing on", "timers", "timers and trace"):
        assert sum(name.endswith(way) for name in names) == 2, way
    assert sum(name.endswith("counted by one Frame") for name in names) == 1
    if len(available()) > 1:
        [verified] = [row for row in rows if "1 point of 5000 verified" in row["name"]]
        assert verified["value"] > 0.0 and verified["params"] == rows[0]["params"]
    assert all(row["value"] > 0.0 for row in rows[:6])
    assert all(row["params"] == {"backend": "cpu", "points": 2048, "ns": 2} for row in rows[:6])
