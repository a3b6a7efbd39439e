"""Fingerprints: every part that decides results changes them; differences are told in words."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge.backends.host import library
from bridge.errors import ArgumentError, BridgeError
from bridge.fingerprint import lines, parts, ranks
from bridge.frame import Frame
from bridge.physics.options import CHOICES, Options
from bridge.physics.species import SpeciesData

#: A value that is not the default, for each option.
OTHER = {name: choices[-1] for name, choices in CHOICES.items()} | {
    **{"dilutePrefactor": "40 41", "omega22G": "0.1", "override": "dipole=0.5"},
    **{"chungDense": "PUBLISHED", "omega11": "FITTED"},
}
#: Of species: names, and what their constants are looked at with.
UNREAD = ("names", "atomsW", "unchecked")
PACK = """
[[kernel]]
name = "twice"
header = "twice.h"
inputs = ["T"]
outputs = ["twiceT"]
about = "two times T"

[quantity.twiceT]
unit = "K"
about = "two times T"
"""


def of(**settings: Any) -> dict[str, str]:
    """The parts of a Frame with these settings."""
    frame = Frame()
    for key, value in {"backend": "cpu", "species": "O2 CH4", **settings}.items():
        frame.set(key, value)
    ns = len((frame.settings.get("species") or "").split())
    frame.initialize(0, 8, ns, 5 + ns)
    try:
        text = frame.fingerprint()
    finally:
        frame.finalize()
    return lines.parse(text.encode(), "text", "a frame's")


def differ(a: dict[str, str], b: dict[str, str]) -> list[str]:
    assert lines.digest(a) != lines.digest(b)
    return [name for name, *_ in lines.differences(a, b)]


@pytest.fixture(scope="module")
def plain() -> dict[str, str]:
    return of()


def test_the_same_is_the_same(plain: dict[str, str]) -> None:
    assert of() == plain
    assert of(threads=1, backend="cpu") == plain
    assert lines.told(plain, of(), "a", "b") == ""


@pytest.mark.parametrize("option", [field.name for field in fields(Options)])
def test_an_option(plain: dict[str, str], option: str) -> None:
    more = {"override": "criticalViscosity=2e-5"} if option == "viscosity" else {}
    before = of(**more) if more else plain
    other = differ(before, of(**{option: OTHER[option]}, **more))
    assert other[0] == f"option {option}"
    assert other[1:] == (["constants"] if option == "override" else [])


def test_species_and_their_data(plain: dict[str, str]) -> None:
    assert differ(plain, of(species="CH4 O2")) == ["species", "constants"]
    assert differ(plain, of(species="O2 CH4 N2")) == ["species", "constants"]
    assert differ(plain, of(qlayout="T P u v w Y")) == ["qlayout"]
    assert differ(plain, of(launch="stream")) == ["launch"]


@pytest.mark.parametrize("field", [f.name for f in fields(SpeciesData) if f.name not in UNREAD])
def test_each_constant(field: str) -> None:
    """One bit of one species; of what a run reads."""
    species = SpeciesData.load(["O2", "CH4"])
    values = getattr(species, field)
    other = np.zeros(2) if values is None else values.copy()
    known = np.flatnonzero(np.isfinite(other.ravel()))[0]  # not every species has all of them
    other.ravel()[known] = np.nextafter(other.ravel()[known], np.inf)
    changed: dict[str, Any] = {field: other}
    other_digest = parts.species_digest(replace(species, **changed))
    assert other_digest != parts.species_digest(species)


def test_constants_of_the_host(plain: dict[str, str]) -> None:
    """Given after initialize."""
    frame = Frame()
    frame.set("backend", "cpu")
    frame.initialize(0, 8, 2, 7)
    data = SpeciesData.load(["O2", "CH4"])
    given = (data.W, data.Tc, data.Pc, data.omega, data.nasa7)
    frame.tvproperties.populate_preos_shared_data(*given)
    first = frame.fingerprint()
    frame.tvproperties.populate_preos_shared_data(data.W, data.Tc * 1.001, *given[2:])
    second = frame.fingerprint()
    frame.finalize()
    a, b = (lines.parse(text.encode(), "text", "") for text in (first, second))
    assert differ(a, b) == ["constants"]


def test_the_instruction_set(plain: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    others = [isa for isa in library.available() if f"x86-64-{isa}" != plain["target"]]
    if not others:
        pytest.skip("this machine runs one instruction set")
    monkeypatch.setenv("BRIDGE_CPU_ISA", others[0])
    other = of()
    assert differ(plain, other) == ["target"]
    told = lines.told(plain, other, "run1.log", "run2.log")
    assert "results differ in their last bits" in told
    assert f"run1.log: {plain['target']}" in told and f"run2.log: x86-64-{others[0]}" in told


def test_packs(plain: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the sources, without a library."""
    from bridge.plan import packs

    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "catalogue.toml").write_text(PACK)
    (folder / "twice.h").write_text("// one\n")
    run = _run()
    seen = []
    for text in ("// one\n", "// other\n"):
        (folder / "twice.h").write_text(text)
        monkeypatch.setenv("BRIDGE_PACKS", str(folder))
        packs.forget()
        seen.append(parts.of_run(run))
    packs.forget()
    assert differ(seen[0], seen[1]) == ["pack mine"]
    monkeypatch.delenv("BRIDGE_PACKS")
    assert "pack mine" in differ(parts.of_run(run), seen[0])


