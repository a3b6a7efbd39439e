"""Verify mode: what is right leaves no trace but a table, what is broken is named and kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unit.blocks import FRINGES, INTERIOR, NAMES, POINTS, SHAPE, SPECIES, block, run_stripes

import bridge
from bridge.backends.host import library
from bridge.cli import main
from bridge.errors import ArgumentError
from bridge.settings import VERIFY_FRACTION, Settings
from bridge.tvproperties import TVProperties
from bridge.verify.measure import Near, apart
from bridge.verify.verifier import LEAST, Verifier

Make = Callable[..., bridge.Frame]
COMPOSITE = "eosThermalAndViscousProperties"
PACK = ("vf_e", "vf_n", "vf_f")


def verifier(frame: bridge.Frame) -> Verifier:
    found = frame._observers.verifier
    assert found is not None
    return found


def states(n: int = POINTS, seed: int = 3) -> dict[str, np.ndarray]:
    """Of the pack, on a block with fringes of NaN."""
    random = np.random.default_rng(seed)
    u = np.full((*SHAPE, 3), np.nan, order="F")
    p = np.full(SHAPE, np.nan, order="F")
    u[INTERIOR] = random.uniform(0.0, 1.8, (5, 4, 3, 3))
    p[INTERIOR] = random.uniform(0.0, 3.9, (5, 4, 3))
    u[INTERIOR][1, 2, 0, 1] = 2.5  # the one point that a broken kernel is wrong at
    return {"vf_u": u, "vf_p": p}


def bound(frame: bridge.Frame) -> tuple[TVProperties, dict[str, np.ndarray]]:
    tv = frame.tvproperties
    tv.table("vf_table", np.array([0.5, 0.25, 0.125, 0.75]))
    arrays = states()
    for name, array in arrays.items():
        tv.bind_array("cells", name, "in", array, **FRINGES)
    arrays |= {"vf_e": np.zeros(SHAPE, order="F"), "vf_n": np.zeros(SHAPE, np.int32, order="F"),
               "vf_f": np.zeros((*SHAPE, 2), order="F")}  # fmt: skip
    for name in PACK:
        tv.bind_array("cells", name, "out", arrays[name], **FRINGES)
    return tv, arrays


# ---- what is right -------------------------------------------------------------------------


def properties(frame: bridge.Frame) -> dict[str, np.ndarray]:
    """Of stripes, a run that begins and is waited for, and a run on boxes."""
    tv = frame.tvproperties
    Q, *_ = block()
    found = run_stripes(tv, Q, NAMES, 13)
    found |= {"D": np.zeros((*SHAPE, 3), order="F"), "h0": np.zeros(SHAPE, order="F")}
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "D_im", "out", found["D"], **FRINGES)
    tv.bind_array("cells", "h", "out", found["h0"], **FRINGES, scale=1000.0)
    tv.run_begin("cells", COMPOSITE)
    tv.wait("cells")
    tv.run("cells", COMPOSITE)
    return found


def test_physics_has_the_same_bits_and_nothing_is_above(
    frame_of: Make, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    species = {"ns": 3, "species": " ".join(SPECIES)}
    plain = properties(frame_of(verify=0, **species))
    assert "verified" not in capsys.readouterr().out
    frame = frame_of(**species)
    watched = properties(frame)
    for name, values in plain.items():
        np.testing.assert_array_equal(values, watched[name], err_msg=name)
    totals = verifier(frame).told.totals
    against = verifier(frame)._reference
    assert against is not None
    frame.finalize()
    told = capsys.readouterr().out
    assert "limit 1e-10: none above it" in told
    mine = {key[2]: one for key, one in totals.items() if key[0] == ""}
    assert {*NAMES} <= {*mine}
    assert {key[2] for key in totals if key[0] == "cells"} == {"D_im", "h"}
    assert all(one.points == POINTS and one.measure < 1e-12 for one in mine.values())
    assert any(one.ulps > 0 for one in mine.values())  # another instruction set has other bits
    assert all(key[3] == f"cpu {against.target}" for key in totals)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options", [{"denseDiffusion": "RIAZI_WHITSON"}, {"cubic": "SOAVE_REDLICH_KWONG"}], ids=str
)
def test_a_replay_has_the_kernels_of_the_options(
    frame_of: Make, capsys: pytest.CaptureFixture[str], tmp_path: Path, options: dict[str, str]
) -> None:
    frame = frame_of(ns=3, species=" ".join(SPECIES), verify_limit="1e-18", **options)
    properties(frame)
    frame.finalize()
    capsys.readouterr()
    file = next(f for f in tmp_path.glob("*.json") if '"D_im"' in f.read_text(encoding="utf-8"))
    ran = json.loads(file.read_text(encoding="utf-8"))["ran"].split()[1]
    main(["replay", str(file), "--on", ran])
    assert _row(capsys.readouterr().out, ran)[-2:] == ["the", "run's"]


def test_temperatures_of_enthalpies_agree(frame_of: Make) -> None:
    """A search ends elsewhere on another instruction set: its result is the same to the limit."""
    frame = frame_of(ns=3, species=" ".join(SPECIES))
    tv = frame.tvproperties
    Q, T, P, Y = block()
    h = bridge.evaluate(list(SPECIES), T, P, Y, ("h",), backend="cpu")["h"]
    target = np.full(SHAPE, np.nan, order="F")
    target[INTERIOR] = h.reshape(5, 4, 3, order="F")
    found, guess = np.zeros(SHAPE, order="F"), np.full(SHAPE, 300.0, order="F")
    for name, array in (("P", Q[..., 0]), ("Y", Q[..., 5:]), ("h_target", target), ("T0", guess)):
        tv.bind_array("cells", name, "in", np.asfortranarray(array), **FRINGES)
    tv.bind_array("cells", "T", "out", found, **FRINGES)
    [composite] = [name for name, one in frame.tvproperties._catalogue.composites.items()
                   if "h_target" in one.inputs and "T" in one.outputs][:1]  # fmt: skip
    tv.run("cells", composite)
    np.testing.assert_allclose(found[INTERIOR].ravel("F"), T, rtol=1e-8)
    totals = verifier(frame).told.totals
    assert all(one.above == 0 for one in totals.values()), totals


# ---- what is broken ------------------------------------------------------------------------


@pytest.mark.parametrize("composite", [True, False])
def test_a_broken_kernel_is_found_and_seen_again(
    frame_of: Make, broken: tuple[Path, Path], capsys: pytest.CaptureFixture[str],
    tmp_path: Path, composite: bool,
) -> None:  # fmt: skip
    frame = frame_of(broken)
    tv, arrays = bound(frame)
    tv.run("cells", "vfAll" if composite else "vfEnergy")
    if not composite:
        tv.bind_array("cells", "vf_e", "in", arrays["vf_e"], **FRINGES)
        tv.run("cells", "vfFlux")
    at = "(4, 4, 1)"
    frame.finalize()
    told = capsys.readouterr().out
    what = "vfAll" if composite else "vfFlux"
    warning = next(line for line in told.splitlines() if "warning" in line)
    assert f"{what} of set 'cells', launch 1: vf_f(2) differs by " in warning
    assert f"at {at}:" in warning and "1 of 60 points are above 1e-10" in warning
    assert f"vf_u = {arrays['vf_u'][3, 3, 0, 0]:.17g} 2.5 " in warning
    row = next(line.split() for line in told.splitlines() if f"{what} " in line and "vf_f" in line
               and "cpu" in line and "warning" not in line)  # fmt: skip
    assert row[8] == "1" and 2e-8 < float(row[10]) < 1e-7  # 1e-7 over a condition number

    [file] = tmp_path.glob("found.0.*.json")
    kept = json.loads(file.read_text())
    [point] = kept["points"]
    assert (point["at"], point["worst"]) == (at, "vf_f")
    assert point["got"]["vf_f"] == arrays["vf_f"][3, 3, 0].tolist()
    ran, against = kept["ran"].split()[1], kept["against"].split()[1]

    assert main(["replay", str(file), "--on", ran, against]) == 1
    told = capsys.readouterr().out
    assert f"{ran} seen again vf_f".split() == _row(told, ran)[:4]
    assert _row(told, ran)[-2:] == ["the", "run's"]
    assert _row(told, against)[1:3] == ["not", "seen"]
    assert f"seen again on {ran}\n" in told
    assert main(["replay", str(file), "--on", against]) == 0


def _row(told: str, target: str) -> list[str]:
    return next(line.split() for line in told.splitlines() if line.startswith(f"{target} "))


def test_a_file_brings_its_packs(
    frame_of: Make, broken: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:  # fmt: skip
    """Where the pack is not installed, its sources in the file are built: these are right, so
    that it was the library."""
    frame = frame_of(broken)
    tv, _ = bound(frame)
    tv.run("cells", "vfAll")
    frame.finalize()
    monkeypatch.delenv("BRIDGE_PACKS")
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    [file] = tmp_path.glob("found.0.*.json")
    ran = json.loads(file.read_text())["ran"].split()[1]
    assert main(["replay", str(file), "--on", ran]) == 0
    told = capsys.readouterr().out
    assert "the packs of the file are built from its own sources" in told
    assert _row(told, ran)[1:3] == ["not", "seen"]
    assert main(["replay", str(file), "--packs", str(tmp_path / "sources")]) == 0
    shutil.copytree(broken[0], tmp_path / "as_they_were")
    for path in (tmp_path / "as_they_were").iterdir():
        assert (tmp_path / "sources" / "verified" / path.name).read_text() == path.read_text()


def test_views_are_verified_too(
    frame_of: Make, broken: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    frame = frame_of(broken)
    tv, arrays = bound(frame)
    for name in ("vf_u", "vf_p"):
        tv.populate_input_stripe(name, arrays[name], **FRINGES)
    tv.composite("vfAll", POINTS)
    tv.launch("vfEnergy", 7)
    warning = next(line for line in capsys.readouterr().out.splitlines() if "warning" in line)
    number = 1 + 1 + 5 * 2
    assert "vfAll of views, launch 1: vf_f(2) differs by " in warning
    assert f"at point {number}:" in warning
    assert verifier(frame).told.totals["", "vfEnergy", "vf_e", _against(frame)].points == 7


def test_a_file_that_cannot_be_written_is_told(
    frame_of: Make, broken: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The difference itself too, and the run goes on."""
    file = tmp_path / "found.0.1.json"
    file.symlink_to("/dev/full")
    frame = frame_of(broken)
    tv, _ = bound(frame)
    tv.run("cells", "vfAll")
    frame.finalize()
    told = capsys.readouterr().out
    assert "vf_f(2) differs by " in told and "runs it alone" not in told
    assert f"warning: rank 0: {file} cannot be written: No space left on device" in told


