"""Start the children of the fuzz tests, and tell what one of them found with its seed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from hosts import TIME_LIMIT, bridge_config

HERE = Path(__file__).parent


def call_entries(folder: Path, seed: int, calls: int) -> dict[str, Any]:
    """Random calls of every entry point in a process of their own; counts and first messages by
    "entry status". AssertionError with the last call where the process died or a promise was
    broken."""
    (library,) = bridge_config("--libdir", folder=folder)
    journal = folder / f"call-{seed}.json"
    words = [f"{library}/libbridge.so", str(journal), f"--seed={seed}", f"--calls={calls}"]
    done = child("fuzzcalls.py", words, folder)
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"')]
    found = json.loads(lines[-1]) if lines else {}
    if done.returncode or "counts" not in found:
        last = journal.read_bytes().decode().strip() if journal.exists() else "none"
        raise AssertionError(
            f"seed {seed}: {found.get('broken', ended(done))}\nlast call: {last}\n"
            f"{done.stderr[-2000:]}"
        )
    return dict(found)


def child(script: str, words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A script of this folder, run beside a program's usual environment."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("BRIDGE_")}
    variables |= {"PYTHONPATH": str(HERE.parent), "OMP_NUM_THREADS": "2"}
    variables["BRIDGE_CACHE"] = str(folder / "cache")
    return subprocess.run(
        [sys.executable, "-P", str(HERE / script), *words],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIME_LIMIT,
    )


def ended(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode < 0:
        return f"the process died of {signal.Signals(-done.returncode).name}"
    return f"the process ended with status {done.returncode}"


def add(total: Counter[str], found: dict[str, Any]) -> None:
    total.update({name: int(n) for name, n in found["counts"].items()})


def spoil_texts(folder: Path, kind: str, seed: int, cases: int) -> dict[str, int]:
    """Spoiled texts of a kind of fuzztexts.py; how many were read and refused. AssertionError with
    what was neither."""
    done = child("fuzztexts.py", [kind, f"--seed={seed}", f"--cases={cases}"], folder)
    assert done.returncode == 0, f"{kind}, seed {seed}: {ended(done)}\n{done.stderr[-2000:]}"
    found = json.loads(done.stdout.splitlines()[-1])
    assert not found["findings"], "\n".join(found["findings"])
    return dict(found["counts"])
