"""The command `bridge`: what it prints, what it writes."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge import cli
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
        "stripe of 8 points in, array known": 1.0,
    }
    for name, reference in references.items():
        row = rows[name]
        assert (row["unit"], row["reference"]) == ("us", f"{reference} us")
        assert row["ratio"] == pytest.approx(reference / row["value"], rel=0.1)
        assert row["value"] > 0.0


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """It, and those of its commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from _parsers(one)


def test_every_help_says_what_it_does() -> None:
    """A description, a text for each option, an example that the parser takes."""
    examples = 0
    for one in _parsers(cli.parser()):
        assert one.description, one.prog
        for action in one._actions:
            if isinstance(action, argparse._SubParsersAction):
                continue
            assert action.help or action.metavar in ("FILE", "SRC::NAME|SRC:FIRST-LAST|SRC@NAME")
        text = one.epilog or ""
        assert one.format_help()
        if text.startswith("example: "):
            words = text.removeprefix("example: ").split()
            given = cli.parser().parse_args(words[1:])
            assert one.prog.startswith(f"bridge {given.command}") and callable(given.action)
            examples += 1
    assert examples >= 25


def test_a_benchmark_has_the_defaults_that_its_help_says() -> None:
    from bridge.bench import (
        blocks,
        closures,
        evaluate,
        fluids,
        kernels,
        loops,
        many,
        marshal,
        offload,
        ranks,
        resident,
        solver,
        timers,
    )  # fmt: skip
    from bridge.commands.bench import _BENCHES
    from bridge.measuring import states
    from bridge_port.speed import command as port

    def said(name: str, option: str = "--points") -> list[int]:
        text = _BENCHES[name][1][option]
        return [int(word) for word in re.findall(r"\d+", text.replace("L2", ""))]

    assert said("kernels") == [kernels.POINTS] and said("blocks") == [blocks.POINTS]
    assert said("many") == [many.BLOCKS * many.EDGE**3]
    assert said("loops", "--sizes") == list(loops.ROWS)
    x, y, z = marshal.EXTENT
    assert said("marshal") == [x * y * z] and said("evaluate") == [evaluate.POINTS]
    assert said("closures") == [closures.POINTS]
    assert said("offload") == [offload.BLOCK**3] and said("resident") == [resident.BLOCK**3]
    assert said("ranks") == [ranks.EDGE**3] and said("timers") == [timers.POINTS]
    assert said("port") == [port.POINTS, port.BOX]
    for name in ("kernels", "blocks", "many"):
        assert tuple(said(name, "--ns")) == states.DEFAULT_NS
    assert tuple(said("offload", "--ns")) == offload.COUNTS
    assert (tuple(said("ranks", "--ns")), tuple(said("ranks", "--ranks"))) == (
        ranks.COUNTS, ranks.RANKS,
    )  # fmt: skip
    assert tuple(said("solver", "--ns")) == tuple(solver.CASES) and said("timers", "--ns") == [4]
    assert said("solver", "--ranks") == [solver.RANKS]
    assert said("fluids", "--sizes") == [fluids.SIZES[0], fluids.SIZES[-1]]