def _against(frame: bridge.Frame) -> str:
    reference = verifier(frame)._reference
    assert reference is not None
    return f"cpu {reference.target}"


def test_a_pack_that_the_reference_lacks_is_not_verified(
    frame_of: Make, broken: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The run goes on, and the table says why."""
    cache = tmp_path / "cache"
    shutil.copytree(broken[1], cache)
    frame = frame_of((broken[0], cache))
    for path in (cache / "packs").glob(f"*-{_against(frame).split()[1]}-*"):
        path.unlink()
    library.pack_library.cache_clear()
    tv, arrays = bound(frame)
    tv.run("cells", "vfAll")
    assert np.isfinite(arrays["vf_f"][INTERIOR]).all()
    frame.finalize()
    library.pack_library.cache_clear()
    assert "not verified: vfAll of set 'cells': kernel pack verified" in capsys.readouterr().out


# ---- the host's loop -----------------------------------------------------------------------


def test_a_loop_of_the_host_is_the_reference(
    frame_of: Make, right: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    frame = frame_of(right)
    tv, arrays = bound(frame)
    tv.run("cells", "vfAll")
    expected = {name: arrays[name].copy() for name in PACK}
    tv.compare_begin("cells", "vfAll", 1.0)
    for name in PACK:  # the loop
        arrays[name][...] = expected[name]
    arrays["vf_e"][5, 2, 2] *= 1.0 + 1e-6
    tv.compare("cells", "vfAll")
    totals = verifier(frame).told.totals
    one = totals["cells", "vfAll", "vf_e", "the host's loop"]
    assert (one.points, one.above, one.at) == (POINTS, 1, "(6, 3, 3)")
    assert totals["cells", "vfAll", "vf_f", "the host's loop"].ulps == 0
    frame.finalize()
    [file] = tmp_path.glob("found.0.*.json")
    capsys.readouterr()
    isas = [library.available()[0], library.available()[-1]]
    assert main(["replay", str(file), "--on", *isas]) == 1  # all differ from the loop
    told = capsys.readouterr().out
    assert "held against the host's loop" in told
    assert all(_row(told, isa)[1:3] == ["seen", "again"] for isa in isas)


# ---- which points --------------------------------------------------------------------------


def test_points_are_those_of_the_launch_and_the_rank(
    frame_of: Make, right: tuple[Path, Path]
) -> None:
    """The first launch is looked at, then so many points at once that it is worth while."""
    frame = frame_of(right, verify=0.25)
    tv, _ = bound(frame)
    looked = []
    for launch in range(200):
        before = _points(frame)
        tv.run("cells", "vfAll")
        if _points(frame) > before:
            looked.append(launch)
    assert looked[0] == 0
    later = np.diff([one for one in looked if one > LEAST // POINTS])
    assert len(later) == 0 or (later >= 1).all()
    share = _points(frame) / (200 * POINTS)
    assert 0.0 < share < 0.5
    again = frame_of(right, verify=0.25)
    tv, _ = bound(again)
    for _ in range(200):
        tv.run("cells", "vfAll")
    assert verifier(again).told == verifier(frame).told


def _points(frame: bridge.Frame) -> int:
    totals = verifier(frame).told.totals
    return max((one.points for one in totals.values()), default=0)


def test_settings_say_how_much(tmp_path: Path) -> None:
    settings = Settings()
    assert settings.verification().fraction == 0.0
    for text, fraction in (("1", VERIFY_FRACTION), ("all", 1.0), ("0.02", 0.02), ("false", 0.0)):
        settings.set("verify", text)
        assert settings.verification().fraction == fraction
    for wrong in ("2", "-0.1", "some", "nan"):
        with pytest.raises(ArgumentError, match="verify"):
            settings.set("verify", wrong)
    with pytest.raises(ArgumentError, match="verify_limit: got '-1'"):
        settings.set("verify_limit", "-1")
    with pytest.raises(ArgumentError, match="verify_file"):
        settings.set("verify_file", str(tmp_path / "none" / "x"))


# ---- the measure ---------------------------------------------------------------------------


def measured(
    got: Any, reference: Any, inputs: Any = None, rerun: Any = None, scale: float = 0.0
) -> Any:
    values = np.asarray(reference)[:, None]
    given = {"x": values if inputs is None else np.asarray(inputs)[:, None]}
    again = rerun or (lambda some: {"y": np.broadcast_to(values[:1], some["x"].shape)})
    sizes = {"y": np.full((1, 1), scale)} if scale else {}
    own = {"y": np.asarray(got)[:, None]}
    return apart(own, {"y": values}, sizes, 1e-10, (), Near(given, again))["y"]


def test_measure_of_numbers() -> None:
    one = np.nextafter(1.0, 2.0)
    assert measured([one], [1.0]).ulps == 1.0
    assert measured([-5e-324], [5e-324]).ulps == 2.0
    nan = measured([np.nan, 1.0, np.nan], [np.nan, np.nan, 1.0])
    assert nan.measure.tolist() == [0.0, np.inf, np.inf] and nan.ulps == np.inf
    assert measured([1e-9], [2e-9], scale=1e3).measure[0] < 1e-11
    words = measured([3, 4], [3, 5])
    assert words.measure.tolist() == [0.0, np.inf]


def test_measure_knows_conditions() -> None:
    """The small difference of large numbers, and a word at a jump."""

    def difference(some: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {"y": some["x"] - 1.0}

    assert measured([1e-9 + 1e-16], [1e-9], [1.0 + 1e-9]).measure[0] > 1e-10
    assert measured([1e-9 + 1e-16], [1e-9], [1.0 + 1e-9], difference).measure[0] < 1e-10
    assert measured([2e-9], [1e-9], [1.0 + 1e-9], difference).measure[0] > 1e-10

    def word(some: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {"y": (some["x"] > 1.0).astype(np.int32)}

    assert measured([1], [0], [1.0], word).measure[0] == 0.0
    assert measured([1], [0], [0.5], word).measure[0] == np.inf


# ---- files ---------------------------------------------------------------------------------


def test_files_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("", "{}", '{"bridge-replay": 1, "points": []}'):
        (tmp_path / "x.json").write_text(text)
        assert main(["replay", str(tmp_path / "x.json")]) == 1
        assert "a file that a run with BRIDGE_VERIFY wrote" in capsys.readouterr().err
    (tmp_path / "x.json").write_text('{"bridge-replay": 9, "points": [{"inputs": {}}]}')
    assert main(["replay", str(tmp_path / "x.json")]) == 1
    assert "format 1" in capsys.readouterr().err
