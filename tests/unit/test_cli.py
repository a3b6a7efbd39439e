"""The command `bridge`: what it prints, what it writes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.cli import main
from bridge.plan.catalogue import Catalogue


def test_kernels_lists_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kernels"]) == 0
    printed = capsys.readouterr().out
    assert all(f" {name} " in printed for name in Catalogue.shipped().kernels)
    assert main(["kernels", "--composites"]) == 0
    printed = capsys.readouterr().out
    assert all(f"{name} " in printed for name in Catalogue.shipped().composites)


def test_info_names_backend_and_library(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    printed = capsys.readouterr().out
    assert "libbridge.so" in printed and "backend      cpu" in printed


def test_a_reader_may_stop_reading() -> None:
    command = [sys.executable, "-P", "-m", "bridge", "kernels"]
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()
    done = subprocess.run(command, stdout=reader.stdin, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_latency_is_measured_against_what_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "latency.json"
    assert main(["bench", "latency", "--json", str(file)]) == 0
    written = json.loads(file.read_text())
    assert set(written) == {"machine", "rows"}
    rows = {row["name"]: row for row in written["rows"]}
    references = {
        "call refused in C": 0.3,
        "call answered in C": 0.3,
        "empty Python body": 0.6,
        "stripe of 8 points in, array known": 3.0,
    }
    for name, reference in references.items():
        row = rows[name]
        assert (row["unit"], row["reference"]) == ("us", f"{reference} us")
        assert row["ratio"] == pytest.approx(reference / row["value"], rel=0.1)
        assert row["value"] > 0.0
