"""Recorded sequences: what they leave is what the same calls leave one by one, without Python, and
on a device by one graph; a change makes them anew, and what cannot be repeated is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sharing
from hosts import Host, Outcome, build, run_counted
from packsbuilt import ISA, built_once

HERE = Path(__file__).parent
HEAT = HERE.parents[1] / "examples" / "heat_pack"

pytestmark = pytest.mark.fortran


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return build(tmp_path_factory.mktemp("sequences"), [HERE / "sequences.f90"], flags=("-O1",))


def run(host: Host, kind: str, **further: str) -> Outcome:
    files = {name: (HEAT / name).read_text() for name in ("catalogue.toml", "advanceHeat.h")}
    folder, cache = built_once(sharing.once, "heat", files)
    packs = {"BRIDGE_PACKS": str(folder), "BRIDGE_CACHE": str(cache), "BRIDGE_CPU_ISA": ISA}
    return run_counted(host, kind, **packs, **further)


@pytest.mark.parametrize("kind", ["cpu", "stand-in", pytest.param("gpu", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("further", [{}, {"BRIDGE_TIMERS": "-"}, {"TEST_IN_PYTHON": "1"}])
def test_a_sequence_is_its_calls(host: Host, kind: str, further: dict[str, str]) -> None:
    found = run(host, kind, **further)
    assert found.status == 0 and "wrong" not in found.out, found.out + found.err
    whats = [*("repeated", "material", "after", "before", "anew", "planned", "moves"), "reduced"]
    whats += ["given", "both", "last"]
    assert [found.words(what) for what in whats] == [["1000"]] * len(whats)
    assert found.words("left") == ["alone"]
    if not further:
        first, later, anew, again, recorded, moved, before, after = (
            int(n) for n in re.findall(r"entered (\d+)", found.out)
        )
        assert (later - first, again - anew) == (1, 1), "the reports alone"
        assert max(moved - recorded, after - before) <= 2, (
            "what the recording has changed, and the report"
        )
    assert (found.out + found.err).count("sequence 'stage' is made anew") == 1
    assert "(frame_run of advanceSolid on set 'solid')" in found.out + found.err


def test_what_is_refused(host: Host) -> None:
    found = run(host, "cpu")
    told = dict(re.findall(r"refused (\w+) (.*?) *\n", found.out))
    assert {name: words.split()[0] for name, words in told.items()} == {
        "unknown": "-3", "end": "-4", "begin": "-4", "bind": "-4", "table": "-4", "run": "-4",
    }  # fmt: skip
    assert "got 'none', wanted a sequence that was recorded ('stage', 'moves', " in told["unknown"]
    assert "frame_sequence_end came without frame_sequence_begin" in told["end"]
    assert "while 'refusing' is recorded: call frame_sequence_end first" in told["begin"]
    for name, call in {"bind": "frame_bind", "table": "frame_table"}.items():
        assert f"{call} came while the sequence 'refusing' is recorded" in told[name]