def _run() -> parts.Run:
    frame = Frame()
    frame.set("backend", "cpu")
    frame.set("species", "O2")
    request = frame.check(0, 8, 1, 6)
    from bridge.backends import open_backend

    backend = open_backend("cpu")
    return parts.Run(backend, request.catalogue, request.options, request.species,
                     request.layout, "fused", {}, {})  # fmt: skip


def test_values_of_packs_versions_and_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    run = _run()
    first = parts.of_run(run)
    constant = {"fsmach": np.array([0.5])}
    assert differ(first, parts.of_run(replace(run, constants=constant))) == ["constant fsmach"]
    assert differ(first, parts.of_run(replace(run, tables={"t": "0f"}))) == ["tables"]
    for place, name in (
        ("bridge.fingerprint.parts.VERSION", "version"),
        ("bridge.fingerprint.parts.packs.shipped_digest", "kernels"),
        ("sys.version_info", "python"),
    ):
        values = {"version": "0", "kernels": lambda: "another", "python": (3, 99, 0)}
        with monkeypatch.context() as patch:
            patch.setattr(place, values[name])
            assert differ(first, parts.of_run(run)) == [name]
    with monkeypatch.context() as patch:
        patch.setattr(np, "__version__", "0")
        assert differ(first, parts.of_run(run)) == ["numpy"]
    with monkeypatch.context() as patch:
        patch.setattr(parts, "file", lambda _: Path(__file__))
        assert differ(first, parts.of_run(run)) == ["catalogue"]
    gpu = {**run.backend.describe(), "launch policy": "table (1234)", "target": "sm_90",
           "device": "0: NVIDIA H200 at 0000:0A, GPU-1", "versions": "CUDA 13"}  # fmt: skip
    with monkeypatch.context() as patch:
        patch.setattr(run.backend, "describe", lambda: gpu)
        seen = parts.of_run(run)
        assert seen["device"] == "NVIDIA H200" and seen["target"] == "sm_90"
        assert set(differ(first, seen)) == {"policies", "target", "device", "cuda"}


def test_every_part_has_a_meaning(plain: dict[str, str]) -> None:
    assert all("does not know" not in lines.meaning(name) for name in plain)


def test_found_again(plain: dict[str, str], tmp_path: Path) -> None:
    text = lines.text(plain).encode()
    log = b"".join(
        b"bridge: " + line + b"\n" for line in b"hello\n".join([b"", text]).splitlines()
    )
    binary = np.arange(9.0).tobytes() + text + b"   " + np.arange(9.0).tobytes()
    for contents in (log, binary, text.replace(b"\n", b"   \r\n"), b"old\n" + text):
        assert lines.parse(contents, "A", "file") == plain
    for broken in (text[:-30], text.replace(b"SIGNED", b"ABS"), b"", b"bridge fingerprint 1\n"):
        with pytest.raises(ArgumentError, match="argument A"):
            lines.parse(broken, "A", "file")
    newer = lines.text({**plain, "species": "N2"}).encode()
    assert lines.parse(text + newer, "A", "file")["species"] == "N2"  # the last one


def test_the_command(tmp_path: Path) -> None:
    def command(*words: str) -> subprocess.CompletedProcess[str]:
        variables = {k: v for k, v in os.environ.items() if not k.startswith("BRIDGE_")}
        line = [sys.executable, "-P", "-m", "bridge", "fingerprint", *words]
        return subprocess.run(
            line, env={**variables, "BRIDGE_BACKEND": "cpu"}, capture_output=True, text=True
        )

    a, b = tmp_path / "a.log", tmp_path / "b.log"
    assert command("--set", "species=O2 CH4", "-o", str(a)).returncode == 0
    assert lines.parse(a.read_bytes(), "A", "a") == of()
    done = command("--set", "species=O2 CH4", "rootPolicy=LARGEST")
    b.write_text(done.stdout)
    same = command("--diff", str(a), str(a))
    assert (same.returncode, same.stdout) == (0, "no difference\n")
    other = command("--diff", str(a), str(b))
    assert other.returncode == 1
    assert other.stdout == (
        "option rootPolicy: another model or correlation: results differ beyond rounding\n"
        f"  {a}: MIN_GIBBS\n  {b}: LARGEST\n"
    )
    none = command("--diff", str(a), str(tmp_path / "nowhere"))
    assert none.returncode == 1 and "a file to read" in none.stderr


def test_ranks_that_differ() -> None:
    one = {"version": "1", "target": "x86-64-v4", "pack mine": "aa"}
    assert ranks.mixture([one, dict(one)]) == ""
    ranks.refuse("")
    mixed = ranks.mixture([one, {**one, "target": "x86-64-v3"}, one, {**one, "pack mine": "bb"}])
    target, pack = mixed.splitlines()
    assert target.startswith("target: x86-64-v4 on ranks 0, 2, 3; x86-64-v3 on rank 1")
    assert pack.startswith("pack mine: aa on ranks 0, 1, 2; bb on rank 3")
    with pytest.raises(BridgeError, match="BRIDGE_MIXED_RANKS=allow") as raised:
        ranks.refuse(mixed)
    assert "BRIDGE_CPU_ISA of the least one" in str(raised.value)
    many = [{"target": str(rank % 2)} for rank in range(40)]
    assert "0, 2, 4, 6, 8, 10, 12, 14 and 12 more" in ranks.mixture(many)
